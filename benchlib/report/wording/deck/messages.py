"""The message of each slide: one sentence, said by the answers and by nothing else."""

from __future__ import annotations

import math

from benchlib.answers.capacity_plans import LoadPlan, NodeOption, PlanningAnswer
from benchlib.answers.scaling import CurveAnswer, curve_evidence
from benchlib.capacity.nodes import EITHER
from benchlib.report.wording.curve_words import at_level, curve_phrase, grown_words
from benchlib.report.wording.littles_law import mean_figure
from benchlib.report.wording.plan_asked import limit_words, written_growth
from benchlib.report.wording.plan_words import (
    chance_words,
    counted,
    figure,
    in_all_words,
    kind_words,
    latency_figure,
    money_words,
)
from benchlib.report.wording.told import Told, joined, told
from benchlib.report.wording.words import count, listed, metric_name
from benchlib.units import asked_share, percent, show


def plan_message(answer: PlanningAnswer) -> Told:
    """Answer the question that the deck was made for, for the load that the slides follow."""
    plan = answer.loads[0]
    best, target = plan.best, show(plan.target, plan.unit)
    several = f"{plan.name}: " if len(answer.loads) > 1 else ""
    if best is None:
        line = f"no count of nodes carries {target} with a probability of {asked_share(answer.asked.probability)}"
    else:
        chance = chance_words(best.probability)
        line = f"{_nodes(best)} of {kind_words(best, plan)} {_s(best, 'carry')} {target} with a probability of {chance}"
    open_limit = [f"; {limit_words(answer.asked)} is not judged"] if best is not None and limit_open(answer) else []
    said = f"{several}{line}" if several else f"{line[:1].upper()}{line[1:]}"
    return joined([told(said, plan.evidence), *open_limit])


def others_words(answer: PlanningAnswer) -> list[str]:
    """Say which of the other loads have a plan, without their figures; nothing where there are none."""
    planned, bare = ([one.name for one in answer.loads[1:] if (one.best is None) == none] for none in (False, True))
    lines = [f"no plan for {listed(bare)} either"] if bare else []
    return [*lines, *([f"a plan stands for {listed(planned)}"] if planned else [])]


def limit_open(answer: PlanningAnswer) -> bool:
    """Whether a limit was asked for and these data do not say whether it holds."""
    best = answer.loads[0].best
    return bool(answer.asked.slo) and (best is None or best.breaks_at is None)


def _nodes(option: NodeOption) -> str:
    return count(round(option.nodes), "node")


def _s(option: NodeOption, verb: str) -> str:
    """Bend a verb for one node."""
    return verb if option.nodes != 1 else f"{verb.removesuffix('y')}ies" if verb.endswith("y") else f"{verb}s"


def measured_message(curve: CurveAnswer) -> Told:
    """Say how much was measured."""
    levels = [point.concurrency for point in curve.points]
    least, most = min(point.n for point in curve.points), max(point.n for point in curve.points)
    often = "once each" if most == 1 else f"{most} times each" if least == most else f"{least} to {most} times each"
    line = f"{curve.name} was measured at {len(levels)} levels, {at_level(curve.axis, levels[0])} to {levels[-1]:g}"
    return told(f"{line}, {often}", curve_evidence(curve))


def scaling_message(curve: CurveAnswer) -> Told:
    """Say how far throughput grows."""
    return grown_words([curve], named=False)


def saturation_message(curve: CurveAnswer) -> Told:
    """Say where more of the axis stops paying."""
    step = curve.returns.added_core_best
    if curve.shape.kind in ("plateau", "retrograde") or step is None:
        return joined([f"{curve.name}: ", curve_phrase(curve)])
    line = f"An added step pays most from {at_level(curve.axis, step[0])} to {step[1]:g}"
    # The balance of the smallest level is 1 whatever was measured: no news where it is the best.
    if curve.returns.recommended > curve.points[0].concurrency:
        line += f"; {at_level(curve.axis, curve.returns.recommended)} balances speedup and efficiency best"
    return told(line, curve_evidence(curve))


