"""How many nodes for a load, in hand: the plan, why, and what other conditions would take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchlib.answers.asking import Refusal as _Refusal
from benchlib.workbench.answer import Answer, Refusal
from benchlib.workbench.data import Source, read
from benchlib.workbench.scaling import Fit, Fits

if TYPE_CHECKING:
    import pandas as pd

    from benchlib.answers.capacity_plans import LoadPlan, PlanningAnswer
    from benchlib.document.blocks import Document
    from benchlib.study import Study

__all__ = ["Plan", "plan_capacity"]


def plan_capacity(
    source: Source | Fit | Fits,
    target: float | str = "",
    *,
    slo: str = "",
    headroom: float | str | None = None,
    survive: int | None = None,
    nodes: str | Sequence[str] = (),
    growth: str = "",
    mix: str | Mapping[str, float] = "",
    where: str = "",
    probability: float = 0.95,
) -> Plan | Refusal:
    """Say how many nodes a load takes, and how sure that is.

    Parameters
    ----------
    source : anything `benchlib.read` takes, or a fit
    target : float or str
        Throughput to deliver: ``"50000/s"``; a number is in the unit of the curve. By default the study's own.
    slo : str
        A latency and its limit: ``"p99<5ms"``.
    headroom : float or str, optional
        The share that shall stay free.
    survive : int, optional
        How many nodes may fail.
    nodes : str or sequence of str
        Kinds of node with their prices: ``"8 cores at 0.34/h"``.
    growth : str
        Of the load: ``"5%/month"``.
    mix : str or mapping of str to float
        Shares of several operations.
    where : str
        Keep only the rows that meet this condition.
    probability : float
        With which the nodes are to be enough.

    Returns
    -------
    Plan or Refusal

    Examples
    --------
    >>> import benchlib as bl
    >>> plan = bl.plan_capacity("data/http-endpoints", "250000/s", where="endpoint=json")
    >>> plan.table.loc[plan.table["chosen"], "nodes"].item() > 1
    True
    """
    if isinstance(source, Fit | Fits):  # planned along the axis, and of the metric, that were fitted
        study, fitted = source._study, {name: source._asked[name] for name in ("concurrency", "metric", "by")}
    else:
        study, fitted = read(source, where=where).study, {}
    asked = {
        **fitted,
        "target": f"{target:g}/s" if isinstance(target, int | float) else target,
        "slo": slo,
        "headroom": headroom,
        "survive": survive,
        "node": nodes,
        "growth": growth,
        "mix": mix,
        "probability": probability,
    }
    return _planned(study, asked)


def _planned(study: Study, asked: Mapping[str, Any]) -> Plan | Refusal:
    from benchlib.answers.capacity import plan_capacity as answer_of

    answer = answer_of(study, **asked)
    return Refusal(answer) if isinstance(answer, _Refusal) else Plan(study, answer, asked)


class Plan(Answer):
    """How many nodes of which kind a load takes."""

    answer: PlanningAnswer

    def __init__(self, study: Study, answer: PlanningAnswer, asked: Mapping[str, Any]) -> None:
        super().__init__(study, answer)
        self._asked = asked

    @property
    def table(self) -> pd.DataFrame:
        """One row a kind of node under each load: nodes with their range, cost, and which is chosen."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "load": load.name,
                    "node": option.written or f"{option.concurrency:g} {self.answer.axis}",
                    "nodes": option.nodes,
                    "in 50%": option.nodes_at.get(0.5, float("nan")),
                    "in 95%": option.nodes_at.get(0.95, float("nan")),
                    "probability": option.probability,
                    "monthly cost": option.monthly_cost,
                    "chosen": place == load.chosen,
                }
                for load in self.answer.loads
                for place, option in enumerate(load.options)
            ]
        )

    @property
    def cost(self) -> pd.DataFrame:
        """The chosen kinds alone."""
        rows = self.table
        return rows[rows["chosen"]].reset_index(drop=True)

    @property
    def growth(self) -> pd.DataFrame:
        """When the nodes are used up as the load grows; empty without growth."""
        import pandas as pd

        used = [(load.name, load.used_up) for load in self.answer.loads if load.used_up is not None]
        return pd.DataFrame([{"load": name, "growth": up.growth, "months": up.month.value} for name, up in used])

    @property
    def why(self) -> str:
        """By what the kinds were ranked, and what adds most nodes."""
        return "; ".join(f"{load.name}: ranked by {load.rule}{_bound(load)}" for load in self.answer.loads)

    def what_if(self, **conditions: Any) -> Plan | Refusal:
        """Return the plan under other conditions: ``plan.what_if(target="500000/s", headroom=0.3)``."""
        if isinstance(conditions.get("target"), int | float):
            conditions["target"] = f"{conditions['target']:g}/s"
        if "nodes" in conditions:
            conditions["node"] = conditions.pop("nodes")
        return _planned(self._study, {**self._asked, **conditions})

    def sliders(self) -> Any:
        """Show the plan with sliders for target, headroom and nodes that may fail."""
        from benchlib.workbench.sliders import of_plan

        return of_plan(self)

    def _told(self) -> Document:
        from benchlib.tell import capacity

        return capacity.document(self.answer, self._study)


def _bound(load: LoadPlan) -> str:
    """Name the condition that adds most nodes; nothing where none adds any."""
    most = max(load.spent, key=load.spent.__getitem__, default="")
    return f", bound by {most}" if most and load.spent[most] > 0 else ""
