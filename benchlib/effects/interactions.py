"""What one factor does to the effect of another: how the cost of an output changes with bits.

Numeric against categorical: the ratio of slopes between two levels. Numeric against numeric: by how
much a unit of the one changes the slope of the other. Categorical against categorical: the ratio
of ratios over matched cells.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchlib.caveats import Caveat, caveat, merge
from benchlib.effects.additive import Slope, _fit_slopes, _levels_of, _medians_of, fit_additive
from benchlib.effects.cells import (
    Cell,
    CellTable,
    Contrast,
    Level,
    _choose_baselines,
    _choose_factors,
    _estimate_difference,
    _estimate_on_logs,
    _place_of,
    _warn_of_mixed_levels,
    estimate_ratio,
    name_cell,
    welch,
)
from benchlib.effects.outlying_cells import Slice, _cut_slices, _warn_of_outlying
from benchlib.errors import choices, printable
from benchlib.lazy_scipy import special
from benchlib.statistics.estimates import Estimate, checked_level

__all__ = ["Interactions", "RatioOfRatios", "SlopeChange", "SlopeRatio", "find_interactions"]

#: Rounding aside, no ratio of slopes is known better than this.
_SMALLEST_ERROR = 1e-9
#: Slices disagree over a ratio of slopes where chance alone has less than this probability.
_DISAGREEMENT = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class SlopeRatio:
    """The cost of a unit of a numeric factor at one level of a category, against the baseline level."""

    factor: str  # the numeric factor
    by: str  # the categorical factor
    #: level, baseline: of the categorical factor.
    level: Level
    baseline: Level
    #: Slope over slope, unit ``"x"``: geometric mean over matching slices. NaN where a slope cannot be told from 0.
    ratio: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class SlopeChange:
    """What a unit of one numeric factor adds to the slope of another, in one slice."""

    factors: tuple[str, str]  # the two, in the order of the table
    slice: Mapping[str, Level]
    estimate: Estimate  # coefficient of the product of the two, in the unit of the response


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioOfRatios:
    """How the ratio between two levels of one category differs between two levels of another."""

    factors: tuple[str, str]  # the two categorical factors
    #: levels, baselines: one of each factor.
    levels: tuple[Level, Level]
    baselines: tuple[Level, Level]
    estimate: Estimate  # unit ``"x"``; 1 where the two factors do not interact


@dataclass(frozen=True, slots=True, kw_only=True)
class Interactions:
    """What factors do to each other's effects, in twos."""

    slope_ratios: tuple[SlopeRatio, ...]
    slope_changes: tuple[SlopeChange, ...]
    ratios_of_ratios: tuple[RatioOfRatios, ...]
    caveats: tuple[Caveat, ...]

    @property
    def shown(self) -> tuple[SlopeRatio | SlopeChange | RatioOfRatios, ...]:
        """Those that stand out from no interaction, at an interval widened for how many of a kind there are.

        Of a dozen slopes that do not change, one seems to at 95 % every other time.

        O. J. Dunn, Journal of the American Statistical Association 56 (1961) 52-64, with normal quantiles.
        """
        ratios = [row for row in self.slope_ratios if _stands_out(row.ratio, 1.0, len(self.slope_ratios))]
        changes = [row for row in self.slope_changes if _stands_out(row.estimate, 0.0, len(self.slope_changes))]
        crossed = [row for row in self.ratios_of_ratios if _stands_out(row.estimate, 1.0, len(self.ratios_of_ratios))]
        return (*ratios, *changes, *crossed)


def _stands_out(estimate: Estimate, nothing: float, count: int) -> bool:
    """Whether an interval excludes a value even where it is one of so many; ratios are taken as logarithms."""
    if not estimate.has_interval or not math.isfinite(estimate.value):
        return False
    ends = (estimate.low, estimate.value, estimate.high)
    if nothing == 1.0:
        if estimate.low <= 0:
            return False
        ends = (math.log(ends[0]), math.log(ends[1]), math.log(ends[2]))
    tail = (1 - estimate.confidence_level) / 2
    wider = float(special.ndtri(tail / count) / special.ndtri(tail))
    low, middle, high = ends
    return not middle - wider * (middle - low) <= 0 <= middle + wider * (high - middle)


