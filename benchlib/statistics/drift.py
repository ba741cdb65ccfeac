"""Did the machine stand still: trends while it was recorded, and rows that all move one way.

A machine that slows down while the baseline is recorded, and further while the candidate is, makes every row worse.
What it did from one side to the other cannot be seen; what it did meanwhile on each side can, and is taken further.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.errors import DataError
from benchlib.lazy_scipy import special
from benchlib.statistics.compare import Pairs, one_pair
from benchlib.statistics.estimates import _checked_rows
from benchlib.statistics.verdicts import benjamini_hochberg

__all__ = ["beyond_spread", "common_drift", "drift_between", "most_drift", "sign_imbalance", "within_run_trends"]


_Floats = NDArray[np.float64]
#: Fewer values in order say nothing of a trend.
_LEAST_FOR_TREND = 3
#: Up to this many values the distribution of Kendall's S is counted, beyond it is as good as normal.
_COUNTED = 30
#: Of the rows that could differ, this share must for their signs to speak of the machine.
_DIFFERING_SHARE = 0.5
#: The largest chance of signs that one-sided for rows to be said to move alike.
_ALIKE_PVALUE = 0.01
#: A trend is found in at most this share of rows that only scatter.
TREND_PVALUE = 0.01
#: Of longer samples so many values are looked at, evenly spaced: every pair of them is.
_LOOKED_AT = 200


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunTrends:
    """How samples move while they are recorded, each and all together."""

    #: Shape (r,). Kendall's S over its most, ``n (n - 1) / 2``: 1 where every value exceeds the one before. NaN for
    #: fewer than 3 values or where all are equal.
    tau: _Floats
    #: Shape (r,). Mann-Kendall, two-sided; NaN where `tau` is.
    pvalue: _Floats
    #: Shape (r,). Relative change from the first value to the last by the Theil-Sen line on logarithms; NaN where `tau`
    #: is, or where a value is not above 0.
    change: _Floats
    #: tested, rising, falling: how many samples have a tau, and how many of these are above and below 0.
    tested: int
    rising: int
    falling: int
    #: That all samples together have no trend (Hirsch, Slack and Smith); 1 where none is tested.
    combined_pvalue: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SignImbalance:
    """Whether the rows that differ all differ in one direction."""

    testable: int  # rows that could show a difference
    #: up, down: rows that differ by their own test, by the sign of their log ratio.
    up: int
    down: int
    pvalue: float  # two-sided binomial test of as many ups as downs; 1 where none differs
    #: Whether at least half of the testable rows differ, the p value is below 0.01, and few others stand still.
    alike: bool


def within_run_trends(values: ArrayLike, starts: ArrayLike) -> RunTrends:
    """Return how each sample moves in the order of its recording, and how all do together.

    Each sample: Mann-Kendall, exact up to 30 values without ties, else normal with the correction for ties and for
    continuity. All together: the sum of the samples' S over the root of the sum of their variances, as the seasonal
    Kendall test does; it takes the samples to be independent, as they are when each benchmark is recorded in its own
    stretch of time. Samples recorded in rounds share what the machine did, and their sum then says that the machine
    moved, not that it moved steadily.

    Source: H. B. Mann, Econometrica 13 (1945) 245-259; R. M. Hirsch, J. R. Slack, R. A. Smith, Water Resources Research
    18 (1982) 107-121; P. K. Sen, Journal of the American Statistical Association 63 (1968) 1379-1389.
    """
    flat, places = _checked_rows(values, starts)
    sizes = np.diff(places)
    tau, pvalue, change = (np.full(sizes.size, np.nan) for _ in range(3))
    total, variance = 0.0, 0.0
    for n in np.unique(sizes[sizes >= _LEAST_FOR_TREND]).tolist():
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
    log_ratios: ArrayLike,
    pvalues: ArrayLike,
    testable: ArrayLike,
    significance_level: float = 0.05,
    *,
    still: ArrayLike = False,
) -> SignImbalance:
    """Return how many of the rows that differ go up and down, and whether that is one way only.

    Rows that are shown to stand `still` are then counted as going the other way: the test has to keep the significance
    level with them too, so that one of nine is too little, and two of ten speak for the code.

    A change of the code moves some rows, seldom most of them in one direction; a machine that slows down does.
    Under independent tests of rows that nothing moved, half of the rows never differ: with 20 rows the chance that
    this says "alike" is below 1e-5. At least 8 rows must differ, all one way, for a p value below 0.01.
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
    unmoved = int((able & ~differing & np.asarray(still, dtype=np.bool_)).sum())
    pvalue, against = _sign_test(up, down), _sign_test(max(up, down), min(up, down) + unmoved)
    return SignImbalance(
        testable=int(able.sum()),
        up=up,
        down=down,
        pvalue=pvalue,
        alike=up + down >= _DIFFERING_SHARE * int(able.sum())
        and pvalue < _ALIKE_PVALUE
        and against <= significance_level,
    )


