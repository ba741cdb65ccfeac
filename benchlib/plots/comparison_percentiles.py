"""Where between fastest and slowest the sides differ: the ratio of candidate to baseline, percentile by percentile."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import plotly.graph_objects as go

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.answers.grouping import label
from benchlib.plots.comparison_marks import BAND, UPRIGHT, ratio_axis, towards_better
from benchlib.plots.effects_marks import look, whiskers
from benchlib.plots.style import AXIS, empty_figure, plain, scatter
from benchlib.statistics.samples import percentile_share

__all__ = ["percentile_rows", "percentiles_figure"]

#: Lines of percentiles that can still be told apart.
MOST_LINES = 6

_PERCENTILE = re.compile(r"(?P<of>.+)_(?P<name>p\d+(\.\d+)?|max)")


def percentile_rows(answer: ComparisonAnswer) -> list[list[ComparisonRow]]:
    """Return rows that are percentiles of one thing, smallest first, for each thing that has two or more."""
    found: dict[tuple[str, str, str, str], list[ComparisonRow]] = {}
    for row in answer.rows:
        named = _PERCENTILE.fullmatch(row.metric)
        if named and math.isfinite(row.comparison.ratio.value) and row.comparison.ratio.value > 0:
            found.setdefault((str(dict(row.key)), row.baseline, row.candidate, named["of"]), []).append(row)
    return [sorted(rows, key=_share) for rows in found.values() if len(rows) > 1]


def _share(row: ComparisonRow) -> float:
    name = row.metric.rpartition("_")[2]
    return 1.0 if name == "max" else percentile_share(name)


def percentiles_figure(answer: ComparisonAnswer, *, alt: str, caption: str) -> go.Figure | None:
    """Draw the ratio of each percentile that was measured as a metric, a line for each thing; None where none was."""
    groups = percentile_rows(answer)[:MOST_LINES]
    if not groups:
        return None
    figure = empty_figure(alt=alt, caption=caption, height=380)
    firsts = [rows[0] for rows in groups]
    for number, rows in enumerate(groups):
        colour, dash, symbol = look(number)
        ratios = [row.comparison.ratio for row in rows]
        name = _line_name(rows[0], firsts)
        figure.add_trace(
            scatter(
                x=[_share(row) for row in rows],
                y=[ratio.value for ratio in ratios],
                mode="lines+markers",
                line={"color": colour, "dash": dash, "width": 2},
                marker={"symbol": symbol, "size": 9, "color": colour},
                error_y=whiskers(ratios, 1.0, colour),
                name=name,
                text=[f"{name}<br>{plain(row.metric)}: {row.comparison.ratio.value:.3f}x" for row in rows],
                hovertemplate="%{text}<extra></extra>",
            )
        )
    _spread_percentiles(figure, groups)
    _ground(figure, answer.min_effect)
    values = [row.comparison.ratio.value for rows in groups for row in rows]
    ends = [end for rows in groups for row in rows for end in _ends(row)]
    every = [row for rows in groups for row in rows]
    figure.update_yaxes(**ratio_axis(values, ends, f"candidate / baseline{towards_better(every, UPRIGHT)}"))
    figure.update_layout(showlegend=len(groups) > 1)
    return figure


def _spread_percentiles(figure: go.Figure, groups: Sequence[Sequence[ComparisonRow]]) -> None:
    """Place percentiles side by side at one distance: by their shares the tail would be one point."""
    names = {_share(row): row.metric.rpartition("_")[2] for rows in groups for row in rows}
    places = {share: place for place, share in enumerate(sorted(names))}
    for trace in figure.data:
        trace.x = [places[share] for share in trace.x]
    figure.update_xaxes(
        tickvals=list(places.values()),
        ticktext=[plain(names[share]) for share in places],
        range=[-0.3, len(places) - 0.7],
        title="percentile",
    )


def _ends(row: ComparisonRow) -> tuple[float, ...]:
    ratio = row.comparison.ratio
    return (ratio.low, ratio.high) if ratio.has_interval and ratio.low > 0 else ()


def _line_name(row: ComparisonRow, others: Sequence[ComparisonRow]) -> str:
    key = {axis: level for axis, level in row.key.items() if len({str(one.key.get(axis)) for one in others}) > 1}
    against = f"{row.candidate} / {row.baseline}" if len({(one.baseline, one.candidate) for one in others}) > 1 else ""
    kind = row.metric.rpartition("_")[0] if len({one.metric.rpartition("_")[0] for one in others}) > 1 else ""
    return plain(" · ".join(one for one in (label(key), kind, against) if one) or f"{row.candidate} / {row.baseline}")


def _ground(figure: go.Figure, min_effect: float) -> None:
    """Draw the line of no change, and the band of changes too small to matter."""
    if min_effect > 0:
        figure.add_hrect(y0=1 - min_effect, y1=1 + min_effect, fillcolor=BAND, line={"width": 0}, layer="below")
    figure.add_hline(y=1, line={"color": AXIS, "width": 1}, layer="below")
