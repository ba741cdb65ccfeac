"""A server of forks: one process makes a shell, and each notebook's cells run in a fork of it.

Whoever builds many reports would else make a shell for each, and pay twice for each fork: parent and child
both copy a page of memory that either writes to, and a builder writes to thousands between two forks. A
server writes to nothing.
"""

from __future__ import annotations

import gc
import os
import signal
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any, NamedTuple

from benchlib.report.running.children import Child, can_fork, fork
from benchlib.report.running.engines.cells import make_shell, serve_cells

__all__ = ["ServedChild", "Serving", "fork_server", "use_fork_server"]


class Serving(NamedTuple):
    """What a child that runs cells is given.

    Attributes
    ----------
    folder : str
        For IPython's own files.
    soon : tuple of str
        Modules to import before the first cell comes.
    memory : int or None
        Bytes of data that it may hold.
    """

    folder: str
    soon: tuple[str, ...]
    memory: int | None


class _ForkServer:
    """The server, seen from the process that builds reports."""

    def __init__(self) -> None:
        self._pipe, theirs = Pipe()

        def run() -> None:
            self._pipe.close()
            _serve(theirs)

        self._child = fork(run)
        theirs.close()

    def fork(self, serving: Serving, pipe: Connection, captured: tuple[int, int]) -> ServedChild | None:
        """Have a child begin that runs the cells which come through a pipe; None if the server has died."""
        global _server, _wanted
        try:
            self._pipe.send(serving)
            for descriptor in (pipe.fileno(), *captured):
                send_handle(self._pipe, descriptor, self._child.pid)
            return ServedChild(self._pipe, self._pipe.recv())
        except (OSError, EOFError):
            self._child.end()
            self._pipe.close()
            _server, _wanted = None, False
            return None


class ServedChild:
    """A child of the server, seen from the process that asked for it; has what `Child` has for a parent."""

    def __init__(self, server: Connection, pid: int) -> None:
        self._server, self._pid = server, pid

    def wait(self, patience: float | None = None) -> str:
        """Wait until the child has ended, and say how; one that goes on for so many seconds is killed."""
        return self._asked("wait", patience)

    def end(self) -> None:
        """Kill the child and all that it started."""
        self._asked("end", None)

    def _asked(self, what: str, patience: float | None) -> str:
        try:
            self._server.send((what, self._pid, patience))
            return str(self._server.recv())
        except (OSError, EOFError):
            # A child dies with its server; what its cells have started does not.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._pid, signal.SIGKILL)
            return "killed with the process that had forked it"


_wanted = False
_server: _ForkServer | None = None


def use_fork_server() -> None:
    """Have a server fork what runs cells in this process, from the first that is asked for."""
    global _wanted
    _wanted = True


def fork_server() -> _ForkServer | None:
    """Return the server of this process, if it is to have one; ask before you open what its children must not hold."""
    global _server
    if _wanted and _server is None:
        _server = _ForkServer()
    return _server


def _serve(asked: Connection) -> None:
    """Fork, wait and end as asked, until nobody can ask any more; the first child's folder is where a shell is made."""
    global _wanted
    _wanted = False  # what a cell builds is not this server's business
    shell = None
    children: dict[int, Child] = {}
    with suppress(EOFError):
        while can_fork():
            wanted = asked.recv()
            if isinstance(wanted, Serving):
                if shell is None:
                    shell = make_shell(wanted.folder)
                    gc.collect()
                    gc.freeze()
                child = _forked(shell, wanted, asked)
                children[child.pid] = child
                asked.send(child.pid)
                continue
            what, pid, patience = wanted
            if what == "end":
                children[pid].end()
                asked.send(children.pop(pid).ended)
            else:
                asked.send(children[pid].wait(patience))


def _forked(shell: Any, wanted: Serving, asked: Connection) -> Child:
    handles = [recv_handle(asked) for _ in range(3)]
    pipe, captured = Connection(handles[0]), (handles[1], handles[2])

    def run() -> None:
        asked.close()
        serve_cells(pipe, wanted.folder, captured, wanted.soon, shell)

    try:
        return fork(run, memory=wanted.memory)
    finally:
        pipe.close()
        for one in captured:
            os.close(one)
