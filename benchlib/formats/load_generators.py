"""Load generators, and what their readers share: runs, failures, percentiles, and requests one by one."""

from __future__ import annotations

import csv
import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isfinite
from typing import Any
from urllib.parse import urlsplit

from benchlib.errors import DataError, printable
from benchlib.formats.json_text import (
    Document,
    _pick,
    _read_documents,
    list_at,
    number_at,
    object_at,
    outline,
    parse,
    parse_text,
    text_at,
)
from benchlib.formats.reader import (
    Certainty,
    Format,
    Ledger,
    Reading,
    Records,
    Rows,
    TextFile,
    _at_open_end,
    _one_line,
    open_line,
)
from benchlib.formats.tables import _cells_of
from benchlib.results import Series
from benchlib.units import written_duration

# What the readers of load generators share: runs, failures, percentiles, and requests one by one.
#
# One rule for failures: they travel with every value that they may have a part in, and such a value is set
# apart. In the summary of a run that is every value of it, for nobody can take a failed request out of a
# printed percentile again: throughput, transfer and latencies of a run carry the failures of the run. Where
# requests stand one by one, a failed one is set apart alone and the answered ones are sound; beyond
# `MOST_REQUESTS` the order statistics are of the answered requests alone, and the failed ones are one value
# `errors`, their count, which is set apart as they would have been.

#: From this many requests on, a file gives order statistics instead of one row a request.
MOST_REQUESTS = 100_000
#: The order statistics of a longer file, in percent.
_SHARES = (50.0, 75.0, 90.0, 95.0, 99.0, 99.9)


def percentile_name(share: float) -> str:
    """Return the metric of a percentile, with its point: `benchlib.metrics.canonical` says why."""
    text = f"{share:.6f}".rstrip("0").rstrip(".")
    return f"latency_p{text}"


def _failed_answers(statuses: Mapping[str, float]) -> float:
    """Count the answers of an HTTP status other than 2xx and 3xx, as wrk does."""
    return sum(count for status, count in statuses.items() if not status.startswith(("2", "3")))


def _is_document(file: TextFile) -> bool:
    """Whether a file is JSON and no text: it starts with a brace or a bracket, and no summary follows."""
    first = next((line.lstrip() for line in file.lines if line.strip()), "")
    return first.startswith(("{", "[")) and not any(line.rstrip() == "Summary:" for line in file.lines)


def is_timeout(error: str) -> bool:
    """Whether an error text says that the generator gave up waiting."""
    text = error.lower()
    return "timeout" in text or "timed out" in text or "deadline exceeded" in text or "deadlineexceeded" in text


