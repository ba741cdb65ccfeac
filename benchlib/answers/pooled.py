"""The evidence of a statement made of several numbers: the rows of all of them, and how it follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from benchlib.answers.bottleneck import BottleneckAnswer, BottleneckRow
from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.answers.claims import _ClaimVerdict
from benchlib.answers.comparison import (
    ComparisonAnswer,
    ComparisonRow,
    comparison_evidence,
    control_evidence,
    undecided_groups,
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
from benchlib.answers.serialise import to_dict
from benchlib.answers.targets import Status
from benchlib.caveats import SEVERITIES, Caveat
from benchlib.statistics.compare import Verdict

__all__ = [
    "add_evidence",
    "caveat_evidence",
    "effects_evidence",
    "latency_evidence",
    "plan_evidence",
    "summary_evidence",
    "tallies",
    "twins_evidence",
    "verdict_tallies",
]


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


def add_evidence(plain: dict[str, Any], answer: object) -> dict[str, Any]:
    """Put the evidence of this module into the plain data of an answer, as ``pooled_evidence`` of what it is of.

    A comparison says beside it what its undecided rows could have shown, and counts its verdicts.
    """
    for data, evidence in _places(plain, answer):
        data["pooled_evidence"] = to_dict(evidence)
    for data, comparison in _comparisons(plain, answer):
        data["undecided"] = to_dict(undecided_groups(comparison.rows, comparison.confidence_level))
        data["tallies"] = to_dict(verdict_tallies(comparison))
    return plain


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


def caveat_evidence(*answers: object) -> Mapping[Caveat, Evidence]:
    """Return the evidence of the numbers in each caveat: the rows of the answer that gave it.

    A caveat of several answers has the rows of the first, that of a control its own.
    """
    compared = (answer for answer in answers if isinstance(answer, ComparisonAnswer))
    evidence_of = {said: evidence for comparison in compared for said, evidence in control_evidence(comparison).items()}
    for answer, evidence in _sources(answers):
        for caveat in answer.caveats:
            failures = caveat.code == "failed-results" and isinstance(answer, DataQuality)
            evidence_of.setdefault(caveat, _failures(answer) if failures else evidence)
    return evidence_of


def _failures(answer: Any) -> Evidence:
    """Return the rows of failed calls, which stand in no table."""
    return pool((failure.evidence for failure in answer.failed), "failed operations as the tool counted them")


def summary_evidence(summary: ExecutiveSummary) -> Mapping[Caveat, Evidence]:
    """Return the evidence of the numbers in each caveat of a summary."""
    # Data quality goes first: what it says of failed calls others repeat.
    answers = (summary.quality, summary.scaling, summary.effects, *summary.comparisons, summary.latency)
    evidence_of = caveat_evidence(*answers)
    return {caveat: evidence_of.get(caveat, summary.quality.evidence) for caveat in summary.caveats}


def _sources(answers: Iterable[object]) -> Iterator[tuple[Any, Evidence]]:
    """Give each answer that has caveats of its own with the rows it is made of, its parts first."""
    for answer in answers:
        match answer:
            case ScalingAnswer():
                yield from ((curve, curve_evidence(curve)) for curve in answer.curves)
            case EffectsAnswer():
                yield from ((breakdown, breakdown.evidence) for breakdown in answer.breakdowns)
            case PlanningAnswer():
                yield from ((load, load.evidence) for load in answer.loads)
        evidence = _evidence_of(answer)
        if evidence is not None:
            yield answer, evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many caveats, targets, claims or rows there are, and how many of each kind."""

    total: int
    counts: Mapping[str, int]
    evidence: Evidence


def tallies(summary: ExecutiveSummary) -> dict[str, Tally]:
    """Count the caveats of a summary by severity, its targets by status and its claims by verdict."""
    severities = [caveat.severity for caveat in summary.caveats]
    statuses = [target.status for target in summary.targets]
    verdicts = [claim.verdict for claim in summary.claims]
    targets = pool((target.evidence for target in summary.targets), "the targets, counted by status")
    claimed = (finding.evidence for claim in summary.claims for finding in claim.findings)
    claims = pool(claimed, "the claims of earlier reports, counted by verdict")
    caveats = pool([summary.quality.evidence], "the caveats of all answers, counted by severity")
    return {
        "caveats": _tally(severities, SEVERITIES, caveats),
        "targets": _tally(statuses, get_args(Status), targets),
        "claims": _tally(verdicts, get_args(_ClaimVerdict), claims),
    }


def verdict_tallies(answer: ComparisonAnswer) -> dict[str, Tally]:
    """Count the verdicts of a comparison metric by metric; rows of controls are not judged, nor counted."""
    rows: dict[str, list[ComparisonRow]] = {}
    for row in answer.rows:
        if not row.control:
            rows.setdefault(row.metric, []).append(row)
    formula = "row by row the median of the candidate over that of the baseline, and its verdict; counted by verdict"
    return {
        metric: _tally([row.verdict for row in same], get_args(Verdict), pool((row.evidence for row in same), formula))
        for metric, same in rows.items()
    }


def _tally(kinds: Sequence[str], known: Sequence[str], evidence: Evidence) -> Tally:
    return Tally(total=len(kinds), counts={kind: kinds.count(kind) for kind in known}, evidence=evidence)
