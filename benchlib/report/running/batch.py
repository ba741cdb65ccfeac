"""Many jobs, a few at a time, in children of this process that have everything imported already."""

from __future__ import annotations

import gc
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Generic, TypeVar

from benchlib.errors import BenchlibError, KernelDied, NotebookTimeout
from benchlib.report.running.children import Child, can_fork, fork

__all__ = ["WORKERS", "run_jobs"]

#: Jobs at work at a time.
WORKERS = 2

T = TypeVar("T")


def run_jobs(
    jobs: Sequence[Callable[[], T]],
    *,
    workers: int = WORKERS,
    timeout: float | None = None,
    memory: int | None = None,
    initializer: Callable[[], None] | None = None,
) -> Iterator[tuple[int, T | BenchlibError]]:
    """Run jobs in forked children and give what each returned, in the order in which they end.

    A child does one job after another: what a fork must copy before it can be written to, it copies once.
    Whoever stops asking, by an interrupt too, ends the children that are at work, and they clean up
    after themselves. Where this process cannot be forked (see `can_fork`), jobs run one after the other
    in it, without limits of their own.

    Parameters
    ----------
    jobs : sequence of callable
        What a job returns must be picklable.
    workers : int
    timeout : float, optional
        Seconds that one job may take.
    memory : int, optional
        Bytes of data that a child, and each process it starts, may hold.
    initializer : callable, optional
        What each child does before its first job.

    Yields
    ------
    (int, result or BenchlibError)
        The job's place among the jobs; the error that it raised, a `NotebookTimeout` if it took too
        long, or a `KernelDied` that says how its process ended.

    Examples
    --------
    >>> sorted(run_jobs([lambda: "a", lambda: "b"]))
    [(0, 'a'), (1, 'b')]
    """
    if not can_fork():
        for place, job in enumerate(jobs):
            yield place, _outcome(job)
        return
    waiting = iter(range(len(jobs)))
    idle: list[_Worker[T]] = []
    working: dict[Connection, _Worker[T]] = {}
    try:
        while True:
            while len(working) < max(1, workers) and (index := next(waiting, None)) is not None:
                worker = idle.pop() if idle else _Worker(jobs, memory=memory, initializer=initializer)
                working[worker.pipe] = worker
                worker.begin(index, timeout)
            if not working:
                return
            for worker in _finished(working):
                del working[worker.pipe]
                outcome = worker.outcome()
                if worker.sound:
                    idle.append(worker)
                yield worker.index, outcome
    finally:
        for worker in [*idle, *working.values()]:
            worker.end()


class _Worker(Generic[T]):
    """One child and the job that it does.

    Attributes
    ----------
    pipe : Connection
        Takes the place of a job, and brings what it returned.
    index : int
        The job that it does, or did last.
    until : float or None
        When that has taken too long.
    sound : bool
        Whether it may be given another.
    """

    def __init__(
        self, jobs: Sequence[Callable[[], T]], *, memory: int | None, initializer: Callable[[], None] | None
    ) -> None:
        self.index, self.sound = -1, False
        self.until: float | None = None
        self._timeout: float | None = None
        self.pipe, theirs = Pipe()

        def run() -> None:
            self.pipe.close()
            if initializer:
                initializer()
            while True:
                outcome = _outcome(jobs[theirs.recv()])
                gc.collect()
                # A job that left a thread behind would have the next one's cells run in a kernel.
                theirs.send_bytes(pickle.dumps((outcome, can_fork())))

        self._child: Child = fork(run, memory=memory)
        theirs.close()

    def begin(self, index: int, timeout: float | None) -> None:
        """Have it do a job."""
        self.index, self._timeout = index, timeout
        self.until = None if timeout is None else time.monotonic() + timeout
        with suppress(BrokenPipeError):  # it is gone, which `outcome` tells
            self.pipe.send(index)

    def outcome(self) -> T | BenchlibError:
        """Return what the job returned, or the error that tells why it did not."""
        self.sound = False
        try:
            if self.pipe.poll():
                found: T | BenchlibError
                found, self.sound = pickle.loads(self.pipe.recv_bytes())
                return found
        except (EOFError, ConnectionResetError):
            return KernelDied(f"the process that built it was {_told(self._child.wait())}")
        finally:
            if not self.sound:
                self.end()
        return NotebookTimeout(f"took longer than {self._timeout:g} s")

    def end(self) -> None:
        """End the child, if it has not ended by itself."""
        self._child.end(gently=True)
        self.pipe.close()


def _outcome(job: Callable[[], T]) -> T | BenchlibError:
    try:
        return job()
    except BenchlibError as error:
        return error


def _finished(running: dict[Connection, _Worker[T]]) -> list[_Worker[T]]:
    """Wait until some workers have a result, have died, or have run out of time."""
    ends = [one.until for one in running.values() if one.until is not None]
    ready = wait(list(running), max(0.0, min(ends) - time.monotonic()) if ends else None)
    now = time.monotonic()
    late = [one for one in running.values() if one.until is not None and one.until <= now]
    return list(
        {id(one): one for one in [*(running[one] for one in ready if isinstance(one, Connection)), *late]}.values()
    )


def _told(ended: str) -> str:
    return ended if ended.startswith("killed") else f"gone: it {ended}"
