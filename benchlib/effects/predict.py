"""What a cell would cost that was not measured, and which cells to measure next.

Predictions are averaged over the rivals, or refused with the reason. Each model gives a centre and a standard error on
logarithms; an end of the averaged interval lies where the tails that the models leave beyond it, each with its own t,
average to what the confidence level leaves on that side: not knowing which model is true widens an interval.

D. Turek and D. Fletcher, "Model-averaged Wald confidence intervals", Computational Statistics and Data Analysis
56(9), 2012, 2809-2815. J. A. Hoeting, D. Madigan, A. E. Raftery, C. T. Volinsky, "Bayesian Model Averaging: A
Tutorial", Statistical Science 14(4), 1999: BIC weights.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchlib.caveats import Caveat, caveat
from benchlib.effects.cells import Level, _estimate_on_logs, name_cell
from benchlib.effects.hypotheses import Observed, Space, bic_of
from benchlib.effects.outlying_cells import OutlyingCell
from benchlib.effects.search import Assessed
from benchlib.effects.shapes import Scale
from benchlib.errors import DataError, SelectionError, choices, printable, suggestion
from benchlib.lazy_scipy import special
from benchlib.statistics.estimates import Estimate
from benchlib.units import show

__all__ = ["LeftOut", "NextCell", "Prediction"]

#: Beyond this many times the largest level of a factor a model is a guess, and has to be asked for as one.
_FURTHEST = 2.0
#: Halvings that leave an end to 1e-12 of where the models' own ends lie apart.
_HALVINGS = 40
#: Beyond this many repetitions a cell is no advice.
_MOST_REPETITIONS = 1000
#: A grid of more cells than this is thinned: factors without effect first, then every other level of the longest.
_MOST_CELLS = 20_000

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A factor left out of the model because its level follows from that of another."""

    #: factor, to: the factor left out, and the one in the model that stands for both.
    factor: str
    to: str
    #: The levels of ``to`` and of ``factor`` that were measured together.
    pairs: frozenset[tuple[Level, Level]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Basis:
    """What predictions rest on."""

    observed: Observed
    rivals: tuple[Assessed, ...]  # the chosen model first
    weights: _Floats  # shape (rivals,)
    #: Of all factors of the table, those without a place in the model too.
    levels: Mapping[str, tuple[Level, ...]]
    bounds: tuple[Bound, ...]  # factors without a place in the model because another stands for them
    special_cells: tuple[OutlyingCell, ...]
    unit: str
    confidence_level: float


# Predictions ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What a cell costs by the models."""

    at: Mapping[str, Level]
    estimate: Estimate | None  # the typical (geometric mean) cost; None where it is refused
    #: The median of a run like those measured, on another day: it strays as cells, runs and repeats do.
    another_day: Estimate | None
    refusal: str  # why there is none, in one line; else empty
    caveats: tuple[Caveat, ...]


def _predict_cells(basis: Basis, at: Sequence[Mapping[str, Level]], *, extrapolate: bool) -> tuple[Prediction, ...]:
    """Predict cells.

    Without ``extrapolate`` the levels of a numeric factor are answered from min(lowest / 2, max(0, lowest - (highest -
    lowest))) to twice the highest: half the smallest level at least, and further down as far as the measured range
    reaches up from it, so that levels 1 to 6 tell of 0 too. Outside the measured range a caveat says so.
    """
    return tuple(_predict(basis, dict(row), extrapolate) for row in at)


def _predict(basis: Basis, at: dict[str, Level], extrapolate: bool) -> Prediction:
    _check(basis, at)
    caveats, refusal = _range(basis, at, extrapolate)
    special, ordinary = _nearest(basis, at)
    if special and not ordinary:
        refusal = refusal or f"{_name_special(basis, special)} set apart: no model of the other cells holds there"
    estimate = another_day = None
    if not refusal:
        there = basis.observed.space.at([at])
        estimate, another_day = (_averaged(basis, there, measured_again=again) for again in (False, True))
        if estimate is None:
            refusal = _why_not(basis, at, there)
        if special:
            message = f"next to it {_name_special(basis, special)} set apart: the prediction is that of the other cells"
            caveats.append(caveat("special-cell", message))
    caveats += [*_caution_of_bounds(basis, at), *_caution_of_lines(basis, at)]
    return Prediction(at=at, estimate=estimate, another_day=another_day, refusal=refusal, caveats=tuple(caveats))


def _nearest(basis: Basis, at: Mapping[str, Level]) -> tuple[list[OutlyingCell], int]:
    """Return the special cells at the measured levels next to those of a cell, and how many ordinary cells lie there.

    Next to a level that was measured lies that level alone; next to another, those below and above it.
    """
    space = basis.observed.space
    beside: dict[str, set[Level]] = {factor: {at[factor]} for factor in space.categories}
    for factor in space.numeric:
        levels, level = basis.levels[factor], float(at[factor])
        below, above = [own for own in levels if float(own) <= level], [own for own in levels if float(own) >= level]
        beside[factor] = {*below[-1:], *above[:1]}
    special = [cell for cell in basis.special_cells if all(cell.levels[name] in own for name, own in beside.items())]
    ordinary = np.ones(basis.observed.cells, dtype=bool)
    for factor, column in zip(space.numeric, space.numbers.T, strict=True):
        ordinary &= np.isin(column, [float(level) for level in beside[factor]])
    for (factor, levels), column in zip(space.categories.items(), space.codes.T, strict=True):
        ordinary &= column == levels.index(at[factor])
    return special, int(ordinary.sum())


def _name_special(basis: Basis, special: Sequence[OutlyingCell]) -> str:
    """Name special cells with what was measured there."""
    named = choices((f"({name_cell(cell.levels)}: {show(cell.observed, basis.unit)})" for cell in special), 4)
    return f"{named} {'was' if len(special) == 1 else 'were'}"


def _averaged(basis: Basis, there: Space, *, measured_again: bool) -> Estimate | None:
    """Return the averaged cost of one cell, or the median of a new run; None where the chosen model has none."""
    level = basis.confidence_level
    centres, errors = np.array(
        [_centre_and_error(rival, there, basis.observed, level, measured_again) for rival in basis.rivals]
    ).T
    freedom = np.array([float(rival.variance.degrees_of_freedom) for rival in basis.rivals])
    usable = np.isfinite(centres)
    if not usable[0]:
        return None
    weights = np.where(usable, basis.weights, 0.0)
    centre, low, high = _average(
        np.where(usable, centres, centres[0]),
        np.where(usable, errors, np.nan_to_num(errors[0])),
        weights / weights.sum(),
        freedom,
        basis.confidence_level,
    )
    return Estimate(
        value=math.exp(centre + basis.observed.centre),
        low=math.exp(low + basis.observed.centre) if math.isfinite(low) else -math.inf,
        high=math.exp(high + basis.observed.centre) if math.isfinite(high) else math.inf,
        unit=basis.unit,
        confidence_level=basis.confidence_level,
        n=basis.observed.n,
        method="averaged over the rival models by their BIC weights, ends where their t tails average to the level",
        standard_error=math.nan,
    )


def _centre_and_error(
    rival: Assessed, there: Space, observed: Observed, level: float, measured_again: bool
) -> tuple[float, float]:
    """Return the logarithm of what one model expects at one cell, and its standard error.

    A cell strays from the model by an error of its own. What runs do to all cells moves the model as a whole: their
    mean is in every prediction, and a new run brings its own. Each part counts by the square of its own t over that of
    the model: few runs tell little of what they differ by, many repeats much of how they scatter.

    W. G. Howe, "Approximate Confidence Limits on the Mean of X + Y Where X and Y Are Two Tabled Independent Random
    Variables", Journal of the American Statistical Association 69 (1974) 789-794.
    """
    logs, unscaled = rival.predict(there)
    variance, freedom = rival.variance, rival.variance.degrees_of_freedom
    parts = [(float(unscaled[0]) * variance.single + variance.own, freedom)]
    parts.append((observed.between_runs * (1 / observed.runs + measured_again), observed.runs - 1))
    if measured_again:
        parts.append((variance.within * observed.of_median, max(freedom, observed.pure_freedom)))
    total = sum(part * _widened(own, freedom, level) for part, own in parts if part)
    return float(logs[0]), math.sqrt(total)


def _widened(own: int, freedom: int, level: float) -> float:
    """Return the square of the t of a part over that of the model; 1 where either has none."""
    if min(own, freedom) < 1 or own == freedom:
        return 1.0
    of_part, of_model = special.stdtrit([own, freedom], (1 + level) / 2)
    return float(of_part / of_model) ** 2


def _average(
    centres: _Floats, errors: _Floats, weights: _Floats, degrees_of_freedom: _Floats, level: float
) -> tuple[float, float, float]:
    """Average the centres of models, and find the ends of their mixture; infinite where a model has no freedom.

    Weights sum to 1 over the models.
    """
    centre = float((weights * centres).sum())
    if not (np.isfinite(errors) & (degrees_of_freedom > 0)).all():
        return centre, -math.inf, math.inf
    tail = (1 - level) / 2
    reach = special.stdtrit(degrees_of_freedom, 1 - tail) * errors
    errors = np.fmax(errors, 1e-300)
    ends = []
    for side in (-1.0, 1.0):
        own = side * centres + reach
        before, after = float(own.min()), float(own.max())
        for _ in range(_HALVINGS):
            middle = (before + after) / 2
            left = float((weights * special.stdtr(degrees_of_freedom, (side * centres - middle) / errors)).sum())
            before, after = (middle, after) if left > tail else (before, middle)
        # An average far from the likeliest model can lie beyond what the tails leave: the interval holds it anyway.
        ends.append(side * max((before + after) / 2, side * centre))
    return centre, ends[0], ends[1]


def _check(basis: Basis, at: Mapping[str, Level]) -> None:
    space = basis.observed.space
    needed = (*space.numeric, *space.categories)
    for factor in at:
        if factor not in basis.levels:
            close = suggestion(factor, basis.levels)
            raise SelectionError(f"no factor '{printable(factor)}'{close}; the model knows {choices(needed)}")
    absent = [factor for factor in needed if factor not in at]
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
            numbers = all(isinstance(other, int | float) and not isinstance(other, bool) for other in known)
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
        where = f"{printable(scale.factor)} = {level:g} (measured from {scale.lowest:g} to {scale.highest:g})"
        if not scale.lowest <= level <= scale.highest:
            beyond.append(where)
        if not _lowest_answered(scale) <= level <= scale.highest * _FURTHEST:
            far.append(where)
    if far and not extrapolate:
        return [], f"{_lie(far)} beyond twice the measured range; measure there, or ask to extrapolate"
    if far:
        return [caveat("far-beyond-range", f"{_lie(far)} beyond twice the measured range")], ""
    return [caveat("beyond-range", f"{_lie(beyond)} outside the measured range")] if beyond else [], ""


def _lowest_answered(scale: Scale) -> float:
    return min(scale.lowest / _FURTHEST, max(0.0, scale.lowest - (scale.highest - scale.lowest)))


def _lie(places: Sequence[str]) -> str:
    return f"{choices(places)} {'lies' if len(places) == 1 else 'lie'}"


def _caution_of_bounds(basis: Basis, at: Mapping[str, Level]) -> list[Caveat]:
    """Warn of levels that were never measured together, of factors of which the model knows one only."""
    return [
        caveat(
            "confounded",
            f"{printable(bound.factor)} was measured only together with {printable(bound.to)}, and never "
            f"({name_cell({factor: at[factor] for factor in (bound.to, bound.factor)})}): the prediction goes by "
            f"{printable(bound.to)} alone",
        )
        for bound in basis.bounds
        if bound.factor in at and (at[bound.to], at[bound.factor]) not in bound.pairs
    ]


def _caution_of_lines(basis: Basis, at: Mapping[str, Level]) -> Iterator[Caveat]:
    """Warn of a level between or beyond the only two that were measured: no interval holds what a curve does there."""
    for factor in basis.observed.space.numeric:
        levels = basis.levels[factor]
        if len(levels) == 2 and at[factor] not in levels:
            message = f"{printable(factor)} has two levels ({levels[0]}, {levels[1]}): a straight line was taken"
            yield caveat("two-levels", message)


def _why_not(basis: Basis, at: Mapping[str, Level], there: Space) -> str:
    """Say why the chosen model has no cost at a cell."""
    space, hypothesis = basis.observed.space, basis.rivals[0].fitted.hypothesis
    treated = zip(space.categories, hypothesis.treatments, strict=True)
    own = [factor for factor, treatment in treated if treatment in ("shift", "own")]
    together = (space.codes == there.codes[0])[:, [factor in own for factor in space.categories]].all(axis=1)
    if own and not together.any():
        where = name_cell({factor: at[factor] for factor in own})
        return f"({where}) was never measured, and the model gives it a cost of its own; measure a cell there"
    without = [
        printable(scale.factor)
        for scale, term in zip(space.scales, hypothesis.terms, strict=True)
        if term is not None and at[scale.factor] == 0 and not scale.defined_at_zero(term)
    ]
    if without:
        return f"the term of {choices(without)} has no value at 0; measure a cell there"
    return "the model has no cost above 0 there: its fixed cost is negative; measure a cell there"


# Cells left out ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """How well the models predict a cell that they have not seen: each cell is left out in turn."""

    error: float  # root mean square of relative errors, special cells aside; NaN where no cell can be left out
    held: int  # cells whose mean lies in the interval that the other cells predict
    cells: int  # all that were measured: special ones are among them, and no model of the others holds them


def _leave_each_out(fits: Sequence[Assessed], observed: Observed, level: float) -> LeftOut:
    """Predict the mean of each cell from the others, averaged over models weighed without it.

    No model is fitted again: coefficients, sum of squares and variance without a cell follow from its residual r and
    its leverage h, which leave r / (1 - h) of the cell and r^2 / (1 - h) of the sum of squares to it, on the
    linearised model. Models weigh by their BIC without the cell, so that one which only this cell spoke for goes.

    R. D. Cook, S. Weisberg, Residuals and Influence in Regression, 1982, section 2.2. Weights: see the module.
    """
    counts, cells = observed.counts, observed.cells + observed.apart
    fewer = replace(observed, logs=observed.logs[1:], counts=counts[1:])
    bic, below, missed = [], [], []
    for fit in fits:
        away, free = fit.left_out_residuals, np.maximum(1 - fit.leverage, 1e-9)
        squares = np.maximum(fit.fitted.sum_of_squares - counts * fit.residuals * away, 0.0)
        variance, freedom = fit.variance, fit.variance.degrees_of_freedom - 1
        if freedom < 1:
            return LeftOut(error=math.nan, held=0, cells=cells)
        pooled = observed.pure_error if freedom >= observed.cells - fit.fitted.size else 0.0
        single = (squares + pooled) / freedom
        error = np.sqrt(single * fit.leverage / free / counts + variance.own + variance.within / counts)
        # What a model pays for its kind is no matter of a cell.
        price = fit.fitted.bic - float(bic_of(observed, np.array([fit.fitted.sum_of_squares]), fit.fitted.size)[0])
        bic.append(bic_of(fewer, squares, fit.fitted.size) + price)
        below.append(special.stdtr(freedom, away / np.fmax(error, 1e-300)))
        missed.append(away)
    weights = np.exp(-(np.array(bic) - np.min(bic, axis=0)) / 2)
    weights /= weights.sum(axis=0)
    misses, share = ((weights * np.array(of_fits)).sum(axis=0) for of_fits in (missed, below))
    known = np.isfinite(misses)
    tail = (1 - level) / 2
    return LeftOut(
        error=float(np.sqrt(np.mean(misses[known] ** 2))) if known.any() else math.nan,
        held=int(((share >= tail) & (share <= 1 - tail)).sum()),
        cells=cells,
    )


# The next cells ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class NextCell:
    """A cell that tells two models apart."""

    at: Mapping[str, Level]
    #: chosen, rival: what each model predicts there, alone.
    chosen: Estimate
    rival: Estimate
    repetitions: int  # measurements whose mean would rule out one of the two at the confidence level
    cost: float  # repetitions times the cost that the chosen model predicts, in the unit of the cost
    measured: bool  # whether the cell was measured already, so that this is about more repetitions


def _choose_next_cells(basis: Basis, count: int) -> tuple[NextCell, ...]:
    """Return the cells that separate the chosen model from its closest rival at least cost.

    Cells are combinations of measured levels of all factors, and of half the smallest and twice the largest level
    of each numeric one. The mean of n new measurements rules out a model when it lies further from its
    prediction than z times sqrt(v + own + within / n): v is the variance of the prediction, own what cells stray
    by, within the variance of replicates; the larger v of the two models counts. Cells come in order of n times
    the predicted cost. The closest rival that any cell within a thousand repetitions separates is taken, so that one
    which differs nowhere does not hide the next.

    G. E. P. Box and W. J. Hill, "Discrimination Among Mechanistic Models", Technometrics 9(1), 1967, 57-71: measure
    where predictions part by most of their own uncertainty.
    """
    rows = _grid(basis)
    space = basis.observed.space.at(rows)
    logs, unscaled = basis.rivals[0].predict(space)
    known = _keys(basis.observed.space)
    for rival in basis.rivals[1:]:
        rival_logs, rival_unscaled = rival.predict(space)
        repetitions = _repetitions(basis, rival, logs - rival_logs, unscaled, rival_unscaled)
        cost = repetitions * np.exp(logs + basis.observed.centre)
        places = _distinct(np.flatnonzero(np.isfinite(cost)), cost, logs, rival_logs)[:count]
        if not places:
            continue
        keys = _keys(space)
        return tuple(
            NextCell(
                at=rows[place],
                chosen=_alone(basis, basis.rivals[0], float(logs[place]), float(unscaled[place])),
                rival=_alone(basis, rival, float(rival_logs[place]), float(rival_unscaled[place])),
                repetitions=int(repetitions[place]),
                cost=float(cost[place]),
                measured=keys[place] in known,
            )
            for place in places
        )
    return ()


def _keys(space: Space) -> list[tuple[float, ...]]:
    """Return the levels of each cell, to compare cells by."""
    return [tuple(row) for row in np.column_stack([space.numbers, space.codes]).tolist()]


def _distinct(rows: NDArray[np.intp], cost: _Floats, first: _Floats, second: _Floats) -> list[int]:
    """Return rows by cost, of those that both models expect the same of the first: more of them tell no more."""
    cheapest: dict[tuple[float, float], int] = {}
    for row in rows[np.argsort(cost[rows], kind="stable")].tolist():
        cheapest.setdefault((round(float(first[row]), 9), round(float(second[row]), 9)), row)
    return list(cheapest.values())


def _repetitions(basis: Basis, rival: Assessed, apart: _Floats, first: _Floats, second: _Floats) -> _Floats:
    """Return how many measurements tell two predictions apart; infinite where no number does."""
    chosen = basis.rivals[0].variance
    z = float(special.ndtri((1 + basis.confidence_level) / 2))
    errors = np.fmax(first * chosen.single, second * rival.variance.single) + max(chosen.own, rival.variance.own)
    with np.errstate(invalid="ignore", divide="ignore"):
        needed = max(chosen.within, rival.variance.within) / ((apart / z) ** 2 - errors)
    needed = np.fmax(np.ceil(needed), 1.0)
    possible = ((apart / z) ** 2 > errors) & (needed <= _MOST_REPETITIONS)
    return np.where(possible, needed, np.inf)


def _grid(basis: Basis) -> list[dict[str, Level]]:
    """Return the cells that could be measured next."""
    space = basis.observed.space
    axes: list[list[Level]] = []
    for scale in space.scales:
        levels = [level for level in basis.levels[scale.factor] if isinstance(level, int | float)]
        whole = all(float(level).is_integer() for level in levels)
        ends = [scale.lowest / 2, scale.highest * 2]
        new: list[Level] = [int(end) if whole else end for end in ends if not whole or float(end).is_integer()]
        axes.append(list(dict.fromkeys([*levels, *new])))
    axes += [list(levels) for levels in space.categories.values()]
    if math.prod(len(levels) for levels in axes) > _MOST_CELLS:
        # Where no rival knows a factor, all of them expect the same at each of its levels.
        axes = [levels if known else levels[:1] for levels, known in zip(axes, _known(basis), strict=True)]
    while math.prod(len(levels) for levels in axes) > _MOST_CELLS:
        place = max(range(len(axes)), key=lambda place: len(axes[place]))
        longest = axes[place]
        axes[place] = longest[-1:] + longest[:-1:2] if len(longest) > 2 else longest[-1:]
    names = (*space.numeric, *space.categories)
    apart = {tuple(cell.levels[name] for name in names) for cell in basis.special_cells}
    return [
        dict(zip(names, combination, strict=True))
        for combination in itertools.product(*axes)
        if combination not in apart
    ]


def _known(basis: Basis) -> list[bool]:
    """Whether any rival knows of each numeric, then of each categorical factor."""
    hypotheses = [rival.fitted.hypothesis for rival in basis.rivals]
    terms = zip(*(hypothesis.terms for hypothesis in hypotheses), strict=True)
    treatments = zip(*(hypothesis.treatments for hypothesis in hypotheses), strict=True)
    numeric = [any(term is not None for term in own) for own in terms]
    return numeric + [set(own) != {"none"} for own in treatments]


def _alone(basis: Basis, rival: Assessed, log: float, unscaled: float) -> Estimate:
    """Return what one model predicts at a cell."""
    freedom = rival.variance.degrees_of_freedom
    return _estimate_on_logs(
        log + basis.observed.centre,
        math.sqrt(unscaled * rival.variance.single + rival.variance.own) if freedom > 0 else math.nan,
        freedom,
        level=basis.confidence_level,
        unit=basis.unit,
        n=basis.observed.n,
        method="one model alone, t interval on logarithms",
    )
