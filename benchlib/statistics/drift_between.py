"""Could a difference be the machine's, which moved on from one side to the other as it moved within each?

A machine that slows down while the baseline is recorded, and further while the candidate is, makes every row worse.
What it did from one side to the other cannot be seen; what it did meanwhile on each side can, and is taken further.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.lazy_scipy import special
from benchlib.statistics.compare import Pairs, one_pair
from benchlib.statistics.drift import COUNTED, orders_of, within_run_trends

__all__ = ["TREND_PVALUE", "DriftBetween", "common_drift", "drift_between", "without_drift"]

Floats = NDArray[np.float64]

#: A trend is found in at most this share of rows that only scatter.
TREND_PVALUE = 0.01
#: Of longer samples so many values are looked at, evenly spaced: every pair of them is.
_LOOKED_AT = 200


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DriftBetween:
    """What moved rows while their sides were recorded, and how far it takes the sides apart.

    Attributes
    ----------
    pvalue : numpy.ndarray, shape (r,)
        Of so clear a trend on either side or over both, where there is none; 1 where nothing tells.
    reach : numpy.ndarray, shape (r,)
        By how much the logarithms of the sides would differ if what moved each of them went on between them; 0 where
        the values give no logarithm.
    """

    pvalue: Floats
    reach: Floats

    @property
    def found(self) -> NDArray[np.bool_]:
        """Say which rows have a trend; at most `TREND_PVALUE` of those that only scatter do."""
        return self.pvalue <= TREND_PVALUE


def drift_between(
    pairs: Pairs, baseline_positions: ArrayLike, candidate_positions: ArrayLike, upwards: ArrayLike = 0
) -> DriftBetween:
    """Return how each row moved while it was recorded, and what that makes of the difference of its sides.

    Three tests of a trend: Mann-Kendall's on each side, each for a quarter of the chance of a false one, and on the sum
    of S over both sides, which sees a steady drift first, for the other half; exact up to 30 values a side.

    The reach: the slopes of both sides (Theil-Sen, on logarithms) without their signs, added, times the way from the
    middle of one side to that of the other. A machine that drifts steadily makes half of it; the other half is for
    what it did that was not recorded. Sides recorded in turn have one middle, and hardly any reach.

    Parameters
    ----------
    pairs : Pairs
        r rows.
    baseline_positions, candidate_positions : array_like
        Where each value of `pairs` stands in one order of recording.
    upwards : array_like of int, shape (r,) or ()
        1 where the candidate is above the baseline, so that only a rise over both sides could make it so, -1 where
        it is below, 0 where the sum is tested both ways.

    References
    ----------
    H. B. Mann, Econometrica 13 (1945) 245-259; R. M. Hirsch, J. R. Slack, R. A. Smith, Water Resources Research 18
    (1982) 107-121, for the sum; P. K. Sen, Journal of the American Statistical Association 63 (1968) 1379-1389.

    Examples
    --------
    >>> old, new = np.array([10.0, 11, 12, 13, 14, 15]), np.array([16.0, 17, 18, 19, 20, 21])
    >>> found = drift_between(one_pair(old, new), range(6), range(6, 12), upwards=1)
    >>> found.pvalue.round(6).tolist(), bool(found.reach[0] > np.log(np.median(new) / np.median(old)))
    ([4e-06], True)
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

    Parameters
    ----------
    pairs, baseline_positions, candidate_positions
        See `drift_between`.
    rows : ndarray of bool, shape (r,)
        Which take part, one at least.
    upwards : int
        1 where most candidates are above their baselines, -1 where below, 0 to test both ways.

    Returns
    -------
    DriftBetween
        One entry, for all these rows.

    Examples
    --------
    >>> rising = np.array([1.0, 2, 3, 4, 10, 20, 30, 40])
    >>> pairs = Pairs(baseline=rising, baseline_starts=np.array([0, 4, 8]),
    ...               candidate=rising, candidate_starts=np.array([0, 4, 8]))
    >>> common_drift(pairs, range(8), range(8, 16), np.array([True, True])).pvalue.round(4).tolist()
    [0.0069]
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


