"""Kinds of node that can be had, such as ``cores=8,cost=0.34/h``: read, and checked against each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchlib.errors import DataError, choices, printable, suggestion
from benchlib.study.capacity_words import written_text

__all__ = ["HOURS_A_MONTH", "NodePlan", "currency_asked", "nodes_asked"]

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
class NodePlan:
    """A kind of node that can be had.

    Attributes
    ----------
    cores : int
    cost : float or None
        By hour; None where no price was named.
    currency : str
        Three letters; empty where none was named.
    written : str
    """

    cores: int
    cost: float | None
    currency: str
    written: str


def nodes_asked(texts: str | Sequence[str], currency: str = "") -> tuple[NodePlan, ...]:
    """Read kinds of node such as ``cores=8,cost=0.34/h``, and check that they can be set against each other.

    Parameters
    ----------
    texts : str or sequence of str
        One text may name several kinds, with semicolons between.
    currency : str
        Of prices that name none.

    Raises
    ------
    DataError
        For a kind that cannot be meant, and for kinds that contradict each other.

    Examples
    --------
    >>> nodes_asked(["cores=8,cost=$0.34/h"])
    (NodePlan(cores=8, cost=0.34, currency='USD', written='cores=8,cost=$0.34/h'),)
    """
    listed = [texts] if isinstance(texts, str) and texts else texts
    if not isinstance(listed, Sequence) or not all(isinstance(one, str) for one in listed):
        raise DataError(f"node {printable(repr(texts), 60)} is no text; write it like cores=8,cost=0.34/h")
    each = [one for text in listed for one in text.split(";")]
    found = [_node(one, currency_asked(currency)) for one in each]
    for at, one in enumerate(found):
        for other in found[:at]:
            if one.cores == other.cores:
                what = "twice" if one.cost == other.cost else "at two prices"
                raise DataError(
                    f"nodes '{other.written}' and '{one.written}' are {one.cores} cores {what}; keep one of them"
                )
    priced = [one for one in found if one.cost is not None]
    if priced and len(priced) < len(found):
        bare = next(one for one in found if one.cost is None)
        raise DataError(f"node '{bare.written}' has no cost and '{priced[0].written}' has; give all a cost, or none")
    currencies = {one.currency: one for one in priced}
    if len(currencies) > 1:
        one, two = list(currencies.values())[:2]
        raise DataError(
            f"nodes '{one.written}' and '{two.written}' cost {one.currency or 'an unnamed currency'} and "
            f"{two.currency or 'an unnamed currency'}; name one currency for all"
        )
    return tuple(sorted(found, key=lambda one: one.cores))


def _node(text: str, currency: str) -> NodePlan:
    such_as = "write it like cores=8,cost=0.34/h"
    written = printable(text.strip(), 60)
    given: dict[str, str] = {}
    for part in written.split(","):
        name, equals, value = (one.strip() for one in part.partition("="))
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
    found = _COST.fullmatch(text)
    if not found:
        raise DataError(f"node '{node}': cost '{text}' is no price by time; {such_as}")
    sign, amount, letters, period = found.groups()
    if not period:
        raise DataError(f"node '{node}': cost '{text}' names no period; {such_as}")
    if period not in _HOURS:
        raise DataError(f"node '{node}': cost '{text}' is by '{period}'; periods: {choices(_HOURS)}; {such_as}")
    if sign and letters and _SIGNS[sign] != letters.upper():
        raise DataError(f"node '{node}': cost '{text}' names two currencies; {such_as}")
    if not float(amount) > 0:
        raise DataError(f"node '{node}': cost '{text}' is not above 0; leave cost out where there is none")
    return float(amount) / _HOURS[period], _SIGNS[sign] if sign else (letters or "").upper()


def currency_asked(text: str) -> str:
    """Read a currency: three letters, or nothing.

    Raises
    ------
    DataError
        For anything else.

    Examples
    --------
    >>> currency_asked("eur"), currency_asked("$")
    ('EUR', 'USD')
    """
    written = written_text(text, "currency", "write it like EUR")
    if written in _SIGNS:
        return _SIGNS[written]
    if written and not _NAME.fullmatch(written):
        raise DataError(f"currency '{written}' is no three letters; write it like EUR")
    return written.upper()
