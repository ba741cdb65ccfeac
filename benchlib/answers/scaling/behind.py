"""What stands behind a statement on a level of a curve, on a whole curve, or on all of them."""

from __future__ import annotations

from collections.abc import Iterable

from benchlib.answers.evidence import Evidence, pool
from benchlib.answers.scaling.answer import CurveAnswer, ScalingAnswer

__all__ = ["curve_evidence", "fall_evidence", "scaling_evidence", "speedup_evidence", "step_evidence"]

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
    """Return the rows of the smallest level and of another: its speedup, efficiency and serial fraction.

    Examples
    --------
    >>> import benchlib
    >>> curve = benchlib.fit_scaling("data/reference").curves[0]
    >>> speedup_evidence(curve, 36.0).values
    (('specsdm91.csv:3', 64.9), ('specsdm91.csv:5', 1652.4))
    """
    return _of_levels(curve, (curve.points[0].concurrency, level), _SPEEDUP)


def step_evidence(curve: CurveAnswer, level: float) -> Evidence:
    """Return the rows of a level and of the one before: the efficiency of the step between them."""
    levels = [one.concurrency for one in curve.points]
    place = levels.index(level)
    return _of_levels(curve, levels[max(0, place - 1) : place + 1], _STEP)


def fall_evidence(curve: CurveAnswer) -> Evidence:
    """Return the rows of the best level and of the largest."""
    return _of_levels(curve, (curve.shape.best_level, curve.points[-1].concurrency), _FALL)


def _of_levels(curve: CurveAnswer, levels: Iterable[float], formula: str) -> Evidence:
    every = [curve.evidence[one] for one in dict.fromkeys(levels)]
    return pool(every, formula.format(throughput=every[0].formula.partition(",")[0]))


def curve_evidence(curve: CurveAnswer) -> Evidence:
    """Return the rows of a whole curve, for what follows from all of its levels.

    Examples
    --------
    >>> import benchlib
    >>> curve = benchlib.fit_scaling("data/reference").curves[0]
    >>> len(curve_evidence(curve).rows) > 0
    True
    """
    return pool(curve.evidence.values(), _CURVE)


def scaling_evidence(answer: ScalingAnswer) -> Evidence:
    """Return the rows of all curves."""
    return pool((curve_evidence(one) for one in answer.curves), f"curve by curve: {_CURVE}")
