"""What a node does at the target, how many are in flight there and how long one takes: three figures that agree.

By Little's law (J. D. C. Little, "A Proof for the Queuing Formula: L = λW", Operations Research 9(3), 1961) the
number in flight is load times mean latency. Whoever multiplies the figures that are printed shall find that within
1 %, so that they are written with the digits this takes, also where their intervals carry fewer.
"""

from __future__ import annotations

import math

from benchlib.answers.planning.answer import LoadPlan, NodeOption
from benchlib.statistics.estimates import Estimate, carried_digits
from benchlib.units import show

__all__ = ["flying_figure", "load_figure", "mean_figure"]

NONE = "–"
_TOLERANCE = 0.01
_DIGITS = 4


def load_figure(option: NodeOption, plan: LoadPlan) -> str:
    """Write what each of the nodes left does at the target."""
    return show(option.load, plan.unit, _DIGITS)


def flying_figure(option: NodeOption) -> str:
    """Write how many requests are in flight in a node at the target.

    Examples
    --------
    >>> import benchlib
    >>> plan = benchlib.plan_capacity("data/http-endpoints").loads[0]
    >>> load_figure(plan.best, plan), mean_figure(plan.best), flying_figure(plan.best)
    ('62,500 req/s', '56.9 µs', '3.56')
    """
    return _written(option.flying, option)


def mean_figure(option: NodeOption) -> str:
    """Write how long a request takes in the mean at the target; a dash where whole nodes were swept."""
    return _written(option.mean_latency, option)


def _written(estimate: Estimate, option: NodeOption) -> str:
    if math.isnan(estimate.value):
        return NONE
    if math.isinf(estimate.value):
        return "infinite"
    return show(estimate.value, estimate.unit, carried_digits(estimate, _DIGITS) + _digits_lacking(option))


def _digits_lacking(option: NodeOption) -> int:
    """Return how many digits more than the intervals carry the law takes to hold in print."""
    pair = option.flying, option.mean_latency
    if not all(math.isfinite(one.value) and one.value for one in pair):
        return 0
    more = 0
    while (
        _rounding(option.load, _DIGITS) + sum(_rounding(one.value, carried_digits(one, _DIGITS) + more) for one in pair)
        > _TOLERANCE
    ):
        more += 1
    return more


def _rounding(value: float, digits: int) -> float:
    return abs(float(f"{value:.{digits - 1}e}") / value - 1)
