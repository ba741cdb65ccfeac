"""Tables of one's own: CSV, Parquet and flat JSON, tidy or wide; the token SDK's tables; the tidy table written out."""

from __future__ import annotations

import csv
import importlib.util
import io
import math
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import numpy as np
import pandas as pd

from benchlib import metrics, units
from benchlib.errors import DataError, InputError, printable
from benchlib.files import replacing
from benchlib.formats.collector import split_cells
from benchlib.formats.json_text import outline, parse, parse_text
from benchlib.formats.reader import Certainty, Format, Ledger, Reading, Rows, TextFile, _one_line
from benchlib.formats.text import _unpacked_name
from benchlib.metrics import misfit, needs_unit
from benchlib.results import MEASURES, NAMES, LineCounts, Results, Series

# Tables as CSV or TSV: tidy (one value a row, with its unit) or wide (one column a metric).
#
# What a column is, is told by its header and its cells.
# Every line is read alone, so that a quote left open spoils one line and not the rest of the file.

#: What parts the columns, as the header shows too.
_FOR_EXCEL = re.compile(r'"?sep=.?"?', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Record:
    """One line of the table; ``cells`` is None where a quote is left open."""

    line: int
    cells: list[str] | None


def _is_csv_table(head: TextFile) -> Certainty:
    """Be certain of a tidy header; a wide one must name a metric and hold numbers."""
    first = next(_records(head.lines), None)
    if first is None or first.cells is None or len(first.cells) < 2:
        return "no"
    records, header = list(_records(head.lines)), first.cells
    if len(records) < 2:
        return "no"
    if header[0].lstrip()[:1] in ("{", "["):
        return "no"
    if any(_number_of(heading, "")[0] is not None for heading in header):
        return "no"
    if _is_tidy(header):
        return "certain"
    body = [record.cells for record in records[1:200] if record.cells and len(record.cells) == len(header)]
    columns = classify(header, body)
    told = any(column.role == "metric" for column in columns)
    return "possible" if told and len(body) * 2 >= min(len(records) - 1, 199) else "no"


def _read_csv_table(file: TextFile) -> Reading:
    """Read each line as values, context (comments, the header), or a problem."""
    comments = sum(_is_comment(number, line) for number, line in enumerate(file.lines, 1))
    return _read_records(
        file.source,
        list(_records(file.lines)),
        total=len(file.lines),
        comments=comments,
        separator=_separator_of(file.lines),
    )


CSV_TABLE = Format(
    name="csv",
    rule="a header row with metric, value and unit, or with at least one column of numbers that names a metric",
    files="*.csv, *.tsv",
    yields="a value for each filled cell of a metric column; the other columns are axes",
    limits=(
        "which way an unknown metric in an unknown unit is better; a unit that neither header nor column names; "
        "numbers with a comma, decimal or between thousands"
    ),
    recognise=_is_csv_table,
    read=_read_csv_table,
)


def _read_records(
    source: str,
    records: list[_Record],
    *,
    total: int,
    comments: int = 0,
    header_is_line: bool = True,
    separator: str = ",",
) -> Reading:
    """Read a table that is cut into cells, the header first."""
    table = _Table(source, total)
    table.context = comments
    if not records:
        return table.reading()
    header = records[0]
    if header.cells is None:
        table.refuse(header.line, "a quote is left open in the header; close it")
        return table.unread(records[1:])
    names = [cell.strip() for cell in header.cells]
    # What `benchlib convert` wrote says where each value came from, and is quoted against formulas.
    own = _is_own(names)
    if own:
        names = [_unquoted(name) for name in names]
    twice = sorted(name for name, times in Counter(names).items() if times > 1 and name)
    if twice:
        shown = printable(twice[0], 40)
        table.refuse_header(header, f"column {shown!r} stands twice in the header; rename one", header_is_line)
        return table.unread(records[1:])
    width = len(names)
    whole: list[tuple[int, list[str]]] = []
    for record in records[1:]:
        if record.cells is None:
            table.refuse(record.line, "a quote is left open; close it; line skipped")
        elif len(record.cells) != width:
            found = f"{len(record.cells)} fields where the header has {width}"
            table.refuse(record.line, f"{found}; quote a field that holds the separator; line skipped")
        else:
            whole.append((record.line, record.cells))
    columns = classify(names, [cells for _, cells in whole])
    if not any(column.role in ("metric", "value") for column in columns):
        message = "no column names a metric; name one like time_ms, rps or throughput"
        table.refuse_header(header, message, header_is_line)
        return table.unread([_Record(line, cells) for line, cells in whole])
    table.context += int(header_is_line)
    doubts = _doubts_of(whole, columns, separator)
    if doubts and doubts[0].unread:
        table.refuse(doubts[0].line, doubts[0].message)
        return table.unread([_Record(line, cells) for line, cells in whole if line != doubts[0].line])
    table.problems += [(doubt.line, doubt.message) for doubt in doubts]
    table.problems += _levels_as_words(whole, columns, separator)
    for line, cells in whole:
        if own:
            cells = [_unquoted(cell) for cell in cells]
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

    def refuse_header(self, header: _Record, message: str, is_line: bool) -> None:
        """Record what is wrong with the header."""
        if is_line:
            self.refuse(header.line, message)
        else:
            self.problems.append((0, message))

    def unread(self, records: list[_Record]) -> Reading:
        """Give up on a table: each remaining line is a problem, told once."""
        self.wrong |= {record.line for record in records}
        if records:
            self.problems.append((0, f"{len(records)} lines of the table are not read"))
        return self.reading()

    def keep_origin(self, line: int, cells: Mapping[str, str]) -> None:
        """Keep where a value of an exported table came from."""
        place, position = (_whole(cells[one]) for one in ("line", "position"))
        if cells["source"] and place is not None and position is not None:
            self.origins.append((line, cells["source"], place, position, cells["original_unit"]))

    def take(self, line: int, cells: list[str], columns: list[_Column]) -> None:
        """Take the values of one line."""
        facts = {
            column.name: cell.strip() for column, cell in zip(columns, cells, strict=True) if column.role == "axis"
        }
        facts = {name: text for name, text in facts.items() if text}
        reserved: dict[str, str] = {column.role: cell.strip() for column, cell in zip(columns, cells, strict=True)}
        name = reserved.get("name") or reserved.get("benchmark") or ""
        # A Go name is taken apart like in the log it came from; any other name is the benchmark.
        if reserved.get("benchmark") and not reserved["benchmark"].startswith("Benchmark"):
            facts["benchmark"] = reserved["benchmark"]
        if reserved.get("run"):
            facts["run"] = reserved["run"]
        counts = {}
        for role in ("iterations", "errors"):
            number, message = _number_of(reserved.get(role, ""), role)
            if message:
                self.problems.append((line, message))
            counts[role] = number
        told = {
            column.written: failures(column.failure, cell)
            for column, cell in zip(columns, cells, strict=True)
            if column.failure
        }
        if told:
            counts["errors"] = max(counts["errors"] or 0.0, *told.values())
        values = self._tidy(line, reserved) if "value" in reserved else self._wide(line, cells, columns)
        if not values and counts["errors"]:
            blamed = next(
                number for number, column in enumerate(columns) if told.get(column.written) or column.role == "errors"
            )
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
        benchmark = name.removeprefix("Benchmark") or PurePosixPath(_unpacked_name(self.source)).stem
        self.failed.append(Series(kind="failed-benchmark", name=benchmark, source=self.source, line=line, data=()))
        if line not in self.wrong:
            self.refuse(line, f"{printable(benchmark, 60)} failed ({why}); no value is kept")

    def _tidy(self, line: int, cells: Mapping[str, str]) -> list[tuple[str | None, float, str]]:
        value, message = _number_of(cells["value"], "value")
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

    def _wide(self, line: int, cells: list[str], columns: list[_Column]) -> list[tuple[str | None, float, str]]:
        values: list[tuple[str | None, float, str]] = []
        for column, cell in zip(columns, cells, strict=True):
            if column.role != "metric":
                continue
            value, message = _number_of(cell, column.written)
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
            problems=sorted(self.problems, key=lambda problem: problem[0] or math.inf),
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
    header = next((name for _, name in _told(lines)), "")
    return max(",\t;", key=header.count)


def _records(lines: list[str]) -> Iterator[_Record]:
    """Cut lines at the separator of the header."""
    separator = _separator_of(lines)
    for number, line in _told(lines):
        yield _Record(number, split_cells(line, separator))


# How tables and records of one's own say that a call failed: every word of it, in this one place.


#: How a column says it: a count (0 is sound), a reason (empty is sound), whether it succeeded, a word
#: such as ``FAIL``, or a status of HTTP. An empty text: it says nothing of failures.
_Telling = Literal["", "count", "reason", "success", "verdict", "code"]

#: What stands where there is nothing to say.
_NOTHING = frozenset({"", "-", "--", "nan", "-nan", "+nan", "n/a", "na", "null", "none", "nil"})
#: Words for a call that went well.
SOUND = frozenset({
    "ok", "okay", "pass", "passed", "passing", "success", "successful", "succeeded", "complete", "completed", "done",
    "finished", "true", "no error", "no errors",
})  # fmt: skip
#: Words for one that did not, or that never was.
FAILED = frozenset({
    "fail", "failed", "failing", "failure", "error", "errored", "timeout", "timedout", "timed out", "time out",
    "deadline exceeded", "crash", "crashed", "abort", "aborted", "killed", "canceled", "cancelled", "interrupted",
    "panic", "panicked", "exception", "rejected", "refused", "unavailable", "unsuccessful", "incomplete", "oom",
    "out of memory", "skipped", "not ok", "nok", "ko", "false",
})  # fmt: skip
#: What may follow such a word: ``error: refused``, ``failed (2)``, ``timeout after 30 s``.
_MORE = re.compile(r"\s*[:;,.!(\[].*|\s+(?:after|because|code|due|with)\b.*|\s+\d.*", re.DOTALL)

_NAMES: dict[_Telling, tuple[str, ...]] = {
    "count": (
        "failed", "failures", "failed_requests", "failed_ops", "failed_count", "failure_count", "num_failed",
        "num_failures", "error_count", "num_errors", "error_rate", "failure_rate", "timeouts", "num_timeouts",
        "timeout_count", "timed_out", "timedout", "exit_code", "exitcode", "exit_status", "returncode", "return_code",
        "is_error", "is_failed", "has_error", "has_failed", "crashed", "aborted",
    ),
    "reason": ("error", "error_message", "error_msg", "failure", "failure_reason", "exception"),
    "success": ("success", "ok", "pass", "passed", "succeeded", "successful", "is_success", "is_ok", "success_rate"),
    "verdict": ("status", "state", "result", "outcome", "verdict", "run_status", "test_status"),
    "code": (
        "status_code", "statuscode", "http_status", "http_code", "http_status_code", "response_code",
        "response_status", "response_status_code",
    ),
}  # fmt: skip
_TELLINGS = {name: kind for kind, names in _NAMES.items() for name in names}
#: ``200``, ``200.0``, ``503 Service Unavailable``, ``5xx``.
_CODE = re.compile(r"([1-5])(?:\d\d|xx)(?:\.0*)?(?:\s+[a-z' -]+)?", re.ASCII)
#: Between the words of a name: ``exitCode``, ``Exit-Code``, ``HTTPStatus``.
_BETWEEN = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[ -]+")

_HYPHEN = re.compile(r"(?<=[a-z])-(?=[a-z])")


def telling(header: str, cells: Sequence[str]) -> tuple[_Telling, bool]:
    """Return how a column says that calls failed, and whether it says nothing else.

    A status of other words is an axis: only where a word of failure stands among them is it heard as well.
    """
    name = _BETWEEN.sub("_", header.strip()).lower()
    kind = _TELLINGS.get(name, "")
    words = {_plain(cell) for cell in cells}
    if kind == "code":
        # Where nothing reaches 100 it is no HTTP: an exit code, or one of gRPC, where 0 is sound.
        http = "http" in name or any(map(_CODE.fullmatch, words))
        return "code" if http else "count", False
    if kind != "verdict":
        return kind, bool(kind)
    if name == "status" and words and all(map(_CODE.fullmatch, words)):
        return "code", False
    heard = any(map(_has_failed, words))
    alone = all(word in SOUND or word in _NOTHING or _has_failed(word) for word in words)
    return ("verdict", alone) if words and (heard or alone) else ("", False)


def failures(kind: _Telling, cell: str) -> float:
    """Return how many failures a cell tells of; 1 where it says only that there was one."""
    text, bare = _plain(cell), cell.lower().strip().removesuffix("%").strip()
    number = _outcome_number(bare)
    if kind == "verdict":
        return float(_has_failed(text))
    if kind == "code":
        # A request without an answer has the status 0 in several tools.
        sound = text in _NOTHING or text in SOUND or (text[:1] in ("1", "2", "3") and _CODE.fullmatch(text))
        return 0.0 if sound else 1.0
    if kind == "success":
        share = 100.0 if text.endswith("%") else 1.0
        sound = number >= share if number is not None else bare == "" or bare in SOUND or bare == "yes"
        return 0.0 if sound else 1.0
    if bare in _NOTHING or bare in SOUND - {"true"} or bare in ("false", "no") or number == 0:
        return 0.0
    # An exit code may be negative, a rate a fraction: each is a failure, at least one.
    return max(1.0, abs(number)) if kind == "count" and number is not None else 1.0


def _plain(text: str) -> str:
    return _HYPHEN.sub(" ", " ".join(text.lower().replace("_", " ").split()))


def _has_failed(text: str) -> bool:
    if text in FAILED:
        return True
    words = text.split(maxsplit=3)
    starts = (" ".join(words[:count]) for count in (1, 2, 3))
    first = next((start for start in starts if start.rstrip(":;,.!([") in FAILED), "").rstrip(":;,.!([")
    return bool(first) and _MORE.fullmatch(text[len(first) :]) is not None


def _outcome_number(text: str) -> float | None:
    try:
        return float(text) if text.isascii() and "_" not in text and text not in _NOTHING else None
    except ValueError:
        return None


# What the columns of a table are: metrics with their units, axes, or reserved words.


_Role = Literal["metric", "axis", "name", "benchmark", "run", "iterations", "errors", "value", "unit", "skip"]

_RESERVED: dict[str, _Role] = {
    "name": "name", "benchmark": "benchmark", "bench": "benchmark", "run": "run",
    "iterations": "iterations", "errors": "errors",
}  # fmt: skip
#: benchlib's own columns, written by ``benchlib convert``: derived again, never axes.
_DERIVED = frozenset({"original_unit", "position", "source", "line"})

#: The end of a header -> the unit it means.
_UNITS = {
    "ns": "ns", "us": "us", "µs": "µs", "μs": "μs", "ms": "ms", "s": "s", "sec": "s", "secs": "s",
    "seconds": "s", "bytes": "B", "kb": "KB", "mb": "MB", "gb": "GB", "kib": "KiB", "mib": "MiB",
    "gib": "GiB", "pct": "%", "percent": "%", "rps": "rps", "qps": "qps", "tps": "tps",
}  # fmt: skip
#: Ends of two words: ``allocs_op``, ``bytes_per_op``, ``req_s``.
_RATES = re.compile(
    r"(?:(?P<metric>.*?)[_ ])?(?P<top>ns|us|µs|μs|ms|s|b|kb|mb|bytes|allocs|req|requests|reqs|ops|op|queries)"
    r"(?:_per_|/|_| per )(?P<bottom>op|s|sec|second|req|request)",
    re.IGNORECASE,
)
#: A longer header names no metric: matching one takes the square of its spaces.
_LONGEST = 200
_BRACKETS = re.compile(r"(?P<metric>[^()\[\]]*?)\s*[(\[](?P<unit>[^()\[\]]+)[)\]]")
_LAST_WORD = re.compile(r"(.*)[ _.-]([^ _.-]+)")
_PERCENTILE = re.compile(r"(?:latency[_ ]?)?p(\d{1,2}(?:\.\d+|9+)?)(?:[_ ]?latency)?")

#: Words for a time that a tool measured, and the names benchlib gives them.
_LATENCIES = {
    "latency": "latency", "response_time": "latency", "mean_latency": "latency_mean",
    "avg_latency": "latency_mean", "latency_avg": "latency_mean", "latency_mean": "latency_mean",
    "average_latency": "latency_mean", "median_latency": "latency_p50", "latency_median": "latency_p50",
    "max_latency": "latency_max", "latency_max": "latency_max", "min_latency": "latency_min",
    "latency_min": "latency_min", "latency_stdev": "latency_stdev", "stdev_latency": "latency_stdev",
    "latency_std": "latency_stdev",
}  # fmt: skip
_STATISTICS = {
    "mean": "latency_mean", "avg": "latency_mean", "average": "latency_mean", "median": "latency_p50",
    "max": "latency_max", "min": "latency_min", "stdev": "latency_stdev", "stddev": "latency_stdev",
    "std": "latency_stdev",
}  # fmt: skip
_WORDS = {
    "time": "time", "runtime": "time", "elapsed": "time", "duration": "duration", "memory": "memory",
    "allocs": "allocations", "allocations": "allocations", "transfer": "transfer", "rate": "rate",
    "throughput": "throughput", "bandwidth": "transfer", "goodput": "throughput",
    **_LATENCIES,
}  # fmt: skip
_RATE_WORDS = {
    "rps": "req/s", "qps": "req/s", "tps": "op/s", "ops": "op/s", "ops_per_sec": "op/s",
    "requests_per_sec": "req/s", "requests_per_second": "req/s", "ops_per_second": "op/s",
    "operations_per_second": "op/s", "req_per_sec": "req/s", "requests/sec": "req/s", "req/s": "req/s",
    "transactions_per_second": "op/s", "queries_per_second": "req/s",
}  # fmt: skip
#: A header of these words is a setting even where it has a unit: ``payload_bytes``.
_SETTINGS = re.compile(
    r"(?:.*_)?(?:size|payload|block|buffer|chunk|message|value|key|window|interval|timeout|delay|bits|"
    r"gomaxprocs|workers?|threads?|connections?|concurrency|clients?|users?|cores?|cpus?|procs?|nodes?|load|"
    r"inputs?|outputs?|batch|depth|n|level|seed|timestamp|repeat|round|iteration)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Column:
    """One column: what it is, the metric or axis it stands for, its unit, and how it tells of failures."""

    written: str
    role: _Role
    name: str
    unit: str
    failure: _Telling = ""


def _is_tidy(header: Sequence[str]) -> bool:
    """Whether a header is that of a tidy table: a value column, and a unit or metric column."""
    words = {heading.strip().lower() for heading in header}
    return "value" in words and ("metric" in words or "unit" in words)


def classify(header: Sequence[str], body: Sequence[Sequence[str]]) -> list[_Column]:
    """Say what each column of a table is.

    A header with a unit or a metric's word is a metric, text and small sets of whole numbers are
    axes. A column of other numbers is a metric of its own name.
    """
    names = [heading.strip() for heading in header]
    cells = [[row[i].strip() for row in body if i < len(row) and row[i].strip()] for i in range(len(names))]
    if _is_tidy(names):
        return [_tidy_column(name, cells[i]) for i, name in enumerate(names)]
    per_operation = any(_RATES.fullmatch(name) and name.lower().endswith("op") for name in names)
    found = [_column(name, cells[i], per_operation) for i, name in enumerate(names)]
    measured = [cell for i, column in enumerate(found) if column.role == "metric" for cell in cells[i]]
    # Not where lists may be meant: what is no metric after all would take a level of every row with it.
    commas = any(map(_has_comma, measured)) or any(_commas_are_decimal(cell, lists=True) for cell in cells)
    if not commas and not any(map(_is_parted, measured)):
        return found
    # Where one column is of numbers with such signs, so are those whose header says nothing of numbers.
    points = [[plain(cell) if commas or not _has_comma(cell) else cell for cell in column] for column in cells]
    return [
        one if one.role == "metric" else _column(one.written, points[i], per_operation) for i, one in enumerate(found)
    ]


def _tidy_column(written: str, cells: Sequence[str]) -> _Column:
    word = written.lower()
    if word in ("metric", "value", "unit"):
        return _Column(written, "metric" if word == "metric" else "value" if word == "value" else "unit", "", "")
    return _reserved(written, cells) or _Column(written, "axis", written, "")


def _reserved(written: str, cells: Sequence[str]) -> _Column | None:
    word = written.lower()
    if word in _DERIVED or not word:
        return _Column(written, "skip", "", "")
    if word in _RESERVED:
        return _Column(written, _RESERVED[word], "", "")
    failure, alone = telling(written, cells)
    # What says more than that is an axis too, and never a metric: a mean of status codes is none.
    return _Column(written, "skip" if alone else "axis", "" if alone else written, "", failure) if failure else None


def _column(written: str, cells: Sequence[str], per_operation: bool) -> _Column:
    reserved = _reserved(written, cells)
    if reserved:
        return reserved
    found = _metric(written, per_operation)
    # A number with a comma cannot be read, and is told as that and not taken for a level.
    if found and any(_is_number(cell) or _has_comma(cell) or _is_parted(cell) for cell in cells):
        return _Column(written, "metric", *found)
    if _mostly_numbers(cells) and not _SETTINGS.fullmatch(written) and not _few_whole(cells):
        return _Column(written, "metric", written, "")
    return _Column(written, "axis", written, "")


def _metric(written: str, per_operation: bool) -> tuple[str, str] | None:
    """Return metric and unit that a header names, or None."""
    if len(written) > _LONGEST:
        return None
    bracketed = _BRACKETS.fullmatch(written)
    if bracketed:
        return _named(bracketed["metric"], bracketed["unit"].strip(), per_operation)
    word = written.lower().replace("-", "_").replace(" ", "_")
    if word in _RATE_WORDS:
        return "throughput", _RATE_WORDS[word]
    rate = _RATES.fullmatch(written)
    if rate:
        top = {"b": "B", "kb": "KB", "mb": "MB"}.get(rate["top"].lower(), rate["top"].lower())
        unit = f"{top}/{rate['bottom'].lower()}"
        return (rate["metric"] and _word(rate["metric"])) or metrics.metric(unit)[0].name, unit
    split = _LAST_WORD.fullmatch(written)
    head, tail = (split[1], split[2]) if split else ("", "")
    # µ has no upper case worth folding; KB and MB are told apart from kb only by habit.
    unit = _UNITS.get(tail) or _UNITS.get(tail.lower(), "")
    if head and unit:
        return _named(head, unit, per_operation)
    if word in _WORDS or _PERCENTILE.fullmatch(word):
        return _word(word), ""
    return None


def _named(written: str, unit: str, per_operation: bool) -> tuple[str, str] | None:
    if _SETTINGS.fullmatch(written.replace(" ", "_")):
        return None
    base = units.parse_unit(unit).base
    word = written.lower().replace("-", "_").replace(" ", "_")
    if base == "sec" and word in _STATISTICS:
        # Beside bytes and allocations per operation, the mean time is Go's ns/op.
        return ("time", f"{unit}/op") if per_operation and word == "mean" else (_STATISTICS[word], unit)
    return _word(word) or metrics.metric(unit)[0].name, unit


def _word(text: str) -> str:
    word = text.strip().lower().replace("-", "_").replace(" ", "_")
    percentile = _PERCENTILE.fullmatch(word)
    return f"latency_p{percentile[1]}" if percentile else _WORDS.get(word, word)


def _mostly_numbers(cells: Sequence[str]) -> bool:
    """Whether a column is of numbers; a stray word among them is a problem and makes no axis of it."""
    return bool(cells) and sum(map(_is_number, cells)) * 2 > len(cells)


def _few_whole(cells: Sequence[str]) -> bool:
    """Whether a column is of whole numbers that come again, or that are few: levels of an axis."""
    whole = all(cell.lstrip("+-").isdigit() for cell in cells)
    return whole and (len(set(cells)) <= 12 or len(set(cells)) * 2 <= len(cells))


# What number a cell of a table holds.


_WITH_COMMA = re.compile(r"[+-]?\d[\d.]{0,30},(?:[\d.,]{0,30}\d)?(?:[eE][+-]?\d{1,3})?", re.ASCII)


def _has_comma(text: str) -> bool:
    """Whether a text is a number but for its comma, be it a decimal one or one between thousands."""
    return "," in text and bool(_WITH_COMMA.fullmatch(text))


#: Spaces as spreadsheets have them, and apostrophes as the Swiss do.
_PARTS = " '\N{RIGHT SINGLE QUOTATION MARK}\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
_PARTED = re.compile(rf"[+-]?[0-9]{{1,3}}(?:[{_PARTS}][0-9]{{3}})+(?:[.,][0-9]{{1,30}})?")
_WITHOUT_PARTS = str.maketrans("", "", _PARTS)


def _is_parted(text: str) -> bool:
    """Whether a text is a number but for spaces or apostrophes between its thousands."""
    return bool(_PARTED.fullmatch(text))


def plain(text: str) -> str:
    """Return what `_has_comma` or `_is_parted` as the number it may be, and any other text as it is."""
    if _is_parted(text):
        text = text.translate(_WITHOUT_PARTS)
    return text.replace(",", ".") if _has_comma(text) else text


#: With one comma, behind digits that dots may part by threes.
_DECIMAL = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+),(?P<decimals>\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)


def _commas_are_decimal(cells: Sequence[str], *, lists: bool) -> bool:
    """Whether a column is of numbers with decimal commas, and not of lists: ``128,256`` is a shape."""
    commas = [cell for cell in cells if _has_comma(cell)]
    if not commas or (len(commas) + sum(map(_is_number, cells))) * 2 <= len(cells):
        return False
    found = [_DECIMAL.fullmatch(match) for match in commas]
    if not all(found) or all(len(one["decimals"]) == 3 for one in found if one):
        return False
    return not lists or not all(map(_rises, commas))


def _rises(text: str) -> bool:
    parts = text.split(",")
    return all(part.isdigit() for part in parts) and [*map(int, parts)] == sorted(map(int, parts))


def _is_number(text: str) -> bool:
    """Whether a text is a number as tables write them."""
    try:
        float(text)
    except ValueError:
        return False
    # Python also reads 1_0 and digits of other scripts; no table means a number by them.
    return text.isascii() and "_" not in text


def _number_of(text: str, column: str) -> tuple[float | None, str]:
    """Return the number of a cell (None where it is empty) and what is wrong with it."""
    text = text.strip()
    if not text:
        return None, ""
    shown = f"column '{printable(column, 40)}': '{printable(text, 40)}'"
    if not _is_number(text):
        if _has_comma(text):
            remedy = "write a decimal point, as in 1.5, and nothing between thousands"
            return None, f"{shown} has a comma; {remedy}; value skipped"
        if _is_parted(text):
            return None, f"{shown} has thousands apart; write {printable(plain(text), 40)}; value skipped"
        return None, f"{shown} is not a number; value skipped"
    value = float(text)
    if not math.isfinite(value):
        return None, f"{shown} is no measurement; leave the cell empty; value skipped"
    return value, ""


# What the dots and commas in the numbers of a table are, where that is not plain.


#: 1.850 is a number either way. With two dots, or a comma behind the dot, it is none; no thousands begin with 0.
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}", re.ASCII)
_MILLIONS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3}){2,}", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Dotted:
    """What the dots of a column say.

    Attributes
    ----------
    index : int or None
        The first cell in which a dot may part thousands.
    decimal : bool
        Whether some dot can only be decimal.
    mixed : bool
        Whether other numbers have no such dot, as those below 1,000 would have none; a program that writes three
        decimals writes them everywhere.
    thousands : bool
        Whether some dots can only part thousands, as those of 1.234.567 do.
    """

    index: int | None
    decimal: bool
    mixed: bool
    thousands: bool


