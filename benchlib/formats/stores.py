"""Benchmarks of databases and caches: YCSB, redis-benchmark (and valkey's), memtier."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from benchlib.errors import DataError, printable
from benchlib.formats.collector import Outcome, certain_if, number_in, split_cells
from benchlib.formats.json_text import Document, _read_documents, number_at, object_at, outline
from benchlib.formats.load_generators import Load, _Value, percentile_name
from benchlib.formats.reader import Format, Ledger, Reading, Records, TextFile, _at_open_end, open_line

_DIGITS = r"[0-9]{1,15}"
_NUMBER = r"[0-9]{1,15}(?:\.[0-9]{1,15})?(?:[eE][+-]?[0-9]{1,3})?"


def _number(written: str) -> float:
    """Return a number that has to be there."""
    value = number_in(written)
    if value is None:
        raise DataError(f"'{printable(written, 40)}' is not a number")
    return value


# YCSB: a line for each statistic of each operation.
#
# References
# brianfrankcooper/YCSB, `TextMeasurementsExporter` (the lines) and `StatusReporter`, `OneMeasurement` (Return=…): what
# returned something else than OK failed; latencies of failed calls stand apart, below `[READ-FAILED]`.


_YCSB = re.compile(r"\[(?P<operation>[^\]]{1,200})\], (?P<what>[^,]{1,100}), (?P<value>\S{1,40})\s*")
_YCSB_LATENCY = re.compile(
    r"(?:(?P<statistic>Average|Min|Max)|(?P<share>[0-9]{1,2}(?:\.[0-9]{1,6})?)(?:st|nd|rd|th)?Percentile)Latency"
    r"\((?P<unit>us|ms|ns)\)"
)
_YCSB_CALLS = ("Operations", "Count")
#: What belongs to the run and is no operation of the store.
_YCSB_NO_OPERATION = re.compile(r"TOTAL_GC.*|CLEANUP|Max.*|Total.*")
#: Where a run says how it was made: the command line, of YCSB's script or of Java, and the properties.
_YCSB_FACTS = {
    "threads": re.compile(r"(?:^|\s)-threads ([0-9]{1,9})(?:\s|$)|\bthreadcount=([0-9]{1,9})\b"),
    "target": re.compile(r"(?:^|\s)-target ([0-9]{1,9})(?:\s|$)"),
    "workload": re.compile(r"(?:^|\s)-P (?:[^\s/]{0,200}/){0,20}([^\s/]{1,100})"),
}
_YCSB_COMMAND = re.compile(
    r"Command line: |.{0,200}java\S* .*ycsb|.{0,200}ycsb(?:\.sh|\.bat)? (?:load|run) |\{.*\bworkload="
)
_YCSB_STATISTICS = {"Average": "mean", "Min": "min", "Max": "max"}


@dataclass
class _Calls:
    """What a run says of one operation."""

    lines: list[int] = field(default_factory=list)
    values: list[tuple[str, float, str, int]] = field(default_factory=list)
    calls: float | None = None
    failed: float = 0.0


class _Ycsb:
    """The reading of one such file, line by line."""

    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.load = Load(file.source, "YCSB", Ledger(len(file.lines)))
        self.facts: dict[str, Any] = {}
        self.operations: dict[str, _Calls] = {}
        #: Throughput of the run, and its line.
        self.rate: tuple[float, int] | None = None

    def read(self) -> Reading:
        """Read every line; a run begins with its command, or with the totals of the next one."""
        self.load.each(enumerate(self.file.lines, 1), self.take, "line skipped")
        self.end_run()
        return self.load.finish(wanted="YCSB writes lines such as '[READ], AverageLatency(us), 312.5'")

    def take(self, line: str) -> Outcome:
        """Take one line."""
        match = _YCSB.fullmatch(line)
        if match is None:
            return self.take_words(line)
        if _at_open_end(self.file, self.load.entry):
            raise DataError(open_line(line))
        operation, what = match["operation"], match["what"]
        if operation == "OVERALL":
            return self.take_total(what, match["value"])
        if _YCSB_NO_OPERATION.fullmatch(operation):
            return "context"
        calls = self.operations.setdefault(operation.removesuffix("-FAILED"), _Calls())
        failing = operation.endswith("-FAILED")
        if what in _YCSB_CALLS:
            if failing:
                calls.failed = max(calls.failed, _number(match["value"]))
            else:
                calls.calls = _number(match["value"])
            return "context"
        if what.startswith("Return="):
            if what.removeprefix("Return=") not in ("OK", "0") and not failing:
                calls.failed += _number(match["value"])
            return "context"
        latency = _YCSB_LATENCY.fullmatch(what)
        if latency is None or failing:
            # A histogram or a series of the same run, or the latency of calls that failed.
            return "context"
        statistic = latency["statistic"]
        metric = f"latency_{_YCSB_STATISTICS[statistic]}" if statistic else percentile_name(float(latency["share"]))
        value = number_in(match["value"])
        if value is None:
            return "context"
        calls.values.append((metric, value, latency["unit"], self.load.entry))
        return "data"

    def take_words(self, line: str) -> Outcome:
        """Take a line that is no statistic: it may say how the run was made."""
        if not _YCSB_COMMAND.match(line[:20_000]):
            return "noise"
        if self.operations or self.rate:
            self.end_run()
        for name, pattern in _YCSB_FACTS.items():
            match = pattern.search(line[:20_000])
            if match:
                written = next(group for group in match.groups() if group)
                self.facts[name] = int(written) if written.isdecimal() and name != "workload" else written
        return "context"

    def take_total(self, what: str, value: str) -> Outcome:
        """Take a line about the whole run."""
        if what.startswith("RunTime") and (self.operations or self.rate):
            facts = self.facts
            self.end_run()
            # Without a command between them the runs of a file were made alike.
            self.facts = facts
        if not what.startswith("Throughput"):
            return "context"
        self.rate = _number(value), self.load.entry
        return "data"

    def end_run(self) -> None:
        """Keep the run at hand: the whole with the failures of all operations, and each operation with its own."""
        operations, rate, facts = self.operations, self.rate, self.facts
        self.operations, self.rate, self.facts = {}, None, {}
        calls = [each.calls for each in operations.values() if each.calls is not None]
        if rate is not None:
            number = self.load.start_run({"benchmark": "OVERALL", **facts})
            failed = sum(each.failed for each in operations.values())
            values: list[_Value] = [("throughput", rate[0], "op/s")]
            self.load.keep(
                number, rate[1], values, iterations=sum(calls) or None, errors=failed if operations else None
            )
        for operation, each in operations.items():
            number = self.load.start_run({"benchmark": operation, **facts})
            if not each.calls and each.calls is not None:
                continue  # no call, and zeros for its latencies
            for metric, value, unit, line in each.values:
                self.load.keep(number, line, [(metric, value, unit)], iterations=each.calls, errors=each.failed)


YCSB = Format(
    name="ycsb",
    rule="a line '[OVERALL], Throughput(ops/sec), N' or '[OPERATION], AverageLatency(us), N'",
    yields="throughput of the run; latency mean, min, max and percentiles of each operation; threads, target, workload",
    limits="histogram and time series; failed calls count for the whole operation; closed loop unless a target was set",
    recognise=lambda head: certain_if(
        any(
            (match := _YCSB.fullmatch(line))
            and (match["what"].startswith("Throughput(") or _YCSB_LATENCY.fullmatch(match["what"]))
            for line in head.lines
        )
    ),
    read=lambda file: _Ycsb(file).read(),
)


# redis-benchmark, and valkey-benchmark: a report a command, one line a command (-q), or a table (--csv).
#
# References
# redis/redis, `src/redis-benchmark.c`, `showLatencyReport`. Until 6.0 the report ends in the shares of requests that
# took up to so many (tenths of) milliseconds: the first step with a share of at least 95 % is the percentile, rounded
# up to that step. Since 6.2 it has percentiles of its own.


_REDIS_TITLE = re.compile(r"=+ (?P<benchmark>.{1,200}?) =+\s*")
_REDIS_DONE = re.compile(rf"\s*(?P<requests>{_DIGITS}) requests completed in (?P<seconds>{_NUMBER}) seconds")
_REDIS_FACTS = (
    re.compile(r"\s*(?P<clients>[0-9]{1,9}) parallel clients"),
    re.compile(r"\s*(?P<payload>[0-9]{1,12}) bytes payload"),
    re.compile(r"\s*threads: (?P<threads>[0-9]{1,9})"),
)
_REDIS_CONTEXT = re.compile(
    r"\s*(?:keep alive: |host configuration |multi-thread: |cluster mode|node \[|Latency by percentile|"
    r"Cumulative distribution|Summary:|latency summary|avg +min |throughput summary:)"
)
_REDIS_SHARE = re.compile(
    rf"\s*(?P<share>{_NUMBER})% <= (?P<step>{_NUMBER}) milliseconds(?P<new> \(cumulative count [0-9]+\))?"
)
_REDIS_RATE = re.compile(rf"\s*(?:throughput summary: )?(?P<rate>{_NUMBER}) requests per second\s*")
_REDIS_LATENCIES = re.compile(rf"\s*{_NUMBER}(?:\s+{_NUMBER}){{5}}\s*")
_REDIS_QUIET = re.compile(
    rf"(?P<benchmark>[A-Za-z][^:]{{0,200}}): (?P<rate>{_NUMBER}) requests per second"
    rf"(?:, p50=(?P<p50>{_NUMBER}) msec)?\s*"
)
_REDIS_CSV = re.compile(r'"(?P<benchmark>[^"]{1,200})","(?P<numbers>[^a-zA-Z]*)"\s*')
#: The tests that it runs unasked; a table without a header is known by them.
_REDIS_TEST = re.compile(
    r"(?:PING_(?:INLINE|BULK|MBULK)|SET|GET|INCR|[LR]PUSH|[LR]POP|SADD|HSET|SPOP|ZADD|ZPOPMIN|LRANGE_[0-9]+|MSET|XADD)\b.*"
)
_REDIS_HEADER = '"test","rps",'
_REDIS_COLUMNS = {
    "rps": ("throughput", "req/s"), "avg_latency_ms": ("latency_mean", "ms"), "min_latency_ms": ("latency_min", "ms"),
    "p50_latency_ms": ("latency_p50", "ms"), "p95_latency_ms": ("latency_p95", "ms"),
    "p99_latency_ms": ("latency_p99", "ms"), "max_latency_ms": ("latency_max", "ms"),
}  # fmt: skip
_REDIS_SUMMARY = ("mean", "min", "p50", "p95", "p99", "max")
_REDIS_COMMAND = re.compile(r"[#$>\s]*(?:\S*/)?(?:redis|valkey)-benchmark\s(?P<options>.*)")
_REDIS_OPTIONS = {
    "clients": re.compile(r"(?:^|\s)-c ([0-9]{1,9})"),
    "pipeline": re.compile(r"(?:^|\s)-P ([0-9]{1,9})"),
    "payload": re.compile(r"(?:^|\s)-d ([0-9]{1,12})"),
    "threads": re.compile(r"(?:^|\s)--threads ([0-9]{1,9})"),
}
_REDIS_SHARES = (50.0, 95.0, 99.0, 99.9)


@dataclass
class _Report:
    """What has been read of the report of one command."""

    benchmark: str
    line: int
    requests: float | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    rate: tuple[float, int] | None = None
    #: Shares of requests in percent, the step that they did not exceed, and their lines.
    steps: list[tuple[float, float, int]] = field(default_factory=list)
    latencies: tuple[list[float], int] | None = None


class _Redis:
    """The reading of one such file, line by line."""

    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.load = Load(file.source, "redis-benchmark", Ledger(len(file.lines)))
        self.report: _Report | None = None
        self.command: dict[str, Any] = {}
        self.header: list[str] = []
        self.stepped = False

    def read(self) -> Reading:
        """Read every line."""
        self.load.each(enumerate(self.file.lines, 1), self.take, "line skipped")
        self.end_report()
        if self.stepped:
            self.load.rounded = "latencies up to the steps of its table"
        return self.load.finish(wanted="redis-benchmark writes the requests per second of each command")

    def take(self, line: str) -> Outcome:
        """Take one line."""
        if title := _REDIS_TITLE.fullmatch(line):
            self.end_report()
            self.report = _Report(title["benchmark"], self.load.entry, facts=dict(self.command))
            return "context"
        if command := _REDIS_COMMAND.match(line[:2000]):
            self.end_report()
            found = {key: pattern.search(command["options"]) for key, pattern in _REDIS_OPTIONS.items()}
            self.command = {key: int(match[1]) for key, match in found.items() if match}
            return "context"
        if line.startswith(_REDIS_HEADER):
            self.header = split_cells(line) or []
            return "context"
        if self.report is not None and (outcome := self.take_report(self.report, line)):
            return outcome
        if quiet := _REDIS_QUIET.fullmatch(line):
            self.refuse_cut(line)
            p50 = number_in(quiet["p50"] or "")
            values: list[_Value] = [("throughput", _number(quiet["rate"]), "req/s"), ("latency_p50", p50, "ms")]
            self.keep(quiet["benchmark"], self.command, self.load.entry, values, None)
            return "data"
        return self.take_cells(line)

    def take_report(self, report: _Report, line: str) -> Outcome | None:
        """Take a line of a report; None where it is none."""
        if match := _REDIS_DONE.match(line):
            report.requests = _number(match["requests"])
            return "context"
        for pattern in _REDIS_FACTS:
            if match := pattern.match(line):
                report.facts |= {key: int(value) for key, value in match.groupdict().items()}
                return "context"
        if match := _REDIS_RATE.fullmatch(line):
            self.refuse_cut(line)
            report.rate = _number(match["rate"]), self.load.entry
            return "data"
        if match := _REDIS_SHARE.match(line):
            if not match["new"]:
                report.steps.append((_number(match["share"]), _number(match["step"]), self.load.entry))
            return "context"
        if _REDIS_LATENCIES.fullmatch(line):
            self.refuse_cut(line)
            report.latencies = [_number(cell) for cell in line.split()], self.load.entry
            return "data"
        return "context" if _REDIS_CONTEXT.match(line) else None

    def take_cells(self, line: str) -> Outcome:
        """Take a line of the table: its columns have a header since Redis 7, and were two before."""
        match = _REDIS_CSV.fullmatch(line)
        if match is None:
            return "noise"
        self.refuse_cut(line)
        cells = match["numbers"].split('","')
        columns = self.header[1:] if self.header else ["rps"]
        if len(cells) != len(columns):
            raise DataError(f"{len(cells) + 1} fields where the header has {len(columns) + 1}")
        values: list[_Value] = []
        for column, cell in zip(columns, cells, strict=True):
            if column in _REDIS_COLUMNS:
                metric, unit = _REDIS_COLUMNS[column]
                values.append((metric, number_in(cell, column), unit))
        self.keep(match["benchmark"], self.command, self.load.entry, values, None)
        return "data"

    def refuse_cut(self, line: str) -> None:
        """Refuse a last line that may have been cut; a quote at its end shows that it was not."""
        if _at_open_end(self.file, self.load.entry) and not line.rstrip().endswith(('"', "second", "msec")):
            raise DataError(open_line(line))

    def end_report(self) -> None:
        """Keep the report at hand; one without a rate was cut."""
        report, self.report = self.report, None
        if report is None:
            return
        if report.rate is None:
            if report.requests is not None:
                shown = printable(report.benchmark, 60)
                self.load.ledger.problem(report.line, f"the report of {shown} has no rate; was the file cut?")
            return
        self.keep(
            report.benchmark, report.facts, report.rate[1], [("throughput", report.rate[0], "req/s")], report.requests
        )
        number = len(self.load.configurations) - 1
        if report.latencies:
            values, line = report.latencies
            names = zip(_REDIS_SUMMARY, values, strict=True)
            self.load.keep(
                number, line, [(f"latency_{name}", value, "ms") for name, value in names], iterations=report.requests
            )
            return
        for share in _REDIS_SHARES:
            step = next(((step, line) for reached, step, line in report.steps if reached >= share), None)
            if step is not None:
                self.stepped = True
                self.load.ledger.data(step[1])
                self.load.keep(number, step[1], [(percentile_name(share), step[0], "ms")], iterations=report.requests)

    def keep(
        self, benchmark: str, facts: Mapping[str, Any], line: int, values: Sequence[_Value], requests: float | None
    ) -> None:
        """Keep values of one command."""
        number = self.load.start_run({"benchmark": benchmark, **facts})
        self.load.keep(number, line, values, iterations=requests)


def _is_redis(head: TextFile) -> bool:
    lines = [line for line in head.lines if line.strip()]
    titled = any(map(_REDIS_TITLE.fullmatch, lines)) and any(map(_REDIS_DONE.match, lines))
    quiet = any(
        (match := _REDIS_QUIET.fullmatch(line)) and (match["p50"] or _REDIS_TEST.fullmatch(match["benchmark"]))
        for line in lines
    )
    header = any(line.startswith(_REDIS_HEADER) for line in lines)
    # Before Redis 7 the table had no header: two quoted cells, and nothing else.
    cells = [_REDIS_CSV.fullmatch(line) for line in lines]
    plain = all(match and re.fullmatch(_NUMBER, match["numbers"]) for match in cells) and any(
        match and _REDIS_TEST.fullmatch(match["benchmark"]) for match in cells
    )
    return titled or quiet or header or plain


REDIS = Format(
    name="redis-benchmark",
    rule="lines '====== SET ======' and 'N requests completed', 'SET: N requests per second', or the table of --csv",
    yields="throughput, and latency mean, min, p50, p95, p99 and max, of each command; clients, pipeline and so on",
    limits="raw samples; of -q and --csv clients and pipeline, unless the command stands above; closed loop",
    contains=frozenset({"csv"}),
    recognise=lambda head: certain_if(_is_redis(head)),
    read=lambda file: _Redis(file).read(),
)


# memtier_benchmark: a row for each kind of request, as text or JSON.
#
# References
# RedisLabs/memtier_benchmark, `run_stats.cpp` (`print_table`, `summarize`): latencies in ms, KB/sec of 1,024 bytes.
# With `-x` the best and the worst run stand beside the aggregate of all, and only the aggregate is read.


_MEMTIER_COLUMNS = {
    "Ops/sec": ("throughput", "op/s"), "Latency": ("latency_mean", "ms"), "Avg. Latency": ("latency_mean", "ms"),
    "Average Latency": ("latency_mean", "ms"), "Min Latency": ("latency_min", "ms"),
    "Max Latency": ("latency_max", "ms"), "KB/sec": ("transfer", "KiB/s"),
}  # fmt: skip
_MEMTIER_SHARE = re.compile(r"p(?P<share>[0-9]{1,3}(?:\.[0-9]{1,6})?)(?: Latency)?")
_MEMTIER_FACT = re.compile(r"(?P<number>[0-9]{1,12}) +(?P<what>Threads|Connections per thread)\s*")
_MEMTIER_FACTS = {"Threads": "threads", "Connections per thread": "connections"}
_MEMTIER_TITLE = re.compile(r"(?P<title>ALL STATS|BEST RUN RESULTS|WORST RUN RESULTS|AGGREGATED AVERAGE RESULTS.*)\s*")
_MEMTIER_KINDS = ("Sets", "Gets", "Waits", "Totals")


def _memtier_metric(column: str) -> tuple[str, str] | None:
    match = _MEMTIER_SHARE.fullmatch(column)
    if match and float(match["share"]) <= 100:
        return percentile_name(float(match["share"])), "ms"
    return _MEMTIER_COLUMNS.get(column)


class _Memtier:
    """The reading of one text, line by line."""

    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.load = Load(file.source, "memtier", Ledger(len(file.lines)))
        self.facts: dict[str, Any] = {}
        self.title = ""
        self.columns: list[str] = []
        self.aggregated = any(line.startswith("AGGREGATED AVERAGE") for line in file.lines)

    def read(self) -> Reading:
        """Read every line."""
        self.load.each(enumerate(self.file.lines, 1), self.take, "line skipped")
        return self.load.finish(wanted="memtier writes a table with 'Type' and 'Ops/sec'")

    def take(self, line: str) -> Outcome:
        """Take one line."""
        if fact := _MEMTIER_FACT.fullmatch(line):
            self.facts[_MEMTIER_FACTS[fact["what"]]] = int(fact["number"])
            return "context"
        if title := _MEMTIER_TITLE.fullmatch(line):
            self.title, self.columns = title["title"], []
            return "context"
        if line.startswith("Type ") and "Ops/sec" in line:
            self.columns = re.split(r"\s{2,}", line.strip())
            return "context"
        if line.startswith("Request Latency Distribution"):
            self.columns = []
            return "context"
        cells = line.split()
        if not self.columns or not cells or set(cells[0]) <= {"-", "="}:
            return "context" if set(line) <= {"-", "="} and line else "noise"
        if self.aggregated and not self.title.startswith("AGGREGATED"):
            return "context"
        if len(cells) != len(self.columns):
            raise DataError(f"{len(cells)} fields where the header has {len(self.columns)}")
        if _at_open_end(self.file, self.load.entry):
            raise DataError(open_line(line))
        values: list[_Value] = []
        for column, cell in zip(self.columns[1:], cells[1:], strict=True):
            metric = _memtier_metric(column)
            if metric is not None and cell != "---":
                values.append((metric[0], number_in(cell, column), metric[1]))
        return _keep_memtier(self.load, self.load.entry, cells[0], self.facts, values)


def _keep_memtier(load: Load, line: int, kind: str, facts: Mapping[str, Any], values: list[_Value]) -> Outcome:
    """Keep the values of a kind of request; one that never was sent has a rate of zero and no latency."""
    if not any(value for metric, value, _ in values if metric == "throughput"):
        return "context"
    load.keep(load.start_run({"benchmark": kind, **facts}), line, values)
    return "data"


def _read_memtier_json(file: TextFile, document: Document) -> Reading:
    """Read each kind of request of the totals as a record."""
    root = document.root if isinstance(document.root, dict) else {}
    title = next((title for title in root if _MEMTIER_TITLE.fullmatch(title) and "AGGREGATED" in title), "ALL STATS")
    try:
        table = object_at(root, (title,))
        configuration = object_at(root, "configuration")
    except DataError:
        table, configuration = {}, {}
    kinds = [kind for kind in table if kind in _MEMTIER_KINDS]
    load = Load(file.source, "memtier", Records([document.first_line] * len(kinds)))
    load.ledger.whole(document.problems)

    def read(kind: str) -> Outcome:
        facts = {
            axis: int(number)
            for key, axis in (("threads", "threads"), ("clients", "connections"))
            if (number := number_at(configuration, key)) is not None
        }
        values: list[_Value] = []
        numbers = {**object_at(table, (kind,))}
        percentiles = object_at(table, (kind, "Percentile Latencies"))
        for column, holder in [*((key, numbers) for key in numbers), *((key, percentiles) for key in percentiles)]:
            metric = _memtier_metric(column)
            taken = metric is not None and any(metric[0] == name for name, _, _ in values)
            if metric is not None and not taken:
                values.append((metric[0], number_at(holder, (column,)), metric[1]))
        return _keep_memtier(load, load.line, kind, facts, values)

    load.each(enumerate(kinds), read)
    return load.finish(wanted="memtier writes 'ALL STATS' with a rate for each kind of request")


def _is_memtier_text(head: TextFile) -> bool:
    return any(line.startswith("Type ") and "Ops/sec" in line and "KB/sec" in line for line in head.lines)


def _read_memtier(file: TextFile) -> Reading:
    if _is_memtier_text(file):
        return _Memtier(file).read()
    return _read_documents(file, partial(_read_memtier_json, file))


MEMTIER = Format(
    name="memtier",
    rule="a table with 'Type', 'Ops/sec' and 'KB/sec', or JSON with 'ALL STATS'",
    yields="throughput, transfer, and latency mean, min, max and percentiles of each kind of request; its settings",
    limits="its latency distribution; of several runs their average alone; closed loop",
    recognise=lambda head: certain_if(_is_memtier_text(head) or any(".Ops/sec" in path for path in outline(head))),
    read=_read_memtier,
)

READERS = (YCSB, REDIS, MEMTIER)
