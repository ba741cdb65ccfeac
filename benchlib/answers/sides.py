"""Recordings and columns named on the spot: from paths, labels and keys to one study with one comparison to make.

Keys are benchlib's words or benchstat's. Those of rows, columns and what is ignored belong together, as benchstat's
projections do: what one names is cut out of ``.fullname`` and ``.config`` of the others, a list leaves rows out of
everything, and what a file states and no key names parts rows.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from msgspec import structs
from numpy.typing import NDArray

from benchlib.answers.asking import _asked_metrics, _asked_words
from benchlib.answers.benchstat_keys import (
    _OF_GO,
    Columns,
    Cut,
    Key,
    Texts,
    _kept_rows,
    _level_text,
    _ranked,
    _values_of,
    parse_keys,
)
from benchlib.answers.grouping import _varies_within
from benchlib.answers.pairing import _levels_in_order, _parted_by_package, shared_axes
from benchlib.errors import DataError, InputError, SelectionError, choices, printable, suggestion
from benchlib.metrics import Metric
from benchlib.results import SCHEMA, Results, condition
from benchlib.study import ComparisonPlan, ControlPlan, Study, open_study, read_control
from benchlib.study.file_names import pool_files
from benchlib.study.open import narrowed

__all__ = ["joined_results", "open_sides", "read_side"]

_Side = Study | str | PathLike[str]
#: What benchlib calls benchstat's keys.
_OWN = {".fullname": "name", ".name": "benchmark", ".file": "run"}
#: Columns that are no axis and may be named all the same.
_COLUMNS = ("name", "benchmark", "run", "source")
_GROUPS = (".config", ".fullname")


def read_side(text: str) -> tuple[str, str]:
    """Split ``name=path`` into both; without a name it is empty. A path that is there is a path, ``=`` or not."""
    name, equals, path = text.partition("=")
    if not equals or not name.strip() or not path.strip() or "/" in name or os.path.exists(text):
        return "", text
    return name.strip(), path


def open_sides(sides: Sequence[_Side], where: str = "") -> list[tuple[str, Study]]:
    """Open each side under its name: as given, else the shortest end of its path that tells it from the others.

    Sides that were given the same name are one side, pooled.
    """
    studies: list[tuple[str, str, Study]] = []
    for side in sides:
        if isinstance(side, Study):
            studies.append(("", side.name, side))
            continue
        name, path = read_side(str(side))
        studies.append((name, path, open_study(path)))
    names = _names([(name, path) for name, path, _ in studies])
    own = [name for name, (given, _, _) in zip(names, studies, strict=True) if not given]
    twice = [name for name in own if own.count(name) > 1]
    if twice:
        raise InputError(
            f"{printable(twice[0])} is named twice; name two recordings, or each as name=path to pool them"
        )
    opened = [(name, study) for name, (_, _, study) in zip(names, studies, strict=True)]
    _refuse_twice(opened)
    if len(opened) == 1:
        return [(name, _narrowed("", study, where)) for name, study in opened]
    # A side is one recording by word of whoever named it, however many files it has.
    pooled = [(name, _pooled(study)) for name, study in opened]
    return [(name, _narrowed(name, study, where)) for name, study in pooled]


def _paths_of(sides: Sequence[_Side], names: Sequence[str]) -> dict[str, str]:
    """Return the name of each recording that was given as a path alone, by that path."""
    given = [
        (read_side(str(side)), name) for side, name in zip(sides, names, strict=True) if not isinstance(side, Study)
    ]
    return {path: name for (label, path), name in given if not label}


def _names(given: Sequence[tuple[str, str]]) -> list[str]:
    parts = [_parts(path) for _, path in given]
    names = []
    for place, (name, _) in enumerate(given):
        others = [part for other, part in enumerate(parts) if other != place and not given[other][0]]
        depth = 1
        while (
            not name and depth < len(parts[place]) and any(other[-depth:] == parts[place][-depth:] for other in others)
        ):
            depth += 1
        names.append(name or "/".join(parts[place][-depth:]))
    return names


def _parts(path: str) -> list[str]:
    shown = Path(path)
    last = shown.name.split(".")[0] or shown.name or path
    return [*(part for part in shown.parts[:-1] if part not in ("/", ".", "..")), last]


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


def _joined_study(sides: Sequence[tuple[str, Study]], plan: ComparisonPlan) -> Study:
    """Return one study of all sides, each under its name in the column ``run``, with one comparison to make.

    Everything else is that of the first side.
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
    sides = [(name, _keeping_runs(side_results)) for name, side_results in _told_apart(given)]
    first = sides[0][1]
    return replace(
        first,
        frame=_stacked([(name, side.frame) for name, side in sides]),
        failed=_stacked([(name, side.failed) for name, side in sides]),
        problems=tuple(problem for _, side in sides for problem in side.problems),
        files=tuple(file for _, side in sides for file in side.files),
        metrics=_first_told([side.metrics for _, side in sides]),
        series=tuple(series for _, side in sides for series in side.series),
        caveats=tuple(dict.fromkeys(warned for _, side in sides for warned in side.caveats)),
    )


