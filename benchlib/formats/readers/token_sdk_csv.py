"""Read the two tables of the token SDK's ``run_benchmarks.py``.

``benchmark_results.csv`` has one line a recording and one column a value, ``benchmark_IOstats.csv``
one line a combination of bits, inputs and outputs. Both are made from logs: times are cut to whole
milliseconds, there is no count of errors, and a benchmark that failed stands as zeros. Where the
logs are at hand they are the better source.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from typing import Any

from benchlib.errors import DataError, printable
from benchlib.formats.ledger import Ledger
from benchlib.formats.reading import Certainty, Reading, Rows, TextFile
from benchlib.results import Series

__all__ = ["TokenSdkCsv"]

#: As the table writes it -> (metric, unit).
_SERIAL = {"time": ("time", "ms/op"), "RAM": ("memory", "B/op"), "allocs": ("allocations", "allocs/op")}
_PARALLEL = {
    "tps": ("throughput", "op/s"),
    "lat-p95": ("latency_p95", "ms"),
    "lat-avg": ("latency_mean", "ms"),
    "lat-std": ("latency_stdev", "ms"),
    "goroutines": ("goroutines", ""),
}
_SERIAL_COLUMN = re.compile(r"(Benchmark\w+) (time|RAM|allocs)")
_PARALLEL_COLUMN = re.compile(
    r"(TestParallelBenchmark\w+)\[(\w+)\]/(\d{1,9}) (tps|lat-p95|lat-avg|lat-std|goroutines)", re.ASCII
)
_COMBINATIONS = ["bench", "bits", "I", "O", "allocs", "RAM bytes", "time ms"]
_NUMBER = re.compile(r"\d{1,18}(?:\.\d{1,18})?", re.ASCII)
_ROUNDED = (
    "times and latencies are cut to whole milliseconds and memory and allocations kept to 4 digits;"
    " there is no count of errors"
)


class TokenSdkCsv:
    """The reader of ``benchmark_results.csv`` and ``benchmark_IOstats.csv``."""

    name = "token-sdk-csv"
    rule = "a header 'timestamp,BenchmarkX time,...' or 'bench,bits,I,O,allocs,RAM bytes,time ms'"
    contains: frozenset[str] = frozenset({"csv"})
    files = "benchmark_results.csv, benchmark_IOstats.csv"
    yields = "time, memory, allocations, throughput and latency of each recording"
    limits = "digits below a millisecond; errors (a failed benchmark stands as zeros): a log beside it is read instead"
    #: Made from logs: a log of the same benchmark supersedes it.
    summary = True
    #: Its values stood in benchstat's tables first.
    digits = 4

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        header = _cells(head.first) or []
        known = any(_SERIAL_COLUMN.fullmatch(one) or _PARALLEL_COLUMN.fullmatch(one) for one in header)
        return "certain" if header == _COMBINATIONS or (header[:1] == ["timestamp"] and known) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read every line of a file."""
        return _Reading(file).reading()


