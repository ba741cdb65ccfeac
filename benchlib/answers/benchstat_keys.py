"""Rows, columns and tables by benchstat's keys: ``.fullname``, ``/size@num``, ``pkg``, ``run@(old new)``.

Projections that belong together part the names and the configuration among them: a key that one names is cut out of
``.fullname`` and ``.config`` of the others, and what none of them names is left (`Projections.residue`). Beyond
benchstat's keys every axis of the frame is one, wherever it comes from.

Source: golang.org/x/perf/benchproc, ``projection.go``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.errors import SelectionError, choices, printable, suggestion
from benchlib.formats.table import as_number
from benchlib.results import SCHEMA

#: Names of benchlib for keys of benchstat.
_ALIASES = {"name": ".fullname", "run": ".file"}
_SPECIAL = (".config", ".fullname", ".name", ".file")
#: Keys that go test does not always write: naming an absent one is no mistake.
_OF_GO = frozenset({"/gomaxprocs", "goos", "goarch", "pkg", "cpu"})
#: Columns that are no axis and tell rows apart all the same.
_COLUMNS = ("benchmark", "source")
_LARGEST = 2**62
#: Orders by name; a list in brackets is the third kind.
_ORDERS = ("alpha", "num")
_OPERATORS = "():@,"
_WORD = re.compile(rf"[^\s{re.escape(_OPERATORS)}]+")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ACCEPTED = "write keys such as .fullname, /size@num, pkg or run@(old new), parted by commas"
_PREFIXES = "KMGTPEZY"
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?inf(?:inity)?|nan", re.ASCII | re.IGNORECASE)
_HEXADECIMAL = re.compile(r"[+-]?0x(?:[\da-f]+\.?[\da-f]*|\.[\da-f]+)p[+-]?\d+", re.ASCII | re.IGNORECASE)
_PREFIXED = re.compile(rf"([+-]?[0-9.]+)(?:([k{_PREFIXES}])(i?))?[bB]?", re.ASCII)
_AXIS = "_axis"
_SUFFIX = re.compile(r"-[0-9]+\Z")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Projection:
    """Rows of a frame told apart by some keys."""

    #: The keys; ``.config`` is spelled out into those there are.
    fields: tuple[str, ...]
    #: Which level each row has, -1 where a fixed order leaves the row out.
    codes: NDArray[np.intp]
    #: In order; of each level, the text of each field, empty where a row has none.
    levels: tuple[tuple[str, ...], ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """Each level in one text: what it has, parted by spaces."""
        return tuple(" ".join(filter(None, level)) for level in self.levels)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Projections:
    """Projections that part a frame among them."""

    table: Projection
    row: Projection
    column: Projection
    #: What none of them names: key and text of each row.
    residue: tuple[tuple[str, Texts], ...]


def project_together(
    frame: pd.DataFrame, *, table: str, row: str, column: str, ignore: str, made_of_names: Sequence[str] = ()
) -> Projections:
    """Part a frame into tables, rows and columns."""
    columns = Columns(frame, made_of_names)
    texts = {"--table": table, "--row": row, "--col": column, "--ignore": ignore}
    keys = {option: _known(parse_keys(text, option), columns, option) for option, text in texts.items()}
    every = tuple(key for parsed in keys.values() for key in parsed)
    rows, cut = _kept_rows(every, columns), Cut.by(every, columns)
    named = {key.name for key in every}
    left = [Key(name=name, order="first", fixed=()) for name in (".config", ".fullname") if name not in named]
    residue = [each for key in left for each in _fields(key, columns, rows, cut)]
    return Projections(
        table=_projection(keys["--table"], columns, rows, cut),
        row=_projection(keys["--row"], columns, rows, cut),
        column=_projection(keys["--col"], columns, rows, cut),
        residue=tuple(residue),
    )


def _known(keys: tuple[Key, ...], columns: Columns, option: str) -> tuple[Key, ...]:
    """Return the keys by the names they have here, or say what there is."""
    known = []
    for key in keys:
        name = key.name
        if name in _ALIASES and name not in columns.axes:
            name = _ALIASES[name]
        there = name in _SPECIAL or name in columns.axes or name in columns.keys or name in _OF_GO
        if not there and not (name in _COLUMNS and name in columns.frame):
            raise _unknown(key.name, columns, option)
        known.append(replace(key, name=name))
    return tuple(known)


def _unknown(name: str, columns: Columns, option: str) -> SelectionError:
    there = [*_SPECIAL, *columns.keys, *columns.axes]
    if name == ".unit" or name in ("unit", "metric"):
        return SelectionError(f"{option} '{name}': every unit has a table of its own; choose among them with --where")
    return SelectionError(
        f"{option} '{printable(name)}': nothing here has this key{suggestion(name, there)}; "
        f"there are {choices(there, 30)}"
    )


def _fields(key: Key, columns: Columns, rows_kept: NDArray[np.bool_] | None, cut: Cut) -> list[tuple[str, Texts]]:
    """Return the fields of a key: one, or for ``.config`` each key of the configuration that a row has."""
    if key.name == ".fullname":
        return [(".fullname", columns.names_without(cut.keys))]
    if key.name != ".config":
        return [(key.name, _values_of(key, columns))]
    fields = []
    for name, axis in columns.axes.items():
        if axis not in cut.axes:
            texts = columns.configuration(axis)
            stated = np.asarray([bool(level) for level in texts.levels])
            rows = stated[texts.codes] if rows_kept is None else stated[texts.codes] & rows_kept
            if rows.any():
                fields.append((int(rows.argmax()), name, texts))
    # In the order in which results first state them; those of one result as the frame has them.
    fields.sort(key=lambda entry: entry[0])
    return [(name, texts) for _, name, texts in fields]


def _projection(keys: Sequence[Key], columns: Columns, wanted: NDArray[np.bool_] | None, cut: Cut) -> Projection:
    rows = np.arange(len(columns.frame)) if wanted is None else np.flatnonzero(wanted)
    fields: list[tuple[str, Texts]] = []
    codes, size = np.zeros(len(rows), dtype=np.int64), 1
    for key in keys:
        # The keys of .config are sorted by letter, as in benchstat.
        each = replace(key, order="alpha") if key.name == ".config" and key.order == "first" else key
        for name, texts in _fields(key, columns, wanted, cut):
            fields.append((name, texts))
            own = texts.codes[rows]
            places = _ranked(texts.levels, each, _first_rows(own, len(texts.levels)))
            if size * len(texts.levels) > _LARGEST:
                uniques, codes = np.unique(codes, return_inverse=True)
                size = len(uniques)
            codes = codes * len(texts.levels) + places[own]
            size *= len(texts.levels)
    codes, uniques = pd.factorize(codes, sort=True)
    first = rows[_first_rows(codes, len(uniques))]
    texts_of = [[texts.levels[level] for level in texts.codes[first].tolist()] for _, texts in fields]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key of a projection."""

    #: As written: ``.fullname``, ``/size``, ``pkg``.
    name: str
    #: ``"first"`` (as first seen), ``"alpha"``, ``"num"`` or ``"fixed"``.
    order: str
    #: The values of a fixed order, which leaves all others out.
    fixed: tuple[str, ...]


