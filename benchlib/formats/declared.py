"""Formats in words instead of code: what `[[formats]]` of a ``study.toml`` or a file of ``specs/`` says.

There are three kinds: ``lines`` (a regular expression a line), ``table`` (columns of a separated table) and
``records`` (objects in a JSON document, or one a line). A *part* is a named group, a column or a path; the format maps
each to what it means.
"""

from __future__ import annotations

import math
import re
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, get_args

import msgspec
import numpy as np
from msgspec import Meta, field

from benchlib.errors import DataError, choices, printable
from benchlib.formats import registry
from benchlib.formats.cells import is_number
from benchlib.formats.collector import Collector, split_cells
from benchlib.formats.json_text import Document, documents_of_lines, parse_text
from benchlib.formats.names import claimed, without_prefix
from benchlib.formats.outcomes import _NOTHING, FAILED, SOUND, is_expected
from benchlib.formats.pattern import LONGEST_LINE, SafePattern, bind_pattern
from benchlib.formats.reader import (
    Certainty,
    Ledger,
    Reading,
    Records,
    TextFile,
    _at_open_end,
    _one_line,
    may_be_cut,
    open_line,
)
from benchlib.metrics import better, misfit, never_negative
from benchlib.results import SCHEMA
from benchlib.toml_lines import Level, Mistake, TomlTable, check_inside, mistaken, required
from benchlib.units import parse_duration, parse_quantity, parse_unit

# What a part means, and the paths that lead to parts of JSON.

_Word = Literal[
    "benchmark", "name", "run", "value", "metric", "unit", "iterations", "errors", "success", "failure", "requested"
]
#: The words that a part may be mapped to. ``axis`` and ``measure`` are written as tables; ``insert`` is what the name
#: of a metric holds in braces.
_Role = _Word | Literal["axis", "measure", "insert"]
_WORDS: tuple[_Word, ...] = get_args(_Word)
#: The roles that say whether a result failed.
_FAILING = frozenset[_Role]({"errors", "success", "failure", "requested"})
#: Roles of parts that may be in no record of a sound file.
_OPTIONAL = _FAILING | {"iterations", "insert"}

#: Units that mean that it stands behind the number.
_WRITTEN = ("written", "written binary")
#: Another part within the name of a metric: ``latency_p{share}``.
_INSERTED = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """What a named group, column or path means.

    ``unit`` may be ``duration``, for text such as ``1m0.05s``, or ``written``: it stands behind the number
    (``written binary``: ``KB`` and so on are of 1,024 bytes).
    """

    source: str
    role: _Role
    #: Of the metric or axis; empty for other roles.
    name: str = ""
    unit: str = ""
    #: Levels that hold for this value alone: of a row that has several.
    axes: tuple[tuple[str, Any], ...] = ()


def _part_of(source: str, meaning: Any) -> _Part:
    """Return what a part means: a word, ``{metric, unit}`` or ``{axis}``."""
    if isinstance(meaning, str):
        for word in _WORDS:
            if meaning == word:
                return _Part(source=source, role=word)
        raise DataError(
            f"'{printable(meaning, 40)}' is no meaning of a part; "
            f'write {{ metric = "time", unit = "ms" }}, {{ axis = "workers" }}, or one of {", ".join(_WORDS)}'
        )
    axes = meaning.get("axes", {}) if isinstance(meaning, dict) else None
    meaning = {key: text for key, text in meaning.items() if key != "axes"} if isinstance(axes, dict) else None
    if meaning is None or not all(isinstance(text, str) for text in meaning.values()):
        raise DataError('must be a word or a table of texts, e.g. { metric = "time", unit = "ms" }')
    keys = set(meaning)
    if keys == {"axis"} and meaning["axis"] and not axes:
        return _Part(source=source, role="axis", name=meaning["axis"])
    if keys == {"unit"} or (keys in ({"metric"}, {"metric", "unit"}) and meaning["metric"]):
        return _Part(
            source=source,
            role="measure",
            name=meaning.get("metric", ""),
            unit=meaning.get("unit", ""),
            axes=tuple((axes or {}).items()),
        )
    raise DataError(
        'must hold metric and unit, or axis: { metric = "time", unit = "ms" } or { axis = "workers" }; '
        f"found {', '.join(printable(text, 40) for text in meaning) or 'nothing'}"
    )


@dataclass(frozen=True, slots=True)
class _Step:
    """One step of a path: a key, then each entry of its list or object, whose keys are the part ``name``."""

    key: str
    into: Literal["", "list", "object"]
    name: str


_RecordPath = tuple[_Step, ...]
_STEP = re.compile(r'(?:"(?P<quoted>[^"]*)"|(?P<bare>[^."\[\]{}]+))?(?P<into>\[\]|\{(?P<name>[A-Za-z_]\w*)\})?')


@lru_cache(maxsize=1024)
def record_path(text: str) -> _RecordPath:
    """Cut a path into steps.

    ``results[].runs[]`` goes into each entry of two lists; ``benchmarks{benchmark}`` into each entry of
    an object, whose keys become the part ``benchmark``; quotes hold a key with dots: ``latency."99.9"``.
    """
    steps: list[_Step] = []
    at = 0
    while at < len(text):
        if steps and text[at] == ".":
            at += 1
        elif steps and text[at] not in "[{":
            break
        match = _STEP.match(text, at)
        if match is None or match.end() == at:
            break
        into: Literal["", "list", "object"] = "" if not match["into"] else "object" if match["name"] else "list"
        steps.append(_Step(match["quoted"] or match["bare"] or "", into, match["name"] or ""))
        at = match.end()
    if at < len(text) or text.endswith("."):
        raise DataError(
            f"'{printable(text, 60)}' is no path; write it like results[].runs[] or benchmarks{{benchmark}}.stats"
        )
    return tuple(steps)


# A declared format, as TOML writes it; the message about a mistake names its key.

#: Columns of measurements that a group may fill.
_CAPTURED = frozenset({"name", "benchmark", "run", "value", "metric", "unit", "iterations", "errors"})
#: What a part means: a word, or a table of texts; `_part_of` reads it.
_Meaning = Any
_Level = Annotated[Level, Meta(description="a text or a number")]


