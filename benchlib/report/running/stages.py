"""What a report is doing: each stage told when it begins and when it ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

__all__ = ["Stage", "Told", "silent", "stage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One stage of one report.

    Attributes
    ----------
    name : str
        ``open``, ``execute``, ``export``, ``check``, ``formats`` or ``publish``.
    study : str
        As it was named.
    outcome : {"begun", "done", "failed"}
    seconds : float
        How long it took; 0 where it has only begun.
    """

    name: str
    study: str
    outcome: Literal["begun", "done", "failed"]
    seconds: float


Told = Callable[[Stage], None]


def silent(_: Stage) -> None:
    """Tell nobody."""


@contextmanager
def stage(name: str, study: str, told: Told) -> Iterator[None]:
    """Tell that a stage begins, and how it ended.

    Examples
    --------
    >>> with stage("open", "data/lplex", lambda one: print(one.name, one.outcome)):
    ...     pass
    open begun
    open done
    """
    began = time.perf_counter()
    told(Stage(name=name, study=study, outcome="begun", seconds=0.0))
    ended: Literal["done", "failed"] = "failed"
    try:
        yield
        ended = "done"
    finally:
        told(Stage(name=name, study=study, outcome=ended, seconds=time.perf_counter() - began))
