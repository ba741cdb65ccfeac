"""What a capacity plan is to meet: given words, else those of ``[capacity]``, and of which curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from benchlib.answers.asking import Refusal
from benchlib.answers.scaling_question import Question, _ask
from benchlib.answers.sweeps import _NODE_AXES, _counts_demand
from benchlib.capacity.draws import DRAWS
from benchlib.errors import DataError, printable
from benchlib.study import Growth, Limit, NodePlan, Study, Target
from benchlib.study.quantities import (
    parse_currency,
    parse_growth,
    parse_headroom,
    parse_limit,
    parse_mix,
    parse_month,
    parse_nodes,
    parse_probability,
    parse_survive,
    parse_target,
)

# What a plan is to meet: given words, else those of ``[capacity]``, checked before any result is looked at.

#: Fewer draws tell no 95 %, more than these no more digits.
_FEWEST_DRAWS, _MOST_DRAWS = 200, 100_000
#: What takes back a condition of the study.
_TAKEN_BACK = "none"

_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPlan:
    """What was asked, as it was written; empty where it was not."""

    target: str
    slo: str
    headroom: float
    survive: int
    nodes: tuple[str, ...]
    growth: str
    start: str
    currency: str
    mix: Mapping[str, float]
    probability: float
    draws: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wanted:
    """What a plan is to meet, checked."""

    target: Target
    limit: Limit | None
    headroom: float
    survive: int
    nodes: tuple[NodePlan, ...]
    growth: Growth | None
    start: str
    currency: str
    mix: Mapping[str, float]
    #: With which a count of nodes is to be enough.
    probability: float
    draws: int
    seed: int

    @property
    def asked(self) -> AskedPlan:
        """The same as it was written."""
        return AskedPlan(
            target=self.target.written,
            slo=self.limit.written if self.limit else "",
            headroom=self.headroom,
            survive=self.survive,
            nodes=tuple(node.written for node in self.nodes),
            growth=self.growth.written if self.growth else "",
            start=self.start,
            currency=self.currency,
            mix=dict(self.mix),
            probability=self.probability,
            draws=self.draws,
            seed=self.seed,
        )


def plan_wanted(
    study: Study,
    *,
    target: str | None = "",
    slo: str | None = "",
    headroom: str | float | None = None,
    survive: str | int | None = None,
    node: str | Sequence[str] | None = (),
    growth: str | None = "",
    start: str | None = "",
    currency: str | None = "",
    mix: str | Mapping[str, float] | None = "",
    probability: str | float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> Wanted:
    """Check what a plan is to meet: what is empty is the study's own, and ``none`` takes the study's own back."""
    plan = study.capacity
    wanted = parse_target("" if target is None else target) or plan.target
    if wanted is None:
        raise DataError(
            "no target: name the throughput to plan for: --target 50000/s of capacity, -p target=50000/s of slides and "
            "report, or target in [capacity] of study.toml"
        )
    named = parse_currency(currency or "")
    money = named or plan.currency
    # The study's own nodes are read again where a currency is named for prices that have none.
    own = parse_nodes([node.written for node in plan.nodes], money)
    nodes = _given_or(node, own, (), lambda kinds: parse_nodes(kinds, money))
    _check_currency(named, nodes)
    return Wanted(
        target=wanted,
        limit=_given_or(slo, plan.limit, None, parse_limit),
        headroom=_given_or(headroom, plan.headroom, 0.0, parse_headroom),
        survive=_given_or(survive, plan.survive, 0, parse_survive),
        nodes=nodes,
        growth=_given_or(growth, plan.growth, None, parse_growth),
        start=_given_or(start, plan.start, "", parse_month),
        currency=next((node.currency for node in nodes), money),
        mix=_given_or(mix, plan.mix, {}, parse_mix),
        probability=parse_probability(probability),
        draws=_count(draws, "draws", _FEWEST_DRAWS, _MOST_DRAWS),
        seed=_count(seed, "seed", 0, 2**32 - 1),
    )


def _given_or(given: object, own: _Found, nothing: _Found, read: Callable[[Any], _Found]) -> _Found:
    """Read what was given; the study's own where nothing was, and nothing where that is taken back."""
    words = given[0] if isinstance(given, list | tuple) and len(given) == 1 else given
    text = words.strip().lower() if isinstance(words, str) else None
    if text == _TAKEN_BACK:
        return nothing
    empty = given is None or text == "" or (isinstance(given, Sequence | Mapping) and not given)
    return own if empty else read(given)


def _check_currency(named: str, nodes: Sequence[NodePlan]) -> None:
    """Refuse a currency beside prices in another: benchlib does not convert."""
    for node in nodes:
        if named and node.currency not in ("", named):
            raise DataError(
                f"currency '{named}' is named, and node '{node.written}' costs {node.currency}; "
                "leave the currency out, or name prices in it: nothing is converted"
            )


def _count(number: object, name: str, low: int, high: int) -> int:
    if isinstance(number, bool | np.bool_) or not isinstance(number, int | np.integer) or not low <= number <= high:
        raise DataError(f"{name} {printable(repr(number), 60)} is no whole number from {low:,} to {high:,}")
    return int(number)


# What is asked of a study's capacity: what a plan is to meet, and of which curves.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanQuestion(Wanted):
    """A question of capacity, checked."""

    #: The curves that it is asked of.
    scaling: Question
    #: Whether the axis counts requests in flight and not cores.
    demand_axis: bool
    #: Whether it counts whole nodes.
    node_axis: bool

    @property
    def study(self) -> Study:
        """The study, with its plan changed to what was asked."""
        return self.scaling.study

    @property
    def axis(self) -> str:
        """The axis that is N."""
        return self.study.scaling.concurrency


def _ask_plan(
    study: Study,
    wanted: Wanted,
    *,
    concurrency: str | None,
    metric: str | None,
    by: str | Sequence[str] | None,
) -> PlanQuestion | Refusal:
    """Ask for a plan of the curves of a study."""
    scaling = _ask(study, concurrency=concurrency or "", metric=metric or "", by=by or (), budget=0)
    if isinstance(scaling, Refusal):
        return Refusal(question="capacity", reason=scaling.reason, advice=scaling.advice)
    axis = scaling.study.scaling.concurrency
    return PlanQuestion(
        **{field: getattr(wanted, field) for field in Wanted.__dataclass_fields__},
        scaling=scaling,
        demand_axis=_counts_demand(axis),
        node_axis=axis in _NODE_AXES,
    )
