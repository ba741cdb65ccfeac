"""Which of many rows changed? One verdict a row, with the false discoveries among them bounded.

A row differs where its own rank test says so, and where so clear a difference is rare among all deals of labels in
the family, with false discoveries held down by Benjamini-Hochberg. It is better or worse where it also differs by
at least the smallest change that matters, as measured. Where its interval holds that limit, and it differs by less or
is known more closely than to half the limit, size and direction are known and only whether they matter is open. Rows
that came in blocks, such as rounds of both sides, are tested by what blocks differ by.

What counts the same in every run, as allocations do, is no sample of anything: it is compared as it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.errors import DataError
from benchlib.statistics.blocked import BlockedRows, blocked_rows
from benchlib.statistics.compare import (
    SAME_WITHIN,
    Pairs,
    PairStatistics,
    Verdict,
    compare_pairs,
    difference_intervals,
    ratio_intervals,
)
from benchlib.statistics.estimates import checked_level
from benchlib.statistics.relabelling import pooled_pvalues

__all__ = [
    "CANNOT_TELL",
    "SAME",
    "VERDICTS",
    "Judgement",
    "at_most",
    "benjamini_hochberg",
    "check_effect",
    "clear_of",
    "judge",
    "within",
]


#: What a code of a verdict stands for.
VERDICTS: tuple[Verdict, ...] = ("cannot tell", "same", "better", "worse")
CANNOT_TELL, SAME, BETTER, WORSE = range(4)
#: So many equal counts on either side are taken for all there are.
_LEAST_ALIKE = 3
#: The share of the level that the ranks of a row have to themselves.
_OF_RANKS = 0.1
# Bounds that only rounding parts are not told apart.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judgement:
    """What many rows say of a change, one entry a row."""

    statistics: PairStatistics
    #: What the blocks of rows say that came in blocks.
    blocked: BlockedRows
    #: Rows that count the same in every run of a side: what they say is no matter of chance.
    exact: NDArray[np.bool_]
    tested: NDArray[np.bool_]  # rows of the family: not left out, able to differ, and not exact
    #: Of both tests (`_by_either_test`), adjusted by Benjamini-Hochberg; NaN outside the family.
    adjusted_pvalue: NDArray[np.float64]
    #: Rows that are shown to differ, by however little; exact ones that do.
    differs: NDArray[np.bool_]
    #: ratio, ratio_low, ratio_high: candidate over baseline, at the confidence level.
    ratio: NDArray[np.float64]
    ratio_low: NDArray[np.float64]
    ratio_high: NDArray[np.float64]
    #: difference, difference_low, difference_high: candidate minus baseline.
    difference: NDArray[np.float64]
    difference_low: NDArray[np.float64]
    difference_high: NDArray[np.float64]
    #: Whether the row is shown to differ, and by at least the smallest effect as measured, whichever way is better.
    changed: NDArray[np.bool_]
    verdict: NDArray[np.int8]  # places in `VERDICTS`


def judge(
    pairs: Pairs,
    *,
    better: ArrayLike,
    left_out: ArrayLike = False,
    counted: ArrayLike = False,
    kinds: ArrayLike = 0,
    blocked: BlockedRows | None = None,
    significance_level: float = 0.05,
    confidence_level: float = 0.95,
    min_effect: float = 0.02,
) -> Judgement:
    """Give every row a verdict, all rows taken as one family of tests.

    Rows that cannot differ at the significance level whatever their values (too few, or all values equal) are no
    tests and do not dilute those that are. `counted` says which rows count what no machine moves; `kinds` which rows
    are of one kind, so that their noise may be alike. Rows that came in blocks (`blocked`) are judged by what blocks
    differ by: their ratio, interval and tests are those of their blocks.

    Source: Y. Benjamini, Y. Hochberg, Journal of the Royal Statistical Society B 57 (1995) 289-300.
    R. E. Tarone, Biometrics 46 (1990) 515-522, for leaving out tests that cannot reject.
    """
    if not 0 < significance_level < 1:
        raise DataError(f"significance level {significance_level!r} is not between 0 and 1; write 5 % as 0.05")
    confidence = checked_level(confidence_level)
    check_effect(min_effect)
    blocked = blocked_rows([None] * pairs.rows) if blocked is None else blocked.floored(kinds)
    statistics = _by_blocks(compare_pairs(pairs, confidence), blocked)
    rows = statistics.pvalue.size
    exact = _exact(pairs, np.broadcast_to(counted, rows))
    left = np.broadcast_to(left_out, rows)
    able = at_most(statistics.smallest_pvalue, significance_level) & ~statistics.constant
    tested = able & ~left & ~exact
    adjusted = np.full(rows, np.nan)
    in_blocks = blocked.there
    clear, pooled = statistics.two_sided_pvalue.copy(), tested & ~in_blocks
    clear[pooled] = _by_either_test(
        pooled_pvalues(pairs.only(pooled), np.broadcast_to(kinds, rows)[pooled]),
        statistics.two_sided_pvalue[pooled],
        statistics.smallest_pvalue[pooled],
        significance_level,
    )
    clear[tested & in_blocks] = blocked.family_pvalues(tested & in_blocks, kinds)
    adjusted[tested] = benjamini_hochberg(clear[tested])
    differs = tested & at_most(adjusted, significance_level)
    differs &= at_most(statistics.two_sided_pvalue, significance_level)
    ratio, *ratio_ends = ratio_intervals(pairs, confidence)
    difference, *difference_ends = difference_intervals(pairs, confidence)
    _tell_blocks(blocked, statistics.baseline_median, (ratio, *ratio_ends), (difference, *difference_ends), confidence)
    for value, ends in ((ratio, ratio_ends), (difference, difference_ends)):
        for end in ends:
            end[exact] = value[exact]
    differs |= exact & ~left & (difference != 0)
    changed, verdict = _verdicts(
        statistics,
        (ratio, *ratio_ends),
        (difference, *difference_ends),
        differs,
        np.broadcast_to(better, rows),
        min_effect,
    )
    return Judgement(
        statistics=statistics,
        blocked=blocked,
        exact=exact,
        tested=tested,
        adjusted_pvalue=adjusted,
        differs=differs,
        ratio=ratio,
        ratio_low=ratio_ends[0],
        ratio_high=ratio_ends[1],
        difference=difference,
        difference_low=difference_ends[0],
        difference_high=difference_ends[1],
        changed=changed,
        verdict=verdict,
    )


def _by_either_test(
    pooled: NDArray[np.float64], ranked: NDArray[np.float64], smallest: NDArray[np.float64], significance_level: float
) -> NDArray[np.float64]:
    """Return p values of two tests together: the pooled one sees more, the one of ranks bears far values.

    Ranks have a tenth of the level where they can reach it, which the sizes of the samples alone decide.

    Source: C. R. Genovese, K. Roeder, L. Wasserman, Biometrika 93 (2006) 509-524, for Bonferroni with weights.
    """
    reaching = at_most(smallest, _OF_RANKS * significance_level)
    together = np.minimum(np.minimum(pooled / (1 - _OF_RANKS), ranked / _OF_RANKS), 1.0)
    return np.where(reaching, together, pooled)


def _by_blocks(statistics: PairStatistics, blocked: BlockedRows) -> PairStatistics:
    """Return the statistics with the tests of blocks where there are any; benchstat's p value stays."""
    if not blocked.there.any():
        return statistics
    return replace(
        statistics,
        two_sided_pvalue=np.where(blocked.there, blocked.pvalues(), statistics.two_sided_pvalue),
        # A t test has no smallest p value.
        smallest_pvalue=np.where(blocked.there, 0.0, statistics.smallest_pvalue),
    )


