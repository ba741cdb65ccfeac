"""A forest plot for a first page: the most telling rows of a comparison, names beside the marks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.plots.comparison_marks import (
    ALONG,
    MARKS,
    directed_names,
    has_ratio,
    mark_no_effect,
    ratio_axis,
    towards_better,
)
from benchlib.plots.style import AXIS, Trace, empty_figure, plain, scatter
from benchlib.statistics.compare import distance

__all__ = ["compact_forest", "telling_rows"]

#: Rows that a first page has room for, and how many of them are controls where there are some.
MOST_ROWS = 12
MOST_CONTROLS = 3
#: The height of a row in pixels, and of what stands around the rows.
_LANE, _AROUND = 18, 92
#: Letters of a name that leave the marks more than half of the width, on paper too.
_LONGEST = 44


def telling_rows(answer: ComparisonAnswer) -> tuple[ComparisonRow, ...]:
    """Return the rows that say most: those with a verdict, furthest from no change first, then controls.

    Where no row has a verdict they are those of the first pair and metric. A pair with few rows is shown whole and in
    its own order, so that what belongs together stands together.
    """
    able = [row for row in answer.rows if has_ratio(row)]
    others = [row for row in able if not row.control]
    decided = [row for row in others if row.verdict in ("better", "worse")]
    if not others:
        return ()
    pair = [row for row in others if (row.baseline, row.candidate) == (others[0].baseline, others[0].candidate)]
    first = [row for row in pair if row.metric == others[0].metric]
    whole = not decided and len(pair) <= MOST_ROWS
    chosen = pair if whole else sorted(decided or first, key=_moved, reverse=True)
    metrics = {row.metric for row in chosen}
    controls = sorted((row for row in able if row.control and row.metric in metrics), key=_moved, reverse=True)
    controls = controls[:MOST_CONTROLS]
    return (*chosen[: MOST_ROWS - len(controls)], *controls)


def compact_forest(answer: ComparisonAnswer, rows: Sequence[ComparisonRow], *, alt: str, caption: str) -> go.Figure:
    """Draw rows of a comparison: the ratio of candidate to baseline with its interval, one line a row.

    Parameters
    ----------
    answer : ComparisonAnswer
    rows : sequence of ComparisonRow
        Of that answer, at least one; controls last.
    alt, caption : str
    """
    figure = empty_figure(alt=alt, caption=caption, height=_AROUND + _LANE * max(len(rows), 3))
    names = [f"{name} (control)" if row.control else name for name, row in zip(_names(rows), rows, strict=True)]
    for verdict, (colour, symbol) in MARKS.items():
        places = [place for place, row in enumerate(rows) if row.verdict == verdict]
        if places:
            figure.add_trace(_marks(rows, names, places, colour, symbol, verdict))
    mark_no_effect(figure, answer.min_effect)
    ratios = [row.comparison.ratio for row in rows]
    ends = [end for one in ratios if one.has_interval for end in (one.low, one.high) if end > 0]
    title = f"{_sides(rows)}{towards_better(rows, ALONG)}"
    figure.update_xaxes(**ratio_axis([one.value for one in ratios], ends, title))
    figure.update_yaxes(
        tickvals=list(range(len(rows))), ticktext=names, range=[len(rows) - 0.4, -0.6], showline=False,
        automargin=True, tickfont={"size": 11},
    )  # fmt: skip
    figure.update_layout(showlegend=True, margin={"l": 10, "r": 12, "t": 26, "b": 54})
    return figure


def _names(rows: Sequence[ComparisonRow]) -> list[str]:
    return directed_names(rows, ALONG, _LONGEST)


def _sides(rows: Sequence[ComparisonRow]) -> str:
    pairs = {(row.baseline, row.candidate) for row in rows}
    return "candidate / baseline" if len(pairs) > 1 else plain(f"{rows[0].candidate} / {rows[0].baseline}")


def _marks(
    rows: Sequence[ComparisonRow],
    names: Sequence[str],
    places: Sequence[int],
    colour: str,
    symbol: str,
    verdict: str,
) -> Trace:
    ratios = [rows[place].comparison.ratio for place in places]
    return scatter(
        x=[one.value for one in ratios],
        y=list(places),
        mode="markers",
        marker={"color": colour, "symbol": symbol, "size": 9, "line": {"width": 1.5, "color": colour}},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [_length(one.high - one.value) if one.has_interval else 0.0 for one in ratios],
            # Down to 0 has no place on a logarithmic axis.
            "arrayminus": [
                _length(one.value - max(one.low, one.value * 1e-3)) if one.has_interval else 0.0 for one in ratios
            ],
            "color": colour if verdict != "cannot tell" else AXIS,
            "thickness": 1.5,
        },
        name=verdict,
        text=[f"{names[place]}: {rows[place].comparison.ratio.value:.3f}x, {verdict}" for place in places],
        hovertemplate="%{text}<extra></extra>",
    )


def _length(width: float) -> float:
    return max(width, 0.0) if math.isfinite(width) else 0.0


def _moved(row: ComparisonRow) -> float:
    return distance(row.comparison.ratio.value)
