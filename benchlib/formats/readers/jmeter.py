"""JMeter results as CSV (``.jtl``): one line a request, raw samples of latency."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchlib.errors import printable
from benchlib.formats.ledger import Ledger
from benchlib.formats.readers.csv_table import cells_of
from benchlib.formats.reading import Certainty, Reading, Rows, TextFile
from benchlib.formats.words import one_line
from benchlib.results import Series

__all__ = ["JMeter"]

#: A message of the server may hold line ends: a quoted cell goes on over this many lines at most.
_LONGEST_CELL = 1000
_SEPARATORS = ",\t;|"


class JMeter:
    """JTL files in CSV form, with the header that JMeter writes by default."""

    name = "jmeter"
    rule = "a header with timeStamp, elapsed and label"
    contains = frozenset[str]()
    files = "*.jtl, *.csv"
    yields = "latency of each request, by label; failed requests apart"
    limits = "closed loop; throughput (count the requests over the time you mean); XML is not read"

    def recognise(self, head: TextFile) -> Certainty:
        """Be certain of the header, and of the XML that is told how to become CSV."""
        first = head.first
        if _columns(first)[1] or any("<testResults" in one for one in head.lines[:3]):
            return "certain"
        return "no"

    def read(self, file: TextFile) -> Reading:
        """Read each line as one request."""
        rows, ledger = Rows(), Ledger(len(file.lines))
        configurations: list[Mapping[str, str]] = []
        known: dict[str, int] = {}
        first_line, first = next(((at, one) for at, one in enumerate(file.lines, 1) if one.strip()), (0, ""))
        separator, columns = _columns(first)
        if not columns:
            message = "XML, or a table without header; set jmeter.save.saveservice.output_format=csv and run again"
            ledger.problem(first_line, message)
            ledger.refuse(range(1, len(file.lines) + 1))
            return Reading(rows=rows, configurations=[], problems=ledger.problems, lines=ledger.counts())
        ledger.context(first_line)
        layout = _Layout(separator, columns)
        width = len(columns)
        at = {name: place for place, name in enumerate(columns)}
        elapsed_at, label_at, success_at = at["elapsed"], at["label"], at.get("success")
        for number, line in _records(file.lines, first_line, layout, ledger):
            cells = cells_of(line, separator)
            if cells is None or len(cells) != width:
                found = "a quote is left open" if cells is None else f"{len(cells)} fields where the header has {width}"
                ledger.problem(number, f"{found}; line skipped")
                continue
            if cells == columns:
                ledger.context(number)
                continue
            elapsed = _elapsed(cells[elapsed_at])
            if elapsed is None:
                ledger.problem(number, f"elapsed is '{printable(cells[elapsed_at], 40)}'; line skipped")
                continue
            success = cells[success_at].strip().lower() if success_at is not None else ""
            if success not in ("true", "false", ""):
                ledger.note(number, f"success is '{printable(success, 40)}', not true or false; counted as failed")
            label = one_line(cells[label_at].strip()) or "request"
            configuration = known.setdefault(label, len(configurations))
            if configuration == len(configurations):
                configurations.append({"benchmark": label})
            rows.add(
                name=label,
                metric="latency",
                value=elapsed,
                unit="ms",
                line=number,
                configuration=configuration,
                iterations=1.0,
                errors=None if success_at is None or not success else float(success != "true"),
            )
            ledger.data(number)
        if not len(rows):
            ledger.note(0, "holds no request; run the test plan again")
        told = [Series(kind="closed-loop", name="JMeter", source=file.source, line=1, data=("JMeter",))]
        return Reading(
            rows=rows,
            configurations=configurations,
            problems=ledger.problems,
            lines=ledger.counts(),
            series=told if len(rows) else [],
        )


def _columns(header: str) -> tuple[str, list[str]]:
    """Return separator and columns of a header, none where it is not JMeter's."""
    for separator in _SEPARATORS:
        columns = [one.strip() for one in header.split(separator)]
        if {"timeStamp", "elapsed", "label"} <= set(columns):
            return separator, columns
    return ",", []


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a line of a file is cut, and where a request tells that it is one."""

    separator: str
    columns: list[str]

    def is_record(self, cells: Sequence[str] | None) -> bool:
        return cells is not None and len(cells) == len(self.columns)

    def starts_request(self, line: str) -> bool:
        """Whether a line has the stamp, time and outcome of a request of its own, whatever its quotes."""
        cells = cells_of(line, self.separator)
        cells = cells if self.is_record(cells) and cells else line.split(self.separator)
        if len(cells) < len(self.columns):
            return False
        told = dict(zip(self.columns, cells, strict=False))
        sound = told["timeStamp"].strip()[:1].isdigit() and _elapsed(told["elapsed"]) is not None
        return sound and told.get("success", "true").strip().lower() in ("true", "false", "")


def _elapsed(written: str) -> float | None:
    try:
        elapsed = float(written) if written.isascii() and "_" not in written else math.nan
    except ValueError:
        return None
    return elapsed if 0 <= elapsed < math.inf else None


def _records(lines: Sequence[str], header: int, layout: _Layout, ledger: Ledger) -> Iterator[tuple[int, str]]:
    """Yield filled lines below the header; one whose quoted cell goes on is joined with those that end it."""
    at = header
    while at < len(lines):
        number, line = at + 1, lines[at]
        at += 1
        if not line.strip():
            continue
        if line.count('"') % 2:
            end = _end_of_cell(lines, number, layout)
            if end:
                line = "\n".join(lines[number - 1 : end])
                for more in range(number + 1, end + 1):
                    ledger.context(more)
                at = end
            elif layout.is_record(cells_of(line, layout.separator)):
                ledger.note(number, "a quote inside a field is never closed; read as a part of its text")
        yield number, line


def _end_of_cell(lines: Sequence[str], number: int, layout: _Layout) -> int:
    """Return the line that closes the quote a line leaves open, 0 where the quote is a stray one.

    A stray quote would swallow the requests below it: a cell holds no line that is a request by itself, and
    the lines joined are one record of the header's width. No end is looked for beyond the next odd quote, so
    that a file full of stray ones is walked once.
    """
    if cells_of(lines[number - 1], layout.separator) is not None:
        return 0
    for end in range(number + 1, min(number + _LONGEST_CELL, len(lines)) + 1):
        line = lines[end - 1]
        if layout.starts_request(line):
            return 0
        if line.count('"') % 2:
            joined = "\n".join(lines[number - 1 : end])
            return end if layout.is_record(cells_of(joined, layout.separator)) else 0
    return 0
