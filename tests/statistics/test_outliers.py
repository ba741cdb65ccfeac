"""Values far outside: what is found, and how often where there is nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.statistics.samples import FENCES, far_values


def test_a_far_value_is_counted_and_named() -> None:
    """Three times the others in one row, a third in the next, none in the last."""
    steady = [10.0, 10.1, 10.2, 10.1, 10.3]
    found = far_values([[*steady, 31.0], [*steady, 3.0], [*steady, 10.6]])
    assert found.count.tolist() == [1, 1, 0]
    assert found.farthest[:2] == pytest.approx([31.0 / 10.15, 3.0 / 10.1], rel=1e-3)
    assert (math.isnan(found.farthest[2]), found.tested) == (True, 3)


@pytest.mark.parametrize(
    "values",
    [
        [10.0, 10.001, 10.002, 10.001, 10.003, 10.9],  # 9 % away
        [5.0, 5.0, 5.0, 5.0, 5.0, 9.0],  # no middle half to measure by
        [0.0, 10.0, 10.1, 10.2, 10.1, 10.3],
        [10.0, 10.1, 10.2, 31.0],
    ],
)
def test_what_is_no_outlier(values: list[float]) -> None:
    """Near in what matters, rounded to one value, no logarithm, too few."""
    assert far_values([values]).count.tolist() == [0]


@pytest.mark.parametrize("rows", [20_000, pytest.param(300_000, marks=pytest.mark.heavy)])
@pytest.mark.parametrize("n", [5, 6, 7, 9, 10, 15, 17, 25, 50, 100])
def test_normal_samples_seldom_have_outliers(n: int, rows: int) -> None:
    """At most 1 of 1,000 (3 standard errors), each fence at the number of values where it begins."""
    draws = np.random.default_rng(n).normal(0, 0.2, (rows // max(1, n // 20), n))
    assert float((far_values(np.exp(draws)).count > 0).mean()) <= 0.001 + 3 * math.sqrt(0.001 / len(draws))


def test_fences_narrow_with_more_values() -> None:
    """Quartiles of more values are known better."""
    assert [ranges for _, ranges in FENCES] == sorted((ranges for _, ranges in FENCES), reverse=True)
    assert all(ranges > 3 for _, ranges in FENCES)


def test_tables_that_are_none_are_refused() -> None:
    """A flat array has no rows; NaN is no measurement. No rows at all are no fault."""
    with pytest.raises(DataError) as raised:
        far_values([1.0, 2.0])
    assert str(raised.value) == "samples have 1 dimensions; give a table, one sample a row"
    with pytest.raises(DataError) as raised:
        far_values([[1.0, math.nan]])
    assert str(raised.value) == "1 of 2 values are not finite; leave such rows out"
    assert far_values(np.empty((0, 10))).tested == 0
