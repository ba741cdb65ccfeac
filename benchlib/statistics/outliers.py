"""Samples with values far from all others."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.errors import DataError

__all__ = ["FarValues", "far_values"]

Floats = NDArray[np.float64]

#: Fewer values have no quartiles to speak of.
LEAST_FOR_FENCES = 5
#: A value nearer to the median than this share is far from its others only because they repeat so well.
AWAY = 0.10
#: (from this many values on, fences at so many interquartile ranges): each leaves at most 1 of 1,000 normal samples
#: with a value outside. Tukey's 3 does so for none this small.
FENCES = ((5, 50.0), (6, 16.5), (7, 12.0), (10, 8.5), (15, 6.0), (25, 4.7), (50, 3.7))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FarValues:
    """Which samples hold values far from all others.

    Attributes
    ----------
    count : numpy.ndarray of int, shape (r,)
        How many values of each sample lie beyond the fences; 0 where not tested.
    farthest : numpy.ndarray, shape (r,)
        The value farthest from the median, over the median, as a ratio; NaN where none is beyond.
    tested : int
    """

    count: NDArray[np.intp]
    farthest: Floats
    tested: int


def far_values(values: ArrayLike) -> FarValues:
    """Say which of many equally large samples hold values far outside.

    Tukey's fences on logarithms, below the lower and above the upper quartile by a number of interquartile ranges
    that depends on n (`FENCES`). With the usual 3 ranges, 7 % of normal samples of 6 have a value "far out"; with
    these at most 0.1 % of samples of 5 to 100 have, by simulation. A value within 10 % of the median is never far.

    Parameters
    ----------
    values : array_like, shape (r, n)
        Any order; rows with a value that is not above 0, whose middle half is one value, or that hold fewer than 5
        values, are not tested.

    Raises
    ------
    DataError
        For what is not a table of rows.

    References
    ----------
    J. W. Tukey, Exploratory Data Analysis, 1977, section 2D; D. C. Hoaglin, B. Iglewicz, J. W. Tukey, Journal of the
    American Statistical Association 81 (1986) 991-999 (how often rules of this kind mark a normal sample).

    Examples
    --------
    >>> found = far_values([[10.0, 10.1, 10.2, 10.1, 10.3, 31.0], [10.0, 10.1, 10.2, 10.1, 10.3, 10.6]])
    >>> found.count, found.farthest.round(1)
    (array([1, 0]), array([3.1, nan]))
    """
    sample = _checked_table(values)
    rows, n = sample.shape
    count, farthest = np.zeros(rows, dtype=np.intp), np.full(rows, np.nan)
    if n < LEAST_FOR_FENCES or not rows:
        return FarValues(count=count, farthest=farthest, tested=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(sample)
    quartiles = np.full((3, rows), np.nan)
    positive = np.flatnonzero((sample > 0).all(axis=1))
    if positive.size:
        quartiles[:, positive] = np.quantile(logs[positive], (0.25, 0.5, 0.75), axis=1)
    low, middle, high = quartiles
    tested = high > low
    reach = next(ranges for least, ranges in reversed(FENCES) if n >= least) * (high - low)
    with np.errstate(invalid="ignore"):
        outside = (logs < (low - reach)[:, None]) | (logs > (high + reach)[:, None])
        beyond = tested[:, None] & outside & (np.abs(logs - middle[:, None]) >= math.log1p(AWAY))
    count[:] = beyond.sum(axis=1)
    some = np.flatnonzero(count)
    apart = logs[some] - middle[some][:, None]
    farthest[some] = np.exp(apart[np.arange(some.size), np.abs(apart).argmax(axis=1)])
    return FarValues(count=count, farthest=farthest, tested=int(tested.sum()))


def _checked_table(values: ArrayLike) -> Floats:
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 2:
        raise DataError(f"samples have {sample.ndim} dimensions; give a table, one sample a row")
    if not np.isfinite(sample).all():
        wrong = int((~np.isfinite(sample)).sum())
        raise DataError(f"{wrong} of {sample.size} values are not finite; leave such rows out")
    return sample
