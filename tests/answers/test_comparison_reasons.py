"""Why a row has no verdict: no known direction, or too few values for an interval, each said as what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow, compare, comparison_records
from benchlib.report.wording.comparison.verdict import detection_lines
from benchlib.report.wording.comparison.words import reason_lines
from tests.comparison_answers import around, make_row


def scattered(centre: float, n: int) -> list[float]:
    """Return n values within one percent of a centre, no two of up to eleven equal."""
    return [centre * (1 + 0.002 * (7 * one % 11 - 5)) for one in range(n)]


def recorded(folder: Path, name: str, factor: float, unit: str, n: int, heads: str = "") -> str:
    """Write a recording of one benchmark in one unit; return its path."""
    path = folder / f"{name}.txt"
    lines = (f"BenchmarkA 1 {one:.6g} {unit}\n" for one in scattered(100 * factor, n))
    path.write_text(heads + "".join(lines), encoding="utf-8")
    return str(path)


def one_row(
    folder: Path, *, unit: str = "goroutines", factor: float = 1.5, n: int = 8, heads: tuple[str, str] = ("", ""),
    **asked: float,
) -> tuple[ComparisonRow, ComparisonAnswer]:  # fmt: skip
    """Compare one row that a factor changed, recorded in turn."""
    old = recorded(folder, "old", 1.0, unit, n, heads[0])
    new = recorded(folder, "new", factor, unit, n, heads[1])
    found = compare(old, new, interleaved=True, **asked)  # type: ignore[arg-type]
    assert isinstance(found, ComparisonAnswer)
    [row] = found.rows
    return row, found


@pytest.mark.parametrize("factor", [1.5, 0.5])
def test_a_metric_without_a_direction_is_neither_better_nor_worse(tmp_path: Path, factor: float) -> None:
    """However far it moved; that it did is said, with the reason, and no more values are asked for."""
    row, answer = one_row(tmp_path, factor=factor)
    assert (row.better, row.verdict, row.own_verdict, row.reason) == (
        None,
        "cannot tell",
        "cannot tell",
        "no direction",
    )
    assert row.more is None
    assert detection_lines(answer.rows) == []
    [line] = reason_lines(answer)
    assert line.startswith("1 row (A): changed, but which way is better is not known")
    [record] = comparison_records([answer])
    assert record["better"] == ""


def test_standing_still_needs_no_direction(tmp_path: Path) -> None:
    """The same is the same."""
    row, _ = one_row(tmp_path, factor=1.0001, n=30)
    assert (row.verdict, row.reason) == ("same", "")


def test_what_did_not_change_enough_is_not_put_down_to_its_direction(tmp_path: Path) -> None:
    """A change whose interval holds what does not matter is that, and few values are few values."""
    assert one_row(tmp_path, factor=1.024)[0].reason == "smaller than matters"
    assert one_row(tmp_path, n=3)[0].reason == "too few values"


@pytest.mark.parametrize("heads", [("Unit goroutines better=lower\n", ""), ("", "Unit goroutines better=lower\n")])
def test_a_direction_that_a_file_tells_is_known(tmp_path: Path, heads: tuple[str, str]) -> None:
    """In either of the files."""
    row, answer = one_row(tmp_path, heads=heads)
    assert (row.better, row.verdict, row.reason) == ("lower", "worse", "")
    assert {one.better for one in answer.rows} == {"lower"}


@pytest.mark.parametrize("unit", ["ns/op", "goroutines"])
@pytest.mark.parametrize(
    ("n", "levels", "more"),
    [
        (3, {"significance_level": 0.2}, 1),  # 4 against 4 have an interval at 95 %
        (4, {"confidence_level": 0.99}, 1),  # 5 against 5 have one at 99 %
        (4, {"confidence_level": 0.9999}, 5),  # 9 against 9 have one at 99.99 %
    ],
)
def test_too_few_values_for_an_interval_say_so(
    tmp_path: Path, unit: str, n: int, levels: dict[str, float], more: int
) -> None:
    """The p value would do, but nothing bounds the change: that, and how many more bound it, whatever the direction."""
    row, answer = one_row(tmp_path, unit=unit, n=n, **levels)
    assert (row.verdict, row.reason, row.more) == ("cannot tell", "no interval", more)
    level = f"{100 * row.comparison.ratio.confidence_level:.4g} %"
    [line] = detection_lines(answer.rows)
    assert line == f"n = {n} each gives no interval of a change at {level}; run {more} more each"


def test_a_zero_among_many_values_takes_no_interval_away(tmp_path: Path) -> None:
    """The ratio has no bound then; the difference has, and the row is not said to have too few values."""
    texts = {"old": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "new": [5, 6, 7, 8, 9, 10, 11, 12, 13, 14]}
    for name, values in texts.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"BenchmarkA 1 {one} allocs/op\n" for one in values))
    found = compare(str(tmp_path / "old.txt"), str(tmp_path / "new.txt"), interleaved=True)
    assert isinstance(found, ComparisonAnswer)
    assert found.rows[0].reason != "no interval"


def test_an_interval_at_a_lower_level_does_not_hide_which_test_failed(tmp_path: Path) -> None:
    """At 60 % the interval is clear of 2 %, and the p value that the row differs by more than that is 0.2."""
    row, answer = one_row(tmp_path, unit="ns/op", factor=1.027, confidence_level=0.6)
    assert row.comparison.ratio.low > 1.02
    assert row.adjusted_pvalue <= 0.05 < row.beyond_pvalue
    assert (row.verdict, row.reason) == ("cannot tell", "not shown to exceed")
    [line] = reason_lines(answer)
    assert line == (
        "1 row (A): a change, but not shown to exceed 2 %: the p value of that, adjusted for all rows, is above 5 %; "
        "measure it again by itself"
    )


def test_a_drift_that_costs_little_is_not_worth_a_word() -> None:
    """11 % in place of 15 % is said, 14 % is not."""
    for steady, told in ((0.11, True), (0.14, False)):
        row = make_row(
            "A", around(1e-6), around(1e-6), verdict="cannot tell", detectable=0.15, steady_detectable=steady
        )
        [line] = detection_lines([row])
        assert ("had the machine not drifted" in line) is told
