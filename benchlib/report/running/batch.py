"""Many jobs, a few at a time, each in a child of this process that has everything imported already."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterable, Iterator
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
    jobs: Iterable[Callable[[], T]],
    *,
    workers: int = WORKERS,
    timeout: float | None = None,
    memory: int | None = None,
) -> Iterator[tuple[int, T | BenchlibError]]:
    """Run jobs in forked children and give what each returned, in the order in which they end.

    Whoever stops asking, by an interrupt too, ends the children that are at work, and they clean up
    after themselves. Where this process cannot be forked (see `can_fork`), jobs run one after the other
    in it, without limits of their own.

    Parameters
    ----------
    jobs : iterable of callable
        Taken one by one, as workers become free. What a job returns must be picklable.
    workers : int
    timeout : float, optional
        Seconds that one job may take.
    memory : int, optional
        Bytes of data that one job, and each process it starts, may hold.

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
        for index, job in enumerate(jobs):
            yield index, _outcome(job)
        return
    waiting = enumerate(jobs)
    running: dict[Connection, _Worker[T]] = {}
    try:
        while True:
            while len(running) < max(1, workers) and (following := next(waiting, None)):
                worker = _Worker(*following, timeout=timeout, memory=memory)
                running[worker.results] = worker
            if not running:
                return
            for worker in _finished(running):
                del running[worker.results]
                yield worker.index, worker.outcome()
    finally:
        for worker in running.values():
            worker.end()


class _Worker(Generic[T]):
    """One child and the job that it does."""

    def __init__(self, index: int, job: Callable[[], T], *, timeout: float | None, memory: int | None) -> None:
        self.index = index
        self.until = None if timeout is None else time.monotonic() + timeout
        self._timeout = timeout
        self.results, sending = Pipe(duplex=False)

        def run() -> None:
            sending.send_bytes(pickle.dumps(_outcome(job)))

        self._child: Child = fork(run, memory=memory)
        sending.close()

    def outcome(self) -> T | BenchlibError:
        """Return what the job returned, or the error that tells why it did not."""
        try:
            if self.results.poll():
                found: T | BenchlibError = pickle.loads(self.results.recv_bytes())
                return found
        except EOFError:
            return KernelDied(f"the process that built it was {_told(self._child.wait())}")
        finally:
            self.end()
        return NotebookTimeout(f"took longer than {self._timeout:g} s")

    def end(self) -> None:
        """End the child, if it has not ended by itself."""
        self._child.end(gently=True)
        self.results.close()


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