def _dotted(cells: Sequence[str]) -> _Dotted:
    """Say what the dots in a column of numbers are.

    ``1.850`` may be 1.85 or 1,850 where every dot stands before three digits; one that does not is decimal.
    """
    grouped = [bool(_GROUPED.fullmatch(cell)) for cell in cells]
    others = [cell for cell, groups in zip(cells, grouped, strict=True) if not groups]
    decimal = any("." in other and _is_number(other) for other in others)
    thousands = any(_MILLIONS.fullmatch(other) for other in others)
    mixed = thousands or any(map(_is_number, others))
    return _Dotted(grouped.index(True) if any(grouped) else None, decimal, mixed, thousands)


@dataclass(frozen=True, slots=True)
class _Doubt:
    """A column whose dots leave its numbers open: the first line, what to tell, and whether it cannot be read."""

    line: int
    message: str
    unread: bool


#: What parts the columns where commas are left for decimals -> its name.
_LEAVES_COMMAS = {";": "semicolons", "\t": "tabs"}


def _doubts_of(rows: Sequence[tuple[int, list[str]]], columns: Sequence[_Column], separator: str) -> list[_Doubt]:
    """Return what is to be told of dots where no commas part the columns: many programs part thousands by them there.

    One dot that can only be decimal, in any column of a metric, shows that they are of another kind. Between semicolons
    they are taken for decimals, and said to be, where each number of a column has three; where some have none, nothing
    is. Any program may write tabs: there they are decimals unless some can only part thousands, and said to be where
    some numbers have none.
    """
    parted_by = _LEAVES_COMMAS.get(separator)
    if not parted_by:
        return []
    found = []
    for at, column in enumerate(columns):
        if column.role not in ("metric", "axis", "value", "iterations", "errors"):
            continue
        cells = [cells[at].strip() for _, cells in rows]
        dots, measured = _dotted(cells), column.role in ("metric", "value")
        if dots.decimal and measured:
            return []
        numbers = column.role != "axis" or _mostly_numbers([cell for cell in cells if cell])
        if dots.index is None or dots.decimal or not numbers:
            continue
        line, cell = rows[dots.index][0], cells[dots.index]
        if dots.thousands or (dots.mixed and separator == ";"):
            found.append(_Doubt(line, _unread(column.written, cell, parted_by), True))
        elif measured and (dots.mixed or separator == ";"):
            why = "" if dots.mixed else ", since each of its numbers has three decimals"
            found.append(_Doubt(line, _as_decimal(column.written, cell, why), False))
    return sorted(found, key=lambda problem: not problem.unread)


