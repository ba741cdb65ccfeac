"""``benchlib report``: run a notebook on a study, write the page."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchlib.cli.options import add_reader, add_where, assignments
from benchlib.errors import BenchlibError, InputError, ParameterError, printable

if TYPE_CHECKING:
    from benchlib.report.running.build import Built

__all__ = ["register"]

#: Kernels at work at a time: each has an interpreter of its own, and these machines have few cores.
WORKERS = 2


def register(commands: Any) -> None:
    """Add the command to the parser."""
    command = commands.add_parser(
        "report",
        help="run a notebook on a study and write one offline HTML page",
        description="Run a notebook on a study; write page, executed notebook and answers as JSON.",
        allow_abbrev=False,
    )
    command.add_argument("studies", nargs="*", metavar="STUDY", help="a folder of results")
    command.add_argument("--all", action="store_true", help="every study in data/")
    command.add_argument("-o", "--output", type=Path, default=Path("reports"), metavar="DIR", help="default: reports")
    command.add_argument(
        "-p", "--parameter", action="append", default=[], metavar="NAME=VALUE", help="a notebook parameter"
    )
    command.add_argument("--notebook", default="executive_summary", metavar="NAME", help="default: executive_summary")
    command.add_argument("--strict", action="store_true", help="any problem in a file is an error (exit 2)")
    command.add_argument("--force", action="store_true", help="build even if nothing changed")
    add_reader(command)
    add_where(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Build the reports asked for, and the index of all."""
    from benchlib.report.running.build import build_index

    studies = _studies(given)
    parameters = assignments(given.parameter, "-p")
    for name, value in (("where", given.where), ("reader", given.reader)):
        if value and name in parameters:
            raise ParameterError(f"'{name}' is given twice, by --{name} and by -p; give it once")
        if value:
            parameters[name] = value
    _refuse_twins(studies)
    _make_folder(given.output)
    jobs = [(one, given.output, given.notebook, parameters, given.strict, given.force) for one in studies]
    worst = 0
    if len(jobs) == 1:
        print(_line(_build(jobs[0])))
    else:
        # Forked after imports, a child would inherit the threads of the numeric libraries.
        with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
            for study, future in [(job[0], pool.submit(_build, job)) for job in jobs]:
                try:
                    print(_line(future.result()), flush=True)
                except BenchlibError as error:
                    # One bad study must not hide the others.
                    print(f"benchlib: {study}: {error}", file=sys.stderr)
                    worst = worst or error.exit_code
    print(f"{build_index(given.output)}: all reports")
    return worst


def _studies(given: argparse.Namespace) -> list[str]:
    if given.all and given.studies:
        raise InputError("name studies or say --all, not both")
    if not given.all:
        if not given.studies:
            raise InputError("no study named; name a folder of results, or say --all for every study in data/")
        if "-" in given.studies:
            raise InputError("-: a report reads its study more than once; save standard input to a file and name that")
        return list(given.studies)
    found = sorted(one.parent.as_posix() for one in Path("data").glob("*/study.toml"))
    if not found:
        raise InputError("no study in data/; run from the project's folder, or name the studies")
    return found


def _refuse_twins(studies: list[str]) -> None:
    """Two studies of one name would share a folder: the second report would take the first's place."""
    from benchlib.study.opening import resolve_study

    seen: dict[str, str] = {}
    for one in studies:
        try:
            name = resolve_study(one)[0].name
        except InputError:
            continue  # told when it is built, beside the others
        if name in seen:
            raise InputError(
                f"{printable(seen[name])} and {printable(one)} are both named '{printable(name)}'; "
                "build them into two folders with -o"
            )
        seen[name] = one


def _make_folder(output: Path) -> None:
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{output}: cannot be made a folder ({error.strerror}); choose another with -o") from error


def _build(job: tuple[str, Path, str, dict[str, str], bool, bool]) -> Built:
    from benchlib.report.running.build import build_report

    study, output, notebook, parameters, strict, force = job
    return build_report(study, output, notebook=notebook, parameters=parameters, strict=strict, force=force, quiet=True)


def _line(built: Built) -> str:
    note = "" if built.fresh else " (unchanged)"
    return f"{built.page}{note}: {built.status}: {built.verdict}"
