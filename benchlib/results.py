"""Results: one tidy table of everything that was measured, and where each value came from.

One row per measured value, in base units. The columns are those of `SCHEMA`, with one column per
configuration axis between ``benchmark`` and ``run``. Rows whose operations failed are kept apart
in `Results.failed`, so that no table, fit or figure takes a failed call for a result.
"""

from __future__ import annotations

import fnmatch
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.caveats import Caveat
from benchlib.errors import SelectionError, choices, printable, suggestion
from benchlib.metrics import Metric, canonical

__all__ = [
    "RECORDED",
    "REQUESTS_BY_SECOND",
    "SCHEMA",
    "LineCounts",
    "Problem",
    "Results",
    "Series",
    "SourceFile",
    "condition",
    "matches",
    "meeting",
]

#: Columns every table has, in order; configuration axes stand between the two groups.
NAMES = ("name", "benchmark")
MEASURES = (
    "run",
    "metric",
    "unit",
    "value",
    "original_unit",
    "iterations",
    "errors",
    "position",
    "source",
    "line",
)
SCHEMA = NAMES + MEASURES


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a file that should have been a result and is not."""

    source: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.message}" if self.line else f"{self.source}: {self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LineCounts:
    """What became of the lines of a text file (or the records of a structured one)."""

    data: int
    context: int
    problem: int
    noise: int

    @property
    def total(self) -> int:
        """All lines: each is exactly one of the four."""
        return self.data + self.context + self.problem + self.noise


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file that was read: its format, what it also contains, its hash, and its lines."""

    source: str
    format: str
    contains: tuple[str, ...]
    sha256: str
    rows: int
    lines: LineCounts


