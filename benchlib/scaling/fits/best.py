"""The best fit of a law to a curve, without what it implies: enough to draw it and to predict from it.

A back-test fits a law a dozen times for its predictions alone. Profiles, criteria and caveats, which take most
of the time of `benchlib.scaling.fits.fitting.fit_law`, would be thrown away.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchlib.errors import DataError
from benchlib.scaling.curve import ScalingCurve, levels_text
from benchlib.scaling.fits.objective import Objective, Weights, checked_weights, objective_of, weights_for
from benchlib.scaling.fits.solution import Solution, solve_twice
from benchlib.scaling.laws import LAWS, Law, law_named, offered_laws

__all__ = ["BestFit", "Solved", "best_fields", "check_question", "fit_best", "solve_law"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BestFit:
    """The coefficients of a law that fit a curve best, and how they scatter together.

    Attributes
    ----------
    law : str
        A key of `benchlib.scaling.laws.LAWS`.
    weights : {"relative", "replicates", "none"}
        How residuals were weighed; see `benchlib.scaling.fits.objective`.
    residual_standard_error : float
        In ``unit`` for weights ``none``, else relative (0.05 is 5 %).
    sum_of_squares : float
        Of the residuals of the feasible fit, in the unit of ``residual_standard_error`` squared; never
        less than what rounding leaves.
    degrees_of_freedom : int
        n - p over all single measurements.
    covariance : tuple of tuple of float
        Of the unbounded fit, in the order of the law's parameters.
    coefficients, unbounded : tuple of float
        Parameters of the feasible fit and of the fit without bounds.
    unit : str
        Of throughput.
    measured_range : tuple of float
        Smallest and largest concurrency measured.
    n : int
    confidence_level : float
    """

    law: str
    weights: Weights
    residual_standard_error: float
    sum_of_squares: float
    degrees_of_freedom: int
    covariance: tuple[tuple[float, ...], ...]
    coefficients: tuple[float, ...]
    unbounded: tuple[float, ...]
    unit: str
    measured_range: tuple[float, float]
    n: int
    confidence_level: float

    @property
    def on_bound(self) -> tuple[str, ...]:
        """Parameters that lie on an end of their feasible region."""
        law = LAWS[self.law]
        ends = zip(law.parameters, self.coefficients, law.lower, law.upper, strict=True)
        return tuple(name for name, value, low, high in ends if value in (low, high))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solved:
    """A law fitted, and what it was fitted to.

    Attributes
    ----------
    law : Law
    asked, weights : str
        How residuals were to be weighed, and how they were.
    objective : Objective
    solution : Solution
    """

    law: Law
    asked: Weights
    weights: Weights
    objective: Objective
    solution: Solution


def fit_best(
    curve: ScalingCurve,
    law: str,
    *,
    weights: str = "relative",
    confidence_level: float = 0.95,
    weak: bool = False,
) -> BestFit:
    """Fit a law for its coefficients and the band around it alone.

    Parameters and exceptions are those of `benchlib.scaling.fits.fitting.fit_law`.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> best = fit_best(build_curve([1, 2, 4, 8], [10, 18, 30, 44], unit="op/sec"), "amdahl")
    >>> [round(one, 3) for one in best.coefficients]
    [10.042, 0.117]
    """
    solved = solve_law(curve, law, weights=weights, confidence_level=confidence_level, weak=weak)
    return BestFit(**best_fields(solved, curve))


def solve_law(
    curve: ScalingCurve, law: str, *, weights: str, confidence_level: float, weak: bool
) -> Solved:
    """Search for the best fit of a law, with and without its bounds.

    Raises
    ------
    DataError
        As `benchlib.scaling.fits.fitting.fit_law`.
    """
    wanted, asked = law_named(law), checked_weights(weights)
    check_question(curve, wanted, confidence_level, weak=weak)
    used = weights_for(curve, asked)
    whole = objective_of(curve, used)
    solution = solve_twice(whole, wanted, confidence_level)
    return Solved(law=wanted, asked=asked, weights=used, objective=whole, solution=solution)


def best_fields(solved: Solved, curve: ScalingCurve) -> dict[str, Any]:
    """Return the fields of a `BestFit`, in the unit of the curve."""
    objective, solution = solved.objective, solved.solution
    in_unit = np.array([objective.scale, *[1.0] * (len(solved.law.parameters) - 1)])
    left = max(solution.feasible.sum_of_squares, objective.negligible)
    return {
        "law": solved.law.name,
        "weights": solved.weights,
        "residual_standard_error": math.sqrt(left / solution.degrees_of_freedom) * objective.residual_scale,
        "sum_of_squares": left * objective.residual_scale**2,
        "degrees_of_freedom": solution.degrees_of_freedom,
        "covariance": tuple(
            tuple(float(one) for one in row) for row in solution.covariance * np.outer(in_unit, in_unit)
        ),
        "coefficients": tuple(float(one) for one in solution.feasible.parameters * in_unit),
        "unbounded": tuple(float(one) for one in solution.unbounded.parameters * in_unit),
        "unit": curve.unit,
        "measured_range": (float(curve.concurrency[0]), float(curve.concurrency[-1])),
        "n": len(objective.throughput),
        "confidence_level": solution.confidence_level,
    }


def check_question(curve: ScalingCurve, law: Law, confidence_level: float, *, weak: bool) -> None:
    """Refuse a law that a curve cannot carry.

    Raises
    ------
    DataError
        As `benchlib.scaling.fits.fitting.fit_law`.
    """
    if not 0 < confidence_level < 1:
        raise DataError(f"confidence level {confidence_level:g} is not between 0 and 1; write 0.95 for 95 %")
    if law.name == "gustafson" and not weak:
        raise DataError(
            "Gustafson's law needs weak scaling, where work grows with concurrency; "
            "declare it (weak = true), or fit law='amdahl'"
        )
    levels = curve.concurrency
    if len(levels) < law.minimum_levels:
        other = offered_laws(len(levels))[-1]
        raise DataError(
            f"{law.title} needs {law.minimum_levels} distinct concurrencies, got {len(levels)} "
            f"({levels_text(levels)}); measure another, or fit law={other!r} "
            f"(needs {LAWS[other].minimum_levels})"
        )
