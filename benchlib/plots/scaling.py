"""Throughput against concurrency: points, chosen law, band, and the machine's cores."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.plots.style import AXIS, COLOURS, DASHES, SYMBOLS, empty_figure, plain
from benchlib.scaling.prediction import predict

__all__ = ["efficiency_figure", "scaling_figure"]

#: Curves that differ by more than this factor get panels of their own.
SHARED_RANGE = 3.0
#: The wide space between panels leaves room for the tick labels of the next.
PANEL_GAP = 0.09


def scaling_figure(answer: ScalingAnswer, *, alt: str, caption: str) -> go.Figure:
    """Draw every scaling curve of a study with its chosen law and confidence band.

    Curves of similar size share one panel; others stand side by side on the same x axis.
    """
    panels = _panels(answer.curves)
    figure = empty_figure(alt=alt, caption=caption, height=440)
    layout = figure.layout
    if len(panels) > 1:
        figure = make_subplots(
            rows=1,
            cols=len(panels),
            horizontal_spacing=PANEL_GAP,
            subplot_titles=[plain(_short(panel)) for panel in panels],
        )
        figure.update_layout(layout)
        figure.update_layout(showlegend=False)
    number = 0
    for column, panel in enumerate(panels, start=1):
        for one in panel:
            _draw(figure, one, number if len(panels) == 1 else 0, column, len(panels) > 1)
            number += 1
        _axes(figure, panel, answer, column, len(panels) > 1)
    return figure


def _panels(curves: Sequence[CurveAnswer]) -> list[list[CurveAnswer]]:
    peaks = [float(one.curve.throughput.max()) for one in curves]
    if len(curves) <= len(COLOURS) and max(peaks) <= SHARED_RANGE * min(peaks):
        return [list(curves)]
    return [[one] for one in curves[:4]]


def _short(panel: Sequence[CurveAnswer]) -> str:
    return ", ".join(one.name for one in panel)


def _draw(figure: go.Figure, one: CurveAnswer, number: int, column: int, panelled: bool) -> None:
    colour, dash = COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)]
    place = {"row": 1, "col": column} if panelled else {}
    levels = one.curve.concurrency
    if one.chosen is None or one.chosen.misses_points:
        # No law describes these points: they are joined, and nothing is drawn between them.
        figure.add_trace(
            go.Scatter(
                x=levels,
                y=one.curve.throughput,
                mode="lines",
                line={"color": colour, "width": 1},
                hoverinfo="skip",
                showlegend=False,
            ),
            **place,
        )
    else:
        grid = np.geomspace(levels.min(), levels.max(), 60)
        band = predict(one.chosen, grid)
        if np.isfinite(band.high).all():
            figure.add_trace(
                go.Scatter(
                    x=np.concatenate([grid, grid[::-1]]),
                    y=np.concatenate([band.high, np.maximum(band.low, 0)[::-1]]),
                    fill="toself",
                    fillcolor=_fade(colour),
                    line={"width": 0},
                    hoverinfo="skip",
                    showlegend=False,
                ),
                **place,
            )
        figure.add_trace(
            go.Scatter(
                x=grid,
                y=band.throughput,
                mode="lines",
                line={"color": colour, "dash": dash, "width": 2},
                name=f"{plain(one.name)}: fitted law",
                hoverinfo="skip",
            ),
            **place,
        )
    if one.shape.kind == "plateau" and one.shape.plateau_from is not None:
        figure.add_trace(
            go.Scatter(
                x=[one.shape.plateau_from, float(levels.max())],
                y=[one.shape.ceiling] * 2,
                mode="lines",
                line={"color": colour, "dash": "dash", "width": 2},
                name=f"{plain(one.name)}: plateau",
                hoverinfo="skip",
            ),
            **place,
        )
    estimates = [point.throughput for point in one.points]
    figure.add_trace(
        go.Scatter(
            x=levels,
            y=one.curve.throughput,
            mode="markers",
            marker={"color": colour, "symbol": SYMBOLS[number % len(SYMBOLS)], "size": 9},
            error_y={
                "type": "data",
                "symmetric": False,
                "array": [_reach(estimate.high - estimate.value) for estimate in estimates],
                "arrayminus": [_reach(estimate.value - estimate.low) for estimate in estimates],
                "color": colour,
            },
            name=f"{plain(one.name)}: measured",
            customdata=[[point.efficiency, point.n] for point in one.points],
            hovertemplate="%{x}: %{y:,.0f}<br>efficiency %{customdata[0]:.0%}, n = %{customdata[1]}<extra></extra>",
        ),
        **place,
    )
    raw_x, raw_y = one.curve.rows
    if len(raw_x) > len(levels):
        figure.add_trace(
            go.Scatter(
                x=raw_x,
                y=raw_y,
                mode="markers",
                marker={"color": colour, "size": 4, "opacity": 0.45},
                hoverinfo="skip",
                showlegend=False,
            ),
            **place,
        )


def _reach(width: float) -> float:
    return width if math.isfinite(width) else 0.0


def _fade(colour: str) -> str:
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.15)"


def _axes(figure: go.Figure, panel: Sequence[CurveAnswer], answer: ScalingAnswer, column: int, panelled: bool) -> None:
    ticks = sorted({float(level) for one in panel for level in one.curve.concurrency})
    units = " or ".join(dict.fromkeys(_per_second(one.curve.unit) for one in panel))
    place = {"row": 1, "col": column} if panelled else {}
    figure.update_xaxes(
        type="log",
        tickvals=ticks,
        ticktext=[f"{tick:g}" for tick in ticks],
        title=plain(answer.axis),
        **place,
    )
    most = max(float(one.curve.throughput.max()) for one in panel)
    figure.update_yaxes(range=[0, most * 1.15], tickformat="~s", title=plain(units) if column == 1 else None, **place)
    reach = (math.log10(ticks[-1]) - math.log10(ticks[0])) * 0.06 or 0.1
    figure.update_xaxes(range=[math.log10(ticks[0]) - reach, math.log10(ticks[-1]) + reach], **place)
    if answer.cores and ticks[0] < answer.cores <= ticks[-1]:
        # On a log axis plotly wants a shape's x as it is and an annotation's as its logarithm.
        figure.add_shape(
            type="line",
            x0=answer.cores,
            x1=answer.cores,
            y0=0,
            y1=most * 1.15,
            line={"color": AXIS, "dash": "dot", "width": 1},
            **place,
        )
        figure.add_annotation(
            x=math.log10(answer.cores),
            y=0,
            yanchor="bottom",
            xanchor="left",
            text=f"{answer.cores} cores",
            showarrow=False,
            **place,
        )


def _per_second(unit: str) -> str:
    return {"op/sec": "operations per second", "req/sec": "requests per second"}.get(unit, unit)


def efficiency_figure(answer: ScalingAnswer, *, alt: str, caption: str) -> go.Figure:
    """Draw efficiency against concurrency, with the line of perfect scaling."""
    figure = empty_figure(alt=alt, caption=caption, height=360)
    for number, one in enumerate(answer.curves):
        figure.add_trace(
            go.Scatter(
                x=[point.concurrency for point in one.points],
                y=[point.efficiency for point in one.points],
                mode="lines+markers",
                line={"color": COLOURS[number % len(COLOURS)], "dash": DASHES[number % len(DASHES)]},
                marker={"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 8},
                name=plain(one.name),
                hovertemplate="%{x}: %{y:.0%}<extra></extra>",
            )
        )
    ticks = sorted({float(level) for one in answer.curves for level in one.curve.concurrency})
    figure.add_hline(y=1, line={"color": AXIS, "dash": "dot", "width": 1})
    figure.update_xaxes(type="log", tickvals=ticks, ticktext=[f"{tick:g}" for tick in ticks], title=plain(answer.axis))
    figure.update_yaxes(tickformat=".0%", rangemode="tozero", title="efficiency")
    return figure
