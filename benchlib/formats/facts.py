"""What is known of rows that share a file, a configuration and a name: benchmark, run and axes.

Name, content and path each say something. The content wins, and a conflict is a problem that names both.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt

from benchlib.errors import InputError, choices, printable
from benchlib.formats.columns import as_number
from benchlib.formats.naming import BoundTemplate, Name, parse_name, split_name
from benchlib.formats.raw import unpacked_name
from benchlib.formats.reading import Reading
from benchlib.results import SCHEMA, Problem

__all__ = ["Facts", "ReadFile", "gather", "same_facts"]

#: Each axis is a column of every row: ten thousand of both would be a hundred million cells.
_MOST_AXES = 256
_RESERVED = frozenset(SCHEMA)
#: What go test prints of the package and the machine.
_PRINTED = ("goos", "goarch", "pkg", "cpu")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile:
    """One file after its reader: what it held and what its path says.

    Attributes
    ----------
    source, format, sha256 : str
    reading : Reading
    path_facts : list of (str, mapping)
        For each path template that matched: the template and its axes.
    run : str
        The run of rows for which neither content nor path names one.
    problems : tuple of (int, str)
        Found before the reader saw the file.
    """

    source: str
    format: str
    sha256: str
    reading: Reading
    path_facts: list[tuple[str, dict[str, str]]]
    run: str
    problems: tuple[tuple[int, str], ...]


@dataclass(slots=True)
class Facts:
    """What is known of every row that shares a name, a configuration and a file."""

    benchmark: str
    run: str
    axes: dict[str, Any]


def gather(
    files: Sequence[ReadFile],
    met: Sequence[tuple[int, Mapping[str, Any], str]],
    parsed: Mapping[str, Name],
    templates: Sequence[BoundTemplate],
    problems: list[Problem],
) -> tuple[list[Facts], list[str]]:
    """Return the facts of each file, configuration and name that meet, and all axes in the order they come.

    Raises
    ------
    InputError
        If they state more axes than a table can have.
    """
    told: set[tuple[int, str]] = set()
    facts: list[Facts] = []
    axes: dict[str, None] = {}
    suffixed = _suffixed(parsed)
    doubles = [_doubles(one, suffixed) for one in files]
    at_one = _at_one(files, met, suffixed)
    for owner, configuration, name in met:
        one = _facts(files[owner], owner, configuration, name, parsed[name], templates, problems, told)
        # go test -cpu=1,2 writes no suffix for 1: the same name with a suffix shows that it would.
        if name in doubles[owner] or owner in at_one:
            one.axes.setdefault("gomaxprocs", "1")
        facts.append(one)
        axes |= dict.fromkeys(one.axes)
        if len(axes) > _MOST_AXES:
            raise InputError(
                f"{files[owner].source}: more than {_MOST_AXES} axes, among them {choices(list(axes)[-3:])}; "
                "name parts such as key=value, configuration lines and columns are axes: take out what is none"
            )
    return facts, list(axes)


def same_facts(files: Sequence[ReadFile], parsed: Mapping[str, Name]) -> npt.NDArray[np.int32]:
    """Return, for each configuration of all files, the first that gives every name the same facts.

    Ten thousand files of one recording then cost the facts of one. A file whose path, or any problem,
    speaks of it alone is left out of this.
    """
    awkward = {name for name, one in parsed.items() if not name or not _RESERVED.isdisjoint(one.axes)}
    suffixed = _suffixed(parsed)
    known: dict[Hashable, int] = {}
    found: list[int] = []
    for file in files:
        alone = bool(file.path_facts) or not awkward.isdisjoint(file.reading.rows.name.levels)
        shared = (file.run, _bare(file, suffixed), _doubles(file, suffixed))
        for one in file.reading.configurations:
            key: Hashable = len(found)
            if not alone and _RESERVED.isdisjoint(one):
                key = (*shared, tuple((axis, type(level), level) for axis, level in one.items()))
            found.append(known.setdefault(key, len(found)))
    return np.asarray(found, dtype=np.int32)


def _suffixed(names: Iterable[str]) -> frozenset[str]:
    """Return the names that end in Go's ``-N``."""
    return frozenset(one for one in names if one[-1:].isdigit() and split_name(one)[2])


