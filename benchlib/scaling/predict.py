"""What fitted laws say at a concurrency: bands, averages over laws, readings, where the time goes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.errors import DataError
from benchlib.lazy_scipy import special
from benchlib.scaling.fit import ScalingFit, _same_data
from benchlib.scaling.laws import LAWS, FloatArray
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.moments import t_quantile

# A fitted law at chosen concurrencies, with a band that widens away from the data.

#: Beyond this many times the largest level measured a law is a guess, and has to be asked for as one.
EXTRAPOLATION_LIMIT = 2.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Band:
    """A fitted curve and the band around it, at chosen concurrencies."""

    #: concurrency, throughput, low, high: shape (n,).
    concurrency: FloatArray
    throughput: FloatArray
    low: FloatArray
    high: FloatArray
    #: One of "confidence", "prediction". Of the mean curve, or of one more measurement.
    kind: str
    confidence_level: float


def predict(fit: ScalingFit, concurrency: ArrayLike, *, kind: str = "confidence", extrapolate: bool = False) -> Band:
    """Return the fitted curve and its band at chosen concurrencies.

    The band is the delta method's around the fit without bounds, then cut to what the law
    allows: never below zero, never more than proportional growth beyond the largest level
    measured, and always around the curve itself. It widens away from the data.

    G. A. F. Seber and C. J. Wild, "Nonlinear Regression", Wiley 1989, section 5.1: both bands. B. Schwartz,
    "Practical Scalability Analysis with the Universal Scalability Law", 2015: nothing beyond twice the data.
    """
    if kind not in ("confidence", "prediction"):
        raise DataError(f"unknown band {kind!r}; bands: confidence, prediction")
    n = checked_concurrency(fit, concurrency, extrapolate)
    centre = LAWS[fit.law].throughput(n, *fit.coefficients)
    low, high = _delta_band(fit, n, kind)
    largest = fit.measured_range[1]
    if fit.law != "linear":
        edge = _delta_band(fit, np.array([largest]), kind)[1]
        high = np.where(n > largest, np.fmin(high, edge * n / largest), high)
    return Band(
        concurrency=n,
        throughput=centre,
        low=np.fmin(np.fmax(low, 0.0), centre),
        high=np.fmax(high, centre),
        kind=kind,
        confidence_level=fit.confidence_level,
    )


def checked_concurrency(fit: ScalingFit, concurrency: ArrayLike, extrapolate: bool) -> FloatArray:
    """Return the concurrencies asked for, if the fit has something to say about them."""
    n = np.atleast_1d(np.asarray(concurrency, dtype=float))
    if not np.all((n > 0) & np.isfinite(n)):
        wrong = n[~((n > 0) & np.isfinite(n))][0]
        raise DataError(f"concurrency {wrong:g} is no finite number above 0; ask for one that is")
    largest = fit.measured_range[1]
    furthest = float(np.max(n, initial=0.0))
    if not extrapolate and furthest > EXTRAPOLATION_LIMIT * largest:
        raise DataError(
            f"concurrency {furthest:g} is beyond twice the largest level measured ({largest:g}); "
            f"ask up to {EXTRAPOLATION_LIMIT * largest:g}, measure further, or ask for extrapolation"
        )
    return n


def _delta_band(fit: ScalingFit, n: FloatArray, kind: str) -> tuple[FloatArray, FloatArray]:
    law = LAWS[fit.law]
    with np.errstate(all="ignore"):
        model = law.throughput(n, *fit.unbounded)
        gradient = law.gradient(n, *fit.unbounded)
        if fit.weights == "relative":
            gradient = gradient / model[:, np.newaxis]
        variance = np.einsum("ij,jk,ik->i", gradient, np.array(fit.covariance), gradient)
        share = (1 + fit.confidence_level) / 2
        half = t_quantile(share, fit.degrees_of_freedom) * np.sqrt(np.clip(variance, 0, None))
        if kind == "prediction":
            single = fit.residual_standard_error * fit.deviation_at(n)
            half = np.hypot(half, t_quantile(share, fit.residual_freedom) * single)
        if fit.weights == "relative":
            low, high = model * np.exp(-half), model * np.exp(half)
        else:
            low, high = model - half, model + half
    # Beyond a pole of the unbounded curve it says nothing from above.
    return np.where(model > 0, low, 0.0), np.where(model > 0, high, np.inf)


# Bands averaged over laws: what is not known about the law itself widens them.
#
# Laws are weighed by how likely they make the measurements, without a price for their parameters. The price
# of AICc, and of AIC, is for choosing a law to describe the points; beyond them it pays for certainty that
# the points do not give. In simulation (truths: line, Amdahl, four USLs with peaks from 22 to 221, plateau, and
# one with logarithmic coherency, which was averaged too then; 7 levels from 1 to 64, 5 % noise) nominal 95 %
# bands at twice the largest level cover, at worst of these truths:
#
# ======================================== ================= ==================
# weights and band                         7 measurements    21 measurements
# ======================================== ================= ==================
# AICc, squares added (Burnham, Anderson)  51 %              71 %
# AIC, squares added                       90 %              78 %
# AICc, tails averaged                     55 %              84 %
# AIC, tails averaged                      93 %              90 %
# likelihood, tails averaged               93 %              94 %
# the USL alone                            17 %              0 %
# ======================================== ================= ==================
#
# The four laws averaged today (line, plateau, Amdahl, USL), by likelihood and tails, cover 94 % of the truths that
# they hold, at worst, with 7 measurements and with 21 (400 runs each).
#
# The laws averaged have to hold the shapes that are possible: without the plateau a curve that ran into one
# is covered in 42 % of cases with 7 measurements, and never with 21.

#: Further from a curve than this, on logarithms or in multiples of the curve, there is no end.
_ENDLESS = 100.0
#: Halvings that leave an end to 1e-15 of where the laws' own ends lie apart.
_HALVINGS = 50
#: No standard error is smaller: rounding.
_TINY = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AveragedBand(Band):
    """The curve averaged over several laws, and the band around it."""

    weights: Mapping[str, float]  # by law; they sum to 1


def average_bands(
    fits: Sequence[ScalingFit], concurrency: ArrayLike, *, kind: str = "confidence", extrapolate: bool = False
) -> AveragedBand:
    """Average the curves of several laws, with a band that knows how far they part.

    An end of the band is where the tails that the laws leave beyond it, each with its own t, average to
    what the confidence level leaves on that side; each side takes the half-widths of its own side, because
    bands are cut to what the laws allow. One law alone gives its own band back. With relative weights
    all this happens on logarithms.

    D. Turek and D. Fletcher, "Model-averaged Wald confidence intervals", Computational Statistics and Data
    Analysis 56(9), 2012, 2809-2815. K. P. Burnham and D. R. Anderson, "Model Selection and
    Multimodel Inference", 2nd edition, Springer 2002, chapter 4: averaging over laws.
    """
    weights = likelihood_weights(fits)
    bands = [predict(fit, concurrency, kind=kind, extrapolate=extrapolate) for fit in fits]
    on_logs = fits[0].weights == "relative"
    throughput, low, high = (
        np.array([getattr(band, name) for band in bands]) for name in ("throughput", "low", "high")
    )
    scale = np.mean(throughput, axis=0)
    with np.errstate(divide="ignore"):
        curves, lows, highs = (
            np.log(values / scale) if on_logs else values / scale for values in (throughput, low, high)
        )
    share = np.array(list(weights.values()))[:, np.newaxis]
    freedom = np.array([fit.degrees_of_freedom for fit in fits])[:, np.newaxis]
    tail = (1 - fits[0].confidence_level) / 2
    centre = np.sum(share * curves, axis=0)
    # An average far from the likeliest law can lie beyond what the tails leave: the band holds it anyway.
    start = np.fmin(_end_below(curves, lows, share, freedom, tail), centre)
    end = np.fmax(-_end_below(-curves, -highs, share, freedom, tail), centre)
    throughput, low, high = (scale * (np.exp(values) if on_logs else values) for values in (centre, start, end))
    return AveragedBand(
        concurrency=bands[0].concurrency,
        throughput=throughput,
        low=np.fmax(low, 0.0),
        high=high,
        weights=weights,
        kind=kind,
        confidence_level=fits[0].confidence_level,
    )


def average_curve(fits: Sequence[ScalingFit], n: FloatArray) -> FloatArray:
    """Return the averaged curve alone, without a band: on logarithms where noise is relative."""
    share = np.array(list(likelihood_weights(fits).values()))
    curves = np.array([LAWS[fit.law].throughput(n, *fit.coefficients) for fit in fits])
    return np.asarray(np.exp(share @ np.log(curves)) if fits[0].weights == "relative" else share @ curves)


def _end_below(curves: FloatArray, lows: FloatArray, share: FloatArray, freedom: FloatArray, tail: float) -> FloatArray:
    """Return where the lower tails of the laws, shape (laws, n), average to ``tail``: halved between their own ends."""
    lows = np.fmax(lows, curves - _ENDLESS)
    errors = np.fmax((curves - lows) / special.stdtrit(freedom, 1 - tail), _TINY)
    before, after = np.min(lows, axis=0), np.max(lows, axis=0)
    for _ in range(_HALVINGS):
        middle = (before + after) / 2
        beyond = np.sum(share * special.stdtr(freedom, (middle - curves) / errors), axis=0) > tail
        before, after = np.where(beyond, before, middle), np.where(beyond, middle, after)
    halfway = (before + after) / 2
    return np.where(halfway < np.min(curves, axis=0) - _ENDLESS / 2, -np.inf, halfway)


def likelihood_weights(fits: Sequence[ScalingFit]) -> Mapping[str, float]:
    """Return how much each law counts: its likelihood, as a share of all.

    It is that of normal residuals whose variance is unknown, RSS to the power of -n/2 where measurements share none.

    K. P. Burnham and D. R. Anderson 2002, section 2.9.1, without the term for parameters: see the table
    at the head of this module.
    """
    _same_data(fits)
    deviances = np.array([fit.criteria.aic - 2 * len(LAWS[fit.law].parameters) for fit in fits])
    likelihoods = np.exp((np.min(deviances) - deviances) / 2)
    shares = likelihoods / np.sum(likelihoods)
    return MappingProxyType({fit.law: float(share) for fit, share in zip(fits, shares, strict=True)})


# What the fitted laws say of one question: at an N, for a throughput, within a latency.
#
# All of it is read off the curve averaged over the laws, with its band. A law that was chosen, and then taken for
# known, holds 17 to 82 % of what lies at twice the data where it says 95 (5 levels, 5 % noise); the average 92 to 98.
# Latencies are N / X(N): Little's law in a closed system, where N are in flight all the time and nobody thinks.

#: What a latency rests on, for method notes and answers.
LITTLE = "N / X(N): Little's law in a closed system without think time"
#: Places of the curve where an inverse is looked for first, those of each finer grid, and how many of these there are.
_GRID, _PLACES, _ROUNDS = 1025, 65, 6
#: Throughput within this share of the largest is the largest: rounding.
_LARGEST = 1 - 1e-12


#: Throughput and concurrency, shape (n,), to whether something holds there.
_Condition = Callable[[FloatArray, FloatArray], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the laws say at one concurrency."""

    concurrency: float
    throughput: Estimate  # with the interval of the mean curve
    slope: Estimate  # what one more worker adds: the derivative by concurrency
    latency: Estimate  # see `LITTLE`; in the time unit of throughput


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """Where the averaged curve reaches a throughput."""

    throughput: float  # as asked, in the unit of the fit
    #: On the way up, and on the way down where the curve falls again; the interval holds every concurrency around it at
    #: which the band of the mean curve does not rule the throughput out. Where that holds over the peak, both have one
    #: interval.
    concurrency: tuple[Estimate, ...]
    reason: str  # why there is none; "" where there is one


