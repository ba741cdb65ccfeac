"""A document as one offline page: the first screen, the sections, their data, and the scripts that show it.

The content security policy names the scripts by their hashes: nothing else runs, and nothing is asked of the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

from benchlib.render.html import HtmlWriter, tag
from benchlib.report.page.packing import pack
from benchlib.report.page.plotly_bundle import choose_bundle
from benchlib.report.page.policy import policy_of, script_hash
from benchlib.report.page.seen import seen
from benchlib.tell.document import Document

__all__ = ["asset", "offline_html", "page"]

_TEMPLATES = Path(__file__).with_name("templates")


def page(document: Document, *, footer: str = "", css: str = "", logo: str = "") -> str:
    """Return the page of a document."""
    writer = HtmlWriter()
    answer = writer.first_screen(document)
    sections = [writer.section(section) for section in document.sections]
    contents = tag(
        "nav",
        tag("a", "Answer", href="#answer"),
        *(tag("a", section.title, href=f"#{section.anchor}") for section in document.sections),
        css="contents",
        aria_label="Contents",
    )
    picture = [tag("img", css="logo", src=logo, alt="Logo")] if logo else []
    foot = tag(
        "footer",
        *([tag("p", footer)] if footer else []),
        tag("p", "One file: opening it asks the network for nothing."),
    )
    body = contents + tag("main", *picture, answer, *sections, Markup(foot))
    return offline_html(document.title, body, writer, style=asset("page.css") + css, scripts=["page.js"])


def offline_html(title: str, body: Markup, writer: HtmlWriter, *, style: str, scripts: Sequence[str]) -> str:
    """Return the one file around a body: its data, plotly.js where it draws, and scripts of the templates."""
    data: dict[str, Any] = {"charts": writer.charts, "evidence": writer.evidence}
    kinds = {trace.get("type", "scatter") for chart in writer.charts for trace in chart["data"]}
    bundle = choose_bundle(sorted(kinds)) if writer.charts else None
    written = [asset(name) for name in scripts]
    hashes = [*map(script_hash, written), *([bundle.sha256] if bundle else [])]
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy_of(hashes)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<meta name="referrer" content="no-referrer">',
            tag("title", title),
            f"<style>\n{style}</style>",
            "</head>",
            "<body>",
            seen(body),
            f'<script type="text/plain" id="page-data">{pack(data)}</script>',
            f'<script type="text/plain" id="plotly-bundle">{bundle.packed}</script>' if bundle else "",
            *(f"<script>{script}</script>" for script in written),
            "</body>",
            "</html>",
        ]
    )


@cache
def asset(name: str) -> str:
    """Return a template as it is written."""
    return (_TEMPLATES / name).read_text(encoding="utf-8")
