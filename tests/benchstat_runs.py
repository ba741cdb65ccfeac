"""What ``benchlib compare --format benchstat-csv`` writes for the arguments of a ``benchstat -format csv`` command."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchlib.cli import parser

#: Options of benchstat that have another name; all others have a second dash.
_NAMED = {"-confidence": "--confidence-level"}
_CELL = re.compile(r"([A-Z]+)(\d+: .*)", re.DOTALL)
#: A line of a file that could not be read, and metadata that another file contradicts.
_LINE = re.compile(r"\S+:\d+: ")


@dataclass(frozen=True, slots=True)
class Written:
    """What a command writes: tables, what it says of lines of files, and of cells."""

    tables: str
    of_lines: tuple[str, ...]
    of_cells: tuple[str, ...]


def parted(stdout: str, stderr: str) -> Written:
    """Sort what benchstat wrote; cells past column Z get the names that spreadsheets give them."""
    lines = stderr.splitlines(keepends=True)
    return Written(
        tables=stdout,
        of_lines=tuple(one for one in lines if _LINE.match(one)),
        of_cells=tuple(_rightly_named(one) for one in lines if not _LINE.match(one)),
    )


def _rightly_named(line: str) -> str:
    """Name the cell of a warning right: benchstat writes numbers to the base of 26 where A is 0."""
    found = _CELL.fullmatch(line)
    if found is None or len(found[1]) == 1:
        return line
    place = 0
    for letter in found[1]:
        place = 26 * place + ord(letter) - ord("A")
    first, second = divmod(place, 26)
    assert 1 <= first <= 26, "no table of the tests is wider than ZZ"
    return f"{chr(ord('A') + first - 1)}{chr(ord('A') + second)}{found[2]}"


def write(arguments: Sequence[str], folder: Path, where: str = "") -> Written:
    """Run the command in a folder, with a condition in place of a filter; errors are raised."""
    command = ["compare", "--format", "benchstat-csv", *(["--where", where] if where else []), *translated(arguments)]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        given = parser().parse_args(command)
        assert given.run(given) == 0
    lines = err.getvalue().splitlines(keepends=True)
    return Written(
        tables=out.getvalue(),
        of_lines=tuple(one for one in lines if not _CELL.fullmatch(one)),
        of_cells=tuple(one for one in lines if _CELL.fullmatch(one)),
    )


def translated(arguments: Sequence[str]) -> list[str]:
    """Return arguments of benchstat as benchlib has them; the format and filters are left out."""
    found = []
    words = iter(arguments)
    for word in words:
        if word in ("-format", "-filter"):
            next(words)
        elif word.startswith("-"):
            found += [_NAMED.get(word, f"-{word}"), next(words)]
        else:
            found.append(word)
    return found
