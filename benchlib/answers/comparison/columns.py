"""Columns named on the spot: benchlib's own, and benchstat's keys, which become columns where there is none yet."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from benchlib.answers.benchstat.keys import Key, parse_keys
from benchlib.answers.benchstat.projection import project
from benchlib.errors import SelectionError, choices, printable, suggestion
from benchlib.results import Results

__all__ = ["column_named", "columns_named"]

#: What benchlib calls benchstat's keys.
_OWN = {".fullname": "name", ".name": "benchmark", ".file": "run"}
_COLUMNS = ("name", "benchmark", "run", "source")


def columns_named(results: Results, text: str, option: str) -> tuple[Results, tuple[str, ...]]:
    """Return the columns that a list of keys means, and the results that have them all.

    A key in an order of its own (``@num``, ``@alpha``, ``@(a b)``) puts the levels of its column in that order, and
    a list leaves the rows of all other levels out.

    Raises
    ------
    SelectionError
        For a key that the results do not have.

    Examples
    --------
    >>> from benchlib.study import open_study
    >>> columns_named(open_study("data/lplex").results, ".fullname, pkg", "row")[1]
    ('name', 'pkg')
    """
    found = []
    for key in parse_keys(text, option):
        results, name = _column(results, key, option)
        found.append(name)
    return results, tuple(dict.fromkeys(found))


def column_named(results: Results, text: str, option: str) -> tuple[Results, str]:
    """Return the one column that keys mean; several keys make a column of their combinations."""
    results, names = columns_named(results, text, option)
    if not names:
        raise SelectionError(f"{option} is empty; name a column: {choices(_known(results), 30)}")
    if len(names) == 1:
        return results, names[0]
    joined = ", ".join(names)
    parts = (results.frame[one].astype(str).tolist() for one in names)
    told = [" ".join(one) for one in zip(*parts, strict=True)]
    frame = results.frame.assign(**{joined: pd.Categorical(told, categories=list(dict.fromkeys(told)))})
    return replace(results, frame=frame.drop(columns=[one for one in names if one in results.axes])), joined


def _column(results: Results, key: Key, option: str) -> tuple[Results, str]:
    name = _OWN.get(key.name, key.name.removeprefix("/"))
    known = _known(results)
    there = name in known
    if not there and not key.name.startswith("/"):
        raise SelectionError(
            f"{option} '{printable(key.name)}': no such column{suggestion(name, known)}; there are {choices(known, 30)}"
        )
    if there and key.order == "first":
        return results, name
    found = project(results.frame, _written(key), option=option)
    kept = found.codes >= 0
    levels = pd.Categorical.from_codes(found.codes[kept], categories=pd.Index(found.labels), ordered=True)
    return replace(results, frame=results.frame[kept].assign(**{name: levels})), name


def _known(results: Results) -> tuple[str, ...]:
    return (*_COLUMNS, *results.axes)


def _written(key: Key) -> str:
    name = f'"{key.name}"' if " " in key.name else key.name
    if key.order == "fixed":
        listed = " ".join('"' + one.replace("\\", "\\\\").replace('"', '\\"') + '"' for one in key.fixed)
        return f"{name}@({listed})"
    return name if key.order == "first" else f"{name}@{key.order}"
