"""Standard output and error of forked cells: what Python prints and what C code writes, in order."""

from __future__ import annotations

import io
import os
import threading
import time
from collections.abc import Callable

__all__ = ["Captured"]

#: Printed text is sent on after so many seconds, or characters, even if nobody flushes.
_LONGEST_WAIT = 0.2
_LARGEST_BUFFER = 1 << 16


class Captured(io.TextIOBase):
    """A text stream whose text is published, together with what is written to its file descriptor.

    The descriptor leads to a file. Each time Python prints, what has been added to that file since is
    taken first, so that text from C code, from ``os.system`` and from programs keeps its place.

    Parameters
    ----------
    name : {"stdout", "stderr"}
    descriptor : int
        1 or 2; it leads to a file already.
    publish : callable
        Given the text, and how many bytes of the file have been read so far.
    """

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, name: str, descriptor: int, publish: Callable[[str, int], None]) -> None:
        super().__init__()
        self.name = name
        self._descriptor = descriptor
        self._publish = publish
        self._parts: list[str] = []
        self._size = 0
        self._since = 0.0
        self._taken = 0
        self._owner = 0
        self._lock = threading.RLock()

    def own(self) -> None:
        """Publish what is written from now on: until then, and from every other process, it goes to the file."""
        self._owner = os.getpid()

    def writable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the descriptor: a program that is given this stream writes to it."""
        return self._descriptor

    def write(self, text: str) -> int:
        """Keep a text until the next flush."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text)}")
        if os.getpid() != self._owner:  # a process that a cell forked has no business with our pipe
            os.write(self._descriptor, text.encode(errors="replace"))
            return len(text)
        with self._lock:
            self._take_file()
            self._keep(text)
            if self._size > _LARGEST_BUFFER or time.monotonic() - self._since > _LONGEST_WAIT:
                self.flush()
        return len(text)

    def flush(self) -> None:
        """Publish all that was printed or written."""
        if os.getpid() != self._owner:
            return
        with self._lock:
            self._take_file()
            text, self._parts, self._size = "".join(self._parts), [], 0
            if text:
                self._publish(text, self._taken)

    def _keep(self, text: str) -> None:
        if not self._parts:
            self._since = time.monotonic()
        self._parts.append(text)
        self._size += len(text)

    def _take_file(self) -> None:
        written = os.fstat(self._descriptor).st_size
        if written > self._taken:
            added = os.pread(self._descriptor, written - self._taken, self._taken)
            self._taken += len(added)
            self._keep(added.decode(errors="replace"))
