"""The list of all reports: one page from which each can be opened, straight from disk."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from benchlib.errors import ExportError, printable
from benchlib.report.page.export import document
from benchlib.report.page.template import REPORTS, own_script, own_style, render
from benchlib.report.wording.told import unbroken

if TYPE_CHECKING:
    from benchlib.report.page.style import Style

__all__ = ["IndexCard", "IndexEntry", "LastGood", "to_index"]

#: status -> the word that a reader sees.
STATUS_WORDS = {"pass": "PASS", "warn": "WARN", "fail": "FAIL", "none": "NO TARGETS", "error": "FAILED"}


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexCard:
    """A figure of a report, as its page shows it.

    Attributes
    ----------
    label, value : str
    interval, change, target : str
        How sure it is, what it did since the baseline and what it is to keep; "" where the page does not say.
    """

    label: str
    value: str
    interval: str
    change: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LastGood:
    """The last report that was built, below the failure of a later run.

    Attributes
    ----------
    href : str
    status : {"pass", "warn", "fail", "none"}
    verdict : str
    """

    href: str
    status: str
    verdict: str


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
    cards : tuple of IndexCard
        The figures that matter most.
    last : LastGood or None
        Where the last run failed, and one before it had not; `updated` and `cards` are then of that one.
    """

    title: str
    href: str
    status: str
    verdict: str
    updated: str
    cards: tuple[IndexCard, ...]
    last: LastGood | None = None


def to_index(
    entries: Sequence[IndexEntry],
    *,
    title: str = "Benchmark reports",
    footer: str = "",
    style: Style | None = None,
) -> str:
    """Return the page that lists reports, in the order given; a reader may narrow it by words and status.

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
    for entry in entries:
        _check(entry.status, entry.href)
        if entry.last:
            _check(entry.last.status, entry.last.href)
    shown = [
        {
            "title": one.title,
            "href": _quoted(one.href),
            "status": one.status,
            "verdict": unbroken(one.verdict),
            "updated": one.updated,
            "cards": [asdict(card) for card in one.cards],
            "last": one.last
            and {"href": _quoted(one.last.href), "status": one.last.status, "verdict": unbroken(one.last.verdict)},
        }
        for one in entries
    ]
    counts = {status: sum(one.status == status for one in entries) for status in STATUS_WORDS}
    body = render(REPORTS, entries=shown, words=STATUS_WORDS, counts=counts, style=own_style("index.css"))
    count = f"{len(entries)} report{'' if len(entries) == 1 else 's'}"
    return document(body, title=title, subtitle=count, footer=footer, script=own_script("index.js"), style=style)


def _check(status: str, href: str) -> None:
    if status not in STATUS_WORDS:
        raise ExportError(f"'{printable(status, 40)}' is no status; use one of {', '.join(STATUS_WORDS)}")
    if re.match(r"[\w+.-]*:|[/\\]", href) or ".." in href.split("/"):
        raise ExportError(f"the index may not lead to '{printable(href)}'; give a path below it")


def _quoted(href: str) -> str:
    return quote(os.fsencode(href))
