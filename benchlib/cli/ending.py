"""How a command ends when somebody else ends it: every ``finally`` is run, and one line says why."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from benchlib.errors import Interrupted, Terminated


class _Ending(KeyboardInterrupt):
    """A signal has come, and unwinds a command as Ctrl-C does.

    A plain KeyboardInterrupt would not do: once one has passed through ``exec`` of a string, which the import
    of any dataclass is, ``python -m benchlib`` ends by SIGINT whatever exit code it is given.
    """


class _Sigint(_Ending):
    pass


class _Sigterm(_Ending):
    pass


#: What the system or Python does of its own, and what a command raises for it.
_DEFAULTS: dict[int, signal.Handlers | Callable[[int, FrameType | None], object]] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
}
_RAISED: dict[int, type[_Ending]] = {signal.SIGINT: _Sigint, signal.SIGTERM: _Sigterm}


@contextmanager
def endable() -> Iterator[None]:
    """Let SIGINT and SIGTERM unwind a block, so that it cleans up after itself.

    A handler that the caller has set stays, and in a thread there is none to set.

    Raises
    ------
    Interrupted
        When SIGINT came; `Terminated` when SIGTERM did.
    """
    in_main = threading.current_thread() is threading.main_thread()
    ours = [number for number, default in _DEFAULTS.items() if in_main and signal.getsignal(number) is default]
    for number in ours:
        signal.signal(number, _unwind)
    try:
        yield
    except _Sigterm:
        raise Terminated("ended by SIGTERM before it was done; what was published before is as it was") from None
    except KeyboardInterrupt:
        raise Interrupted("interrupted") from None
    finally:
        for number in ours:
            signal.signal(number, _DEFAULTS[number])


def _unwind(number: int, frame: FrameType | None) -> None:
    raise _RAISED[number]
