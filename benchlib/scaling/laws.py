"""Scaling laws: throughput X at concurrency N, its derivatives, and the exact way back.

Every law is proportional to ``rate_at_one``, the throughput of one worker by the law:

========== ============================================= ==========================
linear     X = r N                                       no loss
amdahl     X = r N / (1 + f (N - 1))                     serial work f
gustafson  X = r (N - s (N - 1))                         weak scaling, serial work s
usl        X = r N / (1 + c (N - 1) + k N (N - 1))       contention c, coherency k
========== ============================================= ==========================

Amdahl's law is the USL without coherency; the line is both without loss.

References
----------
G. M. Amdahl, "Validity of the single processor approach to achieving large scale computing
capabilities", AFIPS Spring Joint Computer Conference 1967, 483-485.
J. L. Gustafson, "Reevaluating Amdahl's law", Communications of the ACM 31(5), 1988, 532-533.
N. J. Gunther, "Guerrilla Capacity Planning", Springer 2007, chapters 4 to 6.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.errors import DataError, choices, printable, suggestion

__all__ = ["LAWS", "FloatArray", "Law", "amdahl", "gustafson", "law_named", "linear", "offered_laws", "usl"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """A scaling law: its formula, derivatives, inverse and limits.

    Attributes
    ----------
    name : str
        How the law is asked for, a key of `LAWS`.
    title : str
        How the law is written for people.
    parameters : tuple of str
        Names of the parameters, in the order every function takes them.
    throughput : callable
        ``throughput(concurrency, *parameters)``, an array like ``concurrency``.
    gradient : callable
        ``gradient(concurrency, *parameters)``: derivatives by parameter, shape (n, parameters).
    concurrency_at : callable
        ``concurrency_at(throughput, *parameters)``: every N > 0 that gives this throughput,
        ascending; empty where the law never reaches it.
    lower, upper : tuple of float
        The feasible region of the parameters.
    minimum_levels : int
        Distinct concurrencies a fit needs: one more than there are parameters.
    formula : str
        For method notes.
    citation : str
        Where the law was published.
    """

    name: str
    title: str
    parameters: tuple[str, ...]
    throughput: Callable[..., FloatArray]
    gradient: Callable[..., FloatArray]
    concurrency_at: Callable[..., tuple[float, ...]]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    minimum_levels: int
    formula: str
    citation: str


def _linear_throughput(concurrency: ArrayLike, rate: float) -> FloatArray:
    return rate * np.asarray(concurrency, dtype=float)


def _linear_gradient(concurrency: ArrayLike, rate: float) -> FloatArray:
    return np.atleast_1d(np.asarray(concurrency, dtype=float))[:, np.newaxis].copy()


def _linear_concurrency(throughput: float, rate: float) -> tuple[float, ...]:
    return _positive(throughput / rate)


def _usl_throughput(concurrency: ArrayLike, rate: float, contention: float, coherency: float) -> FloatArray:
    n = np.asarray(concurrency, dtype=float)
    return np.asarray(rate * n / (1 + contention * (n - 1) + coherency * n * (n - 1)))


def _usl_gradient(concurrency: ArrayLike, rate: float, contention: float, coherency: float) -> FloatArray:
    n = np.atleast_1d(np.asarray(concurrency, dtype=float))
    slowdown = 1 + contention * (n - 1) + coherency * n * (n - 1)
    per_rate = n / slowdown
    per_loss = -rate * per_rate / slowdown
    return np.column_stack([per_rate, per_loss * (n - 1), per_loss * n * (n - 1)])


def _usl_concurrency(throughput: float, rate: float, contention: float, coherency: float) -> tuple[float, ...]:
    # X (1 + c (N - 1) + k N (N - 1)) = r N, a quadratic in N: k X N² - b N + X (1 - c) = 0.
    # (usl4j's inverse drops k altogether, and its published tests encode that.)
    square = coherency * throughput
    middle = rate - throughput * (contention - coherency)
    constant = throughput * (1 - contention)
    if coherency == 0:
        return _positive(constant / middle) if middle > 0 else ()
    discriminant = middle * middle - 4 * square * constant
    if discriminant < 0:
        return ()
    # The larger sum first: subtracting nearly equal numbers would lose the smaller root.
    half = (middle + math.copysign(math.sqrt(discriminant), middle)) / 2
    roots = {half / square, constant / half if half else 0.0}
    return tuple(sorted(one for root in roots for one in _positive(root)))


def _amdahl_throughput(concurrency: ArrayLike, rate: float, serial_fraction: float) -> FloatArray:
    return _usl_throughput(concurrency, rate, serial_fraction, 0.0)


def _amdahl_gradient(concurrency: ArrayLike, rate: float, serial_fraction: float) -> FloatArray:
    return _usl_gradient(concurrency, rate, serial_fraction, 0.0)[:, :2]


def _amdahl_concurrency(throughput: float, rate: float, serial_fraction: float) -> tuple[float, ...]:
    return _usl_concurrency(throughput, rate, serial_fraction, 0.0)


def _gustafson_throughput(concurrency: ArrayLike, rate: float, serial_fraction: float) -> FloatArray:
    n = np.asarray(concurrency, dtype=float)
    return np.asarray(rate * (n - serial_fraction * (n - 1)))


def _gustafson_gradient(concurrency: ArrayLike, rate: float, serial_fraction: float) -> FloatArray:
    n = np.atleast_1d(np.asarray(concurrency, dtype=float))
    return np.column_stack([n - serial_fraction * (n - 1), -rate * (n - 1)])


def _gustafson_concurrency(throughput: float, rate: float, serial_fraction: float) -> tuple[float, ...]:
    if serial_fraction == 1:
        return ()
    return _positive((throughput / rate - serial_fraction) / (1 - serial_fraction))


def _positive(concurrency: float) -> tuple[float, ...]:
    return (concurrency,) if concurrency > 0 and math.isfinite(concurrency) else ()


_TINY_RATE = float(np.finfo(float).tiny)

linear = Law(
    name="linear",
    title="linear",
    parameters=("rate_at_one",),
    throughput=_linear_throughput,
    gradient=_linear_gradient,
    concurrency_at=_linear_concurrency,
    lower=(_TINY_RATE,),
    upper=(math.inf,),
    minimum_levels=2,
    formula="X(N) = rate_at_one · N",
    citation="the absence of any loss; the bound of every other law here",
)

amdahl = Law(
    name="amdahl",
    title="Amdahl",
    parameters=("rate_at_one", "serial_fraction"),
    throughput=_amdahl_throughput,
    gradient=_amdahl_gradient,
    concurrency_at=_amdahl_concurrency,
    lower=(_TINY_RATE, 0.0),
    upper=(math.inf, 1.0),
    minimum_levels=3,
    formula="X(N) = rate_at_one · N / (1 + serial_fraction · (N - 1))",
    citation="Amdahl, AFIPS Spring Joint Computer Conference 1967, 483-485",
)

gustafson = Law(
    name="gustafson",
    title="Gustafson",
    parameters=("rate_at_one", "serial_fraction"),
    throughput=_gustafson_throughput,
    gradient=_gustafson_gradient,
    concurrency_at=_gustafson_concurrency,
    lower=(_TINY_RATE, 0.0),
    upper=(math.inf, 1.0),
    minimum_levels=3,
    formula="X(N) = rate_at_one · (N - serial_fraction · (N - 1))",
    citation="Gustafson, Communications of the ACM 31(5), 1988, 532-533",
)

usl = Law(
    name="usl",
    title="USL",
    parameters=("rate_at_one", "contention", "coherency"),
    throughput=_usl_throughput,
    gradient=_usl_gradient,
    concurrency_at=_usl_concurrency,
    lower=(_TINY_RATE, 0.0, 0.0),
    upper=(math.inf, 1.0, math.inf),
    minimum_levels=4,
    formula="X(N) = rate_at_one · N / (1 + contention · (N - 1) + coherency · N · (N - 1))",
    citation="Gunther, Guerrilla Capacity Planning, Springer 2007, chapters 4 to 6",
)

#: Every law by name, simplest first.
LAWS: Mapping[str, Law] = MappingProxyType({law.name: law for law in (linear, amdahl, gustafson, usl)})


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
    ('linear', 'amdahl')
    >>> offered_laws(5, weak=True)
    ('linear', 'amdahl', 'gustafson', 'usl')
    """
    return tuple(
        law.name for law in LAWS.values() if law.minimum_levels <= levels and (weak or law.name != "gustafson")
    )
