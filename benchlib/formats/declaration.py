"""A format told in words instead of code: what `[[formats]]` of a ``study.toml`` says.

Three kinds: ``lines`` (a regular expression a line), ``table`` (columns of a separated table) and
``records`` (objects in a JSON document, or one a line). In each, a *part* (a named group, a column,
a path) is mapped to what it means.
"""

from __future__ import annotations

import fnmatch
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import PurePosixPath
from typing import Any, Literal, get_args

from benchlib.errors import DataError, printable
from benchlib.formats.pattern import SafePattern, bind_pattern

__all__ = [
    "FAILING", "INSERTED", "KINDS", "PARTS", "ROLES", "FormatSpec", "Kind", "Part", "RecordPath", "Role", "Step",
    "claimed", "part_of", "record_path", "shipped_specs", "spec_of",
]  # fmt: skip

Kind = Literal["lines", "table", "records"]
KINDS: tuple[Kind, ...] = get_args(Kind)

Role = Literal[
    "benchmark", "name", "run", "value", "metric", "unit", "iterations", "errors", "success", "failure", "requested",
    "axis", "measure", "insert",
]  # fmt: skip
#: The words that a part may be mapped to; ``axis`` and ``measure`` are written as tables, and ``insert``
#: is what the name of a metric holds in braces.
ROLES: tuple[Role, ...] = (
    "benchmark", "name", "run", "value", "metric", "unit", "iterations", "errors", "success", "failure", "requested",
)  # fmt: skip
#: The roles that say whether a result is one at all.
FAILING = frozenset[Role]({"errors", "success", "failure", "requested"})

#: Another part within the name of a metric: ``latency_p{share}``.
INSERTED = re.compile(r"\{([^{}]+)\}")

