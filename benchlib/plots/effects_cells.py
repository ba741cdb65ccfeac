"""Every combination of levels as a grid: the value in its cell, holes and special cells marked."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from benchlib.answers.effects import EffectModel
from benchlib.effects.cells import Cell, Level
from benchlib.plots.effects import panelled
from benchlib.plots.effects_marks import find_special, level_name, shown_scale, told
from benchlib.plots.style import AXIS, plain

__all__ = ["cells_figure"]

#: More rows or columns than this are a table.
MOST_ROWS = 30
MOST_COLUMNS = 12
MOST_PANELS = 3
#: White to blue: lightness alone tells the order, and black can be read on all of it.
LIGHT, DARK = (0xF2, 0xF7, 0xFC), (0x5F, 0xA0, 0xD6)
#: How much of its place a cell fills.
_WIDE, _HIGH = 0.97, 0.94
#: The outline of a special cell.
OUTLINE = "#D55E00"


def cells_figure(model: EffectModel, *, alt: str, caption: str) -> go.Figure | None:
    """Draw the median of every combination of levels, coloured by its logarithm.

    None where a grid would say no more than the table: fewer than two factors, too many levels, or a value
    that has no logarithm. The numbers are in the unit of `benchlib.plots.effects_marks.shown_scale`.
    """
    factors = {factor: levels for factor, levels in model.table.factors.items() if len(levels) > 1}
    drawn = [cell.median.value for cell in model.cells]
    if len(factors) < 2 or min(drawn) <= 0:
        return None
    across, panels = _columns(model, factors), _panels(factors)
    if panels == across or len(factors) == 2:
        panels = ""
    down = [factor for factor in factors if factor not in (across, panels)]
    rows: list[tuple[Level, ...]] = list(itertools.product(*(factors[factor] for factor in down)))
    if len(rows) > MOST_ROWS or len(factors[across]) > MOST_COLUMNS:
        return None
    columns: Sequence[Level | None] = factors[panels] if panels else [None]
    figure = panelled(panels, columns, alt=alt, caption=caption, height=110 + 34 * max(len(rows), 3))
    divisor, _ = shown_scale(model)
    special = find_special(model)
    # Cells far apart from all others would leave these one colour.
    usual = [cell.median.value for cell in model.cells if cell.levels not in special] or drawn
    ends = (math.log10(min(usual)), math.log10(max(usual)))
    for column, panel in enumerate(columns, start=1):
        at = {
            (row, level): cell
            for cell in model.cells
            if panel is None or cell.levels[panels] == panel
            for row, level in [(tuple(cell.levels[factor] for factor in down), cell.levels[across])]
        }
        grid = [[at.get((row, level)) for level in factors[across]] for row in rows]
        figure.add_trace(_squares(grid, divisor, ends), row=1, col=column)
        _mark(figure, grid, special, column)
        figure.update_xaxes(
            tickvals=list(range(len(factors[across]))),
            ticktext=[_short(level) for level in factors[across]],
            title=plain(across),
            showgrid=False,
            row=1,
            col=column,
        )
    figure.update_yaxes(autorange="reversed", showgrid=False, automargin=True)
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=[", ".join(level_name(*one) for one in zip(down, row, strict=True)) for row in rows],
        row=1,
        col=1,
    )
    figure.update_layout(showlegend=False, margin={"t": 30}, barmode="overlay")
    return figure


def _columns(model: EffectModel, factors: Mapping[str, Sequence[Level]]) -> str:
    """Return the factor along the columns: the one that matters most of those with few levels and short names."""
    shares = model.fit.variance.main_shares
    fitting = [one for one in factors if len(factors[one]) <= MOST_COLUMNS] or list(factors)
    numbers = [one for one in fitting if not any(isinstance(level, str) for level in factors[one])]
    return max(numbers or fitting, key=lambda factor: shares.get(factor, 0.0))


def _panels(factors: Mapping[str, Sequence[Level]]) -> str:
    """Return the factor with the longest names: as names of rows they would take the figure's width."""
    worded = [
        one for one, levels in factors.items() if len(levels) <= MOST_PANELS and any(isinstance(a, str) for a in levels)
    ]
    return max(worded, key=lambda one: max(len(str(level)) for level in factors[one]), default="")


def _squares(grid: Sequence[Sequence[Cell | None]], divisor: float, ends: tuple[float, float]) -> go.Bar:
    # Bars side by side: a heat map would look the same and make every page that holds one a quarter larger.
    there = [(x, y, cell) for y, row in enumerate(grid) for x, cell in enumerate(row) if cell is not None]
    return go.Bar(
        x=[x for x, _, _ in there],
        y=[_HIGH] * len(there),
        base=[y - _HIGH / 2 for _, y, _ in there],
        width=_WIDE,
        marker={"color": [_shade(math.log10(cell.median.value), ends) for _, _, cell in there]},
        text=[_number(cell.median.value / divisor) for _, _, cell in there],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        constraintext="none",
        insidetextfont={"color": "#000000"},
        hovertext=[told(cell) for _, _, cell in there],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _shade(value: float, ends: tuple[float, float]) -> str:
    """Return the colour of a value between two ends; beyond them it is that of the nearer end."""
    low, high = ends
    share = min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.0
    mixed = (round(light + share * (dark - light)) for light, dark in zip(LIGHT, DARK, strict=True))
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def _mark(
    figure: go.Figure, grid: Sequence[Sequence[Cell | None]], special: Sequence[Mapping[str, Level]], column: int
) -> None:
    """Outline the special cells; put a dash where nothing was measured."""
    for y, row in enumerate(grid):
        for x, cell in enumerate(row):
            if cell is None:
                figure.add_annotation(x=x, y=y, text="–", showarrow=False, font={"color": AXIS}, row=1, col=column)
            elif cell.levels in special:
                figure.add_shape(
                    type="rect",
                    x0=x - 0.47,
                    x1=x + 0.47,
                    y0=y - 0.44,
                    y1=y + 0.44,
                    line={"color": OUTLINE, "width": 3, "dash": "dot"},
                    row=1,
                    col=column,
                )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _short(level: Level) -> str:
    name = str(level)
    return plain(name if len(name) <= 12 else f"{name[:9]}...")
