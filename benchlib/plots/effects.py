"""The cost against the numeric factor that matters most, a line a level of another, panels by a third."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchlib.answers.effects import EffectModel
from benchlib.effects.cells import Cell, Level
from benchlib.plots.effects_marks import (
    APART,
    Places,
    choose_places,
    find_special,
    level_name,
    linear_ticks,
    look,
    measured_at,
    shown_scale,
    told,
    whiskers,
)
from benchlib.plots.style import empty_figure, plain, scatter

__all__ = ["effects_figure"]


def effects_figure(model: EffectModel, *, alt: str, caption: str) -> go.Figure | None:
    """Draw cell medians with their intervals against a numeric factor; None where there is none.

    Lines that part show that two factors work together; `benchlib.plots.effects_marks.choose_places`
    says which factor stands where.
    """
    places = choose_places(model)
    if places is None:
        return None
    panels: Sequence[Level | None] = model.table.factors[places.panels] if places.panels else [None]
    figure = panelled(places.panels, panels, alt=alt, caption=caption)
    divisor, unit = shown_scale(model)
    special = find_special(model)
    for column, panel in enumerate(panels, start=1):
        here = measured_at(model.cells, places.panels, panel)
        levels: Sequence[Level | None] = model.table.factors[places.lines] if places.lines else [None]
        for number, level in enumerate(levels):
            cells = measured_at(here, places.lines, level)
            name = level_name(places.lines, level) if places.lines and level is not None else "measured"
            _line(figure, [cell for cell in cells if cell.levels not in special], places, divisor, number, name, column)
        _apart(figure, [cell for cell in here if cell.levels in special], places, divisor, column)
        linear_ticks(figure, model.table.factors[places.across], places.across, row=1, col=column)
    figure.update_yaxes(rangemode="tozero")
    figure.update_yaxes(title=plain(f"{model.metric}, {unit}"), row=1, col=1)
    show_once(figure)
    return figure


def panelled(factor: str, levels: Sequence[Level | None], *, alt: str, caption: str, height: int = 430) -> go.Figure:
    """Return an empty figure with a panel for each level, side by side on one y axis."""
    titles = [level_name(factor, level) for level in levels if level is not None]
    figure = make_subplots(
        rows=1, cols=len(levels), shared_yaxes=True, horizontal_spacing=0.03, subplot_titles=titles or None
    )
    figure.update_layout(empty_figure(alt=alt, caption=caption, height=height).layout)
    figure.update_annotations(font={"size": 12})
    # Above the names of the panels: a legend that wraps grows upwards.
    figure.update_layout(legend={"y": 1.02 if len(levels) == 1 else 1.09}, margin={"t": 40 if len(levels) == 1 else 75})
    return figure


def _line(
    figure: go.Figure, cells: list[Cell], places: Places, divisor: float, number: int, name: str, column: int
) -> None:
    """Draw a line for each combination of the other factors, all of one look."""
    colour, dash, symbol = look(number)
    lines: dict[tuple[Level, ...], list[Cell]] = {}
    for cell in cells:
        lines.setdefault(tuple(cell.levels[factor] for factor in places.rest), []).append(cell)
    for line in lines.values():
        line.sort(key=lambda cell: float(cell.levels[places.across]))
        figure.add_trace(
            scatter(
                x=[cell.levels[places.across] for cell in line],
                y=[cell.median.value / divisor for cell in line],
                mode="lines+markers",
                line={"color": colour, "dash": dash, "width": 1.5 if places.rest else 2.25},
                marker={"symbol": symbol, "size": 8, "color": colour},
                error_y=whiskers([cell.median for cell in line], divisor, colour),
                name=name,
                legendgroup=name,
                text=[told(cell) for cell in line],
                hovertemplate="%{text}<extra></extra>",
            ),
            row=1,
            col=column,
        )


def _apart(figure: go.Figure, cells: list[Cell], places: Places, divisor: float, column: int) -> None:
    if not cells:
        return
    figure.add_trace(
        scatter(
            x=[cell.levels[places.across] for cell in cells],
            y=[cell.median.value / divisor for cell in cells],
            mode="markers",
            marker=APART,
            name="set apart",
            legendgroup="set apart",
            text=[told(cell) for cell in cells],
            hovertemplate="%{text}<br>set apart<extra></extra>",
        ),
        row=1,
        col=column,
    )


def show_once(figure: go.Figure) -> None:
    """Keep each name once in the legend, and no legend for one name."""
    seen: set[str] = set()
    for trace in figure.data:
        trace.showlegend = bool(trace.name) and trace.name not in seen
        if trace.name:
            seen.add(trace.name)
    figure.update_layout(showlegend=len(seen) > 1)
