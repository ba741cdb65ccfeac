"""Cost models as tables of words: which factor matters, coefficients, cells set apart, predictions."""

from __future__ import annotations

import math
from collections.abc import Iterator

from benchlib.answers.effects import EffectModel, EffectsAnswer
from benchlib.answers.grouping import label
from benchlib.effects.anova import VarianceTable
from benchlib.report.wording.effects_words import model_name, term_words
from benchlib.report.wording.markup import Table
from benchlib.report.wording.tables import NONE, known, table
from benchlib.report.wording.told import evident, told
from benchlib.report.wording.words import evident_figure, figure, interval
from benchlib.statistics.estimates import Estimate
from benchlib.units import confidence, percent, show


def importance_table(answer: EffectsAnswer) -> Table | None:
    """Which factor accounts for how much of the variance, a row a group and metric; None where none can be said."""
    varying = [(one, one.variance) for one in answer.models if one.variance is not None and one.variance.rows]
    if not varying:
        return None
    factors = [one for one in answer.factors if any(one in variance.main_shares for _, variance in varying)]
    return table(
        "Share of the variance of the logarithms (type II), special cells left out; where cells are left out or "
        "missing, factors go together and shares do not sum to 100 %",
        ("of", *factors, "two together", "noise and the rest", "cells", "n"),
        (
            (
                model_name(model),
                *(known(_share(variance, factor), model.evidence) for factor in factors),
                known(percent(variance.together_share, 2), model.evidence),
                known(percent(variance.residual_share, 2), model.evidence),
                evident(f"{variance.n_cells:,}", model.evidence, variance.n_cells),
                evident(f"{variance.n:,}", model.evidence, variance.n),
            )
            for model, variance in varying
        ),
    )


def _share(variance: VarianceTable, factor: str) -> str:
    share = next((row.share for row in variance.rows if row.factors == (factor,)), math.nan)
    return percent(share, 1)


def terms_table(model: EffectModel) -> Table | None:
    """The coefficients of the chosen cost model; None without one."""
    if model.cost is None:
        return None
    chosen, behind = model.cost.model.chosen, model.evidence
    rows = [
        (
            f"for each {term_words(one)}" if one.factors else "fixed",
            label(one.slice) or "everywhere",
            evident_figure(one.estimate, behind),
            known(_interval(one.estimate), behind, one.estimate.low),
            known(_error(one.estimate), behind, one.estimate.standard_error),
        )
        for one in chosen.terms
    ]
    rows += [
        (
            f"all of it, against {one.baseline}",
            f"{one.factor} {one.level}",
            evident(f"{one.estimate.value:.3f}x", behind, one.estimate.value),
            known(_interval(one.estimate), behind, one.estimate.low),
            known(_error(one.estimate), behind, one.estimate.standard_error),
        )
        for one in chosen.scales
    ]
    level = confidence(model.cost.model.chosen.terms[0].estimate.confidence_level) if chosen.terms else ""
    return table(
        f"{model_name(model)}: the chosen cost model ({chosen.degrees_of_freedom} degrees of freedom)",
        ("cost", "at", "estimate", f"{level} interval".strip(), "standard error"),
        rows,
        words=2,
    )


def special_table(answer: EffectsAnswer) -> Table | None:
    """The cells that are set apart, with what the model of the others expects there; None without any."""
    rows = [row for model in answer.models for row in _special(model)]
    if not rows:
        return None
    return table(
        "Cells set apart",
        ("of", "cell", "n", "measured", "expected from the others", "expected / measured"),
        rows,
        words=2,
    )


def _special(model: EffectModel) -> Iterator[tuple[str, ...]]:
    for one in model.cost.model.special_cells if model.cost is not None else model.fit.special_cells:
        yield (
            model_name(model),
            label(one.levels),
            evident(str(one.n), model.evidence_of(one.levels), one.n),
            evident(show(one.observed, model.unit), model.evidence_of(one.levels), one.observed),
            evident(show(one.expected, model.unit), model.evidence, one.expected),
            evident(f"{one.expected / one.observed:.3g}", model.evidence) if one.observed > 0 else NONE,
        )


def predictions_table(answer: EffectsAnswer) -> Table | None:
    """What the cells asked for would cost; None where none were asked for."""
    rows = [row for model in answer.models for row in _predicted(model)]
    if not rows:
        return None
    level = confidence(answer.confidence_level)
    return table(
        "Cells that were asked for",
        ("of", "cell", "predicted", f"{level} interval", "of one value"),
        rows,
        words=2,
    )


def _predicted(model: EffectModel) -> Iterator[tuple[str, ...]]:
    for one in model.cost.predictions if model.cost is not None else ():
        if one.estimate is None:
            yield model_name(model), label(one.at), "refused", NONE, NONE
            continue
        # The unit stands beside the value: said three times it leaves no room for the cell.
        value = figure(one.estimate)
        unit = f" {value.rpartition(' ')[2]}"
        single = NONE if one.new_value is None else _interval(one.new_value).removesuffix(unit)
        yield (
            model_name(model),
            label(one.at),
            evident(value, model.evidence, one.estimate.value),
            known(_interval(one.estimate).removesuffix(unit), model.evidence, one.estimate.low),
            known(single, model.evidence, one.new_value.low if one.new_value is not None else None),
        )


def prediction_remarks(answer: EffectsAnswer) -> list[str]:
    """Say why cells are refused and what to beware of in the others, each remark once."""
    found: list[str] = []
    for model in answer.models:
        for one in model.cost.predictions if model.cost is not None else ():
            place = label({factor: one.at[factor] for factor in answer.factors if factor in one.at})
            remarks = [f"refused: {one.refusal}"] if one.refusal else [caution.message for caution in one.caveats]
            found += [told(f"{place}: {remark}", model.evidence) for remark in remarks]
    return list(dict.fromkeys(found))


def _interval(estimate: Estimate) -> str:
    return interval(estimate).partition(": ")[2] or NONE


def _error(estimate: Estimate) -> str:
    return NONE if math.isnan(estimate.standard_error) else show(estimate.standard_error, estimate.unit)
