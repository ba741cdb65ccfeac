"""A document, or the notebook that hands it out, as one offline page.

The content security policy names the scripts by their hashes: nothing else runs, and nothing is asked of the network.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from benchlib.document.blocks import Block, Document
from benchlib.render.bundle import choose_bundle, is_bundle
from benchlib.render.cells import read_cells
from benchlib.render.html import HtmlWriter, tag
from benchlib.render.packing import pack, policy_of, script_hash
from benchlib.render.seen import seen

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from benchlib.render.style import Style

__all__ = ["frame", "notebook_page", "page"]

_TEMPLATES = Path(__file__).with_name("templates")
_COMMENTS = re.compile(r"^\s*(?://.*|/\*.*\*/\s*)\n", re.MULTILINE)


def notebook_page(notebook: NotebookNode, *, title: str, footer: str = "", style: Style | None = None) -> str:
    """Return the page of an executed notebook: its document, and around it what else its cells show."""
    cells = read_cells(notebook)
    return page(cells.document, title=title, before=cells.before, after=cells.after, footer=footer, style=style)


def page(
    document: Document | None,
    *,
    title: str = "",
    before: Iterable[Block] = (),
    after: Iterable[Block] = (),
    footer: str = "",
    style: Style | None = None,
) -> str:
    """Return the page of a document, or of blocks alone under a title."""
    writer = HtmlWriter()
    body = [writer.block(block) for block in before]
    contents = Markup("")
    if document is None:
        if not any("<h1" in part for part in body[:1]):  # the notebook's own title is the title
            body.insert(0, tag("h1", title))
    else:
        title = title or document.title
        body.append(writer.first_screen(document))
        body += [writer.section(section) for section in document.sections]
        links = [tag("a", section.title, href=f"#{section.anchor}") for section in document.sections]
        contents = tag("nav", tag("a", "Answer", href="#answer"), *links, css="contents", aria_label="Contents")
    body += [writer.block(block) for block in after]
    return frame(contents + sheet(body, footer=footer, style=style), writer, title=title, style=style)


def sheet(body: Iterable[str], *, footer: str = "", style: Style | None = None) -> Markup:
    """Return the main part of a page: a logo where there is one, the body, and the foot."""
    logo = [tag("img", css="logo", src=style.logo, alt="Logo")] if style and style.logo else []
    closing = [tag("p", footer)] if footer else []
    closing.append(tag("p", "One file: opening it asks the network for nothing."))
    return tag("main", *logo, *body, tag("footer", *closing))


def frame(
    body: str,
    writer: HtmlWriter,
    *,
    title: str,
    sheets: Sequence[str] = ("page.css",),
    scripts: Sequence[str] = ("page.js",),
    style: Style | None = None,
) -> str:
    """Return the one file around a body: head, policy, style, the data of its writer, plotly.js, scripts."""
    data = {"charts": writer.charts, "evidence": _visible(writer.evidence), "rows": _visible(writer.rows)}
    kinds = sorted({str(trace.get("type", "scatter")) for chart in writer.charts for trace in chart["data"]})
    bundle = choose_bundle(kinds) if writer.charts else None
    written = [asset(name) for name in scripts]
    hashes = [*map(script_hash, written), *([bundle.sha256] if bundle else [])]
    rules = "".join(map(asset, sheets)) + (style.css if style else "")
    parts = [
        f'{_HEAD}{policy_of(hashes)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="referrer" content="no-referrer">',
        tag("title", title),
        f"<style>\n{rules}</style>",
        "</head>",
        "<body>",
        body,
        f'<script type="text/plain" id="page-data">{pack(data)}</script>',
        *([f'<script type="text/plain" id="plotly-bundle">{bundle.packed}</script>'] if bundle else []),
        *(f"<script>{script}</script>" for script in written),
        "</body>",
        "</html>",
    ]
    return seen("\n".join(parts) + "\n")


#: How a page begins, up to its policy; and what stands in the head alone: elements that no policy holds back.
_HEAD = (
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    '<meta http-equiv="Content-Security-Policy" content="'
)
_OF_THE_HEAD = re.compile(r"<(?:meta|link|base)\b", re.IGNORECASE)


def is_bound(page: str) -> bool:
    """Tell whether a page begins as one of benchlib's: by its policy nothing else runs, and nothing is loaded.

    That is no full check (`benchlib.render.check`), which takes fifty times as long.
    """
    policy = page.removeprefix(_HEAD).partition('"')[0]
    hashes = re.findall(r"'sha256-([^']+)'", policy)
    ours = {script_hash(asset(path.name)) for path in _TEMPLATES.glob("*.js")}
    known = all(sha256 in ours or is_bundle(sha256) for sha256 in hashes)
    whole = page.startswith(_HEAD) and policy == policy_of(hashes) and known
    return whole and len(_OF_THE_HEAD.findall(page)) == _HEAD.count("<meta") + 3


def _visible(part: Any) -> Any:
    """Return data with every text as it is seen: packed, it would escape what the page's own text goes through."""
    if isinstance(part, str):
        return seen(part)
    if isinstance(part, dict):
        return {key: _visible(value) for key, value in part.items()}
    return [_visible(value) for value in part] if isinstance(part, list) else part


@cache
def asset(name: str) -> str:
    """Return a style sheet or script of the page, without the lines that only explain it to who edits it."""
    return _COMMENTS.sub("", (_TEMPLATES / name).read_text(encoding="utf-8"))


def has_asset(name: str) -> bool:
    """Whether there is such a style sheet or script."""
    return (_TEMPLATES / name).is_file()
