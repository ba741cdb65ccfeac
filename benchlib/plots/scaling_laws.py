"""One curve with every law fitted to it: which differ, where, and what lies beyond the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from benchlib.answers.scaling import CurveAnswer
from benchlib.plots.scaling_marks import (
    LOOKS,
    arrow_above,
    band_trace,
    cores_line,
    level_axis,
    measured_traces,
    per_second,
    reach,
    top_of,
)
from benchlib.plots.style import AXIS, INK, Mark, Trace, figure_of, prefixed, scatter
from benchlib.scaling.fit import ScalingFit
from benchlib.scaling.laws import LAWS
from benchlib.scaling.predict import AveragedBand, Band, predict

__all__ = ["band_goes_on", "laws_figure"]

#: Concurrencies at which a law is drawn.
GRID = 80
#: What is forecast is grey, whatever the law.
FORECAST = "#6b7480"
#: Kind of band -> how it is named and drawn. The wider first: the narrower lies on it and is the darker.
_BANDS: Mapping[str, Mapping[str, Any]] = {
    "prediction": {"name": "band of one more measurement", "opacity": 0.12},
    "confidence": {"name": "band of the law", "opacity": 0.25},
}
#: How far above the highest point the axis ends.
_ROOM = 1.25


def laws_figure(one: CurveAnswer, *, cores: int | None, alt: str, caption: str) -> go.Figure:
    """Draw points, laws, the bands of the chosen law and, where it was asked for, the forecast.

    Laws are drawn as far as was measured. Beyond that stands nothing, or, where extrapolation was
    asked for, the average over the laws on grey ground.
    """
    levels = one.curve.concurrency
    grid = np.geomspace(levels.min(), levels.max(), GRID)
    colour = LOOKS[one.chosen.law][0] if one.chosen is not None else INK
    traces = [
        band_trace(band.concurrency, np.maximum(band.low, 0), band.high, colour, **_BANDS[band.kind])
        for band in _bands(one)
    ]
    # The chosen law last: it lies on the others.
    traces += [_law(fit, grid, chosen=fit is one.chosen) for fit in sorted(one.fits, key=lambda fit: fit is one.chosen)]
    ground: list[Mark] = []
    furthest = float(levels.max())
    if one.averaged is not None:
        furthest = max(furthest, float(one.averaged.concurrency.max()))
        if furthest > levels.max():
            ground = [_ground(float(levels.max()), furthest)]
            # Only what was asked for is drawn: a line between would be a forecast of its own.
            traces.append(_forecast(one.averaged, one.averaged.concurrency >= levels.max()))
    top, cut_at = _top(one)
    line, words = cores_line(cores, levels.tolist(), top)
    words += [arrow_above(cut_at, top)] if cut_at is not None else []
    return figure_of(
        [*traces, *measured_traces(one)],
        alt=alt,
        caption=caption,
        height=500,
        xaxis=level_axis([*levels.tolist(), furthest], one.axis),
        yaxis={"range": [0, top], **prefixed(), "title": per_second(one.curve.unit)},
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


def band_goes_on(one: CurveAnswer) -> bool:
    """Whether a band, or the bar of a point, goes on above the figure."""
    return _top(one)[1] is not None


def _top(one: CurveAnswer) -> tuple[float, float | None]:
    """Return where the axis ends, and at which level a band or bar goes on above it, if one does."""
    most = float(one.curve.throughput.max())
    if one.averaged is not None:
        tops = one.averaged.high[np.isfinite(one.averaged.high)]
        most = max(most, float(one.averaged.throughput.max()), float(np.max(tops, initial=0.0)) / _ROOM)
    return top_of([one], _bands(one), most, _ROOM)


def _bands(one: CurveAnswer) -> list[Band]:
    """Return the bands of the chosen law along the levels; none where it does not describe the points."""
    if one.chosen is None or one.chosen.misses_points:
        return []
    grid = np.geomspace(one.curve.concurrency.min(), one.curve.concurrency.max(), GRID)
    bands = [predict(one.chosen, grid, kind=kind) for kind in _BANDS]
    return [band for band in bands if np.isfinite(band.high).all()]


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
