"""Studentised bootstrap of the USL for many curves at once: whole batches refitted as a few matrix products.

With relative weights the USL is linear inside a logarithm: ln X = ln N - ln(t0 + t1 (N-1) + t2 N (N-1)),
with t = (1, contention, coherency) / rate. A Gauss-Newton step of every refit is then one product of
matrices and a closed-form solve of 3 by 3.

Percentile intervals of the same refits cover 77 to 88 % where they claim 95: only the studentised ones
are given.

References
----------
B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap", Chapman and Hall 1993, sections 9.5
(residuals raised by their leverage) and 12.5 (bootstrap-t).
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import starmap

import numpy as np
from numpy.typing import ArrayLike

from benchlib.errors import DataError
from benchlib.scaling.laws import FloatArray

__all__ = ["UslBootstrap", "bootstrap_usl"]

#: Gauss-Newton steps of a refit, which starts at the fit of its own curve: the last moves a parameter
#: by less than a thousandth of its standard error.
_STEPS = 2
#: Gauss-Newton steps of the fits themselves.
_FIRST_STEPS = 12
#: Refits in hand at once: what they take stays in a core's cache, and no product of matrices is so large
#: that the library spreads it over threads, which would fight with ours.
_REFITS_AT_ONCE = 6_000
#: More refits of a curve than this share without an answer, and the curve has none.
_MOST_LOST = 0.02


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UslBootstrap:
    """The USL fitted to many curves, with bootstrap intervals.

    Attributes
    ----------
    parameters : ndarray, shape (curves, 3)
        Rate at one, contention, coherency; not cut to what is feasible.
    low, high : ndarray, shape (curves, 3)
        NaN where a curve, or more than 2 % of its refits, has no fit.
    draws : int
    confidence_level : float
    """

    parameters: FloatArray
    low: FloatArray
    high: FloatArray
    draws: int
    confidence_level: float


def bootstrap_usl(
    concurrency: ArrayLike,
    throughput: ArrayLike,
    *,
    draws: int = 1000,
    seed: int = 0,
    confidence_level: float = 0.95,
) -> UslBootstrap:
    """Fit the USL with relative weights to curves of the same concurrencies, and bootstrap each fit.

    Parameters
    ----------
    concurrency : array_like, shape (n,)
        Of the measurements of every curve; at least 4 distinct values and 5 measurements.
    throughput : array_like, shape (curves, n)
    draws : int
        Refits a curve.
    seed : int
        The same seed gives the same intervals, however many cores there are.
    confidence_level : float

    Raises
    ------
    DataError
        If shapes or values make no curves.

    Examples
    --------
    >>> n = [1, 2, 4, 8, 16, 32]
    >>> curves = [[100.0, 192.0, 350.0, 590.0, 840.0, 920.0], [99.0, 195.0, 355.0, 580.0, 850.0, 915.0]]
    >>> found = bootstrap_usl(n, curves, draws=200)
    >>> bool(np.all((found.low <= found.parameters) & (found.parameters <= found.high)))
    True
    """
    n, x = _checked(concurrency, throughput, draws, confidence_level)
    basis = np.column_stack([np.ones_like(n), n - 1, n * (n - 1)])
    # Columns of one size: the squares of N (N - 1) would drown the rest.
    sizes = np.sqrt(np.mean(basis**2, axis=0))
    problem = _Problem(
        basis=basis / sizes, pairs=_pairs(basis / sizes), log_n=np.log(n)[:, np.newaxis], sizes=sizes, draws=draws
    )
    shares = (1 - confidence_level) / 2, (1 + confidence_level) / 2
    at_once = max(1, _REFITS_AT_ONCE // draws)
    seeds = np.random.SeedSequence(seed).spawn(-(-len(x) // at_once))

    def part(start: int, own_seed: np.random.SeedSequence) -> tuple[FloatArray, FloatArray, FloatArray]:
        return _bootstrap(problem, np.log(x[start : start + at_once]).T, shares, np.random.default_rng(own_seed))

    places: Iterator[int] = iter(range(0, len(x), at_once))
    with ThreadPoolExecutor() as pool:
        parts = list(pool.map(lambda one: part(*one), zip(places, seeds, strict=True)))
    parameters, low, high = starmap(np.concatenate, ((column,) for column in zip(*parts, strict=True)))
    return UslBootstrap(parameters=parameters, low=low, high=high, draws=draws, confidence_level=confidence_level)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Problem:
    """What all refits share: the basis, shape (n, 3), its products in pairs, shape (6, n), and ln N, shape (n, 1).

    Refits lie along the last axis of every array, so that each operation runs over them in one go.
    """

    basis: FloatArray
    pairs: FloatArray
    log_n: FloatArray
    sizes: FloatArray
    draws: int


def _checked(
    concurrency: ArrayLike, throughput: ArrayLike, draws: int, confidence_level: float
) -> tuple[FloatArray, FloatArray]:
    n, x = np.asarray(concurrency, dtype=float), np.asarray(throughput, dtype=float)
    if n.ndim != 1 or x.ndim != 2 or x.shape[1] != len(n) or not len(x):
        raise DataError(
            f"concurrency has shape {n.shape} and throughput {x.shape}; give (n,) and (curves, n), a row a curve"
        )
    if len(np.unique(n)) < 4 or len(n) < 5:
        raise DataError(f"{len(n)} measurements at {len(np.unique(n))} concurrencies; the USL needs 5 at 4 or more")
    if not (np.all(np.isfinite(n)) and np.all(n >= 1) and np.all(np.isfinite(x)) and np.all(x > 0)):
        raise DataError("concurrencies must be at least 1 and throughputs positive, all finite; leave others out")
    if draws < 100 or not 0 < confidence_level < 1:
        raise DataError(
            f"{draws} draws at level {confidence_level:g}; at least 100 draws are needed, and a level such as 0.95"
        )
    return n, x


_UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def _pairs(basis: FloatArray) -> FloatArray:
    return np.stack([basis[:, one] * basis[:, two] for one, two in _UPPER])


def _bootstrap(
    problem: _Problem, log_x: FloatArray, shares: tuple[float, float], generator: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Fit some curves, shape (n, curves), and refit each of them; return parameters, low and high ends."""
    n, curves = log_x.shape
    theta = _stepped(problem, log_x, _first_guess(problem, log_x), _FIRST_STEPS)
    residuals, weights = _residuals(problem, log_x, theta)
    inverse = _inverse(problem.pairs @ (weights * weights))
    values, errors = _parameters(problem, theta, residuals, inverse)
    # Residuals of a fit are smaller than the noise: most at the ends, which pull the curve to them.
    raised = residuals / np.sqrt(1 - np.minimum(_leverages(problem, weights, inverse), 0.99))
    raised -= raised.mean(axis=0)
    drawn = generator.integers(0, n, size=(n, curves, problem.draws), dtype=np.int32)
    drawn *= curves
    drawn += np.arange(curves, dtype=np.int32)[:, np.newaxis]
    noise = raised.ravel()[drawn]
    # The first step is linear in the noise, by one matrix a curve.
    pulls = _times(inverse[:, np.newaxis], (problem.basis[:, :, np.newaxis] * weights[:, np.newaxis]).swapaxes(0, 1))
    starts = theta[:, :, np.newaxis] + np.einsum("pnc,ncd->pcd", pulls, noise)
    redrawn = (log_x + residuals)[:, :, np.newaxis] - noise
    flat = redrawn.reshape(n, -1)
    again = _stepped(problem, flat, starts.reshape(3, -1), _STEPS)
    left, heavy = _residuals(problem, flat, again)
    values_again, errors_again = _parameters(problem, again, left, _inverse(problem.pairs @ (heavy * heavy)))
    shape = (3, curves, problem.draws)
    with np.errstate(invalid="ignore", divide="ignore"):
        pivots = (values_again.reshape(shape) - values[:, :, np.newaxis]) / errors_again.reshape(shape)
    below, above = _quantiles(pivots, shares)
    low, high = values - above * errors, values - below * errors
    for ends in (values, low, high):
        ends[0] = np.exp(ends[0])
    return values.T, low.T, high.T


