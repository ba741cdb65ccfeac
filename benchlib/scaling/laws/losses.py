"""Laws of the form X = r N / (1 + losses): what N workers would do, slowed by what they lose together.

The losses are 0 at N = 1. Amdahl's law is the USL without coherency; the line is both without loss.

References
----------
G. M. Amdahl, "Validity of the single processor approach to achieving large scale computing
capabilities", AFIPS Spring Joint Computer Conference 1967, 483-485.
N. J. Gunther, "Guerrilla Capacity Planning", Springer 2007, chapters 4 to 6.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchlib.scaling.laws.law import TINY_RATE, FloatArray, Law, positive

__all__ = ["amdahl", "linear", "usl"]

Parameter = float | FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class _Term:
    """How one loss grows with concurrency, and its slope."""

    size: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]


_CONTENTION = _Term(size=lambda n: n - 1, slope=np.ones_like)
_COHERENCY = _Term(size=lambda n: n * (n - 1), slope=lambda n: 2 * n - 1)


def _slowdown(n: FloatArray, terms: tuple[_Term, ...], losses: tuple[Parameter, ...]) -> FloatArray:
    total = np.ones_like(n)
    for term, loss in zip(terms, losses, strict=True):
        total = total + loss * term.size(n)
    return total


def _law(
    *,
    name: str,
    title: str,
    losses: Mapping[str, _Term],
    upper: tuple[float, ...],
    simpler: tuple[str, ...],
    concurrency_at: Callable[..., tuple[float, ...]],
    concurrency_at_latency: Callable[..., tuple[float, ...]],
    formula: str,
    citation: str,
) -> Law:
    terms = tuple(losses.values())

    def throughput(concurrency: ArrayLike, rate: Parameter, *lost: Parameter) -> FloatArray:
        n = np.asarray(concurrency, dtype=float)
        return np.asarray(rate * n / _slowdown(n, terms, lost))

    def gradient(concurrency: ArrayLike, rate: Parameter, *lost: Parameter) -> FloatArray:
        n = np.atleast_1d(np.asarray(concurrency, dtype=float))
        slowdown = _slowdown(n, terms, lost)
        by_rate = n / slowdown
        by_loss = -rate * by_rate / slowdown
        found = np.empty((*by_loss.shape, 1 + len(terms)))
        found[..., 0] = by_rate
        for index, term in enumerate(terms, start=1):
            found[..., index] = by_loss * term.size(n)
        return found

    def slope(concurrency: ArrayLike, rate: Parameter, *lost: Parameter) -> FloatArray:
        n = np.asarray(concurrency, dtype=float)
        slowdown = _slowdown(n, terms, lost)
        steeper = sum((loss * term.slope(n) for term, loss in zip(terms, lost, strict=True)), np.zeros_like(n))
        return np.asarray(rate * (slowdown - n * steeper) / slowdown**2)

    def parts(concurrency: ArrayLike, rate: Parameter, *lost: Parameter) -> Mapping[str, FloatArray]:
        n = np.asarray(concurrency, dtype=float)
        slowdown = _slowdown(n, terms, lost)
        shares = {word: loss * term.size(n) / slowdown for (word, term), loss in zip(losses.items(), lost, strict=True)}
        return {"work": 1 / slowdown, **shares}

    def starts(concurrency: FloatArray, throughput: FloatArray) -> Sequence[FloatArray]:
        # N/X is linear in 1/r, c/r and k/r: with relative weights this start is nearly the answer.
        relative = throughput / concurrency
        columns = np.stack([np.ones_like(concurrency), *(term.size(concurrency) for term in terms)], axis=1)
        sizes = np.maximum(np.abs(columns).max(axis=0), _SMALLEST)
        columns = columns / sizes
        found, *_ = np.linalg.lstsq(columns * relative[:, np.newaxis], np.ones_like(relative), rcond=None)
        modest = np.array([[float(np.max(relative)), *_MODEST[: len(terms)]]])
        if found[0] <= 0:
            return [modest]
        found = _polished(columns, relative, found) / sizes
        return [np.concatenate([[1.0], found[1:]])[np.newaxis] / found[0], modest]

    def gradients_at(concurrency: FloatArray) -> Callable[[FloatArray], FloatArray]:
        sizes = np.array([term.size(concurrency) for term in terms]).reshape(len(terms), len(concurrency))
        columns = -sizes.T

        def gradients(parameters: FloatArray) -> FloatArray:
            slowdown = 1 + parameters[:, 1:] @ sizes
            found = np.empty((*slowdown.shape, 1 + len(terms)))
            by_rate = concurrency / slowdown
            found[..., 0] = by_rate
            found[..., 1:] = (parameters[:, :1] * by_rate / slowdown)[..., np.newaxis] * columns
            return found

        return gradients

    return Law(
        name=name,
        title=title,
        parameters=("rate_at_one", *losses),
        throughput=throughput,
        gradient=gradient,
        slope=slope,
        concurrency_at=concurrency_at,
        concurrency_at_latency=concurrency_at_latency,
        parts=parts,
        starts=starts,
        gradients_at=gradients_at,
        lower=(TINY_RATE, *[0.0] * len(losses)),
        upper=(math.inf, *upper),
        kinked=(),
        simpler=simpler,
        formula=formula,
        citation=citation,
    )


def _polished(columns: FloatArray, relative: FloatArray, found: FloatArray) -> FloatArray:
    """Take Gauss-Newton steps on the logarithm of N/X, which cost a fraction of a search's."""
    total, inverse = math.inf, columns @ found
    if inverse.min() <= 0:
        return found
    for _ in range(_STEPS):
        residuals = np.log(inverse * relative)
        here = float(residuals @ residuals)
        if not here < total:
            return found
        slopes = columns / inverse[:, np.newaxis]
        normal = slopes.T @ slopes
        try:
            moved = found - np.linalg.solve(normal, slopes.T @ residuals)
        except np.linalg.LinAlgError:
            return found
        inverse = columns @ moved
        if moved[0] <= 0 or inverse.min() <= 0:
            return found
        found, total = moved, here
    return found


