"""``benchlib report``: run a notebook on a study, write the page.

From top to bottom: the options, the reports that they ask for, and what is done and said of each.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from benchlib.cli.options import add_output, add_reader, add_trust, add_where, parameters_asked, size_asked
from benchlib.cli.shell import print_line, write_line
from benchlib.cli.telling import Lines, Quiet, Teller, notify
from benchlib.errors import (
    BenchlibError,
    InputError,
    Interrupted,
    NotebookError,
    ParameterError,
    PlaceTaken,
    choices,
    printable,
    suggestion,
)
from benchlib.files import explaining_refusals, read_bounded
from benchlib.run.build import (
    Built,
    Making,
    Request,
    Tell,
    add_formats,
    asked_as_published,
    build_report,
    checked_order,
    place_of,
    untouched,
)
from benchlib.run.failure import explain_failure, explained
from benchlib.run.manifest import check_index, holds_reports, locked, made_folder
from benchlib.run.parameters import find_notebook, said_before

_ENGINES = ("auto", "nbclient")
_GATES = ("missed", "warn")

#: A page beyond this is no page that anyone reads or mails: a name of megabytes, or a table of everything.
DEFAULT_SIZE = "5MB"

#: Reports at work at a time: these machines have few cores.
DEFAULT_JOBS = 2


def add_options(command: argparse.ArgumentParser) -> None:
    """Describe the command and add its options."""
    command.description = "Run a notebook on a study; write page, executed notebook and answers as JSON."
    command.epilog = (
        "Exit codes: 0 done, 1 a cell failed, 2 bad input, 3 --fail-on tripped, 4 time-out, "
        "5 crash or memory, 6 the page failed its check, 7 a further format was not drawn, 130 interrupted, "
        "129, 131 or 143 ended by SIGHUP, SIGQUIT or SIGTERM. See docs/reports.md."
    )
    command.add_argument(
        "studies", nargs="*", metavar="STUDY", help="a folder of results; first a notebook of your own, if you like"
    )
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
    what.add_argument(
        "--audit", action="store_true", help="simulate the study, and say what its intervals and verdicts really hold"
    )
    add_trust(what)
    what.add_argument("--force", action="store_true", help="build even if nothing changed")
    what.add_argument("--dry-run", action="store_true", help="check everything, say what would be built, build nothing")
    add_reader(command)
    add_where(command)

    how = command.add_argument_group("how it runs")
    how.add_argument("--jobs", default=str(DEFAULT_JOBS), metavar="N", help=f"at a time (default: {DEFAULT_JOBS})")
    how.add_argument("--engine", default="auto", metavar="NAME", help=f"{', '.join(_ENGINES)} (default: auto)")
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
    command.set_defaults(run=run, failed=failed)


def _making_asked(given: argparse.Namespace) -> Making:
    """Return how the reports are made."""
    from benchlib.render.chromium import check_formats
    from benchlib.render.style import read_style

    return Making(
        engine=_checked_choice(given.engine, _ENGINES, "--engine"),  # type: ignore[arg-type]  # one of them
        timeout=_seconds_asked(given.timeout, "--timeout"),
        memory=size_asked(given.memory, "--memory"),
        formats=check_formats(given.to),
        max_bytes=size_asked(given.max_size, "--max-size"),
        style=read_style(given.logo, given.accent, given.css),
        force=given.force,
    )


def _checked_choice(word: str, known: tuple[str, ...], option: str) -> str:
    """Return a word that is one of those known."""
    if word not in known:
        raise ParameterError(
            f"{option} '{printable(word, 40)}' is none of {choices(known)}{suggestion(word[:40], known)}"
        )
    return word


def count_asked(text: str, option: str, least: int, most: int) -> int:
    """Read a whole number within bounds."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most):
        raise ParameterError(f"{option} '{printable(text, 40)}': write a whole number from {least} to {most}")
    return int(text)


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


def _requests(given: argparse.Namespace, making: Making) -> list[Request]:
    """Return a request for each study."""
    notebook = given.notebook
    if given.studies and given.studies[0].endswith(".ipynb"):
        notebook, given.studies = given.studies[0], given.studies[1:] or [""]
    studies = _studies(given)
    parameters = _parameters(given)
    if not given.all:  # in one folder no two have one name
        _refuse_twins(studies)
    if notebook.endswith(".ipynb") and not given.quiet:
        for remark in said_before(find_notebook(notebook)):
            write_line(f"benchlib: {printable(notebook)}: {remark}")
    asked = partial(
        Request, output=given.output, notebook=notebook, parameters=parameters, strict=given.strict,
        linked=not given.all, trust=given.trust, making=making,
    )  # fmt: skip
    return [asked(study) for study in studies]


def _parameters(given: argparse.Namespace) -> dict[str, object]:
    """Return what the file and the command line give, which wins."""
    stated = parameters_asked(given, ["where", "reader"])
    if given.audit:
        stated["audited"] = "true"
    return (_read_parameters(given.parameters_file) if given.parameters_file else {}) | stated


