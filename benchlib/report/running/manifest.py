"""What ``manifest.json`` says of the reports on a study: what each was made from, its files, how the last run ended."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchlib.files import write_text
from benchlib.report.running.locking import locked

if TYPE_CHECKING:
    from benchlib.study import Study

__all__ = [
    "Entry",
    "Failure",
    "Origin",
    "file_sha256",
    "holds_reports",
    "origin_of",
    "read_entry",
    "read_manifest",
    "read_origin",
    "write_entry",
    "write_origin",
]

_SCHEMA = "benchlib-manifest/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """How the last run of a report failed.

    Attributes
    ----------
    exit_code : int
    error : str
        One line.
    page : str
        File name of the page that tells it.
    """

    exit_code: int
    error: str
    page: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One report in the manifest.

    Attributes
    ----------
    fingerprint : mapping of str to str
        What it was made from; empty where it was never built.
    answers : str
        File name of the answers; "" where it was never built.
    stamp : str
        The day that the published report is from, ``2026-11-20``; "" where the manifest does not say.
    files : mapping of str to str
        File name -> SHA-256 of what was published.
    failure : Failure or None
        Where the last run failed; the files are then those of the last good one.
    """

    fingerprint: Mapping[str, str]
    answers: str
    stamp: str
    files: Mapping[str, str]
    failure: Failure | None

    def intact(self, folder: Path) -> bool:
        """Tell whether every published file is there as it was written."""
        return bool(self.files) and all(file_sha256(folder / name) == digest for name, digest in self.files.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The study that the reports of a folder are on.

    Attributes
    ----------
    title : str
    titled : bool
        Whether ``study.toml`` gave the title; without one it is the folder's name, which may be any study's.
    files : mapping of str to str
        Name of a file of results -> SHA-256.
    place : str
        SHA-256 of the way from the folder of all reports to the study, which would name folders of this machine; "" in
        older manifests.
    """

    title: str
    titled: bool
    files: Mapping[str, str]
    place: str


def origin_of(study: Study, output: Path) -> Origin:
    """Return what a manifest says of a study, whose reports lie below a folder."""
    way = os.path.realpath(study.path)
    with suppress(ValueError):  # on two drives of Windows
        way = os.path.relpath(way, os.path.realpath(output))
    return Origin(
        title=study.title,
        titled=study.titled,
        files={one.source: one.sha256 for one in study.results.files},
        place=hashlib.sha256(os.fsencode(way)).hexdigest(),
    )


def read_manifest(manifest: Path) -> dict[str, Any]:
    """Return what a manifest says of each page; nothing where there is none, or somebody edited it."""
    pages = _document(manifest).get("pages")
    return dict(pages) if isinstance(pages, dict) else {}


def read_origin(manifest: Path) -> Origin | None:
    """Return which study the reports are on; None where the manifest does not say, as older ones do not."""
    stated: Any = _document(manifest).get("study")
    with suppress(KeyError, TypeError, AttributeError):
        title = str(stated["title"])
        return Origin(
            title=title,
            # An older manifest does not say: there a title counts as given where it is not the folder's name.
            titled=bool(stated.get("titled", title != manifest.parent.name)),
            files={str(name): str(digest) for name, digest in stated["files"].items()},
            place=str(stated.get("place", "")),
        )
    return None


def _document(manifest: Path) -> dict[str, Any]:
    try:
        found = json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def read_entry(manifest: Path, page: str) -> Entry:
    """Return what a manifest says of one page; an entry of nothing where it says nothing sound."""
    nothing = Entry(fingerprint={}, answers="", stamp="", files={}, failure=None)
    stated = read_manifest(manifest).get(page)
    if not isinstance(stated, dict):
        return nothing
    with suppress(KeyError, TypeError, ValueError, AttributeError):
        failed = stated.get("failure")
        return Entry(
            fingerprint={str(part): str(digest) for part, digest in stated["fingerprint"].items()},
            answers=_plain_name(stated["answers"]) if stated["answers"] else "",
            stamp=str(stated.get("stamp", ""))[:10],
            files={_name_within(name): str(digest) for name, digest in stated["files"].items()},
            failure=failed
            and Failure(
                exit_code=int(failed["exit_code"]), error=str(failed["error"]), page=_plain_name(failed["page"])
            ),
        )
    return nothing


def holds_reports(output: Path) -> bool:
    """Tell whether a folder has reports below it; decks are no reports, and stand in no list."""
    return any(read_manifest(one) for one in output.glob("*/manifest.json"))


def write_entry(manifest: Path, page: str, entry: Entry, *, origin: Origin | None = None) -> None:
    """Put what is known of one page, and of the study where it is told, into the manifest; the rest of it stays."""
    failure = entry.failure
    stated = {
        "fingerprint": dict(entry.fingerprint),
        "answers": entry.answers,
        "stamp": entry.stamp,
        "files": dict(sorted(entry.files.items())),
        "failure": failure and {"exit_code": failure.exit_code, "error": failure.error, "page": failure.page},
    }
    _write(manifest, {page: stated}, origin)


def write_origin(manifest: Path, origin: Origin) -> None:
    """Put into the manifest which study the folder is on; the rest of it stays."""
    _write(manifest, {}, origin)


def _write(manifest: Path, stated: Mapping[str, Any], origin: Origin | None) -> None:
    with locked(manifest.with_name(".manifest.lock"), wait=True):
        pages = {**read_manifest(manifest), **stated}
        origin = origin or read_origin(manifest)
        study = {"study": asdict(origin)} if origin else {}
        document = {"schema": _SCHEMA, **study, "pages": dict(sorted(pages.items()))}
        # In ASCII: the name of a study may hold bytes that are no text.
        write_text(manifest, json.dumps(document, indent=1) + "\n")


def file_sha256(path: Path) -> str:
    """Return the hash of a file, or "" where it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _plain_name(name: object) -> str:
    """Return a file name that leads nowhere else."""
    if not isinstance(name, str) or not name or Path(name).name != name or name == "..":
        raise ValueError
    return name


def _name_within(name: object) -> str:
    """Return the name of a file of the report's folder, or of a folder in it: figures lie in one of their own."""
    if not isinstance(name, str):
        raise ValueError
    for part in name.split("/"):
        _plain_name(part)
    return name
