"""One load planned: options ranked, what each condition costs, what could be wrong, and when growth uses it up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import cast

import numpy as np

from benchlib.answers.planning.answer import (
    AddedCores,
    Condition,
    DemandPoint,
    LatencyPoint,
    LoadPlan,
    UsedUp,
)
from benchlib.answers.planning.claims import check_claims
from benchlib.answers.planning.latencies import time_unit
from benchlib.answers.planning.loads import Load, measure_at
from benchlib.answers.planning.options import Sized, choose, drawn_estimate, kinds_of, plan_demand, size
from benchlib.answers.planning.question import PlanQuestion
from benchlib.answers.planning.shapes import cheapest_shares
from benchlib.answers.refusal import Refusal
from benchlib.caveats import Caveat, caveat, merge
from benchlib.scaling.planning.draws import POINTS
from benchlib.scaling.planning.growth import months_until
from benchlib.scaling.planning.loaded_latency import load_within, mean_latency
from benchlib.scaling.planning.nodes import (
    SHARES,
    Demand,
    Node,
    delivered_by,
    enough,
    law_needs,
    needed_nodes,
    regret_of,
    spent_on,
)
from benchlib.statistics.estimates import Estimate
from benchlib.units import show

__all__ = ["plan_load", "unmet"]

#: Loads of the demand curve, as shares of the target.
_LOADS = np.linspace(0.1, 2.0, 20)


def plan_load(load: Load, question: PlanQuestion, cores: int | None) -> LoadPlan:
    """Plan one load.

    Raises
    ------
    DataError
        For a target in other work than the curve counts.
    """
    demand = plan_demand(load, question)
    kinds, refused = kinds_of(load, question, cores)
    sized = [size(one, load, question, demand) for one in kinds]
    chosen, runner_up, rule = choose(sized, load)
    best = None if chosen is None else sized[chosen]
    spent = {} if best is None else dict(spent_on(best.node, demand))
    drawn = load.drawn
    others = [(one.needed, one.kind.weight) for one in sized]
    return LoadPlan(
        name=load.name,
        key=load.key,
        unit=drawn.unit,
        target=demand.target,
        counts="nodes" if question.node_axis else "requests in flight" if question.demand_axis else "cores",
        read_from="mix" if drawn.laws == ("mix",) else "points" if drawn.laws == (POINTS,) else "laws",
        options=tuple(one.option for one in sized),
        chosen=chosen,
        runner_up=runner_up,
        rule=rule,
        binding=_binding(spent),
        spent=spent,
        regret=None if best is None else regret_of(best.needed, best.option.nodes, best.kind.weight, others),
        laws=() if best is None else law_needs(drawn, best.needed, best.option.nodes, demand.share),
        used_up=None if best is None else _used_up(best, demand, question),
        demand=() if best is None else _demand(best, sized, demand),
        cheapest_for=()
        if best is None
        else cheapest_shares([one.option for one in sized], demand.share, demand.survive, _LOADS[-1] * demand.target),
        returns=() if question.demand_axis else _returns(load),
        latency=() if question.node_axis else _latencies(load),
        measured=load.measured,
        claims=() if question.node_axis else check_claims(question.claims, load.name, load.returns, drawn),
        n=drawn.n,
        refusals=(*refused, *load.refusals),
        caveats=_caveats(load, sized, chosen, question),
        evidence=load.evidence,
        _drawn=drawn,
        _limited=load.limited,
    )


def unmet(load: Load, plan: LoadPlan, question: PlanQuestion) -> Refusal:
    """Say why no count of nodes meets what was asked, and which limit and plan come nearest."""
    limit = question.limit
    if question.node_axis:
        return _too_few(load, plan, question)
    if limit is None or load.limited is None:
        return Refusal(
            question="capacity",
            reason=f"{plan.name}: no count of nodes meets the target with the probability asked",
            advice="ask for a lower probability, or repeat every level at least 3 times",
        )
    demand = plan_demand(load, question)
    # The limit that holds, with the fewest in flight, in the share of draws that was asked for.
    nearest = _rounded_up(enough(load.limited.values[:, 0], demand.share))
    widest = plan.options[-1].concurrency
    within = load_within(load.drawn, load.limited.values, nearest, min(widest, load.limited.up_to))
    full = load.drawn.throughput[:, int(np.searchsorted(load.drawn.concurrency, widest))]
    nodes = enough(needed_nodes(Node(full=full, within=within), demand), demand.share)
    return Refusal(
        question="capacity",
        reason=f"{plan.name}: no load keeps {limit.written} with a probability of {100 * demand.share:g} %; "
        f"the fastest {limit.metric} is {show(load.limited.fastest, 'sec')}",
        advice=f"nearest: {limit.metric}={show(nearest, 'sec', 2)} takes {nodes:,.0f} nodes "
        f"of {plan.options[-1].cores or widest:g} cores",
    )


def _too_few(load: Load, plan: LoadPlan, question: PlanQuestion) -> Refusal:
    """Say that the target lies beyond what the sweep of nodes speaks of, and what it does speak of."""
    most = load.drawn.concurrency[-1]
    loads = plan.options[0].carried_together[question.probability]
    nearest = int(np.argmax(np.array(loads) >= loads[-1]) + 1)
    return Refusal(
        question="capacity",
        reason=f"{plan.name}: {show(plan.target, plan.unit)} is more than {most:g} {question.axis} deliver with the "
        f"probability asked, and beyond them nothing is said (largest measured: {load.curve.concurrency[-1]:g})",
        advice=f"nearest: {nearest + question.survive} nodes carry {show(loads[-1], plan.unit)}; "
        f"or {measure_at(question, 2 * most, load.key)}",
    )


def _rounded_up(seconds: float) -> float:
    """Return the next number of two digits: a limit that is told is the limit that was tried."""
    step = 10.0 ** (math.floor(math.log10(seconds)) - 1)
    return math.ceil(seconds / step * (1 - 1e-12)) * step


def _binding(spent: Mapping[str, float]) -> Condition:
    most = max(spent, key=lambda name: spent[name], default="throughput")
    return cast(Condition, most) if spent.get(most, 0.0) > 0 else "throughput"


def _used_up(best: Sized, demand: Demand, question: PlanQuestion) -> UsedUp | None:
    if question.growth is None:
        return None
    left = best.option.nodes - demand.survive
    capacity = np.fmin(delivered_by(best.node, left), left * best.node.within)
    months = months_until(capacity, demand.target, question.growth.monthly)
    month = drawn_estimate(
        months, "", best.option.each.n, f"first month above {left:g} X(N), by {question.growth.written}"
    )
    told, low, high = (_month(question.start, one) for one in (month.value, month.low, month.high))
    return UsedUp(growth=question.growth.written, month=month, told=told, told_low=low, told_high=high)


def _month(start: str, month: float) -> str:
    """Return a month by the calendar.

    Examples
    --------
    >>> _month("2026-11", 1), _month("2026-11", 3), _month("", 3)
    ('2026-11', '2027-01', '')
    """
    if not start or not math.isfinite(month):
        return ""
    first, number = (int(part) for part in start.split("-"))
    years, at = divmod(number - 1 + int(month) - 1, 12)
    return f"{first + years:04d}-{at + 1:02d}"


def _demand(best: Sized, sized: Sequence[Sized], demand: Demand) -> tuple[DemandPoint, ...]:
    found = []
    for share in _LOADS:
        asked = replace(demand, target=float(share * demand.target))
        needed = needed_nodes(best.node, asked)
        costs = tuple(enough(needed_nodes(one.node, asked), demand.share) * one.kind.weight for one in sized)
        found.append(
            DemandPoint(
                load=asked.target,
                nodes_at={share: enough(needed, share) for share in SHARES},
                costs=costs,
                cheapest=int(np.argmin(costs)),
            )
        )
    return tuple(found)


def _returns(load: Load) -> tuple[AddedCores, ...]:
    drawn, unit, n = load.drawn, load.drawn.unit, load.drawn.n
    levels = [float(one) for one in load.curve.concurrency if one in drawn.concurrency]
    columns = {one: drawn.throughput[:, int(np.searchsorted(drawn.concurrency, one))] for one in levels}
    points = {one.concurrency: one.throughput for one in load.measured}
    found = []
    for before, after in pairwise(levels):
        low, high = points.get(before, math.nan), points.get(after, math.nan)
        added = (columns[after] - columns[before]) / (after - before)
        found.append(
            AddedCores(
                before=before,
                after=after,
                per_core_before=drawn_estimate(columns[before] / before, unit, n, "X / N"),
                per_core=drawn_estimate(columns[after] / after, unit, n, "X / N"),
                per_added_core=drawn_estimate(added, unit, n, "(X2 - X1) / (N2 - N1)"),
                points_per_core_before=low / before,
                points_per_core=high / after,
                points_per_added_core=(high - low) / (after - before),
            )
        )
    return tuple(found)


def _latencies(load: Load) -> tuple[LatencyPoint, ...]:
    drawn, n = load.drawn, load.drawn.n
    means = mean_latency(drawn) * time_unit(drawn.unit)
    return tuple(
        LatencyPoint(
            concurrency=float(place),
            throughput=drawn_estimate(drawn.throughput[:, at], drawn.unit, n, "X(N)"),
            mean=drawn_estimate(means[:, at], "sec", n, "N / X(N)"),
            limited=_limited_at(load, at, float(place)),
        )
        for at, place in enumerate(drawn.concurrency)
    )


def _limited_at(load: Load, at: int, place: float) -> Estimate | None:
    if load.limited is None or place > load.limited.up_to:
        return None
    return drawn_estimate(load.limited.values[:, at], "sec", load.drawn.n, load.limited.measured)


def _caveats(load: Load, sized: Sequence[Sized], chosen: int | None, question: PlanQuestion) -> tuple[Caveat, ...]:
    found = []
    best = None if chosen is None else sized[chosen].option
    if best is not None and best.nodes > 1 and not question.node_axis:
        found.append(
            caveat(
                "nodes-in-proportion",
                f"{best.nodes:,.0f} nodes are held to do {best.nodes:,.0f} times what one does: "
                "nothing between nodes was measured",
            )
        )
    if best is not None and best.beyond:
        most = float(load.curve.concurrency[-1])
        left = best.nodes - question.survive
        what = f"{left:g} nodes lie" if question.node_axis else f"a node of {best.concurrency:g} cores lies"
        found.append(caveat("beyond-range", f"{what} beyond the largest level ({most:g})"))
    if any(one.cost is not None and not one.currency for one in question.nodes):
        found.append(caveat("currency-unnamed", "prices name no currency: costs are told as numbers by hour"))
    return merge(load.caveats, found)
