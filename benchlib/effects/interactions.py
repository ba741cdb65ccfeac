"""What one factor does to the effect of another: how the cost of an output changes with bits.

Numeric against categorical: the ratio of slopes between two levels. Numeric against numeric: by how
much a unit of the one changes the slope of the other. Categorical against categorical: the ratio
of ratios over matched cells.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchlib.caveats import Caveat, caveat, merge
from benchlib.effects.cells import Cell, CellTable, Level
from benchlib.effects.factors import choose_baselines, choose_factors, warn_of_mixed
from benchlib.effects.plain_effects import Contrast, estimate_ratio, log_contrast
from benchlib.effects.slices import cut_slices, warn_of_special
from benchlib.effects.slope_interactions import SlopeChange, SlopeRatio, change_slopes, compare_slopes
from benchlib.errors import choices, printable
from benchlib.lazy_scipy import special
from benchlib.statistics.checks import checked_level
from benchlib.statistics.estimates import Estimate

__all__ = ["Interactions", "RatioOfRatios", "SlopeChange", "SlopeRatio", "find_interactions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioOfRatios:
    """How the ratio between two levels of one category differs between two levels of another.

    Attributes
    ----------
    factors : tuple of str
        The two categorical factors.
    levels, baselines : tuple of Level
        One of each factor.
    estimate : Estimate
        Unit ``"x"``; 1 where the two factors do not interact.
    lowest, highest : float
        The matched ratios of ratios at the extremes.
    n_matched : int
        Fours of cells alike in all other factors.
    """

    factors: tuple[str, str]
    levels: tuple[Level, Level]
    baselines: tuple[Level, Level]
    estimate: Estimate
    lowest: float
    highest: float
    n_matched: int


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

        References
        ----------
        O. J. Dunn, Journal of the American Statistical Association 56 (1961) 52-64, with normal quantiles.
        """
        ratios = [one for one in self.slope_ratios if _stands_out(one.ratio, 1.0, len(self.slope_ratios))]
        changes = [one for one in self.slope_changes if _stands_out(one.estimate, 0.0, len(self.slope_changes))]
        crossed = [one for one in self.ratios_of_ratios if _stands_out(one.estimate, 1.0, len(self.ratios_of_ratios))]
        return (*ratios, *changes, *crossed)


def _stands_out(estimate: Estimate, nothing: float, count: int) -> bool:
    """Whether an interval excludes a value even where it is one of so many; ratios are taken as logarithms.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from benchlib.statistics.estimates import point
    >>> found = replace(point(398.0, "us", 8, "slope"), low=20.0, high=776.0)
    >>> _stands_out(found, 0.0, 1), _stands_out(found, 0.0, 4)
    (True, False)
    """
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

    Factors, baselines and special cells are those of `benchlib.effects.marginal.analyse_cells`.

    Raises
    ------
    SelectionError
        For a factor or a baseline level that the table does not hold.
    DataError
        For a numeric factor with levels that are not numbers, or a factor named as both.

    References
    ----------
    Ratio of slopes between slices: first-order propagation to logarithms, with the degrees of freedom
    of F. E. Satterthwaite, Biometrics Bulletin 2 (1946) 110-114; within a slice: E. C. Fieller, Journal
    of the Royal Statistical Society B 16 (1954) 175-185. Slices that disagree: W. G. Cochran,
    Biometrics 10 (1954) 101-129. Ratio of ratios: `benchlib.effects.plain_effects.estimate_ratio`.

    Examples
    --------
    >>> from benchlib.effects.cells import build_cells
    >>> bits, outputs = [32] * 4 + [64] * 4, [1, 2, 3, 4] * 2
    >>> costs = [28.1, 56.0, 84.3, 112.1, 56.0, 112.3, 168.2, 224.6]
    >>> found = find_interactions(build_cells({"bits": bits, "outputs": outputs}, costs, unit="sec/op"))
    >>> (one,) = found.slope_ratios
    >>> f"an output at {one.by} = {one.level} costs {one.ratio.value:.2f} times one at {one.baseline}"
    'an output at bits = 64 costs 2.00 times one at 32'
    """
    level = checked_level(confidence_level)
    numeric, categorical = choose_factors(table, numeric_factors, categorical_factors)
    reference = choose_baselines(table, categorical, baselines or {})
    slices = cut_slices(table, numeric, categorical)
    plain = [cell for one in slices for cell in one.cells]
    slope_ratios, unsteady = compare_slopes(slices, numeric, reference, table.unit, level)
    changes, unknown = change_slopes(slices, numeric, table.unit, level)
    ratios, without = _ratios_of_ratios(plain, reference, level)
    return Interactions(
        slope_ratios=tuple(slope_ratios),
        slope_changes=tuple(changes),
        ratios_of_ratios=tuple(ratios),
        caveats=merge(
            table.caveats,
            unsteady,
            unknown,
            without,
            warn_of_mixed(table),
            warn_of_special([special for one in slices for special in one.special]),
        ),
    )


def _ratios_of_ratios(
    cells: Sequence[Cell], reference: Mapping[str, Level], level: float
) -> tuple[list[RatioOfRatios], list[Caveat]]:
    found: list[RatioOfRatios] = []
    warned: list[Caveat] = []
    at = {tuple(cell.levels.items()): cell for cell in cells}
    for pair in itertools.combinations(reference, 2):
        bases = (reference[pair[0]], reference[pair[1]])
        matched: dict[tuple[Level, Level], list[Contrast]] = {}
        for cell in cells:
            levels = (cell.levels[pair[0]], cell.levels[pair[1]])
            if levels[0] == bases[0] or levels[1] == bases[1]:
                continue
            corners = [
                at.get(tuple({**cell.levels, **dict(moved)}.items()))
                for moved in (
                    {pair[0]: bases[0], pair[1]: bases[1]},
                    {pair[0]: bases[0]},
                    {pair[1]: bases[1]},
                )
            ]
            both, first, second = corners
            if both is not None and first is not None and second is not None:
                matched.setdefault(levels, []).append(Contrast(over=(cell, both), under=(first, second)))
        if not matched:
            named = f"{printable(pair[0])} and {printable(pair[1])}"
            warned.append(caveat("confounded", f"no four cells alike in all else cross two levels of {named}"))
        for levels, contrasts in matched.items():
            usable = [one for one in contrasts if one.positive]
            if len(usable) < len(contrasts):
                warned.append(
                    caveat(
                        "no-ratio",
                        f"{len(contrasts) - len(usable)} of {len(contrasts)} fours of cells of {choices(pair)} "
                        "hold a 0 or less",
                    )
                )
            if usable:
                logs = [log_contrast(one) for one in usable]
                found.append(
                    RatioOfRatios(
                        factors=pair,
                        levels=levels,
                        baselines=bases,
                        estimate=estimate_ratio(usable, level),
                        lowest=math.exp(min(logs)),
                        highest=math.exp(max(logs)),
                        n_matched=len(usable),
                    )
                )
    return found, warned
