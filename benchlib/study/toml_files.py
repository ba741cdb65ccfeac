"""A TOML file that a person writes: read within bounds, parsed, and every mistake told with its line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from benchlib.errors import StudyError, printable
from benchlib.study.section import Document, Section
from benchlib.study.toml_lines import locate_keys

__all__ = ["LARGEST", "decoded", "parse_toml", "read_bytes"]

#: Bytes beyond which a file is refused: a person writes a few kilobytes.
LARGEST = 1 << 20

_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")


def read_bytes(path: Path, shown: str, *, advice: str) -> bytes:
    """Return what a file holds.

    Parameters
    ----------
    path : pathlib.Path
    shown : str
        How to name the file in messages.
    advice : str
        What to do with a file that is too large.

    Raises
    ------
    StudyError
        If it is not there, cannot be read or is too large.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except FileNotFoundError as error:
        raise StudyError(f"{shown}: no such file; check the path") from error
    except OSError as error:
        raise StudyError(f"{shown}: cannot be read ({error.strerror}); mend its type or permissions") from error
    if len(raw) > LARGEST:
        raise StudyError(f"{shown}: larger than 1 MiB; {advice}")
    return raw


def decoded(raw: bytes, shown: str) -> str:
    """Return bytes as text.

    Raises
    ------
    StudyError
        If they are not UTF-8, with the line.
    """
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise StudyError(f"{shown}:{line}: not UTF-8 text; save the file as UTF-8") from error


def parse_toml(text: str, shown: str) -> Section:
    r"""Return the top table of a TOML text; it knows the line of each of its keys.

    Raises
    ------
    StudyError
        If it is not TOML, with the line.

    Examples
    --------
    >>> parse_toml('title = "Adapter"', "study.toml").text("title")
    'Adapter'
    """
    return Section(values=_parsed(text, shown), path=(), document=Document(source=shown, lines=locate_keys(text)))


def _parsed(text: str, shown: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.search(str(error))
        line = found[1] if found and found[1] else text.rstrip("\n").count("\n") + 1
        column = f" at column {found[2]}" if found and found[2] else ""
        said = _PLACE.sub("", str(error))
        raise StudyError(f"{shown}:{line}: not valid TOML{column}: {printable(said)}") from error
    except RecursionError as error:
        raise StudyError(f"{shown}: brackets nest too deep; four levels are enough") from error
    except ValueError as error:
        # A number or date that Python cannot hold carries no position.
        raise StudyError(f"{shown}: not valid TOML: {printable(str(error))}") from error
