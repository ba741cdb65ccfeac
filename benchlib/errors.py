"""Everything benchlib raises on purpose.

::

    BenchlibError                 the user can mend it; one line, no traceback
    ├── InputError                a file or folder cannot be read as results     exit 2
    │   ├── FormatError           no reader recognises it, or two do             exit 2
    │   └── PlaceTaken            a report would take the place of something     exit 2
    ├── StudyError                study.toml says something it cannot mean       exit 2
    ├── SelectionError            an axis, level or metric that is not there     exit 2
    ├── DataError                 the data cannot carry the question asked       exit 2
    ├── ParameterError            a notebook parameter is unknown or mistyped    exit 2
    ├── OutOfTime                 reading took longer than --timeout allows      exit 4
    ├── OutOfMemory               reading or the command needs more memory       exit 5
    ├── NotebookError             a cell failed; the executed notebook is kept   exit 1
    │   ├── NotebookTimeout       a cell ran past its limit                      exit 4
    │   └── KernelDied            the kernel crashed or ran out of memory        exit 5
    ├── ExportError               a page failed its export check                 exit 6
    ├── DrawingError              the page is there, a further format is not     exit 7
    └── Interrupted               somebody ended the command, by SIGINT          exit 130
        └── Terminated            the same by SIGTERM, SIGHUP or SIGQUIT         exit 143, 129, 131

A message says where, what was found (quoted), what is accepted, and what to do.
"""

from __future__ import annotations

import difflib
import linecache
import os
import re
import signal
import traceback
from collections.abc import Iterable
from types import TracebackType

__all__ = [
    "BenchlibError",
    "DataError",
    "DrawingError",
    "ExportError",
    "FormatError",
    "InputError",
    "Interrupted",
    "KernelDied",
    "NotebookError",
    "NotebookTimeout",
    "OutOfMemory",
    "OutOfTime",
    "ParameterError",
    "PlaceTaken",
    "SelectionError",
    "StudyError",
    "Terminated",
    "choices",
    "no_command",
    "printable",
    "suggestion",
]


#: Letters of a message in a notebook.
_LONGEST_MESSAGE = 1000


class BenchlibError(Exception):
    """The root of the tree: an error its reader can mend."""

    exit_code = 2

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows: the message, the line that asked, and how to see the rest.

        IPython asks for it, and asks again for ``%tb``: then the trace is whole.
        """
        if self._shown:
            return "".join(traceback.format_exception(self)).splitlines()
        self._shown = True
        message = printable(f"{type(self).__name__}: {self}", _LONGEST_MESSAGE)
        return [message, *_asking_line(self.__traceback__), "The whole trace: %tb"]

    _shown = False


class InputError(BenchlibError):
    """A file or folder cannot be read as benchmark results."""


class FormatError(InputError):
    """No reader recognises a file, or more than one does."""


class PlaceTaken(InputError):
    """What lies where a report would lie is not this report's, and stays as it is."""


class StudyError(BenchlibError):
    """``study.toml`` says something that it cannot mean."""


class SelectionError(BenchlibError):
    """An axis, level, metric or benchmark was named that is not in the results."""


class DataError(BenchlibError):
    """The data cannot carry the question that was asked of them."""


class ParameterError(BenchlibError):
    """A notebook parameter is unknown, or its value has the wrong type."""


class OutOfTime(BenchlibError):
    """What is done before the cells run took longer than it may."""

    exit_code = 4


class OutOfMemory(BenchlibError):
    """What is done needs more memory than there is, or than is allowed."""

    exit_code = 5


class NotebookError(BenchlibError):
    """A cell of a notebook failed; the executed notebook was kept."""

    exit_code = 1


class NotebookTimeout(NotebookError):
    """A cell of a notebook ran past its time limit."""

    exit_code = 4


class KernelDied(NotebookError):
    """The kernel of a notebook crashed or ran out of memory."""

    exit_code = 5


class ExportError(BenchlibError):
    """A page failed its export check and was not published."""

    exit_code = 6


class DrawingError(BenchlibError):
    """A report was published, but not in every further format that was asked for."""

    exit_code = 7


class Interrupted(BenchlibError):
    """A person ended the command: what it was building is left as it was."""

    exit_code = 130


class Terminated(Interrupted):
    """A scheduler or the system ended the command, by this signal."""

    def __init__(self, number: int) -> None:
        name = signal.Signals(number).name
        super().__init__(f"ended by {name} before it was done; what was published before is as it was")
        self.exit_code = 128 + number


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the closest known word, or an empty string.

    Examples
    --------
    >>> suggestion("metrc", ["metric", "where"])
    "; did you mean 'metric'?"
    >>> suggestion("zzz", ["metric"])
    ''
    """
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


def choices(known: Iterable[object], limit: int = 12) -> str:
    """List choices for a message, cut after ``limit`` with the rest counted.

    Examples
    --------
    >>> choices(["a", "b", "c"], limit=2)
    'a, b and 1 more'
    >>> choices([])
    'none'
    """
    words = [printable(str(name)) for name in known]
    if not words:
        return "none"
    shown = ", ".join(words[:limit])
    return f"{shown} and {len(words) - limit} more" if len(words) > limit else shown


#: What a runner of CI takes for a command to itself: ``::name::`` at the start of a line of GitHub's, and ``##[name]``,
#: ``##vso[name]`` or ``##teamcity[name`` anywhere in it.
_COMMAND = re.compile(r"##(?=\w{0,20}\[)|^\s*::", re.MULTILINE)


def no_command(text: str) -> str:
    """Take lines apart that a runner of CI would obey: a name of a benchmark gives no orders.

    Examples
    --------
    >>> no_command("::stop-commands::x")
    ': :stop-commands::x'
    """
    if "##" not in text and "::" not in text:
        return text
    return _COMMAND.sub(lambda match: f"{match[0][:-1]} {match[0][-1]}", text)


def printable(text: str, limit: int = 120) -> str:
    r"""Make hostile text safe for one line of a terminal: no control codes, bounded length.

    Examples
    --------
    >>> printable("a\x1b[31m\nb")
    'a\\x1b[31m\\nb'
    """
    cut = no_command(text if len(text) <= limit else text[: limit - 1] + "…")
    if cut.isprintable():  # nearly always, and tables hold many words
        return cut
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in cut
    )


def _asking_line(trace: TracebackType | None) -> list[str]:
    """Return the line that called benchlib, as its reader wrote it, with its place."""
    asking = None
    for frame, number in traceback.walk_tb(trace):
        if str(frame.f_globals.get("__name__", "")).startswith("benchlib."):
            break
        asking = frame.f_code.co_filename, number
    if asking is None or not (code := linecache.getline(*asking).strip()):
        return []
    name, number = asking
    place = os.path.basename(name) if os.path.exists(name) else "this cell"  # the code of a cell lies in no file
    return [f"  {printable(place, 60)}, line {number}: {printable(code)}"]
