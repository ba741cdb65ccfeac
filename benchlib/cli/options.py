"""Options that several commands share."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from benchlib.errors import DataError, ParameterError, printable
from benchlib.units import parse_quantity

if TYPE_CHECKING:
    from benchlib.answers.asking import Refusal
    from benchlib.document.blocks import Document
    from benchlib.study import Study


def add_where(command: argparse.ArgumentParser) -> None:
    """Add ``--where`` to a command."""
    command.add_argument(
        "--where",
        default="",
        metavar="CONDITION",
        help="narrow to matching rows, e.g. 'benchmark=Sender* bits=32,64'",
    )


def add_output(command: argparse.ArgumentParser, default: str) -> None:
    """Add ``--output``, the folder of all that a command writes."""
    command.add_argument(
        "-o", "--output", type=_folder, default=Path(default), metavar="DIR", help=f"default: {default}"
    )


def _folder(text: str) -> Path:
    """Return a folder that was named: what is empty, such as a variable that is not set, is no working directory."""
    if not text.strip():
        raise argparse.ArgumentTypeError("-o is empty; name a folder")
    return Path(text)


def add_reader(command: argparse.ArgumentParser) -> None:
    """Add ``--reader`` to a command."""
    command.add_argument(
        "--reader",
        default="",
        metavar="NAME",
        help="read every file as this format, whatever it looks like (benchlib formats lists them)",
    )


def assignments(given: list[str], parser_error: str) -> dict[str, str]:
    """Split ``name=value`` options into a mapping.

    Examples
    --------
    >>> assignments(["metric=time"], "-p")
    {'metric': 'time'}
    """
    values: dict[str, str] = {}
    for assignment in given:
        name, equals, value = assignment.partition("=")
        if not equals or not name:
            raise ParameterError(f"{parser_error} '{printable(assignment)}': write it as name=value")
        if name in values:
            raise ParameterError(f"{parser_error} '{printable(name)}' is given twice; give it once")
        values[name] = value
    return values


def number_asked(text: str, option: str) -> float:
    """Read the number of an option.

    Examples
    --------
    >>> number_asked("0.9", "--confidence-level")
    0.9
    """
    try:
        return float(text)
    except ValueError as error:
        raise ParameterError(f"{option} '{printable(text)}' is not a number") from error


def share_asked(text: str, option: str) -> float:
    """Read a share, written as one or in percent.

    Examples
    --------
    >>> share_asked("2%", "--min-effect"), share_asked("0.02", "--min-effect"), share_asked("2 %", "--min-effect")
    (0.02, 0.02, 0.02)
    """
    number, sign, rest = text.partition("%")
    try:
        share = float(number) / 100 if sign else float(number)
    except ValueError:
        share = float("nan")
    if rest.strip() or not 0 <= share < 1:
        raise ParameterError(
            f"{option} '{printable(text)}' is no share from 0 to below 1; write two percent as 2% or 0.02"
        )
    return share


def size_asked(text: str, option: str) -> int | None:
    """Read a size in bytes, or None where none is asked for.

    Examples
    --------
    >>> size_asked("2GiB", "--memory"), size_asked("800 kB", "--max-size"), size_asked("", "--memory")
    (2147483648, 800000, None)
    """
    if not text:
        return None
    try:
        size, unit = parse_quantity(text[:40])
    except DataError:
        size, unit = 0.0, ""
    if unit != "B" or not 1 <= size < 2**63:
        raise ParameterError(f"{option} '{printable(text, 40)}' is no size; write it like 2GiB, 512MiB or 800kB")
    return int(size)


def parameters_asked(given: argparse.Namespace, options: Sequence[str]) -> dict[str, str]:
    """Return what ``-p`` gives a notebook; some options are parameters of their name too."""
    stated = assignments(given.parameter, "-p")
    for name in options:
        value = getattr(given, name)
        if value and name in stated:
            raise ParameterError(f"'{name}' is given twice, by --{name} and by -p; give it once")
        if value:
            stated[name] = value
    return stated


_Answer = TypeVar("_Answer")


def answered(study: Study, answer: _Answer | Refusal) -> _Answer:
    """Return an answer; a refusal ends the command."""
    from benchlib.answers.asking import Refusal

    if isinstance(answer, Refusal):
        raise DataError(f"{printable(study.name)}: {answer.reason}; {answer.advice}")
    return answer


def print_json(document: Mapping[str, Any]) -> None:
    """Print data as ASCII: a name in a file could hold control characters of a terminal."""
    print(json.dumps(document, indent=2, allow_nan=False))


def add_strict(command: argparse.ArgumentParser) -> None:
    """Add ``--strict``."""
    command.add_argument("--strict", action="store_true", help="any problem in a file is an error (exit 2)")


def add_trust(command: argparse._ActionsContainer) -> None:
    """Add ``--trust``, without which nothing that lies in a study runs."""
    command.add_argument("--trust", action="store_true", help="run a notebook that lies in the study itself")


def add_full(command: argparse.ArgumentParser) -> None:
    """Add ``--full``."""
    command.add_argument("--full", action="store_true", help="print every table, not the answer and the first alone")


def print_document(document: Document, given: argparse.Namespace) -> None:
    """Print a document as text for a terminal, or as Markdown."""
    if given.format == "markdown":
        from benchlib.render.markdown import markdown

        print(markdown(document))
    else:
        from benchlib.render.terminal import terminal

        print(terminal(document, full=given.full))
