"""What the figures of comparisons share: which rows are drawn, their names, marks and axes of ratios."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import plotly.graph_objects as go

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.answers.grouping import label
from benchlib.plots.style import AXIS, plain

__all__ = ["drawn_rows", "has_ratio", "point_apart"]

Kind = TypeVar("Kind")

#: Rows beyond this many are not drawn: the table holds them all.
MOST_ROWS = 40
#: Of these, so many controls where there are more rows than can be drawn.
MOST_CONTROLS = 10
#: Verdict -> colour, mark.
MARKS = {
    "better": ("#009E73", "circle"),
    "worse": ("#D55E00", "square"),
    "same": ("#56B4E9", "diamond"),
    "cannot tell": (AXIS, "circle-open"),
}
#: Ground behind the data: what is too small to matter, and what controls did.
BAND = "rgba(128,128,128,0.16)"
#: The height of a row in pixels: its marks, and its name above them.
LANE = 36
#: Longer names are cut in the middle: benchmarks of one package differ at both ends, and an A4 sheet holds no more.
#: On a narrow screen a name takes two lines.
LONGEST_NAME = 64
#: Ticks nearer to each other than this share of an axis would be written over one another on a narrow screen.
CLOSEST_TICKS = 0.13
#: Which way is better -> an arrow along a level axis, and along an upright one.
ALONG = {"lower": "← better", "higher": "better →"}
UPRIGHT = {"lower": "better ↓", "higher": "better ↑"}
#: Whiskers longer than this factor beyond the marks are cut at the edge of the figure.
FARTHEST = 3.0


def drawn_rows(answer: ComparisonAnswer) -> tuple[ComparisonRow, ...]:
    """Return the rows that a figure draws: those furthest from no change first, controls after all others.

    All that have a ratio; where these are more than `MOST_ROWS`, those of the first metric alone, and of them
    the ones furthest from no change, with `MOST_CONTROLS` controls among them.
    """
    rows = [row for row in answer.rows if has_ratio(row)]
    if len(rows) > MOST_ROWS:
        rows = [row for row in rows if row.metric == rows[0].metric]
    rows.sort(key=lambda row: -abs(math.log(row.comparison.ratio.value)))
    controls = [row for row in rows if row.control]
    others = [row for row in rows if not row.control]
    controls = controls[: max(MOST_CONTROLS, MOST_ROWS - len(others))]
    return (*others[: MOST_ROWS - len(controls)], *controls)


def has_ratio(row: ComparisonRow) -> bool:
    """Whether a row has a place on a logarithmic axis of ratios."""
    return math.isfinite(row.comparison.ratio.value) and row.comparison.ratio.value > 0


def row_names(rows: Sequence[ComparisonRow], longest: int = LONGEST_NAME) -> list[str]:
    """Name each row by what tells it from the others, in letters that a figure may show.

    They are no more than so many, unless two names would become one.
    """
    return [plain(one) for one in short_names(_whole_names(rows, longest), longest)]


def short_names(whole: Sequence[str], longest: int) -> list[str]:
    """Cut names in their middle to so many letters; to a few more where two would become one.

    Examples
    --------
    >>> short_names(["EncodeOneFrame", "Decode"], 11)
    ['Enco...rame', 'Decode']
    """
    names = [_shortened(name, longest) for name in whole]
    while len(set(names)) < len(set(whole)):
        longest += 4
        names = [_shortened(name, longest) for name in whole]
    return names


def _whole_names(rows: Sequence[ComparisonRow], longest: int) -> list[str]:
    # Packages are long, axes said by their levels: left out where the names stay apart and short without them.
    for without, bare in ((("pkg",), False), (("pkg",), True), ((), False), ((), True)):
        names = [_name(row, rows, without, bare) for row in rows]
        if len(set(names)) == len(names) and max(map(len, names), default=0) <= longest:
            break
    return names


def _name(row: ComparisonRow, rows: Sequence[ComparisonRow], without: Sequence[str], bare: bool) -> str:
    key = {
        axis: level
        for axis, level in row.key.items()
        if axis not in without and len({str(one.key.get(axis)) for one in rows}) > 1
    }
    told = ", ".join(str(level) if isinstance(level, str) else label({axis: level}) for axis, level in key.items())
    parts = [told if bare else label(key)]
    if len({one.metric for one in rows}) > 1:
        parts.append(row.metric.removeprefix("latency_"))
    if len({(one.baseline, one.candidate) for one in rows}) > 1:
        parts.append(f"{row.candidate} / {row.baseline}")
    return " · ".join(part for part in parts if part) or label(row.key) or row.candidate


def _shortened(name: str, longest: int) -> str:
    half = (longest - 3) // 2
    return name if len(name) <= longest else f"{name[:half]}...{name[-half:]}"


def row_lanes(
    figure: go.Figure, places: Sequence[float], names: Sequence[str], *, above: float, line: float = 0
) -> None:
    """Give each row a lane, the first at the top, with its name so far above its marks and a line so far below them.

    Beside the marks names would take most of a narrow screen.
    """
    # All at once: each by itself would have plotly check those before it again.
    figure.layout.annotations += tuple(
        {
            "x": 0, "xref": "paper", "xanchor": "left", "y": place - above, "yanchor": "bottom", "showarrow": False,
            "text": name, "font": {"size": 12}, "borderpad": 0,
        }
        for place, name in zip(places, names, strict=True)
    )  # fmt: skip
    figure.update_yaxes(
        tickvals=[place + line for place in places],
        range=[max(places, default=0) + 0.5, min(places, default=0) - 0.9],
        showticklabels=False,
        showgrid=True,
        showline=False,
    )
    figure.update_layout(margin={"l": 12})


def better_ways(rows: Iterable[ComparisonRow]) -> set[str]:
    """Return which ways are better on an axis of ratios: "lower", "higher", or both; nothing where neither is."""
    return {way for row in rows if (way := row.better)}


def towards_better(rows: Sequence[ComparisonRow], arrows: Mapping[str, str]) -> str:
    """Return an arrow for the axis that all rows share, where all of them improve one way; else nothing."""
    ways = better_ways(rows)
    return f" ({arrows[ways.pop()]})" if len(ways) == 1 else ""


def directed_names(rows: Sequence[ComparisonRow], arrows: Mapping[str, str], longest: int = LONGEST_NAME) -> list[str]:
    """Name each row, with an arrow of its own where some improve upwards and some downwards."""
    if not point_apart(rows):
        return row_names(rows, longest)
    signs = {way: f" ({arrow})" for way, arrow in arrows.items()}
    room = longest - max(map(len, signs.values()))
    if max(map(len, _whole_names(rows, room))) > room:
        # Rather an arrow without its word than a name without its middle.
        signs = {way: f" {arrow.replace('better', '').strip()}" for way, arrow in arrows.items()}
        room = longest - max(map(len, signs.values()))
    ways = [row.better for row in rows]
    return [f"{name}{signs[way] if way else ''}" for name, way in zip(row_names(rows, room), ways, strict=True)]


def point_apart(rows: Iterable[ComparisonRow]) -> bool:
    """Whether some rows improve upwards and some downwards, so that each has an arrow of its own."""
    return len(better_ways(rows)) > 1


def mark_no_effect(figure: go.Figure, min_effect: float) -> None:
    """Draw the band of changes too small to matter, and the line of no change."""
    upright = {"y0": 0, "y1": 1, "yref": "y domain", "layer": "below"}
    if min_effect > 0:
        figure.add_shape(
            type="rect", x0=1 - min_effect, x1=1 + min_effect, fillcolor=BAND, line={"width": 0}, **upright
        )
    figure.add_shape(type="line", x0=1, x1=1, line={"color": AXIS, "width": 1}, **upright)


def ratio_axis(marks: Sequence[float], ends: Sequence[float], title: str) -> dict[str, Any]:
    """Return a logarithmic axis of ratios that holds every mark, and the ends of intervals near to them."""
    least, most = min([1.0, *marks]), max([1.0, *marks])
    inside = [end for end in ends if math.isfinite(end) and least / FARTHEST <= end <= most * FARTHEST]
    low, high = min([least, *inside]), max([most, *inside])
    # Room at both ends, and never so near that rounding fills the figure.
    room = max(math.log(high / low) * 0.06, 0.01)
    low, high = low * math.exp(-room), high * math.exp(room)
    ticks = ratio_ticks(low, high)
    return {
        "type": "log",
        "range": [math.log10(low), math.log10(high)],
        "tickvals": ticks,
        "ticktext": [f"{tick:g}x" for tick in ticks],
        "tickangle": 0,
        "title": title,
    }


#: Ratios that people read at a glance, the closest together first.
_LADDERS = (
    *(
        tuple(round(1 + step * place, 2) for place in range(1 - round(1 / step), 100))
        for step in (0.01, 0.02, 0.05, 0.1, 0.2)
    ),
    (0.01, 0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 0.67, 1, 1.5, 2, 3, 5, 10, 20, 50, 100),
    (0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 100),
    *(tuple(10.0**place for place in range(-300, 301, step)) for step in (1, 2, 3, 10, 100)),
)


def ratio_ticks(low: float, high: float) -> list[float]:
    """Choose round ratios between two ends, as close together as there is room for.

    Examples
    --------
    >>> ratio_ticks(0.68, 1.47), ratio_ticks(0.4, 6)
    ([0.8, 1.0, 1.2, 1.4], [0.5, 1, 2, 5])
    >>> ratio_ticks(0.985, 1.012)
    [0.99, 1.0, 1.01]
    """
    room = math.log(high / low) * CLOSEST_TICKS
    kept: list[float] = []
    for ladder in _LADDERS:
        kept = [tick for tick in ladder if low <= tick <= high]
        if all(math.log(after / before) >= room for before, after in pairwise(kept)):
            break
    return kept


def thinned(items: Sequence[Kind], most: int) -> list[Kind]:
    """Return at most so many of a sequence, evenly spread over it."""
    if len(items) <= most:
        return list(items)
    return [items[place * len(items) // most] for place in range(most)]
