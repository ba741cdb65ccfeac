"""Whether a parameter of a law differs between curves, and by how much.

Every curve is fitted by itself, with its own noise; a difference is Welch's. Against one fit over all curves
with pooled noise this costs little where the curves scatter alike, and holds where they do not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from benchlib.errors import DataError, choices, printable, suggestion
from benchlib.lazy_scipy import special
from benchlib.scaling.curve import ScalingCurve, levels_text
from benchlib.scaling.fits.intervals import parameter_estimates
from benchlib.scaling.fits.objective import checked_weights, objective_of, weights_for
from benchlib.scaling.fits.solution import Solution, solve_twice
from benchlib.scaling.laws import Law, law_named
from benchlib.statistics.checks import checked_level
from benchlib.statistics.estimates import Estimate

__all__ = ["ParameterComparison", "compare_parameter"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterComparison:
    """Whether one parameter of a law differs between curves.

    Attributes
    ----------
    name : str
        The parameter.
    pvalue : float
        The smallest of the differences, times their number (Bonferroni).
    values : mapping of str to Estimate
        The parameter of each curve.
    differences : mapping of str to Estimate
        Each further curve less the first, with Welch's interval around the fits without bounds.
    verdict : {"changed", "not shown to change"}
        At one less the confidence level.
    """

    name: str
    pvalue: float
    values: Mapping[str, Estimate]
    differences: Mapping[str, Estimate]
    verdict: Literal["changed", "not shown to change"]


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

    Raises
    ------
    DataError
        For fewer than 2 curves, units that differ, a parameter the law does not have, too few levels, or a
        search that does not end.

    References
    ----------
    B. L. Welch, "The generalization of 'Student's' problem when several different population variances are
    involved", Biometrika 34, 1947, 28-35.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> old = build_curve([1, 2, 4, 8, 16], [10.1, 18.0, 30.3, 45.7, 61.0], unit="op/sec")
    >>> new = build_curve([1, 2, 4, 8, 16], [10.0, 18.9, 35.1, 60.2, 95.0], unit="op/sec")
    >>> compared = compare_parameter({"old": old, "new": new}, "amdahl", "serial_fraction")
    >>> compared.verdict, round(compared.differences["new"].value, 3)
    ('changed', -0.064)
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
    return solve_twice(objective_of(curve, weights_for(curve, checked_weights(weights))), law, level)


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
        n=sum(len(solution.objective.throughput) for solution in (first, other)),
        method=f"difference of fits without bounds, Welch t({freedom:.3g})",
        standard_error=error,
    )
    return estimate, pvalue
