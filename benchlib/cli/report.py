"""``benchlib report``: run a notebook on a study, write the page."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from benchlib.cli.reporting.jobs import Job, jobs_asked
from benchlib.cli.reporting.notice import notify
from benchlib.cli.reporting.options import GATES, add_options, checked_choice, count_asked, making_asked
from benchlib.cli.reporting.telling import Lines, Quiet, Teller
from benchlib.cli.streams import print_line
from benchlib.errors import BenchlibError, InputError, Interrupted, NotebookError, PlaceTaken, printable

if TYPE_CHECKING:
    from benchlib.run.build import Built

__all__ = ["register"]

#: status of a page -> the gates that do not let it pass.
_TRIPPED = {"FAIL": ("missed", "warn"), "WARN": ("warn",)}

#: The exit code of a gate that tripped.
_GATE = 3


def register(commands: Any) -> None:
    """Add the command to the parser."""
    command = commands.add_parser(
        "report",
        help="run a notebook on a study and write one offline HTML page",
        description="Run a notebook on a study; write page, executed notebook and answers as JSON.",
        epilog="Exit codes: 0 done, 1 a cell failed, 2 bad input, 3 --fail-on tripped, 4 time-out, "
        "5 crash or memory, 6 the page failed its check, 7 a further format was not drawn, 130 interrupted, "
        "143 ended by SIGTERM. See docs/reports.md.",
        allow_abbrev=False,
    )
    add_options(command)
    command.set_defaults(run=run, failed=failed)


def run(given: argparse.Namespace) -> int:
    """Build the reports asked for, and the index of all."""
    return _dry_run(given) if given.dry_run else _run(given, _teller(given))


def failed(given: argparse.Namespace, error: BenchlibError) -> None:
    """Tell why the command could not begin, or who ended it; not by a notice where a person at the terminal did."""
    if given.notify and type(error) is not Interrupted:
        notify(given.notify, {"event": "failure", "exit_code": error.exit_code, "error": error})
    _teller(given).failed(None, error, alone=True)


def _run(given: argparse.Namespace, teller: Teller) -> int:
    from benchlib.run.manifest import holds_reports, made_folder

    jobs = _checked_jobs(given)
    made_folder(given.output)
    codes = []
    with teller.live(len(jobs)):
        for job, ended in _ended(jobs, given, teller):
            if isinstance(ended, BenchlibError):
                codes.append(_failed(job, ended, given, teller, alone=len(jobs) == 1))
            else:
                codes.append(_built(job, ended, given, teller))
    if holds_reports(given.output):
        from benchlib.run.listing import build_index  # starts threads: nothing is forked any more

        teller.index(build_index(given.output, style=jobs[0].making.style))
    # The first failure is the one to look at; a gate is told by code only where nothing failed.
    failures = [one for one in codes if one not in (0, _GATE)]
    return [*failures, *(one for one in codes if one == _GATE), 0][0]


def _checked_jobs(given: argparse.Namespace) -> list[Job]:
    from benchlib.run.manifest import check_index

    if given.fail_on:
        checked_choice(given.fail_on, GATES, "--fail-on")
    count_asked(given.jobs, "--jobs", 1, 256)
    jobs = jobs_asked(given, making_asked(given))
    check_index(given.output)
    return jobs


def _teller(given: argparse.Namespace) -> Teller:
    if given.quiet:
        return Quiet()
    if sys.stderr.isatty():
        from benchlib.cli.reporting.progress import Bar

        return Bar()
    return Lines()


def _dry_run(given: argparse.Namespace) -> int:
    """Say what would be built, and why."""
    jobs = _checked_jobs(given)
    worst = 0
    for job in jobs:
        try:
            order = job.order()
        except BenchlibError as error:
            Quiet().failed(job, error, alone=len(jobs) == 1)
            worst = worst or error.exit_code
            continue
        because = order.due() or (("--force",) if given.force else ())
        page = printable(str(order.place.page), 4096)
        print_line(f"{page}: would be built: {', '.join(because)}" if because else f"{page}: unchanged")
    return worst


def _ended(jobs: list[Job], given: argparse.Namespace, teller: Teller) -> Iterator[tuple[Job, Built | BenchlibError]]:
    """Yield each job with its report or its error: one bad study must not hide the others."""
    from benchlib.report.page.formats.browser import Browser
    from benchlib.run.jobs import preload, run_jobs

    if len(jobs) == 1:
        try:
            yield jobs[0], jobs[0].build(teller.told)
        except BenchlibError as error:
            yield jobs[0], error
        return
    preload()
    tasks = [partial(job.pages_only().build, teller.told) for job in jobs]
    with Browser() as browser:  # started for the first format that is drawn, warm for all others
        for index, ended in run_jobs(tasks, workers=int(given.jobs)):
            job = jobs[index]
            if isinstance(ended, BenchlibError) or ended.outcome == "busy" or not job.making.formats:
                yield job, ended
                continue
            try:
                yield job, job.with_formats(ended, browser, teller.told)
            except BenchlibError as error:
                yield job, error


def _built(job: Job, built: Built, given: argparse.Namespace, teller: Teller) -> int:
    teller.built(job, built)
    about = {"study": job.study, "page": built.page, "status": built.status, "verdict": built.verdict}
    if built.undrawn:
        code = built.undrawn.exit_code
        teller.undrawn(job, built.undrawn)
        if given.notify:
            notify(given.notify, {"event": "failure", **about, "exit_code": code, "error": built.undrawn})
    else:
        code = 0
    if given.fail_on not in _TRIPPED.get(built.status, ()):
        return code
    teller.tripped(given.fail_on, job, built)
    if given.notify:
        notify(given.notify, {"event": "gate", **about, "exit_code": _GATE, "gate": given.fail_on})
    return code or _GATE


def _failed(job: Job, error: BenchlibError, given: argparse.Namespace, teller: Teller, *, alone: bool) -> int:
    teller.failed(job, error, alone=alone)
    page = _explained(job, error)
    if given.notify:
        facts = {"page": page, "status": "FAILED", "error": error, "exit_code": error.exit_code}
        notify(given.notify, {"event": "failure", "study": job.study, **facts})
    return error.exit_code


def _explained(job: Job, error: BenchlibError) -> str:
    """Leave a page of the failure where a report is, or where one had begun; return its path, or "".

    A slip of the command line says nothing of what was published: only a report that was asked for as it was
    built can be said to fail now.
    """
    from benchlib.run.failure import explain_failure, explained

    if isinstance(error, PlaceTaken):
        return ""  # what lies there is not this report's to mark
    try:
        place = job.place()
    except InputError:
        return ""  # neither study nor notebook is there: nothing to put a page beside
    if explained(place, error, study=job.study):
        return str(place.failed_page)
    ran = isinstance(error, NotebookError) and place.folder.is_dir()
    if not (ran or job.as_published()):
        return ""
    explain_failure(place, error, title=place.folder.name, study=job.study)
    return str(place.failed_page) if place.failed_page.is_file() else ""
