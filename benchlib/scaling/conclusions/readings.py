"""What a fitted law says of one question: at an N, for a throughput, within a latency.

Latencies are N / X(N): Little's law in a closed system, where N are in flight all the time and nobody thinks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.errors import DataError
from benchlib.lazy_scipy import special
from benchlib.scaling.conclusions.prediction import EXTRAPOLATION_LIMIT, checked_concurrency, predict
from benchlib.scaling.fits.fitting import ScalingFit
from benchlib.scaling.laws import LAWS, FloatArray
from benchlib.statistics.estimates import Estimate

__all__ = ["LITTLE", "Reached", "Reading", "Within", "read_at", "read_latency", "read_throughput"]

#: What a latency rests on, for method notes and answers.
LITTLE = "N / X(N): Little's law in a closed system without think time"
#: Concurrencies between which an end of an interval is looked for, and halvings that find it there.
_PLACES, _HALVINGS = 129, 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a law says at one concurrency.

    Attributes
    ----------
    concurrency : float
    throughput : Estimate
        With the interval of the mean curve.
    slope : Estimate
        What one more worker adds: the derivative by concurrency. Without an interval where the law has a corner.
    latency : Estimate
        See `LITTLE`; in the time unit of throughput.
    """

    concurrency: float
    throughput: Estimate
    slope: Estimate
    latency: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """Where a law reaches a throughput.

    Attributes
    ----------
    throughput : float
        As asked, in the unit of the fit.
    concurrency : tuple of Estimate
        On the way up, and on the way down where the law falls again; the interval holds every concurrency around
        it at which the band of the mean curve does not rule the throughput out. Where that holds over the peak, both
        have one interval.
    reason : str
        Why there is none, or not the other one; "" where all are told.
    """

    throughput: float
    concurrency: tuple[Estimate, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Within:
    """The largest throughput at which a request takes no longer than asked.

    Attributes
    ----------
    latency : float
        As asked, in the time unit of throughput.
    throughput, concurrency : Estimate or None
        None where even one worker alone takes longer.
    limited_by : {"latency", "largest throughput", "data", "nothing"}
        What ends it: the latency; the peak or wall of the law, which comes first; the range that the data speak
        of; nothing, where there is no answer.
    reason : str
        In words; "" where it is the latency.
    """

    latency: float
    throughput: Estimate | None
    concurrency: Estimate | None
    limited_by: Literal["latency", "largest throughput", "data", "nothing"]
    reason: str


def read_at(fit: ScalingFit, concurrency: ArrayLike) -> tuple[Reading, ...]:
    """Return throughput, slope and latency at concurrencies.

    Parameters
    ----------
    fit : ScalingFit
    concurrency : array_like, shape (n,)

    Raises
    ------
    DataError
        For a concurrency below 1, or beyond twice the largest level measured.

    References
    ----------
    G. A. F. Seber and C. J. Wild, "Nonlinear Regression", Wiley 1989, section 5.1: the delta method.
    J. D. C. Little, Operations Research 9(3), 1961, 383-387.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> from benchlib.scaling.fits.fitting import fit_law
    >>> fit = fit_law(build_curve([1, 2, 4, 8], [10, 18, 30, 44], unit="op/sec"), "amdahl")
    >>> (found,) = read_at(fit, 6)
    >>> f"{found.throughput.value:.1f} {found.slope.value:.2f} {found.latency.value:.3f} {found.latency.unit}"
    '38.1 3.54 0.158 sec'
    """
    n = checked_concurrency(fit, concurrency, extrapolate=False)
    band = predict(fit, n)
    slopes = _slopes(fit, n)
    return tuple(
        Reading(
            concurrency=float(level),
            throughput=_estimate(
                fit, float(x), float(low), float(high), fit.unit, "delta method around the mean curve"
            ),
            slope=slope,
            latency=_latency(fit, float(level), float(x), float(low), float(high)),
        )
        for level, x, low, high, slope in zip(n, band.throughput, band.low, band.high, slopes, strict=True)
    )


def read_throughput(fit: ScalingFit, throughput: float) -> Reached:
    """Return every concurrency from 1 to twice the largest level at which a law reaches a throughput.

    Raises
    ------
    DataError
        For a throughput that is no finite number above 0.

    References
    ----------
    G. A. F. Seber and C. J. Wild, "Nonlinear Regression", Wiley 1989, section 5.8: intervals of an inverse
    prediction, by inverting the band. The exact inverses: `benchlib.scaling.laws`.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> from benchlib.scaling.fits.fitting import fit_law
    >>> curve = build_curve([1, 18, 36, 72, 108, 144, 216],
    ...                     [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2], unit="op/sec")
    >>> usl = fit_law(curve, "usl", weights="none")
    >>> [round(one.value, 1) for one in read_throughput(usl, 1800).concurrency]
    [60.6, 153.8]
    >>> read_throughput(usl, 2500).reason
    'throughput by USL is at most 1,884 op/sec'
    """
    _check_positive(throughput, "throughput")
    law, (_, largest) = LAWS[fit.law], fit.measured_range
    limit = EXTRAPOLATION_LIMIT * largest
    roots = law.concurrency_at(throughput, *fit.coefficients)

    def allowed(n: FloatArray) -> NDArray[np.bool_]:
        band = predict(fit, n)
        return (band.low <= throughput) & (throughput <= band.high)

    told = tuple(_inverse(fit, one, allowed) for one in roots if 1 <= one <= limit)
    reason = ""
    if not roots:
        reason = f"throughput by {law.title} is at most {_digits(_most(fit))} {fit.unit}"
    elif roots[-1] > limit:
        word = "again" if told else "only"
        reason = f"{word} at N = {roots[-1]:.4g}, beyond twice the largest level measured ({largest:g}): a guess"
    elif not told:
        alone = float(law.throughput(1.0, *fit.coefficients))
        reason = f"one worker does {_digits(alone)} {fit.unit} already, and {law.title} does not come down to it later"
    return Reached(throughput=throughput, concurrency=told, reason=reason)


def read_latency(fit: ScalingFit, latency: float) -> Within:
    """Return the largest throughput, and the smallest concurrency that gives it, within a mean latency.

    Latency grows with concurrency by every law; throughput may fall again. So the answer lies where the
    latency is reached, or before it where throughput is largest.

    Parameters
    ----------
    fit : ScalingFit
        With its derived quantities: the peak among them.
    latency : float
        In the time unit of throughput.

    Raises
    ------
    DataError
        For a latency that is no finite number above 0.

    References
    ----------
    J. D. C. Little, Operations Research 9(3), 1961, 383-387: N = X T.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> from benchlib.scaling.fits.fitting import fit_law
    >>> fit = fit_law(build_curve([1, 2, 4, 8], [10, 18, 30, 44], unit="op/sec"), "amdahl")
    >>> found = read_latency(fit, 0.15)
    >>> round(found.concurrency.value, 2), round(found.throughput.value, 1), found.limited_by
    (5.34, 35.6, 'latency')
    >>> read_latency(fit, 0.05).reason
    'one worker alone takes 0.09959 sec by Amdahl'
    """
    _check_positive(latency, "latency")
    law, (_, largest) = LAWS[fit.law], fit.measured_range
    time, limit = fit.unit.partition("/")[2], EXTRAPOLATION_LIMIT * largest
    alone, furthest = (float(one) for one in law.latency([1.0, limit], *fit.coefficients))
    if alone > latency:
        reason = f"one worker alone takes {alone:.4g} {time} by {law.title}"
        return Within(latency=latency, throughput=None, concurrency=None, limited_by="nothing", reason=reason)
    reaches = furthest > latency
    there = law.concurrency_at_latency(latency, *fit.coefficients)[-1] if reaches else limit
    best = fit.knee if fit.law == "plateau" else fit.peak
    if best is not None and best.value <= there:
        most = fit.ceiling or read_at(fit, best.value)[0].throughput
        reason = f"throughput by {law.title} is largest there; more in flight only wait longer"
        return Within(
            latency=latency, throughput=most, concurrency=best, limited_by="largest throughput", reason=reason
        )
    if not reaches:
        (at,) = read_at(fit, limit)
        reason = f"up to N = {limit:g}, twice the largest level measured, no request takes as long"
        place = _estimate(fit, limit, -math.inf, math.inf, "", "the end of what the data speak of")
        return Within(latency=latency, throughput=at.throughput, concurrency=place, limited_by="data", reason=reason)

    def allowed(n: FloatArray) -> NDArray[np.bool_]:
        band = predict(fit, n)
        return (band.low <= n / latency) & (n / latency <= band.high)

    place = _inverse(fit, there, allowed)
    low, high = place.low / latency, place.high / latency
    throughput = _estimate(fit, there / latency, low, high, fit.unit, f"{LITTLE}; the band of the mean curve inverted")
    return Within(latency=latency, throughput=throughput, concurrency=place, limited_by="latency", reason="")


def _check_positive(number: float, word: str) -> None:
    if not (math.isfinite(number) and number > 0):
        raise DataError(f"{word} {number:g} is no finite number above 0; ask for one that is")


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _most(fit: ScalingFit) -> float:
    """Return the largest throughput of a law that does not reach everything."""
    if fit.ceiling is not None and math.isfinite(fit.ceiling.value):
        return fit.ceiling.value
    where = np.append(np.geomspace(1, EXTRAPOLATION_LIMIT * fit.measured_range[1], _PLACES), _peak(fit))
    return float(np.max(LAWS[fit.law].throughput(where, *fit.coefficients)))


def _peak(fit: ScalingFit) -> float:
    return fit.peak.value if fit.peak is not None and math.isfinite(fit.peak.value) else 1.0


def _inverse(fit: ScalingFit, root: float, allowed: Callable[[FloatArray], NDArray[np.bool_]]) -> Estimate:
    """Return a concurrency with all those around it that are allowed; without an end where the data end first."""
    limit = EXTRAPOLATION_LIMIT * fit.measured_range[1]
    below, above = np.geomspace(root, 1.0, _PLACES), np.geomspace(root, limit, _PLACES)
    low, high = _end(below, root, allowed, 1.0), _end(above, root, allowed, math.inf)
    return _estimate(fit, root, low, high, "", "the exact inverse; the band of the mean curve inverted")


def _end(places: FloatArray, root: float, allowed: Callable[[FloatArray], NDArray[np.bool_]], without: float) -> float:
    outside = np.flatnonzero(~allowed(places[1:]))
    if not len(outside):
        return without
    inner = root if outside[0] == 0 else float(places[outside[0]])
    outer = float(places[outside[0] + 1])
    for _ in range(_HALVINGS):
        middle = (inner + outer) / 2
        inner, outer = (middle, outer) if allowed(np.array([middle]))[0] else (inner, middle)
    return inner


def _slopes(fit: ScalingFit, n: FloatArray) -> list[Estimate]:
    """Return the derivatives by concurrency, with the delta method around the fit without bounds."""
    law = LAWS[fit.law]
    values = law.slope(n, *fit.coefficients)
    if law.kinked:
        return [_estimate(fit, float(one), -math.inf, math.inf, fit.unit, "at a corner: no interval") for one in values]
    at = np.array(fit.unbounded)
    gradient = np.empty((len(n), len(at)))
    for index, value in enumerate(at):
        width = 1e-6 * max(abs(float(value)), 1e-6)
        down, up = (law.slope(n, *(at + sign * width * np.eye(len(at))[index])) for sign in (-1, 1))
        gradient[:, index] = (up - down) / (2 * width)
    errors = np.sqrt(np.clip(np.einsum("ij,jk,ik->i", gradient, np.array(fit.covariance), gradient), 0, None))
    half = special.stdtrit(fit.degrees_of_freedom, (1 + fit.confidence_level) / 2) * errors
    middle = law.slope(n, *fit.unbounded)
    ends = zip(values, np.fmin(middle - half, values), np.fmax(middle + half, values), errors, strict=True)
    return [
        _estimate(fit, float(value), float(low), float(high), fit.unit, "delta method", float(error))
        for value, low, high, error in ends
    ]


def _latency(fit: ScalingFit, n: float, x: float, low: float, high: float) -> Estimate:
    end = n / low if low > 0 else math.inf
    return _estimate(fit, n / x, n / high, end, fit.unit.partition("/")[2], f"{LITTLE}; delta method")


def _estimate(
    fit: ScalingFit, value: float, low: float, high: float, unit: str, method: str, error: float = math.nan
) -> Estimate:
    return Estimate(
        value=value,
        low=low,
        high=high,
        unit=unit,
        confidence_level=fit.confidence_level,
        n=fit.n,
        method=f"{LAWS[fit.law].title}, {method}",
        standard_error=error,
    )
