"""Throughput against concurrency: points, chosen law, band, and the machine's cores, all curves in one figure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import plotly.graph_objects as go

from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.plots.panels import Panel, side_by_side
from benchlib.plots.scaling_marks import (
    arrow_above,
    band_trace,
    cores_line,
    level_axis,
    measured_traces,
    per_second,
    top_of,
)
from benchlib.plots.style import COLOURS, DASHES, SYMBOLS, Trace, plain, prefixed, scatter
from benchlib.scaling.predict import Band, predict

__all__ = ["band_goes_on", "scaling_figure"]

#: Curves that differ by more than this factor get panels of their own.
SHARED_RANGE = 3.0
#: Panels side by side; the tables hold every curve.
MOST_PANELS = 4
#: How far above the highest point an axis ends.
_ROOM = 1.15


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
    every = panels_of(answer.curves)
    return [_panel(curves, answer, title) for curves, title in zip(every, unit_titles(every, per_second), strict=True)]


def unit_titles(panels: Sequence[Sequence[CurveAnswer]], named: Callable[[str], str]) -> list[str]:
    """Name the unit of each panel whose neighbour on the left has another, or that has no neighbour; else nothing."""
    units = [" or ".join(dict.fromkeys(named(one.curve.unit) for one in curves)) for curves in panels]
    return [unit if number == 0 or unit != units[number - 1] else "" for number, unit in enumerate(units)]


def _panel(curves: Sequence[CurveAnswer], answer: ScalingAnswer, title: str) -> Panel:
    levels = [float(level) for one in curves for level in one.curve.concurrency]
    top, cut_at = _top(curves)
    shapes, annotations = cores_line(answer.cores, levels, top)
    annotations += [arrow_above(cut_at, top)] if cut_at is not None else []
    return Panel(
        title=", ".join(one.name for one in curves),
        traces=[trace for number, one in enumerate(curves) for trace in _traces(one, number)],
        xaxis=level_axis(levels, answer.axis),
        yaxis={"range": [0, top], **prefixed(), "title": plain(title) or None},
        shapes=shapes,
        annotations=annotations,
    )


def band_goes_on(answer: ScalingAnswer) -> bool:
    """Whether a band, or the bar of a point, goes on above the figure."""
    return any(_top(curves)[1] is not None for curves in panels_of(answer.curves))


def _top(curves: Sequence[CurveAnswer]) -> tuple[float, float | None]:
    """Return where the axis of a panel ends, and at which level a band or bar goes on above it, if one does."""
    most = max(float(one.curve.throughput.max()) for one in curves)
    bands = [band for one in curves if (band := _law(one)) is not None and np.isfinite(band.high).all()]
    return top_of(curves, bands, most, _ROOM)


def _law(one: CurveAnswer) -> Band | None:
    """Return the chosen law along the levels; None where it does not describe the points."""
    if one.chosen is None or one.chosen.misses_points:
        return None
    return predict(one.chosen, np.geomspace(one.curve.concurrency.min(), one.curve.concurrency.max(), 60))


def _traces(one: CurveAnswer, number: int) -> Iterator[Trace]:
    colour, dash, symbol = COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)], SYMBOLS[number % len(SYMBOLS)]
    name, levels = plain(one.name), one.curve.concurrency
    law = _law(one)
    if law is None:
        # No law describes these points: they are joined, and nothing is drawn between them.
        yield scatter(
            x=levels,
            y=one.curve.throughput,
            mode="lines",
            line={"color": colour, "width": 1},
            legendgroup=name,
            hoverinfo="skip",
            showlegend=False,
        )
    else:
        if np.isfinite(law.high).all():
            yield band_trace(law.concurrency, np.maximum(law.low, 0), law.high, colour) | {"legendgroup": name}
        yield scatter(
            x=law.concurrency,
            y=law.throughput,
            mode="lines",
            line={"color": colour, "dash": dash, "width": 2},
            name=f"{name}: fitted law",
            legendgroup=name,
            showlegend=False,
            hoverinfo="skip",
        )
    wall_drawn = one.chosen is not None and one.chosen.law == "plateau" and not one.chosen.misses_points
    if one.shape.kind == "plateau" and one.shape.plateau_from is not None and not wall_drawn:
        yield scatter(
            x=[one.shape.plateau_from, float(levels.max())],
            y=[one.shape.ceiling] * 2,
            mode="lines",
            line={"color": colour, "dash": "dash", "width": 2},
            name=f"{name}: plateau",
            legendgroup=name,
            hoverinfo="skip",
        )
    for trace in measured_traces(one, colour=colour, symbol=symbol, name=f"{name}: measured"):
        yield trace | {"legendgroup": name, "showlegend": False}
    # A curve has one name in the legend, beside its line and its mark: two would take the room of the curves. What
    # stands for both lies on the first point.
    yield scatter(
        x=levels[:1],
        y=one.curve.throughput[:1],
        mode="lines+markers",
        line={"color": colour, "dash": dash if law is not None else "solid", "width": 2 if law is not None else 1},
        marker={"color": colour, "symbol": symbol, "size": 9},
        name=name,
        legendgroup=name,
        showlegend=True,
        hoverinfo="skip",
    )
