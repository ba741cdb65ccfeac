"""Two modes and values far outside: what is found, and how often where there is nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.statistics.modes import FENCES, far_values, two_modes

TWO = [10.0, 10.1, 10.2, 10.15, 15.0, 15.1, 15.2, 15.1, 10.05, 15.3]


def test_two_groups_are_found_with_their_distance() -> None:
    """Half of the values 1.5x the others: geometric means apart, and the share above."""
    found = two_modes([TWO, np.linspace(10, 11, 10)])
    assert found.found.tolist() == [True, False]
    logs = np.log(np.sort(TWO))
    assert found.ratio[0] == pytest.approx(math.exp(logs[5:].mean() - logs[:5].mean()), rel=1e-12)
    assert (found.upper_share[0], found.tested) == (0.5, 2)


def test_groups_need_a_quarter_of_the_values_each() -> None:
    """One or two values apart are outliers, not a mode; three of ten are one."""
    steady = [10.0, 10.1, 10.2, 10.05, 10.15, 10.12, 10.03]
    assert not two_modes([[*steady, 10.07, 15.0, 15.1]]).found[0]
    found = two_modes([[*steady, 15.0, 15.1, 15.2]])
    assert found.found[0]
    assert found.upper_share[0] == pytest.approx(0.3)


@pytest.mark.parametrize(
    "values",
    [
        [100.0, 101.0] * 5,  # 1 % apart
        [3.0, 4.0] * 5,  # steps of a coarse clock
        [3.0, 3.0, 3.0, 3.01, 3.0, 4.0, 4.0, 4.0, 4.0, 4.0],  # three of them
        [5.0] * 10,
        [0.0, *TWO[1:]],
        [-1.0, *TWO[1:]],
        TWO[:7],  # too few
    ],
)
def test_what_is_no_mode(values: list[float]) -> None:
    """Groups near each other, rounded values, all equal, no logarithm, too few."""
    assert not two_modes([values]).found[0]


def test_modes_do_not_depend_on_order_or_unit() -> None:
    """Any order, any unit."""
    found = two_modes([TWO, TWO[::-1], [1e-9 * one for one in TWO]])
    assert found.found.all()
    assert found.ratio == pytest.approx(np.full(3, found.ratio[0]), rel=1e-9)


@pytest.mark.parametrize("rows", [20_000, pytest.param(200_000, marks=pytest.mark.heavy)])
@pytest.mark.parametrize("n", [8, 10, 16, 20, 30, 50])
def test_one_mode_is_seldom_taken_for_two(n: int, rows: int) -> None:
    """At most 1.6 of 1,000 uniform samples and 1 of 5,000 normal ones (3 standard errors)."""
    random = np.random.default_rng(n)
    for draws, rate in ((random.uniform(0, 0.5, (rows, n)), 0.0016), (random.normal(0, 0.1, (rows, n)), 0.0002)):
        assert float(two_modes(np.exp(draws)).found.mean()) <= rate + 3 * math.sqrt(rate / rows)


@pytest.mark.parametrize(("n", "apart", "least"), [(10, 11, 0.45), (20, 7, 0.6), (30, 7, 0.9)])
def test_two_modes_are_found_when_wide_apart(n: int, apart: float, least: float) -> None:
    """The power that the docstring states."""
    random = np.random.default_rng(n)
    draws = random.normal(0, 1, (4000, n)) + apart * (random.random((4000, n)) < 0.5)
    assert float(two_modes(np.exp(draws / 20)).found.mean()) >= least


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


@pytest.mark.parametrize("ask", [two_modes, far_values])
def test_tables_that_are_none_are_refused(ask: object) -> None:
    """A flat array has no rows; NaN is no measurement. No rows at all are no fault."""
    assert callable(ask)
    with pytest.raises(DataError) as raised:
        ask([1.0, 2.0])
    assert str(raised.value) == "samples have 1 dimensions; give a table, one sample a row"
    with pytest.raises(DataError) as raised:
        ask([[1.0, math.nan]])
    assert str(raised.value) == "1 of 2 values are not finite; leave such rows out"
    assert ask(np.empty((0, 10))).tested == 0
