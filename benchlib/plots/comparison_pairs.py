"""Every value of both sides, row by row, relative to the baseline's median: paired dots."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.plots.comparison_marks import (
    ALONG,
    LANE,
    directed_names,
    drawn_rows,
    mark_no_effect,
    ratio_axis,
    row_lanes,
    thinned,
    towards_better,
)
from benchlib.plots.style import AXIS, COLOURS, Trace, empty_figure, plain, scatter

__all__ = ["pairs_figure"]

#: Single values of a side drawn in a row; more are a smear.
MOST_VALUES = 50
#: The height of a row: two sides need more than one.
_LANE = LANE + 6
#: How far the two sides of a row stand apart, in lanes.
_APART = 0.17


def pairs_figure(answer: ComparisonAnswer, *, alt: str, caption: str) -> go.Figure | None:
    """Draw the medians of both sides, joined, over all their values; None where no row was repeated.

    The rows are those of the forest plot, in its order.
    """
    rows = [row for row in drawn_rows(answer) if row.comparison.baseline.median.value > 0]
    if not any(len(row.baseline_values) > 1 or len(row.candidate_values) > 1 for row in rows):
        return None
    figure = empty_figure(alt=alt, caption=caption, height=130 + _LANE * max(len(rows), 3))
    names = directed_names(rows, ALONG)
    pairs = {(row.baseline, row.candidate) for row in rows}
    first, second = (plain(one) for one in next(iter(pairs))) if len(pairs) == 1 else ("baseline", "candidate")
    looks = ((AXIS, AXIS, "circle", first, -_APART), (COLOURS[0], COLOURS[5], "diamond", second, _APART))
    relative = [
        [_relative(row, row.baseline_values) for row in rows],
        [_relative(row, row.candidate_values) for row in rows],
    ]
    for (_, faint, _, _, offset), values in zip(looks, relative, strict=True):
        figure.add_trace(_values(values, faint, offset))
    for (colour, _, symbol, side, offset), one in zip(looks, ("baseline", "candidate"), strict=True):
        medians = [getattr(row.comparison, one).median.value / row.comparison.baseline.median.value for row in rows]
        figure.add_trace(_medians(rows, names, medians, colour, symbol, side, offset))
    mark_no_effect(figure, answer.min_effect)
    row_lanes(figure, range(len(rows)), names, above=0.3, line=0.36)
    every = [value for side in relative for values in side for value in values]
    figure.update_xaxes(**ratio_axis(every, (), f"over the median of {first}{towards_better(rows, ALONG)}"))
    return figure


def _relative(row: ComparisonRow, values: Sequence[float]) -> list[float]:
    """Return the values that a logarithmic axis has room for, over the baseline's median."""
    centre = row.comparison.baseline.median.value
    return [value / centre for value in thinned(sorted(values), MOST_VALUES) if value > 0]


def _values(relative: Sequence[Sequence[float]], colour: str, offset: float) -> Trace:
    return scatter(
        x=[value for values in relative for value in values],
        y=[place + offset for place, values in enumerate(relative) for _ in values],
        mode="markers",
        marker={"color": colour, "size": 5, "opacity": 0.6},
        hoverinfo="skip",
        showlegend=False,
    )


def _medians(
    rows: Sequence[ComparisonRow],
    names: Sequence[str],
    medians: Sequence[float],
    colour: str,
    symbol: str,
    side: str,
    offset: float,
) -> Trace:
    shown = [place for place, value in enumerate(medians) if value > 0]
    return scatter(
        x=[medians[place] for place in shown],
        y=[place + offset for place in shown],
        mode="markers",
        marker={"color": colour, "symbol": symbol, "size": 10},
        # The line from the baseline's median to the candidate's.
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [max(1 - medians[place], 0.0) for place in shown],
            "arrayminus": [max(medians[place] - 1, 0.0) for place in shown],
            "color": colour,
            "thickness": 1.5,
            "width": 0,
        },
        name=f"median of {side}",
        text=[f"{names[place]}<br>{side}: {medians[place]:.3f}x, n = {_size(rows[place], offset)}" for place in shown],
        hovertemplate="%{text}<extra></extra>",
    )


def _size(row: ComparisonRow, offset: float) -> int:
    return len(row.baseline_values) if offset < 0 else len(row.candidate_values)
