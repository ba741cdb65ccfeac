"""The scaling figure of a first page: data, law and band, with the target, today's level and the best balance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.plots.panels import Panel, side_by_side
from benchlib.plots.scaling import panels_of, scaling_panels, unit_titles
from benchlib.plots.scaling_marks import level_line, per_second
from benchlib.plots.style import INK, Mark, plain, scatter
from benchlib.scaling.predict import EXTRAPOLATION_LIMIT, predict
from benchlib.study import TargetPlan
from benchlib.units import scaled

__all__ = ["marks_target", "marks_today", "scaling_hero_figure"]

_TARGET = "#A8211A"
HEIGHT = 300
#: Above this share of an axis there is no room for words over a ring.
_ROOM = 0.75


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
    curves, panels = panels_of(answer.curves), scaling_panels(answer)
    # The long names of two units do not fit beside a figure of this height.
    titles = unit_titles(curves, lambda unit: scaled(1.0, unit)[1] or "throughput")
    # Two units in one panel are title enough: with a word before them they are longer than the axis.
    titles[0] = titles[0] if titles[0] == "throughput" or " or " in titles[0] else f"throughput, {titles[0]}"
    for shown, panel, title in zip(curves, panels, titles, strict=True):
        panel.yaxis["title"] = plain(title) or None
        panel.xaxis["title"] = {"text": panel.xaxis["title"], "standoff": 4}
        if today is not None:
            _mark_today(panel, shown, today)
        for one in targets:
            _mark_target(panel, shown, one, alone=len(panels) == 1)
    return side_by_side(panels, alt=alt, caption=caption, height=HEIGHT, margin={"t": 34, "b": 55})


def marks_today(answer: ScalingAnswer, today: float | None) -> bool:
    """Whether today's level has a place in the figure: measured, or within the levels on a law that describes them."""
    return today is not None and any(_rate_at(one, today) is not None for one in answer.curves)


def marks_target(answer: ScalingAnswer, target: TargetPlan) -> bool:
    """Whether a target is in the unit of a curve."""
    return target.unit in {one.curve.unit for one in answer.curves}


def _mark_today(panel: Panel, curves: Sequence[CurveAnswer], today: float) -> None:
    """Mark today's level once a panel, on the first curve that says what it does there."""
    rate = next((rate for one in curves if (rate := _rate_at(one, today)) is not None), None)
    if rate is None:
        return
    panel.traces.append(
        scatter(
            x=[today],
            y=[rate],
            mode="markers",
            marker={"symbol": "circle-open", "size": 17, "color": INK, "line": {"width": 2, "color": INK}},
            name="today",
            showlegend=False,
            hovertemplate="today: %{x}<extra></extra>",
        )
    )
    panel.annotations.append(_words_of_today(curves, today, rate, room=_ROOM * panel.yaxis["range"][1]))


def _words_of_today(curves: Sequence[CurveAnswer], today: float, rate: float, *, room: float) -> Mark:
    """Name today's level below its ring; above all that was measured there where the laws run below that."""
    measured = [found for one in curves if (found := _measured_at(one, today)) is not None]
    laws = [found for one in curves if (found := _law_at(one, today)) is not None]
    above = bool(measured and laws) and max(laws) < max(measured) <= room
    place = (
        {"y": max(measured), "yanchor": "bottom", "yshift": 9}
        if above
        else {"y": rate, "yanchor": "top", "yshift": -11}
    )
    font = {"size": 12, "color": INK}
    return {"x": math.log10(today), "text": f"today: {today:g}", "showarrow": False, "font": font, **place}


def _rate_at(one: CurveAnswer, level: float) -> float | None:
    measured = _measured_at(one, level)
    return measured if measured is not None else _law_at(one, level)


def _measured_at(one: CurveAnswer, level: float) -> float | None:
    return next((point.throughput.value for point in one.points if point.concurrency == level), None)


def _law_at(one: CurveAnswer, level: float) -> float | None:
    levels = [point.concurrency for point in one.points]
    law = one.chosen
    if law is None or law.misses_points or not levels[0] <= level <= min(levels[-1], EXTRAPOLATION_LIMIT * levels[-1]):
        return None
    return float(predict(law, [level]).throughput[0])


def _mark_target(panel: Panel, curves: Sequence[CurveAnswer], target: TargetPlan, *, alone: bool) -> None:
    units = {one.curve.unit for one in curves}
    for bound, way in ((target.low, "at least"), (target.high, "at most")):
        if bound is None or target.unit not in units:
            continue
        panel.shapes.append(level_line(bound, {"color": _TARGET, "width": 1.5, "dash": "dash"}))
        words = plain(f"target: {way} {bound:,.4g} {per_second(target.unit)}")
        place = {"x": 0, "y": bound, "xanchor": "left", "yanchor": "bottom"} | ({"xref": "x domain"} if alone else {})
        panel.annotations.append(place | {"text": words, "showarrow": False, "font": {"size": 12, "color": _TARGET}})
