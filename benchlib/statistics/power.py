"""What could so many values have shown, and how many more would decide?

Both answers start from the interval of the row's shift on logarithms, which is all that a verdict looks at: half
its width, over the quantile of Student's t that belongs to its level, says how far an estimate strays. The
standard deviation would say the same of normal values; a few slow runs among twenty double it, though the rank
test hardly minds them. The answers are plans for the next run and no part of a verdict.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from benchlib.lazy_scipy import special
from benchlib.statistics.compare import Pairs, _size_groups
from benchlib.statistics.ranks import EXACT_LIMIT, ranked_shifts, shift_rank, smallest_pvalue, untied_tails

__all__ = ["MOST_VALUES", "detectable_changes", "repeats_for", "values_to_decide"]


#: In what share of runs a detectable change is found.
_POWER = 0.8
#: Where more values a side than this would be needed, a quieter machine helps and repeats do not.
MOST_VALUES = 200

_Floats = NDArray[np.float64]

# Up to this many values a side the p values that can be reached lie far apart.
_COARSE = 12


def detectable_changes(pairs: Pairs, significance_level: float, level: float, min_effect: float) -> _Floats:
    """Return the smallest relative change that each row would show in 4 runs of 5.

    A row has to reach the significance level by itself, and `level`, which is smaller, among the others.

    Source: E. L. Lehmann, Nonparametrics: Statistical Methods Based on Ranks, 1975, chapter 2, for the power.
    E. L. Lehmann, Annals of Mathematical Statistics 34 (1963) 1507-1512, for the spread from the interval.
    """
    n1, n2 = np.diff(pairs.baseline_starts), np.diff(pairs.candidate_starts)
    sizes, place = np.unique(np.stack([n1, n2], axis=1), axis=0, return_inverse=True)
    reaches = [_reach(first, other, significance_level, level, _POWER) for first, other in sizes.tolist()]
    reach = np.array(reaches, dtype=np.float64)[place.ravel()]
    with np.errstate(over="ignore", invalid="ignore"):
        # Where nothing can be shown, not even a spread of 0 helps.
        change = np.expm1(math.log1p(min_effect) + _spreads(pairs, significance_level) * reach)
    return np.where(np.isinf(reach), np.inf, change)


def values_to_decide(
    pairs: Pairs, ratios: _Floats, significance_level: float, level: float, min_effect: float
) -> _Floats:
    """Return how many more values a side would decide each row, if it went on as it began.

    Enough to tell the change that was seen from one too small to matter, in 4 runs of 5. Where the change seen is
    itself too small to matter: enough to say so in 4 runs of 5, if there is none.

    Source: D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987) 657-680, for evidence of
    sameness.
    """
    least = np.minimum(np.diff(pairs.baseline_starts), np.diff(pairs.candidate_starts))
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(np.where(ratios > 0, ratios, np.nan))
        beyond = np.where(logs > 0, logs - math.log1p(min_effect), math.log1p(-min_effect) - logs)
        small = beyond <= 0
        # Without a smallest effect no interval lies within it.
        wanted = np.where(small, math.log1p(min_effect), beyond) / _spreads(pairs, significance_level)
    # If there is no change the interval may stray either way, so that each may be missed in 1 run of 10.
    enough = np.where(
        small,
        _first_within(wanted, significance_level, level, (1 + _POWER) / 2),
        _first_within(wanted, significance_level, level, _POWER),
    )
    more = np.maximum(enough - least, 1).astype(np.float64)
    return np.where((enough > MOST_VALUES) | np.isnan(wanted), np.nan, more)


def _first_within(wanted: _Floats, significance_level: float, level: float, power: float) -> NDArray[np.intp]:
    """Return the smallest n a side whose reach is at most the one wanted; more than MOST_VALUES for none."""
    sizes = range(1, MOST_VALUES + 1)
    reaches = np.array([_reach(n, n, significance_level, level, power) for n in sizes], dtype=np.float64)
    # Reaches fall as n grows, but for the coarse steps of small n: what a smaller n reached stays reached.
    # Sizes at which the test cannot speak reach nothing, however large.
    finite = np.minimum(wanted, np.finfo(np.float64).max)
    return 1 + np.searchsorted(-np.minimum.accumulate(reaches), -finite, side="left")


@lru_cache(maxsize=4096)
def _reach(n1: int, n2: int, significance_level: float, level: float, power: float) -> float:
    """Return by how many spreads a change has to exceed the margin; infinite where the test cannot speak."""
    if smallest_pvalue(n1, n2) > significance_level * (1 + 1e-12):
        return math.inf
    level = min(level, significance_level)
    if max(n1, n2) <= _COARSE:
        level = min(level, _reached_level(n1, n2, shift_rank(n1, n2, 1 - significance_level)))
    critical = float(special.stdtrit(n1 + n2 - 2, 1 - level / 2))
    beyond = float(special.stdtrit(n1 + n2 - 2, power))
    return (critical + beyond) * _error(n1, n2)


def _spreads(pairs: Pairs, significance_level: float) -> _Floats:
    """Return the spread of logarithms that the interval of each row's shift speaks of; NaN where nothing repeats."""
    spread = np.full(pairs.rows, np.nan)
    for here, old, new in _size_groups(pairs):
        n1, n2 = old.shape[1], new.shape[1]
        # Too few values for the level asked still have an interval, at a lower one.
        rank = max(1, shift_rank(n1, n2, 1 - significance_level))
        level = _reached_level(n1, n2, rank) if max(n1, n2) <= EXACT_LIMIT else significance_level
        if level >= 1:
            continue
        usable = (old.min(axis=1) > 0) & (new.min(axis=1) > 0)
        low, high = ranked_shifts(np.log(old[usable]), np.log(new[usable]), rank)
        critical = float(special.stdtrit(n1 + n2 - 2, 1 - level / 2))
        spread[here[usable]] = (high - low) / 2 / (critical * _error(n1, n2))
    return spread


def _reached_level(n1: int, n2: int, rank: int) -> float:
    """Return how often the interval at this rank misses the shift."""
    return float(2 * untied_tails(min(n1, n2), max(n1, n2))[rank - 1])


def _error(n1: int, n2: int) -> float:
    """Return the standard error of a shift, in spreads: what a spread is counted in, as sizes change, drops out."""
    return math.sqrt(1 / n1 + 1 / n2)


def repeats_for(baseline: Sequence[float], candidate: Sequence[float], effect: float, level: float = 0.05) -> float:
    """Return how many values a side show a relative change in 4 runs of 5, at the spread seen; NaN where unknown."""
    pairs = Pairs(
        baseline=np.asarray(baseline, dtype=np.float64),
        baseline_starts=np.array([0, len(baseline)]),
        candidate=np.asarray(candidate, dtype=np.float64),
        candidate_starts=np.array([0, len(candidate)]),
    )
    (spread,) = _spreads(pairs, level)
    if math.isnan(spread):
        return math.nan
    with np.errstate(divide="ignore"):
        enough = float(_first_within(np.array([math.log1p(effect)]) / spread, level, level, _POWER)[0])
    return enough if enough <= MOST_VALUES else math.nan