def _as_decimal(column: str, cell: str, why: str) -> str:
    name, whole = printable(column, 40), cell.replace(".", "")
    return f"column '{name}': '{cell}' is read as {float(cell):g}{why}; if the dots part thousands, write {whole}"


def _unread(column: str, cell: str, parted_by: str) -> str:
    name, whole = printable(column, 40), cell.replace(".", "")
    return (
        f"column '{name}': '{cell}' is {float(cell):g} or {whole}: {parted_by} part the columns, and "
        f"every dot of this one stands before three digits; write {whole}, or commas between the columns if the dot is "
        "decimal; the table is not read"
    )


def _levels_as_words(
    rows: Sequence[tuple[int, list[str]]], columns: Sequence[_Column], separator: str
) -> Iterator[tuple[int, str]]:
    """Yield, for each axis whose levels are numbers but for their signs, the line of the first and what to do."""
    for at, column in enumerate(columns):
        if column.role != "axis":
            continue
        named = {cells[at].strip() for _, cells in rows} - {""}  # a table may be long, its levels are few
        if not any(_has_comma(text) or _is_parted(text) for text in named):
            continue
        found = [(line, cells[at].strip()) for line, cells in rows if cells[at].strip()]
        levels = [level for _, level in found]
        # Where commas part the columns, a cell with one was quoted: more likely a list.
        if _commas_are_decimal(levels, lists=separator == ","):
            line, level = next(one for one in found if _has_comma(one[1]))
            said, remedy = "has a comma", "a decimal point, as in 1.5, and nothing between thousands"
        # Two numbers in every cell are a shape.
        elif (
            any(map(_is_parted, named))
            and any(map(_is_number, named))
            and all(_is_number(plain(text)) for text in named)
        ):
            line, level = next(text for text in found if _is_parted(text[1]))
            said, remedy = "has thousands apart", printable(plain(level), 40)
        else:
            continue
        shown = f"column '{printable(column.written, 40)}': '{printable(level, 40)}'"
        yield line, f"{shown} {said} and is read as a word; write {remedy}"


