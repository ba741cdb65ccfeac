"""Go benchmark results: the text of ``go test -bench``, and the events of ``go test -json``."""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchlib.errors import InputError, printable
from benchlib.formats.reader import Certainty, Format, Ledger, Reading, Rows, TextFile, open_line
from benchlib.formats.text import _clean_line
from benchlib.results import LineCounts, Series
from benchlib.units import parse_unit

if TYPE_CHECKING:
    from benchlib.formats.json_text import Document

# The rules for the lines of Go benchmark text, and what the lines read so far have said.
#
# Each line is taken alone, as benchstat takes it, but for a result that a log cut from its name: that
# name looks ahead for its values.
#
# References
# golang.org/x/perf/benchfmt, `reader.go`; https://go.dev/design/14313-benchmark-format.

#: No result is longer; what starts like one and is, was never meant for a reader of lines.
_LONGEST = 1024**2
#: Each result has its configuration, and log lines look like keys: both are bounded, or a file of a
#: few megabytes would fill the memory.
_MOST_KEYS = 128
_MOST_FACTS = 2_000_000
#: ``Key`` may not hold space or upper case; the value may be missing, which deletes the key.
_CONFIG = re.compile(r"([^\s:]+):(?:[ \t]+(.*))?")
_FAILED = re.compile(r"\s*--- FAIL: (Benchmark\S*)")
_SKIPPED = re.compile(r"\s*--- SKIP: (Benchmark\S*)")
#: How the go command, the compiler and the runtime say that a package has no result, or not all of them.
_PACKAGE_FAILED = re.compile(r"FAIL\s+(\S+)\s+(?:\[(?P<why>[a-z ]+)\]|[\d.]+s|\(cached\))")
_COMPILER = re.compile(r"(?!\s)[^:]*\.go:\d+:\d+: \S")
_STOPPED = re.compile(r"(?:\*\*\* Test killed|fatal error: )")
#: What the go command says of itself, "go: downloading ...": not a fact about a result.
_GO_COMMAND = re.compile(r"[a-z]+ ")
#: What make says of itself around go test, "make[1]: Entering directory '/src'": no fact either.
_MAKE = re.compile(r"(?:g?make|ninja)(?:\[\d+\])?")
_MAKE_WORDS = re.compile(
    r"(?:Entering|Leaving) directory |Nothing to be done |.* is up to date\.|"
    r"\*\*\* |\[|warning: |Circular |build stopped"
)
#: What make says of a failure that it goes on from, or has said already.
_MAKE_GOES_ON = re.compile(r".*\(ignored\)|\*\*\* Waiting for unfinished jobs")
#: What one line says of one name: name, values, their units, line, configuration, iterations.
_Result = tuple[str, Sequence[float], Sequence[str], int, int, float]
_BENCHSTAT = re.compile(r"│|\s±\s+(?:∞|\d)|^name\s+(?:old\s+)?\S+/\S+\s")


@dataclass(slots=True)
class Log:
    """What reading has found so far."""

    #: The file, for an error that ends its reading.
    source: str = ""
    rows: Rows = field(default_factory=Rows)
    configurations: list[Mapping[str, str]] = field(default_factory=list)
    numbers: dict[tuple[tuple[str, str], ...], int] = field(default_factory=dict)
    config: dict[str, str] = field(default_factory=dict)
    #: Index of the configuration in force, -1 until a result needs it.
    current: int = -1
    problems: list[tuple[int, str]] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    units: dict[tuple[str, str], str] = field(default_factory=dict)
    #: Names that stood alone on a line, as under ``go test -v``, with that line.
    announced: dict[str, int] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)
    #: Lines of ``--- FAIL``, with the benchmark.
    failures: list[tuple[int, str]] = field(default_factory=list)
    data: int = 0
    context: int = 0
    wrong: set[int] = field(default_factory=set)
    benchstat: bool = False
    #: How many keys and values the configurations hold.
    facts: int = 0
    #: Whether there were too many keys.
    crowded: bool = False
    #: Problems and failures at the last verdict on a package; where a bare ``FAIL`` or a compiler error stands.
    told: int = 0
    told_failures: int = 0
    failed_at: int = 0
    failed_package: bool = False
    compiled_at: int = 0
    #: The last benchmark that began a line which holds no result, and that line: one that ends its package stands so.
    begun: tuple[str, int] | None = None
    #: Results taken and not yet in the rows.
    results: list[_Result] = field(default_factory=list)

    def configuration(self) -> int:
        """Return the index of the configuration in force."""
        if self.current < 0:
            key = tuple(sorted(self.config.items()))
            self.current = self.numbers.setdefault(key, len(self.configurations))
            if self.current == len(self.configurations):
                self.configurations.append(dict(self.config))
                self.facts += len(self.config)
                if self.facts > _MOST_FACTS + 8 * len(self.configurations):
                    raise InputError(
                        f"{self.source}: lines 'key: value' state more than {_MOST_FACTS:,} facts in "
                        f"{len(self.configurations):,} configurations; remove those that are log text"
                    )
        return self.current

    def flush(self) -> None:
        """Append the results taken so far to the rows."""
        if self.results:
            for name, values, units, line, configuration, iterations in self.results:
                for value, unit in zip(values, units, strict=True):
                    self.rows.add(
                        name=name,
                        value=value,
                        unit=unit,
                        line=line,
                        configuration=configuration,
                        iterations=iterations,
                    )
            self.results.clear()

    def refuse(self, line: int, message: str) -> None:
        """Record a line that should have been a result."""
        self.problems.append((line, message))
        self.wrong.add(line)

    def remark(self, kind: str, name: str, line: int) -> None:
        """Record what failed, under the configuration in force: it tells which side of a comparison lost it."""
        facts = tuple(self.config.items())
        self.series.append(Series(kind=kind, name=name, source=self.source, line=line, data=facts))

    def lose(self, line: int, package: str = "") -> None:
        """Record that results of a package are missing; by default of the one that is being read."""
        self.remark("failed-package", package or self.config.get("pkg", ""), line)


