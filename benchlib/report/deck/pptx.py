"""Slides as a .pptx: titles, words and tables that can be edited, charts as sharp pictures, speaker's notes.

Each block stands where the browser has laid it out. The file is the same bytes for the same slides.
"""

from __future__ import annotations

import base64
import importlib.util
import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from benchlib.errors import InputError
from benchlib.report.deck.drawing import SLIDE
from benchlib.report.page.seen import seen

if TYPE_CHECKING:
    from pptx.slide import Slide
    from pptx.text.text import TextFrame

__all__ = ["check_pptx", "to_pptx"]

#: English Metric Units of a CSS pixel, and points of one.
_EMU, _POINTS = 9525, 0.75
#: What PowerPoint and LibreOffice have under this or a metric-compatible name; the deck's own rules name it too.
_FONT = "Arial"
#: "Title Only" of python-pptx's own template.
_TITLE_ONLY = 5
_INK, _RULE, _RAISED = "1B2431", "DDE1E7", "F7F8FA"
#: A title of more lines than these is written so much smaller.
_FEW_LINES, _NARROWER = 2.5, 0.95
#: Characters that a property of a file holds.
_LONGEST = 255
#: The first moment that a ZIP archive can name.
_EPOCH = (1980, 1, 1, 0, 0, 0)


def check_pptx() -> None:
    """Make sure that a .pptx can be written.

    Raises
    ------
    InputError
        If python-pptx is not installed.
    """
    if importlib.util.find_spec("pptx") is None:
        raise InputError(
            ".pptx is written by python-pptx, which is not installed; "
            "pip install 'benchlib[slides]', or choose --to html,pdf"
        )


def to_pptx(slides: Sequence[Mapping[str, Any]], *, title: str) -> bytes:
    """Return slides, as `draw_deck` takes them apart, as a .pptx.

    Parameters
    ----------
    slides : sequence of mapping
    title : str
        Of the whole deck.
    """
    from pptx import Presentation
    from pptx.util import Emu

    made = Presentation()
    made.slide_width, made.slide_height = (Emu(one * _EMU) for one in SLIDE)
    for one in slides:
        _add_slide(made, one)
    facts = made.core_properties
    facts.title, facts.author, facts.last_modified_by = _plain(title)[:_LONGEST], "benchlib", "benchlib"
    facts.created = facts.modified = datetime(*_EPOCH, tzinfo=UTC)
    packed = io.BytesIO()
    made.save(packed)
    return _steady(packed.getvalue())


def _add_slide(made: Any, one: Mapping[str, Any]) -> None:
    slide = made.slides.add_slide(made.slide_layouts[_TITLE_ONLY])
    for block in one["blocks"]:
        _ADDED.get(block["kind"], _add_text)(slide, block)
    slide.notes_slide.notes_text_frame.text = "\n".join(map(_plain, one["notes"]))


def _add_title(slide: Slide, block: Mapping[str, Any]) -> None:
    title = slide.shapes.title
    assert title is not None  # the layout has one
    title.left, title.top, title.width, title.height = _place(block["box"], slack=1.02)
    # Of many lines one more would lie on the words below, where a program's letters are a little wider.
    many = block["box"][3] > _FEW_LINES * 1.2 * block["size"]
    _fill(title.text_frame, [{**block, "size": block["size"] * (_NARROWER if many else 1)}])


def _add_text(slide: Slide, block: Mapping[str, Any]) -> None:
    frame = slide.shapes.add_textbox(*_place(block["box"], slack=1.03)).text_frame
    _fill(frame, [block])


def _add_lines(slide: Slide, block: Mapping[str, Any]) -> None:
    frame = slide.shapes.add_textbox(*_place(block["box"], slack=1.03)).text_frame
    _fill(frame, [one for one in block["items"] if one["text"]])


def _add_list(slide: Slide, block: Mapping[str, Any]) -> None:
    frame = slide.shapes.add_textbox(*_place(block["box"], slack=1.03)).text_frame
    _fill(frame, block["items"], after=7)
    for paragraph in frame.paragraphs:
        properties = paragraph._p.get_or_add_pPr()
        properties.set("marL", str(18 * _EMU))
        properties.set("indent", str(-18 * _EMU))
        bullet = properties.makeelement(_tag("buChar"), {"char": "•"})
        properties.append(bullet)


def _add_card(slide: Slide, block: Mapping[str, Any]) -> None:
    from pptx.enum.shapes import MSO_SHAPE
    from pptx.util import Emu

    shape = slide.shapes.add_shape(MSO_SHAPE.ROUNDED_RECTANGLE, *_place(block["box"]))
    shape.adjustments[0] = 0.07
    shape.shadow.inherit = False
    shape.fill.solid()
    shape.fill.fore_color.rgb = _colour(_RAISED)
    shape.line.color.rgb = _colour(_RULE)
    shape.line.width = Emu(_EMU)
    _fill(shape.text_frame, block["items"], margin=10)


