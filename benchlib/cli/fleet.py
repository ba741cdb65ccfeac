"""``benchlib fleet``: plan, run and look over the reports that ``reports.toml`` asks for."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchlib.cli.options import size_asked
from benchlib.cli.report import DEFAULT_JOBS, DEFAULT_SIZE, GATE, count_asked, left_page
from benchlib.cli.shell import print_line, write_line
from benchlib.cli.telling import notify
from benchlib.errors import BenchlibError, printable
from benchlib.files import explaining_refusals
from benchlib.run.build import Built, checked_order, untouched
from benchlib.run.manifest import check_index, holds_reports, made_folder

if TYPE_CHECKING:  # it imports pandas, which a command does first, without threads
    from benchlib.run.fleet import Builders, Ended, Fleet, Report

_LONGEST = 4096


def add_options(command: argparse.ArgumentParser) -> None:
    """Describe the command and add its options."""
    command.description = "Build the reports that a file asks for: those that are due, each after what it comes after."
    command.epilog = (
        "plan: say what would be built, and why. run: build it. status: say how each report ended last. "
        "Exit codes are those of benchlib report. See docs/fleets.md."
    )
    command.add_argument("what", choices=("plan", "run", "status"), help="what is done")
    command.add_argument("file", type=Path, metavar="FILE", help="reports.toml")
    command.add_argument(
        "--only", action="append", default=[], metavar="JOB", help="this job, whatever it comes after; may be repeated"
    )
    command.add_argument("--jobs", default=str(DEFAULT_JOBS), metavar="N", help=f"at a time (default: {DEFAULT_JOBS})")
    command.add_argument("--dask", default="", metavar="ADDRESS", help="build on a cluster, e.g. tcp://scheduler:8786")
    command.add_argument("--json-log", action="store_true", help="print a JSON object a line in place of text")
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Plan, run or look over."""
    from benchlib.run.fleet import read_fleet

    jobs = count_asked(given.jobs, "--jobs", 1, 256)
    fleet = read_fleet(given.file, given.only, max_bytes=size_asked(DEFAULT_SIZE, ""))
    log = _Log(json_log=given.json_log)
    if given.what == "plan":
        return _plan(fleet, log)
    if given.what == "status":
        return _status(fleet, log)
    return _Run(fleet, log, jobs, given.dask).run()


class _Log:
    """Lines for a person, or JSON for a program."""

    def __init__(self, *, json_log: bool) -> None:
        self._json = json_log

    def say(self, event: str, text: str, report: Report | None = None, *, error: bool = False, **facts: object) -> None:
        """Tell of an event; of what did not go well on stderr."""
        if self._json:
            about = {"job": report.job.name, "report": report.name} if report else {}
            print_line(json.dumps({"time": _now(), "event": event, **about, **facts}, default=str))
        elif error:
            write_line(f"benchlib: {printable(text, _LONGEST)}")
        else:
            print_line(printable(text, _LONGEST))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _plan(fleet: Fleet, log: _Log) -> int:
    """Say what would be built, and why."""
    worst = 0
    for report in fleet.reports:
        page = f"{fleet.output / report.name}.html"
        because: tuple[str, ...] = ()
        if not untouched(report.request):
            try:
                with explaining_refusals():
                    because = checked_order(report.request).due()
            except BenchlibError as error:
                log.say("refused", f"{page}: {error}", report, error=True, exit_code=error.exit_code, because=error)
                worst = worst or error.exit_code
                continue
        after = f", after {', '.join(report.job.after)}" if report.job.after else ""
        what = f"would be built{after}: {', '.join(because)}" if because else "unchanged"
        log.say("due" if because else "unchanged", f"{page}: {what}", report, page=page, because=because)
    return worst


def _status(fleet: Fleet, log: _Log) -> int:
    """Say how each report ended last, and since when it does."""
    from benchlib.run.fleet import Book, event_of

    book = Book(fleet.output)
    for report in fleet.reports:
        entry = book.entry(report.name)
        page = f"{fleet.output / report.name}.html"
        finding = str(entry.get("finding", ""))
        state = (event_of(finding) if finding else "good") if entry else "never run"
        facts = {name: entry.get(name, "") for name in ("since", "ran", "seconds", "said")}
        words = f" since {facts['since']}, run {facts['ran']}: {facts['said']}" if entry else ""
        log.say("status", f"{page}: {state}{words}", report, page=page, state=state, **facts)
    return 0