def _endpoint_axes(url: str) -> tuple[dict[str, Any], str]:
    """Return the axes that a URL gives, and why there are none where it cannot be read.

    A user name and password in the URL are dropped: tables and reports are passed around.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return {}, f"has an unreadable URL, '{printable(url)}'"
    host = parts.netloc.rpartition("@")[2]
    path = parts.path or "/"
    name = f"{path}?{parts.query}" if parts.query else path
    return {
        "benchmark": name,
        "endpoint": path.lstrip("/") or "/",
        "host": host,
        "url": f"{parts.scheme}://{host}{name}",
    }, ""


#: Each look for a line walks the document: beyond these sizes no report of one run is searched.
_MOST_MEMBERS, _LARGEST_REPORT = 100, 1024**2


def _member_lines(document: Document, keys: Sequence[str], prefix: str = "") -> dict[str, int]:
    """Return the line on which each member of an object starts; the first line where that is not cheap."""
    lines = dict.fromkeys(keys, document.first_line)
    if len(keys) <= _MOST_MEMBERS and len(document.content) <= _LARGEST_REPORT and "\n" in document.content:
        lines |= {key: found[0] for key in keys if (found := document.lines(prefix + key))}
    return lines


@dataclass(slots=True)
class Load:
    """The values, configurations and series of one file, as they are found.

    Attributes
    ----------
    source, tool : str
    """

    source: str
    tool: str
    rows: Rows = field(default_factory=Rows)
    configurations: list[Mapping[str, Any]] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)

    def configuration(self, axes: Mapping[str, Any]) -> int:
        """Enter the axes of a run and return their number."""
        self.configurations.append({key: axis for key, axis in axes.items() if axis is not None and axis != ""})
        return len(self.configurations) - 1

    def add(
        self,
        configuration: int,
        line: int,
        values: Iterable[tuple[str, float | None, str]],
        *,
        iterations: float | None = None,
        errors: float | None = None,
    ) -> None:
        """Keep values (metric, value, unit as written) of one run; a value of None is missing."""
        name = str(self.configurations[configuration].get("benchmark", ""))
        for metric, value, unit in values:
            if value is not None:
                self.rows.add(
                    name=name,
                    metric=metric,
                    value=value,
                    unit=unit,
                    line=line,
                    configuration=configuration,
                    iterations=iterations,
                    errors=errors,
                )

    def remark(self, kind: str, line: int, data: tuple[Any, ...], configuration: int = -1) -> None:
        """Keep what belongs to a run rather than to one value: a histogram, its time-outs."""
        name = str(self.configurations[configuration].get("benchmark", "")) if self.configurations else ""
        self.series.append(Series(kind=kind, name=name or self.tool, source=self.source, line=line, data=data))

    def timeouts(self, line: int, count: float, requests: float) -> None:
        """Say that requests timed out and are in no percentile."""
        if count:
            self.remark("timeouts", line, (int(count), int(requests)))

    def reading(self, ledger: Ledger, *, closed_loop: bool, rounded: str = "") -> Reading:
        """Return the reading, with what is to be said once of a file that measured anything."""
        told = []
        if closed_loop:
            told.append(("closed-loop", self.tool))
        if rounded and any((one or "").startswith("latency") for one in self.rows.metric):
            told.append(("rounded", f"{self.tool} rounds {rounded}"))
        for kind, said in told if len(self.rows) else ():
            line = self.rows.line[0]
            self.series.append(Series(kind=kind, name=self.tool, source=self.source, line=line, data=(said,)))
        return ledger.reading(self.rows, self.configurations, self.series)


class Requests:
    """The latencies of requests, one by one: rows of their own, or order statistics where there are too many.

    A failed request is set apart alone, and is in no order statistic: its latency is that of an error.
    """

    def __init__(self, load: Load, unit: str) -> None:
        self.load = load
        self.unit = unit
        # Arrays: a file may hold tens of millions.
        self.configurations, self.lines = array("i"), array("i")
        self.latencies, self.failed = array("d"), bytearray()

    def __len__(self) -> int:
        return len(self.latencies)

    def add(self, configuration: int, line: int, latency: float, *, failed: bool) -> None:
        """Take one request."""
        self.configurations.append(configuration)
        self.lines.append(line)
        self.latencies.append(latency)
        self.failed.append(failed)

    def keep(self) -> None:
        """Write the rows, in the order the requests were taken."""
        if len(self) < MOST_REQUESTS:
            taken = zip(self.configurations, self.lines, self.latencies, self.failed, strict=True)
            for configuration, line, latency, failed in taken:
                self.load.add(configuration, line, [("latency", latency, self.unit)], iterations=1, errors=failed)
            return
        groups: dict[int, list[int]] = {}
        for index, configuration in enumerate(self.configurations):
            groups.setdefault(configuration, []).append(index)
        for configuration, group in groups.items():
            self._summarise(configuration, group)

    def _summarise(self, configuration: int, group: list[int]) -> None:
        failed = [one for one in group if self.failed[one]]
        if failed:
            told = [("errors", float(len(failed)), "req")]
            self.load.add(configuration, self.lines[failed[0]], told, iterations=len(group), errors=len(failed))
        answered = [one for one in group if not self.failed[one]]
        if not answered:
            return
        ordered = sorted(self.latencies[one] for one in answered)
        # Nearest rank: every value given is one that was measured.
        ranks = {percentile_name(share): math.ceil(share * len(ordered) / 100) for share in _SHARES}
        values = [(metric, ordered[rank - 1], self.unit) for metric, rank in ranks.items()]
        extremes = [("latency_min", ordered[0], self.unit), ("latency_max", ordered[-1], self.unit)]
        line = self.lines[answered[0]]
        self.load.add(configuration, line, [*values, *extremes], iterations=len(answered), errors=0)


# Read vegeta: the JSON and text of `vegeta report`, and its hits one by one (`vegeta encode`).
#
# vegeta is an open-loop generator: it sends at its rate whether or not answers come. Its throughput counts
# successful requests only; requests that timed out stand in its latencies.
#
# References
# github.com/tsenart/vegeta: README, sections "report" and "encode"; lib/metrics.go, lib/reporters.go.


_VEGETA_TOTAL = re.compile(r"Requests\s+\[total, rate(?:, throughput)?\]\s+(.+)")
_LATENCIES = re.compile(r"Latencies\s+\[([^\]]+)\]\s+(.+)")
_BYTES = re.compile(r"Bytes (?:In|Out)\s+\[total, mean\]\s+.+")
_DURATION = re.compile(r"Duration\s+\[[^\]]+\]\s+.+")
_SUCCESS = re.compile(r"Success\s+\[ratio\]\s+.+")
_STATUSES = re.compile(r"Status Codes\s+\[code:count\]\s+(.*)")
#: The headerless CSV begins with a time in ns since 1970, an HTTP status and a latency in ns.
_HIT = re.compile(r"\d{19},\d{1,3},\d+,\d+,\d+,")
_CSV_WIDTH = 12
_PERCENTILE = re.compile(r"(\d{1,2}(?:\.\d+)?)th")


class _OpenEnd(DataError):
    """The last line has no end, and does not say what the report says."""


def _is_vegeta(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    told = head.mentions("[total, rate") and any(map(_VEGETA_TOTAL.match, head.lines))
    if told or any(map(_HIT.match, head.lines[:3])):
        return "certain"
    keys = outline(head, depth=2)
    return "certain" if {"latencies", "bytes_in", "status_codes"} <= keys or _are_hits(keys) else "no"


def _read_vegeta(file: TextFile) -> Reading:
    """Read a report, or hits."""
    if any(map(_VEGETA_TOTAL.match, file.lines)):
        return _read_text(file)
    if any(map(_HIT.match, file.lines[:3])):
        return _read_csv(file)
    first = TextFile(file.source, [file.first])
    if _are_hits(outline(first, depth=1)):
        return _read_hits(file)
    return _read_documents(file, partial(_read_report, file))


VEGETA = Format(
    name="vegeta",
    rule="JSON with latencies, bytes_in and status_codes; a line 'Requests [total, rate'; hits as NDJSON or CSV",
    files="*.json, *.txt, *.csv",
    yields=(
        "throughput of successful requests, rate, requests, latency mean, min, max and percentiles; hits: latencies"
    ),
    limits="reports: percentiles of one run, without a URL; timed-out requests are among the latencies; open loop",
    documentation="https://github.com/tsenart/vegeta",
    recognise=_is_vegeta,
    read=_read_vegeta,
)


def _are_hits(keys: frozenset[str]) -> bool:
    return {"attack", "seq", "code", "latency"} <= keys


def _read_report(file: TextFile, document: Document) -> Reading:
    load = Load(file.source, "vegeta")
    records = Records([document.first_line])
    records.whole(document.problems)
    try:
        _keep_report(document.root, document.first_line, load)
        records.data(0)
    except DataError as error:
        records.problem(0, f"{error}; nothing was kept; write the report again with vegeta report -type=json")
    return load.reading(records, closed_loop=False)


def _keep_report(root: object, line: int, load: Load) -> None:
    requests, success = number_at(root, "requests"), number_at(root, "success")
    if requests is None or success is None:
        raise DataError("requests or success is missing")
    values = [
        ("throughput", number_at(root, "throughput"), "req/s"),
        ("rate", number_at(root, "rate"), "req/s"),
        ("requests", requests, "req"),
    ]
    if requests:
        for metric in ("mean", "min", "max"):
            values.append((f"latency_{metric}", number_at(root, ("latencies", metric)), "ns"))
        for key in object_at(root, "latencies"):
            if match := _PERCENTILE.fullmatch(key):
                values.append((percentile_name(float(match[1])), number_at(root, ("latencies", key)), "ns"))
    errors = round((1 - success) * requests)
    told = [str(entry) for entry in list_at(root, "errors")]
    configuration = load.configuration({})
    load.add(configuration, line, values, iterations=requests, errors=errors)
    if told:
        load.remark("remark", line, tuple(told[:20]), configuration)


def _read_text(file: TextFile) -> Reading:
    """Read each report of a file: one begins at every line of requests."""
    load, ledger = Load(file.source, "vegeta"), Ledger(len(file.lines))
    starts = [line for line, one in enumerate(file.lines, start=1) if _VEGETA_TOTAL.match(one)]
    for start, end in zip(starts, [*starts[1:], len(file.lines) + 1], strict=True):
        _keep_text(file, start, end, load, ledger)
    return load.reading(ledger, closed_loop=False)


def _keep_text(file: TextFile, start: int, end: int, load: Load, ledger: Ledger) -> None:
    lines = file.lines
    values: list[tuple[str, float | None, str]] = []
    requests = errors = None
    for line in range(start, end):
        written = lines[line - 1].rstrip()
        try:
            if match := _VEGETA_TOTAL.fullmatch(written):
                numbers = [float(part) for part in match[1].split(",")]
                requests = numbers[0]
                values += [("requests", requests, "req"), ("rate", numbers[1], "req/s")]
                values += [("throughput", numbers[2], "req/s")] if len(numbers) > 2 else []
                ledger.data(line)
            elif match := _LATENCIES.fullmatch(written):
                values += _vegeta_latencies(match[1], match[2])
                ledger.data(line)
            elif match := _STATUSES.fullmatch(written):
                statuses = dict(part.rsplit(":", 1) for part in match[1].split())
                counts = {code: float(count) for code, count in statuses.items()}
                if _at_open_end(file, line) and sum(counts.values()) != requests:
                    raise _OpenEnd(open_line(written))
                errors = _failed_answers(counts)
                ledger.data(line)
            elif any(one.fullmatch(written) for one in (_BYTES, _DURATION, _SUCCESS)):
                ledger.context(line)
        except (ValueError, IndexError, DataError) as error:
            why = str(error) if isinstance(error, _OpenEnd) else f"'{printable(written, 60)}' cannot be read"
            ledger.problem(line, f"{why}; write the report again")
    if requests is None or errors is None:
        ledger.note(start, "the report lacks its requests or status codes; nothing was kept; write it again")
    else:
        load.add(load.configuration({}), start, values, iterations=requests, errors=errors)


def _vegeta_latencies(labels: str, durations: str) -> list[tuple[str, float | None, str]]:
    names = [part.strip() for part in labels.split(",")]
    written = [written_duration(part.strip()) for part in durations.split(",")]
    if len(names) != len(written) or not all(names):
        raise DataError("as many latencies as labels are needed")
    return [
        (percentile_name(float(name)) if name[0].isdigit() else f"latency_{name}", *one)
        for name, one in zip(names, written, strict=True)
    ]


def _read_hits(file: TextFile) -> Reading:
    load, ledger = Load(file.source, "vegeta"), Ledger(len(file.lines))
    requests, places = Requests(load, "ns"), dict[str, int]()
    for line, written in enumerate(file.lines, start=1):
        if not written.strip():
            continue
        document = parse_text(written, line)
        try:
            latency, code = number_at(document.root, "latency"), number_at(document.root, "code")
            if latency is None or code is None:
                raise DataError("latency or code is missing")
            url = str(object_at(document.root, ()).get("url", ""))
        except DataError as error:
            ledger.problem(line, f"{error}; line skipped")
            continue
        requests.add(_place(load, places, url), line, latency, failed=not 200 <= code < 400)
        ledger.data(line)
    return _finished(load, ledger, requests)


def _read_csv(file: TextFile) -> Reading:
    load, ledger = Load(file.source, "vegeta"), Ledger(len(file.lines))
    requests, places = Requests(load, "ns"), dict[str, int]()
    for line, written in enumerate(file.lines, start=1):
        if not written.strip():
            continue
        try:
            cells = next(csv.reader([written], strict=True), [])
        except csv.Error:
            cells = []
        if len(cells) != _CSV_WIDTH or not (cells[1].isdecimal() and cells[2].isdecimal()):
            ledger.problem(line, f"{len(cells)} fields where a hit has {_CSV_WIDTH}; line skipped")
            continue
        failed = not cells[1].startswith(("2", "3"))
        requests.add(_place(load, places, cells[10]), line, float(cells[2]), failed=failed)
        ledger.data(line)
    return _finished(load, ledger, requests)


def _place(load: Load, places: dict[str, int], url: str) -> int:
    if url not in places:
        axes, reason = _endpoint_axes(url)
        places[url] = load.configuration({} if reason else axes)
    return places[url]


def _finished(load: Load, ledger: Ledger, requests: Requests) -> Reading:
    requests.keep()
    if not len(requests):
        ledger.note(0, "vegeta wrote no hit; run it again")
    return load.reading(ledger, closed_loop=False)


# Read the JSON of fio: each job's reads, writes and trims.
#
# Latency is completion latency (`clat`) unless fio was told to take percentiles of the whole
# (`lat_percentiles=1`). Directions without a single operation hold zeros and are no results. Before
# version 3.0 latencies were whole microseconds (`clat` for `clat_ns`) and transfer KiB/s alone.


#: With unified_rw_reporting all are one, ``mixed``.
_DIRECTIONS = ("read", "write", "trim", "mixed")
#: What drives operations by the clock; without it a job waits for one before it starts the next.
_PACED = ("rate", "rate_iops", "rate_process")
#: Before 3.0 the list of percentiles was filled up with this one, several times.
_FILLER = "0.00"
_NUMBERS = {"iodepth": "iodepth", "numjobs": "numjobs", "rate_iops": "rate"}
_TEXTS = ("rw", "bs", "ioengine")
_FIO_SMALLEST = 10.0
#: The job that client and server mode add: the sum of the others.
_FIO_TOTAL = "All clients"


def _is_fio(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    if not head.mentions('"fio version"'):
        return "no"
    paths = outline(_documents(head), depth=1)
    return "certain" if "fio version" in paths and paths & {"jobs", "client_stats"} else "no"


FIO = Format(
    name="fio",
    rule="JSON with 'fio version' and jobs",
    files="*.json",
    yields=(
        "for each job and direction: throughput (IOPS), transfer, operations, latency mean, min, max, stdev and "
        "percentiles from p10"
    ),
    limits=(
        "percentiles of one run from buckets of about 1 %, before 3.0 whole µs; numjobs are told apart by the "
        "axis job and are no repeats (their sum needs group_reporting); closed loop unless a rate was set"
    ),
    recognise=_is_fio,
    read=lambda file: _read_documents(_documents(file), partial(_read, file.source)),
)


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
        for direction in (
            [direction for direction in _DIRECTIONS if isinstance(job, dict) and direction in job] or [""]
        )
    ]
    records = Records([starts[index] for index, _ in places] or [document.first_line])
    records.whole(problem for problem in document.problems if f"key '{_FILLER}' stands twice" not in problem[1])
    for record, (index, direction) in enumerate(places):
        try:
            if not direction:
                raise DataError("a job has neither read, write, trim nor mixed")
            kept = _fio_keep(root, jobs[index], direction, numbers[index], records.line(record), load)
            (records.data if kept else records.context)(record)
        except DataError as error:
            records.problem(record, f"{error}; the {direction or 'job'} was not kept; write the file again")
    if not places:
        records.problem(0, "fio wrote no job; run it again")
    elif not len(load.rows) and not records.problems:
        records.note(0, "no job made an operation; run fio again")
    closed = any(not _is_paced(root, job) for job in jobs if isinstance(job, dict))
    return load.reading(records, closed_loop=closed)


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
    names = [name if isinstance(name, str) else None for name in names]
    often, seen = Counter(names), Counter[str | None]()
    found: list[int | None] = []
    for name in names:
        seen[name] += 1
        found.append(seen[name] if often[name] > 1 else None)
    return found


def _fio_keep(
    root: Mapping[str, object], job: object, direction: str, among: int | None, line: int, load: Load
) -> bool:
    """Keep one direction of a job, that may be one among others of its name; False where it made no operation."""
    name = text_at(job, "jobname") or ""
    part = object_at(job, direction)
    operations, rate = number_at(part, "total_ios"), number_at(part, "iops")
    failed = number_at(job, "error")
    old = "bw_bytes" not in part
    if rate is None or failed is None or (operations is None and not old):
        raise DataError(f"{direction}.total_ios, {direction}.iops or error is missing")
    # Version 2.1 did not count operations: a direction that moved nothing made none.
    made = number_at(part, "io_bytes") if operations is None else operations
    if name == _FIO_TOTAL or (not made and not failed):
        return False
    transfer = ("transfer", number_at(part, "bw"), "KiB/s") if old else ("transfer", number_at(part, "bw_bytes"), "B/s")
    values = [
        ("throughput", rate, "op/s"),
        ("operations", operations, "op"),
        transfer,
        *_fio_latencies(part, direction),
    ]
    configuration = load.configuration(
        {"benchmark": name, "operation": direction, "job": among, **_fio_axes(root, job)}
    )
    # With continue_on_error fio counts the errors; else it stops at the first and names its kind.
    errors = number_at(job, "total_err") or (1 if failed else 0)
    load.add(configuration, line, values, iterations=operations, errors=errors)
    return True


def _fio_latencies(part: Mapping[str, object], direction: str) -> list[tuple[str, float | None, str]]:
    """Return the latencies of a direction: of completion, of the whole where that alone was measured."""
    suffix, unit = ("_ns", "ns") if "clat_ns" in part or "lat_ns" in part else ("", "us")
    measured = [one for one in (f"clat{suffix}", f"lat{suffix}") if _is_measured(part, one)]
    kind = next((one for one in measured if object_at(part, (one, "percentile"))), measured[0] if measured else "")
    if not kind:
        return []
    values: list[tuple[str, float | None, str]] = []
    for metric, key in (("mean", "mean"), ("stdev", "stddev"), ("min", "min"), ("max", "max")):
        values.append((f"latency_{metric}", number_at(part, (kind, key)), unit))
    for written in object_at(part, (kind, "percentile")):
        share = _fio_share(written)
        if share is None and written != _FILLER:
            raise DataError(f"{direction}.{kind} has the percentile '{printable(written, 20)}'")
        if share is not None and share >= _FIO_SMALLEST:
            values.append((percentile_name(share), number_at(part, (kind, "percentile", written)), unit))
    return values


def _is_measured(part: Mapping[str, object], kind: str) -> bool:
    """Whether a latency was taken at all: fio counts its values, before 3.0 all of it is zero if not."""
    count = number_at(part, (kind, "N"))
    return bool(number_at(part, (kind, "max")) if count is None else count)


def _is_paced(root: Mapping[str, object], job: Mapping[str, object]) -> bool:
    said = _said(root, job)
    return any(str(said.get(one, "")).strip() not in ("", "0") for one in _PACED)


def _said(root: Mapping[str, object], job: object) -> dict[str, object]:
    """Return what a job was told, by itself or for all jobs."""
    found = (one.get(key) for one, key in ((root, "global options"), (job, "job options")) if isinstance(one, dict))
    return {key: value for one in found if isinstance(one, dict) for key, value in one.items()}


def _fio_axes(root: Mapping[str, object], job: object) -> dict[str, Any]:
    """Return what the job was told, by itself or for all jobs."""
    said = _said(root, job)
    axes: dict[str, Any] = {text: str(said[text]) for text in _TEXTS if isinstance(said.get(text), str)}
    for option, axis in _NUMBERS.items():
        value = said.get(option)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
            axes[axis] = int(value)
    return axes


def _fio_share(written: str) -> float | None:
    whole, _, part = written.partition(".")
    if not (written.isascii() and len(written) < 20 and whole.isdigit() and (part.isdigit() or not part)):
        return None
    return float(written) if 0 < float(written) <= 100 else None


# Read the CSV files of locust: `_stats`, `_stats_history`, `_failures` and `_exceptions`.
#
# The row `Aggregated` mixes all requests and is dropped beside the others. The history is a timeline
# of moving percentiles and no sample: it is kept as series. locust rounds the response times behind its
# percentiles to two digits.


_STATS = "Type,Name,Request Count,Failure Count,"
_HISTORY = "Timestamp,User Count,Type,Name,"
_OTHERS = ("Method,Name,Error,Occurrences", "Count,Message,Traceback,Nodes")
#: A column that tells the file -> the columns it must have.
_WANTED = {
    "Request Count": ("Type", "Name", "Failure Count"),
    "User Count": ("Type", "Name", "Timestamp", "Requests/s", "Failures/s"),
}
_METRICS = {
    "Average Response Time": ("latency_mean", "ms"), "Min Response Time": ("latency_min", "ms"),
    "Max Response Time": ("latency_max", "ms"), "Requests/s": ("throughput", "req/s"),
    "Request Count": ("requests", "req"),
}  # fmt: skip
_LOCUST_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)%", re.ASCII)
_LOCUST_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?", re.ASCII)
_LOCUST_ROUNDED = "the response times behind its percentiles to two digits"
#: What a row without an answer holds.
_MISSING = frozenset({"", "N/A", "None", "nan"})


def _is_locust(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    first = _plain(head.first)
    return "certain" if first.startswith((_STATS, _HISTORY)) or first in _OTHERS else "no"


def _read_locust(file: TextFile) -> Reading:
    """Read each line of the table as one request name, or one second of it."""
    ledger = Ledger(len(file.lines))
    load = Load(file.source, "locust")
    table = _Table(file, ledger)
    wanted = next((one for start, one in _WANTED.items() if start in table.header), ())
    missing = [name for name in wanted if name not in table.header]
    if missing or not table.header:
        said = f"the header has no column '{missing[0]}'" if missing else "no header of locust"
        ledger.problem(1, f"{said}; nothing was read; write the file again")
        ledger.refuse(line for line, _ in table.rows)
    elif "Request Count" in table.header:
        _stats(table, load)
    elif "User Count" in table.header:
        _history(table, load)
    else:
        for line, row in table.rows:
            ledger.context(line)
            load.remark("failures", line, tuple(row.values()))
    return load.reading(ledger, closed_loop=True, rounded=_LOCUST_ROUNDED)


LOCUST = Format(
    name="locust",
    rule="CSV that starts 'Type,Name,Request Count' or 'Timestamp,User Count'",
    files="*_stats.csv, *_stats_history.csv",
    yields=(
        "for each request name: throughput, requests, latency mean, min, max and percentiles; the history as series"
    ),
    limits=(
        "percentiles of one run, rounded to two digits, timed-out requests among them; users stand in the history "
        "alone; closed loop"
    ),
    contains=frozenset({"csv"}),
    # Said where nothing else was read.
    beside="a history, and a table of failures, belong beside their _stats.csv; name both, or their folder",
    recognise=_is_locust,
    read=_read_locust,
)


class _Table:
    """The lines of a CSV as rows by column; a line that does not fit the header is a problem."""

    def __init__(self, file: TextFile, ledger: Ledger) -> None:
        self.ledger = ledger
        self.header: list[str] = []
        self.rows: list[tuple[int, dict[str, str]]] = []
        for number, line in enumerate(file.lines, start=1):
            if not line.strip():
                continue
            cells = _locust_cells(line)
            if not self.header:
                self.header = [cell.strip() for cell in cells]
                ledger.context(number)
            elif len(cells) != len(self.header):
                found = f"{len(cells)} fields where the header has {len(self.header)}"
                ledger.problem(number, f"{found}; line skipped")
            else:
                self.rows.append((number, dict(zip(self.header, cells, strict=True))))


def _stats(table: _Table, load: Load) -> None:
    named = [row for row in table.rows if not _is_total(row[1])]
    for line, row in table.rows:
        if named and _is_total(row):
            table.ledger.context(line)
            continue
        reason = _bad(row, [*_METRICS, "Failure Count"])
        if reason:
            table.ledger.problem(line, f"{reason}; line skipped")
            continue
        requests, failures = _value(row, "Request Count"), _value(row, "Failure Count")
        if requests is None or failures is None:
            table.ledger.problem(line, "Request Count or Failure Count is empty; line skipped")
            continue
        if not requests:
            table.ledger.context(line)
            table.ledger.note(line, f"'{printable(row['Name'], 60)}' made no request; nothing to keep")
            continue
        configuration = load.configuration(_locust_axes(row))
        values = [(metric, _value(row, column), unit) for column, (metric, unit) in _METRICS.items() if column in row]
        for column in row:
            share = _LOCUST_SHARE.fullmatch(column)
            # The 100th percentile is the maximum, rounded.
            if share and float(share[1]) < 100:
                if _bad(row, [column]):
                    table.ledger.note(line, f"{_bad(row, [column])}; value skipped")
                else:
                    values.append((percentile_name(float(share[1])), _value(row, column), "ms"))
        load.add(configuration, line, values, iterations=requests, errors=failures)
        table.ledger.data(line)
    if not len(load.rows):
        table.ledger.note(0, "no request was made; run locust again")


def _history(table: _Table, load: Load) -> None:
    """Keep time, users, requests and failures a second, median and 95th percentile of each name."""
    columns = ["Timestamp", "User Count", "Requests/s", "Failures/s", "50%", "95%"]
    seconds: dict[tuple[str, str], list[tuple[float | None, ...]]] = {}
    first: dict[tuple[str, str], int] = {}
    for line, row in table.rows:
        reason = _bad(row, columns)
        if reason:
            table.ledger.problem(line, f"{reason}; line skipped")
            continue
        key = (row["Type"], row["Name"])
        first.setdefault(key, line)
        seconds.setdefault(key, []).append(tuple(_value(row, column) for column in columns))
        table.ledger.context(line)
    if not seconds and not table.ledger.problems:
        table.ledger.note(0, "the history has no second in it; run locust again")
    for key, found in seconds.items():
        load.configuration(_locust_axes({"Type": key[0], "Name": key[1]}))
        load.remark("timeline", first[key], tuple(found))
    load.configurations.clear()


def _locust_axes(row: Mapping[str, str]) -> dict[str, str]:
    name = row["Name"].strip()
    return {"benchmark": name, "endpoint": name.partition("?")[0].lstrip("/") or name, "method": row["Type"].strip()}


def _is_total(row: Mapping[str, str]) -> bool:
    return row["Name"] == "Aggregated" and not row["Type"].strip()


def _bad(row: Mapping[str, str], columns: list[str]) -> str:
    """Name the first cell that is neither a number nor empty."""
    for column in columns:
        text = row.get(column, "").strip()
        if text not in _MISSING and not (_LOCUST_NUMBER.fullmatch(text) and math.isfinite(float(text))):
            return f"column '{column}': '{printable(text, 40)}' is not a number"
    return ""


def _value(row: Mapping[str, str], column: str) -> float | None:
    text = row.get(column, "").strip()
    return None if text in _MISSING else float(text)


def _plain(line: str) -> str:
    return line.strip().replace('"', "")


def _locust_cells(line: str) -> list[str]:
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error:
        return []


# JMeter results as CSV (`.jtl`): one line a request, raw samples of latency.


#: A message of the server may hold line ends: a quoted cell goes on over this many lines at most.
_LONGEST_CELL = 1000
_SEPARATORS = ",\t;|"


def _is_jmeter(head: TextFile) -> Certainty:
    """Be certain of the header, and of the XML that is told how to become CSV."""
    first = head.first
    if _columns(first)[1] or any("<testResults" in line for line in head.lines[:3]):
        return "certain"
    return "no"


def _read_jmeter(file: TextFile) -> Reading:
    """Read each line as one request."""
    rows, ledger = Rows(), Ledger(len(file.lines))
    configurations: list[Mapping[str, str]] = []
    known: dict[str, int] = {}
    first_line, first = next(((at, line) for at, line in enumerate(file.lines, 1) if line.strip()), (0, ""))
    separator, columns = _columns(first)
    if not columns:
        message = "XML, or a table without header; set jmeter.save.saveservice.output_format=csv and run again"
        ledger.problem(first_line, message)
        ledger.refuse(range(1, len(file.lines) + 1))
        return ledger.reading(rows, [])
    ledger.context(first_line)
    layout = _JmeterLayout(separator, columns)
    width = len(columns)
    at = {name: place for place, name in enumerate(columns)}
    elapsed_at, label_at, success_at = at["elapsed"], at["label"], at.get("success")
    for number, line in _records(file.lines, first_line, layout, ledger):
        cells = _cells_of(line, separator)
        if cells is None or len(cells) != width:
            found = "a quote is left open" if cells is None else f"{len(cells)} fields where the header has {width}"
            ledger.problem(number, f"{found}; line skipped")
            continue
        if cells == columns:
            ledger.context(number)
            continue
        elapsed = _elapsed(cells[elapsed_at])
        if elapsed is None:
            ledger.problem(number, f"elapsed is '{printable(cells[elapsed_at], 40)}'; line skipped")
            continue
        success = cells[success_at].strip().lower() if success_at is not None else ""
        if success not in ("true", "false", ""):
            ledger.note(number, f"success is '{printable(success, 40)}', not true or false; counted as failed")
        label = _one_line(cells[label_at].strip()) or "request"
        configuration = known.setdefault(label, len(configurations))
        if configuration == len(configurations):
            configurations.append({"benchmark": label})
        rows.add(
            name=label,
            metric="latency",
            value=elapsed,
            unit="ms",
            line=number,
            configuration=configuration,
            iterations=1.0,
            errors=None if success_at is None or not success else float(success != "true"),
        )
        ledger.data(number)
    if not len(rows):
        ledger.note(0, "holds no request; run the test plan again")
    told = [Series(kind="closed-loop", name="JMeter", source=file.source, line=1, data=("JMeter",))]
    return ledger.reading(rows, configurations, told if len(rows) else [])


JMETER = Format(
    name="jmeter",
    rule="a header with timeStamp, elapsed and label",
    files="*.jtl, *.csv",
    yields="latency of each request, by label; failed requests apart",
    limits="closed loop; throughput (count the requests over the time you mean); XML is not read",
    recognise=_is_jmeter,
    read=_read_jmeter,
)


def _columns(header: str) -> tuple[str, list[str]]:
    """Return separator and columns of a header, none where it is not JMeter's."""
    for separator in _SEPARATORS:
        columns = [part.strip() for part in header.split(separator)]
        if {"timeStamp", "elapsed", "label"} <= set(columns):
            return separator, columns
    return ",", []


