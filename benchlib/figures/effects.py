"""What a factor costs: cells against the number that matters most, or bars where there is only one factor of words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from benchlib.answers.effects import EffectModel
from benchlib.document.blocks import Number
from benchlib.document.numbers import write
from benchlib.effects.cells import Cell, Level, sort_factors
from benchlib.figures.style import BAD, COLOURS, INK, MUTED, Mark, chart, label, plain
from benchlib.units import scaled

__all__ = ["choose_places", "cost_lines", "level_bars"]

#: Panels side by side; a factor of more levels stands elsewhere.
_MOST_PANELS = 4
#: A number that accounts for less of the variance has no panels.
_WORTH_A_PANEL = 0.02
#: Beyond this many cells a figure is a cloud: the tables hold them all.
_MOST_CELLS = 600
#: More bars are a table; room above the highest point, and right of the last, as shares of the axis.
_MOST_BARS, _ROOM_ABOVE, _ROOM_BESIDE = 12, 1.16, 0.08
#: CSS pixels of a bar with its name.
_BAR = 46
#: CSS pixels, about: the width of a letter and of a panel; a label is not drawn further below its line than this.
_LETTER, _PANEL, _MOST_DROP = 6.5, 290.0, 60.0
#: Ends of lines nearer than this share of the axis have one label; so many colours of the style are dark enough for it.
_CLOSE, _STRONG = 0.06, 2

#: How a level of a factor reads: (factor, level) -> words.
Words = Callable[[str, Level], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Which factor stands where.

    ``across`` is the number along the axis, ``lines`` has a colour and ``panels`` a panel for each level ("" where no
    factor is left); all in ``rest`` have lines of the same look.
    """

    across: str
    lines: str
    panels: str
    rest: tuple[str, ...]


def choose_places(model: EffectModel) -> Places | None:
    """Choose what stands where by how much each factor matters; None without a number or with too many cells."""
    varying = [factor for factor, levels in model.table.factors.items() if len(levels) > 1]
    numeric = model.cost.model.numeric if model.cost is not None else sort_factors(model.table)[0]
    shares = model.fit.variance.shares
    ranked = sorted(varying, key=lambda factor: -shares.get(factor, 0.0))
    across = next((factor for factor in ranked if factor in numeric), "")
    if not across or len(model.cells) > _MOST_CELLS:
        return None
    others = [factor for factor in ranked if factor != across]
    lines = next((factor for factor in others if len(model.table.factors[factor]) <= len(COLOURS)), "")
    left = [factor for factor in others if factor != lines]
    # Words make the better panels: their levels have no order that a line could follow. Of the numbers only those that
    # matter have any: where one does not, its lines lie on each other.
    words = [factor for factor in left if factor not in numeric]
    words += [factor for factor in left if factor in numeric and shares.get(factor, 0.0) >= _WORTH_A_PANEL]
    panels = next((factor for factor in words if len(model.table.factors[factor]) <= _MOST_PANELS), "")
    return Places(across=across, lines=lines, panels=panels, rest=tuple(factor for factor in left if factor != panels))


