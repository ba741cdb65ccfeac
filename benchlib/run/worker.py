"""A forked process, and one that runs the cells of a notebook.

A kernel starts an interpreter and imports everything again: two seconds before the first cell. A forked worker has
what this process has imported, and imports the rest while this process checks parameters and opens the study.

From top to bottom: a child and how it ends; the worker as this process sees it; what runs in the worker, which is the
shell of a kernel without a kernel's sockets and threads.

A fork copies only the thread that calls it; a lock that another thread holds stays locked in the child for ever. So a
process of several threads is never forked here.
"""

from __future__ import annotations

import builtins
import codecs
import ctypes
import fcntl
import gc
import getpass
import importlib
import io
import json
import math
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn

from benchlib.imports import single_threaded, without_iri_grammars

if TYPE_CHECKING:
    from benchlib.study.open import Cache

#: What papermill calls our engines, see `benchlib.run.engines`.
WORKER, KERNEL = "benchlib-worker", "benchlib-kernel"

#: What a kernel says of itself, in its folder: nobody asks for it unless it does not start.
_LOG = "kernel.log"

_THREADS = Path("/proc/self/task")

#: ``prctl``: the signal that a process gets when its parent is gone.
_PR_SET_PDEATHSIG = 1

#: Seconds that a child may take to clean up after itself, or to end when it can say nothing any more.
_GRACE = 2.0

#: After how many new objects Python's collector of cycles looks: its own 700 would have it look at each report
#: hundreds of times, and what a command sets (`collect_seldom`) would let a cell's cycles pile up.
_OFTEN_ENOUGH = (10_000, 10, 10)

#: What reading a study may end with that another process wrote.
_UNREAD = (pickle.UnpicklingError, ImportError, AttributeError, TypeError, ValueError, MemoryError, EOFError)

#: What ``import benchlib`` does in a kernel: here it was imported before there was a shell.
_EXTENSION = "benchlib.display"


# --- a child, and how it ends -----------------------------------------------------------------------------------------


def can_fork() -> bool:
    """Tell whether this process may be forked: on Linux, with a single thread."""
    return _THREADS.is_dir() and len(os.listdir(_THREADS)) == 1


def _limit_memory(size: int, pid: int = 0) -> None:
    """Bound the data that a process may hold, in bytes; files that it maps do not count."""
    import resource

    resource.prlimit(pid, resource.RLIMIT_DATA, (size, size))


class Child:
    """A forked process that runs a function, and leads a session of its own.

    It dies with its parent, reads nothing from standard input, and may be ended gently: SIGTERM unwinds it. Nothing
    that the parent would do at its end happens in it. With a bound of `memory`, more bytes of data are a MemoryError.

    Examples
    --------
    >>> Child(os.abort).wait() if can_fork() else "killed by SIGABRT"
    'killed by SIGABRT'
    """

    def __init__(self, run: Callable[[], None], *, memory: int | None = None) -> None:
        # Not a `multiprocessing.Process`: its start takes from us the exit codes of others that have ended.
        parent = os.getpid()
        _flush()
        self._pid = os.fork()
        if not self._pid:
            _begin(run, parent, memory)
        self._code: int | None = None

    def wait(self, patience: float = math.inf) -> str:
        """Wait until it has ended, and say how; if it goes on for so many seconds, it is killed."""
        self._gone_within(patience)
        return _ending(self.end())

    def end(self, *, gently: bool = False) -> int:
        """Kill it and all that it started, and return its exit code; gently lets it clean up first."""
        if self._code is not None:
            return self._code  # its number may be another's by now
        if gently:
            os.kill(self._pid, signal.SIGTERM)
            self._gone_within(_GRACE)
        with suppress(ProcessLookupError, PermissionError):  # it leads no session yet
            os.killpg(self._pid, signal.SIGKILL)
        os.kill(self._pid, signal.SIGKILL)
        self._code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return self._code

    def _gone_within(self, seconds: float) -> None:
        """Wait until it has ended, but leave its number to it: `end` kills the group of that number."""
        until = time.monotonic() + seconds
        while self._code is None and time.monotonic() < until:
            if os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return
            time.sleep(0.01)


