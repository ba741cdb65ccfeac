"""The geometric mean, as benchstat takes it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from benchlib.statistics.go_math import exponential, logarithm

__all__ = ["geometric_mean"]


def geometric_mean(values: ArrayLike) -> float:
    """Return the geometric mean; NaN for no values, and where one is not above 0.

    The logarithms are averaged one after the other, so that the last digit is benchstat's too.

    References
    ----------
    github.com/aclements/go-moremath, ``stats.GeoMean``.

    Examples
    --------
    >>> geometric_mean([1.0, 4.0]), geometric_mean([1.0, 0.0])
    (2.0, nan)
    """
    found = np.asarray(values, dtype=np.float64)
    if not found.size or not (found > 0).all():
        return math.nan
    mean = 0.0
    for count, one in enumerate(logarithm(found).tolist(), 1):
        mean += (one - mean) / count
    return exponential(mean)
