"""A number a law implies besides its parameters, and how it can be held while the rest is refitted.

Each can be held at a value while the rest of the law is refitted, because it is solved for one
parameter: at a peak P the coherency of the USL is (1 - c) / P².
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from benchlib.scaling.laws import FloatArray, Law

__all__ = [
    "SATURATION_SHARE",
    "Box",
    "Embedding",
    "Quantity",
    "box",
    "columns",
    "parameter_of",
    "reciprocal",
    "tangent",
]

#: The saturation point is the smallest N that reaches this share of the peak or ceiling.
SATURATION_SHARE = 0.95

#: Free coordinates, shape (b, p - 1), and held values, shape (b,), to all parameters, shape (b, p), and
#: their derivatives by the free ones, shape (b, p, p - 1).
Embedding = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
#: Bounds of the free coordinates for held values.
Box = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number a law implies, and how to hold it while the rest is refitted.

    Attributes
    ----------
    value : callable
        The quantity of a law's parameters; infinite where the law has none.
    free : callable
        Free coordinates of given parameters, shape (b, p), for values held: where a refit starts.
    embed : callable
        See `Embedding`.
    bounds : callable
        See `Box`.
    of_rate : bool
        Whether the quantity is a throughput and scales with the unit.
    shared : bool
        Whether the last free coordinate is a share between 0 and 1, over which the sum of squares may have
        several dips.
    endless : mapping of str to float
        Parameters, and what they are where the quantity is infinite; empty where it never is.
    """

    value: Callable[[FloatArray], float]
    free: Callable[[FloatArray, FloatArray], FloatArray]
    embed: Embedding
    bounds: Box
    of_rate: bool
    shared: bool
    endless: Mapping[str, float]


def box(lower: list[float], upper: list[float]) -> Box:
    """Return bounds that are the same for every value held."""
    ends = np.array(lower), np.array(upper)
    return lambda held: ends


def parameter_of(law: Law, index: int) -> Quantity:
    """Return a parameter itself as a quantity."""
    others = [one for one in range(len(law.parameters)) if one != index]
    tangent = np.zeros((1, len(law.parameters), len(others)))
    tangent[0, others, range(len(others))] = 1.0

    def embed(free: FloatArray, held: FloatArray) -> tuple[FloatArray, FloatArray]:
        return np.insert(free, index, held, axis=1), np.broadcast_to(tangent, (len(free), *tangent.shape[1:]))

    return Quantity(
        value=lambda p: float(p[index]),
        free=lambda p, held: p[:, others],
        embed=embed,
        bounds=box([law.lower[one] for one in others], [law.upper[one] for one in others]),
        of_rate=index == 0,
        shared=False,
        endless={},
    )


def columns(count: int, *columns: FloatArray | float) -> FloatArray:
    """Put columns of a batch together; a number stands for all of its rows."""
    filled = np.empty((count, len(columns)))
    for index, one in enumerate(columns):
        filled[:, index] = one
    return filled


def tangent(count: int, *rows: tuple[FloatArray | float, ...]) -> FloatArray:
    """Put derivatives, a row for each parameter, together for a batch."""
    filled = np.empty((count, len(rows), len(rows[0])))
    for index, row in enumerate(rows):
        for column, one in enumerate(row):
            filled[:, index, column] = one
    return filled


def reciprocal(p: FloatArray) -> float:
    """Return the concurrency at which a loss would take all: one over the first loss."""
    return float(1 / p[1]) if p[1] > 0 else math.inf
