"""Tables of benchstat from a frame: cells, comparisons, geometric means, warnings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pytest

from benchlib.answers.benchstat import Table, benchstat_tables, printed_pvalues
from benchlib.results import Series
from benchlib.statistics.ranks import mann_whitney_rows

TEN = [10.0, 11, 12, 13, 14, 15, 16, 17, 18, 19]


def frame_of(sides: Mapping[str, Mapping[str, Sequence[float]]], unit: str = "B/op") -> pd.DataFrame:
    rows = [
        {"name": name, "run": run, "metric": "memory", "unit": unit, "original_unit": unit, "value": value}
        for run, benchmarks in sides.items()
        for name, values in benchmarks.items()
        for value in values
    ]
    return pd.DataFrame(rows)


def table_of(sides: Mapping[str, Mapping[str, Sequence[float]]], **options: float) -> Table:
    [found] = benchstat_tables(frame_of(sides), **options).tables
    return found


def test_a_cell_is_the_median_with_order_statistics() -> None:
    """n = 10: the second and the ninth value, as benchmath says."""
    found = table_of({"old": {"A": TEN}})
    assert (found.centre[0, 0], found.low[0, 0], found.high[0, 0], found.n[0, 0]) == (14.5, 11, 18, 10)


def test_cells_that_are_missing_are_empty_and_told() -> None:
    """A column without a benchmark of the baseline has no comparable mean."""
    found = table_of({"old": {"A": TEN, "B": TEN}, "new": {"B": TEN, "C": TEN}})
    assert found.n.tolist() == [[10, 0], [10, 10], [0, 10]]
    assert np.isnan(found.pvalue).tolist() == [[True, True], [True, False], [True, True]]
    assert found.summaries[1].ratio == 1
    assert found.summaries[1].warnings == ("benchmark set differs from baseline; geomeans may not be comparable",)


def test_the_ratio_is_the_mean_of_ratios() -> None:
    """0 over 0 is 1; what came from 0 has none, and a fall to 0 has no logarithm."""
    old = {"A": [2.0] * 6, "B": [0.0] * 6}
    assert table_of({"old": old, "new": {"A": [8.0] * 6, "B": [0.0] * 6}}).summaries[1].ratio == 2
    rose = table_of({"old": old, "new": {"A": [8.0] * 6, "B": [1.0] * 6}}).summaries[1]
    assert math.isnan(rose.ratio)
    assert rose.warnings == ()
    fell = table_of({"old": {"A": [2.0] * 6}, "new": {"A": [0.0] * 6}}).summaries[1]
    assert fell.warnings == ("summaries must be >0 to compute geomean", "ratios must be >0 to compute geomean")


def test_few_values_are_told_with_how_many_it_takes() -> None:
    """At the levels asked for; benchstat looks at 50 and at 9 values at most."""
    sides = {"old": {"A": [1.0, 2.0]}, "new": {"A": [3.0, 4.0]}}
    usual = table_of(sides)
    assert usual.warnings[0, 0] == ("need >= 6 samples for confidence interval at level 0.95",)
    assert usual.change_warnings == {(0, 1): ("need >= 4 samples to detect a difference at alpha level 0.05",)}
    strict = table_of(sides, significance_level=1e-6, confidence_level=1.0)
    assert strict.warnings[0, 1] == ("need > 50 samples for confidence interval at level 1",)
    assert strict.change_warnings[0, 1] == ("need > 10 samples to detect a difference at alpha level 1e-06",)
    assert table_of(sides, significance_level=1.0).change_warnings == {}


def test_equal_values_are_told_and_not_tested() -> None:
    """A p value of 1, whatever n."""
    found = table_of({"old": {"A": [7.0] * 3}, "new": {"A": [7.0] * 60}})
    assert found.pvalue[0, 1] == 1
    assert found.change_warnings[0, 1] == ("all samples are equal",)


def test_exact_units_are_not_tested() -> None:
    """The commonest value stands for all, the smallest of equals; a p value of 0 shows every change."""
    said = Series(kind="unit", name="B/op", source="a.txt", line=1, data=(("assume", "exact"),))
    sides = {"old": {"A": [5.0, 7, 7, 5]}, "new": {"A": [6.0]}}
    [found] = benchstat_tables(frame_of(sides), series=[said]).tables
    assert (found.exact, found.centre.tolist(), found.pvalue[0, 1]) == (True, [[5, 6]], 0)
    assert (found.low[0, 0], found.high[0, 0]) == (5, 7)
    assert found.warnings == {(0, 0): ("exact distribution expected, but values range from 5 to 7",)}


def test_what_is_said_first_of_a_unit_holds() -> None:
    """Metadata does not end with its file."""
    words = ("nothing", "exact")
    said = [Series(kind="unit", name="B/op", source="a.txt", line=1, data=(("assume", one),)) for one in words]
    [found] = benchstat_tables(frame_of({"old": {"A": TEN}}), series=said).tables
    assert not found.exact


def test_cells_that_pool_what_differs_are_told() -> None:
    """Which key differs, of those that no projection names."""
    frame = frame_of({"old": {"A/x=1": TEN, "A/x=2": TEN, "B": TEN}}).assign(pkg=["p"] * 15 + ["q"] * 15)
    [found] = benchstat_tables(frame, row=".name", table="").tables
    assert found.warnings == {(0, 0): ("benchmarks vary in pkg, .fullname",)}
    [ignored] = benchstat_tables(frame, row=".name", table="", ignore=".fullname,pkg").tables
    assert ignored.warnings == {}


def test_tables_stand_by_configuration_and_then_by_unit_as_first_seen() -> None:
    """Values of a key of ``.config`` stand by letter, whatever comes first: so they do in benchstat."""
    parts = [
        frame_of({"old": {"A": TEN}}, unit=unit).assign(pkg=pkg) for pkg in ("b", "a") for unit in ("y/op", "x/op")
    ]
    found = benchstat_tables(pd.concat(parts)).tables
    assert [(one.keys, one.unit) for one in found] == [
        (("a",), "memory-y/op"), (("a",), "memory-x/op"), (("b",), "memory-y/op"), (("b",), "memory-x/op"),
    ]  # fmt: skip


def pvalue(first: Sequence[float], second: Sequence[float], level: float = 0.05) -> float:
    return float(printed_pvalues(np.asarray([first], dtype=float), np.asarray([second], dtype=float), level)[0])


def test_a_pvalue_at_the_level_is_rounded_as_benchstat_rounds_it() -> None:
    """3 against 3 reach 0.1 and a bit: at 0.1 benchstat finds no difference."""
    assert pvalue([1, 2, 3], [4, 5, 6], 0.1) == 0.10000000000000002
    assert mann_whitney_rows(np.array([[1, 2, 3]]), np.array([[4, 5, 6]]))[0][0] == 0.1


def test_a_doubled_tail_may_be_more_than_1() -> None:
    """Ties, sides of different n, and the baseline's U in the heavy tail; benchstat prints p=1.143."""
    assert pvalue([345] * 3, [345] * 3 + [690]) == pytest.approx(8 / 7, rel=1e-14)


def test_a_u_that_the_baseline_cannot_reach() -> None:
    """Benchstat prints p=1.020 of 24 values, one of them larger, against 25 equal ones: the right one is 0.980."""
    assert pvalue([2440] * 23 + [4882], [2440] * 25) == pytest.approx(2 * 25 / 49, rel=1e-12)
    assert pvalue([2440] * 25, [2440] * 23 + [4882]) == pytest.approx(2 * 24 / 49, rel=1e-12)


def test_far_in_the_tail_one_direction_has_a_pvalue_of_0() -> None:
    """60 values against 60 below them: 1 - 1 is 0, which benchstat does not print; the other way it is 2e-21."""
    low, high = list(range(60)), list(range(100, 160))
    assert pvalue(high, low) == 0
    assert 0 < pvalue(low, high) < 1e-20
