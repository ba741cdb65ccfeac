"""Did the power by which a cost grows with a factor change between two runs?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchlib.lazy_scipy import optimize, special
from benchlib.statistics.estimates import Estimate

__all__ = ["EXPONENTS", "SAME_EXPONENT", "ExponentTest", "GrowthData", "compare_exponents"]

#: Exponents are looked for between these two.
EXPONENTS = (0.05, 4.0)
#: An exponent did not change where the interval of its change lies within this much of 0.
SAME_EXPONENT = 0.1

GRID = np.linspace(*EXPONENTS, 80)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExponentTest:
    """The exponent of one factor in a fixed cost plus a power of the factor, in two runs.

    Attributes
    ----------
    factor : str
    baseline, candidate : Estimate
        Unit ``""``; an end is infinite where no exponent from 0.05 to 4 is ruled out on that side.
    difference : Estimate
        Candidate minus baseline.
    pvalue : float
        Of one exponent for both runs; NaN where the cells cannot tell.
    verdict : {"changed", "did not change", "cannot tell"}
        "Changed" where one exponent is rejected and the interval of the difference excludes 0; "did
        not change" where that interval lies within 0.1 of 0.
    """

    factor: str
    baseline: Estimate
    candidate: Estimate
    difference: Estimate
    pvalue: float
    verdict: Literal["changed", "did not change", "cannot tell"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthData:
    """The cells of one slice in both runs.

    Attributes
    ----------
    factor : ndarray, shape (cells,)
        Levels of the factor in question, 0 or more.
    others : ndarray, shape (cells, columns)
        What else costs: the intercept and the other numeric factors.
    costs : ndarray, shape (2, cells)
        Of baseline and candidate, positive.
    """

    factor: Floats
    others: Floats
    costs: Floats


def compare_exponents(
    factor: str, slices: Sequence[GrowthData], noise: float, noise_degrees: int, n: int, level: float
) -> ExponentTest:
    """Compare the exponents of a factor between two runs over all slices at once.

    Each slice has its own fixed cost and coefficients, each run its own exponent; errors are relative
    to the cost. The variance is that of replicates or what the fit leaves over, whichever is larger.

    Parameters
    ----------
    factor : str
        Its name.
    slices : sequence of GrowthData
    noise : float
        Relative variance of one cell's cost by its replicates; 0 where there are none.
    noise_degrees : int
        Its degrees of freedom.
    n : int
        Values behind the cells of one run.
    level : float
        Confidence level.

    References
    ----------
    Profile intervals and the F test: D. M. Bates, D. G. Watts, Nonlinear Regression Analysis and Its
    Applications, 1988, sections 3.3 and 6.1. Interval of the difference: G. Y. Zou, A. Donner,
    Statistics in Medicine 27 (2008) 1693-1702.

    Examples
    --------
    >>> outputs = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    >>> noise = np.array([1.001, 0.999, 1.0, 1.001, 0.999])
    >>> data = GrowthData(
    ...     factor=outputs,
    ...     others=np.ones((5, 1)),
    ...     costs=np.array([(5 + outputs) * noise, (5 + 1.1 * outputs) * noise[::-1]]),
    ... )
    >>> found = compare_exponents("outputs", [data], 0.0, 0, 5, 0.95)
    >>> f"{found.baseline.value:.2f} and {found.candidate.value:.2f}: it {found.verdict}"
    '1.00 and 1.00: it did not change'
    """
    left_over = [_profile(slices, run) for run in (0, 1)]
    best = [_lowest(one) for one in left_over]
    common = _lowest(lambda power: left_over[0](power) + left_over[1](power))
    cells = sum(one.factor.size for one in slices)
    degrees = cells - sum(np.linalg.matrix_rank(one.others) + 1 for one in slices) - 1
    spread = (best[0][1] + best[1][1]) / (2 * degrees) if degrees > 0 else 0.0
    variance, freedom = (spread, 2 * degrees) if spread >= noise else (noise, noise_degrees)
    if degrees < 1 or freedom < 1 or variance <= 0:
        variance, freedom = math.nan, 0
    baseline, candidate = (
        _interval(one, found, variance, freedom, n, level) for one, found in zip(left_over, best, strict=True)
    )
    difference = _difference(baseline, candidate, 2 * n, level)
    gain = max(common[1] - best[0][1] - best[1][1], 0.0)
    pvalue = float(special.fdtrc(1, freedom, gain / variance)) if freedom else math.nan
    return ExponentTest(
        factor=factor,
        baseline=baseline,
        candidate=candidate,
        difference=difference,
        pvalue=pvalue,
        verdict=_verdict(difference, pvalue, level),
    )


def _profile(slices: Sequence[GrowthData], run: int) -> Callable[[float], float]:
    """Return the sum of squared relative residuals as a function of the exponent."""
    scaled = []
    for one in slices:
        weights = 1 / one.costs[run]
        # What a column is left with beyond the others decides the fit: project them out once.
        basis, sizes, _ = np.linalg.svd(one.others * weights[:, None], full_matrices=False)
        basis = basis[:, sizes > 1e-10 * sizes.max()]
        constant = np.ones(weights.size)
        scaled.append((one.factor / one.factor.max(), weights, basis, constant - basis @ (basis.T @ constant)))

    def left_over(power: float) -> float:
        total = 0.0
        for levels, weights, basis, response in scaled:
            column = levels**power * weights
            column = column - basis @ (basis.T @ column)
            size = float(column @ column)
            total += float(response @ response) - (float(column @ response) ** 2 / size if size > 1e-300 else 0.0)
        return max(total, 0.0)

    return left_over


def _lowest(left_over: Callable[[float], float]) -> tuple[float, float]:
    """Return the exponent that leaves least over, and how much that is."""
    values = [left_over(float(power)) for power in GRID]
    place = int(np.argmin(values))
    ends = (float(GRID[max(place - 1, 0)]), float(GRID[min(place + 1, GRID.size - 1)]))
    found = optimize.minimize_scalar(left_over, bounds=ends, method="bounded", options={"xatol": 1e-7})
    return min([(float(found.x), float(found.fun)), (float(GRID[place]), values[place])], key=lambda one: one[1])


def _interval(
    left_over: Callable[[float], float], best: tuple[float, float], variance: float, freedom: int, n: int, level: float
) -> Estimate:
    power, least = best
    low, high = -math.inf, math.inf
    if freedom:
        limit = least + variance * float(special.stdtrit(freedom, (1 + level) / 2)) ** 2

        def beyond(at: float) -> float:
            return left_over(at) - limit

        below, above = GRID[power > GRID][::-1], GRID[power < GRID]
        low = _crossing(beyond, power, below.tolist(), -math.inf)
        high = _crossing(beyond, power, above.tolist(), math.inf)
    return Estimate(
        value=power,
        low=low,
        high=high,
        unit="",
        confidence_level=level,
        n=n,
        method="a fixed cost plus a power, errors relative to the cost, profile interval",
        standard_error=math.nan,
    )


def _crossing(beyond: Callable[[float], float], start: float, steps: Sequence[float], none: float) -> float:
    """Return where the profile first crosses its limit on the way along the steps."""
    inside = start
    for step in steps:
        if beyond(step) > 0:
            return float(optimize.brentq(beyond, inside, step)) if beyond(inside) < 0 else inside
        inside = step
    return none


def _difference(baseline: Estimate, candidate: Estimate, n: int, level: float) -> Estimate:
    value = candidate.value - baseline.value
    low = value - math.hypot(candidate.value - candidate.low, baseline.high - baseline.value)
    high = value + math.hypot(candidate.high - candidate.value, baseline.value - baseline.low)
    return Estimate(
        value=value,
        low=low,
        high=high,
        unit="",
        confidence_level=level,
        n=n,
        method="difference of exponents, interval from those of the two",
        standard_error=math.nan,
    )


def _verdict(difference: Estimate, pvalue: float, level: float) -> Literal["changed", "did not change", "cannot tell"]:
    if pvalue <= 1 - level and not difference.low <= 0 <= difference.high:
        return "changed"
    if difference.low >= -SAME_EXPONENT and difference.high <= SAME_EXPONENT:
        return "did not change"
    return "cannot tell"
