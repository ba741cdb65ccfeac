"""A deck as one offline HTML file: slides of 1280 by 720 pixels, below each other, one a sheet on paper.

A pixel of a slide is 0.75 pt of a sheet 13.33 inches wide, so that 19 pixels are the 14 pt below which nothing is set.
Keys: arrows, space and page keys turn slides, S shows what the speaker says.
"""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from benchlib.document.blocks import Block, Deck, Figure, Panel, Slide
from benchlib.render.html import HtmlWriter, tag
from benchlib.render.page import frame

__all__ = ["slides"]

#: By how much a chart of a page is larger on a slide: its labels of 12 pixels become 14 pt.
_LARGER = 1.56
#: What of a chart grows, wherever it stands in it.
_SIZES = ("size", "xshift", "yshift", "l", "r", "t", "b")
#: A title of more letters is set smaller.
_LONG = 170
#: Pixels that a chart may take: the slide less its title and foot.
_TALLEST = 470.0


def slides(deck: Deck) -> str:
    """Return the HTML of a deck."""
    writer = HtmlWriter()
    every = [*deck.slides, *deck.appendix]
    frames = []
    for place, slide in enumerate(every):
        foot = f"{deck.title} · {'appendix' if place >= len(deck.slides) else ''} {place + 1}".replace("  ", " ")
        about = " · ".join(deck.about[1:]) if place == 0 else ""
        frames.append(_frame(writer, slide, number=place + 1, foot=foot, about=about))
    scripts = ("page.js", "what_if.js", "deck.js")
    return frame(tag("main", *frames), writer, title=deck.title, sheets=("page.css", "deck.css"), scripts=scripts)


def _frame(writer: HtmlWriter, slide: Slide, *, number: int, foot: str, about: str) -> Markup:
    notes = tag("aside", *(tag("p", writer.text(note)) for note in slide.notes if note), css="notes-spoken")
    title = writer.text(slide.title)
    sheet = tag(
        "div",
        tag("p", about, css="about-line") if about else "",
        tag("h1" if number == 1 else "h2", title, css="long" if len(title.striptags()) > _LONG else ""),
        writer.blocks(_fitted(block) for block in slide.blocks),
        tag("p", foot, css="foot"),
        css="slide",
    )
    return tag("section", sheet, notes, css="frame", id=f"slide-{number}")


def _fitted(block: Block) -> Block:
    """Return a figure as large as a slide asks for; every other block as it is."""
    if not isinstance(block, Figure):
        return block
    panels = tuple(Panel(chart=_large(panel.chart), title=panel.title, line=panel.line) for panel in block.panels)
    return Figure(finding=block.finding, panels=panels, alt=block.alt, note=block.note)


def _large(chart: dict[str, Any]) -> dict[str, Any]:
    larger = _grown(chart)
    height = min(_LARGER * chart["layout"].get("height", 300), _TALLEST)
    return {**larger, "layout": {**larger["layout"], "height": height}}


def _grown(part: Any) -> Any:
    if isinstance(part, dict):
        return {
            key: round(_LARGER * value, 1) if key in _SIZES and isinstance(value, int | float) else _grown(value)
            for key, value in part.items()
        }
    return [_grown(each) for each in part] if isinstance(part, list | tuple) else part