#: The kind of a series that says when a run was recorded, or its commit was made: ISO 8601, under the name of the run.
RECORDED = "recorded"
#: The kind of a series that counts the requests of each second: second, succeeded, failed.
REQUESTS_BY_SECOND = "requests-by-second"


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A histogram, timeline or remark that belongs to a result rather than to one value."""

    kind: str
    name: str
    source: str
    line: int
    data: tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Results:
    """Benchmark results as one tidy table.

    Attributes
    ----------
    frame : pandas.DataFrame
        The sound rows, columns as in `SCHEMA` plus the axes.
    failed : pandas.DataFrame
        Rows with failed operations behind them, same columns.
    problems : tuple of Problem
    files : tuple of SourceFile
    metrics : mapping of str to Metric
    series : tuple of Series
    caveats : tuple of Caveat
        What reading found that every conclusion should carry.
    """

    frame: pd.DataFrame
    failed: pd.DataFrame
    problems: tuple[Problem, ...]
    files: tuple[SourceFile, ...]
    metrics: Mapping[str, Metric]
    series: tuple[Series, ...]
    caveats: tuple[Caveat, ...]

    @property
    def axes(self) -> tuple[str, ...]:
        """The configuration axes, in column order."""
        return tuple(column for column in self.frame.columns if column not in SCHEMA)

    @property
    def varying_axes(self) -> tuple[str, ...]:
        """The axes that take two values or more (a missing value counts as one)."""
        return tuple(axis for axis in self.axes if self.frame[axis].nunique(dropna=False) > 1)

    def levels(self, axis: str) -> tuple[Any, ...]:
        """The values an axis takes, numbers in order and words as first seen.

        Raises
        ------
        SelectionError
            If there is no such axis.
        """
        self._require(axis)
        column = self.frame[axis].dropna().unique()
        # pandas keeps whole numbers beside missing ones as 32.0: they are shown as they were written.
        whole = (int(level) if isinstance(level, float) and level.is_integer() else level for level in column.tolist())
        seen = list(dict.fromkeys(whole))
        return tuple(sorted(seen) if all(isinstance(level, (int, float)) for level in seen) else seen)

    def sources(self) -> frozenset[str]:
        """The files that hold a row, sound or failed.

        Examples
        --------
        >>> from benchlib.study import open_study
        >>> results = open_study("data/lplex").results
        >>> len(results.files), sorted(results.select("run=new").sources())
        (2, ['new.txt'])
        """
        return frozenset(str(source) for table in (self.frame, self.failed) for source in table["source"].unique())

    def select(self, where: str) -> Results:
        """Return the rows that meet a condition such as ``"benchmark=Sender* bits=32,64"``.

        Parameters
        ----------
        where : str
            Terms ``column=pattern`` (or ``column!=pattern``), all of which must hold. Patterns
            are globs; a comma separates alternatives; quote a value that holds a space. An empty
            condition selects everything.

        Raises
        ------
        SelectionError
            If a term is malformed, names no column, or nothing is left.

        Examples
        --------
        >>> results.select("metric=time").frame["value"].tolist()  # doctest: +SKIP
        [0.0001642]
        """
        if not where.strip():
            return self
        terms = condition(where)
        for column, _, _ in terms:
            self._require(column)
        rows = self.frame[meeting(self.frame, terms)]
        failed = self.failed[meeting(self.failed, terms)]
        if rows.empty and failed.empty:
            raise SelectionError(f"'{printable(where)}' selects no row; {self._nearest(terms)}")
        return replace(self, frame=rows, failed=failed)

    def _nearest(self, terms: Sequence[tuple[str, bool, str]]) -> str:
        for column, positive, pattern in terms:
            if positive and not meeting(self.frame, [(column, True, pattern)]).any():
                levels = [level for level in map(str, self.levels(column)) if level]
                return f"{column} takes {choices(levels)}" if levels else f"no row has a {column}"
        return "each term matches rows, but none matches all; drop one"

    def _require(self, column: str) -> None:
        if column not in self.frame.columns:
            known = [*NAMES, *self.axes, "run", "metric", "unit", "source"]
            raise SelectionError(
                f"no column '{printable(column)}'{suggestion(column, known)}; there are {choices(known, 30)}"
            )


#: Splitting takes time with every character; nobody writes this many.
_LONGEST_CONDITION = 20_000


def condition(where: str) -> list[tuple[str, bool, str]]:
    """Split a condition into terms ``(column, positive, pattern)``.

    Raises
    ------
    SelectionError
        If a quote is left open or a term has no ``=``.

    Examples
    --------
    >>> condition("gateway=direct benchmark!='a b'")
    [('gateway', True, 'direct'), ('benchmark', False, 'a b')]
    """
    if len(where) > _LONGEST_CONDITION:
        raise SelectionError(
            f"'{printable(where, 40)}': {len(where):,} characters; write at most {_LONGEST_CONDITION:,}"
        )
    try:
        words = shlex.split(where)
    except ValueError as error:
        raise SelectionError(f"'{printable(where)}': a quote is left open; close it") from error
    terms = []
    for word in words:
        column, equals, pattern = word.partition("=")
        if not equals or not column.rstrip("!"):
            raise SelectionError(
                f"'{printable(word)}' is not a condition; write column=pattern, e.g. benchmark=Sender*"
            )
        if column.removesuffix("!") == "metric":
            pattern = ",".join(map(canonical, pattern.split(",")))
        terms.append((column.removesuffix("!"), not column.endswith("!"), pattern))
    return terms


def meeting(frame: pd.DataFrame, terms: Sequence[tuple[str, bool, str]]) -> NDArray[np.bool_]:
    """Return which rows of a table meet every term of a condition, in the form of `condition`.

    Examples
    --------
    >>> meeting(pd.DataFrame({"run": ["old", "new", None]}), condition("run=n*")).tolist()
    [False, True, False]
    """
    chosen = np.ones(len(frame), dtype=bool)
    for column, positive, pattern in terms:
        places, levels = pd.factorize(frame[column])
        # The last is that of no level, which factorize places at -1.
        meets = np.array([*(matches(level, pattern) for level in levels.tolist()), False])
        chosen &= meets[places] == positive
    return chosen


def matches(value: object, pattern: str) -> bool:
    """Whether a level meets a pattern of a condition.

    Examples
    --------
    >>> matches(32.0, "16,32"), matches("abc", "a*")
    (True, True)
    """
    # A whole number compares as one whether its axis is stored as 32 or 32.0.
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return any(fnmatch.fnmatchcase(text, choice) for choice in [pattern, *pattern.split(",")])
