"""Where another core still pays: throughput by core, gain by added core, and a level to use."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from benchlib.caveats import Caveat, caveat
from benchlib.errors import DataError
from benchlib.scaling.curve import ScalingCurve, levels_text
from benchlib.scaling.fits.fitting import ScalingFit
from benchlib.scaling.laws import LAWS, FloatArray
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.moments import t_quantile, welch_test

__all__ = ["RULE", "Gain", "LevelReturn", "Return", "best_return"]

#: The rule of the recommendation, for method notes.
RULE = (
    "the level with the largest product of speedup and efficiency, X²/N: the knee of Eager, "
    "Zahorjan and Lazowska, IEEE Transactions on Computers 38(3), 1989, 408-423"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelReturn:
    """What one level gives.

    Attributes
    ----------
    concurrency : float
    throughput : float
        Median.
    per_core : Estimate
        Throughput by concurrency; interval of the mean by Student's t, infinite for n = 1.
    knee_value : float
        Speedup times efficiency, the quantity that the recommendation makes largest.
    within_cores : bool
    """

    concurrency: float
    throughput: float
    per_core: Estimate
    knee_value: float
    within_cores: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """What each added core gives between two neighbouring levels.

    Attributes
    ----------
    before, after : float
    per_added_core : Estimate
        (X2 - X1)/(N2 - N1); interval by Welch's t, infinite where a side has n = 1.
    within_cores : bool
    """

    before: float
    after: float
    per_added_core: Estimate
    within_cores: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """Where a core returns most, from the points and, where fitted, from the law.

    Attributes
    ----------
    levels : tuple of LevelReturn
    gains : tuple of Gain
    per_core_best : float
        Level with the most throughput by core.
    added_core_best : tuple of float or None
        Neighbouring levels between which an added core gains most; None where no step lies
        within the cores or none gains.
    recommended : float
        See `RULE`; levels beyond the cores never count.
    recommended_range : tuple of float or None
        Smallest and largest level whose knee value cannot be told from the recommended one's;
        None where a level has one measurement.
    rule : str
    law : str or None
    law_per_core_best : float or None
    law_added_core_best : tuple of float or None
        Between the measured levels, on the fitted curve.
    law_recommended : float or None
        By the same rule, on the fitted curve, over whole numbers of cores within those measured.
    cores : int or None
    caveats : tuple of Caveat
    """

    levels: tuple[LevelReturn, ...]
    gains: tuple[Gain, ...]
    per_core_best: float
    added_core_best: tuple[float, float] | None
    recommended: float
    recommended_range: tuple[float, float] | None
    rule: str
    law: str | None
    law_per_core_best: float | None
    law_added_core_best: tuple[float, float] | None
    law_recommended: float | None
    cores: int | None
    caveats: tuple[Caveat, ...]


def best_return(
    curve: ScalingCurve,
    fit: ScalingFit | None = None,
    *,
    cores: int | None = None,
    confidence_level: float = 0.95,
) -> Return:
    """Say which level gives most by core, by added core, and which to use.

    Only levels within ``cores`` count for the three answers; the tables hold all levels. A
    law whose curve bends down from the start always gains most at its first step, so where the
    points say otherwise the points are right about the measured range.

    Raises
    ------
    DataError
        When no level lies within ``cores``.

    References
    ----------
    D. L. Eager, J. Zahorjan and E. D. Lazowska, "Speedup versus efficiency in parallel systems",
    IEEE Transactions on Computers 38(3), 1989, 408-423.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> curve = build_curve([1, 2, 4, 8, 16], [6499, 7606, 14356, 17233, 17455], unit="req/sec")
    >>> answer = best_return(curve, cores=10)
    >>> answer.per_core_best, answer.added_core_best, answer.recommended
    (1.0, (2.0, 4.0), 4.0)
    """
    within = curve.concurrency <= (math.inf if cores is None else cores)
    if not np.any(within):
        raise DataError(
            f"no concurrency ({levels_text(curve.concurrency)}) lies within the {cores} cores; "
            "measure fewer workers or check `cores`"
        )
    levels = tuple(_level(curve, index, bool(within[index]), confidence_level) for index in range(len(within)))
    gains = tuple(_gain(curve, one, bool(within[two]), confidence_level) for one, two in pairwise(range(len(within))))
    usable = [level for level in levels if level.within_cores]
    best = max(usable, key=lambda level: (level.knee_value, -level.concurrency))
    step = max(
        (gain for gain in gains if gain.within_cores),
        key=lambda gain: gain.per_added_core.value,
        default=None,
    )
    by_law = (None, None, None) if fit is None else _by_law(fit, curve.concurrency[within])
    return Return(
        levels=levels,
        gains=gains,
        per_core_best=max(usable, key=lambda level: level.per_core.value).concurrency,
        added_core_best=((step.before, step.after) if step is not None and step.per_added_core.value > 0 else None),
        recommended=best.concurrency,
        recommended_range=_indistinct(curve, within, best.concurrency),
        rule=RULE,
        law=None if fit is None else fit.law,
        law_per_core_best=by_law[0],
        law_added_core_best=by_law[1],
        law_recommended=by_law[2],
        cores=cores,
        caveats=_caveats(curve, cores),
    )


def _level(curve: ScalingCurve, index: int, within: bool, confidence_level: float) -> LevelReturn:
    n, values = float(curve.concurrency[index]), curve.replicates[index]
    throughput = float(curve.throughput[index])
    first = float(curve.throughput[0] / curve.concurrency[0])
    half, error = math.inf, math.nan
    if len(values) > 1:
        error = float(np.std(values, ddof=1)) / math.sqrt(len(values)) / n
        half = t_quantile((1 + confidence_level) / 2, len(values) - 1) * error
    per_core = throughput / n
    return LevelReturn(
        concurrency=n,
        throughput=throughput,
        per_core=_around(
            per_core, half, error, curve.unit, len(values), "median by core; t of the mean", confidence_level
        ),
        knee_value=(throughput / first) ** 2 / n,
        within_cores=within,
    )


def _gain(curve: ScalingCurve, index: int, within: bool, confidence_level: float) -> Gain:
    one, two = curve.replicates[index : index + 2]
    added = float(curve.concurrency[index + 1] - curve.concurrency[index])
    value = float(curve.throughput[index + 1] - curve.throughput[index]) / added
    half, error = math.inf, math.nan
    if len(one) > 1 and len(two) > 1:
        shares = [float(np.var(side, ddof=1)) / len(side) for side in (one, two)]
        error = math.sqrt(sum(shares)) / added
        half = 0.0
        if error > 0:
            freedom = sum(shares) ** 2 / sum(
                share**2 / (len(side) - 1) for share, side in zip(shares, (one, two), strict=True)
            )
            half = t_quantile((1 + confidence_level) / 2, freedom) * error
    return Gain(
        before=float(curve.concurrency[index]),
        after=float(curve.concurrency[index + 1]),
        per_added_core=_around(
            value, half, error, curve.unit, len(one) + len(two),
            "difference of medians by added core; Welch's t", confidence_level,
        ),
        within_cores=within,
    )  # fmt: skip


def _around(
    value: float, half: float, error: float, unit: str, n: int, method: str, confidence_level: float
) -> Estimate:
    return Estimate(
        value=value,
        low=value - half,
        high=value + half,
        unit=unit,
        confidence_level=confidence_level,
        n=n,
        method=method,
        standard_error=error,
    )


def _indistinct(curve: ScalingCurve, within: np.ndarray, best: float) -> tuple[float, float] | None:
    """Return the range of levels whose X²/N a 5 % Welch test cannot tell from the best level's."""
    if min(curve.counts) < 2:
        return None
    knees = [
        2 * np.log(values) - math.log(n) for n, values in zip(curve.concurrency[within], curve.replicates, strict=False)
    ]
    chosen = knees[list(curve.concurrency).index(best)]
    alike = [
        float(n) for n, knee in zip(curve.concurrency[within], knees, strict=True) if n == best or _alike(chosen, knee)
    ]
    return min(alike), max(alike)


def _alike(one: FloatArray, two: FloatArray) -> bool:
    if not np.ptp(one) and not np.ptp(two):
        return bool(one[0] == two[0])
    return welch_test(one, two).pvalue >= 0.05


def _by_law(fit: ScalingFit, measured: FloatArray) -> tuple[float, tuple[float, float] | None, float]:
    law = LAWS[fit.law]
    throughput = law.throughput(measured, *fit.coefficients)
    per_core = float(measured[int(np.argmax(throughput / measured))])
    step = None
    if len(measured) > 1:
        gains = np.diff(throughput) / np.diff(measured)
        index = int(np.argmax(gains))
        step = (float(measured[index]), float(measured[index + 1])) if gains[index] > 0 else None
    # A few thousand whole numbers at most: between measured levels the law is meant to be read.
    whole = np.unique(np.round(np.linspace(measured[0], measured[-1], 4096)))
    knees = law.throughput(whole, *fit.coefficients) ** 2 / whole
    return per_core, step, float(whole[int(np.argmax(knees))])


def _caveats(curve: ScalingCurve, cores: int | None) -> tuple[Caveat, ...]:
    if cores is None:
        message = "the number of cores is not recorded: every level counts for the recommendation"
        return (caveat("cores-unknown", message),)
    return ()
