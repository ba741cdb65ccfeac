"""When did the level of a series change for good? Pettitt's test, for one value of each version in order."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchlib.statistics.estimates import checked_values

__all__ = ["FEWEST_IN_ORDER", "find_shift"]

#: Of fewer values the approximate p value of Pettitt's test says little.
FEWEST_IN_ORDER = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """Where the level of a series changes most."""

    place: int  # of the first value behind the change
    before: float  # median of the values before
    after: float  # median of the values from there on
    pvalue: float  # that no change is as clear as this in values that are independent and of one distribution


def find_shift(values: ArrayLike) -> Shift:
    """Return the change point of values in order: the split whose sides differ most in their ranks.

    A. N. Pettitt, "A non-parametric approach to the change-point problem", Applied Statistics 28(2), 1979, 126-135:
    with ``U(t) = 2 (R_1 + ... + R_t) - t (n + 1)`` and ``K = max |U|``, p is about ``2 exp(-6 K^2 / (n^3 + n^2))``.
    """
    series = checked_values(values, "series")
    n = series.size
    _, inverse, counts = np.unique(series, return_inverse=True, return_counts=True)
    # Equal values share the mean of their ranks.
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    statistic = np.abs(2 * np.cumsum(ranks) - np.arange(1, n + 1) * (n + 1))[:-1]
    place = int(np.argmax(statistic)) + 1 if n > 1 else 0
    most = float(statistic[place - 1]) if n > 1 else 0.0
    return Shift(
        place=place,
        before=float(np.median(series[:place])) if place else math.nan,
        after=float(np.median(series[place:])),
        pvalue=min(1.0, 2 * math.exp(-6 * most**2 / (n**3 + n**2))),
    )
