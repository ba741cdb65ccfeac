"""``[capacity]`` of ``study.toml``: what is asked of capacity, in the words of ``benchlib capacity``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from benchlib.errors import DataError
from benchlib.study.capacity_nodes import NodePlan, currency_asked, nodes_asked
from benchlib.study.capacity_words import (
    Growth,
    Limit,
    Target,
    growth_asked,
    headroom_asked,
    limit_asked,
    mix_asked,
    month_asked,
    survive_asked,
    target_asked,
)
from benchlib.study.section import Section

__all__ = ["CapacityPlan", "read_capacity"]

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityPlan:
    """What a study asks of capacity; what is None, 0 or empty was not said.

    Attributes
    ----------
    target : Target or None
    limit : Limit or None
    headroom : float
    survive : int
    nodes : tuple of NodePlan
    growth : Growth or None
    start : str
        The month of the target, such as ``2026-11``.
    currency : str
    mix : mapping of str to float
    """

    target: Target | None
    limit: Limit | None
    headroom: float
    survive: int
    nodes: tuple[NodePlan, ...]
    growth: Growth | None
    start: str
    currency: str
    mix: Mapping[str, float]


def read_capacity(table: Section) -> CapacityPlan:
    """Read ``[capacity]``."""
    if "claims" in table.values:
        raise table.error(
            "claims",
            '[[capacity.claims]] are [[claims]] like all others; write text, source, about = "recommended", '
            'rule = "throughput per core" and between = [4, 8] there',
        )
    table.only("target", "slo", "headroom", "survive", "nodes", "growth", "from", "currency", "mix")
    values, mix = table.values, table.section("mix").values
    return CapacityPlan(
        target=_told(table, "target", lambda: target_asked(table.text("target"))),
        limit=_told(table, "slo", lambda: limit_asked(table.text("slo"))),
        headroom=_told(table, "headroom", lambda: headroom_asked(values.get("headroom", 0.0))),
        survive=_told(table, "survive", lambda: survive_asked(values.get("survive", 0))),
        nodes=_told(table, "nodes", lambda: nodes_asked(table.texts("nodes"), table.text("currency"))),
        growth=_told(table, "growth", lambda: growth_asked(table.text("growth"))),
        start=_told(table, "from", lambda: month_asked(table.text("from"))),
        currency=_told(table, "currency", lambda: currency_asked(table.text("currency"))),
        mix=_told(table, "mix", lambda: mix_asked(mix)),
    )


def _told(table: Section, key: str, read: Callable[[], Found]) -> Found:
    """Read a key, with the place of a mistake."""
    try:
        return read()
    except DataError as error:
        raise table.error(key, f"'{key}' {table.label}: {error}") from error
