"""Every cell of every table at once: its values, its centre and interval, and its test against the baseline's cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.answers.benchstat.pvalues import printed_pvalues
from benchlib.statistics.samples import median_ranks

__all__ = ["Cells", "Summaries", "cells_of", "pvalues_of", "summaries_of"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cells:
    """The cells that hold a value: by table, then row, then column.

    Attributes
    ----------
    table, row, column : ndarray of int, shape (c,)
        Which of all tables, rows and columns each cell is of.
    order : ndarray of int, shape (v,)
        The rows of the frame, cell after cell, each in order of recording.
    starts : ndarray of int, shape (c + 1,)
    n : ndarray of int, shape (c,)
    base : ndarray of int, shape (c,)
        The cell in the first column of the same table and row; -1 for that cell itself, and where there is none.
    """

    table: NDArray[np.intp]
    row: NDArray[np.intp]
    column: NDArray[np.intp]
    order: NDArray[np.intp]
    starts: NDArray[np.intp]
    n: NDArray[np.intp]
    base: NDArray[np.intp]


def cells_of(table: NDArray[np.intp], row: NDArray[np.intp], column: NDArray[np.intp]) -> Cells:
    """Gather the rows of a frame into cells; those with a negative table, row or column are left out.

    Examples
    --------
    >>> one = np.zeros(3, dtype=np.intp)
    >>> cells = cells_of(one, np.array([0, 1, 0]), np.array([0, 0, 1]))
    >>> cells.row.tolist(), cells.column.tolist(), cells.base.tolist()
    ([0, 0, 1], [0, 1, 0], [-1, 0, -1])
    """
    kept = np.flatnonzero((table >= 0) & (row >= 0) & (column >= 0))
    rows, columns = (int(one.max(initial=0)) + 1 for one in (row, column))
    keys = (table[kept] * rows + row[kept]) * columns + column[kept]
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if keys.size else np.zeros(0, np.intp)
    keys = keys[starts]
    of_row, of_column = np.divmod(keys, columns)
    of_table, of_row_alone = np.divmod(of_row, rows)
    first = np.full(int(of_table.max(initial=0)) + 1, columns)
    np.minimum.at(first, of_table, of_column)
    wanted = of_row * columns + first[of_table]
    place = np.minimum(np.searchsorted(keys, wanted), max(0, keys.size - 1))
    there = (keys[place] == wanted) & (of_column != first[of_table])
    ends = np.concatenate([starts, [order.size]])
    return Cells(
        table=of_table,
        row=of_row_alone,
        column=of_column,
        order=kept[order],
        starts=ends,
        n=np.diff(ends),
        base=np.where(there, place, -1),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Summaries:
    """The cells in a few numbers each: arrays of shape (c,), in the unit of their table.

    Attributes
    ----------
    centre, low, high : ndarray
        The median with its interval; of an exact unit the commonest value and the extremes.
    minimum, maximum : ndarray
    """

    centre: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]


def summaries_of(
    cells: Cells, values: NDArray[np.float64], exact: NDArray[np.bool_], confidence_level: float
) -> Summaries:
    """Summarise every cell.

    Parameters
    ----------
    cells : Cells
    values : ndarray, shape (v,)
        Cell after cell.
    exact : ndarray of bool, shape (c,)
    confidence_level : float
        From 0 to 1; at 1 every interval is infinite.

    References
    ----------
    golang.org/x/perf/benchmath, ``anone.go`` and ``aexact.go``; R. J. Hyndman, Y. Fan, The American Statistician 50
    (1996) 361-365, definition 8 of a quantile, whose rounding shows in the last digit.
    """
    centre, low, high, minimum, maximum = np.empty((5, cells.n.size))
    for n in np.unique(cells.n).tolist():
        each = np.flatnonzero(cells.n == n)
        ordered = np.sort(values[cells.starts[each][:, None] + np.arange(n)], axis=1)
        minimum[each], maximum[each] = ordered[:, 0], ordered[:, -1]
        place = 1 / 3 + 0.5 * (n + 1 / 3)
        below = int(place)
        if below >= n:
            centre[each] = ordered[:, -1]
        else:
            centre[each] = ordered[:, below - 1] + (place - below) * (ordered[:, below] - ordered[:, below - 1])
        low[each], high[each] = -np.inf, np.inf
        if confidence_level < 1:
            ranks = median_ranks(n, confidence_level)
            if ranks.low >= 1 and ranks.high <= n:
                low[each], high[each] = ordered[:, ranks.low - 1], ordered[:, ranks.high - 1]
        for cell in np.flatnonzero(exact[each]).tolist():
            distinct, counts = np.unique(ordered[cell], return_counts=True)
            centre[each[cell]] = distinct[counts.argmax()]
    low, high = np.where(exact, minimum, low), np.where(exact, maximum, high)
    return Summaries(centre=centre, low=low, high=high, minimum=minimum, maximum=maximum)


def pvalues_of(
    cells: Cells, values: NDArray[np.float64], exact: NDArray[np.bool_], significance_level: float
) -> NDArray[np.float64]:
    """Return the p value of each cell against its baseline: NaN where it has none, 0 for an exact unit.

    Returns
    -------
    ndarray, shape (c,)
    """
    found = np.full(cells.n.size, np.nan)
    compared = np.flatnonzero(cells.base >= 0)
    found[compared[exact[compared]]] = 0.0
    compared = compared[~exact[compared]]
    bases = cells.base[compared]
    sizes, group = np.unique(np.stack([cells.n[bases], cells.n[compared]]), axis=1, return_inverse=True)
    for one, (n1, n2) in enumerate(sizes.T.tolist()):
        each = group == one
        baseline = values[cells.starts[bases[each]][:, None] + np.arange(n1)]
        candidate = values[cells.starts[compared[each]][:, None] + np.arange(n2)]
        found[compared[each]] = printed_pvalues(baseline, candidate, significance_level)
    return found