def take(log: Log, source: str, line: str, number: int, ahead: Iterator[str]) -> int:
    """Take one line; return the number of lines now read."""
    if line.startswith("Benchmark"):
        return _result(log, line, number, ahead)
    if line:
        _other(log, source, line, number)
    return number


def _result(log: Log, line: str, number: int, ahead: Iterator[str]) -> int:
    """Take a line that starts with ``Benchmark``; return the number of lines now read."""
    if len(line) > _LONGEST:
        log.refuse(number, f"starts like a result and is {len(line):,} characters long; line skipped")
        return number
    fields = line.split()
    try:
        _append(log, fields[0], fields[1:], number)
    except _LineError as error:
        bare = len(line) == len(fields[0])
        joined = _joined(ahead, number)
        if joined is not None:
            at, values = joined
            try:
                _append(log, fields[0], values, at)
            except _LineError:
                joined = None
            else:
                # The name explains the values; what stood between was somebody's log.
                log.context += at != number
                return at
        rest = line[len(fields[0]) :].strip()
        if _FAILED.match(rest):
            _verdict(log, rest, number)
            return number
        if rest.startswith("panic:"):
            log.remark("failed-benchmark", fields[0].removeprefix("Benchmark"), number)
            log.lose(number)
        elif not rest and not bare:
            log.begun = fields[0], number
        if bare:
            log.announced.setdefault(fields[0], number)
        else:
            log.refuse(number, str(error))
    return number


def _append(log: Log, name: str, fields: list[str], number: int) -> None:
    """Append the values of one result."""
    if not fields:
        raise _LineError("missing iteration count; line skipped")
    iterations = _integer(fields[0])
    if len(fields) < 2:
        raise _LineError("missing measurements; line skipped")
    values = [_measurement(field) for field in fields[1::2]]
    units = fields[2::2]
    if len(units) < len(values):
        raise _LineError(f"missing units: '{printable(fields[-1], 40)}' has none; line skipped")
    if not all(map(isfinite, values)):
        for value, unit in zip(values, units, strict=True):
            if not isfinite(value):
                log.problems.append((number, f"{value} {printable(unit, 40)} is no measurement; value skipped"))
        finite = [(value, unit) for value, unit in zip(values, units, strict=True) if isfinite(value)]
        values, units = [pair[0] for pair in finite], [pair[1] for pair in finite]
        if not values:
            log.wrong.add(number)
            log.settled.add(name)
            return
    log.data += 1
    log.settled.add(name)
    log.results.append((name, values, units, number, log.configuration(), iterations))


def _other(log: Log, source: str, line: str, number: int) -> None:
    """Take a line that does not start with ``Benchmark``."""
    first = line[0]
    if first == "U" and line.split()[0] == "Unit":
        _unit(log, source, line.split(), number)
    elif first.islower() and (match := _CONFIG.fullmatch(line)) and not _upper(match[1]):
        _configure(log, match[1], match[2] or "", number)
    elif "--- " in line and line.lstrip().startswith("--- "):
        _verdict(log, line, number)
    elif "ns/op" in line and (first in " \t" or first.isdigit()) and _values_of(line):
        log.refuse(number, "values without a benchmark name; line skipped")
    elif first in "Fo*f" or ".go:" in line:
        _ending(log, line, number)
    elif not log.benchstat and _BENCHSTAT.search(line):
        log.benchstat = True


