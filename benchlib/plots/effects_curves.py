"""What the cost model says between the cells and where it was asked to go: curves, bands, predictions."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from benchlib import significant_digits
from benchlib.answers.effects import CostAnswer, EffectModel
from benchlib.answers.grouping import label
from benchlib.effects.cells import Cell, Level
from benchlib.effects.predict import Prediction
from benchlib.plots.effects import panelled, show_once
from benchlib.plots.effects_marks import (
    APART,
    Places,
    choose_places,
    level_name,
    linear_ticks,
    look,
    measured_at,
    shown_scale,
    told,
    whiskers,
)
from benchlib.plots.scaling_marks import band_trace
from benchlib.plots.style import AXIS, plain, scatter

__all__ = ["curves_figure", "drawn_predictions"]

#: Points of a curve: costs bend little between levels.
STEPS = 25
#: Curves in a figure: each is a line of predictions.
MOST_CURVES = 24
#: Ground beside the first and the last level, as a share of the axis.
EDGE = 0.07
_NOT_MEASURED = "predicted, not measured"


def curves_figure(model: EffectModel, *, alt: str, caption: str) -> go.Figure | None:
    """Draw the cost model over a numeric factor with its band, the cells, and the predictions asked for.

    The curve is the average of the rivals that predictions are made by; it ends where the cells end. Predictions
    are hollow; on grey ground nothing was measured. None without a model or a numeric factor.
    """
    places, cost = choose_places(model), model.cost
    if places is None or cost is None or places.across not in cost.model.numeric:
        return None
    panels: Sequence[Level | None] = model.table.factors[places.panels] if places.panels else [None]
    figure = panelled(places.panels, panels, alt=alt, caption=caption)
    divisor, unit = shown_scale(model)
    measured = [float(level) for level in model.table.factors[places.across]]
    asked = drawn_predictions(model)
    special = [one.levels for one in cost.model.special_cells]
    ahead = [float(one.at[places.across]) for one in asked]
    every = [*measured, *ahead]
    beside = (max(every) - min(every)) * EDGE
    for column, panel in enumerate(panels, start=1):
        levels: Sequence[Level | None] = model.table.factors[places.lines] if places.lines else [None]
        for number, level in enumerate(levels):
            fixed = _held(places, panel, level)
            _curves(figure, model, cost, places, fixed, divisor, number, column)
            cells = measured_at(measured_at(model.cells, places.panels, panel), places.lines, level)
            name = level_name(places.lines, level) if places.lines and level is not None else "measured"
            for apart in (False, True):
                chosen = [cell for cell in cells if (cell.levels in special) is apart]
                _measured(figure, chosen, places.across, divisor, number, "set apart" if apart else name, column)
            here = [one for one in asked if all(one.at.get(factor) == value for factor, value in fixed.items())]
            _predictions(figure, here, places.across, divisor, number, column)
        for start, end in _unmeasured(measured, ahead, beside):
            figure.add_vrect(
                x0=start, x1=end, fillcolor=AXIS, opacity=0.12, line_width=0, layer="below", row=1, col=column
            )
        linear_ticks(figure, [*measured, *ahead], places.across, row=1, col=column)
        figure.update_xaxes(range=[min(every) - beside, max(every) + beside], row=1, col=column)
    figure.update_yaxes(rangemode="tozero")
    figure.update_yaxes(title=plain(f"{model.metric}, {unit}"), row=1, col=1)
    show_once(figure)
    return figure


def drawn_predictions(model: EffectModel) -> list[Prediction]:
    """Return the predictions that have a place: a number to show, at levels that lines and panels were drawn for."""
    places = choose_places(model)
    if places is None or model.cost is None:
        return []
    fixed = [factor for factor in (places.lines, places.panels) if factor]
    return [
        one
        for one in model.cost.predictions
        if one.estimate is not None
        and places.across in one.at
        and all(one.at.get(factor) in model.table.factors[factor] for factor in fixed)
    ]


def _held(places: Places, panel: Level | None, level: Level | None) -> dict[str, Level]:
    held = {places.panels: panel, places.lines: level}
    return {factor: value for factor, value in held.items() if factor and value is not None}


def _curves(
    figure: go.Figure,
    model: EffectModel,
    cost: CostAnswer,
    places: Places,
    fixed: Mapping[str, Level],
    divisor: float,
    number: int,
    column: int,
) -> None:
    """Draw a curve for each combination of the other factors, over the levels measured there."""
    still = {factor: levels[0] for factor, levels in model.table.factors.items() if len(levels) == 1}
    special = [one.levels for one in cost.model.special_cells]
    colour, dash, _ = look(number)
    combinations = itertools.product(*(model.table.factors[factor] for factor in places.rest))
    for rest in itertools.islice(combinations, MOST_CURVES):
        levels = {**still, **fixed, **dict(zip(places.rest, rest, strict=True))}
        here = [
            float(cell.levels[places.across])
            for cell in model.cells
            if cell.levels not in special and all(cell.levels[factor] == level for factor, level in levels.items())
        ]
        if len(set(here)) < 2:
            continue
        grid = np.linspace(min(here), max(here), STEPS)
        found = cost.model.predict([{**levels, places.across: float(at)} for at in grid])
        known = [(at, one.estimate) for at, one in zip(grid.tolist(), found, strict=True) if one.estimate is not None]
        if len(known) < 2:
            continue
        x = [at for at, _ in known]
        ends = [(one.low / divisor, one.high / divisor) for _, one in known]
        if np.isfinite(ends).all():
            band = band_trace(x, [low for low, _ in ends], [high for _, high in ends], colour, opacity=0.2)
            figure.add_trace(band, row=1, col=column)
        figure.add_trace(
            scatter(
                x=x,
                y=[one.value / divisor for _, one in known],
                mode="lines",
                line={"color": colour, "dash": dash, "width": 1.5},
                hoverinfo="skip",
                showlegend=False,
            ),
            row=1,
            col=column,
        )


def _measured(
    figure: go.Figure, cells: Sequence[Cell], across: str, divisor: float, number: int, name: str, column: int
) -> None:
    if not cells:
        return
    colour, _, symbol = look(number)
    figure.add_trace(
        scatter(
            x=[cell.levels[across] for cell in cells],
            y=[cell.median.value / divisor for cell in cells],
            mode="markers",
            marker=APART if name == "set apart" else {"symbol": symbol, "size": 8, "color": colour},
            name=name,
            legendgroup=name,
            text=[told(cell) for cell in cells],
            hovertemplate="%{text}<extra></extra>",
        ),
        row=1,
        col=column,
    )


def _predictions(
    figure: go.Figure, asked: Sequence[Prediction], across: str, divisor: float, number: int, column: int
) -> None:
    colour, _, symbol = look(number)
    known = [(one.at, one.estimate) for one in asked if one.estimate is not None]
    if not known:
        return
    estimates = [one for _, one in known]
    figure.add_trace(
        scatter(
            x=[float(at[across]) for at, _ in known],
            y=[one.value / divisor for one in estimates],
            mode="markers",
            marker={"symbol": f"{symbol}-open", "size": 12, "color": colour, "line": {"width": 2.5}},
            error_y=whiskers(estimates, divisor, colour),
            name=_NOT_MEASURED,
            legendgroup=_NOT_MEASURED,
            text=[f"{plain(label(at))}<br>{plain(significant_digits.figure(one))}, not measured" for at, one in known],
            hovertemplate="%{text}<extra></extra>",
        ),
        row=1,
        col=column,
    )


def _unmeasured(measured: Sequence[float], ahead: Sequence[float], beside: float) -> list[tuple[float, float]]:
    """Return the ground beyond the cells on which a prediction was asked for, to the edge of the axis."""
    first, last = min(measured), max(measured)
    before, after = min(ahead, default=first), max(ahead, default=last)
    found = [(before - beside, first)] if before < first else []
    return [*found, (last, after + beside)] if after > last else found
