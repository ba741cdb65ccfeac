"""benchstat's tables: one for each configuration and unit, with cells, comparisons, geometric means and warnings.

References
----------
golang.org/x/perf/cmd/benchstat, ``internal/benchtab``; golang.org/x/perf/benchmath.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.benchstat.cells import Cells, Summaries, cells_of, pvalues_of, summaries_of
from benchlib.answers.benchstat.columns import Columns, Texts
from benchlib.answers.benchstat.footnotes import Footnotes
from benchlib.answers.benchstat.projection import Projections, project_together
from benchlib.answers.benchstat.units import exact_units, table_units
from benchlib.errors import DataError
from benchlib.results import Series
from benchlib.statistics.geomean import geometric_mean

__all__ = ["ColumnSummary", "Table", "Tables", "benchstat_tables"]

Place = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSummary:
    """What stands below a column.

    Attributes
    ----------
    geomean : float
        Of the centres; NaN where one is not above 0.
    ratio : float
        Geometric mean of centre over baseline; NaN for the first column, and where a row has no ratio above 0.
    warnings : tuple of str
    """

    geomean: float
    ratio: float
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """One table; the first column is the baseline of all others.

    Attributes
    ----------
    keys : tuple of str
        The configuration, in the fields of `Tables`.
    unit : str
    exact : bool
        Whether a file says that the unit is measured exactly.
    rows : tuple of str
    columns : tuple of tuple of str
        In the column fields of `Tables`.
    n : ndarray of int, shape (r, c)
        0 where the cell is missing.
    centre, low, high : ndarray, shape (r, c)
        In `unit`; NaN where the cell is missing.
    pvalue : ndarray, shape (r, c)
        NaN in the first column, and where it has no value to compare with. Above 1 where benchstat's is.
    warnings, change_warnings : mapping of (row, column) to tuple of str
        On a cell, and on its comparison.
    summaries : tuple of ColumnSummary
    """

    keys: tuple[str, ...]
    unit: str
    exact: bool
    rows: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    n: NDArray[np.intp]
    centre: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    pvalue: NDArray[np.float64]
    warnings: Mapping[Place, tuple[str, ...]]
    change_warnings: Mapping[Place, tuple[str, ...]]
    summaries: tuple[ColumnSummary, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tables:
    """All tables, in benchstat's order.

    Attributes
    ----------
    fields : tuple of str
        The keys that part tables, beside the unit.
    column_fields : tuple of str
    tables : tuple of Table
    significance_level : float
        A p value above it is no difference.
    """

    fields: tuple[str, ...]
    column_fields: tuple[str, ...]
    tables: tuple[Table, ...]
    significance_level: float


def benchstat_tables(
    frame: pd.DataFrame,
    *,
    series: Iterable[Series] = (),
    table: str = ".config",
    row: str = ".fullname",
    col: str = ".file",
    ignore: str = "",
    significance_level: float = 0.05,
    confidence_level: float = 0.95,
    made_of_names: Sequence[str] = (),
) -> Tables:
    """Return the tables that benchstat makes of results.

    Parameters
    ----------
    frame : DataFrame
        As in `benchlib.results.Results`; the column ``run`` is benchstat's ``.file``.
    series : iterable of Series
        Of the same results: which units are exact.
    table, row, col, ignore : str
        Keys, see `project`.
    significance_level, confidence_level : float
        From 0 to 1, both included.
    made_of_names : sequence of str
        Axes that a study's templates take out of names.

    Raises
    ------
    SelectionError
        For keys that are none, or that nothing in the frame has.
    DataError
        For a level outside 0 to 1.

    Examples
    --------
    >>> frame = pd.DataFrame({"name": "A", "run": ["old"] * 4 + ["new"] * 4, "metric": "time", "unit": "sec/op",
    ...                       "original_unit": "s/op", "value": [1.0, 2, 3, 4, 5, 6, 7, 8]})
    >>> [found] = benchstat_tables(frame).tables
    >>> found.columns, found.centre.tolist(), found.pvalue.round(3).tolist()
    ((('old',), ('new',)), [[2.5, 6.5]], [[nan, 0.029]])
    """
    for what, level, usual in (("significance", significance_level, 5), ("confidence", confidence_level, 95)):
        if not 0 <= level <= 1:
            raise DataError(f"{what} level {level!r} is not from 0 to 1; write {usual} % as {usual / 100}")
    parts = project_together(frame, table=table, row=row, column=col, ignore=ignore, made_of_names=made_of_names)
    columns = Columns(frame, made_of_names)
    units = table_units(columns)
    ranked = _as_seen(units, parts.row.codes >= 0)
    cells = cells_of(parts.table.codes * len(ranked.levels) + ranked.codes, parts.row.codes, parts.column.codes)
    first = cells.order[cells.starts[:-1]]
    exact = exact_units(columns, series)[first]
    values = frame["value"].to_numpy(dtype=np.float64)[cells.order]
    found = summaries_of(cells, values, exact, confidence_level)
    pvalues = pvalues_of(cells, values, exact, significance_level)
    footnotes = Footnotes(cells, found, pvalues, exact, parts, significance_level, confidence_level)
    bounds = [*np.flatnonzero(np.diff(cells.table, prepend=-1)).tolist(), cells.n.size]
    return Tables(
        fields=parts.table.fields,
        column_fields=parts.column.fields,
        tables=tuple(
            _table(slice(start, stop), cells, found, pvalues, exact, parts, ranked.levels, footnotes)
            for start, stop in pairwise(bounds)
        ),
        significance_level=significance_level,
    )


def _as_seen(texts: Texts, kept: NDArray[np.bool_]) -> Texts:
    """Return texts with their levels in the order in which rows that are kept first have them."""
    codes, uniques = pd.factorize(texts.codes[kept])
    every = np.zeros(kept.size, dtype=np.intp)
    every[kept] = codes
    return Texts(every, tuple(texts.levels[one] for one in uniques.tolist()))


def _table(
    part: slice,
    cells: Cells,
    found: Summaries,
    pvalues: NDArray[np.float64],
    exact: NDArray[np.bool_],
    parts: Projections,
    units: Sequence[str],
    footnotes: Footnotes,
) -> Table:
    rows, row = np.unique(cells.row[part], return_inverse=True)
    columns, column = np.unique(cells.column[part], return_inverse=True)
    shape = (rows.size, columns.size)

    def laid_out(values: NDArray[np.float64]) -> NDArray[np.float64]:
        grid = np.full(shape, np.nan)
        grid[row, column] = values[part]
        return grid

    n = np.zeros(shape, dtype=np.intp)
    n[row, column] = cells.n[part]
    key, unit = divmod(int(cells.table[part.start]), len(units))
    places = list(zip(row.tolist(), column.tolist(), strict=True))
    centre = laid_out(found.centre)
    return Table(
        keys=parts.table.levels[key],
        unit=units[unit],
        exact=bool(exact[part.start]),
        rows=tuple(labels[one] for labels in [parts.row.labels] for one in rows.tolist()),
        columns=tuple(parts.column.levels[one] for one in columns.tolist()),
        n=n,
        centre=centre,
        low=laid_out(found.low),
        high=laid_out(found.high),
        pvalue=laid_out(pvalues),
        warnings=_placed(footnotes.centre, part, places),
        change_warnings=_placed(footnotes.change, part, places),
        summaries=tuple(_summary(centre[:, 0], centre[:, one], first=not one) for one in range(columns.size)),
    )


def _placed(told: Mapping[int, tuple[str, ...]], part: slice, places: Sequence[Place]) -> dict[Place, tuple[str, ...]]:
    return {places[cell - part.start]: told[cell] for cell in range(part.start, part.stop) if cell in told}


def _summary(base: NDArray[np.float64], column: NDArray[np.float64], *, first: bool) -> ColumnSummary:
    """Summarise a column: the mean of ratios, and not the ratio of means, holds where benchmarks are missing."""
    there = ~np.isnan(column)
    both = there & ~np.isnan(base)
    old, new = base[both], column[both]
    warnings = []
    if not first and both.sum() != (~np.isnan(base)).sum():
        warnings.append("benchmark set differs from baseline; geomeans may not be comparable")
    geomean, ratio = geometric_mean(column[there]), math.nan
    if math.isnan(geomean):
        warnings.append("summaries must be >0 to compute geomean")
    if not first and not ((old == 0) & (new != 0)).any():
        with np.errstate(over="ignore"):  # beyond what a float holds benchstat too says +Inf
            ratio = geometric_mean(np.divide(new, old, out=np.ones_like(new), where=new != old))
        if math.isnan(ratio):
            warnings.append("ratios must be >0 to compute geomean")
    return ColumnSummary(geomean=geomean, ratio=ratio, warnings=tuple(warnings))
