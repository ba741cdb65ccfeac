"""Reports built by the workers of a Dask cluster, which see the same files: each is one task.

From top to bottom: the cluster as `benchlib fleet` sees it; what runs in a worker; what runs in the process that a
worker keeps for building. A worker has threads, so it cannot fork the cells of a notebook: the process beside it can.
"""

from __future__ import annotations

import ctypes
import logging
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, cast
from uuid import uuid4

from benchlib.errors import BenchlibError, InputError, KernelDied, printable
from benchlib.files import write_text
from benchlib.imports import single_threaded
from benchlib.run.build import Built, Request
from benchlib.run.fingerprint import versions
from benchlib.run.worker import _PR_SET_PDEATHSIG, can_fork

__all__ = ["Cluster"]

#: Seconds that a cluster may take to answer.
_PATIENCE = 10
#: Seconds after which a cluster without a word is asked whether it has a worker.
_LOST = 60


class Cluster:
    """A Dask cluster that builds reports; leaving the block forgets what it has not begun.

    A worker that does not see the files of this machine, or has other versions, is refused before the first report. A
    task of a worker that is gone is begun again by another.
    """

    def __init__(self, address: str, output: Path, requests: Sequence[Request]) -> None:
        try:
            import distributed
        except ImportError:
            raise InputError("--dask needs distributed; pip install 'benchlib[cluster]', or leave --dask out") from None
        for name in ("distributed", "distributed.client"):  # what goes wrong is told once, as an outcome
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            self._client: Any = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise InputError(
                f"--dask {printable(address)}: no scheduler answers ({printable(str(error))}); write tcp://HOST:PORT"
            ) from None
        self._requests = requests
        self._ended: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self._at_work: dict[int, Any] = {}
        try:
            threads = self._checked(address, output)
        except BenchlibError:
            self._client.close()
            raise
        #: Some more than are at work: no worker need wait for the next.
        self.workers = 2 * threads

    def _checked(self, address: str, output: Path) -> int:
        """Return how many threads the workers have, all of which see the folder of reports."""
        token = output.absolute() / f".fleet-{uuid4().hex}"
        write_text(token, token.name)
        try:
            answers = self._client.run(_unfit, str(token), versions(), on_error="return")
        finally:
            token.unlink(missing_ok=True)
        if not answers:
            raise InputError(f"--dask {printable(address)}: has no worker; start one with: dask worker {address}")
        for worker, why in answers.items():
            if why:
                raise InputError(f"--dask: the worker {printable(str(worker))} {printable(str(why), 300)}")
        return sum(self._client.nthreads().values())

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        for future in filter(None, self._at_work.values()):
            with suppress(OSError, TimeoutError):
                future.cancel()
        self._client.close()

    @property
    def busy(self) -> int:
        """How many reports were given to the cluster and have not ended."""
        return len(self._at_work)

    def begin(self, place: int) -> None:
        """Have a report built; by a cluster that is gone it is not."""
        if self._client.status not in ("running", "connecting"):
            self._at_work[place] = None
            self._ended.put((place, None))
            return
        future = self._client.submit(_build, os.getcwd(), versions(), self._requests[place], pure=False)
        self._at_work[place] = future
        future.add_done_callback(lambda done: self._ended.put((place, done)))

    def ended(self, patience: float | None = None) -> Iterator[tuple[int, Built | BenchlibError]]:
        """Yield a report that has ended; where none has, wait for one, at most so many seconds.

        Where the cluster is gone, or has no worker for a while, all that it was given has ended.
        """
        try:
            place, future = self._ended.get(timeout=_LOST if patience is None else min(patience, _LOST))
        except queue.Empty:
            if patience is None and not self._alive():
                lost, self._at_work = self._at_work, {}
                why = f"the cluster did not build it: no worker has been there for {_LOST} s"
                yield from ((place, KernelDied(why)) for place in lost)
            return
        if place not in self._at_work:
            return  # it was given up
        del self._at_work[place]
        if future and future.status == "finished":
            yield place, future.result()
            return
        failed = future and future.status == "error"
        error = future.exception() if failed else "its scheduler is gone, or dropped it"
        yield place, KernelDied(f"the cluster did not build it: {printable(str(error), 300)}")

    def _alive(self) -> bool:
        """Tell whether there is any worker."""
        try:
            return bool(self._client.nthreads())
        except (OSError, TimeoutError):
            return False


# --- in a worker ------------------------------------------------------------------------------------------------------


def _unfit(token: str, wanted: dict[str, str]) -> str:
    """Say why this worker cannot build what its client asks for; nothing where it can."""
    try:
        seen = Path(token).read_text(encoding="utf-8") == Path(token).name
    except OSError:
        seen = False
    if not seen:
        return f"does not see {Path(token).parent}; it needs the same files under the same names"
    return _other_versions(wanted)


def _other_versions(wanted: dict[str, str]) -> str:
    here = versions()
    for name in wanted:
        if here.get(name) != wanted[name]:
            ours, theirs = wanted[name][:12], here.get(name, "none")[:12]
            return f"has another {name} ({theirs}, here {ours}); install the same there"
    return ""


#: The process that each thread of a worker keeps for building.
_mine = threading.local()


def _build(folder: str, wanted: dict[str, str], request: Request) -> Built | BenchlibError:
    """Have the process beside this thread build a report."""
    if why := _other_versions(wanted):
        return InputError(f"--dask: a worker {why}")
    builder: subprocess.Popen[bytes] | None = getattr(_mine, "builder", None)
    if builder is None or builder.poll() is not None:
        command = [sys.executable, "-c", "from benchlib.run.cluster import _serve; _serve()"]
        builder = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        _mine.builder = builder
    asking, answering = cast("BinaryIO", builder.stdin), cast("BinaryIO", builder.stdout)
    try:
        pickle.dump((folder, request), asking)
        asking.flush()
        outcome: Built | BenchlibError
        outcome, sound = pickle.load(answering)
    except (EOFError, OSError, pickle.UnpicklingError):
        sound, outcome = False, KernelDied(f"the process that built it ended with {builder.wait()}")
    if not sound:
        asking.close()
        answering.close()
        builder.wait()
        _mine.builder = None
    return outcome


# --- beside a worker --------------------------------------------------------------------------------------------------


def _serve() -> None:
    """Build the reports that come by standard input, until it ends; what else is printed goes to standard error."""
    with suppress(AttributeError):  # not on Linux: it ends with its standard input
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    with single_threaded():
        import pandas  # noqa: F401  # before anything else imports it with threads
    from benchlib.run.fleet import build_one
    from benchlib.run.jobs import preload

    preload()
    with asked, answers, suppress(EOFError):
        while True:
            folder, request = pickle.load(asked)
            os.chdir(folder)
            try:
                outcome: Built | BenchlibError = build_one(request)
            except BenchlibError as error:
                outcome = error
            pickle.dump((outcome, can_fork()), answers)
            answers.flush()
