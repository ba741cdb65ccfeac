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

__all__ = ["preload", "run_jobs"]

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
