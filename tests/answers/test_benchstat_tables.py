"""Tables of benchstat from a frame: cells, comparisons, geometric means, warnings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pytest

from benchlib.answers.benchstat import Table, benchstat_tables, printed_pvalues
from benchlib.statistics.ranks import mann_whitney_rows


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
