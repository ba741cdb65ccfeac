"""Several curves as one least-squares problem: coefficients shared between them, or separate for each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchlib.errors import DataError, choices, printable
from benchlib.lazy_scipy import optimize, special
from benchlib.scaling.curve import ScalingCurve, levels_text
from benchlib.scaling.fits.objective import Objective, Weights, objective_of, solve, weights_for
from benchlib.scaling.fits.solver import Minimum, minimise
from benchlib.scaling.laws import FloatArray, Law

__all__ = ["Joint", "JointSolution", "joint_of", "solve_joint"]

Columns = tuple[NDArray[np.int64], ...]

#: Beyond this many standard errors no limit is looked for: call it unbounded.
_FARTHEST = 1e6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Joint:
    """Curves and the places of their coefficients in one vector.

    Attributes
    ----------
    law : Law
    names : tuple of str
        Of the curves.
    objectives : tuple of Objective
        One a curve, all in units of one scale.
    columns : tuple of ndarray of int
        For each curve, where in the vector each parameter of the law stands.
    length : int
        Of the vector.
    """

    law: Law
    names: tuple[str, ...]
    objectives: tuple[Objective, ...]
    columns: Columns
    length: int

    @property
    def n(self) -> int:
        """How many measurements the curves have together."""
        return sum(len(one.throughput) for one in self.objectives)

    @property
    def scale(self) -> float:
        """What a rate of 1 is in the unit of throughput."""
        return self.objectives[0].scale

    @property
    def weights(self) -> Weights:
        """How residuals are weighed."""
        return self.objectives[0].weights

    def parameter_at(self, index: int) -> int:
        """Return which parameter of the law stands at a place of the vector."""
        return next(int(np.flatnonzero(one == index)[0]) for one in self.columns if index in one)

    def bounds(self, *, bounded: bool) -> tuple[FloatArray, FloatArray]:
        """Return the bounds of the vector; without bounds only those that keep rates positive."""
        lower, upper = np.full(self.length, -np.inf), np.full(self.length, np.inf)
        for places in self.columns:
            lower[places[0]] = self.law.lower[0]
            if bounded:
                lower[places], upper[places] = self.law.lower, self.law.upper
        return lower, upper

    def evaluate(self, vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Turn vectors, shape (b, length), into the residuals of all curves and their Jacobians."""
        residuals = np.empty((len(vectors), self.n))
        jacobian = np.zeros((len(vectors), self.n, self.length))
        first = 0
        for objective, places in zip(self.objectives, self.columns, strict=True):
            here = slice(first, first := first + len(objective.throughput))
            residuals[:, here], jacobian[:, here, places] = objective.evaluator(self.law)(vectors[:, places])
        return residuals, jacobian

    def residuals_of(self, residuals: FloatArray) -> list[FloatArray]:
        """Take the residuals of all curves apart."""
        ends = np.cumsum([len(one.throughput) for one in self.objectives])[:-1]
        return np.split(residuals, ends)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointSolution:
    """The joint fit with bounds and without, and the noise pooled over the curves."""

    joint: Joint
    feasible: Minimum
    unbounded: Minimum
    variance: float
    covariance: FloatArray
    degrees_of_freedom: int

    def interval(self, index: int, confidence_level: float) -> tuple[float, float, str]:
        """Return the interval of one coefficient and how it was found.

        Wald's around the fit without bounds, cut to the feasible region; for a coefficient on its
        bound the profile limit within the bounds, with the tail of an interval as in a single fit
        (`benchlib.scaling.fits.intervals`).
        """
        lower, upper = (float(ends[index]) for ends in self.joint.bounds(bounded=True))
        value, middle = float(self.feasible.parameters[index]), float(self.unbounded.parameters[index])
        if value in (lower, upper):
            limit = self._limit(index, confidence_level, upwards=value == lower)
            low, high = (value, limit) if value == lower else (limit, value)
            return low, high, f"on its bound; profile F(1, {self.degrees_of_freedom}) limit"
        share = (1 + confidence_level) / 2
        half = float(special.stdtrit(self.degrees_of_freedom, share)) * self.error(index)
        low, high = max(middle - half, lower), min(middle + half, upper)
        return min(low, value), max(high, value), f"Wald t({self.degrees_of_freedom})"

    def error(self, index: int) -> float:
        """Return the standard error of one coefficient."""
        return math.sqrt(max(0.0, float(self.covariance[index, index])))

    def _limit(self, index: int, confidence_level: float, *, upwards: bool) -> float:
        value, error = float(self.feasible.parameters[index]), self.error(index)
        rise = self.variance * float(special.stdtrit(self.degrees_of_freedom, (1 + confidence_level) / 2)) ** 2
        lower, upper = self.joint.bounds(bounded=True)

        def above(distance: float) -> float:
            held = value + (distance if upwards else -distance)
            ends = lower.copy(), upper.copy()
            for one in ends:
                one[index] = held
            start = self.feasible.parameters.copy()
            start[index] = held
            there = minimise(self.joint.evaluate, start[np.newaxis], *ends, orthogonal=1e-5).one(0)
            return there.sum_of_squares - self.feasible.sum_of_squares - rise

        far = error
        while far and above(far) < 0:
            far *= 2
            if far > _FARTHEST * error:
                return math.inf if upwards else -math.inf
        distance = optimize.brentq(above, 0.0, far, rtol=1e-8) if far else 0.0
        return value + (distance if upwards else -distance)


