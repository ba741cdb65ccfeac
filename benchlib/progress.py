"""How far a long loop is, for whoever waits for a cell of a notebook; elsewhere nothing is shown."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Iterator
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

__all__ = ["Steps"]

_Item = TypeVar("_Item")
#: Seconds before the first line, and from one line to the next.
_PATIENCE = 1.0


class Steps(Generic[_Item]):
    """A loop that shows after a second how many of its items are done, and at an interrupt how many were.

    ::

        with Steps(sweeps, "curves") as steps:
            for sweep in steps:
                fit(sweep)
    """

    def __init__(self, items: Collection[_Item], noun: str) -> None:
        self._items, self._noun = items, noun
        self._done = 0
        self._update: Callable[..., object] | None = None
        self._next = time.monotonic() + _PATIENCE

    def __enter__(self) -> Self:
        return self

    def __iter__(self) -> Iterator[_Item]:
        for item in self._items:
            if time.monotonic() > self._next:
                self._show(f"{self._count()} ...")
            yield item
            self._done += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            self._show(f"interrupted after {self._count()}; nothing of this cell is kept")
        elif self._update is not None:
            self._show("")

    def _count(self) -> str:
        return f"{self._done:,} of {len(self._items):,} {self._noun}"

    def _show(self, line: str) -> None:
        self._next = time.monotonic() + _PATIENCE
        shell: Any = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
        if getattr(shell, "kernel", None) is None:
            return
        from IPython.display import display

        if self._update is None:
            self._update = display({"text/plain": line}, raw=True, display_id=True).update
        else:
            self._update({"text/plain": line}, raw=True)
