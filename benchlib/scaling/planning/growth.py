"""In which month a growing load has used the headroom up."""

from __future__ import annotations

import math

import numpy as np

from benchlib.errors import DataError
from benchlib.scaling.laws import FloatArray

__all__ = ["MONTHS_KNOWN", "months_until"]

#: A load that holds for so many months is not told to end: nothing grows alike for 100 years.
MONTHS_KNOWN = 1200


def months_until(capacity: FloatArray, target: float, growth: float) -> FloatArray:
    """Return the first month whose load is above the capacity, shape (draws,); infinite where none is.

    Parameters
    ----------
    capacity : ndarray, shape (draws,)
        What all nodes that are left can deliver.
    target : float
        The load of month 1.
    growth : float
        Share by which the load grows each month.

    Raises
    ------
    DataError
        For a growth that is no finite number above -1.

    Examples
    --------
    >>> months_until(np.array([90.0, 100.0, 108.0, 109.0]), 100.0, 0.04).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    if not (math.isfinite(growth) and growth > -1):
        raise DataError(f"growth {growth:g} is no finite share above -1; write 0.04 for 4 % a month")
    if growth <= 0:
        return np.where(capacity < target, 1.0, np.inf)
    grown = np.floor(np.log(np.fmax(capacity, 1e-300) / target) / math.log1p(growth) * (1 + 1e-12)) + 2
    found = np.where(capacity < target, 1.0, grown)
    return np.where(found > MONTHS_KNOWN, np.inf, found)
