"""What the readers of measuring tools share: values collected run by run, and lines of CSV."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, TypeVar

from benchlib.errors import DataError, printable
from benchlib.formats.reader import Certainty, Ledger, Reading, Rows, TextFile, _at_open_end, _cut_row, open_line
from benchlib.results import Series

_T = TypeVar("_T")
#: What a line or record turned out to be; one that is a problem raises DataError instead.
Outcome = Literal["data", "context", "noise"]


class Collector:
    """The values, configurations and series of one file, and what became of each of its lines or records."""

    def __init__(self, source: str, ledger: Ledger) -> None:
        self.source = source
        self.ledger = ledger
        self.rows = Rows()
        self.configurations: list[Mapping[str, Any]] = []
        self.series: list[Series] = []
        self._numbers: dict[tuple[tuple[str, Any], ...], int] = {}
        #: The line or record being read, and its line.
        self.entry, self.line = 0, 1
        # Values wait here until their record is known to be sound: a million of them in a file of a million rounds.
        self._held: list[tuple[str, str | None, float, str, float | None, float | None]] = []

    def each(
        self, entries: Iterable[tuple[int, _T]], read: Callable[[_T], Outcome], remedy: str = "record left out"
    ) -> None:
        """Read every line or record; one that raises DataError is a problem, and leaves no held value behind."""
        for self.entry, content in entries:
            self.line = self.ledger.line(self.entry)
            self._held = []
            try:
                outcome = read(content)
            except DataError as error:
                self.ledger.problem(self.entry, f"{error}; {remedy}")
                continue
            for name, metric, value, unit, iterations, errors in self._held:
                self.add(name, metric, value, unit, line=self.line, iterations=iterations, errors=errors)
            if outcome != "noise":
                (self.ledger.data if outcome == "data" else self.ledger.context)(self.entry)

    def hold(
        self,
        name: str,
        metric: str | None,
        value: float,
        unit: str,
        *,
        iterations: float | None = None,
        errors: float | None = None,
    ) -> None:
        """Add a value in the configuration stated last, if what is being read proves sound."""
        self._held.append((name, metric, value, unit, iterations, errors))

    def note(self, message: str) -> None:
        """Record a problem with part of what is being read."""
        self.ledger.note(self.entry, message)

    def configure(self, axes: Mapping[str, Any]) -> int:
        """State the axes of the values that follow; return their number."""
        self.configurations.append(axes)
        return len(self.configurations) - 1

    def number_of(self, axes: Mapping[str, Any]) -> int:
        """Return the number of a configuration, which is added where it is new."""
        number = self._numbers.setdefault(tuple(axes.items()), len(self.configurations))
        if number == len(self.configurations):
            self.configurations.append(axes)
        return number

    def add(
        self,
        name: str,
        metric: str | None,
        value: float,
        unit: str,
        *,
        line: int,
        configuration: int | None = None,
        iterations: float | None = None,
        errors: float | None = None,
    ) -> None:
        """Add one value, by default of the configuration stated last."""
        self.rows.add(
            name=name,
            metric=metric,
            value=value,
            unit=unit,
            line=line,
            configuration=len(self.configurations) - 1 if configuration is None else configuration,
            iterations=iterations,
            errors=errors,
        )

    def add_series(self, kind: str, name: str, line: int, data: tuple[Any, ...] = ()) -> None:
        """Add what belongs to a run rather than to one value: a histogram, its time-outs, a remark."""
        self.series.append(Series(kind=kind, name=name, source=self.source, line=line, data=data))

    def reading(self) -> Reading:
        """Return what was collected, with the account of every line and the problems."""
        return self.ledger.reading(self.rows, self.configurations, self.series)

    def finish(self, problems: Iterable[tuple[int, str]] = (), *, wanted: str) -> Reading:
        """Return the reading; a file of no value and no problem is a problem that says what is wanted."""
        self.ledger.whole(problems)
        if not len(self.rows) and not self.ledger.problems:
            self.ledger.whole([(0, f"holds no result: {wanted}")])
        return self.reading()


def certain_if(condition: object) -> Certainty:
    """Return what a reader says that is certain of a file or sure that it is not its own."""
    return "certain" if condition else "no"


def split_cells(line: str, separator: str = ",") -> list[str] | None:
    """Cut one line at a separator that stands outside quotes; None where a quote is left open."""
    if '"' not in line:
        return line.split(separator)
    try:
        return next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        return None


def rows_below(
    file: TextFile,
    ledger: Ledger,
    *,
    separator: str = ",",
    is_header: Callable[[list[str]], bool] | None = None,
    guard_end: bool = False,
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the line of each row below a header, and its cells by column; a row that does not fit is a problem.

    A header may stand again where files were joined. Without `is_header` the first line is it. `guard_end` refuses a
    last line that may have been cut.
    """
    header: list[str] = []
    above: list[list[str]] = []
    for number, line in enumerate(file.lines, 1):
        if not line.strip():
            continue
        cells = split_cells(line, separator)
        if cells is None:
            ledger.problem(number, "a quote is left open; close it; line skipped")
        elif is_header(cells) if is_header else not header or cells == header:
            header = cells
            ledger.context(number)
        elif len(cells) != len(header):
            ledger.problem(number, f"{len(cells)} fields where the header has {len(header)}; line skipped")
        elif guard_end and _at_open_end(file, number) and _cut_row(cells, above):
            ledger.problem(number, f"{open_line(line)}; line skipped")
        else:
            above.append(cells)
            yield number, dict(zip(map(str.strip, header), cells, strict=True))


_NUMBER = re.compile(r"[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,3})?", re.ASCII)
#: How tools write that there is no value.
_NO_VALUE = frozenset({"", "nan", "inf", "infinity", "n/a", "none"})


def number_in(written: str, column: str = "") -> float | None:
    """Return the number that a tool wrote into a cell, None for no value; raise DataError for anything else."""
    bare = written.strip()
    if bare.lower().lstrip("+-") in _NO_VALUE:
        return None
    if not _NUMBER.fullmatch(bare) or not math.isfinite(float(bare)):
        where = f"column '{printable(column, 40)}': " if column else ""
        raise DataError(f"{where}'{printable(bare, 40)}' is not a number")
    return float(bare)
