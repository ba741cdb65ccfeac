"""Intervals from a few replicates: Student's t on logarithms, where order statistics reach no level.

Two order statistics bound a median at 95 % from six values on. With two to five, an interval needs an
assumption: here that noise is symmetric on a logarithmic scale. ``method`` says so wherever it was made.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from benchlib.errors import DataError
from benchlib.lazy_scipy import special
from benchlib.statistics.checks import checked_level, checked_values
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.moments import mean_and_variance
from benchlib.statistics.samples import summarise

__all__ = ["median_of_few", "ratio_of_few"]


def median_of_few(values: ArrayLike, unit: str, confidence_level: float = 0.95) -> Estimate:
    """Return the median with its interval by order statistics or, of too few for it, by their mean logarithm.

    The second holds for the median where the noise is symmetric on a logarithmic scale. It is widened to
    hold the median itself, which lies beside the geometric mean. One value, and values that are not all
    above 0, have no such interval.

    Parameters
    ----------
    values : array_like, shape (n,)
    unit : str
    confidence_level : float

    Examples
    --------
    >>> found = median_of_few([98.0, 100.0, 103.0], "ns")
    >>> f"{found.value:g} ({found.low:.1f} to {found.high:.1f})", found.method
    ('100 (94.3 to 106.7)', "median, interval by Student's t(2) on logarithms")
    """
    found = summarise(values, unit=unit, confidence_level=confidence_level).median
    every = np.asarray(values, dtype=float)
    if found.has_interval or len(every) < 2 or every.min() <= 0:
        return found
    logs = np.log(every)
    mean, variance = mean_and_variance(logs)
    half = _reach(len(logs) - 1, confidence_level) * math.sqrt(variance) / math.sqrt(len(logs))
    with np.errstate(over="ignore"):
        low, high = (float(one) for one in np.exp(mean + half * np.array([-1.0, 1.0])))
    return replace(
        found,
        low=min(low, found.value),
        high=max(high, found.value),
        method=f"median, interval by Student's t({len(logs) - 1}) on logarithms",
    )


def ratio_of_few(before: ArrayLike, after: ArrayLike, confidence_level: float = 0.95) -> Estimate:
    """Return the ratio of two medians, ``after`` over ``before``, with Welch's interval on logarithms.

    It is widened to hold the ratio itself, which lies beside that of the geometric means. One value on a
    side leaves no interval.

    Parameters
    ----------
    before, after : array_like
        Positive values.
    confidence_level : float

    Raises
    ------
    DataError
        For an empty side, and values that are not above 0.

    References
    ----------
    B. L. Welch, "The generalization of 'Student's' problem when several different population
    variances are involved", Biometrika 34, 1947, 28-35.

    Examples
    --------
    >>> found = ratio_of_few([164.2, 165.4, 165.3], [39.8, 41.5, 52.8])
    >>> f"{1 / found.value:.1f} ({1 / found.high:.1f} to {1 / found.low:.1f})"
    '4.0 (2.5 to 5.4)'
    """
    level = checked_level(confidence_level)
    sides = [checked_values(one, name) for one, name in ((before, "before"), (after, "after"))]
    for side in sides:
        if side.min() <= 0:
            raise DataError(f"a side of the ratio holds {side.min():g}; only values above 0 have a ratio")
    value = float(np.median(sides[1]) / np.median(sides[0]))
    method = "ratio of medians"
    low, high = -math.inf, math.inf
    if min(map(len, sides)) > 1:
        logs = [np.log(one) for one in sides]
        error, freedom = _welch(*logs)
        centre, half = float(np.mean(logs[1]) - np.mean(logs[0])), _reach(freedom, level) * error
        with np.errstate(over="ignore"):
            ends = np.exp(np.array([centre - half, centre + half]))
        low, high = min(float(ends[0]), value), max(float(ends[1]), value)
        method = f"ratio of medians, Welch's interval on logarithms, t({freedom:.3g})"
    return Estimate(
        value=value,
        low=low,
        high=high,
        unit="x",
        confidence_level=level,
        n=sum(map(len, sides)),
        method=method,
        standard_error=math.nan,
    )


def _reach(freedom: float, confidence_level: float) -> float:
    return float(special.stdtrit(freedom, (1 + confidence_level) / 2))


def _welch(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """Return the standard error of a difference of means, and its degrees of freedom."""
    parts = [float(np.var(side, ddof=1)) / len(side) for side in (one, other)]
    total = math.fsum(parts)
    if total == 0:
        return 0.0, float(len(one) + len(other) - 2)
    shares = ((part / total) ** 2 / (len(side) - 1) for part, side in zip(parts, (one, other), strict=True))
    return math.sqrt(total), 1 / math.fsum(shares)
