"""Does the serial fraction stay, or does it grow with concurrency? Karp and Flatt's question."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchlib.scaling.curve import ScalingCurve
from benchlib.scaling.laws import FloatArray
from benchlib.scaling.points import serial_fractions
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.moments import t_quantile

__all__ = ["SerialTrend", "serial_meaning", "serial_trend"]

Kind = Literal["rising", "falling", "not shown to change", "unknown"]
_METHOD = "weighted least squares of the serial fraction on log2 N, Student's t"


@dataclass(frozen=True, slots=True, kw_only=True)
class SerialTrend:
    """Where the serial fraction goes as concurrency doubles.

    Attributes
    ----------
    kind : {"rising", "falling", "not shown to change", "unknown"}
        By the interval of the slope; unknown with fewer than 3 serial fractions.
    slope : Estimate
        Change of the serial fraction at each doubling of concurrency; NaN where unknown.
    first, last : float
        Serial fraction at the smallest level above 1 and at the largest; NaN where unknown.
    """

    kind: Kind
    slope: Estimate
    first: float
    last: float


def serial_trend(curve: ScalingCurve, *, confidence_level: float = 0.95) -> SerialTrend:
    """Say whether the serial fraction of Karp and Flatt rises with concurrency.

    Serial work alone leaves it flat; overhead that grows with the number of workers makes it rise.
    With a relative error that is the same at every level, a serial fraction is the surer the larger
    speedup times 1 - 1/N is: that is its weight. The throughput at N = 1, which all of them share, errs as much
    as any other level: it moves every fraction by its own error times fraction + 1/(N - 1), and the interval
    holds that too.

    References
    ----------
    A. H. Karp and H. P. Flatt, "Measuring parallel processor performance", Communications of
    the ACM 33(5), 1990, 539-543. N. R. Draper and H. Smith, "Applied Regression Analysis", 3rd
    edition, Wiley 1998, sections 9.1 and 9.2: weighted least squares, and errors that are correlated.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> levels = [1, 2, 4, 8, 16, 32]
    >>> flat = build_curve(levels, [n / (1 + 0.1 * (n - 1)) for n in levels], unit="op/sec")
    >>> serial_trend(flat).kind
    'not shown to change'
    >>> worse = build_curve(levels, [n / (1 + 0.1 * (n - 1) + 0.01 * n * (n - 1)) for n in levels], unit="op/sec")
    >>> serial_trend(worse).kind
    'rising'
    """
    speedups, every = curve.throughput / curve.throughput[0], serial_fractions(curve)
    known = np.isfinite(every)
    levels, fractions = curve.concurrency[known], every[known]
    measured = sum(itertools.compress(curve.counts, known))
    if len(levels) < 3:
        nothing = _estimate(math.nan, math.nan, math.inf, confidence_level, measured)
        return SerialTrend(kind="unknown", slope=nothing, first=math.nan, last=math.nan)
    sureness = speedups[known] * (1 - 1 / levels)
    slope, error = _line(np.log2(levels), fractions, sureness, shared=fractions + 1 / (levels - 1))
    reach = t_quantile((1 + confidence_level) / 2, len(levels) - 2) * error
    # A slope of rounding errors is none.
    nothing_moves = abs(slope) <= 1e-12
    kind: Kind = "not shown to change"
    if not nothing_moves and slope - reach > 0:
        kind = "rising"
    elif not nothing_moves and slope + reach < 0:
        kind = "falling"
    return SerialTrend(
        kind=kind,
        slope=_estimate(slope, error, reach, confidence_level, measured),
        first=float(fractions[0]),
        last=float(fractions[-1]),
    )


def _line(x: FloatArray, y: FloatArray, sureness: FloatArray, shared: FloatArray) -> tuple[float, float]:
    """Return the slope of a line through points, and its standard error.

    Points err by 1 / sureness each, and by ``shared`` all at once, in units of one error that is not known.
    """
    design = np.column_stack([np.ones_like(x), x]) * sureness[:, np.newaxis]
    solve = np.linalg.pinv(design)
    correlated = np.eye(len(x)) + np.outer(shared * sureness, shared * sureness)
    (_, slope), leaves = solve @ (y * sureness), np.eye(len(x)) - design @ solve
    left = leaves @ (y * sureness)
    # What the residuals would sum to for an error of 1: the shared one lies partly along the line.
    variance = float(left @ left) / float(np.trace(leaves @ correlated @ leaves))
    return float(slope), math.sqrt(variance * float(solve[1] @ correlated @ solve[1]))


def serial_meaning(trend: SerialTrend, *, plateau: bool = False) -> str:
    """Say what a serial fraction means that goes where it goes.

    Parameters
    ----------
    trend : SerialTrend
        Of a known kind.
    plateau : bool
        Whether throughput runs into a wall: beyond one the fraction rises without any overhead.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> levels = [1, 2, 4, 8]
    >>> serial_meaning(serial_trend(build_curve(levels, [1.0, 1.8, 2.9, 4.0], unit="op/sec")))
    'overhead grows with N'
    >>> faster = build_curve(levels, [n**1.1 for n in levels], unit="op/sec")
    >>> serial_meaning(serial_trend(faster))
    'below 0 it counts no serial work: throughput grows faster than concurrency'
    """
    if plateau:
        return "beyond a wall it counts waiting, not serial work: a plateau makes it grow by itself"
    if trend.last < 0:
        return "below 0 it counts no serial work: throughput grows faster than concurrency"
    told = {
        "rising": "overhead grows with N",
        "falling": "the smallest levels carry a cost that the larger ones share",
        "not shown to change": "as serial work alone would leave it",
    }.get(trend.kind, "")
    if max(trend.first, trend.last) > 1:
        retrograde = "above 1 it cannot be serial work: throughput there is below that at N = 1"
        return f"{told}; {retrograde}" if trend.kind == "rising" else retrograde
    return told


def _estimate(slope: float, error: float, reach: float, confidence_level: float, n: int) -> Estimate:
    known = math.isfinite(slope)
    return Estimate(
        value=slope,
        low=slope - reach if known else -math.inf,
        high=slope + reach if known else math.inf,
        unit="",
        confidence_level=confidence_level,
        n=n,
        method=_METHOD,
        standard_error=error,
    )
