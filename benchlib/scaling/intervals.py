"""What the data say of each number of a fit: estimates, profile intervals, differences between curves."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np

from benchlib.errors import DataError, choices, printable, suggestion
from benchlib.lazy_scipy import special
from benchlib.scaling.curve import ScalingCurve, levels_text
from benchlib.scaling.laws import FloatArray, Law, law_named
from benchlib.scaling.solver import Solution, _checked_weights, _weights_for, objective_of, solve_twice
from benchlib.statistics.estimates import Estimate, checked_level

# What a law implies besides its parameters: peak, knee, ceiling, saturation point.
#
# Each is a function from parameters, shape (b, p), to values, shape (b,), over concurrencies from 1 up: a
# curve that falls from the start has its peak at 1, and its ceiling there.

#: Parameters, shape (b, p), to what they imply, shape (b,).
_Implied = Callable[[FloatArray], FloatArray]

#: The saturation point is the smallest N that reaches this share of the peak or ceiling.
_SATURATION_SHARE = 0.95


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
    target = _usl_least(p) / _SATURATION_SHARE
    middle = target - contention + coherency
    rest = np.sqrt(np.maximum(middle**2 - 4 * coherency * left, 0.0))
    return np.where(target > 0, np.maximum(_over(2 * left, middle + rest), 1.0), math.inf)


#: Derived quantities of each law; a line and Gustafson's law have none.
QUANTITIES: Mapping[str, Mapping[str, _Implied]] = MappingProxyType(
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
                "saturation_point": lambda p: _usl_saturation(np.column_stack([p, np.zeros(len(p))])),
            }
        ),
        "plateau": MappingProxyType(
            {
                "knee": lambda p: p[:, 1],
                "ceiling": lambda p: p[:, 0] * p[:, 1],
                "saturation_point": lambda p: np.maximum(_SATURATION_SHARE * p[:, 1], 1.0),
            }
        ),
    }
)


def quantity_named(law: Law, name: str) -> _Implied:
    """Return a derived quantity, or one of the parameters as a quantity."""
    if name in law.parameters:
        index = law.parameters.index(name)
        return lambda p: p[:, index]
    return QUANTITIES[law.name][name]


# Profile intervals: which values of a quantity the data cannot rule out.
#
# For a quantity held at a value, all parameters are refitted; the value belongs to the interval while the sum
# of squares stays below S_min + s² F(1, n - p). Such values are the range of the quantity over the region of
# parameters whose sum stays below that limit, so all quantities of a law share one look at the region.
#
# Every law is proportional to its rate, so the region is told by its shapes: the parameters but the rate,
# one for Amdahl's law, Gustafson's and the plateau, two for the USL. The rate that suits a shape, and how far
# it may go from there, follow in closed form. A grid is laid over the region, and ever finer ones around the
# best place so far of each end.
#
# D. M. Bates and D. G. Watts, "Nonlinear Regression Analysis and Its Applications", Wiley 1988, section
# 6.1.2: profiles, and the region that they are the shadows of.

#: By how much a grid around the best place of an end is finer than the one before.
_FINER = 0.2
#: Ticks of such a grid along each coordinate.
_TICKS = 13
#: Directions around the middle of a region with two losses, and places along each.
_DIRECTIONS, _ALONG = 64, 9
#: Places on each stretch between two levels where a curve may have its corner.
_ON_A_STRETCH = 40
#: The most steps of a search for where a way leaves the region; six are usual.
_STEPS = 40
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
    #: How many grids, each finer, are laid around the best place of an end.
    grids = 6

    def __init__(self, solution: Solution) -> None:
        objective, self.law = solution.objective, solution.law
        self._relative = objective.weights == "relative"
        self._levels = objective.concurrency
        self._values = np.log(objective.throughput) if self._relative else objective.throughput
        self._weights = objective.scatter**-2
        self._rise = solution.rise
        self._limit = solution.feasible.sum_of_squares + solution.rise
        self.best = solution.feasible.parameters[1:]
        self.lower, self.upper = np.array(self.law.lower[1:]), np.array(self.law.upper[1:])

    def shapes(self, places: FloatArray) -> FloatArray:
        """Return the shapes at places, both of shape (b, shape parameters)."""
        raise NotImplementedError

    def _curves(self, shapes: FloatArray) -> FloatArray:
        """Return the throughput of each shape at the levels, for a rate of 1."""
        return self.law.throughput(self._levels, 1.0, *shapes.T[..., np.newaxis])

    def _fit_rates(self, curve: FloatArray) -> tuple[FloatArray, FloatArray | float, FloatArray, FloatArray]:
        """Return the rate that suits each curve (relative: its logarithm), its weight, the rise left, what is apart."""
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
        # Below 0 outside the region.
        return rate, weight, self._limit - apart**2 @ self._weights, apart

    def parameters(self, shapes: FloatArray, side: FloatArray | float) -> FloatArray:
        """Return shapes with the smallest (side -1) or largest rate that each allows; NaN outside the region."""
        rate, weight, left, _ = self._fit_rates(self._curves(shapes))
        left = np.where(left >= -10 * _ROUNDED * self._rise, np.maximum(left, 0.0), math.nan)
        end = rate + side * np.sqrt(left / weight)
        end = np.exp(end) if self._relative else np.where(end < self.law.lower[0], self.law.lower[0], end)
        return np.column_stack([end, shapes])


class _Line(_Region):
    """The region of a law with one parameter beside its rate: places are that parameter."""

    grids = 10

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
        losses = np.vstack([np.zeros(2), np.eye(2)])
        inverse = 1 / self.law.throughput(self._levels, 1.0, *losses.T[..., np.newaxis])
        self._alone, self._losses = inverse[0], inverse[1:] - inverse[0]
        jacobian = solution.feasible.jacobian
        lengths = np.sqrt(np.einsum("np,np->p", jacobian, jacobian))
        # What no measurement depends on is as long as it happens to be.
        lengths[lengths == 0] = 1.0
        scaled = jacobian / lengths
        covariance = np.linalg.inv(scaled.T @ scaled + 1e-12 * np.eye(len(lengths))) / np.outer(lengths, lengths)
        self._middle, self._spread = self.best, _root(solution.rise * covariance[1:, 1:])
        turns = 2 * math.pi * np.arange(_DIRECTIONS) / _DIRECTIONS
        surface = self.shapes(np.column_stack([turns, np.ones_like(turns)]))
        # The best fit may lie on a bound; the mean of a convex surface lies inside it.
        self._middle, self._spread = surface.mean(axis=0), _root(2 * np.cov(surface.T))
        self.first = np.array(list(itertools.product(turns, np.linspace(0, 1, _ALONG))))
        self.step = np.tile([math.pi / _DIRECTIONS * 2, 1 / (_ALONG - 1)], (len(self.first), 1))
        self.low, self.high = np.array([-math.inf, 0.0]), np.array([math.inf, 1.0])

    def _curves(self, shapes: FloatArray) -> FloatArray:
        return np.asarray(1 / (self._alone + shapes @ self._losses))

    def shapes(self, places: FloatArray) -> FloatArray:
        turns, of = np.unique(places[:, 0], return_inverse=True)
        along = np.column_stack([np.cos(turns), np.sin(turns)]) @ self._spread.T
        way = places[:, 1] * self._ways_out(along)[of]
        return (self._middle + way[:, np.newaxis] * along[of]).clip(self.lower, self.upper)

    def _ways_out(self, along: FloatArray) -> FloatArray:
        """Return how far each direction stays within the region and the bounds of the law.

        By Newton's method: of a convex sum of squares its steps from outside never lead past the surface.
        """
        bounds = np.where(along < 0, self.lower, self.upper)
        room = np.where(along == 0, math.inf, (bounds - self._middle) / along).min(axis=1)
        slowing = along @ self._losses
        inside, way, outside = np.zeros(len(along)), np.minimum(room, 1.0), room
        for _ in range(_STEPS):
            inverse = self._alone + self._middle @ self._losses + way[:, np.newaxis] * slowing
            rate, _, left, apart = self._fit_rates(1 / inverse)
            stays = left >= 0
            if ((np.abs(left) <= _ROUNDED * self._rise) | (stays & (way >= room))).all():
                break
            inside, outside = np.where(stays, way, inside), np.where(stays, outside, way)
            slopes = slowing / inverse if self._relative else rate[:, np.newaxis] * slowing / inverse**2
            further = way + left / (2 * (apart * slopes) @ self._weights)
            between = np.where(np.isinf(outside), 2 * way, (inside + outside) / 2)
            trusted = (further > inside) & (further < outside)
            way = np.where(trusted, further, np.where(stays & (further >= room), room, between))
        return np.asarray(way)


def _root(covariance: FloatArray) -> FloatArray:
    """Return a matrix whose product with its transpose is a covariance."""
    errors = np.sqrt(np.diag(covariance))
    sizes, directions = np.linalg.eigh(covariance / np.outer(errors, errors))
    return np.asarray(errors[:, np.newaxis] * directions * np.sqrt(np.maximum(sizes, 1e-12)))


def _ends(region: _Line | _Plane, quantities: dict[str, _Implied]) -> dict[tuple[str, float], float]:
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
    _look_closer(region, quantities, ends, furthest, centre, np.array(step))
    return {end: math.exp(end[1] * log) for end, log in zip(ends, furthest.tolist(), strict=True)}


def _look_closer(
    region: _Line | _Plane,
    quantities: dict[str, _Implied],
    ends: list[tuple[str, float]],
    furthest: FloatArray,
    centre: FloatArray,
    step: FloatArray,
) -> None:
    """Raise how far each end gets, and move its place, by finer and finer grids around it.

    What no rate changes is furthest on the surface of the region: its grid has no depth.
    """
    with_rate = ("ceiling", region.law.parameters[0])
    for deep in (False, True):
        rows = [row for row, (name, _) in enumerate(ends) if (name in with_rate) == deep]
        if not rows:
            continue
        along = np.linspace(-1, 1, _TICKS)
        depths = along if deep or len(region.low) == 1 else np.zeros(1)
        ticks = np.array(list(itertools.product(along, depths)) if len(region.low) > 1 else along[:, np.newaxis])
        sides = np.repeat([ends[row][1] for row in rows], len(ticks))
        middle, widths, best = centre[rows], step[rows][:, np.newaxis], np.full(len(rows), -math.inf)
        for _ in range(region.grids):
            places = (middle[:, np.newaxis] + widths * ticks).clip(region.low, region.high)
            of_all = region.parameters(region.shapes(places.reshape(-1, len(region.low))), sides)
            for at, row in enumerate(rows):
                name, side = ends[row]
                values = _signed_logs(quantities[name], of_all[at * len(ticks) : (at + 1) * len(ticks)], side)
                tick = int(np.argmax(values))
                if values[tick] > best[at]:
                    best[at], middle[at] = values[tick], places[at, tick]
            widths = widths * _FINER
        furthest[rows] = np.maximum(furthest[rows], best)


def _signed_logs(quantity: _Implied, parameters: FloatArray, side: float) -> FloatArray:
    """Return how far parameters get towards a side, in logarithms; minus infinite outside the region."""
    logs = side * np.log(quantity(parameters))
    return np.where(np.isnan(parameters[:, 0]) | np.isnan(logs), -math.inf, logs)


# Estimates from a solution: Wald for parameters, profiles for what a law implies and for bounds.
#
# Wald's intervals cover what they claim for the parameters and fail for derived quantities: in
# simulation (7 levels from 1 to 64, 5 % noise) the delta method covers 67 % for a peak at 97 and 37 %
# for one at 220, the profile 95 % everywhere.

_METHODS = {
    "relative": "least squares on log ratios",
    "replicates": "least squares weighted by the variance of each level",
    "none": "unweighted least squares",
}


def _estimates(solution: Solution, unit: str) -> tuple[dict[str, Estimate], dict[str, Estimate]]:
    """Return `parameter_estimates` and `derived_estimates`, for about the price of one: they share a search."""
    wanted = list(QUANTITIES.get(solution.law.name, {}))
    intervals = _profiles(solution, [*_limited(solution), *wanted])
    return _parameters(solution, unit, intervals), _derived(solution, unit, wanted, intervals)


def parameter_estimates(solution: Solution, unit: str) -> dict[str, Estimate]:
    """Return the parameters with their intervals; one on its bound has a limit instead.

    The limit leaves to its one side what an interval leaves to each: where a sample decides by chance which
    of the two is stated, one tail would otherwise miss too often (3.5 to 4 % of 2.5 in simulation).
    """
    return _parameters(solution, unit, _profiles(solution, _limited(solution)))


def derived_estimates(solution: Solution, unit: str, only: str = "") -> dict[str, Estimate]:
    """Return what the law implies, with profile intervals; ``only`` one quantity where it is named."""
    wanted = [only] if only else list(QUANTITIES.get(solution.law.name, {}))
    return _derived(solution, unit, wanted, _profiles(solution, wanted))


def _on_bound(solution: Solution) -> list[str]:
    law, best = solution.law, solution.feasible.parameters
    return [
        name
        for index, name in enumerate(law.parameters)
        if index and best[index] in (law.lower[index], law.upper[index])
    ]


def _limited(solution: Solution) -> list[str]:
    """Return the parameters whose intervals are profiles: those on a bound, and where a curve has its corner."""
    return list(dict.fromkeys([*_on_bound(solution), *solution.law.kinked]))


def _parameters(solution: Solution, unit: str, intervals: Mapping[str, tuple[float, float]]) -> dict[str, Estimate]:
    law, best = solution.law, solution.feasible.parameters
    errors = np.sqrt(np.clip(np.diag(solution.covariance), 0, None))
    if not _is_exact(solution):
        # What no measurement depends on has no error that is known.
        errors = np.where(errors > 0, errors, math.nan)
        # Nor has a rate whose error is a thousand million times itself: rounding made it.
        errors[0] = errors[0] if errors[0] < 1e9 * best[0] else math.nan
    on_bound, limited = _on_bound(solution), _limited(solution)
    estimates = {}
    for index, name in enumerate(law.parameters):
        value, error = float(best[index]), float(errors[index])
        if name in limited:
            low, high = (_within(law, index, end) for end in intervals[name])
        if name in on_bound:
            low, high = (value, high) if value == law.lower[index] else (low, value)
            method = f"on its bound; profile F(1, {solution.degrees_of_freedom}) limit"
        elif name in limited:
            method = f"profile F(1, {solution.degrees_of_freedom})"
        else:
            middle = float(solution.unbounded.parameters[index])
            half = 0.0 if _is_exact(solution) else solution.critical * error if math.isfinite(error) else math.inf
            # Cut to the feasible region, and never so far that the value itself falls out.
            low = min(_within(law, index, middle - half), value)
            high = max(_within(law, index, middle + half), value)
            method = f"Wald t({solution.degrees_of_freedom})"
        scale, its_unit = (solution.objective.scale, unit) if index == 0 else (1.0, "")
        estimates[name] = _estimate(solution, value, low, high, error, method, scale, its_unit)
    return estimates


def _within(law: Law, index: int, end: float) -> float:
    """Cut the end of an interval to what a law allows; a rate is bounded by 0."""
    return max(min(end, law.upper[index]), law.lower[index] if index else 0.0)


def _is_exact(solution: Solution) -> bool:
    return solution.variance * solution.degrees_of_freedom <= solution.objective.negligible


def _derived(
    solution: Solution, unit: str, wanted: Sequence[str], intervals: Mapping[str, tuple[float, float]]
) -> dict[str, Estimate]:
    method = f"profile F(1, {solution.degrees_of_freedom})"
    estimates = {}
    for name, (value, error) in _values_and_errors(solution, wanted).items():
        low, high = intervals[name]
        scale, its_unit = (solution.objective.scale, unit) if name == "ceiling" else (1.0, "")
        # The search for an end stops a rounding short of it.
        low, high = min(low, value), max(high, value)
        if name == "ceiling" and solution.objective.drift and 0 < value < math.inf:
            # What the machine drifted by moves every throughput alike.
            reach = solution.critical * math.sqrt(solution.objective.drift)
            low = value * math.exp(-math.hypot(math.log(value / low), reach)) if low > 0 else low
            high = value * math.exp(math.hypot(math.log(high / value), reach)) if math.isfinite(high) else high
        estimates[name] = _estimate(solution, value, low, high, error, method, scale, its_unit)
    return estimates


def _profiles(solution: Solution, names: Sequence[str]) -> dict[str, tuple[float, float]]:
    if not names:
        return {}
    return profile_intervals(solution, list(dict.fromkeys(names)))


def _estimate(
    solution: Solution, value: float, low: float, high: float, error: float, method: str, scale: float, unit: str
) -> Estimate:
    return Estimate(
        value=value * scale,
        low=low * scale,
        high=high * scale,
        unit=unit,
        confidence_level=solution.confidence_level,
        n=solution.objective.n,
        method=f"{_METHODS[solution.objective.weights]}, {method}",
        standard_error=error * scale,
    )


def _values_and_errors(solution: Solution, names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return quantities and their delta-method standard errors; NaN where a bound makes those meaningless.

    Derivatives are central differences.
    """
    best, derived = solution.feasible.parameters, {}
    widths = 1e-6 * np.maximum(np.abs(best), 1e-9)
    points = best + np.vstack([0 * widths, -np.diag(widths), np.diag(widths)])
    for name in names:
        # Beyond a bound there may be no such quantity, and no derivative at it.
        with np.errstate(invalid="ignore"):
            value, *ends = quantity_named(solution.law, name)(points).tolist()
        error = math.nan
        if solution.feasible is solution.unbounded and math.isfinite(sum(ends)):
            slopes = (np.array(ends[len(best) :]) - ends[: len(best)]) / (2 * widths)
            variance = float(slopes @ solution.covariance @ slopes)
            # Nothing is known of an error that comes out as nothing.
            error = math.sqrt(variance) if math.isfinite(variance) and variance > 0 else math.nan
        derived[name] = value, error
    return derived


