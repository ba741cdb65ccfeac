"""JMeter results as CSV (``.jtl``): one line a request, raw samples of latency."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from benchlib.errors import printable
from benchlib.formats.ledger import Ledger
from benchlib.formats.readers.csv_table import cells_of
from benchlib.formats.reading import Certainty, Reading, Rows, TextFile
from benchlib.formats.words import one_line
from benchlib.results import Series

__all__ = ["JMeter"]

#: A message of the server may hold line ends: a quoted cell goes on over this many lines at most.
_LONGEST_CELL = 100
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
        first = next((one for one in head.lines if one.strip()), "")
        if _columns(first)[1] or any("<testResults" in one for one in head.lines[:3]):
            return "certain"
        return "no"

    def read(self, file: TextFile) -> Reading:
        """Read each line as one request."""
        rows, ledger = Rows(), Ledger(len(file.lines))
        configurations: list[Mapping[str, str]] = []
        known: dict[str, int] = {}
        lines = _lines(file, ledger)
        number, first = next(lines, (0, ""))
        separator, columns = _columns(first)
        if not columns:
            message = "XML, or a table without header; set jmeter.save.saveservice.output_format=csv and run again"
            ledger.problem(number, message)
            ledger.refuse(range(1, len(file.lines) + 1))
            return Reading(rows=rows, configurations=[], problems=ledger.problems, lines=ledger.counts())
        ledger.context(number)
        width = len(columns)
        at = {name: place for place, name in enumerate(columns)}
        elapsed_at, label_at, success_at = at["elapsed"], at["label"], at.get("success")
        for number, line in lines:
            cells = cells_of(line, separator)
            if cells is None or len(cells) != width:
                found = "a quote is left open" if cells is None else f"{len(cells)} fields where the header has {width}"
                ledger.problem(number, f"{found}; line skipped")
                continue
            if cells == columns:
                ledger.context(number)
                continue
            try:
                elapsed = float(cells[elapsed_at]) if cells[elapsed_at].isascii() else math.nan
            except ValueError:
                elapsed = math.nan
            if not 0 <= elapsed < math.inf or "_" in cells[elapsed_at]:
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


def _lines(file: TextFile, ledger: Ledger) -> Iterator[tuple[int, str]]:
    """Yield filled lines; one whose quote is left open is joined with those that close it."""
    at = 0
    lines = file.lines
    while at < len(lines):
        number, line = at + 1, lines[at]
        at += 1
        if not line.strip():
            continue
        if line.count('"') % 2:
            end = next((n for n in range(at, min(at + _LONGEST_CELL, len(lines))) if lines[n].count('"') % 2), None)
            if end is not None:
                line = "\n".join([line, *lines[at : end + 1]])
                for more in range(at, end + 1):
                    ledger.context(more + 1)
                at = end + 1
        yield number, line
