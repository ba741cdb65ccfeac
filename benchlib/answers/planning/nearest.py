"""What comes nearest where no count of nodes meets what was asked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from benchlib.answers.planning.latencies import LimitedLatency
from benchlib.answers.planning.loads import Load, measure_at
from benchlib.answers.planning.options import Sized, choose, plan_demand, size
from benchlib.answers.planning.question import PlanQuestion
from benchlib.answers.refusal import Refusal
from benchlib.capacity.nodes import held_in
from benchlib.units import asked_quantity, asked_share, show

__all__ = ["unmet"]

#: A limit that is only just kept takes many nodes, all nearly idle: the nearest that is told has this room above it.
_ROOM = 1.1


def unmet(load: Load, sized: Sequence[Sized], question: PlanQuestion) -> Refusal:
    """Say why no count of nodes meets what was asked, and which limit and plan come nearest."""
    if question.node_axis:
        return _too_few(load, sized[0], question)
    limit, limited, share = question.limit, load.limited, question.probability
    if limit is None or limited is None:
        return Refusal(
            question="capacity",
            reason=f"{load.name}: no count of nodes meets the target with the probability asked",
            advice="ask for a lower probability, or repeat every level at least 3 times",
        )
    target = show(plan_demand(load, question).target, load.drawn.unit)
    kept = f"{limit.metric} within {asked_quantity(limit.seconds, 'sec')}"
    return Refusal(
        question="capacity",
        reason=f"{load.name}: no count of nodes keeps {kept} at {target} with a probability of "
        f"{asked_share(share)}; the fastest {limit.metric} is {show(limited.fastest, 'sec')}",
        advice=_nearest(load, limited, sized, question) or "ask for a slower limit, or for another target",
    )


def _nearest(load: Load, limited: LimitedLatency, sized: Sequence[Sized], question: PlanQuestion) -> str:
    """Return the nearest limit that some count of nodes keeps, and that plan; nothing where none was found."""
    limit = question.limit
    for seconds in _limits(load, limited, sized[-1].kind.concurrency, question.probability):
        asked = replace(question, limit=limit and replace(limit, seconds=seconds))
        tried = [size(one.kind, load, asked, plan_demand(load, asked)) for one in sized]
        chosen, _, _ = choose(tried, load)
        if limit is not None and chosen is not None:
            return f"nearest: {limit.metric}={show(seconds, 'sec', 2)} takes {_plan(tried[chosen], question)}"
    return ""


def _limits(load: Load, limited: LimitedLatency, widest: float, share: float) -> Iterator[float]:
    """Yield what to try: the fastest of all concurrencies in the share of draws asked for, then that of the fewest."""
    count = int(np.sum(load.drawn.concurrency <= min(widest, limited.up_to)))
    each = [held_in(one, share) for one in limited.values[:, :count].T]
    yield _rounded_up(_ROOM * min(each))
    yield _rounded_up(_ROOM * each[0])


def _plan(taken: Sized, question: PlanQuestion) -> str:
    option = taken.option
    line = f"{option.nodes:,.0f} node{'' if option.nodes == 1 else 's'} of {option.cores or option.concurrency:g} cores"
    if math.isnan(option.cost):
        return line
    return f"{line}, {option.cost:,.2f}{question.currency and f' {question.currency}'} per hour"


def _too_few(load: Load, kind: Sized, question: PlanQuestion) -> Refusal:
    """Say that the target lies beyond what the sweep of nodes speaks of, and what it does speak of."""
    most, unit = load.drawn.concurrency[-1], load.drawn.unit
    loads = kind.option.carried_together[question.probability]
    nearest = int(np.argmax(np.array(loads) >= loads[-1]) + 1)
    return Refusal(
        question="capacity",
        reason=f"{load.name}: {show(plan_demand(load, question).target, unit)} is more than {most:g} {question.axis} "
        f"deliver with the probability asked, and beyond them nothing is said (largest measured: "
        f"{load.curve.concurrency[-1]:g})",
        advice=f"nearest: {nearest + question.survive} nodes carry {show(loads[-1], unit)}; "
        f"or {measure_at(question, 2 * most, load.key)}",
    )


def _rounded_up(seconds: float) -> float:
    """Return the next number of two digits: a limit that is told is the limit that was tried."""
    step = 10.0 ** (math.floor(math.log10(seconds)) - 1)
    return math.ceil(seconds / step * (1 - 1e-12)) * step
