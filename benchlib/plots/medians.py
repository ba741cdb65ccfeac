"""What was measured where nothing was asked: the median of each cell with its interval, names beside the marks."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from benchlib import significant_digits
from benchlib.answers.grouping import label, place_label
from benchlib.answers.samples import SampleRow
from benchlib.plots.comparison_marks import short_names
from benchlib.plots.style import COLOURS, empty_figure, plain, prefixed, scatter
from benchlib.units import scaled

__all__ = ["MOST_ROWS", "medians_figure", "shared_place"]

#: Rows that a first page has room for.
MOST_ROWS = 12
#: The height of a row in pixels, and of what stands around the rows.
_LANE, _AROUND = 18, 70
#: Letters of a name that leave the marks more than half of the width, on paper too.
_LONGEST = 44
#: Medians further apart than this factor would lie on one spot of an even axis.
_EVEN = 20.0


def medians_figure(rows: Sequence[SampleRow], title: str, *, alt: str, caption: str) -> go.Figure:
    """Draw the medians of cells in one metric and unit, one line a cell.

    Parameters
    ----------
    rows : sequence of SampleRow
        At least one.
    title : str
        What the metric is called.
    alt, caption : str

    Examples
    --------
    >>> import benchlib
    >>> rows = benchlib.summarise_samples(benchlib.open_study("data/lplex/old.txt")).rows
    >>> rows = [row for row in rows if row.metric == "time"][:3]
    >>> medians_figure(rows, "time per operation", alt="", caption="").layout.xaxis.title.text
    'time per operation, ns/op'
    """
    medians = [row.sample.median for row in rows]
    # Between the smallest and the largest no number is far from its unit.
    divisor, unit = scaled(sorted(one.value for one in medians)[len(rows) // 2], rows[0].unit)
    names = [plain(one) for one in short_names(_names(rows), _LONGEST)]
    figure = empty_figure(alt=alt, caption=caption, height=_AROUND + _LANE * max(len(rows), 3))
    figure.add_trace(
        scatter(
            x=[one.value / divisor for one in medians],
            y=list(range(len(rows))),
            mode="markers",
            marker={"color": COLOURS[0], "size": 9},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [(one.high - one.value) / divisor if one.has_interval else 0.0 for one in medians],
                "arrayminus": [(one.value - one.low) / divisor if one.has_interval else 0.0 for one in medians],
                "color": COLOURS[0],
                "thickness": 1.5,
            },
            text=[f"{name}: {significant_digits.figure(one)}" for name, one in zip(names, medians, strict=True)],
            hovertemplate="%{text}<extra></extra>",
        )
    )
    least = min(one.low if one.has_interval else one.value for one in medians)
    apart = least > 0 and max(one.value for one in medians) > _EVEN * least
    figure.update_xaxes(
        title=plain(f"{title}, {unit}"), **({"type": "log", "dtick": 1} if apart else {"rangemode": "tozero"}),
        **prefixed(),
    )  # fmt: skip
    figure.update_yaxes(
        tickvals=list(range(len(rows))), ticktext=names, range=[len(rows) - 0.4, -0.6], showline=False,
        automargin=True, tickfont={"size": 11},
    )  # fmt: skip
    figure.update_layout(showlegend=False, margin={"l": 10, "r": 12, "t": 8, "b": 54})
    return figure


def shared_place(rows: Sequence[SampleRow]) -> str:
    """Name what all of several cells have alike, which stands beside none of them."""
    return place_label({axis: level for axis, level in rows[0].key.items() if axis not in _axes(rows)})


def _names(rows: Sequence[SampleRow]) -> list[str]:
    axes = _axes(rows)
    places = [{axis: row.key[axis] for axis in axes if axis in row.key} for row in rows]
    names = [place_label(place) for place in places]
    if len(set(names)) < len(names):
        names = [label(place) for place in places]
    return [name or label(row.key) for name, row in zip(names, rows, strict=True)]


def _axes(rows: Sequence[SampleRow]) -> list[str]:
    """Return the axes that tell cells apart."""
    every = dict.fromkeys(axis for row in rows for axis in row.key)
    return [axis for axis in every if len({str(row.key.get(axis)) for row in rows}) > 1]
