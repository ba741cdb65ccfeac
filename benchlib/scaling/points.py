"""What points say without a law: levels, steps, serial fractions, shape, what is lost against a serial twin."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import DataError
from benchlib.lazy_scipy import special
from benchlib.scaling.curve import ScalingCurve, levels_text
from benchlib.scaling.laws import FloatArray
from benchlib.statistics.estimates import Estimate, checked_level, checked_values
from benchlib.statistics.moments import welch_pvalue, welch_test
from benchlib.statistics.samples import estimate_median

# What each level of a curve shows, what each step, and what weakens them.

#: A step this much better than proportional is worth a remark; less is rounding and luck.
SUPERLINEAR = 1.05


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingPoint:
    """One level of a curve."""

    concurrency: float
    n: int  # measurements at this level
    #: Median with the interval its replicates allow: that of order statistics, and where they are too few for it (5 or
    #: fewer at 95 %) Student's t on their logarithms, as ``method`` says; none for one.
    throughput: Estimate
    speedup: float  # relative to the smallest level of the curve
    efficiency: float  # speedup by concurrency, both relative to the smallest level
    #: Growth of throughput by growth of concurrency since the level before; NaN at the first.
    step_efficiency: float
    serial_fraction: float  # Karp and Flatt's; NaN at the first level, and everywhere without a level 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """From one level to the next: does throughput grow in proportion?"""

    #: before, after: the two concurrencies.
    before: float
    after: float
    efficiency: float  # (X2 / X1) / (N2 / N1), of medians
    #: low, high: Welch's interval at 95 %, of geometric means; infinite (0 below) with one measurement on either side.
    low: float
    high: float

    @property
    def superlinear(self) -> bool:
        """Whether throughput grew faster than concurrency, and not by noise alone where known."""
        return self.efficiency > SUPERLINEAR and (self.low > 1 or math.isinf(self.high))


def measure_points(curve: ScalingCurve, *, confidence_level: float = 0.95) -> tuple[ScalingPoint, ...]:
    """Say what each level shows: throughput, speedup, efficiency, Karp-Flatt serial fraction.

    Without a level 1 speedup and efficiency are relative to the smallest level, and the serial
    fraction, which needs the throughput of one worker, is NaN.

    A. H. Karp and H. P. Flatt, "Measuring parallel processor performance", Communications of
    the ACM 33(5), 1990, 539-543: (1/S - 1/N) / (1 - 1/N).
    """
    speedups = curve.throughput / curve.throughput[0]
    efficiencies = speedups / (curve.concurrency / curve.concurrency[0])
    steps = (math.nan, *_step_efficiencies(curve))
    return tuple(
        ScalingPoint(
            concurrency=float(n),
            n=len(values),
            throughput=estimate_median(values, curve.unit, confidence_level),
            speedup=float(speedup),
            efficiency=float(efficiency),
            step_efficiency=step,
            serial_fraction=float(fraction),
        )
        for n, values, speedup, efficiency, step, fraction in zip(
            curve.concurrency, curve.replicates, speedups, efficiencies, steps, _serial_fractions(curve), strict=True
        )
    )


def _serial_fractions(curve: ScalingCurve) -> FloatArray:
    """Return Karp and Flatt's serial fraction at each level; NaN where `measure_points` has none."""
    fractions = np.full(len(curve.concurrency), math.nan)
    if curve.concurrency[0] == 1:
        n, speedups = curve.concurrency[1:], curve.throughput[1:] / curve.throughput[0]
        fractions[1:] = (1 / speedups - 1 / n) / (1 - 1 / n)
    return fractions


def measure_steps(curve: ScalingCurve) -> tuple[Step, ...]:
    """Return the step from every level to the next."""
    return tuple(_step(curve, index, efficiency) for index, efficiency in enumerate(_step_efficiencies(curve)))


