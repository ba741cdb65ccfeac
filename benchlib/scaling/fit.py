"""Fitting a scaling law to a curve, with intervals that say what the data cannot, and criteria to compare laws by."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import DataError, choices
from benchlib.lazy_scipy import special
from benchlib.scaling.curve import ScalingCurve, levels_text
from benchlib.scaling.intervals import _estimates, parameter_estimates
from benchlib.scaling.laws import LAWS, FloatArray, Law, law_named, offered_laws
from benchlib.scaling.points import check_curve
from benchlib.scaling.solver import (
    ENOUGH_REPLICATES,
    Minimum,
    Noise,
    Objective,
    Solution,
    Weights,
    _checked_weights,
    _weights_for,
    minimise,
    noise_of,
    objective_of,
    solve_twice,
)
from benchlib.statistics.estimates import Estimate


def _check_question(curve: ScalingCurve, law: Law, confidence_level: float, *, weak: bool) -> None:
    """Refuse a law that a curve cannot carry."""
    if not 0 < confidence_level < 1:
        raise DataError(f"confidence level {confidence_level:g} is not between 0 and 1; write 0.95 for 95 %")
    if law.is_weak and not weak:
        raise DataError(
            "Gustafson's law needs weak scaling, where work grows with concurrency; "
            "declare it (weak = true), or fit law='amdahl'"
        )
    levels = curve.concurrency
    if len(levels) < law.minimum_levels:
        other = offered_laws(len(levels))[-1]
        raise DataError(
            f"{law.title} needs {law.minimum_levels} distinct concurrencies, got {len(levels)} "
            f"({levels_text(levels)}); measure another, or fit law={other!r} "
            f"(needs {LAWS[other].minimum_levels})"
        )


# Fitting a scaling law to a curve, with intervals that say what the data cannot.

#: Below this the misfit of a law is more than its replicates explain.
_POOR_FIT = 0.01
#: Nothing that was measured lies closer to a law than this share.
_EXACT = 1e-4
#: A smaller misfit changes no decision: intervals hold it, as they hold what levels share.
_MATERIAL = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingFit:
    """A law fitted to a curve: its best fit, with intervals, limits and criteria."""

    law: str  # a key of `benchlib.scaling.laws.LAWS`
    weights: Weights  # how residuals were weighed; see `benchlib.scaling.solver`
    #: Of one more measurement: relative for weights ``relative`` (0.05 is 5 %), in ``unit`` for ``none``, and in
    #: standard deviations of its level for ``replicates``.
    residual_standard_error: float
    residual_freedom: float  # its degrees of freedom
    #: The part of it that the measurements of one level share, so that more of them do not average it away.
    between_levels: float
    #: For weights ``replicates`` each level and the standard deviation of its measurements, in ``unit``; else empty.
    level_deviations: tuple[tuple[float, float], ...]
    #: Of the residuals of the feasible fit, in the unit of ``residual_standard_error`` squared; never less than what
    #: rounding leaves.
    sum_of_squares: float
    variance: float  # of one measurement, as much of it as counts in the mean of a level: what errors rest on
    degrees_of_freedom: int  # of it: n - p, or levels - p where the measurements of a level share noise
    covariance: tuple[tuple[float, ...], ...]  # of the unbounded fit, in the order of the law's parameters
    #: coefficients, unbounded: parameters of the feasible fit and of the fit without bounds.
    coefficients: tuple[float, ...]
    unbounded: tuple[float, ...]
    unit: str  # of throughput
    measured_range: tuple[float, float]  # smallest and largest concurrency measured
    n: int
    confidence_level: float
    #: Feasible values. Intervals are Wald's, with t(n - p) and standard errors of the fit without bounds, cut to the
    #: feasible region; a parameter on its bound has a one-sided profile limit instead.
    parameters: Mapping[str, Estimate]
    #: Concurrency of the largest throughput; None for laws without one, infinite where the coherency is on its bound.
    peak: Estimate | None
    knee: Estimate | None  # 1/contention; None without contention, and beyond the peak
    ceiling: Estimate | None  # largest throughput of the law, at the peak or in the limit
    saturation_point: Estimate | None  # smallest concurrency that reaches 95 % of the ceiling
    lack_of_fit: float  # P value of the pure-error F test; NaN without replicates, or without a level to spare
    criteria: Criteria
    caveats: tuple[Caveat, ...]

    @property
    def misses_points(self) -> bool:
        """Whether the law misses its points by more than their replicates explain, and by enough to matter."""
        return any(warning.code == "poor-fit" for warning in self.caveats)

    def deviation_at(self, n: FloatArray) -> FloatArray:
        """Return what a residual of 1 is, in ``unit`` (relative for weights ``relative``): shape of ``n``.

        For weights ``replicates`` straight between levels on logarithms of both, beyond them as at the nearest.
        """
        if not self.level_deviations:
            return np.ones_like(n)
        levels, deviations = np.log(np.array(self.level_deviations)).T
        return np.asarray(np.exp(np.interp(np.log(n), levels, deviations)))

    @property
    def on_bound(self) -> tuple[str, ...]:
        """Parameters that lie on an end of their feasible region."""
        law = LAWS[self.law]
        ends = zip(law.parameters, self.coefficients, law.lower, law.upper, strict=True)
        return tuple(name for name, value, low, high in ends if value in (low, high))


def fit_law(
    curve: ScalingCurve,
    law: str,
    *,
    weights: str = "relative",
    confidence_level: float = 0.95,
    weak: bool = False,
    derived: bool = True,
) -> ScalingFit:
    """Fit a scaling law by nonlinear least squares on the levels, each as sure as its measurements make it.

    Refitting a reduced law when a coefficient reaches its bound, and taking intervals from that, loses coverage (80 to
    94 % instead of 95 in simulation): points come from the feasible fit, intervals from the unbounded one.
    """
    wanted, asked = law_named(law), _checked_weights(weights)
    _check_question(curve, wanted, confidence_level, weak=weak)
    solution = solve_twice(objective_of(curve, _weights_for(curve, asked)), wanted, confidence_level)
    objective, scale = solution.objective, solution.objective.residual_scale
    parameters, implied = (_estimates if derived else _without_derived)(solution, curve.unit)
    peak, knee = implied.get("peak"), implied.get("knee")
    if knee is not None and not (math.isfinite(knee.value) and knee.value <= (peak.value if peak else math.inf)):
        knee = None
    around = max(solution.feasible.sum_of_squares, objective.negligible)
    noise = noise_of(objective, around, len(wanted.parameters))
    in_unit = np.array([objective.scale, *[1.0] * (len(wanted.parameters) - 1)])
    covariance = solution.covariance * np.outer(in_unit, in_unit)
    return ScalingFit(
        law=wanted.name,
        weights=objective.weights,
        residual_standard_error=math.sqrt(noise.single) * scale,
        residual_freedom=noise.single_freedom,
        between_levels=math.sqrt(noise.between) * scale,
        level_deviations=_level_deviations(objective, curve),
        sum_of_squares=(around + objective.within) * scale**2,
        variance=noise.variance * scale**2,
        degrees_of_freedom=noise.degrees_of_freedom,
        covariance=tuple(tuple(float(value) for value in row) for row in covariance),
        coefficients=tuple(float(value) for value in solution.feasible.parameters * in_unit),
        unbounded=tuple(float(value) for value in solution.unbounded.parameters * in_unit),
        unit=curve.unit,
        measured_range=(float(curve.concurrency[0]), float(curve.concurrency[-1])),
        n=objective.n,
        confidence_level=solution.confidence_level,
        parameters=MappingProxyType(parameters),
        peak=peak,
        knee=knee,
        ceiling=implied.get("ceiling"),
        saturation_point=implied.get("saturation_point"),
        lack_of_fit=noise.lack_of_fit,
        criteria=criteria_of(objective, solution.law, solution.feasible),
        caveats=merge(
            check_curve(curve),
            _weight_caveats(curve, weights, objective.weights),
            _bound_caveats(solution, parameters),
            _peak_caveats(peak, curve),
            _misfit_caveats(solution.law, noise),
            _exact_caveats(solution.law, noise),
        ),
    )


def _level_deviations(objective: Objective, curve: ScalingCurve) -> tuple[tuple[float, float], ...]:
    if objective.weights != "replicates":
        return ()
    deviations = objective.scatter * np.sqrt(curve.counts) * objective.scale
    return tuple(zip(curve.concurrency.tolist(), deviations.tolist(), strict=True))


def _without_derived(solution: Solution, unit: str) -> tuple[dict[str, Estimate], dict[str, Estimate]]:
    return parameter_estimates(solution, unit), {}


def _same_data(fits: Sequence[ScalingFit]) -> None:
    """Refuse fits that no criterion can compare."""
    if not fits:
        raise DataError("no fitted laws to choose from; measure at least 2 levels of concurrency")
    if len({(fit.weights, fit.n, fit.measured_range) for fit in fits}) > 1:
        raise DataError("the laws were fitted to different data or with different weights; fit them alike")
    if len({fit.law for fit in fits}) < len(fits):
        raise DataError(f"a law was fitted twice ({choices([fit.law for fit in fits])}); give each once")


def _weight_caveats(curve: ScalingCurve, asked: str, used: str) -> list[Caveat]:
    if asked == used:
        return []
    message = (
        f"weights from replicates need {ENOUGH_REPLICATES} a level, and the fewest here are {min(curve.counts)}: "
        "one relative variance is pooled over the levels instead"
    )
    return [caveat("few-replicates", message)]


def _bound_caveats(solution: Solution, parameters: Mapping[str, Estimate]) -> list[Caveat]:
    law, caveats = solution.law, []
    for index, (name, estimate) in enumerate(parameters.items()):
        word = name.replace("_", " ")
        level = f"one-sided {50 * (1 + estimate.confidence_level):g} % limit"
        if index and estimate.value == law.lower[index]:
            message = (
                f"{law.title}: {word} lies on its bound {law.lower[index]:g}; at most {estimate.high:.3g} ({level})"
            )
            caveats.append(caveat("on-bound", message))
        elif index and estimate.value == law.upper[index]:
            message = (
                f"{law.title}: {word} lies on its bound {law.upper[index]:g}; at least {estimate.low:.3g} ({level})"
            )
            caveats.append(caveat("on-bound", message))
    return caveats


def _peak_caveats(peak: Estimate | None, curve: ScalingCurve) -> list[Caveat]:
    if peak is None:
        return []
    largest = float(curve.concurrency[-1])
    at_least = f"; it lies at {peak.low:.3g} or above" if peak.low > 0 else ""
    if math.isinf(peak.value):
        return [caveat("peak-not-observable", f"peak not observable up to N = {largest:g}{at_least}")]
    if peak.value > largest:
        message = f"the peak at N = {peak.value:.3g} lies beyond the largest level {largest:g}{at_least}"
        return [caveat("peak-not-observable", message)]
    return []


def _misfit_caveats(law: Law, noise: Noise) -> list[Caveat]:
    # Relative with every weights: throughput is in units of its geometric mean.
    misses = math.sqrt(noise.between)
    if not (noise.lack_of_fit < _POOR_FIT and misses > _MATERIAL):
        return []
    scatter = f"more than their replicates scatter (p = {noise.lack_of_fit:.2g})"
    message = f"{law.title} misses the levels by {100 * misses:.2g} %, {scatter}: its intervals hold that"
    return [caveat("poor-fit", message)]


def _exact_caveats(law: Law, noise: Noise) -> list[Caveat]:
    # Relative with every weights: throughput is in units of its geometric mean.
    scatter = math.sqrt(noise.single)
    if scatter >= _EXACT:
        return []
    message = f"the levels lie on {law.title} to {100 * scatter:.1g} %: computed numbers, no measurements"
    return [caveat("exact-data", f"{message}; intervals tell how they were rounded, not noise")]


# Numbers to compare laws by: information criteria, leave-one-out error, lack of fit.

#: Close enough to a minimum to say by how much it misses a level.
_FOR_PREDICTIONS = 1e-5
#: Searches for one minimum end this close together, as a share of the sum of squares.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """How well a law describes a curve, and what that cost; smaller is better in each."""

    #: Akaike's criterion corrected for small n; k counts the variance. NaN where n <= k + 1.
    aicc: float
    aic: float  # n ln(RSS/n) + 2 p
    #: Root mean square error at the levels left out one at a time: relative, or in the unit of throughput with weights
    #: ``none``. NaN where a fit without a level cannot be done.
    loo_rmse: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NestedTest:
    """Whether a richer law describes a curve better than the simpler law it contains."""

    #: simpler, richer: keys of `benchlib.scaling.laws.LAWS`.
    simpler: str
    richer: str
    #: F: what the richer law explains by parameter it adds, over what it leaves by degree of freedom.
    statistic: float
    degrees_of_freedom: tuple[int, int]  # parameters added, and those of the variance that the richer law leaves
    pvalue: float


def criteria_of(objective: Objective, law: Law, fitted: Minimum) -> Criteria:
    """Return the criteria of a fitted law.

    C. M. Hurvich and C.-L. Tsai, "Regression and time series model selection in small samples",
    Biometrika 76(2), 1989, 297-307.
    """
    # Copies of measurements are no more of them.
    copies = objective.within <= objective.negligible
    n, p = len(objective.concurrency) if copies else objective.n, len(law.parameters)
    loss = _deviance(objective, fitted.sum_of_squares)
    k = p + 1
    return Criteria(
        aicc=loss + 2 * k + 2 * k * (k + 1) / (n - k - 1) if n > k + 1 else math.nan,
        aic=loss + 2 * p,
        loo_rmse=_leave_one_out(objective, law, fitted) * objective.residual_scale,
    )


def _deviance(objective: Objective, around: float) -> float:
    """Return minus twice the largest log-likelihood, but for what no law changes.

    Levels vary by at least what their measurements do: where they vary more, each of the two has a variance of its own.

    S. R. Searle, G. Casella and C. E. McCulloch, "Variance Components", Wiley 1992, section 3.7: the likelihood of
    balanced groups.
    """
    levels, inside, unit = len(objective.concurrency), objective.within_freedom, 2 * math.log(objective.residual_scale)
    # No lower than rounding: data on the curve of two laws do not choose the richer one.
    around, within = max(around, objective.negligible), objective.within
    if within <= objective.negligible:
        return levels * (math.log(around / levels) + unit)
    if around / levels > within / inside:
        own = levels * math.log(around / levels) + inside * math.log(within / inside)
        return own + objective.n * unit
    return objective.n * (math.log((around + within) / objective.n) + unit)


#: Decimals of logarithms to which two sums of squares are alike.
_ALIKE = 6


def _leave_one_out(objective: Objective, law: Law, fitted: Minimum) -> float:
    levels = objective.concurrency
    if len(levels) - 1 < len(law.parameters):
        return math.nan
    formula = objective.evaluator(law)
    included = objective.concurrency != levels[:, np.newaxis]
    starts = [np.vstack([fitted.parameters, *_other_starts(law, objective, rows)]) for rows in included]
    left_out = np.repeat(np.arange(len(levels)), [len(start) for start in starts])
    included_each = included[left_out]

    def without_each(parameters: FloatArray) -> tuple[FloatArray, FloatArray]:
        residuals, jacobian = formula(parameters)
        return residuals * included_each, jacobian * included_each[..., np.newaxis]

    lower, upper = np.array(law.lower), np.array(law.upper)
    minima = minimise(
        without_each, np.vstack(starts), lower, upper, negligible=objective.negligible, orthogonal=_FOR_PREDICTIONS
    )
    # Of each level the lowest that converged. A dip of a law with many starts may be a kink, where no search does.
    settled = np.isfinite(minima.sums_of_squares) & (minima.converged | bool(law.kinked))
    # Dips that only rounding parts are one: the law with the smaller corner, on every machine.
    with np.errstate(divide="ignore"):
        depth = np.round(np.log(minima.sums_of_squares), _ALIKE)
    order = np.lexsort((minima.parameters[:, -1], depth, ~settled, left_out))
    best = order[np.searchsorted(left_out, np.arange(len(levels)))]
    if not settled[best].all():
        return math.nan
    misses = formula(minima.parameters[best])[0][~included]
    return math.sqrt((float(misses @ misses) + objective.within) / objective.n)


def _other_starts(law: Law, objective: Objective, rows: NDArray[np.bool_]) -> FloatArray:
    """Return the starts of a law with corners: without a level another dip between them may be the lowest."""
    if not law.kinked:
        return np.empty((0, len(law.parameters)))
    batch = law.starts(objective.concurrency[rows], objective.throughput[rows])[0]
    return batch[np.isfinite(batch).all(axis=1)]


def _explained(simpler: float, richer: float) -> float:
    """Return by how much a richer law lowers a sum of squares: by nothing where only rounding tells the two apart."""
    lower = simpler - richer
    return lower if lower > _ROUNDING * simpler else 0.0


def nested_test(
    simpler: str,
    richer: str,
    *,
    sums_of_squares: tuple[float, float],
    variance: float,
    degrees_of_freedom: tuple[int, int],
) -> NestedTest:
    """Test whether a richer law explains more than the simpler one it contains: F of the extra sum of squares.

    It is held against the variance that the richer law leaves. Losses cannot be negative, so where the simpler law is
    true half the richer fits end on the bound: the P value is then up to twice what it should be, and the test on the
    safe side.

    D. M. Bates and D. G. Watts, "Nonlinear Regression Analysis and Its Applications", Wiley 1988, section
    3.10.1. S. G. Self and K.-Y. Liang, Journal of the American Statistical Association 82, 1987, 605-610:
    parameters on a bound.
    """
    added, left = degrees_of_freedom
    statistic = _explained(*sums_of_squares) / added / variance
    return NestedTest(
        simpler=simpler,
        richer=richer,
        statistic=statistic,
        degrees_of_freedom=(added, left),
        pvalue=float(special.fdtrc(added, left, statistic)),
    )
