"""What the figures of effects share: which factor stands where, names of levels, bars of intervals, axes."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from benchlib import significant_digits
from benchlib.answers.effects import EffectModel
from benchlib.answers.grouping import label
from benchlib.effects.cells import Cell, Level, sort_factors
from benchlib.plots.style import AXIS, COLOURS, DASHES, INK, SYMBOLS, plain
from benchlib.statistics.estimates import Estimate
from benchlib.units import scaled

__all__ = ["choose_places", "find_special", "shown_scale"]

#: The mark of a cell that is set apart: no colour of a line, and a shape of its own.
APART: Mapping[str, Any] = {"symbol": "x-thin", "size": 10, "color": AXIS, "line": {"width": 2.5, "color": AXIS}}
#: Panels side by side; a factor of more levels stands elsewhere.
MOST_PANELS = 4
#: A number that accounts for less of the variance has no panels.
WORTH_A_PANEL = 0.02
#: Beyond this many cells a figure is a cloud: the tables hold them all.
MOST_CELLS = 600
#: Longer names of levels are cut: a panel is about this many letters wide.
LONGEST_NAME = 28
#: The thickness of a bar, and how many letters of its name fit a narrow screen.
BAR = 0.36
WIDEST_NAME = 46
#: Ticks nearer to each other than this share of an axis would be written over one another at 360 px.
CLOSEST_TICKS = 0.09


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Which factor stands where in a figure of a cost against a numeric factor.

    Attributes
    ----------
    across : str
        Along the axis: the numeric factor that matters most.
    lines : str
        A colour, dash and mark for each level; empty where no factor is left.
    panels : str
        A panel for each level; empty where no factor is left.
    rest : tuple of str
        All others: a line of the same look for each combination of their levels.
    """

    across: str
    lines: str
    panels: str
    rest: tuple[str, ...]


def choose_places(model: EffectModel) -> Places | None:
    """Choose the factor along the axis, those of lines and of panels, by how much each matters.

    Returns
    -------
    Places or None
        None where no factor is numeric, or where the cells are too many to be drawn one by one.
    """
    varying = [factor for factor, levels in model.table.factors.items() if len(levels) > 1]
    numeric = model.cost.model.numeric if model.cost is not None else sort_factors(model.table)[0]
    shares = model.fit.variance.main_shares
    ranked = sorted(varying, key=lambda factor: -shares.get(factor, 0.0))
    across = next((factor for factor in ranked if factor in numeric), "")
    if not across or len(model.cells) > MOST_CELLS:
        return None
    others = [factor for factor in ranked if factor != across]
    lines = next((factor for factor in others if len(model.table.factors[factor]) <= len(COLOURS)), "")
    left = [factor for factor in others if factor != lines]
    # Words make the better panels: their levels have no order that a line could follow. Of the numbers only those
    # that matter have any: where one does not, its lines lie on each other.
    words = [factor for factor in left if factor not in numeric]
    words += [factor for factor in left if shares.get(factor, 0.0) >= WORTH_A_PANEL]
    panels = next((factor for factor in words if len(model.table.factors[factor]) <= MOST_PANELS), "")
    return Places(across=across, lines=lines, panels=panels, rest=tuple(factor for factor in left if factor != panels))


def level_name(factor: str, level: Level) -> str:
    """Name a level for a figure, cut where it is long.

    Examples
    --------
    >>> level_name("bits", 32), level_name("curve", "A" * 40)
    ('bits 32', 'curve AAAAAAAAAAAAAAAAAAA...')
    """
    name = f"{factor} {level}"
    return plain(name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}...")


def shown_scale(model: EffectModel) -> tuple[float, str]:
    """Return what to divide values by, and the unit in which a figure then shows them."""
    return scaled(max(cell.median.value for cell in model.cells), model.unit)


def told(cell: Cell) -> str:
    """Tell a cell to a reader who points at it."""
    return f"{plain(label(cell.levels))}<br>{plain(significant_digits.figure(cell.median))}, n = {cell.n}"


