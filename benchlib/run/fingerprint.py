"""What decides a report: everything that, when it changes, may change a byte of it."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import stat
import time
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from benchlib.source_date import NAME as EPOCH
from benchlib.source_date import source_date

if TYPE_CHECKING:
    from benchlib.study import Study

#: Libraries whose version changes what a report shows.
_LIBRARIES = ("numpy", "scipy", "pandas", "plotly", "papermill", "nbclient", "nbconvert", "nbformat", "ipykernel")


def fingerprint(
    study: Study,
    notebook: Path,
    parameters: Mapping[str, object],
    *,
    style: str = "",
    built_for: str = "",
) -> dict[str, str]:
    """Return a hash of each thing that decides what a report says."""
    files = {file.source: file.sha256 for file in study.results.files}
    return {
        "data": _digest([files, [str(problem) for problem in study.results.problems]]),
        "study": _digest(
            [study.name, study.definition_sha256, [dict(breakdown.profiled) for breakdown in study.breakdowns]]
        ),
        **known_beforehand(notebook, parameters, style=style, built_for=built_for),
    }


def known_beforehand(
    notebook: Path, parameters: Mapping[str, object], *, style: str = "", built_for: str = ""
) -> dict[str, str]:
    """Return the parts of a fingerprint that need no study."""
    return {
        "parameters": _parameters_digest(parameters),
        "notebook": hashlib.sha256(notebook.read_bytes()).hexdigest(),
        "style": _digest(style),
        EPOCH: _digest(built_for),
        "benchlib": _package(),
        "libraries": _digest([platform.python_version(), _versions(), _plugins()]),
    }


def _parameters_digest(parameters: Mapping[str, object]) -> str:
    """Return a hash of checked parameters, but for the path of the study: the same files elsewhere are the same."""
    return _digest({name: value for name, value in parameters.items() if name != "study"})


def changed_parts(before: Mapping[str, object], now: Mapping[str, str]) -> tuple[str, ...]:
    """Return what is not as it was.

    Examples
    --------
    >>> changed_parts({"data": "1", "study": "2"}, {"data": "1", "study": "3"})
    ('study',)
    """
    return tuple(part for part, digest in now.items() if before.get(part) != digest)


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


@cache
def _package() -> str:
    """Return the hash of every file of the package: code, templates, styles, bundles, whatever their ending."""
    package = Path(__file__).resolve().parents[1]
    return tree_digest(package)


def tree_digest(folder: Path) -> str:
    """Return a hash of the names and contents of all files below a folder, but what Python compiled."""
    code = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            # Lengths, so that no two trees run together to the same bytes.
            name, content = file.relative_to(folder).as_posix().encode(), file.read_bytes()
            code.update(b"%d %d " % (len(name), len(content)) + name + content)
    return code.hexdigest()


@cache
def _versions() -> dict[str, str]:
    return {name: metadata.version(name) for name in _LIBRARIES}


def versions() -> dict[str, str]:
    """Return what a machine must have alike with another to build the same reports."""
    plugins = {f"plug-in {name}": version for _, name, version in _plugins()}
    return {"Python": platform.python_version(), **_versions(), **plugins, "benchlib": _package()}


@cache
def _plugins() -> list[list[str]]:
    """Return the plug-ins that read formats, each with the version of its distribution."""
    from benchlib.formats.registry import GROUP  # imports pandas, which a command does first, without threads

    entries = metadata.entry_points(group=GROUP)
    return sorted([entry.value, entry.dist.name, entry.dist.version] for entry in entries if entry.dist)


def built_for() -> str:
    """Return the day of ``SOURCE_DATE_EPOCH``, which a page bears, or "" where it is not set."""
    epoch = source_date()
    return "" if epoch is None else f"{epoch:%Y-%m-%d}"


#: Seconds after which a file's times tell every change: a clock ticks, and one of a file system may tick slowly.
_SETTLED = 3.0


def times_digest(study: Path) -> str:
    """Return a hash of the names, sizes and times of a study's files, which it does not open; "" if they tell nothing.

    No program can set the time at which a file was last changed (``ctime``): who writes the same number of bytes and
    puts the old date back has changed it all the same. It tells nothing of a file changed moments ago, which may change
    again within the same tick of the clock. Who asks counts too: what one may read another may not.
    """
    latest = (time.time() - _SETTLED) * 1e9
    known: list[object] = [os.geteuid() if hasattr(os, "geteuid") else 0]
    for path in _files_below(study):
        try:
            seen = [os.lstat(path)]
            if stat.S_ISLNK(seen[0].st_mode):
                seen.append(os.stat(path))
        except OSError:
            return ""
        if max(max(each.st_mtime_ns, each.st_ctime_ns) for each in seen) > latest:
            return ""
        known.append([os.path.relpath(path, study), *map(_told_of, seen)])
    return _digest(known) if len(known) > 1 else ""


def _told_of(status: os.stat_result) -> list[int]:
    return [status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def _files_below(study: Path) -> list[str]:
    if not os.path.isdir(study):
        return [str(study)] if os.path.isfile(study) else []
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(study) for name in names)
