"""A published recommendation of cores, held against the levels measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchlib.capacity.draws import CurveDraws
from benchlib.scaling.advise import Return
from benchlib.scaling.laws import FloatArray
from benchlib.study import ClaimPlan

__all__ = ["ClaimTest", "check_claims"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimTest:
    """What one rule says of a recommendation.

    Attributes
    ----------
    text : str
        As it was published.
    source : str
        Where.
    cores : tuple of float
        From so many to so many; 0 and infinite where that side is open.
    rule : str
        By which the best was looked for.
    stated : bool
        Whether the recommendation is meant by this rule.
    best : tuple of float
        The level that is best by the points, twice, or the two levels between which it is best to add.
    holds : bool
        Whether that lies within the recommendation.
    probability : float
        The share of the draws in which it does.
    """

    text: str
    source: str
    cores: tuple[float, float]
    rule: str
    stated: bool
    best: tuple[float, float]
    holds: bool
    probability: float


def check_claims(claims: Sequence[ClaimPlan], name: str, returns: Return, drawn: CurveDraws) -> tuple[ClaimTest, ...]:
    """Test what is recommended for a curve by throughput per core, by throughput per added core, and by the knee."""
    levels = [one.concurrency for one in returns.levels if one.within_cores and one.concurrency in drawn.concurrency]
    at = np.searchsorted(drawn.concurrency, levels)
    places, curves = drawn.concurrency[at], drawn.throughput[:, at]
    step = returns.added_core_best
    by_rule = {
        "throughput per core": ((returns.per_core_best,) * 2, _best(curves / places, places, places)),
        "throughput per added core": (
            step,
            _best(np.diff(curves, axis=1) / np.diff(places), places[:-1], places[1:]),
        ),
        "knee": ((returns.recommended,) * 2, _best(curves**2 / places, places, places)),
    }
    found = []
    for claim in claims:
        if claim.of not in ("", name):
            continue
        low = 0.0 if claim.low is None else claim.low
        high = math.inf if claim.high is None else claim.high
        for rule, (best, drawn_best) in by_rule.items():
            if best is None or not len(drawn_best):
                continue
            found.append(
                ClaimTest(
                    text=claim.text,
                    source=claim.source,
                    cores=(low, high),
                    rule=rule,
                    stated=rule == claim.rule,
                    best=(float(best[0]), float(best[1])),
                    holds=low <= best[0] and best[1] <= high,
                    probability=float(np.mean((low <= drawn_best[:, 0]) & (drawn_best[:, 1] <= high))),
                )
            )
    return tuple(found)


def _best(values: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the place of the largest value of each draw, shape (draws, 2)."""
    if not values.shape[1]:
        return np.empty((0, 2))
    where = np.argmax(values, axis=1)
    return np.column_stack([low[where], high[where]])
