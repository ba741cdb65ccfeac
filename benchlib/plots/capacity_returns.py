"""What a core returns: throughput of each core and of each added one, with a published recommendation as a band."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from benchlib.answers.capacity_plans import AddedCores, ClaimTest, LoadPlan, PlanningAnswer
from benchlib.plots.scaling_marks import band_trace, level_axis, per_second, reach
from benchlib.plots.style import COLOURS, INK, empty_figure, plain, prefixed, scatter
from benchlib.units import show

__all__ = ["returns_figure"]

_EACH, _ADDED = COLOURS[0], COLOURS[1]
_BAND = "rgba(230,159,0,0.18)"
_STAR = {"symbol": "star", "size": 17, "line": {"color": "white", "width": 1}}


def returns_figure(answer: PlanningAnswer, plan: LoadPlan, *, alt: str, caption: str) -> go.Figure:
    """Draw throughput per core at each level and per added core between levels, with what the draws leave open.

    The points are the measurements, and a star marks the best of them by each rule; the ground and the bars are where
    the draws lie. A mix was not measured: its medians of the draws take the place of points.
    """
    figure = empty_figure(alt=alt, caption=caption, height=400)
    levels = [plan.returns[0].before, *(one.after for one in plan.returns)]
    _recommended(figure, plan.claims, levels)
    figure.add_hline(y=0, line={"color": INK, "width": 1})
    _each(figure, plan, levels)
    _added(figure, plan)
    figure.update_xaxes(**level_axis(levels, answer.axis))
    figure.update_yaxes(title=plain(f"throughput, {per_second(plan.unit)}"), **prefixed())
    return figure


def _each(figure: go.Figure, plan: LoadPlan, levels: Sequence[float]) -> None:
    noun = plan.counts.removesuffix("s")
    first = plan.returns[0]
    drawn = [first.per_core_before, *(one.per_core for one in plan.returns)]
    points = [first.points_per_core_before, *(one.points_per_core for one in plan.returns)]
    values = [one.value if math.isnan(point) else point for point, one in zip(points, drawn, strict=True)]
    figure.add_trace(band_trace(levels, [one.low for one in drawn], [one.high for one in drawn], _EACH))
    figure.add_trace(
        scatter(
            x=list(levels),
            y=values,
            mode="lines+markers",
            line={"color": _EACH, "width": 2},
            marker={"symbol": "circle", "size": 9},
            name=f"of each {noun}",
            text=[f"{at:g} {noun}s: {show(value, plan.unit)}" for at, value in zip(levels, values, strict=True)],
            hovertemplate="%{text} of each one<extra></extra>",
        )
    )
    _star(figure, list(levels), values, _EACH)


def _added(figure: go.Figure, plan: LoadPlan) -> None:
    """Draw each gain over the cores between which it was made."""
    noun = plan.counts.removesuffix("s")
    values = [_gain(one) for one in plan.returns]
    for number, (one, value) in enumerate(zip(plan.returns, values, strict=True)):
        figure.add_trace(
            scatter(
                x=[one.before, one.after],
                y=[value, value],
                mode="lines",
                line={"color": _ADDED, "width": 4},
                name=f"of each added {noun}",
                legendgroup="added",
                showlegend=number == 0,
                hoverinfo="skip",
            )
        )
    middles = [math.sqrt(one.before * one.after) for one in plan.returns]
    drawn = [one.per_added_core for one in plan.returns]
    figure.add_trace(
        scatter(
            x=middles,
            y=[one.value for one in drawn],
            mode="markers",
            marker={"symbol": "line-ew-open", "size": 12, "color": _ADDED},
            error_y={
                "type": "data",
                "symmetric": False,
                "array": [reach(one.high - one.value) for one in drawn],
                "arrayminus": [reach(one.value - one.low) for one in drawn],
                "color": _ADDED,
                "thickness": 1.5,
            },
            showlegend=False,
            text=[
                f"{one.before:g} to {one.after:g} {noun}s: {show(value, plan.unit)} measured, "
                f"{show(one.per_added_core.low, plan.unit)} to {show(one.per_added_core.high, plan.unit)} by the draws"
                for one, value in zip(plan.returns, values, strict=True)
            ],
            hovertemplate="%{text} of each added one<extra></extra>",
        )
    )
    _star(figure, middles, values, _ADDED)


def _gain(step: AddedCores) -> float:
    return step.per_added_core.value if math.isnan(step.points_per_added_core) else step.points_per_added_core


def _star(figure: go.Figure, places: Sequence[float], values: Sequence[float], colour: str) -> None:
    most = max(range(len(values)), key=lambda at: values[at])
    figure.add_trace(
        scatter(
            x=[places[most]],
            y=[values[most]],
            mode="markers",
            marker={**_STAR, "color": colour},
            hoverinfo="skip",
            showlegend=False,
        )
    )


def _recommended(figure: go.Figure, claims: Sequence[ClaimTest], levels: Sequence[float]) -> None:
    """Draw each published recommendation once, from its first core to its last, as far as levels reach."""
    for low, high in dict.fromkeys(one.cores for one in claims):
        first, last = max(low, levels[0]), min(high, levels[-1])
        if first > last:
            continue
        # A recommendation of one size is a band too: as wide as the eye needs.
        ends = (first, last) if last > first else (first * 0.97, last * 1.03)
        figure.add_shape(
            type="rect", x0=ends[0], x1=ends[1], y0=0, y1=1, yref="paper", fillcolor=_BAND, layer="below",
            line={"width": 0},
        )  # fmt: skip
        span = f"{low:g} to {high:g}" if math.isfinite(high) else f"{low:g} or more"
        figure.add_annotation(
            x=math.log10(math.sqrt(first * last)), y=1, yref="paper", yanchor="top", showarrow=False,
            text=f"recommended: {span if low < high else f'{low:g}'}", font={"size": 12, "color": INK},
        )  # fmt: skip
