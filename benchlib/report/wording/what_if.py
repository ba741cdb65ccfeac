"""What a plan says of one load, line by line: the words that a page says anew when its settings are moved.

``templates/scripts/what_if/words.js`` says the same in the browser; tests hold one against the other.
"""

from __future__ import annotations

import math

from benchlib.answers.planning.answer import LoadPlan, NodeOption, PlanningAnswer, UsedUp
from benchlib.report.wording.words import count, figure, listed, metric_name, with_interval
from benchlib.scaling.planning.nodes import SHARES
from benchlib.statistics.estimates import Estimate
from benchlib.study import Limit
from benchlib.study.capacity_words import limit_asked
from benchlib.units import percent, show

__all__ = ["KIND_HEADS", "LABELS", "NONE", "kind_rows", "plan_lines"]

#: The lines of a plan, in a reader's order.
LABELS = {
    "nodes": "Nodes",
    "sure": "How sure",
    "cost": "Cost",
    "delivered": "The nodes left deliver",
    "headroom": "Headroom",
    "load": "Load of each",
    "mean": "Mean latency",
    "limited": "Latency with a limit",
    "breaks": "The limit breaks at",
    "binding": "Binding condition",
    "used_up": "Headroom used up",
    "next": "Runner-up",
    "mind": "Mind",
}
#: The heads of the table of kinds of node; shares are those of the draws.
KIND_HEADS = (
    "kind of node",
    *(f"nodes {percent(one)}" for one in SHARES),
    "cores in all",
    "cost by hour",
    "each delivers",
    "mean latency",
)
NONE = "–"
#: Hours of a month, a twelfth of a year of 365 days.
_HOURS = 730
#: What depends on the settings; other caveats are those of the data, and stand with them.
_OF_SETTINGS = ("nodes-in-proportion", "beyond-range")


def plan_lines(answer: PlanningAnswer, plan: LoadPlan) -> dict[str, str]:
    """Return each line of `LABELS`.

    Examples
    --------
    >>> import benchlib
    >>> answer = benchlib.plan_capacity("data/onix-adapter-published", target="50000/s", node="cores=8,cost=1/h")
    >>> found = plan_lines(answer, answer.loads[0])
    >>> found["nodes"], found["cost"]
    ('5 nodes of 8 cores: 40 cores in all', '5.00 per hour, 3,650.00 per month')
    """
    best, other = plan.best, plan.next_best
    if best is None:
        return {name: "no count of nodes is enough" if name == "nodes" else NONE for name in LABELS}
    limit = limit_asked(answer.asked.slo) if best.limited_latency is not None else None
    # Of the nodes lost nothing is said: those that are left carry the load.
    return {
        "nodes": _nodes_words(best, plan),
        "sure": _sure_words(best),
        "cost": _cost_words(best, answer),
        "delivered": with_interval(best.delivered),
        "headroom": with_interval(best.headroom),
        "load": f"{show(best.load, plan.unit, 4)}, with {with_interval(best.flying)} in flight",
        "mean": with_interval(best.mean_latency),
        "limited": _limited_words(limit, best.limited_latency),
        "breaks": f"{with_interval(best.breaks_at)} on a node" if best.breaks_at else "no limit",
        "binding": _binding_words(plan),
        "used_up": _used_up_words(plan.used_up),
        "next": NONE if other is None else f"{_nodes_words(other, plan)}; {_cost_words(other, answer)}",
        "mind": "; ".join(one.message for one in plan.caveats if one.code in _OF_SETTINGS) or NONE,
    }


def kind_rows(answer: PlanningAnswer, plan: LoadPlan) -> tuple[tuple[str, ...], ...]:
    """Return a row of `KIND_HEADS` for each kind of node that can be had."""
    return tuple(_kind_row(one, answer, plan) for one in plan.options)


def _kind_row(option: NodeOption, answer: PlanningAnswer, plan: LoadPlan) -> tuple[str, ...]:
    return (
        _size_words(option, plan),
        *(_whole(option.nodes_at[share]) for share in SHARES),
        _whole(option.total_cores),
        NONE if math.isnan(option.cost) else _money(option.cost, answer),
        with_interval(option.each),
        figure(option.mean_latency) if math.isfinite(option.nodes) else NONE,
    )


def _nodes_words(option: NodeOption, plan: LoadPlan) -> str:
    if math.isinf(option.nodes):
        return "no count of nodes is enough"
    told = f"{_whole(option.nodes)} node{'' if option.nodes == 1 else 's'} of {_size_words(option, plan)}"
    return told if math.isnan(option.total_cores) else f"{told}: {_whole(option.total_cores)} cores in all"


def _size_words(option: NodeOption, plan: LoadPlan) -> str:
    if plan.counts == "cores":
        return f"{option.concurrency:g} core{'' if option.concurrency == 1 else 's'}"
    return f"the machine measured, full with {option.concurrency:g} in flight"


def _sure_words(best: NodeOption) -> str:
    counts = listed([_whole(best.nodes_at[share]) for share in SHARES])
    shares = listed([percent(share) for share in SHARES])
    return f"enough with {_chance(best.probability)}; {counts} nodes are enough with {shares}"


def _cost_words(option: NodeOption, answer: PlanningAnswer) -> str:
    if not math.isfinite(option.cost):
        return "no price"
    return f"{_money(option.cost, answer)} per hour, {_money(option.cost * _HOURS, answer)} per month"


def _limited_words(limit: Limit | None, latency: Estimate | None) -> str:
    if limit is None or latency is None:
        return "no limit"
    if limit.metric == "latency_mean":
        return "the mean has it"
    return f"{metric_name(limit.metric)} {with_interval(latency)}"


def _binding_words(plan: LoadPlan) -> str:
    adds = [f"{name} adds {count(round(nodes), 'node')}" for name, nodes in plan.spent.items() if nodes > 0]
    return f"{plan.binding}: {', '.join(adds) or 'no other condition adds a node'}"


def _used_up_words(used: UsedUp | None) -> str:
    if used is None:
        return "no growth asked for"
    if math.isinf(used.month.value):
        return "not within 100 years"
    told = f"in month {with_interval(used.month)}"
    if used.told:
        told += f": {used.told} ({used.told_low} to {used.told_high or 'never'})"
    return told


def _chance(share: float) -> str:
    if share > 0.99:
        return "more than 99 %"
    return "less than 1 %" if share < 0.01 else percent(share)


def _whole(number: float) -> str:
    if math.isnan(number):
        return NONE
    return f"{number:,.0f}" if math.isfinite(number) else "none"


def _money(cost: float, answer: PlanningAnswer) -> str:
    if math.isinf(cost):
        return "none"
    return f"{cost:,.2f}{f' {answer.asked.currency}' if answer.asked.currency else ''}"
