"""Latency of one node against its throughput: as fitted, as measured, and where a limit breaks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from benchlib import significant_digits
from benchlib.answers.capacity_loads import MeasuredLevel
from benchlib.answers.capacity_plans import LatencyPoint, LoadPlan, NodeOption, PlanningAnswer
from benchlib.plots.capacity_marks import TARGET, mark_upright
from benchlib.plots.scaling_marks import per_second, tint
from benchlib.plots.style import COLOURS, INK, empty_figure, plain, prefixed, scatter
from benchlib.statistics.estimates import Estimate
from benchlib.study.quantities import parse_limit
from benchlib.units import scaled, show

__all__ = ["loaded_latency_figure"]

_MEAN, _LIMITED = COLOURS[0], COLOURS[1]
#: Other percentiles than the one that has the limit: what half of the requests see, and the slowest.
_OTHERS = {"latency_p50": (COLOURS[2], "diamond-open"), "latency_p99": (COLOURS[3], "triangle-up-open")}
#: Of a load and the latency there: by Little's law their product is what is in flight.
_DIGITS = 4
#: Latencies further apart than this factor share no linear axis.
_FAR_APART = 20.0
#: Of the width of the figure: words beside a line take so much.
_WORDS = 0.3
#: Room beyond the largest value: bands may reach out of the figure, lines and points may not.
_ROOM = 1.15


def loaded_latency_figure(answer: PlanningAnswer, plan: LoadPlan, *, alt: str, caption: str) -> go.Figure:
    """Draw the latency of one node against what it delivers, with the limit and the load at which that breaks.

    The line is N against X(N) of the draws, N / X(N) being the mean; a percentile is drawn where it has the limit.
    Open marks are what was measured. Nothing is drawn beyond the node of the plan and the levels measured.
    """
    figure = empty_figure(alt=alt, caption=caption, height=420)
    places = _places(plan)
    limited = [(one, one.limited) for one in places if one.limited is not None]
    asked = parse_limit(answer.asked.slo)
    limit = asked if limited else None
    name = "" if limit is None or limit.metric == "latency_mean" else limit.metric
    marks = _marks(plan.measured, name)
    shown = [one.mean.value for one in places] + [value for points in marks.values() for _, value in points]
    shown += [one.value for _, one in limited] + ([limit.seconds] if limit is not None else [])
    divisor, unit = scaled(max(shown), "sec")
    _draw(figure, [(one, one.mean) for one in places], divisor, _MEAN, "mean: N / X(N)")
    if name:
        _draw(figure, limited, divisor, _LIMITED, _short(name))
    for metric, points in marks.items():
        _mark(figure, points, divisor, metric, name)
    far = max(shown) > _FAR_APART * min(shown)
    widest = _ROOM * max(one.throughput.value for one in places)
    uprights = _uprights(plan.best) if plan.best is not None else []
    if limit is not None:
        text = f"limit: {_short(limit.metric)} {show(limit.seconds, 'sec')}"
        # Its words stand at the end that no upright line goes through.
        left = all(one > _WORDS * widest for one in uprights) or any(one > (1 - _WORDS) * widest for one in uprights)
        _limit(figure, limit.seconds / divisor, text, far=far, left=left)
    if plan.best is not None:
        _loads(figure, plan.best, plan, widest)
    rate = per_second(plan.unit)
    figure.update_xaxes(title=plain(f"throughput of a node, {rate}"), range=[0, widest], **prefixed())
    ends = (min(shown) / divisor, max(shown) / divisor)
    figure.update_yaxes(
        title=plain(f"latency, {unit}"), **(_decades(*ends) if far else {"range": [0, _ROOM * ends[1]]})
    )
    return figure


def _places(plan: LoadPlan) -> list[LatencyPoint]:
    sizes = [one.concurrency for one in plan.measured] + ([plan.best.concurrency] if plan.best is not None else [])
    return [one for one in plan.latency if not sizes or one.concurrency <= max(sizes)]


def _marks(levels: Sequence[MeasuredLevel], limited: str) -> dict[str, list[tuple[MeasuredLevel, float]]]:
    """Return what was measured and is shown, by metric; the mean under an empty name."""
    found = {"": [(one, one.mean) for one in levels]}
    for name in dict.fromkeys([limited, *_OTHERS] if limited else _OTHERS):
        found[name] = [(one, one.percentiles[name]) for one in levels if name in one.percentiles]
    return {name: points for name, points in found.items() if points}


def _decades(low: float, high: float) -> dict[str, object]:
    """Return a logarithmic axis with every tick in full: plotly writes a bare 2 and 5 between decades."""
    ticks = [step * 10.0**power for power in range(-9, 10) for step in (1, 2, 5)]
    held = [tick for tick in ticks if low / _ROOM <= tick <= high * _ROOM]
    return {
        "type": "log",
        "range": [math.log10(low / 1.5), math.log10(high * 1.5)],
        "tickvals": held,
        "ticktext": [f"{tick:g}" for tick in held],
    }


def _draw(
    figure: go.Figure,
    found: Sequence[tuple[LatencyPoint, Estimate]],
    divisor: float,
    colour: str,
    name: str,
) -> None:
    """Draw a latency along the throughput, and where the draws of it lie."""
    places, latencies = [one for one, _ in found], [one for _, one in found]
    # Fewer in flight than at the first level wait no less than there.
    rates = [0.0, *(one.throughput.value for one in places)]
    values, lows, highs = (
        [one / divisor for one in [ends[0], *ends]]
        for ends in (
            [one.value for one in latencies],
            [one.low for one in latencies],
            [one.high for one in latencies],
        )
    )
    # A draw that delivers less at an N waits longer there: the ends of both go together.
    slow, fast = ([0.0, *ends] for ends in ([p.throughput.low for p in places], [p.throughput.high for p in places]))
    figure.add_trace(
        scatter(
            x=[*slow, *reversed(fast)],
            y=[*highs, *reversed(lows)],
            fill="toself",
            fillcolor=tint(colour),
            line={"width": 0},
            mode="lines",
            hoverinfo="skip",
            showlegend=False,
        )
    )
    figure.add_trace(
        scatter(
            x=rates,
            y=values,
            mode="lines",
            line={"color": colour, "width": 2.5},
            name=name,
            text=[
                f"{one.concurrency:g} in flight: {show(one.throughput.value, one.throughput.unit, _DIGITS)}, "
                f"{show(value.value, 'sec', _DIGITS)}"
                for one, value in [(places[0], latencies[0]), *zip(places, latencies, strict=True)]
            ],
            hovertemplate="%{text}<extra></extra>",
        )
    )


def _mark(
    figure: go.Figure, points: Sequence[tuple[MeasuredLevel, float]], divisor: float, metric: str, limited: str
) -> None:
    """Mark what was measured: the mean by Little's law, or a percentile."""
    colour, symbol = (_MEAN, "circle-open") if not metric else _OTHERS.get(metric, (_LIMITED, "square-open"))
    if metric and metric == limited:
        colour, symbol = _LIMITED, "square-open"
    figure.add_trace(
        scatter(
            x=[one.throughput for one, _ in points],
            y=[value / divisor for _, value in points],
            mode="markers",
            marker={"symbol": symbol, "size": 9, "color": colour, "line": {"color": colour, "width": 1.75}},
            name=f"{_short(metric) or 'N / X'} measured",
            text=[f"{one.concurrency:g} in flight: {show(value, 'sec')}" for one, value in points],
            hovertemplate="%{text}<extra></extra>",
        )
    )


