"""Nodes, money and chances in words."""

from __future__ import annotations

import math

from benchlib.answers.planning.answer import LoadPlan, NodeOption, PlanningAnswer
from benchlib.units import percent

__all__ = ["asked_words", "chance_words", "lead_of", "money_words", "node_words", "nodes_words"]

#: Hours of a month, a twelfth of a year of 365 days.
_HOURS = {"hour": 1, "month": 730}


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


def nodes_words(count: float) -> str:
    """Write a count of nodes.

    Examples
    --------
    >>> nodes_words(1), nodes_words(1200), nodes_words(float("inf"))
    ('1 node', '1,200 nodes', 'no count of nodes')
    """
    if not math.isfinite(count):
        return "no count of nodes"
    return f"{count:,.0f} node{'' if count == 1 else 's'}"


def node_words(option: NodeOption, plan: LoadPlan) -> str:
    """Say what one node is."""
    if plan.counts == "cores":
        return f"{option.concurrency:g} core{'' if option.concurrency == 1 else 's'}"
    return "the machine measured"


def money_words(cost: float, answer: PlanningAnswer, period: str = "hour") -> str:
    """Write what nodes cost, with the currency where one was named."""
    currency = f" {answer.asked.currency}" if answer.asked.currency else ""
    return f"{cost * _HOURS[period]:,.2f}{currency} per {period}"


def asked_words(answer: PlanningAnswer) -> list[str]:
    """List the conditions beside the target."""
    asked = answer.asked
    words = [f"{percent(asked.headroom)} of every node free"] if asked.headroom else []
    words += [f"{nodes_words(asked.survive)} lost"] if asked.survive else []
    return words + ([asked.slo] if asked.slo else [])


def lead_of(answer: PlanningAnswer) -> LoadPlan:
    """Return the load that the slides follow: one that no count meets, else the one that takes the most."""

    def weight(plan: LoadPlan) -> tuple[float, float, float]:
        best = plan.best
        if best is None:
            return (math.inf, math.inf, math.inf)
        return tuple(0.0 if math.isnan(one) else one for one in (best.cost, best.total_cores, best.nodes))  # type: ignore[return-value]

    return max(answer.loads, key=weight)