@dataclass(frozen=True, slots=True)
class _JmeterLayout:
    """How a line of a file is cut, and where a request tells that it is one."""

    separator: str
    columns: list[str]

    def is_record(self, cells: Sequence[str] | None) -> bool:
        return cells is not None and len(cells) == len(self.columns)

    def starts_request(self, line: str) -> bool:
        """Whether a line has the stamp, time and outcome of a request of its own, whatever its quotes."""
        cells = _cells_of(line, self.separator)
        cells = cells if self.is_record(cells) and cells else line.split(self.separator)
        if len(cells) < len(self.columns):
            return False
        told = dict(zip(self.columns, cells, strict=False))
        sound = told["timeStamp"].strip()[:1].isdigit() and _elapsed(told["elapsed"]) is not None
        return sound and told.get("success", "true").strip().lower() in ("true", "false", "")


def _elapsed(written: str) -> float | None:
    try:
        elapsed = float(written) if written.isascii() and "_" not in written else math.nan
    except ValueError:
        return None
    return elapsed if 0 <= elapsed < math.inf else None


def _records(lines: Sequence[str], header: int, layout: _JmeterLayout, ledger: Ledger) -> Iterator[tuple[int, str]]:
    """Yield filled lines below the header; one whose quoted cell goes on is joined with those that end it."""
    at = header
    while at < len(lines):
        number, line = at + 1, lines[at]
        at += 1
        if not line.strip():
            continue
        if line.count('"') % 2:
            end = _end_of_cell(lines, number, layout)
            if end:
                line = "\n".join(lines[number - 1 : end])
                for more in range(number + 1, end + 1):
                    ledger.context(more)
                at = end
            elif layout.is_record(_cells_of(line, layout.separator)):
                ledger.note(number, "a quote inside a field is never closed; read as a part of its text")
        yield number, line