def find_interactions(
    table: CellTable,
    numeric_factors: Sequence[str] | None = None,
    categorical_factors: Sequence[str] | None = None,
    *,
    baselines: Mapping[str, Level] | None = None,
    confidence_level: float = 0.95,
) -> Interactions:
    """Quantify what each factor does to the effect of each other one.

    Factors, baselines and outlying cells are those of `benchlib.effects.plain_effects.analyse_cells`.

    Ratio of slopes between slices: first-order propagation to logarithms, with the degrees of freedom
    of F. E. Satterthwaite, Biometrics Bulletin 2 (1946) 110-114. Slices that disagree: W. G. Cochran,
    Biometrics 10 (1954) 101-129. Ratio of ratios: `benchlib.effects.cells.estimate_ratio`.
    """
    level = checked_level(confidence_level)
    numeric, categorical = _choose_factors(table, numeric_factors, categorical_factors)
    reference = _choose_baselines(table, categorical, baselines or {})
    slices = _cut_slices(table, numeric, categorical)
    slope_ratios, unsteady = _compare_slopes(slices, numeric, reference, table.unit, level)
    slope_changes, unknown = _change_slopes(slices, numeric, table.unit, level)
    ratios, without = _ratios_of_ratios([cell for part in slices for cell in part.cells], reference, level)
    return Interactions(
        slope_ratios=tuple(slope_ratios),
        slope_changes=tuple(slope_changes),
        ratios_of_ratios=tuple(ratios),
        caveats=merge(
            table.caveats,
            unsteady,
            unknown,
            without,
            _warn_of_mixed_levels(table),
            _warn_of_outlying([cell for part in slices for cell in part.outlying]),
        ),
    )


# Slopes at the levels of a category ----------------------------------------------------------------------------------


def _compare_slopes(
    slices: Sequence[Slice], numeric: Sequence[str], reference: Mapping[str, Level], unit: str, level: float
) -> tuple[list[SlopeRatio], list[Caveat]]:
    """Compare the slopes of each numeric factor between the levels of each category, slice by matching slice."""
    fitted: dict[tuple[Level, ...], list[Slope]] = {}
    warned: list[Caveat] = []
    for part in slices:
        slopes, doubts = _fit_slopes(part.levels, part.cells, numeric, unit, level)
        fitted[tuple(part.levels.values())] = slopes
        warned += doubts
    ratios = []
    for factor, (place, (by, baseline)) in itertools.product(numeric, enumerate(reference.items())):
        here = {key: slope for key, slopes in fitted.items() for slope in slopes if slope.factor == factor}
        pairs: dict[Level, list[tuple[Slope, Slope]]] = {}
        for key, slope in here.items():
            partner = here.get((*key[:place], baseline, *key[place + 1 :]))
            if key[place] != baseline and partner is not None:
                pairs.setdefault(key[place], []).append((slope, partner))
        for other, matched in pairs.items():
            ratio, doubts = _slope_ratio(factor, by, other, baseline, matched, level)
            ratios.append(ratio)
            warned += doubts
    return ratios, warned


def _slope_ratio(
    factor: str,
    by: str,
    other: Level,
    baseline: Level,
    matched: Sequence[tuple[Slope, Slope]],
    level: float,
) -> tuple[SlopeRatio, list[Caveat]]:
    slopes = [slope for pair in matched for slope in pair]
    n = sum(slope.estimate.n for slope in slopes)
    degrees = [slope.degrees_of_freedom for slope in slopes]
    warned = []
    where = f"{printable(factor)} at {name_cell({by: other})} against {printable(str(baseline))}"
    if all(slope.estimate.low > 0 for slope in slopes):
        logs = [math.log(top.estimate.value / bottom.estimate.value) for top, bottom in matched]
        variances = [(slope.estimate.standard_error / slope.estimate.value) ** 2 for slope in slopes]
        error, freedom = _error_of_mean(variances, degrees)
        method = "ratio of fitted slopes, t interval on logarithms"
        centre = math.fsum(logs) / len(logs)
        ratio = _estimate_on_logs(centre, error, freedom, level=level, unit="x", n=n, method=method)
        if _differ(logs, variances, degrees):
            warned.append(
                caveat(
                    "effect-differs",
                    f"the ratio of the cost of one {where} is not the same in all {len(matched)} slices: "
                    f"{math.exp(min(logs)):.3g} to {math.exp(max(logs)):.3g}",
                )
            )
    else:
        ratio = _no_ratio(n, level)
        warned.append(caveat("no-ratio", f"a slope of {where} cannot be told from 0"))
    return (
        SlopeRatio(
            factor=factor,
            by=by,
            level=other,
            baseline=baseline,
            ratio=ratio,
        ),
        warned,
    )


def _error_of_mean(variances: Sequence[float], degrees: Sequence[int]) -> tuple[float, float]:
    """Return the standard error of a mean of contrasts, two variances each, and its degrees of freedom."""
    error, freedom = welch(variances, degrees) if all(degree > 0 for degree in degrees) else (math.nan, 0.0)
    return error / (len(variances) / 2), freedom


