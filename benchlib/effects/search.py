"""The search of a cost model: which shapes are tried, which fit and how surely, which cells none explains.

With one or two numeric factors every pair of terms is tried in every structure. With three, each factor first
shows its best terms on its own: within slices of all other factors, c + a f(x) holds for each slice of every
structure, so the term with the least sum of squares over all slices needs no guess of the structure. With more,
shapes are grown: `benchlib.effects.shapes.grow_shapes`.

Categorical factors come in two rounds: shapes are ranked with all of them ignored, all scaling the cost,
and all with coefficients of their own; the best shapes of each are then tried with every combination.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchlib.effects.hypotheses import (
    _TREATMENTS,
    Columns,
    Fitted,
    Hypothesis,
    Observed,
    Space,
    _Treatment,
    fit_hypotheses,
    slots_of,
    solve,
    stack_columns,
)
from benchlib.effects.outlying_cells import _OFF_BY, _OUTLYING_LIMIT, _OUTLYING_SHARE, _STUDENTISED
from benchlib.effects.shapes import (
    _LISTED_FACTORS,
    Shape,
    Term,
    _terms_for,
    grow_shapes,
    prices_of,
    shapes_of,
    used_factors,
)
from benchlib.lazy_scipy import special

#: Terms that a factor may take where there are three.
_BEST_TERMS = 3
#: Hypotheses are ranked on at most so many cells; the best are fitted to all.
_MOST_CELLS = 600
#: So many of the best go on.
_FINALISTS = 40
#: Where hypotheses were ranked on some cells, so many at most are fitted to all of them, and none whose BIC is
#: further from the lowest than this: with all cells it would lie further still.
_ON_ALL_CELLS, _NEAR = 12, 15.0
#: So many shapes of each treatment are tried with every other.
_SHAPES = 8
#: A rival is any model whose BIC is within this of the lowest.
_RIVAL = 6.0
#: Within this of the lowest BIC the model with fewest coefficients is chosen: the evidence between them is
#: "not worth more than a bare mention" (R. E. Kass and A. E. Raftery, JASA 90, 1995, 773-795).
_PARSIMONY = 2.0
#: A model that misses its cells by less than this share of their cost hides no special one.
_STRAYS = 0.02
#: With fewer degrees of freedom between cells their own scatter is no measure of it.
_ENOUGH_FREEDOM = 5
#: Variances are pooled where the P value of lack of fit is at least this.
_POOLED = 0.25
#: Exponents are looked for between these; beyond, a power of a factor measured at a few levels is a guess.
_SMALLEST, _LARGEST = 0.02, 6.0
_STEPS = 16
#: A step to an exponent that is shorter than this is the last.
_CLOSE = 1e-6

_Floats = NDArray[np.float64]
_Marks = NDArray[np.bool_]


# Ranking hypotheses --------------------------------------------------------------------------------------------------


def search(observed: Observed, terms: tuple[Term, ...]) -> list[Fitted]:
    """Return the best hypotheses, the lowest BIC first; at least the constant is among them."""
    sample = observed.thinned(_MOST_CELLS)
    kinds = len(sample.space.categories)
    possible = _possible_terms(observed, terms)
    prices = prices_of([len(own) for own in possible])
    if len(possible) <= _LISTED_FACTORS:
        shapes = shapes_of(_allowed_terms(observed, possible))
    else:
        shapes = _grown(sample, possible, prices)
    if not kinds:
        ranked = fit_hypotheses(sample, [_hypothesis(shape, ()) for shape in shapes], prices)
    else:
        alike: tuple[_Treatment, ...] = ("none", "scale", "own")
        first = [_hypothesis(shape, (treatment,) * kinds) for treatment in alike for shape in shapes]
        known, tried = set(first), fit_hypotheses(sample, first, prices)
        pairs = itertools.product(_best_shapes(tried), _treated(kinds))
        second = {_hypothesis(*pair): place for place, pair in enumerate(pairs)}
        ranked = [fit for fit in tried if fit.hypothesis in second]
        ranked += fit_hypotheses(sample, [hypothesis for hypothesis in second if hypothesis not in known], prices)
        ranked.sort(key=lambda fit: second[fit.hypothesis])
    ranked = _distinct(ranked)
    if sample.cells < observed.cells:
        near = [fit.hypothesis for fit in ranked[:_ON_ALL_CELLS] if fit.bic <= ranked[0].bic + _NEAR]
        ranked = _distinct(fit_hypotheses(observed, near, prices))
    return _distinct([*ranked[:_FINALISTS], *_fit_powers(ranked[:_FINALISTS], observed, prices, len(terms))])


def _fit_powers(ranked: Sequence[Fitted], observed: Observed, prices: Mapping[str, float], powers: int) -> list[Fitted]:
    """Return the best shapes with a power of one factor that the cells give; none where the terms explain the cells.

    Terms are few so that measurements tell them apart. Where replicates say that cells stray from the best of them, as
    from any for a cost of bits^0.81, a power is fitted. It counts as a coefficient, and its error is in every interval.
    Each choice is paid for as in `benchlib.effects.shapes.prices_of`: of a shape and factor among those tried, and of a
    power, which might have been as many as there are terms. The P value of lack of fit from which none is fitted is
    that of `error_variance`.
    """
    best = _choose(ranked)
    if not _lack_of_fit(observed, best.sum_of_squares, best.size) < _POOLED:
        return []
    shapes: dict[tuple[object, ...], Fitted] = {}
    for fit in ranked:
        shapes.setdefault((fit.hypothesis.structure, fit.hypothesis.treatments), fit)
    tried = []
    for fit in list(shapes.values())[:_SHAPES]:
        for factor in used_factors(fit.hypothesis.structure):
            power = _power_of(fit, observed, factor) if _bends(fit, observed, factor) else math.nan
            if _SMALLEST < abs(power) < _LARGEST:
                terms = list(fit.hypothesis.terms)
                terms[factor] = Term(power=power, log=0, fitted=True)
                tried.append(replace(fit.hypothesis, terms=tuple(terms)))
    price = 2 * math.log(max(len(tried), 1) * powers)
    return [replace(fit, bic=fit.bic + price) for fit in fit_hypotheses(observed, tried, prices)]


def _grown(sample: Observed, possible: Sequence[tuple[Term, ...]], prices: Mapping[str, float]) -> list[Shape]:
    """Grow shapes with all categories scaling the cost, or ignored where the cells cannot carry that."""
    kinds = len(sample.space.categories)
    nothing: Shape = ((), (None,) * len(possible))
    treatment: _Treatment = "scale"
    if not fit_hypotheses(sample, [_hypothesis(nothing, (treatment,) * kinds)], prices):
        treatment = "none"

    def fit(shapes: Sequence[Shape]) -> dict[Shape, float]:
        fits = fit_hypotheses(sample, [_hypothesis(shape, (treatment,) * kinds) for shape in shapes], prices)
        return {(fitted.hypothesis.structure, fitted.hypothesis.terms): fitted.bic for fitted in fits}

    return grow_shapes(fit, possible)


def _distinct(fits: Sequence[Fitted]) -> list[Fitted]:
    """Return fits, the lowest BIC first, each once: scales on a constant say what constants of their own say."""
    first: dict[tuple[object, ...], Fitted] = {}
    for fit in sorted(fits, key=lambda fit: fit.bic):
        hypothesis = fit.hypothesis
        # To ten digits of BIC: the same curve written in two ways differs by rounding.
        first.setdefault((hypothesis.structure, hypothesis.terms, fit.size, f"{fit.bic:.9e}"), fit)
    return list(first.values())


def _hypothesis(shape: Shape, treatments: tuple[_Treatment, ...]) -> Hypothesis:
    return Hypothesis(structure=shape[0], terms=shape[1], treatments=treatments)


def _best_shapes(tried: Sequence[Fitted]) -> list[Shape]:
    """Return the best shapes of each treatment that was tried."""
    best: dict[Shape, None] = {}
    for treatments in dict.fromkeys(fit.hypothesis.treatments for fit in tried):
        alike = sorted((fit for fit in tried if fit.hypothesis.treatments == treatments), key=lambda fit: fit.bic)
        best.update(dict.fromkeys((fit.hypothesis.structure, fit.hypothesis.terms) for fit in alike[:_SHAPES]))
    return list(best)


def _treated(kinds: int) -> list[tuple[_Treatment, ...]]:
    """Return the treatments to try: all combinations of up to three factors, beyond that few that differ from none."""
    if kinds <= 3:
        return list(itertools.product(_TREATMENTS, repeat=kinds))
    ignored: tuple[_Treatment, ...] = ("none", "scale")
    rest: tuple[_Treatment, ...] = ("scale",)
    filled = [some + rest * (kinds - len(some)) for some in itertools.product(ignored, repeat=min(kinds, 8))]
    others: tuple[_Treatment, ...] = ("shift", "own")
    changed = [rest * at + (other,) + rest * (kinds - at - 1) for at in range(kinds) for other in others]
    return list(dict.fromkeys([*filled, *changed]))


# Which terms are tried -----------------------------------------------------------------------------------------------


def _possible_terms(observed: Observed, terms: tuple[Term, ...]) -> list[tuple[Term, ...]]:
    """Return the terms that each numeric factor could take."""
    space = observed.space
    return [
        _terms_for(scale, np.unique(space.numbers[:, factor]).size, terms, _falls(observed, factor))
        for factor, scale in enumerate(space.scales)
    ]


def _allowed_terms(observed: Observed, possible: Sequence[tuple[Term, ...]]) -> list[tuple[Term, ...]]:
    """Return the terms to list for each numeric factor: all that are possible, or the best of them."""
    if len(possible) < _LISTED_FACTORS:
        return list(possible)
    allowed = []
    for factor, every in enumerate(possible):
        squares = _squares_in_slices(observed, factor, every)
        best = np.sort(np.argsort(squares, kind="stable")[:_BEST_TERMS])
        allowed.append(tuple(every[place] for place in best))
    return allowed


def _slices(observed: Observed, factor: int) -> tuple[NDArray[np.intp], int]:
    """Number the combinations of all other factors, and say which each cell is in."""
    space = observed.space
    others = np.column_stack([np.delete(space.numbers, factor, axis=1), space.codes])
    if not others.shape[1]:
        return np.zeros(observed.cells, dtype=np.intp), 1
    _, inverse = np.unique(others, axis=0, return_inverse=True)
    return inverse.ravel(), int(inverse.max()) + 1


def _falls(observed: Observed, factor: int) -> bool:
    """Whether the cost falls as the factor grows, all else equal, by more than twice the error of its slope."""
    inside, slices = _slices(observed, factor)
    weights = np.bincount(inside, observed.counts, slices)

    def free(values: _Floats) -> _Floats:
        return values - (np.bincount(inside, observed.counts * values, slices) / weights)[inside]

    x, y = free(np.log1p(observed.space.numbers[:, factor])), free(observed.logs)
    along, across = float(np.sum(observed.counts * x * x)), float(np.sum(observed.counts * x * y))
    if along == 0 or across >= 0:
        return False
    freedom = observed.cells - slices - 1
    left = max(float(np.sum(observed.counts * y * y)) - across**2 / along, 0.0)
    return freedom < 1 or across**2 / along > 4 * left / freedom


def _squares_in_slices(observed: Observed, factor: int, terms: Sequence[Term]) -> _Floats:
    """Return what each term leaves unexplained where every slice has coefficients of its own."""
    inside, slices = _slices(observed, factor)
    levels = observed.space.numbers[:, factor]
    cost = np.exp(observed.logs)
    weights = observed.counts / cost**2

    def total(values: _Floats) -> _Floats:
        sums: _Floats = np.bincount(inside, values, slices).astype(np.float64)
        return sums

    weight, squares = total(weights), []
    for term in terms:
        x = observed.space.scales[factor].column(term, levels)
        x_free = x - (total(weights * x) / weight)[inside]
        y_free = cost - (total(weights * cost) / weight)[inside]
        across, along = total(weights * x_free * y_free), total(weights * x_free**2)
        slope = np.where(along > 1e-12 * total(weights * x**2), across / np.where(along > 0, along, 1.0), 0.0)
        squares.append(float(np.sum(weights * (y_free - np.maximum(slope, 0.0)[inside] * x_free) ** 2)))
    return np.array(squares)


# How sure a fit is ---------------------------------------------------------------------------------------------------


def _lack_of_fit(observed: Observed, between: float, coefficients: int) -> float:
    """Return the P value of the F test that cells stray no further than replicates explain; NaN without replicates."""
    freedom = observed.cells - coefficients
    if freedom < 1 or not observed.pure_freedom:
        return math.nan
    if observed.pure_error <= 1e-24 * observed.repeats:
        return 1.0 if between <= 1e-20 * observed.repeats else 0.0
    statistic = (between / freedom) / (observed.pure_error / observed.pure_freedom)
    return float(special.fdtrc(freedom, observed.pure_freedom, statistic))


@dataclass(frozen=True, slots=True, kw_only=True)
class _ErrorVariance:
    """How far measurements lie from a model, on logarithms."""

    #: Variance that the mean of a cell of n measurements has n times too little of: what coefficients' intervals are
    #: made of.
    single: float
    degrees_of_freedom: int
    within: float  # of measurements in one cell
    own: float  # of cells about the model beyond what replicates explain, tau^2


def error_variance(observed: Observed, between: float, coefficients: int) -> _ErrorVariance:
    """Return the variance to make intervals of, for a sum of squares between cells.

    It is that between cells, where they leave `ENOUGH_FREEDOM` degrees of freedom: that holds whether or not cells
    stray. With fewer it is pooled with that of replicates, unless the F test of lack of fit gives a P value below 0.25.

    In simulation of a straight line with six replicates a level, averaged 95 % intervals cover 96 to 98 % where cells
    do not stray. Where they stray by as much as replicates scatter, they cover 93 % with six levels, 86 to 89 % with
    four and 68 to 81 % with three, which tell no shapes apart; pooling regardless would cover 57 to 69 % of them.

    T. A. Bancroft, "Analysis and Inference for Incompletely Specified Models Involving the Use of Preliminary Tests of
    Significance", Biometrics 20(3), 1964, 427-442: pool at 0.25, not at 0.05.
    """
    freedom, within_freedom = observed.cells - coefficients, observed.pure_freedom
    if not within_freedom:
        if freedom < 1:
            return _ErrorVariance(single=math.nan, degrees_of_freedom=0, within=math.nan, own=math.nan)
        single = between / freedom
        return _ErrorVariance(single=single, degrees_of_freedom=freedom, within=single, own=0.0)
    within = observed.pure_error / within_freedom
    if freedom >= 1:
        alone = between / freedom
        pvalue = float(special.fdtrc(freedom, within_freedom, alone / max(within, 1e-300)))
        if freedom >= _ENOUGH_FREEDOM or pvalue < _POOLED:
            own = max(alone - within, 0.0) * observed.cells / observed.repeats
            return _ErrorVariance(single=alone, degrees_of_freedom=freedom, within=within, own=own)
    together = max(freedom, 0) + within_freedom
    single = ((between if freedom >= 1 else 0.0) + observed.pure_error) / together
    return _ErrorVariance(single=single, degrees_of_freedom=together, within=single, own=0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Assessed:
    """A fitted hypothesis with its errors."""

    fitted: Fitted
    variance: _ErrorVariance
    #: Shape (coefficients, coefficients). Covariance of coefficients, then of logarithms of scales, for an error
    #: variance of 1.
    unscaled: _Floats
    #: Shape (cells,). Logarithms of measured over modelled.
    residuals: _Floats
    leverage: _Floats  # shape (cells,)

    @property
    def left_out_residuals(self) -> _Floats:
        """Logarithms of measured over predicted by a fit without the cell, NaN where that cannot be fitted.

        R. D. Cook, S. Weisberg, Residuals and Influence in Regression, 1982, section 2.2, on the linearised model.
        """
        free = 1 - self.leverage
        return np.where(free > 1e-9, self.residuals / np.where(free > 1e-9, free, 1.0), np.nan)

    def predict(self, space: Space) -> tuple[_Floats, _Floats]:
        """Return the logarithm of the modelled cost at cells, less the centre, and its unscaled variance.

        NaN where the model has no coefficient for a combination of levels, or no cost above 0.
        """
        logs, slopes = _modelled(self.fitted, space)
        return logs, ((slopes @ self.unscaled) * slopes).sum(axis=1)


def assess(fitted: Fitted, observed: Observed) -> Assessed:
    """Work out the errors of a fit at its minimum."""
    logs, slopes = _modelled(fitted, observed.space)
    # Columns of like size, then an inverse of rank as it is: a singular fit was never ranked.
    size = np.sqrt((observed.counts[:, None] * slopes**2).sum(axis=0))
    size[size == 0] = 1.0
    left, values, right = np.linalg.svd(slopes / size * np.sqrt(observed.counts)[:, None], full_matrices=False)
    return Assessed(
        fitted=fitted,
        variance=error_variance(observed, fitted.sum_of_squares, fitted.size),
        unscaled=(right.T / values**2) @ right / np.outer(size, size),
        residuals=observed.logs - logs,
        leverage=(left**2).sum(axis=1),
    )


def _modelled(fitted: Fitted, space: Space) -> tuple[_Floats, _Floats]:
    """Return logarithms of modelled costs, shape (cells,), and their slopes, shape (cells, coefficients)."""
    columns = stack_columns([(fitted.hypothesis, fitted.slots)], space)
    linear, scales = columns.linear[0], columns.scales[0]
    cost = linear @ fitted.coefficients
    # Without a fixed cost of its own a combination of levels was never seen by this model.
    fixed = np.array([part is None for part in fitted.slots.parts])
    seen = (linear[:, fixed] != 0).any(axis=1)
    cost = np.where(seen & (cost > 0), cost, np.nan)
    logs = np.log(cost) + scales @ fitted.scales
    bends = [_bend_of(fitted, linear, factor, space) / cost for factor in fitted.hypothesis.fitted]
    return logs, np.column_stack([linear / cost[:, None], scales, *bends])


def _bend_of(fitted: Fitted, linear: _Floats, factor: int, space: Space) -> _Floats:
    """Return by how much a cost before scales grows with the power of a factor."""
    levels = space.numbers[:, factor]
    inside = np.array([part is not None and factor in part for part in fitted.slots.parts])
    bend: _Floats = np.log(np.where(levels > 0, levels, 1.0)) * (linear[:, inside] @ fitted.coefficients[inside])
    return bend


# Rivals --------------------------------------------------------------------------------------------------------------


def _choose(ranked: Sequence[Fitted]) -> Fitted:
    """Return the model with fewest coefficients within `_PARSIMONY` of the lowest BIC."""
    lowest = min(fit.bic for fit in ranked)
    return min((fit for fit in ranked if fit.bic <= lowest + _PARSIMONY), key=lambda fit: (fit.size, fit.bic))


def _weigh_rivals(ranked: Sequence[Fitted], observed: Observed) -> tuple[tuple[Assessed, ...], _Floats]:
    """Return the rivals, the chosen one first, and how much each counts: exp(-BIC / 2), as a share of all."""
    close = [fit for fit in ranked if fit.bic <= ranked[0].bic + _RIVAL]
    best = _choose(close)
    ordered = [best, *(fit for fit in close if fit is not best)]
    bic = np.array([fit.bic for fit in ordered])
    weights = np.exp(-(bic - bic.min()) / 2)
    return tuple(assess(fit, observed) for fit in ordered), weights / weights.sum()


# Outlying cells ------------------------------------------------------------------------------------------------------


def _find_outlying(observed: Observed, terms: tuple[Term, ...], suspected: _Marks) -> tuple[_Marks, list[Fitted]]:
    """Return which cells no cost model explains, and the models of the others, the lowest BIC first.

    The rule is that of plain slopes, `benchlib.effects.outlying_cells.set_apart`, with a price. A cell is set apart
    when its cost is off by more than a factor `OFF_BY` from what the model of the other cells predicts, and by more
    than `STUDENTISED` standard deviations of that prediction; the cells set apart must all break this rule and no
    other may; and together they must lower BIC, though each counts as a coefficient of its own, picked among all cells.

    The shapes of a search are many, and one that bends towards an outlying cell hides it from a rule that looks at
    residuals alone. So the search for outlying cells begins without those suspected, which plain slopes set apart
    in slices where few models can bend; where the best model strays from its cells, without those in a corner of the
    table, where every logarithm of a factor that begins at 1 vanishes; and at last with all cells.
    """
    plain = search(observed, terms)
    none = np.zeros(observed.cells, dtype=bool)
    most = min(int(observed.cells * _OUTLYING_SHARE), _OUTLYING_LIMIT)
    starts = [(suspected, most)] if suspected.any() else []
    starts += [(corner, int(corner.sum())) for corner in _corners(observed, _choose(plain), most)]
    for start, limit in [*starts, (none, most)]:
        ranked = _set_apart(observed, terms, plain, start, limit)
        if ranked is not None:
            return ranked
    return none, plain


def _set_apart(
    observed: Observed, terms: tuple[Term, ...], plain: list[Fitted], start: _Marks, limit: int
) -> tuple[_Marks, list[Fitted]] | None:
    """Set cells apart one by one from a start on, until all of them break the rule and no other does; else None."""
    out, ranked = start.copy(), plain
    while out.sum() <= limit:
        rest = observed.without(out)
        ranked = search(rest, terms) if out.any() else plain
        best = assess(_choose(ranked), rest)
        worth = out.any() and ranked[0].bic < plain[0].bic
        # What each cell adds to the sum of squares of a fit that does not know it.
        away = np.nan_to_num(best.left_out_residuals)
        gain = rest.counts * best.residuals * away
        if worth and _outside_breaks(best, observed, out) and not _inside_breaks(best, rest, away, gain):
            return out, ranked
        if rest.cells - best.fitted.size < 3 or not _off(away).any():
            break
        out[np.flatnonzero(~out)[int(np.argmax(gain))]] = True
    return None


def _corners(observed: Observed, plain: Fitted, most: int) -> Iterator[_Marks]:
    """Yield the cells at the lowest levels of each pair of numeric factors, then of each alone; few at most.

    None where the model of all cells misses them by so little that it hides nothing.
    """
    freedom = observed.cells - plain.size
    if freedom < 1 or plain.sum_of_squares / freedom < _STRAYS**2 * observed.repeats / observed.cells:
        return
    lowest = [observed.space.numbers[:, place] == scale.lowest for place, scale in enumerate(observed.space.scales)]
    for size in (2, 1):
        for places in itertools.combinations(range(len(lowest)), size):
            corner = np.logical_and.reduce([lowest[place] for place in places])
            if 0 < corner.sum() <= most:
                yield corner


def _inside_breaks(best: Assessed, rest: Observed, away: _Floats, gain: _Floats) -> bool:
    """Whether any cell of a fit breaks the rule against a fit without it."""
    freedom = max(rest.cells - best.fitted.size - 1, 1)
    left = np.maximum(best.fitted.sum_of_squares - gain, 0.0) / freedom
    return bool((_off(away) & (gain > _STUDENTISED**2 * left)).any())


def _outside_breaks(best: Assessed, observed: Observed, out: _Marks) -> bool:
    """Whether every cell set apart breaks the rule against the model of the others."""
    logs, unscaled = best.predict(observed.space.rows(out))
    away = observed.logs[out] - logs
    deviation = np.sqrt(best.variance.single * (unscaled + 1 / observed.counts[out]))
    return bool((_off(away) & (np.abs(away) > _STUDENTISED * deviation)).all())


def _off(away: _Floats) -> _Marks:
    marks: _Marks = np.abs(away) > math.log(_OFF_BY)
    return marks


# Free exponents ------------------------------------------------------------------------------------------------------


def _power_of(fitted: Fitted, observed: Observed, factor: int) -> float:
    """Return the power b that the cells give a factor, where its term is x^b and the terms of the others stay.

    The best of a grid, for which 600 cells are enough, then steps from there.

    D. M. Bates and D. G. Watts, "Nonlinear Regression Analysis and Its Applications", Wiley 1988, section 6.1.
    """
    term = fitted.hypothesis.terms[factor]
    assert term is not None
    sign = -1.0 if term.power < 0 else 1.0
    powers = np.union1d(np.geomspace(_SMALLEST, _LARGEST, _STEPS), [abs(term.power) or 1.0])
    at = _lowest(fitted, observed.thinned(_MOST_CELLS), factor, sign * powers)
    ends = sign * powers[max(at - 1, 0)], sign * powers[min(at + 1, powers.size - 1)]
    return _by_slope(fitted, observed, factor, sign * float(powers[at]), (min(ends), max(ends)))


def _bends(fitted: Fitted, observed: Observed, factor: int) -> bool:
    """Whether the cells can tell a power of a factor: at three levels, and with a cell for each coefficient."""
    size = fitted.size + (factor not in fitted.hypothesis.fitted)
    return np.unique(observed.space.numbers[:, factor]).size > 2 and size <= observed.cells


def _by_slope(fitted: Fitted, observed: Observed, factor: int, power: float, between: tuple[float, float]) -> float:
    """Step to the exponent along what of its slope the other coefficients cannot follow."""
    levels = observed.space.numbers[:, factor]
    logarithms = np.log(np.where(levels > 0, levels, 1.0))
    inside = np.array([part is not None and factor in part for part in fitted.slots.parts])
    root = np.sqrt(observed.counts)
    for _ in range(8):
        columns = _columns(fitted, observed, factor, np.array([power]))
        solved = solve(columns, observed.logs[None, :], observed.counts[None, :])
        linear, coefficients = columns.linear[0], solved.coefficients[0]
        cost = linear @ coefficients
        residuals = root * (observed.logs - np.log(cost) - columns.scales[0] @ solved.scales[0])
        others = np.column_stack([linear / cost[:, None], columns.scales[0]]) * root[:, None]
        others /= np.sqrt((others**2).sum(axis=0))
        bend = root * logarithms * (linear[:, inside] @ coefficients[inside]) / cost
        bend = bend - others @ np.linalg.lstsq(others, bend, rcond=None)[0]
        before, step = power, float(bend @ residuals) / float(bend @ bend)
        power = min(max(power + step, between[0]), between[1])
        if abs(power - before) < _CLOSE:
            break
    return power


def _lowest(fitted: Fitted, observed: Observed, factor: int, powers: _Floats) -> int:
    """Return the place of the power of one factor, each fixed in turn, with the lowest sum of squares."""
    columns = _columns(fitted, observed, factor, powers)
    solved = solve(columns, observed.logs[None, :], observed.counts[None, :], rounds=30)
    return int(np.argmin(solved.sum_of_squares))


def _columns(fitted: Fitted, observed: Observed, factor: int, powers: _Floats) -> Columns:
    """Return the columns of a hypothesis with each of some powers for the term of a factor."""
    tried = []
    for power in powers:
        terms = list(fitted.hypothesis.terms)
        terms[factor] = Term(power=float(power), log=0)
        tried.append(replace(fitted.hypothesis, terms=tuple(terms)))
    slots = slots_of(fitted.hypothesis, observed.space)
    return stack_columns([(hypothesis, slots) for hypothesis in tried], observed.space)
