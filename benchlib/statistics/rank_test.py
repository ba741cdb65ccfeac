"""Do two samples differ in location? The rank-sum test, and the shift it cannot rule out.

The test is benchstat's, rule for rule: exact without ties up to 50 values a side, exact with
ties up to 25, else a normal approximation with tie and continuity correction. SciPy's ``exact``
ignores ties and its ``auto`` leaves the exact test at 8, so benchlib has its own.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from benchlib.statistics.checks import checked_level, checked_values

__all__ = ["mann_whitney", "shift_interval", "smallest_pvalue"]

#: Largest side for the exact null distribution, without and with ties.
EXACT_LIMIT = 50
EXACT_LIMIT_TIES = 25

#: Up to this many pairs all their differences are laid out; above it, ranks are bisected.
PAIRS_LIMIT = 1_000_000


def mann_whitney(first: ArrayLike, second: ArrayLike) -> float:
    """Return the two-sided p value of the Mann-Whitney U test.

    With ties and sides of different n the null distribution is skewed; like benchstat, this
    doubles the lower tail of the first sample's U, so the order of the arguments can matter.
    Where that doubling passes 1, benchstat prints it (1.2 has been seen); this returns 1.

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
    n1, n2 = one.size, other.size
    _, place, ties = np.unique(np.concatenate([one, other]), return_inverse=True, return_counts=True)
    last = np.cumsum(ties)
    # Twice the mid-rank of each distinct value: whole numbers, so that U is exact.
    doubled_ranks = 2 * last - ties + 1
    doubled_u = int(doubled_ranks[place[:n1]].sum()) - n1 * (n1 + 1)
    smaller_u = min(doubled_u, 2 * n1 * n2 - doubled_u)
    if smaller_u == n1 * n2:
        return 1.0
    if max(n1, n2) <= (EXACT_LIMIT_TIES if ties.max() > 1 else EXACT_LIMIT):
        tail = _lower_tail(tuple(np.repeat(doubled_ranks, ties).tolist()), n1, smaller_u)
    else:
        spread = math.sqrt(_u_variance(n1, n2, ties))
        tail = float(special.ndtr((smaller_u / 2 - n1 * n2 / 2 + 0.5) / spread))
    return min(1.0, 2 * tail)


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
    pairs = first.size * second.size
    rank = _shift_rank(*sorted((first.size, second.size)), checked_level(confidence_level))
    if rank < 1:
        return -math.inf, math.inf
    if pairs <= PAIRS_LIMIT:
        ends = (rank - 1, pairs - rank)
        differences = np.partition(np.subtract.outer(second, first).ravel(), ends)
        return float(differences[ends[0]]), float(differences[ends[1]])
    lower, upper = np.sort(first), np.sort(second)
    return _ranked_difference(lower, upper, rank), _ranked_difference(lower, upper, pairs - rank + 1)


def _ranked_difference(first: NDArray[np.float64], second: NDArray[np.float64], rank: int) -> float:
    """Bisect for the difference of that rank (from 1): no room for all pairs of large samples."""
    low, high = float(second[0] - first[-1]), float(second[-1] - first[0])
    while low < (middle := (low + high) / 2) < high:
        if int(np.searchsorted(second, first + middle, side="right").sum()) >= rank:
            high = middle
        else:
            low = middle
    return high


@lru_cache(maxsize=1024)
def _shift_rank(n1: int, n2: int, confidence_level: float) -> int:
    """How many of the smallest differences lie below the interval, plus one; 0 for no interval."""
    outside = (1 - confidence_level) / 2
    if n2 <= EXACT_LIMIT:
        tails = np.cumsum(_null_counts(n1, n2)) / math.comb(n1 + n2, n1)
        # 1 - 0.95 is a hair above 0.05: without slack the exact 5 % of some n would fall out.
        return int(np.searchsorted(tails, outside * (1 + 1e-12), side="right"))
    centre, spread = n1 * n2 / 2, math.sqrt(n1 * n2 * (n1 + n2 + 1) / 12)
    return max(0, math.floor(centre + spread * float(special.ndtri(outside)) + 0.5))


def _null_counts(n1: int, n2: int) -> NDArray[np.float64]:
    """In how many ways each U = 0, 1, ..., n1 * n2 arises when nothing is tied."""
    most = n1 * n2
    doubled_ranks = tuple(range(2, 2 * (n1 + n2) + 1, 2))
    return _rank_sums(doubled_ranks, n1, n1 * (n1 + 1) + 2 * most)[n1 * (n1 + 1) :: 2]


@lru_cache(maxsize=1024)
def _lower_tail(doubled_ranks: tuple[int, ...], n1: int, doubled_u: int) -> float:
    sums = _rank_sums(doubled_ranks, n1, doubled_u + n1 * (n1 + 1))
    return float(sums.sum()) / math.comb(len(doubled_ranks), n1)


def _rank_sums(doubled_ranks: tuple[int, ...], n1: int, limit: int) -> NDArray[np.float64]:
    """Count the choices of n1 among the ranks by their sum, up to a limit.

    Ranks are taken one at a time: a choice either holds the rank or does not. Tied values share
    a mid-rank and are told apart here, which is what makes the count exact with ties. Counts are
    sums of positive terms, so float64 keeps them to a few units in the last place.
    """
    ways: NDArray[np.float64] = np.zeros((n1 + 1, limit + 1))
    ways[0, 0] = 1.0
    for rank in doubled_ranks:
        if rank <= limit:
            ways[1:, rank:] += ways[:-1, : limit + 1 - rank]
    complete: NDArray[np.float64] = ways[n1]
    return complete


def _u_variance(n1: int, n2: int, ties: NDArray[np.intp]) -> float:
    n = n1 + n2
    sizes = ties.astype(np.float64)
    correction = float((sizes**3 - sizes).sum()) / (n * (n - 1))
    return n1 * n2 * ((n + 1) - correction) / 12