class _Format(TomlTable, tag_field="kind", frozen=True, kw_only=True):
    """What every kind of format holds.

    ``files`` are globs over relative paths and file names; ``metric``, ``unit`` and ``benchmark`` hold where no part
    says; ``axes`` hold for every row; rows are read only where each part of ``only`` has its text; ``closed_loop`` says
    that the tool waits for an answer before it sends the next request.
    """

    name: Annotated[str, required("my-runner")]
    files: Annotated[tuple[str, ...], Meta(examples=[["*.log"]], description='a list of globs, e.g. ["*.log"]')]
    metric: str = ""
    unit: str = ""
    benchmark: str = ""
    axes: dict[str, _Level] = field(default_factory=dict)
    only: dict[str, str] = field(default_factory=dict)
    closed_loop: bool = False

    #: The key that maps the parts.
    key: ClassVar[str]

    def mapped(self) -> dict[str, _Meaning]:
        """Return the groups, columns or fields, each with what it means."""
        mapped: dict[str, _Meaning] = getattr(self, self.key)
        return mapped

    def captured(self) -> list[str]:
        """Return the names of groups and object keys, which mean what they say where nothing maps them."""
        return []

    def parts(self) -> tuple[_Part, ...]:
        """Return every part and what it means."""
        mapped = [_part_of(source, meaning) for source, meaning in self.mapped().items()]
        known = {part.source for part in mapped}
        inserted = {name for part in mapped if part.role == "measure" for name in _INSERTED.findall(part.name)}
        mapped += [_Part(source=name, role="insert") for name in sorted(inserted - known)]
        for name in dict.fromkeys(self.captured()):
            if name not in known | inserted:
                mapped.append(_part_of(name, name if name in _WORDS else {"axis": name}))
        return tuple(mapped)

    def means(self, captured: Mapping[str, Any]) -> bool:
        """Whether a row is one of those that ``only`` asks for."""
        return all(
            (str(value).lower() if isinstance(value := captured.get(part), bool) else str(value)) == text
            for part, text in self.only.items()
        )

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        if not self.files:
            raise Mistake(' is empty; write files = ["*.log"]', "files")
        for number, glob in enumerate(self.files):
            check_inside(glob, "files", number)
        for name in self.axes:
            _check_axis(name, "axes", name)
        for source, meaning in self.mapped().items():
            with mistaken(self.key, source):
                _part_of(source, meaning)
                if isinstance(self, RecordsFormat):
                    record_path(source)
            for name in (meaning.get("axis"), *meaning.get("axes", ())) if isinstance(meaning, dict) else ():
                _check_axis(name, self.key, source)

    def _check_measures(self, example: str) -> None:
        """Refuse a format that measures nothing, or leaves open what its value is, or has a unit of another metric."""
        with mistaken():
            parts = self.parts()
        roles = {part.role for part in parts}
        if not roles & {"measure", "value"}:
            raise Mistake(f" measures nothing; {example}")
        if "value" in roles and not (roles & {"metric", "unit"} or self.metric or self.unit):
            raise Mistake(' does not say what its value is; write metric = "time" and unit = "ms", or capture them')
        for part in parts:
            if part.role == "measure" and (wrong := _wrong_unit(part.name, part.unit)):
                raise Mistake(f": {wrong}", self.key, part.source)
        stated = "value" in roles and "metric" not in roles and (self.unit or "unit" not in roles)
        if stated and (wrong := _wrong_unit(self.metric, self.unit)):
            raise Mistake(f": {wrong}", "unit" if self.unit else "metric")


class LinesFormat(_Format, tag="lines", frozen=True, kw_only=True):
    """A format whose results stand in lines that patterns read; they are tried in order.

    A pattern without a measured group holds for the lines after it. A line that ``start`` matches begins a run, which
    knows nothing of the run before. A line that ``must_read`` matches is a problem if no pattern reads it. ``complete``
    maps a pattern to one that a later line of the same run must match, before the next line of the first: else the run
    was cut. Groups of ``of_run`` hold for the lines of their run that stand before them, too.
    Lines that ``timeline`` matches say how a run went second by second: they are kept as series, and no results.
    """

    pattern: Annotated[
        str | tuple[str, ...], Meta(examples=["^(?P<value>…)"], description="a pattern or a list of them")
    ]
    key: ClassVar[str] = "groups"
    groups: dict[str, _Meaning] = field(default_factory=dict)
    start: str = ""
    must_read: tuple[str, ...] = ()
    complete: dict[str, str] = field(default_factory=dict)
    of_run: tuple[str, ...] = ()
    timeline: tuple[str, ...] = ()

    def patterns(self) -> list[SafePattern]:
        """Return the patterns, each found safe."""
        return [bind_pattern(text) for text in ([self.pattern] if isinstance(self.pattern, str) else self.pattern)]

    def captured(self) -> list[str]:
        """Return the names of the groups of all patterns."""
        return [group for pattern in self.patterns() for group in pattern.pattern.groupindex]

    def __post_init__(self) -> None:
        self._check_patterns()
        _Format.__post_init__(self)
        _check_captures_nothing(self.start, "start")
        for number, pattern in enumerate(self.must_read):
            _check_captures_nothing(pattern, "must_read", number)
        for first, second in self.complete.items():
            with mistaken("complete", first):
                bind_pattern(first)
                bind_pattern(second)
        self._check_measures("name a group of the pattern value: (?P<value>[0-9.]+)")

    def _check_patterns(self) -> None:
        """Check the patterns, and that they have the groups that are mapped."""
        patterns = [self.pattern] if isinstance(self.pattern, str) else self.pattern
        if not any(pattern.strip() for pattern in patterns):
            raise Mistake(" is empty; write pattern = '^(?P<value>…)'", "pattern")
        for number, pattern in enumerate(patterns):
            with mistaken("pattern", number):
                bind_pattern(pattern)
        groups = set(self.captured())
        for name in groups:
            if name in SCHEMA and name not in _CAPTURED:
                raise Mistake(f": the group '{name}' has the name of a column of measurements; rename it", "pattern")
        for number, pattern in enumerate(self.timeline):
            with mistaken("timeline", number):
                bind_pattern(pattern)
        for number, name in enumerate(self.of_run):
            if name not in groups or not self.start:
                reason = "'start' says where a run begins" if name in groups else f"there are {choices(sorted(groups))}"
                raise Mistake(
                    f": no pattern of a run has the group '{printable(name, 60)}'; {reason}", "of_run", number
                )
        for source, meaning in self.groups.items():
            inserted = _INSERTED.findall(str(meaning.get("metric", ""))) if isinstance(meaning, dict) else []
            for name in (*inserted, source):
                if name not in groups:
                    there = choices(sorted(groups))
                    message = f": no pattern has the group '{printable(name, 60)}'; there are {there}"
                    raise Mistake(message, "groups", source)


