"""BenchmarkDotNet: its JSON, the table that it writes as CSV and Markdown, and its measurements one by one.

References
----------
dotnet/BenchmarkDotNet, `Exporters/Json/JsonExporterBase.cs`, `Exporters/Csv/CsvMeasurementsExporter.cs` and
`Columns/StatisticColumn.cs`; https://benchmarkdotnet.org/articles/configs/columns.html (the error is half of the 99.9 %
interval of the mean) and `Columns/SizeUnit.cs` (a KB is 1,024 bytes).
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from benchlib.errors import DataError, printable
from benchlib.formats.collector import Collector, Outcome, certain_if, number_in, rows_below, split_cells
from benchlib.formats.json_text import (
    Document,
    _read_documents,
    list_at,
    number_at,
    object_at,
    outline,
    text_at,
)
from benchlib.formats.reader import Format, Ledger, Reading, Records, TextFile, _at_open_end, open_line
from benchlib.formats.suites import _axes_of, _prefixed
from benchlib.formats.text import _unpacked_name

# The JSON: every iteration, in one of two places; or the mean alone.


_JOB = re.compile(r"[^:]*: (?P<job>[^(\[]*)(?:\((?P<settings>[^)]*)\))?")
#: How versions call an iteration that counts: 0.10 by its mode, later ones by its stage.
_COUNTS = "Result"


def _read_json(file: TextFile) -> Reading:
    """Read each benchmark of a document as a record."""

    def read_document(document: Document) -> Reading:
        try:
            benchmarks = list_at(document.root, "Benchmarks")
        except DataError:
            benchmarks = []
        lines = document.lines("Benchmarks[]")
        same = len(lines) == len(benchmarks)
        records = Records(lines if same else [document.first_line] * len(benchmarks))
        build = Collector(file.source, records)
        build.each(enumerate(benchmarks), lambda record: _read_benchmark(build, record), "no value is kept")
        return build.finish(document.problems, wanted="BenchmarkDotNet writes 'Benchmarks'")

    return _read_documents(file, read_document)


BENCHMARKDOTNET = Format(
    name="benchmarkdotnet",
    rule="JSON with HostEnvironmentInfo and Benchmarks[].Method",
    yields="time of each iteration (of a brief file the mean); memory where it was measured; type, job, parameters",
    limits="which launch an iteration belongs to",
    recognise=lambda head: certain_if({"HostEnvironmentInfo", "Benchmarks[].Method"} <= outline(head, depth=3)),
    read=_read_json,
)


def _read_benchmark(build: Collector, record: object) -> Outcome:
    """Keep the iterations of one benchmark."""
    name = text_at(record, "Method")
    if not name:
        raise DataError("a benchmark without a method")
    build.configure({"benchmark": name, **_axes_of({"type": text_at(record, "Type") or None, **_settings(record)})})
    times = _iterations(record)
    mean = number_at(record, "Statistics.Mean") if object_at(record, "Statistics") else None
    if not times and mean is not None:
        times = [mean]
    if not times:
        build.add_series("failed-benchmark", name, build.line)
        raise DataError(f"{printable(name, 60)} failed (no Statistics, no Measurements)")
    for time in times:
        build.hold(name, "time", time, "ns/op")
    allocated = number_at(record, "Memory.BytesAllocatedPerOperation") if object_at(record, "Memory") else None
    if allocated is not None:
        build.hold(name, "memory", allocated, "B/op")
    return "data"


def _settings(record: object) -> dict[str, Any]:
    """Return job and parameters; the identity of a job, drawn anew each time, is none where its settings are told."""
    match = _JOB.match((text_at(record, "DisplayInfo") or "")[:500])
    job = (match["settings"] or match["job"]).strip() if match else ""
    axes: dict[str, Any] = {} if job in ("", "DefaultJob") else {"job": job}
    for part in (text_at(record, "Parameters") or "").split("&"):
        key, equals, level = part.partition("=")
        if equals and key.strip() and key not in axes:
            axes[key.strip()] = level
        elif part:
            axes["parameters"] = part
    return axes


def _iterations(record: object) -> list[float]:
    """Return nanoseconds an operation of every iteration that counts."""
    values = [number_at({"value": value}, "value") for value in list_at(record, "Statistics.OriginalValues")]
    times = [value for value in values if value is not None]
    for entry in list_at(record, "Measurements") if not times else []:
        if _COUNTS in (text_at(entry, "IterationStage"), text_at(entry, "IterationMode")):
            total, operations = number_at(entry, "Nanoseconds"), number_at(entry, "Operations")
            if total is None or not operations:
                raise DataError("a measurement without Nanoseconds or Operations")
            times.append(total / operations)
    return times


# The measurements one by one, as CSV.


_JOB_NAMES = ("Job", "Job_Id", "Job_Display", "Job_Folder")
_PARAMETERS = re.compile(r", (?=[^,=]+=)")
_MEASURED = {"Target_Method", "Measurement_IterationIndex"}


def _separator(line: str) -> str:
    return max(";,\t", key=line.count)


def _is_measurements(head: TextFile) -> bool:
    return "Measurement_" in head.first and {*(split_cells(head.first, _separator(head.first)) or ())} >= _MEASURED


def _read_measurements(file: TextFile) -> Reading:
    """Read each iteration that counts; overhead, pilot and warm-up are context."""
    build = Collector(file.source, Ledger(len(file.lines)))
    separator = _separator(file.first)
    records = list(rows_below(file, build.ledger, separator=separator, guard_end=True))
    jobs = _differing_jobs([row for _, row in records])

    def read(row: Mapping[str, str]) -> Outcome:
        stage = row.get("Measurement_IterationStage", "Result"), row.get("Measurement_IterationMode", "Result")
        if _COUNTS not in stage:
            return "context"
        name = row.get("Target_Method", "")
        value, total, operations = (
            number_in(row.get(f"Measurement_{column}", "").replace(",", "."), column)
            for column in ("Value", "Nanoseconds", "Operations")
        )
        if value is None and total is not None and operations:
            value = total / operations
        if not name or value is None:
            raise DataError("a line without method or value")
        axes = {"type": row.get("Target_Type") or None, **{axis: row.get(column) for column, axis in jobs.items()}}
        parameters = {key: cell for key, cell in _prefixed(row, "Param_").items() if cell}
        if not parameters and row.get("Params"):
            pairs = [part.partition("=") for part in _PARAMETERS.split(row["Params"][:_LONGEST_CELL])]
            parameters = {key if equals else "parameters": level or key for key, equals, level in pairs}
        build.configure({"benchmark": name, **_axes_of({**axes, **parameters})})
        build.hold(name, "time", value, "ns/op")
        return "data"

    build.each(records, read, "line skipped")
    return build.finish(wanted="BenchmarkDotNet writes a line for each iteration")


def _differing_jobs(rows: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return the settings that differ between jobs, as column and axis; the names of jobs where none does."""
    columns = [column for column in (rows[0] if rows else ()) if column == "Job" or column.startswith("Job_")]
    differing = [column for column in columns if len({row.get(column) for row in rows}) > 1]
    settings = {column: column.removeprefix("Job_") for column in differing if column not in _JOB_NAMES}
    return settings or dict.fromkeys(differing[:1], "job")


