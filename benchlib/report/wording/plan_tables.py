"""A capacity plan as tables of words: kinds of node, loads, what cores return, latency, laws, recommendations."""

from __future__ import annotations

import math
from collections.abc import Iterator

from benchlib.answers.capacity_plans import LatencyPoint, LoadPlan, NodeOption, PlanningAnswer
from benchlib.answers.evidence import Evidence
from benchlib.capacity.nodes import SHARES
from benchlib.report.wording.littles_law import digits_at, level_figures, mean_figure
from benchlib.report.wording.markup import Table
from benchlib.report.wording.plan_words import (
    chance_words,
    counted,
    draws_tell,
    ends,
    figure,
    load_texts,
    money_words,
    size_words,
)
from benchlib.report.wording.tables import NONE, table
from benchlib.report.wording.told import evident
from benchlib.report.wording.words import listed, metric_name
from benchlib.statistics.estimates import Estimate
from benchlib.units import percent, show


def _number(text: str, evidence: Evidence, value: float) -> str:
    """Return a number with what is behind it, and a bare dash or word where there is none."""
    return evident(text, evidence, value) if math.isfinite(value) else text


def _value(estimate: Estimate, evidence: Evidence) -> str:
    return _number(figure(estimate), evidence, estimate.value)


def _interval(estimate: Estimate, evidence: Evidence, more: int = 0) -> str:
    return evident(ends(estimate, more), evidence, estimate.low if math.isfinite(estimate.low) else None)


def _priced(plan: LoadPlan) -> bool:
    return any(not math.isnan(one.cost) for one in plan.options)


def kinds_table(plan: LoadPlan, answer: PlanningAnswer) -> Table:
    """Kinds of node side by side: how many, what they cost, what each does."""
    cores = any(not math.isnan(one.total_cores) for one in plan.options)
    name = answer.asked.slo.partition("=")[0]
    limited = name != "latency_mean" and any(one.limited_latency is not None for one in plan.options)
    heads = [
        {"cores": "cores", "nodes": "machine"}.get(plan.counts, "full with"),
        "",
        *(percent(share) for share in SHARES),
        *(["cores in all"] if cores else []),
        *(["cost per hour"] if _priced(plan) else []),
        "a full node does",
        "95 % interval",
        "mean latency at the target",
        *([f"{metric_name(name)} at the target"] if limited else []),
    ]
    rows = [
        (
            f"{one.concurrency:g}",
            "taken" if at == plan.chosen else "next" if at == plan.runner_up else "",
            *(_number(counted(nodes), one.evidence, nodes) for nodes in one.nodes_at.values()),
            *([_number(counted(one.total_cores), one.evidence, one.total_cores)] if cores else []),
            *([_cost(one, answer)] if _priced(plan) else []),
            _value(one.each, one.evidence),
            _bare_interval(one.each, one.evidence),
            _number(mean_figure(one), one.evidence, one.mean_latency.value),
            *([NONE if one.limited_latency is None else _value(one.limited_latency, one.evidence)] if limited else []),
        )
        for at, one in enumerate(plan.options)
    ]
    shares = listed([percent(share) for share in SHARES])
    caption = f"{plan.name}: nodes that are enough for {show(plan.target, plan.unit)} with {shares}"
    return table(caption, heads, rows, words=2)


def _bare_interval(estimate: Estimate, evidence: Evidence) -> str:
    """Return the ends without their unit, which stands in the cell beside them."""
    text = ends(estimate)
    unit = f" {figure(estimate).rpartition(' ')[2]}"
    low = estimate.low if math.isfinite(estimate.low) else None
    return evident(text.replace(unit, ""), evidence, low)


def _cost(option: NodeOption, answer: PlanningAnswer) -> str:
    if not math.isfinite(option.cost):
        return NONE
    return evident(money_words(option.cost, answer).removesuffix(" per hour"), option.evidence, option.cost)


def plans_table(answer: PlanningAnswer) -> Table:
    """Every load with the nodes it takes: how many, how sure, at what latency and cost."""
    rows = []
    for plan in answer.loads:
        best = plan.best
        if best is None:
            rows.append((plan.name, show(plan.target, plan.unit), "no count of nodes is enough", *([NONE] * 5)))
            continue
        rows.append(
            (
                plan.name,
                show(plan.target, plan.unit),
                size_words(best, plan),
                _number(counted(best.nodes), best.evidence, best.nodes),
                _number(counted(best.total_cores), best.evidence, best.total_cores),
                evident(chance_words(best.probability), best.evidence, best.probability),
                _number(mean_figure(best), best.evidence, best.mean_latency.value),
                _cost(best, answer),
            )
        )
    heads = ("load", "target", "node", "nodes", "cores in all", "enough with", "mean latency", "cost per hour")
    return table("What each load takes", heads, rows, words=3)


