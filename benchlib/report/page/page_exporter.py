"""The nbconvert exporter behind a page: cells in, body markup out."""

from __future__ import annotations

import base64
import functools
import html
import re
from pathlib import Path
from typing import Any

from benchlib.errors import ExportError, choices, printable
from benchlib.imports import without_iri_grammars
from benchlib.report.page.charts import PLOTLY, chart_markup

with without_iri_grammars():
    from nbconvert.exporters import HTMLExporter
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
    from nbformat import NotebookNode
    from traitlets import default

__all__ = ["page_exporter"]

#: The output type under which a notebook hands out its answers; data for programs, never shown.
ANSWERS = "application/vnd.benchlib.answers+json"

#: Tags of cells that a page leaves out, and of those whose outputs it leaves out.
_REMOVED, _EMPTIED = frozenset({"remove-cell", "papermill-error-cell-tag"}), "remove-output"

#: Types of cells; a page shows nothing of a raw one.
_CELLS = ("code", "markdown", "raw")

_IMAGES = ("image/svg+xml", "image/png", "image/jpeg")
_LINK = re.compile(r'<a href="(?!https?://|#)[^"]*"([^>]*)>')
_PICTURE = re.compile(r'<img src="(?!data:image/)[^"]*"(?: alt="([^"]*)")?[^>]*>')


def shown(output: NotebookNode) -> str:
    """Return how a page shows an output: "" is not at all.

    Raises
    ------
    ExportError
        If the page has no way to show it: an output is never dropped in silence.
    """
    if output.output_type == "stream":
        return ""  # what set-up prints is no part of the report
    if output.output_type == "error":
        return "failure"
    data = output.data
    if PLOTLY in data:
        return "chart"
    if "text/html" in data:
        return "html"
    if "text/markdown" in data:
        return "markdown"
    if any(one in data for one in _IMAGES):
        return "image"
    if ANSWERS in data or not data:
        return ""
    if "text/plain" in data:
        return "text"
    raise ExportError(f"an output has only types that a page cannot show: {choices(data)}")


class PageExporter(HTMLExporter):
    """Render the cells of a notebook through ``templates/index.html.j2``; `figures` holds those of the last one.

    Raw HTML in Markdown is shown as text: titles and names that come from a study stay words.
    Markup comes from ``text/html`` outputs, whose writers have escaped what they were given.
    """

    @default("template_name")
    def _own_template(self) -> str:
        return "templates"

    @default("extra_template_basedirs")
    def _own_folder(self) -> list[str]:
        return [str(Path(__file__).parent)]

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.figures: list[dict[str, Any]] = []
        filters = {
            "shown": shown,
            "chart": self._chart,
            "image": _image,
            "quiet_links": _quiet_links,
            "markdown2html": _markdown,
        }
        for name, convert in filters.items():
            self.register_filter(name, convert)  # type: ignore[no-untyped-call]

    def from_notebook_node(  # type: ignore[override]  # as HTMLExporter itself does
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **options: Any
    ) -> tuple[str, dict[str, Any]]:
        """Return the body of a page, and the resources as they were given."""
        # Not nbconvert's own: it copies the whole notebook twice for its preprocessors, of which only the removal of
        # tagged cells has anything to do here, and then parses and writes the whole page again with BeautifulSoup.
        self.figures = []
        cells = [_with_outputs(one) for one in nb.cells if not _REMOVED & _tags(one)]
        body: str = self.template.render(nb=NotebookNode(nb, cells=cells))
        return body.lstrip("\r\n"), resources or {}

    def _chart(self, output: NotebookNode) -> str:
        figure = output.data[PLOTLY]
        self.figures.append(figure)
        return chart_markup(figure, len(self.figures))


@functools.cache
def page_exporter() -> PageExporter:
    """Return the exporter of this process, and of those that it forks: its template is found and compiled once."""
    return PageExporter()


def _tags(cell: NotebookNode) -> set[str]:
    return set(cell.get("metadata", {}).get("tags", []))


def _with_outputs(cell: NotebookNode) -> NotebookNode:
    """Return a cell with the outputs of it that are to be shown."""
    if cell.cell_type not in _CELLS:
        raise ExportError(f"a cell is of type '{printable(str(cell.cell_type), 40)}'; accepted: {choices(_CELLS)}")
    return NotebookNode(cell, outputs=[]) if _EMPTIED in _tags(cell) and "outputs" in cell else cell


def _markdown(source: str) -> str:
    """Render Markdown with raw HTML as text and without harmful links."""
    renderer = IPythonRenderer(escape=True, allow_harmful_protocols=False, exclude_anchor_links=True)
    rendered: str = MarkdownWithMath(renderer=renderer).render(source)
    return rendered


def _quiet_links(markup: str) -> str:
    """Keep links to the web and inside the page; turn pictures from elsewhere into their words."""
    markup = _PICTURE.sub(lambda found: found.group(1) or "", markup)
    return _LINK.sub(r"<a\1>", markup)


def _image(output: NotebookNode) -> str:
    """Embed an image; SVG too goes into ``<img>``, where nothing in it can run."""
    kind = next(one for one in _IMAGES if one in output.data)
    content = output.data[kind]
    if kind == "image/svg+xml":
        content = base64.b64encode(content.encode()).decode("ascii")
    alt = html.escape(str(output.metadata.get("alt", "Figure")))
    return f'<img src="data:{kind};base64,{html.escape(content.strip())}" alt="{alt}">'
