"""The rules for the lines of Go benchmark text, and what the lines read so far have said.

Each line is taken alone, as benchstat takes it, but for a result that a log cut from its name: that
name looks ahead for its values.

References
----------
golang.org/x/perf/benchfmt, ``reader.go``; https://go.dev/design/14313-benchmark-format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite

from benchlib.errors import InputError, printable
from benchlib.formats.readers.go_line import LineError, integer, joined, measurement, values_of
from benchlib.formats.rows import Result, Rows
from benchlib.results import Series
from benchlib.units import parse_unit

__all__ = ["FAILED", "Log", "failure", "take", "unfinished"]

#: No result is longer; what starts like one and is, was never meant for a reader of lines.
_LONGEST = 1024**2
#: Each result has its configuration, and log lines look like keys: both are bounded, or a file of a
#: few megabytes would fill the memory.
_MOST_KEYS = 128
_MOST_FACTS = 2_000_000
#: ``Key`` may not hold space or upper case; the value may be missing, which deletes the key.
_CONFIG = re.compile(r"([^\s:]+):(?:[ \t]+(.*))?")
FAILED = re.compile(r"\s*--- FAIL: (Benchmark\S*)")
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
    #: Results taken and not yet in the rows.
    results: list[Result] = field(default_factory=list)

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
            self.rows.add_results(self.results)
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
    """Take one line; return the number of lines now read.

    Parameters
    ----------
    ahead : iterator of str
        The line and those after it, for a name that looks for its values.
    """
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
    except LineError as error:
        bare = len(line) == len(fields[0])
        found = joined(ahead, number)
        if found is not None:
            at, values = found
            try:
                _append(log, fields[0], values, at)
            except LineError:
                found = None
            else:
                # The name explains the values; what stood between was somebody's log.
                log.context += at != number
                return at
        rest = line[len(fields[0]) :].strip()
        if FAILED.match(rest):
            _verdict(log, rest, number)
            return number
        if rest.startswith("panic:"):
            log.lose(number)
        if bare:
            log.announced.setdefault(fields[0], number)
        else:
            log.refuse(number, str(error))
    return number


def _append(log: Log, name: str, fields: list[str], number: int) -> None:
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
    if not all(map(isfinite, values)):
        for value, unit in zip(values, units, strict=True):
            if not isfinite(value):
                log.problems.append((number, f"{value} {printable(unit, 40)} is no measurement; value skipped"))
        kept = [(value, unit) for value, unit in zip(values, units, strict=True) if isfinite(value)]
        values, units = [one[0] for one in kept], [one[1] for one in kept]
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
    elif first.islower() and (found := _CONFIG.fullmatch(line)) and not _upper(found[1]):
        _configure(log, found[1], found[2] or "", number)
    elif "--- " in line and line.lstrip().startswith("--- "):
        _verdict(log, line, number)
    elif "ns/op" in line and (first in " \t" or first.isdigit()) and values_of(line):
        log.refuse(number, "values without a benchmark name; line skipped")
    elif first in "Fo*f" or ".go:" in line:
        _ending(log, line, number)
    elif not log.benchstat and _BENCHSTAT.search(line):
        log.benchstat = True


def _ending(log: Log, line: str, number: int) -> None:
    """Take what says that a package passed, failed, or was never built."""
    if line.startswith("ok  \t"):
        log.told, log.failed_at = _problems(log), 0
    elif line.rstrip() == "FAIL":
        # After the last package the go command says it once more of all of them.
        log.failed_at = 0 if log.failed_package else number
    elif found := _PACKAGE_FAILED.match(line):
        if found["why"]:
            shown = f"package '{printable(found[1])}' failed: {found['why']}"
            log.refuse(number, f"{shown}; it has no result; correct it and run again")
            log.lose(number, found[1])
        elif len(log.failures) == log.told_failures:
            # Else what failed was told where it did.
            if _problems(log) == log.told:
                log.refuse(number, f"package '{printable(found[1])}' failed; results may be missing; read its log")
            log.lose(number, found[1])
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
    return not text.islower() and any(one.isupper() for one in text)


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
                last if one == key else one: value if one == key else said for one, said in log.config.items()
            }


def _unit(log: Log, source: str, fields: list[str], number: int) -> None:
    """Take unit metadata: ``Unit ns/op better=lower assume=nothing``."""
    if len(fields) < 2:
        log.refuse(number, "missing unit; write: Unit ns/op better=lower")
        return
    unit, told = parse_unit(fields[1]).base, []
    for one in fields[2:]:
        key, equals, value = one.partition("=")
        if not key or not equals:
            log.refuse(number, f"expected key=value; found '{printable(one, 40)}'")
            return
        known = log.units.setdefault((unit, key), value)
        if known != value:
            shown = f"metadata {printable(key, 40)} of unit {printable(fields[1], 40)}"
            log.refuse(number, f"{shown} already set to {printable(known, 40)}; line skipped")
            return
        told.append((key, value))
    log.context += 1
    log.series.append(Series(kind="unit", name=unit, source=source, line=number, data=tuple(told)))


def _verdict(log: Log, line: str, number: int) -> None:
    """Take ``--- FAIL`` and ``--- SKIP`` of a benchmark."""
    skipped = _SKIPPED.match(line)
    if skipped:
        log.settled.add(skipped[1])
    failed = FAILED.match(line)
    if failed:
        name = failed[1].removeprefix("Benchmark")
        log.settled.add(failed[1])
        log.remark("failed-benchmark", name, number)
        log.failures.append((number, failed[1]))
        log.wrong.add(number)


def failure(name: str, *, measured: bool) -> str:
    """Say that a benchmark failed, and what of it is left.

    ``go test -count`` fails one repeat and measures the others: those results stand, and the failure
    travels with the benchmark as a caveat.
    """
    shown = printable(name.removeprefix("Benchmark"))
    left = "this repeat has no result; those of other repeats stand" if measured else "it has no result"
    return f"benchmark '{shown}' failed; {left}"


def unfinished(log: Log) -> None:
    """Say which benchmarks failed, and which were announced and neither gave a result nor failed."""
    if log.failed_at and _problems(log) == log.told:
        log.refuse(log.failed_at, "go test failed and does not say of what; results may be missing; read its log")
    measured = log.rows.name.levels
    log.problems += [(line, failure(name, measured=name in measured)) for line, name in log.failures]
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
