"""Rays from the inside of a region to its surface, in a ball that a linear law would make of it.

Directions have three coordinates: laws have at most three parameters, and where fewer are free the rest is 0.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from benchlib.scaling.laws import FloatArray

__all__ = ["AROUND", "MIDDLE", "Part", "Rays", "best_around", "first_rays", "vertex"]

#: How many rays are sent first where two or three parameters are free.
_ON_A_PLANE, _IN_SPACE = 48, 128
#: A direction whose share of the plane is below this points straight up.
_UPRIGHT = 1e-9
#: A quadratic is trusted as far as it was asked for.
_TRUSTED = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The inside of a region, or a face of it: a point within, how deep it lies, and the way from a ball to it.

    Attributes
    ----------
    centre : ndarray, shape (p,)
    depth : float
        By how much the sum of squares may still rise there.
    spread : ndarray, shape (p, 3)
        Directions in the ball to parameters; columns beyond the free parameters are 0.
    free : int
        How many parameters are.
    piece : int
        Which piece of the region it belongs to.
    """

    centre: FloatArray
    depth: float
    spread: FloatArray
    free: int
    piece: int


@dataclass(frozen=True, slots=True, eq=False)
class Rays:
    """Rays: from where, how deep inside, the way from a ball, the direction in the ball, and how long in it."""

    piece: NDArray[np.intp]
    centre: FloatArray
    depth: FloatArray
    spread: FloatArray
    towards: FloatArray
    length: FloatArray

    @property
    def along(self) -> FloatArray:
        """Directions of the parameters."""
        return np.asarray((self.spread @ self.towards[:, :, np.newaxis])[:, :, 0])

    @property
    def end(self) -> FloatArray:
        """Parameters at the ends."""
        return self.centre + self.length[:, np.newaxis] * self.along

    def rows(self, which: NDArray[np.intp] | NDArray[np.bool_]) -> Rays:
        """Return some of the rays."""
        return Rays(
            self.piece[which],
            self.centre[which],
            self.depth[which],
            self.spread[which],
            self.towards[which],
            self.length[which],
        )

    def turned(self, towards: FloatArray) -> Rays:
        """Return rays of the same length in other directions."""
        return replace(self, towards=towards / np.sqrt(np.einsum("bi,bi->b", towards, towards))[:, np.newaxis])

    def across(self) -> tuple[FloatArray, FloatArray]:
        """Return two directions across each ray, as far as its part has them: on a plane one, on a line none."""
        x, y, z = self.towards.T
        size = np.maximum(np.sqrt(x * x + y * y), _UPRIGHT)
        # Straight up any way across will do.
        right, up = np.where(size > _UPRIGHT, -y / size, 1.0), np.where(size > _UPRIGHT, x / size, 0.0)
        first = np.stack([right, up, np.zeros_like(x)], axis=1)
        second = np.stack([-z * up, z * right, x * up - y * right], axis=1)
        free = np.asarray(self.spread.any(axis=1))
        return first * free[:, 1:2], second * free[:, 2:]

    @staticmethod
    def together(rays: list[Rays]) -> Rays:
        """Put rays into one batch."""
        return Rays(*(np.concatenate([getattr(ray, one.name) for ray in rays]) for one in fields(Rays)))


def first_rays(part: Part) -> Rays:
    """Return rays in all directions of a part: two, a circle of them, or a sphere."""
    towards = _DIRECTIONS[part.free]
    count = len(towards)
    return Rays(
        np.full(count, part.piece),
        np.broadcast_to(part.centre, (count, len(part.centre))),
        np.full(count, part.depth),
        np.broadcast_to(part.spread, (count, *part.spread.shape)),
        towards,
        np.ones(count),
    )


def _circle(count: int) -> FloatArray:
    turn = 2 * math.pi * np.arange(count) / count
    return np.stack([np.cos(turn), np.sin(turn), np.zeros(count)], axis=1)


def _sphere(count: int) -> FloatArray:
    # Along a spiral: R. Swinbank and R. J. Purser, "Fibonacci grids: a novel approach to global modelling",
    # Quarterly Journal of the Royal Meteorological Society 132, 2006, 1769-1793.
    place = np.arange(count)
    height = 1 - (2 * place + 1) / count
    turn = place * math.pi * (3 - math.sqrt(5))
    radius = np.sqrt(1 - height**2)
    return np.stack([radius * np.cos(turn), radius * np.sin(turn), height], axis=1)


_DIRECTIONS = (np.zeros((0, 3)), _circle(2), _circle(_ON_A_PLANE), _sphere(_IN_SPACE))

#: Nine directions: a ray, and those around it by the two across.
AROUND = np.array(list(itertools.product((-1.0, 0.0, 1.0), repeat=2)))
MIDDLE = 4
_QUADRATIC = np.linalg.pinv(np.column_stack([np.ones(9), AROUND, AROUND**2 / 2, AROUND.prod(axis=1)])).T


def best_around(values: FloatArray) -> NDArray[np.intp]:
    """Return the place of the best of nine values, shape (b, 9): the middle where none is better."""
    best = values.argmax(axis=1)
    return np.where(values[np.arange(len(values)), best] > values[:, MIDDLE], best, MIDDLE)


def vertex(
    values: FloatArray, best: NDArray[np.intp], free: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Find the top of the quadratic through nine values.

    Parameters
    ----------
    values : ndarray, shape (b, 9)
    best : ndarray, shape (b,)
    free : ndarray of bool, shape (b, 2)
        Which of the two ways across there are.

    Returns
    -------
    step : ndarray, shape (b, 2)
        To the top; to the best of the nine where there is no top nearby.
    gain : ndarray, shape (b,)
        What the top has over the best of the nine.
    top : ndarray of bool, shape (b,)
    """
    terms = values @ _QUADRATIC
    slope, bend, twist = terms[:, 1:3] * free, np.where(free, terms[:, 3:5], -1.0), terms[:, 5] * free.all(axis=1)
    determinant = bend[:, 0] * bend[:, 1] - twist**2
    step = (twist[:, np.newaxis] * slope[:, ::-1] - bend[:, ::-1] * slope) / determinant[:, np.newaxis]
    top = (bend[:, 0] < 0) & (determinant > 0) & (np.abs(step).max(axis=1) <= _TRUSTED)
    gain = terms[:, 0] + (slope * step).sum(axis=1) / 2 - values[np.arange(len(values)), best]
    return np.where(top[:, np.newaxis], step, AROUND[best]), gain, top
