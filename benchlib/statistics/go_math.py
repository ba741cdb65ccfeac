"""Logarithm, exponential and U distribution as Go rounds them: the last digits that benchstat prints are of these.

Go's own functions differ from the C library's in the last bit now and then. These repeat what Go does on a
processor of the kind amd64 with fused multiply-add; Go itself prints other last digits elsewhere.

Go 1.26, ``math/log_amd64.s`` (FreeBSD's e_log.c) and ``math/exp_amd64.s`` (N. Shibata, Computer Science - Research
and Development 25 (2010) 25-32); github.com/aclements/go-moremath, ``stats/udist.go``.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["geometric_mean", "untied_pvalue"]


_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_LOG = (6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
        1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01)  # fmt: skip
_MANTISSA, _HALF = np.uint64(0x000FFFFFFFFFFFFF), np.uint64(0x3FE0000000000000)
_LN2_UPPER, _LN2_LOWER = (
    0.69314718055966295651160180568695068359375,
    0.28235290563031577122588448175013436025525412068e-12,
)
_EXP = (1.9841269841269841270e-4, 1.3888888888888888889e-3, 8.3333333333333333333e-3, 4.1666666666666666667e-2,
        1.6666666666666666667e-1, 0.5, 1.0)  # fmt: skip
_EXP_FIRST = 2.4801587301587301587e-5
_LARGEST_EXPONENT = 709.782712893384


def logarithm(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the natural logarithm of values above 0, infinity among them."""
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    part = ((bits & _MANTISSA) | _HALF).view(np.float64)
    exponent = (bits >> np.uint64(52)).astype(np.float64) - 1022.0
    low = part <= 7.07106781186547524401e-01
    exponent -= low
    f = part * (1.0 + low) - 1.0
    s = f / (2.0 + f)
    s2 = s * s
    s4 = s2 * s2
    odd = s2 * (_LOG[0] + s4 * (_LOG[2] + s4 * (_LOG[4] + s4 * _LOG[6])))
    even = s4 * (_LOG[1] + s4 * (_LOG[3] + s4 * _LOG[5]))
    half = 0.5 * f * f
    logs: NDArray[np.float64] = exponent * _LN2_HIGH - ((half - (s * (half + (odd + even)) + exponent * _LN2_LOW)) - f)
    return np.where(np.isposinf(values), np.inf, logs)


def exponential(x: float) -> float:
    """Return e to the power of x."""
    if x > _LARGEST_EXPONENT:
        return math.inf
    exponent = round(1.4426950408889634 * x)
    rest = _fused(-_LN2_UPPER, exponent, x)
    rest = 0.0625 * _fused(-_LN2_LOWER, exponent, rest)
    total = _EXP_FIRST
    for coefficient in _EXP:
        total = _fused(rest, total, coefficient)
    rest *= total
    for _ in range(3):
        rest *= 2.0 + rest
    return math.ldexp(_fused(rest, 2.0 + rest, 1.0), exponent)


def _fused(a: float, b: float, c: float) -> float:
    """Return a * b + c, rounded once."""
    return float(Fraction(a) * Fraction(b) + Fraction(c))


@lru_cache(maxsize=4096)
def untied_pvalue(n1: int, n2: int, u: int) -> float:
    """Return the p value of two samples without ties, of which the smaller U is u; below its mean of n1 * n2 / 2.

    The recurrence of Mann and Whitney is rounded at every step: 3 against 3 reach 0.10000000000000002.
    """
    few, many = sorted((n1, n2))
    rows = [np.zeros(u + 1) for _ in range(few + 1)]
    rows[0][0] = 1.0
    for m in range(many + 1):
        for n in range(1, min(few, m) + 1):
            most = min(u, n * m)
            right = rows[n] if n < m else rows[m - 1]
            left = np.zeros(most + 1)
            if most >= m:
                left[m:] = n * rows[n - 1][: most + 1 - m]
            rows[n][: most + 1] = (left + m * right[: most + 1]) / (n + m)
    return 2 * float(np.cumsum(rows[few])[-1])


def geometric_mean(values: ArrayLike) -> float:
    """Return the geometric mean; NaN for no values, and where one is not above 0.

    The logarithms are averaged one after the other, so that the last digit is benchstat's too.

    Source: github.com/aclements/go-moremath, ``stats.GeoMean``.
    """
    sample = np.asarray(values, dtype=np.float64)
    if not sample.size or not (sample > 0).all():
        return math.nan
    mean = 0.0
    for count, log in enumerate(logarithm(sample).tolist(), 1):
        mean += (log - mean) / count
    return exponential(mean)
