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
    NodeOption,
    UsedUp,
)
from benchlib.answers.planning.claims import check_claims
from benchlib.answers.planning.latencies import time_unit
from benchlib.answers.planning.loads import Load
from benchlib.answers.planning.measured import MeasuredLevel, disagreeing
from benchlib.answers.planning.nearest import unmet
from benchlib.answers.planning.options import Sized, capacity_of, choose, drawn_estimate, kinds_of, plan_demand, size
from benchlib.answers.planning.question import PlanQuestion
from benchlib.answers.planning.shapes import cheapest_shares
from benchlib.capacity.draws import POINTS
from benchlib.capacity.nodes import SHARES, Demand, enough, months_until, needed_nodes, spent_on
from benchlib.capacity.regret import law_needs, regret_of
from benchlib.caveats import Caveat, caveat, merge
from benchlib.scaling.laws import FloatArray
from benchlib.statistics.estimates import Estimate
from benchlib.units import show

__all__ = ["plan_load"]

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
        unmet=unmet(load, sized, question) if best is None else None,
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
        other_mean=None if best is None else _other_mean(load, best.option, question),
        claims=() if question.node_axis else check_claims(question.claims, load.name, load.returns, drawn),
        n=drawn.n,
        refusals=(*refused, *load.refusals),
        caveats=_caveats(load, sized, chosen, question),
        evidence=load.evidence,
        _drawn=drawn,
        _limited=load.limited,
    )


def _binding(spent: Mapping[str, float]) -> Condition:
    most = max(spent, key=lambda name: spent[name], default="throughput")
    return cast(Condition, most) if spent.get(most, 0.0) > 0 else "throughput"


def _used_up(best: Sized, demand: Demand, question: PlanQuestion) -> UsedUp | None:
    if question.growth is None:
        return None
    left = best.option.nodes - demand.survive
    months = months_until(capacity_of(best.node, left), demand.target, question.growth.monthly)
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
    means = drawn.concurrency / drawn.throughput * time_unit(drawn.unit)
    return tuple(
        LatencyPoint(
            concurrency=float(place),
            throughput=drawn_estimate(drawn.throughput[:, at], drawn.unit, n, "X(N)"),
            mean=drawn_estimate(means[:, at], "sec", n, "N / X(N)"),
            limited=_limited_at(load, at, means[:, at]),
        )
        for at, place in enumerate(drawn.concurrency)
    )


def _limited_at(load: Load, at: int, means: FloatArray) -> Estimate | None:
    limited = load.limited
    if limited is None or load.drawn.concurrency[at] > limited.up_to:
        return None
    values = means if limited.of_mean else limited.values[:, at]
    return drawn_estimate(values, "sec", load.drawn.n, limited.measured)


def _other_mean(load: Load, best: NodeOption, question: PlanQuestion) -> MeasuredLevel | None:
    """Return where the generator states another mean than the one that is held against the limit."""
    if load.limited is None or not load.limited.of_mean or not math.isfinite(best.flying.value):
        return None
    return disagreeing(load.measured, best.flying.value, best.concurrency)


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
    other = None if best is None else _other_mean(load, best, question)
    if other is not None:
        found.append(
            caveat(
                "means-disagree",
                f"latency_mean is judged as N / X, {show(other.mean, 'sec')} at {question.axis} {other.concurrency:g}; "
                f"the load generator itself states {show(other.generator_mean, 'sec')} there",
            )
        )
    if any(one.cost is not None and not one.currency for one in question.nodes):
        found.append(caveat("currency-unnamed", "prices name no currency: costs are told as numbers by hour"))
    return merge(load.caveats, found)