def _sign_test(up: int, down: int) -> float:
    return min(1.0, 2 * float(special.bdtr(min(up, down), up + down, 0.5))) if up + down else 1.0


def _kendall(sample: _Floats) -> tuple[_Floats, _Floats, NDArray[np.bool_]]:
    """Return S of each row, its variance under no trend, and whether the row has ties."""
    n = sample.shape[1]
    early, late = np.triu_indices(n, 1)
    signs = np.sign(sample[:, late] - sample[:, early])
    # Each value of a group of t ties contributes (t - 1)(2t + 5), the whole group t times that.
    others = (sample[:, :, None] == sample[:, None, :]).sum(axis=2)
    ties = ((others - 1) * (2 * others + 5)).sum(axis=1)
    return signs.sum(axis=1), (n * (n - 1) * (2 * n + 5) - ties) / 18, (others > 1).any(axis=1)


def _trend_pvalues(rises: _Floats, variance: _Floats, tied: NDArray[np.bool_], n: int) -> _Floats:
    reached = np.maximum(np.abs(rises) - 1, 0) / np.sqrt(variance)
    answers = np.asarray(2 * special.ndtr(-reached), dtype=np.float64)
    if n <= _COUNTED:
        most = n * (n - 1) // 2
        at_least = _orders_of(n)[::-1].cumsum()[::-1]
        answers[~tied] = 2 * at_least[(np.abs(rises[~tied]).astype(np.intp) + most) // 2]
    return np.minimum(answers, 1.0)


@lru_cache(maxsize=64)
def _orders_of(n: int) -> _Floats:
    """Return, for each number of rising pairs, the share of orders of n values that have it."""
    shares = np.ones(1)
    for later in range(2, n + 1):
        shares = np.convolve(shares, np.full(later, 1 / later))
    return np.asarray(shares, dtype=np.float64)


def _relative_change(sample: _Floats) -> _Floats:
    n = sample.shape[1]
    early, late = np.triu_indices(n, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(sample)
        slopes = (logs[:, late] - logs[:, early]) / (late - early)
    with np.errstate(over="ignore", invalid="ignore"):
        change = np.expm1(np.median(slopes, axis=1) * (n - 1))
    return np.where((sample > 0).all(axis=1), change, np.nan)


def _combined(pvalues: _Floats, total: float, variance: float, tested: int) -> float:
    if not tested:
        return 1.0
    if tested == 1:
        return float(pvalues[~np.isnan(pvalues)][0])
    return float(2 * special.ndtr(-max(abs(total) - 1, 0.0) / math.sqrt(variance)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DriftBetween:
    """What moved rows while their sides were recorded, and how far it takes the sides apart."""

    #: Shape (r,). Of so clear a trend on either side or over both, where there is none; 1 where nothing tells.
    pvalue: _Floats
    #: Shape (r,). By how much the logarithms of the sides would differ if what moved each of them went on between them;
    #: 0 where the values give no logarithm.
    reach: _Floats

    @property
    def drifted(self) -> NDArray[np.bool_]:
        """Say which rows have a trend; at most `TREND_PVALUE` of those that only scatter do."""
        return self.pvalue <= TREND_PVALUE


def beyond_spread(logs: ArrayLike, noise: ArrayLike, runs: ArrayLike, significance_level: float) -> NDArray[np.bool_]:
    """Say which ratios exceed what two runs of the same code lie apart, as many earlier runs tell it.

    Parameters
    ----------
    logs : array_like, shape (n,)
        Logarithms of ratios between a run and another.
    noise : array_like, shape (n,)
        Standard deviation of the logarithm of one run; NaN where it is unknown.
    runs : array_like, shape (n,)
        Runs that it is known from, two or more.
    significance_level : float
        Bounds the share of false ones (Benjamini and Hochberg).

    Returns
    -------
    ndarray of bool, shape (n,)
        False where the noise is unknown.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(np.asarray(logs, dtype=np.float64)) / (math.sqrt(2) * np.asarray(noise, dtype=np.float64))
        pvalues = 2 * special.stdtr(np.asarray(runs, dtype=np.float64) - 1, -t)
    beyond: NDArray[np.bool_] = benjamini_hochberg(pvalues) <= significance_level
    return beyond


def drift_between(
    pairs: Pairs, baseline_positions: ArrayLike, candidate_positions: ArrayLike, upwards: ArrayLike = 0
) -> DriftBetween:
    """Return how each row moved while it was recorded, and what that makes of the difference of its sides.

    Three tests of a trend: Mann-Kendall's on each side, each for a quarter of the chance of a false one, and on the sum
    of S over both sides, which sees a steady drift first, for the other half; exact up to 30 values a side.

    The reach: the slopes of both sides (Theil-Sen, on logarithms) without their signs, added, times the way from the
    middle of one side to that of the other. A machine that drifts steadily makes half of it; the other half is for
    what it did that was not recorded. Sides recorded in turn have one middle, and hardly any reach.

    Source: H. B. Mann, Econometrica 13 (1945) 245-259; R. M. Hirsch, J. R. Slack, R. A. Smith, Water Resources Research
    18 (1982) 107-121, for the sum; P. K. Sen, Journal of the American Statistical Association 63 (1968) 1379-1389.
    """
    before = _side(pairs.baseline, pairs.baseline_starts, baseline_positions)
    after = _side(pairs.candidate, pairs.candidate_starts, candidate_positions)
    with np.errstate(invalid="ignore"):
        alone = 4 * np.fmin(np.fmin(before.pvalue, after.pvalue), 1.0)
    both = 2 * _over_both(before, after, np.broadcast_to(upwards, pairs.rows))
    return DriftBetween(
        pvalue=np.minimum(np.minimum(alone, both), 1.0),
        reach=(np.abs(before.rate) + np.abs(after.rate)) * np.abs(after.middle - before.middle),
    )


def common_drift(
    pairs: Pairs,
    baseline_positions: ArrayLike,
    candidate_positions: ArrayLike,
    rows: NDArray[np.bool_],
    upwards: int = 0,
) -> DriftBetween:
    """Return how rows moved together: the median over them, first value by first value, second by second.

    Rows recorded in rounds share what the machine did, so that they are one witness, not many: the median over them
    is tested as one row is. Where their sizes differ, those of the most common sizes speak for all.
    """
    sizes = np.stack([np.diff(pairs.baseline_starts), np.diff(pairs.candidate_starts)], axis=1)
    _, kind, many = np.unique(sizes[rows], axis=0, return_inverse=True, return_counts=True)
    alike = np.flatnonzero(rows)[kind.ravel() == many.argmax()]
    old, new = (
        _table(pairs.baseline, pairs.baseline_starts, alike),
        _table(pairs.candidate, pairs.candidate_starts, alike),
    )
    usable = (old > 0).all(axis=1) & (new > 0).all(axis=1)
    if not usable.any():
        return DriftBetween(pvalue=np.ones(1), reach=np.zeros(1))
    first, second = (
        _table(np.asarray(where), starts, alike)[usable].mean(axis=0)
        for where, starts in (
            (baseline_positions, pairs.baseline_starts),
            (candidate_positions, pairs.candidate_starts),
        )
    )
    together = one_pair(_middle_course(old[usable]), _middle_course(new[usable]))
    return drift_between(together, first, second, upwards)


def most_drift(pairs: Pairs, baseline_positions: ArrayLike, candidate_positions: ArrayLike) -> _Floats:
    """Return by how much drift could take the sides of each row apart at most, for all that its own values show.

    A drift moves a row while it is recorded, too: by no more than its values differ within a side. What all of that,
    taken for drift, makes on the way from the middle of one side to that of the other, bounds the reach; infinite for
    a side of one value, and where values give no logarithm.
    """
    reach, middles = np.zeros(pairs.rows), []
    for values, starts, positions in (
        (pairs.baseline, pairs.baseline_starts, baseline_positions),
        (pairs.candidate, pairs.candidate_starts, candidate_positions),
    ):
        where = np.asarray(positions, dtype=np.float64)
        ends = [[of.reduceat(each, starts[:-1]) for of in (np.minimum, np.maximum)] for each in (values, where)]
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = np.log(ends[0][1] / ends[0][0]) / (ends[1][1] - ends[1][0])
        reach += np.where(np.isnan(rate), np.inf, rate)
        middles.append(np.add.reduceat(where, starts[:-1]) / np.diff(starts))
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(reach * np.abs(middles[1] - middles[0]), nan=0.0, posinf=np.inf)


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One side of each row.

    Its Mann-Kendall p value, NaN for none; its S; how many values had a say, 1 for none; how fast its logarithms move
    a position, and where its middle lies.
    """

    pvalue: _Floats
    rises: _Floats
    sizes: NDArray[np.intp]
    rate: _Floats
    middle: _Floats


def _side(values: _Floats, starts: NDArray[np.intp], positions: ArrayLike) -> _Side:
    sizes, where = np.diff(starts), np.asarray(positions, dtype=np.float64)
    middle = np.add.reduceat(where, starts[:-1]) / sizes
    if sizes.max() > _LOOKED_AT:
        each, place = np.repeat(sizes, sizes), np.arange(starts[-1]) - np.repeat(starts[:-1], sizes)
        most = np.minimum(each, _LOOKED_AT)
        chosen = (place + 1) * most // each > place * most // each
        values, where, sizes = values[chosen], where[chosen], np.minimum(sizes, _LOOKED_AT)
        starts = np.concatenate([[0], np.cumsum(sizes)])
    trends = within_run_trends(values, starts)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = np.log1p(trends.change) / (where[starts[1:] - 1] - where[starts[:-1]])
    known = ~np.isnan(trends.tau)
    return _Side(
        pvalue=trends.pvalue,
        rises=np.where(known, np.rint(trends.tau * (sizes * (sizes - 1) // 2)), 0.0),
        sizes=np.where(known, sizes, 1),
        rate=np.where(np.isfinite(rate), rate, 0.0),
        middle=middle,
    )


def _over_both(before: _Side, after: _Side, upwards: NDArray[np.int_]) -> _Floats:
    """Return the chance of as many rises over both sides, or as few where the candidate is below the baseline."""
    rises = before.rises + after.rises
    reached = np.where(upwards == 0, np.abs(rises), np.sign(upwards) * rises)
    variance = sum(n * (n - 1) * (2 * n + 5) / 18 for n in (before.sizes, after.sizes))
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = np.asarray(special.ndtr((1 - reached) / np.sqrt(variance)), dtype=np.float64)
    sizes = np.stack([before.sizes, after.sizes], axis=1)
    counted = sizes.max(axis=1) <= _COUNTED
    for n1, n2 in np.unique(sizes[counted], axis=0).tolist():
        here = counted & (before.sizes == n1) & (after.sizes == n2)
        tails = _both_at_least(n1, n2)
        chance[here] = tails[(reached[here].astype(np.intp) + tails.size - 1) // 2]
    return np.minimum(np.where(upwards == 0, 2 * chance, chance), 1.0)


@lru_cache(maxsize=64)
def _both_at_least(n1: int, n2: int) -> _Floats:
    """Return, for each number of rising pairs, the share of orders of n1 and of n2 values with at least so many."""
    shares = np.convolve(_orders_of(n1), _orders_of(n2))
    return np.asarray(shares[::-1].cumsum()[::-1], dtype=np.float64)


def _table(values: NDArray[np.generic], starts: NDArray[np.intp], rows: NDArray[np.intp]) -> _Floats:
    """Return rows of equal sizes as one table."""
    size = int(starts[rows[0] + 1] - starts[rows[0]])
    return np.asarray(values[starts[rows][:, None] + np.arange(size)], dtype=np.float64)


def _middle_course(values: _Floats) -> _Floats:
    """Return the course that rows take in the middle, each over its own median."""
    logs = np.log(values)
    middle: _Floats = np.median(logs - np.median(logs, axis=1, keepdims=True), axis=0)
    return np.exp(middle)
