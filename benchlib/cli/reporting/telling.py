"""What is told while reports are built: lines for a log, JSON for a machine, a bar for a person, or errors only."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from benchlib.cli.streams import print_line, write_line
from benchlib.errors import BenchlibError, DrawingError, printable

if TYPE_CHECKING:
    from benchlib.cli.reporting.jobs import Job
    from benchlib.report.running.build import Built
    from benchlib.report.running.stages import Stage

__all__ = ["JsonLog", "Lines", "Quiet", "Teller"]

#: Characters of a path or an error on one line: the longest path of a system.
_LONGEST = 4096


class Quiet:
    """Errors, and reports that are left to another run. What the others tell beyond that is told by overriding."""

    def live(self, total: int) -> AbstractContextManager[object]:
        """Be at work while the reports are built."""
        return nullcontext()

    def told(self, stage: Stage) -> None:
        """Tell of a stage; may be called in a child of the command."""

    def built(self, job: Job, built: Built) -> None:
        """Tell of a report that was left to another run; others, of one that was built or was unchanged too."""
        if built.outcome == "busy":
            write_line(f"benchlib: {_skipped(built)}")

    def failed(self, job: Job | None, error: BenchlibError, *, alone: bool) -> None:
        """Tell of a report that failed, or of a command that could not begin."""
        said = _line(error)
        place = "" if job is None or alone or said.startswith(f"{job.label}: ") else f"{job.label}: "
        write_line(f"benchlib: {place}{said}")

    def undrawn(self, job: Job, error: DrawingError) -> None:
        """Tell of a report that is published, but not in every format."""
        write_line(f"benchlib: {_line(error)}")

    def tripped(self, gate: str, job: Job, built: Built) -> None:
        """Tell of a report that the gate does not let pass."""
        write_line(f"benchlib: --fail-on {gate}: {_line(built.page)}: {built.status}: {printable(built.verdict, 400)}")

    def index(self, path: Path) -> None:
        """Tell where the list of all reports is."""


class Lines(Quiet):
    """One line for each stage on stderr, one for each report on stdout."""

    def told(self, stage: Stage) -> None:
        """Write a line when a stage is done; of one that failed the error tells."""
        if stage.outcome == "done":
            write_line(f"{printable(stage.study)}: {stage.name} {stage.seconds:.2f} s")

    def built(self, job: Job, built: Built) -> None:
        """Write the page, its status and its verdict, and below it what lies beside it."""
        if built.outcome == "busy":
            print_line(_skipped(built))
            return
        note = " (unchanged)" if built.outcome == "unchanged" else ""
        print_line(f"{_line(built.page)}{note}: {_line(built.status)}: {_line(built.verdict)}")
        for path in built.formats:
            print_line(_line(path))

    def index(self, path: Path) -> None:
        """Write where it is."""
        print_line(f"{_line(path)}: all reports")


class JsonLog(Lines):
    """Each event as one JSON object on one line of stderr; stdout is as ever."""

    def told(self, stage: Stage) -> None:
        """Write a stage when it ends."""
        if stage.outcome != "begun":
            _write_json(
                event="stage",
                stage=stage.name,
                study=stage.study,
                outcome=stage.outcome,
                seconds=round(stage.seconds, 4),
            )

    def built(self, job: Job, built: Built) -> None:
        """Write how a report ended."""
        super().built(job, built)
        _write_json(
            event="report",
            study=job.study,
            set=job.name,
            notebook=job.notebook,
            outcome=built.outcome,
            because=list(built.because),
            page=str(built.page),
            formats=[str(one) for one in built.formats],
            status=built.status,
            verdict=built.verdict,
            exit_code=0,
        )

    def failed(self, job: Job | None, error: BenchlibError, *, alone: bool) -> None:
        """Write the error instead of a plain line."""
        about = {"study": job.study, "set": job.name, "notebook": job.notebook} if job else {}
        _write_json(
            event="report" if job else "command", **about, outcome="failed", exit_code=error.exit_code, error=str(error)
        )

    def undrawn(self, job: Job, error: DrawingError) -> None:
        """Write what is missing, and why."""
        _write_json(event="undrawn", study=job.study, set=job.name, exit_code=error.exit_code, error=str(error))

    def tripped(self, gate: str, job: Job, built: Built) -> None:
        """Write that the gate tripped."""
        _write_json(event="gate", gate=gate, study=job.study, set=job.name, status=built.status, exit_code=3)


Teller = Quiet


def _line(told: object) -> str:
    """Return a path, an error or words as one line: names on disk hold whatever somebody put into them."""
    return printable(str(told), _LONGEST)


def _skipped(built: Built) -> str:
    return f"{_line(built.page)}: skipped: another run is building it"


def _write_json(**facts: object) -> None:
    write_line(json.dumps(facts))
