"""From paths on a command line to results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchlib.results import Results

__all__ = ["open_results"]


def open_results(paths: list[str], *, where: str, strict: bool) -> Results:
    """Read one study, or any files and folders, narrowed to a condition."""
    from benchlib.formats import load
    from benchlib.study import open_study

    if len(paths) == 1:
        return open_study(paths[0], where=where, strict=strict).results
    return load(*(Path(one) for one in paths), strict=strict).select(where)
