"""Profile intervals: which values of a quantity the data cannot rule out.

For a quantity held at a value, all parameters are refitted; the value belongs to the interval while the sum
of squares stays below S_min + s² F(1, n - p). Such values are the range of the quantity over the region of
parameters whose sum stays below that limit, so all quantities of a law share one look at the region.

Every law is proportional to its rate, so the region is told by its shapes: the parameters but the rate,
one for Amdahl's law, Gustafson's and the plateau, two for the USL. The rate that suits a shape, and how far
it may go from there, follow in closed form. A grid is laid over the region, and ever finer ones around the
best place so far of each end.

References
----------
D. M. Bates and D. G. Watts, "Nonlinear Regression Analysis and Its Applications", Wiley 1988, section
6.1.2: profiles, and the region that they are the shadows of.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from benchlib.scaling.fits.quantities import Implied, quantity_named
from benchlib.scaling.fits.solution import Solution
from benchlib.scaling.laws import FloatArray

#: Grids around the best place of an end, and by how much each is finer.
_GRIDS, _FINER = 9, 0.2
#: Ticks of such a grid along each coordinate.
_TICKS = 13
#: Directions around the middle of a region with two losses, and places along each.
_DIRECTIONS, _ALONG = 64, 9
#: Places on each stretch between two levels where a curve may have its corner.
_ON_A_STRETCH = 40
#: How often a way out of the region is doubled, and steps of the search for where it leaves it.
_DOUBLINGS, _STEPS = 60, 12
#: The share of the rise by which rounding may lift a place on the surface.
_ROUNDED = 1e-8


def profile_intervals(solution: Solution, names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return (low, high) of each quantity or parameter, in units of the objective.

    An end is infinite (or 0) where even the limit is not ruled out.
    """
    quantities = {name: quantity_named(solution.law, name) for name in names}
    if solution.rise <= solution.objective.negligible:
        best = solution.feasible.parameters[np.newaxis]
        return {name: (float(of(best)[0]),) * 2 for name, of in quantities.items()}
    # Far from the data models have no logarithm, and quantities no end.
    with np.errstate(all="ignore"):
        region = _Plane(solution) if len(solution.law.parameters) > 2 else _Line(solution)
        ends = _ends(region, quantities)
    return {name: (ends[name, -1.0], ends[name, 1.0]) for name in names}


class _Region:
    """The shapes of a law that the data allow, and places to look at.

    ``first`` are places of a first grid, ``step`` its width there, ``low`` and ``high`` the bounds of places.
    """

    first: FloatArray
    step: FloatArray
    low: FloatArray
    high: FloatArray

    def __init__(self, solution: Solution) -> None:
        objective, self.law = solution.objective, solution.law
        self._relative = objective.weights == "relative"
        # Measurements of one level count by their mean: what they scatter around it no shape explains.
        self._levels, of = np.unique(objective.concurrency, return_inverse=True)
        values = np.log(objective.throughput) if self._relative else objective.throughput
        weights = objective.scatter**-2
        self._weights = np.bincount(of, weights)
        self._values = np.bincount(of, weights * values) / self._weights
        scatter = float(weights @ (values - self._values[of]) ** 2)
        self._rise = solution.rise
        self._limit = solution.feasible.sum_of_squares + solution.rise - scatter
        self.best = solution.feasible.parameters[1:]
        self.lower, self.upper = np.array(self.law.lower[1:]), np.array(self.law.upper[1:])

    def shapes(self, places: FloatArray) -> FloatArray:
        """Return the shapes at places, both of shape (b, shape parameters)."""
        raise NotImplementedError

    def _fit_rates(self, shapes: FloatArray) -> tuple[FloatArray, FloatArray | float, FloatArray]:
        """Return the rate that suits each shape (relative: its logarithm), its weight, and the rise left."""
        curve = self.law.throughput(self._levels, 1.0, *shapes.T[..., np.newaxis])
        weight: FloatArray | float
        if self._relative:
            apart = self._values - np.log(curve)
            weight = float(self._weights.sum())
            rate = apart @ self._weights / weight
            apart = apart - rate[:, np.newaxis]
        else:
            weight = curve**2 @ self._weights
            rate = curve @ (self._weights * self._values) / weight
            apart = self._values - rate[:, np.newaxis] * curve
        return rate, weight, self._limit - apart**2 @ self._weights

    def left(self, shapes: FloatArray) -> FloatArray:
        """Return by how much the sum of squares may still rise; below 0 outside the region."""
        return self._fit_rates(shapes)[2]

    def parameters(self, shapes: FloatArray, side: FloatArray | float) -> FloatArray:
        """Return shapes with the smallest (side -1) or largest rate that each allows; NaN outside the region."""
        rate, weight, left = self._fit_rates(shapes)
        left = np.where(left >= -_ROUNDED * self._rise, np.maximum(left, 0.0), math.nan)
        end = rate + side * np.sqrt(left / weight)
        end = np.exp(end) if self._relative else np.where(end < self.law.lower[0], self.law.lower[0], end)
        return np.column_stack([end, shapes])


