"""k6: single measurements (``--out json`` and ``csv``), its three JSON summaries, and its printed summary."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from benchlib.errors import DataError, printable
from benchlib.formats.collector import Outcome, certain_if, number_in, split_cells
from benchlib.formats.json_text import (
    Document,
    _read_documents,
    list_at,
    number_at,
    object_at,
    outline,
    parse_text,
    text_at,
)
from benchlib.formats.load_generators import Load, _endpoint_axes, _member_lines, percentile_name
from benchlib.formats.outcomes import is_expected
from benchlib.formats.reader import Certainty, Format, Ledger, Reading, Records, TextFile, _at_open_end, open_line
from benchlib.units import parse_duration

# Read the single measurements of k6: `--out json` (a line each) and `--out csv`.
#
# The latency of each request becomes a row, and so does each value of the script's own trends. The script's
# own counters and rates are added up. k6's own counters and rates and the phases of a request are context.

_HEADER = "metric_name,timestamp,metric_value,"
_POINT = re.compile(r'\{(?=.*"metric":)(?=.*"type":\s*"(?:Point|Metric)")')
#: Lines that are context whatever their value: not taken apart, they are nine in ten.
_PASSED = re.compile(
    r'\{"metric":"(?:http_reqs|http_req_(?:blocked|connecting|tls_handshaking|sending|waiting|receiving|failed)'
    r'|data_sent|data_received|iterations|iteration_duration|vus|vus_max)","type":"Point","data":\{'
)
_STATUS = re.compile(r"\d{1,3}", re.ASCII)
#: What the values of a metric contain -> their unit.
_UNITS = {"time": "ms", "data": "B"}


K6_POINTS = Format(
    name="k6-points",
    rule='lines {"type":"Point","metric":…}, or the CSV header metric_name,timestamp,metric_value',
    yields=(
        "the latency of each request; values of the script's own trends, sums of its counters, shares of its rates "
        "(from JSON)"
    ),
    limits=(
        "no throughput; failed checks belong to no request and are kept as a remark; a request without status, "
        "error_code and expected_response counts as sound; own gauges are left out, from CSV all own metrics; "
        "closed loop"
    ),
    contains=frozenset({"csv"}),
    recognise=lambda head: certain_if(head.first.startswith(_HEADER) or _POINT.match(head.first[:4096])),
    read=lambda file: _Reading(file).reading(),
)


class _Reading:
    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.ledger = Ledger(len(file.lines))
        self.load = Load(file.source, "k6", self.ledger)
        #: Configuration, line, latency and failure of each request, whose rows stand behind those of own trends.
        self.requests: list[tuple[int, int, float, bool]] = []
        #: Own trends that the file declares, with their unit; own counters and rates, with their type.
        self.trends: dict[str, str] = {}
        self.summed: dict[str, str] = {}
        #: Of each counter or rate in a configuration: its first line, the sum of its values, and their number.
        self.sums: dict[tuple[str, int], tuple[int, float, int]] = {}
        #: The configurations by the tags that make them.
        self.configurations: dict[tuple[str, ...], int] = {}
        self.failed_checks = self.checks = self.first_check = 0
        self.header: list[str] = []

    def reading(self) -> Reading:
        filled = ((number, line) for number, line in enumerate(self.file.lines, start=1) if line.strip())
        self.load.each(filled, lambda line: (self._json if line.startswith("{") else self._csv)(line), "line skipped")
        for configuration, line, latency, failed in self.requests:
            self.load.request(configuration, line, latency, "ms", failed=failed)
        self._keep_sums()
        if self.failed_checks:
            self.load.remark("failed-checks", self.first_check, (self.failed_checks, self.checks))
        if not len(self.load.rows) and not self.ledger.problems:
            self.ledger.note(0, "k6 made no request; run it again")
        return self.load.reading()

    def _json(self, written: str) -> Outcome:
        if _PASSED.match(written) and written.endswith("}}"):
            return "context"
        document = parse_text(written)
        if not document.parsed or document.problems:
            raise DataError(document.problems[0][1].partition(";")[0])
        root, kind = document.root, text_at(document.root, "type")
        metric = text_at(root, "metric")
        if metric is None or kind not in ("Point", "Metric"):
            raise DataError("neither a Point nor a Metric of k6")
        if kind == "Metric":
            type_, unit = text_at(root, "data.type"), _UNITS.get(text_at(root, "data.contains") or "", "")
            if type_ == "trend" and not _BUILT_IN.fullmatch(metric):
                self.trends[metric] = unit
            elif type_ in ("counter", "rate") and not _BUILT_IN.fullmatch(metric):
                self.summed[metric] = type_
            return "context"
        value = number_at(root, "data.value")
        if value is None:
            raise DataError("a Point without a value")
        tags = {key: value for key, value in object_at(root, "data.tags").items() if isinstance(value, str)}
        return self._point(metric, value, tags)

    def _csv(self, written: str) -> Outcome:
        cells = split_cells(written)
        if cells is None:
            raise DataError("a quote is left open")
        if not self.header:
            if not written.startswith(_HEADER):
                raise DataError("neither a measurement nor the header of k6")
            self.header = cells
            return "context"
        if len(cells) != len(self.header):
            raise DataError(f"{len(cells)} fields where the header has {len(self.header)}")
        row = dict(zip(self.header, cells, strict=True))
        value = number_in(row["metric_value"])
        if value is None:
            raise DataError("a measurement without a value")
        return self._point(row["metric_name"], value, row)

    def _point(self, metric: str, value: float, tags: Mapping[str, str]) -> Outcome:
        line = self.load.line
        if metric in _LATENCIES:
            if value < 0:
                raise DataError(f"a latency of {value:g} ms")
            failed = _is_failed(tags, http=metric == "http_req_duration")
            self.requests.append((self._configuration(tags), line, value, failed))
        elif metric in self.trends:
            self.load.keep(self._configuration(tags), line, [(metric, value, self.trends[metric])])
        elif metric in self.summed:
            key = (metric, self._configuration(tags))
            first, total, count = self.sums.get(key, (line, 0.0, 0))
            self.sums[key] = (first, total + value, count + 1)
        else:
            if metric == "checks":
                self.first_check = self.first_check or line
                self.failed_checks += value == 0
                self.checks += 1
            return "context"
        return "data"

    def _keep_sums(self) -> None:
        for (metric, configuration), (line, total, count) in self.sums.items():
            # A rate is written as 0 or 1 each time: its share is the value that k6 itself prints.
            name, value = (f"{metric}_count", total) if self.summed[metric] == "counter" else (metric, total / count)
            self.load.keep(configuration, line, [(name, value, "")], iterations=count)

    def _configuration(self, tags: Mapping[str, str]) -> int:
        key = tuple(tags.get(tag, "") for tag in ("url", "name", "method", "scenario", "group"))
        if key not in self.configurations:
            self.configurations[key] = self.load.start_run(_axes(*key))
        return self.configurations[key]


def _is_failed(tags: Mapping[str, str], *, http: bool) -> bool:
    """Whether a request failed: as the script's own ``expected_response`` has it, else by code and status."""
    expected, status = tags.get("expected_response"), tags.get("status") or ""
    if status and not _STATUS.fullmatch(status):
        raise DataError(f"status is '{printable(status, 40)}', not a number")
    if status and is_expected(status):
        return False
    if expected in ("true", "false"):
        return expected == "false"
    if tags.get("error_code") or tags.get("error"):
        return True
    # HTTP: 0 is no answer at all. gRPC: 0 is OK, and every other status a failure.
    return bool(status) and (not 100 <= int(status) < 400 if http else int(status) != 0)