def _tell_blocks(
    blocked: BlockedRows,
    baseline: NDArray[np.float64],
    ratio: tuple[NDArray[np.float64], ...],
    difference: tuple[NDArray[np.float64], ...],
    confidence: float,
) -> None:
    """Put the ratio and the difference that blocks tell, each with its ends, in place of those of all values."""
    plain = blocked.there & ~np.isnan(blocked.scale)
    logs = blocked.there & ~plain
    for times, away, told in zip(ratio, difference, (blocked.mean, *blocked.ends(confidence)), strict=True):
        times[logs] = np.exp(told[logs])
        away[logs] = baseline[logs] * (times[logs] - 1)
        away[plain] = told[plain] * blocked.scale[plain]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            shares = 1 + away[plain] / np.abs(baseline[plain])
        times[plain] = np.where(baseline[plain] != 0, shares, np.nan)


def clear_of(
    low: NDArray[np.float64], high: NDArray[np.float64], min_effect: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Say of which ratios the interval lies above every change too small to matter, and of which below."""
    return low > 1 + min_effect + _ROUNDING, high < 1 - min_effect - _ROUNDING


def within(low: NDArray[np.float64], high: NDArray[np.float64], min_effect: float) -> NDArray[np.bool_]:
    """Say of which ratios the whole interval is too near to 1 to matter: within `SAME_WITHIN` at least."""
    margin = max(min_effect, SAME_WITHIN)
    return (1 - margin <= low) & (high <= 1 + margin)


def check_effect(min_effect: float) -> None:
    """Refuse a smallest effect that is none."""
    if not 0 <= min_effect < 1:
        raise DataError(f"the smallest effect {min_effect!r} is not from 0 to below 1; write 2 % as 0.02")


def at_most(pvalues: NDArray[np.float64], bound: float) -> NDArray[np.bool_]:
    """Whether p values keep a bound; 1 - 0.9 is a hair below 0.1, which is what 3 against 3 can reach."""
    within_bound: NDArray[np.bool_] = pvalues <= bound * (1 + _ROUNDING)
    return within_bound


def _exact(pairs: Pairs, counted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Say which rows that count have one value on each side, three times or more.

    A count that took either of two values by chance would part so in at most 1 of 32.
    """
    alike = counted.copy()
    for values, starts in ((pairs.baseline, pairs.baseline_starts), (pairs.candidate, pairs.candidate_starts)):
        least, most = (of.reduceat(values, starts[:-1]) if alike.size else values for of in (np.minimum, np.maximum))
        alike &= (np.diff(starts) >= _LEAST_ALIKE) & (least == most)
    return alike


def _verdicts(
    statistics: PairStatistics,
    ratio: tuple[NDArray[np.float64], ...],
    difference: tuple[NDArray[np.float64], ...],
    differs: NDArray[np.bool_],
    better: NDArray[Any],
    min_effect: float,
) -> tuple[NDArray[np.bool_], NDArray[np.int8]]:
    no_ratio = np.isnan(ratio[0])
    # A value that is not above 0 leaves the ratio unbounded, and the difference says how it compares to the baseline.
    size = np.abs(statistics.baseline_median)
    loose = np.isinf(ratio[1]) & np.isinf(ratio[2]) & (size > 0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        shares = [1 + end / size for end in difference[1:]]
    low, high = (np.where(loose, share, end) for share, end in zip(shares, ratio[1:], strict=True))
    above, below = clear_of(low, high, 0.0)
    large, small = clear_of(ratio[0], ratio[0], min_effect)
    rose = np.where(no_ratio, difference[1] > 0, above & large)
    fell = np.where(no_ratio, difference[2] < 0, below & small)
    alike = np.where(no_ratio, (difference[1] == 0) & (difference[2] == 0), within(low, high, min_effect))
    verdict = np.where(alike, SAME, CANNOT_TELL).astype(np.int8)
    changed = differs & (rose | fell) & ~_at_limit(low, high, min_effect)
    directed = changed & (better != 0)
    verdict[directed] = np.where(rose == (better > 0), BETTER, WORSE)[directed]
    return changed, verdict


def _at_limit(low: NDArray[np.float64], high: NDArray[np.float64], min_effect: float) -> NDArray[np.bool_]:
    """Say which intervals hold the smallest effect and are narrower than half of it: the verdict would be a coin's."""
    with np.errstate(divide="ignore", invalid="ignore"):
        narrow = np.log(high / low) < math.log1p(min_effect) / 2
    above, below = (low < 1 + min_effect) & (high > 1 + min_effect), (low < 1 - min_effect) & (high > 1 - min_effect)
    near: NDArray[np.bool_] = narrow & (above | below)
    return near


def benjamini_hochberg(pvalues: ArrayLike) -> NDArray[np.float64]:
    """Return p values adjusted so that a bound on them bounds the share of false discoveries.

    A NaN (a row that could not be tested) stays NaN and does not count as a test.

    Source: Y. Benjamini, Y. Hochberg, Journal of the Royal Statistical Society B 57 (1995) 289-300.
    """
    raw = np.asarray(pvalues, dtype=np.float64).ravel()
    tested = ~np.isnan(raw)
    if ((raw[tested] < 0) | (raw[tested] > 1)).any():
        wrong = raw[tested & ~((raw >= 0) & (raw <= 1))][0]
        raise DataError(f"p value {float(wrong)!r} is not between 0 and 1")
    adjusted = np.full(raw.shape, np.nan)
    if tested.any():
        adjusted[tested] = _stepped_up(raw[tested])
    return adjusted


def _stepped_up(pvalues: NDArray[np.float64]) -> NDArray[np.float64]:
    # As scipy.stats.false_discovery_control does, whose import alone takes longer than a comparison of two files.
    order = np.argsort(pvalues)
    scaled = pvalues[order] * pvalues.size / np.arange(1, pvalues.size + 1)
    adjusted = np.empty_like(pvalues)
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return np.minimum(adjusted, 1.0)