def joint_of(curves: Mapping[str, ScalingCurve], law: Law, shared: Sequence[str], weights: Weights) -> Joint:
    """Lay out the vector of a joint fit: shared coefficients first, then those of each curve.

    Raises
    ------
    DataError
        For fewer than 2 curves, units that differ, or a curve with fewer levels than coefficients
        of its own.
    """
    if len(curves) < 2:
        raise DataError(f"a grouped fit needs at least 2 curves, got {len(curves)}; fit one curve with fit_law")
    units = {one.unit for one in curves.values()}
    if len(units) > 1:
        raise DataError(f"the curves mix units {choices(sorted(units))}; bring them to one")
    own = [one for one in law.parameters if one not in shared]
    for name, curve in curves.items():
        if len(curve.concurrency) < len(own):
            raise DataError(
                f"curve {printable(name)!r} has {len(curve.concurrency)} distinct concurrencies "
                f"({levels_text(curve.concurrency)}), its own {choices(own)} need {len(own)}; "
                "measure more levels, share more coefficients, or fit a simpler law"
            )
    used = weights
    if any(weights_for(one, weights) != weights for one in curves.values()):
        used = "relative"
    alone = [objective_of(one, used) for one in curves.values()]
    scale = math.exp(float(np.mean(np.log([one.scale for one in alone]))))
    objectives = tuple(
        replace(
            one,
            throughput=one.throughput * (one.scale / scale),
            scatter=one.scatter * (one.scale / scale) if used == "replicates" else one.scatter,
            scale=scale,
        )
        for one in alone
    )
    common = [one for one in law.parameters if one in shared]
    columns = tuple(
        np.array(
            [
                common.index(one) if one in common else len(common) + place * len(own) + own.index(one)
                for one in law.parameters
            ]
        )
        for place in range(len(curves))
    )
    length = len(common) + len(own) * len(curves)
    joint = Joint(law=law, names=tuple(curves), objectives=objectives, columns=columns, length=length)
    if joint.n <= length:
        raise DataError(
            f"{joint.n} measurements cannot carry {length} coefficients and say how large the noise is; "
            "repeat the levels, or share more coefficients"
        )
    return joint


def solve_joint(joint: Joint) -> JointSolution:
    """Fit all curves at once, with bounds and without.

    Raises
    ------
    DataError
        If the search does not end.
    """
    starts = _starts(joint)
    unbounded = feasible = _search(joint, starts, bounded=False)
    lower, upper = joint.bounds(bounded=True)
    inside = np.all((unbounded.parameters >= lower) & (unbounded.parameters <= upper))
    if not (inside and unbounded.converged):
        feasible = _search(joint, starts, bounded=True)
    if not (feasible.converged and unbounded.converged):
        raise DataError(
            f"the joint fit of {joint.law.title} to {len(joint.names)} curves did not converge; "
            "look at the points, or fit a simpler law"
        )
    freedom = joint.n - joint.length
    variance = unbounded.sum_of_squares / freedom * max(one.overstated for one in joint.objectives)
    return JointSolution(
        joint=joint,
        feasible=feasible,
        unbounded=unbounded,
        variance=variance,
        covariance=_covariance(unbounded.jacobian, variance),
        degrees_of_freedom=freedom,
    )


def _search(joint: Joint, starts: FloatArray, *, bounded: bool) -> Minimum:
    lower, upper = joint.bounds(bounded=bounded)
    return minimise(joint.evaluate, np.clip(starts, lower, upper), lower, upper, negligible=joint.n * 1e-26).best()


def _starts(joint: Joint) -> FloatArray:
    """Start from one shape for all curves, and from each curve's own where it has enough levels."""
    # Curves brought to the same height at their smallest level have one shape, if any do.
    heights = [_height(one) for one in joint.objectives]
    pooled = Objective(
        concurrency=np.concatenate([one.concurrency for one in joint.objectives]),
        throughput=np.concatenate([one.throughput / high for one, high in zip(joint.objectives, heights, strict=True)]),
        scale=1.0,
        weights="relative",
        scatter=np.ones(joint.n),
        overstated=1.0,
    )
    shape = solve(pooled, joint.law, bounded=True).parameters
    alike = [np.array([shape[0] * high, *shape[1:]]) for high in heights]
    single = []
    for objective, place in zip(joint.objectives, alike, strict=True):
        levels = len(np.unique(objective.concurrency))
        found = solve(objective, joint.law, bounded=False) if levels >= len(joint.law.parameters) else None
        single.append(found.parameters if found is not None and found.converged else place)
    return np.array([_vector(joint, alike), _vector(joint, single)])


def _height(objective: Objective) -> float:
    smallest = objective.concurrency.min()
    return float(np.exp(np.mean(np.log(objective.throughput[objective.concurrency == smallest]))) / smallest)


def _vector(joint: Joint, parameters: Sequence[FloatArray]) -> FloatArray:
    """Put parameters of every curve into one vector; shared ones meet at their median."""
    found: list[list[float]] = [[] for _ in range(joint.length)]
    for places, values in zip(joint.columns, parameters, strict=True):
        for place, value in zip(places, values, strict=True):
            found[place].append(float(value))
    return np.array([float(np.median(one)) for one in found])


def _covariance(jacobian: FloatArray, variance: float) -> FloatArray:
    lengths = np.sqrt(np.einsum("np,np->p", jacobian, jacobian))
    lengths[lengths == 0] = 1.0
    scaled = jacobian / lengths
    return np.asarray(variance * np.linalg.pinv(scaled.T @ scaled, hermitian=True) / np.outer(lengths, lengths))
