"""What a law implies besides its parameters: peak, knee, ceiling, saturation point.

Each is a function from parameters, shape (b, p), to values, shape (b,), over concurrencies from 1 up: a
curve that falls from the start has its peak at 1, and its ceiling there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from benchlib.scaling.laws import FloatArray, Law

__all__ = ["QUANTITIES", "SATURATION_SHARE", "Implied", "quantity_named"]

#: Parameters, shape (b, p), to what they imply, shape (b,).
Implied = Callable[[FloatArray], FloatArray]

#: The saturation point is the smallest N that reaches this share of the peak or ceiling.
SATURATION_SHARE = 0.95


def _reciprocal(p: FloatArray) -> FloatArray:
    """Return the concurrency at which the first loss would take all."""
    return _over(1.0, p[:, 1])


def _over(number: FloatArray | float, by: FloatArray) -> FloatArray:
    return np.where(by > 0, number / np.where(by > 0, by, 1.0), math.inf)


def _usl_peak(p: FloatArray) -> FloatArray:
    return np.maximum(np.sqrt(_over(np.maximum(1 - p[:, 1], 0.0), p[:, 2])), 1.0)


def _usl_least(p: FloatArray) -> FloatArray:
    """Return the least time a unit of work takes in all, as a share of what it takes one worker: N/L at the peak."""
    _, contention, coherency = p.T
    least = contention - coherency + 2 * np.sqrt(coherency * np.maximum(1 - contention, 0.0))
    # The peak lies beyond 1 where 1 - c > k; else nothing is quicker than one worker.
    return np.where(1 - contention > coherency, np.maximum(least, 0.0), 1.0)


def _usl_saturation(p: FloatArray) -> FloatArray:
    # L(N) = N least / share is a quadratic in N; the smaller root lies before the peak.
    _, contention, coherency = p.T
    left = np.maximum(1 - contention, 0.0)
    target = _usl_least(p) / SATURATION_SHARE
    middle = target - contention + coherency
    rest = np.sqrt(np.maximum(middle**2 - 4 * coherency * left, 0.0))
    return np.where(target > 0, np.maximum(_over(2 * left, middle + rest), 1.0), math.inf)


def _with_no_coherency(p: FloatArray) -> FloatArray:
    return np.column_stack([p, np.zeros(len(p))])


#: Derived quantities of each law; a line and Gustafson's law have none.
QUANTITIES: Mapping[str, Mapping[str, Implied]] = MappingProxyType(
    {
        "usl": MappingProxyType(
            {
                "peak": _usl_peak,
                "knee": _reciprocal,
                "ceiling": lambda p: _over(p[:, 0], _usl_least(p)),
                "saturation_point": _usl_saturation,
            }
        ),
        "amdahl": MappingProxyType(
            {
                "knee": _reciprocal,
                "ceiling": lambda p: _over(p[:, 0], p[:, 1]),
                "saturation_point": lambda p: _usl_saturation(_with_no_coherency(p)),
            }
        ),
        "plateau": MappingProxyType(
            {
                "knee": lambda p: p[:, 1],
                "ceiling": lambda p: p[:, 0] * p[:, 1],
                "saturation_point": lambda p: np.maximum(SATURATION_SHARE * p[:, 1], 1.0),
            }
        ),
    }
)


def quantity_named(law: Law, name: str) -> Implied:
    """Return a derived quantity, or one of the parameters as a quantity."""
    if name in law.parameters:
        index = law.parameters.index(name)
        return lambda p: p[:, index]
    return QUANTITIES[law.name][name]