def _ending(log: Log, line: str, number: int) -> None:
    """Take what says that a package passed, failed, or was never built."""
    if line.startswith("ok  \t"):
        log.told, log.failed_at, log.begun = _problems(log), 0, None
    elif line.rstrip() == "FAIL":
        # After the last package the go command says it once more of all of them.
        log.failed_at = 0 if log.failed_package else number
    elif match := _PACKAGE_FAILED.match(line):
        if match["why"]:
            shown = f"package '{printable(match[1])}' failed: {match['why']}"
            log.refuse(number, f"{shown}; it has no result; correct it and run again")
            log.lose(number, match[1])
        elif len(log.failures) == log.told_failures:
            # Else what failed was told where it did.
            if _problems(log) == log.told:
                log.refuse(number, f"package '{printable(match[1])}' failed; results may be missing; read its log")
            if log.begun:
                log.remark("failed-benchmark", log.begun[0].removeprefix("Benchmark"), log.begun[1])
            log.lose(number, match[1])
        log.begun = None
        log.told_failures = len(log.failures)
        log.told, log.failed_at, log.failed_package = _problems(log), 0, True
    elif _COMPILER.match(line):
        if log.compiled_at != number - 1:
            shown = printable(line.strip(), 100)
            log.refuse(number, f"the compiler stopped at '{shown}'; its package has no result; correct it")
        log.wrong.add(number)
        log.compiled_at = number
    elif _STOPPED.match(line):
        log.refuse(number, f"the run was ended: '{printable(line.strip(), 80)}'; results after it are missing")
        log.lose(number)


def _problems(log: Log) -> int:
    return len(log.problems) + len(log.failures)


def _upper(text: str) -> bool:
    # Most keys are of plain lower case, which is seen at once.
    return not text.islower() and any(character.isupper() for character in text)


def _configure(log: Log, key: str, value: str, number: int) -> None:
    if key == "panic":
        log.refuse(number, f"the program panicked: {printable(value, 80)}; results after it are missing")
        log.lose(number)
        return
    if key == "signal" and value:
        log.refuse(number, f"the run was ended by a signal: {printable(value, 40)}; results after it are missing")
        log.lose(number)
        return
    if key == "go" and _GO_COMMAND.match(value):
        return
    if _MAKE.fullmatch(key) and _MAKE_WORDS.match(value):
        failed = log.failed_package or log.failed_at or log.failures
        if value.startswith("*** ") and not failed and not _MAKE_GOES_ON.match(value):
            log.refuse(number, f"make stopped: '{printable(value, 80)}'; results may be missing; read its log")
        return
    if value and key not in log.config and len(log.config) >= _MOST_KEYS:
        if not log.crowded:
            log.crowded = True
            log.refuse(number, f"more than {_MOST_KEYS} configuration keys; later new ones are taken for a log")
        return
    log.context += 1
    if value:
        log.config[key] = value
    else:
        _take_back(log, key)
    log.current = -1


def _take_back(log: Log, key: str) -> None:
    """Forget a key; the last one takes its place, as in benchstat, which prints keys in this order."""
    if key in log.config:
        last, value = log.config.popitem()
        if last != key:
            log.config = {
                last if name == key else name: value if name == key else said for name, said in log.config.items()
            }


def _unit(log: Log, source: str, fields: list[str], number: int) -> None:
    """Take unit metadata: ``Unit ns/op better=lower assume=nothing``."""
    if len(fields) < 2:
        log.refuse(number, "missing unit; write: Unit ns/op better=lower")
        return
    unit, problems = parse_unit(fields[1]).base, []
    for pair in fields[2:]:
        key, equals, value = pair.partition("=")
        if not key or not equals:
            log.refuse(number, f"expected key=value; found '{printable(pair, 40)}'")
            return
        known = log.units.setdefault((unit, key), value)
        if known != value:
            shown = f"metadata {printable(key, 40)} of unit {printable(fields[1], 40)}"
            log.refuse(number, f"{shown} already set to {printable(known, 40)}; line skipped")
            return
        problems.append((key, value))
    log.context += 1
    log.series.append(Series(kind="unit", name=unit, source=source, line=number, data=tuple(problems)))


def _verdict(log: Log, line: str, number: int) -> None:
    """Take ``--- FAIL`` and ``--- SKIP`` of a benchmark."""
    skipped = _SKIPPED.match(line)
    if skipped:
        log.settled.add(skipped[1])
    failed = _FAILED.match(line)
    if failed:
        name = failed[1].removeprefix("Benchmark")
        log.settled.add(failed[1])
        log.remark("failed-benchmark", name, number)
        log.failures.append((number, failed[1]))
        log.wrong.add(number)


def _failure(name: str, *, measured: bool) -> str:
    """Say that a benchmark failed, and what of it is left.

    ``go test -count`` fails one repeat and measures the others: those results stand, and the failure
    travels with the benchmark as a caveat.
    """
    shown = printable(name.removeprefix("Benchmark"))
    left = "this repeat has no result; those of other repeats stand" if measured else "it has no result"
    return f"benchmark '{shown}' failed; {left}"


