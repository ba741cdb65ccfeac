"""Read the JSON of fio: each job's reads, writes and trims.

Latency is completion latency (``clat``) unless fio was told to take percentiles of the whole
(``lat_percentiles=1``). Directions without a single operation hold zeros and are no results. Before
version 3.0 latencies were whole microseconds (``clat`` for ``clat_ns``) and transfer KiB/s alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from benchlib.errors import DataError, printable
from benchlib.formats import json_paths
from benchlib.formats.documents import read_documents
from benchlib.formats.json_text import Document
from benchlib.formats.json_values import mapping, number, text
from benchlib.formats.ledger import Records
from benchlib.formats.readers.load_run import Load, percentile_name
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["Fio"]

#: With unified_rw_reporting all are one, ``mixed``.
_DIRECTIONS = ("read", "write", "trim", "mixed")
#: What drives operations by the clock; without it a job waits for one before it starts the next.
_PACED = ("rate", "rate_iops", "rate_process")
#: Before 3.0 the list of percentiles was filled up with this one, several times.
_FILLER = "0.00"
_NUMBERS = {"iodepth": "iodepth", "numjobs": "numjobs", "rate_iops": "rate"}
_TEXTS = ("rw", "bs", "ioengine")
_SMALLEST = 10.0
#: The job that client and server mode add: the sum of the others.
_TOTAL = "All clients"


class Fio:
    """The reader of fio's JSON."""

    name = "fio"
    rule = "JSON with 'fio version' and jobs"
    files = "*.json"
    yields = (
        "for each job and direction: throughput (IOPS), transfer, operations, latency mean, min, max, stdev and "
        "percentiles from p10"
    )
    limits = (
        "percentiles of one run from buckets of about 1 %, before 3.0 whole µs; numjobs are told apart by the "
        "axis job and are no repeats (their sum needs group_reporting); closed loop unless a rate was set"
    )
    contains: frozenset[str] = frozenset()

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        if not head.mentions('"fio version"'):
            return "no"
        paths = json_paths.outline(_documents(head), depth=1)
        return "certain" if "fio version" in paths and paths & {"jobs", "client_stats"} else "no"

    def read(self, file: TextFile) -> Reading:
        """Read each direction of each job as one record."""
        return read_documents(_documents(file), partial(_read, file.source))


def _read(source: str, document: Document) -> Reading:
    root = document.root if isinstance(document.root, dict) else {}
    member = "jobs" if "jobs" in root else "client_stats"
    jobs = root.get(member)
    jobs = jobs if isinstance(jobs, list) else []
    starts = [*document.lines(f"{member}[]"), *[document.first_line] * len(jobs)]
    load = Load(source, "fio")
    numbers = _numbers(jobs)
    # A job is a record for each direction it has, and one where it has none.
    places = [
        (index, direction)
        for index, job in enumerate(jobs)
        for direction in ([one for one in _DIRECTIONS if isinstance(job, dict) and one in job] or [""])
    ]
    records = Records([starts[index] for index, _ in places] or [document.first_line])
    records.whole(one for one in document.problems if f"key '{_FILLER}' stands twice" not in one[1])
    for record, (index, direction) in enumerate(places):
        try:
            if not direction:
                raise DataError("a job has neither read, write, trim nor mixed")
            kept = _keep(root, jobs[index], direction, numbers[index], records.line(record), load)
            (records.data if kept else records.context)(record)
        except DataError as error:
            records.problem(record, f"{error}; the {direction or 'job'} was not kept; write the file again")
    if not places:
        records.problem(0, "fio wrote no job; run it again")
    elif not len(load.rows) and not records.problems:
        records.note(0, "no job made an operation; run fio again")
    closed = any(not _is_paced(root, job) for job in jobs if isinstance(job, dict))
    return load.reading(records.counts(), records.problems, closed_loop=closed)


def _documents(file: TextFile) -> TextFile:
    """Return a file with the lines emptied that stand outside its documents: fio writes its warnings there."""
    lines, inside, indented = [], False, False
    for number_, line in enumerate(file.lines, start=1):
        if not inside and (line.rstrip() in ("{", "{ }") or line.startswith('{"')):
            inside = True
            # Only where what is inside is indented, a brace at the margin is the end of the document.
            indented = file.lines[number_ : number_ + 1] != [] and file.lines[number_][:1] in (" ", "\t")
        lines.append(line if inside else "")
        if inside and indented and line.rstrip() == "}":
            inside = False
    return TextFile(file.source, lines)


