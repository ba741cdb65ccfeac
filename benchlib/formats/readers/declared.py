"""The reader of declared formats: told by ``[[formats]]`` of a ``study.toml``, or by a shipped spec."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from benchlib.errors import choices, printable
from benchlib.formats import json_text
from benchlib.formats.declaration import FormatSpec, RecordPath, Step, record_path
from benchlib.formats.ledger import Ledger
from benchlib.formats.pattern import LONGEST_LINE
from benchlib.formats.readers.csv_table import cells_of
from benchlib.formats.readers.declared_rows import DeclaredRows
from benchlib.formats.reading import Certainty, Reading, TextFile
from benchlib.results import Series

__all__ = ["DeclaredFormat"]

#: Seconds that the patterns of a format may take over one file.
SECONDS = 60.0


class DeclaredFormat:
    """A reader made from a spec.

    Parameters
    ----------
    spec : FormatSpec

    Examples
    --------
    >>> from benchlib.formats.declaration import spec_of
    >>> spec = spec_of({"name": "log", "files": ["*.log"], "kind": "lines", "unit": "ms",
    ...                 "pattern": "^(?P<benchmark>[a-z]+): (?P<value>[0-9.]+)$", "metric": "time"})
    >>> reading = DeclaredFormat(spec).read(TextFile("a.log", ["starting", "encode: 1.5"]))
    >>> reading.rows.value, reading.lines.data, reading.lines.noise
    ([1.5], 1, 1)
    """

    contains = frozenset[str]()

    def __init__(self, spec: FormatSpec) -> None:
        self.spec = spec
        self.name = spec.name
        self.files = ", ".join(spec.files)
        texts = " and ".join(repr(one) for one in spec.recognise)
        self.rule = f"holds {texts}" if texts else f"named {self.files}"
        self.yields = spec.yields
        self.limits = spec.limits

    def claims(self, source: str) -> bool:
        """Whether a file is of this format by its path or name."""
        return self.spec.claims(source)

    def recognise(self, head: TextFile) -> Certainty:
        """Be certain where every text of the spec stands in the head."""
        if not self.spec.recognise:
            return "no"
        return "certain" if all(one in head.text for one in self.spec.recognise) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read a whole file as the spec says."""
        readers = {"records": _records, "lines": _lines, "table": _table}
        reading = readers[self.spec.kind](self.spec, file)
        if self.spec.closed_loop and len(reading.rows):
            told = Series(kind="closed-loop", name=self.name, source=file.source, line=1, data=(self.name,))
            reading.series.append(told)
        return reading


def _lines(spec: FormatSpec, file: TextFile) -> Reading:
    found, ledger = DeclaredRows(spec), Ledger(len(file.lines))
    measured = {one.source for one in spec.parts if one.role in ("measure", "value")}
    context: dict[str, str] = {}
    end = time.monotonic() + SECONDS
    for number, line in enumerate(file.lines, 1):
        if time.monotonic() > end:
            ledger.problem(number, f"the patterns took over {SECONDS:.0f} s; the lines from here on are not read")
            ledger.refuse(range(number + 1, len(file.lines) + 1))
            break
        for one in spec.patterns:
            if len(line) > one.longest:
                if len(line) > LONGEST_LINE or one.pattern.search(line[: one.longest]):
                    shown = f"{len(line):,} characters; this pattern is tried on up to {one.longest:,}"
                    ledger.problem(number, f"{shown}; narrow its classes; line skipped")
                    break
                continue
            match = one.pattern.search(line)
            if match is None:
                continue
            captured = match.groupdict()
            if measured.isdisjoint(one.pattern.groupindex):
                context |= {key: value for key, value in captured.items() if value is not None}
                ledger.context(number)
            elif not _meant(spec, {**context, **captured}):
                ledger.context(number)
            else:
                _enter(found, ledger, captured, number, context)
            break
    return _reading(found, ledger, file)


def _table(spec: FormatSpec, file: TextFile) -> Reading:
    found, ledger = DeclaredRows(spec), Ledger(len(file.lines))
    header = list(spec.header)
    for number, line in enumerate(file.lines, 1):
        if not line.strip():
            continue
        if line.lstrip().startswith("#"):
            ledger.context(number)
            continue
        cells = line.split() if not spec.delimiter else cells_of(line, spec.delimiter)
        if cells is None:
            ledger.problem(number, "a quote is left open; close it; line skipped")
            continue
        cells = [one.strip() for one in cells]
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
        if _meant(spec, captured):
            _enter(found, ledger, captured, number, {})
        else:
            ledger.context(number)
    return _reading(found, ledger, file)


