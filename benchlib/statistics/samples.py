"""A sample in a few numbers: the median with its interval, and what lies around it.

The interval of the median is benchstat's: two order statistics of the sample, chosen so that a
Binomial(n, 1/2) count falls between their ranks with at least the confidence asked. It assumes
nothing about the shape of the distribution, and says plainly when n is too small for any.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.caveats import Caveat, caveat
from benchlib.lazy_scipy import special
from benchlib.statistics.checks import checked_level, checked_values
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.go_math import exponential, logarithm
from benchlib.statistics.moments import mean_and_variance

__all__ = [
    "MedianRanks",
    "Sample",
    "estimate_median",
    "median_bounds",
    "median_ranks",
    "medians",
    "spans_sample",
    "summarise",
    "values_needed",
]

#: Up to this n the binomial is summed; above it benchstat takes a normal approximation.
EXACT_LIMIT = 30
#: The square of a larger value may be none that a float holds.
_LARGEST_SQUARED = 1e150


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Repeated measurements of one benchmark in one configuration, summarised.

    Attributes
    ----------
    n : int
    median : Estimate
        With the order-statistic interval; both ends infinite where n is too small.
    mean : float
    stdev : float
        With n - 1 in the denominator; NaN for n = 1.
    minimum, maximum : float
    caveats : tuple of Caveat
    """

    n: int
    median: Estimate
    mean: float
    stdev: float
    minimum: float
    maximum: float
    caveats: tuple[Caveat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MedianRanks:
    """Which order statistics bound the median.

    Attributes
    ----------
    low, high : int
        Counted from 1. ``0`` and ``n + 1`` lie outside the sample: that end is unbounded.
    coverage : float
        What the interval covers in truth, at least the level asked.
    ambiguous : bool
        Whether the interval one rank further up covers as much.
    """

    low: int
    high: int
    coverage: float
    ambiguous: bool


def summarise(values: ArrayLike, *, unit: str, confidence_level: float = 0.95) -> Sample:
    """Summarise a sample: median with interval, mean, spread and extremes.

    Parameters
    ----------
    values : array_like, shape (n,)
        In ``unit``.
    unit : str
        A base unit.
    confidence_level : float

    Returns
    -------
    Sample
        With a ``few-samples`` caveat where n gives no interval.

    Raises
    ------
    DataError
        For no values, a value that is not finite, or a level outside 0 to 1.

    Examples
    --------
    >>> sample = summarise([3.0, 1.0, 2.0, 5.0, 4.0, 6.0], unit="sec/op")
    >>> sample.median.value, sample.median.low, sample.median.high
    (3.5, 1.0, 6.0)
    >>> summarise([3.0, 1.0, 2.0], unit="sec/op").caveats[0].message
    'n = 3: no interval at 95 % (needs 6)'
    """
    ordered = np.sort(checked_values(values))
    level = checked_level(confidence_level)
    n = ordered.size
    median = estimate_median(ordered, unit=unit, confidence_level=level)
    few = () if median.has_interval else (_too_few(n, level),)
    # Sums and squares of values as large as a float can be would overflow.
    largest = float(np.abs(ordered).max())
    scale = largest if largest > _LARGEST_SQUARED else 1.0
    mean, variance = mean_and_variance(ordered / scale) if n > 1 else (float(ordered[0]) / scale, math.nan)
    return Sample(
        n=n,
        median=median,
        mean=scale * mean,
        stdev=scale * math.sqrt(variance),
        minimum=float(ordered[0]),
        maximum=float(ordered[-1]),
        caveats=few,
    )


def estimate_median(ordered: NDArray[np.float64], *, unit: str, confidence_level: float) -> Estimate:
    """Return the median of values in ascending order, with its order-statistic interval.

    Where one end lies outside the sample both are infinite: which end is lost first is an
    accident of rounding, and half an interval would be read as a bound.

    Examples
    --------
    >>> estimate_median(np.array([1.0, 2.0]), unit="sec", confidence_level=0.95).high
    inf
    """
    n = ordered.size
    low, high = median_bounds(ordered, confidence_level)
    ranks = median_ranks(n, confidence_level)
    return Estimate(
        value=float(medians(ordered)),
        low=float(low),
        high=float(high),
        unit=unit,
        confidence_level=confidence_level,
        n=n,
        method=_by_ranks(ranks.low, ranks.high, n) if math.isfinite(low) else "median",
        standard_error=math.nan,
    )


def _by_ranks(low: int, high: int, n: int) -> str:
    return f"median, order statistics {low} and {high} of {n}"


def spans_sample(estimate: Estimate) -> bool:
    """Whether the interval of a median goes from the smallest value of its sample to the largest.

    Examples
    --------
    >>> [spans_sample(summarise([3.0] * n, unit="op").median) for n in (6, 30)]
    [True, False]
    """
    return estimate.method == _by_ranks(1, estimate.n, estimate.n)


def medians(ordered: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the medians of values in ascending order along the last axis.

    Parameters
    ----------
    ordered : ndarray, shape (..., n)

    Returns
    -------
    ndarray, shape (...)

    Examples
    --------
    >>> medians(np.array([[1.0, 2.0], [5.0, 9.0]])).tolist()
    [1.5, 7.0]
    """
    n = ordered.shape[-1]
    middle: NDArray[np.float64] = (ordered[..., (n - 1) // 2] + ordered[..., n // 2]) / 2
    return middle


def median_bounds(
    ordered: NDArray[np.float64], confidence_level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the order statistics that bound the medians of values in ascending order along the last axis.

    Parameters
    ----------
    ordered : ndarray, shape (..., n)

    Returns
    -------
    low, high : ndarray, shape (...)
        Both infinite where n is too small for the level, as `estimate_median` says.

    Examples
    --------
    >>> low, high = median_bounds(np.array([[1.0, 2, 3, 4, 5, 6]]), 0.95)
    >>> low.tolist(), high.tolist()
    ([1.0], [6.0])
    """
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

    References
    ----------
    golang.org/x/perf/benchmath with github.com/aclements/go-moremath, ``stats.QuantileCI``.
    H. A. David, H. N. Nagaraja, Order Statistics, 3rd ed., 2003, section 7.1.

    Examples
    --------
    >>> ranks = median_ranks(10, 0.95)
    >>> ranks.low, ranks.high, ranks.coverage
    (2, 9, 0.978515625)
    """
    ranks = (_ranks_by_sum if n <= EXACT_LIMIT else _ranks_by_normal)(n, confidence_level)
    return MedianRanks(
        low=max(ranks.low, 0),
        high=min(ranks.high, n + 1),
        coverage=ranks.coverage,
        ambiguous=ranks.ambiguous,
    )


def values_needed(confidence_level: float) -> int:
    """Return the smallest n whose median has an interval at this level.

    Examples
    --------
    >>> values_needed(0.95), values_needed(0.99)
    (6, 8)
    """
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


# Stirling's series for the logarithm of the gamma function as fdlibm writes it (Sun Microsystems
# 1993, e_lgamma_r.c), which Go's math.Lgamma follows.
_STIRLING = (
    4.18938533204672725052e-01, 8.33333333333329678849e-02, -2.77777777728775536470e-03,
    7.93650558643019558500e-04, -5.95187557450339963135e-04, 8.36339918996282139126e-04,
    -1.63092934096575273989e-03,
)  # fmt: skip


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


def _too_few(n: int, confidence_level: float) -> Caveat:
    needed = values_needed(confidence_level)
    return caveat("few-samples", f"n = {n}: no interval at {100 * confidence_level:g} % (needs {needed})")
