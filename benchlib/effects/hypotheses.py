"""What was measured, as a cost model sees it: logarithms, their means in each cell, and their scatter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.effects.cells import Cell, Level, name_cell
from benchlib.effects.shapes import Scale, scale_of
from benchlib.errors import DataError, choices

__all__ = ["MOST_LEVELS", "Observed", "Space", "observe"]

#: All categorical factors together have at most so many levels: each may have a coefficient of its own.
MOST_LEVELS = 100

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Space:
    """The factors of a model, and where cells lie among their levels.

    Attributes
    ----------
    scales : tuple of Scale
        One a numeric factor.
    categories : mapping of factor to its levels
        The categorical factors.
    numbers : ndarray, shape (cells, numeric factors)
        The levels of the numeric factors.
    codes : ndarray of int, shape (cells, categorical factors)
        The places of the levels of the categorical factors.
    """

    scales: tuple[Scale, ...]
    categories: Mapping[str, tuple[Level, ...]]
    numbers: Floats
    codes: Places

    @property
    def numeric(self) -> tuple[str, ...]:
        """The numeric factors."""
        return tuple(scale.factor for scale in self.scales)

    def at(self, rows: Sequence[Mapping[str, Level]]) -> Space:
        """Return the same factors at other levels, which must be known for the categorical ones."""
        places = {
            factor: {level: place for place, level in enumerate(levels)} for factor, levels in self.categories.items()
        }
        return Space(
            scales=self.scales,
            categories=self.categories,
            numbers=np.array(
                [[float(row[scale.factor]) for scale in self.scales] for row in rows], dtype=np.float64
            ).reshape(len(rows), len(self.scales)),
            codes=np.array(
                [[place[row[factor]] for factor, place in places.items()] for row in rows],
                dtype=np.intp,
            ).reshape(len(rows), len(self.categories)),
        )

    def rows(self, chosen: NDArray[np.bool_] | Places) -> Space:
        """Return some of the cells."""
        return Space(
            scales=self.scales, categories=self.categories, numbers=self.numbers[chosen], codes=self.codes[chosen]
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Observed:
    """The measurements a model is held against.

    Errors of a benchmark are in proportion to its cost, so all that is compared are logarithms.

    Attributes
    ----------
    space : Space
    logs : ndarray, shape (cells,)
        The mean logarithm of each cell, less ``centre``.
    counts : ndarray, shape (cells,)
        Measurements in each cell, the weight of its mean.
    pure_error : float
        Sum of squares of logarithms about the means of their cells: scatter that no model could explain.
    pure_freedom : int
        Its degrees of freedom.
    centre : float
        Mean logarithm of all cells, so that a change of unit changes no digit of a fit.
    apart : int
        Cells set apart: each counts as a coefficient of its own.
    """

    space: Space
    logs: Floats
    counts: Floats
    pure_error: float
    pure_freedom: int
    centre: float
    apart: int

    @property
    def cells(self) -> int:
        """How many cells are fitted."""
        return self.logs.size

    @property
    def n(self) -> int:
        """How many measurements the cells hold."""
        return int(self.counts.sum())

    def without(self, out: NDArray[np.bool_]) -> Observed:
        """Return the measurements with some cells set apart; what they tell of scatter is kept."""
        return Observed(
            space=self.space.rows(~out),
            logs=self.logs[~out],
            counts=self.counts[~out],
            pure_error=self.pure_error,
            pure_freedom=self.pure_freedom,
            centre=self.centre,
            apart=self.apart + int(out.sum()),
        )

    def thinned(self, most: int) -> Observed:
        """Return at most so many cells, spread over the table; all where there are no more.

        Levels of numeric factors are left out, not cells, so that cells alike in all other factors stay together.
        """
        if self.cells <= most:
            return self
        kept = _spread_levels(self.space, most)
        if kept.sum() < most / 4:
            # No grid: steps of the golden section hit no rhythm of a table that is sorted by levels.
            golden = np.floor(self.cells * ((np.arange(most) * 0.6180339887498949) % 1.0)).astype(np.intp)
            kept = np.zeros(self.cells, dtype=bool)
            kept[golden] = True
        share = float(kept.sum()) / self.cells
        return Observed(
            space=self.space.rows(kept),
            logs=self.logs[kept],
            counts=self.counts[kept],
            pure_error=self.pure_error * share,
            pure_freedom=round(self.pure_freedom * share),
            centre=self.centre,
            apart=self.apart,
        )


def _spread_levels(space: Space, most: int) -> NDArray[np.bool_]:
    """Mark the cells at some levels of each numeric factor, the smallest and largest among them."""
    ranks = [np.unique(column, return_inverse=True)[1] for column in space.numbers.T]
    for width in (64, 48, 32, 24, 16, 12, 8, 6, 5, 4, 3):
        kept = np.ones(len(space.numbers), dtype=bool)
        for rank in ranks:
            last = int(rank.max())
            # Like steps of the logarithm: half of a thousand levels would lie beyond 500 otherwise.
            picked = np.unique(np.round(np.geomspace(1, last + 1, min(width, last + 1))).astype(np.intp)) - 1
            kept &= np.isin(rank, picked)
        if kept.sum() <= most:
            break
    return kept


def observe(
    cells: Sequence[Cell],
    numeric: Sequence[str],
    categorical: Sequence[str],
    unit: str,
    baselines: Mapping[str, Level] | None = None,
) -> Observed:
    """Take cells apart into what a model is fitted to.

    Parameters
    ----------
    baselines : mapping of factor to level, optional
        The level of a categorical factor that its scales are told against: by default its first in the table.

    Raises
    ------
    DataError
        For fewer than two cells, two that were measured once, more than `MOST_LEVELS` levels of categorical factors,
        a value of 0 or less, and a negative level of a numeric factor.
    """
    if len(cells) < 2:
        raise DataError(f"a cost model needs at least 2 cells, got {len(cells)}; measure at another level of a factor")
    counts = np.array([cell.n for cell in cells])
    if counts.sum() == 2:
        raise DataError("2 cells with 1 measurement each carry no cost model; repeat them, or measure a third level")
    categories = {one: _levels_of(cells, one, baselines or {}) for one in categorical}
    levels = sum(len(one) for one in categories.values())
    if levels > MOST_LEVELS:
        named = choices(f"{factor} ({len(one)} levels)" for factor, one in categories.items())
        raise DataError(
            f"a cost model takes up to {MOST_LEVELS} levels of categories, got {levels}: {named}; name fewer factors, "
            "or narrow to fewer levels"
        )
    values = np.concatenate([np.asarray(cell.values) for cell in cells])
    place = np.repeat(np.arange(counts.size), counts)
    if values.min() <= 0:
        wrong = place[values <= 0]
        first = cells[int(wrong[0])]
        lowest = min(one for one in first.values if one <= 0)
        raise DataError(
            f"the cell ({name_cell(first.levels)}) holds {lowest:g} {unit} ({wrong.size} of {values.size} values are 0 "
            "or less); a cost model compares ratios: leave those rows out, or read the plain slopes"
        )
    logs = np.log(values)
    means = np.bincount(place, logs, counts.size) / counts
    scales = tuple(scale_of(one, sorted({float(cell.levels[one]) for cell in cells})) for one in numeric)
    nowhere = Space(scales=scales, categories=categories, numbers=np.empty((0, 0)), codes=np.empty((0, 0), np.intp))
    centre = float(means.mean())
    return Observed(
        space=nowhere.at([cell.levels for cell in cells]),
        logs=means - centre,
        counts=counts.astype(np.float64),
        pure_error=float(((logs - means[place]) ** 2).sum()),
        pure_freedom=values.size - counts.size,
        centre=centre,
        apart=0,
    )


def _levels_of(cells: Sequence[Cell], factor: str, baselines: Mapping[str, Level]) -> tuple[Level, ...]:
    """Return the levels of a factor, the one that others are told against first."""
    found = dict.fromkeys(cell.levels[factor] for cell in cells)
    return tuple(sorted(found, key=lambda level: level != baselines.get(factor, next(iter(found)))))
