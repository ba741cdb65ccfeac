"""Did the machine stand still: trends while it was recorded, and rows that all move one way."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.errors import DataError
from benchlib.lazy_scipy import special
from benchlib.statistics.checks import checked_rows

__all__ = ["RunTrends", "SignImbalance", "sign_imbalance", "within_run_trends"]

Floats = NDArray[np.float64]

#: Fewer values in order say nothing of a trend.
LEAST_FOR_TREND = 3
#: Up to this many values the distribution of Kendall's S is counted, beyond it is as good as normal.
COUNTED = 30
#: Of the rows that could differ, this share must for their signs to speak of the machine.
DIFFERING_SHARE = 0.5
#: The largest chance of signs that one-sided for rows to be said to move alike.
ALIKE_PVALUE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunTrends:
    """How samples move while they are recorded, each and all together.

    Attributes
    ----------
    tau : numpy.ndarray, shape (r,)
        Kendall's S over its most, ``n (n - 1) / 2``: 1 where every value exceeds the one before. NaN for fewer than
        3 values or where all are equal.
    pvalue : numpy.ndarray, shape (r,)
        Mann-Kendall, two-sided; NaN where `tau` is.
    change : numpy.ndarray, shape (r,)
        Relative change from the first value to the last by the Theil-Sen line on logarithms; NaN where `tau` is, or
        where a value is not above 0.
    tested, rising, falling : int
        How many samples have a tau, and how many of these are above and below 0.
    combined_pvalue : float
        That all samples together have no trend (Hirsch, Slack and Smith); 1 where none is tested.
    """

    tau: Floats
    pvalue: Floats
    change: Floats
    tested: int
    rising: int
    falling: int
    combined_pvalue: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SignImbalance:
    """Whether the rows that differ all differ in one direction.

    Attributes
    ----------
    testable : int
        Rows that could show a difference.
    up, down : int
        Rows that differ by their own test, by the sign of their log ratio.
    pvalue : float
        Two-sided binomial test of as many ups as downs; 1 where none differs.
    alike : bool
        Whether at least half of the testable rows differ and the p value is below 0.01.
    """

    testable: int
    up: int
    down: int
    pvalue: float
    alike: bool


def within_run_trends(values: ArrayLike, starts: ArrayLike) -> RunTrends:
    """Return how each sample moves in the order of its recording, and how all do together.

    Each sample: Mann-Kendall, exact up to 30 values without ties, else normal with the correction for ties and for
    continuity. All together: the sum of the samples' S over the root of the sum of their variances, as the seasonal
    Kendall test does; it takes the samples to be independent, as they are when each benchmark is recorded in its own
    stretch of time. Samples recorded in rounds share what the machine did, and their sum then says that the machine
    moved, not that it moved steadily.

    Parameters
    ----------
    values : array_like, shape (total,)
        Sample after sample, each in order of recording.
    starts : array_like of int, shape (r + 1,)
        Where each sample begins, and after the last where it ends.

    Raises
    ------
    DataError
        For starts that do not lead through the values, or values that are not finite.

    References
    ----------
    H. B. Mann, Econometrica 13 (1945) 245-259; R. M. Hirsch, J. R. Slack, R. A. Smith, Water Resources Research 18
    (1982) 107-121; P. K. Sen, Journal of the American Statistical Association 63 (1968) 1379-1389.

    Examples
    --------
    >>> found = within_run_trends([10, 11, 12, 13, 14, 15, 7, 7, 7], [0, 6, 9])
    >>> found.pvalue.round(4), found.change.round(2), (found.rising, found.tested)
    (array([0.0028,    nan]), array([0.49,  nan]), (1, 1))
    """
    flat, places = checked_rows(values, starts)
    sizes = np.diff(places)
    tau, pvalue, change = (np.full(sizes.size, np.nan) for _ in range(3))
    total, variance = 0.0, 0.0
    for n in np.unique(sizes[sizes >= LEAST_FOR_TREND]).tolist():
        rows = np.flatnonzero(sizes == n)
        # Blocks keep the table of pairs of values small.
        for some in np.array_split(rows, max(1, rows.size * n * n // 2_000_000)):
            sample = flat[places[some][:, None] + np.arange(n)]
            tested = sample.min(axis=1) < sample.max(axis=1)
            some, sample = some[tested], sample[tested]
            if not some.size:
                continue
            rises, spread, tied = _kendall(sample)
            tau[some] = rises / (n * (n - 1) / 2)
            pvalue[some] = _trend_pvalues(rises, spread, tied, n)
            change[some] = _relative_change(sample)
            total, variance = total + float(rises.sum()), variance + float(spread.sum())
    tested_rows = int((~np.isnan(tau)).sum())
    return RunTrends(
        tau=tau,
        pvalue=pvalue,
        change=change,
        tested=tested_rows,
        rising=int((tau > 0).sum()),
        falling=int((tau < 0).sum()),
        combined_pvalue=_combined(pvalue, total, variance, tested_rows),
    )


def sign_imbalance(
    log_ratios: ArrayLike, pvalues: ArrayLike, testable: ArrayLike, significance_level: float = 0.05
) -> SignImbalance:
    """Return how many of the rows that differ go up and down, and whether that is one way only.

    A change of the code moves some rows, seldom most of them in one direction; a machine that slows down does.
    Under independent tests of rows that nothing moved, half of the rows never differ: with 20 rows the chance that
    this says "alike" is below 1e-5. At least 8 rows must differ, all one way, for a p value below 0.01.

    Parameters
    ----------
    log_ratios : array_like, shape (r,)
        Natural logarithm of candidate over baseline; a row where it is not finite has no direction and is left out.
    pvalues : array_like, shape (r,)
        Of each row's own test, not adjusted; NaN where there is none.
    testable : array_like of bool, shape (r,)
        Whether the row's sizes could reach the level at all.
    significance_level : float

    Raises
    ------
    DataError
        For arrays that are not equally long.

    Examples
    --------
    >>> found = sign_imbalance([0.7] * 24 + [0.01, -0.01], [0.002] * 24 + [0.5, 0.9], [True] * 26)
    >>> found.up, found.down, found.testable, found.alike
    (24, 0, 26, True)
    """
    logs, chances = np.asarray(log_ratios, dtype=np.float64).ravel(), np.asarray(pvalues, dtype=np.float64).ravel()
    able = np.asarray(testable, dtype=np.bool_).ravel()
    if not logs.size == chances.size == able.size:
        raise DataError(
            f"{logs.size} log ratios, {chances.size} p values and {able.size} marks of testable rows; "
            "give one of each for every row"
        )
    able = able & np.isfinite(logs) & ~np.isnan(chances)
    differing = able & (chances <= significance_level) & (logs != 0)
    up, down = int((differing & (logs > 0)).sum()), int((differing & (logs < 0)).sum())
    pvalue = min(1.0, 2 * float(special.bdtr(min(up, down), up + down, 0.5))) if up + down else 1.0
    return SignImbalance(
        testable=int(able.sum()),
        up=up,
        down=down,
        pvalue=pvalue,
        alike=up + down >= DIFFERING_SHARE * int(able.sum()) and pvalue < ALIKE_PVALUE,
    )


def _kendall(sample: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return S of each row, its variance under no trend, and whether the row has ties."""
    n = sample.shape[1]
    early, late = np.triu_indices(n, 1)
    signs = np.sign(sample[:, late] - sample[:, early])
    # Each value of a group of t ties contributes (t - 1)(2t + 5), the whole group t times that.
    others = (sample[:, :, None] == sample[:, None, :]).sum(axis=2)
    ties = ((others - 1) * (2 * others + 5)).sum(axis=1)
    return signs.sum(axis=1), (n * (n - 1) * (2 * n + 5) - ties) / 18, (others > 1).any(axis=1)


