"""Load generators that write JSON or CSV, and what the readers of all load generators share."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import unescape
from itertools import groupby
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from benchlib.errors import DataError, printable
from benchlib.formats.collector import Collector, Outcome, certain_if, number_in, rows_below, split_cells
from benchlib.formats.json_text import (
    Document,
    _pick,
    _read_documents,
    list_at,
    number_at,
    object_at,
    outline,
    parse_text,
    text_at,
)
from benchlib.formats.outcomes import is_expected, is_sound_status
from benchlib.formats.reader import (
    Certainty,
    Format,
    Ledger,
    Reading,
    Records,
    TextFile,
    _at_open_end,
    _one_line,
    open_line,
)
from benchlib.results import REQUESTS_BY_SECOND
from benchlib.units import written_duration

# What the readers of load generators share: runs, failures, percentiles, and requests one by one.
#
# One rule for failures: they travel with every value that they may have a part in, and such a value is set apart. In
# the summary of a run that is every value, because nobody can take a failed request out of a printed percentile again:
# throughput, transfer and latencies of a run carry the failures of the run. Where requests stand one by one, only the
# failed request is set apart and the answered ones are sound.

_T = TypeVar("_T")
#: Metric, value and unit as written; a value of None is missing.
_Value = tuple[str, float | None, str]
#: What a statistic of latency is called -> its key in the file.
_Keys = Mapping[str, str]


def percentile_name(share: float) -> str:
    """Return the metric of a percentile, with its point: `benchlib.metrics.canonical` says why."""
    text = f"{share:.6f}".rstrip("0").rstrip(".")
    return f"latency_p{text}"


def _failed_answers(statuses: Mapping[str, float]) -> float:
    """Count the answers of an HTTP status other than 2xx and 3xx, as wrk does, and than the study expects."""
    return sum(count for status, count in statuses.items() if count and not is_sound_status(status))


def is_timeout(error: str) -> bool:
    """Whether an error text says that the generator gave up waiting."""
    text = error.lower()
    return any(words in text for words in ("timeout", "timed out", "deadline exceeded", "deadlineexceeded"))


def _endpoint_axes(url: str, subject: str = "the run ") -> dict[str, Any]:
    """Return the axes that a URL gives.

    A user name and password in the URL are dropped: tables and reports are passed around.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise DataError(f"{subject}has an unreadable URL, '{printable(url)}'") from error
    host = parts.netloc.rpartition("@")[2]
    path = parts.path or "/"
    name = f"{path}?{parts.query}" if parts.query else path
    return {
        "benchmark": name,
        "endpoint": path.lstrip("/") or "/",
        "host": host,
        "url": f"{parts.scheme}://{host}{name}",
    }


#: Each look for a line walks the document: no report of one run that is longer, or has more members, is searched.
_MOST_MEMBERS, _LARGEST_REPORT = 100, 1024**2


def _member_lines(document: Document, keys: Sequence[str], prefix: str = "") -> dict[str, int]:
    """Return the line on which each member of an object starts; the first line where that is not cheap."""
    lines = dict.fromkeys(keys, document.first_line)
    if len(keys) <= _MOST_MEMBERS and len(document.content) <= _LARGEST_REPORT and "\n" in document.content:
        lines |= {key: starts[0] for key in keys if (starts := document.lines(prefix + key))}
    return lines


def _numbers_at(root: object, path: str) -> dict[str, float]:
    """Return the numbers of an object by key, 0 for null; an empty dict where the object is missing."""
    return {key: number_at(root, (*path.split("."), key)) or 0.0 for key in object_at(root, path)}


def _latencies_at(root: object, path: str, keys: _Keys, unit: str) -> list[_Value]:
    """Return mean, minimum and so on of the latencies in the object at a path."""
    parts = path.split(".") if path else []
    return [(f"latency_{statistic}", number_at(root, (*parts, key)), unit) for statistic, key in keys.items()]


def _percentiles_at(
    root: object, path: str, key: re.Pattern[str], unit: str, *, smallest: float = 0.0, refused: str = ""
) -> list[_Value]:
    """Return the percentiles of an object whose keys fit a pattern, which gives the share in percent.

    Other keys are passed over, or raise DataError with the text `refused` and the key.
    """
    values: list[_Value] = []
    for written in object_at(root, path):
        if match := key.fullmatch(written):
            share = float(match[1].replace("_", "."))
            if share >= smallest:
                values.append((percentile_name(share), number_at(root, (*path.split("."), written)), unit))
        elif refused:
            raise DataError(f"{refused} '{printable(written, 20)}'")
    return values


def _setting_at(root: object, path: str) -> int | None:
    """Return a whole number that was set, None for 0."""
    return int(number_at(root, path) or 0) or None


class Load(Collector):
    """What is collected of the runs of one load generator.

    Attributes
    ----------
    tool : str
        As caveats call it.
    closed_loop : bool
        Whether it waits for an answer before it sends the next request.
    rounded : str
        What it rounds, and to what.
    """

    def __init__(self, source: str, tool: str, ledger: Ledger, *, closed_loop: bool = True, rounded: str = "") -> None:
        super().__init__(source, ledger)
        self.tool = tool
        self.closed_loop = closed_loop
        self.rounded = rounded

    def start_run(self, axes: Mapping[str, Any]) -> int:
        """Enter the axes of a run, without empty ones, and return their number."""
        return self.configure({key: axis for key, axis in axes.items() if axis is not None and axis != ""})

    def keep(
        self,
        configuration: int,
        line: int,
        values: Iterable[_Value],
        *,
        iterations: float | None = None,
        errors: float | None = None,
    ) -> None:
        """Keep the values of one run that are there."""
        name = str(self.configurations[configuration].get("benchmark", ""))
        for metric, value, unit in values:
            if value is not None:
                self.add(
                    name,
                    metric,
                    value,
                    unit,
                    line=line,
                    configuration=configuration,
                    iterations=iterations,
                    errors=errors,
                )

    def request(self, configuration: int, line: int, latency: float, unit: str, *, failed: bool) -> None:
        """Keep the latency of a single request."""
        self.keep(configuration, line, [("latency", latency, unit)], iterations=1, errors=failed)

    def remark(self, kind: str, line: int, data: tuple[Any, ...]) -> None:
        """Keep what belongs to the run entered last rather than to one value."""
        name = str(self.configurations[-1].get("benchmark", "")) if self.configurations else ""
        self.add_series(kind, name or self.tool, line, data)

    def timeouts(self, line: int, count: float, requests: float) -> None:
        """Say that requests timed out and are in no percentile."""
        if count:
            self.remark("timeouts", line, (int(count), int(requests)))

    def reading(self) -> Reading:
        """Return the reading, with what is to be said once of a file that measured anything."""
        if len(self.rows):
            line = self.rows.line[0]
            if self.closed_loop:
                self.add_series("closed-loop", self.tool, line, (self.tool,))
            if self.rounded and any((metric or "").startswith("latency") for metric in self.rows.metric.levels):
                self.add_series("rounded", self.tool, line, (f"{self.tool} rounds {self.rounded}",))
        return super().reading()


