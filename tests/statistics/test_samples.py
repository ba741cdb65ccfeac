"""Medians with their intervals, of few values and many, and values far outside."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchlib.errors import DataError
from benchlib.statistics.samples import (
    estimate_median,
    far_values,
    in_flight,
    median_ranks,
    percentile_share,
    ratio_of_few,
    summarise,
    tail_mean_bound,
    values_needed,
)

REFERENCE = Path(__file__).parents[1] / "reference" / "benchmath_reference.csv"
VALUES = st.lists(st.floats(1e-9, 1e9), min_size=2, max_size=5)


def interval_rows() -> list[list[str]]:
    with REFERENCE.open(newline="") as lines:
        return [row for row in csv.reader(lines) if row[0] == "CI"]


def test_ranks_equal_benchstat() -> None:
    """Ranks, coverage (1e-12) and ambiguity equal golang.org/x/perf/benchmath for n = 1 to 100."""
    rows = interval_rows()
    assert len(rows) == 300
    for _, level, n, low, high, coverage, ambiguous in rows:
        ranks = median_ranks(int(n), float(level))
        assert (ranks.low, ranks.high) == (int(low), int(high)), (level, n)
        assert ranks.coverage == pytest.approx(float(coverage), rel=0, abs=1e-12), (level, n)
        assert ranks.ambiguous == (ambiguous == "true"), (level, n)


@pytest.mark.parametrize(("n", "low", "high"), [(6, 1, 6), (7, 1, 7), (8, 1, 7), (10, 2, 9), (20, 6, 15)])
def test_interval_is_made_of_order_statistics(n: int, low: int, high: int) -> None:
    """The ends are values of the sample, whatever order they came in."""
    values = np.random.default_rng(1).permutation(np.arange(1.0, n + 1))
    median = summarise(values, unit="sec").median
    assert (median.low, median.high) == (low, high)
    assert median.value == (n + 1) / 2


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_no_interval_by_order_statistics_below_six(n: int) -> None:
    """Below n = 6 none bound the median at 95 %; with one value, or few that have no logarithm, nothing does."""
    median = summarise(np.arange(1.0, n + 1), unit="sec", ranked=True).median
    assert (median.low, median.high) == ((-math.inf, math.inf) if n < 6 else (1, 6))
    for first, needed in ((1.0, 2), (0.0, 6)):
        sample = summarise(np.arange(first, first + n), unit="sec")
        assert [(caveat.code, caveat.message) for caveat in sample.caveats] == [
            ("few-samples", f"n = {n}: no interval at 95 % (needs {needed})")
        ] * (n < needed)
    assert [values_needed(level) for level in (0.9, 0.95, 0.99)] == [5, 6, 8]


def test_mean_and_spread() -> None:
    """The spread divides by n - 1; one value has none; every row twice leaves the median."""
    sample = summarise([1.0, 2.0, 6.0], unit="sec")
    assert (sample.n, sample.mean, sample.minimum, sample.maximum) == (3, 3.0, 1.0, 6.0)
    assert sample.stdev == pytest.approx(math.sqrt(7.0), rel=1e-15)
    assert math.isnan(summarise([2.5], unit="sec").stdev)
    twice = summarise([1.0, 2.0, 6.0] * 2, unit="sec")
    assert (twice.median.value, twice.n) == (sample.median.value, 6)


@pytest.mark.parametrize("values", [[], [math.nan], [1.0, math.inf]])
def test_values_that_are_no_sample(values: list[float]) -> None:
    """Nothing, NaN and infinity are refused."""
    with pytest.raises(DataError, match="sample holds"):
        summarise(values, unit="sec")


@pytest.mark.parametrize("level", [0, 1, 95, -0.5])
def test_level_outside_its_range(level: float) -> None:
    """95 is not a level; 0.95 is."""
    with pytest.raises(DataError, match=r"write 95 % as 0\.95"):
        summarise([1.0], unit="sec", confidence_level=level)


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
    assert estimate_median(values, "sec") == summarise(values, unit="sec", ranked=True).median


def test_what_has_no_logarithm_has_no_interval() -> None:
    """Zeros among few values leave the median as it is; as a side of a ratio they are refused."""
    assert not estimate_median([0, 1, 2], "op").has_interval
    assert not estimate_median([3.0], "op").has_interval
    with pytest.raises(DataError, match="only values above 0 have a ratio"):
        ratio_of_few([0, 1], [1, 2])


@pytest.mark.parametrize(
    ("shape", "median"),
    [
        (lambda random, n: np.exp(random.normal(0, 0.15, n)), 1.0),
        (lambda random, n: 1 + 0.05 * random.exponential(size=n), 1 + 0.05 * math.log(2)),
        (lambda random, n: np.exp(0.03 * random.standard_t(2, n)), 1.0),
    ],
)
@pytest.mark.parametrize("n", [3, 5])
def test_few_values_bound_their_median_by_students_t(n: int, shape: Any, median: float) -> None:
    """Of 1,000 samples 95 % hold it, give or take 3 standard errors; 2 points less where noise is skewed."""
    random = np.random.default_rng(12)
    told = [estimate_median(shape(random, n), "sec") for _ in range(1000)]
    assert sum(one.low <= median <= one.high for one in told) >= 1000 * (0.93 - 3 * math.sqrt(0.95 * 0.05 / 1000))
    assert {one.method for one in told} == {f"median, interval by Student's t({n - 1}) on logarithms"}


def test_one_value_a_side_bounds_nothing() -> None:
    """The ratio is told, and that nothing is known of it."""
    found = ratio_of_few([2.0], [4.0, 4.1])
    assert (found.value, found.low, found.high) == (pytest.approx(2.025), -math.inf, math.inf)


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


@pytest.mark.parametrize("rows", [20_000, pytest.param(100_000, marks=pytest.mark.heavy)])
@pytest.mark.parametrize("n", [5, 6, 7, 9, 10, 15, 17, 25, 50, 100])
def test_normal_samples_seldom_have_outliers(n: int, rows: int) -> None:
    """At most 1 of 1,000 (3 standard errors), each fence at the number of values where it begins."""
    draws = np.random.default_rng(n).normal(0, 0.2, (rows // max(1, n // 20), n))
    assert float((far_values(np.exp(draws)).count > 0).mean()) <= 0.001 + 3 * math.sqrt(0.001 / len(draws))


def test_tables_that_are_none_are_refused() -> None:
    """A flat array has no rows; NaN is no measurement. No rows at all are no fault."""
    with pytest.raises(DataError) as raised:
        far_values([1.0, 2.0])
    assert str(raised.value) == "samples have 1 dimensions; give a table, one sample a row"
    with pytest.raises(DataError) as raised:
        far_values([[1.0, math.nan]])
    assert str(raised.value) == "1 of 2 values are not finite; leave such rows out"
    assert far_values(np.empty((0, 10))).tested == 0


def test_percentiles_and_means_bound_the_tail() -> None:
    """By hand: p95 of 144 with a mean of 164 leaves at least 544 for the rest, and a median of 130 leaves 684.

    L = lambda W (Little 1961).
    """
    assert [percentile_share(name) for name in ("p5", "p95", "p99.9", "p999", "p100")] == [0.05, 0.95, 0.999, 0.999, 1]
    assert tail_mean_bound(164.0, {0.95: 144.0}) == pytest.approx(544.0)
    assert tail_mean_bound(164.0, {0.95: 144.0, 0.5: 130.0}) == pytest.approx(684.0)


def test_the_bound_of_a_tail_is_the_least_that_its_percentiles_allow() -> None:
    """No sample has a lower tail, and that whose requests all take the percentile above them meets the bound."""
    samples = np.random.default_rng(7).lognormal(size=(200, 1000))
    shares = (0.5, 0.9, 0.99)
    for sample in np.sort(samples, axis=1):
        percentiles = {share: float(sample[round(share * 1000) - 1]) for share in shares}
        assert tail_mean_bound(float(sample.mean()), percentiles) <= sample[990:].mean() * (1 + 1e-12)
    highest = np.repeat([1.0, 2.0, 3.0, 50.0], [500, 400, 90, 10])
    assert tail_mean_bound(float(highest.mean()), {0.5: 1.0, 0.9: 2.0, 0.99: 3.0}) == pytest.approx(50.0)
    assert in_flight(36777.56, 11.79e-3) == pytest.approx(433.6, abs=0.1)
