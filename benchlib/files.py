"""Files written so that nothing is ever half-written or left behind, and read within a bound."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from benchlib.errors import InputError, OutOfMemory, printable

if os.name == "posix":
    import fcntl

__all__ = [
    "explaining_refusals",
    "file_sha256",
    "leads_away",
    "read_bounded",
    "read_pieces",
    "replacing",
    "scratch",
    "sweep_scratch",
    "walk",
    "write_text",
]


@contextmanager
def explaining_refusals() -> Iterator[None]:
    """Tell in one line what the system refuses within a block, where nothing nearer to it has done so.

    Raises
    ------
    InputError
        For any OSError but that of a closed pipe.
    OutOfMemory
        For a MemoryError.

    Examples
    --------
    >>> with explaining_refusals():
    ...     Path("no/such/file").read_bytes()
    Traceback (most recent call last):
    benchlib.errors.InputError: no/such/file: No such file or directory; check that it is there, and its rights
    """
    try:
        yield
    except MemoryError:
        raise OutOfMemory("there is not enough memory for this; allow more, or name fewer or smaller files") from None
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
    descriptor, temporary = _made(lambda: tempfile.mkstemp(prefix=_PREFIX, suffix=path.suffix, dir=path.parent))
    try:
        if not _LOCKS:  # Windows replaces no file that is open
            os.close(descriptor)
        yield temporary
        # mkstemp makes files private; what is published should follow the user's umask.
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        if _LOCKS:
            os.fsync(descriptor)  # else the name may survive a power cut that the content does not
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
        if _LOCKS:
            os.close(descriptor)


@contextmanager
def scratch() -> Iterator[Path]:
    """Give an empty folder that is removed after the block, or by the next run where this one is killed."""
    if not _LOCKS:
        with tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as name:
            yield Path(name)
        return
    descriptor, folder = _made(_make_folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def sweep_scratch() -> None:
    """Remove the folders of `scratch` that killed runs left: a run that has nothing to build makes none itself."""
    if _LOCKS:
        _sweep(Path(tempfile.gettempdir()), stat.S_IFDIR)


def _make_folder() -> tuple[int, str]:
    while True:
        folder = tempfile.mkdtemp(prefix=_PREFIX)
        with suppress(FileNotFoundError):  # another run took it for left behind
            return os.open(folder, os.O_RDONLY | os.O_CLOEXEC), folder


#: How what is temporary is named; whoever made it holds a lock on it for as long as it lives.
_PREFIX = ".benchlib-"
_TEMPORARY = re.compile(r"\.benchlib-[a-z0-9_]{8}(?:\..*)?", re.DOTALL)
_LOCKS = os.name == "posix"


def _made(make: Callable[[], tuple[int, str]]) -> tuple[int, Path]:
    """Make something temporary and lock it; what killed runs left beside it is removed."""
    while True:
        descriptor, name = make()
        if not _LOCKS:
            return descriptor, Path(name)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.path.lexists(name):
            _sweep(Path(name).parent, stat.S_IFMT(os.fstat(descriptor).st_mode))
            return descriptor, Path(name)
        os.close(descriptor)  # another run took it for left behind before its lock was held


def _sweep(folder: Path, kind: int) -> None:
    """Remove what is temporary of ours in a folder, of one kind, and held by nobody."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _TEMPORARY.fullmatch(entry.name):
                status = entry.stat(follow_symlinks=False)
                if status.st_uid == os.geteuid() and stat.S_IFMT(status.st_mode) == kind:
                    with suppress(OSError):
                        _remove_if_left(Path(entry.path))


def _remove_if_left(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()
    finally:
        os.close(descriptor)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 text file whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def leads_away(path: Path, folder: Path) -> str:
    """Say where a path leads through links, ``nowhere`` or ``out of the folder``; nothing for a file of the folder."""
    if not os.path.exists(path):  # so it is with links in a circle, which Path.resolve would raise for
        return "nowhere"
    return "" if path.resolve().is_relative_to(folder.resolve()) else "out of the folder"


#: Folders within folders that are looked into: os.walk calls itself for each.
_DEEPEST = 100


def walk(folder: Path, onerror: Callable[[OSError], None] | None = None) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield what `os.walk` does, down to some depth; deeper folders are told as an error."""
    top = os.fspath(folder).count(os.sep)
    for directory, inner, names in os.walk(folder, onerror=onerror):
        if inner and directory.count(os.sep) - top >= _DEEPEST:
            if onerror:
                onerror(OSError(errno.ENAMETOOLONG, f"more than {_DEEPEST} folders deep", directory))
            inner.clear()
        yield directory, inner, names


#: Bytes asked for at once: a buffer of the whole limit would need its memory for a file of thirty bytes.
_PIECE = 16 * 1024**2


def read_bounded(path: Path, limit: int) -> bytes:
    """Return the bytes of a regular file, at most ``limit`` and one more; a pipe or a device is an OSError."""
    with _regular(path) as file:
        # A file of /proc says that it holds nothing, and may hold any amount.
        return read_pieces(file, limit, os.fstat(file.fileno()).st_size + 1)


@contextmanager
def _regular(path: Path) -> Iterator[BufferedReader]:
    # Without O_NONBLOCK, opening a pipe that nobody writes to waits for ever.
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        yield file


def read_pieces(file: BinaryIO, limit: int, expected: int = 0) -> bytes:
    """Return what a stream holds, at most ``limit`` bytes and one more."""
    content = [file.read(min(expected or _PIECE, limit + 1))]
    size = len(content[0])
    while size <= limit and (more := file.read(min(_PIECE, limit + 1 - size))):
        content.append(more)
        size += len(more)
    return b"".join(content) if len(content) > 1 else content[0]


def file_sha256(path: Path) -> str:
    """Return the hash of a regular file, or "" where it cannot be read."""
    try:
        with _regular(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
