"""The quadratic transform: Gunther's way to the USL without a search, for comparison with published numbers.

It weighs every level alike after division by N, so noise at large N rules it, and it has no
intervals: fit the law instead (`benchlib.scaling.fits.fitting.fit_law`) wherever a number is to be used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from benchlib.errors import DataError
from benchlib.scaling.curve import ScalingCurve, levels_text

__all__ = ["QuadraticTransform", "quadratic_transform"]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuadraticTransform:
    """What the transform makes of a curve.

    Attributes
    ----------
    contention, coherency : float
        Not kept within the feasible region: a negative one says that the transform does not hold.
    peak : float
        Infinite where the coherency is not above 0.
    """

    contention: float
    coherency: float
    peak: float


def quadratic_transform(curve: ScalingCurve) -> QuadraticTransform:
    """Regress N/C(N) - 1 on N - 1 by a parabola through the origin, where C(N) is X(N)/X(1).

    The parabola is coherency (N - 1)² + (contention + coherency) (N - 1).

    Raises
    ------
    DataError
        Without a level 1, or with fewer than 2 levels above it.

    References
    ----------
    N. J. Gunther, "Guerrilla Capacity Planning", Springer 2007, section 5.2. The numbers of the
    example are those of the vignette of R's usl 1.8.0, data set raytracer.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> curve = build_curve([1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64],
    ...                     [20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310], unit="op/sec")
    >>> found = quadratic_transform(curve)
    >>> round(found.contention, 8), round(found.coherency, 9), round(found.peak, 1)
    (0.05002394, 4.708e-06, 449.2)
    """
    levels = curve.concurrency
    if levels[0] != 1 or len(levels) < 3:
        raise DataError(
            f"the quadratic transform needs level 1 and 2 levels above it, got {levels_text(levels)}; "
            "measure them, or fit law='usl', which needs no level 1"
        )
    further = levels - 1
    deviation = levels / (curve.throughput / curve.throughput[0]) - 1
    parabola = np.column_stack([further**2, further])
    (square, line), *_ = np.linalg.lstsq(parabola, deviation, rcond=None)
    contention, coherency = float(line - square), float(square)
    peak = math.sqrt(max(0.0, 1 - contention) / coherency) if coherency > 0 else math.inf
    return QuadraticTransform(contention=contention, coherency=coherency, peak=peak)
