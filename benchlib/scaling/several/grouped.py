"""One law over several curves, and whether a coefficient changed between them.

A parameter is shared (one value for all curves) or separate (one for each); the variance of the
noise is pooled over the curves. "Did contention change?" compares the fit in which it is shared with
the fit in which it is not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from benchlib.caveats import Caveat
from benchlib.errors import DataError, choices, printable, suggestion
from benchlib.scaling.curve import ScalingCurve
from benchlib.scaling.fits.criteria import explained
from benchlib.scaling.fits.objective import Weights, checked_weights
from benchlib.scaling.laws import Law, law_named
from benchlib.scaling.several.joint import JointSolution, joint_of, solve_joint
from benchlib.scaling.several.joint_estimates import joint_difference, joint_estimate, noise_caveats
from benchlib.scaling.several.trend import parameter_trend
from benchlib.statistics.estimates import Estimate, checked_level
from benchlib.statistics.moments import f_tail

__all__ = ["GroupFit", "ParameterComparison", "compare_parameter", "fit_group", "parameter_trend"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFit:
    """One law fitted to several curves at once.

    Attributes
    ----------
    law : str
    shared : tuple of str
        Parameters with one value for all curves.
    parameters : mapping of str to mapping of str to Estimate
        By curve, then by parameter; a shared one is the same estimate in every curve.
    residual_standard_error : float
        Pooled over the curves; in the unit of throughput for weights ``none``, else relative.
    degrees_of_freedom : int
        All measurements less all coefficients.
    sum_of_squares : float
        Of the feasible fit, in the square of the unit of ``residual_standard_error``.
    n : int
        Measurements of all curves.
    weights : {"relative", "replicates", "none"}
        Those used: ``relative`` where a curve has too few replicates for its own.
    confidence_level : float
    caveats : tuple of Caveat
    """

    law: str
    shared: tuple[str, ...]
    parameters: Mapping[str, Mapping[str, Estimate]]
    residual_standard_error: float
    degrees_of_freedom: int
    sum_of_squares: float
    n: int
    weights: Weights
    confidence_level: float
    caveats: tuple[Caveat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterComparison:
    """Whether one parameter of a law differs between curves.

    Attributes
    ----------
    name : str
        The parameter.
    statistic : float
        F of the fit that shares it against the fit that does not.
    degrees_of_freedom : tuple of int
        Curves less 1, and those of the fit that does not share it.
    pvalue : float
    values : mapping of str to Estimate
        The parameter of each curve.
    differences : mapping of str to Estimate
        Each further curve less the first, with Wald intervals of the fits without bounds.
    trend : Estimate or None
        Change by one unit of the levels; None where no levels were given.
    verdict : {"changed", "not shown to change"}
        At one less the confidence level.
    caveats : tuple of Caveat
    """

    name: str
    statistic: float
    degrees_of_freedom: tuple[int, int]
    pvalue: float
    values: Mapping[str, Estimate]
    differences: Mapping[str, Estimate]
    trend: Estimate | None
    verdict: Literal["changed", "not shown to change"]
    caveats: tuple[Caveat, ...]


def fit_group(
    curves: Mapping[str, ScalingCurve],
    law: str,
    *,
    shared: Sequence[str],
    weights: str = "relative",
    confidence_level: float = 0.95,
) -> GroupFit:
    """Fit one law to several curves, with some of its parameters shared between them.

    A curve needs only as many levels as it has parameters of its own: curves of two levels carry
    Amdahl's law if they share the serial fraction.

    Parameters
    ----------
    curves : mapping of str to ScalingCurve
        At least 2, in one unit.
    law : str
        A key of `benchlib.scaling.laws.LAWS`.
    shared : sequence of str
        Parameters of the law; none for separate fits with one pooled variance.
    weights : {"relative", "replicates", "none"}
    confidence_level : float

    Raises
    ------
    DataError
        For fewer than 2 curves, units that differ, a parameter the law does not have, too few
        levels, or a search that does not end.

    References
    ----------
    D. M. Bates and D. G. Watts, "Nonlinear Regression Analysis and Its Applications", Wiley 1988,
    section 3.11 (indicator variables); G. A. F. Seber and C. J. Wild, "Nonlinear Regression", Wiley 1989,
    section 5.1.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> curves = {
    ...     "old": build_curve([1, 2, 4, 8], [10.1, 18.0, 30.3, 45.7], unit="op/sec"),
    ...     "new": build_curve([1, 2, 4, 8], [19.9, 36.6, 60.2, 92.0], unit="op/sec"),
    ... }
    >>> fit = fit_group(curves, "amdahl", shared=["serial_fraction"])
    >>> round(fit.parameters["old"]["serial_fraction"].value, 3), fit.degrees_of_freedom
    (0.107, 5)
    """
    wanted, weighed = law_named(law), checked_weights(weights)
    level = checked_level(confidence_level)
    for name in shared:
        _known(wanted, name)
    solution = solve_joint(joint_of(curves, wanted, shared, weighed))
    joint, unit = solution.joint, next(iter(curves.values())).unit
    in_unit = joint.scale if joint.weights == "none" else 1.0
    return GroupFit(
        law=wanted.name,
        shared=tuple(one for one in wanted.parameters if one in shared),
        parameters=MappingProxyType(
            {
                name: MappingProxyType(
                    {
                        parameter: joint_estimate(solution, int(place), unit, level)
                        for parameter, place in zip(wanted.parameters, places, strict=True)
                    }
                )
                for name, places in zip(joint.names, joint.columns, strict=True)
            }
        ),
        residual_standard_error=math.sqrt(solution.variance) * in_unit,
        degrees_of_freedom=solution.degrees_of_freedom,
        sum_of_squares=solution.feasible.sum_of_squares * in_unit**2,
        n=joint.n,
        weights=joint.weights,
        confidence_level=level,
        caveats=noise_caveats(solution),
    )


def compare_parameter(
    curves: Mapping[str, ScalingCurve],
    law: str,
    name: str,
    *,
    levels: Sequence[float] | None = None,
    weights: str = "relative",
    confidence_level: float = 0.95,
) -> ParameterComparison:
    """Test whether one parameter of a law is the same in all curves, and say by how much it differs.

    All other parameters are each curve's own. The test compares fits without bounds: kept within
    them it would reject too seldom where a coefficient is near 0.

    Parameters
    ----------
    curves : mapping of str to ScalingCurve
        At least 2, in one unit; differences are taken from the first.
    law, name : str
        A law and one of its parameters.
    levels : sequence of float, optional
        A number for each curve (bits, outputs), for the trend of the parameter.
    weights : {"relative", "replicates", "none"}
    confidence_level : float

    Raises
    ------
    DataError
        As `fit_group`, and for levels that are not one a curve.

    References
    ----------
    D. M. Bates and D. G. Watts, "Nonlinear Regression Analysis and Its Applications", Wiley 1988,
    section 3.10.1: the extra sum of squares, F(curves - 1, n - p).

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> old = build_curve([1, 2, 4, 8, 16], [10.1, 18.0, 30.3, 45.7, 61.0], unit="op/sec")
    >>> new = build_curve([1, 2, 4, 8, 16], [10.0, 18.9, 35.1, 60.2, 95.0], unit="op/sec")
    >>> found = compare_parameter({"old": old, "new": new}, "amdahl", "serial_fraction")
    >>> found.verdict, round(found.differences["new"].value, 3), found.degrees_of_freedom
    ('changed', -0.064, (1, 6))
    """
    wanted, weighed = law_named(law), checked_weights(weights)
    level = checked_level(confidence_level)
    _known(wanted, name)
    if levels is not None and len(levels) != len(curves):
        raise DataError(f"{len(levels)} levels for {len(curves)} curves; give one number for each curve")
    separate = solve_joint(joint_of(curves, wanted, (), weighed))
    same = solve_joint(joint_of(curves, wanted, (name,), weighed))
    joint, unit = separate.joint, next(iter(curves.values())).unit
    freedom = (len(curves) - 1, separate.degrees_of_freedom)
    statistic, pvalue = _extra_sum_of_squares(same, separate, freedom)
    places = [int(one[wanted.parameters.index(name)]) for one in joint.columns]
    values = {
        curve: joint_estimate(separate, place, unit, level) for curve, place in zip(joint.names, places, strict=True)
    }
    trend = None
    if levels is not None:
        scale = joint.scale if name == wanted.parameters[0] else 1.0
        middles = separate.unbounded.parameters[places] * scale
        errors = [separate.error(place) * scale for place in places]
        trend = parameter_trend(
            levels, middles, errors, degrees_of_freedom=freedom[1], unit=_unit(wanted, name, unit),
            confidence_level=level, n=joint.n,
        )  # fmt: skip
    return ParameterComparison(
        name=name,
        statistic=statistic,
        degrees_of_freedom=freedom,
        pvalue=pvalue,
        values=MappingProxyType(values),
        differences=MappingProxyType(
            {
                curve: joint_difference(separate, places[0], place, _unit(wanted, name, unit), level)
                for curve, place in zip(joint.names[1:], places[1:], strict=True)
            }
        ),
        trend=trend,
        verdict="changed" if pvalue <= 1 - level else "not shown to change",
        caveats=noise_caveats(separate),
    )


def _known(law: Law, name: str) -> None:
    if name not in law.parameters:
        raise DataError(
            f"{law.title} has no parameter '{printable(name)}'{suggestion(name, law.parameters)}; "
            f"it has {choices(law.parameters)}"
        )


def _unit(law: Law, name: str, unit: str) -> str:
    return unit if name == law.parameters[0] else ""


def _extra_sum_of_squares(
    same: JointSolution, separate: JointSolution, freedom: tuple[int, int]
) -> tuple[float, float]:
    extra = explained(same.unbounded.sum_of_squares, separate.unbounded.sum_of_squares)
    rounding = same.joint.n * 1e-26
    if separate.unbounded.sum_of_squares <= rounding:
        # Curves without noise: whatever differs by more than rounding differs.
        return (math.inf, 0.0) if extra > rounding else (0.0, 1.0)
    statistic = extra / freedom[0] / separate.variance
    return statistic, f_tail(statistic, *freedom)
