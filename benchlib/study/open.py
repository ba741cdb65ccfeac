"""From a path to a `Study`: find it, read ``study.toml``, load the results, hold one against the other, narrow them."""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from glob import escape
from pathlib import Path
from typing import Any, cast

import msgspec
import pandas as pd

from benchlib.caveats import merge
from benchlib.concurrency import counted
from benchlib.errors import InputError, SelectionError, StudyError, choices, printable, suggestion
from benchlib.files import file_sha256, leads_away, walk
from benchlib.formats import load
from benchlib.formats.headers import numbers_repeats
from benchlib.formats.names import claimed, split_name, without_prefix
from benchlib.formats.outcomes import expecting
from benchlib.formats.table import CODES, failures, remark
from benchlib.formats.text import is_stdin, local_path
from benchlib.history.place import MARK
from benchlib.results import NAMES, SCHEMA, Problem, Results, Series, condition, matches, meeting
from benchlib.study.benchmark_names import read_benchmark_names
from benchlib.study.file_names import read_file_names
from benchlib.study.meant import meant
from benchlib.study.model import (
    BreakdownPlan,
    ComparisonPlan,
    Configuration,
    ControlPlan,
    Median,
    Ratio,
    Study,
    StudyFile,
    TargetPlan,
    package_glob,
)
from benchlib.study.numbers_in_names import is_count
from benchlib.toml_lines import Document, KeyPath, convert, parse_toml, read_text

#: Where a relative study is looked for after the working directory: the folder that holds the package.
PROJECT_ROOT = Path(__file__).resolve().parents[2]
#: How a history is named where a study is asked for.
HISTORY = "history:"


def open_study(
    path: str | Path,
    where: str = "",
    strict: bool = False,
    format: str = "",
    *,
    keep: bool = False,
    names: Sequence[str] = (),
    paths: Sequence[str] = (),
) -> Study:
    """Open a folder of results (or one file) as a study.

    Parameters
    ----------
    path : str or pathlib.Path
        A folder with or without a ``study.toml``, a single file of results, ``"-"`` for standard input, or a history:
        its folder, or ``"history:s3://BUCKET/FOLDER"``. A relative path is looked for from the working directory, then
        from the project root.
    where : str
        Keep only the rows that meet this condition, e.g. ``"benchmark=Sender* bits=32"``.
    strict : bool
        Stop at the first problem in a file instead of recording it.
    format : str
        Name of the reader of every file, where content leaves it open.
    keep : bool
        Have this object returned when the same study is opened again by this process, or one like it by the cells
        that it runs, as long as its files are what they were.
    names, paths : sequence of str
        Templates as ``[configuration]`` holds them, beside those of ``study.toml``.

    Returns
    -------
    Study

    Raises
    ------
    InputError
        If there is nothing at the path, or nothing in it that is a result; for a profile named in
        ``[[breakdown]]`` that cannot be read.
    StudyError
        If ``study.toml`` says what it cannot mean, or names what the results do not have.
    SelectionError
        If `where` is malformed or selects nothing.

    Examples
    --------
    >>> study = open_study("data/lplex", where="metric=time")  # doctest: +SKIP
    >>> study.comparisons[0].column  # doctest: +SKIP
    'run'
    """
    if str(path).startswith(HISTORY) and "://" in str(path):
        return _open_history(str(path).removeprefix(HISTORY), where, strict=strict)
    place, shown = (Path("-"), "-") if str(path) == "-" else resolve_study(path)
    if (place / MARK).is_file() or str(path).startswith(HISTORY):
        if os.path.lexists(place / "study.toml"):
            # Who adds a mark to the results would switch off every target that somebody else holds them to.
            raise InputError(f"{shown}: holds a study.toml and a history, which has none; move one of them elsewhere")
        return _open_history(str(place), where, strict=strict)
    templates = bool(names or paths)  # what another call without them has cached is another study
    if not templates and (cached := _cached_study(place, where, strict, format)) is not None:
        return cached
    digest = content_digest(place) if keep and shown != "-" and not templates else ""
    document, sha256 = _read_definition(place, shown)
    document = _with_templates(document, names, paths)
    file = convert(document, StudyFile)
    profiles = [breakdown.profile for breakdown in file.breakdown if breakdown.profile]
    with expecting(file.failures.expected) as met:
        results = load(
            place,
            path_templates=file.configuration.paths,
            name_templates=file.configuration.name_templates,
            # A profile is no result: it is read for the breakdown that names it.
            exclude=(*file.files.exclude, *map(escape, profiles)),
            formats=file.formats,
            tolerated=file.failures.tolerated,
            strict=strict,
            format=format,
        )
    for number, outcome in enumerate(met):
        if not met[outcome]:
            raise document.error(
                ("failures", "expected", number), f"no result tells the outcome '{printable(outcome, 60)}'; remove it"
            )
    results = _name_runs(document, file.configuration.runs, results)
    if not file.configuration.runs:
        results = _number_runs(results, repr(msgspec.to_builtins(file)) if sha256 else "")
    configuration = file.configuration
    if not configuration.paths:
        results, read_paths = read_file_names(results)
        configuration = msgspec.structs.replace(configuration, paths=read_paths)
    if not sha256:
        results, read_names = read_benchmark_names(results)
        configuration = msgspec.structs.replace(configuration, names=read_names)
    _Check(document, file, results).run()
    study = _study(place, shown, file, configuration, results, sha256)
    study = narrowed(study if sha256 else meant(study), where)
    if digest:
        _cache_study(study, place, where, format, digest)
    return study


