"""Joint draws of a throughput curve: what the points leave open about the law, its parameters and the noise.

Decisions need the chance that a throughput is reached, at several concurrencies at once; bands tell one
concurrency at a time. A draw picks a law by its likelihood, as `benchlib.scaling.predict` weighs
them, then a curve of that law from the delta method, as `benchlib.scaling.predict` bounds it. Where no
law explains the points, they answer themselves between their levels.

Every draw is kept on a fixed grid of concurrencies and rounded to one part in 10,000, so that a page can carry
the very draws that an answer was computed from.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.errors import DataError
from benchlib.scaling.curve import ScalingCurve
from benchlib.scaling.fit import ScalingFit
from benchlib.scaling.laws import LAWS, FloatArray
from benchlib.scaling.predict import checked_concurrency, likelihood_weights

#: What an answer is computed from where nobody says.
DRAWS = 4000
#: The word for draws of the points themselves, beside names of laws.
POINTS = "points"
#: Logarithms of draws are rounded to multiples of this, and held within as many as two bytes count.
STEP = 2e-4
_MOST_STEPS = 32767
#: The share of what levels lie off a law by that is taken for the shape of the system, the rest for noise. Nothing can
#: tell; a third holds what is stated under both (``benchmarks/capacity_calibration.py``).
_SHAPE = 1 / 3
#: No draw lies further from its curve than this, on logarithms.
_FURTHEST = 8.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurveDraws:
    """Curves that the measurements allow, on one grid of concurrencies."""

    #: Shape (k,). Ascending.
    concurrency: FloatArray
    #: Shape (draws, k). In ``unit``.
    throughput: FloatArray
    laws: tuple[str, ...]  # names of laws, or `POINTS`
    #: Shape (draws,). Which of ``laws`` each draw follows.
    law: NDArray[np.intp]
    weights: Mapping[str, float]  # how likely each law makes the measurements; they sum to 1
    unit: str
    measured_range: tuple[float, float]
    n: int  # measurements behind the draws
    reference: float  # draws are ``reference`` times powers of e in multiples of `STEP`


def draw_laws(
    fits: Sequence[ScalingFit], curve: ScalingCurve, concurrency: ArrayLike, *, draws: int = DRAWS, seed: int = 0
) -> CurveDraws:
    """Draw curves from several laws fitted to the same measurements.

    A law takes as many draws as its weight makes it due. Its draws are the feasible curve, moved by the delta
    method around the fit without bounds: by a multivariate t with the degrees of freedom of that fit, on
    logarithms where noise is relative. Beyond the largest level none grows more than in proportion. What levels lie
    off a law by is noise of theirs or the shape of the system: see `_off_law`.

    G. A. F. Seber and C. J. Wild, "Nonlinear Regression", Wiley 1989, section 5.1: the delta method. K. P. Burnham
    and D. R. Anderson, "Model Selection and Multimodel Inference", 2nd edition, Springer 2002, chapter 4.
    """
    weights = likelihood_weights(fits)
    n = np.unique(checked_concurrency(fits[0], concurrency, extrapolate=False))
    generator = np.random.default_rng(seed)
    due = np.searchsorted(np.cumsum(list(weights.values())), (np.arange(draws) + 0.5) / draws)
    law = np.minimum(due, len(fits) - 1)
    drawn = np.concatenate(
        [
            _curves_of(fit, n, count, generator) * _off_law(fit, curve, n, count, generator)
            for fit, count in zip(fits, np.bincount(law, minlength=len(fits)).tolist(), strict=True)
        ]
    )
    reference, rounded = rounded_draws(drawn)
    return CurveDraws(
        concurrency=n,
        throughput=rounded,
        laws=tuple(fit.law for fit in fits),
        law=law,
        weights=weights,
        unit=fits[0].unit,
        measured_range=fits[0].measured_range,
        n=fits[0].n,
        reference=reference,
    )


def draw_points(curve: ScalingCurve, concurrency: ArrayLike, *, draws: int = DRAWS, seed: int = 0) -> CurveDraws:
    """Draw curves from the points alone: straight between levels, on logarithms of both."""
    n = np.unique(np.asarray(concurrency, dtype=float))
    levels = curve.concurrency
    if n[0] < levels[0] or n[-1] > levels[-1]:
        wrong = n[0] if n[0] < levels[0] else n[-1]
        raise DataError(
            f"concurrency {wrong:g} is outside the levels measured ({levels[0]:g} to {levels[-1]:g}), "
            "and no law explains them; measure there"
        )
    at_levels = _draw_means(curve.replicates, draws=draws, generator=np.random.default_rng(seed))
    reference, rounded = rounded_draws(between(levels, at_levels, n))
    return CurveDraws(
        concurrency=n,
        throughput=rounded,
        laws=(POINTS,),
        law=np.zeros(draws, dtype=np.intp),
        weights=MappingProxyType({POINTS: 1.0}),
        unit=curve.unit,
        measured_range=(float(levels[0]), float(levels[-1])),
        n=sum(curve.counts),
        reference=reference,
    )


def _draw_means(groups: Sequence[FloatArray], *, draws: int, generator: np.random.Generator) -> FloatArray:
    """Draw the mean of each group, shape (draws, groups): t on logarithms, with one relative variance for all."""
    logs = [np.log(group) for group in groups]
    freedom = sum(len(log) - 1 for log in logs)
    if freedom < 1:
        raise DataError("one measurement at every level: nothing tells the noise; repeat each at least 3 times")
    variance = sum(float(np.sum((log - np.mean(log)) ** 2)) for log in logs) / freedom
    middle = np.array([np.mean(log) for log in logs])
    errors = np.sqrt(variance / np.array([len(log) for log in logs]))
    moves = errors * _t_draws(draws, len(logs), freedom, generator)
    return np.asarray(np.exp(middle + np.clip(moves, -_FURTHEST, _FURTHEST)))


def between(levels: FloatArray, values: FloatArray, n: FloatArray) -> FloatArray:
    """Read curves, shape (draws, levels), at concurrencies between the levels: straight on logarithms of both."""
    if len(levels) == 1:
        return np.repeat(values, len(n), axis=1)
    after = np.clip(np.searchsorted(levels, n), 1, len(levels) - 1)
    before = after - 1
    share = (np.log(n) - np.log(levels[before])) / (np.log(levels[after]) - np.log(levels[before]))
    logs = np.log(values)
    return np.asarray(np.exp(logs[:, before] + share * (logs[:, after] - logs[:, before])))


def rounded_draws(values: FloatArray) -> tuple[float, FloatArray]:
    """Return the reference that draws are multiples of, and the draws rounded to what is kept of them."""
    if not np.all((values > 0) & (values < np.inf)):
        raise DataError("a curve was drawn that is no finite number above 0 everywhere; check values, units and mix")
    reference = float(np.exp(np.median(np.log(values))))
    steps = np.clip(np.round(np.log(values / reference) / STEP), -_MOST_STEPS, _MOST_STEPS)
    return reference, np.asarray(reference * np.exp(steps * STEP))


def _t_draws(draws: int, size: int, freedom: int, generator: np.random.Generator) -> FloatArray:
    """Return multivariate t draws, shape (draws, size): normal ones over the root of one chi-square each."""
    normal = generator.standard_normal((draws, size))
    return np.asarray(normal / np.sqrt(generator.chisquare(freedom, draws) / freedom)[:, np.newaxis])


def _curves_of(fit: ScalingFit, n: FloatArray, draws: int, generator: np.random.Generator) -> FloatArray:
    """Draw the curves of one law."""
    law, largest = LAWS[fit.law], fit.measured_range[1]
    places = np.append(n, largest)
    centre = law.throughput(places, *fit.coefficients)
    with np.errstate(all="ignore"):
        around = law.throughput(places, *fit.unbounded)
        gradient = law.gradient(places, *fit.unbounded)
    moves = _t_draws(draws, len(fit.coefficients), fit.degrees_of_freedom, generator) @ _root(np.array(fit.covariance))
    # Beyond a pole of the curve without bounds it says nothing: the feasible curve stays, as wide as at the largest.
    known = around > 0
    slopes = np.where(known[:, np.newaxis], gradient / np.where(known, around, 1.0)[:, np.newaxis], 0.0)
    if fit.weights == "relative":
        shifts = moves @ slopes.T
        curves = centre * np.exp(np.clip(shifts, -_FURTHEST, _FURTHEST))
    else:
        curves = centre + moves @ (slopes * around[:, np.newaxis]).T
        curves = np.fmax(curves, centre * math.exp(-_FURTHEST))
    if fit.law != "linear":
        ceiling = curves[:, -1:] * np.fmax(n / largest, 1.0)
        curves[:, :-1] = np.where(n > largest, np.fmin(curves[:, :-1], ceiling), curves[:, :-1])
    return np.asarray(curves[:, :-1])


def _off_law(
    fit: ScalingFit, curve: ScalingCurve, n: FloatArray, draws: int, generator: np.random.Generator
) -> FloatArray:
    """Draw by which factor the system itself lies off a law, shape (draws, n).

    A share of the variance of what a level lies off by is taken for the system's shape, the rest for noise: for what
    its values share, and for what their mean is not sure of. Each level then tells as much of its own place as that
    makes likely. Between levels it is straight on logarithms, beyond them as at the nearest.

    G. K. Robinson, "That BLUP is a good thing", Statistical Science 6, 1991, 15-32.
    """
    means = np.array([float(np.mean(np.log(values))) for values in curve.replicates])
    middle = LAWS[fit.law].throughput(curve.concurrency, *fit.coefficients)
    relative = fit.deviation_at(curve.concurrency) / (1.0 if fit.weights == "relative" else middle)
    shared, single = (fit.between_levels * relative) ** 2, (fit.residual_standard_error * relative) ** 2
    variance = shared + np.fmax(single - shared, 0.0) / np.array(curve.counts)
    noise = np.sqrt(_SHAPE * (1 - _SHAPE) * variance) * generator.standard_normal((draws, len(means)))
    at_levels = np.clip(_SHAPE * (means - np.log(middle)) + noise, -_FURTHEST, _FURTHEST)
    levels = curve.concurrency
    return between(levels, np.exp(at_levels), np.clip(n, levels[0], levels[-1]))


def _root(covariance: FloatArray) -> FloatArray:
    """Return a matrix whose transpose times itself is the covariance, by way of the correlations.

    A rate and a coherency lie many powers of ten apart, and eigenvalues of both together would lose the smaller.
    The root is the symmetric one: eigenvectors have no sign of their own, and draws must not hang on a library's.
    """
    errors = np.sqrt(np.clip(np.diag(covariance), 0, None))
    known = np.where(errors > 0, errors, 1.0)
    spread, directions = np.linalg.eigh(covariance / np.outer(known, known))
    return np.asarray(directions * np.sqrt(np.clip(spread, 0, None)) @ directions.T * errors)


def _scaled_by(drawn: CurveDraws, factors: FloatArray, n: int) -> CurveDraws:
    """Return draws each multiplied by its own factor, resting on ``n`` more measurements."""
    reference, rounded = rounded_draws(drawn.throughput * factors[:, np.newaxis])
    return replace(drawn, throughput=rounded, reference=reference, n=drawn.n + n)
