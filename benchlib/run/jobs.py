"""Processes of our own: one that is forked and ended with all it started, and a few that do many jobs.

A fork copies only the thread that calls it; a lock that another thread holds stays locked in the child
for ever. So a process of several threads is never forked here.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import math
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import FrameType
from typing import Generic, TypeVar

from benchlib.errors import BenchlibError, KernelDied
from benchlib.imports import single_threaded, without_iri_grammars

__all__ = ["preload", "run_jobs"]

_THREADS = Path("/proc/self/task")

#: ``prctl``: the signal that a process gets when its parent is gone.
_PR_SET_PDEATHSIG = 1

#: Seconds that a child may take to clean up after itself.
_GRACE = 2.0

#: What running cells, the shipped notebooks and the page import sooner or later.
_LIBRARIES = (
    "IPython.core.completerlib",
    "IPython.core.logger",
    "IPython.core.oinspect",
    "bdb",  # IPython imports it when a cell first runs
    "benchlib.answers.executive",
    "benchlib.display",
    "benchlib.report.page.export",
    "benchlib.report.page.page_exporter",
    "benchlib.report.sections",
    "benchlib.report.wording.record",
    "benchlib.run.build",
    "benchlib.run.cells",
    "benchlib.run.engines",
    "benchlib.study",
    "nbconvert",
    "papermill.parameterize",
    "scipy.optimize",
    "scipy.special",
)

#: A sweep that has all that a page can show of one: repeats, a fit, a comparison.
_LEVELS = {1: 100, 2: 55, 4: 32, 8: 22, 16: 19}
_DEFINITION = """\
[configuration]
paths = ["run{run:int}.txt"]
parallel = ["X"]
[[compare]]
question = "Did it change?"
column = "run"
baseline = 1
"""

_T = TypeVar("_T")


def can_fork() -> bool:
    """Tell whether this process may be forked: on Linux, with a single thread."""
    return _THREADS.is_dir() and len(os.listdir(_THREADS)) == 1


def _limit_memory(size: int, pid: int = 0) -> None:
    """Bound the data that a process may hold, in bytes; files that it maps do not count."""
    import resource

    resource.prlimit(pid, resource.RLIMIT_DATA, (size, size))


class Child:
    """A forked process that runs a function, and leads a session of its own.

    It dies with its parent, reads nothing from standard input, and may be ended gently: SIGTERM unwinds it. Nothing
    that the parent would do at its end happens in it.

    Examples
    --------
    >>> Child(os.abort).wait() if can_fork() else "killed by SIGABRT"
    'killed by SIGABRT'
    """

    def __init__(self, run: Callable[[], None], *, memory: int | None = None) -> None:
        fork = multiprocessing.get_context("fork")
        self._child = fork.Process(target=_begin, args=(run, os.getpid(), memory))
        self._child.start()
        self._pid = self._child.pid or 0
        self._over = False

    def wait(self, patience: float = math.inf) -> str:
        """Wait until it has ended, and say how; if it goes on for so many seconds, it is killed."""
        self._gone_within(patience)
        self.end()
        return _ending(self._child.exitcode or 0)

    def end(self, *, gently: bool = False) -> None:
        """Kill it and all that it started; gently lets it clean up first."""
        if self._over:
            return  # its number may be another's by now
        if gently:
            self._child.terminate()
            self._gone_within(_GRACE)
        with suppress(ProcessLookupError, PermissionError):  # it leads no session yet
            os.killpg(self._pid, signal.SIGKILL)
        self._child.kill()
        self._child.join()
        self._over = True

    def _gone_within(self, seconds: float) -> None:
        """Wait until it has ended, but leave its number to it. `join` would wait for a pipe that a cell may close."""
        until = time.monotonic() + seconds
        while not self._over and time.monotonic() < until:
            if os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return
            time.sleep(0.01)


class _Ended(BaseException):
    """SIGTERM has come."""


def _begin(run: Callable[[], None], parent: int, memory: int | None) -> None:
    """Make the newborn child independent of its parent, except that it dies with it, and run."""
    code = 1
    try:
        os.setsid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            raise _Ended  # the parent was gone before we asked
        signal.signal(signal.SIGTERM, _unwind)
        if memory is not None:
            _limit_memory(memory)
        if "numpy.random" in sys.modules:
            import numpy

            numpy.random.seed()  # else every child would draw what its siblings draw
        run()
        code = 0
    except _Ended:
        code = 128 + signal.SIGTERM
    finally:
        if code == 1:
            traceback.print_exc()
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _unwind(number: int, frame: FrameType | None) -> None:
    raise _Ended


def _ending(code: int) -> str:
    """Say how a process ended, by what `multiprocessing` calls its exit code."""
    if code >= 0:
        return f"left with exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def run_jobs(jobs: Sequence[Callable[[], _T]], *, workers: int = 2) -> Iterator[tuple[int, _T | BenchlibError]]:
    """Run jobs in forked children and give what each returned, in the order in which they end.

    A child does one job after another: what a fork must copy before it can be written to, it copies once.
    Whoever stops asking, by an interrupt too, ends the children that are at work, and they clean up
    after themselves. Where this process cannot be forked, jobs run one after the other in it.

    A job is told by its place among the jobs, with what it returned, which must be picklable, the error that it
    raised, or a `KernelDied` that says how its process ended.

    Examples
    --------
    >>> sorted(run_jobs([lambda: "a", lambda: "b"]))
    [(0, 'a'), (1, 'b')]
    """
    if not can_fork():
        for place, job in enumerate(jobs):
            yield place, _outcome(job)
        return
    waiting = deque(range(len(jobs)))
    crew: dict[Connection, _Member[_T]] = {}
    try:
        while waiting or crew:
            while waiting and len(crew) < workers:
                member = _Member(jobs)
                crew[member.pipe] = member
                member.begin(waiting.popleft())
            for pipe in wait(list(crew)):
                member = crew[pipe]  # type: ignore[index]
                place, outcome = member.place, member.outcome()
                if member.sound and waiting:
                    member.begin(waiting.popleft())
                else:
                    crew.pop(member.pipe).end()
                yield place, outcome
    finally:
        for member in crew.values():
            member.end()


class _Member(Generic[_T]):
    """One child and the job that it does: its place among the jobs, and whether it may be given another."""

    def __init__(self, jobs: Sequence[Callable[[], _T]]) -> None:
        self.place, self.sound = -1, True
        self.pipe, theirs = Pipe()

        def run() -> None:
            self.pipe.close()
            while True:
                outcome = _outcome(jobs[theirs.recv()])
                gc.collect()
                # A job that left a thread behind would have the next one's cells run in a kernel.
                theirs.send_bytes(pickle.dumps((outcome, can_fork())))

        self._child = Child(run)
        theirs.close()

    def begin(self, place: int) -> None:
        """Have it do a job."""
        self.place = place
        with suppress(BrokenPipeError):  # it is gone, which `outcome` tells
            self.pipe.send(place)

    def outcome(self) -> _T | BenchlibError:
        """Return what the job returned, or the error that tells why it did not."""
        try:
            outcome: _T | BenchlibError
            outcome, self.sound = pickle.loads(self.pipe.recv_bytes())
        except (EOFError, ConnectionResetError):
            self.sound = False
            ended = self._child.wait()
            return KernelDied(
                f"the process that built it was {ended if ended.startswith('killed') else f'gone: it {ended}'}"
            )
        return outcome

    def end(self) -> None:
        """End the child, if it has not ended by itself."""
        self._child.end(gently=True)
        self.pipe.close()


def _outcome(job: Callable[[], _T]) -> _T | BenchlibError:
    try:
        return job()
    except BenchlibError as error:
        return error


def preload() -> None:
    """Import all that a report needs and make its answers once, so that no child need do it again.

    A child then finds every library imported and every class of a figure built. What exists by then is kept from the
    collector of cycles: a collection in a child would touch, and so copy, every page of memory that it shares with its
    parent.
    """
    with single_threaded(), without_iri_grammars():
        for name in _LIBRARIES:
            importlib.import_module(name)
    if not can_fork():
        return
    from benchlib.answers.executive import executive_summary
    from benchlib.report import sections
    from benchlib.report.page.export import prepare
    from benchlib.study import open_study

    prepare()
    with tempfile.TemporaryDirectory(prefix="benchlib-rehearsal-") as folder:
        for run in (1, 2):
            rows = [
                f"BenchmarkX-{level} 10 {time + run + n} ns/op" for level, time in _LEVELS.items() for n in (0, 1, 2)
            ]
            Path(folder, f"run{run}.txt").write_text("\n".join([*rows, ""]), encoding="utf-8")
        Path(folder, "study.toml").write_text(_DEFINITION, encoding="utf-8")
        summary = executive_summary(open_study(folder))
        for name in sections.__all__:
            for block in getattr(sections, name)(summary).blocks:
                if hasattr(block, "to_json"):
                    block.to_json()
    gc.collect()
    gc.freeze()
