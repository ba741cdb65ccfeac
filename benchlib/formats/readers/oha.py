"""Read what oha writes: its summary as text or as JSON.

Both leave out URL and concurrency. The requests that oha stopped at the end of its time stand among
its errors and in its rate; they did not fail and are in no percentile.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchlib.errors import DataError, printable
from benchlib.formats import json_paths
from benchlib.formats.documents import read_documents
from benchlib.formats.json_text import Document
from benchlib.formats.json_values import mapping, number
from benchlib.formats.ledger import Records
from benchlib.formats.readers.load_run import (
    Load,
    failed_answers,
    is_document,
    is_timeout,
    member_lines,
    percentile_name,
)
from benchlib.formats.readers.summary_text import heading, read_summaries
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["Oha"]

_STOPPED = "aborted due to deadline"


class Oha:
    """The reader of oha's summary, text and JSON."""

    name = "oha"
    rule = "a line 'Success rate:' below 'Summary:', or JSON with summary.successRate"
    files = "*.txt, *.json"
    yields = "throughput, transfer, latency mean, min, max and percentiles; a histogram"
    limits = (
        "percentiles of one run, without the requests that got no answer; neither URL nor concurrency stand in it; "
        "closed loop unless -q was given, which is not recorded either"
    )
    contains: frozenset[str] = frozenset()

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        if heading(head) == "oha" or "summary.successRate" in json_paths.outline(head):
            return "certain"
        return "no"

    def read(self, file: TextFile) -> Reading:
        """Read every summary of a text, or the one of a document."""
        if not is_document(file):
            return read_summaries(file, "oha")
        return read_documents(file, partial(_read, file))


def _read(file: TextFile, document: Document) -> Reading:
    """Read a document: its records are the members of its root."""
    root = document.root if isinstance(document.root, dict) else {}
    keys = list(root)
    lines = member_lines(document, keys)
    records = Records([lines[key] for key in keys] or [1])
    records.whole(document.problems)
    load = Load(file.source, "oha")

    def enter(key: str, *, data: bool = False) -> None:
        if key in lines:
            (records.data if data else records.context)(keys.index(key))

    for key in keys:
        enter(key)
    try:
        _take(root, lines, load)
        enter("summary", data=True)
        if any(one is not None for one in mapping(root, "latencyPercentiles").values()):
            enter("latencyPercentiles", data=True)
    except DataError as error:
        load = Load(file.source, "oha")
        at = keys.index("summary") if "summary" in lines else 0
        records.problem(at, f"{error}; nothing of the run was kept; write the file again")
    return load.reading(records.counts(), records.problems, closed_loop=True)


def _take(root: Mapping[str, object], lines: Mapping[str, int], load: Load) -> None:
    statuses = {
        status: number(root, ("statusCodeDistribution", status)) or 0
        for status in _keys(root, "statusCodeDistribution")
    }
    failures = {error: number(root, ("errorDistribution", error)) or 0 for error in _keys(root, "errorDistribution")}
    if "statusCodeDistribution" not in root:
        raise DataError("there is no statusCodeDistribution, so the failures are unknown")
    lost = {error: count for error, count in failures.items() if error != _STOPPED}
    answered = sum(statuses.values())
    requests = answered + sum(lost.values())
    errors = failed_answers(statuses) + sum(lost.values())
    rate = number(root, "summary.requestsPerSec")
    if rate is None or not requests:
        raise DataError("summary.requestsPerSec is missing" if rate is None else "no request was answered")
    configuration = load.configuration({})
    summary = lines["summary"]
    values: list[tuple[str, float | None, str]] = [
        ("throughput", rate, "req/s"),
        ("transfer", number(root, "summary.sizePerSec"), "B/s"),
    ]
    if answered:
        for metric, key in (("latency_mean", "average"), ("latency_min", "fastest"), ("latency_max", "slowest")):
            values.append((metric, number(root, ("summary", key)), "s"))
    load.add(configuration, summary, values, iterations=requests, errors=errors)
    if answered:
        for key in _keys(root, "latencyPercentiles"):
            share = key.removeprefix("p")
            if not _is_share(share):
                raise DataError(f"latencyPercentiles has the key '{printable(key, 20)}', not a percentile")
            value = number(root, ("latencyPercentiles", key))
            metric = percentile_name(float(share))
            load.add(
                configuration, lines["latencyPercentiles"], [(metric, value, "s")], iterations=requests, errors=errors
            )
        bars = mapping(root, "responseTimeHistogram")
        marks = tuple((float(mark), number(bars, (mark,)) or 0.0) for mark in bars if _is_share(mark))
        if marks:
            load.remark("histogram", lines["responseTimeHistogram"], marks, configuration)
    load.timeouts(summary, sum(count for error, count in lost.items() if is_timeout(error)), requests)


def _keys(root: Mapping[str, object], member: str) -> list[str]:
    return list(mapping(root, member))


def _is_share(text: str) -> bool:
    whole, _, part = text.partition(".")
    return text.isascii() and len(text) < 40 and whole.isdigit() and (part == "" or part.isdigit())