@dataclass(frozen=True, slots=True, kw_only=True)
class Within:
    """The largest throughput at which a request takes no longer than asked."""

    latency: float  # as asked, in the time unit of throughput
    #: throughput, concurrency: None where even the smallest concurrency takes longer.
    throughput: Estimate | None
    concurrency: Estimate | None
    #: What ends it: the latency; the peak or wall of the curve, which comes first; the range that the data speak of;
    #: nothing, where there is no answer.
    limited_by: Literal["latency", "largest throughput", "data", "nothing"]
    reason: str  # in words; "" where it is the latency


def read_at(fits: Sequence[ScalingFit], concurrency: ArrayLike) -> tuple[Reading, ...]:
    """Return throughput, slope and latency at concurrencies, averaged over the laws.

    Bands: `average_bands`. J. D. C. Little, Operations Research 9(3), 1961, 383-387.
    """
    band = average_bands(fits, concurrency)
    slopes = _average_slopes(fits, band)
    return tuple(
        Reading(
            concurrency=float(level),
            throughput=_estimate(fits, float(x), float(low), float(high), fits[0].unit, "band of the mean curve"),
            slope=slope,
            latency=_latency(fits, float(level), float(x), float(low), float(high)),
        )
        for level, x, low, high, slope in zip(
            band.concurrency, band.throughput, band.low, band.high, slopes, strict=True
        )
    )


