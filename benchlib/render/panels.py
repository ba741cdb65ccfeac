"""The panels of a figure as one plotly chart, on a plate of one theme: what a notebook shows and a picture is made of.

Everything that plotly would settle by what it finds in a browser is settled here: widths, margins, colours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from benchlib.document.blocks import Figure, Panel
from benchlib.document.numbers import words_of
from benchlib.figures.style import COLOURS, INK, MUTED, Mark, plain, readable
from benchlib.render.seen import inert_chart
from benchlib.render.svg import SCALE, axes_of, legend_rows, lines_of, text_width

__all__ = ["Theme", "one_chart"]

Theme = Literal["light", "dark"]

#: The plate of a theme, and the ink of its words.
_PLATES = {"light": ("#ffffff", INK), "dark": ("#14181f", "#e6e9ee")}
#: Contrast of words to their plate (WCAG 2.2, 1.4.3), and of marks to a dark one.
_CONTRAST = 4.5
#: CSS pixels: the picture, its edge, the gap between panels, a row of the legend, a scale of colours.
_WIDTH, _EDGE, _GAP, _ROW, _SCALE = 720, 12, 18, 20, 62
#: Sizes of the finding, of the title of a panel, and of other words; the height of a line, in sizes.
_FINDING, _TITLE, _SMALL, _LINE = 15, 13, 12, 1.3
#: What bold letters of a title take is what plain ones of this size do.
_BOLD = 14.5
#: Panels side by side; the share of a panel that the names of its rows may take.
_BESIDE, _NAMES = 3, 0.45
#: A name is not cut below this.
_LEAST = 36
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
    top = round(_EDGE + _FINDING * _LINE * len(finding) + _ROW * legend)
    bottom = round(_EDGE / 2 + _SMALL * _LINE * len(note))
    marks = chart["layout"]["annotations"]
    marks += [_line(finding, 0, 1, _FINDING, INK) | {"yshift": top - _EDGE / 2}] if finding else []
    marks += [_line(note, 0, 0, _SMALL, MUTED)] if note else []
    chart["layout"] |= {
        "width": _WIDTH,
        "height": round(top + height + bottom),
        "margin": {"l": _EDGE, "r": _EDGE, "t": top, "b": bottom},
        "showlegend": legend > 0,
        "legend": {"orientation": "h", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom", "traceorder": "normal"}
        | {"font": {"size": _SMALL, "color": INK}},
        "font": {"family": "system-ui, sans-serif", "size": _TITLE, "color": INK},
        "colorway": COLOURS,
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
    scaled = any(
        trace.get("type") == "heatmap" and trace.get("showscale") is not False for trace in panel.chart["data"]
    )
    right = margin["r"] + _SCALE * scaled
    box = (0.0, 0.0, width, plot)
    names = {side: axis.names for side, axis in axes_of(panel.chart, box).items()}
    yaxis = _settled(layout.get("yaxis", {}), names["y"], lambda _: _NAMES * width)
    xaxis = _settled(layout.get("xaxis", {}), names["x"], lambda count: max((1 - _NAMES) * width / count, _LEAST))
    drawn = axes_of({"data": panel.chart["data"], "layout": {**layout, "xaxis": xaxis, "yaxis": yaxis}}, box)
    named = [axis.get("showticklabels") is not False for axis in (xaxis, yaxis)]
    titled = [bool(axis["title"]["text"]) for axis in (xaxis, yaxis)]
    left = named[1] * (10 + max((text_width(words, _SMALL) for _, words in drawn["y"].ticks), default=0.0))
    below = 4 + _SMALL * _LINE * (named[0] + titled[0])
    if not named[0] and any(mark.get("yref") == "paper" for mark in layout.get("annotations", ())):
        below = margin["b"]  # words that stand for ticks
    head = len(_wrapped(panel.title, width, _BOLD)) * _TITLE + len(_wrapped(panel.line, width, _SMALL)) * _SMALL
    return _Cell(
        panel=panel,
        xaxis=xaxis,
        yaxis=yaxis,
        width=width,
        left=max(8.0, left + titled[1] * (_SMALL * _LINE + 4)),
        right=right,
        head=head * _LINE + min(margin["t"], _EDGE),  # the legend has rows of its own
        plot=plot,
        below=below,
    )


def _settled(axis: Mapping[str, Any], names: Mapping[str, int], room: Callable[[int], float]) -> dict[str, Any]:
    """Return an axis with its title, its way to write numbers, and names that leave room for what they name."""
    title = axis.get("title", {})
    title = title if isinstance(title, Mapping) else {"text": title}
    font = {"size": _SMALL, "color": MUTED} | dict(title.get("font", {}))
    settled = {"separatethousands": True, "exponentformat": "SI", "minexponent": 6, **axis}
    settled |= {"automargin": False, "tickangle": 0}
    settled["title"] = {"text": title.get("text", ""), "font": font, "standoff": 2}
    if names:
        settled |= {"type": "category", "tickvals": list(names), "ticktext": list(names)}
    if words := settled.get("ticktext"):
        settled["ticktext"] = [_shortened(str(name), room(len(words))) for name in words]
    return settled


def _shortened(words: str, width: float) -> str:
    """Cut a label to a width; it is words as plotly has them."""
    whole = " ".join(lines_of(words))
    cut = whole
    while len(cut) > 2 and text_width(plain(cut), _SMALL) > width:
        cut = f"{cut[:-2]}…"
    return words if cut == whole else plain(cut)


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
        layout[f"{side}axis{last}"] = {**given, "domain": span, "anchor": other + last}
    for trace in cell.panel.chart["data"]:
        looks = _heat_looks(trace, spans) if trace.get("type") == "heatmap" else _looks(trace)
        chart["data"].append({**looks, "xaxis": f"x{last}", "yaxis": f"y{last}"})
    for name in ("annotations", "shapes"):
        layout[name] += [_moved(mark, last) for mark in own.get(name, ())]
    if "barmode" in own:
        layout["barmode"] = own["barmode"]
    # The head begins where the panel does, left of its names, and grows from the panel's top downwards.
    x, y, shift = across / whole[0], 1 - down / whole[1], 0.0
    for words, size, colour, weight in ((cell.panel.title, _TITLE, INK, 600), (cell.panel.line, _SMALL, MUTED, 400)):
        if lines := _wrapped(words, cell.width, _BOLD if weight == 600 else size):
            mark = _line(lines, x, y, size, colour) | {"yshift": -shift}
            mark["font"]["weight"] = weight
            layout["annotations"].append(mark)
            shift += len(lines) * size * _LINE


def _heat_looks(trace: Mapping[str, Any], spans: Mapping[str, tuple[float, float]]) -> Mark:
    """Return a heat map with its colours, and their scale at its right."""
    (low, high), right = spans["y"], spans["x"][1]
    place = {"x": right, "xanchor": "left", "xpad": 10, "y": (low + high) / 2, "len": high - low, "ypad": 0}
    look = {"thickness": 10, "outlinewidth": 0, "tickfont": {"size": _SMALL, "color": MUTED}}
    bar = {**place, **look, **trace.get("colorbar", {})}
    bar["title"] = {"font": look["tickfont"], **bar.get("title", {})}
    return {"colorscale": SCALE, **trace, "colorbar": bar}


def _looks(trace: Mapping[str, Any]) -> Mark:
    """Return a trace with what plotly would choose for it: the ink of its words, and rings as their marks are."""
    settled = {"showlegend": False, **trace}
    if "text" in trace:
        settled["textfont"] = {"size": _SMALL, "color": INK} | trace.get("textfont", {})
    marker = trace.get("marker", {})
    if "line" in marker and "color" in marker:
        settled["marker"] = {**marker, "line": {"color": marker["color"], **marker["line"]}}
    return settled


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
        while text_width(plain(word), size) > width:
            word = f"{word[:-2]}…"
        if lines and text_width(plain(f"{lines[-1]} {word}"), size) <= width:
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
    if part == INK:
        return ink
    return readable(part, plate, least=_CONTRAST) if in_words or theme == "dark" else part
