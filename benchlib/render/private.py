"""The folders of this machine: no page names them, and what is told of a failure calls them by a shorter name."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["private_folders", "without_folders"]

#: Behind a folder's name: no further letter of it, nor an ending; the full stop of a sentence may be there.
_END = r"(?![\w-]|\.\w)"

_PACKAGE = Path(__file__).resolve().parents[1]


def private_folders(*others: str | Path) -> dict[str, str]:
    """Return the folders that no page may name, each with the name that may stand in its place.

    They are the working directory, the home of whoever runs benchlib, where benchlib and Python are installed, and
    what the caller adds. Of all but the first two only those that lie in another: ``/usr`` is a word like any other,
    and so may ``/data`` be.

    Examples
    --------
    >>> private_folders("/srv/bench/lplex", "/data")["/srv/bench/lplex"]
    'lplex'
    """
    found = {}
    for one in (sys.prefix, _PACKAGE.parent, _PACKAGE, *others):
        for path in (os.path.abspath(one), os.path.realpath(one)):
            if len(Path(path).parts) > 2:
                found[path] = os.path.basename(path)
    return {**found, str(Path.home()): "~", str(Path.cwd()): ""}


def named_folder(text: str, folders: Mapping[str, str]) -> str:
    """Return the first of some folders that a text names, or "".

    Examples
    --------
    >>> named_folder("GET /v1/srv/me, /srv/meadow, /srv/me.txt", {"/srv/me": "~"})
    ''
    >>> named_folder("saved in /srv/me/results", {"/srv/me": "~"})
    '/srv/me'
    """
    for one in folders:
        # Asked for as it stands first: a search that looks behind each place takes a hundred times as long.
        if one not in ("/", ".") and one in text and re.search(rf"(?<![\w/.]){re.escape(one)}{_END}", text):
            return one
    return ""


def without_folders(text: str, folders: Mapping[str, str]) -> str:
    """Return a text in which each of some folders has its shorter name.

    Examples
    --------
    >>> without_folders("looked in /srv/lplex/runs and /srv/lplex", {"/srv/lplex": ""})
    'looked in runs and .'
    """
    for one in sorted(folders, key=len, reverse=True):
        if one in ("/", "."):
            continue
        short = folders[one]
        inside, itself = (f"{short}/", short) if short else ("", ".")
        place = re.compile(rf"(?<![\w/.]){re.escape(one)}(?:(/)|{_END})")
        text = place.sub(lambda found, inside=inside, itself=itself: inside if found[1] else itself, text)  # type: ignore[misc]
    return text
