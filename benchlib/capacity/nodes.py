"""How many nodes a load needs, by draw and along the load, what each condition costs, until when they are enough."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

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