def cost_lines(
    model: EffectModel,
    places: Places,
    panel: Level | None,
    *,
    words: Words,
    each: Mapping[Level | None, Number],
    special: str = "",
    height: int = 290,
) -> dict[str, Any]:
    """Draw the cells of one panel: a colour a line, what each more costs at its end, special cells hollow and red.

    ``each`` is the cost of one more by level of the line; ``special`` names the special cells once.
    """
    top = max(cell.median.value for cell in model.cells)
    divisor, unit = scaled(top, model.unit.removesuffix("/op"))
    apart = [cell.levels for cell in model.fit.special_cells]
    here = [cell for cell in model.cells if panel is None or cell.levels[places.panels] == panel]
    levels: Sequence[Level | None] = model.table.factors[places.lines] if places.lines else [None]
    traces: list[Mark] = []
    ends: list[_End] = []
    for number, level in enumerate(levels):
        cells = [cell for cell in here if level is None or cell.levels[places.lines] == level]
        ordinary = [cell for cell in cells if cell.levels not in apart]
        for line in _lines(ordinary, places):
            traces.append(_points(line, places.across, divisor, COLOURS[number % len(COLOURS)], words))
        if ordinary:
            name = [words(places.lines, level)] if level is not None else []
            name += [f"+{write(each[level])} each"] if level in each else []
            ends.append(_end_of(": ".join(name), ordinary, places.across, number))
    marks = _end_marks(ends, max(map(float, model.table.factors[places.across])), top, divisor, height)
    outside = [cell for cell in here if cell.levels in apart]
    if outside:
        traces.append(_apart(outside, places.across, divisor, words))
        if special:
            at = min(outside, key=lambda cell: cell.median.value)
            x = float(at.levels[places.across])
            y = at.median.value / divisor
            marks.append(label(special, x, y, xanchor="left", yanchor="bottom", xshift=8, yshift=2, font=_font(BAD)))
    return chart(
        traces,
        height=height,
        xaxis=_along(model.table.factors[places.across]),
        yaxis={
            "range": [0, _ROOM_ABOVE * top / divisor],
            "ticksuffix": f" {unit}",
            "nticks": 4,
            "showgrid": True,
            "gridcolor": "rgba(138, 148, 163, 0.25)",
        },
        marks=marks,
        margin={"l": 58},
    )


class _End(NamedTuple):
    """The end of a line, its name, and how far the line falls to the left of its name, in the unit of the cost."""

    name: str
    x: float
    y: float
    fall: float
    colour: str


def _end_of(name: str, cells: Sequence[Cell], across: str, number: int) -> _End:
    end = max(cells, key=lambda cell: (float(cell.levels[across]), cell.median.value))
    numbers = sorted({float(cell.levels[across]) for cell in cells})
    fall = 0.0
    if len(numbers) > 1:
        before = min(cell.median.value for cell in cells if float(cell.levels[across]) == numbers[-2])
        reach = len(name) * _LETTER / _PANEL * (numbers[-1] - numbers[0]) * (1 + 2 * _ROOM_BESIDE)
        fall = max(0.0, (end.median.value - before) * min(reach / (numbers[-1] - numbers[-2]), 1.0))
    # The other colours of the style are too pale for words.
    colour = COLOURS[number] if number < _STRONG else MUTED
    return _End(name, float(end.levels[across]), end.median.value, fall, colour)


def _end_marks(ends: Sequence[_End], last: float, top: float, divisor: float, height: int) -> list[Mark]:
    """Name the lines: the highest above its end, others below, where there is room; ends that meet have one name."""
    marks: list[Mark] = []
    highest = max((end.y for end in ends if end.x == last), default=0.0)
    for end in ends:
        y = end.y / divisor
        near = _CLOSE * top / divisor
        same = next((mark for mark in marks if mark["x"] == end.x and abs(mark["y"] - y) < near), None)
        if same is not None:
            same["text"], same["font"] = f"{same['text']}, {plain(end.name)}", _font(MUTED)
        elif end.x < last:
            marks.append(label(end.name, end.x, y, xanchor="left", xshift=9, font=_font(end.colour)))
        elif end.y == highest:
            side = {"xanchor": "right", "yanchor": "bottom", "yshift": 7}
            marks.append(label(end.name, end.x, y, font=_font(end.colour), **side))
        else:
            drop = min(height * end.fall / (_ROOM_ABOVE * top), _MOST_DROP)
            side = {"xanchor": "right", "yanchor": "top", "yshift": -9 - drop}
            marks.append(label(end.name, end.x, y, font=_font(end.colour), **side))
    return marks


def _font(colour: str) -> dict[str, object]:
    return {"size": 12, "color": colour}