def _unfinished(log: Log) -> None:
    """Say which benchmarks failed, and which were announced and neither gave a result nor failed."""
    if log.failed_at and _problems(log) == log.told:
        log.refuse(log.failed_at, "go test failed and does not say of what; results may be missing; read its log")
    measured = log.rows.name.levels
    log.problems += [(line, _failure(name, measured=name in measured)) for line, name in log.failures]
    if not log.announced:
        return
    # -v announces without the -N that a result carries, and every parent of a sub-benchmark.
    heard = set[str]()
    for name in [*log.settled, *log.announced]:
        if name in log.settled:
            heard |= {name, re.sub(r"-\d+$", "", name)}
        parent = name.rpartition("/")[0]
        while parent and parent not in heard:
            heard.add(parent)
            parent = parent.rpartition("/")[0]
    for name, line in log.announced.items():
        if name not in heard:
            shown = printable(name.removeprefix("Benchmark"))
            log.refuse(line, f"benchmark {shown!r} was started and has no result; was the log cut short?")


# Text of `go test -bench`, by the line rules of benchstat, and what those rules lose.
#
# benchstat reads each line alone: a result whose name and values were parted by a log line is lost,
# with an error about its iteration count. Here the name is joined again with its values. A line that
# starts with `Benchmark` and cannot be read is a problem with benchstat's own words.
#
# References
# golang.org/x/perf/benchfmt, `reader.go`; https://go.dev/design/14313-benchmark-format.


_RESULT = re.compile(r"Benchmark\S*\s+\d+\s+[-+.\d]\S*\s+\S+")
_NAME = re.compile(r"Benchmark[A-Z_]\S*\s*")
#: What go test prints around results.
_FRAME = ("goos: ", "goarch: ", "pkg: ", "PASS", "FAIL", "ok  \t")
#: What go test measures by itself: none of these is the beginning of another.
_OWN_UNITS = ("ns/op", "MB/s", "B/op", "allocs/op")
#: How far back results are looked at to judge the last line.
_NEAR = 64 * 1024
#: Below this many bytes a call of pandas costs more than the lines one by one.
_SHORT = 16 * 1024


def _is_go_bench(head: TextFile) -> Certainty:
    """Be certain of a result line, or of a benchmark that failed; a bare name is possible."""
    named = framed = False
    for number, line in enumerate(head.lines):
        if line.startswith("Benchmark"):
            if _RESULT.match(line) or _joined(_from(head.lines, number), 0) is not None:
                return "certain"
            named = named or bool(_NAME.match(line))
            framed = framed or "/op" in line
        elif _FAILED.match(line):
            return "certain"
        framed = framed or line.startswith(_FRAME)
    # Tables list names too: a name alone is Go's only inside what go test prints around it.
    return "possible" if named and framed else "no"


def _read_go_bench(file: TextFile) -> Reading:
    """Read every line as a result, context, a problem or noise."""
    log = Log(source=file.source)
    cut = _cut_result(file) if file.open_end else ""
    before = file.utf8.rpartition(b"\n")[0] if cut else file.utf8
    text = TextFile(file.source, utf8=before + b"\n") if cut else file
    try:
        count = (read_lines if len(before) < _SHORT else read_shapes)(log, text) if before else 0
    except ValueError:
        # What looked like a number is none: the rules for lines say what it is.
        log = Log(source=file.source)
        count = read_lines(log, text)
    if cut:
        count += 1
        log.refuse(count, f"{open_line(cut)}; line skipped")
    _unfinished(log)
    noise = count - log.data - log.context - len(log.wrong)
    return Reading(
        rows=log.rows,
        configurations=log.configurations,
        problems=sorted(log.problems, key=lambda problem: problem[0]),
        lines=LineCounts(data=log.data, context=log.context, problem=len(log.wrong), noise=noise),
        contains=("benchstat",) if log.benchstat else (),
        series=log.series,
    )


GO_BENCH = Format(
    name="go-bench",
    rule="lines such as 'BenchmarkX-8  100  5.2 ns/op'",
    yields="time, memory, allocations and custom metrics of each repetition; configuration lines as axes",
    limits="no percentiles but those a benchmark reports; ns/op of parallel work is wall time over operations",
    recognise=_is_go_bench,
    read=_read_go_bench,
)


def _cut_result(file: TextFile) -> str:
    """Return the last line, which has no end, if it may be a result that was cut; else nothing.

    A number is followed by its unit, so it is whole where its units are those of the results before it, of the
    same benchmark where there are any; a lone result, where they are what go test measures by itself.
    """
    before, _, last = _text(file.utf8[-_NEAR:]).rpartition("\n")
    if last and "Benchmark".startswith(last):
        return last
    units = _units_of(last)
    if not units:
        return ""
    above = [(part.split(None, 1)[0], line_units) for part in before.split("\n") if (line_units := _units_of(part))]
    named = [line_units for name, line_units in above if name == last.split(None, 1)[0]]
    known = named or [line_units for _, line_units in above]
    whole = units in known or (
        all(unit in _OWN_UNITS for unit in units) and not any(unit[: len(units)] == units for unit in known)
    )
    return "" if whole else last


def _units_of(line: str) -> list[str]:
    fields = line.split()[1:] if line.startswith("Benchmark") else _values_of(line)
    return fields[2::2] if len(fields) % 2 else []


