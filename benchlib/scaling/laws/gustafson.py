"""Gustafson's law: work that grows with the workers, of which a part stays serial.

References
----------
J. L. Gustafson, "Reevaluating Amdahl's law", Communications of the ACM 31(5), 1988, 532-533.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from benchlib.scaling.laws.law import TINY_RATE, FloatArray, Law, gradients_of, positive

__all__ = ["gustafson"]

Parameter = float | FloatArray


def _throughput(concurrency: ArrayLike, rate: Parameter, serial: Parameter) -> FloatArray:
    n = np.asarray(concurrency, dtype=float)
    return np.asarray(rate * (n - serial * (n - 1)))


def _gradient(concurrency: ArrayLike, rate: Parameter, serial: Parameter) -> FloatArray:
    n = np.atleast_1d(np.asarray(concurrency, dtype=float))
    return np.stack(np.broadcast_arrays(n - serial * (n - 1), -rate * (n - 1)), axis=-1)


def _slope(concurrency: ArrayLike, rate: Parameter, serial: Parameter) -> FloatArray:
    return np.asarray(rate * (1 - serial) * np.ones_like(np.asarray(concurrency, dtype=float)))


def _at(throughput: float, rate: float, serial: float) -> tuple[float, ...]:
    return () if serial == 1 else positive((throughput / rate - serial) / (1 - serial))


def _at_latency(latency: float, rate: float, serial: float) -> tuple[float, ...]:
    # N / (r (N - s (N - 1))) = T is linear in N.
    taken = latency * rate
    left = 1 - taken * (1 - serial)
    return positive(taken * serial / left) if left else ()


def _parts(concurrency: ArrayLike, rate: Parameter, serial: Parameter) -> Mapping[str, FloatArray]:
    n = np.asarray(concurrency, dtype=float)
    lost = np.asarray(serial * (n - 1) / n)
    return {"work": 1 - lost, "serial_fraction": lost}


def _starts(concurrency: FloatArray, throughput: FloatArray) -> Sequence[FloatArray]:
    return [np.array([[float(np.max(throughput / concurrency)), 0.05]])]


gustafson = Law(
    name="gustafson",
    title="Gustafson",
    parameters=("rate_at_one", "serial_fraction"),
    throughput=_throughput,
    gradient=_gradient,
    slope=_slope,
    concurrency_at=_at,
    concurrency_at_latency=_at_latency,
    parts=_parts,
    starts=_starts,
    gradients_at=gradients_of(_gradient),
    lower=(TINY_RATE, 0.0),
    upper=(math.inf, 1.0),
    kinked=(),
    simpler=("linear",),
    formula="X(N) = rate_at_one · (N - serial_fraction · (N - 1))",
    citation="Gustafson, Communications of the ACM 31(5), 1988, 532-533",
)
