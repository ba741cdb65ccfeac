"""What a cell would cost that was not measured: averaged over the rivals, or refused with the reason."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.caveats import Caveat, caveat
from benchlib.effects.cells import Level, name_cell
from benchlib.effects.hypotheses import Observed, Space
from benchlib.effects.models.assessing import Assessed, assess
from benchlib.effects.models.averaging import average
from benchlib.effects.models.confounded import Bound
from benchlib.effects.models.criteria import RIVAL, weights_of
from benchlib.effects.models.hypotheses import Fitted
from benchlib.effects.models.special import best_of
from benchlib.effects.shapes import Scale
from benchlib.effects.slopes import SpecialCell
from benchlib.errors import DataError, SelectionError, choices, printable, suggestion
from benchlib.statistics.estimates import Estimate

__all__ = ["FURTHEST", "Basis", "Prediction", "average_logs", "predict_cells", "weigh"]

Floats = NDArray[np.float64]

#: Beyond this many times the largest level of a factor a model is a guess, and has to be asked for as one.
FURTHEST = 2.0

_METHOD = "averaged over the rival models by their BIC weights, ends where their t tails average to the level"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Basis:
    """What predictions rest on.

    Attributes
    ----------
    observed : Observed
    rivals : tuple of Assessed
        The chosen model first.
    weights : ndarray, shape (rivals,)
    levels : mapping of factor to its levels
        Of all factors of the table, those without a place in the model too.
    bounds : tuple of Bound
        Factors without a place in the model because another stands for them.
    special_cells : tuple of SpecialCell
    unit : str
    confidence_level : float
    """

    observed: Observed
    rivals: tuple[Assessed, ...]
    weights: Floats
    levels: Mapping[str, tuple[Level, ...]]
    bounds: tuple[Bound, ...]
    special_cells: tuple[SpecialCell, ...]
    unit: str
    confidence_level: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What a cell costs by the models.

    Attributes
    ----------
    at : mapping of factor to level
    estimate : Estimate or None
        The typical (geometric mean) cost; None where it is refused.
    new_value : Estimate or None
        One new measurement there: it scatters as replicates do, and as cells stray from the model.
    refusal : str
        Why there is none, in one line; else empty.
    caveats : tuple of Caveat
    """

    at: Mapping[str, Level]
    estimate: Estimate | None
    new_value: Estimate | None
    refusal: str
    caveats: tuple[Caveat, ...]


def predict_cells(basis: Basis, at: Sequence[Mapping[str, Level]], *, extrapolate: bool) -> tuple[Prediction, ...]:
    """Predict cells.

    Without ``extrapolate`` the levels of a numeric factor are answered from min(lowest / 2, max(0, lowest - (highest -
    lowest))) to twice the highest: half the smallest level at least, and further down as far as the measured range
    reaches up from it, so that levels 1 to 6 tell of 0 too. Outside the measured range a caveat says so.

    Raises
    ------
    SelectionError
        For a factor that the table does not hold, or one of the model that is not given.
    DataError
        For a level that is not a number of 0 or more where one is needed, and for an unknown level of a categorical
        factor.
    """
    return tuple(_predict(basis, dict(row), extrapolate) for row in at)


def weigh(ranked: list[Fitted], observed: Observed) -> tuple[tuple[Assessed, ...], Floats]:
    """Return the rivals, the chosen one first, and how much each counts."""
    close = [one for one in ranked if one.bic <= ranked[0].bic + RIVAL]
    best = best_of(close)
    ordered = [best, *(one for one in close if one is not best)]
    return tuple(assess(one, observed) for one in ordered), weights_of(np.array([one.bic for one in ordered]))


def average_logs(basis: Basis, space: Space, measurements: float | None) -> tuple[Floats, Floats, Floats]:
    """Return averaged logarithms of costs at cells, and their ends; NaN where the chosen model has none.

    Parameters
    ----------
    measurements : float or None
        For the mean of so many new measurements in each cell; None for the mean cost itself.
    """
    rows = len(space.numbers)
    centres = np.full((rows, len(basis.rivals)), np.nan)
    errors = np.full_like(centres, np.nan)
    for place, one in enumerate(basis.rivals):
        logs, unscaled = one.predict(space)
        variance = unscaled * one.variance.single
        if measurements is not None:
            variance = variance + one.variance.own + one.variance.within / measurements
        centres[:, place], errors[:, place] = logs, np.sqrt(variance)
    usable = np.isfinite(centres) & np.isfinite(centres[:, :1])
    weights = np.where(usable, basis.weights, 0.0)
    total = weights.sum(axis=1, keepdims=True)
    known = np.where(usable, centres, np.nan_to_num(centres[:, :1]))
    spread = np.where(usable, errors, np.nan_to_num(errors[:, :1]))
    freedom = np.array([float(one.variance.degrees_of_freedom) for one in basis.rivals])
    centre, low, high = average(
        known, spread, weights / np.where(total > 0, total, 1.0), freedom, basis.confidence_level
    )
    gone = ~usable[:, 0]
    return tuple(np.where(gone, np.nan, one + basis.observed.centre) for one in (centre, low, high))  # type: ignore[return-value]


