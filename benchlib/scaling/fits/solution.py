"""A law fitted twice: with bounds for the values, without them for what the data say of their error."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from benchlib.errors import DataError
from benchlib.lazy_scipy import special
from benchlib.scaling.fits.objective import Objective, solve
from benchlib.scaling.fits.solver import Minimum
from benchlib.scaling.laws import FloatArray, Law

__all__ = ["Solution", "solve_twice"]

#: A loss that takes less than this share at the largest level is none.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """Both fits of a law, and the noise they show; all in units of the objective.

    Attributes
    ----------
    law : Law
    objective : Objective
    feasible : Minimum
    unbounded : Minimum
        The same object where it is feasible.
    variance : float
        Of one residual.
    covariance : ndarray, shape (p, p)
        Of the unbounded fit.
    degrees_of_freedom : int
    confidence_level : float
    """

    law: Law
    objective: Objective
    feasible: Minimum
    unbounded: Minimum
    variance: float
    covariance: FloatArray
    degrees_of_freedom: int
    confidence_level: float

    @property
    def critical(self) -> float:
        """The quantile of Student's t that leaves half of what the confidence level leaves at each end."""
        return float(special.stdtrit(self.degrees_of_freedom, (1 + self.confidence_level) / 2))

    @property
    def rise(self) -> float:
        """By how much a value that the data do not rule out raises the sum of squares."""
        return self.variance * self.critical**2


def solve_twice(objective: Objective, law: Law, confidence_level: float) -> Solution:
    """Fit a law with and without its bounds.

    Raises
    ------
    DataError
        If a search does not end.
    """
    unbounded = feasible = solve(objective, law, bounded=False)
    if unbounded.sum_of_squares <= objective.negligible:
        unbounded = feasible = _without_rounding(unbounded, law, objective)
    inside = np.all((unbounded.parameters >= law.lower) & (unbounded.parameters <= law.upper))
    if not (inside and unbounded.converged):
        feasible = solve(objective, law, bounded=True)
    if not (feasible.converged and unbounded.converged):
        raise DataError(
            f"the fit of {law.title} did not converge on {len(objective.throughput)} measurements; "
            "look at the points, or fit a simpler law"
        )
    freedom = len(objective.throughput) - len(law.parameters)
    variance = unbounded.sum_of_squares / freedom * objective.overstated
    return Solution(
        law=law,
        objective=objective,
        feasible=feasible,
        unbounded=unbounded,
        variance=variance,
        covariance=_covariance(unbounded.jacobian, variance),
        degrees_of_freedom=freedom,
        confidence_level=confidence_level,
    )


def _without_rounding(exact: Minimum, law: Law, objective: Objective) -> Minimum:
    """Return an exact fit without the losses that are rounding: they would imply peaks far out in the void."""
    most = float(np.max(objective.concurrency))
    parameters = exact.parameters.copy()
    for index, low in enumerate(law.lower):
        if index and low == 0 and abs(parameters[index]) * most < _ROUNDING:
            parameters[index] = 0.0
    return replace(exact, parameters=parameters)


def _covariance(jacobian: FloatArray, variance: float) -> FloatArray:
    lengths = np.sqrt(np.einsum("np,np->p", jacobian, jacobian))
    known = lengths > 0
    scaled = jacobian[:, known] / lengths[known]
    covariance = np.zeros((len(lengths), len(lengths)))
    inverse = _inverse(scaled.T @ scaled)
    covariance[np.ix_(known, known)] = variance * inverse / np.outer(lengths[known], lengths[known])
    return covariance


def _inverse(normal: FloatArray) -> FloatArray:
    try:
        return np.asarray(np.linalg.inv(normal), dtype=float)
    except np.linalg.LinAlgError:
        # Parameters that the data cannot tell apart.
        return np.asarray(np.linalg.pinv(normal, hermitian=True), dtype=float)
