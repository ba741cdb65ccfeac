"""The kind ``lines`` of declared formats: patterns, what they tell of later lines, and runs."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from benchlib.errors import printable
from benchlib.formats.declaration import FAILING, FormatSpec
from benchlib.formats.ending import at_open_end, may_be_cut, open_line
from benchlib.formats.ledger import Ledger
from benchlib.formats.pattern import LONGEST_LINE, SafePattern
from benchlib.formats.readers.declared_rows import DeclaredRows
from benchlib.formats.reading import TextFile

__all__ = ["read_lines"]

#: Seconds that the patterns of a format may take over one file, and those for each MiB of it: many times what
#: sound patterns take.
SECONDS = 20.0
SECONDS_A_MIB = 0.5


def read_lines(spec: FormatSpec, file: TextFile) -> tuple[DeclaredRows, Ledger]:
    """Read each line with the first pattern that matches it.

    What a line without a value tells holds for the lines after it; where the format says how a run
    starts, what it tells of failures holds for the whole run, and for no other.
    """
    found, ledger = DeclaredRows(spec), Ledger(len(file.lines))
    lines = _Lines(spec, file, found, ledger)
    allowed = SECONDS + SECONDS_A_MIB * len(file.text) / 2**20
    end = time.monotonic() + allowed
    for number, line in enumerate(file.lines, 1):
        if time.monotonic() > end:
            shown = f"the patterns took over {allowed:.0f} s; the lines from here on are not read"
            ledger.problem(number, f"{shown}; begin them with ^ and narrow their classes, e.g. [^ ]+ for .*")
            ledger.refuse(range(number + 1, len(file.lines) + 1))
            break
        lines.read(number, line)
    lines.end_run()
    return found, ledger


class _Lines:
    """What is known between one line and the next."""

    def __init__(self, spec: FormatSpec, file: TextFile, found: DeclaredRows, ledger: Ledger) -> None:
        self.spec, self.file, self.found, self.ledger = spec, file, found, ledger
        self.measured = frozenset(one.source for one in spec.parts if one.role in ("measure", "value"))
        self.failing = frozenset(one.source for one in spec.parts if one.role in FAILING)
        self.told_failed = frozenset(one.source for one in spec.parts if one.role == "failure")
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
        for one in self.spec.patterns:
            if len(line) > one.longest:
                if len(line) > LONGEST_LINE or one.may_match(line):
                    shown = f"{len(line):,} characters; this pattern is tried on up to {one.longest:,}"
                    self.ledger.problem(number, f"{shown}; begin it with ^ or narrow its classes; line skipped")
                    return
                continue
            match = one.pattern.search(line)
            if match is not None:
                if self.file.open_end and self._may_be_cut(number, match):
                    self.ledger.problem(number, f"{open_line(line)}; line skipped")
                else:
                    self._enter(number, one, match.groupdict())
                return
        if any(one.begins(line) for one in self.spec.must_read):
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
        values = {one: text for one, text in match.groupdict().items() if one in self.measured and text is not None}
        if at_open_end(self.file, number):
            end = len(match.string.rstrip())
            return any(
                match.end(one) == end and may_be_cut(text, [*self.before.get(one, ())]) for one, text in values.items()
            )
        for one, text in values.items():
            self.before.setdefault(one, deque(maxlen=100)).append(text)
        return False

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
        """Set the values of a run that failed apart; a run without any, or without its end, is a problem."""
        for place in range(len(self.spec.complete)):
            self._give_up(place)
        # Why a run that failed ends early is told by what failed.
        for number, message in [] if self.found.run_failed else self.cut:
            self.ledger.note(number, message)
        self.cut = []
        if self.spec.start is not None:
            self.found.end_run(self.ledger, self.began, self.context)