def _uprights(best: NodeOption) -> list[float]:
    """Return the loads at which an upright line is drawn."""
    return [one for one in (best.load, best.breaks_at.value if best.breaks_at else math.nan) if math.isfinite(one)]


def _limit(figure: go.Figure, place: float, text: str, *, far: bool, left: bool) -> None:
    figure.add_hline(y=place, line={"color": TARGET, "width": 1.5, "dash": "dash"})
    figure.add_annotation(
        x=0 if left else 1, xref="paper", xanchor="left" if left else "right",
        y=math.log10(place) if far else place, yanchor="bottom",
        text=plain(text), font={"size": 12, "color": TARGET}, showarrow=False,
    )  # fmt: skip


def _loads(figure: go.Figure, best: NodeOption, plan: LoadPlan, widest: float) -> None:
    """Mark the load of a node at the target, and that at which the limit breaks, with its interval."""
    if math.isfinite(best.load):
        side = "left" if best.load < widest / 2 else "right"
        mark_upright(
            figure, best.load, f"at the target: {show(best.load, plan.unit, _DIGITS)}", INK, dash="dot", side=side
        )
    breaks = best.breaks_at
    if breaks is None or not breaks.value > 0:
        return
    text = f"{'full' if best.full_first else 'breaks'}: {significant_digits.figure(breaks)}"
    side = "left" if breaks.value < widest / 2 else "right"
    mark_upright(figure, breaks.value, text, TARGET, side=side, top=0.94, gap=12)  # points lie on the line
    # Its interval as a bar on the axis: as ground it would cover the latencies.
    figure.add_shape(
        type="line", x0=max(breaks.low, 0.0), x1=min(breaks.high, widest), y0=0.015, y1=0.015, yref="paper",
        line={"width": 7, "color": tint(TARGET, 0.55)},
    )  # fmt: skip


def _short(metric: str) -> str:
    return metric.removeprefix("latency_")
