"""Read vegeta: the JSON and text of ``vegeta report``, and its hits one by one (``vegeta encode``).

vegeta is an open-loop generator: it sends at its rate whether or not answers come. Its throughput counts
successful requests only; requests that timed out stand in its latencies.

References
----------
github.com/tsenart/vegeta: README, sections "report" and "encode"; lib/metrics.go, lib/reporters.go.
"""

from __future__ import annotations

import csv
import re
from functools import partial

from benchlib.errors import DataError, printable
from benchlib.formats import json_paths, json_text
from benchlib.formats.documents import read_documents
from benchlib.formats.ending import at_open_end, open_line
from benchlib.formats.json_text import Document
from benchlib.formats.json_values import items, mapping, number
from benchlib.formats.ledger import Ledger, Records
from benchlib.formats.readers.load_run import Load, Requests, failed_answers, percentile_name
from benchlib.formats.readers.wrk_run import endpoint_axes
from benchlib.formats.reading import Certainty, Reading, TextFile
from benchlib.units import written_duration

__all__ = ["Vegeta"]

_TOTAL = re.compile(r"Requests\s+\[total, rate(?:, throughput)?\]\s+(.+)")
_LATENCIES = re.compile(r"Latencies\s+\[([^\]]+)\]\s+(.+)")
_BYTES = re.compile(r"Bytes (?:In|Out)\s+\[total, mean\]\s+.+")
_DURATION = re.compile(r"Duration\s+\[[^\]]+\]\s+.+")
_SUCCESS = re.compile(r"Success\s+\[ratio\]\s+.+")
_STATUSES = re.compile(r"Status Codes\s+\[code:count\]\s+(.*)")
#: The headerless CSV begins with a time in ns since 1970, an HTTP status and a latency in ns.
_HIT = re.compile(r"\d{19},\d{1,3},\d+,\d+,\d+,")
_CSV_WIDTH = 12
_PERCENTILE = re.compile(r"(\d{1,2}(?:\.\d+)?)th")


class _OpenEnd(DataError):
    """The last line has no end, and does not say what the report says."""