# Whether a parameter of a law differs between curves, and by how much.
#
# Every curve is fitted by itself, with its own noise; a difference is Welch's. Against one fit over all curves
# with pooled noise this costs little where the curves scatter alike, and holds where they do not.


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterComparison:
    """Whether one parameter of a law differs between curves."""

    name: str  # the parameter
    pvalue: float  # the smallest of the differences, times their number (Bonferroni)
    values: Mapping[str, Estimate]  # the parameter of each curve
    #: Each further curve less the first, with Welch's interval around the fits without bounds.
    differences: Mapping[str, Estimate]
    verdict: Literal["changed", "not shown to change"]  # at one less the confidence level


def compare_parameter(
    curves: Mapping[str, ScalingCurve],
    law: str,
    name: str,
    *,
    weights: str = "relative",
    confidence_level: float = 0.95,
) -> ParameterComparison:
    """Say whether one parameter of a law is the same in all curves, and by how much it differs from the first.

    A curve needs as many levels as the law has parameters, and one measurement more. Differences are those
    of fits without bounds: kept within them they would be found too seldom where a loss is near 0.

    B. L. Welch, "The generalization of 'Student's' problem when several different population variances are
    involved", Biometrika 34, 1947, 28-35.
    """
    wanted, level = law_named(law), checked_level(confidence_level)
    if name not in wanted.parameters:
        raise DataError(
            f"{wanted.title} has no parameter '{printable(name)}'{suggestion(name, wanted.parameters)}; "
            f"it has {choices(wanted.parameters)}"
        )
    if len(curves) < 2:
        raise DataError(f"a comparison needs at least 2 curves, got {len(curves)}; fit one curve with fit_law")
    units = {curve.unit for curve in curves.values()}
    if len(units) > 1:
        raise DataError(f"the curves mix units {choices(sorted(units))}; bring them to one")
    solutions = {key: _solve(key, curve, wanted, weights, level) for key, curve in curves.items()}
    (unit,) = units
    first, *others = solutions
    differences = {key: _difference(solutions[first], solutions[key], name, unit) for key in others}
    pvalue = min(1.0, len(others) * min(chance for _, chance in differences.values()))
    return ParameterComparison(
        name=name,
        pvalue=pvalue,
        values=MappingProxyType(
            {key: parameter_estimates(solution, unit)[name] for key, solution in solutions.items()}
        ),
        differences=MappingProxyType({key: estimate for key, (estimate, _) in differences.items()}),
        verdict="changed" if pvalue <= 1 - level else "not shown to change",
    )


