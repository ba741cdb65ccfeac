"""How many nodes a load needs: by draw, with the stated probability, and what each condition costs.

A draw needs the smallest m with ``(m - survive) X(c) (1 - headroom) >= target`` at which no latency exceeds its limit
either: the load of a surviving node is at most the one at which the limit breaks. Nodes add up in proportion, unless
whole nodes were swept: then it is ``X(m - survive) (1 - headroom) >= target``, read off the curve.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchlib.errors import DataError
from benchlib.scaling.laws import FloatArray
from benchlib.scaling.planning.draws import CurveDraws

__all__ = [
    "SHARES",
    "Demand",
    "LawNeed",
    "Node",
    "Regret",
    "carried_in",
    "carried_together",
    "chance",
    "delivered_by",
    "enough",
    "law_needs",
    "needed_nodes",
    "regret_of",
    "spent_on",
]

#: The shares of draws that node counts are told for.
SHARES = (0.5, 0.8, 0.95)
#: A law that made fewer draws than this tells no count of its own.
_FEWEST_DRAWS = 100
#: A load that fits to this share is not moved to another node by rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What the nodes that are left have to deliver.

    Attributes
    ----------
    target : float
        Throughput of all together.
    headroom : float
        The share of each node that stays free.
    survive : int
        Nodes that may be lost.
    share : float
        The probability with which a count is to be enough.
    """

    target: float
    headroom: float
    survive: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Node:
    """What one node delivers, by draw.

    Attributes
    ----------
    full : ndarray, shape (draws,)
        Its throughput with nothing left.
    within : ndarray, shape (draws,)
        The largest load at which no latency exceeds its limit; infinite without one.
    together : ndarray, shape (draws, most), or None
        The most that 1, 2, 3... nodes deliver, where that was swept; None where nodes add up in proportion.
    """

    full: FloatArray
    within: FloatArray
    together: FloatArray | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LawNeed:
    """How many nodes it takes if one law is the true one.

    Attributes
    ----------
    law : str
    weight : float
    nodes : float
        Enough in the stated share of the draws of that law; infinite where no count is.
    enough : float
        The share of the draws of that law in which the chosen count is enough.
    """

    law: str
    weight: float
    nodes: float
    enough: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Regret:
    """What a plan costs where it turns out wrong.

    Attributes
    ----------
    falls_short : float
        The share of draws in which it is not enough.
    lacking, most_lacking : float
        Nodes that are missing then: the median and the 95th percentile; 0 where it never falls short.
    beyond_cheapest : float
        By what share the plan costs more than the cheapest plan of each draw, in the mean over the draws in which
        it is enough.
    """

    falls_short: float
    lacking: float
    most_lacking: float
    beyond_cheapest: float


def needed_nodes(node: Node, demand: Demand) -> FloatArray:
    """Return how many nodes each draw needs, shape (draws,); infinite where no number is enough.

    Raises
    ------
    DataError
        For a target, headroom or number of nodes to survive that cannot be meant.

    Examples
    --------
    >>> node = Node(full=np.array([100.0, 80.0]), within=np.array([np.inf, 40.0]))
    >>> needed_nodes(node, Demand(target=700.0, headroom=0.3, survive=1, share=0.95)).tolist()
    [11.0, 19.0]
    """
    if not (math.isfinite(demand.target) and demand.target > 0):
        raise DataError(f"target {demand.target:g} is no finite throughput above 0; ask for one that is")
    if not 0 <= demand.headroom < 1:
        raise DataError(f"headroom {demand.headroom:g} is no share from 0 to below 1; write 0.3 for 30 %")
    if demand.survive < 0:
        raise DataError(f"{demand.survive} nodes to survive are fewer than none; give 0 or more")
    if node.together is not None:
        reached = node.together * (1 - demand.headroom) >= demand.target * (1 - _ROUNDING)
        return np.where(reached.any(axis=1), demand.survive + 1.0 + np.argmax(reached, axis=1), np.inf)
    each = _carried(node, demand)
    with np.errstate(divide="ignore"):
        return np.asarray(demand.survive + np.fmax(np.ceil(demand.target / each * (1 - _ROUNDING)), 1.0))


def carried_in(node: Node, demand: Demand, share: float) -> float:
    """Return the load that a node which is left carries, headroom and limit kept, in a share of the draws.

    Examples
    --------
    >>> node = Node(full=np.array([100.0, 80.0, 90.0, 110.0]), within=np.full(4, np.inf))
    >>> carried_in(node, Demand(target=700.0, headroom=0.5, survive=1, share=0.95), 0.75)
    45.0
    """
    # The very draw that `enough` counts by.
    return -enough(-_carried(node, demand), share)


