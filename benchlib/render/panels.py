"""The panels of a figure as one plotly chart, on a plate of one theme: what a notebook shows and a picture is made of.

Everything that plotly would settle by what it finds in a browser is settled here: widths, margins, colours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from benchlib.document.blocks import Figure, Panel
from benchlib.document.numbers import words_of
from benchlib.figures.style import INK, MUTED, Mark, plain, readable
from benchlib.render.seen import inert_chart
from benchlib.render.svg import axes_of, legend_rows, text_width

__all__ = ["Theme", "one_chart"]

Theme = Literal["light", "dark"]

#: The plate of a theme, and the ink of its words.
_PLATES = {"light": ("#ffffff", INK), "dark": ("#14181f", "#e6e9ee")}
#: Contrast of words (WCAG 2.2, 1.4.3) and of marks (1.4.11) to their plate.
_WORDS, _MARKS = 4.5, 3.0
#: CSS pixels: the picture, its edge, the gap between panels, a row of the legend, a scale of colours.
_WIDTH, _EDGE, _GAP, _ROW, _SCALE = 720, 12, 18, 20, 62
#: Sizes of the finding, of the title of a panel, and of other words; the height of a line, in sizes.
_FINDING, _TITLE, _SMALL, _LINE = 15, 13, 12, 1.3
#: Panels side by side; the share of a panel that the names of its rows may take.
_BESIDE, _NAMES = 3, 0.45
_HEX = re.compile(r"#[0-9a-fA-F]{6}")


def one_chart(figure: Figure, theme: Theme = "light") -> dict[str, Any]:
    """Return plotly's JSON of all panels of a figure, its finding above and its note below."""
    inside, count = _WIDTH - 2 * _EDGE, len(figure.panels)
    columns = 2 if count == 4 else min(count, _BESIDE)
    width = (inside - _GAP * (columns - 1)) / columns
    cells = [_cell(panel, width) for panel in figure.panels]
    rows = [cells[at : at + columns] for at in range(0, count, columns)]
    height = sum(max(cell.height for cell in row) for row in rows) + _GAP * (len(rows) - 1)
    chart: dict[str, Any] = {"data": [], "layout": {"annotations": [], "shapes": []}}
    down = 0.0
    for row in rows:
        for place, cell in enumerate(row):
            _put(cell, chart, place * (width + _GAP), down, (inside, height))
        down += max(cell.height for cell in row) + _GAP
    finding = _wrapped(words_of(figure.finding), inside, _FINDING)
    note = _wrapped(figure.note, inside, _SMALL)
    legend = len(legend_rows(chart["data"], inside))
    if note:
        chart["layout"]["annotations"].append(_line(note, 0, 0, _SMALL, MUTED))
    top = _EDGE + _FINDING * _LINE * len(finding) + _ROW * legend
    bottom = _EDGE / 2 + _SMALL * _LINE * len(note)
    chart["layout"] |= {
        "width": _WIDTH,
        "height": round(top + height + bottom),
        "margin": {"l": _EDGE, "r": _EDGE, "t": round(top), "b": round(bottom)},
        "title": {"text": "<br>".join(map(plain, finding)), "font": {"size": _FINDING, "color": INK}}
        | {"x": 0, "xanchor": "left", "y": 1, "yanchor": "top", "pad": {"l": _EDGE, "t": _EDGE - 2}},
        "showlegend": legend > 0,
        "legend": {"orientation": "h", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
        | {"font": {"size": _SMALL, "color": INK}},
        "font": {"family": "system-ui, sans-serif", "size": _TITLE, "color": INK},
        "dragmode": False,
    }
    return _on_plate(inert_chart(chart), theme)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    """The room of one panel, in CSS pixels: its head, its axes, and what stands around them."""

    panel: Panel
    xaxis: Mapping[str, Any]
    yaxis: Mapping[str, Any]
    width: float
    left: float
    right: float
    head: float
    plot: float
    below: float

    @property
    def height(self) -> float:
        return self.head + self.plot + self.below


def _cell(panel: Panel, width: float) -> _Cell:
    layout = panel.chart["layout"]
    margin = {"l": 8, "r": 8, "t": 8, "b": 34} | dict(layout.get("margin", {}))
    plot = max(20.0, float(layout.get("height", 260)) - margin["t"] - margin["b"])
    axes = {f"{side}axis": _cut(layout.get(f"{side}axis", {}), width) for side in ("x", "y")}
    drawn = axes_of({"data": panel.chart["data"], "layout": {**layout, **axes}}, (0.0, 0.0, width, plot))
    named = {side: axes[f"{side}axis"].get("showticklabels") is not False for side in ("x", "y")}
    titled = {side: _has_title(axes[f"{side}axis"]) for side in ("x", "y")}
    left = named["y"] * (10 + max((text_width(words, _SMALL) for _, words in drawn["y"].ticks), default=0.0))
    below = 4 + _SMALL * _LINE * (named["x"] + titled["x"])
    if not named["x"] and any(mark.get("yref") == "paper" for mark in layout.get("annotations", ())):
        below = margin["b"]  # words that stand for ticks
    head = len(_wrapped(panel.title, width, _TITLE)) * _TITLE + len(_wrapped(panel.line, width, _SMALL)) * _SMALL
    scaled = any(
        trace.get("type") == "heatmap" and trace.get("showscale") is not False for trace in panel.chart["data"]
    )
    return _Cell(
        panel=panel,
        **axes,
        width=width,
        left=max(8.0, left + titled["y"] * (_SMALL * _LINE + 4)),
        right=margin["r"] + _SCALE * scaled,
        head=head * _LINE + margin["t"],
        plot=plot,
        below=below,
    )


def _has_title(axis: Mapping[str, Any]) -> bool:
    title = axis.get("title", {})
    return bool(title.get("text") if isinstance(title, Mapping) else title)


def _cut(axis: Mapping[str, Any], width: float) -> dict[str, Any]:
    """Return an axis whose names leave room for what they name."""
    given = dict(axis)
    if "ticktext" in given:
        given["ticktext"] = [_shortened(str(name), _NAMES * width) for name in given["ticktext"]]
    return given


def _shortened(name: str, width: float) -> str:
    while text_width(name, _SMALL) > width:
        name = f"{name[:-2]}…"
    return name


def _put(cell: _Cell, chart: dict[str, Any], across: float, down: float, whole: tuple[float, float]) -> None:
    """Put a panel into a chart at a place of CSS pixels: its axes, its traces, and what refers to them."""
    layout, own = chart["layout"], cell.panel.chart["layout"]
    number = 1 + sum(name.startswith("xaxis") for name in layout)
    last = "" if number == 1 else str(number)
    left, right = across + cell.left, across + cell.width - cell.right
    top = down + cell.head
    spans = {"x": (left / whole[0], right / whole[0])}
    spans["y"] = (1 - (top + cell.plot) / whole[1], 1 - top / whole[1])
    for side, other, given in (("x", "y", cell.xaxis), ("y", "x", cell.yaxis)):
        span = [min(1.0, max(0.0, end)) for end in spans[side]]
        layout[f"{side}axis{last}"] = {**given, "domain": span, "anchor": other + last, "automargin": False}
    for trace in cell.panel.chart["data"]:
        chart["data"].append({"showlegend": False, **trace, "xaxis": f"x{last}", "yaxis": f"y{last}"})
    for name in ("annotations", "shapes"):
        layout[name] += [_moved(mark, last) for mark in own.get(name, ())]
    if "barmode" in own:
        layout["barmode"] = own["barmode"]
    # The head begins where the panel does, left of its names, and grows from the panel's top downwards.
    x, y, shift = across / whole[0], 1 - down / whole[1], 0.0
    for words, size, colour, weight in ((cell.panel.title, _TITLE, INK, 600), (cell.panel.line, _SMALL, MUTED, 400)):
        if lines := _wrapped(words, cell.width, size):
            mark = _line(lines, x, y, size, colour) | {"yshift": -shift}
            mark["font"]["weight"] = weight
            layout["annotations"].append(mark)
            shift += len(lines) * size * _LINE


def _line(lines: Sequence[str], x: float, y: float, size: float, colour: str) -> Mark:
    """Return words whose upper left corner is at a share of the picture."""
    place = {"x": x, "y": y, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top", "align": "left"}
    words = {"text": "<br>".join(map(plain, lines)), "font": {"size": size, "color": colour}}
    return {**place, **words, "showarrow": False, "borderpad": 0}


def _moved(mark: Mapping[str, Any], last: str) -> Mark:
    """Return an annotation or shape that refers to the axes of its panel."""
    refers = {}
    for side in ("x", "y"):
        reference = str(mark.get(f"{side}ref", side))
        refers[f"{side}ref"] = f"{side}{last}" + (" domain" if reference != side else "")
    return {**mark, **refers}


def _wrapped(words: str, width: float, size: float) -> list[str]:
    """Return words in lines of a width."""
    lines: list[str] = []
    for word in words.split():
        if lines and text_width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines.append(word)
    return lines


# ---- colours ----


def _on_plate(chart: dict[str, Any], theme: Theme) -> dict[str, Any]:
    """Return a chart whose words, and on a dark plate its marks, stand out from its plate."""
    plate, ink = _PLATES[theme]
    coloured: dict[str, Any] = _coloured(chart, theme, in_words=False)
    coloured["layout"] |= {"paper_bgcolor": plate, "plot_bgcolor": plate}
    coloured["layout"]["hoverlabel"] = {"bgcolor": plate, "font": {"family": "system-ui, sans-serif", "color": ink}}
    return coloured


def _coloured(part: Any, theme: Theme, *, in_words: bool, key: str = "") -> Any:
    if isinstance(part, dict):
        return {
            name: _coloured(value, theme, in_words=name.endswith("font") or (in_words and name == "color"), key=name)
            for name, value in part.items()
        }
    if isinstance(part, list):
        return [_coloured(value, theme, in_words=in_words, key=key) for value in part]
    if not (isinstance(part, str) and key.endswith("color") and _HEX.fullmatch(part)):
        return part
    plate, ink = _PLATES[theme]
    if in_words:
        return ink if part == INK else readable(part, plate, least=_WORDS)
    return readable(part, plate, least=_MARKS) if theme == "dark" else part
