"""Intervals cover what they claim: a seeded sample here, thousands in ``benchmarks/scaling_coverage.py``.

Nominal 95 % has to cover 93 to 97 %. With 200 runs the standard error of a coverage is 1.5 points, so the
quick version allows 90.5 to 99.5; what it catches is a wrong quantile, weight or bound, which costs 8 to 60.
"""

import math

import pytest

from tests.scaling.simulations import Count, Scenario, count_fits, count_own_weights

QUICK, MANY = 200, 3000
RUNS = [QUICK, pytest.param(MANY, marks=pytest.mark.heavy)]
ALL = ("rate_at_one", "contention", "coherency", "peak", "curve")


def assert_covers(counts: dict[str, Count], names: tuple[str, ...], runs: int, most: float = 0.97) -> None:
    slack = 0.0 if runs >= MANY else 0.025
    for name in names:
        assert counts[name].runs == runs
        assert 0.93 - slack <= counts[name].coverage <= min(1.0, most + slack), (name, counts[name])


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize(("noise", "weights"), [("multiplicative", "relative"), ("additive", "none")])
@pytest.mark.parametrize("peak", [44.0, 220.0])
def test_weights_that_match(noise: str, weights: str, peak: float, runs: int) -> None:
    """Parameters, peak and the mean curve at twice the largest N, for a peak inside and far beyond the data."""
    counts = count_fits(Scenario(noise=noise, weights=weights, peak=peak), range(runs), seed=1)
    assert_covers(counts, ALL, runs)


@pytest.mark.parametrize("runs", RUNS)
def test_data_on_the_bound(runs: int) -> None:
    """A true coherency of 0 is missed from above only: its limit, and that of the peak, cover at least 93 %."""
    counts = count_fits(Scenario(noise="multiplicative", weights="relative", peak=math.inf), range(runs), seed=2)
    assert_covers(counts, ("rate_at_one", "contention", "curve"), runs)
    assert_covers(counts, ("coherency", "peak"), runs, most=1.0)
    # About half of such fits end on the bound, or nothing of the sort was tested.
    assert 0.3 * runs < counts["bound"].runs < 0.7 * runs


@pytest.mark.heavy
def test_replicates_of_twenty() -> None:
    """Noise that differs between levels, weighed by the variance of 20 replicates each."""
    scenario = Scenario(noise="uneven", weights="replicates", peak=44.0, replicates=20)
    assert_covers(count_fits(scenario, range(MANY), seed=3), ALL, MANY)


def test_few_replicates_are_no_weights() -> None:
    """1/s² from 3 a level covers far less than it claims, and what benchlib does instead covers."""
    uneven = Scenario(noise="uneven", weights="replicates", peak=44.0, replicates=3)
    assert max(one.coverage for one in count_own_weights(uneven, range(QUICK), seed=4).values()) < 0.85
    even = Scenario(noise="multiplicative", weights="replicates", peak=44.0, replicates=3)
    assert_covers(count_fits(even, range(QUICK), seed=4), ALL, QUICK)


def test_the_wrong_weights_are_not_as_good() -> None:
    """Unweighted fits of noise in proportion to throughput cover less: the reason for the default."""
    counts = count_fits(Scenario(noise="multiplicative", weights="none", peak=44.0), range(QUICK), seed=5)
    assert counts["coherency"].coverage < 0.85
    assert counts["curve"].coverage < 0.85
