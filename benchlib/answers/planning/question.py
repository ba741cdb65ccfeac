"""What is asked of a study's capacity: what a plan is to meet, and of which curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchlib.answers.planning.wanted import AskedPlan, Wanted
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling.hygiene import DEMAND_AXES, NODE_AXES
from benchlib.answers.scaling.question import Question, ask
from benchlib.study import ClaimPlan, Study

__all__ = ["AskedPlan", "PlanQuestion", "ask_plan"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanQuestion(Wanted):
    """A question of capacity, checked.

    Attributes
    ----------
    scaling : Question
        The curves that it is asked of.
    demand_axis : bool
        Whether the axis counts requests in flight and not cores.
    node_axis : bool
        Whether it counts whole nodes.
    claims : tuple of ClaimPlan
        Those about a recommended level.
    """

    scaling: Question
    demand_axis: bool
    node_axis: bool
    claims: tuple[ClaimPlan, ...]

    @property
    def study(self) -> Study:
        """The study, with its plan changed to what was asked."""
        return self.scaling.study

    @property
    def axis(self) -> str:
        """The axis that is N."""
        return self.study.scaling.concurrency


def ask_plan(
    study: Study,
    wanted: Wanted,
    *,
    concurrency: str | None,
    metric: str | None,
    by: str | Sequence[str] | None,
) -> PlanQuestion | Refusal:
    """Ask for a plan of the curves of a study.

    Raises
    ------
    SelectionError
        For an axis, column or metric that the results do not have.
    """
    scaling = ask(
        study,
        concurrency=concurrency or "",
        metric=metric or "",
        by=by or (),
        law="all",
        weights="auto",
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
    axis = scaling.study.scaling.concurrency
    return PlanQuestion(
        **{one: getattr(wanted, one) for one in Wanted.__dataclass_fields__},
        scaling=scaling,
        demand_axis=axis in DEMAND_AXES,
        node_axis=axis in NODE_AXES,
        claims=tuple(one for one in study.claims if one.about == "recommended"),
    )
