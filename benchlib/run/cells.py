"""What runs cells, in a process of its own: the shell of a kernel, without a kernel's sockets and threads.

The shell is `ipykernel.zmqshell`, so displays, tracebacks and magics are what they are in a kernel; only its session
writes to a pipe. Cells run inside an asyncio loop, as in a kernel: ``await`` works at the top level, and so do tasks
that outlive a cell.
"""

from __future__ import annotations

import asyncio
import builtins
import gc
import getpass
import importlib
import io
import os
import pickle
import signal
import sys
import threading
import warnings
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from types import SimpleNamespace
from typing import Any, NoReturn

import comm
from ipykernel.compiler import XCachingCompiler
from ipykernel.ipkernel import IPythonKernel
from ipykernel.zmqshell import ZMQInteractiveShell
from IPython.core.error import UsageError
from jupyter_client.session import Session, json_packer
from traitlets.config import Config

from benchlib.imports import single_threaded, without_iri_grammars

#: After how many new objects Python's collector of cycles looks: its own 700 would have it look at each report
#: hundreds of times, and what a command sets (`collect_seldom`) would let a cell's cycles pile up.
_OFTEN_ENOUGH = (10_000, 10, 10)

#: What reading a study may end with that another process wrote.
_UNREAD = (pickle.UnpicklingError, ImportError, AttributeError, TypeError, ValueError, MemoryError, EOFError)

#: What ``import benchlib`` does in a kernel: here it was imported before there was a shell.
_EXTENSION = "benchlib.display"


def _run_cells(pipe: Connection, printed: tuple[int, int], soon: tuple[str, ...]) -> None:
    """Run the cells that come through a pipe, and send back what a kernel would publish."""
    # What ends the cells is the parent's SIGKILL; a cell may have a use for the signals that end a command.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, file in zip((1, 2), printed, strict=True):
        os.dup2(file, number)
    # Nothing is held back: what C code and programs write comes in between, where it belongs.
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.FileIO(number, "w", closefd=False), "utf-8", "replace", write_through=True)
        for number in (1, 2)
    )
    if "" not in sys.path:
        sys.path.insert(0, "")
    _forget_warnings()
    with single_threaded(), without_iri_grammars():
        shell = _make_shell(_Pipe(pipe, printed))
        for module in soon:
            importlib.import_module(module)
    gc.freeze()
    gc.set_threshold(*_OFTEN_ENOUGH)
    gc.enable()
    asyncio.run(_serve(shell, pipe))


class _Pipe(Session):
    """Writes what a kernel would publish to a pipe."""

    def __init__(self, pipe: Connection, printed: tuple[int, int]) -> None:
        super().__init__(key=b"")
        self._pipe, self._printed = pipe, printed
        self._sending = threading.Lock()

    def send(self, stream: object, msg_or_type: Any, content: Any = None, *_: object, **__: object) -> None:
        """Send one message."""
        if isinstance(msg_or_type, Mapping):
            msg_or_type, content = msg_or_type["msg_type"], msg_or_type["content"]
        sizes = [os.fstat(file).st_size for file in self._printed]
        packed = json_packer({"msg_type": msg_or_type, "content": content, "printed": sizes})
        with self._sending:
            self._pipe.send_bytes(packed)


def _make_shell(session: _Pipe) -> Any:
    # No history file: its writer is a thread, and nobody will read it.
    shell: Any = ZMQInteractiveShell.instance(
        config=Config({"HistoryManager": {"enabled": False}}),
        compiler_class=XCachingCompiler,
        kernel=SimpleNamespace(eventloop=None),
    )
    shell.displayhook.session = shell.display_pub.session = session
    shell.displayhook.topic = b"execute_result"
    if "plotly.io._renderers" in sys.modules:  # it chose how to show figures before it was in a notebook
        import plotly.io

        plotly.io.renderers.default = os.environ["PLOTLY_RENDERER"]
    shell.extension_manager.load_extension(_EXTENSION)
    # A question to a reader fails as it does in a kernel without a front end.
    alone: Any = SimpleNamespace(_allow_stdin=False)
    builtins.input = partial(IPythonKernel.raw_input, alone)
    getpass.getpass = partial(IPythonKernel.getpass, alone)
    return shell


def _forget_warnings() -> None:
    """Show and ignore the warnings that a fresh interpreter does, whatever this one has been told since."""
    if sys.warnoptions:
        return
    warnings.resetwarnings()
    for category in (ResourceWarning, ImportWarning, PendingDeprecationWarning, DeprecationWarning):
        warnings.simplefilter("ignore", category)
    warnings.filterwarnings("default", category=DeprecationWarning, module="__main__")


async def _serve(shell: Any, pipe: Connection) -> None:
    session = shell.displayhook.session

    def refuse(*_: object, **__: object) -> NoReturn:
        # The front end is a file: widgets would wait for an answer for ever.
        session.send(None, "comm_open", {})
        os._exit(0)

    comm.create_comm = refuse
    ready = asyncio.Event()
    asyncio.get_running_loop().add_reader(pipe.fileno(), ready.set)
    while not shell.exit_now:
        await ready.wait()
        ready.clear()
        try:
            kind, brought = pipe.recv()
        except EOFError:
            return
        if kind == "study":
            _adopt(brought)
            continue
        reply = await _run(shell, brought)
        session.send(None, "execute_reply", reply)


def _adopt(pickled: bytes) -> None:
    """Take over the study that the parent has opened; one that cannot be read here is opened by the cells."""
    from benchlib.study.open import adopt

    with suppress(*_UNREAD):
        adopt(pickle.loads(pickled))


async def _run(shell: Any, code: str) -> dict[str, Any]:
    """Run one cell as `ipykernel.ipkernel.IPythonKernel.do_execute` does."""
    number = shell.execution_count
    shell.displayhook.session.send(None, "execute_input", {"code": code, "execution_count": number})
    shell._last_traceback, shell._last_traceback_during_displayhook = None, False
    refused, transformed = None, code
    try:
        transformed = shell.transform_cell(code)
    except (SyntaxError, UsageError):
        refused = sys.exc_info()
    result = await shell.run_cell_async(
        code, store_history=True, transformed_cell=transformed, preprocessing_exc_tuple=refused
    )
    shell.events.trigger("post_execute")
    shell.events.trigger("post_run_cell", result)
    shell.payload_manager.clear_payload()
    reply = {"execution_count": number, "language_info": IPythonKernel.language_info}
    if result.success and not shell._last_traceback_during_displayhook:
        return reply | {"status": "ok"}
    error = result.error_before_exec or result.error_in_exec
    traceback = shell._last_traceback or []
    return reply | {"status": "error", "ename": type(error).__name__, "evalue": str(error), "traceback": traceback}
