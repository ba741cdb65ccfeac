"""A scaling curve: throughput against concurrency, all else fixed, and what each point says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from benchlib.caveats import Caveat, caveat
from benchlib.errors import DataError, choices
from benchlib.scaling.laws import FloatArray
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.sample import summarise

__all__ = [
    "ScalingCurve",
    "ScalingPoint",
    "Step",
    "build_curve",
    "check_curve",
    "levels_text",
    "measure_points",
    "measure_steps",
    "up_to",
]

#: A step this much better than proportional is worth a remark; less is rounding and luck.
SUPERLINEAR = 1.05


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScalingCurve:
    """Throughput at every level of concurrency, lowest level first.

    Attributes
    ----------
    concurrency : ndarray, shape (levels,)
        Distinct and ascending.
    replicates : tuple of ndarray
        The measurements of each level, in the order they were given.
    throughput : ndarray, shape (levels,)
        Median of each level, in ``unit``.
    unit : str
    """

    concurrency: FloatArray
    replicates: tuple[FloatArray, ...]
    throughput: FloatArray
    unit: str

    @property
    def counts(self) -> tuple[int, ...]:
        """How many measurements each level has."""
        return tuple(len(values) for values in self.replicates)

    @property
    def rows(self) -> tuple[FloatArray, FloatArray]:
        """Concurrency and throughput of every single measurement."""
        return np.repeat(self.concurrency, self.counts), np.concatenate(self.replicates)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingPoint:
    """One level of a curve.

    Attributes
    ----------
    concurrency : float
    n : int
        Measurements at this level.
    throughput : Estimate
        Median with the interval its replicates allow.
    speedup : float
        Relative to the smallest level of the curve.
    efficiency : float
        Speedup by concurrency, both relative to the smallest level.
    step_efficiency : float
        Growth of throughput by growth of concurrency since the level before; NaN at the first.
    serial_fraction : float
        Karp and Flatt's; NaN at the first level, and everywhere without a level 1.
    """

    concurrency: float
    n: int
    throughput: Estimate
    speedup: float
    efficiency: float
    step_efficiency: float
    serial_fraction: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """From one level to the next: does throughput grow in proportion?

    Attributes
    ----------
    before, after : float
        The two concurrencies.
    efficiency : float
        (X2 / X1) / (N2 / N1), of medians.
    low, high : float
        Welch's interval at 95 %, of geometric means; infinite (0 below) with one measurement
        on either side.
    """

    before: float
    after: float
    efficiency: float
    low: float
    high: float

    @property
    def superlinear(self) -> bool:
        """Whether throughput grew faster than concurrency, and not by noise alone where known."""
        return self.efficiency > SUPERLINEAR and (self.low > 1 or math.isinf(self.high))


def build_curve(concurrency: ArrayLike, throughput: ArrayLike, *, unit: str) -> ScalingCurve:
    """Group measurements, in any order, into a curve.

    Parameters
    ----------
    concurrency : array_like, shape (n,)
        Workers, threads, connections... of each measurement; at least 1.
    throughput : array_like, shape (n,)
        Work by time of each measurement; positive.
    unit : str
        Base unit of throughput.

    Raises
    ------
    DataError
        For lengths that differ, no measurement, a value that is not a finite positive number,
        a concurrency below 1, or one concurrency only.

    Examples
    --------
    >>> curve = build_curve([2, 1, 2], [19.0, 10.0, 18.0], unit="op/sec")
    >>> curve.concurrency.tolist(), curve.throughput.tolist()
    ([1.0, 2.0], [10.0, 18.5])
    """
    levels = _numbers(concurrency, "concurrency")
    values = _numbers(throughput, "throughput")
    if len(levels) != len(values):
        raise DataError(f"{len(levels)} concurrencies and {len(values)} throughputs; give one of each a row")
    if not len(levels):
        raise DataError("a scaling curve needs measurements, got none; check the selection")
    if np.any(levels < 1):
        raise DataError(f"concurrency {levels[levels < 1][0]:g} is below 1; it counts workers, threads or connections")
    if np.any(values <= 0):
        where = int(np.argmax(values <= 0))
        raise DataError(
            f"throughput {values[where]:g} at concurrency {levels[where]:g} is not positive; "
            "leave failed measurements out"
        )
    distinct = np.unique(levels)
    if len(distinct) == 1:
        raise DataError(
            f"all {len(levels)} measurements are at concurrency {distinct[0]:g}; "
            "scaling needs at least 2 distinct concurrencies"
        )
    replicates = tuple(_frozen(values[levels == level]) for level in distinct)
    return ScalingCurve(
        concurrency=_frozen(distinct),
        replicates=replicates,
        throughput=_frozen(np.array([np.median(one) for one in replicates])),
        unit=unit,
    )


def up_to(curve: ScalingCurve, concurrency: float) -> ScalingCurve:
    """Return the part of a curve up to a concurrency, such as the number of cores.

    Raises
    ------
    DataError
        When fewer than 2 levels remain.

    Examples
    --------
    >>> whole = build_curve([1, 2, 4], [10.0, 18.0, 19.0], unit="op/sec")
    >>> up_to(whole, 2).concurrency.tolist()
    [1.0, 2.0]
    """
    kept = int(np.sum(curve.concurrency <= concurrency))
    if kept < 2:
        raise DataError(
            f"{kept} of the concurrencies ({levels_text(curve.concurrency)}) lie within {concurrency:g}; "
            "scaling needs at least 2"
        )
    return ScalingCurve(
        concurrency=curve.concurrency[:kept],
        replicates=curve.replicates[:kept],
        throughput=curve.throughput[:kept],
        unit=curve.unit,
    )


def measure_points(curve: ScalingCurve, *, confidence_level: float = 0.95) -> tuple[ScalingPoint, ...]:
    """Say what each level shows: throughput, speedup, efficiency, Karp-Flatt serial fraction.

    Without a level 1 speedup and efficiency are relative to the smallest level, and the serial
    fraction, which needs the throughput of one worker, is NaN.

    References
    ----------
    A. H. Karp and H. P. Flatt, "Measuring parallel processor performance", Communications of
    the ACM 33(5), 1990, 539-543: (1/S - 1/N) / (1 - 1/N).

    Examples
    --------
    >>> curve = build_curve([1, 4], [20.0, 78.0], unit="op/sec")
    >>> points = measure_points(curve)
    >>> round(points[1].speedup, 2), round(points[1].efficiency, 3), round(points[1].serial_fraction, 6)
    (3.9, 0.975, 0.008547)
    """
    speedups = curve.throughput / curve.throughput[0]
    efficiencies = speedups / (curve.concurrency / curve.concurrency[0])
    steps = (math.nan, *(step.efficiency for step in measure_steps(curve)))
    return tuple(
        ScalingPoint(
            concurrency=float(n),
            n=len(values),
            throughput=summarise(values, unit=curve.unit, confidence_level=confidence_level).median,
            speedup=float(speedup),
            efficiency=float(efficiency),
            step_efficiency=step,
            serial_fraction=_karp_flatt(float(n), float(speedup), float(curve.concurrency[0])),
        )
        for n, values, speedup, efficiency, step in zip(
            curve.concurrency, curve.replicates, speedups, efficiencies, steps, strict=True
        )
    )


def measure_steps(curve: ScalingCurve) -> tuple[Step, ...]:
    """Return the step from every level to the next.

    Examples
    --------
    >>> curve = build_curve([1, 2, 4], [10.0, 20.0, 30.0], unit="op/sec")
    >>> [step.efficiency for step in measure_steps(curve)]
    [1.0, 0.75]
    """
    found = []
    for one, two in pairwise(range(len(curve.concurrency))):
        growth = float(curve.concurrency[two] / curve.concurrency[one])
        low, high = _ratio_interval(curve.replicates[one], curve.replicates[two])
        found.append(
            Step(
                before=float(curve.concurrency[one]),
                after=float(curve.concurrency[two]),
                efficiency=float(curve.throughput[two] / curve.throughput[one]) / growth,
                low=low / growth,
                high=high / growth,
            )
        )
    return tuple(found)


def check_curve(curve: ScalingCurve, *, cores: int | None = None) -> tuple[Caveat, ...]:
    """Return what weakens a curve before any law is fitted.

    Fewer than 6 levels, one measurement at a level, no level 1, steps that are superlinear,
    and, where ``cores`` is known, levels beyond it.

    Examples
    --------
    >>> curve = build_curve([1, 2, 4], [10.0, 20.0, 30.0], unit="op/sec")
    >>> [one.code for one in check_curve(curve, cores=2)]
    ['few-levels', 'one-replicate', 'oversubscribed']
    """
    found = []
    levels = curve.concurrency
    if len(levels) < 6:
        found.append(caveat("few-levels", f"{len(levels)} levels of concurrency ({levels_text(levels)})"))
    single = [n for n, count in zip(levels, curve.counts, strict=True) if count == 1]
    if len(single) == len(levels):
        message = "one measurement at every level: no difference between levels can be told from noise"
        found.append(caveat("one-replicate", message))
    elif single:
        found.append(caveat("one-replicate", f"one measurement only at concurrency {levels_text(single)}"))
    if levels[0] != 1:
        found.append(caveat("no-level-one", f"the smallest concurrency is {levels[0]:g}; speedup is relative to it"))
    found += [_superlinear_caveat(step) for step in measure_steps(curve) if step.superlinear]
    beyond = [] if cores is None else [n for n in levels if n > cores]
    if beyond:
        message = (
            f"concurrency {levels_text(beyond)} exceeds the {cores} cores of the machine: "
            "what is lost there says nothing about serial work"
        )
        found.append(caveat("oversubscribed", message))
    return tuple(found)


def levels_text(levels: Sequence[float] | FloatArray) -> str:
    """Write levels of concurrency for a message.

    Examples
    --------
    >>> levels_text([1.0, 2.0, 16.0])
    '1, 2, 16'
    """
    return choices([f"{float(n):g}" for n in levels])


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
    interval = stats.ttest_ind(logs_after, logs_before, equal_var=False).confidence_interval(0.95)
    return math.exp(interval.low), math.exp(interval.high)


def _karp_flatt(n: float, speedup: float, smallest: float) -> float:
    if smallest != 1 or n == 1:
        return math.nan
    return (1 / speedup - 1 / n) / (1 - 1 / n)


def _numbers(values: ArrayLike, what: str) -> FloatArray:
    try:
        array = np.array(values, dtype=float).ravel()
    except (TypeError, ValueError) as error:
        raise DataError(f"{what} holds something that is not a number; check the axis or metric") from error
    if not np.all(np.isfinite(array)):
        raise DataError(f"{what} holds {array[~np.isfinite(array)][0]:g}; only finite numbers are accepted")
    return array


def _frozen(array: FloatArray) -> FloatArray:
    array.setflags(write=False)
    return array
