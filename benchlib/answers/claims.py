"""Does a sentence of an earlier report hold? Decided on intervals, place by place."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from benchlib.answers.asking import Refusal
from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.answers.evidence import Evidence, gather
from benchlib.answers.grouping import cells, label, place_axes
from benchlib.answers.latency import LatencyAnswer
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.errors import SelectionError, choices
from benchlib.metrics import better
from benchlib.results import condition, matches
from benchlib.statistics.estimates import Estimate, point
from benchlib.statistics.samples import estimate_median, ratio_of_few
from benchlib.study import About, ClaimPlan, ClaimRule, Study

__all__ = ["ClaimAnswer", "Finding"]

#: "not decided": the interval holds a bound. "not testable": nothing was measured, or without an interval.
_ClaimVerdict = Literal["supported", "contradicted", "not decided", "not testable"]

#: Metrics that are a mean over operations: they say nothing of the median operation.
_MEANS = ("time", "latency_mean")
#: Why a claim on the median operation is not held against them.
_ONLY_MEANS = "only means were published or measured, and it speaks of the median"
#: Reasons of comparison rows whose numbers say more of the machine than of the code.
_MACHINE = ("controls moved", "no control speaks for it", "within what controls did", "all rows moved alike")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one place says of a claim.

    Attributes
    ----------
    place : str
        The curve, the row of a comparison, or the cell.
    estimate : Estimate
    verdict : {"supported", "contradicted", "not decided", "not testable"}
    reason : str
        Why there is no other verdict; empty where the interval decides.
    evidence : Evidence
    """

    place: str
    estimate: Estimate
    verdict: _ClaimVerdict
    reason: str
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimAnswer:
    """A claim, and what the results say of it.

    Attributes
    ----------
    text, source : str
        As the study quotes it.
    paraphrased : bool
        Whether the text is in other words than the source's.
    about : str
        The quantity that decides it; see `benchlib.study.ClaimPlan`.
    metric : str
        Empty where the quantity has none of its own.
    at : float or None
        The level of concurrency meant, for speedup and efficiency.
    rule : str
        By which a recommended level is the best.
    bound : str
        What has to hold, as written.
    low, high : float or None
        The bounds in base units.
    verdict : {"supported", "contradicted", "not decided", "not testable"}
        Contradicted if one place contradicts it, supported if all support it.
    reason : str
        Why it could not be decided; empty where it was.
    findings : tuple of Finding
    """

    text: str
    source: str
    paraphrased: bool
    about: About
    metric: str
    at: float | None
    rule: ClaimRule
    bound: str
    low: float | None
    high: float | None
    verdict: _ClaimVerdict
    reason: str
    findings: tuple[Finding, ...]


def check_claims(
    study: Study,
    *,
    scaling: ScalingAnswer | Refusal,
    comparisons: Sequence[ComparisonAnswer | Refusal],
    latency: LatencyAnswer | Refusal,
    moved: bool,
    confidence_level: float = 0.95,
) -> tuple[ClaimAnswer, ...]:
    """Hold each claim of a study against the answers.

    Where replicates are too few for order statistics, intervals are Student's t on logarithms
    (`benchlib.statistics.samples`); ``method`` of each estimate says which. `moved` is whether controls moved
    (`benchlib.answers.comparison.controls_moved`).

    Examples
    --------
    >>> from benchlib.answers.executive import executive_summary
    >>> from benchlib.study import open_study
    >>> summary = executive_summary(open_study("data/onix-adapter-published"))
    >>> {claim.verdict for claim in summary.claims} <= {"supported", "contradicted", "not decided", "not testable"}
    True
    """
    answers = []
    for plan in study.claims:
        try:
            findings = tuple(_findings(plan, study, scaling, comparisons, latency, moved, confidence_level))
            nothing = _nothing(plan, scaling, comparisons, latency)
        except SelectionError as error:
            findings, nothing = (), str(error)
        answers.append(_answer(plan, findings, nothing))
    return tuple(answers)


def _nothing(
    plan: ClaimPlan,
    scaling: ScalingAnswer | Refusal,
    comparisons: Sequence[ComparisonAnswer | Refusal],
    latency: LatencyAnswer | Refusal,
) -> str:
    """Say why a claim cannot be tested: the reason of the refused answer, if there is one."""
    asked: Sequence[object] = {"ratio": comparisons, "gain": comparisons, "slowest": (latency,), "median": ()}.get(
        plan.about, (scaling,)
    )
    refused = [word.reason for word in asked if isinstance(word, Refusal)]
    return refused[0] if refused else "nothing was measured that it speaks of"