class TableFormat(_Format, tag="table", frozen=True, kw_only=True):
    """A format of columns: ``header`` names those of a file that does not; a row without a part of ``needs`` failed."""

    key: ClassVar[str] = "columns"
    columns: dict[str, _Meaning] = field(default_factory=dict)
    delimiter: str = ","
    header: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _Format.__post_init__(self)
        named: list[tuple[tuple[str, str | int], str]] = [
            *((("columns", column), column) for column in self.columns),
            *((("only", column), column) for column in self.only),
            *((("needs", number), column) for number, column in enumerate(self.needs)),
        ]
        for keys, column in named:
            if self.header and column not in self.header:
                there = choices(self.header)
                raise Mistake(f": 'header' has no column '{printable(column, 60)}'; there are {there}", *keys)
        if self.delimiter != "blanks" and len(self.delimiter) != 1:
            shown = printable(self.delimiter, 60)
            raise Mistake(f" must be one character, or \"blanks\" for any run of blanks, found '{shown}'", "delimiter")
        self._check_measures('map a column: columns = { time_ms = { metric = "time", unit = "ms" } }')


class RecordsFormat(_Format, tag="records", frozen=True, kw_only=True):
    """A format of JSON records at the path ``records``; ``start`` begins a document; ``needs`` is that of tables."""

    key: ClassVar[str] = "fields"
    fields: dict[str, _Meaning] = field(default_factory=dict)
    records: str = ""
    start: str = ""
    needs: tuple[str, ...] = ()

    def captured(self) -> list[str]:
        """Return what the keys of the objects on the way to the records are called."""
        return [step.name for step in record_path(self.records) if step.name]

    def __post_init__(self) -> None:
        _Format.__post_init__(self)
        _check_captures_nothing(self.start, "start")
        with mistaken("records"):
            record_path(self.records)
        for number, path in enumerate(self.needs):
            with mistaken("needs", number):
                record_path(path)
        with mistaken():
            for path in self.only:
                record_path(path)
        self._check_measures('map a field: fields = { "stats.mean" = { metric = "time", unit = "s" } }')


FormatSpec = LinesFormat | TableFormat | RecordsFormat


def spec_of(values: Mapping[str, Any]) -> FormatSpec:
    """Return the format that a table of TOML declares."""
    spec: FormatSpec = msgspec.convert(values, FormatSpec)
    return spec


def check_names(formats: Sequence[FormatSpec]) -> None:
    """Refuse a format that has the name of another, shipped or declared."""
    shipped = set(registry.names()) if formats else set()
    for number, declared in enumerate(formats):
        shown = printable(declared.name, 60)
        if declared.name in shipped:
            message = f": '{shown}' is the name of another format (benchlib formats lists them); rename it"
            raise Mistake(message, "formats", number, "name")
        if any(declared.name == other.name for other in formats[:number]):
            raise Mistake(f": '{shown}' is declared twice; rename one", "formats", number, "name")


def _wrong_unit(metric: str, unit: str) -> str:
    """Say what is wrong with a unit of another metric, or with a time or size without a unit."""
    if unit in _WRITTEN:
        return ""
    if wrong := misfit(metric, "s" if unit == "duration" else unit):
        return f"{wrong}; write one of its units"
    if not unit and (kind := never_negative(metric, "")) in ("time", "size"):
        example = "ms" if kind == "time" else "MB"
        return f'{printable(metric, 40)} has no unit; write the one that the tool means, e.g. unit = "{example}"'
    return ""


def _check_axis(name: object, *keys: str | int) -> None:
    if isinstance(name, str) and name in SCHEMA:
        raise Mistake(f": '{name}' is a column of measurements; name the axis otherwise", *keys)


def _check_captures_nothing(pattern: str, *keys: str | int) -> None:
    """Check a pattern that only asks whether a line is of a kind."""
    if not pattern:
        return
    with mistaken(*keys):
        groups = bind_pattern(pattern).pattern.groupindex
    if groups:
        raise Mistake(f": nothing is captured here, '{next(iter(groups))}' among it; capture it in 'pattern'", *keys)


class DeclaredFormat:
    """The reader of a format in words; the head of each file of a shipped format holds all ``marks``."""

    def __init__(
        self,
        spec: FormatSpec,
        *,
        marks: Sequence[str] = (),
        yields: str = "",
        limits: str = "",
        documentation: str = "",
    ) -> None:
        self.spec, self.marks = spec, marks
        self.name, self.yields, self.limits, self.documentation = spec.name, yields, limits, documentation
        # A shipped format is known by its content, another by the names of its files.
        self.shipped = bool(documentation)
        #: What is known by its lines alone may look like a table.
        self.contains = frozenset[str]() if marks else frozenset({"csv"})
        self.rule = f"named {', '.join(spec.files)}"
        if self.shipped:
            self.rule = f"holds {' and '.join(map(repr, marks))}" if marks else "half of its lines are as it says"

    def claims(self, source: str) -> bool:
        """Whether a file is of this format by its path or name."""
        return claimed(self.spec.files, source)

    def recognise(self, head: TextFile) -> Certainty:
        """Be certain where the head holds every mark; a format without any may read what is half of such lines."""
        if self.marks or not self.shipped or not isinstance(self.spec, LinesFormat):
            return "certain" if self.marks and all(mark in head.text for mark in self.marks) else "no"
        filled = [line for line in head.lines[:500] if line.strip()]
        patterns = self.spec.patterns()
        own = [next((each for each in patterns if each.begins(line)), None) for line in filled]
        read = [pattern for pattern in own if pattern is not None]
        return "possible" if len(read) * 2 >= len(own) and any(each.pattern.groups for each in read) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read a whole file as the format says."""
        if isinstance(self.spec, LinesFormat):
            return _read_lines(self.spec, file)
        if isinstance(self.spec, TableFormat):
            return _read_table(self.spec, file)
        return _read_records(self.spec, file, declared=not self.shipped)


# From captured parts to rows: the same for lines, tables and records.


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What captured parts say of failures: how many operations failed (None: nothing is said), and why."""

    errors: float | None
    reason: str

    @property
    def failed(self) -> bool:
        """Whether any operation failed."""
        return bool(self.errors and self.errors > 0)

    def worse(self, other: _Outcome) -> _Outcome:
        """Return the greater count, and the first reason."""
        counts = [outcome.errors for outcome in (self, other) if outcome.errors is not None]
        return _Outcome(max(counts, default=None), self.reason or other.reason)


