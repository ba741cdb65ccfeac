"""Throughputs and latencies that a question names: numbers with a unit, checked and brought to that of a curve."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from benchlib.errors import DataError, printable
from benchlib.units import parse_duration, parse_quantity

__all__ = ["Amount", "latency_asked", "latency_in", "throughput_asked", "throughput_in"]

#: Seconds of what work may be counted by.
_SECONDS = {"sec": 1.0, "min": 60.0, "h": 3600.0, "hour": 3600.0, "day": 86400.0}
_NO_UNIT = "a curve without a unit; write the unit where the throughput stands, as in throughput_rps"


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """A number as it was asked for.

    Attributes
    ----------
    value : float
    unit : str
        Empty for the unit of each curve; without work before the slash for the work of each curve.
    written : str
        As it was asked for.
    """

    value: float
    unit: str
    written: str


def throughput_asked(asked: str | float) -> Amount | None:
    """Read a throughput such as ``5000/s``, ``5000 req/s`` or ``5000``, which is in the unit of each curve.

    Raises
    ------
    DataError
        For what is no finite number above 0, or no work by time.

    Examples
    --------
    >>> throughput_asked("5000/s")
    Amount(value=5000.0, unit='/sec', written='5000/s')
    >>> throughput_asked("") is None
    True
    """
    such_as = "give one such as 5000/s or 5000"
    written, number = _number(asked, "throughput", such_as)
    if not written:
        return None
    unit = ""
    if number is None:
        number, unit = _quantity(written, "throughput", such_as)
        if unit.partition("/")[2] not in _SECONDS:
            raise DataError(f"throughput '{written}' is in '{printable(unit)}', no work by time; {such_as}")
    return _positive(Amount(value=number, unit=unit, written=written), "throughput", such_as)


def latency_asked(asked: str | float) -> Amount | None:
    """Read a latency such as ``5ms``; a number that is no text is in seconds.

    Raises
    ------
    DataError
        For what is no finite time above 0.

    Examples
    --------
    >>> latency_asked("5ms"), latency_asked(0.25)
    (Amount(value=0.005, unit='sec', written='5ms'), Amount(value=0.25, unit='sec', written='0.25 s'))
    """
    such_as = "give a time such as 5ms"
    written, number = _number(asked, "latency", such_as)
    if not written:
        return None
    if number is not None and isinstance(asked, str):
        raise DataError(f"latency '{written}' has no unit; {such_as}")
    if number is not None:
        return _positive(Amount(value=number, unit="sec", written=f"{written} s"), "latency", such_as)
    try:
        value, unit = parse_duration(written), "sec"
    except DataError:
        value, unit = _quantity(written, "latency", such_as)
    if unit != "sec":
        raise DataError(f"latency '{written}' is in '{printable(unit)}', no time; {such_as}")
    return _positive(Amount(value=value, unit=unit, written=written), "latency", such_as)


def throughput_in(amount: Amount, unit: str) -> float:
    """Bring a throughput to the unit of a curve.

    Raises
    ------
    DataError
        For other work than the curve counts, or time that it cannot be brought to.

    Examples
    --------
    >>> throughput_in(throughput_asked("120/min"), "req/sec")
    2.0
    """
    if not amount.unit:
        return amount.value
    (work, _, time), (its_work, _, its_time) = amount.unit.partition("/"), unit.partition("/")
    if work not in ("", its_work) or its_time not in _SECONDS:
        shown = f"a curve in {printable(unit)}; give it in that" if unit else _NO_UNIT
        raise DataError(f"throughput '{amount.written}' cannot be read on {shown}")
    return amount.value * _SECONDS[its_time] / _SECONDS[time]


def latency_in(amount: Amount, unit: str) -> float:
    """Bring a latency to the time unit of a curve whose throughput is in ``unit``.

    Raises
    ------
    DataError
        For a curve whose work is counted by no known time.

    Examples
    --------
    >>> latency_in(latency_asked("90s"), "job/min")
    1.5
    """
    time = unit.partition("/")[2]
    if time not in _SECONDS:
        shown = f"a curve in {printable(unit)}" if unit else _NO_UNIT
        raise DataError(f"latency '{amount.written}' cannot be read on {shown}")
    return amount.value / _SECONDS[time]


def _number(asked: str | float, name: str, such_as: str) -> tuple[str, float | None]:
    """Return a question as text, and as a number where it is one without a unit."""
    if isinstance(asked, bool | np.bool_) or not isinstance(asked, str | int | float | np.integer | np.floating):
        raise DataError(f"{name} {printable(repr(asked), 60)} is neither a text nor a number; {such_as}")
    if not isinstance(asked, str):
        try:
            return f"{float(asked):g}", float(asked)
        except OverflowError as error:
            raise DataError(f"{name} is a whole number beyond every float; {such_as}") from error
    written = printable(asked.strip(), 60)
    try:
        return written, float(written)
    except ValueError:
        return written, None


def _quantity(written: str, name: str, such_as: str) -> tuple[float, str]:
    try:
        return parse_quantity(written)
    except DataError as error:
        raise DataError(f"{name} '{written}' is no number with a unit; {such_as}") from error


def _positive(amount: Amount, name: str, such_as: str) -> Amount:
    if not (math.isfinite(amount.value) and amount.value > 0):
        raise DataError(f"{name} '{amount.written}' is no finite number above 0; {such_as}")
    return amount