class _Reading:
    """The reading of one file, line by line."""

    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.ledger = Ledger(len(file.lines))
        self.rows = Rows()
        self.configurations: list[Mapping[str, Any]] = []
        self.series: list[Series] = []

    def reading(self) -> Reading:
        header: list[str] = []
        records: list[tuple[int, list[str]]] = []
        for number, line in enumerate(self.file.lines, start=1):
            if not line.strip():
                continue
            cells = _cells(line)
            if not header:
                header = cells or ["unreadable"]
                self.ledger.context(number)
                self._note_columns(number, header)
            elif cells == header:
                self.ledger.context(number)
            elif cells is None or len(cells) != len(header):
                found = "no comma-separated values" if cells is None else f"{len(cells)} values"
                self.ledger.problem(
                    number, f"{found} under {len(header)} columns; the line is cut or joined; line skipped"
                )
            else:
                records.append((number, cells))
        for number, cells in records:
            before = len(self.rows)
            if header == _COMBINATIONS:
                self._combination(number, cells)
            else:
                self._recording(number, header, cells, several=len(records) > 1)
            if len(self.rows) > before:
                self.ledger.data(number)
        if len(self.rows):
            self._add_series("rounded", "", 1, (_ROUNDED,))
        return Reading(
            rows=self.rows,
            configurations=self.configurations,
            problems=self.ledger.problems,
            lines=self.ledger.counts(),
            series=self.series,
        )

    def _note_columns(self, number: int, header: list[str]) -> None:
        if header == _COMBINATIONS:
            return
        seen: set[str] = set()
        for column in header:
            known = column == "timestamp" or _SERIAL_COLUMN.fullmatch(column) or _PARALLEL_COLUMN.fullmatch(column)
            if not known:
                self.ledger.note(number, f"column '{printable(column)}' is not known; left out")
            elif column in seen:
                self.ledger.note(number, f"column '{printable(column)}' stands twice; the first was kept")
            seen.add(column)

    def _combination(self, number: int, cells: list[str]) -> None:
        name = cells[0]
        axes: dict[str, Any] = {}
        for axis, text in zip(("bits", "inputs", "outputs"), cells[1:4], strict=True):
            if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
                self.ledger.problem(number, f"{axis} '{printable(text)}' is not a whole number; line skipped")
                return
            axes[axis] = int(text)
        values = dict(zip(("allocs", "RAM", "time"), cells[4:], strict=True))
        self._add_group(number, name, axes, {_SERIAL[key]: (key, one) for key, one in values.items()})

    def _recording(self, number: int, header: list[str], cells: list[str], several: bool) -> None:
        # One line is the recording; several lines are several recordings, told apart as runs.
        run = {"run": cells[header.index("timestamp")]} if several and "timestamp" in header else {}
        groups: dict[tuple[str, ...], dict[tuple[str, str], tuple[str, str]]] = {}
        for column, text in zip(header, cells, strict=True):
            if found := _SERIAL_COLUMN.fullmatch(column):
                key: tuple[str, ...] = (found[1],)
                measure = _SERIAL[found[2]]
            elif parallel := _PARALLEL_COLUMN.fullmatch(column):
                key, measure = (parallel[1], parallel[2], parallel[3]), _PARALLEL[parallel[4]]
            else:
                continue
            groups.setdefault(key, {}).setdefault(measure, (column, text))
        for (name, *levels), values in groups.items():
            axes: dict[str, Any] = dict(run)
            if levels:
                axes |= {"executor": levels[0], "workers": int(levels[1])}
            self._add_group(number, name, axes, values)

    def _add_group(
        self,
        number: int,
        name: str,
        axes: Mapping[str, Any],
        values: Mapping[tuple[str, str], tuple[str, str]],
    ) -> None:
        """Add the values of one benchmark in one configuration, unless all of them are zero."""
        numbers: dict[tuple[str, str], float] = {}
        for measure, (column, text) in values.items():
            if not text.strip():
                continue
            try:
                numbers[measure] = _number(text)
            except DataError as error:
                self.ledger.problem(number, f"column '{printable(column)}': {error}; value left out")
        if numbers and not any(numbers.values()):
            self._failed(number, name, [column for column, _ in values.values()])
            return
        if not numbers:
            return
        self.configurations.append(axes)
        for (metric, unit), value in numbers.items():
            self.rows.add(
                name=name,
                metric=metric,
                value=value,
                unit=unit,
                line=number,
                configuration=len(self.configurations) - 1,
            )

    def _failed(self, number: int, name: str, columns: list[str]) -> None:
        # A benchmark of no time, no memory and no allocations did not run; a time of 0 alone is
        # below one millisecond.
        task = name.removeprefix("TestParallel").removeprefix("Benchmark")
        twin = f"TestParallelBenchmark{task}"
        beside = f"; {twin} beside it has no count of errors and may have failed too" if name != twin else ""
        self.ledger.problem(
            number,
            f"columns '{printable(', '.join(columns))}' are all 0: {printable(name)} gave no result{beside};"
            " read its log",
        )
        self._add_series("failed-benchmark", name.removeprefix("Benchmark"), number, tuple(columns))

    def _add_series(self, kind: str, name: str, line: int, data: tuple[Any, ...]) -> None:
        self.series.append(Series(kind=kind, name=name, source=self.file.source, line=line, data=data))


def _cells(line: str) -> list[str] | None:
    try:
        return next(csv.reader([line], strict=True), None)
    except csv.Error:
        return None


def _number(text: str) -> float:
    # float() strips less than strip() does: the control characters 0x1c to 0x1f are left.
    number = text.strip()
    if not _NUMBER.fullmatch(number):
        raise DataError(f"'{printable(text)}' is not a number")
    return float(number)
