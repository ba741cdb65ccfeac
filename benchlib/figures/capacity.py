"""How many nodes each load takes: a bar each, with its range, and what limits a node written above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchlib.figures.style import BLUE, INK, MUTED, chart, label, plain

__all__ = ["NodeBar", "node_bars"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeBar:
    """One load: its name, the count of nodes and the range that noise leaves, and what limits a node, in words."""

    name: str
    nodes: float
    low: float
    high: float
    words: str
    limit: str


def node_bars(bars: Sequence[NodeBar]) -> dict[str, Any]:
    """Draw a bar a load; the whisker is the range."""
    places = list(range(len(bars)))
    marks = []
    for place, bar in zip(places, bars, strict=True):
        shift = {"xanchor": "left", "yanchor": "bottom", "align": "left"}
        words = label(f"{bar.name}: {bar.words}", 0, place, yshift=29, font={"size": 13, "color": INK}, **shift)
        marks += [words, label(bar.limit, 0, place, yshift=13, font={"size": 12, "color": MUTED}, **shift)]
    trace = {
        "type": "bar",
        "orientation": "h",
        "x": [bar.nodes for bar in bars],
        "y": places,
        "width": 0.3,
        "marker": {"color": BLUE},
        "text": [plain(f"{bar.name}: {bar.words}; {bar.limit}") for bar in bars],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [bar.high - bar.nodes for bar in bars],
            "arrayminus": [bar.nodes - bar.low for bar in bars],
            "color": INK,
            "thickness": 2,
            "width": 5,
        },
    }
    return chart(
        [trace],
        height=78 * len(bars) + 40,
        xaxis={"rangemode": "tozero", "tickformat": ",d", "nticks": 6},
        yaxis={"range": [len(bars) - 0.6, -0.85], "showticklabels": False},
        marks=marks,
    )
