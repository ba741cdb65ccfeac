"""An executed notebook as one offline HTML page, and the check that it is one.

    notebook -> body (nbconvert, `page_exporter`) -> anchors, table boxes -> document (`frame.html.j2`)

A page carries everything it needs. Its content security policy lets exactly two scripts run, known
by their hashes: plotly.js and ``templates/page.js``. Whatever else a name or title might smuggle in does
not run, and nothing is asked of the network.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchlib.errors import ExportError, printable
from benchlib.report.page.charts import PLOTLY, plotly_bundle, plotly_source, theme_json

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["Section", "check_page", "document", "extract_answers", "to_html"]

_PAGE = Path(__file__).with_name("templates")
_HEADING = re.compile(r"<h([123])([^>]*)>(.*?)</h\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One entry of the table of contents."""

    anchor: str
    text: str


def to_html(notebook: NotebookNode, *, title: str, subtitle: str = "", footer: str = "") -> str:
    """Turn an executed notebook into one self-contained HTML page.

    Shown are Markdown cells and displayed outputs; no code, no prompt, nothing printed. Cells tagged
    ``remove-cell`` are left out, outputs of cells tagged ``remove-output`` too. Every ``##`` heading,
    or ``<h2>`` in an output, becomes an entry of the contents; a ``#`` heading becomes the question
    under the title.

    Parameters
    ----------
    notebook : NotebookNode
    title : str
        The page's only ``<h1>``, and its title.
    subtitle, footer : str
        One line each, as text.

    Raises
    ------
    ExportError
        If an output cannot be shown offline.

    References
    ----------
    W3C Content Security Policy Level 3, sections 2.3 and 8.4 (hashes of inline scripts).
    """
    from benchlib.report.page.page_exporter import PageExporter

    exporter = PageExporter()  # type: ignore[no-untyped-call]
    body, _ = exporter.from_notebook_node(notebook)
    body, sections = _add_anchors(body, title)
    body = re.sub(r"<table\b", '<div class="table-box" tabindex="0" role="group" aria-label="Table"><table', body)
    body = body.replace("</table>", "</table></div>")
    return document(
        body,
        title=title,
        subtitle=subtitle,
        footer=footer,
        sections=sections,
        charts='class="plot" role="img"' in body,
    )


