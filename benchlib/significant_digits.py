"""Estimates written with the digits that their interval carries, before the point as behind it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

from benchlib.statistics.estimates import Estimate, carried_between
from benchlib.units import rounded, scaled, show, unpadded

__all__ = ["between", "differing_figures", "ends", "figure", "parting_digits", "significant_digits_of", "written"]

#: Numbers that so many more digits do not part are one.
_MOST_FURTHER_DIGITS = 8


def figure(estimate: Estimate, digits: int = 3, apart: tuple[float, ...] = ()) -> str:
    """Write the value of an estimate, with no more digits than its interval carries.

    A whole part is rounded too, where there is an interval that says how far: what was measured once stays.

    Parameters
    ----------
    estimate : Estimate
    digits : int
        Significant digits where there is no interval; one more is written at most behind the point.
    apart : tuple of float
        Bounds in the base unit: one that is kept or missed reads so.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from benchlib.statistics.estimates import point
    >>> once = point(102842.4, "req/sec", 1, "one run")
    >>> figure(once), figure(replace(once, low=96765.0, high=106001.0)), figure(point(0.00019, "sec/op", 1, "one run"))
    ('102,842 req/s', '103,000 req/s', '190 µs/op')
    """
    return written(estimate.value, estimate, digits, parting_digits(estimate, digits, apart))


def ends(estimate: Estimate, digits: int = 3, apart: tuple[float, ...] = ()) -> tuple[str, str]:
    """Write both ends of an interval in the unit of their value; they are alike where no digit parts them.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from benchlib.statistics.estimates import point
    >>> ends(replace(point(996e-9, "sec", 9, "median"), low=944e-9, high=1.06e-6))
    ('0.94 µs', '1.06 µs')
    """
    more = parting_digits(estimate, digits, apart)
    like = _shared_scale(estimate, more)
    lower, upper = (written(end, estimate, digits, more, like=like) for end in (estimate.low, estimate.high))
    return lower, upper


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
    return show(value, of.unit, digits + more, like, significant_digits_of(value, of, more, like=like))


def significant_digits_of(value: float, of: Estimate, more: int = 0, *, like: float | None = None) -> int | None:
    """Return the digits of a value that the interval of an estimate carries as it is shown, and so many more.

    None where there is no interval that could carry any. Kibibytes have other places than bytes.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from benchlib.statistics.estimates import point
    >>> size = replace(point(1_001_000.0, "B", 9, "median"), low=999_000.0, high=1_040_000.0)
    >>> significant_digits_of(size.value, size), significant_digits_of(size.high, size, like=size.value)
    (2, 3)
    """
    carried = _carried(value, of.low, of.high, of.unit, like)
    return None if carried is None else carried + more


def between(value: float, low: float, high: float, unit: str, digits: int = 3, *, like: float | None = None) -> str:
    """Write a value, or an end, to the place where the interval from ``low`` to ``high`` is uncertain; see `written`.

    Examples
    --------
    >>> [between(one, 90362.0, 101421.0, "req/sec") for one in (95771.0, 101421.0)]
    ['96,000 req/s', '101,000 req/s']
    """
    return show(value, unit, digits, like, _carried(value, low, high, unit, like))


def _carried(value: float, low: float, high: float, unit: str, like: float | None) -> int | None:
    divisor, _ = scaled(value if like is None else like, unit)
    return carried_between(value / divisor, low / divisor, high / divisor)


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
        Bounds: one beyond an end, or beside a value without an interval, never reads as that.

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
    more = 0
    for first, second in _pairs(estimate, apart):
        more = next(
            (
                further
                for further in range(more, _MOST_FURTHER_DIGITS)
                if _parts(first, second, estimate, digits, further)
            ),
            more,
        )
    return more


def _pairs(estimate: Estimate, apart: tuple[float, ...]) -> Iterator[tuple[float, float]]:
    """Give the numbers that must read apart: both ends, and a bound from the end that it lies beyond."""
    low, high = (estimate.low, estimate.high) if estimate.has_interval else (estimate.value, estimate.value)
    if low < high:
        yield low, high
    for bound in apart:
        if not low <= bound <= high:
            yield low if bound < low else high, bound


def _parts(first: float, second: float, of: Estimate, digits: int, more: int) -> bool:
    like = _shared_scale(of, more)
    return not _alike(*(written(value, of, digits, more, like=like) for value in (first, second)))


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
        text = written(estimate.value, estimate, more=more)
        if not _alike(text, written(other, estimate, more=more)):
            return text
    return written(estimate.value, estimate, more=least)


def _alike(first: str, second: str) -> bool:
    """Whether two numbers of one unit read as one: zeros behind the point tell them apart for nobody."""
    return unpadded(first) == unpadded(second)


def _shared_scale(estimate: Estimate, more: int) -> float | None:
    """Return the value in whose unit both ends of an interval are written: the one that stands beside them."""
    if not math.isfinite(estimate.value):
        return None
    carried = significant_digits_of(estimate.value, estimate, more)
    return estimate.value if carried is None else rounded(estimate.value, estimate.unit, carried)
