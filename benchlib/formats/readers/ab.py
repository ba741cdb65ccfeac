"""Read what ApacheBench (ab) prints.

Its times are whole milliseconds except for the mean; its ``Kbytes`` count by 1024. A page whose length
differs from the first answer's counts as failed unless ab was run with ``-l``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from benchlib.errors import printable
from benchlib.formats.ledger import Ledger
from benchlib.formats.readers.load_run import Load, percentile_name
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["ApacheBench"]

_START = "This is ApacheBench"
_FACTS = {
    "Server Hostname": "host", "Server Port": "port", "Document Path": "path", "Concurrency Level": "connections",
    "Complete requests": "complete", "Failed requests": "failed", "Non-2xx responses": "status",
    "Write errors": "write", "Time taken for tests": "elapsed",
}  # fmt: skip
_FACT = re.compile(r"([A-Z][A-Za-z0-9 -]*):\s*(.*)")
_NUMBERS = frozenset({"connections", "complete", "failed", "status", "write"})
_KINDS = re.compile(
    r"\s+\(Connect: (\d{1,15}), Receive: (\d{1,15}), Length: (\d{1,15}), Exceptions: (\d{1,15})\)", re.ASCII
)
_RATE = re.compile(r"Requests per second:\s+(\d{1,15}\.\d\d) \[#/sec\] \(mean\)", re.ASCII)
_MEAN = re.compile(r"Time per request:\s+(\d{1,15}\.\d{3}) \[ms\] \(mean\)", re.ASCII)
_TRANSFER = re.compile(r"Transfer rate:\s+(\d{1,15}\.\d\d) \[Kbytes/sec\] received", re.ASCII)
_TOTAL = re.compile(r"Total:\s+(\d{1,12})\s+(\d{1,12})\s+(\d{1,12}\.\d)\s+(\d{1,12})\s+(\d{1,12})", re.ASCII)
_SHARE = re.compile(r"\s+(\d{1,3})%\s+(\d{1,12})", re.ASCII)
_LONGEST = re.compile(r"\s+100%\s+\d+ \(longest request\)", re.ASCII)
_CONTEXT = re.compile(
    r"This is ApacheBench|Copyright|Licensed|Benchmarking |Completed \d|Finished \d|Server |Document |Keep-Alive"
    r"|Total transferred|Total (?:body sent|POSTed)|HTML transferred|SSL/TLS|TLS "
    r"|Connection Times|\s+min\s+mean|Connect:|Processing:|Waiting:|Percentage of the requests|\s+\d+\.\d\d kb/s"
)
#: The beginnings of lines that carry numbers: one that then does not parse was cut or changed.
_KNOWN = re.compile(r"Requests per second|Time per request|Transfer rate|Total:|\s+\d+%|\s+\(Connect:")
#: All but its mean.
_ROUNDED = "latencies to whole milliseconds"
#: Tables that end on a line of their own: the times at "Total:", the percentiles at 100 %.
_TABLES = {"Connection Times": {"Total:"}, "Percentage of the requests served within a certain time": {"100%"}}
_STOPPED = re.compile(r"(?:apr_\w+|ab|socket): .*|Total of \d+ requests completed|\.\.done")


@dataclass(slots=True)
class _Run:
    first: int
    last: int
    facts: dict[str, str] = field(default_factory=dict)
    values: dict[str, tuple[float, str, int]] = field(default_factory=dict)
    kinds: tuple[int, ...] = ()
    stopped: str = ""
    damaged: bool = False
    open_tables: set[str] = field(default_factory=set)

    def count(self, fact: str) -> int:
        return int(self.facts.get(fact, "0"))

    @property
    def errors(self) -> int:
        """Failed requests; an answer other than 2xx that also has another length counts once."""
        length = self.kinds[2] if self.kinds else 0
        return self.count("failed") - length + max(length, self.count("status")) + self.count("write")


class ApacheBench:
    """The reader of ab."""

    name = "ab"
    rule = "a line 'This is ApacheBench', or 'Concurrency Level:' and 'Requests per second:'"
    files = "*.txt"
    yields = "throughput, requests, transfer, latency mean, min, max, stdev and percentiles"
    limits = (
        "percentiles of one run, in whole ms (0 is below half of one); its mean latency is connections over "
        "throughput; a page of varying length counts as failed unless run with -l; closed loop"
    )
    contains: frozenset[str] = frozenset()

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        if not head.mentions(_START, "Requests per second"):
            return "no"
        if any(one.startswith(_START) for one in head.lines):
            return "certain"
        found = {one.partition(":")[0] for one in head.lines}
        return "certain" if {"Concurrency Level", "Requests per second"} <= found else "no"

    def read(self, file: TextFile) -> Reading:
        """Read every run of a file."""
        return _Reading(file).reading()


class _Reading:
    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.ledger = Ledger(len(file.lines))
        self.load = Load(file.source, "ab")
        self.run: _Run | None = None

    def reading(self) -> Reading:
        for number, line in enumerate(self.file.lines, start=1):
            if line.strip():
                self._line(number, line.rstrip())
        self._finish()
        return self.load.reading(self.ledger.counts(), self.ledger.problems, closed_loop=True, rounded=_ROUNDED)

    def _line(self, number: int, line: str) -> None:
        # A log cut out of a longer one starts at the server instead of the banner.
        if line.startswith(_START) or (line.startswith("Server Software") and (not self.run or self.run.values)):
            self._finish()
            self.run = _Run(number, number)
            self.ledger.context(number)
            return
        run = self.run
        if run is None:
            if _KNOWN.match(line):
                self.ledger.problem(number, f"'{printable(line.strip(), 60)}' stands outside a run; left out")
            return
        if self._fact(run, number, line) or self._value(run, number, line):
            pass
        elif found := _KINDS.fullmatch(line):
            run.kinds = tuple(int(one) for one in found.groups())
            self.ledger.context(number)
        elif _LONGEST.fullmatch(line):
            run.open_tables.discard("100%")
            self.ledger.context(number)
        elif _CONTEXT.match(line) or line.endswith("(mean, across all concurrent requests)"):
            run.open_tables |= _TABLES.get(line.partition(" (")[0], set())
            self.ledger.context(number)
        elif _KNOWN.match(line):
            self.ledger.problem(number, f"'{printable(line.strip(), 60)}' is cut or not as ab prints it; line skipped")
        elif _STOPPED.match(line):
            run.stopped = run.stopped or line
            self.ledger.context(number)
        else:
            return
        run.last = number

    def _fact(self, run: _Run, number: int, line: str) -> bool:
        found = _FACT.fullmatch(line)
        key = _FACTS.get(found[1]) if found else None
        if found is None or key is None:
            return False
        if key in _NUMBERS and not (found[2].isascii() and found[2].isdigit() and len(found[2]) < 16):
            run.damaged = True
            self.ledger.problem(number, f"'{printable(line, 60)}' has no whole number; the run cannot be kept")
        elif key in run.facts:
            self.ledger.problem(number, f"'{printable(line, 60)}' stands twice in one run; the first was kept")
        else:
            run.facts[key] = found[2]
            self.ledger.context(number)
            if key == "complete":
                run.values["requests"] = (float(found[2]), "req", number)
                self.ledger.data(number)
        return True

    def _value(self, run: _Run, number: int, line: str) -> bool:
        values: list[tuple[str, str, str]] = []
        if found := _RATE.fullmatch(line):
            values = [("throughput", found[1], "req/s")]
        elif found := _MEAN.fullmatch(line):
            values = [("latency_mean", found[1], "ms")]
        elif found := _TRANSFER.fullmatch(line):
            values = [("transfer", found[1], "KiB/s")]
        elif found := _TOTAL.fullmatch(line):
            values = [
                ("latency_min", found[1], "ms"),
                ("latency_stdev", found[3], "ms"),
                ("latency_max", found[5], "ms"),
            ]
        elif (found := _SHARE.fullmatch(line)) and int(found[1]) < 100:
            values = [(percentile_name(float(found[1])), found[2], "ms")]
        if not values:
            return False
        if any(metric in run.values for metric, _, _ in values):
            self.ledger.problem(number, f"'{printable(line.strip(), 60)}' stands twice in one run; the first was kept")
            return True
        if values[0][0] == "latency_min":
            run.open_tables.discard("Total:")
        for metric, value, unit in values:
            run.values[metric] = (float(value), unit, number)
        self.ledger.data(number)
        return True

    def _finish(self) -> None:
        run, self.run = self.run, None
        if run is None:
            return
        reason = _objection(run)
        if reason:
            self.ledger.refuse(line for _, _, line in run.values.values())
            self.ledger.problem(
                run.last, f"the run that starts at line {run.first} {reason}; its values were not kept; run it again"
            )
            return
        path, host, port = (run.facts.get(one, "") for one in ("path", "host", "port"))
        configuration = self.load.configuration(
            {
                "benchmark": path,
                "endpoint": path.partition("?")[0].lstrip("/") or "/",
                "host": f"{host}:{port}" if port else host,
                "connections": run.count("connections"),
            }
        )
        complete = run.count("complete")
        longest = run.values.get("latency_max", (float("inf"), "", 0))[0]
        for metric, (value, unit, line) in run.values.items():
            if metric.startswith("latency_p") and value > longest:
                self.ledger.problem(line, f"{metric} of {value:g} ms is above the longest request; left out")
            else:
                self.load.add(configuration, line, [(metric, value, unit)], iterations=complete, errors=run.errors)


def _objection(run: _Run) -> str:
    """Say why the values of a run cannot be kept; empty where they can."""
    if run.damaged:
        return "has a cut count, so its failures or its concurrency are unknown"
    if run.stopped and "throughput" not in run.values:
        return f"stopped with '{printable(run.stopped, 80)}'"
    for fact, said in (
        ("connections", "Concurrency Level"),
        ("complete", "Complete requests"),
        ("failed", "Failed requests"),
    ):
        if fact not in run.facts:
            return f"is cut off: it has no line '{said}'"
    for metric, said in (
        ("throughput", "Requests per second"),
        ("latency_mean", "Time per request"),
        ("transfer", "Transfer rate"),
    ):
        if metric not in run.values:
            return f"is cut off: it has no line '{said}'"
    if run.open_tables:
        return f"is cut off: it has no line '{min(run.open_tables)}'"
    if not run.count("complete"):
        return "completed no request"
    elapsed = re.fullmatch(r"(\d{1,9}\.\d{3}) seconds", run.facts.get("elapsed", ""), re.ASCII)
    if not elapsed:
        return "is cut off: it has no line 'Time taken for tests'"
    rate, seconds = run.values["throughput"][0], float(elapsed[1])
    low, high = run.count("complete") / (seconds + 0.001), run.count("complete") / max(seconds - 0.001, 1e-6)
    if not low * 0.98 <= rate <= high * 1.02:
        return f"has {run.count('complete')} requests in {seconds:g} s but {rate:g} requests a second"
    return ""
