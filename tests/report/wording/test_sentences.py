"""Sentences, cards and tables made from answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import benchlib
from benchlib.answers.comparison import ComparisonAnswer
from benchlib.answers.executive import ExecutiveSummary
from benchlib.report import sections
from benchlib.report.wording.cards.choice import MOST_CARDS, cards
from benchlib.report.wording.caveats import refusal_line
from benchlib.report.wording.comparison.sentences import comparison_verdict
from benchlib.report.wording.headline import banner, verdict
from benchlib.report.wording.tables import comparison_table, targets_table
from benchlib.study import Study
from tests.shipped_studies import NAMES, summary, words
from tests.synthetic import around, go_text, make_study, make_table

KINDS = '[[compare]]\nname = "kinds"\ncolumn = "kind"\nbaseline = "a"\n'


def comparison(of: Study) -> ComparisonAnswer:
    """The one comparison of a study."""
    (answer,) = benchlib.compare_study(of)
    assert isinstance(answer, ComparisonAnswer)
    return answer


def test_moved_controls_are_the_verdict() -> None:
    """These recordings cannot tell, and the sentence says why instead of a factor."""
    (answer,) = summary("lplex").comparisons
    assert isinstance(answer, ComparisonAnswer)
    told = comparison_verdict(answer)
    assert told.startswith("These recordings cannot tell: ")
    assert "faster" not in told
    assert "slower" not in told


# DEFECT (change() by _change() in report/wording/tables.py): "infx less".
def test_a_table_says_what_fell_to_none(tmp_path: Path) -> None:
    """From 5 allocations to 0 there is no factor."""
    rows = [("B", "a", "allocations", 5, "allocs/op"), ("B", "b", "allocations", 0, "allocs/op")]
    answer = comparison(make_table(tmp_path, "benchmark kind metric value unit", rows, KINDS))
    assert not re.search(r"inf|nan|∞", str(comparison_table(answer).rows))


# DEFECT (effects_verdict() in report/wording/sentences.py takes ratios[0] of none): IndexError.
def test_factors_that_move_together_do_not_break_the_page(tmp_path: Path) -> None:
    """Bits and outputs that always rise together have neither slope nor ratio: said, not raised."""
    rows = [
        ("B", bits, outputs, "time", 10 * bits * repeat, "us/op")
        for bits, outputs in ((32, 1), (64, 2), (96, 3))
        for repeat in (0.99, 1.0, 1.01)
    ]
    plan = '[effects]\nfactors = ["bits", "outputs"]\nmetrics = ["time"]\nby = ["benchmark"]\n'
    made = benchlib.executive_summary(make_table(tmp_path, "benchmark bits outputs metric value unit", rows, plan))
    for name in sections.__all__:
        getattr(sections, name)(made)
    assert "confounded" in {one.code for one in made.caveats}


@pytest.mark.parametrize("name", NAMES)
def test_there_are_four_to_six_cards(name: str) -> None:
    """Each with a label, a value, how sure it is, and no value that is no word."""
    chosen = cards(summary(name))
    assert 4 <= len(chosen) <= MOST_CARDS
    for one in chosen:
        assert one.label
        assert one.value
        assert not re.search(r"\bnan\b|\binf\b|None", f"{one.value} {one.interval} {one.note}")


@pytest.mark.parametrize("name", NAMES)
def test_the_banner_states_status_and_reason(name: str) -> None:
    """In words, not by colour alone; the verdict ends as a sentence does."""
    found = summary(name)
    told = str(banner(found).striptags())
    assert found.status in told
    assert verdict(found).endswith(".")
    assert "\n" not in verdict(found)


def test_a_leading_question_without_an_answer_is_named() -> None:
    """And no other is answered in its place, which nobody asked."""
    told = verdict(benchlib.executive_summary(benchlib.open_study("data/token-sdk", where="benchmark=Sender")))
    assert "an extra output costs" in told
    assert told.endswith(" Not told: how throughput grows (no benchmark was measured at 3 or more levels of workers).")
    assert "csp against bulletproof" not in told


def test_a_study_that_answers_nothing_says_so(tmp_path: Path) -> None:
    """One measurement: a verdict all the same, and a page of one-line refusals."""
    text = go_text({"Decode": [8]})
    made: ExecutiveSummary = benchlib.executive_summary(make_study(tmp_path, "", a=text))
    assert verdict(made).startswith("3 values from 1 file; without a study.toml")
    defined = benchlib.executive_summary(make_study(tmp_path, 'title = "t"\n', a=text))
    assert "answer none of the questions of this study" in verdict(defined)
    for name in ("scaling", "effects", "comparison", "latency"):
        assert "Not answered: " in str(getattr(sections, name)(made).blocks[0])


@pytest.mark.parametrize("name", NAMES)
def test_caveats_stand_on_the_page_with_their_advice(name: str) -> None:
    """All of them, in words for their severity."""
    told = words(name, "caveats").replace("|", "").replace("\u00a0", " ")
    for one in summary(name).caveats:
        assert f"{ {'alert': 'Alert', 'warning': 'Caution', 'note': 'Note'}[one.severity] }: {one.message}" in told
        assert one.advice in told


def test_a_refusal_says_reason_and_remedy() -> None:
    """In one paragraph."""
    refusal = benchlib.analyse_effects(summary("http-endpoints").study)
    told = refusal_line(refusal).striptags()  # type: ignore[arg-type]
    assert told == (
        "Not answered: the study names no factor. "
        "To answer it: name the factors that were varied: --factors, or factors in [effects] of study.toml; "
        "axes that vary here: endpoint, url, threads, connections."
    )


def test_targets_name_bound_verdict_and_measurement(tmp_path: Path) -> None:
    """With its interval where there is one."""
    definition = '[[targets]]\nname = "fast"\nwhere = ""\nmetric = "time"\nat_most = "7 ns"\n'
    made = make_study(tmp_path, definition, a=go_text({"Decode": around(8)}))
    (line,) = targets_table(benchlib.check_targets(made)).rows
    assert line[0] == "fast"
    assert line[1] == "at most 7 ns"
    assert "FAIL" in line[3]
    assert line[4] == "8.01 ns/op"
    assert "7.9" in str(line[5])
