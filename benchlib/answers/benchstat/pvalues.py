"""The p value that benchstat prints, where it is not the one of `mann_whitney` to the last bit.

Four things part them. Go's exact distribution is rounded at every step, which matters where a p value falls on the
significance level or half way between two that are printed. With ties and sides of different n, twice a tail may be
more than 1, and is printed so; or a U that the baseline cannot reach is looked up, which has the probability 0, and
not even that where there are but two distinct values, because a division rounds the wrong way. And far in the tail
where the baseline is larger, 1 minus a number next to 1 is 0.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from benchlib.statistics.go_math import untied_pvalue
from benchlib.statistics.rank_counts import tied_tails
from benchlib.statistics.ranks import EXACT_LIMIT, EXACT_LIMIT_TIES, mann_whitney_rows

__all__ = ["printed_pvalues"]

#: How near to a boundary rounding could decide, and below what p value 1 - (1 - p / 2) is 0.
_NEAR = 1e-9
_LOST = 2.0**-53


def printed_pvalues(
    baseline: NDArray[np.float64], candidate: NDArray[np.float64], significance_level: float
) -> NDArray[np.float64]:
    """Return the p value of each row as benchstat has it.

    Parameters
    ----------
    baseline, candidate : ndarray, shapes (r, n1) and (r, n2)
    significance_level : float

    Returns
    -------
    ndarray, shape (r,)

    Examples
    --------
    >>> printed_pvalues(np.array([[1.0, 2, 3]]), np.array([[4.0, 5, 6]]), 0.1).tolist()
    [0.10000000000000002]
    """
    found, _ = mann_whitney_rows(baseline, candidate)
    n1, n2 = baseline.shape[1], candidate.shape[1]
    thousandths = 1000 * found % 1
    near = (np.abs(found - significance_level) < _NEAR) | (np.abs(thousandths - 0.5) < _NEAR)
    if max(n1, n2) <= EXACT_LIMIT:
        skewed = n1 != n2 and max(n1, n2) <= EXACT_LIMIT_TIES
        for row in np.flatnonzero(near | (skewed & ((found == 1) | (found == 0)))).tolist():
            found[row] = _exact(baseline[row], candidate[row], float(found[row]))
    for row in np.flatnonzero(found <= _LOST).tolist():
        if _is_approximate(baseline[row], candidate[row]) and _doubled_u(baseline[row], candidate[row])[0] > n1 * n2:
            found[row] = 0.0
    return found


def _exact(baseline: NDArray[np.float64], candidate: NDArray[np.float64], pvalue: float) -> float:
    """Return the p value of one row whose distribution is exact, from Go's own steps."""
    n1, n2 = baseline.size, candidate.size
    doubled_u, doubled_ranks = _doubled_u(baseline, candidate)
    if doubled_u == n1 * n2 or _is_approximate(baseline, candidate):
        return pvalue
    smaller = min(doubled_u, 2 * n1 * n2 - doubled_u)
    _, ties = np.unique(doubled_ranks, return_counts=True)
    if ties.size == n1 + n2:
        return untied_pvalue(n1, n2, smaller // 2)
    if ties.size == 2 and -ties.sum() < smaller - n1 * (ties[0] - n1) < 0:
        return 2 * math.comb(int(ties[0]), n1) / math.comb(n1 + n2, n1)
    return 2 * float(tied_tails(doubled_ranks[None], n1, np.asarray([smaller]))[0])


def _is_approximate(baseline: NDArray[np.float64], candidate: NDArray[np.float64]) -> bool:
    both = np.concatenate([baseline, candidate])
    return max(baseline.size, candidate.size) > (EXACT_LIMIT if np.unique(both).size == both.size else EXACT_LIMIT_TIES)


def _doubled_u(baseline: NDArray[np.float64], candidate: NDArray[np.float64]) -> tuple[int, NDArray[np.intp]]:
    """Return twice the U of the baseline, and twice the mid-ranks of all values, ascending."""
    _, place, ties = np.unique(np.concatenate([baseline, candidate]), return_inverse=True, return_counts=True)
    ranks = 2 * np.cumsum(ties) - ties + 1
    return int(ranks[place[: baseline.size]].sum()) - baseline.size * (baseline.size + 1), np.repeat(ranks, ties)
