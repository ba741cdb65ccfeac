"""The order of measurement: a drift that a random order shows, and level and time where they go together."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchlib.caveats import Caveat, caveat
from benchlib.lazy_scipy import special
from benchlib.scaling.curve import ScalingCurve
from benchlib.scaling.laws import FloatArray
from benchlib.statistics.moments import t_quantile
from benchlib.statistics.stability import SPREAD_LIMIT

#: Levels and places that agree at least so well (correlation) cannot be told apart.
_TOGETHER = 0.8
#: At least this share of how places vary has to lie within levels before they tell a drift: else it is a guess from
#: neighbours.
_ENOUGH_WITHIN = 0.25
#: A drift is taken out where chance makes as clear a one this often.
_SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """How throughput moved while a curve was recorded, whatever the level."""

    slope: float  # of the logarithm of throughput, from the first place of a recording to the last
    low: float
    high: float
    pvalue: float
    spread: float  # standard deviation of the logarithm that this is over the recording


def places_in(recording: ArrayLike, position: ArrayLike) -> FloatArray:
    """Return where in its recording each measurement stands, from -1/2 to 1/2; 0 in a recording of one place."""
    codes = np.unique(np.asarray(recording).astype(str), return_inverse=True)[1].ravel()
    order = np.asarray(position, dtype=float)
    places = np.zeros(len(order))
    for code in range(int(codes.max(initial=-1)) + 1):
        rows = codes == code
        rank = np.unique(order[rows], return_inverse=True)[1].ravel()
        places[rows] = rank / rank.max() - 0.5 if rank.max() else 0.0
    return places


def find_drift(curve: ScalingCurve) -> Drift | None:
    """Return the drift that values of one level show; None where none is shown, or the order cannot tell.

    The slope is that of logarithms on places within levels, so that no law is needed.

    N. R. Draper and H. Smith, "Applied Regression Analysis", 3rd edition, Wiley 1998, section 1.4.
    """
    if curve.places is None or _agreement(curve) >= _TOGETHER:
        return None
    counts = np.array(curve.counts)
    starts = np.cumsum(counts) - counts
    logs, places = np.log(np.concatenate(curve.replicates)), np.concatenate(curve.places)
    every = places - places.mean()
    logs, inner = (values - np.repeat(np.add.reduceat(values, starts) / counts, counts) for values in (logs, places))
    moved, freedom = float(inner @ inner), len(logs) - len(counts) - 1
    if freedom < 1 or moved < _ENOUGH_WITHIN * float(every @ every) or not moved:
        return None
    slope = float(inner @ logs) / moved
    left = logs - slope * inner
    error = math.sqrt(float(left @ left) / freedom / moved)
    pvalue = 2 * float(special.stdtr(freedom, -abs(slope) / error)) if error else float(slope == 0)
    if pvalue >= _SIGNIFICANT:
        return None
    half = t_quantile(0.975, freedom) * error
    spread = abs(slope) * math.sqrt(float(every @ every) / len(every))
    return Drift(slope=slope, low=slope - half, high=slope + half, pvalue=pvalue, spread=spread)


def order_caveats(curve: ScalingCurve) -> list[Caveat]:
    """Return what the order of measurement says against a curve."""
    if curve.places is None:
        return []
    if _agreement(curve) >= _TOGETHER:
        message = (
            "the levels stand in order of concurrency, one after another: level and time cannot be told apart, and a "
            "machine that slowed down or warmed up meanwhile looks like a loss or a gain of scaling"
        )
        return [caveat("level-is-time", message)]
    drift = find_drift(curve)
    if drift is None:
        return []
    change, *ends = (100 * math.expm1(value) for value in (drift.slope, drift.low, drift.high))
    low, high = sorted(abs(end) for end in ends)
    moved = f"{'fell' if drift.slope < 0 else 'rose'} by {abs(change):.2g} % ({low:.2g} to {high:.2g} %)"
    message = (
        f"throughput {moved} from the first measurement to the last, whatever the level: that is taken out, and what "
        "is told of throughput holds it"
    )
    far = min(abs(drift.low), abs(drift.high)) > math.log(SPREAD_LIMIT)
    return [caveat("drifted-far" if far else "drift-removed", message)]


def _agreement(curve: ScalingCurve) -> float:
    """Return how well places and levels go together, recording by recording: the size of their correlation."""
    assert curve.places is not None
    levels = np.repeat(np.arange(len(curve.counts), dtype=float), curve.counts)
    places = np.concatenate(curve.places)
    levels, places = levels - levels.mean(), places - places.mean()
    size = math.sqrt(float(levels @ levels) * float(places @ places))
    return abs(float(levels @ places)) / size if size else 0.0
