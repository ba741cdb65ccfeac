"""Scaling laws: throughput X at concurrency N, its derivatives, and the exact ways back.

Every law is proportional to ``rate_at_one``, the throughput of one worker by the law:

========== =============================================== ==========================
linear     X = r N                                         no loss
plateau    X = r min(N, m)                                 m servers, then a wall
amdahl     X = r N / (1 + f (N - 1))                       serial work f
gustafson  X = r (N - s (N - 1))                           weak scaling, serial work s
usl        X = r N / (1 + c (N - 1) + k N (N - 1))         contention c, coherency k
========== =============================================== ==========================

``law`` says what every law can do; ``losses``, ``gustafson`` and ``plateau`` hold the formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from benchlib.errors import DataError, choices, printable, suggestion
from benchlib.scaling.laws.gustafson import gustafson
from benchlib.scaling.laws.law import FloatArray, Law
from benchlib.scaling.laws.losses import amdahl, linear, usl
from benchlib.scaling.laws.plateau import plateau

__all__ = [
    "LAWS",
    "FloatArray",
    "Law",
    "amdahl",
    "gustafson",
    "law_named",
    "linear",
    "offered_laws",
    "plateau",
    "usl",
]

#: Every law by name, simplest first.
LAWS: Mapping[str, Law] = MappingProxyType(
    {law.name: law for law in (linear, plateau, amdahl, gustafson, usl)}
)


def law_named(name: str) -> Law:
    """Return the law of a name.

    Raises
    ------
    DataError
        For a name that `LAWS` does not hold.

    Examples
    --------
    >>> law_named("usl").parameters
    ('rate_at_one', 'contention', 'coherency')
    """
    if name not in LAWS:
        raise DataError(f"unknown law '{printable(name)}'{suggestion(name, LAWS)}; laws: {choices(LAWS)}")
    return LAWS[name]


def offered_laws(levels: int, *, weak: bool = False) -> tuple[str, ...]:
    """Return the laws that this many distinct concurrencies can carry, simplest first.

    Gustafson's law speaks of work that grows with N, so it is offered only where the caller
    says so (``weak=True``): the data of a strong-scaling run cannot tell.

    Examples
    --------
    >>> offered_laws(3)
    ('linear', 'plateau', 'amdahl')
    >>> offered_laws(5, weak=True)
    ('linear', 'plateau', 'amdahl', 'gustafson', 'usl')
    """
    return tuple(
        law.name for law in LAWS.values() if law.minimum_levels <= levels and (weak or law.name != "gustafson")
    )
