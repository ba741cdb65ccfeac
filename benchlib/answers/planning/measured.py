"""What was measured at each level: throughput and latencies, for a reader to hold against the draws."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from benchlib.answers.grouping import cells
from benchlib.answers.planning.latencies import time_unit, timed_out
from benchlib.answers.planning.question import PlanQuestion
from benchlib.answers.sweeps import Sweep
from benchlib.scaling.curve import ScalingCurve

__all__ = ["MeasuredLevel", "measured_levels"]


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
    percentiles : mapping of str to float
        Medians of those that were measured, by metric, in seconds.
    """

    concurrency: float
    throughput: float
    mean: float
    percentiles: Mapping[str, float]


def measured_levels(sweep: Sweep, question: PlanQuestion, curve: ScalingCurve) -> tuple[MeasuredLevel, ...]:
    """Return the levels of a curve with the percentiles that were measured there, those of no use left out."""
    percentiles = sweep.beside[sweep.beside["metric"].astype(str).str.startswith("latency_p")]
    if timed_out(question, set(percentiles["source"].astype(str))):
        percentiles = percentiles[:0]  # the slowest are missing
    found: dict[float, dict[str, float]] = {}
    for key, rows in cells(percentiles, [question.axis, "metric"]):
        at = found.setdefault(float(key[question.axis]), {})
        at[str(key["metric"])] = float(np.median(rows["value"].to_numpy(dtype=float)))
    seconds = time_unit(curve.unit)
    return tuple(
        MeasuredLevel(
            concurrency=float(level),
            throughput=float(rate),
            mean=math.nan if question.node_axis else float(level / rate) * seconds,
            percentiles=dict(sorted(found.get(float(level), {}).items())),
        )
        for level, rate in zip(curve.concurrency, curve.throughput, strict=True)
    )