def _trend_pvalues(rises: Floats, variance: Floats, tied: NDArray[np.bool_], n: int) -> Floats:
    reached = np.maximum(np.abs(rises) - 1, 0) / np.sqrt(variance)
    answers = np.asarray(2 * special.ndtr(-reached), dtype=np.float64)
    if n <= COUNTED:
        most = n * (n - 1) // 2
        at_least = orders_of(n)[::-1].cumsum()[::-1]
        answers[~tied] = 2 * at_least[(np.abs(rises[~tied]).astype(np.intp) + most) // 2]
    return np.minimum(answers, 1.0)


@lru_cache(maxsize=64)
def orders_of(n: int) -> Floats:
    """Return, for each number of rising pairs, the share of orders of n values that have it."""
    shares = np.ones(1)
    for later in range(2, n + 1):
        shares = np.convolve(shares, np.full(later, 1 / later))
    return np.asarray(shares, dtype=np.float64)


def _relative_change(sample: Floats) -> Floats:
    n = sample.shape[1]
    early, late = np.triu_indices(n, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(sample)
        slopes = (logs[:, late] - logs[:, early]) / (late - early)
    with np.errstate(over="ignore", invalid="ignore"):
        change = np.expm1(np.median(slopes, axis=1) * (n - 1))
    return np.where((sample > 0).all(axis=1), change, np.nan)


def _combined(pvalues: Floats, total: float, variance: float, tested: int) -> float:
    if not tested:
        return 1.0
    if tested == 1:
        return float(pvalues[~np.isnan(pvalues)][0])
    return float(2 * special.ndtr(-max(abs(total) - 1, 0.0) / math.sqrt(variance)))