def _doubles(file: ReadFile, suffixed: frozenset[str]) -> frozenset[str]:
    """Return the names of Go that stand in a file with a ``-N`` suffix and without."""
    names = file.reading.rows.name.levels
    if not _is_go(file) or suffixed.issuperset(names):
        return frozenset()
    stems = {one.rpartition("-")[0] for one in names if one in suffixed}
    return frozenset(one for one in names if one not in suffixed and one in stems)


def _bare(file: ReadFile, suffixed: frozenset[str]) -> frozenset[str]:
    """Return the names of a file of Go in which none has a ``-N`` suffix."""
    names = frozenset(file.reading.rows.name.levels)
    return names if _is_go(file) and names.isdisjoint(suffixed) else frozenset()


def _at_one(
    files: Sequence[ReadFile], met: Sequence[tuple[int, Mapping[str, Any], str]], suffixed: frozenset[str]
) -> frozenset[int]:
    """Return the files that a sweep with one file a level has written at 1.

    Go writes no ``-N`` there. None of their names has one, and each stands with one in another file of the same
    package and machine: where some do not, the file may be of another sweep than of this axis.
    """
    named = [(owner, (*_place(configuration), name)) for owner, configuration, name in met if _is_go(files[owner])]
    swept = {(*place, name.rpartition("-")[0]) for _, (*place, name) in named if name in suffixed}
    bare = {owner for owner, _ in named} - {owner for owner, (*_, name) in named if name in suffixed}
    return frozenset(bare - {owner for owner, key in named if key not in swept})


def _is_go(file: ReadFile) -> bool:
    return file.format in ("go-bench", "go-test-json")


def _place(configuration: Mapping[str, Any]) -> tuple[Hashable, ...]:
    """Return the package and machine of a result, by what go test prints above it."""
    return tuple(configuration.get(one) for one in _PRINTED)


def _facts(
    file: ReadFile,
    owner: int,
    configuration: Mapping[str, Any],
    name: str,
    parsed: Name,
    templates: Sequence[BoundTemplate],
    problems: list[Problem],
    told: set[tuple[int, str]],
) -> Facts:
    """Join what name, content and path say; the content wins, and a conflict is told once a file."""
    axes: dict[str, Any] = {}
    stated = dict(configuration)
    if name:
        stated.setdefault("benchmark", parsed.benchmark)
        # A table that names its benchmark has columns of its own for what Go puts into the name.
        own = parsed.axes if "benchmark" not in configuration else _by_template(name, templates)
        stated = {**own, **stated}
    origin = dict.fromkeys(stated, "the content") if file.path_facts else {}
    for template, found in file.path_facts:
        for key, value in found.items():
            known = stated.setdefault(key, value)
            whence = origin.setdefault(key, f"template '{printable(template, 60)}'")
            if not _same(known, value) and (owner, key) not in told:
                told.add((owner, key))
                problems.append(
                    Problem(
                        file.source,
                        0,
                        f"{key} is '{printable(str(known), 60)}' by {whence} and '{printable(value, 60)}' by "
                        f"template '{printable(template, 60)}'; the first is used",
                    )
                )
    benchmark = str(stated.pop("benchmark", "")) or PurePosixPath(unpacked_name(file.source)).stem
    run = str(stated.pop("run", "")) or file.run
    for key, value in stated.items():
        if key in SCHEMA:
            if (owner, key) not in told:
                told.add((owner, key))
                message = f"axis '{key}' has the name of a column of measurements; it is called '{key}_axis'"
                problems.append(Problem(file.source, 0, message))
            key = f"{key}_axis"
        axes[key] = value
    return Facts(benchmark.removeprefix("Benchmark") or "Benchmark", run, axes)


def _by_template(name: str, templates: Sequence[BoundTemplate]) -> dict[str, str]:
    if not templates:
        return {}
    with_templates, without = parse_name(name, templates).axes, parse_name(name).axes
    return {key: value for key, value in with_templates.items() if key not in without}


def _same(known: object, value: str) -> bool:
    text = str(known).removeprefix("Benchmark")
    other = value.removeprefix("Benchmark")
    left, right = as_number(text), as_number(other)
    return text == other or (left is not None and left == right)
