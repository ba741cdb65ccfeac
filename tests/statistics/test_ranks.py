"""The U test, exact counts behind it, and the interval that inverts it."""

from __future__ import annotations

import csv
import itertools
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from benchlib.statistics import ranks
from benchlib.statistics.ranks import (
    mann_whitney_rows,
    ranked_shifts,
    shift_rank,
    smallest_pvalue,
    tied_tails,
    untied_tails,
)

REFERENCE = Path(__file__).parents[1] / "reference"


def mann_whitney(first: ArrayLike, second: ArrayLike) -> float:
    """Return benchstat's p value of two samples."""
    old, new = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    return float(mann_whitney_rows(old[None], new[None])[0][0])


def shift_interval(first: NDArray[np.float64], second: NDArray[np.float64], level: float) -> tuple[float, float]:
    """Return the shifts from first to second that the U test does not reject."""
    low, high = ranked_shifts(first[None], second[None], shift_rank(first.size, second.size, level))
    return float(low[0]), float(high[0])


def numbers(text: str) -> list[float]:
    return [float(number) for number in text.strip("[]").split()]


def test_pvalues_equal_benchstat_and_moremath() -> None:
    """The U rows of golang.org/x/perf/benchmath, and 75 pairs of samples of 1 to 60 values, to 1e-12.

    moremath's p above 1 are 1 here.
    """
    with (REFERENCE / "benchmath_reference.csv").open(newline="") as lines:
        rows = [row[1:4] for row in csv.reader(lines) if row[0] == "MWU"]
    with (REFERENCE / "mann_whitney_reference.csv").open(newline="") as lines:
        moremath = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    rows += [[row["first"], row["second"], row["pvalue"]] for row in moremath]
    assert (len(rows), sum(float(pvalue) > 1 for _, _, pvalue in rows)) == (6 + 75, 4)
    for first, second, pvalue in rows:
        expected = min(1.0, float(pvalue))
        assert mann_whitney(numbers(first), numbers(second)) == pytest.approx(expected, rel=0, abs=1e-12), (
            first,
            second,
        )


def test_exact_with_ties_is_not_scipys() -> None:
    """SciPy's exact test ignores ties: with many, it is a tenth off what the permutations give."""
    first, second = np.array([1.0, 1, 1, 2, 2]), np.array([1.0, 2, 2, 2, 2])
    exact = stats.permutation_test(
        (first, second),
        lambda one, other: float(abs(one.mean() - other.mean())),
        n_resamples=9999,  # more than there are: all are taken
        vectorized=False,
        alternative="greater",
    ).pvalue
    assert mann_whitney(first, second) == pytest.approx(exact, abs=1e-12)
    assert abs(stats.mannwhitneyu(first, second, method="exact").pvalue - exact) > 0.1


def test_large_samples_take_the_normal_approximation() -> None:
    """Beyond 25 a side with ties: normal with tie and continuity correction, as SciPy has it."""
    random = np.random.default_rng(4)
    first, second = random.integers(0, 9, 26), random.integers(1, 10, 40)
    expected = stats.mannwhitneyu(first, second, method="asymptotic", use_continuity=True).pvalue
    assert mann_whitney(first, second) == pytest.approx(expected, rel=1e-12)


def test_equal_sides_have_p_one() -> None:
    """U1 = U2 gives exactly 1, whatever the n."""
    assert mann_whitney([5.0] * 3, [5.0] * 3) == 1.0
    assert mann_whitney([1.0, 3.0], [2.0, 2.0]) == 1.0
    assert mann_whitney([5.0] * 80, [5.0] * 90) == 1.0


def test_smallest_pvalue_is_reached() -> None:
    """Samples apart in every value reach the smallest p value of their sizes."""
    for n1, n2 in [(1, 1), (3, 3), (4, 6)]:
        apart = mann_whitney(np.arange(n1), np.arange(n2) + 100.0)
        assert smallest_pvalue(n1, n2) == pytest.approx(apart, rel=1e-12)
    assert smallest_pvalue(5000, 5000) == 0.0


def test_shift_interval_inverts_the_test() -> None:
    """Just inside an end the test does not reject the shift; just outside it does."""
    random = np.random.default_rng(6)
    first, second = random.normal(size=7), random.normal(2.0, size=9)
    low, high = shift_interval(first, second, 0.95)
    for end, outwards in [(low, -1), (high, 1)]:
        assert mann_whitney(first + end + outwards * 1e-9, second) <= 0.05
        assert mann_whitney(first + end - outwards * 1e-9, second) > 0.05


