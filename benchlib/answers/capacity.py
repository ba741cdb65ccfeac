"""How many nodes for this load, at this latency, with this headroom, at what cost, and how sure?

::

    Study -> plan_wanted, ask_plan (requirements) -> sweep_load, mixed_loads (capacity_loads)
          -> kinds_of, size, choose -> plan_load -> PlanningAnswer -> planning_document

``capacity_answer`` says less without a target: how many cores still pay, by the points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from benchlib.answers.asking import Refusal
from benchlib.answers.capacity_loads import (
    Load,
    _mixed_loads,
    _refusal,
    _sweep_load,
)
from benchlib.answers.capacity_plans import LoadPlan, NodeOption, PlanningAnswer, _plan_load
from benchlib.answers.evidence import Evidence, pool
from benchlib.answers.quality import _problem_caveats
from benchlib.answers.requirements import PlanQuestion, _ask_plan, plan_wanted
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.answers.scaling_question import _no_curve
from benchlib.answers.serialise import SCHEMA_VERSION, to_dict
from benchlib.answers.sweeps import FEWEST_LEVELS, Sweep, _find_sweeps, _known_cores, _refused_rows, _without_unit
from benchlib.capacity.draws import DRAWS
from benchlib.caveats import merge
from benchlib.errors import DataError
from benchlib.scaling.advise import Return
from benchlib.scaling.points import levels_comparable
from benchlib.statistics.estimates import Estimate
from benchlib.study import Study, open_study

#: Degrees of freedom from which on the scatter of levels around a law tells the noise of single measurements.
_ENOUGH_FREEDOM = 3
#: At most this many refusals fit one line.
_MOST_REASONS = 3


def plan_capacity(
    study: Study | str | PathLike[str],
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
    concurrency: str | None = "",
    metric: str | None = "",
    by: str | Sequence[str] | None = (),
) -> PlanningAnswer | Refusal:
    """Plan how many nodes a load takes.

    What is left empty, or is None, is taken from ``[capacity]`` of the study; the word ``"none"`` takes a condition of
    the study back.

    Parameters
    ----------
    study : Study, str or path
    target : str
        The throughput of all nodes, with its unit: ``"50000/s"``.
    slo : str
        A latency and its limit: ``"latency_p99=5ms"``, ``"latency_mean=2ms"``.
    headroom : str or float, optional
        The share of every node that stays free: ``"30%"`` or 0.3.
    survive : str or int, optional
        Nodes that may be lost.
    node : str or sequence of str
        Kinds of node that can be had: ``"cores=8,cost=0.34/h"``, several in one text with semicolons between; without
        any, the levels of the sweep.
    growth : str
        ``"4%/month"`` or ``"60%/year"``.
    start : str
        The month of the target, such as ``"2026-11"``.
    currency : str
        Of prices that name none.
    mix : str or mapping
        Operations and their parts: ``"discover=70,select=30"``.
    probability : str or float
        With which a count of nodes is to be enough.
    draws, seed : int
        How many curves are drawn, and which.
    concurrency, metric, by
        As `benchlib.fit_scaling`.

    Returns
    -------
    PlanningAnswer or Refusal
        A refusal where no curve supports a plan, or no count of nodes meets what was asked; it names the nearest
        plan there is.

    Raises
    ------
    SelectionError
        For an axis, column, metric or operation that the results do not have.
    DataError
        For words that cannot be meant.

    References
    ----------
    The draws: `benchlib.capacity.draws`. J. D. C. Little, Operations Research 9(3), 1961, 383-387.

    Examples
    --------
    >>> answer = plan_capacity("data/onix-adapter-published", target="50000/s", headroom="30%", node="cores=8")
    >>> [(plan.best.nodes, plan.best.total_cores) for plan in answer.loads]
    [(9.0, 72.0), (12.0, 96.0)]
    """
    opened = study if isinstance(study, Study) else open_study(str(study))
    wanted = plan_wanted(
        opened,
        target=target,
        slo=slo,
        headroom=headroom,
        survive=survive,
        node=node,
        growth=growth,
        start=start,
        currency=currency,
        mix=mix,
        probability=probability,
        draws=draws,
        seed=seed,
    )
    question = _ask_plan(opened, wanted, concurrency=concurrency, metric=metric, by=by)
    if isinstance(question, Refusal):
        return question
    cores = _known_cores(question.study)
    sweeps, refused = _usable(question)
    loads, more = _mixed_loads(sweeps, question, cores) if question.mix else _loads(sweeps, question, cores)
    refused = (*refused, *more)
    if not loads:
        if refused:
            return _together(refused)
        no_curve = _no_curve(question.scaling, _find_sweeps(question.study), ())
        return _refusal(no_curve.reason, no_curve.advice)
    planned, other_work = _planned(loads, question, cores)
    if not planned:
        return _together(other_work)
    unmet = [plan.unmet for plan in planned if plan.unmet is not None]
    if len(unmet) == len(planned):
        return _together(unmet)
    return PlanningAnswer(
        axis=question.axis,
        cores=cores,
        asked=question.asked,
        loads=planned,
        confidence_level=0.95,
        refusals=(*refused, *other_work),
        caveats=merge(opened.results.caveats, _problem_caveats(opened)),
    )


def _together(refused: Sequence[Refusal]) -> Refusal:
    """Join the reasons why no load has a plan into one refusal, as many as fit a line."""
    *others, last = refused[:_MOST_REASONS]
    alike = len({refusal.advice for refusal in refused[:_MOST_REASONS]}) == 1
    reasons = [other.reason if alike else f"{other.reason}; {other.advice}" for other in others]
    more = f" (and {len(refused) - _MOST_REASONS} more loads)" if len(refused) > _MOST_REASONS else ""
    return replace(last, reason="; ".join([*reasons, f"{last.reason}{more}"]))


def _planned(
    loads: Sequence[Load], question: PlanQuestion, cores: int | None
) -> tuple[tuple[LoadPlan, ...], tuple[Refusal, ...]]:
    """Plan each load; refuse by name a load that counts other work than the target."""
    plans, refused = [], []
    for load in loads:
        try:
            plans.append(_plan_load(load, question, cores))
        except DataError as error:
            advice = "name the target in the unit of that curve"
            refused.append(_refusal(f"{load.name}: {error}", advice))
    return tuple(plans), tuple(refused)


def _usable(question: PlanQuestion) -> tuple[tuple[Sweep, ...], tuple[Refusal, ...]]:
    """Return the sweeps that make curves, and why the others do not."""
    usable, refused = [], []
    for sweep in _find_sweeps(question.study, question.scaling.metric):
        fewest = 2 if sweep.named or question.scaling.axis_named else FEWEST_LEVELS
        wrong = _refused_rows(sweep, question.axis) or _without_unit(sweep, question.study)
        if wrong is not None:
            advice = wrong.advice[:1].lower() + wrong.advice[1:].removesuffix(".")
            refused.append(_refusal(f"{sweep.name}: {wrong.message}", advice))
        elif sweep.levels >= fewest:
            usable.append(sweep)
    return tuple(usable), tuple(refused)


def _loads(
    sweeps: Sequence[Sweep], question: PlanQuestion, cores: int | None
) -> tuple[tuple[Load, ...], tuple[Refusal, ...]]:
    loads, refused = [], []
    for at, sweep in enumerate(sweeps):
        try:
            loads.append(_sweep_load(sweep, question, cores, at=at))
        except DataError as error:
            advice = "measure what the message names, then plan"
            refused.append(_refusal(f"{sweep.name}: {error}", advice))
    return tuple(loads), tuple(refused)


# A capacity plan as plain data: the JSON of ``benchlib capacity``, and the same as rows of a table.


def planning_document(answer: PlanningAnswer) -> dict[str, Any]:
    """Return a plan as data that JSON can hold; a number that is not finite is null."""
    return {"schema": SCHEMA_VERSION, **to_dict(answer)}


def planning_rows(answer: PlanningAnswer) -> Iterator[dict[str, Any]]:
    """Yield every number of a plan as a row, with what was asked: of a kind of node, a load, added cores, the plan."""
    asked = answer.asked
    conditions = {
        "target": asked.target,
        "slo": asked.slo,
        "headroom": asked.headroom,
        "survive": asked.survive,
        "growth": asked.growth,
        "mix": ",".join(f"{name}={share:g}" for name, share in asked.mix.items()),
        "enough_with": asked.probability,
        "currency": asked.currency,
    }
    for plan in answer.loads:
        place = {"plan": plan.name, **conditions}
        for at, option in enumerate(plan.options):
            here = {**place, "node": option.concurrency, "chosen": at == plan.chosen}
            yield from _option_rows(here, option, money=f"{asked.currency}/h")
        for point in plan.demand:
            for share, nodes in point.nodes_at.items():
                yield {
                    **place,
                    "load": point.load,
                    "quantity": "nodes_for_load",
                    "value": nodes,
                    "probability": share,
                    "unit": "",
                }
        for step in plan.returns:
            there = {**place, "node": step.after}
            yield {**there, "quantity": "throughput_per_core", **_ends(step.per_core)}
            yield {**there, "quantity": "throughput_per_added_core", **_ends(step.per_added_core)}
        yield from _plan_rows(place, plan)


def _option_rows(here: dict[str, Any], option: NodeOption, *, money: str) -> Iterator[dict[str, Any]]:
    for share, nodes in option.nodes_at.items():
        yield {**here, "quantity": "nodes", "value": nodes, "probability": share, "unit": ""}
    yield {**here, "quantity": "probability", "value": option.probability, "unit": "ratio"}
    if option.within_limit is not None:
        yield {**here, "quantity": "highest_level_within_limit", "value": option.within_limit, "unit": ""}
    yield {**here, "quantity": "total_cores", "value": option.total_cores, "unit": "core"}
    yield {**here, "quantity": "cost_by_hour", "value": option.cost, "unit": money}
    estimates = {
        "throughput_of_a_node": option.each,
        "throughput_of_nodes_left": option.delivered,
        "requests_in_flight": option.flying,
        "latency_mean": option.mean_latency,
        "latency_limited": option.limited_latency,
        "load_at_which_limit_breaks": option.breaks_at,
        "headroom": option.headroom,
    }
    for name, estimate in estimates.items():
        if estimate is not None:
            yield {**here, "quantity": name, **_ends(estimate)}


def _plan_rows(place: dict[str, Any], plan: LoadPlan) -> Iterator[dict[str, Any]]:
    for name, nodes in plan.spent.items():
        yield {**place, "quantity": f"nodes_for_{name.replace(' ', '_')}", "value": nodes, "unit": ""}
    for law in plan.laws:
        yield {**place, "law": law.law, "quantity": "nodes_by_law", "value": law.nodes, "probability": law.weight}
    if plan.used_up is not None:
        yield {**place, "quantity": "month_headroom_used_up", **_ends(plan.used_up.month)}


def _ends(estimate: Estimate) -> dict[str, Any]:
    return {name: getattr(estimate, name) for name in ("value", "low", "high", "unit", "n")}


# How many cores are worth having? From the points and from the fitted law, never beyond the data.


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveCapacity:
    """The recommendation that one curve supports.

    Attributes
    ----------
    name, axis : str
    returns : Return
        By points and by law; see `benchlib.scaling.advise.best_return`.
    efficiency : float
        At the recommended level.
    comparable : bool
        False where an efficiency over 100 % puts in doubt that the levels were measured alike.
    advised : bool
        Whether the level is advice. Not where levels are not comparable; nor where the smallest wins, whose
        balance is 1 whatever was measured; nor where nothing tells the noise, as single measurements that no law has
        levels left over for, and the cores are not known.
    speedup : float
        At the recommended level.
    evidence : Evidence
    """

    name: str
    axis: str
    returns: Return
    efficiency: float
    comparable: bool
    advised: bool
    speedup: float
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityAnswer:
    """Recommended levels, a curve each.

    Attributes
    ----------
    axis : str
    curves : tuple of CurveCapacity
    agree : bool
        Whether all curves recommend the same level.
    """

    axis: str
    curves: tuple[CurveCapacity, ...]
    agree: bool


def capacity_answer(scaling: ScalingAnswer | Refusal) -> CapacityAnswer | Refusal:
    """Recommend a level of concurrency from the scaling answer.

    Parameters
    ----------
    scaling : ScalingAnswer or Refusal

    Returns
    -------
    CapacityAnswer or Refusal

    References
    ----------
    Eager, Zahorjan and Lazowska (1989), IEEE Trans. Comput. 38, 408-423.

    Examples
    --------
    >>> from benchlib.answers.scaling import fit_scaling
    >>> from benchlib.study import open_study
    >>> scaling = fit_scaling(open_study("data/onix-adapter-published"))
    >>> [curve.returns.added_core_best for curve in capacity_answer(scaling).curves]
    [(2.0, 4.0), (2.0, 4.0)]
    """
    if isinstance(scaling, Refusal):
        return _refusal(scaling.reason, scaling.advice)
    curves = tuple(_curve(curve) for curve in scaling.curves)
    return CapacityAnswer(
        axis=scaling.axis,
        curves=curves,
        agree=len({curve.returns.recommended for curve in curves}) == 1,
    )


def _curve(curve: CurveAnswer) -> CurveCapacity:
    level = curve.returns.recommended
    point = next(point for point in curve.points if point.concurrency == level)
    comparable = levels_comparable(curve.curve, level)
    # What levels scatter around a law by tells the noise too, where enough of them are left over.
    scattered = curve.chosen is not None and curve.chosen.degrees_of_freedom >= _ENOUGH_FREEDOM
    grounded = curve.returns.cores is not None or scattered or any(point.n > 1 for point in curve.points)
    return CurveCapacity(
        name=curve.name,
        axis=curve.axis,
        returns=curve.returns,
        efficiency=point.efficiency,
        comparable=comparable,
        advised=comparable and grounded and level > curve.points[0].concurrency,
        speedup=point.speedup,
        evidence=pool(curve.evidence.values(), f"largest X²/N among the measured levels: {curve.returns.rule}"),
    )
