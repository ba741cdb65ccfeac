"""A deck as a .pptx: words and tables that can be edited, charts that PowerPoint draws, what the speaker says.

Native charts are lines with points and bars; the same bytes for the same deck.
"""

from __future__ import annotations

import importlib.util
import io
import math
import re
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from benchlib.document.blocks import (
    Block,
    Cell,
    Column,
    Deck,
    Figure,
    List,
    Panel,
    Paragraph,
    Slide,
    Table,
    Text,
    WhatIf,
)
from benchlib.document.numbers import column_scales, words_of, write_cell
from benchlib.errors import InputError
from benchlib.figures.style import BAD, COLOURS, INK, MUTED
from benchlib.render.seen import seen

__all__ = ["to_pptx"]

#: Points of a slide, and of what is set on it; nothing is smaller than the last.
_WIDTH, _HEIGHT, _MARGIN = 960, 540, 48
_ANSWER, _TITLE, _WORDS, _CELLS, _SMALL = 34, 27, 20, 16, 14
#: What PowerPoint and LibreOffice have under this or a metric-compatible name.
_FONT = "Arial"
#: "Title Only" of python-pptx's own template.
_TITLE_ONLY = 5
#: A title of more letters is set smaller.
_LONG = 170
#: A letter is about so wide, in sizes of its font.
_LETTER = 0.52
#: Characters that a property of a file holds.
_LONGEST = 255
_MOMENT = re.compile(rb"\d{4}-\d\d-\d\dT[\d:]{8}Z")
#: The first moment that a ZIP archive can name.
_EPOCH = (1980, 1, 1, 0, 0, 0)


def check_pptx() -> None:
    """Make sure that python-pptx is there."""
    if importlib.util.find_spec("pptx") is None:
        raise InputError(
            ".pptx is written by python-pptx, which is not installed; "
            "pip install 'benchlib[slides]', or choose --to html,pdf"
        )


def to_pptx(deck: Deck) -> bytes:
    """Return a deck as a .pptx."""
    from pptx import Presentation
    from pptx.util import Pt

    made = Presentation()
    made.slide_width, made.slide_height = Pt(_WIDTH), Pt(_HEIGHT)
    for place, slide in enumerate([*deck.slides, *deck.appendix]):
        _SlideWriter(made.slides.add_slide(made.slide_layouts[_TITLE_ONLY]), first=place == 0).write(slide)
    facts = made.core_properties
    facts.title, facts.author, facts.last_modified_by = seen(deck.title)[:_LONGEST], "benchlib", "benchlib"
    facts.created = facts.modified = datetime(*_EPOCH, tzinfo=UTC)
    packed = io.BytesIO()
    made.save(packed)
    return _steady(packed.getvalue())


def _words(text: Text) -> str:
    """Return a text as it is read."""
    return seen(words_of(text))