def _end_of_cell(lines: Sequence[str], number: int, layout: _JmeterLayout) -> int:
    """Return the line that closes the quote a line leaves open, 0 where the quote is a stray one.

    A stray quote would swallow the requests below it: a cell holds no line that is a request by itself, and
    the lines joined are one record of the header's width. No end is looked for beyond the next odd quote, so
    that a file full of stray ones is walked once.
    """
    if _cells_of(lines[number - 1], layout.separator) is not None:
        return 0
    for end in range(number + 1, min(number + _LONGEST_CELL, len(lines)) + 1):
        line = lines[end - 1]
        if layout.starts_request(line):
            return 0
        if line.count('"') % 2:
            joined = "\n".join(lines[number - 1 : end])
            return end if layout.is_record(_cells_of(joined, layout.separator)) else 0
    return 0


# Read the CSV of single requests that hey, oha and ghz write: one latency a line.
#
# Failed requests that got no answer stand in ghz's and oha's file, and are missing from hey's.


@dataclass(frozen=True, slots=True)
class _RequestLayout:
    tool: str
    width: int
    latency: int
    status: int
    unit: str


_LAYOUTS = {
    "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset": _RequestLayout(
        "hey", 8, 0, 6, "s"
    ),
    "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status": _RequestLayout("oha", 7, 4, 6, "s"),
    "duration (ms),status,error": _RequestLayout("ghz", 3, 0, 1, "ms"),
}
_REQUEST_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,18})?(?:[eE][+-]?\d{1,3})?", re.ASCII)
_STATUS = re.compile(r"\d{1,3}", re.ASCII)


