"""Files written so that nothing is ever half-written, and read within a bound."""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from benchlib.errors import InputError, printable

__all__ = ["explaining_refusals", "read_bounded", "read_pieces", "replacing", "write_text"]


@contextmanager
def explaining_refusals() -> Iterator[None]:
    """Tell in one line what the system refuses within a block, where nothing nearer to it has done so.

    Raises
    ------
    InputError
        For any OSError but that of a closed pipe.

    Examples
    --------
    >>> with explaining_refusals():
    ...     Path("no/such/file").read_bytes()
    Traceback (most recent call last):
    benchlib.errors.InputError: no/such/file: No such file or directory; check that it is there, and its rights
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        named = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else _nameless()
        where = f"{printable(named)}: " if named else ""
        reason = printable(error.strerror or str(error))
        raise InputError(f"{where}{reason}; check that it is there, and its rights") from error


def _nameless() -> str:
    """Return what an error is about that names no file: whatever of the two cannot be had now either."""
    try:
        os.getcwd()
    except OSError:
        return "the working directory"
    try:
        sys.stdout.flush()
    except OSError:
        return "standard output"
    return ""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary file beside ``path`` that takes its place when the block succeeds.

    On any error the temporary file is removed and ``path`` is left as it was.

    Raises
    ------
    InputError
        If the place cannot be written: no rights, no room, or a folder of that name.
    """
    try:
        with _temporary(path) as temporary:
            yield temporary
    except OSError as error:
        reason = error.strerror or "error"
        raise InputError(f"{printable(str(path))}: cannot be written ({reason}); choose another place") from error


@contextmanager
def _temporary(path: Path) -> Iterator[Path]:
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=path.suffix, dir=path.parent)
    os.close(descriptor)
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp makes files private; what is published should follow the user's umask.
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 text file whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


#: Bytes asked for at once: a buffer of the whole limit would need its memory for a file of thirty bytes.
_PIECE = 16 * 1024**2


def read_bounded(path: Path, limit: int) -> bytes:
    """Return the bytes of a regular file, at most ``limit`` and one more; a pipe or a device is an OSError."""
    # Without O_NONBLOCK, opening a pipe that nobody writes to waits for ever.
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        # A file of /proc says that it holds nothing, and may hold any amount.
        return read_pieces(file, limit, status.st_size + 1)


def read_pieces(file: BinaryIO, limit: int, expected: int = 0) -> bytes:
    """Return what a stream holds, at most ``limit`` bytes and one more."""
    content = [file.read(min(expected or _PIECE, limit + 1))]
    size = len(content[0])
    while size <= limit and (more := file.read(min(_PIECE, limit + 1 - size))):
        content.append(more)
        size += len(more)
    return b"".join(content) if len(content) > 1 else content[0]