class _SlideWriter:
    """Sets the blocks of one slide below each other."""

    def __init__(self, sheet: Any, *, first: bool) -> None:
        self.sheet, self.first, self.top = sheet, first, 40.0

    def write(self, slide: Slide) -> None:
        size = _ANSWER if self.first else _TITLE
        size = size if len(_words(slide.title)) <= _LONG else _WORDS
        title = self.sheet.shapes.title
        title.left, title.top, title.width, title.height = self._place(self._height([_words(slide.title)], size))
        _fill(title.text_frame, [_words(slide.title)], size=size, bold=True)
        self.top += 14
        for block in slide.blocks:
            self._add(block)
        self.sheet.notes_slide.notes_text_frame.text = "\n".join(_words(note) for note in slide.notes if note)

    def _add(self, block: Block) -> None:
        match block:
            case Paragraph():
                size = _CELLS if block.muted else _WORDS
                self._lines([_words(block.text)], size=size, colour=MUTED if block.muted else INK)
            case List():
                self._lines([f"•  {_words(item)}" for item in block.items], size=_WORDS)
            case Table():
                self._table(block)
            case WhatIf():
                self._table(block.still)
                self._lines(["The sliders of this slide are in the HTML deck."], size=_CELLS, colour=MUTED)
            case Figure():
                self._figure(block)

    def _place(self, height: float, left: float = _MARGIN, width: float = _WIDTH - 2 * _MARGIN) -> tuple[Any, ...]:
        """Return a place below what stands, and move on below it."""
        from pptx.util import Pt

        place = tuple(Pt(round(length)) for length in (left, self.top, width, height))
        self.top += height
        return place

    def _height(self, lines: Sequence[str], size: float, width: float = _WIDTH - 2 * _MARGIN) -> float:
        """Estimate the height that lines take, in points."""
        letters = width / (_LETTER * size)
        return sum(1.25 * size * max(1, math.ceil(len(line) / letters)) + 0.4 * size for line in lines)

    def _lines(self, lines: Sequence[str], *, size: float, colour: str = INK) -> None:
        frame = self.sheet.shapes.add_textbox(*self._place(self._height(lines, size) + 6)).text_frame
        _fill(frame, lines, size=size, colour=colour)

    def _table(self, table: Table) -> None:
        from pptx.util import Pt

        if table.caption:
            self._lines([seen(table.caption)], size=_SMALL, colour=MUTED)
        rows = _written(table)[: table.shown + 1]
        widths = _widths(rows)
        heights = [
            max(self._height([cell], _CELLS, width - 12) for cell, width in zip(row, widths, strict=True))
            for row in rows
        ]
        frame = self.sheet.shapes.add_table(len(rows), len(widths), *self._place(sum(heights)))
        frame.name = seen(table.caption) or "Table"
        _without_style(frame.table)
        for column, width in zip(frame.table.columns, widths, strict=True):
            column.width = Pt(round(width))
        for line, height, row, place in zip(frame.table.rows, heights, rows, range(len(rows)), strict=True):
            line.height = Pt(round(height))
            for cell, words, column in zip(line.cells, row, table.columns, strict=True):
                right = column.kind != "words"
                _fill(
                    cell.text_frame, [words], size=_CELLS, colour=INK if place else MUTED, bold=not place, right=right
                )
                cell.margin_left = cell.margin_top = cell.margin_bottom = Pt(2)
                cell.margin_right = Pt(10)
                _underline(cell)
        self.top += 12

    def _figure(self, figure: Figure) -> None:
        note = self._height([figure.note], _SMALL) if figure.note else 0
        titles = 52 if any(panel.title for panel in figure.panels) else 0
        width = (_WIDTH - 2 * _MARGIN) / len(figure.panels)
        top, height = self.top, _HEIGHT - 36 - note - titles - self.top
        for place, panel in enumerate(figure.panels):
            self.top = top
            left = _MARGIN + place * width
            if titles:
                box = self.sheet.shapes.add_textbox(*self._place(titles, left, width)).text_frame
                _fill(box, [seen(panel.title)], size=_CELLS, bold=True)
                _fill(box, [seen(panel.line)], size=_SMALL, colour=MUTED, first=False)
            frame = _add_chart(self.sheet.shapes, panel, self._place(height, left, width - 8))
            frame._element.nvGraphicFramePr.cNvPr.set("descr", seen(figure.alt))
        if figure.note:
            self._lines([seen(figure.note)], size=_SMALL, colour=MUTED)


# ---- tables ----


def _written(table: Table) -> list[list[str]]:
    """Return a table as words, heads first, as a page writes it."""
    scales = column_scales(table)
    heads = [seen(f"{column.head} {unit}".strip()) for column, (_, unit) in zip(table.columns, scales, strict=True)]
    rows = [
        [_cell(cell, column, like) for cell, column, (like, _) in zip(row, table.columns, scales, strict=True)]
        for row in table.rows
    ]
    return [heads, *rows]


def _cell(cell: Cell, column: Column, like: float) -> str:
    if isinstance(cell, str | tuple):
        return _words(cell if isinstance(cell, tuple) else (cell,))
    return write_cell(cell, column, like)