def check_curve(curve: ScalingCurve, *, cores: int | None = None, where: str = "") -> tuple[Caveat, ...]:
    """Return what weakens a curve before any law is fitted.

    Fewer than 6 levels, one measurement at a level, no level 1, steps that are superlinear,
    and, where ``cores`` is known, levels beyond it. Of a curve that is part of another, ``where``
    says which levels are counted, as in ``within the cores``.
    """
    caveats = []
    levels = curve.concurrency
    if len(levels) < 6:
        counted = " ".join(["levels of concurrency", where]).rstrip()
        caveats.append(caveat("few-levels", f"{len(levels)} {counted} ({levels_text(levels)})"))
    single = [n for n, count in zip(levels, curve.counts, strict=True) if count == 1]
    if len(single) == len(levels):
        message = "one measurement at every level: only what the levels scatter around a law by tells the noise"
        caveats.append(caveat("one-replicate", message))
    elif single:
        caveats.append(caveat("one-replicate", f"one measurement only at concurrency {levels_text(single)}"))
    if levels[0] != 1:
        caveats.append(caveat("no-level-one", f"the smallest concurrency is {levels[0]:g}; speedup is relative to it"))
    # Most steps are no candidates, and need no interval.
    candidates = [
        _step(curve, index, efficiency)
        for index, efficiency in enumerate(_step_efficiencies(curve))
        if efficiency > SUPERLINEAR
    ]
    caveats += [_superlinear_caveat(step) for step in candidates if step.superlinear]
    beyond = [] if cores is None else [n for n in levels if n > cores]
    if beyond:
        message = (
            f"concurrency {levels_text(beyond)} exceeds the {cores} cores of the machine: "
            "what is lost there says nothing about serial work"
        )
        caveats.append(caveat("oversubscribed", message))
    return tuple(caveats)


def levels_comparable(curve: ScalingCurve, up_to: float) -> bool:
    """Whether no level does more than its share of the smallest one: else something changed beside the load.

    Where that is the first step alone, as with a load generator that takes a second thread, the levels from the second
    on answer by themselves, if there are three of them or more.
    """
    counted = curve.concurrency <= up_to
    shares = curve.throughput / curve.concurrency
    if shares[1] > SUPERLINEAR * shares[0] and len(shares) > 3 and counted[1]:
        shares, counted = shares[1:], counted[1:]
    return bool(np.all(shares[counted] <= SUPERLINEAR * shares[0]))


def _step_efficiencies(curve: ScalingCurve) -> list[float]:
    levels, throughput = curve.concurrency, curve.throughput
    efficiencies: list[float] = ((throughput[1:] / throughput[:-1]) / (levels[1:] / levels[:-1])).tolist()
    return efficiencies


def _step(curve: ScalingCurve, index: int, efficiency: float) -> Step:
    before, after = float(curve.concurrency[index]), float(curve.concurrency[index + 1])
    low, high = _ratio_interval(curve.replicates[index], curve.replicates[index + 1])
    growth = after / before
    return Step(before=before, after=after, efficiency=efficiency, low=low / growth, high=high / growth)


def _superlinear_caveat(step: Step) -> Caveat:
    known = "" if math.isfinite(step.high) else " (one measurement: it may be noise)"
    message = (
        f"from concurrency {step.before:g} to {step.after:g} throughput grew faster than concurrency: "
        f"step efficiency {100 * step.efficiency:.0f} %{known}"
    )
    return caveat("superlinear", message)


def _ratio_interval(before: FloatArray, after: FloatArray) -> tuple[float, float]:
    if len(before) < 2 or len(after) < 2:
        return 0.0, math.inf
    logs_before, logs_after = np.log(before), np.log(after)
    if not np.ptp(logs_before) and not np.ptp(logs_after):
        ratio = math.exp(float(logs_after[0] - logs_before[0]))
        return ratio, ratio
    low, high = welch_test(logs_after, logs_before).interval(0.95)
    return math.exp(low), math.exp(high)


# The shape of a curve, told from its points alone: no law is fitted here.
#
# A law cannot say that throughput stopped at a wall, as when cores run out: the USL would call that
# contention. So the shape is read first, by rules stated in `describe_shape`.

