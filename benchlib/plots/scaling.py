"""Throughput against concurrency: points, chosen law, band, and the machine's cores, all curves in one figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import plotly.graph_objects as go

from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.plots.panels import Panel, side_by_side
from benchlib.plots.scaling_marks import band_trace, cores_line, level_axis, measured_traces, per_second
from benchlib.plots.style import COLOURS, DASHES, SYMBOLS, Trace, plain, scatter
from benchlib.scaling.conclusions.prediction import predict

__all__ = ["MOST_PANELS", "panels_of", "scaling_figure", "scaling_panels"]

#: Curves that differ by more than this factor get panels of their own.
SHARED_RANGE = 3.0
#: Panels side by side; the tables hold every curve.
MOST_PANELS = 4


def scaling_figure(answer: ScalingAnswer, *, alt: str, caption: str) -> go.Figure:
    """Draw every scaling curve of a study with its chosen law and confidence band.

    Curves of similar size share one panel; others stand side by side on the same x axis.
    """
    return side_by_side(scaling_panels(answer), alt=alt, caption=caption, height=440)


def panels_of(curves: Sequence[CurveAnswer]) -> list[list[CurveAnswer]]:
    """Return the curves that each panel holds: all in one where they are of similar size."""
    peaks = [float(one.curve.throughput.max()) for one in curves]
    if len(curves) <= len(COLOURS) and max(peaks) <= SHARED_RANGE * min(peaks):
        return [list(curves)]
    return [[one] for one in curves[:MOST_PANELS]]


def scaling_panels(answer: ScalingAnswer) -> list[Panel]:
    """Return the panels of `scaling_figure`, in the order of `panels_of`."""
    return [_panel(curves, answer, first=number == 0) for number, curves in enumerate(panels_of(answer.curves))]


def _panel(curves: Sequence[CurveAnswer], answer: ScalingAnswer, *, first: bool) -> Panel:
    levels = [float(level) for one in curves for level in one.curve.concurrency]
    units = " or ".join(dict.fromkeys(per_second(one.curve.unit) for one in curves))
    top = max(float(one.curve.throughput.max()) for one in curves) * 1.15
    shapes, annotations = cores_line(answer.cores, levels, top)
    return Panel(
        title=", ".join(one.name for one in curves),
        traces=[trace for number, one in enumerate(curves) for trace in _traces(one, number)],
        xaxis=level_axis(levels, answer.axis),
        yaxis={"range": [0, top], "tickformat": "~s", "title": plain(units) if first else None},
        shapes=shapes,
        annotations=annotations,
    )


def _traces(one: CurveAnswer, number: int) -> Iterator[Trace]:
    colour, dash = COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)]
    levels = one.curve.concurrency
    if one.chosen is None or one.chosen.misses_points:
        # No law describes these points: they are joined, and nothing is drawn between them.
        yield scatter(
            x=levels,
            y=one.curve.throughput,
            mode="lines",
            line={"color": colour, "width": 1},
            hoverinfo="skip",
            showlegend=False,
        )
    else:
        grid = np.geomspace(levels.min(), levels.max(), 60)
        band = predict(one.chosen, grid)
        if np.isfinite(band.high).all():
            yield band_trace(grid, np.maximum(band.low, 0), band.high, colour)
        yield scatter(
            x=grid,
            y=band.throughput,
            mode="lines",
            line={"color": colour, "dash": dash, "width": 2},
            name=f"{plain(one.name)}: fitted law",
            hoverinfo="skip",
        )
    wall_drawn = one.chosen is not None and one.chosen.law == "plateau" and not one.chosen.misses_points
    if one.shape.kind == "plateau" and one.shape.plateau_from is not None and not wall_drawn:
        yield scatter(
            x=[one.shape.plateau_from, float(levels.max())],
            y=[one.shape.ceiling] * 2,
            mode="lines",
            line={"color": colour, "dash": "dash", "width": 2},
            name=f"{plain(one.name)}: plateau",
            hoverinfo="skip",
        )
    symbol = SYMBOLS[number % len(SYMBOLS)]
    yield from measured_traces(one, colour=colour, symbol=symbol, name=f"{plain(one.name)}: measured")
