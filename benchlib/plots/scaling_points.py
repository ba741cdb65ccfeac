"""What the points alone say: efficiency and serial fraction against concurrency."""

from __future__ import annotations

import math

import plotly.graph_objects as go

from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.plots.scaling_marks import level_axis
from benchlib.plots.style import AXIS, COLOURS, DASHES, SYMBOLS, Trace, empty_figure, plain, scatter

__all__ = ["efficiency_figure", "serial_fraction_figure"]


def efficiency_figure(answer: ScalingAnswer, *, alt: str, caption: str) -> go.Figure:
    """Draw efficiency against concurrency, with the line of perfect scaling."""
    figure = empty_figure(alt=alt, caption=caption, height=360)
    for number, one in enumerate(answer.curves):
        levels, shares = [point.concurrency for point in one.points], [point.efficiency for point in one.points]
        figure.add_trace(_line(one, number, levels, shares, "%{x}: %{y:.0%}<extra></extra>"))
    figure.add_hline(y=1, line={"color": AXIS, "dash": "dot", "width": 1})
    level_axis(figure, [point.concurrency for one in answer.curves for point in one.points], answer.axis)
    figure.update_yaxes(tickformat=".0%", rangemode="tozero", title="efficiency")
    return figure


def serial_fraction_figure(answer: ScalingAnswer, *, alt: str, caption: str) -> go.Figure | None:
    """Draw Karp and Flatt's serial fraction against concurrency; None where no curve has two."""
    figure = empty_figure(alt=alt, caption=caption, height=360)
    drawn: list[float] = []
    for number, one in enumerate(answer.curves):
        known = [point for point in one.points if math.isfinite(point.serial_fraction)]
        if len(known) > 1:
            levels, values = [point.concurrency for point in known], [point.serial_fraction for point in known]
            drawn += levels
            figure.add_trace(_line(one, number, levels, values, "%{x}: %{y:.4f}<extra></extra>"))
    if not drawn:
        return None
    figure.add_hline(y=0, line={"color": AXIS, "dash": "dot", "width": 1})
    level_axis(figure, drawn, answer.axis)
    figure.update_yaxes(rangemode="tozero", title="serial fraction")
    return figure


def _line(one: CurveAnswer, number: int, x: list[float], y: list[float], hover: str) -> Trace:
    return scatter(
        x=x,
        y=y,
        mode="lines+markers",
        line={"color": COLOURS[number % len(COLOURS)], "dash": DASHES[number % len(DASHES)]},
        marker={"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 8},
        name=plain(one.name),
        hovertemplate=hover,
        showlegend=True,
    )
