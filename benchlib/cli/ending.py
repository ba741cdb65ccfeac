"""How a command ends when somebody else ends it: every ``finally`` is run, and one line says why."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from benchlib.errors import Interrupted, Terminated

__all__ = ["endable"]


class _Sigterm(KeyboardInterrupt):
    """SIGTERM has come: it unwinds a command as Ctrl-C does."""


@contextmanager
def endable() -> Iterator[None]:
    """Let SIGINT and SIGTERM unwind a block, so that it cleans up after itself.

    A handler that the caller has set stays, and in a thread there is none to set.

    Raises
    ------
    Interrupted
        When SIGINT came; `Terminated` when SIGTERM did.
    """
    ours = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if ours:
        signal.signal(signal.SIGTERM, _unwind)
    try:
        yield
    except _Sigterm:
        raise Terminated("ended by SIGTERM before it was done; what was published before is as it was") from None
    except KeyboardInterrupt:
        raise Interrupted("interrupted") from None
    finally:
        if ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _unwind(number: int, frame: FrameType | None) -> None:
    raise _Sigterm
