"""A server of forks: one process makes a shell, and each notebook's cells run in a fork of it.

Whoever builds many reports would else make a shell for each, and pay twice for each fork: parent and child
both copy a page of memory that either writes to, and a builder writes to thousands between two forks. A
server writes to nothing.
"""

from __future__ import annotations

import gc
import os
import tempfile
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any, NamedTuple

from benchlib.report.running.children import Child, can_fork, fork
from benchlib.report.running.engines.cells import make_shell, serve_cells

__all__ = ["ServedChild", "Serving", "fork_server", "start_fork_server"]


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

        self._process = fork(run)
        theirs.close()

    def fork(self, serving: Serving, pipe: Connection, captured: tuple[int, int]) -> ServedChild | None:
        """Have a child begin that runs the cells which come through a pipe; None if the server is gone."""
        try:
            self._pipe.send(serving)
            for descriptor in (pipe.fileno(), *captured):
                send_handle(self._pipe, descriptor, self._process.pid)
            return ServedChild(self._pipe, self._pipe.recv())
        except (OSError, EOFError):
            return None


class ServedChild:
    """A child of the server, seen from the process that asked for it; has what `Child` has for a parent."""

    def __init__(self, server: Connection, pid: int) -> None:
        self._server, self._pid = server, pid

    def wait(self) -> str:
        """Wait until the child has ended, and say how."""
        return self._asked("wait")

    def end(self) -> None:
        """Kill the child and all that it started."""
        self._asked("end")

    def _asked(self, what: str) -> str:
        try:
            self._server.send((what, self._pid))
            return str(self._server.recv())
        except (OSError, EOFError):  # a child dies with its server
            return "killed with the process that had forked it"


_server: _ForkServer | None = None


def start_fork_server() -> None:
    """Have a server fork what runs cells from now on, if this process can be forked."""
    global _server
    _server = _ForkServer() if can_fork() else None


def fork_server() -> _ForkServer | None:
    """Return the server of this process, if it has started one."""
    return _server


def _serve(asked: Connection) -> None:
    """Make a shell, and fork, wait and end as asked, until nobody can ask any more."""
    with tempfile.TemporaryDirectory(prefix="benchlib-cells-", ignore_cleanup_errors=True) as folder:
        shell = make_shell(folder)  # each child gets a folder of its own
    gc.collect()
    gc.freeze()
    children: dict[int, Child] = {}
    with suppress(EOFError):
        while can_fork():
            wanted = asked.recv()
            if isinstance(wanted, Serving):
                child = _forked(shell, wanted, asked)
                children[child.pid] = child
                asked.send(child.pid)
                continue
            what, pid = wanted
            if what == "end":
                children[pid].end()
                asked.send(children.pop(pid).ended)
            else:
                asked.send(children[pid].wait())


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
