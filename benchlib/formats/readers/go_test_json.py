r"""Events of ``go test -json``: the text of a benchmark run in pieces, one JSON object a line.

A result arrives in one event or in two, its name in the first and its values in the second. The
output of a package is therefore put together again and read whole, by the rules of the text.

References
----------
``go doc test2json``: the events, and that the output of a package is their concatenation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchlib.errors import printable
from benchlib.formats.json_text import parse_text
from benchlib.formats.ledger import Ledger
from benchlib.formats.readers.go_bench import GoBench
from benchlib.formats.readers.go_log import failure
from benchlib.formats.reading import Certainty, Reading, Rows, TextFile
from benchlib.formats.text import clean_line
from benchlib.results import Series

__all__ = ["GoTestJson"]

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
        self.pieces += [[(one, event)] for one in others]

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


class GoTestJson:
    """Results in the event stream of ``go test -json -bench``."""

    name = "go-test-json"
    rule = "one JSON object a line, with 'Action' and 'Package'"
    #: Lines between the events are read as what go test prints without -json.
    contains = frozenset({"go-bench"})
    files = "*.json, *.jsonl"
    yields = "what go-bench yields, and the package of each result"
    limits = "as go-bench: no percentiles; ns/op of parallel work is wall time over operations"

    def recognise(self, head: TextFile) -> Certainty:
        """Be certain of one event."""
        return "certain" if any('"Action"' in line and _event(line) for line in head.lines) else "no"

    def read(self, file: TextFile) -> Reading:
        """Put the output of each package together and read it as Go benchmark text."""
        found = _Found(file.source, Ledger(len(file.lines)))
        for stream in _streams(file.lines, found.ledger):
            _read_stream(found, stream)
        if not found.rows.value and not found.ledger.problems:
            found.ledger.note(0, "events of go test and no benchmark among them; run it with -bench")
        return Reading(
            rows=found.rows,
            configurations=found.configurations,
            problems=found.ledger.problems,
            lines=found.ledger.counts(),
            contains=tuple(found.contains),
            series=found.series,
        )


def _event(line: str) -> Mapping[str, Any] | None:
    """Return the event a line holds, or None."""
    if not line.startswith("{"):
        return None
    root = parse_text(line).root
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
            if line.startswith('{"') and not parse_text(line).parsed:
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
    text = [clean_line("".join(piece for piece, _ in one)) for one in stream.pieces]
    reading = GoBench().read(TextFile(found.source, text))
    ledger, rows = found.ledger, reading.rows
    measured = dict.fromkeys(rows.line)
    for line in [*_context(text, reading), *measured]:
        for piece, event in stream.pieces[line - 1]:
            if piece:
                ledger.context(event)
    # That its package failed, the events say themselves, and why.
    problems = [
        one for one in reading.problems if not (stream.ended_badly and one[0] and text[one[0] - 1].startswith("FAIL"))
    ]
    for line, message in problems:
        ledger.problem(stream.end(line), message)
    for line in measured:
        ledger.data(stream.end(line))
    first = len(found.configurations)
    own = {"pkg": stream.package} if stream.package else {}
    found.configurations += [{**own, **one} for one in reading.configurations]
    for column in Rows.__slots__:
        if column not in ("configuration", "line"):
            getattr(found.rows, column).extend(getattr(rows, column))
    found.rows.configuration += [one + first for one in rows.configuration]
    found.rows.line += [stream.end(one) for one in rows.line]
    found.series += [
        Series(kind=one.kind, name=one.name, source=one.source, line=stream.end(one.line), data=one.data)
        for one in reading.series
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
            known[line] = GoBench().read(TextFile("", [line])).lines.context > 0
        if known[line]:
            yield number
    for number in dict.fromkeys(reading.rows.line):
        # Values parted from their name by a log: the name stands on the last line that can hold it.
        while not text[number - 1].startswith("Benchmark"):
            number -= 1
        yield number


def _verdicts(found: _Found, stream: _Stream, reading: Reading, *, alone: bool) -> None:
    """Record failures that the events tell and the output does not."""
    told = {_SUFFIX.sub("", one.name) for one in reading.series if one.kind == "failed-benchmark"}
    measured = {_SUFFIX.sub("", one) for one in reading.rows.name.levels}
    for test, event in stream.failed.items():
        name = test.removeprefix("Benchmark")
        if _SUFFIX.sub("", name) not in told:
            found.series.append(Series(kind="failed-benchmark", name=name, source=found.source, line=event, data=()))
            found.ledger.problem(event, failure(name, measured=_SUFFIX.sub("", test) in measured))
    if stream.ended_badly and alone and not stream.failed:
        event, why = stream.ended_badly
        why = f"; {printable(why, 240)}" if why else ""
        found.ledger.problem(event, f"package '{printable(stream.package)}' failed{why}")
