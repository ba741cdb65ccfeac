"""Read the reports of the token SDK's parallel runner (``TestParallelBenchmark*``).

``go test -v`` prints one report for each test and worker count: a table of values, a latency
histogram, remarks and a timeline. A report that was cut short is refused as a whole, because
half a report may lack the count of failed operations.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from benchlib.errors import DataError, printable
from benchlib.formats.collector import Collector
from benchlib.formats.go import GO_BENCH
from benchlib.formats.reader import Certainty, Format, Ledger, Reading, TextFile, _at_open_end, _joined, open_line
from benchlib.units import parse_duration

#: As a caveat calls it.
_TOOL = "the parallel runner"

#: The name of a report that stands under no ``=== RUN`` line.
_UNNAMED = "TestParallelBenchmark"

_RUN = re.compile(r"=== (?:RUN|PAUSE|CONT|NAME)\s+(\S+)")
_VERDICT = re.compile(r"\s*--- (PASS|FAIL|SKIP): (?!Benchmark)(\S+)")
_PACKAGE = re.compile(r"(?:ok|FAIL)\s+(\S+)\s+(?:\(cached\)|[\d.]+s)")
_CONTEXT = re.compile(r"(goos|goarch|cpu): (\S.*)")
_OPEN_LOOP = re.compile(r"\[Running in Open-Loop Mode \(Limit: (\d{1,15})/s\)\]", re.ASCII)
_HEADING = re.compile(r"Metric\s+Value\s+Description\s*")
_THROUGHPUT = re.compile(r"Real Throughput\s+[\d.]+/s", re.ASCII)
_BUCKET = re.compile(r"\s*(\d[^\s-]*)-(\d[^\s-]*)\s+(\d{1,18})\s+█*\s*\([\d.]+%\)", re.ASCII)
_BUCKET_START = re.compile(r"\s*\d[\d.]*(?:ns|us|µs|ms|s|m|h)-", re.ASCII)
_TIMELINE = re.compile(r"Timeline: \[([^]]*)\] \(Max: (\d{1,18}) ops/s\)", re.ASCII)
_REMARK = re.compile(r"\[(?:PASS|INFO|WARN|FAIL|CRITICAL)\] .*")
_GO_BENCH = re.compile(r"Benchmark[A-Z_]\S*(?:\s|$)|\s*--- (?:FAIL|SKIP): Benchmark")
#: The third column of a row, which no value runs into.
_DESCRIBED = re.compile(r"(?:\s{2,}|\t)\S.*(?:\s{2,}|\t)\S")
_BARS = " ▂▃▄▅▆▇█"
_SECTIONS = ("Latency Distribution:", "Stability Metrics:", "Range ", "------ ", "--- Throughput Timeline")
_BEYOND_HEALTH = ("Latency Heatmap", "--- Analysis")

#: Measured beforehand, one operation at a time, so not over the operations of the report.
_SERIAL_PHASE = ("memory", "allocations")


def _is_parallel_runner(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    if not head.mentions("Real Throughput", _UNNAMED):
        return "no"
    if any(_HEADING.fullmatch(line) for line in head.lines) and any(map(_THROUGHPUT.match, head.lines)):
        return "certain"
    started = any((match := _RUN.match(line)) and match[1].startswith(_UNNAMED) for line in head.lines)
    return "possible" if started else "no"


PARALLEL_RUNNER = Format(
    name="parallel-runner",
    rule="a table 'Metric  Value  Description' with a row 'Real Throughput  N/s'",
    contains=frozenset({"go-bench"}),
    yields="throughput, latency percentiles, memory, allocations and collector shares of each report; histograms",
    limits="one sample a report; latency of the operations that succeeded only; closed loop unless a rate was set",
    recognise=_is_parallel_runner,
    read=lambda file: _Log(file).read(),
)


class _Log(Collector):
    """What is collected of one file, line by line."""

    def __init__(self, file: TextFile) -> None:
        super().__init__(file.source, Ledger(len(file.lines)))
        self.file = file
        #: The report being read, and the test that the next one belongs to.
        self.report: _Report | None = None
        self.test = ""
        #: Tests that started, with their line, and those that printed a report or were skipped.
        self.started: dict[str, int] = {}
        self.finished: set[str] = set()
        self.context: dict[str, str] = {}
        self.rate_limit: float | None = None
        #: Configurations whose package the next ``ok`` line names.
        self.unpackaged: list[dict[str, Any]] = []
        self.context_lines: list[int] = []
        self.holds_go_bench = False
        #: Whether a report was kept whose workers waited for each answer: no rate was set.
        self.closed_loop = False

    def read(self) -> Reading:
        """Read every line of the file."""
        for number, line in enumerate(self.file.lines, start=1):
            if line.strip() and not self._frame(number, line):
                self._body(number, line)
        self._finish()
        self._report_silence()
        if len(self.rows) and self.closed_loop:
            self.add_series("closed-loop", _TOOL, self.rows.line[0], (_TOOL,))
        if self.holds_go_bench:
            # Its configuration lines are left to it: a line counts once.
            rest = GO_BENCH.read(self.ledger.unclaimed(self.file))
            both = _joined([self.reading(), rest], total=len(self.file.lines))
            problems = sorted(both.problems, key=lambda problem: problem[0])
            return replace(both, problems=problems, contains=(GO_BENCH.name, *rest.contains))
        for number in self.context_lines:
            self.ledger.context(number)
        return self.reading()

    def _frame(self, number: int, line: str) -> bool:
        """Take a line of ``go test`` itself, or one that begins a report."""
        if match := _RUN.match(line):
            self._finish(test=match[1])
            self.rate_limit = None
            self.started.setdefault(match[1], number)
        elif match := _VERDICT.match(line):
            self._finish(test="")
            self._judge(number, match[1], match[2])
            return True
        elif line.strip() in ("PASS", "FAIL"):
            self._finish(test="")
        elif match := _PACKAGE.match(line):
            self._finish(test="")
            for axes in self.unpackaged:
                axes["pkg"] = match[1]
            self.unpackaged = []
        elif match := _CONTEXT.match(line):
            self.context[match[1]] = match[2].strip()
            self.context_lines.append(number)
            return True
        elif match := _OPEN_LOOP.match(line):
            self._finish()
            self.rate_limit = float(match[1])
        elif _HEADING.fullmatch(line):
            self._begin(number)
        elif _GO_BENCH.match(line):
            self.holds_go_bench = True
            return True
        else:
            return False
        self.ledger.context(number)
        return True

    def _judge(self, number: int, verdict: str, test: str) -> None:
        if verdict == "SKIP":
            self.finished.add(test)
        failed = verdict == "FAIL" and not any(name.startswith(test + "/") for name in self.started)
        if failed:
            self.ledger.problem(
                number,
                f"test '{printable(test)}' failed; find out why before using its report, if it printed one",
            )
            self.finished.add(test)
        else:
            self.ledger.context(number)

    def _begin(self, number: int) -> _Report:
        self._finish()
        if not self.test:
            self.ledger.note(
                number,
                f"a report stands under no '=== RUN' line, so its benchmark is unknown; kept as {_UNNAMED!r};"
                " run it with go test -v",
            )
        self.report = _Report(self.test or _UNNAMED, number, self.rate_limit, last=number)
        self.rate_limit = None
        return self.report

    def _body(self, number: int, line: str) -> None:
        """Take a line of a report; outside a report only its rows are not noise."""
        row = _find_row(line)
        report = self.report
        if row and row.metric == "workers" and not row.fault and (not report or "workers" in report.rows):
            report = self._begin(number)
        if report is None:
            if row and row.metric and not row.fault:
                self.ledger.problem(number, f"{row.label!r} stands outside a report; left out")
            return
        if self._figure(report, number, line):
            report.last = number
        elif row:
            report.last = number
            if not row.fault and row.metric in report.rows:
                self.ledger.problem(number, f"{row.label!r} stands twice in one report; the first was kept")
            elif _at_open_end(self.file, number) and not _DESCRIBED.search(line.strip()):
                self.ledger.problem(number, f"{open_line(line)}; line skipped")
            elif row.fault:
                self.ledger.problem(number, f"{row.fault}; line skipped")
            else:
                report.rows[row.metric] = (row, number)
                self.ledger.data(number)
            # A Memory row without a health section is how reports before the error rate end.
            report.beyond_health |= row.metric == "memory"

    def _figure(self, report: _Report, number: int, line: str) -> bool:
        """Take a heading, histogram bucket, timeline or remark."""
        text = line.strip()
        if text.startswith("System Health"):
            report.has_health = True
        elif text.startswith(_BEYOND_HEALTH):
            report.beyond_health = True
        elif text.startswith("--------------------"):
            report.closed = True
        elif _REMARK.match(text):
            report.remarks.append((number, printable(text, 300)))
        elif text.startswith(_SECTIONS):
            pass
        elif _BUCKET_START.match(line):
            self._bucket(report, number, line)
            return True
        elif text.startswith("Timeline:"):
            self._timeline(report, number, text)
            return True
        else:
            return False
        self.ledger.context(number)
        return True

    def _bucket(self, report: _Report, number: int, line: str) -> None:
        match = _BUCKET.fullmatch(line.rstrip())
        low, high = (_duration(match[1]), _duration(match[2])) if match else (None, None)
        if match is None or low is None or high is None:
            shown = printable(line.strip(), 60)
            self.ledger.problem(number, f"'{shown}' is not a bucket 'LOW-HIGH  COUNT  (SHARE%)'; skipped")
            return
        report.buckets.append((low, high, int(match[3])))
        report.bucket_lines.append(number)
        self.ledger.data(number)

    def _timeline(self, report: _Report, number: int, text: str) -> None:
        match = _TIMELINE.fullmatch(text)
        if not match or not set(match[1]) <= set(_BARS):
            self.ledger.problem(number, "the timeline is not bars between [ and ] (Max: N ops/s); skipped")
            return
        # Eight bars: bar i stands for throughputs from i/7 to below (i + 1)/7 of the largest.
        top, steps = float(match[2]), len(_BARS) - 1
        levels = [_BARS.index(bar) for bar in match[1]]
        report.timeline = tuple((top * level / steps, top * min(1, (level + 1) / steps)) for level in levels)
        report.timeline_line = number
        self.ledger.data(number)

    def _finish(self, test: str | None = None) -> None:
        """Keep or refuse the report being read; name the test that follows."""
        report, self.report = self.report, None
        self.test = self.test if test is None else test
        if report is None:
            return
        self.finished.add(report.name)
        where = f"the report of '{printable(report.name)}' (lines {report.first} to {report.last})"
        try:
            _check(report)
        except DataError as error:
            self.ledger.refuse(report.value_lines)
            self.ledger.problem(
                report.last, f"{where} {error}; its {len(report.rows)} values were not kept; run it again"
            )
            return
        if not report.closed:
            self.ledger.note(report.last, f"{where} ends without its analysis; what stands before the cut was kept")
        self._keep(report)

    def _keep(self, report: _Report) -> None:
        axes: dict[str, Any] = dict(self.context)
        workers, operations = report.value("workers"), report.value("operations")
        if workers is not None:
            axes["workers"] = int(workers)
        if report.rate_limit is not None:
            axes["rate_limit"] = report.rate_limit
        self.closed_loop |= report.rate_limit is None
        self.configure(axes)
        self.unpackaged.append(axes)
        for metric, (row, line) in report.rows.items():
            if metric == "workers":
                self.ledger.context(line)
                continue
            iterations = None if metric in _SERIAL_PHASE else operations
            self.add(report.name, metric, row.value, row.unit, line=line, iterations=iterations, errors=report.errors)
        self._keep_series(report, operations or 0)

    def _keep_series(self, report: _Report, operations: float) -> None:
        counted = sum(count for _, _, count in report.buckets)
        if report.buckets and counted == operations:
            self.add_series("histogram", report.name, report.bucket_lines[0], tuple(report.buckets))
        elif report.buckets:
            self.ledger.refuse(report.bucket_lines)
            self.ledger.problem(
                report.bucket_lines[0],
                f"the histogram holds {counted} of {operations:.0f} operations: a line was lost or"
                " repeated; histogram left out",
            )
        if report.timeline:
            self.add_series("timeline", report.name, report.timeline_line, report.timeline)
        for line, text in report.remarks:
            self.add_series("remark", report.name, line, (text,))

    def _report_silence(self) -> None:
        """A test that started and printed no report is a result that is missing."""
        parents = {test.rsplit("/", 1)[0] for test in self.started if "/" in test}
        for test, line in self.started.items():
            silent = test not in self.finished and test not in parents
            if silent and test.startswith(_UNNAMED):
                self.ledger.problem(line, f"'{printable(test)}' started and printed no report; run it again")


# One report of the token SDK's parallel runner: its rows, and whether they can be believed.
#
# The runner prints a table of label, value and description. Each time row has its own unit, and the
# set of rows grew over the years: early reports have no error rate and no garbage-collection rows.


_NUMBER = r"(\d{1,18}(?:\.\d{1,18})?)"
_COUNT = r"(\d{1,18})"

#: label -> (metric, what its value looks like, unit). A value without a unit here is a duration.
_ROWS: dict[str, tuple[str, str, str]] = {
    "Workers": ("workers", _COUNT, ""),
    "Total Ops": ("operations", _COUNT, "op"),
    "Duration": ("duration", "", "s"),
    "Real Throughput": ("throughput", _NUMBER + "/s", "op/s"),
    "Pure Throughput": ("pure_throughput", _NUMBER + "/s", "op/s"),
    "Min": ("latency_min", "", "s"),
    "Average": ("latency_mean", "", "s"),
    "Avg Latency": ("latency_mean", "", "s"),
    "Max": ("latency_max", "", "s"),
    "Std Dev": ("latency_stdev", "", "s"),
    "IQR": ("latency_iqr", "", "s"),
    "Jitter": ("latency_jitter", "", "s"),
    "CV": ("latency_cv", _NUMBER + "%", "%"),
    "Error Rate": ("error_rate", _NUMBER + "%", "%"),
    "Memory": ("memory", _COUNT + " B/op", "B/op"),
    "Allocs": ("allocations", _COUNT + " allocs/op", "allocs/op"),
    # The runner divides bytes by 1024 twice and prints MB/s.
    "Alloc Rate": ("allocation_rate", _NUMBER + " MB/s", "MiB/s"),
    "GC Overhead": ("gc_overhead", _NUMBER + "%", "%"),
    "GC Pause": ("gc_pause", "", "s"),
    "GC Cycles": ("gc_cycles", _COUNT, ""),
    "Goroutines Created": ("goroutines", r"(-?\d{1,18})", ""),
    "Goroutines": ("goroutines", r"(-?\d{1,18})", ""),
}
_PERCENTILE = re.compile(r"P(\d{2}(?:\.\d{1,6})?)(?: \(Median\))?", re.ASCII)

#: What Go prints for a duration: no bare or fractional minutes, so that a cut ``ms`` is not ``m``.
_GO_DURATION = re.compile(
    r"(?:(?:\d{1,9}h)?\d{1,9}m)?\d{1,18}(?:\.\d{1,18})?s|\d{1,18}(?:\.\d{1,18})?(?:ms|µs|μs|us)|\d{1,18}ns",
    re.ASCII,
)
_ERRORS = re.compile(r"\((\d{1,18}) errors\)", re.ASCII)
_UNKNOWN = re.compile(r"[A-Z][A-Za-z0-9 .()%/-]{0,40}", re.ASCII)
_NAMED_WORKERS = re.compile(r"with_(\d{1,9})_workers$", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Row:
    """One value of a report; ``fault`` says why it has none."""

    label: str
    metric: str
    value: float
    unit: str
    errors: int | None
    fault: str


@dataclass(slots=True)
class _Report:
    """What has been read of one report so far."""

    name: str
    first: int
    rate_limit: float | None
    rows: dict[str, tuple[_Row, int]] = field(default_factory=dict)
    buckets: list[tuple[float, float, int]] = field(default_factory=list)
    bucket_lines: list[int] = field(default_factory=list)
    timeline: tuple[tuple[float, float], ...] = ()
    timeline_line: int = 0
    remarks: list[tuple[int, str]] = field(default_factory=list)
    has_health: bool = False
    beyond_health: bool = False
    closed: bool = False
    last: int = 0

    def value(self, metric: str) -> float | None:
        """Return the value of a row, None where the report has no such row."""
        row = self.rows.get(metric)
        return row[0].value if row else None

    @property
    def errors(self) -> int | None:
        """Failed operations, None where the report does not say."""
        row = self.rows.get("error_rate")
        return row[0].errors if row else None

    @property
    def value_lines(self) -> list[int]:
        """The lines whose values the report holds."""
        held = [line for _, line in self.rows.values()] + self.bucket_lines
        return [*held, self.timeline_line] if self.timeline_line else held


def _duration(text: str) -> float | None:
    """Return the seconds of a duration as Go prints it, None for anything else."""
    return parse_duration(text) if _GO_DURATION.fullmatch(text) else None


def _find_row(line: str) -> _Row | None:
    """Read a line of a report's table; None for a line that is no row of it."""
    # A description such as "(100% Success) (0 errors)" may itself hold wide gaps.
    cells = re.split(r"\s{2,}|\t", line.strip(), maxsplit=2)
    label, text = cells[0], cells[1] if len(cells) > 1 else ""
    percentile = _PERCENTILE.fullmatch(label)
    if percentile:
        known = (f"latency_p{percentile[1]}", "", "s")
    elif label in _ROWS:
        known = _ROWS[label]
    elif _UNKNOWN.fullmatch(label) and re.match(r"-?\d", text):
        return _Row(label, "", 0.0, "", None, f"row '{printable(label)}' is not known; its value was left out")
    else:
        return None
    metric, pattern, unit = known
    match = re.fullmatch(pattern, text, re.ASCII) if pattern else None
    value = float(match[1]) if match else None if pattern else _duration(text)
    if value is None:
        return _Row(label, metric, 0.0, unit, None, f"'{printable(text)}' is not a value of {label!r}")
    errors = _ERRORS.search(cells[2]) if metric == "error_rate" and len(cells) > 2 else None
    if metric == "error_rate" and errors is None:
        fault = f"{label!r} does not say how many operations failed; expected '(N errors)'"
        return _Row(label, metric, value, unit, None, fault)
    return _Row(label, metric, value, unit, int(errors[1]) if errors else None, "")


