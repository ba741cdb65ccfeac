"""Quantiles and tails of the classical distributions, and Welch's test.

These are ``scipy.stats``' own formulas over ``scipy.special``: importing ``scipy.stats`` takes a third
of a second, a sixth of the time in which a report must be there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.lazy_scipy import special

__all__ = ["f_tail", "t_quantile", "welch_pvalue", "welch_test"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Welch:
    """The difference of two means, without the assumption that they vary alike."""

    difference: float
    standard_error: float
    degrees_of_freedom: float
    pvalue: float

    def interval(self, confidence_level: float) -> tuple[float, float]:
        """Return the confidence interval of the difference."""
        half = t_quantile((1 + confidence_level) / 2, self.degrees_of_freedom) * self.standard_error
        return self.difference - half, self.difference + half


def welch_test(first: NDArray[np.float64], two: NDArray[np.float64]) -> Welch:
    """Compare the means of two samples of at least two values each, not all of them equal.

    Source: Welch, B. L. (1947). The generalization of "Student's" problem when several different population variances
    are involved. Biometrika 34, 28-35.
    """
    (mean_one, variance_one), (mean_two, variance_two) = _mean_and_variance(first), _mean_and_variance(two)
    share_one, share_two = variance_one / len(first), variance_two / len(two)
    square_error = share_one + share_two
    freedom = square_error**2 / (share_one**2 / (len(first) - 1) + share_two**2 / (len(two) - 1))
    difference, error = mean_one - mean_two, math.sqrt(square_error)
    pvalue = 2 * float(special.stdtr(freedom, -abs(difference / error)))
    return Welch(difference=difference, standard_error=error, degrees_of_freedom=freedom, pvalue=pvalue)


def welch_pvalue(first: NDArray[np.float64], two: NDArray[np.float64]) -> float:
    """Return the p value of Welch's test; where neither side varies, 1 if they are equal and 0 if not."""
    if not np.ptp(first) and not np.ptp(two):
        return 1.0 if first[0] == two[0] else 0.0
    return welch_test(first, two).pvalue


def _mean_and_variance(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return what ``np.mean`` and ``np.var(ddof=1)`` do, whose wrappers cost more than a handful of values does."""
    mean = float(np.add.reduce(values)) / len(values)
    deviations = values - mean
    return mean, float(np.add.reduce(deviations * deviations)) / (len(values) - 1)


def t_quantile(share: float, degrees_of_freedom: float) -> float:
    """Return the quantile of Student's t."""
    return float(special.stdtrit(degrees_of_freedom, share))


def f_tail(statistic: float, numerator: float, denominator: float) -> float:
    """Return how likely an F of these degrees of freedom is to be larger."""
    return float(special.fdtrc(numerator, denominator, statistic))