_NOTHING_SAID = _Outcome(None, "")
#: All that is behind a value, however many operations that is.
_ALL = math.inf
_EMPTY = _Outcome(_ALL, "it gave no value")
_SET_APART = "its values are set apart"


def _outcome_of(
    parts: Sequence[_Part], needs: Sequence[str], context: Mapping[str, Any], faults: list[str] | None = None
) -> _Outcome:
    """Return what parts say of failures; what cannot be understood is added to the faults."""
    outcome = _NOTHING_SAID
    for part in parts:
        value = context.get(part.source)
        if part.role not in _FAILING or _is_missing(value):
            continue
        try:
            outcome = outcome.worse(_said_by(part, value, parts, context))
        except DataError as error:
            if faults is not None:
                faults.append(f"{part.role} {error}")
    for name in needs:
        if _is_missing(context.get(name)):
            outcome = outcome.worse(_Outcome(_ALL, f"no {printable(name, 60)}"))
    return outcome


def _said_by(part: _Part, value: Any, parts: Sequence[_Part], context: Mapping[str, Any]) -> _Outcome:
    """Return what one part says of failures."""
    if part.role == "failure":
        text = _one_line(str(value).strip()) if isinstance(value, (str, bool, int, float)) else _kind([value])
        failed = text.lower() not in _NO_FAILURE and not is_expected(text)
        return _Outcome(_ALL if failed else 0.0, printable(text, 100) if failed else "")
    if part.role == "success":
        return _Outcome(_ALL if _success_of(value) else 0.0, "")
    number = _number_of(value, "")
    if number is None or part.role == "errors":
        return _Outcome(number, "")
    iterations = [context.get(other.source) for other in parts if other.role == "iterations"]
    done = _number_of(iterations[0], "") if iterations else None
    if done is None:
        return _NOTHING_SAID
    short = max(0.0, number - done)
    return _Outcome(short, f"{done:g} of {number:g} operations were done" if short else "")


