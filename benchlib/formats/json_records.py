"""JSON of one's own whose records lie below others: lists of objects, or objects by name, at any depth.

`json-rows` reads a list of flat objects. Here each innermost list of objects that names a metric is one, its nested
objects are taken apart, and what stands above a record holds for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchlib.errors import printable
from benchlib.formats.cells import is_number
from benchlib.formats.headers import is_setting, metric_of, names_metric
from benchlib.formats.json_text import Document, outline, parse, unreadable
from benchlib.formats.reader import Certainty, Format, Reading, Records, TextFile, _one_line
from benchlib.formats.tables import _json_cell, _read_records

#: Deeper documents are trees of something else.
_DEEPEST = 6
#: The column of the key that parts two lists of one document, or names the entries of an object.
_LIST, _KEY = "list", "benchmark"
#: What says which of several columns that mean the same is kept.
_NAMES = ("benchmark", "name", "slug", "title", "id")


@dataclass(slots=True)
class _Record:
    """One innermost object: the path of its list, its own leaves by their keys, and those of the objects above."""

    path: str
    own: dict[tuple[str, ...], Any]
    above: dict[tuple[str, ...], Any]
    nested: list[str] = field(default_factory=list)


def _records_of(root: object) -> list[_Record]:
    """Return the records of a document that name a metric of which a number is told."""
    records = list(_walk(root, "", {}, 0))
    measured = {record.path for record in records if any(map(_is_measure, record.own.items()))}
    return [record for record in records if record.path in measured]


def _is_measure(leaf: tuple[tuple[str, ...], Any]) -> bool:
    keys, value = leaf
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and (names_metric(keys[-1]) or metric_of(keys[-1]) is not None)


def _walk(node: object, path: str, above: Mapping[tuple[str, ...], Any], depth: int) -> Iterator[_Record]:
    """Yield the innermost objects of lists, and of objects by name."""
    if depth > _DEEPEST:
        return
    if isinstance(node, list):
        for entry in node:
            if isinstance(entry, dict):
                yield from _walk_object(entry, f"{path}[]", above, depth + 1)
    elif isinstance(node, dict) and _is_by_name(node):
        for key, entry in node.items():
            yield from _walk_object(entry, f"{path}{{}}", {**above, (_KEY,): key}, depth + 1)
    elif isinstance(node, dict):
        yield from _walk_object(node, path, above, depth + 1)


def _walk_object(
    node: Mapping[str, Any], path: str, above: Mapping[tuple[str, ...], Any], depth: int
) -> Iterator[_Record]:
    inner = {key: value for key, value in node.items() if _holds_objects(value)}
    own: dict[tuple[str, ...], Any] = {}
    nested: list[str] = []
    for key, value in node.items():
        if key not in inner:
            _flatten((key,), value, own, nested)
    if not inner and path:
        yield _Record(path, own, dict(above), nested)
    for key, value in inner.items():
        yield from _walk(value, f"{path}.{key}" if path else key, {**above, **own}, depth)


def _holds_objects(value: object) -> bool:
    return (isinstance(value, list) and any(isinstance(entry, dict) for entry in value)) or _is_by_name(value)


def _is_by_name(value: object) -> bool:
    """Whether an object is a list by name: several objects of the same keys, which measure something."""
    entries = list(value.values()) if isinstance(value, dict) else []
    if len(entries) < 2 or not all(isinstance(entry, dict) and entry for entry in entries):
        return False
    return len({frozenset(entry) for entry in entries}) == 1 and any(map(names_metric, entries[0]))


def _flatten(keys: tuple[str, ...], value: object, leaves: dict[tuple[str, ...], Any], nested: list[str]) -> None:
    if isinstance(value, dict):
        for key, inner in value.items() if len(keys) <= _DEEPEST else ():
            _flatten((*keys, key), inner, leaves, nested)
    elif isinstance(value, list):
        nested.append(keys[-1])
    else:
        leaves[keys] = value


def _named(paths: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """Return a column for each path of keys: its last key, or all of them where others end so too."""
    ends = Counter(keys[-1] for keys in paths)
    return {keys: _one_line(keys[-1] if ends[keys[-1]] == 1 else "_".join(keys)) for keys in paths}


def _settings(records: Sequence[_Record]) -> list[tuple[str, ...]]:
    """Return what stands above records and parts them: no measure of their own, and no two that say the same."""
    own = {keys for record in records for keys in record.own}
    columns: dict[tuple[Any, ...], tuple[str, ...]] = {}
    for keys in dict.fromkeys(keys for record in records for keys in record.above):
        values = [record.above.get(keys) for record in records]
        # A number above the records is a setting by its name, or is of all of them together.
        number = any(is_number(_json_cell(value)) for value in values if value is not None)
        if keys in own or (number and not is_setting(keys[-1])) or len(set(map(repr, values))) < 2:
            continue
        numbers: dict[str, int] = {}
        parted = tuple(numbers.setdefault(repr(value), len(numbers)) for value in values)
        known = columns.get(parted)
        if known is None or _rank(keys) < _rank(known):
            columns[parted] = keys
    return list(columns.values())


def _rank(keys: tuple[str, ...]) -> int:
    return _NAMES.index(keys[-1]) if keys[-1] in _NAMES else len(_NAMES)


def _is_json_records(head: TextFile) -> Certainty:
    """Judge it possible where a list below the top, or an object in a list, names a metric."""
    if head.first.lstrip()[:1] not in ("{", "["):
        return "no"
    paths = [path for path in outline(head, _DEEPEST) if "[]." in path or path.count(".") > 1]
    return "possible" if any(names_metric(path.rpartition(".")[2]) for path in paths) else "no"


def _read_json_records(file: TextFile) -> Reading:
    """Read each innermost record as a row of one table."""
    document = parse(file)
    if not document.parsed:
        return unreadable(document)
    records = _records_of(document.root)
    lists = {record.path for record in records}
    ledger = Records(_lines(document, records))
    ledger.whole(document.problems)
    if not records:
        ledger.whole([(document.first_line, "no list of objects in it has a number whose key names a metric")])
        return _read_records(file.source, [], ledger, header_is_line=False)
    settings = _settings(records)
    own = list(dict.fromkeys(keys for record in records for keys in record.own))
    names = _named([*settings, *own])
    parted = [_LIST] if len(lists) > 1 else []
    rows: list[tuple[int, list[str] | None]] = [(0, [*parted, *(names[keys] for keys in (*settings, *own))])]
    for number, record in enumerate(records):
        cells = [_json_cell(record.above.get(keys)) for keys in settings]
        cells += [_json_cell(record.own.get(keys)) for keys in own]
        rows.append((number, [*(record.path.replace("[]", "").replace("{}", "") for _ in parted), *cells]))
    for key in dict.fromkeys(key for record in records for key in record.nested):
        message = f"'{printable(key, 60)}' is a list within a record; declare the format in [[formats]] of study.toml"
        ledger.whole([(document.first_line, f"{message}; passed over")])
    return _read_records(file.source, rows, ledger, header_is_line=False)


def _lines(document: Document, records: Sequence[_Record]) -> list[int]:
    """Return the line on which each record starts; the first one where it cannot be found."""
    counts = Counter(record.path for record in records)
    found = {path: iter(_starts(document, path, count)) for path, count in counts.items()}
    return [next(found[record.path]) for record in records]


def _starts(document: Document, path: str, count: int) -> list[int]:
    lines = [] if "{}" in path else document.lines(path)
    return lines if len(lines) == count else [document.first_line] * count


JSON_RECORDS = Format(
    name="json-records",
    rule="JSON with a list of objects below its top, or of nested ones, and a key that names a metric",
    yields="a value for each number of an innermost record whose key names a metric; what stands above it as axes",
    limits="lists of numbers within a record, and numbers above the records (declare the format in study.toml)",
    recognise=_is_json_records,
    read=_read_json_records,
)

READERS = (JSON_RECORDS,)