def read_lines(log: Log, file: TextFile) -> int:
    """Take the lines of a file one by one; return how many there are."""
    lines, number = file.lines, 0
    while number < len(lines):
        number = take(log, file.source, lines[number], number + 1, _from(lines, number))
    log.flush()
    return len(lines)


def _from(lines: list[str], index: int) -> Iterator[str]:
    """Yield lines from an index on, without a copy of them."""
    return map(lines.__getitem__, range(index, len(lines)))


# One line of Go benchmark text: its numbers, and values parted from their name.


#: Nothing after these can belong to a result begun before them.
_ENDS = ("Benchmark", "PASS", "FAIL", "ok  \t", "--- FAIL", "--- SKIP", "pkg:", "goos:", "panic:")
_INT64 = 2**63
#: No result line is longer; a longer one that ends in values is not looked at.
_LONGEST_VALUES = 4096


class _LineError(Exception):
    """Why one line is no result; never leaves the reader."""


def _integer(text: str) -> float:
    """Read an iteration count: a whole number of 64 bits."""
    # Python also reads 1_0 and digits of other scripts; Go does not.
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdigit()):
        shown = printable(text, 40)
        raise _LineError(f"parsing iteration count: invalid syntax: {shown!r} is not an integer; line skipped")
    if len(digits) > 18 and (len(digits) > 4000 or not -_INT64 <= int(text) < _INT64):
        raise _LineError(f"parsing iteration count: value out of range: {printable(text, 40)!r}; line skipped")
    return float(text)


def _measurement(text: str) -> float:
    """Read a measured value, as Go reads a float; NaN and infinity are read too."""
    try:
        value = float(text)
    except ValueError:
        value = _hexadecimal(text)
    if "_" in text or not text.isascii():
        raise _LineError(_not_a_number(text))
    if not isfinite(value) and any(character.isdigit() for character in text):
        raise _LineError(f"parsing measurement: value out of range: '{printable(text, 40)}'; line skipped")
    return value


def _hexadecimal(text: str) -> float:
    # Go asks for the exponent: 0x10 could be meant for a whole number, and is refused.
    if text.lstrip("+-")[:2].lower() != "0x" or "p" not in text.lower():
        raise _LineError(_not_a_number(text))
    try:
        return float.fromhex(text)
    except ValueError as error:
        raise _LineError(_not_a_number(text)) from error
    except OverflowError:
        return inf


def _not_a_number(text: str) -> str:
    return f"parsing measurement: invalid syntax: '{printable(text, 40)}' is not a number; line skipped"


def _joined(ahead: Iterator[str], start: int) -> tuple[int, list[str]] | None:
    """Find the values of a name whose own line (number ``start``, the first ahead) was cut by a log.

    They end the name's line, or a line before the next name. Returns line number and fields.
    """
    for number, line in enumerate(ahead, start):
        if number > start and line.startswith(_ENDS):
            return None
        values = _values_of(line.partition("\t")[2] if number == start else line)
        if values:
            return number, values
    return None


def _values_of(line: str) -> list[str]:
    """Return the count and measurements that end a line, or nothing.

    Go writes ``count TAB value unit TAB value unit``; where tabs became spaces, the values must
    stand alone on their line and be a rate of operations.
    """
    parts = line.split("\t")
    measured: list[str] = []
    while parts and len(fields := parts[-1].split()) == 2 and _measures(fields[0]):
        measured = [*fields, *measured]
        parts.pop()
    before = parts[-1].split() if parts else []
    if measured and before and before[-1].isascii() and before[-1].isdigit():
        return [before[-1], *measured]
    if "/op" not in line or len(line) > _LONGEST_VALUES:
        return []
    alone = line.split()
    count = alone[0]
    whole = count.isascii() and count.isdigit() and len(alone) % 2 == 1 and all(map(_measures, alone[1::2]))
    return alone if whole and len(alone) > 1 else []


def _measures(text: str) -> bool:
    try:
        _measurement(text)
    except _LineError:
        return False
    return True


# Plain results of a long file: a million lines are read in a second because none of them becomes a Python object.
#
# Results of the same units in the same order are one *shape*. One regular expression a shape finds them, however many
# in a row, and pandas' tokenizer reads their numbers. Every other line goes through `take`, which would read the plain
# ones to the same bits.

_NUMBER = rb"[ \t]++[-+0-9.]{1,24}+(?:[eE][-+]?[0-9]++)?[ \t]++"
#: Each shape is tried where the one before it ends; results of further ones are read line by line.
_MOST_SHAPES = 64
#: Bytes that one call of pandas reads, so that its tables of tokens stay small beside the text.
_CHUNK = 4 * 1024**2


