"""Columns named on the spot: what makes rows, what is compared, what is pooled, in benchlib's words or benchstat's.

The keys of all three belong together, as benchstat's projections do: what one names is cut out of ``.fullname`` and
``.config`` of the others, a list leaves rows out of everything, and what a file states and no key names parts rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.benchstat_keys import (
    OF_GO,
    Columns,
    Cut,
    Key,
    Texts,
    kept_rows,
    level_text,
    parse_keys,
    ranked,
    values_of,
)
from benchlib.answers.comparison.pairing import parted_by_package
from benchlib.answers.grouping import varies_within
from benchlib.errors import SelectionError, choices, printable, suggestion
from benchlib.results import SCHEMA, Results

__all__ = ["Asked", "columns_asked"]

#: What benchlib calls benchstat's keys.
_OWN = {".fullname": "name", ".name": "benchmark", ".file": "run"}
#: Columns that are no axis and may be named all the same.
_COLUMNS = ("name", "benchmark", "run", "source")
_GROUPS = (".config", ".fullname")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """Columns as they were asked for.

    Attributes
    ----------
    results : Results
        With every column that is named, without the rows that lists leave out.
    rows : tuple of str
        Columns that make rows; empty where none was named.
    column : str
        Whose levels are compared.
    ignored : tuple of str
        Columns that are pooled without a word.
    """

    results: Results
    rows: tuple[str, ...]
    column: str
    ignored: tuple[str, ...]


def columns_asked(
    results: Results, *, row: str = "", col: str = "run", ignore: str = "", files: Mapping[str, str] | None = None
) -> Asked:
    """Return the columns that keys mean, and the results that have them all.

    A key in an order of its own (``@num``, ``@alpha``, ``@(a b)``) puts the levels of its column in that order, and
    a list leaves the rows of all other levels out. Several columns to compare make one of their combinations.

    Parameters
    ----------
    results : Results
    row, col, ignore : str
        Keys as in `benchlib.answers.benchstat.project`, and columns.
    files : mapping of str to str, optional
        From the paths of recordings as they were given to their names: a list of ``.file`` may hold either.

    Raises
    ------
    SelectionError
        For a key that the results do not have, and for lists that leave no row.

    Examples
    --------
    >>> from benchlib.study import open_study
    >>> asked = columns_asked(open_study("data/lplex").results, row=".fullname, pkg@alpha", ignore="subscribers")
    >>> asked.rows, asked.column, asked.ignored
    (('name', 'pkg'), 'run', ('subscribers',))
    """
    given = {option: parse_keys(text, option) for option, text in (("row", row), ("col", col), ("ignore", ignore))}
    whole = results.frame if results.failed.empty else pd.concat([results.frame, results.failed], ignore_index=True)
    naming = _Naming(whole, {option: _by_file(keys, files or {}) for option, keys in given.items()})
    rows, parts = naming.columns("row"), naming.columns("col")
    if not parts:
        raise SelectionError(f"col '{printable(col)}': no such column; {_there(naming.known)}")
    column, left_out = parts[0], tuple[str, ...]()
    if len(parts) > 1:
        column, left_out = naming.joined(), tuple(one for one in parts if one not in rows)
    if column in rows:
        raise SelectionError(f"'{printable(column)}' makes rows and is compared; name it for one of them")
    ignored = naming.ignored(groups=bool(rows))
    sound = len(results.frame)
    results = replace(
        results,
        frame=naming.dressed(results.frame, slice(sound), left_out),
        failed=naming.dressed(results.failed, slice(sound, None), left_out),
    )
    if rows:
        rows = _parted(results.frame, rows, column, naming.stated)
    return Asked(results=results, rows=rows, column=column, ignored=ignored)


def _by_file(keys: Sequence[Key], files: Mapping[str, str]) -> tuple[Key, ...]:
    """Let the lists of ``.file`` hold paths where the column holds the names of recordings."""
    return tuple(
        replace(one, fixed=tuple(files.get(text, text) for text in one.fixed)) if one.name in (".file", "run") else one
        for one in keys
    )


def _parted(frame: pd.DataFrame, rows: Sequence[str], column: str, stated: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that make rows, with what files state and would be mixed in them, as benchstat's tables."""
    found = list(rows)
    for axis in stated:
        if varies_within(frame, axis, [column, *found]) or (axis == "pkg" and parted_by_package(frame, column, found)):
            found.append(axis)
    return tuple(found)


