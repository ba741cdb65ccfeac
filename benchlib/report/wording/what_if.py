"""What a plan says of one load, line by line: the words that a page says anew when its settings are moved.

``templates/scripts/what_if/words.js`` says the same in the browser; tests hold one against the other.
"""

from __future__ import annotations

import math

from benchlib.answers.capacity_plans import LoadPlan, NodeOption, PlanningAnswer
from benchlib.capacity.nodes import SHARES
from benchlib.report.wording.littles_law import digits_lacking, flying_figure, load_figure, mean_figure
from benchlib.report.wording.plan_words import (
    binding_words,
    breaks_words,
    counted,
    ends,
    figure,
    growth_words,
    money_words,
    plan_words,
    size_words,
    sure_words,
    unjudged_words,
    unmet_words,
)
from benchlib.report.wording.told import unbroken
from benchlib.report.wording.words import metric_name
from benchlib.statistics.estimates import Estimate
from benchlib.units import percent

#: The lines of a plan, in a reader's order.
LABELS = {
    "nodes": "To take",
    "sure": "How sure",
    "delivered": "The nodes left deliver",
    "headroom": "Headroom",
    "load": "Load of each",
    "mean": "Mean latency",
    "limited": "Latency with a limit",
    "breaks": "Where it breaks",
    "binding": "Binding condition",
    "used_up": "Growth",
    "next": "Runner-up",
    "mind": "Mind",
}
#: The heads of the table of kinds of node; shares are those of the draws.
KIND_HEADS = (
    "kind of node",
    *(unbroken(f"nodes for {percent(one)}") for one in SHARES),
    "cores in all",
    "cost per hour",
    "a full node does",
    "95 % interval",
    "mean latency at the target",
)
#: What stands in brackets.
NOTE = "In brackets stand the ends between which 95 % of the draws lie."
NONE = "–"
#: What depends on the settings; other caveats are those of the data, and stand with them.
_OF_SETTINGS = ("nodes-in-proportion", "beyond-range")


def plan_lines(answer: PlanningAnswer, plan: LoadPlan) -> dict[str, str]:
    """Return each line of `LABELS`; intervals stand in brackets.

    Examples
    --------
    >>> import benchlib
    >>> answer = benchlib.plan_capacity("data/onix-adapter-published", headroom=0, survive=0, node="cores=8,cost=1/h")
    >>> plan_lines(answer, answer.loads[0])["nodes"]
    '5 nodes of 8 cores (40 cores in all), 5.00 per hour, 3,650.00 per month'
    """
    best, other = plan.best, plan.next_best
    if best is None:
        return {name: unmet_words(plan) if name == "nodes" else NONE for name in LABELS}
    more = digits_lacking(best)
    return {
        "nodes": plan_words(best, plan, answer),
        "sure": sure_words(best),
        "delivered": _both(best.delivered),
        "headroom": _both(best.headroom),
        "load": f"{load_figure(best, plan)} with {flying_figure(best)} ({ends(best.flying, more)}) in flight",
        "mean": f"{mean_figure(best)} ({ends(best.mean_latency, more)})",
        "limited": _limited_words(best, answer),
        "breaks": breaks_words(best) or NONE,
        "binding": binding_words(plan),
        "used_up": growth_words(plan) or "none asked for",
        "next": plan_words(other, plan, answer) if other else NONE,
        "mind": "; ".join(one.message for one in plan.caveats if one.code in _OF_SETTINGS) or NONE,
    }


def kind_rows(answer: PlanningAnswer, plan: LoadPlan) -> tuple[tuple[str, ...], ...]:
    """Return a row of `KIND_HEADS` for each kind of node that can be had."""
    return tuple(_kind_row(one, answer, plan) for one in plan.options)


def _kind_row(option: NodeOption, answer: PlanningAnswer, plan: LoadPlan) -> tuple[str, ...]:
    cost = NONE if math.isnan(option.cost) else money_words(option.cost, answer).removesuffix(" per hour")
    return (
        size_words(option, plan),
        *(counted(option.nodes_at[share]) for share in SHARES),
        counted(option.total_cores),
        cost,
        figure(option.each),
        ends(option.each),
        mean_figure(option),
    )


def _both(estimate: Estimate) -> str:
    return f"{figure(estimate)} ({ends(estimate)})"


def _limited_words(best: NodeOption, answer: PlanningAnswer) -> str:
    if best.limited_latency is None:
        return unjudged_words(best, answer) or "no limit"
    name = answer.asked.slo.partition("=")[0]
    return "the mean has it" if name == "latency_mean" else f"{metric_name(name)} {_both(best.limited_latency)}"
