"""Plain effects: what one more input costs, and how much slower one level is than another.

Numeric factors get a slope for each slice, that is for each combination of the other factors'
levels. The others (names, and numbers with two levels only) get the ratio of each level to a
baseline level over matched cells. Cells that no such model explains are set apart and named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchlib.caveats import Caveat, caveat, merge
from benchlib.effects.anova import VarianceTable, analyse_variance
from benchlib.effects.cells import CellTable, Level
from benchlib.effects.factors import choose_baselines, choose_factors, sort_factors, warn_of_mixed
from benchlib.effects.levels import LevelRatio, compare_levels
from benchlib.effects.slices import cut_slices, warn_of_special
from benchlib.effects.slopes import Slope, SpecialCell, fit_slopes
from benchlib.errors import printable
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
    variance : VarianceTable
        What factors and their interactions account for, special cells left out; it has caveats of its own.
    unit : str
    caveats : tuple of Caveat
    """

    slopes: tuple[Slope, ...]
    ratios: tuple[LevelRatio, ...]
    special_cells: tuple[SpecialCell, ...]
    variance: VarianceTable
    unit: str
    caveats: tuple[Caveat, ...]

    @property
    def importance(self) -> Mapping[str, float]:
        """The share of the variance of logarithms that each factor alone accounts for, largest first."""
        return self.variance.main_shares


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
    `benchlib.effects.plain_effects.estimate_ratio`.

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
    slopes: list[Slope] = []
    gathered: list[Caveat] = list(table.caveats)
    slices = cut_slices(table, numeric, categorical)
    for one in slices:
        fitted, warned = fit_slopes(one.levels, one.cells, numeric, table.unit, level)
        slopes.extend(fitted)
        gathered.extend(warned)
    apart = tuple(special for one in slices for special in one.special)
    # In the order of the table again: the first cell measured is no baseline of anything.
    kept = {id(cell) for one in slices for cell in one.cells}
    plain = [cell for cell in table.cells if id(cell) in kept]
    ratios, unpaired = compare_levels(plain, reference, level)
    return EffectsFit(
        slopes=tuple(slopes),
        ratios=ratios,
        special_cells=apart,
        variance=analyse_variance(plain, (*numeric, *categorical), confidence_level=level),
        unit=table.unit,
        caveats=merge(gathered, unpaired, _of_factors(table), warn_of_mixed(table), warn_of_special(apart)),
    )


def _of_factors(table: CellTable) -> list[Caveat]:
    return [
        caveat("one-level", f"{printable(factor)} has one level only ({printable(str(levels[0]))})")
        for factor, levels in table.factors.items()
        if len(levels) == 1
    ]
