"""Plain effects: what one more input costs, and how much slower one level is than another.

Numeric factors get a slope for each slice, that is for each combination of the other factors'
levels. The others (names, and numbers with two levels only) get the ratio of each level to a
baseline level over matched cells. Cells that no such model explains are set apart and named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchlib.caveats import Caveat, caveat, merge
from benchlib.effects.additive import Slope, _fit_slopes
from benchlib.effects.anova import VarianceShares, share_variance
from benchlib.effects.cells import (
    Cell,
    CellTable,
    Contrast,
    Level,
    _choose_baselines,
    _choose_factors,
    _warn_of_mixed_levels,
    _warn_of_single_levels,
)
from benchlib.effects.outlying_cells import OutlyingCell, _cut_slices, _warn_of_outlying
from benchlib.errors import choices, printable
from benchlib.statistics.blocked import blocked_ratio
from benchlib.statistics.estimates import Estimate, checked_level

__all__ = [
    "EffectsFit",
    "LevelRatio",
    "analyse_cells",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelRatio:
    """The response at one level over the response at the baseline level, over matched cells."""

    factor: str
    level: Level
    baseline: Level
    estimate: Estimate  # geometric mean of the ratios within runs and matched cells, unit ``"x"``


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectsFit:
    """The plain effects of all factors on one response."""

    slopes: tuple[Slope, ...]
    ratios: tuple[LevelRatio, ...]
    special_cells: tuple[OutlyingCell, ...]
    #: What each factor accounts for, outlying cells left out; it has caveats of its own.
    variance: VarianceShares
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
    """Find slopes of numeric factors, ratios of the levels of others, and the outlying cells.

    Factors are sorted as by `benchlib.effects.cells`, which raises for factors and levels that the
    table does not hold; the baseline of a factor is its smallest level unless ``baselines`` names another.
    """
    level = checked_level(confidence_level)
    numeric, categorical = _choose_factors(table, numeric_factors, categorical_factors)
    reference = _choose_baselines(table, categorical, baselines or {})
    slopes: list[Slope] = []
    warned: list[Caveat] = list(table.caveats)
    slices = _cut_slices(table, numeric, categorical)
    for part in slices:
        fitted, doubts = _fit_slopes(part.levels, part.cells, numeric, table.unit, level)
        slopes += fitted
        warned += doubts
    outlying = tuple(cell for part in slices for cell in part.outlying)
    # In the order of the table again: the first cell measured is no baseline of anything.
    inside = {id(cell) for part in slices for cell in part.cells}
    ordinary = [cell for cell in table.cells if id(cell) in inside]
    ratios, unpaired = compare_levels(ordinary, reference, level)
    varying = [factor for factor in table.factors if factor in numeric or factor in categorical]
    return EffectsFit(
        slopes=tuple(slopes),
        ratios=ratios,
        special_cells=outlying,
        variance=share_variance(ordinary, varying),
        unit=table.unit,
        caveats=merge(
            warned, unpaired, _warn_of_single_levels(table), _warn_of_mixed_levels(table), _warn_of_outlying(outlying)
        ),
    )


def compare_levels(
    cells: Sequence[Cell], reference: Mapping[str, Level], level: float
) -> tuple[tuple[LevelRatio, ...], list[Caveat]]:
    """Compare each level of each factor with its baseline, over cells alike in all other factors.

    There is a ratio only where at least one pair of cells with positive values matches, and no cell holds a value
    below 0: of what crosses 0 one level is not so many times another.
    """
    ratios: list[LevelRatio] = []
    warned: list[Caveat] = []
    for factor, baseline in reference.items():
        matched: dict[Level, list[Contrast]] = {}
        for other, pair in _pairs(cells, factor, baseline):
            matched.setdefault(other, []).append(pair)
        for other, pairs in matched.items():
            usable = [pair for pair in pairs if pair.positive]
            crosses = any(cell.values[0] < 0 for pair in pairs for cell in pair.cells)
            if usable and not crosses:
                ratios.append(_level_ratio(factor, other, baseline, usable, level))
        known = dict.fromkeys(cell.levels[factor] for cell in cells)
        alone = [other for other in known if other != baseline and other not in matched]
        if alone:
            warned.append(
                caveat(
                    "confounded",
                    f"no cell of {printable(factor)} = {choices(alone)} matches one of "
                    f"{printable(factor)} = {printable(str(baseline))} in the other factors",
                )
            )
        without_ratio = sum(1 for pairs in matched.values() for pair in pairs if not pair.positive)
        if without_ratio:
            warned.append(caveat("no-ratio", f"{without_ratio} pairs of cells of {printable(factor)} hold a 0 or less"))
    return tuple(ratios), warned


def _pairs(cells: Sequence[Cell], factor: str, baseline: Level) -> Iterator[tuple[Level, Contrast]]:
    """Match each cell with the one at the baseline level that is alike in all other factors."""

    def rest(cell: Cell) -> tuple[Level, ...]:
        return tuple(level for name, level in cell.levels.items() if name != factor)

    partners = {rest(cell): cell for cell in cells if cell.levels[factor] == baseline}
    for cell in cells:
        partner = partners.get(rest(cell))
        if cell.levels[factor] != baseline and partner is not None:
            yield cell.levels[factor], Contrast(over=(cell,), under=(partner,))


def _level_ratio(factor: str, other: Level, baseline: Level, pairs: list[Contrast], level: float) -> LevelRatio:
    """Hold a level against its baseline within runs that hold both, and over configurations alike in all else."""
    sides = [
        (cell, over, place)
        for place, pair in enumerate(pairs)
        for over, cells in ((True, pair.over), (False, pair.under))
        for cell in cells
    ]
    values = [value for cell, _, _ in sides for value in cell.values]
    over, strata = (np.repeat([side[column] for side in sides], [cell.n for cell, _, _ in sides]) for column in (1, 2))
    shared = all(set(pair.over[0].runs) & set(pair.under[0].runs) for pair in pairs)
    blocks = [run for cell, _, _ in sides for run in cell.runs] if shared else None
    return LevelRatio(
        factor=factor,
        level=other,
        baseline=baseline,
        estimate=blocked_ratio(values, over, blocks=blocks, strata=strata, confidence_level=level).estimate,
    )
