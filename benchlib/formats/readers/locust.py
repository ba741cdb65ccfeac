"""Read the CSV files of locust: ``_stats``, ``_stats_history``, ``_failures`` and ``_exceptions``.

The row ``Aggregated`` mixes all requests and is dropped beside the others. The history is a timeline
of moving percentiles and no sample: it is kept as series. locust rounds the response times behind its
percentiles to two digits.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping

from benchlib.errors import printable
from benchlib.formats.ledger import Ledger
from benchlib.formats.readers.load_run import Load, percentile_name
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["Locust"]

_STATS = "Type,Name,Request Count,Failure Count,"
_HISTORY = "Timestamp,User Count,Type,Name,"
_OTHERS = ("Method,Name,Error,Occurrences", "Count,Message,Traceback,Nodes")
#: A column that tells the file -> the columns it must have.
_WANTED = {
    "Request Count": ("Type", "Name", "Failure Count"),
    "User Count": ("Type", "Name", "Timestamp", "Requests/s", "Failures/s"),
}
_METRICS = {
    "Average Response Time": ("latency_mean", "ms"), "Min Response Time": ("latency_min", "ms"),
    "Max Response Time": ("latency_max", "ms"), "Requests/s": ("throughput", "req/s"),
    "Request Count": ("requests", "req"),
}  # fmt: skip
_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)%", re.ASCII)
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?", re.ASCII)
_ROUNDED = "the response times behind its percentiles to two digits"
#: What a row without an answer holds.
_MISSING = frozenset({"", "N/A", "None", "nan"})


class Locust:
    """The reader of locust's CSV files."""

    name = "locust"
    rule = "CSV that starts 'Type,Name,Request Count' or 'Timestamp,User Count'"
    files = "*_stats.csv, *_stats_history.csv"
    yields = (
        "for each request name: throughput, requests, latency mean, min, max and percentiles; the history as series"
    )
    limits = (
        "percentiles of one run, rounded to two digits, timed-out requests among them; users stand in the history "
        "alone; closed loop"
    )
    contains = frozenset({"csv"})

    #: Said where nothing else was read.
    beside = "a history, and a table of failures, belong beside their _stats.csv; name both, or their folder"

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        first = _plain(head.first)
        return "certain" if first.startswith((_STATS, _HISTORY)) or first in _OTHERS else "no"

    def read(self, file: TextFile) -> Reading:
        """Read each line of the table as one request name, or one second of it."""
        ledger = Ledger(len(file.lines))
        load = Load(file.source, "locust")
        table = _Table(file, ledger)
        wanted = next((one for start, one in _WANTED.items() if start in table.header), ())
        missing = [one for one in wanted if one not in table.header]
        if missing or not table.header:
            said = f"the header has no column '{missing[0]}'" if missing else "no header of locust"
            ledger.problem(1, f"{said}; nothing was read; write the file again")
            ledger.refuse(line for line, _ in table.rows)
        elif "Request Count" in table.header:
            _stats(table, load)
        elif "User Count" in table.header:
            _history(table, load)
        else:
            for line, row in table.rows:
                ledger.context(line)
                load.remark("failures", line, tuple(row.values()))
        return load.reading(ledger.counts(), ledger.problems, closed_loop=True, rounded=_ROUNDED)


class _Table:
    """The lines of a CSV as rows by column; a line that does not fit the header is a problem."""

    def __init__(self, file: TextFile, ledger: Ledger) -> None:
        self.ledger = ledger
        self.header: list[str] = []
        self.rows: list[tuple[int, dict[str, str]]] = []
        for number, line in enumerate(file.lines, start=1):
            if not line.strip():
                continue
            cells = _cells(line)
            if not self.header:
                self.header = [one.strip() for one in cells]
                ledger.context(number)
            elif len(cells) != len(self.header):
                found = f"{len(cells)} fields where the header has {len(self.header)}"
                ledger.problem(number, f"{found}; line skipped")
            else:
                self.rows.append((number, dict(zip(self.header, cells, strict=True))))


def _stats(table: _Table, load: Load) -> None:
    named = [one for one in table.rows if not _is_total(one[1])]
    for line, row in table.rows:
        if named and _is_total(row):
            table.ledger.context(line)
            continue
        reason = _bad(row, [*_METRICS, "Failure Count"])
        if reason:
            table.ledger.problem(line, f"{reason}; line skipped")
            continue
        requests, failures = _value(row, "Request Count"), _value(row, "Failure Count")
        if requests is None or failures is None:
            table.ledger.problem(line, "Request Count or Failure Count is empty; line skipped")
            continue
        if not requests:
            table.ledger.context(line)
            table.ledger.note(line, f"'{printable(row['Name'], 60)}' made no request; nothing to keep")
            continue
        configuration = load.configuration(_axes(row))
        values = [(metric, _value(row, column), unit) for column, (metric, unit) in _METRICS.items() if column in row]
        for column in row:
            share = _SHARE.fullmatch(column)
            # The 100th percentile is the maximum, rounded.
            if share and float(share[1]) < 100:
                if _bad(row, [column]):
                    table.ledger.note(line, f"{_bad(row, [column])}; value skipped")
                else:
                    values.append((percentile_name(float(share[1])), _value(row, column), "ms"))
        load.add(configuration, line, values, iterations=requests, errors=failures)
        table.ledger.data(line)
    if not len(load.rows):
        table.ledger.note(0, "no request was made; run locust again")


def _history(table: _Table, load: Load) -> None:
    """Keep time, users, requests and failures a second, median and 95th percentile of each name."""
    columns = ["Timestamp", "User Count", "Requests/s", "Failures/s", "50%", "95%"]
    seconds: dict[tuple[str, str], list[tuple[float | None, ...]]] = {}
    first: dict[tuple[str, str], int] = {}
    for line, row in table.rows:
        reason = _bad(row, columns)
        if reason:
            table.ledger.problem(line, f"{reason}; line skipped")
            continue
        key = (row["Type"], row["Name"])
        first.setdefault(key, line)
        seconds.setdefault(key, []).append(tuple(_value(row, one) for one in columns))
        table.ledger.context(line)
    if not seconds and not table.ledger.problems:
        table.ledger.note(0, "the history has no second in it; run locust again")
    for key, found in seconds.items():
        load.configuration(_axes({"Type": key[0], "Name": key[1]}))
        load.remark("timeline", first[key], tuple(found))
    load.configurations.clear()


def _axes(row: Mapping[str, str]) -> dict[str, str]:
    name = row["Name"].strip()
    return {"benchmark": name, "endpoint": name.partition("?")[0].lstrip("/") or name, "method": row["Type"].strip()}


def _is_total(row: Mapping[str, str]) -> bool:
    return row["Name"] == "Aggregated" and not row["Type"].strip()


def _bad(row: Mapping[str, str], columns: list[str]) -> str:
    """Name the first cell that is neither a number nor empty."""
    for column in columns:
        text = row.get(column, "").strip()
        if text not in _MISSING and not (_NUMBER.fullmatch(text) and math.isfinite(float(text))):
            return f"column '{column}': '{printable(text, 40)}' is not a number"
    return ""


def _value(row: Mapping[str, str], column: str) -> float | None:
    text = row.get(column, "").strip()
    return None if text in _MISSING else float(text)


def _plain(line: str) -> str:
    return line.strip().replace('"', "")


def _cells(line: str) -> list[str]:
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error:
        return []