class _DeclaredRows(Collector):
    """The rows of one file, and what became of each place: a line or, of records, a record."""

    def __init__(self, spec: FormatSpec, file: TextFile, ledger: Ledger) -> None:
        super().__init__(file.source, ledger)
        self.spec, self.file = spec, file
        self.parts = spec.parts()
        self.needs = () if isinstance(spec, LinesFormat) else spec.needs
        #: Failures that are problems already: the benchmark, and why it failed.
        self._said: set[tuple[str, str]] = set()
        #: What a line said of the calls and failures of a benchmark, which holds for its lines below.
        self._calls: dict[str, tuple[float | None, _Outcome]] = {}
        #: Of the run at hand: its first row, and what it says of failures and where.
        self._first = 0
        self._run: tuple[_Outcome, int] = (_NOTHING_SAID, 0)
        #: Rows of runs that say something of failures: first, behind the last, how many.
        self._marks: list[tuple[int, int, float]] = []

    def reading(self) -> Reading:
        """Return what was read, with the failures of runs written into their rows."""
        errors = np.asarray(self.rows.errors)
        for first, last, count in self._marks:
            errors[first:last] = np.fmax(errors[first:last], count)
            # What one line of a run counts is of all its values.
            made = np.asarray(self.rows.iterations)[first:last]
            made[np.isnan(made)] = np.fmax.reduce(made, initial=np.nan)
        of_all = np.isinf(errors)
        errors[of_all] = np.fmax(np.asarray(self.rows.iterations)[of_all], 1.0)
        name = printable(self.spec.name, 40)
        if not len(self.rows) and not self.ledger.problems:
            what = f"nothing in {len(self.file.lines)} lines"
            what = "no record" if isinstance(self.ledger, Records) else what
            self.ledger.whole([(0, f"{what} is as the format '{name}' says")])
        if self.spec.closed_loop and len(self.rows):
            self.add_series("closed-loop", self.spec.name, 1, (self.spec.name,))
        return super().reading()

    def enter(self, place: int, captured: Mapping[str, Any], context: Mapping[str, Any]) -> None:
        """Take captured parts and enter what became of them; the context holds where they say nothing."""
        before = len(self.rows)
        faults = self._take(place, captured, context)
        if len(self.rows) > before:
            self.ledger.data(place)
            for fault in faults:
                self.ledger.note(place, fault)
        elif faults:
            self.ledger.problem(place, "; ".join(faults[:3]))
        else:
            self.ledger.context(place)

    def enter_empty(self, place: int, captured: Mapping[str, Any]) -> None:
        """Enter a document without records, or a run without values: it failed, or there was nothing to measure."""
        self._enter_lost(place, captured, self._outcome(captured))

    def _enter_lost(self, place: int, context: Mapping[str, Any], outcome: _Outcome) -> None:
        self.ledger.problem(place, self._lost(place, context, outcome if outcome.failed else _EMPTY))

    def begin_run(self) -> None:
        """Begin a run of which nothing is known."""
        self._first, self._run = len(self.rows), (_NOTHING_SAID, 0)
        self._said.clear()
        self._calls.clear()

    def blame_run(self, captured: Mapping[str, Any], place: int) -> None:
        """Take what a line without a value says of failures of the whole run."""
        faults: list[str] = []
        before, at = self._run
        now = self._outcome(captured, faults)
        self._run = (before.worse(now), at or (place if now.failed else 0))
        for fault in faults:
            self.ledger.problem(place, fault)

    @property
    def run_failed(self) -> bool:
        """Whether the run at hand said that it failed, and why."""
        return self._run[0].failed and bool(self._run[0].reason)

    def end_run(self, began: int, context: Mapping[str, Any]) -> None:
        """Count the failures of a run for all its values; a run without any is a problem."""
        outcome, at = self._run
        last = len(self.rows)
        self._complete_axes(last, context)
        if last == self._first:
            if began or outcome.failed:
                self._enter_lost(at or began, context, outcome)
        elif outcome.errors is not None:
            self._marks.append((self._first, last, outcome.errors))
            if outcome.reason:
                self.ledger.note(at, f"{self._shown(context)} failed ({outcome.reason}); {_SET_APART}")

    def _complete_axes(self, last: int, context: Mapping[str, Any]) -> None:
        """Give the rows of a run the axes that it states below them."""
        groups = self.spec.of_run if isinstance(self.spec, LinesFormat) else ()
        stated = {
            part.name: _level_of(context[part.source])
            for part in self.parts
            if part.role == "axis" and part.source in groups and part.source in context
        }
        for row in range(self._first, last) if stated else ():
            facts = self.configurations[self.rows.configuration[row]]
            self.rows.configuration[row] = self.number_of({**stated, **facts})

    def _lost(self, place: int, context: Mapping[str, Any], outcome: _Outcome) -> str:
        """Keep a failure without a value, and return the message about it."""
        self.add_series("failed-benchmark", self.name_of(context), self.ledger.line(place))
        why = outcome.reason or f"{outcome.errors:g} errors"
        return f"{self._shown(context)} failed ({why}); no value is kept"

    def name_of(self, context: Mapping[str, Any]) -> str:
        words, _ = self._words(context)
        return str(words.get("benchmark") or words.get("name") or self.spec.name)

    def _shown(self, context: Mapping[str, Any]) -> str:
        return printable(self.name_of(context), 60)

    def _outcome(self, context: Mapping[str, Any], faults: list[str] | None = None) -> _Outcome:
        return _outcome_of(self.parts, self.needs, context, faults)

    def _take(self, place: int, captured: Mapping[str, Any], context: Mapping[str, Any]) -> list[str]:
        """Add the values among captured parts and return what is wrong with the others."""
        known = {**context, **{key: value for key, value in captured.items() if value is not None}}
        words, faults = self._words(known)
        try:
            iterations = _number_of(words.get("iterations"), "")
        except DataError as error:
            faults.append(f"iterations {error}")
            iterations = None
        outcome = self._outcome(known, faults)
        if isinstance(self.spec, LinesFormat) and "benchmark" in captured:
            if outcome.errors is None:
                iterations, outcome = self._calls.get(str(words.get("benchmark")), (iterations, outcome))
            else:
                self._calls[str(words.get("benchmark"))] = (iterations, outcome)
        values = list(self._measured(captured, words, known, faults))
        facts = self._facts(words, known, faults) if values else {}
        for metric, value, unit, axes in values:
            self.add(
                str(words.get("name") or words.get("benchmark") or ""),
                metric or None,
                value,
                unit,
                line=self.ledger.line(place),
                configuration=self.number_of({**facts, **dict(axes)}),
                iterations=iterations,
                errors=outcome.errors,
            )
        if not outcome.failed:
            return faults
        if not values:
            return [self._lost(place, known, outcome), *faults]
        shown = (self._shown(known), outcome.reason)
        if outcome.reason and shown not in self._said:
            self._said.add(shown)
            faults.append(f"{shown[0]} failed ({outcome.reason}); {_SET_APART}")
        return faults

    def _words(self, context: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """Return the texts of parts that are mapped to a word, and what is wrong with others."""
        words: dict[str, Any] = {}
        faults = []
        for part in self.parts:
            if part.role in _NO_WORDS:
                continue
            value = context.get(part.source)
            if isinstance(value, (list, dict)):
                faults.append(f"{printable(part.source, 60)} is no single {part.role}")
            elif value is not None and str(value).strip():
                words[part.role] = _one_line(value.strip()) if isinstance(value, str) else value
        if self.spec.benchmark and not words.get("benchmark") and not words.get("name"):
            words["benchmark"] = self.spec.benchmark
        return words, faults

    def _measured(
        self, captured: Mapping[str, Any], words: Mapping[str, Any], context: Mapping[str, Any], faults: list[str]
    ) -> Iterator[tuple[str, float, str, tuple[tuple[str, Any], ...]]]:
        """Yield metric, value and unit of each measured part, and the levels that hold for it alone."""
        for part in self.parts:
            if part.role not in ("measure", "value") or captured.get(part.source) is None:
                continue
            shown = printable(part.source, 60)
            metric, unit = part.name, part.unit
            if part.role == "value":
                metric, unit = str(words.get("metric", self.spec.metric)), str(words.get("unit", self.spec.unit))
                # A tool that prints "Latency" means the metric that is known.
                metric = metric.lower() if better(metric.lower(), parse_unit(unit).base) else metric
            blank = [source for source in _INSERTED.findall(part.name) if _is_missing(context.get(source))]
            if blank:
                missing = f"nothing is told for '{printable(blank[0], 60)}' in {printable(metric, 60)}"
                faults.append(f"{shown}: {missing}; value skipped")
                continue
            if part.name:
                metric = _INSERTED.sub(lambda match: _one_line(str(context[match[1]]).strip()), metric)
            values = captured[part.source]
            for written in values if isinstance(values, list) else [values]:
                try:
                    value, base_unit = _measured_as(written, unit)
                except DataError as error:
                    faults.append(f"{shown} {error}")
                    continue
                wrong = misfit(metric, base_unit) if metric or base_unit else "neither metric nor unit is given"
                if wrong:
                    faults.append(f"{shown}: {wrong}; correct the format")
                elif value is not None:
                    yield metric, value, base_unit, part.axes

    def _facts(self, words: Mapping[str, Any], context: Mapping[str, Any], faults: list[str]) -> dict[str, Any]:
        facts: dict[str, Any] = dict(self.spec.axes)
        for part in self.parts:
            value = context.get(part.source) if part.role == "axis" else None
            if isinstance(value, (list, dict)):
                faults.append(f"{printable(part.source, 60)} is no single level of an axis")
            elif value is not None and str(value).strip():
                facts[part.name] = _level_of(value)
        if words.get("run") is not None:
            facts["run"] = str(words["run"])
        benchmark = str(words.get("benchmark", ""))
        if benchmark and without_prefix(benchmark) == benchmark:
            facts["benchmark"] = benchmark
        return facts


_NO_WORDS = frozenset({"axis", "measure", "value", "insert"}) | _FAILING


# The kind `lines`: patterns, what they tell of later lines, and runs.


#: Seconds that the patterns of a format may take over one file, and those for each MiB of it: many times what
#: sound patterns take.
_SECONDS = 20.0
_SECONDS_A_MIB = 0.5


def _read_lines(spec: LinesFormat, file: TextFile) -> Reading:
    """Read each line with the first pattern that matches it.

    What a line without a value says holds for the lines after it. Where the format says how a run starts, what such a
    line says of failures holds for the whole run, and for no other.
    """
    lines = _Lines(spec, file)
    allowed = _SECONDS + _SECONDS_A_MIB * len(file.text) / 2**20
    end = time.monotonic() + allowed
    for number, line in enumerate(file.lines, 1):
        if time.monotonic() > end:
            shown = f"the patterns took over {allowed:.0f} s; the lines from here on are not read"
            lines.ledger.problem(number, f"{shown}; begin them with ^ and narrow their classes, e.g. [^ ]+ for .*")
            lines.ledger.refuse(range(number + 1, len(file.lines) + 1))
            break
        lines.read(number, line)
    lines.end_run()
    return lines.rows.reading()


class _Lines:
    """What is known between one line and the next."""

    def __init__(self, spec: LinesFormat, file: TextFile) -> None:
        self.spec, self.file, self.ledger = spec, file, Ledger(len(file.lines))
        self.rows = _DeclaredRows(spec, file, self.ledger)
        self.patterns, self.start = spec.patterns(), bind_pattern(spec.start) if spec.start else None
        self.must_read = [bind_pattern(pattern) for pattern in spec.must_read]
        self.complete = [(bind_pattern(first), bind_pattern(then)) for first, then in spec.complete.items()]
        self.timeline = _Timeline(spec, self.rows)
        self.measured = {part.source for part in self.rows.parts if part.role in ("measure", "value")}
        self.failing = {part.source for part in self.rows.parts if part.role in _FAILING}
        self.reasons = {part.source for part in self.rows.parts if part.role == "failure"}
        self.context: dict[str, str] = {}
        #: The line on which the run began; 0 before the first run.
        self.began = 0
        #: Of each pair of `complete`, the line that waits for its second; and those left waiting.
        self.waiting: dict[int, tuple[int, str]] = {}
        self.cut: list[tuple[int, str]] = []
        #: What was captured of each value so far, where the last line has no end.
        self.before: dict[str, deque[str]] = {}

    def read(self, number: int, line: str) -> None:
        if self.start is not None and self.start.begins(line):
            self.end_run()
            self.context, self.began = {}, number
            self.rows.begin_run()
            self.timeline.begin_run()
            self.ledger.context(number)
        self._follow(number, line)
        if self.timeline.take(number, line):
            self.ledger.context(number)
            return
        for pattern in self.patterns:
            if len(line) > pattern.longest:
                if len(line) > LONGEST_LINE or pattern.may_match(line):
                    shown = f"{len(line):,} characters; this pattern is tried on up to {pattern.longest:,}"
                    self.ledger.problem(number, f"{shown}; begin it with ^ or narrow its classes; line skipped")
                    return
                continue
            match = pattern.pattern.search(line)
            if match is not None:
                if self.file.open_end and self._may_be_cut(number, match):
                    self.ledger.problem(number, f"{open_line(line)}; line skipped")
                else:
                    self._enter(number, match.groupdict())
                return
        if any(pattern.begins(line) for pattern in self.must_read):
            shown = f"'{printable(line.strip(), 80)}' is not as the format '{printable(self.spec.name, 40)}' says"
            self.ledger.problem(number, f"{shown}; add a pattern for it; line skipped")

    def _follow(self, number: int, line: str) -> None:
        """Take a line that another must follow, or that follows one."""
        for place, (first, then) in enumerate(self.complete):
            if then.begins(line):
                self.waiting.pop(place, None)
            if first.begins(line):
                self._give_up(place)
                self.waiting[place] = (number, line)

    def _give_up(self, place: int) -> None:
        if place in self.waiting:
            number, line = self.waiting.pop(place)
            wanted = printable(self.complete[place][1].pattern.pattern, 60)
            shown = f"after '{printable(line.strip(), 60)}' no line like '{wanted}' follows"
            self.cut.append((number, f"{shown}; was the file cut? run it again"))

    def _may_be_cut(self, number: int, match: re.Match[str]) -> bool:
        """Whether a value ends an open last line and is no number like those before."""
        values = {name: text for name, text in match.groupdict().items() if name in self.measured and text is not None}
        if _at_open_end(self.file, number):
            end = len(match.string.rstrip())
            return any(
                match.end(name) == end and may_be_cut(text, [*self.before.get(name, ())])
                for name, text in values.items()
            )
        for name, text in values.items():
            self.before.setdefault(name, deque(maxlen=100)).append(text)
        return False

    def _enter(self, number: int, captured: Mapping[str, Any]) -> None:
        """Take the groups of the pattern that matched a line."""
        context = {key: value for key, value in captured.items() if value is not None}
        if not self.measured.isdisjoint(captured):
            if self.spec.means({**self.context, **captured}):
                self.rows.enter(number, captured, self.context)
            else:
                self.ledger.context(number)
        elif self.start is not None:
            self.ledger.context(number)
            self.rows.blame_run({**self.context, **context}, number)
            self._remember({key: value for key, value in context.items() if key not in self.failing})
        elif not self.reasons.isdisjoint(context):
            # Without runs it speaks for itself alone: of a result without a value.
            self.rows.enter(number, captured, self.context)
        else:
            self.ledger.context(number)
            self._remember(context)

    def _remember(self, context: Mapping[str, str]) -> None:
        # A new dictionary: rows that refer to the old one keep it as it was.
        self.context = {**self.context, **context}

    def end_run(self) -> None:
        """End a run: values of a failed run are marked; a run without values, or without its end, is a problem."""
        for place in range(len(self.complete)):
            self._give_up(place)
        # A run that said why it failed needs no second reason for its early end.
        for number, message in [] if self.rows.run_failed else self.cut:
            self.ledger.note(number, message)
        self.cut = []
        if self.start is not None:
            self.rows.end_run(self.began, self.context)
        self.timeline.end_run(self.context)


class _Timeline:
    """How a run went second by second: pairs of group and number, as one series."""

    def __init__(self, spec: LinesFormat, rows: _DeclaredRows) -> None:
        self.patterns = [bind_pattern(pattern) for pattern in spec.timeline]
        self.rows = rows
        self.first = 0
        self.run: list[tuple[int, tuple[tuple[str, float], ...]]] = []
        #: Lines behind the values of a run are of the next one: pgbench reports where a run ends.
        self.next: list[tuple[int, tuple[tuple[str, float], ...]]] = []

    def take(self, number: int, line: str) -> bool:
        """Take a line that a pattern matches; a text among its groups is left out."""
        for pattern in self.patterns:
            match = pattern.pattern.search(line[: pattern.longest])
            if match is not None:
                numbers = [(group, text) for group, text in match.groupdict().items() if text and is_number(text)]
                second = tuple((group, float(text)) for group, text in numbers)
                (self.next if len(self.rows.rows) > self.first else self.run).append((number, second))
                return True
        return False

    def begin_run(self) -> None:
        """Begin a run."""
        self.first = len(self.rows.rows)

    def end_run(self, context: Mapping[str, Any]) -> None:
        """Keep the series of a run that has values; lines before the first run wait for it."""
        if len(self.rows.rows) > self.first:
            if self.run:
                seconds = tuple(second for _, second in self.run if second)
                self.rows.add_series("timeline", self.rows.name_of(context), self.run[0][0], seconds)
            self.run, self.next = self.next, []


# The kind `table`.


def _read_table(spec: TableFormat, file: TextFile) -> Reading:
    """Read each line as the cells of a row under the header."""
    ledger = Ledger(len(file.lines))
    rows = _DeclaredRows(spec, file, ledger)
    header = list(spec.header)
    for number, line in enumerate(file.lines, 1):
        if not line.strip():
            continue
        if line.lstrip().startswith("#"):
            ledger.context(number)
            continue
        cells = line.split() if spec.delimiter == "blanks" else split_cells(line, spec.delimiter)
        if cells is None:
            ledger.problem(number, "a quote is left open; close it; line skipped")
            continue
        cells = [cell.strip() for cell in cells]
        if not header:
            header = cells
            _check_header(spec, ledger, number, header)
        elif cells == header:
            ledger.context(number)
        elif len(cells) != len(header):
            ledger.problem(number, f"{len(cells)} fields where the header has {len(header)}; line skipped")
        elif spec.means(captured := dict(zip(header, cells, strict=True))):
            rows.enter(number, captured, {})
        else:
            ledger.context(number)
    return rows.reading()


def _check_header(spec: TableFormat, ledger: Ledger, number: int, header: list[str]) -> None:
    ledger.context(number)
    wanted = [*spec.columns, *spec.only, *spec.needs]
    missing = [name for name in dict.fromkeys(wanted) if name not in header]
    if missing:
        ledger.note(number, f"no column '{printable(missing[0], 60)}' in the header; there are {choices(header)}")
    twice = sorted(name for name, times in Counter(header).items() if times > 1 and name in wanted)
    if twice:
        ledger.note(number, f"column '{printable(twice[0], 60)}' stands twice in the header; the last is used")


# The kind `records`: objects in JSON, at the end of a path.


@dataclass(frozen=True, slots=True)
class _Entry:
    """One record: its line, and the values around it from the outside in; or why its document did not parse.

    A document without records is an entry too (``empty``), if it failed or each document is a run.
    """

    line: int
    scopes: list[Any]
    fault: str = ""
    empty: bool = False


def _read_records(spec: RecordsFormat, file: TextFile, *, declared: bool) -> Reading:
    """Read objects of one document, of one document a line, or of one after the other.

    Of a format that a study declares, a path that leads nowhere is told: it may be misspelt.
    """
    documents = _documents(spec, file)
    parts = spec.parts()
    entries = [entry for document in documents for entry in _entries(spec, parts, document)]
    ledger = Records([entry.line for entry in entries])
    ledger.whole(problem for document in documents if document.parsed for problem in document.problems)
    if declared and documents and not entries:
        lost = _dead_end([document.root for document in documents], record_path(spec.records))
        shown = f"'records' of the format '{printable(spec.name, 40)}': {lost}"
        ledger.whole([(documents[0].first_line, shown)] if lost else [])
    if declared:
        ledger.whole(_missing(spec, parts, [entry for entry in entries if not (entry.empty or entry.fault)]))
    rows = _DeclaredRows(spec, file, ledger)
    for number, entry in enumerate(entries):
        if entry.fault:
            ledger.problem(number, entry.fault)
        elif entry.empty:
            rows.enter_empty(number, _captured(spec, parts, entry.scopes))
        elif spec.means({part: _lookup(entry.scopes, part) for part in spec.only}):
            rows.enter(number, _captured(spec, parts, entry.scopes), {})
        else:
            ledger.context(number)
    return rows.reading()


def _entries(spec: RecordsFormat, parts: Sequence[_Part], document: Document) -> list[_Entry]:
    """Return the records of a document."""
    if not document.parsed:
        # The line of the fault, which may lie within the document.
        line, fault = document.problems[0]
        return [_Entry(line, [], fault)]
    if not isinstance(document.root, (dict, list)):
        return [_Entry(document.first_line, [], f"is {_kind([document.root])}, no object and no list of them")]
    # A list at the top is meant entry by entry.
    path = record_path(spec.records) or ((_Step("", "list", ""),) if isinstance(document.root, list) else ())
    scopes = list(_walk(document.root, path, []))
    if not scopes:
        root = [document.root]
        failed = _outcome_of(parts, spec.needs, _captured(spec, parts, root)).failed
        return [_Entry(document.first_line, root, empty=True)] if spec.start or failed else []
    lines = document.lines(_plain(path)) if _plain(path) else []
    same = len(lines) == len(scopes)
    return [_Entry(lines[n] if same else document.first_line, scope) for n, scope in enumerate(scopes)]


def _missing(spec: RecordsFormat, parts: Sequence[_Part], entries: list[_Entry]) -> Iterator[tuple[int, str]]:
    """Yield the paths that are in no record: a misspelt path would be missed in silence."""
    wanted = [part.source for part in parts if part.role not in _OPTIONAL]
    for source in dict.fromkeys([*wanted, *spec.only, *spec.needs] if entries else []):
        path = record_path(source)
        if not any(_dead_end([node], path) == "" for entry in entries for node in entry.scopes):
            lost = _dead_end([entry.scopes[-1] for entry in entries], path).replace("at the top", "in a record")
            yield entries[0].line, f"no record has '{printable(source, 60)}': {lost}"


def _documents(spec: RecordsFormat, file: TextFile) -> list[Document]:
    if spec.start:
        start = bind_pattern(spec.start)
        starts = [number for number, line in enumerate(file.lines) if start.begins(line)]
        cuts = [0, *(number for number in starts if number), len(file.lines)]
        texts = [(first + 1, "\n".join(file.lines[first:last])) for first, last in pairwise(cuts)]
        return [parse_text(text, line) for line, text in texts if text.strip()]
    return documents_of_lines(file)


def _captured(spec: RecordsFormat, parts: Sequence[_Part], scopes: list[Any]) -> dict[str, Any]:
    return {source: _lookup(scopes, source) for source in (*(part.source for part in parts), *spec.needs)}


def _walk(value: Any, path: _RecordPath, scopes: list[Any]) -> Iterator[list[Any]]:
    """Yield each record with what surrounds it, the outermost first."""
    if not path:
        yield [*scopes, value]
        return
    step, rest = path[0], path[1:]
    if step.key:
        inner = value.get(step.key) if isinstance(value, dict) else None
        scopes = [*scopes, value]
    else:
        inner = value
    if inner is None:
        return
    if step.into == "list":
        for entry in inner if isinstance(inner, list) else []:
            yield from _walk(entry, rest, scopes)
    elif step.into == "object":
        for key, entry in inner.items() if isinstance(inner, dict) else []:
            yield from _walk(entry, rest, [*scopes, {step.name: key}])
    else:
        yield from _walk(inner, rest, scopes)


def _lookup(scopes: list[Any], source: str) -> Any:
    """Return the value at a path of the record, or of the nearest value around it."""
    path = record_path(source)
    for scope in reversed(scopes):
        value = _at(scope, path)
        if value is not None:
            return value
    return None


def _at(value: Any, path: _RecordPath) -> Any:
    for number, step in enumerate(path):
        if step.key:
            value = value.get(step.key) if isinstance(value, dict) else None
        if step.into:
            rest = path[number + 1 :]
            entries = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
            return [value for value in (_at(entry, rest) for entry in entries) if value is not None] or None
        if value is None:
            return None
    return value


def _plain(path: _RecordPath) -> str:
    """Write a path as `Document.lines` takes it; empty where that cannot find lines."""
    if any(step.into == "object" or "." in step.key for step in path):
        return ""
    return ".".join(f"{step.key}{'[]' if step.into else ''}" for step in path)


# Where a path leads nowhere: at which step, and which keys are there instead.


def _dead_end(values: Sequence[Any], path: _RecordPath) -> str:
    """Say at which step a path finds nothing in any of some values; empty where it leads on."""
    walked = ""
    here = list(values)
    for step in path:
        if step.key:
            place = f"in {printable(walked, 60)}" if walked else "at the top"
            objects = [entry for entry in here if isinstance(entry, dict)]
            if not objects:
                return f"no key '{printable(step.key, 60)}' {place}, which is {_kind(here)}"
            here = [entry[step.key] for entry in objects if step.key in entry]
            if not here:
                keys = dict.fromkeys(key for entry in objects for key in entry)
                return f"no key '{printable(step.key, 60)}' {place}; there are {choices(keys)}"
            walked += f"{'.' if walked else ''}{step.key}"
        if step.into:
            entered = _entered(here, step)
            if entered is None:
                wanted = "a list" if step.into == "list" else "an object"
                return f"{printable(walked, 60) or 'the document'} is {_kind(here)}, not {wanted}"
            if not entered:
                return f"{printable(walked, 60) or 'the document'} is empty"
            here = entered
            walked += "[]" if step.into == "list" else f"{{{step.name}}}"
    return ""


def _entered(values: Sequence[Any], step: _Step) -> list[Any] | None:
    """Return all entries of lists or objects; None where there is none of them."""
    if step.into == "list":
        lists = [value for value in values if isinstance(value, list)]
        return [entry for entries in lists for entry in entries] if lists else None
    objects = [value for value in values if isinstance(value, dict)]
    return [entry for value in objects for entry in value.values()] if objects else None


_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}


