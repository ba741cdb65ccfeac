"""Kinds of node that a plan chooses from, each sized for the target."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchlib.answers.planning.answer import NodeOption
from benchlib.answers.planning.latencies import time_unit
from benchlib.answers.planning.loads import Load, measure_at
from benchlib.answers.planning.question import PlanQuestion
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling.amounts import Amount, throughput_in
from benchlib.capacity.draws import between
from benchlib.capacity.latency import in_flight, latency_with, loads_within
from benchlib.capacity.nodes import (
    SHARES,
    Counts,
    Demand,
    Node,
    carried_in,
    carried_together,
    chance,
    delivered_by,
    enough,
    needed_nodes,
)
from benchlib.scaling.advise import RULE
from benchlib.scaling.laws import FloatArray
from benchlib.statistics.estimates import Estimate
from benchlib.study.quantities import HOURS_A_MONTH
from benchlib.units import asked_share

__all__ = ["Kind", "Sized", "choose", "drawn_estimate", "kinds_of", "node_of", "plan_demand", "size"]

#: A machine is full at the smallest concurrency whose median throughput comes this near to the largest.
FULL = 0.99
#: Of every interval.
_LEVEL = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of node: the N at which it is full, its cores where known, its price by hour or NaN."""

    concurrency: float
    cores: int | None
    price: float
    written: str

    @property
    def weight(self) -> float:
        """What one of it counts when options are ranked: money, else cores, else one node."""
        if not math.isnan(self.price):
            return self.price
        return float(self.cores) if self.cores is not None else 1.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sized:
    """A kind of node with what it delivers and how many of it each draw needs."""

    kind: Kind
    node: Node
    needed: Counts
    option: NodeOption


def plan_demand(load: Load, question: PlanQuestion) -> Demand:
    """Return what the nodes have to deliver, in the unit of the curve.

    Raises
    ------
    DataError
        For a target in other work than the curve counts.
    """
    asked = question.target
    amount = Amount(value=asked.value, unit=asked.unit, written=asked.written)
    return Demand(
        target=throughput_in(amount, load.drawn.unit),
        headroom=question.headroom,
        survive=question.survive,
        share=question.probability,
    )


def kinds_of(load: Load, question: PlanQuestion, cores: int | None) -> tuple[tuple[Kind, ...], tuple[Refusal, ...]]:
    """Return the kinds of node that the draws speak of, and why the others are refused.

    Where every kind that was asked for is refused, the sizes nearest to them take their place, without their prices.
    """
    if question.demand_axis or question.node_axis:
        return _machine(load, question, cores)
    found, refused = [], []
    for asked in question.nodes:
        if load.drawn.concurrency[0] <= asked.cores <= load.up_to:
            price = math.nan if asked.cost is None else asked.cost
            found.append(Kind(concurrency=float(asked.cores), cores=asked.cores, price=price, written=asked.written))
            continue
        most = float(load.curve.concurrency[-1])
        told = "more than twice " if asked.cores > 2 * most else "not within "
        told = f"{told}the largest {question.axis} that counts here ({most:g})"
        refused.append(
            Refusal(
                question="capacity",
                reason=f"a node of {asked.cores} cores is {told}: nothing is said of it",
                advice=f"nearest: {_nearest(load, asked.cores):g} cores; "
                f"or {measure_at(question, asked.cores, load.key)}",
            )
        )
    sizes = sorted({_nearest(load, one.cores) for one in question.nodes}) or load.curve.concurrency
    return tuple(found) or _unasked(sizes), tuple(refused)


def _nearest(load: Load, cores: int) -> float:
    return min(max(float(cores), float(load.drawn.concurrency[0])), load.up_to)


def _unasked(sizes: Iterable[float]) -> tuple[Kind, ...]:
    return tuple(Kind(concurrency=float(n), cores=round(float(n)), price=math.nan, written="") for n in sizes)


