"""The list of all reports: one page from which each can be opened, straight from disk."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from benchlib.errors import ExportError, printable
from benchlib.report.page.export import document

__all__ = ["STATUS_WORDS", "IndexEntry", "to_index"]

#: status -> the word that a reader sees.
STATUS_WORDS = {"pass": "PASS", "warn": "WARN", "fail": "FAIL", "none": "NO TARGETS", "error": "NOT BUILT"}


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    """One report in the list.

    Attributes
    ----------
    title : str
    href : str
        Path of the page relative to the index, posix style, as on disk.
    status : {"pass", "warn", "fail", "none", "error"}
    verdict : str
        One sentence.
    updated : str
        When, or from what, it was built; "" to leave it out.
    cards : tuple of (label, value)
        The two or three figures that matter most.
    """

    title: str
    href: str
    status: str
    verdict: str
    updated: str
    cards: tuple[tuple[str, str], ...]


def to_index(entries: Sequence[IndexEntry], *, title: str = "Benchmark reports", footer: str = "") -> str:
    """Return the page that lists reports, in the order given.

    Raises
    ------
    ExportError
        If an entry leads out of the folder, or has an unknown status.

    Examples
    --------
    >>> entry = IndexEntry(
    ...     title="<Adapter>", href="adapter/index.html", status="warn", verdict="Add no cores.",
    ...     updated="", cards=(),
    ... )
    >>> '<a href="adapter/index.html">&lt;Adapter&gt;</a>' in to_index([entry])
    True
    """
    from jinja2 import Environment, FileSystemLoader

    for entry in entries:
        if entry.status not in STATUS_WORDS:
            raise ExportError(f"'{printable(entry.status, 40)}' is no status; use one of {', '.join(STATUS_WORDS)}")
        if re.match(r"[\w+.-]*:|[/\\]", entry.href) or ".." in entry.href.split("/"):
            raise ExportError(f"the index may not lead to '{printable(entry.href)}'; give a path below it")
    folder = Path(__file__).with_name("templates")
    pages = Environment(loader=FileSystemLoader(folder), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    shown = [
        {
            "title": one.title,
            "href": quote(one.href),
            "status": one.status,
            "verdict": one.verdict,
            "updated": one.updated,
            "cards": one.cards,
        }
        for one in entries
    ]
    body = pages.get_template("reports.html.j2").render(entries=shown, words=STATUS_WORDS)
    count = f"{len(entries)} report{'' if len(entries) == 1 else 's'}"
    return document(body, title=title, subtitle=count, footer=footer)