def read_throughput(fits: Sequence[ScalingFit], throughput: float) -> Reached:
    """Return every concurrency up to twice the largest level at which the averaged curve reaches a throughput.

    G. A. F. Seber and C. J. Wild, "Nonlinear Regression", Wiley 1989, section 5.8: intervals of an inverse
    prediction, by inverting the band.
    """
    _check_positive(throughput, "throughput")
    first, limit = _span(fits)
    places, curve = _curve(fits)
    above = curve >= throughput
    turns = np.flatnonzero(above[1:] != above[:-1])
    roots = [_crossing(fits, places[at : at + 2], lambda x, n: x >= throughput) for at in turns]

    def allowed(n: FloatArray) -> NDArray[np.bool_]:
        band = average_bands(fits, n)
        return (band.low <= throughput) & (throughput <= band.high)

    reason = ""
    if not roots and above[0]:
        reason = (
            f"at N = {first:g} it is {_digits(float(curve[0]))} {fits[0].unit} already, and not less up to {limit:g}"
        )
    elif not roots:
        most = f"{_digits(float(np.max(curve)))} {fits[0].unit}"
        reason = f"up to N = {limit:g}, twice the largest level measured, throughput is at most {most}"
    return Reached(
        throughput=throughput, concurrency=tuple(_inverse(fits, root, allowed) for root in roots), reason=reason
    )


