"""Whether the slope of a numeric factor depends on another factor, and by how much."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.caveats import Caveat, caveat
from benchlib.effects.additive import AdditiveFit, fit_additive
from benchlib.effects.cells import Level, name_cell
from benchlib.effects.plain_effects import exponential, t_interval, welch
from benchlib.effects.slices import Slice
from benchlib.effects.slopes import Slope, fit_slopes
from benchlib.errors import choices, printable
from benchlib.lazy_scipy import special
from benchlib.statistics.estimates import Estimate

__all__ = ["SlopeChange", "SlopeRatio", "change_slopes", "compare_slopes"]

#: Rounding aside, no ratio of slopes is known better than this.
SMALLEST_ERROR = 1e-9
#: Slices disagree over a ratio of slopes where chance alone has less than this probability.
DISAGREEMENT = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class SlopeRatio:
    """The cost of a unit of a numeric factor at one level of a category, against the baseline level.

    Attributes
    ----------
    factor : str
        The numeric factor.
    by : str
        The categorical factor.
    level, baseline : Level
        Of the categorical factor.
    ratio : Estimate
        Slope over slope, unit ``"x"``: geometric mean over matching slices. NaN where a slope cannot
        be told from 0.
    difference : Estimate
        Slope minus slope, mean over matching slices, in the unit of the response.
    lowest, highest : float
        The ratio of slopes in the slices at the extremes; NaN without a ratio.
    n_slices : int
    """

    factor: str
    by: str
    level: Level
    baseline: Level
    ratio: Estimate
    difference: Estimate
    lowest: float
    highest: float
    n_slices: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SlopeChange:
    """What a unit of one numeric factor adds to the slope of another, in one slice.

    Attributes
    ----------
    factors : tuple of str
        The two, in the order of the table.
    slice : mapping of factor to level
    estimate : Estimate
        Coefficient of the product of the two, in the unit of the response.
    ratios : tuple of Estimate
        The slope of the first at the highest level of the second over that at its lowest, and the
        slope of the second likewise, unit ``"x"``; NaN where the slope at the lowest cannot be told
        from 0.
    n_cells : int
    """

    factors: tuple[str, str]
    slice: Mapping[str, Level]
    estimate: Estimate
    ratios: tuple[Estimate, Estimate]
    n_cells: int


def compare_slopes(
    slices: Sequence[Slice], numeric: Sequence[str], reference: Mapping[str, Level], unit: str, level: float
) -> tuple[list[SlopeRatio], list[Caveat]]:
    """Compare the slopes of each numeric factor between the levels of each category, slice by matching slice."""
    fitted: dict[tuple[Level, ...], list[Slope]] = {}
    warned: list[Caveat] = []
    for one in slices:
        slopes, caveats = fit_slopes(one.levels, one.cells, numeric, unit, level)
        fitted[tuple(one.levels.values())] = slopes
        warned.extend(caveats)
    found = []
    for factor, (place, (by, baseline)) in itertools.product(numeric, enumerate(reference.items())):
        here = {key: slope for key, slopes in fitted.items() for slope in slopes if slope.factor == factor}
        pairs: dict[Level, list[tuple[Slope, Slope]]] = {}
        for key, slope in here.items():
            partner = here.get((*key[:place], baseline, *key[place + 1 :]))
            if key[place] != baseline and partner is not None:
                pairs.setdefault(key[place], []).append((slope, partner))
        for other, matched in pairs.items():
            ratio, caveats = _slope_ratio(factor, by, other, baseline, matched, unit, level)
            found.append(ratio)
            warned.extend(caveats)
    return found, warned


def _slope_ratio(
    factor: str,
    by: str,
    other: Level,
    baseline: Level,
    matched: Sequence[tuple[Slope, Slope]],
    unit: str,
    level: float,
) -> tuple[SlopeRatio, list[Caveat]]:
    slopes = [slope for pair in matched for slope in pair]
    n = sum(slope.estimate.n for slope in slopes)
    degrees = [slope.degrees_of_freedom for slope in slopes]
    warned = []
    where = f"{printable(factor)} at {name_cell({by: other})} against {printable(str(baseline))}"
    if all(slope.estimate.low > 0 for slope in slopes):
        logs = [math.log(top.estimate.value / bottom.estimate.value) for top, bottom in matched]
        parts = [(slope.estimate.standard_error / slope.estimate.value) ** 2 for slope in slopes]
        ratio = _mean_ratio(logs, parts, degrees, n, level)
        lowest, highest = math.exp(min(logs)), math.exp(max(logs))
        if _differ(logs, parts, degrees):
            warned.append(
                caveat(
                    "effect-differs",
                    f"the ratio of the cost of one {where} is not the same in all {len(matched)} slices: "
                    f"{lowest:.3g} to {highest:.3g}",
                )
            )
    else:
        ratio = _no_estimate(n, "x", level)
        lowest = highest = math.nan
        warned.append(caveat("no-ratio", f"a slope of {where} cannot be told from 0"))
    differences = [top.estimate.value - bottom.estimate.value for top, bottom in matched]
    errors = [slope.estimate.standard_error for slope in slopes]
    return (
        SlopeRatio(
            factor=factor,
            by=by,
            level=other,
            baseline=baseline,
            ratio=ratio,
            difference=_mean_difference(differences, errors, degrees, n, unit, level),
            lowest=lowest,
            highest=highest,
            n_slices=len(matched),
        ),
        warned,
    )


def _mean_ratio(
    logs: Sequence[float], variances: Sequence[float], degrees: Sequence[int], n: int, level: float
) -> Estimate:
    """Return the geometric mean of ratios of two slopes each."""
    centre = math.fsum(logs) / len(logs)
    error, freedom = _error_of_mean(variances, degrees, len(logs))
    low, high = exponential(t_interval(centre, error, freedom, level))
    return Estimate(
        value=math.exp(centre),
        low=low,
        high=high,
        unit="x",
        confidence_level=level,
        n=n,
        method="ratio of fitted slopes, t interval on logarithms",
        standard_error=math.exp(centre) * error,
    )


def _mean_difference(
    values: Sequence[float], errors: Sequence[float], degrees: Sequence[int], n: int, unit: str, level: float
) -> Estimate:
    """Return the mean of differences of two slopes each."""
    centre = math.fsum(values) / len(values)
    # In units of the largest error: the square of a cost may be beyond the largest number.
    size = max((one for one in errors if math.isfinite(one)), default=0.0) or 1.0
    error, freedom = _error_of_mean([(one / size) ** 2 for one in errors], degrees, len(values))
    low, high = t_interval(centre, error * size, freedom, level)
    return Estimate(
        value=centre,
        low=low,
        high=high,
        unit=unit,
        confidence_level=level,
        n=n,
        method="difference of fitted slopes, t interval",
        standard_error=error * size,
    )


def _error_of_mean(variances: Sequence[float], degrees: Sequence[int], count: int) -> tuple[float, float]:
    """Return the standard error of a mean of contrasts, two variances each, and its degrees of freedom."""
    error, freedom = welch(variances, degrees) if all(one > 0 for one in degrees) else (math.nan, 0.0)
    return error / count, freedom


def _differ(logs: Sequence[float], variances: Sequence[float], degrees: Sequence[int]) -> bool:
    """Whether matched ratios differ by more than their errors: Cochran's Q."""
    if len(logs) < 2 or not all(one > 0 for one in degrees):
        return False
    weights = [
        1 / max(one + other, SMALLEST_ERROR**2) for one, other in zip(variances[::2], variances[1::2], strict=True)
    ]
    centre = math.fsum(map(math.prod, zip(weights, logs, strict=True))) / math.fsum(weights)
    q = math.fsum(weight * (one - centre) ** 2 for weight, one in zip(weights, logs, strict=True))
    # F, not chi-squared: the errors are themselves estimated.
    return float(special.fdtrc(len(logs) - 1, sum(degrees), q / (len(logs) - 1))) < DISAGREEMENT