def _read_report(
    tool: str, keep: Callable[[object, Load, int], None], advice: str, file: TextFile, document: Document
) -> Reading:
    """Read a document that is one run, of which `keep` keeps all or, if it raises DataError, nothing."""
    records = Records([document.first_line])
    records.whole(document.problems)
    load = Load(file.source, tool, records)

    def read(root: object) -> Outcome:
        keep(root, load, document.first_line)
        return "data"

    load.each([(0, document.root)], read, f"nothing was kept; {advice}")
    return load.reading()


#: Reads a single request: its URL or an empty text, its latency, and whether it failed.
_RequestParser = Callable[[_T], tuple[str, float, bool]]


def _read_requests(load: Load, unit: str, lines: Iterable[tuple[int, _T]], parse: _RequestParser[_T]) -> Reading:
    """Read each line or row as one request."""
    configurations: dict[str, int] = {}

    def read(content: _T) -> Outcome:
        url, latency, failed = parse(content)
        if url not in configurations:
            configurations[url] = load.start_run(_endpoint_axes(url, "a request ") if url else {})
        load.request(configurations[url], load.line, latency, unit, failed=failed)
        return "data"

    load.each(lines, read, "line skipped")
    if not len(load.rows):
        load.ledger.note(0, f"{load.tool} wrote no request; run it again")
    return load.reading()


# Read vegeta: the JSON and text of `vegeta report`, and its hits one by one (`vegeta encode`).
#
# vegeta is an open-loop generator: it sends at its rate whether or not answers come. Its throughput counts
# successful requests only; requests that timed out stand in its latencies.
#
# References
# github.com/tsenart/vegeta: README, sections "report" and "encode"; lib/metrics.go, lib/reporters.go.


_VEGETA_TOTAL = re.compile(r"Requests\s+\[total, rate(?:, throughput)?\]\s+(.+)")
_VEGETA_LATENCIES = re.compile(r"Latencies\s+\[([^\]]+)\]\s+(.+)")
_VEGETA_STATUSES = re.compile(r"Status Codes\s+\[code:count\]\s+(.*)")
_VEGETA_CONTEXT = re.compile(r"(?:Bytes (?:In|Out)\s+\[total, mean\]|Duration\s+\[[^\]]+\]|Success\s+\[ratio\])\s+.+")
#: The headerless CSV begins with a time in ns since 1970, an HTTP status and a latency in ns.
_HIT = re.compile(r"\d{19},\d{1,3},\d+,\d+,\d+,")
_HIT_WIDTH = 12
_VEGETA_SHARE = re.compile(r"(\d{1,2}(?:\.\d+)?)th")


