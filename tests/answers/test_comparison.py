"""Comparisons: what may be told as a difference, and what may not."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from benchlib.answers.asking import Refusal
from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow, compare_study
from benchlib.study import Study
from tests.synthetic import SIX, around, go_text, make_study, make_table

RUNS = '[configuration]\npaths = ["{run}.txt"]\n'
OLD_NEW = RUNS + '[[compare]]\nname = "runs"\ncolumn = "run"\nbaseline = "old"\ncandidates = ["new"]\n'
KINDS = '[[compare]]\nname = "kinds"\ncolumn = "kind"\nbaseline = "a"\n'
CONTROLLED = OLD_NEW + 'controls = ["pkg=*/filter"]\n'
FIVE = (0.96, 0.98, 1.0, 1.02, 1.04)


#: Two sides whose p value is below 0.05 by luck.
LUCKY = (around(100, [0.998, 0.999, 1.003, 1.004, 1.006, 1.008]), [100.35, 100.65, 100.7, 101.0, 101.1, 101.2])


def only(study: Study, **asked: float) -> ComparisonAnswer:
    """The one comparison of a study, answered."""
    (answer,) = compare_study(study, **asked)
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
    old, new = (go_text({"Encode": around(centre)}) for centre in (100, 80))
    row = timed(only(make_study(tmp_path, OLD_NEW, old=old, new=new)))
    assert (row.baseline, row.candidate, row.verdict, row.noticeable) == ("old", "new", "better", True)
    assert row.comparison.ratio.value == pytest.approx(0.8)
    assert 0.75 < row.comparison.ratio.low <= 0.8 <= row.comparison.ratio.high < 0.85
    assert row.evidence.rows == ("new.txt:1-6", "old.txt:1-6")
    assert row.ratio_by_run == {}


def test_without_repeats_a_small_difference_is_none(tmp_path: Path) -> None:
    """At n = 1, 3 % may be anything; 10 % may be told, with no verdict."""
    rows = [("B", "a", "time", 100, "ns/op"), ("B", "b", "time", 103, "ns/op"), ("B", "c", "time", 110, "ns/op")]
    answer = only(make_table(tmp_path, "benchmark kind metric value unit", rows, KINDS))
    found = {row.candidate: row for row in answer.rows}
    assert not found["b"].noticeable
    assert found["c"].noticeable
    assert {row.verdict for row in answer.rows} == {"cannot tell"}
    assert "cannot-detect" in codes(answer)


def test_where_each_run_holds_both_sides_the_runs_decide_by_agreeing(tmp_path: Path) -> None:
    """Runs wander by 50 %, both sides alike: 10 % in each run is told; 25 % in one and none in another is not."""
    rows = [
        (run, "B", kind, "time", value * scale, "ns/op")
        for run, scale, disagreeing in (("r1", 1.0, 125), ("r2", 1.5, 98), ("r3", 1.2, 130))
        for kind, value in (("a", 100), ("b", 110), ("c", 104), ("d", disagreeing), ("e", 80))
    ]
    answer = only(make_table(tmp_path, "run benchmark kind metric value unit", rows, KINDS))
    found = {row.candidate: row for row in answer.rows}
    assert {kind: row.noticeable for kind, row in found.items()} == {"b": True, "c": False, "d": False, "e": True}
    assert {row.verdict for row in answer.rows} == {"cannot tell"}  # ratios alike to the last digit show no noise
    assert found["b"].ratio_by_run == pytest.approx({"r1": 1.1, "r2": 1.1, "r3": 1.1})


def test_what_runs_of_one_code_differ_by_is_no_difference(tmp_path: Path) -> None:
    """Where runs wander by 20 % and none holds both kinds, 10 % between these is not told."""
    rows = [
        (run, "B", kind, "time", value, "ns/op")
        for run, kind, value in (
            ("r1", "a", 100), ("r2", "a", 120), ("r3", "b", 110), ("r4", "b", 132), ("r5", "c", 150), ("r6", "c", 180),
        )
    ]  # fmt: skip
    answer = only(make_table(tmp_path, "run benchmark kind metric value unit", rows, KINDS))
    found = {row.candidate: row for row in answer.rows}
    assert not found["b"].noticeable
    assert found["c"].noticeable
    assert found["c"].ratio_by_run == {}


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


def drifted(folder: Path, sequential: str, drift: float) -> ComparisonAnswer:
    """A package that changed beside three controls, all of them moved by a drift."""
    old, new = (
        go_text({"Changed": around(100 * factor * change)}, package="x/core")
        + go_text({name: around(50 * factor) for name in "ABC"}, package="x/filter")
        for factor, change in ((1.0, 1), (drift, 2))
    )
    return only(make_study(folder, CONTROLLED + f"sequential = {sequential}\n", old=old, new=new))


@pytest.mark.parametrize(
    ("sequential", "drift", "verdict", "told"),
    [
        # Old first, then new, and what cannot have changed is 30 % slower: the machine alone may have made it.
        ("true", 1.3, "cannot tell", {"controls-moved", "sequential-runs"}),
        ("false", 1.3, "worse", {"controls-moved"}),
        ("true", 1.0, "worse", {"sequential-runs"}),
    ],
)
def test_controls_that_moved_between_recordings_take_the_verdict(
    tmp_path: Path, sequential: str, drift: float, verdict: str, told: set[str]
) -> None:
    """Recorded in turn, or beside controls that stood still, it stands."""
    answer = drifted(tmp_path, sequential, drift)
    row = timed(answer, "Changed")
    assert (row.own_verdict, row.verdict) == ("worse", verdict)
    assert row.reason == ("" if verdict == "worse" else "no control speaks for it")
    assert codes(answer) & {"controls-moved", "sequential-runs"} == told
    assert {row.key["benchmark"] for row in answer.rows if row.control} == {"A", "B", "C"}
    moved = 3 if drift > 1 else 0
    assert {(one.metric, one.rows, one.moved, one.judged) for one in answer.controls} == {("time", 3, moved, 0)}


def test_a_cell_that_mixes_an_axis_is_said(tmp_path: Path) -> None:
    """Asked for rows by benchmark alone, bits are pooled: the caveat names them."""
    rows = [("B", bits, kind, "time", bits, "ns/op") for bits in (32, 64) for kind in ("a", "b")]
    definition = KINDS + 'by = ["benchmark"]\n'
    answer = only(make_table(tmp_path, "benchmark bits kind metric value unit", rows, definition))
    (said,) = (one for one in answer.caveats if one.code == "residue")
    assert "bits" in said.message
    assert said.message.startswith("kinds: ")


def test_several_baselines_are_not_held_against_each_other_twice(tmp_path: Path) -> None:
    """a and b as baselines of everything: a-b once, and c against both."""
    rows = [("B", kind, "time", 100, "ns/op") for kind in ("a", "b", "c")]
    definition = KINDS.replace('baseline = "a"', 'baseline = ["a", "b"]')
    answer = only(make_table(tmp_path, "benchmark kind metric value unit", rows, definition))
    assert [(row.baseline, row.candidate) for row in answer.rows] == [("a", "b"), ("a", "c"), ("b", "c")]


def test_a_level_narrowed_away_is_refused_in_one_line(tmp_path: Path) -> None:
    """The reason names the baseline that is gone and what is there."""
    text = go_text({"Encode": [100]})
    (answer,) = compare_study(make_study(tmp_path, OLD_NEW, "run=new", old=text, new=f"{text}\n"))
    assert isinstance(answer, Refusal)
    assert answer.reason == "no result of run old; there are new"


def test_sides_that_share_nothing_are_refused(tmp_path: Path) -> None:
    """Two files of different benchmarks are no comparison."""
    study = make_study(tmp_path, OLD_NEW, old=go_text({"Encode": [100]}), new=go_text({"Decode": [100]}))
    (answer,) = compare_study(study)
    assert isinstance(answer, Refusal)
    assert answer.reason == (
        "the sides share no benchmark, metric and unit: old has Encode (time, sec/op), Encode (memory, B/op), "
        "Encode (allocations, allocs/op); new has Decode (time, sec/op), Decode (memory, B/op), "
        "Decode (allocations, allocs/op)"
    )


def test_one_unlucky_control_does_not_silence_the_rest(tmp_path: Path) -> None:
    """Twenty quiet controls, one of them at p below 0.05 by luck, and a change of twice the time: it is told."""
    quiet = {f"C{place}": around(100, SIX[::-1]) for place in range(20)}
    old, new = (
        go_text({"Changed": around(centre)}, package="x/core") + go_text({**quiet, "Unlucky": own}, package="x/filter")
        for centre, own in zip((100, 200), LUCKY, strict=True)
    )
    answer = only(make_study(tmp_path, CONTROLLED + "sequential = true\n", old=old, new=new))
    assert timed(answer, "Unlucky").comparison.pvalue < 0.05
    assert timed(answer, "Changed").verdict == "worse"
    assert "controls-moved" not in codes(answer)


@pytest.mark.parametrize(
    ("totals", "operations", "amortised"),
    [(1.19, 1.5, True), (1.21, 1.5, False), (1.0, 1.19, False), (1.0, 1.21, True), (1 / 1.19, 1 / 1.5, True)],
)
def test_totals_within_a_fifth_are_one_fixed_cost(
    tmp_path: Path, totals: float, operations: float, amortised: bool
) -> None:
    """Totals that differ by less than 20 % while the operations differ by more; else it is the code."""

    def text(operations: float, memory: float) -> str:
        return "".join(f"BenchmarkZip\t{operations:.0f}\t100 ns/op\t{memory:.4f} B/op\n" for _ in range(6))

    study = make_study(tmp_path, OLD_NEW, old=text(1e6, 1000), new=text(1e6 * operations, 1000 * totals / operations))
    answer = only(study)
    assert ("fixed-cost" in codes(answer)) is amortised
    (row,) = (one for one in answer.rows if one.metric == "memory")
    assert row.own_verdict in ("better", "worse")
    assert row.amortised is amortised
    assert row.reason == ("fixed cost" if amortised else "")


def test_nothing_against_nothing_is_no_change_on_average(tmp_path: Path) -> None:
    """0 to 0 allocations counts as 1, as benchstat has it: with 2 to 8 beside it the mean ratio is 2."""
    old, new = (
        go_text({"A": around(10)}, allocations=0) + go_text({"B": around(10)}, allocations=count) for count in (2, 8)
    )
    means = only(make_study(tmp_path, OLD_NEW, old=old, new=new)).geomeans
    (mean,) = (mean for mean in means if mean.metric == "allocations")
    assert (mean.rows, mean.ratio) == (2, pytest.approx(2.0))
    assert math.isnan(mean.baseline_mean)


def judged_by(folder: Path, control: str, *, drift: float, change: float) -> ComparisonAnswer:
    """Two changed benchmarks beside five controls whose times a drift scattered."""
    texts = {}
    for run, factor, more, scatter in (("old", 1.0, 1.0, [1.0] * 5), ("new", drift, change, FIVE)):
        controls = {f"C{place}": around(50 * factor * spread) for place, spread in enumerate(scatter)}
        changed = {name: around(100 * factor * more) for name in ("P", "Q")}
        texts[run] = go_text(controls, package="x/filter") + go_text(changed, package="x/core")
    return only(make_study(folder, OLD_NEW + f'controls = ["{control}"]\n', **texts))


@pytest.mark.parametrize(("change", "verdict"), [(1.0, "cannot tell"), (1.03, "cannot tell"), (2.0, "worse")])
def test_a_named_control_sets_what_a_change_has_to_exceed(tmp_path: Path, change: float, verdict: str) -> None:
    """All moved by 1.5x: a row that moved as the controls did says nothing, one that moved by 3x does."""
    row = timed(judged_by(tmp_path, "pkg=*/filter for pkg=*/core", drift=1.5, change=change), "P")
    assert (row.own_verdict, row.verdict) == ("worse", verdict)
    assert row.reason == ("" if verdict == "worse" else "within what controls did")
    assert row.against_controls is not None
    assert row.against_controls.value == pytest.approx(change, rel=0.02)
    assert row.against_controls.low < row.against_controls.value < row.against_controls.high


def moved_alike(folder: Path, number: int) -> ComparisonAnswer:
    """So many benchmarks, each a fifth slower, and one that stands still."""
    old, new = (
        go_text({**{f"B{place}": around(centre) for place in range(number)}, "Still": around(100)})
        for centre in (100, 120)
    )
    return only(make_study(folder, OLD_NEW, old=old, new=new))


def test_many_benchmarks_moving_one_way_say_the_machine(tmp_path: Path) -> None:
    """Eight of nine slower, none faster: no verdict on time; counts keep theirs."""
    answer = moved_alike(tmp_path, 8)
    assert {row.reason for row in answer.rows if row.metric == "time" and row.own_verdict == "worse"} == {
        "all rows moved alike"
    }
    assert {row.verdict for row in answer.rows if row.metric == "allocations"} == {"same"}
    (said,) = (one.message for one in answer.caveats if one.code == "all-moved-alike")
    assert "8 of 9 rows rose and 0 fell" in said
    (advice,) = (one.advice for one in answer.caveats if one.code == "all-moved-alike")
    assert "schedules/interleave.sh" in advice
    assert "--interleaved" in advice
    # Three of four slower is what a change does.
    assert timed(moved_alike(tmp_path, 3), "B0").verdict == "worse"


@pytest.mark.parametrize(("column", "reason"), [("commit", "all rows moved alike"), ("kind", "")])
def test_only_recordings_of_one_thing_are_doubted(tmp_path: Path, column: str, reason: str) -> None:
    """Nine rows, all slower: two commits may have met two machines; two kinds are two things."""
    rows = [
        (f"B{place}", level, "time", value, "ns/op")
        for place in range(9)
        for level, centre in (("a", 100.0), ("b", 120.0))
        for value in around(centre)
    ]
    study = make_table(tmp_path, f"benchmark {column} metric value unit", rows, KINDS.replace('"kind"', f'"{column}"'))
    assert {row.own_verdict for row in only(study).rows} == {"worse"}
    assert {row.reason for row in only(study).rows} == {reason}


def test_rows_that_moved_alike_are_counted_by_a_test_that_favours_no_tail(tmp_path: Path) -> None:
    """Nine rows of unequal sides with ties, which benchstat finds and the test does not, beside one clear change."""
    ties = {f"T{place}": [11.0, 11, 11, 11, 12, 12, 12, 12] for place in range(9)}
    study = make_study(
        tmp_path,
        OLD_NEW,
        old=go_text({**ties, "Changed": around(100)}),
        new=go_text({**{one: [10.0, 10, 11, 11] for one in ties}, "Changed": around(50)}),
    )
    answer = only(study)
    assert timed(answer, "T0").comparison.pvalue < 0.01
    assert {row.reason for row in answer.rows if row.metric == "time"} == {""}
    assert timed(answer, "Changed").verdict == "better"
    assert "all-moved-alike" not in codes(answer)


@pytest.mark.parametrize("by", ["", 'by = ["name"]\n'])
def test_rows_of_one_benchmark_count_as_rows(tmp_path: Path, by: str) -> None:
    """Twenty sizes, all slower: the machine or the code, however rows are made; recorded in turn it is the code."""
    old, new = (go_text({f"Encode/size={size}": around(centre) for size in range(20)}) for centre in (100, 120))
    for order, expected in (("", ("cannot tell", "all rows moved alike")), ("sequential = false\n", ("worse", ""))):
        answer = only(make_study(tmp_path, OLD_NEW + by + order, old=old, new=new))
        assert {(row.verdict, row.reason) for row in answer.rows if row.metric == "time"} == {expected}


def test_a_zero_among_many_leaves_a_verdict(tmp_path: Path) -> None:
    """One run of ten without an allocation: there is no ratio to it, and fifty against ten is more all the same."""
    old = "".join(go_text({"Encode": [100]}, allocations=count) for count in [0, *[10] * 9])
    new = go_text({"Encode": [100] * 10}, allocations=50)
    (row,) = (row for row in only(make_study(tmp_path, OLD_NEW, old=old, new=new)).rows if row.metric == "allocations")
    assert row.verdict == "worse"


def test_controls_on_a_numeric_axis_are_found(tmp_path: Path) -> None:
    """Also where some rows lack the axis, which makes its numbers fractions in the table."""
    names = {"A/size=4": around(100), "A/size=8": around(100), "B": around(100)}
    study = make_study(
        tmp_path, OLD_NEW + 'controls = ["size=4"]\n', old=go_text(names), new=go_text({**names, "B": around(150)})
    )
    assert {row.key.get("size") for row in only(study).rows if row.control} == {4}


def test_numbers_of_a_row_are_those_of_its_samples(tmp_path: Path) -> None:
    """What tables take from whole columns is what is behind the row when somebody looks."""
    answer = judged_by(tmp_path, "pkg=*/filter for pkg=*/core", drift=1.5, change=2.0)
    for row in answer.rows:
        both, against = row.comparison, row.against_controls
        for side, numbers in (
            (both.baseline, (row.baseline_n, row.baseline_median, row.baseline_low, row.baseline_high)),
            (both.candidate, (row.candidate_n, row.candidate_median, row.candidate_low, row.candidate_high)),
        ):
            assert numbers == (side.n, side.median.value, side.median.low, side.median.high)
        for estimate, shown in (
            (both.ratio, (row.ratio, row.ratio_low, row.ratio_high)),
            (both.difference, (row.difference, row.difference_low, row.difference_high)),
        ):
            assert shown == (estimate.value, estimate.low, estimate.high)
        assert (row.pvalue, row.smallest_pvalue) == (both.pvalue, both.smallest_pvalue)
        assert math.isnan(row.against) if against is None else row.against == against.value
        assert (row.baseline_n, row.candidate_n) == (len(row.baseline_values), len(row.candidate_values))
        assert [len(set(row.baseline_positions)), len(set(row.candidate_positions))] == [
            row.baseline_n,
            row.candidate_n,
        ]
