"""Sentences about what factors do: which one matters, cost models, predictions, parts, changes."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from benchlib.answers.effects import (
    BreakdownAnswer,
    EffectModel,
)
from benchlib.answers.grouping import label
from benchlib.effects.breakdown import Breakdown, PartShare
from benchlib.effects.cost_models import CostTerm, FittedModel
from benchlib.effects.interactions import RatioOfRatios, SlopeChange, SlopeRatio
from benchlib.effects.predict import NextCell, Prediction
from benchlib.report.wording.sentences import singular
from benchlib.report.wording.words import (
    count,
    figure,
    interval,
    listed,
    metric_name,
    with_interval,
)
from benchlib.statistics.estimates import Estimate
from benchlib.units import confidence, percent, show

__all__ = [
    "breakdown_words",
    "cost_words",
    "exponent_words",
    "importance_words",
    "interaction_words",
    "model_name",
    "next_words",
    "prediction_words",
    "ratio_ends",
    "rival_words",
    "term_words",
]

#: With coefficients of their own in this many slices a formula is told in words, its numbers in a table.
_SLICES_NAMED = 3
#: Beyond this many decimals an end is 1 to all intents.
_MOST_DECIMALS = 4
#: A share whose interval reaches this far has no upper end worth a number.
_NO_SHARE = 3.0
#: What accounts for less than this share of the variance is not named.
_NAMED_SHARE = 0.005


def model_name(model: EffectModel) -> str:
    """Name a group and its metric."""
    place = label(model.key)
    return f"{place}, {metric_name(model.metric)}" if place else metric_name(model.metric)


def importance_words(model: EffectModel) -> str:
    """Say which factor accounts for how much, the largest first, or that none is shown to; empty without a table.

    Shares are those without what noise alone would bring, where replicates tell it.
    """
    if model.variance is None or not model.variance.rows:
        return ""
    tested = [one for one in model.variance.rows if not math.isnan(one.pvalue)]
    rows = [
        (one, one.adjusted_share if tested else one.share) for one in model.variance.rows if one.shown or not tested
    ]
    told = [(" with ".join(one.factors), percent(share)) for one, share in rows if share >= _NAMED_SHARE]
    if not told:
        return "no factor is shown to account for any of the variance"
    first, *others = told
    plural = " with " in first[0] or singular(first[0]) != first[0]
    words = listed(
        [f"{first[0]} account{'' if plural else 's'} for {first[1]}", *(f"{name} for {of}" for name, of in others)]
    )
    apart = ", special cells left out" if model.fit.special_cells else ""
    untested = "" if tested else "; without replicates nothing tells this from noise"
    return f"of the variance of the logarithms{apart}, {words}{untested}"


def cost_words(model: EffectModel) -> str:
    """Write the chosen cost model, how far it misses, and how many others fit nearly as well."""
    if model.cost is None:
        return ""
    chosen = model.cost.model.chosen
    missed = chosen.relative_error
    misses = "" if math.isnan(missed) else f"; it misses the cells by {show(missed, 'ratio', 2)}"
    rivals = len(model.cost.model.rivals) - 1
    others = f"; {count(rivals, 'rival')} within BIC 6" if rivals else "; no other model comes within BIC 6"
    return f"{metric_name(model.metric)} = {formula_words(chosen)}{misses}{others}"


def formula_words(model: FittedModel) -> str:
    """Write a formula, or in words what its coefficients belong to where each slice has its own.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> formula_words(SimpleNamespace(formula="2 ms + 28 ms x outputs", terms=()))
    '2 ms + 28 ms x outputs'
    """
    slices = {tuple(one.slice.items()) for one in model.terms if one.slice}
    if len(slices) < _SLICES_NAMED:
        return model.formula
    parts = list(dict.fromkeys(term_words(one) for one in model.terms))
    summed = listed([f"a cost for each {one}" if one else "a fixed cost" for one in parts])
    axes = listed(list(dict.fromkeys(axis for one in model.terms for axis in one.slice)))
    scaled = "".join(
        f", times {figure(one.estimate).removesuffix('x')} at {one.factor} {one.level}" for one in model.scales
    )
    own = "their own" if len(parts) > 1 else "its own"
    return f"{summed}, of {own} at each {axes} ({len(slices)} slices){scaled}"


def term_words(term: CostTerm) -> str:
    """Name what a coefficient multiplies; empty for the fixed cost."""
    told = []
    for factor, power, log in zip(term.factors, term.powers, term.logs, strict=True):
        if power == 1 and not log:
            told.append(singular(factor))
            continue
        raised = [factor if power == 1 else f"{factor}^{power:g}"] if power else []
        told.append(" * ".join([*raised, *([f"log2({factor})"] if log else [])]))
    return " * ".join(told)


def rival_words(rival: FittedModel) -> str:
    """Write a rival with its distance and its share among the rivals."""
    return f"{formula_words(rival)} (BIC {rival.delta_bic:+.1f}, weight {percent(rival.weight)})"


def exponent_words(model: EffectModel) -> list[str]:
    """Say which power the data themselves give each factor."""
    if model.cost is None:
        return []
    found = []
    for factor, one in model.cost.model.exponents.items():
        ends = interval(one) if one.has_interval else "no interval"
        found.append(f"the data give {factor} the power {one.value:.2f} ({ends})")
    return found


def interaction_words(model: EffectModel) -> list[str]:
    """Say what one factor does to the effect of another, where the data show that it does anything."""
    if model.interactions is None:
        return []
    return [_interaction(one) for one in model.interactions.shown]


def _interaction(one: SlopeRatio | SlopeChange | RatioOfRatios) -> str:
    if isinstance(one, SlopeRatio):
        return (
            f"the cost of an extra {singular(one.factor)} at {one.by} {one.level} is {_times(one.ratio)} that at "
            f"{one.by} {one.baseline} ({ratio_ends(one.ratio)}, {count(one.n_slices, 'slice')})"
        )
    if isinstance(one, SlopeChange):
        first, second = one.factors
        at = f" at {label(one.slice)}" if one.slice else ""
        return (
            f"each further {singular(second)} adds {with_interval(one.estimate)} to the cost of an extra "
            f"{singular(first)}{at}"
        )
    (first, second), (level, other), (base, other_base) = one.factors, one.levels, one.baselines
    return (
        f"the ratio of {first} {level} to {base} is at {second} {other} {_times(one.estimate)} what it is at "
        f"{second} {other_base} ({ratio_ends(one.estimate)})"
    )


def _times(ratio: Estimate) -> str:
    return figure(ratio)


def ratio_ends(ratio: Estimate) -> str:
    """Write the interval of a ratio with as many decimals as tell an end from 1: that is what it is read for.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from benchlib.statistics.estimates import point
    >>> ratio_ends(replace(point(0.975, "x", 8, "t"), low=0.956, high=0.998))
    '95 %: 0.956x to 0.998x'
    """
    if not ratio.has_interval:
        return "no interval"
    decimals = 2
    while decimals < _MOST_DECIMALS and any(round(end, decimals) == 1 and end != 1 for end in (ratio.low, ratio.high)):
        decimals += 1
    level = confidence(ratio.confidence_level)
    return f"{level}: {ratio.low:.{decimals}f}x to {ratio.high:.{decimals}f}x"


def prediction_words(one: Prediction) -> str:
    """Write what a cell would cost, or why that is not said."""
    place = label(one.at)
    if one.estimate is None:
        return f"{place}: refused, {one.refusal}"
    single = f"; a single measurement {_range(one.new_value)}" if one.new_value is not None else ""
    cautions = "".join(f"; {caution.message}" for caution in one.caveats)
    return f"{place}: {with_interval(one.estimate)}{single}{cautions}"


def _range(estimate: Estimate) -> str:
    return interval(estimate).partition(": ")[2] or "has no interval"


def next_words(one: NextCell) -> str:
    """Say which cell to measure, how often, and what it would tell."""
    times = "once" if one.repetitions == 1 else f"{one.repetitions:,} times"
    again = f"{times} more" if one.measured else times
    return (
        f"measure {label(one.at)}, {again}: the chosen model expects {figure(one.chosen)} there, rival "
        f"{one.rival_place} {figure(one.rival)}"
    )


def breakdown_words(one: BreakdownAnswer) -> list[str]:
    """Say what a whole is made of: over all cells where there are several, the extremes of each part.

    Rows that the study keeps out of its curves are said to be such, with its reason.
    """
    left_out = f"; kept out of the scaling curves: {one.left_out}" if one.left_out else ""
    place = f", {label(one.key)}" if one.key else ""
    if len(one.cells) == 1:
        ((at, broken),) = one.cells
        where = f" at {label(at)}" if at else ""
        return [f"{one.whole}{place}{where} ({figure(broken.whole)}): {_parts(broken)}{left_out}"]
    told = []
    for name in dict.fromkeys(part.name for _, broken in one.cells for part in broken.parts):
        shares = [_part(broken, name) for _, broken in one.cells]
        noted = {"estimated": ", estimated by the author", "profiled": ", from a profile"}.get(shares[0].source, "")
        told.append(f"{name} {_middle([part.share.value for part in shares])}{noted}")
    rest = _middle([broken.rest.value for _, broken in one.cells])
    middle = f"{one.whole}{place}, in the middle of {count(len(one.cells), 'cell')}"
    return [f"{middle}: {listed(told)}; unexplained {rest}{left_out}"]


def _middle(shares: Sequence[float]) -> str:
    """Write the median of shares, and the range they take."""
    return f"{percent(statistics.median(shares))} ({percent(min(shares))} to {percent(max(shares))})"


def _part(broken: Breakdown, name: str) -> PartShare:
    return next(part for part in broken.parts if part.name == name)


def _parts(broken: Breakdown) -> str:
    told = [f"{part.name} {_share(part)}" for part in broken.parts]
    rest = broken.rest
    ends = f" ({_share_ends(rest)})" if rest.has_interval else ""
    return f"{listed(told)}; unexplained {percent(rest.value)}{ends}"


def _share(part: PartShare) -> str:
    if part.source == "estimated":
        return f"{percent(part.share.value)} (estimated by the author)"
    if part.source == "profiled":
        return f"{percent(part.share.value)} (from a profile)"
    return f"{percent(part.share.value)}{f' ({_share_ends(part.share)})' if part.share.has_interval else ''}"


def _share_ends(share: Estimate) -> str:
    if share.high > _NO_SHARE:
        # More than the whole several times over: only the lower end says something.
        return f"{confidence(share.confidence_level)}: at least {percent(share.low)}"
    return f"{confidence(share.confidence_level)}: {percent(share.low)} to {percent(share.high)}"
