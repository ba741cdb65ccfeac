"""Latency against throughput: what each request waits as the load grows, with the level written on each point."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from benchlib.document.blocks import Number
from benchlib.document.numbers import write
from benchlib.figures.style import AXIS, BAD, COLOURS, MUTED, Mark, chart, label, path, plain

__all__ = ["Point", "latency_curve"]

#: Room beside and above the points, as shares of an axis.
_BESIDE, _ABOVE = 0.1, 0.12
#: CSS pixels, about: the height of a line of words, and the width of a panel.
_LINE, _PANEL = 13.0, 200.0


class Point(NamedTuple):
    """One level: what it is called, its throughput, its latency."""

    level: str
    rate: Number
    latency: Number


def latency_curve(
    points: Sequence[Point], *, limit: Number | None = None, range_of: Sequence[Point] = (), height: int = 260
) -> dict[str, Any]:
    """Draw the levels of one sweep in their order; those beyond the limit are hollow and red.

    ``range_of`` are the points of all panels, so that panels side by side share their latency axis.
    """
    rates = [point.rate.value for point in points]
    waits = [point.latency.value for point in points]
    beyond = [limit is not None and wait > limit.value for wait in waits]
    colours = [BAD if over else COLOURS[0] for over in beyond]
    every = [point.latency.value for point in range_of or points] + ([limit.value] if limit is not None else [])
    low, high = math.log10(min(every)), math.log10(max(every))
    edge = _ABOVE * (high - low or 1.0)
    traces: list[Mark] = [
        path(rates, waits, color=AXIS, width=1.5),
        {
            "type": "scatter",
            "mode": "markers+text",
            "x": rates,
            "y": waits,
            "text": _spaced(points, low - edge, high + edge, height),
            "textposition": "middle left",
            "textfont": {"size": 12, "color": MUTED},
            "hovertext": [plain(f"{point.level}: {write(point.rate)}, {write(point.latency)}") for point in points],
            "hovertemplate": "%{hovertext}<extra></extra>",
            "marker": {
                "size": 10,
                "symbol": ["circle-open" if over else "circle" for over in beyond],
                "color": colours,
                "line": {"width": 2, "color": colours},
            },
        },
    ]
    shapes: list[Mark] = []
    marks: list[Mark] = []
    if limit is not None:
        place = {"x0": 0, "x1": 1, "xref": "paper", "y0": limit.value, "y1": limit.value}
        shapes.append({"type": "line", **place, "line": {"color": BAD, "width": 1, "dash": "dash"}})
        beside = {"xref": "paper", "xanchor": "left", "yanchor": "bottom", "font": {"size": 12, "color": BAD}}
        marks.append(label(f"limit {write(limit)}", 0, math.log10(limit.value), **beside))
    return chart(
        traces,
        height=height,
        xaxis={"range": [0, (1 + _BESIDE) * max(rates)], "nticks": 4, "tickformat": "~s"},
        yaxis={
            "type": "log",
            "range": [low - edge, high + edge],
            **_decades(low - edge, high + edge),
            "showgrid": True,
            "gridcolor": "rgba(138, 148, 163, 0.25)",
        },
        marks=marks,
        shapes=shapes,
        margin={"l": 58},
    )


def _decades(low: float, high: float) -> dict[str, Any]:
    """Return the powers of ten within a range, in words."""
    powers = [10.0**power for power in range(math.ceil(low), math.floor(high) + 1)]
    return {"tickvals": powers, "ticktext": [write(Number(value=power, unit="sec", digits=1)) for power in powers]}


def _spaced(points: Sequence[Point], low: float, high: float, height: int) -> list[str]:
    """Return the name of each point, without those that would be written over the one before."""
    shown: list[str] = []
    last: Point | None = None
    reach = (1 + _BESIDE) * max(point.rate.value for point in points)
    for point in points:
        if last is not None:
            down = abs(math.log10(point.latency.value / last.latency.value)) / (high - low) * height
            across = abs(point.rate.value - last.rate.value) / reach * _PANEL
            if down < _LINE and across < 2 * _LINE:
                shown.append("")
                continue
        shown.append(plain(point.level))
        last = point
    return shown