def _machine(load: Load, question: PlanQuestion, cores: int | None) -> tuple[tuple[Kind, ...], tuple[Refusal, ...]]:
    """Return the machine that was measured: where requests in flight or nodes were swept, it is the only kind."""
    middle = np.median(load.drawn.throughput, axis=0)
    full = 1.0 if question.node_axis else float(load.drawn.concurrency[np.argmax(middle >= FULL * np.max(middle))])
    found, refused = [], []
    for asked in question.nodes:
        if cores in (None, asked.cores):
            price = math.nan if asked.cost is None else asked.cost
            found.append(Kind(concurrency=full, cores=asked.cores, price=price, written=asked.written))
            continue
        refused.append(
            Refusal(
                question="capacity",
                reason=f"a node of {asked.cores} cores was not measured: the machine has {cores}, and the sweep varies "
                f"{question.axis}, not cores",
                advice=f"on a machine with {asked.cores} cores: {measure_at(question, full, load.key)}",
            )
        )
    first = found[0] if found else Kind(concurrency=full, cores=cores, price=math.nan, written="")
    # Without known cores several kinds would be one machine at several prices.
    refused += [_unknown_cores(one, first) for one in found[1:]]
    return (first,), tuple(refused)


def _unknown_cores(kind: Kind, first: Kind) -> Refusal:
    return Refusal(
        question="capacity",
        reason=f"a node of {kind.cores} cores is not planned: nobody says how many cores the machine has that was "
        f"measured, and it is taken for the node of {first.cores} cores",
        advice="name its cores in [environment] of study.toml",
    )


def node_of(kind: Kind, load: Load, question: PlanQuestion) -> Node:
    """Return what one node delivers, full and within the limit; where nodes were swept, what several do."""
    if question.node_axis:
        together = _together(load)
        return Node(full=together[:, 0], within=np.full(len(together), np.inf), together=together)
    full = load.drawn.throughput[:, int(np.searchsorted(load.drawn.concurrency, kind.concurrency))]
    if load.limited is None or question.limit is None:
        return Node(full=full, within=np.full_like(full, np.inf))
    up_to = min(kind.concurrency, load.limited.up_to)
    least, most = loads_within(load.drawn, load.limited.values, question.limit.seconds, up_to)
    return Node(full=full, within=most, within_from=least)


def capacity_of(node: Node, count: float) -> FloatArray:
    """Return what so many nodes deliver within the limit, by draw; NaN where the sweep does not reach."""
    return np.asarray(np.minimum(delivered_by(node, count), _breaking_load(node) * count))


def _breaking_load(node: Node) -> FloatArray:
    """Return the load beyond which the limit is exceeded at every load, by draw."""
    return node.within if node.within.ndim == 1 else np.asarray(np.max(node.within, axis=1))


def _together(load: Load) -> FloatArray:
    """Return the most that 1, 2, 3... nodes deliver, shape (draws, most): one that slows the others is left idle.

    Below the smallest level one in proportion stands for what nobody measured.
    """
    counts = np.arange(1.0, np.floor(load.drawn.concurrency[-1]) + 1)
    first = load.drawn.concurrency[0]
    rates = between(load.drawn.concurrency, load.drawn.throughput, np.fmax(counts, first))
    return np.asarray(np.maximum.accumulate(rates * np.fmin(counts / first, 1.0), axis=1))