class _Ended(BaseException):
    """SIGTERM has come."""


def _begin(run: Callable[[], None], parent: int, memory: int | None) -> NoReturn:
    """Make the newborn child independent of its parent, except that it dies with it, and run."""
    code = 1
    try:
        os.setsid()
        sys.stdin = open(os.devnull)  # noqa: SIM115  # open as long as the child lives
        os.dup2(sys.stdin.fileno(), 0)
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            raise _Ended  # the parent was gone before we asked
        signal.signal(signal.SIGTERM, _unwind)
        if memory is not None:
            _limit_memory(memory)
        if "numpy.random" in sys.modules:
            import numpy

            numpy.random.seed()  # else every child would draw what its siblings draw
        run()
        code = 0
    except _Ended:
        code = 128 + signal.SIGTERM
    finally:
        if code == 1:
            traceback.print_exc()
        _flush()
        os._exit(code)


def _flush() -> None:
    """Write what is printed, so that only one of two processes does."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()


def _unwind(number: int, frame: FrameType | None) -> None:
    raise _Ended


def _ending(code: int) -> str:
    """Say how a process ended by its exit code, which is negative for a signal."""
    if code >= 0:
        return f"left with exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


# --- the worker, seen from the process that builds a report -----------------------------------------------------------


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
        return self._child.wait(_GRACE) if self._child else ""

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


# --- in the worker ----------------------------------------------------------------------------------------------------


def _run_cells(pipe: Connection, printed: tuple[int, int], soon: tuple[str, ...]) -> None:
    """Run the cells that come through a pipe, and send back what a kernel would publish.

    Cells run inside an asyncio loop, as in a kernel: ``await`` works at the top level, and so do tasks that outlive a
    cell.
    """
    gc.disable()  # nothing that is imported is garbage
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
    _forget_warnings()
    with single_threaded(), without_iri_grammars():
        import asyncio

        shell = _make_shell(_make_session(pipe, printed))
        for module in soon:
            importlib.import_module(module)
    gc.freeze()
    gc.set_threshold(*_OFTEN_ENOUGH)
    gc.enable()
    asyncio.run(_serve(shell, pipe))


def _make_session(pipe: Connection, printed: tuple[int, int]) -> Any:
    """Return the session of a shell, which writes what a kernel would publish to a pipe."""
    from jupyter_client.session import Session, json_packer

    session: Any = Session(key=b"")
    sending = threading.Lock()

    def send(stream: object, msg_or_type: Any, content: Any = None, *_: object, **__: object) -> None:
        if isinstance(msg_or_type, Mapping):
            msg_or_type, content = msg_or_type["msg_type"], msg_or_type["content"]
        sizes = [os.fstat(file).st_size for file in printed]
        packed = json_packer({"msg_type": msg_or_type, "content": content, "printed": sizes})
        with sending:
            pipe.send_bytes(packed)

    session.send = send
    return session


def _make_shell(session: Any) -> Any:
    """Return the shell of a kernel: displays, tracebacks and magics are what they are there."""
    from ipykernel.compiler import XCachingCompiler
    from ipykernel.ipkernel import IPythonKernel
    from ipykernel.zmqshell import ZMQInteractiveShell
    from traitlets.config import Config

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
    """Do what comes through the pipe until it is closed: take over the study that the parent opened, run a cell."""
    import asyncio

    import comm

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
            from benchlib.study.open import adopt

            # One that cannot be read here, because of what a plug-in put into it, is opened by the cells.
            with suppress(*_UNREAD):
                adopt(pickle.loads(brought))
        else:
            session.send(None, "execute_reply", await _run(shell, brought))


async def _run(shell: Any, code: str) -> dict[str, Any]:
    """Run one cell as `ipykernel.ipkernel.IPythonKernel.do_execute` does."""
    from ipykernel.ipkernel import IPythonKernel
    from IPython.core.error import UsageError

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
