"""Ratios of candidate to baseline with their intervals: a forest plot."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.plots.comparison_marks import (
    ALONG,
    LANE,
    MARKS,
    directed_names,
    drawn_rows,
    mark_no_effect,
    ratio_axis,
    row_lanes,
    towards_better,
)
from benchlib.plots.style import AXIS, INK, Trace, empty_figure, plain, scatter
from benchlib.statistics.estimates import Estimate

__all__ = ["drawn_nulls", "drawn_rows", "forest_figure"]

#: What controls did, behind the marks of the rows that they speak for.
_MOVED = "rgba(204,121,167,0.45)"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Null:
    """What one control did, as ratios."""

    name: str
    center: float
    low: float
    high: float
    n: int
    together: int


def forest_figure(answer: ComparisonAnswer, *, alt: str, caption: str) -> go.Figure:
    """Draw one line a row, the furthest from no change at the top: the ratio and its interval.

    Behind them the band of changes too small to matter and, for rows that controls speak for, the ratios
    that one more untouched benchmark could show. Controls stand below a line of their own.
    """
    rows = drawn_rows(answer)
    others = [row for row in rows if not row.control]
    nulls = drawn_nulls(answer)
    # A lane is left free between the rows and the controls.
    gap = 1 if others and len(others) < len(rows) else 0
    places = [place + (gap if row.control else 0) for place, row in enumerate(rows)]
    ends = places[-1] + 1 if places else 0
    lanes = [*places, *(ends + place for place in range(len(nulls)))]
    figure = empty_figure(alt=alt, caption=caption, height=130 + LANE * max(lanes[-1] + 1 if lanes else 0, 3))
    names = directed_names(rows, ALONG)
    _draw_reach_of_controls(figure, rows, places)
    for verdict, (colour, symbol) in MARKS.items():
        for bounded in (True, False):
            chosen = [
                place
                for place, row in enumerate(rows)
                if row.verdict == verdict and row.comparison.ratio.has_interval is bounded
            ]
            if chosen:
                figure.add_trace(_marks(rows, places, names, chosen, bounded, colour, symbol, verdict))
    if nulls:
        figure.add_trace(_diamonds(nulls, ends))
    if gap:
        figure.add_hline(y=len(others), line={"color": AXIS, "width": 1, "dash": "dot"})
        figure.add_annotation(
            x=1, xref="paper", xanchor="right", y=len(others), yanchor="top", showarrow=False,
            text="controls", font={"size": 11, "color": AXIS},
        )  # fmt: skip
    mark_no_effect(figure, answer.min_effect)
    figure.update_layout(showlegend=True)
    row_lanes(figure, lanes, [*names, *(plain(one.name) for one in nulls)], above=0.18)
    title = f"candidate / baseline{towards_better(rows, ALONG)}"
    marks = [row.comparison.ratio.value for row in rows] + [one.center for one in nulls]
    ends_of = [end for row in rows if row.comparison.ratio.has_interval for end in _ends(row.comparison.ratio)]
    figure.update_xaxes(**ratio_axis(marks, [*ends_of, *(end for one in nulls for end in (one.low, one.high))], title))
    return figure


def drawn_nulls(answer: ComparisonAnswer) -> tuple[_Null, ...]:
    """Return what each control did in what is drawn, for those that bound further rows."""
    rows = drawn_rows(answer)
    drawn = {(row.metric, row.baseline, row.candidate) for row in rows if row.control}
    return tuple(_nulls(answer, drawn))


def _nulls(answer: ComparisonAnswer, drawn: set[tuple[str, str, str]]) -> Iterator[_Null]:
    several = len({one[1:] for one in drawn}) > 1
    metrics = len({one[0] for one in drawn}) > 1
    for one in answer.controls:
        here = (one.metric, one.baseline, one.candidate) in drawn
        if here and math.isfinite(one.null.low) and math.isfinite(one.null.high):
            # The interval is for all rows that the control speaks for together: wider than that of one.
            rows = f"all {one.null.together} rows" if one.null.together > 1 else "one more row"
            beside = f" · {one.candidate} / {one.baseline}" if several else ""
            yield _Null(
                name=f"{one.condition}: {rows}{f' of {one.metric}' if metrics else ''}{beside}",
                center=math.exp(one.null.center),
                low=math.exp(one.null.low),
                high=math.exp(one.null.high),
                n=one.null.n,
                together=one.null.together,
            )


def _draw_reach_of_controls(figure: go.Figure, rows: Sequence[ComparisonRow], places: Sequence[int]) -> None:
    """Draw what controls allow each row that they speak for: dividing by it gives the row's other reading."""
    told = [
        (place, row.comparison.ratio.value, row.against_controls)
        for place, row in zip(places, rows, strict=True)
        if row.against_controls is not None and row.against_controls.low > 0
    ]
    if not told:
        return
    centres = [ratio / judged.value for _, ratio, judged in told]
    figure.add_trace(
        scatter(
            x=centres,
            y=[place for place, _, _ in told],
            mode="markers",
            marker={"symbol": "line-ns-open", "size": 9, "color": _MOVED, "line": {"width": 2}},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [
                    _reach(ratio / judged.low - centre)
                    for centre, (_, ratio, judged) in zip(centres, told, strict=True)
                ],
                "arrayminus": [
                    _reach(centre - ratio / judged.high)
                    for centre, (_, ratio, judged) in zip(centres, told, strict=True)
                ],
                "color": _MOVED,
                "thickness": 9,
                "width": 0,
            },
            name="what controls could show",
            hoverinfo="skip",
        )
    )