def _first_told(metrics: Sequence[Mapping[str, Metric]]) -> dict[str, Metric]:
    """Return each metric as the first side has it that says which way is better, else as the first has it."""
    first: dict[str, Metric] = {}
    for side in metrics:
        for name, metric in side.items():
            if name not in first or (first[name].better is None and metric.better):
                first[name] = metric
    return first


def _stacked(sides: Sequence[tuple[str, pd.DataFrame]]) -> pd.DataFrame:
    """Put tables one below the other; words stay categories, which pandas gives up where they differ."""
    names = list(dict.fromkeys(name for name, _ in sides))
    columns = list(dict.fromkeys(column for _, frame in sides for column in frame.columns))
    measures = columns.index("run")
    late = [column for _, frame in sides for column in frame.columns if column not in sides[0][1].columns]
    ordered = [column for column in columns[:measures] if column not in late]
    ordered += [*dict.fromkeys(late), *(column for column in columns[measures:] if column not in late)]
    stacked: dict[str, Any] = {}
    for column in ordered:
        parts = [frame[column] if column in frame else pd.Series(np.nan, index=frame.index) for _, frame in sides]
        words = any(isinstance(part.dtype, pd.CategoricalDtype) or part.dtype == object for part in parts)
        stacked[column] = _words(parts) if words else pd.concat(parts, ignore_index=True)
    sizes = [len(frame) for _, frame in sides]
    codes = np.repeat([names.index(name) for name, _ in sides], sizes)
    stacked["run"] = pd.Categorical.from_codes(codes, pd.Index(names))
    return pd.DataFrame(stacked)


def _words(parts: Sequence[pd.Series]) -> pd.Categorical:
    categories = [part.astype("category") for part in parts]
    levels = pd.Index(
        list(dict.fromkeys(level for column in categories for level in column.cat.categories)), dtype=object
    )
    codes = []
    for category in categories:
        # A missing level has code -1, and takes the last place here.
        place = np.append(levels.get_indexer(category.cat.categories), -1)
        codes.append(place[category.cat.codes.to_numpy()])
    return pd.Categorical.from_codes(np.concatenate(codes), categories=levels)


def _keeping_runs(results: Results) -> Results:
    """Keep runs that names tell apart (``/run=8``) as an axis of their own; other runs of a side are pooled."""
    frame = results.frame
    if not any("/run=" in str(name) for name in frame["name"].unique()):
        return results
    place = frame.columns.get_loc("run")
    shown = frame.copy(deep=False)
    shown.insert(int(place) if isinstance(place, int) else 0, "run_axis", frame["run"].where(frame["run"] != ""))
    return replace(results, frame=shown)


def _told_apart(sides: Sequence[tuple[str, Results]]) -> list[tuple[str, Results]]:
    """Put the name of its side before each source, where two sides hold a source of one name."""
    sources = [{file.source for file in side.files} for _, side in sides]
    if len(set().union(*sources)) == sum(map(len, sources)):
        return list(sides)
    return [(name, _renamed(side, name)) for name, side in sides]


