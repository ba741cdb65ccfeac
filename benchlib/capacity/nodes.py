"""How many nodes a load needs, by draw and along the load, what each condition costs, until when they are enough."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from benchlib.errors import DataError
from benchlib.scaling.laws import FloatArray

# Counts of nodes by draw, and which of them is enough with a stated probability.

#: The shares of draws that node counts are told for.
SHARES = (0.5, 0.8, 0.95)
#: A share that is met but for rounding is met, and a load that fits but for rounding takes no other node.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counts:
    """How many nodes are enough, by draw: from ``least`` to ``most``."""

    #: Shape (draws,). Infinite where no number is enough. Stretches of a draw do not overlap.
    least: FloatArray
    most: FloatArray  # infinite where more do no harm


def held_in(values: FloatArray, share: float) -> float:
    """Return the smallest value that a share of the draws does not exceed."""
    at = _draws_in(share, len(values)) - 1
    return float(np.partition(values, at)[at])


def _draws_in(share: float, draws: int) -> int:
    """Return how many draws a share of them takes."""
    return math.ceil(share * draws * (1 - _ROUNDING))


def enough(needed: Counts, share: float) -> float:
    """Return the smallest count that is enough in a share of the draws; infinite where none is."""
    wanted = _draws_in(share, len(needed.least))
    least, most = (np.sort(bounds[np.isfinite(bounds)]) for bounds in (needed.least, needed.most))
    if len(least) < wanted:
        return math.inf
    if not len(most):
        return float(least[wanted - 1])
    # Of equal counts the last: as many draws need no more than that.
    last = np.flatnonzero(np.append(np.diff(least) > 0, True))
    counts = least[last][last + 1 - np.searchsorted(most, least[last]) >= wanted]
    return float(counts[0]) if len(counts) else math.inf


def _is_enough(needed: Counts, nodes: float) -> NDArray[np.bool_]:
    """Return in which draws a count is enough."""
    inside = (needed.least <= nodes) & (nodes <= needed.most) & math.isfinite(nodes)
    return np.asarray(inside if inside.ndim == 1 else inside.any(axis=1))


def chance(needed: Counts, nodes: float) -> float:
    """Return the share of draws in which a count is enough."""
    return float(np.mean(_is_enough(needed, nodes)))


# How many nodes a load needs, by draw, and what each condition costs.
#
# A draw needs the smallest m with ``(m - survive) X(c) (1 - headroom) >= target`` at which the latency is within its
# limit too, at the load of a node that is left: ``target / (m - survive)``. Where requests take longer at less load, a
# count can be too many as well. Nodes add up in proportion, unless whole nodes were swept: then it is
# ``X(m - survive) (1 - headroom) >= target``, read off the curve.

#: The name of what only leaving out headroom and limit together saves.
EITHER = "either of headroom and latency"


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What the nodes that are left have to deliver."""

    target: float  # throughput of all together
    headroom: float  # the share of each node that stays free
    survive: int  # nodes that may be lost
    share: float  # the probability with which a count is to be enough


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Node:
    """What one node delivers, by draw."""

    #: Shape (draws,). Its throughput with nothing left.
    full: FloatArray
    #: Shape (draws,). The load up to which the latency is within its limit, of each stretch of loads along which it is;
    #: infinite without a limit, 0 for a stretch that a draw does not have.
    within: FloatArray
    within_from: FloatArray | float = 0.0  # the load from which it is
    #: Shape (draws,). Its throughput with nothing left where no latency has a limit; None where that is `full`.
    boundless: FloatArray | None = None
    #: Shape (draws, most). The most that 1, 2, 3... nodes deliver, where that was swept; None where nodes add up in
    #: proportion.
    together: FloatArray | None = None


def needed_nodes(node: Node, demand: Demand) -> Counts:
    """Return how many nodes are enough in each draw."""
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
    """
    carried = _carried(node, demand)
    lowest = np.broadcast_to(np.asarray(node.within_from), carried.shape)
    if not lowest.any():
        # The very draw that `enough` counts by.
        return 0.0, -held_in(-carried.ravel(), share)
    some = lowest <= carried
    last, first = np.sort(carried[some]), np.sort(lowest[some])
    wanted = _draws_in(share, len(node.full))
    covering = np.searchsorted(first, last, side="right") - np.searchsorted(last, last)
    if not np.any(covering >= wanted):
        return 0.0, 0.0
    most = last[np.flatnonzero(covering >= wanted)[-1]]
    below = first[first <= most]
    kept_below = np.searchsorted(first, below) - np.searchsorted(last, below)
    missed = below[kept_below < wanted]
    return float(missed[-1]) if len(missed) else 0.0, float(most)


def carried_together(node: Node, demand: Demand, share: float) -> tuple[float, ...]:
    """Return the loads that 1, 2, 3... nodes carry, headroom kept; empty where nodes add up in proportion."""
    if node.together is None:
        return ()
    return tuple(-held_in(-capacity, share) for capacity in (node.together * (1 - demand.headroom)).T)


def delivered_by(node: Node, count: float) -> FloatArray:
    """Return what so many nodes deliver in each draw when they are full; NaN where the sweep does not reach."""
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
    """
    full = node.full if node.boundless is None else node.boundless
    boundless = replace(node, full=full, within=np.full_like(full, np.inf), within_from=0.0)
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


