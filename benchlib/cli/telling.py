"""What is said while reports are built: lines, errors only, and a command that is run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from benchlib.cli.shell import print_line, write_line
from benchlib.errors import BenchlibError, DrawingError, printable

if TYPE_CHECKING:
    from benchlib.run.build import Built, Request, Stage


#: Characters of a path or an error on one line: the longest path of a system.
_LONGEST = 4096


class Quiet:
    """Errors, and reports that are left to another run. What the others tell beyond that is told by overriding."""

    def stage(self, stage: Stage) -> None:
        """Tell of a stage; may be called in a child of the command."""

    def built(self, request: Request, built: Built) -> None:
        """Tell of a report that was left to another run; others, of one that was built or was unchanged too."""
        if built.outcome == "busy":
            write_line(f"benchlib: {_skipped(built)}")

    def failed(self, request: Request | None, error: BenchlibError, *, alone: bool) -> None:
        """Tell of a report that failed, or of a command that could not begin."""
        said = _line(error)
        place = "" if request is None or alone or said.startswith(f"{request.shown}: ") else f"{request.shown}: "
        write_line(f"benchlib: {place}{said}")

    def undrawn(self, request: Request, error: DrawingError) -> None:
        """Tell of a report that is published, but not in every format."""
        write_line(f"benchlib: {_line(error)}")

    def tripped(self, gate: str, request: Request, built: Built) -> None:
        """Tell of a report that the gate does not let pass."""
        write_line(f"benchlib: --fail-on {gate}: {_line(built.page)}: {built.status}: {printable(built.verdict, 400)}")

    def index(self, path: Path) -> None:
        """Tell where the list of all reports is."""


class Lines(Quiet):
    """One line for each stage on stderr, one for each report on stdout."""

    def stage(self, stage: Stage) -> None:
        """Write a line when a stage is done; of one that failed the error tells."""
        if stage.outcome == "done":
            write_line(f"{printable(stage.study)}: {stage.name} {stage.seconds:.2f} s")

    def built(self, request: Request, built: Built) -> None:
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


def _line(words: object) -> str:
    """Return a path, an error or words as one line: names on disk hold whatever somebody put into them."""
    return printable(str(words), _LONGEST)


def _skipped(built: Built) -> str:
    return f"{_line(built.page)}: skipped: another run is building it"


#: Seconds after which the command is given up: it must not hold the next run back.
_PATIENCE = 60

#: Characters of one fact: the environment has little room.
_LONGEST_FACT = 2000


def notify(command: str, facts: Mapping[str, object]) -> bool:
    r"""Run a command with the facts in its environment, as ``BENCHLIB_STUDY``, ``BENCHLIB_ERROR`` and so on.

    Facts are text from elsewhere, so none becomes part of the command: the shell sees only what the user wrote.
    Says whether the command ended well; one that fails is told on stderr and changes nothing else.

    Examples
    --------
    >>> notify('test "$BENCHLIB_STUDY" = "a; b"', {"study": "a; b"})
    True
    """
    variables = {f"BENCHLIB_{name.upper()}": printable(str(value), _LONGEST_FACT) for name, value in facts.items()}
    try:
        ended = subprocess.run(
            ["/bin/sh", "-c", command],
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        write_line(f"benchlib: --notify: took longer than {_PATIENCE} s and was ended")
    except OSError as error:
        write_line(f"benchlib: --notify: did not start ({error.strerror})")
    else:
        if ended.returncode:
            write_line(f"benchlib: --notify: ended with {ended.returncode}")
        return not ended.returncode
    return False
