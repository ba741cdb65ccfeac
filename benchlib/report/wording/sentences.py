"""Findings on effects and latency in words, made from answers and from nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchlib.answers.effects import EffectModel, EffectsAnswer
from benchlib.answers.grouping import label
from benchlib.answers.latency import LatencyAnswer
from benchlib.effects.marginal import Slope
from benchlib.report.wording.words import count, figure, interval, listed, metric_name, with_interval
from benchlib.units import show

__all__ = ["effects_findings", "effects_verdict", "latency_findings", "singular"]


def effects_findings(answer: EffectsAnswer) -> list[str]:
    """Say what each factor costs, model by model."""
    return [line for model in answer.models if model.metric == answer.models[0].metric for line in _model(model)]


def _model(model: EffectModel) -> list[str]:
    name = label(model.key)
    lines = []
    for place, slopes in _by_slice(model.fit.slopes):
        parts = [_slope(one) for one in sorted(slopes, key=lambda one: -abs(one.estimate.value))]
        lines.append(f"{name}{f' at {place}' if place else ''}: {listed(parts)}")
    for ratio in model.fit.ratios:
        lines.append(
            f"{name}: {ratio.factor} {ratio.level} takes {ratio.estimate.value:.2f}x the "
            f"{metric_name(model.metric)} of {ratio.factor} {ratio.baseline} "
            f"({interval(ratio.estimate)}, {count(ratio.n_matched, 'pair')} of cells)"
        )
    lines += _special(model)
    return lines


def _by_slice(slopes: Sequence[Slope]) -> list[tuple[str, list[Slope]]]:
    found: dict[str, list[Slope]] = {}
    for one in slopes:
        found.setdefault(label(one.slice), []).append(one)
    return list(found.items())


def _slope(one: Slope) -> str:
    if one.estimate.low <= 0 <= one.estimate.high:
        return f"an extra {singular(one.factor)} next to nothing ({interval(one.estimate)})"
    return f"an extra {singular(one.factor)} costs {with_interval(one.estimate)}"


def singular(factor: str) -> str:
    """Name one of what a factor counts.

    Examples
    --------
    >>> singular("outputs"), singular("status"), singular("bits")
    ('output', 'status', 'bit')
    """
    return factor[:-1] if factor.endswith("s") and not factor.endswith(("ss", "us")) else factor


def _special(model: EffectModel) -> list[str]:
    """Name cells apart, those with the same numeric levels together."""
    numeric = list(dict.fromkeys(one.factor for one in model.fit.slopes))
    found: dict[str, list[Any]] = {}
    for one in model.fit.special_cells:
        found.setdefault(label({factor: one.levels[factor] for factor in numeric}), []).append(one)
    lines = []
    for name, apart in found.items():
        first = apart[0]
        rest = f", and so in {count(len(apart) - 1, 'other slice')}" if len(apart) > 1 else ""
        lines.append(
            f"{label(model.key)}: {name} stands apart ({show(first.observed, model.unit)} where the other cells "
            f"lead one to expect {show(first.expected, model.unit)} at {label(_without(first.levels, numeric))}{rest})"
        )
    return lines


def _without(levels: Mapping[str, Any], factors: Sequence[str]) -> dict[str, Any]:
    return {factor: level for factor, level in levels.items() if factor not in factors}


def _at(place: Mapping[str, Any]) -> str:
    return f" at {label(place)}" if place else ""


def effects_verdict(answer: EffectsAnswer) -> str:
    """Answer the effects of the first model in one sentence."""
    if not answer.models:
        return "No factor varies in these rows; read the settings and parts below."
    model = next((one for one in answer.models if one.fit.slopes or one.fit.ratios), answer.models[0])
    if not model.fit.slopes and not model.fit.ratios:
        return f"{label(model.key)}: the effects of {listed(list(answer.factors))} cannot be told apart in these cells."
    if not model.fit.slopes:
        ratio = model.fit.ratios[0]
        shown = ratio.estimate.has_interval and not ratio.estimate.low <= 1 <= ratio.estimate.high
        doubt = "" if shown else ", which these cells do not show to be a difference"
        return (
            f"{label(model.key)}: {ratio.factor} {ratio.level} takes {ratio.estimate.value:.2f}x the "
            f"{metric_name(model.metric)} of {ratio.factor} {ratio.baseline} ({interval(ratio.estimate)}){doubt}."
        )
    slices = _by_slice(model.fit.slopes)
    steepest = max(slices[0][1], key=lambda one: abs(one.estimate.value))
    same = [one for one in model.fit.slopes if one.factor == steepest.factor]
    ends = sorted(same, key=lambda one: one.estimate.value)
    noun = singular(steepest.factor)
    low, high = ends[0], ends[-1]
    cost = f"{label(model.key)}: an extra {noun} costs {figure(low.estimate)}{_at(low.slice)}"
    if high is not low:
        cost += f" and {figure(high.estimate)}{_at(high.slice)}"
    others = list(dict.fromkeys(one.factor for one in model.fit.slopes if one.factor != steepest.factor))
    small = [
        singular(factor)
        for factor in others
        if all(one.estimate.low <= 0 <= one.estimate.high for one in model.fit.slopes if one.factor == factor)
    ]
    also = f"; an extra {listed(small)} costs next to nothing" if small else ""
    return f"{cost}{also}."


def latency_findings(answer: LatencyAnswer, limit: int = 6) -> list[str]:
    """Say how wide the tails are."""
    rows = [row for row in answer.rows if row.tail_ratio is not None]
    lines = []
    for row in sorted(rows, key=lambda row: -(row.tail_ratio or 0))[:limit]:
        p50, p99 = row.statistics["p50"].median, row.statistics["p99"].median
        lines.append(
            f"{label(row.key)}: p99 is {row.tail_ratio:.1f}x p50 ({show(p99.value, 'sec')} against "
            f"{show(p50.value, 'sec')}, {f'n = {p99.n}'})"
        )
    return lines
