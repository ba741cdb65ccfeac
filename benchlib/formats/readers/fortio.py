"""Read the JSON of fortio (``fortio load -json``): a histogram's percentiles, in seconds.

References
----------
github.com/fortio/fortio: wiki page "Sample JSON output"; periodic/periodic.go, fhttp/httprunner.go.
"""

from __future__ import annotations

from benchlib.errors import DataError
from benchlib.formats import json_paths, json_text
from benchlib.formats.json_values import items, mapping, number, pick, text
from benchlib.formats.ledger import Records
from benchlib.formats.readers.load_run import Load, percentile_name
from benchlib.formats.readers.wrk_run import endpoint_axes
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["Fortio"]

#: Codes of answers that are results; gRPC health checks say SERVING.
_SOUND = ("2", "3", "SERVING", "OK")


class Fortio:
    """The reader of fortio's JSON."""

    name = "fortio"
    rule = "JSON with ActualQPS and DurationHistogram"
    files = "*.json"
    yields = "throughput, requests, latency mean, min, max, stdev and percentiles"
    limits = (
        "percentiles interpolated within buckets of a histogram (of 1 ms unless -r was given), failures among them; "
        "closed loop at RequestedQPS max"
    )
    contains: frozenset[str] = frozenset()

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        return "certain" if {"ActualQPS", "DurationHistogram"} <= json_paths.outline(head, depth=1) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read the one run of a file."""
        load, document = Load(file.source, "fortio"), json_text.parse(file)
        records, closed, rounded = Records([document.first_line]), False, ""
        records.whole(document.problems)
        try:
            if not document.parsed:
                raise DataError("the result is no JSON")
            rounded = _bucket(document.root)
            closed = _keep(document.root, document.first_line, load)
            records.data(0)
        except DataError as error:
            records.problem(0, f"{error}; nothing was kept; write it again with fortio load -json")
        told = rounded if len(load.rows) else ""
        return load.reading(records.counts(), records.problems, closed_loop=closed, rounded=told)


def _bucket(root: object) -> str:
    """Say how wide the bucket is that the median was interpolated in; empty where the file does not tell."""
    for one in items(root, "DurationHistogram.Data"):
        start, end, share = (number(one, key) for key in ("Start", "End", "Percent"))
        if start is not None and end is not None and share is not None and share >= 50:
            return (
                f"percentiles to buckets: the one that holds the median spans {start * 1e3:.3g} to {end * 1e3:.3g} ms"
            )
    return ""


def _keep(root: object, line: int, load: Load) -> bool:
    rate, requests = number(root, "ActualQPS"), number(root, "DurationHistogram.Count")
    if rate is None or requests is None:
        raise DataError("ActualQPS or DurationHistogram.Count is missing")
    codes = mapping(root, "RetCodes") if pick(root, "RetCodes") is not None else {}
    failed = sum(number(root, ("RetCodes", code)) or 0 for code in codes if not code.startswith(_SOUND))
    errors = number(root, "ErrorsDurationHistogram.Count")
    axes, reason = endpoint_axes(text(root, "URL") or "")
    axes = {} if reason else axes
    threads, asked = number(root, "NumThreads"), text(root, "RequestedQPS") or ""
    axes |= {"connections": int(threads)} if threads else {}
    axes |= {"rate": asked} if asked and asked != "max" else {}
    values: list[tuple[str, float | None, str]] = [("throughput", rate, "req/s"), ("requests", requests, "req")]
    if requests:
        for metric, key in (("mean", "Avg"), ("min", "Min"), ("max", "Max"), ("stdev", "StdDev")):
            values.append((f"latency_{metric}", number(root, ("DurationHistogram", key)), "s"))
        for one in items(root, "DurationHistogram.Percentiles"):
            share = number(one, "Percentile")
            if share is not None:
                values.append((percentile_name(share), number(one, "Value"), "s"))
    # Newer versions count failures themselves; older ones list answers by code alone.
    load.add(load.configuration(axes), line, values, iterations=requests, errors=max(failed, errors or 0))
    return asked in ("", "max")