def _read_request_csv(file: TextFile) -> Reading:
    """Read each line as one request."""
    ledger = Ledger(len(file.lines))
    start, layout = _header(file)
    if layout is None:
        ledger.problem(1, "no header of hey, oha or ghz; nothing was read")
        return Load(file.source, "request-csv").reading(ledger, closed_loop=False)
    ledger.context(start)
    load = Load(file.source, layout.tool)
    requests = Requests(load, layout.unit)
    configuration = load.configuration({})
    for line in range(start + 1, len(file.lines) + 1):
        written = file.lines[line - 1]
        if not written.strip():
            continue
        cells = _request_cells(written)
        if len(cells) != layout.width:
            ledger.problem(line, f"{len(cells)} fields where the header has {layout.width}; line skipped")
            continue
        latency, status = cells[layout.latency].strip(), cells[layout.status].strip()
        if not _REQUEST_NUMBER.fullmatch(latency) or not isfinite(float(latency)):
            ledger.problem(line, f"'{printable(latency, 40)}' is not a latency; line skipped")
        elif layout.tool != "ghz" and not _STATUS.fullmatch(status):
            ledger.problem(line, f"'{printable(status, 40)}' is not an HTTP status; line skipped")
        else:
            failed = status != "OK" if layout.tool == "ghz" else not status.startswith(("2", "3"))
            requests.add(configuration, line, float(latency), failed=failed)
            ledger.data(line)
    requests.keep()
    if not len(requests):
        ledger.note(0, f"{layout.tool} wrote no request; run it again")
    return load.reading(ledger, closed_loop=True)


