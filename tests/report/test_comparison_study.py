"""The sections of a comparison: their order, their words, and their silence where there is nothing to say."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

import benchlib
from benchlib.answers.asking import Refusal
from benchlib.answers.comparison import ComparisonAnswer
from benchlib.errors import BenchlibError
from benchlib.report import comparison_study
from benchlib.report.wording.comparison.headline import comparison_verdict_words, status_of
from benchlib.report.wording.markup import Section
from benchlib.study import Study
from tests.comparison_answers import (
    ATTACK,
    controlled,
    decided,
    drifted,
    few,
    hostile,
    large,
)
from tests.shipped_studies import study, written
from tests.synthetic import around, go_text, make_study

ASKED: dict[str, Any] = {
    "column": "", "baseline": "", "candidate": "", "metric": "", "control": "", "significance_level": 0.05,
    "confidence_level": 0.95, "min_effect": 0.02,
}  # fmt: skip
OF_ANSWERS = (
    "verdicts", "rows", "controls", "drift", "percentiles", "pairs", "interactions", "geomeans", "caveats",
)  # fmt: skip
MADE = (decided, few, drifted, controlled, hostile, large)

Answers = Sequence[ComparisonAnswer | Refusal]


@cache
def shipped(name: str, control: str = "") -> tuple[Study, tuple[ComparisonAnswer | Refusal, ...]]:
    """A study of data/ with the comparisons that it asks for."""
    opened = comparison_study.open_comparison(f"data/{name}", control=control)
    return opened, benchlib.compare_study(opened)


def sections(of: Study, answers: Answers) -> list[Section]:
    """Every section, in the order of the notebook."""
    told = {name: getattr(comparison_study, name)(answers) for name in OF_ANSWERS}
    return [
        comparison_study.headline(of, answers),
        comparison_study.asked(of, answers, ASKED),
        *(told[name] for name in OF_ANSWERS[:-2]),
        comparison_study.repeatability(of),
        comparison_study.targets(of, answers),
        *(told[name] for name in OF_ANSWERS[-2:]),
        comparison_study.method(of, answers, ASKED),
    ]


def words(*made: Section) -> str:
    """Sections as a reader sees them."""
    return " ".join(text for one in made for text in written(one))


# the page as a whole


@pytest.mark.parametrize("name", ["lplex", "heavy-read-api-published", "onix-adapter-published", "token-sdk"])
def test_every_study_that_compares_is_told_whole(name: str) -> None:
    """No infinity, NaN or None as such, and a heading over every block."""
    made = sections(*shipped(name))
    told = words(*made)
    for wrong in ("inf", "nan", "None", "∞", "False", "{'", "<img"):
        assert f" {wrong} " not in re.sub(r"[(),|]", " ", told), wrong
    assert all(bool(one.title) == bool(one.blocks) or one.anchor == "verdict" for one in made)


@pytest.mark.parametrize("name", ["lplex", "heavy-read-api-published", "onix-adapter-published", "token-sdk"])
def test_no_factor_is_below_one(name: str) -> None:
    """1.22x slower, never 0.8x faster."""
    told = re.findall(r"(\d+(?:\.\d+)?)x (?:faster|slower|higher|lower|more|less)", words(*sections(*shipped(name))))
    assert told
    assert all(float(one) >= 1 for one in told)


@pytest.mark.parametrize("make", MADE, ids=lambda make: make.__name__)
def test_a_page_is_made_of_every_kind_of_answer(make: Callable[[], ComparisonAnswer], tmp_path: Path) -> None:
    """Every figure says what it shows to those who cannot see it, and every section can be read."""
    of = make_study(tmp_path, old=go_text({"A": around(8)}))
    made = sections(of, [make()])
    figures = [block for one in made for block in one.blocks if isinstance(block, go.Figure)]
    assert figures
    assert all(one.layout.meta["alt"] and one.layout.meta["caption"] for one in figures)
    assert words(*made)


def test_hostile_names_are_words_in_every_section(tmp_path: Path) -> None:
    """Escaped in tables, headings, sentences and commands."""
    of = make_study(tmp_path, old=go_text({"A": around(8)}))
    parameters = {**ASKED, "baseline": ATTACK, "control": ATTACK}
    for section in [*sections(of, [hostile(), hostile()]), comparison_study.method(of, [hostile()], parameters)]:
        for block in section.blocks:
            if hasattr(block, "__html__"):
                assert "<img" not in str(block)


def test_a_study_that_compares_nothing_says_so_once() -> None:
    """A refusal is one line with advice; no empty heading follows it; the record is a refusal too."""
    of, answers = shipped("reference")
    assert answers == ()
    first = comparison_study.headline(of, answers)
    assert "Not answered: the study names nothing to compare. |To answer it: name a column" in words(first)
    for name in OF_ANSWERS:
        assert getattr(comparison_study, name)(answers).blocks == ()
    made = comparison_study.record(of, answers, ASKED)
    assert made.answers["verdict"].startswith("Not answered: ")
    assert made.answers["answers"]["comparisons"] == []
    assert comparison_study.method(of, answers, ASKED).title == "Provenance"


def test_a_comparison_that_is_refused_stands_beside_the_others(tmp_path: Path) -> None:
    """Its reason under its name; the others are answered."""
    of = make_study(tmp_path, old=go_text({"A": around(8)}))
    refused = Refusal(question="left", reason="no row", advice="measure")
    told = words(comparison_study.verdicts([decided(), refused]))
    assert "left Not answered" not in told  # a heading, then the line
    assert "|left|" in told
    assert "Not answered: no row. |To answer it: measure." in told
    alone = words(comparison_study.headline(of, [refused]))
    assert "Not answered: no row." in alone


# verdict


def test_rows_that_all_moved_alike_are_in_the_verdict(tmp_path: Path) -> None:
    """Nine of nine rose by a third between two recordings: the machine, and no row of them is worse."""
    runs = {
        side: go_text({f"B{place}": around((100 + place) * factor) for place in range(9)})
        for side, factor in (("old", 1.0), ("new", 1.3))
    }
    plan = '[configuration]\npaths = ["{run}.txt"]\n[[compare]]\nname = "both"\ncolumn = "run"\nbaseline = "old"\n'
    of = make_study(tmp_path, plan, **runs)
    answers = benchlib.compare_study(of)
    told = comparison_verdict_words(answers)
    assert "9 cannot tell" in told
    assert "In the way: 9 of 9 rows rose and 0 fell in time. Record the sides in turn (schedules/interleave.sh)" in told
    assert "say --interleaved if they were" in told
    assert "moved the way that nearly all rows moved" in words(comparison_study.verdicts(answers))


@pytest.mark.parametrize(
    ("make", "status"),
    [(decided, "WARN"), (drifted, "WARN"), (lambda: replace(few(), caveats=()), "NO TARGETS")],
    ids=["a row is worse", "an alert stands", "nothing is wrong"],
)
def test_the_status_without_targets(make: Callable[[], ComparisonAnswer], status: str, tmp_path: Path) -> None:
    """Worse rows and alerts warn."""
    of = make_study(tmp_path, old=go_text({"A": around(8)}))
    assert status_of(of, [make()]) == status


@pytest.mark.parametrize(("bound", "status"), [("9 ns", "PASS"), ("7 ns", "FAIL"), ("8 ns", "WARN")])
def test_the_status_with_a_target(bound: str, status: str, tmp_path: Path) -> None:
    """Met, missed, open, where nothing else stands in the way; one that is missed is named."""
    target = f'[[targets]]\nname = "quick"\nwhere = "benchmark=A"\nmetric = "time"\nat_most = "{bound}"\n'
    of = make_study(tmp_path, target, old=go_text({"A": around(8)}))
    quiet = replace(few(), caveats=())
    assert status_of(of, [quiet]) == status
    assert ("Missed: quick." in words(comparison_study.headline(of, [quiet]))) == (status == "FAIL")


def test_a_target_missed_on_a_machine_that_moved_is_open() -> None:
    """The times of lplex say more of the machine; its allocations do not."""
    told = words(comparison_study.targets(*shipped("lplex")))
    assert "WARN: missed, but in a recording whose controls moved" in told
    assert "decoding allocates nothing|at most 0 allocs/op|Decode, VesselHeading|FAIL" in told


# tables


# drift, percentiles, pairs, interactions, repeatability


def test_runs_of_the_same_code_are_told_where_runs_are_not_compared() -> None:
    """The worst row by name, and all benchmarks together run by run."""
    told = words(comparison_study.repeatability(study("onix-adapter-published")))
    assert "BAPCaller_Discover_Parallel" in told
    assert "1.33x from run1 to run3, rising" in told
    assert comparison_study.repeatability(study("lplex")).blocks == (), "old and new are not the same code"


# opening and recording


def test_two_recordings_are_compared_by_their_paths(tmp_path: Path) -> None:
    """Without a study: the page says how to make it again, by names as they were given."""
    for name, factor in (("old", 1.0), ("new", 1.5)):
        (tmp_path / f"{name}.txt").write_text(go_text({"A": around(8 * factor), "B": around(9)}), encoding="utf-8")
    paths = {"baseline": f"{tmp_path}/old.txt", "candidate": f"was={tmp_path}/new.txt"}
    opened = comparison_study.open_comparison("", **paths, metric="time")
    answers = benchlib.compare_study(opened)
    (answer,) = answers
    assert isinstance(answer, ComparisonAnswer)
    assert opened.title == "was against old"
    first = answer.rows[0]
    assert (first.verdict, first.baseline, first.candidate) == ("worse", "old", "was")
    told = words(comparison_study.method(opened, answers, {**ASKED, **paths}))
    assert "papermill notebooks/30_comparison.ipynb out.ipynb -p study '' -p baseline" in told


@pytest.mark.parametrize(
    "named",
    [
        {"column": "gatway", "baseline": "direct"},
        {"column": "gateway", "baseline": "nowhere"},
        {"column": "gateway", "baseline": "direct", "metric": "speed"},
        {"control": "pkg=*/nothing"},
    ],
    ids=str,
)
def test_what_is_not_there_is_refused_in_one_line(named: dict[str, str]) -> None:
    """A column, a level, a metric, a control."""
    with pytest.raises(BenchlibError) as raised:
        comparison_study.open_comparison("data/heavy-read-api-published", **named)
    assert "\n" not in str(raised.value)


def test_the_command_that_builds_the_page_again_carries_what_was_asked() -> None:
    """Quoted, because a condition has spaces."""
    of, answers = shipped("lplex")
    told = words(comparison_study.method(of, answers, {**ASKED, "control": "pkg=*/filter for pkg=*/pgn"}))
    assert "benchlib report PATH/TO/lplex --notebook 30_comparison -p 'control=pkg=*/filter for pkg=*/pgn'" in told
    for name in ("Mann-Whitney", "Hodges-Lehmann", "Benjamini and Hochberg", "Benjamini and Yekutieli", "Hahn and"):
        assert name in told


def test_the_record_is_the_document_of_the_command() -> None:
    """Verdict and cards beside every row."""
    of, answers = shipped("lplex")
    made = comparison_study.record(of, answers, ASKED)
    (told,) = made.answers["answers"]["comparisons"]
    assert len(told["rows"]) == len(answers[0].rows)  # type: ignore[union-attr]
    assert made.answers["status"] == "FAIL"
    assert made.answers["cards"]
    assert made.answers["answers"]["parameters"] == ASKED
    assert made.summary.startswith("FAIL: new against old: of ")
