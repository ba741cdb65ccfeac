"""Numbers to compare laws by: information criteria, leave-one-out error, lack of fit."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from benchlib.scaling.curve import ScalingCurve
from benchlib.scaling.laws import Law
from benchlib.scaling.objective import Objective, solve
from benchlib.scaling.solver import Minimum

__all__ = ["Criteria", "criteria_of", "lack_of_fit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """How well a law describes a curve, and what that cost; smaller is better in each.

    Attributes
    ----------
    aicc : float
        Akaike's criterion corrected for small n; k counts the variance. NaN where n <= k + 1.
    aic : float
        n ln(RSS/n) + 2 p.
    loo_rmse : float
        Root mean square error at the levels left out one at a time: relative, or in the unit of
        throughput with weights ``none``. NaN where a fit without a level cannot be done.
    """

    aicc: float
    aic: float
    loo_rmse: float


def criteria_of(curve: ScalingCurve, objective: Objective, law: Law, fitted: Minimum) -> Criteria:
    """Return the criteria of a fitted law.

    References
    ----------
    C. M. Hurvich and C.-L. Tsai, "Regression and time series model selection in small samples",
    Biometrika 76(2), 1989, 297-307.
    """
    n, p = len(objective.throughput), len(law.parameters)
    # In the unit of throughput where weights are "none", so that numbers match those of R.
    unit = objective.scale if objective.weights == "none" else 1.0
    mean_square = max(fitted.sum_of_squares / n, np.finfo(float).tiny) * unit**2
    loss = n * math.log(mean_square)
    k = p + 1
    return Criteria(
        aicc=loss + 2 * k + 2 * k * (k + 1) / (n - k - 1) if n > k + 1 else math.nan,
        aic=loss + 2 * p,
        loo_rmse=_leave_one_out(curve, objective, law, fitted) * unit,
    )


def _leave_one_out(curve: ScalingCurve, objective: Objective, law: Law, fitted: Minimum) -> float:
    if len(curve.concurrency) - 1 < len(law.parameters):
        return math.nan
    misses = []
    for level in curve.concurrency:
        out = objective.concurrency == level
        kept, left = _part(objective, ~out), _part(objective, out)
        found = solve(kept, law, bounded=True, near=fitted.parameters)
        if not found.converged:
            return math.nan
        misses.append(left.evaluator(law)(found.parameters)[0])
    return float(np.sqrt(np.mean(np.concatenate(misses) ** 2)))


def _part(objective: Objective, rows: np.ndarray) -> Objective:
    return Objective(
        concurrency=objective.concurrency[rows],
        throughput=objective.throughput[rows],
        scale=objective.scale,
        weights=objective.weights,
    )


def lack_of_fit(curve: ScalingCurve, objective: Objective, fitted: Minimum) -> float:
    """Return the P value that a law's misfit is no more than the scatter of replicates.

    NaN where no level has replicates or no level is left over.

    References
    ----------
    N. R. Draper and H. Smith, "Applied Regression Analysis", 3rd edition, Wiley 1998, section 2.1.
    """
    levels, n, p = len(curve.concurrency), len(objective.throughput), len(fitted.parameters)
    if n == levels or levels <= p:
        return math.nan
    pure = 0.0
    for level in curve.concurrency:
        values = objective.throughput[objective.concurrency == level]
        values = np.log(values) if objective.weights == "relative" else values
        pure += float(np.sum((values - np.mean(values)) ** 2))
    if pure <= objective.negligible:
        # Replicates without any scatter are copies: they carry no pure error to test against.
        return math.nan
    excess = max(fitted.sum_of_squares - pure, 0.0)
    statistic = (excess / (levels - p)) / (pure / (n - levels))
    return float(stats.f.sf(statistic, levels - p, n - levels))
