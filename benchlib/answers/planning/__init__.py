"""How many nodes for this load, at this latency, with this headroom, at what cost, and how sure?

::

    Study -> plan_wanted, ask_plan (wanted, question) -> sweep_load, mixed_loads (loads, latencies, mixes)
          -> kinds_of, size, choose (options)
          -> plan_load (plans) -> PlanningAnswer -> planning_document (plain), exported_plan (exported)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike

from benchlib.answers.planning.answer import LoadPlan, NodeOption, PlanningAnswer
from benchlib.answers.planning.loads import Load, sweep_load
from benchlib.answers.planning.mixes import mixed_loads
from benchlib.answers.planning.plans import plan_load
from benchlib.answers.planning.question import PlanQuestion, ask_plan
from benchlib.answers.planning.wanted import plan_wanted
from benchlib.answers.quality import problem_caveats
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling.hygiene import known_cores
from benchlib.answers.scaling.refusals import no_curve, refused_rows, without_unit
from benchlib.answers.sweeps import FEWEST_LEVELS, Sweep, find_sweeps
from benchlib.capacity.draws import DRAWS
from benchlib.caveats import merge
from benchlib.errors import DataError
from benchlib.study import Study, open_study

__all__ = ["LoadPlan", "NodeOption", "PlanningAnswer", "plan_capacity"]

#: Refusals that one line tells.
_TOLD = 3


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
    >>> [(one.best.nodes, one.best.total_cores) for one in answer.loads]
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
    question = ask_plan(opened, wanted, concurrency=concurrency, metric=metric, by=by)
    if isinstance(question, Refusal):
        return question
    cores = known_cores(question.study)
    sweeps, refused = _usable(question)
    loads, more = mixed_loads(sweeps, question, cores) if question.mix else _loads(sweeps, question, cores)
    refused = (*refused, *more)
    if not loads:
        if refused:
            return _together(refused)
        found = no_curve(question.scaling, find_sweeps(question.study), ())
        return Refusal(question="capacity", reason=found.reason, advice=found.advice)
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
        caveats=merge(opened.results.caveats, problem_caveats(opened)),
    )


def _together(refused: Sequence[Refusal]) -> Refusal:
    """Return why no load has a plan as one refusal: of each load, as far as a line can hold them."""
    *others, last = refused[:_TOLD]
    alike = len({one.advice for one in refused[:_TOLD]}) == 1
    reasons = [one.reason if alike else f"{one.reason}; {one.advice}" for one in others]
    more = f" (and {len(refused) - _TOLD} more loads)" if len(refused) > _TOLD else ""
    return replace(last, reason="; ".join([*reasons, f"{last.reason}{more}"]))


def _planned(
    loads: Sequence[Load], question: PlanQuestion, cores: int | None
) -> tuple[tuple[LoadPlan, ...], tuple[Refusal, ...]]:
    """Plan each load; one that counts other work than the target is refused by name."""
    found, refused = [], []
    for one in loads:
        try:
            found.append(plan_load(one, question, cores))
        except DataError as error:
            advice = "name the target in the unit of that curve"
            refused.append(Refusal(question="capacity", reason=f"{one.name}: {error}", advice=advice))
    return tuple(found), tuple(refused)


def _usable(question: PlanQuestion) -> tuple[tuple[Sweep, ...], tuple[Refusal, ...]]:
    """Return the sweeps that make curves, and why the others do not."""
    found, refused = [], []
    for sweep in find_sweeps(question.study, question.scaling.metric):
        fewest = 2 if sweep.named or question.scaling.axis_named else FEWEST_LEVELS
        wrong = refused_rows(sweep, question.axis) or without_unit(sweep, question.study)
        if wrong is not None:
            advice = wrong.advice[:1].lower() + wrong.advice[1:].removesuffix(".")
            refused.append(Refusal(question="capacity", reason=f"{sweep.name}: {wrong.message}", advice=advice))
        elif sweep.levels >= fewest:
            found.append(sweep)
    return tuple(found), tuple(refused)


def _loads(
    sweeps: Sequence[Sweep], question: PlanQuestion, cores: int | None
) -> tuple[tuple[Load, ...], tuple[Refusal, ...]]:
    found, refused = [], []
    for at, sweep in enumerate(sweeps):
        try:
            found.append(sweep_load(sweep, question, cores, at=at))
        except DataError as error:
            advice = "measure what the message names, then plan"
            refused.append(Refusal(question="capacity", reason=f"{sweep.name}: {error}", advice=advice))
    return tuple(found), tuple(refused)