def _solve(key: str, curve: ScalingCurve, law: Law, weights: str, level: float) -> Solution:
    """Fit a curve that has a level for each parameter: to compare, no level need be left over."""
    needed, measured = len(law.parameters), sum(curve.counts)
    if len(curve.concurrency) < needed or measured <= needed:
        raise DataError(
            f"curve {printable(key)!r} has {measured} measurements at {len(curve.concurrency)} distinct concurrencies "
            f"({levels_text(curve.concurrency)}), {law.title} needs {needed + 1} at {needed}; "
            "measure more levels, or fit a simpler law"
        )
    return solve_twice(objective_of(curve, _weights_for(curve, _checked_weights(weights))), law, level)


def _difference(first: Solution, other: Solution, name: str, unit: str) -> tuple[Estimate, float]:
    """Return a parameter of one curve less that of the first, and the chance of as much without a change."""
    index = first.law.parameters.index(name)
    values, errors = [], []
    for solution in (first, other):
        scale = solution.objective.scale if index == 0 else 1.0
        values.append(float(solution.unbounded.parameters[index]) * scale)
        errors.append(math.sqrt(max(0.0, float(solution.covariance[index, index]))) * scale)
    middle, error = values[1] - values[0], math.hypot(*errors)
    freedoms = (first.degrees_of_freedom, other.degrees_of_freedom)
    # Curves without noise: whatever differs by more than rounding differs.
    freedom, pvalue = float(sum(freedoms)), 1.0 if abs(middle) <= 1e-9 * abs(values[0]) else 0.0
    if error > 0:
        freedom = error**4 / sum(own**4 / degrees for own, degrees in zip(errors, freedoms, strict=True))
        pvalue = 2 * float(special.stdtr(freedom, -abs(middle) / error))
    half = float(special.stdtrit(freedom, (1 + first.confidence_level) / 2)) * error
    estimate = Estimate(
        value=middle,
        low=middle - half,
        high=middle + half,
        unit=unit if index == 0 else "",
        confidence_level=first.confidence_level,
        n=first.objective.n + other.objective.n,
        method=f"difference of fits without bounds, Welch t({freedom:.3g})",
        standard_error=error,
    )
    return estimate, pvalue