def _renamed(results: Results, name: str) -> Results:
    def under(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(source=frame["source"].cat.rename_categories(lambda source: f"{name}/{source}"))

    return replace(
        results,
        frame=under(results.frame),
        failed=under(results.failed),
        files=tuple(replace(file, source=f"{name}/{file.source}") for file in results.files),
        problems=tuple(replace(problem, source=f"{name}/{problem.source}") for problem in results.problems),
        series=tuple(replace(series_, source=f"{name}/{series_.source}") for series_ in results.series),
    )


def comparison_study(
    *sides: _Side,
    row: str | Sequence[str] = "",
    col: str = "",
    ignore: str | Sequence[str] = "",
    where: str = "",
    baseline: str | Sequence[str] = "",
    candidate: str | Sequence[str] = "",
    metric: str | Sequence[str] = "",
    controls: str | Sequence[str] = (),
    interleaved: bool | None = None,
) -> Study:
    """Return the study that a comparison is made in, with the comparisons to make; see `compare`.

    One side without a column to compare is a study as it stands: its own ``[[compare]]`` are made, with controls
    and metrics as given here where they are.
    """
    if not sides:
        raise DataError("nothing to compare; name two recordings, or one and a column")
    opened = open_sides(sides, where)
    names = list(dict.fromkeys(name for name, _ in opened))
    first = opened[0][1]
    given = tuple(map(read_control, [controls] if isinstance(controls, str) and controls else tuple(controls)))
    if len(opened) == 1 and not col and not baseline and first.comparisons:
        return _own_comparisons(first, given, _asked_metrics(first.results, metric), interleaved)
    plan = ComparisonPlan(
        column=col or "run",
        controls=given,
        sequential=None if interleaved is None else not interleaved,
        runs_differ=len(opened) > 1 or any(comparison.column == "run" for comparison in first.comparisons),
    )
    study = _joined_study(opened, plan) if len(opened) > 1 else first
    keys = {"row": _keys(row), "col": plan.column, "ignore": _keys(ignore)}
    files = _paths_of(sides, [name for name, _ in opened])
    results, by, column, ignored = _columns_asked(study.results, keys, files)
    # The whole study needs the columns that were made here too.
    whole = results if study.whole is study.results else _columns_asked(study.whole, keys, files)[0]
    study = replace(study, whole=whole, results=results)
    plan = structs.replace(plan, by=by, ignore=ignored, column=column)
    # What the study says of this column holds for any of its levels.
    stated = next((own for own in study.comparisons if own.column == column), None)
    if stated is not None and len(opened) == 1:
        sequential = stated.sequential if interleaved is None else plan.sequential
        plan = structs.replace(plan, controls=given or stated.controls, sequential=sequential)
    levels, ordered = _levels_in_order(study.results.frame[column])
    if len(opened) == 1 and not col and len(levels) < 2:
        raise _one_recording(study)
    if len(names) > 1 and column == "run" and not ordered:
        levels = names
    elif len(opened) == 1 and not ordered:
        levels = [str(level) for level in study.results.levels(column) if str(level)]
    first_is_baseline = len(opened) > 1 or ordered
    baselines, candidates = _compared_levels(baseline, candidate, levels, column, first_is_baseline)
    _check_controls(study.results, given)
    others = candidates or tuple(level for level in levels if level not in baselines)
    plan = structs.replace(
        plan,
        name=f"{', '.join(others)} against {', '.join(baselines)}" if len(others) < 4 else f"against {baselines[0]}",
        baselines=baselines,
        candidates=candidates,
        metrics=_asked_metrics(study.results, metric),
    )
    if len(opened) == 1 and plan.runs_differ and not by and column != "run":
        # The study compares its runs: they are of different code, and no repeats of each other.
        shared = shared_axes(study.results.frame, column, ignored)
        plan = structs.replace(plan, by=(*shared, *(("run",) if "run" not in ignored else ())))
    return replace(study, comparisons=(plan,))


def _one_recording(study: Study) -> DataError:
    varying = [axis for axis in study.results.varying_axes if axis != "case"]
    return DataError(
        f"{printable(study.name)} is one recording; name a second, or a column to compare with --col"
        f"{f': {choices(varying, 12)}' if varying else ''}"
    )


def _own_comparisons(
    study: Study, controls: tuple[ControlPlan, ...], metrics: tuple[str, ...], interleaved: bool | None
) -> Study:
    """Return a study with its own comparisons, what is given here in place of what it states."""
    _check_controls(study.results, controls)
    plans = tuple(
        structs.replace(
            plan,
            metrics=metrics or plan.metrics,
            controls=controls or plan.controls,
            sequential=plan.sequential if interleaved is None else not interleaved,
        )
        for plan in study.comparisons
    )
    return replace(study, comparisons=plans)


def _compared_levels(
    baseline: str | Sequence[str],
    candidate: str | Sequence[str],
    levels: Sequence[str],
    column: str,
    first_is_baseline: bool,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the levels to compare with, and those to compare; none of these stands for all others."""
    baselines = _named_levels(baseline, levels, column, "baseline")
    if not baselines:
        if not first_is_baseline:
            raise DataError(f"which {column} is the baseline? name one: {choices(levels, 12)}")
        baselines = tuple(levels[:1])
    candidates = _named_levels(candidate, levels, column, "candidate")
    both = [level for level in candidates if level in baselines]
    if both:
        raise SelectionError(f"'{printable(both[0])}' is both baseline and candidate; choose one")
    return baselines, candidates


def _keys(given: str | Sequence[str]) -> str:
    return given if isinstance(given, str) else ", ".join(given)


def _named_levels(given: str | Sequence[str], levels: Sequence[str], column: str, what: str) -> tuple[str, ...]:
    named = _asked_words(given, what)
    for level in named:
        if level not in levels:
            near = suggestion(level, levels)
            raise SelectionError(
                f"no {column} '{printable(level)}' to be a {what}{near}; there are {choices(levels, 12)}"
            )
    return named


def _check_controls(results: Results, controls: Sequence[ControlPlan]) -> None:
    """Refuse a control that selects no row."""
    for control in controls:
        if not control.where:
            raise SelectionError("a control is empty; write a condition, e.g. pkg=*/filter")
        results.select(control.where)
        results.select(control.speaks_for)


def _columns_asked(
    results: Results, asked: Mapping[str, str], files: Mapping[str, str]
) -> tuple[Results, tuple[str, ...], str, tuple[str, ...]]:
    """Return results with all columns that keys mean, and which make rows, are compared, and are pooled without a word.

    Rows that lists leave out are gone; no column makes rows where none was named.

    A key in an order of its own (``@num``, ``@alpha``, ``@(a b)``) puts the levels of its column in that order, and
    a list leaves the rows of all other levels out. Several columns to compare make one of their combinations.
    """
    given = {option: parse_keys(text, option) for option, text in asked.items()}
    whole = results.frame if results.failed.empty else pd.concat([results.frame, results.failed], ignore_index=True)
    naming = _Naming(whole, {option: _by_file(keys, files) for option, keys in given.items()})
    rows, parts = naming.columns("row"), naming.columns("col")
    if not parts:
        raise SelectionError(f"col '{printable(asked['col'])}': no such column; {_there(naming.known)}")
    column, left_out = parts[0], tuple[str, ...]()
    if len(parts) > 1:
        column, left_out = naming.joined(), tuple(part for part in parts if part not in rows)
    if column in rows:
        raise SelectionError(f"'{printable(column)}' makes rows and is compared; name it for one of them")
    ignored = naming.ignored(groups=bool(rows))
    sound = len(results.frame)
    results = replace(
        results,
        frame=naming.dressed(results.frame, slice(sound), left_out),
        failed=naming.dressed(results.failed, slice(sound, None), left_out),
    )
    if rows:
        rows = _parted(results.frame, rows, column, naming.stated)
    return results, rows, column, ignored


def _by_file(keys: Sequence[Key], files: Mapping[str, str]) -> tuple[Key, ...]:
    """Let the lists of ``.file`` hold paths where the column holds the names of recordings."""
    return tuple(
        replace(key, fixed=tuple(files.get(text, text) for text in key.fixed)) if key.name in (".file", "run") else key
        for key in keys
    )


def _parted(frame: pd.DataFrame, rows: Sequence[str], column: str, stated: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that make rows, with what files state and would be mixed in them, as benchstat's tables."""
    parted = list(rows)
    for axis in stated:
        if _varies_within(frame, axis, [column, *parted]) or (
            axis == "pkg" and _parted_by_package(frame, column, parted)
        ):
            parted.append(axis)
    return tuple(parted)


class _Naming:
    """Keys of rows, columns and what is ignored, as columns of one frame."""

    def __init__(self, frame: pd.DataFrame, keys: Mapping[str, tuple[Key, ...]]) -> None:
        self._columns = Columns(frame)
        self._axes = tuple(self._columns.axes.values())
        self.known = (*_COLUMNS, *self._axes)
        self._keys = keys
        self._made: dict[str, pd.Categorical] = {}
        every = [(key, self._found(key, option)) for option, of in keys.items() for key in of]
        known = [key for key, name in every if name or key.name in _GROUPS]
        cut = Cut.by(known, self._columns)
        self._cut = Cut(cut.axes | {name for _, name in every if name in self._axes}, cut.keys)
        self._kept = _kept_rows(known, self._columns)

    def columns(self, option: str) -> tuple[str, ...]:
        """Return the columns of rows, or those compared, each made where there is none yet."""
        named = self._named(option)
        for name, key in named:
            self._make(name, key)
        return tuple(dict.fromkeys(name for name, _ in named))

    def ignored(self, *, groups: bool) -> tuple[str, ...]:
        """Return the columns that are ignored; ``.config`` and ``.fullname`` as a whole only where that is asked."""
        columns: list[str] = []
        for key in self._keys["ignore"]:
            if key.name not in _GROUPS:
                columns.append(self._found(key, "ignore"))
            elif groups:
                columns += self._group(key.name)
        return tuple(dict.fromkeys(filter(None, columns)))

    @property
    def stated(self) -> tuple[str, ...]:
        """The axes that files state, vary, and no key names; none where ``.config`` is named."""
        named = any(key.name == ".config" for option in ("row", "col") for key in self._keys[option])
        frame, axes = self._columns.frame, () if named else self._axes
        varying = (axis for axis in axes if axis not in self._cut.axes and frame[axis].nunique(dropna=False) > 1)
        return tuple(axis for axis in varying if self._columns.configured(axis))

    def joined(self) -> str:
        """Make a column of the combinations of those compared, in benchstat's order, and return its name."""
        parts = self._named("col")
        codes, texts_so_far = np.zeros(len(self._columns.frame), dtype=np.int64), [""]
        for name, key in parts:
            texts = self._texts(name, key)
            met, codes = np.unique(codes * len(texts.levels) + _places(texts, key)[texts.codes], return_inverse=True)
            ordered = _ordered(texts, key)
            texts_so_far = [
                f"{texts_so_far[place // len(ordered)]} {ordered[place % len(ordered)]}".strip()
                for place in met.tolist()
            ]
        name, levels = ", ".join(dict.fromkeys(name for name, _ in parts)), list(dict.fromkeys(texts_so_far))
        asked = any(key.order != "first" for _, key in parts)
        self._made[name] = _categorical(np.array([levels.index(text) for text in texts_so_far])[codes], levels, asked)
        return name

    def dressed(self, frame: pd.DataFrame, part: slice, left_out: Sequence[str]) -> pd.DataFrame:
        """Return the rows of one part with the columns made, without axes left out and the rows that no list holds."""
        dressed = frame.assign(**{name: made[part] for name, made in self._made.items()})
        dressed = dressed.drop(columns=[axis for axis in left_out if axis in dressed and axis not in SCHEMA])
        return dressed if self._kept is None else dressed[self._kept[part]]

    def _group(self, name: str) -> tuple[str, ...]:
        """Return the axes that files state, or that names do."""
        if name == ".config":
            return tuple(axis for axis in self._axes if self._columns.configured(axis))
        return ("name", "benchmark", *(axis for axis in self._axes if self._columns.states(axis)))

    def _named(self, option: str) -> list[tuple[str, Key]]:
        """Return the column of each key, ``.config`` spelled out; what go test left out is no column."""
        columns = []
        for key in self._keys[option]:
            if key.name == ".config":
                stated = [axis for axis in self._group(".config") if axis not in self._cut.axes]
                if not stated:
                    raise SelectionError(
                        f"{option} '.config': files state nothing that no other key names; {_there(self.known)}"
                    )
                columns += [(axis, key) for axis in stated]
            elif name := self._found(key, option):
                columns.append((name, key))
        return columns

    def _found(self, key: Key, option: str) -> str:
        """Return the column of a key; nothing for a group, and for what go test may leave out."""
        name, axes = key.name, self._columns.axes
        if name in self.known or name in _OWN:
            return _OWN.get(name, name)
        if name.removeprefix("/") in axes:
            return axes[name.removeprefix("/")]
        if name in self._columns.keys:
            return name[1:] if name[1:] not in SCHEMA else f"{name[1:]}_axis"
        if name == ".config" or name in _OF_GO:
            return ""
        raise SelectionError(
            f"{option} '{printable(name)}': no such column{suggestion(name, self.known)}; {_there(self.known)}"
        )

    def _texts(self, name: str, key: Key) -> Texts:
        """Return what a column says of each row, names without what other keys cut out of them."""
        columns = self._columns
        if name == "name":
            return columns.names_without(self._cut.keys)
        return columns.column(name) if name in columns.frame else _values_of(key, columns)

    def _make(self, name: str, key: Key) -> None:
        """Make a column where there is none yet, or none in the order that is asked for."""
        frame = self._columns.frame
        if name not in frame or (name == "name" and self._cut.keys):
            texts = self._texts(name, key)
            made = _categorical(_places(texts, key)[texts.codes], _ordered(texts, key), key.order != "first")
            # An empty text is no level.
            self._made[name] = made.remove_categories([category for category in made.categories if not category])
        elif key.order != "first":
            levels = frame[name].dropna().unique().tolist()
            places = _ranked([_level_text(level) for level in levels], key, np.arange(len(levels)))
            ordered = [level for _, level in sorted(zip(places.tolist(), levels, strict=True), key=itemgetter(0))]
            self._made[name] = pd.Categorical(frame[name], categories=ordered, ordered=True)


def _places(texts: Texts, key: Key) -> NDArray[np.intp]:
    """Return the place of each text in the order of a key."""
    first = np.full(len(texts.levels), len(texts.codes), dtype=np.intp)
    np.minimum.at(first, texts.codes, np.arange(len(texts.codes)))
    return _ranked(texts.levels, key, first)


def _ordered(texts: Texts, key: Key) -> list[str]:
    """Return texts in the order of a key."""
    return [text for _, text in sorted(zip(_places(texts, key).tolist(), texts.levels, strict=True))]


def _categorical(codes: NDArray[np.intp], levels: Sequence[str], ordered: bool) -> pd.Categorical[Any]:
    return pd.Categorical.from_codes(codes, categories=pd.Index(levels), ordered=ordered)


def _there(known: Sequence[str]) -> str:
    return f"there are {choices(known, 30)}"


def open_comparison(
    study: str, *, where: str = "", column: str = "", baseline: str = "", candidate: str = "", metric: str = "",
    control: str = "",
) -> Study:  # fmt: skip
    """Open what a notebook compares: a study with its comparisons, or, without a study, recordings by their paths."""
    conditions = [condition.strip() for condition in control.split(";") if condition.strip()]
    if not study.strip():
        sides = [side.strip() for side in (*baseline.split(","), *candidate.split(",")) if side.strip()]
        joined = comparison_study(*sides, where=where, metric=metric, controls=conditions)
        return replace(joined, path=Path(), title=", ".join(plan.name for plan in joined.comparisons))
    opened = open_study(study, where=where)
    if not (column or baseline or opened.comparisons):
        return opened  # nothing to make: the page says what to name
    return comparison_study(
        opened, col=column, baseline=baseline, candidate=candidate, metric=metric, controls=conditions
    )
