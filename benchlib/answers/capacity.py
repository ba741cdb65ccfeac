"""How many nodes for this load, at this latency, with this headroom, at what cost, and how sure?

::

    Study -> plan_wanted, ask_plan (requirements) -> sweep_load, mixed_loads (capacity_loads)
          -> kinds_of, size, choose -> plan_load -> PlanningAnswer -> planning_document
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from benchlib.answers.asking import Refusal
from benchlib.answers.capacity_loads import (
    Load,
    _mixed_loads,
    _refusal,
    _sweep_load,
)
from benchlib.answers.capacity_plans import LoadPlan, PlanningAnswer, _plan_load
from benchlib.answers.quality import _problem_caveats
from benchlib.answers.requirements import PlanQuestion, _ask_plan, plan_wanted
from benchlib.answers.scaling_question import _no_curve
from benchlib.answers.serialise import SCHEMA_VERSION, to_dict
from benchlib.answers.sweeps import FEWEST_LEVELS, Sweep, _find_sweeps, _known_cores, _refused_rows, _without_unit
from benchlib.capacity.draws import DRAWS
from benchlib.caveats import merge
from benchlib.errors import DataError
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
    >>> [(plan.best.nodes, plan.best.cores) for plan in answer.loads]
    [(8.0, 8), (11.0, 8)]
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


# A capacity plan as plain data: the JSON of ``benchlib capacity``.


def planning_document(answer: PlanningAnswer) -> dict[str, Any]:
    """Return a plan as data that JSON can hold; a number that is not finite is null."""
    return {"schema": SCHEMA_VERSION, **to_dict(answer)}
