"""What a law leaves over: every measurement against the fitted curve, and how far chance reaches."""

from __future__ import annotations

from dataclasses import dataclass

from benchlib.scaling.conclusions.prediction import predict
from benchlib.scaling.curve import ScalingCurve
from benchlib.scaling.fits.fitting import ScalingFit
from benchlib.scaling.laws import FloatArray

__all__ = ["Residuals", "residuals"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Residuals:
    """Measurements against what a law says, on the scale on which it was fitted.

    Attributes
    ----------
    law, unit : str
    relative : bool
        Whether errors are shares of what the law says (0.05 is 5 % above it); False for weights
        ``none``, whose errors are in ``unit``.
    concurrency, measured, predicted, error : ndarray, shape (n,)
        Of every single measurement; ``error`` is measured / predicted - 1, or measured - predicted.
    levels, low, high : ndarray, shape (levels,)
        Ends of the prediction band at every level, on the scale of ``error``.
    outside : int
        Measurements beyond the band.
    outside_by_chance : float
        So many of them as chance puts there.
    confidence_level : float
        Of the band.
    """

    law: str
    unit: str
    relative: bool
    concurrency: FloatArray
    measured: FloatArray
    predicted: FloatArray
    error: FloatArray
    levels: FloatArray
    low: FloatArray
    high: FloatArray
    outside: int
    outside_by_chance: float
    confidence_level: float


def residuals(curve: ScalingCurve, fit: ScalingFit) -> Residuals:
    """Return how far every measurement lies from a law fitted to it, and the band for one more.

    Residuals without a pattern speak for the law; a bow (above, below, above) against it. The band
    is the prediction interval of a single new measurement, so about ``confidence_level`` of the
    measurements lie within it.

    References
    ----------
    N. R. Draper and H. Smith, "Applied Regression Analysis", 3rd edition, Wiley 1998, chapter 2.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> from benchlib.scaling.fits.fitting import fit_law
    >>> curve = build_curve([1, 18, 36, 72, 108, 144, 216],
    ...                     [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2], unit="op/sec")
    >>> found = residuals(curve, fit_law(curve, "usl", weights="none"))
    >>> [round(float(one), 2) for one in found.error]  # as R's usl prints them
    [-25.1, -81.66, 111.09, 3.05, -49.99, -46.6, 56.0]
    """
    concurrency, measured = curve.rows
    band = predict(fit, curve.concurrency, kind="prediction")
    predicted = predict(fit, concurrency).throughput
    low, high, error = band.low - band.throughput, band.high - band.throughput, measured - predicted
    relative = fit.weights != "none"
    if relative:
        low, high, error = low / band.throughput, high / band.throughput, error / predicted
    place = curve.concurrency.searchsorted(concurrency)
    return Residuals(
        law=fit.law,
        unit=curve.unit,
        relative=relative,
        concurrency=concurrency,
        measured=measured,
        predicted=predicted,
        error=error,
        levels=curve.concurrency,
        low=low,
        high=high,
        outside=int(((error < low[place]) | (error > high[place])).sum()),
        outside_by_chance=(1 - fit.confidence_level) * len(error),
        confidence_level=fit.confidence_level,
    )
