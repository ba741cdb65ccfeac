"""The sections of a comparison: their order, their words, and their silence where there is nothing to say."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

import benchlib
from benchlib.answers.comparison import ComparisonAnswer
from benchlib.answers.refusal import Refusal
from benchlib.caveats import caveat
from benchlib.errors import BenchlibError
from benchlib.report import comparison_study
from benchlib.report.wording.comparison.headline import comparison_verdict_words, status_of
from benchlib.report.wording.comparison.tables import (
    controls_table,
    geomeans_table,
    matrix_table,
    readings_table,
    sides_table,
)
from benchlib.report.wording.comparison.words import (
    asked_words,
    changed_lines,
    control_words,
    counted_by_metric,
    order_words,
    reason_lines,
    undecided_lines,
)
from benchlib.report.wording.markup import Section
from benchlib.report.wording.tables import MOST_CELLS, comparison_table
from benchlib.study import Study
from tests.comparison_answers import (
    ATTACK,
    TEN,
    controlled,
    decided,
    drifted,
    few,
    hostile,
    large,
    make_answer,
    make_row,
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


def charts(section: Section) -> int:
    """How many figures a section holds."""
    return sum(isinstance(block, go.Figure) for block in section.blocks)


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


def test_the_sections_stand_in_the_order_of_the_questions() -> None:
    """From the verdict to the method; every anchor once, and none that has nothing to say."""
    anchors = [one.anchor for one in sections(*shipped("lplex")) if one.blocks]
    assert anchors == [
        "verdict", "asked", "verdicts", "rows", "controls", "drift", "pairs", "targets", "geomeans", "caveats",
        "method",
    ]  # fmt: skip
    anchors = [one.anchor for one in sections(*shipped("heavy-read-api-published")) if one.blocks]
    assert anchors == [
        "verdict", "asked", "verdicts", "rows", "percentiles", "interactions", "geomeans", "caveats", "method",
    ]  # fmt: skip


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


def test_the_verdict_is_three_sentences_at_most_with_counts_first() -> None:
    """How many, the worst by name, what is left undecided."""
    told = comparison_verdict_words([decided()])
    assert told.startswith("new against old: of 7 rows 2 worse, 2 better, 2 same and 1 cannot tell.")
    assert "Worst: Encode: time per operation 1.22x slower (" in told
    assert len(re.findall(r"\. (?=[A-Z])", f"{told} A")) <= 3


def test_what_stands_in_the_way_is_in_the_verdict() -> None:
    """Recorded one after the other: the sentence says so, and what to do."""
    told = comparison_verdict_words([drifted()])
    assert "In the way: old and new were recorded one after the other." in told
    assert "Interleave" in told


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


def test_few_values_are_in_the_verdict_with_what_more_would_take() -> None:
    """A comparison that can show nothing says how many more values would."""
    told = comparison_verdict_words([few()])
    assert "n = 3 each shows no change, however large (2 undecided rows); run 3 more each" in told


def test_of_several_comparisons_each_is_counted() -> None:
    """And what stands in the way is said once."""
    _, answers = shipped("heavy-read-api-published")
    told = comparison_verdict_words(answers)
    assert told.startswith("local cache against Redis: all 16 rows: cannot tell. gateway against direct: all 12 rows")
    assert told.count("n = 1 each shows no change, however large") == 1
    # Of three two are told: a reader learns that this is not all.
    assert "stands below" not in told
    assert " What other comparisons found stands below. " in comparison_verdict_words(shipped("onix-adapter")[1])


@pytest.mark.parametrize(
    ("make", "status"),
    [(decided, "WARN"), (drifted, "WARN"), (lambda: replace(few(), caveats=()), "NO TARGETS")],
    ids=["a row is worse", "an alert stands", "nothing is wrong"],
)
def test_the_status_without_targets(make: Callable[[], ComparisonAnswer], status: str, tmp_path: Path) -> None:
    """Worse rows and alerts warn."""
    of = make_study(tmp_path, old=go_text({"A": around(8)}))
    assert status_of(of, [make()]) == status


def test_a_page_says_of_how_many_rows_nothing_is_known(tmp_path: Path) -> None:
    """Nothing is worse where nothing could be found worse: not said as if it were good news."""
    of = make_study(tmp_path, old=go_text({"A": around(8)}))
    quiet = replace(few(), caveats=())
    told = words(comparison_study.headline(of, [quiet]))
    assert "No alert stands, but no row has a verdict; the study sets no target to pass or fail." in told
    assert "Nothing is worse" not in told
    (match, compiled) = (
        row for row in decided().rows if row.verdict in ("same", "cannot tell") and row.metric == "time"
    )
    told = words(comparison_study.headline(of, [make_answer([match, compiled])]))
    assert "Nothing is worse and no alert stands, but 1 row of 2 cannot be told; the study sets no target" in told
    told = words(comparison_study.headline(of, [make_answer([match])]))
    assert "Nothing is worse and no alert stands; the study sets no target" in told


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


# what changed


def test_rows_that_changed_are_told_the_furthest_first() -> None:
    """Worse before better; from 0 to 1 allocation has no factor and follows what has one, as in the verdict."""
    told = changed_lines(decided())
    assert [one.split(":")[0] for one in told] == ["worse", "worse", "better", "better"]
    assert told[0].startswith("worse: Encode: time per operation 1.22x slower (")
    assert told[1] == "worse: Encode: allocations per operation from 0 to 1 (adjusted p <0.001, n = 10 each)"


def test_of_many_changes_the_rest_is_counted() -> None:
    """Thirty worse and ten better: twelve told, the table holds all."""
    told = changed_lines(large())
    assert len(told) == 13
    assert told[-1] == "and 28 more, in the table"


def test_metrics_of_which_the_same_is_to_be_said_share_a_line() -> None:
    """Four latencies and rates, none of which can be told."""
    _, answers = shipped("heavy-read-api-published")
    assert isinstance(answers[0], ComparisonAnswer)
    assert counted_by_metric(answers[0]) == [
        "p50 latency, p99 latency, max latency and throughput, each: all 4 rows: cannot tell"
    ]


def test_controls_are_counted_nowhere() -> None:
    """Two rows are judged, five are not."""
    assert counted_by_metric(controlled()) == ["time per operation: of 2 rows 1 worse and 1 cannot tell"]


def test_each_reason_is_told_once_with_what_to_do() -> None:
    """Not once a row; the rows are named up to three."""
    (line,) = reason_lines(drifted())
    assert line.startswith("24 rows (Benchmark0, pkg a; Benchmark1, pkg a; Benchmark2, pkg a; 21 more): moved, but so")
    assert line.endswith("record both sides in turn, or name a control that met the same machine")
    (line,) = reason_lines(controlled())
    assert line.startswith("1 row (Decode, pkg a): not shown to have moved further than the machine alone moved the ")
    told = undecided_lines(decided())
    assert told[0].startswith("1 row (Compile): a change, but its interval holds changes of less than 2 %")


def test_what_was_compared_is_told_in_words() -> None:
    """Column, sides, rows and controls."""
    assert asked_words(controlled()) == "run new against old, 7 rows; controls: pkg=*/filter"
    told = words(comparison_study.asked(*shipped("lplex"), ASKED))
    assert "new against old|What did the change do to time, memory and allocations? run new against old" in told
    assert "significance level|0.05|" in told
    assert "baseline||" not in told, "parameters that were not given are not listed"


# tables


def test_the_rows_stand_with_verdict_and_reason() -> None:
    """Change and verdict beside the name, where a narrow screen shows them; why it is no other at the end."""
    table = comparison_table(decided())
    heads = [one.head for one in table.columns]
    assert heads == [
        "benchmark", "metric", "change", "verdict", "old", "new", "interval of the change", "p adjusted", "why",
    ]  # fmt: skip
    first, *_ = table.rows
    assert first[:6] == ("Encode", "time", "1.22x\u00a0slower", "worse", "1.201 µs/op", "1.46 µs/op")
    (compiled,) = (row for row in table.rows if row[0] == "Compile")
    assert (compiled[3], compiled[-1]) == tuple(
        one.replace(" ", "\u00a0") for one in ("cannot tell", "may be too small to matter")
    )


def test_columns_that_no_row_fills_take_no_room() -> None:
    """One run has no interval and no p value; one n of all rows is said once."""
    _, answers = shipped("heavy-read-api-published")
    assert isinstance(answers[1], ComparisonAnswer)
    table = comparison_table(answers[1])
    assert [one.head for one in table.columns] == [
        "endpoint", "metric", "change", "verdict", "direct", "apisix", "why",
    ]  # fmt: skip
    assert table.caption == "gateway against direct, n = 1 each"


def test_rows_of_different_n_say_theirs() -> None:
    """A column of its own."""
    table = comparison_table(make_answer([*decided().rows, make_row("Few", (1e-6,) * 3, (1e-6,) * 4)]))
    place = [one.head for one in table.columns].index("n")
    assert {row[place] for row in table.rows} == {"10 + 10", "3 + 4"}
    assert "n =" not in table.caption


def test_a_page_holds_so_many_rows_and_says_where_the_others_are() -> None:
    """Twenty thousand rows are a file, not a page."""
    answer = large(30)
    many = replace(answer, rows=answer.rows * 80)
    table = comparison_table(many)
    assert len(table.rows) == MOST_CELLS
    assert table.caption == "new against old, time per operation, n = 10 each; 400 more rows in answers.json"


def test_controls_stand_with_centre_spread_and_what_they_leave() -> None:
    """13 rows of filter moved by 2.40x with a spread of 1.40x."""
    _, (answer,) = shipped("lplex")
    assert isinstance(answer, ComparisonAnswer)
    table = controls_table(answer)
    assert table is not None
    assert table.rows[0][:6] == ("pkg=*/filter", "–", "time per operation", "13 of 13", "2.40x slower", "1.40x")
    assert controls_table(decided()) is None


def test_a_control_is_told_with_the_rows_that_it_speaks_for() -> None:
    """Recorded in turn, named, or nobody."""
    (one,) = controlled().controls
    told = control_words(one)
    assert told.startswith(
        "pkg=*/filter, 5 rows of time per operation: 5 differ; the machine alone made them 1.10x slower"
    )
    assert told.endswith("It speaks for 2 rows, recorded in turn with it")
    assert control_words(replace(one, speaks_for="pkg=*/pgn")).endswith("It was named for pkg=*/pgn (2 rows)")
    assert "speaks for no other row" in control_words(replace(one, judged=0))
    alone = replace(one.null, low=-math.inf, high=math.inf, spread=math.nan)
    assert "one row has no spread to judge others by" in control_words(replace(one, rows=1, null=alone))


def test_both_readings_stand_side_by_side() -> None:
    """By itself worse, against the controls not told; the other clears them."""
    table = readings_table(controlled())
    assert table is not None
    assert [row[:4] for row in table.rows] == [
        ("Encode, pkg a", "1.50x\u00a0slower", "worse", "worse"),
        ("Decode, pkg a", "1.12x\u00a0slower", "cannot\u00a0tell", "worse"),
    ]
    assert table.rows[0][5] == "1.36x slower"
    assert readings_table(drifted()) is None


def test_a_control_named_for_rows_leaves_none_of_them_better_or_worse() -> None:
    """On lplex, filter as control for pgn, and the other way round; the page says why."""
    benchmarks = {"filter": {"Compile", "Match"}, "pgn": {"Decode", "DecodeEncode", "Encode", "RegistryLookup"}}
    for named, other in (("filter", "pgn"), ("pgn", "filter")):
        _, (answer,) = shipped("lplex", f"pkg=*/{named} for pkg=*/{other}")
        assert isinstance(answer, ComparisonAnswer)
        judged = [row for row in answer.rows if row.metric == "time" and row.key["benchmark"] in benchmarks[other]]
        assert len(judged) == 13
        assert all(row.against_controls is not None for row in judged)
        assert not [row for row in judged if row.verdict in ("better", "worse")]
        told = words(comparison_study.controls([answer]))
        assert f"It was named for pkg=*/{other} (13 rows)" in told
        assert "within what controls did" in told
        assert "not shown to have moved further than the machine alone moved the controls" in words(
            comparison_study.verdicts([answer])
        )


def test_the_matrix_has_a_column_for_each_level_of_the_one_axis() -> None:
    """Endpoints by gateways, ratios the right way round."""
    _, answers = shipped("heavy-read-api-published")
    first, second = (one for one in answers if isinstance(one, ComparisonAnswer))
    table = matrix_table(first)
    assert table is not None
    assert [one.head for one in table.columns] == ["sides", "metric", "gateway direct", "gateway apisix"]
    rows = {row[:2]: row[2:] for row in table.rows}
    assert rows["post against post-redis", "max latency"] == ("2.69x faster (n = 1)", "1.22x slower (n = 1)")
    table = matrix_table(second)
    assert table is not None
    assert [one.head for one in table.columns][1:] == ["endpoint post-redis", "endpoint post-marshal", "endpoint post"]
    assert matrix_table(decided()) is None, "benchmarks are rows, not columns"


def test_geometric_means_have_no_ratio_where_there_is_a_zero() -> None:
    """Allocations from 0: the mean of ratios is none."""
    table = geomeans_table([decided()])
    assert table is not None
    told = {row[2]: row[3:] for row in table.rows}
    assert told["time per operation"][2:] == ("1.03x faster", "4")
    assert told["allocations per operation"] == ("–", "1.41 allocs/op", "no ratio: a median is 0", "2")
    assert geomeans_table([make_answer(decided().rows[:1])]) is None


def test_a_mean_that_is_none_leaves_the_mean_of_ratios() -> None:
    """As benchstat: memory of lplex has medians of 0 on both sides, where nothing against nothing is no change."""
    _, answers = shipped("lplex")
    table = geomeans_table([one for one in answers if isinstance(one, ComparisonAnswer)])
    assert table is not None
    told = {row[2]: row[3:6] for row in table.rows}
    assert told["memory per operation"] == ("–", "–", "1.02x more")


def test_a_column_is_written_in_one_style() -> None:
    """Factors beside factors, also where an interval holds 1; no p value of nothing."""
    crossing = make_row(
        "Wide", [one * 1e-6 for one in TEN], [one * 1.01e-6 for one in (0.9, 1.12, 0.95, 1.05, 1.0, 1.1, 0.93, 1.02)]
    )
    answer = make_answer([*decided().rows, crossing])
    table = comparison_table(answer)
    heads = [one.head for one in table.columns]
    for row in table.rows:
        assert "%" not in row[heads.index("change")]
        ends = str(row[heads.index("interval of the change")]).replace("\u00a0", " ").removeprefix("95 %: ")
        assert "%" not in ends
    (wide,) = (row for row in table.rows if row[0] == "Wide")
    # On two lines, where there is no room for one.
    ends = str(wide[heads.index("interval of the change")])
    assert re.fullmatch(r"95\u00a0%:\u00a01\.\d\dx\u00a0faster to\u00a01\.\d\dx\u00a0slower", ends)
    tiny = answer.rows[0]._replace(adjusted_pvalue=0.0001)
    table = comparison_table(make_answer([tiny]))
    assert table.rows[0][[one.head for one in table.columns].index("p adjusted")] == "<0.001"
    readings = readings_table(controlled())
    assert readings is not None
    assert "%" not in " ".join(cell for row in readings.rows for cell in row)


def test_a_table_of_one_metric_names_it_once() -> None:
    """In its caption, so that change and verdict come right after the name."""
    table = comparison_table(few())
    assert table.caption == "new against old, time per operation, n = 3 each"
    assert [one.head for one in table.columns][:3] == ["benchmark", "change", "verdict"]


def test_each_side_says_where_it_comes_from() -> None:
    """Files, machine and how many values."""
    table = sides_table(drifted())
    assert table.rows[0] == ("old", "old.txt", "AMD EPYC", "linux", "amd64", "300")


# drift, percentiles, pairs, interactions, repeatability


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("interleaved", "old and new were recorded in turn: what the machine did, it did to all of them."),
        ("sequential", "old and new were recorded one after the other: what the machine did in between looks like"),
        ("unknown", "In which order old and new were recorded is not known: a machine that changed in between"),
    ],
)
def test_the_order_of_recording_is_told(order: Any, said: str) -> None:
    """And what it means."""
    assert order_words(replace(decided(), order=order)).startswith(said)


def test_where_the_order_is_a_caveat_the_caveat_says_it() -> None:
    """Once, with its advice; repeats on the spot show no drift, which is said in place of a figure."""
    section = comparison_study.drift([drifted()])
    told = words(section)
    assert told.count("recorded one after the other: a change of the machine") == 1
    assert "In which order" not in told
    assert charts(section) == 0
    assert "The repeats of a row were taken one right after the other" in told
    assert "lines that wander together" not in told


def test_rounds_are_drawn_in_the_order_of_recording() -> None:
    """Values of rows that were repeated all along the recording, controls as hollow marks."""
    section = comparison_study.drift([controlled()])
    assert charts(section) == 1
    told = words(section)
    assert "Every row was repeated all along the recording" in told
    assert "Hollow marks: controls" in told
    assert "one right after the other" not in told


def test_signs_of_drift_are_told_beside_the_figure() -> None:
    """A trend of the values themselves."""
    trending = replace(decided(), caveats=(caveat("trend-in-run", "4 of 4 samples rise during new"),))
    assert "4 of 4 samples rise during new" in words(comparison_study.drift([trending]))


def test_percentiles_are_told_from_the_middle_to_the_tail() -> None:
    """A cache that is faster in the middle and slower at the end."""
    told = words(comparison_study.percentiles(shipped("heavy-read-api-published")[1]))
    assert (
        "gateway apisix, post against post-redis: 1.15x faster at p50, no different (1.00x) at p99 and 1.22x slower "
        "at max (n = 1)" in told
    )


def test_the_gateway_takes_the_advantage_of_the_cache() -> None:
    """In words, for both comparisons that it holds in."""
    told = words(comparison_study.interactions(shipped("heavy-read-api-published")[1]))
    assert (
        "From gateway direct to apisix, post against post-redis goes from 1.41x faster to 1.15x faster in p50 latency"
        in told
    )


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


def test_levels_named_are_one_comparison() -> None:
    """In place of those that the study asks for."""
    opened = comparison_study.open_comparison(
        "data/heavy-read-api-published", column="gateway", baseline="direct", metric="throughput"
    )
    (answer,) = benchlib.compare_study(opened)
    assert isinstance(answer, ComparisonAnswer)
    assert {row.metric for row in answer.rows} == {"throughput"}


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
