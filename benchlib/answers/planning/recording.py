"""The measurement that would tell a percentile: at which levels, how often, and with what that records it."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence

from benchlib.answers.planning.question import PlanQuestion
from benchlib.answers.scaling.question import measuring_template
from benchlib.scaling.curve import levels_text

__all__ = ["REPETITIONS", "recording_advice"]

#: Measurements that are asked for where one would settle a question.
REPETITIONS = 6
#: The percentiles that load generators print, by what they are told to.
_PRINTED = {
    "wrk": ("wrk --latency", (50.0, 75.0, 90.0, 99.0)),
    "wrk2": ("wrk2 --latency", (50.0, 75.0, 90.0, 99.0, 99.9, 99.99, 99.999)),
    "oha": ("oha", (10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99)),
    "hey": ("hey", (10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0)),
}


def recording_advice(metric: str, levels: Sequence[float], question: PlanQuestion) -> str:
    """Say how a percentile is recorded at the levels that count, with the tool of the study where that can."""
    where = f"record it at {question.axis} {levels_text(levels)}, {REPETITIONS} times each"
    return f"{where}, {_means(metric, measuring_template(question.study.commands, question.axis))}"


def _means(metric: str, template: str) -> str:
    """Say what records a percentile beside a command, or in its place.

    Examples
    --------
    >>> _means("latency_p99", "wrk -t2 -c8 http://localhost/")
    'with wrk --latency'
    >>> _means("latency_p95", "wrk -t2 -c8 http://localhost/")
    'with oha or hey: wrk --latency does not print it'
    >>> _means("latency_p99", "go test -bench=. -cpu=1,2")
    'by b.ReportMetric(nanoseconds, "p99-ns"): go test by itself records no percentile'
    """
    words = _words(template)
    share = metric.removeprefix("latency_p")
    if words[:2] == ["go", "test"]:
        return f'by b.ReportMetric(nanoseconds, "p{share}-ns"): go test by itself records no percentile'
    own = _PRINTED.get(words[0].rpartition("/")[2]) if words else None
    if own is not None and _number(share) in own[1]:
        return f"with {own[0]}"
    others = [name for name, shares in _PRINTED.values() if _number(share) in shares and "wrk" not in name]
    found = " or ".join(others) or "a tool that keeps a histogram of all latencies"
    return f"with {found}{f': {own[0]} does not print it' if own is not None else ''}"


def _words(template: str) -> list[str]:
    try:
        return shlex.split(template)
    except ValueError:  # a quote that does not end
        return []


def _number(share: str) -> float:
    return float(share) if share.replace(".", "", 1).isdigit() else math.nan
