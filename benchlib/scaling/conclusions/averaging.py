"""Bands averaged over laws: what is not known about the law itself widens them.

Laws are weighed by how likely they make the measurements, without a price for their parameters. The price
of AICc, and of AIC, is for choosing a law to describe the points; beyond them it pays for certainty that
the points do not give. In simulation (truths: line, Amdahl, four USLs with peaks from 22 to 221, plateau, and
one with logarithmic coherency, which was averaged too then; 7 levels from 1 to 64, 5 % noise) nominal 95 %
bands at twice the largest level cover, at worst of these truths:

======================================== ================= ==================
weights and band                         7 measurements    21 measurements
======================================== ================= ==================
AICc, squares added (Burnham, Anderson)  51 %              71 %
AIC, squares added                       90 %              78 %
AICc, tails averaged                     55 %              84 %
AIC, tails averaged                      93 %              90 %
likelihood, tails averaged               93 %              94 %
the USL alone                            17 %              0 %
======================================== ================= ==================

The four laws averaged today (line, plateau, Amdahl, USL), by likelihood and tails, cover 94 % of the truths that
they hold, at worst, with 7 measurements and with 21 (400 runs each).

The laws averaged have to hold the shapes that are possible: without the plateau a curve that ran into one
is covered in 42 % of cases with 7 measurements, and never with 21.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from benchlib.lazy_scipy import special
from benchlib.scaling.conclusions.prediction import predict
from benchlib.scaling.fits.fitting import ScalingFit, same_data
from benchlib.scaling.laws import FloatArray

__all__ = ["AveragedBand", "average_bands", "likelihood_weights"]

#: Further from a curve than this, on logarithms or in multiples of the curve, there is no end.
_ENDLESS = 100.0
#: Halvings that leave an end to 1e-15 of where the laws' own ends lie apart.
_HALVINGS = 50
#: No standard error is smaller: rounding.
_TINY = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AveragedBand:
    """The curve averaged over several laws, and the band around it.

    Attributes
    ----------
    concurrency, throughput, low, high : ndarray, shape (n,)
    weights : mapping of str to float
        By law; they sum to 1.
    kind : {"confidence", "prediction"}
        Of the mean curve, or of one more measurement.
    confidence_level : float
    """

    concurrency: FloatArray
    throughput: FloatArray
    low: FloatArray
    high: FloatArray
    weights: Mapping[str, float]
    kind: str
    confidence_level: float


def average_bands(
    fits: Sequence[ScalingFit], concurrency: ArrayLike, *, kind: str = "confidence", extrapolate: bool = False
) -> AveragedBand:
    """Average the curves of several laws, with a band that knows how far they part.

    An end of the band is where the tails that the laws leave beyond it, each with its own t, average to
    what the confidence level leaves on that side; each side takes the half-widths of its own side, because
    bands are cut to what the laws allow. One law alone gives its own band back. With relative weights
    all this happens on logarithms.

    Parameters
    ----------
    fits : sequence of ScalingFit
        To the same data with the same weights; at most one a law.
    concurrency : array_like, shape (n,)
    kind : {"confidence", "prediction"}
    extrapolate : bool
        Whether concurrencies beyond twice the largest one measured are meant.

    Raises
    ------
    DataError
        As `benchlib.scaling.conclusions.prediction.predict`; and for no fits, or fits with other data or weights.

    References
    ----------
    D. Turek and D. Fletcher, "Model-averaged Wald confidence intervals", Computational Statistics and Data
    Analysis 56(9), 2012, 2809-2815. K. P. Burnham and D. R. Anderson, "Model Selection and
    Multimodel Inference", 2nd edition, Springer 2002, chapter 4: averaging over laws.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> from benchlib.scaling.fits.fitting import fit_law
    >>> curve = build_curve([1, 2, 4, 8, 16, 32], [10.0, 19.5, 33.0, 55.0, 68.0, 76.0], unit="op/sec")
    >>> fits = [fit_law(curve, law) for law in ("linear", "plateau", "amdahl", "usl")]
    >>> band = average_bands(fits, [64])
    >>> [round(float(one[0])) for one in (band.low, band.throughput, band.high)]
    [47, 63, 88]
    """
    weights = likelihood_weights(fits)
    bands = [predict(fit, concurrency, kind=kind, extrapolate=extrapolate) for fit in fits]
    on_logs = fits[0].weights == "relative"
    throughput, low, high = (
        np.array([getattr(band, name) for band in bands]) for name in ("throughput", "low", "high")
    )
    scale = np.mean(throughput, axis=0)
    with np.errstate(divide="ignore"):
        curves, lows, highs = (np.log(one / scale) if on_logs else one / scale for one in (throughput, low, high))
    share = np.array(list(weights.values()))[:, np.newaxis]
    freedom = np.array([fit.degrees_of_freedom for fit in fits])[:, np.newaxis]
    tail = (1 - fits[0].confidence_level) / 2
    centre = np.sum(share * curves, axis=0)
    # An average far from the likeliest law can lie beyond what the tails leave: the band holds it anyway.
    start = np.fmin(_end_below(curves, lows, share, freedom, tail), centre)
    end = np.fmax(-_end_below(-curves, -highs, share, freedom, tail), centre)
    throughput, low, high = (scale * (np.exp(one) if on_logs else one) for one in (centre, start, end))
    return AveragedBand(
        concurrency=bands[0].concurrency,
        throughput=throughput,
        low=np.fmax(low, 0.0),
        high=high,
        weights=weights,
        kind=kind,
        confidence_level=fits[0].confidence_level,
    )


def _end_below(curves: FloatArray, lows: FloatArray, share: FloatArray, freedom: FloatArray, tail: float) -> FloatArray:
    """Return where the lower tails of the laws, shape (laws, n), average to ``tail``: halved between their own ends."""
    lows = np.fmax(lows, curves - _ENDLESS)
    errors = np.fmax((curves - lows) / special.stdtrit(freedom, 1 - tail), _TINY)
    before, after = np.min(lows, axis=0), np.max(lows, axis=0)
    for _ in range(_HALVINGS):
        middle = (before + after) / 2
        beyond = np.sum(share * special.stdtr(freedom, (middle - curves) / errors), axis=0) > tail
        before, after = np.where(beyond, before, middle), np.where(beyond, middle, after)
    found = (before + after) / 2
    return np.where(found < np.min(curves, axis=0) - _ENDLESS / 2, -np.inf, found)


def likelihood_weights(fits: Sequence[ScalingFit]) -> Mapping[str, float]:
    """Return how much each law counts: its likelihood, as a share of all.

    It is that of normal residuals whose variance is unknown, RSS to the power of -n/2.

    Raises
    ------
    DataError
        For no fits, or fits with other data or weights.

    References
    ----------
    K. P. Burnham and D. R. Anderson 2002, section 2.9.1, without the term for parameters: see the table
    at the head of this module.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> from benchlib.scaling.fits.fitting import fit_law
    >>> curve = build_curve([1, 18, 36, 72, 108, 144, 216],
    ...                     [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2], unit="op/sec")
    >>> found = likelihood_weights([fit_law(curve, law, weights="none") for law in ("plateau", "usl")])
    >>> {law: round(weight, 3) for law, weight in found.items()}
    {'plateau': 0.463, 'usl': 0.537}
    """
    same_data(fits)
    sums = np.array([fit.sum_of_squares for fit in fits])
    likelihoods = (np.min(sums) / sums) ** (fits[0].n / 2)
    shares = likelihoods / np.sum(likelihoods)
    return MappingProxyType({fit.law: float(share) for fit, share in zip(fits, shares, strict=True)})