def _open_history(uri: str, where: str, *, strict: bool) -> Study:
    """Return a study of the runs of a history that meet a condition."""
    from benchlib.history import open_history

    history = open_history(uri)
    results = history.results(where)
    if strict and results.problems:
        raise InputError(f"{history.uri}: {results.problems[0]}")
    by_commit = "commit" in results.axes and results.frame["commit"].notna().all()
    versions = "commit" if by_commit else "run"
    name = Path(history.uri.partition("?")[0]).name
    # A notebook that lies there is the study's own.
    path = history.place.local.resolve() if history.place.local else Path(name)
    study = _study(path, name, StudyFile(), Configuration(versions=versions), results, "")
    return replace(meant(study), where=where)


def _with_templates(document: Document, names: Sequence[str], paths: Sequence[str]) -> Document:
    """Return what study.toml says with further templates of names and paths."""
    if not (names or paths):
        return document
    said = document.values.get("configuration", {})
    more = {
        "names": [*said.get("names", ()), *({"template": name} for name in names)],
        "paths": [*said.get("paths", ()), *paths],
    }
    return replace(document, values={**document.values, "configuration": {**said, **more}})


def _name_runs(document: Document, axes: tuple[str, ...], results: Results) -> Results:
    """Return results whose runs are named by these axes, which are axes no more: ``2026-11-25/3``."""
    for number, axis in enumerate(axes):
        if axis not in results.axes:
            near, known = suggestion(axis, results.axes), choices(results.axes, 30) or "none"
            raise document.error(
                ("configuration", "runs", number),
                f"no result has the axis '{printable(axis, 60)}'{near}{'' if near else ';'} there are {known}",
            )
    if not axes:
        return results

    def named(frame: pd.DataFrame) -> pd.DataFrame:
        parts = [[_written(level) for level in frame[axis].tolist()] for axis in axes]
        names = ["/".join(levels) for levels in zip(*parts, strict=True)]
        return frame.drop(columns=list(axes)).assign(run=pd.Categorical(names, categories=list(dict.fromkeys(names))))

    return replace(results, frame=named(results.frame), failed=named(results.failed))


