"""Values written with the digits that their interval carries, before the point as behind it."""

from __future__ import annotations

import math

from benchlib.statistics.estimates import Estimate, carried_digits
from benchlib.units import rounded, show

__all__ = ["parting_digits", "shared_scale", "written"]

#: Ends of an interval that so many more digits do not part are one.
_MOST_FURTHER_DIGITS = 8


def written(value: float, of: Estimate, digits: int = 3, more: int = 0, *, like: float | None = None) -> str:
    """Write a value with the digits that the interval of an estimate carries, and so many more.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from benchlib.statistics.estimates import point
    >>> wide = replace(point(39933.0, "req/sec", 9, "median"), low=35527.0, high=44468.0)
    >>> written(wide.low, wide), written(wide.low, wide, more=1)
    ('36,000 req/s', '35,500 req/s')
    """
    return show(value, of.unit, digits + more, like, carried_digits(of, more))


def parting_digits(estimate: Estimate, digits: int = 3) -> int:
    """Return how many digits more than an interval carries its ends take to read as two numbers.

    The value between them is written with as many, so that it never reads as one beyond an end.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from benchlib.statistics.estimates import point
    >>> fitted = point(0.01999967, "", 9, "fit")
    >>> parting_digits(fitted), parting_digits(replace(fitted, low=0.0199994, high=0.0199999))
    (0, 1)
    """
    if not estimate.low < estimate.high:
        return 0
    like = shared_scale(estimate)
    for more in range(_MOST_FURTHER_DIGITS - 1):
        lower, upper = (written(end, estimate, digits, more, like=like) for end in (estimate.low, estimate.high))
        if lower != upper:
            return more
    return _MOST_FURTHER_DIGITS - 1


def shared_scale(estimate: Estimate) -> float | None:
    """Return the value in whose unit both ends of an interval are written: the one that stands beside them."""
    carried = carried_digits(estimate)
    if not math.isfinite(estimate.value):
        return None
    return estimate.value if carried is None else rounded(estimate.value, estimate.unit, carried)
