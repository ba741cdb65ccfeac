"""The small table from which a deck answers other targets, limits and prices: what one node of each kind delivers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchlib.answers.capacity_loads import time_unit
from benchlib.answers.capacity_plans import LoadPlan, NodeOption
from benchlib.capacity.nodes import SHARES, held_in
from benchlib.capacity.one_node import Level

__all__ = ["node_tables"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTable:
    """One kind of node under one load.

    Attributes
    ----------
    option : NodeOption
    levels : tuple of Level
        One where the axis counts cores: a node of 8 cores is full at 8.
    shares : tuple of float
        Of the draws, in the order of the rates.
    """

    option: NodeOption
    levels: tuple[Level, ...]
    shares: tuple[float, ...]


def node_tables(plan: LoadPlan, metric: str = "latency_mean") -> tuple[NodeTable, ...]:
    """Return a table of each kind of node; ``metric`` is the latency that can have a limit.

    None where whole nodes were swept: what several deliver does not follow from one.
    """
    if plan.counts == "nodes":
        return ()
    return tuple(
        NodeTable(option=option, levels=tuple(_levels(plan, option, metric)), shares=SHARES) for option in plan.options
    )


def _levels(plan: LoadPlan, option: NodeOption, metric: str) -> Iterator[Level]:
    measured = {level.concurrency: level for level in plan.measured}
    places = [option.concurrency] if plan.counts == "cores" else sorted(measured) or [option.concurrency]
    drawn = plan._drawn
    for place in places:
        at = int(np.searchsorted(drawn.concurrency, place))
        rates = drawn.throughput[:, at]
        waits = measured[place].percentiles if place in measured else {}
        mean = place / float(np.median(rates)) * time_unit(drawn.unit)
        latency = mean if metric == "latency_mean" else waits.get(metric)
        yield Level(level=place, latency=latency, rates=tuple(-held_in(-rates, share) for share in SHARES))
