"""A command of the user's, run when a report fails or trips a gate."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping

from benchlib.cli.streams import write_line
from benchlib.errors import printable

__all__ = ["notify"]

#: Seconds after which the command is given up: it must not hold the next run back.
_PATIENCE = 60

#: Characters of one fact: the environment has little room.
_LONGEST = 2000


def notify(command: str, facts: Mapping[str, object]) -> None:
    r"""Run a command with the facts in its environment, as ``BENCHLIB_STUDY``, ``BENCHLIB_ERROR`` and so on.

    Facts are text from elsewhere, so none becomes part of the command: the shell sees only what the user wrote.
    A command that fails is told on stderr and changes nothing else.

    Examples
    --------
    >>> notify('test "$BENCHLIB_STUDY" = "a; b"', {"study": "a; b"})
    """
    told = {f"BENCHLIB_{name.upper()}": printable(str(value), _LONGEST) for name, value in facts.items()}
    try:
        ended = subprocess.run(
            ["/bin/sh", "-c", command],
            env={**os.environ, **told},
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
