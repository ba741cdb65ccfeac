"""The nbconvert exporter behind a page: cells in, body markup out."""

from __future__ import annotations

import base64
import html
import re
from pathlib import Path
from typing import Any

from benchlib.errors import ExportError, choices
from benchlib.report.page.charts import PLOTLY, chart_markup
from benchlib.report.running.imports import without_iri_grammars

with without_iri_grammars():
    from jinja2.bccache import Bucket, BytecodeCache
    from nbconvert.exporters import HTMLExporter, TemplateExporter
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
    from nbformat import NotebookNode
    from traitlets import default
    from traitlets.config import Config

__all__ = ["ANSWERS", "PageExporter", "shown"]

#: The output type under which a notebook hands out its answers; data for programs, never shown.
ANSWERS = "application/vnd.benchlib.answers+json"

#: What is most of a notebook's bytes.
_HEAVY = frozenset({ANSWERS, PLOTLY})

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


class _Compiled(BytecodeCache):
    """The compiled template, for the exporters of this process and of those that it forks."""

    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give a template its code, if it was compiled before."""
        if bucket.key in self._known:
            bucket.bytecode_from_string(self._known[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template."""
        self._known[bucket.key] = bucket.bytecode_to_string()


_COMPILED = _Compiled()


class PageExporter(HTMLExporter):
    """Render the cells of a notebook through ``templates/index.html.j2``; `figures` holds the figures it met.

    Raw HTML in Markdown is shown as text: titles and names that come from a study stay words.
    Markup comes from ``text/html`` outputs, whose writers have escaped what they were given.
    """

    @default("template_name")
    def _own_template(self) -> str:
        return "templates"

    @default("extra_template_basedirs")
    def _own_folder(self) -> list[str]:
        return [str(Path(__file__).parent)]

    @property
    def default_config(self) -> Config:
        """What nbconvert's own preprocessors do: cells and outputs with these tags go."""
        tags = {
            "enabled": True,
            "remove_cell_tags": {"remove-cell", "papermill-error-cell-tag"},
            "remove_all_outputs_tags": {"remove-output"},
        }
        # Of nbconvert's own, only this one has anything to do; each copies and validates the whole notebook.
        own = {"default_preprocessors": ["nbconvert.preprocessors.TagRemovePreprocessor"]}
        config = Config({"TagRemovePreprocessor": tags, "PageExporter": own})
        inherited: Config = super().default_config.copy()
        inherited.merge(config)
        return inherited

    def from_notebook_node(  # type: ignore[override]  # as HTMLExporter itself does
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **options: Any
    ) -> tuple[str, dict[str, Any]]:
        """Return the body of a page, and nbconvert's resources."""
        # Not HTMLExporter's own: it parses and writes the whole page again with BeautifulSoup.
        self.figures: list[dict[str, Any]] = []
        self._aside: list[dict[str, Any]] = []
        filters = {
            "shown": shown,
            "chart": self._chart,
            "image": _image,
            "quiet_links": _quiet_links,
            "markdown2html": _markdown,
        }
        self.environment.bytecode_cache = _COMPILED
        for name, convert in filters.items():
            self.register_filter(name, convert)  # type: ignore[no-untyped-call]
        converted: tuple[str, dict[str, Any]] = TemplateExporter.from_notebook_node(
            self,
            self._light(nb),
            self._init_resources(resources),  # type: ignore[no-untyped-call]
            **options,
        )
        return converted

    def _chart(self, output: NotebookNode) -> str:
        figure = self._aside[output.data[PLOTLY]]
        self.figures.append(figure)
        return chart_markup(figure, len(self.figures))

    def _light(self, notebook: NotebookNode) -> NotebookNode:
        """Return a notebook without its answers, and with a number for each figure: nbconvert copies all, twice."""
        return NotebookNode(notebook, cells=[self._light_cell(cell) for cell in notebook.cells])

    def _light_cell(self, cell: NotebookNode) -> NotebookNode:
        if not any(_HEAVY & output.get("data", {}).keys() for output in cell.get("outputs", [])):
            return cell
        return NotebookNode(cell, outputs=[self._light_output(output) for output in cell.outputs])

    def _light_output(self, output: NotebookNode) -> NotebookNode:
        data = NotebookNode(output.get("data", {}))
        if ANSWERS in data:
            data[ANSWERS] = {}  # the type stays: what stands beside it in words is not shown either
        if PLOTLY in data:
            self._aside.append(data[PLOTLY])
            data[PLOTLY] = len(self._aside) - 1
        return NotebookNode(output, data=data) if _HEAVY & data.keys() else output


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
