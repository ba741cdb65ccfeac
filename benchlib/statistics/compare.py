"""Baseline against candidate: by how much do they differ? Many rows at once, each compared as benchstat compares it.

The p value is benchstat's. The interval of the ratio inverts the same test on logarithms, so the two rarely part.
Rows of equal sizes are laid out as one matrix, so that 20,000 rows cost little more than one. Each row's numbers are
those that its two samples have alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.caveats import Caveat, caveat
from benchlib.errors import DataError
from benchlib.statistics.estimates import Estimate, checked_level, checked_values
from benchlib.statistics.ranks import mann_whitney_rows, ranked_shifts, shift_rank, smallest_pvalue
from benchlib.statistics.samples import Sample, _median_bounds, _medians

__all__ = ["SAME_WITHIN", "Pairs", "SampleComparison", "Verdict", "distance", "limits"]


_Floats = NDArray[np.float64]
# How many differences of values are laid out at once: 8 MiB an array.
_DIFFERENCES = 1 << 20
# Finite, so that differences and bisection stay defined, and exp() of it is still 0.
_LOG_OF_ZERO = -1e6
Verdict = Literal["better", "worse", "same", "cannot tell"]
#: Where no smaller effect is said to matter, "same" means an interval within 1 % of no change.
SAME_WITHIN = 0.01
# Bounds that only rounding parts from 1 are not told apart from it.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairs:
    """Two samples a row, all rows one after the other."""

    #: baseline, candidate: row after row, each in order of recording; both sides of a row in one unit.
    baseline: _Floats
    #: baseline_starts, candidate_starts: shape (r + 1,). Row ``i`` holds the values from ``starts[i]`` up to but not
    #: including ``starts[i + 1]``.
    baseline_starts: NDArray[np.intp]
    candidate: _Floats
    candidate_starts: NDArray[np.intp]

    def __post_init__(self) -> None:
        _check_side("baseline", self.baseline, self.baseline_starts)
        _check_side("candidate", self.candidate, self.candidate_starts)
        if self.baseline_starts.size != self.candidate_starts.size:
            raise DataError(
                f"the baseline has {self.baseline_starts.size - 1} rows and the candidate "
                f"{self.candidate_starts.size - 1}; give every row both sides"
            )

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.baseline_starts.size - 1

    def only(self, rows: NDArray[np.bool_]) -> Pairs:
        """Return these rows alone, in their order."""
        before, after = np.diff(self.baseline_starts), np.diff(self.candidate_starts)
        return Pairs(
            baseline=self.baseline[np.repeat(rows, before)],
            baseline_starts=np.concatenate([[0], np.cumsum(before[rows])]),
            candidate=self.candidate[np.repeat(rows, after)],
            candidate_starts=np.concatenate([[0], np.cumsum(after[rows])]),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairStatistics:
    """What benchstat says of each row."""

    #: baseline_n, candidate_n: shape (r,).
    baseline_n: NDArray[np.intp]
    candidate_n: NDArray[np.intp]
    #: baseline_median, baseline_low, baseline_high: shape (r,). In the unit of the row; ends infinite where n gives no
    #: interval.
    baseline_median: _Floats
    baseline_low: _Floats
    baseline_high: _Floats
    #: candidate_median, candidate_low, candidate_high: shape (r,).
    candidate_median: _Floats
    candidate_low: _Floats
    candidate_high: _Floats
    #: Shape (r,). benchstat's.
    pvalue: _Floats
    #: Shape (r,). The same for equal n or without ties. Else benchstat's may stand for the wrong tail, down to 0; this
    #: one does not, and a verdict does well to rest on it.
    two_sided_pvalue: _Floats
    #: Shape (r,). What samples of these sizes could reach at best, without ties.
    smallest_pvalue: _Floats
    #: Shape (r,). All values of both sides are equal, so that no test says anything.
    constant: NDArray[np.bool_]


def one_pair(baseline: _Floats, candidate: _Floats) -> Pairs:
    """Return two samples as a single row."""
    return Pairs(
        baseline=baseline,
        baseline_starts=np.array([0, baseline.size]),
        candidate=candidate,
        candidate_starts=np.array([0, candidate.size]),
    )


def compare_pairs(pairs: Pairs, confidence_level: float) -> PairStatistics:
    """Return each row's medians with their order-statistic intervals, and the p value of its U test.

    See `benchlib.statistics.samples.median_ranks` and `benchlib.statistics.ranks`.
    """
    level = checked_level(confidence_level)
    rows = pairs.rows
    sides = np.empty((2, 3, rows))
    pvalue, two_sided, best = np.empty((3, rows))
    constant = np.empty(rows, dtype=np.bool_)
    for here, baseline, candidate in _size_groups(pairs):
        old, new = np.sort(baseline, axis=1), np.sort(candidate, axis=1)
        for side, ordered in zip(sides, (old, new), strict=True):
            side[:, here] = _medians(ordered), *_median_bounds(ordered, level)
        pvalue[here], two_sided[here] = mann_whitney_rows(baseline, candidate)
        best[here] = smallest_pvalue(old.shape[1], new.shape[1])
        constant[here] = np.minimum(old[:, 0], new[:, 0]) == np.maximum(old[:, -1], new[:, -1])
    (baseline_median, baseline_low, baseline_high), (candidate_median, candidate_low, candidate_high) = sides
    return PairStatistics(
        baseline_n=np.diff(pairs.baseline_starts),
        candidate_n=np.diff(pairs.candidate_starts),
        baseline_median=baseline_median,
        baseline_low=baseline_low,
        baseline_high=baseline_high,
        candidate_median=candidate_median,
        candidate_low=candidate_low,
        candidate_high=candidate_high,
        pvalue=pvalue,
        two_sided_pvalue=two_sided,
        smallest_pvalue=best,
        constant=constant,
    )


def ratio_intervals(pairs: Pairs, levels: ArrayLike) -> tuple[_Floats, _Floats, _Floats]:
    """Return each row's ratio of medians, candidate over baseline, with its interval.

    To a baseline below 0 it is 1 plus the difference over its size, so that more than 1 is a rise.

    The interval is of the Hodges-Lehmann shift of logarithms, widened where need be to hold the ratio
    of medians. Without positive baselines and candidates of at least 0 it is unbounded.

    See `benchlib.statistics.ranks`.
    """
    each = _checked_levels(pairs, levels)
    ratio, low, high = np.empty(pairs.rows), np.full(pairs.rows, -np.inf), np.full(pairs.rows, np.inf)
    for here, old, new in _size_groups(pairs):
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            before, after = _row_medians(old), _row_medians(new)
            # The same as after / before, but for a baseline below 0, which grows where it rises.
            ratio[here] = np.where(before < 0, 1 + (after - before) / -before, after / before)
            ratio[here[before == 0]] = np.nan
        # A zero among the candidates is a ratio of 0; one among the baselines has no ratio at all.
        usable = (old.min(axis=1) > 0) & (new.min(axis=1) >= 0)
        there = here[usable]
        with np.errstate(divide="ignore", over="ignore"):
            logs = np.maximum(np.log(new[usable]), _LOG_OF_ZERO)
            lowest, highest = _shifts(np.log(old[usable]), logs, each[there])
            # exp(-inf) would claim the bound 0 where nothing is bounded.
            bounded = highest < np.inf
            low[there[bounded]] = np.exp(lowest[bounded])
            high[there[bounded]] = np.exp(highest[bounded])
    return ratio, np.fmin(low, ratio), np.fmax(high, ratio)


def difference_intervals(pairs: Pairs, levels: ArrayLike) -> tuple[_Floats, _Floats, _Floats]:
    """Return each row's difference of medians, candidate minus baseline, with its interval.

    The interval is of the Hodges-Lehmann shift, widened where need be to hold the difference of medians.

    See `benchlib.statistics.ranks`.
    """
    each = _checked_levels(pairs, levels)
    difference, low, high = np.empty((3, pairs.rows))
    for here, old, new in _size_groups(pairs):
        difference[here] = _row_medians(new) - _row_medians(old)
        low[here], high[here] = _shifts(old, new, each[here])
    return difference, np.fmin(low, difference), np.fmax(high, difference)


def _size_groups(pairs: Pairs) -> Iterator[tuple[NDArray[np.intp], _Floats, _Floats]]:
    """Yield places of rows of equal sizes with their values as two matrices, a bounded number at once."""
    first, second = np.diff(pairs.baseline_starts), np.diff(pairs.candidate_starts)
    for n1, n2 in dict.fromkeys(zip(first.tolist(), second.tolist(), strict=True)):
        rows = np.flatnonzero((first == n1) & (second == n2))
        at_once = max(1, _DIFFERENCES // (n1 * n2))
        for start in range(0, rows.size, at_once):
            here = rows[start : start + at_once]
            yield (
                here,
                pairs.baseline[pairs.baseline_starts[here][:, None] + np.arange(n1)],
                pairs.candidate[pairs.candidate_starts[here][:, None] + np.arange(n2)],
            )


def _row_medians(values: _Floats) -> _Floats:
    return _medians(np.sort(values, axis=1))


def _shifts(first: _Floats, second: _Floats, levels: _Floats) -> tuple[_Floats, _Floats]:
    """Return the ends of the Hodges-Lehmann interval of each row at its own level."""
    distinct, place = np.unique(levels, return_inverse=True)
    ranks = np.array([shift_rank(first.shape[1], second.shape[1], float(level)) for level in distinct], dtype=np.intp)
    rank = ranks[place.ravel()]
    low, high = np.empty((2, len(first)))
    for size in np.unique(rank).tolist():
        here = rank == size
        low[here], high[here] = ranked_shifts(first[here], second[here], size)
    return low, high


def _checked_levels(pairs: Pairs, levels: ArrayLike) -> _Floats:
    each = np.asarray(levels, dtype=np.float64)
    if each.shape not in {(), (pairs.rows,)}:
        raise DataError(f"{each.size} confidence levels for {pairs.rows} rows; give one for all, or one a row")
    wrong = each[~((each > 0) & (each < 1))]
    if wrong.size:
        checked_level(float(wrong.flat[0]))
    return np.broadcast_to(each, pairs.rows)


def _check_side(side: str, values: _Floats, starts: NDArray[np.intp]) -> None:
    if not starts.size:
        raise DataError(f"the {side} has no starts; give one a row, and its {values.size} values as the last")
    if starts[0] != 0 or starts[-1] != values.size:
        raise DataError(
            f"the starts of the {side} run from {int(starts[0])} to {int(starts[-1])}; "
            f"they must begin at 0 and end at its {values.size} values"
        )
    empty = np.flatnonzero(np.diff(starts) < 1)
    if empty.size:
        raise DataError(f"row {int(empty[0])} of the {side} holds no values; at least 1 is needed")
    if values.size:
        checked_values(values, side)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleComparison:
    """Two samples of one benchmark, compared."""

    baseline: Sample
    candidate: Sample
    #: Candidate over baseline, of medians, unit ``"x"``. NaN where the baseline is 0.
    ratio: Estimate
    difference: Estimate  # candidate minus baseline, of medians, in their unit
    pvalue: float  # two-sided Mann-Whitney U test
    smallest_pvalue: float  # what samples of these sizes could reach at best
    verdict: Verdict  # one of "better", "worse", "same", "cannot tell"
    caveats: tuple[Caveat, ...]


def limits(ratio: Estimate, best: float, level: float, before: Sample, after: Sample) -> tuple[Caveat, ...]:
    """Say what two samples cannot show: no difference at all where they are too small, no ratio to a median of 0."""
    caveats: list[Caveat] = []
    # 1 - 0.9 is a hair below 0.1, which is what 3 against 3 can reach.
    if best > (1 - level) * (1 + _ROUNDING):
        caveats.append(
            caveat(
                "cannot-detect",
                f"{before.n} against {after.n} values cannot show any difference at {100 * level:g} %: "
                f"the smallest p value they can reach is {best:.2g}",
            )
        )
    if math.isnan(ratio.value):
        caveats.append(caveat("no-ratio", "the baseline's median is 0, so the change has no ratio"))
    return tuple(caveats)


def distance(ratio: float) -> float:
    """Return how far a change is from none; by this, and nothing else, rows are ordered where the worst is named.

    What has no ratio (0 to 1 allocation) is behind all that have one: it is named where nothing else is to be.
    """
    return abs(math.log(ratio)) if ratio > 0 else -1.0
