"""Read what ghz writes: its summary as text, or its report as JSON with every call in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchlib.errors import DataError, printable
from benchlib.formats import json_paths, json_text
from benchlib.formats.json_text import Document
from benchlib.formats.json_values import items, mapping, number, text
from benchlib.formats.ledger import Records
from benchlib.formats.readers.load_run import MOST_REQUESTS, Load, Requests, is_document, is_timeout, percentile_name
from benchlib.formats.readers.summary_text import heading, read_summaries
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["Ghz"]


class Ghz:
    """The reader of ghz's summary, text and JSON."""

    name = "ghz"
    rule = "a line 'Count:' below 'Summary:', or JSON with latencyDistribution and statusCodeDistribution"
    files = "*.txt, *.json"
    yields = (
        "throughput, requests, latency mean, min, max and percentiles; from JSON the latency of each call too, "
        f"below {MOST_REQUESTS:,} calls (p50 to p99.9 of them from there on)"
    )
    limits = "the text has percentiles of one run only and no name of the call; closed loop unless rps was set"
    contains: frozenset[str] = frozenset()

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        paths = json_paths.outline(head, depth=2)
        if heading(head) == "ghz" or ("statusCodeDistribution" in paths and "rps" in paths and "count" in paths):
            return "certain"
        return "no"

    def read(self, file: TextFile) -> Reading:
        """Read every summary of a text, or the one of a document."""
        if not is_document(file):
            return read_summaries(file, "ghz")
        document = json_text.parse(file)
        return _read(file, document) if document.parsed else json_text.unreadable(document)


def _read(file: TextFile, document: Document) -> Reading:
    """Read a document: its records are the summary and each call of ``details``."""
    root = document.root if isinstance(document.root, dict) else {}
    load = Load(file.source, "ghz")
    calls = root.get("details")
    calls = calls if isinstance(calls, list) else []
    # A document of one line needs no search for the lines of its calls.
    starts = document.lines("details[]") if "\n" in document.content else [document.first_line] * len(calls)
    starts += [document.first_line] * (len(calls) - len(starts))
    records = Records([document.first_line, *starts[: len(calls)]])
    records.whole(document.problems)
    try:
        configuration = _summary(root, load)
        records.data(0)
    except DataError as error:
        load = Load(file.source, "ghz")
        records.problem(0, f"{error}; the summary was not kept; write the file again")
        configuration = load.configuration({})
    requests = Requests(load, "ns")
    for index, call in enumerate(calls, start=1):
        try:
            latency, status = number(call, "latency"), text(call, "status")
            if latency is None or status is None or latency < 0:
                raise DataError("a call has no latency or no status")
        except DataError as error:
            records.problem(index, f"{error}; call skipped")
            continue
        requests.add(configuration, records.line(index), latency, failed=status != "OK")
        records.data(index)
    requests.keep()
    return load.reading(records.counts(), records.problems, closed_loop=not _number(root, "options.rps"))


def _number(root: Mapping[str, object], path: str) -> float:
    try:
        return number(root, path) or 0.0
    except DataError:
        return 0.0


def _summary(root: Mapping[str, object], load: Load) -> int:
    rate, count = number(root, "rps"), number(root, "count")
    if rate is None or count is None or not count:
        raise DataError("rps or count is missing, or no call was made")
    statuses = {
        one: number(root, ("statusCodeDistribution", one)) or 0 for one in mapping(root, "statusCodeDistribution")
    }
    failures = {one: number(root, ("errorDistribution", one)) or 0 for one in mapping(root, "errorDistribution")}
    if not statuses:
        raise DataError("statusCodeDistribution is missing or empty, so the failures are unknown")
    # A failed call stands in both lists.
    errors = max(sum(failures.values()), sum(n for status, n in statuses.items() if status != "OK"))
    configuration = load.configuration(_axes(root))
    values: list[tuple[str, float | None, str]] = [("throughput", rate, "req/s"), ("requests", count, "req")]
    if errors < count:
        for metric, key in (("latency_mean", "average"), ("latency_min", "fastest"), ("latency_max", "slowest")):
            values.append((metric, number(root, key), "ns"))
        for one in items(root, "latencyDistribution"):
            share = number(one, "percentage")
            if share is None or not 0 < share < 100:
                raise DataError(f"latencyDistribution has a percentage of {printable(str(share), 20)}")
            values.append((percentile_name(share), number(one, "latency"), "ns"))
    load.add(configuration, 1, values, iterations=count, errors=errors)
    bars = tuple((number(one, "mark") or 0.0, number(one, "count") or 0.0) for one in items(root, "histogram"))
    if bars:
        load.remark("histogram", 1, bars)
    load.timeouts(1, sum(n for error, n in failures.items() if is_timeout(error)), count)
    return configuration


def _axes(root: Mapping[str, object]) -> dict[str, Any]:
    call = text(root, "options.call") or text(root, "name") or ""
    axes: dict[str, Any] = {"benchmark": call, "endpoint": call, "host": text(root, "options.host")}
    # One gRPC connection carries many calls at once: it bounds no requests in flight.
    for axis, path in (
        ("workers", "options.concurrency"),
        ("channels", "options.connections"),
        ("rate", "options.rps"),
    ):
        value = number(root, path)
        axes[axis] = int(value) if value else None
    return axes
