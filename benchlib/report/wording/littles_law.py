"""What a node does at the target, how many are in flight there and how long one takes: three figures that agree.

By Little's law (J. D. C. Little, "A Proof for the Queuing Formula: L = λW", Operations Research 9(3), 1961) the
number in flight is load times mean latency. Whoever multiplies the figures that are printed shall find that within
1 %, so that they are written with the digits this takes, also where their intervals carry fewer.
"""

from __future__ import annotations

import math

from benchlib.answers.planning.answer import LoadPlan, NodeOption
from benchlib.statistics.estimates import Estimate, carried_digits
from benchlib.units import scaled, show

__all__ = ["flying_figure", "load_figure", "mean_figure"]

NONE = "–"
_TOLERANCE = math.log(1.01)
_DIGITS = 4
#: With so many more than two no rounding is left that a digit mends.
_MOST_MORE = 4


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
    lost = _rounding(option.load, option.each.unit, _DIGITS)
    # Bounded: no digit is written beyond the ninth decimal.
    for more in range(_MOST_MORE):
        rounded = (_rounding(one.value, one.unit, carried_digits(one, _DIGITS) + more) for one in pair)
        if lost + sum(rounded) <= _TOLERANCE:
            return more
    return _MOST_MORE


def _rounding(value: float, unit: str, digits: int) -> float:
    """Return how far the number that is printed lies from a value, on logarithms: so misses of factors add up."""
    number = show(value, unit, digits).partition(" ")[0].replace(",", "")
    return abs(math.log(float(number) * scaled(value, unit)[0] / value))
