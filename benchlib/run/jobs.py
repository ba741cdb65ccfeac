"""Many reports: a few forked children that do one job after another."""

from __future__ import annotations

import gc
import importlib
import pickle
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Generic, TypeVar

from benchlib.errors import BenchlibError, KernelDied
from benchlib.files import scratch
from benchlib.imports import single_threaded, without_iri_grammars
from benchlib.run.worker import Child, can_fork

__all__ = ["Crew", "preload", "run_jobs"]

#: What running cells, the shipped notebooks and the page import sooner or later.
_LIBRARIES = (
    "IPython.core.completerlib",
    "IPython.core.logger",
    "IPython.core.oinspect",
    "asyncio",
    "bdb",  # IPython imports it when a cell first runs
    "benchlib.answers.executive",
    "benchlib.display",
    "benchlib.render.check",
    "benchlib.render.page",
    "benchlib.run.build",
    "benchlib.run.engines",
    "benchlib.study",
    "benchlib.tell.executive",
    "comm",
    "ipykernel.compiler",
    "ipykernel.ipkernel",
    "ipykernel.zmqshell",
    "jupyter_client.session",
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


def run_jobs(jobs: Sequence[Callable[[], _T]], *, workers: int = 2) -> Iterator[tuple[int, _T | BenchlibError]]:
    """Run jobs in forked children and give what each returned, in the order in which they end.

    Whoever stops asking, by an interrupt too, ends the children that are at work, and they clean up
    after themselves.

    Examples
    --------
    >>> sorted(run_jobs([lambda: "a", lambda: "b"]))
    [(0, 'a'), (1, 'b')]
    """
    waiting = deque(range(len(jobs)))
    with Crew(jobs, workers) as crew:
        while waiting or crew.busy:
            while waiting and crew.busy < workers:
                crew.begin(waiting.popleft())
            yield from crew.ended()


class Crew(Generic[_T]):
    """Forked children that do jobs, at most so many at a time; leaving the block ends them.

    A child does one job after another: what a fork must copy before it can be written to, it copies once. Where this
    process cannot be forked, a job is done in it as soon as it is begun.

    A job is told by its place among the jobs, with what it returned, which must be picklable, the error that it
    raised, or a `KernelDied` that says how its process ended.
    """

    def __init__(self, jobs: Sequence[Callable[[], _T]], workers: int) -> None:
        self._jobs, self.workers = jobs, workers
        self._at_work: dict[Connection, _Member[_T]] = {}
        self._idle: list[_Member[_T]] = []
        self._done: list[tuple[int, _T | BenchlibError]] = []

    def __enter__(self) -> Crew[_T]:
        return self

    def __exit__(self, *_: object) -> None:
        for member in (*self._at_work.values(), *self._idle):
            member.end()

    @property
    def busy(self) -> int:
        """How many jobs have begun and were not told to have ended."""
        return len(self._at_work) + len(self._done)

    def begin(self, place: int) -> None:
        """Have a job done."""
        if not self._idle and not can_fork():
            self._done.append((place, _outcome(self._jobs[place])))
            return
        member = self._idle.pop() if self._idle else _Member(self._jobs)
        self._at_work[member.pipe] = member
        member.begin(place)

    def ended(self, patience: float | None = None) -> Iterator[tuple[int, _T | BenchlibError]]:
        """Yield the jobs that have ended; where none has, wait for one, at most so many seconds."""
        done, self._done = self._done, []
        yield from done
        for pipe in wait(list(self._at_work), 0 if done else patience) if self._at_work else ():
            member = self._at_work.pop(pipe)  # type: ignore[call-overload]
            outcome = member.outcome()
            if member.sound:
                self._idle.append(member)
            else:
                member.end()
            yield member.place, outcome


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
    from benchlib.render.page import page
    from benchlib.study import open_study
    from benchlib.tell.executive import executive

    with scratch() as folder:
        for run in (1, 2):
            rows = [
                f"BenchmarkX-{level} 10 {time + run + n} ns/op" for level, time in _LEVELS.items() for n in (0, 1, 2)
            ]
            Path(folder, f"run{run}.txt").write_text("\n".join([*rows, ""]), encoding="utf-8")
        Path(folder, "study.toml").write_text(_DEFINITION, encoding="utf-8")
        page(executive(executive_summary(open_study(folder))))
    gc.collect()
    gc.freeze()
