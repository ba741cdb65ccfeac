"""What a command owes the shell that runs it: streams that may be closed or full, and signals that end it."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from benchlib.errors import InputError, Interrupted, Terminated


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
    """Write a line to stdout at once."""
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


def settle_temporary() -> None:
    """Take TMPDIR at its word: Python would try it with a file, which stays where the command is killed meanwhile."""
    folder = os.path.abspath(next(filter(None, map(os.environ.get, ("TMPDIR", "TEMP", "TMP"))), "/tmp"))
    if os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK):
        tempfile.tempdir = folder


def drop_unwritten() -> None:
    """Have what is still to be written, and cannot be, go nowhere: Python would end with an exit code of its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        except ValueError:  # it was closed, because its reader has gone
            continue


class _Ending(KeyboardInterrupt):
    """A signal has come, and unwinds a command as Ctrl-C does.

    A plain KeyboardInterrupt would not do: once one has passed through ``exec`` of a string, which the import
    of any dataclass is, ``python -m benchlib`` ends by SIGINT whatever exit code it is given.
    """


#: What ends a command, and what the system or Python does of its own.
_DEFAULTS: dict[int, signal.Handlers | Callable[[int, FrameType | None], object]] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    **{number: signal.SIG_DFL for name in ("SIGHUP", "SIGQUIT") if (number := getattr(signal, name, None))},
}


@contextmanager
def endable() -> Iterator[None]:
    """Let SIGINT, SIGTERM, SIGHUP and SIGQUIT unwind a block, so that it cleans up after itself.

    A handler that the caller has set stays, and what is ignored, as under nohup; in a thread there is none to set.
    """
    in_main = threading.current_thread() is threading.main_thread()
    ours = [number for number, default in _DEFAULTS.items() if in_main and signal.getsignal(number) is default]
    for number in ours:
        signal.signal(number, _unwind)
    try:
        yield
    except KeyboardInterrupt as ending:
        number = ending.args[0] if isinstance(ending, _Ending) else signal.SIGINT
        raise Interrupted("interrupted") if number == signal.SIGINT else Terminated(number) from None
    finally:
        for number in ours:
            signal.signal(number, _DEFAULTS[number])


def _unwind(number: int, frame: FrameType | None) -> None:
    raise _Ending(number)
