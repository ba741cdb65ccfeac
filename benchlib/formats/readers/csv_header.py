"""What the columns of a table are: metrics with their units, axes, or reserved words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from benchlib import metrics, units
from benchlib.formats.outcomes import Telling, telling
from benchlib.formats.readers.csv_numbers import commas_are_decimal, has_comma, is_number, is_parted, plain

__all__ = ["Column", "Role", "classify", "is_tidy", "mostly_numbers"]

Role = Literal["metric", "axis", "name", "benchmark", "run", "iterations", "errors", "value", "unit", "skip"]

_RESERVED: dict[str, Role] = {
    "name": "name", "benchmark": "benchmark", "bench": "benchmark", "run": "run",
    "iterations": "iterations", "errors": "errors",
}  # fmt: skip
#: benchlib's own columns, written by ``benchlib convert``: derived again, never axes.
_DERIVED = frozenset({"original_unit", "position", "source", "line"})

#: The end of a header -> the unit it means.
_UNITS = {
    "ns": "ns", "us": "us", "µs": "µs", "μs": "μs", "ms": "ms", "s": "s", "sec": "s", "secs": "s",
    "seconds": "s", "bytes": "B", "kb": "KB", "mb": "MB", "gb": "GB", "kib": "KiB", "mib": "MiB",
    "gib": "GiB", "pct": "%", "percent": "%", "rps": "rps", "qps": "qps", "tps": "tps",
}  # fmt: skip
#: Ends of two words: ``allocs_op``, ``bytes_per_op``, ``req_s``.
_RATES = re.compile(
    r"(?:(?P<metric>.*?)[_ ])?(?P<top>ns|us|µs|μs|ms|s|b|kb|mb|bytes|allocs|req|requests|reqs|ops|op|queries)"
    r"(?:_per_|/|_| per )(?P<bottom>op|s|sec|second|req|request)",
    re.IGNORECASE,
)
#: A longer header names no metric: matching one takes the square of its spaces.
_LONGEST = 200
_BRACKETS = re.compile(r"(?P<metric>[^()\[\]]*?)\s*[(\[](?P<unit>[^()\[\]]+)[)\]]")
_LAST_WORD = re.compile(r"(.*)[ _.-]([^ _.-]+)")
_PERCENTILE = re.compile(r"(?:latency[_ ]?)?p(\d{1,2}(?:\.\d+|9+)?)(?:[_ ]?latency)?")

#: Words for a time that a tool measured, and the names benchlib gives them.
_LATENCIES = {
    "latency": "latency", "response_time": "latency", "mean_latency": "latency_mean",
    "avg_latency": "latency_mean", "latency_avg": "latency_mean", "latency_mean": "latency_mean",
    "average_latency": "latency_mean", "median_latency": "latency_p50", "latency_median": "latency_p50",
    "max_latency": "latency_max", "latency_max": "latency_max", "min_latency": "latency_min",
    "latency_min": "latency_min", "latency_stdev": "latency_stdev", "stdev_latency": "latency_stdev",
    "latency_std": "latency_stdev",
}  # fmt: skip
_STATISTICS = {
    "mean": "latency_mean", "avg": "latency_mean", "average": "latency_mean", "median": "latency_p50",
    "max": "latency_max", "min": "latency_min", "stdev": "latency_stdev", "stddev": "latency_stdev",
    "std": "latency_stdev",
}  # fmt: skip
_WORDS = {
    "time": "time", "runtime": "time", "elapsed": "time", "duration": "duration", "memory": "memory",
    "allocs": "allocations", "allocations": "allocations", "transfer": "transfer", "rate": "rate",
    "throughput": "throughput", "bandwidth": "transfer", "goodput": "throughput",
    **_LATENCIES,
}  # fmt: skip
_RATE_WORDS = {
    "rps": "req/s", "qps": "req/s", "tps": "op/s", "ops": "op/s", "ops_per_sec": "op/s",
    "requests_per_sec": "req/s", "requests_per_second": "req/s", "ops_per_second": "op/s",
    "operations_per_second": "op/s", "req_per_sec": "req/s", "requests/sec": "req/s", "req/s": "req/s",
    "transactions_per_second": "op/s", "queries_per_second": "req/s",
}  # fmt: skip
#: A header of these words is a setting even where it has a unit: ``payload_bytes``.
_SETTINGS = re.compile(
    r"(?:.*_)?(?:size|payload|block|buffer|chunk|message|value|key|window|interval|timeout|delay|bits|"
    r"gomaxprocs|workers?|threads?|connections?|concurrency|clients?|users?|cores?|cpus?|procs?|nodes?|load|"
    r"inputs?|outputs?|batch|depth|n|level|seed|timestamp|repeat|round|iteration)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Column:
    """One column: what it is, the metric or axis it stands for, its unit, and how it tells of failures."""

    written: str
    role: Role
    name: str
    unit: str
    failure: Telling = ""


def is_tidy(header: Sequence[str]) -> bool:
    """Whether a header is that of a tidy table: a value column, and a unit or metric column.

    Examples
    --------
    >>> is_tidy(["endpoint", "metric", "value", "unit"]), is_tidy(["key", "value"])
    (True, False)
    """
    words = {one.strip().lower() for one in header}
    return "value" in words and ("metric" in words or "unit" in words)


def classify(header: Sequence[str], body: Sequence[Sequence[str]]) -> list[Column]:
    """Say what each column of a table is.

    A header with a unit or a metric's word is a metric, text and small sets of whole numbers are
    axes. A column of other numbers is a metric of its own name.

    Examples
    --------
    >>> for one in classify(["load", "throughput", "p50_µs"], [["1", "5.5", "3"], ["2", "9.1", "4"]]):
    ...     print(one.role, one.name, one.unit)
    axis load
    metric throughput
    metric latency_p50 µs
    """
    names = [one.strip() for one in header]
    cells = [[row[i].strip() for row in body if i < len(row) and row[i].strip()] for i in range(len(names))]
    if is_tidy(names):
        return [_tidy_column(one, cells[i]) for i, one in enumerate(names)]
    per_operation = any(_RATES.fullmatch(one) and one.lower().endswith("op") for one in names)
    found = [_column(one, cells[i], per_operation) for i, one in enumerate(names)]
    measured = [one for i, column in enumerate(found) if column.role == "metric" for one in cells[i]]
    # Not where lists may be meant: what is no metric after all would take a level of every row with it.
    commas = any(map(has_comma, measured)) or any(commas_are_decimal(one, lists=True) for one in cells)
    if not commas and not any(map(is_parted, measured)):
        return found
    # Where one column is of numbers with such signs, so are those whose header says nothing of numbers.
    points = [[plain(one) if commas or not has_comma(one) else one for one in column] for column in cells]
    return [
        one if one.role == "metric" else _column(one.written, points[i], per_operation) for i, one in enumerate(found)
    ]


def _tidy_column(written: str, cells: Sequence[str]) -> Column:
    word = written.lower()
    if word in ("metric", "value", "unit"):
        return Column(written, "metric" if word == "metric" else "value" if word == "value" else "unit", "", "")
    return _reserved(written, cells) or Column(written, "axis", written, "")


def _reserved(written: str, cells: Sequence[str]) -> Column | None:
    word = written.lower()
    if word in _DERIVED or not word:
        return Column(written, "skip", "", "")
    if word in _RESERVED:
        return Column(written, _RESERVED[word], "", "")
    failure, alone = telling(written, cells)
    # What says more than that is an axis too, and never a metric: a mean of status codes is none.
    return Column(written, "skip" if alone else "axis", "" if alone else written, "", failure) if failure else None


def _column(written: str, cells: Sequence[str], per_operation: bool) -> Column:
    reserved = _reserved(written, cells)
    if reserved:
        return reserved
    found = _metric(written, per_operation)
    # A number with a comma cannot be read, and is told as that and not taken for a level.
    if found and any(is_number(one) or has_comma(one) or is_parted(one) for one in cells):
        return Column(written, "metric", *found)
    if mostly_numbers(cells) and not _SETTINGS.fullmatch(written) and not _few_whole(cells):
        return Column(written, "metric", written, "")
    return Column(written, "axis", written, "")


def _metric(written: str, per_operation: bool) -> tuple[str, str] | None:
    """Return metric and unit that a header names, or None."""
    if len(written) > _LONGEST:
        return None
    bracketed = _BRACKETS.fullmatch(written)
    if bracketed:
        return _named(bracketed["metric"], bracketed["unit"].strip(), per_operation)
    word = written.lower().replace("-", "_").replace(" ", "_")
    if word in _RATE_WORDS:
        return "throughput", _RATE_WORDS[word]
    rate = _RATES.fullmatch(written)
    if rate:
        top = {"b": "B", "kb": "KB", "mb": "MB"}.get(rate["top"].lower(), rate["top"].lower())
        unit = f"{top}/{rate['bottom'].lower()}"
        return (rate["metric"] and _word(rate["metric"])) or metrics.metric(unit)[0].name, unit
    split = _LAST_WORD.fullmatch(written)
    head, tail = (split[1], split[2]) if split else ("", "")
    # µ has no upper case worth folding; KB and MB are told apart from kb only by habit.
    unit = _UNITS.get(tail) or _UNITS.get(tail.lower(), "")
    if head and unit:
        return _named(head, unit, per_operation)
    if word in _WORDS or _PERCENTILE.fullmatch(word):
        return _word(word), ""
    return None


def _named(written: str, unit: str, per_operation: bool) -> tuple[str, str] | None:
    if _SETTINGS.fullmatch(written.replace(" ", "_")):
        return None
    base = units.parse_unit(unit).base
    word = written.lower().replace("-", "_").replace(" ", "_")
    if base == "sec" and word in _STATISTICS:
        # Beside bytes and allocations per operation, the mean time is Go's ns/op.
        return ("time", f"{unit}/op") if per_operation and word == "mean" else (_STATISTICS[word], unit)
    return _word(word) or metrics.metric(unit)[0].name, unit


def _word(text: str) -> str:
    word = text.strip().lower().replace("-", "_").replace(" ", "_")
    percentile = _PERCENTILE.fullmatch(word)
    return f"latency_p{percentile[1]}" if percentile else _WORDS.get(word, word)


def mostly_numbers(cells: Sequence[str]) -> bool:
    """Whether a column is of numbers; a stray word among them is a problem and makes no axis of it.

    Examples
    --------
    >>> mostly_numbers(["1", "2", "failed"]), mostly_numbers(["a", "2"])
    (True, False)
    """
    return bool(cells) and sum(map(is_number, cells)) * 2 > len(cells)


def _few_whole(cells: Sequence[str]) -> bool:
    """Whether a column is of whole numbers that come again, or that are few: levels of an axis."""
    whole = all(one.lstrip("+-").isdigit() for one in cells)
    return whole and (len(set(cells)) <= 12 or len(set(cells)) * 2 <= len(cells))
