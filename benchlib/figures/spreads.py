"""How far runs of the same code differ: one line a configuration, one dot a run."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from benchlib.answers.repeatability import SpreadRow
from benchlib.document.blocks import Figure, Panel
from benchlib.document.words import plain_name
from benchlib.figures.style import AXIS, COLOURS, Mark, chart, plain

__all__ = ["spread_figure"]

#: Configurations that have room.
_MOST_ROWS = 8


def spread_figure(spreads: Sequence[SpreadRow]) -> Figure:
    """Draw every run over the median run of its configuration, the widest first."""
    rows = sorted(spreads, key=lambda row: -row.spread.ratio)[:_MOST_ROWS]
    keys = [row.key for row in rows]
    traces: list[Mark] = []
    names: list[str] = []
    for place, row in enumerate(rows):
        middle = median(row.spread.centres)
        x = [centre / middle for centre in row.spread.centres]
        ends = {"x": [min(x), max(x)], "y": [-place, -place]}
        traces.append(
            {"type": "scatter", "mode": "lines", "line": {"color": AXIS, "width": 1}, "hoverinfo": "skip", **ends}
        )
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": x,
                "y": [-place] * len(x),
                "text": list(row.runs),
                "hovertemplate": "%{text}: %{x:.2f}<extra></extra>",
                "marker": {"size": 10, "color": COLOURS[0]},
            }
        )
        name = ", ".join(plain_name(str(level)) for level in row.key.values())
        names.append(plain(f"{name}: {plain_name(row.metric)}" if keys.count(row.key) > 1 else name))
    widest = max(row.spread.ratio for row in rows)
    ticks = [value for value in (0.25, 0.5, 1.0, 2.0, 4.0) if 1 / widest <= value <= widest] or [1.0]
    xaxis = {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:g} times" for tick in ticks]}
    drawn = chart(
        traces,
        height=40 + 30 * len(rows),
        xaxis=xaxis,
        yaxis={
            "range": [-len(rows) + 0.4, 0.7],
            "tickvals": [-place for place in range(len(rows))],
            "ticktext": names,
            "automargin": True,
        },
        shapes=[
            {"type": "line", "x0": 1, "x1": 1, "yref": "paper", "y0": 0, "y1": 1, "line": {"color": AXIS, "width": 1}}
        ],
    )
    return Figure(
        finding=("Runs of the same code lie far apart",),
        panels=(Panel(chart=drawn),),
        alt="Each run over the median run of its configuration.",
        note="one dot a run, over the median run of the same code",
    )
