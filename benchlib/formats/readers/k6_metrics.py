"""What k6 calls things: which metric of a run becomes which of the table, and how failures are counted.

A trend comes as statistics, a counter as count and rate, a rate as counts of the two outcomes. k6 names
the outcomes of ``http_req_failed`` the wrong way round for a reader: its ``passes`` are failed requests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from benchlib.formats.readers.load_run import Load, percentile_name

__all__ = ["BUILT_IN", "LATENCIES", "K6Run", "is_open", "keep", "objection", "statistic"]

#: What k6 measures by itself; any other metric is the script's own.
BUILT_IN = re.compile(
    r"(?:http_req|http_reqs|iteration|vus|data_|checks|group_duration|dropped_iterations|ws_|grpc_|browser_)\w*"
)
#: The trends that are the latency of a run, the first one it has.
LATENCIES = ("http_req_duration", "grpc_req_duration")
_SHARE = re.compile(r"p\(?(\d{1,3}(?:\.\d{1,6})?)\)?", re.ASCII)
_STATISTICS = {"avg": "mean", "min": "min", "med": "p50", "max": "max"}


@dataclass(slots=True)
class K6Run:
    """One run: for each metric of k6 its statistics as (value, unit), and its line."""

    first: int
    last: int
    found: dict[str, dict[str, tuple[float, str]]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    axes: dict[str, object] = field(default_factory=dict)
    damaged: bool = False

    def value(self, metric: str, statistic: str) -> float | None:
        """Return one statistic of one metric, None where it is not there."""
        found = self.found.get(metric, {}).get(statistic)
        return found[0] if found else None


def statistic(written: str) -> str:
    """Return the end of a metric's name for a statistic of k6, empty for none that is kept.

    Examples
    --------
    >>> statistic("avg"), statistic("p(99.9)"), statistic("count")
    ('mean', 'p99.9', '')
    """
    share = _SHARE.fullmatch(written)
    if share and 0 < float(share[1]) < 100:
        return percentile_name(float(share[1])).removeprefix("latency_")
    return _STATISTICS.get(written, "")


def is_open(run: K6Run) -> bool:
    """Whether an arrival rate drove the run: only then can an iteration be dropped."""
    return "dropped_iterations" in run.found


def objection(run: K6Run) -> str:
    """Say why the values of a run cannot be kept; empty where they can."""
    if run.damaged:
        return "has a cut line of counts, so its failures are unknown"
    if "iterations" not in run.found and "http_reqs" not in run.found:
        return "is cut off: it has neither iterations nor http_reqs"
    if "http_reqs" in run.found and run.value("http_req_failed", "bad") is None:
        return "is cut off: it has no http_req_failed, so its failures are unknown"
    return ""


def keep(run: K6Run, load: Load) -> set[str]:
    """Keep the values of a run; return the metrics of k6 that gave any."""
    requests = run.value("http_reqs", "count")
    # A request that fails mostly fails its check too: the larger of the two, not their sum.
    errors = max(run.value("http_req_failed", "bad") or 0, run.value("checks", "bad") or 0)
    axes = dict(run.axes)
    workers = run.value("vus_max", "max") or run.value("vus_max", "value")
    if workers:
        axes["workers"] = int(workers)
    configuration = load.configuration(axes)
    latency = next((one for one in LATENCIES if one in run.found), "")
    kept: set[str] = set()

    def add(metric: str, name: str, statistic_: str, unit: str = "") -> None:
        found = run.found[metric].get(statistic_)
        if found:
            kept.add(metric)
            values = [(name, found[0], unit or found[1])]
            load.add(configuration, run.lines[metric], values, iterations=requests, errors=errors)

    for metric, statistics in run.found.items():
        own = not BUILT_IN.fullmatch(metric) and "{" not in metric
        if metric == "http_reqs":
            add(metric, "requests", "count", "req")
            add(metric, "throughput", "rate", "req/s")
        elif metric == "data_received":
            add(metric, "transfer", "rate")
        elif metric == latency or metric == "iteration_duration" or own:
            prefix = "latency" if metric == latency else metric
            for one in statistics:
                if end := statistic(one):
                    add(metric, f"{prefix}_{end}", one)
            if own and "count" in statistics and "mean" not in {statistic(one) for one in statistics}:
                add(metric, f"{metric}_count", "count")
                unit = statistics.get("rate", (0.0, ""))[1]
                add(metric, f"{metric}_rate", "rate", unit if unit.endswith("/s") else f"{unit}/s")
            elif own and "mean" not in {statistic(one) for one in statistics}:
                add(metric, metric, "rate" if "rate" in statistics else "value")
    return kept
