"""criterion.rs: the folders it writes, its CSV and messages, and what ``cargo bench`` prints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from benchlib.errors import DataError, printable
from benchlib.formats.collector import Collector, Outcome, certain_if, number_in, split_cells
from benchlib.formats.json_text import list_at, number_at, outline, parse, parse_text, text_at, unreadable
from benchlib.formats.reader import Certainty, Format, Ledger, Reading, Records, TextFile, _at_open_end, open_line
from benchlib.formats.suites import _read_table
from benchlib.formats.text import _unpacked_name

# criterion.rs folders: `<group>/<function>/<input>/<new|base|baseline>/sample.json`.
#
# The sample knows its times and not its name: the folders above it give that. What lies beside it
# (estimates, fences of outliers, the change against the base, reports) was made from it, and is context.


_COMPANIONS = ("estimates.json", "tukey.json", "benchmark.json")


def _is_criterion(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file, and its name where the content is nothing but numbers."""
    if not head.first.lstrip().startswith(("<", "{", "[")):
        return "no"
    path = PurePosixPath(_unpacked_name(head.source))
    if _is_report(path, head):
        return "certain"
    paths = outline(head)
    if {"iters", "times"} <= paths:
        return "certain"
    if path.name not in _COMPANIONS:
        return "no"
    estimates = {"mean.point_estimate", "median.point_estimate", "Mean.point_estimate"} & paths
    fences = path.name == "tukey.json" and "[]" in paths and "[][]" not in paths
    return certain_if(estimates or fences or {"group_id", "function_id"} <= paths)


def _read_criterion(file: TextFile) -> Reading:
    """Read a sample; its companions are one record of context each."""
    path = PurePosixPath(_unpacked_name(file.source))
    if _is_report(path, file):
        return _context(Collector(file.source, Ledger(len(file.lines))), enumerate(file.lines, 1))
    document = parse(file)
    if not document.parsed:
        return unreadable(document)
    build = Collector(file.source, Records([document.first_line]))
    if path.name in _COMPANIONS:
        return _context(build, [(0, document.root)])

    build.each([(0, document.root)], partial(_read_folder_sample, build, path))
    return build.finish(document.problems, wanted="the sample is empty; run cargo bench again")


CRITERION = Format(
    name="criterion",
    rule="sample.json with iters and times, or a file that criterion writes beside it",
    yields="time of each sample (its time over its iterations); group, function, input and run from the path",
    limits="names are those of the folders, where criterion replaces / and other signs by _; a sample alone has none",
    recognise=_is_criterion,
    read=_read_criterion,
)


def _is_report(path: PurePosixPath, head: TextFile) -> bool:
    first = head.first.lstrip()
    return "report" in path.parts[:-1] and path.suffix in (".svg", ".html") and first.startswith("<")


def _context(build: Collector, records: Iterable[tuple[int, Any]]) -> Reading:
    build.each(records, lambda _: "context")
    return build.reading()


def _read_folder_sample(build: Collector, path: PurePosixPath, root: object) -> Outcome:
    iterations, times = list_at(root, "iters"), list_at(root, "times")
    if len(iterations) != len(times) or not times:
        raise DataError(f"{len(iterations)} iters beside {len(times)} times")
    run, parts = _place(path)
    benchmark, axes = _task(parts)
    build.configure({**({"benchmark": benchmark} if benchmark else {}), **axes, **({"run": run} if run else {})})
    for total, loops in zip(times, iterations, strict=True):
        _keep_sample(
            build, "/".join(parts), number_at({"times": total}, "times"), number_at({"iters": loops}, "iters"), "ns"
        )
    return "data"


def _keep_sample(build: Collector, name: str, total: float | None, loops: float | None, unit: str) -> None:
    """Keep what was measured over some iterations as the value of one."""
    if total is None or loops is None or loops <= 0:
        raise DataError("a sample without a value or without iterations")
    # Whoever measures something else than time (cycles, say) names its unit.
    metric = "time" if unit in _TEXT_TIMES else None
    build.hold(name, metric, total / loops, f"{printable(unit, 40) or 'value'}/op", iterations=loops)


def _place(path: PurePosixPath) -> tuple[str, tuple[str, ...]]:
    """Return the run and the folders that name the benchmark."""
    folders = path.parts[:-1]
    if "criterion" in folders:
        folders = folders[len(folders) - folders[::-1].index("criterion") :]
    return (folders[-1], folders[:-1]) if folders else ("", ())


