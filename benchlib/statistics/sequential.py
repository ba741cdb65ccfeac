"""Is more recording worth it? A test that may be looked at after every round, and still errs in at most 5 of 100 runs.

Two sides are recorded in turn, round after round. What the machine does in a round, it does to both: the logarithm of
their ratio in each round is one value that is free of it. Who looks after each round and stops at the first p value
below 5 % is wrong far more often than that. An e-value is evidence in the form of a bet: if a claim is false, the bet
gains nothing on average, whenever one stops, so that it reaches 20 in at most 1 of 20 recordings, however long.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.statistics.estimates import checked_level
from benchlib.statistics.verdicts import check_effect

__all__ = ["RoundsJudged", "judge_rounds"]

#: Rounds beyond which nobody would wait.
MOST_ROUNDS = 1000
#: The bet expects a change about as large as its own noise in a round. A bolder one decides large changes a round or
#: two earlier, and takes a chance pattern of two modes in few rounds for a change.
_PRIOR = 1.0
#: Logarithms that differ by less are equal: what rounding leaves.
_ROUNDING = 1e-12

_Floats = NDArray[np.float64]
_Marks = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RoundsJudged:
    """What the rounds say so far, an entry a row.

    Attributes
    ----------
    rounds : ndarray of int
    center, low, high : ndarray
        Mean logarithm of the ratio, and its interval, which holds whenever one stops, each row by itself.
    change, same : ndarray
        e-values of the claims that the ratio changed by more than the smallest effect in the direction seen, and that
        it did not; 0 where the mean says the contrary.
    changed, unchanged : ndarray of bool
        Which of these claims hold over all rows.
    more : ndarray
        How many more rounds decide the row if they go on as they did; infinite beyond `MOST_ROUNDS`, 0 where decided.
    """

    rounds: NDArray[np.intp]
    center: _Floats
    low: _Floats
    high: _Floats
    change: _Floats
    same: _Floats
    changed: _Marks
    unchanged: _Marks
    more: _Floats


def e_value(rounds: ArrayLike, squared_t: ArrayLike) -> _Floats:
    """Return the evidence of n rounds against a mean, of which they lie t standard errors away.

    The t statistic's likelihood where the true mean lies a standard normal number of standard deviations away, over
    that where it lies on it: sqrt(1/(1+n)) ((1 + u) / (1 + u/(1+n)))^(n/2) with u = t^2 / (n - 1). Whatever the unknown
    deviation, of normal values its mean is at most 1 at any stopping time. It is at most (1 + n)^((n-1)/2): 4 at three
    rounds, 36 at five.

    Source: T. L. Lai, Annals of Statistics 4 (1976) 265-280; H. Wang, A. Ramdas, "Anytime-valid t-tests and confidence
    sequences for Gaussian means with unknown variance", Sequential Analysis 44 (2025) 56-110.

    Examples
    --------
    >>> e_value([1, 3, 5, 5], [np.inf, np.inf, np.inf, 0]).round(1).tolist()
    [1.0, 4.0, 36.0, 0.4]
    """
    n, squared = np.broadcast_arrays(np.asarray(rounds, dtype=np.float64), np.asarray(squared_t, dtype=np.float64))
    share = _PRIOR / (_PRIOR + n)
    with np.errstate(divide="ignore", invalid="ignore"):
        away = squared / (n - 1)
        ratio = np.where(np.isinf(away) | (n < 2), 1 / share, (1 + away) / (1 + away * share))
    # What a float cannot hold is evidence enough.
    return np.asarray(np.exp(np.minimum(0.5 * (np.log(share) + n * np.log(ratio)), 700)), dtype=np.float64)


def judge_rounds(
    rows: Sequence[ArrayLike], *, significance_level: float = 0.05, min_effect: float = 0.02
) -> RoundsJudged:
    """Say of each row whether its rounds have shown a change, or none, or how many more may.

    Of each row the e-value of the least convenient ratio counts: to have changed by more than the smallest effect, that
    of this effect; to have changed by less, that of the nearer end. Over all rows e-values are held to e-BH, each of
    both claims by itself: with R of K rows found, each has an e-value of K / (R level) or more. It bounds the expected
    share of false ones by the significance level, and where nothing changed the chance of any; rows that move together
    are simulated (benchmarks/sequential_gate.py).

    Parameters
    ----------
    rows : sequence of array_like
        For each row the logarithm of candidate over baseline, one a round; infinite where one side is 0.
    significance_level : float
    min_effect : float
        The smallest relative change that matters.

    References
    ----------
    R. Wang, A. Ramdas, "False discovery rate control with e-values", J. R. Stat. Soc. B 84 (2022) 822-852.
    J. Ville, Étude critique de la notion de collectif (1939), for the bound at every round.
    R. Johari, L. Pekelis, D. Walsh, "Always valid inference", Operations Research 70 (2022) 1806-1821.

    Examples
    --------
    >>> judged = judge_rounds([[0.10, 0.11, 0.09, 0.10, 0.11, 0.10], [0.00, 0.01, -0.01, 0.02, -0.03, 0.01]])
    >>> judged.changed.tolist(), judged.unchanged.tolist()
    ([True, False], [False, False])
    """
    check_effect(min_effect)
    level, limit = checked_level(significance_level), math.log1p(min_effect)
    summaries = np.array([_summary(row) for row in rows], dtype=np.float64).reshape(-1, 3)
    n, center, squares = summaries.T
    beyond = np.abs(center) - limit
    evidence = _against(n, np.abs(beyond), squares)
    change, same = np.where(beyond > _ROUNDING, evidence, 0.0), np.where(beyond < -_ROUNDING, evidence, 0.0)
    # What never moved is no test of a change, and takes nothing from the others.
    families = int(((squares != 0) | (center != 0)).sum()), n.size
    changed, unchanged = _found(change, level, families[0]), _found(same, level, families[1])
    reach = _reach(n, squares, 1 / level)
    more = np.where(changed | unchanged, 0.0, np.inf)
    for claimed, found, total in ((change, changed, families[0]), (same, unchanged, families[1])):
        open_rows = np.flatnonzero((claimed > 0) & ~(changed | unchanged))
        needed = total / (level * (found.sum() + 1))
        more[open_rows] = _rounds_until(needed, n[open_rows], np.abs(beyond[open_rows]), squares[open_rows])
    return RoundsJudged(
        rounds=n.astype(np.intp),
        center=center,
        low=center - reach,
        high=center + reach,
        change=change,
        same=same,
        changed=changed,
        unchanged=unchanged,
        more=more,
    )


def _summary(row: ArrayLike) -> tuple[int, float, float]:
    """Return the number of rounds, their mean, and the sum of squares around it; NaN where a side is 0 at times."""
    logs = np.asarray(row, dtype=np.float64).ravel()
    if not logs.size:
        return 0, math.nan, math.nan
    if (logs == logs[0]).all():
        return logs.size, float(logs[0]), 0.0
    if not np.isfinite(logs).all():
        return logs.size, math.nan, math.nan
    return logs.size, float(logs.mean()), float(((logs - logs.mean()) ** 2).sum())


def _against(n: _Floats, away: _Floats, squares: _Floats) -> _Floats:
    """Return the evidence against a mean so far from the one seen."""
    with np.errstate(divide="ignore", invalid="ignore"):
        squared_t = np.where(away == 0, 0.0, n * (n - 1) * away**2 / squares)
    return np.where(np.isnan(squared_t), np.where(n == 1, 1.0, 0.0), e_value(n, squared_t))


def _found(evidence: _Floats, level: float, total: int) -> _Marks:
    """Return which claims e-BH accepts: the largest number R of which each has K / (R level) or more."""
    ordered = np.sort(evidence)[::-1]
    enough = np.flatnonzero((ordered * np.arange(1, evidence.size + 1) * level >= total) & (ordered > 0))
    accepted = int(enough[-1]) + 1 if enough.size else 0
    return np.asarray(evidence >= (total / (accepted * level) if accepted else math.inf), dtype=np.bool_)


def _reach(n: _Floats, squares: _Floats, needed: float) -> _Floats:
    """Return how far from the mean the evidence reaches what is needed; infinite where it never does."""
    share = _PRIOR / (_PRIOR + n)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = (needed / np.sqrt(share)) ** (2 / n)
        away = np.where(ratio * share < 1, (ratio - 1) / (1 - ratio * share), np.inf)
        reach = np.sqrt(away * squares / n)
    return np.where(np.isnan(reach), np.inf, reach)


def _rounds_until(needed: float, n: _Floats, away: _Floats, squares: _Floats) -> _Floats:
    """Return how many more rounds reach the evidence, if their mean and deviation stay as they are.

    With more rounds evidence first falls, if at all, and then grows, so that halving finds where it is enough.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.where(n > 1, squares / (n - 1), 0.0)
    low, high = n.copy(), np.full(n.shape, MOST_ROUNDS + 1.0)
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        enough = _against(middle, away, variance * (middle - 1)) >= needed
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(high > MOST_ROUNDS, np.inf, high - n)
