"""One load planned: kinds of node sized for the target, ranked, and what each condition costs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, Literal

import numpy as np

from benchlib.answers.asking import Refusal
from benchlib.answers.capacity_loads import (
    LimitedLatency,
    Load,
    MeasuredLevel,
    _disagreeing,
    _measure_at,
    _refusal,
    time_unit,
)
from benchlib.answers.evidence import Evidence
from benchlib.answers.requirements import AskedPlan, PlanQuestion
from benchlib.answers.scaling_question import Amount, _throughput_in
from benchlib.capacity.draws import CurveDraws, between
from benchlib.capacity.latency import in_flight, loads_within
from benchlib.capacity.nodes import (
    SHARES,
    Counts,
    Demand,
    Node,
    carried_together,
    chance,
    delivered_by,
    enough,
    held_in,
    months_until,
    needed_nodes,
    spent_on,
)
from benchlib.capacity.one_node import FULL
from benchlib.caveats import Caveat, caveat, merge
from benchlib.scaling.advise import RULE
from benchlib.scaling.laws import FloatArray
from benchlib.scaling.points import levels_comparable
from benchlib.statistics.estimates import Estimate
from benchlib.study.quantities import HOURS_A_MONTH
from benchlib.units import asked_quantity, asked_share, show

# What a capacity plan says: nodes for a load, how sure, at what latency and cost, and what it does not know.


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeOption:
    """One kind of node, and how many of it the target takes.

    Attributes
    ----------
    concurrency : float
        The N at which a node is full: its cores, or the requests in flight.
    cores : int or None
        Of a node; None where nobody said.
    written : str
        As it was asked for; empty where the sweep offered it.
    nodes : float
        Enough with the probability asked; infinite where no count is.
    nodes_at : mapping of float to float
        Enough in 50, 80 and 95 % of the draws.
    probability : float
        That ``nodes`` meet target, headroom and limit together, with ``survive`` of them lost, as far as the noise of
        the measurements goes: of arrivals, balancers and other machines it says nothing. NaN where ``comparable`` of
        the plan is false.
    each : Estimate
        What one node delivers when it is full.
    load : float
        Of each node that is left, at the target; NaN for an infinite count.
    flying : Estimate
        Requests in flight on each at that load; infinite in draws that cannot carry it, NaN where nodes were swept.
    mean_latency : Estimate
        Of a request at that load: ``flying / load``.
    limited_latency : Estimate or None
        The latency that has a limit, at that load: ``mean_latency`` where that has it; None without one.
    within_limit : float or None
        The highest level measured up to which a percentile meets its limit, 0 where none does: no node is fuller. None
        where no percentile has a limit, or none can be held against these data.
    headroom : Estimate
        What is left at the target of what the nodes left deliver within the limit, as a share; negative is overloaded.
    cost : float
        Of all nodes, by hour; NaN without a price.
    monthly_cost : float
        The same by a month of 730 hours.
    evidence : Evidence
    """

    concurrency: float
    cores: int | None
    written: str
    nodes: float
    nodes_at: Mapping[float, float]
    probability: float
    each: Estimate
    load: float
    flying: Estimate
    mean_latency: Estimate
    limited_latency: Estimate | None
    within_limit: float | None
    headroom: Estimate
    cost: float
    monthly_cost: float
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class DemandPoint:
    """Nodes and cost for one load.

    Attributes
    ----------
    load : float
    nodes_at : mapping of float to float
        Of the kind of node chosen, in 50, 80 and 95 % of the draws.
    """

    load: float
    nodes_at: Mapping[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedUp:
    """The month in which growth has used the headroom up.

    Attributes
    ----------
    growth : str
        As it was asked for.
    month : Estimate
        The first whose load the nodes left cannot deliver, within the limit; month 1 is that of the target.
    told : str
        The same month by the calendar, such as ``2027-03``; empty where no month was named or none comes.
    """

    growth: str
    month: Estimate
    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadPlan:
    """The plan that one curve, or a mix of operations, supports.

    Attributes
    ----------
    name : str
    key : mapping
        What all rows behind it share.
    unit : str
        Of throughput.
    target : float
        In that unit.
    counts : {"cores", "requests in flight", "nodes"}
        What the axis of the sweep counts.
    options : tuple of NodeOption
        By rising size.
    chosen, runner_up : int or None
        Which option to take, and which comes next; None where none meets the target, or there is no other.
    rule : str
        By what the options were ranked.
    comparable : bool
        Whether the levels up to the node chosen were measured alike, the same rule as of `CurveCapacity`. Where not,
        counts of nodes hold only if the sweep is right, and none has a probability.
    unmet : Refusal or None
        Why no count of nodes is enough, and what comes nearest; None where one is.
    spent : mapping of str to float
        How many nodes of the chosen kind each condition adds; under ``either of headroom and latency`` those that
        both ask for, so that leaving out one of them saves none.
    used_up : UsedUp or None
        None without growth.
    demand : tuple of DemandPoint
    measured : tuple of MeasuredLevel
        Empty for a mix, which was not measured itself.
    n : int
        Measurements behind the draws.
    refusals : tuple of Refusal
        What the data cannot say, and the measurement that would settle it.
    caveats : tuple of Caveat
    evidence : Evidence
    """

    name: str
    key: Mapping[str, Any]
    unit: str
    target: float
    counts: Literal["cores", "requests in flight", "nodes"]
    options: tuple[NodeOption, ...]
    chosen: int | None
    runner_up: int | None
    rule: str
    comparable: bool
    unmet: Refusal | None
    spent: Mapping[str, float]
    used_up: UsedUp | None
    demand: tuple[DemandPoint, ...]
    measured: tuple[MeasuredLevel, ...]
    n: int
    refusals: tuple[Refusal, ...]
    caveats: tuple[Caveat, ...]
    evidence: Evidence
    _drawn: CurveDraws

    @property
    def best(self) -> NodeOption | None:
        """The option to take."""
        return None if self.chosen is None else self.options[self.chosen]

    @property
    def next_best(self) -> NodeOption | None:
        """The option to take where the best cannot be had."""
        return None if self.runner_up is None else self.options[self.runner_up]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningAnswer:
    """The plans that a study supports for one load.

    Attributes
    ----------
    axis : str
    cores : int or None
        Of the machine that was measured.
    asked : AskedPlan
    loads : tuple of LoadPlan
    confidence_level : float
        Of every interval.
    refusals : tuple of Refusal
        Curves that support no plan, and why.
    caveats : tuple of Caveat
    """

    axis: str
    cores: int | None
    asked: AskedPlan
    loads: tuple[LoadPlan, ...]
    confidence_level: float
    refusals: tuple[Refusal, ...]
    caveats: tuple[Caveat, ...]


# A published recommendation of cores, held against the levels measured.


# Kinds of node that a plan chooses from, each sized for the target.

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
    option: NodeOption


def _plan_demand(load: Load, question: PlanQuestion) -> Demand:
    """Return what the nodes have to deliver, in the unit of the curve."""
    asked = question.target
    amount = Amount(value=asked.value, unit=asked.unit, written=asked.written)
    return Demand(
        target=_throughput_in(amount, load.drawn.unit),
        headroom=question.headroom,
        survive=question.survive,
        share=question.probability,
    )


def _kinds_of(load: Load, question: PlanQuestion, cores: int | None) -> tuple[tuple[Kind, ...], tuple[Refusal, ...]]:
    """Return the kinds of node that the draws cover, and why the others are refused.

    Where every kind that was asked for is refused, the sizes nearest to them take their place, without their prices.
    """
    if question.demand_axis or question.node_axis:
        return _machine(load, question, cores)
    kinds, refused = [], []
    for asked in question.nodes:
        if load.drawn.concurrency[0] <= asked.cores <= load.up_to:
            price = math.nan if asked.cost is None else asked.cost
            kinds.append(Kind(concurrency=float(asked.cores), cores=asked.cores, price=price, written=asked.written))
            continue
        most = float(load.curve.concurrency[-1])
        reach = "more than twice " if asked.cores > 2 * most else "not within "
        reach = f"{reach}the largest {question.axis} that counts here ({most:g})"
        refused.append(
            _refusal(
                f"a node of {asked.cores} cores is {reach}: nothing is said of it",
                f"nearest: {_nearest_plan(load, asked.cores):g} cores; "
                f"or {_measure_at(question, asked.cores, load.key)}",
            )
        )
    levels = [float(level) for level in load.curve.concurrency if level in load.drawn.concurrency]
    sizes = sorted({_nearest_plan(load, node.cores) for node in question.nodes}) or levels
    return tuple(kinds) or _unasked(sizes), tuple(refused)


def _nearest_plan(load: Load, cores: int) -> float:
    return min(max(float(cores), float(load.drawn.concurrency[0])), load.up_to)


def _unasked(sizes: Iterable[float]) -> tuple[Kind, ...]:
    return tuple(Kind(concurrency=float(n), cores=round(float(n)), price=math.nan, written="") for n in sizes)


def _machine(load: Load, question: PlanQuestion, cores: int | None) -> tuple[tuple[Kind, ...], tuple[Refusal, ...]]:
    """Return the machine that was measured: where requests in flight or nodes were swept, it is the only kind."""
    full = 1.0 if question.node_axis else _full_level(load, _highest_within(load, question))
    machines, refused = [], []
    for asked in question.nodes:
        if cores in (None, asked.cores):
            price = math.nan if asked.cost is None else asked.cost
            machines.append(Kind(concurrency=full, cores=asked.cores, price=price, written=asked.written))
            continue
        refused.append(
            _refusal(
                f"a node of {asked.cores} cores was not measured: the machine has {cores}, and the sweep varies "
                f"{question.axis}, not cores",
                f"on a machine with {asked.cores} cores: {_measure_at(question, full, load.key)}",
            )
        )
    first = machines[0] if machines else Kind(concurrency=full, cores=cores, price=math.nan, written="")
    # Without known cores several kinds would be one machine at several prices.
    refused += [_unknown_cores(machine, first) for machine in machines[1:]]
    return (first,), tuple(refused)


def _highest_within(load: Load, question: PlanQuestion) -> float | None:
    """Return the highest level up to which the percentile that has a limit meets it, 0 where none does."""
    waits = _percentile_waits(load, question)
    if question.limit is None or len(waits) < 2:
        return None
    limit = question.limit.seconds
    return max((level for level, _ in takewhile(lambda wait: wait[1] <= limit, waits)), default=0.0)


def _percentile_waits(load: Load, question: PlanQuestion) -> list[tuple[float, float]]:
    """Return the percentile that has a limit at each level where it was measured; empty where a mean has it."""
    if question.limit is None or question.node_axis:
        return []
    metric = question.limit.metric
    return [(level.concurrency, level.percentiles[metric]) for level in load.measured if metric in level.percentiles]


def _full_level(load: Load, within: float | None = None) -> float:
    """Return the level with the fewest in flight that delivers, but for 1 %, the most of those that meet the limit."""
    levels = [float(level) for level in load.curve.concurrency if level in load.drawn.concurrency]
    allowed = [level for level in levels if within is None or level <= within] or levels[:1]
    middle = np.median(load.drawn.throughput[:, np.searchsorted(load.drawn.concurrency, allowed)], axis=0)
    return allowed[int(np.argmax(middle >= FULL * np.max(middle)))]


def _unknown_cores(kind: Kind, first: Kind) -> Refusal:
    return _refusal(
        f"a node of {kind.cores} cores is not planned: nobody says how many cores the machine has that was "
        f"measured, and it is taken for the node of {first.cores} cores",
        "name its cores in [environment] of study.toml",
    )


def _node_of(kind: Kind, load: Load, question: PlanQuestion) -> Node:
    """Return what one node delivers, full and within the limit; where nodes were swept, what several do."""
    if question.node_axis:
        together = _nodes_together(load)
        return Node(full=together[:, 0], within=np.full(len(together), np.inf), together=together)
    full = load.drawn.throughput[:, int(np.searchsorted(load.drawn.concurrency, kind.concurrency))]
    highest = _highest_within(load, question)
    if highest is not None:
        boundless = _full_level(load) if question.demand_axis else kind.concurrency
        at = int(np.searchsorted(load.drawn.concurrency, boundless))
        within = np.full_like(full, np.inf if kind.concurrency <= highest else 0.0)
        return Node(full=full, within=within, boundless=load.drawn.throughput[:, at])
    if load.limited is None or question.limit is None:
        return Node(full=full, within=np.full_like(full, np.inf))
    least, most = loads_within(load.drawn, load.limited.values, question.limit.seconds, kind.concurrency)
    return Node(full=full, within=most, within_from=least)


def _capacity_of(node: Node, count: float) -> FloatArray:
    """Return what so many nodes deliver within the limit, by draw; NaN where the sweep does not reach."""
    within = node.within if node.within.ndim == 1 else np.max(node.within, axis=1)
    return np.asarray(np.minimum(delivered_by(node, count), within * count))


def _nodes_together(load: Load) -> FloatArray:
    """Return the most that 1, 2, 3... nodes deliver, shape (draws, most): one that slows the others is left idle.

    Below the smallest level one in proportion stands for what nobody measured.
    """
    counts = np.arange(1.0, np.floor(load.drawn.concurrency[-1]) + 1)
    first = load.drawn.concurrency[0]
    rates = between(load.drawn.concurrency, load.drawn.throughput, np.fmax(counts, first))
    return np.asarray(np.maximum.accumulate(rates * np.fmin(counts / first, 1.0), axis=1))


def _size(kind: Kind, load: Load, question: PlanQuestion, demand: Demand) -> Sized:
    """Return how many of a kind of node the target takes, and what each does then."""
    node = _node_of(kind, load, question)
    needed = needed_nodes(node, demand)
    nodes = enough(needed, demand.share)
    left = nodes - demand.survive
    each_load = demand.target / left if math.isfinite(left) else math.nan
    unit, n = load.drawn.unit, load.drawn.n
    flying, waits = _under_load(load, each_load, kind, question)
    mean = _drawn_estimate(waits, "sec", n, "N / load: Little's law in a closed system")
    limited = None if load.limited is None else mean
    known = left if math.isfinite(left) else math.nan
    capacity = _capacity_of(node, known)
    option = NodeOption(
        concurrency=kind.concurrency,
        cores=kind.cores,
        written=kind.written,
        nodes=nodes,
        nodes_at={share: enough(needed, share) for share in SHARES},
        probability=_probability(load, kind, needed, nodes),
        each=_drawn_estimate(node.full, unit, n, f"X at N = {kind.concurrency:g}"),
        load=each_load,
        flying=_drawn_estimate(flying, "", n, "the N at which the curve delivers the load"),
        mean_latency=mean,
        limited_latency=limited,
        within_limit=_highest_within(load, question),
        headroom=_drawn_estimate(
            _left_of(capacity, demand.target),
            "ratio",
            n,
            f"1 - target / what the nodes left deliver{' within the limit' if load.limited else ''}",
        ),
        cost=nodes * kind.price,
        monthly_cost=nodes * kind.price * HOURS_A_MONTH,
        evidence=replace(
            load.evidence,
            formula=f"smallest m with {_delivering(kind, question)} (1 - {demand.headroom:g}) >= "
            f"target{', the limit kept at target / nodes left,' if load.limited else ''} in "
            f"{asked_share(demand.share)} of the draws; {load.evidence.formula}",
        ),
    )
    return Sized(kind=kind, node=node, option=option)


def _probability(load: Load, kind: Kind, needed: Counts, nodes: float) -> float:
    """Return in which share of the draws a count is enough; NaN where no level may be recommended."""
    if not levels_comparable(load.curve, kind.concurrency):
        return math.nan
    return chance(needed, nodes) if math.isfinite(nodes) else 0.0


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


def _drawn_estimate(values: FloatArray, unit: str, n: int, method: str) -> Estimate:
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


def _choose(options: Sequence[Sized], load: Load) -> tuple[int | None, int | None, str]:
    """Return the best option, the runner-up, and the rule that ranked them."""
    feasible = [at for at, option in enumerate(options) if math.isfinite(option.option.nodes)]
    asked = any(option.kind.written for option in options)
    if len(options) == 1:
        rule, ranked = "the only kind of node", feasible
    elif asked:
        priced = not math.isnan(options[0].kind.price)
        rule = "the lowest cost" if priced else "the fewest cores in all"
        rule += ", then the fewest nodes"
        ranked = sorted(
            feasible, key=lambda at: (options[at].option.nodes * options[at].kind.weight, options[at].option.nodes)
        )
    else:
        # Without a price one core a node always takes the fewest cores: the knee says where another core still pays.
        rule = RULE
        wanted = load.returns.recommended
        ranked = sorted(
            feasible,
            key=lambda at: (
                options[at].kind.concurrency != wanted,
                abs(math.log(options[at].kind.concurrency / wanted)),
            ),
        )
    return (ranked[0] if ranked else None), (ranked[1] if len(ranked) > 1 else None), rule


# Up or out: for what share of the loads each kind of node is the cheapest.


# What comes nearest where no count of nodes meets what was asked.

#: A limit that is only just met takes many nearly idle nodes: the nearest limit reported leaves this much room.
_ROOM = 1.1


def _unmet(load: Load, sized: Sequence[Sized], question: PlanQuestion) -> Refusal:
    """Say why no count of nodes meets what was asked, and which limit and plan come nearest."""
    if question.node_axis:
        return _too_few(load, sized[0], question)
    limit, limited, share = question.limit, load.limited, question.probability
    waits = sorted(wait for _, wait in _percentile_waits(load, question))
    if limit is None or (limited is None and len(waits) < 2):
        return _refusal(
            f"{load.name}: no count of nodes meets the target with the probability asked",
            "ask for a lower probability, or repeat every level at least 3 times",
        )
    target = show(_plan_demand(load, question).target, load.drawn.unit)
    limit_words = f"{limit.metric} within {asked_quantity(limit.seconds, 'sec')}"
    return _refusal(
        f"{load.name}: no count of nodes keeps {limit_words} at {target} with a probability of "
        f"{asked_share(share)}; the fastest {limit.metric} is {show(limited.fastest if limited else waits[0], 'sec')}",
        _nearest_limit(load, waits, sized, question) or "ask for a slower limit, or for another target",
    )


def _nearest_limit(load: Load, waits: Sequence[float], sized: Sequence[Sized], question: PlanQuestion) -> str:
    """Return the nearest limit that some count of nodes meets, and that plan; nothing if there is none."""
    limit, limited = question.limit, load.limited
    slower: Iterable[float] = (_rounded_up(_ROOM * wait) for wait in waits)
    if limited is not None:
        slower = _limits(load, limited, sized[-1].kind.concurrency, question.probability)
    for seconds in slower:
        asked = replace(question, limit=limit and replace(limit, seconds=seconds))
        tried = [_size(node.kind, load, asked, _plan_demand(load, asked)) for node in sized]
        chosen, _, _ = _choose(tried, load)
        if limit is not None and chosen is not None:
            return f"nearest: {limit.metric}={show(seconds, 'sec', 2)} takes {_plan(tried[chosen], question)}"
    return ""


def _limits(load: Load, limited: LimitedLatency, widest: float, share: float) -> Iterator[float]:
    """Yield what to try: the fastest of all concurrencies in the share of draws asked for, then that of the fewest."""
    count = int(np.sum(load.drawn.concurrency <= widest))
    each = [held_in(row, share) for row in limited.values[:, :count].T]
    yield _rounded_up(_ROOM * min(each))
    yield _rounded_up(_ROOM * each[0])


def _plan(taken: Sized, question: PlanQuestion) -> str:
    option = taken.option
    line = f"{option.nodes:,.0f} node{'' if option.nodes == 1 else 's'} of {option.cores or option.concurrency:g} cores"
    if math.isnan(option.cost):
        return line
    return f"{line}, {option.cost:,.2f}{question.currency and f' {question.currency}'} per hour"


def _too_few(load: Load, kind: Sized, question: PlanQuestion) -> Refusal:
    """Say that the target lies beyond the sweep of nodes, and what that sweep covers."""
    most, unit = load.drawn.concurrency[-1], load.drawn.unit
    loads = carried_together(kind.node, _plan_demand(load, question), question.probability)
    nearest = int(np.argmax(np.array(loads) >= loads[-1]) + 1)
    return _refusal(
        f"{load.name}: {show(_plan_demand(load, question).target, unit)} is more than {most:g} {question.axis} "
        f"deliver with the probability asked, and beyond them nothing is said (largest measured: "
        f"{load.curve.concurrency[-1]:g})",
        f"nearest: {nearest + question.survive} nodes carry {show(loads[-1], unit)}; "
        f"or {_measure_at(question, 2 * most, load.key)}",
    )


def _rounded_up(seconds: float) -> float:
    """Return the next number of two digits, so that the limit reported is the limit tried."""
    step = 10.0 ** (math.floor(math.log10(seconds)) - 1)
    return math.ceil(seconds / step * (1 - 1e-12)) * step


# One load planned: options ranked, what each condition costs, what could be wrong, and when growth uses it up.

#: Loads of the demand curve, as shares of the target.
_LOADS = np.linspace(0.2, 2.0, 10)


def _plan_load(load: Load, question: PlanQuestion, cores: int | None) -> LoadPlan:
    """Plan one load."""
    demand = _plan_demand(load, question)
    kinds, refused = _kinds_of(load, question, cores)
    sized = [_size(kind, load, question, demand) for kind in kinds]
    chosen, runner_up, rule = _choose(sized, load)
    best = None if chosen is None else sized[chosen]
    spent = {} if best is None else dict(spent_on(best.node, demand))
    drawn = load.drawn
    return LoadPlan(
        name=load.name,
        key=load.key,
        unit=drawn.unit,
        target=demand.target,
        counts="nodes" if question.node_axis else "requests in flight" if question.demand_axis else "cores",
        options=tuple(node.option for node in sized),
        chosen=chosen,
        runner_up=runner_up,
        rule=rule,
        comparable=levels_comparable(load.curve, (best or sized[-1]).kind.concurrency),
        unmet=_unmet(load, sized, question) if best is None else None,
        spent=spent,
        used_up=None if best is None else _used_up(best, demand, question),
        demand=() if best is None else _demand(best, demand),
        measured=load.measured,
        n=drawn.n,
        refusals=(*refused, *load.refusals),
        caveats=_caveats(load, sized, chosen, question),
        evidence=load.evidence,
        _drawn=drawn,
    )


def _used_up(best: Sized, demand: Demand, question: PlanQuestion) -> UsedUp | None:
    if question.growth is None:
        return None
    left = best.option.nodes - demand.survive
    months = months_until(_capacity_of(best.node, left), demand.target, question.growth.monthly)
    month = _drawn_estimate(
        months, "", best.option.each.n, f"first month above {left:g} X(N), by {question.growth.written}"
    )
    return UsedUp(growth=question.growth.written, month=month, told=_month(question.start, month.value))


def _month(start: str, month: float) -> str:
    """Return a month by the calendar."""
    if not start or not math.isfinite(month):
        return ""
    first, number = (int(part) for part in start.split("-"))
    years, at = divmod(number - 1 + int(month) - 1, 12)
    return f"{first + years:04d}-{at + 1:02d}"


def _demand(best: Sized, demand: Demand) -> tuple[DemandPoint, ...]:
    demands = []
    for share in _LOADS:
        asked = replace(demand, target=float(share * demand.target))
        needed = needed_nodes(best.node, asked)
        demands.append(DemandPoint(load=asked.target, nodes_at={share: enough(needed, share) for share in SHARES}))
    return tuple(demands)


def _other_mean(load: Load, best: NodeOption, question: PlanQuestion) -> MeasuredLevel | None:
    """Return where the generator states another mean than the one that is held against the limit."""
    if load.limited is None or not math.isfinite(best.flying.value):
        return None
    return _disagreeing(load.measured, best.flying.value, best.concurrency)


def _caveats(load: Load, sized: Sequence[Sized], chosen: int | None, question: PlanQuestion) -> tuple[Caveat, ...]:
    warnings = []
    best = None if chosen is None else sized[chosen].option
    if best is not None and best.nodes > 1 and not question.node_axis:
        warnings.append(
            caveat(
                "nodes-in-proportion",
                f"{best.nodes:,.0f} nodes are held to do {best.nodes:,.0f} times what one does: "
                "nothing between nodes was measured",
            )
        )
    left = math.nan if best is None else best.nodes - question.survive
    most = float(load.curve.concurrency[-1])
    if best is not None and (left if question.node_axis else best.concurrency) > most:
        what = f"{left:g} nodes lie" if question.node_axis else f"a node of {best.concurrency:g} cores lies"
        warnings.append(caveat("beyond-range", f"{what} beyond the largest level ({most:g})"))
    other = None if best is None else _other_mean(load, best, question)
    if other is not None:
        warnings.append(
            caveat(
                "means-disagree",
                f"latency_mean is judged as N / X, {show(other.mean, 'sec')} at {question.axis} {other.concurrency:g}; "
                f"the load generator itself states {show(other.generator_mean, 'sec')} there",
            )
        )
    if any(node.cost is not None and not node.currency for node in question.nodes):
        warnings.append(caveat("currency-unnamed", "prices name no currency: costs are told as numbers by hour"))
    return merge(load.caveats, warnings)
