"""criterion's samples outside ``sample.json``: ``raw.csv``, and the messages of ``cargo criterion``.

``raw.csv`` lies beside ``sample.json`` and holds the same samples, a line each; criterion 0.5 writes it with
its feature ``csv_output`` alone, old versions always do. ``cargo criterion --message-format=json`` prints a line
for each benchmark with all of its samples, and one for each group.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from benchlib.errors import DataError, printable
from benchlib.formats.ending import at_open_end, open_line
from benchlib.formats.json_text import parse_text
from benchlib.formats.json_values import items, number, text
from benchlib.formats.raw import unpacked_name
from benchlib.formats.readers.criterion import place, task
from benchlib.formats.readers.structured import Building, Kept, cells, decimal
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["CriterionCsv", "CriterionMessages"]

_IDENTIFIER = ["group", "function", "value"]
#: The measured value of old versions, always a time, and of those since.
_VALUES = {"sample_time_nanos": "ns", "sample_measured_value": ""}
_TIMES = ("ns", "us", "µs", "ms", "s")
#: What criterion replaces in the name of a folder, and how much of a name it keeps.
_UNSAFE = re.compile(r'[?"/\\*<>:|^]')
_LONGEST_FOLDER = 64
_COMPLETE = re.compile(r'\{.*"reason":\s*"benchmark-complete"')


class CriterionCsv:
    """The reader of ``raw.csv``."""

    name = "criterion-csv"
    rule = "a header 'group,function,value,…,iteration_count' with sample_measured_value or sample_time_nanos"
    files = "raw.csv"
    yields = "time of each sample (its time over its iterations); group, function and input"
    limits = "the bytes or elements of one iteration are left out; in criterion's folders named as sample.json is"
    contains: frozenset[str] = frozenset({"csv"})

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        return "certain" if _is_header(head.first) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read each line as one sample."""
        build = Building(file.source, range(1, len(file.lines) + 1))
        path = PurePosixPath(unpacked_name(file.source))
        header: list[str] = []
        known: tuple[str, ...] | None = None
        name = ""
        #: The iterations of the sample before, of the same benchmark.
        counted = 0.0

        def line(written: str) -> Kept:
            nonlocal header, known, name, counted
            if not written.strip():
                return "noise"
            if _is_header(written):
                header = cells(written) or []
                return "context"
            row = cells(written)
            if row is None or len(row) != len(header):
                found = "an open quote" if row is None else f"{len(row)} values"
                raise DataError(f"{found} under {len(header)} columns")
            sample = dict(zip(header, row, strict=True))
            identifier = tuple(sample[one] for one in _IDENTIFIER)
            if identifier != known:
                name = _configure(build, path, tuple(one for one in identifier if one))
                known, counted = identifier, 0.0
            # Within a benchmark the count never falls, and a number that lost a digit is a tenth: a sample at an
            # open end without one of its benchmark before it may be anything.
            if at_open_end(file, build.line) and not 0 < counted <= (decimal(sample["iteration_count"]) or 0.0):
                raise DataError(open_line(written))
            counted = _sample(build, name, sample)
            return "data"

        build.each(file.lines, line)
        return build.reading(wanted="criterion writes a line for each sample")


def _is_header(line: str) -> bool:
    columns = cells(line) or []
    return columns[:3] == _IDENTIFIER and columns[-1] == "iteration_count" and bool(_VALUES.keys() & set(columns))


def _configure(build: Building, path: PurePosixPath, identifier: tuple[str, ...]) -> str:
    """State which benchmark the next samples are of; return its full name."""
    if not identifier:
        raise DataError("a sample without group, function and value")
    run, folders = place(path)
    # The samples of one run stand in sample.json too: they can be told to be the same by the same name alone.
    named = len(folders) >= len(identifier) and all(
        _is_folder_of(folder, one) for folder, one in zip(folders[-len(identifier) :], identifier, strict=True)
    )
    parts = folders if named else tuple(printable(one, 200) for one in identifier)
    benchmark, axes = task(parts)
    build.configure({"benchmark": benchmark, **axes, **({"run": run} if named and run else {})})
    return "/".join(parts)