def _number_runs(results: Results, said: str) -> Results:
    """Return results whose run is the column that numbers their repeats, unless study.toml says something of it."""
    axes = [
        axis
        for axis in results.axes
        if _numbers_runs(axis, results.frame) and not re.search(rf"\b{re.escape(axis)}\b", said)
    ]

    def numbered(frame: pd.DataFrame) -> pd.DataFrame:
        has = frame[axes].notna().any(axis=1).tolist()
        parts = zip(*([_written(level) for level in frame[axis].tolist()] for axis in axes), strict=True)
        old = frame["run"].astype(object).tolist()
        names = ["/".join(levels) if new else run for levels, new, run in zip(parts, has, old, strict=True)]
        known = [name for name in dict.fromkeys(names) if not pd.isna(name)]
        return frame.drop(columns=axes).assign(run=pd.Categorical(names, categories=known))

    return replace(results, frame=numbered(results.frame), failed=numbered(results.failed)) if axes else results


def _numbers_runs(axis: str, frame: pd.DataFrame) -> bool:
    """Whether an axis holds whole numbers without a gap, as repeats are numbered; seeds may be any."""
    if not numbers_repeats(axis):
        return False
    rows = frame[axis].notna()
    levels = {_written(level) for level in frame.loc[rows, axis]}
    if not levels or not all(level.isascii() and level.isdigit() for level in levels):
        return False
    runs = frame.loc[rows, "run"]
    unnamed = bool((runs.isna() | (runs.astype(str) == "")).all())
    return unnamed and (axis.lower().startswith("seed") or is_count(levels))


def _written(level: Any) -> str:
    """Write a level as a part of a run's name: 3.0 is how pandas keeps 3 beside a missing one."""
    if pd.isna(level):
        return ""
    return f"{level:g}" if isinstance(level, float) else str(level).replace("/", "_")


def parse_study_file(text: str, shown: str = "study.toml") -> StudyFile:
    """Return what the text of a ``study.toml`` says."""
    return convert(parse_toml(text, shown), StudyFile)


def _read_definition(place: Path, shown: str) -> tuple[Document, str]:
    """Return the ``study.toml`` of a folder and its hash; an empty one where there is none."""
    path = place / "study.toml"
    if shown == "-" or not os.path.lexists(path):
        return parse_toml("", "study.toml"), ""
    if lost := leads_away(path, place):
        raise StudyError(f"{shown}/study.toml: a symbolic link that leads {lost}; copy the file")
    text, raw = read_text(path, f"{shown}/study.toml")
    return parse_toml(text, f"{shown}/study.toml"), hashlib.sha256(raw).hexdigest()


def resolve_study(path: str | Path) -> tuple[Path, str]:
    """Return where a study is, and how to name it in messages; `InputError` where there is none."""
    if not str(path).strip():
        raise InputError("no study named; give a folder of results, e.g. data/onix-adapter")
    named = local_path(str(path).removeprefix(HISTORY))
    if named.name == "study.toml":
        named = named.parent
    places = [named] if named.is_absolute() else [Path.cwd() / named, PROJECT_ROOT / named]
    for place in places:
        if os.path.exists(place):  # which says no, where Path.exists raises
            folder = place.resolve()
            if not folder.name:
                raise InputError(f"{printable(str(path))}: is the root of all files; name a folder of results below it")
            return folder, printable(named.as_posix())
    looked = " and ".join(dict.fromkeys(printable(str(place.parent)) for place in places))
    near = suggestion(named.name, _neighbours(places))
    raise InputError(
        f"{printable(str(path))}: no such file or folder{near}{'' if near else ';'} looked in {looked}; "
        "name a folder of results or one file"
    )


def _neighbours(places: list[Path]) -> list[str]:
    names: list[str] = []
    for place in places:
        with suppress(OSError):
            names += os.listdir(place.parent)
    return names


