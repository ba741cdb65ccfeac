"""Each cell predicted from the others: does the truth lie where the model says?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchlib.effects.cells import Cell, CellTable, Level
from benchlib.effects.models.model import fit_cost_model
from benchlib.effects.models.observed import observe
from benchlib.effects.models.prediction import Basis, average_logs, weigh
from benchlib.effects.models.search import search
from benchlib.effects.models.terms import checked_term_set
from benchlib.errors import DataError
from benchlib.lazy_scipy import special
from benchlib.statistics.estimates import Estimate, point

__all__ = ["LeftOut", "LeftOutCell", "left_out"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutCell:
    """A cell, and what models fitted without it say of it.

    Attributes
    ----------
    levels : mapping of factor to level
    n : int
    measured : float
        Geometric mean of its measurements.
    estimate : Estimate or None
        Of the mean of so many measurements; None where the others say nothing of the cell.
    held : bool
        Whether the interval holds what was measured.
    outside : bool
        Whether the cell lies outside the range of the others.
    """

    levels: Mapping[str, Level]
    n: int
    measured: float
    estimate: Estimate | None
    held: bool
    outside: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Cells left out in turn.

    Attributes
    ----------
    cells : tuple of LeftOutCell
        Special cells are not among them.
    share : Estimate
        Of intervals that hold the truth, among cells with an estimate; n counts these.
    relative_error : float
        Root mean square of the relative error, on logarithms; NaN without any estimate.
    """

    cells: tuple[LeftOutCell, ...]
    share: Estimate
    relative_error: float


def left_out(
    table: CellTable,
    numeric: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    *,
    confidence_level: float = 0.95,
    term_set: str = "standard",
    most: int = 200,
) -> LeftOut:
    """Predict each cell from a search without it.

    Cells that the whole table sets apart stay apart; everything else is searched anew for each cell.

    Parameters
    ----------
    table : CellTable
    numeric, categorical, confidence_level, term_set
        As for `benchlib.effects.models.model.fit_cost_model`.
    most : int
        So many cells at most are left out, spread over the table.

    Raises
    ------
    SelectionError, DataError
        As `benchlib.effects.models.model.fit_cost_model`; and for fewer than three cells.

    References
    ----------
    Share: C. J. Clopper and E. S. Pearson, Biometrika 26(4), 1934, 404-413. Search within each fold: T. Hastie, R.
    Tibshirani, J. Friedman, "The Elements of Statistical Learning", 2nd edition, section 7.10.2.

    Examples
    --------
    >>> from benchlib.effects.cells import build_cells
    >>> outputs = [1, 2, 4, 8, 16] * 2
    >>> costs = [0.0301, 0.0582, 0.114, 0.227, 0.452, 0.0300, 0.0584, 0.115, 0.226, 0.451]
    >>> found = left_out(build_cells({"outputs": outputs}, costs, unit="sec/op"))
    >>> found.share.value, found.share.n
    (1.0, 5)
    """
    whole = fit_cost_model(table, numeric, categorical, confidence_level=confidence_level, term_set=term_set)
    apart = {tuple(one.levels.items()) for one in whole.special_cells}
    cells = [cell for cell in table.cells if tuple(cell.levels.items()) not in apart]
    if len(cells) < 3:
        raise DataError(f"leaving cells out needs 3 cells at least, got {len(cells)}; measure at another level")
    step = max(1, math.ceil(len(cells) / most))
    found = tuple(
        _without(cells, place, whole.numeric, whole.categorical, table, confidence_level, term_set)
        for place in range(0, len(cells), step)
    )
    judged = [one for one in found if one.estimate is not None]
    errors = [math.log(one.measured / one.estimate.value) for one in judged if one.estimate is not None]
    return LeftOut(
        cells=found,
        share=_share(sum(one.held for one in judged), len(judged), confidence_level),
        relative_error=math.sqrt(math.fsum(one**2 for one in errors) / len(errors)) if errors else math.nan,
    )


def _without(
    cells: Sequence[Cell],
    place: int,
    numeric: Sequence[str],
    categorical: Sequence[str],
    table: CellTable,
    level: float,
    term_set: str,
) -> LeftOutCell:
    cell = cells[place]
    others = [one for at, one in enumerate(cells) if at != place]
    measured = math.exp(math.fsum(math.log(one) for one in cell.values) / cell.n)
    ranges = {factor: [float(one.levels[factor]) for one in others] for factor in numeric}
    outside = any(not min(known) <= float(cell.levels[factor]) <= max(known) for factor, known in ranges.items())
    estimate = None
    if all(any(one.levels[factor] == cell.levels[factor] for one in others) for factor in categorical):
        observed = observe(others, numeric, categorical, table.unit)
        rivals, weights = weigh(search(observed, checked_term_set(term_set)), observed)
        basis = Basis(
            observed=observed,
            rivals=rivals,
            weights=weights,
            levels=table.factors,
            bounds=(),
            special_cells=(),
            unit=table.unit,
            confidence_level=level,
        )
        there = observed.space.at([cell.levels])
        centre, low, high = (float(one[0]) for one in average_logs(basis, there, float(cell.n)))
        if not math.isnan(centre):
            estimate = Estimate(
                value=math.exp(centre),
                low=math.exp(low) if math.isfinite(low) else -math.inf,
                high=math.exp(high) if math.isfinite(high) else math.inf,
                unit=table.unit,
                confidence_level=level,
                n=observed.n,
                method="averaged over the models of the other cells",
                standard_error=math.nan,
            )
    return LeftOutCell(
        levels=cell.levels,
        n=cell.n,
        measured=measured,
        estimate=estimate,
        held=estimate is not None and estimate.low <= measured <= estimate.high,
        outside=outside,
    )


def _share(held: int, n: int, level: float) -> Estimate:
    method = "share of intervals, Clopper-Pearson interval"
    if not n:
        return point(math.nan, "ratio", 0, method, level)
    tail = (1 - level) / 2
    return Estimate(
        value=held / n,
        low=float(special.betaincinv(held, n - held + 1, tail)) if held else 0.0,
        high=float(special.betaincinv(held + 1, n - held, 1 - tail)) if held < n else 1.0,
        unit="ratio",
        confidence_level=level,
        n=n,
        method=method,
        standard_error=float(np.sqrt(held / n * (1 - held / n) / n)),
    )
