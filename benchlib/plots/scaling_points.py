"""What the points alone say: efficiency and serial fraction against concurrency."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.plots.scaling_marks import level_axis, level_line
from benchlib.plots.style import AXIS, COLOURS, DASHES, SYMBOLS, Trace, figure_of, plain, scatter
from benchlib.scaling.points import ScalingPoint

__all__ = ["efficiency_figure", "serial_fraction_figure"]

#: Where the points of perfect scaling would lie.
_PERFECT = {"color": AXIS, "dash": "dot", "width": 1}


def efficiency_figure(answer: ScalingAnswer, *, alt: str, caption: str) -> go.Figure:
    """Draw efficiency against concurrency, with the line of perfect scaling."""
    traces = [
        _line(one, number, one.points, [point.efficiency for point in one.points], "%{x}: %{y:.0%}<extra></extra>")
        for number, one in enumerate(answer.curves)
    ]
    return figure_of(
        traces,
        alt=alt,
        caption=caption,
        height=360,
        xaxis=level_axis([level for trace in traces for level in trace["x"]], answer.axis),
        yaxis={"tickformat": ".0%", "rangemode": "tozero", "title": "efficiency"},
        shapes=[level_line(1, _PERFECT)],
    )


def serial_fraction_figure(answer: ScalingAnswer, *, alt: str, caption: str) -> go.Figure | None:
    """Draw Karp and Flatt's serial fraction against concurrency; None where no curve has two."""
    traces = []
    for number, one in enumerate(answer.curves):
        known = [point for point in one.points if math.isfinite(point.serial_fraction)]
        if len(known) > 1:
            values = [point.serial_fraction for point in known]
            traces.append(_line(one, number, known, values, "%{x}: %{y:.4f}<extra></extra>"))
    if not traces:
        return None
    return figure_of(
        traces,
        alt=alt,
        caption=caption,
        height=360,
        xaxis=level_axis([level for trace in traces for level in trace["x"]], answer.axis),
        yaxis={"rangemode": "tozero", "title": "serial fraction"},
        shapes=[level_line(0, _PERFECT)],
    )


def _line(one: CurveAnswer, number: int, points: Sequence[ScalingPoint], y: list[float], hover: str) -> Trace:
    return scatter(
        x=[point.concurrency for point in points],
        y=y,
        mode="lines+markers",
        line={"color": COLOURS[number % len(COLOURS)], "dash": DASHES[number % len(DASHES)]},
        marker={"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 8},
        name=plain(one.name),
        hovertemplate=hover,
        showlegend=True,
    )
