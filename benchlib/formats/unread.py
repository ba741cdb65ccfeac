"""What is said of files that no reader reads: the cause where it is known, and what was tried only where it is not."""

from __future__ import annotations

import codecs
import tomllib
from collections.abc import Sequence
from pathlib import Path

from benchlib.errors import FormatError, InputError, choices, printable
from benchlib.formats import registry
from benchlib.formats.declaration import claimed
from benchlib.formats.raw import is_stdin, unpacked
from benchlib.formats.readers.declared import DeclaredFormat
from benchlib.formats.readers.go_bench import without_result
from benchlib.formats.reading import Reader, TextFile
from benchlib.formats.registry import Unrecognised
from benchlib.formats.text import AS_UTF8, is_of_decoding
from benchlib.results import Problem

__all__ = ["HOLDS_NO_RESULT", "blaming_plugins", "from_here", "no_result", "nothing_read", "unrecognised"]

_ONLY_GO_WORDS = "Go benchmark text without a result; give the whole output of go test -bench"
#: What is said of a file that lies beside results and may well be none: a table of benchstat, a note.
HOLDS_NO_RESULT = (registry.UNRECOGNISED, _ONLY_GO_WORDS)
#: Bytes of a ``study.toml`` that are looked at: a person writes a few kilobytes.
_LARGEST_STUDY = 1 << 20
#: How many folders above a file are looked into for a study that declares its format.
_FOLDERS = 4


def unrecognised(error: Unrecognised, path: Path, file: TextFile, damaged: bytes) -> InputError:
    """Return the error that no reader recognises a file.

    Parameters
    ----------
    error : Unrecognised
    path : Path
    file : TextFile
    damaged : bytes
        Its bytes, where some of them are no text; else none.
    """
    source = file.source
    if damaged:
        return InputError(f"{source}: {_undecodable(unpacked(damaged, source))}")
    told = "" if is_stdin(path) else _declared_beside(path)
    if told:
        return FormatError(f"{source}: {registry.UNRECOGNISED}; {told}")
    if without_result(file):
        return FormatError(f"{source}: {_ONLY_GO_WORDS}")
    return error


def _undecodable(content: bytes) -> str:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "not UTF-16, as its first bytes say; save it as UTF-8"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return f"not UTF-8: byte 0x{content[error.start]:02x} at line {line}; {AS_UTF8}"
    return "not UTF-16, as its zero bytes say; save it as UTF-8"


def _declared_beside(path: Path) -> str:
    """Say which study above a file declares its format: formats are declared where a study is opened."""
    resolved = path.resolve()
    for folder in resolved.parents[:_FOLDERS]:
        for name, files in _declared(folder / "study.toml"):
            if claimed(files, resolved.relative_to(folder).as_posix()):
                shown = printable(from_here(folder).as_posix())
                study = f"{shown}/study.toml" if shown != "." else "study.toml"
                return f"{study} declares '{name}' for it; open the folder as a study: benchlib inspect {shown}"
    return ""


def from_here(path: Path) -> Path:
    """Return a path as it is written in the working directory, where it lies below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _declared(file: Path) -> list[tuple[str, tuple[str, ...]]]:
    """Return names and globs of the formats that a ``study.toml`` declares; what is wrong with it is told elsewhere."""
    try:
        with file.open("rb") as opened:
            formats = tomllib.loads(opened.read(_LARGEST_STUDY).decode("utf-8-sig")).get("formats")
    except (OSError, ValueError, RecursionError):
        return []
    found = []
    for one in formats if isinstance(formats, list) else []:
        files = one.get("files") if isinstance(one, dict) else None
        if isinstance(files, list) and all(isinstance(glob, str) for glob in files):
            found.append((printable(str(one.get("name", "a format")), 40), tuple(files)))
    return found


#: Files whose first problem is told where none holds a result.
_FILES_TOLD = 3


def _meant_first(problems: Sequence[Problem], declared: Sequence[DeclaredFormat]) -> list[Problem]:
    """Return problems with those first of files that were meant to be results: declared, or read."""

    def order(one: Problem) -> tuple[bool, bool, bool]:
        claimed = any(each.claims(one.source) for each in declared)
        return not claimed, not one.line, is_of_decoding(one.message)

    return sorted(problems, key=order)


def nothing_read(
    where: str, sources: Sequence[str], problems: Sequence[Problem], declared: Sequence[DeclaredFormat]
) -> InputError:
    """Return the error that none of some files was read."""
    told = [printable(f"{one.source}: {one.message}", 400) for one in _meant_first(problems, declared)]
    more = f" and {len(told) - 1} more" if len(told) > 1 else ""
    first = f" ({told[0]}{more})" if told else ""
    if not sources:
        return FormatError(f"{where}: holds no file to read{first}; name a file of results or a folder of them")
    files = "1 file" if len(sources) == 1 else f"{len(sources)} files"
    message = f"{where}: no benchmark results recognised in {files}{first}"
    unclaimed = [one for one in declared if not any(map(one.claims, sources))]
    if unclaimed:
        name, globs = printable(unclaimed[0].name, 40), choices(unclaimed[0].spec.files)
        return FormatError(f"{message}; none is named {globs}, as the format '{name}' says")
    untold = any(one.message == registry.UNRECOGNISED for one in problems)
    return FormatError(f"{message}; {registry.tried()}" if untold else message)


def no_result(
    where: str, readers: Sequence[Reader], problems: Sequence[Problem], declared: Sequence[DeclaredFormat]
) -> InputError:
    """Return the error that what was read holds no value."""
    if problems:
        return InputError(f"{where}: holds no result; {_first_problems(_meant_first(problems, declared))}")
    # Some files of a tool hold none by themselves: the reader says beside what they belong.
    beside = "".join(f"; {told}" for one in readers if (told := getattr(one, "beside", "")))
    return InputError(f"{where}: holds no result{beside}")


def _first_problems(problems: Sequence[Problem]) -> str:
    """Tell the first problem, and those of other files that were read: behind one broken file they would go unseen."""
    first = problems[0]
    firsts = {one.source: one for one in reversed(problems) if one.line and one.source != first.source}
    others = list(firsts.values())[::-1]
    if not others:
        return f"first problem: {first}"
    told = "; ".join(map(str, [first, *others[: _FILES_TOLD - 1]]))
    more = len(others) - (_FILES_TOLD - 1)
    rest = f"; {more} more {'file has' if more == 1 else 'files have'} some" if more > 0 else ""
    return f"first problem of each file: {told}{rest}"


def blaming_plugins(error: FormatError) -> FormatError:
    """Return the error with the plug-ins that failed, one of which may have read the file."""
    told = "".join(f"; {printable(whence)}: {message}" for whence, message in registry.plugin_problems())
    if not told:
        return error
    said, tried, names = str(error).partition("; tried ")
    return FormatError(f"{said}{told}{tried}{names}")
