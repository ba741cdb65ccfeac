"""Two recordings or more, named on the spot: from paths and labels to one study with one comparison."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchlib.errors import DataError, InputError, SelectionError, choices, printable
from benchlib.metrics import Metric
from benchlib.results import Results, condition
from benchlib.study import ComparisonPlan, Study, open_study
from benchlib.study.files_apart import pool_files
from benchlib.study.open import narrowed

__all__ = ["Side", "joined_results", "joined_study", "open_sides", "paths_of", "read_side"]

Side = Study | str | PathLike[str]


def read_side(text: str) -> tuple[str, str]:
    """Split ``name=path`` into both; without a name it is empty. A path that is there is a path, ``=`` or not.

    Examples
    --------
    >>> read_side("base=runs/1.txt"), read_side("old.txt")
    (('base', 'runs/1.txt'), ('', 'old.txt'))
    """
    name, equals, path = text.partition("=")
    if not equals or not name.strip() or not path.strip() or "/" in name or os.path.exists(text):
        return "", text
    return name.strip(), path


def open_sides(sides: Sequence[Side], where: str = "") -> list[tuple[str, Study]]:
    """Open each side under its name: as given, else the shortest end of its path that tells it from the others.

    Sides that were given the same name are one side, pooled.

    Raises
    ------
    InputError
        For a path that cannot be read, and for the same recording on two sides.
    """
    found: list[tuple[str, str, Study]] = []
    for one in sides:
        if isinstance(one, Study):
            found.append(("", one.name, one))
            continue
        name, path = read_side(str(one))
        found.append((name, path, open_study(path)))
    names = _names([(name, path) for name, path, _ in found])
    own = [name for name, (given, _, _) in zip(names, found, strict=True) if not given]
    twice = [name for name in own if own.count(name) > 1]
    if twice:
        raise InputError(
            f"{printable(twice[0])} is named twice; name two recordings, or each as name=path to pool them"
        )
    opened = [(name, study) for name, (_, _, study) in zip(names, found, strict=True)]
    _refuse_twice(opened)
    if len(opened) == 1:
        return [(name, _narrowed("", study, where)) for name, study in opened]
    # A side is one recording by word of whoever named it, however many files it has.
    pooled = [(name, _pooled(study)) for name, study in opened]
    return [(name, _narrowed(name, study, where)) for name, study in pooled]


def paths_of(sides: Sequence[Side], names: Sequence[str]) -> dict[str, str]:
    """Return the name of each recording that was given as a path alone, by that path.

    Examples
    --------
    >>> paths_of(["runs/old.txt", "head=runs/new.txt"], ["old", "head"])
    {'runs/old.txt': 'old'}
    """
    given = [(read_side(str(one)), name) for one, name in zip(sides, names, strict=True) if not isinstance(one, Study)]
    return {path: name for (label, path), name in given if not label}


def _names(given: Sequence[tuple[str, str]]) -> list[str]:
    parts = [_parts(path) for _, path in given]
    names = []
    for place, (name, _) in enumerate(given):
        others = [one for other, one in enumerate(parts) if other != place and not given[other][0]]
        depth = 1
        while not name and depth < len(parts[place]) and any(one[-depth:] == parts[place][-depth:] for one in others):
            depth += 1
        names.append(name or "/".join(parts[place][-depth:]))
    return names


def _parts(path: str) -> list[str]:
    shown = Path(path)
    last = shown.name.split(".")[0] or shown.name or path
    return [*(one for one in shown.parts[:-1] if one not in ("/", ".", "..")), last]


def _refuse_twice(opened: Sequence[tuple[str, Study]]) -> None:
    owners: dict[str, tuple[str, str]] = {}
    for name, study in opened:
        for file in study.results.files:
            owner, source = owners.setdefault(file.sha256, (name, file.source))
            if owner != name:
                raise InputError(
                    f"{printable(owner)} and {printable(name)} are the same recording "
                    f"({printable(source)} and {printable(file.source)} hold the same bytes); name two recordings"
                )


def _pooled(study: Study) -> Study:
    results = pool_files(study.results)
    return replace(study, whole=results if study.whole is study.results else pool_files(study.whole), results=results)


def _narrowed(name: str, study: Study, where: str) -> Study:
    if not where:
        return study
    condition(where)  # what is wrong with it as it is written is no side's fault
    try:
        return narrowed(study, where)
    except SelectionError as error:
        raise SelectionError(f"{printable(name)}: {error}" if name else str(error)) from error


def joined_study(sides: Sequence[tuple[str, Study]], plan: ComparisonPlan) -> Study:
    """Return one study of all sides, each under its name in the column ``run``, with one comparison to make.

    Everything else is that of the first side.

    Raises
    ------
    DataError
        Where there are not two names.
    """
    names = list(dict.fromkeys(name for name, _ in sides))
    if len(names) < 2:
        raise DataError(f"one side only ({choices(names)}); name two recordings, or a column to compare")
    results = whole = joined_results([(name, study.results) for name, study in sides])
    if any(study.whole is not study.results for _, study in sides):
        whole = joined_results([(name, study.whole) for name, study in sides])
    return replace(sides[0][1], whole=whole, results=results, comparisons=(plan,))


def joined_results(given: Sequence[tuple[str, Results]]) -> Results:
    """Return the results of all sides as one, each under its name in the column ``run``."""
    sides = [(name, _keeping_runs(one)) for name, one in _told_apart(given)]
    first = sides[0][1]
    return replace(
        first,
        frame=_stacked([(name, one.frame) for name, one in sides]),
        failed=_stacked([(name, one.failed) for name, one in sides]),
        problems=tuple(problem for _, one in sides for problem in one.problems),
        files=tuple(file for _, one in sides for file in one.files),
        metrics=_first_told([one.metrics for _, one in sides]),
        series=tuple(series for _, one in sides for series in one.series),
        caveats=tuple(dict.fromkeys(warned for _, one in sides for warned in one.caveats)),
    )


def _first_told(metrics: Sequence[Mapping[str, Metric]]) -> dict[str, Metric]:
    """Return each metric as the first side has it that says which way is better, else as the first has it."""
    found: dict[str, Metric] = {}
    for name, one in ((name, one) for told in metrics for name, one in told.items()):
        if name not in found or (found[name].better is None and one.better):
            found[name] = one
    return found


def _stacked(sides: Sequence[tuple[str, pd.DataFrame]]) -> pd.DataFrame:
    """Put tables one below the other; words stay categories, which pandas gives up where they differ."""
    names = list(dict.fromkeys(name for name, _ in sides))
    columns = list(dict.fromkeys(column for _, frame in sides for column in frame.columns))
    measures = columns.index("run")
    late = [one for _, frame in sides for one in frame.columns if one not in sides[0][1].columns]
    ordered = [one for one in columns[:measures] if one not in late]
    ordered += [*dict.fromkeys(late), *(one for one in columns[measures:] if one not in late)]
    kept: dict[str, Any] = {}
    for column in ordered:
        parts = [frame[column] if column in frame else pd.Series(np.nan, index=frame.index) for _, frame in sides]
        words = any(isinstance(one.dtype, pd.CategoricalDtype) or one.dtype == object for one in parts)
        kept[column] = _words(parts) if words else pd.concat(parts, ignore_index=True)
    sizes = [len(frame) for _, frame in sides]
    codes = np.repeat([names.index(name) for name, _ in sides], sizes)
    kept["run"] = pd.Categorical.from_codes(codes, pd.Index(names))
    return pd.DataFrame(kept)


def _words(parts: Sequence[pd.Series]) -> pd.Categorical:
    told = [part.astype("category") for part in parts]
    levels = pd.Index(list(dict.fromkeys(level for one in told for level in one.cat.categories)), dtype=object)
    codes = []
    for one in told:
        # A missing level has code -1, and takes the last place here.
        place = np.append(levels.get_indexer(one.cat.categories), -1)
        codes.append(place[one.cat.codes.to_numpy()])
    return pd.Categorical.from_codes(np.concatenate(codes), categories=levels)


def _keeping_runs(results: Results) -> Results:
    """Keep runs that names tell apart (``/run=8``) as an axis of their own; other runs of a side are pooled."""
    frame = results.frame
    if not any("/run=" in str(one) for one in frame["name"].unique()):
        return results
    place = frame.columns.get_loc("run")
    kept = frame.copy(deep=False)
    kept.insert(int(place) if isinstance(place, int) else 0, "run_axis", frame["run"].where(frame["run"] != ""))
    return replace(results, frame=kept)


def _told_apart(sides: Sequence[tuple[str, Results]]) -> list[tuple[str, Results]]:
    """Put the name of its side before each source, where two sides hold a source of one name."""
    sources = [{file.source for file in one.files} for _, one in sides]
    if len(set().union(*sources)) == sum(map(len, sources)):
        return list(sides)
    return [(name, _renamed(one, name)) for name, one in sides]


def _renamed(results: Results, name: str) -> Results:
    def under(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(source=frame["source"].cat.rename_categories(lambda one: f"{name}/{one}"))

    return replace(
        results,
        frame=under(results.frame),
        failed=under(results.failed),
        files=tuple(replace(one, source=f"{name}/{one.source}") for one in results.files),
        problems=tuple(replace(one, source=f"{name}/{one.source}") for one in results.problems),
        series=tuple(replace(one, source=f"{name}/{one.source}") for one in results.series),
    )