def parse_keys(text: str, option: str = "keys") -> tuple[Key, ...]:
    """Return the keys of a projection."""
    tokens = [*_tokens(text, option), ("", "")]
    keys: list[Key] = []
    at = 0
    while tokens[at][1]:
        at += bool(keys) and tokens[at] == ("op", ",")
        name = _word(tokens[at], text, option, "a key")
        key, at = Key(name=name, order="first", fixed=()), at + 1
        if tokens[at] == ("op", "@"):
            key, at = _ordered(name, tokens, at + 1, text, option)
        keys.append(key)
    return tuple(keys)


def _ordered(name: str, tokens: list[tuple[str, str]], at: int, text: str, option: str) -> tuple[Key, int]:
    """Read what follows ``@``; return the key and the place after it."""
    if tokens[at] != ("op", "("):
        order = _word(tokens[at], text, option, "an order")
        if order not in _ORDERS:
            raise SelectionError(
                f"{option} '{printable(text)}': no order '{printable(order)}'{suggestion(order, _ORDERS)}; "
                f"orders are {choices(_ORDERS)} and a list such as @(a b)"
            )
        return Key(name=name, order=order, fixed=()), at + 1
    fixed: list[str] = []
    if name == ".config":
        raise SelectionError(f"{option} '.config@(…)': a list orders the values of one key; name that key")
    at += 1
    while not fixed or tokens[at] != ("op", ")"):
        fixed.append(_word(tokens[at], text, option, "a value of the order"))
        at += 1
    return Key(name=name, order="fixed", fixed=tuple(fixed)), at + 1