MEASUREMENTS = Format(
    name="benchmarkdotnet-measurements",
    rule="a header with Target_Method and Measurement_IterationIndex",
    yields="time of each iteration; type and parameters",
    limits="memory; which launch an iteration belongs to",
    documentation="https://benchmarkdotnet.org/articles/configs/exporters.html",
    contains=frozenset({"csv"}),
    recognise=lambda head: certain_if(_is_measurements(head)),
    read=_read_measurements,
)


# The table of results: CSV, or Markdown in its dialects. Every cell has its unit, or the head of its column has it.


_UNITS = {
    **{unit: f"{unit}/op" for unit in ("ns", "us", "μs", "µs", "ms", "s")},
    # BenchmarkDotNet counts 1,024 bytes a KB.
    **{unit: f"{base}/op" for unit, base in (("B", "B"), ("KB", "KiB"), ("MB", "MiB"), ("GB", "GiB"), ("TB", "TiB"))},
}
_TIMES = ("ns", "us", "μs", "µs", "ms", "s")
_STATISTICS = {
    "Mean": "time", "Median": "time_median", "Min": "time_min", "Max": "time_max", "StdDev": "time_stdev",
    "StdErr": "time_stderr", "Q1": "time_q1", "Q3": "time_q3",
}  # fmt: skip
_PERCENTILE = re.compile(r"P([0-9]{1,2})")
_COLLECTIONS = re.compile(r"Gen ?([0-9])(?:/1k Op)?")
_MEMORY = {"Allocated": "memory", "Allocated Memory/Op": "memory", "Code Size": "code_size"}
#: What a table says of rows among each other, or again.
_DERIVED = re.compile(
    r"(?:Ratio|RatioSD|Scaled|ScaledSD|Alloc Ratio|Rank|Baseline|LogicalGroup|Op/s|Remark|CI[0-9].*|.*\(p-values\).*|"
    r"Mann-?Whitney.*|Welch.*)",
)
#: Settings of a job that change what is measured; the others are told where they differ within a table.
_TOLD = ("Runtime", "Platform", "Toolchain", "Jit", "Server")
#: The columns before the mean that are settings of the job, by the name of the property.
_JOB_COLUMNS = frozenset({
    "Job", "AnalyzeLaunchVariance", "EvaluateOverhead", "MaxAbsoluteError", "MaxRelativeError", "MinInvokeCount",
    "MinIterationTime", "OutlierMode", "RemoveOutliers", "Affinity", "EnvironmentVariables", "Jit", "LargeAddressAware",
    "Platform", "PowerPlanMode", "Runtime", "AllowVeryLargeObjects", "Concurrent", "CpuGroups", "Force",
    "HeapAffinitizeMask", "HeapCount", "NoAffinitize", "RetainVm", "Server", "Arguments", "BuildConfiguration", "Clock",
    "EngineFactory", "NuGetReferences", "Toolchain", "IsMutator", "InvocationCount", "IterationCount", "IterationTime",
    "LaunchCount", "MaxIterationCount", "MaxWarmupIterationCount", "MemoryRandomization", "MinIterationCount",
    "MinWarmupIterationCount", "RunStrategy", "UnrollFactor", "WarmupCount", "Categories", "TargetCount",
})  # fmt: skip
_MISSING = frozenset({"NA", "N/A", "?", ""})
_CELL = re.compile(r"(?P<number>-?[0-9.,'’   ]*[0-9])\s*(?P<unit>[A-Za-zμµ%/][^|]{0,30})?")
_HEAD_UNIT = re.compile(r"(?P<name>[^\[]+?)\s*\[(?P<unit>[^\]]+)\]")
_RULE = re.compile(r"\|?[\s:|-]*--[\s:|-]*")
_LONGEST_CELL = 200