def without_drift(pairs: Pairs, baseline_positions: ArrayLike, candidate_positions: ArrayLike) -> Pairs:
    """Return the rows as they might have been on a machine that stood still: the slope of each side taken out.

    Parameters
    ----------
    pairs, baseline_positions, candidate_positions
        See `drift_between`.

    Examples
    --------
    >>> doubling = np.array([1.0, 2.0, 4.0, 8.0])
    >>> without_drift(one_pair(doubling, 3 * doubling), range(4), range(4)).candidate.round(3).tolist()
    [8.485, 8.485, 8.485, 8.485]
    """
    return replace(
        pairs,
        baseline=_levelled(pairs.baseline, pairs.baseline_starts, baseline_positions),
        candidate=_levelled(pairs.candidate, pairs.candidate_starts, candidate_positions),
    )


def _levelled(values: Floats, starts: NDArray[np.intp], positions: ArrayLike) -> Floats:
    found, sizes = _side(values, starts, positions), np.diff(starts)
    away = np.asarray(positions, dtype=np.float64) - np.repeat(found.middle, sizes)
    with np.errstate(over="ignore", invalid="ignore"):
        level = values * np.exp(-np.repeat(found.rate, sizes) * away)
    # A slope that leaves what a float holds says nothing of the values.
    return np.where(np.isfinite(level), level, values)


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One side of each row.

    Its Mann-Kendall p value, NaN for none; its S; how many values had a say, 1 for none; how fast its logarithms move
    a position, and where its middle lies.
    """

    pvalue: Floats
    rises: Floats
    sizes: NDArray[np.intp]
    rate: Floats
    middle: Floats


def _side(values: Floats, starts: NDArray[np.intp], positions: ArrayLike) -> _Side:
    sizes, where = np.diff(starts), np.asarray(positions, dtype=np.float64)
    middle = np.add.reduceat(where, starts[:-1]) / sizes
    if sizes.max() > _LOOKED_AT:
        each, place = np.repeat(sizes, sizes), np.arange(starts[-1]) - np.repeat(starts[:-1], sizes)
        most = np.minimum(each, _LOOKED_AT)
        kept = (place + 1) * most // each > place * most // each
        values, where, sizes = values[kept], where[kept], np.minimum(sizes, _LOOKED_AT)
        starts = np.concatenate([[0], np.cumsum(sizes)])
    found = within_run_trends(values, starts)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = np.log1p(found.change) / (where[starts[1:] - 1] - where[starts[:-1]])
    told = ~np.isnan(found.tau)
    return _Side(
        pvalue=found.pvalue,
        rises=np.where(told, np.rint(found.tau * (sizes * (sizes - 1) // 2)), 0.0),
        sizes=np.where(told, sizes, 1),
        rate=np.where(np.isfinite(rate), rate, 0.0),
        middle=middle,
    )


def _over_both(before: _Side, after: _Side, upwards: NDArray[np.int_]) -> Floats:
    """Return the chance of as many rises over both sides, or as few where the candidate is below the baseline."""
    rises = before.rises + after.rises
    reached = np.where(upwards == 0, np.abs(rises), np.sign(upwards) * rises)
    variance = sum(n * (n - 1) * (2 * n + 5) / 18 for n in (before.sizes, after.sizes))
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = np.asarray(special.ndtr((1 - reached) / np.sqrt(variance)), dtype=np.float64)
    sizes = np.stack([before.sizes, after.sizes], axis=1)
    counted = sizes.max(axis=1) <= COUNTED
    for n1, n2 in np.unique(sizes[counted], axis=0).tolist():
        here = counted & (before.sizes == n1) & (after.sizes == n2)
        tails = _both_at_least(n1, n2)
        chance[here] = tails[(reached[here].astype(np.intp) + tails.size - 1) // 2]
    return np.minimum(np.where(upwards == 0, 2 * chance, chance), 1.0)


@lru_cache(maxsize=64)
def _both_at_least(n1: int, n2: int) -> Floats:
    """Return, for each number of rising pairs, the share of orders of n1 and of n2 values with at least so many."""
    shares = np.convolve(orders_of(n1), orders_of(n2))
    return np.asarray(shares[::-1].cumsum()[::-1], dtype=np.float64)


def _table(values: NDArray[np.generic], starts: NDArray[np.intp], rows: NDArray[np.intp]) -> Floats:
    """Return rows of equal sizes as one table."""
    size = int(starts[rows[0] + 1] - starts[rows[0]])
    return np.asarray(values[starts[rows][:, None] + np.arange(size)], dtype=np.float64)


def _middle_course(values: Floats) -> Floats:
    """Return the course that rows take in the middle, each over its own median."""
    logs = np.log(values)
    middle: Floats = np.median(logs - np.median(logs, axis=1, keepdims=True), axis=0)
    return np.exp(middle)