REQUEST_CSV = Format(
    name="request-csv",
    rule="the CSV header of hey, oha or ghz",
    files="*.csv",
    yields=f"the latency of each request, below {MOST_REQUESTS:,} requests; from there on p50 to p99.9, min and max",
    limits="no throughput, URL or concurrency; hey leaves out requests that got no answer; closed loop",
    contains=frozenset({"csv"}),
    recognise=lambda head: "certain" if _header(head)[1] else "no",
    read=_read_request_csv,
)


def _header(file: TextFile) -> tuple[int, _RequestLayout | None]:
    for number, line in enumerate(file.lines, start=1):
        if line.strip():
            return number, _LAYOUTS.get(line.strip())
    return 0, None


def _request_cells(line: str) -> list[str]:
    if '"' not in line:
        return line.split(",")
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error:
        return []


# Read the JSON of autocannon (`-j`): one run a line.
#
# Its latencies are whole milliseconds, of answered requests only, and all zero where none was answered.
# With `-R` it corrects them for coordinated omission: its histogram then counts more than it asked.


_AUTOCANNON_SHARE = re.compile(r"p(\d{1,2}(?:_\d{1,6})?)", re.ASCII)
_AUTOCANNON_SMALLEST = 10.0
_AUTOCANNON_ROUNDED = "latencies to whole milliseconds"


