"""What was measured at each level: throughput and latencies, for a reader to hold against the draws."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchlib.answers.grouping import cells
from benchlib.answers.planning.latencies import time_unit, timed_out
from benchlib.answers.planning.question import PlanQuestion
from benchlib.answers.sweeps import Sweep
from benchlib.scaling.curve import ScalingCurve

__all__ = ["MeasuredLevel", "disagreeing", "measured_levels"]

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


def disagreeing(levels: Sequence[MeasuredLevel], near: float, most: float) -> MeasuredLevel | None:
    """Return the level nearest to a concurrency, and not beyond ``most``, where the generator states another mean.

    Another by more than a tenth of N / X, which a closed system has by Little's law; None where it agrees everywhere.
    """
    found = [
        one
        for one in levels
        if one.concurrency <= most and abs(math.log(one.generator_mean / one.mean)) > math.log(1 + _APART)
    ]
    return min(found, key=lambda one: abs(math.log(one.concurrency / near)), default=None)


def measured_levels(sweep: Sweep, question: PlanQuestion, curve: ScalingCurve) -> tuple[MeasuredLevel, ...]:
    """Return the levels of a curve with the percentiles that were measured there, those of no use left out."""
    percentiles = sweep.beside[sweep.beside["metric"].astype(str).str.startswith("latency_p")]
    if timed_out(question, [percentiles, sweep.failed]):
        percentiles = percentiles[:0]  # the slowest are missing
    found: dict[float, dict[str, float]] = {}
    for key, rows in cells(percentiles, [question.axis, "metric"]):
        at = found.setdefault(float(key[question.axis]), {})
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
            percentiles=dict(sorted(found.get(float(level), {}).items())),
        )
        for level, rate in zip(curve.concurrency, curve.throughput, strict=True)
    )
