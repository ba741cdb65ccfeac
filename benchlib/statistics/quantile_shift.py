"""Where between fastest and slowest do two samples differ? Their quantiles, one over the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchlib.errors import DataError
from benchlib.lazy_scipy import special
from benchlib.statistics.checks import checked_level, checked_values

__all__ = ["QuantileShift", "quantile_ranks", "quantile_shift"]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantileShift:
    """The ratio of candidate to baseline at some quantiles.

    Attributes
    ----------
    shares : tuple of float
        Share of the values at or below each quantile, 0 to 1.
    ratio : tuple of float
        Quantile of the candidate over that of the baseline.
    low, high : tuple of float
        Interval of each ratio by itself; 0 and infinity where the samples are too small to bound it.
    confidence_level : float
    """

    shares: tuple[float, ...]
    ratio: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    confidence_level: float


def quantile_shift(
    baseline: ArrayLike, candidate: ArrayLike, shares: Sequence[float], *, confidence_level: float = 0.95
) -> QuantileShift:
    """Divide the quantiles of one sample by those of another.

    Quantiles are interpolated linearly between order statistics (Hyndman and Fan's type 7). Each side has an
    interval from two order statistics of its own; the ends of the one over the other bound the ratio. The
    samples are independent, so each side gets the square root of the level: both hold together at the level.

    Parameters
    ----------
    baseline, candidate : array_like, shapes (n1,) and (n2,)
        Above 0, in one unit.
    shares : sequence of float
        Strictly between 0 and 1.
    confidence_level : float
        Of each interval by itself.

    Raises
    ------
    DataError
        For an empty side, a value that is not finite or not above 0, a share or a level outside 0 to 1.

    References
    ----------
    R. J. Hyndman, Y. Fan, The American Statistician 50 (1996) 361-365.
    G. J. Hahn, W. Q. Meeker, Statistical Intervals, 1991, section 5.2, for intervals from order statistics.

    Examples
    --------
    >>> found = quantile_shift(range(10, 30), range(20, 60, 2), [0.5, 0.9])
    >>> found.ratio
    (2.0, 2.0)
    >>> round(found.low[0], 2), round(found.high[0], 2), found.high[1]
    (1.12, 3.57, inf)
    """
    level = checked_level(confidence_level)
    old, new = (np.sort(checked_values(one, name)) for one, name in ((baseline, "baseline"), (candidate, "candidate")))
    if old[0] <= 0 or new[0] <= 0:
        raise DataError(f"a ratio of quantiles needs values above 0, got {min(old[0], new[0]):g}; leave such rows out")
    wrong = [one for one in shares if not 0 < one < 1]
    if wrong:
        raise DataError(f"the share {wrong[0]!r} is not between 0 and 1; write the 90th percentile as 0.9")
    side = math.sqrt(level)
    before, after = (np.array([_bounds(one, share, side) for share in shares]) for one in (old, new))
    with np.errstate(divide="ignore"):
        low, high = after[:, 0] / before[:, 1], after[:, 1] / before[:, 0]
    return QuantileShift(
        shares=tuple(shares),
        ratio=tuple((np.quantile(new, shares) / np.quantile(old, shares)).tolist()),
        low=tuple(low.tolist()),
        high=tuple(high.tolist()),
        confidence_level=level,
    )


def quantile_ranks(n: int, share: float, level: float) -> tuple[int, int]:
    """Return which order statistics, counted from 1, hold a quantile between them; 0 and n + 1 lie outside.

    The ranks nearest to each other of which neither leaves out more than half of ``1 - level``: the number of
    values below the quantile is binomial.

    Examples
    --------
    >>> quantile_ranks(10, 0.5, 0.95), quantile_ranks(5, 0.5, 0.95)
    ((2, 9), (0, 6))
    """
    tail = (1 - level) / 2
    below = special.bdtr(np.arange(n + 1), n, share)  # at most so many values below the quantile
    # The lower rank fails where fewer values than it lie below, the upper where at least as many as it do.
    low = int(np.searchsorted(below, tail, side="right"))
    high = int(np.searchsorted(below, 1 - tail, side="left")) + 1
    return low, high


def _bounds(ordered: np.ndarray[tuple[int], np.dtype[np.float64]], share: float, level: float) -> tuple[float, float]:
    low, high = quantile_ranks(ordered.size, share, level)
    if low < 1 or high > ordered.size:
        return 0.0, math.inf  # half an interval would be read as a bound
    return float(ordered[low - 1]), float(ordered[high - 1])