def _no_estimate(n: int, unit: str, level: float) -> Estimate:
    return Estimate(
        value=math.nan,
        low=-math.inf,
        high=math.inf,
        unit=unit,
        confidence_level=level,
        n=n,
        method="none: a slope cannot be told from 0",
        standard_error=math.nan,
    )


def change_slopes(
    slices: Sequence[Slice], numeric: Sequence[str], unit: str, level: float
) -> tuple[list[SlopeChange], list[Caveat]]:
    """Find what a unit of one numeric factor adds to the slope of another, in each slice."""
    found, warned = [], []
    for one, (first, second) in itertools.product(slices, itertools.combinations(numeric, 2)):
        change = _slope_change(one, numeric, (first, second), unit, level)
        if change is not None:
            found.append(change)
        elif one.cells:
            here = f" at {name_cell(one.levels)}" if one.levels else ""
            warned.append(
                caveat(
                    "confounded",
                    f"the cells cannot tell what {choices((first, second))} do together{here} from what each does",
                )
            )
    return found, warned


def _slope_change(
    one: Slice, numeric: Sequence[str], pair: tuple[str, str], unit: str, level: float
) -> SlopeChange | None:
    names = [*pair, *(factor for factor in numeric if factor not in pair)]
    columns = np.array([[float(cell.levels[factor]) for factor in names] for cell in one.cells]).reshape(-1, len(names))
    columns = columns[:, [len(set(column)) > 1 for column in columns.T.tolist()]]
    if columns.shape[1] < 2:
        return None
    # Centred, so that the product is far from either factor; its coefficient is the same.
    centred = columns[:, :2] - columns[:, :2].mean(axis=0)
    fit = fit_additive(
        np.column_stack([columns, centred.prod(axis=1)]), np.array([cell.median.value for cell in one.cells])
    )
    if not (fit.estimable[1] and fit.estimable[2] and fit.estimable[-1]):
        return None
    n = sum(cell.n for cell in one.cells)
    value, error = float(fit.coefficients[-1]), float(fit.standard_errors[-1])
    low, high = t_interval(value, error, fit.degrees_of_freedom, level)
    return SlopeChange(
        factors=pair,
        slice=one.levels,
        estimate=Estimate(
            value=value,
            low=low,
            high=high,
            unit=unit,
            confidence_level=level,
            n=n,
            method="least squares on cell medians with a product of the two, errors relative to the cost, t interval",
            standard_error=error,
        ),
        ratios=(_ratio_of_ends(fit, 1, centred[:, 1], n, level), _ratio_of_ends(fit, 2, centred[:, 0], n, level)),
        n_cells=len(one.cells),
    )


