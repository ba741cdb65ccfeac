"""What stands behind a statement on a whole curve, or on all of them."""

from __future__ import annotations

from benchlib.answers.evidence import Evidence, pool
from benchlib.answers.scaling.answer import CurveAnswer, ScalingAnswer

__all__ = ["curve_evidence", "scaling_evidence"]

_CURVE = (
    "X(N) is the median throughput at N; speedup S(N) = X(N) / X(smallest N); efficiency = S(N) / N, relative to the "
    "smallest N; step efficiency = (X(N2) / X(N1)) / (N2 / N1); serial fraction = (1/S - 1/N) / (1 - 1/N); laws by "
    "weighted least squares over all of these values"
)


def curve_evidence(curve: CurveAnswer) -> Evidence:
    """Return the rows of a whole curve, with how speedups, efficiencies and laws follow from them.

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
