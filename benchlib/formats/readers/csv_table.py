"""Tables as CSV or TSV: tidy (one value a row, with its unit) or wide (one column a metric).

What a column is, is told by its header and its cells: `benchlib.formats.readers.csv_header` knows the words.
Every line is read alone, so that a quote left open spoils one line and not the rest of the file.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchlib.errors import printable
from benchlib.formats.readers.csv_header import Column, classify, is_tidy
from benchlib.formats.reading import Certainty, Reading, Rows, TextFile
from benchlib.results import LineCounts
from benchlib.units import misfit

__all__ = ["CsvTable"]


@dataclass(frozen=True, slots=True)
class _Record:
    """One line of the table; ``cells`` is None where a quote is left open."""

    line: int
    cells: list[str] | None


class CsvTable:
    """Tables with a header row, tidy or wide, separated by comma, tab or semicolon."""

    name = "csv"
    rule = "a header row with metric, value and unit, or with at least one column of numbers that names a metric"
    contains = frozenset[str]()

    def recognise(self, head: TextFile) -> Certainty:
        """Be certain of a tidy header; a wide one must name a metric and hold numbers."""
        records = list(_records(head.lines))
        if len(records) < 2 or records[0].cells is None:
            return "no"
        header = records[0].cells
        if len(header) < 2 or any(_is_number(one) for one in header):
            return "no"
        if is_tidy(header):
            return "certain"
        body = [one.cells for one in records[1:200] if one.cells and len(one.cells) == len(header)]
        columns = classify(header, body)
        told = any(one.role == "metric" for one in columns)
        return "possible" if told and len(body) * 2 >= min(len(records) - 1, 199) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read each line as values, context (comments, the header), or a problem."""
        records = list(_records(file.lines))
        table = _Table(file)
        table.context = sum(1 for one in file.lines if one.lstrip().startswith("#"))
        if not records:
            return table.reading()
        header = records[0]
        if header.cells is None:
            table.refuse(header.line, "a quote is left open in the header; close it")
            return table.unread(records[1:])
        names = [one.strip() for one in header.cells]
        twice = sorted({one for one in names if names.count(one) > 1 and one})
        if twice:
            shown = printable(twice[0], 40)
            table.refuse(header.line, f"column {shown!r} stands twice in the header; rename one")
            return table.unread(records[1:])
        table.context += 1
        width = len(names)
        whole: list[tuple[int, list[str]]] = []
        for one in records[1:]:
            if one.cells is None:
                table.refuse(one.line, "a quote is left open; close it; line skipped")
            elif len(one.cells) != width:
                found = f"{len(one.cells)} fields where the header has {width}"
                table.refuse(one.line, f"{found}; quote a field that holds the separator; line skipped")
            else:
                whole.append((one.line, one.cells))
        columns = classify(names, [cells for _, cells in whole])
        if not any(one.role in ("metric", "value") for one in columns):
            table.refuse(header.line, "no column names a metric; name one like time_ms, rps or throughput")
            table.context -= 1
            return table.unread([_Record(line, cells) for line, cells in whole])
        for line, cells in whole:
            table.take(line, cells, columns)
        return table.reading()


