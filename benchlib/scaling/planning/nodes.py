"""How many nodes a load needs, by draw, and what each condition costs.

A draw needs the smallest m with ``(m - survive) X(c) (1 - headroom) >= target`` at which the latency is within its
limit too, at the load of a node that is left: ``target / (m - survive)``. Where requests take longer at less load, a
count can be too many as well. Nodes add up in proportion, unless whole nodes were swept: then it is
``X(m - survive) (1 - headroom) >= target``, read off the curve.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from benchlib.errors import DataError
from benchlib.scaling.laws import FloatArray
from benchlib.scaling.planning.counts import Counts, draws_in, enough, held_in

__all__ = [
    "EITHER",
    "Demand",
    "Node",
    "carried_in",
    "carried_together",
    "delivered_by",
    "needed_nodes",
    "spent_on",
]

#: The name of what only leaving out headroom and limit together saves.
EITHER = "either of headroom and latency"
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
    within : ndarray, shape (draws,) or (draws, stretches)
        The load up to which the latency is within its limit, of each stretch of loads along which it is; infinite
        without a limit, 0 for a stretch that a draw does not have.
    within_from : ndarray of the same shape, or 0
        The load from which it is.
    together : ndarray, shape (draws, most), or None
        The most that 1, 2, 3... nodes deliver, where that was swept; None where nodes add up in proportion.
    """

    full: FloatArray
    within: FloatArray
    within_from: FloatArray | float = 0.0
    together: FloatArray | None = None


def needed_nodes(node: Node, demand: Demand) -> Counts:
    """Return how many nodes are enough in each draw.

    Raises
    ------
    DataError
        For a target, headroom or number of nodes to survive that cannot be meant.

    Examples
    --------
    >>> node = Node(full=np.array([100.0, 80.0]), within=np.array([np.inf, 40.0]))
    >>> needed_nodes(node, Demand(target=700.0, headroom=0.3, survive=1, share=0.95)).least.tolist()
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
        least = np.where(reached.any(axis=1), demand.survive + 1.0 + np.argmax(reached, axis=1), np.inf)
        return Counts(least=least, most=np.full_like(least, np.inf))
    with np.errstate(divide="ignore"):
        fewest = np.fmax(np.ceil(demand.target / _carried(node, demand) * (1 - _ROUNDING)), 1.0)
        most = np.floor(demand.target / np.asarray(node.within_from) * (1 + _ROUNDING))
    some = fewest <= most
    return Counts(
        least=np.where(some, demand.survive + fewest, np.inf), most=np.where(some, demand.survive + most, np.inf)
    )


def carried_in(node: Node, demand: Demand, share: float) -> tuple[float, float]:
    """Return from which to which load a node that is left keeps headroom and limit in a share of the draws.

    From 0, unless requests take longer at less load. Both are 0 where no load is carried in so many draws.

    Examples
    --------
    >>> node = Node(full=np.array([100.0, 80.0, 90.0, 110.0]), within=np.full(4, np.inf))
    >>> carried_in(node, Demand(target=700.0, headroom=0.5, survive=1, share=0.95), 0.75)
    (0.0, 45.0)
    """
    carried = _carried(node, demand)
    lowest = np.broadcast_to(np.asarray(node.within_from), carried.shape)
    if not lowest.any():
        # The very draw that `enough` counts by.
        return 0.0, -held_in(-carried.ravel(), share)
    some = lowest <= carried
    last, first = np.sort(carried[some]), np.sort(lowest[some])
    wanted = draws_in(share, len(node.full))
    kept = np.searchsorted(first, last, side="right") - np.searchsorted(last, last)
    if not np.any(kept >= wanted):
        return 0.0, 0.0
    most = last[np.flatnonzero(kept >= wanted)[-1]]
    below = first[first <= most]
    kept_below = np.searchsorted(first, below) - np.searchsorted(last, below)
    missed = below[kept_below < wanted]
    return float(missed[-1]) if len(missed) else 0.0, float(most)


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
    return tuple(-held_in(-one, share) for one in (node.together * (1 - demand.headroom)).T)


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
    """Return up to which load a node keeps headroom and limit, of the shape of ``within``."""
    free = node.full * (1 - demand.headroom)
    return np.fmin(free if node.within.ndim == 1 else free[:, np.newaxis], node.within)


def spent_on(node: Node, demand: Demand) -> Mapping[str, float]:
    """Return how many nodes each condition adds: what the count would be less by without it.

    Where the limit and the headroom both ask for a node, leaving out either alone saves none: what only leaving out
    both saves stands under the name of both.

    Examples
    --------
    >>> node = Node(full=np.full(100, 100.0), within=np.full(100, 50.0))
    >>> dict(spent_on(node, Demand(target=700.0, headroom=0.3, survive=1, share=0.95)))
    {'latency': 4.0, 'headroom': 0.0, 'survive': 1.0, 'either of headroom and latency': 3.0}
    """
    boundless = replace(node, within=np.full_like(node.full, np.inf), within_from=0.0)
    roomless = replace(demand, headroom=0.0)
    with_all = enough(needed_nodes(node, demand), demand.share)
    without = {
        "latency": (boundless, demand),
        "headroom": (node, roomless),
        "survive": (node, replace(demand, survive=0)),
        EITHER: (boundless, roomless),
    }
    counts = {name: enough(needed_nodes(*asked), demand.share) for name, asked in without.items()}
    # Where no number is enough with or without a condition, it adds none.
    spent = {name: 0.0 if count == with_all else with_all - count for name, count in counts.items()}
    alone = spent["latency"] + spent["headroom"]
    return {**spent, EITHER: max(spent[EITHER] - alone, 0.0) if math.isfinite(alone) else 0.0}
