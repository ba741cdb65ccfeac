"""Quantities of a capacity plan as a person writes them: a load, a limit, growth, a mix, kinds of node and prices."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchlib.errors import DataError, choices, printable, suggestion
from benchlib.units import parse_duration, parse_quantity

#: Months of a period that growth is counted by.
_MONTHS = {"month": 1.0, "year": 12.0}
_PERCENTILE = re.compile(r"(?:latency_)?p(\d+(?:\.\d+)?)")
_MONTH = re.compile(r"(\d{4})-(\d{2})")
#: Growth is followed for a hundred years, and a year has four digits.
_YEARS = range(1900, 9900)
#: Nobody plans to lose more nodes than this, nor for more work than this by whatever time.
_MOST_SURVIVE, _MOST_WORK = 1_000, 1e15
#: A month is a twelfth of a year of 365 days.
HOURS_A_MONTH = 730.0
#: Hours of a period that money is counted by.
_HOURS = {"h": 1.0, "hour": 1.0, "day": 24.0, "month": HOURS_A_MONTH, "year": 8760.0}
_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}
_COST = re.compile(r"([$€£¥])?\s*(\d+(?:\.\d*)?|\.\d+)\s*([A-Za-z]{3})?\s*(?:/\s*([a-z]+))?")
_NAME = re.compile(r"[A-Za-z]{3}")
#: No node has more cores.
_MOST_CORES = 100_000


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


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePlan:
    """A kind of node that can be had: what it costs by hour, None and no currency where no price was named."""

    cores: int
    cost: float | None
    currency: str
    written: str


def parse_target(text: str) -> Target | None:
    """Read a target such as ``50000/s`` or ``50000 req/s``; None for an empty text."""
    such_as = "write it like 50000/s"
    written = _written(text, "target", such_as)
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


def parse_limit(text: str) -> Limit | None:
    """Read a limit such as ``latency_p99=5ms`` or ``latency_mean=2ms``; None for an empty text."""
    such_as = "write it like latency_p99=5ms"
    written = _written(text, "slo", such_as)
    if not written:
        return None
    name, equals, time = (side.strip() for side in written.partition("="))
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


def parse_headroom(given: object) -> float:
    """Read a headroom: ``30%``, ``0.3``, or the number 0.3."""
    share = 0.0 if isinstance(given, str) and not given.strip() else _share(given)
    if not 0 <= share < 1:
        raise DataError(f"headroom '{printable(str(given), 60)}' is no share from 0 to below 1; write 30% or 0.3")
    return share


def parse_tolerated(given: object) -> float:
    """Read the share of operations that may fail: ``0.1%``, ``0.001``, or the number 0.001."""
    share = _share(given)
    if not 0 <= share <= 1:
        raise DataError(f"tolerated '{printable(str(given), 60)}' is no share from 0 to 1; write 0.1% or 0.001")
    return share


def parse_probability(given: object) -> float:
    """Read the probability with which nodes are to be enough: ``95%``, ``0.95``, or the number 0.95."""
    share = _share(given)
    if not 0.5 <= share < 1:
        raise DataError(f"probability '{printable(str(given), 60)}' is not from 0.5 to below 1; write 0.95 or 95%")
    return share


def _share(given: object) -> float:
    """Read a share, as a number or in percent; NaN for what is none."""
    text = str(given).strip() if isinstance(given, str | int | float) and not isinstance(given, bool) else ""
    number, sign, rest = text.partition("%")
    return float(number) / (100 if sign else 1) if _is_number(number) and not rest.strip() else math.nan


def parse_survive(given: object) -> int:
    """Read how many nodes may be lost."""
    text = str(given).strip() if isinstance(given, str | int) and not isinstance(given, bool) else "?"
    if not (text.isascii() and text.isdigit() and len(text) < 9 and int(text) <= _MOST_SURVIVE):
        raise DataError(
            f"survive '{printable(str(given), 60)}' is no whole number of nodes from 0 to {_MOST_SURVIVE:,}; write 1"
        )
    return int(text)


def parse_growth(text: str) -> Growth | None:
    """Read a growth such as ``4%/month`` or ``60%/year``; None for an empty text."""
    such_as = "write it like 4%/month"
    written = _written(text, "growth", such_as)
    if not written:
        return None
    share, slash, period = (side.strip() for side in written.partition("/"))
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


def parse_month(text: str) -> str:
    """Read a month such as ``2026-11``, or nothing."""
    written = _written(text, "from", "write it like 2026-11")
    match = _MONTH.fullmatch(written)
    if written and not (match and 1 <= int(match[2]) <= 12):
        raise DataError(f"from '{written}' is no month; write it like 2026-11")
    if match and int(match[1]) not in _YEARS:
        raise DataError(f"from '{written}' is not in a year from {_YEARS[0]} to {_YEARS[-1]}; write it like 2026-11")
    return written


def parse_mix(given: str | Mapping[str, object]) -> Mapping[str, float]:
    """Read a mix such as ``discover=70,select=30`` or ``discover=70%,select=30%``; parts need not sum to 100."""
    such_as = "write it like discover=70,select=30"
    pairs: list[tuple[str, object]] = []
    if isinstance(given, str):
        for part in [part for part in given.split(",") if part.strip()]:
            name, _, value = (text.strip() for text in part.partition("="))
            part = value.removesuffix("%").strip()
            pairs.append((name, float(part) if _is_number(part) else value))
    elif isinstance(given, Mapping):
        pairs = list(given.items())
    else:
        raise DataError(f"mix {printable(repr(given), 60)} is no text; {such_as}")
    mix: dict[str, float] = {}
    for name, share in pairs:
        if not isinstance(name, str):
            raise DataError(f"mix names the operation {printable(repr(name), 60)}, no text; {such_as}")
        shown = printable(name, 60)
        if isinstance(share, bool) or not isinstance(share, int | float) or not (math.isfinite(share) and share > 0):
            raise DataError(
                f"mix: the share of '{shown}' is '{printable(str(share), 60)}', no number above 0; {such_as}"
            )
        if name in mix:
            raise DataError(f"mix names '{shown}' twice; {such_as}")
        mix[name] = float(share)
    if not math.isfinite(sum(mix.values())):
        raise DataError(f"mix: its shares sum to more than any number; {such_as}")
    return mix


def parse_nodes(texts: str | Sequence[str], currency: str = "") -> tuple[NodePlan, ...]:
    """Read kinds of node such as ``cores=8,cost=0.34/h``, and check that they can be set against each other."""
    listed = [texts] if isinstance(texts, str) and texts else texts
    if not isinstance(listed, Sequence) or not all(isinstance(text, str) for text in listed):
        raise DataError(f"node {printable(repr(texts), 60)} is no text; write it like cores=8,cost=0.34/h")
    nodes = [_node(kind, parse_currency(currency)) for text in listed for kind in text.split(";")]
    for at, node in enumerate(nodes):
        for other in nodes[:at]:
            if node.cores == other.cores:
                what = "twice" if node.cost == other.cost else "at two prices"
                raise DataError(
                    f"nodes '{other.written}' and '{node.written}' are {node.cores} cores {what}; keep one of them"
                )
    priced = [node for node in nodes if node.cost is not None]
    if priced and len(priced) < len(nodes):
        bare = next(node for node in nodes if node.cost is None)
        raise DataError(f"node '{bare.written}' has no cost and '{priced[0].written}' has; give all a cost, or none")
    currencies = {node.currency: node for node in priced}
    if len(currencies) > 1:
        first, second = list(currencies.values())[:2]
        raise DataError(
            f"nodes '{first.written}' and '{second.written}' cost {first.currency or 'an unnamed currency'} and "
            f"{second.currency or 'an unnamed currency'}; name one currency for all"
        )
    return tuple(sorted(nodes, key=lambda node: node.cores))


def _node(text: str, currency: str) -> NodePlan:
    such_as = "write it like cores=8,cost=0.34/h"
    written = printable(text.strip(), 60)
    given: dict[str, str] = {}
    for part in written.split(","):
        name, equals, value = (side.strip() for side in part.partition("="))
        if name not in ("cores", "cost") or not equals:
            raise DataError(
                f"node '{written}' has the part '{part.strip()}'{suggestion(name, ('cores', 'cost'))}; {such_as}"
            )
        if name in given:
            raise DataError(f"node '{written}' names {name} twice; {such_as}")
        given[name] = value
    cores = given.get("cores", "")
    if not (cores.isascii() and cores.isdigit() and len(cores) < 9 and 1 <= int(cores) <= _MOST_CORES):
        raise DataError(f"node '{written}' names no whole number of cores from 1 to {_MOST_CORES:,}; {such_as}")
    if "cost" not in given:
        return NodePlan(cores=int(cores), cost=None, currency="", written=written)
    cost, named = _cost(given["cost"], written)
    return NodePlan(cores=int(cores), cost=cost, currency=named or currency, written=written)


def _cost(text: str, node: str) -> tuple[float, str]:
    """Return what an hour costs, and the currency where one is named."""
    such_as = "write it like 0.34/h, $0.34/h or 0.34USD/h"
    match = _COST.fullmatch(text)
    if not match:
        raise DataError(f"node '{node}': cost '{text}' is no price by time; {such_as}")
    sign, amount, letters, period = match.groups()
    if not period:
        raise DataError(f"node '{node}': cost '{text}' names no period; {such_as}")
    if period not in _HOURS:
        raise DataError(f"node '{node}': cost '{text}' is by '{period}'; periods: {choices(_HOURS)}; {such_as}")
    if sign and letters and _SIGNS[sign] != letters.upper():
        raise DataError(f"node '{node}': cost '{text}' names two currencies; {such_as}")
    if not float(amount) > 0:
        raise DataError(f"node '{node}': cost '{text}' is not above 0; leave cost out where there is none")
    return float(amount) / _HOURS[period], _SIGNS[sign] if sign else (letters or "").upper()


def parse_currency(text: str) -> str:
    """Read a currency: three letters, or nothing."""
    written = _written(text, "currency", "write it like EUR")
    if written in _SIGNS:
        return _SIGNS[written]
    if written and not _NAME.fullmatch(written):
        raise DataError(f"currency '{written}' is no three letters; write it like EUR")
    return written.upper()


def _written(text: str, name: str, such_as: str) -> str:
    """Return a text as it is told in messages: trimmed, bounded, without control codes."""
    if not isinstance(text, str):
        raise DataError(f"{name} {printable(repr(text), 60)} is no text; {such_as}")
    return printable(text.strip(), 60)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