class _Table:
    """What reading a table has found so far."""

    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.rows = Rows()
        self.configurations: list[Mapping[str, str]] = []
        self.numbers: dict[tuple[str, ...], int] = {}
        self.problems: list[tuple[int, str]] = []
        self.data = 0
        self.context = 0
        self.wrong: set[int] = set()

    def refuse(self, line: int, message: str) -> None:
        """Record a line that should have been data."""
        self.problems.append((line, message))
        self.wrong.add(line)

    def unread(self, records: list[_Record]) -> Reading:
        """Give up on a table: each remaining line is a problem, told once."""
        self.wrong |= {one.line for one in records}
        if records:
            self.problems.append((0, f"{len(records)} lines of the table are not read"))
        return self.reading()

    def take(self, line: int, cells: list[str], columns: list[Column]) -> None:
        """Take the values of one line."""
        facts = {one.name: cell.strip() for one, cell in zip(columns, cells, strict=True) if one.role == "axis"}
        facts = {name: text for name, text in facts.items() if text}
        reserved: dict[str, str] = {one.role: cell.strip() for one, cell in zip(columns, cells, strict=True)}
        name = reserved.get("name") or reserved.get("benchmark") or ""
        # A Go name is taken apart like in the log it came from; any other name is the benchmark.
        if reserved.get("benchmark") and not reserved["benchmark"].startswith("Benchmark"):
            facts["benchmark"] = reserved["benchmark"]
        if reserved.get("run"):
            facts["run"] = reserved["run"]
        counts = {}
        for role in ("iterations", "errors"):
            number, message = _value(reserved.get(role, ""), role)
            if message:
                self.problems.append((line, message))
            counts[role] = number
        values = self._tidy(line, reserved) if "value" in reserved else self._wide(line, cells, columns)
        if not values:
            # Cells that are all empty say "not measured": context; else a problem was recorded.
            if line not in self.wrong:
                self.context += 1
            return
        self.wrong.discard(line)
        self.data += 1
        configuration = self._configuration(facts)
        for metric, value, unit in values:
            self.rows.add(
                name=name,
                metric=metric,
                value=value,
                unit=unit,
                line=line,
                configuration=configuration,
                iterations=counts["iterations"],
                errors=counts["errors"],
            )

    def _tidy(self, line: int, cells: Mapping[str, str]) -> list[tuple[str | None, float, str]]:
        value, message = _value(cells["value"], "value")
        if message:
            self.refuse(line, message)
        if value is None:
            return []
        metric, unit = cells.get("metric", ""), cells.get("unit", "")
        if not metric and not unit:
            self.refuse(line, "neither metric nor unit is given; write at least one; line skipped")
            return []
        wrong = misfit(metric, unit)
        if wrong:
            self.refuse(line, f"{wrong}; correct the unit or the metric; line skipped")
            return []
        return [(metric or None, value, unit)]

    def _wide(self, line: int, cells: list[str], columns: list[Column]) -> list[tuple[str | None, float, str]]:
        values: list[tuple[str | None, float, str]] = []
        for column, cell in zip(columns, cells, strict=True):
            if column.role != "metric":
                continue
            value, message = _value(cell, column.written)
            if message:
                self.refuse(line, message)
            elif value is not None:
                values.append((column.name, value, column.unit))
        return values

    def _configuration(self, facts: Mapping[str, str]) -> int:
        key = tuple(part for fact in facts.items() for part in fact)
        number = self.numbers.setdefault(key, len(self.configurations))
        if number == len(self.configurations):
            self.configurations.append(facts)
        return number

    def reading(self) -> Reading:
        """Return what was found, each line counted once."""
        wrong = len(self.wrong)
        noise = len(self.file.lines) - self.data - self.context - wrong
        counts = LineCounts(data=self.data, context=self.context, problem=wrong, noise=noise)
        return Reading(
            rows=self.rows,
            configurations=self.configurations,
            # What is said of the whole table follows from a line: the line comes first.
            problems=sorted(self.problems, key=lambda one: one[0] or math.inf),
            lines=counts,
        )


def _records(lines: list[str]) -> Iterator[_Record]:
    """Cut lines at the separator of the header; comments and blank lines are passed over."""
    separator = ""
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not separator:
            # The header is names: whichever separator stands in it most often is the table's.
            separator = max(",\t;", key=line.count)
        yield _Record(number, line.split(separator) if '"' not in line else _quoted(line, separator))


def _quoted(line: str, separator: str) -> list[str] | None:
    try:
        return next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        return None


def _is_number(text: str) -> bool:
    return _value(text, "")[0] is not None


def _value(text: str, column: str) -> tuple[float | None, str]:
    """Return the number of a cell (None where it is empty) and what is wrong with it."""
    text = text.strip()
    if not text:
        return None, ""
    shown = f"column '{printable(column, 40)}': '{printable(text, 40)}'"
    try:
        # Python also reads 1_0 and digits of other scripts; no table means a number by them.
        value = float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        value = None
    if value is None:
        return None, f"{shown} is not a number; value skipped"
    if not math.isfinite(value):
        return None, f"{shown} is no measurement; leave the cell empty; value skipped"
    return value, ""
