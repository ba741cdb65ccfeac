"""What a page shows of one planned load: the kinds of node, demand and cost, return of cores, latency, doubts."""

from __future__ import annotations

import math

from benchlib.answers.capacity_plans import LoadPlan, PlanningAnswer
from benchlib.answers.grouping import name_caveats
from benchlib.answers.pooled import plan_evidence
from benchlib.caveats import merge
from benchlib.plots.capacity import cost_figure, demand_figure
from benchlib.plots.capacity_latency import loaded_latency_figure
from benchlib.plots.capacity_returns import returns_figure
from benchlib.report.sections import details
from benchlib.report.wording.caveats import caveat_list, refusal_line
from benchlib.report.wording.markup import bullets, paragraph, render_table
from benchlib.report.wording.plan_tables import (
    claims_table,
    demand_table,
    kinds_table,
    latencies_table,
    laws_table,
    returns_table,
)
from benchlib.report.wording.plan_words import (
    binding_words,
    breaks_words,
    claim_words,
    growth_words,
    headroom_words,
    instead_words,
    kind_words,
    load_words,
    plan_words,
    regret_words,
    shape_words,
    sure_words,
    unjudged_words,
    unmet_words,
)
from benchlib.report.wording.told import joined, told
from benchlib.units import asked_share, show


def plan_of(plan: LoadPlan, answer: PlanningAnswer) -> list[object]:
    """Return what to take, what it hangs on, and the kinds of node side by side."""
    best, other = plan.best, plan.next_best
    if best is None:
        lines: list[str] = [joined(["No plan for ", unmet_words(plan), "."])]
    else:
        said = {
            "Take": joined([plan_words(best, plan, answer), instead_words(plan, answer)]),
            "How sure": sure_words(best),
            "Under that load": load_words(best, plan, answer),
            "What it hangs on": binding_words(plan),
            "Headroom": headroom_words(best),
            "Chosen by": plan.rule,
            "Next best": plan_words(other, plan, answer) if other is not None else "",
            "Growth": growth_words(plan),
            "Limit": unjudged_words(best, answer),
        }
        lines = [joined([f"{name}: ", words, "."]) for name, words in said.items() if words]
    return [bullets(lines), kinds_table(plan, answer)]


def demand_of(plan: LoadPlan, answer: PlanningAnswer) -> list[object]:
    """Return the nodes for each load, and how sure; nothing where no kind of node is enough."""
    best = plan.best
    if best is None:
        return []
    shown = f"Nodes of {kind_words(best, plan)} against the load"
    chart = demand_figure(
        answer,
        plan,
        alt=f"{plan.name}. {shown}: {plan_words(best, plan, answer)}; {sure_words(best)}.",
        caption=f"{plan.name}. {shown}: enough in 50, 80 and 95 % of the draws. The dot is the plan.",
    )
    return [chart, details("As a table", render_table(demand_table(plan, answer)))]


def cost_of(plan: LoadPlan, answer: PlanningAnswer) -> list[object]:
    """Return the cost of each load by kind of node; nothing where a single kind without a price could be had."""
    priced = any(not math.isnan(one.cost) for one in plan.options)
    if plan.best is None or not (priced or len(plan.options) > 1):
        return []
    line = shape_words(plan)
    chart = cost_figure(
        answer,
        plan,
        alt=f"{plan.name}. {'Cost' if priced else 'Cores'} against the load by kind of node. {line}",
        caption=f"{plan.name}. {'Cost' if priced else 'Cores in all'} by kind of node, enough with "
        f"{asked_share(answer.asked.probability)}."
        f"{' The strip below says which is cheapest.' if len(plan.options) > 1 else ''}",
    )
    return [*([paragraph(line)] if line else []), chart]


def returns_of(plan: LoadPlan, answer: PlanningAnswer) -> list[object]:
    """Return what each core and each added core gives, and whether a published recommendation holds."""
    if not plan.returns:
        return []
    lines = [joined([claim_words(one, plan), "."]) for one in plan.claims]
    points = "Points: measured; star: the best by that rule" if plan.measured else "Medians of the draws"
    chart = returns_figure(
        answer,
        plan,
        alt=f"{plan.name}. Throughput of each and of each added one against {answer.axis}. {' '.join(lines)}",
        caption=f"{plan.name}. {points}. Ground and bars: where 95 % of the draws lie."
        f"{' Yellow: what was recommended.' if plan.claims else ''}",
    )
    tables = [render_table(returns_table(plan)), *([render_table(claims_table(plan))] if plan.claims else [])]
    return [bullets(lines), chart, details("As a table", *tables)]


def latency_of(plan: LoadPlan, answer: PlanningAnswer) -> list[object]:
    """Return the latency of a node against its throughput, and where the limit breaks."""
    best = plan.best
    if not plan.latency:
        return []
    lines: list[str] = []
    if best is not None:
        lines = [joined(["At the target ", load_words(best, plan, answer), "."])]
        lines += [joined([one, "."]) for one in [unjudged_words(best, answer)] if one]
    chart = loaded_latency_figure(
        answer,
        plan,
        alt=f"{plan.name}. Latency of one node against its throughput. {' '.join(lines)}",
        caption=f"{plan.name}. Line: N in flight against X(N), by the median of the draws; ground: where 95 % of them "
        f"lie{'; open marks: measured' if plan.measured else ''}.{_breaks(plan)}",
    )
    return [bullets(lines), chart, details("As a table", render_table(latencies_table(plan, answer)))]


def _breaks(plan: LoadPlan) -> str:
    best = plan.best
    if best is None or best.breaks_at is None:
        return ""
    words = breaks_words(best)
    return f" {words[0].upper()}{words[1:]}: the thick line below is its interval."


def doubts_of(plan: LoadPlan, answer: PlanningAnswer) -> list[object]:
    """Return how often the plan falls short, and what each law by itself asks for."""
    best = plan.best
    if best is None:
        return []
    of = told(f"The plan for {show(plan.target, plan.unit)} ", plan.evidence)
    line = joined([of, regret_words(plan, best), "."])
    return [bullets([line]), *([laws_table(plan)] if len(plan.laws) > 1 else [])]


def unsaid(answer: PlanningAnswer) -> list[object]:
    """Return what these data cannot say, and what is to be borne in mind: once where all loads share it."""
    refusals = dict.fromkeys(one for plan in answer.loads for one in plan.refusals)
    pairs = [(plan.name, one) for plan in answer.loads for one in plan.caveats]
    shared = [one for one in answer.loads[0].caveats if sum(one == other for _, other in pairs) == len(answer.loads)]
    caveats = merge(shared, name_caveats((name, one) for name, one in pairs if one not in shared))
    return [
        *(refusal_line(one) for one in (*refusals, *answer.refusals)),
        caveat_list(caveats, dict.fromkeys(caveats, plan_evidence(answer))),
    ]
