"""Outlying cells: those that no smooth model of a cost explains, set apart by a rule.

An additive model of the cells is the plain one. It fails where a cost is curved, and what it then
misses most is an end of the curve, not a case of its own: so curved models are tried too before a
cell is set apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from benchlib.caveats import Caveat, caveat
from benchlib.effects.additive import AdditiveFit, _levels_of, _medians_of, fit_additive
from benchlib.effects.cells import Cell, CellTable, Level, name_cell, sort_factors
from benchlib.errors import choices
from benchlib.lazy_scipy import special

__all__ = ["OutlyingCell"]

#: The cost of an outlying cell differs from what the other cells predict by more than this factor ...
_OFF_BY = 3.0
#: ... and by more than this many standard deviations of the prediction error.
_STUDENTISED = 5.0
#: No more than this share of the cells of a slice may be outlying: beyond it the model is wrong.
_OUTLYING_SHARE = 0.25
#: Nor more than this many: a table of thousands is not searched cell by cell.
_OUTLYING_LIMIT = 20
#: A table of more cells is cut by its categories alone: its slices are long enough to show what is special in them.
_MOST_CUT = 1000
#: A model with fewer degrees of freedom than these judges no cell.
_FREEDOM = 3
#: A curved model is as good as the additive one where an F test at this level does not show its error to be larger.
_AS_GOOD = 0.01
#: ... and where its fixed cost is not below 0 by more than this many standard errors: no cost is.
_BELOW_ZERO = 3.0

_Floats = NDArray[np.float64]
_Marks = NDArray[np.bool_]

#: Powers that may take the place of a factor.
_POWERS = (0.5, 1.5, 2.0, 3.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlyingCell:
    """A cell that the model of the other cells cannot explain."""

    levels: Mapping[str, Level]
    observed: float
    expected: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Cells alike in every categorical factor: those that an additive model can explain, and the others."""

    levels: Mapping[str, Level]
    cells: tuple[Cell, ...]
    outlying: tuple[OutlyingCell, ...]


def _cut_slices(table: CellTable, numeric: Sequence[str], categorical: Sequence[str]) -> tuple[Slice, ...]:
    """Cut a table into slices of the categorical factors, and set the outlying cells of each apart."""
    apart = _find_outlying_cells(table, numeric, categorical)
    return tuple(
        Slice(
            levels=dict(zip(categorical, key, strict=True)),
            cells=tuple(table.cells[place] for place in places if place not in apart),
            outlying=tuple(apart[place] for place in places if place in apart),
        )
        for key, places in _cut(table.cells, categorical).items()
    )


def outlying_cells(table: CellTable) -> tuple[OutlyingCell, ...]:
    """Return the outlying cells of a table whose factors are numbers or categories as they look."""
    return tuple(_find_outlying_cells(table, *sort_factors(table)).values())


def _find_outlying_cells(
    table: CellTable, numeric: Sequence[str], categorical: Sequence[str]
) -> Mapping[int, OutlyingCell]:
    """Return the outlying cells of a table, by their places in it: those that `set_apart` finds in a slice.

    A table is cut in several ways. An additive model of bits, inputs and outputs is far from a cost of bits times
    outputs, and judges no cell; at each level of bits by itself it is near. So each pair of numeric factors is looked
    at in slices of all other factors too. Together the cuts set apart no more than their share of the table. Without
    numeric factors there is no model to be apart from, and no cell is.
    """
    found: dict[int, OutlyingCell] = {}
    for kept in _kept_together(numeric, len(table.cells)):
        by = (*categorical, *(factor for factor in numeric if factor not in kept))
        for places in _cut(table.cells, by).values():
            cells = [table.cells[place] for place in places]
            # A model that leaves no freedom judges no cell.
            if len(cells) < len(kept) + 1 + _FREEDOM:
                continue
            levels, medians = _levels_of(cells, kept), _medians_of(cells)
            apart, expected = _judged(levels.tobytes(), levels.shape, medians.tobytes())
            for place, cell, model in itertools.compress(zip(places, cells, expected.tolist(), strict=True), apart):
                special_cell = OutlyingCell(levels=cell.levels, observed=cell.median.value, expected=model, n=cell.n)
                found.setdefault(place, special_cell)
    return found if len(found) <= _OUTLYING_SHARE * len(table.cells) else {}


