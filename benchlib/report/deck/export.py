"""An executed notebook as one offline deck: every cell that is a slide and shows something is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchlib.errors import ExportError
from benchlib.report.deck.reveal import reveal_bundle, reveal_css
from benchlib.report.page.charts import theme, tidy_figure, trace_types
from benchlib.report.page.citing import cite
from benchlib.report.page.export import extract_answers
from benchlib.report.page.packing import pack
from benchlib.report.page.plotly_bundle import choose_bundle
from benchlib.report.page.policy import policy_of, script_hash
from benchlib.report.page.scripts import deck_script, what_if_script
from benchlib.report.page.seen import seen
from benchlib.report.page.template import own_style, render
from benchlib.report.page.what_if_page import has_what_if, what_if_style

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["to_deck"]

#: The frame of a deck.
DECK = "deck.html.j2"


def to_deck(notebook: NotebookNode, *, title: str, footer: str = "") -> str:
    """Turn an executed notebook into a deck of slides: one HTML file that asks the network for nothing.

    A slide is a cell that says so in its metadata, as Jupyter does (``slideshow.slide_type``), and shows
    something. The ``aside class="notes"`` of a slide holds the speaker's notes.

    Parameters
    ----------
    notebook : NotebookNode
    title : str
    footer : str
        One line, as text, at the foot of every slide.

    Raises
    ------
    ExportError
        If no cell is a slide, an output cannot be shown offline, or a number is traced to what the answers do not
        hold.
    """
    from benchlib.report.page.page_exporter import page_exporter

    slides = slides_of(notebook)
    exporter = page_exporter()
    body, _ = exporter.from_notebook_node(slides)
    body, evidence = cite(_headed(seen(body)), extract_answers(notebook, required=False))
    figures = [tidy_figure(one) for one in exporter.figures]
    plotly = choose_bundle(kind for one in figures for kind in trace_types(one)) if figures else None
    moved = has_what_if(body)
    scripts = [deck_script(), *([what_if_script()] if moved else [])]
    reveal = reveal_bundle()
    hashes = [*map(script_hash, scripts), reveal.sha256, *([plotly.sha256] if plotly else [])]
    return seen(
        render(
            DECK,
            body=body,
            title=title,
            footer=footer,
            style=own_style() + (what_if_style() if moved else ""),
            reveal_style=reveal_css(),
            deck_style=own_style("deck.css"),
            policy=policy_of(hashes),
            data=pack({"charts": figures, "evidence": evidence, "rows": [], "theme": theme()}),
            reveal=reveal.packed,
            plotly=plotly.packed if plotly else "",
            scripts=scripts,
        )
    )


def slides_of(notebook: NotebookNode) -> NotebookNode:
    """Return a notebook of the slides alone.

    Raises
    ------
    ExportError
        If there are none.
    """
    from nbformat import NotebookNode

    found = [one for one in notebook.cells if _is_slide(one)]
    if not found:
        raise ExportError("the notebook has no slides; mark a cell as one: slideshow, slide_type 'slide'")
    return NotebookNode(notebook, cells=found)


def _is_slide(cell: NotebookNode) -> bool:
    """Tell a slide: a section without anything to say shows an empty output, and is none."""
    from benchlib.report.page.page_exporter import shown

    if cell.metadata.get("slideshow", {}).get("slide_type") != "slide":
        return False
    outputs = [one for one in cell.get("outputs", []) if shown(one)]
    return cell.cell_type == "markdown" or any(shown(one) != "html" or one.data["text/html"].strip() for one in outputs)


def _headed(body: str) -> str:
    """Make the heading of the first slide that of the deck."""
    return body.replace("<h2", "<h1", 1).replace("</h2>", "</h1>", 1)
