"""hyperfine: whole commands timed, each execution kept (JSON), or summed up in one line (CSV)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchlib.errors import DataError, printable
from benchlib.formats.documents import read_documents
from benchlib.formats.ending import at_open_end, cut_row, open_line
from benchlib.formats.json_paths import outline
from benchlib.formats.json_text import Document
from benchlib.formats.json_values import items, mapping, number, text
from benchlib.formats.readers.structured import Building, Kept, axes_of, cells, decimal, record_lines, refused
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["Hyperfine", "HyperfineCsv"]

_WANTED = "hyperfine writes 'results' with a command and its times"
#: As hyperfine calls them -> as benchlib does. All are seconds an execution.
_MEANS = {"user": "user_time", "system": "system_time"}
_SUMMARIES = {"mean": "time_mean", "stddev": "time_stdev", "min": "time_min", "max": "time_max", **_MEANS}


class Hyperfine:
    """The reader of ``hyperfine --export-json``."""

    name = "hyperfine"
    rule = "JSON with results[].command and results[].times or .mean"
    files = "*.json"
    yields = "time and peak memory of each execution; user and system time as one mean a command; parameters"
    limits = "user and system time are means only; an execution that exits with another code than 0 failed"
    contains = frozenset[str]()

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        paths = outline(head)
        shaped = "results[].command" in paths and ({"results[].times", "results[].mean"} & paths)
        return "certain" if shaped else "no"

    def read(self, file: TextFile) -> Reading:
        """Read every result of a file."""
        return read_documents(file, partial(_read, file))


def _read(file: TextFile, document: Document) -> Reading:
    try:
        results = items(document.root, "results")
    except DataError as error:
        return refused(document, error)
    build = Building(file.source, record_lines(document, "results[]", len(results)))
    build.each(results, partial(_result, build))
    return build.reading(document.problems, wanted=_WANTED)


def _result(build: Building, result: object) -> Kept:
    command = text(result, "command")
    if not command:
        raise DataError("a result without a command")
    times, memory = items(result, "times"), items(result, "memory_usage_byte")
    codes = items(result, "exit_codes")
    median = number(result, "median")
    one_value = median if median is not None else number(result, "mean")
    if not times and one_value is None:
        raise DataError(f"'{printable(command, 60)}' has neither times nor a median")
    build.configure({"benchmark": printable(command, 200), **axes_of(mapping(result, "parameters"))})
    # A signal leaves no exit code: null is a failure too.
    failed = [0.0 if one == 0 and not isinstance(one, bool) else 1.0 for one in codes]
    if times and failed and len(failed) != len(times):
        raise DataError(f"{len(times)} times beside {len(failed)} exit codes")
    for place, time in enumerate(times):
        errors = failed[place] if failed else None
        seconds = number({"times": time}, "times")
        if seconds is None:
            build.note(f"time {place + 1} of '{printable(command, 60)}' is missing; left out")
            continue
        build.add(command, "time", seconds, "s/op", iterations=1.0, errors=errors)
    for place, size in enumerate(memory if len(memory) == len(times) else []):
        used = number({"memory_usage_byte": size}, "memory_usage_byte")
        if used is not None:
            build.add(command, "memory", used, "B/op", iterations=1.0, errors=failed[place] if failed else None)
    total = sum(failed) if failed else None
    if not times and one_value is not None:
        build.add(command, "time", one_value, "s/op", errors=total)
    for key, metric in _MEANS.items():
        mean = number(result, key)
        if mean is not None:
            build.add(command, metric, mean, "s/op", errors=total)
    return "data"


class HyperfineCsv:
    """The reader of ``hyperfine --export-csv``."""

    name = "hyperfine-csv"
    rule = "a header 'command,mean,stddev,median,user,system,min,max'"
    files = "*.csv"
    yields = "one sample a command: the median as time, and time_mean, _stdev, _min, _max beside it"
    limits = "no raw samples, no exit codes: an execution that failed cannot be told"
    contains: frozenset[str] = frozenset({"csv"})
    #: The JSON of the same run holds every execution.
    summary = True

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        header = cells(head.first) or []
        return "certain" if header[:3] == ["command", "mean", "stddev"] and "median" in header else "no"

    def read(self, file: TextFile) -> Reading:
        """Read every line of a file."""
        build = Building(file.source, range(1, len(file.lines) + 1))
        header: list[str] = []
        above: list[list[str]] = []

        def line(written: str) -> Kept:
            nonlocal header
            if not written.strip():
                return "noise"
            row = cells(written)
            if row is None or (header and len(row) != len(header)):
                found = "an open quote" if row is None else f"{len(row)} values"
                raise DataError(f"{found} under {len(header)} columns")
            if not header or row == header:
                header = row
                return "context"
            if at_open_end(file, build.line) and cut_row(row, above):
                raise DataError(open_line(written))
            above.append(row)
            _summary(build, dict(zip(header, row, strict=True)))
            return "data"

        build.each(file.lines, line)
        return build.reading(wanted="hyperfine writes a line for each command")


def _summary(build: Building, row: Mapping[str, str]) -> None:
    command = row.get("command", "")
    numbers = {column: decimal(row.get(column, "")) for column in ("median", *_SUMMARIES)}
    time = numbers.pop("median")
    if not command or time is None:
        raise DataError("a line without command or median")
    parameters = {key.removeprefix("parameter_"): one for key, one in row.items() if key.startswith("parameter_")}
    build.configure({"benchmark": printable(command, 200), **axes_of(parameters)})
    build.add(command, "time", time, "s/op")
    for column, value in numbers.items():
        if value is not None:
            build.add(command, _SUMMARIES[column], value, "s/op")
