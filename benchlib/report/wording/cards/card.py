"""One figure of merit, and a row of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from markupsafe import Markup

from benchlib.answers.latency import LatencyRow
from benchlib.answers.samples import SampleRow
from benchlib.report.wording.markup import tag

Row = TypeVar("Row", LatencyRow, SampleRow)


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A figure of merit.

    Attributes
    ----------
    label, value : str
        What it is, and the number with its unit.
    interval : str
        How sure it is.
    change : str
        Against the baseline, where recordings are compared.
    target : str
        What it is to keep, and whether it does, where the study says.
    note : str
    """

    label: str
    value: str
    interval: str
    change: str
    target: str
    note: str


def card_row(chosen: Sequence[Card]) -> Markup:
    """Return the cards as markup."""
    return tag(
        "div",
        *(
            tag(
                "div",
                tag("div", one.label, css="card-label"),
                tag("div", one.value, css="card-value"),
                tag("div", one.interval, css="card-interval"),
                *([tag("div", one.change, css="card-change")] if one.change else []),
                *([tag("div", one.target, css="card-target")] if one.target else []),
                tag("div", one.note, css="card-note"),
                css="card",
            )
            for one in chosen
        ),
        css="cards",
    )


def in_turns(rows: Iterable[Row]) -> list[Row]:
    """Return the first row of each benchmark, then their second ones, and so on: few cards show many benchmarks.

    Examples
    --------
    >>> import benchlib
    >>> study = benchlib.open_study("data/http-endpoints", where="metric=throughput connections=1,2 benchmark!=/hash")
    >>> rows = in_turns(benchlib.summarise_samples(study).rows)
    >>> [(row.key["benchmark"], row.key["connections"]) for row in rows]
    [('/cheap', 1), ('/json', 1), ('/cheap', 2), ('/json', 2)]
    """
    met = Counter[object]()
    turns = []
    for row in rows:
        benchmark = row.key.get("benchmark")
        met[benchmark] += 1
        turns.append((met[benchmark], row))
    return [row for _, row in sorted(turns, key=lambda turn: turn[0])]
