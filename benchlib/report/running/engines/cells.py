"""The child's side of the fork engine: IPython, without a kernel's sockets and threads.

The shell is the kernel's own (`ipykernel.zmqshell`), so displays, tracebacks and magics are what they
are in a kernel; only its session writes to a pipe. Cells run inside an asyncio loop, as in a kernel:
``await`` works at the top level, and so do tasks that outlive a cell.
"""

from __future__ import annotations

import asyncio
import builtins
import gc
import getpass
import importlib
import os
import pickle
import re
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

from benchlib.report.running.engines.environment import cell_environment
from benchlib.report.running.engines.streams import Captured
from benchlib.report.running.imports import single_threaded, without_iri_grammars
from benchlib.uncollected import uncollected

__all__ = ["make_shell", "serve_cells"]

#: After how many new objects Python's collector of cycles looks: its own 700 would have it look at each report
#: hundreds of times, and what a command sets (`collect_seldom`) would let a cell's cycles pile up.
_OFTEN_ENOUGH = (10_000, 10, 10)

#: What reading a study may end with that another process wrote.
_UNREAD = (pickle.UnpicklingError, ImportError, AttributeError, TypeError, ValueError, MemoryError, EOFError, OSError)

#: What a cell says that awaits at its top level.
_MAY_AWAIT = re.compile(r"\b(?:await|async)\b")

#: What ``import benchlib`` does in a kernel: here it was imported before there was a shell.
_EXTENSION = "benchlib.display"


def serve_cells(
    pipe: Connection, folder: str, captured: tuple[int, int], soon: tuple[str, ...], shell: Any = None
) -> None:
    """Run the cells that come through a pipe, and send back what a kernel would publish.

    Parameters
    ----------
    pipe : Connection
        Brings ``{"code": ...}``, or ``{"kept": <file>}`` before the first, and takes messages of Jupyter's
        protocol, the last of each cell being ``execute_reply``; a ``comm_open`` says that the notebook
        needs a kernel and a front end.
    folder : str
        For IPython's own files.
    captured : (int, int)
        Descriptors of the files that take what is written to standard output and error.
    soon : tuple of str
        Modules to import before the first cell comes.
    shell : ZMQInteractiveShell, optional
        One of `make_shell` that has run nothing; it is made here if there is none.
    """
    # What ends the cells is the parent's SIGKILL; a cell may have a use for the signals that end a command.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for target, file in zip((1, 2), captured, strict=True):
        os.dup2(file, target)
    if shell is None:
        shell = make_shell(folder)
    else:
        _move(shell, folder)
    shell.displayhook.session.pipe = pipe
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, Captured):
            stream.own()
    with uncollected(for_good=True), single_threaded(), without_iri_grammars():
        for module in soon:
            importlib.import_module(module)
    gc.set_threshold(*_OFTEN_ENOUGH)
    asyncio.run(_serve(shell, pipe))


def make_shell(folder: str) -> Any:
    """Make the shell of a kernel, and this interpreter what a cell expects to find itself in.

    Parameters
    ----------
    folder : str
        For IPython's own files.

    Returns
    -------
    ZMQInteractiveShell
    """
    os.environ.update(cell_environment(folder))
    if "" not in sys.path:
        sys.path.insert(0, "")
    _forget_warnings()
    with uncollected(for_good=True), single_threaded():
        return _shell(folder)


def _move(shell: Any, folder: str) -> None:
    """Give a shell another folder for its files."""
    os.environ.update(cell_environment(folder))
    shell.ipython_dir = folder
    shell.profile_dir = _profile(folder)


def _profile(folder: str) -> Any:
    """Return a profile in a folder, without IPython's folders for logs and start-up files: nobody comes to look."""
    from IPython.core.profiledir import ProfileDir

    class Profile(ProfileDir):
        def _mkdir(self, path: str, mode: int | None = None) -> bool:
            return False

    return Profile(location=os.path.join(folder, "profile_default"))


def _forget_warnings() -> None:
    """Show and ignore the warnings that a fresh interpreter does, whatever this one has been told since."""
    if sys.warnoptions:
        return
    warnings.resetwarnings()
    for category in (ResourceWarning, ImportWarning, PendingDeprecationWarning, DeprecationWarning):
        warnings.simplefilter("ignore", category)
    warnings.filterwarnings("default", category=DeprecationWarning, module="__main__")