#: Bytes of a file of parameters.
_LARGEST_PARAMETERS = 64 * 1024


def _read_parameters(path: Path) -> dict[str, object]:
    """Return the parameters of a YAML file, as ``papermill -f`` reads it."""
    import yaml

    shown = printable(str(path))
    try:
        raw = read_bounded(path, _LARGEST_PARAMETERS)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no path"
        raise InputError(f"-f {shown}: cannot be read ({reason}); name a YAML file of parameters") from None
    if len(raw) > _LARGEST_PARAMETERS:
        raise InputError(f"-f {shown}: is larger than 64 KiB; parameters take a few lines")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"-f {shown}: cannot be read (it is not UTF-8 text); name a YAML file of parameters") from None
    try:
        _refuse_twice(yaml.compose(text, Loader=yaml.SafeLoader), shown)
        document = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:  # a date that is none is a ValueError
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        reason = getattr(error, "problem", None) or (error if isinstance(error, ValueError) else "nested too deep")
        raise InputError(f"-f {shown}{line}: not YAML ({printable(str(reason), 100)}); write NAME: VALUE") from None
    if not isinstance(document, dict) or not all(isinstance(name, str) for name in document):
        raise InputError(f"-f {shown}: holds no parameters; write a line NAME: VALUE for each")
    for name, value in document.items():
        items = value if isinstance(value, list) else [value]
        if not all(isinstance(item, str | int | float | date) for item in items):
            raise InputError(f"-f {shown}: '{printable(name, 60)}' is neither a value nor a list of values")
    if "study" in document:
        raise ParameterError(f"-f {shown}: 'study' is named on the command line; leave it out")
    return document


def _refuse_twice(node: Any, shown: str) -> None:
    """Refuse a name that stands twice: YAML would take the last without a word."""
    seen: set[str] = set()
    for key, _ in node.value if getattr(node, "id", "") == "mapping" else ():
        if key.value in seen:
            name, line = printable(str(key.value), 60), key.start_mark.line + 1
            raise ParameterError(f"-f {shown}:{line}: '{name}' is given twice; give it once")
        seen.add(key.value)


def _studies(given: argparse.Namespace) -> list[str]:
    if given.all and given.studies:
        raise InputError("name studies or say --all, not both")
    if not given.all:
        if not given.studies:
            raise InputError("no study named; name a folder of results, or say --all for every study in data/")
        if "-" in given.studies:
            raise InputError("-: a report reads its study more than once; save standard input to a file and name that")
        return list(given.studies)
    # Also where it is a link that leads nowhere: nothing is left out without a word.
    folders = sorted(Path("data").glob("*"))
    studies = [folder.as_posix() for folder in folders if os.path.lexists(folder / "study.toml")]
    if not studies:
        raise InputError("no study in data/; run from the project's folder, or name the studies")
    return studies


def _refuse_twins(studies: list[str]) -> None:
    """Two studies of one name would share a folder: the second report would take the first's place."""
    from benchlib.study.open import resolve_study

    seen: dict[str, tuple[str, Path]] = {}
    for study in filter(None, studies):
        try:
            place = resolve_study(study)[0]
        except InputError:
            continue  # told when it is built, beside the others
        earlier, taken = seen.setdefault(place.name, (study, place))
        if taken is not place and taken == place:
            raise InputError(f"{printable(study)} is the same study as {printable(earlier)}; name it once")
        if taken != place:
            raise InputError(
                f"{printable(earlier)} and {printable(study)} are both named '{printable(place.name)}'; "
                "build them into two folders with -o"
            )


#: The exit code of a gate that tripped.
GATE = 3


def run(given: argparse.Namespace) -> int:
    """Build the reports asked for, and the index of all."""
    return _dry_run(given) if given.dry_run else _run(given, _teller(given))


def failed(given: argparse.Namespace, error: BenchlibError) -> None:
    """Tell why the command could not begin, or who ended it; not by a notice where a person at the terminal did."""
    if given.notify and type(error) is not Interrupted:
        notify(given.notify, {"event": "failure", "exit_code": error.exit_code, "error": error})
    _teller(given).failed(None, error, alone=True)


def _run(given: argparse.Namespace, teller: Teller) -> int:
    requests = _checked_requests(given)
    made_folder(given.output)
    codes = []
    for request, ended in _ended(requests, given, teller):
        if isinstance(ended, BenchlibError):
            codes.append(_failed(request, ended, given, teller, alone=len(requests) == 1))
        else:
            codes.append(_built(request, ended, given, teller))
    if holds_reports(given.output):
        from benchlib.run.listing import build_index  # starts threads: nothing is forked any more

        teller.index(build_index(given.output, style=requests[0].making.style))
    # The first failure is the one to look at; a gate is told by code only where nothing failed.
    failures = [code for code in codes if code not in (0, GATE)]
    return [*failures, *(code for code in codes if code == GATE), 0][0]


