"""Scaling laws: throughput X at concurrency N, and its derivatives.

Every law is proportional to ``rate_at_one``, the throughput of one worker by the law:

========== =============================================== ==========================
linear     X = r N                                         no loss
plateau    X = r min(N, m)                                 m servers, then a wall
amdahl     X = r N / (1 + f (N - 1))                       serial work f
gustafson  X = r (N - s (N - 1))                           weak scaling, serial work s
usl        X = r N / (1 + c (N - 1) + k N (N - 1))         contention c, coherency k
========== =============================================== ==========================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.errors import DataError, choices, printable, suggestion

# What every scaling law can say: throughput at a concurrency, and its derivatives.

FloatArray = NDArray[np.float64]

#: Lower bound of every rate: a throughput of nothing scales with nothing.
_TINY_RATE = float(np.finfo(float).tiny)


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """A scaling law: its formula, derivatives and limits.

    Parameters may be numbers, or arrays of shape (fits, 1) for many fits at once; concurrencies then
    run along the last axis.
    """

    name: str  # how the law is asked for, a key of `benchlib.scaling.laws.LAWS`
    title: str  # how the law is written for people
    #: Names of the parameters, in the order every function takes them; the first is the throughput of one worker.
    parameters: tuple[str, ...]
    #: ``throughput(concurrency, *parameters)``, an array like ``concurrency``.
    throughput: Callable[..., FloatArray]
    #: ``gradient(concurrency, *parameters)``: derivatives by parameter, shape (..., n, parameters).
    gradient: Callable[..., FloatArray]
    #: ``slope(concurrency, *parameters)``: the derivative by concurrency, what one more worker adds.
    slope: Callable[..., FloatArray]
    #: ``starts(concurrency, throughput)``: parameters to search from, shape (b, p), in batches by promise.
    starts: Callable[[FloatArray, FloatArray], Sequence[FloatArray]]
    #: lower, upper: the feasible region of the parameters.
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    kinked: tuple[str, ...]  # parameters at which the curve has a corner: only profiles tell their intervals
    simpler: tuple[str, ...]  # laws that this one becomes where its last parameters are 0, nearest first
    is_weak: bool = False  # whether it speaks of work that grows with N, and is fitted only where work did
    in_chain: bool = True  # whether it is one of the laws that `choose_law` lets vote against each other
    formula: str  # for method notes
    citation: str  # where the law was published

    @property
    def minimum_levels(self) -> int:
        """Distinct concurrencies a fit needs: one more than there are parameters."""
        return len(self.parameters) + 1

    def latency(self, concurrency: ArrayLike, *parameters: float) -> FloatArray:
        """Return how long each of N requests in flight takes: N / X(N).

        J. D. C. Little, "A proof for the queuing formula L = λW", Operations Research 9(3), 1961,
        383-387: in a closed system without think time N = X T.
        """
        return np.asarray(concurrency, dtype=float) / self.throughput(concurrency, *parameters)


# Laws of the form X = r N / (1 + losses): what N workers would do, slowed by what they lose together.
#
# The losses are 0 at N = 1. Amdahl's law is the USL without coherency; the line is both without loss.
#
# G. M. Amdahl, "Validity of the single processor approach to achieving large scale computing
# capabilities", AFIPS Spring Joint Computer Conference 1967, 483-485.
# N. J. Gunther, "Guerrilla Capacity Planning", Springer 2007, chapters 4 to 6.

_Parameter = float | FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class _Term:
    """How one loss grows with concurrency, and its slope."""

    size: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]


_CONTENTION = _Term(size=lambda n: n - 1, slope=np.ones_like)
_COHERENCY = _Term(size=lambda n: n * (n - 1), slope=lambda n: 2 * n - 1)


def _slowdown(n: FloatArray, terms: tuple[_Term, ...], losses: tuple[_Parameter, ...]) -> FloatArray:
    total = np.ones_like(n)
    for term, loss in zip(terms, losses, strict=True):
        total = total + loss * term.size(n)
    return total


def _loss_starts(terms: tuple[_Term, ...]) -> Callable[[FloatArray, FloatArray], Sequence[FloatArray]]:
    """Return the ``starts`` of a law with these losses."""

    def starts(concurrency: FloatArray, throughput: FloatArray) -> Sequence[FloatArray]:
        # N/X is linear in 1/r, c/r and k/r: with relative weights this start is nearly the answer.
        relative = throughput / concurrency
        columns = np.stack([np.ones_like(concurrency), *(term.size(concurrency) for term in terms)], axis=1)
        sizes = np.maximum(np.abs(columns).max(axis=0), _SMALLEST)
        columns = columns / sizes
        solution, *_ = np.linalg.lstsq(columns * relative[:, np.newaxis], np.ones_like(relative), rcond=None)
        modest = np.array([[float(np.max(relative)), *_MODEST[: len(terms)]]])
        if solution[0] <= 0:
            return [modest]
        solution = _polished(columns, relative, solution) / sizes
        return [np.concatenate([[1.0], solution[1:]])[np.newaxis] / solution[0], modest]

    return starts


def _law(
    *,
    name: str,
    title: str,
    losses: Mapping[str, _Term],
    upper: tuple[float, ...],
    simpler: tuple[str, ...],
    formula: str,
    citation: str,
) -> Law:
    """Return the law of X = r N / (1 + losses) with these losses."""
    terms = tuple(losses.values())

    def throughput(concurrency: ArrayLike, rate: _Parameter, *lost: _Parameter) -> FloatArray:
        n = np.asarray(concurrency, dtype=float)
        return np.asarray(rate * n / _slowdown(n, terms, lost))

    def gradient(concurrency: ArrayLike, rate: _Parameter, *lost: _Parameter) -> FloatArray:
        n = np.atleast_1d(np.asarray(concurrency, dtype=float))
        slowdown = _slowdown(n, terms, lost)
        by_rate = n / slowdown
        by_loss = -rate * by_rate / slowdown
        derivatives = np.empty((*by_loss.shape, 1 + len(terms)))
        derivatives[..., 0] = by_rate
        for index, term in enumerate(terms, start=1):
            derivatives[..., index] = by_loss * term.size(n)
        return derivatives

    def slope(concurrency: ArrayLike, rate: _Parameter, *lost: _Parameter) -> FloatArray:
        n = np.asarray(concurrency, dtype=float)
        slowdown = _slowdown(n, terms, lost)
        steeper = sum((loss * term.slope(n) for term, loss in zip(terms, lost, strict=True)), np.zeros_like(n))
        return np.asarray(rate * (slowdown - n * steeper) / slowdown**2)

    return Law(
        name=name,
        title=title,
        parameters=("rate_at_one", *losses),
        throughput=throughput,
        gradient=gradient,
        slope=slope,
        starts=_loss_starts(terms),
        lower=(_TINY_RATE, *[0.0] * len(losses)),
        upper=(math.inf, *upper),
        kinked=(),
        simpler=simpler,
        formula=formula,
        citation=citation,
    )


def _polished(columns: FloatArray, relative: FloatArray, start: FloatArray) -> FloatArray:
    """Take Gauss-Newton steps on the logarithm of N/X, which cost a fraction of a search's."""
    total, inverse = math.inf, columns @ start
    if inverse.min() <= 0:
        return start
    for _ in range(_STEPS):
        residuals = np.log(inverse * relative)
        here = float(residuals @ residuals)
        if not here < total:
            return start
        slopes = columns / inverse[:, np.newaxis]
        normal = slopes.T @ slopes
        try:
            moved = start - np.linalg.solve(normal, slopes.T @ residuals)
        except np.linalg.LinAlgError:
            return start
        inverse = columns @ moved
        if moved[0] <= 0 or inverse.min() <= 0:
            return start
        start, total = moved, here
    return start