def _read_autocannon(file: TextFile) -> Reading:
    """Read the run of a file, or of each of its lines: ``>>`` puts one below the other."""
    load = Load(file.source, "autocannon")
    starts = [line for line, one in enumerate(file.lines, start=1) if one.startswith("{")]
    records = Records(starts or [1])
    ends = [*starts[1:], len(file.lines) + 1] if starts else []
    closed = True
    for index, (start, end) in enumerate(zip(starts, ends, strict=True)):
        document = parse_text("\n".join(file.lines[start - 1 : end - 1]), start)
        records.whole(document.problems)
        if not document.parsed:
            records.problem(index, "the run was not kept")
            continue
        try:
            closed = _autocannon_keep(document.root, start, load) and closed
            records.data(index)
        except DataError as error:
            records.problem(index, f"{error}; nothing of the run was kept; write the file again")
    if not starts:
        records.problem(0, "no line starts a document; write the file with autocannon -j")
    return load.reading(records, closed_loop=closed, rounded=_AUTOCANNON_ROUNDED)


AUTOCANNON = Format(
    name="autocannon",
    rule="JSON with latency.p97_5 and non2xx",
    files="*.json",
    yields="throughput, requests, transfer, latency mean, min, max, stdev and percentiles from p10",
    limits=(
        "percentiles of one run, in whole ms, without requests that timed out; throughput and transfer are means "
        "over samples of a second; closed loop unless -R was given"
    ),
    recognise=lambda head: "certain" if {"latency.p97_5", "non2xx"} <= outline(head, depth=2) else "no",
    read=_read_autocannon,
)


def _autocannon_keep(root: object, line: int, load: Load) -> bool:
    """Keep one run; return whether its loop was closed."""
    counts = {one: number_at(root, one) or 0 for one in ("errors", "timeouts", "non2xx", "mismatches")}
    total, answered = number_at(root, "requests.total"), number_at(root, "latency.totalCount")
    rate = number_at(root, "requests.average")
    if total is None or answered is None or rate is None or number_at(root, "non2xx") is None:
        raise DataError("requests.total, requests.average, latency.totalCount or non2xx is missing")
    axes, reason = _endpoint_axes(text_at(root, "url") or "")
    if reason:
        raise DataError(f"the run {reason}")
    values: list[tuple[str, float | None, str]] = [
        ("throughput", rate, "req/s"),
        ("requests", total, "req"),
        ("transfer", number_at(root, "throughput.average"), "B/s"),
    ]
    if answered:
        for metric, key in (("mean", "average"), ("stdev", "stddev"), ("min", "min"), ("max", "max")):
            values.append((f"latency_{metric}", number_at(root, ("latency", key)), "ms"))
        for key in object_at(root, "latency"):
            match = _AUTOCANNON_SHARE.fullmatch(key)
            share = float(match[1].replace("_", ".")) if match else 0.0
            if share >= _AUTOCANNON_SMALLEST:
                values.append((percentile_name(share), number_at(root, ("latency", key)), "ms"))
    settings: dict[str, Any] = {one: number_at(root, one) for one in ("connections", "pipelining", "workers")}
    # 0 workers is the main thread alone.
    axes |= {one: int(value) for one, value in settings.items() if value}
    # Time-outs are among the errors.
    errors = counts["errors"] + counts["non2xx"] + counts["mismatches"]
    configuration = load.configuration(axes)
    load.add(configuration, line, values, iterations=total + counts["errors"], errors=errors)
    load.timeouts(line, counts["timeouts"], total + counts["errors"])
    return answered <= total


# Read the JSON of fortio (`fortio load -json`): a histogram's percentiles, in seconds.
#
# References
# github.com/fortio/fortio: wiki page "Sample JSON output"; periodic/periodic.go, fhttp/httprunner.go.


#: Codes of answers that are results; gRPC health checks say SERVING.
_SOUND = ("2", "3", "SERVING", "OK")