class _Shape:
    """Where the results of some units stand in a text."""

    def __init__(self, units: tuple[str, ...]) -> None:
        self.units = units
        pairs = b"".join(_NUMBER + re.escape(unit.encode()) for unit in units)
        self.pattern = re.compile(rb"(?:Benchmark[!-~]*+[ \t]++[0-9]{1,18}+%b[ \t]*+\n)+" % pairs)
        #: Of each stretch of results: where it stands, its first line, how many lines, and their configuration.
        self.spans: list[tuple[int, int]] = []
        self.lines: list[tuple[int, int, int]] = []
        self.size = 0
        #: The tables of the stretches read so far.
        self.tables: list[pd.DataFrame] = []

    def add(self, span: tuple[int, int], first: int, count: int, configuration: int) -> None:
        """Add a stretch of results."""
        self.spans.append(span)
        self.lines.append((first, count, configuration))
        self.size += span[1] - span[0]

    def read(self, content: bytes) -> None:
        """Read the stretches that were added since the last time."""
        if self.spans:
            text = b"".join(content[start:stop] for start, stop in self.spans)
            self.tables.append(_numbers_of(text, len(self.units)))
            self.spans, self.size = [], 0

    def append(self, rows: Rows) -> None:
        """Append the results to some rows."""
        width = len(self.units)
        for words, levels in ((rows.metric, [None]), (rows.unit, self.units)):
            count = sum(count for _, count, _ in self.lines)
            words.extend(levels, np.tile(np.arange(width) % len(levels), count))
        for table in self.tables:
            values = np.empty((len(table), width))
            for place in range(width):
                values[:, place] = table[2 + 2 * place]
            if not np.isfinite(values).all():
                raise ValueError("a number beyond a float")
            codes, used = pd.factorize(table[0].cat.codes.to_numpy())
            rows.name.extend(table[0].cat.categories[used].tolist(), np.repeat(codes, width))
            _put(rows.value, values)
            _put(rows.iterations, np.repeat(table[1].to_numpy(), width))
        firsts, counts, configurations = (np.asarray(column) for column in zip(*self.lines, strict=True))
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        _put(rows.line, np.repeat(np.repeat(firsts, counts) + offsets, width).astype(np.int32))
        _put(rows.configuration, np.repeat(configurations, counts * width).astype(np.int32))
        rows.errors.extend(array("d", [nan]) * len(offsets) * width)


def _numbers_of(text: bytes, width: int) -> pd.DataFrame:
    """Return name, count and values of plain results; their units are between the values."""
    numbers = [1, *range(2, 2 + 2 * width, 2)]
    dtypes: dict[int, Any] = {0: "category", **dict.fromkeys(numbers, np.float64)}
    table: pd.DataFrame = pd.read_csv(
        io.BytesIO(text),
        sep=r"\s+",
        header=None,
        usecols=[0, *numbers],
        dtype=dtypes,
        na_filter=False,
        quoting=csv.QUOTE_NONE,
        low_memory=False,
    )
    return table


def _put(column: array[Any], numbers: npt.NDArray[Any]) -> None:
    """Append an array of numbers of the column's own type."""
    column.frombytes(numbers.data.cast("B") if numbers.size else b"")


def read_shapes(log: Log, file: TextFile) -> int:
    """Take plain results by their shape and other lines one by one; return how many lines there are."""
    content = file.utf8
    shapes: dict[tuple[str, ...], _Shape] = {}
    number = _find_shapes(log, file.source, content, shapes)
    log.flush()
    for shape in shapes.values():
        if shape.lines:
            shape.read(content)
            shape.append(log.rows)
    log.rows = _in_order(log.rows)
    log.settled.update(log.rows.name.levels)
    return number


def _find_shapes(log: Log, source: str, content: bytes, shapes: dict[tuple[str, ...], _Shape]) -> int:
    """Find the stretches of plain results, and take every other line; return how many lines there are."""
    place = number = done = 0
    latest: list[_Shape] = []
    while place < len(content):
        shape, span = _stretch(latest, content, place) if number >= done else (None, (0, 0))
        if shape is not None:
            count = content.count(b"\n", *span)
            shape.add(span, number + 1, count, log.configuration())
            number, place = number + count, span[1]
            log.data += count
            if shape is not latest[0]:
                latest.remove(shape)
                latest.insert(0, shape)
            if shape.size >= _CHUNK:
                shape.read(content)
            continue
        stop = content.find(b"\n", place)
        stop = len(content) if stop < 0 else stop
        number += 1
        # A name may have looked ahead, and taken lines up to its values.
        if number > done:
            before = len(log.results)
            done = take(log, source, _text(content[place:stop]), number, _lines_from(content, place))
            if len(log.results) > before and len(shapes) < _MOST_SHAPES:
                units = tuple(log.results[-1][2])
                if units not in shapes:
                    shapes[units] = _Shape(units)
                    latest.insert(0, shapes[units])
        place = stop + 1
    return number


def _stretch(shapes: Sequence[_Shape], content: bytes, place: int) -> tuple[_Shape | None, tuple[int, int]]:
    """Return the shape of the results that begin at a place, and how far they reach."""
    if content.startswith(b"Benchmark", place):
        for shape in shapes:
            match = shape.pattern.match(content, place, place + _CHUNK)
            if match:
                return shape, match.span()
    return None, (0, 0)


