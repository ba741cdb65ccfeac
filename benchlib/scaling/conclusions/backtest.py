"""Back-testing: what would a fit of the first levels have said of the rest?"""

from __future__ import annotations

from dataclasses import dataclass

from benchlib.errors import DataError
from benchlib.scaling.conclusions.prediction import EXTRAPOLATION_LIMIT, predict
from benchlib.scaling.curve import ScalingCurve, levels_text, up_to
from benchlib.scaling.fits.best import BestFit, check_question, fit_best
from benchlib.scaling.fits.objective import checked_weights
from benchlib.scaling.laws import law_named

__all__ = ["BackTest", "Miss", "Round", "back_test"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """A level that was predicted from those below it, and what was measured there.

    Attributes
    ----------
    concurrency : float
    measured : float
        Median of the level.
    predicted, low, high : float
        By the law, with the interval for one more measurement.
    error : float
        predicted / measured - 1.
    inside : bool
        Whether the measured median lies in the interval.
    """

    concurrency: float
    measured: float
    predicted: float
    low: float
    high: float
    error: float
    inside: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A fit of the first levels, held against those that follow.

    Attributes
    ----------
    levels : int
        How many levels were fitted.
    up_to : float
        The largest of them.
    misses : tuple of Miss
        The levels beyond it, as far as twice ``up_to``.
    """

    levels: int
    up_to: float
    misses: tuple[Miss, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackTest:
    """How well a law would have predicted a curve from its first levels.

    Attributes
    ----------
    law : str
    rounds : tuple of Round
        Fewest levels first.
    refused : str
        Why there is no round, or why some are missing; "" where none is.
    """

    law: str
    rounds: tuple[Round, ...]
    refused: str


def back_test(
    curve: ScalingCurve,
    law: str,
    *,
    weights: str = "relative",
    confidence_level: float = 0.95,
    weak: bool = False,
) -> BackTest:
    """Fit the first levels of a curve and predict the others, for every number of levels that carries the law.

    Parameters
    ----------
    curve : ScalingCurve
    law, weights, confidence_level, weak
        As in `benchlib.scaling.fits.fitting.fit_law`.

    Raises
    ------
    DataError
        For a law that cannot be fitted to the whole curve either.

    References
    ----------
    L. J. Tashman, "Out-of-sample tests of forecasting accuracy: an analysis and review", International
    Journal of Forecasting 16(4), 2000, 437-450: fits from a fixed origin, over growing samples.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> tested = back_test(build_curve([1, 2, 4, 8, 16], [10, 18, 30, 44, 57], unit="op/sec"), "amdahl")
    >>> [(one.levels, [f"{100 * miss.error:+.1f} %" for miss in one.misses]) for one in tested.rounds]
    [(3, ['+2.3 %']), (4, ['+2.5 %'])]
    """
    wanted, weighed = law_named(law), checked_weights(weights)
    check_question(curve, wanted, confidence_level, weak=weak)
    levels = curve.concurrency
    needed = wanted.minimum_levels + 1
    if len(levels) < needed:
        refused = (
            f"back-testing {wanted.title} needs {needed} distinct concurrencies, "
            f"got {len(levels)} ({levels_text(levels)})"
        )
        return BackTest(law=wanted.name, rounds=(), refused=refused)
    rounds, refusals = [], []
    for count in range(wanted.minimum_levels, len(levels)):
        known = up_to(curve, float(levels[count - 1]))
        if levels[count] > EXTRAPOLATION_LIMIT * levels[count - 1]:
            refusals.append(f"from {levels[count - 1]:g} the next level {levels[count]:g} lies beyond twice it")
            continue
        try:
            fit = fit_best(
                known,
                law,
                weights=weighed,
                confidence_level=confidence_level,
                weak=weak,
            )
        except DataError as error:
            refusals.append(f"up to {levels[count - 1]:g}: {error}")
            continue
        rounds.append(_round(curve, count, fit))
    return BackTest(law=wanted.name, rounds=tuple(rounds), refused="; ".join(refusals))


def _round(curve: ScalingCurve, count: int, fit: BestFit) -> Round:
    largest = float(curve.concurrency[count - 1])
    within = curve.concurrency <= EXTRAPOLATION_LIMIT * largest
    within[:count] = False
    band = predict(fit, curve.concurrency[within], kind="prediction")
    misses = tuple(
        Miss(
            concurrency=float(n),
            measured=float(measured),
            predicted=float(predicted),
            low=float(low),
            high=float(high),
            error=float(predicted / measured - 1),
            inside=bool(low <= measured <= high),
        )
        for n, measured, predicted, low, high in zip(
            band.concurrency, curve.throughput[within], band.throughput, band.low, band.high, strict=True
        )
    )
    return Round(levels=count, up_to=largest, misses=misses)