# What people's own runners write: a JSON list of flat objects, or one object a line.


def _is_json_rows(head: TextFile) -> Certainty:
    """Judge it possible where the first keys are flat and one of them names a metric."""
    filled = head.first
    if filled.lstrip().startswith("{"):
        paths = outline(TextFile(head.source, [filled]), 3)
    else:
        paths = frozenset(one[3:] for one in outline(head, 3) if one.startswith("[]."))
    flat = [path for path in paths if "." not in path and "[" not in path]
    if not flat or len(flat) != len(paths):
        return "no"
    # Whole numbers that come again are axes, unless their name says what they measure.
    told = _is_tidy(flat) or any(classify([key], [["1"], ["1"]])[0].role == "metric" for key in flat)
    return "possible" if told else "no"


def _read_json_rows(file: TextFile) -> Reading:
    """Read each object as a line of a table."""
    found: list[tuple[int, object]] = []
    problems: list[tuple[int, str]] = []
    broken = 0
    filled = [(number, line) for number, line in enumerate(file.lines, 1) if line.strip()]
    a_line_each = bool(filled) and filled[0][1].lstrip().startswith("{") and filled[0][1].rstrip().endswith("}")
    documents = [parse_text(line, n) for n, line in filled] if a_line_each else [parse(file)]
    for document in documents:
        problems += document.problems
        if not document.parsed:
            broken += 1
        elif isinstance(document.root, list):
            lines = document.lines("[]")
            same = len(lines) == len(document.root)
            found += [(lines[n] if same else document.first_line, entry) for n, entry in enumerate(document.root)]
        else:
            found.append((document.first_line, document.root))
    reading = _as_table(file.source, found, problems)
    counts = reading.lines
    return replace(reading, lines=replace(counts, problem=counts.problem + broken))


