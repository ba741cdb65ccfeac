"""What the scaling figures share: measured points, bands, the axis of concurrency, the line of the cores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from benchlib.answers.scaling import CurveAnswer
from benchlib.plots.style import AXIS, INK, Mark, Trace, plain, scatter
from benchlib.scaling.predict import Band

#: Law -> colour and dash, the same in every figure: neighbours differ in lightness and in line.
LOOKS: Mapping[str, tuple[str, str]] = {
    "linear": (INK, "dot"),
    "plateau": ("#E69F00", "dash"),
    "amdahl": ("#D55E00", "longdash"),
    "gustafson": ("#CC79A7", "dashdot"),
    "usl": ("#0072B2", "solid"),
}
#: Ticks nearer to each other than this share of the axis would be written over one another at 360 px.
CLOSEST_TICKS = 0.13
#: Bands and bars up to this many times the highest point are drawn whole; to hold more would flatten the points.
HELD = 1.5
#: Where one is cut, its arrow has this room above the highest point.
_CUT = 1.3


def measured_traces(
    one: CurveAnswer, *, colour: str = INK, symbol: str = "circle", name: str = "measured"
) -> list[Trace]:
    """Draw the median of every level with its interval, and single measurements where repeated."""
    estimates = [point.throughput for point in one.points]
    traces = [
        scatter(
            x=one.curve.concurrency,
            y=one.curve.throughput,
            mode="markers",
            marker={"color": colour, "symbol": symbol, "size": 9},
            error_y={
                "type": "data",
                "symmetric": False,
                "array": [reach(estimate.high - estimate.value) for estimate in estimates],
                "arrayminus": [reach(estimate.value - estimate.low) for estimate in estimates],
                "color": colour,
            },
            name=name,
            customdata=[[point.efficiency, point.n] for point in one.points],
            hovertemplate="%{x}: %{y:,.0f}<br>efficiency %{customdata[0]:.0%}, n = %{customdata[1]}<extra></extra>",
        )
    ]
    raw_x, raw_y = one.curve.rows
    if len(raw_x) > len(one.curve.concurrency):
        traces.append(
            scatter(
                x=raw_x,
                y=raw_y,
                mode="markers",
                marker={"color": colour, "size": 4, "opacity": 0.45},
                hoverinfo="skip",
                showlegend=False,
            )
        )
    return traces


def band_trace(x: Any, low: Any, high: Any, colour: str, *, name: str = "", opacity: float = 0.15) -> Trace:
    """Draw the ground between two ends; unnamed, it stands in no legend."""
    return scatter(
        x=np.concatenate([x, np.asarray(x)[::-1]]),
        y=np.concatenate([high, np.asarray(low)[::-1]]),
        fill="toself",
        fillcolor=tint(colour, opacity),
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        name=name,
        showlegend=bool(name),
    )


def level_axis(levels: Iterable[float], title: str, *, edge: float = 0.06) -> dict[str, Any]:
    """Return the axis of concurrency: logarithmic, ticks at the levels that were measured."""
    every = sorted(set(levels))
    low, high = math.log10(every[0]), math.log10(every[-1])
    beside = (high - low) * edge or 0.1
    ticks = level_ticks(every)
    return {
        "type": "log",
        "tickvals": ticks,
        "ticktext": [f"{tick:g}" for tick in ticks],
        "tickangle": 0,
        "range": [low - beside, high + beside],
        "title": plain(title),
    }


def level_ticks(levels: Sequence[float]) -> list[float]:
    """Choose the levels to write below an axis: the ends, and of the rest those with room for them.

    Examples
    --------
    >>> level_ticks([1, 18, 36, 72, 108, 144, 216])
    [1, 18, 72, 216]
    """
    every = sorted(set(levels))
    room = math.log10(every[-1] / every[0]) * CLOSEST_TICKS
    kept = [every[0]]
    for level in every[1:-1]:
        if math.log10(level / kept[-1]) >= room and math.log10(every[-1] / level) >= room:
            kept.append(level)
    return [*kept, every[-1]] if len(every) > 1 else kept


def cores_line(cores: int | None, levels: Sequence[float], top: float) -> tuple[list[Mark], list[Mark]]:
    """Return the line at the number of cores and its words; none where it does not lie among the levels."""
    if not cores or not min(levels) < cores <= max(levels):
        return [], []
    # On a log axis plotly wants a shape's x as it is and an annotation's as its logarithm.
    line = {"color": AXIS, "dash": "dot", "width": 1}
    shape = {"type": "line", "x0": cores, "x1": cores, "y0": 0, "y1": top, "line": line}
    words = {"x": math.log10(cores), "y": 0, "yanchor": "bottom", "xanchor": "left", "text": f"{cores} cores"}
    return [shape], [words | {"showarrow": False}]


def level_line(y: float, line: Mapping[str, Any]) -> Mark:
    """Return the shape of a line across all of a panel at one height."""
    return {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "yref": "y", "y0": y, "y1": y, "line": line}


def top_of(
    curves: Iterable[CurveAnswer], bands: Iterable[Band], most: float, room: float
) -> tuple[float, float | None]:
    """Return where an axis from 0 ends, and at which level a band or the bar of a point goes on above it, if one does.

    It ends above ``most`` by ``room``, or above bands and bars that reach no further than `HELD` allows.
    """
    ends = [(point.throughput.high, point.concurrency) for one in curves for point in one.points]
    for band in bands:
        ends += zip(band.high.tolist(), band.concurrency.tolist(), strict=True)
    end, place = max((one for one in ends if math.isfinite(one[0])), default=(most, 1.0))
    if end > most * HELD:
        return most * _CUT, place
    return max(most * room, end * 1.02), None


def arrow_above(place: float, top: float) -> Mark:
    """Return an arrow at the upper end of an axis, where a band or a bar is cut."""
    words = {
        "x": math.log10(place),
        "y": top,
        "yanchor": "top",
        "text": "↑ goes on",
        "font": {"size": 11, "color": INK},
    }
    return words | {"showarrow": False, "borderpad": 0}


def per_second(unit: str) -> str:
    """Name a unit of throughput on an axis; values without a unit are throughput all the same."""
    return {"op/sec": "operations per second", "req/sec": "requests per second"}.get(unit, unit or "throughput")


def reach(width: float) -> float:
    """Return the length of an error bar: none where the interval has no end."""
    return width if math.isfinite(width) else 0.0


def tint(colour: str, opacity: float = 0.15) -> str:
    """Return a colour that lets what lies behind it through.

    Examples
    --------
    >>> tint("#0072B2")
    'rgba(0,114,178,0.15)'
    """
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"
