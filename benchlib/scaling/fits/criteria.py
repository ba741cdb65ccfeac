"""Numbers to compare laws by: information criteria, leave-one-out error, lack of fit."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.lazy_scipy import special
from benchlib.scaling.fits.objective import Objective
from benchlib.scaling.fits.solver import Minimum, minimise
from benchlib.scaling.laws import FloatArray, Law
from benchlib.statistics.moments import f_tail

__all__ = ["Criteria", "NestedTest", "criteria_of", "explained", "lack_of_fit", "nested_test"]


#: Close enough to a minimum to say by how much it misses a level.
_FOR_PREDICTIONS = 1e-5
#: Searches for one minimum end this close together, as a share of the sum of squares.
_ROUNDING = 1e-12


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


@dataclass(frozen=True, slots=True, kw_only=True)
class NestedTest:
    """Whether a richer law describes a curve better than the simpler law it contains.

    Attributes
    ----------
    simpler, richer : str
        Keys of `benchlib.scaling.laws.LAWS`.
    statistic : float
        F: what the richer law explains by parameter it adds, over what it leaves by degree of freedom.
    degrees_of_freedom : tuple of int
        Parameters added, and what the richer law leaves.
    pvalue : float
    """

    simpler: str
    richer: str
    statistic: float
    degrees_of_freedom: tuple[int, int]
    pvalue: float


def criteria_of(objective: Objective, law: Law, fitted: Minimum, *, fixed: bool = False) -> Criteria:
    """Return the criteria of a fitted law; ``fixed`` says that its rate was given.

    References
    ----------
    C. M. Hurvich and C.-L. Tsai, "Regression and time series model selection in small samples",
    Biometrika 76(2), 1989, 297-307.
    """
    n, p = len(objective.throughput), len(law.parameters) - fixed
    # In the unit of throughput where weights are "none", so that numbers match those of R.
    unit = objective.residual_scale
    # No lower than rounding: data on the curve of two laws do not choose the richer one.
    mean_square = max(fitted.sum_of_squares, objective.negligible) / n * unit**2
    loss = n * math.log(mean_square)
    k = p + 1
    return Criteria(
        aicc=loss + 2 * k + 2 * k * (k + 1) / (n - k - 1) if n > k + 1 else math.nan,
        aic=loss + 2 * p,
        loo_rmse=_leave_one_out(objective, law, fitted, fixed) * unit,
    )


def _leave_one_out(objective: Objective, law: Law, fitted: Minimum, fixed: bool) -> float:
    levels = np.unique(objective.concurrency)
    if len(levels) - 1 < max(len(law.parameters) - fixed, 1):
        return math.nan
    formula = objective.evaluator(law)
    kept = objective.concurrency != levels[:, np.newaxis]
    starts = [np.vstack([fitted.parameters, *_other_starts(law, objective, rows)]) for rows in kept]
    left_out = np.repeat(np.arange(len(levels)), [len(one) for one in starts])
    kept_each = kept[left_out]

    def without_each(parameters: FloatArray) -> tuple[FloatArray, FloatArray]:
        residuals, jacobian = formula(parameters)
        return residuals * kept_each, jacobian * kept_each[..., np.newaxis]

    lower, upper = np.array(law.lower), np.array(law.upper)
    if fixed:
        lower[0] = upper[0] = fitted.parameters[0]
    found = minimise(
        without_each, np.vstack(starts), lower, upper, negligible=objective.negligible, orthogonal=_FOR_PREDICTIONS
    )
    # Of each level the lowest that converged. A dip of a law with many starts may be a kink, where no search does.
    settled = np.isfinite(found.sums_of_squares) & (found.converged | bool(law.kinked))
    order = np.lexsort((found.sums_of_squares, ~settled, left_out))
    best = order[np.searchsorted(left_out, np.arange(len(levels)))]
    if not settled[best].all():
        return math.nan
    misses = formula(found.parameters[best])[0][~kept]
    return float(np.sqrt(np.mean(misses**2)))


def _other_starts(law: Law, objective: Objective, rows: NDArray[np.bool_]) -> FloatArray:
    """Return the starts of a law with corners: without a level another dip between them may be the lowest."""
    if not law.kinked:
        return np.empty((0, len(law.parameters)))
    batch = law.starts(objective.concurrency[rows], objective.throughput[rows])[0]
    return batch[np.isfinite(batch).all(axis=1)]


def lack_of_fit(objective: Objective, fitted: Minimum, *, fixed: bool = False) -> float:
    """Return the P value that a law's misfit is no more than the scatter of replicates.

    NaN where no level has replicates or no level is left over.

    References
    ----------
    N. R. Draper and H. Smith, "Applied Regression Analysis", 3rd edition, Wiley 1998, section 2.1.
    """
    distinct = np.unique(objective.concurrency)
    levels, n, p = len(distinct), len(objective.throughput), len(fitted.parameters) - fixed
    if n == levels or levels <= p:
        return math.nan
    values = np.log(objective.throughput) if objective.weights == "relative" else objective.throughput
    values = values / objective.scatter
    pure = 0.0
    for level in distinct:
        here = values[objective.concurrency == level]
        pure += float(np.sum((here - np.mean(here)) ** 2))
    if pure <= objective.negligible:
        # Replicates without any scatter are copies: they carry no pure error to test against.
        return math.nan
    excess = max(fitted.sum_of_squares - pure, 0.0)
    statistic = (excess / (levels - p)) / (pure / (n - levels))
    return f_tail(statistic, levels - p, n - levels)


def explained(simpler: float, richer: float) -> float:
    """Return by how much a richer law lowers a sum of squares: by nothing where only rounding tells the two apart.

    Examples
    --------
    >>> explained(3.0, 2.5), explained(3.0, 3.0 * (1 - 1e-14)), explained(2.5, 3.0)
    (0.5, 0.0, 0.0)
    """
    lower = simpler - richer
    return lower if lower > _ROUNDING * simpler else 0.0


def nested_test(
    simpler: str, richer: str, *, sums_of_squares: tuple[float, float], degrees_of_freedom: tuple[int, int]
) -> NestedTest:
    """Test whether a richer law explains more than the simpler one it contains: F of the extra sum of squares.

    Losses cannot be negative, so where the simpler law is true half the richer fits end on the bound: the
    P value is then up to twice what it should be, and the test on the safe side.

    Parameters
    ----------
    simpler, richer : str
    sums_of_squares : tuple of float
        Of the residuals of the two, within their bounds.
    degrees_of_freedom : tuple of int
        Measurements less parameters, of the two.

    References
    ----------
    D. M. Bates and D. G. Watts, "Nonlinear Regression Analysis and Its Applications", Wiley 1988, section
    3.10.1. S. G. Self and K.-Y. Liang, Journal of the American Statistical Association 82, 1987, 605-610:
    parameters on a bound.

    Examples
    --------
    >>> test = nested_test("amdahl", "usl", sums_of_squares=(131265.389, 27453.71958), degrees_of_freedom=(5, 4))
    >>> round(test.statistic, 4), test.degrees_of_freedom, round(test.pvalue, 5)
    (15.1253, (1, 4), 0.0177)
    """
    added, left = degrees_of_freedom[0] - degrees_of_freedom[1], degrees_of_freedom[1]
    statistic = (explained(*sums_of_squares) / added) / (sums_of_squares[1] / left)
    return NestedTest(
        simpler=simpler,
        richer=richer,
        statistic=statistic,
        degrees_of_freedom=(added, left),
        pvalue=float(special.fdtrc(added, left, statistic)),
    )
