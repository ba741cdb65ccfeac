"""From captured parts to rows: the same for lines, tables and records of a declared format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from benchlib.errors import DataError, printable
from benchlib.formats.declaration import FAILING, INSERTED, FormatSpec, Part
from benchlib.formats.packed import Counts
from benchlib.formats.readers.declared_values import NO_FAILURE, is_missing, kind_of, level_of, number_of, success_of
from benchlib.formats.reading import Rows
from benchlib.formats.words import one_line
from benchlib.metrics import misfit

__all__ = ["DeclaredRows", "Fates", "Outcome"]


class Fates(Protocol):
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
class Outcome:
    """What captured parts say of failures: how many operations failed (None: nothing is said), and why."""

    errors: float | None
    reason: str

    @property
    def failed(self) -> bool:
        """Whether any operation failed."""
        return bool(self.errors and self.errors > 0)

    def worse(self, other: Outcome) -> Outcome:
        """Return the greater count, and the first reason."""
        told = [one.errors for one in (self, other) if one.errors is not None]
        return Outcome(max(told, default=None), self.reason or other.reason)


_NOTHING_SAID = Outcome(None, "")


class DeclaredRows:
    """Rows as a spec says they are to be read.

    Parameters
    ----------
    spec : FormatSpec

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
        self._run: tuple[Outcome, int] = (_NOTHING_SAID, 0)
        #: Rows of runs that say something of failures: first, behind the last, how many.
        self._marks: list[tuple[int, int, float]] = []

    def enter(
        self, fates: Fates, place: int, captured: Mapping[str, Any], line: int, context: Mapping[str, Any]
    ) -> None:
        """Take captured parts and enter what became of them."""
        before = len(self.rows)
        faults = self._take(captured, line, context)
        if len(self.rows) > before:
            fates.data(place)
            for one in faults:
                fates.note(place, one)
        elif faults:
            fates.problem(place, "; ".join(faults[:3]))
        else:
            fates.context(place)

    def enter_empty(self, fates: Fates, place: int, captured: Mapping[str, Any], line: int) -> None:
        """Enter a document without records: it failed, or there was nothing to measure."""
        found = self.outcome(captured)
        fates.problem(place, self._lost(captured, found if found.failed else _EMPTY, line))

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

    def end_run(self, fates: Fates, began: int, context: Mapping[str, Any]) -> None:
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
            errors = np.array(self.rows.errors.array)
            for first, last, count in self._marks:
                errors[first:last] = np.fmax(errors[first:last], count)
            self.rows.errors = Counts()
            self.rows.errors.extend_array(errors)

    def _lost(self, told: Mapping[str, Any], outcome: Outcome, line: int) -> str:
        """Keep a failure without a value, and return the message about it."""
        words, _ = self._words(told)
        self.failures.append((line, str(words.get("benchmark") or words.get("name") or self.spec.name)))
        return f"{self._shown(told)} failed ({outcome.reason or f'{outcome.errors:g} errors'}); no value is kept"

    def _shown(self, told: Mapping[str, Any]) -> str:
        words, _ = self._words(told)
        return printable(str(words.get("benchmark") or words.get("name") or self.spec.name), 60)

    def outcome(self, told: Mapping[str, Any], faults: list[str] | None = None) -> Outcome:
        """Return what parts say of failures; whatever cannot be understood is a fault."""
        found = _NOTHING_SAID
        for part in self.spec.parts:
            value = told.get(part.source)
            if part.role not in FAILING or is_missing(value):
                continue
            try:
                found = found.worse(self._said_by(part, value, told))
            except DataError as error:
                if faults is not None:
                    faults.append(f"{part.role} {error}")
        for one in self.spec.needs:
            if is_missing(told.get(one)):
                found = found.worse(Outcome(1.0, f"no {printable(one, 60)}"))
        return found

    def _said_by(self, part: Part, value: Any, told: Mapping[str, Any]) -> Outcome:
        if part.role == "failure":
            text = one_line(str(value).strip()) if isinstance(value, (str, bool, int, float)) else kind_of(value)
            failed = text.lower() not in NO_FAILURE
            return Outcome(float(failed), printable(text, 100) if failed else "")
        if part.role == "success":
            return Outcome(success_of(value), "")
        number = number_of(value, "")
        if number is None or part.role == "errors":
            return Outcome(number, "")
        done = next((number_of(told.get(one.source), "") for one in self.spec.parts if one.role == "iterations"), None)
        if done is None:
            return _NOTHING_SAID
        short = max(0.0, number - done)
        return Outcome(short, f"{done:g} of {number:g} operations were done" if short else "")

    def _take(self, captured: Mapping[str, Any], line: int, context: Mapping[str, Any]) -> list[str]:
        """Add the values among captured parts and return what is wrong with the others.

        Parameters
        ----------
        captured : mapping
            Part to text, number, truth value, list or None.
        line : int
        context : mapping
            Parts that lines before have told; ``captured`` goes before.
        """
        told = {**context, **{key: value for key, value in captured.items() if value is not None}}
        words, faults = self._words(told)
        try:
            iterations = number_of(words.get("iterations"), "")
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

    def _words(self, told: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        words: dict[str, Any] = {}
        faults = []
        for part in self.spec.parts:
            if part.role in _NO_WORDS:
                continue
            value = told.get(part.source)
            if isinstance(value, (list, dict)):
                faults.append(f"{printable(part.source, 60)} is no single {part.role}")
            elif value is not None and str(value).strip():
                words[part.role] = one_line(value.strip()) if isinstance(value, str) else value
        if self.spec.benchmark and not words.get("benchmark") and not words.get("name"):
            words["benchmark"] = self.spec.benchmark
        return words, faults

    def _measured(
        self, captured: Mapping[str, Any], words: Mapping[str, Any], told: Mapping[str, Any], faults: list[str]
    ) -> Iterator[tuple[str, float, str]]:
        for part in self.spec.parts:
            if part.role not in ("measure", "value") or captured.get(part.source) is None:
                continue
            metric, unit = _meaning(part, words, self.spec)
            blank = [one for one in INSERTED.findall(part.name) if is_missing(told.get(one))]
            if blank:
                shown = f"nothing is told for '{printable(blank[0], 60)}' in {printable(metric, 60)}"
                faults.append(f"{printable(part.source, 60)}: {shown}; value skipped")
                continue
            if part.name:
                metric = INSERTED.sub(lambda one: one_line(str(told[one[1]]).strip()), metric)
            found = captured[part.source]
            for one in found if isinstance(found, list) else [found]:
                try:
                    value = number_of(one, unit)
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

    def _configuration(self, words: Mapping[str, Any], told: Mapping[str, Any], faults: list[str]) -> int:
        facts: dict[str, Any] = dict(self.spec.axes)
        for part in self.spec.parts:
            value = told.get(part.source) if part.role == "axis" else None
            if isinstance(value, (list, dict)):
                faults.append(f"{printable(part.source, 60)} is no single level of an axis")
            elif value is not None and str(value).strip():
                facts[part.name] = level_of(value)
        if words.get("run") is not None:
            facts["run"] = str(words["run"])
        if words.get("benchmark") is not None and not str(words["benchmark"]).startswith("Benchmark"):
            facts["benchmark"] = str(words["benchmark"])
        key = tuple(facts.items())
        number = self._numbers.setdefault(key, len(self.configurations))
        if number == len(self.configurations):
            self.configurations.append(facts)
        return number


_NO_WORDS = frozenset({"axis", "measure", "value", "insert"}) | FAILING
_EMPTY = Outcome(1.0, "it gave no value")


def _meaning(part: Part, words: Mapping[str, Any], spec: FormatSpec) -> tuple[str, str]:
    if part.role == "measure":
        return part.name, part.unit
    return str(words.get("metric", spec.metric)), str(words.get("unit", spec.unit))
