"""Up or out: for what share of the loads each kind of node is the cheapest."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib.answers.planning.answer import NodeOption
from benchlib.capacity.nodes import cheapest_runs

__all__ = ["cheapest_shares"]


def cheapest_shares(options: Sequence[NodeOption], share: float, survive: int, up_to: float) -> tuple[float, ...]:
    """Return for what share of the loads from 0 to ``up_to`` each kind of node is cheapest.

    Parameters
    ----------
    options : sequence of NodeOption
    share : float
        Of the draws in which the nodes are to be enough.
    survive : int
    up_to : float

    Returns
    -------
    tuple of float
        One of each kind; empty where there is no choice, or no kind carries any load.

    Examples
    --------
    >>> import benchlib
    >>> nodes = ["cores=2,cost=1/h", "cores=8,cost=1.4/h"]
    >>> plan = benchlib.plan_capacity("data/onix-adapter-published", target="50000/s", node=nodes).loads[0]
    >>> [round(one, 2) for one in plan.cheapest_for], round(sum(plan.cheapest_for), 6)
    ([0.79, 0.21], 1.0)
    """
    kinds = [(one.carried_from[share], one.carried[share], one.weight) for one in options]
    runs = cheapest_runs(kinds, survive, up_to) if len(kinds) > 1 else ()
    if not runs:
        return ()
    parts = [sum(one.high - one.low for one in runs if one.kind == at) for at in range(len(kinds))]
    return tuple(float(one / up_to) for one in parts)