class _Naming:
    """Keys of rows, columns and what is ignored, as columns of one frame."""

    def __init__(self, frame: pd.DataFrame, keys: Mapping[str, tuple[Key, ...]]) -> None:
        self._columns = Columns(frame)
        self._axes = tuple(self._columns.axes.values())
        self.known = (*_COLUMNS, *self._axes)
        self._keys = keys
        self._made: dict[str, pd.Categorical] = {}
        every = [(one, self._found(one, option)) for option, of in keys.items() for one in of]
        known = [one for one, name in every if name or one.name in _GROUPS]
        cut = Cut.by(known, self._columns)
        self._cut = Cut(cut.axes | {name for _, name in every if name in self._axes}, cut.keys)
        self._kept = kept_rows(known, self._columns)

    def columns(self, option: str) -> tuple[str, ...]:
        """Return the columns of rows, or those compared, each made where there is none yet."""
        found = self._named(option)
        for name, key in found:
            self._make(name, key)
        return tuple(dict.fromkeys(name for name, _ in found))

    def ignored(self, *, groups: bool) -> tuple[str, ...]:
        """Return the columns that are ignored; ``.config`` and ``.fullname`` as a whole only where that is asked."""
        found: list[str] = []
        for key in self._keys["ignore"]:
            if key.name not in _GROUPS:
                found.append(self._found(key, "ignore"))
            elif groups:
                found += self._group(key.name)
        return tuple(dict.fromkeys(filter(None, found)))

    @property
    def stated(self) -> tuple[str, ...]:
        """The axes that files state, vary, and no key names; none where ``.config`` is named."""
        named = any(one.name == ".config" for option in ("row", "col") for one in self._keys[option])
        frame, axes = self._columns.frame, () if named else self._axes
        varying = (one for one in axes if one not in self._cut.axes and frame[one].nunique(dropna=False) > 1)
        return tuple(one for one in varying if self._columns.configured(one))

    def joined(self) -> str:
        """Make a column of the combinations of those compared, in benchstat's order, and return its name."""
        parts = self._named("col")
        codes, told = np.zeros(len(self._columns.frame), dtype=np.int64), [""]
        for name, key in parts:
            texts = self._texts(name, key)
            met, codes = np.unique(codes * len(texts.levels) + _places(texts, key)[texts.codes], return_inverse=True)
            ordered = _ordered(texts, key)
            told = [f"{told[one // len(ordered)]} {ordered[one % len(ordered)]}".strip() for one in met.tolist()]
        name, levels = ", ".join(dict.fromkeys(name for name, _ in parts)), list(dict.fromkeys(told))
        asked = any(key.order != "first" for _, key in parts)
        self._made[name] = _categorical(np.array([levels.index(one) for one in told])[codes], levels, asked)
        return name

    def dressed(self, frame: pd.DataFrame, part: slice, left_out: Sequence[str]) -> pd.DataFrame:
        """Return the rows of one part with the columns made, without axes left out and the rows that no list holds."""
        found = frame.assign(**{name: one[part] for name, one in self._made.items()})
        found = found.drop(columns=[one for one in left_out if one in found and one not in SCHEMA])
        return found if self._kept is None else found[self._kept[part]]

    def _group(self, name: str) -> tuple[str, ...]:
        """Return the axes that files state, or that names do."""
        if name == ".config":
            return tuple(one for one in self._axes if self._columns.configured(one))
        return ("name", "benchmark", *(one for one in self._axes if self._columns.states(one)))

    def _named(self, option: str) -> list[tuple[str, Key]]:
        """Return the column of each key, ``.config`` spelled out; what go test left out is no column."""
        found = []
        for key in self._keys[option]:
            if key.name == ".config":
                stated = [one for one in self._group(".config") if one not in self._cut.axes]
                if not stated:
                    raise SelectionError(
                        f"{option} '.config': files state nothing that no other key names; {_there(self.known)}"
                    )
                found += [(one, key) for one in stated]
            elif name := self._found(key, option):
                found.append((name, key))
        return found

    def _found(self, key: Key, option: str) -> str:
        """Return the column of a key; nothing for a group, and for what go test may leave out."""
        name, axes = key.name, self._columns.axes
        if name in self.known or name in _OWN:
            return _OWN.get(name, name)
        if name.removeprefix("/") in axes:
            return axes[name.removeprefix("/")]
        if name in self._columns.keys:
            return name[1:] if name[1:] not in SCHEMA else f"{name[1:]}_axis"
        if name == ".config" or name in OF_GO:
            return ""
        raise SelectionError(
            f"{option} '{printable(name)}': no such column{suggestion(name, self.known)}; {_there(self.known)}"
        )

    def _texts(self, name: str, key: Key) -> Texts:
        """Return what a column says of each row, names without what other keys cut out of them."""
        columns = self._columns
        if name == "name":
            return columns.names_without(self._cut.keys)
        return columns.column(name) if name in columns.frame else values_of(key, columns)

    def _make(self, name: str, key: Key) -> None:
        """Make a column where there is none yet, or none in the order that is asked for."""
        frame = self._columns.frame
        if name not in frame or (name == "name" and self._cut.keys):
            texts = self._texts(name, key)
            told = _categorical(_places(texts, key)[texts.codes], _ordered(texts, key), key.order != "first")
            # An empty text is no level.
            self._made[name] = told.remove_categories([one for one in told.categories if not one])
        elif key.order != "first":
            levels = frame[name].dropna().unique().tolist()
            places = ranked([level_text(one) for one in levels], key, np.arange(len(levels)))
            ordered = [level for _, level in sorted(zip(places.tolist(), levels, strict=True), key=itemgetter(0))]
            self._made[name] = pd.Categorical(frame[name], categories=ordered, ordered=True)


def _places(texts: Texts, key: Key) -> NDArray[np.intp]:
    """Return the place of each text in the order of a key."""
    first = np.full(len(texts.levels), len(texts.codes), dtype=np.intp)
    np.minimum.at(first, texts.codes, np.arange(len(texts.codes)))
    return ranked(texts.levels, key, first)


def _ordered(texts: Texts, key: Key) -> list[str]:
    """Return texts in the order of a key."""
    return [text for _, text in sorted(zip(_places(texts, key).tolist(), texts.levels, strict=True))]


def _categorical(codes: NDArray[np.intp], levels: Sequence[str], ordered: bool) -> pd.Categorical[Any]:
    return pd.Categorical.from_codes(codes, categories=pd.Index(levels), ordered=ordered)


def _there(known: Sequence[str]) -> str:
    return f"there are {choices(known, 30)}"