def _ratio_of_ends(fit: AdditiveFit, place: int, other: NDArray[np.float64], n: int, level: float) -> Estimate:
    """Return the slope of one factor at the highest level of the other over that at the lowest."""
    picks = np.zeros((2, fit.coefficients.size))
    picks[:, place], picks[:, -1] = 1.0, (other.max(), other.min())
    # In units of the largest cost, whose square would overflow.
    slopes, errors = picks @ fit.coefficients / fit.size, picks @ fit.covariance @ picks.T
    degrees = fit.degrees_of_freedom
    low, high = t_interval(float(slopes[1]), math.sqrt(max(float(errors[1, 1]), 0.0)), degrees, level)
    if not 0 < low <= high < math.inf:
        return _no_estimate(n, "x", level)
    # Fieller: the ratios that a t test of numerator - ratio x denominator does not reject, with the
    # denominator for a unit, so that no square of a cost overflows.
    ratio, reach = float(slopes[0] / slopes[1]), float(special.stdtrit(degrees, (1 + level) / 2))
    top, both, bottom = (float(one) * reach**2 for one in (errors / slopes[1] / slopes[1]).ravel()[[0, 1, 3]])
    half = math.sqrt(max((ratio - both) ** 2 - (1 - bottom) * (ratio**2 - top), 0.0)) / (1 - bottom)
    middle = (ratio - both) / (1 - bottom)
    return Estimate(
        value=ratio,
        low=middle - half,
        high=middle + half,
        unit="x",
        confidence_level=level,
        n=n,
        method="ratio of fitted slopes, Fieller interval",
        standard_error=math.nan,
    )
