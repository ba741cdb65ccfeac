"""The executive summary: every question of a study asked once, and one status for the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from benchlib.answers.alternatives import AlternativesAnswer, alternatives_answer
from benchlib.answers.asking import Refusal
from benchlib.answers.audit import Audit
from benchlib.answers.bottleneck import BottleneckAnswer, bottleneck_answer
from benchlib.answers.capacity import plan_capacity
from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.answers.claims import ClaimAnswer, check_claims
from benchlib.answers.comparison import ComparisonAnswer, compare_study, controls_moved
from benchlib.answers.effects import BreakdownAnswer, EffectsAnswer, _break_down_study, analyse_effects
from benchlib.answers.latency import LatencyAnswer, OperatingAnswer, latency_answer, operating_answer
from benchlib.answers.noise import NoiseAnswer, noise
from benchlib.answers.quality import DataQuality, assess_quality
from benchlib.answers.requests import RequestsAnswer, requests_answer
from benchlib.answers.samples import SampleTable, summarise_samples
from benchlib.answers.scaling import ScalingAnswer, fit_scaling
from benchlib.answers.sweeps import FEWEST_LEVELS
from benchlib.answers.targets import TargetAnswer, check_targets, doubt_times
from benchlib.answers.trend import TrendAnswer, trend
from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import BenchlibError
from benchlib.study import Study

__all__ = ["ExecutiveSummary", "executive_summary"]

_PageStatus = Literal["PASS", "WARN", "FAIL", "NO TARGETS"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutiveSummary:
    """All answers of one study.

    Attributes
    ----------
    study : Study
    parameters : mapping
        What the analysis was run with.
    status : {"PASS", "WARN", "FAIL", "NO TARGETS"}
        FAIL if a target is missed; WARN if one is open or an alert stands; NO TARGETS if the
        study sets none; else PASS.
    quality, samples, noise, scaling, effects, comparisons, latency, requests, trend, alternatives, targets
        The answers; a `Refusal` where the data cannot carry the question.
    plan : PlanningAnswer or Refusal
        What the target of ``[capacity]`` takes, where the study names one.
    operating : OperatingAnswer or Refusal
        Throughput and latency at each level of every sweep.
    bottleneck : BottleneckAnswer or Refusal
    breakdowns : tuple of BreakdownAnswer
        Wholes and their parts, as far as the study plans any.
    claims : tuple of ClaimAnswer
        What the results say of sentences of earlier reports.
    audit : Audit, Refusal or None
        What the intervals and verdicts of the leading question hold; None where nobody asked.
    caveats : tuple of Caveat
        Of all answers, most serious first.
    """

    study: Study
    parameters: Mapping[str, Any]
    status: _PageStatus
    quality: DataQuality
    samples: SampleTable | Refusal
    noise: NoiseAnswer | Refusal
    scaling: ScalingAnswer | Refusal
    effects: EffectsAnswer | Refusal
    comparisons: tuple[ComparisonAnswer | Refusal, ...]
    latency: LatencyAnswer | Refusal
    requests: RequestsAnswer | Refusal
    trend: TrendAnswer | Refusal
    alternatives: AlternativesAnswer | Refusal
    plan: PlanningAnswer | Refusal
    operating: OperatingAnswer | Refusal
    bottleneck: BottleneckAnswer | Refusal
    breakdowns: tuple[BreakdownAnswer, ...]
    targets: tuple[TargetAnswer, ...]
    claims: tuple[ClaimAnswer, ...]
    audit: Audit | Refusal | None
    caveats: tuple[Caveat, ...]


def executive_summary(study: Study, *, confidence_level: float = 0.95) -> ExecutiveSummary:
    """Ask a study every question that it and its data allow.

    Parameters
    ----------
    study : Study
    confidence_level : float
        Nominal coverage of every interval.

    Returns
    -------
    ExecutiveSummary

    Raises
    ------
    DataError
        If ``confidence_level`` is not between 0 and 1.

    Examples
    --------
    >>> from benchlib.study import open_study
    >>> summary = executive_summary(open_study("data/token-sdk"))
    >>> summary.caveats[0].code
    'failed-results'
    """
    quality = assess_quality(study)
    samples = summarise_samples(study, confidence_level=confidence_level)
    scaling = _with_a_shape(fit_scaling(study, confidence_level=confidence_level, budget=0))
    effects = analyse_effects(study, confidence_level=confidence_level, plain=True)
    comparisons = compare_study(study, confidence_level=confidence_level)
    latency = latency_answer(study, confidence_level=confidence_level)
    targets = check_targets(study, confidence_level=confidence_level)
    moved = controls_moved(study, comparisons)
    targets = doubt_times(targets, moved=moved)
    answers = (quality, samples, scaling, effects, *comparisons, latency)
    meant = [caveat("meant", words) for words in study.meant]
    caveats = merge(*(answer.caveats for answer in answers if not isinstance(answer, Refusal)), meant)
    return ExecutiveSummary(
        study=study,
        parameters={"study": study.name, "where": study.where, "confidence_level": confidence_level},
        status=_status(targets, caveats),
        quality=quality,
        samples=samples,
        noise=noise(study, confidence_level=confidence_level),
        scaling=scaling,
        effects=effects,
        comparisons=comparisons,
        latency=latency,
        requests=requests_answer(study, confidence_level=confidence_level),
        trend=trend(study, confidence_level=confidence_level),
        alternatives=alternatives_answer(samples),
        plan=_plan(study),
        operating=operating_answer(study, confidence_level=confidence_level),
        bottleneck=bottleneck_answer(study, confidence_level=confidence_level),
        breakdowns=_break_down_study(study, confidence_level=confidence_level)[0],
        targets=targets,
        claims=check_claims(
            study,
            scaling=scaling,
            comparisons=comparisons,
            latency=latency,
            moved=moved,
            confidence_level=confidence_level,
        ),
        audit=None,
        caveats=caveats,
    )


def _with_a_shape(scaling: ScalingAnswer | Refusal) -> ScalingAnswer | Refusal:
    """Keep the curves that can have a shape: two levels are a comparison, for the scaling study to tell."""
    if isinstance(scaling, Refusal):
        return scaling
    curves = tuple(curve for curve in scaling.curves if len(curve.points) >= FEWEST_LEVELS)
    if curves:
        return replace(scaling, curves=curves)
    return Refusal(
        question="scaling",
        reason=f"no benchmark was measured at {FEWEST_LEVELS} or more levels of {scaling.axis}",
        advice=f"measure throughput at more levels of {scaling.axis}; double it from 1",
    )


def _plan(study: Study) -> PlanningAnswer | Refusal:
    """Plan for the target of the study, if it names one; refuse a target that its curves cannot test."""
    if study.capacity.target is None:
        return Refusal(
            question="capacity",
            reason="the study names no throughput to plan for",
            advice="name target in [capacity] of study.toml, such as 50000/s",
        )
    try:
        return plan_capacity(study)
    except BenchlibError as error:
        return Refusal(question="capacity", reason=str(error), advice="change [capacity] in study.toml")


def _status(targets: tuple[TargetAnswer, ...], caveats: tuple[Caveat, ...]) -> _PageStatus:
    statuses = {target.status for target in targets}
    if "FAIL" in statuses:
        return "FAIL"
    if statuses & {"WARN", "NOT TESTED"} or any(caveat.severity == "alert" for caveat in caveats):
        return "WARN"
    return "PASS" if targets else "NO TARGETS"
