"""Comparisons: what may be told as a difference, and what may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow, compare_study
from benchlib.answers.refusal import Refusal
from benchlib.study import Study
from tests.synthetic import SIX, around, go_text, make_study, make_table

RUNS = '[configuration]\npaths = ["{run}.txt"]\n'
OLD_NEW = RUNS + '[[compare]]\nname = "runs"\ncolumn = "run"\nbaseline = "old"\ncandidates = ["new"]\n'
KINDS = '[[compare]]\nname = "kinds"\ncolumn = "kind"\nbaseline = "a"\n'


def only(study: Study) -> ComparisonAnswer:
    """The one comparison of a study, answered."""
    (answer,) = compare_study(study)
    assert isinstance(answer, ComparisonAnswer)
    return answer


def timed(answer: ComparisonAnswer, benchmark: str = "") -> ComparisonRow:
    """Its row for time."""
    (found,) = (one for one in answer.rows if one.metric == "time" and benchmark in ("", one.key.get("benchmark")))
    return found


def codes(answer: ComparisonAnswer) -> set[str]:
    """Its caveats."""
    return {one.code for one in answer.caveats}


def test_a_clear_difference_is_told_with_its_evidence(tmp_path: Path) -> None:
    """Six repeats a side, a fifth faster: better, with a ratio, an interval and the lines behind it."""
    study = make_study(
        tmp_path,
        OLD_NEW,
        old=go_text({"Encode": around(100)}),
        new=go_text({"Encode": around(80)}),
    )
    row = timed(only(study))
    assert (row.baseline, row.candidate, row.verdict, row.noticeable) == ("old", "new", "better", True)
    assert row.comparison.ratio.value == pytest.approx(0.8)
    assert 0.75 < row.comparison.ratio.low <= 0.8 <= row.comparison.ratio.high < 0.85
    assert row.evidence.rows == ("new.txt:1-6", "old.txt:1-6")
    assert row.ratio_by_run == {}


def test_swapped_sides_swap_the_verdict(tmp_path: Path) -> None:
    """What was better is worse the other way round, by the inverse ratio."""
    study = make_study(
        tmp_path,
        OLD_NEW.replace('"old"', '"x"').replace('"new"', '"old"').replace('"x"', '"new"'),
        old=go_text({"Encode": around(100)}),
        new=go_text({"Encode": around(80)}),
    )
    row = timed(only(study))
    assert row.verdict == "worse"
    assert row.comparison.ratio.value == pytest.approx(1.25)


def test_without_repeats_a_small_difference_is_none(tmp_path: Path) -> None:
    """At n = 1, 3 % may be anything; 10 % may be told, with no verdict."""
    rows = [("B", "a", "time", 100, "ns/op"), ("B", "b", "time", 103, "ns/op"), ("B", "c", "time", 110, "ns/op")]
    answer = only(make_table(tmp_path, "benchmark kind metric value unit", rows, KINDS))
    found = {row.candidate: row for row in answer.rows}
    assert not found["b"].noticeable
    assert found["c"].noticeable
    assert {row.verdict for row in answer.rows} == {"cannot tell"}
    assert "cannot-detect" in codes(answer)


def test_what_runs_of_one_code_differ_by_is_no_difference(tmp_path: Path) -> None:
    """Where runs wander by 20 %, 10 % between two kinds is not told."""
    rows = [
        (run, "B", kind, "time", base * scale, "ns/op")
        for run, scale in (("r1", 1.0), ("r2", 1.2))
        for kind, base in (("a", 100), ("b", 110), ("c", 150))
    ]
    answer = only(make_table(tmp_path, "run benchmark kind metric value unit", rows, KINDS))
    found = {row.candidate: row for row in answer.rows}
    assert not found["b"].noticeable
    assert found["c"].noticeable
    assert found["c"].ratio_by_run == pytest.approx({"r1": 1.5, "r2": 1.5})


@pytest.mark.parametrize(("factor", "noticeable"), [(1.03, True), (1.0005, False)])
def test_with_an_interval_the_interval_decides(tmp_path: Path, factor: float, noticeable: bool) -> None:
    """3 % shows among repeats that scatter by 1 %; less than their scatter does not."""
    rows = [
        ("B", kind, "time", value, "ns/op")
        for kind, centre in (("a", 100.0), ("b", 100.0 * factor))
        for value in around(centre)
    ]
    answer = only(make_table(tmp_path, "benchmark kind metric value unit", rows, KINDS))
    assert timed(answer).comparison.ratio.has_interval
    assert timed(answer).noticeable is noticeable


def test_a_first_allocation_is_noticeable(tmp_path: Path) -> None:
    """From 0 to 1 there is no ratio, and yet a difference."""
    study = make_study(
        tmp_path,
        OLD_NEW,
        old=go_text({"Encode": [100]}, allocations=0),
        new=go_text({"Encode": [100]}, allocations=1),
    )
    (row,) = (one for one in only(study).rows if one.metric == "allocations")
    assert row.noticeable
    assert row.comparison.difference.value == 1


CONTROLLED = OLD_NEW + 'controls = ["pkg=*/filter"]\n'


def drifted(folder: Path, sequential: str, drift: float) -> ComparisonAnswer:
    """A package that changed beside three controls, all of them moved by a drift."""
    names = ("A", "B", "C")
    for run, factor in (("old", 1.0), ("new", drift)):
        text = go_text({"Changed": around(100 * factor * (2 if run == "new" else 1))}, package="x/core")
        text += go_text({one: around(50 * factor) for one in names}, package="x/filter")
        (folder / f"{run}.txt").write_text(text, encoding="utf-8")
    return only(make_study(folder, CONTROLLED + (f"sequential = {sequential}\n" if sequential else "")))


def test_no_verdict_on_time_where_controls_moved_between_recordings(tmp_path: Path) -> None:
    """Old first, then new, and what cannot have changed is 30 % slower: the machine alone may have made it."""
    answer = drifted(tmp_path, "true", 1.3)
    assert timed(answer, "Changed").verdict == "cannot tell"
    assert {"controls-moved", "sequential-runs"} <= codes(answer)
    assert answer.control is not None
    (said,) = (one.message for one in answer.caveats if one.code == "controls-moved")
    assert "3 of 3 benchmarks" in said
    assert "1.30x in the middle" in said


def test_interleaved_recordings_keep_their_verdict(tmp_path: Path) -> None:
    """Moved controls are still said, but a verdict stands."""
    answer = drifted(tmp_path, "false", 1.3)
    assert timed(answer, "Changed").verdict == "worse"
    assert "controls-moved" in codes(answer)
    assert "sequential-runs" not in codes(answer)


def test_still_controls_let_the_verdict_stand(tmp_path: Path) -> None:
    """One after the other, but nothing drifted."""
    answer = drifted(tmp_path, "true", 1.0)
    assert timed(answer, "Changed").verdict == "worse"
    assert "controls-moved" not in codes(answer)
    assert "sequential-runs" in codes(answer)


def test_controls_are_marked(tmp_path: Path) -> None:
    """Only the rows that the study names."""
    answer = drifted(tmp_path, "", 1.0)
    assert {row.key["benchmark"] for row in answer.rows if row.control} == {"A", "B", "C"}


def test_what_one_side_lacks_is_said(tmp_path: Path) -> None:
    """A new benchmark has nothing to be held against."""
    study = make_study(
        tmp_path,
        OLD_NEW,
        old=go_text({"Encode": [100]}),
        new=go_text({"Encode": [100], "Added": [5]}),
    )
    answer = only(study)
    assert answer.missing == ("Added only in new",)
    assert {row.key.get("benchmark", "Encode") for row in answer.rows} == {"Encode"}
    (said,) = (one for one in answer.caveats if one.code == "one-sided-rows")
    assert "Added only in new" in said.message


def test_a_cell_that_mixes_an_axis_is_said(tmp_path: Path) -> None:
    """Asked for rows by benchmark alone, bits are pooled: the caveat names them."""
    rows = [("B", bits, kind, "time", bits, "ns/op") for bits in (32, 64) for kind in ("a", "b")]
    definition = KINDS + 'by = ["benchmark"]\n'
    answer = only(make_table(tmp_path, "benchmark bits kind metric value unit", rows, definition))
    (said,) = (one for one in answer.caveats if one.code == "residue")
    assert "bits" in said.message
    assert said.message.startswith("kinds: ")


def test_without_by_every_axis_makes_rows(tmp_path: Path) -> None:
    """Nothing is pooled that nobody asked to pool."""
    rows = [("B", bits, kind, "time", bits, "ns/op") for bits in (32, 64) for kind in ("a", "b")]
    answer = only(make_table(tmp_path, "benchmark bits kind metric value unit", rows, KINDS))
    assert [row.key["bits"] for row in answer.rows] == [32, 64]
    assert "residue" not in codes(answer)


def test_several_baselines_are_not_held_against_each_other_twice(tmp_path: Path) -> None:
    """a and b as baselines of everything: a-b once, and c against both."""
    rows = [("B", kind, "time", 100, "ns/op") for kind in ("a", "b", "c")]
    definition = KINDS.replace('baseline = "a"', 'baseline = ["a", "b"]')
    answer = only(make_table(tmp_path, "benchmark kind metric value unit", rows, definition))
    assert [(row.baseline, row.candidate) for row in answer.rows] == [("a", "b"), ("a", "c"), ("b", "c")]


def test_luck_among_many_rows_is_no_verdict(tmp_path: Path) -> None:
    """One p of 0.04 among twenty equal rows is adjusted away (Benjamini and Hochberg)."""
    barely = [0.998, 0.999, 1.003, 1.004, 1.006, 1.008]
    old = {f"Same{one}": around(100) for one in range(20)} | {"Lucky": around(100, barely)}
    new = {f"Same{one}": around(100, SIX[::-1]) for one in range(20)} | {
        "Lucky": [100.35, 100.65, 100.7, 101.0, 101.1, 101.2]
    }
    answer = only(make_study(tmp_path, OLD_NEW, old=go_text(old), new=go_text(new)))
    row = timed(answer, "Lucky")
    assert row.comparison.pvalue < 0.05 < row.adjusted_pvalue
    assert row.verdict == "cannot tell"


def test_a_level_narrowed_away_is_refused_in_one_line(tmp_path: Path) -> None:
    """The reason names the baseline that is gone and what is there."""
    study = make_study(
        tmp_path,
        OLD_NEW,
        "run=new",
        old=go_text({"Encode": [100]}),
        new=go_text({"Encode": [100]}),
    )
    (answer,) = compare_study(study)
    assert isinstance(answer, Refusal)
    assert "\n" not in answer.reason
    assert "old" in answer.reason
    assert "there are new" in answer.reason


def test_sides_that_share_nothing_are_refused(tmp_path: Path) -> None:
    """Two files of different benchmarks are no comparison."""
    study = make_study(tmp_path, OLD_NEW, old=go_text({"Encode": [100]}), new=go_text({"Decode": [100]}))
    (answer,) = compare_study(study)
    assert isinstance(answer, Refusal)
    assert "share no benchmark and metric" in answer.reason


def test_a_condition_that_selects_nothing_is_refused(tmp_path: Path) -> None:
    """The reason is that of the selection."""
    definition = OLD_NEW + 'where = "benchmark=Decode"\n'
    study = make_study(
        tmp_path,
        definition,
        "benchmark=Encode",
        old=go_text({"Encode": [100], "Decode": [3]}),
        new=go_text({"Encode": [100], "Decode": [3]}),
    )
    (answer,) = compare_study(study)
    assert isinstance(answer, Refusal)
    assert "selects no row" in answer.reason


def test_one_unlucky_control_does_not_silence_the_rest(tmp_path: Path) -> None:
    """Twenty quiet controls, one of them at p below 0.05 by luck, and a change of twice the time: it is told."""
    quiet = {f"C{one}": around(100, SIX[::-1]) for one in range(20)}
    unlucky = {"Unlucky": [100.35, 100.65, 100.7, 101.0, 101.1, 101.2]}
    lucky = {"Unlucky": around(100, [0.998, 0.999, 1.003, 1.004, 1.006, 1.008])}
    for run, controls, factor in (("old", {**quiet, **lucky}, 1.0), ("new", {**quiet, **unlucky}, 2.0)):
        text = go_text({"Changed": around(100 * factor)}, package="x/core") + go_text(controls, package="x/filter")
        (tmp_path / f"{run}.txt").write_text(text)
    answer = only(make_study(tmp_path, CONTROLLED + "sequential = true\n"))
    assert timed(answer, "Unlucky").comparison.pvalue < 0.05
    assert timed(answer, "Changed").verdict == "worse"
    assert "controls-moved" not in codes(answer)


def test_a_fixed_cost_over_fewer_operations_is_no_regression(tmp_path: Path) -> None:
    """The same bytes in total over a sixth of the operations: the machine was slower, not the code hungrier."""

    def text(operations: int, memory: int) -> str:
        return "".join(f"BenchmarkZip\t{operations + one}\t100 ns/op\t{memory} B/op\n" for one in range(6))

    study = make_study(tmp_path, OLD_NEW, old=text(600_000, 20), new=text(100_000, 120))
    answer = only(study)
    (row,) = (one for one in answer.rows if one.metric == "memory")
    assert row.amortised
    assert row.verdict == "cannot tell"
    assert "fixed-cost" in codes(answer)
    honest = make_study(tmp_path, OLD_NEW, old=text(600_000, 20), new=text(599_000, 120))
    (row,) = (one for one in only(honest).rows if one.metric == "memory")
    assert (row.amortised, row.verdict) == (False, "worse")
