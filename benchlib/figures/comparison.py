"""Differences: strips of dots, slopes between two places, dots by factor, a forest."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchlib.document.blocks import Number
from benchlib.document.numbers import write
from benchlib.figures.style import AXIS, BAD, BLUE, BROWN, COLOURS, INK, MUTED, Mark, chart, label, plain

__all__ = ["Dot", "Line", "Strip", "forest", "pooled_dots", "slope", "strips"]

#: Height of a row of a forest, in px.
ROW = 24
#: Names that stand beside each other need so many px.
_APART = 15
#: Width of a panel, of a letter, of the gap at a label, and the least between the first place and the last, in px.
_PANEL, _LETTER, _MARGIN, _LEAST = 224, 6.8, 10, 40
#: Longer names are cut.
_MOST_LETTERS = 34
#: Ratios that an axis names, and how it names those of a metric that is better when lower.
_TICKS = {
    0.1: "a tenth", 0.25: "a quarter", 0.5: "half", 0.8: "−20%", 0.9: "−10%", 0.95: "−5%", 0.98: "−2%", 1.0: "same",
    1.02: "+2%", 1.05: "+5%", 1.1: "+10%", 1.25: "+25%", 1.5: "+50%", 2.0: "2×", 4.0: "4×", 10.0: "10×", 100.0: "100×",
}  # fmt: skip
_MOST_TICKS = 5


class Dot(NamedTuple):
    """One ratio, the words that hovering shows, its interval (infinite where nothing bounds it), and its verdict."""

    ratio: float
    words: str
    low: float = math.nan
    high: float = math.nan
    sure: bool = False
    worse: bool = False


class Strip(NamedTuple):
    """Ratios under a title, with the middle that is labelled."""

    title: str
    dots: Sequence[Dot]
    middle: float
    words: str


class Line(NamedTuple):
    """One line of a slope chart: its name, and a value at each place where there is one."""

    name: str
    values: Sequence[Number | None]


def strips(shown: Sequence[Strip], words: str, *, height: int = 112) -> dict[str, Any]:
    """Draw strips of dots on one axis of ratios, the middle of each marked and labelled; ``words`` name the axis."""
    traces: list[Mark] = []
    marks, shapes = [], []
    axis = _ratios([dot.ratio for strip in shown for dot in strip.dots])
    start, end = axis["range"]
    for place, strip in enumerate(shown):
        colour = (BLUE, BROWN)[place % 2]
        base = -float(place)
        # Words stand where there is room for them.
        left = math.log10(strip.middle) < (start + end) / 2
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": [dot.ratio for dot in strip.dots],
                "y": [base + 0.22 * _scatter(number) for number in range(len(strip.dots))],
                "text": [plain(dot.words) for dot in strip.dots],
                "hovertemplate": "%{text}<extra></extra>",
                "marker": {"size": 10, "color": colour, "opacity": 0.55},
            }
        )
        shapes.append(
            {
                "type": "line",
                "x0": strip.middle,
                "x1": strip.middle,
                "y0": base - 0.3,
                "y1": base + 0.3,
                "line": {"color": colour, "width": 3},
            }
        )
        marks.append(
            label(
                strip.title,
                0,
                base + 0.56,
                xref="paper",
                xanchor="left",
                yanchor="middle",
                font={"size": 13, "color": INK},
            )
        )
        marks.append(
            label(
                strip.words,
                math.log10(strip.middle),
                base + 0.31,
                xanchor="left" if left else "right",
                yanchor="bottom",
                xshift=4 if left else -4,
                font={"size": 13, "color": colour},
            )
        )
    return chart(
        traces,
        height=height * len(shown) + 56,
        xaxis=axis | {"title": _title(words)},
        margin={"b": 50},
        yaxis={"range": [-len(shown) + 0.6, 0.7], "showticklabels": False},
        marks=marks,
        shapes=[*(line for place in range(len(shown)) for line in _grid(axis, -place - 0.36, -place + 0.3)), *shapes],
    )


def _scatter(number: int) -> float:
    """Spread dots of one strip up and down, the same way each time: the golden ratio leaves no stripes."""
    return 2 * ((number * 0.6180339887) % 1) - 1


def slope(lines: Sequence[Line], places: Sequence[str], *, height: int = 230) -> dict[str, Any]:
    """Draw one metric at two or three places, one line a thing, its name and value at the last place."""
    known = [value.value for line in lines for value in line.values if value is not None]
    low, high = min(known), max(known)
    room = (high - low) or abs(high) or 1.0
    bottom, top = low - 0.12 * room, high + 0.12 * room
    marks = []
    per_px = (top - bottom) / (height - 42)
    room_left, room_right = 0.0, 0.0
    for place, side in ((0, "right"), (len(places) - 1, "left")):
        ends = [(number, value) for number, line in enumerate(lines) if (value := line.values[place]) is not None]
        heights = _dodged([value.value for _, value in ends], _APART * per_px)
        for (number, value), at in zip(ends, heights, strict=True):
            last = place == len(places) - 1
            words = f"{write(value, high, bare=True)}{f' {lines[number].name}' if last else ''}"
            needed = _MARGIN + _LETTER * len(_cut(words))
            room_left, room_right = (
                (room_left, max(room_right, needed)) if last else (max(room_left, needed), room_right)
            )
            marks.append(
                label(
                    _cut(words),
                    place,
                    at,
                    xanchor=side,
                    xshift=-8 if side == "right" else 8,
                    font={"size": 12, "color": COLOURS[number % len(COLOURS)]},
                )
            )
    edge = len(places) - 1
    # The places' names stand outwards, so that near places do not run into each other.
    for place, name in enumerate(places):
        anchor = "center" if 0 < place < edge else "left" if place else "right"
        shift = {"left": -8, "right": 8, "center": 0}[anchor]
        marks.append(label(name, place, 0, yref="paper", yanchor="top", yshift=-4, xanchor=anchor, xshift=shift))
    between = max(_PANEL - room_left - room_right, _LEAST)
    return chart(
        [_thing(line, places, COLOURS[number % len(COLOURS)]) for number, line in enumerate(lines)],
        height=height,
        xaxis={
            "range": [-edge * room_left / between, edge * (1 + room_right / between)],
            "showticklabels": False,
        },
        yaxis={"range": [bottom, top], "showticklabels": False},
        marks=marks,
    )


def _thing(line: Line, places: Sequence[str], colour: str) -> Mark:
    """Return one thing over the places where it was measured."""
    known = [(place, value) for place, value in enumerate(line.values) if value is not None]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [place for place, _ in known],
        "y": [value.value for _, value in known],
        "text": [plain(f"{line.name}, {places[place]}: {write(value)}") for place, value in known],
        "hovertemplate": "%{text}<extra></extra>",
        "line": {"color": colour, "width": 2},
        "marker": {"size": 9, "color": colour},
    }


def _dodged(values: Sequence[float], apart: float) -> list[float]:
    """Return where labels stand so that none covers another: at their value, or as near as there is room."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    placed: list[float] = []
    for place in order:
        placed.append(max(values[place], placed[-1] + apart) if placed else values[place])
    # Those pushed up are moved back by half of what the group was pushed.
    shift = (sum(placed) - sum(values)) / (len(values) or 1)
    heights = [0.0] * len(values)
    for position, place in zip(placed, order, strict=True):
        heights[place] = position - shift
    return heights


