"""What one more unit of a numeric factor costs, in one slice of the other factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchlib.caveats import Caveat, caveat
from benchlib.effects.additive import fit_additive
from benchlib.effects.cells import Cell, Level, name_cell
from benchlib.effects.outlying_cells import set_apart
from benchlib.errors import choices
from benchlib.statistics.estimates import Estimate

__all__ = ["Slope", "SpecialCell", "find_special_cells", "fit_slopes"]

#: A fit that misses its cells by more than this share of their cost is said to be poor.
POOR_FIT = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope:
    """What one more unit of a factor costs, all else in the slice held.

    Attributes
    ----------
    factor : str
    slice : mapping of factor to level
        The levels of the factors that are not numeric.
    estimate : Estimate
        In the unit of the response, for one unit of the factor.
    fixed : Estimate
        The cost that remains at level 0 of all numeric factors.
    relative_error : float
        How far the fit misses its cells, as a share of their cost; NaN where it meets them by
        construction.
    degrees_of_freedom : int
        Cells behind the fit beyond its coefficients.
    n_cells : int
        Cells behind the fit, special ones left out.
    """

    factor: str
    slice: Mapping[str, Level]
    estimate: Estimate
    fixed: Estimate
    relative_error: float
    degrees_of_freedom: int
    n_cells: int

    @property
    def misses_cells(self) -> bool:
        """Whether the fit misses its cells by so much that no one cost for each unit describes them."""
        return self.relative_error > POOR_FIT


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecialCell:
    """A cell that the model of the other cells cannot explain."""

    levels: Mapping[str, Level]
    observed: float
    expected: float
    n: int


def find_special_cells(cells: Sequence[Cell], numeric: Sequence[str]) -> list[SpecialCell]:
    """Return the cells of one slice that an additive model of the others cannot explain.

    The rule is that of `benchlib.effects.outlying_cells.set_apart`.
    """
    special_here, expected = set_apart(_columns(cells, numeric), _medians(cells))
    return [
        SpecialCell(levels=cell.levels, observed=cell.median.value, expected=float(model), n=cell.n)
        for cell, model, apart in zip(cells, expected, special_here, strict=True)
        if apart
    ]


def fit_slopes(
    where: Mapping[str, Level], cells: Sequence[Cell], numeric: Sequence[str], unit: str, level: float
) -> tuple[list[Slope], list[Caveat]]:
    """Fit the cells of one slice to a fixed cost and a slope for each numeric factor that varies.

    Returns
    -------
    slopes : list of Slope
        None for factors that vary together.
    caveats : list of Caveat
        ``confounded`` and ``poor-fit``, naming the slice.
    """
    varying = [factor for factor in numeric if len({cell.levels[factor] for cell in cells}) > 1]
    if not varying:
        return [], []
    fit = fit_additive(_columns(cells, varying), _medians(cells))
    reach = fit.reach(level)
    n = sum(cell.n for cell in cells)

    def estimate(place: int) -> Estimate:
        value = float(fit.coefficients[place])
        return Estimate(
            value=value,
            low=value - float(reach[place]),
            high=value + float(reach[place]),
            unit=unit,
            confidence_level=level,
            n=n,
            method="additive least squares on cell medians, errors relative to the cost, t interval",
            standard_error=float(fit.standard_errors[place]),
        )

    slopes = [
        Slope(
            factor=factor,
            slice=where,
            estimate=estimate(place),
            fixed=estimate(0),
            relative_error=fit.relative_error,
            degrees_of_freedom=fit.degrees_of_freedom,
            n_cells=len(cells),
        )
        for place, factor in enumerate(varying, start=1)
        if fit.estimable[place]
    ]
    here = f" at {name_cell(where)}" if where else ""
    warned: list[Caveat] = []
    together = [factor for place, factor in enumerate(varying, start=1) if not fit.estimable[place]]
    if together:
        warned.append(caveat("confounded", f"{choices(together)} vary together{here}: their effects cannot be parted"))
    if fit.relative_error > POOR_FIT:
        warned.append(
            caveat(
                "poor-fit",
                f"a cost per unit of {choices(varying)} misses the cells by "
                f"{100 * fit.relative_error:.0f} % of their cost{here}",
            )
        )
    return slopes, warned


def _columns(cells: Sequence[Cell], factors: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    rows = [[float(cell.levels[factor]) for factor in factors] for cell in cells]
    return np.array(rows, dtype=np.float64).reshape(len(cells), len(factors))


def _medians(cells: Sequence[Cell]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([cell.median.value for cell in cells], dtype=np.float64)
