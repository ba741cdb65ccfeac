"""The kind ``lines`` of declared formats: patterns, what they tell of later lines, and runs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from benchlib.errors import printable
from benchlib.formats.declaration import FAILING, FormatSpec
from benchlib.formats.ledger import Ledger
from benchlib.formats.pattern import LONGEST_LINE, SafePattern
from benchlib.formats.readers.declared_rows import DeclaredRows
from benchlib.formats.reading import TextFile

__all__ = ["read_lines"]

#: Seconds that the patterns of a format may take over one file.
SECONDS = 60.0


def read_lines(spec: FormatSpec, file: TextFile) -> tuple[DeclaredRows, Ledger]:
    """Read each line with the first pattern that matches it.

    What a line without a value tells holds for the lines after it; where the format says how a run
    starts, what it tells of failures holds for the whole run, and for no other.
    """
    found, ledger = DeclaredRows(spec), Ledger(len(file.lines))
    lines = _Lines(spec, found, ledger)
    end = time.monotonic() + SECONDS
    for number, line in enumerate(file.lines, 1):
        if time.monotonic() > end:
            ledger.problem(number, f"the patterns took over {SECONDS:.0f} s; the lines from here on are not read")
            ledger.refuse(range(number + 1, len(file.lines) + 1))
            break
        lines.read(number, line)
    lines.end_run()
    return found, ledger


class _Lines:
    """What is known between one line and the next."""

    def __init__(self, spec: FormatSpec, found: DeclaredRows, ledger: Ledger) -> None:
        self.spec, self.found, self.ledger = spec, found, ledger
        self.measured = frozenset(one.source for one in spec.parts if one.role in ("measure", "value"))
        self.failing = frozenset(one.source for one in spec.parts if one.role in FAILING)
        self.told_failed = frozenset(one.source for one in spec.parts if one.role == "failure")
        self.context: dict[str, str] = {}
        #: The line on which the run began; 0 for what stands before the first.
        self.began = 0

    def read(self, number: int, line: str) -> None:
        if self.spec.start is not None and self.spec.start.begins(line):
            self.end_run()
            self.context, self.began = {}, number
            self.found.begin_run()
            self.ledger.context(number)
        for one in self.spec.patterns:
            if len(line) > one.longest:
                if len(line) > LONGEST_LINE or one.begins(line):
                    shown = f"{len(line):,} characters; this pattern is tried on up to {one.longest:,}"
                    self.ledger.problem(number, f"{shown}; narrow its classes; line skipped")
                    return
                continue
            match = one.pattern.search(line)
            if match is not None:
                self._enter(number, one, match.groupdict())
                return
        if any(one.begins(line) for one in self.spec.must_read):
            name = printable(self.spec.name, 40)
            shown = f"'{printable(line.strip(), 80)}' is not as the format '{name}' says"
            self.ledger.problem(number, f"{shown}; add a pattern for it; line skipped")

    def _enter(self, number: int, one: SafePattern, captured: Mapping[str, Any]) -> None:
        groups = one.pattern.groupindex
        if not self.measured.isdisjoint(groups):
            if self.spec.means({**self.context, **captured}):
                self.found.enter(self.ledger, number, captured, number, self.context)
            else:
                self.ledger.context(number)
            return
        told = {key: value for key, value in captured.items() if value is not None}
        self.ledger.context(number)
        if self.spec.start is not None:
            for fault in self.found.blame_run({**self.context, **told}, number):
                self.ledger.problem(number, fault)
            told = {key: value for key, value in told.items() if key not in self.failing}
        elif not self.told_failed.isdisjoint(told):
            # Without runs it speaks for itself alone: of a result without a value.
            self.found.enter(self.ledger, number, captured, number, self.context)
            return
        # A new dictionary: nothing that kept the old one is changed.
        self.context = {**self.context, **told}

    def end_run(self) -> None:
        """Set the values of a run that failed apart; a run without any is a problem."""
        if self.spec.start is not None:
            self.found.end_run(self.ledger, self.began, self.context)
