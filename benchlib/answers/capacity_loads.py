"""The loads of a plan: their curves, latency limits, mixes and measurements."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from benchlib.answers.asking import Refusal
from benchlib.answers.evidence import Evidence, gather, pool
from benchlib.answers.grouping import cells, name_caveats
from benchlib.answers.requirements import PlanQuestion
from benchlib.answers.scaling import _curve_weights, _sweep_curve
from benchlib.answers.scaling_question import Amount, _latency_in, _measuring_template
from benchlib.answers.sweeps import Sweep, _row_caveats
from benchlib.capacity.draws import CurveDraws, between, draw_laws, draw_points
from benchlib.capacity.latency import mean_latency
from benchlib.capacity.mix import mix_costs, mix_curves, shares_of
from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import DataError, SelectionError, choices, printable, suggestion
from benchlib.results import Results
from benchlib.scaling.advise import Return, best_return, measuring_command
from benchlib.scaling.curve import ScalingCurve, build_curve, levels_text, up_to
from benchlib.scaling.fit import ScalingFit, fit_law
from benchlib.scaling.laws import FloatArray, offered_laws
from benchlib.scaling.order import order_caveats
from benchlib.scaling.points import check_curve
from benchlib.scaling.predict import EXTRAPOLATION_LIMIT, likelihood_weights
from benchlib.study import Limit
from benchlib.units import show

# The measurement that would tell a percentile: at which levels, how often, and with what that records it.

#: Measurements to ask for where a single one would settle a question.
_REPETITIONS = 6
#: The percentiles that load generators print, by what they are told to.
_PRINTED = {
    "wrk": ("wrk --latency", (50.0, 75.0, 90.0, 99.0)),
    "wrk2": ("wrk2 --latency", (50.0, 75.0, 90.0, 99.0, 99.9, 99.99, 99.999)),
    "oha": ("oha", (10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99)),
    "hey": ("hey", (10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0)),
}


def _recording_advice(metric: str, levels: Sequence[float], question: PlanQuestion) -> str:
    """Say how a percentile is recorded at the levels that count, with the tool of the study where that can."""
    where = f"record it at {question.axis} {levels_text(levels)}, {_REPETITIONS} times each"
    return f"{where}, {_means(metric, _measuring_template(question.study.commands, question.axis))}"


def _means(metric: str, template: str) -> str:
    """Say what records a percentile beside a command, or in its place."""
    words = _words(template)
    share = metric.removeprefix("latency_p")
    if words[:2] == ["go", "test"]:
        return f'by b.ReportMetric(nanoseconds, "p{share}-ns"): go test by itself records no percentile'
    own = _PRINTED.get(words[0].rpartition("/")[2]) if words else None
    if own is not None and _number(share) in own[1]:
        return f"with {own[0]}"
    others = [name for name, shares in _PRINTED.values() if _number(share) in shares and "wrk" not in name]
    names = " or ".join(others) or "a tool that keeps a histogram of all latencies"
    return f"with {names}{f': {own[0]} does not print it' if own is not None else ''}"


def _words(template: str) -> list[str]:
    try:
        return shlex.split(template)
    except ValueError:  # a quote that does not end
        return []


def _number(share: str) -> float:
    return float(share) if share.replace(".", "", 1).isdigit() else math.nan


# What was measured at each level: throughput and latencies, for a reader to hold against the draws.

#: Means that lie further apart than this share are not the same.
_APART = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredLevel:
    """What was measured at one level, to be held against the draws.

    Attributes
    ----------
    concurrency : float
    throughput : float
        Median.
    mean : float
        In seconds, from throughput: N / X; NaN where nodes were swept.
    generator_mean : float
        The mean that the load generator itself states, in seconds: the median over its runs; NaN where it states none.
    percentiles : mapping of str to float
        Medians of those that were measured, by metric, in seconds.
    """

    concurrency: float
    throughput: float
    mean: float
    generator_mean: float
    percentiles: Mapping[str, float]


def _disagreeing(levels: Sequence[MeasuredLevel], near: float, most: float) -> MeasuredLevel | None:
    """Return the level nearest to a concurrency, and not beyond ``most``, where the generator states another mean.

    Another by more than a tenth of N / X, which a closed system has by Little's law; None where it agrees everywhere.
    """
    apart = [
        level
        for level in levels
        if level.concurrency <= most and abs(math.log(level.generator_mean / level.mean)) > math.log(1 + _APART)
    ]
    return min(apart, key=lambda level: abs(math.log(level.concurrency / near)), default=None)


def _measured_levels(sweep: Sweep, question: PlanQuestion, curve: ScalingCurve) -> tuple[MeasuredLevel, ...]:
    """Return the levels of a curve with the percentiles that were measured there, those of no use left out."""
    percentiles = sweep.beside[sweep.beside["metric"].astype(str).str.startswith("latency_p")]
    if _timed_out(question, [percentiles, sweep.failed]):
        percentiles = percentiles[:0]  # the slowest are missing
    measured: dict[float, dict[str, float]] = {}
    for key, rows in cells(percentiles, [question.axis, "metric"]):
        at = measured.setdefault(float(key[question.axis]), {})
        at[str(key["metric"])] = float(np.median(rows["value"].to_numpy(dtype=float)))
    stated = cells(sweep.beside[sweep.beside["metric"] == "latency_mean"], [question.axis])
    means = {float(key[question.axis]): float(np.median(rows["value"].to_numpy(dtype=float))) for key, rows in stated}
    seconds = time_unit(curve.unit)
    return tuple(
        MeasuredLevel(
            concurrency=float(level),
            throughput=float(rate),
            mean=math.nan if question.node_axis else float(level / rate) * seconds,
            generator_mean=means.get(float(level), math.nan),
            percentiles=dict(sorted(measured.get(float(level), {}).items())),
        )
        for level, rate in zip(curve.concurrency, curve.throughput, strict=True)
    )


# The latency that has a limit: of the fitted curve where it is the mean, as measured where it is a percentile.

#: Why a sweep that waits for answers says no percentile of production, and what would.
_CLOSED_LOOP = "at this load cannot be read from this sweep: it held the number of requests constant"
_ARRIVALS_ADVICE = "send requests at a rate that does not wait for answers, as wrk2 -R does, at the load of one node"
#: From what a latency is written with to what a float holds.
_DIGITS = range(3, 16)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LimitedLatency:
    """Draws of the mean latency on the grid of those of throughput, where it has a limit."""

    #: Shape (draws, k). In seconds, at the most that each concurrency delivers.
    values: FloatArray
    measured: str  # how they were found, for evidence
    fastest: float  # the fastest median along the curve


def _limited_latency(
    sweep: Sweep, question: PlanQuestion, drawn: CurveDraws
) -> tuple[LimitedLatency | None, tuple[Refusal, ...]]:
    """Return the latency that has a limit, or why these data say nothing about it."""
    limit = question.limit
    if limit is None:
        return None, ()
    if question.node_axis:
        reason = f"{limit.metric} does not follow from a sweep of {question.axis}: it hangs on the load of each"
        return None, (_refusal(reason, "sweep requests in flight at one number of nodes"),)
    if limit.metric == "latency_mean":
        return _of_mean(drawn), ()
    if question.mix:
        return None, (
            _refusal(
                f"{limit.metric} of the mix was not measured, and percentiles of its parts do not add up",
                "load the mix itself and record percentiles",
            ),
        )
    rows = sweep.beside[sweep.beside["metric"] == limit.metric]
    rows = rows[rows[question.axis].astype(float) <= drawn.measured_range[1]]
    missed = _timed_out(question, [rows, sweep.failed])
    if missed:
        reason = f"{limit.metric} leaves out {missed:,} requests that timed out in runs of this sweep"
        return None, (_refusal(reason, "measure with a generator that counts them in, or with a longer time-out"),)
    levels = sorted(rows[question.axis].astype(float).unique())
    counted = sweep.rows[question.axis].astype(float)
    advice = _recording_advice(limit.metric, sorted(counted[counted <= drawn.measured_range[1]].unique()), question)
    if len(levels) < 2:
        known = sorted({str(metric) for metric in sweep.beside["metric"] if str(metric).startswith("latency_")})
        there = f"; measured there: {choices(known)}" if known else ""
        missing = f"{limit.metric} was not measured at 2 or more levels of {question.axis}"
        reason = f"{missing}{_slower_elsewhere(question)}{there}"
        return None, (_refusal(reason, advice),)
    # Arrivals that do not wait for answers queue where these did not: this sweep says at which level to stop, not more.
    return None, (_refusal(f"{limit.metric} {_CLOSED_LOOP}", _ARRIVALS_ADVICE),)


def _slower_elsewhere(question: PlanQuestion) -> str:
    """Say so if no value in the study, at any level of any curve, meets a limit."""
    limit, frame = question.limit, question.study.results.frame
    if limit is None:
        return ""
    slowest = frame.loc[(frame["metric"] == limit.metric) & (frame["unit"] == "sec"), "value"].min()
    if not slowest > limit.seconds:
        return ""
    return f", and the fastest in this study, {_beside(slowest, limit)}, exceeds the limit"


def _beside(seconds: float, limit: Limit) -> str:
    """Write a latency with as many digits as tell it from a limit."""
    written = ((show(seconds, "sec", digits), show(limit.seconds, "sec", digits)) for digits in _DIGITS)
    return next((wording for wording, asked in written if wording != asked), show(seconds, "sec", _DIGITS[-1]))


def _of_mean(drawn: CurveDraws) -> LimitedLatency:
    """Return the mean latency that the curve itself gives: N / X(N)."""
    values = mean_latency(drawn) * time_unit(drawn.unit)
    return LimitedLatency(
        values=values,
        measured="N / X(N)",
        fastest=float(np.min(np.median(values, axis=0))),
    )


def time_unit(unit: str) -> float:
    """Return the seconds that work is counted by in a unit of throughput."""
    return 1 / _latency_in(Amount(value=1.0, unit="sec", written="1 s"), unit)


def _timed_out(question: PlanQuestion, measured: Sequence[pd.DataFrame]) -> int:
    """Return how many requests timed out in the files of these rows, which their percentiles leave out."""
    sources = {source for rows in measured for source in rows["source"].astype(str).unique()}
    return sum(
        int(entry.data[0])
        for entry in question.study.results.series
        if entry.kind == "timeouts" and entry.data and entry.source in sources and isinstance(entry.data[0], int)
    )


def _refusal(reason: str, advice: str) -> Refusal:
    """Refuse a plan, or a part of it."""
    return Refusal(question="capacity", reason=reason, advice=advice)


# From the rows of a sweep to the draws that a plan is computed from: throughput, and the latency that has a limit.

#: A plan holds its draws at no more places than about this many, whole numbers all of them where they are few.
_PLACES = 24
#: Nodes that are swept are counted one by one up to so many.
_MOST_NODES = 256


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Load:
    """One kind of work, and what a machine does of it."""

    name: str
    key: Mapping[str, Any]
    curve: ScalingCurve  # of the levels that count
    drawn: CurveDraws
    #: None where no limit was asked for, or none can be held against these data.
    limited: LimitedLatency | None
    returns: Return
    measured: tuple[MeasuredLevel, ...]
    up_to: float  # the largest concurrency that the draws speak of
    refusals: tuple[Refusal, ...]
    caveats: tuple[Caveat, ...]
    evidence: Evidence


def _sweep_load(sweep: Sweep, question: PlanQuestion, cores: int | None, *, at: int = 0) -> Load:
    """Draw the curves that one sweep allows.

    Levels beyond the cores of the machine are left out where the axis counts cores: they say nothing of more cores.
    The laws answer, averaged; what they miss the levels by is noise of theirs. Beyond the levels they speak only where
    the likeliest holds them. Two levels answer themselves: they lie on a line whatever the law.
    """
    whole, formula = _sweep_curve(sweep, question.axis)
    limit = None if question.demand_axis or question.node_axis else cores
    curve, refusals, left_out = _within_cores(whole, sweep, question, limit)
    fits = _fits(curve, question)
    likeliest = max(fits, key=lambda fit: likelihood_weights(fits)[fit.law], default=None)
    explained = likeliest is not None and not likeliest.misses_points
    most = float(curve.concurrency[-1])
    furthest = most if question.demand_axis or not explained else EXTRAPOLATION_LIMIT * most
    least = float(curve.concurrency[0])
    first = min(1.0, least) if fits else least
    places = _places(curve, first, furthest, question)
    seed = question.seed + at
    warnings: list[Caveat] = []
    if fits:
        drawn = draw_laws(fits, curve, places, draws=question.draws, seed=seed)
    else:
        drawn = draw_points(curve, places, draws=question.draws, seed=seed)
    if not explained:
        warnings.append(caveat("points-not-laws", _why_no_law(curve, likeliest)))
        if not question.demand_axis:
            refusals = (*refusals, _refused_beyond(sweep, question, curve))
    limited, refused = _limited_latency(sweep, question, drawn)
    where = "within the cores" if left_out else ""  # the page tells of the other levels too
    rows = sweep.rows[sweep.rows[question.axis].astype(float) <= most]
    return Load(
        name=sweep.name,
        key=sweep.key,
        curve=curve,
        drawn=drawn,
        limited=limited,
        returns=best_return(curve, cores=limit),
        measured=_measured_levels(sweep, question, curve),
        up_to=furthest,
        refusals=(*refusals, *refused),
        caveats=merge(
            left_out,
            warnings,
            _lost(sweep, question, curve),
            (warning for warning in check_curve(curve, where=where) if warning.code != "no-level-one"),
            order_caveats(curve),
            _row_caveats(question.study, sweep, question.axis),
        ),
        evidence=gather(rows, f"{formula}; {_method(drawn, question)}", by=question.axis),
    )


def _measure_at(question: PlanQuestion, concurrency: float, key: Mapping[str, Any]) -> str:
    """Return the command that measures at a concurrency, or the words that say so."""
    template = _measuring_template(question.study.commands, question.axis)
    return measuring_command(round(concurrency), _REPETITIONS, question.axis, template, key)


def _method(drawn: CurveDraws, question: PlanQuestion) -> str:
    weights = ", ".join(f"{law} {weight:.2g}" for law, weight in drawn.weights.items())
    return f"{question.draws:,} joint draws (seed {question.seed}) over {weights}"


def _within_cores(
    whole: ScalingCurve, sweep: Sweep, question: PlanQuestion, cores: int | None
) -> tuple[ScalingCurve, tuple[Refusal, ...], tuple[Caveat, ...]]:
    beyond = [] if cores is None else [float(n) for n in whole.concurrency if n > cores]
    if cores is None or not beyond:
        return whole, (), ()
    wording = (
        f"{question.axis} {levels_text(beyond)} exceed{'s' if len(beyond) == 1 else ''} the {cores} cores measured"
    )
    refusal = _refusal(
        f"what {levels_text(beyond)} cores deliver is not in this sweep: {wording}",
        f"on a machine with {beyond[-1]:g} cores: {_measure_at(question, beyond[-1], sweep.key)}",
    )
    levels = [float(n) for n in whole.concurrency if n <= cores]
    if len(levels) < 2:
        raise DataError(f"{wording}, and {len(levels)} level is left; measure at 3 levels or more up to {cores}")
    return (
        up_to(whole, cores),
        (refusal,),
        (caveat("levels-left-out", f"{wording}: the plan rests on {question.axis} {levels_text(levels)}"),),
    )


def _lost(sweep: Sweep, question: PlanQuestion, curve: ScalingCurve) -> Iterable[Caveat]:
    """Say which levels are missing because every run there failed."""
    failed = {float(n) for n in sweep.failed[question.axis].unique()} - {float(n) for n in curve.concurrency}
    if failed:
        wording = f"every run at {question.axis} {levels_text(sorted(failed))} rests on failed operations"
        yield caveat("levels-failed", f"{wording}: the plan rests on {question.axis} {levels_text(curve.concurrency)}")


def _fits(curve: ScalingCurve, question: PlanQuestion) -> Sequence[ScalingFit]:
    """Fit every law that the levels support; fit none to two levels, which lie on a line whatever the law."""
    if len(curve.concurrency) < 3:
        return ()
    weak = question.study.scaling.weak
    weights = _curve_weights(curve, question.scaling.weights)
    return tuple(
        fit_law(curve, law, weights=weights, weak=weak, derived=False)
        for law in offered_laws(len(curve.concurrency), weak=weak)
    )


def _places(curve: ScalingCurve, first: float, last: float, question: PlanQuestion) -> FloatArray:
    """Return the concurrencies to draw at: the levels, the nodes asked for, and enough between them."""
    most = _MOST_NODES if question.node_axis else _PLACES
    between = np.arange(np.ceil(first), last + 1) if last <= most else np.round(np.geomspace(first, last, most))
    sizes = () if question.node_axis else [node.cores for node in question.nodes]
    asked = [size for size in sizes if first <= size <= last]
    every = np.concatenate([[first, last], curve.concurrency, between, asked])
    return np.unique(every[(every >= first) & (every <= last)])


def _why_no_law(curve: ScalingCurve, likeliest: ScalingFit | None) -> str:
    if likeliest is None:
        return f"{len(curve.concurrency)} levels cannot tell one law from another: the plan reads between them"
    misses = next(warning.message for warning in likeliest.caveats if warning.code == "poor-fit")
    return f"no law holds the levels ({misses}): the plan is as unsure as that makes it"


def _refused_beyond(sweep: Sweep, question: PlanQuestion, curve: ScalingCurve) -> Refusal:
    most = float(curve.concurrency[-1])
    return _refusal(
        f"beyond {question.axis} {most:g} nothing is said: no law explains the levels up to it",
        f"{_measure_at(question, 2 * most, sweep.key)}",
    )


# A mix of operations: from a sweep of each, or from a sweep of one and what the others cost beside it.


def _mixed_loads(
    sweeps: Sequence[Sweep], question: PlanQuestion, cores: int | None
) -> tuple[tuple[Load, ...], tuple[Refusal, ...]]:
    """Return the loads of a mix: one of the sweeps of its operations, or one for each sweep of one of them."""
    axis = mix_axis(question.study.results, question.mix)
    own = {str(sweep.key[axis]): sweep for sweep in sweeps if axis in sweep.key}
    if all(name in own for name in question.mix):
        return (_of_sweeps(own, axis, question, cores),), ()
    loads, refused = [], []
    for at, sweep in enumerate(sweeps):
        measured = list(sweep.rows[axis].dropna().astype(str).unique()) if axis in sweep.rows else []
        if len(measured) != 1:
            reason = f"{sweep.name} does not say which {axis} it measures: no mix is made of it"
            refused.append(_refusal(reason, f"name the {axis} of its rows"))
            continue
        try:
            loads.append(_of_costs(_sweep_load(sweep, question, cores, at=at), str(measured[0]), axis, question))
        except DataError as error:
            refused.append(_refusal(f"{sweep.name}: {error}", "measure it"))
    return tuple(loads), tuple(refused)


def mix_axis(results: Results, mix: Mapping[str, float]) -> str:
    """Return the axis whose levels a mix names: the one that has most of them."""
    levels = {axis: [str(level) for level in results.levels(axis)] for axis in ("benchmark", *results.axes)}
    axis = max(levels, key=lambda axis_name: sum(name in levels[axis_name] for name in mix))
    for name in mix:
        if name not in levels[axis]:
            some = any(name_in_mix in levels[axis] for name_in_mix in mix)
            known = levels[axis] if some else [level for each in levels.values() for level in each]
            where = f"{axis} has {choices(levels[axis])}" if some else "no axis has it"
            raise SelectionError(f"mix: no operation '{printable(name)}'{suggestion(name, known)}; {where}")
    return axis


def _of_sweeps(own: Mapping[str, Sweep], axis: str, question: PlanQuestion, cores: int | None) -> Load:
    """Mix operations that were swept each: where all of them were."""
    loads = {name: _sweep_load(own[name], question, cores, at=at) for at, name in enumerate(question.mix)}
    units = {load.drawn.unit for load in loads.values()}
    if len(units) > 1:
        raise DataError(f"mix: its operations are counted in {choices(sorted(units))}; give results in one unit")
    first = max(float(load.drawn.concurrency[0]) for load in loads.values())
    last = min(load.up_to for load in loads.values())
    places = np.unique(np.concatenate([load.drawn.concurrency for load in loads.values()]))
    places = places[(places >= first) & (places <= last)]
    shares = shares_of(question.mix)
    drawn = mix_curves({name: _on(load.drawn, places) for name, load in loads.items()}, shares)
    # Of the shortest sweep: beyond its levels nobody measured the mix.
    some = min(loads.values(), key=lambda load: load.up_to)
    return replace(
        some,
        name=_named(shares),
        key={name: level for name, level in some.key.items() if name != axis},
        drawn=drawn,
        limited=_limited(question, drawn),
        returns=_returns(loads, shares, None if question.demand_axis or question.node_axis else cores),
        measured=(),
        up_to=last,
        refusals=tuple(dict.fromkeys(refusal for load in loads.values() for refusal in load.refusals)),
        caveats=name_caveats((name, warning) for name, load in loads.items() for warning in load.caveats),
        evidence=pool(
            (load.evidence for load in loads.values()), f"1/X = sum of share/X over {axis}; {some.evidence.formula}"
        ),
    )


def _returns(loads: Mapping[str, Load], shares: Mapping[str, float], cores: int | None) -> Return:
    """Return what cores give to the mix itself, at the levels that all operations share: each has its own knee."""
    some = loads[next(iter(shares))]
    medians = {
        name: dict(zip(load.curve.concurrency, load.curve.throughput, strict=True)) for name, load in loads.items()
    }
    levels = [level for level in some.curve.concurrency if all(level in median for median in medians.values())]
    if len(levels) < 2:
        return some.returns
    rates = [1 / sum(share / medians[name][level] for name, share in shares.items()) for level in levels]
    return best_return(build_curve(levels, rates, unit=some.curve.unit), cores=cores)


def _on(drawn: CurveDraws, places: np.ndarray[Any, np.dtype[np.float64]]) -> CurveDraws:
    return replace(drawn, concurrency=places, throughput=between(drawn.concurrency, drawn.throughput, places))


def _of_costs(load: Load, measured: str, axis: str, question: PlanQuestion) -> Load:
    """Mix operations of which one was swept, and each has a time of its own beside the others."""
    shares = shares_of(question.mix)
    names = list(dict.fromkeys([measured, *shares]))
    frame = question.study.results.frame
    timed = frame[(frame["metric"] == "time") & frame[axis].notna()]
    # One benchmark that has them all: times of different benchmarks are of different work.
    for place, rows in cells(timed, ["benchmark"]):
        costs = {str(key[axis]): part["value"].to_numpy(dtype=float) for key, part in cells(rows, [axis])}
        if all(name in costs for name in names):
            drawn = mix_costs(load.drawn, measured, {name: costs[name] for name in names}, shares, seed=question.seed)
            wording = f"{_named(shares)} is held to scale as {measured} does, by the times of {place['benchmark']}"
            return replace(
                load,
                name=f"{load.name}, {_named(shares)}",
                drawn=drawn,
                limited=_limited(question, drawn),
                measured=(),
                caveats=merge(load.caveats, [caveat("mix-scales-alike", wording)]),
                evidence=pool(
                    [load.evidence, gather(rows, "")],
                    f"X of {measured} times its time by the mean time of the mix; {load.evidence.formula}",
                ),
            )
    missing = choices(names)
    raise DataError(f"mix: no benchmark times {missing} beside one another; measure each alone in one benchmark")


def _limited(question: PlanQuestion, drawn: CurveDraws) -> LimitedLatency | None:
    """Return the mean latency of the mix, where that has the limit; percentiles of the parts do not add up."""
    return _of_mean(drawn) if question.limit is not None and question.limit.metric == "latency_mean" else None


def _named(shares: Mapping[str, float]) -> str:
    return "mix of " + ", ".join(f"{printable(name, 40)} {100 * share:.3g} %" for name, share in shares.items())
