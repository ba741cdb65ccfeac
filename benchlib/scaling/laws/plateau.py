"""The plateau: proportional growth until a resource is used up, and nothing after that.

References
----------
E. D. Lazowska, J. Zahorjan, G. S. Graham and K. C. Sevcik, "Quantitative System Performance",
Prentice-Hall 1984, chapter 5: the asymptotic bounds X <= min(N/D, 1/D_max) cross at N* = D/D_max,
the number of servers that can work at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from benchlib.scaling.laws.law import TINY_RATE, FloatArray, Law, gradients_of, positive

__all__ = ["plateau"]

Parameter = float | FloatArray


def _throughput(concurrency: ArrayLike, rate: Parameter, servers: Parameter) -> FloatArray:
    return np.asarray(rate * np.minimum(np.asarray(concurrency, dtype=float), servers))


def _gradient(concurrency: ArrayLike, rate: Parameter, servers: Parameter) -> FloatArray:
    n = np.atleast_1d(np.asarray(concurrency, dtype=float))
    by_servers = np.where(n > servers, rate, 0.0)
    found = np.empty((*by_servers.shape, 2))
    found[..., 0] = np.minimum(n, servers)
    found[..., 1] = by_servers
    return found


def _slope(concurrency: ArrayLike, rate: Parameter, servers: Parameter) -> FloatArray:
    return np.asarray(np.where(np.asarray(concurrency, dtype=float) < servers, rate, 0.0))


def _at(throughput: float, rate: float, servers: float) -> tuple[float, ...]:
    return positive(throughput / rate) if throughput <= rate * servers else ()


def _at_latency(latency: float, rate: float, servers: float) -> tuple[float, ...]:
    # Below the wall a request takes 1/r however many are in flight.
    return positive(latency * rate * servers) if latency * rate > 1 else ()


def _parts(concurrency: ArrayLike, rate: Parameter, servers: Parameter) -> Mapping[str, FloatArray]:
    n = np.asarray(concurrency, dtype=float)
    work = np.minimum(n, servers) / n
    return {"work": work, "waiting": 1 - work}


def _starts(concurrency: FloatArray, throughput: FloatArray) -> Sequence[FloatArray]:
    # The wall may stand at each level or between two, and the sum of squares has a dip for each.
    levels = np.unique(concurrency)
    walls = np.sort(np.concatenate([levels, (levels[1:] + levels[:-1]) / 2]))[:, np.newaxis]
    rates = np.exp(np.mean(np.log(throughput / np.minimum(concurrency, walls)), axis=1))
    return [np.column_stack([rates, walls])]


plateau = Law(
    name="plateau",
    title="plateau",
    parameters=("rate_at_one", "servers"),
    throughput=_throughput,
    gradient=_gradient,
    slope=_slope,
    concurrency_at=_at,
    concurrency_at_latency=_at_latency,
    parts=_parts,
    starts=_starts,
    gradients_at=gradients_of(_gradient),
    lower=(TINY_RATE, 1.0),
    upper=(math.inf, math.inf),
    kinked=("servers",),
    simpler=(),
    formula="X(N) = rate_at_one · min(N, servers)",
    citation="Lazowska, Zahorjan, Graham and Sevcik, Quantitative System Performance, 1984, chapter 5",
)