def measured_at(cells: Iterable[Cell], factor: str, level: Level | None) -> list[Cell]:
    """Return the cells at a level of a factor; all of them without a factor."""
    return [cell for cell in cells if not factor or cell.levels[factor] == level]


def find_special(model: EffectModel) -> list[Mapping[str, Level]]:
    """Return the levels of the cells that are set apart, by plain effects or by the cost model."""
    found = [one.levels for one in model.fit.special_cells]
    if model.cost is not None:
        found += [one.levels for one in model.cost.model.special_cells if one.levels not in found]
    return found


def look(number: int) -> tuple[str, str, str]:
    """Return colour, dash and mark of the first, second, ... line: each tells them apart alone."""
    return COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)], SYMBOLS[number % len(SYMBOLS)]


def whiskers(estimates: Sequence[Estimate], divisor: float = 1.0, colour: str = AXIS) -> dict[str, Any]:
    """Return error bars from values to the ends of their intervals; none where an interval has no end."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [_reach(one.high - one.value) / divisor for one in estimates],
        "arrayminus": [_reach(one.value - one.low) / divisor for one in estimates],
        "color": colour,
        "thickness": 1.5,
    }


def name_bars(figure: go.Figure, names: Sequence[str], mark: float) -> None:
    """Write the name of each bar over it, and a line through it where the axis has ``mark``.

    Beside the bars long names would take the width of a narrow screen. The figure gets the height that
    the names need; bars are at 0, 1, ... from above, `BAR` thick.
    """
    broken = [textwrap.wrap(name, WIDEST_NAME) or [""] for name in names]
    height = 38 + 16 * max(len(lines) for lines in broken)
    tops = [place - 0.6 * BAR for place in range(len(names))]
    # All at once: each by itself would have plotly check those before it again.
    figure.layout.shapes += tuple(
        {
            "type": "line",
            "x0": mark,
            "x1": mark,
            "y0": top,
            "y1": place + 0.6 * BAR,
            "line": {"color": INK, "width": 2},
        }
        for place, top in enumerate(tops)
    )
    figure.layout.annotations += tuple(
        {
            "x": 0,
            "xref": "paper",
            "xanchor": "left",
            "align": "left",
            "y": top,
            "yanchor": "bottom",
            "text": "<br>".join(plain(line) for line in lines),
            "showarrow": False,
            "font": {"size": 12},
        }
        for top, lines in zip(tops, broken, strict=True)
    )
    figure.update_yaxes(range=[len(names) - 0.6, -0.85], showticklabels=False, showgrid=False, showline=False)
    figure.update_layout(height=140 + height * len(names), margin={"l": 24, "r": 12})


def linear_ticks(figure: go.Figure, levels: Iterable[Level], title: str, **place: int) -> None:
    """Give a figure an axis with ticks at measured levels: the ends, and of the rest those with room."""
    every = sorted({float(level) for level in levels})
    room = (every[-1] - every[0]) * CLOSEST_TICKS
    kept = every[:1]
    for level in every[1:-1]:
        if level - kept[-1] >= room and every[-1] - level >= room:
            kept.append(level)
    ticks = [*kept, *every[1:][-1:]]
    figure.update_xaxes(
        tickvals=ticks, ticktext=[f"{tick:g}" for tick in ticks], tickangle=0, title=plain(title), **place
    )


def log_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Choose round numbers between two ends of a logarithmic axis.

    Examples
    --------
    >>> log_ticks(0.5, 60)
    [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
    >>> log_ticks(0.5, 60000)
    [1.0, 10.0, 100.0, 1000.0, 10000.0]
    """
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in (
        (1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9),
        (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9),
        (1, 2, 3, 5, 7),
        (1, 2, 5),
        (1, 3),
        (1,),
    ):
        ticks = [step * 10.0**decade for decade in decades for step in steps]
        kept = [tick for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]
        if len(kept) <= most:
            return kept
    return kept[:: math.ceil(len(kept) / most)]


def _reach(width: float) -> float:
    return max(width, 0.0) if math.isfinite(width) else 0.0