async def _serve(shell: Any, pipe: Connection) -> None:
    # The front end is a file: widgets would wait for an answer for ever.
    import comm
    from ipykernel.ipkernel import IPythonKernel

    def refuse(*_: object, **__: object) -> NoReturn:
        shell.displayhook.session.send(None, "comm_open", {})
        os._exit(0)

    comm.create_comm = refuse
    loop = asyncio.get_running_loop()
    come = asyncio.Event()
    loop.add_reader(pipe.fileno(), come.set)
    while not shell.exit_now:
        await come.wait()
        come.clear()
        try:
            brought = pipe.recv()
        except EOFError:
            return
        if "kept" in brought:
            from benchlib.study.study_cache import adopt

            # What cannot be read here, or finds no memory, is opened by the cells.
            with suppress(*_UNREAD), open(brought["kept"], "rb") as file:
                adopt(pickle.load(file))
            continue
        reply = await _run(shell, brought["code"])
        reply["language_info"] = IPythonKernel.language_info
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        shell.displayhook.session.send(None, "execute_reply", reply)


async def _run(shell: Any, code: str) -> dict[str, Any]:
    """Run one cell as `ipykernel.ipkernel.IPythonKernel.do_execute` does."""
    number = shell.execution_count
    shell.displayhook.session.send(None, "execute_input", {"code": code, "execution_count": number})
    result = await _result(shell, code)
    shell.payload_manager.clear_payload()
    if result.success and not shell._last_traceback_during_displayhook:
        return {"status": "ok", "execution_count": number}
    error = result.error_before_exec or result.error_in_exec
    return {
        "status": "error",
        "execution_count": number,
        "ename": type(error).__name__,
        "evalue": str(error),
        "traceback": shell._last_traceback or [],
    }


async def _result(shell: Any, code: str) -> Any:
    # Whether a cell awaits is seen once it is parsed, which takes a while: most do not even name it.
    if not _MAY_AWAIT.search(code):
        return shell.run_cell(code, store_history=True)
    from IPython.core.error import UsageError

    refused = None
    try:
        transformed = shell.transform_cell(code)
    except (SyntaxError, UsageError):
        transformed, refused = code, sys.exc_info()
    prepared = {"transformed_cell": transformed, "preprocessing_exc_tuple": refused}
    if not shell.should_run_async(code, **prepared):
        return shell.run_cell(code, store_history=True)
    result = None
    try:
        result = await shell.run_cell_async(code, store_history=True, **prepared)
    finally:
        shell.events.trigger("post_execute")
        shell.events.trigger("post_run_cell", result)
    return result


def _shell(folder: str) -> Any:
    with without_iri_grammars():
        from ipykernel.compiler import XCachingCompiler
        from ipykernel.zmqshell import ZMQInteractiveShell
        from jupyter_client.session import Session, json_packer
    from traitlets.config import Config

    sending = threading.Lock()

    class Pipe(Session):
        """Writes what a kernel would publish to the pipe of the child it is in."""

        pipe: Connection

        def send(self, stream: object, msg_or_type: Any, content: Any = None, *_: object, **__: object) -> None:
            """Send one message."""
            if isinstance(msg_or_type, Mapping):
                msg_or_type, content = msg_or_type["msg_type"], msg_or_type["content"]
            packed = json_packer({"msg_type": msg_or_type, "content": content})
            with sending:
                self.pipe.send_bytes(packed)

    session = Pipe(key=b"")
    sys.stdout, sys.stderr = (
        Captured(name, number, _publisher(session, name)) for number, name in enumerate(("stdout", "stderr"), 1)
    )
    # No history file: its writer is a thread, and nobody will read it.
    shell: Any = ZMQInteractiveShell.instance(
        config=Config({"HistoryManager": {"enabled": False}}),
        compiler_class=XCachingCompiler,
        kernel=SimpleNamespace(eventloop=None),
        profile_dir=_profile(folder),
    )
    shell.displayhook.session = shell.display_pub.session = session
    shell.displayhook.topic = b"execute_result"
    _refuse_input()
    _tell_plotly()
    shell.extension_manager.load_extension(_EXTENSION)
    return shell


def _publisher(session: Any, name: str) -> Any:
    def publish(text: str, taken: int) -> None:
        session.send(None, "stream", {"name": name, "text": text, "taken": taken})

    return publish


def _refuse_input() -> None:
    """Have questions to a reader fail as they do in a kernel without a front end."""
    from ipykernel.ipkernel import IPythonKernel

    alone: Any = SimpleNamespace(_allow_stdin=False)
    builtins.input = partial(IPythonKernel.raw_input, alone)
    getpass.getpass = partial(IPythonKernel.getpass, alone)


def _tell_plotly() -> None:
    """Tell a plotly that chose how to show figures before the fork that it is in a notebook now."""
    if "plotly.io._renderers" in sys.modules:
        import plotly.io

        plotly.io.renderers.default = os.environ["PLOTLY_RENDERER"]
