"""Baseline against candidate: by how much do they differ, and may one say so?

The p value is benchstat's. The interval of the ratio inverts the same test on logarithms, so the
two rarely part; a verdict needs both, and "same" needs evidence of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import DataError
from benchlib.statistics.checks import checked_level, checked_values
from benchlib.statistics.compare import difference_intervals, one_pair, ratio_intervals
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.ranks import mann_whitney, smallest_pvalue
from benchlib.statistics.samples import Sample, summarise

__all__ = ["SAME_WITHIN", "SampleComparison", "Verdict", "compare_samples", "distance", "mann_whitney"]

Verdict = Literal["better", "worse", "same", "cannot tell"]

#: Where no smaller effect is said to matter, "same" means an interval within 1 % of no change.
SAME_WITHIN = 0.01

# Bounds that only rounding parts from 1 are not told apart from it.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleComparison:
    """Two samples of one benchmark, compared.

    Attributes
    ----------
    baseline, candidate : Sample
    ratio : Estimate
        Candidate over baseline, of medians, unit ``"x"``. NaN where the baseline is 0.
    difference : Estimate
        Candidate minus baseline, of medians, in their unit.
    pvalue : float
        Two-sided Mann-Whitney U test.
    smallest_pvalue : float
        What samples of these sizes could reach at best.
    verdict : {"better", "worse", "same", "cannot tell"}
    caveats : tuple of Caveat
    """

    baseline: Sample
    candidate: Sample
    ratio: Estimate
    difference: Estimate
    pvalue: float
    smallest_pvalue: float
    verdict: Verdict
    caveats: tuple[Caveat, ...]


def compare_samples(
    baseline: ArrayLike,
    candidate: ArrayLike,
    *,
    unit: str,
    better: Literal["higher", "lower"] | None,
    confidence_level: float = 0.95,
    min_effect: float = 0.0,
) -> SampleComparison:
    """Compare two samples and say no more than they carry.

    "Better" and "worse" need a p value of at most ``1 - confidence_level`` and an interval of the
    ratio that clears ``1 - min_effect`` or ``1 + min_effect``. "Same" needs an interval that lies
    within ``max(min_effect, SAME_WITHIN)`` of 1. All else is "cannot tell". Where the baseline's
    median is 0 there is no ratio, and the interval of the difference decides against 0.

    The intervals are of the Hodges-Lehmann shift (on logarithms, for the ratio). They are widened,
    where need be, to hold the ratio and the difference of medians that they stand beside.

    Parameters
    ----------
    baseline, candidate : array_like, shapes (n1,) and (n2,)
        In ``unit``.
    better : {"higher", "lower"} or None
        Which way improves; with None neither "better" nor "worse" is said.
    min_effect : float
        The smallest relative change that matters, from 0 up to but not including 1.

    Raises
    ------
    DataError
        For an empty side, a value that is not finite, or a level or effect outside its range.

    Examples
    --------
    >>> found = compare_samples([10, 11, 12, 13], [20, 21, 22, 23], unit="sec/op", better="lower")
    >>> found.verdict, round(found.ratio.value, 3), round(found.ratio.low, 3)
    ('worse', 1.87, 1.538)
    >>> compare_samples([10], [20], unit="sec/op", better="lower").verdict
    'cannot tell'
    """
    level = checked_level(confidence_level)
    if not 0 <= min_effect < 1:
        raise DataError(f"the smallest effect {min_effect!r} is not from 0 to below 1; write 2 % as 0.02")
    old, new = checked_values(baseline, "baseline"), checked_values(candidate, "candidate")
    before = summarise(old, unit=unit, confidence_level=level)
    after = summarise(new, unit=unit, confidence_level=level)
    pair = one_pair(old, new)
    ratio = ratio_estimate(*_only(ratio_intervals(pair, level)), confidence_level=level, n=old.size + new.size)
    difference = difference_estimate(
        *_only(difference_intervals(pair, level)), unit=unit, confidence_level=level, n=old.size + new.size
    )
    pvalue, best = mann_whitney(old, new), smallest_pvalue(old.size, new.size)
    return SampleComparison(
        baseline=before,
        candidate=after,
        ratio=ratio,
        difference=difference,
        pvalue=pvalue,
        smallest_pvalue=best,
        verdict=_verdict(ratio, difference, _at_most(pvalue, 1 - level), better, min_effect),
        caveats=merge(before.caveats, after.caveats, limits(ratio, best, level, before, after)),
    )


def ratio_estimate(value: float, low: float, high: float, *, confidence_level: float, n: int) -> Estimate:
    """Return a ratio of medians as `benchlib.statistics.compare.ratio_intervals` finds it, with its method.

    Examples
    --------
    >>> ratio_estimate(2.0, 1.5, 2.6, confidence_level=0.95, n=8).unit
    'x'
    """
    return Estimate(
        value=value,
        low=low,
        high=high,
        unit="x",
        confidence_level=confidence_level,
        n=n,
        method="ratio of medians, Hodges-Lehmann interval on logarithms",
        standard_error=math.nan,
    )


def difference_estimate(
    value: float, low: float, high: float, *, unit: str, confidence_level: float, n: int
) -> Estimate:
    """Return a difference of medians as `benchlib.statistics.compare.difference_intervals` finds it, with its method.

    Examples
    --------
    >>> difference_estimate(5.0, 2.0, 8.0, unit="sec/op", confidence_level=0.95, n=8).unit
    'sec/op'
    """
    return Estimate(
        value=value,
        low=low,
        high=high,
        unit=unit,
        confidence_level=confidence_level,
        n=n,
        method="difference of medians, Hodges-Lehmann interval",
        standard_error=math.nan,
    )


def _only(columns: tuple[NDArray[np.float64], ...]) -> tuple[float, ...]:
    return tuple(float(one[0]) for one in columns)


def _verdict(
    ratio: Estimate,
    difference: Estimate,
    significant: bool,
    better: Literal["higher", "lower"] | None,
    min_effect: float,
) -> Verdict:
    if math.isnan(ratio.value):
        rose, fell = difference.low > 0, difference.high < 0
        alike = difference.low == 0 == difference.high
    else:
        rose = ratio.low > 1 + min_effect + _ROUNDING
        fell = ratio.high < 1 - min_effect - _ROUNDING
        margin = max(min_effect, SAME_WITHIN)
        alike = 1 - margin <= ratio.low and ratio.high <= 1 + margin
    if significant and better is not None and (rose or fell):
        return "better" if rose == (better == "higher") else "worse"
    return "same" if alike else "cannot tell"


def _at_most(pvalue: float, bound: float) -> bool:
    # 1 - 0.9 is a hair below 0.1, which is what 3 against 3 can reach.
    return pvalue <= bound * (1 + _ROUNDING)


def limits(ratio: Estimate, best: float, level: float, before: Sample, after: Sample) -> tuple[Caveat, ...]:
    found: list[Caveat] = []
    if not _at_most(best, 1 - level):
        found.append(
            caveat(
                "cannot-detect",
                f"{before.n} against {after.n} values cannot show any difference at {100 * level:g} %: "
                f"the smallest p value they can reach is {best:.2g}",
            )
        )
    if math.isnan(ratio.value):
        found.append(caveat("no-ratio", "the baseline's median is 0, so the change has no ratio"))
    return tuple(found)


def distance(ratio: float) -> float:
    """Return how far a change is from none; by this, and nothing else, rows are ordered where the worst is named.

    What has no ratio (0 to 1 allocation) is behind all that have one: it is named where nothing else is to be.

    Examples
    --------
    >>> sorted((1.02, 0.5, float("nan"), 1.22), key=distance, reverse=True)
    [0.5, 1.22, 1.02, nan]
    """
    return abs(math.log(ratio)) if ratio > 0 else -1.0
