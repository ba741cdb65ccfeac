"""``[[claims]]``: sentences of an earlier report, each bound to a quantity of this one's answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from benchlib.metrics import canonical
from benchlib.study.questions import Bounds, read_bounds
from benchlib.study.section import Section

__all__ = ["About", "ClaimPlan", "ClaimRule", "read_claim"]

#: What a claim may be about.
About = Literal["median", "ratio", "gain", "speedup", "efficiency", "recommended", "slowest"]
#: By what a level of cores can be called the best.
ClaimRule = Literal["knee", "throughput per core", "throughput per added core"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPlan:
    """A sentence of an earlier report, and what has to hold if it is right.

    Attributes
    ----------
    text, source : str
        The sentence, and where it was said.
    about : {"median", "ratio", "gain", "speedup", "efficiency", "recommended", "slowest"}
        The quantity that decides it: the median of a metric; candidate over baseline of a comparison; by which
        factor the candidate is better; speedup or efficiency of a curve at a level; the level that a curve
        recommends; the least that the slowest requests take on average.
    of : str
        The comparison or curve; empty for all of them.
    where, metric : str
    at : float or None
        A level of concurrency, for speedup and efficiency.
    rule : {"knee", "throughput per core", "throughput per added core"}
        By which the recommended level is the best.
    low, high : float or None
        The bounds in base units; None where that side is open.
    unit : str
        Of the bounds; empty for a bare number.
    bound : str
        The bounds as they were written.
    """

    text: str
    source: str
    about: About
    of: str
    where: str
    metric: str
    at: float | None
    rule: ClaimRule
    low: float | None
    high: float | None
    unit: str
    bound: str


_ALWAYS = ("text", "source", "about", "at_least", "at_most", "between")
#: What a claim is about -> the keys that say where it is looked for.
_PLACES: Mapping[About, tuple[str, ...]] = {
    "median": ("metric", "where"),
    "ratio": ("of", "metric", "where"),
    "gain": ("of", "metric", "where"),
    "speedup": ("of", "at"),
    "efficiency": ("of", "at"),
    "recommended": ("of", "rule"),
    "slowest": ("where",),
}
#: What is bounded by a quantity with its unit; all else by a bare number.
_WITH_UNIT = ("median", "slowest")


def read_claim(table: Section) -> ClaimPlan:
    """Read one ``[[claims]]``: what was said and where, and the bound that decides it.

    Raises
    ------
    StudyError
        For a key that is missing, unknown, or says nothing of such a claim, and a bound that is none.
    """
    table.only(*_ALWAYS, *dict.fromkeys(key for keys in _PLACES.values() for key in keys))
    text = table.required("text", '"scales linearly to 8 cores"')
    source = table.required("source", '"report of 2026-03-31"')
    table.required("about", '"speedup"')
    about: About = table.choice("about", get_args(About), "median")
    for key in table.values:
        if key not in (*_ALWAYS, *_PLACES[about]):
            raise table.error(
                key, f"'{key}' {table.label} says nothing of a claim about '{about}', which takes {_taken(about)}"
            )
    metric = table.required("metric", '"time"') if about == "median" else table.text("metric")
    bounds = read_bounds(table, "claim") if about in _WITH_UNIT else _bare_bounds(table)
    if about == "slowest" and bounds.unit != "sec":
        raise table.error(None, f"the bound '{bounds.text}' {table.label} is no time; write it like '2 ms'")
    return ClaimPlan(
        text=text,
        source=source,
        about=about,
        of=table.text("of"),
        where=table.where("where"),
        metric=canonical(metric),
        at=_level(table) if "at" in _PLACES[about] else None,
        rule=table.choice("rule", get_args(ClaimRule), "knee"),
        low=bounds.low,
        high=bounds.high,
        unit=bounds.unit,
        bound=bounds.text,
    )


def _taken(about: About) -> str:
    return ", ".join((*_PLACES[about], *_ALWAYS[3:]))


def _level(table: Section) -> float:
    if "at" not in table.values:
        raise table.error(None, f"'at' {table.label} is missing; write at = 8, the level of concurrency that is meant")
    return table.number("at", "a level of concurrency, e.g. 8")


def _bare_bounds(table: Section) -> Bounds:
    """Read bounds of a quantity without a unit: a factor, a share, a level."""
    written = table.values
    if "between" in written:
        ends = written["between"]
        if "at_most" in written or "at_least" in written:
            raise table.error("between", f"'between' {table.label} stands beside another bound; keep one")
        if not isinstance(ends, list) or len(ends) != 2:
            raise table.wrong("between", "two numbers, e.g. [0.9, 1.1]")
        low, high = (table.checked_number("between", one, "two numbers, e.g. [0.9, 1.1]") for one in ends)
        _in_order(table, "between", low, high)
        return Bounds(low=low, high=high, unit="", text=f"between {low:g} and {high:g}")
    found = {key: table.number(key, "a number, e.g. 0.9") for key in ("at_least", "at_most") if key in written}
    if not found:
        raise table.error(None, f"a claim {table.label} needs at_most, at_least or between")
    if len(found) == 2:
        _in_order(table, "at_most", found["at_least"], found["at_most"])
    text = " and ".join(f"{key.replace('_', ' ')} {value:g}" for key, value in found.items())
    return Bounds(low=found.get("at_least"), high=found.get("at_most"), unit="", text=text)


def _in_order(table: Section, key: str, low: float, high: float) -> None:
    if low > high:
        raise table.error(
            key, f"nothing can be between {low:g} and {high:g}: the bounds {table.label} are swapped; exchange them"
        )
