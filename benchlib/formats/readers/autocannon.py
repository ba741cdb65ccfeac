"""Read the JSON of autocannon (``-j``): one run a line.

Its latencies are whole milliseconds, of answered requests only, and all zero where none was answered.
With ``-R`` it corrects them for coordinated omission: its histogram then counts more than it asked.
"""

from __future__ import annotations

import re
from typing import Any

from benchlib.errors import DataError
from benchlib.formats import json_paths, json_text
from benchlib.formats.json_values import mapping, number, text
from benchlib.formats.ledger import Records
from benchlib.formats.readers.load_run import Load, percentile_name
from benchlib.formats.readers.wrk_run import endpoint_axes
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["Autocannon"]

_SHARE = re.compile(r"p(\d{1,2}(?:_\d{1,6})?)", re.ASCII)
_SMALLEST = 10.0
_ROUNDED = "latencies to whole milliseconds"


class Autocannon:
    """The reader of autocannon's JSON."""

    name = "autocannon"
    rule = "JSON with latency.p97_5 and non2xx"
    files = "*.json"
    yields = "throughput, requests, transfer, latency mean, min, max, stdev and percentiles from p10"
    limits = (
        "percentiles of one run, in whole ms, without requests that timed out; throughput and transfer are means "
        "over samples of a second; closed loop unless -R was given"
    )
    contains: frozenset[str] = frozenset()

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        return "certain" if {"latency.p97_5", "non2xx"} <= json_paths.outline(head, depth=2) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read the run of a file, or of each of its lines: ``>>`` puts one below the other."""
        load = Load(file.source, "autocannon")
        starts = [line for line, one in enumerate(file.lines, start=1) if one.startswith("{")]
        records = Records(starts or [1])
        ends = [*starts[1:], len(file.lines) + 1] if starts else []
        closed = True
        for index, (start, end) in enumerate(zip(starts, ends, strict=True)):
            document = json_text.parse_text("\n".join(file.lines[start - 1 : end - 1]), start)
            records.whole(document.problems)
            if not document.parsed:
                records.problem(index, "the run was not kept")
                continue
            try:
                closed = _keep(document.root, start, load) and closed
                records.data(index)
            except DataError as error:
                records.problem(index, f"{error}; nothing of the run was kept; write the file again")
        if not starts:
            records.problem(0, "no line starts a document; write the file with autocannon -j")
        return load.reading(records.counts(), records.problems, closed_loop=closed, rounded=_ROUNDED)


def _keep(root: object, line: int, load: Load) -> bool:
    """Keep one run; return whether its loop was closed."""
    counts = {one: number(root, one) or 0 for one in ("errors", "timeouts", "non2xx", "mismatches")}
    total, answered = number(root, "requests.total"), number(root, "latency.totalCount")
    rate = number(root, "requests.average")
    if total is None or answered is None or rate is None or number(root, "non2xx") is None:
        raise DataError("requests.total, requests.average, latency.totalCount or non2xx is missing")
    axes, reason = endpoint_axes(text(root, "url") or "")
    if reason:
        raise DataError(f"the run {reason}")
    values: list[tuple[str, float | None, str]] = [
        ("throughput", rate, "req/s"),
        ("requests", total, "req"),
        ("transfer", number(root, "throughput.average"), "B/s"),
    ]
    if answered:
        for metric, key in (("mean", "average"), ("stdev", "stddev"), ("min", "min"), ("max", "max")):
            values.append((f"latency_{metric}", number(root, ("latency", key)), "ms"))
        for key in mapping(root, "latency"):
            found = _SHARE.fullmatch(key)
            share = float(found[1].replace("_", ".")) if found else 0.0
            if share >= _SMALLEST:
                values.append((percentile_name(share), number(root, ("latency", key)), "ms"))
    settings: dict[str, Any] = {one: number(root, one) for one in ("connections", "pipelining", "workers")}
    # 0 workers is the main thread alone.
    axes |= {one: int(value) for one, value in settings.items() if value}
    # Time-outs are among the errors.
    errors = counts["errors"] + counts["non2xx"] + counts["mismatches"]
    configuration = load.configuration(axes)
    load.add(configuration, line, values, iterations=total + counts["errors"], errors=errors)
    load.timeouts(line, counts["timeouts"], total + counts["errors"])
    return answered <= total