@dataclass(frozen=True)
class _Column:
    """A column of the table: its name, and the unit in its head."""

    name: str
    unit: str = ""


def _column(written: str) -> _Column:
    match = _HEAD_UNIT.fullmatch(written[:200])
    return _Column(match["name"], match["unit"]) if match else _Column(written)


def _is_head(cells: Sequence[str]) -> bool:
    names = [_column(cell).name for cell in cells]
    return "Method" in names and "Mean" in names


def _table_cells(line: str) -> list[str]:
    """Return the cells of a line of Markdown, without stars and escapes; an empty list where it is none."""
    text = line.strip().replace("||", "|")
    if "|" not in text:
        return []
    parts = text.removeprefix("|").removesuffix("|").replace("\\|", "\0").split("|")
    return [html.unescape(part.replace("\0", "|")).strip().strip("*") for part in parts]


@dataclass(frozen=True)
class _Table:
    """A head and the lines below it, each with its cells."""

    columns: list[_Column]
    rows: list[tuple[int, list[str]]]


def _is_table(head: TextFile) -> bool:
    if "Mean" not in head.text or "Method" not in head.text:
        return False
    return any(table.rows and _holds_times(table) for table in _tables(head, Ledger(len(head.lines))))


def _holds_times(table: _Table) -> bool:
    """Whether means have a unit, or failed: other tables have a method and a mean too."""
    at = next(place for place, column in enumerate(table.columns) if column.name == "Mean")
    cells = [cells[at] for _, cells in table.rows[:50] if len(cells) == len(table.columns)]
    measured = [cell for cell in cells if cell not in _MISSING]
    if not measured:
        # Where every benchmark failed, the column of jobs tells whose table it is.
        return bool(cells) and any(column.name == "Job" for column in table.columns)
    timed = sum(_unit_of(cell) in _TIMES for cell in measured)
    return table.columns[at].unit in _TIMES or 2 * timed >= len(measured)


