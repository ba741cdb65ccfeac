"""Throughput against concurrency, and latency against throughput: a row a benchmark, one line a setting."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchlib import significant_digits
from benchlib.answers.latency import OperatingLine, OperatingPanel, OperatingPoint
from benchlib.plots.effects_marks import look, whiskers
from benchlib.plots.scaling_marks import level_axis, per_second
from benchlib.plots.style import AXIS, Mark, Trace, empty_figure, plain, prefixed, scatter
from benchlib.units import scaled

__all__ = ["operating_figure"]


#: CSS pixels: what stands above and below the axes, what names above rows and a legend above names take beside.
ABOVE, BELOW, NAME, LEGEND = 30, 55, 18, 24
#: Heights of the axes of one row, and of each of several; between these are ticks and a name.
ALONE, AMONG, BETWEEN = 225, 130, 52


def operating_figure(panels: Sequence[OperatingPanel], axis: str, *, alt: str, caption: str) -> go.Figure:
    """Draw benchmarks under load, a row each; the second column is left out where no latency was measured.

    All have the same settings, unit of throughput and statistic of latency: a legend and the titles below the last
    row are those of every row. Each line of the second column joins the levels of concurrency in their order: up is
    slower, right is more.
    """
    rows, settings, several = len(panels), len(panels[0].lines), len(panels) > 1
    axes = rows * AMONG + (rows - 1) * BETWEEN if several else ALONE
    above = ABOVE + (NAME + LEGEND * (settings > 1) if several else 0)
    figure = make_subplots(
        rows=rows,
        cols=2 if panels[0].statistic else 1,
        horizontal_spacing=0.14,
        vertical_spacing=BETWEEN / axes if several else 0,
    )
    figure.update_layout(empty_figure(alt=alt, caption=caption, height=above + axes + BELOW).layout)
    figure.update_layout(showlegend=settings > 1, margin={"t": above, "b": BELOW})
    for row, panel in enumerate(panels, start=1):
        _add_row(figure, row, panel, axis, is_last=row == rows)
        if several:
            figure.add_annotation(_name(panel), row=row, col=1)
    if several:
        figure.update_layout(legend={"yref": "container", "y": 1, "yanchor": "top"})
        figure.update_yaxes(title_font_size=11, showline=True, linecolor=AXIS)
    return figure


def _name(panel: OperatingPanel) -> Mark:
    """Return the name of a row, above its axes."""
    place = {"x": 0, "xref": "x domain", "xanchor": "left", "y": 1, "yref": "y domain", "yanchor": "bottom"}
    return {"text": plain(panel.name), "showarrow": False, "font": {"size": 12}, **place}


def _add_row(figure: go.Figure, row: int, panel: OperatingPanel, axis: str, *, is_last: bool) -> None:
    """Draw one benchmark; only the last row says what its axes below show."""
    rate_name = plain(per_second(panel.lines[0].points[0].throughput.unit))
    divisor, unit = _latency_scale(panel)
    for number, line in enumerate(panel.lines):
        for column, trace in enumerate(_traces(line, number, axis, divisor), start=1):
            figure.add_trace(trace | {"showlegend": row == column == 1}, row=row, col=column)
    levels = [point.concurrency for line in panel.lines for point in line.points]
    figure.update_xaxes(level_axis(levels, axis if is_last else ""), row=row, col=1)
    figure.update_yaxes(title=rate_name, rangemode="tozero", **prefixed(), row=row, col=1)
    if panel.statistic:
        below = rate_name if is_last else ""
        figure.update_xaxes(title=below, rangemode="tozero", **prefixed(), row=row, col=2)
        figure.update_yaxes(title=plain(f"{panel.statistic} latency, {unit}"), rangemode="tozero", row=row, col=2)


def _latency_scale(panel: OperatingPanel) -> tuple[float, str]:
    values = [point.latency.value for line in panel.lines for point in line.points if point.latency is not None]
    return scaled(max(values), "sec") if values else (1.0, "")


def _traces(line: OperatingLine, number: int, axis: str, divisor: float) -> list[Trace]:
    """Return a line against concurrency and, of the points with a latency, that latency against throughput."""
    name = plain(line.name)
    colour, dash, mark = look(number)
    shared = {
        "mode": "lines+markers",
        "line": {"color": colour, "dash": dash, "width": 2},
        "marker": {"symbol": mark, "size": 8, "color": colour},
        "name": name or "measured",
        "legendgroup": name,
        "hovertemplate": "%{text}<extra></extra>",
    }
    rates = [point.throughput for point in line.points]
    timed = [(point, point.latency) for point in line.points if point.latency is not None]
    traces = [
        scatter(
            x=[point.concurrency for point in line.points],
            y=[rate.value for rate in rates],
            error_y=whiskers(rates, 1.0, colour),
            text=[_told(line, point, axis) for point in line.points],
            **shared,
        )
    ]
    if timed:
        traces.append(
            scatter(
                x=[point.throughput.value for point, _ in timed],
                y=[latency.value / divisor for _, latency in timed],
                error_y=whiskers([latency for _, latency in timed], divisor, colour),
                text=[_told(line, point, axis) for point, _ in timed],
                **shared,
            )
        )
    return traces


def _told(line: OperatingLine, point: OperatingPoint, axis: str) -> str:
    rate, latency = point.throughput, point.latency
    slow = f", {significant_digits.figure(latency)}" if latency is not None else ""
    name = f"{plain(line.name)}, " if line.name else ""
    return f"{name}{plain(axis)} {point.concurrency:g}: {significant_digits.figure(rate)}{slow}"
