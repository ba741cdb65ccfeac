"""What every scaling law can say: throughput at a concurrency, its derivatives, and the ways back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["TINY_RATE", "FloatArray", "Law", "gradients_of", "positive"]

FloatArray = NDArray[np.float64]

#: Lower bound of every rate: a throughput of nothing scales with nothing.
TINY_RATE = float(np.finfo(float).tiny)


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """A scaling law: its formula, derivatives, inverses and limits.

    Parameters may be numbers, or arrays of shape (fits, 1) for many fits at once; concurrencies then
    run along the last axis.

    Attributes
    ----------
    name : str
        How the law is asked for, a key of `benchlib.scaling.laws.LAWS`.
    title : str
        How the law is written for people.
    parameters : tuple of str
        Names of the parameters, in the order every function takes them; the first is the throughput of
        one worker.
    throughput : callable
        ``throughput(concurrency, *parameters)``, an array like ``concurrency``.
    gradient : callable
        ``gradient(concurrency, *parameters)``: derivatives by parameter, shape (..., n, parameters).
    slope : callable
        ``slope(concurrency, *parameters)``: the derivative by concurrency, what one more worker adds.
    concurrency_at : callable
        ``concurrency_at(throughput, *parameters)``: every N > 0 that gives this throughput,
        ascending; empty where the law never reaches it.
    concurrency_at_latency : callable
        ``concurrency_at_latency(latency, *parameters)``: every N > 0 at which N requests in flight take
        this long each; empty where there is none, or every N would do.
    parts : callable
        ``parts(concurrency, *parameters)``: the share of time that goes to work and to each loss; the
        shares sum to 1.
    starts : callable
        ``starts(concurrency, throughput)``: parameters to search from, shape (b, p), in batches by promise.
    gradients_at : callable
        ``gradients_at(concurrency)``: the function from parameters, shape (b, p), to gradients at these
        concurrencies, shape (b, n, p); a fit asks for them again and again.
    lower, upper : tuple of float
        The feasible region of the parameters.
    kinked : tuple of str
        Parameters at which the curve has a corner: only profiles tell their intervals.
    simpler : tuple of str
        Laws that this one becomes where its last parameters are 0, nearest first.
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
    slope: Callable[..., FloatArray]
    concurrency_at: Callable[..., tuple[float, ...]]
    concurrency_at_latency: Callable[..., tuple[float, ...]]
    parts: Callable[..., Mapping[str, FloatArray]]
    starts: Callable[[FloatArray, FloatArray], Sequence[FloatArray]]
    gradients_at: Callable[[FloatArray], Callable[[FloatArray], FloatArray]]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    kinked: tuple[str, ...]
    simpler: tuple[str, ...]
    formula: str
    citation: str

    @property
    def minimum_levels(self) -> int:
        """Distinct concurrencies a fit needs: one more than there are parameters."""
        return len(self.parameters) + 1

    def latency(self, concurrency: ArrayLike, *parameters: float) -> FloatArray:
        """Return how long each of N requests in flight takes: N / X(N).

        References
        ----------
        J. D. C. Little, "A proof for the queuing formula L = λW", Operations Research 9(3), 1961,
        383-387: in a closed system without think time N = X T.
        """
        return np.asarray(concurrency, dtype=float) / self.throughput(concurrency, *parameters)

    def throughput_at_latency(self, latency: float, *parameters: float) -> tuple[float, ...]:
        """Return every throughput at which a request takes this long, by rising concurrency."""
        return tuple(one / latency for one in self.concurrency_at_latency(latency, *parameters))


def gradients_of(gradient: Callable[..., FloatArray]) -> Callable[[FloatArray], Callable[[FloatArray], FloatArray]]:
    """Return the ``gradients_at`` of a law that has nothing to prepare."""

    def at(concurrency: FloatArray) -> Callable[[FloatArray], FloatArray]:
        return lambda parameters: gradient(concurrency, *parameters.T[:, :, np.newaxis])

    return at


def positive(concurrency: float) -> tuple[float, ...]:
    """Return a root as the answer of an inverse: none where it is no concurrency.

    Examples
    --------
    >>> positive(2.5), positive(-1.0)
    ((2.5,), ())
    """
    return (concurrency,) if concurrency > 0 and math.isfinite(concurrency) else ()
