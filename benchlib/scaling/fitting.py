"""Fitting a scaling law to a curve, with intervals that say what the data cannot."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from scipy import stats

from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import DataError
from benchlib.scaling.criteria import Criteria, criteria_of, lack_of_fit
from benchlib.scaling.curve import ScalingCurve, check_curve, levels_text
from benchlib.scaling.laws import LAWS, FloatArray, Law, law_named, offered_laws
from benchlib.scaling.objective import Objective, Weights, checked_weights, objective_of, solve
from benchlib.scaling.profiles import QUANTITIES, profile_interval, quantity_value
from benchlib.scaling.solver import Minimum
from benchlib.statistics.estimates import Estimate

__all__ = ["ScalingFit", "fit_law"]

#: Below this the misfit of a law is more than its replicates explain.
_POOR_FIT = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingFit:
    """A law fitted to a curve.

    Attributes
    ----------
    law : str
        A key of `benchlib.scaling.laws.LAWS`.
    weights : {"relative", "none"}
        How residuals were weighed; see `benchlib.scaling.objective`.
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
    parameters: Mapping[str, Estimate]
    peak: Estimate | None
    knee: Estimate | None
    ceiling: Estimate | None
    saturation_point: Estimate | None
    residual_standard_error: float
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Solution:
    """Both fits of a law, and the noise they show."""

    law: Law
    objective: Objective
    feasible: Minimum
    unbounded: Minimum
    variance: float
    degrees_of_freedom: int
    confidence_level: float

    @property
    def standard_errors(self) -> FloatArray:
        return np.sqrt(np.clip(np.diag(self.covariance), 0, None))

    @property
    def covariance(self) -> FloatArray:
        jacobian = self.unbounded.jacobian
        lengths = np.linalg.norm(jacobian, axis=0)
        lengths[lengths == 0] = 1.0
        scaled = jacobian / lengths
        inverse = np.linalg.pinv(scaled.T @ scaled)
        return np.asarray(self.variance * inverse / np.outer(lengths, lengths))

    def critical(self, *, one_sided: bool = False) -> float:
        share = self.confidence_level if one_sided else (1 + self.confidence_level) / 2
        return float(stats.t.ppf(share, self.degrees_of_freedom))

    def profile(self, name: str, *, one_sided: bool = False) -> tuple[float, float]:
        rise = self.variance * self.critical(one_sided=one_sided) ** 2
        best = self.feasible
        return profile_interval(self.objective, self.law, name, best.parameters, best.sum_of_squares, rise)