def _in_order(rows: Rows) -> Rows:
    """Return rows in the order of their lines, and their texts in the order they come."""
    line = np.asarray(rows.line)
    if not (line[1:] < line[:-1]).any():
        return rows
    order = np.argsort(line, kind="stable")
    ordered = Rows()
    for column in ("value", "iterations", "errors", "line", "configuration"):
        _put(getattr(ordered, column), np.asarray(getattr(rows, column))[order])
    for column in ("name", "metric", "unit"):
        words = getattr(rows, column)
        codes, used = pd.factorize(np.asarray(words.codes)[order])
        levels = list(words.levels)
        getattr(ordered, column).extend([levels[code] for code in used], codes)
    return ordered


def _lines_from(content: bytes, place: int) -> Iterator[str]:
    """Yield the lines from a place on."""
    last = len(content) - content.endswith(b"\n")
    while place <= last:
        stop = content.find(b"\n", place, last)
        stop = last if stop < 0 else stop
        yield _text(content[place:stop])
        place = stop + 1


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogatepass")


# Events of `go test -json`: the text of a benchmark run in pieces, one JSON object a line.
#
# A result arrives in one event or in two, its name in the first and its values in the second. The
# output of a package is therefore put together again and read whole, by the rules of the text.
#
# References
# `go doc test2json`: the events, and that the output of a package is their concatenation.


#: What happens to a package or to one test in it.
_ACTIONS = frozenset(
    ("start", "run", "pause", "cont", "pass", "bench", "fail", "output", "skip", "attr", "artifacts",
     "build-output", "build-fail")
)  # fmt: skip
_SUFFIX = re.compile(r"-\d+$", re.ASCII)


@dataclass(slots=True)
class _Stream:
    """The output of one run of one package, and the event that each piece of a line came from."""

    package: str
    #: Whether this is the output of events, or stood beside them.
    events: bool = True
    #: The pieces of each line, each with the number of its event.
    pieces: list[list[tuple[str, int]]] = field(default_factory=lambda: [[]])
    #: Benchmarks that failed, and the event that says so.
    failed: dict[str, int] = field(default_factory=dict)
    #: The event that says that the package failed, and why its build did.
    ended_badly: tuple[int, str] | None = None

    def add(self, text: str, event: int) -> None:
        """Append output; it may end within a line or hold several."""
        first, *others = text.split("\n")
        self.pieces[-1].append((first, event))
        self.pieces += [[(other, event)] for other in others]

    def end(self, line: int) -> int:
        """Return the event that holds the end of a line, and with it the values of a result."""
        pieces = self.pieces[line - 1]
        return next((event for piece, event in reversed(pieces) if piece.strip()), pieces[-1][1] if pieces else 0)


@dataclass(slots=True)
class _Found:
    """What the streams of one file gave so far."""

    source: str
    ledger: Ledger
    rows: Rows = field(default_factory=Rows)
    configurations: list[Mapping[str, Any]] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    contains: dict[str, None] = field(default_factory=dict)


def _read_go_test_json(file: TextFile) -> Reading:
    """Put the output of each package together and read it as Go benchmark text."""
    rows = _Found(file.source, Ledger(len(file.lines)))
    for stream in _streams(file.lines, rows.ledger):
        _read_stream(rows, stream)
    if not rows.rows.value and not rows.ledger.problems:
        rows.ledger.note(0, "events of go test and no benchmark among them; run it with -bench")
    return rows.ledger.reading(rows.rows, rows.configurations, rows.series, contains=tuple(rows.contains))


GO_TEST_JSON = Format(
    name="go-test-json",
    rule="one JSON object a line, with 'Action' and 'Package'",
    # Lines between the events are read as what go test prints without -json.
    contains=frozenset({"go-bench"}),
    yields="what go-bench yields, and the package of each result",
    limits="as go-bench: no percentiles; ns/op of parallel work is wall time over operations",
    recognise=lambda head: "certain" if any('"Action"' in line and _event(line) for line in head.lines) else "no",
    read=_read_go_test_json,
)


def _document(line: str) -> Document:
    """Parse one line; plain text of Go, which is read more often, goes without the rules for JSON."""
    from benchlib.formats.json_text import parse_text

    return parse_text(line)


def _event(line: str) -> Mapping[str, Any] | None:
    """Return the event a line holds, or None."""
    if not line.startswith("{"):
        return None
    root = _document(line).root
    if not isinstance(root, dict) or not isinstance(root.get("Action"), str) or root["Action"] not in _ACTIONS:
        return None
    if root["Action"].startswith("build-"):
        return root if isinstance(root.get("ImportPath"), str) else None
    # go tool test2json, given no -p, names no package.
    return root if isinstance(root.get("Package", ""), str) and len(root) > 1 else None