def _axes(url: str, name: str, method: str, scenario: str, group: str) -> dict[str, Any]:
    axes = _endpoint_axes(url, "a request ") if "://" in url else {}
    # A script that groups many URLs names them; else the name repeats the URL.
    if name and name != url:
        axes["benchmark"] = name
        axes.pop("url", None)
    axes["method"] = method
    axes["scenario"] = "" if scenario == "default" else scenario
    axes["group"] = group.removeprefix("::")
    return axes


# What k6 calls things: which metric of a run becomes which of the table, and how failures are counted.
#
# A trend comes as statistics, a counter as count and rate, a rate as counts of the two outcomes. k6 names
# the outcomes of `http_req_failed` the wrong way round for a reader: its `passes` are failed requests.


#: What k6 measures by itself; any other metric is the script's own.
_BUILT_IN = re.compile(
    r"(?:http_req|http_reqs|iteration|vus|data_|checks|group_duration|dropped_iterations|ws_|grpc_|browser_)\w*"
)
#: The trends that are the latency of a run, the first one it has.
_LATENCIES = ("http_req_duration", "grpc_req_duration")
_SHARE = re.compile(r"p\(?(\d{1,3}(?:\.\d{1,6})?)\)?", re.ASCII)
_STATISTICS = {"avg": "mean", "min": "min", "med": "p50", "max": "max"}


