"""``[[formats]]`` of ``study.toml``: raw formats that a study declares itself, each mistake with its line.

What a format can say is told in `benchlib.formats.declared`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta, field
from msgspec.structs import asdict

from benchlib.errors import choices, printable
from benchlib.formats import registry
from benchlib.formats.declared import INSERTED, PARTS, FormatSpec, Kind, part_of, record_path, spec_of
from benchlib.formats.pattern import bind_pattern
from benchlib.metrics import misfit, never_negative
from benchlib.results import SCHEMA
from benchlib.study.toml_lines import Level, Mistake, TomlTable, check_inside, mistaken, required

#: Columns of measurements that a group may fill.
_CAPTURED = frozenset({"name", "benchmark", "run", "value", "metric", "unit", "iterations", "errors"})
_EXAMPLE: dict[Kind, str] = {
    "lines": "name a group of the pattern value: (?P<value>[0-9.]+)",
    "table": 'map a column: columns = { time_ms = { metric = "time", unit = "ms" } }',
    "records": 'map a field: fields = { "stats.mean" = { metric = "time", unit = "s" } }',
}
#: What a part means: a word, or a table of texts; `part_of` reads it.
Meaning = Any
_Level = Annotated[Level, Meta(description="a text or a number")]


class _Format(TomlTable, tag_field="kind", frozen=True, kw_only=True):
    """What every kind of ``[[formats]]`` holds."""

    name: Annotated[str, required("my-runner")]
    files: Annotated[tuple[str, ...], Meta(examples=[["*.log"]], description='a list of globs, e.g. ["*.log"]')]
    metric: str = ""
    unit: str = ""
    benchmark: str = ""
    axes: dict[str, _Level] = field(default_factory=dict)
    only: dict[str, str] = field(default_factory=dict)
    closed_loop: bool = False

    @property
    def kind(self) -> Kind:
        """``lines``, ``table`` or ``records``."""
        kind: Kind = self.__struct_config__.tag  # type: ignore[assignment]
        return kind

    @property
    def parts(self) -> dict[str, Meaning]:
        """The groups, columns or fields, each with what it means."""
        parts: dict[str, Meaning] = getattr(self, PARTS[self.kind])
        return parts

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        if not self.files:
            raise Mistake(' is empty; write files = ["*.log"]', "files")
        for number, glob in enumerate(self.files):
            check_inside(glob, "files", number)
        for name in self.axes:
            _check_axis(name, "axes", name)
        key = PARTS[self.kind]
        for source, meaning in self.parts.items():
            with mistaken(key, source):
                part_of(source, meaning)
                if self.kind == "records":
                    record_path(source)
            _check_axis(meaning.get("axis") if isinstance(meaning, dict) else None, key, source)

    def spec(self) -> FormatSpec:
        """Return the format, checked as a whole."""
        with mistaken():
            spec = spec_of({"kind": self.kind, **asdict(self)})
        measured = [part for part in spec.parts if part.role in ("measure", "value")]
        if not measured:
            raise Mistake(f" measures nothing; {_EXAMPLE[self.kind]}")
        stated = any(part.role in ("metric", "unit") for part in spec.parts) or spec.metric or spec.unit
        if any(part.role == "value" for part in measured) and not stated:
            raise Mistake(' does not say what its value is; write metric = "time" and unit = "ms", or capture them')
        self._check_units(spec)
        return spec

    def _check_units(self, spec: FormatSpec) -> None:
        """Refuse a unit that is none of its metric, and a time or size without one, where both are written here."""
        for part in spec.parts:
            if part.role == "measure" and (wrong := _wrong_unit(part.name, part.unit)):
                raise Mistake(f": {wrong}", PARTS[self.kind], part.source)
        roles = {part.role for part in spec.parts}
        stated = "value" in roles and "metric" not in roles and (spec.unit or "unit" not in roles)
        if stated and (wrong := _wrong_unit(spec.metric, spec.unit)):
            raise Mistake(f": {wrong}", "unit" if spec.unit else "metric")


class LinesFormat(_Format, tag="lines", frozen=True, kw_only=True):
    """A format whose results stand in lines that patterns read."""

    pattern: Annotated[
        str | tuple[str, ...], Meta(examples=["^(?P<value>…)"], description="a pattern or a list of them")
    ]
    groups: dict[str, Meaning] = field(default_factory=dict)
    start: str = ""
    must_read: tuple[str, ...] = ()
    complete: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_patterns(self)
        _Format.__post_init__(self)
        _check_captures_nothing(self.start, "start")
        for number, pattern in enumerate(self.must_read):
            _check_captures_nothing(pattern, "must_read", number)
        for first, second in self.complete.items():
            with mistaken("complete", first):
                bind_pattern(first)
                bind_pattern(second)
        self.spec()


class TableFormat(_Format, tag="table", frozen=True, kw_only=True):
    """A format of columns."""

    columns: dict[str, Meaning] = field(default_factory=dict)
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
                raise Mistake(
                    f": 'header' has no column '{printable(column, 60)}'; there are {choices(self.header)}", *keys
                )
        if self.delimiter != "blanks" and len(self.delimiter) != 1:
            found = printable(self.delimiter, 60)
            raise Mistake(f" must be one character, or \"blanks\" for any run of blanks, found '{found}'", "delimiter")
        self.spec()


class RecordsFormat(_Format, tag="records", frozen=True, kw_only=True):
    """A format of JSON records."""

    fields: dict[str, Meaning] = field(default_factory=dict)
    records: str = ""
    start: str = ""
    needs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _Format.__post_init__(self)
        _check_captures_nothing(self.start, "start")
        with mistaken("records"):
            record_path(self.records)
        for number, path in enumerate(self.needs):
            with mistaken("needs", number):
                record_path(path)
        self.spec()


DeclaredFormat = LinesFormat | TableFormat | RecordsFormat


def check_names(formats: Sequence[DeclaredFormat]) -> None:
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


def _check_patterns(declared: LinesFormat) -> None:
    """Check the patterns that read lines, and that they have the groups that are mapped."""
    listed: Sequence[str] = [declared.pattern] if isinstance(declared.pattern, str) else declared.pattern
    if not any(pattern.strip() for pattern in listed):
        raise Mistake(" is empty; write pattern = '^(?P<value>…)'", "pattern")
    groups: set[str] = set()
    for number, pattern in enumerate(listed):
        with mistaken("pattern", number):
            groups |= set(bind_pattern(pattern).pattern.groupindex)
    for name in groups:
        if name in SCHEMA and name not in _CAPTURED:
            raise Mistake(f": the group '{name}' has the name of a column of measurements; rename it", "pattern")
    for source, meaning in declared.groups.items():
        inserted = INSERTED.findall(str(meaning.get("metric", ""))) if isinstance(meaning, dict) else []
        for name in (*inserted, source):
            if name not in groups:
                raise Mistake(
                    f": no pattern has the group '{printable(name, 60)}'; there are {choices(sorted(groups))}",
                    "groups", source,
                )  # fmt: skip
