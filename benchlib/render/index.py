"""The list of reports: one table, one line a study, the most urgent first; straight from disk."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from markupsafe import Markup

from benchlib.errors import ExportError, printable
from benchlib.render.html import STATUS, HtmlWriter, tag
from benchlib.render.page import frame, sheet

if TYPE_CHECKING:
    from benchlib.render.style import Style

__all__ = ["Entry", "index_page"]

#: The most urgent first.
_URGENCY = ("Failed", "Target missed", "Cannot tell", "Answered, with doubts", "Answered")
_HEADS = ("status", "study", "answer", "decision", "curve", "measured", "built")
#: Size of a sparkline, in CSS pixels.
_WIDE, _HIGH = 72, 22


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One report: ``href`` is its path below the list, ``spark`` the values of its first curve."""

    title: str
    href: str
    status: str
    answer: str
    decision: str
    spark: tuple[float, ...]
    measured: str
    built: str
    last_good: str = ""


def index_page(entries: Sequence[Entry], *, title: str = "Benchmark reports", style: Style | None = None) -> str:
    """Return the page that lists reports.

    Examples
    --------
    >>> entry = Entry(
    ...     title="<Adapter>", href="adapter/index.html", status="Answered", answer="Add no cores.",
    ...     decision="Use 4 threads.", spark=(), measured="2026-11-20", built="2026-11-24",
    ... )
    >>> '<a href="adapter/index.html">&lt;Adapter&gt;</a>' in index_page([entry])
    True
    """
    newest = sorted(entries, key=lambda entry: entry.measured, reverse=True)
    ordered = sorted(newest, key=lambda entry: _URGENCY.index(entry.status) if entry.status in _URGENCY else 9)
    rows = [_row(entry) for entry in ordered]
    heads = [tag("th", head, scope="col") for head in _HEADS]
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), css="index")
    words = tag("input", id="words", type="search", placeholder="filter", aria_label="Words in a report")
    count = f"{len(entries)} report{'' if len(entries) == 1 else 's'}"
    nothing = tag("p", "No report has been built yet.", css="muted")
    body = [tag("h1", title), tag("p", count, " ", words, css="muted"), table if rows else nothing]
    return frame(sheet(body, style=style), HtmlWriter(), title=title, style=style)


def _row(entry: Entry) -> Markup:
    if re.match(r"[\w+.-]*:|[/\\]", entry.href) or ".." in entry.href.split("/"):
        raise ExportError(f"the index may not lead to '{printable(entry.href)}'; give a path below it")
    css = STATUS.get(entry.status, "none")
    title = tag("a", entry.title, href=_quoted(entry.href))
    last = [" ", tag("a", "last good", href=_quoted(entry.last_good))] if entry.last_good else []
    return tag(
        "tr",
        tag("td", tag("span", entry.status, css=f"status {css}")),
        tag("td", tag("p", title, *last)),
        tag("td", tag("p", entry.answer, title=entry.answer)),
        tag("td", tag("p", entry.decision, title=entry.decision)),
        tag("td", _spark(entry.spark)),
        tag("td", entry.measured),
        tag("td", entry.built),
    )


def _quoted(href: str) -> str:
    return quote(os.fsencode(href))


def _spark(values: Sequence[float]) -> Markup:
    """Draw values as a line of a few pixels."""
    if len(values) < 2:
        return Markup("")
    top = max(values) or 1.0
    points = " ".join(
        f"{place * _WIDE / (len(values) - 1):.1f},{_HIGH - 2 - (_HIGH - 4) * max(value, 0) / top:.1f}"
        for place, value in enumerate(values)
    )
    line = tag("polyline", points=points, fill="none", stroke="currentColor", stroke_width="1.5")
    return tag("svg", line, css="spark", width=_WIDE, height=_HIGH, aria_hidden="true")
