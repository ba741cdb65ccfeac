"""A format told in words instead of code: what `[[formats]]` of a ``study.toml`` says.

Three kinds: ``lines`` (a regular expression a line), ``table`` (columns of a separated table) and
``records`` (objects in a JSON document, or one a line). In each, a *part* (a named group, a column,
a path) is mapped to what it means.
"""

from __future__ import annotations

import math
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, Protocol, get_args

import numpy as np

from benchlib.errors import DataError, choices, printable
from benchlib.formats.collector import split_cells
from benchlib.formats.json_text import Document, parse, parse_text
from benchlib.formats.names import claimed
from benchlib.formats.pattern import LONGEST_LINE, SafePattern, bind_pattern
from benchlib.formats.reader import (
    Certainty,
    Ledger,
    Reading,
    Records,
    Rows,
    TextFile,
    _at_open_end,
    _one_line,
    may_be_cut,
    open_line,
)
from benchlib.formats.tables import _NOTHING, FAILED, SOUND
from benchlib.metrics import misfit
from benchlib.results import Series
from benchlib.units import parse_duration

Kind = Literal["lines", "table", "records"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_Role = Literal[
    "benchmark", "name", "run", "value", "metric", "unit", "iterations", "errors", "success", "failure", "requested",
    "axis", "measure", "insert",
]  # fmt: skip
#: The words that a part may be mapped to; ``axis`` and ``measure`` are written as tables, and ``insert``
#: is what the name of a metric holds in braces.
_ROLES: tuple[_Role, ...] = (
    "benchmark", "name", "run", "value", "metric", "unit", "iterations", "errors", "success", "failure", "requested",
)  # fmt: skip
#: The roles that say whether a result is one at all.
_FAILING = frozenset[_Role]({"errors", "success", "failure", "requested"})

#: Another part within the name of a metric: ``latency_p{share}``.
INSERTED = re.compile(r"\{([^{}]+)\}")

#: The key of ``[[formats]]`` that maps the parts, by kind.
PARTS: dict[Kind, str] = {"lines": "groups", "table": "columns", "records": "fields"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """What one named group, column or path means.

    Attributes
    ----------
    source : str
        The group, the column, or the path.
    role : Role
    name : str
        Of the metric or axis; empty for other roles. What a metric's name holds in braces is another part.
    unit : str
        As the tool means it; ``duration`` for text such as ``1m0.05s``.
    """

    source: str
    role: _Role
    name: str
    unit: str


@dataclass(frozen=True, slots=True)
class _Step:
    """One step of a path: a key, then into each entry of what stands there.

    ``into`` is ``"list"``, ``"object"`` or empty; ``name`` is what an object's keys are called.
    """

    key: str
    into: Literal["", "list", "object"]
    name: str


_RecordPath = tuple[_Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatSpec:
    """A declared format.

    Attributes
    ----------
    name : str
    files : tuple of str
        Globs over relative paths and file names: such a file is read with this format.
    recognise : tuple of str
        Texts that all stand in the head of such a file; for shipped specs.
    kind : {"lines", "table", "records"}
    patterns : tuple of SafePattern
        Of ``lines``: tried in order; one with no measured group holds for the lines after it.
    start : SafePattern or None
        Of ``lines`` and ``records``: such a line begins a run, which knows nothing of the run before.
    must_read : tuple of SafePattern
        Of ``lines``: such a line is a problem if no pattern reads it.
    complete : tuple of (SafePattern, SafePattern)
        Of ``lines``: after a line of the first one of the second must stand, in the same run and before the next
        of the first; else the run was cut.
    needs : tuple of str
        Of ``table`` and ``records``: parts without which a row failed.
    delimiter : str
        Of ``table``; empty for runs of blanks.
    header : tuple of str
        Of ``table``: its columns where the file does not name them.
    records : tuple of Step
        Of ``records``: where the records stand; empty for the document itself.
    parts : tuple of Part
    metric, unit : str
        Of the value, where no part says.
    benchmark : str
        Where no part says; else the stem of the file.
    axes : mapping
        What holds for every row.
    only : mapping of str to str
        Rows are read only where each of these parts has this text.
    closed_loop : bool
        Whether the tool waits for an answer before it sends the next request.
    yields, limits, documentation : str
        For the table of formats.
    """

    name: str
    files: tuple[str, ...]
    recognise: tuple[str, ...]
    kind: Kind
    patterns: tuple[SafePattern, ...]
    start: SafePattern | None
    must_read: tuple[SafePattern, ...]
    complete: tuple[tuple[SafePattern, SafePattern], ...]
    needs: tuple[str, ...]
    delimiter: str
    header: tuple[str, ...]
    records: _RecordPath
    parts: tuple[_Part, ...]
    metric: str
    unit: str
    benchmark: str
    axes: Mapping[str, str | int | float]
    only: Mapping[str, str]
    closed_loop: bool
    yields: str
    limits: str
    documentation: str

    def claims(self, source: str) -> bool:
        """Whether a file is of this format by its relative path or its name."""
        return claimed(self.files, source)

    def means(self, captured: Mapping[str, Any]) -> bool:
        """Whether a row is one of those that ``only`` asks for."""
        return all(_word(captured.get(part)) == text for part, text in self.only.items())


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def part_of(source: str, meaning: Any) -> _Part:
    """Return what a part means: a word of `_ROLES`, ``{metric, unit}`` or ``{axis}``."""
    if isinstance(meaning, str):
        if meaning not in _ROLES:
            listed = ", ".join(_ROLES)
            raise DataError(
                f"'{printable(meaning, 40)}' is no meaning of a part; "
                f'write {{ metric = "time", unit = "ms" }}, {{ axis = "workers" }}, or one of {listed}'
            )
        return _Part(source=source, role=next(role for role in _ROLES if role == meaning), name="", unit="")
    if not isinstance(meaning, dict) or not all(isinstance(text, str) for text in meaning.values()):
        raise DataError('must be a word or a table of texts, e.g. { metric = "time", unit = "ms" }')
    keys = set(meaning)
    if keys == {"axis"} and meaning["axis"]:
        return _Part(source=source, role="axis", name=meaning["axis"], unit="")
    if "metric" in keys and keys <= {"metric", "unit"} and meaning["metric"]:
        return _Part(source=source, role="measure", name=meaning["metric"], unit=meaning.get("unit", ""))
    if keys == {"unit"}:
        return _Part(source=source, role="measure", name="", unit=meaning["unit"])
    raise DataError(
        'must hold metric and unit, or axis: { metric = "time", unit = "ms" } or { axis = "workers" }; '
        f"found {', '.join(printable(text, 40) for text in meaning) or 'nothing'}"
    )


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


#: Names of groups and object keys that mean what they say.
_SELF_TOLD = frozenset(_ROLES)


def _told(
    values: Mapping[str, Any], kind: Kind, patterns: tuple[SafePattern, ...], records: _RecordPath
) -> list[_Part]:
    mapped = [part_of(source, meaning) for source, meaning in values.get(PARTS[kind], {}).items()]
    known = {part.source for part in mapped}
    inserted = [name for part in mapped if part.role == "measure" for name in INSERTED.findall(part.name)]
    mapped += [
        _Part(source=name, role="insert", name="", unit="") for name in dict.fromkeys(inserted) if name not in known
    ]
    known |= set(inserted)
    captured = [group for pattern in patterns for group in pattern.pattern.groupindex]
    captured += [record.name for record in records if record.name]
    for name in dict.fromkeys(captured):
        if name not in known:
            mapped.append(part_of(name, name if name in _SELF_TOLD else {"axis": name}))
    return mapped


def spec_of(values: Mapping[str, Any]) -> FormatSpec:
    """Return the format that a table of TOML declares; keys and types are as they should be."""
    kind = next(kind for kind in KINDS if kind == values["kind"])
    written = values.get("pattern", [])
    patterns = tuple(bind_pattern(pattern) for pattern in ([written] if isinstance(written, str) else written))
    start = bind_pattern(values["start"]) if values.get("start") else None
    records = record_path(values.get("records", ""))
    parts = tuple(_told(values, kind, patterns, records))
    if kind == "records":
        for source in [*(part.source for part in parts), *values.get("only", {}), *values.get("needs", ())]:
            record_path(source)
    return FormatSpec(
        name=values["name"],
        files=tuple(values.get("files", ())),
        recognise=tuple(values.get("recognise", ())),
        kind=kind,
        patterns=patterns,
        start=start,
        must_read=tuple(bind_pattern(pattern) for pattern in values.get("must_read", ())),
        complete=tuple((bind_pattern(begin), bind_pattern(then)) for begin, then in values.get("complete", {}).items()),
        needs=tuple(values.get("needs", ())),
        delimiter={"blanks": ""}.get(values.get("delimiter", ","), values.get("delimiter", ",")),
        header=tuple(values.get("header", ())),
        records=records,
        parts=parts,
        metric=values.get("metric", ""),
        unit=values.get("unit", ""),
        benchmark=values.get("benchmark", ""),
        axes=dict(values.get("axes", {})),
        only=dict(values.get("only", {})),
        closed_loop=values.get("closed_loop", False),
        yields=values.get("yields", ""),
        limits=values.get("limits", ""),
        documentation=values.get("documentation", ""),
    )


# From captured parts to rows: the same for lines, tables and records of a declared format.


class _Fates(Protocol):
    """What `Ledger` and `Records` share: a place is a line in one, and a record in the other."""

    def data(self, place: int, /) -> None:
        """Enter what was kept."""

    def context(self, place: int, /) -> None:
        """Enter what says something of other places."""

    def problem(self, place: int, message: str, /) -> None:
        """Enter what should have been a result and is not."""

    def note(self, place: int, message: str, /) -> None:
        """Record a problem with a place whose other values stand."""


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


class _DeclaredRows:
    """Rows as a spec says they are to be read.

    Attributes
    ----------
    rows : Rows
    configurations : list of mapping
    failures : list of (line, benchmark)
        Results that failed and have no value.
    """

    __slots__ = ("_first", "_marks", "_numbers", "_run", "_said", "configurations", "failures", "rows", "spec")

    def __init__(self, spec: FormatSpec) -> None:
        self.spec = spec
        self.rows = Rows()
        self.configurations: list[Mapping[str, Any]] = []
        self.failures: list[tuple[int, str]] = []
        self._numbers: dict[tuple[tuple[str, Any], ...], int] = {}
        self._said: set[tuple[str, str]] = set()
        #: Of the run at hand: its first row, and what it says of failures and where.
        self._first = 0
        self._run: tuple[_Outcome, int] = (_NOTHING_SAID, 0)
        #: Rows of runs that say something of failures: first, behind the last, how many.
        self._marks: list[tuple[int, int, float]] = []

    def enter(
        self, fates: _Fates, place: int, captured: Mapping[str, Any], line: int, context: Mapping[str, Any]
    ) -> None:
        """Take captured parts and enter what became of them."""
        before = len(self.rows)
        faults = self._take(captured, line, context)
        if len(self.rows) > before:
            fates.data(place)
            for fault in faults:
                fates.note(place, fault)
        elif faults:
            fates.problem(place, "; ".join(faults[:3]))
        else:
            fates.context(place)

    def enter_empty(self, fates: _Fates, place: int, captured: Mapping[str, Any], line: int) -> None:
        """Enter a document without records: it failed, or there was nothing to measure."""
        outcome = self.outcome(captured)
        fates.problem(place, self._lost(captured, outcome if outcome.failed else _EMPTY, line))

    def begin_run(self) -> None:
        """Begin a run of which nothing is known."""
        self._first, self._run = len(self.rows), (_NOTHING_SAID, 0)
        self._said.clear()

    def blame_run(self, captured: Mapping[str, Any], line: int) -> list[str]:
        """Take what a line without a value says of failures of the whole run; return what is wrong with it."""
        faults: list[str] = []
        told, at = self._run
        now = self.outcome(captured, faults)
        self._run = (told.worse(now), at or (line if now.failed else 0))
        return faults

    @property
    def run_failed(self) -> bool:
        """Whether the run at hand said that it failed, and why."""
        return self._run[0].failed and bool(self._run[0].reason)

    def end_run(self, fates: _Fates, began: int, context: Mapping[str, Any]) -> None:
        """Count the failures of a run for all its values; a run without any is a problem."""
        outcome, at = self._run
        last = len(self.rows)
        if last == self._first:
            if not began and not outcome.failed:
                return
            fates.problem(at or began, self._lost(context, outcome if outcome.failed else _EMPTY, at or began))
        elif outcome.errors is not None:
            self._marks.append((self._first, last, outcome.errors))
            if outcome.reason:
                fates.note(at, f"{self._shown(context)} failed ({outcome.reason}); its values are set apart")

    def finish(self) -> None:
        """Write the failures of runs into their rows."""
        if self._marks:
            errors = np.asarray(self.rows.errors)
            for first, last, count in self._marks:
                errors[first:last] = np.fmax(errors[first:last], count)

    def _lost(self, context: Mapping[str, Any], outcome: _Outcome, line: int) -> str:
        """Keep a failure without a value, and return the message about it."""
        words, _ = self._words(context)
        self.failures.append((line, str(words.get("benchmark") or words.get("name") or self.spec.name)))
        return f"{self._shown(context)} failed ({outcome.reason or f'{outcome.errors:g} errors'}); no value is kept"

    def _shown(self, context: Mapping[str, Any]) -> str:
        words, _ = self._words(context)
        return printable(str(words.get("benchmark") or words.get("name") or self.spec.name), 60)

    def outcome(self, context: Mapping[str, Any], faults: list[str] | None = None) -> _Outcome:
        """Return what parts say of failures; whatever cannot be understood is a fault."""
        outcome = _NOTHING_SAID
        for part in self.spec.parts:
            value = context.get(part.source)
            if part.role not in _FAILING or _is_missing(value):
                continue
            try:
                outcome = outcome.worse(self._said_by(part, value, context))
            except DataError as error:
                if faults is not None:
                    faults.append(f"{part.role} {error}")
        for name in self.spec.needs:
            if _is_missing(context.get(name)):
                outcome = outcome.worse(_Outcome(1.0, f"no {printable(name, 60)}"))
        return outcome

    def _said_by(self, part: _Part, value: Any, context: Mapping[str, Any]) -> _Outcome:
        if part.role == "failure":
            text = _one_line(str(value).strip()) if isinstance(value, (str, bool, int, float)) else _kind_of(value)
            failed = text.lower() not in _NO_FAILURE
            return _Outcome(float(failed), printable(text, 100) if failed else "")
        if part.role == "success":
            return _Outcome(_success_of(value), "")
        number = _number_of(value, "")
        if number is None or part.role == "errors":
            return _Outcome(number, "")
        done = next(
            (_number_of(context.get(part.source), "") for part in self.spec.parts if part.role == "iterations"), None
        )
        if done is None:
            return _NOTHING_SAID
        short = max(0.0, number - done)
        return _Outcome(short, f"{done:g} of {number:g} operations were done" if short else "")

    def _take(self, captured: Mapping[str, Any], line: int, context: Mapping[str, Any]) -> list[str]:
        """Add the values among captured parts and return what is wrong with the others."""
        told = {**context, **{key: value for key, value in captured.items() if value is not None}}
        words, faults = self._words(told)
        try:
            iterations = _number_of(words.get("iterations"), "")
        except DataError as error:
            faults.append(f"iterations {error}")
            iterations = None
        outcome = self.outcome(told, faults)
        before = len(self.rows)
        number = None
        for metric, value, unit in self._measured(captured, words, told, faults):
            if number is None:
                number = self._configuration(words, told, faults)
            self.rows.add(
                name=str(words.get("name") or words.get("benchmark") or ""),
                metric=metric or None,
                value=value,
                unit=unit,
                line=line,
                configuration=number,
                iterations=iterations,
                errors=outcome.errors,
            )
        if not outcome.failed:
            return faults
        if len(self.rows) == before:
            return [self._lost(told, outcome, line), *faults]
        shown = (self._shown(told), outcome.reason)
        if outcome.reason and shown not in self._said:
            self._said.add(shown)
            faults.append(f"{shown[0]} failed ({outcome.reason}); its values are set apart")
        return faults

    def _words(self, context: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        words: dict[str, Any] = {}
        faults = []
        for part in self.spec.parts:
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
    ) -> Iterator[tuple[str, float, str]]:
        for part in self.spec.parts:
            if part.role not in ("measure", "value") or captured.get(part.source) is None:
                continue
            metric, unit = _meaning(part, words, self.spec)
            blank = [source for source in INSERTED.findall(part.name) if _is_missing(context.get(source))]
            if blank:
                shown = f"nothing is told for '{printable(blank[0], 60)}' in {printable(metric, 60)}"
                faults.append(f"{printable(part.source, 60)}: {shown}; value skipped")
                continue
            if part.name:
                metric = INSERTED.sub(lambda match: _one_line(str(context[match[1]]).strip()), metric)
            values = captured[part.source]
            for one in values if isinstance(values, list) else [values]:
                try:
                    value = _number_of(one, unit)
                except DataError as error:
                    faults.append(f"{printable(part.source, 60)} {error}")
                    continue
                written = "s" if unit == "duration" else unit
                wrong = misfit(metric, written)
                if not metric and not written:
                    wrong = "neither metric nor unit is given"
                if wrong:
                    faults.append(f"{printable(part.source, 60)}: {wrong}; correct the format")
                elif value is not None:
                    yield metric, value, written

    def _configuration(self, words: Mapping[str, Any], context: Mapping[str, Any], faults: list[str]) -> int:
        facts: dict[str, Any] = dict(self.spec.axes)
        for part in self.spec.parts:
            value = context.get(part.source) if part.role == "axis" else None
            if isinstance(value, (list, dict)):
                faults.append(f"{printable(part.source, 60)} is no single level of an axis")
            elif value is not None and str(value).strip():
                facts[part.name] = _level_of(value)
        if words.get("run") is not None:
            facts["run"] = str(words["run"])
        if words.get("benchmark") is not None and not str(words["benchmark"]).startswith("Benchmark"):
            facts["benchmark"] = str(words["benchmark"])
        key = tuple(facts.items())
        number = self._numbers.setdefault(key, len(self.configurations))
        if number == len(self.configurations):
            self.configurations.append(facts)
        return number


_NO_WORDS = frozenset({"axis", "measure", "value", "insert"}) | _FAILING
_EMPTY = _Outcome(1.0, "it gave no value")


def _meaning(part: _Part, words: Mapping[str, Any], spec: FormatSpec) -> tuple[str, str]:
    if part.role == "measure":
        return part.name, part.unit
    return str(words.get("metric", spec.metric)), str(words.get("unit", spec.unit))


# The kind `lines` of declared formats: patterns, what they tell of later lines, and runs.


#: Seconds that the patterns of a format may take over one file, and those for each MiB of it: many times what
#: sound patterns take.
_SECONDS = 20.0
_SECONDS_A_MIB = 0.5


def _read_lines(spec: FormatSpec, file: TextFile) -> tuple[_DeclaredRows, Ledger]:
    """Read each line with the first pattern that matches it.

    What a line without a value tells holds for the lines after it; where the format says how a run
    starts, what it tells of failures holds for the whole run, and for no other.
    """
    rows, ledger = _DeclaredRows(spec), Ledger(len(file.lines))
    lines = _Lines(spec, file, rows, ledger)
    allowed = _SECONDS + _SECONDS_A_MIB * len(file.text) / 2**20
    end = time.monotonic() + allowed
    for number, line in enumerate(file.lines, 1):
        if time.monotonic() > end:
            shown = f"the patterns took over {allowed:.0f} s; the lines from here on are not read"
            ledger.problem(number, f"{shown}; begin them with ^ and narrow their classes, e.g. [^ ]+ for .*")
            ledger.refuse(range(number + 1, len(file.lines) + 1))
            break
        lines.read(number, line)
    lines.end_run()
    return rows, ledger


class _Lines:
    """What is known between one line and the next."""

    def __init__(self, spec: FormatSpec, file: TextFile, declared_rows: _DeclaredRows, ledger: Ledger) -> None:
        self.spec, self.file, self.found, self.ledger = spec, file, declared_rows, ledger
        self.measured = frozenset(part.source for part in spec.parts if part.role in ("measure", "value"))
        self.failing = frozenset(part.source for part in spec.parts if part.role in _FAILING)
        self.told_failed = frozenset(part.source for part in spec.parts if part.role == "failure")
        self.context: dict[str, str] = {}
        #: The line on which the run began; 0 for what stands before the first.
        self.began = 0
        #: Of each pair of `FormatSpec.complete`, the line that waits for its second; and those left waiting.
        self.waiting: dict[int, tuple[int, str]] = {}
        self.cut: list[tuple[int, str]] = []
        #: What was captured of each value so far, where the last line has no end.
        self.before: dict[str, deque[str]] = {}

    def read(self, number: int, line: str) -> None:
        if self.spec.start is not None and self.spec.start.begins(line):
            self.end_run()
            self.context, self.began = {}, number
            self.found.begin_run()
            self.ledger.context(number)
        self._follow(number, line)
        for pattern in self.spec.patterns:
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
                    self._enter(number, pattern, match.groupdict())
                return
        if any(pattern.begins(line) for pattern in self.spec.must_read):
            name = printable(self.spec.name, 40)
            shown = f"'{printable(line.strip(), 80)}' is not as the format '{name}' says"
            self.ledger.problem(number, f"{shown}; add a pattern for it; line skipped")

    def _follow(self, number: int, line: str) -> None:
        """Take a line that another must follow, or that follows one."""
        for place, (first, then) in enumerate(self.spec.complete):
            if then.begins(line):
                self.waiting.pop(place, None)
            if first.begins(line):
                self._give_up(place)
                self.waiting[place] = (number, line)

    def _give_up(self, place: int) -> None:
        if place in self.waiting:
            number, line = self.waiting.pop(place)
            wanted = printable(self.spec.complete[place][1].pattern.pattern, 60)
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

    def _enter(self, number: int, safe_pattern: SafePattern, captured: Mapping[str, Any]) -> None:
        groups = safe_pattern.pattern.groupindex
        if not self.measured.isdisjoint(groups):
            if self.spec.means({**self.context, **captured}):
                self.found.enter(self.ledger, number, captured, number, self.context)
            else:
                self.ledger.context(number)
            return
        context = {key: value for key, value in captured.items() if value is not None}
        self.ledger.context(number)
        if self.spec.start is not None:
            for fault in self.found.blame_run({**self.context, **context}, number):
                self.ledger.problem(number, fault)
            context = {key: value for key, value in context.items() if key not in self.failing}
        elif not self.told_failed.isdisjoint(context):
            # Without runs it speaks for itself alone: of a result without a value.
            self.found.enter(self.ledger, number, captured, number, self.context)
            return
        # A new dictionary: nothing that kept the old one is changed.
        self.context = {**self.context, **context}

    def end_run(self) -> None:
        """Set the values of a run that failed apart; a run without any, or without its end, is a problem."""
        for place in range(len(self.spec.complete)):
            self._give_up(place)
        # Why a run that failed ends early is told by what failed.
        for number, message in [] if self.found.run_failed else self.cut:
            self.ledger.note(number, message)
        self.cut = []
        if self.spec.start is not None:
            self.found.end_run(self.ledger, self.began, self.context)


# The kind `records` of declared formats: objects in JSON, found by their paths.


def _read_records(spec: FormatSpec, file: TextFile) -> tuple[_DeclaredRows, Records]:
    """Read objects of one document, of one document a line, or of one after the other."""
    rows = _DeclaredRows(spec)
    documents = _documents(spec, file)
    #: Line, what the record stands in, and whether it stands for a document without records.
    entries: list[tuple[int, list[Any] | None, bool]] = []
    texts: list[tuple[int, str]] = []
    for document in documents:
        if not document.parsed:
            # The line of the fault, which may lie within the document.
            entries.append((document.problems[0][0], None, False))
            continue
        texts += document.problems
        # A list at the top is meant entry by entry.
        path = spec.records or ((_Step("", "list", ""),) if isinstance(document.root, list) else ())
        scopes = list(_walk(document.root, path, []))
        lines = document.lines(_plain(path)) if _plain(path) else []
        same = len(lines) == len(scopes)
        entries += [(lines[n] if same else document.first_line, scope, False) for n, scope in enumerate(scopes)]
        if not scopes and (spec.start is not None or rows.outcome(_captured(spec, [document.root])).failed):
            # It may say why there is nothing.
            entries.append((document.first_line, [document.root], True))
    if spec.files and documents and not entries:
        lost = _dead_end([document.root for document in documents], spec.records)
        shown = f"'records' of the format '{printable(spec.name, 40)}': {lost}"
        texts += [(documents[0].first_line, shown)] if lost else []
    faulty = [document.problems[0][1] for document in documents if not document.parsed][::-1]
    records = Records([line for line, _, _ in entries])
    records.whole(texts)
    records.whole(_missing(spec, [(line, scope) for line, scope, empty in entries if scope is not None and not empty]))
    for number, (line, scope, empty) in enumerate(entries):
        if scope is None:
            records.problem(number, faulty.pop())
        elif empty:
            rows.enter_empty(records, number, _captured(spec, scope), line)
        elif spec.means({part: _lookup(scope, part) for part in spec.only}):
            rows.enter(records, number, _captured(spec, scope), line, {})
        else:
            records.context(number)
    return rows, records


#: What a part may stand for that sound records have, each of them or none.
_OPTIONAL = _FAILING | {"iterations", "insert"}


def _missing(spec: FormatSpec, entries: list[tuple[int, list[Any]]]) -> Iterator[tuple[int, str]]:
    """Tell which paths that a study declares are in no record: one misspelt would be missed in silence."""
    if not spec.files or not entries:
        return
    wanted = [part.source for part in spec.parts if part.role not in _OPTIONAL]
    for source in dict.fromkeys([*wanted, *spec.only, *spec.needs]):
        path = record_path(source)
        scopes = [scope for _, scope in entries]
        if not any(_dead_end([node], path) == "" for scope in scopes for node in scope):
            lost = _dead_end([scope[-1] for scope in scopes], path)
            yield entries[0][0], f"no record has '{printable(source, 60)}': {lost.replace('at the top', 'in a record')}"


def _documents(spec: FormatSpec, file: TextFile) -> list[Document]:
    if spec.start is not None:
        starts = [number for number, line in enumerate(file.lines) if spec.start.begins(line)]
        cuts = [0, *(start for start in starts if start), len(file.lines)]
        texts = [(first + 1, "\n".join(file.lines[first:last])) for first, last in pairwise(cuts)]
        return [parse_text(text, line) for line, text in texts if text.strip()]
    filled = [(number, line) for number, line in enumerate(file.lines, 1) if line.strip()]
    if len(filled) > 1 and all(line.lstrip()[0] == "{" and line.rstrip()[-1] == "}" for _, line in filled[:2]):
        return [parse_text(line, number) for number, line in filled]
    return [parse(file)]


def _captured(spec: FormatSpec, scopes: list[Any]) -> dict[str, Any]:
    return {source: _lookup(scopes, source) for source in (*(part.source for part in spec.parts), *spec.needs)}


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
    """Return what stands at a path of the record, or of the nearest thing around it."""
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
    """Write a path as `json_paths` does, or an empty text where it cannot tell lines."""
    if any(step.into == "object" or "." in step.key for step in path):
        return ""
    return ".".join(f"{step.key}{'[]' if step.into else ''}" for step in path)


# Where a path of a declared format leads nowhere: which step, and which keys stand there instead.


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
    return [entry for one in objects for entry in one.values()] if objects else None


_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}


def _kind(values: Sequence[Any]) -> str:
    return _KINDS.get(type(values[0]), "null") if values else "empty"


# What stands in one captured part: a number, yes or no, a level, or nothing.


_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?")
#: What a text that says why a row failed holds where it did not.
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
        raise DataError(f"is {_kind_of(value)}, not a number; value skipped")
    text = value.strip()
    if text.lower() in _NOTHING:
        return None
    if unit == "duration":
        return parse_duration(text)
    plain = text.replace(",", "") if _GROUPED.fullmatch(text) else text
    try:
        # Python also reads 1_0 and digits of other scripts; no tool means a number by them.
        number = float(plain) if plain.isascii() and "_" not in plain else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise DataError(f"is '{printable(text, 40)}', not a number; value skipped")
    return number


def _success_of(value: Any) -> float | None:
    """Return how many operations failed by a word for success: 0 or 1."""
    text = str(value).strip().lower()
    if text in _YES or text in _NO:
        return float(text in _NO)
    raise DataError(f"is '{printable(str(value), 40)}', not true or false")


def _kind_of(value: Any) -> str:
    """Return what a value is that is no number and no text, in words."""
    return "true or false" if isinstance(value, bool) else "a list" if isinstance(value, list) else "an object"


# The reader of declared formats: told by `[[formats]]` of a `study.toml`, or by a shipped spec.


class DeclaredFormat:
    """A reader made from a spec."""

    contains = frozenset[str]()

    def __init__(self, spec: FormatSpec) -> None:
        self.spec = spec
        self.name = spec.name
        self.files = ", ".join(spec.files)
        texts = " and ".join(repr(mark) for mark in spec.recognise)
        self.rule = f"holds {texts}" if texts else f"named {self.files}"
        self.yields = spec.yields
        self.limits = spec.limits
        self.documentation = spec.documentation

    def claims(self, source: str) -> bool:
        """Whether a file is of this format by its path or name."""
        return self.spec.claims(source)

    def recognise(self, head: TextFile) -> Certainty:
        """Be certain where every text of the spec stands in the head."""
        if not self.spec.recognise:
            return "no"
        return "certain" if all(mark in head.text for mark in self.spec.recognise) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read a whole file as the spec says."""
        rows, fates = READERS[self.spec.kind](self.spec, file)
        rows.finish()
        reading = self._reading(rows, fates, file)
        if self.spec.closed_loop and len(reading.rows):
            closed_loop = Series(kind="closed-loop", name=self.name, source=file.source, line=1, data=(self.name,))
            reading.series.append(closed_loop)
        return reading

    def _reading(self, declared_rows: _DeclaredRows, fates: Ledger | Records, file: TextFile) -> Reading:
        if not len(declared_rows.rows) and not fates.problems:
            name = printable(self.name, 40)
            nothing = (
                f"no record is as the format '{name}' says"
                if isinstance(fates, Records)
                else f"nothing in {len(file.lines)} lines is as the format '{name}' says"
            )
            fates.whole([(0, nothing)])
        lost = [
            Series(kind="failed-benchmark", name=benchmark, source=file.source, line=line, data=())
            for line, benchmark in declared_rows.failures
        ]
        return fates.reading(declared_rows.rows, declared_rows.configurations, lost)


def _table(spec: FormatSpec, file: TextFile) -> tuple[_DeclaredRows, Ledger]:
    rows, ledger = _DeclaredRows(spec), Ledger(len(file.lines))
    header = list(spec.header)
    for number, line in enumerate(file.lines, 1):
        if not line.strip():
            continue
        if line.lstrip().startswith("#"):
            ledger.context(number)
            continue
        cells = line.split() if not spec.delimiter else split_cells(line, spec.delimiter)
        if cells is None:
            ledger.problem(number, "a quote is left open; close it; line skipped")
            continue
        cells = [cell.strip() for cell in cells]
        if not header:
            header = cells
            _check_header(spec, ledger, number, header)
            continue
        if cells == header:
            ledger.context(number)
            continue
        if len(cells) != len(header):
            shown = f"{len(cells)} fields where the header has {len(header)}"
            ledger.problem(number, f"{shown}; line skipped")
            continue
        captured = dict(zip(header, cells, strict=True))
        if spec.means(captured):
            rows.enter(ledger, number, captured, number, {})
        else:
            ledger.context(number)
    return rows, ledger


def _check_header(spec: FormatSpec, ledger: Ledger, number: int, header: list[str]) -> None:
    ledger.context(number)
    wanted = [*(part.source for part in spec.parts), *spec.only, *spec.needs]
    missing = [name for name in dict.fromkeys(wanted) if name not in header]
    if missing:
        ledger.note(number, f"no column '{printable(missing[0], 60)}' in the header; there are {choices(header)}")
    twice = sorted(name for name, times in Counter(header).items() if times > 1 and name in wanted)
    if twice:
        ledger.note(number, f"column '{printable(twice[0], 60)}' stands twice in the header; the last is used")


READERS: dict[Kind, Callable[[FormatSpec, TextFile], tuple[_DeclaredRows, Ledger | Records]]] = {
    "records": _read_records,
    "lines": _read_lines,
    "table": _table,
}