def _widths(rows: Sequence[Sequence[str]]) -> list[float]:
    """Share the width of a slide among columns by their longest cell, none wider than a third of it."""
    whole = _WIDTH - 2 * _MARGIN
    wanted = [
        min(max(len(cell) for cell in column) * _LETTER * _CELLS + 24, whole / 3) for column in zip(*rows, strict=True)
    ]
    return [width * whole / sum(wanted) for width in wanted]


def _without_style(table: Any) -> None:
    """Take off the coloured bands of the template."""
    properties = table._tbl.tblPr
    properties.set("bandRow", "0")
    style = properties.find(_tag("tableStyleId"))
    if style is not None:
        style.text = "{2D5ABB26-0587-4C30-8999-92F81FD0307C}"  # "No Style, No Grid"


def _underline(cell: Any) -> None:
    """Draw the line below a cell."""
    properties = cell._tc.get_or_add_tcPr()
    line = properties.makeelement(_tag("lnB"), {"w": "9525"})
    fill = line.makeelement(_tag("solidFill"), {})
    fill.append(fill.makeelement(_tag("srgbClr"), {"val": "DDE1E7"}))
    line.append(fill)
    properties.insert(0, line)  # lines come before the fill


# ---- charts ----


def _add_chart(shapes: Any, panel: Panel, place: tuple[Any, ...]) -> Any:
    """Add a panel as a chart that PowerPoint draws: bars, or lines with points."""
    from pptx.chart.data import CategoryChartData, XyChartData
    from pptx.enum.chart import XL_CHART_TYPE

    traces = panel.chart["data"]
    bars = [trace for trace in traces if trace.get("type") == "bar"]
    if bars:
        counted = CategoryChartData()
        counted.categories = [seen(str(words)) for words in bars[0].get("ids", bars[0]["y"])]
        for number, trace in enumerate(bars):
            counted.add_series(f"{number + 1}", trace["x"])
        frame = shapes.add_chart(XL_CHART_TYPE.BAR_STACKED, *place, counted)
        _dress_bars(frame.chart, [trace["marker"]["color"] for trace in bars])
        return frame
    lines = [trace for trace in traces if trace.get("type", "scatter") == "scatter" and len(trace.get("x", ()))]
    drawn = XyChartData()
    for number, trace in enumerate(lines):
        series = drawn.add_series(f"{number + 1}")
        for x, y in zip(trace["x"], trace["y"], strict=True):
            series.add_data_point(x, y)
    frame = shapes.add_chart(XL_CHART_TYPE.XY_SCATTER_LINES, *place, drawn)
    _dress_points(frame.chart, lines, panel.chart["layout"])
    return frame


def _dress(chart: Any) -> None:
    from pptx.util import Pt

    chart.has_legend = chart.has_title = False
    chart.font.size, chart.font.name = Pt(_SMALL), _FONT
    chart.font.color.rgb = _colour(MUTED)
    chart.value_axis.has_major_gridlines = False


def _dress_bars(chart: Any, colours: Sequence[str]) -> None:
    from pptx.enum.chart import XL_TICK_LABEL_POSITION

    _dress(chart)
    plot = chart.plots[0]
    plot.gap_width, plot.overlap, plot.vary_by_categories = 60, 100, False
    for series, colour in zip(plot.series, colours, strict=True):
        series.format.fill.solid()
        series.format.fill.fore_color.rgb = _colour(colour)
    chart.category_axis.reverse_order = True
    chart.value_axis.minimum_scale = 0
    chart.value_axis.tick_label_position = XL_TICK_LABEL_POSITION.HIGH  # reversed: the high side is below


