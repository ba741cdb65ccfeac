"""How does throughput grow with concurrency, which law says so, and where does it stop?

::

    Study -> ask (scaling_question) -> find_sweeps -> answer_curve -> ScalingAnswer -> scaling_document
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from benchlib.answers.asking import Refusal
from benchlib.answers.bottleneck import BottleneckAnswer
from benchlib.answers.evidence import Evidence, Measured, pool
from benchlib.answers.grouping import cell_rows, name_caveats
from benchlib.answers.quality import _problem_caveats
from benchlib.answers.scaling_question import (
    _DERIVED,
    Question,
    _ask,
    _latency_in,
    _measuring_template,
    _no_curve,
    _throughput_in,
)
from benchlib.answers.serialise import SCHEMA_VERSION, finite, to_dict
from benchlib.answers.sweeps import (
    FEWEST_LEVELS,
    Elsewhere,
    Sweep,
    _as_rates,
    _counts_demand,
    _elsewhere,
    _find_sweeps,
    _known_cores,
    _refused_rows,
    _row_caveats,
    _too_few_levels,
)
from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import DataError, choices
from benchlib.progress import Steps
from benchlib.scaling.advise import Advice, Return, best_return, measuring_command, next_measurements
from benchlib.scaling.choose import Choice, choose_law
from benchlib.scaling.curve import ScalingCurve, build_curve, levels_text
from benchlib.scaling.fit import ScalingFit, fit_law
from benchlib.scaling.intervals import ParameterComparison, compare_parameter
from benchlib.scaling.laws import LAWS
from benchlib.scaling.order import order_caveats, places_in
from benchlib.scaling.points import ScalingPoint, Shape, describe_shape, measure_points
from benchlib.scaling.predict import (
    LITTLE,
    AveragedBand,
    Reached,
    Reading,
    Within,
    average_bands,
    likelihood_weights,
    read_at,
    read_latency,
    read_throughput,
)
from benchlib.scaling.solver import ENOUGH_REPLICATES
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.samples import ratio_of_few
from benchlib.study import Exclusion, Study, open_study


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveAnswer:
    """One scaling curve: its points, the laws fitted to it, and what its shape says.

    Attributes
    ----------
    name : str
        Benchmark, levels of the other axes, and the metric the curve comes from.
    key : mapping
        What all of its rows share.
    metric : str
        ``throughput`` or another rate, or a time where throughput is one over it.
    axis : str
        The axis that is concurrency.
    curve : ScalingCurve
    points : tuple of ScalingPoint
    growth : Estimate
        Speedup of the largest level, with Welch's interval where both ends were measured more than once.
    fits : tuple of ScalingFit
        Every law that could be fitted, simplest first.
    refused_fits : tuple of str
        Why the others could not, and why a quantity that was to be improved has no advice.
    choice : Choice or None
        None where fewer than 3 levels leave nothing to choose between, or no law could be fitted.
    readings : Readings or None
        What was read off the laws, averaged; None where nothing was asked for.
    averaged : AveragedBand or None
        Mean curve averaged over the laws where extrapolation was asked for; None where it was not.
    advice : tuple of Advice
        What to measure next to know the asked quantity better, best first.
    commands : tuple of str
        The command that takes each advice.
    shape : Shape
    returns : Return
    evidence : mapping of float to Evidence
        By level of concurrency.
    elsewhere : tuple of Elsewhere
        What runs that the study keeps out measured of the same benchmark at other levels.
    caveats : tuple of Caveat
    """

    name: str
    key: Mapping[str, Any]
    metric: str
    axis: str
    curve: ScalingCurve
    points: tuple[ScalingPoint, ...]
    growth: Estimate
    fits: tuple[ScalingFit, ...]
    refused_fits: tuple[str, ...]
    choice: Choice | None
    readings: Readings | None
    averaged: AveragedBand | None
    advice: tuple[Advice, ...]
    commands: tuple[str, ...]
    shape: Shape
    returns: Return
    evidence: Mapping[float, Evidence]
    elsewhere: tuple[Elsewhere, ...]
    caveats: tuple[Caveat, ...]

    @property
    def chosen(self) -> ScalingFit | None:
        """The fit of the chosen law."""
        if self.choice is None:
            return None
        return next(fit for fit in self.fits if fit.law == self.choice.law)

    @property
    def why(self) -> str:
        """Why the law was chosen, or why none was."""
        if self.choice is not None:
            return self.choice.why
        if not self.fits:
            return "; ".join(self.refused_fits)
        return f"none: {len(self.points)} levels cannot tell one law from another; measure at least 3"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Disagreement:
    """A level at which two measures of one sweep tell different speedups."""

    concurrency: float
    speedups: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class LawComparison:
    """One parameter of one law, compared between several curves.

    Attributes
    ----------
    law : str
    curves : tuple of str
        The names of the curves; differences are against the first.
    comparison : ParameterComparison
    evidence : Evidence
        The rows of all of them.
    """

    law: str
    curves: tuple[str, ...]
    comparison: ParameterComparison
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingAnswer:
    """All scaling curves of a study.

    Attributes
    ----------
    axis : str
    cores : int or None
        Of the machine: from ``study.toml``, else from the results; None where neither says.
    curves : tuple of CurveAnswer
    comparisons : tuple of LawComparison
        Whether a parameter of the laws chosen differs between curves in one unit; empty with one curve.
    exclusions : tuple of Exclusion
    refusals : tuple of Refusal
        Curves that could not be drawn or fitted, and why; also why curves are not compared.
    confidence_level : float
    caveats : tuple of Caveat
    """

    axis: str
    cores: int | None
    curves: tuple[CurveAnswer, ...]
    comparisons: tuple[LawComparison, ...]
    exclusions: tuple[Exclusion, ...]
    refusals: tuple[Refusal, ...]
    confidence_level: float
    caveats: tuple[Caveat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """What was read off the laws of one curve, averaged by how likely each makes the measurements.

    Attributes
    ----------
    weights : mapping of str to float
        How much each law counts; empty where none was chosen.
    throughput_asked, latency_asked : str
        As they were written; empty where nothing was asked.
    at : tuple of Reading
        By rising concurrency.
    reach : Reached or None
    within : Within or None
    refused : tuple of str
        What could not be read, and why.
    """

    weights: Mapping[str, float]
    throughput_asked: str
    latency_asked: str
    at: tuple[Reading, ...]
    reach: Reached | None
    within: Within | None
    refused: tuple[str, ...]


def fit_scaling(
    study: Study | str | PathLike[str],
    *,
    concurrency: str = "",
    metric: str = "",
    by: str | Sequence[str] = (),
    law: str | Sequence[str] = "all",
    weights: str = "auto",
    confidence_level: float = 0.95,
    extrapolate: str | float | Sequence[float] = (),
    at: str | float | Sequence[float] = (),
    reach: str | float = "",
    latency: str | float = "",
    improve: str = "",
    seconds_each: float | None = None,
    budget: float | None = None,
) -> ScalingAnswer | Refusal:
    """Fit scaling laws to every throughput curve of a study.

    Parameters
    ----------
    study : Study, str or path
        A study, or where one lies; its plan answers what is left empty below.
    concurrency : str
        The axis that is N: ``"gomaxprocs"``, ``"workers"``, ``"connections"``.
    metric : str
        A rate, or a time per operation of which throughput is one over.
    by : str or sequence of str
        Columns that make curves of their own, in one text with commas or as a sequence.
    law : str or sequence of str
        ``"all"``, or names of `benchlib.scaling.laws.LAWS`, in one text with commas or as a sequence.
    weights : {"auto", "relative", "replicates", "none"}
        ``auto`` takes what the study says, else ``replicates`` where every level has 20 measurements,
        else ``relative``.
    confidence_level : float
    extrapolate : str, float or sequence of float
        Concurrencies to predict with the band averaged over the laws, also beyond twice the largest measured,
        up to 1,000 times it.
    at : str, float or sequence of float
        Concurrencies at which to read throughput, slope and latency off the averaged laws, up to twice the largest
        measured.
    reach : str or float
        A throughput such as ``"5000/s"``, or a number in the unit of each curve: where the averaged laws reach it.
    latency : str or float
        A mean latency such as ``"5ms"``, or a number of seconds: the largest throughput within it, by Little's
        law in a closed system.
    improve : str
        The quantity that further measurements shall narrow; empty for the first of peak, ceiling, knee and
        the loss that the chosen law has.
    seconds_each, budget : float, optional
        Seconds that one more measurement takes, by default as the study's command says, else 10, and that all
        of them together may take, by default 60; a budget of 0 asks for no advice, which takes longer than
        the fits.

    Returns
    -------
    ScalingAnswer or Refusal
        A refusal where no row can make a curve, or no curve carries the law that was named.

    Raises
    ------
    SelectionError
        For an axis, column or metric that the results do not have.
    DataError
        For a law, weights, level, quantity, concurrency, throughput or latency that cannot be meant.

    References
    ----------
    The laws and their sources: `benchlib.scaling.laws`.

    Examples
    --------
    >>> answer = fit_scaling("data/onix-adapter-published")
    >>> [round(point.speedup, 2) for point in answer.curves[0].points]
    [1.0, 1.33, 2.15, 2.53, 2.91]
    >>> fit_scaling("data/reference", law="usl").curves[0].chosen.peak.value.__round__(2)
    96.52
    >>> readings = fit_scaling("data/reference", law="usl", at=72, reach=1800).curves[0].readings
    >>> round(readings.at[0].throughput.value), [round(n.value, 1) for n in readings.reach.concurrency]
    (1850, [60.6, 153.8])
    """
    opened = study if isinstance(study, Study) else open_study(str(study))
    question = _ask(
        opened,
        concurrency=concurrency,
        metric=metric,
        by=by,
        law=law,
        weights=weights,
        confidence_level=confidence_level,
        extrapolate=extrapolate,
        at=at,
        reach=reach,
        latency=latency,
        improve=improve,
        seconds_each=seconds_each,
        budget=budget,
    )
    if isinstance(question, Refusal):
        return question
    plan = question.study.scaling
    cores = _known_cores(question.study)
    sweeps = _find_sweeps(question.study, question.metric)
    curves, refused = _answered(sweeps, question, cores)
    refusals = tuple(refusal for refusal, _ in refused)
    if not curves:
        return _no_curve(question, sweeps, refusals)
    comparisons, not_compared = _compare_curves(curves, question)
    disagreements = _disagreements_of(curves) if plan.same_work else ()
    return ScalingAnswer(
        axis=plan.concurrency,
        cores=cores,
        curves=curves,
        comparisons=comparisons,
        exclusions=plan.exclusions,
        refusals=(*refusals, *not_compared),
        confidence_level=question.confidence_level,
        caveats=merge(
            opened.results.caveats,
            _problem_caveats(opened),
            _between_curves(disagreements, plan.concurrency),
            [caveat("cores-unknown", "the machine's number of cores was not recorded")] if cores is None else (),
            (
                caveat("excluded-from-curve", f"{exclusion.where}: kept out of the curves ({exclusion.why})")
                for exclusion in plan.exclusions
            ),
            (refusal for _, refusal in refused),
            _named(curves),
        ),
    )


def _answered(
    sweeps: Collection[Sweep], question: Question, cores: int | None
) -> tuple[tuple[CurveAnswer, ...], list[tuple[Refusal, Caveat]]]:
    """Answer every sweep that makes a curve; the others are refused by name."""
    axis = question.study.scaling.concurrency
    curves: list[CurveAnswer] = []
    refused: list[tuple[Refusal, Caveat]] = []
    with Steps(sweeps, "curves") as steps:
        for sweep in steps:
            warning = _refused_rows(sweep, axis)
            if warning is None:
                fewest = 2 if sweep.named or question.axis_named else FEWEST_LEVELS
                few = _too_few_levels(sweep, axis, fewest)
                if few is not None:
                    # Most benchmarks that nobody named have a single level: that needs no refusal.
                    if sweep.named:
                        refused.append((few, caveat("refused-curve", few.reason)))
                    continue
                try:
                    curve = _answer_curve(sweep, question, cores)
                except DataError as error:
                    warning = caveat("refused-rows", str(error))
                else:
                    if curve.fits:
                        curves.append(curve)
                        continue
                    # The reason says what to measure or to fit instead.
                    warning = caveat("refused-curve", "; ".join(curve.refused_fits))
            ((named),) = name_caveats([(sweep.name, warning)])
            refused.append((Refusal(question="scaling", reason=named.message, advice=named.advice), named))
    return tuple(curves), refused


#: So many curves are named one by one, where something concerns them all.
_LISTED = 3


def _named(curves: Sequence[CurveAnswer]) -> tuple[Caveat, ...]:
    """Put before each caveat the curves that it concerns; many that are all of them are not listed."""
    shared = set.intersection(*(set(curve.caveats) for curve in curves)) if len(curves) > _LISTED else set()
    return name_caveats(
        ("every curve" if warning in shared else curve.name, warning) for curve in curves for warning in curve.caveats
    )


# From the rows of one sweep to its answer: points, laws, choice, readings, advice.

#: The quantity to narrow by default: the first of these that the chosen law has.
_IMPROVED = ("peak", "ceiling", "knee", "contention", "serial_fraction", "rate_at_one")
#: More ways to spend the same budget than this are no advice.
_MOST_ADVICE = 3


def _answer_curve(sweep: Sweep, question: Question, cores: int | None) -> CurveAnswer:
    """Answer what is asked of one sweep."""
    axis, rows, level = question.study.scaling.concurrency, sweep.rows, question.confidence_level
    measured = Measured.of(rows)
    curve, formula = _sweep_curve(sweep, axis)
    weights = _curve_weights(curve, question.weights)
    weak = sweep.weak
    fits, refused = _fits(curve, question, weights, weak)
    shape = describe_shape(curve, cores=cores)
    # Two levels lie on a straight line whatever the law: only a law that was named is chosen then.
    tells = len(curve.concurrency) >= FEWEST_LEVELS or not question.all_laws
    choice = choose_law(fits) if fits and tells else None
    chosen = next((fit for fit in fits if choice and fit.law == choice.law), None)
    points = measure_points(curve, confidence_level=level)
    methods = {point.concurrency: point.throughput.method.removeprefix("median") for point in points}
    demand = _counts_demand(axis)
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
        fits=fits,
        refused_fits=(*refused, *unadvised) if fits else refused,
        choice=choice,
        readings=_curve_readings(fits if choice else (), question),
        averaged=average_bands(fits, question.extrapolate, extrapolate=True) if fits and question.extrapolate else None,
        advice=advice,
        commands=commands,
        shape=shape,
        returns=best_return(curve, cores=None if demand else cores),
        evidence={
            at: measured.gather(places, f"{formula}{methods[at]}")
            for key, places in cell_rows(rows, [axis])
            for at in [float(key[axis])]
        },
        elsewhere=_elsewhere(question.study, sweep),
        caveats=merge(
            (warning for warning in shape.caveats if not (demand and warning.code == "oversubscribed")),
            _borne_out(choice.caveats, shape) if choice else (),
            chosen.caveats if chosen else (),
            order_caveats(curve),
            _row_caveats(question.study, sweep, axis),
        ),
    )


def _borne_out(caveats: Iterable[Caveat], shape: Shape) -> tuple[Caveat, ...]:
    """Return caveats without the growth beyond proportion that a law reads into a curve that falls behind its peak.

    Without bounds the USL follows a steep fall with contention below 0, though no step is more than proportional.
    """
    grows = any(step.efficiency > 1 for step in shape.steps)
    return tuple(caveat for caveat in caveats if grows or caveat.code != "superlinear")


def _sweep_curve(sweep: Sweep, axis: str) -> tuple[ScalingCurve, str]:
    """Return throughput against concurrency from the rows of a sweep, and in words how it follows from them."""
    rows = sweep.rows
    written = str(rows["unit"].iloc[0])
    values, unit = _as_rates(rows["value"].to_numpy(dtype=float), written, sweep.metric)
    formula = f"one over the median {sweep.metric}" if unit != written else f"median {sweep.metric}"
    if sweep.work and unit != written:
        values, unit = values * rows[sweep.work].to_numpy(dtype=float), f"{sweep.work}/sec" if written else sweep.work
        formula = f"median of {sweep.work} over {sweep.metric}"
    places = places_in(rows["source"].to_numpy(), rows["position"].to_numpy())
    curve = build_curve(rows[axis].to_numpy(dtype=float), values, unit=unit, places=places)
    return curve, f"{formula}, without the drift of the machine" if curve.drift else formula


def _curve_weights(curve: ScalingCurve, weights: str) -> str:
    """Return the weights that ``auto`` stands for on a curve, and any others as they are."""
    if weights != "auto":
        return weights
    return "replicates" if min(curve.counts) >= ENOUGH_REPLICATES else "relative"


def _fits(
    curve: ScalingCurve, question: Question, weights: str, weak: bool
) -> tuple[tuple[ScalingFit, ...], tuple[str, ...]]:
    fits, refused = [], []
    levels, level = len(curve.concurrency), question.confidence_level
    growing = [law.name for law in LAWS.values() if law.is_weak and weak and question.all_laws]
    laws = dict.fromkeys((*question.laws, *growing))
    beyond = [law for law in laws if question.all_laws and LAWS[law].minimum_levels > levels]
    for name in laws:
        if name in beyond:
            continue
        try:
            fits.append(fit_law(curve, name, weights=weights, confidence_level=level, weak=weak))
        except DataError as error:
            refused.append(str(error))
    if beyond:
        needs = [f"{law} needs {LAWS[law].minimum_levels}" for law in beyond]
        refused.append(f"{', '.join(needs)} distinct concurrencies, got {levels} ({levels_text(curve.concurrency)})")
    # What no law can do is said once.
    return tuple(fits), tuple(dict.fromkeys(refused))


def _curve_readings(fits: Sequence[ScalingFit], question: Question) -> Readings | None:
    """Read the laws of a curve, averaged, where a question asks for it; None where none does."""
    if not (question.at or question.reach or question.latency):
        return None
    asked = [target.written if target else "" for target in (question.reach, question.latency)]
    nothing = Readings(
        weights={},
        throughput_asked=asked[0],
        latency_asked=asked[1],
        at=(),
        reach=None,
        within=None,
        refused=("nothing is read off this curve: no law was chosen for it; name one (law)",),
    )
    if not fits:
        return nothing
    at: list[Reading] = []
    reach, within = None, None
    refused = []
    for level in question.at:
        try:
            at += read_at(fits, level)
        except DataError as error:
            refused.append(str(error))
    try:
        reach = read_throughput(fits, _throughput_in(question.reach, fits[0].unit)) if question.reach else None
    except DataError as error:
        refused.append(str(error))
    try:
        within = read_latency(fits, _latency_in(question.latency, fits[0].unit)) if question.latency else None
    except DataError as error:
        refused.append(str(error))
    weights = likelihood_weights(fits)
    return replace(nothing, weights=weights, at=tuple(at), reach=reach, within=within, refused=tuple(refused))


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
    quantity = question.improve or next((quantity_name for quantity_name in _IMPROVED if quantity_name in known), "")
    if quantity not in known:
        return (), ()  # the law of this curve does not have it, or has it at a bound
    advice = next_measurements(
        curve,
        chosen,
        quantity,
        seconds_each=question.seconds_each,
        budget=question.budget,
        confidence_level=question.confidence_level,
        limit=cores,
    )[:_MOST_ADVICE]
    axis = question.study.scaling.concurrency
    template = _measuring_template(question.study.commands, axis)
    return advice, tuple(
        measuring_command(step.concurrency, step.repetitions, axis, template, levels) for step in advice
    )


def _unadvised(chosen: ScalingFit | None, question: Question) -> tuple[str, ...]:
    """Say why there is no advice for the quantity that was asked for by name."""
    name = question.improve
    if not (name and question.budget):
        return ()
    reason = f"no advice for the {name.replace('_', ' ')}"
    if chosen is None:
        return (f"{reason}: no law was chosen for this curve",)
    known = _finite(chosen)
    if name in known:
        return ()
    title = LAWS[chosen.law].title
    has = name in chosen.parameters or (name in _DERIVED and getattr(chosen, name) is not None)
    why = f"{title} has it at its bound or without end here" if has else f"{title} has no such quantity"
    return (f"{reason}: {why}; it has {choices(known)}",)


def _finite(fit: ScalingFit) -> list[str]:
    """Return the quantities of a fit that have a value which more measurements can narrow."""
    derived = {name: getattr(fit, name) for name in _DERIVED}
    estimates = {**fit.parameters, **{name: estimate for name, estimate in derived.items() if estimate is not None}}
    return [name for name, estimate in estimates.items() if math.isfinite(estimate.value) and name not in fit.on_bound]


# What several curves of one study say together: do their measures agree, did a loss change between them?

#: Two measures of one sweep disagree when their speedups part by more than this share.
_AGREEMENT = 0.05
#: The laws that a law becomes where some of its coefficients are 0.
_HELD = {"amdahl": ("linear",), "usl": ("linear", "amdahl")}


def _compare_curves(
    curves: Sequence[CurveAnswer], question: Question
) -> tuple[tuple[LawComparison, ...], tuple[Refusal, ...]]:
    """Say whether each loss differs between curves that an axis tells apart.

    Curves of different benchmarks, metrics or units are not set against each other. The law is the one
    chosen for the curves, or the richest of them where it holds the others as special cases; nothing is
    compared by a law that the curves do not follow. Where they have too few levels for a choice it is
    Amdahl's: with replicates two levels a curve are enough for it.
    """
    axes = {axis for curve in curves for axis in curve.key if axis != "benchmark"}
    told_apart = [axis for axis in sorted(axes) if len({curve.key.get(axis) for curve in curves}) > 1]
    alike = len({(curve.curve.unit, curve.metric, curve.fits[0].weights) for curve in curves}) == 1
    if len(curves) < 2 or not told_apart or not alike:
        return (), ()
    chosen = {curve.name: curve.choice.law for curve in curves if curve.choice is not None}
    common = _common_law(set(chosen.values()))
    if common is None:
        return (), (_not_compared(chosen),)
    law = LAWS[common]
    comparisons = []
    for name in law.parameters[1:]:
        try:
            compared = compare_parameter(
                {curve.name: curve.curve for curve in curves},
                law.name,
                name,
                weights=curves[0].fits[0].weights,
                confidence_level=question.confidence_level,
            )
        except DataError:
            # A curve too short for this law was fitted by another above, and nothing is said of the difference.
            continue
        comparisons.append(
            LawComparison(
                law=law.name,
                curves=tuple(curve.name for curve in curves),
                comparison=compared,
                evidence=pool(
                    (behind for curve in curves for behind in curve.evidence.values()),
                    "one law fitted to each curve, and the coefficients of two curves subtracted",
                ),
            )
        )
    return tuple(comparisons), ()


def _common_law(chosen: Collection[str]) -> str | None:
    """Return the law by which curves can be compared: one that was chosen and that holds the others chosen."""
    if not chosen:
        return "amdahl"
    return next((law for law in chosen if all(other in (law, *_HELD.get(law, ())) for other in chosen)), None)


def _not_compared(chosen: Mapping[str, str]) -> Refusal:
    names: dict[str, list[str]] = {}
    for name, law in chosen.items():
        names.setdefault(law, []).append(name)
    laws = ", ".join(f"{law} for {choices(of, 3)}" for law, of in names.items())
    return Refusal(
        question="scaling",
        reason=f"the losses of the curves are not compared: the laws chosen have none in common ({laws})",
        advice="read each curve by its own law, or name one law for all of them: --law",
    )


def _disagreements_of(curves: Sequence[CurveAnswer]) -> tuple[_Disagreement, ...]:
    """Return the levels at which measures of the same sweep tell different speedups."""
    every = [{point.concurrency: point.speedup for point in curve.points} for curve in curves]
    disagreements = []
    for level in sorted(set.intersection(*map(set, every))):
        speedups = {curve.name: speedup[level] for curve, speedup in zip(curves, every, strict=True)}
        if max(speedups.values()) > min(speedups.values()) * (1 + _AGREEMENT):
            disagreements.append(_Disagreement(concurrency=level, speedups=speedups))
    return tuple(disagreements)


def _between_curves(disagreements: Sequence[_Disagreement], axis: str) -> tuple[Caveat, ...]:
    """Say where measures of one sweep disagree most."""
    if not disagreements:
        return ()
    widest = max(
        disagreements,
        key=lambda disagreement: max(disagreement.speedups.values()) / min(disagreement.speedups.values()),
    )
    speedups = " but ".join(f"{value:.2f} by {name}" for name, value in widest.speedups.items())
    *first, last = [f"{disagreement.concurrency:g}" for disagreement in disagreements]
    levels = f"{', '.join(first)} and {last}" if first else last
    message = (
        f"the measures of this sweep disagree at {axis} {levels}: at {widest.concurrency:g} the speedup is {speedups}"
    )
    return (caveat("curves-disagree", message),)


# The evidence of a statement on a level of a curve, on a whole curve, or on all curves; what speaks for a chosen law.

_SPEEDUP = (
    "X(N) is the {throughput} at N; speedup S(N) = X(N) / X(smallest N); efficiency = S(N) / N, relative to the "
    "smallest N; serial fraction = (1/S - 1/N) / (1 - 1/N)"
)
_STEP = "X(N) is the {throughput} at N; step efficiency = (X(N2) / X(N1)) / (N2 / N1) between neighbouring levels"
_FALL = "X(N) is the {throughput} at N; the share lost is 1 - X(largest N) / X(best N)"
_CURVE = (
    "X(N) is the median throughput at N; what is said of the whole curve follows from all of these values: laws by "
    "weighted least squares, the shape from differences between levels"
)


def speedup_evidence(curve: CurveAnswer, level: float) -> Evidence:
    """Return the rows of the smallest level and of another: its speedup, efficiency and serial fraction."""
    return _of_levels(curve, (curve.points[0].concurrency, level), _SPEEDUP)


def step_evidence(curve: CurveAnswer, level: float, start: float | None = None) -> Evidence:
    """Return the rows of a level and of another, else of the one before: the efficiency of the step between them."""
    levels = [point.concurrency for point in curve.points]
    before = levels[max(0, levels.index(level) - 1)] if start is None else start
    return _of_levels(curve, dict.fromkeys((before, level)), _STEP)


def fall_evidence(curve: CurveAnswer) -> Evidence:
    """Return the rows of the best level and of the largest."""
    return _of_levels(curve, (curve.shape.best_level, curve.points[-1].concurrency), _FALL)


def _of_levels(curve: CurveAnswer, levels: Iterable[float], formula: str) -> Evidence:
    every = [curve.evidence[level] for level in dict.fromkeys(levels)]
    return pool(every, formula.format(throughput=every[0].formula.partition(",")[0]))


def curve_evidence(curve: CurveAnswer) -> Evidence:
    """Return the rows of a whole curve, for what follows from all of its levels."""
    return pool(curve.evidence.values(), _CURVE)


def scaling_evidence(answer: ScalingAnswer) -> Evidence:
    """Return the rows of all curves."""
    return pool((curve_evidence(curve) for curve in answer.curves), f"curve by curve: {_CURVE}")


# A scaling answer as plain data: the JSON of ``benchlib scaling``.


def scaling_document(answer: ScalingAnswer, bottleneck: BottleneckAnswer | Refusal | None = None) -> dict[str, Any]:
    """Return a scaling answer, and what serial twins say of it, as data that JSON can hold.

    A number that is not finite is null, and ``not_finite`` beside it says in a word what it is:
    ``infinite`` or ``unknown``.
    """
    return {
        "schema": SCHEMA_VERSION,
        "concurrency": answer.axis,
        "cores": answer.cores,
        "confidence_level": answer.confidence_level,
        "curves": [_curve(curve) for curve in answer.curves],
        "comparisons": [_comparison(comparison) for comparison in answer.comparisons],
        "exclusions": to_dict(answer.exclusions),
        "refusals": to_dict(answer.refusals),
        "bottleneck": _bottleneck(bottleneck) if isinstance(bottleneck, BottleneckAnswer) else None,
        "caveats": _caveats(answer.caveats),
    }


def _bottleneck(answer: BottleneckAnswer) -> dict[str, Any]:
    rows = [
        {
            "name": row.name,
            "serial": row.serial,
            "parallel": row.parallel,
            "key": to_dict(row.key),
            "concurrency": row.concurrency,
            "ideal": _estimate(row.loss.ideal),
            "measured": _estimate(row.loss.measured),
            "share_lost": _estimate(row.loss.share_lost),
            "verdict": row.verdict,
        }
        for row in answer.rows
    ]
    return {"rows": rows, "unpaired": to_dict(answer.unpaired), "caveats": _caveats(answer.caveats)}


def _curve(curve: CurveAnswer) -> dict[str, Any]:
    return {
        "name": curve.name,
        "key": to_dict(curve.key),
        "metric": curve.metric,
        "unit": curve.curve.unit,
        "shape": curve.shape.kind,
        "points": [_point(point, curve) for point in curve.points],
        "fits": [_fit(fit) for fit in curve.fits],
        "refused_fits": list(curve.refused_fits),
        "chosen": curve.chosen.law if curve.chosen else None,
        "why": curve.why,
        "preferred": dict(curve.choice.preferred) if curve.choice else {},
        "nested_tests": to_dict(curve.choice.tests) if curve.choice else [],
        "rivals": to_dict(curve.choice.rivals) if curve.choice else [],
        "readings": _readings(curve.readings) if curve.readings else None,
        "extrapolation": _serialise_averaged(curve.averaged) if curve.averaged else None,
        "advice": [
            {**to_dict(advice), "command": command}
            for advice, command in zip(curve.advice, curve.commands, strict=True)
        ],
        "caveats": _caveats(curve.caveats),
    }


def _point(point: ScalingPoint, curve: CurveAnswer) -> dict[str, Any]:
    return {
        "concurrency": point.concurrency,
        "n": point.n,
        "throughput": _estimate(point.throughput),
        "speedup": point.speedup,
        "efficiency": point.efficiency,
        "step_efficiency": finite(point.step_efficiency),
        "serial_fraction": finite(point.serial_fraction),
        "evidence": list(curve.evidence[point.concurrency].rows),
    }


def _fit(fit: ScalingFit) -> dict[str, Any]:
    derived = {name: getattr(fit, name) for name in _DERIVED}
    return {
        "law": fit.law,
        "title": LAWS[fit.law].title,
        "formula": LAWS[fit.law].formula,
        "weights": fit.weights,
        "parameters": {name: _estimate(parameter) for name, parameter in fit.parameters.items()},
        **{name: None if estimate is None else _estimate(estimate) for name, estimate in derived.items()},
        "lack_of_fit": {
            "pvalue": finite(fit.lack_of_fit),
            "test": "pure error F" if math.isfinite(fit.lack_of_fit) else "none: no replicates, or no level to spare",
        },
        "criteria": {name: finite(getattr(fit.criteria, name)) for name in ("aicc", "aic", "loo_rmse")},
        "residual_standard_error": fit.residual_standard_error,
        "degrees_of_freedom": fit.degrees_of_freedom,
        "n": fit.n,
        "measured_range": list(fit.measured_range),
        "caveats": _caveats(fit.caveats),
    }


def _readings(readings: Readings) -> dict[str, Any]:
    reach, within = readings.reach, readings.within
    return {
        "weights": dict(readings.weights),
        "system": LITTLE,
        "at": [
            {
                "concurrency": reading.concurrency,
                "throughput": _estimate(reading.throughput),
                "slope": _estimate(reading.slope),
                "latency": _estimate(reading.latency),
            }
            for reading in readings.at
        ],
        "reach": reach
        and {
            "asked": readings.throughput_asked,
            "throughput": reach.throughput,
            "concurrency": [_estimate(estimate) for estimate in reach.concurrency],
            "reason": reach.reason,
        },
        "within": within
        and {
            "asked": readings.latency_asked,
            "latency": within.latency,
            "throughput": within.throughput and _estimate(within.throughput),
            "concurrency": within.concurrency and _estimate(within.concurrency),
            "limited_by": within.limited_by,
            "reason": within.reason,
        },
        "refused": list(readings.refused),
    }


def _serialise_averaged(band: AveragedBand) -> dict[str, Any]:
    ends = zip(band.concurrency, band.throughput, band.low, band.high, strict=True)
    return {
        "weights": dict(band.weights),
        "kind": band.kind,
        "confidence_level": band.confidence_level,
        "points": [
            {
                "concurrency": float(n),
                "throughput": finite(middle),
                "low": finite(low),
                "high": finite(high),
                "not_finite": _words({"throughput": middle, "low": low, "high": high}),
            }
            for n, middle, low, high in ends
        ],
    }


def _comparison(comparison: LawComparison) -> dict[str, Any]:
    result = comparison.comparison
    return {
        "law": comparison.law,
        "curves": list(comparison.curves),
        "parameter": result.name,
        "verdict": result.verdict,
        "pvalue": finite(result.pvalue),
        "values": {name: _estimate(value) for name, value in result.values.items()},
        "differences": {name: _estimate(value) for name, value in result.differences.items()},
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    numbers = {name: getattr(estimate, name) for name in ("value", "low", "high", "standard_error")}
    return {
        **{name: finite(number) for name, number in numbers.items()},
        "not_finite": _words(numbers),
        "unit": estimate.unit,
        "confidence_level": estimate.confidence_level,
        "n": estimate.n,
        "method": estimate.method,
    }


def _words(numbers: Mapping[str, float]) -> dict[str, str]:
    return {
        name: "unknown" if math.isnan(number) else "infinite" if number > 0 else "minus infinite"
        for name, number in numbers.items()
        if not math.isfinite(number)
    }


def _caveats(caveats: Sequence[Caveat]) -> list[dict[str, str]]:
    return [
        {"code": warning.code, "severity": warning.severity, "message": warning.message, "advice": warning.advice}
        for warning in caveats
    ]
