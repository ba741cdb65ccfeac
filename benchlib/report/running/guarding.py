"""Whether a report may lie where it would: in nobody else's place, and not among the results that it is made from."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from benchlib.errors import PlaceTaken, printable
from benchlib.report.running.manifest import read_manifest, read_origin
from benchlib.report.running.place import Place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchlib.study import Study

__all__ = ["check_index", "check_place"]


def check_place(place: Place, output: Path, study: Study) -> None:
    """Make sure that a report may be written in its place.

    Parameters
    ----------
    place : Place
    output : Path
        The folder of all reports, which the place is in.
    study : Study
        What the report is about.

    Raises
    ------
    PlaceTaken
        If the place holds the reports of another study or files that benchlib did not write, or if the study
        would read the report as one of its results.
    """
    _check_apart(place, output, study)
    if not (os.path.exists(place.lock) or place.page.name in read_manifest(place.manifest)):
        for one in (place.page, place.notebook, place.answers, place.failed_page, place.failed_notebook):
            _refuse_if_there(one)
    for one in (place.manifest, place.history):
        if not (os.path.exists(one.with_name(f".{one.stem}.lock")) or _is_ours(one)):
            _refuse_if_there(one)
    _check_same(place, study)


def check_index(output: Path) -> None:
    """Make sure that the list of all reports takes the place of no page that somebody else wrote.

    Raises
    ------
    PlaceTaken
        If it would.
    """
    if not os.path.isdir(output):  # which says no of a name too long, where Path.is_dir raises
        return
    if not (os.path.exists(output / ".index.lock") or any(_is_ours(one) for one in output.glob("*/manifest.json"))):
        _refuse_if_there(output / "index.html")


def _refuse_if_there(path: Path) -> None:
    if os.path.lexists(path):
        raise PlaceTaken(
            f"{printable(str(path))}: is there, and benchlib did not write it; "
            "move it away, or choose another place with -o"
        )


def _is_ours(path: Path) -> bool:
    """Tell whether a file of JSON names a schema of benchlib's."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and str(found.get("schema")).startswith("benchlib-")


def _check_same(place: Place, study: Study) -> None:
    """Refuse the reports of another study: one of another title, of which no file has a name or content of these."""
    before = read_origin(place.manifest)
    if before is None or before.title == study.title:
        return
    files = {one.source: one.sha256 for one in study.results.files}
    if before.files.keys() & files.keys() or set(before.files.values()) & set(files.values()):
        return
    raise PlaceTaken(
        f"{printable(str(place.folder))}: holds the reports on {_named(before.title, before.files)}, another study "
        f"than {_named(study.title, files)}; choose another folder with -o, or delete this one"
    )


def _named(title: str, files: Mapping[str, str]) -> str:
    some = ", ".join(printable(one, 60) for one in list(files)[:2])
    return f"'{printable(title, 60)}' ({some}{', …' if len(files) > 2 else ''})"


def _check_apart(place: Place, output: Path, study: Study) -> None:
    """Refuse the study's own folder for reports: the next run passes over folders of reports, and not over that one."""
    home = Path(study.path).resolve()
    if home.is_dir() and home in (place.folder.resolve(), output.resolve()):
        raise PlaceTaken(
            f"{printable(str(place.folder))}: reports would lie among the files of the study itself, which would read "
            "them as results; choose a folder of their own with -o"
        )
