"""Is the machine the same from run to run, and what did it do to benchmarks nobody touched?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.errors import DataError
from benchlib.lazy_scipy import special
from benchlib.statistics.estimates import _checked_rows, checked_level, checked_values

__all__ = [
    "SPREAD_LIMIT",
    "ControlNull",
    "RunSpread",
    "control_interval",
    "control_null",
    "log_median_variances",
    "run_spread",
    "unstable_runs",
]


#: Runs of the same code whose centres differ by no more than this factor are never called unstable.
SPREAD_LIMIT = 1.10
#: Beyond it, they are when their excess over 1 is this many times the median excess of their peers.
_PEER_FACTOR = 3.0
#: Few controls that differ widely allow any change: a range that reaches a millionfold from its centre bounds nothing.
_UNBOUNDED = math.log(1e6)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpread:
    """How far repeated runs of the same code lie apart."""

    centres: tuple[float, ...]  # the median of each run, in the order of the runs
    counts: tuple[int, ...]  # values behind each
    #: Largest over smallest centre; 1 where all are equal, infinite where a centre is not positive and they differ.
    ratio: float
    #: lowest, highest: which run, counted from 0.
    lowest: int
    highest: int
    trend: Literal["rising", "falling", ""]  # whether the centres only rise or only fall (3 runs or more)


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlNull:
    """What the machine alone did to benchmarks that the change cannot affect.

    The first four are natural logarithms of candidate over baseline.
    """

    center: float  # mean log ratio of the controls
    spread: float  # their standard deviation; NaN for one control
    #: low, high: prediction interval of the log ratios of further untouched benchmarks; infinite where controls bound
    #: nothing.
    low: float
    high: float
    n: int  # controls
    confidence_level: float  # chance that the interval holds all of `together` further untouched benchmarks
    together: int = 1  # how many the interval is for


def run_spread(values_by_run: Sequence[ArrayLike]) -> RunSpread:
    """Return how far the runs of one benchmark lie apart."""
    if len(values_by_run) < 2:
        raise DataError(f"a spread over runs needs 2 runs, got {len(values_by_run)}; repeat the run")
    runs = [checked_values(run, f"run {place}") for place, run in enumerate(values_by_run, start=1)]
    centres = np.array([float(np.median(run)) for run in runs])
    least, most = float(centres.min()), float(centres.max())
    ratio = most / least if least > 0 else (1.0 if least == most else math.inf)
    return RunSpread(
        centres=tuple(centres.tolist()),
        counts=tuple(run.size for run in runs),
        ratio=ratio,
        lowest=int(centres.argmin()),
        highest=int(centres.argmax()),
        trend=_trend(np.diff(centres)),
    )


def unstable_runs(
    spreads: Sequence[RunSpread], *, limit: float = SPREAD_LIMIT, peer_factor: float = _PEER_FACTOR
) -> tuple[bool, ...]:
    """Say of each benchmark whether its runs lie further apart than the machine explains.

    The rule: largest over smallest centre exceeds ``limit``, and its excess over 1 is more than
    ``peer_factor`` times the median excess of the other benchmarks and more than twice the upper
    quartile of it. Where everything drifts
    together the machine is at fault, not one benchmark; without peers the limit alone decides.
    """
    excess = np.array([spread.ratio - 1 for spread in spreads])
    if excess.size < 2:
        return tuple((excess > limit - 1).tolist())
    usual, upper = _quantiles_of_others(excess, 0.5), _quantiles_of_others(excess, 0.75)
    apart = np.isinf(excess) | ((excess > peer_factor * usual) & (excess > 2 * upper))
    return tuple(((excess > limit - 1) & apart).tolist())


def control_null(log_ratios: ArrayLike, level: float = 0.95, *, together: int = 1) -> ControlNull:
    """Return the range in which further benchmarks fall if only the machine changed.

    A prediction interval: mean ± t * spread * sqrt(1 + 1/n), with a quantile of Student's t at n - 1 degrees of
    freedom. For several further benchmarks each gets its part of what the level leaves (Bonferroni), so that all of
    them lie inside with at least this chance. It assumes that log ratios of untouched benchmarks are roughly normal
    and that the controls met the same machine as the rows they judge.

    Source: G. J. Hahn, W. Q. Meeker, Statistical Intervals, 1991, sections 4.7 and 4.8; O. J. Dunn, Journal of the
    American Statistical Association 56 (1961) 52-64.
    """
    logs = checked_values(log_ratios, "set of log ratios of the controls")
    confidence_level = checked_level(level)
    alone = ControlNull(
        center=float(logs.mean()),
        spread=float(logs.std(ddof=1)) if logs.size > 1 else math.nan,
        low=-math.inf,
        high=math.inf,
        n=logs.size,
        confidence_level=confidence_level,
        together=together,
    )
    low, high = control_interval(alone, confidence_level, together=together)
    return replace(alone, low=float(low[0]), high=float(high[0]))


def control_interval(
    null: ControlNull, level: float, *, together: int = 1, extra_variance: ArrayLike = 0.0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where further untouched benchmarks fall, as log ratios.

    With `together` the number of rows that the controls speak for, the chance that *any* of so many untouched rows
    lies outside is at most what the level leaves (Bonferroni). Rows that truly changed beside them make no difference
    to it. The rows share the controls' errors in mean and spread, so that the bound is wide where controls are few:
    for 26 rows it is 1.07 times as wide as need be with 10 controls, and 2.3 times with 3.

    Do not ask each row by itself and adjust by Benjamini-Hochberg: among rows of which half truly changed, 10
    controls and 10 untouched rows then give a false verdict in 1 study of 5, and 26 and 26 in 2 of 5.

    Source: O. J. Dunn, Journal of the American Statistical Association 56 (1961) 52-64, for the bound; G. J. Hahn,
    Journal of the American Statistical Association 64 (1969) 878-888, for the exact interval that it is held against
    above.
    """
    if together < 1:
        raise DataError(f"{together} benchmarks to lie in an interval; give 1 or more")
    quantile = -float(special.stdtrit(max(null.n, 2) - 1, (1 - checked_level(level)) / (2 * together)))
    reach = quantile * _prediction_error(null, extra_variance)
    reach = np.where(np.isnan(reach) | (reach > _UNBOUNDED), np.inf, reach)
    return null.center - reach, null.center + reach


