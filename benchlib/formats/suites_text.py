"""Suites of benchmarks as they print on a console: JMH and google-benchmark."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchlib.errors import DataError, printable
from benchlib.formats.collector import Collector, certain_if, number_in
from benchlib.formats.reader import Format, Ledger, Reading, TextFile, _at_open_end, open_line
from benchlib.formats.suites import (
    _GOOGLE_UNITS,
    _JMH_CSV_ERROR,
    _JMH_CSV_PARAMETER,
    _axes_of,
    _Family,
    _jmh_task,
    _metric_of,
    _read_google,
    _read_jmh_line,
)

# JMH: the iterations of each fork while it runs, and one table of scores at the end.
#
# A fork is one value, the mean of its iterations, as in JMH's JSON. Where the forks of a benchmark are in the file, its
# line of the table repeats them; a table that stands alone gives scores, each with the interval that JMH prints.
#
# References
# openjdk/jmh, `TextReportFormat` (iterations) and `ResultFormatFactory`, `TextResultFormat` (the table): the error is
# half of the 99.9 % interval of the mean, by Student's t over all iterations.


#: Behind sbt and Maven each line begins with this.
_PREFIX = re.compile(r"\[(?:info|INFO)\] ?")
_MODES = {"thrpt", "avgt", "sample", "ss"}
_MODE_WORDS = {"Throughput": "thrpt", "Average time": "avgt", "Sampling time": "sample", "Single shot": "ss"}
_JMH_FACT = re.compile(r"# (?P<key>Benchmark mode|Benchmark|Parameters|Threads|Fork|Warmup Fork): (?P<text>.+)")
_ITERATION = re.compile(r"Iteration +[0-9]+: (?P<text>.*)")
_ITERATED = re.compile(r"(?P<score>\S+) (?:±\S* \S+ )?(?P<unit>\S+)\s*")
_SAMPLED = re.compile(r"n = [0-9]+, mean = (?P<score>\S+) (?P<unit>[^\s,]+)")
_JMH_CONTEXT = re.compile(r"# |Result |Secondary result |\s+(?:\S+ ±\(|\(min, avg, max\)|CI \(|[·+]?[\w.·:%]+: )")


def _bare(line: str) -> str:
    return _PREFIX.sub("", line, count=1) if line.startswith("[") else line


def _is_jmh_header(line: str) -> bool:
    words = line.split() if line.startswith("Benchmark") else []
    return words[:1] == ["Benchmark"] and words[-1] == "Units" and {"Mode", "Score"} <= {*words}


def _is_jmh_text(head: TextFile) -> bool:
    lines = [_bare(line) for line in head.lines]
    return any(map(_is_jmh_header, lines)) or (
        any(line.startswith("# Benchmark mode: ") for line in lines) and any(map(_ITERATION.match, lines))
    )


@dataclass
class _Fork:
    """One fork of a benchmark: what the lines above it say, and the iterations seen so far."""

    name: str
    mode: str
    parameters: dict[str, str]
    threads: str
    line: int = 0
    unit: str = ""
    scores: list[float] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    @property
    def key(self) -> tuple[Any, ...]:
        """What a line of the table has in common with it; the table cuts packages that all share."""
        return (".".join(_jmh_task(self.name)[:1]), self.mode, tuple(self.parameters.values()))


class _JmhText(Collector):
    """The reading of one such file, line by line."""

    def __init__(self, file: TextFile) -> None:
        super().__init__(file.source, Ledger(len(file.lines)))
        self.file = file
        self.facts: dict[str, str] = {}
        self.fork: _Fork | None = None
        #: What the forks in the file measured.
        self.measured: set[tuple[Any, ...]] = set()
        self.header = ""

    def read(self) -> Reading:
        """Read every line."""
        for number, line in enumerate(map(_bare, self.file.lines), 1):
            self.take(number, line)
        self.end_fork()
        return self.finish(wanted="JMH prints a line 'Iteration' a measurement, and a table of scores")

    def take(self, number: int, line: str) -> None:
        """Enter what a line turns out to be."""
        if fact := _JMH_FACT.fullmatch(line):
            self.end_fork()
            if fact["key"] == "Benchmark mode":
                self.facts = {key: text for key, text in self.facts.items() if key == "Threads"}
            self.facts[fact["key"]] = fact["text"]
            if fact["key"] in ("Fork", "Warmup Fork"):
                self.facts.pop("Fork" if fact["key"] == "Warmup Fork" else "Warmup Fork", None)
            self.ledger.context(number)
        elif match := _ITERATION.fullmatch(line):
            self.take_iteration(number, match["text"])
        elif _is_jmh_header(line):
            self.end_fork()
            self.header = line
            self.ledger.context(number)
        elif self.header and line.strip():
            self.take_row(number, line)
        elif _JMH_CONTEXT.match(line):
            self.ledger.context(number)

    def take_iteration(self, number: int, text: str) -> None:
        """Take one iteration of a fork; those of a warm-up fork are no measurements."""
        if "Warmup Fork" in self.facts:
            self.ledger.context(number)
            return
        if self.fork is None:
            self.fork = self.begin_fork(number)
        try:
            match = _SAMPLED.match(text) or _ITERATED.fullmatch(text)
            value = number_in(match["score"].replace(",", ".")) if match else None
            if match is None or value is None or _at_open_end(self.file, number):
                raise DataError(f"'{printable(text, 60)}' is no score; iteration left out")
        except DataError as error:
            self.add_series("failed-benchmark", self.fork.name, number)
            self.ledger.problem(number, f"{printable(self.fork.name, 60)}: {error}")
            return
        self.fork.unit = match["unit"]
        self.fork.scores.append(value)
        self.fork.lines.append(number)

    def begin_fork(self, number: int) -> _Fork:
        """Return a fork as the lines above it describe it."""
        written = self.facts.get("Parameters", "").strip().removeprefix("(").removesuffix(")")
        pairs = [part.partition(" = ") for part in re.split(r", (?=[^,=]+ = )", written)] if written else []
        words = self.facts.get("Benchmark mode", "").partition(",")[0]
        return _Fork(
            name=self.facts.get("Benchmark", "").strip(),
            mode=next((mode for word, mode in _MODE_WORDS.items() if words.startswith(word)), words),
            parameters={key.strip(): text.strip() for key, equals, text in pairs if equals},
            threads=self.facts.get("Threads", "").partition(" ")[0],
            line=number,
        )

    def end_fork(self) -> None:
        """Keep the mean of the fork at hand."""
        fork, self.fork = self.fork, None
        if fork is None or not fork.scores:
            return
        if not fork.name:
            for number in fork.lines:
                self.ledger.problem(number, "no line '# Benchmark:' says what was measured; iteration left out")
            return
        for number in fork.lines:
            self.ledger.data(number)
        benchmark, package = _jmh_task(fork.name)
        facts = {"threads": int(fork.threads) if fork.threads.isdecimal() and len(fork.threads) < 9 else None}
        self.configure(
            {
                "benchmark": benchmark,
                **_axes_of(fork.parameters),
                **_axes_of({**facts, "mode": fork.mode or None, "pkg": package or None}),
            }
        )
        mean = math.fsum(fork.scores) / len(fork.scores)
        self.add(fork.name, _metric_of(fork.unit), mean, fork.unit, line=fork.lines[0])
        self.measured.add(fork.key)

    def take_row(self, number: int, line: str) -> None:
        """Take a line of the table of scores; the table ends where a line has no score."""
        try:
            row = _jmh_row(self.header, line)
        except DataError as problem:
            if "Units" not in self.header or not any(mode in line.split() for mode in _MODES):
                self.header = ""
                return
            self.ledger.problem(number, f"{problem}; line skipped")
            return
        # An open last line ends in its unit; what has no slash and is no time may be cut.
        if _at_open_end(self.file, number) and row["Unit"] not in self.units_above():
            self.ledger.problem(number, f"{open_line(line)}; line skipped")
            return
        names = [key for key in row if key.startswith(_JMH_CSV_PARAMETER)]
        whole, mode = row["Benchmark"], row["Mode"]
        key = (".".join(whole.split(".")[-2:]), mode, tuple(row[name] for name in names))
        if key in self.measured:
            self.ledger.context(number)
            return
        self.each([(number, row)], lambda record: _read_jmh_line(self, record), "line skipped")

    def units_above(self) -> set[str]:
        """Return the units of the lines read so far."""
        return {str(unit) for unit in self.rows.unit.levels}


def _jmh_row(header: str, line: str) -> dict[str, str]:
    """Return a line of the table as one of JMH's CSV."""
    parameters = re.findall(r"\(([^()\s]+)\)", header)
    tokens = line.split()
    places = [place for place, token in enumerate(tokens) if place and token in _MODES]
    if not places:
        raise DataError(f"'{printable(line.strip(), 60)}' has no mode")
    # A parameter may be called as a mode is: the mode is the last of them.
    place = places[-1]
    levels, rest = tokens[1:place], tokens[place + 1 :]
    if len(levels) != len(parameters):
        levels = _levels_by_column(header, line, parameters)
    error = ""
    if "±" in rest:
        at = rest.index("±")
        error, rest = "".join(rest[at + 1 : at + 2]), rest[:at] + rest[at + 2 :]
    elif len(rest) == 4 and "error" in header.lower():
        # Before 1.10 the error had a column without a sign.
        error = rest.pop(2)
    if "≈" in rest or len(rest) not in (2, 3):
        raise DataError(f"'{printable(' '.join(rest), 40)}' is no exact score with its unit")
    row = {"Benchmark": tokens[0], "Mode": tokens[place], "Score": rest[-2], "Unit": rest[-1], _JMH_CSV_ERROR: error}
    named = zip(parameters, levels, strict=True)
    return row | {f"{_JMH_CSV_PARAMETER}{name}": level for name, level in named if level != "N/A"}