def _findings(
    plan: ClaimPlan,
    study: Study,
    scaling: ScalingAnswer | Refusal,
    comparisons: Sequence[ComparisonAnswer | Refusal],
    latency: LatencyAnswer | Refusal,
    moved: bool,
    level: float,
) -> Iterator[Finding]:
    if plan.about == "median":
        return _medians(plan, study, moved, level)
    if plan.about in ("ratio", "gain"):
        return _ratios(plan, comparisons, level)
    if plan.about == "slowest":
        return _slowest(plan, latency, level)
    curves = () if isinstance(scaling, Refusal) else scaling.curves
    return _curves(plan, [curve for curve in curves if plan.of in ("", curve.name)], level)


def _answer(plan: ClaimPlan, findings: tuple[Finding, ...], nothing: str) -> ClaimAnswer:
    verdict, reason = _together(findings, nothing)
    return ClaimAnswer(
        text=plan.text,
        source=plan.source,
        paraphrased=plan.paraphrased,
        about=plan.about,
        metric=plan.metric,
        at=plan.at,
        rule=plan.rule,
        bound=plan.bound,
        low=plan.low,
        high=plan.high,
        verdict=verdict,
        reason=reason,
        findings=findings,
    )


def _together(findings: Sequence[Finding], nothing: str) -> tuple[_ClaimVerdict, str]:
    """Return the verdict on a claim from those of its places, and why there is none."""
    verdicts = [finding.verdict for finding in findings]
    if not verdicts:
        return "not testable", nothing
    if "contradicted" in verdicts:
        return "contradicted", ""
    if set(verdicts) == {"supported"}:
        return "supported", ""
    reasons = list(dict.fromkeys(finding.reason for finding in findings if finding.reason))
    together: _ClaimVerdict = "not testable" if set(verdicts) == {"not testable"} else "not decided"
    return together, "; ".join(reasons)


def _finding(plan: ClaimPlan, place: str, estimate: Estimate, evidence: Evidence, doubt: str = "") -> Finding:
    verdict, reason = _decide(plan, estimate)
    if doubt and verdict in ("supported", "contradicted"):
        verdict, reason = "not decided", doubt
    return Finding(place=place, estimate=estimate, verdict=verdict, reason=reason, evidence=evidence)


def _decide(plan: ClaimPlan, estimate: Estimate) -> tuple[_ClaimVerdict, str]:
    least = -math.inf if plan.low is None else plan.low
    most = math.inf if plan.high is None else plan.high
    if not estimate.has_interval or math.isnan(estimate.value):
        inside = "meets" if least <= estimate.value <= most else "misses"
        return "not testable", f"too few measurements for an interval; as measured it {inside} the bound"
    if least <= estimate.low and estimate.high <= most:
        return "supported", ""
    if estimate.high < least or estimate.low > most:
        return "contradicted", ""
    return "not decided", "the interval holds the bound"


def _medians(plan: ClaimPlan, study: Study, moved: bool, level: float) -> Iterator[Finding]:
    frame = study.results.select(f"{plan.where} metric={plan.metric}").frame
    unit = study.whole.metrics[plan.metric].unit
    frame = frame[frame["unit"] == unit]
    doubt = "it was recorded while the controls moved" if moved and plan.metric == "time" else ""
    for key, rows in cells(frame, place_axes(frame)):
        place = label({"benchmark": rows["benchmark"].iloc[0], **key})
        estimate = estimate_median(rows["value"].to_numpy(), unit, level)
        evidence = gather(rows, "median against the bound")
        if plan.statistic == "median" and plan.metric in _MEANS:
            yield Finding(place=place, estimate=estimate, verdict="not testable", reason=_ONLY_MEANS, evidence=evidence)
        else:
            yield _finding(plan, place, estimate, evidence, doubt)


def _ratios(plan: ClaimPlan, comparisons: Sequence[ComparisonAnswer | Refusal], level: float) -> Iterator[Finding]:
    for answer in comparisons:
        if isinstance(answer, Refusal) or plan.of not in ("", answer.name):
            continue
        for row in answer.rows:
            levels = {name: (text,) for name, text in {**row.key, "metric": row.metric}.items()}
            sides = {answer.column: (row.baseline, row.candidate)}
            if plan.metric in ("", row.metric) and _meets({**levels, **sides}, plan.where):
                yield _ratio(plan, answer, row, level)


def _meets(levels: Mapping[str, Sequence[object]], where: str) -> bool:
    """Whether a place meets a condition; where a column has several levels here, any of them may."""
    return all(
        any(matches(level, pattern) for level in levels.get(name, ("",))) is positive
        for name, positive, pattern in condition(where)
    )


