"""The reports before this one: a record of each, and copies of as many as are to be kept."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchlib.files import write_text
from benchlib.report.running.epoch import source_date
from benchlib.report.running.locking import locked
from benchlib.report.running.place import Place, made_folder

if TYPE_CHECKING:
    from benchlib.study import Study

__all__ = ["MOST_RECORDS", "built_for", "data_stamp", "read_history", "remember"]

_SCHEMA = "benchlib-history/1"

#: Records of one report: a sparkline shows no more, and the file stays small.
MOST_RECORDS = 200

#: Cards of one record.
_MOST_CARDS = 8

#: How the folder of a copy is named; nothing else below ``history/`` is ever removed.
_COPY = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}")


def built_for() -> str:
    """Return the day of ``SOURCE_DATE_EPOCH``, which a page bears, or "" where it is not set.

    Raises
    ------
    InputError
        If it is no number of seconds.
    """
    epoch = source_date()
    return "" if epoch is None else f"{epoch:%Y-%m-%d}"


def data_stamp(study: Study) -> datetime:
    """Return when a report is from: ``SOURCE_DATE_EPOCH``, else the ``date`` of its environment, else its newest file.

    No clock is asked, so that a report that is built again has the stamp of its data. A checkout dates files anew: the
    day that ``study.toml`` states goes with the data.
    """
    stated = source_date() or _stated(study)
    if stated is not None:
        return stated
    folder = study.path if os.path.isdir(study.path) else study.path.parent
    paths = [folder / one.source for one in study.results.files]
    changed = [one.stat().st_mtime for one in paths if os.path.isfile(one)]
    return datetime.fromtimestamp(int(max(changed, default=0)), UTC)


def _stated(study: Study) -> datetime | None:
    """Return the day or moment that a study states; None where it states none, or in words alone."""
    try:
        found = datetime.fromisoformat(str(study.environment.get("date", "")))
        return found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def read_history(history: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the records of each page, oldest first; none where there is no file, or somebody edited it."""
    try:
        found = json.loads(history.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    pages = found.get("pages") if isinstance(found, dict) else None
    if not isinstance(pages, dict):
        return {}
    return {
        str(page): [one for one in records if isinstance(one, dict)]
        for page, records in pages.items()
        if isinstance(records, list)
    }


def remember(place: Place, stamp: datetime, data: str, answers: Mapping[str, Any], *, keep: int) -> None:
    """Record a report that was built, copy its page and answers, and remove the copies that are too old.

    A report of the same data at the same time takes the place of its record: it was built again.

    Parameters
    ----------
    place : Place
        Page and answers are published.
    stamp : datetime
    data : str
        The fingerprint's hash of the data.
    answers : mapping
        As published: status, verdict and cards are recorded.
    keep : int
        Copies to keep of this report; 0 makes none, and removes none.
    """
    written = f"{stamp:%Y%m%dT%H%M%SZ}"
    with locked(place.folder / ".history.lock", wait=True):
        pages = read_history(place.history)
        records = pages.setdefault(place.page.name, [])
        record = {
            "stamp": f"{stamp:%Y-%m-%dT%H:%M:%SZ}",
            "data": data,
            "status": str(answers.get("status", "")),
            "verdict": str(answers.get("verdict", "")),
            "cards": list(answers.get("cards", []))[:_MOST_CARDS],
            "copy": _copied(place, f"{written}-{data[:8]}") if keep else "",
        }
        again = bool(records) and (records[-1].get("stamp"), records[-1].get("data")) == (record["stamp"], data)
        records[:] = [*(records[:-1] if again else records), record]
        if keep:
            _prune(place, records, keep)
        del records[:-MOST_RECORDS]
        document = {"schema": _SCHEMA, "pages": dict(sorted(pages.items()))}
        write_text(place.history, json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n")


def _copied(place: Place, name: str) -> str:
    """Copy page and answers, and return where the copied page is, from the study's folder."""
    folder = made_folder(place.folder / "history" / name)
    for one in (place.page, place.answers):
        shutil.copyfile(one, folder / one.name)
    return f"history/{name}/{place.page.name}"


def _prune(place: Place, records: list[dict[str, Any]], keep: int) -> None:
    """Remove the copies of this report beyond the newest; copies of other reports in the folder stay."""
    copied = [one for one in records if one.get("copy")]
    for record in copied[:-keep]:
        parts = Path(str(record["copy"])).parts
        record["copy"] = ""
        if len(parts) != 3 or parts[0] != "history" or not _COPY.fullmatch(parts[1]):
            continue  # somebody edited the record: nothing outside a copy is removed
        folder = place.folder / parts[0] / parts[1]
        if (
            folder.is_symlink()
            or folder.parent.is_symlink()
            or any(one.get("copy", "").startswith(f"history/{parts[1]}/") for one in records)
        ):
            continue
        for one in (place.page, place.answers):
            (folder / one.name).unlink(missing_ok=True)
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
