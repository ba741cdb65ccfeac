"""How a report's key figure went from build to build, from the records of its history: a line of a few pixels.

A record is what ``history.json`` keeps of one build: ``stamp``, ``status``, ``verdict`` and ``cards``, each card with
the ``label`` and ``value`` that the page showed. A file on disk may hold anything: what is no record is passed over.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from benchlib.errors import DataError, printable
from benchlib.units import parse_quantity

__all__ = ["Trend", "changed_since", "read_trend", "sparkline"]

#: Points of one line; older ones are left out.
_MOST_POINTS = 30
_WIDTH, _HEIGHT, _EDGE = 132, 30, 4

#: One number and one unit: "2 worse, 3 better" is no quantity that goes up or down.
_QUANTITY = re.compile(r"[\d.,]+ ?[^\s\d.,]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """A key figure over the builds of a report.

    Attributes
    ----------
    label : str
        Which figure.
    values : tuple of float
        Oldest first, in one unit.
    shown : tuple of str
        The same as the pages showed them.
    days : tuple of str
        When, ``2026-11-20``.
    """

    label: str
    values: tuple[float, ...]
    shown: tuple[str, ...]
    days: tuple[str, ...]


def read_trend(records: Sequence[Mapping[str, Any]]) -> Trend | None:
    """Return the first figure of the newest build that is not what it was; None where there is none to follow.

    Where none has moved it is the first that earlier builds had too.

    Parameters
    ----------
    records : sequence of mapping
        Oldest first.

    Examples
    --------
    >>> cards = [{"cards": [{"label": "p99", "value": f"{ms} ms"}], "stamp": "2026-11-20"} for ms in (2.0, 1.5)]
    >>> trend = read_trend(cards)
    >>> trend.label, trend.shown
    ('p99', ('2.0 ms', '1.5 ms'))
    """
    found = [trend for label in _labels(records[-1:]) if (trend := _trend(records[-_MOST_POINTS:], label))]
    moved = [one for one in found if len(set(one.values)) > 1]
    return next(iter([*moved, *found]), None)


def _trend(records: Sequence[Mapping[str, Any]], label: str) -> Trend | None:
    points = [found for one in records if (found := _point(one, label))]
    points = [one for one in points if one[1] == points[-1][1]]  # in the unit of the newest
    if len(points) < 2:
        return None
    values, _, shown, days = zip(*points, strict=True)
    return Trend(label=label, values=values, shown=shown, days=days)


def changed_since(records: Sequence[Mapping[str, Any]]) -> str:
    """Say what the newest build has that the one before it had not; "" for nothing.

    Examples
    --------
    >>> changed_since([{"status": "PASS"}, {"status": "WARN"}])
    'was PASS'
    """
    if len(records) < 2:
        return ""
    before, now = records[-2], records[-1]
    if before.get("status") != now.get("status"):
        return f"was {printable(str(before.get('status') or 'without a status'), 30)}"
    return "new verdict" if before.get("verdict") != now.get("verdict") else ""


def sparkline(trend: Trend) -> Markup:
    """Return a trend as a small drawing, which says in words what it shows."""
    low, high = min(trend.values), max(trend.values)
    room = (high - low) or 1.0
    across = (_WIDTH - 2 * _EDGE) / (len(trend.values) - 1)
    up = (_HEIGHT - 2 * _EDGE) / room
    places = [
        (_EDGE + number * across, _HEIGHT / 2 - (one - (low + high) / 2) * up)
        for number, one in enumerate(trend.values)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    words = (
        f"{trend.label}: {trend.shown[0]} on {trend.days[0]}, {trend.shown[-1]} on {trend.days[-1]}, "
        f"{len(trend.values)} builds"
    )
    return Markup(
        '<svg class="sparkline" role="img" aria-label="{words}" viewBox="0 0 {width} {height}" '
        'width="{width}" height="{height}"><title>{words}</title><polyline points="{line}"/>'
        '<circle cx="{x}" cy="{y}" r="3"/></svg>'
    ).format(words=words, width=_WIDTH, height=_HEIGHT, line=line, x=f"{places[-1][0]:.1f}", y=f"{places[-1][1]:.1f}")


def _labels(records: Sequence[Mapping[str, Any]]) -> list[str]:
    return [str(card["label"]) for one in records for card in _cards(one)]


def _cards(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    cards = record.get("cards")
    found = cards if isinstance(cards, list) else []
    return [one for one in found if isinstance(one, dict) and "label" in one and "value" in one]


def _point(record: Mapping[str, Any], label: str) -> tuple[float, str, str, str] | None:
    """Return value, unit, the value as shown and the day; None where the figure is not there, or no number."""
    text = next((str(one["value"]) for one in _cards(record) if one["label"] == label), "")
    if not _QUANTITY.fullmatch(text):
        return None
    try:
        value, unit = parse_quantity(text)
    except DataError:
        return None
    day = str(record.get("stamp", ""))[:10]
    return (value, unit, printable(text, 40), printable(day, 10)) if math.isfinite(value) else None
