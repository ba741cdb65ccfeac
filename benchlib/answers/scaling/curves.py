"""From the rows of one sweep to its answer: points, laws, choice, back-test, split, advice."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from benchlib.answers.evidence import Measured
from benchlib.answers.grouping import cell_rows
from benchlib.answers.scaling.answer import CurveAnswer
from benchlib.answers.scaling.hygiene import DEMAND_AXES, row_caveats
from benchlib.answers.scaling.question import DERIVED, Question, measuring_template
from benchlib.answers.scaling.readings import curve_readings
from benchlib.answers.sweeps import FEWEST_LEVELS, Sweep
from benchlib.caveats import merge
from benchlib.errors import DataError, choices
from benchlib.scaling.advise import Advice, best_return, next_measurements
from benchlib.scaling.advise import command as command_for
from benchlib.scaling.choose import BackTest, back_test, choose_law
from benchlib.scaling.curve import ScalingCurve, build_curve, levels_text
from benchlib.scaling.fit import ScalingFit, fit_law
from benchlib.scaling.laws import LAWS
from benchlib.scaling.points import describe_shape, measure_points, serial_trend
from benchlib.scaling.predict import AveragedBand, average_bands, split_time
from benchlib.scaling.solver import ENOUGH_REPLICATES
from benchlib.statistics.samples import ratio_of_few

__all__ = ["answer_curve", "curve_weights", "sweep_curve"]

#: What is asked to be known better where nobody says: the first of these that the chosen law has.
_IMPROVED = ("peak", "ceiling", "knee", "contention", "serial_fraction", "rate_at_one")
#: More ways to spend the same budget than this are no advice.
_MOST_ADVICE = 3


def answer_curve(sweep: Sweep, question: Question, cores: int | None) -> CurveAnswer:
    """Answer what is asked of one sweep.

    Raises
    ------
    DataError
        Where its values make no curve.
    """
    axis, rows, level = question.study.scaling.concurrency, sweep.rows, question.confidence_level
    measured = Measured.of(rows)
    curve, formula = sweep_curve(sweep, axis)
    weights = curve_weights(curve, question.weights)
    fits, refused = _fits(curve, question, weights)
    shape = describe_shape(curve, cores=cores)
    choice = choose_law(fits, shape=shape.kind) if fits and _tells(curve, question) else None
    chosen = next((fit for fit in fits if choice and fit.law == choice.law), None)
    points = measure_points(curve, confidence_level=level)
    methods = {one.concurrency: one.throughput.method.removeprefix("median") for one in points}
    demand = axis in DEMAND_AXES
    advice, commands = _advice(curve, chosen, question, None if demand else cores, sweep.key)
    unadvised = _unadvised(chosen, question)
    return CurveAnswer(
        name=sweep.name,
        key=sweep.key,
        metric=sweep.metric,
        axis=axis,
        curve=curve,
        points=points,
        growth=ratio_of_few(curve.replicates[0], curve.replicates[-1], level),
        best_growth=ratio_of_few(
            curve.replicates[0], curve.replicates[list(curve.concurrency).index(shape.best_level)], level
        ),
        serial_trend=serial_trend(curve, confidence_level=level),
        fits=fits,
        refused_fits=(*refused, *unadvised) if fits else refused,
        choice=choice,
        back_tests=_back_tests(curve, fits, question, weights),
        split=split_time(chosen, curve.concurrency) if chosen else (),
        readings=curve_readings(chosen, question),
        averaged=_averaged(fits, question),
        advice=advice,
        commands=commands,
        shape=shape,
        returns=best_return(curve, chosen, cores=None if demand else cores),
        evidence={
            at: measured.gather(places, f"{formula}{methods[at]}")
            for key, places in cell_rows(rows, [axis])
            for at in [float(key[axis])]
        },
        caveats=merge(
            (one for one in shape.caveats if not (demand and one.code == "oversubscribed")),
            choice.caveats if choice else (),
            chosen.caveats if chosen else (),
            row_caveats(sweep, axis),
        ),
    )


def sweep_curve(sweep: Sweep, axis: str) -> tuple[ScalingCurve, str]:
    """Return throughput against concurrency from the rows of a sweep, and in words how it follows from them.

    Raises
    ------
    DataError
        Where the values make no curve.
    """
    rows = sweep.rows
    unit = str(rows["unit"].iloc[0])
    numerator, _, denominator = unit.partition("/")
    values, formula = rows["value"].to_numpy(dtype=float), f"median {sweep.metric}"
    if numerator == "sec":
        values, unit, formula = 1.0 / values, f"{denominator}/{numerator}", f"one over the median {sweep.metric}"
    return build_curve(rows[axis].to_numpy(dtype=float), values, unit=unit), formula


def curve_weights(curve: ScalingCurve, weights: str) -> str:
    """Return the weights that ``auto`` stands for on a curve, and any others as they are.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> curve_weights(build_curve([1, 2], [10.0, 19.0], unit="op/sec"), "auto")
    'relative'
    """
    if weights != "auto":
        return weights
    return "replicates" if min(curve.counts) >= ENOUGH_REPLICATES else "relative"


def _fits(curve: ScalingCurve, question: Question, weights: str) -> tuple[tuple[ScalingFit, ...], tuple[str, ...]]:
    fits, refused = [], []
    levels = len(curve.concurrency)
    beyond = [one for one in question.laws if question.all_laws and LAWS[one].minimum_levels > levels]
    for one in question.laws:
        if one in beyond:
            continue
        try:
            fits.append(
                fit_law(
                    curve,
                    one,
                    weights=weights,
                    confidence_level=question.confidence_level,
                    weak=question.study.scaling.weak,
                )
            )
        except DataError as error:
            refused.append(str(error))
    if beyond:
        needs = [f"{one} needs {LAWS[one].minimum_levels}" for one in beyond]
        refused.append(f"{', '.join(needs)} distinct concurrencies, got {levels} ({levels_text(curve.concurrency)})")
    # What no law can do is said once.
    return tuple(fits), tuple(dict.fromkeys(refused))


def _back_tests(
    curve: ScalingCurve, fits: Sequence[ScalingFit], question: Question, weights: str
) -> tuple[BackTest, ...]:
    return tuple(
        back_test(
            curve,
            fit.law,
            weights=weights,
            confidence_level=question.confidence_level,
            weak=question.study.scaling.weak,
        )
        for fit in fits
    )


def _tells(curve: ScalingCurve, question: Question) -> bool:
    """Two levels lie on a straight line whatever the law: only a law that was named is chosen then."""
    return len(curve.concurrency) >= FEWEST_LEVELS or not question.all_laws


def _averaged(fits: Sequence[ScalingFit], question: Question) -> AveragedBand | None:
    if not (fits and question.extrapolate):
        return None
    return average_bands(fits, question.extrapolate, extrapolate=True)


def _advice(
    curve: ScalingCurve,
    chosen: ScalingFit | None,
    question: Question,
    cores: int | None,
    levels: Mapping[str, Any],
) -> tuple[tuple[Advice, ...], tuple[str, ...]]:
    """Say what to measure next to know a quantity of the chosen law better."""
    if chosen is None or not question.budget:
        return (), ()
    known = _finite(chosen)
    quantity = question.improve or next((one for one in _IMPROVED if one in known), "")
    if quantity not in known:
        return (), ()  # the law of this curve does not have it, or has it at a bound
    found = next_measurements(
        curve,
        chosen,
        quantity,
        seconds_each=question.seconds_each,
        budget=question.budget,
        confidence_level=question.confidence_level,
        limit=cores,
    )[:_MOST_ADVICE]
    axis = question.study.scaling.concurrency
    template = measuring_template(question.study.commands, axis)
    return found, tuple(command_for(one, axis, template, levels) for one in found)


def _unadvised(chosen: ScalingFit | None, question: Question) -> tuple[str, ...]:
    """Say why there is no advice for the quantity that was asked for by name."""
    name = question.improve
    if not (name and question.budget):
        return ()
    told = f"no advice for the {name.replace('_', ' ')}"
    if chosen is None:
        return (f"{told}: no law was chosen for this curve",)
    known = _finite(chosen)
    if name in known:
        return ()
    title = LAWS[chosen.law].title
    has = name in chosen.parameters or (name in DERIVED and getattr(chosen, name) is not None)
    why = f"{title} has it at its bound or without end here" if has else f"{title} has no such quantity"
    return (f"{told}: {why}; it has {choices(known)}",)


def _finite(fit: ScalingFit) -> list[str]:
    """Return the quantities of a fit that have a value which more measurements can narrow."""
    derived = {name: getattr(fit, name) for name in DERIVED}
    estimates = {**fit.parameters, **{name: one for name, one in derived.items() if one is not None}}
    return [name for name, one in estimates.items() if math.isfinite(one.value) and name not in fit.on_bound]