def _add_table(slide: Slide, block: Mapping[str, Any]) -> None:
    from pptx.util import Emu

    x, y, width, height = block["box"]
    if block["caption"]:
        _add_text(slide, {**block["caption"], "box": [x, y, width, block["top"]]})
    rows = block["rows"]
    place = _place([x, y + block["top"], width, height - block["top"]])
    frame = slide.shapes.add_table(len(rows), len(block["widths"]), *place)
    frame.name = _plain(block["caption"]["text"]) if block["caption"] else "Table"
    table: Any = frame.table
    _without_style(table)
    for column, wide in zip(table.columns, block["widths"], strict=True):
        column.width = Emu(round(wide * _EMU))
    for line, high in zip(table.rows, block["heights"], strict=True):
        line.height = Emu(round(high * _EMU))
    for cells, row in zip(table.rows, rows, strict=True):
        for cell, words in zip(cells.cells, row, strict=True):
            _fill(cell.text_frame, [words])
            cell.margin_left = cell.margin_right = Emu(3 * _EMU)
            cell.margin_top = cell.margin_bottom = Emu(2 * _EMU)
            cell.fill.background()
            _underline(cell)


def _add_picture(slide: Slide, block: Mapping[str, Any]) -> None:
    content = base64.b64decode(str(block["url"]).partition(",")[2])
    picture: Any = slide.shapes.add_picture(io.BytesIO(content), *_place(block["box"]))
    picture._element.nvPicPr.cNvPr.set("descr", _plain(str(block["alt"])))


_ADDED = {
    "h1": _add_title,
    "h2": _add_title,
    "lines": _add_lines,
    "ul": _add_list,
    "card": _add_card,
    "table": _add_table,
    "picture": _add_picture,
}


def _fill(frame: TextFrame, lines: Sequence[Mapping[str, Any]], *, margin: int = 0, after: int = 0) -> None:
    """Write lines into a frame as they looked."""
    from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
    from pptx.util import Emu, Pt

    frame.word_wrap = True
    frame.vertical_anchor = MSO_ANCHOR.TOP
    frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = Emu(margin * _EMU)
    for number, line in enumerate(lines):
        paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        paragraph.alignment = PP_ALIGN.RIGHT if line["right"] else PP_ALIGN.LEFT
        paragraph.space_after = Pt(after * _POINTS)
        run = paragraph.add_run()
        run.text = _plain(line["text"])
        run.font.name, run.font.size, run.font.bold = _FONT, Pt(round(line["size"] * _POINTS, 1)), line["bold"]
        run.font.color.rgb = _colour(line["colour"])


def _place(box: Sequence[float], *, slack: float = 1.0) -> tuple[Any, Any, Any, Any]:
    """Return a place in EMU; words get a little more room than the browser took, so that no line breaks sooner."""
    from pptx.util import Emu

    x, y, width, height = box
    left, top, wide, high = (Emu(round(one * _EMU)) for one in (x, y, width * slack, height))
    return left, top, wide, high


def _colour(written: str) -> Any:
    """Read ``rgb(27, 36, 49)`` as a browser writes it, or six digits."""
    from pptx.dml.color import RGBColor

    found = re.match(r"rgba?\((\d+), (\d+), (\d+)", written)
    return RGBColor(*map(int, found.groups())) if found else RGBColor.from_string(written)


def _tag(name: str) -> str:
    from pptx.oxml.ns import qn

    return str(qn(f"a:{name}"))


def _without_style(table: Any) -> None:
    """Take off the coloured bands of the template."""
    properties = table._tbl.tblPr
    for name in ("bandRow", "firstRow"):
        properties.set(name, "1" if name == "firstRow" else "0")
    style = properties.find(_tag("tableStyleId"))
    if style is not None:
        style.text = "{2D5ABB26-0587-4C30-8999-92F81FD0307C}"  # "No Style, No Grid"


def _underline(cell: Any) -> None:
    """Draw the line below a cell."""
    properties = cell._tc.get_or_add_tcPr()
    line = properties.makeelement(_tag("lnB"), {"w": str(_EMU)})
    fill = line.makeelement(_tag("solidFill"), {})
    fill.append(fill.makeelement(_tag("srgbClr"), {"val": _RULE}))
    line.append(fill)
    properties.insert(0, line)  # lines come before the fill


def _plain(text: str) -> str:
    """Return text that XML can hold: what shows nothing is written out."""
    return seen(text)


def _steady(packed: bytes) -> bytes:
    """Return an archive without the moments at which its members were written."""
    steady = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed)) as before, zipfile.ZipFile(steady, "w", zipfile.ZIP_DEFLATED) as after:
        for one in before.infolist():
            after.writestr(zipfile.ZipInfo(one.filename, _EPOCH), before.read(one), zipfile.ZIP_DEFLATED)
    return steady.getvalue()
