"""From a path to a `Study`: find it, read its definition, load its results, narrow them."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from glob import escape
from pathlib import Path

from benchlib.errors import InputError, printable, suggestion
from benchlib.formats import load
from benchlib.formats.text import is_stdin, local_path
from benchlib.results import Results
from benchlib.study.checking import check_definition
from benchlib.study.definition import Definition, parse_definition, read_definition
from benchlib.study.files_apart import part_files
from benchlib.study.kept import content_digest, keep_study, kept_study
from benchlib.study.narrowing import narrowed
from benchlib.study.opened import Study
from benchlib.study.plans import BreakdownPlan
from benchlib.study.profiles import read_shares

__all__ = ["PROJECT_ROOT", "concurrency_axis", "open_study", "resolve_study"]

#: Where a relative study is looked for after the working directory: the folder that holds the package.
PROJECT_ROOT = Path(__file__).resolve().parents[2]

#: Axes that count workers of some kind, where a study does not say which axis is concurrency.
_CONCURRENCY = ("gomaxprocs", "workers", "connections", "concurrency", "clients", "users", "vus", "processors", "nodes")


def open_study(
    path: str | Path, where: str = "", strict: bool = False, format: str = "", *, keep: bool = False
) -> Study:
    """Open a folder of results (or one file) as a study.

    Parameters
    ----------
    path : str or pathlib.Path
        A folder with or without a ``study.toml``, a single file of results, or ``"-"`` for
        standard input. A relative path
        is looked for from the working directory, then from the project root.
    where : str
        Keep only the rows that meet this condition, e.g. ``"benchmark=Sender* bits=32"``.
    strict : bool
        Stop at the first problem in a file instead of recording it.
    format : str
        Name of the reader of every file, where content leaves it open.
    keep : bool
        Have this object returned when the same study is opened again by this process, or one like it by the cells
        that it runs, as long as its files are what they were.

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
    found, shown = (Path("-"), "-") if str(path) == "-" else resolve_study(path)
    if (kept := kept_study(found, where, strict, format)) is not None:
        return kept
    digest = content_digest(found) if keep and shown != "-" else ""
    file = found / "study.toml"
    if shown != "-" and os.path.exists(file):
        definition = read_definition(file, f"{shown}/study.toml")
    else:
        definition = parse_definition("")
    results = load(
        found,
        path_templates=definition.path_templates,
        name_templates=definition.name_templates,
        # A profile is no result: it is read for the breakdown that names it.
        exclude=(*definition.exclude, *(escape(one.profile) for one in definition.breakdowns if one.profile)),
        formats=definition.formats,
        strict=strict,
        format=format,
    )
    if not definition.path_templates:
        results = part_files(results)
    targets, claims = check_definition(definition, results)
    breakdowns = tuple(_profiled(one, found, shown) for one in definition.breakdowns)
    checked = replace(definition, breakdowns=breakdowns, targets=targets, claims=claims)
    study = narrowed(_study(found, checked, results), where)
    if digest:
        keep_study(study, found, where, format, digest)
    return study


def _profiled(plan: BreakdownPlan, folder: Path, shown: str) -> BreakdownPlan:
    """Return a breakdown with the shares of its profile, where it names one."""
    if not plan.profile:
        return plan
    return replace(plan, profiled=read_shares(folder / plan.profile, f"{shown}/{printable(plan.profile)}"))


def resolve_study(path: str | Path) -> tuple[Path, str]:
    """Return where a study is, and how to name it in messages.

    Raises
    ------
    InputError
        If it is neither below the working directory nor below the project root, or the root of all files.
    """
    if not str(path).strip():
        raise InputError("no study named; give a folder of results, e.g. data/onix-adapter")
    named = local_path(path)
    if named.name == "study.toml":
        named = named.parent
    places = [named] if named.is_absolute() else [Path.cwd() / named, PROJECT_ROOT / named]
    for place in places:
        if os.path.exists(place):  # which says no, where Path.exists raises
            found = place.resolve()
            if not found.name:
                raise InputError(f"{printable(str(path))}: is the root of all files; name a folder of results below it")
            return found, printable(named.as_posix())
    looked = " and ".join(dict.fromkeys(printable(str(one.parent)) for one in places))
    near = suggestion(named.name, _neighbours(places))
    raise InputError(
        f"{printable(str(path))}: no such file or folder{near}{'' if near else ';'} looked in {looked}; "
        "name a folder of results or one file"
    )


def _neighbours(places: list[Path]) -> list[str]:
    found: list[str] = []
    for place in places:
        with suppress(OSError):
            found += os.listdir(place.parent)
    return found


def concurrency_axis(results: Results) -> str:
    """Return the one varying axis that counts workers, or an empty text where several do or none does.

    Of several it is the one along which a throughput was measured: beside the workers of a parallel benchmark the
    GOMAXPROCS of a serial one is nothing that throughput grows along. ``threads`` counts only where nothing else
    does: beside ``connections`` it is the load generator's, not the server's.
    """
    # One level beside rows that have none is nothing to grow along.
    axes = results.axes
    varying = [one for one in (*_CONCURRENCY, "threads") if one in axes and len(results.levels(one)) > 1]
    found = [one for one in varying if one != "threads"] or varying
    if len(found) > 1:
        rates = results.frame[results.frame["metric"] == "throughput"]
        found = [one for one in found if (rates.groupby("benchmark", observed=True)[one].nunique() > 1).any()]
    return found[0] if len(found) == 1 else ""


def _study(path: Path, definition: Definition, results: Results) -> Study:
    scaling = definition.scaling
    if not scaling.concurrency:
        scaling = replace(scaling, concurrency=concurrency_axis(results))
    return Study(
        path=path,
        name="stdin" if is_stdin(path) else path.name,
        title=definition.title or ("stdin" if is_stdin(path) else path.name),
        titled=bool(definition.title),
        question=definition.question,
        tested=definition.tested,
        origin=definition.origin,
        lead=definition.lead,
        notes=definition.notes,
        commands=definition.commands,
        environment=definition.environment,
        where="",
        whole=results,
        results=results,
        parallel=definition.parallel,
        scaling=scaling,
        effects=definition.effects,
        breakdowns=definition.breakdowns,
        choices=definition.choices,
        comparisons=definition.comparisons,
        targets=definition.targets,
        claims=definition.claims,
        latency=definition.latency,
        capacity=definition.capacity,
        descriptions=definition.descriptions,
        definition_sha256=definition.sha256,
    )
