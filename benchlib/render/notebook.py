"""A document in a notebook: its first screen as HTML, its chart by plotly, and its data for the page."""

from __future__ import annotations

from benchlib.render.cells import ANSWERS, PLOTLY
from benchlib.render.html import HtmlWriter, tag
from benchlib.render.page import asset
from benchlib.render.seen import inert_chart
from benchlib.render.terminal import terminal
from benchlib.tell.document import DOCUMENT, Document, to_json

__all__ = ["show"]


def show(document: Document) -> None:
    """Display a document: what a page is made from, and what a reader of the notebook sees."""
    from IPython.display import display

    writer = HtmlWriter()
    style = tag("style", asset("page.css"))
    said = writer.first_screen(document, with_figure=False)
    sections = [writer.section(section) for section in document.sections]
    answers = {ANSWERS: document.answers} if document.answers else {}
    data = {
        DOCUMENT: to_json(document),
        "text/html": str(tag("div", style, said, *sections, css="benchlib")),
        "text/plain": terminal(document),
        **answers,
    }
    display(data, raw=True)
    for panel in document.figure.panels if document.figure is not None else ():
        display(
            {PLOTLY: inert_chart(panel.chart), "text/plain": panel.title or "chart"},
            raw=True,
            metadata={"benchlib": True},
        )
