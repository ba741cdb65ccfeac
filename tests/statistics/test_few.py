"""Intervals of a few replicates: Student's t on logarithms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchlib.errors import DataError
from benchlib.statistics.samples import median_of_few, ratio_of_few, summarise

VALUES = st.lists(st.floats(1e-9, 1e9), min_size=2, max_size=5)


@given(before=VALUES, after=VALUES)
def test_the_ratio_has_welchs_interval(before: list[float], after: list[float]) -> None:
    """SciPy's Welch interval of the mean logarithms, widened to hold the ratio of medians."""
    found = ratio_of_few(before, after)
    assert found.low <= found.value <= found.high
    # SciPy warns of values that are nearly the same.
    if min(np.ptp(np.log(before)), np.ptp(np.log(after))) > 1e-6:
        told = stats.ttest_ind(np.log(after), np.log(before), equal_var=False).confidence_interval(0.95)
        with np.errstate(over="ignore"):
            assert found.low == pytest.approx(min(np.exp(told.low), found.value), rel=1e-6)
            assert found.high == pytest.approx(max(np.exp(told.high), found.value), rel=1e-6)


@given(values=st.lists(st.floats(1e-9, 1e9), min_size=6, max_size=20))
def test_from_six_values_on_order_statistics_decide(values: list[float]) -> None:
    """Nothing is assumed where nothing has to be."""
    assert median_of_few(values, "sec") == summarise(values, unit="sec").median


def test_what_has_no_logarithm_has_no_interval() -> None:
    """Zeros among few values leave the median as it is; as a side of a ratio they are refused."""
    assert not median_of_few([0, 1, 2], "op").has_interval
    assert not median_of_few([3.0], "op").has_interval
    with pytest.raises(DataError, match="only values above 0 have a ratio"):
        ratio_of_few([0, 1], [1, 2])


def test_one_value_a_side_bounds_nothing() -> None:
    """The ratio is told, and that nothing is known of it."""
    found = ratio_of_few([2.0], [4.0, 4.1])
    assert (found.value, found.low, found.high) == (pytest.approx(2.025), -math.inf, math.inf)


def test_the_interval_covers_what_it_claims() -> None:
    """Of 2,000 pairs of three values with 10 % noise, 95 % hold the true ratio of 1.3, give or take 1.5."""
    random = np.random.default_rng(7)
    held = 0
    for _ in range(2000):
        found = ratio_of_few(np.exp(random.normal(0, 0.1, 3)), 1.3 * np.exp(random.normal(0, 0.1, 3)))
        held += found.low <= 1.3 <= found.high
    assert 0.935 <= held / 2000 <= 0.985
