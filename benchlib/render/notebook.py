"""Documents and answers in a notebook: what a reader sees there, and the data for the page.

Formatters are registered by type name, so that importing benchlib in a notebook imports no answer before it is used.
"""

from __future__ import annotations

from typing import Any

from benchlib.document.blocks import DECK, DOCUMENT, Deck, Document, Figure, to_json
from benchlib.document.numbers import words_of
from benchlib.render.cells import ANSWERS, PLOTLY
from benchlib.render.html import HtmlWriter, tag
from benchlib.render.page import asset
from benchlib.render.seen import inert_chart
from benchlib.render.terminal import terminal

__all__ = ["show_deck", "show_document"]


def show_document(document: Document) -> None:
    """Display a document: its first screen and sections, its chart by plotly, and its data for the page."""
    from IPython.display import display

    writer = HtmlWriter()
    said = writer.first_screen(document, with_figure=False)
    sections = [writer.section(section) for section in document.sections]
    answers = {ANSWERS: document.answers} if document.answers else {}
    data = {
        DOCUMENT: to_json(document),
        "text/html": _scoped(said, *sections),
        "text/plain": terminal(document),
        **answers,
    }
    display(data, raw=True)
    if document.figure is not None:
        _show_figure(document.figure)


def show_deck(deck: Deck) -> None:
    """Display a deck: the titles of its slides, and its data for the files."""
    from IPython.display import display

    titles = [words_of(slide.title) for slide in (*deck.slides, *deck.appendix)]
    answers = {ANSWERS: deck.answers} if deck.answers else {}
    markup = _scoped(tag("ol", *(tag("li", title) for title in titles)))
    plain = "\n".join(f"{number}. {title}" for number, title in enumerate(titles, 1))
    display({DECK: to_json(deck), "text/html": markup, "text/plain": plain, **answers}, raw=True)


def _show_figure(figure: Figure) -> None:
    from IPython.display import display

    for panel in figure.panels:
        data = {PLOTLY: inert_chart(panel.chart), "text/plain": panel.title or figure.alt}
        display(data, raw=True, metadata={"benchlib": True})


def _scoped(*parts: Any) -> str:
    """Return markup whose style reaches nothing else of the notebook."""
    rules = asset("page.css").replace(":root", ":scope").replace("body {", ":scope {")
    style = f"<style>@scope (.benchlib) {{ {rules} }}</style>"
    return style + str(tag("div", *parts, css="benchlib"))