def read_latency(fits: Sequence[ScalingFit], latency: float) -> Within:
    """Return the largest throughput, and the smallest concurrency that gives it, within a mean latency.

    Latency grows with concurrency by every law; throughput may fall again. So the answer lies where the
    latency is reached, or before it where throughput is largest.

    J. D. C. Little, Operations Research 9(3), 1961, 383-387: N = X T.
    """
    _check_positive(latency, "latency")
    time, (first, limit) = fits[0].unit.partition("/")[2], _span(fits)
    places, curve = _curve(fits)
    longer = places / curve > latency
    if longer[0]:
        reason = f"at N = {first:g} a request takes {places[0] / curve[0]:.4g} {time} already"
        return Within(latency=latency, throughput=None, concurrency=None, limited_by="nothing", reason=reason)
    last = int(np.argmax(longer)) - 1 if longer.any() else len(places) - 1
    most = float(np.max(curve[: last + 1]))
    at = int(np.argmax(curve[: last + 1] >= most * _LARGEST))
    if at < last:
        best = places[at] if at == 0 else _crossing(fits, places[at - 1 : at + 1], lambda x, n: x >= most * _LARGEST)
        (reading,) = read_at(fits, best)
        place = _estimate(fits, float(best), -math.inf, math.inf, "", "the largest of the averaged curve: no interval")
        reason = "throughput is largest there; more in flight only wait longer"
        return Within(
            latency=latency,
            throughput=reading.throughput,
            concurrency=place,
            limited_by="largest throughput",
            reason=reason,
        )
    if not longer.any():
        (reading,) = read_at(fits, limit)
        reason = f"up to N = {limit:g}, twice the largest level measured, no request takes as long"
        place = _estimate(fits, limit, -math.inf, math.inf, "", "the end of what the data speak of")
        return Within(
            latency=latency, throughput=reading.throughput, concurrency=place, limited_by="data", reason=reason
        )

    def allowed(n: FloatArray) -> NDArray[np.bool_]:
        band = average_bands(fits, n)
        return (band.low <= n / latency) & (n / latency <= band.high)

    there = _crossing(fits, places[last : last + 2], lambda x, n: n / x > latency)
    place = _inverse(fits, there, allowed)
    low, high = place.low / latency, place.high / latency
    throughput = _estimate(fits, there / latency, low, high, fits[0].unit, f"{LITTLE}; the band inverted")
    return Within(latency=latency, throughput=throughput, concurrency=place, limited_by="latency", reason="")


