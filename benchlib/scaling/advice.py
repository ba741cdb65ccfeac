"""Which measurement to make next: the concurrency that narrows the interval of a quantity most.

The fit is taken at its word: further measurements are put on its curve, with the noise it shows, and
the interval is computed anew. This is the local c-optimal choice among single concurrencies, with the
information of what is already measured; where the interval is a profile it is the profile that is
computed, because the delta method says little of a peak beyond the data.

A promise is as good as the fit it takes at its word. In simulation (5 levels to N = 16, 3 each, 5 % noise,
6 more as advised) the median width reached is within a tenth of that promised for parameters, for the
ceiling, and for a peak within the data. For a peak at 22, beyond the data, that holds over all runs
only: where the present interval happens to be finite the peak was estimated too low, and the width
reached is 1.4 times that promised; where it has no upper end, half of it.

References
----------
A. C. Atkinson, A. N. Donev and R. D. Tobias, "Optimum Experimental Designs, with SAS", Oxford University
Press 2007, sections 10.4 (c-optimality), 17.2 (local designs for nonlinear models) and 19 (augmentation).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from benchlib.errors import DataError, choices, printable, suggestion
from benchlib.scaling.commands import measuring_command
from benchlib.scaling.curve import ScalingCurve
from benchlib.scaling.fits.fitting import ScalingFit
from benchlib.scaling.fits.intervals import derived_estimates, parameter_estimates
from benchlib.scaling.fits.objective import Objective, objective_of
from benchlib.scaling.fits.quantities import QUANTITIES
from benchlib.scaling.fits.solution import Solution, solve_twice
from benchlib.scaling.laws import FloatArray, law_named
from benchlib.statistics.estimates import Estimate

__all__ = ["MOST_REPETITIONS", "Advice", "affordable", "command", "next_measurements"]

#: Nothing is advised beyond this multiple of the largest level: the law may end before.
REACH = 2.0
#: Nobody repeats a measurement more often; a budget that holds more is a slip of the pen.
MOST_REPETITIONS = 10_000
#: Concurrencies are tried one by one up to here, beyond it in equal ratios.
_ONE_BY_ONE = 16
_RATIOS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """A measurement to make, and what it promises.

    Attributes
    ----------
    concurrency : int
    repetitions : int
        As many as the budget holds.
    quantity : str
        What it is to narrow.
    now : Estimate
        The quantity as it is known.
    expected : Estimate
        The same with the interval to expect, if the fit is right.
    present_width, expected_width : float
        Of the interval as it is, and of that to expect; infinite where it will have no upper end.
    shrink : float
        Expected width by present width; of reciprocals where the present interval has no upper end;
        NaN where it has no lower end that could be compared.
    seconds : float
        What it costs.
    """

    concurrency: int
    repetitions: int
    quantity: str
    now: Estimate
    expected: Estimate
    present_width: float
    expected_width: float
    shrink: float
    seconds: float


def next_measurements(
    curve: ScalingCurve,
    fit: ScalingFit,
    quantity: str,
    *,
    seconds_each: float,
    budget: float,
    confidence_level: float | None = None,
    limit: float | None = None,
) -> tuple[Advice, ...]:
    """Return where to measure next for a quantity, best first.

    All repetitions that the budget holds are put at one concurrency; every concurrency from 1 to
    twice the largest level is tried. The best shrinks the present interval most; where that has no end
    to compare with, the best leaves the narrowest, or, where none will have an upper end, that with the
    highest lower one.

    Parameters
    ----------
    curve : ScalingCurve
    fit : ScalingFit
        Of that curve.
    quantity : str
        A parameter of the law, or ``peak``, ``knee``, ``ceiling``, ``saturation_point`` where the law
        has it.
    seconds_each, budget : float
        What one measurement costs, and what all may cost together.
    confidence_level : float, optional
        That of the fit where it is not given.
    limit : float, optional
        The largest concurrency that can be run, such as the number of cores.

    Raises
    ------
    DataError
        For a quantity the law does not have, or a budget that holds no measurement or more than 10,000.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> from benchlib.scaling.fits.fitting import fit_law
    >>> curve = build_curve([1, 2, 4, 8, 16, 32], [99, 188, 342, 567, 760, 741], unit="op/sec")
    >>> best = next_measurements(curve, fit_law(curve, "usl"), "contention", seconds_each=10, budget=60)[0]
    >>> best.concurrency, best.repetitions, best.shrink < 0.6
    (64, 6, True)
    """
    law = law_named(fit.law)
    known = [*law.parameters, *QUANTITIES.get(law.name, {})]
    if quantity not in known:
        raise DataError(
            f"{law.title} has no quantity '{printable(quantity)}'{suggestion(quantity, known)}; it has {choices(known)}"
        )
    repetitions = affordable(budget, seconds_each)
    solution = _solve_again(curve, fit, fit.confidence_level if confidence_level is None else confidence_level)
    now = _estimate(solution, quantity, curve.unit)
    found = []
    for concurrency in _candidates(curve, fit, limit):
        expected = _estimate(_with_more(solution, concurrency, repetitions), quantity, curve.unit)
        expected = replace(expected, n=now.n + repetitions)
        found.append(
            Advice(
                concurrency=concurrency,
                repetitions=repetitions,
                quantity=quantity,
                now=now,
                expected=expected,
                present_width=now.high - now.low,
                expected_width=expected.high - expected.low,
                shrink=_shrink(now, expected),
                seconds=repetitions * seconds_each,
            )
        )
    return tuple(sorted(found, key=_rank))


def affordable(budget: float, seconds_each: float) -> int:
    """Return how many measurements a budget holds.

    Raises
    ------
    DataError
        For times that are not positive, and for a budget that holds none or more than `MOST_REPETITIONS`.

    Examples
    --------
    >>> affordable(60, 3), affordable(0.3, 0.1)
    (20, 3)
    """
    if not 0 < seconds_each < math.inf or not 0 <= budget < math.inf:
        raise DataError(f"a budget of {budget:g} s at {seconds_each:g} s a measurement is none; give positive seconds")
    if budget / MOST_REPETITIONS > seconds_each * (1 + 1e-12):
        raise DataError(
            f"a budget of {budget:g} s holds more than {MOST_REPETITIONS:,} measurements of {seconds_each:g} s; "
            f"lower it to {MOST_REPETITIONS * seconds_each:g} s at most, or say how long a measurement takes"
        )
    repetitions = int(budget / seconds_each * (1 + 1e-12))
    if repetitions < 1:
        raise DataError(
            f"a budget of {budget:g} s holds no measurement of {seconds_each:g} s; raise it, or shorten them"
        )
    return repetitions


def command(advice: Advice, axis: str, template: str, levels: Mapping[str, object] = MappingProxyType({})) -> str:
    """Write the command that makes an advised measurement, from the one that made those before.

    See `benchlib.scaling.commands.measuring_command` for what a template and levels may be.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> from benchlib.scaling.fits.fitting import fit_law
    >>> curve = build_curve([1, 2, 4, 8, 16, 32], [99, 188, 342, 567, 760, 741], unit="op/sec")
    >>> best = next_measurements(curve, fit_law(curve, "usl"), "peak", seconds_each=10, budget=60)[0]
    >>> command(best, "gomaxprocs", "go test -bench BenchmarkX -cpu 1,2,4")
    'go test -bench BenchmarkX -cpu 64 -count=6'
    """
    return measuring_command(advice.concurrency, advice.repetitions, axis, template, levels)


def _solve_again(curve: ScalingCurve, fit: ScalingFit, confidence_level: float) -> Solution:
    objective = objective_of(curve, fit.weights)
    return solve_twice(objective, law_named(fit.law), confidence_level)


def _candidates(curve: ScalingCurve, fit: ScalingFit, limit: float | None) -> Sequence[int]:
    """Whole concurrencies to try: all small ones, then in equal ratios, and every level measured."""
    most = REACH * float(curve.concurrency[-1])
    if limit is not None:
        most = min(most, limit)
    ratios = np.geomspace(_ONE_BY_ONE, max(most, _ONE_BY_ONE), _RATIOS)
    tried = {*range(1, _ONE_BY_ONE + 1), *(round(float(one)) for one in (*ratios, *curve.concurrency))}
    return sorted(one for one in tried if 1 <= one <= most)


def _with_more(solution: Solution, concurrency: int, repetitions: int) -> Solution:
    """Return a solution as it will be after more measurements that lie on its curve.

    They add nothing to the sum of squares of the feasible fit, which stays the best; the variance is
    the one to expect, and its degrees of freedom grow.
    """
    objective = solution.objective
    n = np.array([float(concurrency)])
    at_level = solution.law.throughput(n, *solution.feasible.parameters)
    scatter = _scatter_at(objective, concurrency)
    # One row for all repetitions: as many rows would say the same.
    more = Objective(
        concurrency=np.concatenate([objective.concurrency, n]),
        throughput=np.concatenate([objective.throughput, at_level]),
        scale=objective.scale,
        weights=objective.weights,
        scatter=np.append(objective.scatter, scatter / math.sqrt(repetitions)),
        overstated=objective.overstated,
    )
    repeated = more.evaluator(solution.law)(solution.feasible.parameters[np.newaxis])[1][0, -1]
    gradient = repeated / math.sqrt(repetitions)
    return replace(
        solution,
        objective=more,
        covariance=_updated(solution.covariance, gradient, repetitions, solution.variance),
        degrees_of_freedom=solution.degrees_of_freedom + repetitions,
    )


def _updated(covariance: FloatArray, gradient: FloatArray, repetitions: int, variance: float) -> FloatArray:
    """Add measurements of one gradient to a covariance (Sherman and Morrison 1950)."""
    towards = covariance @ gradient
    spread = variance / repetitions + float(gradient @ towards)
    return np.asarray(covariance - np.outer(towards, towards) / spread) if spread > 0 else covariance


def _scatter_at(objective: Objective, concurrency: int) -> float:
    """Return the scatter to expect at a level: that of its neighbours, which is 1 but for weights by replicates."""
    levels, first = np.unique(objective.concurrency, return_index=True)
    return float(np.interp(math.log(concurrency), np.log(levels), objective.scatter[first]))


def _estimate(solution: Solution, quantity: str, unit: str) -> Estimate:
    if quantity in solution.law.parameters:
        return parameter_estimates(solution, unit)[quantity]
    return derived_estimates(solution, unit, quantity)[quantity]


def _rank(one: Advice) -> tuple[float, ...]:
    """Order advice; without a ratio of widths by the width to expect, or by the lower end where all are infinite."""
    # Widths are known to six digits; of equal ones the smallest concurrency comes first.
    shrink, width, low = (float(f"{number:.6g}") for number in (one.shrink, one.expected_width, one.expected.low))
    if not math.isnan(shrink):
        return 0, shrink, 0, 0, one.concurrency
    unknown = math.isnan(width)
    return 1, 0, math.inf if unknown else width, 0 if unknown else -low, one.concurrency


def _shrink(now: Estimate, expected: Estimate) -> float:
    if math.isfinite(now.high):
        width = now.high - now.low
        return (expected.high - expected.low) / width if 0 < width < math.inf else math.nan
    # Without an upper end: 1/peak lies between 0 and 1/low.
    if now.low <= 0 or expected.low <= 0:
        return math.nan
    return (1 / expected.low - 1 / expected.high) * now.low
