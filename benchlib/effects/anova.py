"""Which factor matters: the variance of the logarithms, shared out over factors and interactions.

A row of the table asks what is lost when a factor, or what two factors do together, is left out
of a model that keeps everything else that does not contain it: type II sums of squares. Every
factor is taken by its levels, numbers too, so nothing is assumed of how a cost grows.

Noise has a share too: of ten levels measured twice it gives about half of the variance to a factor that does
nothing. The adjusted share takes out what noise alone would bring, and a test says whether anything is left.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.caveats import Caveat, caveat
from benchlib.effects.cells import Cell, Level
from benchlib.errors import DataError, choices, printable
from benchlib.lazy_scipy import sparse, special
from benchlib.statistics.estimates import checked_level

__all__ = [
    "VarianceTable",
]

#: Beyond this many columns an unbalanced model is not solved; interactions are left out instead.
_COLUMNS_LIMIT = 600

_Floats = NDArray[np.float64]
#: The factors of a row: one, or two that act together.
_Term = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceRow:
    """What one factor, or two together, account for."""

    factors: tuple[str, ...]  # one for a main effect, two for an interaction
    sum_of_squares: float  # Type II, of natural logarithms
    degrees_of_freedom: int  # 0 where the row cannot be told from the others
    share: float  # of the sum of squares about the mean, from 0 to 1; NaN without degrees of freedom
    #: Omega squared, an estimate of the share without what noise brings: (sum of squares - degrees of freedom x
    #: residual mean square) / (total + residual mean square), at least 0; NaN without residual freedom.
    adjusted_share: float
    #: f, pvalue: against the residual; NaN where no cell was measured twice, or nothing is left over.
    f: float
    pvalue: float
    adjusted_pvalue: float  # for the number of rows tested (Bonferroni)
    shown: bool  # whether the adjusted p value is at most 1 - confidence level; never without a test


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceTable:
    """The variance of the logarithms of a response, by what accounts for it."""

    #: Largest share first. Empty where there is nothing to share out.
    rows: tuple[VarianceRow, ...]
    #: total, residual: sums of squares about the mean, and of what the model leaves over: noise, and what three or more
    #: factors do together.
    total: float
    residual: float
    #: together_share, residual_share: what factors in twos account for, and what is left over, as shares of the total.
    together_share: float
    residual_share: float
    residual_degrees_of_freedom: int
    #: n_cells, n: cells, and values in them.
    n_cells: int
    n: int
    caveats: tuple[Caveat, ...]

    @property
    def main_shares(self) -> Mapping[str, float]:
        """The share of each factor alone, largest first; 0 for one that cannot be told from others."""
        return {
            row.factors[0]: 0.0 if math.isnan(row.share) else row.share for row in self.rows if len(row.factors) == 1
        }


def analyse_variance(cells: Sequence[Cell], factors: Sequence[str], *, confidence_level: float = 0.95) -> VarianceTable:
    """Share out the variance of the logarithms over factors and their interactions in twos.

    Equal to the type II table of a linear model of all main effects and all two-factor
    interactions. Cells may be missing, or hold different numbers of values; where that leaves two
    rows inseparable, the degrees of freedom say how much of each is left, and a caveat names those
    with none. The table has no rows where a value is not positive, where nothing varies, or where an
    unbalanced table has more than 600 levels; then a caveat says why.

    Ø. Langsrud, Statistics and Computing 13 (2003) 163-167: type II sums of squares.
    S. R. Searle, Linear Models for Unbalanced Data, 1987, chapter 5: rank and missing cells.
    W. L. Hays, Statistics, 5th ed., 1994, and S. Olejnik, J. Algina, Psychological Methods 8 (2003) 434-447: omega
    squared. O. J. Dunn, Journal of the American Statistical Association 56 (1961) 52-64: p values of several rows.
    """
    level = checked_level(confidence_level)
    if not cells:
        raise DataError("there is no cell to share the variance of; at least 2 are needed")
    unknown = [factor for factor in factors if factor not in cells[0].levels]
    if unknown:
        raise DataError(f"the cells have no factor '{printable(unknown[0])}'; they have {choices(cells[0].levels)}")
    n = sum(cell.n for cell in cells)
    without_log = sum(1 for cell in cells if cell.values[0] <= 0)
    if without_log:
        message = f"{without_log} of {len(cells)} cells hold a 0 or less: no share of variance"
        return _without_rows(cells, n, caveat("no-ratio", message))
    data = _take_logarithms(cells, factors)
    total = data.within + float(data.counts @ data.centred**2)
    # Below the rounding of the logarithms nothing varies.
    if total <= 1e-20 * max(1.0, n * float(np.abs(data.means).max()) ** 2):
        return _without_rows(cells, n)
    varying: list[_Term] = [(factor,) for factor in data.codes]
    pairs: list[_Term] = list(itertools.combinations(data.codes, 2))
    warned: list[Caveat] = []
    if data.is_balanced:
        squares = _squares_by_means(data, [*varying, *pairs])
    else:
        if data.count_columns([]) > _COLUMNS_LIMIT:
            return _without_rows(cells, n, _too_many(data.count_columns([]), "levels"))
        if data.count_columns(pairs) > _COLUMNS_LIMIT:
            warned.append(_too_many(data.count_columns(pairs), "combinations of levels in twos"))
            pairs = []
        squares = _squares_by_least_squares(data, [*varying, *pairs])
    return _tabulate(cells, data, total, dict(zip([*varying, *pairs, ()], squares, strict=True)), warned, level)


def _tabulate(
    cells: Sequence[Cell],
    data: _LogMeans,
    total: float,
    squares: Mapping[_Term, tuple[float, int]],
    warned: list[Caveat],
    level: float,
) -> VarianceTable:
    """Make the table of sums of squares and degrees of freedom, the key () being all terms together."""
    n = int(data.counts.sum())
    explained, rank = squares[()]
    residual = max(total - explained, 0.0)
    left = n - 1 - rank
    # Residuals of cells measured once are interaction, not noise: nothing can be tested against them.
    repeated = n > len(cells)
    # What rounding leaves of a model that meets every value is no measure of noise.
    left_over = residual / left if left > 0 else math.nan
    mean_square = left_over if repeated and residual > 1e-14 * total else math.nan
    tested = sum(1 for term, (_, degrees) in squares.items() if term and degrees)
    rows = []
    for term, (own, degrees) in squares.items():
        if not term:
            continue
        f = own / degrees / mean_square if degrees else math.nan
        pvalue = float(special.fdtrc(degrees, left, f)) if math.isfinite(f) else math.nan
        without_noise = (own - degrees * left_over) / (total + left_over) if degrees else math.nan
        rows.append(
            VarianceRow(
                factors=term,
                sum_of_squares=own,
                degrees_of_freedom=degrees,
                share=own / total if degrees else math.nan,
                # In this order a NaN stays NaN.
                adjusted_share=max(without_noise, 0.0),
                f=f,
                pvalue=pvalue,
                adjusted_pvalue=min(pvalue * tested, 1.0),
                shown=pvalue * tested <= 1 - level,
            )
        )
    lost = [" x ".join(row.factors) for row in rows if not row.degrees_of_freedom]
    if lost:
        warned.append(caveat("confounded", f"the cells measured cannot tell {choices(lost)} from the other effects"))
    if not repeated:
        warned.append(caveat("one-replicate", "no cell was measured twice: shares of variance without a test"))
    return VarianceTable(
        rows=tuple(sorted(rows, key=lambda row: -row.share if row.degrees_of_freedom else math.inf)),
        total=total,
        residual=residual,
        together_share=math.fsum(row.share for row in rows if len(row.factors) == 2 and not math.isnan(row.share)),
        residual_share=residual / total,
        residual_degrees_of_freedom=left,
        n_cells=len(cells),
        n=n,
        caveats=tuple(warned),
    )


def _too_many(count: int, what: str) -> Caveat:
    return caveat(
        "variance-left-out",
        f"{count} {what} are too many to share an unbalanced variance over (at most {_COLUMNS_LIMIT})",
    )


def _without_rows(cells: Sequence[Cell], n: int, *caveats: Caveat) -> VarianceTable:
    return VarianceTable(
        rows=(),
        total=0.0,
        residual=0.0,
        together_share=math.nan,
        residual_share=math.nan,
        residual_degrees_of_freedom=0,
        n_cells=len(cells),
        n=n,
        caveats=caveats,
    )


# Sums of squares -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _LogMeans:
    """The logarithms of the cells in a few numbers: all that least squares needs of them."""

    #: counts, means: shape (cells,). Values in each cell, and the mean of their logarithms less that of the first
    #: value.
    counts: _Floats
    means: _Floats
    within: float  # sum of squares within cells
    #: Shape (cells,). The place of each cell's level, from 0; only factors that vary.
    codes: Mapping[str, NDArray[np.intp]]

    @property
    def centred(self) -> _Floats:
        """The means less their own mean over all values."""
        grand = float(self.counts @ self.means / self.counts.sum())
        centred: _Floats = self.means - grand
        return centred

    @property
    def shape(self) -> tuple[int, ...]:
        """How many levels each factor has."""
        return tuple(int(column.max()) + 1 for column in self.codes.values())

    @property
    def is_balanced(self) -> bool:
        """Whether every combination of levels was measured, and equally often."""
        if not self.codes or math.prod(self.shape) != self.counts.size or (self.counts != self.counts[0]).any():
            return False
        places = np.ravel_multi_index(tuple(self.codes.values()), self.shape)
        return np.unique(places).size == places.size

    def count_columns(self, pairs: Sequence[_Term]) -> int:
        """Return how many columns a model of all factors and some pairs of them has."""
        levels = dict(zip(self.codes, self.shape, strict=True))
        return sum(levels.values()) + sum((levels[first] - 1) * (levels[second] - 1) for first, second in pairs)


def _take_logarithms(cells: Sequence[Cell], factors: Sequence[str]) -> _LogMeans:
    """Take the logarithms of cells with positive values; factors with one level are passed over."""
    counts = np.array([cell.n for cell in cells])
    logs = np.log(np.fromiter(itertools.chain.from_iterable(cell.values for cell in cells), np.float64, counts.sum()))
    # Of differences from the first value: sums of cells of one length then round alike.
    shifted = logs - logs[0]
    means = np.add.reduceat(shifted, np.cumsum(counts) - counts) / counts
    within = float(((shifted - np.repeat(means, counts)) ** 2).sum())
    codes = {factor: _coded(cells, factor) for factor in factors}
    return _LogMeans(
        counts=counts.astype(np.float64),
        means=means,
        within=within,
        codes={factor: column for factor, column in codes.items() if column.max() > 0},
    )


def _coded(cells: Sequence[Cell], factor: str) -> NDArray[np.intp]:
    place: dict[Level, int] = {}
    return np.array([place.setdefault(cell.levels[factor], len(place)) for cell in cells], dtype=np.intp)


def _squares_by_means(data: _LogMeans, terms: Sequence[_Term]) -> list[tuple[float, int]]:
    """Return sum of squares and degrees of freedom of each term, and of all: of a balanced table, however large."""
    grid = np.empty(data.shape)
    grid[tuple(data.codes.values())] = data.centred
    names = list(data.codes)

    def effect(term: _Term) -> _Floats:
        axes = [place for place, factor in enumerate(names) if factor not in term]
        means: _Floats = grid.mean(axis=tuple(axes), keepdims=True)
        return means if len(term) == 1 else means - effect(term[:1]) - effect(term[1:])

    squares = [
        (
            float(data.counts.sum()) * float((effect(term) ** 2).mean()),
            math.prod(grid.shape[names.index(factor)] - 1 for factor in term),
        )
        for term in terms
    ]
    return [*squares, (sum(own for own, _ in squares), sum(degrees for _, degrees in squares))]


def _squares_by_least_squares(data: _LogMeans, terms: Sequence[_Term]) -> list[tuple[float, int]]:
    """Return sum of squares and degrees of freedom of each term, and of all: of any cells."""
    blocks = [sparse.csr_array(np.ones((data.counts.size, 1))), *(_indicators(data, term) for term in terms)]
    design = sparse.hstack(blocks, format="csr")
    owner = np.repeat(np.arange(-1, len(terms)), [block.shape[1] for block in blocks])
    # Sums over cells, taken once: leaving a term out then only drops rows and columns of them.
    products = (design.T @ (design * data.counts[:, None])).toarray()
    targets = design.T @ (data.counts * data.centred)
    squares = []
    for place, term in enumerate(terms):
        above = [at for at, other in enumerate(terms) if at != place and set(term) <= set(other)]
        rest = ~np.isin(owner, [place, *above])
        squares.append(_gained(products, targets, rest, owner == place))
    return [*squares, _gained(products, targets, owner == -1, owner >= 0)]


def _indicators(data: _LogMeans, term: _Term) -> sparse.csr_array:
    """One column for each level but the first, and for each pair of them in an interaction."""
    code = np.zeros(data.counts.size, dtype=np.intp)
    inside = np.ones(data.counts.size, dtype=bool)
    width = 1
    for factor in term:
        column = data.codes[factor]
        levels = int(column.max())
        code, inside, width = code * levels + column - 1, inside & (column > 0), width * levels
    rows = np.flatnonzero(inside)
    return sparse.csr_array((np.ones(rows.size), (rows, code[rows])), shape=(code.size, width))


def _gained(
    products: _Floats, targets: _Floats, rest: NDArray[np.bool_], added: NDArray[np.bool_]
) -> tuple[float, int]:
    """Return the sum of squares that the columns added explain beyond the rest, and their rank."""
    across = products[np.ix_(rest, added)]
    values, vectors = np.linalg.eigh(products[np.ix_(rest, rest)])
    spanned = values > 1e-10 * values.max()
    half = vectors[:, spanned] / np.sqrt(values[spanned])
    projected = half.T @ across
    size = np.sqrt(np.diag(products)[added])
    # A pair of levels that was never measured has a column of zeros.
    size[size == 0] = 1.0
    left = products[np.ix_(added, added)] - projected.T @ projected
    towards = targets[added] - projected.T @ (half.T @ targets[rest])
    values, vectors = np.linalg.eigh(left / np.outer(size, size))
    spanned = values > 1e-10
    explained = (vectors[:, spanned].T @ (towards / size)) ** 2 / values[spanned]
    return float(explained.sum()), int(spanned.sum())
