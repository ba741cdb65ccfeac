"""An executed notebook as one offline HTML page.

    notebook -> body (nbconvert, `page_exporter`) -> anchors, evidence (`citing`), tables (`folding`)
             -> document (`templates/frame.html.j2`) with its data (`packing`) and plotly.js (`plotly_bundle`)

A page carries everything it needs. Its content security policy lets only those scripts run that it
knows by their hashes: plotly.js and the page's own (``templates/scripts``). Whatever else a name or title might
smuggle in does not run, and nothing is asked of the network.
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchlib.errors import ExportError
from benchlib.report.page.charts import theme, tidy_figure, trace_types
from benchlib.report.page.checking import check_page
from benchlib.report.page.citing import cite
from benchlib.report.page.folding import fold_tables
from benchlib.report.page.packing import pack
from benchlib.report.page.plotly_bundle import Bundle, choose_bundle
from benchlib.report.page.policy import policy_of, script_hash
from benchlib.report.page.scripts import opening_script, page_script, what_if_script
from benchlib.report.page.seen import seen
from benchlib.report.page.template import FRAME, own_style, render
from benchlib.report.page.what_if_page import has_what_if, what_if_style

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from benchlib.report.page.style import Style

__all__ = ["check_page", "document", "extract_answers", "prepare", "to_html"]

_HEADING = re.compile(r"<h([123])([^>]*)>(.*?)</h\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One entry of the table of contents."""

    anchor: str
    text: str


@functools.cache
def prepare() -> None:
    """Do once what every page needs, whatever it shows: while cells run elsewhere, there is time for it."""
    from nbformat.v4 import new_notebook

    to_html(new_notebook(), title="")
    choose_bundle(["scatter"])


def to_html(
    notebook: NotebookNode,
    *,
    title: str,
    subtitle: str = "",
    footer: str = "",
    style: Style | None = None,
) -> str:
    """Turn an executed notebook into one self-contained HTML page.

    Shown are Markdown cells and displayed outputs; no code, no prompt, nothing printed. Cells tagged
    ``remove-cell`` are left out, outputs of cells tagged ``remove-output`` too. Every ``##`` heading,
    or ``<h2>`` in an output, becomes an entry of the contents; a ``#`` heading becomes the question
    under the title. What words say of their evidence is taken from the notebook's answers.

    Parameters
    ----------
    notebook : NotebookNode
    title : str
        The page's only ``<h1>``, and its title.
    subtitle, footer : str
        One line each, as text.
    style : Style, optional

    Raises
    ------
    ExportError
        If an output cannot be shown offline, or a number is traced to what the answers do not hold.

    References
    ----------
    W3C Content Security Policy Level 3, sections 2.3 and 8.4 (hashes of inline scripts).
    """
    from benchlib.report.page.page_exporter import page_exporter

    exporter = page_exporter()
    body, _ = exporter.from_notebook_node(notebook)
    body, sections = _add_anchors(seen(body), title)
    body, evidence = cite(body, extract_answers(notebook, required=False))
    body, rows = fold_tables(body)
    figures = exporter.figures
    data = {"charts": [tidy_figure(one) for one in figures], "evidence": evidence, "rows": rows}
    alive = bool(figures or evidence or "<table" in body)
    return document(
        body,
        title=title,
        subtitle=subtitle,
        footer=footer,
        sections=sections,
        data={**data, "theme": theme()} if alive else None,
        bundle=choose_bundle(kind for one in figures for kind in trace_types(one)) if figures else None,
        script=what_if_script() if has_what_if(body) else "",
        style=style,
    )


def document(
    body: str,
    *,
    title: str,
    subtitle: str = "",
    footer: str = "",
    sections: tuple[Section, ...] = (),
    data: Mapping[str, Any] | None = None,
    bundle: Bundle | None = None,
    script: str = "",
    style: Style | None = None,
) -> str:
    """Put the frame of a page around a body: head, policy, style, contents, scripts and what they read.

    Parameters
    ----------
    body : str
        Markup, already escaped.
    title, subtitle, footer : str
        Text.
    sections : tuple of Section
        The table of contents; empty for none.
    data : mapping, optional
        What the page's script draws and shows; see ``templates/scripts``.
    bundle : Bundle, optional
        The plotly.js that draws its charts.
    script : str
        A script of this page beside those of all pages.
    style : Style, optional
    """
    own = page_script() if data is not None else ""
    opening = opening_script() if own else ""
    hashes = [script_hash(one) for one in (opening, own, script) if one] + ([bundle.sha256] if bundle else [])
    rules = [own_style("logo.css")] if style and style.logo else []
    rules += [style.css] if style and style.css else []
    return seen(
        render(
            FRAME,
            body=body,
            title=title,
            subtitle=subtitle,
            footer=footer,
            sections=sections,
            style="\n".join([own_style(), *([what_if_style()] if has_what_if(body) else []), *rules]),
            logo=style.logo if style else "",
            policy=policy_of(hashes),
            data=pack(data) if data is not None else "",
            bundle=bundle.packed if bundle else "",
            scripts=[one for one in (own, script) if one],
            opening=opening,
            ready=not own,
            evidence=bool(data and data.get("evidence")),
        )
    )


def extract_answers(notebook: NotebookNode, *, required: bool = True) -> dict[str, Any]:
    """Return the answers that a notebook handed out; the last output that has some wins.

    Raises
    ------
    ExportError
        If there are none and some are required.
    """
    from benchlib.report.page.page_exporter import ANSWERS

    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    found = [output["data"][ANSWERS] for output in outputs if ANSWERS in output.get("data", {})]
    if found and isinstance(found[-1], dict):
        return dict(found[-1])
    if required:
        raise ExportError(
            "the notebook handed out no answers; end it with report.record(summary), as shipped ones do, "
            f"or display answers of your own as {ANSWERS} (docs/reports.md)"
        )
    return {}


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
