"""Values written with the digits that their interval carries, before the point as behind it."""

from __future__ import annotations

import math
import re
from functools import lru_cache

from benchlib.statistics.estimates import Estimate, carried_between, carried_digits
from benchlib.units import rounded, show

__all__ = ["differing_figures", "parting_digits", "shared_scale", "written"]

#: Ends of an interval that so many more digits do not part are one.
_MOST_FURTHER_DIGITS = 8
_NO_DECIMALS = re.compile(r"\.0+(?!\d)")


def written(value: float, of: Estimate, digits: int = 3, more: int = 0, *, like: float | None = None) -> str:
    """Write a value to the place where the interval of an estimate is uncertain, and so many digits more.

    It has two digits at the least. The value of the estimate and both ends are written to the same place.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from benchlib.statistics.estimates import point
    >>> wide = replace(point(95771.0, "req/sec", 9, "median"), low=90362.0, high=101421.0)
    >>> written(wide.low, wide), written(wide.low, wide, more=1), written(wide.high, wide)
    ('90,000 req/s', '90,400 req/s', '101,000 req/s')
    """
    carried = carried_between(value, of.low, of.high)
    return show(value, of.unit, digits + more, like, None if carried is None else carried + more)


@lru_cache(maxsize=8192)  # asked for a value and for its interval
def parting_digits(estimate: Estimate, digits: int = 3, apart: tuple[float, ...] = ()) -> int:
    """Return how many digits more than an interval carries its ends take to read as two numbers.

    The value between them is written with as many, so that it never reads as one beyond an end.

    Parameters
    ----------
    estimate : Estimate
    digits : int
        As in `written`.
    apart : tuple of float
        Bounds: one beyond an end never reads as that end, as it is told to be kept or missed.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from benchlib.statistics.estimates import point
    >>> fitted = point(0.01999967, "", 9, "fit")
    >>> parting_digits(fitted), parting_digits(replace(fitted, low=0.0199994, high=0.0199999))
    (0, 1)
    >>> wide = replace(point(104.0, "req/sec", 9, "median"), low=101.0, high=140.0)
    >>> parting_digits(wide), parting_digits(wide, apart=(100.0,))
    (0, 1)
    """
    low, high = estimate.low, estimate.high
    if not low < high:
        return 0
    beyond = [(low if bound < low else high, bound) for bound in apart if not low <= bound <= high]
    like, more = shared_scale(estimate), 0
    for first, second in [(low, high), *beyond]:
        while more < _MOST_FURTHER_DIGITS - 1:
            one, other = (written(end, estimate, digits, more, like=like) for end in (first, second))
            if not _alike(one, other):
                break
            more += 1
    return more


def differing_figures(first: Estimate, second: Estimate) -> tuple[str, str]:
    """Write two values that are told to differ, with the digits that part them where their intervals carry fewer.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from benchlib.statistics.estimates import point
    >>> before = replace(point(1040.0, "req/sec", 9, "median"), low=890.0, high=1110.0)
    >>> [differing_figures(before, replace(before, value=after)) for after in (1010.0, 900.0)]
    [('1,040 req/s', '1,010 req/s'), ('1,000 req/s', '900 req/s')]
    """
    return _beside(first, second.value), _beside(second, first.value)


def _beside(estimate: Estimate, other: float) -> str:
    """Write a value so that it lies on its side of another, whatever the digits of that."""
    least = parting_digits(estimate)
    for more in range(least, _MOST_FURTHER_DIGITS):
        told = written(estimate.value, estimate, more=more)
        if estimate.value == other or not _alike(told, written(other, estimate, more=more)):
            break
    return told


def _alike(first: str, second: str) -> bool:
    """Whether two numbers read as one: an exact count is written without decimals."""
    if ("." in first) == ("." in second):
        return first == second
    return _NO_DECIMALS.sub("", first) == _NO_DECIMALS.sub("", second)


def shared_scale(estimate: Estimate) -> float | None:
    """Return the value in whose unit both ends of an interval are written: the one that stands beside them."""
    carried = carried_digits(estimate)
    if not math.isfinite(estimate.value):
        return None
    return estimate.value if carried is None else rounded(estimate.value, estimate.unit, carried)
