"""What a capacity plan says: nodes for a load, how sure, at what latency and cost, and what it does not know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from benchlib.answers.evidence import Evidence
from benchlib.answers.planning.claims import ClaimTest
from benchlib.answers.planning.latencies import LimitedLatency
from benchlib.answers.planning.measured import MeasuredLevel
from benchlib.answers.planning.question import AskedPlan
from benchlib.answers.refusal import Refusal
from benchlib.capacity.draws import CurveDraws
from benchlib.capacity.regret import LawNeed, Regret
from benchlib.caveats import Caveat
from benchlib.statistics.estimates import Estimate

__all__ = [
    "AddedCores",
    "Condition",
    "DemandPoint",
    "LatencyPoint",
    "LoadPlan",
    "NodeOption",
    "PlanningAnswer",
    "UsedUp",
]

#: A node whose limit breaks within this share of what it delivers at most is full before it is slow.
_FULL = 0.999
#: What a count of nodes can hang on.
Condition = Literal["throughput", "latency", "headroom", "survive", "either of headroom and latency"]


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
        That ``nodes`` meet target, headroom and limit together, with ``survive`` of them lost.
    each : Estimate
        What one node delivers when it is full.
    carried : mapping of float to float
        The largest load that a node which is left carries, headroom and limit kept, in 50, 80 and 95 % of the draws and
        in the share that was asked for.
    carried_from : mapping of float to float
        The smallest load that it carries so; above 0 where requests take longer than the limit at less load.
    carried_together : mapping of float to tuple of float
        Where whole nodes were swept: what 1, 2, 3... that are left carry, in the same shares; empty elsewhere, where
        nodes add up in proportion.
    delivered : Estimate
        What the nodes left deliver together when they are full.
    load : float
        Of each node that is left, at the target; NaN for an infinite count.
    flying : Estimate
        Requests in flight on each at that load; infinite in draws that cannot carry it, NaN where nodes were swept.
    mean_latency : Estimate
        Of a request at that load: ``flying / load``.
    limited_latency : Estimate or None
        The latency that has a limit, at that load: ``mean_latency`` where that has it; None without one.
    breaks_at : Estimate or None
        The load of a node beyond which the limit is exceeded; None without one.
    headroom : Estimate
        What is left at the target of what the nodes left deliver within the limit, as a share; negative is overloaded.
    total_cores : float
        NaN where the cores of a node are unknown.
    weight : float
        What one node counts when kinds are ranked: money by hour, else its cores, else 1.
    cost : float
        Of all nodes, by hour; NaN without a price.
    monthly_cost : float
        The same by a month of 730 hours.
    beyond : bool
        Whether the node is larger than what was measured, or the nodes more.
    evidence : Evidence
    """

    concurrency: float
    cores: int | None
    written: str
    nodes: float
    nodes_at: Mapping[float, float]
    probability: float
    each: Estimate
    carried: Mapping[float, float]
    carried_from: Mapping[float, float]
    carried_together: Mapping[float, tuple[float, ...]]
    delivered: Estimate
    load: float
    flying: Estimate
    mean_latency: Estimate
    limited_latency: Estimate | None
    breaks_at: Estimate | None
    headroom: Estimate
    total_cores: float
    weight: float
    cost: float
    monthly_cost: float
    beyond: bool
    evidence: Evidence

    @property
    def full_first(self) -> bool:
        """Whether a node is full, to a thousandth, before its limit breaks."""
        return self.breaks_at is not None and self.breaks_at.value >= _FULL * self.each.value


@dataclass(frozen=True, slots=True, kw_only=True)
class DemandPoint:
    """Nodes and cost for one load.

    Attributes
    ----------
    load : float
    nodes_at : mapping of float to float
        Of the kind of node chosen, in 50, 80 and 95 % of the draws.
    costs : tuple of float
        Of every option in turn, with the probability asked: money by hour, or cores where nothing has a price.
    cheapest : int
        Which option costs least.
    """

    load: float
    nodes_at: Mapping[float, float]
    costs: tuple[float, ...]
    cheapest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedCores:
    """What cores give between two neighbouring levels.

    Attributes
    ----------
    before, after : float
        The levels.
    per_core_before, per_core, per_added_core : Estimate
        Of each core at either level, and of each that is added between them, by the draws.
    points_per_core_before, points_per_core, points_per_added_core : float
        The same by the medians of the measurements alone, which rank the levels; NaN for a mix.
    """

    before: float
    after: float
    per_core_before: Estimate
    per_core: Estimate
    per_added_core: Estimate
    points_per_core_before: float
    points_per_core: float
    points_per_added_core: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyPoint:
    """Throughput and latencies of one node with so many in flight."""

    concurrency: float
    throughput: Estimate
    mean: Estimate
    limited: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedUp:
    """The month in which growth has used the headroom up.

    Attributes
    ----------
    growth : str
        As it was asked for.
    month : Estimate
        The first whose load the nodes left cannot deliver, within the limit; month 1 is that of the target.
    told, told_low, told_high : str
        The same months by the calendar, such as ``2027-03``; empty where no month was named or none comes.
    """

    growth: str
    month: Estimate
    told: str
    told_low: str
    told_high: str


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
    read_from : {"laws", "points", "mix"}
        Where the draws come from.
    options : tuple of NodeOption
        By rising size.
    chosen, runner_up : int or None
        Which option to take, and which comes next; None where none meets the target, or there is no other.
    rule : str
        By what the options were ranked.
    unmet : Refusal or None
        Why no count of nodes is enough, and what comes nearest; None where one is.
    binding : str
        The condition that adds most nodes; ``throughput`` where none adds any.
    spent : mapping of str to float
        How many nodes of the chosen kind each condition adds; under ``either of headroom and latency`` those that
        both ask for, so that leaving out one of them saves none.
    regret : Regret or None
    laws : tuple of LawNeed
        What each law by itself would ask for, likeliest first.
    used_up : UsedUp or None
        None without growth.
    demand : tuple of DemandPoint
    cheapest_for : tuple of float
        For what share of the loads up to the largest of ``demand`` each option is cheapest; empty without a choice.
    returns : tuple of AddedCores
        Empty where the axis counts requests in flight.
    latency : tuple of LatencyPoint
    measured : tuple of MeasuredLevel
        Empty for a mix, which was not measured itself.
    other_mean : MeasuredLevel or None
        Where a mean has the limit: a level at which the load generator itself states another one, by more than 10 %.
    claims : tuple of ClaimTest
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
    read_from: Literal["laws", "points", "mix"]
    options: tuple[NodeOption, ...]
    chosen: int | None
    runner_up: int | None
    rule: str
    unmet: Refusal | None
    binding: Condition
    spent: Mapping[str, float]
    regret: Regret | None
    laws: tuple[LawNeed, ...]
    used_up: UsedUp | None
    demand: tuple[DemandPoint, ...]
    cheapest_for: tuple[float, ...]
    returns: tuple[AddedCores, ...]
    latency: tuple[LatencyPoint, ...]
    measured: tuple[MeasuredLevel, ...]
    other_mean: MeasuredLevel | None
    claims: tuple[ClaimTest, ...]
    n: int
    refusals: tuple[Refusal, ...]
    caveats: tuple[Caveat, ...]
    evidence: Evidence
    _drawn: CurveDraws
    _limited: LimitedLatency | None

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