def carried_together(node: Node, demand: Demand, share: float) -> tuple[float, ...]:
    """Return the loads that 1, 2, 3... nodes carry, headroom kept; empty where nodes add up in proportion.

    Examples
    --------
    >>> together = np.array([[100.0, 150.0], [80.0, 120.0]])
    >>> node = Node(full=together[:, 0], within=np.full(2, np.inf), together=together)
    >>> carried_together(node, Demand(target=100.0, headroom=0.5, survive=0, share=0.95), 0.95)
    (40.0, 60.0)
    """
    if node.together is None:
        return ()
    return tuple(-enough(-one, share) for one in (node.together * (1 - demand.headroom)).T)


def delivered_by(node: Node, count: float) -> FloatArray:
    """Return what so many nodes deliver in each draw when they are full; NaN where the sweep does not reach.

    Examples
    --------
    >>> delivered_by(Node(full=np.array([100.0]), within=np.array([60.0])), 3).tolist()
    [300.0]
    """
    if node.together is None:
        return np.asarray(node.full * count)
    known = math.isfinite(count) and 1 <= count <= node.together.shape[1]
    return node.together[:, int(count) - 1] if known else np.full_like(node.full, np.nan)


def _carried(node: Node, demand: Demand) -> FloatArray:
    return np.fmin(node.full * (1 - demand.headroom), node.within)


def enough(needed: FloatArray, share: float) -> float:
    """Return the smallest count that is enough in a share of the draws; infinite where none is.

    Examples
    --------
    >>> enough(np.array([3.0, 4.0, 4.0, 5.0]), 0.75), enough(np.array([3.0, np.inf]), 0.95)
    (4.0, inf)
    """
    return float(np.sort(needed)[math.ceil(share * len(needed) * (1 - _ROUNDING)) - 1])


def chance(needed: FloatArray, nodes: float) -> float:
    """Return the share of draws in which a count is enough.

    Examples
    --------
    >>> chance(np.array([3.0, 4.0, 4.0, 5.0]), 4)
    0.75
    """
    return float(np.mean(needed <= nodes))


def spent_on(node: Node, demand: Demand) -> Mapping[str, float]:
    """Return how many nodes each condition adds: what the count would be less by without it.

    Examples
    --------
    >>> node = Node(full=np.full(100, 100.0), within=np.full(100, 50.0))
    >>> dict(spent_on(node, Demand(target=700.0, headroom=0.3, survive=1, share=0.95)))
    {'latency': 4.0, 'headroom': 0.0, 'survive': 1.0}
    """
    with_all = enough(needed_nodes(node, demand), demand.share)
    without = {
        "latency": (replace(node, within=np.full_like(node.full, np.inf)), demand),
        "headroom": (node, replace(demand, headroom=0.0)),
        "survive": (node, replace(demand, survive=0)),
    }
    counts = {name: enough(needed_nodes(*asked), demand.share) for name, asked in without.items()}
    # Where no number is enough with or without a condition, it adds none.
    return {name: 0.0 if count == with_all else with_all - count for name, count in counts.items()}


def law_needs(drawn: CurveDraws, needed: FloatArray, nodes: float, share: float) -> tuple[LawNeed, ...]:
    """Return the count that each law by itself asks for, likeliest first."""
    found = []
    for at, law in enumerate(drawn.laws):
        own = needed[drawn.law == at]
        if len(own) >= _FEWEST_DRAWS:
            found.append(
                LawNeed(law=law, weight=drawn.weights[law], nodes=enough(own, share), enough=chance(own, nodes))
            )
    return tuple(sorted(found, key=lambda one: -one.weight))


def regret_of(needed: FloatArray, nodes: float, price: float, others: Sequence[tuple[FloatArray, float]]) -> Regret:
    """Return what a plan costs where it is wrong.

    Parameters
    ----------
    needed : ndarray, shape (draws,)
        Of the kind of node chosen.
    nodes, price : float
        How many of it, and what one costs, in money or cores.
    others : sequence of (ndarray, float)
        The same of every kind of node that could have been chosen, in the same draws.

    Examples
    --------
    >>> needed = np.array([3.0, 4.0, 4.0, 5.0])
    >>> found = regret_of(needed, 4, 1.0, [(needed, 1.0)])
    >>> found.falls_short, found.lacking, round(found.beyond_cheapest, 3)
    (0.25, 1.0, 0.111)
    """
    short = needed > nodes
    lacking = np.sort(needed[short] - nodes)
    cheapest = np.min([count * each for count, each in others], axis=0)
    beyond = nodes * price / cheapest[~short] - 1
    return Regret(
        falls_short=float(np.mean(short)),
        lacking=enough(lacking, 0.5) if len(lacking) else 0.0,
        most_lacking=enough(lacking, 0.95) if len(lacking) else 0.0,
        beyond_cheapest=float(np.mean(beyond)) if len(beyond) else math.nan,
    )
