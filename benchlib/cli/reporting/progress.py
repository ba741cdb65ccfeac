"""A bar for a person at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from benchlib.cli.reporting.telling import Lines
from benchlib.errors import BenchlibError, printable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from benchlib.cli.reporting.jobs import Job
    from benchlib.run.build import Built, Stage

__all__ = ["Bar"]

#: Stages of one report, of which the bar of a single report is made.
_STAGES = ("open", "execute", "export", "check", "publish")


class Bar(Lines):
    """How many reports are done, or, where there is only one, which stage it is at.

    It is drawn on stderr and gone at the end; the lines on stdout stay.
    """

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._alone = True

    def live(self, total: int) -> AbstractContextManager[object]:
        """Draw the bar."""
        return self._live(total)

    @contextmanager
    def _live(self, total: int) -> Iterator[None]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._alone = total == 1
        columns = (
            SpinnerColumn(),
            # A study's name is text, not markup.
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        with Progress(
            *columns,
            console=Console(stderr=True),
            transient=True,
            # Refreshing by itself takes a thread, and a process of several threads is never forked.
            auto_refresh=False,
            # Redirected, lines of stdout would be drawn on stderr: right on a terminal, lost from a pipe.
            redirect_stdout=sys.stdout.isatty(),
        ) as self._bar:
            self._task = self._bar.add_task("reports", total=len(_STAGES) if self._alone else total)
            yield
        self._bar = None

    def told(self, stage: Stage) -> None:
        """Move on with the stages of a single report; those of many run in children."""
        if self._bar is None or self._task is None or not self._alone:
            return
        if stage.outcome == "begun":
            self._bar.update(self._task, description=f"{printable(stage.study, 60)}: {stage.name}", refresh=True)
        elif stage.name in _STAGES:
            self._bar.update(self._task, advance=1, refresh=True)

    def built(self, job: Job, built: Built) -> None:
        """Write the line, and count the report."""
        super().built(job, built)
        self._count(job)

    def failed(self, job: Job | None, error: BenchlibError, *, alone: bool) -> None:
        """Write the line, and count the report."""
        super().failed(job, error, alone=alone)
        self._count(job)

    def _count(self, job: Job | None) -> None:
        if self._bar is not None and self._task is not None and job is not None and not self._alone:
            self._bar.update(self._task, advance=1, description=job.label, refresh=True)
