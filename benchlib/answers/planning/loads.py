"""From the rows of a sweep to the draws that a plan is computed from: throughput, and the latency that has a limit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchlib.answers.evidence import Evidence, gather
from benchlib.answers.planning.latencies import LimitedLatency, limited_latency
from benchlib.answers.planning.measured import MeasuredLevel, measured_levels
from benchlib.answers.planning.question import PlanQuestion
from benchlib.answers.planning.recording import REPETITIONS
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling.curves import curve_weights, sweep_curve
from benchlib.answers.scaling.hygiene import row_caveats
from benchlib.answers.scaling.question import measuring_template
from benchlib.answers.sweeps import Sweep
from benchlib.capacity.draws import CurveDraws, draw_laws, draw_points
from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import DataError
from benchlib.scaling.advise import Return, best_return, measuring_command
from benchlib.scaling.curve import ScalingCurve, levels_text, up_to
from benchlib.scaling.fit import ScalingFit, fit_law
from benchlib.scaling.laws import FloatArray, offered_laws
from benchlib.scaling.points import check_curve
from benchlib.scaling.predict import EXTRAPOLATION_LIMIT, likelihood_weights

__all__ = ["Load", "measure_at", "sweep_load"]

#: A plan holds its draws at no more places than about this many, whole numbers all of them where they are few.
_PLACES = 24
#: Nodes that are swept are counted one by one up to so many.
_MOST_NODES = 256


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Load:
    """One kind of work, and what a machine does of it.

    Attributes
    ----------
    name : str
    key : mapping
    curve : ScalingCurve
        Of the levels that count.
    drawn : CurveDraws
    limited : LimitedLatency or None
        None where no limit was asked for, or none can be held against these data.
    returns : Return
    measured : tuple of MeasuredLevel
    up_to : float
        The largest concurrency that the draws speak of.
    refusals : tuple of Refusal
    caveats : tuple of Caveat
    evidence : Evidence
    """

    name: str
    key: Mapping[str, Any]
    curve: ScalingCurve
    drawn: CurveDraws
    limited: LimitedLatency | None
    returns: Return
    measured: tuple[MeasuredLevel, ...]
    up_to: float
    refusals: tuple[Refusal, ...]
    caveats: tuple[Caveat, ...]
    evidence: Evidence


def sweep_load(sweep: Sweep, question: PlanQuestion, cores: int | None, *, at: int = 0) -> Load:
    """Draw the curves that one sweep allows.

    Levels beyond the cores of the machine are left out where the axis counts cores: they say nothing of more cores.
    The laws answer where the likeliest of them holds the points, else the points between their levels.

    Parameters
    ----------
    sweep : Sweep
    question : PlanQuestion
    cores : int or None
    at : int
        Which of several sweeps it is: each is drawn by itself.

    Raises
    ------
    DataError
        Where its values make no curve, or tell no noise.
    """
    whole, formula = sweep_curve(sweep, question.axis)
    limit = None if question.demand_axis or question.node_axis else cores
    curve, refusals, left_out = _within_cores(whole, sweep, question, limit)
    fits = _fits(curve, question)
    explained = bool(fits) and not max(fits, key=lambda one: likelihood_weights(fits)[one.law]).misses_points
    most = float(curve.concurrency[-1])
    furthest = most if question.demand_axis or not explained else EXTRAPOLATION_LIMIT * most
    first = 1.0 if explained else float(curve.concurrency[0])
    places = _places(curve, first, furthest, question)
    seed = question.seed + at
    found: list[Caveat] = []
    if explained:
        drawn = draw_laws(fits, places, draws=question.draws, seed=seed)
    else:
        drawn = draw_points(curve, places, draws=question.draws, seed=seed)
        found.append(caveat("points-not-laws", _why_points(curve, fits)))
        if not question.demand_axis:
            refusals = (*refusals, _refused_beyond(sweep, question, curve))
    limited, refused = limited_latency(sweep, question, drawn)
    where = "within the cores" if left_out else ""  # the page tells of the other levels too
    rows = sweep.rows[sweep.rows[question.axis].astype(float) <= most]
    return Load(
        name=sweep.name,
        key=sweep.key,
        curve=curve,
        drawn=drawn,
        limited=limited,
        returns=best_return(curve, cores=limit),
        measured=measured_levels(sweep, question, curve),
        up_to=furthest,
        refusals=(*refusals, *refused),
        caveats=merge(
            left_out,
            found,
            _lost(sweep, question, curve),
            (one for one in check_curve(curve, where=where) if one.code != "no-level-one"),
            row_caveats(sweep, question.axis),
        ),
        evidence=gather(rows, f"{formula}; {_method(drawn, question)}", by=question.axis),
    )


def measure_at(question: PlanQuestion, concurrency: float, key: Mapping[str, Any]) -> str:
    """Return the command that measures at a concurrency, or the words that say so."""
    template = measuring_template(question.study.commands, question.axis)
    return measuring_command(round(concurrency), REPETITIONS, question.axis, template, key)


def _method(drawn: CurveDraws, question: PlanQuestion) -> str:
    weights = ", ".join(f"{law} {weight:.2g}" for law, weight in drawn.weights.items())
    return f"{question.draws:,} joint draws (seed {question.seed}) over {weights}"


def _within_cores(
    whole: ScalingCurve, sweep: Sweep, question: PlanQuestion, cores: int | None
) -> tuple[ScalingCurve, tuple[Refusal, ...], tuple[Caveat, ...]]:
    beyond = [] if cores is None else [float(n) for n in whole.concurrency if n > cores]
    if cores is None or not beyond:
        return whole, (), ()
    told = f"{question.axis} {levels_text(beyond)} exceed{'s' if len(beyond) == 1 else ''} the {cores} cores measured"
    refusal = Refusal(
        question="capacity",
        reason=f"what {levels_text(beyond)} cores deliver is not in this sweep: {told}",
        advice=f"on a machine with {beyond[-1]:g} cores: {measure_at(question, beyond[-1], sweep.key)}",
    )
    kept = [float(n) for n in whole.concurrency if n <= cores]
    if len(kept) < 2:
        raise DataError(f"{told}, and {len(kept)} level is left; measure at 3 levels or more up to {cores}")
    return (
        up_to(whole, cores),
        (refusal,),
        (caveat("levels-left-out", f"{told}: the plan rests on {question.axis} {levels_text(kept)}"),),
    )


def _lost(sweep: Sweep, question: PlanQuestion, curve: ScalingCurve) -> Iterable[Caveat]:
    """Say which levels are missing because every run there failed."""
    failed = {float(n) for n in sweep.failed[question.axis].unique()} - {float(n) for n in curve.concurrency}
    if failed:
        told = f"every run at {question.axis} {levels_text(sorted(failed))} rests on failed operations"
        yield caveat("levels-failed", f"{told}: the plan rests on {question.axis} {levels_text(curve.concurrency)}")


def _fits(curve: ScalingCurve, question: PlanQuestion) -> Sequence[ScalingFit]:
    """Fit every law that the levels carry; two levels lie on a line whatever the law, so that none is fitted."""
    if len(curve.concurrency) < 3:
        return ()
    weak = question.study.scaling.weak
    weights = curve_weights(curve, question.scaling.weights)
    return tuple(
        fit_law(curve, law, weights=weights, weak=weak, derived=False)
        for law in offered_laws(len(curve.concurrency), weak=weak)
    )


def _places(curve: ScalingCurve, first: float, last: float, question: PlanQuestion) -> FloatArray:
    """Return the concurrencies to draw at: the levels, the nodes asked for, and enough between them."""
    most = _MOST_NODES if question.node_axis else _PLACES
    between = np.arange(np.ceil(first), last + 1) if last <= most else np.round(np.geomspace(first, last, most))
    sizes = () if question.node_axis else [one.cores for one in question.nodes]
    asked = [one for one in sizes if first <= one <= last]
    every = np.concatenate([[first, last], curve.concurrency, between, asked])
    return np.unique(every[(every >= first) & (every <= last)])


def _why_points(curve: ScalingCurve, fits: Sequence[ScalingFit]) -> str:
    if not fits:
        return f"{len(curve.concurrency)} levels cannot tell one law from another: the plan reads between them"
    return "no law holds the points (the likeliest misses them by more than they scatter): the plan reads between them"


def _refused_beyond(sweep: Sweep, question: PlanQuestion, curve: ScalingCurve) -> Refusal:
    most = float(curve.concurrency[-1])
    return Refusal(
        question="capacity",
        reason=f"beyond {question.axis} {most:g} nothing is said: no law explains the levels up to it",
        advice=f"{measure_at(question, 2 * most, sweep.key)}",
    )
