"""The median with its order-statistic interval."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.statistics.samples import median_ranks, summarise, values_needed

REFERENCE = Path(__file__).parents[1] / "reference" / "benchmath_reference.csv"


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


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_no_interval_below_six(n: int) -> None:
    """Below n = 6 nothing bounds the median at 95 %, and the caveat says how many are needed."""
    sample = summarise(np.arange(1.0, n + 1), unit="sec")
    assert (sample.median.low, sample.median.high) == (-math.inf, math.inf)
    assert [(one.code, one.message) for one in sample.caveats] == [
        ("few-samples", f"n = {n}: no interval at 95 % (needs 6)")
    ]


def test_six_values_carry_no_caveat() -> None:
    """A sample with an interval is not warned about."""
    assert summarise([1, 2, 3, 4, 5, 6], unit="sec").caveats == ()


def test_summary_of_one_value() -> None:
    """One value has a mean but no spread."""
    sample = summarise([2.5], unit="sec")
    assert (sample.n, sample.mean, sample.minimum, sample.maximum) == (1, 2.5, 2.5, 2.5)
    assert math.isnan(sample.stdev)


def test_mean_and_stdev() -> None:
    """The spread divides by n - 1."""
    sample = summarise([1.0, 2.0, 6.0], unit="sec")
    assert sample.mean == 3.0
    assert sample.stdev == pytest.approx(math.sqrt(7.0), rel=1e-15)


def test_duplicated_rows_keep_the_median() -> None:
    """Every row twice: the same median, twice the n."""
    values = [3.0, 1.0, 2.0, 9.0]
    once, twice = summarise(values, unit="sec"), summarise(values * 2, unit="sec")
    assert (twice.median.value, twice.n) == (once.median.value, 2 * once.n)


def test_values_needed_grow_with_the_level() -> None:
    """More confidence needs more values."""
    assert [values_needed(level) for level in (0.9, 0.95, 0.99)] == [5, 6, 8]


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


def test_interval_covers_the_median() -> None:
    """Over skewed samples of 8 the interval covers at least what it claims (3 standard errors)."""
    random = np.random.default_rng(5)
    rounds = 2000
    hits = 0
    for draw in random.lognormal(size=(rounds, 8)):
        median = summarise(draw, unit="sec").median
        hits += median.low <= 1.0 <= median.high
    assert hits / rounds >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / rounds)
