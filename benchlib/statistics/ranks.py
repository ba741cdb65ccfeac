"""Do two samples differ in location? The rank-sum test, and the shift it cannot rule out.

The test is benchstat's, rule for rule: exact without ties up to 50 values a side, exact with
ties up to 25, else a normal approximation with tie and continuity correction. SciPy's ``exact``
ignores ties and its ``auto`` leaves the exact test at 8, so benchlib has its own. Rows of equal
sizes are one matrix; two samples alone are a matrix of one row.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.lazy_scipy import special
from benchlib.statistics.checks import checked_level, checked_values
from benchlib.statistics.rank_counts import tied_tails, untied_tails

__all__ = [
    "mann_whitney",
    "mann_whitney_rows",
    "ranked_shifts",
    "shift_interval",
    "shift_rank",
    "smallest_pvalue",
]

#: Largest side for the exact null distribution, without and with ties.
EXACT_LIMIT = 50
EXACT_LIMIT_TIES = 25

#: Up to this many pairs all their differences are laid out; above it, ranks are bisected.
PAIRS_LIMIT = 1_000_000


def mann_whitney(first: ArrayLike, second: ArrayLike) -> float:
    """Return the two-sided p value of the Mann-Whitney U test.

    With ties and sides of different n the null distribution is skewed; like benchstat, this
    doubles the lower tail of the first sample's U, so the order of the arguments can matter.
    Where that doubling passes 1, benchstat prints it (1.2 has been seen); this returns 1. Where
    nothing lies in that tail it gives 0, as benchstat does: `mann_whitney_rows` has a p value beside
    it that always takes the tail that was seen.

    Raises
    ------
    DataError
        For an empty side or a value that is not finite.

    References
    ----------
    golang.org/x/perf/benchmath with github.com/aclements/go-moremath, ``stats.MannWhitneyUTest``.
    H. B. Mann, D. R. Whitney, Annals of Mathematical Statistics 18 (1947) 50-60.
    J. H. Klotz, Journal of the American Statistical Association 61 (1966) 772-787.

    Examples
    --------
    >>> round(mann_whitney([1, 2, 2, 3], [2, 3, 3, 4]), 12)
    0.285714285714
    """
    one, other = checked_values(first, "first sample"), checked_values(second, "second sample")
    pvalue, _ = mann_whitney_rows(one[None], other[None])
    return float(pvalue[0])


def mann_whitney_rows(
    first: NDArray[np.float64], second: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the p value of `mann_whitney` for each row of two matrices, and one that favours no side.

    Parameters
    ----------
    first, second : ndarray, shapes (r, n1) and (r, n2)
        Finite.

    Returns
    -------
    pvalue : ndarray, shape (r,)
        benchstat's.
    two_sided : ndarray, shape (r,)
        Twice the tail of the sample with the smaller U. It differs from benchstat's only where values are
        tied, sides differ in n, at most 25 each, and the second sample has the smaller U.

    Examples
    --------
    >>> pvalue, two_sided = mann_whitney_rows(np.array([[1.0, 1.0, 0.0]]), np.array([[0.0, 0.0, 0.0, 1.0]]))
    >>> pvalue.round(3).tolist(), two_sided.round(3).tolist()
    ([0.229], [0.743])
    """
    n1, n2 = first.shape[1], second.shape[1]
    pooled = np.concatenate([first, second], axis=1)
    order = np.argsort(pooled, axis=1)
    doubled_ranks, ties = _ranks(np.take_along_axis(pooled, order, axis=1))
    doubled_u = (doubled_ranks * (order < n1)).sum(axis=1) - n1 * (n1 + 1)
    smaller_u = np.minimum(doubled_u, 2 * n1 * n2 - doubled_u)
    tied = ties.max(axis=1) > 1
    apart = smaller_u < n1 * n2
    tail = np.full(len(pooled), 0.5)
    seen = tail
    for rows, limit in ((apart & ~tied, EXACT_LIMIT), (apart & tied, EXACT_LIMIT_TIES)):
        if not rows.any():
            continue
        if max(n1, n2) > limit:
            spread = np.sqrt(_u_variance(n1, n2, ties[rows]))
            tail[rows] = special.ndtr((smaller_u[rows] / 2 - n1 * n2 / 2 + 0.5) / spread)
        elif limit == EXACT_LIMIT:
            tail[rows] = untied_tails(n1, n2)[smaller_u[rows] // 2]
        else:
            tail[rows] = tied_tails(doubled_ranks[rows], n1, smaller_u[rows])
            if n1 != n2:
                other = rows & (doubled_u > smaller_u)
                seen = tail.copy()
                seen[other] = tied_tails(doubled_ranks[other], n2, smaller_u[other])
    return np.minimum(1.0, 2 * tail), np.minimum(1.0, 2 * seen)


def smallest_pvalue(n1: int, n2: int) -> float:
    """Return the smallest p value that samples of these sizes can reach, without ties.

    Examples
    --------
    >>> smallest_pvalue(3, 3), smallest_pvalue(1, 1)
    (0.1, 1.0)
    """
    # An exact binomial of many digits takes seconds; its size no longer matters by then.
    choices = math.comb(n1 + n2, n1) if n1 + n2 <= 1000 else float(special.binom(n1 + n2, n1))
    return min(1.0, 2 / choices)


def shift_interval(
    first: NDArray[np.float64], second: NDArray[np.float64], confidence_level: float
) -> tuple[float, float]:
    """Return the shifts from first to second that the U test does not reject.

    The ends are two of the n1 * n2 differences of pairs, at the ranks where the null
    distribution of U (without ties, which is conservative with them) leaves the level between
    them. Infinite where n is too small for the level.

    References
    ----------
    J. L. Hodges, E. L. Lehmann, Annals of Mathematical Statistics 34 (1963) 598-611.
    M. Hollander, D. A. Wolfe, E. Chicken, Nonparametric Statistical Methods, 3rd ed., eq. 4.22.

    Examples
    --------
    >>> shift_interval(np.arange(4.0), np.arange(4.0) + 10, 0.95)
    (7.0, 13.0)
    >>> shift_interval(np.arange(3.0), np.arange(3.0) + 10, 0.95)
    (-inf, inf)
    """
    rank = shift_rank(first.size, second.size, checked_level(confidence_level))
    low, high = ranked_shifts(first[None], second[None], rank)
    return float(low[0]), float(high[0])


def ranked_shifts(
    first: NDArray[np.float64], second: NDArray[np.float64], rank: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the differences of pairs that stand at a rank from either end, row by row.

    Parameters
    ----------
    first, second : ndarray, shapes (r, n1) and (r, n2)
    rank : int
        From 1, as `shift_rank` gives it; 0 leaves both ends infinite.

    Returns
    -------
    low, high : ndarray, shape (r,)
        In the unit of the values.

    Examples
    --------
    >>> low, high = ranked_shifts(np.array([[0.0, 1.0]]), np.array([[5.0, 9.0]]), 2)
    >>> low.tolist(), high.tolist()
    ([5.0], [8.0])
    """
    rows, pairs = len(first), first.shape[1] * second.shape[1]
    if rank < 1:
        return np.full(rows, -np.inf), np.full(rows, np.inf)
    if pairs <= PAIRS_LIMIT:
        # A full sort of a row is faster than a partition wherever the processor sorts eight values at once.
        differences = np.sort((second[:, :, None] - first[:, None, :]).reshape(rows, pairs), axis=1)
        return differences[:, rank - 1], differences[:, pairs - rank]
    lower, upper = np.sort(first, axis=1), np.sort(second, axis=1)
    ends = [
        [_ranked_difference(one, other, place) for place in (rank, pairs - rank + 1)]
        for one, other in zip(lower, upper, strict=True)
    ]
    low, high = np.array(ends, dtype=np.float64).reshape(rows, 2).T
    return low, high


def _ranked_difference(first: NDArray[np.float64], second: NDArray[np.float64], rank: int) -> float:
    """Bisect for the difference of that rank (from 1): no room for all pairs of large samples."""
    low, high = float(second[0] - first[-1]), float(second[-1] - first[0])
    while low < (middle := (low + high) / 2) < high:
        if int(np.searchsorted(second, first + middle, side="right").sum()) >= rank:
            high = middle
        else:
            low = middle
    return high


@lru_cache(maxsize=4096)
def shift_rank(n1: int, n2: int, confidence_level: float) -> int:
    """Return how many of the smallest differences lie below the interval, plus one; 0 for no interval.

    Examples
    --------
    >>> shift_rank(10, 10, 0.95), shift_rank(3, 3, 0.95)
    (24, 0)
    """
    outside = (1 - confidence_level) / 2
    if max(n1, n2) <= EXACT_LIMIT:
        # 1 - 0.95 is a hair above 0.05: without slack the exact 5 % of some n would fall out.
        return int(np.searchsorted(untied_tails(*sorted((n1, n2))), outside * (1 + 1e-12), side="right"))
    centre, spread = n1 * n2 / 2, math.sqrt(n1 * n2 * (n1 + n2 + 1) / 12)
    return max(0, math.floor(centre + spread * float(special.ndtri(outside)) + 0.5))


def _ranks(ordered: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return twice the mid-rank of each value (whole numbers, so that U is exact) and how many share it."""
    rows, n = ordered.shape
    place = np.arange(n)
    changes = ordered[:, 1:] != ordered[:, :-1]
    edge = np.ones((rows, 1), dtype=np.bool_)
    starts, ends = np.concatenate([edge, changes], axis=1), np.concatenate([changes, edge], axis=1)
    start = np.maximum.accumulate(np.where(starts, place, 0), axis=1)
    end = np.minimum.accumulate(np.where(ends, place, n)[:, ::-1], axis=1)[:, ::-1]
    return start + end + 2, end - start + 1


def _u_variance(n1: int, n2: int, ties: NDArray[np.intp]) -> NDArray[np.float64]:
    n = n1 + n2
    # Each of t tied values adds t^2 - 1: together t^3 - t.
    correction = (ties.astype(np.float64) ** 2 - 1).sum(axis=1) / (n * (n - 1))
    variance: NDArray[np.float64] = n1 * n2 * ((n + 1) - correction) / 12
    return variance