@lru_cache(maxsize=256)
def _judged(levels: bytes, shape: tuple[int, ...], medians: bytes) -> tuple[_Marks, _Floats]:
    """Set cells apart, once for all models of one table: plain effects, interactions and costs ask the same."""
    return set_apart(np.frombuffer(levels).reshape(shape), np.frombuffer(medians))


def _kept_together(numeric: Sequence[str], cells: int) -> Iterator[tuple[str, ...]]:
    """Yield the numeric factors that slices hold: all of them, then every pair."""
    if numeric:
        yield tuple(numeric)
    if len(numeric) > 2 and cells <= _MOST_CUT:
        yield from itertools.combinations(numeric, 2)


def _cut(cells: Sequence[Cell], by: Sequence[str]) -> Mapping[tuple[Level, ...], list[int]]:
    """Return the places of the cells at each combination of levels of some factors."""
    groups: dict[tuple[Level, ...], list[int]] = {}
    for place, cell in enumerate(cells):
        groups.setdefault(tuple(cell.levels[factor] for factor in by), []).append(place)
    return groups


def _warn_of_outlying(outlying: Sequence[OutlyingCell]) -> list[Caveat]:
    """Return the caveat that names the cells set apart, or none."""
    if not outlying:
        return []
    named = choices((f"({name_cell(cell.levels)})" for cell in outlying), 6)
    return [caveat("special-cell", f"no smooth model of the other cells explains {named}: set apart")]


def set_apart(factors: _Floats, costs: _Floats) -> tuple[_Marks, _Floats]:
    """Mark the cells that no smooth model of the other cells explains.

    A cell breaks the rule of a model when its cost is off by more than a factor `OFF_BY` from what the model
    of the others predicts, and by more than `STUDENTISED` standard deviations of that prediction.
    The hardest cell to fit is taken out, then the next, until every cell taken out breaks the
    rule and no other does; judging them together, not each alone, keeps two outlying cells from
    hiding each other. At `OUTLYING_SHARE` of the cells, or `OUTLYING_LIMIT` of them, the search gives
    up and none is set apart: then it is the model that fails.

    The search is made with the additive model. Where it marks cells, it is made again with each curved
    model: every factor, or one of them, replaced by its root, its power 3/2, 2 or 3, its logarithm log(1 + x) or
    x log(1 + x); the square of every factor, or of one, added; the product of two factors added. A cell stays
    apart only if every curved model that is as good as the additive one sets it apart: an F test at 1 % does
    not show its relative error on the remaining cells to be larger, and its fixed cost is not below 0 by more
    than three standard errors. A model with fewer than three degrees of freedom does not count.

    In simulation, at 2 and 5 % noise and 5 to 20 levels, this sets a cell apart in no additive table and in less than
    2 % of those of any of twelve curves (`tests/effects/test_outlying_cells.py`). Where the additive model fails so
    badly that its own search gives up, as for a square over 20 levels with an outlying cell, no cell is set apart.

    Takes factors of shape (cells, factors) and costs. Returns which cells are apart, and what the model that sets the
    fewest cells apart says of every cell.

    R. D. Cook, S. Weisberg, Residuals and Influence in Regression, 1982, section 2.2.
    A. S. Hadi, J. S. Simonoff, Journal of the American Statistical Association 88 (1993) 1264-1272.
    """
    # In units of the largest cost no square overflows.
    size = float(np.abs(costs).max(initial=0.0)) or 1.0
    relative = costs / size
    apart, additive = _search(factors, relative)
    expected, fewest = additive.predict(factors), int(apart.sum())
    if not apart.any():
        return apart, expected * size
    for columns in _bend(factors):
        marked, curved = _search(columns, relative)
        if not _as_good(curved, additive):
            continue
        if marked.sum() < fewest:
            expected, fewest = curved.predict(columns), int(marked.sum())
        apart = apart & marked
        if not apart.any():
            break
    return apart, expected * size


def _bend(factors: _Floats) -> Iterator[_Floats]:
    """Yield the columns of each curved model."""
    # Powers of large levels would overflow; logarithms need the levels as they are.
    largest = np.abs(factors).max(axis=0, initial=0.0)
    scaled = factors / np.where(largest > 0, largest, 1.0)
    positive = np.maximum(scaled, 0.0)
    logarithms = np.log1p(np.maximum(factors, 0.0))
    curves = [*(positive**power for power in _POWERS), logarithms, positive * logarithms]
    every = list(range(factors.shape[1]))
    for group in [every] + [[place] for place in every if len(every) > 1]:
        yield np.column_stack([factors, scaled[:, group] ** 2])
        if (factors[:, group] >= 0).all():
            for curve in curves:
                columns = factors.copy()
                columns[:, group] = curve[:, group]
                yield columns
    for first, second in itertools.combinations(every, 2):
        yield np.column_stack([factors, scaled[:, first] * scaled[:, second]])


