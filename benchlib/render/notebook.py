"""Documents, decks and figures in a notebook: what a reader sees there and in its exports, and the data for the page.

Formatters are registered by type name, so that importing benchlib in a notebook imports no answer before it is used.
"""

from __future__ import annotations

import textwrap
from typing import Any

from markupsafe import Markup

from benchlib.answers.serialise import to_dict
from benchlib.document.blocks import DECK, DOCUMENT, Deck, Document, Figure, Fold, to_json
from benchlib.document.numbers import words_of
from benchlib.errors import printable
from benchlib.render.cells import ANSWERS, PLOTLY
from benchlib.render.html import HtmlWriter, tag
from benchlib.render.page import asset
from benchlib.render.panels import Theme, one_chart
from benchlib.render.seen import seen
from benchlib.render.svg import picture, svg
from benchlib.render.terminal import terminal

__all__ = ["alt_of", "figure_bundle", "figure_words", "show_deck", "show_document"]

#: Letters that stand for a figure, and of a line of them.
_MOST_WORDS, _LETTERS = 600, 120


def show_document(document: Document) -> None:
    """Display a document: its first screen and sections, its chart by plotly, and its data for the page."""
    from IPython.display import display

    writer = _StillWriter()
    said = writer.first_screen(document, with_figure=False)
    sections = [writer.section(section) for section in document.sections]
    answers = {ANSWERS: to_dict(document.answers)} if document.answers else {}
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
    answers = {ANSWERS: to_dict(deck.answers)} if deck.answers else {}
    markup = _scoped(tag("ol", *(tag("li", title) for title in titles)))
    plain = "\n".join(f"{number}. {title}" for number, title in enumerate(titles, 1))
    display({DECK: to_json(deck), "text/html": markup, "text/plain": plain, **answers}, raw=True)


def _show_figure(figure: Figure) -> None:
    from IPython.display import display

    data, metadata = figure_bundle(figure)
    display(data, raw=True, metadata={**metadata, "benchlib": True})


def figure_bundle(
    figure: Figure, theme: Theme = "light", *, moving: bool = True
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a front end may choose from, and the words for those who cannot see it.

    Lab takes plotly (``moving``), nbconvert the image in markup, GitHub the drawing, a terminal the words.
    """
    chart, alt = one_chart(figure, theme), alt_of(figure)
    drawn = svg(chart, alt=alt)
    data: dict[str, Any] = {PLOTLY: {**chart, "config": {"displaylogo": False}}} if moving else {}
    data |= {"image/svg+xml": drawn, "text/html": str(picture(drawn, alt)), "text/plain": figure_words(figure)}
    return data, {"alt": alt, "image/svg+xml": {"alt": alt}}


def figure_words(figure: Figure) -> str:
    """Return at most 12 lines that stand for a figure where none can be drawn."""
    words = ". ".join(filter(None, (words_of(figure.finding), alt_of(figure))))
    return "\n".join(textwrap.wrap(printable(f"Chart: {words}", _MOST_WORDS), _LETTERS))


def alt_of(figure: Figure) -> str:
    """Return what a figure shows, in words, for those who cannot see it."""
    return printable(seen(figure.alt), _MOST_WORDS)


class _StillWriter(HtmlWriter):
    """Writes figures as images and folds as they are: in a notebook no script of a page draws or unpacks them."""

    def figure(self, figure: Figure) -> Markup:
        """Write a figure as an image."""
        return tag("figure", picture(svg(one_chart(figure), alt=alt_of(figure)), alt_of(figure)))

    def _fold(self, fold: Fold) -> Markup:
        return tag("details", tag("summary", self.text(fold.line)), self.blocks(fold.blocks), id=fold.anchor)


def _scoped(*parts: Any) -> str:
    """Return markup whose style reaches nothing else of the notebook."""
    rules = asset("page.css").replace(":root", ":scope").replace("body {", ":scope {")
    style = f"<style>@scope (.benchlib) {{ {rules} }}</style>"
    return style + str(tag("div", *parts, css="benchlib"))
