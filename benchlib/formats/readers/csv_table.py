"""Tables as CSV or TSV: tidy (one value a row, with its unit) or wide (one column a metric).

What a column is, is told by its header and its cells: `benchlib.formats.readers.csv_header` knows the words.
Every line is read alone, so that a quote left open spoils one line and not the rest of the file.
"""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from benchlib.errors import printable
from benchlib.formats.outcomes import failures
from benchlib.formats.raw import unpacked_name
from benchlib.formats.readers.csv_header import Column, classify, is_tidy
from benchlib.formats.readers.csv_numbers import number_of
from benchlib.formats.readers.csv_signs import doubts_of, levels_as_words
from benchlib.formats.reading import Certainty, Reading, Rows, TextFile
from benchlib.metrics import misfit, needs_unit
from benchlib.results import MEASURES, NAMES, LineCounts, Series

__all__ = ["CsvTable", "Record", "cells_of", "read_records"]

#: What parts the columns, as the header shows too.
_FOR_EXCEL = re.compile(r'"?sep=.?"?', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Record:
    """One line of the table; ``cells`` is None where a quote is left open."""

    line: int
    cells: list[str] | None


class CsvTable:
    """Tables with a header row, tidy or wide, separated by comma, tab or semicolon."""

    name = "csv"
    rule = "a header row with metric, value and unit, or with at least one column of numbers that names a metric"
    contains = frozenset[str]()
    files = "*.csv, *.tsv"
    yields = "a value for each filled cell of a metric column; the other columns are axes"
    limits = (
        "which way an unknown metric in an unknown unit is better; a unit that neither header nor column names; "
        "numbers with a comma, decimal or between thousands"
    )

    def recognise(self, head: TextFile) -> Certainty:
        """Be certain of a tidy header; a wide one must name a metric and hold numbers."""
        first = next(_records(head.lines), None)
        if first is None or first.cells is None or len(first.cells) < 2:
            return "no"
        records, header = list(_records(head.lines)), first.cells
        if len(records) < 2:
            return "no"
        if header[0].lstrip()[:1] in ("{", "["):
            return "no"
        if any(number_of(one, "")[0] is not None for one in header):
            return "no"
        if is_tidy(header):
            return "certain"
        body = [one.cells for one in records[1:200] if one.cells and len(one.cells) == len(header)]
        columns = classify(header, body)
        told = any(one.role == "metric" for one in columns)
        return "possible" if told and len(body) * 2 >= min(len(records) - 1, 199) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read each line as values, context (comments, the header), or a problem."""
        comments = sum(_is_comment(number, one) for number, one in enumerate(file.lines, 1))
        return read_records(
            file.source,
            list(_records(file.lines)),
            total=len(file.lines),
            comments=comments,
            separator=_separator_of(file.lines),
        )


def read_records(
    source: str,
    records: list[Record],
    *,
    total: int,
    comments: int = 0,
    header_is_line: bool = True,
    separator: str = ",",
) -> Reading:
    """Read a table that is cut into cells, the header first.

    Parameters
    ----------
    source : str
    records : list of Record
    total : int
        Lines of the file; those that are neither records nor comments are noise.
    comments : int
    header_is_line : bool
        Whether the header is one of the lines counted, and not made from keys.
    separator : str
        What parts the columns: unless it is the comma, that may be the sign of decimals, and a dot part thousands.
    """
    table = _Table(source, total)
    table.context = comments
    if not records:
        return table.reading()
    header = records[0]
    if header.cells is None:
        table.refuse(header.line, "a quote is left open in the header; close it")
        return table.unread(records[1:])
    names = [one.strip() for one in header.cells]
    # What `benchlib convert` wrote says where each value came from, and is quoted against formulas.
    own = _is_own(names)
    if own:
        names = [_unquoted(one) for one in names]
    twice = sorted(one for one, times in Counter(names).items() if times > 1 and one)
    if twice:
        shown = printable(twice[0], 40)
        table.refuse_header(header, f"column {shown!r} stands twice in the header; rename one", header_is_line)
        return table.unread(records[1:])
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
        message = "no column names a metric; name one like time_ms, rps or throughput"
        table.refuse_header(header, message, header_is_line)
        return table.unread([Record(line, cells) for line, cells in whole])
    table.context += int(header_is_line)
    doubts = doubts_of(whole, columns, separator)
    if doubts and doubts[0].unread:
        table.refuse(doubts[0].line, doubts[0].message)
        return table.unread([Record(line, cells) for line, cells in whole if line != doubts[0].line])
    table.problems += [(one.line, one.message) for one in doubts]
    table.problems += levels_as_words(whole, columns, separator)
    for line, cells in whole:
        if own:
            cells = [_unquoted(one) for one in cells]
            table.keep_origin(line, dict(zip(names, cells, strict=True)))
        table.take(line, cells, columns)
    return table.reading()


class _Table:
    """What reading a table has found so far."""

    def __init__(self, source: str, total: int) -> None:
        self.source = source
        self.total = total
        self.rows = Rows()
        self.origins: list[tuple[int, str, int, int, str]] = []
        self.configurations: list[Mapping[str, str]] = []
        self.numbers: dict[tuple[str, ...], int] = {}
        self.problems: list[tuple[int, str]] = []
        self.data = 0
        self.context = 0
        self.wrong: set[int] = set()
        self.failed: list[Series] = []
        #: Metrics of which a value has no unit, each with the column that names it.
        self.unitless: dict[str, str] = {}

    def refuse(self, line: int, message: str) -> None:
        """Record a line that should have been data."""
        self.problems.append((line, message))
        self.wrong.add(line)

    def refuse_header(self, header: Record, message: str, is_line: bool) -> None:
        """Record what is wrong with the header."""
        if is_line:
            self.refuse(header.line, message)
        else:
            self.problems.append((0, message))

    def unread(self, records: list[Record]) -> Reading:
        """Give up on a table: each remaining line is a problem, told once."""
        self.wrong |= {one.line for one in records}
        if records:
            self.problems.append((0, f"{len(records)} lines of the table are not read"))
        return self.reading()

    def keep_origin(self, line: int, cells: Mapping[str, str]) -> None:
        """Keep where a value of an exported table came from."""
        place, position = (_whole(cells[one]) for one in ("line", "position"))
        if cells["source"] and place is not None and position is not None:
            self.origins.append((line, cells["source"], place, position, cells["original_unit"]))

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
            number, message = number_of(reserved.get(role, ""), role)
            if message:
                self.problems.append((line, message))
            counts[role] = number
        told = {
            one.written: failures(one.failure, cell) for one, cell in zip(columns, cells, strict=True) if one.failure
        }
        if told:
            counts["errors"] = max(counts["errors"] or 0.0, *told.values())
        values = self._tidy(line, reserved) if "value" in reserved else self._wide(line, cells, columns)
        if not values and counts["errors"]:
            blamed = next(number for number, one in enumerate(columns) if told.get(one.written) or one.role == "errors")
            shown = f"column '{printable(columns[blamed].written, 40)}': '{printable(cells[blamed], 40)}'"
            self.lose(line, name, shown)
            return
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

    def lose(self, line: int, name: str, why: str) -> None:
        """Keep a failure without a value: it is no measurement, and no silence either."""
        benchmark = name.removeprefix("Benchmark") or PurePosixPath(unpacked_name(self.source)).stem
        self.failed.append(Series(kind="failed-benchmark", name=benchmark, source=self.source, line=line, data=()))
        if line not in self.wrong:
            self.refuse(line, f"{printable(benchmark, 60)} failed ({why}); no value is kept")

    def _tidy(self, line: int, cells: Mapping[str, str]) -> list[tuple[str | None, float, str]]:
        value, message = number_of(cells["value"], "value")
        if message or value is None:
            # A tidy line says one thing: without its value it says nothing.
            self.refuse(line, message or "the value is empty; write it, or leave the line out; line skipped")
            return []
        metric, unit = cells.get("metric", ""), cells.get("unit", "")
        if not metric and not unit:
            self.refuse(line, "neither metric nor unit is given; write at least one; line skipped")
            return []
        wrong = misfit(metric, unit)
        if wrong:
            self.refuse(line, f"{wrong}; correct the unit or the metric; line skipped")
            return []
        if not unit:
            self.unitless.setdefault(metric, metric)
        return [(metric or None, value, unit)]

    def _wide(self, line: int, cells: list[str], columns: list[Column]) -> list[tuple[str | None, float, str]]:
        values: list[tuple[str | None, float, str]] = []
        for column, cell in zip(columns, cells, strict=True):
            if column.role != "metric":
                continue
            value, message = number_of(cell, column.written)
            if message:
                self.refuse(line, message)
            elif value is not None:
                values.append((column.name, value, column.unit))
                if not column.unit:
                    self.unitless.setdefault(column.name, column.written)
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
        noise = self.total - self.data - self.context - wrong
        counts = LineCounts(data=self.data, context=self.context, problem=wrong, noise=noise)
        return Reading(
            rows=self.rows,
            configurations=self.configurations,
            # What is said of the whole table follows from a line: the line comes first.
            problems=sorted(self.problems, key=lambda one: one[0] or math.inf),
            lines=counts,
            series=self._series(),
        )

    def _series(self) -> list[Series]:
        if self.origins:
            return [Series(kind="origin", name="", source=self.source, line=0, data=tuple(self.origins)), *self.failed]
        named = [(name, f"'{printable(column, 40)}'") for name, column in self.unitless.items() if needs_unit(name)]
        told = [Series(kind="no-unit", name=name, source=self.source, line=0, data=(column,)) for name, column in named]
        return [*told, *self.failed]


def _is_own(names: list[str]) -> bool:
    return tuple(names[: len(NAMES)]) == NAMES and tuple(names[-len(MEASURES) :]) == MEASURES


def _unquoted(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell[1:2] in ("=", "+", "-", "@", "\t", "\r", "'") else cell


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _told(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers; comments and blank lines are passed over."""
    for number, line in enumerate(lines, 1):
        if line.strip() and not _is_comment(number, line):
            yield number, line


def _is_comment(number: int, line: str) -> bool:
    """Whether a line tells people or, as the first that Excel writes, a spreadsheet something."""
    return line.lstrip().startswith("#") or (number == 1 and bool(_FOR_EXCEL.fullmatch(line.strip())))


def _separator_of(lines: list[str]) -> str:
    """Return the separator that stands most often in the header, which is names."""
    header = next((one for _, one in _told(lines)), "")
    return max(",\t;", key=header.count)


def _records(lines: list[str]) -> Iterator[Record]:
    """Cut lines at the separator of the header."""
    separator = _separator_of(lines)
    for number, line in _told(lines):
        yield Record(number, cells_of(line, separator))


def cells_of(line: str, separator: str) -> list[str] | None:
    """Cut one line at a separator that stands outside quotes; None where a quote is left open."""
    if '"' not in line:
        return line.split(separator)
    try:
        return next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        return None
