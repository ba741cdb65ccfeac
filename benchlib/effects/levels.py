"""How much more one level of a factor costs than another, over cells alike in all else."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scipy import special

from benchlib.caveats import Caveat, caveat
from benchlib.effects.cells import Cell, Level
from benchlib.errors import choices, printable
from benchlib.statistics.estimates import Estimate

__all__ = ["LevelRatio", "compare_levels"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelRatio:
    """The response at one level over the response at the baseline level, over matched cells.

    Attributes
    ----------
    factor : str
    level, baseline : Level
    estimate : Estimate
        Geometric mean of the matched ratios, unit ``"x"``; n counts pairs of cells.
    lowest, highest : float
        The matched ratios at the extremes.
    """

    factor: str
    level: Level
    baseline: Level
    estimate: Estimate
    lowest: float
    highest: float


def compare_levels(
    cells: Sequence[Cell], reference: Mapping[str, Level], level: float
) -> tuple[tuple[LevelRatio, ...], list[Caveat]]:
    """Compare each level of each factor with its baseline, over cells alike in all other factors.

    Parameters
    ----------
    cells : sequence of Cell
    reference : mapping of factor to its baseline level
    level : float
        Confidence level.

    Returns
    -------
    ratios : tuple of LevelRatio
        Only where at least one pair of cells with positive medians matches.
    caveats : list of Caveat
    """
    found: list[LevelRatio] = []
    warned: list[Caveat] = []
    for factor, baseline in reference.items():
        matched: dict[Level, list[float]] = {}
        without_ratio = 0
        for cell, partner in _pairs(cells, factor, baseline):
            matched.setdefault(cell.levels[factor], [])
            if cell.median.value > 0 and partner.median.value > 0:
                matched[cell.levels[factor]].append(math.log(cell.median.value / partner.median.value))
            else:
                without_ratio += 1
        found.extend(_level_ratio(factor, other, baseline, logs, level) for other, logs in matched.items() if logs)
        others = dict.fromkeys(cell.levels[factor] for cell in cells)
        alone = [one for one in others if one != baseline and one not in matched]
        if alone:
            warned.append(
                caveat(
                    "confounded",
                    f"no cell of {printable(factor)} = {choices(alone)} matches one of "
                    f"{printable(factor)} = {printable(str(baseline))} in the other factors",
                )
            )
        if without_ratio:
            warned.append(caveat("no-ratio", f"{without_ratio} pairs of cells of {printable(factor)} hold a 0 or less"))
    return tuple(found), warned


def _pairs(cells: Sequence[Cell], factor: str, baseline: Level) -> list[tuple[Cell, Cell]]:
    """Match each cell with the one at the baseline level that is alike in all other factors."""

    def rest(cell: Cell) -> tuple[Level, ...]:
        return tuple(level for name, level in cell.levels.items() if name != factor)

    partners = {rest(cell): cell for cell in cells if cell.levels[factor] == baseline}
    return [
        (cell, partners[rest(cell)]) for cell in cells if cell.levels[factor] != baseline and rest(cell) in partners
    ]


def _level_ratio(factor: str, other: Level, baseline: Level, logs: list[float], level: float) -> LevelRatio:
    n = len(logs)
    centre = math.fsum(logs) / n
    low, high, error = -math.inf, math.inf, math.nan
    if n > 1:
        spread = math.sqrt(math.fsum((one - centre) ** 2 for one in logs) / (n - 1))
        error = spread / math.sqrt(n)
        reach = float(special.stdtrit(n - 1, (1 + level) / 2)) * error
        low, high = math.exp(centre - reach), math.exp(centre + reach)
    return LevelRatio(
        factor=factor,
        level=other,
        baseline=baseline,
        estimate=Estimate(
            value=math.exp(centre),
            low=low,
            high=high,
            unit="x",
            confidence_level=level,
            n=n,
            method="geometric mean of matched cell ratios, t interval on logarithms",
            standard_error=math.exp(centre) * error,
        ),
        lowest=math.exp(min(logs)),
        highest=math.exp(max(logs)),
    )
