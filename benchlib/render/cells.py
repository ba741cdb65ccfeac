"""The cells of an executed notebook as blocks: the document that benchlib handed out, and what the author added.

Shown are Markdown cells and displayed outputs; no code, no prompt, nothing printed. Cells tagged ``remove-cell`` are
left out, outputs of cells tagged ``remove-output`` too. Raw HTML in Markdown is shown as text.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from benchlib.document.blocks import (
    DECK,
    DOCUMENT,
    Block,
    Deck,
    Document,
    Figure,
    Html,
    Panel,
    deck_from_json,
    from_json,
)
from benchlib.errors import ExportError, choices, printable
from benchlib.render.seen import inert_chart, seen

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["ANSWERS", "answers_in", "deck_in", "read_cells"]

#: The output type under which a notebook hands out its answers, and that of a plotly figure.
ANSWERS = "application/vnd.benchlib.answers+json"
PLOTLY = "application/vnd.plotly.v1+json"

_REMOVED, _EMPTIED = frozenset({"remove-cell", "papermill-error-cell-tag"}), "remove-output"
_IMAGES = ("image/svg+xml", "image/png", "image/jpeg")
_LINK = re.compile(r'<a href="(?!https?://|#)[^"]*"([^>]*)>')
_PICTURE = re.compile(r'<img src="(?!data:image/)[^"]*"(?: alt="([^"]*)")?[^>]*>')
#: Traces that would fetch maps from a server when drawn.
_NEEDS_NETWORK = re.compile(r"geo|choropleth|map(?<!heatmap)(?<!treemap)", re.IGNORECASE)


class Pages(NamedTuple):
    """What a notebook shows: blocks before its document, the document, blocks after it."""

    before: tuple[Block, ...]
    document: Document | None
    after: tuple[Block, ...]


def read_cells(notebook: NotebookNode) -> Pages:
    """Return what a notebook shows."""
    before: list[Block] = []
    after: list[Block] = []
    document: Document | None = None
    for cell in notebook.cells:
        tags = set(cell.metadata.get("tags", []))
        if tags & _REMOVED:
            continue
        if cell.cell_type not in ("code", "markdown", "raw"):
            raise ExportError(
                f"a cell is of type '{printable(str(cell.cell_type), 40)}'; a page shows code and Markdown"
            )
        side = before if document is None else after
        if cell.cell_type == "markdown":
            side.append(Html(markup=_markdown(cell.source)))
        for output in [] if cell.cell_type != "code" or _EMPTIED in tags else cell.outputs:
            if DOCUMENT in output.get("data", {}):
                document = _document(output.data[DOCUMENT])
            elif not output.get("metadata", {}).get("benchlib"):
                # What a document shows of itself in a notebook is on its page already.
                (before if document is None else after).extend(_blocks(output))
    return Pages(tuple(before), document, tuple(after))


def _document(data: Mapping[str, Any]) -> Document:
    try:
        return from_json(data)
    except msgspec.ValidationError as error:
        raise ExportError(f"the notebook hands out a document that cannot be read: {printable(str(error))}") from error


def answers_in(notebook: NotebookNode) -> dict[str, Any]:
    """Return the answers that a notebook handed out; the last output that has some wins, and none is no verdict."""
    answers = _handed_out(notebook, ANSWERS)
    return dict(answers) if isinstance(answers, dict) else {"status": "No verdict", "answer": "", "gate": ""}


def deck_in(notebook: NotebookNode) -> Deck:
    """Return the deck that a notebook handed out; the last wins."""
    deck = _handed_out(notebook, DECK)
    if deck is None:
        raise ExportError("the notebook handed out no deck; end a cell with tell.deck.deck(...), as shipped ones do")
    try:
        return deck_from_json(deck)
    except msgspec.ValidationError as error:
        raise ExportError(f"the notebook hands out a deck that cannot be read: {printable(str(error))}") from error


def _handed_out(notebook: NotebookNode, kind: str) -> Any:
    outputs = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    return next((data[kind] for data in reversed(outputs) if kind in data), None)


def _blocks(output: NotebookNode) -> Iterator[Block]:
    """Give what a page shows of one output; an output is never dropped in silence."""
    if output.output_type == "stream":
        return  # what set-up prints is no part of the report
    if output.output_type == "error":
        yield Html(markup=f'<p class="failure"><strong>{_text(output.ename)}</strong>: {_text(output.evalue)}</p>')
        return
    data = output.data
    image = next((kind for kind in _IMAGES if kind in data), "")
    if PLOTLY in data:
        yield _figure(data[PLOTLY], str(output.metadata.get("alt", "")))
    elif "text/html" in data:
        yield Html(markup=seen(data["text/html"]))
    elif "text/markdown" in data:
        yield Html(markup=_markdown(data["text/markdown"]))
    elif image:
        yield Html(markup=_image(data[image], image, str(output.metadata.get("alt", "Figure"))))
    elif ANSWERS in data or not data:
        return
    elif "text/plain" in data:
        yield Html(markup=f"<pre>{_text(data['text/plain'])}</pre>")
    else:
        raise ExportError(f"an output has only types that a page cannot show: {choices(data)}")


def _text(text: object) -> str:
    return html.escape(seen(str(text)))


def _markdown(source: str) -> str:
    """Render Markdown with raw HTML as text; links lead to the web or into the page, pictures become their words."""
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    renderer = IPythonRenderer(escape=True, allow_harmful_protocols=False, exclude_anchor_links=True)
    markup: str = MarkdownWithMath(renderer=renderer).render(seen(source))
    markup = _PICTURE.sub(lambda match: match.group(1) or "", markup)
    return _LINK.sub(r"<a\1>", markup)


def _image(content: str, kind: str, alt: str) -> str:
    """Embed an image; SVG too goes into ``<img>``, where nothing in it can run."""
    if kind == "image/svg+xml":
        content = base64.b64encode(content.encode()).decode("ascii")
    return f'<img src="data:{kind};base64,{html.escape(content.strip())}" alt="{_text(alt)}">'


def _figure(figure: Mapping[str, Any], alt: str) -> Figure:
    """Return a plotly figure of the author as a block, its title as words of the page."""
    layout = dict(figure.get("layout", {}))
    for trace in figure.get("data", []):
        kind = str(trace.get("type", "scatter"))
        if _NEEDS_NETWORK.search(kind):
            raise ExportError(f"a chart of type '{printable(kind, 40)}' fetches maps when drawn; use an offline type")
    if layout.get("images"):
        raise ExportError("a chart places images by address; a page asks the network for nothing: remove them")
    title = layout.pop("title", "")
    words = str(title.get("text", "") if isinstance(title, Mapping) else title)
    words = html.unescape(re.sub(r"<br ?/?>", " ", words))
    for key in ("template", "meta", "paper_bgcolor", "plot_bgcolor", "width"):
        layout.pop(key, None)
    chart = {"data": inert_chart(figure.get("data", [])), "layout": inert_chart(layout)}
    return Figure(finding=(words,) if words else (), panels=(Panel(chart=chart),), alt=alt or words or "Chart")
