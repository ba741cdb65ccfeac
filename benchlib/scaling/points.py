"""What each level of a curve shows, what each step, and what weakens them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from benchlib.caveats import Caveat, caveat
from benchlib.scaling.curve import ScalingCurve, levels_text
from benchlib.scaling.laws import FloatArray
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.moments import welch_test
from benchlib.statistics.samples import median_of_few

__all__ = ["SUPERLINEAR", "ScalingPoint", "Step", "check_curve", "measure_points", "measure_steps", "serial_fractions"]

#: A step this much better than proportional is worth a remark; less is rounding and luck.
SUPERLINEAR = 1.05


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingPoint:
    """One level of a curve.

    Attributes
    ----------
    concurrency : float
    n : int
        Measurements at this level.
    throughput : Estimate
        Median with the interval its replicates allow: that of order statistics, and where they are too few
        for it (5 or fewer at 95 %) Student's t on their logarithms, as ``method`` says; none for one.
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
    >>> from benchlib.scaling.curve import build_curve
    >>> curve = build_curve([1, 4], [20.0, 78.0], unit="op/sec")
    >>> points = measure_points(curve)
    >>> round(points[1].speedup, 2), round(points[1].efficiency, 3), round(points[1].serial_fraction, 6)
    (3.9, 0.975, 0.008547)
    """
    speedups = curve.throughput / curve.throughput[0]
    efficiencies = speedups / (curve.concurrency / curve.concurrency[0])
    steps = (math.nan, *_step_efficiencies(curve))
    return tuple(
        ScalingPoint(
            concurrency=float(n),
            n=len(values),
            throughput=median_of_few(values, curve.unit, confidence_level),
            speedup=float(speedup),
            efficiency=float(efficiency),
            step_efficiency=step,
            serial_fraction=float(fraction),
        )
        for n, values, speedup, efficiency, step, fraction in zip(
            curve.concurrency, curve.replicates, speedups, efficiencies, steps, serial_fractions(curve), strict=True
        )
    )


def serial_fractions(curve: ScalingCurve) -> FloatArray:
    """Return Karp and Flatt's serial fraction at each level; NaN where `measure_points` has none.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> serial_fractions(build_curve([1, 4], [20.0, 78.0], unit="op/sec")).round(6).tolist()
    [nan, 0.008547]
    """
    found = np.full(len(curve.concurrency), math.nan)
    if curve.concurrency[0] == 1:
        n, speedups = curve.concurrency[1:], curve.throughput[1:] / curve.throughput[0]
        found[1:] = (1 / speedups - 1 / n) / (1 - 1 / n)
    return found


def measure_steps(curve: ScalingCurve) -> tuple[Step, ...]:
    """Return the step from every level to the next.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> curve = build_curve([1, 2, 4], [10.0, 20.0, 30.0], unit="op/sec")
    >>> [step.efficiency for step in measure_steps(curve)]
    [1.0, 0.75]
    """
    return tuple(_step(curve, index, efficiency) for index, efficiency in enumerate(_step_efficiencies(curve)))


def check_curve(curve: ScalingCurve, *, cores: int | None = None, where: str = "") -> tuple[Caveat, ...]:
    """Return what weakens a curve before any law is fitted.

    Fewer than 6 levels, one measurement at a level, no level 1, steps that are superlinear,
    and, where ``cores`` is known, levels beyond it. Of a curve that is part of another, ``where``
    says which levels are counted, as in ``within the cores``.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> curve = build_curve([1, 2, 4], [10.0, 20.0, 30.0], unit="op/sec")
    >>> [one.code for one in check_curve(curve, cores=2)]
    ['few-levels', 'one-replicate', 'oversubscribed']
    """
    found = []
    levels = curve.concurrency
    if len(levels) < 6:
        counted = " ".join(["levels of concurrency", where]).rstrip()
        found.append(caveat("few-levels", f"{len(levels)} {counted} ({levels_text(levels)})"))
    single = [n for n, count in zip(levels, curve.counts, strict=True) if count == 1]
    if len(single) == len(levels):
        message = "one measurement at every level: no difference between levels can be told from noise"
        found.append(caveat("one-replicate", message))
    elif single:
        found.append(caveat("one-replicate", f"one measurement only at concurrency {levels_text(single)}"))
    if levels[0] != 1:
        found.append(caveat("no-level-one", f"the smallest concurrency is {levels[0]:g}; speedup is relative to it"))
    # Most steps are no candidates, and need no interval.
    candidates = [
        _step(curve, index, efficiency)
        for index, efficiency in enumerate(_step_efficiencies(curve))
        if efficiency > SUPERLINEAR
    ]
    found += [_superlinear_caveat(step) for step in candidates if step.superlinear]
    beyond = [] if cores is None else [n for n in levels if n > cores]
    if beyond:
        message = (
            f"concurrency {levels_text(beyond)} exceeds the {cores} cores of the machine: "
            "what is lost there says nothing about serial work"
        )
        found.append(caveat("oversubscribed", message))
    return tuple(found)


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
