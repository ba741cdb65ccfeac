"""A cost model of a table of cells: what was chosen, what else fits, and what follows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from benchlib.caveats import Caveat, merge
from benchlib.effects.cells import Cell, CellTable, Level
from benchlib.effects.factors import choose_baselines, choose_factors
from benchlib.effects.hypotheses import Observed, observe
from benchlib.effects.models.answers import FittedModel, tell
from benchlib.effects.models.assessing import Assessed
from benchlib.effects.models.cautions import caution, caution_of_levels
from benchlib.effects.models.confounded import part_factors
from benchlib.effects.models.criteria import lack_of_fit
from benchlib.effects.models.exponents import free_exponents
from benchlib.effects.models.next_cells import NextCell, next_cells
from benchlib.effects.models.special import find_special
from benchlib.effects.predict import Basis, Prediction, predict_cells, weigh
from benchlib.effects.shapes import checked_term_set
from benchlib.effects.slopes import SpecialCell, find_special_cells
from benchlib.errors import DataError, choices
from benchlib.statistics.checks import checked_level
from benchlib.statistics.estimates import Estimate

__all__ = ["CostModel", "fit_cost_model"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostModel:
    """What a cost is made of.

    Attributes
    ----------
    chosen : FittedModel
        Fewest coefficients within BIC 2 of the lowest.
    rivals : tuple of FittedModel
        All within BIC 6 of the lowest, the chosen one first.
    exponents : mapping of factor to Estimate
        The power that the data themselves give each factor of the chosen model.
    lack_of_fit : float
        P value that cells stray from the chosen model no further than replicates explain; NaN without replicates.
    special_cells : tuple of SpecialCell
        Set apart, with what the chosen model expects there.
    numeric, categorical : tuple of str
        The factors searched.
    unit : str
    n_cells, n : int
        Cells and measurements that the models are fitted to.
    caveats : tuple of Caveat
    """

    chosen: FittedModel
    rivals: tuple[FittedModel, ...]
    exponents: Mapping[str, Estimate]
    lack_of_fit: float
    special_cells: tuple[SpecialCell, ...]
    numeric: tuple[str, ...]
    categorical: tuple[str, ...]
    unit: str
    n_cells: int
    n: int
    caveats: tuple[Caveat, ...]
    _basis: Basis

    def predict(self, at: Sequence[Mapping[str, Level]], *, extrapolate: bool = False) -> tuple[Prediction, ...]:
        """Predict cells, averaged over the rivals.

        Parameters
        ----------
        at : sequence of mapping of factor to level
        extrapolate : bool
            Whether levels far beyond the measured range are meant; else they are refused, in words. How far is
            answered: `benchlib.effects.predict.predict_cells`.

        Raises
        ------
        SelectionError, DataError
            As `benchlib.effects.predict.predict_cells`.
        """
        return predict_cells(self._basis, at, extrapolate=extrapolate)

    def next_cells(self, count: int = 3) -> tuple[NextCell, ...]:
        """Return the cells to measure next to tell the chosen model from its closest rival, the cheapest first."""
        return next_cells(self._basis, count)


def fit_cost_model(
    table: CellTable,
    numeric: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    *,
    baselines: Mapping[str, Level] | None = None,
    confidence_level: float = 0.95,
    term_set: str = "standard",
) -> CostModel:
    """Search the cost model of a table of cells.

    With up to three numeric factors every shape is tried. With more, shapes grow from the best of those seen, up to
    `benchlib.effects.models.growing.MOST_SHAPES` of them; a model then uses at most
    `benchlib.effects.models.structures.MOST_FACTORS` of the numeric factors.

    Parameters
    ----------
    table : CellTable
        Costs above 0.
    numeric, categorical : sequence of str, optional
        By default as `benchlib.effects.factors.sort_factors` has it; with one given, the other holds the rest.
    baselines : mapping of factor to level, optional
        The level of a categorical factor that its scales are told against; by default its first in the table.
    confidence_level : float
    term_set : {"standard", "wide"}
        See `benchlib.effects.shapes.TERM_SETS`.

    Raises
    ------
    SelectionError
        For a factor, or a baseline, that the table does not hold.
    DataError
        For a numeric factor with levels that are not numbers of 0 or more, categorical factors with more than
        `benchlib.effects.hypotheses.MOST_LEVELS` levels together, fewer than two cells, no factor that varies, a
        cost of 0 or less, or an unknown term set.

    References
    ----------
    Terms: `benchlib.effects.shapes`. Errors, BIC and its prices: `benchlib.effects.models.criteria`. Averages:
    `benchlib.effects.models.averaging`.

    Examples
    --------
    >>> from benchlib.effects.cells import build_cells
    >>> outputs = [1, 2, 4, 8, 16] * 2
    >>> costs = [0.0301, 0.0582, 0.114, 0.227, 0.452, 0.0300, 0.0584, 0.115, 0.226, 0.451]
    >>> model = fit_cost_model(build_cells({"outputs": outputs}, costs, unit="sec/op"))
    >>> model.chosen.formula
    '1.97 ms + 28.1 ms * outputs'
    >>> one = model.exponents["outputs"]
    >>> f"{one.value:.2f} ({one.low:.2f} to {one.high:.2f})"
    '1.00 (0.99 to 1.00)'
    """
    level = checked_level(confidence_level)
    terms = checked_term_set(term_set)
    numbers, kinds = choose_factors(table, numeric, categorical)
    if not numbers and not kinds:
        raise DataError(
            f"none of {choices(table.factors)} has two levels; a cost model needs a factor that varies: measure "
            "another level"
        )
    choose_baselines(table, (), baselines or {})
    numbers, kinds, bounds, warned = part_factors(table, numbers, kinds)
    everything = observe(table.cells, numbers, kinds, table.unit, baselines)
    out, ranked = find_special(everything, terms, _suspected(table, numbers, kinds))
    observed = everything.without(out) if out.any() else everything
    rivals, weights = weigh(ranked, observed)
    best, lowest = rivals[0].fitted, ranked[0].bic
    told = tuple(
        tell(one, observed, table.unit, level, one.fitted.bic - lowest, float(weight))
        for one, weight in zip(rivals, weights, strict=True)
    )
    special_cells = _special(table.cells, everything, out, rivals[0])
    p = lack_of_fit(observed, best.sum_of_squares, best.size)
    return CostModel(
        chosen=told[0],
        rivals=told,
        exponents=MappingProxyType(free_exponents(best, observed, level)),
        lack_of_fit=p,
        special_cells=special_cells,
        numeric=numbers,
        categorical=kinds,
        unit=table.unit,
        n_cells=observed.cells,
        n=observed.n,
        caveats=merge(
            table.caveats,
            warned,
            caution(table, observed, told, special_cells, p),
            caution_of_levels(observed, told[0]),
        ),
        _basis=Basis(
            observed=observed,
            rivals=rivals,
            weights=weights,
            levels=table.factors,
            bounds=bounds,
            special_cells=special_cells,
            unit=table.unit,
            confidence_level=level,
        ),
    )


def _suspected(table: CellTable, numeric: Sequence[str], categorical: Sequence[str]) -> NDArray[np.bool_]:
    """Mark the cells that plain slopes cannot explain, in slices of the categorical factors."""
    slices: dict[tuple[Level, ...], list[int]] = {}
    for place, cell in enumerate(table.cells):
        slices.setdefault(tuple(cell.levels[factor] for factor in categorical), []).append(place)
    found = np.zeros(len(table.cells), dtype=bool)
    if not numeric:
        return found
    for places in slices.values():
        apart = {id(one.levels) for one in find_special_cells([table.cells[place] for place in places], numeric)}
        for place in places:
            found[place] = id(table.cells[place].levels) in apart
    return found


def _special(
    cells: Sequence[Cell], everything: Observed, out: NDArray[np.bool_], chosen: Assessed
) -> tuple[SpecialCell, ...]:
    places = [int(place) for place in np.flatnonzero(out)]
    if not places:
        return ()
    logs, _ = chosen.predict(everything.space.rows(out))
    return tuple(
        SpecialCell(
            levels=cells[place].levels,
            observed=cells[place].median.value,
            expected=math.exp(float(log) + everything.centre),
            n=cells[place].n,
        )
        for place, log in zip(places, logs, strict=True)
    )