def _unit_of(cell: str) -> str:
    match = _CELL.fullmatch(cell[:_LONGEST_CELL])
    return (match["unit"] or "").strip() if match else ""


def _tables(file: TextFile, ledger: Ledger) -> Iterator[_Table]:
    """Yield the tables of a file: one of CSV, or each of Markdown."""
    separator = next((sign for sign in ",;\t" if _is_head(split_cells(file.first, sign) or [])), "")
    if separator and "|" not in file.first:
        filled = [(number, line) for number, line in enumerate(file.lines, 1) if line.strip()]
        ledger.context(filled[0][0])
        head = [_column(cell.strip()) for cell in split_cells(file.first, separator) or []]
        yield _Table(head, [(number, split_cells(line, separator) or []) for number, line in filled[1:]])
        return
    table: _Table | None = None
    for number, line in enumerate(file.lines, 1):
        cells = _table_cells(line)
        if _is_head(cells):
            if table is not None:
                yield table
            table = _Table([_column(cell) for cell in cells], [])
            ledger.context(number)
        elif table is not None and _RULE.fullmatch(line.strip()):
            ledger.context(number)
        elif table is not None and cells and any(cells):
            table.rows.append((number, cells))
        elif table is not None and line.strip() and not cells:
            yield table
            table = None
    if table is not None:
        yield table


def _decimal_mark(table: _Table) -> str:
    """Return the decimal mark of a table: the last mark of its times, of which each is written with decimals."""
    marks: Counter[str] = Counter()
    for _, cells in table.rows[:1000]:
        for column, cell in zip(table.columns, cells, strict=False):
            match = _CELL.fullmatch(cell[:_LONGEST_CELL])
            if match and ((match["unit"] or "").strip() or column.unit) in _TIMES:
                marks.update(re.findall(r"[.,]", match["number"])[-1:])
    return max(".,", key=lambda mark: marks[mark])


