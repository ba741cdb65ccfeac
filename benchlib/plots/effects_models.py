"""Whether to believe a cost model: what it says of each cell against what was measured there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from benchlib.answers.effects import CostAnswer, EffectModel
from benchlib.answers.grouping import label
from benchlib.plots.effects_marks import MOST_CELLS, log_ticks, shown_scale
from benchlib.plots.style import AXIS, COLOURS, Trace, empty_figure, plain, scatter
from benchlib.units import show

__all__ = ["predicted_figure"]

#: Two points lie on a line always.
FEWEST = 3

#: What a point is -> colour, mark.
_LOOKS = {
    "in the model": (COLOURS[0], "circle"),
    "set apart": (AXIS, "x-thin"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    kind: str
    name: str
    expected: float
    measured: float


def predicted_figure(model: EffectModel, *, alt: str, caption: str) -> go.Figure | None:
    """Draw measured against predicted cost, with the diagonal on which they agree.

    None for few cells, or more than can be drawn.
    """
    cost = model.cost
    if cost is None or len(model.cells) > MOST_CELLS:
        return None
    points = [one for one in _points(model, cost) if one.expected > 0 and one.measured > 0]
    if len({one.expected for one in points}) < FEWEST:
        return None
    figure = empty_figure(alt=alt, caption=caption, height=420)
    divisor, unit = shown_scale(model)
    low, high = _range(points, divisor)
    figure.add_trace(
        scatter(
            x=[low, high],
            y=[low, high],
            mode="lines",
            line={"color": AXIS, "width": 1, "dash": "dash"},
            name="they agree",
            hoverinfo="skip",
        )
    )
    for kind in _LOOKS:
        chosen = [one for one in points if one.kind == kind]
        if chosen:
            figure.add_trace(_trace(chosen, kind, divisor, model.unit))
    ticks = log_ticks(low, high)
    axis = {
        "type": "log",
        "range": [math.log10(low), math.log10(high)],
        "tickvals": ticks,
        "ticktext": [f"{tick:g}" for tick in ticks],
        "tickangle": 0,
    }
    figure.update_xaxes(**axis, title=plain(f"predicted {model.metric}, {unit}"))
    figure.update_yaxes(**axis, title=plain(f"measured {model.metric}, {unit}"))
    return figure


def _points(model: EffectModel, cost: CostAnswer) -> Iterator[_Point]:
    for apart in cost.model.special_cells:
        yield _Point(kind="set apart", name=label(apart.levels), expected=apart.expected, measured=apart.observed)
    special = [one.levels for one in cost.model.special_cells]
    cells = [cell for cell in model.cells if cell.levels not in special]
    for cell, found in zip(cells, cost.model.predict([cell.levels for cell in cells]), strict=True):
        if found.estimate is not None:
            yield _Point(
                kind="in the model",
                name=label(cell.levels),
                expected=found.estimate.value,
                measured=cell.median.value,
            )


def _range(points: Sequence[_Point], divisor: float) -> tuple[float, float]:
    """Return the ends of both axes."""
    every = [value / divisor for one in points for value in (one.expected, one.measured)]
    return min(every) / 1.3, max(every) * 1.3


def _trace(chosen: Sequence[_Point], kind: str, divisor: float, unit: str) -> Trace:
    colour, symbol = _LOOKS[kind]
    return scatter(
        x=[one.expected / divisor for one in chosen],
        y=[one.measured / divisor for one in chosen],
        mode="markers",
        marker={"color": colour, "symbol": symbol, "size": 8, "line": {"width": 2, "color": colour}},
        name=kind,
        text=[
            f"{plain(one.name)}<br>measured {plain(show(one.measured, unit))}, "
            f"predicted {plain(show(one.expected, unit))}"
            for one in chosen
        ],
        hovertemplate="%{text}<extra></extra>",
    )
