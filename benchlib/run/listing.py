"""The list of all reports below a folder, with how the last run of each ended."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchlib.errors import ExportError, printable
from benchlib.files import write_text
from benchlib.report.page.index import IndexCard, IndexEntry, LastGood, to_index
from benchlib.run.manifest import Entry, _read_manifest, check_index, locked, read_entry
from benchlib.run.parameters import _SUMMARY

if TYPE_CHECKING:
    from benchlib.report.page.style import Style

__all__ = ["build_index"]

_STATUS = {"PASS": "pass", "WARN": "warn", "FAIL": "fail"}

#: Cards of one report in the list: as many as the first page of a summary has.
_MOST_CARDS = 6


def build_index(output: Path, *, style: Style | None = None) -> Path:
    """Write ``index.html`` for every report below a folder, and return it; one that is damaged is marked."""
    check_index(output)
    index = output / "index.html"
    with locked(output / ".index.lock", wait=True):
        write_text(index, to_index(list(_entries(output)), style=style))
    return index


def _entries(output: Path) -> Iterator[IndexEntry]:
    for manifest in sorted(output.glob("*/manifest.json")):
        summary = f"{_SUMMARY}.html"
        for page in sorted(_read_manifest(manifest), key=lambda page: (page != summary, page)):
            # Pages of one study bear its name: all but the summary say which they are.
            yield _entry(manifest, page, "" if page == summary else f" ({Path(page).stem})")


def _entry(manifest: Path, page: str, which: str) -> IndexEntry:
    known = read_entry(manifest, page)
    study = manifest.parent.name
    if known.failure and not known.answers:
        return _failed(f"{study}{which}", _href(study, known.failure.page), known.failure.error)
    try:
        good = _good(manifest, page, known, which)
    except ExportError as error:  # its own entry says so; the others are listed as ever
        href = _href(study, page if manifest.with_name(page).is_file() else manifest.name)
        return _failed(f"{study}{which}", href, str(error))
    if not known.failure:
        return good
    return replace(
        good,
        href=_href(study, known.failure.page),
        status="error",
        verdict=known.failure.error,
        last=LastGood(href=good.href, status=good.status, verdict=good.verdict),
    )


def _good(manifest: Path, page: str, known: Entry, which: str) -> IndexEntry:
    """Return the entry of a report that was built."""
    name = known.answers
    if not name:
        raise _damaged(f"{manifest.name} names no answers of {printable(page)}")
    answers = _read_answers(manifest.with_name(name))
    try:
        cards = _figures(answers.get("cards", [])[:_MOST_CARDS])
    except (LookupError, TypeError) as error:
        raise _damaged(f"{name} holds no cards") from error
    study = manifest.parent.name
    return IndexEntry(
        title=f"{answers.get('title', study)}{which}",
        href=_href(study, page),
        status=_STATUS.get(str(answers.get("status", "")), "none"),
        verdict=str(answers.get("verdict", "")),
        updated=known.stamp,
        cards=cards,
    )


def _figures(cards: Sequence[Mapping[str, Any]]) -> tuple[IndexCard, ...]:
    """Return cards as the list shows them; where several have one label, with the note that tells them apart."""
    labels = [str(card["label"]) for card in cards]
    notes = [
        str(card.get("note", "")) if labels.count(label) > 1 else "" for card, label in zip(cards, labels, strict=True)
    ]
    names = [f"{label} ({note})" if note else label for label, note in zip(labels, notes, strict=True)]
    return tuple(
        IndexCard(
            label=label,
            value=str(card["value"]),
            interval=str(card.get("interval", "")),
            change=str(card.get("change", "")),
            target=str(card.get("target", "")),
        )
        for label, card in zip(names, cards, strict=True)
    )


def _failed(title: str, href: str, why: str) -> IndexEntry:
    return IndexEntry(title=title, href=href, status="error", verdict=why, updated="", cards=())


def _href(study: str, page: str) -> str:
    """Return the way to a page; a folder's name may look like the beginning of an address."""
    return f"./{study}/{page}" if set(study) & set(":\\") else f"{study}/{page}"


def _read_answers(path: Path) -> dict[str, Any]:
    try:
        answers = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise _damaged(f"{path.name} is not readable as JSON") from error
    if not isinstance(answers, dict):
        raise _damaged(f"{path.name} holds no answers")
    return answers


def _damaged(what: str) -> ExportError:
    return ExportError(f"This report is damaged: {what}. Delete its folder and build it again.")
