"""An additive model of a cost: so much fixed, and so much for each unit of each factor.

Costs in one table often span a factor of 50 and err in proportion to their size, so residuals
are taken relative to the cost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchlib.caveats import Caveat, caveat
from benchlib.effects.cells import Cell, Level, _estimate_difference, name_cell
from benchlib.errors import choices
from benchlib.lazy_scipy import special
from benchlib.statistics.estimates import Estimate

__all__ = ["Slope"]

#: A fit below this share of what was observed counts as this share: a weight must not grow without bound.
_SMALLEST_FITTED = 1 / 3
#: Weights are renewed until no cell's modelled cost moves by more than this share of its size, or so often.
_SETTLED = 1e-12
_ROUNDS = 60
#: A fit that misses its cells by more than this share of their cost is said to be poor.
_POOR_FIT = 0.15
#: One that misses them by more than this is doubted if replicates reject it at this level. It is not 5 %: a median
#: scatters up to pi / 2 times as much as the mean that the F test is made for.
_MATERIAL, _REJECTED = 0.02, 0.01

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdditiveFit:
    """A weighted least-squares fit of costs to an intercept and factors."""

    #: coefficients, standard_errors: shape (1 + factors,). The fixed cost first, then the cost of a unit of each
    #: factor.
    coefficients: _Floats
    standard_errors: _Floats
    #: Shape (1 + factors,). False where factors vary together and only their sum is known.
    estimable: NDArray[np.bool_]
    relative_error: float  # residual standard error as a share of the cost; NaN without degrees of freedom
    degrees_of_freedom: int
    size: float  # the largest cost: in units of it no square of a cost overflows or vanishes
    #: Shape (1 + factors, 1 + factors). Of the coefficients, in ``size`` squared.
    covariance: _Floats
    #: leverage, weights: shape (cells,). Weights in 1 / ``size`` squared.
    leverage: _Floats
    weights: _Floats

    def predict(self, factors: _Floats) -> _Floats:
        """Return the modelled cost at rows of factor levels, shape (rows, factors)."""
        predicted: _Floats = _design(factors) @ self.coefficients
        return predicted

    def estimate(self, place: int, *, level: float, unit: str, n: int, method: str) -> Estimate:
        """Return one coefficient with its t interval; unbounded where nothing tells it from the others."""
        return _estimate_difference(
            float(self.coefficients[place]),
            float(self.standard_errors[place]),
            self.degrees_of_freedom if self.estimable[place] else 0,
            level=level,
            unit=unit,
            n=n,
            method=method,
        )


def fit_additive(factors: _Floats, costs: _Floats) -> AdditiveFit:
    """Fit costs as intercept plus a slope for each factor, with errors relative to the cost.

    The weight of a cell is 1 / (larger of observed and fitted cost) / (fitted cost), renewed from the fit until
    it settles. A cell that lies high by some factor then pulls as much as one that lies low by it, so noise of
    any size leaves slopes unbiased where it is symmetric on a log scale, and no cell pulls without bound. The
    observed cost alone as weight draws slopes down (by 12 % at 50 % noise), the fitted alone draws them up.

    R. J. Carroll, D. Ruppert, Transformation and Weighting in Regression, 1988, chapter 2. An estimating
    equation odd in the error: P. J. Huber, Annals of Mathematical Statistics 35 (1964) 73-101.
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
    for _ in range(_ROUNDS):
        weights = _weights(relative, fitted)
        solved = _solve(scaled, relative, weights)
        before, fitted = fitted, scaled @ solved.coefficients
        if (np.abs(fitted - before) * np.sqrt(weights) <= _SETTLED).all():
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
    """Weighted least squares of one round."""

    coefficients: _Floats
    covariance: _Floats
    estimable: NDArray[np.bool_]
    relative_error: float
    degrees_of_freedom: int
    leverage: _Floats


def _solve(design: _Floats, costs: _Floats, weights: _Floats) -> _Solved:
    root = np.sqrt(weights)
    left, sizes, right = np.linalg.svd(design * root[:, None], full_matrices=False)
    spanned = sizes > sizes.max(initial=0.0) * 1e-10
    left, sizes, right = left[:, spanned], sizes[spanned], right[spanned]
    coefficients = right.T @ ((left.T @ (costs * root)) / sizes)
    residuals = (costs - design @ coefficients) * root
    degrees_of_freedom = costs.size - int(spanned.sum())
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


def _weights(observed: _Floats, fitted: _Floats) -> _Floats:
    observed = np.abs(observed)
    larger = np.maximum(observed, fitted)
    # A cost of 0 has no relative error; it is treated as the smallest that is not 0.
    positive = larger[larger > 0]
    # Costs are relative to the largest here: what is smaller than this has a square of 0.
    floor = max(float(positive.min()), 1e-100) if positive.size else 1.0
    larger = np.maximum(larger, floor)
    return 1 / larger / np.maximum(np.maximum(fitted, _SMALLEST_FITTED * observed), _SMALLEST_FITTED * floor)