def _first_guess(problem: _Problem, log_x: FloatArray) -> FloatArray:
    """Return the straight fit of N/X, each relative to its own size."""
    relative = np.exp(log_x - problem.log_n)
    theta = _times(_inverse(problem.pairs @ relative**2), problem.basis.T @ relative)
    # Where that crosses zero, a line through the rates of all levels does not.
    lost = ~np.all(problem.basis @ theta > 0, axis=0)
    theta[:, lost] = 0.0
    theta[0, lost] = np.exp(-np.mean((log_x - problem.log_n)[:, lost], axis=0)) / problem.basis[0, 0]
    return theta


def _stepped(problem: _Problem, log_x: FloatArray, theta: FloatArray, steps: int) -> FloatArray:
    """Take Gauss-Newton steps."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        for _ in range(steps):
            residuals, weights = _residuals(problem, log_x, theta)
            residuals *= weights
            weights *= weights
            step = _times(_inverse(problem.pairs @ weights), problem.basis.T @ residuals)
            moved = theta + step
            # A step across a pole is taken half way, again and again.
            for _ in range(4):
                beyond = (problem.basis @ moved).min(axis=0) <= 0
                if not beyond.any():
                    break
                step[:, beyond] /= 2
                moved[:, beyond] = theta[:, beyond] + step[:, beyond]
            theta = moved
    return theta


def _residuals(problem: _Problem, log_x: FloatArray, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return ln(model / measurement), and one over what the model's logarithm is taken of."""
    slowdowns = problem.basis @ theta
    residuals = problem.log_n - log_x
    with np.errstate(invalid="ignore", divide="ignore"):
        residuals -= np.log(slowdowns)
        return residuals, np.reciprocal(slowdowns, out=slowdowns)


