"""What is told while reports are built: lines for a log, JSON for a machine, a bar for a person, or errors only."""

from __future__ import annotations

import json
import os
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from benchlib.errors import BenchlibError, DrawingError, printable

if TYPE_CHECKING:
    from benchlib.cli.reporting.jobs import Job
    from benchlib.report.running.build import Built
    from benchlib.report.running.stages import Stage

__all__ = ["JsonLog", "Lines", "Quiet", "Teller"]


class Quiet:
    """Errors only. What the others tell beyond that is told by overriding."""

    def live(self, total: int) -> AbstractContextManager[object]:
        """Be at work while the reports are built."""
        return nullcontext()

    def told(self, stage: Stage) -> None:
        """Tell of a stage; may be called in a child of the command."""

    def built(self, job: Job, built: Built) -> None:
        """Tell of a report that was built, was unchanged, or was left to another run."""

    def failed(self, job: Job | None, error: BenchlibError, *, alone: bool) -> None:
        """Tell of a report that failed, or of a command that could not begin."""
        place = "" if job is None or alone else f"{job.label}: "
        _write_line(f"benchlib: {place}{error}")

    def undrawn(self, job: Job, error: DrawingError) -> None:
        """Tell of a report that is published, but not in every format."""
        _write_line(f"benchlib: {error}")

    def tripped(self, gate: str, job: Job, built: Built) -> None:
        """Tell of a report that the gate does not let pass."""
        _write_line(f"benchlib: --fail-on {gate}: {built.page}: {built.status}: {printable(built.verdict, 400)}")

    def index(self, path: Path) -> None:
        """Tell where the list of all reports is."""


class Lines(Quiet):
    """One line for each stage on stderr, one for each report on stdout."""

    def told(self, stage: Stage) -> None:
        """Write a line when a stage is done; of one that failed the error tells."""
        if stage.outcome == "done":
            _write_line(f"{printable(stage.study)}: {stage.name} {stage.seconds:.2f} s")

    def built(self, job: Job, built: Built) -> None:
        """Write the page, its status and its verdict, and below it what lies beside it."""
        if built.outcome == "busy":
            print(f"{built.page}: skipped: another run is building it", flush=True)
            return
        note = " (unchanged)" if built.outcome == "unchanged" else ""
        print(f"{built.page}{note}: {built.status}: {built.verdict}", flush=True)
        for path in built.formats:
            print(path, flush=True)

    def index(self, path: Path) -> None:
        """Write where it is."""
        print(f"{path}: all reports", flush=True)


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


def _write_json(**facts: object) -> None:
    _write_line(json.dumps(facts))


def _write_line(text: str) -> None:
    """Write a line at once: children write to the same log, and no line may run into another."""
    sys.stderr.flush()
    try:
        os.write(sys.stderr.fileno(), f"{text}\n".encode())
    except (OSError, ValueError):  # stderr is no file here, as under a test
        print(text, file=sys.stderr, flush=True)