def concurrency_axis(results: Results) -> str:
    """Return the one varying axis that counts workers, or an empty text where several do or none does.

    Of several it is the one that counts all of them, as cores do of ranks with threads; else the one along which a
    throughput was measured: beside the workers of a parallel benchmark the GOMAXPROCS of a serial one is nothing
    that throughput grows along. Threads count only where nothing else does: beside connections they are the load
    generator's, not the server's.
    """
    varying = [axis for axis in results.axes if counted(axis) and _counts(axis, results.levels(axis))]
    if len(varying) > 2:
        largest = results.frame[varying].max(axis=1)
        totals = [axis for axis in varying if results.frame[axis].eq(largest).all()]
        if len(totals) == 1:
            return totals[0]
    workers = [axis for axis in varying if counted(axis) != "threads"] or varying
    if len(workers) > 1:
        rates = results.frame[results.frame["metric"] == "throughput"]
        workers = [axis for axis in workers if (rates.groupby("benchmark", observed=True)[axis].nunique() > 1).any()]
    return workers[0] if len(workers) == 1 else ""


def _counts(axis: str, levels: Sequence[Any]) -> bool:
    """Whether levels are counts to grow along: one beside rows that have none is not; a mean concurrency may be 0.2."""
    least = 1 if counted(axis) != "concurrency" else math.ulp(0)
    return len(levels) > 1 and all(isinstance(level, int | float) and level >= least for level in levels)


def _study(
    place: Path, shown: str, file: StudyFile, configuration: Configuration, results: Results, sha256: str
) -> Study:
    """Return a study; all that its file names was found in the results."""
    scaling = file.scaling
    if not scaling.concurrency:
        scaling = msgspec.structs.replace(scaling, concurrency=concurrency_axis(results))
    name = "stdin" if is_stdin(place) else place.name

    def profiled(profile: str) -> dict[str, float]:
        if profile and leads_away(place / profile, place) == "out of the folder":
            raise StudyError(
                f"{shown}/{printable(profile)}: a symbolic link that leads out of the folder; copy the file"
            )
        return read_shares(place / profile, f"{shown}/{printable(profile)}") if profile else {}

    return Study(
        path=place,
        name=name,
        title=file.title or name,
        titled=bool(file.title),
        question=file.question,
        answer=file.answer,
        decision=file.decision,
        answer_if=file.answer_if,
        tested=file.tested,
        origin=file.origin,
        lead=file.lead,
        notes=file.notes,
        commands=file.commands,
        environment=file.environment,
        where="",
        whole=results,
        results=results,
        blocks=configuration.runs or ("run",),
        configuration=configuration,
        parallel=configuration.parallel,
        scaling=scaling,
        effects=file.effects,
        breakdowns=tuple(
            BreakdownPlan(**msgspec.structs.asdict(table), profiled=profiled(table.profile)) for table in file.breakdown
        ),
        comparisons=tuple(ComparisonPlan(**msgspec.structs.asdict(table)) for table in file.compare),
        targets=file.targets,
        claims=file.claims,
        latency=file.latency,
        capacity=file.capacity,
        descriptions=file.describe,
        versions=configuration.versions,
        meant=(),
        definition_sha256=sha256,
    )


def without_results(name: str, title: str) -> Study:
    """Return a study of nothing, for a notebook that brings its own numbers."""
    nothing = Results(
        frame=pd.DataFrame(columns=list(SCHEMA)),
        failed=pd.DataFrame(columns=list(SCHEMA)),
        problems=(),
        files=(),
        metrics={},
        series=(),
        caveats=(),
    )
    return _study(Path(name), name, StudyFile(title=title), Configuration(), nothing, "")


def read_shares(path: Path, shown: str) -> dict[str, float]:
    """Return the share that each Go package took itself in a profile, largest first, those without any left out.

    Flat shares part the whole: no function is counted in another. What a profile drops for being small, and
    what it rounds away, is in none of them.
    """
    frame = load(path, format="pprof-top", strict=True).frame
    rows = frame[frame["metric"] == "flat_share"]
    if rows.empty:
        raise InputError(f"{shown}: no function of a profile; write it with: go tool pprof -top cpu.out")
    if "profile" in rows and rows["profile"].nunique(dropna=False) > 1:
        raise InputError(f"{shown}: holds several profiles; write each to a file of its own")
    packages = [package_of(str(function)) for function in rows["function"]]
    shares = rows["value"].groupby(packages).sum().sort_values(ascending=False, kind="stable")
    return {str(name): float(share) for name, share in shares.items() if share > 0}