class _Line(_Region):
    """The region of a law with one parameter beside its rate: places are that parameter."""

    def __init__(self, solution: Solution) -> None:
        super().__init__(solution)
        if self.law.kinked:
            # Each stretch between two levels has a dip of its own.
            edges = np.unique([*self.lower, *self._levels[self._levels > self.lower[0]]])
            stretches = [np.linspace(*ends, _ON_A_STRETCH) for ends in itertools.pairwise(edges)]
            places = np.concatenate([*stretches, self.best, self.upper])
            step = np.full_like(places, np.diff(edges).max(initial=0.0) / _ON_A_STRETCH)
        else:
            near = math.sqrt(solution.rise) * max(float(self.best[0]), 1e-3)
            away = near * np.geomspace(1e-4, 1e4, 400)
            places = np.concatenate([self.best, self.best - away, self.best + away])
            step = 0.1 * np.concatenate([away[:1], away, away])
        self.first, self.step = places.clip(self.lower, self.upper)[:, np.newaxis], step[:, np.newaxis]
        self.low, self.high = self.lower, self.upper

    def shapes(self, places: FloatArray) -> FloatArray:
        return places


class _Plane(_Region):
    """The region of a law with two losses: places are directions from its middle, and the share of the way out.

    N/X is linear in 1/r, c/r and k/r, and the sum of squares is convex in those wherever no measurement is
    missed by a factor of e. So the region is convex, its shadow on the losses too, and each way leaves it once.
    """

    def __init__(self, solution: Solution) -> None:
        super().__init__(solution)
        jacobian = solution.feasible.jacobian
        lengths = np.sqrt(np.einsum("np,np->p", jacobian, jacobian))
        # What no measurement depends on is as long as it happens to be.
        lengths[lengths == 0] = 1.0
        scaled = jacobian / lengths
        inverse = np.linalg.inv(scaled.T @ scaled + 1e-12 * np.eye(len(lengths))) / np.outer(lengths, lengths)
        self._middle, self._spread = self.best, _root(solution.rise * inverse[1:, 1:])
        turns = 2 * math.pi * np.arange(_DIRECTIONS) / _DIRECTIONS
        surface = self.shapes(np.column_stack([turns, np.ones_like(turns)]))
        # The best fit may lie on a bound; the mean of a convex surface lies inside it.
        self._middle, self._spread = surface.mean(axis=0), _root(np.cov(surface.T))
        self.first = np.array(list(itertools.product(turns, np.linspace(0, 1, _ALONG))))
        self.step = np.tile([math.pi / _DIRECTIONS * 2, 1 / (_ALONG - 1)], (len(self.first), 1))
        self.low, self.high = np.array([-math.inf, 0.0]), np.array([math.inf, 1.0])

    def shapes(self, places: FloatArray) -> FloatArray:
        turns, of = np.unique(places[:, 0], return_inverse=True)
        along = np.column_stack([np.cos(turns), np.sin(turns)]) @ self._spread.T
        way = places[:, 1] * self._ways_out(along)[of]
        return (self._middle + way[:, np.newaxis] * along[of]).clip(self.lower, self.upper)

    def _ways_out(self, along: FloatArray) -> FloatArray:
        """Return how far each direction stays within the region and the bounds of the law."""

        def over(way: FloatArray) -> FloatArray:
            return -self.left((self._middle + way[:, np.newaxis] * along).clip(self.lower, self.upper))

        bounds = np.where(along < 0, self.lower, self.upper)
        room = np.where(along == 0, math.inf, (bounds - self._middle) / along).min(axis=1)
        inside, outside = np.zeros(len(along)), np.minimum(room, 1.0)
        over_inside, over_outside = over(inside), over(outside)
        for _ in range(_DOUBLINGS):
            short = (over_outside <= 0) & (outside < room)
            if not short.any():
                break
            inside, over_inside = np.where(short, outside, inside), np.where(short, over_outside, over_inside)
            outside = np.where(short, np.minimum(2 * outside, room), outside)
            over_outside = over(outside)
        to_bound = over_outside <= 0
        # The Illinois method (Dowell and Jarratt, BIT 11, 1971): an end that stays counts half.
        stayed = np.zeros(len(along))
        for _ in range(_STEPS):
            way = outside - over_outside * (outside - inside) / (over_outside - over_inside)
            way = np.where((way > inside) & (way < outside), way, (inside + outside) / 2)
            there = over(way)
            out = ~(there <= 0)
            over_inside = np.where(out, np.where(stayed > 0, over_inside / 2, over_inside), there)
            over_outside = np.where(out, there, np.where(stayed < 0, over_outside / 2, over_outside))
            inside, outside = np.where(out, inside, way), np.where(out, way, outside)
            stayed = np.where(out, 1.0, -1.0)
        return np.where(to_bound, room, inside)


