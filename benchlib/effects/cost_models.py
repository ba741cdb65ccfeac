"""Cost models that explain and predict: which powers and logarithms of the factors make up a cost.

`fit_cost_model` answers for one table of cells. It leaves out factors that stand for others, takes the cells apart
(`benchlib.effects.hypotheses`), searches what might be true (`benchlib.effects.shapes`, `benchlib.effects.search`),
sets apart what no model explains, and tells the result as formulas and estimates, with what it warns of.
`benchlib.effects.predict` averages over the rivals and says what to measure to tell them apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from benchlib.caveats import Caveat, caveat, merge
from benchlib.effects.cells import (
    CellTable,
    Level,
    _choose_baselines,
    _choose_factors,
    _estimate_difference,
    _estimate_on_logs,
    _warn_of_single_levels,
    name_cell,
)
from benchlib.effects.hypotheses import Observed, observe
from benchlib.effects.outlying_cells import OutlyingCell, _find_outlying_cells
from benchlib.effects.predict import (
    Basis,
    Bound,
    LeftOut,
    NextCell,
    Prediction,
    _choose_next_cells,
    _leave_each_out,
    _predict_cells,
)
from benchlib.effects.search import (
    _ENOUGH_FREEDOM,
    _NEAR,
    Assessed,
    _find_outlying,
    _lack_of_fit,
    _weigh_rivals,
    assess,
)
from benchlib.effects.shapes import _Part, _word_of, checked_term_set
from benchlib.errors import DataError, choices, printable
from benchlib.statistics.estimates import Estimate, checked_level
from benchlib.units import show

__all__ = ["CostModel", "FittedModel", "fit_cost_model"]

#: A model that misses its cells by more than this share of their cost is said to be poor.
_POOR_FIT = 0.15
#: Below this P value cells stray from the model by more than replicates explain.
_SIGNIFICANT = 0.05
#: A factor with fewer levels is said to leave too few to judge the shape of its term by.
_ENOUGH_LEVELS = 4
#: Where models of another form hold more than this share of the weight, the form is said to be uncertain.
_OTHER_FORMS = 0.1
#: So many slices with coefficients of their own, and so many scales, are written out.
_SHOWN = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class CostTerm:
    """A coefficient and what it multiplies."""

    factors: tuple[str, ...]  # whose terms are multiplied; empty for the fixed cost
    powers: tuple[float, ...]
    #: Of the factors: x^power log2(x)^log, with log2(1 + x) for a factor with a level below 1.
    logs: tuple[int, ...]
    estimate: Estimate  # in the unit of the cost
    slice: Mapping[str, Level]  # the levels that the coefficient holds for; empty where it holds for all


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelScale:
    """How many times all of a cost is at one level of a categorical factor what it is at another."""

    factor: str
    level: Level
    baseline: Level
    estimate: Estimate  # unit ``"x"``


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedModel:
    """One model of the cost."""

    formula: str  # in words, such as ``"2.1 ms + 28.1 ms * outputs"``
    structure: str  # ``constant``, ``one factor``, ``additive``, ``product`` or ``additive plus product``
    #: One of "none", "shift", "scale", "own". What the levels of each categorical factor change: nothing, the fixed
    #: cost, all of the cost in proportion, or every coefficient.
    treatments: Mapping[str, str]
    terms: tuple[CostTerm, ...]
    scales: tuple[LevelScale, ...]
    #: With the price of choice, see `benchlib.effects.hypotheses` and `benchlib.effects.shapes.prices_of`.
    bic: float
    delta_bic: float  # more than the lowest
    weight: float  # its share among the rivals
    #: Root mean square of the relative error of predicting each cell from the others; NaN where a cell cannot be.
    loo_error: float
    degrees_of_freedom: int  # of its intervals
    #: How far the model misses the means of its cells, as a share of their cost; NaN where it meets them by
    #: construction.
    relative_error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CostModel:
    """What a cost is made of."""

    chosen: FittedModel  # fewest coefficients within BIC 2 of the lowest
    rivals: tuple[FittedModel, ...]  # all within BIC 6 of the lowest, the chosen one first
    #: P value that cells stray from the chosen model no further than replicates explain; NaN without replicates.
    lack_of_fit: float
    special_cells: tuple[OutlyingCell, ...]  # set apart, with what the chosen model expects there
    left_out: LeftOut  # how well a cell is predicted from the others
    #: numeric, categorical: the factors searched.
    numeric: tuple[str, ...]
    categorical: tuple[str, ...]
    unit: str
    n: int  # measurements that the models are fitted to
    runs: int  # that cells share: with one, nothing tells what another day does to all of them
    caveats: tuple[Caveat, ...]
    _basis: Basis

    def predict(self, at: Sequence[Mapping[str, Level]], *, extrapolate: bool = False) -> tuple[Prediction, ...]:
        """Predict cells, averaged over the rivals: see `Prediction`."""
        return _predict_cells(self._basis, at, extrapolate=extrapolate)

    def next_cells(self, count: int = 3) -> tuple[NextCell, ...]:
        """Return the cells to measure next to tell the chosen model from its closest rival, the cheapest first."""
        return _choose_next_cells(self._basis, count)


def fit_cost_model(
    table: CellTable,
    numeric: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    *,
    baselines: Mapping[str, Level] | None = None,
    confidence_level: float = 0.95,
    term_set: str = "standard",
) -> CostModel:
    """Search the cost model of a table of cells.

    With up to three numeric factors every shape is tried. With more, shapes grow from the best of those seen; a model
    then uses at most four of the numeric factors.

    ``baselines`` names the level of a categorical factor that its scales refer to; by default its first in the table.

    Raises `SelectionError` for a factor, or a baseline, that the table does not hold; `DataError` for levels that are
    not numbers of 0 or more, more than 100 levels of categories, fewer than two cells, no factor that varies, a cost of
    0 or less, or a term set that is not in `benchlib.effects.shapes.TERM_SETS`.
    """
    level = checked_level(confidence_level)
    terms = checked_term_set(term_set)
    numbers, kinds = _choose_factors(table, numeric, categorical)
    if not numbers and not kinds:
        raise DataError(
            f"none of {choices(table.factors)} has two levels; a cost model needs a factor that varies: measure "
            "another level"
        )
    _choose_baselines(table, (), baselines or {})
    numbers, kinds, bounds, warned = _part_factors(table, numbers, kinds)
    everything = observe(table.cells, numbers, kinds, table.unit, baselines)
    suspected = np.isin(np.arange(everything.cells), list(_find_outlying_cells(table, numbers, kinds)))
    out, ranked = _find_outlying(everything, terms, suspected)
    observed = everything.without(out) if out.any() else everything
    rivals, weights = _weigh_rivals(ranked, observed)
    models = tuple(
        _describe(rival, observed, table.unit, level, rival.fitted.bic - ranked[0].bic, float(weight))
        for rival, weight in zip(rivals, weights, strict=True)
    )
    special_cells = tuple(_outlying(table, everything, out, rivals[0]))
    best = rivals[0].fitted
    lack = _lack_of_fit(observed, best.sum_of_squares, best.size)
    return CostModel(
        chosen=models[0],
        rivals=models,
        lack_of_fit=lack,
        special_cells=special_cells,
        left_out=_leave_each_out(
            [assess(fit, observed) for fit in ranked if fit.bic <= ranked[0].bic + _NEAR], observed, level
        ),
        numeric=numbers,
        categorical=kinds,
        unit=table.unit,
        n=observed.n,
        runs=observed.runs,
        caveats=merge(table.caveats, warned, _doubts(table, observed, models, special_cells, lack)),
        _basis=Basis(
            observed=observed,
            rivals=rivals,
            weights=weights,
            levels=table.factors,
            bounds=bounds,
            special_cells=special_cells,
            unit=table.unit,
            confidence_level=level,
        ),
    )


def _outlying(
    table: CellTable, everything: Observed, out: NDArray[np.bool_], chosen: Assessed
) -> Iterator[OutlyingCell]:
    """Yield the cells set apart, with what the chosen model expects there."""
    if not out.any():
        return
    logs, _ = chosen.predict(everything.space.rows(out))
    for place, log in zip(np.flatnonzero(out).tolist(), logs, strict=True):
        cell = table.cells[place]
        expected = math.exp(float(log) + everything.centre)
        yield OutlyingCell(levels=cell.levels, observed=cell.median.value, expected=expected, n=cell.n)


# Factors that cannot be parted ---------------------------------------------------------------------------------------


def _part_factors(
    table: CellTable, numeric: Sequence[str], categorical: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[Bound, ...], list[Caveat]]:
    """Leave out factors whose effect cannot be told from another's, and say which.

    A factor is left out when each level of another goes with only one level of it: it never varies on its own.
    Returns the factors that remain, what was left out, and caveats.
    """
    names = (*numeric, *categorical)
    columns = {factor: [cell.levels[factor] for cell in table.cells] for factor in names}
    distinct = {factor: len(set(column)) for factor, column in columns.items()}
    left = list(names)
    stands: dict[str, str] = {}
    warned: list[Caveat] = []
    for inner in reversed(names):
        for outer in left:
            if outer == inner or len(set(zip(columns[inner], columns[outer], strict=True))) > distinct[outer]:
                continue
            left.remove(inner)
            stands[inner] = outer
            warned.append(
                caveat(
                    "confounded",
                    f"{printable(inner)} never changes while {printable(outer)} stays: what the model says of "
                    f"{printable(outer)} is the effect of both",
                )
            )
            break
    numbers = tuple(factor for factor in numeric if factor in left)
    if len(numbers) > 1:
        straight = np.array([[float(cell.levels[factor]) for factor in numbers] for cell in table.cells])
        standard = [(rows - rows.mean(axis=0)) / rows.std(axis=0) for rows in (np.arcsinh(straight), straight)]
        if min(np.linalg.matrix_rank(rows, tol=1e-8 * len(rows)) for rows in standard) < len(numbers):
            message = f"{choices(numbers)} follow each other in the cells: their effects cannot be parted"
            warned.append(caveat("confounded", message))
    bounds = tuple(_bound(factor, stands, columns) for factor in stands)
    return numbers, tuple(factor for factor in categorical if factor in left), bounds, warned


def _bound(factor: str, stands: Mapping[str, str], columns: Mapping[str, Sequence[Level]]) -> Bound:
    to = stands[factor]
    while to in stands:
        to = stands[to]
    return Bound(factor=factor, to=to, pairs=frozenset(zip(columns[to], columns[factor], strict=True)))


# A model in words and estimates --------------------------------------------------------------------------------------


def _describe(rival: Assessed, observed: Observed, unit: str, level: float, delta: float, weight: float) -> FittedModel:
    """Put a fitted hypothesis into words and estimates."""
    fitted, space = rival.fitted, observed.space
    hypothesis, slots = fitted.hypothesis, fitted.slots
    size = math.exp(observed.centre)
    errors = np.sqrt(np.diag(rival.unscaled) * rival.variance.single).tolist()
    freedom = rival.variance.degrees_of_freedom
    method = "least squares on logarithms of cells, t interval"
    cost_terms = []
    for place, part in enumerate(slots.parts):
        picked = [(space.numeric[factor], hypothesis.terms[factor]) for factor in part or ()]
        value, error = float(fitted.coefficients[place]) * size, errors[place] * size
        cost_terms.append(
            CostTerm(
                factors=tuple(name for name, _ in picked),
                powers=tuple(term.power for _, term in picked if term is not None),
                logs=tuple(term.log for _, term in picked if term is not None),
                estimate=_estimate_difference(
                    value, error, freedom, level=level, unit=unit, n=observed.n, method=method
                ),
                slice=slots.levels(place, space),
            )
        )
    kinds = list(space.categories.items())
    level_scales = []
    for (factor, code), log, error in zip(slots.scaled, fitted.scales, errors[len(slots.parts) :], strict=False):
        name, levels = kinds[factor]
        on_logs = f"{method} on logarithms"
        estimate = _estimate_on_logs(float(log), error, freedom, level=level, unit="x", n=observed.n, method=on_logs)
        level_scales.append(LevelScale(factor=name, level=levels[code], baseline=levels[0], estimate=estimate))
    between = observed.cells - fitted.size
    stray = fitted.sum_of_squares / between * observed.cells / observed.repeats if between > 0 else math.nan
    return FittedModel(
        formula=_formula(rival, observed, unit),
        structure=_word_of(hypothesis.structure),
        treatments=MappingProxyType(dict(zip(space.categories, hypothesis.treatments, strict=True))),
        terms=tuple(cost_terms),
        scales=tuple(level_scales),
        bic=fitted.bic,
        delta_bic=delta,
        weight=weight,
        loo_error=float(np.sqrt(np.mean(rival.left_out_residuals**2))),
        degrees_of_freedom=freedom,
        relative_error=math.sqrt(stray),
    )


def _formula(rival: Assessed, observed: Observed, unit: str) -> str:
    """Write a model as a formula."""
    fitted, space = rival.fitted, observed.space
    slots, terms = fitted.slots, fitted.hypothesis.terms
    amounts = [_amount(value, unit) for value in (fitted.coefficients * math.exp(observed.centre)).tolist()]

    def product(part: _Part) -> str:
        scales = [(space.scales[factor], terms[factor]) for factor in part]
        return " * ".join(scale.describe(term) for scale, term in scales if term is not None)

    fixed = [place for place, part in enumerate(slots.parts) if part is None]
    sums = []
    for place in fixed[:_SHOWN]:
        group, where = slots.groups[place], slots.levels(place, space)
        added = [
            f" + {amounts[other]} * {product(part)}"
            for other, part in enumerate(slots.parts)
            if part is not None
            and all(code in (-1, here) for code, here in zip(slots.groups[other], group, strict=True))
        ]
        below = " (a fixed cost below 0)" if added and fitted.coefficients[place] < 0 else ""
        summed = amounts[place] + below + "".join(added)
        sums.append(f"{name_cell(where)}: {summed}" if where else summed)
    written = "; ".join(sums)
    if len(fixed) > _SHOWN:
        written += f"; and {len(fixed) - _SHOWN} more"
    if not slots.scaled:
        return written
    kinds = list(space.categories.items())
    scaled = zip(slots.scaled[:_SHOWN], np.exp(fitted.scales), strict=False)
    times = " ".join(
        f"* {scale:.3g} at {name_cell({kinds[factor][0]: kinds[factor][1][code]})}" for (factor, code), scale in scaled
    )
    if len(slots.scaled) > _SHOWN:
        times += f" and {len(slots.scaled) - _SHOWN} more"
    return f"{written} {times}" if len(slots.parts) == 1 else f"({written}) {times}"


def _amount(value: float, unit: str) -> str:
    """Write an amount with three digits; zeros behind its point say nothing, nor does that it is for an operation."""
    number, _, name = show(value, unit).removesuffix("/op").partition(" ")
    digits, power, exponent = number.partition("e")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return f"{digits}{power}{exponent} {name}".rstrip()


# What a cost model warns of ------------------------------------------------------------------------------------------


def _doubts(
    table: CellTable,
    observed: Observed,
    rivals: Sequence[FittedModel],
    special_cells: Sequence[OutlyingCell],
    lack: float,
) -> Iterator[Caveat]:
    """Yield what the data and the choice of a model warn of."""
    best = rivals[0]
    yield from _warn_of_single_levels(table)
    if special_cells:
        named = _name_outlying(special_cells, observed)
        yield caveat("special-cell", f"no cost model of the other cells explains {named}: set apart")
    if not observed.pure_freedom:
        yield caveat("one-replicate", "every cell was measured once: nothing tells noise from lack of fit")
    if best.relative_error > _POOR_FIT:
        yield caveat("poor-fit", f"the model misses the cells by {100 * best.relative_error:.0f} % of their cost")
    elif lack < _SIGNIFICANT:
        yield caveat(
            "lack-of-fit",
            f"cells stray from the model by {100 * best.relative_error:.2g} %, more than their replicates explain "
            f"(p = {lack:.2g}); intervals allow for it",
        )
    yield from _doubt_choice(rivals)
    yield from _doubt_size(observed, best)
    yield from _doubt_form(rivals)
    if best.degrees_of_freedom < 1:
        yield caveat("no-freedom", f"{len(best.terms)} coefficients meet {observed.cells} cells: no interval")
    yield from _doubt_range(observed, best)


def _doubt_choice(rivals: Sequence[FittedModel]) -> Iterator[Caveat]:
    """Warn of models that fit nearly as well, and of one that predicts better."""
    if len(rivals) < 2:
        return
    best = rivals[0]
    others = "1 other model fits" if len(rivals) == 2 else f"{len(rivals) - 1} other models fit"
    yield caveat("rival-model", f"{others} nearly as well (BIC {rivals[1].bic - best.bic:+.1f})")
    sharper = min(rivals, key=lambda rival: rival.loo_error)
    if sharper.loo_error < best.loo_error / 1.5:
        yield caveat(
            "rival-model",
            f"rival {rivals.index(sharper)} predicts left-out cells to {100 * sharper.loo_error:.2g} %, the "
            f"model chosen to {100 * best.loo_error:.2g} %",
        )


def _doubt_size(observed: Observed, best: FittedModel) -> Iterator[Caveat]:
    """Warn where cells or levels leave too little to judge the form of a model by."""
    between = observed.cells - len(best.terms) - len(best.scales)
    # Replicates tell the noise, not the shape; without numbers there is no shape to tell.
    freedom = min(between, best.degrees_of_freedom) if observed.space.scales else best.degrees_of_freedom
    if best.degrees_of_freedom > 0 and freedom < _ENOUGH_FREEDOM:
        left = f"{freedom} degree{'' if freedom == 1 else 's'} of freedom"
        yield caveat(
            "few-cells",
            f"{observed.cells} cells leave {left} between them to judge a search over many shapes by: intervals "
            "may be too narrow",
        )
        return
    used = {factor for term in best.terms for factor in term.factors}
    for factor, number in _count_levels(observed).items():
        if factor in used and 2 < number < _ENOUGH_LEVELS:
            yield caveat(
                "few-cells",
                f"{printable(factor)} has {number} levels, which leave {number - 2} to judge its shape by: intervals "
                "hold if the shape is true",
            )


def _doubt_form(rivals: Sequence[FittedModel]) -> Iterator[Caveat]:
    """Warn where models of another form, not only of other treatments of a category, are likely too."""
    others = math.fsum(rival.weight for rival in rivals if _form_of(rival) != _form_of(rivals[0]))
    if others > _OTHER_FORMS:
        yield caveat(
            "form-uncertain",
            f"coefficients hold if this form is true; other forms hold {100 * others:.0f} % of the weight: read "
            "predictions, which are averaged",
        )


def _form_of(model: FittedModel) -> frozenset[tuple[tuple[str, ...], tuple[float, ...], tuple[int, ...]]]:
    """Return the terms of a model, whatever its levels change."""
    return frozenset((term.factors, term.powers, term.logs) for term in model.terms if term.factors)


def _doubt_range(observed: Observed, best: FittedModel) -> Iterator[Caveat]:
    """Warn of numeric factors with two levels, and of a fixed cost below 0."""
    counts = _count_levels(observed)
    for scale in observed.space.scales:
        if counts[scale.factor] == 2:
            yield caveat(
                "two-levels",
                f"{printable(scale.factor)} has two levels ({scale.lowest:g}, {scale.highest:g}): every curve "
                "meets both, a straight line was taken",
            )
    if any(term.estimate.high < 0 for term in best.terms if not term.factors):
        names = dict.fromkeys(factor for term in best.terms for factor in term.factors)
        yield caveat(
            "negative-fixed-cost",
            f"the fixed cost is below 0: the model holds for {choices(names)} as measured, not down to nothing",
        )


def _count_levels(observed: Observed) -> dict[str, int]:
    """Return how many levels of each numeric factor were measured."""
    columns = zip(observed.space.scales, observed.space.numbers.T, strict=True)
    return {scale.factor: np.unique(column).size for scale, column in columns}


def _name_outlying(special_cells: Sequence[OutlyingCell], observed: Observed) -> str:
    """Name outlying cells, those alike in every combination of categories once."""
    space = observed.space
    slices = len(np.unique(space.codes, axis=0))
    places: dict[tuple[Level, ...], list[OutlyingCell]] = {}
    for cell in special_cells:
        places.setdefault(tuple(cell.levels[factor] for factor in space.numeric), []).append(cell)
    named = []
    for levels, alike in places.items():
        if 1 < len(alike) == slices:
            where = name_cell(dict(zip(space.numeric, levels, strict=True)))
            named.append(f"({where}) at every {' and '.join(map(printable, space.categories))}")
        else:
            named += [f"({name_cell(cell.levels)})" for cell in alike]
    return choices(named, 6)
