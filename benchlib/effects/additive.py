"""An additive model of a cost: so much fixed, and so much for each unit of each factor.

Costs in one table often span a factor of 50 and err in proportion to their size, so residuals
are taken relative to the cost. A cell that such a model cannot explain is set apart by a rule,
and the model fitted again without it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

__all__ = ["OFF_BY", "SPECIAL_SHARE", "STUDENTISED", "AdditiveFit", "fit_additive", "set_apart"]

#: A special cell's cost differs from what the other cells predict by more than this factor ...
OFF_BY = 3.0
#: ... and by more than this many standard deviations of the prediction error.
STUDENTISED = 5.0
#: No more than this share of the cells of a slice may be special: beyond it the model is wrong.
SPECIAL_SHARE = 0.25
#: Nor more than this many: a table of thousands is not searched cell by cell.
SPECIAL_LIMIT = 20

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
    covariance : ndarray, shape (1 + factors, 1 + factors)
        Of the coefficients.
    leverage, weights : ndarray, shape (cells,)
    """

    coefficients: Floats
    standard_errors: Floats
    estimable: NDArray[np.bool_]
    relative_error: float
    degrees_of_freedom: int
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


def fit_additive(factors: Floats, costs: Floats, *, rounds: int = 5) -> AdditiveFit:
    """Fit costs as intercept plus a slope for each factor, with errors relative to the cost.

    Weights are 1/size², where size is the larger of observed and fitted cost: the observed alone
    would favour cells that happen to lie low, the fitted alone can come near zero.

    Parameters
    ----------
    factors : ndarray, shape (cells, factors)
    costs : ndarray, shape (cells,)
    rounds : int
        How often the weights are renewed from the fit.

    Returns
    -------
    AdditiveFit

    References
    ----------
    R. J. Carroll, D. Ruppert, Transformation and Weighting in Regression, 1988, chapter 2.

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
    unit_size = float(np.abs(costs).max(initial=0.0)) or 1.0
    relative = costs / unit_size
    weights = _weights(relative)
    solved = _solve(scaled, relative, weights)
    for _ in range(rounds):
        weights = _weights(relative, scaled @ solved.coefficients)
        solved = _solve(scaled, relative, weights)
    return AdditiveFit(
        coefficients=solved.coefficients * unit_size / column_size,
        standard_errors=np.sqrt(np.diag(solved.covariance)) * unit_size / column_size,
        estimable=solved.estimable,
        relative_error=solved.relative_error,
        degrees_of_freedom=solved.degrees_of_freedom,
        covariance=solved.covariance * unit_size**2 / np.outer(column_size, column_size),
        leverage=solved.leverage,
        weights=weights / unit_size**2,
    )


def set_apart(factors: Floats, costs: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """Find the cells that an additive model of the other cells cannot explain.

    A cell breaks the rule when its cost is off by more than a factor `OFF_BY` from what the model
    of the others predicts, and by more than `STUDENTISED` standard deviations of that prediction.
    The hardest cell to fit is taken out, then the next, until every cell taken out breaks the
    rule and no other does; judging them together, not one by one, keeps two special cells from
    hiding each other. At `SPECIAL_SHARE` of the cells, or `SPECIAL_LIMIT` of them, the search gives
    up and none is set apart: then it is the model that fails. Needs three degrees of freedom to begin with.

    Returns
    -------
    special : ndarray of bool, shape (cells,)
    expected : ndarray, shape (cells,)
        What the final model says of every cell.

    References
    ----------
    R. D. Cook, S. Weisberg, Residuals and Influence in Regression, 1982, section 2.2.
    A. S. Hadi, J. S. Simonoff, Journal of the American Statistical Association 88 (1993) 1264-1272.

    Examples
    --------
    >>> outputs = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]])
    >>> special, expected = set_apart(outputs, np.array([0.1, 20.0, 30.2, 39.9, 50.0, 60.1]))
    >>> special.tolist(), round(expected[0])
    ([True, False, False, False, False, False], 10)
    """
    plain = fit = fit_additive(factors, costs)
    inside = np.ones(costs.size, dtype=bool)
    for _ in range(min(int(costs.size * SPECIAL_SHARE), SPECIAL_LIMIT)):
        if fit.degrees_of_freedom < 3 or not _any_off(factors, costs, inside, fit):
            break
        inside[_hardest(factors, costs, inside, fit)] = False
        fit = fit_additive(factors[inside], costs[inside])
        if _outside_break(factors, costs, ~inside, fit) and not _inside_break(factors, costs, inside, fit):
            return ~inside, fit.predict(factors)
    return np.zeros(costs.size, dtype=bool), plain.predict(factors)


def _any_off(factors: Floats, costs: Floats, inside: NDArray[np.bool_], fit: AdditiveFit) -> bool:
    """Whether any cell of the fit is off by the factor at all: most tables need no search."""
    free = np.maximum(1 - fit.leverage, 1e-9)
    residuals = costs[inside] - fit.predict(factors[inside])
    return bool(_off_by_factor(costs[inside], costs[inside] - residuals / free).any())


def _hardest(factors: Floats, costs: Floats, inside: NDArray[np.bool_], fit: AdditiveFit) -> int:
    """Return the place of the cell without which the rest fits best."""
    squared, free = _squared_residuals(factors, costs, inside, fit)
    return int(np.flatnonzero(inside)[np.argmax(squared / free)])


def _outside_break(factors: Floats, costs: Floats, outside: NDArray[np.bool_], fit: AdditiveFit) -> bool:
    """Whether every cell taken out breaks the rule against the model of the rest."""
    design, observed = _design(factors[outside]), costs[outside]
    expected = design @ fit.coefficients
    # The larger of the two, as in the weights of the fit: too much and too little count alike.
    own_error = (fit.relative_error * np.maximum(np.abs(observed), expected)) ** 2
    deviation = np.sqrt(own_error + ((design @ fit.covariance) * design).sum(axis=1))
    far = np.abs(observed - expected) > STUDENTISED * deviation
    return bool((far & _off_by_factor(observed, expected)).all())


def _inside_break(factors: Floats, costs: Floats, inside: NDArray[np.bool_], fit: AdditiveFit) -> bool:
    """Whether any cell of the fit breaks the rule against the model of the others."""
    squared, free = _squared_residuals(factors, costs, inside, fit)
    residuals = costs[inside] - fit.predict(factors[inside])
    left = np.maximum(squared.sum() - squared / free, 0.0) / (fit.degrees_of_freedom - 1)
    far = squared / free > STUDENTISED**2 * left
    return bool((far & _off_by_factor(costs[inside], costs[inside] - residuals / free)).any())


def _squared_residuals(
    factors: Floats, costs: Floats, inside: NDArray[np.bool_], fit: AdditiveFit
) -> tuple[Floats, Floats]:
    """Return weighted squared residuals, and the share of each cell that the fit leaves free."""
    residuals = costs[inside] - fit.predict(factors[inside])
    free = 1 - fit.leverage
    # A cell with leverage 1 is fitted exactly whatever it holds: nothing can be said of it.
    judged = free > 1e-9
    return np.where(judged, fit.weights * residuals**2, 0.0), np.where(judged, free, 1.0)


def _off_by_factor(observed: Floats, expected: Floats) -> NDArray[np.bool_]:
    smaller = np.minimum(observed, expected)
    larger = np.maximum(observed, expected)
    return (larger > 0) & (larger > OFF_BY * smaller)


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


def _weights(observed: Floats, fitted: Floats | None = None) -> Floats:
    size = np.abs(observed) if fitted is None else np.maximum(np.abs(observed), fitted)
    # A cost of 0 has no relative error; it is treated as the smallest that is not 0.
    positive = size[size > 0]
    floor = float(positive.min()) if positive.size else 1.0
    return 1 / np.maximum(size, floor) ** 2


def _design(factors: Floats) -> Floats:
    return np.column_stack([np.ones(factors.shape[0]), factors])
