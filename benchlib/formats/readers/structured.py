"""What readers of structured files share: one record at a time, and a bad one spoils no other."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from benchlib.errors import DataError, printable
from benchlib.formats.json_text import Document
from benchlib.formats.ledger import Records
from benchlib.formats.reading import Reading, Rows
from benchlib.results import LineCounts, Series

__all__ = ["Building", "axes_of", "cells", "decimal", "record_lines", "refused"]

#: What a record turned out to be; one that is a problem raises DataError instead.
Kept = Literal["data", "context", "noise"]

#: Name, metric, value, unit, iterations, errors: a million of them wait in a file of a million rounds.
_Value = tuple[str, str | None, float, str, float | None, float | None]

#: Columns that a configuration fills when it names them: a parameter of that name is an axis.
_RESERVED = ("benchmark", "run")
_LONGEST_TEXT = 200


class Building:
    """The reading of one file, record by record.

    Parameters
    ----------
    source : str
    lines : sequence of int
        The line on which each record starts.
    """

    def __init__(self, source: str, lines: Sequence[int]) -> None:
        self.source = source
        self.records = Records(lines)
        self.rows = Rows()
        self.configurations: list[Mapping[str, Any]] = []
        self.series: list[Series] = []
        #: The record being read, and its line.
        self.record = 0
        self.line = 1
        # Values wait here until their record is known to be sound.
        self._waiting: list[_Value] = []

    def each(self, found: Iterable[Any], read: Callable[[Any], Kept]) -> None:
        """Read every record; one that raises DataError is a problem, and leaves no value behind."""
        for record, one in enumerate(found):
            self.record, self.line = record, self.records.line(record)
            self._waiting = []
            try:
                fate = read(one)
            except DataError as error:
                self.records.problem(record, f"{error}; record left out")
                continue
            self._keep()
            if fate == "data":
                self.records.data(record)
            elif fate == "context":
                self.records.context(record)

    def configure(self, axes: Mapping[str, Any]) -> None:
        """State the axes of the values of the record being read."""
        self.configurations.append(axes)

    def add(
        self,
        name: str,
        metric: str | None,
        value: float,
        unit: str,
        *,
        iterations: float | None = None,
        errors: float | None = None,
    ) -> None:
        """Add a value of the record being read, in its configuration."""
        self._waiting.append((name, metric, value, unit, iterations, errors))

    def _keep(self) -> None:
        configuration = len(self.configurations) - 1
        for name, metric, value, unit, iterations, errors in self._waiting:
            self.rows.add(
                name=name,
                metric=metric,
                value=value,
                unit=unit,
                line=self.line,
                configuration=configuration,
                iterations=iterations,
                errors=errors,
            )

    def note(self, message: str) -> None:
        """Record a problem with part of the record being read."""
        self.records.note(self.record, message)

    def remark(self, kind: str, name: str = "", data: tuple[Any, ...] = ()) -> None:
        """Add a series that belongs to the record being read."""
        self.series.append(Series(kind=kind, name=name, source=self.source, line=self.line, data=data))

    def reading(self, problems: Iterable[tuple[int, str]] = (), *, wanted: str) -> Reading:
        """Return the reading; a file of no value and no problem is a problem that says what is wanted."""
        self.records.whole(problems)
        if not len(self.rows) and not self.records.problems:
            self.records.whole([(0, f"holds no result: {wanted}")])
        return Reading(
            rows=self.rows,
            configurations=self.configurations,
            problems=self.records.problems,
            lines=self.records.counts(),
            series=self.series,
        )


def record_lines(document: Document, path: str, count: int) -> list[int]:
    """Return the line of each of the ``count`` records at a path; the first line where it cannot be found.

    A key that stands twice has records that no list holds any more: the last ones are those used.
    """
    lines = document.lines(path)[-count:] if count else []
    return [document.first_line] * (count - len(lines)) + lines


def refused(document: Document, error: DataError) -> Reading:
    """Return the reading of a document whose outer shape is not the tool's: one record, one problem."""
    problems = [*document.problems, (document.first_line, f"{error}; nothing could be read")]
    return Reading(
        rows=Rows(), configurations=[], problems=problems, lines=LineCounts(data=0, context=0, problem=1, noise=0)
    )


def axes_of(found: Mapping[str, object]) -> dict[str, Any]:
    """Return parameters as axes: numbers and texts as they are, truth values as words, others as JSON.

    Examples
    --------
    >>> axes_of({"n": 10, "fast": True, "run": "x", "none": None})
    {'n': 10, 'fast': 'true', 'run_axis': 'x'}
    """
    axes: dict[str, Any] = {}
    for key, value in found.items():
        if value is None or not key.strip():
            continue
        name = printable(key, 60)
        name = f"{name}_axis" if name in _RESERVED else name
        if isinstance(value, (str, dict, list, bool)):
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            axes[name] = printable(shown, _LONGEST_TEXT)
        else:
            axes[name] = value
    return axes


def cells(line: str, delimiter: str = ",") -> list[str] | None:
    """Return the cells of one line of CSV, None where a quote is left open.

    Examples
    --------
    >>> cells('"a, b",1')
    ['a, b', '1']
    """
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return None


_DECIMAL = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)


def decimal(written: str) -> float | None:
    """Return a number of a table, with a point or a comma before its decimals; None for no value.

    Raises
    ------
    DataError
        If the cell holds something else.

    Examples
    --------
    >>> decimal("1,198912"), decimal("NaN"), decimal("")
    (1.198912, None, None)
    """
    bare = written.strip()
    if bare.lower().lstrip("+-") in ("", "nan", "inf", "infinity"):
        return None
    if not _DECIMAL.fullmatch(bare) or len(bare) > 40:
        raise DataError(f"'{printable(bare, 40)}' is not a number")
    return float(bare.replace(",", "."))
