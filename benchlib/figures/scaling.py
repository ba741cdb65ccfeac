"""Throughput against concurrency: one panel a curve, or the curves of one system in one panel."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from benchlib.answers.scaling import CurveAnswer
from benchlib.document.blocks import Number
from benchlib.document.numbers import write
from benchlib.figures.style import AXIS, BAD, COLOURS, Mark, chart, dots, label, path, plain

__all__ = ["overlaid_curves", "single_curve"]

#: Room above the highest point, as a share of the axis.
_ROOM = 1.12
#: Names of levels that have room on an axis.
_MOST_TICKS = 8


def single_curve(
    curve: CurveAnswer, *, latency: Mapping[float, Number] | None = None, limit: Number | None = None, height: int = 230
) -> dict[str, Any]:
    """Draw one curve; a point whose latency exceeds the limit is hollow and red, with its latency beside the first."""
    latency = latency or {}
    levels = [point.concurrency for point in curve.points]
    rates = [point.throughput.value for point in curve.points]
    beyond = [limit is not None and level in latency and latency[level].value > limit.value for level in levels]
    texts = [_hover(curve, place, latency.get(level)) for place, level in enumerate(levels)]
    traces = [
        path(levels, rates, color=AXIS, width=2),
        dots(
            levels,
            rates,
            texts,
            size=12,
            symbol=["circle-open" if over else "circle" for over in beyond],
            color=[BAD if over else COLOURS[0] for over in beyond],
            line={"width": 2},
        ),
    ]
    marks = []
    if True in beyond:
        first = beyond.index(True)
        words = f"99th pct {write(latency[levels[first]])} →"
        marks.append(
            label(
                words, math.log10(levels[first]), 0.55 * rates[first], xanchor="center", font={"size": 12, "color": BAD}
            )
        )
    return chart(traces, height=height, xaxis=_levels(levels), yaxis=_from_zero(rates), marks=marks)


def overlaid_curves(
    curves: Sequence[CurveAnswer],
    *,
    names: Sequence[str],
    cores: int | None = None,
    elsewhere: Sequence[tuple[float, float, str]] = (),
    height: int = 270,
) -> dict[str, Any]:
    """Draw the curves of one system in one panel, each named at its end.

    Levels beyond the cores are joined by dashes; ``elsewhere`` holds points of other runs: level, rate, words.
    """
    traces: list[Mark] = []
    marks = []
    top = max(
        [rate for _, rate, _ in elsewhere] + [point.throughput.value for curve in curves for point in curve.points]
    )
    for number, (curve, name) in enumerate(zip(curves, names, strict=True)):
        colour = COLOURS[number % len(COLOURS)]
        points = [(point.concurrency, point.throughput.value) for point in curve.points]
        within = [point for point in points if cores is None or point[0] <= cores]
        past = [*within[-1:], *points[len(within) :]]
        for part, dash in ((within, "solid"), (past, "dash")):
            if len(part) > 1:
                x, y = zip(*part, strict=True)
                traces.append(path(x, y, color=colour, width=2, dash=dash))
        x, y = zip(*points, strict=True)
        texts = [_hover(curve, place, None) for place in range(len(points))]
        traces.append(dots(x, y, texts, size=10, color=colour))
        last = points[-1]
        marks.append(
            label(
                name,
                math.log10(last[0]),
                last[1],
                xanchor="right",
                yanchor="bottom" if number == 0 else "top",
                yshift=8 if number == 0 else -8,
                font={"size": 12, "color": colour},
            )
        )
    for level, rate, words in elsewhere:
        traces.append(
            dots([level], [rate], [plain(words)], size=12, symbol="circle-open", color=BAD, line={"width": 2})
        )
        marks.append(
            label(words, math.log10(level), rate, xanchor="right", xshift=-10, font={"size": 12, "color": BAD})
        )
    levels = sorted(
        {point.concurrency for curve in curves for point in curve.points} | {level for level, _, _ in elsewhere}
    )
    return chart(traces, height=height, xaxis=_levels(levels), yaxis=_from_zero([top]), marks=marks)


def _levels(levels: Sequence[float]) -> dict[str, Any]:
    ends = math.log10(levels[0]), math.log10(levels[-1])
    ticks = _apart(levels)
    edge = 0.06 * (ends[1] - ends[0] or 1.0)
    return {
        "type": "log",
        "range": [ends[0] - edge, ends[1] + edge],
        "tickvals": ticks,
        "ticktext": [f"{level:g}" for level in ticks],
    }


def _apart(levels: Sequence[float]) -> list[float]:
    """Return the levels whose names have room beside each other: the ends, and those far enough from both."""
    least = (math.log10(levels[-1]) - math.log10(levels[0])) / _MOST_TICKS
    kept = [levels[0]]
    for level in levels[1:-1]:
        if min(math.log10(level / kept[-1]), math.log10(levels[-1] / level)) >= least:
            kept.append(level)
    return [*kept, levels[-1]] if len(levels) > 1 else kept


def _from_zero(rates: Sequence[float]) -> dict[str, Any]:
    return {"range": [0, _ROOM * max(rates)], "showticklabels": False}


def _hover(curve: CurveAnswer, place: int, latency: Number | None) -> str:
    point = curve.points[place]
    rate = point.throughput
    shown = Number(value=rate.value, unit=rate.unit)
    words = f"{curve.axis} {point.concurrency:g}: {write(shown)}, n = {point.n}"
    return plain(words + (f", p99 {write(latency)}" if latency is not None else ""))