def _linear_at(throughput: float, rate: float) -> tuple[float, ...]:
    return positive(throughput / rate)


def _usl_at(throughput: float, rate: float, contention: float, coherency: float) -> tuple[float, ...]:
    # X (1 + c (N - 1) + k N (N - 1)) = r N, a quadratic in N: k X N² - b N + X (1 - c) = 0.
    # (usl4j's inverse drops k altogether, and its published tests encode that.)
    middle = rate - throughput * (contention - coherency)
    return _roots(coherency * throughput, -middle, throughput * (1 - contention))


def _usl_at_latency(latency: float, rate: float, contention: float, coherency: float) -> tuple[float, ...]:
    # N / X = (1 + c (N - 1) + k N (N - 1)) / r = T, a quadratic in N once more.
    return _roots(coherency, contention - coherency, 1 - contention - latency * rate)


def _roots(square: float, middle: float, constant: float) -> tuple[float, ...]:
    """Return the positive roots of a quadratic, ascending, each once."""
    if square == 0:
        return positive(-constant / middle) if middle else ()
    discriminant = middle * middle - 4 * square * constant
    if discriminant < 0:
        return ()
    # The larger sum first: subtracting nearly equal numbers would lose the smaller root.
    half = -(middle + math.copysign(math.sqrt(discriminant), middle)) / 2
    roots = {half / square, constant / half if half else 0.0}
    return tuple(sorted(one for root in roots for one in positive(root)))


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
    concurrency_at=_linear_at,
    # A request takes 1/r however many are in flight: no latency tells how many there are.
    concurrency_at_latency=lambda latency, rate: (),
    formula="X(N) = rate_at_one · N",
    citation="the absence of any loss; the bound of every other law here",
)

amdahl = _law(
    name="amdahl",
    title="Amdahl",
    losses={"serial_fraction": _CONTENTION},
    upper=(1.0,),
    simpler=("linear",),
    concurrency_at=lambda throughput, rate, serial: _usl_at(throughput, rate, serial, 0.0),
    concurrency_at_latency=lambda latency, rate, serial: _usl_at_latency(latency, rate, serial, 0.0),
    formula="X(N) = rate_at_one · N / (1 + serial_fraction · (N - 1))",
    citation="Amdahl, AFIPS Spring Joint Computer Conference 1967, 483-485",
)

usl = _law(
    name="usl",
    title="USL",
    losses={"contention": _CONTENTION, "coherency": _COHERENCY},
    upper=(1.0, math.inf),
    simpler=("amdahl", "linear"),
    concurrency_at=_usl_at,
    concurrency_at_latency=_usl_at_latency,
    formula="X(N) = rate_at_one · N / (1 + contention · (N - 1) + coherency · N · (N - 1))",
    citation="Gunther, Guerrilla Capacity Planning, Springer 2007, chapters 4 to 6",
)
