"""The response against the factor that moves it most, a panel a slice."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchlib.answers.effects import EffectModel
from benchlib.answers.grouping import label
from benchlib.effects.cells import Cell
from benchlib.plots.style import COLOURS, DASHES, SYMBOLS, empty_figure, plain
from benchlib.units import scaled

__all__ = ["effects_figure"]

MOST_PANELS = 4


def effects_figure(model: EffectModel, *, alt: str, caption: str) -> go.Figure | None:
    """Draw cell medians against the steepest numeric factor; None where no factor is numeric."""
    slopes = model.fit.slopes
    if not slopes:
        return None
    numeric = list(dict.fromkeys(slope.factor for slope in slopes))
    across = max(numeric, key=lambda factor: _steepness(model, factor))
    rest = [factor for factor in numeric if factor != across]
    panels: dict[str, list[Cell]] = {}
    for cell in model.cells:
        here = {
            factor: level
            for factor, level in cell.levels.items()
            if factor not in numeric and len({one.levels[factor] for one in model.cells}) > 1
        }
        # plain() first: only the line breaks between the parts are markup.
        panels.setdefault("<br>".join(plain(f"{axis} {level}") for axis, level in here.items()), []).append(cell)
    shown = dict(list(panels.items())[:MOST_PANELS])
    figure = make_subplots(
        rows=1,
        cols=len(shown),
        shared_yaxes=True,
        horizontal_spacing=0.03,
        subplot_titles=list(shown),
    )
    layout = empty_figure(alt=alt, caption=caption, height=450).layout
    figure.update_layout(layout)
    divisor, unit = scaled(max(cell.median.value for cell in model.cells), model.unit)
    special = [one.levels for one in model.fit.special_cells]
    for column, cells in enumerate(shown.values(), start=1):
        _panel(figure, cells, across, rest, special, divisor, column)
        figure.update_xaxes(
            title=plain(across), tickvals=sorted({cell.levels[across] for cell in cells}), row=1, col=column
        )
    figure.update_yaxes(rangemode="tozero", title=plain(f"{model.metric}, {unit}"), row=1, col=1)
    figure.update_annotations(font={"size": 12})
    figure.update_layout(legend={"y": 1.14}, margin={"t": 95})
    return figure


def _steepness(model: EffectModel, factor: str) -> float:
    return max(abs(one.estimate.value) for one in model.fit.slopes if one.factor == factor)


def _panel(
    figure: go.Figure,
    cells: list[Cell],
    across: str,
    rest: list[str],
    special: Sequence[object],
    divisor: float,
    column: int,
) -> None:
    lines: dict[str, list[Cell]] = {}
    for cell in cells:
        lines.setdefault(label({one: cell.levels[one] for one in rest}) or "measured", []).append(cell)
    for number, (name, line) in enumerate(lines.items()):
        line.sort(key=lambda cell: float(cell.levels[across]))
        for apart in (False, True):
            chosen = [cell for cell in line if (cell.levels in special) is apart]
            if not chosen:
                continue
            figure.add_trace(
                go.Scatter(
                    x=[cell.levels[across] for cell in chosen],
                    y=[cell.median.value / divisor for cell in chosen],
                    mode="markers" if apart else "lines+markers",
                    line={"color": COLOURS[number % len(COLOURS)], "dash": DASHES[number % len(DASHES)]},
                    marker={
                        "symbol": "x-open" if apart else SYMBOLS[number % len(SYMBOLS)],
                        "size": 11 if apart else 8,
                        "color": COLOURS[number % len(COLOURS)],
                    },
                    error_y={
                        "type": "data",
                        "symmetric": False,
                        "array": [_reach(cell.median.high - cell.median.value) / divisor for cell in chosen],
                        "arrayminus": [_reach(cell.median.value - cell.median.low) / divisor for cell in chosen],
                    },
                    name=plain(f"{name} (special cell)" if apart else name),
                    legendgroup=f"{name}{apart}",
                    showlegend=column == 1,
                ),
                row=1,
                col=column,
            )


def _reach(width: float) -> float:
    return width if math.isfinite(width) else 0.0