class Vegeta:
    """The reader of vegeta's reports and hits."""

    name = "vegeta"
    rule = "JSON with latencies, bytes_in and status_codes; a line 'Requests [total, rate'; hits as NDJSON or CSV"
    files = "*.json, *.txt, *.csv"
    yields = (
        "throughput of successful requests, rate, requests, latency mean, min, max and percentiles; hits: latencies"
    )
    limits = "reports: percentiles of one run, without a URL; timed-out requests are among the latencies; open loop"
    documentation = "https://github.com/tsenart/vegeta"
    contains: frozenset[str] = frozenset()

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        told = head.mentions("[total, rate") and any(map(_TOTAL.match, head.lines))
        if told or any(map(_HIT.match, head.lines[:3])):
            return "certain"
        keys = json_paths.outline(head, depth=2)
        return "certain" if {"latencies", "bytes_in", "status_codes"} <= keys or _are_hits(keys) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read a report, or hits."""
        if any(map(_TOTAL.match, file.lines)):
            return _read_text(file)
        if any(map(_HIT.match, file.lines[:3])):
            return _read_csv(file)
        first = TextFile(file.source, [file.first])
        if _are_hits(json_paths.outline(first, depth=1)):
            return _read_hits(file)
        return read_documents(file, partial(_read_report, file))


def _are_hits(keys: frozenset[str]) -> bool:
    return {"attack", "seq", "code", "latency"} <= keys


def _read_report(file: TextFile, document: Document) -> Reading:
    load = Load(file.source, "vegeta")
    records = Records([document.first_line])
    records.whole(document.problems)
    try:
        _keep_report(document.root, document.first_line, load)
        records.data(0)
    except DataError as error:
        records.problem(0, f"{error}; nothing was kept; write the report again with vegeta report -type=json")
    return load.reading(records.counts(), records.problems, closed_loop=False)


def _keep_report(root: object, line: int, load: Load) -> None:
    requests, success = number(root, "requests"), number(root, "success")
    if requests is None or success is None:
        raise DataError("requests or success is missing")
    values = [
        ("throughput", number(root, "throughput"), "req/s"),
        ("rate", number(root, "rate"), "req/s"),
        ("requests", requests, "req"),
    ]
    if requests:
        for metric in ("mean", "min", "max"):
            values.append((f"latency_{metric}", number(root, ("latencies", metric)), "ns"))
        for key in mapping(root, "latencies"):
            if found := _PERCENTILE.fullmatch(key):
                values.append((percentile_name(float(found[1])), number(root, ("latencies", key)), "ns"))
    errors = round((1 - success) * requests)
    told = [str(one) for one in items(root, "errors")]
    configuration = load.configuration({})
    load.add(configuration, line, values, iterations=requests, errors=errors)
    if told:
        load.remark("remark", line, tuple(told[:20]), configuration)


def _read_text(file: TextFile) -> Reading:
    """Read each report of a file: one begins at every line of requests."""
    load, ledger = Load(file.source, "vegeta"), Ledger(len(file.lines))
    starts = [line for line, one in enumerate(file.lines, start=1) if _TOTAL.match(one)]
    for start, end in zip(starts, [*starts[1:], len(file.lines) + 1], strict=True):
        _keep_text(file, start, end, load, ledger)
    return load.reading(ledger.counts(), ledger.problems, closed_loop=False)


def _keep_text(file: TextFile, start: int, end: int, load: Load, ledger: Ledger) -> None:
    lines = file.lines
    values: list[tuple[str, float | None, str]] = []
    requests = errors = None
    for line in range(start, end):
        written = lines[line - 1].rstrip()
        try:
            if found := _TOTAL.fullmatch(written):
                numbers = [float(one) for one in found[1].split(",")]
                requests = numbers[0]
                values += [("requests", requests, "req"), ("rate", numbers[1], "req/s")]
                values += [("throughput", numbers[2], "req/s")] if len(numbers) > 2 else []
                ledger.data(line)
            elif found := _LATENCIES.fullmatch(written):
                values += _latencies(found[1], found[2])
                ledger.data(line)
            elif found := _STATUSES.fullmatch(written):
                statuses = dict(one.rsplit(":", 1) for one in found[1].split())
                counts = {code: float(count) for code, count in statuses.items()}
                if at_open_end(file, line) and sum(counts.values()) != requests:
                    raise _OpenEnd(open_line(written))
                errors = failed_answers(counts)
                ledger.data(line)
            elif any(one.fullmatch(written) for one in (_BYTES, _DURATION, _SUCCESS)):
                ledger.context(line)
        except (ValueError, IndexError, DataError) as error:
            why = str(error) if isinstance(error, _OpenEnd) else f"'{printable(written, 60)}' cannot be read"
            ledger.problem(line, f"{why}; write the report again")
    if requests is None or errors is None:
        ledger.note(start, "the report lacks its requests or status codes; nothing was kept; write it again")
    else:
        load.add(load.configuration({}), start, values, iterations=requests, errors=errors)


def _latencies(labels: str, durations: str) -> list[tuple[str, float | None, str]]:
    names = [one.strip() for one in labels.split(",")]
    written = [written_duration(one.strip()) for one in durations.split(",")]
    if len(names) != len(written) or not all(names):
        raise DataError("as many latencies as labels are needed")
    return [
        (percentile_name(float(name)) if name[0].isdigit() else f"latency_{name}", *one)
        for name, one in zip(names, written, strict=True)
    ]


def _read_hits(file: TextFile) -> Reading:
    load, ledger = Load(file.source, "vegeta"), Ledger(len(file.lines))
    requests, places = Requests(load, "ns"), dict[str, int]()
    for line, written in enumerate(file.lines, start=1):
        if not written.strip():
            continue
        document = json_text.parse_text(written, line)
        try:
            latency, code = number(document.root, "latency"), number(document.root, "code")
            if latency is None or code is None:
                raise DataError("latency or code is missing")
            url = str(mapping(document.root, ()).get("url", ""))
        except DataError as error:
            ledger.problem(line, f"{error}; line skipped")
            continue
        requests.add(_place(load, places, url), line, latency, failed=not 200 <= code < 400)
        ledger.data(line)
    return _finished(load, ledger, requests)


def _read_csv(file: TextFile) -> Reading:
    load, ledger = Load(file.source, "vegeta"), Ledger(len(file.lines))
    requests, places = Requests(load, "ns"), dict[str, int]()
    for line, written in enumerate(file.lines, start=1):
        if not written.strip():
            continue
        try:
            cells = next(csv.reader([written], strict=True), [])
        except csv.Error:
            cells = []
        if len(cells) != _CSV_WIDTH or not (cells[1].isdecimal() and cells[2].isdecimal()):
            ledger.problem(line, f"{len(cells)} fields where a hit has {_CSV_WIDTH}; line skipped")
            continue
        failed = not cells[1].startswith(("2", "3"))
        requests.add(_place(load, places, cells[10]), line, float(cells[2]), failed=failed)
        ledger.data(line)
    return _finished(load, ledger, requests)


def _place(load: Load, places: dict[str, int], url: str) -> int:
    if url not in places:
        axes, reason = endpoint_axes(url)
        places[url] = load.configuration({} if reason else axes)
    return places[url]


def _finished(load: Load, ledger: Ledger, requests: Requests) -> Reading:
    requests.keep()
    if not len(requests):
        ledger.note(0, "vegeta wrote no hit; run it again")
    return load.reading(ledger.counts(), ledger.problems, closed_loop=False)