def _design(factors: _Floats) -> _Floats:
    return np.column_stack([np.ones(factors.shape[0]), factors])


# Slopes of a slice ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope:
    """What one more unit of a factor costs, all else in the slice held."""

    factor: str
    slice: Mapping[str, Level]  # the levels of the factors that are not numeric
    estimate: Estimate  # in the unit of the response, for one unit of the factor
    fixed: Estimate  # the cost that remains at level 0 of all numeric factors
    #: How far the fit misses its cells, as a share of their cost; NaN where it meets them by construction.
    relative_error: float
    degrees_of_freedom: int  # cells behind the fit beyond its coefficients

    @property
    def misses_cells(self) -> bool:
        """Whether the fit misses its cells by so much that no one cost for each unit describes them."""
        return self.relative_error > _POOR_FIT


def _fit_slopes(
    where: Mapping[str, Level], cells: Sequence[Cell], numeric: Sequence[str], unit: str, level: float
) -> tuple[list[Slope], list[Caveat]]:
    """Fit the cells of one slice to a fixed cost and a slope for each numeric factor that varies.

    Factors that vary together have no slope, and a caveat names them.
    """
    varying = [factor for factor in numeric if len({cell.levels[factor] for cell in cells}) > 1]
    if not varying:
        return [], []
    fit = fit_additive(_levels_of(cells, varying), _medians_of(cells))
    n = sum(cell.n for cell in cells)
    method = "additive least squares on cell medians, errors relative to the cost, t interval"
    estimates = [fit.estimate(place, level=level, unit=unit, n=n, method=method) for place in range(len(varying) + 1)]
    lack = _lack_of_fit(fit, cells)
    if _is_rejected(fit, lack):
        # An interval holds if its model does.
        estimates = [replace(estimate, low=-np.inf, high=np.inf) for estimate in estimates]
    slopes = [
        Slope(
            factor=factor,
            slice=where,
            estimate=estimates[place],
            fixed=estimates[0],
            relative_error=fit.relative_error,
            degrees_of_freedom=fit.degrees_of_freedom,
        )
        for place, factor in enumerate(varying, start=1)
        if fit.estimable[place]
    ]
    here = f" at {name_cell(where)}" if where else ""
    warned: list[Caveat] = []
    together = [factor for place, factor in enumerate(varying, start=1) if not fit.estimable[place]]
    if together:
        warned.append(caveat("confounded", f"{choices(together)} vary together{here}: their effects cannot be parted"))
    if fit.relative_error > _POOR_FIT:
        warned.append(
            caveat(
                "poor-fit",
                f"a cost per unit of {choices(varying)} misses the cells by "
                f"{100 * fit.relative_error:.0f} % of their cost{here}",
            )
        )
    elif fit.relative_error > _MATERIAL and lack < _REJECTED:
        warned.append(
            caveat(
                "poor-fit",
                f"a cost per unit of {choices(varying)} misses the cells by {100 * fit.relative_error:.0f} % of their "
                f"cost{here}, more than their replicates explain (p = {lack:.2g})",
            )
        )
    return slopes, warned


def _is_rejected(fit: AdditiveFit, lack: float) -> bool:
    """Whether a fit misses its cells by too much, and by more than their replicates explain (F test, 5 %)."""
    return fit.relative_error > _POOR_FIT and lack < 0.05


def _lack_of_fit(fit: AdditiveFit, cells: Sequence[Cell]) -> float:
    """Return the P value of the F test that medians stray no further than replicates explain; NaN without replicates.

    N. R. Draper, H. Smith, "Applied Regression Analysis", 3rd ed., Wiley 1998, section 2.1 (pure error).
    """
    freedom = sum(cell.n - 1 for cell in cells)
    if not fit.degrees_of_freedom or freedom < 1 or any(cell.values[0] <= 0 for cell in cells):
        return math.nan
    within = sum(float(np.log(cell.values).var()) * cell.n for cell in cells) / freedom
    repeats = len(cells) / sum(1 / cell.n for cell in cells)
    if within == 0:
        return 0.0 if fit.relative_error > _POOR_FIT else math.nan
    return float(special.fdtrc(fit.degrees_of_freedom, freedom, fit.relative_error**2 * repeats / within))


def _levels_of(cells: Sequence[Cell], factors: Sequence[str]) -> _Floats:
    """Return the levels of numeric factors, shape (cells, factors)."""
    rows = [[float(cell.levels[factor]) for factor in factors] for cell in cells]
    return np.array(rows, dtype=np.float64).reshape(len(cells), len(factors))


def _medians_of(cells: Sequence[Cell]) -> _Floats:
    """Return the median cost of each cell."""
    return np.array([cell.median.value for cell in cells], dtype=np.float64)
