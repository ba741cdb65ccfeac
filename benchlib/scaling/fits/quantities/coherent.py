"""Peak, knee, ceiling and saturation point of laws with contention and coherency: parameters r, c, k."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from benchlib.scaling.fits.quantities.quantity import SATURATION_SHARE, Quantity, box, columns, reciprocal, tangent
from benchlib.scaling.laws import FloatArray
from benchlib.scaling.laws.losses import usl_log_peak

__all__ = ["USL", "USL_LOG", "serial_share_at", "usl_saturation"]


def _with_peak(peak: Callable[[float, float], float], curvature: Callable[[FloatArray], FloatArray]) -> Quantity:
    """Return the peak of a law at which the coherency is (1 - c) times a curvature."""

    def embed(free: FloatArray, held: FloatArray) -> tuple[FloatArray, FloatArray]:
        rate, contention = free.T
        bend = curvature(held)
        full = columns(len(free), rate, contention, (1 - contention) * bend)
        return full, tangent(len(free), (1.0, 0.0), (0.0, 1.0), (0.0, -bend))

    return Quantity(
        value=lambda p: peak(float(p[1]), float(p[2])),
        free=lambda p, held: p[:, :2],
        embed=embed,
        bounds=box([0.0, 0.0], [math.inf, 1.0]),
        of_rate=False,
        shared=False,
        endless={"coherency": 0.0},
    )


def _usl_peak(contention: float, coherency: float) -> float:
    return math.sqrt(max(0.0, 1 - contention) / coherency) if coherency > 0 else math.inf


def _usl_ceiling(p: FloatArray) -> float:
    # X at N = sqrt((1 - c)/k); with k = 0 it becomes Amdahl's r/c.
    loss = p[1] - p[2] + 2 * math.sqrt(max(0.0, p[2] * (1 - p[1])))
    return float(p[0] / loss) if loss > 0 else math.inf


def _embed_ceiling(free: FloatArray, held: FloatArray) -> tuple[FloatArray, FloatArray]:
    # With q = sqrt(k) and v = sqrt(1 - r/ceiling): c = 1 - (q + v)². The second coordinate is the share of q in
    # what v leaves to 1: at 0 there is no coherency, at 1 no contention.
    rate, share = free.T
    left = np.sqrt(np.maximum(1 - rate / held, _TINY))
    left_by = -0.5 / (left * held)
    root = share * (1 - left)
    whole = root + left
    by_rate, by_share = -share * left_by, 1 - left
    full = columns(len(free), rate, 1 - whole**2, root**2)
    contention_by = -2 * whole * (by_rate + left_by), -2 * whole * by_share
    return full, tangent(len(free), (1.0, 0.0), contention_by, (2 * root * by_rate, 2 * root * by_share))


def _free_ceiling(p: FloatArray, held: FloatArray) -> FloatArray:
    rate = np.minimum(p[:, 0], 0.9 * held)
    room = 1 - np.sqrt(1 - rate / held)
    return columns(len(p), rate, np.minimum(np.sqrt(p[:, 2]) / room, 1.0))


def usl_saturation(p: FloatArray) -> float:
    """Return where the USL with these parameters reaches `SATURATION_SHARE` of its largest throughput."""
    # 1/X = share⁻¹/X_peak is a quadratic in N; the smaller root lies before the peak.
    if p[1] >= 1:
        return 1.0
    target = (p[1] - p[2] + 2 * math.sqrt(max(0.0, p[2] * (1 - p[1])))) / SATURATION_SHARE
    if target <= 0:
        return math.inf
    middle = target - p[1] + p[2]
    rest = math.sqrt(max(0.0, middle**2 - 4 * p[2] * (1 - p[1])))
    return float(max(1.0, 2 * (1 - p[1]) / (middle + rest)))


def _most_root(held: FloatArray) -> FloatArray:
    """Return the root of the coherency that saturates at a point without contention."""
    inverse = 1 / SATURATION_SHARE
    square = held - 1 + inverse
    return np.asarray((inverse - np.sqrt(np.maximum(inverse**2 - square / held, 0.0))) / square)


def _embed_saturation(free: FloatArray, held: FloatArray) -> tuple[FloatArray, FloatArray]:
    # With q = sqrt(k) and u = sqrt(1 - c) the point is a quadratic in u. The second coordinate is the share of q
    # in the most it can be: at 0 there is no coherency, at 1 no contention.
    rate, share = free.T
    inverse = 1 / SATURATION_SHARE
    most = _most_root(held)
    root = share * most
    square, leading = held - 1 + inverse, 1 / held + inverse - 1
    spread = np.sqrt(np.maximum((inverse * root) ** 2 - leading * (square * root**2 - (inverse - 1)), _TINY))
    parallel = (inverse * root + spread) / leading
    parallel_by = (inverse + (inverse**2 - leading * square) * root / spread) / leading * most
    full = columns(len(free), rate, 1 - parallel**2, root**2)
    return full, tangent(len(free), (1.0, 0.0), (0.0, -2 * parallel * parallel_by), (0.0, 2 * root * most))


def _free_saturation(p: FloatArray, held: FloatArray) -> FloatArray:
    return columns(len(p), p[:, 0], np.minimum(np.sqrt(p[:, 2]) / _most_root(held), 1.0))


def serial_share_at(point: FloatArray) -> FloatArray:
    """Return the serial fraction whose Amdahl curve saturates at ``point``."""
    odds = SATURATION_SHARE / (1 - SATURATION_SHARE)
    return np.asarray(odds / (point + odds))


_TINY, _NEARLY_ONE = 1e-12, 1 - 1e-9


def _embed_knee(free: FloatArray, held: FloatArray) -> tuple[FloatArray, FloatArray]:
    full = columns(len(free), free[:, 0], 1 / held, free[:, 1])
    return full, tangent(len(free), (1.0, 0.0), (0.0, 0.0), (0.0, 1.0))


_KNEE = Quantity(
    value=reciprocal,
    free=lambda p, held: p[:, [0, 2]],
    embed=_embed_knee,
    bounds=box([0.0, 0.0], [math.inf, math.inf]),
    of_rate=False,
    shared=False,
    endless={"contention": 0.0},
)

USL: dict[str, Quantity] = {
    "peak": _with_peak(_usl_peak, lambda held: 1 / held**2),
    "knee": _KNEE,
    "ceiling": Quantity(
        value=_usl_ceiling,
        free=_free_ceiling,
        embed=_embed_ceiling,
        bounds=lambda held: (np.zeros((len(held), 2)), columns(len(held), _NEARLY_ONE * held, 1.0)),
        of_rate=True,
        shared=True,
        endless={"contention": 0.0, "coherency": 0.0},
    ),
    "saturation_point": Quantity(
        value=usl_saturation,
        free=_free_saturation,
        embed=_embed_saturation,
        bounds=box([0.0, 0.0], [math.inf, 1.0]),
        of_rate=False,
        shared=True,
        endless={"contention": 0.0, "coherency": 0.0},
    ),
}

USL_LOG: dict[str, Quantity] = {
    "peak": _with_peak(usl_log_peak, lambda held: 1 / (np.log(held) + held - 1)),
    "knee": _KNEE,
}
