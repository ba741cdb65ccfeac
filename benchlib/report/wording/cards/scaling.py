"""Figures of merit of scaling: how far throughput grows, and which level is worth having."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchlib.answers.asking import Refusal
from benchlib.answers.capacity import CurveCapacity
from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.latency import BenchmarkGrowth
from benchlib.answers.scaling import CurveAnswer, speedup_evidence
from benchlib.report.wording.cards.card import Card
from benchlib.report.wording.curve_words import at_level, curve_phrase, told_growth
from benchlib.report.wording.growth_words import growth_certainty, growth_range
from benchlib.report.wording.told import evident, joined, told
from benchlib.report.wording.words import figure, interval, listed
from benchlib.units import percent

#: Curves whose speedup stands before the level worth having.
_FIRST = 3


def scaling_cards(summary: ExecutiveSummary) -> Iterator[Card]:
    """Tell the speedup of each curve and the level worth having; where no law can be fitted how far two levels grow."""
    if isinstance(summary.scaling, Refusal):
        if not isinstance(summary.operating, Refusal) and summary.operating.main is not None:
            yield _growth(summary.operating.main, summary.operating.axis)
        return
    first, others = summary.scaling.curves[:_FIRST], summary.scaling.curves[_FIRST:]
    yield from map(_curve, first)
    advised = [] if isinstance(summary.capacity, Refusal) else [one for one in summary.capacity.curves if one.advised]
    if advised:
        yield _balance(advised)
    yield from map(_curve, others)


def _balance(advised: Sequence[CurveCapacity]) -> Card:
    first = advised[0]
    levels = {one.returns.recommended: one.evidence for one in reversed(advised)}
    return Card(
        label="Best balance of speedup and efficiency",
        value=joined([f"{first.axis} ", listed([evident(f"{one:g}", levels[one], one) for one in sorted(levels)])]),
        interval="" if len(levels) == 1 else "the curves differ",
        change="",
        target="",
        note=told(f"{first.speedup:.2f}x at {percent(first.efficiency)} efficiency ({first.name})", first.evidence),
    )


def _curve(curve: CurveAnswer) -> Card:
    growth, point = told_growth(curve)
    evidence = speedup_evidence(curve, point.concurrency)
    span = f"from {at_level(curve.axis, curve.points[0].concurrency)} to {point.concurrency:g}"
    return Card(
        label=f"{'Best speedup' if point is not curve.points[-1] else 'Speedup'}, {curve.name}",
        value=told(figure(growth), evidence),
        interval=told(interval(growth) if growth.has_interval else f"n = {point.n} a level, no interval", evidence),
        change="",
        target="",
        note=joined([told(f"{span}; efficiency {percent(point.efficiency)}; ", evidence), curve_phrase(curve)]),
    )


def _growth(found: BenchmarkGrowth, axis: str) -> Card:
    one = found.middle
    among = [] if found.curves == 1 else ["; ", growth_range(found)]
    return Card(
        label=f"From {one.before:g} to {at_level(axis, one.after)}, {one.name}: throughput",
        value=told(figure(one.factor), one.evidence),
        interval=told(growth_certainty(one), one.evidence),
        change="",
        target="",
        note=joined([told(f"efficiency {percent(one.efficiency)}", one.evidence), *among]),
    )
