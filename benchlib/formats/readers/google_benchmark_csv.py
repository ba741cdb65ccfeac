"""google-benchmark's CSV: the records of its JSON, cut to six digits."""

from __future__ import annotations

from collections.abc import Mapping

from benchlib.errors import DataError, printable
from benchlib.formats.ending import at_open_end, cut_row, open_line
from benchlib.formats.readers.google_records import Family, read_record
from benchlib.formats.readers.structured import Building, Kept, cells, decimal
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["GoogleBenchmarkCsv"]

_HEADER = ["name", "iterations", "real_time", "cpu_time", "time_unit"]
_FAILED = 8
_TEXTS = frozenset({"name", "time_unit", "label", "error_occurred", "error_message"})


class GoogleBenchmarkCsv:
    """The reader of ``--benchmark_format=csv``."""

    name = "google-benchmark-csv"
    rule = "a header 'name,iterations,real_time,cpu_time,time_unit'"
    files = "*.csv"
    yields = "time (real), cpu_time, transfer, throughput and counters of each repetition; arguments, threads and label"
    limits = "six digits; a benchmark that failed has no values; aggregates are told by their names alone"
    contains: frozenset[str] = frozenset({"csv"})
    #: The JSON of the same run holds every digit.
    summary = True

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        named = head.mentions("name,iterations,")
        return "certain" if named and any(_is_header(one) for one in head.lines) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read every line of a file."""
        build = Building(file.source, range(1, len(file.lines) + 1))
        rows = [cells(line) if line.strip() else [] for line in file.lines]
        family = Family([{"name": one[0]} for one in rows if one])
        header: list[str] = []

        def line(row: list[str] | None) -> Kept:
            nonlocal header
            if row == []:
                return "noise"
            if row and row[: len(_HEADER)] == _HEADER:
                header = row
                return "context"
            if not header:
                return "context"  # the console's words about the machine
            if row and len(row) < len(header) and row[_FAILED : _FAILED + 1] == ["true"]:
                row = [*row, *[""] * (len(header) - len(row))]  # a failed benchmark leaves out the counters
            if row is None or len(row) != len(header):
                found = "an open quote" if row is None else f"{len(row)} values"
                raise DataError(f"{found} under {len(header)} columns")
            if at_open_end(file, build.line) and cut_row(row, rows[: build.line - 1]):
                raise DataError(open_line(file.lines[-1]))
            return read_record(build, family, {}, _record(dict(zip(header, row, strict=True))))

        build.each(rows, line)
        if len(build.rows):
            build.line = 1
            build.remark("rounded", data=("values are cut to six digits",))
        return build.reading(wanted="google-benchmark writes a line for each benchmark")


def _is_header(line: str) -> bool:
    return line.startswith("name,iterations,") and (cells(line) or [])[: len(_HEADER)] == _HEADER


def _record(row: Mapping[str, str]) -> dict[str, object]:
    record: dict[str, object] = {}
    for column, written in row.items():
        if column in _TEXTS:
            record[column] = written
            continue
        if not written.strip():
            continue  # this benchmark has no such counter
        try:
            record[column] = decimal(written)
        except DataError as error:
            raise DataError(f"column '{printable(column, 40)}': {error}") from error
    return record
