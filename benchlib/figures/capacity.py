"""How many nodes each load takes: a bar each, with its range, and what limits a node written above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchlib.figures.style import BLUE, INK, MUTED, chart, label, plain

__all__ = ["NodeBar", "node_bars"]

#: Of the part of a bar that noise leaves open.
_OPEN = "#b4bcc7"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeBar:
    """One load: its name, the range of counts that noise leaves, in numbers and words, and what limits a node."""

    name: str
    low: float
    high: float
    words: str
    limit: str


def node_bars(bars: Sequence[NodeBar]) -> dict[str, Any]:
    """Draw a bar a load: blue to the least count, grey to the most."""
    places = list(range(len(bars)))
    marks = []
    for place, bar in zip(places, bars, strict=True):
        shift = {"xanchor": "left", "yanchor": "bottom", "align": "left"}
        words = label(f"{bar.name}: {bar.words}", 0, place, yshift=29, font={"size": 13, "color": INK}, **shift)
        marks += [words, label(bar.limit, 0, place, yshift=13, font={"size": 12, "color": MUTED}, **shift)]
    common = {
        "type": "bar",
        "orientation": "h",
        "y": places,
        "width": 0.3,
        "ids": [f"{bar.name}: {bar.words}" for bar in bars],
        "text": [plain(f"{bar.name}: {bar.words}; {bar.limit}") for bar in bars],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
    }
    traces = [
        {**common, "x": [bar.low for bar in bars], "marker": {"color": BLUE}},
        {**common, "x": [bar.high - bar.low for bar in bars], "marker": {"color": _OPEN}},
    ]
    drawn = chart(
        traces,
        height=78 * len(bars) + 40,
        xaxis={"rangemode": "tozero", "tickformat": ",d", "nticks": 6},
        yaxis={"range": [len(bars) - 0.6, -0.85], "showticklabels": False},
        marks=marks,
    )
    drawn["layout"]["barmode"] = "stack"
    return drawn
