"""What ``benchlib compare`` is given: the words that options take, and which options say nothing beside others."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from benchlib.errors import ParameterError, printable, suggestion

__all__ = ["FORMATS", "as_benchstat", "check_given"]

FORMATS = ("text", "markdown", "csv", "json", "html", "benchstat-csv")
GATES = ("regression", "any")


def check_given(given: argparse.Namespace) -> None:
    """Refuse words that are none, and options that would do nothing beside others.

    Raises
    ------
    ParameterError
    """
    for option, value, known in (("--format", given.format, FORMATS), ("--fail-on", given.fail_on, GATES)):
        if value not in known and (value or option == "--format"):
            raise ParameterError(
                f"{option} '{printable(value)}' is none of {', '.join(known)}{suggestion(value, known)}; choose one"
            )
    for option, value in (("--metric", given.metric), ("--baseline", given.baseline), ("--candidate", given.candidate)):
        if value and not value.strip(", "):
            raise ParameterError(f"{option} '{printable(value)}' names nothing; name one, or leave it out")
    for mode, refused in _without_effect(given):
        for option in refused:
            found = getattr(given, option.removeprefix("--").replace("-", "_"))
            if found not in (None, "", [], False):
                raise ParameterError(f"{option} says nothing with {mode}; leave one of them out")
    for option, value in (("--row", given.row), ("--col", given.col)):
        if value == "" and not as_benchstat(given):
            raise ParameterError(f"{option} '' names nothing; name a column, or leave it out")
    for control in given.control:
        if not f" {control} ".partition(" for ")[2].strip() and " for " in f" {control} ":
            raise ParameterError(
                f"--control '{printable(control)}' names no rows after 'for'; write 'pkg=*/filter for pkg=*/pgn', or "
                "leave 'for' out"
            )
    if len(given.paths) == 1 and not (given.col or given.baseline or given.same_code or as_benchstat(given)):
        for option, value in (("--row", given.row), ("--ignore", given.ignore), ("--candidate", given.candidate)):
            if value:
                raise ParameterError(
                    f"{option} says nothing where one input is compared as its study asks; name what to compare with "
                    "--col and --baseline"
                )


def as_benchstat(given: argparse.Namespace) -> bool:
    """Whether benchstat's tables are asked for.

    Examples
    --------
    >>> as_benchstat(argparse.Namespace(format="text"))
    False
    """
    return bool(given.format == "benchstat-csv")


def _without_effect(given: argparse.Namespace) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what is asked for, and the options that would do nothing to it."""
    judging = ("--baseline", "--candidate", "--control", "--interleaved", "--fail-on", "--min-effect")
    if not as_benchstat(given):
        yield f"--format {given.format}", ("--table",)
    else:
        yield "--format benchstat-csv", (*judging, "--metric", "--same-code")
    if given.same_code:
        yield "--same-code", (*judging, "--alpha", "--row", "--col", "--ignore")
    if given.format != "markdown":
        yield f"--format {given.format}", ("--name",)
