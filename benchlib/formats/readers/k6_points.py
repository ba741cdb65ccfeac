"""Read the single measurements of k6: ``--out json`` (a line each) and ``--out csv``.

The latency of each request becomes a row, and so does each value of the script's own trends. The script's
own counters and rates are added up. k6's own counters and rates and the phases of a request are context.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from typing import Any

from benchlib.errors import DataError, printable
from benchlib.formats import json_text
from benchlib.formats.json_values import mapping, number, text
from benchlib.formats.ledger import Ledger
from benchlib.formats.readers.k6_metrics import BUILT_IN, LATENCIES
from benchlib.formats.readers.load_run import MOST_REQUESTS, Load, Requests
from benchlib.formats.readers.wrk_run import endpoint_axes
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["K6Points"]

_HEADER = "metric_name,timestamp,metric_value,"
_POINT = re.compile(r'\{(?=.*"metric":)(?=.*"type":\s*"(?:Point|Metric)")')
#: Lines that are context whatever their value: not taken apart, they are nine in ten.
_PASSED = re.compile(
    r'\{"metric":"(?:http_reqs|http_req_(?:blocked|connecting|tls_handshaking|sending|waiting|receiving|failed)'
    r'|data_sent|data_received|iterations|iteration_duration|vus|vus_max)","type":"Point","data":\{'
)
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,12})?(?:e[+-]?\d{1,3})?", re.ASCII)
_STATUS = re.compile(r"\d{1,3}", re.ASCII)
_UNITS = {"time": "ms", "data": "B"}


class K6Points:
    """The reader of k6's measurements, one a line."""

    name = "k6-points"
    rule = 'lines {"type":"Point","metric":…}, or the CSV header metric_name,timestamp,metric_value'
    files = "*.json, *.ndjson, *.csv"
    yields = (
        f"the latency of each request, below {MOST_REQUESTS:,} requests; from there on p50 to p99.9, min and max of "
        "each URL; values of the script's own trends, sums of its counters, shares of its rates (from JSON)"
    )
    limits = (
        "no throughput; failed checks belong to no request and are kept as a remark; a request without status, "
        "error_code and expected_response counts as sound; own gauges are left out, from CSV all own metrics; "
        "closed loop"
    )
    contains = frozenset({"csv"})

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        first = head.first
        return "certain" if first.startswith(_HEADER) or _POINT.match(first[:4096]) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read each line as one measurement."""
        return _Reading(file).reading()


class _Reading:
    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.ledger = Ledger(len(file.lines))
        self.load = Load(file.source, "k6")
        self.requests = Requests(self.load, "ms")
        #: Own trends that the file declares, with their unit; own counters and rates, with their type.
        self.trends: dict[str, str] = {}
        self.summed: dict[str, str] = {}
        #: Of each counter or rate in a configuration: its first line, the sum of its values, and their number.
        self.sums: dict[tuple[str, int], tuple[int, float, int]] = {}
        self.known: dict[tuple[str, ...], int] = {}
        self.checks = [0, 0]
        self.first_check = 0
        self.header: list[str] = []

    def reading(self) -> Reading:
        for line, written in enumerate(self.file.lines, start=1):
            if not written.strip():
                continue
            try:
                if written.startswith("{"):
                    self._json(line, written)
                else:
                    self._csv(line, written)
            except DataError as error:
                self.ledger.problem(line, f"{error}; line skipped")
        self.requests.keep()
        self._keep_sums()
        failed, total = self.checks
        if failed:
            self.load.remark("failed-checks", self.first_check, (failed, total))
        if not len(self.load.rows) and not self.ledger.problems:
            self.ledger.note(0, "k6 made no request; run it again")
        return self.load.reading(self.ledger.counts(), self.ledger.problems, closed_loop=True)

    def _json(self, line: int, written: str) -> None:
        if _PASSED.match(written) and written.endswith("}}"):
            self.ledger.context(line)
            return
        document = json_text.parse_text(written, line)
        if not document.parsed or document.problems:
            raise DataError(document.problems[0][1].partition(";")[0])
        root, kind = document.root, text(document.root, "type")
        metric = text(root, "metric")
        if metric is None or kind not in ("Point", "Metric"):
            raise DataError("neither a Point nor a Metric of k6")
        if kind == "Metric":
            self.ledger.context(line)
            type_, unit = text(root, "data.type"), _UNITS.get(text(root, "data.contains") or "", "")
            if type_ == "trend" and not BUILT_IN.fullmatch(metric):
                self.trends[metric] = unit
            elif type_ in ("counter", "rate") and not BUILT_IN.fullmatch(metric):
                self.summed[metric] = type_
            return
        value = number(root, "data.value")
        if value is None:
            raise DataError("a Point without a value")
        tags = {key: one for key, one in mapping(root, "data.tags").items() if isinstance(one, str)}
        self._point(line, metric, value, tags)

    def _csv(self, line: int, written: str) -> None:
        try:
            cells = written.split(",") if '"' not in written else next(csv.reader([written], strict=True), [])
        except csv.Error as error:
            raise DataError("a quote is left open") from error
        if not self.header:
            if not written.startswith(_HEADER):
                raise DataError("neither a measurement nor the header of k6")
            self.header = cells
            self.ledger.context(line)
            return
        if len(cells) != len(self.header):
            raise DataError(f"{len(cells)} fields where the header has {len(self.header)}")
        row = dict(zip(self.header, cells, strict=True))
        if not _NUMBER.fullmatch(row["metric_value"]):
            raise DataError(f"'{printable(row['metric_value'], 40)}' is not a number")
        self._point(line, row["metric_name"], float(row["metric_value"]), row)

    def _point(self, line: int, metric: str, value: float, tags: Mapping[str, str]) -> None:
        if metric in LATENCIES:
            if value < 0:
                raise DataError(f"a latency of {value:g} ms")
            failed = _is_failed(tags, http=metric == "http_req_duration")
            self.requests.add(self._configuration(tags), line, value, failed=failed)
            self.ledger.data(line)
        elif metric in self.trends:
            self.load.add(self._configuration(tags), line, [(metric, value, self.trends[metric])])
            self.ledger.data(line)
        elif metric in self.summed:
            key = (metric, self._configuration(tags))
            first, total, count = self.sums.get(key, (line, 0.0, 0))
            self.sums[key] = (first, total + value, count + 1)
            self.ledger.data(line)
        else:
            self.ledger.context(line)
            if metric == "checks":
                self.first_check = self.first_check or line
                self.checks[0] += value == 0
                self.checks[1] += 1

    def _keep_sums(self) -> None:
        for (metric, configuration), (line, total, count) in self.sums.items():
            # A rate is written as 0 or 1 each time: its share is the value that k6 itself prints.
            name, value = (f"{metric}_count", total) if self.summed[metric] == "counter" else (metric, total / count)
            self.load.add(configuration, line, [(name, value, "")], iterations=count)

    def _configuration(self, tags: Mapping[str, str]) -> int:
        key = tuple(tags.get(one, "") for one in ("url", "name", "method", "scenario", "group"))
        if key not in self.known:
            self.known[key] = self.load.configuration(_axes(*key))
        return self.known[key]


def _is_failed(tags: Mapping[str, str], *, http: bool) -> bool:
    """Whether a request failed: as the script's own ``expected_response`` has it, else by code and status."""
    expected, status = tags.get("expected_response"), tags.get("status") or ""
    if status and not _STATUS.fullmatch(status):
        raise DataError(f"status is '{printable(status, 40)}', not a number")
    if expected in ("true", "false"):
        return expected == "false"
    if tags.get("error_code") or tags.get("error"):
        return True
    # HTTP: 0 is no answer at all. gRPC: 0 is OK, and every other status a failure.
    return bool(status) and (not 100 <= int(status) < 400 if http else int(status) != 0)


def _axes(url: str, name: str, method: str, scenario: str, group: str) -> dict[str, Any]:
    axes: dict[str, Any] = {}
    if url and "://" in url:
        axes, reason = endpoint_axes(url)
        if reason:
            raise DataError(f"a request {reason}")
    # A script that groups many URLs names them; else the name repeats the URL.
    if name and name != url:
        axes["benchmark"] = name
        axes.pop("url", None)
    axes["method"] = method
    axes["scenario"] = "" if scenario == "default" else scenario
    axes["group"] = group.removeprefix("::")
    return axes
