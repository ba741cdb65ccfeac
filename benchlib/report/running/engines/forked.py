"""The fork engine, seen from the parent: one child runs the cells of one notebook.

A kernel of its own starts an interpreter and imports everything again: two seconds before the first
cell. A fork has what this process has imported, and is handed the study that it has opened.
"""

from __future__ import annotations

import json
import os
import pickle
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import Pipe
from typing import TYPE_CHECKING, Any

from benchlib.report.running.children import Child, fork
from benchlib.report.running.engines.cells import serve_cells
from benchlib.report.running.engines.server import ServedChild, Serving, fork_server
from benchlib.report.running.imports import without_iri_grammars
from benchlib.uncollected import uncollected

if TYPE_CHECKING:
    from benchlib.study.study_cache import Kept

__all__ = ["FORK", "ForkedCells", "NeedsKernel", "register_fork_engine"]

FORK = "benchlib-fork"

#: Seconds in which a child ends that can say nothing any more.
_SOON_GONE = 2.0

#: Seconds after which a cell that has said nothing is thought to be at work for a while.
_A_WHILE = 0.02


class NeedsKernel(Exception):
    """The notebook shows widgets, which want a kernel and a front end."""


class ForkedCells:
    """A forked child that runs cells.

    Parameters
    ----------
    folder : str
        For IPython's own files.
    memory : int or None
        Bytes of data that the child may hold.
    soon : tuple of str
        Modules that the cells will import: the child does so before it is given any.
    """

    def __init__(self, folder: str, memory: int | None, soon: tuple[str, ...]) -> None:
        server = fork_server()
        # Not pipes: nobody need read them, they never fill, and what a crash said last is still there.
        self._files = [tempfile.TemporaryFile(buffering=0) for _ in range(2)]  # noqa: SIM115  # `end` closes them
        self._taken = {"stdout": 0, "stderr": 0}
        self._kept = os.path.join(folder, "kept") if soon else ""
        self._pipe, other = Pipe()
        descriptors = self._files[0].fileno(), self._files[1].fileno()
        for one in descriptors:
            _append(one)

        def run() -> None:
            self._pipe.close()
            serve_cells(other, folder, descriptors, soon)

        child = server.fork(Serving(folder, soon, memory), other, descriptors) if server else None
        #: Whether it has not seen what this process has opened since a server was started.
        self.served = child is not None
        self._child: Child | ServedChild = child or fork(run, memory=memory)
        self._ended = False
        other.close()

    def keep(self, kept: Kept) -> None:
        """Hand over the study that this process has opened since the child began, if the cells use benchlib.

        By a file, which waits for nobody. What cannot be handed over, say because of what a plug-in put into it, is
        opened by the cells.
        """
        if not self._kept:
            return
        try:
            with open(self._kept, "wb") as file:
                pickle.dump(kept, file)
        except (pickle.PicklingError, TypeError, AttributeError, ValueError, RuntimeError, OSError):
            return
        with suppress(BrokenPipeError):  # who is gone says so when a cell is to run
            self._pipe.send({"kept": self._kept})

    def start(self, code: str) -> None:
        """Have a cell run.

        Raises
        ------
        EOFError
            If the child is gone.
        """
        try:
            self._pipe.send({"code": code})
        except BrokenPipeError:
            raise EOFError from None

    def next_message(self, seconds: float | None) -> dict[str, Any] | None:
        """Return the next message of the running cell, or None if none came in time.

        Raises
        ------
        EOFError
            If the child is gone.
        """
        try:
            if not self._pipe.poll(seconds):
                return None
            message: dict[str, Any] = json.loads(self._pipe.recv_bytes().decode("utf-8", "replace"))
        except ConnectionResetError:
            raise EOFError from None
        if message["msg_type"] == "stream":
            self._taken[message["content"]["name"]] = message["content"].pop("taken")
        return message

    def last_words(self) -> list[dict[str, Any]]:
        """Return what a child wrote that is gone now and that it could not send any more."""
        words = []
        for file, (name, taken) in zip(self._files, self._taken.items(), strict=True):
            text = os.pread(file.fileno(), 1 << 16, taken).decode(errors="replace")
            if text:
                words.append({"msg_type": "stream", "content": {"name": name, "text": text}})
        return words

    def how_it_ended(self) -> str:
        """Wait until the child has ended, and say how; one that only closed its pipe is killed soon."""
        return self._child.wait(_SOON_GONE)

    def end(self) -> None:
        """End the child and all that its cells started; once it has ended, nothing."""
        if self._ended:
            return  # its number may be another's by now
        self._ended = True
        self._child.end()
        self._pipe.close()
        for file in self._files:
            file.close()


