"""Effects as tables of words: the slopes and ratios of every model, and every combination of levels."""

from __future__ import annotations

from benchlib.answers.effects import EffectsAnswer, ratio_evidence, slope_evidence
from benchlib.answers.evidence import Evidence
from benchlib.answers.grouping import label
from benchlib.effects.additive import Slope
from benchlib.effects.cells import Cell
from benchlib.report.wording.markup import Table
from benchlib.report.wording.tables import NONE, table
from benchlib.report.wording.told import Told, evident, told
from benchlib.report.wording.words import evident_figure, evident_interval
from benchlib.units import percent


def effects_table(answer: EffectsAnswer) -> Table:
    """Slopes and ratios of every model."""
    rows = []
    for model in answer.models:
        name = label(model.key)
        for slope in model.fit.slopes:
            where, behind = label(slope.slice) or NONE, slope_evidence(model, slope)
            rows.append(
                (name, model.metric, f"one more of {slope.factor}", where, *_cost(slope, behind),
                 evident(str(slope.n_cells), behind, slope.n_cells))
            )  # fmt: skip
        for ratio in model.fit.ratios:
            behind = ratio_evidence(model, ratio)
            rows.append(
                (name, model.metric, f"{ratio.factor} {ratio.level} against {ratio.baseline}", NONE,
                 evident_figure(ratio.estimate, behind),
                 evident_interval(ratio.estimate, behind),
                 evident(str(ratio.n_matched), behind, ratio.n_matched))
            )  # fmt: skip
    return table(
        "Effects of the factors",
        ("group", "metric", "effect", "at", "estimate", "interval", "cells"),
        rows,
        words=4,
    )


def _cost(slope: Slope, behind: Evidence) -> tuple[str, str]:
    """Write what one more costs and its interval; a line that misses its cells has no such cost."""
    if slope.misses_cells:
        return NONE, told(f"no straight line: misses by {percent(slope.relative_error)}", behind)
    return evident_figure(slope.estimate, behind), evident_interval(slope.estimate, behind)


def cells_table(answer: EffectsAnswer) -> list[tuple[str, Table]]:
    """Every combination of levels, measured or missing, a table a group with its metrics side by side."""
    made = []
    for key in dict.fromkeys(label(model.key) for model in answer.models):
        models = [model for model in answer.models if label(model.key) == key]
        factors = list(dict.fromkeys(factor for cell in models[0].cells for factor in cell.levels))
        by_place = [
            {
                tuple(cell.levels.get(factor) for factor in factors): (cell, behind)
                for cell, behind in zip(model.cells, model.cell_evidence, strict=True)
            }
            for model in models
        ]
        places = list(by_place[0]) + [tuple(one.get(factor) for factor in factors) for one in models[0].table.missing]
        heads = [head for model in models for head in (model.metric, f"{model.metric} interval")]
        rows = [
            (
                *(str(level) for level in place),
                _cell_size(*by_place[0][place]) if place in by_place[0] else "missing",
                *(
                    text
                    for cells in by_place
                    for text in (_cell_figures(*cells[place]) if place in cells else (NONE, NONE))
                ),
            )
            for place in places
        ]
        made.append((key, table(f"{key}: every cell", (*factors, "n", *heads), rows, words=len(factors))))
    return made


def _cell_size(cell: Cell, behind: Evidence) -> Told:
    return evident(str(cell.n), behind, cell.n)


def _cell_figures(cell: Cell, behind: Evidence) -> tuple[Told, Told]:
    return evident_figure(cell.median, behind), evident_interval(cell.median, behind)