# In which month a growing load has used the headroom up.

#: A load that holds for so many months is not told to end: nothing grows alike for 100 years.
_MONTHS_KNOWN = 1200


def months_until(capacity: FloatArray, target: float, growth: float) -> FloatArray:
    """Return the first month whose load is above the capacity, shape (draws,); infinite where none is."""
    if not (math.isfinite(growth) and growth > -1):
        raise DataError(f"growth {growth:g} is no finite share above -1; write 0.04 for 4 % a month")
    if growth <= 0:
        return np.where(capacity < target, 1.0, np.inf)
    grown = np.floor(np.log(np.fmax(capacity, 1e-300) / target) / math.log1p(growth) * (1 + 1e-12)) + 2
    months = np.where(capacity < target, 1.0, grown)
    return np.where(months > _MONTHS_KNOWN, np.inf, months)


# Counts of nodes along the load: steps of equal width, and which kind of node is cheapest where.
#
# With the loads that one node carries in a stated share of the draws, m nodes that are left carry m times as much: a
# curve of demand or cost is known everywhere from these two numbers, not only where a table has a row. Where requests
# take longer at less load than a limit allows, a load can lie between what m nodes and what m + 1 carry.

#: More steps than these are finer than a figure shows: a straight line stands for them.
_MOST_STEPS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class CheapestRun:
    """A stretch of loads over which one kind of node is cheapest."""

    #: low, high: loads at which it begins and ends.
    low: float
    high: float
    kind: int  # which of the kinds


def count_at(
    load: float, carried: float, survive: int, together: Sequence[float] = (), carried_from: float = 0.0
) -> float:
    """Return how many nodes a load takes where one that is left carries so much; infinite where no number does."""
    if together:
        at = int(np.searchsorted(together, load * (1 - _ROUNDING)))
        return survive + at + 1.0 if at < len(together) else math.inf
    if not carried > 0:
        return math.inf
    nodes = max(math.ceil(load / carried * (1 - _ROUNDING)), 1)
    return float(survive + nodes) if load >= nodes * carried_from * (1 - _ROUNDING) else math.inf


def count_steps(
    carried: float, survive: int, up_to: float, together: Sequence[float] = (), carried_from: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Return the loads at which the count of nodes changes, from 0, and how many are needed from there on.

    The last load is ``up_to``, or the largest that any number of nodes carries. The count is NaN from a load on beyond
    which no number carries the next, which a line would else cross; nothing is returned where none is carried at all.
    """
    if together:
        ends = np.unique(np.fmin(together, up_to))
        nodes = np.array([count_at(float(end), carried, survive, together) for end in ends])
        return np.concatenate([[0.0], ends]), np.append(nodes, nodes[-1])
    if not carried > 0:
        return np.array([]), np.array([])
    steps = count_at(up_to, carried, 0)
    if steps > _MOST_STEPS:
        return np.array([0.0, up_to]), np.array([survive + 1.0, survive + steps])
    each = np.arange(steps + 1)
    loads = np.unique(np.fmin(np.concatenate([each * carried, each * carried_from]), up_to))
    middles = (loads[1:] + loads[:-1]) / 2
    nodes = np.array([count_at(float(middle), carried, survive, carried_from=carried_from) for middle in middles])
    gaps = np.flatnonzero(np.isinf(nodes))
    ends = gaps[gaps > 0]  # where a stretch ends before a gap, its count stands once more
    labels = np.append(np.where(np.isinf(nodes), np.nan, nodes), nodes[-1])
    return np.insert(loads, ends, loads[ends]), np.insert(labels, ends, labels[ends - 1])


def cheapest_runs(kinds: Sequence[tuple[float, float, float]], survive: int, up_to: float) -> tuple[CheapestRun, ...]:
    """Return which kind of node costs least along the load; of equal costs the one with fewer nodes."""
    every = [count_steps(most, survive, up_to, carried_from=least)[0] for least, most, _ in kinds]
    bounds = np.unique(np.concatenate([*every, [0.0, up_to]]))
    runs: list[CheapestRun] = []
    for low, high in pairwise(bounds):
        middle = float(low + high) / 2
        counts = [(count_at(middle, most, survive, carried_from=least), price) for least, most, price in kinds]
        best = min(range(len(kinds)), key=lambda at: (counts[at][0] * counts[at][1], counts[at][0]))
        if not math.isfinite(counts[best][0]):
            continue
        if runs and runs[-1].kind == best and runs[-1].high == float(low):
            runs[-1] = CheapestRun(low=runs[-1].low, high=float(high), kind=best)
        else:
            runs.append(CheapestRun(low=float(low), high=float(high), kind=best))
    return tuple(runs)