def _word(token: tuple[str, str], text: str, option: str, wanted: str) -> str:
    kind, word = token
    if kind != "word":
        shown = f"'{printable(word, 40)}'" if word else "the end"
        raise SelectionError(f"{option} '{printable(text)}': expected {wanted}, found {shown}; {_ACCEPTED}")
    return word


def _tokens(text: str, option: str) -> Iterator[tuple[str, str]]:
    """Cut a text into words and operators; ``-`` and ``*`` are operators of filters where a word would begin."""
    at = 0
    while at < len(text):
        character = text[at]
        if character.isspace():
            at += 1
        elif character in _OPERATORS or character in "-*":
            yield "op", character
            at += 1
        elif character == '"':
            match = _QUOTED.match(text, at)
            if match is None or not match[1]:
                what = "a quoted word is empty" if match else "a quote is left open"
                raise SelectionError(f"{option} '{printable(text)}': {what}; {_ACCEPTED}")
            yield "word", re.sub(r"\\(.)", r"\1", match[1])
            at = match.end()
        else:
            word = _WORD.match(text, at)
            assert word is not None  # neither space nor operator stands here
            # AND and OR belong to filters.
            yield "op" if word[0] in ("AND", "OR") else "word", word[0]
            at = word.end()


def _ranked(texts: Sequence[str], key: Key, first: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the place of each text in the order of a key.

    Source: golang.org/x/perf/benchproc, ``sort.go``.
    """
    if key.order == "first":
        order = np.argsort(first, kind="stable")
    else:
        order = np.asarray(sorted(range(len(texts)), key=lambda place: _place(texts[place], key)), dtype=np.intp)
    places = np.empty(len(texts), dtype=np.intp)
    places[order] = np.arange(len(texts))
    return places


def _place(text: str, key: Key) -> tuple[int, float, str]:
    """Return what a text is sorted by."""
    if key.order == "alpha":
        return 0, 0.0, text
    if key.order == "num":
        return (*_number(text), text)
    # A text listed twice takes the place of its last listing.
    places = [place for place, level in enumerate(key.fixed) if level == text]
    return (0, places[-1], "") if places else (1, 0.0, text)


def _number(text: str) -> tuple[int, float]:
    """Return the sort key of a text by number: numbers first, then NaN, then words."""
    value = _float(text)
    if value is None and (match := _PREFIXED.fullmatch(text)):
        value = _float(match[1])
        if value is not None and match[2]:
            value *= (1024.0 if match[3] else 1000.0) ** (1 + _PREFIXES.index(match[2].upper()))
    if value is None:
        return 2, 0.0
    return (1, 0.0) if math.isnan(value) else (0, value)


def _float(text: str) -> float | None:
    """Read a number as Go's strconv does, which refuses one that is too large."""
    if _DECIMAL.fullmatch(text):
        value = float(text)
    elif _HEXADECIMAL.fullmatch(text):
        try:
            value = float.fromhex(text)
        except OverflowError:
            return None
    else:
        return None
    return None if math.isinf(value) and any(character.isdigit() for character in text) else value


@dataclass(frozen=True, slots=True)
class Cut:
    """What specific keys take out of the whole."""

    #: Out of ``.config``.
    axes: frozenset[str]
    #: Out of ``.fullname``.
    keys: frozenset[str]

    @classmethod
    def by(cls, keys: Sequence[Key], columns: Columns) -> Cut:
        """Return what keys take out."""
        names = [key.name for key in keys]
        own = {name for name in names if name == ".name" or name.startswith("/")}
        axes = {columns.axes[name] for name in names if name in columns.axes}
        # An axis that only names state is cut out of the names, as /key is.
        own |= {stated for axis in axes if (stated := columns.states(axis)) and not columns.configured(axis)}
        return cls(frozenset(axes), frozenset(own | ({".name"} if "benchmark" in names else set())))


def _values_of(key: Key, columns: Columns) -> Texts:
    """Return what a specific key says of each row."""
    name = key.name
    if name == ".file":
        return columns.column("run")
    if name == ".name":
        return columns.base()
    if name == ".fullname":
        return columns.names
    if name.startswith("/"):
        return columns.part(name)
    if name in columns.axes:
        axis = columns.axes[name]
        return columns.configuration(axis) if columns.configured(axis) else columns.column(axis)
    if name in columns.frame:
        return columns.column(name)
    return Texts(np.zeros(len(columns.frame), dtype=np.intp), ("",))


def _kept_rows(keys: Sequence[Key], columns: Columns) -> NDArray[np.bool_] | None:
    """Return the rows that fixed orders leave in; None for all."""
    rows: NDArray[np.bool_] | None = None
    for key in keys:
        if key.order == "fixed":
            texts = _values_of(key, columns)
            listed = np.asarray([level in key.fixed for level in texts.levels], dtype=bool)[texts.codes]
            rows = listed if rows is None else rows & listed
            if not rows.any():
                shown = f"'{printable(key.name)}@({printable(' '.join(key.fixed))})'"
                takes = f"{printable(key.name)} takes {choices(filter(None, texts.levels))}"
                beside = ", of those that lists before it leave" if listed.any() else ""
                raise SelectionError(f"{shown} leaves no row{beside}; {takes}")
    return rows


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """A text for each row; an empty one where a row has none."""

    codes: NDArray[np.intp]
    #: Distinct; some may be of no row.
    levels: tuple[str, ...]

    def mapped(self, texts: Sequence[str]) -> Texts:
        """Return the texts that stand for each level, in its place."""
        known: dict[str, int] = {}
        small = np.asarray([known.setdefault(text, len(known)) for text in texts], dtype=np.intp)
        return Texts(small[self.codes], tuple(known))


def _written(axis: str) -> str:
    """Return a configuration key as its file has it: one that is also a column of benchlib has ``_axis`` added."""
    stem = axis.removesuffix(_AXIS)
    return stem if stem in SCHEMA else axis


class Columns:
    """The columns of a frame, each made when it is asked for."""

    def __init__(self, frame: pd.DataFrame, made_of_names: Sequence[str] = ()) -> None:
        self.frame = frame
        self.axes = {_written(column): column for column in frame.columns if column not in SCHEMA}
        self._made_of_names = frozenset(made_of_names)
        self._known: dict[str, Texts] = {}
        self._configuration: dict[str, Texts] = {}

    def column(self, name: str) -> Texts:
        """Return a column of the frame as texts."""
        if name not in self._known:
            self._known[name] = _texts(self.frame[name])
        return self._known[name]

    @property
    def names(self) -> Texts:
        """Full names."""
        return self.column("name")

    @cached_property
    def of_names(self) -> list[dict[str, str]]:
        """What each full name states."""
        return [_name_axes(level) for level in self.names.levels]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The ``/key`` of all names, in the order they come."""
        return tuple(f"/{key}" for key in dict.fromkeys(chain.from_iterable(self.of_names)))

    def base(self) -> Texts:
        """Return names without what their parts state."""
        return self.names.mapped([_base_name(level) for level in self.names.levels])

    def part(self, key: str) -> Texts:
        """Return what names say of a ``/key``."""
        return self.names.mapped([_name_value(level, key) for level in self.names.levels])

    def names_without(self, keys: frozenset[str]) -> Texts:
        """Return full names, keys cut out."""
        return self.names.mapped([_without(level, keys) for level in self.names.levels]) if keys else self.names

    def states(self, axis: str) -> str:
        """Return the key of names that an axis comes from, or nothing."""
        if axis == "case":
            return "case"
        key = f"/{_written(axis)}"
        return key if key in self.keys else ""

    def configuration(self, axis: str) -> Texts:
        """Return an axis that a file states, or nothing if the name of the benchmark states it."""
        if axis not in self._configuration:
            self._configuration[axis] = self._stated(axis)
        return self._configuration[axis]

    def configured(self, axis: str) -> bool:
        """Whether a file states an axis."""
        return any(self.configuration(axis).levels)

    def _stated(self, axis: str) -> Texts:
        known, names = self.column(axis), self.names
        if axis in self._made_of_names:
            return Texts(np.zeros(len(self.frame), dtype=np.intp), ("",))
        if not self.states(axis):
            return known
        codes, pairs = pd.factorize(names.codes * len(known.levels) + known.codes)
        stated = []
        for name, text in zip(*(part.tolist() for part in np.divmod(pairs, len(known.levels))), strict=True):
            said = known.levels[text]
            own = self.of_names[name]
            stated.append("" if _says(names.levels[name], own.get(axis, own.get(_written(axis))), axis, said) else said)
        return Texts(codes, ()).mapped(stated)


def _says(name: str, own: str | None, axis: str, text: str) -> bool:
    """Whether a name says itself what the column of an axis holds."""
    if own is not None:
        return own == text or as_number(own) == as_number(text) is not None
    if axis == "case":
        # A template may have taken some of the parts.
        return all(f"/{part}" in name for part in text.split("/"))
    # go test -cpu=1,2 writes no suffix for 1, which the reader fills in.
    return axis == "gomaxprocs" and text == "1"


def _texts(column: pd.Series[Any]) -> Texts:
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, levels = column.cat.codes.to_numpy(), column.cat.categories.tolist()
    else:
        values = column.to_numpy()
        if values.strides == (0,) and len(values):
            codes, levels = np.zeros(len(values), dtype=np.intp), values[:1].tolist()
            if pd.isna(levels[0]):
                levels = [""]
        else:
            codes, uniques = pd.factorize(values)
            levels = uniques.tolist()
    texts = [_level_text(level) for level in levels]
    if len(codes) and codes.min() < 0:
        # What is missing has the code -1: the last of the levels.
        texts.append("")
    return Texts(codes.astype(np.intp, copy=False), ()).mapped(texts)


def _level_text(value: object) -> str:
    """Write a level; whole numbers beside missing ones are floats only in their column."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _parts(name: str) -> tuple[str, list[str], str]:
    """Cut a name into its base, its parts with their slash, and a ``-N`` suffix with its dash."""
    suffix = match[0] if (match := _SUFFIX.search(name)) else ""
    base, *parts = name[: len(name) - len(suffix)].split("/")
    return base, [f"/{part}" for part in parts], suffix


def _base_name(name: str) -> str:
    """Return a name without its parts and without ``-N``."""
    return _parts(name)[0]


def _name_value(name: str, key: str) -> str:
    """Return the value of a ``/key`` of a name, or nothing; ``/gomaxprocs`` is also what ``-N`` says."""
    _, parts, suffix = _parts(name)
    if key == "/gomaxprocs" and suffix:
        return suffix[1:]
    return next((part[len(key) + 1 :] for part in parts if part.startswith(f"{key}=")), "")


def _name_axes(name: str) -> dict[str, str]:
    """Return the axes that a name states: its keys without the slash, the last of a key that stands twice."""
    head, dash, tail = name.rpartition("-")
    suffixed = bool(dash) and tail.isascii() and tail.isdigit()
    axes = {}
    for part in (head if suffixed else name).split("/")[1:]:
        key, equals, value = part.partition("=")
        if equals and key and value:
            axes[key] = value
    if suffixed:
        axes.setdefault("gomaxprocs", tail)
    return axes


def _without(name: str, keys: Collection[str]) -> str:
    """Return a name without some of its keys; without ``.name`` it begins with ``*``.

    ``case`` takes out the parts that state no key, which benchlib has as an axis of that name.
    """
    base, parts, suffix = _parts(name)
    left = [part for part in parts if ("case" if "=" not in part else part.partition("=")[0]) not in keys]
    ending = "" if "/gomaxprocs" in keys else suffix
    return ("*" if ".name" in keys else base) + "".join(left) + ending