def _levels_by_column(header: str, line: str, parameters: Sequence[str]) -> list[str]:
    """Return levels that hold blanks, by the columns of the header, which end where its words do."""
    ends = [match.end() for match in re.finditer(r"\([^()\s]+\)", header)]
    starts = [len(line.split()[0]), *ends[:-1]]
    levels = [line[start:end].strip() for start, end in zip(starts, ends, strict=False)]
    if len(levels) != len(parameters) or not all(levels):
        raise DataError(f"the parameters of '{printable(line.strip(), 60)}' are not clear")
    return levels


JMH_TEXT = Format(
    name="jmh-text",
    rule="a table 'Benchmark … Mode Cnt Score Error Units', or '# Benchmark mode:' above lines 'Iteration'",
    yields="one value a fork where its iterations are printed, else the score and its 99.9 % interval; parameters",
    limits="profilers where no table has them; a score that is printed as '≈ 10⁻³' is no number",
    # The JSON of the same run holds every iteration.
    summary=True,
    recognise=lambda head: certain_if(_is_jmh_text(head)),
    read=lambda file: _JmhText(file).read(),
)


# google-benchmark's console: the records of its JSON, cut for people.
#
# References
# google/benchmark, `src/console_reporter.cc` (the columns, counters behind or in them) and `src/string_util.cc`
# (`HumanReadableNumber`: `bytes_per_second` in steps of 1,024, other counters of 1,000).