def _is_folder_of(folder: str, name: str) -> bool:
    """Whether criterion may have made a folder for a name; one of two alike ends in a number."""
    safe = _UNSAFE.sub("_", name).encode()[:_LONGEST_FOLDER].decode(errors="ignore")
    rest = folder.casefold().removeprefix(safe.casefold())
    return len(rest) < len(folder) and (not rest or (rest[0] == "_" and rest[1:].isdecimal()))


def _sample(build: Building, name: str, sample: Mapping[str, str]) -> float:
    """Add one sample; return its iterations."""
    column = next(one for one in _VALUES if one in sample)
    total, loops = decimal(sample[column]), decimal(sample["iteration_count"])
    if total is None or loops is None or loops <= 0:
        raise DataError("a sample without a value or without iterations")
    _add(build, name, total, loops, _VALUES[column] or sample.get("unit", "").strip())
    return loops


def _add(build: Building, name: str, total: float, loops: float, unit: str) -> None:
    # Whoever measures something else than time (cycles, say) names its unit.
    metric = "time" if unit in _TIMES else None
    build.add(name, metric, total / loops, f"{printable(unit, 40) or 'value'}/op", iterations=loops)


class CriterionMessages:
    """The reader of ``cargo criterion --message-format=json``."""

    name = "criterion-messages"
    rule = 'lines {"reason":"benchmark-complete",…}'
    files = "*.json, *.ndjson"
    yields = "time of each sample (its time over its iterations); group, function and input"
    limits = "estimates, changes and the bytes or elements of one iteration are left out"
    contains = frozenset[str]()

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        named = head.mentions("benchmark-complete")
        return "certain" if named and any(_COMPLETE.match(one) for one in head.lines) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read each line as one message."""
        build = Building(file.source, range(1, len(file.lines) + 1))
        build.each(file.lines, _Messages(build, _groups(file)).read)
        return build.reading(wanted="cargo criterion prints a line for each benchmark")


class _Messages:
    def __init__(self, build: Building, groups: Mapping[str, str]) -> None:
        self.build = build
        self.groups = groups

    def read(self, line: str) -> Kept:
        """Read one line: a benchmark, another message, or the words of cargo around them."""
        if not line.lstrip().startswith("{"):
            return "noise"
        document = parse_text(line, self.build.line)
        if not document.parsed or document.problems:
            raise DataError(document.problems[0][1].partition(";")[0])
        if text(document.root, "reason") != "benchmark-complete":
            return "context"
        self._benchmark(document.root)
        return "data"

    def _benchmark(self, root: object) -> None:
        identifier = text(root, "id")
        if not identifier:
            raise DataError("a benchmark without an id")
        iterations, totals = items(root, "iteration_count"), items(root, "measured_values")
        if len(iterations) != len(totals) or not totals:
            raise DataError(f"{len(iterations)} of iteration_count beside {len(totals)} of measured_values")
        # A group's name may hold the sign that stands between group, function and input.
        group = self.groups.get(identifier) or identifier.partition("/")[0]
        rest = [one for one in identifier.removeprefix(group).split("/") if one]
        benchmark, axes = task(tuple(printable(one, 200) for one in (group, *rest)))
        self.build.configure({"benchmark": benchmark, **axes})
        unit, name = text(root, "unit") or "", printable(identifier, 400)
        for total, count in zip(totals, iterations, strict=True):
            measured, loops = number({"measured_values": total}, "measured_values"), number({"count": count}, "count")
            if measured is None or loops is None or loops <= 0:
                raise DataError("a sample without a value or without iterations")
            _add(self.build, name, measured, loops, unit)


def _groups(file: TextFile) -> dict[str, str]:
    """Return the group of each benchmark, which cargo criterion tells after the last of them."""
    found: dict[str, str] = {}
    for line in file.lines:
        if '"group-complete"' not in line:
            continue
        root = parse_text(line).root
        try:
            group = text(root, "group_name")
            told = [one for one in items(root, "benchmarks") if isinstance(one, str)]
        except DataError:
            continue  # told when its line is read
        found |= {one: group for one in told if group and (one == group or one.startswith(f"{group}/"))}
    return found