def _prediction_error(null: ControlNull, extra_variance: ArrayLike) -> NDArray[np.float64]:
    extra = np.asarray(extra_variance, dtype=np.float64)
    if not (extra >= 0).all():
        raise DataError("an extra variance is negative or NaN; give 0 where a row repeats as well as the controls")
    return np.atleast_1d(np.sqrt(null.spread**2 * (1 + 1 / null.n) + extra))


def _quantiles_of_others(values: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return, for each value, the quantile of all others, the nearest of them."""
    order = np.argsort(values, kind="stable")
    rank = np.empty(values.size, dtype=np.intp)
    rank[order] = np.arange(values.size)
    place = int(np.rint(share * (values.size - 2)))
    # Without the value itself, what stands after it moves one place down.
    return np.asarray(values[order][np.where(rank <= place, place + 1, place)], dtype=np.float64)


def _trend(steps: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Literal["rising", "falling", ""]:
    if steps.size < 2:
        return ""
    if (steps > 0).all():
        return "rising"
    return "falling" if (steps < 0).all() else ""


def log_median_variances(values: ArrayLike, starts: ArrayLike) -> NDArray[np.float64]:
    """Return the sampling variance of the logarithm of each sample's median.

    As for normal logarithms: pi / 2 times their variance over their number.

    Source: A. W. van der Vaart, Asymptotic Statistics, 1998, chapter 21 (the median in large samples).
    """
    flat, places = _checked_rows(values, starts)
    sizes = np.diff(places)
    row = np.repeat(np.arange(sizes.size), sizes)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(flat)
        means = np.bincount(row, logs, minlength=sizes.size) / sizes
        squares = np.bincount(row, (logs - means[row]) ** 2, minlength=sizes.size)
        variances = math.pi / 2 * squares / (sizes - 1) / sizes
    return np.where((sizes > 1) & np.isfinite(variances), variances, np.nan)