def fit_law(
    curve: ScalingCurve,
    law: str,
    *,
    weights: str = "relative",
    confidence_level: float = 0.95,
    weak: bool = False,
) -> ScalingFit:
    """Fit a scaling law by nonlinear least squares on every single measurement.

    Parameters
    ----------
    curve : ScalingCurve
    law : str
        ``linear``, ``amdahl``, ``gustafson`` or ``usl``.
    weights : {"relative", "none"}
        ``relative`` for noise in proportion to throughput; ``none`` to compare with R.
    confidence_level : float
    weak : bool
        Whether work grew with concurrency: the condition of Gustafson's law.

    Raises
    ------
    DataError
        When the curve has fewer levels than parameters + 1, for an unknown law or weights,
        and for Gustafson's law where the scaling is not weak.

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
    _refuse(curve, wanted, confidence_level, weak)
    solution = _solve(objective_of(curve, weighed), wanted, confidence_level)
    scale = solution.objective.scale
    parameters = _parameters(solution, curve.unit)
    derived = {name: _derived(solution, name, curve.unit) for name in QUANTITIES.get(wanted.name, {})}
    peak, knee = derived.get("peak"), derived.get("knee")
    if knee is not None and not knee.value <= (math.inf if peak is None else peak.value):
        knee = None
    if knee is not None and math.isinf(knee.value):
        knee = None
    misfit = lack_of_fit(curve, solution.objective, solution.feasible)
    in_unit = np.array([scale, *[1.0] * (len(wanted.parameters) - 1)])
    spread = math.sqrt(solution.variance) * (scale if weighed == "none" else 1.0)
    return ScalingFit(
        law=wanted.name,
        weights=weighed,
        parameters=MappingProxyType(parameters),
        peak=peak,
        knee=knee,
        ceiling=derived.get("ceiling"),
        saturation_point=derived.get("saturation_point"),
        residual_standard_error=spread,
        degrees_of_freedom=solution.degrees_of_freedom,
        lack_of_fit=misfit,
        criteria=criteria_of(curve, solution.objective, wanted, solution.feasible),
        covariance=tuple(
            tuple(float(one) for one in row)
            for row in solution.covariance * np.outer(in_unit, in_unit)
        ),
        coefficients=tuple(float(one) for one in solution.feasible.parameters * in_unit),
        unbounded=tuple(float(one) for one in solution.unbounded.parameters * in_unit),
        unit=curve.unit,
        measured_range=(float(curve.concurrency[0]), float(curve.concurrency[-1])),
        n=len(solution.objective.throughput),
        confidence_level=confidence_level,
        caveats=merge(
            check_curve(curve), _bound_caveats(wanted, parameters, curve), _peak_caveats(peak, curve),
            _misfit_caveats(wanted, misfit),
        ),
    )  # fmt: skip


def _refuse(curve: ScalingCurve, law: Law, confidence_level: float, weak: bool) -> None:
    if not 0 < confidence_level < 1:
        raise DataError(f"confidence level {confidence_level:g} is not between 0 and 1; write 0.95 for 95 %")
    if law.name == "gustafson" and not weak:
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


def _solve(objective: Objective, law: Law, confidence_level: float) -> _Solution:
    feasible = solve(objective, law, bounded=True)
    unbounded = solve(objective, law, bounded=False)
    for found in (feasible, unbounded):
        if not found.converged:
            raise DataError(
                f"the fit of {law.title} did not converge on {len(objective.throughput)} measurements; "
                "look at the points, or fit a simpler law"
            )
    inside = np.all((unbounded.parameters >= law.lower) & (unbounded.parameters <= law.upper))
    if inside:
        # One answer, not two that differ in the last digit.
        feasible = unbounded
    freedom = len(objective.throughput) - len(law.parameters)
    return _Solution(
        law=law,
        objective=objective,
        feasible=feasible,
        unbounded=unbounded,
        variance=unbounded.sum_of_squares / freedom,
        degrees_of_freedom=freedom,
        confidence_level=confidence_level,
    )


def _method(objective: Objective) -> str:
    return "least squares on log ratios" if objective.weights == "relative" else "unweighted least squares"


def _parameters(solution: _Solution, unit: str) -> dict[str, Estimate]:
    law, found = solution.law, {}
    for index, name in enumerate(law.parameters):
        scale = solution.objective.scale if index == 0 else 1.0
        value = float(solution.feasible.parameters[index])
        error = float(solution.standard_errors[index])
        if value in (law.lower[index], law.upper[index]) and index:
            low, high = solution.profile(name, one_sided=True)
            low, high = (value, high) if value == law.lower[index] else (low, value)
            method = f"{_method(solution.objective)}, on its bound; one-sided profile limit"
        else:
            middle = float(solution.unbounded.parameters[index])
            half = solution.critical() * error
            # Cut to the feasible region, and never so far that the value itself falls out.
            low = min(max(middle - half, law.lower[index]), value)
            high = max(min(middle + half, law.upper[index]), value)
            method = f"{_method(solution.objective)}, Wald t({solution.degrees_of_freedom})"
        found[name] = Estimate(
            value=value * scale,
            low=low * scale,
            high=high * scale,
            unit=unit if index == 0 else "",
            confidence_level=solution.confidence_level,
            n=len(solution.objective.throughput),
            method=method,
            standard_error=error * scale,
        )
    return found


def _derived(solution: _Solution, name: str, unit: str) -> Estimate:
    value = quantity_value(solution.law, name, solution.feasible.parameters)
    low, high = solution.profile(name, one_sided=math.isinf(value))
    scale = solution.objective.scale if name == "ceiling" else 1.0
    return Estimate(
        value=value * scale,
        low=low * scale,
        high=high * scale,
        unit=unit if name == "ceiling" else "",
        confidence_level=solution.confidence_level,
        n=len(solution.objective.throughput),
        method=f"{_method(solution.objective)}, profile F(1, {solution.degrees_of_freedom})",
        standard_error=_delta_error(solution, name) * scale,
    )


def _delta_error(solution: _Solution, name: str) -> float:
    """Return the delta-method standard error; NaN where a bound makes it meaningless."""
    if solution.feasible is not solution.unbounded:
        return math.nan
    best = solution.feasible.parameters
    slopes = np.empty(len(best))
    for index, value in enumerate(best):
        width = 1e-6 * max(abs(float(value)), 1e-9)
        ends = [best.copy(), best.copy()]
        ends[0][index] -= width
        ends[1][index] += width
        low, high = (quantity_value(solution.law, name, end) for end in ends)
        slopes[index] = (high - low) / (2 * width) if math.isfinite(high) and math.isfinite(low) else math.nan
    if not np.all(np.isfinite(slopes)):
        return math.nan
    variance = float(slopes @ solution.covariance @ slopes)
    return math.sqrt(variance) if math.isfinite(variance) and variance >= 0 else math.nan


def _bound_caveats(law: Law, parameters: Mapping[str, Estimate], curve: ScalingCurve) -> list[Caveat]:
    found = []
    for index, (name, estimate) in enumerate(parameters.items()):
        word = name.replace("_", " ")
        level = f"one-sided {100 * estimate.confidence_level:g} % limit"
        if index and estimate.value == law.lower[index]:
            message = f"{law.title}: {word} lies on its bound 0; at most {estimate.high:.3g} ({level})"
            found.append(caveat("on-bound", message))
        elif index and estimate.value == law.upper[index]:
            message = f"{law.title}: {word} lies on its bound 1; at least {estimate.low:.3g} ({level})"
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


def _misfit_caveats(law: Law, pvalue: float) -> list[Caveat]:
    if not pvalue < _POOR_FIT:
        return []
    message = f"{law.title} misses the levels by more than their replicates scatter (p = {pvalue:.2g})"
    return [caveat("poor-fit", message)]
