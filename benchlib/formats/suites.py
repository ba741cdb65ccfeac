"""Suites of benchmarks: JMH, google-benchmark, pyperf, pytest-benchmark, hyperfine, Bencher, GitHub Action."""

from __future__ import annotations

import json
import math
import re
from collections import ChainMap, Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from benchlib import metrics, units
from benchlib.errors import DataError, printable
from benchlib.formats.collector import Collector, Outcome, certain_if, number_in, rows_below, split_cells
from benchlib.formats.json_text import (
    Document,
    _pick,
    _read_documents,
    _without_constants,
    instant,
    list_at,
    number_at,
    object_at,
    outline,
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
    _cut_row,
    _one_line,
    open_line,
)
from benchlib.results import RECORDED

# What readers of records share: they read one record at a time, and a bad one spoils no other.


#: Columns that a configuration fills when it names them: a parameter of that name is an axis.
_RESERVED = ("benchmark", "run")
_LONGEST_TEXT = 200


#: Reads one record into what is collected.
_RecordReader = Callable[[Collector, Any], Outcome]


def _read_json(
    file: TextFile,
    path: str,
    collect: Callable[[object], tuple[list[Any], _RecordReader]],
    *,
    wanted: str,
    writes_nan: bool = False,
) -> Reading:
    """Read documents whose records are at a path; `collect` gives the records and what reads each."""

    def read_document(document: Document) -> Reading:
        try:
            records, read = collect(document.root)
        except DataError as error:
            # The outer shape is not the tool's: one record, one problem.
            whole = Records([document.first_line])
            whole.whole(document.problems)
            whole.problem(0, f"{error}; nothing could be read")
            return whole.reading(Rows(), [])
        build = Collector(file.source, Records(_record_lines(document, path, len(records))))
        build.each(enumerate(records), partial(read, build))
        problems = _without_constants(document.problems) if writes_nan else document.problems
        return build.finish(problems, wanted=wanted)

    return _read_documents(file, read_document)


def _record_lines(document: Document, path: str, count: int) -> list[int]:
    """Return the line of each of the ``count`` records at a path; the first line where it cannot be found.

    A key that stands twice has records that no list holds any more: the last ones are those used.
    """
    lines = document.lines(path)[-count:] if count else []
    return [document.first_line] * (count - len(lines)) + lines


def _read_table(
    file: TextFile,
    read: _RecordReader,
    *,
    wanted: str,
    is_header: Callable[[list[str]], bool] | None = None,
    separator: str = ",",
    guard_end: bool = False,
) -> Reading:
    """Read each line below a header as one record, by column."""
    build = Collector(file.source, Ledger(len(file.lines)))
    rows = rows_below(file, build.ledger, separator=separator, is_header=is_header, guard_end=guard_end)
    build.each(rows, partial(read, build), "line skipped")
    return build.finish(wanted=wanted)


def _axes_of(parameters: Mapping[str, object]) -> dict[str, Any]:
    """Return parameters as axes: numbers and texts as they are, truth values as words, others as JSON."""
    axes: dict[str, Any] = {}
    for key, value in parameters.items():
        if value is None or not key.strip():
            continue
        name = printable(key, 60)
        name = f"{name}_axis" if name in _RESERVED else name
        if isinstance(value, (str, dict, list, bool)):
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            axes[name] = printable(shown, _LONGEST_TEXT)
        else:
            axes[name] = value
    return axes


def _prefixed(record: Mapping[str, str], prefix: str) -> dict[str, str]:
    """Return the cells whose column begins with a prefix, by the rest of its name."""
    return {column.removeprefix(prefix): cell for column, cell in record.items() if column.startswith(prefix)}


# JMH's JSON: one value a fork, because iterations within one virtual machine are no repetitions.
#
# References
# Kalibera and Jones, *Rigorous benchmarking in reasonable time*, ISMM 2013: runs of one process share
# its code layout and compilation, so the process (JMH's fork) is what is repeated.

#: Percentiles of a sampled benchmark, as secondary metrics: the primary one has them all.
_JMH_PERCENTILE = re.compile(r"(?:.*[·:])?p[01]\.\d+", re.DOTALL)


JMH = Format(
    name="jmh",
    rule="a JSON list with jmhVersion, or with benchmark and primaryMetric",
    yields="one value a fork (the mean of its iterations); percentiles of sampled calls; profilers; parameters",
    limits="iterations are averaged within their fork; sampled percentiles are one sample over all forks",
    recognise=lambda head: certain_if(
        "[].primaryMetric" in outline(head) or {"[].jmhVersion", "[].benchmark"} <= outline(head)
    ),
    read=lambda file: _read_json(
        file, "[]", _jmh_records, wanted="JMH writes a list of benchmarks with a primaryMetric each"
    ),
)


def _jmh_records(root: object) -> tuple[list[Any], _RecordReader]:
    return root if isinstance(root, list) else [root], _read_jmh


def _read_jmh(build: Collector, record: object) -> Outcome:
    name, mode = text_at(record, "benchmark"), text_at(record, "mode")
    if not name:
        raise DataError("an entry without a benchmark")
    benchmark, package = _jmh_task(name)
    threads = number_at(record, "threads")
    build.configure(
        {
            "benchmark": benchmark,
            **_axes_of(object_at(record, "params")),
            **_axes_of({"threads": None if threads is None else int(threads), "mode": mode}),
            **_axes_of({"pkg": package or None, "jdk": text_at(record, "jdkVersion")}),
        }
    )
    primary = object_at(record, "primaryMetric")
    unit = text_at(primary, "scoreUnit") or ""
    forks = _forks(primary)
    if not forks:
        raise DataError(f"{printable(name, 60)} has no score")
    for fork in forks:
        build.hold(name, _metric_of(unit), fork, unit)
    _note_missing(build, name, primary)
    if "rawDataHistogram" in primary:
        _keep_percentiles(build, name, primary, unit.partition("/")[0])
    for key, secondary in object_at(record, "secondaryMetrics").items():
        if not _JMH_PERCENTILE.fullmatch(key):
            written = text_at(secondary, "scoreUnit") or ""
            for fork in _forks(secondary):
                build.hold(name, _secondary_name(key), fork, written)
            _note_missing(build, f"{name} {_secondary_name(key)}", secondary)
    return "data"