def _root(covariance: FloatArray) -> FloatArray:
    """Return a matrix whose product with its transpose is a covariance."""
    errors = np.sqrt(np.diag(covariance))
    sizes, directions = np.linalg.eigh(covariance / np.outer(errors, errors))
    return np.asarray(errors[:, np.newaxis] * directions * np.sqrt(np.maximum(sizes, 1e-12)))


def _ends(region: _Line | _Plane, quantities: dict[str, Implied]) -> dict[tuple[str, float], float]:
    """Return the smallest (side -1) and largest (side 1) value of each quantity over a region."""
    ends = [(name, side) for name in quantities for side in (-1.0, 1.0)]
    # The best fit and the law without losses are in the region, or not, whatever a grid hits.
    known = np.vstack([region.best, region.lower])
    shapes = np.vstack([region.shapes(region.first), known])
    parameters = {side: region.parameters(shapes, side) for side in (-1.0, 1.0)}
    furthest, centre, step = np.empty(len(ends)), np.empty((len(ends), len(region.low))), []
    for row, (name, side) in enumerate(ends):
        values = _signed_logs(quantities[name], parameters[side], side)
        at = int(np.argmax(values[: len(region.first)]))
        furthest[row], centre[row] = values.max(), region.first[at]
        step.append(region.step[at])
    widths = np.array(step)[:, np.newaxis]
    ticks = np.array(list(itertools.product(np.linspace(-1, 1, _TICKS), repeat=len(region.low))))
    sides = np.repeat([side for _, side in ends], len(ticks))
    best = np.full(len(ends), -math.inf)
    for _ in range(_GRIDS):
        places = (centre[:, np.newaxis] + widths * ticks).clip(region.low, region.high)
        of_all = region.parameters(region.shapes(places.reshape(-1, len(region.low))), sides)
        for row, (name, side) in enumerate(ends):
            values = _signed_logs(quantities[name], of_all[row * len(ticks) : (row + 1) * len(ticks)], side)
            at = int(np.argmax(values))
            if values[at] > best[row]:
                best[row], centre[row] = values[at], places[row, at]
        widths = widths * _FINER
    return {end: math.exp(end[1] * log) for end, log in zip(ends, np.maximum(best, furthest).tolist(), strict=True)}


def _signed_logs(quantity: Implied, parameters: FloatArray, side: float) -> FloatArray:
    """Return how far parameters get towards a side, in logarithms; minus infinite outside the region."""
    logs = side * np.log(quantity(parameters))
    return np.where(np.isnan(parameters[:, 0]) | np.isnan(logs), -math.inf, logs)
