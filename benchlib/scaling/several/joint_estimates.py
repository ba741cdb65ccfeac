"""Estimates from a joint fit, and whether its curves may pool their noise."""

from __future__ import annotations

import math

import numpy as np

from benchlib.caveats import Caveat, caveat
from benchlib.errors import printable
from benchlib.lazy_scipy import special
from benchlib.scaling.several.joint import JointSolution
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.moments import chi2_tail

__all__ = ["joint_difference", "joint_estimate", "noise_caveats"]

#: Curves whose noise differs by more than chance at this level ought not to pool it.
_UNEQUAL = 0.01


def joint_estimate(solution: JointSolution, place: int, unit: str, level: float) -> Estimate:
    """Return the coefficient at a place of the vector, with its interval; ``unit`` is that of throughput."""
    low, high, method = solution.interval(place, level)
    joint = solution.joint
    is_rate = joint.parameter_at(place) == 0
    scale = joint.scale if is_rate else 1.0
    return Estimate(
        value=float(solution.feasible.parameters[place]) * scale,
        low=low * scale,
        high=high * scale,
        unit=unit if is_rate else "",
        confidence_level=level,
        n=joint.n,
        method=f"joint least squares over {len(joint.names)} curves, {method}",
        standard_error=solution.error(place) * scale,
    )


def joint_difference(solution: JointSolution, first: int, place: int, unit: str, level: float) -> Estimate:
    """Return one coefficient less another, of the fit without bounds, with Wald's interval."""
    scale = solution.joint.scale if solution.joint.parameter_at(place) == 0 else 1.0
    middle = float(solution.unbounded.parameters[place] - solution.unbounded.parameters[first]) * scale
    contrast = solution.covariance[np.ix_([first, place], [first, place])]
    error = scale * math.sqrt(max(0.0, float(contrast[0, 0] + contrast[1, 1] - 2 * contrast[0, 1])))
    half = float(special.stdtrit(solution.degrees_of_freedom, (1 + level) / 2)) * error
    return Estimate(
        value=middle,
        low=middle - half,
        high=middle + half,
        unit=unit,
        confidence_level=level,
        n=solution.joint.n,
        method=f"difference of fits without bounds, Wald t({solution.degrees_of_freedom})",
        standard_error=error,
    )


def noise_caveats(solution: JointSolution) -> tuple[Caveat, ...]:
    """Say where the noise of the curves differs by more than chance.

    M. S. Bartlett, "Properties of sufficiency and statistical tests", Proceedings of the Royal Society
    A 160, 1937, 268-282; the coefficients are counted in proportion to the measurements.
    """
    joint = solution.joint
    apart = joint.residuals_of(solution.unbounded.residuals)
    freedom = np.array([len(one) for one in apart]) * (solution.degrees_of_freedom / joint.n)
    sums = np.array([float(one @ one) for one in apart])
    if np.any(sums <= joint.n * 1e-26) or np.any(freedom < 1):
        return ()
    variances = sums / freedom
    statistic = freedom.sum() * math.log(sums.sum() / freedom.sum()) - float(freedom @ np.log(variances))
    correction = 1 + (float(np.sum(1 / freedom)) - 1 / freedom.sum()) / (3 * (len(apart) - 1))
    pvalue = chi2_tail(statistic / correction, len(apart) - 1)
    if not pvalue < _UNEQUAL:
        return ()
    quiet, noisy = joint.names[int(np.argmin(variances))], joint.names[int(np.argmax(variances))]
    ratio = math.sqrt(float(variances.max() / variances.min()))
    message = (
        f"the noise of curve {printable(noisy)} is {ratio:.2g} times that of {printable(quiet)} (p = {pvalue:.2g}): "
        "one variance pooled over the curves is right for neither"
    )
    return (caveat("noise-differs", message),)
