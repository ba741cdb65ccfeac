"""Whether to believe the law: what it leaves over, and what it would have forecast."""

from __future__ import annotations

import plotly.graph_objects as go

from benchlib.answers.scaling import CurveAnswer
from benchlib.plots.scaling_marks import LOOKS, band_trace, level_axis, per_second
from benchlib.plots.style import AXIS, COLOURS, DASHES, INK, SYMBOLS, Trace, empty_figure, plain, scatter
from benchlib.scaling.conclusions.backtest import BackTest, Round
from benchlib.scaling.conclusions.residuals import Residuals

__all__ = ["back_test_figure", "residuals_figure"]


def residuals_figure(one: CurveAnswer, found: Residuals, *, alt: str, caption: str) -> go.Figure:
    """Draw every measurement against the law, on the band in which chance would leave it."""
    figure = empty_figure(alt=alt, caption=caption, height=340)
    colour = LOOKS[found.law][0]
    figure.add_trace(band_trace(found.levels, found.low, found.high, colour, name="band of one more measurement"))
    figure.add_trace(
        scatter(
            x=found.concurrency,
            y=found.error,
            mode="markers",
            marker={"color": INK, "symbol": "circle-open", "size": 8, "line": {"width": 1.5}},
            name="measured",
            hovertemplate="%{x}: %{y:+.1%}<extra></extra>" if found.relative else "%{x}: %{y:+,.4g}<extra></extra>",
        )
    )
    figure.add_hline(y=0, line={"color": AXIS, "width": 1.5})
    level_axis(figure, found.levels.tolist(), one.axis)
    title = "measured against the law" if found.relative else f"measured less the law, {per_second(found.unit)}"
    figure.update_yaxes(tickformat="+.2~%" if found.relative else "+~s", title=plain(title))
    return figure


def back_test_figure(one: CurveAnswer, tested: BackTest, *, alt: str, caption: str) -> go.Figure | None:
    """Draw by how much each fit of the first levels misses the next; None where none was possible."""
    rounds = [found for found in tested.rounds if found.misses]
    if not rounds:
        return None
    # On a narrow screen the legend has a line for each round.
    figure = empty_figure(alt=alt, caption=caption, height=340 + 15 * len(rounds))
    for number, found in enumerate(rounds):
        figure.add_trace(_round(found, number))
    figure.add_hline(y=0, line={"color": AXIS, "width": 1.5})
    level_axis(figure, [miss.concurrency for found in rounds for miss in found.misses], one.axis)
    figure.update_yaxes(tickformat="+.2~%", title="forecast against measured")
    return figure


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