def _read_fortio(file: TextFile) -> Reading:
    """Read the one run of a file."""
    load, document = Load(file.source, "fortio"), parse(file)
    records, closed, rounded = Records([document.first_line]), False, ""
    records.whole(document.problems)
    try:
        if not document.parsed:
            raise DataError("the result is no JSON")
        rounded = _bucket(document.root)
        closed = _fortio_keep(document.root, document.first_line, load)
        records.data(0)
    except DataError as error:
        records.problem(0, f"{error}; nothing was kept; write it again with fortio load -json")
    told = rounded if len(load.rows) else ""
    return load.reading(records, closed_loop=closed, rounded=told)


FORTIO = Format(
    name="fortio",
    rule="JSON with ActualQPS and DurationHistogram",
    files="*.json",
    yields="throughput, requests, latency mean, min, max, stdev and percentiles",
    limits=(
        "percentiles interpolated within buckets of a histogram (of 1 ms unless -r was given), failures among them; "
        "closed loop at RequestedQPS max"
    ),
    recognise=lambda head: "certain" if {"ActualQPS", "DurationHistogram"} <= outline(head, depth=1) else "no",
    read=_read_fortio,
)


def _bucket(root: object) -> str:
    """Say how wide the bucket is that the median was interpolated in; empty where the file does not tell."""
    for entry in list_at(root, "DurationHistogram.Data"):
        start, end, share = (number_at(entry, key) for key in ("Start", "End", "Percent"))
        if start is not None and end is not None and share is not None and share >= 50:
            return (
                f"percentiles to buckets: the one that holds the median spans {start * 1e3:.3g} to {end * 1e3:.3g} ms"
            )
    return ""


def _fortio_keep(root: object, line: int, load: Load) -> bool:
    rate, requests = number_at(root, "ActualQPS"), number_at(root, "DurationHistogram.Count")
    if rate is None or requests is None:
        raise DataError("ActualQPS or DurationHistogram.Count is missing")
    codes = object_at(root, "RetCodes") if _pick(root, "RetCodes") is not None else {}
    failed = sum(number_at(root, ("RetCodes", code)) or 0 for code in codes if not code.startswith(_SOUND))
    errors = number_at(root, "ErrorsDurationHistogram.Count")
    axes, reason = _endpoint_axes(text_at(root, "URL") or "")
    axes = {} if reason else axes
    threads, asked = number_at(root, "NumThreads"), text_at(root, "RequestedQPS") or ""
    axes |= {"connections": int(threads)} if threads else {}
    axes |= {"rate": asked} if asked and asked != "max" else {}
    values: list[tuple[str, float | None, str]] = [("throughput", rate, "req/s"), ("requests", requests, "req")]
    if requests:
        for metric, key in (("mean", "Avg"), ("min", "Min"), ("max", "Max"), ("stdev", "StdDev")):
            values.append((f"latency_{metric}", number_at(root, ("DurationHistogram", key)), "s"))
        for entry in list_at(root, "DurationHistogram.Percentiles"):
            share = number_at(entry, "Percentile")
            if share is not None:
                values.append((percentile_name(share), number_at(entry, "Value"), "s"))
    # Newer versions count failures themselves; older ones list answers by code alone.
    load.add(load.configuration(axes), line, values, iterations=requests, errors=max(failed, errors or 0))
    return asked in ("", "max")


# Read the JSON of bombardier (`--print result --format json`): latencies in microseconds.
#
# References
# github.com/codesenberg/bombardier: README, and template/doc.go for the fields of a result.


_FAILED = ("req1xx", "req4xx", "req5xx", "others")
_ANSWERED = ("req1xx", "req2xx", "req3xx", "req4xx", "req5xx", "others")


def _is_bombardier(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    keys = outline(head, depth=3)
    return "certain" if {"spec.numberOfConnections", "result.req2xx"} <= keys else "no"


def _read_bombardier(file: TextFile) -> Reading:
    """Read the one run of a file."""
    load, document = Load(file.source, "bombardier"), parse(file)
    records = Records([document.first_line])
    records.whole(document.problems)
    try:
        if not document.parsed:
            raise DataError("the result is no JSON")
        _bombardier_keep(document.root, document.first_line, load)
        records.data(0)
    except DataError as error:
        records.problem(0, f"{error}; nothing was kept; write it again with --print result --format json")
    return load.reading(records, closed_loop=True)


BOMBARDIER = Format(
    name="bombardier",
    rule="JSON with spec.numberOfConnections and result.req2xx",
    files="*.json",
    yields="throughput, requests, latency mean, max, stdev and percentiles",
    limits="percentiles of one run; throughput is a mean over samples; closed loop",
    documentation="https://github.com/codesenberg/bombardier",
    recognise=_is_bombardier,
    read=_read_bombardier,
)


def _bombardier_keep(root: object, line: int, load: Load) -> None:
    answers = {one: number_at(root, f"result.{one}") for one in _ANSWERED}
    rate = number_at(root, "result.rps.mean")
    if rate is None or answers["req2xx"] is None:
        raise DataError("result.rps.mean or result.req2xx is missing")
    requests = sum(answer or 0 for answer in answers.values())
    told = {
        text_at(entry, "description") or "": number_at(entry, "count") or 0 for entry in list_at(root, "result.errors")
    }
    # What could not be answered at all is counted under "others" and told again, by kind, in the list.
    errors = max(sum(answers[one] or 0 for one in _FAILED), sum(told.values()))
    axes, reason = _endpoint_axes(text_at(root, "spec.url") or "")
    axes = {} if reason else axes
    connections, limit = number_at(root, "spec.numberOfConnections"), number_at(root, "spec.rate")
    axes |= {"connections": int(connections)} if connections else {}
    axes |= {"rate": int(limit)} if limit else {}
    values: list[tuple[str, float | None, str]] = [("throughput", rate, "req/s"), ("requests", requests, "req")]
    if requests:
        for metric, key in (("mean", "mean"), ("stdev", "stddev"), ("max", "max")):
            values.append((f"latency_{metric}", number_at(root, ("result", "latency", key)), "us"))
        for share in object_at(root, "result.latency.percentiles"):
            value = number_at(root, ("result", "latency", "percentiles", share))
            values.append((percentile_name(_bombardier_share(share)), value, "us"))
    load.add(load.configuration(axes), line, values, iterations=requests, errors=errors)
    load.timeouts(line, sum(count for words, count in told.items() if is_timeout(words)), requests)


def _bombardier_share(written: str) -> float:
    try:
        return float(written)
    except ValueError as error:
        raise DataError("a percentile of result.latency.percentiles is no number") from error


READERS = (
    VEGETA,
    FIO,
    LOCUST,
    JMETER,
    REQUEST_CSV,
    AUTOCANNON,
    FORTIO,
    BOMBARDIER,
)
