"""What papermill runs cells with: a process of ours, or for what only a kernel can do, nbclient's kernel.

Importing this module registers both engines; it takes papermill and nbclient with it.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat.v4 import nbbase
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import Engine, NBClientEngine, papermill_engines
from papermill.log import logger
from traitlets import Integer, Unicode
from traitlets.config import Config

from benchlib.imports import without_iri_grammars
from benchlib.run.worker import _LOG, KERNEL, WORKER, NeedsKernel, Worker, _cell_environment, _limit_memory


class _WorkerClient(PapermillNotebookClient):  # type: ignore[misc]  # papermill has no types
    """nbclient's treatment of messages, with a worker where its kernel was."""

    def __init__(self, nb_man: Any, worker: Worker, timeout: float | None) -> None:
        super().__init__(nb_man, log=logger, record_timing=False)
        self._worker, self._seconds = worker, timeout

    def execute(self) -> Any:
        """Run all cells, as far as they come; a core is free meanwhile, which prepares what every page needs."""
        preparing = threading.Thread(target=_prepare_page)
        preparing.start()
        try:
            with _outputs_unchecked():
                self.papermill_execute_cells()
        finally:
            preparing.join()
        return self.nb

    def execute_cell(self, cell: Any, cell_index: int, *_: object, **__: object) -> Any:
        """Run one cell; its outputs come as they are published."""
        tags = cell.metadata.get("tags", [])
        if cell.cell_type != "code" or not cell.source.strip() or self.skip_cells_with_tag in tags:
            return cell
        cell.outputs = []
        self.clear_before_next_output = False
        try:
            self._worker.start(cell.source)
            reply = self._follow(cell, cell_index)
        except EOFError:
            self._show_printed(self._worker.last_words(), cell, cell_index)
            raise DeadKernelError(self._worker.how_it_ended()) from None
        if reply["status"] == "error" and "raises-exception" not in tags:
            raise CellExecutionError.from_cell_and_msg(cell, reply)
        return cell

    def _follow(self, cell: Any, cell_index: int) -> dict[str, Any]:
        """Show what a cell publishes until it has ended."""
        until = None if self._seconds is None else time.monotonic() + self._seconds
        while True:
            message = self._worker.next_message(None if until is None else max(0.0, until - time.monotonic()))
            if message is None:
                self._show_printed(self._worker.last_words(), cell, cell_index)
                raise CellTimeoutError.error_from_timeout_and_cell("timed out", int(self._seconds or 0), cell)
            if message["msg_type"] == "comm_open":
                raise NeedsKernel
            self._show_printed(self._worker.printed(message["printed"]), cell, cell_index)
            if message["msg_type"] == "execute_reply":
                reply: dict[str, Any] = message["content"]
                self.nb.metadata["language_info"] = reply["language_info"]
                return reply
            self._show(message["msg_type"], message["content"], cell, cell_index)

    def _show_printed(self, printed: dict[str, str], cell: Any, cell_index: int) -> None:
        for name, text in printed.items():
            self._show("stream", {"name": name, "text": text}, cell, cell_index)

    def _show(self, kind: str, content: dict[str, Any], cell: Any, cell_index: int) -> None:
        header = {"header": {"msg_type": kind}, "parent_header": {"msg_id": ""}}
        self.process_message({"msg_type": kind, "content": content} | header, cell, cell_index)


class _WorkerEngine(Engine):  # type: ignore[misc]
    """Runs the cells of a notebook in a worker; `running` gets the notebook, which an exception would lose."""

    @classmethod
    def execute_managed_notebook(cls, nb_man: Any, kernel_name: str, **options: Any) -> Any:
        options["running"].append(nb_man.nb)
        return _WorkerClient(nb_man, options["worker"], options["execution_timeout"]).execute()


@contextmanager
def _outputs_unchecked() -> Iterator[None]:
    """Have nbformat make outputs without holding each against its schema: a whole notebook is checked quicker."""
    check = nbbase.validate
    nbbase.validate = lambda *_, **__: None
    try:
        yield
    finally:
        nbbase.validate = check


def _prepare_page() -> None:
    with without_iri_grammars():
        import benchlib.render.check  # noqa: F401  # while cells run elsewhere there is time for it


class BoundedKernel(AsyncKernelManager):
    """A kernel that may not hold more data than it is allowed, and writes to no terminal."""

    folder = Unicode(help="A private folder for the connection and IPython's own files.").tag(config=True)
    memory = Integer(0, help="Bytes of data that the kernel may hold; 0 for no bound.").tag(config=True)

    async def _async_launch_kernel(self, kernel_cmd: list[str], **options: Any) -> None:
        # ipykernel repeats on its own streams what a cell writes past Python; the outputs hold that already.
        with Path(self.folder, _LOG).open("wb") as log:
            await super()._async_launch_kernel(kernel_cmd, **options, stdout=subprocess.DEVNULL, stderr=log)
        pid = getattr(self.provisioner, "pid", None)
        if self.memory and pid:
            _limit_memory(self.memory, pid)


class ThisInterpreter(BoundedKernel):
    """The kernel of this interpreter, whatever a user has registered under "python3"."""

    @property
    def kernel_spec(self) -> KernelSpec:
        """Say how it is started."""
        return KernelSpec(
            argv=[sys.executable, "-P", "-m", "ipykernel", "-f", "{connection_file}"],
            display_name="Python 3",
            language="python",
            env=_cell_environment(self.folder),
        )


class _KernelEngine(NBClientEngine):  # type: ignore[misc]
    """papermill's own engine; `running` gets the notebook, which an exception would lose."""

    @classmethod
    def execute_managed_notebook(cls, nb_man: Any, kernel_name: str, **options: Any) -> Any:
        options.pop("running").append(nb_man.nb)
        folder, memory = options.pop("kernel_folder"), options.pop("memory") or 0
        settings = {"folder": folder, "memory": memory, "connection_file": str(Path(folder, "kernel.json"))}
        manager = ThisInterpreter if kernel_name == "python3" else BoundedKernel
        return super().execute_managed_notebook(
            nb_man,
            kernel_name,
            kernel_manager_class=manager,
            config=Config({manager.__name__: settings}),
            record_timing=False,
            **options,
        )


papermill_engines.register(WORKER, _WorkerEngine)
papermill_engines.register(KERNEL, _KernelEngine)