def package_of(function: str) -> str:
    """Return the Go package of a function; its name where it has none."""
    if function.startswith("["):
        return function
    plain = function.partition("[")[0]
    folder, slash, last = plain.rpartition("/")
    return f"{folder}{slash}{last.partition('.')[0]}"


# --- does what the file names exist? ----------------------------------------------------------------------------------

#: Keys that name columns, conditions and metrics, in any table but ``[[formats]]``.
_COLUMNS = ("concurrency", "work", "versions", "column", "by", "factors", "ignore")
_CONDITIONS = ("where", "mean", "controls")
_METRICS = ("metric", "metrics")


def _values(table: Any, keys: Sequence[str], path: KeyPath = ()) -> Iterator[tuple[KeyPath, Any]]:
    """Yield every value of some keys, with its path, in all tables of the file that a study is asked by."""
    for field in msgspec.structs.fields(type(table)):
        value, at = getattr(table, field.name), (*path, field.encode_name)
        if at == ("formats",):
            continue
        for number, item in enumerate(value if isinstance(value, tuple) else [value]):
            place = (*at, number) if isinstance(value, tuple) else at
            if isinstance(item, msgspec.Struct):
                yield from _values(item, keys, place)
            elif field.name in keys and item:
                yield place, item


class _Check:
    """A study file held against the whole of its results, before any narrowing.

    So ``--where`` never turns a sound ``study.toml`` into a faulty one. A column must always exist. Levels, metrics
    and rows are asked for only when every file could be read: a broken file is a problem of its own, told elsewhere,
    and must not hide the rest behind an error about the rows it took with it.
    """

    def __init__(self, document: Document, file: StudyFile, results: Results) -> None:
        self.document, self.file, self.results = document, file, results
        read = {file.source for file in results.files}
        self.files_missing = any(fault.line == 0 and fault.source not in read for fault in results.problems)

    def run(self) -> None:
        """Refuse the first column, condition, format, claim, metric, level or unit that the results do not have."""
        for path, column in _values(self.file, _COLUMNS):
            self._column(path, column)
        for axis in self.file.describe.levels:
            self._column(("describe", "levels", axis), axis)
        for path, pattern in _values(self.file, ("changed",)):
            self._changed(path, pattern)
        for path, where in _values(self.file, _CONDITIONS):
            self._condition(path, where)
        self._formats()
        self._claims()
        if not self.files_missing:
            self._metrics()
            self._levels()
        self._units()

    def _column(self, path: KeyPath, name: str) -> None:
        if name not in self.results.frame.columns:
            known = [*NAMES, *self.results.axes, "run", "metric", "unit", "source"]
            self._absent(path, f"no result has the axis '{printable(name, 60)}'", name, known)

    def _absent(self, path: KeyPath, message: str, name: str, known: Sequence[str], most: int = 30) -> None:
        raise self.document.error(path, f"{message}{suggestion(name, known)}; there are {choices(known, most)}")

    def _changed(self, path: KeyPath, pattern: str) -> None:
        """Refuse packages that no result is of, and changes that leave none untouched."""
        self._column(path, "pkg")
        packages = self.results.frame["pkg"].dropna().unique().tolist()
        table = self.file.compare[cast("int", path[1])]
        if self.files_missing:
            return
        if not any(matches(package, package_glob(pattern)) for package in packages):
            raise self.document.error(
                path,
                f"no result is of a package '{printable(pattern, 60)}'; there are {choices(packages)}; "
                "write an import path, or '.../' for any start of one",
            )
        if all(any(matches(package, package_glob(changed)) for changed in table.changed) for package in packages):
            raise self.document.error(
                path[:-1], f"the change touches every package ({choices(packages)}), which leaves no control; remove it"
            )

    def _condition(self, path: KeyPath, where: str | ControlPlan) -> None:
        for part in [where] if isinstance(where, str) else [where.where, where.speaks_for]:
            for column, _, _ in condition(part):
                self._column(path, column)
            if self.files_missing:
                continue
            try:
                self.results.select(part)
            except SelectionError as error:
                raise self.document.error(path, str(error)) from error

    def _formats(self) -> None:
        """Refuse a declared format that no file is read with."""
        sources = {file.source for file in self.results.files} | {problem.source for problem in self.results.problems}
        for number, declared in enumerate(self.file.formats):
            if not any(claimed(declared.files, source) for source in sources):
                raise self.document.error(
                    ("formats", number, "files"),
                    f"no file is named {choices(declared.files)}; there are {choices(sorted(sources), 5)}; "
                    "correct the glob",
                )

    def _claims(self) -> None:
        """Refuse a claim about a comparison or curve that the study does not name."""
        compared = [table.name for table in self.file.compare]
        curves = [curve.name for curve in self.file.scaling.curves]
        for number, claim in enumerate(self.file.claims):
            name = claim.of
            header, known = ("[[compare]]", compared) if isinstance(claim, Ratio) else ("[[scaling.curves]]", curves)
            # Where a study lists no curves, they are found and named when it is analysed.
            if name and name not in known and (known or header == "[[compare]]"):
                near = suggestion(name, known)
                raise self.document.error(
                    ("claims", number, "of"),
                    f"no {header} is named '{printable(name, 60)}'{near}{'' if near else ';'} there are "
                    f"{choices(known)}",
                )

    def _metrics(self) -> None:
        known = self.results.metrics
        for path, name in _values(self.file, _METRICS):
            # The metrics of effects have a default, which says nothing where no factor is named.
            if name not in known and (path[0] != "effects" or self.file.effects.factors):
                self._absent(path, f"no result has the metric '{printable(name, 60)}'", name, list(known))

    def _units(self) -> None:
        """Refuse a bound in a unit that is not its metric's."""
        for header, tables in (("targets", self.file.targets), ("claims", self.file.claims)):
            for number, table in enumerate(tables):
                if not isinstance(table, TargetPlan | Median) or table.metric not in self.results.metrics:
                    continue
                unit = self.results.metrics[table.metric].unit
                if not table.is_in(unit):
                    raise self.document.error(
                        (header, number),
                        f"the bound '{printable(table.bound, 60)}' of [[{header}]] is in '{printable(table.unit)}', "
                        f"but the metric '{printable(table.metric, 60)}' is in '{printable(unit)}'; "
                        "write the bound in that unit",
                    )

    def _levels(self) -> None:
        """Refuse levels of ``[[breakdown]]`` and ``[[compare]]`` that the rows asked about do not have."""
        for number, table in enumerate(self.file.breakdown):
            for key, names in (("whole", (table.whole,)), ("parts", table.parts)):
                self._level(("breakdown", number, key), "benchmark", names, table.where)
        for number, plan in enumerate(self.file.compare):
            for key, names in (("baseline", plan.baselines), ("candidates", plan.candidates)):
                self._level(("compare", number, key), plan.column, names, plan.where)

    def _level(self, path: KeyPath, column: str, names: Sequence[str], where: str) -> None:
        rows = self.results.select(where)
        values = [*rows.levels(column), *rows.failed[column].dropna().unique().tolist()]
        # 32 is written so whether it is stored as 32 or 32.0.
        known = list(dict.fromkeys(f"{level:g}" if isinstance(level, float) else str(level) for level in values))
        for name in names:
            if name not in known:
                message = f"'{printable(name, 60)}' is not a level of {printable(column, 60)} in these rows"
                self._absent(path, message, name, known, 12)