def size(kind: Kind, load: Load, question: PlanQuestion, demand: Demand) -> Sized:
    """Return how many of a kind of node the target takes, and what each does then."""
    node = node_of(kind, load, question)
    needed = needed_nodes(node, demand)
    nodes = enough(needed, demand.share)
    left = nodes - demand.survive
    each_load = demand.target / left if math.isfinite(left) else math.nan
    unit, n = load.drawn.unit, load.drawn.n
    flying, waits = _under_load(load, each_load, kind, question)
    mean = drawn_estimate(waits, "sec", n, "N / load: Little's law in a closed system")
    limited = None
    if load.limited is not None:
        values = latency_with(load.drawn, load.limited.values, flying)
        limited = mean if load.limited.of_mean else drawn_estimate(values, "sec", n, load.limited.measured)
    breaks = (
        None
        if load.limited is None
        else drawn_estimate(_breaking_load(node), unit, n, "the load beyond which the limit is exceeded")
    )
    known = left if math.isfinite(left) else math.nan
    delivered, capacity = delivered_by(node, known), capacity_of(node, known)
    carried = {share: carried_in(node, demand, share) for share in {*SHARES, demand.share}}
    shares = sorted({*SHARES, demand.share})
    option = NodeOption(
        concurrency=kind.concurrency,
        cores=kind.cores,
        written=kind.written,
        nodes=nodes,
        nodes_at={share: enough(needed, share) for share in SHARES},
        probability=chance(needed, nodes) if math.isfinite(nodes) else 0.0,
        each=drawn_estimate(node.full, unit, n, f"X at N = {kind.concurrency:g}"),
        carried={share: carried[share][1] for share in shares},
        carried_from={share: carried[share][0] for share in shares},
        carried_together={}
        if node.together is None
        else {share: carried_together(node, demand, share) for share in shares},
        delivered=drawn_estimate(
            delivered, unit, n, "nodes that are left, in proportion" if node.together is None else "X at the nodes left"
        ),
        load=each_load,
        flying=drawn_estimate(flying, "", n, "the N at which the curve delivers the load"),
        mean_latency=mean,
        limited_latency=limited,
        breaks_at=breaks,
        headroom=drawn_estimate(
            _left_of(capacity, demand.target),
            "ratio",
            n,
            f"1 - target / what the nodes left deliver{' within the limit' if load.limited else ''}",
        ),
        total_cores=math.nan if kind.cores is None else nodes * kind.cores,
        weight=kind.weight,
        cost=nodes * kind.price,
        monthly_cost=nodes * kind.price * HOURS_A_MONTH,
        beyond=(left if question.node_axis else kind.concurrency) > load.curve.concurrency[-1],
        evidence=replace(
            load.evidence,
            formula=f"smallest m with {_delivering(kind, question)} (1 - {demand.headroom:g}) >= "
            f"target{', the limit kept at target / nodes left,' if load.limited else ''} in "
            f"{asked_share(demand.share)} of the draws; {load.evidence.formula}",
        ),
    )
    return Sized(kind=kind, node=node, needed=needed, option=option)


def _left_of(capacity: FloatArray, target: float) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.asarray(1 - target / capacity)


def _delivering(kind: Kind, question: PlanQuestion) -> str:
    if question.node_axis:
        return f"X(m - {question.survive})"
    return f"(m - {question.survive}) X({kind.concurrency:g})"


def _under_load(load: Load, each: float, kind: Kind, question: PlanQuestion) -> tuple[FloatArray, FloatArray]:
    """Return what is in flight on a node at its load, and how long each request takes; NaN where nodes were swept."""
    if question.node_axis:
        unknown = np.full(len(load.drawn.law), math.nan)
        return unknown, unknown
    flying = in_flight(load.drawn, each if math.isfinite(each) else math.inf, kind.concurrency)
    waits = flying / each * time_unit(load.drawn.unit) if math.isfinite(each) else np.full_like(flying, np.inf)
    return flying, waits


def drawn_estimate(values: FloatArray, unit: str, n: int, method: str) -> Estimate:
    """Return the median of draws, with the interval that holds 95 % of them."""
    low, middle, high = np.quantile(values, [(1 - _LEVEL) / 2, 0.5, (1 + _LEVEL) / 2], method="nearest")
    return Estimate(
        value=float(middle),
        low=float(low),
        high=float(high),
        unit=unit,
        confidence_level=_LEVEL,
        n=n,
        method=f"joint draws: {method}",
        standard_error=math.nan,  # tails this long have no spread worth telling; the interval says it
    )


def choose(options: Sequence[Sized], load: Load) -> tuple[int | None, int | None, str]:
    """Return the option to take, the one that comes next, and the rule that ranked them."""
    found = [at for at, one in enumerate(options) if math.isfinite(one.option.nodes)]
    asked = any(one.kind.written for one in options)
    if len(options) == 1:
        rule, ranked = "the only kind of node", found
    elif asked:
        priced = not math.isnan(options[0].kind.price)
        rule = "the lowest cost" if priced else "the fewest cores in all"
        rule += ", then the fewest nodes"
        ranked = sorted(
            found, key=lambda at: (options[at].option.nodes * options[at].kind.weight, options[at].option.nodes)
        )
    else:
        # Without a price one core a node always takes the fewest cores: the knee says where another core still pays.
        rule = RULE
        wanted = load.returns.recommended
        ranked = sorted(
            found,
            key=lambda at: (
                options[at].kind.concurrency != wanted,
                abs(math.log(options[at].kind.concurrency / wanted)),
            ),
        )
    return (ranked[0] if ranked else None), (ranked[1] if len(ranked) > 1 else None), rule