def _checked_requests(given: argparse.Namespace) -> list[Request]:
    if given.fail_on:
        _checked_choice(given.fail_on, _GATES, "--fail-on")
    count_asked(given.jobs, "--jobs", 1, 256)
    requests = _requests(given, _making_asked(given))
    check_index(given.output)
    return requests


def _teller(given: argparse.Namespace) -> Teller:
    return Quiet() if given.quiet else Lines()


def _dry_run(given: argparse.Namespace) -> int:
    """Say what would be built, and why."""
    requests = _checked_requests(given)
    worst = 0
    for request in requests:
        try:
            if built := untouched(request):
                print_line(f"{printable(str(built.page), 4096)}: unchanged")
                continue
            with explaining_refusals():
                order = checked_order(request)
        except BenchlibError as error:
            Quiet().failed(request, error, alone=len(requests) == 1)
            worst = worst or error.exit_code
            continue
        because = order.due() or (("--force",) if given.force else ())
        page = printable(str(order.place.page), 4096)
        print_line(f"{page}: would be built: {', '.join(because)}" if because else f"{page}: unchanged")
    return worst


def _ended(
    requests: list[Request], given: argparse.Namespace, teller: Teller
) -> Iterator[tuple[Request, Built | BenchlibError]]:
    """Yield each request with its report or its error: one bad study must not hide the others."""
    from benchlib.run.jobs import preload, run_jobs

    standing = [untouched(request) for request in requests]
    yield from ((request, built) for request, built in zip(requests, standing, strict=True) if built)
    requests = [request for request, built in zip(requests, standing, strict=True) if not built]
    if not requests:
        return
    if len(requests) == 1:
        try:
            yield requests[0], _build(requests[0], teller.stage)
        except BenchlibError as error:
            yield requests[0], error
        return
    preload()
    pages_only = [replace(request, making=replace(request.making, formats=())) for request in requests]
    tasks = [partial(_build, request, teller.stage) for request in pages_only]
    for index, ended in run_jobs(tasks, workers=int(given.jobs)):
        request = requests[index]
        if isinstance(ended, BenchlibError) or ended.outcome == "busy" or not request.making.formats:
            yield request, ended
            continue
        try:
            yield request, _with_formats(request, ended, teller.stage)
        except BenchlibError as error:
            yield request, error


def _build(request: Request, tell: Tell) -> Built:
    with explaining_refusals():
        return build_report(request, tell)


def _with_formats(request: Request, built: Built, tell: Tell) -> Built:
    """Write the further formats of a report that was built without them."""
    place = place_of(request)
    with explaining_refusals(), locked(place.lock, wait=True):
        formats, undrawn = add_formats(place, request.making.formats, str(request.study), tell)
        return replace(built, formats=formats, undrawn=undrawn)


def _built(request: Request, built: Built, given: argparse.Namespace, teller: Teller) -> int:
    teller.built(request, built)
    about = {"study": str(request.study), "page": built.page, "status": built.status, "verdict": built.verdict}
    if built.undrawn:
        code = built.undrawn.exit_code
        teller.undrawn(request, built.undrawn)
        if given.notify:
            notify(given.notify, {"event": "failure", **about, "exit_code": code, "error": built.undrawn})
    else:
        code = 0
    if not built.trips(given.fail_on):
        return code
    teller.tripped(given.fail_on, request, built)
    if given.notify:
        notify(given.notify, {"event": "gate", **about, "exit_code": GATE, "gate": given.fail_on})
    return code or GATE


def _failed(request: Request, error: BenchlibError, given: argparse.Namespace, teller: Teller, *, alone: bool) -> int:
    teller.failed(request, error, alone=alone)
    page = left_page(request, error)
    if given.notify:
        facts = {"page": page, "status": "FAILED", "error": error, "exit_code": error.exit_code}
        notify(given.notify, {"event": "failure", "study": str(request.study), **facts})
    return error.exit_code


def left_page(request: Request, error: BenchlibError) -> str:
    """Leave a page of the failure where a report is, or where one had begun; return its path, or "".

    A slip of the command line says nothing of what was published: only a report that was asked for as it was
    built can be said to fail now.
    """
    if isinstance(error, PlaceTaken):
        return ""  # what lies there is not this report's to mark
    try:
        place = place_of(request)
    except InputError:
        return ""  # neither study nor notebook is there: nothing to put a page beside
    if explained(place, error, study=str(request.study)):
        return str(place.failed_page)
    ran = isinstance(error, NotebookError) and place.folder.is_dir()
    if not (ran or asked_as_published(request)):
        return ""
    explain_failure(place, error, title=place.folder.name, study=str(request.study))
    return str(place.failed_page) if place.failed_page.is_file() else ""
