"""What is told while reports are built: lines for a log, a bar for a person, or errors only."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from benchlib.cli.streams import print_line, write_line
from benchlib.errors import BenchlibError, DrawingError, printable

if TYPE_CHECKING:
    from benchlib.cli.reporting.jobs import Job
    from benchlib.run.build import Built, Stage

__all__ = ["Lines", "Quiet", "Teller"]

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


Teller = Quiet


def _line(told: object) -> str:
    """Return a path, an error or words as one line: names on disk hold whatever somebody put into them."""
    return printable(str(told), _LONGEST)


def _skipped(built: Built) -> str:
    return f"{_line(built.page)}: skipped: another run is building it"
