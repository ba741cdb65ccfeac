"""An additive model of a cost: so much fixed, and so much for each unit of each factor.

Costs in one table often span a factor of 50 and err in proportion to their size, so residuals
are taken relative to the cost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.lazy_scipy import special

__all__ = ["AdditiveFit", "fit_additive"]

#: A fit below this share of what was observed counts as this share: a weight must not grow without bound.
SMALLEST_FITTED = 1 / 3
#: Weights are renewed until no cell's modelled cost moves by more than this share of its size, or so often.
SETTLED = 1e-12
ROUNDS = 60

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdditiveFit:
    """A weighted least-squares fit of costs to an intercept and factors.

    Attributes
    ----------
    coefficients, standard_errors : ndarray, shape (1 + factors,)
        The fixed cost first, then the cost of a unit of each factor.
    estimable : ndarray of bool, shape (1 + factors,)
        False where factors vary together and only their sum is known.
    relative_error : float
        Residual standard error as a share of the cost; NaN without degrees of freedom.
    degrees_of_freedom : int
    size : float
        The largest cost: in units of it no square of a cost overflows or vanishes.
    covariance : ndarray, shape (1 + factors, 1 + factors)
        Of the coefficients, in ``size`` squared.
    leverage, weights : ndarray, shape (cells,)
        Weights in 1 / ``size`` squared.
    """

    coefficients: Floats
    standard_errors: Floats
    estimable: NDArray[np.bool_]
    relative_error: float
    degrees_of_freedom: int
    size: float
    covariance: Floats
    leverage: Floats
    weights: Floats

    def predict(self, factors: Floats) -> Floats:
        """Return the modelled cost at rows of factor levels, shape (rows, factors)."""
        predicted: Floats = _design(factors) @ self.coefficients
        return predicted

    def reach(self, confidence_level: float) -> Floats:
        """Return half the width of each coefficient's interval; infinite where nothing bounds it."""
        if self.degrees_of_freedom < 1:
            return np.full(self.coefficients.shape, np.inf)
        quantile = float(special.stdtrit(self.degrees_of_freedom, (1 + confidence_level) / 2))
        return np.where(self.estimable, quantile * self.standard_errors, np.inf)


def fit_additive(factors: Floats, costs: Floats) -> AdditiveFit:
    """Fit costs as intercept plus a slope for each factor, with errors relative to the cost.

    The weight of a cell is 1 / (larger of observed and fitted cost) / (fitted cost), renewed from the fit until
    it settles. A cell that lies high by some factor then pulls as much as one that lies low by it, so noise of
    any size leaves slopes unbiased where it is symmetric on a log scale, and no cell pulls without bound. The
    observed cost alone as weight draws slopes down (by 12 % at 50 % noise), the fitted alone draws them up.

    Parameters
    ----------
    factors : ndarray, shape (cells, factors)
    costs : ndarray, shape (cells,)

    Returns
    -------
    AdditiveFit

    References
    ----------
    R. J. Carroll, D. Ruppert, Transformation and Weighting in Regression, 1988, chapter 2. An estimating
    equation odd in the error: P. J. Huber, Annals of Mathematical Statistics 35 (1964) 73-101.

    Examples
    --------
    >>> fit = fit_additive(np.array([[0.0], [1.0], [2.0]]), np.array([5.0, 7.0, 9.0]))
    >>> fit.coefficients.round(9).tolist()
    [5.0, 2.0]
    """
    design = _design(factors)
    # Columns of like size keep the normal equations well conditioned: levels may be 1e9 apart.
    column_size = np.abs(design).max(axis=0, initial=0.0)
    column_size[column_size == 0] = 1.0
    scaled = design / column_size
    size = float(np.abs(costs).max(initial=0.0)) or 1.0
    relative = costs / size
    weights = _weights(relative, relative)
    solved = _solve(scaled, relative, weights)
    fitted = scaled @ solved.coefficients
    for _ in range(ROUNDS):
        weights = _weights(relative, fitted)
        solved = _solve(scaled, relative, weights)
        before, fitted = fitted, scaled @ solved.coefficients
        if (np.abs(fitted - before) * np.sqrt(weights) <= SETTLED).all():
            break
    # A slope beyond the largest number is infinite; that is no reason to warn.
    with np.errstate(over="ignore"):
        return AdditiveFit(
            coefficients=solved.coefficients / column_size * size,
            standard_errors=np.sqrt(np.diag(solved.covariance)) / column_size * size,
            estimable=solved.estimable,
            relative_error=solved.relative_error,
            degrees_of_freedom=solved.degrees_of_freedom,
            size=size,
            covariance=solved.covariance / column_size / column_size[:, None],
            leverage=solved.leverage,
            weights=weights,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Solved:
    coefficients: Floats
    covariance: Floats
    estimable: NDArray[np.bool_]
    relative_error: float
    degrees_of_freedom: int
    leverage: Floats


def _solve(design: Floats, costs: Floats, weights: Floats) -> _Solved:
    root = np.sqrt(weights)
    left, sizes, right = np.linalg.svd(design * root[:, None], full_matrices=False)
    kept = sizes > sizes.max(initial=0.0) * 1e-10
    left, sizes, right = left[:, kept], sizes[kept], right[kept]
    coefficients = right.T @ ((left.T @ (costs * root)) / sizes)
    residuals = (costs - design @ coefficients) * root
    degrees_of_freedom = costs.size - int(kept.sum())
    mean_square = float(residuals @ residuals) / degrees_of_freedom if degrees_of_freedom > 0 else np.nan
    # A coefficient is known when its axis lies within the space that the rows span.
    estimable = np.abs((right**2).sum(axis=0) - 1) < 1e-8
    return _Solved(
        coefficients=coefficients,
        covariance=mean_square * ((right.T / sizes**2) @ right),
        estimable=estimable,
        relative_error=float(np.sqrt(mean_square)),
        degrees_of_freedom=degrees_of_freedom,
        leverage=(left**2).sum(axis=1),
    )


def _weights(observed: Floats, fitted: Floats) -> Floats:
    observed = np.abs(observed)
    larger = np.maximum(observed, fitted)
    # A cost of 0 has no relative error; it is treated as the smallest that is not 0.
    positive = larger[larger > 0]
    # Costs are relative to the largest here: what is smaller than this has a square of 0.
    floor = max(float(positive.min()), 1e-100) if positive.size else 1.0
    larger = np.maximum(larger, floor)
    return 1 / larger / np.maximum(np.maximum(fitted, SMALLEST_FITTED * observed), SMALLEST_FITTED * floor)


def _design(factors: Floats) -> Floats:
    return np.column_stack([np.ones(factors.shape[0]), factors])