_GOOGLE_HEADER = re.compile(
    r"Benchmark\s+Time(?:\((?P<old>ns|us|ms|s)\))?\s+CPU(?:\(\w+\))?\s+Iterations\b(?P<more>.*)"
)
_GOOGLE_ROW = re.compile(
    r"(?P<name>\S.{0,499}?)\s+(?P<time>[0-9.]+(?:e[+-]?[0-9]+)?) (?P<unit>ns|us|ms|s|%)\s+"
    r"(?P<cpu>[0-9.]+(?:e[+-]?[0-9]+)?) (?:ns|us|ms|s|%)(?:\s+(?P<iterations>[0-9]+))?(?P<more>(?:\s.*)?)"
)
_GOOGLE_OLD_ROW = re.compile(
    r"(?P<name>\S+)\s+(?P<time>[0-9.]+)\s+(?P<cpu>[0-9.]+)\s+(?P<iterations>[0-9]+)(?P<more>(?:\s.*)?)"
)
_GOOGLE_FIT = re.compile(r"\S+_(?:BigO|RMS)\s.*")
_GOOGLE_ERROR = re.compile(r"(?P<name>\S+)\s+(?P<kind>ERROR OCCURRED|SKIPPED): '(?P<why>.*)'?\s*")
_GOOGLE_CONTEXT = re.compile(
    r"-{10,}|Run on \(|Running |CPU Caches:|\s+L[0-9] |Load Average|\*\*\*WARNING|[0-9]{4}-[0-9][0-9]-[0-9][0-9]"
)
_AMOUNT = r"(?P<value>-?[0-9.]+(?:e[+-]?[0-9]+)?)(?P<step>(?:[kKMGTP]i?|[munp])?)(?:/s|s)?"
_COUNTER = re.compile(rf"(?P<key>[^\s=]+)={_AMOUNT}")
_RATE_BEFORE = re.compile(r"(?P<value>[0-9.]+)(?P<step>[kKMGTP]?)(?P<what>B/s| items/s)")
_CELL = re.compile(_AMOUNT)
_LONGEST_ROW = 2000
_STEPS = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "m": -1, "u": -2, "n": -3, "p": -4}


def _is_google_text(head: TextFile) -> bool:
    return any(map(_GOOGLE_HEADER.match, head.lines))


def _scaled(value: str, step: str, thousand: float) -> float:
    return (number_in(value) or 0.0) * (1024.0 if step.endswith("i") else thousand) ** _STEPS.get(step[:1], 0)


