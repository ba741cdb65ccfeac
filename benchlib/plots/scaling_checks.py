"""Whether to believe the law: what it leaves over, and what it would have forecast."""

from __future__ import annotations

import plotly.graph_objects as go

from benchlib.answers.scaling import CurveAnswer
from benchlib.plots.scaling_marks import LOOKS, band_trace, level_axis, level_line, per_second
from benchlib.plots.style import AXIS, COLOURS, DASHES, INK, SYMBOLS, Trace, figure_of, plain, prefixed, scatter
from benchlib.scaling.choose import BackTest, Residuals, Round

__all__ = ["back_test_figure", "residuals_figure"]

#: Where the points of a law without error would lie.
_NO_ERROR = {"color": AXIS, "width": 1.5}


def residuals_figure(one: CurveAnswer, found: Residuals, *, alt: str, caption: str) -> go.Figure:
    """Draw every measurement against the law, on the band in which chance would leave it."""
    traces = [
        band_trace(found.levels, found.low, found.high, LOOKS[found.law][0], name="band of one more measurement"),
        scatter(
            x=found.concurrency,
            y=found.error,
            mode="markers",
            marker={"color": INK, "symbol": "circle-open", "size": 8, "line": {"width": 1.5}},
            name="measured",
            hovertemplate="%{x}: %{y:+.1%}<extra></extra>" if found.relative else "%{x}: %{y:+,.4g}<extra></extra>",
        ),
    ]
    title = "measured against the law" if found.relative else f"measured less the law, {per_second(found.unit)}"
    return figure_of(
        traces,
        alt=alt,
        caption=caption,
        height=340,
        xaxis=level_axis(found.levels.tolist(), one.axis),
        yaxis={"title": plain(title)} | ({"tickformat": "+.2~%"} if found.relative else prefixed("+")),
        shapes=[level_line(0, _NO_ERROR)],
    )


def back_test_figure(one: CurveAnswer, tested: BackTest, *, alt: str, caption: str) -> go.Figure | None:
    """Draw by how much each fit of the first levels misses the next; None where none was possible."""
    rounds = [found for found in tested.rounds if found.misses]
    if not rounds:
        return None
    return figure_of(
        [_round(found, number) for number, found in enumerate(rounds)],
        alt=alt,
        caption=caption,
        # On a narrow screen the legend has a line for each round.
        height=340 + 15 * len(rounds),
        xaxis=level_axis([miss.concurrency for found in rounds for miss in found.misses], one.axis),
        yaxis={"tickformat": "+.2~%", "title": "forecast against measured"},
        shapes=[level_line(0, _NO_ERROR)],
    )


def _round(found: Round, number: int) -> Trace:
    colour, symbol = COLOURS[number % len(COLOURS)], SYMBOLS[number % len(SYMBOLS)]
    return scatter(
        x=[miss.concurrency for miss in found.misses],
        y=[miss.error for miss in found.misses],
        mode="lines+markers",
        line={"color": colour, "dash": DASHES[number % len(DASHES)]},
        # Filled where the interval of the forecast held the measured value, open where it did not.
        marker={
            "color": colour,
            "symbol": [symbol if miss.inside else f"{symbol}-open" for miss in found.misses],
            "size": 10,
            "line": {"width": 2},
        },
        name=f"fitted up to {found.up_to:g}",
        customdata=[["inside" if miss.inside else "outside"] for miss in found.misses],
        hovertemplate="forecast for %{x}: %{y:+.1%}, %{customdata[0]} the interval<extra></extra>",
    )