def _streams(lines: list[str], ledger: Ledger) -> list[_Stream]:
    """Sort the events by the run of a package that they belong to."""
    streams: list[_Stream] = []
    current: dict[str, _Stream] = {}
    builds: dict[str, str] = {}
    # What is no event stood beside the stream: the log of another run, say.
    beside = _Stream("", events=False)
    for number, line in enumerate(lines, 1):
        event = _event(line)
        if event is None:
            if line.startswith('{"') and not _document(line).parsed:
                ledger.problem(number, f"not an event of go test: '{printable(line, 60)}'; was the line cut short?")
            elif line:
                beside.add(f"{line}\n", number)
        elif event["Action"] == "build-output":
            said = event.get("Output")
            if isinstance(said, str) and said.strip() and not said.startswith("#"):
                builds.setdefault(event["ImportPath"], said.strip())
        elif event["Action"] != "build-fail":
            package = event.get("Package", "")
            if package not in current or event["Action"] == "start":
                current[package] = _Stream(package)
                streams.append(current[package])
            _take(current[package], event, number, builds)
    return [*streams, beside]


def _take(stream: _Stream, event: Mapping[str, Any], number: int, builds: Mapping[str, str]) -> None:
    """Add one event to the run of its package."""
    output, test, build = event.get("Output"), event.get("Test"), event.get("FailedBuild")
    if event["Action"] == "output" and isinstance(output, str):
        stream.add(output, number)
    elif event["Action"] == "fail" and isinstance(test, str):
        if test.startswith("Benchmark"):
            stream.failed.setdefault(test, number)
    elif event["Action"] == "fail":
        why = f"the build of {build} failed: {builds.get(build, 'no reason given')}" if isinstance(build, str) else ""
        stream.ended_badly = number, why


def _read_stream(found: _Found, stream: _Stream) -> None:
    """Read the output of one package as text, and enter each event by what became of its text."""
    text = [_clean_line("".join(piece for piece, _ in line_pieces)) for line_pieces in stream.pieces]
    reading = GO_BENCH.read(TextFile(found.source, text))
    ledger, rows = found.ledger, reading.rows
    measured = dict.fromkeys(rows.line)
    for line in [*_context(text, reading), *measured]:
        for piece, event in stream.pieces[line - 1]:
            if piece:
                ledger.context(event)
    # That its package failed, the events say themselves, and why.
    problems = [
        problem
        for problem in reading.problems
        if not (stream.ended_badly and problem[0] and text[problem[0] - 1].startswith("FAIL"))
    ]
    for line, message in problems:
        ledger.problem(stream.end(line), message)
    for line in measured:
        ledger.data(stream.end(line))
    first = len(found.configurations)
    own = {"pkg": stream.package} if stream.package else {}
    found.configurations += [{**own, **configuration} for configuration in reading.configurations]
    before = len(found.rows)
    found.rows.extend(rows, first)
    for place in range(before, len(found.rows)):
        found.rows.line[place] = stream.end(found.rows.line[place])
    found.series += [
        Series(kind=entry.kind, name=entry.name, source=entry.source, line=stream.end(entry.line), data=entry.data)
        for entry in reading.series
    ]
    found.contains |= dict.fromkeys(reading.contains)
    if rows.value and not stream.events:
        found.contains |= {"go-bench": None}
    _verdicts(found, stream, reading, alone=not problems)


def _context(text: list[str], reading: Reading) -> Iterator[int]:
    """Yield the lines that the reader of Go text took for context."""
    settled = {*reading.rows.line, *(line for line, _ in reading.problems)}
    known: dict[str, bool] = {}
    for number, line in enumerate(text, 1):
        if number in settled or not ((line[:1].islower() and ":" in line) or line.startswith("Unit")):
            continue
        if line not in known:
            # Asked of the reader itself: its rules stand in one place.
            known[line] = GO_BENCH.read(TextFile("", [line])).lines.context > 0
        if known[line]:
            yield number
    for number in dict.fromkeys(reading.rows.line):
        # Values parted from their name by a log: the name stands on the last line that can hold it.
        while not text[number - 1].startswith("Benchmark"):
            number -= 1
        yield number


def _verdicts(rows: _Found, stream: _Stream, reading: Reading, *, alone: bool) -> None:
    """Record failures that the events tell and the output does not."""
    failed = {_SUFFIX.sub("", entry.name) for entry in reading.series if entry.kind == "failed-benchmark"}
    measured = {_SUFFIX.sub("", level) for level in reading.rows.name.levels}
    for test, event in stream.failed.items():
        name = test.removeprefix("Benchmark")
        if _SUFFIX.sub("", name) not in failed:
            rows.series.append(Series(kind="failed-benchmark", name=name, source=rows.source, line=event, data=()))
            rows.ledger.problem(event, _failure(name, measured=_SUFFIX.sub("", test) in measured))
    if stream.ended_badly and alone and not stream.failed:
        event, why = stream.ended_badly
        why = f"; {printable(why, 240)}" if why else ""
        rows.ledger.problem(event, f"package '{printable(stream.package)}' failed{why}")


READERS = (
    GO_BENCH,
    GO_TEST_JSON,
)