_Kind = Literal["linear", "saturating", "plateau", "retrograde", "unclear"]

#: A difference smaller than this changes no decision, even where it is measurable.
_MATERIAL = 0.05
#: Nor does a gain that is known and smaller than this.
_TOLD = 0.01
#: A test below this calls two levels different, after Holm's correction for many levels.
_SIGNIFICANT = 0.05
#: Growth at least this near to proportional counts as linear.
_LINEAR = 0.90
#: A curve that reached its plateau at this efficiency hit a wall; below it, it tapered off.
_ABRUPT = 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What the points of a curve do."""

    kind: _Kind  # see `describe_shape` for the rules
    best_level: float  # the smallest concurrency that no other level measurably beats
    #: Smallest concurrency from which throughput stays within 5 % of the ceiling, where at least two levels lie on that
    #: plateau.
    plateau_from: float | None
    ceiling: (
        float  # median over the plateau, where there is one: the largest of its medians is too high; else the largest
    )
    #: Smallest level from which every level lies below the best one: measurably, where there are replicates.
    falls_from: float | None
    falls_by: float  # share lost at the largest level against the best; 0 without a fall
    cores: int | None  # of the machine, where they are known
    steps: tuple[Step, ...]
    replicated: bool  # whether every level has replicates, so that differences were tested against noise
    caveats: tuple[Caveat, ...]


def describe_shape(
    curve: ScalingCurve,
    *,
    cores: int | None = None,
    generators: Mapping[float, str] | None = None,
) -> Shape:
    """Say what a curve does, by these rules.

    Two levels differ when Welch's test on the logarithms, with Holm's correction over the levels
    compared, falls below 5 %, and none beats another by less than 1 %. With one measurement at any level nothing is
    said about noise, and a difference counts from 5 % of throughput on.

    ``best_level``
        The smallest level that no other level beats.
    ``retrograde``
        Beyond the best level throughput ends in a fall: the largest levels are all lower than
        the best, by at least 5 %.
    ``plateau``
        Throughput came at 75 % efficiency or better to within 5 % of the ceiling, and all larger
        levels stay there: a wall, as when a resource runs out.
    ``linear``
        Throughput at the largest level, and over the last step, grew at 90 % efficiency or better.
    ``saturating``
        Throughput rises with ever smaller gains, or tapers off into a flat end.
    ``unclear``
        Fewer than 3 levels, or no level measurably above the smallest though medians differ.

    B. L. Welch, Biometrika 34, 1947, 28-35. S. Holm, Scandinavian Journal of Statistics 6,
    1979, 65-70.
    """
    replicated = min(curve.counts) > 1
    best = _best_level(curve, replicated)
    top = best if replicated else int(np.argmax(curve.throughput))
    falls = _falls_from(curve, top, replicated)
    if falls is not None:  # what is lost is lost from the top
        best = top
    plateau = _plateau_from(curve)
    steps = measure_steps(curve)
    kind = _kind(curve, steps, best, falls, plateau)
    levels, throughput = curve.concurrency, curve.throughput
    return Shape(
        kind=kind,
        best_level=float(levels[best]),
        plateau_from=None if plateau is None else float(levels[plateau]),
        ceiling=float(np.max(throughput) if plateau is None else np.median(np.concatenate(curve.replicates[plateau:]))),
        falls_from=None if falls is None else float(levels[falls]),
        falls_by=0.0 if falls is None else float(1 - throughput[-1] / throughput[best]),
        cores=cores,
        steps=steps,
        replicated=replicated,
        caveats=merge(
            check_curve(curve, cores=cores),
            _generator_caveats(curve, generators or {}),
            _plateau_caveats(curve, kind, plateau, cores),
        ),
    )


def _kind(
    curve: ScalingCurve,
    steps: tuple[Step, ...],
    best: int,
    falls: int | None,
    plateau: int | None,
) -> _Kind:
    levels, throughput = curve.concurrency, curve.throughput
    efficiency = throughput / throughput[0] / (levels / levels[0])
    if len(levels) < 3:
        return "unclear"
    if falls is not None:
        return "retrograde"
    if plateau is not None and efficiency[plateau] >= _ABRUPT:
        return "plateau"
    if efficiency[-1] >= _LINEAR and steps[-1].efficiency >= _LINEAR:
        return "linear"
    if best == 0:
        # Nothing beats one worker, yet the medians are not flat either.
        return "unclear"
    return "saturating"


def _best_level(curve: ScalingCurve, replicated: bool) -> int:
    for level in range(len(curve.concurrency)):
        others = [other for other in range(len(curve.concurrency)) if other != level]
        least = 1 + (_TOLD if replicated else _MATERIAL)
        more = [other for other in others if curve.throughput[other] >= least * curve.throughput[level]]
        if not more or (replicated and not np.any(_beats(curve, more, level))):
            return level
    return int(np.argmax(curve.throughput))


def _falls_from(curve: ScalingCurve, best: int, replicated: bool) -> int | None:
    """Return the first of the largest levels that all lie below the best one."""
    beyond = list(range(best + 1, len(curve.concurrency)))
    if not beyond:
        return None
    lower = curve.throughput[beyond] < curve.throughput[best] * (1 - _MATERIAL)
    if replicated:
        lower &= _beats(curve, [best], beyond[0], others=beyond)
    if not lower[-1]:
        return None
    run = len(lower) - int(np.argmin(lower[::-1])) if not np.all(lower) else 0
    return beyond[run]


def _plateau_from(curve: ScalingCurve) -> int | None:
    near = curve.throughput >= np.max(curve.throughput) * (1 - _MATERIAL)
    if not near[-1]:
        return None
    first = 0 if np.all(near) else len(near) - int(np.argmin(near[::-1]))
    return first if first < len(near) - 1 else None


def _beats(curve: ScalingCurve, challengers: list[int], champion: int, others: list[int] | None = None) -> np.ndarray:
    """Return which challengers are measurably above a champion (or one challenger above others)."""
    pairs = (
        [(challenger, champion) for challenger in challengers]
        if others is None
        else [(challengers[0], o) for o in others]
    )
    above = np.array([curve.throughput[first] > curve.throughput[second] for first, second in pairs])
    if not above.any():
        return above
    logs = [np.log(values) for values in curve.replicates]
    pvalues = np.array([welch_pvalue(logs[first], logs[second]) for first, second in pairs])
    return above & (_holm(pvalues) < _SIGNIFICANT)


def _holm(pvalues: FloatArray) -> FloatArray:
    order = np.argsort(pvalues)
    raised = np.maximum.accumulate(pvalues[order] * np.arange(len(pvalues), 0, -1))
    adjusted = np.empty_like(pvalues)
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted


def _generator_caveats(curve: ScalingCurve, generators: Mapping[float, str]) -> list[Caveat]:
    known = [(float(n), generators[float(n)]) for n in curve.concurrency if float(n) in generators]
    changes = [
        f"from {before!r} to {after!r} between concurrency {low:g} and {high:g}"
        for (low, before), (high, after) in pairwise(known)
        if before != after
    ]
    if not changes:
        return []
    return [caveat("generator-changed", f"the load generator changed {'; '.join(changes)}")]


def _plateau_caveats(curve: ScalingCurve, kind: _Kind, plateau: int | None, cores: int | None) -> list[Caveat]:
    if kind != "plateau" or plateau is None:
        return []
    start = float(curve.concurrency[plateau])
    reason = f": as many as the machine has cores ({cores})" if cores == start else ""
    return [caveat("plateau", f"throughput stops growing at concurrency {start:g}{reason}")]


# What N workers lose together: N times one serial call against what a parallel run of it did.


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinLoss:
    """A serial benchmark's time held against its parallel twin's throughput at N workers."""

    concurrency: float
    serial_time: Estimate  # of one call alone; geometric mean
    ideal: Estimate  # N calls at once that share nothing: N by that time
    measured: Estimate  # throughput of the twin; geometric mean
    #: 1 - measured/ideal, unit ``"ratio"``; below 0 where the twin did more than N serial calls.
    share_lost: Estimate


def measure_loss(
    serial_times: ArrayLike,
    throughputs: ArrayLike,
    concurrency: float,
    *,
    time_unit: str,
    unit: str,
    confidence_level: float = 0.95,
) -> TwinLoss:
    """Return the share of throughput that N workers lose against N times one serial call.

    Both sides are summarised by geometric means, and intervals are Student's on logarithms, Welch's
    for the loss: noise of times and throughputs is a share of them. With one measurement on a side
    there is none. In simulation the nominal 95 % interval covers 93 to 95 % with 3 or more measurements
    on a side and noise of 0.5 to 5 %; with 2 on the noisier side it covers 89 to 93 %.

    B. L. Welch, "The generalization of 'Student's' problem when several different population
    variances are involved", Biometrika 34, 1947, 28-35.
    """
    level = checked_level(confidence_level)
    if not concurrency >= 1:
        raise DataError(f"concurrency {concurrency:g} is below 1; it counts workers, threads or connections")
    times, rates = _logs(serial_times, "serial times"), _logs(throughputs, "throughputs")
    ideal = math.log(concurrency) - times
    error, freedom = _welch_error(times, rates)
    loss = float(np.mean(rates) - np.mean(ideal))
    # A share kept of 1.1 is a loss of -0.1: the ends change places.
    low, high = (1 - share for share in reversed(_ends(loss, error, freedom, level)))
    lost = 1 - math.exp(loss)
    return TwinLoss(
        concurrency=concurrency,
        serial_time=_geometric_mean(times, time_unit, level),
        ideal=_geometric_mean(ideal, unit, level),
        measured=_geometric_mean(rates, unit, level),
        share_lost=Estimate(
            value=lost,
            low=low,
            high=high,
            unit="ratio",
            confidence_level=level,
            n=len(times) + len(rates),
            method=f"1 - ratio of geometric means, Welch on logarithms, t({freedom:.3g})"
            if math.isfinite(error)
            else "1 - ratio of geometric means",
            standard_error=error * (1 - lost) if math.isfinite(error) else math.nan,
        ),
    )


def _logs(values: ArrayLike, what: str) -> FloatArray:
    positive = checked_values(values, what)
    if np.any(positive <= 0):
        raise DataError(f"{what} hold {positive[positive <= 0][0]:g}; only positive values are measurements")
    return np.log(positive)


def _welch_error(first: FloatArray, other: FloatArray) -> tuple[float, float]:
    """Return the standard error of a difference of means and its degrees of freedom."""
    if len(first) < 2 or len(other) < 2:
        return math.inf, 1.0
    if not np.ptp(first) and not np.ptp(other):
        return 0.0, float(len(first) + len(other) - 2)
    test = welch_test(first, other)
    return test.standard_error, test.degrees_of_freedom


def _ends(middle: float, error: float, freedom: float, level: float) -> tuple[float, float]:
    if math.isinf(error):
        return -math.inf, math.inf
    half = float(special.stdtrit(freedom, (1 + level) / 2)) * error
    return math.exp(middle - half), math.exp(middle + half)


def _geometric_mean(logs: FloatArray, unit: str, level: float) -> Estimate:
    n, middle = len(logs), float(np.mean(logs))
    error = float(np.std(logs, ddof=1)) / math.sqrt(n) if n > 1 else math.inf
    low, high = _ends(middle, error, max(1, n - 1), level)
    return Estimate(
        value=math.exp(middle),
        low=low,
        high=high,
        unit=unit,
        confidence_level=level,
        n=n,
        method="geometric mean, Student's t on logarithms" if n > 1 else "single measurement",
        standard_error=error * math.exp(middle) if n > 1 else math.nan,
    )
