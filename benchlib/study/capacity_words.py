"""Words about a load, such as ``50000/s``, ``latency_p99=5ms``, ``30%`` and ``4%/month``: read and checked."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from benchlib.errors import DataError, choices, printable, suggestion
from benchlib.units import parse_duration, parse_quantity

__all__ = [
    "Growth",
    "Limit",
    "Target",
    "growth_asked",
    "headroom_asked",
    "limit_asked",
    "mix_asked",
    "month_asked",
    "probability_asked",
    "survive_asked",
    "target_asked",
    "written_text",
]

#: Months of a period that growth is counted by.
_MONTHS = {"month": 1.0, "year": 12.0}
_PERCENTILE = re.compile(r"(?:latency_)?p(\d+(?:\.\d+)?)")
_MONTH = re.compile(r"(\d{4})-(\d{2})")
#: Growth is followed for a hundred years, and a year has four digits.
_YEARS = range(1900, 9900)
#: Nobody plans to lose more nodes than this, nor for more work than this by whatever time.
_MOST_SURVIVE, _MOST_WORK = 1_000, 1e15


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A throughput to deliver: in work by time, the work left open where only ``/s`` was written."""

    value: float
    unit: str
    written: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The latency that is to be kept: of the mean, or of a percentile such as ``latency_p99``; in seconds."""

    metric: str
    seconds: float
    written: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """By what share the load grows each month."""

    monthly: float
    written: str


def target_asked(text: str) -> Target | None:
    """Read a target such as ``50000/s`` or ``50000 req/s``; None for an empty text.

    Raises
    ------
    DataError
        For what is no work by time above 0.

    Examples
    --------
    >>> target_asked("50000/s")
    Target(value=50000.0, unit='/sec', written='50000/s')
    """
    such_as = "write it like 50000/s"
    written = written_text(text, "target", such_as)
    if not written:
        return None
    if _is_number(written):
        raise DataError(f"target '{written}' has no unit; {such_as}")
    try:
        value, unit = parse_quantity(written)
    except DataError as error:
        raise DataError(f"target '{written}' is no number with a unit; {such_as}") from error
    if unit.partition("/")[2] not in ("sec", "min", "h", "hour", "day"):
        raise DataError(f"target '{written}' is in '{printable(unit)}', no work by time; {such_as}")
    if not 0 < value < _MOST_WORK:
        raise DataError(f"target '{written}' is no throughput above 0 and below 10^15; {such_as}")
    return Target(value=value, unit=unit, written=written)


def limit_asked(text: str) -> Limit | None:
    """Read a limit such as ``latency_p99=5ms`` or ``latency_mean=2ms``; None for an empty text.

    Raises
    ------
    DataError
        For a latency that is neither a mean nor a percentile, and a time without a unit or not above 0.

    Examples
    --------
    >>> limit_asked("p99=5ms")
    Limit(metric='latency_p99', seconds=0.005, written='latency_p99=5ms')
    """
    such_as = "write it like latency_p99=5ms"
    written = written_text(text, "slo", such_as)
    if not written:
        return None
    name, equals, time = (one.strip() for one in written.partition("="))
    if not equals:
        raise DataError(f"slo '{written}' names no latency and time; {such_as}")
    percentile = _PERCENTILE.fullmatch(name)
    if percentile and 0 < float(percentile[1]) < 100:
        metric = f"latency_p{percentile[1]}"
    elif name in ("latency", "mean", "latency_mean"):
        metric = "latency_mean"
    else:
        near = suggestion(name, ("latency_mean", "latency_p50", "latency_p95", "latency_p99"))
        raise DataError(f"slo '{written}' is of '{name}', no mean or percentile of latency{near}; {such_as}")
    if _is_number(time):
        raise DataError(f"slo '{written}' has no unit of time; {such_as}")
    try:
        seconds = parse_duration(time.replace(" ", ""))
    except DataError as error:
        raise DataError(f"slo '{written}' names no time; {such_as}") from error
    if not seconds > 0:
        raise DataError(f"slo '{written}' is no time above 0; {such_as}")
    return Limit(metric=metric, seconds=seconds, written=f"{metric}={time}")


def headroom_asked(found: object) -> float:
    """Read a headroom: ``30%``, ``0.3``, or the number 0.3.

    Raises
    ------
    DataError
        For what is no share from 0 to below 1.

    Examples
    --------
    >>> headroom_asked("30%"), headroom_asked(0.3), headroom_asked("")
    (0.3, 0.3, 0.0)
    """
    share = 0.0 if isinstance(found, str) and not found.strip() else _share(found)
    if not 0 <= share < 1:
        raise DataError(f"headroom '{printable(str(found), 60)}' is no share from 0 to below 1; write 30% or 0.3")
    return share


def probability_asked(found: object) -> float:
    """Read the probability with which nodes are to be enough: ``95%``, ``0.95``, or the number 0.95.

    Raises
    ------
    DataError
        For what is no share from 0.5 to below 1.

    Examples
    --------
    >>> probability_asked("95%"), probability_asked(0.9)
    (0.95, 0.9)
    """
    share = _share(found)
    if not 0.5 <= share < 1:
        raise DataError(f"probability '{printable(str(found), 60)}' is not from 0.5 to below 1; write 0.95 or 95%")
    return share


def _share(found: object) -> float:
    """Read a share, as a number or in percent; NaN for what is none."""
    text = str(found).strip() if isinstance(found, str | int | float) and not isinstance(found, bool) else ""
    number, sign, rest = text.partition("%")
    return float(number) / (100 if sign else 1) if _is_number(number) and not rest.strip() else math.nan


def survive_asked(found: object) -> int:
    """Read how many nodes may be lost.

    Raises
    ------
    DataError
        For what is no whole number from 0 on.

    Examples
    --------
    >>> survive_asked("1"), survive_asked(2)
    (1, 2)
    """
    text = str(found).strip() if isinstance(found, str | int) and not isinstance(found, bool) else "?"
    if not (text.isascii() and text.isdigit() and len(text) < 9 and int(text) <= _MOST_SURVIVE):
        raise DataError(
            f"survive '{printable(str(found), 60)}' is no whole number of nodes from 0 to {_MOST_SURVIVE:,}; write 1"
        )
    return int(text)


def growth_asked(text: str) -> Growth | None:
    """Read a growth such as ``4%/month`` or ``60%/year``; None for an empty text.

    Raises
    ------
    DataError
        For what is no share by month or year above -100 %.

    Examples
    --------
    >>> round(growth_asked("4%/month").monthly, 4), round(growth_asked("60%/year").monthly, 4)
    (0.04, 0.0399)
    """
    such_as = "write it like 4%/month"
    written = written_text(text, "growth", such_as)
    if not written:
        return None
    share, slash, period = (one.strip() for one in written.partition("/"))
    number = share.removesuffix("%").strip()
    if not slash or not period:
        raise DataError(f"growth '{written}' names no period; {such_as} or 60%/year")
    if period not in _MONTHS:
        raise DataError(f"growth '{written}' is by '{period}'; periods: {choices(_MONTHS)}; {such_as} or 60%/year")
    if not share.endswith("%") or not _is_number(number):
        raise DataError(f"growth '{written}' is no share in percent; {such_as}")
    grown = 1 + float(number) / 100
    if not 0 < grown < 100:
        raise DataError(f"growth '{written}' is not between -100 % and 9,900 %; {such_as}")
    return Growth(monthly=grown ** (1 / _MONTHS[period]) - 1, written=written)


def month_asked(text: str) -> str:
    """Read a month such as ``2026-11``, or nothing.

    Raises
    ------
    DataError
        For anything else.

    Examples
    --------
    >>> month_asked("2026-11")
    '2026-11'
    """
    written = written_text(text, "from", "write it like 2026-11")
    found = _MONTH.fullmatch(written)
    if written and not (found and 1 <= int(found[2]) <= 12):
        raise DataError(f"from '{written}' is no month; write it like 2026-11")
    if found and int(found[1]) not in _YEARS:
        raise DataError(f"from '{written}' is not in a year from {_YEARS[0]} to {_YEARS[-1]}; write it like 2026-11")
    return written


def mix_asked(given: str | Mapping[str, object]) -> Mapping[str, float]:
    """Read a mix such as ``discover=70,select=30`` or ``discover=70%,select=30%``; parts need not sum to 100.

    Raises
    ------
    DataError
        For a part that is no number above 0, and an operation that is no text or is named twice.

    Examples
    --------
    >>> mix_asked("discover=70, select=30")
    {'discover': 70.0, 'select': 30.0}
    """
    such_as = "write it like discover=70,select=30"
    pairs: list[tuple[str, object]] = []
    if isinstance(given, str):
        for part in [one for one in given.split(",") if one.strip()]:
            name, _, value = (one.strip() for one in part.partition("="))
            part = value.removesuffix("%").strip()
            pairs.append((name, float(part) if _is_number(part) else value))
    elif isinstance(given, Mapping):
        pairs = list(given.items())
    else:
        raise DataError(f"mix {printable(repr(given), 60)} is no text; {such_as}")
    found: dict[str, float] = {}
    for name, share in pairs:
        if not isinstance(name, str):
            raise DataError(f"mix names the operation {printable(repr(name), 60)}, no text; {such_as}")
        shown = printable(name, 60)
        if isinstance(share, bool) or not isinstance(share, int | float) or not (math.isfinite(share) and share > 0):
            raise DataError(
                f"mix: the share of '{shown}' is '{printable(str(share), 60)}', no number above 0; {such_as}"
            )
        if name in found:
            raise DataError(f"mix names '{shown}' twice; {such_as}")
        found[name] = float(share)
    if not math.isfinite(sum(found.values())):
        raise DataError(f"mix: its shares sum to more than any number; {such_as}")
    return found


def written_text(text: str, name: str, such_as: str) -> str:
    """Return a text as it is told in messages: trimmed, bounded, without control codes.

    Raises
    ------
    DataError
        For what is no text.

    Examples
    --------
    >>> written_text(" 5ms ", "slo", "write it like 5ms")
    '5ms'
    """
    if not isinstance(text, str):
        raise DataError(f"{name} {printable(repr(text), 60)} is no text; {such_as}")
    return printable(text.strip(), 60)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
