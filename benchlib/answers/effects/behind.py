"""What stands behind a slope or a ratio: the cells that it is told from, and no others of their group."""

from __future__ import annotations

from benchlib.answers.effects.answer import EffectModel
from benchlib.answers.evidence import Evidence, pool
from benchlib.effects.additive import Slope
from benchlib.effects.plain_effects import LevelRatio

__all__ = ["ratio_evidence", "slope_evidence"]


def slope_evidence(model: EffectModel, slope: Slope) -> Evidence:
    """Return the rows of the slice that a slope is of.

    Examples
    --------
    >>> import benchlib
    >>> model = benchlib.analyse_effects("data/lplex", metric="time").models[0]
    >>> slope_evidence(model, model.fit.slopes[0]).formula
    'additive least squares on the medians of these cells'
    """
    return pool(
        (
            behind
            for cell, behind in zip(model.cells, model.cell_evidence, strict=True)
            if all(cell.levels.get(factor) == level for factor, level in slope.slice.items())
        ),
        "additive least squares on the medians of these cells",
    )


def ratio_evidence(model: EffectModel, ratio: LevelRatio) -> Evidence:
    """Return the rows of the cells at a level and at its baseline."""
    return pool(
        (
            behind
            for cell, behind in zip(model.cells, model.cell_evidence, strict=True)
            if cell.levels.get(ratio.factor) in (ratio.level, ratio.baseline)
        ),
        f"geometric mean of the ratios of medians, {ratio.factor} {ratio.level} over {ratio.baseline}, "
        "between cells that are alike in all else",
    )
