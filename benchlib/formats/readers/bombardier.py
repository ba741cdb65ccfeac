"""Read the JSON of bombardier (``--print result --format json``): latencies in microseconds.

References
----------
github.com/codesenberg/bombardier: README, and template/doc.go for the fields of a result.
"""

from __future__ import annotations

from benchlib.errors import DataError
from benchlib.formats import json_paths, json_text
from benchlib.formats.json_values import items, mapping, number, text
from benchlib.formats.ledger import Records
from benchlib.formats.readers.load_run import Load, is_timeout, percentile_name
from benchlib.formats.readers.wrk_run import endpoint_axes
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["Bombardier"]

_FAILED = ("req1xx", "req4xx", "req5xx", "others")
_ANSWERED = ("req1xx", "req2xx", "req3xx", "req4xx", "req5xx", "others")


class Bombardier:
    """The reader of bombardier's JSON."""

    name = "bombardier"
    rule = "JSON with spec.numberOfConnections and result.req2xx"
    files = "*.json"
    yields = "throughput, requests, latency mean, max, stdev and percentiles"
    limits = "percentiles of one run; throughput is a mean over samples; closed loop"
    documentation = "https://github.com/codesenberg/bombardier"
    contains: frozenset[str] = frozenset()

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        keys = json_paths.outline(head, depth=3)
        return "certain" if {"spec.numberOfConnections", "result.req2xx"} <= keys else "no"

    def read(self, file: TextFile) -> Reading:
        """Read the one run of a file."""
        load, document = Load(file.source, "bombardier"), json_text.parse(file)
        records = Records([document.first_line])
        records.whole(document.problems)
        try:
            if not document.parsed:
                raise DataError("the result is no JSON")
            _keep(document.root, document.first_line, load)
            records.data(0)
        except DataError as error:
            records.problem(0, f"{error}; nothing was kept; write it again with --print result --format json")
        return load.reading(records.counts(), records.problems, closed_loop=True)


def _keep(root: object, line: int, load: Load) -> None:
    answers = {one: number(root, f"result.{one}") for one in _ANSWERED}
    rate = number(root, "result.rps.mean")
    if rate is None or answers["req2xx"] is None:
        raise DataError("result.rps.mean or result.req2xx is missing")
    requests = sum(one or 0 for one in answers.values())
    told = {text(one, "description") or "": number(one, "count") or 0 for one in items(root, "result.errors")}
    # What could not be answered at all is counted under "others" and told again, by kind, in the list.
    errors = max(sum(answers[one] or 0 for one in _FAILED), sum(told.values()))
    axes, reason = endpoint_axes(text(root, "spec.url") or "")
    axes = {} if reason else axes
    connections, limit = number(root, "spec.numberOfConnections"), number(root, "spec.rate")
    axes |= {"connections": int(connections)} if connections else {}
    axes |= {"rate": int(limit)} if limit else {}
    values: list[tuple[str, float | None, str]] = [("throughput", rate, "req/s"), ("requests", requests, "req")]
    if requests:
        for metric, key in (("mean", "mean"), ("stdev", "stddev"), ("max", "max")):
            values.append((f"latency_{metric}", number(root, ("result", "latency", key)), "us"))
        for share in mapping(root, "result.latency.percentiles"):
            value = number(root, ("result", "latency", "percentiles", share))
            values.append((percentile_name(_share(share)), value, "us"))
    load.add(load.configuration(axes), line, values, iterations=requests, errors=errors)
    load.timeouts(line, sum(count for words, count in told.items() if is_timeout(words)), requests)


def _share(written: str) -> float:
    try:
        return float(written)
    except ValueError as error:
        raise DataError("a percentile of result.latency.percentiles is no number") from error