def pooled_dots(shown: Sequence[Strip], words: str) -> dict[str, Any]:
    """Draw the ratios behind each level of a factor, with what they come to together."""
    return strips(shown, words, height=95)


def forest(names: Sequence[str], dots: Sequence[Dot], *, both: tuple[str, str] = ("less", "more")) -> dict[str, Any]:
    """Draw rows of ratios, each with its interval where it has one; filled where the difference is decided."""
    ends = [end for dot in dots for end in (dot.ratio, dot.low, dot.high) if math.isfinite(end) and end > 0]
    y = [-float(place) for place in range(len(dots))]
    bars: Mark = {"type": "scatter", "mode": "lines", "x": [], "y": [], "hoverinfo": "skip"}
    bars["line"] = {"color": AXIS, "width": 2}
    for dot, height in zip(dots, y, strict=True):
        if math.isfinite(dot.low) and math.isfinite(dot.high) and dot.low > 0:
            bars["x"] += [dot.low, dot.high, None]
            bars["y"] += [height, height, None]
    points: Mark = {
        "type": "scatter",
        "mode": "markers",
        "x": [dot.ratio for dot in dots],
        "y": y,
        **_hover(dots),
        "marker": {
            "size": 10,
            "symbol": ["circle" if dot.sure else "circle-open" for dot in dots],
            "color": [_colour(dot) for dot in dots],
            "line": {"width": 2, "color": [_colour(dot) for dot in dots]},
        },
    }
    axis = _ratios(ends or [1.0])
    return chart(
        [bars, points],
        height=ROW * len(dots) + 50,
        xaxis=axis | {"title": _title(f"← {both[0]}   {both[1]} →")},
        yaxis={
            "range": [-len(dots) + 0.4, 0.6],
            "tickvals": y,
            "ticktext": [plain(_cut(name)) for name in names],
            "tickfont": {"size": 12, "color": INK},
            "automargin": True,
        },
        shapes=_grid(axis, -len(dots) + 0.4, 0.6),
        margin={"b": 44},
    )