def _numbers(jobs: Sequence[object]) -> list[int | None]:
    """Number the jobs of one name: each of ``numjobs`` has it. A name that stands once has no number."""
    names = [job.get("jobname") if isinstance(job, dict) else None for job in jobs]
    names = [one if isinstance(one, str) else None for one in names]
    often, seen = Counter(names), Counter[str | None]()
    found: list[int | None] = []
    for one in names:
        seen[one] += 1
        found.append(seen[one] if often[one] > 1 else None)
    return found


def _keep(root: Mapping[str, object], job: object, direction: str, among: int | None, line: int, load: Load) -> bool:
    """Keep one direction of a job, that may be one among others of its name; False where it made no operation."""
    name = text(job, "jobname") or ""
    part = mapping(job, direction)
    operations, rate = number(part, "total_ios"), number(part, "iops")
    failed = number(job, "error")
    old = "bw_bytes" not in part
    if rate is None or failed is None or (operations is None and not old):
        raise DataError(f"{direction}.total_ios, {direction}.iops or error is missing")
    # Version 2.1 did not count operations: a direction that moved nothing made none.
    made = number(part, "io_bytes") if operations is None else operations
    if name == _TOTAL or (not made and not failed):
        return False
    transfer = ("transfer", number(part, "bw"), "KiB/s") if old else ("transfer", number(part, "bw_bytes"), "B/s")
    values = [("throughput", rate, "op/s"), ("operations", operations, "op"), transfer, *_latencies(part, direction)]
    configuration = load.configuration({"benchmark": name, "operation": direction, "job": among, **_axes(root, job)})
    # With continue_on_error fio counts the errors; else it stops at the first and names its kind.
    errors = number(job, "total_err") or (1 if failed else 0)
    load.add(configuration, line, values, iterations=operations, errors=errors)
    return True


def _latencies(part: Mapping[str, object], direction: str) -> list[tuple[str, float | None, str]]:
    """Return the latencies of a direction: of completion, of the whole where that alone was measured."""
    suffix, unit = ("_ns", "ns") if "clat_ns" in part or "lat_ns" in part else ("", "us")
    measured = [one for one in (f"clat{suffix}", f"lat{suffix}") if _is_measured(part, one)]
    kind = next((one for one in measured if mapping(part, (one, "percentile"))), measured[0] if measured else "")
    if not kind:
        return []
    values: list[tuple[str, float | None, str]] = []
    for metric, key in (("mean", "mean"), ("stdev", "stddev"), ("min", "min"), ("max", "max")):
        values.append((f"latency_{metric}", number(part, (kind, key)), unit))
    for written in mapping(part, (kind, "percentile")):
        share = _share(written)
        if share is None and written != _FILLER:
            raise DataError(f"{direction}.{kind} has the percentile '{printable(written, 20)}'")
        if share is not None and share >= _SMALLEST:
            values.append((percentile_name(share), number(part, (kind, "percentile", written)), unit))
    return values


def _is_measured(part: Mapping[str, object], kind: str) -> bool:
    """Whether a latency was taken at all: fio counts its values, before 3.0 all of it is zero if not."""
    count = number(part, (kind, "N"))
    return bool(number(part, (kind, "max")) if count is None else count)


def _is_paced(root: Mapping[str, object], job: Mapping[str, object]) -> bool:
    said = _said(root, job)
    return any(str(said.get(one, "")).strip() not in ("", "0") for one in _PACED)


def _said(root: Mapping[str, object], job: object) -> dict[str, object]:
    """Return what a job was told, by itself or for all jobs."""
    found = (one.get(key) for one, key in ((root, "global options"), (job, "job options")) if isinstance(one, dict))
    return {key: value for one in found if isinstance(one, dict) for key, value in one.items()}


def _axes(root: Mapping[str, object], job: object) -> dict[str, Any]:
    """Return what the job was told, by itself or for all jobs."""
    said = _said(root, job)
    axes: dict[str, Any] = {one: str(said[one]) for one in _TEXTS if isinstance(said.get(one), str)}
    for option, axis in _NUMBERS.items():
        value = said.get(option)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
            axes[axis] = int(value)
    return axes


def _share(written: str) -> float | None:
    whole, _, part = written.partition(".")
    if not (written.isascii() and len(written) < 20 and whole.isdigit() and (part.isdigit() or not part)):
        return None
    return float(written) if 0 < float(written) <= 100 else None
