"""One curve with every law fitted to it: which differ, where, and what lies beyond the data."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from benchlib.answers.scaling import CurveAnswer
from benchlib.plots.scaling_marks import LOOKS, band_trace, cores_line, level_axis, measured_traces, per_second, reach
from benchlib.plots.style import AXIS, Trace, empty_figure, scatter
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
    figure = empty_figure(alt=alt, caption=caption, height=500)
    levels = one.curve.concurrency
    grid = np.geomspace(levels.min(), levels.max(), GRID)
    if one.chosen is not None and not one.chosen.misses_points:
        _bands(figure, one.chosen, grid)
    # The chosen law last: it lies on the others.
    for fit in sorted(one.fits, key=lambda fit: fit is one.chosen):
        figure.add_trace(_law(fit, grid, chosen=fit is one.chosen))
    most = float(one.curve.throughput.max())
    furthest = float(levels.max())
    if one.averaged is not None:
        furthest = max(furthest, float(one.averaged.concurrency.max()))
        tops = one.averaged.high[np.isfinite(one.averaged.high)]
        most = max(most, float(one.averaged.throughput.max()), float(np.max(tops, initial=0.0)) / 1.25)
        _forecast(figure, one.averaged, float(levels.max()), furthest)
    for trace in measured_traces(one):
        figure.add_trace(trace)
    level_axis(figure, [*levels.tolist(), furthest], one.axis)
    figure.update_yaxes(range=[0, most * 1.25], tickformat="~s", title=per_second(one.curve.unit))
    cores_line(figure, cores, levels.tolist(), most * 1.25)
    return figure


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


def _bands(figure: go.Figure, fit: ScalingFit, grid: np.ndarray) -> None:
    colour = LOOKS[fit.law][0]
    # The wider band first: the narrower lies on it and is the darker.
    for kind, name, opacity in (
        ("prediction", "band of one more measurement", 0.12),
        ("confidence", "band of the law", 0.25),
    ):
        band = predict(fit, grid, kind=kind)
        if np.isfinite(band.high).all():
            figure.add_trace(band_trace(grid, np.maximum(band.low, 0), band.high, colour, name=name, opacity=opacity))


def _forecast(figure: go.Figure, averaged: AveragedBand, last: float, furthest: float) -> None:
    ahead = averaged.concurrency >= last
    if furthest <= last or not ahead.any():
        return
    figure.add_vrect(x0=last, x1=furthest, fillcolor=AXIS, opacity=0.12, line_width=0, layer="below")
    # Only what was asked for is drawn: a line between would be a forecast of its own.
    middle, low, high = averaged.throughput[ahead], averaged.low[ahead], averaged.high[ahead]
    figure.add_trace(
        scatter(
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
    )