def _jmh_task(name: str) -> tuple[str, str]:
    """Return the class and method of a benchmark, and its package."""
    parts = name.split(".")
    return ".".join(parts[-2:]), ".".join(parts[:-2])


def _metric_of(unit: str) -> str | None:
    """Return the metric of a score where its unit does not name it: an operation that takes a time."""
    return "time" if unit in ("ns", "us", "ms", "s") else None


def _secondary_name(key: str) -> str:
    """Return the metric of a profiler's or counter's name."""
    bare = printable(key, 60).lstrip("·+")
    return "memory" if bare == "gc.alloc.rate.norm" else bare.replace(".", "_") or "unnamed"


def _forks(metric: object) -> list[float]:
    """Return one value a fork, or the score alone where no iteration was written."""
    raw = [fork for fork in list_at(metric, "rawData") if isinstance(fork, list)]
    means = [_mean([(iteration, 1.0) for iteration in _iterations(fork)]) for fork in raw]
    if not means:
        histograms = [fork for fork in list_at(metric, "rawDataHistogram") if isinstance(fork, list)]
        means = [_mean(_counted(fork)) for fork in histograms]
    if not means:
        means = [_finite(_pick(metric, "score"))]
    return [mean for mean in means if mean is not None]


def _note_missing(build: Collector, name: str, metric: object) -> None:
    """Say which iterations gave no value: JMH writes them as NaN, or they are null."""
    for number, fork in enumerate(list_at(metric, "rawData"), start=1):
        iterations = fork if isinstance(fork, list) else []
        lost = len(iterations) - len(_iterations(iterations))
        if lost == len(iterations):
            build.note(f"fork {number} of {printable(name, 60)} has no iteration with a value; left out")
        elif lost:
            build.note(
                f"fork {number} of {printable(name, 60)}: {lost} of {len(iterations)} iterations are NaN; left out"
            )


def _counted(fork: Sequence[object]) -> list[tuple[float, float]]:
    """Return values and counts of the histograms of one fork's iterations."""
    pairs: list[tuple[float, float]] = []
    for iteration in fork:
        for pair in iteration if isinstance(iteration, list) else []:
            if not isinstance(pair, list) or len(pair) != 2:
                raise DataError("a histogram with something else than pairs of value and count")
            value, count = _finite(pair[0]), _finite(pair[1])
            if value is None or count is None or count < 0:
                raise DataError("a histogram with a value or count that is no number")
            pairs.append((value, count))
    return pairs


def _iterations(fork: Sequence[object]) -> list[float]:
    return [value for value in map(_finite, fork) if value is not None]


def _finite(value: object) -> float | None:
    # JMH writes a score that could not be measured as the text "NaN".
    return None if value == "NaN" else number_at({"score": value}, "score")


def _mean(weighted: Sequence[tuple[float, float]]) -> float | None:
    total = math.fsum(weight for _, weight in weighted)
    return math.fsum(value * weight for value, weight in weighted) / total if total > 0 else None


def _keep_percentiles(build: Collector, name: str, primary: object, unit: str) -> None:
    for key, written in object_at(primary, "scorePercentiles").items():
        value = _finite(written)
        try:
            level = float(key)
        except ValueError:
            build.note(f"percentile '{printable(key, 20)}' is no number; left out")
            continue
        if value is None:
            build.note(f"percentile {level:g} of {printable(name, 60)} is NaN; left out")
        else:
            build.hold(name, _latency_name(level), value, unit)


def _latency_name(level: float) -> str:
    """Return the metric of a percentile."""
    ends = {0.0: "latency_min", 100.0: "latency_max"}
    return ends.get(level, f"latency_p{level:.10g}")


# What a record of google-benchmark means, whether it stood in JSON or in CSV.
#
# A record is one repetition, or an aggregate over the repetitions of a benchmark. Aggregates repeat
# what the repetitions say; `cv` and `RMS` are ratios though their unit says `ns`, and `BigO` is
# a fit. They are read only where the repetitions were not written, and then the median alone.
#
# References
# google/benchmark, `docs/user_guide.md`, *Statistics: Reporting the Mean, Median and Standard
# Deviation* and `src/json_reporter.cc`.


_GOOGLE_UNITS = ("ns", "us", "ms", "s")
_AGGREGATE = re.compile(r"(.+)_(mean|median|stddev|cv|BigO|RMS)", re.DOTALL)
_FITS = ("BigO", "RMS")
#: Keys of a record that are no counters of the user.
_GOOGLE_OWN = frozenset(
    {
        *("name", "family_index", "per_family_instance_index", "run_name", "run_type", "threads"),
        *("repetitions", "repetition_index", "aggregate_name", "aggregate_unit", "iterations"),
        *("real_time", "cpu_time", "time_unit", "label", "error_occurred", "error_message"),
        *("skipped", "skip_message", "cpu_coefficient", "real_coefficient", "big_o", "rms"),
    }
)
_RATES = {
    "bytes_per_second": ("transfer", "B/s"),
    "items_per_second": ("throughput", "item/s"),
    "allocs_per_iter": ("allocations", "allocs/op"),
    "max_bytes_used": ("memory_max", "B"),
    "total_allocated_bytes": ("memory_total", "B"),
    "net_heap_growth": ("heap_growth", "B"),
}
#: How long it was measured, in a name: kept as an axis, or two settings would be one sample.
_SETTINGS = {"iterations": "set_iterations"}
_LONGEST_LABEL = 200
_TIMERS = ("real_time", "process_time", "manual_time")


