"""The list of all reports below a folder, with how the last run of each ended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchlib.errors import ExportError, printable
from benchlib.files import read_bounded, write_text
from benchlib.run.fingerprint import built_for
from benchlib.run.manifest import Entry, _read_manifest, check_index, locked, read_entry
from benchlib.run.parameters import _SUMMARY

if TYPE_CHECKING:
    from benchlib.render.index import Entry as Listed
    from benchlib.render.style import Style

__all__ = ["build_index"]

#: Bytes of answers that are read: more is not valid JSON once it is cut.
_LARGEST = 256 * 1024**2

#: Larger numbers, and what is none, are not drawn.
_MOST = 1e300


def build_index(output: Path, *, style: Style | None = None) -> Path:
    """Write ``index.html`` for every report below a folder, and return it; one that is damaged is marked."""
    from benchlib.render.index import index_page

    check_index(output)
    index = output / "index.html"
    with locked(output / ".index.lock", wait=True):
        write_text(index, index_page(list(_entries(output)), style=style))
    return index


def _entries(output: Path) -> Iterator[Listed]:
    for manifest in sorted(output.glob("*/manifest.json")):
        summary = f"{_SUMMARY}.html"
        for page in sorted(_read_manifest(manifest), key=lambda page: (page != summary, page)):
            # Pages of one study bear its name: all but the summary say which they are.
            yield _entry(manifest, page, "" if page == summary else f" ({Path(page).stem})")


def _entry(manifest: Path, page: str, which: str) -> Listed:
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
    href = _href(study, known.failure.page)
    return replace(good, href=href, status="Failed", answer=known.failure.error, decision="", last_good=good.href)


def _good(manifest: Path, page: str, known: Entry, which: str) -> Listed:
    """Return the entry of a report that was built."""
    name = known.answers
    if not name:
        raise _damaged(f"{manifest.name} names no answers of {printable(page)}")
    from benchlib.render.index import Entry as Listed

    answers = _read_answers(manifest.with_name(name))
    study = manifest.parent.name
    spark = answers.get("spark", [])
    numbers = isinstance(spark, list) and all(isinstance(value, int | float) and abs(value) < _MOST for value in spark)
    return Listed(
        title=f"{answers.get('title', study)}{which}",
        href=_href(study, page),
        status=str(answers.get("status", "")),
        answer=str(answers.get("answer", "")),
        decision=str(answers.get("decision", "")),
        spark=tuple(map(float, spark)) if numbers else (),
        measured=str(answers.get("measured", "")),
        built=_built(manifest.with_name(page)),
    )


def _built(page: Path) -> str:
    """Return the day on which a page was written, or the day that the environment names."""
    if not page.is_file():
        raise _damaged(f"{printable(page.name)} is not there")
    return built_for() or f"{datetime.fromtimestamp(page.stat().st_mtime, UTC):%Y-%m-%d}"


def _failed(title: str, href: str, why: str) -> Listed:
    from benchlib.render.index import Entry as Listed

    return Listed(title=title, href=href, status="Failed", answer=why, decision="", spark=(), measured="", built="")


def _href(study: str, page: str) -> str:
    """Return the way to a page; a folder's name may look like the beginning of an address."""
    return f"./{study}/{page}" if set(study) & set(":\\") else f"{study}/{page}"


def _read_answers(path: Path) -> dict[str, Any]:
    try:
        answers = json.loads(read_bounded(path, _LARGEST))
    except (OSError, ValueError, RecursionError) as error:
        raise _damaged(f"{path.name} is not readable as JSON") from error
    if not isinstance(answers, dict):
        raise _damaged(f"{path.name} holds no answers")
    return answers


def _damaged(what: str) -> ExportError:
    return ExportError(f"This report is damaged: {what}. Delete its folder and build it again.")
