"""One report of the token SDK's parallel runner: its rows, and whether they can be believed.

The runner prints a table of label, value and description. Each time row has its own unit, and the
set of rows grew over the years: early reports have no error rate and no garbage-collection rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from benchlib.errors import DataError, printable
from benchlib.units import parse_duration

__all__ = ["Report", "Row", "duration", "find_row", "objection"]

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
class Row:
    """One value of a report; ``fault`` says why it has none."""

    label: str
    metric: str
    value: float
    unit: str
    errors: int | None
    fault: str


@dataclass(slots=True)
class Report:
    """What has been read of one report so far."""

    name: str
    first: int
    rate_limit: float | None
    rows: dict[str, tuple[Row, int]] = field(default_factory=dict)
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
        found = self.rows.get(metric)
        return found[0].value if found else None

    @property
    def errors(self) -> int | None:
        """Failed operations, None where the report does not say."""
        found = self.rows.get("error_rate")
        return found[0].errors if found else None

    @property
    def value_lines(self) -> list[int]:
        """The lines whose values the report holds."""
        held = [line for _, line in self.rows.values()] + self.bucket_lines
        return [*held, self.timeline_line] if self.timeline_line else held


def duration(text: str) -> float:
    """Return the seconds of a duration as Go prints it.

    Raises
    ------
    DataError
        For anything else, such as a duration whose unit was cut short.

    Examples
    --------
    >>> duration("1m0.05s"), duration("14.5ms")
    (60.05, 0.0145)
    """
    if not _GO_DURATION.fullmatch(text):
        raise DataError(f"'{printable(text)}' is not a Go duration such as 14.4ms or 1m0.05s")
    return parse_duration(text)


def find_row(line: str) -> Row | None:
    """Read a line of a report's table; None for a line that is no row of it.

    Examples
    --------
    >>> row = find_row(" P99.9         22.83423ms   ")
    >>> row.metric, row.value, row.unit
    ('latency_p99.9', 0.02283423, 's')
    >>> find_row("Real Throughput  61.3").fault
    "'61.3' is not a value of 'Real Throughput'"
    >>> find_row("starting up") is None
    True
    """
    # A description such as "(100% Success) (0 errors)" may itself hold wide gaps.
    cells = re.split(r"\s{2,}|\t", line.strip(), maxsplit=2)
    label, text = cells[0], cells[1] if len(cells) > 1 else ""
    percentile = _PERCENTILE.fullmatch(label)
    if percentile:
        known = (f"latency_p{percentile[1]}", "", "s")
    elif label in _ROWS:
        known = _ROWS[label]
    elif _UNKNOWN.fullmatch(label) and re.match(r"-?\d", text):
        return Row(label, "", 0.0, "", None, f"row '{printable(label)}' is not known; its value was left out")
    else:
        return None
    metric, pattern, unit = known
    try:
        value = _value(text, pattern)
    except DataError:
        return Row(label, metric, 0.0, unit, None, f"'{printable(text)}' is not a value of {label!r}")
    errors = _ERRORS.search(cells[2]) if metric == "error_rate" and len(cells) > 2 else None
    if metric == "error_rate" and errors is None:
        fault = f"{label!r} does not say how many operations failed; expected '(N errors)'"
        return Row(label, metric, value, unit, None, fault)
    return Row(label, metric, value, unit, int(errors[1]) if errors else None, "")


def _value(text: str, pattern: str) -> float:
    if not pattern:
        return duration(text)
    found = re.fullmatch(pattern, text, re.ASCII)
    if not found:
        raise DataError(f"'{printable(text)}' is not a value")
    return float(found[1])


def objection(report: Report) -> str:
    """Say why the values of a report cannot be kept; empty where they can.

    Half a report is not half a result: without its error rate nobody knows how many of its
    operations failed. The rows of a whole one agree with each other; where they do not, a line
    was lost or cut.
    """
    operations, throughput = report.value("operations"), report.value("throughput")
    elapsed, workers = report.value("duration"), report.value("workers")
    named = _NAMED_WORKERS.search(report.name)
    if operations is None or throughput is None:
        return f"has no {'Total Ops' if operations is None else 'Real Throughput'}"
    if report.errors is None and (report.has_health or not report.beyond_health):
        return "has no readable Error Rate, so its failures are unknown"
    if operations == 0:
        return "completed no operation"
    if workers is not None and named and int(named[1]) != workers:
        return f"counts {workers:.0f} workers under a name with {int(named[1])}"
    # Duration is rounded to 1 ms, throughput to two decimals.
    if elapsed and abs(operations / elapsed - throughput) > 0.01 * throughput + 0.01:
        return f"has {operations:.0f} operations in {elapsed:g} s but a throughput of {throughput:g}/s"
    return _failure_objection(report, operations)


def _failure_objection(report: Report, operations: float) -> str:
    rate, errors = report.value("error_rate"), report.errors
    if rate is None or errors is None:
        return ""
    if abs(100 * errors / operations - rate) > 1e-3:
        return f"has an error rate of {rate:g} % but {errors} errors in {operations:.0f} operations"
    return ""
