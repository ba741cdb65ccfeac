"""Changes side by side, where more than two runs are compared: the verdicts of the rows, and no row left out."""

from __future__ import annotations

import re

import pytest

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.cli.compare_blocks import matrices, tell
from benchlib.cli.compare_text import comparison_text
from tests.comparison_answers import ALSO, around, make_answer, make_row

#: Old and new centre, and the cell it makes beside a verdict of its own.
CENTRES = {
    "worse": (1.0, 1.5, "1.50x slower: worse"),
    "better": (1.0, 0.5, "2.00x faster: better"),
    "same": (1.0, 1.0, "same"),
}


def three_runs(rows: list[ComparisonRow]) -> ComparisonAnswer:
    """The same rows, of a second and of a third run against the first."""
    return make_answer([*rows, *(make_row("Encode", around(1.0), around(1.5), pair=("old", "third")) for _ in "1")])


def cells(answer: ComparisonAnswer) -> list[str]:
    return [cell for _, grid in matrices(answer, answer.rows) for row in grid.rows for cell in row]


@pytest.mark.parametrize("verdict", CENTRES)
def test_a_cell_has_the_verdict_of_its_row(verdict: str) -> None:
    """A change that is shown says better or worse; what is shown to have stayed is the same."""
    old, new, told = CENTRES[verdict]
    row = make_row("Encode", around(old), around(new, ALSO))
    assert row.verdict == verdict
    assert told in cells(three_runs([row]))


def test_one_value_a_side_cannot_tell_however_large_the_change() -> None:
    """As in the rows: what was measured stands with a mark that the title explains; what did not move has no factor."""
    pairs = (("Encode", 1.5), ("Decode", 1.001), ("Match", 1.0))
    rows = [make_row(name, [1.0], [new]) for name, new in pairs]
    answer = make_answer([*rows, make_row("Encode", [1.0], [2.0], pair=("old", "third"))])
    assert {row.verdict for row in answer.rows} == {"cannot tell"}
    [(title, grid)] = matrices(answer, answer.rows)
    assert title.endswith("each with its verdict; ? stands for cannot tell")
    assert [row[2:] for row in grid.rows] == [
        ("1.50x slower ?", "+0.1% ?", "cannot tell"),
        ("2.00x slower ?", "–", "–"),
    ]


def test_benchmarks_against_each_other_have_names() -> None:
    """Nothing is left to name a row but what it measures, and a column but that it holds changes."""
    rows = [
        make_row("x", around(1.0), around(1.5), metric=metric, unit=unit, pair=("Cold", "Warm"), key={})
        for metric, unit in (("time", "sec/op"), ("memory", "B/op"))
    ]
    answer = make_answer(rows, column="benchmark")
    [(_, grid)] = matrices(answer, answer.rows)
    assert grid.heads == ("", "", "change")
    assert [row[:2] for row in grid.rows] == [
        ("Warm against Cold", "time per operation"),
        ("Warm against Cold", "memory per operation"),
    ]
    told = tell([answer], []).comparisons[0]
    assert [(table.columns[0].head, table.columns[0].cells) for table in told.tables] == [
        ("metric", ("time per operation",)),
        ("metric", ("memory per operation",)),
    ]


@pytest.mark.parametrize(("case", "columns"), [("A", "places"), ("proof bulletproof, workers 1", "pairs")])
def test_what_does_not_fit_beside_each_other_stands_below(case: str, columns: str) -> None:
    """Long configurations are rows; no table is written as running text."""
    pairs = [("serial", "pool"), ("serial", "wide")]
    places = [f"{case}{place}" for place in range(2)]
    answer = make_answer(
        [make_row(place, around(1.0), around(1.5), pair=pair) for pair in pairs for place in places], name="executors"
    )
    [(_, grid)] = matrices(answer, answer.rows)
    told = [f"{candidate} against {baseline}" for baseline, candidate in pairs]
    assert grid.heads == (("", "", *places) if columns == "places" else ("", *told))
    above, _, _ = "\n".join(comparison_text(tell([answer], []))).partition("\npool against serial: time")
    assert len(above.partition("cannot tell\n")[2].strip("\n").splitlines()) == 1 + len(grid.rows)


def test_a_verdict_that_was_taken_back_is_none() -> None:
    """Interval and p value would do; the row cannot tell, and so the cell."""
    row = make_row("Encode", around(1.0), around(1.5), verdict="cannot tell", own="worse", reason="one of many")
    assert "1.50x slower ?" in cells(three_runs([row]))


def test_a_control_has_no_verdict() -> None:
    """It says so, as in its row."""
    row = make_row("Encode", around(1.0), around(1.5), verdict="cannot tell", reason="control", control=True)
    assert "1.50x slower: control" in cells(three_runs([row]))


def test_an_allocation_where_there_was_none_is_worse() -> None:
    """There is no factor: from which count to which."""
    row = make_row("Encode", (0.0,) * 10, (1.0,) * 10, metric="allocations", unit="allocs/op")
    assert "0 to 1: worse" in cells(three_runs([row]))


def test_a_metric_in_two_units_has_two_lines() -> None:
    """One name for seconds and for bytes hides neither."""
    rows = [
        make_row("Encode", around(1.0), around(new), metric="load", unit=unit, pair=("old", side))
        for side in ("new", "third")
        for unit, new in (("sec", 1.5), ("B", 3.0))
    ]
    answer = make_answer(rows)
    [(_, grid)] = matrices(answer, answer.rows)
    assert [(row[1], re.match(r"[\d.]+x", row[2])[0]) for row in grid.rows] == [  # type: ignore[index]
        ("load (s)", "1.50x"),
        ("load (B)", "3.00x"),
    ] * 2


def test_cells_and_rows_say_the_same() -> None:
    """Every verdict of the tables below stands as often in the matrix above, in its own word."""
    rows = [
        make_row(f"Case{place}", around(1.0), around(new, ALSO), pair=("old", side))
        for side in ("new", "third")
        for place, new in enumerate((1.5, 0.5, 1.0))
    ]
    text = "\n".join(comparison_text(tell([make_answer(rows)], [])))
    above, _, below = text.partition("\nnew against old: time per operation")
    for verdict in ("worse", "better", "same"):
        assert len(re.findall(rf"\b{verdict}\b", above.partition("changes side by side")[2])) == 2
        assert len(re.findall(rf"  {verdict}$", below, re.M)) == 2