def _dress_points(chart: Any, traces: Sequence[dict[str, Any]], layout: dict[str, Any]) -> None:
    from pptx.enum.chart import XL_MARKER_STYLE

    _dress(chart)
    for series, trace in zip(chart.plots[0].series, traces, strict=True):
        colour = trace.get("line", {}).get("color") or trace.get("marker", {}).get("color") or COLOURS[0]
        series.smooth = False
        if "lines" in trace.get("mode", "markers"):
            series.format.line.color.rgb = _colour(colour if isinstance(colour, str) else COLOURS[0])
        else:
            series.format.line.fill.background()
        if "markers" not in trace.get("mode", "markers"):
            series.marker.style = XL_MARKER_STYLE.NONE
            continue
        series.marker.style, series.marker.size = XL_MARKER_STYLE.CIRCLE, 9
        colours = [colour] * len(trace["x"]) if isinstance(colour, str) else colour
        for place, each in enumerate(colours):
            _dress_marker(series.points[place].marker, each, hollow=each == BAD)
    axis = layout.get("xaxis", {})
    if axis.get("type") == "log":
        _logarithmic(chart.category_axis, axis)
    chart.value_axis.minimum_scale = 0
    chart.value_axis.has_major_gridlines = False
    chart.category_axis.has_major_gridlines = False


def _dress_marker(marker: Any, colour: str, *, hollow: bool) -> None:
    from pptx.enum.chart import XL_MARKER_STYLE

    marker.style, marker.size = XL_MARKER_STYLE.CIRCLE, 9
    marker.format.line.color.rgb = _colour(colour)
    if hollow:
        marker.format.fill.background()
    else:
        marker.format.fill.solid()
        marker.format.fill.fore_color.rgb = _colour(colour)


def _logarithmic(axis: Any, drawn: dict[str, Any]) -> None:
    """Make an axis logarithmic by 2, from the first level to the last."""
    scaling = axis._element.find(_chart_tag("scaling"))
    scaling.insert(0, scaling.makeelement(_chart_tag("logBase"), {"val": "2"}))
    levels = drawn.get("tickvals") or ()
    if levels:
        axis.minimum_scale = 2.0 ** math.floor(math.log2(levels[0]))
        axis.maximum_scale = 2.0 ** math.ceil(math.log2(levels[-1]))


# ---- words ----


def _fill(
    frame: Any,
    lines: Sequence[str],
    *,
    size: float,
    colour: str = INK,
    bold: bool = False,
    right: bool = False,
    first: bool = True,
) -> None:
    """Write lines into a frame; below what stands there where they are not the first."""
    from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
    from pptx.util import Pt

    frame.word_wrap, frame.vertical_anchor = True, MSO_ANCHOR.TOP
    frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = 0
    for place, line in enumerate(lines):
        paragraph = frame.paragraphs[0] if first and place == 0 else frame.add_paragraph()
        paragraph.alignment = PP_ALIGN.RIGHT if right else PP_ALIGN.LEFT
        paragraph.space_after = Pt(round(0.4 * size)) if len(lines) > 1 else Pt(0)
        run = paragraph.add_run()
        run.text = line
        run.font.name, run.font.size, run.font.bold = _FONT, Pt(size), bold
        run.font.color.rgb = _colour(colour)


def _colour(written: str) -> Any:
    from pptx.dml.color import RGBColor

    return RGBColor.from_string(written.removeprefix("#").upper())


def _tag(name: str) -> str:
    from pptx.oxml.ns import qn

    return str(qn(f"a:{name}"))


def _chart_tag(name: str) -> str:
    from pptx.oxml.ns import qn

    return str(qn(f"c:{name}"))


def _steady(packed: bytes) -> bytes:
    """Return an archive without the moments at which its members were written, those of the charts' sheets too."""
    steady = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed)) as before, zipfile.ZipFile(steady, "w", zipfile.ZIP_DEFLATED) as after:
        for member in before.infolist():
            content = before.read(member)
            if member.filename.endswith(".xlsx"):
                content = _steady(content)
            if member.filename == "docProps/core.xml":  # that of a chart's sheet says when it was made
                content = _MOMENT.sub(b"1980-01-01T00:00:00Z", content)
            after.writestr(zipfile.ZipInfo(member.filename, _EPOCH), content, zipfile.ZIP_DEFLATED)
    return steady.getvalue()
