"""Which of many rows changed? One verdict a row, with the false discoveries among them bounded.

A row is called better or worse where it differs by more than the smallest change that matters: both its
p value and that of the same test on the candidate scaled back by that change survive Benjamini-Hochberg
over the rows that could differ at all. The interval of its ratio, widened for having been picked out, is
then clear of every change too small to matter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.errors import DataError
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
# Bounds that only rounding parts are not told apart.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judgement:
    """What many rows say of a change, one entry a row."""

    statistics: PairStatistics
    tested: NDArray[np.bool_]  # rows of the family: not left out, and able to differ
    adjusted_pvalue: NDArray[np.float64]  # benjamini-Hochberg over the family; NaN outside it
    #: The same of the candidate scaled back by the smallest effect: that the row differs by more; 1 where it is not
    #: picked out to differ at all, NaN outside the family.
    beyond_pvalue: NDArray[np.float64]
    #: Of the interval that decides: of a row that changed, of one that is the same, and of the others that were picked
    #: out. For these it is the one at which the next row would be found to differ by more than the smallest effect.
    level: NDArray[np.float64]
    #: ratio, ratio_low, ratio_high: candidate over baseline.
    ratio: NDArray[np.float64]
    ratio_low: NDArray[np.float64]
    ratio_high: NDArray[np.float64]
    #: difference, difference_low, difference_high: candidate minus baseline.
    difference: NDArray[np.float64]
    difference_low: NDArray[np.float64]
    difference_high: NDArray[np.float64]
    #: Whether the interval leaves out all that is too small to matter, whichever way is better.
    changed: NDArray[np.bool_]
    verdict: NDArray[np.int8]  # places in `VERDICTS`


def judge(
    pairs: Pairs,
    *,
    better: ArrayLike,
    left_out: ArrayLike = False,
    significance_level: float = 0.05,
    confidence_level: float = 0.95,
    min_effect: float = 0.02,
) -> Judgement:
    """Give every row a verdict, all rows taken as one family of tests.

    Rows that cannot differ at the significance level whatever their values (too few, or all values equal) are no
    tests and do not dilute those that are.

    Source: Y. Benjamini, Y. Hochberg, Journal of the Royal Statistical Society B 57 (1995) 289-300.
    Y. Benjamini, D. Yekutieli, Journal of the American Statistical Association 100 (2005) 71-81.
    R. E. Tarone, Biometrics 46 (1990) 515-522, for leaving out tests that cannot reject.
    """
    if not 0 < significance_level < 1:
        raise DataError(f"significance level {significance_level!r} is not between 0 and 1; write 5 % as 0.05")
    confidence = checked_level(confidence_level)
    check_effect(min_effect)
    statistics = compare_pairs(pairs, confidence)
    rows = statistics.pvalue.size
    able = at_most(statistics.smallest_pvalue, significance_level) & ~statistics.constant
    tested = able & ~np.broadcast_to(left_out, rows)
    adjusted = np.full(rows, np.nan)
    adjusted[tested] = benjamini_hochberg(statistics.two_sided_pvalue[tested])
    picked = tested & at_most(adjusted, significance_level)
    beyond = _beyond(pairs, statistics, tested, picked, min_effect)
    claimed = picked & at_most(beyond, significance_level)
    level = _levels(pairs, picked, claimed, tested, confidence, min_effect)
    ratio, ratio_low, ratio_high = ratio_intervals(pairs, level)
    difference, difference_low, difference_high = difference_intervals(pairs, level)
    # A zero among the baselines leaves the ratio unbounded, and the difference says how it compares to their median.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        share_low, share_high = (1 + end / statistics.baseline_median for end in (difference_low, difference_high))
    loose = np.isinf(ratio_low) & np.isinf(ratio_high) & (statistics.baseline_median > 0)
    told_low, told_high = np.where(loose, share_low, ratio_low), np.where(loose, share_high, ratio_high)
    changed, verdict = _verdicts(
        np.isnan(ratio),
        (told_low, told_high),
        (difference_low, difference_high),
        claimed,
        np.broadcast_to(better, rows),
        min_effect,
    )
    return Judgement(
        statistics=statistics,
        tested=tested,
        adjusted_pvalue=adjusted,
        beyond_pvalue=beyond,
        level=level,
        ratio=ratio,
        ratio_low=ratio_low,
        ratio_high=ratio_high,
        difference=difference,
        difference_low=difference_low,
        difference_high=difference_high,
        changed=changed,
        verdict=verdict,
    )


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


def _levels(
    pairs: Pairs,
    picked: NDArray[np.bool_],
    claimed: NDArray[np.bool_],
    tested: NDArray[np.bool_],
    confidence: float,
    min_effect: float,
) -> NDArray[np.float64]:
    """Return the level of the interval that decides each row; see `Judgement`."""
    level = np.full(picked.size, confidence)
    total = int(tested.sum())
    if picked.any():
        level[picked] = false_coverage_level(confidence, int(picked.sum()), total)
        _, low, high = ratio_intervals(pairs, level)
        undecided = picked & ~claimed & ~within(low, high, min_effect)
        if undecided.any():
            level[undecided] = false_coverage_level(confidence, int(claimed.sum()) + 1, total)
    if claimed.any():
        level[claimed] = false_coverage_level(confidence, int(claimed.sum()), total)
    return level


def _beyond(
    pairs: Pairs,
    statistics: PairStatistics,
    tested: NDArray[np.bool_],
    picked: NDArray[np.bool_],
    min_effect: float,
) -> NDArray[np.float64]:
    """Return the adjusted p value that each row differs by more than the smallest effect; NaN outside the family.

    The test of the candidate scaled back by the effect, towards the baseline: without it rows that all change by
    a little less than matters would each have its chance of being called changed. A row that is not shown to differ
    at all is not shown to differ by more, and has a p value of 1.
    """
    pvalues = np.ones(tested.size)
    if picked.any():
        rose = (statistics.candidate_median > statistics.baseline_median)[picked]
        scale = np.where(rose, 1 + min_effect, 1 - min_effect)
        differing = pairs.only(picked)
        candidate = differing.candidate / np.repeat(scale, statistics.candidate_n[picked])
        held = compare_pairs(replace(differing, candidate=candidate), 0.95)
        # Scaled back beyond the baseline, a row shows the opposite of what is asked.
        above, below = held.candidate_median > held.baseline_median, held.candidate_median < held.baseline_median
        pvalues[picked] = np.where(np.where(rose, above, below), held.two_sided_pvalue, 1.0)
    beyond = np.full(tested.size, np.nan)
    beyond[tested] = benjamini_hochberg(pvalues[tested])
    return beyond


def _verdicts(
    no_ratio: NDArray[np.bool_],
    ratio: tuple[NDArray[np.float64], NDArray[np.float64]],
    difference: tuple[NDArray[np.float64], NDArray[np.float64]],
    claimed: NDArray[np.bool_],
    better: NDArray[Any],
    min_effect: float,
) -> tuple[NDArray[np.bool_], NDArray[np.int8]]:
    above, below = clear_of(*ratio, min_effect)
    rose = np.where(no_ratio, difference[0] > 0, above)
    fell = np.where(no_ratio, difference[1] < 0, below)
    alike = np.where(no_ratio, (difference[0] == 0) & (difference[1] == 0), within(*ratio, min_effect))
    verdict = np.where(alike, SAME, CANNOT_TELL).astype(np.int8)
    changed = claimed & (rose | fell)
    directed = changed & (better != 0)
    verdict[directed] = np.where(rose == (better > 0), BETTER, WORSE)[directed]
    return changed, verdict


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


def false_coverage_level(confidence_level: float, selected: int, total: int) -> float:
    """Return the level at which to draw intervals of selected rows only.

    Intervals at this level hold, over the rows selected by Benjamini-Hochberg, the false coverage
    that ``confidence_level`` promises for a single row.

    Source: Y. Benjamini, D. Yekutieli, Journal of the American Statistical Association 100 (2005) 71-81.
    """
    level = checked_level(confidence_level)
    if total < 1 or not 0 <= selected <= total:
        raise DataError(f"{selected} rows selected of {total} cannot be; give 0 to {max(total, 1)}")
    return 1 - (1 - level) * max(selected, 1) / total
