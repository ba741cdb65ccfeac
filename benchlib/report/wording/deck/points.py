"""The lines under a message: few, short, and each with what it rests on."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from benchlib.answers.asking import Refusal
from benchlib.answers.capacity_plans import LoadPlan, NodeOption, PlanningAnswer
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer, curve_evidence, scaling_evidence
from benchlib.capacity.nodes import EITHER
from benchlib.caveats import Caveat
from benchlib.report.wording.curve_words import curve_phrase
from benchlib.report.wording.deck.messages import condition_message, limit_open
from benchlib.report.wording.littles_law import digits_lacking, flying_figure, load_figure, mean_figure
from benchlib.report.wording.plan_asked import limit_words
from benchlib.report.wording.plan_headline import LEFT_OUT
from benchlib.report.wording.plan_words import (
    breaks_words,
    claim_words,
    counted,
    ends,
    figure,
    kind_words,
    law_words,
    money_words,
    shape_words,
)
from benchlib.report.wording.told import Told, joined, told
from benchlib.report.wording.words import LAW_NAMES, count, listed, metric_name, with_interval
from benchlib.statistics.estimates import Estimate
from benchlib.units import confidence, percent

#: Steps between levels that a slide names, from the smallest up: that is where they change.
_STEPS = 4
#: A ceiling whose interval reaches this many times as high is not told.
_FAR = 10.0
#: Lines that a slide without a chart has room for.
_MOST = 7
#: Laws whose own count is told.
_LAWS = 2


def _bounded(estimate: Estimate) -> str:
    return f"{figure(estimate)} ({_ends(estimate)})"


def _ends(estimate: Estimate, more: int = 0) -> str:
    return f"{confidence(estimate.confidence_level)}: {ends(estimate, more)}"


def capital(text: str) -> str:
    """Write a sentence with a capital at its head, unless it begins with a name.

    Examples
    --------
    >>> capital("no axis is named"), capital("old/run.txt: no results")
    ('No axis is named', 'old/run.txt: no results')
    """
    return f"{text[:1].upper()}{text[1:]}" if text.partition(" ")[0].strip(",:").isalpha() else text


def levels_beyond(answer: ScalingAnswer | Refusal) -> list[float]:
    """Return the levels beyond the cores of the machine, where the axis counts cores."""
    if isinstance(answer, Refusal) or not answer.cores or not _oversubscribed(answer):
        return []
    levels = {point.concurrency for curve in answer.curves for point in curve.points}
    return sorted(one for one in levels if one > answer.cores)


def _oversubscribed(answer: ScalingAnswer) -> bool:
    caveats = (*answer.caveats, *(one for curve in answer.curves for one in curve.caveats))
    return any(one.code == "oversubscribed" for one in caveats)


def scaling_points(curve: CurveAnswer, answer: ScalingAnswer) -> list[Told]:
    """Say what the curve does, by which law, and how far the machine reaches."""
    phrase = curve_phrase(curve)
    lines = []
    law = curve.chosen
    if law is None:
        lines.append("No law is chosen: read the points")
    elif law.misses_points:
        lines.append(f"Of the laws {LAW_NAMES[law.law]} comes nearest, and misses the points: read those")
    else:
        lines.append(f"The law that describes it best: {LAW_NAMES[law.law]}")
    told_of = (told(one, curve_evidence(curve)) for one in lines)
    return [Told(capital(phrase), phrase.marks), *told_of, *_disagreement(answer)]


def _disagreement(answer: ScalingAnswer) -> list[Told]:
    """Say where measures of one sweep disagree most: what both say rests on the rows of both."""
    if not answer.disagreements:
        return []
    widest = max(answer.disagreements, key=lambda one: max(one.speedups.values()) / min(one.speedups.values()))
    speedups = listed([f"{value:.2f}x" for value in widest.speedups.values()])
    line = f"Two measures of this sweep disagree, most at {widest.concurrency:g}: {speedups}"
    return [told(line, scaling_evidence(answer))]


def saturation_points(curve: CurveAnswer, plan: LoadPlan | None) -> list[Told]:
    """Say what the last steps gave, what the law sees, and what becomes of a published recommendation."""
    lines = [
        f"The step to {point.concurrency:g} gives {percent(point.step_efficiency)} of its share"
        for point in curve.points[1:][:_STEPS]
    ]
    law = curve.chosen
    if law is not None and not law.misses_points:
        if law.peak is not None and math.isfinite(law.peak.value):
            lines.append(f"By the law the peak lies at {with_interval(law.peak)}")
        elif law.ceiling is not None and law.ceiling.high < _FAR * law.ceiling.value:
            lines.append(f"By the law the ceiling is {with_interval(law.ceiling)}")
    claims = [claim_words(one, plan) for one in plan.claims if one.stated] if plan is not None else []
    return [*(told(one, curve_evidence(curve)) for one in lines), *claims[:1]]


def demand_points(answer: PlanningAnswer, plan: LoadPlan, best: NodeOption) -> list[Told]:
    """Say what a node does, and what twice the load takes."""
    lines = [f"A full node delivers {_bounded(best.each)}"]
    if answer.asked.headroom or answer.asked.survive:
        lost = f" with {count(answer.asked.survive, 'node')} lost" if answer.asked.survive else ""
        lines.append(f"At the target{lost} each node does {load_figure(best, plan)}")
    double = next((one for one in plan.demand if math.isclose(one.load, 2 * plan.target, rel_tol=1e-6)), None)
    if double is not None:
        share, nodes = list(double.nodes_at.items())[-1]
        takes = f"it takes {counted(nodes)} nodes" if math.isfinite(nodes) else "no count of nodes is enough"
        lines.append(f"For twice the load {takes}, with {percent(share)}")
    return [told(one, best.evidence) for one in lines]


def latency_points(answer: PlanningAnswer, plan: LoadPlan, best: NodeOption) -> list[Told]:
    """Say what is in flight, how long it takes, and when the limit breaks."""
    name = answer.asked.slo.partition("=")[0]
    lines = [
        f"A node at the target: {load_figure(best, plan)}, {flying_figure(best)} in flight",
        f"In the mean a request takes {mean_figure(best)} ({_ends(best.mean_latency, digits_lacking(best))})",
    ]
    if best.limited_latency is not None and name != "latency_mean":
        lines.append(f"{capital(metric_name(name))}: {_bounded(best.limited_latency)}")
    if breaks := breaks_words(best):
        limit = [joined([f"{capital(limit_words(answer.asked))}: ", told(breaks, best.evidence)])]
    else:
        refused = [one.reason for one in plan.refusals if name in one.reason] if limit_open(answer) else []
        limit = [Told(capital(one.partition(";")[0])) for one in refused[:1]]
    return [*(told(one, best.evidence) for one in lines), *limit]


def purchase_points(answer: PlanningAnswer, plan: LoadPlan, best: NodeOption) -> list[Told]:
    """Say what it is a month, what else there is, by which rule, and whether to scale up or out."""
    lines: list[str] = [money_words(best.monthly_cost, answer, "month")] if math.isfinite(best.cost) else []
    other = plan.next_best
    if other is not None:
        cost = f", {money_words(other.cost, answer)}" if math.isfinite(other.cost) else ""
        lines.append(
            told(f"Next best: {count(round(other.nodes), 'node')} of {kind_words(other, plan)}{cost}", other.evidence)
        )
    lines.append(f"Rule: {plan.rule.partition(':')[0]}")
    shape = shape_words(plan)
    said = [one if isinstance(one, Told) else told(one, best.evidence) for one in lines]
    return [*said, *([told(shape.rstrip("."), plan.evidence)] if shape else [])]


def condition_points(plan: LoadPlan, best: NodeOption) -> list[Told]:
    """Say what each condition adds, and what is left."""
    lines = [] if plan.used_up is None else [str(condition_message(plan, best))]
    lines += [f"Without {name}: {count(round(nodes), 'node')}" for name, nodes in nodes_without(plan, best).items()]
    within = " within the limit" if best.breaks_at is not None else ""
    lines.append(f"At the target {_bounded(best.headroom)} of what the nodes left deliver{within} stays free")
    return [told(one, plan.evidence) for one in lines]


def nodes_without(plan: LoadPlan, best: NodeOption) -> dict[str, float]:
    """Return how many nodes are enough without each condition that adds some."""
    adding = {name: _saved(plan, name) for name, nodes in plan.spent.items() if nodes and math.isfinite(nodes)}
    return {_WITHOUT[name]: best.nodes - nodes for name, nodes in adding.items()}


def _saved(plan: LoadPlan, name: str) -> float:
    """Return what leaving out a condition saves; leaving out both of two saves what each does too."""
    return plan.spent[name] + (plan.spent["latency"] + plan.spent["headroom"] if name == EITHER else 0.0)


_WITHOUT = {
    "headroom": "headroom",
    "survive": "the nodes that may be lost",
    "latency": "the limit of latency",
    "throughput": "the target",
    EITHER: "both headroom and limit",
}


def doubt_points(answer: PlanningAnswer) -> list[Told]:
    """Say what the plan hangs on and what is not known; what finds no room is counted, and stands in the notes."""
    lines = list(_doubts(answer))
    left = len(lines) - _MOST
    return lines if left <= 0 else [*lines[: _MOST - 1], Told(f"And {left + 1} more, in the notes")]


def _doubts(answer: PlanningAnswer) -> Iterator[Told]:
    """Give what concerns the load before what concerns the study; of laws those under which the plan is least sure."""
    plan = answer.loads[0]
    if plan.best is not None:
        least = sorted(plan.laws, key=lambda one: one.enough)[:_LAWS] if len(plan.laws) > 1 else []
        told_of = replace(plan, laws=tuple(one for one in plan.laws if one in least))
        yield from (told(capital(one), plan.evidence) for one in law_words(told_of, plan.best))
    for one in worst_first(plan.caveats):
        yield told(f"{capital(one.message)}. {one.advice}".rstrip("."), plan.evidence)
    for refused in (*plan.refusals, *answer.refusals):
        yield told(f"Not known: {refused.reason}", plan.evidence)
    for one in worst_first(tuple(one for one in answer.caveats if one.code not in LEFT_OUT)):
        yield told(f"{capital(one.message)}. {one.advice}".rstrip("."), plan.evidence)
    failed = [one.message.partition(":")[0] for one in answer.caveats if one.code == "failed-results"]
    if failed:
        yield Told(f"Left out, because their calls failed: {listed(failed)}")
    yield from (told(capital(one.message), plan.evidence) for one in answer.caveats if one.code == "problems-in-files")


def worst_first(caveats: tuple[Caveat, ...]) -> list[Caveat]:
    """Put alerts before warnings, and these before notes."""
    return sorted(caveats, key=lambda one: ("alert", "warning", "note").index(one.severity))
