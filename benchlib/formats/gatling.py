"""Gatling: the log of a simulation, request by request, and the statistics of its report.

References
----------
gatling/gatling, `LogFileDataWriter` (columns of each version up to 3.10; from 3.11 on the log is binary) and
`GlobalStats`, `Stats` of `charts` (`stats.json`, `global_stats.json`): times in milliseconds; the percentiles are those
of `gatling.conf`, by default the 50th, 75th, 95th and 99th.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from benchlib.errors import DataError, printable
from benchlib.formats.collector import Outcome, certain_if, number_in
from benchlib.formats.json_text import Document, _pick, _read_documents, object_at, outline
from benchlib.formats.load_generators import Load, _Value
from benchlib.formats.reader import Certainty, Format, Ledger, Reading, Records, TextFile, _at_open_end, open_line

_TOOL = "Gatling"
_ROUNDED = "latencies to whole milliseconds"
_TIME = re.compile(r"[0-9]{12,14}")
_STATUSES = ("OK", "KO")
#: Records of the log that are no requests. In Gatling 1 and 2 some stand behind scenario and user.
_CONTEXT = ("RUN", "USER", "GROUP", "ASSERTION", "ERROR")


def _is_log(head: TextFile) -> bool:
    begins = re.search(r"(?:^|\t)(?:RUN|USER|REQUEST)\t", head.top, re.MULTILINE)
    return begins is not None and any("RUN" in line.split("\t")[:3] or _request(line) for line in head.lines[:50])


def _request(line: str) -> tuple[str, str, float, bool] | None:
    """Return groups, name, milliseconds and whether it failed; None for another line.

    Status, times and name stand in this order in every version; Gatling 2 wrote four times, and the first and the last
    are those of the request and of its answer.
    """
    cells = line.split("\t")
    if "REQUEST" not in cells[:3] or len(cells) > 50:
        return None
    at = next((place for place in range(len(cells) - 1, 3, -1) if cells[place].strip() in _STATUSES), 0)
    first = at
    while first > 0 and _TIME.fullmatch(cells[first - 1]):
        first -= 1
    if at - first not in (2, 4) or first < 2:
        return None
    begun, ended = int(cells[first]), int(cells[at - 1])
    return cells[first - 2].strip(), cells[first - 1].strip(), float(ended - begun), cells[at].strip() == "KO"


def _read_log(file: TextFile) -> Reading:
    """Read each request."""
    load = Load(
        file.source, _TOOL, Ledger(len(file.lines)), closed_loop=False, rounded="latencies to whole milliseconds"
    )
    configurations: dict[tuple[str, str], int] = {}

    def read(line: str) -> Outcome:
        request = _request(line)
        if request is None:
            cells = line.split("\t")
            if "REQUEST" in cells[:3]:
                raise DataError(f"'{printable(line, 60)}' is no whole request")
            return "context" if any(kind in cells[:3] for kind in _CONTEXT) else "noise"
        # The status stands last but for a message, which is empty or a blank where the request went well.
        if _at_open_end(file, load.entry) and not line.endswith(("\t", " ")):
            raise DataError(open_line(line))
        group, name, milliseconds, failed = request
        if milliseconds < 0:
            raise DataError("a request that ended before it began")
        key = ("" if group.isdecimal() else group, name)
        if key not in configurations:
            configurations[key] = load.start_run({"benchmark": name, "group": key[0]})
        load.request(configurations[key], load.line, milliseconds, "ms", failed=failed)
        return "data"

    load.each(enumerate(file.lines, 1), read, "line skipped")
    return load.finish(wanted="Gatling writes a line 'REQUEST' for each request (binary from version 3.11 on)")


GATLING = Format(
    name="gatling",
    rule="lines 'REQUEST', parted by tabs, that end in OK or KO",
    yields="the latency of each request; its name and group",
    limits="when users came and went; durations of groups; logs of version 3.11 and later, which are binary",
    contains=frozenset({"csv"}),
    recognise=lambda head: certain_if(_is_log(head)),
    read=_read_log,
)


# The report's statistics: of all requests, of each group, and of each request.


_STATISTICS = {
    "minResponseTime": "latency_min", "maxResponseTime": "latency_max", "meanResponseTime": "latency_mean",
    "standardDeviation": "latency_stdev", "percentiles1": "latency_p50", "percentiles2": "latency_p75",
    "percentiles3": "latency_p95", "percentiles4": "latency_p99",
}  # fmt: skip
_MOST_ENTRIES = 100_000


def _is_stats(head: TextFile) -> Certainty:
    paths = outline(head, depth=3)
    return certain_if(
        any("numberOfRequests" in path for path in paths) and any("meanResponseTime" in path for path in paths)
    )


def _read_stats(file: TextFile, document: Document) -> Reading:
    """Read each entry as a record."""
    entries = list(_entries(document.root))
    records = Records([document.first_line] * len(entries))
    records.whole(document.problems)
    load = Load(file.source, _TOOL, records, closed_loop=False, rounded=_ROUNDED)

    def read(entry: tuple[str, str, object]) -> Outcome:
        name, group, stats = entry
        requests, rate = _total(stats, "numberOfRequests"), _total(stats, "meanNumberOfRequestsPerSecond")
        numbers = {key: _total(stats, key) for key in _STATISTICS}
        failed = number_in(str(_pick(stats, "numberOfRequests.ko") or "0").replace("-", ""))
        if requests is None or numbers["meanResponseTime"] is None:
            raise DataError(f"{printable(name, 60)} has no numberOfRequests or no meanResponseTime")
        values: list[_Value] = [("throughput", rate, "req/s")]
        values += [(metric, numbers[key], "ms") for key, metric in _STATISTICS.items()]
        number = load.start_run({"benchmark": name, "group": group})
        load.keep(number, load.line, values, iterations=requests, errors=failed or 0.0)
        return "data"

    load.each(enumerate(entries), read)
    return load.finish(wanted="Gatling writes 'stats' with numberOfRequests of each request")


def _entries(root: object, group: str = "") -> Iterator[tuple[str, str, object]]:
    """Yield name, group and statistics of the whole and of what is in it."""
    waiting: list[tuple[object, str]] = [(root, group)]
    for _ in range(_MOST_ENTRIES):
        if not waiting:
            return
        entry, group = waiting.pop(0)
        if not isinstance(entry, dict):
            continue
        stats = entry.get("stats") if "stats" in entry else entry if "numberOfRequests" in entry else None
        name = str(entry.get("name") or _pick(stats, "name") or "All Requests")
        if stats is not None:
            yield name, group, stats
        inner = entry.get("contents")
        below = group if name in ("All Requests", "Global Information") else f"{group} / {name}".removeprefix(" / ")
        waiting += [(each, below) for each in inner.values()] if isinstance(inner, dict) else []


def _total(stats: object, key: str) -> float | None:
    """Return a number of all requests; the report writes numbers as texts, and '-' for none."""
    written: Any = object_at(stats, (key,)).get("total")
    return None if written is None or written == "-" else number_in(str(written), key)


GATLING_STATS = Format(
    name="gatling-stats",
    rule="JSON with stats.numberOfRequests and meanResponseTime",
    yields="throughput, latency mean, min, max, stdev and four percentiles, of each request, group and the whole",
    limits="which percentiles gatling.conf asked for (read as p50, p75, p95, p99); whole milliseconds",
    # The log of the same simulation holds every request.
    summary=True,
    recognise=_is_stats,
    read=lambda file: _read_documents(file, partial(_read_stats, file)),
)

READERS = (GATLING, GATLING_STATS)
