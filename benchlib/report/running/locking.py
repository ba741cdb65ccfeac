"""One run at a time for one target: a lock that ends with whoever holds it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchlib.errors import InputError, printable

__all__ = ["locked"]


@contextmanager
def locked(path: Path, *, wait: bool) -> Iterator[bool]:
    """Hold a lock for the time of a block; yield whether it is held.

    The system takes the lock away when its holder ends, however it ends: the file that stays behind is
    empty, and never blocks. It is not removed, since another run may have opened it meanwhile and would
    then hold a lock on a file that nobody else can find. Where the system has no such locks
    (Windows), nothing is held and the block runs.

    Parameters
    ----------
    path : Path
        The file of the lock; its folder exists.
    wait : bool
        Wait until it is free; else yield False where another run holds it.

    Raises
    ------
    InputError
        If the file cannot be made.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with locked(Path(folder, "one"), wait=True) as first, locked(Path(folder, "one"), wait=False) as second:
    ...         print(first, second)
    True False
    """
    if os.name != "posix":
        path.touch()
        yield True
        return
    import fcntl

    try:
        # Not through a link: whoever can write here must not choose which file is opened.
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise InputError(
            f"{printable(str(path))}: cannot be locked ({error.strerror}); choose another place with -o"
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)