def _check_positive(number: float, word: str) -> None:
    if not (math.isfinite(number) and number > 0):
        raise DataError(f"{word} {number:g} is no finite number above 0; ask for one that is")


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _span(fits: Sequence[ScalingFit]) -> tuple[float, float]:
    """Return from which to which concurrency a question is asked: from one worker, or less where less was measured."""
    least, largest = fits[0].measured_range
    return min(1.0, least), EXTRAPOLATION_LIMIT * largest


def _curve(fits: Sequence[ScalingFit]) -> tuple[FloatArray, FloatArray]:
    """Return places along the averaged curve, corners and peaks among them, and its throughput there."""
    first, limit = _span(fits)
    known = [at for fit in fits for at in (fit.coefficients[-1] if LAWS[fit.law].kinked else _peak(fit),)]
    places = np.concatenate([np.geomspace(first, limit, _GRID), [at for at in known if first < at < limit]])
    places = np.unique(places)
    return places, average_curve(fits, places)


def _peak(fit: ScalingFit) -> float:
    return fit.peak.value if fit.peak is not None and math.isfinite(fit.peak.value) else math.nan


def _crossing(fits: Sequence[ScalingFit], ends: FloatArray, is_beyond: _Condition) -> float:
    """Return where the averaged curve starts to be beyond something between two places, or ends to be."""
    after = bool(is_beyond(average_curve(fits, ends[1:]), ends[1:])[0])
    return _edge(float(ends[0]), float(ends[1]), lambda n: is_beyond(average_curve(fits, n), n) != after)[1]


def _edge(inner: float, outer: float, holds: Callable[[FloatArray], NDArray[np.bool_]]) -> tuple[float, float]:
    """Return the last place at which something holds, and the first at which it does not, closer and closer."""
    for _ in range(_ROUNDS):
        places = np.linspace(inner, outer, _PLACES)
        # Where rounding says it holds at the far end too, that is the edge.
        first = int(np.argmin(np.append(holds(places[1:-1]), False)))
        inner, outer = float(places[first]), float(places[first + 1])
    return inner, outer


def _inverse(fits: Sequence[ScalingFit], root: float, allowed: Callable[[FloatArray], NDArray[np.bool_]]) -> Estimate:
    """Return a concurrency with all those around it that are allowed; without an end where the data end first."""
    first, limit = _span(fits)
    below, above = np.geomspace(root, first, 2 * _PLACES), np.geomspace(root, limit, 2 * _PLACES)
    low, high = _end(below, root, allowed, first), _end(above, root, allowed, math.inf)
    return _estimate(fits, root, low, high, "", "the averaged curve inverted; its band inverted")


