"""The evidence of a statement made of several numbers: the rows of all of them, and how it follows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchlib.answers.bottleneck import BottleneckAnswer, BottleneckRow
from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.answers.comparison import (
    ComparisonAnswer,
    comparison_evidence,
)
from benchlib.answers.effects import BreakdownAnswer, EffectModel, EffectsAnswer, ratio_evidence, slope_evidence
from benchlib.answers.evidence import Evidence, pool
from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.latency import LatencyAnswer
from benchlib.answers.quality import DataQuality
from benchlib.answers.repeatability import RepeatabilityAnswer, repeats_evidence
from benchlib.answers.scaling import (
    CurveAnswer,
    ScalingAnswer,
    curve_evidence,
    fall_evidence,
    scaling_evidence,
    speedup_evidence,
    step_evidence,
)

__all__ = ["twins_evidence"]


def effects_evidence(answer: EffectsAnswer) -> Evidence:
    """Return the rows of every group and metric."""
    parts = [*(model.evidence for model in answer.models), *(breakdown.evidence for breakdown in answer.breakdowns)]
    return pool(parts, "group by group: medians of cells, additive least squares and cost models over them")


def latency_evidence(answer: LatencyAnswer) -> Evidence:
    """Return the rows of every cell with latencies."""
    return pool((row.evidence for row in answer.rows), "medians over runs of the statistics as reported")


def plan_evidence(answer: PlanningAnswer) -> Evidence:
    """Return the rows of every load that is planned."""
    return pool((load.evidence for load in answer.loads), "load by load: nodes by joint draws of its curve")


def twins_evidence(*rows: BottleneckRow) -> Evidence:
    """Return the rows of serial benchmarks and of their parallel twins."""
    return pool(
        (evidence for row in rows for evidence in (row.serial_evidence, row.parallel_evidence)),
        "1 - measured / ideal, the ideal being N over the geometric mean of the serial times",
    )


def _comparisons(plain: dict[str, Any], answer: object) -> Iterator[tuple[dict[str, Any], ComparisonAnswer]]:
    if isinstance(answer, ComparisonAnswer):
        yield plain, answer
    elif isinstance(answer, ExecutiveSummary):
        pairs = zip(plain["comparisons"], answer.comparisons, strict=True)
        yield from ((data, pair) for data, pair in pairs if isinstance(pair, ComparisonAnswer))


def _places(plain: dict[str, Any], answer: object) -> Iterator[tuple[dict[str, Any], Evidence]]:
    """Give the plain data of an answer, and of its parts, with the evidence of each."""
    if isinstance(answer, ExecutiveSummary):
        for name in ("quality", "scaling", "effects", "latency", "bottleneck", "plan"):
            yield from _places(plain[name], getattr(answer, name))
        for data, comparison in zip(plain["comparisons"], answer.comparisons, strict=True):
            yield from _places(data, comparison)
        return
    evidence = _failures(answer) if isinstance(answer, DataQuality) else _evidence_of(answer)
    if evidence is not None:
        yield plain, evidence
    match answer:
        case ScalingAnswer():
            for data, curve in zip(plain["curves"], answer.curves, strict=True):
                yield data, curve_evidence(curve)
                yield from _levels(data, curve)
        case EffectsAnswer():
            for data, model in zip(plain["models"], answer.models, strict=True):
                yield from _effects(data["fit"] if "fit" in data else data["effects"], model)
        case BottleneckAnswer():
            for data, row in zip(plain["rows"], answer.rows, strict=True):
                yield data, twins_evidence(row)


def _evidence_of(answer: object) -> Evidence | None:
    """Return the rows that an answer as a whole is made of."""
    match answer:
        case ScalingAnswer():
            return scaling_evidence(answer)
        case ComparisonAnswer():
            return comparison_evidence(answer)
        case EffectsAnswer():
            return effects_evidence(answer)
        case LatencyAnswer():
            return latency_evidence(answer)
        case BottleneckAnswer():
            return twins_evidence(*answer.rows)
        case RepeatabilityAnswer():
            return repeats_evidence(answer)
        case PlanningAnswer():
            return plan_evidence(answer)
        case BreakdownAnswer() | DataQuality():
            return answer.evidence
    return None


def _levels(data: dict[str, Any], curve: CurveAnswer) -> Iterator[tuple[dict[str, Any], Evidence]]:
    """Give what follows from two levels of a curve with the rows of these."""
    for point, level in zip(data["points"], curve.points, strict=True):
        yield point, speedup_evidence(curve, level.concurrency)
    yield data["growth"], speedup_evidence(curve, curve.points[-1].concurrency)
    for step, taken in zip(data["shape"]["steps"], curve.shape.steps, strict=True):
        yield step, step_evidence(curve, taken.after)
    yield data["shape"], fall_evidence(curve)


def _effects(data: dict[str, Any], model: EffectModel) -> Iterator[tuple[dict[str, Any], Evidence]]:
    """Give slopes and ratios with the rows of the cells that they come from."""
    for plain, slope in zip(data["slopes"], model.fit.slopes, strict=True):
        yield plain, slope_evidence(model, slope)
    for plain, ratio in zip(data["ratios"], model.fit.ratios, strict=True):
        yield plain, ratio_evidence(model, ratio)


def _failures(answer: Any) -> Evidence:
    """Return the rows of failed calls, which stand in no table."""
    return pool((failure.evidence for failure in answer.failed), "failed operations as the tool counted them")
