"""By which factor a cost changes from one level to another: bars from 1, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from benchlib.answers.effects import EffectModel
from benchlib.plots.effects_marks import BAR, log_ticks, name_bars, whiskers
from benchlib.plots.scaling_marks import tint
from benchlib.plots.style import empty_figure, plain, scatter
from benchlib.statistics.estimates import Estimate

__all__ = ["ratios_figure"]

#: More bars than this are a table.
MOST_BARS = 14
#: What a ratio is of -> colour and mark.
_LOOKS = {
    "all of the cost": ("#0072B2", "circle"),
    "the cost of each": ("#D55E00", "square"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bar:
    name: str
    of: str
    ratio: Estimate


def ratios_figure(model: EffectModel, *, alt: str, caption: str) -> go.Figure | None:
    """Draw the ratio of each level to its baseline, and of slopes where two factors work together.

    None where there is no ratio.
    """
    bars = list(_bars(model))[:MOST_BARS]
    if not bars:
        return None
    figure = empty_figure(alt=alt, caption=caption)
    for of, (colour, symbol) in _LOOKS.items():
        chosen = [place for place, bar in enumerate(bars) if bar.of == of]
        if chosen:
            _draw(figure, bars, chosen, colour, symbol, of)
    name_bars(figure, [f"{bar.name}: {bar.ratio.value:.2f}x" for bar in bars], 1.0)
    _axes(figure, bars)
    return figure


def _bars(model: EffectModel) -> Iterator[_Bar]:
    for one in model.fit.ratios:
        if one.estimate.value > 0:
            name = f"{one.factor} {one.level} against {one.baseline}"
            yield _Bar(name=name, of="all of the cost", ratio=one.estimate)
    if model.interactions is None:
        return
    for slope in model.interactions.slope_ratios:
        # A ratio that its interval does not bound away from nothing would draw a bar as long as the axis.
        if slope.ratio.value > 0 and (not slope.ratio.has_interval or slope.ratio.low > 0):
            name = f"each of {slope.factor}: {slope.by} {slope.level} against {slope.baseline}"
            yield _Bar(name=name, of="the cost of each", ratio=slope.ratio)


def _draw(figure: go.Figure, bars: Sequence[_Bar], chosen: Sequence[int], colour: str, symbol: str, of: str) -> None:
    ratios = [bars[place].ratio for place in chosen]
    names = [plain(bars[place].name) for place in chosen]
    figure.add_trace(
        go.Bar(
            x=[ratio.value - 1 for ratio in ratios],
            y=list(chosen),
            base=1,
            orientation="h",
            width=BAR,
            marker={"color": tint(colour, 0.3), "line": {"color": colour, "width": 1}},
            hoverinfo="skip",
            showlegend=False,
        )
    )
    figure.add_trace(
        scatter(
            x=[ratio.value for ratio in ratios],
            y=list(chosen),
            mode="markers",
            marker={"color": colour, "symbol": symbol, "size": 9},
            error_x=whiskers(ratios, 1.0, colour),
            name=of,
            text=[f"{name}<br>{_amount(ratio)}, n = {ratio.n}" for name, ratio in zip(names, ratios, strict=True)],
            hovertemplate="%{text}<extra></extra>",
        )
    )


def _axes(figure: go.Figure, bars: Sequence[_Bar]) -> None:
    ends = [1.0] + [
        end
        for bar in bars
        for end in (bar.ratio.value, bar.ratio.low, bar.ratio.high)
        if math.isfinite(end) and end > 0
    ]
    # Whiskers longer than a hundredfold are cut: they would squeeze every bar to a line.
    middle = [bar.ratio.value for bar in bars]
    low, high = max(min(ends), min(*middle, 1.0) / 100) / 1.15, min(max(ends), max(*middle, 1.0) * 100) * 1.15
    ticks = sorted({1.0, *log_ticks(low, high)})
    figure.update_xaxes(
        type="log",
        range=[math.log10(low), math.log10(high)],
        tickvals=ticks,
        ticktext=[f"{tick:g}" for tick in ticks],
        tickangle=0,
        title="times the baseline",
    )
    several = len({bar.of for bar in bars}) > 1
    figure.update_layout(showlegend=several, margin={"t": 30 if several else 5})


def _amount(ratio: Estimate) -> str:
    value = f"{ratio.value:.2f}x"
    if not ratio.has_interval:
        return f"{value} (no interval)"
    low, high = (f"{end:.2f}" if math.isfinite(end) else "no end" for end in (ratio.low, ratio.high))
    return f"{value} ({low} to {high})"