def test_shift_interval_of_large_samples_is_bisected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bisection over ranks and a table of all pairs find the same ends."""
    random = np.random.default_rng(8)
    first, second = random.normal(size=60), random.normal(1.0, size=70)
    tabled = shift_interval(first, second, 0.95)
    monkeypatch.setattr(ranks, "_PAIRS_LIMIT", 10)
    assert shift_interval(first, second, 0.95) == pytest.approx(tabled, rel=1e-12)


def doubled_ranks(pooled: NDArray[np.int_]) -> NDArray[np.intp]:
    _, ties = np.unique(pooled, return_counts=True)
    last = np.cumsum(ties)
    return np.repeat(2 * last - ties + 1, ties).astype(np.intp)


def counted(ranks: NDArray[np.intp], n1: int, doubled_u: int) -> Fraction:
    """The tail in whole numbers of any length: each rank taken or left, one after the other."""
    ways: list[Counter[int]] = [Counter({0: 1})] + [Counter() for _ in range(n1)]
    for rank in ranks.tolist():
        for k in range(n1, 0, -1):
            for total, count in ways[k - 1].items():
                ways[k][total + rank] += count
    limit = doubled_u + n1 * (n1 + 1)
    return Fraction(sum(count for total, count in ways[n1].items() if total <= limit), math.comb(ranks.size, n1))


def test_every_choice_is_counted_once() -> None:
    """All choices of small samples listed: every n1 of up to 8 values, every U, ties or none."""
    random = np.random.default_rng(1)
    for n in range(2, 9):
        for levels in (1, 2, 3, 8):
            ranks = doubled_ranks(random.integers(0, levels, n))
            for n1 in range(1, n):
                sums = [sum(one) - n1 * (n1 + 1) for one in itertools.combinations(ranks.tolist(), n1)]
                asked = np.arange(-1, 2 * n1 * (n - n1) + 1)
                found = tied_tails(np.tile(ranks, (asked.size, 1)), n1, asked)
                expected = [sum(one <= u for one in sums) / len(sums) for u in asked.tolist()]
                assert found.tolist() == pytest.approx(expected, rel=1e-15, abs=0)


@pytest.mark.parametrize(("n1", "n2"), [(25, 25), (25, 24), (10, 10), (3, 25), (25, 2), (1, 25), (7, 12)])
def test_tails_with_ties_are_exact(n1: int, n2: int) -> None:
    """Whole numbers over whole numbers: the nearest float64, from few large ties to hardly any."""
    random = np.random.default_rng(n1 * n2)
    for levels in (2, 6, 30, 200):
        ranks = doubled_ranks(random.integers(0, levels, n1 + n2))
        u = int(random.integers(0, n1 * n2 + 1))
        assert tied_tails(ranks[None], n1, np.array([u]))[0] == float(counted(ranks, n1, u))
        least = int(ranks[:n1].sum()) - n1 * (n1 + 1)
        assert tied_tails(ranks[None], n1, np.array([least]))[0] == float(counted(ranks, n1, least)) > 0


def test_rows_do_not_mind_each_other() -> None:
    """Rows of one call, some of them the same, are bit for bit those of a call each."""
    random = np.random.default_rng(2)
    ranks = np.array([doubled_ranks(random.integers(0, levels, 20)) for levels in (2, 5, 5, 20, 60) * 40])
    u = random.integers(0, 101, len(ranks))
    rows = np.concatenate([np.arange(len(ranks)), random.permutation(len(ranks))])
    together = tied_tails(ranks[rows], 10, u[rows])
    alone = [float(tied_tails(ranks[row][None], 10, u[row][None])[0]) for row in rows]
    assert together.tolist() == alone


@pytest.mark.parametrize(("n1", "n2"), [(1, 1), (2, 7), (9, 9), (50, 1), (17, 33), (50, 50)])
def test_tails_without_ties(n1: int, n2: int) -> None:
    """Gaussian binomial coefficients in whole numbers (Andrews, The Theory of Partitions, 1976, chapter 3)."""
    counts = [1] + [0] * (n1 * n2)
    for i in range(1, n1 + 1):
        for u in range(n1 * n2, n2 + i - 1, -1):
            counts[u] -= counts[u - n2 - i]
        for u in range(i, n1 * n2 + 1):
            counts[u] += counts[u - i]
    tails = np.array([float(Fraction(one, sum(counts))) for one in itertools.accumulate(counts)])
    assert np.allclose(untied_tails(n1, n2), tails, rtol=1e-13, atol=0)
    assert np.allclose(untied_tails(n2, n1), tails, rtol=1e-13, atol=0)
