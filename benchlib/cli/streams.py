"""The streams of a command: what cannot be told on stderr is dropped, and none is mistaken for a file."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from benchlib.errors import InputError


def write_line(text: str) -> None:
    """Write a line to stderr at once: children write to the same log, and no line may run into another.

    A line that cannot be written is dropped: a log on a full disk is no reason to build no report.
    """
    with suppress(OSError, ValueError):
        sys.stderr.flush()
    try:
        os.write(sys.stderr.fileno(), f"{text}\n".encode())
    except (OSError, ValueError):  # stderr is no file here, as under a test, or cannot be written
        with suppress(OSError, ValueError):
            print(text, file=sys.stderr, flush=True)


def print_line(text: str) -> None:
    """Write a line to stdout at once.

    Raises
    ------
    InputError
        If it cannot be written, unless its reader has gone.
    """
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"standard output: cannot be written ({error.strerror}); check where it goes") from error


def open_streams() -> None:
    """Open what the caller closed (``2>&-``) on nothing.

    The next file that is opened would else get its number, and whatever a child writes to stderr.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w", closefd=False))


def drop_unwritten() -> None:
    """Have what is still to be written, and cannot be, go nowhere: Python would end with an exit code of its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        except ValueError:  # it was closed, because its reader has gone
            continue
