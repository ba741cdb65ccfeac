"""When the collector of cycles stands aside: millions of small objects that hold no cycles."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["collect_seldom", "gc_pause"]


@contextmanager
def gc_pause(*, for_good: bool = False) -> Iterator[None]:
    """Keep the collector of cycles from walking over all that was made so far, again and again.

    Readings and rows hold no cycles; of ten thousand small files it would take a quarter of the time.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if for_good:
            gc.freeze()
        gc.enable()


def collect_seldom() -> None:
    """Have the collector of cycles look after 50,000 new objects, not after 700, and not once more when Python ends.

    A command makes what it needs and ends: of a cold report, collections would be a sixth of the time.
    """
    gc.set_threshold(50_000, 20, 20)
    atexit.register(gc.freeze)