def _google_counters(more: str, columns: Sequence[str]) -> dict[str, Any]:
    """Return the counters behind the iterations (named, in columns, or rates of old versions) and the label."""
    counters: dict[str, Any] = {}
    cells = more.split()
    if columns and len(cells) >= len(columns) and all(map(_CELL.fullmatch, cells[: len(columns)])):
        for column, cell in zip(columns, cells, strict=False):
            match = _CELL.fullmatch(cell)
            if match:
                counters[column] = _scaled(match["value"], match["step"], _base_of(column))
        return counters | ({"label": " ".join(cells[len(columns) :])} if len(cells) > len(columns) else {})
    for match in _RATE_BEFORE.finditer(more[:500]):
        key = "bytes_per_second" if match["what"] == "B/s" else "items_per_second"
        counters[key] = _scaled(match["value"], match["step"], 1024.0)
    words = []
    for cell in _RATE_BEFORE.sub(" ", more).split() if counters else cells:
        match = _COUNTER.fullmatch(cell)
        if match:
            counters[match["key"]] = _scaled(match["value"], match["step"], _base_of(match["key"]))
        else:
            words.append(cell)
    return counters | ({"label": " ".join(words)} if words else {})


def _base_of(counter: str) -> float:
    return 1024.0 if counter == "bytes_per_second" else 1000.0


@dataclass(frozen=True)
class _GoogleLine:
    """A line of the table as a record of google-benchmark's JSON, or why it is none."""

    line: int
    record: Mapping[str, Any]
    fault: str = ""


def _google_lines(file: TextFile, ledger: Ledger) -> list[_GoogleLine]:
    """Return the records of every table of a file; lines about the machine and the run are context."""
    found: list[_GoogleLine] = []
    header: re.Match[str] | None = None
    for number, line in enumerate(file.lines, 1):
        if match := _GOOGLE_HEADER.match(line):
            header = match
            ledger.context(number)
        elif _GOOGLE_CONTEXT.match(line):
            ledger.context(number)
        elif header is not None and line.strip():
            if line.startswith(("```", "#", "**")):
                header = None
                continue
            if _GOOGLE_FIT.fullmatch(line):
                ledger.context(number)
                continue
            try:
                record = _google_record(header, line)
            except DataError as error:
                found.append(_GoogleLine(number, {}, str(error)))
                continue
            if record is not None and _at_open_end(file, number):
                found.append(_GoogleLine(number, {}, open_line(line)))
            elif record is not None:
                found.append(_GoogleLine(number, record))
            elif line[:1].strip() and len(line.split()) >= 4:
                found.append(_GoogleLine(number, {}, f"'{printable(line.strip(), 60)}' is no line of the table"))
    return found


def _google_record(header: re.Match[str], line: str) -> dict[str, Any] | None:
    """Return a line as a record, None where it is none."""
    if len(line) > _LONGEST_ROW:
        return None
    if failed := _GOOGLE_ERROR.fullmatch(line):
        kind = "error_occurred" if failed["kind"] == "ERROR OCCURRED" else "skipped"
        return {"name": failed["name"], kind: True, "error_message": failed["why"].removesuffix("'")}
    match = (_GOOGLE_OLD_ROW if header["old"] else _GOOGLE_ROW).fullmatch(line)
    if match is None:
        return None
    unit = header["old"] or match["unit"]
    record: dict[str, Any] = {"name": match["name"], "real_time": number_in(match["time"])}
    record |= {"cpu_time": number_in(match["cpu"]), "time_unit": unit}
    if match["iterations"]:
        record["iterations"] = number_in(match["iterations"])
    columns = [word for word in header["more"].split() if word != "UserCounters..."]
    return record | _google_counters(match["more"], columns)


def _read_google_text(file: TextFile) -> Reading:
    """Read every table of a file."""
    ledger = Ledger(len(file.lines))
    build = Collector(file.source, ledger)
    found = _google_lines(file, ledger)
    family = _Family([entry.record for entry in found])

    def read(entry: _GoogleLine) -> Any:
        if entry.fault:
            raise DataError(entry.fault)
        if entry.record.get("time_unit", "ns") not in _GOOGLE_UNITS:
            return "context"  # a cv, in percent
        return _read_google(family, {}, build, entry.record)

    build.each([(entry.line, entry) for entry in found], read, "line skipped")
    if len(build.rows):
        build.add_series("rounded", "", 1, ("values are cut to a few digits",))
    return build.finish(wanted="google-benchmark prints a line for each benchmark")


GOOGLE_TEXT = Format(
    name="google-benchmark-text",
    rule="a header 'Benchmark  Time  CPU  Iterations'",
    yields="time (real), cpu_time, transfer, throughput and counters of each repetition",
    limits="few digits; aggregates are told by their names alone; fits of complexity are left out",
    # The JSON of the same run holds every digit.
    summary=True,
    recognise=lambda head: certain_if(_is_google_text(head)),
    read=_read_google_text,
)

READERS = (JMH_TEXT, GOOGLE_TEXT)
