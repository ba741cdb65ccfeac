"""Counts of nodes along the load: steps of equal width, and which kind of node is cheapest where.

With the loads that one node carries in a stated share of the draws, m nodes that are left carry m times as much: a
curve of demand or cost is known everywhere from these two numbers, and not only where a table has a row. Where requests
take longer at less load than a limit allows, a load can lie between what m nodes and what m + 1 carry.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from benchlib.scaling.laws import FloatArray

__all__ = ["CheapestRun", "cheapest_runs", "count_at", "count_steps"]

#: More steps than these are finer than a figure shows: a straight line stands for them.
_MOST_STEPS = 500
#: A load that fits to this share is not moved to another node by rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class CheapestRun:
    """A stretch of loads over which one kind of node is cheapest.

    Attributes
    ----------
    low, high : float
        Loads at which it begins and ends.
    kind : int
        Which of the kinds.
    """

    low: float
    high: float
    kind: int


def count_at(
    load: float, carried: float, survive: int, together: Sequence[float] = (), carried_from: float = 0.0
) -> float:
    """Return how many nodes a load takes where one that is left carries so much; infinite where no number does.

    Parameters
    ----------
    load, carried, carried_from : float
        A node carries loads from the last to the second of these.
    survive : int
    together : sequence of float
        What 1, 2, 3... nodes that are left carry, rising; empty where they add up in proportion.

    Examples
    --------
    >>> count_at(250.0, 100.0, 1), count_at(200.0, 100.0, 0), count_at(1.0, 0.0, 0)
    (4.0, 2.0, inf)
    >>> count_at(150.0, 100.0, 0, (100.0, 140.0, 160.0))
    3.0
    >>> count_at(150.0, 100.0, 0, carried_from=75.0), count_at(140.0, 100.0, 0, carried_from=75.0)
    (2.0, inf)
    """
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

    Examples
    --------
    >>> loads, nodes = count_steps(100.0, 1, 250.0)
    >>> loads.tolist(), nodes.tolist()
    ([0.0, 100.0, 200.0, 250.0], [2.0, 3.0, 4.0, 4.0])
    >>> loads, nodes = count_steps(100.0, 0, 250.0, (100.0, 140.0, 160.0))
    >>> loads.tolist(), nodes.tolist()
    ([0.0, 100.0, 140.0, 160.0], [1.0, 2.0, 3.0, 3.0])
    >>> loads, nodes = count_steps(100.0, 0, 200.0, carried_from=75.0)
    >>> loads.tolist(), nodes.tolist()
    ([0.0, 75.0, 100.0, 100.0, 150.0, 200.0], [nan, 1.0, 1.0, nan, 2.0, 2.0])
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
    nodes = np.array([count_at(float(one), carried, survive, carried_from=carried_from) for one in middles])
    gaps = np.flatnonzero(np.isinf(nodes))
    ends = gaps[gaps > 0]  # where a stretch ends before a gap, its count stands once more
    told = np.append(np.where(np.isinf(nodes), np.nan, nodes), nodes[-1])
    return np.insert(loads, ends, loads[ends]), np.insert(told, ends, told[ends - 1])


def cheapest_runs(kinds: Sequence[tuple[float, float, float]], survive: int, up_to: float) -> tuple[CheapestRun, ...]:
    """Return which kind of node costs least along the load; of equal costs the one with fewer nodes.

    Parameters
    ----------
    kinds : sequence of (float, float, float)
        From which to which load one node carries, and what it costs.
    survive : int
    up_to : float

    Examples
    --------
    >>> runs = cheapest_runs([(0.0, 100.0, 1.0), (0.0, 300.0, 2.0)], 0, 600.0)
    >>> [(one.low, one.high, one.kind) for one in runs]
    [(0.0, 100.0, 0), (100.0, 600.0, 1)]
    """
    every = [count_steps(most, survive, up_to, carried_from=least)[0] for least, most, _ in kinds]
    bounds = np.unique(np.concatenate([*every, [0.0, up_to]]))
    found: list[CheapestRun] = []
    for low, high in pairwise(bounds):
        middle = float(low + high) / 2
        counts = [(count_at(middle, most, survive, carried_from=least), price) for least, most, price in kinds]
        best = min(range(len(kinds)), key=lambda at: (counts[at][0] * counts[at][1], counts[at][0]))
        if not math.isfinite(counts[best][0]):
            continue
        if found and found[-1].kind == best and found[-1].high == float(low):
            found[-1] = CheapestRun(low=found[-1].low, high=float(high), kind=best)
        else:
            found.append(CheapestRun(low=float(low), high=float(high), kind=best))
    return tuple(found)
