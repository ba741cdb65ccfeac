"""The process that runs the cells of one notebook, seen from the process that builds its report.

A kernel starts an interpreter and imports everything again: two seconds before the first cell. A forked worker has
what this process has imported, and imports the rest while this process checks parameters and opens the study.
"""

from __future__ import annotations

import codecs
import fcntl
import gc
import json
import os
import pickle
import tempfile
from contextlib import suppress
from multiprocessing import Pipe
from typing import TYPE_CHECKING, Any

from benchlib.imports import single_threaded, without_iri_grammars
from benchlib.run.jobs import Child

if TYPE_CHECKING:
    from benchlib.study.open import Cache

#: What papermill calls our engines, see `benchlib.run.engines`.
WORKER, KERNEL = "benchlib-worker", "benchlib-kernel"

#: What a kernel says of itself, in its folder: nobody asks for it unless it does not start.
_LOG = "kernel.log"

#: Seconds in which a worker ends that can say nothing any more.
_SOON_GONE = 2.0


class NeedsKernel(Exception):
    """The notebook shows widgets, which want a kernel and a front end."""


class Worker:
    """A forked process that runs cells."""

    def __init__(self, folder: str, memory: int | None, soon: tuple[str, ...]) -> None:
        # Not pipes: nobody need read them, they never fill, and what a crash said last is still there.
        self._files = [tempfile.TemporaryFile(buffering=0) for _ in range(2)]  # noqa: SIM115  # `end` closes them
        descriptors = self._files[0].fileno(), self._files[1].fileno()
        for file in descriptors:  # several processes may write to it: each adds to its end
            fcntl.fcntl(file, fcntl.F_SETFL, fcntl.fcntl(file, fcntl.F_GETFL) | os.O_APPEND)
        self._shown = [0, 0]
        self._decoders = [codecs.getincrementaldecoder("utf-8")("replace") for _ in range(2)]
        self._pipe, other = Pipe()

        def run() -> None:
            self._pipe.close()
            os.environ.update(_cell_environment(folder))
            gc.disable()  # `run_cells` enables it: nothing that is imported is garbage
            with single_threaded(), without_iri_grammars():
                from benchlib.run.cells import _run_cells
            _run_cells(other, descriptors, soon)

        self._child: Child | None = Child(run, memory=memory)
        other.close()

    def hand_over(self, kept: Cache) -> None:
        """Hand over the study that this process has opened, before the first cell.

        What cannot be handed over, say because of what a plug-in put into it, is opened by the cells.
        """
        with suppress(pickle.PicklingError, TypeError, AttributeError, ValueError, RuntimeError, OSError):
            self._pipe.send(("study", pickle.dumps(kept)))

    def start(self, code: str) -> None:
        """Have a cell run; an EOFError says that the worker is gone."""
        try:
            self._pipe.send(("cell", code))
        except BrokenPipeError:
            raise EOFError from None

    def next_message(self, seconds: float | None) -> dict[str, Any] | None:
        """Return the next message of the running cell, or None if none came in time."""
        try:
            if not self._pipe.poll(seconds):
                return None
            message: dict[str, Any] = json.loads(self._pipe.recv_bytes().decode("utf-8", "replace"))
        except ConnectionResetError:
            raise EOFError from None
        return message

    def printed(self, sizes: list[int]) -> dict[str, str]:
        """Return what was written to standard output and error since this was last asked, up to some sizes."""
        printed = {}
        for number, name in enumerate(("stdout", "stderr")):
            raw = os.pread(self._files[number].fileno(), sizes[number] - self._shown[number], self._shown[number])
            self._shown[number] += len(raw)
            if text := self._decoders[number].decode(raw):
                printed[name] = text
        return printed

    def last_words(self) -> dict[str, str]:
        """Return what was written by a worker that says no more."""
        return self.printed([os.fstat(file.fileno()).st_size for file in self._files])

    def how_it_ended(self) -> str:
        """Wait until the worker has ended, and say how; one that only closed its pipe is killed soon."""
        return self._child.wait(_SOON_GONE) if self._child else ""

    def end(self) -> None:
        """End the worker and all that its cells started; once it has ended, nothing."""
        if self._child is None:
            return
        self._child.end()
        self._child = None
        self._pipe.close()
        for file in self._files:
            file.close()


def _cell_environment(folder: str) -> dict[str, str]:
    """Return the environment variables that cells find, in a worker and in a kernel."""
    return {
        # nobody's start-up files change a report, and an unwritable home does not matter
        "IPYTHONDIR": folder,
        # plotly 7 inside a kernel must not write its JavaScript into every output
        "PLOTLY_RENDERER": "plotly_mimetype",
        # else the debugger warns on stderr, once a run, that Python is frozen
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        # the same digits on a machine with other cores, and no threads that a fork would lose
        "OPENBLAS_NUM_THREADS": "1",
    }
