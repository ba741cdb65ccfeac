"""A capacity plan as plain data: the JSON of ``benchlib capacity``, and the same as rows of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchlib.answers.planning.answer import LoadPlan, NodeOption, PlanningAnswer
from benchlib.answers.serial import SCHEMA_VERSION, to_dict
from benchlib.statistics.estimates import Estimate

__all__ = ["planning_document", "planning_rows"]


def planning_document(answer: PlanningAnswer) -> dict[str, Any]:
    """Return a plan as data that JSON can hold; a number that is not finite is null.

    Examples
    --------
    >>> import benchlib
    >>> found = planning_document(benchlib.plan_capacity("data/onix-adapter-published", target="50000/s"))
    >>> found["asked"]["target"], [one["options"][one["chosen"]]["cores"] for one in found["loads"]]
    ('50000/s', [2, 2])
    """
    return {"schema": SCHEMA_VERSION, **to_dict(answer)}


def planning_rows(answer: PlanningAnswer) -> Iterator[dict[str, Any]]:
    """Yield every number of a plan as a row, with what was asked: of a kind of node, a load, added cores, or the plan.

    Examples
    --------
    >>> import benchlib
    >>> rows = list(planning_rows(benchlib.plan_capacity("data/onix-adapter-published", target="50000/s")))
    >>> {one["quantity"] for one in rows} >= {"nodes", "probability", "headroom", "nodes_for_load"}
    True
    """
    asked = answer.asked
    conditions = {
        "target": asked.target,
        "slo": asked.slo,
        "headroom": asked.headroom,
        "survive": asked.survive,
        "growth": asked.growth,
        "mix": ",".join(f"{name}={share:g}" for name, share in asked.mix.items()),
        "enough_with": asked.probability,
        "currency": asked.currency,
    }
    for plan in answer.loads:
        place = {"plan": plan.name, **conditions}
        for at, option in enumerate(plan.options):
            here = {**place, "node": option.concurrency, "chosen": at == plan.chosen}
            yield from _option_rows(here, option, money=f"{asked.currency}/h")
        for point in plan.demand:
            for share, nodes in point.nodes_at.items():
                yield {
                    **place,
                    "load": point.load,
                    "quantity": "nodes_for_load",
                    "value": nodes,
                    "probability": share,
                    "unit": "",
                }
        for step in plan.returns:
            there = {**place, "node": step.after}
            yield {**there, "quantity": "throughput_per_core", **_ends(step.per_core)}
            yield {**there, "quantity": "throughput_per_added_core", **_ends(step.per_added_core)}
        yield from _plan_rows(place, plan)


def _option_rows(here: dict[str, Any], option: NodeOption, *, money: str) -> Iterator[dict[str, Any]]:
    for share, nodes in option.nodes_at.items():
        yield {**here, "quantity": "nodes", "value": nodes, "probability": share, "unit": ""}
    yield {**here, "quantity": "probability", "value": option.probability, "unit": "ratio"}
    yield {**here, "quantity": "total_cores", "value": option.total_cores, "unit": "core"}
    yield {**here, "quantity": "cost_by_hour", "value": option.cost, "unit": money}
    estimates = {
        "throughput_of_a_node": option.each,
        "throughput_of_nodes_left": option.delivered,
        "requests_in_flight": option.flying,
        "latency_mean": option.mean_latency,
        "latency_limited": option.limited_latency,
        "load_at_which_limit_breaks": option.breaks_at,
        "headroom": option.headroom,
    }
    for name, estimate in estimates.items():
        if estimate is not None:
            yield {**here, "quantity": name, **_ends(estimate)}


def _plan_rows(place: dict[str, Any], plan: LoadPlan) -> Iterator[dict[str, Any]]:
    for name, nodes in plan.spent.items():
        yield {**place, "quantity": f"nodes_for_{name.replace(' ', '_')}", "value": nodes, "unit": ""}
    for law in plan.laws:
        yield {**place, "law": law.law, "quantity": "nodes_by_law", "value": law.nodes, "probability": law.weight}
    if plan.used_up is not None:
        yield {**place, "quantity": "month_headroom_used_up", **_ends(plan.used_up.month)}


def _ends(estimate: Estimate) -> dict[str, Any]:
    return {name: getattr(estimate, name) for name in ("value", "low", "high", "unit", "n")}
