"""Bounds of time and memory of this process, while it reads what is not its own."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

from benchlib.errors import OutOfMemory, OutOfTime


class _Late(BaseException):
    """The time is over."""


@contextmanager
def bounded(what: str, seconds: float | None, memory: int | None) -> Iterator[None]:
    """End a block that takes longer, or needs more data, than is allowed; where the system cannot, it is unbounded.

    Raises
    ------
    OutOfTime, OutOfMemory
        In one line, which begins with `what`.

    Examples
    --------
    >>> import time
    >>> with bounded("sleeping", 0.01, None):
    ...     time.sleep(60)
    Traceback (most recent call last):
    benchlib.errors.OutOfTime: sleeping took longer than 0.01 s; allow more with --timeout, or name fewer files
    """
    try:
        with ExitStack() as bounds:
            if seconds and os.name == "posix" and threading.current_thread() is threading.main_thread():
                before = signal.signal(signal.SIGALRM, _end)
                bounds.callback(signal.signal, signal.SIGALRM, before)
                signal.setitimer(signal.ITIMER_REAL, seconds)
                bounds.callback(signal.setitimer, signal.ITIMER_REAL, 0)
            if memory and os.name == "posix":
                _limit(memory, bounds)
            yield
    except _Late:
        raise OutOfTime(
            f"{what} took longer than {seconds:g} s; allow more with --timeout, or name fewer files"
        ) from None
    except MemoryError:
        raise OutOfMemory(
            f"{what} needs more memory than there is, or than --memory allows; allow more, or name fewer files"
        ) from None


def _end(number: int, frame: FrameType | None) -> None:
    raise _Late


def _limit(memory: int, bounds: ExitStack) -> None:
    """Bound the data of this process, files that it maps do not count, until the bounds are lifted."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    within = [limit for limit in (memory, soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(within), hard))
    bounds.callback(resource.setrlimit, resource.RLIMIT_DATA, (soft, hard))
