"""What is asked of a study's capacity: given words, else those of ``[capacity]``, checked before anything is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling.hygiene import DEMAND_AXES, NODE_AXES
from benchlib.answers.scaling.question import Question, ask
from benchlib.errors import DataError, printable
from benchlib.study import ClaimPlan, Growth, Limit, NodePlan, Study, Target
from benchlib.study.capacity_nodes import currency_asked, nodes_asked
from benchlib.study.capacity_words import (
    growth_asked,
    headroom_asked,
    limit_asked,
    mix_asked,
    month_asked,
    survive_asked,
    target_asked,
)

__all__ = ["AskedPlan", "PlanQuestion", "ask_plan"]

#: Fewer draws tell no 95 %, more than these no more digits.
_FEWEST_DRAWS, _MOST_DRAWS = 200, 100_000


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
class PlanQuestion:
    """A question of capacity, checked.

    Attributes
    ----------
    scaling : Question
        The curves that it is asked of.
    demand_axis : bool
        Whether the axis counts requests in flight and not cores.
    node_axis : bool
        Whether it counts whole nodes.
    target : Target
    limit : Limit or None
    headroom : float
    survive : int
    nodes : tuple of NodePlan
    growth : Growth or None
    start : str
    currency : str
    mix : mapping of str to float
    claims : tuple of ClaimPlan
        Those about a recommended level.
    probability : float
        With which a count of nodes is to be enough.
    draws, seed : int
    """

    scaling: Question
    demand_axis: bool
    node_axis: bool
    target: Target
    limit: Limit | None
    headroom: float
    survive: int
    nodes: tuple[NodePlan, ...]
    growth: Growth | None
    start: str
    currency: str
    mix: Mapping[str, float]
    claims: tuple[ClaimPlan, ...]
    probability: float
    draws: int
    seed: int

    @property
    def study(self) -> Study:
        """The study, with its plan changed to what was asked."""
        return self.scaling.study

    @property
    def axis(self) -> str:
        """The axis that is N."""
        return self.study.scaling.concurrency

    @property
    def asked(self) -> AskedPlan:
        """The question as it was written."""
        return AskedPlan(
            target=self.target.written,
            slo=self.limit.written if self.limit else "",
            headroom=self.headroom,
            survive=self.survive,
            nodes=tuple(one.written for one in self.nodes),
            growth=self.growth.written if self.growth else "",
            start=self.start,
            currency=self.currency,
            mix=dict(self.mix),
            probability=self.probability,
            draws=self.draws,
            seed=self.seed,
        )


def ask_plan(
    study: Study,
    *,
    target: str,
    slo: str,
    headroom: str | float | None,
    survive: str | int | None,
    node: str | Sequence[str],
    growth: str,
    start: str,
    currency: str,
    mix: str | Mapping[str, float],
    probability: float,
    draws: int,
    seed: int,
    concurrency: str,
    metric: str,
    by: str | Sequence[str],
) -> PlanQuestion | Refusal:
    """Check a question of capacity.

    Raises
    ------
    SelectionError
        For an axis, column or metric that the results do not have.
    DataError
        For words that cannot be meant, and where nobody names a target.
    """
    plan = study.capacity
    wanted = target_asked(target) or plan.target
    if wanted is None:
        raise DataError(
            "no target: name the throughput to plan for, e.g. --target 50000/s, or target in [capacity] of study.toml"
        )
    scaling = ask(
        study,
        concurrency=concurrency,
        metric=metric,
        by=by,
        law="all",
        weights="auto",
        normalised=False,
        confidence_level=0.95,
        extrapolate=(),
        at=(),
        reach="",
        latency="",
        improve="",
        seconds_each=None,
        budget=0,
    )
    if isinstance(scaling, Refusal):
        return Refusal(question="capacity", reason=scaling.reason, advice=scaling.advice)
    money = currency_asked(currency) or plan.currency
    # The study's own nodes are read again where a currency is named for prices that have none.
    listed = node or [one.written for one in plan.nodes]
    nodes = nodes_asked(listed, money)
    return PlanQuestion(
        scaling=scaling,
        demand_axis=scaling.study.scaling.concurrency in DEMAND_AXES,
        node_axis=scaling.study.scaling.concurrency in NODE_AXES,
        target=wanted,
        limit=limit_asked(slo) or plan.limit,
        headroom=plan.headroom if headroom in (None, "") else headroom_asked(headroom),
        survive=plan.survive if survive in (None, "") else survive_asked(survive),
        nodes=nodes,
        growth=growth_asked(growth) or plan.growth,
        start=month_asked(start) or plan.start,
        currency=next((one.currency for one in nodes), money),
        mix=mix_asked(mix) or plan.mix,
        claims=tuple(one for one in study.claims if one.about == "recommended"),
        probability=_probability(probability),
        draws=_count(draws, "draws", _FEWEST_DRAWS, _MOST_DRAWS),
        seed=_count(seed, "seed", 0, 2**32 - 1),
    )


def _probability(found: object) -> float:
    number = isinstance(found, int | float | np.integer | np.floating) and not isinstance(found, bool | np.bool_)
    if not number or not 0.5 <= float(str(found)) < 1:
        raise DataError(f"probability {printable(str(found), 60)} is not from 0.5 to below 1; write 0.95 for 95 %")
    return float(str(found))


def _count(found: object, name: str, low: int, high: int) -> int:
    if isinstance(found, bool | np.bool_) or not isinstance(found, int | np.integer) or not low <= found <= high:
        raise DataError(f"{name} {printable(repr(found), 60)} is no whole number from {low:,} to {high:,}")
    return int(found)
