"""Load files and folders: find them, read each with its reader, and join them in one table."""

from __future__ import annotations

import codecs
import fnmatch
import hashlib
import json
import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchlib.caveats import caveat, merge
from benchlib.errors import FormatError, InputError, choices, printable
from benchlib.files import leads_away, read_bounded, walk
from benchlib.formats import registry, table
from benchlib.formats.names import BoundTemplate, NameTemplate, bind, claimed, match_path
from benchlib.formats.reader import Reader, TextFile
from benchlib.formats.table import TOLERATED, remark
from benchlib.formats.text import (
    _STDIN,
    AS_UTF8,
    _is_of_decoding,
    _to_judge,
    _unpacked_name,
    decode,
    head_of,
    is_stdin,
    local_path,
    read_bytes,
    unpacked,
)
from benchlib.gc_pause import gc_pause
from benchlib.results import Problem, Results

if TYPE_CHECKING:
    from benchlib.formats.declared import DeclaredFormat, FormatSpec

#: The first bytes of a Parquet file.
_PARQUET = b"PAR1"
#: No system has longer paths.
_LONGEST_PATH = 4096
#: The manifest of a hundred reports is a tenth of it.
_LARGEST_MANIFEST = 4 << 20
#: Files that describe results and are none.
_PASSED_OVER = re.compile(
    r"study\.toml|(?:PROVENANCE|LICEN[CS]E|COPYING|NOTICE|CITATION|CHANGELOG)(?:\.(?:cff|md|rst|txt))?|\..*", re.DOTALL
)
#: Notes about results: read where a folder holds no result beside them; a README only where it holds nothing else.
_NOTES = re.compile(r".*\.(?:md|markdown)", re.DOTALL | re.IGNORECASE)
_README = re.compile(r"README.*", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Named:
    """A file to read: its path, the path to show, and the run it is by default."""

    path: Path
    source: str
    run: str


#: Files that were read, each with its reader.
_Loaded = list[tuple[table.ReadFile, Reader]]


def load(
    *paths: str | Path,
    root: Path | None = None,
    path_templates: Sequence[str] = (),
    name_templates: Sequence[NameTemplate] = (),
    format: str = "",
    strict: bool = False,
    exclude: Sequence[str] = (),
    formats: Sequence[FormatSpec] = (),
    tolerated: float = TOLERATED,
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
    tolerated : float
        Share of failed operations up to which a value stands, with a caveat.

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
    named = [local_path(path) for path in paths]
    if sum(map(is_stdin, named)) > 1:
        raise InputError("-: standard input is named twice, and can be read once; name it once")
    templates = [bind(path_template) for path_template in path_templates]
    names = [bind(name_template.template, name_template.benchmarks) for name_template in name_templates]
    problems: list[Problem] = []
    passed: list[str] = []
    files = _list_files(named, root, exclude, problems, passed)
    alone = len(files) == 1 and (is_stdin(named[0]) or not os.path.isdir(named[0]))
    declared = _declared_readers(formats)
    if format:
        _reader_named(format, declared)
    shown = ", ".join(printable(str(_from_here(Path(path)))) for path in paths[:3]) + (", …" if len(paths) > 3 else "")
    files, *notes = _without_notes(files, named, declared)
    with gc_pause():
        try:
            loaded = _read_all(files, templates, format, problems, declared, alone=alone)
            while not loaded and notes:
                more = notes.pop(0)
                loaded = _read_all(more, templates, format, problems, declared, alone=False)
                files = [*files, *more]
            loaded = _without_derived(loaded, problems)
            if not loaded:
                raise _nothing_read(shown, [file.source for file in files], problems, declared)
        except FormatError as error:
            raise _blaming_plugins(error) from error
        results = _joined(loaded, problems, names, shown, declared, tolerated, strict=strict)
    if passed:
        told = caveat("passed-over", f"{choices(passed, 3)}: reports that benchlib wrote, passed over")
        results = replace(results, caveats=merge(results.caveats, (told,)))
    return results


def _declared_readers(formats: Sequence[FormatSpec]) -> list[DeclaredFormat]:
    if not formats:
        return []
    from benchlib.formats.declared import DeclaredFormat

    return [DeclaredFormat(spec) for spec in formats]


def _joined(
    loaded: _Loaded,
    problems: Sequence[Problem],
    names: Sequence[BoundTemplate],
    shown: str,
    declared: Sequence[DeclaredFormat],
    tolerated: float,
    *,
    strict: bool,
) -> Results:
    """Return one table of what was read, without what stands in it twice."""
    problems = [*problems, *(Problem(whence, 0, message) for whence, message in registry.plugin_problems())]
    files, readers = [file for file, _ in loaded], [reader for _, reader in loaded]
    results = table.build(files, names, tolerated)
    results = replace(results, problems=(*problems, *results.problems))
    if strict and results.problems:
        raise InputError(str(results.problems[0]))
    if results.frame.empty and results.failed.empty:
        raise _no_result(shown, readers, results.problems, declared)
    summaries = [file.source for file, reader in loaded if getattr(reader, "summary", False)]
    if len(files) > 1 or results.series:
        from benchlib.formats.duplicates import _drop_duplicates, _restore_exports

        results = _restore_exports(_drop_duplicates(results, files, summaries))
    return remark(table.failures(results))


def _list_files(
    paths: Sequence[Path], root: Path | None, exclude: Sequence[str], problems: list[Problem], passed: list[str]
) -> list[_Named]:
    """List the files that the paths name, each once, with the path to show and its default run."""
    several = len(paths) > 1
    files: list[_Named] = []
    runs = [_stem(path) for path in paths]
    for path, stem in zip(paths, runs, strict=True):
        if is_stdin(path):
            files.append(_Named(path, _STDIN, "stdin" if several else ""))
            continue
        if not os.path.exists(path):
            raise InputError(f"{printable(str(path))}: no such file or folder; check the path")
        # Two files of one stem are two runs all the same: the path as named tells them apart.
        run = "" if not several else stem if runs.count(stem) == 1 else _shown(path)
        base = root if root is not None else path if os.path.isdir(path) else path.parent
        inside = _walk(path, base, exclude, problems, passed) if os.path.isdir(path) else [path]
        files += [_Named(path, _relative(path, base), run) for path in inside]
    sources = Counter(file.source for file in files)
    unique: dict[Path, _Named] = {}
    folders: dict[Path, Path] = {}
    for each in files:
        shown = each.source if sources[each.source] == 1 else _shown(each.path)
        unique.setdefault(_resolved(each.path, folders), _Named(each.path, shown, each.run))
    return list(unique.values())


def _without_notes(
    files: Sequence[_Named], named: Sequence[Path], declared: Sequence[DeclaredFormat]
) -> list[list[_Named]]:
    """Return files of results (those named or declared among them), then notes, then a README that stands alone."""
    asked = {path.absolute() for path in named}

    def holds(file: _Named, pattern: re.Pattern[str]) -> bool:
        known = file.path.absolute() in asked or any(each.claims(file.source) for each in declared)
        return not known and bool(pattern.fullmatch(file.path.name))

    readmes = [file for file in files if holds(file, _README)]
    notes = [file for file in files if holds(file, _NOTES) and file not in readmes]
    results = [file for file in files if file not in notes and file not in readmes]
    return [results, notes, [] if results or notes else readmes]


def _resolved(path: Path, folders: dict[Path, Path]) -> Path:
    """Return where a path leads; the folders seen before are not asked again."""
    if os.path.islink(path):
        return path.resolve()
    if path.parent not in folders:
        folders[path.parent] = path.parent.resolve()
    return folders[path.parent] / path.name


def _stem(path: Path) -> str:
    name = printable(path.resolve().name, _LONGEST_PATH)
    return name if os.path.isdir(path) else Path(_unpacked_name(name)).stem


def _relative(path: Path, base: Path) -> str:
    try:
        shown = path.relative_to(base)
    except ValueError:
        shown = path
    return _shown(shown)


def _shown(path: Path) -> str:
    """Return a path as text: a name on disk may hold bytes that are no text, and codes of a terminal."""
    return printable(path.as_posix(), _LONGEST_PATH)


#: Hidden folders that hold results: where pytest-benchmark saves them.
_HIDDEN_RESULTS = (".benchmarks",)


def _walk(
    folder: Path, base: Path, exclude: Sequence[str], problems: list[Problem], passed: list[str]
) -> Iterator[Path]:
    """Yield the files below a folder in order; links that lead out of it are not followed, reports are passed over."""
    for directory, inner, names in walk(folder, onerror=lambda error: problems.append(_unlisted(error, base))):
        inner[:] = sorted(entry for entry in inner if not entry.startswith(".") or entry in _HIDDEN_RESULTS)
        for path in [path for entry in inner if _holds_reports(path := Path(directory, entry))]:
            # They are no results, and may lie among them.
            inner.remove(path.name)
            passed.append(_relative(path, base))
        for path in (Path(directory, entry) for entry in inner):
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
            if os.path.islink(path) and (lost := leads_away(path, folder)):
                message = f"a symbolic link that leads {lost}; not followed; copy the file"
                problems.append(Problem(_relative(path, base), 0, message))
                continue
            yield path


def _holds_reports(folder: Path) -> bool:
    """Tell a folder that `benchlib report` wrote: its manifest names pages that lie there, or its folders' do."""
    if os.path.isfile(folder / "index.html"):
        with suppress(OSError), os.scandir(folder) as entries:
            inner = [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
            return any(map(_names_pages, [folder, *inner]))
    return _names_pages(folder)


def _names_pages(folder: Path) -> bool:
    """Tell whether a whole manifest of ours names files that lie beside it."""
    try:
        pages = json.loads(read_bounded(folder / "manifest.json", _LARGEST_MANIFEST))["pages"].values()
        names = [name for page in pages for name in page["files"]]
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return False
    return bool(names) and all(isinstance(name, str) and os.path.isfile(folder / name) for name in names)


def _unlisted(error: OSError, base: Path) -> Problem:
    where = _relative(Path(str(error.filename)), base)
    return Problem(where, 0, f"cannot be listed ({error.strerror or 'error'}); check its rights")


def _read_all(
    files: Sequence[_Named],
    templates: Sequence[BoundTemplate],
    format: str,
    problems: list[Problem],
    declared: Sequence[DeclaredFormat],
    *,
    alone: bool,
) -> _Loaded:
    loaded: _Loaded = []
    for named in files:
        try:
            loaded.append(_read(named, templates, format, declared))
        except InputError as error:
            if alone:
                raise
            problems.append(Problem(named.source, 0, str(error).removeprefix(f"{named.source}: ")))
    return loaded


def _without_derived(loaded: _Loaded, problems: list[Problem]) -> _Loaded:
    """Return what was read without tables that were made from results, where results are read as well."""
    raw = [(file, reader) for file, reader in loaded if not getattr(reader, "derived", False)]
    if not raw:
        return loaded
    for file, reader in loaded:
        if getattr(reader, "derived", False):
            problems.append(Problem(file.source, 0, f"a table of {reader.name}; {_MADE_OF_RESULTS}"))
    return raw


def _read(
    named: _Named, templates: Sequence[BoundTemplate], format: str, declared: Sequence[DeclaredFormat]
) -> tuple[table.ReadFile, Reader]:
    raw = read_bytes(named.path, named.source)
    problems: tuple[tuple[int, str], ...] = ()
    if raw.startswith(_PARQUET):
        # Parquet is no text: it never passes through decoding.
        from benchlib.formats.tables import PARQUET, read_parquet

        reader: Reader = PARQUET
        reading, sha256 = read_parquet(raw, named.source), hashlib.sha256(raw).hexdigest()
    else:
        prepared = decode(raw, named.source)
        damaged = raw if prepared.problems else b""
        del raw  # as large as the text made from it
        try:
            reader = _reader(named, prepared.file, format, declared)
        except registry.Unrecognised as error:
            raise _unrecognised(named.path, prepared.file, damaged) from error
        del damaged
        reading, sha256, problems = reader.read(prepared.file), prepared.sha256, prepared.problems
    file = table.ReadFile(
        source=named.source,
        format=reader.name,
        sha256=sha256,
        reading=reading,
        path_facts=match_path(templates, named.source),
        run=named.run,
        problems=problems,
    )
    return file, reader


def _reader(named: _Named, file: TextFile, format: str, declared: Sequence[DeclaredFormat]) -> Reader:
    """Return the reader that is named, declared for such files, or recognises the content."""
    if format:
        return _reader_named(format, declared)
    for each in declared:
        if each.claims(named.source):
            return each
    head = head_of(file)
    try:
        return registry.choose(head)
    except FormatError:
        # A log may talk for long before its first result.
        if head is file:
            raise
        return registry.choose(_to_judge(file))


def _reader_named(format: str, declared: Sequence[DeclaredFormat]) -> Reader:
    return next((each for each in declared if each.name == format), None) or registry.named(format)


# What is said of files that no reader reads: the cause where it is known, else what they look like.


#: What go test alone prints around results.
_GO_FRAME = ("goos: ", "goarch: ", "ok  \t")
_ONLY_GO_WORDS = "Go benchmark text without a result; give the whole output of go test -bench"
#: Bytes of a ``study.toml`` that are looked at: a person writes a few kilobytes.
_LARGEST_STUDY = 1 << 20
#: How many folders above a file are looked into for a study that declares its format.
_FOLDERS = 4


_MADE_OF_RESULTS = "left out, since results are read from which it may be made"


def holds_no_result(message: str) -> bool:
    """Whether a problem is one of a file that may well be no result: a note beside them, a table of benchstat."""
    return message.startswith((registry._UNRECOGNISED, _ONLY_GO_WORDS)) or message.endswith(_MADE_OF_RESULTS)


def _unrecognised(path: Path, file: TextFile, damaged: bytes) -> InputError:
    """Return the error that no reader recognises a file."""
    source = file.source
    if damaged:
        return InputError(f"{source}: {_undecodable(unpacked(damaged, source))}")
    study = "" if is_stdin(path) else _declared_beside(path)
    if study:
        return FormatError(f"{source}: {registry._UNRECOGNISED}; {study}")
    # Its header, or its last line, and no result.
    if any(line.startswith(_GO_FRAME) for line in file.lines):
        return FormatError(f"{source}: {_ONLY_GO_WORDS}")
    from benchlib.formats.guesses import guess

    return FormatError(f"{source}: {registry._UNRECOGNISED}; {guess(file)}")


def _undecodable(content: bytes) -> str:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "not UTF-16, as its first bytes say; save it as UTF-8"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return f"not UTF-8: byte 0x{content[error.start]:02x} at line {line}; {AS_UTF8}"
    return f"not UTF-8; {AS_UTF8}"


def _declared_beside(path: Path) -> str:
    """Say which study above a file declares its format: formats are declared where a study is opened."""
    resolved = path.resolve()
    for folder in resolved.parents[:_FOLDERS]:
        for name, files in _declared(folder / "study.toml"):
            if claimed(files, resolved.relative_to(folder).as_posix()):
                shown = printable(_from_here(folder).as_posix())
                study = f"{shown}/study.toml" if shown != "." else "study.toml"
                return f"{study} declares '{name}' for it; open the folder as a study: benchlib inspect {shown}"
    return ""


def _from_here(path: Path) -> Path:
    """Return a path as it is written in the working directory, where it lies below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _declared(file: Path) -> list[tuple[str, tuple[str, ...]]]:
    """Return names and globs of the formats that a ``study.toml`` declares, none where it is broken."""
    try:
        formats = tomllib.loads(read_bounded(file, _LARGEST_STUDY).decode("utf-8-sig")).get("formats")
    except (OSError, ValueError, RecursionError):
        return []
    specs = []
    for entry in formats if isinstance(formats, list) else []:
        files = entry.get("files") if isinstance(entry, dict) else None
        if isinstance(files, list) and all(isinstance(glob, str) for glob in files):
            specs.append((printable(str(entry.get("name", "a format")), 40), tuple(files)))
    return specs


#: Files whose first problem is shown where none holds a result.
_FILES_SHOWN = 3


def _meant_first(problems: Sequence[Problem], declared: Sequence[DeclaredFormat]) -> list[Problem]:
    """Return problems with those first of files that were meant to be results: declared, or read."""

    def order(problem: Problem) -> tuple[bool, bool, bool]:
        claimed = any(each.claims(problem.source) for each in declared)
        return not claimed, not problem.line, _is_of_decoding(problem.message)

    return sorted(problems, key=order)


def _nothing_read(
    where: str, sources: Sequence[str], problems: Sequence[Problem], declared: Sequence[DeclaredFormat]
) -> InputError:
    """Return the error that none of some files was read."""
    known = f"{registry._UNRECOGNISED}; "
    messages = [
        printable(f"{problem.source}: {problem.message.removeprefix(known)}", 600)
        for problem in _meant_first(problems, declared)
    ]
    more = f" and {len(messages) - 1} more" if len(messages) > 1 else ""
    first = f" ({messages[0]}{more})" if messages else ""
    if not sources:
        return FormatError(f"{where}: holds no file to read{first}; name a file of results or a folder of them")
    files = "1 file" if len(sources) == 1 else f"{len(sources)} files"
    message = f"{where}: no benchmark results recognised in {files}{first}"
    unclaimed = [format_spec for format_spec in declared if not any(map(format_spec.claims, sources))]
    if unclaimed:
        name, globs = printable(unclaimed[0].name, 40), choices(unclaimed[0].spec.files)
        return FormatError(f"{message}; none is named {globs}, as the format '{name}' says")
    return FormatError(message)


def _no_result(
    where: str, readers: Sequence[Reader], problems: Sequence[Problem], declared: Sequence[DeclaredFormat]
) -> InputError:
    """Return the error that what was read holds no value."""
    if problems:
        return InputError(f"{where}: holds no result; {_first_problems(_meant_first(problems, declared))}")
    # Some files of a tool hold none by themselves: the reader says beside what they belong.
    beside = "".join(dict.fromkeys(f"; {words}" for reader in readers if (words := getattr(reader, "beside", ""))))
    return InputError(f"{where}: holds no result{beside}")


def _first_problems(problems: Sequence[Problem]) -> str:
    """Show the first problem of each file that was read: behind that of the first file the others would go unseen."""
    first = problems[0]
    firsts = {
        problem.source: problem for problem in reversed(problems) if problem.line and problem.source != first.source
    }
    others = list(firsts.values())[::-1]
    if not others:
        return f"first problem: {first}"
    shown = "; ".join(map(str, [first, *others[: _FILES_SHOWN - 1]]))
    more = len(others) - (_FILES_SHOWN - 1)
    rest = f"; {more} more {'file has' if more == 1 else 'files have'} some" if more > 0 else ""
    return f"first problem of each file: {shown}{rest}"


def _blaming_plugins(error: FormatError) -> FormatError:
    """Return the error with the plug-ins that failed, one of which may have read the file."""
    failed = "".join(f"; {printable(whence)}: {message}" for whence, message in registry.plugin_problems())
    if not failed:
        return error
    return FormatError(f"{error}{failed}")
