r"""Text of ``go test -bench``, by the line rules of benchstat, and what those rules lose.

benchstat reads each line alone: a result whose name and values were parted by a log line is lost,
with an error about its iteration count. Here the name is joined again with its values. A line that
starts with ``Benchmark`` and cannot be read is a problem with benchstat's own words.

References
----------
golang.org/x/perf/benchfmt, ``reader.go``; https://go.dev/design/14313-benchmark-format.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite

from benchlib.errors import printable
from benchlib.formats.readers.go_line import LineError, integer, joined, measurement, values_of
from benchlib.formats.reading import Certainty, Reading, Rows, TextFile
from benchlib.results import LineCounts, Series
from benchlib.units import parse_unit

__all__ = ["GoBench"]

_RESULT = re.compile(r"Benchmark\S*\s+\d+\s+[-+.\d]\S*\s+\S+")
_NAME = re.compile(r"Benchmark[A-Z_]\S*\s*")
#: ``Key`` may not hold space or upper case; the value may be missing, which deletes the key.
_CONFIG = re.compile(r"([^\s:]+):(?:[ \t]+(.*))?")
#: What go test prints around results.
_FRAME = ("goos: ", "goarch: ", "pkg: ", "PASS", "FAIL", "ok  \t")
_FAILED = re.compile(r"\s*--- FAIL: (Benchmark\S*)")
_SKIPPED = re.compile(r"\s*--- SKIP: (Benchmark\S*)")
#: What the go command says of itself, "go: downloading ...": not a fact about a result.
_GO_COMMAND = re.compile(r"[a-z]+ ")
_BENCHSTAT = re.compile(r"│|\s±\s+(?:∞|\d)|^name\s+(?:old\s+)?\S+/\S+\s")


@dataclass(slots=True)
class _State:
    """What reading has found so far."""

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
    data: int = 0
    context: int = 0
    wrong: set[int] = field(default_factory=set)
    benchstat: bool = False

    def configuration(self) -> int:
        """Return the index of the configuration in force."""
        if self.current < 0:
            key = tuple(sorted(self.config.items()))
            self.current = self.numbers.setdefault(key, len(self.configurations))
            if self.current == len(self.configurations):
                self.configurations.append(dict(self.config))
        return self.current

    def refuse(self, line: int, message: str) -> None:
        """Record a line that should have been a result."""
        self.problems.append((line, message))
        self.wrong.add(line)


class GoBench:
    """Results as ``go test -bench`` prints them, among whatever else the log holds."""

    name = "go-bench"
    rule = "lines such as 'BenchmarkX-8  100  5.2 ns/op'"
    contains = frozenset[str]()

    def recognise(self, head: TextFile) -> Certainty:
        """Be certain of a result line, or of a benchmark that failed; a bare name is possible."""
        named = framed = False
        for number, line in enumerate(head.lines):
            if line.startswith("Benchmark"):
                if _RESULT.match(line) or joined(head.lines, number) is not None:
                    return "certain"
                named = named or bool(_NAME.match(line))
                framed = framed or "/op" in line
            elif _FAILED.match(line):
                return "certain"
            framed = framed or line.startswith(_FRAME)
        # Tables list names too: a name alone is Go's only inside what go test prints around it.
        return "possible" if named and framed else "no"

    def read(self, file: TextFile) -> Reading:
        """Read every line as a result, context, a problem or noise."""
        state, lines = _State(), file.lines
        number, total = 0, len(lines)
        while number < total:
            line = lines[number]
            number += 1
            if line.startswith("Benchmark"):
                number = _result(state, lines, line, number)
            elif line:
                _other(state, file.source, line, number)
        _unfinished(state)
        return _reading(state, file)


def _reading(state: _State, file: TextFile) -> Reading:
    count = len(state.rows.value)
    state.rows.metric = [None] * count
    state.rows.errors = [None] * count
    noise = len(file.lines) - state.data - state.context - len(state.wrong)
    return Reading(
        rows=state.rows,
        configurations=state.configurations,
        problems=sorted(state.problems, key=lambda one: one[0]),
        lines=LineCounts(data=state.data, context=state.context, problem=len(state.wrong), noise=noise),
        contains=("benchstat",) if state.benchstat else (),
        series=state.series,
    )


def _result(state: _State, lines: list[str], line: str, number: int) -> int:
    """Take a line that starts with ``Benchmark``; return the number of lines now read."""
    fields = line.split()
    try:
        _append(state, fields[0], fields[1:], number)
    except LineError as error:
        bare = len(line) == len(fields[0])
        found = joined(lines, number - 1)
        if found is not None:
            at, values = found
            try:
                _append(state, fields[0], values, at)
            except LineError:
                found = None
            else:
                # The name explains the values; what stood between was somebody's log.
                state.context += at != number
                return at
        if bare:
            state.announced.setdefault(fields[0], number)
        else:
            state.refuse(number, str(error))
    return number


def _append(state: _State, name: str, fields: list[str], number: int) -> None:
    """Append the values of one result.

    Raises
    ------
    LineError
        With the words of benchstat, and what was found.
    """
    if not fields:
        raise LineError("missing iteration count; line skipped")
    iterations = integer(fields[0])
    if len(fields) < 2:
        raise LineError("missing measurements; line skipped")
    values = [measurement(one) for one in fields[1::2]]
    units = fields[2::2]
    if len(units) < len(values):
        raise LineError(f"missing units: '{printable(fields[-1], 40)}' has none; line skipped")
    rows = state.rows
    if not all(map(isfinite, values)):
        for value, unit in zip(values, units, strict=True):
            if not isfinite(value):
                state.problems.append((number, f"{value} {printable(unit, 40)} is no measurement; value skipped"))
        kept = [(value, unit) for value, unit in zip(values, units, strict=True) if isfinite(value)]
        values, units = [one[0] for one in kept], [one[1] for one in kept]
        if not values:
            state.wrong.add(number)
            state.settled.add(name)
            return
    count = len(values)
    configuration = state.configuration()
    state.data += 1
    state.settled.add(name)
    if count == 1:
        rows.name.append(name)
        rows.iterations.append(iterations)
        rows.line.append(number)
        rows.configuration.append(configuration)
    else:
        rows.name += [name] * count
        rows.iterations += [iterations] * count
        rows.line += [number] * count
        rows.configuration += [configuration] * count
    rows.value += values
    rows.unit += units


def _other(state: _State, source: str, line: str, number: int) -> None:
    """Take a line that does not start with ``Benchmark``."""
    first = line[0]
    if first == "U" and line.split()[0] == "Unit":
        _unit(state, source, line.split(), number)
    elif first.islower() and (found := _CONFIG.fullmatch(line)) and not _upper(found[1]):
        _configure(state, found[1], found[2] or "", number)
    elif "--- " in line and line.lstrip().startswith("--- "):
        _verdict(state, source, line, number)
    elif "ns/op" in line and (first in " \t" or first.isdigit()) and values_of(line):
        state.refuse(number, "values without a benchmark name; line skipped")
    elif not state.benchstat and _BENCHSTAT.search(line):
        state.benchstat = True


def _upper(text: str) -> bool:
    return any(one.isupper() for one in text)


def _configure(state: _State, key: str, value: str, number: int) -> None:
    if key == "panic":
        state.refuse(number, f"the program panicked: {printable(value, 80)}; results after it are missing")
        return
    if key == "go" and _GO_COMMAND.match(value):
        return
    state.context += 1
    if value:
        state.config[key] = value
    else:
        state.config.pop(key, None)
    state.current = -1


def _unit(state: _State, source: str, fields: list[str], number: int) -> None:
    """Take unit metadata: ``Unit ns/op better=lower assume=nothing``."""
    if len(fields) < 2:
        state.refuse(number, "missing unit; write: Unit ns/op better=lower")
        return
    unit, told = parse_unit(fields[1]).base, []
    for one in fields[2:]:
        key, equals, value = one.partition("=")
        if not equals:
            state.refuse(number, f"expected key=value; found '{printable(one, 40)}'")
            return
        known = state.units.setdefault((unit, key), value)
        if known != value:
            shown = f"metadata {printable(key, 40)} of unit {printable(unit, 40)}"
            state.refuse(number, f"{shown} already set to {printable(known, 40)}; line skipped")
            return
        told.append((key, value))
    state.context += 1
    state.series.append(Series(kind="unit", name=unit, source=source, line=number, data=tuple(told)))


def _verdict(state: _State, source: str, line: str, number: int) -> None:
    """Take ``--- FAIL`` and ``--- SKIP`` of a benchmark."""
    skipped = _SKIPPED.match(line)
    if skipped:
        state.settled.add(skipped[1])
    failed = _FAILED.match(line)
    if failed:
        name = failed[1].removeprefix("Benchmark")
        state.settled.add(failed[1])
        state.series.append(Series(kind="failed-benchmark", name=name, source=source, line=number, data=()))
        state.refuse(number, f"benchmark '{printable(name)}' failed; it has no result")


def _unfinished(state: _State) -> None:
    """Say which benchmarks were announced and neither gave a result nor failed."""
    if not state.announced:
        return
    # -v announces without the -N that a result carries, and every parent of a sub-benchmark.
    heard = set[str]()
    for name in [*state.settled, *state.announced]:
        if name in state.settled:
            heard |= {name, re.sub(r"-\d+$", "", name)}
        parent = name.rpartition("/")[0]
        while parent and parent not in heard:
            heard.add(parent)
            parent = parent.rpartition("/")[0]
    for name, line in state.announced.items():
        if name not in heard:
            shown = printable(name.removeprefix("Benchmark"))
            state.refuse(line, f"benchmark {shown!r} was started and has no result; was the log cut short?")
