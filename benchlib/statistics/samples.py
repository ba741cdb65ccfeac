"""A sample in a few numbers: the median with its interval, and what lies around it.

The interval of the median has one rule, `estimate_median`. From six values on (at 95 %) it is benchstat's: two order
statistics of the sample, chosen so that a Binomial(n, 1/2) count falls between their ranks with at least the confidence
asked, which assumes nothing about the shape of the distribution. With two to five it is Student's t on logarithms,
which assumes that noise is symmetric there, as `ratio_of_few` does. ``method`` says which. Only a comparison repeats
benchstat's numbers, which have none of so few (`summarise`, `ranked`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.caveats import Caveat, caveat
from benchlib.errors import DataError
from benchlib.lazy_scipy import special
from benchlib.statistics.estimates import Estimate, checked_level, checked_values
from benchlib.statistics.go_math import exponential, logarithm
from benchlib.statistics.moments import _mean_and_variance

__all__ = [
    "Sample",
    "estimate_median",
    "far_values",
    "in_flight",
    "median_ranks",
    "percentile_share",
    "ratio_of_few",
    "summarise",
    "tail_mean_bound",
    "values_needed",
]


#: Up to this n the binomial is summed; above it benchstat takes a normal approximation.
_EXACT_LIMIT = 30
#: The square of a larger value may be none that a float holds.
_LARGEST_SQUARED = 1e150
# Stirling's series for the logarithm of the gamma function as fdlibm writes it (Sun Microsystems
# 1993, e_lgamma_r.c), which Go's math.Lgamma follows.
_STIRLING = (
    4.18938533204672725052e-01, 8.33333333333329678849e-02, -2.77777777728775536470e-03,
    7.93650558643019558500e-04, -5.95187557450339963135e-04, 8.36339918996282139126e-04,
    -1.63092934096575273989e-03,
)  # fmt: skip
_Floats = NDArray[np.float64]
#: Fewer values have no quartiles to speak of.
_LEAST_FOR_FENCES = 5
#: A value nearer to the median than this share is far from its others only because they repeat so well.
_AWAY = 0.10
#: (from this many values on, fences at so many interquartile ranges): each leaves at most 1 of 1,000 normal samples
#: with a value outside. Tukey's 3 does so for none this small.
FENCES = ((5, 50.0), (6, 16.5), (7, 12.0), (10, 8.5), (15, 6.0), (25, 4.7), (50, 3.7))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Repeated measurements of one benchmark in one configuration, summarised."""

    n: int
    median: Estimate  # by `estimate_median`; both ends infinite where nothing bounds it
    mean: float
    stdev: float  # with n - 1 in the denominator; NaN for n = 1
    minimum: float
    maximum: float
    caveats: tuple[Caveat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MedianRanks:
    """Which order statistics bound the median."""

    #: low, high: counted from 1. ``0`` and ``n + 1`` lie outside the sample: that end is unbounded.
    low: int
    high: int
    coverage: float  # what the interval covers in truth, at least the level asked
    ambiguous: bool  # whether the interval one rank further up covers as much


def summarise(values: ArrayLike, *, unit: str, confidence_level: float = 0.95, ranked: bool = False) -> Sample:
    """Summarise a sample: median with interval (`ranked`: as benchstat has it), mean, spread and extremes."""
    ordered = np.sort(checked_values(values))
    level = checked_level(confidence_level)
    n = ordered.size
    median = (_ranked_median if ranked else estimate_median)(ordered, unit=unit, confidence_level=level)
    needed = values_needed(level) if ranked or ordered[0] <= 0 else 2
    few = () if median.has_interval else (_too_few(n, level, needed),)
    # Sums and squares of values as large as a float can be would overflow.
    largest = float(np.abs(ordered).max())
    scale = largest if largest > _LARGEST_SQUARED else 1.0
    mean, variance = _mean_and_variance(ordered / scale) if n > 1 else (float(ordered[0]) / scale, math.nan)
    return Sample(
        n=n,
        median=median,
        mean=scale * mean,
        stdev=scale * math.sqrt(variance),
        minimum=float(ordered[0]),
        maximum=float(ordered[-1]),
        caveats=few,
    )


def estimate_median(values: ArrayLike, unit: str, confidence_level: float = 0.95) -> Estimate:
    """Return the median with its interval by order statistics or, of too few for it, by their mean logarithm.

    The second is Student's t interval, widened to hold the median itself, which lies beside the geometric mean. It is
    one of the median where noise is symmetric on a logarithmic scale. Where it is not, 3 to 5 values still hold 93 to
    97 % at 95 % (exponential tails, two modes, t with 2 degrees), and two values 87 % (`benchmarks/few_values.py`). One
    value, and few that are not all above 0, have no interval.

    Source: "Student", The probable error of a mean, Biometrika 6 (1908) 1-25; for the rest as `median_ranks`.
    """
    ordered = np.sort(checked_values(values))
    median = _ranked_median(ordered, unit=unit, confidence_level=confidence_level)
    if median.has_interval or ordered.size < 2 or ordered[0] <= 0:
        return median
    logs = np.log(ordered)
    mean, variance = _mean_and_variance(logs)
    half = _reach(len(logs) - 1, confidence_level) * math.sqrt(variance) / math.sqrt(len(logs))
    with np.errstate(over="ignore"):
        low, high = (float(end) for end in np.exp(mean + half * np.array([-1.0, 1.0])))
    return replace(
        median,
        low=min(low, median.value),
        high=max(high, median.value),
        method=f"median, interval by Student's t({len(logs) - 1}) on logarithms",
    )


def _ranked_median(ordered: NDArray[np.float64], *, unit: str, confidence_level: float) -> Estimate:
    """Return the median of values in ascending order, with its order-statistic interval, as benchstat has it.

    Where one end lies outside the sample both are infinite: which end is lost first is an
    accident of rounding, and half an interval would be read as a bound.
    """
    n = ordered.size
    low, high = _median_bounds(ordered, confidence_level)
    ranks = median_ranks(n, confidence_level)
    return Estimate(
        value=float(_medians(ordered)),
        low=float(low),
        high=float(high),
        unit=unit,
        confidence_level=confidence_level,
        n=n,
        method=_by_ranks(ranks.low, ranks.high, n) if math.isfinite(low) else "median",
        standard_error=math.nan,
    )


def estimate_percentile(ordered: NDArray[np.float64], share: float, *, unit: str, confidence_level: float) -> Estimate:
    """Return the smallest of values in ascending order that a share of them do not exceed, with its interval.

    The ends are order statistics: how many of n values lie below the percentile is binomial. Both are infinite where
    one lies outside the sample. H. A. David and H. N. Nagaraja, "Order Statistics", 3rd edition, Wiley 2003, section
    7.1; the definition is the first of Hyndman and Fan, The American Statistician 50, 1996, 361-365.
    """
    n = ordered.size
    rank = max(1, math.ceil(round(share * n, 9)))
    reach = 10 * math.sqrt(n * share * (1 - share)) + 2
    counts = np.arange(max(0, math.floor(n * share - reach)), min(n, math.ceil(n * share + reach)) + 1)
    below = special.bdtr(counts.astype(float), n, share)
    tail = (1 - confidence_level) / 2
    low, high = int(counts[np.argmax(below > tail)]), int(counts[np.argmax(below >= 1 - tail)]) + 1
    known = low >= 1 and high <= n
    return Estimate(
        value=float(ordered[rank - 1]),
        low=float(ordered[low - 1]) if known else -math.inf,
        high=float(ordered[high - 1]) if known else math.inf,
        unit=unit,
        confidence_level=confidence_level,
        n=n,
        method=f"value {rank} of {n}, order statistics {low} and {high}" if known else f"value {rank} of {n}",
        standard_error=math.nan,
    )


def _by_ranks(low: int, high: int, n: int) -> str:
    return f"median, order statistics {low} and {high} of {n}"


def _medians(ordered: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the medians of values in ascending order along the last axis."""
    n = ordered.shape[-1]
    middle: NDArray[np.float64] = (ordered[..., (n - 1) // 2] + ordered[..., n // 2]) / 2
    return middle


def _median_bounds(
    ordered: NDArray[np.float64], confidence_level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the order statistics that bound the medians of values in ascending order along the last axis."""
    n = ordered.shape[-1]
    ranks = median_ranks(n, confidence_level)
    if ranks.low < 1 or ranks.high > n:
        return np.full(ordered.shape[:-1], -np.inf), np.full(ordered.shape[:-1], np.inf)
    return ordered[..., ranks.low - 1], ordered[..., ranks.high - 1]


@lru_cache(maxsize=4096)
def median_ranks(n: int, confidence_level: float) -> MedianRanks:
    """Return the ranks of the order statistics that bound the median of n values.

    Up to n = 30 the binomial probabilities are added from the middle outwards, the larger
    neighbour first and the left one of equals, until the level is reached. Above, a normal
    approximation with continuity correction is rounded outwards, and the right end is drawn in
    by one where the level still holds.

    Source: golang.org/x/perf/benchmath with github.com/aclements/go-moremath, ``stats.QuantileCI``.
    H. A. David, H. N. Nagaraja, Order Statistics, 3rd ed., 2003, section 7.1.
    """
    ranks = (_ranks_by_sum if n <= _EXACT_LIMIT else _ranks_by_normal)(n, confidence_level)
    return MedianRanks(
        low=max(ranks.low, 0),
        high=min(ranks.high, n + 1),
        coverage=ranks.coverage,
        ambiguous=ranks.ambiguous,
    )


def values_needed(confidence_level: float) -> int:
    """Return the smallest n whose median has an interval by order statistics at this level."""
    n = 1
    while (ranks := median_ranks(n, confidence_level)).low < 1 or ranks.high > n:
        n += 1
    return n


def _ranks_by_sum(n: int, confidence_level: float) -> MedianRanks:
    left = math.ceil((n + 1) / 2) - 1
    right = left + 1
    covered = _binomial_half(n, left)
    below, above = _binomial_half(n, left - 1), _binomial_half(n, right)
    ambiguous = above == covered
    while covered < confidence_level and (below > 0 or above > 0):
        ambiguous = below == above
        if below >= above:
            covered += below
            left -= 1
            below = _binomial_half(n, left - 1)
        else:
            covered += above
            right += 1
            above = _binomial_half(n, right)
    return MedianRanks(low=left, high=right, coverage=covered, ambiguous=ambiguous)


def _ranks_by_normal(n: int, confidence_level: float) -> MedianRanks:
    centre, spread = n / 2, math.sqrt(n) / 2
    lower = centre + spread * float(special.ndtri((1 - confidence_level) / 2))
    upper = 2 * centre - lower

    def coverage(left: int, right: int) -> float:
        above = float(special.ndtr((right - 0.5 - centre) / spread))
        return above - float(special.ndtr((left - 0.5 - centre) / spread))

    left, right = math.floor(lower - 0.5) + 1, math.ceil(upper - 0.5) + 1
    covered = coverage(left, right)
    drawn_in = coverage(left, right - 1)
    if confidence_level <= drawn_in < covered:
        return MedianRanks(low=left, high=right - 1, coverage=drawn_in, ambiguous=True)
    if left <= 0 and right >= n + 1:
        return MedianRanks(low=left, high=right, coverage=1.0, ambiguous=False)
    return MedianRanks(low=left, high=right, coverage=covered, ambiguous=False)


def _binomial_half(n: int, count: int) -> float:
    if not 0 <= count <= n:
        return 0.0
    if n <= 20 or count in (0, n):
        ways = float(math.comb(n, count))
    else:
        # benchstat's coefficients above n = 20 come from logarithms of the gamma function, and
        # their rounding decides which of two equal neighbours is added first: with exact
        # coefficients 3 of the 30 reference intervals for n = 21 to 30 land one rank aside.
        ways = exponential(_log_factorial(n) - _log_factorial(count) - _log_factorial(n - count))
    return ways * 0.5**n


def _log_factorial(count: int) -> float:
    x = float(count + 1)
    if x < 8:
        return math.log(math.factorial(count))
    inverse = 1 / x
    square = inverse * inverse
    tail = 0.0
    for coefficient in reversed(_STIRLING[2:]):
        tail = coefficient + square * tail
    series = _STIRLING[0] + inverse * (_STIRLING[1] + square * tail)
    return (x - 0.5) * (float(logarithm(np.asarray([x]))[0]) - 1) + series


def _too_few(n: int, confidence_level: float, needed: int) -> Caveat:
    return caveat("few-samples", f"n = {n}: no interval at {100 * confidence_level:g} % (needs {needed})")


def ratio_of_few(before: ArrayLike, after: ArrayLike, confidence_level: float = 0.95) -> Estimate:
    """Return the ratio of two medians, ``after`` over ``before``, with Welch's interval on logarithms.

    It is widened to hold the ratio itself, which lies beside that of the geometric means. One value on a
    side leaves no interval.

    Source: B. L. Welch, "The generalization of 'Student's' problem when several different population
    variances are involved", Biometrika 34, 1947, 28-35.
    """
    level = checked_level(confidence_level)
    sides = [checked_values(values, name) for values, name in ((before, "before"), (after, "after"))]
    for side in sides:
        if side.min() <= 0:
            raise DataError(f"a side of the ratio holds {side.min():g}; only values above 0 have a ratio")
    with np.errstate(over="ignore"):
        value = float(np.median(sides[1]) / np.median(sides[0]))
    method = "ratio of medians"
    low, high = -math.inf, math.inf
    if min(map(len, sides)) > 1:
        logs = [np.log(side) for side in sides]
        error, freedom = _welch(*logs)
        centre, half = float(np.mean(logs[1]) - np.mean(logs[0])), _reach(freedom, level) * error
        with np.errstate(over="ignore"):
            ends = np.exp(np.array([centre - half, centre + half]))
        low, high = min(float(ends[0]), value), max(float(ends[1]), value)
        method = f"ratio of medians, Welch's interval on logarithms, t({freedom:.3g})"
    return Estimate(
        value=value,
        low=low,
        high=high,
        unit="x",
        confidence_level=level,
        n=sum(map(len, sides)),
        method=method,
        standard_error=math.nan,
    )


def _reach(freedom: float, confidence_level: float) -> float:
    return float(special.stdtrit(freedom, (1 + confidence_level) / 2))


def _welch(first: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """Return the standard error of a difference of means, and its degrees of freedom."""
    parts = [float(np.var(side, ddof=1)) / len(side) for side in (first, other)]
    total = math.fsum(parts)
    if total == 0:
        return 0.0, float(len(first) + len(other) - 2)
    shares = ((part / total) ** 2 / (len(side) - 1) for part, side in zip(parts, (first, other), strict=True))
    return math.sqrt(total), 1 / math.fsum(shares)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FarValues:
    """Which samples hold values far from all others."""

    #: Shape (r,). How many values of each sample lie beyond the fences; 0 where not tested.
    count: NDArray[np.intp]
    #: Shape (r,). The value farthest from the median, over the median, as a ratio; NaN where none is beyond.
    farthest: _Floats
    tested: int


def far_values(values: ArrayLike) -> FarValues:
    """Say which of many equally large samples hold values far outside.

    Tukey's fences on logarithms, below the lower and above the upper quartile by a number of interquartile ranges
    that depends on n (`FENCES`). With the usual 3 ranges, 7 % of normal samples of 6 have a value "far out"; with
    these at most 0.1 % of samples of 5 to 100 have, by simulation. A value within 10 % of the median is never far.

    Source: J. W. Tukey, Exploratory Data Analysis, 1977, section 2D; D. C. Hoaglin, B. Iglewicz, J. W. Tukey, Journal
    of the American Statistical Association 81 (1986) 991-999 (how often rules of this kind mark a normal sample).
    """
    sample = _checked_table(values)
    rows, n = sample.shape
    count, farthest = np.zeros(rows, dtype=np.intp), np.full(rows, np.nan)
    if n < _LEAST_FOR_FENCES or not rows:
        return FarValues(count=count, farthest=farthest, tested=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(sample)
    quartiles = np.full((3, rows), np.nan)
    positive = np.flatnonzero((sample > 0).all(axis=1))
    if positive.size:
        quartiles[:, positive] = np.quantile(logs[positive], (0.25, 0.5, 0.75), axis=1)
    low, middle, high = quartiles
    tested = high > low
    reach = next(ranges for least, ranges in reversed(FENCES) if n >= least) * (high - low)
    with np.errstate(invalid="ignore"):
        outside = (logs < (low - reach)[:, None]) | (logs > (high + reach)[:, None])
        beyond = tested[:, None] & outside & (np.abs(logs - middle[:, None]) >= math.log1p(_AWAY))
    count[:] = beyond.sum(axis=1)
    some = np.flatnonzero(count)
    apart = logs[some] - middle[some][:, None]
    farthest[some] = np.exp(apart[np.arange(some.size), np.abs(apart).argmax(axis=1)])
    return FarValues(count=count, farthest=farthest, tested=int(tested.sum()))


def _checked_table(values: ArrayLike) -> _Floats:
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 2:
        raise DataError(f"samples have {sample.ndim} dimensions; give a table, one sample a row")
    if not np.isfinite(sample).all():
        wrong = int((~np.isfinite(sample)).sum())
        raise DataError(f"{wrong} of {sample.size} values are not finite; leave such rows out")
    return sample


def percentile_share(name: str) -> float:
    """Return the share of requests at or below a percentile named ``p95`` or ``p99.9``; ``p999`` is the same."""
    whole, _, decimals = name.removeprefix("p").partition(".")
    return 1.0 if whole == "100" else float(f"0.{whole:0>2}{decimals}")


def tail_mean_bound(mean: float, percentiles: Mapping[float, float]) -> float:
    """Return the least that the mean of the requests beyond the highest of some percentiles can be.

    ``percentiles`` are latencies by share. Up to each share no request takes longer than its percentile, so the
    requests between one share and the next add at most that; the rest must carry what is missing to the mean. The
    bound is met where all requests between two shares take the larger percentile, so no higher one holds.

    Source: The argument of Markov's inequality, piece by piece: a mean is the integral of the quantile function, and
    that is at most q(s) up to s. P. Embrechts and M. Hofert, A note on generalized inverses, Math. Methods Oper. Res.
    77 (2013) 423-432, for the latter.

    Examples
    --------
    >>> round(tail_mean_bound(164.0, {0.95: 144.0})), round(tail_mean_bound(164.0, {0.5: 130.0, 0.95: 144.0}))
    (544, 684)
    """
    shares = sorted(percentiles)
    below = sum(
        (share - before) * percentiles[share] for before, share in zip([0.0, *shares[:-1]], shares, strict=True)
    )
    return (mean - below) / (1 - shares[-1])


def in_flight(throughput: float, mean_latency: float) -> float:
    """Return the mean number of requests in flight, by Little's law.

    Source: Little (1961), Oper. Res. 9, 383-387: L = lambda W.
    """
    return throughput * mean_latency
