"""The options of ``benchlib report``, and what is made of them."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from benchlib.cli.options import add_output, add_reader, add_where
from benchlib.errors import DataError, ParameterError, choices, printable, suggestion
from benchlib.units import parse_quantity

if TYPE_CHECKING:
    from benchlib.run.build import Making

__all__ = ["DEFAULT_JOBS", "add_options", "checked_choice", "count_asked", "making_asked", "size_asked"]

ENGINES = ("auto", "nbclient")
GATES = ("missed", "warn")

#: A page beyond this is no page that anyone reads or mails: a name of megabytes, or a table of everything.
DEFAULT_SIZE = "5MB"

#: Reports at work at a time: these machines have few cores.
DEFAULT_JOBS = 2


def add_options(command: argparse.ArgumentParser) -> None:
    """Add every option of the command."""
    command.add_argument("studies", nargs="*", metavar="STUDY", help="a folder of results")
    command.add_argument("--all", action="store_true", help="every study in data/")
    add_output(command, "reports")

    what = command.add_argument_group("what is built")
    what.add_argument(
        "-p", "--parameter", action="append", default=[], metavar="NAME=VALUE", help="a notebook parameter"
    )
    what.add_argument(
        "-f", "--parameters-file", type=Path, metavar="FILE", help="YAML of notebook parameters; -p wins over it"
    )
    what.add_argument("--notebook", default="executive_summary", metavar="NAME", help="default: executive_summary")
    what.add_argument(
        "--to", default="html", metavar="FORMATS", help="with commas: html, pdf, md, png, svg (default: html)"
    )
    what.add_argument("--logo", type=Path, metavar="FILE", help="PNG or SVG above the title")
    what.add_argument("--accent", default="", metavar="COLOUR", help="colour of links, as #1c5d99")
    what.add_argument("--css", type=Path, metavar="FILE", help="a style sheet of your own, behind that of the page")
    what.add_argument("--strict", action="store_true", help="any problem in a file is an error (exit 2)")
    what.add_argument("--force", action="store_true", help="build even if nothing changed")
    what.add_argument("--dry-run", action="store_true", help="check everything, say what would be built, build nothing")
    add_reader(command)
    add_where(command)

    how = command.add_argument_group("how it runs")
    how.add_argument("--jobs", default=str(DEFAULT_JOBS), metavar="N", help=f"at a time (default: {DEFAULT_JOBS})")
    how.add_argument("--engine", default="auto", metavar="NAME", help=f"{', '.join(ENGINES)} (default: auto)")
    how.add_argument("--timeout", default="", metavar="SECONDS", help="a cell that takes longer is ended (exit 4)")
    how.add_argument("--memory", default="", metavar="SIZE", help="cells that need more are ended, e.g. 2GiB (exit 5)")
    how.add_argument(
        "--max-size",
        default=DEFAULT_SIZE,
        metavar="SIZE",
        help=f"a larger page is not published (exit 6; default: {DEFAULT_SIZE})",
    )
    how.add_argument("--fail-on", default="", metavar="GATE", help="exit 3 on 'missed' targets, or on 'warn' too")
    how.add_argument("--notify", default="", metavar="COMMAND", help="run for each report that fails or trips the gate")
    how.add_argument("--quiet", action="store_true", help="print errors and skipped reports only")


def making_asked(given: argparse.Namespace) -> Making:
    """Return how the reports are made.

    Raises
    ------
    BenchlibError
        If an option cannot be what it says.
    """
    from benchlib.report.page.formats import check_formats
    from benchlib.report.page.style import read_style
    from benchlib.run.build import Making

    return Making(
        engine=checked_choice(given.engine, ENGINES, "--engine"),  # type: ignore[arg-type]  # one of them
        timeout=_seconds_asked(given.timeout, "--timeout"),
        memory=size_asked(given.memory, "--memory"),
        formats=check_formats(given.to),
        max_bytes=size_asked(given.max_size, "--max-size"),
        style=read_style(given.logo, given.accent, given.css),
        force=given.force,
    )


def checked_choice(word: str, known: tuple[str, ...], option: str) -> str:
    """Return a word that is one of those known.

    Raises
    ------
    ParameterError
        If it is not.

    Examples
    --------
    >>> checked_choice("auto", ENGINES, "--engine")
    'auto'
    """
    if word not in known:
        raise ParameterError(
            f"{option} '{printable(word, 40)}' is none of {choices(known)}{suggestion(word[:40], known)}"
        )
    return word


def count_asked(text: str, option: str, least: int, most: int) -> int:
    """Read a whole number within bounds.

    Raises
    ------
    ParameterError
        If it is none.

    Examples
    --------
    >>> count_asked("30", "--jobs", 1, 256)
    30
    """
    if not (text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most):
        raise ParameterError(f"{option} '{printable(text, 40)}': write a whole number from {least} to {most}")
    return int(text)


def size_asked(text: str, option: str) -> int | None:
    """Read a size in bytes, or None where none is asked for.

    Raises
    ------
    ParameterError
        If it is no size.

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


def _seconds_asked(text: str, option: str) -> float | None:
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not (math.isfinite(seconds) and seconds > 0):
        raise ParameterError(f"{option} '{printable(text, 40)}' is no time; write seconds above 0, such as 60")
    return seconds
