"""Fitting a scaling law to a curve, with intervals that say what the data cannot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import DataError, choices
from benchlib.scaling.curve import ScalingCurve, levels_text
from benchlib.scaling.fits.criteria import Criteria, criteria_of, lack_of_fit
from benchlib.scaling.fits.intervals import derived_estimates, parameter_estimates
from benchlib.scaling.fits.objective import ENOUGH_REPLICATES, Weights, checked_weights, objective_of, weights_for
from benchlib.scaling.fits.solution import Solution, solve_twice
from benchlib.scaling.laws import LAWS, Law, law_named, offered_laws
from benchlib.scaling.points import check_curve
from benchlib.statistics.estimates import Estimate

__all__ = ["ScalingFit", "check_question", "fit_law", "same_data"]

#: Below this the misfit of a law is more than its replicates explain.
_POOR_FIT = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingFit:
    """A law fitted to a curve.

    Attributes
    ----------
    law : str
        A key of `benchlib.scaling.laws.LAWS`.
    weights : {"relative", "replicates", "none"}
        How residuals were weighed; see `benchlib.scaling.fits.objective`.
    normalised : bool
        Whether the throughput of one worker was taken from the measurements.
    parameters : mapping of str to Estimate
        Feasible values. Intervals are Wald's, with t(n - p) and standard errors of the fit
        without bounds, cut to the feasible region; a parameter on its bound has a one-sided
        profile limit instead.
    peak : Estimate or None
        Concurrency of the largest throughput; None for laws without one, infinite where the
        coherency is on its bound.
    knee : Estimate or None
        1/contention; None without contention, and beyond the peak.
    ceiling : Estimate or None
        Largest throughput of the law, at the peak or in the limit.
    saturation_point : Estimate or None
        Smallest concurrency that reaches 95 % of the ceiling.
    residual_standard_error : float
        In ``unit`` for weights ``none``, else relative (0.05 is 5 %).
    sum_of_squares : float
        Of the residuals of the feasible fit, in the unit of ``residual_standard_error`` squared; never
        less than what rounding leaves.
    degrees_of_freedom : int
        n - p over all single measurements.
    lack_of_fit : float
        P value of the pure-error F test; NaN without replicates.
    criteria : Criteria
    covariance : tuple of tuple of float
        Of the unbounded fit, in the order of the law's parameters.
    coefficients, unbounded : tuple of float
        Parameters of the feasible fit and of the fit without bounds.
    unit : str
        Of throughput.
    measured_range : tuple of float
        Smallest and largest concurrency measured.
    n : int
    confidence_level : float
    caveats : tuple of Caveat
    """

    law: str
    weights: Weights
    normalised: bool
    parameters: Mapping[str, Estimate]
    peak: Estimate | None
    knee: Estimate | None
    ceiling: Estimate | None
    saturation_point: Estimate | None
    residual_standard_error: float
    sum_of_squares: float
    degrees_of_freedom: int
    lack_of_fit: float
    criteria: Criteria
    covariance: tuple[tuple[float, ...], ...]
    coefficients: tuple[float, ...]
    unbounded: tuple[float, ...]
    unit: str
    measured_range: tuple[float, float]
    n: int
    confidence_level: float
    caveats: tuple[Caveat, ...]

    @property
    def misses_points(self) -> bool:
        """Whether the law misses its points by more than their replicates explain."""
        return any(one.code == "poor-fit" for one in self.caveats)

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
    normalised: bool = False,
    derived: bool = True,
) -> ScalingFit:
    """Fit a scaling law by nonlinear least squares on every single measurement.

    Parameters
    ----------
    curve : ScalingCurve
    law : str
        A key of `benchlib.scaling.laws.LAWS`.
    weights : {"relative", "replicates", "none"}
        ``relative`` for noise in proportion to throughput; ``replicates`` for noise that differs
        between levels of 20 measurements each (with fewer it is pooled, and a caveat says so);
        ``none`` to compare with R.
    confidence_level : float
    weak : bool
        Whether work grew with concurrency: the condition of Gustafson's law.
    normalised : bool
        Whether the throughput of one worker is taken from the measurements at N = 1 instead of being
        fitted: speedup is then what the law describes. Intervals and errors are those of the fit that
        estimates it: taken as exact it leaves its own error out of them.
    derived : bool
        Whether peak, knee, ceiling and saturation point are wanted: their profiles take most of the time.

    Raises
    ------
    DataError
        When the curve has fewer levels than parameters + 1, for an unknown law or weights, for
        Gustafson's law where the scaling is not weak, and for a normalised law without a level 1.

    References
    ----------
    See `benchlib.scaling.laws` for the laws. Refitting a reduced law when a coefficient reaches
    its bound, and taking intervals from that, loses coverage (80 to 94 % instead of 95 in
    simulation): points come from the feasible fit, intervals from the unbounded one.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> curve = build_curve([1, 18, 36, 72, 108, 144, 216],
    ...                     [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2], unit="op/sec")
    >>> fit = fit_law(curve, "usl", weights="none")
    >>> f"{fit.parameters['contention'].value:.7f} ± {fit.parameters['contention'].standard_error:.7f}"
    '0.0277285 ± 0.0091217'
    >>> round(fit.peak.value, 2)
    96.52
    """
    wanted, weighed = law_named(law), checked_weights(weights)
    check_question(curve, wanted, confidence_level, weak=weak, normalised=normalised)
    used = weights_for(curve, weighed)
    whole = objective = objective_of(curve, used)
    rate = None
    if normalised:
        rate = float(curve.throughput[0]) / objective.scale
        objective = objective.part(objective.concurrency > 1)
    solution = solve_twice(objective, wanted, confidence_level, rate)
    parameters = parameter_estimates(solution, curve.unit)
    implied = derived_estimates(solution, curve.unit) if derived else {}
    covariance = solution.covariance
    if normalised:
        free = solve_twice(whole, wanted, confidence_level)
        parameters = _with_ends(parameters, parameter_estimates(free, curve.unit))
        implied = _with_ends(implied, derived_estimates(free, curve.unit) if derived else {})
        covariance = free.covariance
    peak, knee = implied.get("peak"), implied.get("knee")
    if knee is not None and not (math.isfinite(knee.value) and knee.value <= (peak.value if peak else math.inf)):
        knee = None
    misfit = lack_of_fit(objective, solution.feasible, fixed=normalised)
    in_unit = np.array([objective.scale, *[1.0] * (len(wanted.parameters) - 1)])
    return ScalingFit(
        law=wanted.name,
        weights=used,
        normalised=normalised,
        parameters=MappingProxyType(parameters),
        peak=peak,
        knee=knee,
        ceiling=implied.get("ceiling"),
        saturation_point=implied.get("saturation_point"),
        residual_standard_error=math.sqrt(
            max(solution.feasible.sum_of_squares, objective.negligible) / solution.degrees_of_freedom
        )
        * objective.residual_scale,
        sum_of_squares=max(solution.feasible.sum_of_squares, objective.negligible) * objective.residual_scale**2,
        degrees_of_freedom=solution.degrees_of_freedom,
        lack_of_fit=misfit,
        criteria=criteria_of(curve, objective, wanted, solution.feasible, fixed=normalised),
        covariance=tuple(tuple(float(one) for one in row) for row in covariance * np.outer(in_unit, in_unit)),
        coefficients=tuple(float(one) for one in solution.feasible.parameters * in_unit),
        unbounded=tuple(float(one) for one in solution.unbounded.parameters * in_unit),
        unit=curve.unit,
        measured_range=(float(curve.concurrency[0]), float(curve.concurrency[-1])),
        n=len(objective.throughput),
        confidence_level=confidence_level,
        caveats=merge(
            check_curve(curve),
            _weight_caveats(curve, weighed, used),
            _bound_caveats(solution, parameters),
            _peak_caveats(peak, curve),
            _misfit_caveats(wanted, misfit),
            _normalised_caveats(curve) if normalised else (),
        ),
    )


def _with_ends(values: Mapping[str, Estimate], ends: Mapping[str, Estimate]) -> dict[str, Estimate]:
    """Return estimates with the intervals and errors of others, widened where a value lies outside."""
    return {
        name: replace(
            ends[name],
            value=one.value,
            low=min(ends[name].low, one.value),
            high=max(ends[name].high, one.value),
            n=one.n,
            method=f"{ends[name].method}; the value with the throughput at N = 1 as measured",
        )
        for name, one in values.items()
    }


def same_data(fits: Sequence[ScalingFit]) -> None:
    """Refuse fits that no criterion can compare.

    Raises
    ------
    DataError
        For no fits, fits with other data or weights, and a law fitted twice.
    """
    if not fits:
        raise DataError("no fitted laws to choose from; measure at least 2 levels of concurrency")
    if len({(fit.weights, fit.normalised, fit.n, fit.measured_range) for fit in fits}) > 1:
        raise DataError("the laws were fitted to different data or with different weights; fit them alike")
    if len({fit.law for fit in fits}) < len(fits):
        raise DataError(f"a law was fitted twice ({choices([fit.law for fit in fits])}); give each once")


def check_question(
    curve: ScalingCurve, law: Law, confidence_level: float, *, weak: bool, normalised: bool = False
) -> None:
    """Refuse a law that a curve cannot carry.

    Raises
    ------
    DataError
        As `fit_law`.
    """
    if not 0 < confidence_level < 1:
        raise DataError(f"confidence level {confidence_level:g} is not between 0 and 1; write 0.95 for 95 %")
    if law.name == "gustafson" and not weak:
        raise DataError(
            "Gustafson's law needs weak scaling, where work grows with concurrency; "
            "declare it (weak = true), or fit law='amdahl'"
        )
    levels = curve.concurrency
    if normalised and levels[0] != 1:
        raise DataError(
            f"a normalised law needs measurements at concurrency 1, the smallest is {levels[0]:g}; "
            "fit it without normalising"
        )
    if len(levels) < law.minimum_levels:
        other = offered_laws(len(levels))[-1]
        raise DataError(
            f"{law.title} needs {law.minimum_levels} distinct concurrencies, got {len(levels)} "
            f"({levels_text(levels)}); measure another, or fit law={other!r} "
            f"(needs {LAWS[other].minimum_levels})"
        )


def _weight_caveats(curve: ScalingCurve, asked: Weights, used: Weights) -> list[Caveat]:
    if asked == used:
        return []
    message = (
        f"weights from replicates need {ENOUGH_REPLICATES} a level, and the fewest here are {min(curve.counts)}: "
        "one relative variance is pooled over the levels instead"
    )
    return [caveat("few-replicates", message)]


def _bound_caveats(solution: Solution, parameters: Mapping[str, Estimate]) -> list[Caveat]:
    law, found = solution.law, []
    for index, (name, estimate) in enumerate(parameters.items()):
        word = name.replace("_", " ")
        level = f"one-sided {50 * (1 + estimate.confidence_level):g} % limit"
        if index and estimate.value == law.lower[index]:
            message = (
                f"{law.title}: {word} lies on its bound {law.lower[index]:g}; at most {estimate.high:.3g} ({level})"
            )
            found.append(caveat("on-bound", message))
        elif index and estimate.value == law.upper[index]:
            message = (
                f"{law.title}: {word} lies on its bound {law.upper[index]:g}; at least {estimate.low:.3g} ({level})"
            )
            found.append(caveat("on-bound", message))
    return found


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


def _normalised_caveats(curve: ScalingCurve) -> list[Caveat]:
    count = curve.counts[0]
    message = (
        f"throughput at N = 1 is taken from {count} measurement{'' if count == 1 else 's'} as it is; intervals are "
        "those of the fit that estimates it"
    )
    return [caveat("normalised", message)]


def _misfit_caveats(law: Law, pvalue: float) -> list[Caveat]:
    if not pvalue < _POOR_FIT:
        return []
    message = f"{law.title} misses the levels by more than their replicates scatter (p = {pvalue:.2g})"
    return [caveat("poor-fit", message)]
