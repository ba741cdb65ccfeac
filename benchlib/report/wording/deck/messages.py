"""The message of each slide: one sentence, said by the answers and by nothing else."""

from __future__ import annotations

import math

from benchlib.answers.planning.answer import LoadPlan, PlanningAnswer
from benchlib.answers.scaling import CurveAnswer
from benchlib.answers.scaling.behind import curve_evidence
from benchlib.report.wording.deck.numbers import chance_words, money_words, node_words, nodes_words
from benchlib.report.wording.scaling_words import at_level, curve_phrase
from benchlib.report.wording.told import Told, told
from benchlib.report.wording.words import figure
from benchlib.units import percent, show

__all__ = [
    "condition_message",
    "demand_message",
    "doubt_message",
    "full_message",
    "growth_message",
    "latency_message",
    "limit_open",
    "measured_message",
    "plan_message",
    "purchase_message",
    "scaling_message",
]


def plan_message(plan: LoadPlan, answer: PlanningAnswer) -> Told:
    """Answer the question that the deck was made for."""
    target = show(plan.target, plan.unit)
    best = plan.best
    several = f"{plan.name}: " if len(answer.loads) > 1 else ""
    if best is None:
        line = f"{several}no count of nodes carries {target} with a probability of {percent(answer.asked.probability)}"
    else:
        nodes, kind = nodes_words(best.nodes), node_words(best, plan)
        line = f"{several}{nodes} of {kind} carry {target} with a probability of {chance_words(best.probability)}"
        if limit_open(plan, answer):
            line += f"; {answer.asked.slo} is not judged"
    return told(line, plan.evidence)


def limit_open(plan: LoadPlan, answer: PlanningAnswer) -> bool:
    """Whether a limit was asked for that these data do not say."""
    return bool(answer.asked.slo) and (plan.best is None or plan.best.breaks_at is None)


def measured_message(curve: CurveAnswer) -> Told:
    """Say how much was measured."""
    levels = [point.concurrency for point in curve.points]
    counts = {point.n for point in curve.points}
    if counts == {1}:
        often = "once each"
    elif len(counts) == 1:
        often = f"{counts.pop()} times each"
    else:
        often = f"{min(counts)} to {max(counts)} times each"
    line = f"{curve.name} was measured at {len(levels)} levels, {at_level(curve.axis, levels[0])} to {levels[-1]:g}"
    return told(f"{line}, {often}", curve_evidence(curve))


def scaling_message(curve: CurveAnswer) -> Told:
    """Say how far throughput grows."""
    first, last = curve.points[0], curve.points[-1]
    line = f"From {at_level(curve.axis, first.concurrency)} to {last.concurrency:g} throughput grows "
    line += f"{last.speedup:.2f}x, an efficiency of {percent(last.efficiency)}"
    return told(line, curve_evidence(curve))


def full_message(curve: CurveAnswer) -> Told:
    """Say where more of the axis stops paying."""
    steps = curve.returns.added_core_best
    if curve.shape.kind in ("plateau", "retrograde") or steps is None:
        line = f"{curve.name}: {curve_phrase(curve)}"
    else:
        line = (
            f"Each further step pays most from {at_level(curve.axis, steps[0])} to {steps[1]:g}; "
            f"{at_level(curve.axis, curve.returns.recommended)} balances speedup and efficiency best"
        )
    return told(line, curve_evidence(curve))


def demand_message(plan: LoadPlan) -> Told:
    """Say how sure each count of nodes makes."""
    best = plan.best
    if best is None:
        return told(f"No count of nodes is enough for {show(plan.target, plan.unit)}", plan.evidence)
    counts = [(nodes, percent(share)) for share, nodes in best.nodes_at.items()]
    if len({nodes for nodes, _ in counts}) == 1:
        line = f"{show(plan.target, plan.unit)} take {nodes_words(counts[0][0])}, however sure one wants to be"
    else:
        rest = ", ".join(f"{nodes:,.0f} for {share}" for nodes, share in counts[1:])
        line = f"{show(plan.target, plan.unit)} take {nodes_words(counts[0][0])} for {counts[0][1]}, {rest} certainty"
    return told(line, plan.evidence)


def latency_message(plan: LoadPlan, answer: PlanningAnswer) -> Told:
    """Say how long requests take under that load."""
    best = plan.best
    if best is None or limit_open(plan, answer):
        return told(f"Whether {answer.asked.slo or 'a limit'} holds, these data do not say", plan.evidence)
    if best.limited_latency is not None and best.breaks_at is not None:
        name = answer.asked.slo.partition("=")[0]
        line = (
            f"At its share of the load a node keeps {name} at {figure(best.limited_latency)}; "
            f"the limit breaks at {figure(best.breaks_at)}"
        )
    else:
        line = f"At its share of the load a request takes {figure(best.mean_latency)} in the mean"
    return told(line, plan.evidence)


def purchase_message(plan: LoadPlan, answer: PlanningAnswer) -> Told:
    """Say what to buy."""
    best = plan.best
    if best is None:
        return told("Nothing to buy: no kind of node meets what was asked", plan.evidence)
    line = f"Take {nodes_words(best.nodes)} of {node_words(best, plan)}"
    if not math.isnan(best.cost):
        line += f": {money_words(best.cost, answer)}"
    elif not math.isnan(best.total_cores):
        line += f": {best.total_cores:,.0f} cores in all"
    return told(line, plan.evidence)


def condition_message(plan: LoadPlan) -> Told:
    """Say which condition costs most nodes."""
    best = plan.best
    if best is None:
        return told("What each condition costs cannot be told without a plan", plan.evidence)
    if not any(plan.spent.values()):
        return told(f"Throughput alone asks for the {nodes_words(best.nodes)}: no condition adds one", plan.evidence)
    adds = plan.spent[plan.binding]
    return told(f"{_CONDITIONS[plan.binding]} costs most: {adds:,.0f} of the {nodes_words(best.nodes)}", plan.evidence)


_CONDITIONS = {
    "throughput": "Throughput",
    "latency": "The limit of latency",
    "headroom": "The headroom",
    "survive": "Standing the loss of nodes",
}


def growth_message(plan: LoadPlan) -> Told:
    """Say how long the plan lasts."""
    used = plan.used_up
    if used is None:
        return condition_message(plan)
    if math.isinf(used.month.value):
        return told(f"At {used.growth} the nodes last for more than 100 years", plan.evidence)
    when = used.told or f"month {used.month.value:g}"
    low = used.told_low or f"{used.month.low:g}"
    high = used.told_high or (f"{used.month.high:g}" if math.isfinite(used.month.high) else "never")
    return told(f"At {used.growth} the nodes are used up in {when} ({low} to {high})", plan.evidence)


def doubt_message(plan: LoadPlan, answer: PlanningAnswer) -> Told:
    """Say how often, and by how much, the plan is wrong."""
    best, regret = plan.best, plan.regret
    if best is None or regret is None:
        return told(f"No plan stands: see what is refused for {plan.name}", plan.evidence)
    if not regret.falls_short:
        return told(f"The plan falls short in none of the {answer.asked.draws:,} draws", plan.evidence)
    line = f"The plan falls short in {chance_words(regret.falls_short)} of the draws, then by "
    return told(f"{line}{nodes_words(regret.lacking)}", plan.evidence)