def _check(report: _Report) -> None:
    """Raise DataError, with what a report "has" or "counts", where its values cannot be kept.

    Half a report is not half a result: without its error rate nobody knows how many of its
    operations failed. The rows of a whole one agree with each other; where they do not, a line
    was lost or cut.
    """
    operations, throughput = report.value("operations"), report.value("throughput")
    elapsed, workers = report.value("duration"), report.value("workers")
    named = _NAMED_WORKERS.search(report.name)
    if operations is None or throughput is None:
        raise DataError(f"has no {'Total Ops' if operations is None else 'Real Throughput'}")
    if report.errors is None and (report.has_health or not report.beyond_health):
        raise DataError("has no readable Error Rate, so its failures are unknown")
    if operations == 0:
        raise DataError("completed no operation")
    if workers is not None and named and int(named[1]) != workers:
        raise DataError(f"counts {workers:.0f} workers under a name with {int(named[1])}")
    # Duration is rounded to 1 ms, throughput to two decimals.
    if elapsed and abs(operations / elapsed - throughput) > 0.01 * throughput + 0.01:
        raise DataError(f"has {operations:.0f} operations in {elapsed:g} s but a throughput of {throughput:g}/s")
    rate, errors = report.value("error_rate"), report.errors
    if rate is not None and errors is not None and abs(100 * errors / operations - rate) > 1e-3:
        raise DataError(f"has an error rate of {rate:g} % but {errors} errors in {operations:.0f} operations")


READERS = (PARALLEL_RUNNER,)