def _append(descriptor: int) -> None:
    """Make several writers of one file add to its end, whatever each has written."""
    import fcntl

    fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_APPEND)


@contextmanager
def _outputs_unchecked() -> Iterator[None]:
    """Have nbformat make outputs without holding each against its schema: a whole notebook is checked quicker."""
    from nbformat.v4 import nbbase

    check = nbbase.validate
    nbbase.validate = lambda *_, **__: None
    try:
        yield
    finally:
        nbbase.validate = check


def _prepare_page() -> None:
    """Do what every page needs: a core is free as long as the cells are at work."""
    with uncollected(), without_iri_grammars():
        from benchlib.report.page.export import prepare

        prepare()


@cache
def register_fork_engine() -> None:
    """Give papermill the fork engine, once."""
    import time

    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
    from papermill.clientwrap import PapermillNotebookClient
    from papermill.engines import Engine, papermill_engines
    from papermill.log import logger

    class ForkClient(PapermillNotebookClient):  # type: ignore[misc]  # papermill has no types
        """nbclient's treatment of messages, with a child where its kernel was."""

        def __init__(self, nb_man: Any, cells: ForkedCells, timeout: float | None) -> None:
            super().__init__(nb_man, log=logger, record_timing=False)
            self._cells = cells
            self._seconds = timeout
            # The first cell waits for what the child imports: who prepared a page meanwhile would keep it waiting.
            self._idle, self._prepared = False, False

        def execute(self) -> Any:
            """Run all cells, as far as they come."""
            with _outputs_unchecked():
                self.papermill_execute_cells()
            return self.nb

        def execute_cell(self, cell: Any, cell_index: int, *_: object, **__: object) -> Any:
            """Run one cell; leave what nbclient leaves."""
            # papermill would parse its own clock to say how long it took, which reaches no disk.
            cell.metadata.papermill["start_time"] = None
            tags = cell.metadata.get("tags", [])
            if cell.cell_type != "code" or not cell.source.strip() or self.skip_cells_with_tag in tags:
                return cell
            cell.outputs = []
            self.clear_before_next_output = False
            try:
                self._cells.start(cell.source)
                reply = self._follow(cell, cell_index)
            except EOFError:
                for words in self._cells.last_words():
                    self._show(words, cell, cell_index)
                raise DeadKernelError(self._cells.how_it_ended()) from None
            if reply["status"] == "error" and "raises-exception" not in tags:
                raise CellExecutionError.from_cell_and_msg(cell, reply)
            return cell

        def _follow(self, cell: Any, cell_index: int) -> dict[str, Any]:
            """Show what a cell publishes until it has ended."""
            until = None if self._seconds is None else time.monotonic() + self._seconds
            while True:
                left = None if until is None else max(0.0, until - time.monotonic())
                message = self._cells.next_message(_A_WHILE if self._idle else left)
                if message is None and self._idle:
                    self._idle, self._prepared = False, True
                    _prepare_page()
                    continue
                if message is None:
                    raise CellTimeoutError.error_from_timeout_and_cell("timed out", int(self._seconds or 0), cell)
                if message["msg_type"] == "comm_open":
                    raise NeedsKernel
                if message["msg_type"] == "execute_reply":
                    reply: dict[str, Any] = message["content"]
                    self.nb.metadata["language_info"] = reply["language_info"]
                    self._idle = not self._prepared
                    return reply
                self._show(message, cell, cell_index)

        def _show(self, message: dict[str, Any], cell: Any, cell_index: int) -> None:
            header = {"header": {"msg_type": message["msg_type"]}, "parent_header": {"msg_id": ""}}
            self.process_message(message | header, cell, cell_index)

    class ForkEngine(Engine):  # type: ignore[misc]
        """Runs the cells of a notebook in a child; `running` gets the notebook, which an exception would lose."""

        @classmethod
        def execute_managed_notebook(cls, nb_man: Any, kernel_name: str, **options: Any) -> Any:
            options["running"].append(nb_man.nb)
            return ForkClient(nb_man, options["cells"], options["execution_timeout"]).execute()

    papermill_engines.register(FORK, ForkEngine)
