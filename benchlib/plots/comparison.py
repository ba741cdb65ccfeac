"""Ratios of candidate to baseline with their intervals: a forest plot."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.answers.grouping import label
from benchlib.plots.style import AXIS, empty_figure, plain

__all__ = ["drawn_rows", "forest_figure"]

#: Rows beyond this many are not drawn: the table holds them all.
MOST_ROWS = 40
_MARKS = {
    "better": ("#009E73", "circle"),
    "worse": ("#D55E00", "square"),
    "same": ("#56B4E9", "diamond"),
    "cannot tell": (AXIS, "circle-open"),
}


def drawn_rows(answer: ComparisonAnswer) -> tuple[ComparisonRow, ...]:
    """Return the rows that the figure draws, in the order of the table.

    All that have a ratio; where these are too many, those of the first metric alone, and of them
    the ones furthest from no change.
    """
    rows = [row for row in answer.rows if math.isfinite(row.comparison.ratio.value) and row.comparison.ratio.value > 0]
    if len(rows) > MOST_ROWS:
        rows = [row for row in rows if row.metric == rows[0].metric]
    furthest = sorted(rows, key=lambda row: -abs(math.log(row.comparison.ratio.value)))[:MOST_ROWS]
    return tuple(row for row in rows if row in furthest)


def forest_figure(answer: ComparisonAnswer, *, alt: str, caption: str) -> go.Figure:
    """Draw one line a row: the ratio, its interval, and the line of no change at 1."""
    rows = drawn_rows(answer)
    figure = empty_figure(alt=alt, caption=caption, height=120 + 26 * max(len(rows), 3))
    names = [_name(row, rows) for row in rows]
    for verdict, (colour, symbol) in _MARKS.items():
        for bounded in (True, False):
            chosen = [
                place
                for place, row in enumerate(rows)
                if row.verdict == verdict and row.comparison.ratio.has_interval is bounded
            ]
            if chosen:
                figure.add_trace(_marks(rows, names, chosen, bounded, colour, symbol, verdict))
    figure.add_vline(x=1, line={"color": AXIS, "width": 1})
    values = [row.comparison.ratio.value for row in rows]
    ticks = _ticks(min(values, default=1.0), max(values, default=1.0))
    figure.update_xaxes(
        type="log", title="candidate / baseline", tickvals=ticks, ticktext=[f"{tick:g}" for tick in ticks]
    )
    figure.update_yaxes(
        tickvals=list(range(len(rows))), ticktext=names, autorange="reversed", automargin=True, showgrid=False
    )
    return figure


def _marks(
    rows: Sequence[ComparisonRow],
    names: Sequence[str],
    chosen: Sequence[int],
    bounded: bool,
    colour: str,
    symbol: str,
    verdict: str,
) -> go.Scatter:
    ratios = [rows[place].comparison.ratio for place in chosen]
    reach = {
        "type": "data",
        "symmetric": False,
        "array": [_reach(ratio.high - ratio.value) for ratio in ratios],
        "arrayminus": [_reach(ratio.value - ratio.low) for ratio in ratios],
        "color": colour,
        "thickness": 1.5,
    }
    return go.Scatter(
        x=[ratio.value for ratio in ratios],
        y=list(chosen),
        mode="markers",
        marker={"color": colour, "symbol": symbol, "size": 9, "line": {"width": 1.5, "color": colour}},
        error_x=reach if bounded else None,
        name=verdict if bounded else f"{verdict}, no interval",
        text=[names[place] for place in chosen],
        hovertemplate="%{text}<br>%{x:.3f}x<extra></extra>",
    )


#: Ratios that people read at a glance; the finer set serves when all rows lie close to 1.
_COARSE = (0.01, 0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 0.67, 1, 1.5, 2, 3, 5, 10, 20, 50, 100)
_FINE = (0.8, 0.85, 0.9, 0.95, 0.98, 1, 1.02, 1.05, 1.1, 1.15, 1.2, 1.25)


def _ticks(low: float, high: float) -> list[float]:
    ticks = _FINE if low >= 0.8 and high <= 1.25 else _COARSE
    return [tick for tick in ticks if low / 1.6 <= tick <= high * 1.6]


def _name(row: ComparisonRow, rows: Sequence[ComparisonRow]) -> str:
    """Name a row by what tells it from the other rows drawn."""
    key = {
        axis: level
        for axis, level in row.key.items()
        if axis != "pkg" and len({str(one.key.get(axis)) for one in rows}) > 1
    }
    parts = [label(key)]
    if len({one.metric for one in rows}) > 1:
        parts.append(row.metric.removeprefix("latency_"))
    if len({(one.baseline, one.candidate) for one in rows}) > 1:
        parts.append(f"{row.candidate} / {row.baseline}")
    if row.control:
        parts.append("control")
    return plain(" · ".join(part for part in parts if part)) or plain(row.candidate)


def _reach(width: float) -> float:
    return width if math.isfinite(width) else 0.0
