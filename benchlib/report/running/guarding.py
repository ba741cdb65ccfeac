"""Whether a report may lie where it would: in nobody else's place, and not among the results that it is made from."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from benchlib.errors import PlaceTaken, printable
from benchlib.report.running.manifest import Origin, holds_reports, read_manifest, read_origin
from benchlib.report.running.place import Place

if TYPE_CHECKING:
    from benchlib.study import Study

__all__ = ["check_index", "check_place"]


def check_place(place: Place, output: Path, study: Study, origin: Origin) -> None:
    """Make sure that a report may be written in its place.

    Parameters
    ----------
    place : Place
    output : Path
        The folder of all reports, which the place is in.
    study : Study
        What the report is about.
    origin : Origin
        The study, as the manifest will name it.

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
    if not (os.path.exists(place.folder / ".manifest.lock") or _is_ours(place.manifest)):
        _refuse_if_there(place.manifest)
    _check_same(place, origin)


def check_index(output: Path) -> None:
    """Make sure that the list of all reports takes the place of no page that somebody else wrote.

    Raises
    ------
    PlaceTaken
        If it would.
    """
    if not os.path.isdir(output):  # which says no of a name too long, where Path.is_dir raises
        return
    if not (os.path.exists(output / ".index.lock") or holds_reports(output)):
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


def _check_same(place: Place, origin: Origin) -> None:
    """Refuse the reports of another study.

    A study is the same with a file of the same content, or where it was, with the same title or a file of the same
    name. Elsewhere it is the same with the same title, where ``study.toml`` gave it both times: a folder's name, which
    stands for a title that is not given, says nothing there.
    """
    before = read_origin(place.manifest)
    if before is None or set(before.files.values()) & set(origin.files.values()):
        return
    same_title = before.title == origin.title
    alike = same_title or not before.files.keys().isdisjoint(origin.files)
    elsewhere = bool(before.place) and before.place != origin.place
    if same_title and before.titled and origin.titled:
        return
    if alike and not elsewhere:
        return
    how, way = "", ", or delete this one"
    if alike:
        how = ", which lies elsewhere and shares no content"
        way = ", delete this one, or, if both are one study, give them one 'title' in study.toml"
    raise PlaceTaken(
        f"{printable(str(place.folder))}: holds the reports on {_named(before)}, another study than "
        f"{_named(origin)}{how}; choose another folder with -o{way}"
    )


def _named(origin: Origin) -> str:
    some = ", ".join(printable(one, 60) for one in list(origin.files)[:2])
    return f"'{printable(origin.title, 60)}' ({some}{', …' if len(origin.files) > 2 else ''})"


def _check_apart(place: Place, output: Path, study: Study) -> None:
    """Refuse the study's own folder for reports: the next run passes over folders of reports, and not over that one."""
    home = Path(study.path).resolve()
    if home.is_dir() and home in (place.folder.resolve(), output.resolve()):
        raise PlaceTaken(
            f"{printable(str(place.folder))}: reports would lie among the files of the study itself, which would read "
            "them as results; choose a folder of their own with -o"
        )