def _as_good(curved: AdditiveFit, additive: AdditiveFit) -> bool:
    """Whether a curved model costs nothing below 0 at level 0, and errs no more than the additive one, chance aside."""
    degrees = (curved.degrees_of_freedom, additive.degrees_of_freedom)
    if degrees[0] < _FREEDOM or degrees[1] < 1:
        return False
    if curved.estimable[0] and curved.coefficients[0] < -_BELOW_ZERO * curved.standard_errors[0]:
        return False
    limit = float(special.fdtri(*degrees, 1 - _AS_GOOD))
    return curved.relative_error**2 <= limit * additive.relative_error**2


def _search(columns: _Floats, costs: _Floats) -> tuple[_Marks, AdditiveFit]:
    """Return the cells that break the rule of one model, and the model without them."""
    plain = fit = fit_additive(columns, costs)
    inside = np.ones(costs.size, dtype=bool)
    for _ in range(min(int(costs.size * _OUTLYING_SHARE), _OUTLYING_LIMIT)):
        squared, free, off = _without_each(columns[inside], costs[inside], fit)
        if fit.degrees_of_freedom < _FREEDOM or not off.any():
            break
        # The cell without which the rest fits best.
        inside[np.flatnonzero(inside)[np.argmax(squared / free)]] = False
        fit = fit_additive(columns[inside], costs[inside])
        outside_breaks = _outside_breaks(columns[~inside], costs[~inside], fit)
        if outside_breaks and not _inside_breaks(columns[inside], costs[inside], fit):
            return ~inside, fit
    return np.zeros(costs.size, dtype=bool), plain


def _without_each(factors: _Floats, costs: _Floats, fit: AdditiveFit) -> tuple[_Floats, _Floats, _Marks]:
    """Judge each cell of a fit by the others.

    Returns weighted squared residuals, the share of each cell that the fit leaves free, and whether the cell is off by
    the factor from what a fit without it predicts.
    """
    residuals, free = costs - fit.predict(factors), 1 - fit.leverage
    off = _off_by_factor(costs, costs - residuals / np.maximum(free, 1e-9))
    # A cell with leverage 1 is fitted exactly whatever it holds: nothing can be said of it.
    judged = free > 1e-9
    squared = np.where(judged, fit.weights * (residuals / fit.size) ** 2, 0.0)
    return squared, np.where(judged, free, 1.0), off


def _inside_breaks(factors: _Floats, costs: _Floats, fit: AdditiveFit) -> bool:
    """Whether any cell of the fit breaks the rule against the model of the others."""
    squared, free, _ = _without_each(factors, costs, fit)
    residuals = costs - fit.predict(factors)
    # Levels far apart can make up a rank with fewer cells, which leaves no degree of freedom to give away.
    left = np.maximum(squared.sum() - squared / free, 0.0) / max(fit.degrees_of_freedom - 1, 1)
    far = squared / free > _STUDENTISED**2 * left
    return bool((far & _off_by_factor(costs, costs - residuals / free)).any())


def _outside_breaks(factors: _Floats, costs: _Floats, fit: AdditiveFit) -> bool:
    """Whether every cell taken out breaks the rule against the model of the rest."""
    design = np.column_stack([np.ones(costs.size), factors])
    expected = design @ fit.coefficients
    # The larger of the two, as in the weights of the fit: too much and too little count alike.
    own_error = (fit.relative_error * np.maximum(np.abs(costs), expected)) ** 2
    deviation = np.sqrt(own_error + fit.size**2 * np.maximum(((design @ fit.covariance) * design).sum(axis=1), 0.0))
    far = np.abs(costs - expected) > _STUDENTISED * deviation
    return bool((far & _off_by_factor(costs, expected)).all())


def _off_by_factor(observed: _Floats, expected: _Floats) -> _Marks:
    smaller = np.minimum(observed, expected)
    larger = np.maximum(observed, expected)
    return (larger > 0) & (larger > _OFF_BY * smaller)
