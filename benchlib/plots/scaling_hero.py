"""The scaling figure of a first page: data, law and band, with the target, today's level and the best balance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.plots.scaling import panels_of, scaling_figure
from benchlib.plots.scaling_marks import per_second
from benchlib.plots.style import INK, plain, scatter
from benchlib.scaling.conclusions.prediction import EXTRAPOLATION_LIMIT, predict
from benchlib.study import TargetPlan
from benchlib.units import scaled

__all__ = ["marks_target", "marks_today", "scaling_hero_figure"]

_TARGET = "#A8211A"
HEIGHT = 300


def scaling_hero_figure(
    answer: ScalingAnswer,
    *,
    today: float | None,
    targets: Sequence[TargetPlan],
    alt: str,
    caption: str,
) -> go.Figure:
    """Draw the curves of `benchlib.plots.scaling.scaling_figure`, with what a decision needs marked on them.

    Parameters
    ----------
    answer : ScalingAnswer
    today : float or None
        The level at which the service runs; marked on the points, else on the law where it describes them.
    targets : sequence of TargetPlan
        Those on the throughput of the curves.
    alt, caption : str
    """
    figure = scaling_figure(answer, alt=alt, caption=caption)
    figure.update_layout(height=HEIGHT, margin={"t": 34, "b": 48})
    panels = panels_of(answer.curves)
    # The long names of two units do not fit beside a figure of this height.
    units = " or ".join(dict.fromkeys(scaled(1.0, one.curve.unit)[1] for one in panels[0]))
    title = f"throughput, {units}" if units else "throughput"
    figure.update_yaxes(title=plain(title), **({"row": 1, "col": 1} if len(panels) > 1 else {}))
    for column, panel in enumerate(panels, start=1):
        place = {"row": 1, "col": column} if len(panels) > 1 else {}
        if today is not None:
            _mark_today(figure, panel, today, place)
        for one in targets:
            _mark_target(figure, panel, one, place)
    return figure


def marks_today(answer: ScalingAnswer, today: float | None) -> bool:
    """Whether today's level has a place in the figure: measured, or within the levels on a law that describes them."""
    return today is not None and any(_rate_at(one, today) is not None for one in answer.curves)


def marks_target(answer: ScalingAnswer, target: TargetPlan) -> bool:
    """Whether a target is in the unit of a curve."""
    return target.unit in {one.curve.unit for one in answer.curves}


def _mark_today(figure: go.Figure, panel: Sequence[CurveAnswer], today: float, place: dict[str, int]) -> None:
    """Mark today's level once a panel, on the first curve that says what it does there."""
    for one in panel:
        rate = _rate_at(one, today)
        if rate is None:
            continue
        figure.add_trace(
            scatter(
                x=[today],
                y=[rate],
                mode="markers",
                marker={"symbol": "circle-open", "size": 17, "color": INK, "line": {"width": 2, "color": INK}},
                name="today",
                showlegend=False,
                hovertemplate="today: %{x}<extra></extra>",
            ),
            **place,
        )
        figure.add_annotation(
            x=math.log10(today), y=rate, text=f"today: {today:g}", showarrow=False, yanchor="top", yshift=-11,
            font={"size": 12, "color": INK}, **place,
        )  # fmt: skip
        return


def _rate_at(one: CurveAnswer, level: float) -> float | None:
    measured = next((point.throughput.value for point in one.points if point.concurrency == level), None)
    if measured is not None:
        return measured
    levels = [point.concurrency for point in one.points]
    law = one.chosen
    if law is None or law.misses_points or not levels[0] <= level <= min(levels[-1], EXTRAPOLATION_LIMIT * levels[-1]):
        return None
    return float(predict(law, [level]).throughput[0])


def _mark_target(figure: go.Figure, panel: Sequence[CurveAnswer], target: TargetPlan, place: dict[str, int]) -> None:
    units = {one.curve.unit for one in panel}
    for bound, way in ((target.low, "at least"), (target.high, "at most")):
        if bound is None or target.unit not in units:
            continue
        figure.add_hline(y=bound, line={"color": _TARGET, "width": 1.5, "dash": "dash"}, **place)
        figure.add_annotation(
            x=0, xref="x domain" if not place else None, y=bound, xanchor="left", yanchor="bottom", showarrow=False,
            text=plain(f"target: {way} {bound:,.4g} {per_second(target.unit)}"), font={"size": 12, "color": _TARGET},
            **place,
        )  # fmt: skip
