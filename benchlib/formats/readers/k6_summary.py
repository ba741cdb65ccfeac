"""Read the three JSON summaries of k6.

``--summary-export`` writes each metric flat, ``handleSummary`` with its type and ``values``, and
``--new-machine-readable-summary`` as a list below ``results``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from benchlib.errors import DataError, printable
from benchlib.formats import json_paths
from benchlib.formats.documents import read_documents
from benchlib.formats.json_text import Document
from benchlib.formats.json_values import items, mapping, number, text
from benchlib.formats.ledger import Records
from benchlib.formats.readers.k6_metrics import K6Run, is_open, keep, objection
from benchlib.formats.readers.load_run import Load, member_lines
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["K6Summary"]

_UNITS = {"time": "ms", "data": "B", "default": ""}
_TIMES = ("http_req_", "iteration_duration", "group_duration", "grpc_req_duration", "ws_")


class K6Summary:
    """The reader of k6's JSON summaries."""

    name = "k6"
    rule = "JSON with metrics and root_group, or results.metrics and metadata.k6_version"
    files = "*.json"
    yields = "throughput, requests, transfer, latency mean, min, max and percentiles, iteration duration, own metrics"
    limits = (
        "percentiles of one run, failed requests among them; the machine-readable one states no rates; no URL; "
        "own rates as shares alone; closed loop unless iterations were dropped"
    )
    contains: frozenset[str] = frozenset()

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        paths = json_paths.outline(head, depth=3)
        old = "metrics" in paths and "root_group" in paths
        flat = {"metrics.http_reqs", "metrics.iterations"} & paths and {"metrics.vus", "metrics.data_sent"} & paths
        new = "results.metrics" in paths and (
            {"metadata.k6_version", "metadata.k6Version"} & paths or "config" in paths
        )
        return "certain" if old or flat or new else "no"

    def read(self, file: TextFile) -> Reading:
        """Read the metrics of a run, each as one record."""
        return read_documents(file, partial(_read, file))


def _read(file: TextFile, document: Document) -> Reading:
    root = document.root
    load = Load(file.source, "k6")
    run = K6Run(1, 1)
    try:
        listed = list(_listed(root))
        metrics = listed or [(name, name, one) for name, one in mapping(root, "metrics").items()]
    except DataError as error:
        records = Records([1])
        records.problem(0, f"{error}; nothing of the run was kept; write the file again")
        return load.reading(records.counts(), records.problems, closed_loop=False)
    lines = {} if listed else member_lines(document, [name for name, _, _ in metrics], "metrics.")
    starts = document.lines("results.metrics[]") if listed else []
    places = [lines.get(name, starts[i] if i < len(starts) else 1) for i, (name, _, _) in enumerate(metrics)]
    records = Records(places or [1])
    records.whole(document.problems)
    for index, (name, metric, one) in enumerate(metrics):
        try:
            run.found[metric] = _statistics(metric, one)
            run.lines[metric] = places[index]
            records.context(index)
        except DataError as error:
            run.damaged |= name in ("http_req_failed", "checks", "checks_failed", "http_reqs", "iterations")
            records.problem(index, f"{printable(name, 60)}: {error}; metric skipped")
    try:
        version = text(root, "metadata.k6_version") or text(root, "metadata.k6Version")
    except DataError:
        version = None
    run.axes = {"version": version} if version else {}
    reason = objection(run)
    if reason:
        records.problem(0, f"the run {reason}; its values were not kept; run it again")
    else:
        kept = keep(run, load)
        for index, (_, metric, _) in enumerate(metrics):
            if metric in kept:
                records.data(index)
    return load.reading(records.counts(), records.problems, closed_loop=not is_open(run))


def _listed(root: object) -> Iterator[tuple[str, str, object]]:
    """Yield the metrics of the newer summary, with those of the checks."""
    for one in items(root, "results.metrics"):
        name = text(one, "name") or ""
        yield name, name, one
    for one in items(root, "results.checks.metrics"):
        name = text(one, "name") or ""
        yield name, "checks" if name == "checks_failed" else name, one


def _statistics(metric: str, one: object) -> dict[str, tuple[float, str]]:
    """Return the numbers of a metric of any of the three shapes."""
    values = mapping(one, "values") or mapping(one, ())
    kind = text(one, "type") if "values" in mapping(one, ()) else None
    contains = text(one, "contains") if kind else None
    time = contains == "time" or (contains is None and metric.startswith(_TIMES))
    unit = "ms" if time else "B" if contains == "data" or metric.startswith("data_") else _UNITS.get(contains or "", "")
    found: dict[str, tuple[float, str]] = {}
    for key in values:
        if key in ("thresholds", "type", "contains", "name"):
            continue
        value = number(values, (key,))
        if value is not None:
            found[key] = (value, f"{unit}/s" if key == "rate" and unit == "B" else unit)
    bad = _bad(metric, found)
    if bad is not None:
        found["bad"] = (bad, "")
        if "rate" not in found and "value" in found:
            found["rate"] = found["value"]
    return found


def _bad(metric: str, found: Mapping[str, tuple[float, str]]) -> float | None:
    """Return how often a rate came out badly, None for what is no rate."""
    name = metric.partition("{")[0]
    if "matches" in found:
        # The newer summary counts checks_failed, whose matches are the failures.
        return found["matches"][0]
    if "passes" in found and "fails" in found:
        return found["passes" if name == "http_req_failed" else "fails"][0]
    if name == "http_req_failed" and "rate" in found:
        raise DataError("neither passes nor matches is given")
    return None
