"""What a node does at the target, how many are in flight there and how long one takes: three figures that agree.

By Little's law (J. D. C. Little, "A Proof for the Queuing Formula: L = λW", Operations Research 9(3), 1961) the
number in flight is load times mean latency, both by one unit of time: a load by the hour is divided by 3,600 first.
Whoever multiplies the figures that are printed shall find that within 1 %, so that they are written with the digits
this takes, also where their intervals carry fewer.
"""

from __future__ import annotations

import math

from benchlib.answers.capacity_loads import time_unit
from benchlib.answers.capacity_plans import LatencyPoint, LoadPlan, NodeOption
from benchlib.significant_digits import parting_digits, significant_digits_of, written
from benchlib.statistics.estimates import Estimate
from benchlib.units import scaled, show

__all__ = ["mean_figure"]

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
    return _written(option.flying, digits_lacking(option))


def mean_figure(option: NodeOption) -> str:
    """Write how long a request takes in the mean at the target; a dash where whole nodes were swept."""
    return _written(option.mean_latency, digits_lacking(option))


def level_figures(point: LatencyPoint) -> tuple[str, str]:
    """Write what a node does with so many in flight, and how long a request takes there in the mean."""
    more = digits_at(point)
    return _written(point.throughput, more), _written(point.mean, more)


def digits_lacking(option: NodeOption) -> int:
    """Return how many digits more than their intervals carry the figures of a node at the target take."""
    lost = _rounding(option.load, option.each.unit, _DIGITS)
    return _more_digits(lost, option.flying, option.mean_latency)


def digits_at(point: LatencyPoint) -> int:
    """Return how many digits more than their intervals carry the figures of a node with so many in flight take."""
    pair = point.throughput, point.mean
    # The median of an even number of draws is one of two: where it is not the same one in both, the law is missed.
    missed = _missed(math.prod(one.value for one in pair), point.concurrency * time_unit(point.throughput.unit))
    return _more_digits(missed if missed < _TOLERANCE else 0.0, *pair)


def _written(estimate: Estimate, more: int) -> str:
    if math.isnan(estimate.value):
        return NONE
    if math.isinf(estimate.value):
        return "infinite"
    return written(estimate.value, estimate, _DIGITS, more + parting_digits(estimate, _DIGITS))


def _more_digits(lost: float, *estimates: Estimate) -> int:
    """Return how many digits more than intervals carry the law takes in print, where so much is lost already."""
    if not all(math.isfinite(one.value) and one.value for one in estimates):
        return 0
    parting = [parting_digits(one, _DIGITS) for one in estimates]
    # Bounded: no digit is written beyond the ninth decimal.
    for more in range(_MOST_MORE):
        digits = ((one, more + parted) for one, parted in zip(estimates, parting, strict=True))
        rounded = (
            _rounding(one.value, one.unit, _DIGITS + told, significant_digits_of(one.value, one, told))
            for one, told in digits
        )
        if lost + sum(rounded) <= _TOLERANCE:
            return more
    return _MOST_MORE


def _rounding(value: float, unit: str, digits: int, carried: int | None = None) -> float:
    """Return by how much the number that is printed misses a value."""
    if not math.isfinite(value):
        return 0.0
    number = show(value, unit, digits, value, carried).partition(" ")[0].replace(",", "")
    return _missed(float(number) * scaled(value, unit)[0], value)


def _missed(found: float, meant: float) -> float:
    """Return how far a number lies from another, on logarithms: so misses of factors add up."""
    return abs(math.log(found / meant)) if found and meant and math.isfinite(found / meant) else 0.0
