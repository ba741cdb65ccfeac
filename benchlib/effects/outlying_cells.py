"""Cells that no smooth model of a cost explains, set apart by a rule.

An additive model of the cells is the plain one. It fails where a cost is curved, and what it then
misses most is an end of the curve, not a case of its own: so curved models are heard too before a
cell is set apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchlib.effects.additive import AdditiveFit, fit_additive
from benchlib.lazy_scipy import special

__all__ = ["OFF_BY", "SPECIAL_LIMIT", "SPECIAL_SHARE", "STUDENTISED", "set_apart"]

#: A special cell's cost differs from what the other cells predict by more than this factor ...
OFF_BY = 3.0
#: ... and by more than this many standard deviations of the prediction error.
STUDENTISED = 5.0
#: No more than this share of the cells of a slice may be special: beyond it the model is wrong.
SPECIAL_SHARE = 0.25
#: Nor more than this many: a table of thousands is not searched cell by cell.
SPECIAL_LIMIT = 20
#: A model with fewer degrees of freedom than these judges no cell.
FREEDOM = 3
#: A curved model is as good as the additive one where an F test at this level does not tell its error larger.
AS_GOOD = 0.01
#: ... and where its fixed cost is not below 0 by more than this many standard errors: no cost is.
BELOW_ZERO = 3.0

Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]

#: Powers that may take the place of a factor.
POWERS = (0.5, 1.5, 2.0, 3.0)


def set_apart(factors: Floats, costs: Floats) -> tuple[Marks, Floats]:
    """Find the cells that no smooth model of the other cells explains.

    A cell breaks the rule of a model when its cost is off by more than a factor `OFF_BY` from what the model
    of the others predicts, and by more than `STUDENTISED` standard deviations of that prediction.
    The hardest cell to fit is taken out, then the next, until every cell taken out breaks the
    rule and no other does; judging them together, not one by one, keeps two special cells from
    hiding each other. At `SPECIAL_SHARE` of the cells, or `SPECIAL_LIMIT` of them, the search gives
    up and none is set apart: then it is the model that fails.

    The search is made with the additive model. Where it finds cells, it is made again with each curved
    model: every factor, or one of them, replaced by its root, its power 3/2, 2 or 3, its logarithm log(1 + x) or
    x log(1 + x); the square of every factor, or of one, added; the product of two factors added. A cell stays
    special only if it is so under every curved model that is as good as the additive one: an F test at 1 % does
    not tell its relative error on the cells that it keeps to be larger, and its fixed cost is not below 0 by more
    than three standard errors. A model with fewer than three degrees of freedom is not heard.

    In simulation, at 2 and 5 % noise and 5 to 20 levels, this sets a cell apart in no additive table and in less than
    2 % of those of any of twelve curves (`tests/effects/test_apart.py`). Where the additive model fails so badly that
    its own search gives up, as for a square over 20 levels with a special cell, nothing is set apart either.

    Parameters
    ----------
    factors : ndarray, shape (cells, factors)
    costs : ndarray, shape (cells,)

    Returns
    -------
    special : ndarray of bool, shape (cells,)
    expected : ndarray, shape (cells,)
        What the model that sets the fewest cells apart says of every cell.

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

    A curve is no table of special cells, though no additive model comes near its first cell:

    >>> levels = np.arange(1.0, 13.0)[:, None]
    >>> special, _ = set_apart(levels, (levels * np.log2(1 + levels))[:, 0])
    >>> special.any()
    np.False_
    """
    # In units of the largest cost no square overflows.
    size = float(np.abs(costs).max(initial=0.0)) or 1.0
    relative = costs / size
    found, additive = _search(factors, relative)
    expected, fewest = additive.predict(factors), int(found.sum())
    if not found.any():
        return found, expected * size
    for columns in _bend(factors):
        others, curved = _search(columns, relative)
        if not _as_good(curved, additive):
            continue
        if others.sum() < fewest:
            expected, fewest = curved.predict(columns), int(others.sum())
        found = found & others
        if not found.any():
            break
    return found, expected * size


def _bend(factors: Floats) -> Iterator[Floats]:
    """Yield the columns of each curved model."""
    # Powers of large levels would overflow; logarithms need the levels as they are.
    largest = np.abs(factors).max(axis=0, initial=0.0)
    scaled = factors / np.where(largest > 0, largest, 1.0)
    positive = np.maximum(scaled, 0.0)
    logarithms = np.log1p(np.maximum(factors, 0.0))
    bent = [*(positive**power for power in POWERS), logarithms, positive * logarithms]
    every = list(range(factors.shape[1]))
    for group in [every] + [[place] for place in every if len(every) > 1]:
        yield np.column_stack([factors, scaled[:, group] ** 2])
        if (factors[:, group] >= 0).all():
            for one in bent:
                columns = factors.copy()
                columns[:, group] = one[:, group]
                yield columns
    for first, second in itertools.combinations(every, 2):
        yield np.column_stack([factors, scaled[:, first] * scaled[:, second]])


def _as_good(curved: AdditiveFit, additive: AdditiveFit) -> bool:
    """Whether a curved model costs nothing below 0 at level 0, and errs no more than the additive one, chance aside."""
    degrees = (curved.degrees_of_freedom, additive.degrees_of_freedom)
    if degrees[0] < FREEDOM or degrees[1] < 1:
        return False
    if curved.estimable[0] and curved.coefficients[0] < -BELOW_ZERO * curved.standard_errors[0]:
        return False
    limit = float(special.fdtri(*degrees, 1 - AS_GOOD))
    return curved.relative_error**2 <= limit * additive.relative_error**2


def _search(columns: Floats, costs: Floats) -> tuple[Marks, AdditiveFit]:
    """Return the cells that break the rule of one model, and the model without them."""
    plain = fit = fit_additive(columns, costs)
    inside = np.ones(costs.size, dtype=bool)
    for _ in range(min(int(costs.size * SPECIAL_SHARE), SPECIAL_LIMIT)):
        if fit.degrees_of_freedom < FREEDOM or not _any_off(columns, costs, inside, fit):
            break
        inside[_hardest(columns, costs, inside, fit)] = False
        fit = fit_additive(columns[inside], costs[inside])
        if _outside_break(columns, costs, ~inside, fit) and not _inside_break(columns, costs, inside, fit):
            return ~inside, fit
    return np.zeros(costs.size, dtype=bool), plain


def _any_off(factors: Floats, costs: Floats, inside: Marks, fit: AdditiveFit) -> bool:
    """Whether any cell of the fit is off by the factor at all: most tables need no search."""
    free = np.maximum(1 - fit.leverage, 1e-9)
    residuals = costs[inside] - fit.predict(factors[inside])
    return bool(_off_by_factor(costs[inside], costs[inside] - residuals / free).any())


def _hardest(factors: Floats, costs: Floats, inside: Marks, fit: AdditiveFit) -> int:
    """Return the place of the cell without which the rest fits best."""
    squared, free = _squared_residuals(factors, costs, inside, fit)
    return int(np.flatnonzero(inside)[np.argmax(squared / free)])


def _outside_break(factors: Floats, costs: Floats, outside: Marks, fit: AdditiveFit) -> bool:
    """Whether every cell taken out breaks the rule against the model of the rest."""
    design, observed = np.column_stack([np.ones(int(outside.sum())), factors[outside]]), costs[outside]
    expected = design @ fit.coefficients
    # The larger of the two, as in the weights of the fit: too much and too little count alike.
    own_error = (fit.relative_error * np.maximum(np.abs(observed), expected)) ** 2
    deviation = np.sqrt(own_error + fit.size**2 * np.maximum(((design @ fit.covariance) * design).sum(axis=1), 0.0))
    far = np.abs(observed - expected) > STUDENTISED * deviation
    return bool((far & _off_by_factor(observed, expected)).all())


def _inside_break(factors: Floats, costs: Floats, inside: Marks, fit: AdditiveFit) -> bool:
    """Whether any cell of the fit breaks the rule against the model of the others."""
    squared, free = _squared_residuals(factors, costs, inside, fit)
    residuals = costs[inside] - fit.predict(factors[inside])
    # Levels far apart can make up a rank with fewer cells, which leaves no degree of freedom to give away.
    left = np.maximum(squared.sum() - squared / free, 0.0) / max(fit.degrees_of_freedom - 1, 1)
    far = squared / free > STUDENTISED**2 * left
    return bool((far & _off_by_factor(costs[inside], costs[inside] - residuals / free)).any())


def _squared_residuals(factors: Floats, costs: Floats, inside: Marks, fit: AdditiveFit) -> tuple[Floats, Floats]:
    """Return weighted squared residuals, and the share of each cell that the fit leaves free."""
    residuals = costs[inside] - fit.predict(factors[inside])
    free = 1 - fit.leverage
    # A cell with leverage 1 is fitted exactly whatever it holds: nothing can be said of it.
    judged = free > 1e-9
    return np.where(judged, fit.weights * (residuals / fit.size) ** 2, 0.0), np.where(judged, free, 1.0)


def _off_by_factor(observed: Floats, expected: Floats) -> Marks:
    smaller = np.minimum(observed, expected)
    larger = np.maximum(observed, expected)
    return (larger > 0) & (larger > OFF_BY * smaller)
