"""Ratios of cells and their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from benchlib.effects.cells import Cell, build_cells
from benchlib.effects.cells import Contrast, estimate_ratio, t_interval, welch


def cells_of(*samples: list[float]) -> tuple[Cell, ...]:
    places = np.repeat(np.arange(len(samples)), [len(one) for one in samples])
    return build_cells({"place": places}, np.concatenate(samples), unit="sec").cells


def pairs(cells: tuple[Cell, ...]) -> list[Contrast]:
    return [Contrast(over=(top,), under=(bottom,)) for bottom, top in zip(cells[::2], cells[1::2], strict=True)]


def test_one_pair_is_welch_on_logarithms() -> None:
    """One pair of cells: the interval is SciPy's Welch interval of the difference of mean logarithms."""
    before, after = [1.0, 1.1, 0.95, 1.02], [2.0, 2.4, 1.9]
    found = estimate_ratio(pairs(cells_of(before, after)), 0.9)
    expected = stats.ttest_ind(np.log(after), np.log(before), equal_var=False).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx(np.exp([expected.low, expected.high]), rel=1e-12)
    assert found.value == pytest.approx(stats.gmean(after) / stats.gmean(before), rel=1e-12)
    assert (found.n, found.unit) == (7, "x")


def test_three_pairs_judge_each_other() -> None:
    """From three pairs on, their spread is the error, whatever the replicates within say."""
    ratios = np.array([2.0, 2.2, 1.9])
    cells = cells_of(*([1.0, 1.0] if place % 2 == 0 else [ratios[place // 2]] * 2 for place in range(6)))
    found = estimate_ratio(pairs(cells), 0.95)
    reach = stats.t.ppf(0.975, 2) * np.log(ratios).std(ddof=1) / np.sqrt(3)
    assert (found.low, found.high) == pytest.approx(
        np.exp(np.log(ratios).mean() + np.array([-reach, reach])), rel=1e-12
    )


def test_two_pairs_use_replicates_where_there_are_any() -> None:
    """Two pairs repeated give a Welch interval; two pairs of single values have one degree of freedom."""
    repeated = estimate_ratio(pairs(cells_of([1.0, 1.01], [2.0, 2.02], [1.0, 1.01], [2.1, 2.12])), 0.95)
    single = estimate_ratio(pairs(cells_of([1.0], [2.0], [1.0], [2.1])), 0.95)
    assert repeated.high / repeated.low < 1.05 < single.high / single.low
    assert single.method.startswith("geometric mean of 2 matched ratios")


def test_one_pair_of_single_values_has_no_interval() -> None:
    found = estimate_ratio(pairs(cells_of([1.0], [2.0])), 0.95)
    assert (found.value, found.has_interval, found.method) == (2.0, False, "ratio of single values")


def test_values_that_never_vary() -> None:
    """Counts that repeat exactly are known exactly."""
    found = estimate_ratio(pairs(cells_of([4.0, 4.0], [8.0, 8.0])), 0.95)
    assert (found.value, found.low, found.high) == pytest.approx((2.0, 2.0, 2.0), rel=1e-15)


def test_unit_and_level() -> None:
    """A ratio has no unit; a higher level is wider."""
    samples = ([1.0, 1.1, 0.9], [2.0, 2.3, 2.1])
    one = estimate_ratio(pairs(cells_of(*samples)), 0.95)
    other = estimate_ratio(pairs(cells_of(*([1e9 * value for value in sample] for sample in samples))), 0.95)
    assert (other.value, other.low, other.high) == pytest.approx((one.value, one.low, one.high), rel=1e-12)
    wider = estimate_ratio(pairs(cells_of(*samples)), 0.99)
    assert wider.low < one.low < one.high < wider.high


def test_tiny_variances_do_not_underflow() -> None:
    error, degrees = welch([1e-200, 1e-200], [3, 3])
    assert (error, degrees) == pytest.approx((np.sqrt(2e-200), 6.0))
    assert welch([0.0, 0.0], [3, 4]) == (0.0, 7)
    assert t_interval(1.0, float("nan"), 5, 0.95) == (-np.inf, np.inf)
