"""The list of all reports below a folder, with how the last run of each ended."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchlib.errors import ExportError, printable
from benchlib.files import write_text
from benchlib.report.page.index import IndexEntry, to_index
from benchlib.report.page.trend import changed_since, read_trend
from benchlib.report.running.history import read_history
from benchlib.report.running.locking import locked
from benchlib.report.running.manifest import read_entry, read_manifest
from benchlib.report.running.notebooks import SUMMARY

if TYPE_CHECKING:
    from benchlib.report.page.style import HouseStyle

__all__ = ["build_index"]

_STATUS = {"PASS": "pass", "WARN": "warn", "FAIL": "fail"}


def build_index(output: Path, *, style: HouseStyle | None = None) -> Path:
    """Write ``index.html`` for every report below a folder, and return it.

    Parameters
    ----------
    output : Path
        The folder of all reports.
    style : HouseStyle, optional

    Raises
    ------
    ExportError
        If a report's answers cannot be read.
    """
    index = output / "index.html"
    with locked(output / ".index.lock", wait=True):
        write_text(index, to_index(list(_entries(output)), style=style))
    return index


def _entries(output: Path) -> Iterator[IndexEntry]:
    for manifest in sorted(output.glob("*/manifest.json")):
        summary = f"{SUMMARY}.html"
        for page in sorted(read_manifest(manifest), key=lambda one: (one != summary, one)):
            # Pages of one study bear its name: all but the summary say which they are.
            yield _entry(manifest, page, "" if page == summary else f" ({Path(page).stem})")


def _entry(manifest: Path, page: str, which: str) -> IndexEntry:
    known = read_entry(manifest, page)
    study = manifest.parent.name
    if not known.answers and not known.failure:
        raise ExportError(f"{manifest}: names no answers of {printable(page)}; delete the report and build it again")
    answers: Mapping[str, Any] = _read_json(manifest.with_name(known.answers)) if known.answers else {}
    title = f"{answers.get('title', study)}{which}"
    if known.failure:
        return IndexEntry(
            title=title,
            href=_href(study, known.failure.page),
            status="error",
            verdict=known.failure.error,
            updated="",
            cards=(),
            changed="",
            trend=None,
        )
    records = read_history(manifest.with_name("history.json")).get(page, [])
    return IndexEntry(
        title=title,
        href=_href(study, page),
        status=_STATUS.get(str(answers.get("status", "")), "none"),
        verdict=str(answers.get("verdict", "")),
        updated=str(records[-1].get("stamp", ""))[:10] if records else "",
        cards=tuple((str(one["label"]), str(one["value"])) for one in answers.get("cards", [])[:3]),
        changed=changed_since(records),
        trend=read_trend(records),
    )


def _href(study: str, page: str) -> str:
    """Return the way to a page; a folder's name may look like the beginning of an address."""
    return f"./{study}/{page}" if set(study) & set(":\\") else f"{study}/{page}"


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return dict(found)
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise ExportError(f"{path}: not readable as JSON ({error}); delete the report and build it again") from error
