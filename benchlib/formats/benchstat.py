"""Tables that benchstat printed, read back: medians of results that lie elsewhere.

Since 2022 benchstat draws a table for each unit, whose columns are files between bars, or writes the same as CSV.
Before, the head of a table said ``name  old time/op  new time/op  delta``. See golang.org/x/perf/cmd/benchstat, and
the same at v0.0.0-20211012211434.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from benchlib.errors import DataError, printable
from benchlib.formats.collector import Collector, Outcome, split_cells
from benchlib.formats.reader import Certainty, Format, Ledger, Reading, TextFile, _at_open_end

_BAR = "│"
_KEY = re.compile(r"(?P<key>[a-z][\w./-]{0,40}): (?P<value>\S.{0,400})")
#: The prefixes that benchstat writes behind a value.
_PREFIXES = {
    "": 1.0, "p": 1e-12, "n": 1e-9, "µ": 1e-6, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
    "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40,
}  # fmt: skip
_NUMBER = r"(?P<number>\d{1,20}(?:\.\d{1,20})?)"
_VALUE = re.compile(rf"(?:^|\s){_NUMBER}(?P<prefix>[pnµumkKMGT]?i?)\s+±\s+(?:\d|∞)")
_LABELS_OF_CSV = ("", "CI", "vs base", "P")
_OLD_HEAD = re.compile(r"name(?: \\ (?P<shared>[\w./-]+))?\s{2,}\S.*")
_OLD_VALUE = re.compile(rf"\s{_NUMBER}(?P<unit>[a-zA-Zµ/]{{0,12}})\s+±\s*(?:\d|∞)")
#: What the old version calls a unit, and how it scales one.
_OLD_UNITS = {"time/op": "sec/op", "alloc/op": "B/op", "allocs/op": "allocs/op", "speed": "B/s"}
_OLD_SCALES = {
    "": 1.0, "ns": 1e-9, "µs": 1e-6, "us": 1e-6, "ms": 1e-3, "s": 1.0, "B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9,
    "B/s": 1.0, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "k": 1e3, "M": 1e6, "G": 1e9,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Column:
    """One column of values: its file (empty for the only one), unit, and where its cells stand in a line."""

    file: str
    unit: str
    start: int
    end: int | None


def _is_benchstat(head: TextFile) -> Certainty:
    """Judge it possible: raw results beside a table are what counts."""
    lines = [line for line in head.lines if len(line) <= _LONGEST_LINE]
    drawn = any(_BAR in line for line in lines) and any(_VALUE.search(line) and _BAR not in line for line in lines)
    written = any(line.startswith(",") and ",CI" in line for line in lines)
    old = any(_old_columns(line) for line in lines) and any(_OLD_VALUE.search(line) for line in lines)
    return "possible" if drawn or written or old else "no"


#: Hundreds of columns fit.
_LONGEST_LINE = 20_000


class _Tables(Collector):
    """What is collected of the tables of one file."""

    def __init__(self, file: TextFile) -> None:
        super().__init__(file.source, Ledger(len(file.lines)))
        self.file = file
        self.settings: dict[str, str] = {}
        self.files: list[str] = []
        self.columns: list[_Column] = []
        #: How the rows of the table at hand are cut.
        self.kind = ""

    def read(self, line: str) -> Outcome:
        """Read one line."""
        if len(line) > _LONGEST_LINE:
            raise DataError(f"{len(line):,} characters; lines of up to {_LONGEST_LINE:,} are read")
        if not line.strip():
            self.columns, self.files, self.kind = [], [], ""
            return "noise"
        if match := _KEY.fullmatch(line):
            self.settings = {**self.settings, match["key"]: match["value"]}
            return "context"
        if _BAR in line or (line.startswith(",") and not self.columns):
            self._take_head(line)
            return "context"
        if columns := _old_columns(line):
            self.columns, self.kind = columns, "old"
            return "context"
        if not self.columns or line[:1] in "¹²³⁴⁵⁶⁷⁸⁹":
            return "noise"
        return self._take_row(line)

    def _take_head(self, line: str) -> None:
        """Take the line of files, then that of units."""
        cells = list(_labels(line))
        if not self.files:
            taken: Counter[str] = Counter()
            for label, _, _ in cells:
                taken[label] += 1
                self.files.append(printable(f"{label} ({taken[label]})" if taken[label] > 1 else label, 200))
            return
        if len(cells) != len(self.files):
            raise DataError(f"the head has {len(cells)} units for {len(self.files)} files")
        self.kind = "drawn" if _BAR in line else "csv"
        self.columns = [
            _Column(file, label.split()[0], start, end)
            for file, (label, start, end) in zip(self.files, cells, strict=True)
        ]

    def _take_row(self, line: str) -> Outcome:
        """Take the values of one benchmark."""
        name, values = self._cells(line)
        if name == "geomean" or name.startswith("[Geo mean]"):
            return "context"
        if self.kind != "csv" and line.count("±") != len(values):
            raise DataError(f"{line.count('±')} values of which {len(values)} can be read")
        if not values:
            return "noise"
        if _at_open_end(self.file, self.entry) and len(values) < len(self.columns):
            raise DataError("the last line has no end: was the file cut")
        for column, value in values:
            several = {"file": column.file} if len(self.columns) > 1 else {}
            place = self.number_of({**self.settings, **several})
            self.add(f"Benchmark{name}", None, value, column.unit, line=self.line, configuration=place)
        return "data"

    def _cells(self, line: str) -> tuple[str, list[tuple[_Column, float]]]:
        if self.kind == "csv":
            cells = split_cells(line) or [""]
            written = [(column, cells[column.start]) for column in self.columns if column.start < len(cells)]
            return cells[0].strip(), [(column, _number(cell)) for column, cell in written if cell.strip()]
        if self.kind == "drawn":
            slices = [(column, _VALUE.search(line, column.start, column.end or len(line))) for column in self.columns]
            values = [
                (column, float(match["number"]) * _scale(_PREFIXES, match["prefix"]))
                for column, match in slices
                if match
            ]
            return line[: self.columns[0].start].strip(), values
        matches = list(_OLD_VALUE.finditer(line))
        if matches and len(matches) != len(self.columns):
            raise DataError(
                f"{len(matches)} values where the head has {len(self.columns)}: nobody knows which are missing"
            )
        values = [
            (column, float(match["number"]) * _scale(_OLD_SCALES, match["unit"]))
            for column, match in zip(self.columns, matches, strict=False)
        ]
        return line[: matches[0].start()].strip() if matches else line.split()[0], values


def _labels(line: str) -> Iterator[tuple[str, int, int | None]]:
    """Yield each label of a head with where its cells start and end."""
    if _BAR in line:
        bars = [place for place, character in enumerate(line) if character == _BAR]
        for start, end in zip(bars, [*bars[1:], len(line)], strict=True):
            if label := line[start + 1 : end].strip():
                yield label, start, end if end < len(line) else None
        return
    for place, cell in enumerate(split_cells(line) or []):
        if cell.strip() not in _LABELS_OF_CSV:
            yield cell.strip(), place, None


def _old_columns(line: str) -> list[_Column]:
    """Return the columns that a head of the old version names; none for another line."""
    match = _OLD_HEAD.fullmatch(line)
    labels = re.split(r"\s{2,}", line.strip())[1:] if match else []
    labels = [label for label in labels if label != "delta"]
    columns = []
    for label in labels:
        file, _, unit = ("", "", label) if " " not in label else label.partition(" ")
        if match and match["shared"]:
            file, unit = label, match["shared"]
        if unit not in _OLD_UNITS:
            return []
        columns.append(_Column(printable(file, 200), _OLD_UNITS[unit], 0, None))
    return columns


def _number(cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = float("nan")
    if not 0 <= abs(value) < float("inf"):
        raise DataError(f"'{printable(cell, 40)}' is no number")
    return value


def _scale(scales: dict[str, float], written: str) -> float:
    if written not in scales:
        raise DataError(f"'{printable(written, 20)}' is no unit that benchstat writes")
    return scales[written]


def _read_benchstat(file: TextFile) -> Reading:
    """Read every table of a file."""
    tables = _Tables(file)
    tables.each(enumerate(file.lines, 1), tables.read, "line skipped")
    return tables.finish(wanted="a table of benchstat has a row for each benchmark")


BENCHSTAT = Format(
    name="benchstat",
    rule="a head of files between bars, or 'name  old time/op', and values with a spread behind ±",
    yields="the median (of the old version the mean) of each benchmark in each file, with the file as axis",
    limits="raw samples, spreads, p-values; read only where the results it was made from are not",
    contains=frozenset({"csv"}),
    derived=True,
    recognise=_is_benchstat,
    read=_read_benchstat,
)

READERS = (BENCHSTAT,)