def _differ(logs: Sequence[float], variances: Sequence[float], degrees: Sequence[int]) -> bool:
    """Whether matched ratios differ by more than their errors: Cochran's Q."""
    if len(logs) < 2 or not all(degree > 0 for degree in degrees):
        return False
    weights = [
        1 / max(top + bottom, _SMALLEST_ERROR**2) for top, bottom in zip(variances[::2], variances[1::2], strict=True)
    ]
    centre = math.fsum(map(math.prod, zip(weights, logs, strict=True))) / math.fsum(weights)
    q = math.fsum(weight * (log - centre) ** 2 for weight, log in zip(weights, logs, strict=True))
    # F, not chi-squared: the errors are themselves estimated.
    return float(special.fdtrc(len(logs) - 1, sum(degrees), q / (len(logs) - 1))) < _DISAGREEMENT


def _no_ratio(n: int, level: float) -> Estimate:
    method = "none: a slope cannot be told from 0"
    return _estimate_difference(math.nan, math.nan, 0, level=level, unit="x", n=n, method=method)


# Two numbers together ------------------------------------------------------------------------------------------------


def _change_slopes(
    slices: Sequence[Slice], numeric: Sequence[str], unit: str, level: float
) -> tuple[list[SlopeChange], list[Caveat]]:
    """Estimate what a unit of one numeric factor adds to the slope of another, in each slice."""
    changes, warned = [], []
    for part, (first, second) in itertools.product(slices, itertools.combinations(numeric, 2)):
        change = _slope_change(part, numeric, (first, second), unit, level)
        if change is not None:
            changes.append(change)
        elif part.cells:
            here = f" at {name_cell(part.levels)}" if part.levels else ""
            warned.append(
                caveat(
                    "confounded",
                    f"the cells cannot tell what {choices((first, second))} do together{here} from what each does",
                )
            )
    return changes, warned


def _slope_change(
    part: Slice, numeric: Sequence[str], pair: tuple[str, str], unit: str, level: float
) -> SlopeChange | None:
    columns = _levels_of(part.cells, [*pair, *(factor for factor in numeric if factor not in pair)])
    columns = columns[:, [len(set(column)) > 1 for column in columns.T.tolist()]]
    if columns.shape[1] < 2:
        return None
    # Centred, so that the product is far from either factor; its coefficient is the same.
    centred = columns[:, :2] - columns[:, :2].mean(axis=0)
    fit = fit_additive(np.column_stack([columns, centred.prod(axis=1)]), _medians_of(part.cells))
    if not (fit.estimable[1] and fit.estimable[2] and fit.estimable[-1]):
        return None
    n = sum(cell.n for cell in part.cells)
    method = "least squares on cell medians with a product of the two, errors relative to the cost, t interval"
    return SlopeChange(
        factors=pair,
        slice=part.levels,
        estimate=fit.estimate(-1, level=level, unit=unit, n=n, method=method),
    )


# Two categories together ---------------------------------------------------------------------------------------------


def _ratios_of_ratios(
    cells: Sequence[Cell], reference: Mapping[str, Level], level: float
) -> tuple[list[RatioOfRatios], list[Caveat]]:
    ratios: list[RatioOfRatios] = []
    warned: list[Caveat] = []
    for pair in itertools.combinations(reference, 2):
        bases = (reference[pair[0]], reference[pair[1]])
        matched: dict[tuple[Level, Level], list[Contrast]] = {}
        for levels, contrast in _fours(cells, pair, bases):
            matched.setdefault(levels, []).append(contrast)
        if not matched:
            named = f"{printable(pair[0])} and {printable(pair[1])}"
            warned.append(caveat("confounded", f"no four cells alike in all else cross two levels of {named}"))
        for levels, contrasts in matched.items():
            usable = [contrast for contrast in contrasts if contrast.positive]
            if len(usable) < len(contrasts):
                message = (
                    f"{len(contrasts) - len(usable)} of {len(contrasts)} fours of cells of {choices(pair)} "
                    "hold a 0 or less"
                )
                warned.append(caveat("no-ratio", message))
            if usable:
                ratios.append(
                    RatioOfRatios(
                        factors=pair,
                        levels=levels,
                        baselines=bases,
                        estimate=estimate_ratio(usable, level),
                    )
                )
    return ratios, warned


def _fours(
    cells: Sequence[Cell], pair: tuple[str, str], bases: tuple[Level, Level]
) -> Iterator[tuple[tuple[Level, Level], Contrast]]:
    """Yield each cell with the three that have the baseline of one factor or of both, all else alike."""
    at = {_place_of(cell.levels): cell for cell in cells}
    first, second = pair
    for cell in cells:
        levels = (cell.levels[first], cell.levels[second])
        if levels[0] == bases[0] or levels[1] == bases[1]:
            continue
        both = at.get(_place_of({**cell.levels, first: bases[0], second: bases[1]}))
        low, high = (at.get(_place_of({**cell.levels, name: base})) for name, base in zip(pair, bases, strict=True))
        if both is not None and low is not None and high is not None:
            yield levels, Contrast(over=(cell, both), under=(low, high))