# --- the rows that a condition keeps ----------------------------------------------------------------------------------


_FAILED = "failed-benchmark"

#: What is told of single rows, and so is told again of those that are left.
_OF_ROWS = ("failed-results", "few-failures", *CODES)


def narrowed(study: Study, where: str) -> Study:
    """Return a study of the rows that meet a condition, besides what it was narrowed to before; its whole stays."""
    if not where.strip():
        return study
    return replace(study, where=f"{study.where} {where}".strip(), results=narrow(study.results, where))


def problems_inside(study: Study) -> tuple[Problem, ...]:
    """Return the problems of a study, without those of files of which a condition leaves out every row."""
    outside = _sources_outside(study.whole, study.results)
    return tuple(problem for problem in study.results.problems if problem.source not in outside)


def _sources_outside(every: Results, inside: Results) -> frozenset[str]:
    """Return the files that hold rows, none of which is inside."""
    return every.sources() - inside.sources()


def narrow(results: Results, where: str) -> Results:
    """Return the rows that meet a condition, without what reading found of the others.

    Files and problems stay as they are; so does a file without a row, which nobody can say is outside.
    """
    if not where.strip():
        return results
    inside = results.select(where)
    outside = _sources_outside(results, inside)
    series = tuple(item for item in results.series if item.kind == _FAILED or item.source not in outside)
    of_all = tuple(caveat for caveat in results.caveats if caveat.code not in _OF_ROWS)
    speaking = tuple(item for item in series if item.kind != _FAILED or _may_speak(item, results, condition(where)))
    remarked = remark(failures(replace(inside, caveats=(), series=speaking)))
    return replace(inside, series=series, caveats=merge(of_all, remarked.caveats))


