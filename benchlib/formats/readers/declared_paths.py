"""Where a path of a declared format leads nowhere: which step, and which keys stand there instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchlib.errors import choices, printable
from benchlib.formats.declaration import RecordPath, Step

__all__ = ["dead_end"]


def dead_end(values: Sequence[Any], path: RecordPath) -> str:
    """Say at which step a path finds nothing in any of some values; empty where it leads on.

    Examples
    --------
    >>> from benchlib.formats.declaration import record_path
    >>> dead_end([{"results": [{"men": 1, "n": 2}]}], record_path("results[].mean"))
    "no key 'mean' in results[]; there are men, n"
    >>> dead_end([{"results": {"a": 1}}], record_path("results[]"))
    'results is an object, not a list'
    """
    walked = ""
    here = list(values)
    for step in path:
        if step.key:
            told = f"in {printable(walked, 60)}" if walked else "at the top"
            objects = [one for one in here if isinstance(one, dict)]
            if not objects:
                return f"no key '{printable(step.key, 60)}' {told}, which is {_kind(here)}"
            here = [one[step.key] for one in objects if step.key in one]
            if not here:
                keys = dict.fromkeys(key for one in objects for key in one)
                return f"no key '{printable(step.key, 60)}' {told}; there are {choices(keys)}"
            walked += f"{'.' if walked else ''}{step.key}"
        if step.into:
            entered = _entered(here, step)
            if entered is None:
                wanted = "a list" if step.into == "list" else "an object"
                return f"{printable(walked, 60) or 'the document'} is {_kind(here)}, not {wanted}"
            if not entered:
                return f"{printable(walked, 60) or 'the document'} is empty"
            here = entered
            walked += "[]" if step.into == "list" else f"{{{step.name}}}"
    return ""


def _entered(values: Sequence[Any], step: Step) -> list[Any] | None:
    """Return all entries of lists or objects; None where there is none of them."""
    if step.into == "list":
        lists = [one for one in values if isinstance(one, list)]
        return [entry for one in lists for entry in one] if lists else None
    objects = [one for one in values if isinstance(one, dict)]
    return [entry for one in objects for entry in one.values()] if objects else None


_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}


def _kind(values: Sequence[Any]) -> str:
    return _KINDS.get(type(values[0]), "null") if values else "empty"
