"""The order of measurement: what it says against a curve whose machine drifted, or whose levels came in order."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from benchlib.caveats import Caveat, caveat
from benchlib.scaling.curve import ScalingCurve, tied_to_order
from benchlib.scaling.laws import FloatArray
from benchlib.statistics.stability import SPREAD_LIMIT


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


def order_caveats(curve: ScalingCurve) -> list[Caveat]:
    """Return what the order of measurement says against a curve."""
    if curve.places is None:
        return []
    if tied_to_order(curve):
        message = (
            "the levels stand in order of concurrency, one after another: level and time cannot be told apart, and a "
            "machine that slowed down or warmed up meanwhile looks like a loss or a gain of scaling"
        )
        return [caveat("level-is-time", message)]
    drift = curve.drift
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