class _Family:
    """Which benchmarks of a file have repetitions, and which only aggregates."""

    def __init__(self, benchmarks: Sequence[object]) -> None:
        records = [record for record in benchmarks if isinstance(record, dict)]
        self.names = {record["name"] for record in records if isinstance(record.get("name"), str)}
        self.repeated: set[str] = set()
        self.medians: set[str] = set()
        for record in records:
            name, aggregate = self.parts(record)
            if not aggregate:
                self.repeated.add(name)
            elif aggregate == "median":
                self.medians.add(name)

    def parts(self, record: Mapping[str, object]) -> tuple[str, str]:
        """Return the name of the benchmark and of the aggregate, an empty one for a repetition."""
        name = record.get("name")
        name = name if isinstance(name, str) else ""
        match = _AGGREGATE.fullmatch(name)
        kind = record.get("run_type")
        if kind == "aggregate":
            aggregate, run = record.get("aggregate_name"), record.get("run_name")
            base = run if isinstance(run, str) and run else match[1] if match else name
            return base, aggregate if isinstance(aggregate, str) and aggregate else match[2] if match else "unnamed"
        if kind is None and match and self._is_aggregate(match[1], match[2]):
            return match[1], match[2]
        run = record.get("run_name")
        return (run if isinstance(run, str) and run else name), ""

    def _is_aggregate(self, base: str, aggregate: str) -> bool:
        # CSV and old JSON say it by the name alone, and a benchmark may end in _mean of itself.
        return aggregate in _FITS or base in self.names or {f"{base}_mean", f"{base}_median"} <= self.names


def _read_google(family: _Family, facts: Mapping[str, Any], build: Collector, record: object) -> Outcome:
    """Keep the values of one repetition, or of the one aggregate that stands for it."""
    if not isinstance(record, dict):
        raise DataError("a benchmark that is no object")
    if not text_at(record, "name"):
        raise DataError("a benchmark without a name")
    name, aggregate = family.parts(record)
    if aggregate and (name in family.repeated or aggregate != ("median" if name in family.medians else "mean")):
        return "context"
    if _true(record, "skipped"):
        return "context"
    benchmark, axes = _google_task(name)
    label = (text_at(record, "label") or "").strip()
    if label:
        # An argument of the name may be called label as well.
        axes["label_axis" if "label" in axes else "label"] = printable(label, _LONGEST_LABEL)
    build.configure({"benchmark": benchmark, **axes, **facts})
    shown = printable(name, 60)
    failed, time, unit = _true(record, "error_occurred"), number_at(record, "real_time"), text_at(record, "time_unit")
    if failed and time is None:
        build.add_series("failed-benchmark", benchmark, build.line)
        raise DataError(f"{shown} failed ({printable(text_at(record, 'error_message') or 'no reason', 60)})")
    if time is None:
        raise DataError(f"{shown} has no real_time")
    if unit not in _GOOGLE_UNITS:
        raise DataError(f"time_unit of {shown} is {printable(str(unit), 20)}, not one of ns, us, ms, s")
    iterations = None if aggregate else number_at(record, "iterations")
    keep = partial(build.hold, name, iterations=iterations, errors=(iterations or 1.0) if failed else 0.0)
    keep("time", time, f"{unit}/op")
    cpu = number_at(record, "cpu_time")
    if cpu is not None:
        keep("cpu_time", cpu, f"{unit}/op")
    for key, value in record.items():
        if key in _GOOGLE_OWN or not key.strip() or isinstance(value, (str, bool, dict, list)):
            continue
        counted = number_at(record, (key,))
        if counted is None:
            build.note(f"{printable(key, 60)} of {shown} is no number; left out")
        else:
            metric, written = _RATES.get(key, (printable(key, 60), ""))
            keep(metric, counted, written)
    return "data"


def _true(record: Mapping[str, object], key: str) -> bool:
    return _pick(record, (key,)) in (True, "true")


def _google_task(name: str) -> tuple[str, dict[str, Any]]:
    """Return the benchmark of a full name and the axes its parts state."""
    benchmark, *parts = name.split("/")
    axes: dict[str, Any] = {}
    left: list[str] = []
    for part in parts:
        key, colon, value = part.partition(":")
        if part in _TIMERS:
            axes["timer"] = part
        elif colon and key and value and key not in ("benchmark", "run"):
            axes[_SETTINGS.get(key, key)] = value
        elif part:
            left.append(part)
    if left:
        axes["case"] = "/".join(left)
    return benchmark or name, axes


# google-benchmark's JSON: every repetition of every benchmark, its counters, and what failed.


_GOOGLE_JSON_FACTS = {"host_name": "machine", "library_build_type": "build"}