#: Counts without which the failures of a run are unknown.
_COUNTING = frozenset({"checks", "checks_failed", "http_req_failed", "http_reqs", "iterations"})

#: The statistics of a metric: value and unit.
_Statistics = dict[str, tuple[float, str]]


@dataclass(slots=True)
class _Run:
    """One run: for each metric of k6 its statistics and its line."""

    first: int
    last: int
    metrics: dict[str, _Statistics] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    axes: dict[str, object] = field(default_factory=dict)
    #: Whether a line of counts was cut.
    damaged: bool = False

    def value(self, metric: str, statistic: str) -> float | None:
        """Return one statistic of one metric, None where it is not there."""
        value, _ = self.metrics.get(metric, {}).get(statistic, (None, ""))
        return value

    @property
    def is_open(self) -> bool:
        """Whether an arrival rate drove the run: only then can an iteration be dropped."""
        return "dropped_iterations" in self.metrics


def _statistic(written: str) -> str:
    """Return the end of a metric's name for a statistic of k6, empty for those that are left out."""
    share = _SHARE.fullmatch(written)
    if share and 0 < float(share[1]) < 100:
        return percentile_name(float(share[1])).removeprefix("latency_")
    return _STATISTICS.get(written, "")


def _check(run: _Run) -> None:
    """Raise DataError, with what a run "has" or "is", where its values cannot be kept."""
    if run.damaged:
        raise DataError("has a cut line of counts, so its failures are unknown")
    if "iterations" not in run.metrics and "http_reqs" not in run.metrics:
        raise DataError("is cut off: it has neither iterations nor http_reqs")
    if "http_reqs" in run.metrics and run.value("http_req_failed", "bad") is None:
        raise DataError("is cut off: it has no http_req_failed, so its failures are unknown")


def _keep(run: _Run, load: Load) -> set[str]:
    """Keep the values of a run; return the metrics of k6 that gave any."""
    requests = run.value("http_reqs", "count")
    # A request that fails mostly fails its check too: the larger of the two, not their sum.
    errors = max(run.value("http_req_failed", "bad") or 0, run.value("checks", "bad") or 0)
    workers = run.value("vus_max", "max") or run.value("vus_max", "value")
    configuration = load.start_run(run.axes | ({"workers": int(workers)} if workers else {}))
    latency = next((metric for metric in _LATENCIES if metric in run.metrics), "")
    measured: set[str] = set()
    for metric, statistics in run.metrics.items():
        for name, (value, unit) in _values(metric, statistics, metric == latency):
            load.keep(configuration, run.lines[metric], [(name, value, unit)], iterations=requests, errors=errors)
            measured.add(metric)
    load.closed_loop &= not run.is_open
    return measured


def _values(metric: str, statistics: _Statistics, is_latency: bool) -> Iterator[tuple[str, tuple[float, str]]]:
    """Yield what is kept of a metric: the name in the table, value and unit."""
    own = not _BUILT_IN.fullmatch(metric) and "{" not in metric
    # k6's own counters by the statistic; the script's by their shape: a trend has a mean, a counter a count.
    names: dict[str, str] = {}
    if metric == "http_reqs":
        names = {"count": "requests", "rate": "throughput"}
    elif metric == "data_received":
        names = {"rate": "transfer"}
    elif is_latency or metric == "iteration_duration" or own:
        prefix = "latency" if is_latency else metric
        names = {statistic: f"{prefix}_{_statistic(statistic)}" for statistic in statistics if _statistic(statistic)}
        if own and "avg" not in statistics:
            counter = "count" in statistics
            share = "rate" if "rate" in statistics else "value"
            names |= {"count": f"{metric}_count", "rate": f"{metric}_rate"} if counter else {share: metric}
    for statistic, name in names.items():
        if statistic in statistics:
            value, unit = statistics[statistic]
            if metric == "http_reqs":
                unit = "req" if statistic == "count" else "req/s"
            elif name == f"{metric}_rate" and not unit.endswith("/s"):
                unit = f"{unit}/s"
            yield name, (value, unit)


