"""Numbers of an answer as a terminal shows them: no more digits than an interval allows, no end that is infinite."""

from __future__ import annotations

import math

from benchlib.significant_digits import parting_digits, written
from benchlib.statistics.estimates import Estimate
from benchlib.units import scaled, show

NONE = "–"
_DIGITS = 4


def figure(estimate: Estimate, *, like: float | None = None) -> str:
    """Write the value of an estimate with its unit; see `number` for ``like``."""
    return _written(estimate.value, estimate, like)


def number(value: float, unit: str, digits: int, *, like: float | None = None) -> str:
    """Write a number that may be unknown or infinite.

    Examples
    --------
    >>> number(995.94, "op/sec", 4), number(float("inf"), "", 4), number(float("nan"), "", 4)
    ('995.9 op/s', 'infinite', '–')
    >>> number(995.94, "op/sec", 4, like=20_000.0)
    '995.9'
    """
    return _unknown(value) or _headed(show(value, unit, digits, like), unit, like)


def interval(estimate: Estimate, *, like: float | None = None) -> str:
    """Write an interval in words: an end that is infinite is said, not shown."""
    low, high = math.isfinite(estimate.low), math.isfinite(estimate.high)
    lower, upper = (_written(end, estimate, like) for end in (estimate.low, estimate.high))
    if low and high:
        return f"{lower} to {upper}"
    if low:
        return f"at least {lower}" if estimate.low > 0 else "no bound"
    return f"at most {upper}" if high else NONE


def _written(value: float, of: Estimate, like: float | None) -> str:
    """Write a value with the digits that the interval of an estimate carries."""
    shown = written(value, of, _DIGITS, parting_digits(of, _DIGITS), like=like)
    return _unknown(value) or _headed(shown, of.unit, like)


def _unknown(value: float) -> str:
    if math.isnan(value):
        return NONE
    return "infinite" if math.isinf(value) else ""


def _headed(shown: str, unit: str, like: float | None) -> str:
    """Leave out the unit where the head of the column says it."""
    return shown if like is None else shown.removesuffix(f" {scaled(like, unit)[1]}")