def _predict(basis: Basis, at: dict[str, Level], extrapolate: bool) -> Prediction:
    _check(basis, at)
    space = basis.observed.space
    caveats, refusal = _range(basis, at, extrapolate)
    estimates: list[Estimate | None] = [None, None]
    if not refusal:
        there = space.at([at])
        for place, measurements in enumerate((None, 1.0)):
            centre, low, high = (float(one[0]) for one in average_logs(basis, there, measurements))
            if math.isnan(centre):
                refusal = _why_not(basis, at, there)
                break
            estimates[place] = Estimate(
                value=math.exp(centre),
                low=math.exp(low) if math.isfinite(low) else -math.inf,
                high=math.exp(high) if math.isfinite(high) else math.inf,
                unit=basis.unit,
                confidence_level=basis.confidence_level,
                n=basis.observed.n,
                method=_METHOD,
                standard_error=math.nan,
            )
        for one in basis.special_cells:
            if all(one.levels.get(factor) == level for factor, level in at.items()):
                caveats.append(
                    caveat(
                        "special-cell",
                        f"({name_cell(at)}) was measured and set apart: {one.observed:.3g} {basis.unit}; the "
                        "prediction is that of the other cells",
                    )
                )
    caveats += _caution_of_bounds(basis, at)
    return Prediction(at=at, estimate=estimates[0], new_value=estimates[1], refusal=refusal, caveats=tuple(caveats))


def _check(basis: Basis, at: Mapping[str, Level]) -> None:
    space = basis.observed.space
    wanted = (*space.numeric, *space.categories)
    for factor in at:
        if factor not in basis.levels:
            close = suggestion(factor, basis.levels)
            raise SelectionError(f"no factor '{printable(factor)}'{close}; the model knows {choices(wanted)}")
    absent = [factor for factor in wanted if factor not in at]
    if absent:
        raise SelectionError(f"a prediction needs a level of {choices(absent)}; it was given {choices(at)}")
    for factor in space.numeric:
        level = at[factor]
        number = float(level) if isinstance(level, int | float) and not isinstance(level, bool) else math.nan
        if not (math.isfinite(number) and number >= 0):
            raise DataError(
                f"'{printable(str(level))}' is no level of {printable(factor)}; give a finite number of 0 or more"
            )
    for factor, level in at.items():
        known = basis.levels[factor]
        if factor not in space.numeric and level not in known:
            numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in known)
            hint = f", or name {printable(factor)} among the numeric factors" if numbers and len(known) > 1 else ""
            raise DataError(
                f"{printable(factor)} = '{printable(str(level))}' was not measured and is no number to the model; it "
                f"knows {choices(known)}: choose one of these{hint}"
            )


def _range(basis: Basis, at: Mapping[str, Level], extrapolate: bool) -> tuple[list[Caveat], str]:
    """Return a caveat for levels outside the measured range, and a refusal for those far outside."""
    beyond, far = [], []
    for scale in basis.observed.space.scales:
        level = float(at[scale.factor])
        told = f"{printable(scale.factor)} = {level:g} (measured from {scale.lowest:g} to {scale.highest:g})"
        if not scale.lowest <= level <= scale.highest:
            beyond.append(told)
        if not _lowest_answered(scale) <= level <= scale.highest * FURTHEST:
            far.append(told)
    if far and not extrapolate:
        return [], f"{_lie(far)} beyond twice the measured range; measure there, or ask to extrapolate"
    if far:
        return [caveat("far-beyond-range", f"{_lie(far)} beyond twice the measured range")], ""
    return [caveat("beyond-range", f"{_lie(beyond)} outside the measured range")] if beyond else [], ""


def _lowest_answered(scale: Scale) -> float:
    return min(scale.lowest / FURTHEST, max(0.0, scale.lowest - (scale.highest - scale.lowest)))


def _caution_of_bounds(basis: Basis, at: Mapping[str, Level]) -> list[Caveat]:
    """Warn of levels that were never measured together, of factors of which the model knows one only."""
    return [
        caveat(
            "confounded",
            f"{printable(one.factor)} was measured only together with {printable(one.to)}, and never "
            f"({name_cell({factor: at[factor] for factor in (one.to, one.factor)})}): the prediction goes by "
            f"{printable(one.to)} alone",
        )
        for one in basis.bounds
        if one.factor in at and (at[one.to], at[one.factor]) not in one.pairs
    ]


def _lie(told: Sequence[str]) -> str:
    return f"{choices(told)} {'lies' if len(told) == 1 else 'lie'}"


def _why_not(basis: Basis, at: Mapping[str, Level], there: Space) -> str:
    chosen = basis.rivals[0].fitted
    treated = zip(basis.observed.space.categories, chosen.hypothesis.treatments, strict=True)
    own = [factor for factor, treatment in treated if treatment in ("shift", "own")]
    codes = basis.observed.space.codes
    together = (codes == there.codes[0])[:, [one in own for one in basis.observed.space.categories]].all(axis=1)
    if own and not together.any():
        where = name_cell({factor: at[factor] for factor in own})
        return f"({where}) was never measured, and the model gives it a cost of its own; measure a cell there"
    without = [
        printable(scale.factor)
        for scale, term in zip(basis.observed.space.scales, chosen.hypothesis.terms, strict=True)
        if term is not None and at[scale.factor] == 0 and not scale.defined_at_zero(term)
    ]
    if without:
        return f"the term of {choices(without)} has no value at 0; measure a cell there"
    return "the model has no cost above 0 there: its fixed cost is negative; measure a cell there"