def document(
    body: str,
    *,
    title: str,
    subtitle: str = "",
    footer: str = "",
    sections: tuple[Section, ...] = (),
    charts: bool = False,
) -> str:
    """Put the frame of a page around a body: head, policy, style, contents and, for charts, plotly.

    Parameters
    ----------
    body : str
        Markup, already escaped.
    title, subtitle, footer : str
        Text.
    sections : tuple of Section
        The table of contents; empty for none.
    charts : bool
        Whether the body holds charts to draw.
    """
    from jinja2 import Environment, FileSystemLoader

    frame = Environment(loader=FileSystemLoader(_PAGE), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    script = (_PAGE / "page.js").read_text(encoding="utf-8") if charts else ""
    return frame.get_template("frame.html.j2").render(
        body=body,
        title=title,
        subtitle=subtitle,
        footer=footer,
        sections=sections,
        style=(_PAGE / "page.css").read_text(encoding="utf-8"),
        policy=_policy([script, plotly_source()] if charts else []),
        bundle=plotly_bundle() if charts else "",
        theme=theme_json() if charts else "",
        script=script,
    )


def extract_answers(notebook: NotebookNode, *, required: bool = True) -> dict[str, Any]:
    """Return the answers that a notebook handed out; the last output that has some wins.

    Raises
    ------
    ExportError
        If there are none and some are required.
    """
    from benchlib.report.page.page_exporter import ANSWERS

    found = [output["data"][ANSWERS] for output in _outputs(notebook) if ANSWERS in output.get("data", {})]
    if found and isinstance(found[-1], dict):
        return dict(found[-1])
    if required:
        raise ExportError(f"the notebook handed out no answers; one of its cells must display {ANSWERS}")
    return {}


def check_page(page: str, notebook: NotebookNode) -> None:
    """Make sure that a page is whole, offline and private before it is published.

    Parameters
    ----------
    page : str
        What `to_html` returned.
    notebook : NotebookNode
        The executed notebook that it was made from.

    Raises
    ------
    ExportError
        If a figure of the notebook is missing, if the markup would load anything or run a script that
        is not the page's own, or if a path of this machine stands in it.
    """
    reading = _PageReader()
    reading.feed(page)
    reading.close()
    if reading.faults:
        raise ExportError(f"the page is not offline: {'; '.join(reading.faults[:5])}")
    removed = {"remove-cell", "remove-output"}
    kept = [cell for cell in notebook.cells if not removed & set(cell.metadata.get("tags", []))]
    wanted = [
        output.data[PLOTLY] for cell in kept for output in _cell_outputs(cell) if PLOTLY in output.get("data", {})
    ]
    charts = [json.loads(text) for name, text in reading.data.items() if name.startswith("chart-data-")]
    if [len(one["data"]) for one in charts] != [len(one.get("data", [])) for one in wanted]:
        raise ExportError(f"the notebook shows {len(wanted)} figures, the page has {len(charts)} of them whole")
    text = "".join([*reading.words, *(text for name, text in reading.data.items() if name != "plotly-bundle")])
    for private in {str(Path.cwd()), str(Path.home())} - {"/"}:
        if re.search(rf"(?<![\w/.]){re.escape(private)}(?![\w.-])", text):
            raise ExportError(f"the page names a folder of this machine: '{printable(private)}'")


class _PageReader(HTMLParser):
    """Collect what a page would load or run, its data blocks, and its words."""

    _REFERENCES = frozenset(
        {
            "src",
            "href",
            "srcset",
            "poster",
            "data",
            "action",
            "formaction",
            "background",
            "xlink:href",
            "ping",
        }
    )
    _REFUSED = frozenset({"iframe", "object", "embed", "form", "base", "link", "applet", "frame", "portal"})
    _LOADING_STYLE = re.compile(r"@import|url\(\s*['\"]?(?!data:)", re.IGNORECASE)

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.data: dict[str, str] = {}
        self.words: list[str] = []
        self._block = ""
        self._own = (_PAGE / "page.js").read_text(encoding="utf-8")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in self._REFUSED:
            self.faults.append(f"<{tag}> stands in it")
        for name, value in given.items():
            if name.startswith("on"):
                self.faults.append(f"<{tag}> has a handler {printable(name, 40)}")
            if name in self._REFERENCES and not _harmless(tag, name, value):
                self.faults.append(f"<{tag}> refers to '{printable(value, 60)}'")
            if name == "style" and self._LOADING_STYLE.search(value):
                self.faults.append(f"<{tag}> has a style that loads '{printable(value, 60)}'")
        if tag == "meta" and given.get("http-equiv", "").lower() == "refresh":
            self.faults.append("<meta> sends the reader elsewhere")
        self._block = tag if tag == "style" else ""
        if tag == "script":
            self._block = given.get("id") or "script"
            self.data.setdefault(self._block, "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "script" and self._block == "script" and self.data.pop("script") != self._own:
            self.faults.append("a script that is not the page's own stands in it")
        if tag in ("script", "style"):
            self._block = ""

    def handle_data(self, data: str) -> None:
        if self._block == "style":
            if self._LOADING_STYLE.search(data):
                self.faults.append("its style loads something")
        elif self._block:
            self.data[self._block] += data
        else:
            self.words.append(data)


def _harmless(tag: str, name: str, value: str) -> bool:
    """Tell a reference that loads nothing: data in the page, or a link that one may click."""
    if tag == "a" and name == "href":
        return value.startswith(("#", "https://", "http://")) or not re.match(r"\s*[\w+.-]*:|\s*//|\s*/", value)
    return value.startswith(("data:image/", "#"))


def _policy(scripts: list[str]) -> str:
    """Return a content security policy under which only these scripts run and nothing is loaded."""
    hashes = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts]
    allowed = " ".join(f"'sha256-{one}'" for one in hashes) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
    )


def _add_anchors(body: str, title: str) -> tuple[str, tuple[Section, ...]]:
    """Give each heading an id; make a first-level heading the question; list the second level."""
    sections: list[Section] = []
    taken: set[str] = set()

    def anchored(found: re.Match[str]) -> str:
        level, attributes, inner = found.groups()
        text = html.unescape(_TAG.sub("", inner)).strip()
        if level == "1":
            return f'<p class="question">{inner}</p>' if text != title else ""
        present = re.search(r'\bid="([^"]*)"', attributes)
        anchor = present.group(1) if present else _unique(text, taken)
        taken.add(anchor)
        if level == "2":
            sections.append(Section(anchor=html.unescape(anchor), text=text))
        return f"<h{level}{attributes if present else f'{attributes} id={anchor!r}'}>{inner}</h{level}>"

    return _HEADING.sub(anchored, body), tuple(sections)


def _unique(text: str, taken: set[str]) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "section"
    return next(one for one in [slug, *(f"{slug}-{n}" for n in range(2, len(taken) + 3))] if one not in taken)


def _outputs(notebook: NotebookNode) -> list[Any]:
    return [output for cell in notebook.cells for output in _cell_outputs(cell)]


def _cell_outputs(cell: NotebookNode) -> list[Any]:
    return list(cell.get("outputs", []))
