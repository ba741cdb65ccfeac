"""Which load a plan is told by where it cannot tell all."""

from __future__ import annotations

import math
from dataclasses import replace

from benchlib.answers.capacity_plans import LoadPlan, PlanningAnswer


def led(answer: PlanningAnswer) -> PlanningAnswer:
    """Return a plan with the load that takes the most put first; one that no count of nodes carries takes more still.

    Examples
    --------
    >>> import benchlib
    >>> answer = benchlib.plan_capacity("data/onix-adapter-published", target="50000/s", headroom="30%", node="cores=8")
    >>> [one.best.nodes for one in answer.loads], [one.best.nodes for one in led(answer).loads]
    ([9.0, 12.0], [12.0, 9.0])
    """
    first = max(answer.loads, key=_weight)
    return replace(answer, loads=(first, *(one for one in answer.loads if one is not first)))


def _weight(plan: LoadPlan) -> tuple[float, ...]:
    best = plan.best
    if best is None:
        return (math.inf,)
    return tuple(0.0 if math.isnan(one) else one for one in (best.cost, best.total_cores, best.nodes))
