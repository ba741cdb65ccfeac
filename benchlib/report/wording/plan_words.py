"""A capacity plan in sentences: what to take, how sure, what it hangs on, what it costs to be wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator

from benchlib.answers.capacity_plans import ClaimTest, LoadPlan, NodeOption, PlanningAnswer
from benchlib.errors import printable
from benchlib.report.wording.littles_law import digits_lacking, flying_figure, load_figure, mean_figure
from benchlib.report.wording.plan_asked import written_growth
from benchlib.report.wording.told import Told, joined, told
from benchlib.report.wording.words import count, listed, metric_name
from benchlib.report.wording.words import figure as written_figure
from benchlib.significant_digits import parting_digits, written
from benchlib.statistics.estimates import Estimate
from benchlib.units import percent, scaled, show

__all__ = [
    "binding_words",
    "claim_words",
    "counted",
    "growth_words",
    "headroom_words",
    "instead_words",
    "law_words",
    "load_texts",
    "load_words",
    "money_words",
    "plan_words",
    "regret_words",
    "sure_words",
    "unjudged_words",
    "unmet_words",
]

NONE = "–"
#: Draws tell whether a recommendation holds where so many agree with the points.
_TOLD = 0.8


def figure(estimate: Estimate) -> str:
    """Write the value of an estimate; an infinite one in a word."""
    return "infinite" if math.isinf(estimate.value) else written_figure(estimate, 4)


def latency_figure(option: NodeOption, metric: str) -> str:
    """Write the latency that a limit is held against at the target."""
    if option.limited_latency is None or metric == "latency_mean":
        return mean_figure(option)
    return figure(option.limited_latency)


def ends(estimate: Estimate, more: int = 0) -> str:
    """Write the interval of an estimate without its level, which a plan states once for all.

    It has ``more`` digits than it carries where the value beside it has: 3.56 (3.4 to 3.8) would read as two scales.
    """
    more += parting_digits(estimate, 4)
    lower, upper = (written(one, estimate, 4, more) for one in (estimate.low, estimate.high))
    if math.isfinite(estimate.low) and math.isfinite(estimate.high):
        return f"{lower} to {upper}"
    if math.isfinite(estimate.low):
        return f"at least {lower}" if estimate.low > 0 else "no bound"
    return f"at most {upper}" if math.isfinite(estimate.high) else NONE


def chance_words(share: float) -> str:
    """Write a probability with no more digits than draws carry.

    Examples
    --------
    >>> chance_words(0.958), chance_words(0.9995), chance_words(1.0), chance_words(0.002)
    ('96 %', 'more than 99 %', 'more than 99 %', 'less than 1 %')
    """
    if share > 0.99:
        return "more than 99 %"
    return "less than 1 %" if share < 0.01 else percent(share)


def counted(number: float) -> str:
    """Write a count of nodes or cores; none where no count is enough."""
    if math.isnan(number):
        return NONE
    return f"{number:,.0f}" if math.isfinite(number) else "none"


def money_words(cost: float, answer: PlanningAnswer, period: str = "hour") -> str:
    """Write what nodes cost by a period, in the currency that was named."""
    if math.isinf(cost):
        return "none"
    money = f" {answer.asked.currency}" if answer.asked.currency else ""
    return f"{cost:,.2f}{money} per {period}"


def kind_words(option: NodeOption, plan: LoadPlan) -> str:
    """Name a kind of node in a sentence."""
    return count(round(option.concurrency), "core") if plan.counts == "cores" else "the machine measured"


def size_words(option: NodeOption, plan: LoadPlan) -> str:
    """Name a kind of node, and when it is full where its name does not say that."""
    full = "" if plan.counts != "requests in flight" else f", full with {option.concurrency:g} in flight"
    return f"{kind_words(option, plan)}{full}"


def in_all_words(option: NodeOption, plan: LoadPlan) -> str:
    """Say how many cores the nodes have together; nothing where that is unknown, or said by the kind of one node."""
    if math.isnan(option.total_cores) or (option.nodes == 1 and plan.counts == "cores"):
        return ""
    return f"{counted(option.total_cores)} core{'' if option.total_cores == 1 else 's'} in all"


def load_texts(plan: LoadPlan) -> list[str]:
    """Write the loads of the demand curve with one number of decimals, as many as they need."""
    divisor, unit = scaled(plan.target, plan.unit)
    loads = [one.load / divisor for one in plan.demand]
    places = next((at for at in range(3) if all(math.isclose(round(one, at), one, rel_tol=5e-4) for one in loads)), 3)
    return [f"{one:,.{places}f} {unit}" for one in loads]


def plan_words(option: NodeOption, plan: LoadPlan, answer: PlanningAnswer) -> Told:
    """Say how many nodes of which kind, and what they cost."""
    line = f"{counted(option.nodes)} node{'' if option.nodes == 1 else 's'} of {size_words(option, plan)}"
    if in_all := in_all_words(option, plan):
        line += f" ({in_all})"
    if not math.isnan(option.cost):
        line += f", {money_words(option.cost, answer)}, {money_words(option.monthly_cost, answer, 'month')}"
    return told(line, option.evidence)


def refused_kinds(plan: LoadPlan, answer: PlanningAnswer) -> tuple[str, ...]:
    """Return the kinds of node that were asked for and that these data say nothing of."""
    planned = {one.written for one in plan.options}
    return tuple(one for one in answer.asked.nodes if one not in planned)


def instead_words(plan: LoadPlan, answer: PlanningAnswer) -> str:
    """Say that a plan is not of a kind of node that was asked for; nothing where it is."""
    refused = refused_kinds(plan, answer)
    if plan.best is None or plan.best.written or not refused:
        return ""
    return f", in place of {listed([printable(one, 40) for one in refused])}, of which these data say nothing"


def sure_words(best: NodeOption) -> Told:
    """Say with what probability the nodes are enough, and how many other probabilities take."""
    counts = ", ".join(f"{counted(nodes)} for {percent(share)}" for share, nodes in best.nodes_at.items())
    return told(f"enough with a probability of {chance_words(best.probability)}; nodes: {counts}", best.evidence)


def load_words(best: NodeOption, plan: LoadPlan, answer: PlanningAnswer) -> Told:
    """Say what each node that is left does at the target, how long requests take there, and where the limit breaks."""
    lost = f" with {answer.asked.survive} lost" if answer.asked.survive else ""
    if math.isnan(best.flying.value):
        line = f"each of the nodes left{lost} does {load_figure(best, plan)}; they deliver "
        return told(
            f"{line}{figure(best.delivered)} together when they are full ({ends(best.delivered)})", best.evidence
        )
    more = digits_lacking(best)
    line = (
        f"each of the nodes left{lost} does {load_figure(best, plan)} with {flying_figure(best)} in flight "
        f"({ends(best.flying, more)}): {mean_figure(best)} in the mean ({ends(best.mean_latency, more)})"
    )
    if (
        best.limited_latency is not None
        and best.breaks_at is not None
        and not answer.asked.slo.startswith("latency_mean")
    ):
        name = metric_name(answer.asked.slo.partition("=")[0])
        line += f", {name} {figure(best.limited_latency)} ({ends(best.limited_latency)})"
    parts = [line, _other_mean(plan), breaks_words(best)]
    return told("; ".join(one for one in parts if one), best.evidence)


def _other_mean(plan: LoadPlan) -> str:
    level = plan.other_mean
    if level is None:
        return ""
    stated, ours = show(level.generator_mean, "sec"), show(level.mean, "sec")
    return f"the load generator itself states {stated} with {level.concurrency:g} in flight, where N / X is {ours}"


def breaks_words(best: NodeOption) -> str:
    """Say at which load of a node the limit breaks; nothing without a limit that can be judged.

    A limit that holds until a node is full does not break there: the node is full.
    """
    breaks = best.breaks_at
    if breaks is None:
        return ""
    if best.full_first:
        return f"the limit holds until a node is full, at {figure(breaks)} ({ends(breaks)})"
    return f"the limit breaks at {figure(breaks)} ({ends(breaks)})"


def unjudged_words(best: NodeOption, answer: PlanningAnswer) -> str:
    """Say that a limit was asked for and these data cannot be held against it; nothing where they can."""
    if not answer.asked.slo or best.breaks_at is not None:
        return ""
    limited = metric_name(answer.asked.slo.partition("=")[0])
    return f"the limit on {limited} is not judged: these data do not say it; see what is refused"


def unmet_words(plan: LoadPlan) -> Told:
    """Say why no count of nodes is enough, and what comes nearest; nothing where one is."""
    return Told("") if plan.unmet is None else told(f"{plan.unmet.reason}; {plan.unmet.advice}", plan.evidence)


def binding_words(plan: LoadPlan) -> Told:
    """Say which condition the count hangs on, and how many nodes each adds."""
    adds = ", ".join(f"{name} {counted(nodes)}" for name, nodes in plan.spent.items() if nodes)
    if not adds:
        return Told(f"{plan.binding}: no condition adds a node")
    return told(f"{plan.binding}; nodes that a condition adds: {adds}", plan.evidence)


def headroom_words(best: NodeOption) -> Told:
    """Say what share of what the nodes can deliver is free at the target."""
    within = " within the limit" if best.breaks_at is not None else ""
    line = (
        f"{figure(best.headroom)} of what the nodes left deliver{within} is free at the target ({ends(best.headroom)})"
    )
    return told(line, best.evidence)


def regret_words(plan: LoadPlan, best: NodeOption) -> Told:
    """Say how often the plan falls short and by how much, and what it costs too much; nothing without regret."""
    regret = plan.regret
    if regret is None:
        return Told("")
    line = "falls short in no draw"
    if regret.falls_short:
        line = f"falls short in {chance_words(regret.falls_short)} of the draws, {_lacking_words(plan, best)}"
    if not math.isnan(regret.beyond_cheapest):
        line += f"; costs {percent(regret.beyond_cheapest)} more than the cheapest plan of each draw, in the mean"
    return told(line, plan.evidence)


def _lacking_words(plan: LoadPlan, best: NodeOption) -> str:
    regret = plan.regret
    if regret is None or not math.isfinite(regret.lacking):
        return "and in most of those no more nodes help"
    most = regret.most_lacking
    # Of tails this long the draws carry no digits.
    worst = f"at most {counted(most)}" if most <= 10 * best.nodes else "up to more than ten times the plan"
    return f"then by {count(round(regret.lacking), 'node')} ({worst} in 95 % of those)"


def law_words(plan: LoadPlan, best: NodeOption) -> Iterator[Told]:
    """Say of each law what it asks for by itself, and whether the plan is enough if it is the true one."""
    for law in plan.laws if len(plan.laws) > 1 else ():
        line = (
            f"if {law.law} is true ({chance_words(law.weight)}): "
            f"{counted(law.nodes)} node{'' if law.nodes == 1 else 's'}; "
            f"{counted(best.nodes)} {'is' if best.nodes == 1 else 'are'} enough with {chance_words(law.enough)}"
        )
        yield told(line, plan.evidence)


def growth_words(plan: LoadPlan) -> Told:
    """Say in which month growth has used the headroom up; nothing without growth."""
    used = plan.used_up
    if used is None:
        return Told("")
    if math.isinf(used.month.value):
        return Told(f"{written_growth(used.growth)}: the headroom is not used up within 100 years")
    spans = f"{_month(used.month.low)} to {_month(used.month.high)}"
    line = f"{written_growth(used.growth)}: the headroom is used up in month {used.month.value:g} ({spans})"
    if used.told:
        line += f", {used.told} ({used.told_low} to {used.told_high or 'never'})"
    return told(line, plan.evidence)


def _month(month: float) -> str:
    return f"{month:g}" if math.isfinite(month) else "never"


def claim_words(claim: ClaimTest, plan: LoadPlan) -> Told:
    """Say whether a published recommendation holds by one rule."""
    low, high = claim.best
    where = f"best at {low:g}" if low == high else f"best from {low:g} to {high:g}"
    verdict = "holds" if claim.holds else "does not hold"
    rule = f"{claim.rule}{', as it is meant' if claim.stated else ''}"
    share = chance_words(claim.probability)
    line = f"{verdict} by {rule}: {where} by the points; within it in {share} of the draws"
    if not draws_tell(claim):
        line = f"{verdict} by the points, by {rule}: {where}; the draws do not tell: within it in {share} of them"
    return joined([f"“{claim.text}” ", told(line, plan.evidence)])


def draws_tell(claim: ClaimTest) -> bool:
    """Whether enough of the draws agree with what the points say of a recommendation."""
    return (claim.probability if claim.holds else 1 - claim.probability) >= _TOLD


def shape_words(plan: LoadPlan) -> Told:
    """Say whether to scale up or out: which kind of node is cheapest along the load; nothing for a single kind."""
    if not plan.cheapest_for:
        return Told("")
    most = max(range(len(plan.options)), key=lambda at: plan.cheapest_for[at])
    name = f"nodes of {kind_words(plan.options[most], plan)}"
    least = "cost least" if not math.isnan(plan.options[most].cost) else "take the fewest cores"
    ends = {0: "Scale out", len(plan.options) - 1: "Scale up"}
    share, up_to = plan.cheapest_for[most], show(plan.demand[-1].load, plan.unit)
    often = f"for {percent(share)} of the loads up to {up_to}" if share < 1 else f"for every load up to {up_to}"
    return told(f"{ends.get(most, 'Neither end is cheapest')}: {name} {least} {often}.", plan.evidence)
