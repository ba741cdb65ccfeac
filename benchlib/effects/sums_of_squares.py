"""Type II sums of squares: of a balanced table from its marginal means, of any other by least squares."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.effects.cells import Cell, Level
from benchlib.lazy_scipy import sparse

__all__ = [
    "LogMeans",
    "balanced_shape",
    "count_columns",
    "mean_logarithms",
    "squares_by_least_squares",
    "squares_by_means",
]

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogMeans:
    """The logarithms of the cells in a few numbers: all that least squares needs of them.

    Attributes
    ----------
    counts, means : ndarray, shape (cells,)
        Values in each cell, and the mean of their logarithms less that of the first value.
    within : float
        Sum of squares within cells.
    codes : mapping of factor to ndarray of int, shape (cells,)
        The place of each cell's level, from 0; only factors that vary.
    """

    counts: Floats
    means: Floats
    within: float
    codes: Mapping[str, Codes]

    @property
    def centred(self) -> Floats:
        """The means less their own mean over all values."""
        grand = float(self.counts @ self.means / self.counts.sum())
        centred: Floats = self.means - grand
        return centred


def mean_logarithms(cells: Sequence[Cell], factors: Sequence[str]) -> LogMeans:
    """Take the logarithms of cells with positive values; factors with one level are passed over."""
    counts = np.array([cell.n for cell in cells])
    logs = np.log(np.fromiter(itertools.chain.from_iterable(cell.values for cell in cells), np.float64, counts.sum()))
    # Of differences from the first value: sums of cells of one length then round alike.
    shifted = logs - logs[0]
    means = np.add.reduceat(shifted, np.cumsum(counts) - counts) / counts
    within = float(((shifted - np.repeat(means, counts)) ** 2).sum())
    codes = {factor: _coded(cells, factor) for factor in factors}
    return LogMeans(
        counts=counts.astype(np.float64),
        means=means,
        within=within,
        codes={factor: column for factor, column in codes.items() if column.max() > 0},
    )


def _coded(cells: Sequence[Cell], factor: str) -> Codes:
    place: dict[Level, int] = {}
    return np.array([place.setdefault(cell.levels[factor], len(place)) for cell in cells], dtype=np.intp)


def balanced_shape(data: LogMeans) -> tuple[int, ...] | None:
    """Return how many levels each factor has, where every combination is there and equally often."""
    shape = tuple(int(column.max()) + 1 for column in data.codes.values())
    if not shape or math.prod(shape) != data.counts.size or (data.counts != data.counts[0]).any():
        return None
    places = np.ravel_multi_index(tuple(data.codes.values()), shape)
    return shape if np.unique(places).size == places.size else None


def squares_by_means(
    data: LogMeans, terms: Sequence[tuple[str, ...]], shape: tuple[int, ...]
) -> list[tuple[float, int]]:
    """Return sum of squares and degrees of freedom of each term, and of all, from marginal means."""
    grid = np.empty(shape)
    grid[tuple(data.codes.values())] = data.centred
    n, names = float(data.counts.sum()), list(data.codes)
    alone = {one: _marginal(grid, (names.index(one),)) for one in names}
    found = []
    for term in terms:
        axes = tuple(names.index(one) for one in term)
        effect = _marginal(grid, axes) if len(term) == 2 else alone[term[0]]
        if len(term) == 2:
            effect = effect - alone[term[0]] - alone[term[1]]
        found.append((n * float((effect**2).mean()), math.prod(shape[axis] - 1 for axis in axes)))
    return [*found, (sum(squares for squares, _ in found), sum(degrees for _, degrees in found))]


def _marginal(grid: Floats, axes: tuple[int, ...]) -> Floats:
    kept: Floats = grid.mean(axis=tuple(one for one in range(grid.ndim) if one not in axes), keepdims=True)
    return kept


def count_columns(data: LogMeans, pairs: Sequence[tuple[str, ...]]) -> int:
    """Return how many columns a model of all factors and some pairs of them has."""
    levels = {one: int(column.max()) + 1 for one, column in data.codes.items()}
    return sum(levels.values()) + sum((levels[one] - 1) * (levels[other] - 1) for one, other in pairs)


def squares_by_least_squares(data: LogMeans, terms: Sequence[tuple[str, ...]]) -> list[tuple[float, int]]:
    """Return sum of squares and degrees of freedom of each term, and of all, of any cells."""
    blocks = [sparse.csr_array(np.ones((data.counts.size, 1))), *(_indicators(data, term) for term in terms)]
    design = sparse.hstack(blocks, format="csr")
    owner = np.repeat(np.arange(-1, len(terms)), [block.shape[1] for block in blocks])
    # Sums over cells, taken once: leaving a term out then only drops rows and columns of them.
    products = (design.T @ (design * data.counts[:, None])).toarray()
    targets = design.T @ (data.counts * data.centred)
    found = []
    for place, term in enumerate(terms):
        above = [other for other, one in enumerate(terms) if other != place and set(term) <= set(one)]
        rest = ~np.isin(owner, [place, *above])
        found.append(_gained(products, targets, rest, owner == place))
    return [*found, _gained(products, targets, owner == -1, owner >= 0)]


def _indicators(data: LogMeans, term: tuple[str, ...]) -> sparse.csr_array:
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


def _gained(products: Floats, targets: Floats, rest: NDArray[np.bool_], added: NDArray[np.bool_]) -> tuple[float, int]:
    """Return the sum of squares that the columns added explain beyond the rest, and their rank."""
    across = products[np.ix_(rest, added)]
    values, vectors = np.linalg.eigh(products[np.ix_(rest, rest)])
    kept = values > 1e-10 * values.max()
    half = vectors[:, kept] / np.sqrt(values[kept])
    projected = half.T @ across
    size = np.sqrt(np.diag(products)[added])
    # A pair of levels that was never measured has a column of zeros.
    size[size == 0] = 1.0
    left = products[np.ix_(added, added)] - projected.T @ projected
    towards = targets[added] - projected.T @ (half.T @ targets[rest])
    values, vectors = np.linalg.eigh(left / np.outer(size, size))
    kept = values > 1e-10
    explained = (vectors[:, kept].T @ (towards / size)) ** 2 / values[kept]
    return float(explained.sum()), int(kept.sum())
