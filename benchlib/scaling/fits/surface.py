"""The surface of a confidence region: how far the parameters of a law may go before the data rule them out.

The region holds the parameters whose sum of squares stays below a limit. Rays leave the best fit in all
directions, and end where the sum reaches it. Where the region reaches a bound of the law it is cut, and each
face of the cut is a part of its own: the smaller law that is left there. A law with a corner is smooth between
two measured levels, and each stretch between two is a piece of its own.

References
----------
D. M. Bates and D. G. Watts, "Nonlinear Regression Analysis and Its Applications", Wiley 1988, section 6.1.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchlib.scaling.fits.objective import Objective
from benchlib.scaling.fits.rays import Part, Rays, first_rays
from benchlib.scaling.fits.solver import minimise
from benchlib.scaling.laws import FloatArray, Law

__all__ = ["Region", "Surface"]

#: A face needs a point inside the region to send rays from, not its best one.
_ON_A_FACE, _FACE_STEPS = 1e-3, 25
#: How close to its limit the sum of squares at the end of a first ray must lie, as a share of the rise allowed.
_ROUGHLY, _MOST_STEPS = 0.01, 60
#: A part is a ball where no ray is this many times as long as another.
_ROUND, _MOST_ROUNDED = 3.0, 3
#: Bounds are out of reach where rays this much longer do not leave them: between two rays a region bulges little.
_BEYOND = 1.25
#: No ray is longer than this many times what a linear law would make it.
_LONGEST = 1e12
#: What keeps a shape finite where columns are parallel; rays find their length anyway.
_RIDGE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Region:
    """Where a law may lie: the sum of squares at most ``limit``, the parameters within their bounds.

    Attributes
    ----------
    objective : Objective
    law : Law
    best : ndarray, shape (p,)
        The feasible fit, in units of the objective.
    best_sum, limit : float
        Its sum of squares, and the largest that is allowed.
    """

    objective: Objective
    law: Law
    best: FloatArray
    best_sum: float
    limit: float


class Surface:
    """The surface of a region, as far as rays are sent to it.

    Coordinates are the parameters, with logarithms in place of the rate and of where a curve has its corner:
    residuals are nearly linear in them. Far from the data laws have poles, and models no logarithm: who sends
    rays silences the warnings.
    """

    def __init__(self, region: Region) -> None:
        self._region = region
        self._formula = region.objective.evaluator(region.law)
        # A corner's parameter follows the rate.
        self._in_logs = slice(0, 1 + len(region.law.kinked))
        self._lower, self._upper = _pieces(region)
        self._lowest, self._highest = self._coordinates(self._lower), self._coordinates(self._upper)

    def parameters(self, coordinates: FloatArray) -> FloatArray:
        """Return the parameters at coordinates, shape (b, p)."""
        parameters = coordinates.copy()
        parameters[:, self._in_logs] = np.exp(coordinates[:, self._in_logs])
        return parameters

    def _coordinates(self, parameters: FloatArray) -> FloatArray:
        coordinates = parameters.copy()
        with np.errstate(divide="ignore"):
            coordinates[:, self._in_logs] = np.log(parameters[:, self._in_logs])
        return coordinates

    def feasible(self, rays: Rays) -> NDArray[np.bool_]:
        """Say which rays end within the bounds of their piece."""
        end = rays.end
        return np.asarray(((end >= self._lowest[rays.piece]) & (end <= self._highest[rays.piece])).all(axis=1))

    def first_rays(self) -> list[tuple[FloatArray, Rays]]:
        """Send rays in all directions, inside the region and on every face where it reaches a bound.

        Returns
        -------
        list of (ndarray, shape (p,), Rays)
            Coordinates that are known to lie in the region or on the face, and the rays.
        """
        found: list[tuple[FloatArray, Rays]] = []
        if len(self._lower) == 1:
            inside = self._part(
                self._region.best, self._region.best_sum, np.ones(len(self._lower[0]) - 1, dtype=bool), 0
            )
            [rays] = self._sent([inside])
            found.append((inside.centre, rays))
            if self.feasible(replace(rays, length=_BEYOND * rays.length)).all():
                return found
        parts = self._parts(inside=not found)
        return found + [(part.centre, rays) for part, rays in zip(parts, self._sent(parts), strict=True)]

    def _parts(self, *, inside: bool) -> list[Part]:
        """Return the faces of the region within each of its pieces, and the insides of the pieces if asked for."""
        region, law = self._region, self._region.law
        held: list[tuple[float, ...]] = []
        piece: list[int] = []
        for index, (low, high) in enumerate(zip(self._lower[:, 1:], self._upper[:, 1:], strict=True)):
            every = list(itertools.product(*[(math.nan, *{one, other}) for one, other in zip(low, high, strict=True)]))
            held += every if inside else every[1:]
            piece += [index] * (len(held) - len(piece))
        fixed = np.array(held).reshape(-1, len(law.parameters) - 1)
        lower, upper = self._lower[piece].copy(), self._upper[piece].copy()
        # Not from a corner itself, where slopes say nothing of one side.
        start = np.where((region.best >= lower) & (region.best <= upper), region.best, np.sqrt(lower * upper))
        start = np.where(np.isfinite(start), start, 2 * lower)
        lower[:, 1:] = np.where(np.isnan(fixed), lower[:, 1:], fixed)
        upper[:, 1:] = np.where(np.isnan(fixed), upper[:, 1:], fixed)
        fitted = minimise(
            self._formula,
            start,
            lower,
            upper,
            negligible=region.objective.negligible,
            orthogonal=_ON_A_FACE,
            max_iterations=_FACE_STEPS,
        )
        return [
            self._part(fitted.parameters[row], float(fitted.sums_of_squares[row]), np.isnan(fixed[row]), piece[row])
            for row in np.flatnonzero(fitted.sums_of_squares < region.limit)
        ]

    def _sent(self, parts: Sequence[Part]) -> list[Rays]:
        """Send rays in all directions of each part; from its middle where its shape is far from a ball."""
        sent = dict(enumerate(self._first(parts)))
        far = dict(enumerate(parts))
        for _ in range(_MOST_ROUNDED):
            tried = {place: self._rounder(part, sent[place]) for place, part in far.items()}
            far = {place: part for place, part in tried.items() if part is not None}
            if not far:
                break
            sent |= zip(far, self._first(list(far.values())), strict=True)
        return list(sent.values())

    def _rounder(self, part: Part, rays: Rays) -> Part | None:
        """Return a part that is nearer to a ball, by the ends of its rays; None where it is one, or cannot be."""
        inside = self.feasible(rays) & (rays.length < _LONGEST)
        if part.free < 2 or (inside.all() and rays.length.max() < _ROUND * rays.length.min()):
            return None
        return self._rounded(part, rays.end[inside])

    def lengthened(self, rays: Rays, closeness: float, furthest: FloatArray | float = _LONGEST) -> Rays:
        """Let rays end where the sum of squares reaches its limit, to a share of the rise allowed.

        One that is longer than ``furthest`` may end anywhere beyond it.

        A parabola through the depth at the centre, and through the sum and its slope at the end so far, has the
        next end; halves and multiples keep it between an end inside and one outside.
        """
        along, length = rays.along, rays.length
        inside, outside = np.zeros_like(length), np.full_like(length, math.inf)
        for _ in range(_MOST_STEPS):
            residuals, jacobian = self._evaluated(rays.centre + length[:, np.newaxis] * along)
            over = np.einsum("bn,bn->b", residuals, residuals) - self._region.limit
            out = ~(over <= 0)
            inside, outside = np.where(out, inside, length), np.where(out, length, outside)
            # In units of the length so far: bend t² + middle t = depth.
            rise = over + rays.depth
            slope = 2 * length * np.einsum("bn,bnp,bp->b", residuals, jacobian, along)
            middle, bend = 2 * rise - slope, slope - rise
            there = length * 2 * rays.depth / (middle + np.sqrt(middle**2 + 4 * bend * rays.depth))
            safe = np.where(np.isinf(outside), 4 * length, (inside + outside) / 2)
            # A parabola's step leaves less than the square of what was missing before it: where that is little it
            # is the last, and may end on either side.
            near = np.abs(over) <= math.sqrt(closeness) * rays.depth
            trusted = np.isfinite(there) & (near | ((there > inside) & (there < outside)))
            length = np.where(trusted, there, safe)
            if (near | (inside > furthest)).all():
                break
        return replace(rays, length=length)

    def _part(self, parameters: FloatArray, sum_of_squares: float, shape_free: NDArray[np.bool_], piece: int) -> Part:
        """Return a part around a point, with the shape that a linear law would have there."""
        centre = self._coordinates(parameters[np.newaxis])[0]
        free = np.array([True, *shape_free])
        columns = self._evaluated(centre[np.newaxis])[1][0][:, free]
        lengths = np.sqrt(np.einsum("np,np->p", columns, columns))
        # What no measurement depends on is as long as it happens to be.
        lengths[lengths == 0] = 1.0
        columns = columns / lengths
        root = np.linalg.cholesky(columns.T @ columns + _RIDGE * np.eye(len(lengths)))
        depth = self._region.limit - sum_of_squares
        shape: FloatArray = math.sqrt(depth) * np.linalg.inv(root).T / lengths[:, np.newaxis]
        return _part_of(centre, depth, free, shape, piece)

    def _first(self, parts: Sequence[Part]) -> list[Rays]:
        """Send the first rays of each part, all of them at once."""
        if not parts:
            return []
        each = [first_rays(part) for part in parts]
        rays = Rays.together(each)
        along = rays.along
        bounds = np.where(along < 0, self._lowest[rays.piece], self._highest[rays.piece])
        furthest = np.where(along == 0, _LONGEST, (bounds - rays.centre) / along).min(axis=1, initial=_LONGEST)
        rays = self.lengthened(rays, _ROUGHLY, furthest)
        return [rays.rows(which) for which in np.split(np.arange(len(rays.length)), _edges(each))]

    def _rounded(self, part: Part, ends: FloatArray) -> Part | None:
        """Return a part with the middle and the extent of some ends of its rays; None where they have none."""
        free = np.asarray(part.spread.any(axis=1))
        centre = part.centre.copy()
        centre[free] = ends[:, free].mean(axis=0) if len(ends) else math.nan
        residuals = self._evaluated(centre[np.newaxis])[0][0]
        depth = self._region.limit - float(residuals @ residuals)
        extent = (ends - centre)[:, free]
        if not (depth > 0 and np.isfinite(extent).all()):
            return None
        try:
            root = np.linalg.cholesky(part.free * extent.T @ extent / len(ends))
        except np.linalg.LinAlgError:
            return None
        return _part_of(centre, depth, free, np.asarray(root), part.piece)

    def _evaluated(self, coordinates: FloatArray) -> tuple[FloatArray, FloatArray]:
        parameters = self.parameters(coordinates)
        residuals, jacobian = self._formula(parameters)
        jacobian[..., self._in_logs] *= parameters[:, np.newaxis, self._in_logs]
        return residuals, jacobian


def _edges(batches: Sequence[Rays]) -> NDArray[np.intp]:
    return np.cumsum([len(rays.length) for rays in batches])[:-1]


def _part_of(centre: FloatArray, depth: float, free: NDArray[np.bool_], shape: FloatArray, piece: int) -> Part:
    spread = np.zeros((len(centre), 3))
    spread[np.flatnonzero(free), : len(shape)] = shape
    return Part(centre, depth, spread, len(shape), piece)


def _pieces(region: Region) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of a law, shape (1, p); of one with a corner those of each stretch between two levels."""
    lower, upper = np.array([region.law.lower]), np.array([region.law.upper])
    for name in region.law.kinked:
        index = region.law.parameters.index(name)
        low, high = region.law.lower[index], region.law.upper[index]
        between = [one for one in np.unique(region.objective.concurrency).tolist() if low < one < high]
        edges = np.array([low, *between, high])
        lower, upper = np.repeat(lower, len(edges) - 1, axis=0), np.repeat(upper, len(edges) - 1, axis=0)
        lower[:, index], upper[:, index] = edges[:-1], edges[1:]
    return lower, upper
