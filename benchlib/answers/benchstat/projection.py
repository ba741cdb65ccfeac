"""Rows, columns and tables by benchstat's keys: ``.fullname``, ``/size@num``, ``pkg``, ``run@(old new)``.

Projections that belong together part the names and the configuration among them: a key that one names is
cut out of ``.fullname`` and ``.config`` of the others, and what none of them names is left (`Projections.residue`).
Beyond benchstat's keys every axis of the frame is one, wherever it comes from.

References
----------
golang.org/x/perf/benchproc, ``projection.go``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.benchstat.columns import Columns, Texts
from benchlib.answers.benchstat.keys import Key, parse_keys
from benchlib.answers.benchstat.meaning import Cut, kept_rows, values_of
from benchlib.answers.benchstat.orders import ranked
from benchlib.errors import SelectionError, choices, printable, suggestion

__all__ = ["OF_GO", "Projection", "Projections", "project", "project_together"]

#: Names of benchlib for keys of benchstat.
_ALIASES = {"name": ".fullname", "run": ".file"}
_SPECIAL = (".config", ".fullname", ".name", ".file")
#: What go test may write, or not: to name one that is not there is no mistake.
OF_GO = frozenset({"/gomaxprocs", "goos", "goarch", "pkg", "cpu"})
#: Columns that are no axis and tell rows apart all the same.
_COLUMNS = ("benchmark", "source")
_LARGEST = 2**62


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Projection:
    """Rows of a frame told apart by some keys.

    Attributes
    ----------
    fields : tuple of str
        The keys; ``.config`` is spelled out into those there are.
    codes : ndarray of int, shape (n,)
        Which level each row has, -1 where a fixed order leaves the row out.
    levels : tuple of tuple of str
        In order; of each level, the text of each field, empty where a row has none.
    """

    fields: tuple[str, ...]
    codes: NDArray[np.intp]
    levels: tuple[tuple[str, ...], ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """Each level in one text: what it has, parted by spaces."""
        return tuple(" ".join(filter(None, one)) for one in self.levels)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Projections:
    """Projections that part a frame among them.

    Attributes
    ----------
    table, row, column : Projection
    residue : tuple of (str, Texts)
        What none of them names: key and text of each row.
    """

    table: Projection
    row: Projection
    column: Projection
    residue: tuple[tuple[str, Texts], ...]


def project(frame: pd.DataFrame, keys: str, *, option: str = "keys", made_of_names: Sequence[str] = ()) -> Projection:
    """Tell the rows of a frame apart by keys, levels in benchstat's order.

    Parameters
    ----------
    frame : DataFrame
        As in `benchlib.results.Results`.
    keys : str
        ``.fullname``, ``.name``, ``.file`` (the column ``run``), ``.config`` (what no name states), ``/key`` of
        names, configuration keys and axes; with ``@alpha``, ``@num`` or ``@(a b)``, else in order of appearance.
    option : str
        What the keys were given as, for errors.
    made_of_names : sequence of str
        Axes that a study's templates take out of names.

    Raises
    ------
    SelectionError
        For keys that are none, or that nothing in the frame has.

    Examples
    --------
    >>> frame = pd.DataFrame({"name": ["A/size=2k", "A/size=512", "A/size=2k"], "run": "new"})
    >>> found = project(frame, "/size@num")
    >>> found.labels, found.codes.tolist()
    (('512', '2k'), [1, 0, 1])
    >>> project(frame, "/size@(2k)").codes.tolist()
    [0, -1, 0]
    """
    columns = Columns(frame, made_of_names)
    parsed = _known(parse_keys(keys, option), columns, option)
    kept = kept_rows(parsed, columns)
    return _projection(parsed, columns, kept, Cut.by(parsed, columns))


def project_together(
    frame: pd.DataFrame, *, table: str, row: str, column: str, ignore: str, made_of_names: Sequence[str] = ()
) -> Projections:
    """Part a frame into tables, rows and columns.

    Parameters
    ----------
    frame : DataFrame
    table, row, column, ignore : str
        Keys as in `project`; those ignored are cut out of all others.
    made_of_names : sequence of str

    Raises
    ------
    SelectionError
        For keys that are none, or that nothing in the frame has.

    Examples
    --------
    >>> frame = pd.DataFrame({"name": ["A/io=1", "A/io=2"], "run": ["old", "new"], "goos": "linux"})
    >>> found = project_together(frame, table=".config", row=".fullname", column=".file", ignore="/io")
    >>> found.row.labels, found.column.labels, found.table.levels
    (('A',), ('old', 'new'), (('linux',),))
    """
    columns = Columns(frame, made_of_names)
    texts = {"--table": table, "--row": row, "--col": column, "--ignore": ignore}
    keys = {option: _known(parse_keys(text, option), columns, option) for option, text in texts.items()}
    every = tuple(one for parsed in keys.values() for one in parsed)
    kept, cut = kept_rows(every, columns), Cut.by(every, columns)
    named = {one.name for one in every}
    left = [Key(name=one, order="first", fixed=()) for one in (".config", ".fullname") if one not in named]
    residue = [each for one in left for each in _fields(one, columns, kept, cut)]
    return Projections(
        table=_projection(keys["--table"], columns, kept, cut),
        row=_projection(keys["--row"], columns, kept, cut),
        column=_projection(keys["--col"], columns, kept, cut),
        residue=tuple(residue),
    )


def _known(keys: tuple[Key, ...], columns: Columns, option: str) -> tuple[Key, ...]:
    """Return the keys by the names they have here, or say what there is."""
    found = []
    for key in keys:
        name = key.name
        if name in _ALIASES and name not in columns.axes:
            name = _ALIASES[name]
        there = name in _SPECIAL or name in columns.axes or name in columns.keys or name in OF_GO
        if not there and not (name in _COLUMNS and name in columns.frame):
            raise _unknown(key.name, columns, option)
        found.append(replace(key, name=name))
    return tuple(found)


def _unknown(name: str, columns: Columns, option: str) -> SelectionError:
    there = [*_SPECIAL, *columns.keys, *columns.axes]
    if name == ".unit" or name in ("unit", "metric"):
        return SelectionError(f"{option} '{name}': every unit has a table of its own; choose among them with --where")
    return SelectionError(
        f"{option} '{printable(name)}': nothing here has this key{suggestion(name, there)}; "
        f"there are {choices(there, 30)}"
    )


def _fields(key: Key, columns: Columns, kept: NDArray[np.bool_] | None, cut: Cut) -> list[tuple[str, Texts]]:
    """Return the fields of a key: one, or for ``.config`` each key of the configuration that a row has."""
    if key.name == ".fullname":
        return [(".fullname", columns.names_without(cut.keys))]
    if key.name != ".config":
        return [(key.name, values_of(key, columns))]
    found = []
    for name, axis in columns.axes.items():
        if axis not in cut.axes:
            texts = columns.configuration(axis)
            stated = np.asarray([bool(one) for one in texts.levels])
            rows = stated[texts.codes] if kept is None else stated[texts.codes] & kept
            if rows.any():
                found.append((int(rows.argmax()), name, texts))
    # In the order in which results first state them; those of one result as the frame has them.
    found.sort(key=lambda one: one[0])
    return [(name, texts) for _, name, texts in found]


def _projection(keys: Sequence[Key], columns: Columns, kept: NDArray[np.bool_] | None, cut: Cut) -> Projection:
    rows = np.arange(len(columns.frame)) if kept is None else np.flatnonzero(kept)
    fields: list[tuple[str, Texts]] = []
    codes, size = np.zeros(len(rows), dtype=np.int64), 1
    for key in keys:
        # What .config takes together stands by letter, whatever comes first: so it does in benchstat.
        each = replace(key, order="alpha") if key.name == ".config" and key.order == "first" else key
        for name, texts in _fields(key, columns, kept, cut):
            fields.append((name, texts))
            own = texts.codes[rows]
            places = ranked(texts.levels, each, _first_rows(own, len(texts.levels)))
            if size * len(texts.levels) > _LARGEST:
                uniques, codes = np.unique(codes, return_inverse=True)
                size = len(uniques)
            codes = codes * len(texts.levels) + places[own]
            size *= len(texts.levels)
    codes, uniques = pd.factorize(codes, sort=True)
    first = rows[_first_rows(codes, len(uniques))]
    texts_of = [[texts.levels[one] for one in texts.codes[first].tolist()] for _, texts in fields]
    every = np.full(len(columns.frame), -1, dtype=np.intp)
    every[rows] = codes
    return Projection(
        fields=tuple(name for name, _ in fields),
        codes=every,
        levels=tuple(zip(*texts_of, strict=True)) if fields else ((),) * len(uniques),
    )


def _first_rows(codes: NDArray[np.intp], levels: int) -> NDArray[np.intp]:
    """Return the first row of each level; the number of rows where it has none."""
    first = np.full(levels, len(codes), dtype=np.intp)
    # The last to write wins: read backwards, that is the first.
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return first
