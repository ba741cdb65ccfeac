"""Throughput against concurrency, and latency against throughput: one line a setting, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchlib.answers.operating import OperatingLine, OperatingPanel
from benchlib.plots.scaling_marks import level_axis, per_second, reach
from benchlib.plots.style import COLOURS, DASHES, SYMBOLS, Trace, empty_figure, plain, prefixed, scatter
from benchlib.statistics.estimates import Estimate
from benchlib.units import scaled, show

__all__ = ["operating_figure"]


def operating_figure(panel: OperatingPanel, axis: str, *, alt: str, caption: str) -> go.Figure:
    """Draw one benchmark under load; the second panel is left out where no latency was measured.

    Each line of the second panel joins the levels of concurrency in their order: up is slower, right is more.
    """
    timed = [point for line in panel.lines for point in line.points if point.latency is not None]
    columns = 2 if timed else 1
    figure = make_subplots(rows=1, cols=columns, horizontal_spacing=0.14)
    figure.update_layout(empty_figure(alt=alt, caption=caption, height=310).layout)
    figure.update_layout(showlegend=len(panel.lines) > 1)
    divisor, unit = _latency_scale(panel)
    for number, line in enumerate(panel.lines):
        rates = [point.throughput for point in line.points]
        levels = [point.concurrency for point in line.points]
        names = [_told(line, point.concurrency, axis, point.throughput, point.latency) for point in line.points]
        figure.add_trace(_line(line, number, levels, [one.value for one in rates], names, rates, 1.0), row=1, col=1)
        known = [point for point in line.points if point.latency is not None]
        if known:
            delays = [point.latency for point in known if point.latency is not None]
            trace = _line(
                line,
                number,
                [point.throughput.value for point in known],
                [one.value / divisor for one in delays],
                [name for name, point in zip(names, line.points, strict=True) if point.latency is not None],
                delays,
                divisor,
            )
            figure.add_trace(trace | {"showlegend": False}, row=1, col=2)
    every = [point.concurrency for line in panel.lines for point in line.points]
    rate_name = per_second(panel.lines[0].points[0].throughput.unit)
    figure.update_xaxes(**level_axis(every, axis), row=1, col=1)
    figure.update_yaxes(title=plain(rate_name), rangemode="tozero", **prefixed(), row=1, col=1)
    if timed:
        figure.update_xaxes(title=plain(rate_name), rangemode="tozero", **prefixed(), row=1, col=2)
        figure.update_yaxes(title=plain(f"{panel.statistic} latency, {unit}"), rangemode="tozero", row=1, col=2)
    return figure


def _latency_scale(panel: OperatingPanel) -> tuple[float, str]:
    values = [point.latency.value for line in panel.lines for point in line.points if point.latency is not None]
    return scaled(max(values), "sec") if values else (1.0, "")


def _line(
    line: OperatingLine,
    number: int,
    x: Sequence[float],
    y: Sequence[float],
    names: Sequence[str],
    estimates: Sequence[Estimate],
    divisor: float,
) -> Trace:
    colour = COLOURS[number % len(COLOURS)]
    return scatter(
        x=list(x),
        y=list(y),
        mode="lines+markers",
        line={"color": colour, "dash": DASHES[number % len(DASHES)], "width": 2},
        marker={"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 8, "color": colour},
        error_y={
            "type": "data",
            "symmetric": False,
            "array": [reach(one.high - one.value) / divisor for one in estimates],
            "arrayminus": [reach(one.value - one.low) / divisor for one in estimates],
            "color": colour,
            "thickness": 1,
        },
        name=plain(line.name) or "measured",
        legendgroup=plain(line.name),
        text=list(names),
        hovertemplate="%{text}<extra></extra>",
    )


def _told(line: OperatingLine, level: float, axis: str, rate: Estimate, latency: Estimate | None) -> str:
    slow = f", {show(latency.value, latency.unit)}" if latency is not None else ""
    name = f"{plain(line.name)}, " if line.name else ""
    return f"{name}{plain(axis)} {level:g}: {show(rate.value, rate.unit)}{slow}"