def _is_vegeta(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    reported = head.mentions("[total, rate") and any(map(_VEGETA_TOTAL.match, head.lines))
    if reported or any(map(_HIT.match, head.lines[:3])):
        return "certain"
    keys = outline(head, depth=2)
    return certain_if({"latencies", "bytes_in", "status_codes"} <= keys or _are_hits(keys))


def _are_hits(keys: frozenset[str]) -> bool:
    return {"attack", "seq", "code", "latency"} <= keys


def _read_vegeta(file: TextFile) -> Reading:
    """Read a report, or hits."""
    if any(map(_VEGETA_TOTAL.match, file.lines)):
        return _read_vegeta_text(file)
    csv = any(map(_HIT.match, file.lines[:3]))
    if csv or _are_hits(outline(TextFile(file.source, [file.first]), depth=1)):
        load = Load(file.source, "vegeta", Ledger(len(file.lines)), closed_loop=False)
        filled = ((number, line) for number, line in enumerate(file.lines, start=1) if line.strip())
        return _read_requests(load, "ns", filled, _parse_csv_hit if csv else _parse_json_hit)
    advice = "write the report again with vegeta report -type=json"
    return _read_documents(file, partial(_read_report, "vegeta", _keep_vegeta, advice, file))


VEGETA = Format(
    name="vegeta",
    rule="JSON with latencies, bytes_in and status_codes; a line 'Requests [total, rate'; hits as NDJSON or CSV",
    yields=(
        "throughput of successful requests, rate, requests, latency mean, min, max and percentiles; hits: latencies"
    ),
    limits="reports: percentiles of one run, without a URL; timed-out requests are among the latencies; open loop",
    documentation="https://github.com/tsenart/vegeta",
    recognise=_is_vegeta,
    read=_read_vegeta,
)


def _parse_json_hit(written: str) -> tuple[str, float, bool]:
    root = parse_text(written).root
    latency, code = number_at(root, "latency"), number_at(root, "code")
    if latency is None or code is None:
        raise DataError("latency or code is missing")
    return str(_pick(root, "url") or ""), latency, not (200 <= code < 400 or is_expected(f"{code:g}"))


def _parse_csv_hit(written: str) -> tuple[str, float, bool]:
    cells = split_cells(written) or []
    if len(cells) != _HIT_WIDTH or not (cells[1].isdecimal() and cells[2].isdecimal()):
        raise DataError(f"{len(cells)} fields where a hit has {_HIT_WIDTH}")
    return cells[10], float(cells[2]), not is_sound_status(cells[1])


def _keep_vegeta(root: object, load: Load, line: int) -> None:
    load.closed_loop = False
    requests, success = number_at(root, "requests"), number_at(root, "success")
    if requests is None or success is None:
        raise DataError("requests or success is missing")
    if not 0 <= success <= 1:
        raise DataError(f"success is {success:g}, not a share from 0 to 1")
    values: list[_Value] = [
        ("throughput", number_at(root, "throughput"), "req/s"),
        ("rate", number_at(root, "rate"), "req/s"),
        ("requests", requests, "req"),
    ]
    if requests:
        values += _latencies_at(root, "latencies", {"mean": "mean", "min": "min", "max": "max"}, "ns")
        values += _percentiles_at(root, "latencies", _VEGETA_SHARE, "ns")
    messages = [str(entry) for entry in list_at(root, "errors")]
    wanted = sum(count for status, count in _numbers_at(root, "status_codes").items() if count and is_expected(status))
    errors = max(0.0, round((1 - success) * requests) - wanted)
    load.keep(load.start_run({}), line, values, iterations=requests, errors=errors)
    if messages:
        load.remark("remark", line, tuple(messages[:20]))


def _read_vegeta_text(file: TextFile) -> Reading:
    """Read each report of a file: one begins at every line of requests."""
    load = Load(file.source, "vegeta", Ledger(len(file.lines)), closed_loop=False)
    starts = [number for number, line in enumerate(file.lines, start=1) if _VEGETA_TOTAL.match(line)]
    for start, end in zip(starts, [*starts[1:], len(file.lines) + 1], strict=True):
        _keep_vegeta_text(file, start, end, load)
    return load.reading()


def _keep_vegeta_text(file: TextFile, start: int, end: int, load: Load) -> None:
    values: list[_Value] = []
    requests = errors = None
    for line in range(start, end):
        written = file.lines[line - 1].rstrip()
        try:
            if match := _VEGETA_TOTAL.fullmatch(written):
                requests, rate, *throughput = (float(part) for part in match[1].split(","))
                values += [("requests", requests, "req"), ("rate", rate, "req/s")]
                values += [("throughput", number, "req/s") for number in throughput[:1]]
            elif match := _VEGETA_LATENCIES.fullmatch(written):
                values += _vegeta_latencies(match[1], match[2])
            elif match := _VEGETA_STATUSES.fullmatch(written):
                counts = {code: float(count) for code, count in (part.rsplit(":", 1) for part in match[1].split())}
                if _at_open_end(file, line) and sum(counts.values()) != requests:
                    load.ledger.problem(line, f"{open_line(written)}; write the report again")
                    continue
                errors = _failed_answers(counts)
            else:
                if _VEGETA_CONTEXT.fullmatch(written):
                    load.ledger.context(line)
                continue
            load.ledger.data(line)
        except (ValueError, DataError):
            load.ledger.problem(line, f"'{printable(written, 60)}' cannot be read; write the report again")
    if requests is None or errors is None:
        load.ledger.note(start, "the report lacks its requests or status codes; nothing was kept; write it again")
    else:
        load.keep(load.start_run({}), start, values, iterations=requests, errors=errors)


def _vegeta_latencies(labels: str, durations: str) -> list[_Value]:
    names = [part.strip() for part in labels.split(",")]
    times = [written_duration(part.strip()) for part in durations.split(",")]
    if len(names) != len(times) or not all(names):
        raise DataError("as many latencies as labels are needed")
    metrics = [percentile_name(float(name)) if name[0].isdigit() else f"latency_{name}" for name in names]
    return [(metric, value, unit) for metric, (value, unit) in zip(metrics, times, strict=True)]


# Read the JSON of fio: each job's reads, writes and trims.
#
# Latency is completion latency (`clat`) unless fio was told to take percentiles of the whole
# (`lat_percentiles=1`). Directions without a single operation hold zeros and are no results. Files of versions
# before 3.0 (2017) are refused: their latencies are whole microseconds, and some count no operations.


#: With unified_rw_reporting all are reported together, as ``mixed``.
_DIRECTIONS = ("read", "write", "trim", "mixed")
#: What drives operations by the clock; without it a job waits for one before it starts the next.
_PACED = ("rate", "rate_iops", "rate_process")
_FIO_NUMBERS = {"iodepth": "iodepth", "numjobs": "numjobs", "rate_iops": "rate"}
_FIO_TEXTS = ("rw", "bs", "ioengine")
#: A share in percent, as a plain number.
_SHARE = re.compile(r"(100(?:\.0{0,9})?|\d{1,2}(?:\.\d{0,15})?)", re.ASCII)
_FIO_STATISTICS = {"mean": "mean", "stdev": "stddev", "min": "min", "max": "max"}
#: Lower percentiles are left out.
_SMALLEST_SHARE = 10.0
#: The job that client and server mode add: the sum of the others.
_FIO_TOTAL = "All clients"


def _is_fio(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    if not head.mentions('"fio version"'):
        return "no"
    paths = outline(_without_warnings(head), depth=1)
    return certain_if("fio version" in paths and paths & {"jobs", "client_stats"})


FIO = Format(
    name="fio",
    rule="JSON with 'fio version' and jobs",
    yields=(
        "for each job and direction: throughput (IOPS), transfer, operations, latency mean, min, max, stdev and "
        "percentiles from p10"
    ),
    limits=(
        "percentiles of one run from buckets of about 1 %; numjobs are told apart by the axis job and are no repeats "
        "(their sum needs group_reporting); closed loop unless a rate was set; versions before 3.0"
    ),
    recognise=_is_fio,
    read=lambda file: _read_documents(_without_warnings(file), partial(_read_fio, file.source)),
)


def _without_warnings(file: TextFile) -> TextFile:
    """Return a file with the lines emptied that stand outside its documents: fio writes its warnings there."""
    lines, inside, indented = [], False, False
    for number, line in enumerate(file.lines, start=1):
        if not inside and (line.rstrip() in ("{", "{ }") or line.startswith('{"')):
            inside = True
            # Only where what is inside is indented, a brace at the margin is the end of the document.
            indented = file.lines[number : number + 1] != [] and file.lines[number][:1] in (" ", "\t")
        lines.append(line if inside else "")
        if inside and indented and line.rstrip() == "}":
            inside = False
    return TextFile(file.source, lines)


def _read_fio(source: str, document: Document) -> Reading:
    root = document.root if isinstance(document.root, dict) else {}
    member = "jobs" if "jobs" in root else "client_stats"
    jobs = root.get(member)
    jobs = jobs if isinstance(jobs, list) else []
    starts = [*document.lines(f"{member}[]"), *[document.first_line] * len(jobs)]
    job_numbers = _job_numbers(jobs)
    # A job is a record for each direction it has, and a single one where it has none.
    places = [
        (index, direction)
        for index, job in enumerate(jobs)
        for direction in ([each for each in _DIRECTIONS if isinstance(job, dict) and each in job] or [""])
    ]
    records = Records([starts[index] for index, _ in places] or [document.first_line])
    records.whole(document.problems)
    load = Load(source, "fio", records)
    load.closed_loop = any(not _is_paced(_options(root, job)) for job in jobs if isinstance(job, dict))

    def read(place: tuple[int, str]) -> Outcome:
        index, direction = place
        if not direction:
            raise DataError("a job has neither read, write, trim nor mixed")
        return _keep_direction(root, jobs[index], direction, job_numbers[index], load)

    load.each(enumerate(places), read, "it was not kept; write the file again")
    if not places:
        records.problem(0, "fio wrote no job; run it again")
    elif not len(load.rows) and not records.problems:
        records.note(0, "no job made an operation; run fio again")
    return load.reading()


def _job_numbers(jobs: Sequence[object]) -> list[int | None]:
    """Number the jobs of one name, which each of ``numjobs`` has; a name that stands once has no number."""
    names = [name if isinstance(name := _pick(job, "jobname"), str) else None for job in jobs]
    counts, seen = Counter(names), Counter[str | None]()
    numbers: list[int | None] = []
    for name in names:
        seen[name] += 1
        numbers.append(seen[name] if counts[name] > 1 else None)
    return numbers


def _keep_direction(root: Mapping[str, object], job: object, direction: str, number: int | None, load: Load) -> Outcome:
    """Keep one direction of a job, by its number if others have its name; context where it made no operation."""
    name = text_at(job, "jobname") or ""
    part = object_at(job, direction)
    operations, rate = number_at(part, "total_ios"), number_at(part, "iops")
    failed = number_at(job, "error")
    if rate is None or failed is None or operations is None:
        raise DataError(f"{direction}.total_ios, {direction}.iops or error is missing")
    if "bw_bytes" not in part:
        raise DataError(f"{direction}.bw_bytes is missing, which fio writes since 3.0")
    if name == _FIO_TOTAL or (not operations and not failed):
        return "context"
    values: list[_Value] = [
        ("throughput", rate, "op/s"),
        ("operations", operations, "op"),
        ("transfer", number_at(part, "bw_bytes"), "B/s"),
        *_fio_latencies(part, direction),
    ]
    axes = {"benchmark": name, "operation": direction, "job": number, **_fio_axes(_options(root, job))}
    # With continue_on_error fio counts the errors; else it stops at the first and names its kind.
    errors = number_at(job, "total_err") or (max(1.0, operations) if failed else 0)
    load.keep(load.start_run(axes), load.line, values, iterations=operations, errors=errors)
    return "data"


def _fio_latencies(part: Mapping[str, object], direction: str) -> list[_Value]:
    """Return the latencies of a direction: of completion, or of the whole where that alone was measured."""
    # A latency that fio was told not to take is all zeros.
    measured = [kind for kind in ("clat_ns", "lat_ns") if number_at(part, (kind, "max"))]
    if not measured:
        return []
    kind = next((kind for kind in measured if object_at(part, (kind, "percentile"))), measured[0])
    refused = f"{direction}.{kind} has the percentile"
    return [
        *_latencies_at(part, kind, _FIO_STATISTICS, "ns"),
        *_percentiles_at(part, f"{kind}.percentile", _SHARE, "ns", smallest=_SMALLEST_SHARE, refused=refused),
    ]


def _options(root: Mapping[str, object], job: object) -> dict[str, object]:
    """Return the options of a job: those for all jobs, and its own."""
    options: dict[str, object] = {}
    for given in (root.get("global options"), _pick(job, ("job options",))):
        options |= given if isinstance(given, dict) else {}
    return options


def _is_paced(options: Mapping[str, object]) -> bool:
    return any(str(options.get(option, "")).strip() not in ("", "0") for option in _PACED)


def _fio_axes(options: Mapping[str, object]) -> dict[str, Any]:
    axes: dict[str, Any] = {name: str(options[name]) for name in _FIO_TEXTS if isinstance(options.get(name), str)}
    for option, axis in _FIO_NUMBERS.items():
        value = options.get(option)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
            axes[axis] = int(value)
    return axes


# Read the CSV files of locust: `_stats`, `_stats_history`, `_failures` and `_exceptions`.
#
# The row `Aggregated` mixes all requests: a benchmark of its own, of no endpoint. The history is a timeline
# of moving percentiles and no sample: it is kept as series. locust rounds the response times behind its
# percentiles to two digits.


_STATS = "Type,Name,Request Count,Failure Count,"
_HISTORY = "Timestamp,User Count,Type,Name,"
_OTHERS = ("Method,Name,Error,Occurrences", "Count,Message,Traceback,Nodes")
_STATS_NEED = ("Type", "Name", "Failure Count")
_HISTORY_NEEDS = ("Type", "Name", "Timestamp", "Requests/s", "Failures/s")
_METRICS = {
    "Average Response Time": ("latency_mean", "ms"), "Min Response Time": ("latency_min", "ms"),
    "Max Response Time": ("latency_max", "ms"), "Requests/s": ("throughput", "req/s"),
    "Request Count": ("requests", "req"),
}  # fmt: skip
_SECOND = ("Timestamp", "User Count", "Requests/s", "Failures/s", "50%", "95%")
_LOCUST_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)%", re.ASCII)
#: Line, and cells by column.
_LocustRow = tuple[int, dict[str, str]]


def _is_locust(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    first = head.first.strip().replace('"', "")
    return certain_if(first.startswith((_STATS, _HISTORY)) or first in _OTHERS)


def _read_locust(file: TextFile) -> Reading:
    """Read each line of the table as one request name, or one second of it."""
    load = Load(file.source, "locust", Ledger(len(file.lines)))
    load.rounded = "the response times behind its percentiles to two digits"
    header = [cell.strip() for cell in split_cells(file.first) or []]
    rows = list(rows_below(file, load.ledger))
    stats, history = "Request Count" in header, "User Count" in header
    needed = _STATS_NEED if stats else _HISTORY_NEEDS if history else ()
    missing = next((column for column in needed if column not in header), "")
    if missing or not header:
        reason = f"the header has no column '{missing}'" if missing else "no header of locust"
        load.ledger.problem(1, f"{reason}; nothing was read; write the file again")
        load.ledger.refuse(line for line, _ in rows)
    elif stats:
        _keep_stats(rows, load)
    elif history:
        _keep_history(rows, load)
    else:
        for line, row in rows:
            load.ledger.context(line)
            load.remark("failures", line, tuple(row.values()))
    return load.reading()


LOCUST = Format(
    name="locust",
    rule="CSV that starts 'Type,Name,Request Count' or 'Timestamp,User Count'",
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


def _keep_stats(rows: Sequence[_LocustRow], load: Load) -> None:
    def read(row: dict[str, str]) -> Outcome:
        values: list[_Value] = [
            (metric, number_in(row.get(column, ""), column), unit)
            for column, (metric, unit) in _METRICS.items()
            if column in row
        ]
        requests, failures = (number_in(row[column], column) for column in ("Request Count", "Failure Count"))
        if requests is None or failures is None:
            raise DataError("Request Count or Failure Count is empty")
        if not requests:
            load.note(f"'{printable(row['Name'], 60)}' made no request; nothing to keep")
            return "context"
        for column in row:
            share = _LOCUST_SHARE.fullmatch(column)
            # The 100th percentile is the maximum, rounded.
            if share and float(share[1]) < 100:
                try:
                    values.append((percentile_name(float(share[1])), number_in(row.get(column, ""), column), "ms"))
                except DataError as error:
                    load.note(f"{error}; value skipped")
        load.keep(load.start_run(_locust_axes(row)), load.line, values, iterations=requests, errors=failures)
        return "data"

    load.each(rows, read, "line skipped")
    if not len(load.rows):
        load.ledger.note(0, "no request was made; run locust again")


def _keep_history(rows: Sequence[_LocustRow], load: Load) -> None:
    """Keep time, users, requests and failures a second, median and 95th percentile of each name."""
    seconds: dict[tuple[str, str], list[tuple[float | None, ...]]] = {}
    first: dict[tuple[str, str], int] = {}

    def read(row: dict[str, str]) -> Outcome:
        second = tuple(number_in(row.get(column, ""), column) for column in _SECOND)
        key = (row["Type"], row["Name"])
        first.setdefault(key, load.line)
        seconds.setdefault(key, []).append(second)
        return "context"

    load.each(rows, read, "line skipped")
    if not seconds and not load.ledger.problems:
        load.ledger.note(0, "the history has no second in it; run locust again")
    for (_, name), timeline in seconds.items():
        load.add_series("timeline", name.strip() or load.tool, first[_, name], tuple(timeline))


def _locust_axes(row: Mapping[str, str]) -> dict[str, str]:
    name = row["Name"].strip()
    if name == "Aggregated" and not row["Type"].strip():
        return {"benchmark": name}
    return {"benchmark": name, "endpoint": name.partition("?")[0].lstrip("/") or name, "method": row["Type"].strip()}


# JMeter results as CSV or XML (`.jtl`): one line or element a request, raw samples of latency.


#: A message of the server may hold line ends: a quoted cell goes on over this many lines at most.
_LONGEST_CELL = 1000
#: When a request began, in milliseconds since 1970.
_MILLISECONDS = re.compile(r"\d{13}", re.ASCII)
_SEPARATORS = ",\t;|"


def _read_jmeter(file: TextFile) -> Reading:
    """Read each line as one request."""
    ledger = Ledger(len(file.lines))
    load = Load(file.source, "JMeter", ledger)
    start, header = next(((number, line) for number, line in enumerate(file.lines, 1) if line.strip()), (0, ""))
    layout = _jmeter_layout(header)
    if layout is None and any("<testResults" in line for line in file.lines[:3]):
        return _read_jmeter_xml(file, load)
    if layout is None:
        message = "a table without header; set jmeter.save.saveservice.print_field_names=true and run again"
        ledger.problem(start, message)
        ledger.refuse(range(1, len(file.lines) + 1))
        return load.reading()
    ledger.context(start)
    configurations: dict[tuple[str, str], int] = {}
    seconds: dict[int, list[int]] = {}
    held = _are_held(layout.levels(file.lines[start:]))

    def read(line: str) -> Outcome:
        cells = split_cells(line, layout.separator)
        if cells == layout.columns:
            return "context"
        elapsed, success = layout.outcome(cells)
        if success not in ("true", "false", ""):
            load.note(f"success is '{printable(success, 40)}', not true or false; counted as failed")
        label = _one_line(layout.cell(cells, "label").strip()) or "request"
        level = layout.cell(cells, "allThreads").strip() if held else ""
        if (label, level) not in configurations:
            threads = {"threads": level} if level else {}
            configurations[label, level] = load.configure({"benchmark": label, **threads})
        sound = success == "true" or is_expected(layout.cell(cells, "responseCode"))
        errors = float(not sound) if success else None
        load.keep(configurations[label, level], load.line, [("latency", elapsed, "ms")], iterations=1, errors=errors)
        stamp = layout.cell(cells, "timeStamp").strip()
        if _MILLISECONDS.fullmatch(stamp):
            seconds.setdefault(int(stamp) // 1000, [0, 0])[bool(errors)] += 1
        return "data"

    load.each(_jmeter_records(file.lines, start, layout, ledger), read, "line skipped")
    if not len(load.rows):
        ledger.note(0, "holds no request; run the test plan again")
    if seconds:
        load.add_series(REQUESTS_BY_SECOND, "JMeter", start, tuple((at, *seconds[at]) for at in sorted(seconds)))
    return load.reading()


#: Fewer levels, or fewer requests at one, are threads that start and end rather than loads that were held.
_FEWEST_HELD, _FEWEST_AT_ONE = 3, 20


def _are_held(levels: Iterable[str]) -> bool:
    """Whether the requests of each number of threads stand in one long stretch: loads held one after another."""
    seen: set[str] = set()
    for level, stretch in groupby(levels):
        if level in seen or not level.isdigit() or sum(1 for _ in stretch) < _FEWEST_AT_ONE:
            return False
        seen.add(level)
    return len(seen) >= _FEWEST_HELD


#: An element of a request opens, with its attributes; what is within another request is part of that.
_SAMPLE = re.compile(r"<(?P<close>/?)(?P<tag>httpSample|sample)\b(?P<attributes>[^<>]{0,20000})>")
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')


def _read_jmeter_xml(file: TextFile, load: Load) -> Reading:
    """Read each element that is within no other as one request: its time holds those of the redirects within it."""
    configurations: dict[tuple[str, str], int] = {}
    depth = 0
    opened = (match for line in file.lines for match in _SAMPLE.finditer(line) if not match["close"])
    held = _are_held(dict(_ATTRIBUTE.findall(match["attributes"])).get("na", "") for match in opened)

    def read(line: str) -> Outcome:
        nonlocal depth
        outcome: Outcome = "noise"
        for match in _SAMPLE.finditer(line):
            if match["close"]:
                depth = max(0, depth - 1)
                continue
            outcome = "context" if depth and outcome == "noise" else outcome
            within, depth = depth, depth + (not match["attributes"].endswith("/"))
            if not within:
                keep(dict(_ATTRIBUTE.findall(match["attributes"])))
                outcome = "data"
        return outcome

    def keep(attributes: Mapping[str, str]) -> None:
        elapsed = number_in(attributes.get("t", ""))
        if elapsed is None or elapsed < 0:
            raise DataError(f"t is '{printable(attributes.get('t', ''), 40)}'")
        label = _one_line(unescape(attributes.get("lb", "")).strip()) or "request"
        level = attributes["na"] if held else ""
        if (label, level) not in configurations:
            threads = {"threads": level} if level else {}
            configurations[label, level] = load.configure({"benchmark": label, **threads})
        success = attributes.get("s", "")
        errors = float(success != "true") if success else None
        load.keep(configurations[label, level], load.line, [("latency", elapsed, "ms")], iterations=1, errors=errors)

    load.each(enumerate(file.lines, 1), read, "request skipped")
    if depth:
        load.ledger.note(0, "the last request is not closed: was the file cut? run the test plan again")
    elif not len(load.rows):
        load.ledger.note(0, "holds no request; run the test plan again")
    return load.reading()


JMETER = Format(
    name="jmeter",
    rule="a header with timeStamp, elapsed and label, or XML with testResults",
    yields="latency of each request, by label; failed requests apart",
    limits="closed loop; throughput (count the requests over the time you mean); requests within requests of XML",
    recognise=lambda head: certain_if(
        _jmeter_layout(head.first) or any("<testResults" in line for line in head.lines[:3])
    ),
    read=_read_jmeter,
)


@dataclass(frozen=True, slots=True)
class _JmeterLayout:
    """How the lines of a file are cut into cells, and which cell is which."""

    separator: str
    columns: list[str]

    def cell(self, cells: Sequence[str] | None, column: str) -> str:
        """Return one cell of a record, empty where the file has no such column."""
        return cells[self.columns.index(column)] if cells and column in self.columns else ""

    def levels(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield how many threads ran at each request, where the file says so."""
        if "allThreads" in self.columns:
            for line in lines:
                cells = split_cells(line, self.separator)
                if self.is_record(cells) and cells != self.columns:
                    yield self.cell(cells, "allThreads").strip()

    def is_record(self, cells: Sequence[str] | None) -> bool:
        return cells is not None and len(cells) == len(self.columns)

    def outcome(self, cells: Sequence[str] | None) -> tuple[float, str]:
        """Return the time of a request, and whether it succeeded in the words of the file."""
        if cells is None:
            raise DataError("a quote is left open")
        if not self.is_record(cells):
            raise DataError(f"{len(cells)} fields where the header has {len(self.columns)}")
        written = self.cell(cells, "elapsed")
        try:
            elapsed = float(written) if written.isascii() and "_" not in written else math.nan
        except ValueError:
            elapsed = math.nan
        if not 0 <= elapsed < math.inf:
            raise DataError(f"elapsed is '{printable(written, 40)}'")
        return elapsed, self.cell(cells, "success").strip().lower()

    def starts_request(self, line: str) -> bool:
        """Whether a line has the stamp, time and outcome of a request of its own, whatever its quotes."""
        cells = split_cells(line, self.separator)
        cells = cells if self.is_record(cells) and cells else line.split(self.separator)[: len(self.columns)]
        try:
            _, success = self.outcome(cells)
        except DataError:
            return False
        return self.cell(cells, "timeStamp").strip()[:1].isdigit() and success in ("true", "false", "")


def _jmeter_layout(header: str) -> _JmeterLayout | None:
    for separator in _SEPARATORS:
        columns = [part.strip() for part in header.split(separator)]
        if {"timeStamp", "elapsed", "label"} <= set(columns):
            return _JmeterLayout(separator, columns)
    return None


def _jmeter_records(
    lines: Sequence[str], header: int, layout: _JmeterLayout, ledger: Ledger
) -> Iterator[tuple[int, str]]:
    """Yield filled lines below the header; a line whose quoted cell goes on is joined with those that end it."""
    end = header
    while end < len(lines):
        number, line = end + 1, lines[end]
        end = number
        if not line.strip():
            continue
        if line.count('"') % 2:
            closed = _end_of_cell(lines, number, layout)
            if closed:
                line = "\n".join(lines[number - 1 : closed])
                for more in range(number + 1, closed + 1):
                    ledger.context(more)
                end = closed
            elif layout.is_record(split_cells(line, layout.separator)):
                ledger.note(number, "a quote inside a field is never closed; read as a part of its text")
        yield number, line


def _end_of_cell(lines: Sequence[str], number: int, layout: _JmeterLayout) -> int:
    """Return the line that closes the quote a line leaves open, 0 where the quote is a stray one.

    A stray quote would swallow the requests below it: a cell holds no line that is a request by itself, and
    the lines joined are one record of the header's width. No end is looked for beyond the next odd quote, so
    that a file full of stray ones is walked once.
    """
    if split_cells(lines[number - 1], layout.separator) is not None:
        return 0
    for end in range(number + 1, min(number + _LONGEST_CELL, len(lines)) + 1):
        line = lines[end - 1]
        if layout.starts_request(line):
            return 0
        if line.count('"') % 2:
            joined = "\n".join(lines[number - 1 : end])
            return end if layout.is_record(split_cells(joined, layout.separator)) else 0
    return 0


# Read the CSV of single requests that hey, oha and ghz write: one latency a line.
#
# Failed requests that got no answer stand in ghz's and oha's file, and are missing from hey's.


class _RequestLayout(NamedTuple):
    """The columns of latency and status in the file of a tool, and the unit of the latency."""

    tool: str
    latency: str
    status: str
    unit: str

    def parse(self, row: Mapping[str, str]) -> tuple[str, float, bool]:
        """Read one row as a request without URL."""
        latency, status = number_in(row[self.latency], self.latency), row[self.status].strip()
        if latency is None:
            raise DataError("a request without a latency")
        if self.tool == "ghz":
            return "", latency, status != "OK"
        if not _STATUS.fullmatch(status):
            raise DataError(f"'{printable(status, 40)}' is not an HTTP status")
        return "", latency, not is_sound_status(status)


_LAYOUTS = {
    "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset": _RequestLayout(
        "hey", "response-time", "status-code", "s"
    ),
    "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status": _RequestLayout(
        "oha", "request-duration", "status", "s"
    ),
    "duration (ms),status,error": _RequestLayout("ghz", "duration (ms)", "status", "ms"),
}
_STATUS = re.compile(r"\d{1,3}", re.ASCII)


def _read_request_csv(file: TextFile) -> Reading:
    """Read each line below the header as one request."""
    ledger = Ledger(len(file.lines))
    layout = _LAYOUTS.get(file.first.strip())
    if layout is None:
        ledger.problem(1, "no header of hey, oha or ghz; nothing was read")
        return Load(file.source, "request-csv", ledger).reading()
    load = Load(file.source, layout.tool, ledger)
    return _read_requests(load, layout.unit, rows_below(file, ledger), layout.parse)


REQUEST_CSV = Format(
    name="request-csv",
    rule="the CSV header of hey, oha or ghz",
    yields="the latency of each request",
    limits="no throughput, URL or concurrency; hey leaves out requests that got no answer; closed loop",
    contains=frozenset({"csv"}),
    recognise=lambda head: certain_if(head.first.strip() in _LAYOUTS),
    read=_read_request_csv,
)


# Read the JSON of autocannon (`-j`): one run a line.
#
# Its latencies are whole milliseconds, of answered requests only, and all zero where none was answered.
# With `-R` it corrects them for coordinated omission: its histogram then counts more than it asked.


_AUTOCANNON_SHARE = re.compile(r"p(\d{1,2}(?:_\d{1,6})?)", re.ASCII)


def _read_autocannon(file: TextFile) -> Reading:
    """Read the run of a file, or of each of its lines: ``>>`` puts one below the other."""
    starts = [number for number, line in enumerate(file.lines, start=1) if line.startswith("{")]
    records = Records(starts or [1])
    load = Load(file.source, "autocannon", records, rounded="latencies to whole milliseconds")
    if not starts:
        records.problem(0, "no line starts a document; write the file with autocannon -j")

    def read(place: tuple[int, int]) -> Outcome:
        start, end = place
        document = parse_text("\n".join(file.lines[start - 1 : end - 1]), start)
        records.whole(document.problems)
        if not document.parsed:
            raise DataError("the run cannot be read")
        _keep_autocannon(document.root, load, start)
        return "data"

    ends = [*starts[1:], len(file.lines) + 1]
    load.each(
        enumerate(zip(starts, ends, strict=True) if starts else ()), read, "it was not kept; write the file again"
    )
    return load.reading()


AUTOCANNON = Format(
    name="autocannon",
    rule="JSON with latency.p97_5 and non2xx",
    yields="throughput, requests, transfer, latency mean, min, max, stdev and percentiles from p10",
    limits=(
        "percentiles of one run, in whole ms, without requests that timed out; throughput and transfer are means "
        "over samples of a second; closed loop unless -R was given"
    ),
    recognise=lambda head: certain_if({"latency.p97_5", "non2xx"} <= outline(head, depth=2)),
    read=_read_autocannon,
)


def _keep_autocannon(root: object, load: Load, line: int) -> None:
    counts = {key: number_at(root, key) or 0 for key in ("errors", "timeouts", "non2xx", "mismatches")}
    total, answered = number_at(root, "requests.total"), number_at(root, "latency.totalCount")
    rate = number_at(root, "requests.average")
    if total is None or answered is None or rate is None or number_at(root, "non2xx") is None:
        raise DataError("requests.total, requests.average, latency.totalCount or non2xx is missing")
    axes = _endpoint_axes(text_at(root, "url") or "")
    values: list[_Value] = [
        ("throughput", rate, "req/s"),
        ("requests", total, "req"),
        ("transfer", number_at(root, "throughput.average"), "B/s"),
    ]
    if answered:
        keys = {"mean": "average", "stdev": "stddev", "min": "min", "max": "max"}
        values += _latencies_at(root, "latency", keys, "ms")
        values += _percentiles_at(root, "latency", _AUTOCANNON_SHARE, "ms", smallest=_SMALLEST_SHARE)
    # 0 workers is the main thread alone.
    axes |= {key: _setting_at(root, key) for key in ("connections", "pipelining", "workers")}
    # Time-outs are among the errors.
    errors = counts["errors"] + counts["non2xx"] + counts["mismatches"]
    requests = total + counts["errors"]
    load.keep(load.start_run(axes), line, values, iterations=requests, errors=errors)
    load.timeouts(line, counts["timeouts"], requests)
    load.closed_loop &= answered <= total


# Read the JSON of fortio (`fortio load -json`): a histogram's percentiles, in seconds.
#
# References
# github.com/fortio/fortio: wiki page "Sample JSON output"; periodic/periodic.go, fhttp/httprunner.go.


#: Codes of answers that are results; gRPC health checks say SERVING.
_SOUND = ("2", "3", "SERVING", "OK")


FORTIO = Format(
    name="fortio",
    rule="JSON with ActualQPS and DurationHistogram",
    yields="throughput, requests, latency mean, min, max, stdev and percentiles",
    limits=(
        "percentiles interpolated within buckets of a histogram (of 1 ms unless -r was given), failures among them; "
        "closed loop at RequestedQPS max"
    ),
    recognise=lambda head: certain_if({"ActualQPS", "DurationHistogram"} <= outline(head, depth=1)),
    read=lambda file: _read_documents(
        file, partial(_read_report, "fortio", _keep_fortio, "write it again with fortio load -json", file)
    ),
)


def _keep_fortio(root: object, load: Load, line: int) -> None:
    load.rounded = _bucket(root)
    rate, requests = number_at(root, "ActualQPS"), number_at(root, "DurationHistogram.Count")
    if rate is None or requests is None:
        raise DataError("ActualQPS or DurationHistogram.Count is missing")
    codes = _numbers_at(root, "RetCodes")
    # Newer versions count failures themselves; older ones list answers by code alone.
    errors = max(
        sum(count for code, count in codes.items() if not code.startswith(_SOUND)),
        number_at(root, "ErrorsDurationHistogram.Count") or 0,
    )
    asked = text_at(root, "RequestedQPS") or "max"
    axes = _endpoint_axes(text_at(root, "URL") or "")
    axes |= {"connections": _setting_at(root, "NumThreads"), "rate": None if asked == "max" else asked}
    values: list[_Value] = [("throughput", rate, "req/s"), ("requests", requests, "req")]
    if requests:
        keys = {"mean": "Avg", "min": "Min", "max": "Max", "stdev": "StdDev"}
        values += _latencies_at(root, "DurationHistogram", keys, "s")
        for entry in list_at(root, "DurationHistogram.Percentiles"):
            share = number_at(entry, "Percentile")
            if share is not None:
                values.append((percentile_name(share), number_at(entry, "Value"), "s"))
    load.keep(load.start_run(axes), line, values, iterations=requests, errors=errors)
    load.closed_loop = asked == "max"


def _bucket(root: object) -> str:
    """Say how wide the bucket is that the median was interpolated in; empty where the file does not say."""
    for entry in list_at(root, "DurationHistogram.Data"):
        start, end, share = (number_at(entry, key) for key in ("Start", "End", "Percent"))
        if start is not None and end is not None and share is not None and share >= 50:
            span = f"{start * 1e3:.3g} to {end * 1e3:.3g} ms"
            return f"percentiles to buckets: the one that holds the median spans {span}"
    return ""


# Read the JSON of bombardier (`--print result --format json`): latencies in microseconds.
#
# References
# github.com/codesenberg/bombardier: README, and template/doc.go for the fields of a result.


_BOMBARDIER_FAILED = ("req1xx", "req4xx", "req5xx", "others")
_BOMBARDIER_ANSWERED = ("req2xx", "req3xx")


BOMBARDIER = Format(
    name="bombardier",
    rule="JSON with spec.numberOfConnections and result.req2xx",
    yields="throughput, requests, latency mean, max, stdev and percentiles",
    limits="percentiles of one run; throughput is a mean over samples; closed loop",
    documentation="https://github.com/codesenberg/bombardier",
    recognise=lambda head: certain_if({"spec.numberOfConnections", "result.req2xx"} <= outline(head, depth=3)),
    read=lambda file: _read_documents(
        file,
        partial(_read_report, "bombardier", _keep_bombardier, "write it again with --print result --format json", file),
    ),
)


def _keep_bombardier(root: object, load: Load, line: int) -> None:
    failed, answered = (
        sum(number_at(root, ("result", key)) or 0 for key in keys)
        for keys in (_BOMBARDIER_FAILED, _BOMBARDIER_ANSWERED)
    )
    rate = number_at(root, "result.rps.mean")
    if rate is None or number_at(root, "result.req2xx") is None:
        raise DataError("result.rps.mean or result.req2xx is missing")
    requests = failed + answered
    messages = {
        text_at(entry, "description") or "": number_at(entry, "count") or 0 for entry in list_at(root, "result.errors")
    }
    # What could not be answered at all is counted under "others" and again, by kind, in the list of errors.
    errors = max(failed, sum(messages.values()))
    axes = _endpoint_axes(text_at(root, "spec.url") or "")
    axes |= {"connections": _setting_at(root, "spec.numberOfConnections"), "rate": _setting_at(root, "spec.rate")}
    values: list[_Value] = [("throughput", rate, "req/s"), ("requests", requests, "req")]
    if requests:
        values += _latencies_at(root, "result.latency", {"mean": "mean", "stdev": "stddev", "max": "max"}, "us")
        refused = "result.latency.percentiles has the percentile"
        values += _percentiles_at(root, "result.latency.percentiles", _SHARE, "us", refused=refused)
    load.keep(load.start_run(axes), line, values, iterations=requests, errors=errors)
    load.timeouts(line, sum(count for words, count in messages.items() if is_timeout(words)), requests)


# Read the report of `artillery run --output`, versions 1 and 2: the aggregate of all of its periods.
#
# Version 1 counts answers by `codes` and errors by name; version 2 has counters of both. A virtual user that failed
# is one of these errors.


_ARTILLERY_TIMES = re.compile(r"p(\d{2,3})")
_ARTILLERY_STATISTICS = {"min": "min", "max": "max", "mean": "mean", "p50": "median"}


def _keep_artillery(root: object, load: Load, line: int) -> None:
    load.closed_loop = False
    whole = object_at(root, "aggregate")
    counters = _numbers_at(root, "aggregate.counters") if "counters" in whole else {}
    if counters:
        requests = counters.get("http.requests") or counters.get("websocket.messages_sent")
        statuses = {key[11:]: count for key, count in counters.items() if key.startswith("http.codes.")}
        failed = _failed_answers(statuses) + sum(count for key, count in counters.items() if key.startswith("errors."))
        times, rate = "summaries.http.response_time", number_at(root, ("aggregate", "rates", "http.request_rate"))
        latencies: object = object_at(root, "aggregate.summaries").get("http.response_time")
    else:
        requests = number_at(root, ("aggregate", "requestsCompleted"))
        failed = _failed_answers(_numbers_at(root, "aggregate.codes"))
        failed += math.fsum(_numbers_at(root, "aggregate.errors").values())
        times, rate = "latency", number_at(root, ("aggregate", "rps", "mean"))
        latencies = whole.get("latency")
    if not requests:
        raise DataError("made no request")
    if not isinstance(latencies, Mapping):
        raise DataError(f"has no {times}")
    values = _latencies_at(latencies, "", _ARTILLERY_STATISTICS, "ms")
    for key in latencies:
        if (match := _ARTILLERY_TIMES.fullmatch(str(key))) and match[1] != "50":
            share = float(f"{match[1][:2]}.{match[1][2:] or 0}")
            values.append((percentile_name(share), number_at(latencies, (str(key),)), "ms"))
    values += [("throughput", rate, "req/s"), ("requests", requests, "req")]
    load.keep(load.start_run({"benchmark": "artillery"}), line, values, iterations=requests, errors=failed)


_ARTILLERY_START = "Summary report @ "
_ARTILLERY_LINE = re.compile(
    r"(?P<inner>  )?(?P<key>[^\s:][^\s]{0,200}):(?: \.+ (?P<number>[\d.]{1,20})(?:/sec)?)?\s*", re.ASCII
)


def _read_artillery(file: TextFile) -> Reading:
    """Read the reports of a file, or what version 2 prints at the end of each run."""
    starts = [number for number, line in enumerate(file.lines, 1) if line.startswith(_ARTILLERY_START)]
    if not starts:
        return _read_documents(file, partial(_read_report, "artillery", _keep_artillery, "run artillery again", file))
    load = Load(file.source, "artillery", Ledger(len(file.lines)))

    def read(start: int) -> Outcome:
        _keep_artillery(_printed_artillery(file, start, load.ledger), load, start)
        return "data"

    load.each(zip(starts, starts, strict=True), read, "nothing was kept; run artillery again")
    return load.reading()


def _printed_artillery(file: TextFile, start: int, ledger: Ledger) -> dict[str, Any]:
    """Return what stands below a line of summary, as its report has it: the keys are the same."""
    counters: dict[str, float | None] = {}
    times: dict[str, dict[str, float | None]] = {}
    for number, line in enumerate(file.lines[start:], start + 1):
        match = _ARTILLERY_LINE.fullmatch(line)
        if line.startswith((_ARTILLERY_START, "Metrics for period")):
            break
        if match is None or _at_open_end(file, number):
            continue
        ledger.context(number)
        if not match["number"]:
            times[match["key"]] = {}
        elif not match["inner"]:
            counters[match["key"]] = number_in(match["number"])
        elif times:
            times[next(reversed(times))][match["key"]] = number_in(match["number"])
    return {"aggregate": {"counters": counters, "rates": counters, "summaries": times}}


ARTILLERY = Format(
    name="artillery",
    rule="JSON with aggregate.counters or aggregate.latency, or a line 'Summary report @'",
    yields="throughput, requests, and latency mean, extremes and percentiles of the whole run",
    limits="periods, endpoints and phases apart; latencies of answers with an error are among them; open loop",
    documentation="https://www.artillery.io/docs/reference/cli/run",
    recognise=lambda head: certain_if(
        any(line.startswith(_ARTILLERY_START) for line in head.lines)
        or ({"aggregate.counters", "aggregate.latency"} & outline(head, 2) and "intermediate" in outline(head, 1))
    ),
    read=_read_artillery,
)

READERS = (
    ARTILLERY,
    VEGETA,
    FIO,
    LOCUST,
    JMETER,
    REQUEST_CSV,
    AUTOCANNON,
    FORTIO,
    BOMBARDIER,
)
