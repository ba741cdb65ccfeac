"""Tables that people write themselves (CSV, Parquet, flat JSON), those of the token SDK, and writing the tidy table."""

from __future__ import annotations

import importlib.util
import io
import math
import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice, pairwise
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import pandas as pd

from benchlib.concurrency import counted
from benchlib.errors import InputError, printable
from benchlib.files import replacing
from benchlib.formats.cells import (
    GROUPED,
    MILLIONS,
    Notation,
    commas_are_decimal,
    has_comma,
    is_number,
    is_parted,
    notation_of,
    number_of,
    plain,
    point_notation,
    split_unit,
    unit_of_cells,
    unshortened,
    without_spread,
)
from benchlib.formats.collector import Collector, rows_below, split_cells
from benchlib.formats.headers import (
    interval_level,
    is_setting,
    metric_of,
    named_with,
    names_metric,
    numbers_repeats,
    snake,
)
from benchlib.formats.json_text import documents_of_lines, outline
from benchlib.formats.names import without_prefix
from benchlib.formats.outcomes import Telling, failures, telling
from benchlib.formats.reader import (
    Certainty,
    Format,
    Ledger,
    Reading,
    Records,
    TextFile,
    _one_line,
)
from benchlib.formats.text import _bound, _unpacked_name
from benchlib.formats.wide import Level, levels_of
from benchlib.metrics import misfit, needs_unit
from benchlib.results import MEASURES, NAMES, Results
from benchlib.units import parse_unit

# Tables as CSV or TSV: tidy (one value a row, with its unit) or wide (one column a metric).
#
# The header and the cells of a column say what it is. Each line is cut alone, so that an open quote spoils one line
# and not the rest of the file.

#: Excel's first line names the separator.
_FOR_EXCEL = re.compile(r'"?sep=.?"?', re.IGNORECASE)


#: The entry of a row in the ledger, and its cells: None where a quote is left open.
_Record = tuple[int, list[str] | None]


#: The two sides of a comma between thousands.
_ENDS_IN_THOUSANDS = re.compile(r"(?<![\w.])\d{1,3}$")
_BEGINS_THOUSAND = re.compile(r"\d{3}(?!\d)")


def _is_csv_table(head: TextFile) -> Certainty:
    """Be certain of a tidy header; a wide one must name a metric and hold numbers."""
    records = list(_records(head.lines))
    header = records[0][1] if records else None
    if header is None or len(header) < 2 or len(records) < 2 or header[0].lstrip()[:1] in ("{", "["):
        return "no"
    if _is_tidy(header):
        return "certain"
    if any(number_of(heading, "")[0] is not None for heading in header):
        return "no"
    if any(_ENDS_IN_THOUSANDS.search(left) and _BEGINS_THOUSAND.match(right) for left, right in pairwise(header)):
        # "queue A: 1,234 msg/s" is a line of words and a number, and no two columns.
        return "no"
    body = [cells for _, cells in records[1:200] if cells and len(cells) == len(header)]
    if _separator_of(head.lines).startswith(" ") and not _is_aligned(header, body):
        return "no"
    has_metric = _hold_results(classify(header, body))
    return "possible" if has_metric and len(body) * 2 >= min(len(records) - 1, 199) else "no"


#: What people measure alternatives of, in the header of a column.
_SUBJECTS = re.compile(
    r"bench(?:mark)?(?:_?name)?s?|test(?:_?(?:case|name))?s?|case|(?:algo|algorithm|lib|library|impl|implementation|function|"
    r"func|kernel|engine|framework|program|solver|compressor|codec|database|db|query|workload|operation|op|allocator|"
    r"compiler|backend|variant|config|configuration|approach|strategy|scheduler|machine|host|file|commit)(?:_?name)?"
)


def _hold_results(columns: Sequence[_Column]) -> bool:
    """Whether a table is of results: it names a metric, or has numbers beside what was set or compared."""
    metrics = [column for column in columns if column.role == "metric"]
    named = any(column.unit or column.level_of or names_metric(column.written) for column in metrics)
    others = [column.written for column in columns if column.role in ("axis", "benchmark", "name", "run", "iterations")]
    set_ = any(is_setting(written) or _SUBJECTS.fullmatch(snake(written)) for written in others)
    return bool(metrics) and (named or set_ or any(column.name == "first_column" for column in columns))