#: Steps of a start: the search then has two left.
_STEPS = 5
#: Losses to start from where the data suggest none.
_MODEST = (0.05, 0.001)
#: Nothing is asked of concurrencies below this.
_SMALLEST = 1e-9


linear = _law(
    name="linear",
    title="linear",
    losses={},
    upper=(),
    simpler=(),
    formula="X(N) = rate_at_one · N",
    citation="the absence of any loss; the bound of every other law here",
)

amdahl = _law(
    name="amdahl",
    title="Amdahl",
    losses={"serial_fraction": _CONTENTION},
    upper=(1.0,),
    simpler=("linear",),
    formula="X(N) = rate_at_one · N / (1 + serial_fraction · (N - 1))",
    citation="Amdahl, AFIPS Spring Joint Computer Conference 1967, 483-485",
)

usl = _law(
    name="usl",
    title="USL",
    losses={"contention": _CONTENTION, "coherency": _COHERENCY},
    upper=(1.0, math.inf),
    simpler=("amdahl", "linear"),
    formula="X(N) = rate_at_one · N / (1 + contention · (N - 1) + coherency · N · (N - 1))",
    citation="Gunther, Guerrilla Capacity Planning, Springer 2007, chapters 4 to 6",
)


# Gustafson's law: work that grows with the workers, of which a part stays serial.
#
# J. L. Gustafson, "Reevaluating Amdahl's law", Communications of the ACM 31(5), 1988, 532-533.


def _gustafson_throughput(concurrency: ArrayLike, rate: _Parameter, serial: _Parameter) -> FloatArray:
    n = np.asarray(concurrency, dtype=float)
    return np.asarray(rate * (n - serial * (n - 1)))