def _diamonds(nulls: Sequence[_Null], start: int) -> Trace:
    return scatter(
        x=[one.center for one in nulls],
        y=[start + place for place in range(len(nulls))],
        mode="markers",
        marker={"symbol": "diamond-wide", "size": 13, "color": INK},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [one.high - one.center for one in nulls],
            "arrayminus": [one.center - one.low for one in nulls],
            "color": INK,
            "thickness": 2.5,
        },
        name="untouched rows, by the controls",
        text=[f"{plain(one.name)}<br>{one.low:.3f}x to {one.high:.3f}x by {one.n} rows" for one in nulls],
        hovertemplate="%{text}<extra></extra>",
    )


def _marks(
    rows: Sequence[ComparisonRow],
    places: Sequence[int],
    names: Sequence[str],
    chosen: Sequence[int],
    bounded: bool,
    colour: str,
    symbol: str,
    verdict: str,
) -> Trace:
    ratios = [rows[place].comparison.ratio for place in chosen]
    reach: dict[str, Any] = {
        "type": "data",
        "symmetric": False,
        "array": [_reach(ratio.high - ratio.value) for ratio in ratios],
        # Down to 0 has no place on a logarithmic axis.
        "arrayminus": [_reach(ratio.value - max(ratio.low, ratio.value * 1e-3)) for ratio in ratios],
        "color": colour,
        "thickness": 1.5,
    }
    return scatter(
        x=[ratio.value for ratio in ratios],
        y=[places[place] for place in chosen],
        mode="markers",
        marker={"color": colour, "symbol": symbol, "size": 9, "line": {"width": 1.5, "color": colour}},
        error_x=reach if bounded else None,
        name=verdict if bounded else f"{verdict}, no interval",
        text=[f"{names[place]}<br>{_told(rows[place])}" for place in chosen],
        hovertemplate="%{text}<extra></extra>",
    )


def _told(row: ComparisonRow) -> str:
    ratio = row.comparison.ratio
    told = f"{ratio.value:.3f}x"
    if ratio.has_interval:
        told += f" ({ratio.low:.3f}x to {ratio.high:.3f}x)"
    sizes = f"n = {row.comparison.baseline.n} and {row.comparison.candidate.n}"
    return f"{told}, {sizes}<br>{row.verdict}{f': {row.reason}' if row.reason else ''}"


def _ends(ratio: Estimate) -> tuple[float, float]:
    return (ratio.low if ratio.low > 0 else math.nan, ratio.high)


def _reach(width: float) -> float:
    return max(width, 0.0) if math.isfinite(width) else 0.0