JSON_ROWS = Format(
    name="json-rows",
    rule="a JSON list of flat objects, or one a line, with a key that names a metric such as time_ms or rps",
    files="*.json, *.jsonl, *.ndjson",
    yields="a value for each number whose key names a metric; texts and few whole numbers are axes",
    limits="nested values (declare the format in study.toml); a unit that no key names",
    recognise=_is_json_rows,
    read=_read_json_rows,
)


def _as_table(source: str, found: list[tuple[int, object]], problems: list[tuple[int, str]]) -> Reading:
    header = list(dict.fromkeys(key for _, name in found if isinstance(name, dict) for key in name))
    passed: dict[str, int] = {}
    records = [_Record(0, [_one_line(heading) for heading in header])]
    wrong = 0
    places: list[int] = []
    for line, one in found:
        if not isinstance(one, dict):
            problems.append((line, "no object; each entry is to be {key: value}; entry skipped"))
            wrong += 1
            continue
        for key, value in one.items():
            if isinstance(value, (list, dict)):
                passed.setdefault(key, line)
        places.append(line)
        records.append(_Record(len(places), [_json_cell(one.get(key)) for key in header]))
    for key, line in passed.items():
        message = f"'{printable(key, 60)}' is nested; declare the format in [[formats]] of study.toml; passed over"
        problems.append((line, message))
    if not found and not problems:
        problems.append((0, "holds no object; write a list of them"))
    reading = _read_records(source, records, total=len(places), header_is_line=False)
    rows, counts = reading.rows, reading.lines
    if len(rows):
        lines = np.asarray(rows.line)
        lines[:] = np.asarray(places)[lines - 1]
    for number, one in enumerate(reading.series):
        if one.line:
            reading.series[number] = replace(one, line=places[one.line - 1])
    problems += [(places[line - 1] if line else 0, message) for line, message in reading.problems]
    return replace(
        reading,
        problems=sorted(problems, key=lambda problem: problem[0]),
        lines=replace(counts, problem=counts.problem + wrong),
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


def _read_parquet(file: TextFile) -> Reading:
    """Refuse text."""
    raise InputError(f"{file.source}: is text, and Parquet is not; leave --format away")


PARQUET = Format(
    name="parquet",
    rule="the bytes PAR1 at both ends",
    files="*.parquet",
    yields="what a CSV of the same columns does; a table that benchlib convert wrote reads back as it was",
    limits="needs the extra arrow; nested and binary columns are passed over",
    recognise=lambda head: "no",
    read=_read_parquet,
)


def read_parquet(raw: bytes, source: str) -> Reading:
    """Read the bytes of a Parquet file."""
    if importlib.util.find_spec("pyarrow") is None:
        raise InputError(f"{source}: Parquet needs pyarrow; pip install 'benchlib[arrow]', or write .csv")
    import pyarrow as arrow
    from pyarrow import parquet

    passed: list[str] = []
    try:
        file = parquet.ParquetFile(io.BytesIO(raw))
        cells = file.metadata.num_rows * max(1, file.metadata.num_columns)
        if cells > _MOST_CELLS:
            raise InputError(f"{source}: {cells:,} cells; up to {_MOST_CELLS:,} are read; split the table")
        table = file.read()
        names, columns = [], []
        for name, column in zip(table.column_names, table.columns, strict=True):
            if _is_flat(arrow, column.type):
                names.append(_one_line(str(name)))
                columns.append([_parquet_cell(one) for one in column.to_pylist()])
            else:
                passed.append(str(name))
    except (arrow.ArrowException, OSError, ValueError, OverflowError) as error:
        first = str(error).partition("\n")[0]
        raise InputError(f"{source}: damaged Parquet ({printable(first, 100)}); write it again") from error
    rows = [list(one) for one in zip(*columns, strict=True)]
    records = [_Record(0, names), *(_Record(number, row) for number, row in enumerate(rows, 1))]
    reading = _read_records(source, records, total=len(rows), header_is_line=False)
    for name in passed:
        reading.problems.append((0, f"column '{printable(name, 60)}' is nested or binary; passed over"))
    return reading


def _is_flat(arrow: Any, kind: Any) -> bool:
    inner = kind.value_type if arrow.types.is_dictionary(kind) else kind
    return not (arrow.types.is_nested(inner) or arrow.types.is_binary(inner) or arrow.types.is_large_binary(inner))


def _parquet_cell(value: Any) -> str:
    """Write a cell as a CSV would hold it, to the last digit."""
    if value is None or value != value:
        return ""
    return repr(value) if isinstance(value, float) else _one_line(str(value))


# Read the two tables of the token SDK's `run_benchmarks.py`.
#
# `benchmark_results.csv` has one line a recording and one column a value, `benchmark_IOstats.csv`
# one line a combination of bits, inputs and outputs. Both are made from logs: times are cut to whole
# milliseconds, there is no count of errors, and a benchmark that failed stands as zeros. Where the
# logs are at hand they are the better source.


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
_NUMBER = re.compile(r"\d{1,18}(?:\.\d{1,18})?", re.ASCII)
_ROUNDED = (
    "times and latencies are cut to whole milliseconds and memory and allocations kept to 4 digits;"
    " there is no count of errors"
)


def _is_token_sdk_csv(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    header = _cells(head.first) or []
    known = any(_SERIAL_COLUMN.fullmatch(heading) or _PARALLEL_COLUMN.fullmatch(heading) for heading in header)
    return "certain" if header == _COMBINATIONS or (header[:1] == ["timestamp"] and known) else "no"


TOKEN_SDK_CSV = Format(
    name="token-sdk-csv",
    rule="a header 'timestamp,BenchmarkX time,...' or 'bench,bits,I,O,allocs,RAM bytes,time ms'",
    contains=frozenset({"csv"}),
    files="benchmark_results.csv, benchmark_IOstats.csv",
    yields="time, memory, allocations, throughput and latency of each recording",
    limits="digits below a millisecond; errors (a failed benchmark stands as zeros): a log beside it is read instead",
    # Made from logs: a log of the same benchmark supersedes it.
    summary=True,
    recognise=_is_token_sdk_csv,
    read=lambda file: _Reading(file).reading(),
)


class _Reading:
    """The reading of one file, line by line."""

    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.ledger = Ledger(len(file.lines))
        self.rows = Rows()
        self.configurations: list[Mapping[str, Any]] = []
        self.series: list[Series] = []

    def reading(self) -> Reading:
        header: list[str] = []
        records: list[tuple[int, list[str]]] = []
        for number, line in enumerate(self.file.lines, start=1):
            if not line.strip():
                continue
            cells = _cells(line)
            if not header:
                header = cells or ["unreadable"]
                self.ledger.context(number)
                self._note_columns(number, header)
            elif cells == header:
                self.ledger.context(number)
            elif cells is None or len(cells) != len(header):
                found = "no comma-separated values" if cells is None else f"{len(cells)} values"
                self.ledger.problem(
                    number, f"{found} under {len(header)} columns; the line is cut or joined; line skipped"
                )
            else:
                records.append((number, cells))
        for number, cells in records:
            before = len(self.rows)
            if header == _COMBINATIONS:
                self._combination(number, cells)
            else:
                self._recording(number, header, cells, several=len(records) > 1)
            if len(self.rows) > before:
                self.ledger.data(number)
        if len(self.rows):
            self._add_series("rounded", "", 1, (_ROUNDED,))
        return self.ledger.reading(self.rows, self.configurations, self.series)

    def _note_columns(self, number: int, header: list[str]) -> None:
        if header == _COMBINATIONS:
            return
        seen: set[str] = set()
        for column in header:
            known = column == "timestamp" or _SERIAL_COLUMN.fullmatch(column) or _PARALLEL_COLUMN.fullmatch(column)
            if not known:
                self.ledger.note(number, f"column '{printable(column)}' is not known; left out")
            elif column in seen:
                self.ledger.note(number, f"column '{printable(column)}' stands twice; the first was kept")
            seen.add(column)

    def _combination(self, number: int, cells: list[str]) -> None:
        name = cells[0]
        axes: dict[str, Any] = {}
        for axis, text in zip(("bits", "inputs", "outputs"), cells[1:4], strict=True):
            if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
                self.ledger.problem(number, f"{axis} '{printable(text)}' is not a whole number; line skipped")
                return
            axes[axis] = int(text)
        values = dict(zip(("allocs", "RAM", "time"), cells[4:], strict=True))
        self._add_group(number, name, axes, {_SERIAL[key]: (key, value) for key, value in values.items()})

    def _recording(self, number: int, header: list[str], cells: list[str], several: bool) -> None:
        # One line is the recording; several lines are several recordings, told apart as runs.
        run = {"run": cells[header.index("timestamp")]} if several and "timestamp" in header else {}
        groups: dict[tuple[str, ...], dict[tuple[str, str], tuple[str, str]]] = {}
        for column, text in zip(header, cells, strict=True):
            if match := _SERIAL_COLUMN.fullmatch(column):
                key: tuple[str, ...] = (match[1],)
                measure = _SERIAL[match[2]]
            elif parallel := _PARALLEL_COLUMN.fullmatch(column):
                key, measure = (parallel[1], parallel[2], parallel[3]), _PARALLEL[parallel[4]]
            else:
                continue
            groups.setdefault(key, {}).setdefault(measure, (column, text))
        for (name, *levels), values in groups.items():
            axes: dict[str, Any] = dict(run)
            if levels:
                axes |= {"executor": levels[0], "workers": int(levels[1])}
            self._add_group(number, name, axes, values)

    def _add_group(
        self,
        number: int,
        name: str,
        axes: Mapping[str, Any],
        values: Mapping[tuple[str, str], tuple[str, str]],
    ) -> None:
        """Add the values of one benchmark in one configuration, unless all of them are zero."""
        numbers: dict[tuple[str, str], float] = {}
        for measure, (column, text) in values.items():
            if not text.strip():
                continue
            try:
                numbers[measure] = _token_sdk_number(text)
            except DataError as error:
                self.ledger.problem(number, f"column '{printable(column)}': {error}; value left out")
        if numbers and not any(numbers.values()):
            self._failed(number, name, [column for column, _ in values.values()])
            return
        if not numbers:
            return
        self.configurations.append(axes)
        for (metric, unit), value in numbers.items():
            self.rows.add(
                name=name,
                metric=metric,
                value=value,
                unit=unit,
                line=number,
                configuration=len(self.configurations) - 1,
            )

    def _failed(self, number: int, name: str, columns: list[str]) -> None:
        # A benchmark of no time, no memory and no allocations did not run; a time of 0 alone is
        # below one millisecond.
        task = name.removeprefix("TestParallel").removeprefix("Benchmark")
        twin = f"TestParallelBenchmark{task}"
        beside = f"; {twin} beside it has no count of errors and may have failed too" if name != twin else ""
        self.ledger.problem(
            number,
            f"columns '{printable(', '.join(columns))}' are all 0: {printable(name)} gave no result{beside};"
            " read its log",
        )
        self._add_series("failed-benchmark", name.removeprefix("Benchmark"), number, tuple(columns))

    def _add_series(self, kind: str, name: str, line: int, data: tuple[Any, ...]) -> None:
        self.series.append(Series(kind=kind, name=name, source=self.file.source, line=line, data=data))


def _cells(line: str) -> list[str] | None:
    try:
        return next(csv.reader([line], strict=True), None)
    except csv.Error:
        return None


def _token_sdk_number(text: str) -> float:
    # float() strips less than strip() does: the control characters 0x1c to 0x1f are left.
    number = text.strip()
    if not _NUMBER.fullmatch(number):
        raise DataError(f"'{printable(text)}' is not a number")
    return float(number)


# The tidy table written out: CSV for spreadsheets, Parquet for programs.


def write_table(results: Results, output: Path, *, with_failed: bool = False) -> int:
    """Write the tidy table to a file named ``.csv`` or ``.parquet`` and return its rows."""
    ending = output.suffix.lower()
    if ending not in (".csv", ".parquet"):
        raise InputError(f"{output}: '{printable(ending)}' is not a table format; name it .csv or .parquet")
    if ending == ".parquet" and importlib.util.find_spec("pyarrow") is None:
        raise InputError(f"{output}: Parquet needs pyarrow; pip install 'benchlib[arrow]', or write .csv")
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
    """Quote text that a spreadsheet would run as a formula (OWASP, "CSV Injection")."""
    inert = frame.copy()
    for column in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[column].dtype):
            inert[column] = frame[column].astype(object).map(_quoted)
    # An axis has the name that a header of the results gave it.
    return inert.rename(columns=_quoted)


def _quoted(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r", "'") else value


READERS = (
    CSV_TABLE,
    JSON_ROWS,
    PARQUET,
    TOKEN_SDK_CSV,
)
