"""How a fitted parameter goes with something that curves differ in: bits, outputs, payload."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from benchlib.errors import DataError
from benchlib.lazy_scipy import special
from benchlib.statistics.estimates import Estimate, checked_level, checked_values

__all__ = ["parameter_trend"]


def parameter_trend(
    levels: ArrayLike,
    values: ArrayLike,
    errors: ArrayLike,
    *,
    degrees_of_freedom: int,
    unit: str = "",
    confidence_level: float = 0.95,
    n: int = 0,
) -> Estimate:
    """Return by how much a parameter changes for one more of something, such as bits or outputs.

    A straight line, weighted by the squared standard errors; those carry a pooled variance, so the
    interval is Student's with its degrees of freedom.

    Parameters
    ----------
    levels, values, errors : array_like, shape (curves,)
        The number each curve stands for, its parameter, and the standard error of that.
    degrees_of_freedom : int
        Of the pooled variance behind the errors.
    unit : str
        Of the values; the slope is in it, a unit of the levels.
    n : int
        Measurements behind the values; 0 for as many as there are values.

    Raises
    ------
    DataError
        For lengths that differ, errors that are not positive, or one level only.

    References
    ----------
    N. R. Draper and H. Smith, "Applied Regression Analysis", 3rd edition, Wiley 1998, section 9.2.

    Examples
    --------
    >>> slope = parameter_trend([32, 64], [0.05, 0.09], [0.01, 0.01], degrees_of_freedom=20)
    >>> f"{slope.value:.5f} ± {slope.standard_error:.5f}"
    '0.00125 ± 0.00044'
    """
    at, measured = checked_values(levels, "levels"), checked_values(values, "values")
    known = checked_values(errors, "standard errors")
    if not len(at) == len(measured) == len(known):
        raise DataError(
            f"{len(at)} levels, {len(measured)} values and {len(known)} standard errors; give one of each a curve"
        )
    if np.any(known <= 0):
        raise DataError(f"a standard error of {known[known <= 0][0]:g} carries no weight; only positive ones do")
    if len(np.unique(at)) < 2:
        raise DataError(f"all {len(at)} curves are at level {at[0]:g}; a trend needs at least 2 distinct levels")
    weights = 1 / known**2
    further = at - np.average(at, weights=weights)
    spread = float(weights @ further**2)
    slope, error = float(weights @ (further * measured)) / spread, 1 / math.sqrt(spread)
    half = float(special.stdtrit(degrees_of_freedom, (1 + checked_level(confidence_level)) / 2)) * error
    return Estimate(
        value=slope,
        low=slope - half,
        high=slope + half,
        unit=unit,
        confidence_level=confidence_level,
        n=n or len(at),
        method=f"weighted line over {len(at)} curves, t({degrees_of_freedom})",
        standard_error=error,
    )
