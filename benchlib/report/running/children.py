"""Child processes made by fork: when that is safe, what they may use, and how they end.

A fork copies only the thread that calls it; a lock that another thread holds stays locked in the child
for ever. So a process of several threads is never forked here.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

__all__ = ["Child", "can_fork", "fork", "thread_count"]

_THREADS = Path("/proc/self/task")

#: ``prctl``: the signal that a process gets when its parent is gone.
_PR_SET_PDEATHSIG = 1

#: Seconds that a child may take to clean up after itself.
_GRACE = 2.0


def thread_count() -> int:
    """Return how many threads the operating system sees in this process; 0 where it does not say.

    Examples
    --------
    >>> thread_count() != 1 or can_fork()
    True
    """
    return len(os.listdir(_THREADS)) if _THREADS.is_dir() else 0


def can_fork() -> bool:
    """Tell whether this process may be forked: on Linux, with a single thread."""
    return thread_count() == 1


@dataclass(slots=True)
class Child:
    """A forked process that leads a process group of its own.

    Attributes
    ----------
    pid : int
    ended : str
        How it ended, for a message; empty as long as it has not been waited for.
    """

    pid: int
    ended: str = ""

    def wait(self, patience: float | None = None) -> str:
        """Wait until the child has ended, and say how; one that goes on for so many seconds is killed."""
        if patience is not None and not self.ended and not self._gone_within(patience):
            self._signal(signal.SIGKILL)
        if not self.ended:
            self.ended = _ending(os.waitpid(self.pid, 0)[1])
        return self.ended

    def end(self, *, gently: bool = False) -> None:
        """Kill the child and all that it started; gently lets it clean up first."""
        if gently and not self.ended:
            self._signal(signal.SIGTERM)
            self._gone_within(_GRACE)
        self._signal(signal.SIGKILL)
        self.wait()

    def _gone_within(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while not (gone := self._gone()) and time.monotonic() < until:
            time.sleep(0.01)
        return gone

    def _gone(self) -> bool:
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid:
            self.ended = _ending(status)
        return bool(pid)

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):  # nobody is left in the group
            os.killpg(self.pid, number)


def fork(run: Callable[[], None], *, memory: int | None = None) -> Child:
    """Run a function in a child process, which ends when it returns.

    The child leads its own process group, dies with its parent, reads nothing from standard input, and
    may be ended gently: SIGTERM unwinds it. Nothing that the parent would do at its end happens in it.

    Parameters
    ----------
    run : callable
    memory : int, optional
        Bytes of data that the child may hold; more is a MemoryError.

    Examples
    --------
    >>> if can_fork():
    ...     print(fork(lambda: os.abort()).wait())
    ... else:
    ...     print("killed by SIGABRT")
    killed by SIGABRT
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()  # else the child would write it again
    parent = os.getpid()
    pid = os.fork()
    if pid:
        _lead_group(pid)
        return Child(pid)
    code = 1
    try:
        _settle(parent, memory)
        run()
        code = 0
    except _Ended:
        code = 128 + signal.SIGTERM
    finally:
        if code == 1:
            traceback.print_exc()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os._exit(code)


class _Ended(BaseException):
    """SIGTERM has come."""


def _settle(parent: int, memory: int | None) -> None:
    """Make the newborn child independent of its parent, except that it dies with it."""
    _lead_group(os.getpid())
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        raise _Ended  # the parent was gone before we asked
    signal.signal(signal.SIGTERM, _unwind)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    if memory is not None:
        limit_memory(memory)
    if "numpy.random" in sys.modules:
        import numpy

        numpy.random.seed()  # else every child would draw what its siblings draw


def limit_memory(size: int, pid: int = 0) -> None:
    """Bound the data that a process may hold, in bytes; files that it maps do not count."""
    import resource

    resource.prlimit(pid, resource.RLIMIT_DATA, (size, size))


def _lead_group(pid: int) -> None:
    """Make a child lead a group; parent and child both do, so that neither need wait for the other."""
    with suppress(ProcessLookupError, PermissionError):  # it has done so and may be gone already
        os.setpgid(pid, pid)


def _unwind(number: int, frame: FrameType | None) -> None:
    raise _Ended


def _ending(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        try:
            return f"killed by {signal.Signals(number).name}"
        except ValueError:
            return f"killed by signal {number}"
    return f"left with exit code {os.WEXITSTATUS(status)}"