def _ratio(plan: ClaimPlan, answer: ComparisonAnswer, row: ComparisonRow, level: float) -> Finding:
    ratio = row.comparison.ratio
    values = (*row.baseline_values, *row.candidate_values)
    if not ratio.has_interval and min(values) > 0:
        ratio = ratio_of_few(row.baseline_values, row.candidate_values, level)
    # How many times as good: of what is better when lower, the baseline over the candidate.
    if plan.about == "gain" and better(row.metric, row.unit) == "lower":
        ratio = _inverse(ratio)
    sides = f"{row.candidate} against {row.baseline}"
    place = label({name: text for name, text in row.key.items() if name not in ("pkg", answer.column)})
    doubt: str = row.reason if row.reason in _MACHINE else ""
    if plan.about == "gain" and better(row.metric, row.unit) is None:
        doubt = f"nobody says which way {row.metric} improves"
    return _finding(plan, f"{sides}{f', {place}' if place else ''}, {row.metric}", ratio, row.evidence, doubt)


def _inverse(ratio: Estimate) -> Estimate:
    if not ratio.value > 0:
        return replace(ratio, value=math.nan, low=-math.inf, high=math.inf)
    bounded = ratio.has_interval
    return replace(
        ratio,
        value=1 / ratio.value,
        low=1 / ratio.high if bounded else -math.inf,
        high=1 / ratio.low if bounded and ratio.low > 0 else math.inf,
        method=f"{ratio.method}, turned over",
    )


def _slowest(plan: ClaimPlan, latency: LatencyAnswer | Refusal, level: float) -> Iterator[Finding]:
    for row in () if isinstance(latency, Refusal) else latency.rows:
        if row.tail_bound is None or not _meets({name: (text,) for name, text in row.key.items()}, plan.where):
            continue
        n = row.statistics["mean"].n
        estimate = point(row.tail_bound, "sec", n, f"least mean beyond {row.tail_percentile}", level)
        # A bound and no estimate: the mean of the slowest lies at it or above.
        evidence = replace(row.evidence, formula="(mean - share x percentile) / (1 - share)")
        place = label(row.key)
        if row.mean_of_other_runs:
            unlike = "the mean and the percentiles are of different runs"
            yield Finding(place=place, estimate=estimate, verdict="not testable", reason=unlike, evidence=evidence)
        else:
            yield _finding(plan, place, replace(estimate, low=row.tail_bound), evidence)


def _curves(plan: ClaimPlan, curves: Sequence[CurveAnswer], level: float) -> Iterator[Finding]:
    levels = dict.fromkeys(n for curve in curves for n in curve.evidence)
    if plan.at is not None and levels and plan.at not in levels:
        raise SelectionError(f"no curve was measured at {plan.at:g}, only at {choices([f'{n:g}' for n in levels])}")
    for curve in curves:
        if plan.about == "recommended":
            yield _recommended(plan, curve, level)
        elif plan.at in curve.evidence:
            yield _growth(plan, curve, level)


def _growth(plan: ClaimPlan, curve: CurveAnswer, level: float) -> Finding:
    levels = [point.concurrency for point in curve.points]
    assert plan.at is not None
    first, here = curve.curve.replicates[0], curve.curve.replicates[levels.index(plan.at)]
    speedup = ratio_of_few(first, here, level)
    share = 1.0 if plan.about == "speedup" else levels[0] / plan.at
    return _finding(
        plan,
        curve.name,
        replace(speedup, value=speedup.value * share, low=speedup.low * share, high=speedup.high * share),
        Evidence(
            rows=(*curve.evidence[levels[0]].rows, *curve.evidence[plan.at].rows),
            formula=f"throughput at {plan.at:g} over that at {levels[0]:g}"
            + (f", over {plan.at / levels[0]:g}" if plan.about == "efficiency" else ""),
        ),
    )


def _recommended(plan: ClaimPlan, curve: CurveAnswer, level: float) -> Finding:
    returns = curve.returns
    best = returns.recommended
    if plan.rule == "throughput per core":
        best = returns.per_core_best
    elif plan.rule == "throughput per added core":
        # The end of the best step that decides: both have to lie within what was recommended.
        step = returns.added_core_best or (math.nan, math.nan)
        best = step[0] if plan.low is not None and step[0] < plan.low else step[1]
    rule = returns.rule if plan.rule == "knee" else f"the level that is best by {plan.rule}"
    estimate = point(best, "", min(point.n for point in curve.points), rule, level)
    if plan.rule == "knee" and returns.recommended_range is not None:
        estimate = replace(estimate, low=returns.recommended_range[0], high=returns.recommended_range[1])
    rows = curve.evidence[best].rows if best in curve.evidence else ()
    return _finding(plan, curve.name, estimate, Evidence(rows=rows, formula=rule))
