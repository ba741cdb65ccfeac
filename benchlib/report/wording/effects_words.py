"""Sentences about what factors do: which one matters, cost models, predictions, parts, changes."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from benchlib.answers.effects import (
    AttributionAnswer,
    BreakdownAnswer,
    EffectModel,
    RelationAnswer,
)
from benchlib.answers.grouping import label
from benchlib.effects.breakdown import Breakdown, PartShare
from benchlib.effects.exponents import ExponentTest
from benchlib.effects.interactions import RatioOfRatios, SlopeChange, SlopeRatio
from benchlib.effects.models.answers import CostTerm, FittedModel
from benchlib.effects.models.left_out import LeftOut
from benchlib.effects.models.next_cells import NextCell
from benchlib.effects.models.prediction import Prediction
from benchlib.report.wording.law_words import signed_percent
from benchlib.report.wording.sentences import singular
from benchlib.report.wording.words import (
    count,
    figure,
    interval,
    listed,
    metric_name,
    share_decimals,
    with_interval,
)
from benchlib.statistics.estimates import Estimate
from benchlib.units import confidence, percent, show

__all__ = [
    "attribution_words",
    "breakdown_words",
    "cost_words",
    "exponent_words",
    "formula_words",
    "importance_words",
    "interaction_words",
    "left_out_words",
    "model_name",
    "next_words",
    "prediction_words",
    "ratio_ends",
    "relation_words",
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


def model_name(model: EffectModel | AttributionAnswer) -> str:
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


def left_out_words(found: LeftOut) -> str:
    """Say how often the others told of a cell what was measured there."""
    share = found.share
    if not share.n:
        return "no cell can be predicted from the others"
    held = round(share.value * share.n)
    return (
        f"each cell predicted from the others: {held} of {share.n} intervals hold what was measured "
        f"({percent(share.value)}, {_share_ends(share)}), "
        f"off by {show(found.relative_error, 'ratio', 2)} in the root mean square"
    )


def relation_words(one: RelationAnswer) -> str:
    """Say how one metric goes with another."""
    slope, ranks = one.relation.slope, one.relation.rank_correlation
    place = f"{label(one.key)}: " if one.key else ""
    return (
        f"{place}{metric_name(one.metric)} goes as {metric_name(one.other)} to the power {slope.value:.2f} "
        f"({_plain_ends(slope)}); rank correlation {ranks.value:.2f} ({_plain_ends(ranks)}) over "
        f"{count(one.relation.n_cells, 'cell')}, off by {percent(one.relation.relative_error)}"
    )


def _plain_ends(estimate: Estimate) -> str:
    if not estimate.has_interval:
        return "no interval"
    return f"{confidence(estimate.confidence_level)}: {estimate.low:.2f} to {estimate.high:.2f}".replace("-", "−")


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


def attribution_words(answer: AttributionAnswer) -> str:
    """Say by how much a cost changed, where from, and whether its exponents did."""
    found = answer.attribution
    parts = [
        f"{_signed(one.estimate)} ({_signed_ends(one.estimate)}) {_source(one.kind, one.factor)}" for one in found.parts
    ]
    exponents = "".join(f"; {_exponent(one)}" for one in found.exponents)
    if found.proportional:
        alike = f"{figure(found.common_factor)} ({ratio_ends(found.common_factor)})"
        exponents += f"; all cells moved alike, by {alike}: the machine alone could be the cause"
    return (
        f"{model_name(answer)}: {_signed(found.total)} ({_signed_ends(found.total)}) over "
        f"{count(found.n_cells, 'cell')}: {listed(parts)}{exponents}"
    )


def _source(kind: str, factor: str) -> str:
    if kind == "factor":
        return f"from what each {singular(factor)} costs"
    return {"fixed": "fixed", "special": "in cells that stand apart"}.get(kind, "that no model explains")


def _signed(share: Estimate) -> str:
    return signed_percent(share.value, share_decimals(share))


def _signed_ends(share: Estimate) -> str:
    if not share.has_interval:
        return "no interval"
    low, high = (signed_percent(one, share_decimals(share)) for one in (share.low, share.high))
    return f"{confidence(share.confidence_level)}: {low} to {high}"


def _exponent(one: ExponentTest) -> str:
    if one.verdict == "cannot tell":
        return f"whether the exponent of {one.factor} changed, these cells cannot tell"
    return f"the exponent of {one.factor} {one.verdict} ({one.baseline.value:.2f} to {one.candidate.value:.2f})"