# Read the three JSON summaries of k6.
#
# `--summary-export` writes each metric flat, `handleSummary` with its type and `values`, and
# `--new-machine-readable-summary` as a list below `results`.


_TIMES = ("http_req_", "iteration_duration", "group_duration", "grpc_req_duration", "ws_")


def _is_k6_summary(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    paths = outline(head, depth=3)
    old = "metrics" in paths and "root_group" in paths
    flat = {"metrics.http_reqs", "metrics.iterations"} & paths and {"metrics.vus", "metrics.data_sent"} & paths
    new = "results.metrics" in paths and ({"metadata.k6_version", "metadata.k6Version"} & paths or "config" in paths)
    return certain_if(old or flat or new)


K6_SUMMARY = Format(
    name="k6",
    rule="JSON with metrics and root_group, or results.metrics and metadata.k6_version",
    yields="throughput, requests, transfer, latency mean, min, max and percentiles, iteration duration, own metrics",
    limits=(
        "percentiles of one run, failed requests among them; the machine-readable one states no rates; no URL; "
        "own rates as shares alone; closed loop unless iterations were dropped"
    ),
    recognise=_is_k6_summary,
    read=lambda file: _read_documents(file, partial(_read, file)),
)


def _read(file: TextFile, document: Document) -> Reading:
    root = document.root
    try:
        listed = list(_listed(root))
        metrics = listed or [(name, name, value) for name, value in object_at(root, "metrics").items()]
    except DataError as error:
        records = Records([1])
        records.problem(0, f"{error}; nothing of the run was kept; write the file again")
        return Load(file.source, "k6", records).reading()
    lines = {} if listed else _member_lines(document, [name for name, _, _ in metrics], "metrics.")
    starts = document.lines("results.metrics[]") if listed else []
    places = [lines.get(name, starts[i] if i < len(starts) else 1) for i, (name, _, _) in enumerate(metrics)]
    records = Records(places or [1])
    records.whole(document.problems)
    load, run = Load(file.source, "k6", records), _Run(1, 1)
    for index, (name, metric, content) in enumerate(metrics):
        try:
            run.metrics[metric] = _summary_statistics(metric, content)
            run.lines[metric] = places[index]
            records.context(index)
        except DataError as error:
            run.damaged |= name in _COUNTING
            records.problem(index, f"{printable(name, 60)}: {error}; metric skipped")
    with suppress(DataError):  # a version that is no text is no loss
        run.axes["version"] = text_at(root, "metadata.k6_version") or text_at(root, "metadata.k6Version")
    try:
        _check(run)
        measured = _keep(run, load)
        for index, (_, metric, _) in enumerate(metrics):
            if metric in measured:
                records.data(index)
    except DataError as error:
        records.problem(0, f"the run {error}; its values were not kept; run it again")
    return load.reading()


def _listed(root: object) -> Iterator[tuple[str, str, object]]:
    """Yield the metrics of the newer summary, with those of the checks."""
    for entry in list_at(root, "results.metrics"):
        name = text_at(entry, "name") or ""
        yield name, name, entry
    for entry in list_at(root, "results.checks.metrics"):
        name = text_at(entry, "name") or ""
        yield name, "checks" if name == "checks_failed" else name, entry


def _summary_statistics(metric: str, content: object) -> _Statistics:
    """Return the numbers of a metric of any of the three shapes."""
    values = object_at(content, "values") or object_at(content, ())
    kind = text_at(content, "type") if "values" in object_at(content, ()) else None
    contains = text_at(content, "contains") if kind else None
    if contains is None and metric.startswith(_TIMES):
        contains = "time"
    elif contains != "time" and metric.startswith("data_"):
        contains = "data"
    unit = _UNITS.get(contains or "", "")
    statistics: _Statistics = {}
    for key in values:
        if key in ("thresholds", "type", "contains", "name"):
            continue
        value = number_at(values, (key,))
        if value is not None:
            statistics[key] = (value, f"{unit}/s" if key == "rate" and unit == "B" else unit)
    bad = _bad(metric, statistics)
    if bad is not None:
        statistics["bad"] = (bad, "")
        if "rate" not in statistics and "value" in statistics:
            statistics["rate"] = statistics["value"]
    return statistics


def _bad(metric: str, statistics: _Statistics) -> float | None:
    """Return how often a rate came out badly, None for what is no rate."""
    name = metric.partition("{")[0]
    if "matches" in statistics:
        # The newer summary counts checks_failed, whose matches are the failures.
        return statistics["matches"][0]
    if "passes" in statistics and "fails" in statistics:
        return statistics["passes" if name == "http_req_failed" else "fails"][0]
    if name == "http_req_failed" and "rate" in statistics:
        raise DataError("neither passes nor matches is given")
    return None


# Read what k6 prints at the end of a run: compact, full and legacy summaries.


_METRIC = re.compile(r"\s*(?:[✓✗✔✘]\s+)?([A-Za-z_]\w{0,127}(?:\{[^{}]*\})?)\.*:\s+(\S.*)")
_DOTTED = re.compile(r"\s*(?:[✓✗✔✘]\s+)?[A-Za-z_]\w*(?:\{[^{}]*\})?\.{2,}:")
_SUB = re.compile(r"\s+\{ .* \}\.*:\s")
_START = re.compile(r"\s+█ TOTAL RESULTS|\s+execution: (?:local|cloud|distributed)")
_CONTEXT = re.compile(r"\s+(?:█|scenarios:|script:|output:|[✓✗✔✘]\s|↳|\* \S+:)|time=\"|\s+[A-Z][A-Z ]+$")
_TEXT_NUMBER = r"\d{1,15}(?:\.\d{1,12})?(?:e[+-]\d{1,3})?"
_STATISTIC = re.compile(r"(\w+(?:\([\d.]+\))?)=(\S+)")
_COUNTER = re.compile(rf"({_TEXT_NUMBER})\s+({_TEXT_NUMBER})/s", re.ASCII)
_DATA = re.compile(rf"({_TEXT_NUMBER}) ([kMGT]?B)\s+({_TEXT_NUMBER}) ([kMGT]?B)/s", re.ASCII)
_OUT_OF = re.compile(r"\d{1,3}\.\d\d%\s+(\d{1,15}) out of (\d{1,15})", re.ASCII)
_MARKS = re.compile(r"\d{1,3}\.\d\d%\s+[✓✔] (\d{1,15})\s+[✗✘] (\d{1,15})")
_GAUGE = re.compile(rf"({_TEXT_NUMBER})(\s+min=\S+\s+max=\S+)?", re.ASCII)
_TIME = re.compile(rf"({_TEXT_NUMBER})(ns|us|µs|μs|ms|s)")


def _is_k6_text(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    if "http_reqs" not in head.text and "iterations" not in head.text:
        return "no"
    names = {line.lstrip(" ✓✗").partition(".")[0] for line in head.lines if _DOTTED.match(line)}
    return certain_if(names & {"http_reqs", "iterations"})


def _read_k6_text(file: TextFile) -> Reading:
    """Read every summary of a file."""
    ledger = Ledger(len(file.lines))
    load = Load(file.source, "k6", ledger)
    run: _Run | None = None
    for number, written in enumerate(file.lines, start=1):
        line = written.rstrip()
        match = _METRIC.fullmatch(line) if _DOTTED.match(line) else None
        if _START.match(line):
            if run and run.metrics:
                _finish(run, load)
                run = None
            ledger.context(number)
        elif match and _at_open_end(file, number) and line[-1:].isdigit():
            # The values of a metric are of any length, and no other summary stands beside them.
            ledger.problem(number, f"{open_line(line)}; line skipped")
        elif match:
            if run and "iterations" in run.metrics and _name(match[1]) in run.metrics:
                # A summary has each metric once: another run was appended, without what k6 prints before it.
                _finish(run, load)
                run = None
            run = run or _Run(number, number)
            run.last = number
            _take(run, number, match[1], match[2], ledger)
        elif _DOTTED.match(line):
            if run:
                run.damaged = True
            ledger.problem(number, f"'{printable(line.strip(), 60)}' is cut; line skipped")
        elif _SUB.match(line) or _CONTEXT.match(line):
            ledger.context(number)
    if run:
        _finish(run, load)
    if not len(load.rows) and not ledger.problems:
        ledger.note(0, "k6 printed no summary with a request; let the run end")
    return load.reading()


K6_TEXT = Format(
    name="k6-text",
    rule="lines 'iterations....:' and 'iteration_duration....:'",
    yields="throughput, requests, transfer, latency mean, min, max and percentiles, iteration duration, own metrics",
    limits=(
        "percentiles of one run, failed requests among them; three significant digits; neither URL nor script stand "
        "in it; own rates as shares alone; closed loop unless iterations were dropped"
    ),
    recognise=_is_k6_text,
    read=_read_k6_text,
)


def _take(run: _Run, number: int, metric: str, written: str, ledger: Ledger) -> None:
    name = _name(metric)
    statistics = _text_statistics(metric, written)
    if statistics is None:
        run.damaged |= name in _COUNTING
        ledger.problem(number, f"'{printable(f'{metric}: {written}', 60)}' is cut or not as k6 prints it; line skipped")
    elif name in run.metrics:
        ledger.problem(number, f"{printable(metric, 60)} stands twice in one summary; the first was kept")
    else:
        run.metrics[name] = statistics
        run.lines[name] = number
        ledger.context(number)


def _name(metric: str) -> str:
    # The newer summary counts the checks that failed on a line of their own.
    return {"checks_failed": "checks"}.get(metric, metric)


def _text_statistics(metric: str, written: str) -> _Statistics | None:
    """Return what a line says of a metric, None where it cannot be read."""
    written = written.strip()
    if counter := _COUNTER.fullmatch(written):
        return {"count": (float(counter[1]), ""), "rate": (float(counter[2]), "")}
    if data := _DATA.fullmatch(written):
        return {"count": (float(data[1]), data[2]), "rate": (float(data[3]), f"{data[4]}/s")}
    if rate := _OUT_OF.fullmatch(written):
        yes, total = int(rate[1]), int(rate[2])
        return _rate(metric, yes, total - yes)
    if marks := _MARKS.fullmatch(written):
        return _rate(metric, int(marks[1]), int(marks[2]))
    if gauge := _GAUGE.fullmatch(written):
        ends = {pair[0]: _quantity(pair[1]) for pair in _STATISTIC.findall(written)}
        return {"value": (float(gauge[1]), ""), **{key: end for key, end in ends.items() if end}}
    statistics = {}
    for part in written.split():
        match = _STATISTIC.fullmatch(part)
        value = _quantity(match[2]) if match else None
        if match is None or value is None:
            return None
        statistics[match[1]] = value
    return statistics


def _rate(metric: str, yes: int, no: int) -> _Statistics:
    """Count the bad outcomes: ``http_req_failed`` and ``checks_failed`` are bad where they are true."""
    bad = yes if metric in ("http_req_failed", "checks_failed") else no
    share = yes / (yes + no) if yes + no else 0.0
    return {"bad": (bad, ""), "rate": (share, "")}


def _quantity(written: str) -> tuple[float, str] | None:
    if match := _TIME.fullmatch(written):
        return float(match[1]), match[2]
    if re.fullmatch(_TEXT_NUMBER, written, re.ASCII):
        return float(written), ""
    if re.fullmatch(r"(?:\d{1,9}h)?\d{1,9}m(?:\d{1,9}(?:\.\d{1,9})?s)?", written, re.ASCII):
        return parse_duration(written), "s"
    return None


def _finish(run: _Run, load: Load) -> None:
    """Keep the values of a run, or say why not."""
    try:
        _check(run)
        if "iterations" not in run.metrics:  # which stand near the end of every layout
            raise DataError("is cut off: it has no iterations")
        for metric in _keep(run, load):
            load.ledger.data(run.lines[metric])
    except DataError as error:
        load.ledger.refuse(run.lines.values())
        load.ledger.problem(
            run.last, f"the summary that starts at line {run.first} {error}; its values were not kept; run it again"
        )


READERS = (
    K6_POINTS,
    K6_SUMMARY,
    K6_TEXT,
)