def _inverse(normal: FloatArray) -> FloatArray:
    """Return the inverses of symmetric matrices of 3 by 3, all as their upper triangles, shape (6, b)."""
    a, b, c, d, e, f = normal
    cofactors = np.stack([d * f - e * e, c * e - b * f, b * e - c * d, a * f - c * c, b * c - a * e, a * d - b * b])
    cofactors /= a * cofactors[0] + b * cofactors[1] + c * cofactors[2]
    return cofactors


def _times(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    a, b, c, d, e, f = matrix
    x, y, z = vector
    return np.stack([a * x + b * y + c * z, b * x + d * y + e * z, c * x + e * y + f * z])


def _leverages(problem: _Problem, weights: FloatArray, inverse: FloatArray) -> FloatArray:
    """Return how much each measurement pulls the curve to itself, shape (n, curves)."""
    twice = np.array([1.0, 2.0, 2.0, 1.0, 2.0, 1.0])
    return np.asarray(((problem.pairs.T * twice) @ inverse) * weights**2)


def _parameters(
    problem: _Problem, theta: FloatArray, residuals: FloatArray, inverse: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return ln rate, contention and coherency, and their standard errors, shape (3, b) each."""
    freedom = len(residuals) - 3
    first, second, third = problem.sizes
    a, b, c, d, _, f = inverse
    with np.errstate(invalid="ignore", divide="ignore"):
        base = theta[0] / first
        contention = theta[1] / second / base
        coherency = theta[2] / third / base
        values = np.stack([-np.log(base), contention, coherency])
        spreads = np.stack(
            [
                a / first**2,
                d / second**2 - 2 * contention * b / (first * second) + contention**2 * a / first**2,
                f / third**2 - 2 * coherency * c / (first * third) + coherency**2 * a / first**2,
            ]
        )
        variance = np.einsum("nb,nb->b", residuals, residuals) / freedom
        return values, np.sqrt(spreads * variance) / base


def _quantiles(pivots: FloatArray, shares: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    """Return quantiles over the draws, shape (3, curves) each; NaN where too many draws have no fit."""
    draws = pivots.shape[-1]
    ranks = [min(draws - 1, max(0, round(share * (draws + 1)) - 1)) for share in shares]
    lost = np.isnan(pivots).mean(axis=-1) > _MOST_LOST
    below, above = np.moveaxis(np.partition(pivots, ranks, axis=-1)[..., ranks], -1, 0)
    return np.where(lost, np.nan, below), np.where(lost, np.nan, above)