#: The key of ``[[formats]]`` that maps the parts, by kind.
PARTS: dict[Kind, str] = {"lines": "groups", "table": "columns", "records": "fields"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
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
    role: Role
    name: str
    unit: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: a key, then into each entry of what stands there.

    ``into`` is ``"list"``, ``"object"`` or empty; ``name`` is what an object's keys are called.
    """

    key: str
    into: Literal["", "list", "object"]
    name: str


RecordPath = tuple[Step, ...]


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
    records: RecordPath
    parts: tuple[Part, ...]
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


def claimed(files: Iterable[str], source: str) -> bool:
    """Say whether one of some globs matches a relative path, or the name of a file.

    Examples
    --------
    >>> claimed(["*.log"], "runs/a.log"), claimed(["runs/*"], "runs/a.log"), claimed(["*.txt"], "runs/a.log")
    (True, True, False)
    """
    name = PurePosixPath(source).name
    return any(fnmatch.fnmatchcase(one, glob) for glob in files for one in (source, name))


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def part_of(source: str, meaning: Any) -> Part:
    """Return what a part means: a word of `ROLES`, ``{metric, unit}`` or ``{axis}``.

    Raises
    ------
    DataError
        Saying what is wrong, without the place.

    Examples
    --------
    >>> part_of("time_ms", {"metric": "time", "unit": "ms/op"}).role
    'measure'
    """
    if isinstance(meaning, str):
        if meaning not in ROLES:
            listed = ", ".join(ROLES)
            raise DataError(
                f"'{printable(meaning, 40)}' is no meaning of a part; "
                f'write {{ metric = "time", unit = "ms" }}, {{ axis = "workers" }}, or one of {listed}'
            )
        return Part(source=source, role=next(one for one in ROLES if one == meaning), name="", unit="")
    if not isinstance(meaning, dict) or not all(isinstance(one, str) for one in meaning.values()):
        raise DataError('must be a word or a table of texts, e.g. { metric = "time", unit = "ms" }')
    keys = set(meaning)
    if keys == {"axis"} and meaning["axis"]:
        return Part(source=source, role="axis", name=meaning["axis"], unit="")
    if "metric" in keys and keys <= {"metric", "unit"} and meaning["metric"]:
        return Part(source=source, role="measure", name=meaning["metric"], unit=meaning.get("unit", ""))
    if keys == {"unit"}:
        return Part(source=source, role="measure", name="", unit=meaning["unit"])
    raise DataError(
        'must hold metric and unit, or axis: { metric = "time", unit = "ms" } or { axis = "workers" }; '
        f"found {', '.join(printable(one, 40) for one in meaning) or 'nothing'}"
    )


_STEP = re.compile(r'(?:"(?P<quoted>[^"]*)"|(?P<bare>[^."\[\]{}]+))?(?P<into>\[\]|\{(?P<name>[A-Za-z_]\w*)\})?')


@lru_cache(maxsize=1024)
def record_path(text: str) -> RecordPath:
    """Cut a path into steps.

    ``results[].runs[]`` goes into each entry of two lists; ``benchmarks{benchmark}`` into each entry of
    an object, whose keys become the part ``benchmark``; quotes hold a key with dots: ``latency."99.9"``.

    Raises
    ------
    DataError
        If it is no path.

    Examples
    --------
    >>> record_path("results[].mean")
    (Step(key='results', into='list', name=''), Step(key='mean', into='', name=''))
    """
    steps: list[Step] = []
    at = 0
    while at < len(text):
        if steps and text[at] == ".":
            at += 1
        elif steps and text[at] not in "[{":
            break
        found = _STEP.match(text, at)
        if found is None or found.end() == at:
            break
        into: Literal["", "list", "object"] = "" if not found["into"] else "object" if found["name"] else "list"
        steps.append(Step(found["quoted"] or found["bare"] or "", into, found["name"] or ""))
        at = found.end()
    if at < len(text) or text.endswith("."):
        raise DataError(
            f"'{printable(text, 60)}' is no path; write it like results[].runs[] or benchmarks{{benchmark}}.stats"
        )
    return tuple(steps)


#: Names of groups and object keys that mean what they say.
_SELF_TOLD = frozenset(ROLES)


def _told(values: Mapping[str, Any], kind: Kind, patterns: tuple[SafePattern, ...], records: RecordPath) -> list[Part]:
    mapped = [part_of(source, meaning) for source, meaning in values.get(PARTS[kind], {}).items()]
    known = {one.source for one in mapped}
    inserted = [name for one in mapped if one.role == "measure" for name in INSERTED.findall(one.name)]
    mapped += [Part(source=one, role="insert", name="", unit="") for one in dict.fromkeys(inserted) if one not in known]
    known |= set(inserted)
    captured = [group for one in patterns for group in one.pattern.groupindex]
    captured += [one.name for one in records if one.name]
    for name in dict.fromkeys(captured):
        if name not in known:
            mapped.append(part_of(name, name if name in _SELF_TOLD else {"axis": name}))
    return mapped


def spec_of(values: Mapping[str, Any]) -> FormatSpec:
    r"""Return the format that a table of TOML declares; keys and types are as they should be.

    Raises
    ------
    DataError
        For a pattern, a path or a part that cannot mean anything.

    Examples
    --------
    >>> spec = spec_of({"name": "log", "files": ["*.log"], "kind": "lines",
    ...                 "pattern": r"^(?P<benchmark>\w+): (?P<value>[0-9.]+) ms$", "metric": "time", "unit": "ms"})
    >>> [(one.source, one.role) for one in spec.parts]
    [('benchmark', 'benchmark'), ('value', 'value')]
    """
    kind = next(one for one in KINDS if one == values["kind"])
    written = values.get("pattern", [])
    patterns = tuple(bind_pattern(one) for one in ([written] if isinstance(written, str) else written))
    start = bind_pattern(values["start"]) if values.get("start") else None
    records = record_path(values.get("records", ""))
    parts = tuple(_told(values, kind, patterns, records))
    if kind == "records":
        for source in [*(one.source for one in parts), *values.get("only", {}), *values.get("needs", ())]:
            record_path(source)
    return FormatSpec(
        name=values["name"],
        files=tuple(values.get("files", ())),
        recognise=tuple(values.get("recognise", ())),
        kind=kind,
        patterns=patterns,
        start=start,
        must_read=tuple(bind_pattern(one) for one in values.get("must_read", ())),
        complete=tuple((bind_pattern(one), bind_pattern(then)) for one, then in values.get("complete", {}).items()),
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


@lru_cache(maxsize=1)
def shipped_specs() -> tuple[FormatSpec, ...]:
    """Return the formats declared in ``benchlib/formats/specs``, by name."""
    return tuple(_shipped())


def _shipped() -> Iterator[FormatSpec]:
    folder = resources.files("benchlib.formats") / "specs"
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        if file.name.endswith(".toml"):
            yield spec_of(tomllib.loads(file.read_text(encoding="utf-8")))
