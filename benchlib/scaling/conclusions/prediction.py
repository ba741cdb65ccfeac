"""A fitted law at chosen concurrencies, with a band that widens away from the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchlib.errors import DataError
from benchlib.scaling.fits.best import BestFit
from benchlib.scaling.laws import LAWS, FloatArray
from benchlib.statistics.moments import t_quantile

__all__ = ["EXTRAPOLATION_LIMIT", "Band", "checked_concurrency", "predict"]

#: Beyond this many times the largest level measured a law is a guess, and has to be asked for as one.
EXTRAPOLATION_LIMIT = 2.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Band:
    """A fitted curve and the band around it, at chosen concurrencies.

    Attributes
    ----------
    concurrency, throughput, low, high : ndarray, shape (n,)
    kind : {"confidence", "prediction"}
        Of the mean curve, or of one more measurement.
    confidence_level : float
    """

    concurrency: FloatArray
    throughput: FloatArray
    low: FloatArray
    high: FloatArray
    kind: str
    confidence_level: float


def predict(fit: BestFit, concurrency: ArrayLike, *, kind: str = "confidence", extrapolate: bool = False) -> Band:
    """Return the fitted curve and its band at chosen concurrencies.

    The band is the delta method's around the fit without bounds, then cut to what the law
    allows: never below zero, never more than proportional growth beyond the largest level
    measured, and always around the curve itself. It widens away from the data.

    Parameters
    ----------
    fit : BestFit
    concurrency : array_like, shape (n,)
    kind : {"confidence", "prediction"}
        For the mean curve, or for one more measurement.
    extrapolate : bool
        Whether concurrencies beyond twice the largest one measured are meant.

    Raises
    ------
    DataError
        For another kind, a concurrency below 1, and one beyond twice the measured range without
        ``extrapolate``.

    References
    ----------
    G. A. F. Seber and C. J. Wild, "Nonlinear Regression", Wiley 1989, section 5.1: both bands. B. Schwartz,
    "Practical Scalability Analysis with the Universal Scalability Law", 2015: nothing beyond twice the data.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> from benchlib.scaling.fits.fitting import fit_law
    >>> fit = fit_law(build_curve([1, 2, 4, 8], [10, 18, 30, 44], unit="op/sec"), "amdahl")
    >>> band = predict(fit, [8, 16])
    >>> bool(np.all((band.low <= band.throughput) & (band.throughput <= band.high)))
    True
    >>> predict(fit, 64)
    Traceback (most recent call last):
    benchlib.errors.DataError: concurrency 64 is beyond twice the largest level measured (8); \
ask up to 16, measure further, or ask for extrapolation
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


def checked_concurrency(fit: BestFit, concurrency: ArrayLike, extrapolate: bool) -> FloatArray:
    """Return the concurrencies asked for, if the fit has something to say about them.

    Raises
    ------
    DataError
        For a concurrency below 1, and one beyond twice the measured range that is not meant.
    """
    n = np.atleast_1d(np.asarray(concurrency, dtype=float))
    if not np.all((n >= 1) & np.isfinite(n)):
        wrong = n[~((n >= 1) & np.isfinite(n))][0]
        raise DataError(f"concurrency {wrong:g} is no finite number of at least 1; ask for one that is")
    largest = fit.measured_range[1]
    furthest = float(np.max(n, initial=1.0))
    if not extrapolate and furthest > EXTRAPOLATION_LIMIT * largest:
        raise DataError(
            f"concurrency {furthest:g} is beyond twice the largest level measured ({largest:g}); "
            f"ask up to {EXTRAPOLATION_LIMIT * largest:g}, measure further, or ask for extrapolation"
        )
    return n


def _delta_band(fit: BestFit, n: FloatArray, kind: str) -> tuple[FloatArray, FloatArray]:
    law = LAWS[fit.law]
    with np.errstate(all="ignore"):
        model = law.throughput(n, *fit.unbounded)
        gradient = law.gradient(n, *fit.unbounded)
        if fit.weights == "relative":
            gradient = gradient / model[:, np.newaxis]
        variance = np.einsum("ij,jk,ik->i", gradient, np.array(fit.covariance), gradient)
        if kind == "prediction":
            variance = variance + fit.residual_standard_error**2
        share = (1 + fit.confidence_level) / 2
        half = t_quantile(share, fit.degrees_of_freedom) * np.sqrt(np.clip(variance, 0, None))
        if fit.weights == "relative":
            low, high = model * np.exp(-half), model * np.exp(half)
        else:
            low, high = model - half, model + half
    # Beyond a pole of the unbounded curve it says nothing from above.
    return np.where(model > 0, low, 0.0), np.where(model > 0, high, np.inf)
