"""Figures of merit of the effects: what one more of a factor costs, and what a level takes beside another."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from benchlib.answers.effects import EffectModel, EffectsAnswer, ratio_evidence, slope_evidence
from benchlib.answers.grouping import label
from benchlib.report.wording.cards.card import Card
from benchlib.report.wording.sentences import singular
from benchlib.report.wording.words import evident_figure, evident_interval, metric_name


def effects_cards(answer: EffectsAnswer, compared: Collection[tuple[str, str, str]] = ()) -> Iterator[Card]:
    """Choose figures of merit of the effects: slopes and ratios of the first group, then slopes of the second.

    Ratios of what is ``compared``, as column, candidate and baseline, are left to the comparison and its verdict.
    """
    for place, model in enumerate(answer.models[:2]):
        yield from _slopes(model)
        if place == 0:
            yield from _ratios(model, compared)


def _slopes(model: EffectModel) -> Iterator[Card]:
    """Tell the steepest slope of a group, where it is least and where it is most."""
    # A slope of a line that misses its cells is no cost of one more.
    slopes = [one for one in model.fit.slopes if not one.misses_cells]
    if not slopes:
        return
    steepest = max(slopes, key=lambda one: abs(one.estimate.value))
    same = sorted(
        (one for one in slopes if one.factor == steepest.factor),
        key=lambda one: one.estimate.value,
    )
    # What may be nothing is no figure of merit.
    shown = [one for one in (same[0].estimate, same[-1].estimate) if not one.low <= 0 <= one.high]
    for one in dict.fromkeys(shown):
        where = next(slope for slope in same if slope.estimate is one)
        yield Card(
            label=f"{label(model.key)}: {metric_name(model.metric)} of one more {singular(steepest.factor)}",
            value=evident_figure(one, slope_evidence(model, where)),
            interval=evident_interval(one, slope_evidence(model, where)),
            change="",
            target="",
            note=label(where.slice),
        )


def _ratios(model: EffectModel, compared: Collection[tuple[str, str, str]]) -> Iterator[Card]:
    """Tell the first ratios of a group that differ from 1."""
    ratios = [
        one
        for one in model.fit.ratios
        if one.estimate.has_interval and (one.factor, str(one.level), str(one.baseline)) not in compared
    ]
    for ratio in [one for one in ratios if not one.estimate.low <= 1 <= one.estimate.high][:2]:
        behind = ratio_evidence(model, ratio)
        yield Card(
            label=f"{label(model.key)}: {ratio.factor} {ratio.level} against {ratio.baseline}",
            value=evident_figure(ratio.estimate, behind),
            interval=evident_interval(ratio.estimate, behind),
            change="",
            target="",
            note=f"{metric_name(model.metric)}, over matched cells",
        )