def _is_aligned(header: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Whether words with spaces between them are a table: columns of numbers or of words, one a metric."""
    columns = [[*map(is_number, cells)] for cells in zip(*body, strict=True)]
    numeric = [all(column) for column in columns if all(column) or not any(column)]
    return len(body) > 1 and len(numeric) == len(columns) and numeric[-1] and any(map(metric_of, header))


def _read_csv_table(file: TextFile) -> Reading:
    """Read each line as values, context (comments, the header), or a problem."""
    ledger = Ledger(len(file.lines))
    for number, line in enumerate(file.lines, 1):
        if _is_comment(number, line):
            ledger.context(number)
    return _read_records(file.source, list(_records(file.lines)), ledger, separator=_separator_of(file.lines))


CSV_TABLE = Format(
    name="csv",
    rule="a header row with metric, value and unit, or with at least one column of numbers that names a metric; "
    "parted by commas, semicolons, tabs, or spaces",
    yields="a value for each filled cell of a metric column; the other columns are axes",
    limits=(
        "which way an unknown metric in an unknown unit is better; a unit that neither header nor cells name; "
        "numbers whose comma may be decimal or part thousands; spreads behind ±"
    ),
    recognise=_is_csv_table,
    read=_read_csv_table,
)


def _filled(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers, without comments and blank lines."""
    for number, line in enumerate(lines, 1):
        if line.strip() and not _is_comment(number, line):
            yield number, line


def _is_comment(number: int, line: str) -> bool:
    return line.lstrip().startswith("#") or (number == 1 and bool(_FOR_EXCEL.fullmatch(line.strip())))


def _header_of(lines: list[str]) -> tuple[int, str]:
    """Return the line of the header: the first, or a comment over lines of numbers alone that names their columns."""
    comment, above = 0, ""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if not _is_comment(number, line):
            tokens = _WHITE_OR_MARK.split(line.strip())
            names = _WHITE_OR_MARK.split(above)
            is_header = len(names) == len(tokens) > 1 and any(map(metric_of, names))
            is_header = is_header and all(map(is_number, tokens)) and not any(map(is_number, names))
            return (comment, above) if is_header else (number, line)
        comment, above = number, line.strip().lstrip("#").strip()
    return 0, ""


#: What parts columns, between the tokens of a line.
_WHITE_OR_MARK = re.compile(r"\s*[,;\t]\s*|\s+")
#: Columns set apart by two spaces may hold names of several words.
_WIDE_SPACES = re.compile(r"\t|\s{2,}")
#: So many lines show how their columns are parted.
_SHOWN = 50


def _separator_of(lines: list[str]) -> str:
    """Return the separator that stands most often in the header, which is names; spaces where the lines below fit."""
    number, header = _header_of(lines)
    separator = max(",\t;", key=header.count)
    if separator in header:
        return separator
    below = [line for place, line in islice(_filled(lines), _SHOWN) if place != number]
    for spaces in ("  ", " "):
        width = len(_cut(header, spaces) or ())
        fitting = sum(len(_cut(line, spaces) or ()) == width for line in below)
        if width > 1 and fitting > 1 and fitting * 5 >= len(below) * 4:
            return spaces
    return separator


def _cut(line: str, separator: str) -> list[str] | None:
    """Cut a line into cells, without the spread behind a mean."""
    if separator == "  ":
        cells: list[str] | None = _WIDE_SPACES.split(line.strip())
    else:
        cells = line.split() if separator == " " else split_cells(line, separator)
    if cells and ("±" in line or "+/-" in line):
        cells = [without_spread(cell) for cell in cells]
    return cells


def _records(lines: list[str]) -> Iterator[_Record]:
    """Cut lines at the separator of the header, which comes first."""
    separator = _separator_of(lines)
    number, header = _header_of(lines)
    if number:
        yield number, _cut(header, separator)
    for place, line in _filled(lines):
        if place != number:
            yield place, _cut(line, separator)


# From the cells of a table to rows: the same for CSV, flat JSON, Parquet and printed labels.


def _read_records(
    source: str, records: list[_Record], ledger: Ledger, *, header_is_line: bool = True, separator: str = ","
) -> Reading:
    """Read a table that is cut into cells, the header first."""
    table = _Table(source, ledger, header_is_line=header_is_line)
    if not records:
        return table.reading()
    (header, cells), *body = records
    entries = [entry for entry, _ in body]
    if cells is None:
        return table.refuse(header, "a quote is left open in the header; close it", entries)
    names = [cell.strip() for cell in cells]
    # What `benchlib convert` wrote says where each value came from, and is quoted against formulas.
    exported = tuple(names[: len(NAMES)]) == NAMES and tuple(names[-len(MEASURES) :]) == MEASURES
    if exported:
        names = [_unquoted(name) for name in names] if header_is_line else names
    twice = sorted(name for name, times in Counter(names).items() if times > 1 and name)
    if twice:
        message = f"column {printable(twice[0], 40)!r} stands twice in the header; rename one"
        return table.refuse(header, message, entries)
    rows = list(_whole_rows(body, len(names), ledger))
    if _is_jmeter_report(names) and len(rows) > 1 and rows[-1][1][names.index("Label")].strip() == "TOTAL":
        ledger.context(rows.pop()[0])  # all requests together, which are counted above
    entries = [entry for entry, _ in rows]
    columns = classify(names, [cells for _, cells in rows])
    if not any(column.role in ("metric", "value") for column in columns):
        message = "no column names a metric; name one like time_ms, rps or throughput"
        return table.refuse(header, message, entries)
    if header_is_line:
        ledger.context(header)
    _with_whole_counts(rows, columns)
    table.notation = notation_of(_measured_cells(rows, columns))
    # Where commas are decimal, dots are not.
    refused, doubtful = ([], []) if table.notation.decimal_commas else _doubts_of(rows, columns, separator)
    if table.notation.decimal_commas:
        _with_points(rows, columns, table.notation)
    if refused:
        ledger.problem(*refused[0])
        return table.unread([entry for entry in entries if entry != refused[0][0]])
    for entry, message in doubtful:
        ledger.note(entry, message)
    for entry, cells in rows:
        if exported:
            cells = [_unquoted(cell) for cell in cells] if header_is_line else cells
            table.keep_origin(entry, dict(zip(names, cells, strict=True)))
        table.take(entry, cells, columns)
    return table.reading()


def _whole_rows(records: list[_Record], width: int, ledger: Ledger) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that have as many cells as the header; the others are problems."""
    for entry, cells in records:
        if cells is None:
            ledger.problem(entry, "a quote is left open; close it; line skipped")
        elif len(cells) != width:
            shown = f"{len(cells)} fields where the header has {width}"
            ledger.problem(entry, f"{shown}; quote a field that holds the separator; line skipped")
        else:
            yield entry, cells


class _Table(Collector):
    """The rows of one table, and what became of each of its records."""

    def __init__(self, source: str, ledger: Ledger, *, header_is_line: bool) -> None:
        super().__init__(source, ledger)
        self.header_is_line = header_is_line
        self.origins: list[tuple[int, str, int, int, str]] = []
        #: Metrics of which a value has no unit, each with the column that names it.
        self.unitless: dict[str, str] = {}
        self.notation = Notation()

    def refuse(self, header: int, message: str, entries: Sequence[int]) -> Reading:
        """Give up on a table for its header."""
        if self.header_is_line:
            self.ledger.problem(header, message)
        else:
            self.ledger.whole([(0, message)])
        return self.unread(entries)

    def unread(self, entries: Sequence[int]) -> Reading:
        """Give up on a table: each remaining line is a problem, and one message says so."""
        self.ledger.refuse(entries)
        if entries:
            self.ledger.whole([(0, f"{len(entries)} lines of the table are not read")])
        return self.reading()

    def keep_origin(self, entry: int, cells: Mapping[str, str]) -> None:
        """Keep where a value of an exported table came from."""
        line, position = (int(text) if _SHORT.fullmatch(text) else None for text in (cells["line"], cells["position"]))
        if cells["source"] and line is not None and position is not None:
            self.origins.append((self.ledger.line(entry), cells["source"], line, position, cells["original_unit"]))

    def take(self, entry: int, cells: list[str], columns: list[_Column]) -> None:
        """Take the values of one row."""
        by_role: dict[str, str] = {column.role: cell.strip() for column, cell in zip(columns, cells, strict=True)}
        name = by_role.get("name") or by_role.get("benchmark") or ""
        iterations, errors = (self._count(entry, role, by_role) for role in ("iterations", "errors"))
        told = [(column.failure, cell) for column, cell in zip(columns, cells, strict=True) if column.failure]
        if iterations is None and any("share" in kind for kind, _ in told):
            iterations = 1.0  # how many calls the share is of stands nowhere
        failed = [failures(kind, cell, iterations or 1.0) for kind, cell in told]
        if failed:
            errors = max(errors or 0.0, *failed)
        values, faults = _tidy(by_role, self.notation) if "value" in by_role else _wide(cells, columns, self.notation)
        if not values and errors:
            self._lose(entry, name, faults, cells, columns)
            return
        for fault in faults:
            self.ledger.problem(entry, fault)
        if not values:
            # Cells that are all empty say "not measured".
            if not faults:
                self.ledger.context(entry)
            return
        self.ledger.data(entry)
        facts = _facts_of(by_role, cells, columns)
        for metric, value, unit, column, level in values:
            if metric and not unit:
                self.unitless.setdefault(metric, column)
            line = self.ledger.line(entry)
            alone = iterations is None and metric == "latency" and _are_requests(columns)
            self.add(
                name, metric or None, value, unit,
                line=line, configuration=self.number_of(facts | level), iterations=1.0 if alone else iterations,
                errors=errors,
            )  # fmt: skip
        self._keep_intervals(entry, name, {metric: value for metric, value, *_ in values}, cells, columns)

    def _keep_intervals(
        self, entry: int, name: str, values: Mapping[str, float], cells: list[str], columns: list[_Column]
    ) -> None:
        for column, cell in zip(columns, cells, strict=True):
            if column.role == "interval" and column.name in values:
                half, fault = number_of(cell, column.written, self.notation)
                value = values[column.name]
                if fault:
                    self.ledger.note(entry, fault)
                elif half is not None and half >= 0:
                    ends = (column.name, value - half, value + half, column.level)
                    self.add_series("interval", name, self.ledger.line(entry), ends)

    def _count(self, entry: int, role: str, by_role: Mapping[str, str]) -> float | None:
        number, fault = number_of(by_role.get(role, ""), role, self.notation)
        if fault:
            self.ledger.note(entry, fault)
        return number

    def _lose(self, entry: int, name: str, faults: list[str], cells: list[str], columns: list[_Column]) -> None:
        """Keep a failure without a value: it is no measurement, and no silence either."""
        benchmark = without_prefix(name) or PurePosixPath(_unpacked_name(self.source)).stem
        self.add_series("failed-benchmark", benchmark, self.ledger.line(entry))
        heading, cell = next(
            (column.written, cell)
            for column, cell in zip(columns, cells, strict=True)
            if column.role == "errors" or (column.failure and failures(column.failure, cell))
        )
        shown = f"column '{printable(heading, 40)}': '{printable(cell, 40)}'"
        for fault in faults or [f"{printable(benchmark, 60)} failed ({shown}); no value is kept"]:
            self.ledger.problem(entry, fault)

    def reading(self) -> Reading:
        """Return what was read; a problem of the whole table follows from a line, whose problem comes first."""
        failed, self.series = self.series, []
        if self.origins:
            self.add_series("origin", "", 0, tuple(self.origins))
        for name, column in self.unitless.items():
            if needs_unit(name) and not self.origins:
                self.add_series("no-unit", name, 0, (f"'{printable(column, 40)}'",))
        self.series += failed
        reading = super().reading()
        return replace(reading, problems=sorted(reading.problems, key=lambda problem: problem[0] or math.inf))


#: Metric, value, unit, the column that names the metric, and what that column says of an axis.
_Value = tuple[str, float, str, str, dict[str, str]]


def _tidy(cells: Mapping[str, str], notation: Notation) -> tuple[list[_Value], list[str]]:
    """Return the one value of a tidy row, or what is wrong with it: without its value it says nothing."""
    value, fault = number_of(cells["value"], "value", notation)
    metric, unit = cells.get("metric", ""), cells.get("unit", "")
    if value is None:
        fault = fault or "the value is empty; write it, or leave the line out; line skipped"
    elif not metric and not unit:
        fault = "neither metric nor unit is given; write at least one; line skipped"
    elif wrong := misfit(metric, unit):
        fault = f"{wrong}; correct the unit or the metric; line skipped"
    return ([], [fault]) if fault or value is None else ([(metric, value, unit, metric, {})], [])


def _wide(cells: list[str], columns: list[_Column], notation: Notation) -> tuple[list[_Value], list[str]]:
    """Return the value of each filled cell of a metric, and what is wrong with others."""
    values: list[_Value] = []
    faults = []
    for column, cell in zip(columns, cells, strict=True):
        if column.role == "metric":
            number, unit = split_unit(cell) if column.in_cells else (cell, column.unit)
            number = unshortened(number) if _counts_per_second(column.name, unit) else number
            value, fault = number_of(number, column.written, notation)
            fault = fault or (_unfit(column, cell, unit) if column.in_cells and value else "")
            if fault:
                faults.append(fault)
            elif value is not None:
                per_second = "/s" if _is_rate_of(column.unit, unit) else ""
                written = f"{unit}{per_second}" if unit else column.unit
                values.append((column.name, value, written, column.written, dict(column.level_of)))
    return values, faults


def _counts_per_second(metric: str, unit: str) -> bool:
    """Whether a metric counts what is done in a second, where k is 1000; of bytes it may be 1024."""
    base = parse_unit(unit).base
    return metric == "throughput" if not unit else base.endswith("/sec") and not base.startswith(("B/", "bit/"))


def _is_rate_of(rate: str, unit: str) -> bool:
    """Whether a column is so much a second of what its cells hold: `5.4MB` below Transfer/sec."""
    return bool(unit) and "/" not in unit and rate.endswith("/s") and rate.count("/") == 1


def _unfit(column: _Column, cell: str, unit: str) -> str:
    """Say why the unit of a cell cannot be that of its column."""
    if unit and parse_unit(unit).base == parse_unit(column.unit.removesuffix("/op")).base:
        return ""
    if _is_rate_of(column.unit, unit) and parse_unit(f"{unit}/s").base == parse_unit(column.unit).base:
        return ""
    shown = f"column '{printable(column.written, 40)}': '{printable(cell.strip(), 40)}'"
    which = "another" if unit else "no"
    return f"{shown} has {which} unit where others are in {printable(column.unit, 20)}; value skipped"


def _measured_cells(rows: Sequence[tuple[int, list[str]]], columns: Sequence[_Column]) -> list[str]:
    """Return the numbers that were measured, as they are written, without units."""
    roles = ("metric", "value", "iterations", "errors")
    places = [at for at, column in enumerate(columns) if column.role in roles]
    cells = (cells[at].strip() for _, cells in rows for at in places)
    return [cell if is_number(cell) else split_unit(cell)[0] for cell in cells]


#: A whole number with commas between its thousands.
_WHOLE_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:,\d{3}){1,5}", re.ASCII)


def _with_whole_counts(rows: list[tuple[int, list[str]]], columns: Sequence[_Column]) -> None:
    """Write how many run at once without commas between thousands: such a number has no decimals."""
    for at, column in enumerate(columns):
        levels = [cells[at].strip() for _, cells in rows if cells[at].strip()]
        if column.role != "axis" or not counted(column.written):
            continue
        if all(level.isdigit() or _WHOLE_THOUSANDS.fullmatch(level) for level in levels):
            for _, cells in rows:
                cells[at] = cells[at].replace(",", "")


def _with_points(rows: list[tuple[int, list[str]]], columns: Sequence[_Column], notation: Notation) -> None:
    """Write the levels of each axis of numbers with decimal points, where commas are decimal."""
    for at, column in enumerate(columns):
        written = [point_notation(cells[at].strip(), notation) for _, cells in rows]
        if column.role == "axis" and all(is_number(level) for level in written if level):
            for (_, cells), level in zip(rows, written, strict=True):
                cells[at] = level


def _facts_of(by_role: Mapping[str, str], cells: list[str], columns: list[_Column]) -> dict[str, str]:
    """Return the axes of a row, its run and its benchmark."""
    axes = zip(columns, cells, strict=True)
    facts = {column.name: cell.strip() for column, cell in axes if column.role == "axis" and cell.strip()}
    # A Go name is split as in the log it came from; any other name is the benchmark.
    if by_role.get("benchmark") and without_prefix(by_role["benchmark"]) == by_role["benchmark"]:
        facts["benchmark"] = by_role["benchmark"]
    if by_role.get("run"):
        facts["run"] = by_role["run"]
    return facts


#: A line or a position: a whole number that fits a column of them.
_SHORT = re.compile(r"\d{1,9}", re.ASCII)
#: What a cell of CSV begins with where an apostrophe goes before it: a formula for a spreadsheet, a comment for us.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "#", "'")


def _unquoted(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell[1:2] in _FORMULA else cell


# What the columns of a table are: metrics with their units, axes, or reserved words.


_Role = Literal[
    "metric", "axis", "name", "benchmark", "run", "iterations", "errors", "value", "unit", "interval", "skip"
]

_RESERVED: dict[str, _Role] = {
    "name": "name", "benchmark": "benchmark", "bench": "benchmark", "run": "run",
    "iterations": "iterations", "errors": "errors",
}  # fmt: skip
#: When a row was recorded, each at a time of its own: a date with a time, or seconds since 1970.
_STAMPS = frozenset({"timestamp", "time_stamp", "ts", "datetime", "date_time", "started_at", "start_time"})
_DATED = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?.{0,6}")
_SINCE_1970 = re.compile(r"\d{10}(?:\d{3}|\d{6}|\d{9}|\.\d{1,9})?")
#: ``±0.5%``: what belongs to another column.
_ONLY_SPREAD = re.compile(r"(?:±|\+/-)\s?[\d.,]{1,30}\s?[%\w]{0,5}")
#: ``±``, ``± (ms)``, ``+/- ns``: the header of such a column.
_SPREAD = re.compile(r"±|\+/-")
#: What a row rests on, where its numbers were counted.
_COUNTS = frozenset({
    "count", "samples", "sample_count", "num_samples", "calls", "invocations", "hits", "requests", "total_requests",
    "num_requests", "request_count", "transactions", "total_transactions", "operations", "total_ops",
})  # fmt: skip
#: benchlib's own columns, written by ``benchlib convert``: derived again, never axes.
_DERIVED = frozenset({"original_unit", "position", "source", "line"})


@dataclass(frozen=True, slots=True)
class _Column:
    """One column: its header, what it is, its metric or axis, its unit, and how it says that calls failed."""

    written: str
    role: _Role
    name: str
    unit: str
    failure: Telling = ""
    #: Whether its cells hold their units.
    in_cells: bool = False
    #: Of half an interval: its confidence level. Its name is then the metric that it is of.
    level: float = 0.0
    #: The axis and level that the header of a metric says, where others measure the same at other levels.
    level_of: tuple[tuple[str, str], ...] = ()
    #: Whether it says that each row is of one request: when it was sent, or the status of its answer.
    each: bool = False


def _is_tidy(header: Sequence[str]) -> bool:
    """Whether a header is that of a tidy table: a value column, and a unit or metric column."""
    words = {heading.strip().lower() for heading in header}
    return "value" in words and ("metric" in words or "unit" in words)


def classify(header: Sequence[str], body: Sequence[Sequence[str]]) -> list[_Column]:
    """Say what each column of a table is.

    A header with a unit or the word of a metric is a metric; texts and small sets of whole numbers are axes. A column
    of other numbers is a metric with the name of its header.
    """
    names = [heading.strip() for heading in header]
    cells = [[row[i].strip() for row in body if i < len(row) and row[i].strip()] for i in range(len(names))]
    if _is_tidy(names):
        return [_tidy_column(name, cells[i]) for i, name in enumerate(names)]
    named = filter(None, map(metric_of, names))
    of = _Among(
        per_operation=any(unit.endswith("/op") for _, unit in named),
        crossed=_is_crossed(names, cells),
        jmeter=_is_jmeter_report(names),
        counting=any(map(counted, names)),
        remarks=any(map(_STATISTIC.search, names)),
        failing=any(name.lower() == "errors" or telling(name, cells[i])[0] for i, name in enumerate(names)),
    )
    columns = [_column(name, cells[i], of) for i, name in enumerate(names)]
    columns = _with_levels(columns, cells)
    measured = [cell for i, column in enumerate(columns) if column.role == "metric" for cell in cells[i]]
    # Not where lists may be meant: read as a metric, such a column would take a level from every row.
    commas = any(map(has_comma, measured)) or any(map(commas_are_decimal, cells))
    if commas or any(map(is_parted, measured)):
        # Where one column is of numbers with such signs, so are those whose header says nothing of numbers.
        plain_cells = [[plain(cell) if commas or not has_comma(cell) else cell for cell in column] for column in cells]
        columns = [
            column if column.role == "metric" else _column(column.written, plain_cells[i], of)
            for i, column in enumerate(columns)
        ]
    bases = {parse_unit(column.unit).base for column in columns if column.in_cells}
    columns = [_like_its_neighbours(column, cells[i], bases) for i, column in enumerate(columns)]
    columns = _with_offered(_with_counted(columns, cells), cells)
    if names and not names[0]:
        columns[0] = _first_without_name(cells[0], columns)
    elif names and snake(names[0]) == "index" and cells[0] and _are_row_numbers(cells[0]):
        # Beside axes it says nothing; without them each row is a run.
        axes = any(column.role in ("axis", "benchmark", "name") for column in columns[1:])
        columns[0] = _Column(names[0], "skip" if axes else "run", "", "")
    elif columns and _is_clock(columns, cells):
        columns[0] = _Column(names[0], "skip", "", "")
    return _with_intervals(_told_apart(columns), cells)


def _are_requests(columns: Sequence[_Column]) -> bool:
    """Whether each row is of one request: it says when, or with which status, and no rate, count or percentile."""
    names = [column.name for column in columns if column.role == "metric"]
    rates = any(column.unit.endswith("/s") or column.name == "throughput" for column in columns)
    many = rates or any(name.startswith("latency_") for name in names)
    return not many and any(column.each for column in columns) and not any(c.role == "iterations" for c in columns)


def _with_levels(columns: list[_Column], cells: Sequence[Sequence[str]]) -> list[_Column]:
    """Return columns that measure the same at several levels as that one metric."""
    levels = levels_of([column.written for column in columns])
    if levels and all(level.axis == "run" for level in levels.values()) and _fall_in_turn([cells[at] for at in levels]):
        # T1, T2, T3 are the times of as many threads.
        turned = {at: Level("time", level.unit, "threads", level.level) for at, level in levels.items()}
        letters = all(columns[at].written[:1].lower() == "t" and len(columns[at].written) < 4 for at in levels)
        levels = turned if letters else levels
    if not all(any(is_number(split_unit(cell)[0]) or has_comma(cell) for cell in cells[at]) for at in levels):
        return columns
    return [_at_level(column, levels[at], cells[at]) if at in levels else column for at, column in enumerate(columns)]


def _fall_in_turn(columns: Sequence[Sequence[str]]) -> bool:
    """Whether columns of numbers fall from each to the next, at last by more than repeats differ."""
    rows = [[float(cell) for cell in row] for row in zip(*columns, strict=False) if all(map(is_number, row))]
    return bool(rows) and all(row == sorted(row, reverse=True) and row[-1] < 0.67 * row[0] for row in rows)


def _at_level(column: _Column, level: Level, cells: Sequence[str]) -> _Column:
    unit = "" if level.unit else unit_of_cells(cells)
    named = named_with(level.metric, unit) if unit else None
    metric = "time" if named and level.metric == "value" and parse_unit(unit).base == "sec" else level.metric
    at = ((level.axis, level.level),)
    return _Column(column.written, "metric", metric, level.unit or unit, in_cells=bool(unit), level_of=at)


def _like_its_neighbours(column: _Column, cells: Sequence[str], bases: Collection[str]) -> _Column:
    """Return a column of whole quantities as a metric where another measures the same: `1.2 s` beside `30 ms`."""
    unit = unit_of_cells(cells) if bases and column.role == "axis" and not is_setting(column.written) else ""
    measured = bool(unit) and parse_unit(unit).base in bases
    named = named_with(column.written, unit) if measured and len(set(cells)) * 2 > len(cells) else None
    return _Column(column.written, "metric", named[0], named[1] or unit, in_cells=True) if named else column


#: Nouns of which an input has a number, as odd as it may be.
_OF_INPUTS = re.compile(
    r"(?:.*_)?(?:vertices|edges|atoms|particles|bodies|points|elements|items|rows|columns|cols|records|entries|keys|docs|"
    r"documents|files|tokens|cells|nnz|dims?|dimensions?|length|width|height|year|port|version|commit|pr|build|"
    r"id|pid|job_?id|page|rate|rps|qps|freq|frequency|mhz|clock)"
)


def _with_counted(columns: list[_Column], cells: Sequence[Sequence[str]]) -> list[_Column]:
    """Return whole numbers as metrics that were counted, where another column says what was measured."""
    axes = {at for at, column in enumerate(columns) if column.role in ("axis", "benchmark", "name") and cells[at]}
    named = any(len({*cells[at]}) == len(cells[at]) and not any(map(is_number, cells[at])) for at in axes)
    counted_at = {
        at
        for at in axes
        if columns[at].role == "axis" and len(cells[at]) > 1 and _may_be_counted(columns[at])
        if _are_counted(cells[at]) or (named and _are_of_names(columns[at].written, cells[at]))
    }
    if counted_at == axes:
        return columns
    return [
        _Column(column.written, "metric", column.written, "") if at in counted_at else column
        for at, column in enumerate(columns)
    ]


def _may_be_counted(column: _Column) -> bool:
    setting = is_setting(column.written) or _OF_INPUTS.fullmatch(snake(column.written))
    return not (setting or column.failure or numbers_repeats(column.written))


def _are_of_names(written: str, cells: Sequence[str]) -> bool:
    """Whether whole numbers beside a name in each row were counted: none comes twice, and few people set 21 or 81."""
    whole = all(map(_SHORT.fullmatch, cells)) and len(set(cells)) == len(cells)
    return whole and (
        names_metric(written) or any(int(cell) > 10 and int(cell) % 2 and int(cell) % 5 for cell in cells)
    )


#: Names of the load that a generator was told to offer, and of rates that it may also be called by.
_OFFERED = re.compile(
    r"(?:offered|target|requested|nominal|arrival|injected|input|intended|configured|desired|send|sending|request)_"
    r"(?:load|rate|rps|qps|tps|throughput|requests_per_sec(?:ond)?)(?:_(?:rps|qps|tps))?|offered|target|load|utili[sz]ation"
)
_MAY_BE_OFFERED = re.compile(r"qps|rps|tps|rate|req_?rate|load|requests?_per_sec(?:ond)?|req/s(?:ec)?")
#: Fewer levels of a load are no sweep; few digits are those that people choose.
_FEWEST_LOADS, _CHOSEN_DIGITS = 3, 2
#: A longer header is no name of a load.
_LONG_HEADER = 200


def _with_offered(columns: list[_Column], cells: Sequence[Sequence[str]]) -> list[_Column]:
    """Return the load that was offered as an axis: a rate that people chose, beside what was measured at it."""
    axes = [at for at, column in enumerate(columns) if column.role in ("axis", "benchmark", "name")]
    swept = any(counted(columns[at].written) and len(set(cells[at])) > 1 for at in axes)
    timed = any(column.role == "metric" and column.name.startswith("latency") for column in columns)
    rated = [at for at, column in enumerate(columns) if column.role == "metric" and column.unit.endswith("/s")]

    def is_offered(at: int, column: _Column) -> bool:
        if column.role != "metric" or not (timed or len(rated) > (at in rated)) or len(column.written) > _LONG_HEADER:
            return False
        name = re.sub(r"\W+$", "", snake(_IN_BRACKETS.sub("", column.written)))
        if _OFFERED.fullmatch(name):
            return True
        # A rate by itself may have been measured: of names, and under threads.
        levels = {*cells[at]}
        chosen = all(level.isdigit() and len(level.rstrip("0")) <= _CHOSEN_DIGITS for level in levels)
        crossed = not axes or len(levels) * 2 <= len(cells[at])
        return (
            bool(_MAY_BE_OFFERED.fullmatch(name)) and chosen and crossed and not swept and len(levels) >= _FEWEST_LOADS
        )

    return [
        _Column(column.written, "axis", column.written, "") if is_offered(at, column) else column
        for at, column in enumerate(columns)
    ]


#: Brackets at the end of a header, which hold its unit.
_IN_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")


@dataclass(frozen=True, slots=True)
class _Among:
    """What the other columns of a table say of each."""

    #: Some are costs of one operation.
    per_operation: bool
    #: The first has no name, or counts what runs at once, and the others say nothing else: they were measured there.
    crossed: bool
    #: They are an aggregate report of JMeter.
    jmeter: bool
    #: Some count failures, so that what they are of is counted too.
    failing: bool
    #: Some say how many run at once.
    counting: bool
    #: Some are other statistics of it, so that ``min`` is a minimum and no minute.
    remarks: bool


def _is_crossed(names: Sequence[str], cells: Sequence[Sequence[str]]) -> bool:
    if not names or names[0]:
        return len(names) > 2 and bool(counted(names[0])) and not any(map(_is_known, names[1:], cells[1:]))
    return not _are_row_numbers(cells[0])


def _is_known(written: str, cells: Sequence[str]) -> bool:
    """Whether a header says what its column is, or its cells are no numbers."""
    name = snake(written)
    said = metric_of(written) or is_setting(written) or numbers_repeats(written) or _OF_INPUTS.fullmatch(name)
    return bool(said or name in _RESERVED or name in _COUNTS or telling(written, cells)[0]) or not _mostly_numbers(
        cells
    )


def _are_row_numbers(cells: Sequence[str]) -> bool:
    return [*cells] == [*map(str, range(len(cells)))] or [*cells] == [*map(str, range(1, len(cells) + 1))]


def _first_without_name(cells: Sequence[str], columns: Sequence[_Column]) -> _Column:
    """Return the first column of a table that pandas, R or a spreadsheet wrote: row numbers, benchmarks or levels."""
    axes = any(column.role in ("axis", "benchmark", "name") for column in columns[1:])
    if not cells or (_are_row_numbers(cells) and (axes or cells[0] == "0")):
        return _Column("", "skip", "", "")
    named = any(column.role in ("benchmark", "name") for column in columns)
    if named or any(map(is_number, cells)):
        return _Column("", "axis", "first_column", "")
    return _Column("", "benchmark", "", "")


#: Fewer rows are no course of time.
_FEWEST_TICKS = 4


def _is_clock(columns: Sequence[_Column], cells: Sequence[Sequence[str]]) -> bool:
    """Whether the first column is when each row was recorded: a time that goes on by even steps beside other metrics.

    So does no time that something took.
    """
    if columns[0].role != "metric" or columns[0].name not in ("time", "duration") or columns[0].in_cells:
        return False
    if not any(column.role == "metric" for column in columns[1:]) or len(cells[0]) < _FEWEST_TICKS:
        return False
    if not all(map(is_number, cells[0])):
        return False
    ticks = [*map(float, cells[0])]
    steps = sorted(after - before for before, after in pairwise(ticks))
    middle = steps[len(steps) // 2]
    return steps[0] > 0 and steps[0] >= 0.75 * middle and steps[-1] <= 1.25 * middle


def _told_apart(columns: list[_Column]) -> list[_Column]:
    """Give each metric a name of its own: two columns of one name would be repeats of each other."""
    taken = Counter(column.name for column in columns if column.role == "metric")
    if "time" not in taken and taken["time_mean"] == 1:
        # A mean time is the time of its run, where no other is told.
        columns = [replace(column, name="time") if column.name == "time_mean" else column for column in columns]
    seen = {column.name for column in columns if column.level_of}
    apart = []
    for column in columns:
        if column.role == "iterations" and "" in seen:
            column = replace(column, role="metric", name=column.written)
        elif column.role == "iterations":
            seen.add("")
        if column.level_of:
            apart.append(column)
            continue
        if column.role == "metric" and column.name in seen:
            own = re.sub(r"[\W_]+", "_", snake(column.written)).strip("_")
            column = replace(column, name=next(name for name in _numbered(own) if name not in seen))
        if column.role == "metric":
            seen.add(column.name)
        apart.append(column)
    return apart


def _with_intervals(columns: Sequence[_Column], cells: Sequence[Sequence[str]]) -> list[_Column]:
    """Give each half of an interval to the metric before it; one without a level is a number by itself."""
    given: list[_Column] = []
    of = ""
    for column, written in zip(columns, cells, strict=True):
        level = interval_level(column.written)
        if level and of and _mostly_numbers(written):
            column, of = replace(column, role="interval", name=of, unit="", failure="", level=level), ""
        elif column.role == "metric" and not column.in_cells:
            of = column.name
        given.append(column)
    return given


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}_{number}" for number in count(2))


def _tidy_column(written: str, cells: Sequence[str]) -> _Column:
    word = written.lower()
    if word in ("metric", "value", "unit"):
        return _Column(written, "metric" if word == "metric" else "value" if word == "value" else "unit", "", "")
    return _reserved(written, cells) or _Column(written, "axis", written, "")


def _reserved(written: str, cells: Sequence[str]) -> _Column | None:
    word = written.lower()
    if word in _DERIVED or not word:
        return _Column(written, "skip", "", "")
    if len(set(cells)) == len(cells) > 1 and _are_stamps(snake(written), cells):
        return _Column(written, "skip", "", "", each=True)
    if word in _RESERVED:
        return _Column(written, _RESERVED[word], "", "")
    if word == "error" and _are_error_bars(cells):
        return None
    failure, alone = telling(written, cells)
    # A column that says more than that is an axis too, and never a metric: nobody needs the mean of status codes.
    role: _Role = "skip" if alone else "axis"
    return _Column(written, role, "" if alone else written, "", failure, each=failure == "code") if failure else None


_STATISTIC = re.compile(r"\b(?:max|avg|mean|average|median)", re.IGNORECASE)
_IN_MINUTES = re.compile(r"(.{0,80}(?:time|duration|elapsed|runtime))\s*[(\[]min[)\]]", re.IGNORECASE)
#: A header that says its cells are of a second.
_A_SECOND = re.compile(r"(?:/|\bper[ _])\s?s(?:ec(?:ond)?)?$", re.IGNORECASE)


def _are_stamps(name: str, cells: Sequence[str]) -> bool:
    if name in _STAMPS:
        return all(_DATED.fullmatch(cell) or _SINCE_1970.fullmatch(cell) for cell in cells)
    return name in ("time", "date") and (all(map(_DATED.fullmatch, cells)) or _go_on_since_1970(cells))


#: Seconds since 1970, as they were from 2014 on. Rows recorded over more years than a tenth of them are no series.
_RECENT_SECONDS = re.compile(r"1[4-9]\d{8}")
_LONGEST_SERIES = 1.1


def _go_on_since_1970(cells: Sequence[str]) -> bool:
    """Whether cells are seconds since 1970 that go on from row to row, and no long times in nanoseconds."""
    if len(cells) < _FEWEST_TICKS or not all(map(_RECENT_SECONDS.fullmatch, cells)):
        return False
    seconds = [*map(int, cells)]
    return all(after > before for before, after in pairwise(seconds)) and seconds[-1] < _LONGEST_SERIES * seconds[0]


#: A column of JMeter's aggregate report -> metric and unit, which it leaves out
#: (https://jmeter.apache.org/usermanual/component_reference.html#Aggregate_Report).
_JMETER = {
    "Average": ("latency_mean", "ms"), "Median": ("latency_p50", "ms"), "90% Line": ("latency_p90", "ms"),
    "95% Line": ("latency_p95", "ms"), "99% Line": ("latency_p99", "ms"), "Min": ("latency_min", "ms"),
    "Max": ("latency_max", "ms"), "Std. Dev.": ("latency_stdev", "ms"), "Throughput": ("throughput", "req/s"),
    "Avg. Bytes": ("response_bytes", "B"),
}  # fmt: skip


def _is_jmeter_report(names: Sequence[str]) -> bool:
    return {"Label", "# Samples", "Average", "Error %", "Throughput"} <= {*names}


def _column(written: str, cells: Sequence[str], of: _Among) -> _Column:
    if of.jmeter and written in ("Label", "# Samples"):
        return _Column(written, "benchmark" if written == "Label" else "iterations", "", "")
    if of.jmeter and written in _JMETER and _mostly_numbers(cells):
        return _Column(written, "metric", *_JMETER[written])
    if _SPREAD.match(written) or (cells and all(map(_ONLY_SPREAD.fullmatch, cells))):
        return _Column(written, "skip", "", "")
    reserved = _reserved(written, cells)
    if reserved:
        return reserved
    if snake(written) in _COUNTS and (_are_counted(cells) or (of.failing and (of.counting or len(set(cells)) == 1))):
        return _Column(written, "iterations", "", "")
    in_minutes = None if of.remarks else _IN_MINUTES.fullmatch(written)
    metric = metric_of(f"{in_minutes[1]} (minutes)" if in_minutes else written, per_operation=of.per_operation)
    if len(written) == 1 and all(cell.isdigit() for cell in cells):
        metric = None  # s is a second where it has parts, and a setting of whole numbers else
    if unit := _unit_in_cells(written, cells):
        if _A_SECOND.search(written) and "/" not in unit:
            unit = f"{unit}/s"
        named = metric or named_with(written, unit, per_operation=of.per_operation)
        if named:
            return _Column(written, "metric", named[0], named[1] or unit, in_cells=True)
    # A number with a comma may stay open; it is a problem then, and no level.
    written_out = [unshortened(cell) if metric and _counts_per_second(*metric) else cell for cell in cells]
    if metric and any(is_number(cell) or has_comma(cell) or is_parted(cell) for cell in written_out):
        return _Column(written, "metric", *metric)
    levels = _few_whole(cells) and not of.crossed
    if _mostly_numbers(cells) and not is_setting(written) and not levels:
        return _Column(written, "metric", written, "")
    return _Column(written, "axis", written, "")


def _unit_in_cells(written: str, cells: Sequence[str]) -> str:
    """Return the unit that stands in the cells of a metric; levels of a setting, as 10 ms and 64 KB, have one too.

    Where the header names no metric, parts tell: what people set is whole, and comes again.
    """
    unit = unit_of_cells(cells)
    if not unit or is_setting(written) or (len(cells) > 1 and len(set(cells)) == 1):
        return ""
    measured = any("." in cell for cell in cells) and len(set(cells)) * 2 > len(cells)
    return unit if names_metric(written) or measured else ""


def _are_counted(cells: Sequence[str]) -> bool:
    """Whether whole numbers were counted and not set: none comes twice, and some are as odd as 2763."""
    odd = (cell.isdigit() and len(cell.rstrip("0")) > 2 and int(cell[:18]) & (int(cell[:18]) - 1) for cell in cells)
    return all(cell.isdigit() for cell in cells) and len(set(cells)) == len(cells) and any(odd)


def _are_error_bars(cells: Sequence[str]) -> bool:
    """Whether a column called error is of numbers with parts, or with a unit: no count, no code and no reason."""
    numbers = [split_unit(cell)[0] for cell in cells]
    parts = (is_number(number) and not number.lstrip("+-").isdigit() for number in numbers)
    bars = any(parts) and sum(map(is_number, numbers)) * 2 > len(cells)
    return bars and not any(cell.endswith("%") for cell in cells)


def _mostly_numbers(cells: Sequence[str]) -> bool:
    """Whether a column is of numbers; a stray word among them is a problem and makes no axis of it."""
    return bool(cells) and sum(map(is_number, cells)) * 2 > len(cells)


def _few_whole(cells: Sequence[str]) -> bool:
    """Whether a column is of whole numbers that come again, or that are few: levels of an axis."""
    whole = all(cell.lstrip("+-").isdigit() for cell in cells)
    return whole and (len(set(cells)) <= 12 or len(set(cells)) * 2 <= len(cells))


# What the dots and commas in the numbers of a table are, where that is not plain.


#: What parts the columns where commas are left for decimals -> its name.
_LEAVES_COMMAS = {";": "semicolons", "\t": "tabs"}

_Told = list[tuple[int, str]]


def _doubts_of(
    rows: Sequence[tuple[int, list[str]]], columns: Sequence[_Column], separator: str
) -> tuple[_Told, _Told]:
    """Return problems of dots for which a table is refused, and those that are only told; each with its entry.

    Where no commas part the columns, many programs part thousands by dots: 1.850 may be 1,850. A dot that can only be
    decimal, in any metric, shows that they do not. Else a column is read as decimals, and that is said, if each of its
    numbers has three of them: a program that writes three writes them everywhere. If some have none, the table is
    refused; between tabs, which any program may write, only if other dots, as in 1.234.567, can only part thousands.
    """
    refused: _Told = []
    doubtful: _Told = []
    parted_by = _LEAVES_COMMAS.get(separator, "")
    for at, column in enumerate(columns):
        if not parted_by or column.role not in ("metric", "axis", "value", "iterations", "errors"):
            continue
        cells = [cells[at].strip() for _, cells in rows]
        first = next((number for number, cell in enumerate(cells) if GROUPED.fullmatch(cell)), None)
        others = [cell for cell in cells if not GROUPED.fullmatch(cell)]
        decimal = any("." in cell and is_number(cell) for cell in others)
        measured = column.role in ("metric", "value")
        if decimal and measured:
            return [], []
        numbers = column.role != "axis" or _mostly_numbers([cell for cell in cells if cell])
        if first is None or decimal or not numbers:
            continue
        millions = any(map(MILLIONS.fullmatch, others))
        mixed = millions or any(map(is_number, others))
        entry, cell, whole = rows[first][0], cells[first], cells[first].replace(".", "")
        shown = f"column '{printable(column.written, 40)}': '{cell}' is"
        if millions or (mixed and separator == ";"):
            why = f"{parted_by} part the columns, and every dot of this one stands before three digits"
            remedy = f"write {whole}, or commas between the columns if the dot is decimal; the table is not read"
            refused.append((entry, f"{shown} {float(cell):g} or {whole}: {why}; {remedy}"))
        elif measured and (mixed or separator == ";"):
            why = "" if mixed else ", since each of its numbers has three decimals"
            doubtful.append((entry, f"{shown} read as {float(cell):g}{why}; if the dots part thousands, write {whole}"))
    return refused, doubtful


# What people's own runners write: a JSON list of flat objects, or one object a line.


def _is_json_rows(head: TextFile) -> Certainty:
    """Judge it possible where the first keys are flat and one of them names a metric."""
    if head.first.lstrip().startswith("{"):
        paths = outline(TextFile(head.source, [head.first]), 3)
    else:
        paths = frozenset(path[3:] for path in outline(head, 3) if path.startswith("[]."))
    if not paths or any("." in path or "[" in path for path in paths):
        return "no"
    # Whole numbers that come again are axes, unless their name says what they measure.
    has_metric = _is_tidy([*paths]) or any(classify([key], [["1"], ["1"]])[0].role == "metric" for key in paths)
    return "possible" if has_metric else "no"


def _read_json_rows(file: TextFile) -> Reading:
    """Read each object as a line of a table."""
    documents = documents_of_lines(file)
    entries: list[tuple[int, object]] = []
    for document in documents:
        if document.parsed and isinstance(document.root, list):
            lines = document.lines("[]")
            same = len(lines) == len(document.root)
            entries += [(lines[n] if same else document.first_line, entry) for n, entry in enumerate(document.root)]
        else:
            entries.append((document.first_line, document.root if document.parsed else _BROKEN))
    ledger = Records([line for line, _ in entries])
    ledger.whole(problem for document in documents for problem in document.problems)
    header = list(dict.fromkeys(key for _, entry in entries if isinstance(entry, dict) for key in entry))
    records: list[_Record] = [(0, [_one_line(key) for key in header])]
    nested: dict[str, int] = {}
    for number, (line, entry) in enumerate(entries):
        if isinstance(entry, dict):
            for key, value in entry.items():
                if isinstance(value, (list, dict)):
                    nested.setdefault(key, line)
            records.append((number, [_json_cell(entry.get(key)) for key in header]))
        elif entry is _BROKEN:
            ledger.refuse([number])
        else:
            ledger.problem(number, "no object; each entry is to be {key: value}; entry skipped")
    for key, line in nested.items():
        message = f"'{printable(key, 60)}' is nested; declare the format in [[formats]] of study.toml; passed over"
        ledger.whole([(line, message)])
    if not entries and not ledger.problems:
        ledger.whole([(0, "holds no object; write a list of them")])
    return _read_records(file.source, records, ledger, header_is_line=False)


#: In place of a document that did not parse.
_BROKEN = object()

JSON_ROWS = Format(
    name="json-rows",
    rule="a JSON list of flat objects, or one a line, with a key that names a metric such as time_ms or rps",
    yields="a value for each number whose key names a metric; texts and few whole numbers are axes",
    limits="nested values (declare the format in study.toml); a unit that no key names",
    recognise=_is_json_rows,
    read=_read_json_rows,
)


def _json_cell(value: object) -> str:
    if value is None or isinstance(value, (list, dict)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, float) else _one_line(str(value))


# Parquet: tables in binary, among them what `benchlib convert` writes.


#: A run of equal values takes no room in the file: what it unfolds to is bounded by cells.
_MOST_CELLS = 50_000_000
#: Cells of a file of any size, and more for each byte: results differ, and columns of one value alone take no byte.
_CELLS_FREE, _CELLS_A_BYTE = 1_000_000, 20
#: Letters of a cell, were all alike: one text may be longer than a book where the others are not.
_LETTERS_A_CELL = 100


def _read_parquet(file: TextFile) -> Reading:
    """Refuse text."""
    raise InputError(f"{file.source}: is text, and Parquet is not; leave --format away")


PARQUET = Format(
    name="parquet",
    rule="the bytes PAR1 at both ends",
    yields="what a CSV of the same columns does; a table that benchlib convert wrote reads back as it was",
    limits="needs the extra arrow; nested and binary columns are passed over",
    recognise=lambda head: "no",
    read=_read_parquet,
)


def _check_arrow(shown: str) -> None:
    if importlib.util.find_spec("pyarrow") is None:
        raise InputError(f"{shown}: Parquet needs pyarrow; pip install 'benchlib[arrow]', or write .csv")


def read_parquet(raw: bytes, source: str) -> Reading:
    """Read the bytes of a Parquet file."""
    _check_arrow(source)
    import pyarrow as arrow
    from pyarrow import parquet

    try:
        schema = parquet.read_schema(io.BytesIO(raw))
        texts = [field.name for field in schema if _is_text(field.type)]
        # A text stands once in memory, as it does in the file, however many rows hold it.
        file = parquet.ParquetFile(io.BytesIO(raw), read_dictionary=texts)
        _check_claim(file.metadata, raw, source)
        flat = [field.name for field in file.schema_arrow if _is_flat(arrow, field.type)]
        passed = [field.name for field in file.schema_arrow if field.name not in flat]
        rows: list[list[str]] = []
        letters = 0
        # A batch at a time: between two of them a bound of time is heeded.
        for batch in file.iter_batches(columns=flat):
            columns = [*map(_parquet_cells, batch)]
            letters += sum(sum(map(len, cells)) for cells in columns)
            _check_letters(letters, len(raw), source)
            rows += map(list, zip(*columns, strict=True))
    except MemoryError:
        raise
    except (arrow.ArrowException, OSError, ValueError, OverflowError, LookupError) as error:  # the last of a time zone
        first = str(error).partition("\n")[0]
        raise InputError(f"{source}: damaged Parquet ({printable(first, 100)}); write it again") from error
    records: list[_Record] = [(0, [_one_line(name) for name in flat]), *enumerate(rows, 1)]
    reading = _read_records(source, records, Ledger(len(rows)), header_is_line=False)
    for name in passed:
        reading.problems.append((0, f"column '{printable(name, 60)}' is nested or binary; passed over"))
    return reading


def _check_claim(claim: Any, raw: bytes, source: str) -> None:
    """Refuse a table of more cells than are read, or than its bytes can hold results: columns of one value alone."""
    size, groups = len(raw), [claim.row_group(number) for number in range(claim.num_row_groups)]
    _bound(raw, sum(group.total_byte_size for group in groups), source)
    cells = claim.num_rows * max(1, claim.num_columns)
    if cells > min(_MOST_CELLS, _CELLS_FREE + _CELLS_A_BYTE * size):
        raise InputError(f"{source}: {cells:,} cells in {size:,} bytes; more than are read; split the table")


def _check_letters(letters: int, size: int, source: str) -> None:
    """Refuse texts that are read at length in row after row, and stand once in the file."""
    if letters > _LETTERS_A_CELL * (_CELLS_FREE + _CELLS_A_BYTE * size):
        raise InputError(f"{source}: {letters:,} letters in {size:,} bytes; more than are read; shorten its texts")


def _is_text(kind: Any) -> bool:
    return str(kind) in ("string", "large_string", "string_view")


def _is_flat(arrow: Any, kind: Any) -> bool:
    inner = kind.value_type if arrow.types.is_dictionary(kind) else kind
    return not (arrow.types.is_nested(inner) or arrow.types.is_binary(inner) or arrow.types.is_large_binary(inner))


def _parquet_cells(column: Any) -> list[str]:
    if not hasattr(column, "dictionary"):
        return [_parquet_cell(value) for value in column.to_pylist()]
    words = [_parquet_cell(value) for value in column.dictionary.to_pylist()]
    return ["" if index is None else words[index] for index in column.indices.to_pylist()]


def _parquet_cell(value: Any) -> str:
    """Write a cell as a CSV would hold it, to the last digit."""
    if value is None or value != value:
        return ""
    return repr(value) if isinstance(value, float) else _one_line(str(value))


# The two tables of the token SDK's `run_benchmarks.py`.
#
# `benchmark_results.csv` has one line a recording and one column a value, `benchmark_IOstats.csv` one line a
# combination of bits, inputs and outputs. Both are made from logs: times are cut to whole milliseconds, there is no
# count of errors, and a benchmark that failed stands as zeros. A log of the same benchmark is the better source.


#: As the table writes it -> (metric, unit).
_SERIAL = {"time": ("time", "ms/op"), "RAM": ("memory", "B/op"), "allocs": ("allocations", "allocs/op")}
_PARALLEL = {
    "tps": ("throughput", "op/s"),
    "lat-p95": ("latency_p95", "ms"),
    "lat-avg": ("latency_mean", "ms"),
    "lat-std": ("latency_stdev", "ms"),
    "goroutines": ("goroutines", ""),
}
_SERIAL_COLUMN = re.compile(r"(Benchmark\w+) (time|RAM|allocs)")
_PARALLEL_COLUMN = re.compile(
    r"(TestParallelBenchmark\w+)\[(\w+)\]/(\d{1,9}) (tps|lat-p95|lat-avg|lat-std|goroutines)", re.ASCII
)
_COMBINATIONS = ["bench", "bits", "I", "O", "allocs", "RAM bytes", "time ms"]
_ROUNDED = (
    "times and latencies are cut to whole milliseconds and memory and allocations kept to 4 digits;"
    " there is no count of errors"
)
#: What a table says of one benchmark: (metric, unit) -> the column and its cell.
_Group = dict[tuple[str, str], tuple[str, str]]


def _is_value_column(heading: str) -> bool:
    return bool(_SERIAL_COLUMN.fullmatch(heading) or _PARALLEL_COLUMN.fullmatch(heading))


def _is_token_sdk_csv(head: TextFile) -> Certainty:
    header = split_cells(head.first, ",") or []
    recording = header[:1] == ["timestamp"] and any(map(_is_value_column, header))
    return "certain" if header == _COMBINATIONS or recording else "no"


TOKEN_SDK_CSV = Format(
    name="token-sdk-csv",
    rule="a header 'timestamp,BenchmarkX time,...' or 'bench,bits,I,O,allocs,RAM bytes,time ms'",
    contains=frozenset({"csv"}),
    yields="time, memory, allocations, throughput and latency of each recording",
    limits="digits below a millisecond; errors (a failed benchmark stands as zeros): a log beside it is read instead",
    # Made from logs: a log of the same benchmark supersedes it.
    summary=True,
    recognise=_is_token_sdk_csv,
    read=lambda file: _TokenSdkTable(file).reading(),
)


class _TokenSdkTable(Collector):
    """The reading of one such file, line by line."""

    def __init__(self, file: TextFile) -> None:
        super().__init__(file.source, Ledger(len(file.lines)))
        self.file = file

    def reading(self) -> Reading:
        header = [cell.strip() for cell in split_cells(self.file.first) or ()]
        rows = list(rows_below(self.file, self.ledger))
        for heading in [] if header == _COMBINATIONS else header:
            if heading != "timestamp" and not _is_value_column(heading):
                self.ledger.note(1, f"column '{printable(heading)}' is not known; left out")
        for number, row in rows:
            before = len(self.rows)
            if header == _COMBINATIONS:
                self._take_combination(number, row)
            else:
                self._take_recording(number, row, several=len(rows) > 1)
            if len(self.rows) > before:
                self.ledger.data(number)
        if len(self.rows):
            self.add_series("rounded", "", 1, (_ROUNDED,))
        return super().reading()

    def _take_combination(self, number: int, row: Mapping[str, str]) -> None:
        axes: dict[str, Any] = {}
        name, *levels, allocations, memory, time = row.values()
        for axis, text in zip(("bits", "inputs", "outputs"), levels, strict=True):
            if not _SHORT.fullmatch(text):
                self.ledger.problem(number, f"{axis} '{printable(text)}' is not a whole number; line skipped")
                return
            axes[axis] = int(text)
        values = {"allocs": allocations, "RAM": memory, "time": time}
        self._add_group(number, name, axes, {_SERIAL[key]: (key, text) for key, text in values.items()})

    def _take_recording(self, number: int, row: Mapping[str, str], several: bool) -> None:
        # One line is the recording; several lines are several recordings, and each is a run.
        run = {"run": row["timestamp"]} if several and "timestamp" in row else {}
        groups: dict[tuple[str, ...], _Group] = {}
        for column, text in row.items():
            if serial := _SERIAL_COLUMN.fullmatch(column):
                groups.setdefault((serial[1],), {})[_SERIAL[serial[2]]] = (column, text)
            elif parallel := _PARALLEL_COLUMN.fullmatch(column):
                groups.setdefault(parallel.group(1, 2, 3), {})[_PARALLEL[parallel[4]]] = (column, text)
        for (name, *levels), group in groups.items():
            axes = {**run, "executor": levels[0], "workers": int(levels[1])} if levels else run
            self._add_group(number, name, axes, group)

    def _add_group(self, number: int, name: str, axes: Mapping[str, Any], group: _Group) -> None:
        """Add the values of one benchmark in one configuration, unless all of them are zero."""
        numbers: dict[tuple[str, str], float] = {}
        faults = []
        for measure, (column, text) in group.items():
            value, fault = number_of(text, column)
            faults += [fault] if fault else []
            if value is not None:
                numbers[measure] = value
        for fault in faults:
            self.ledger.problem(number, fault)
        if numbers and not any(numbers.values()):
            self._fail(number, name, [column for column, _ in group.values()])
        elif numbers:
            configuration = self.number_of(axes)
            for (metric, unit), value in numbers.items():
                self.add(name, metric, value, unit, line=number, configuration=configuration)

    def _fail(self, number: int, name: str, columns: list[str]) -> None:
        # A benchmark of no time, no memory and no allocations did not run; a time of 0 alone is below one millisecond.
        task = name.removeprefix("TestParallel").removeprefix("Benchmark")
        twin = f"TestParallelBenchmark{task}"
        beside = f"; {twin} beside it has no count of errors and may have failed too" if name != twin else ""
        shown = f"columns '{printable(', '.join(columns))}' are all 0: {printable(name)} gave no result"
        self.ledger.problem(number, f"{shown}{beside}; read its log")
        self.add_series("failed-benchmark", without_prefix(name), number, tuple(columns))


# The tidy table written out: CSV for spreadsheets, Parquet for programs.


def write_table(results: Results, output: Path, *, with_failed: bool = False) -> int:
    """Write the tidy table to a file named ``.csv`` or ``.parquet`` and return its rows."""
    ending = output.suffix.lower()
    if ending not in (".csv", ".parquet"):
        raise InputError(f"{output}: '{printable(ending)}' is not a table format; name it .csv or .parquet")
    if ending == ".parquet":
        _check_arrow(str(output))
    if not os.path.isdir(output.parent):
        raise InputError(f"{output}: no folder {str(output.parent)!r}; make it first")
    frame = pd.concat([results.frame, results.failed]) if with_failed and len(results.failed) else results.frame
    with replacing(output) as temporary:
        if ending == ".csv":
            _inert(frame).to_csv(temporary, index=False)
        else:
            frame.to_parquet(temporary, index=False)
    return len(frame)


def _inert(frame: pd.DataFrame) -> pd.DataFrame:
    """Quote text that a spreadsheet would run as a formula (OWASP, "CSV Injection"), or a reader skip as a comment."""
    inert = frame.copy()
    for column in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[column].dtype):
            inert[column] = frame[column].astype(object).map(_quoted)
    # An axis has the name that a header of the results gave it.
    return inert.rename(columns=_quoted)


def _quoted(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value[:1] in _FORMULA else value


READERS = (CSV_TABLE, JSON_ROWS, PARQUET, TOKEN_SDK_CSV)