def _hover(dots: Sequence[Dot]) -> dict[str, Any]:
    if not any(dot.words for dot in dots):
        return {"hoverinfo": "skip"}
    return {"text": [plain(dot.words) for dot in dots], "hovertemplate": "%{text}<extra></extra>"}


def _title(words: str) -> dict[str, Any]:
    return {"text": plain(words), "font": {"size": 12, "color": MUTED}}


def _colour(dot: Dot) -> str:
    if not dot.sure:
        return MUTED
    return BAD if dot.worse else BLUE


def _cut(words: str) -> str:
    return words if len(words) <= _MOST_LETTERS else f"{words[: _MOST_LETTERS - 1]}…"


def _ratios(ratios: Sequence[float]) -> dict[str, Any]:
    """Return a logarithmic axis of ratios that holds 1, with a few named ones."""
    low, high = min(*ratios, 1.0), max(*ratios, 1.0)
    edge = 0.08 * (math.log10(high / low) or 0.01)
    ends = math.log10(low) - edge, math.log10(high) + edge
    inside = [tick for tick in _TICKS if ends[0] <= math.log10(tick) <= ends[1]]
    # The farther from "same", the more a tick says; those too near to one that stands are left out.
    kept = [1.0]
    for tick in sorted(inside, key=lambda tick: -abs(math.log(tick))):
        if min(abs(math.log10(tick / other)) for other in kept) >= (ends[1] - ends[0]) / (_MOST_TICKS + 1):
            kept.append(tick)
    kept.sort()
    return {
        "type": "log",
        "range": list(ends),
        "tickvals": kept,
        "ticktext": [_TICKS[tick] for tick in kept],
        "tickangle": 0,
    }


def _grid(axis: Mapping[str, Any], low: float, high: float) -> list[Mark]:
    """Return a thin line at each named ratio, a stronger one at 1."""
    return [
        {
            "type": "line",
            "layer": "below",
            "y0": low,
            "y1": high,
            "x0": tick,
            "x1": tick,
            "opacity": 1.0 if tick == 1 else 0.5,
            "line": {"color": AXIS, "width": 2 if tick == 1 else 1},
        }
        for tick in axis["tickvals"]
    ]
