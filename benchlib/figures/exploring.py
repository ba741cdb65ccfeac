"""Charts that an exploring engineer asks for: values against an axis, a fit with its band, residuals, ratios."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchlib.answers.scaling import CurveAnswer
from benchlib.document.blocks import Figure, Panel
from benchlib.figures.comparison import Dot, forest
from benchlib.figures.style import AXIS, COLOURS, INK, MUTED, Mark, chart, plain
from benchlib.units import scaled

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["KINDS", "draw_fit", "draw_law", "draw_ratios", "draw_residuals", "draw_values"]

KINDS = ("strip", "line", "heat", "ecdf")
#: A chart has room for so many panels, colours and rows.
_MOST_PANELS, _MOST_COLOURS, _MOST_ROWS = 6, len(COLOURS), 12
#: An axis of so many levels has a tick at each.
_MOST_TICKS = 10
#: Axes whose levels spread wider than this are logarithmic.
_WIDE = 20
#: How see-through a band is.
_BAND = 0.15


def draw_values(frame: pd.DataFrame, *, x: str, y: str, color: str, facet: str, kind: str) -> Figure:
    """Draw a metric against an axis: every value, medians joined, medians in cells, or the share below each value."""
    metric, unit = str(frame["metric"].iloc[0]), str(frame["unit"].iloc[0])
    if kind == "heat":
        return _heat(frame, x, y, metric, unit)
    like, shown = _scale(frame["value"], unit)
    parts = [("", frame)] if not facet else [(f"{facet} {level}", rows) for level, rows in _levels_of(frame, facet)]
    left_out = len(parts) - _MOST_PANELS
    panels = tuple(
        Panel(chart=_panel(rows, x, color, kind, like, f"{metric} ({shown})" if shown else metric), title=title)
        for title, rows in parts[:_MOST_PANELS]
    )
    by = f" by {x}" if kind != "ecdf" else ""
    words = f"{metric}{by}" if by else f"Share of values of {metric} below each"
    return Figure(
        finding=(words + (f", by {color}" if color else ""),),
        panels=panels,
        alt=f"{len(frame):,} values{by}, {_span((frame['value'] / like).tolist(), shown)}.",
        note=f"{left_out} more panels are not drawn" if left_out > 0 else "",
    )


def draw_fit(curves: Sequence[CurveAnswer], lines: Sequence[tuple[str, pd.DataFrame]], *, finding: str) -> Figure:
    """Draw measured levels with the intervals of their medians, and fitted curves with bands over them."""
    values = [point.throughput.value for curve in curves for point in curve.points]
    like, unit = scaled(max(values), curves[0].points[0].throughput.unit)
    traces: list[Mark] = []
    for place, (name, line) in enumerate(lines):
        colour = COLOURS[place % len(COLOURS)]
        if "low" in line:
            high, low = (line["high"] / like).tolist(), (line["low"] / like).tolist()
            traces += [
                {
                    "type": "scatter", "mode": "lines", "x": line["n"].tolist(), "y": high, "line": {"width": 0},
                    "hoverinfo": "skip",
                },
                {
                    "type": "scatter", "mode": "lines", "x": line["n"].tolist(), "y": low, "line": {"width": 0},
                    "fill": "tonexty", "fillcolor": _see_through(colour), "hoverinfo": "skip",
                },
            ]  # fmt: skip
        traces.append(
            {
                "type": "scatter", "mode": "lines", "x": line["n"].tolist(), "y": (line["value"] / like).tolist(),
                "line": {"color": colour, "width": 2}, "name": plain(name), "showlegend": True,
            }
        )  # fmt: skip
    traces += [
        _measured(curve, like, INK if place == 0 else COLOURS[place % len(COLOURS)])
        for place, curve in enumerate(curves)
    ]
    levels = [point.concurrency for curve in curves for point in curve.points]
    top = 1.15 * max(values) / like
    return Figure(
        finding=(finding,),
        panels=(
            Panel(
                chart=_legend(
                    chart(
                        traces, height=320, margin={"l": 56, "b": 44, "r": 16, "t": 12},
                        xaxis=_numbers(levels, curves[0].axis),
                        yaxis=_titled(f"throughput ({unit})") | {"range": [0, top]},
                    )
                )
            ),
        ),
        alt=f"Measured throughput by {curves[0].axis}, with {' and '.join(name for name, _ in lines)}.",
    )  # fmt: skip


def draw_residuals(residuals: pd.DataFrame, *, axis: str, name: str) -> Figure:
    """Draw what each measurement is above the law, in percent."""
    share = (100 * residuals["share"]).tolist()
    trace: Mark = {
        "type": "scatter", "mode": "markers", "x": residuals[axis].tolist(), "y": share,
        "marker": {"size": 8, "color": COLOURS[0], "symbol": "circle-open"},
    }  # fmt: skip
    zero: Mark = {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": 0,
        "y1": 0,
        "line": {"color": AXIS, "width": 1},
    }
    worst = max(map(abs, share), default=0.0)
    body = chart(
        [trace], height=240, margin={"l": 56, "b": 44, "r": 16, "t": 12}, shapes=[zero],
        xaxis=_numbers(residuals[axis].tolist(), axis), yaxis=_titled("above the law (%)"),
    )  # fmt: skip
    finding = f"{name}: measurements lie within {worst:.2g}% of the law"
    return Figure(finding=(finding,), panels=(Panel(chart=body),), alt=f"Residuals by {axis}.")


def draw_ratios(rows: pd.DataFrame, *, finding: str) -> Figure:
    """Draw ratios of new to old with their intervals, the largest changes first."""
    usable = rows[rows["ratio"] > 0]
    several = usable["metric"].nunique() > 1
    order = usable["ratio"].map(math.log).abs().sort_values(ascending=False).index[:_MOST_ROWS]
    shown = usable.loc[order]
    names = [
        f"{row.name_}{f', {row.metric}' if several else ''}"
        for row in shown.rename(columns={"name": "name_"}).itertuples()
    ]
    rows_shown: Any = shown.itertuples()  # named tuples of a table have no types
    dots = [
        Dot(
            ratio=row.ratio, low=row.low, high=row.high, words=f"{row.ratio:.3g} times",
            sure=row.verdict in ("better", "worse"), worse=row.verdict == "worse",
        )
        for row in rows_shown
    ]  # fmt: skip
    note = f"the {len(shown)} largest of {len(rows)}" if len(shown) < len(rows) else ""
    return Figure(
        finding=(finding,),
        panels=(Panel(chart=forest(names, dots)),),
        alt=f"Ratios of new to old with their intervals; rows: {len(shown)}.",
        note=note,
    )


def draw_law(line: pd.DataFrame, name: str, formula: str) -> Figure:
    """Draw one law without data."""
    trace: Mark = {
        "type": "scatter", "mode": "lines", "x": line["n"].tolist(), "y": line["value"].tolist(),
        "line": {"color": COLOURS[0], "width": 2},
    }  # fmt: skip
    body = chart(
        [trace], height=260, margin={"l": 56, "b": 44, "r": 16, "t": 12},
        xaxis=_titled("N"), yaxis=_titled("throughput") | {"rangemode": "tozero"},
    )  # fmt: skip
    return Figure(finding=(f"{name}: {formula}",), panels=(Panel(chart=body),), alt="Throughput by N.")


# ---- parts of these ----


def _panel(frame: pd.DataFrame, x: str, color: str, kind: str, like: float, title: str) -> dict[str, Any]:
    groups = _levels_of(frame, color) if color else [("", frame)]
    traces: list[Mark] = []
    for place, (name, rows) in enumerate(groups[:_MOST_COLOURS]):
        traces.append(
            _trace(rows, x, kind, like, COLOURS[place % len(COLOURS)])
            | {"name": plain(name), "showlegend": bool(color)}
        )
    xaxis = _titled(title) if kind == "ecdf" else _axis_of(frame[x], x)
    yaxis = _titled("share of values") if kind == "ecdf" else _titled(title) | {"rangemode": "tozero"}
    body = chart(traces, height=300, margin={"l": 60, "b": 44, "r": 16, "t": 12}, xaxis=xaxis, yaxis=yaxis)
    return _legend(body) if color else body


def _trace(rows: pd.DataFrame, x: str, kind: str, like: float, colour: str) -> Mark:
    if kind == "ecdf":
        values = sorted((rows["value"] / like).tolist())
        share = [(place + 1) / len(values) for place in range(len(values))]
        return {
            "type": "scatter",
            "mode": "lines",
            "x": values,
            "y": share,
            "line": {"color": colour, "width": 2, "shape": "hv"},
        }
    if kind == "line":
        medians = rows.groupby(x, observed=True)["value"].median() / like
        return {
            "type": "scatter", "mode": "lines+markers", "x": _plain_levels(medians.index), "y": medians.tolist(),
            "line": {"color": colour, "width": 2}, "marker": {"size": 8, "color": colour},
        }  # fmt: skip
    return {
        "type": "scatter", "mode": "markers", "x": _plain_levels(rows[x]), "y": (rows["value"] / like).tolist(),
        "marker": {"size": 7, "color": colour, "opacity": 0.6},
    }  # fmt: skip


def _heat(frame: pd.DataFrame, x: str, y: str, metric: str, unit: str) -> Figure:
    cells = frame.pivot_table(index=y, columns=x, values="value", aggfunc="median", observed=True)
    like, shown = _scale(frame["value"], unit)
    values = (cells / like).to_numpy()
    shown_cells = [[None if math.isnan(value) else value for value in row] for row in values.tolist()]
    body = chart(
        [
            {
                "type": "heatmap", "z": shown_cells,
                "x": [_level_name(level) for level in cells.columns],
                "y": [_level_name(level) for level in cells.index],
                "text": [["" if value is None else f"{value:.3g}" for value in row] for row in shown_cells],
                "texttemplate": "%{text}", "colorscale": [[0, "#ffffff"], [1, COLOURS[5]]], "showscale": False,
            }
        ],
        height=60 + 44 * max(2, len(cells)), margin={"l": 60, "b": 44, "r": 16, "t": 12},
        xaxis=_titled(x) | {"type": "category"}, yaxis=_titled(y) | {"type": "category"},
    )  # fmt: skip
    finding = f"Median {metric} ({shown or 'no unit'}) by {y} and {x}"
    known = [value for row in shown_cells for value in row if value is not None]
    alt = f"{len(known)} cells, {_span(known, shown)}."
    return Figure(finding=(finding,), panels=(Panel(chart=body),), alt=alt)


def _measured(curve: CurveAnswer, like: float, colour: str) -> Mark:
    points = curve.points
    middle = [point.throughput.value / like for point in points]
    ends = [(point.throughput.low / like, point.throughput.high / like) for point in points]
    error = {
        "type": "data", "symmetric": False, "color": colour, "thickness": 1.5, "width": 3,
        "array": [high - value if math.isfinite(high) else 0 for value, (_, high) in zip(middle, ends, strict=True)],
        "arrayminus": [value - low if math.isfinite(low) else 0 for value, (low, _) in zip(middle, ends, strict=True)],
    }  # fmt: skip
    return {
        "type": "scatter", "mode": "markers", "x": [point.concurrency for point in points], "y": middle,
        "error_y": error,
        "marker": {"size": 9, "color": colour}, "name": plain(f"measured: {curve.name}"), "showlegend": True,
    }  # fmt: skip


def _legend(body: dict[str, Any]) -> dict[str, Any]:
    place = {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "font": {"size": 12, "color": INK}}
    layout = body["layout"] | {"showlegend": True, "legend": place}
    return {**body, "layout": layout | {"margin": layout["margin"] | {"t": 36}}}


def _levels_of(frame: pd.DataFrame, axis: str) -> list[tuple[str, pd.DataFrame]]:
    return [(_level_name(level), rows) for level, rows in frame.groupby(axis, observed=True)]


def _level_name(level: Any) -> str:
    return f"{level:g}" if isinstance(level, float) else str(level)


def _plain_levels(levels: Any) -> list[Any]:
    return [str(level) if not isinstance(level, int | float) else level for level in levels.tolist()]


def _axis_of(levels: pd.Series, name: str) -> dict[str, Any]:
    known = _plain_levels(levels.dropna())
    if known and all(isinstance(level, int | float) for level in known):
        return _numbers(known, name)
    return _titled(name) | {"type": "category"}


def _numbers(levels: Sequence[float], name: str) -> dict[str, Any]:
    """Return an axis of numbers, logarithmic where they spread wide; a tick at each level where these are few."""
    low, high = min(levels), max(levels)
    axis = _titled(name) | ({"type": "log"} if low > 0 and high / low >= _WIDE else {})
    ticks = sorted(set(levels))
    if len(ticks) > _MOST_TICKS:
        return axis
    return axis | {"tickvals": ticks, "ticktext": [_level_name(tick) for tick in ticks]}


def _titled(words: str) -> dict[str, Any]:
    return {
        "title": {"text": plain(words), "font": {"size": 12, "color": MUTED}},
        "showgrid": False,
        "ticks": "outside",
        "tickcolor": AXIS,
        "showline": True,
        "linecolor": AXIS,
    }


def _scale(values: pd.Series, unit: str) -> tuple[float, str]:
    size = float(values.abs().median()) or 1.0
    like, shown = scaled(size, unit) if unit else (1.0, "")
    return like, shown


def _span(values: Sequence[float], unit: str) -> str:
    return f"from {min(values):.3g} to {max(values):.3g} {unit}".rstrip()


def _see_through(colour: str) -> str:
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},{_BAND})"
