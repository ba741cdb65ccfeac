"""Fitting a scaling law to a curve, with intervals that say what the data cannot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import DataError, choices
from benchlib.scaling.curve import ScalingCurve
from benchlib.scaling.fits.best import BestFit, best_fields, solve_law
from benchlib.scaling.fits.criteria import Criteria, criteria_of, lack_of_fit
from benchlib.scaling.fits.intervals import estimates, parameter_estimates
from benchlib.scaling.fits.objective import ENOUGH_REPLICATES, Weights
from benchlib.scaling.fits.solution import Solution
from benchlib.scaling.laws import Law
from benchlib.scaling.points import check_curve
from benchlib.statistics.estimates import Estimate

__all__ = ["ScalingFit", "fit_law", "same_data"]

#: Below this the misfit of a law is more than its replicates explain.
_POOR_FIT = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingFit(BestFit):
    """A law fitted to a curve: its best fit, with intervals, limits and criteria.

    Attributes
    ----------
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
    lack_of_fit : float
        P value of the pure-error F test; NaN without replicates.
    criteria : Criteria
    caveats : tuple of Caveat
    """

    parameters: Mapping[str, Estimate]
    peak: Estimate | None
    knee: Estimate | None
    ceiling: Estimate | None
    saturation_point: Estimate | None
    lack_of_fit: float
    criteria: Criteria
    caveats: tuple[Caveat, ...]

    @property
    def misses_points(self) -> bool:
        """Whether the law misses its points by more than their replicates explain."""
        return any(one.code == "poor-fit" for one in self.caveats)


def fit_law(
    curve: ScalingCurve,
    law: str,
    *,
    weights: str = "relative",
    confidence_level: float = 0.95,
    weak: bool = False,
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
    derived : bool
        Whether peak, knee, ceiling and saturation point are wanted: their profiles take most of the time.

    Raises
    ------
    DataError
        When the curve has fewer levels than parameters + 1, for an unknown law or weights, and for
        Gustafson's law where the scaling is not weak.

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
    solved = solve_law(curve, law, weights=weights, confidence_level=confidence_level, weak=weak)
    solution, objective = solved.solution, solved.objective
    told = estimates if derived else _without_derived
    parameters, implied = told(solution, curve.unit)
    peak, knee = implied.get("peak"), implied.get("knee")
    if knee is not None and not (math.isfinite(knee.value) and knee.value <= (peak.value if peak else math.inf)):
        knee = None
    misfit = lack_of_fit(objective, solution.feasible)
    return ScalingFit(
        **best_fields(solved, curve),
        parameters=MappingProxyType(parameters),
        peak=peak,
        knee=knee,
        ceiling=implied.get("ceiling"),
        saturation_point=implied.get("saturation_point"),
        lack_of_fit=misfit,
        criteria=criteria_of(objective, solved.law, solution.feasible),
        caveats=merge(
            check_curve(curve),
            _weight_caveats(curve, solved.asked, solved.weights),
            _bound_caveats(solution, parameters),
            _peak_caveats(peak, curve),
            _misfit_caveats(solved.law, misfit),
        ),
    )


def _without_derived(solution: Solution, unit: str) -> tuple[dict[str, Estimate], dict[str, Estimate]]:
    return parameter_estimates(solution, unit), {}


def same_data(fits: Sequence[ScalingFit]) -> None:
    """Refuse fits that no criterion can compare.

    Raises
    ------
    DataError
        For no fits, fits with other data or weights, and a law fitted twice.
    """
    if not fits:
        raise DataError("no fitted laws to choose from; measure at least 2 levels of concurrency")
    if len({(fit.weights, fit.n, fit.measured_range) for fit in fits}) > 1:
        raise DataError("the laws were fitted to different data or with different weights; fit them alike")
    if len({fit.law for fit in fits}) < len(fits):
        raise DataError(f"a law was fitted twice ({choices([fit.law for fit in fits])}); give each once")


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


def _misfit_caveats(law: Law, pvalue: float) -> list[Caveat]:
    if not pvalue < _POOR_FIT:
        return []
    message = f"{law.title} misses the levels by more than their replicates scatter (p = {pvalue:.2g})"
    return [caveat("poor-fit", message)]
