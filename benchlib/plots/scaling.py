"""Throughput against concurrency: points, chosen law, band, and the machine's cores, all curves in one figure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.plots.scaling_marks import band_trace, cores_line, level_axis, measured_traces, per_second
from benchlib.plots.style import COLOURS, DASHES, SYMBOLS, empty_figure, plain, scatter
from benchlib.scaling.conclusions.prediction import predict

__all__ = ["MOST_PANELS", "panels_of", "scaling_figure"]

#: Curves that differ by more than this factor get panels of their own.
SHARED_RANGE = 3.0
#: Panels side by side; the tables hold every curve.
MOST_PANELS = 4
#: The wide space between panels leaves room for the tick labels of the next.
PANEL_GAP = 0.09


def scaling_figure(answer: ScalingAnswer, *, alt: str, caption: str) -> go.Figure:
    """Draw every scaling curve of a study with its chosen law and confidence band.

    Curves of similar size share one panel; others stand side by side on the same x axis.
    """
    panels = panels_of(answer.curves)
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


def panels_of(curves: Sequence[CurveAnswer]) -> list[list[CurveAnswer]]:
    """Return the curves that each panel holds: all in one where they are of similar size."""
    peaks = [float(one.curve.throughput.max()) for one in curves]
    if len(curves) <= len(COLOURS) and max(peaks) <= SHARED_RANGE * min(peaks):
        return [list(curves)]
    return [[one] for one in curves[:MOST_PANELS]]


def _short(panel: Sequence[CurveAnswer]) -> str:
    return ", ".join(one.name for one in panel)


def _draw(figure: go.Figure, one: CurveAnswer, number: int, column: int, panelled: bool) -> None:
    colour, dash = COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)]
    place = {"row": 1, "col": column} if panelled else {}
    levels = one.curve.concurrency
    if one.chosen is None or one.chosen.misses_points:
        # No law describes these points: they are joined, and nothing is drawn between them.
        figure.add_trace(
            scatter(
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
            figure.add_trace(band_trace(grid, np.maximum(band.low, 0), band.high, colour), **place)
        figure.add_trace(
            scatter(
                x=grid,
                y=band.throughput,
                mode="lines",
                line={"color": colour, "dash": dash, "width": 2},
                name=f"{plain(one.name)}: fitted law",
                hoverinfo="skip",
            ),
            **place,
        )
    wall_drawn = one.chosen is not None and one.chosen.law == "plateau" and not one.chosen.misses_points
    if one.shape.kind == "plateau" and one.shape.plateau_from is not None and not wall_drawn:
        figure.add_trace(
            scatter(
                x=[one.shape.plateau_from, float(levels.max())],
                y=[one.shape.ceiling] * 2,
                mode="lines",
                line={"color": colour, "dash": "dash", "width": 2},
                name=f"{plain(one.name)}: plateau",
                hoverinfo="skip",
            ),
            **place,
        )
    symbol = SYMBOLS[number % len(SYMBOLS)]
    for trace in measured_traces(one, colour=colour, symbol=symbol, name=f"{plain(one.name)}: measured"):
        figure.add_trace(trace, **place)


def _axes(figure: go.Figure, panel: Sequence[CurveAnswer], answer: ScalingAnswer, column: int, panelled: bool) -> None:
    levels = [float(level) for one in panel for level in one.curve.concurrency]
    units = " or ".join(dict.fromkeys(per_second(one.curve.unit) for one in panel))
    place = {"row": 1, "col": column} if panelled else {}
    level_axis(figure, levels, answer.axis, **place)
    most = max(float(one.curve.throughput.max()) for one in panel)
    figure.update_yaxes(range=[0, most * 1.15], tickformat="~s", title=plain(units) if column == 1 else None, **place)
    cores_line(figure, answer.cores, levels, most * 1.15, **place)
