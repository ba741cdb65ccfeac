"""Where a long series of runs changed its level, drifted, or only scattered, and what its noise would have hidden.

All of it is on logarithms: a change is a factor. A series is a value a run, in the order of the runs.

1. The course of levels that a series most likely took costs least: the squared distance of each value from its level
   in standard deviations, bounded so that one or two wild values open no level, plus a price for each change. Levels
   are those of a running median, and the cheapest course over them is exact (dynamic programming, as Viterbi's).
2. Each change is held against the values beside it by a t test and a rank test. The weakest falls, its neighbours are
   tested anew, until all that stand are beyond chance and large enough to matter.
3. Where a slope explains the values better than the stairs, it is a drift.
4. A change may lie beside where it was placed: the set of places holds it with the stated chance.

References
----------
A. J. Viterbi, IEEE Transactions on Information Theory 13 (1967) 260-269: the cheapest course.
F. Friedrich, A. Kempe, V. Liebscher, G. Winkler, Journal of Computational and Graphical Statistics 17 (2008) 201-224:
exact minimisers of a loss plus a price a jump. P. Fearnhead, G. Rigaill, Journal of the American Statistical
Association 114 (2019) 169-183: why the loss is bounded.
G. Schwarz, Annals of Statistics 6 (1978) 461-464: the price of a parameter, by which a slope is held against stairs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.errors import DataError
from benchlib.lazy_scipy import special
from benchlib.statistics.estimates import Estimate, checked_level, checked_values
from benchlib.statistics.verdicts import benjamini_hochberg

__all__ = ["Change", "Course", "Drift", "find_changes"]

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]

#: A series of fewer runs has no course.
FEWEST_RUNS = 10
#: A level that fewer runs held is no level: one or two wild runs are outliers.
_SHORTEST = 3
#: From so many runs on a new level is confirmed; until then the next runs may withdraw it.
_CONFIRMED = 5
#: Price of a change, and the most that one value costs; in variances.
_PRICE, _BOUND = 14.0, 9.0
#: Levels that a course may take, and the width of the running median that offers them.
_LEVELS, _WIDTH = 48, 5
#: Values on either side that a change is held against: what lies further back had noise of another time.
_NEAR = 50
#: Values further from their level than this, in standard deviations, count as that far.
_WILD = 3.0
#: The chance of a change at one place of a series that only scatters.
_CHANCE = 1e-3
#: A rank test has to agree, at this level; it bears what a t test does not.
_RANKS = 0.01
#: Lags over which the noise is measured: neighbouring runs share some of it.
_LAGS = 5
#: What a slope costs beside stairs, as a price for each of its numbers, and by how much it has to be better at all.
_NUMBER, _BETTER = 8.0, 10.0
#: No run alone is more evidence for a place than these odds, as a logarithm: it may be a wild one.
_WITNESS = math.log(20)
#: A slope is longer than this, and its ends lie on one of so many places.
_SLOPE, _ENDS = 20, 17
#: Noise below this share is rounding.
_ROUNDING = 1e-4
#: A step is called visible where it is told nine times in ten; runs with wild values among them take more than 0.9.
_SURE = 0.98
#: Series at a time: what a course of so many takes stays below 100 MB.
_BLOCK = 1000
#: Two levels are modes where values switch between them at least so often and at this share of what chance would make
#: of as many values of each; each holds such a share of the runs, and they lie so many deviations apart.
_SWITCHES, _OFTEN, _SHARE, _APART = 6, 0.25, 0.1, 5.0
#: Runs on either side whose means are a ratio, and runs whose mean wanders as far as levels do, where there are three.
_BESIDE, _BATCH = 20, 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A level that a series left for another.

    Attributes
    ----------
    at : int
        The first run of the new level, counted from 0.
    first, last : int
        The runs that may be the first of the new level: they hold it with the confidence level of ``ratio``.
    before, after : float
        Means of up to 20 runs on either side, in the unit of the series; wild values count as three deviations off.
    ratio : Estimate
        After over before, unit ``"x"``. Its interval holds what levels of the series wander by besides.
    runs_before, runs_after : int
        How many runs the levels last.
    pvalue : float
        Of such a change anywhere in the series by chance, adjusted for the number of series asked.
    state : {"provisional", "confirmed"}
        Confirmed from five runs of the new level on.
    """

    at: int
    first: int
    last: int
    before: float
    after: float
    ratio: Estimate
    runs_before: int
    runs_after: int
    pvalue: float
    state: Literal["provisional", "confirmed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """A slope: the level went from ``start`` at run ``first`` to ``end`` at run ``last``."""

    first: int
    last: int
    start: float
    end: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Course:
    """What one series did.

    Attributes
    ----------
    levels : ndarray, shape (runs,)
        The level of each run, in the unit of the series.
    changes : tuple of Change
    drifts : tuple of Drift
    outliers : tuple of int
        Runs of one or two that lie far from the level around them.
    noise : float
        Standard deviation of a run beside runs before it, as a share: what a change is held against.
    modes : tuple of float
        Two levels that the series switches between; empty where it does not. Then switches are no changes.
    least : float
        The smallest change that was asked for, as a share.
    """

    levels: _Floats
    changes: tuple[Change, ...]
    drifts: tuple[Drift, ...]
    outliers: tuple[int, ...]
    noise: float
    modes: tuple[float, ...]
    least: float

    def visible(self, runs: int) -> float:
        """Return the smallest change, as a share, that the noise would have shown nine times in ten within ``runs``.

        Both the course has to gain by it, and the test has to see it.
        """
        if runs < _SHORTEST:
            return math.inf
        error = math.sqrt(1 / runs + 1 / _NEAR)
        test = -float(special.stdtrit(_NEAR + runs - 2, 0.05 / max(self.levels.size, 50) / 2)) * error
        reach = max(test, math.sqrt(_PRICE / runs)) * self.noise
        sure = float(special.ndtri(_SURE)) * error * self.noise
        return math.expm1(max(reach, math.log1p(self.least)) + sure)


def find_changes(
    series: Sequence[ArrayLike],
    *,
    least: float = 0.02,
    significance_level: float = 0.05,
    confidence_level: float = 0.95,
) -> tuple[Course, ...]:
    """Find the changes, drifts and outliers of each series.

    Parameters
    ----------
    series : sequence of array_like
        Of each series a value a run in order, all above 0; ten runs or more.
    least : float
        The smallest change that matters, as a share.
    significance_level : float
        The share of the changes told, over all series, that may be none (Benjamini and Hochberg).
    confidence_level : float
        Of the intervals of ratios, and of the sets of places.

    Raises
    ------
    DataError
        For a series that is too short or holds a value that is no number above 0, and shares outside 0 to 1.

    Examples
    --------
    >>> steady = [100.0, 101, 99, 100, 102, 98, 100, 101, 99, 100] * 3
    >>> course, = find_changes([steady + [110.0, 111, 109, 110, 112]])
    >>> [(change.at, change.state, round(change.ratio.value, 2)) for change in course.changes]
    [(30, 'confirmed', 1.1)]
    """
    if not (0 < least < 1 and 0 < significance_level < 1):
        raise DataError(
            f"a least change of {least:g} and a level of {significance_level:g}; give shares between 0 and 1"
        )
    level = checked_level(confidence_level)
    logs = [_logs(values, place) for place, values in enumerate(series)]
    drafts: list[_Draft] = []
    for start in range(0, len(logs), _BLOCK):
        drafts += _drafts(logs[start : start + _BLOCK], math.log1p(least))
    _judge_together(drafts, significance_level)
    return tuple(_course(draft, least, level) for draft in drafts)


def _logs(values: ArrayLike, place: int) -> _Floats:
    sample = checked_values(values, f"series {place + 1}")
    if sample.size < FEWEST_RUNS:
        raise DataError(f"series {place + 1} has {sample.size} runs; {FEWEST_RUNS} or more have a course")
    if (sample <= 0).any():
        raise DataError(f"series {place + 1} holds {float(sample.min()):g}; a change is a factor of values above 0")
    return np.asarray(np.log(sample))


# The cheapest course of levels, all series at once --------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A series while its course is found: places of changes with their p values, and slopes."""

    logs: _Floats
    noise: float
    least: float
    cuts: list[int]
    slopes: list[_Slope]
    modes: tuple[float, ...] = ()
    pvalues: Sequence[float] = ()


def _drafts(logs: Sequence[_Floats], least: float) -> Iterator[_Draft]:
    noise = np.array([_noise_of(values) for values in logs])
    for values, scale, cuts in zip(logs, noise.tolist(), _cheapest_cuts(logs, noise), strict=True):
        draft = _Draft(logs=values, noise=scale, least=least, cuts=[], slopes=[], modes=_modes(values))
        if not draft.modes:
            draft.cuts = _pruned(draft, _placed(draft, cuts))
            _take_slopes(draft)
        draft.pvalues = _pvalues(draft, draft.cuts)
        yield draft


def _noise_of(logs: _Floats) -> float:
    """Return the standard deviation of a run: from differences of neighbours, the widest of several lags."""
    lags = range(1, min(_LAGS, len(logs) - 1) + 1)
    spans = [float(np.median(np.abs(logs[lag:] - logs[:-lag]))) for lag in lags]
    return max(max(spans) / (math.sqrt(2) * float(special.ndtri(0.75))), _ROUNDING)


def _cheapest_cuts(logs: Sequence[_Floats], noise: _Floats) -> list[list[int]]:
    """Return where the cheapest course of each series changes its level."""
    sizes = np.array([values.size for values in logs])
    runs, rows = int(sizes.max()), np.arange(len(logs))
    levels = np.array([np.quantile(_running_median(values, _WIDTH), np.linspace(0, 1, _LEVELS)) for values in logs])
    padded = np.zeros((runs, len(logs)))
    for row, values in enumerate(logs):
        padded[: values.size, row] = values
    cost = np.zeros(levels.shape)
    stays = np.empty((runs, *levels.shape), dtype=np.bool_)
    source = np.empty((runs, len(logs)), dtype=np.intp)
    for run in range(runs):
        source[run] = cost.argmin(axis=1)
        entry = cost[rows, source[run]][:, np.newaxis] + _PRICE
        stays[run] = cost <= entry
        distance = np.minimum(((padded[run][:, np.newaxis] - levels) / noise[:, np.newaxis]) ** 2, _BOUND)
        cost = np.minimum(cost, entry) + np.where((run < sizes)[:, np.newaxis], distance, 0.0)
    course = np.empty((runs, len(logs)), dtype=np.intp)
    at = cost.argmin(axis=1)
    for run in range(runs - 1, -1, -1):
        course[run] = at
        at = np.where(stays[run, rows, at], at, source[run])
    return [(np.flatnonzero(np.diff(levels[row, course[:size, row]])) + 1).tolist() for row, size in enumerate(sizes)]


def _running_median(values: _Floats, width: int) -> _Floats:
    padded = np.pad(values, width // 2, mode="edge")
    return np.asarray(np.median(np.lib.stride_tricks.sliding_window_view(padded, width), axis=1))


# Which changes stand --------------------------------------------------------------------------------------------------


def _pruned(draft: _Draft, cuts: list[int]) -> list[int]:
    """Drop the weakest change until all that are left stand."""
    while cuts:
        pvalues = _pvalues(draft, cuts)
        weakest = int(np.argmax(pvalues))
        if pvalues[weakest] < _CHANCE:
            break
        cuts = _placed(draft, cuts[:weakest] + cuts[weakest + 1 :])
    return cuts


def _placed(draft: _Draft, cuts: Sequence[int]) -> list[int]:
    """Move each change to where the levels beside it leave least; a wild value counts as little beyond its level."""
    placed, ends = list(cuts), len(draft.logs)
    for index, cut in enumerate(placed):
        low = max(placed[index - 1] if index else 0, cut - _NEAR)
        high = min(placed[index + 1] if index + 1 < len(placed) else ends, cut + _NEAR)
        if low < cut < high:
            placed[index] = low + 1 + int(np.argmin(_costs_of_places(draft, low, cut, high)))
    return sorted(set(placed))


def _costs_of_places(draft: _Draft, low: int, cut: int, high: int) -> _Floats:
    """Return what a change costs at each place between, beside what it costs at any; squared logarithms."""
    before, after = float(np.median(draft.logs[low:cut])), float(np.median(draft.logs[cut:high]))
    least, most = min(before, after) - draft.noise, max(before, after) + draft.noise
    values = np.clip(draft.logs[low:high], least, most)
    return np.cumsum((values - before) ** 2 - (values - after) ** 2)[:-1]


def _pvalues(draft: _Draft, cuts: Sequence[int]) -> list[float]:
    """Return the p value of each change against the runs beside it; above 1 what is too short, or too small."""
    edges = [0, *cuts, len(draft.logs)]
    pvalues = []
    for start, cut, end in zip(edges, edges[1:], edges[2:], strict=False):
        before, after = draft.logs[max(start, cut - _NEAR) : cut], draft.logs[cut : min(end, cut + _NEAR)]
        pvalues.append(_pvalue(before, after, draft))
    return pvalues


def _pvalue(before: _Floats, after: _Floats, draft: _Draft) -> float:
    middles = [float(np.median(side)) for side in (before, after)]
    calm = [_calmed(side, draft.noise, middle) for side, middle in zip((before, after), middles, strict=True)]
    size = max(abs(middles[1] - middles[0]), abs(float(calm[1].mean() - calm[0].mean())))
    if size < draft.least:
        return 2.0 + draft.least - size  # the smallest falls first
    if min(before.size, after.size) < _SHORTEST:
        return 1.5
    pvalue = _by_t(*calm)
    ranks = _by_ranks(before, after)
    return ranks if pvalue < _CHANCE and ranks > _RANKS else pvalue


def _calmed(values: _Floats, noise: float, middle: float) -> _Floats:
    """Return values of which none is further from their middle than what is wild."""
    return np.clip(values, middle - _WILD * noise, middle + _WILD * noise)


def _by_t(before: _Floats, after: _Floats) -> float:
    freedom = before.size + after.size - 2
    variance = (float(before.var()) * before.size + float(after.var()) * after.size) / freedom
    apart = abs(float(after.mean() - before.mean()))
    if not variance:
        return 0.0 if apart else 1.0
    return 2 * float(special.stdtr(freedom, -apart / math.sqrt(variance * (1 / before.size + 1 / after.size))))


def _by_ranks(before: _Floats, after: _Floats) -> float:
    """Return the p value of Mann and Whitney's test, by its normal approximation with ties."""
    n = before.size + after.size
    _, place, counts = np.unique(np.concatenate([before, after]), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    ties = float((counts.astype(float) ** 3 - counts).sum()) / (n * (n - 1))
    variance = before.size * after.size / 12 * (n + 1 - ties)
    off = abs(float(ranks[: before.size].sum()) - before.size * (n + 1) / 2) - 0.5
    return 2 * float(special.ndtr(-max(off, 0.0) / math.sqrt(variance))) if variance > 0 else 1.0


def _judge_together(drafts: Sequence[_Draft], significance_level: float) -> None:
    """Drop changes that are not beyond chance among all series: a series has as many places as runs."""
    by_chance = [min(1.0, pvalue * len(draft.logs)) for draft in drafts for pvalue in draft.pvalues]
    quiet = sum(not draft.cuts for draft in drafts)
    adjusted = iter(benjamini_hochberg([*by_chance, *[1.0] * quiet]).tolist())
    for draft in drafts:
        judged = list(zip(draft.cuts, adjusted, strict=False))
        draft.cuts = [cut for cut, pvalue in judged if pvalue <= significance_level]
        draft.pvalues = [pvalue for _, pvalue in judged if pvalue <= significance_level]


# Slopes instead of stairs ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Slope:
    """A slope between two runs, level before and after it; ``levels`` and ``cost`` are of the stretch that it is in."""

    low: int
    high: int
    first: int
    last: int
    levels: _Floats
    cost: float

    @property
    def rise(self) -> float:
        return float(self.levels[-1] - self.levels[0])


def _take_slopes(draft: _Draft) -> None:
    """Put a slope in the place of stairs that go one way, while one is better."""
    while draft.cuts:
        best: tuple[float, int, int, _Slope] | None = None
        for start, end in _stairs(draft):
            slope, stairs = _slope(draft, start, end), _cost_of_stairs(draft, start, end)
            if slope is None or abs(slope.rise) < draft.least:
                continue
            gain = stairs + _NUMBER * 2 * (end - start) - slope.cost - _NUMBER * 3
            if gain > (best[0] if best else _BETTER):
                best = gain, start, end, slope
        if best is None:
            return
        del draft.cuts[best[1] : best[2]]
        draft.slopes.append(best[3])


def _stairs(draft: _Draft) -> Iterator[tuple[int, int]]:
    """Give each range of neighbouring changes that go one way, on runs that no slope is in yet."""
    edges = [0, *draft.cuts, len(draft.logs)]
    middles = [float(np.median(draft.logs[low:high])) for low, high in itertools.pairwise(edges)]
    rises = np.diff(middles) > 0
    for start in range(len(draft.cuts)):
        for end in range(start + 1, len(draft.cuts) + 1):
            if (rises[start:end] != rises[start]).any():
                break
            if not any(edges[start] < slope.last and edges[end + 1] > slope.first for slope in draft.slopes):
                yield start, end


def _cost_of_stairs(draft: _Draft, start: int, end: int) -> float:
    edges = [0, *draft.cuts, len(draft.logs)][start : end + 2]
    parts = (draft.logs[low:high] for low, high in itertools.pairwise(edges))
    return sum(_cost(part - np.median(part), draft.noise) for part in parts)


def _cost(residuals: _Floats, noise: float) -> float:
    return float(np.minimum((residuals / noise) ** 2, _BOUND).sum())


def _slope(draft: _Draft, start: int, end: int) -> _Slope | None:
    """Fit the best slope to the runs of stairs: level, straight, level, with ends on a grid; wild values are calmed."""
    edges = [0, *draft.cuts, len(draft.logs)]
    low, high = edges[start], edges[end + 1]
    values = draft.logs[low:high]
    ends = np.unique(np.linspace(0, values.size, _ENDS).round().astype(int))
    pairs = np.array([(first, last) for first in ends for last in ends if last - first >= _SLOPE])
    if not pairs.size:
        return None
    first, last = pairs.T[:, :, np.newaxis]
    shape = np.clip((np.arange(values.size) - first) / (last - first), 0, 1)
    around = shape - shape.mean(axis=1, keepdims=True)
    fitted = _running_median(values, 9)[np.newaxis]
    for _ in range(2):
        calm = fitted + np.clip(values - fitted, -_WILD * draft.noise, _WILD * draft.noise)
        middle = calm.mean(axis=1, keepdims=True)
        rise = (around * (calm - middle)).sum(axis=1, keepdims=True) / (around**2).sum(axis=1, keepdims=True)
        fitted = middle + rise * around
    costs = np.minimum(((values - fitted) / draft.noise) ** 2, _BOUND).sum(axis=1)
    best = int(costs.argmin())
    return _Slope(
        low=low,
        high=high,
        first=low + int(pairs[best][0]),
        last=low + int(pairs[best][1]) - 1,
        levels=fitted[best],
        cost=float(costs[best]),
    )


def _modes(logs: _Floats) -> tuple[float, ...]:
    """Return two levels between which a series switches time and again, and none lies between; else nothing."""
    ordered = np.sort(logs)
    few = max(_SHORTEST, math.ceil(_SHARE * logs.size))
    gaps = np.diff(ordered)[few - 1 : logs.size - few]
    if not gaps.size:
        return ()
    split = few + int(gaps.argmax())
    low, high = ordered[:split], ordered[split:]
    within = max(float(part.std()) for part in (low, high))
    upper = logs >= high[0]
    switches = np.count_nonzero(upper[1:] != upper[:-1])
    enough = max(_SWITCHES, _OFTEN * 2 * low.size * high.size / logs.size)
    apart = float(high.mean() - low.mean()) > _APART * max(within, _ROUNDING)
    return tuple(np.exp([np.median(low), np.median(high)]).tolist()) if apart and switches >= enough else ()


# The answer -----------------------------------------------------------------------------------------------------------


def _course(draft: _Draft, least: float, level: float) -> Course:
    edges = [0, *draft.cuts, len(draft.logs)]
    levels = np.empty_like(draft.logs)
    for low, high in itertools.pairwise(edges):
        levels[low:high] = np.median(draft.logs[low:high])
    for slope in draft.slopes:
        levels[slope.low : slope.high] = slope.levels
    if draft.modes:
        near = np.log(np.array(draft.modes))
        levels = near[np.abs(draft.logs[:, np.newaxis] - near).argmin(axis=1)]
    calm = np.clip(draft.logs - levels, -_WILD * draft.noise, _WILD * draft.noise)
    changes = [_change(draft, place, calm, level) for place in range(len(draft.cuts))]
    slight = [place for place, change in enumerate(changes) if abs(math.log(change.ratio.value)) < draft.least / 2]
    if slight:
        weakest = max(slight, key=lambda place: draft.pvalues[place])
        kept = [place for place in range(len(changes)) if place != weakest]
        return _course(
            replace(
                draft, cuts=[draft.cuts[place] for place in kept], pvalues=[draft.pvalues[place] for place in kept]
            ),
            least,
            level,
        )
    return Course(
        levels=np.exp(levels),
        changes=tuple(changes),
        drifts=tuple(
            Drift(
                first=slope.first,
                last=slope.last,
                start=math.exp(float(slope.levels[0])),
                end=math.exp(float(slope.levels[-1])),
            )
            for slope in sorted(draft.slopes, key=lambda slope: slope.first)
        ),
        outliers=tuple(np.flatnonzero(np.abs(draft.logs - levels) > max(4 * draft.noise, draft.least)).tolist()),
        noise=max(draft.noise, float(calm.std())),
        modes=draft.modes,
        least=least,
    )


def _change(draft: _Draft, place: int, residuals: _Floats, level: float) -> Change:
    edges = [0, *draft.cuts, len(draft.logs)]
    start, cut, end = edges[place : place + 3]
    before, after = draft.logs[max(start, cut - _BESIDE) : cut], draft.logs[cut : min(end, cut + _BESIDE)]
    means = [float(_calmed(side, draft.noise, float(np.median(side))).mean()) for side in (before, after)]
    first, last = _places(draft, start, cut, end, level)
    return Change(
        at=cut,
        first=first,
        last=last,
        before=math.exp(means[0]),
        after=math.exp(means[1]),
        ratio=_ratio(means[1] - means[0], (before.size, after.size), draft, residuals, level),
        runs_before=cut - start,
        runs_after=end - cut,
        pvalue=draft.pvalues[place],
        state="confirmed" if end - cut >= _CONFIRMED else "provisional",
    )


def _places(draft: _Draft, start: int, cut: int, end: int, level: float) -> tuple[int, int]:
    """Return the runs between which the change lies: as likely as the runs beside it make each place, noise normal."""
    low, high = max(start, cut - _NEAR), min(end, cut + _NEAR)
    evidence = np.diff(_costs_of_places(draft, low, cut, high), prepend=0.0) / (2 * draft.noise**2)
    bound = _WITNESS if draft.noise > _ROUNDING else math.inf  # counts have no wild runs
    costs = np.cumsum(np.clip(evidence, -bound, bound))
    chances = np.exp(costs.min() - costs)
    likely = np.argsort(-chances)
    enough = 1 + int(np.searchsorted(np.cumsum(chances[likely]), level * chances.sum()))
    places = low + 1 + likely[:enough]
    return int(places.min()), int(places.max())


def _ratio(difference: float, sizes: tuple[int, int], draft: _Draft, residuals: _Floats, level: float) -> Estimate:
    """Return the ratio of two levels: noise of their runs, and how far levels wander that changed by nothing."""
    width = max(_SHORTEST, min(_BATCH, residuals.size // 6))
    batches = residuals[: residuals.size // width * width].reshape(-1, width).mean(axis=1)
    wander = float(batches.var(ddof=1))
    error = math.sqrt(sum(draft.noise**2 / size + wander for size in sizes))
    reach = float(special.stdtrit(batches.size - 1, (1 + level) / 2)) * error
    return Estimate(
        value=math.exp(difference),
        low=math.exp(difference - reach),
        high=math.exp(difference + reach),
        unit="x",
        confidence_level=level,
        n=sum(sizes),
        method="ratio of the means of 20 runs beside a change, Student t with what means of 30 runs wander by",
        standard_error=math.nan,
    )