def _check_header(spec: FormatSpec, ledger: Ledger, number: int, header: list[str]) -> None:
    ledger.context(number)
    wanted = [*(one.source for one in spec.parts), *spec.only]
    missing = [one for one in dict.fromkeys(wanted) if one not in header]
    if missing:
        ledger.note(number, f"no column '{printable(missing[0], 60)}' in the header; there are {choices(header)}")
    twice = sorted(one for one, times in Counter(header).items() if times > 1 and one in wanted)
    if twice:
        ledger.note(number, f"column '{printable(twice[0], 60)}' stands twice in the header; the last is used")


def _enter(
    found: DeclaredRows, ledger: Ledger, captured: Mapping[str, Any], number: int, context: Mapping[str, Any]
) -> None:
    before = len(found.rows)
    faults = found.take(captured, number, context)
    if len(found.rows) > before:
        ledger.data(number)
        for one in faults:
            ledger.note(number, one)
    elif faults:
        ledger.problem(number, "; ".join(faults[:3]))
    else:
        ledger.context(number)


def _meant(spec: FormatSpec, captured: Mapping[str, Any]) -> bool:
    return all(_word(captured.get(part)) == text for part, text in spec.only.items())


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _reading(found: DeclaredRows, ledger: Ledger, file: TextFile) -> Reading:
    if not len(found.rows) and not ledger.problems:
        ledger.note(0, f"nothing in {len(file.lines)} lines is as the format '{printable(found.spec.name, 40)}' says")
    return Reading(
        rows=found.rows, configurations=found.configurations, problems=ledger.problems, lines=ledger.counts()
    )


def _records(spec: FormatSpec, file: TextFile) -> Reading:
    """Read objects of one document, or of one document a line."""
    found = DeclaredRows(spec)
    filled = [(number, line) for number, line in enumerate(file.lines, 1) if line.strip()]
    if len(filled) > 1 and all(line.lstrip()[0] == "{" and line.rstrip()[-1] == "}" for _, line in filled[:2]):
        documents = [json_text.parse_text(line, number) for number, line in filled]
    else:
        documents = [json_text.parse(file)]
    entries: list[tuple[int, list[Any] | None]] = []
    told: list[tuple[int, str]] = []
    for one in documents:
        if not one.parsed:
            # The line of the fault, which may lie within the document.
            entries.append((one.problems[0][0], None))
            continue
        told += one.problems
        # A list at the top is meant entry by entry.
        path = spec.records or ((Step("", "list", ""),) if isinstance(one.root, list) else ())
        scopes = list(_walk(one.root, path, []))
        lines = one.lines(_plain(path)) if _plain(path) else []
        same = len(lines) == len(scopes)
        entries += [(lines[n] if same else one.first_line, scope) for n, scope in enumerate(scopes)]
    faulty = [one.problems[0][1] for one in documents if not one.parsed][::-1]
    records = json_text.Records([line for line, _ in entries])
    records.whole(told)
    for number, (line, scope) in enumerate(entries):
        if scope is None:
            records.problem(number, faulty.pop())
            continue
        captured = {one.source: _lookup(scope, one.source) for one in spec.parts}
        kept = {part: _lookup(scope, part) for part in spec.only}
        if not _meant(spec, kept):
            records.context(number)
            continue
        before = len(found.rows)
        faults = found.take(captured, line, {})
        if len(found.rows) > before:
            records.data(number)
            for fault in faults:
                records.note(number, fault)
        elif faults:
            records.problem(number, "; ".join(faults[:3]))
        else:
            records.context(number)
    if not len(found.rows) and not records.problems:
        records.whole([(0, f"no record is as the format '{printable(spec.name, 40)}' says")])
    return Reading(
        rows=found.rows, configurations=found.configurations, problems=records.problems, lines=records.counts()
    )


def _walk(value: Any, path: RecordPath, scopes: list[Any]) -> Iterator[list[Any]]:
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
        for one in inner if isinstance(inner, list) else []:
            yield from _walk(one, rest, scopes)
    elif step.into == "object":
        for key, one in inner.items() if isinstance(inner, dict) else []:
            yield from _walk(one, rest, [*scopes, {step.name: key}])
    else:
        yield from _walk(inner, rest, scopes)


def _lookup(scopes: list[Any], source: str) -> Any:
    """Return what stands at a path of the record, or of the nearest thing around it."""
    path = record_path(source)
    for scope in reversed(scopes):
        found = _at(scope, path)
        if found is not None:
            return found
    return None


def _at(value: Any, path: RecordPath) -> Any:
    for number, step in enumerate(path):
        if step.key:
            value = value.get(step.key) if isinstance(value, dict) else None
        if step.into:
            rest = path[number + 1 :]
            entries = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
            return [found for found in (_at(one, rest) for one in entries) if found is not None] or None
        if value is None:
            return None
    return value


def _plain(path: RecordPath) -> str:
    """Write a path as `json_text` does, or an empty text where it cannot tell lines."""
    if any(one.into == "object" or "." in one.key for one in path):
        return ""
    return ".".join(f"{one.key}{'[]' if one.into else ''}" for one in path)