def _task(parts: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
    """Return the benchmark and the axes of the parts of an identifier: group, function, input.

    Of two parts the second is an input if it is a number, else a function.
    """
    if len(parts) < 2:
        return (parts[0] if parts else ""), {}
    if len(parts) == 2:
        return parts[0], {"input" if parts[1].isdecimal() else "function": parts[1]}
    return parts[0], {"function": "/".join(parts[1:-1]), "input": parts[-1]}


# criterion's samples outside `sample.json`: `raw.csv`, and the messages of `cargo criterion`.
#
# `raw.csv` lies beside `sample.json` and holds the same samples, a line each; criterion 0.5 writes it with
# its feature `csv_output` alone, old versions always do. `cargo criterion --message-format=json` prints a line
# for each benchmark with all of its samples, and one for each group.

_IDENTIFIER = ["group", "function", "value"]
#: The measured value of old versions, always a time, and of those since.
_VALUES = {"sample_time_nanos": "ns", "sample_measured_value": ""}
#: What criterion replaces in the name of a folder, and how much of a name it keeps.
_UNSAFE = re.compile(r'[?"/\\*<>:|^]')
_LONGEST_FOLDER = 64
_COMPLETE = re.compile(r'\{.*"reason":\s*"benchmark-complete"')


def _read_criterion_csv(file: TextFile) -> Reading:
    """Read each line as one sample."""
    path = PurePosixPath(_unpacked_name(file.source))
    #: The benchmark of the line before, its full name, and the iterations of its last sample.
    benchmark: tuple[str, ...] = ()
    name, counted = "", 0.0

    def read_sample(build: Collector, sample: Mapping[str, str]) -> Outcome:
        nonlocal benchmark, name, counted
        identifier = tuple(sample[column] for column in _IDENTIFIER)
        if identifier != benchmark:
            name = _configure(build, path, tuple(part for part in identifier if part))
            benchmark, counted = identifier, 0.0
        column = next(column for column in _VALUES if column in sample)
        total, loops = number_in(sample[column]), number_in(sample["iteration_count"])
        # Within a benchmark the count never falls, and a number that lost a digit is a tenth: a sample at an
        # open end without another of its benchmark before it may be anything.
        if _at_open_end(file, build.line) and not 0 < counted <= (loops or 0.0):
            raise DataError(open_line(file.lines[-1]))
        _keep_sample(build, name, total, loops, _VALUES[column] or sample.get("unit", "").strip())
        counted = loops or 0.0
        return "data"

    return _read_table(file, read_sample, is_header=_is_header, wanted="criterion writes a line for each sample")


CRITERION_CSV = Format(
    name="criterion-csv",
    rule="a header 'group,function,value,…,iteration_count' with sample_measured_value or sample_time_nanos",
    yields="time of each sample (its time over its iterations); group, function and input",
    limits="the bytes or elements of one iteration are left out; in criterion's folders named as sample.json is",
    contains=frozenset({"csv"}),
    recognise=lambda head: certain_if(_is_header(split_cells(head.first) or [])),
    read=_read_criterion_csv,
)


def _is_header(columns: list[str]) -> bool:
    return columns[:3] == _IDENTIFIER and columns[-1] == "iteration_count" and bool(_VALUES.keys() & set(columns))


def _configure(build: Collector, path: PurePosixPath, identifier: tuple[str, ...]) -> str:
    """State which benchmark the next samples are of; return its full name."""
    if not identifier:
        raise DataError("a sample without group, function and value")
    run, folders = _place(path)
    # The samples of one run stand in sample.json too: they can be told to be the same by the same name alone.
    named = len(folders) >= len(identifier) and all(
        _is_folder_of(folder, part) for folder, part in zip(folders[-len(identifier) :], identifier, strict=True)
    )
    parts = folders if named else tuple(printable(part, 200) for part in identifier)
    benchmark, axes = _task(parts)
    build.configure({"benchmark": benchmark, **axes, **({"run": run} if named and run else {})})
    return "/".join(parts)


def _is_folder_of(folder: str, name: str) -> bool:
    """Whether criterion may have made a folder for a name; one of two alike ends in a number."""
    safe = _UNSAFE.sub("_", name).encode()[:_LONGEST_FOLDER].decode(errors="ignore")
    rest = folder.casefold().removeprefix(safe.casefold())
    return len(rest) < len(folder) and (not rest or (rest[0] == "_" and rest[1:].isdecimal()))


def _read_criterion_messages(file: TextFile) -> Reading:
    """Read each line as one message."""
    build = Collector(file.source, Ledger(len(file.lines)))
    build.each(enumerate(file.lines, 1), partial(_read_message, build, _groups(file)))
    return build.finish(wanted="cargo criterion prints a line for each benchmark")


CRITERION_MESSAGES = Format(
    name="criterion-messages",
    rule='lines {"reason":"benchmark-complete",…}',
    yields="time of each sample (its time over its iterations); group, function and input",
    limits="estimates, changes and the bytes or elements of one iteration are left out",
    recognise=lambda head: certain_if(
        head.mentions("benchmark-complete") and any(_COMPLETE.match(line) for line in head.lines)
    ),
    read=_read_criterion_messages,
)


def _read_message(build: Collector, groups: Mapping[str, str], line: str) -> Outcome:
    """Read one line: a benchmark, another message, or the words of cargo around them."""
    if not line.lstrip().startswith("{"):
        return "noise"
    document = parse_text(line, build.line)
    if not document.parsed or document.problems:
        raise DataError(document.problems[0][1].partition(";")[0])
    root = document.root
    if text_at(root, "reason") != "benchmark-complete":
        return "context"
    identifier = text_at(root, "id")
    if not identifier:
        raise DataError("a benchmark without an id")
    iterations, totals = list_at(root, "iteration_count"), list_at(root, "measured_values")
    if len(iterations) != len(totals) or not totals:
        raise DataError(f"{len(iterations)} of iteration_count beside {len(totals)} of measured_values")
    # A group's name may hold the sign that stands between group, function and input.
    group = groups.get(identifier) or identifier.partition("/")[0]
    rest = [part for part in identifier.removeprefix(group).split("/") if part]
    benchmark, axes = _task(tuple(printable(part, 200) for part in (group, *rest)))
    build.configure({"benchmark": benchmark, **axes})
    unit, name = text_at(root, "unit") or "", printable(identifier, 400)
    for total, loops in zip(totals, iterations, strict=True):
        measured = number_at({"measured_values": total}, "measured_values")
        _keep_sample(build, name, measured, number_at({"count": loops}, "count"), unit)
    return "data"


def _groups(file: TextFile) -> dict[str, str]:
    """Return the group of each benchmark, which cargo criterion tells after the last of them."""
    groups: dict[str, str] = {}
    for line in file.lines:
        if '"group-complete"' not in line:
            continue
        root = parse_text(line).root
        try:
            group = text_at(root, "group_name")
            identifiers = [entry for entry in list_at(root, "benchmarks") if isinstance(entry, str)]
        except DataError:
            continue  # said when its line is read
        groups |= {
            identifier: group
            for identifier in identifiers
            if group and (identifier == group or identifier.startswith(f"{group}/"))
        }
    return groups


# What `cargo bench` prints: criterion's `time: [low estimate high]` and libtest's `bench:` lines.


_NUMBER = r"(\d{1,18}(?:\.\d{1,18})?)"
_UNIT = r"([^\s\[\]%]{1,12})"
_TRIPLE = re.compile(
    rf"(?P<name>\S.{{0,400}}?)?\s+(?P<what>time|thrpt):\s+\[{_NUMBER} {_UNIT} {_NUMBER} {_UNIT} {_NUMBER} {_UNIT}\]\s*",
    re.ASCII,
)
_LIBTEST = re.compile(
    r"test (?P<name>\S.{0,400}?)\s+\.\.\. bench:\s+(?P<value>[\d,]{1,24}(?:\.\d{1,9})?) (?P<unit>ns|us|µs|ms|s)/iter"
    r"(?: \(\+/- [\d,.]+\))?(?: = (?P<rate>\d{1,18}) MB/s)?\s*",
    re.ASCII,
)
_CONTEXT = re.compile(
    r"Benchmarking |Found \d+ outliers|\s+\d+ \([\d.]+%\) (?:high|low) |\s+(?:change:|time:|thrpt:)"
    r"|\s+(?:No change|Change within|Performance has)|\s+Running |running \d+ tests?|test result:|\s+Finished "
    r"|\s+Compiling |test .* \.\.\. (?:ok|ignored)|Gnuplot not found|\s+slope |\s+mean |\s+median "
)
_TEXT_TIMES = ("ns", "us", "µs", "ms", "s")
_ELEMENTS = re.compile(r"([KMGT]?)elem/s")
_THOUSANDS = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
#: What criterion says of a benchmark it works on: its name, then how far it is.
_ANNOUNCED = re.compile(
    r"Benchmarking (?P<name>\S.*?)(?:: (?P<stage>Warming up|Collecting|Analyzing|Profiling|Complete).*)?\s*"
)
_CUT = re.compile(r"[^%]*\s(?:time|thrpt):\s{2,}\[\d[^%]*|test \S.* \.\.\. bench:.*")
_FAILED = re.compile(r"test (\S.{0,400}?)\s+\.\.\. FAILED\s*")


def _read_criterion_text(file: TextFile) -> Reading:
    """Read every line of a file."""
    printed = _Printed(file)
    for number, line in enumerate(file.lines, start=1):
        printed.take(number, line[:1000])
    return printed.finish_lines()


CRITERION_TEXT = Format(
    name="criterion-text",
    rule="lines 'name  time:   [1.2 ns 1.3 ns 1.4 ns]' or 'test name ... bench: 1,234 ns/iter'",
    yields="one sample a benchmark: criterion's estimate as time, throughput or transfer beside it",
    limits="no raw samples: target/criterion has them; the interval printed beside the estimate is left out",
    # The folder of the same run holds every sample.
    summary=True,
    recognise=lambda head: certain_if(head.mentions("time:", "bench:") and any(map(_measured, head.lines))),
    read=_read_criterion_text,
)


def _measured(line: str) -> bool:
    return ("time:" in line and bool(_TRIPLE.fullmatch(line[:1000]))) or (
        "bench:" in line and bool(_LIBTEST.fullmatch(line[:1000]))
    )


class _Printed(Collector):
    """What is collected of the lines that cargo bench prints."""

    def __init__(self, file: TextFile) -> None:
        super().__init__(file.source, Ledger(len(file.lines)))
        #: The benchmark whose time came last, and a bare line that may be a name too long for its column.
        self.name = ""
        self.alone = (0, "")
        #: The benchmarks that criterion began and has printed no time of, with the line of it.
        self.begun: dict[str, int] = {}

    def take(self, number: int, line: str) -> None:
        """Read one line."""
        if "[" in line and (match := _TRIPLE.fullmatch(line)):
            take = self._throughput if match["what"] == "thrpt" else self._time
            take(number, (match["name"] or "").strip(), float(match[5]), match[6])
        elif "bench:" in line and (match := _LIBTEST.fullmatch(line)):
            self.name = match["name"]
            self.configure({"benchmark": self.name})
            self._keep(number, "time", float(match["value"].replace(",", "")), f"{match['unit']}/op")
            if match["rate"]:
                self._keep(number, "transfer", float(match["rate"]), "MB/s")
        elif failed := _FAILED.fullmatch(line):
            self.ledger.problem(number, f"{printable(failed[1], 60)} failed and gave no result")
            self.add_series("failed-benchmark", failed[1], number)
        elif _CUT.fullmatch(line):
            message = f"'{printable(line.strip(), 60)}' is cut or not as cargo prints it; line skipped"
            self.ledger.problem(number, message)
        elif _CONTEXT.match(line):
            if match := _ANNOUNCED.fullmatch(line):
                self.begun.setdefault(match["name"], number)
                if match["stage"] in ("Profiling", "Complete"):  # which take no time of it
                    del self.begun[match["name"]]
            self.ledger.context(number)
        elif line.strip() and not line.startswith(" "):
            self.alone = (number, line.strip())

    def _time(self, number: int, name: str, value: float, unit: str) -> None:
        before, alone = self.alone
        if not name and before == number - 1:
            # A long name stands on a line of its own.
            name = alone
            self.ledger.context(before)
        if unit == "ps":
            value, unit = value * 1e-3, "ns"
        if not name:
            self.ledger.problem(number, "a time without a benchmark before it; line skipped")
        elif unit not in _TEXT_TIMES:
            self.ledger.problem(number, f"'{printable(unit, 20)}' is no unit of time; line skipped")
        else:
            self.name = name
            self.begun.pop(name, None)
            benchmark, axes = _task(tuple(part for part in name.split("/") if part) or (name,))
            self.configure({"benchmark": benchmark, **axes})
            self._keep(number, "time", value, f"{unit}/op")

    def _throughput(self, number: int, _: str, value: float, unit: str) -> None:
        if not self.configurations:
            self.ledger.problem(number, "a throughput without a benchmark before it; line skipped")
        elif match := _ELEMENTS.fullmatch(unit):
            self._keep(number, "throughput", value * _THOUSANDS[match[1]], "elem/s")
        else:
            self._keep(number, "transfer" if unit.endswith("B/s") else None, value, unit)

    def _keep(self, number: int, metric: str | None, value: float, unit: str) -> None:
        self.add(self.name, metric, value, unit, line=number)
        self.ledger.data(number)

    def finish_lines(self) -> Reading:
        """Return the reading, with the benchmarks that have no time."""
        for name, line in self.begun.items():
            message = f"benchmark '{printable(name, 60)}' was begun and has no time"
            self.ledger.note(line, f"{message}; was the file cut? run cargo bench again")
        return self.finish(wanted="cargo bench prints a time for each benchmark")


READERS = (
    CRITERION_CSV,
    CRITERION_MESSAGES,
    CRITERION,
    CRITERION_TEXT,
)
