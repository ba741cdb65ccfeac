"""Read the CSV of single requests that hey, oha and ghz write: one latency a line.

Failed requests that got no answer stand in ghz's and oha's file, and are missing from hey's.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from math import isfinite

from benchlib.errors import printable
from benchlib.formats.ledger import Ledger
from benchlib.formats.readers.load_run import MOST_REQUESTS, Load, Requests
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["RequestCsv"]


@dataclass(frozen=True, slots=True)
class _Layout:
    tool: str
    width: int
    latency: int
    status: int
    unit: str


_LAYOUTS = {
    "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset": _Layout(
        "hey", 8, 0, 6, "s"
    ),
    "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status": _Layout("oha", 7, 4, 6, "s"),
    "duration (ms),status,error": _Layout("ghz", 3, 0, 1, "ms"),
}
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,18})?(?:[eE][+-]?\d{1,3})?", re.ASCII)
_STATUS = re.compile(r"\d{1,3}", re.ASCII)


class RequestCsv:
    """The reader of CSV with one request a line."""

    name = "request-csv"
    rule = "the CSV header of hey, oha or ghz"
    files = "*.csv"
    yields = f"the latency of each request, below {MOST_REQUESTS:,} requests; from there on p50 to p99.9, min and max"
    limits = "no throughput, URL or concurrency; hey leaves out requests that got no answer; closed loop"
    contains = frozenset({"csv"})

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        return "certain" if _header(head)[1] else "no"

    def read(self, file: TextFile) -> Reading:
        """Read each line as one request."""
        ledger = Ledger(len(file.lines))
        start, layout = _header(file)
        if layout is None:
            ledger.problem(1, "no header of hey, oha or ghz; nothing was read")
            return Load(file.source, self.name).reading(ledger.counts(), ledger.problems, closed_loop=False)
        ledger.context(start)
        load = Load(file.source, layout.tool)
        requests = Requests(load, layout.unit)
        configuration = load.configuration({})
        for line in range(start + 1, len(file.lines) + 1):
            written = file.lines[line - 1]
            if not written.strip():
                continue
            cells = _cells(written)
            if len(cells) != layout.width:
                ledger.problem(line, f"{len(cells)} fields where the header has {layout.width}; line skipped")
                continue
            latency, status = cells[layout.latency].strip(), cells[layout.status].strip()
            if not _NUMBER.fullmatch(latency) or not isfinite(float(latency)):
                ledger.problem(line, f"'{printable(latency, 40)}' is not a latency; line skipped")
            elif layout.tool != "ghz" and not _STATUS.fullmatch(status):
                ledger.problem(line, f"'{printable(status, 40)}' is not an HTTP status; line skipped")
            else:
                failed = status != "OK" if layout.tool == "ghz" else not status.startswith(("2", "3"))
                requests.add(configuration, line, float(latency), failed=failed)
                ledger.data(line)
        requests.keep()
        if not len(requests):
            ledger.note(0, f"{layout.tool} wrote no request; run it again")
        return load.reading(ledger.counts(), ledger.problems, closed_loop=True)


def _header(file: TextFile) -> tuple[int, _Layout | None]:
    for number, line in enumerate(file.lines, start=1):
        if line.strip():
            return number, _LAYOUTS.get(line.strip())
    return 0, None


def _cells(line: str) -> list[str]:
    if '"' not in line:
        return line.split(",")
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error:
        return []