def _gustafson_gradient(concurrency: ArrayLike, rate: _Parameter, serial: _Parameter) -> FloatArray:
    n = np.atleast_1d(np.asarray(concurrency, dtype=float))
    return np.stack(np.broadcast_arrays(n - serial * (n - 1), -rate * (n - 1)), axis=-1)


def _gustafson_slope(concurrency: ArrayLike, rate: _Parameter, serial: _Parameter) -> FloatArray:
    return np.asarray(rate * (1 - serial) * np.ones_like(np.asarray(concurrency, dtype=float)))


def _gustafson_starts(concurrency: FloatArray, throughput: FloatArray) -> Sequence[FloatArray]:
    return [np.array([[float(np.max(throughput / concurrency)), 0.05]])]


gustafson = Law(
    name="gustafson",
    title="Gustafson",
    parameters=("rate_at_one", "serial_fraction"),
    throughput=_gustafson_throughput,
    gradient=_gustafson_gradient,
    slope=_gustafson_slope,
    starts=_gustafson_starts,
    lower=(_TINY_RATE, 0.0),
    upper=(math.inf, 1.0),
    kinked=(),
    simpler=("linear",),
    is_weak=True,
    formula="X(N) = rate_at_one · (N - serial_fraction · (N - 1))",
    citation="Gustafson, Communications of the ACM 31(5), 1988, 532-533",
)


# The plateau: proportional growth until a resource is used up, and nothing after that.
#
# E. D. Lazowska, J. Zahorjan, G. S. Graham and K. C. Sevcik, "Quantitative System Performance",
# Prentice-Hall 1984, chapter 5: the asymptotic bounds X <= min(N/D, 1/D_max) cross at N* = D/D_max,
# the number of servers that can work at once.


def _plateau_throughput(concurrency: ArrayLike, rate: _Parameter, servers: _Parameter) -> FloatArray:
    return np.asarray(rate * np.minimum(np.asarray(concurrency, dtype=float), servers))


def _plateau_gradient(concurrency: ArrayLike, rate: _Parameter, servers: _Parameter) -> FloatArray:
    n = np.atleast_1d(np.asarray(concurrency, dtype=float))
    by_servers = np.where(n > servers, rate, 0.0)
    derivatives = np.empty((*by_servers.shape, 2))
    derivatives[..., 0] = np.minimum(n, servers)
    derivatives[..., 1] = by_servers
    return derivatives


def _plateau_slope(concurrency: ArrayLike, rate: _Parameter, servers: _Parameter) -> FloatArray:
    return np.asarray(np.where(np.asarray(concurrency, dtype=float) < servers, rate, 0.0))


def _plateau_starts(concurrency: FloatArray, throughput: FloatArray) -> Sequence[FloatArray]:
    # The wall may stand at each level or between two, and the sum of squares has a dip for each.
    levels = np.unique(concurrency)
    walls = np.unique(np.fmax(np.concatenate([levels, (levels[1:] + levels[:-1]) / 2]), 1.0))[:, np.newaxis]
    rates = np.exp(np.mean(np.log(throughput / np.minimum(concurrency, walls)), axis=1))
    return [np.column_stack([rates, walls])]


plateau = Law(
    name="plateau",
    title="plateau",
    parameters=("rate_at_one", "servers"),
    throughput=_plateau_throughput,
    gradient=_plateau_gradient,
    slope=_plateau_slope,
    starts=_plateau_starts,
    lower=(_TINY_RATE, 1.0),
    upper=(math.inf, math.inf),
    kinked=("servers",),
    simpler=(),
    in_chain=False,
    formula="X(N) = rate_at_one · min(N, servers)",
    citation="Lazowska, Zahorjan, Graham and Sevcik, Quantitative System Performance, 1984, chapter 5",
)


# Every law by name.

#: Every law by name, simplest first.
LAWS: Mapping[str, Law] = MappingProxyType({law.name: law for law in (linear, plateau, amdahl, gustafson, usl)})


def law_named(name: str) -> Law:
    """Return the law of a name."""
    if name not in LAWS:
        raise DataError(f"unknown law '{printable(name)}'{suggestion(name, LAWS)}; laws: {choices(LAWS)}")
    return LAWS[name]


def offered_laws(levels: int, *, weak: bool = False) -> tuple[str, ...]:
    """Return the laws that this many distinct concurrencies can carry, simplest first.

    Gustafson's law speaks of work that grows with N, so it is offered only where the caller
    says so (``weak=True``): the data of a strong-scaling run cannot tell.
    """
    return tuple(law.name for law in LAWS.values() if law.minimum_levels <= levels and (weak or not law.is_weak))