def _lines(cells: Sequence[Cell], places: Places) -> list[list[Cell]]:
    """Return a line for each combination of the factors that have no look of their own."""
    lines: dict[tuple[Level, ...], list[Cell]] = {}
    for cell in cells:
        lines.setdefault(tuple(cell.levels[factor] for factor in places.rest), []).append(cell)
    return [sorted(line, key=lambda cell: float(cell.levels[places.across])) for line in lines.values()]


def _points(line: Sequence[Cell], across: str, divisor: float, colour: str, words: Words) -> Mark:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [float(cell.levels[across]) for cell in line],
        "y": [cell.median.value / divisor for cell in line],
        "text": [_hover(cell, words) for cell in line],
        "hovertemplate": "%{text}<extra></extra>",
        "line": {"color": colour, "width": 1.5},
        "marker": {"size": 8, "color": colour},
    }


def _apart(cells: Sequence[Cell], across: str, divisor: float, words: Words) -> Mark:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [float(cell.levels[across]) for cell in cells],
        "y": [cell.median.value / divisor for cell in cells],
        "text": [_hover(cell, words) for cell in cells],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"size": 10, "symbol": "circle-open", "color": BAD, "line": {"width": 2}},
    }


def _hover(cell: Cell, words: Words) -> str:
    place = ", ".join(words(factor, level) for factor, level in cell.levels.items())
    return plain(f"{place}: {write(Number(value=cell.median.value, unit=cell.median.unit))}, n = {cell.n}")


def _along(levels: Sequence[Level]) -> dict[str, Any]:
    """Return the axis of a factor, without names of levels that would be written over one another."""
    numbers = sorted(float(level) for level in levels)
    spread = numbers[-1] - numbers[0] or 1.0
    edge, last = _ROOM_BESIDE * spread, -math.inf
    names = []
    for level in numbers:
        names.append(f"{level:g}" if level - last >= edge else "")
        last = level if names[-1] else last
    return {"range": [numbers[0] - edge, numbers[-1] + edge], "tickvals": numbers, "ticktext": names}


def level_bars(rows: Sequence[tuple[str, Number, Sequence[float], str]]) -> dict[str, Any]:
    """Draw a bar a level, the dearest first: its name, its cost and ``note`` above it, its single runs as dots on it.

    A row is (name, cost, values of the runs, note); without values the bar alone.
    """
    shown = sorted(rows, key=lambda row: -row[1].value)[:_MOST_BARS]
    highest = max([row[1].value for row in shown] + [value for row in shown for value in row[2]]) or 1.0
    places = list(range(len(shown)))[::-1]
    traces: list[Mark] = [
        {
            "type": "bar",
            "orientation": "h",
            "x": [row[1].value / highest for row in shown],
            "y": places,
            "width": 0.3,
            "marker": {"color": COLOURS[0], "opacity": 0.55},
            "hoverinfo": "skip",
        },
        {
            "type": "scatter",
            "mode": "markers",
            "x": [value / highest for row in shown for value in row[2]],
            "y": [place for place, row in zip(places, shown, strict=True) for _ in row[2]],
            "text": [
                plain(f"{row[0]}: {write(Number(value=value, unit=row[1].unit))}") for row in shown for value in row[2]
            ],
            "hovertemplate": "%{text}<extra></extra>",
            "marker": {"size": 7, "color": INK},
        },
    ]
    marks = []
    for place, (name, cost, _, note) in zip(places, shown, strict=True):
        words = f"{name}: {write(cost)}" + (f", {note}" if note else "")
        marks.append(label(words, 0, place + 0.2, xanchor="left", yanchor="bottom", font={"size": 13, "color": MUTED}))
    return chart(
        traces,
        height=_BAR * len(shown) + 24,
        xaxis={"range": [0, 1.02], "showticklabels": False, "showline": False},
        yaxis={"range": [-0.4, len(shown) - 0.2], "showticklabels": False},
        marks=marks,
        margin={"b": 8},
    )
