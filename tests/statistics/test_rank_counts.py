"""The null distributions of the rank-sum test, held against counting by other means."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from benchlib.statistics.ranks import TIED_LIMIT, tied_tails, untied_tails


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


def test_no_rows_have_no_tails() -> None:
    assert tied_tails(np.empty((0, 8), dtype=np.intp), 4, np.empty(0, dtype=np.intp)).tolist() == []


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


def test_both_ways_of_counting_agree_without_ties() -> None:
    """Ranks 1 to 50 through the halves and as one."""
    ranks = 2 * np.arange(1, TIED_LIMIT + 1)
    u = np.arange(0, 626)
    assert np.allclose(
        tied_tails(np.tile(ranks, (u.size, 1)), 25, 2 * u), untied_tails(25, 25)[: u.size], rtol=1e-13, atol=0
    )