def _may_speak(failed: Series, results: Results, terms: Sequence[tuple[str, bool, str]]) -> bool:
    """Tell whether a benchmark that failed may be of a condition.

    It may have no row to ask: its name is asked, and of all else the rows of its file, where it has any.
    """
    names = {"benchmark": split_name(failed.name)[0], "name": without_prefix(failed.name)}
    if any(matches(names[column], pattern) != positive for column, positive, pattern in terms if column in names):
        return False
    others = [term for term in terms if term[0] not in names]
    tables = [table[(table["source"] == failed.source).to_numpy()] for table in (results.frame, results.failed)]
    return all(table.empty for table in tables) or any(meeting(table, others).any() for table in tables)


# --- a study opened once and used twice: by the command that checks it, and by the cells that it then runs -----------

#: Place, condition and reader of a study -> the digest of its files, and the study.
Cache = dict[tuple[Path, str, str], tuple[str, Study]]

#: The last study that was cached.
_cache: Cache = {}


def _cache_study(study: Study, place: Path, where: str, format: str, digest: str) -> None:
    """Cache a study for whoever opens the same one again; only the last stays."""
    _cache.clear()
    _cache[(place, where, format)] = (digest, study)


def last_cached() -> Cache:
    """Return what `adopt` takes in another process."""
    return dict(_cache)


def adopt(cached: Cache) -> None:
    """Take over what another process cached."""
    _cache.clear()
    _cache.update(cached)


def _cached_study(place: Path, where: str, strict: bool, format: str) -> Study | None:
    """Return the cached study, if it is the one asked for and its files are what they were."""
    digest, study = _cache.get((place, where, format), ("", None))
    if study is None or (strict and study.results.problems) or content_digest(place) != digest:
        return None
    return study


def content_digest(place: Path) -> str:
    """Return a hash of a file, or of the names and contents of all files below a folder; it reads every byte."""
    digest = hashlib.sha256()
    files = sorted(Path(folder, name) for folder, _, names in walk(place) for name in names)
    for file in files or [place]:
        if os.path.isfile(file):
            name = os.fsencode(file.relative_to(place))
            digest.update(b"%d %s %s" % (len(name), name, file_sha256(file).encode()))
    return digest.hexdigest()
