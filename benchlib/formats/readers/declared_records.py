"""The kind ``records`` of declared formats: objects in JSON, found by their paths."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from benchlib.errors import printable
from benchlib.formats import json_text
from benchlib.formats.declaration import FAILING, FormatSpec, RecordPath, Step, record_path
from benchlib.formats.ledger import Records
from benchlib.formats.readers.declared_paths import dead_end
from benchlib.formats.readers.declared_rows import DeclaredRows
from benchlib.formats.reading import TextFile

__all__ = ["read_records"]


def read_records(spec: FormatSpec, file: TextFile) -> tuple[DeclaredRows, Records]:
    """Read objects of one document, of one document a line, or of one after the other."""
    found = DeclaredRows(spec)
    documents = _documents(spec, file)
    #: Line, what the record stands in, and whether it stands for a document without records.
    entries: list[tuple[int, list[Any] | None, bool]] = []
    told: list[tuple[int, str]] = []
    for one in documents:
        if not one.parsed:
            # The line of the fault, which may lie within the document.
            entries.append((one.problems[0][0], None, False))
            continue
        told += one.problems
        # A list at the top is meant entry by entry.
        path = spec.records or ((Step("", "list", ""),) if isinstance(one.root, list) else ())
        scopes = list(_walk(one.root, path, []))
        lines = one.lines(_plain(path)) if _plain(path) else []
        same = len(lines) == len(scopes)
        entries += [(lines[n] if same else one.first_line, scope, False) for n, scope in enumerate(scopes)]
        if not scopes and (spec.start is not None or found.outcome(_captured(spec, [one.root])).failed):
            # It may say why there is nothing.
            entries.append((one.first_line, [one.root], True))
    if spec.files and documents and not entries:
        lost = dead_end([one.root for one in documents], spec.records)
        shown = f"'records' of the format '{printable(spec.name, 40)}': {lost}"
        told += [(documents[0].first_line, shown)] if lost else []
    faulty = [one.problems[0][1] for one in documents if not one.parsed][::-1]
    records = Records([line for line, _, _ in entries])
    records.whole(told)
    records.whole(_missing(spec, [(line, scope) for line, scope, empty in entries if scope is not None and not empty]))
    for number, (line, scope, empty) in enumerate(entries):
        if scope is None:
            records.problem(number, faulty.pop())
        elif empty:
            found.enter_empty(records, number, _captured(spec, scope), line)
        elif spec.means({part: _lookup(scope, part) for part in spec.only}):
            found.enter(records, number, _captured(spec, scope), line, {})
        else:
            records.context(number)
    return found, records


#: What a part may stand for that sound records have, each of them or none.
_OPTIONAL = FAILING | {"iterations", "insert"}


def _missing(spec: FormatSpec, entries: list[tuple[int, list[Any]]]) -> Iterator[tuple[int, str]]:
    """Tell which paths that a study declares are in no record: one misspelt would be missed in silence."""
    if not spec.files or not entries:
        return
    wanted = [one.source for one in spec.parts if one.role not in _OPTIONAL]
    for source in dict.fromkeys([*wanted, *spec.only, *spec.needs]):
        path = record_path(source)
        scopes = [scope for _, scope in entries]
        if not any(dead_end([one], path) == "" for scope in scopes for one in scope):
            lost = dead_end([scope[-1] for scope in scopes], path)
            yield entries[0][0], f"no record has '{printable(source, 60)}': {lost.replace('at the top', 'in a record')}"


def _documents(spec: FormatSpec, file: TextFile) -> list[json_text.Document]:
    if spec.start is not None:
        starts = [number for number, line in enumerate(file.lines) if spec.start.begins(line)]
        cuts = [0, *(one for one in starts if one), len(file.lines)]
        texts = [(first + 1, "\n".join(file.lines[first:last])) for first, last in pairwise(cuts)]
        return [json_text.parse_text(text, line) for line, text in texts if text.strip()]
    filled = [(number, line) for number, line in enumerate(file.lines, 1) if line.strip()]
    if len(filled) > 1 and all(line.lstrip()[0] == "{" and line.rstrip()[-1] == "}" for _, line in filled[:2]):
        return [json_text.parse_text(line, number) for number, line in filled]
    return [json_text.parse(file)]


def _captured(spec: FormatSpec, scopes: list[Any]) -> dict[str, Any]:
    return {one: _lookup(scopes, one) for one in (*(part.source for part in spec.parts), *spec.needs)}


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
    """Write a path as `json_paths` does, or an empty text where it cannot tell lines."""
    if any(one.into == "object" or "." in one.key for one in path):
        return ""
    return ".".join(f"{one.key}{'[]' if one.into else ''}" for one in path)
