"""What a page of effects shows of one group: figures with their captions, sentences, folded tables."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from benchlib.answers.effects import BreakdownAnswer, EffectModel
from benchlib.answers.evidence import Evidence
from benchlib.answers.grouping import label
from benchlib.answers.pooled import caveat_evidence
from benchlib.plots.effects import effects_figure
from benchlib.plots.effects_bars import ratios_figure
from benchlib.plots.effects_breakdown import breakdown_figure, interval_goes_on
from benchlib.plots.effects_cells import cells_figure
from benchlib.plots.effects_curves import curves_figure, drawn_predictions
from benchlib.plots.effects_marks import shown_scale
from benchlib.plots.effects_models import predicted_figure
from benchlib.report.effects_captions import apart_words, marks_words
from benchlib.report.sections import details
from benchlib.report.wording.caveats import caveat_list
from benchlib.report.wording.cost_tables import terms_table
from benchlib.report.wording.effects_words import (
    breakdown_words,
    cost_words,
    exponent_words,
    interaction_words,
    model_name,
    next_words,
    rival_words,
)
from benchlib.report.wording.markup import bullets, paragraph, render_table, tag
from benchlib.report.wording.told import told
from benchlib.report.wording.words import count, listed, metric_name

#: Rivals written out; the JSON holds them all.
MOST_RIVALS = 5


def ratios_of(model: EffectModel) -> list[object]:
    """Return the name of a group, and the bars of its ratios where there are any."""
    ratios = [f"{one.factor} {one.level} against {one.baseline} {one.estimate.value:.2f}x" for one in model.fit.ratios]
    chart = ratios_figure(
        model,
        alt=f"{model_name(model)}: {listed(ratios)}.",
        caption="Bars begin at 1, where a level costs what its baseline costs; whiskers are intervals. Over matched "
        "cells, special ones left out.",
    )
    return [tag("h3", model_name(model)), *([chart] if chart is not None else [])]


def model_of(model: EffectModel) -> list[object]:
    """Return the cost model with its rivals and figures, and whether it can be believed."""
    cost = model.cost
    if cost is None:
        return []
    blocks: list[object] = [tag("h3", model_name(model)), paragraph(told(f"{cost_words(model)}.", model.evidence))]
    blocks.append(_lines(exponent_words(model), model.evidence))
    chart = curves_figure(
        model,
        alt=f"{model_name(model)} by its cost model. {cost_words(model)}.",
        caption=_curves_caption(model),
    )
    coefficients = terms_table(model)
    if coefficients is not None:
        blocks.append(details("Coefficients", render_table(coefficients)))
    rivals = cost.model.rivals[1:]
    if rivals:
        more = [f"and {len(rivals) - MOST_RIVALS} more"] if len(rivals) > MOST_RIVALS else []
        shown = [*(rival_words(one) for one in rivals[:MOST_RIVALS]), *more]
        blocks.append(details(f"{count(len(rivals), 'rival')} within BIC 6", _lines(shown, model.evidence)))
    if chart is not None:
        blocks.append(chart)
    blocks += _believed(model)
    if cost.next_cells:
        blocks.append(paragraph("To tell the chosen model from its closest rival:"))
        blocks.append(_lines((next_words(one) for one in cost.next_cells), model.evidence))
    return blocks


def _lines(lines: Iterable[str], evidence: Evidence) -> Markup:
    """Return sentences whose numbers come from one evidence."""
    return bullets(told(line, evidence) for line in lines)


def _believed(model: EffectModel) -> list[object]:
    chart = predicted_figure(
        model,
        alt=f"{model_name(model)}: measured against predicted. {cost_words(model)}",
        caption="On the dashed line a cell costs what the model says." + apart_words(model),
    )
    return [chart] if chart is not None else []


def _curves_caption(model: EffectModel) -> str:
    assert model.cost is not None
    rivals = len(model.cost.model.rivals)
    caption = "Lines: " + (
        "the chosen model" if rivals == 1 else f"the chosen model averaged with its {_rivals(rivals)}"
    )
    caption += ", with its band; marks: medians of cells."
    if drawn_predictions(model):
        caption += " Hollow marks are predictions; on grey ground nothing was measured."
    return caption + marks_words(model)


def _rivals(models: int) -> str:
    return "rival" if models == 2 else f"{models - 1} rivals"


def interactions_of(model: EffectModel) -> list[object]:
    """Return what factors do together: lines that part, and sentences."""
    lines = interaction_words(model)
    chart = effects_figure(
        model,
        alt=f"{model_name(model)}: medians of cells. {'. '.join(lines) or 'No factor is shown to change another'}.",
        caption="Medians of cells with their intervals; lines that part or bend are factors that work together."
        + marks_words(model),
    )
    if chart is None and not lines:
        return []
    shown = _lines(lines, model.evidence) if lines else paragraph("No factor is shown to change the effect of another.")
    return [tag("h3", model_name(model)), *([chart] if chart is not None else []), shown]


def cells_of(model: EffectModel) -> list[object]:
    """Return the grid of cells; nothing where it would say no more than the table."""
    _, unit = shown_scale(model)
    marks = " Dotted outline: set apart." if model.fit.special_cells else ""
    marks += " Dash: not measured." if model.table.missing_count else ""
    chart = cells_figure(
        model,
        alt=f"{model_name(model)}: the median of each of {len(model.cells)} cells.",
        caption=f"Medians in {unit}; darker is more, by its logarithm.{marks}",
    )
    return [] if chart is None else [tag("h3", model_name(model)), chart]


def breakdown_of(one: BreakdownAnswer) -> list[object]:
    """Return a whole and its parts."""
    lines = breakdown_words(one)
    where = f"{label(one.key)}, " if one.key else ""
    chart = breakdown_figure(
        one,
        alt=f"{one.name}. {'. '.join(lines)}.",
        caption="Shares of the geometric mean; whiskers are intervals of shares that were measured. Hatched grey is "
        "what no part explains; past 100 % the parts cost more than the whole."
        f"{' Arrow: the interval goes on.' if interval_goes_on(one) else ''}",
    )
    shown = [chart] if chart is not None else []
    heading = tag("h3", f"{one.name} ({where}{metric_name(one.metric)})")
    return [heading, *shown, _lines(lines, one.evidence), caveat_list(one.caveats, caveat_evidence(one))]
