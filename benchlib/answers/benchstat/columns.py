"""The columns of a frame as texts: a code for each row, and the text each code stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.benchstat.names import base_name, name_axes, name_value, without
from benchlib.formats.table import as_number
from benchlib.results import SCHEMA

__all__ = ["Columns", "Texts", "level_text", "written"]

_AXIS = "_axis"


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """A text for each row; an empty one where a row has none.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
    levels : tuple of str
        Distinct; some may be of no row.
    """

    codes: NDArray[np.intp]
    levels: tuple[str, ...]

    def mapped(self, texts: Sequence[str]) -> Texts:
        """Return the texts that stand for each level, in its place."""
        known: dict[str, int] = {}
        small = np.asarray([known.setdefault(one, len(known)) for one in texts], dtype=np.intp)
        return Texts(small[self.codes], tuple(known))


def written(axis: str) -> str:
    """Return a configuration key as its file has it: one that is also a column of benchlib has ``_axis`` added.

    Examples
    --------
    >>> written("unit_axis"), written("goos")
    ('unit', 'goos')
    """
    stem = axis.removesuffix(_AXIS)
    return stem if stem in SCHEMA else axis


class Columns:
    """The columns of a frame, each made when it is asked for.

    Parameters
    ----------
    frame : DataFrame
        As in `benchlib.results.Results`.
    made_of_names : collection of str
        Axes that templates take out of names: no configuration.
    """

    def __init__(self, frame: pd.DataFrame, made_of_names: Sequence[str] = ()) -> None:
        self.frame = frame
        self.axes = {written(one): one for one in frame.columns if one not in SCHEMA}
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
        return [name_axes(one) for one in self.names.levels]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The ``/key`` of all names, in the order they come."""
        return tuple(f"/{one}" for one in dict.fromkeys(chain.from_iterable(self.of_names)))

    def base(self) -> Texts:
        """Return names without what their parts state."""
        return self.names.mapped([base_name(one) for one in self.names.levels])

    def part(self, key: str) -> Texts:
        """Return what names say of a ``/key``."""
        return self.names.mapped([name_value(one, key) for one in self.names.levels])

    def names_without(self, keys: frozenset[str]) -> Texts:
        """Return full names, keys cut out."""
        return self.names.mapped([without(one, keys) for one in self.names.levels]) if keys else self.names

    def states(self, axis: str) -> str:
        """Return the key of names that an axis comes from, or nothing.

        Examples
        --------
        >>> Columns(pd.DataFrame({"name": ["A/size=4"], "size": [4], "pkg": ["p"]})).states("size")
        '/size'
        """
        if axis == "case":
            return "case"
        key = f"/{written(axis)}"
        return key if key in self.keys else ""

    def configuration(self, axis: str) -> Texts:
        """Return an axis where a file states it, and nothing where the name of the benchmark does."""
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
        found = []
        for name, text in zip(*(one.tolist() for one in np.divmod(pairs, len(known.levels))), strict=True):
            said = known.levels[text]
            own = self.of_names[name]
            found.append("" if _says(names.levels[name], own.get(axis, own.get(written(axis))), axis, said) else said)
        return Texts(codes, ()).mapped(found)


def _says(name: str, own: str | None, axis: str, text: str) -> bool:
    """Whether a name says itself what the column of an axis holds."""
    if own is not None:
        return own == text or as_number(own) == as_number(text) is not None
    if axis == "case":
        # A template may have taken some of the parts.
        return all(f"/{one}" in name for one in text.split("/"))
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
    texts = [level_text(one) for one in levels]
    if len(codes) and codes.min() < 0:
        # What is missing has the code -1: the last of the levels.
        texts.append("")
    return Texts(codes.astype(np.intp, copy=False), ()).mapped(texts)


def level_text(value: object) -> str:
    """Write a level; whole numbers beside missing ones are floats only in their column.

    Examples
    --------
    >>> level_text(4.0), level_text(1.5), level_text("4k")
    ('4', '1.5', '4k')
    """
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
