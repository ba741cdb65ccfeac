"""An estimate: a number that knows its unit, its interval, and how many measurements it rests on."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Estimate", "carried_between", "digits_between", "point"]


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
    """Return an estimate without an interval: the data bound it on neither side.

    Examples
    --------
    >>> point(2.5, "sec", 1, "single measurement").has_interval
    False
    """
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


#: Digits that a float holds: no interval carries more.
_ALL_DIGITS = 17


def digits_between(value: float, low: float, high: float, digits: int) -> int:
    """Return the significant digits of a value that an interval allows: at least 2, at most ``digits`` + 1.

    Examples
    --------
    >>> digits_between(30.93, 12.05, 40.04, 3), digits_between(1.05, 1.03, 1.07, 3)
    (2, 3)
    """
    carried = carried_between(value, low, high)
    return digits if carried is None else min(carried, digits + 1)


def carried_between(value: float, low: float, high: float) -> int | None:
    """Return the significant digits of a value, or of an end, that an interval carries, at least 2.

    None where no interval is that could carry any; one without width carries all.

    Examples
    --------
    >>> carried_between(39_933.0, 35_527.0, 44_468.0), carried_between(39_933.0, 39_900.0, float("inf"))
    (2, None)
    """
    if not (math.isfinite(low) and math.isfinite(high)) or not value:
        return None
    width = (high - low) / 2
    if width <= 0 or not math.isfinite(width) or not math.isfinite(value):
        return _ALL_DIGITS
    carried = math.floor(math.log10(abs(value))) - math.floor(math.log10(width)) + 1
    return min(max(carried, 2), _ALL_DIGITS)
