"""Hypotheses about a cost, fitted to what was measured, and what speaks for each.

A hypothesis is a shape with a treatment for each category. Errors of a benchmark are in proportion to its cost, so
all that is compared are logarithms. The model of a cell is the logarithm of a sum of columns times coefficients, plus
the logarithms of the scales of its levels. The sum of squares of residuals, each weighed by the measurements in its
cell, is made small by Gauss-Newton steps, cut so that no cell's model loses more than 70 % of its size in one.

Signs. A term is a cost that comes with more of a factor, so its coefficient is above 0: where the data would have
it below, the hypothesis without that term fits best among what is allowed, and stands on the list itself. The
fixed cost may be negative, because c in c + a x is where a curve through the measured range meets the axis, not
something that was measured; but the cost has to stay positive at the smallest levels of all factors together.

What speaks for a hypothesis is its likelihood, less a price for each coefficient. Replicates tell how much single
measurements scatter, sigma^2; cells may stray from any smooth model by an error of their own, tau^2 >= 0, because
what disturbs a benchmark rarely changes between its repetitions. The likelihood of both, at its maximum for the sum
of squares S between cells and W within them (C cells, N measurements):

* where S / C is at most W / (N - C), tau is 0 and -2 log L = N log((S + W) / N);
* else -2 log L = C log(S / C) + (N - C) log(W / (N - C)).

The two meet where S / C = W / (N - C). A criterion over cells alone would throw away what replicates tell of
the noise; one over all measurements as if they were independent, tau = 0, takes every stray of a cell for
proof of a further term. The price of a coefficient is log N, as BIC has it.

G. Schwarz, "Estimating the Dimension of a Model", Annals of Statistics 6(2), 1978. N. R. Draper and H. Smith, "Applied
Regression Analysis", 3rd edition, section 2.1: pure error and lack of fit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchlib.effects.cells import Cell, Level, name_cell
from benchlib.effects.shapes import Scale, Term, _Part, _Structure, _word_of, scale_of
from benchlib.errors import DataError, choices
from benchlib.statistics.noise import noise_budget

#: All categorical factors together have at most so many levels: each may have a coefficient of its own.
_MOST_LEVELS = 100
#: However many the cells, no hypothesis has more coefficients: the time of a fit grows with their cube.
_MOST_COEFFICIENTS = 250
#: Entries of one array of columns: what is solved together fits into memory.
_ENTRIES = 4_000_000
#: No step takes more than this share of what is modelled in a cell.
_CUT = 0.7
#: Below this share of what was measured a logarithm is steep, and the first step from there would lead anywhere.
_LEAST = 0.05
#: Cells and runs are parted by so many sweeps; where every run holds every cell one is enough.
_SWEEPS = 30
#: A pivot below this share of its diagonal says that a column follows from the others.
_SINGULAR = 1e-10
#: BLAS shares out products of more columns among threads, which on a busy machine wait long for each other.
_WIDE = 16

_Floats = NDArray[np.float64]
_Places = NDArray[np.intp]
_Marks = NDArray[np.bool_]


# What was measured ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Space:
    """The factors of a model, and where cells lie among their levels."""

    scales: tuple[Scale, ...]  # one a numeric factor
    categories: Mapping[str, tuple[Level, ...]]  # the categorical factors
    #: Shape (cells, numeric factors). The levels of the numeric factors.
    numbers: _Floats
    #: Shape (cells, categorical factors). The places of the levels of the categorical factors.
    codes: _Places

    @property
    def numeric(self) -> tuple[str, ...]:
        """The numeric factors."""
        return tuple(scale.factor for scale in self.scales)

    def at(self, rows: Sequence[Mapping[str, Level]]) -> Space:
        """Return the same factors at other levels, which must be known for the categorical ones."""
        places = {
            factor: {level: place for place, level in enumerate(levels)} for factor, levels in self.categories.items()
        }
        numbers = [[float(row[scale.factor]) for scale in self.scales] for row in rows]
        codes = [[place[row[factor]] for factor, place in places.items()] for row in rows]
        return replace(
            self,
            numbers=np.array(numbers, dtype=np.float64).reshape(len(rows), len(self.scales)),
            codes=np.array(codes, dtype=np.intp).reshape(len(rows), len(self.categories)),
        )

    def rows(self, chosen: _Marks) -> Space:
        """Return some of the cells."""
        return replace(self, numbers=self.numbers[chosen], codes=self.codes[chosen])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Observed:
    """The measurements a model is held against: logarithms, their means in each cell, and their scatter.

    What is repeated is a value; or, in cells of several runs, the median of a run, less what the run does to all cells.
    """

    space: Space
    #: Shape (cells,). The mean logarithm of each cell, less ``centre``.
    logs: _Floats
    #: Shape (cells,). Repeats in each cell, the weight of its mean.
    counts: _Floats
    #: Sum of squares of logarithms about the means of their cells: scatter that no model could explain.
    pure_error: float
    pure_freedom: int  # its degrees of freedom
    centre: float  # mean logarithm of all cells, so that a change of unit changes no digit of a fit
    apart: int  # cells set apart: each counts as a coefficient of its own
    #: Shape (cells,). Values in each cell.
    values: _Floats
    runs: int  # that cells share
    #: Variance of what one run does to all cells; 0 with one run, where it cannot be seen.
    between_runs: float
    #: How much less the median of a run scatters than what is repeated: below 1 where that is a value.
    of_median: float

    @property
    def cells(self) -> int:
        """How many cells are fitted."""
        return self.logs.size

    @property
    def n(self) -> int:
        """How many measurements the cells hold."""
        return int(self.values.sum())

    @property
    def repeats(self) -> float:
        """How many repeats the cells hold."""
        return float(self.counts.sum())

    def without(self, out: _Marks) -> Observed:
        """Return the measurements with some cells set apart; what they tell of scatter stays."""
        return replace(
            self,
            space=self.space.rows(~out),
            logs=self.logs[~out],
            counts=self.counts[~out],
            apart=self.apart + int(out.sum()),
            values=self.values[~out],
        )

    def thinned(self, most: int) -> Observed:
        """Return at most so many cells, spread over the table; all where there are no more.

        Levels of numeric factors are left out, not cells, so that cells alike in all other factors stay together.
        """
        if self.cells <= most:
            return self
        picked = _spread_levels(self.space, most)
        if picked.sum() < most / 4:
            # No grid: steps of the golden section hit no rhythm of a table that is sorted by levels.
            golden = np.floor(self.cells * ((np.arange(most) * 0.6180339887498949) % 1.0)).astype(np.intp)
            picked = np.zeros(self.cells, dtype=bool)
            picked[golden] = True
        share = float(picked.sum()) / self.cells
        return replace(
            self,
            space=self.space.rows(picked),
            logs=self.logs[picked],
            counts=self.counts[picked],
            values=self.values[picked],
            pure_error=self.pure_error * share,
            pure_freedom=round(self.pure_freedom * share),
        )


def _spread_levels(space: Space, most: int) -> _Marks:
    """Mark the cells at some levels of each numeric factor, the smallest and largest among them."""
    ranks = [np.unique(column, return_inverse=True)[1] for column in space.numbers.T]
    for width in (64, 48, 32, 24, 16, 12, 8, 6, 5, 4, 3):
        marked = np.ones(len(space.numbers), dtype=bool)
        for rank in ranks:
            last = int(rank.max())
            # Like steps of the logarithm: half of a thousand levels would lie beyond 500 otherwise.
            levels = np.unique(np.round(np.geomspace(1, last + 1, min(width, last + 1))).astype(np.intp)) - 1
            marked &= np.isin(rank, levels)
        if marked.sum() <= most:
            break
    return marked


def observe(
    cells: Sequence[Cell],
    numeric: Sequence[str],
    categorical: Sequence[str],
    unit: str,
    baselines: Mapping[str, Level] | None = None,
) -> Observed:
    """Take cells apart into what a model is fitted to.

    ``baselines`` names the level of a categorical factor that its scales refer to: by default its first in the table.

    Raises `DataError` for fewer than two cells, two that were measured once, more than 100 levels of categorical
    factors, a value of 0 or less, and a negative level of a numeric factor.
    """
    if len(cells) < 2:
        raise DataError(f"a cost model needs at least 2 cells, got {len(cells)}; measure at another level of a factor")
    counts = np.array([cell.n for cell in cells])
    if counts.sum() == 2:
        raise DataError("2 cells with 1 measurement each carry no cost model; repeat them, or measure a third level")
    categories = {factor: _baseline_first(cells, factor, baselines or {}) for factor in categorical}
    count = sum(len(levels) for levels in categories.values())
    if count > _MOST_LEVELS:
        named = choices(f"{factor} ({len(levels)} levels)" for factor, levels in categories.items())
        raise DataError(
            f"a cost model takes up to {_MOST_LEVELS} levels of categories, got {count}: {named}; name fewer factors, "
            "or narrow to fewer levels"
        )
    values = np.concatenate([np.asarray(cell.values) for cell in cells])
    place = np.repeat(np.arange(counts.size), counts)
    if values.min() <= 0:
        wrong = place[values <= 0]
        first = cells[int(wrong[0])]
        raise DataError(
            f"the cell ({name_cell(first.levels)}) holds {first.values[0]:g} {unit} ({wrong.size} of {values.size} "
            "values are 0 or less); a cost model compares ratios: leave those rows out, or read the plain slopes"
        )
    repeats = _repeats_of(np.log(values), place, np.concatenate([np.asarray(cell.runs) for cell in cells]))
    scales = tuple(scale_of(factor, sorted({float(cell.levels[factor]) for cell in cells})) for factor in numeric)
    nowhere = Space(scales=scales, categories=categories, numbers=np.empty((0, 0)), codes=np.empty((0, 0), np.intp))
    centre = float(repeats.means.mean())
    return Observed(
        space=nowhere.at([cell.levels for cell in cells]),
        logs=repeats.means - centre,
        counts=repeats.counts,
        pure_error=repeats.pure_error,
        pure_freedom=repeats.pure_freedom,
        centre=centre,
        apart=0,
        values=counts.astype(np.float64),
        runs=repeats.runs,
        between_runs=repeats.between_runs,
        of_median=repeats.of_median,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Repeats:
    """What cells say of a cost and its noise; the names are those of `Observed`."""

    means: _Floats
    counts: _Floats
    pure_error: float
    pure_freedom: int
    runs: int
    between_runs: float
    of_median: float


def _repeats_of(logs: _Floats, place: _Places, run: _Places) -> _Repeats:
    """Take logarithms of values apart into cells, runs and noise.

    Values of one run share what it met, so that where cells hold several runs the median of each is one repeat. What a
    run does to all its cells alike is no error of a comparison between them: it is taken off, as in blocks, and is
    the variance that another day brings.

    G. E. P. Box, W. G. Hunter, J. S. Hunter, Statistics for Experimenters, 2nd ed., section 4.2: randomised blocks.
    """
    pairs, unit = np.unique(np.column_stack([place, run]), axis=0, return_inverse=True)
    unit = unit.ravel()
    cells, runs = int(place.max()) + 1, np.unique(run).size
    size = float(1 / np.mean(1 / np.bincount(unit)))
    if len(pairs) == cells:
        counts = np.bincount(place, minlength=cells)
        means = np.bincount(place, logs) / counts
        away = float(((logs - means[place]) ** 2).sum())
        return _Repeats(
            means=means,
            counts=counts.astype(np.float64),
            pure_error=away,
            pure_freedom=logs.size - cells,
            runs=1,
            between_runs=0.0,
            of_median=_of_median(size),
        )
    order = np.lexsort((logs, unit))
    medians = np.array([np.median(own) for own in np.split(logs[order], np.cumsum(np.bincount(unit))[:-1])])
    cell, block = pairs[:, 0], np.unique(pairs[:, 1], return_inverse=True)[1].ravel()
    counts, in_run = np.bincount(cell, minlength=cells), np.bincount(block)
    # What a run of one cell does is told from nothing.
    together = in_run > 1
    shifts = np.zeros(runs)
    for _ in range(_SWEEPS if together.any() else 0):
        means = np.bincount(cell, medians - shifts[block]) / counts
        shifts = np.where(together, np.bincount(block, medians - means[cell]) / in_run, 0.0)
        shifts -= shifts[together].mean() * together
    means = np.bincount(cell, medians - shifts[block]) / counts
    shared = noise_budget(np.exp(medians), cell, {"run": block}).parts[0].shared if together.any() else math.nan
    return _Repeats(
        means=means,
        counts=counts.astype(np.float64),
        pure_error=float(((medians - shifts[block] - means[cell]) ** 2).sum()),
        pure_freedom=max(medians.size - cells - max(int(together.sum()) - 1, 0), 0),
        runs=int(together.sum()) or 1,
        between_runs=shared**2 if math.isfinite(shared) else 0.0,
        of_median=1.0,
    )


def _of_median(n: float) -> float:
    """Return the variance of the median of n normal values, over that of one: 1 of one, pi / 2n of many.

    H. Cramér, Mathematical Methods of Statistics, 1946, section 28.5, for many; in between to 3 % for odd n.
    """
    return math.pi / 2 / (n + math.pi / 2 - 1)


def _baseline_first(cells: Sequence[Cell], factor: str, baselines: Mapping[str, Level]) -> tuple[Level, ...]:
    """Return the levels of a factor, the one that others are compared with first."""
    levels = dict.fromkeys(cell.levels[factor] for cell in cells)
    return tuple(sorted(levels, key=lambda level: level != baselines.get(factor, next(iter(levels)))))


# Hypotheses and their columns ----------------------------------------------------------------------------------------

#: What a level of a categorical factor changes: nothing, the fixed cost, all of the cost in
#: proportion, or every coefficient on its own.
_Treatment = Literal["none", "shift", "scale", "own"]
_TREATMENTS: tuple[_Treatment, ...] = ("none", "shift", "scale", "own")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """What might be true of a cost."""

    structure: _Structure  # the parts beside the fixed cost, by the places of their factors
    terms: tuple[Term | None, ...]  # one a numeric factor; None for a factor that does not occur
    treatments: tuple[_Treatment, ...]  # one a categorical factor

    @property
    def fitted(self) -> tuple[int, ...]:
        """The factors whose power the cells gave: at most one."""
        return tuple(factor for factor, term in enumerate(self.terms) if term is not None and term.fitted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """Which coefficient a column belongs to."""

    parts: tuple[_Part | None, ...]  # of each linear coefficient, None for the fixed cost
    #: Of each linear coefficient, the level codes it holds for, -1 for a factor that does not matter.
    groups: tuple[tuple[int, ...], ...]
    scaled: tuple[tuple[int, int], ...]  # of each scale, the categorical factor and the code of its level

    @property
    def size(self) -> tuple[int, int]:
        """How many linear coefficients there are, and how many scales."""
        return len(self.parts), len(self.scaled)

    def levels(self, place: int, space: Space) -> dict[str, Level]:
        """Return the levels that a linear coefficient holds for."""
        named = zip(self.groups[place], space.categories.items(), strict=True)
        return {factor: levels[code] for code, (factor, levels) in named if code >= 0}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Columns:
    """What coefficients multiply."""

    #: Shape (..., cells, coefficients). The cost is linear in these ...
    linear: _Floats
    #: Shape (..., cells, scales). ... and its logarithm in these.
    scales: _Floats


def slots_of(hypothesis: Hypothesis, space: Space) -> Slots:
    """Return the coefficients of a hypothesis, given which levels occur together in the cells."""
    fixed = _groups(space, [treatment in ("shift", "own") for treatment in hypothesis.treatments])
    own = _groups(space, [treatment == "own" for treatment in hypothesis.treatments])
    parts: list[_Part | None] = [None] * len(fixed)
    groups = list(fixed)
    for part in hypothesis.structure:
        parts += [part] * len(own)
        groups += own
    scaled = [
        (place, code)
        for place, (treatment, levels) in enumerate(zip(hypothesis.treatments, space.categories.values(), strict=True))
        if treatment == "scale"
        for code in range(1, len(levels))
    ]
    return Slots(parts=tuple(parts), groups=tuple(groups), scaled=tuple(scaled))


def _groups(space: Space, matter: Sequence[bool]) -> list[tuple[int, ...]]:
    """Return the combinations of levels of the factors that matter, as they occur in the cells."""
    places = np.flatnonzero(matter)
    codes = np.unique(space.codes[:, places], axis=0) if places.size else np.empty((1, 0), dtype=np.intp)
    groups = np.full((len(codes), len(matter)), -1)
    groups[:, places] = codes
    return [tuple(row) for row in groups.tolist()]


def stack_columns(hypotheses: Sequence[tuple[Hypothesis, Slots]], space: Space) -> Columns:
    """Return the columns of hypotheses of one size, shapes (hypotheses, cells, ...)."""
    rows = len(space.numbers)
    linear = np.empty((len(hypotheses), rows, len(hypotheses[0][1].parts)))
    scales = np.empty((len(hypotheses), rows, len(hypotheses[0][1].scaled)))
    # The same columns come back in hundreds of hypotheses.
    products: dict[tuple[tuple[int, Term | None], ...], _Floats] = {(): np.ones(rows)}
    inside: dict[tuple[int, ...], _Floats] = {}
    for at, (hypothesis, slots) in enumerate(hypotheses):
        for place, (part, group) in enumerate(zip(slots.parts, slots.groups, strict=True)):
            key = tuple((factor, hypothesis.terms[factor]) for factor in part or ())
            if key not in products:
                products[key] = _product(key, space)
            if group not in inside:
                codes = np.array(group, dtype=np.intp)
                inside[group] = ((space.codes == codes) | (codes < 0)).all(axis=1).astype(np.float64)
            np.multiply(products[key], inside[group], out=linear[at, :, place])
        for place, (factor, code) in enumerate(slots.scaled):
            scales[at, :, place] = space.codes[:, factor] == code
    return Columns(linear=linear, scales=scales)


def _product(key: tuple[tuple[int, Term | None], ...], space: Space) -> _Floats:
    column = np.ones(len(space.numbers))
    for factor, term in key:
        assert term is not None
        column = column * space.scales[factor].column(term, space.numbers[:, factor])
    return column


# Fitting -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Solved:
    """Fits of several hypotheses of one size."""

    #: Shape (fits, coefficients). In units of exp(centre).
    coefficients: _Floats
    #: Shape (fits, scales). Logarithms.
    scales: _Floats
    #: Shape (fits,). Of the means of cells, each weighed by its measurements; infinite where columns follow from each
    #: other or no step leads on.
    sum_of_squares: _Floats


def solve(columns: Columns, logs: _Floats, counts: _Floats, *, rounds: int = 12) -> _Solved:
    """Fit hypotheses of one size, their columns of shape (fits, cells, ...), in so many Gauss-Newton steps at most.

    Logarithms and counts have the shape (fits or 1, cells); a count of 0 leaves the cell out.
    """
    linear, scales = columns.linear, columns.scales
    fits, cells, width = linear.shape
    # Columns of like size: levels may be 1e9 apart.
    size = np.abs(linear).max(axis=1, keepdims=True)
    size[size == 0] = 1.0
    linear = linear / size
    logs = np.broadcast_to(logs, (fits, cells))
    counts = np.broadcast_to(counts, (fits, cells))
    coefficients, singular = _start(linear, np.exp(logs), counts)
    added = np.zeros((fits, scales.shape[2]))
    squares = np.full(fits, np.inf)
    moving = np.arange(fits)
    for _ in range(rounds):
        here, there, n = linear[moving], scales[moving], counts[moving]
        modelled = np.einsum("bcp,bp->bc", here, coefficients[moving])
        residuals = logs[moving] - np.log(modelled) - np.einsum("bcq,bq->bc", there, added[moving])
        before, now = squares[moving], np.einsum("bc,bc,bc->b", n, residuals, residuals)
        squares[moving] = now
        still = np.abs(before - now) > 1e-12 * now + 1e-26 * cells
        if not still.any():
            break
        if not still.all():
            moving, here, there, n = moving[still], here[still], there[still], n[still]
            modelled, residuals = modelled[still], residuals[still]
        slopes = np.concatenate([here / modelled[:, :, None], there], axis=2)
        weighed = slopes * n[:, :, None]
        step, unknown = _solve_small(_products(weighed, slopes), np.einsum("bcp,bc->bp", weighed, residuals))
        singular[moving] |= unknown
        change = np.einsum("bcp,bp->bc", here, step[:, :width])
        steepest = (-change / modelled).max(axis=1)
        share = np.minimum(1.0, _CUT / np.maximum(steepest, 1e-9))[:, None]
        coefficients[moving] += share * step[:, :width]
        added[moving] += share * step[:, width:]
    squares = np.where(singular, np.inf, squares)
    return _Solved(coefficients=coefficients / size[:, 0, :], scales=added, sum_of_squares=squares)


def _start(linear: _Floats, costs: _Floats, counts: _Floats) -> tuple[_Floats, _Marks]:
    """Start from least squares relative to the measured cost, or from even shares where that leaves no cost."""
    relative = linear / costs[:, :, None]
    weighed = relative * counts[:, :, None]
    coefficients, singular = _solve_small(_products(weighed, relative), weighed.sum(axis=1))
    modelled = np.einsum("bcp,bp->bc", linear, coefficients)
    lost = (modelled <= _LEAST * costs).any(axis=1)
    if lost.any():
        even = np.clip(coefficients[lost], 1e-3 * costs[lost].min(axis=1, keepdims=True), None)
        shared = np.einsum("bcp,bp->bc", linear[lost], even)
        weights = counts[lost]
        offset = (weights * np.log(costs[lost] / shared)).sum(axis=1) / weights.sum(axis=1)
        coefficients = coefficients.copy()
        coefficients[lost] = even * np.exp(offset)[:, None]
    return coefficients, singular


def _solve_small(matrices: _Floats, targets: _Floats) -> tuple[_Floats, _Marks]:
    """Solve many small symmetric systems, one Cholesky step over all of them at a time.

    Returns solutions, and where a column follows from those before it; the solution gives it 0 then.
    """
    width = targets.shape[-1]
    # Systems last: each step is then one sweep over memory, whatever the width.
    left = np.ascontiguousarray(np.moveaxis(matrices, (-2, -1), (0, 1)))
    right = np.array(np.moveaxis(targets, -1, 0))
    singular = np.zeros(targets.shape[:-1], dtype=bool)
    diagonal = left[np.arange(width), np.arange(width)].copy()
    for i in range(width):
        gone = ~(left[i, i] > _SINGULAR * diagonal[i])
        singular |= gone
        root = np.sqrt(np.where(gone, np.inf, left[i, i]))
        left[i, i] = root
        left[i + 1 :, i] /= root
        right[i] /= root
        left[i + 1 :, i + 1 :] -= left[i + 1 :, None, i] * left[None, i + 1 :, i]
        right[i + 1 :] -= left[i + 1 :, i] * right[i]
    for i in reversed(range(width)):
        right[i] /= left[i, i]
        right[:i] -= left[i, :i] * right[i]
    return np.moveaxis(right, 0, -1), singular


def _products(first: _Floats, second: _Floats) -> _Floats:
    """Return the products of columns, shape (fits, columns, columns)."""
    wide = first.shape[2] > _WIDE
    products: _Floats = np.einsum("bcp,bcq->bpq", first, second) if wide else np.matmul(first.swapaxes(1, 2), second)
    return products


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fitted:
    """A hypothesis with its best coefficients."""

    hypothesis: Hypothesis
    slots: Slots
    #: Shape (coefficients,). In units of exp(centre).
    coefficients: _Floats
    #: Shape (scales,). Logarithms.
    scales: _Floats
    sum_of_squares: float
    bic: float

    @property
    def size(self) -> int:
        """How many coefficients there are, scales and a fitted power among them."""
        return len(self.coefficients) + len(self.scales) + len(self.hypothesis.fitted)


def fit_hypotheses(observed: Observed, hypotheses: Iterable[Hypothesis], prices: Mapping[str, float]) -> list[Fitted]:
    """Fit hypotheses; those that the cells cannot carry, or whose signs are no cost, are left out.

    ``prices`` says what is added to BIC for each kind of structure, see `benchlib.effects.shapes.prices_of`.
    """
    fits: list[Fitted] = []
    corner = _corner(observed.space)
    for (width, scales, powers), members in _by_size(hypotheses, observed.space).items():
        size = width + scales + powers
        carried = [
            (hypothesis, slots)
            for hypothesis, slots in members
            if size <= min(_most_coefficients(observed, bool(hypothesis.structure)), _MOST_COEFFICIENTS)
        ]
        step = max(1, _ENTRIES // (observed.cells * (size + 1)))
        for first in range(0, len(carried), step):
            batch = carried[first : first + step]
            columns = stack_columns(batch, observed.space)
            solved = solve(columns, observed.logs[None, :], observed.counts[None, :])
            bic = bic_of(observed, solved.sum_of_squares, size)
            cost = np.isfinite(solved.sum_of_squares) & _are_costs(batch, solved.coefficients, corner)
            for place, (hypothesis, slots) in enumerate(batch):
                fitted = Fitted(
                    hypothesis=hypothesis,
                    slots=slots,
                    coefficients=solved.coefficients[place],
                    scales=solved.scales[place],
                    sum_of_squares=float(solved.sum_of_squares[place]),
                    bic=float(bic[place]) + prices[_word_of(hypothesis.structure)],
                )
                if cost[place]:
                    fits.append(fitted)
    return fits


def _by_size(
    hypotheses: Iterable[Hypothesis], space: Space
) -> Mapping[tuple[int, int, int], list[tuple[Hypothesis, Slots]]]:
    """Sort hypotheses by their coefficients, scales and fitted powers: those of one size are solved together."""
    sized: dict[tuple[int, int, int], list[tuple[Hypothesis, Slots]]] = {}
    known: dict[tuple[object, ...], Slots] = {}
    for hypothesis in hypotheses:
        key = (hypothesis.structure, hypothesis.treatments)
        if key not in known:
            known[key] = slots_of(hypothesis, space)
        sized.setdefault((*known[key].size, len(hypothesis.fitted)), []).append((hypothesis, known[key]))
    return sized


def _most_coefficients(observed: Observed, curved: bool) -> int:
    """Return how many coefficients the cells can carry.

    Curves in numeric factors take half as many as cells, or up to four where one cell is left to judge by; categories
    alone leave one cell, and none where replicates tell the noise.
    """
    cells = observed.cells
    if not curved or cells == 2:
        return cells if observed.pure_freedom > 0 else cells - 1
    return max(cells // 2, min(cells - 1, 4))


def _corner(space: Space) -> Space:
    """Return the smallest levels of all numeric factors, with each combination of categories that was measured."""
    codes = np.unique(space.codes, axis=0)
    lowest = np.array([scale.lowest for scale in space.scales])
    return replace(space, numbers=np.tile(lowest, (len(codes), 1)), codes=codes)


def _are_costs(hypotheses: Sequence[tuple[Hypothesis, Slots]], coefficients: _Floats, corner: Space) -> _Marks:
    """Say whose signs are those of a cost: terms above 0, and the cost at every corner of the measured range."""
    terms = np.array([[part is not None for part in slots.parts] for _, slots in hypotheses])
    marks: _Marks = ~((coefficients <= 0) & terms).any(axis=1)
    unsure = np.flatnonzero(marks & (coefficients <= 0).any(axis=1)).tolist()
    if unsure:
        # Groups that the row of a corner is in: it stands once for each combination of levels that was measured.
        linear = stack_columns([hypotheses[place] for place in unsure], corner).linear
        marks[unsure] = (np.einsum("bcp,bp->bc", linear, coefficients[unsure]) > 0).all(axis=1)
    return marks


# What speaks for a fit ------------------------------------------------------------------------------------------------


def bic_of(observed: Observed, between: _Floats, coefficients: int) -> _Floats:
    """Return the BIC of fits with one number of coefficients, for their sums of squares between cells.

    A cell set apart counts as a coefficient more. Which cells to set apart was chosen among all: each choice is paid
    for (J. Chen and Z. Chen, Biometrika 95, 2008).
    """
    cells, freedom = observed.cells + observed.apart, observed.pure_freedom
    n = cells + freedom
    # Exact counts (allocations) leave no scatter at all: then only rounding is left to compare.
    floor = 1e-24
    mean_between = np.maximum(between / cells, floor)
    mean_within = max(observed.pure_error / max(freedom, 1), floor)
    pooled = np.maximum((between + observed.pure_error) / n, floor)
    stray = (mean_between > mean_within) | (freedom == 0)
    deviance = np.where(stray, cells * np.log(mean_between) + freedom * np.log(mean_within), n * np.log(pooled))
    bic: _Floats = 2 * observed.apart * np.log(cells) + (deviance + (coefficients + observed.apart) * np.log(n))
    return bic
