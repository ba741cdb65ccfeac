"""Quantiles of two samples, one over the other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchlib.errors import DataError
from benchlib.statistics.quantile_shift import quantile_ranks, quantile_shift
from benchlib.statistics.sample import median_ranks

SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)


def test_quantiles_are_those_of_numpy() -> None:
    """Type 7 of Hyndman and Fan, as numpy, R and spreadsheets take it by default."""
    old, new = [3.0, 1.0, 7.0, 4.0], [2.0, 8.0, 5.0]
    found = quantile_shift(old, new, SHARES)
    assert found.ratio == pytest.approx(np.quantile(new, SHARES) / np.quantile(old, SHARES))


@pytest.mark.parametrize(
    ("n", "share", "level", "ranks"),
    [
        (10, 0.5, 0.95, (2, 9)),
        (15, 0.5, 0.95, (4, 12)),
        (20, 0.5, 0.95, (6, 15)),
        (100, 0.9, 0.95, (84, 96)),
        (100, 0.1, 0.95, (5, 17)),
    ],
)
def test_ranks_leave_out_no_more_than_they_may(n: int, share: float, level: float, ranks: tuple[int, int]) -> None:
    """Symmetric in probability: neither end leaves out more than half of what may be left out."""
    low, high = quantile_ranks(n, share, level)
    assert (low, high) == ranks
    below = stats.binom(n, share)
    assert below.cdf(low - 1) <= (1 - level) / 2
    assert below.sf(high - 1) <= (1 - level) / 2
    # One rank further in would leave out too much.
    assert below.cdf(low) > (1 - level) / 2
    assert below.sf(high - 2) > (1 - level) / 2


@pytest.mark.parametrize("n", [6, 7, 9, 10, 12, 15, 20, 25, 30])
def test_the_median_has_the_ranks_of_benchstat(n: int) -> None:
    """Where those are symmetric: the interval drawn at 50 % is that of the median in the table."""
    known = median_ranks(n, 0.95)
    assert quantile_ranks(n, 0.5, 0.95) == (known.low, known.high)


def test_few_values_bound_no_quantile_of_the_tail() -> None:
    """Ten values bound the median and nothing far from it: the interval is without end there."""
    found = quantile_shift(range(1, 11), range(1, 11), [0.1, 0.5, 0.9])
    assert math.isfinite(found.high[1])
    assert (found.low[0], found.high[0], found.low[2], found.high[2]) == (0, math.inf, 0, math.inf)


@given(st.lists(st.floats(0.1, 1e3), min_size=1, max_size=40), st.floats(0.01, 100))
def test_a_factor_is_found_at_every_quantile(values: list[float], factor: float) -> None:
    """Scaling one side scales every ratio; the unit of both changes nothing; order does not matter."""
    found = quantile_shift(values, [factor * one for one in values], SHARES)
    assert found.ratio == pytest.approx([factor] * len(SHARES), rel=1e-9)
    assert all(
        low <= factor * (1 + 1e-9) and factor <= high * (1 + 1e-9)
        for low, high in zip(found.low, found.high, strict=True)
    )
    other = quantile_shift([1e3 * one for one in reversed(values)], [1e3 * factor * one for one in values], SHARES)
    assert other.ratio == pytest.approx(found.ratio, rel=1e-9)


def test_intervals_hold_the_true_ratio_as_often_as_they_say() -> None:
    """Log-normal samples of 40, true ratio 1.2 at every quantile: 95 % or more, each quantile by itself."""
    random = np.random.default_rng(6)
    held = np.zeros(3)
    for _ in range(400):
        old, new = np.exp(random.normal(0, 0.3, 40)), 1.2 * np.exp(random.normal(0, 0.3, 40))
        found = quantile_shift(old, new, (0.25, 0.5, 0.75))
        held += [low <= 1.2 <= high for low, high in zip(found.low, found.high, strict=True)]
    assert (held / 400 >= 0.95).all()


@pytest.mark.parametrize(
    ("old", "new", "shares", "message"),
    [
        ([], [1.0], [0.5], "the baseline holds no values; at least 1 is needed"),
        ([1.0], [0.0], [0.5], "a ratio of quantiles needs values above 0, got 0; leave such rows out"),
        ([1.0], [1.0], [90], "the share 90 is not between 0 and 1; write the 90th percentile as 0.9"),
    ],
)
def test_what_cannot_be_divided_is_refused(
    old: list[float], new: list[float], shares: list[float], message: str
) -> None:
    """One line: what was found, what to do."""
    with pytest.raises(DataError, match=r"^.*$") as raised:
        quantile_shift(old, new, shares)
    assert str(raised.value) == message
