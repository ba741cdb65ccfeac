"""The lines under a message: few, short, and each with what it rests on."""

from __future__ import annotations

import math
from collections.abc import Iterator

from benchlib.answers.planning.answer import LoadPlan, PlanningAnswer
from benchlib.answers.planning.claims import ClaimTest
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.answers.scaling.behind import curve_evidence
from benchlib.report.wording.deck.messages import condition_message, limit_open
from benchlib.report.wording.deck.numbers import chance_words, money_words, node_words, nodes_words
from benchlib.report.wording.scaling_words import at_level, curve_phrase
from benchlib.report.wording.told import Told, told
from benchlib.report.wording.words import LAW_NAMES, figure, listed, with_interval
from benchlib.units import percent, show

__all__ = [
    "condition_points",
    "demand_points",
    "doubt_points",
    "full_points",
    "latency_points",
    "purchase_points",
    "scaling_points",
]

#: A slide has room for no more lines.
MOST = 4


def scaling_points(curve: CurveAnswer, answer: ScalingAnswer) -> list[Told]:
    """Say what the curve does, by which law, and how far the machine reaches."""
    lines = [curve_phrase(curve).capitalize()]
    law = curve.chosen
    if law is None:
        lines.append("No law is chosen: read the points")
    else:
        missed = ", though it misses the points: read them, not the law" if law.misses_points else ""
        lines.append(f"Described best by {_article(law.law)}{missed}")
    beyond = [point.concurrency for point in curve.points if answer.cores and point.concurrency > answer.cores]
    if beyond and any(one.code == "oversubscribed" for one in answer.caveats):
        lines.append(f"{listed([f'{one:g}' for one in beyond])} exceeds the {answer.cores} cores of the machine")
    if answer.disagreements:
        widest = max(answer.disagreements, key=lambda one: max(one.speedups.values()) / min(one.speedups.values()))
        speedups = listed([f"{value:.2f}x" for value in widest.speedups.values()])
        lines.append(f"Two measures of this sweep disagree, most at {widest.concurrency:g}: {speedups}")
    return [told(one, curve_evidence(curve)) for one in lines]


def _article(law: str) -> str:
    return LAW_NAMES[law] if law == "amdahl" else f"the {LAW_NAMES[law]}" if law.startswith("usl") else LAW_NAMES[law]


def full_points(curve: CurveAnswer) -> list[Told]:
    """Say what each step gave, and what the law sees beyond the levels."""
    steps = [
        f"{point.concurrency:g}: {percent(point.step_efficiency)} of its share" for point in curve.points[1:][:MOST]
    ]
    lines = [f"Step to {one}" for one in steps]
    law = curve.chosen
    if law is not None and not law.misses_points:
        if law.peak is not None and math.isfinite(law.peak.value):
            lines.append(f"By the law the peak lies at {with_interval(law.peak)}")
        elif law.ceiling is not None and math.isfinite(law.ceiling.value):
            lines.append(f"By the law the ceiling is {with_interval(law.ceiling)}")
    return [told(one, curve_evidence(curve)) for one in lines]


def demand_points(plan: LoadPlan, answer: PlanningAnswer) -> list[Told]:
    """Say what a node does, and what twice the load takes."""
    best = plan.best
    if best is None:
        return []
    lines = [f"A full node delivers {with_interval(best.each)}"]
    if answer.asked.headroom or answer.asked.survive:
        lost = f", {nodes_words(answer.asked.survive)} lost" if answer.asked.survive else ""
        lines.append(f"At the target each node left does {show(best.load, plan.unit, 3)}{lost}")
    double = next((one for one in plan.demand if math.isclose(one.load, 2 * plan.target, rel_tol=1e-6)), None)
    if double is not None:
        share, nodes = list(double.nodes_at.items())[-1]
        lines.append(f"Twice the load takes {nodes_words(nodes)} at {percent(share)}")
    return [told(one, plan.evidence) for one in lines]


def latency_points(plan: LoadPlan, answer: PlanningAnswer) -> list[Told]:
    """Say what is in flight, how long it takes, and when the limit breaks."""
    best = plan.best
    if best is None:
        return []
    lines = [
        f"Each node left does {show(best.load, plan.unit, 3)} with {figure(best.flying)} in flight",
        f"In the mean a request takes {with_interval(best.mean_latency)}",
    ]
    if best.limited_latency is not None and best.breaks_at is not None:
        name = answer.asked.slo.partition("=")[0]
        if name != "latency_mean":
            lines.append(f"{name}: {with_interval(best.limited_latency)}")
        lines.append(f"{answer.asked.slo} breaks at {with_interval(best.breaks_at)} a node")
    elif limit_open(plan, answer):
        reasons = [one.reason for one in plan.refusals if answer.asked.slo.partition("=")[0] in one.reason]
        lines += [one.partition(";")[0] for one in reasons[:1]]
    return [told(one, plan.evidence) for one in lines]


def purchase_points(plan: LoadPlan, answer: PlanningAnswer) -> list[Told]:
    """Say by which rule, what else there is, and what it is a month."""
    best, other = plan.best, plan.next_best
    if best is None:
        return []
    lines = []
    if math.isfinite(best.cost):
        lines.append(f"{money_words(best.cost, answer, 'month')}, of 730 hours")
    if other is not None:
        cost = f" at {money_words(other.cost, answer)}" if math.isfinite(other.cost) else ""
        lines.append(f"Next best: {nodes_words(other.nodes)} of {node_words(other, plan)}{cost}")
    lines.append(f"Chosen by {plan.rule}")
    if plan.regret is not None and math.isfinite(plan.regret.beyond_cheapest):
        lines.append(f"Being sure costs {percent(plan.regret.beyond_cheapest)} over the cheapest plan of each draw")
    return [told(one, plan.evidence) for one in lines]


def condition_points(plan: LoadPlan) -> list[Told]:
    """Say what each condition adds, and what is left."""
    best = plan.best
    if best is None:
        return []
    lines = [] if plan.used_up is None else [str(condition_message(plan))]
    lines += [f"{name.capitalize()}: {nodes_words(nodes)} more" for name, nodes in plan.spent.items() if nodes]
    lines.append(f"Of what the nodes left deliver {with_interval(best.headroom)} stays free at the target")
    return [told(one, plan.evidence) for one in lines]


def doubt_points(plan: LoadPlan, answer: PlanningAnswer) -> list[Told]:
    """Say what each law would ask for, what was claimed, and what is not known."""
    return list(_doubts(plan))[: MOST + 3]


def _doubts(plan: LoadPlan) -> Iterator[Told]:
    best = plan.best
    if best is not None and len(plan.laws) > 1:
        asks = listed([f"{nodes_words(one.nodes)} by {LAW_NAMES[one.law]}" for one in plan.laws[:3]])
        yield told(f"Which law is true decides: {asks}", plan.evidence)
    for claim in plan.claims:
        if claim.stated:
            yield told(_claim(claim), plan.evidence)
    for refused in plan.refusals:
        yield told(f"Not known: {refused.reason}", plan.evidence)
    grave = sorted(plan.caveats, key=lambda one: ("alert", "warning", "note").index(one.severity))
    for note in grave:
        yield told(note.message[:1].upper() + note.message[1:], plan.evidence)


def _claim(claim: ClaimTest) -> str:
    low, high = claim.best
    where = at_level("cores", low) if low == high else f"{low:g} to {high:g} cores"
    verdict = "holds" if claim.holds else "does not hold"
    return (
        f"The claim '{claim.name}' {verdict}: {claim.rule} is best at {where}; "
        f"the claim is met in {chance_words(claim.probability)} of the draws"
    )
