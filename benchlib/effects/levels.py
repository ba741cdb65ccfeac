"""How much more one level of a factor costs than another, over cells alike in all else."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchlib.caveats import Caveat, caveat
from benchlib.effects.cells import Cell, Level
from benchlib.effects.plain_effects import Contrast, estimate_ratio, log_contrast
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
        Geometric mean of the matched ratios, unit ``"x"``.
    lowest, highest : float
        The matched ratios at the extremes.
    n_matched : int
        Pairs of cells.
    """

    factor: str
    level: Level
    baseline: Level
    estimate: Estimate
    lowest: float
    highest: float
    n_matched: int

    @property
    def percent(self) -> tuple[float, float, float]:
        """The change in percent of the baseline, and the ends of its interval."""
        value, low, high = (100 * (one - 1) for one in (self.estimate.value, self.estimate.low, self.estimate.high))
        return value, low, high


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
        Only where at least one pair of cells with positive values matches.
    caveats : list of Caveat

    References
    ----------
    `benchlib.effects.plain_effects.estimate_ratio`.

    Examples
    --------
    >>> from benchlib.effects.cells import build_cells
    >>> actions = ["discover"] * 3 + ["select"] * 3
    >>> table = build_cells({"action": actions}, [100, 101, 99, 118, 119, 117], unit="sec/op")
    >>> (one,), _ = compare_levels(table.cells, {"action": "discover"}, 0.95)
    >>> "{:+.0f} % ({:+.0f} to {:+.0f})".format(*one.percent)
    '+18 % (+16 to +21)'
    """
    found: list[LevelRatio] = []
    warned: list[Caveat] = []
    for factor, baseline in reference.items():
        matched: dict[Level, list[Contrast]] = {}
        without_ratio = 0
        for cell, partner in _pairs(cells, factor, baseline):
            pair = Contrast(over=(cell,), under=(partner,))
            matched.setdefault(cell.levels[factor], [])
            if pair.positive:
                matched[cell.levels[factor]].append(pair)
            else:
                without_ratio += 1
        found.extend(_level_ratio(factor, other, baseline, pairs, level) for other, pairs in matched.items() if pairs)
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


def _level_ratio(factor: str, other: Level, baseline: Level, pairs: list[Contrast], level: float) -> LevelRatio:
    logs = [log_contrast(one) for one in pairs]
    return LevelRatio(
        factor=factor,
        level=other,
        baseline=baseline,
        estimate=estimate_ratio(pairs, level),
        lowest=math.exp(min(logs)),
        highest=math.exp(max(logs)),
        n_matched=len(pairs),
    )
