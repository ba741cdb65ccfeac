"""The machine's Chromium, asked over a pipe: pages opened, questions answered, paper printed.

Chromium speaks its DevTools protocol over two file descriptors (``--remote-debugging-pipe``): no port is
opened that others on the machine could reach, and no library is needed. One browser serves many reports, one after
another. What it starts is one group of processes, and the whole group ends with the browser.

References
----------
Chrome DevTools Protocol: Target, Page, Runtime and Emulation domains; messages on the pipe end with NUL.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from benchlib.errors import BenchlibError, ExportError, InputError, NotebookTimeout, printable
from benchlib.report.page.formats.tab import Tab

__all__ = ["Browser", "find_chromium"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

#: Seconds that a browser may take for one answer before its whole group of processes is ended.
PATIENCE = 60.0

#: Seconds that it may take to end when asked to, before it is killed.
_FAREWELL = 3.0

#: Nothing is fetched, reported, updated or asked; no window, no sound, no profile of anybody's.
_FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-startup-window",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-gpu",
    "--disable-sync",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--lang=en-GB",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
)

#: Where the protocol is read and written, in the browser's eyes.
_ASKED, _ANSWERED = 3, 4
_READ_AT_A_TIME = 1 << 20


def find_chromium() -> str:
    """Return the Chromium of this machine: ``BENCHLIB_CHROMIUM``, or the first on the PATH.

    Raises
    ------
    InputError
        If there is none.
    """
    named = os.environ.get("BENCHLIB_CHROMIUM")
    if named:
        if found := shutil.which(named):
            return found
        raise InputError(
            f"BENCHLIB_CHROMIUM names '{printable(named)}', which is no program; name Chromium, or unset it"
        )
    for name in _NAMES:
        if found := shutil.which(name):
            return found
    raise InputError(
        "PDF, PNG and SVG are drawn by Chromium, and there is none on the PATH; install it "
        "(Debian: apt install chromium), name it in BENCHLIB_CHROMIUM, or choose --to html,md"
    )


class Browser:
    """Chromium, started when its first tab is asked for; a context manager, which ends it and removes all it wrote.

    Parameters
    ----------
    program : str
        As `find_chromium` returns it; "" finds it.
    patience : float
        Seconds that one answer may take.
    """

    def __init__(self, program: str = "", *, patience: float = PATIENCE) -> None:
        self._program = program
        self._patience = patience
        self._asked = 0
        self._received = bytearray()
        #: The group of its processes; 0 where none runs.
        self._group = 0
        self._tab: Tab | None = None

    def _start(self) -> None:
        self._program = self._program or find_chromium()
        self._received.clear()
        self._profile = tempfile.TemporaryDirectory(prefix="benchlib-chromium-", ignore_cleanup_errors=True)
        ours_in, theirs_out = _pipe()
        theirs_in, ours_out = _pipe()
        flags = [*_FLAGS, f"--user-data-dir={self._profile.name}"]
        if os.geteuid() == 0:
            flags.append("--no-sandbox")  # as root, Chromium refuses to start with one
        quiet = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        try:
            self._group = os.posix_spawn(
                self._program,
                [self._program, *flags],
                # Whatever it keeps goes with its profile: it finds no settings of the user's.
                {**os.environ, "HOME": self._profile.name, "XDG_CONFIG_HOME": self._profile.name},
                file_actions=[
                    *((os.POSIX_SPAWN_DUP2, quiet, one) for one in (0, 1, 2)),
                    (os.POSIX_SPAWN_DUP2, theirs_in, _ASKED),
                    (os.POSIX_SPAWN_DUP2, theirs_out, _ANSWERED),
                ],
                setpgroup=0,
            )
        except OSError as error:
            os.close(ours_in)
            os.close(ours_out)
            self._profile.cleanup()
            raise InputError(
                f"{printable(self._program)}: does not start ({error.strerror}); name another in BENCHLIB_CHROMIUM"
            ) from error
        finally:
            for one in (theirs_in, theirs_out, quiet):
                os.close(one)
        self._in, self._out = ours_in, ours_out

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the browser and every process that it started, and remove its profile."""
        if not self._group:
            return
        with contextlib.suppress(BenchlibError):
            self._send(b'{"id":0,"method":"Browser.close"}\0', "Browser.close")
            until = time.monotonic() + _FAREWELL
            while True:  # until the pipe ends: what writes to the profile is then gone
                self._receive("Browser.close", until)
        self._end()

    def _end(self) -> None:
        """Kill the whole group, however far it is, and remove the profile."""
        if not self._group:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._group, signal.SIGKILL)
        os.waitpid(self._group, 0)
        self._group, self._tab = 0, None
        os.close(self._in)
        os.close(self._out)
        self._profile.cleanup()
        # What was killed may write its last while the profile goes.
        until = time.monotonic() + _FAREWELL
        while Path(self._profile.name).exists() and time.monotonic() < until:
            time.sleep(0.02)
            shutil.rmtree(self._profile.name, ignore_errors=True)

    def tab(self, *, width: int, height: int) -> Tab:
        """Return the tab, in a size in CSS pixels and without a network.

        It is the same each time: a page that follows another finds plotly.js compiled.

        Raises
        ------
        InputError
            If there is no Chromium, or it does not start.
        """
        if not self._group:
            self._start()
        if self._tab is None:
            target = self.ask("Target.createTarget", url="about:blank")["targetId"]
            session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            self._tab = Tab(partial(self.ask, session=session), partial(self.tell, session=session))
        self._tab.resize(width, height)
        return self._tab

    def tell(self, method: str, session: str = "", **parameters: object) -> None:
        """Send one command of the protocol and leave its answer to whoever reads on.

        Raises
        ------
        ExportError
            If the browser went away.
        """
        self._asked += 1
        message: dict[str, object] = {"id": self._asked, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self._send(json.dumps(message).encode() + b"\0", method)

    def ask(self, method: str, session: str = "", **parameters: object) -> Mapping[str, Any]:
        """Send one command of the protocol and return its result.

        Raises
        ------
        NotebookTimeout
            If the browser does not answer in time; it is ended then.
        ExportError
            If it refuses the command, or went away.
        """
        until = time.monotonic() + self._patience
        self.tell(method, session, **parameters)
        while True:
            answer = self._receive(method, until)
            if answer.get("id") != self._asked:
                continue  # an event: what matters is asked for
            if "error" in answer:
                raise ExportError(f"Chromium refused {method}: {printable(str(answer['error'].get('message')))}")
            return dict(answer["result"])

    def _send(self, message: bytes, method: str) -> None:
        try:
            while message:
                message = message[os.write(self._out, message) :]
        except OSError as error:
            raise self._gone(method) from error

    def _receive(self, method: str, until: float) -> Mapping[str, Any]:
        while (end := self._received.find(b"\0")) < 0:
            ready, _, _ = select.select([self._in], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                self._end()
                raise NotebookTimeout(
                    f"Chromium did not answer {method} within {self._patience:g} s and was ended; "
                    "build again, or choose --to html,md"
                )
            read = os.read(self._in, _READ_AT_A_TIME)
            if not read:
                raise self._gone(method)
            self._received += read
        message = bytes(self._received[:end])
        del self._received[: end + 1]
        return dict(json.loads(message))

    def _gone(self, method: str) -> ExportError:
        self._end()
        return ExportError(
            f"{printable(self._program)} ended before it answered {method}; run it by hand to see why, "
            "or choose --to html,md"
        )


def _pipe() -> tuple[int, int]:
    """Return a pipe whose ends lie above the descriptors that the browser is given."""
    ends = os.pipe()
    try:
        read, write = (fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, _ANSWERED + 1) for one in ends)
    finally:
        for one in ends:
            os.close(one)
    return read, write