def _kind(values: Sequence[Any]) -> str:
    return _KINDS.get(type(values[0]), "null") if values else "empty"


# The value of one captured part: a number, yes or no, a level, or nothing.


_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?")
_CLOCK = re.compile(r"(?:(\d{1,6}):)?(\d{1,6}):(\d{1,2}(?:\.\d{1,9})?)", re.ASCII)
_MULTIPLE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)([kKMGB])", re.ASCII)
_MULTIPLES = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "B": 1e9}
_KILOBYTES = re.compile(r"([kKMGT])B\b")
#: Texts of a ``failure`` part that say that nothing failed.
_NO_FAILURE = _NOTHING | {"0", "false", "no", "ok"}
_YES = SOUND | {"1", "yes"}
_NO = FAILED | {"0", "no"}


def _is_missing(value: Any) -> bool:
    """Whether a part says that there is nothing."""
    if isinstance(value, str):
        return value.strip().lower() in _NOTHING
    return value is None or value == [] or value == {}


def _level_of(value: Any) -> Any:
    """Return a captured value as the level of an axis."""
    if isinstance(value, bool):
        return str(value).lower()
    return _one_line(value.strip()) if isinstance(value, str) else value


def _number_of(value: Any, unit: str) -> float | None:
    """Return a captured number, None where nothing was measured."""
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if not math.isfinite(value):
            raise DataError(f"is {value}: no measurement; value skipped")
        return float(value)
    if not isinstance(value, str):
        raise DataError(f"is {_kind([value])}, not a number; value skipped")
    text = value.strip()
    if text.lower() in _NOTHING:
        return None
    if unit == "duration":
        return _duration_of(text)
    if multiple := _MULTIPLE.fullmatch(text):
        return float(multiple[1]) * _MULTIPLES[multiple[2]]
    plain = text.replace(",", "") if _GROUPED.fullmatch(text) else text
    if not is_number(plain) or not math.isfinite(float(plain)):
        raise DataError(f"is '{printable(text, 40)}', not a number; value skipped")
    return float(plain)


def _measured_as(value: Any, unit: str) -> tuple[float | None, str]:
    """Return a captured number and its unit, which may stand behind it."""
    if unit in _WRITTEN and isinstance(value, str) and value.strip().lower() not in _NOTHING:
        # Many tools call 1,024 bytes a KB.
        number, base = parse_quantity(_KILOBYTES.sub(r"\1iB", value) if unit == "written binary" else value)
        return _number_of(number, ""), base
    return _number_of(value, unit), "s" if unit == "duration" else unit


def _duration_of(text: str) -> float:
    """Return the seconds of a duration: ``1m0.05s``, ``1m0,05s`` as some locales write it, ``1:00.05``, ``12.8 ms``."""
    if clock := _CLOCK.fullmatch(text):
        return int(clock[1] or 0) * 3600 + int(clock[2]) * 60 + float(clock[3])
    return parse_duration(text.replace(" ", "").replace(",", "."))


def _success_of(value: Any) -> float | None:
    """Return how many operations failed by a word for success: 0 or 1."""
    text = str(value).strip().lower()
    if text in _YES or text in _NO:
        return float(text in _NO)
    raise DataError(f"is '{printable(str(value), 40)}', not true or false")