class _Report(Collector):
    """The reading of the tables of one file."""

    def __init__(self, file: TextFile) -> None:
        super().__init__(file.source, Ledger(len(file.lines)))
        self.file = file
        stem = PurePosixPath(_unpacked_name(file.source)).stem
        # Such a file is named for its class.
        self.type = stem.partition("-report")[0].rpartition(".")[2] if "-report" in stem else ""

    def read(self) -> Reading:
        """Read every table."""
        for table in _tables(self.file, self.ledger):
            mark = _decimal_mark(table)
            told = self.told(table)
            self.each(table.rows, partial(self.take, table, mark, told), "line skipped")
        return self.finish(wanted="BenchmarkDotNet writes a line for each benchmark")

    def told(self, table: _Table) -> frozenset[str]:
        """Return the settings of jobs that are levels: those that differ, and those that change what is measured."""
        whole = [row for _, row in table.rows if len(row) == len(table.columns)]
        levels = {
            column.name: {row[place] for row in whole}
            for place, column in enumerate(table.columns)
            if column.name in _JOB_COLUMNS
        }
        differing = {name for name, cells in levels.items() if len(cells) > 1}
        told = {name for name in _TOLD if levels.get(name, set()) - {"Default", "?"}}
        # The name of a job says again in which setting it differs.
        return frozenset(told | (differing - {"Job"} or differing))

    def take(self, table: _Table, mark: str, told: frozenset[str], cells: list[str]) -> Outcome:
        """Keep the values of one benchmark."""
        if len(cells) != len(table.columns):
            raise DataError(f"{len(cells)} fields where the header has {len(table.columns)}")
        if _at_open_end(self.file, self.entry):
            raise DataError(open_line(self.file.lines[-1]))
        names = [column.name for column in table.columns]
        mean = names.index("Mean")
        name = cells[names.index("Method")].strip().strip("'")
        if not name:
            return "context"  # what parts groups
        axes: dict[str, Any] = {"type": self.type} if self.type else {}
        for column, cell in zip(table.columns[:mean], cells, strict=False):
            key = {"Type": "type", "Namespace": "pkg"}.get(column.name, column.name)
            if column.name != "Method" and (column.name not in _JOB_COLUMNS or column.name in told) and cell.strip():
                axes[key[:1].lower() + key[1:] if column.name in _JOB_COLUMNS else key] = cell.strip()
        self.configure({"benchmark": name, **_axes_of(axes)})
        if cells[mean].strip() in _MISSING:
            self.add_series("failed-benchmark", name, self.line)
            raise DataError(f"{printable(name, 60)} failed (its mean is '{cells[mean].strip()}')")
        found: dict[str, tuple[float, str]] = {}
        for column, cell in zip(table.columns[mean:], cells[mean:], strict=True):
            self.keep(name, column, cell.strip(), mark, found)
        if "Error" in found and found["Error"][1] == found["Mean"][1]:
            value, error = found["Mean"][0], found["Error"][0]
            self.add_series("interval", name, self.line, ("time", value - error, value + error, 0.999))
        return "data"

    def keep(self, name: str, column: _Column, cell: str, mark: str, found: dict[str, tuple[float, str]]) -> None:
        """Keep one value, or say why it is none."""
        if cell in _MISSING or _DERIVED.fullmatch(column.name[:100]):
            return
        if cell == "-" and (_COLLECTIONS.fullmatch(column.name) or column.name in _MEMORY):
            # So it writes that nothing was collected or allocated.
            cell = "0"
        number, unit = _number(cell, mark)
        if number is None:
            if column.name == "Mean":
                raise DataError(f"the mean of {printable(name, 60)} is '{printable(cell, 40)}', not a number")
            if cell != "-":
                self.note(f"column '{printable(column.name, 40)}': '{printable(cell, 40)}' is not a number; left out")
            return
        unit = unit or column.unit
        found[column.name] = (number, unit)
        written = _UNITS.get(unit, unit)
        percentile, collections = _PERCENTILE.fullmatch(column.name), _COLLECTIONS.fullmatch(column.name)
        if column.name == "Error":
            return
        if column.name in _STATISTICS or percentile:
            metric = f"time_p{percentile[1]}" if percentile else _STATISTICS[column.name]
            if unit not in _TIMES:
                raise DataError(f"{column.name} of {printable(name, 60)} has no unit of time: '{printable(cell, 40)}'")
        elif collections:
            metric = f"gc_gen{collections[1]}"
        elif column.name in _MEMORY:
            metric, written = _MEMORY[column.name], written or "B/op"
        else:
            metric = printable(column.name, 60)
        self.hold(name, metric, number, written)


def _number(cell: str, mark: str) -> tuple[float | None, str]:
    """Return the number of a cell and its unit; None where it is none."""
    match = _CELL.fullmatch(cell[:_LONGEST_CELL])
    if match is None:
        return None, ""
    grouped = match["number"].replace("'", "").replace("’", "")
    plain = re.sub(r"\s", "", grouped).replace("." if mark == "," else ",", "").replace(",", ".")
    try:
        return number_in(plain), (match["unit"] or "").strip()
    except DataError:
        return None, ""


REPORT = Format(
    name="benchmarkdotnet-report",
    rule="a table with Method and Mean, whose cells or head have a unit of time",
    yields="mean with its 99.9 % interval, median, deviation, extremes, percentiles; memory; collections; parameters",
    limits="iterations: the JSON of the same run has them; how many there were",
    contains=frozenset({"csv"}),
    # The JSON of the same run holds every iteration.
    summary=True,
    recognise=lambda head: certain_if(_is_table(head)),
    read=lambda file: _Report(file).read(),
)

READERS = (BENCHMARKDOTNET, MEASUREMENTS, REPORT)
