"""Plain effects: what one more input costs, and how much slower one level is than another.

Numeric factors get a slope for each slice, that is for each combination of the other factors'
levels. The others (names, and numbers with two levels only) get the ratio of each level to a
baseline level over matched cells. Cells that no such model explains are set apart and named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchlib.caveats import Caveat, caveat, merge
from benchlib.effects.cells import Cell, CellTable, Level, name_cell
from benchlib.effects.factors import choose_baselines, choose_factors, sort_factors
from benchlib.effects.importance import share_of_variance
from benchlib.effects.levels import LevelRatio, compare_levels
from benchlib.effects.slopes import Slope, SpecialCell, find_special_cells, fit_slopes
from benchlib.errors import choices, printable
from benchlib.statistics.checks import checked_level

__all__ = ["EffectsFit", "LevelRatio", "Slope", "SpecialCell", "analyse_cells", "sort_factors"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectsFit:
    """The plain effects of all factors on one response.

    Attributes
    ----------
    slopes : tuple of Slope
    ratios : tuple of LevelRatio
    special_cells : tuple of SpecialCell
    importance : mapping of factor to float
        Type II share of the variance of logarithms, main effects, largest first.
    unit : str
    caveats : tuple of Caveat
    """

    slopes: tuple[Slope, ...]
    ratios: tuple[LevelRatio, ...]
    special_cells: tuple[SpecialCell, ...]
    importance: Mapping[str, float]
    unit: str
    caveats: tuple[Caveat, ...]


def analyse_cells(
    table: CellTable,
    numeric_factors: Sequence[str] | None = None,
    categorical_factors: Sequence[str] | None = None,
    *,
    baselines: Mapping[str, Level] | None = None,
    confidence_level: float = 0.95,
) -> EffectsFit:
    """Find slopes of numeric factors, ratios of the levels of others, and the cells apart.

    Parameters
    ----------
    table : CellTable
    numeric_factors, categorical_factors : sequence of str, optional
        By default as `sort_factors` has it; with one given, the other holds the rest.
    baselines : mapping of factor to level, optional
        The level others are compared with; by default the smallest.
    confidence_level : float

    Raises
    ------
    SelectionError
        For a factor or a baseline level that the table does not hold.
    DataError
        For a numeric factor with levels that are not numbers, or a factor named as both.

    References
    ----------
    Slopes: weighted least squares on cell medians, see `benchlib.effects.additive`. Ratios:
    paired t interval on logarithms, G. E. P. Box, W. G. Hunter, J. S. Hunter, Statistics for
    Experimenters, 2nd ed., section 3.2.

    Examples
    --------
    >>> from benchlib.effects.cells import build_cells
    >>> costs = [12.0, 22.1, 31.9, 42.0]
    >>> fit = analyse_cells(build_cells({"outputs": [1, 2, 3, 4]}, costs, unit="sec/op"))
    >>> round(fit.slopes[0].estimate.value, 2)
    9.99
    """
    level = checked_level(confidence_level)
    numeric, categorical = choose_factors(table, numeric_factors, categorical_factors)
    reference = choose_baselines(table, categorical, baselines or {})
    slices = _slices(table.cells, categorical)
    apart: list[SpecialCell] = []
    slopes: list[Slope] = []
    gathered: list[Caveat] = list(table.caveats)
    if numeric:
        for where, cells in slices:
            found = find_special_cells(cells, numeric)
            apart.extend(found)
            rest = _without(cells, found)
            fitted, warned = fit_slopes(where, rest, numeric, table.unit, level)
            slopes.extend(fitted)
            gathered.extend(warned)
    plain = _without(table.cells, apart)
    ratios, unpaired = compare_levels(plain, reference, level)
    return EffectsFit(
        slopes=tuple(slopes),
        ratios=ratios,
        special_cells=tuple(apart),
        importance=share_of_variance(plain, (*numeric, *categorical)),
        unit=table.unit,
        caveats=merge(gathered, unpaired, _of_factors(table, apart)),
    )


def _slices(cells: Sequence[Cell], categorical: Sequence[str]) -> list[tuple[dict[str, Level], list[Cell]]]:
    found: dict[tuple[Level, ...], list[Cell]] = {}
    for cell in cells:
        found.setdefault(tuple(cell.levels[factor] for factor in categorical), []).append(cell)
    return [(dict(zip(categorical, key, strict=True)), group) for key, group in found.items()]


def _without(cells: Sequence[Cell], apart: Sequence[SpecialCell]) -> list[Cell]:
    left_out = {tuple(one.levels.items()) for one in apart}
    return [cell for cell in cells if tuple(cell.levels.items()) not in left_out]


def _of_factors(table: CellTable, apart: Sequence[SpecialCell]) -> list[Caveat]:
    found = [
        caveat("one-level", f"{printable(factor)} has one level only ({printable(str(levels[0]))})")
        for factor, levels in table.factors.items()
        if len(levels) == 1
    ]
    if apart:
        named = choices((f"({name_cell(one.levels)})" for one in apart), 6)
        found.append(caveat("special-cell", f"no additive model of the other cells explains {named}: set apart"))
    return found
