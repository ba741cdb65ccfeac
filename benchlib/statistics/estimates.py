"""An estimate: a number that knows its unit, its interval, and how many measurements it rests on.

Beside it what every statistic asks of its input before it answers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.errors import DataError, choices

__all__ = ["Estimate", "checked_level", "checked_values", "point"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A value with its confidence interval.

    Attributes
    ----------
    value : float
        In ``unit``; NaN where the data give none.
    low, high : float
        Ends of the confidence interval; infinite where the data bound nothing.
    unit : str
        A base unit, ``"ratio"`` for a dimensionless share or factor, ``""`` for a bare count.
    confidence_level : float
        Nominal coverage of the interval, between 0 and 1.
    n : int
        How many measurements the value rests on.
    method : str
        How value and interval were found, in words a reader can look up.
    standard_error : float
        NaN where the method has none.
    """

    value: float
    low: float
    high: float
    unit: str
    confidence_level: float
    n: int
    method: str
    standard_error: float

    @property
    def has_interval(self) -> bool:
        """Whether at least one end of the interval is finite."""
        return math.isfinite(self.low) or math.isfinite(self.high)


def point(value: float, unit: str, n: int, method: str, confidence_level: float = 0.95) -> Estimate:
    """Return an estimate without an interval: the data bound it on neither side."""
    return Estimate(
        value=value,
        low=-math.inf,
        high=math.inf,
        unit=unit,
        confidence_level=confidence_level,
        n=n,
        method=method,
        standard_error=math.nan,
    )


def checked_values(values: ArrayLike, what: str = "sample") -> NDArray[np.float64]:
    """Return values as a flat float64 array that is not empty and holds finite numbers only."""
    sample = np.asarray(values, dtype=np.float64).ravel()
    if not sample.size:
        raise DataError(f"the {what} holds no values; at least 1 is needed")
    if not np.isfinite(sample).all():
        wrong = sample[~np.isfinite(sample)]
        raise DataError(
            f"the {what} holds {choices(wrong.tolist(), 3)} ({wrong.size} of {sample.size} values are not "
            "finite); leave such rows out, they are no measurements"
        )
    return sample


def _checked_rows(values: ArrayLike, starts: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return many samples in one flat array, and where each starts, as arrays that fit each other."""
    flat, places = np.asarray(values, dtype=np.float64).ravel(), np.asarray(starts, dtype=np.intp).ravel()
    if not places.size or places[0] != 0 or places[-1] != flat.size or (np.diff(places) < 0).any():
        raise DataError(
            f"the starts of samples do not lead through {flat.size} values; begin with 0, end with their number"
        )
    if not np.isfinite(flat).all():
        wrong = int((~np.isfinite(flat)).sum())
        raise DataError(f"{wrong} of {flat.size} values are not finite; leave such rows out, they are no measurements")
    return flat, places


def checked_level(confidence_level: float) -> float:
    """Return a confidence level that lies between 0 and 1."""
    if not 0 < confidence_level < 1:
        raise DataError(f"confidence level {confidence_level!r} is not between 0 and 1; write 95 % as 0.95")
    return float(confidence_level)