def _end(places: FloatArray, root: float, allowed: Callable[[FloatArray], NDArray[np.bool_]], without: float) -> float:
    outside = np.flatnonzero(~allowed(places[1:]))
    if not len(outside):
        return without
    inner = root if outside[0] == 0 else float(places[outside[0]])
    return _edge(inner, float(places[outside[0] + 1]), allowed)[0]


def _average_slopes(fits: Sequence[ScalingFit], band: AveragedBand) -> list[Estimate]:
    """Return the slopes of the laws, averaged with their tails as bands are."""
    n = band.concurrency
    share = np.array(list(band.weights.values()))[:, np.newaxis]
    freedom = np.array([fit.degrees_of_freedom for fit in fits])[:, np.newaxis]
    values, lows, highs = (np.array(parts) for parts in zip(*(_slopes(fit, n) for fit in fits), strict=True))
    scale = band.throughput / n
    tail = (1 - band.confidence_level) / 2
    middle = np.sum(share * values, axis=0)
    low = scale * _end_below(values / scale, lows / scale, share, freedom, tail)
    high = -scale * _end_below(-values / scale, -highs / scale, share, freedom, tail)
    ends = zip(middle, np.fmin(low, middle), np.fmax(high, middle), strict=True)
    return [
        _estimate(fits, float(value), float(start), float(end), fits[0].unit, "delta method")
        for value, start, end in ends
    ]


def _slopes(fit: ScalingFit, n: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the derivatives of a law by concurrency and their ends: the delta method around the fit without bounds."""
    law = LAWS[fit.law]
    values = law.slope(n, *fit.coefficients)
    if law.kinked:
        # Before the corner it is the rate, beyond it nothing: either where the corner may stand on both sides.
        rate, corner = (fit.parameters[name] for name in law.parameters)
        return values, np.where(n < corner.low, rate.low, 0.0), np.where(n <= corner.high, rate.high, 0.0)
    at = np.array(fit.unbounded)
    gradient = np.empty((len(n), len(at)))
    for index, value in enumerate(at):
        width = 1e-6 * max(abs(float(value)), 1e-6)
        down, up = (law.slope(n, *(at + sign * width * np.eye(len(at))[index])) for sign in (-1, 1))
        gradient[:, index] = (up - down) / (2 * width)
    errors = np.sqrt(np.clip(np.einsum("ij,jk,ik->i", gradient, np.array(fit.covariance), gradient), 0, None))
    half = special.stdtrit(fit.degrees_of_freedom, (1 + fit.confidence_level) / 2) * errors
    middle = law.slope(n, *fit.unbounded)
    return values, np.fmin(middle - half, values), np.fmax(middle + half, values)


def _latency(fits: Sequence[ScalingFit], n: float, x: float, low: float, high: float) -> Estimate:
    end = n / low if low > 0 else math.inf
    return _estimate(fits, n / x, n / high, end, fits[0].unit.partition("/")[2], f"{LITTLE}; band of the mean curve")


def _estimate(fits: Sequence[ScalingFit], value: float, low: float, high: float, unit: str, method: str) -> Estimate:
    laws = ", ".join(LAWS[fit.law].title for fit in fits)
    return Estimate(
        value=value,
        low=low,
        high=high,
        unit=unit,
        confidence_level=fits[0].confidence_level,
        n=fits[0].n,
        method=f"averaged over {laws}; {method}" if len(fits) > 1 else f"{laws}; {method}",
        standard_error=math.nan,
    )


# Where the time of one operation goes: to work, and to each loss the law knows.
#
# The parts sum to the latency. (R's ``usl`` takes half the coherency, ``k (N - 1) / 2``, so that its parts
# sum to 0.0434 of T(1) where T(216) of SPEC SDM91 is 0.0547 of it.)