def demand_table(plan: LoadPlan, answer: PlanningAnswer) -> Table:
    """Nodes for each load, and the kind that costs least there."""
    several = len(plan.options) > 1
    rows = []
    for one, load in zip(plan.demand, load_texts(plan), strict=True):
        row: list[str] = [evident(load, plan.evidence, one.load)]
        row += [_number(counted(nodes), plan.evidence, nodes) for nodes in one.nodes_at.values()]
        if several:
            cost = one.costs[one.cheapest]
            told = money_words(cost, answer) if _priced(plan) else _cores(cost)
            row += [f"{plan.options[one.cheapest].concurrency:g}-core nodes", _number(told, plan.evidence, cost)]
        rows.append(tuple(row))
    heads = ["load", *(f"nodes for {percent(share)}" for share in SHARES)]
    heads += ["cheapest kind", "cost" if _priced(plan) else "cores in all"] if several else []
    return table(f"{plan.name}: nodes for each load", heads, rows, words=0)


def _cores(number: float) -> str:
    return f"{counted(number)} core{'' if number == 1 else 's'}"


def returns_table(plan: LoadPlan) -> Table:
    """What each core gives, and each added one: by the points, and where the draws lie."""
    behind = plan.evidence
    return table(
        f"{plan.name}: what {plan.counts} return",
        (plan.counts, "of each", "by the draws", "of each added", "by the draws"),
        (
            (
                f"{one.before:g} to {one.after:g}",
                _number(_rate(one.points_per_core, plan), behind, one.points_per_core),
                _interval(one.per_core, behind),
                _number(_rate(one.points_per_added_core, plan), behind, one.points_per_added_core),
                _interval(one.per_added_core, behind),
            )
            for one in plan.returns
        ),
    )


def _rate(value: float, plan: LoadPlan) -> str:
    return NONE if math.isnan(value) else show(value, plan.unit, 4)


def latencies_table(plan: LoadPlan, answer: PlanningAnswer) -> Table:
    """Throughput and latency of one node with so many in flight."""
    behind = plan.evidence
    limited = any(one.limited is not None for one in plan.latency) and not answer.asked.slo.startswith("latency_mean")
    name = answer.asked.slo.partition("=")[0].removeprefix("latency_")
    return table(
        f"{plan.name}: one node under load",
        (
            "in flight",
            "throughput",
            "95 % interval",
            "mean latency",
            "95 % interval",
            *((f"{name} latency", "95 % interval") if limited else ()),
        ),
        (
            (
                f"{one.concurrency:g}",
                *_throughput_and_mean(one, behind),
                *(_pair(one.limited, behind) if limited else ()),
            )
            for one in plan.latency
        ),
    )


def _throughput_and_mean(point: LatencyPoint, behind: Evidence) -> Iterator[str]:
    for text, one in zip(level_figures(point), (point.throughput, point.mean), strict=True):
        yield _number(text, behind, one.value)
        yield _interval(one, behind, digits_at(point))


def _pair(estimate: Estimate | None, behind: Evidence) -> tuple[str, str]:
    return (NONE, NONE) if estimate is None else (_value(estimate, behind), _interval(estimate, behind))


def laws_table(plan: LoadPlan) -> Table:
    """What each law by itself asks for, and whether the plan is enough if it is the true one."""
    behind = plan.evidence
    return table(
        f"{plan.name}: if one law is the true one",
        ("law", "how likely", "nodes it asks for", "the plan is enough with"),
        (
            (
                one.law,
                evident(chance_words(one.weight), behind, one.weight),
                _number(counted(one.nodes), behind, one.nodes),
                evident(chance_words(one.enough), behind, one.enough),
            )
            for one in plan.laws
        ),
    )


def claims_table(plan: LoadPlan) -> Table:
    """Every published recommendation by every rule."""
    behind = plan.evidence
    return table(
        f"{plan.name}: published recommendations",
        ("recommendation", "rule", "holds", "best by the points", "within it in"),
        (
            (
                f"“{one.text}” {one.source}",
                f"{one.rule}{', as it is meant' if one.stated else ''}",
                f"{'yes' if one.holds else 'no'}{'' if draws_tell(one) else ' by the points; the draws do not tell'}",
                evident(
                    f"{one.best[0]:g}" if one.best[0] == one.best[1] else f"{one.best[0]:g} to {one.best[1]:g}",
                    behind,
                    one.best[0],
                ),
                evident(f"{chance_words(one.probability)} of the draws", behind, one.probability),
            )
            for one in plan.claims
        ),
        words=3,
    )
