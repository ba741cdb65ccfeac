"""One curve with every law fitted to it: which differ, where, and what lies beyond the data."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from benchlib.answers.scaling import CurveAnswer
from benchlib.plots.scaling_marks import LOOKS, band_trace, cores_line, level_axis, measured_traces, per_second, reach
from benchlib.plots.style import AXIS, Mark, Trace, figure_of, scatter
from benchlib.scaling.conclusions.averaging import AveragedBand
from benchlib.scaling.conclusions.prediction import predict
from benchlib.scaling.fits.fitting import ScalingFit
from benchlib.scaling.laws import LAWS

__all__ = ["laws_figure"]

#: Concurrencies at which a law is drawn.
GRID = 80
#: What is forecast is grey, whatever the law.
FORECAST = "#6b7480"


def laws_figure(one: CurveAnswer, *, cores: int | None, alt: str, caption: str) -> go.Figure:
    """Draw points, laws, the bands of the chosen law and, where it was asked for, the forecast.

    Laws are drawn as far as was measured. Beyond that stands nothing, or, where extrapolation was
    asked for, the average over the laws on grey ground.
    """
    levels = one.curve.concurrency
    grid = np.geomspace(levels.min(), levels.max(), GRID)
    traces = _bands(one.chosen, grid) if one.chosen is not None and not one.chosen.misses_points else []
    # The chosen law last: it lies on the others.
    traces += [_law(fit, grid, chosen=fit is one.chosen) for fit in sorted(one.fits, key=lambda fit: fit is one.chosen)]
    ground: list[Mark] = []
    most = float(one.curve.throughput.max())
    furthest = float(levels.max())
    if one.averaged is not None:
        furthest = max(furthest, float(one.averaged.concurrency.max()))
        tops = one.averaged.high[np.isfinite(one.averaged.high)]
        most = max(most, float(one.averaged.throughput.max()), float(np.max(tops, initial=0.0)) / 1.25)
        if furthest > levels.max():
            ground = [_ground(float(levels.max()), furthest)]
            # Only what was asked for is drawn: a line between would be a forecast of its own.
            traces.append(_forecast(one.averaged, one.averaged.concurrency >= levels.max()))
    line, words = cores_line(cores, levels.tolist(), most * 1.25)
    return figure_of(
        [*traces, *measured_traces(one)],
        alt=alt,
        caption=caption,
        height=500,
        xaxis=level_axis([*levels.tolist(), furthest], one.axis),
        yaxis={"range": [0, most * 1.25], "tickformat": "~s", "title": per_second(one.curve.unit)},
        shapes=[*ground, *line],
        annotations=words,
    )


def _law(fit: ScalingFit, grid: np.ndarray, *, chosen: bool) -> Trace:
    colour, dash = LOOKS[fit.law]
    return scatter(
        x=grid,
        y=predict(fit, grid).throughput,
        mode="lines",
        line={"color": colour, "dash": dash, "width": 3.5 if chosen else 1.5},
        name=f"{LAWS[fit.law].title} (chosen)" if chosen else LAWS[fit.law].title,
        hovertemplate=f"{LAWS[fit.law].title} at %{{x:.3g}}: %{{y:,.0f}}<extra></extra>",
    )


def _bands(fit: ScalingFit, grid: np.ndarray) -> list[Trace]:
    colour = LOOKS[fit.law][0]
    traces = []
    # The wider band first: the narrower lies on it and is the darker.
    for kind, name, opacity in (
        ("prediction", "band of one more measurement", 0.12),
        ("confidence", "band of the law", 0.25),
    ):
        band = predict(fit, grid, kind=kind)
        if np.isfinite(band.high).all():
            traces.append(band_trace(grid, np.maximum(band.low, 0), band.high, colour, name=name, opacity=opacity))
    return traces


def _ground(last: float, furthest: float) -> Mark:
    """Return the grey of what was not measured."""
    look = {"fillcolor": AXIS, "opacity": 0.12, "line": {"width": 0}, "layer": "below"}
    return {"type": "rect", "xref": "x", "x0": last, "x1": furthest, "yref": "y domain", "y0": 0, "y1": 1} | look


def _forecast(averaged: AveragedBand, ahead: np.ndarray) -> Trace:
    middle, low, high = averaged.throughput[ahead], averaged.low[ahead], averaged.high[ahead]
    return scatter(
        x=averaged.concurrency[ahead],
        y=middle,
        mode="markers",
        marker={"symbol": "circle-open", "size": 9, "color": FORECAST, "line": {"width": 2}},
        error_y={
            "type": "data",
            "symmetric": False,
            "array": [reach(one) for one in (high - middle).tolist()],
            "arrayminus": [reach(one) for one in (middle - np.maximum(low, 0)).tolist()],
            "color": FORECAST,
            "thickness": 2,
        },
        name="not measured: average of the laws",
        hovertemplate="not measured, %{x}: %{y:,.0f}<extra></extra>",
    )
