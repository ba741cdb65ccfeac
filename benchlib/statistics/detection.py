"""What could so many values have shown, and how many more would decide?

Both answers take the logarithms of a row's values for normal with one spread. The rank test then needs pi / 3
times the values that Student's t test needs, and finds a change that lies `POWER` beyond its critical value in
as large a share of runs. They are plans for the next run and no part of a verdict.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from benchlib.statistics.pairs import Pairs
from benchlib.statistics.rank_test import smallest_pvalue

__all__ = ["MOST_VALUES", "POWER", "detectable_changes", "values_to_decide"]

#: In what share of runs a detectable change is found.
POWER = 0.8
#: Where more values a side than this would be needed, a quieter machine helps and repeats do not.
MOST_VALUES = 200

Floats = NDArray[np.float64]


def detectable_changes(pairs: Pairs, significance_level: float, min_effect: float) -> Floats:
    """Return the smallest relative change that each row would show in 4 runs of 5.

    Parameters
    ----------
    pairs : Pairs
        r rows.
    significance_level : float
        Of one row by itself.
    min_effect : float
        What the interval of a ratio has to clear.

    Returns
    -------
    ndarray, shape (r,)
        As a share, upwards; infinite where the sizes can show none, NaN where values do not tell their spread.

    References
    ----------
    E. L. Lehmann, Nonparametrics: Statistical Methods Based on Ranks, 1975, section 2.3.

    Examples
    --------
    >>> from benchlib.statistics.pairs import one_pair
    >>> values = np.exp(0.02 * np.array([-1.2, -0.8, -0.3, 0.0, 0.2, 0.4, 0.7, 1.0]))
    >>> detectable_changes(one_pair(values, values), 0.05, 0.02).round(3).tolist()
    [0.044]
    """
    n1, n2 = np.diff(pairs.baseline_starts), np.diff(pairs.candidate_starts)
    sizes, place = np.unique(np.stack([n1, n2], axis=1), axis=0, return_inverse=True)
    reaches = np.array([_reach(one, other, significance_level) for one, other in sizes.tolist()], dtype=np.float64)
    reach = reaches[place.ravel()]
    with np.errstate(over="ignore", invalid="ignore"):
        # Where nothing can be shown, not even a spread of 0 helps.
        return np.where(np.isinf(reach), np.inf, np.expm1(math.log1p(min_effect) + _spread(pairs) * reach))


def values_to_decide(pairs: Pairs, ratios: Floats, significance_level: float, min_effect: float) -> Floats:
    """Return how many more values a side would decide each row, if it went on as it began.

    Enough to tell the change that was seen from one too small to matter, in 4 runs of 5; where the change seen is
    itself that small, enough for an interval that lies within it.

    Parameters
    ----------
    pairs : Pairs
        r rows.
    ratios : ndarray, shape (r,)
        Of the medians, candidate over baseline.
    significance_level, min_effect : float

    Returns
    -------
    ndarray, shape (r,)
        At least 1; NaN where it would take more than `MOST_VALUES` a side, or values do not tell their spread.

    Examples
    --------
    >>> from benchlib.statistics.pairs import one_pair
    >>> old = np.array([1.0, 1.01, 1.02])
    >>> values_to_decide(one_pair(old, 1.1 * old), np.array([1.1]), 0.05, 0.02).tolist()
    [1.0]
    """
    least = np.minimum(np.diff(pairs.baseline_starts), np.diff(pairs.candidate_starts))
    margin = math.log1p(min_effect)
    with np.errstate(divide="ignore", invalid="ignore"):
        seen = np.abs(np.log(np.where(ratios > 0, ratios, np.nan)))
        # With no smallest effect there is nothing to lie within: only the change seen is there to be shown.
        wanted = np.maximum(seen - margin, margin) / _spread(pairs)
    reaches = np.array([_reach(n, n, significance_level) for n in range(1, MOST_VALUES + 1)], dtype=np.float64)
    # Reaches fall as n grows: the first n whose reach is small enough.
    enough = 1 + np.searchsorted(-reaches, -wanted, side="left")
    found = np.maximum(enough - least, 1).astype(np.float64)
    return np.where((enough > MOST_VALUES) | np.isnan(wanted), np.nan, found)


@lru_cache(maxsize=4096)
def _reach(n1: int, n2: int, significance_level: float) -> float:
    """Return how many spreads a change has to exceed the margin by; infinite where the test cannot speak."""
    if smallest_pvalue(n1, n2) > significance_level * (1 + 1e-12):
        return math.inf
    freedom = n1 + n2 - 2
    critical = float(special.stdtrit(freedom, 1 - significance_level / 2))
    beyond = float(special.stdtrit(freedom, POWER))
    return (critical + beyond) * math.sqrt(math.pi / 3 * (1 / n1 + 1 / n2))


def _spread(pairs: Pairs) -> Floats:
    """Return the standard deviation of logarithms within the sides, pooled; NaN where nothing repeats."""
    squares, freedom, positive = np.zeros(pairs.rows), np.zeros(pairs.rows), np.ones(pairs.rows, dtype=np.bool_)
    for values, starts in ((pairs.baseline, pairs.baseline_starts), (pairs.candidate, pairs.candidate_starts)):
        if not pairs.rows:
            break
        sizes = np.diff(starts)
        positive &= np.minimum.reduceat(values, starts[:-1]) > 0
        logs = np.log(np.where(values > 0, values, 1.0))
        apart = logs - np.repeat(np.add.reduceat(logs, starts[:-1]) / sizes, sizes)
        squares += np.add.reduceat(apart * apart, starts[:-1])
        freedom += sizes - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(positive & (freedom > 0), np.sqrt(squares / freedom), np.nan)
