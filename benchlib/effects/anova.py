"""Which factor matters: the variance of the logarithms, shared out over factors and interactions.

The share of a factor is what is lost when it, and what it does together with others, is left out of a model that keeps
all else: type II sums of squares. Every factor is taken by its levels, numbers too, so nothing is assumed of how a
cost grows. Noise has a share too: of ten levels measured twice it gives about half of the variance to a factor that
does nothing.
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
from benchlib.errors import choices
from benchlib.lazy_scipy import sparse

__all__ = ["VarianceShares"]

#: Beyond this many columns an unbalanced model is not solved; interactions are left out instead.
_COLUMNS_LIMIT = 600

_Floats = NDArray[np.float64]
#: The factors of a row: one, or two that act together.
_Term = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceShares:
    """What each factor alone accounts for of the variance of the logarithms of a response."""

    #: By factor, largest first; 0 for one that cannot be told from others. Empty where there is nothing to share out.
    shares: Mapping[str, float]
    caveats: tuple[Caveat, ...]


def share_variance(cells: Sequence[Cell], factors: Sequence[str]) -> VarianceShares:
    """Share out the variance of the logarithms over factors, beside their interactions in twos.

    Equal to the main effects in the type II table of a linear model that has all two-factor interactions too. Cells may
    be missing, or hold different numbers of values; a caveat names factors that cannot be told apart. There are no
    shares where a value is not positive, where nothing varies, or where an unbalanced table has more than 600 levels.

    Ø. Langsrud, Statistics and Computing 13 (2003) 163-167: type II sums of squares.
    S. R. Searle, Linear Models for Unbalanced Data, 1987, chapter 5: rank and missing cells.
    """
    without_log = sum(1 for cell in cells if cell.values[0] <= 0)
    if without_log:
        message = f"{without_log} of {len(cells)} cells hold a 0 or less: no share of variance"
        return VarianceShares(shares={}, caveats=(caveat("no-ratio", message),))
    data = _take_logarithms(cells, factors)
    total = data.within + float(data.counts @ data.centred**2)
    # Below the rounding of the logarithms nothing varies.
    if total <= 1e-20 * max(1.0, float(data.counts.sum()) * float(np.abs(data.means).max()) ** 2):
        return VarianceShares(shares={}, caveats=())
    warned: list[Caveat] = []
    if data.is_balanced:
        squares = _squares_by_means(data)
    else:
        pairs: list[_Term] = list(itertools.combinations(data.codes, 2))
        if data.count_columns([]) > _COLUMNS_LIMIT:
            return VarianceShares(shares={}, caveats=(_too_many(data.count_columns([]), "levels"),))
        if data.count_columns(pairs) > _COLUMNS_LIMIT:
            warned.append(_too_many(data.count_columns(pairs), "combinations of levels in twos"))
            pairs = []
        squares = _squares_by_least_squares(data, pairs)
    lost = [" x ".join(term) for term, square in squares.items() if math.isnan(square)]
    if lost:
        warned.append(caveat("confounded", f"the cells measured cannot tell {choices(lost)} from the other effects"))
    alone = {term[0]: square for term, square in squares.items() if len(term) == 1}
    shares = {factor: 0.0 if math.isnan(square) else square / total for factor, square in alone.items()}
    return VarianceShares(
        shares=dict(sorted(shares.items(), key=lambda pair: -pair[1])),
        caveats=tuple(warned),
    )


def _too_many(count: int, what: str) -> Caveat:
    return caveat(
        "variance-left-out",
        f"{count} {what} are too many to share an unbalanced variance over (at most {_COLUMNS_LIMIT})",
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


def _squares_by_means(data: _LogMeans) -> dict[_Term, float]:
    """Return the sum of squares of each factor of a balanced table, however large."""
    grid = np.empty(data.shape)
    grid[tuple(data.codes.values())] = data.centred
    axes = range(grid.ndim)
    return {
        (factor,): float(data.counts.sum()) * float((grid.mean(axis=tuple({*axes} - {place})) ** 2).mean())
        for place, factor in enumerate(data.codes)
    }


def _squares_by_least_squares(data: _LogMeans, pairs: Sequence[_Term]) -> dict[_Term, float]:
    """Return the sum of squares of each term of any cells; NaN where it cannot be told from the others."""
    terms: list[_Term] = [*((factor,) for factor in data.codes), *pairs]
    blocks = [sparse.csr_array(np.ones((data.counts.size, 1))), *(_indicators(data, term) for term in terms)]
    design = sparse.hstack(blocks, format="csr")
    owner = np.repeat(np.arange(-1, len(terms)), [block.shape[1] for block in blocks])
    # Sums over cells, taken once: leaving a term out then only drops rows and columns of them.
    products = (design.T @ (design * data.counts[:, None])).toarray()
    targets = design.T @ (data.counts * data.centred)
    squares = {}
    for place, term in enumerate(terms):
        above = [at for at, other in enumerate(terms) if at != place and set(term) <= set(other)]
        rest = ~np.isin(owner, [place, *above])
        explained, rank = _gained(products, targets, rest, owner == place)
        squares[term] = explained if rank else math.nan
    return squares


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
