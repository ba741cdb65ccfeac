"""Load files and folders: find them, read each with its reader, and join them in one table."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchlib.errors import FormatError, InputError, choices, printable
from benchlib.formats import registry, table
from benchlib.formats.naming import BoundTemplate, NameTemplate, bind, match_path
from benchlib.formats.reading import Reader
from benchlib.formats.reconcile import copies, reconcile
from benchlib.formats.text import decode, head_of, read_bytes
from benchlib.results import Problem, Results

__all__ = ["load"]

#: Files that describe results and are none.
_PASSED_OVER = ("study.toml", "README*", "*.md", ".*")


@dataclass(frozen=True, slots=True)
class _Found:
    path: Path
    source: str
    run: str


@dataclass(slots=True)
class _Loaded:
    files: list[table.ReadFile]
    readers: dict[str, Reader]
    problems: list[Problem]


def load(
    *paths: str | Path,
    root: Path | None = None,
    path_templates: Sequence[str] = (),
    name_templates: Sequence[NameTemplate] = (),
    format: str = "",
    strict: bool = False,
    exclude: Sequence[str] = (),
) -> Results:
    """Read benchmark results from files and folders into one tidy table.

    Parameters
    ----------
    *paths : str or Path
        Files, or folders that are walked. Several name a run each: by the stem of the file or the
        name of the folder.
    root : Path, optional
        What the column ``source`` is relative to; by default the folder named, or a file's folder.
    path_templates : sequence of str
        ``"cpu{gomaxprocs:int}.txt"`` matches a file name, a template with a slash the relative path.
    name_templates : sequence of NameTemplate
        What benchmark names state besides ``key=value`` parts.
    format : str
        Name of the reader, where content leaves it open.
    strict : bool
        Raise for the first problem instead of recording it.
    exclude : sequence of str
        Globs over relative paths and file names to leave out.

    Raises
    ------
    InputError
        If a path is missing or unreadable, or nothing holds a value; with `strict`, for any problem.
    FormatError
        If no reader recognises the one file or any file of a folder, or several readers do.
    StudyError
        If a template cannot mean anything.

    Examples
    --------
    >>> load("data/lplex").frame["benchmark"].nunique()  # doctest: +SKIP
    29
    """
    if not paths:
        raise InputError("no path given; name a file of results or a folder of them")
    templates = [bind(one) for one in path_templates]
    names = [bind(one.template, one.benchmarks) for one in name_templates]
    problems: list[Problem] = []
    found = _find([Path(one) for one in paths], root, exclude, problems)
    loaded = _read_all(found, templates, format, problems, alone=len(found) == 1 and Path(paths[0]).is_file())
    where = ", ".join(printable(str(one)) for one in paths[:3]) + (", …" if len(paths) > 3 else "")
    if not loaded.files:
        raise _nothing(where, found, loaded.problems)
    results = table.build(loaded.files, names)
    results = replace(results, problems=(*loaded.problems, *results.problems))
    if strict and results.problems:
        raise InputError(str(results.problems[0]))
    if results.frame.empty and results.failed.empty:
        first = f"; first problem: {results.problems[0]}" if results.problems else ""
        raise InputError(f"{where}: holds no result{first}")
    summaries = [one.source for one in loaded.files if getattr(loaded.readers[one.format], "summary", False)]
    others = [one.source for one in loaded.files if one.format == "csv" and one.source not in summaries]
    # A lone table has no log to be held against.
    if len(summaries) + len(others) == len(loaded.files):
        summaries, others = [], []
    return table.failures(reconcile(results, summaries, others, copies(loaded.files)))


def _find(paths: Sequence[Path], root: Path | None, exclude: Sequence[str], problems: list[Problem]) -> list[_Found]:
    """List the files that the paths name, each once, with the path to show and its default run."""
    several = len(paths) > 1
    found: list[_Found] = []
    runs = [_stem(one) for one in paths]
    for path, stem in zip(paths, runs, strict=True):
        if not path.exists():
            raise InputError(f"{printable(str(path))}: no such file or folder; check the path")
        # Two files of one stem are two runs all the same: the path as named tells them apart.
        run = "" if not several else stem if runs.count(stem) == 1 else path.as_posix()
        base = root if root is not None else path if path.is_dir() else path.parent
        inside = _walk(path, base, exclude, problems) if path.is_dir() else [path]
        found += [_Found(one, _relative(one, base), run) for one in inside]
    sources = [one.source for one in found]
    unique: dict[Path, _Found] = {}
    for each in found:
        shown = each.source if sources.count(each.source) == 1 else each.path.as_posix()
        unique.setdefault(each.path.resolve(), _Found(each.path, shown, each.run))
    return list(unique.values())


def _stem(path: Path) -> str:
    name = path.resolve().name
    return name if path.is_dir() else Path(name.removesuffix(".gz")).stem


def _relative(path: Path, base: Path) -> str:
    try:
        shown = path.relative_to(base)
    except ValueError:
        shown = path
    return printable(shown.as_posix(), 4096)


def _walk(folder: Path, base: Path, exclude: Sequence[str], problems: list[Problem]) -> Iterator[Path]:
    """Yield the files below a folder in order; links that lead out of it are not followed."""
    home = folder.resolve()
    for directory, inner, names in os.walk(folder, onerror=lambda error: problems.append(_unlisted(error, base))):
        inner[:] = sorted(one for one in inner if not one.startswith("."))
        for name in sorted(names):
            path = Path(directory, name)
            inside = path.relative_to(folder).as_posix()
            if any(fnmatch.fnmatchcase(name, glob) for glob in _PASSED_OVER):
                continue
            if any(fnmatch.fnmatchcase(text, glob) for glob in exclude for text in (inside, name)):
                continue
            if path.is_symlink() and not (path.exists() and path.resolve().is_relative_to(home)):
                # A link in a circle exists nowhere, and resolving it would raise.
                lost = "out of the folder" if path.exists() else "nowhere"
                message = f"a symbolic link that leads {lost}; not followed; copy the file"
                problems.append(Problem(_relative(path, base), 0, message))
                continue
            yield path


def _unlisted(error: OSError, base: Path) -> Problem:
    where = _relative(Path(str(error.filename)), base)
    return Problem(where, 0, f"cannot be listed ({error.strerror or 'error'}); check its rights")


def _read_all(
    found: Sequence[_Found],
    templates: Sequence[BoundTemplate],
    format: str,
    problems: list[Problem],
    *,
    alone: bool,
) -> _Loaded:
    loaded = _Loaded([], {}, problems)
    for one in found:
        try:
            file, reader = _read(one, templates, format)
        except InputError as error:
            if alone:
                raise
            message = str(error).removeprefix(f"{one.source}: ")
            # What was tried is the same for every file: said once, by the error that nothing was read.
            loaded.problems.append(Problem(one.source, 0, message.partition("; tried ")[0]))
            continue
        loaded.files.append(file)
        loaded.readers[reader.name] = reader
    return loaded


def _read(one: _Found, templates: Sequence[BoundTemplate], format: str) -> tuple[table.ReadFile, Reader]:
    prepared = decode(read_bytes(one.path, one.source), one.source)
    if format:
        reader = registry.named(format)
    else:
        head = head_of(prepared.file)
        try:
            reader = registry.choose(head)
        except FormatError:
            # A log may talk for long before its first result.
            if head is prepared.file:
                raise
            reader = registry.choose(prepared.file)
    reading = reader.read(prepared.file)
    file = table.ReadFile(
        source=one.source,
        format=reader.name,
        sha256=prepared.sha256,
        reading=reading,
        path_facts=match_path(templates, one.source),
        run=one.run,
        problems=prepared.problems,
    )
    return file, reader


def _nothing(where: str, found: Sequence[_Found], problems: Sequence[Problem]) -> InputError:
    tried = "; ".join(f"{one.name} ({one.rule})" for one in registry.readers())
    if not found:
        return FormatError(f"{where}: holds no file to read; tried {tried}")
    first = choices([f"{one.source}: {one.message}" for one in problems], limit=1)
    files = "1 file" if len(found) == 1 else f"{len(found)} files"
    return FormatError(f"{where}: no benchmark results recognised in {files} ({first}); tried {tried}")
