"""``[[formats]]``: raw formats that a study declares itself, checked key by key.

What a format can say is told in `benchlib.formats.declaration`; here each mistake gets its line.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from benchlib.errors import DataError, StudyError, choices, printable
from benchlib.formats import registry
from benchlib.formats.declared import INSERTED, KINDS, PARTS, FormatSpec, Kind, part_of, record_path, spec_of
from benchlib.formats.pattern import bind_pattern
from benchlib.metrics import misfit, never_negative
from benchlib.results import SCHEMA
from benchlib.study.lines import KeyPath
from benchlib.study.section import Section

__all__ = ["read_formats"]

_COMMON = ("name", "files", "kind", "metric", "unit", "benchmark", "axes", "only", "closed_loop")
_OWN: dict[Kind, tuple[str, ...]] = {
    "lines": ("pattern", "groups", "start", "must_read", "complete"),
    "table": ("columns", "delimiter", "header", "needs"),
    "records": ("fields", "records", "start", "needs"),
}


def read_formats(top: Section) -> tuple[FormatSpec, ...]:
    """Read every ``[[formats]]``.

    Raises
    ------
    StudyError
        For a key, type, pattern, path or part that cannot mean anything, with its line.
    """
    found: list[FormatSpec] = []
    for one in top.sections("formats"):
        spec = _read(one)
        if spec.name in registry.names():
            shown = f"'name' {one.label}: '{printable(spec.name, 60)}' is the name of another format"
            raise one.error("name", f"{shown} (benchlib formats lists them); rename it")
        if any(spec.name == other.name for other in found):
            raise one.error("name", f"'name' {one.label}: '{printable(spec.name, 60)}' is declared twice; rename one")
        found.append(spec)
    return tuple(found)


def _read(table: Section) -> FormatSpec:
    kind = table.choice("kind", KINDS, "lines")
    if "kind" not in table.values:
        raise table.error(None, f"'kind' {table.label} is missing; write one of {choices(KINDS)}")
    table.only(*_COMMON, *_OWN[kind])
    table.required("name", '"my-runner"')
    files = table.texts("files")
    if not files:
        raise table.error(
            "files" if "files" in table.values else None, f"'files' {table.label} is missing; write files = [\"*.log\"]"
        )
    for number, one in enumerate(files):
        if one.startswith(("/", "~")) or ".." in PurePosixPath(one).parts:
            message = f"'{printable(one, 60)}' leaves the study folder; write it relative to study.toml, without '..'"
            raise table.document.error((*table.path, "files", number), f"'files' {table.label}: {message}")
    for key in ("metric", "unit", "benchmark", "delimiter"):
        table.text(key)
    table.flag("closed_loop", False)
    _check_axes(table)
    _check_only(table)
    _check_kind(table, kind)
    values = {**table.values, "files": files}
    try:
        spec = spec_of(values)
    except DataError as error:
        raise table.error(None, f"{table.label.removeprefix('in ')}: {error}") from error
    measured = [one for one in spec.parts if one.role in ("measure", "value")]
    if not measured:
        raise table.error(
            PARTS[kind] if PARTS[kind] in table.values else None,
            f"{table.label.removeprefix('in ')} measures nothing; {_EXAMPLE[kind]}",
        )
    told = any(one.role in ("metric", "unit") for one in spec.parts) or spec.metric or spec.unit
    if any(one.role == "value" for one in measured) and not told:
        raise table.error(
            None,
            f"{table.label.removeprefix('in ')} does not say what its value is; "
            'write metric = "time" and unit = "ms", or capture them',
        )
    _check_units(table, spec)
    return spec


def _check_units(table: Section, spec: FormatSpec) -> None:
    """Refuse a unit that is none of its metric, and a time or size without one, where both are written here."""
    for one in spec.parts:
        if one.role == "measure" and (wrong := _wrong_unit(one.name, one.unit)):
            place = f"'{printable(one.source, 60)}' in [{_place(table, PARTS[spec.kind])}]"
            raise table.document.error((*table.path, PARTS[spec.kind], one.source), f"{place}: {wrong}")
    roles = {one.role for one in spec.parts}
    if "value" in roles and "metric" not in roles and (spec.unit or "unit" not in roles):
        wrong = _wrong_unit(spec.metric, spec.unit)
        if wrong:
            key = "unit" if "unit" in table.values else "metric"
            raise table.error(key, f"'{key}' {table.label}: {wrong}")


def _wrong_unit(metric: str, unit: str) -> str:
    wrong = misfit(metric, "s" if unit == "duration" else unit)
    if wrong:
        return f"{wrong}; write one of its units"
    if not unit and (kind := never_negative(metric, "")) in ("time", "size"):
        example = "ms" if kind == "time" else "MB"
        return f'{printable(metric, 40)} has no unit; write the one that the tool means, e.g. unit = "{example}"'
    return ""


_EXAMPLE: dict[Kind, str] = {
    "lines": "name a group of the pattern value: (?P<value>[0-9.]+)",
    "table": 'map a column: columns = { time_ms = { metric = "time", unit = "ms" } }',
    "records": 'map a field: fields = { "stats.mean" = { metric = "time", unit = "s" } }',
}


def _check_kind(table: Section, kind: Kind) -> None:
    for source, meaning in _parts(table, PARTS[kind]):
        try:
            part_of(source, meaning)
            if kind == "records":
                record_path(source)
        except DataError as error:
            message = f"'{printable(source, 60)}' in [{_place(table, PARTS[kind])}]: {error}"
            raise table.document.error((*table.path, PARTS[kind], source), message) from error
        _check_axis(table, (PARTS[kind], source), meaning.get("axis") if isinstance(meaning, dict) else None)
    if kind != "lines":
        _check_needs(table, kind)
    if kind != "table":
        _check_start(table)
    if kind == "lines":
        _check_patterns(table)
        _check_complete(table)
    if kind == "table":
        _check_header(table, table.texts("header"))
        delimiter = table.text("delimiter", ",")
        if delimiter != "blanks" and len(delimiter) != 1:
            raise table.wrong("delimiter", 'one character, or "blanks" for any run of blanks')
    if kind == "records":
        try:
            record_path(table.text("records"))
        except DataError as error:
            raise table.error("records", f"'records' {table.label}: {error}") from error


def _check_header(table: Section, header: tuple[str, ...]) -> None:
    """Refuse a column that a header written here does not have."""
    named: list[tuple[KeyPath, str]] = [(("needs", number), one) for number, one in enumerate(table.texts("needs"))]
    mapped: list[tuple[KeyPath, str]] = [
        ((key, one), one) for key in ("columns", "only") for one in table.section(key).values
    ]
    for path, one in [*mapped, *named]:
        if header and one not in header:
            message = f"'header' has no column '{printable(one, 60)}'; there are {choices(header)}"
            raise table.document.error((*table.path, *path), f"'{path[0]}' {table.label}: {message}")


def _check_needs(table: Section, kind: Kind) -> None:
    for number, one in enumerate(table.texts("needs")):
        try:
            if kind == "records":
                record_path(one)
        except DataError as error:
            raise table.document.error((*table.path, "needs", number), f"'needs' {table.label}: {error}") from error


def _check_start(table: Section) -> None:
    """Check the patterns that only ask whether a line is of a kind: nothing is captured by them."""
    table.text("start")
    for key, path, text in [
        ("start", ("start",), table.values.get("start")),
        *(("must_read", ("must_read", number), one) for number, one in enumerate(table.texts("must_read"))),
    ]:
        if not text:
            continue
        try:
            groups = bind_pattern(text).pattern.groupindex
        except DataError as error:
            raise table.document.error((*table.path, *path), f"'{key}' {table.label}: {error}") from error
        if groups:
            message = f"nothing is captured here, '{next(iter(groups))}' among it; capture it in 'pattern'"
            raise table.document.error((*table.path, *path), f"'{key}' {table.label}: {message}")


def _check_complete(table: Section) -> None:
    """Check the pairs of patterns of which the second must follow the first."""
    section = table.section("complete")
    for first in section.values:
        for one in (first, section.text(first)):
            try:
                bind_pattern(one)
            except DataError as error:
                path = (*table.path, "complete", str(first))
                raise table.document.error(path, f"'complete' {table.label}: {error}") from error


def _check_patterns(table: Section) -> None:
    written = table.values.get("pattern")
    patterns = table.texts("pattern") if isinstance(written, list) else (table.required("pattern", "'^(?P<value>…)'"),)
    groups: set[str] = set()
    for number, one in enumerate(patterns):
        try:
            groups |= set(bind_pattern(one).pattern.groupindex)
        except DataError as error:
            path = (*table.path, "pattern", number) if isinstance(written, list) else (*table.path, "pattern")
            raise table.document.error(path, f"'pattern' {table.label}: {error}") from error
        except StudyError as error:
            raise table.error("pattern", str(error)) from error
    for name in groups:
        if name in SCHEMA and name not in _CAPTURED:
            raise table.error(
                "pattern",
                f"'pattern' {table.label}: the group '{name}' has the name of a column of measurements; rename it",
            )
    for source, meaning in _parts(table, "groups"):
        inserted = INSERTED.findall(meaning.get("metric", "")) if isinstance(meaning, dict) else []
        for missing in [one for one in inserted if one not in groups]:
            message = f"no pattern has the group '{printable(missing, 60)}'; there are {choices(sorted(groups))}"
            raise table.document.error((*table.path, "groups", source), message)
        if source not in groups:
            path = (*table.path, "groups", source)
            message = f"no pattern has the group '{printable(source, 60)}'; there are {choices(sorted(groups))}"
            raise table.document.error(path, message)


#: Columns of measurements that a group may fill.
_CAPTURED = frozenset({"name", "benchmark", "run", "value", "metric", "unit", "iterations", "errors"})


def _parts(table: Section, key: str) -> Iterator[tuple[str, Any]]:
    yield from table.section(key).values.items()


def _place(table: Section, key: str) -> str:
    return ".".join([*(str(one) for one in table.path if isinstance(one, str)), key])


def _check_axes(table: Section) -> None:
    for name, level in table.section("axes").values.items():
        if isinstance(level, bool) or not isinstance(level, (str, int, float)):
            raise table.section("axes").wrong(name, "a text or a number")
        _check_axis(table, ("axes", name), name)


def _check_axis(table: Section, path: tuple[str, str], name: object) -> None:
    if isinstance(name, str) and name in SCHEMA:
        raise table.document.error(
            (*table.path, *path), f"'{name}' is a column of measurements; name the axis otherwise"
        )


def _check_only(table: Section) -> None:
    for name in table.section("only").values:
        table.section("only").text(name)