class _Run:
    """One run of a fleet: what it says, whom it tells, and how it ends."""

    def __init__(self, fleet: Fleet, log: _Log, jobs: int, cluster: str) -> None:
        from benchlib.run.fleet import Book

        self._fleet, self._log, self._jobs, self._cluster = fleet, log, jobs, cluster
        self._book = Book(fleet.output)
        self._counts: Counter[str] = Counter()
        self._codes: list[int] = []

    def run(self) -> int:
        """Build what is due, list all reports, and return the exit code."""
        from benchlib.run.fleet import run_fleet

        folders = sorted({report.request.output for report in self._fleet.reports})
        for folder in folders:
            check_index(made_folder(folder))
        try:
            for report, ended in run_fleet(self._fleet.reports, self._builders):
                self._ended(report, ended)
        finally:
            self._book.save()
        from benchlib.run.listing import build_index  # starts threads: nothing is forked any more

        for folder in filter(holds_reports, folders):
            build_index(folder)
        counts = ", ".join(f"{times} {name}" for name, times in self._counts.items())
        number = len(self._fleet.reports)
        counted = f"{number} report{'' if number == 1 else 's'}"
        self._log.say("end", f"{counted}: {counts}", counts=dict(self._counts))
        failures = [code for code in self._codes if code != GATE]
        return [*failures, *self._codes, 0][0]

    def _builders(self) -> Builders:
        if self._cluster:
            from benchlib.run.cluster import Cluster

            return Cluster(self._cluster, self._fleet.output, [report.request for report in self._fleet.reports])
        from benchlib.run.fleet import jobs_of
        from benchlib.run.jobs import Crew, preload

        if len(self._fleet.reports) > 1:  # else its child imports what it needs, and no more
            preload()
        return Crew(jobs_of(self._fleet.reports), self._jobs)

    def _ended(self, report: Report, ended: Ended) -> None:
        """Say how a report ended, put it down, and tell who wanted to know."""
        outcome = ended.outcome
        name = f"{self._fleet.output / report.name}.html"
        facts: dict[str, object] = {"seconds": round(ended.seconds, 3)}
        if ended.again is not None:
            why = outcome if isinstance(outcome, BenchlibError) else "another run is building it"
            text = f"{name}: {why}; again in {ended.again:g} s"
            self._log.say("again", text, report, error=True, pause=ended.again, because=why, **facts)
            return
        if isinstance(outcome, str) or (isinstance(outcome, Built) and outcome.outcome == "busy"):
            said = outcome if isinstance(outcome, str) else "skipped: another run is building it"
            self._counts["not begun" if isinstance(outcome, str) else "skipped"] += 1
            self._log.say("skipped", f"{name}: {said}", report, because=said)
            return
        self._told(report, outcome, name, facts)

    def _told(self, report: Report, outcome: Built | BenchlibError, name: str, facts: dict[str, object]) -> None:
        """Say what was built or why not; tell of a finding that is new, and of one that is gone."""
        from benchlib.run.fleet import finding_of

        error = outcome.undrawn if isinstance(outcome, Built) else outcome
        page = left_page(report.request, outcome) if isinstance(outcome, BenchlibError) else name
        finding = finding_of(report.job, outcome)
        code = error.exit_code if error else GATE if finding else 0
        state = outcome.outcome if isinstance(outcome, Built) and not error else "failed"
        status, verdict = (outcome.status, outcome.verdict) if isinstance(outcome, Built) else ("FAILED", "")
        said = printable(str(error or f"{status}: {verdict}"), _LONGEST)
        self._counts[state] += 1
        self._codes += [code] if code else []
        facts |= {"exit_code": code, "said": said}
        text = f"{name}{'' if state == 'built' else f' ({state})'}: {said}"
        self._log.say(state, text, report, error=bool(error), page=page, finding=finding, **facts)
        event = self._book.event(report.name, finding)
        wanted = event in report.job.notify_on and bool(report.job.notify)
        about: dict[str, object] = {
            "event": event,
            "study": report.request.study,
            "page": page,
            "status": status,
            "verdict": verdict,
        }
        about |= {"exit_code": code, "error": error or "", "gate": report.job.fail_on if code == GATE else ""}
        heard = not wanted or self._notified(report, about)
        self._book.note(report.name, finding, heard=heard, **facts)
        if wanted:  # at once: killed in between, it would be told twice
            self._book.save()

    def _notified(self, report: Report, about: Mapping[str, object]) -> bool:
        """Run the command of a job, or add a line to its file, and say whether that went well."""
        self._log.say("notice", f"{report.name}: notice of {about['event']}", report, what=about["event"])
        about = {"job": report.job.name, **about}
        if not report.job.notify.endswith(".jsonl"):
            return notify(report.job.notify, about)
        path = self._fleet.home / report.job.notify
        try:
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"time": _now(), **about}, default=str) + "\n")
        except OSError as error:
            write_line(f"benchlib: {printable(str(path))}: cannot be written ({error.strerror})")
            return False
        return True