def demand_message(plan: LoadPlan, best: NodeOption) -> Told:
    """Say how sure each count of nodes makes."""
    target = show(plan.target, plan.unit)
    (least, nodes), *others = [(percent(share), nodes) for share, nodes in best.nodes_at.items()]
    if all(one == nodes for _, one in others):
        line = f"{target} takes {counted(nodes)} {'node' if nodes == 1 else 'nodes'}, at 50 % certainty as at 95 %"
    else:
        rest = ", ".join(f"{counted(one)} for {share}" for share, one in others)
        line = f"{target} takes {counted(nodes)} nodes for {least} certainty, {rest}"
    return told(line, plan.evidence)


def latency_message(answer: PlanningAnswer, best: NodeOption) -> Told:
    """Say how long requests take under that load."""
    if limit_open(answer):
        return Told(f"Whether {limit_words(answer.asked)} holds, these data do not say")
    if best.limited_latency is not None and best.breaks_at is not None:
        at = f"the limit breaks at {figure(best.breaks_at)}"
        breaks = "the limit holds until a node is full" if best.full_first else at
        name = answer.asked.slo.partition("=")[0]
        line = f"At the target the {metric_name(name)} is {latency_figure(best, name)}; {breaks}"
    else:
        line = f"At the target a request takes {mean_figure(best)} in the mean"
    return told(line, best.evidence)


def purchase_message(answer: PlanningAnswer, plan: LoadPlan, best: NodeOption) -> Told:
    """Say what to buy."""
    line = f"Take {_nodes(best)} of {kind_words(best, plan)}"
    if not math.isnan(best.cost):
        line += f": {money_words(best.cost, answer)}"
    elif in_all := in_all_words(best, plan):
        line += f": {in_all}"
    return told(line, best.evidence)


def condition_message(plan: LoadPlan, best: NodeOption) -> Told:
    """Say which condition costs most nodes."""
    if not any(plan.spent.values()):
        return told(f"Throughput alone asks for the {_nodes(best)}: no condition adds one", plan.evidence)
    adds = counted(plan.spent[plan.binding])
    return told(f"{_CONDITIONS[plan.binding]} costs most: {adds} of the {_nodes(best)}", plan.evidence)


_CONDITIONS = {
    "throughput": "Throughput",
    "latency": "The limit of latency",
    "headroom": "The headroom",
    "survive": "Standing the loss of nodes",
    EITHER: "Either of headroom and limit",
}


def growth_message(plan: LoadPlan, best: NodeOption) -> Told:
    """Say how long the nodes last; without growth, what the conditions cost."""
    used = plan.used_up
    if used is None:
        return condition_message(plan, best)
    if math.isinf(used.month.value):
        return told(f"At {written_growth(used.growth)} the headroom lasts for more than 100 years", plan.evidence)
    when = used.told or f"month {used.month.value:g}"
    low = used.told_low or f"{used.month.low:g}"
    high = used.told_high or (f"{used.month.high:g}" if math.isfinite(used.month.high) else "never")
    return told(f"At {written_growth(used.growth)} the headroom is used up in {when} ({low} to {high})", plan.evidence)


def doubt_message(answer: PlanningAnswer) -> Told:
    """Say how often, and by how much, the plan is wrong."""
    plan = answer.loads[0]
    regret = plan.regret
    if plan.best is None or regret is None:
        return told(f"No plan stands for {plan.name}", plan.evidence)
    if not regret.falls_short:
        return told(f"The plan falls short in none of {answer.asked.draws:,} draws", plan.evidence)
    line = f"The plan falls short in {chance_words(regret.falls_short)} of the draws"
    if math.isfinite(regret.lacking):
        line += f", then by {count(round(regret.lacking), 'node')}"
    return told(line, plan.evidence)
