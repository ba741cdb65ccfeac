"""From paths on a command line to results."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchlib.files import walk

if TYPE_CHECKING:
    from benchlib.results import Results


def open_results(paths: list[str], *, where: str, strict: bool, reader: str = "") -> Results:
    """Read one study, or any files and folders, narrowed to a condition."""
    from benchlib.formats import load
    from benchlib.study import open_study
    from benchlib.study.open import narrow

    if len(paths) == 1:
        return open_study(paths[0], where=where, strict=strict, format=reader).results
    return narrow(load(*(Path(path) for path in paths), strict=strict, format=reader), where)


def open_sides_as_named(sides: Sequence[tuple[str, str]], where: str) -> tuple[Results, tuple[str, ...]]:
    """Read recordings into one table, each under its name as given in the column ``run``, as benchstat names files.

    The axes that names of benchmarks state stand beside it.
    """
    from benchlib.answers.sides import joined_results, open_sides
    from benchlib.study import open_study
    from benchlib.study.file_names import pool_files
    from benchlib.study.open import resolve_study

    if len(sides) == 1 and resolve_study(sides[0][1])[0].is_dir():
        study = open_study(sides[0][1], where=where)
        return pool_files(study.results), study.configuration.axes_of_names
    names = list(dict.fromkeys(name for name, _ in sides))
    # As it was named, a side may hold what no name of a side does, such as a slash.
    opened = open_sides([f"side{names.index(name)}={path}" for name, path in sides], where)
    results = joined_results([(name, study.results) for name, study in opened])
    of_names = tuple(axis for _, study in opened for axis in study.configuration.axes_of_names)
    return replace(results, frame=results.frame.assign(run=results.frame["run"].cat.rename_categories(names))), of_names


def refuse_input(output: Path, paths: list[str], results: Results) -> None:
    """Refuse to write over a file that the results were read from: raw results cannot be made again."""
    from benchlib.errors import InputError, printable

    try:
        there = output.stat()
    except OSError:
        return  # nothing is replaced
    for shown, inner in _inputs(paths, results):
        if os.path.samestat(there, inner):
            raise InputError(
                f"{printable(str(output))}: would replace {printable(shown)}, which is read here; "
                "choose another place with -o"
            )


def _inputs(paths: list[str], results: Results) -> Iterator[tuple[str, os.stat_result]]:
    """Give every file that was read, or could not be, with what tells it from others."""
    from benchlib.errors import printable
    from benchlib.study.open import resolve_study

    read = {source.source for source in results.files} | {source.source for source in results.problems}
    for text in paths:
        if text == "-":
            try:
                yield "standard input", os.fstat(sys.stdin.fileno())
            except (OSError, ValueError):
                continue  # no file is behind it
            continue
        path = Path(text) if os.path.exists(text) else resolve_study(text)[0]
        if not os.path.isdir(path):
            yield text, path.stat()
            continue
        for folder, _, names in walk(path):
            for file in (Path(folder, name) for name in names):
                inside = (file.relative_to(path).as_posix(), file.as_posix())
                if os.path.exists(file) and any(printable(name, 4096) in read for name in inside):
                    yield f"{text.rstrip('/')}/{inside[0]}", file.stat()
