"""Findings on effects and latency in words, made from answers and from nothing else."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchlib.answers.effects import EffectModel, EffectsAnswer, ratio_evidence, slope_evidence
from benchlib.answers.grouping import label
from benchlib.answers.latency import LatencyAnswer
from benchlib.effects.additive import Slope
from benchlib.effects.plain_effects import LevelRatio
from benchlib.report.wording.told import Told, evident, joined, told
from benchlib.report.wording.words import count, evident_figure, figure, interval, listed, metric_name, with_interval
from benchlib.units import show

__all__ = ["singular"]


def effects_findings(answer: EffectsAnswer, compared: Collection[tuple[str, str, str]] = ()) -> list[Told]:
    """Say what each factor costs, model by model.

    Ratios of what is ``compared``, as column, candidate and baseline, are left to the comparison and its verdict.
    """
    told = [model for model in answer.models if model.metric == answer.models[0].metric]
    return [line for model in told for line in _model(model, compared)]


def _model(model: EffectModel, compared: Collection[tuple[str, str, str]]) -> list[Told]:
    name = label(model.key)
    lines = []
    for place, slopes in _by_slice(model.fit.slopes):
        apart = _apart(model, slopes)
        parts = [_slope(one, apart) for one in sorted(slopes, key=lambda one: -abs(one.estimate.value))]
        # The slopes of a slice are of one fit: it misses the cells for all of them or for none.
        missed = f"{_misses(slopes[0])}; as fitted, " if slopes[0].misses_cells else ""
        said = f"{f' at {place}' if place else ''}: {missed}{listed(parts)}"
        lines.append(joined([name, told(said, slope_evidence(model, slopes[0]))]))
    what = metric_name(model.metric)
    ratios = [one for one in model.fit.ratios if (one.factor, str(one.level), str(one.baseline)) not in compared]
    lines += [told(f"{name}: {_ratio(one, what)}", ratio_evidence(model, one)) for one in ratios]
    lines += _special(model)
    return lines


def _ratio(one: LevelRatio, what: str) -> str:
    """Say what a level takes beside its baseline; without an interval clear of 1 it does not differ."""
    # Of a single pair the interval rests on its values alone: the rank tests of a comparison may refuse so few.
    alone = one.n_matched == 1 and one.estimate.has_interval
    cells = f"Welch's t on {one.estimate.n} values" if alone else f"{count(one.n_matched, 'pair')} of cells"
    if one.estimate.low <= 1 <= one.estimate.high:
        shown = f"{figure(one.estimate)}, {interval(one.estimate)}, {cells}"
        return f"{one.factor} {one.level} is not shown to differ from {one.factor} {one.baseline} in {what} ({shown})"
    return (
        f"{one.factor} {one.level} takes {figure(one.estimate)} the {what} of {one.factor} {one.baseline} "
        f"({interval(one.estimate)}, {cells})"
    )


def _by_slice(slopes: Sequence[Slope]) -> list[tuple[str, list[Slope]]]:
    found: dict[str, list[Slope]] = {}
    for one in slopes:
        found.setdefault(label(one.slice), []).append(one)
    return list(found.items())


def _misses(one: Slope) -> str:
    """Say that no one cost for each unit describes the cells of a slice, as the caution of its fit has it."""
    missed = f"{100 * one.relative_error:.0f} % of their cost"
    return f"no straight line holds the cells (the one fitted misses them by {missed})"


def _missed(model: EffectModel) -> list[Told]:
    """Say where a straight line misses the cells, of several slices where it does so most."""
    slices = [slopes[0] for _, slopes in _by_slice(model.fit.slopes) if slopes[0].misses_cells]
    if not slices:
        return []
    worst = max(slices, key=lambda one: one.relative_error)
    rest = f", nor in {count(len(slices) - 1, 'other slice')}" if len(slices) > 1 else ""
    return [told(f"{_misses(worst)}{_at(worst.slice)}{rest}", slope_evidence(model, worst))]


def _apart(model: EffectModel, slopes: Sequence[Slope]) -> str:
    """Name the cells set apart in the slices of some slopes, which say nothing of them."""
    numeric = list(dict.fromkeys(one.factor for one in model.fit.slopes))
    places = [
        label({factor: cell.levels[factor] for factor in numeric})
        for cell in model.fit.special_cells
        if any(all(cell.levels[factor] == level for factor, level in one.slice.items()) for one in slopes)
    ]
    return f", apart from {listed(list(dict.fromkeys(places)))}" if places else ""


def _apart_traced(model: EffectModel, slopes: Sequence[Slope]) -> Told:
    """Name the cells set apart, with the rows of the first of these slices."""
    return told(_apart(model, slopes), slope_evidence(model, slopes[0]))


def _slope(one: Slope, apart: str) -> str:
    found = one.estimate
    if found.low <= 0 <= found.high and not one.misses_cells:
        return f"an extra {singular(one.factor)} costs nothing that these cells show ({interval(found)}){apart}"
    if found.value < 0:
        saved = replace(found, value=-found.value, low=-found.high, high=-found.low)
        return f"an extra {singular(one.factor)} saves {with_interval(saved)}"
    return f"an extra {singular(one.factor)} costs {with_interval(found)}"


def singular(factor: str) -> str:
    """Name one of what a factor counts.

    Examples
    --------
    >>> singular("outputs"), singular("status"), singular("bits")
    ('output', 'status', 'bit')
    """
    return factor[:-1] if factor.endswith("s") and not factor.endswith(("ss", "us")) else factor


def _special(model: EffectModel) -> list[Told]:
    """Name cells apart, those with the same numeric levels together."""
    numeric = list(dict.fromkeys(one.factor for one in model.fit.slopes))
    found: dict[str, list[Any]] = {}
    # By the cost model where there is one: it is what the table and the answer say.
    for one in model.cost.model.special_cells if model.cost is not None else model.fit.special_cells:
        found.setdefault(label({factor: one.levels[factor] for factor in numeric}), []).append(one)
    lines = []
    for name, apart in found.items():
        first = apart[0]
        rest = f", and so in {count(len(apart) - 1, 'other slice')}" if len(apart) > 1 else ""
        observed, where = show(first.observed, model.unit), label(_without(first.levels, numeric))
        expected = f"{show(first.expected, model.unit)} at {where}{rest})"
        parts = [
            f"{label(model.key)}: ",
            told(f"{name} stands apart ({observed}", model.evidence_of(first.levels)),
            told(f" where the other cells lead one to expect {expected}", model.evidence),
        ]
        lines.append(joined(parts))
    return lines


def _without(levels: Mapping[str, Any], factors: Sequence[str]) -> dict[str, Any]:
    return {factor: level for factor, level in levels.items() if factor not in factors}


def _at(place: Mapping[str, Any]) -> str:
    return f" at {label(place)}" if place else ""


def effects_verdict(answer: EffectsAnswer) -> Told:
    """Answer the effects of the first model in one sentence."""
    if not answer.models:
        return Told("No factor varies in these rows; read the parts below.")
    model = next((one for one in answer.models if one.fit.slopes or one.fit.ratios), answer.models[0])
    return _verdict(answer, model)


def _verdict(answer: EffectsAnswer, model: EffectModel) -> Told:
    if not model.fit.slopes and not model.fit.ratios:
        factors = listed(list(answer.factors))
        return Told(f"{label(model.key)}: the effects of {factors} cannot be told apart in these cells.")
    if not model.fit.slopes:
        ratio = model.fit.ratios[0]
        shown = ratio.estimate.has_interval and not ratio.estimate.low <= 1 <= ratio.estimate.high
        doubt = "" if shown else ", which these cells do not show to be a difference"
        line = (
            f"{label(model.key)}: {ratio.factor} {ratio.level} takes {figure(ratio.estimate)} the "
            f"{metric_name(model.metric)} of {ratio.factor} {ratio.baseline} ({interval(ratio.estimate)}){doubt}."
        )
        return told(line, ratio_evidence(model, ratio))
    held = [one for one in model.fit.slopes if not one.misses_cells]
    if not held:
        return joined([f"{label(model.key)}: ", *_missed(model), "."])
    slices = _by_slice(held)
    steepest = max(slices[0][1], key=lambda one: abs(one.estimate.value))
    same = [one for one in held if one.factor == steepest.factor]
    ends = sorted(same, key=lambda one: one.estimate.value)
    noun = singular(steepest.factor)
    low, high = ends[0], ends[-1]
    clauses = [_cost(one, model) for one in ([low] if high is low else [low, high])]
    (verb, _), *_ = clauses
    # A verb that both share is said once.
    said = listed([joined([own, amount], " ") if own != verb else amount for own, amount in clauses])
    cost = joined([f"{label(model.key)}: an extra {noun} {verb} ", said])
    others = list(dict.fromkeys(one.factor for one in held if one.factor != steepest.factor))
    small = [
        singular(factor)
        for factor in others
        if all(one.estimate.low <= 0 <= one.estimate.high for one in held if one.factor == factor)
    ]
    also = (
        [f"; an extra {listed(small)} costs nothing that these cells show", _apart_traced(model, held)] if small else []
    )
    return joined([joined([joined([cost, *also]), *_missed(model)], "; "), "."])


def _cost(one: Slope, model: EffectModel) -> tuple[str, Told]:
    """Say what one more costs or saves, and where; nothing where its interval does not leave 0 out."""
    found, where, behind = one.estimate, _at(one.slice), slope_evidence(model, one)
    if found.low <= 0 <= found.high:
        return "costs", joined([f"nothing that these cells show{where}", _apart_traced(model, [one])])
    if found.value < 0:
        saved = replace(found, value=-found.value, low=-found.high, high=-found.low)
        return "saves", told(f"{figure(saved)}{where}", behind)
    return "costs", joined([evident_figure(found, behind), told(where, behind)])


def latency_findings(answer: LatencyAnswer, limit: int = 6) -> list[Told]:
    """Say how wide the tails are."""
    rows = [row for row in answer.rows if row.tail_ratio is not None]
    lines = []
    for row in sorted(rows, key=lambda row: -(row.tail_ratio or 0))[:limit]:
        p50, p99, behind = row.statistics["p50"].median, row.statistics["p99"].median, row.statistic_evidence
        parts = [
            f"{label(row.key)}: p99 is ",
            evident(f"{row.tail_ratio:.1f}x", behind["tail_ratio"], row.tail_ratio),
            " p50 (",
            evident_figure(p99, behind["p99"]),
            " against ",
            evident_figure(p50, behind["p50"]),
            ", ",
            told(f"n = {p99.n}", behind["p99"]),
            ")",
        ]
        lines.append(joined(parts))
    return lines