def _is_google_benchmark(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    paths = outline(head)
    timed = {"benchmarks[].real_time", "benchmarks[].run_name", "benchmarks[].cpu_time"} & paths
    return certain_if(timed and {"context", "benchmarks[].run_name"} & paths)


GOOGLE_BENCHMARK = Format(
    name="google-benchmark",
    rule="JSON with benchmarks[].real_time beside context, or with benchmarks[].run_name",
    yields="time (real), cpu_time, transfer, throughput and counters of each repetition; arguments, threads and label",
    limits="with --benchmark_report_aggregates_only one sample, the median; time of several threads is wall time",
    recognise=_is_google_benchmark,
    read=lambda file: _read_json(
        file,
        "benchmarks[]",
        _google_records,
        wanted="google-benchmark writes 'benchmarks' with a real_time each",
        # For the cv of nothing; in a repetition its record says so.
        writes_nan=True,
    ),
)


def _google_records(root: object) -> tuple[list[Any], _RecordReader]:
    records, context = list_at(root, "benchmarks"), object_at(root, "context")
    facts = _axes_of({axis: context.get(key) for key, axis in _GOOGLE_JSON_FACTS.items()})
    return records, partial(_read_google, _Family(records), facts)


# google-benchmark's CSV: the records of its JSON, cut to six digits.


_GOOGLE_CSV_HEADER = ["name", "iterations", "real_time", "cpu_time", "time_unit"]
_FAILED = 8
_TEXTS = frozenset({"name", "time_unit", "label", "error_occurred", "error_message"})


def _is_google_benchmark_csv(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    lines = [line for line in head.lines if line.startswith("name,iterations,")]
    return certain_if(any(_is_google_header(split_cells(line)) for line in lines))


def _read_google_benchmark_csv(file: TextFile) -> Reading:
    """Read every line of a file."""
    build = Collector(file.source, Ledger(len(file.lines)))
    rows = [split_cells(line) if line.strip() else [] for line in file.lines]
    family = _Family([{"name": row[0]} for row in rows if row])
    header: list[str] = []

    def read_row(row: list[str] | None) -> Outcome:
        nonlocal header
        if row == []:
            return "noise"
        if row and _is_google_header(row):
            header = row
            return "context"
        if not header:
            return "context"  # the console's words about the machine
        if row and len(row) < len(header) and row[_FAILED : _FAILED + 1] == ["true"]:
            row = [*row, *[""] * (len(header) - len(row))]  # a failed benchmark leaves out the counters
        if row is None or len(row) != len(header):
            shown = (
                "a quote is left open; close it"
                if row is None
                else f"{len(row)} fields where the header has {len(header)}"
            )
            raise DataError(shown)
        cells = dict(zip(header, row, strict=True))
        if _at_open_end(file, build.line) and _cut_row([*cells.values()], rows[: build.line - 1]):
            raise DataError(open_line(file.lines[-1]))
        # A benchmark without a counter leaves its cell empty.
        filled = {column: cell for column, cell in cells.items() if cell.strip() or column in _TEXTS}
        record = {column: cell if column in _TEXTS else number_in(cell, column) for column, cell in filled.items()}
        return _read_google(family, {}, build, record)

    build.each(enumerate(rows, 1), read_row)
    if len(build.rows):
        build.add_series("rounded", "", 1, ("values are cut to six digits",))
    return build.finish(wanted="google-benchmark writes a line for each benchmark")


GOOGLE_BENCHMARK_CSV = Format(
    name="google-benchmark-csv",
    rule="a header 'name,iterations,real_time,cpu_time,time_unit'",
    yields="time (real), cpu_time, transfer, throughput and counters of each repetition; arguments, threads and label",
    limits="six digits; a benchmark that failed has no values; aggregates are told by their names alone",
    contains=frozenset({"csv"}),
    # The JSON of the same run holds every digit.
    summary=True,
    recognise=_is_google_benchmark_csv,
    read=_read_google_benchmark_csv,
)


def _is_google_header(row: list[str] | None) -> bool:
    return row is not None and row[: len(_GOOGLE_CSV_HEADER)] == _GOOGLE_CSV_HEADER


# JMH's CSV: one score a benchmark, with the decimal mark of the machine that wrote it.


_JMH_CSV_PARAMETER = "Param: "
_JMH_CSV_ERROR = "Score Error (99.9%)"
_JMH_CSV_HEADER = ["Benchmark", "Mode", "Threads", "Samples", "Score"]
#: ``pkg.Class.method:gc.count``, ``pkg.Class.method:p0.99``, in old versions ``…:method·p0.99``.
_SECONDARY = re.compile(r"([^:]+):(.+)", re.DOTALL)
_JMH_CSV_PERCENTILE = re.compile(r"(?:.*·)?p([01]\.\d+)", re.DOTALL)


def _read_jmh_csv(file: TextFile) -> Reading:
    """Read every line of a file."""
    wanted = "JMH writes a line for each benchmark"
    return _read_table(file, _read_jmh_line, separator=_separator(file) or ",", wanted=wanted)


JMH_CSV = Format(
    name="jmh-csv",
    rule="a header 'Benchmark,Mode,Threads,Samples,Score', separated by comma or semicolon",
    yields="one sample a benchmark: the score; percentiles of sampled calls; profilers; parameters",
    limits="no forks and no iterations: the JSON of the same run has them",
    contains=frozenset({"csv"}),
    # The JSON of the same run holds every fork.
    summary=True,
    recognise=lambda head: certain_if("Benchmark" in head.first and _separator(head)),
    read=_read_jmh_csv,
)


def _separator(file: TextFile) -> str:
    rows = {separator: split_cells(file.first, separator) or [] for separator in ",;\t"}
    return next((sign for sign, row in rows.items() if row[: len(_JMH_CSV_HEADER)] == _JMH_CSV_HEADER), "")


def _read_jmh_line(build: Collector, row: Mapping[str, str]) -> Outcome:
    whole, unit = row.get("Benchmark", ""), row.get("Unit", "")
    if not whole:
        raise DataError("a line without a benchmark, or below no header")
    # With the decimal mark of the machine that wrote it.
    result = number_in(row.get("Score", "").replace(",", "."))
    if result is None:
        raise DataError(f"{printable(whole, 60)} has no score")
    match = _SECONDARY.fullmatch(whole)
    name, inner = (match[1], match[2]) if match else (whole, "")
    benchmark, package = _jmh_task(name)
    threads = number_in(row.get("Threads", ""))
    parameters = {key: cell for key, cell in _prefixed(row, _JMH_CSV_PARAMETER).items() if cell}
    facts = {
        "threads": int(threads) if threads is not None and math.isfinite(threads) else None,
        "mode": row.get("Mode") or None,
        "pkg": package or None,
    }
    build.configure({"benchmark": benchmark, **_axes_of(parameters), **_axes_of(facts)})
    percentile = _JMH_CSV_PERCENTILE.fullmatch(inner)
    if percentile:
        metric = _latency_name(round(float(percentile[1]) * 100, 10))
        build.hold(name, metric, result, unit.partition("/")[0])
    else:
        measure = _secondary_name(inner) if inner else _metric_of(unit)
        build.hold(name, measure, result, unit)
        error = number_in(row.get(_JMH_CSV_ERROR, "").replace(",", "."))
        if error is not None:
            build.add_series("interval", name, build.line, (measure or "", result - error, result + error, 0.999))
    return "data"


# pyperf: the values of every process it started; calibration and warm-ups are none.
#
# References
# pyperf documentation, *API*, `Run.values` (per loop, in the unit of the benchmark) and *pyperf JSON*:
# metadata that all runs or all benchmarks share is written once, above them.


#: Unit in the metadata -> (metric, unit).
_PYPERF_UNITS = {"second": ("time", "s/op"), "byte": ("memory", "B/op"), "integer": ("count", "")}
_PYPERF_FACTS = {"hostname": "machine", "cpu_model_name": "cpu", "python_version": "python"}

PYPERF = Format(
    name="pyperf",
    rule="JSON with benchmarks[].runs",
    yields="time of each value of each process, or its peak memory",
    limits="values of one process resemble each other more than those of two; warm-ups are left out",
    recognise=lambda head: certain_if(
        # mitata has runs as well, each with statistics.
        "benchmarks[].runs" in outline(head) and "benchmarks[].runs[].stats" not in outline(head, 5)
    ),
    read=lambda file: _read_json(
        file, "benchmarks[].runs[]", _pyperf_runs, wanted="every run is a warm-up or a calibration; measure again"
    ),
)


def _pyperf_runs(root: object) -> tuple[list[Any], _RecordReader]:
    shared = object_at(root, "metadata")
    runs: list[tuple[Mapping[str, object], object]] = []
    for benchmark in list_at(root, "benchmarks"):
        above = ChainMap(dict(object_at(benchmark, "metadata")), dict(shared))
        runs += [(above, run) for run in list_at(benchmark, "runs")]
    return runs, _read_pyperf_run


def _read_pyperf_run(build: Collector, record: tuple[Mapping[str, object], object]) -> Outcome:
    above, run = record
    if not isinstance(run, dict):
        raise DataError("a run that is no object")
    facts = {**above, **object_at(run, "metadata")}
    values = list_at(run, "values")
    if not values:
        if not list_at(run, "warmups"):
            raise DataError("a run without values or warm-ups")
        return "context"
    name = text_at(facts, "name")
    if not name:
        raise DataError("metadata give no name to this benchmark")
    written = text_at(facts, "unit") or "second"
    if written not in _PYPERF_UNITS:
        raise DataError(f"unit '{printable(written, 40)}' is not one of second, byte, integer")
    metric, unit = _PYPERF_UNITS[written]
    loops, inner = number_at(facts, "loops"), number_at(facts, "inner_loops")
    iterations = None if loops is None else loops * (1.0 if inner is None else inner)
    stated: dict[str, Any] = _axes_of({axis: facts.get(key) for key, axis in _PYPERF_FACTS.items()})
    build.configure({"benchmark": printable(name, 200), **stated})
    for entry in values:
        value = number_at({"values": entry}, "values")
        if value is None:
            raise DataError(f"a value of {printable(name, 60)} is missing")
        build.hold(name, metric, value, unit, iterations=iterations)
    return "data"


# pytest-benchmark: statistics of each test, and its rounds where they were saved.


#: Where machine_info and commit_info say what the numbers depend on -> axis.
_PYTEST_FACTS = {
    "machine": "machine_info.node",
    "cpu": "machine_info.cpu.brand_raw",
    "python": "machine_info.python_version",
    "commit": "commit_info.id",
}
#: The statistics beside the chosen one -> metric.
_SUMMARIES = {"mean": "time_mean", "stddev": "time_stdev", "min": "time_min", "max": "time_max"}


#: What is kept of the statistics, or says how many operations are behind them.
_NUMBERS = (*_SUMMARIES, "median", "rounds", "iterations")


def _is_pytest_benchmark(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    paths = outline(head)
    shaped = {"benchmarks[].stats", "benchmarks[].fullname"} & paths
    return certain_if(shaped and {"machine_info", "benchmarks[].stats.rounds"} & paths)


PYTEST_BENCHMARK = Format(
    name="pytest-benchmark",
    rule="JSON with machine_info and benchmarks[].stats",
    yields="time of each round with --benchmark-save-data, else the median as one sample; parameters, group",
    limits="without saved data no raw samples; a test that failed is not in the file",
    recognise=_is_pytest_benchmark,
    read=lambda file: _read_json(
        file, "benchmarks[]", _pytest_records, wanted="pytest-benchmark writes 'benchmarks' with stats each"
    ),
)


def _pytest_records(root: object) -> tuple[list[Any], _RecordReader]:
    records = list_at(root, "benchmarks")
    stated = {axis: _pick(root, path) for axis, path in _PYTEST_FACTS.items()}
    # "unversioned" is what it writes for a folder without git.
    facts = _axes_of(
        {axis: value for axis, value in stated.items() if isinstance(value, str) and value != "unversioned"}
    )
    return records, partial(_read_pytest, facts)


def _read_pytest(facts: Mapping[str, Any], build: Collector, test: object) -> Outcome:
    name = text_at(test, "fullname") or text_at(test, "name")
    if not name:
        raise DataError("a test without a name")
    axes = _axes_of(object_at(test, "params") or {"param": _pick(test, "param")})
    extra = object_at(test, "extra_info")
    stated = {key: value for key, value in extra.items() if isinstance(value, (str, int)) and key not in axes}
    group = _axes_of({"group": text_at(test, "group")})
    build.configure({**axes, **_axes_of(stated), **_place(name), **group, **facts})
    stats = object_at(test, "stats")
    iterations, rounds = number_at(stats, "iterations"), list_at(stats, "data")
    for number, entry in enumerate(rounds, start=1):
        seconds = number_at({"stats.data": entry}, ("stats.data",))
        if seconds is None:
            build.note(f"round {number} of {printable(name, 60)} is missing; left out")
        else:
            build.hold(name, "time", seconds, "s/op", iterations=iterations)
    if not rounds:
        _keep_statistics(build, name, {key: number_at(stats, key) for key in _NUMBERS})
    for key, value in extra.items():
        if isinstance(value, float):
            build.hold(name, printable(key, 60), value, "")
    return "data"


def _place(name: str) -> dict[str, str]:
    """Return the benchmark of a test's full name, and the file it stands in."""
    path, separator, inside = name.partition("::")
    benchmark = printable((inside if separator else path).partition("[")[0], 200)
    return {"benchmark": benchmark, "file": path} if separator else {"benchmark": benchmark}


def _keep_statistics(build: Collector, name: str, numbers: Mapping[str, float | None]) -> None:
    """Keep one sample, and the statistics beside it."""
    # The median, because that is what the rounds themselves would be summed up by.
    chosen = "mean" if numbers.get("median") is None else "median"
    time = numbers.get(chosen)
    if time is None:
        raise DataError(f"{printable(name, 60)} has no median or mean")
    iterations, rounds = numbers.get("iterations"), numbers.get("rounds")
    operations = iterations * rounds if iterations is not None and rounds is not None else None
    build.hold(name, "time", time, "s/op", iterations=operations)
    for key, metric in _SUMMARIES.items():
        value = numbers.get(key)
        if value is not None and key != chosen:
            build.hold(name, metric, value, "s/op", iterations=operations)


# pytest-benchmark's CSV: the statistics of each test of one or more saved runs.


_PYTEST_CSV_PARAMETER = "param:"
_STATISTICS = frozenset({*_NUMBERS, "iqr", "outliers", "ops"})
#: Columns that no other table of names, least and largest values would have.
_PYTEST_CSV_OWN = frozenset({"iqr", "outliers", "ops", "rounds"})


def _is_pytest_benchmark_csv(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    filled = [split_cells(line) or [""] for line in head.lines if line.strip()][:2]
    if not filled or not _is_pytest_header(filled[0]):
        return "no"
    own = bool(_PYTEST_CSV_OWN & set(filled[0])) or any(cell.startswith(_PYTEST_CSV_PARAMETER) for cell in filled[0])
    return certain_if(own or "::" in filled[-1][0])


def _read_pytest_benchmark_csv(file: TextFile) -> Reading:
    """Read each line as one test."""
    first: dict[str, int] = {}

    def read_test(build: Collector, row: Mapping[str, str]) -> Outcome:
        name = row["name"]
        if not name:
            raise DataError("a test without a name")
        numbers = {column: number_in(row[column], column) for column in _STATISTICS & row.keys() - {"outliers"}}
        parameters = {key: cell for key, cell in _prefixed(row, _PYTEST_CSV_PARAMETER).items() if cell}
        build.configure({**_axes_of(parameters), **_place(name)})
        _keep_statistics(build, name, numbers)
        line = first.setdefault(name, build.line)
        if line != build.line:
            build.note(
                f"{printable(name, 60)} stands at line {line} too, and no column says of which run; "
                f"read the saved JSON files instead"
            )
        return "data"

    wanted = "pytest-benchmark writes a line for each test"
    return _read_table(file, read_test, is_header=_is_pytest_header, wanted=wanted)


PYTEST_BENCHMARK_CSV = Format(
    name="pytest-benchmark-csv",
    rule="a header 'name,param:…,min,max,mean,…' of pytest-benchmark's columns, or names with '::' below it",
    yields="one sample a test: the median as time; mean, deviation and extremes beside it; parameters",
    limits=(
        "no rounds: the JSON of the same run may have them; it names neither run, machine nor commit; iqr, ops and "
        "outliers are left out"
    ),
    contains=frozenset({"csv"}),
    # The JSON of the same run says more.
    summary=True,
    recognise=_is_pytest_benchmark_csv,
    read=_read_pytest_benchmark_csv,
)


def _is_pytest_header(row: list[str]) -> bool:
    rest = {cell for cell in row[1:] if not cell.startswith(_PYTEST_CSV_PARAMETER)}
    return row[:1] == ["name"] and rest <= _STATISTICS and bool(rest & {*_SUMMARIES, "median"})


# hyperfine: whole commands timed, each execution kept (JSON), or summed up in one line (CSV).


#: As hyperfine calls them -> as benchlib does. All are seconds an execution.
_MEANS = {"user": "user_time", "system": "system_time"}


HYPERFINE = Format(
    name="hyperfine",
    rule="JSON with results[].command and results[].times or .mean",
    yields="time and peak memory of each execution; user and system time as one mean a command; parameters",
    limits="user and system time are means only; an execution that exits with another code than 0 failed",
    recognise=lambda head: certain_if(
        "results[].command" in outline(head) and {"results[].times", "results[].mean"} & outline(head)
    ),
    read=lambda file: _read_json(
        file,
        "results[]",
        lambda root: (list_at(root, "results"), _read_hyperfine),
        wanted="hyperfine writes 'results' with a command and its times",
    ),
)


def _read_hyperfine(build: Collector, result: object) -> Outcome:
    command = text_at(result, "command")
    if not command:
        raise DataError("a result without a command")
    shown = printable(command, 60)
    times, memory = list_at(result, "times"), list_at(result, "memory_usage_byte")
    codes = list_at(result, "exit_codes")
    median = number_at(result, "median")
    center = median if median is not None else number_at(result, "mean")
    if not times and center is None:
        raise DataError(f"'{shown}' has neither times nor a median")
    build.configure({"benchmark": printable(command, 200), **_axes_of(object_at(result, "parameters"))})
    # A signal leaves no exit code: null is a failure too.
    failed = [0.0 if code == 0 and not isinstance(code, bool) else 1.0 for code in codes]
    if times and failed and len(failed) != len(times):
        raise DataError(f"{len(times)} times beside {len(failed)} exit codes")
    for index, entry in enumerate(times):
        time = number_at({"times": entry}, "times")
        if time is None:
            build.note(f"time {index + 1} of '{shown}' is missing; left out")
        else:
            build.hold(command, "time", time, "s/op", iterations=1.0, errors=failed[index] if failed else None)
    for index, entry in enumerate(memory if len(memory) == len(times) else []):
        size = number_at({"memory_usage_byte": entry}, "memory_usage_byte")
        if size is not None:
            build.hold(command, "memory", size, "B/op", iterations=1.0, errors=failed[index] if failed else None)
    total = sum(failed) if failed else None
    means = {metric: number_at(result, key) for key, metric in _MEANS.items()}
    for metric, mean in (means if times else {"time": center, **means}).items():
        if mean is not None:
            build.hold(command, metric, mean, "s/op", errors=total)
    return "data"


def _is_hyperfine_csv(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    header = split_cells(head.first) or []
    return certain_if(header[:3] == ["command", "mean", "stddev"] and "median" in header)


def _read_hyperfine_csv(file: TextFile) -> Reading:
    """Read every line of a file."""
    wanted = "hyperfine writes a line for each command"
    return _read_table(file, _read_hyperfine_summary, guard_end=True, wanted=wanted)


HYPERFINE_CSV = Format(
    name="hyperfine-csv",
    rule="a header 'command,mean,stddev,median,user,system,min,max'",
    yields="one sample a command: the median as time, and time_mean, _stdev, _min, _max beside it",
    limits="no raw samples, no exit codes: an execution that failed cannot be told",
    contains=frozenset({"csv"}),
    # The JSON of the same run holds every execution.
    summary=True,
    recognise=_is_hyperfine_csv,
    read=_read_hyperfine_csv,
)


def _read_hyperfine_summary(build: Collector, row: Mapping[str, str]) -> Outcome:
    command = row.get("command", "")
    columns = {"median": "time", **_SUMMARIES, **_MEANS}
    values = {metric: number_in(row.get(column, "")) for column, metric in columns.items()}
    if not command or values["time"] is None:
        raise DataError("a line without command or median")
    build.configure({"benchmark": printable(command, 200), **_axes_of(_prefixed(row, "parameter_"))})
    for metric, value in values.items():
        if value is not None:
            build.hold(command, metric, value, "s/op")
    return "data"


# BenchmarkTools of Julia, as it saves trials: groups within groups, each a list of its type and an object.


def _julia_trials(root: object) -> tuple[list[Any], _RecordReader]:
    """Collect the trials, each with the keys that lead to it."""
    trials: list[tuple[str, object]] = []
    waiting: list[tuple[tuple[str, ...], object]] = []
    if isinstance(root, list) and len(root) == 2 and isinstance(root[1], list):
        waiting = [((), value) for value in reversed(root[1])]
    while waiting:
        path, value = waiting.pop()
        kind, content = value if isinstance(value, list) and len(value) == 2 else ("", None)
        if kind == "BenchmarkTools.Trial":
            trials.append(("/".join(path) or "trial", content))
        elif kind == "BenchmarkGroup":
            waiting += [
                ((*path, _one_line(key)), each) for key, each in reversed([*object_at(content, "data").items()])
            ]
    return trials, _read_trial


def _read_trial(build: Collector, record: tuple[str, object]) -> Outcome:
    name, trial = record
    times = list_at(trial, "times")
    parameters = list_at(trial, "params")
    evaluations = number_at(parameters[1], "evals") if len(parameters) == 2 else None
    if not times:
        raise DataError(f"{printable(name, 60)} has no times")
    build.configure({"benchmark": printable(name, 200)})
    for entry in times:
        time = number_at({"times": entry}, "times")
        if time is None:
            raise DataError(f"a time of {printable(name, 60)} is missing")
        build.hold(name, "time", time, "ns/op", iterations=evaluations)
    for key, metric, unit in (("memory", "memory", "B/op"), ("allocs", "allocations", "allocs/op")):
        value = number_at(trial, key)
        if value is not None:
            build.hold(name, metric, value, unit)
    return "data"


BENCHMARKTOOLS_JSON = Format(
    name="benchmarktools-json",
    rule='JSON with "BenchmarkTools" and "BenchmarkTools.Trial"',
    yields="time of each sample; memory and allocations of each trial; groups as parts of its name",
    limits="tags and the time of the collector; samples of one process resemble each other",
    documentation="https://juliaci.github.io/BenchmarkTools.jl/stable/manual/#Serialization",
    recognise=lambda head: certain_if(
        head.first.lstrip().startswith("[")
        and head.mentions('"BenchmarkTools.Trial",')
        and "[].BenchmarkTools" in outline(head)
    ),
    read=lambda file: _read_json(file, "", _julia_trials, wanted="no trial; write one with BenchmarkTools.save"),
)


# Bencher Metric Format: an object of benchmarks, each an object of measures.


_TEXT = r'"[^"\\]*+(?:\\.[^"\\]*+)*"'
_START = re.compile(
    rf'\s*\{{\s*{_TEXT}\s*:\s*\{{\s*{_TEXT}\s*:\s*\{{\s*"(?:value|lower_value|upper_value)"\s*:', re.DOTALL
)

#: Measures whose unit Bencher fixes; any other is a plain number.
_BENCHER_UNITS = {"latency": "ns", "throughput": "op/s", "build-time": "s", "file-size": "B"}


def _measures(root: object) -> tuple[list[Any], _RecordReader]:
    if not isinstance(root, dict):
        raise DataError('no object of benchmarks; write {"benchmark": {"measure": {"value": number}}}')
    records = [
        (benchmark, measure, content)
        for benchmark, measures in root.items()
        for measure, content in (measures.items() if isinstance(measures, dict) else [("", measures)])
    ]
    return records, _read_measure


def _read_measure(build: Collector, record: tuple[str, str, object]) -> Outcome:
    benchmark, measure, content = record
    shown = f"{printable(benchmark, 60)} {printable(measure, 40)}"
    try:
        value, low, high = (number_at(content, key) for key in ("value", "lower_value", "upper_value"))
    except DataError as error:
        raise DataError(f"{shown}: {error}") from error
    if value is None:
        raise DataError(f"{shown}: no value; write {{value: number}}")
    name, metric = _one_line(benchmark), _one_line(measure).replace("-", "_")
    if not build.configurations:
        build.configure({})
    build.hold(name, metric, value, _BENCHER_UNITS.get(measure, ""))
    if low is not None or high is not None:
        build.add_series("interval", name, build.line, (metric, low, high))
    return "data"


BENCHER_METRICS = Format(
    name="bmf",
    rule='JSON {"benchmark": {"measure": {"value": ...}}}',
    yields="a value for each measure of each benchmark; latency in ns, throughput in op/s, as Bencher has them",
    limits="samples, and what lower_value and upper_value stand for; the unit of other measures",
    documentation="https://bencher.dev/docs/reference/bencher-metric-format/",
    recognise=lambda head: certain_if(_START.match("\n".join(head.lines[:200]))),
    read=lambda file: _read_json(file, "", _measures, wanted="no benchmark; write one"),
)


# github-action-benchmark: its custom input, and the history that it keeps as `data.js`.


_HISTORY = re.compile(r"\s*window\.BENCHMARK_DATA\s*=\s*")
_KEYS = ("name", "unit", "value", "range", "extra")
_COUNT = re.compile(r"(?:^|\n)\s*(?:iterations:\s*(\d{1,18})|(\d{1,18}) (?:times|samples))\b", re.ASCII)
#: The tool of the history -> which way is better, where the metric's name does not tell.
_DIRECTION = {"customBiggerIsBetter": "higher", "customSmallerIsBetter": "lower"}


def _is_github_action(head: TextFile) -> Certainty:
    """Be certain of a history, and of entries that hold no more than the action knows: a table has its axes beside."""
    keys = outline(head, 2)
    entries = {"[].name", "[].unit", "[].value"} <= keys <= {"[]", *(f"[].{key}" for key in _KEYS)}
    return certain_if(entries or _HISTORY.match("\n".join(head.lines[:20])))


def _read_github_action(file: TextFile) -> Reading:
    """Read each entry as a record."""
    content = "\n".join(file.lines)
    start = _HISTORY.match(content)
    if start:
        # The lines before the document stay, so that a problem names its own.
        blank = "\n" * content.count("\n", 0, start.end())
        file = TextFile(file.source, text=blank + content[start.end() :].rstrip().removesuffix(";"))
    path, collect = ("", _history) if start else ("[]", _entries)
    return _read_json(file, path, collect, wanted="no entry with name, unit and value")


def _read_entry(build: Collector, record: tuple[object, Mapping[str, Any], str | None]) -> Outcome:
    entry, facts, when = record
    name, unit, value = _values(entry)
    if not build.configurations or build.configurations[-1] != facts:
        build.configure(facts)
        if when and "run" in facts:
            build.add_series(RECORDED, facts["run"], build.line, (when,))
    base = units.parse_unit(unit).base
    # A unit such as ns/op names its metric; a bare one does not.
    metric = {"sec": "time", "B": "size", "": "value"}.get(base)
    build.hold(name, metric, value, unit, iterations=_count(entry))
    better = _DIRECTION.get(str(facts.get("tool", "")))
    # It is said once for a unit.
    known = any(series.name == base for series in build.series)
    if better and not known and metrics.better(metric or metrics.metric(unit)[0].name) is None:
        build.add_series("unit", base, build.line, (("better", better),))
    return "data"


GITHUB_ACTION = Format(
    name="github-action-benchmark",
    rule="a JSON list of objects with name, unit and value, or window.BENCHMARK_DATA =",
    yields="a value for each entry; from a history also run (the commit), suite and tool",
    limits="samples: one value a benchmark and commit; range is text of no fixed meaning",
    documentation="https://github.com/benchmark-action/github-action-benchmark",
    recognise=_is_github_action,
    read=_read_github_action,
)


def _entries(root: object) -> tuple[list[Any], _RecordReader]:
    return [(entry, {}, None) for entry in (root if isinstance(root, list) else [root])], _read_entry


def _history(root: object) -> tuple[list[Any], _RecordReader]:
    """Collect the entries of each commit of each suite; what is recorded of a commit again is another run of it."""
    records: list[Any] = []
    suites = _pick(root, "entries")
    for suite, commits in suites.items() if isinstance(suites, dict) else []:
        times: Counter[str] = Counter()
        for commit in commits if isinstance(commits, list) else [commits]:
            facts = {"suite": _one_line(suite)}
            identity, tool = _pick(commit, "commit.id"), _pick(commit, "tool")
            if isinstance(identity, str) and identity:
                run = _one_line(identity[:10])
                times[run] += 1
                facts["run"] = f"{run}/{times[run]}" if times[run] > 1 else run
            if isinstance(tool, str) and tool:
                facts["tool"] = _one_line(tool)
            benches = _pick(commit, "benches") or []
            when = instant(_pick(commit, "date"))
            records += [(entry, facts, when) for entry in (benches if isinstance(benches, list) else [benches])]
    return records, _read_entry


def _values(entry: object) -> tuple[str, str, float]:
    name, unit = text_at(entry, "name"), text_at(entry, "unit")
    written = _pick(entry, "value")
    # The action accepts a number in quotes.
    if isinstance(written, str):
        try:
            value: float | None = float(written) if written.isascii() and "_" not in written else None
        except ValueError:
            value = None
    else:
        value = number_at(entry, "value")
    if not name or value is None:
        shown = printable(name or "an entry", 60)
        raise DataError(f"{shown}: {'no number in value' if name else 'no name'}; write name, unit and value")
    return _one_line(name), _one_line((unit or "").strip()).replace("/iter", "/op").replace("iter/", "op/"), value


def _count(entry: object) -> float | None:
    extra = _pick(entry, "extra")
    match = _COUNT.search(extra) if isinstance(extra, str) else None
    return float(match[1] or match[2]) if match else None


# What a devhub keeps: a line a commit, with its time and all that was measured of it.


def _read_devhub(file: TextFile) -> Reading:
    """Read each metric of each line as a record."""
    return _read_documents(file, partial(_read_devhub_line, file))


def _read_devhub_line(file: TextFile, document: Document) -> Reading:
    root = document.root
    commit, when = _pick(root, "attributes.git_commit"), instant(_pick(root, "timestamp"))
    entries = _pick(root, "metrics")
    run = {"run": _one_line(commit[:10])} if isinstance(commit, str) and commit else {}
    entries = entries if isinstance(entries, list) else []
    build = Collector(file.source, Records([document.first_line] * len(entries)))
    build.configure(run)
    if run and when:
        build.add_series(RECORDED, run["run"], document.first_line, (when,))

    def read(entry: object) -> Outcome:
        name, unit, value = _values(entry)
        build.hold(name, "value", value, unit)
        return "data"

    build.each(enumerate(entries), read)
    return build.finish(document.problems, wanted="no metric with name, unit and value")


DEVHUB = Format(
    name="devhub",
    rule="lines of JSON, each with timestamp, metrics and attributes.git_commit",
    yields="a value for each metric; the commit as run, and its time",
    limits="which way a metric is better where its name does not say; whether time is of the commit or of the run",
    recognise=lambda head: certain_if({"timestamp", "metrics", "attributes.git_commit"} <= outline(head, 2)),
    read=_read_devhub,
)

READERS = (
    DEVHUB,
    JMH,
    GOOGLE_BENCHMARK,
    GOOGLE_BENCHMARK_CSV,
    JMH_CSV,
    PYPERF,
    PYTEST_BENCHMARK,
    PYTEST_BENCHMARK_CSV,
    HYPERFINE,
    HYPERFINE_CSV,
    BENCHER_METRICS,
    BENCHMARKTOOLS_JSON,
    GITHUB_ACTION,
)
