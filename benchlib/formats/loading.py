"""Load files and folders: find them, read each with its reader, and join them in one table."""

from __future__ import annotations

import fnmatch
import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchlib.errors import FormatError, InputError, printable
from benchlib.formats import registry, table
from benchlib.formats.declaration import FormatSpec
from benchlib.formats.naming import BoundTemplate, NameTemplate, bind, match_path
from benchlib.formats.notices import remark
from benchlib.formats.origins import restore
from benchlib.formats.raw import STDIN, is_stdin, local_path, read_bytes, unpacked_name
from benchlib.formats.readers.declared import DeclaredFormat
from benchlib.formats.readers.parquet import MARK, Parquet, read_parquet
from benchlib.formats.reading import Reader, TextFile
from benchlib.formats.text import decode, head_of, to_judge
from benchlib.formats.twice.reconcile import reconcile
from benchlib.formats.unread import blaming_plugins, from_here, no_result, nothing_read, unrecognised
from benchlib.results import Problem, Results
from benchlib.uncollected import uncollected

__all__ = ["load"]

#: Formats of tables that may be made from logs.
_TABLES = frozenset({"csv", "parquet"})
#: No system has longer paths.
_LONGEST_PATH = 4096
#: Files that describe results and are none.
_PASSED_OVER = re.compile(r"study\.toml|README.*|.*\.md|\..*", re.DOTALL)


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
    formats: Sequence[FormatSpec] = (),
) -> Results:
    """Read benchmark results from files and folders into one tidy table.

    Parameters
    ----------
    *paths : str or Path
        Files, or folders that are walked; ``"-"`` is standard input. Several name a run each: by the
        stem of the file or the name of the folder.
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
    formats : sequence of FormatSpec
        Declared formats; the first whose glob matches a file reads it, whatever it looks like.

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
    named = [local_path(one) for one in paths]
    if sum(map(is_stdin, named)) > 1:
        raise InputError("-: standard input is named twice, and can be read once; name it once")
    templates = [bind(one) for one in path_templates]
    names = [bind(one.template, one.benchmarks) for one in name_templates]
    problems: list[Problem] = []
    found = _find(named, root, exclude, problems)
    alone = len(found) == 1 and (is_stdin(named[0]) or not os.path.isdir(named[0]))
    declared = [DeclaredFormat(one) for one in formats]
    if format:
        _named(format, declared)
    shown = ", ".join(printable(str(from_here(Path(one)))) for one in paths[:3]) + (", …" if len(paths) > 3 else "")
    with uncollected():
        try:
            loaded = _read_all(found, templates, format, problems, declared, alone=alone)
            if not loaded.files:
                raise nothing_read(shown, [one.source for one in found], loaded.problems, declared)
        except FormatError as error:
            raise blaming_plugins(error) from error
        return _joined(loaded, names, shown, declared, strict=strict)


def _joined(
    loaded: _Loaded, names: Sequence[BoundTemplate], shown: str, declared: Sequence[DeclaredFormat], *, strict: bool
) -> Results:
    """Return one table of what was read, without what stands in it twice."""
    problems = [*loaded.problems]
    problems += [Problem(whence, 0, message) for whence, message in registry.plugin_problems()]
    results = table.build(loaded.files, names)
    results = replace(results, problems=(*problems, *results.problems))
    if strict and results.problems:
        raise InputError(str(results.problems[0]))
    if results.frame.empty and results.failed.empty:
        raise no_result(shown, [*loaded.readers.values()], results.problems, declared)
    made = {one.source: loaded.readers[one.format] for one in loaded.files}
    # What a reader says of its files: made from logs, of values that had so many digits.
    summaries = {source: getattr(one, "digits", 0) for source, one in made.items() if getattr(one, "summary", False)}
    others = [one.source for one in loaded.files if one.format in _TABLES and one.source not in summaries]
    return remark(restore(table.failures(reconcile(results, loaded.files, summaries, others))))


def _find(paths: Sequence[Path], root: Path | None, exclude: Sequence[str], problems: list[Problem]) -> list[_Found]:
    """List the files that the paths name, each once, with the path to show and its default run."""
    several = len(paths) > 1
    found: list[_Found] = []
    runs = [_stem(one) for one in paths]
    for path, stem in zip(paths, runs, strict=True):
        if is_stdin(path):
            found.append(_Found(path, STDIN, "stdin" if several else ""))
            continue
        if not os.path.exists(path):
            raise InputError(f"{printable(str(path))}: no such file or folder; check the path")
        # Two files of one stem are two runs all the same: the path as named tells them apart.
        run = "" if not several else stem if runs.count(stem) == 1 else _shown(path)
        base = root if root is not None else path if os.path.isdir(path) else path.parent
        inside = _walk(path, base, exclude, problems) if os.path.isdir(path) else [path]
        found += [_Found(one, _relative(one, base), run) for one in inside]
    sources = Counter(one.source for one in found)
    unique: dict[Path, _Found] = {}
    folders: dict[Path, Path] = {}
    for each in found:
        shown = each.source if sources[each.source] == 1 else _shown(each.path)
        unique.setdefault(_resolved(each.path, folders), _Found(each.path, shown, each.run))
    return list(unique.values())


def _resolved(path: Path, folders: dict[Path, Path]) -> Path:
    """Return where a path leads; the folders seen before are not asked again."""
    if os.path.islink(path):
        return path.resolve()
    if path.parent not in folders:
        folders[path.parent] = path.parent.resolve()
    return folders[path.parent] / path.name


def _stem(path: Path) -> str:
    name = printable(path.resolve().name, _LONGEST_PATH)
    return name if os.path.isdir(path) else Path(unpacked_name(name)).stem


def _relative(path: Path, base: Path) -> str:
    try:
        shown = path.relative_to(base)
    except ValueError:
        shown = path
    return _shown(shown)


def _shown(path: Path) -> str:
    """Return a path as text: a name on disk may hold bytes that are no text, and codes of a terminal."""
    return printable(path.as_posix(), _LONGEST_PATH)


def _walk(folder: Path, base: Path, exclude: Sequence[str], problems: list[Problem]) -> Iterator[Path]:
    """Yield the files below a folder in order; links that lead out of it are not followed."""
    home = folder.resolve()
    for directory, inner, names in os.walk(folder, onerror=lambda error: problems.append(_unlisted(error, base))):
        inner[:] = sorted(one for one in inner if not (one.startswith(".") or _holds_reports(Path(directory, one))))
        for path in (Path(directory, one) for one in inner):
            if os.path.islink(path):  # which says no of what cannot be looked at, where Path.is_symlink raises
                message = "a symbolic link to a folder; not followed; name the folder itself"
                problems.append(Problem(_relative(path, base), 0, message))
        for name in sorted(names):
            if _PASSED_OVER.fullmatch(name):
                continue
            path = Path(directory, name)
            inside = path.relative_to(folder).as_posix() if exclude else ""
            if any(fnmatch.fnmatchcase(text, glob) for glob in exclude for text in (inside, name)):
                continue
            if os.path.islink(path) and not (os.path.exists(path) and path.resolve().is_relative_to(home)):
                # A link in a circle exists nowhere, and resolving it would raise.
                lost = "out of the folder" if os.path.exists(path) else "nowhere"
                message = f"a symbolic link that leads {lost}; not followed; copy the file"
                problems.append(Problem(_relative(path, base), 0, message))
                continue
            yield path


def _holds_reports(folder: Path) -> bool:
    """Tell a folder that `benchlib report` wrote: reports are no results, and may lie among them."""
    if os.path.exists(folder / ".index.lock"):
        return True
    try:
        with open(folder / "manifest.json", "rb") as file:
            return b'"benchlib-manifest/' in file.read(64)
    except OSError:
        return False


def _unlisted(error: OSError, base: Path) -> Problem:
    where = _relative(Path(str(error.filename)), base)
    return Problem(where, 0, f"cannot be listed ({error.strerror or 'error'}); check its rights")


def _read_all(
    found: Sequence[_Found],
    templates: Sequence[BoundTemplate],
    format: str,
    problems: list[Problem],
    declared: Sequence[DeclaredFormat],
    *,
    alone: bool,
) -> _Loaded:
    loaded = _Loaded([], {}, problems)
    for one in found:
        try:
            file, reader = _read(one, templates, format, declared)
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


def _read(
    one: _Found, templates: Sequence[BoundTemplate], format: str, declared: Sequence[DeclaredFormat]
) -> tuple[table.ReadFile, Reader]:
    raw = read_bytes(one.path, one.source)
    problems: tuple[tuple[int, str], ...] = ()
    if raw.startswith(MARK):
        # Parquet is no text: it never passes through decoding.
        reader: Reader = Parquet()
        reading, sha256 = read_parquet(raw, one.source), hashlib.sha256(raw).hexdigest()
    else:
        prepared = decode(raw, one.source)
        damaged = raw if prepared.problems else b""
        del raw  # as large as the text made from it
        try:
            reader = _reader(one, prepared.file, format, declared)
        except registry.Unrecognised as error:
            raise unrecognised(error, one.path, prepared.file, damaged) from error
        del damaged
        reading, sha256, problems = reader.read(prepared.file), prepared.sha256, prepared.problems
    file = table.ReadFile(
        source=one.source,
        format=reader.name,
        sha256=sha256,
        reading=reading,
        path_facts=match_path(templates, one.source),
        run=one.run,
        problems=problems,
    )
    return file, reader


def _reader(one: _Found, file: TextFile, format: str, declared: Sequence[DeclaredFormat]) -> Reader:
    """Return the reader that is named, declared for such files, or recognises the content."""
    if format:
        return _named(format, declared)
    for each in declared:
        if each.claims(one.source):
            return each
    head = head_of(file)
    try:
        return registry.choose(head)
    except FormatError:
        # A log may talk for long before its first result.
        if head is file:
            raise
        return registry.choose(to_judge(file))


def _named(format: str, declared: Sequence[DeclaredFormat]) -> Reader:
    return next((each for each in declared if each.name == format), None) or registry.named(format)
