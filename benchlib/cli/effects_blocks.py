"""What ``benchlib effects`` tells a reader: a block for each group and metric, one for what concerns them all."""

from __future__ import annotations

import math
from collections.abc import Iterator

from benchlib.answers.effects import EffectModel, EffectsAnswer
from benchlib.answers.grouping import label
from benchlib.cli.blocks import Block, Grid
from benchlib.effects.cost_models import FittedModel
from benchlib.report.wording.effects_words import (
    breakdown_words,
    cost_words,
    exponent_words,
    importance_words,
    interaction_words,
    model_name,
    next_words,
    prediction_words,
    ratio_ends,
    rival_words,
    term_words,
)
from benchlib.report.wording.law_words import changed_words
from benchlib.report.wording.sentences import singular
from benchlib.report.wording.words import figure, interval
from benchlib.statistics.estimates import Estimate
from benchlib.units import confidence, show

NONE = "–"
#: So many rivals, and cells of a table, are written out; the rest is counted, and in the JSON.
_RIVALS_SHOWN, _CELLS_SHOWN = 5, 60


def effects_blocks(answer: EffectsAnswer) -> tuple[Block, ...]:
    """Return what a reader is told: a block a group and metric, one for what concerns them all."""
    return (*(_model_block(model) for model in answer.models), _last_block(answer))


def _model_block(model: EffectModel) -> Block:
    measured, missing = len(model.cells), model.table.missing_count
    gaps = f", {missing} combinations not measured" if missing else ""
    grids = [_cells_grid(model), _slopes_grid(model), _ratios_grid(model)]
    if model.cost is not None:
        grids.append(_terms_grid(model.cost.model.chosen))
    return Block(
        title=f"{model_name(model)}: {measured} cells of {' x '.join(model.table.factors)}, "
        f"{sum(cell.n for cell in model.cells)} measurements{gaps}",
        grids=tuple(grid for grid in grids if grid.rows),
        lines=tuple(_model_lines(model)),
    )


def _cells_grid(model: EffectModel) -> Grid:
    factors = list(model.table.factors)
    apart = {tuple(cell.levels.items()) for cell in model.fit.special_cells}
    rows = [
        (
            *(str(cell.levels[factor]) for factor in factors),
            str(cell.n),
            figure(cell.median),
            # In the unit beside it, which need not be said twice: wide names of levels leave no room.
            _interval(cell.median).removesuffix(f" {figure(cell.median).rpartition(' ')[2]}"),
            "set apart" if tuple(cell.levels.items()) in apart else "",
        )
        for cell in model.cells[:_CELLS_SHOWN]
    ]
    rows += [
        (*(str(levels[factor]) for factor in factors), "0", "not measured", NONE, "")
        for levels in model.table.missing[: max(0, _CELLS_SHOWN - len(rows))]
    ]
    level = confidence(model.cells[0].median.confidence_level)
    return Grid(heads=(*factors, "n", "median", f"{level} interval", ""), rows=tuple(rows), words=len(factors))


def _slopes_grid(model: EffectModel) -> Grid:
    rows = [
        (f"1 {singular(slope.factor)}", label(slope.slice) or NONE, figure(slope.estimate), _interval(slope.estimate),
         str(slope.n_cells))
        for slope in model.fit.slopes
    ]  # fmt: skip
    return Grid(heads=("a further", "at", "costs", "interval", "cells"), rows=tuple(rows), words=2)


def _ratios_grid(model: EffectModel) -> Grid:
    rows = [
        (ratio.factor, str(ratio.level), str(ratio.baseline), figure(ratio.estimate), _ratio(ratio.estimate),
         _change(ratio.estimate), str(ratio.n_matched))
        for ratio in model.fit.ratios
    ]  # fmt: skip
    heads = ("factor", "level", "against", "ratio", "interval", "change", "pairs")
    return Grid(heads=heads, rows=tuple(rows), words=3)


def _terms_grid(chosen: FittedModel) -> Grid:
    rows = [
        (
            f"for each {term_words(term)}" if term.factors else "fixed",
            label(term.slice) or NONE,
            figure(term.estimate),
            _error(term.estimate),
            _interval(term.estimate),
        )
        for term in chosen.terms
    ]
    rows += [
        (f"all of it at {scale.factor} {scale.level}", NONE, figure(scale.estimate), _error(scale.estimate),
         _ratio(scale.estimate))
        for scale in chosen.scales
    ]  # fmt: skip
    return Grid(heads=("cost model", "at", "estimate", "error", "given this form"), rows=tuple(rows), words=2)


def _error(estimate: Estimate) -> str:
    return NONE if math.isnan(estimate.standard_error) else show(estimate.standard_error, estimate.unit, 2)


def _change(ratio: Estimate) -> str:
    """Write a ratio as what it adds in percent, with a decimal only where the interval carries it."""
    sharp = ratio.has_interval and 50 * (ratio.high - ratio.low) < 1
    return f"{100 * (ratio.value - 1):+.{1 if sharp else 0}f} %".replace("-", "−")


def _ratio(estimate: Estimate) -> str:
    return ratio_ends(estimate).partition(": ")[2] or NONE


def _interval(estimate: Estimate) -> str:
    return interval(estimate).partition(": ")[2] or NONE


def _model_lines(model: EffectModel) -> Iterator[tuple[str, str]]:
    if importance_words(model):
        yield "matters", importance_words(model)
    for line in interaction_words(model):
        yield "together", line
    cost = model.cost
    if cost is None:
        return
    yield "model", cost_words(model)
    for line in exponent_words(model):
        yield "exponent", line
    rivals = cost.model.rivals[1:]
    for number, rival in enumerate(rivals[:_RIVALS_SHOWN], 1):
        yield f"rival {number}", rival_words(rival)
    if len(rivals) > _RIVALS_SHOWN:
        yield "rival", f"and {len(rivals) - _RIVALS_SHOWN} more, see --format json"
    for cell in cost.model.special_cells:
        yield (
            "apart",
            f"{label(cell.levels)}: {show(cell.observed, model.unit)} where the model expects "
            f"{show(cell.expected, model.unit)}",
        )
    for prediction in cost.predictions:
        yield "predicted", prediction_words(prediction)
    for advice in cost.next_cells[:1]:
        yield "next", next_words(advice)


def _last_block(answer: EffectsAnswer) -> Block:
    lines = [("parts", line) for breakdown in answer.breakdowns for line in breakdown_words(breakdown)]
    lines += [("scaling", changed_words(change)) for change in answer.scaling]
    lines += [("refused", f"{refusal.question} {refusal.reason}; {refusal.advice}") for refusal in answer.refusals]
    lines += [(caveat.severity, f"{caveat.message}. {caveat.advice}") for caveat in answer.caveats]
    return Block(title=f"All groups: {', '.join(answer.factors) or 'no factor'}", grids=(), lines=tuple(lines))
