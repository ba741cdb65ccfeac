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

from benchlib.caveats import Caveat, caveat
from benchlib.effects.cells import Cell
from benchlib.effects.sums_of_squares import (
    LogMeans,
    balanced_shape,
    count_columns,
    mean_logarithms,
    squares_by_least_squares,
    squares_by_means,
)
from benchlib.errors import DataError, choices, printable
from benchlib.lazy_scipy import special
from benchlib.statistics.checks import checked_level

__all__ = ["COLUMNS_LIMIT", "VarianceRow", "VarianceTable", "analyse_variance"]

#: Beyond this many columns an unbalanced model is not solved; interactions are left out instead.
COLUMNS_LIMIT = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceRow:
    """What one factor, or two together, account for.

    Attributes
    ----------
    factors : tuple of str
        One for a main effect, two for an interaction.
    sum_of_squares : float
        Type II, of natural logarithms.
    degrees_of_freedom : int
        0 where the row cannot be told from the others.
    share : float
        Of the sum of squares about the mean, from 0 to 1; NaN without degrees of freedom.
    adjusted_share : float
        Omega squared, an estimate of the share without what noise brings: (sum of squares - degrees of freedom x
        residual mean square) / (total + residual mean square), at least 0; NaN without residual freedom.
    f, pvalue : float
        Against the residual; NaN where no cell was measured twice, or nothing is left over.
    adjusted_pvalue : float
        For the number of rows tested (Bonferroni).
    shown : bool
        Whether the adjusted p value is at most 1 - confidence level; never without a test.
    """

    factors: tuple[str, ...]
    sum_of_squares: float
    degrees_of_freedom: int
    share: float
    adjusted_share: float
    f: float
    pvalue: float
    adjusted_pvalue: float
    shown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceTable:
    """The variance of the logarithms of a response, by what accounts for it.

    Attributes
    ----------
    rows : tuple of VarianceRow
        Largest share first. Empty where there is nothing to share out.
    total, residual : float
        Sums of squares about the mean, and of what the model leaves over: noise, and what three or
        more factors do together.
    together_share, residual_share : float
        What factors in twos account for, and what is left over, as shares of the total.
    residual_degrees_of_freedom : int
    n_cells, n : int
        Cells, and values in them.
    caveats : tuple of Caveat
    """

    rows: tuple[VarianceRow, ...]
    total: float
    residual: float
    together_share: float
    residual_share: float
    residual_degrees_of_freedom: int
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
    with none.

    Parameters
    ----------
    cells : sequence of Cell
        With positive values.
    factors : sequence of str
        Those with one level only are passed over.
    confidence_level : float
        At which rows are shown to account for something, all rows together.

    Returns
    -------
    VarianceTable
        Without rows where a value is not positive, where nothing varies, or where an unbalanced table has
        more than `COLUMNS_LIMIT` levels; then a caveat says why.

    Raises
    ------
    DataError
        For no cell, a factor that the cells do not have, or a level that is not between 0 and 1.

    References
    ----------
    Ø. Langsrud, Statistics and Computing 13 (2003) 163-167: type II sums of squares.
    S. R. Searle, Linear Models for Unbalanced Data, 1987, chapter 5: rank and missing cells.
    W. L. Hays, Statistics, 5th ed., 1994, and S. Olejnik, J. Algina, Psychological Methods 8 (2003) 434-447: omega
    squared. O. J. Dunn, Journal of the American Statistical Association 56 (1961) 52-64: p values of several rows.

    Examples
    --------
    >>> from benchlib.effects.cells import build_cells
    >>> table = build_cells(
    ...     {"bits": [32, 64, 32, 64] * 2, "curve": ["A", "A", "B", "B"] * 2},
    ...     [1.0, 2.0, 10.0, 40.0, 1.1, 2.1, 10.1, 40.5],
    ...     unit="sec",
    ... )
    >>> found = analyse_variance(table.cells, ("bits", "curve"))
    >>> [(" x ".join(row.factors), round(row.share, 3)) for row in found.rows]
    [('curve', 0.852), ('bits', 0.131), ('bits x curve', 0.016)]
    """
    level = checked_level(confidence_level)
    if not cells:
        raise DataError("there is no cell to share the variance of; at least 2 are needed")
    unknown = [one for one in factors if one not in cells[0].levels]
    if unknown:
        raise DataError(f"the cells have no factor '{printable(unknown[0])}'; they have {choices(cells[0].levels)}")
    n = sum(cell.n for cell in cells)
    if any(cell.values[0] <= 0 for cell in cells):
        at_fault = sum(1 for cell in cells if cell.values[0] <= 0)
        return _without_rows(
            cells, n, caveat("no-ratio", f"{at_fault} of {len(cells)} cells hold a 0 or less: no share of variance")
        )
    data = mean_logarithms(cells, factors)
    total = data.within + float(data.counts @ data.centred**2)
    # Below the rounding of the logarithms nothing varies.
    if total <= 1e-20 * max(1.0, n * float(np.abs(data.means).max()) ** 2):
        return _without_rows(cells, n)
    varying = tuple(data.codes)
    terms: list[tuple[str, ...]] = [(one,) for one in varying]
    warned: list[Caveat] = []
    pairs: list[tuple[str, ...]] = list(itertools.combinations(varying, 2))
    grid = balanced_shape(data)
    if grid is None:
        if count_columns(data, ()) > COLUMNS_LIMIT:
            return _without_rows(cells, n, _too_many(count_columns(data, ()), "levels"))
        if count_columns(data, pairs) > COLUMNS_LIMIT:
            warned.append(_too_many(count_columns(data, pairs), "combinations of levels in twos"))
            pairs = []
    terms += pairs
    found = squares_by_means(data, terms, grid) if grid is not None else squares_by_least_squares(data, terms)
    return _tabulate(cells, data, total, terms, found, warned, level)


def _tabulate(
    cells: Sequence[Cell],
    data: LogMeans,
    total: float,
    terms: Sequence[tuple[str, ...]],
    found: Sequence[tuple[float, int]],
    warned: list[Caveat],
    level: float,
) -> VarianceTable:
    n = int(data.counts.sum())
    *rows_found, (explained, rank) = found
    residual = max(total - explained, 0.0)
    left = n - 1 - rank
    # Residuals of cells measured once are interaction, not noise: nothing can be tested against them.
    repeated = n > len(cells)
    # What rounding leaves of a model that meets every value is no measure of noise.
    left_over = residual / left if left > 0 else math.nan
    mean_square = left_over if repeated and residual > 1e-14 * total else math.nan
    tested = sum(1 for _, degrees in rows_found if degrees)
    rows = []
    for term, (squares, degrees) in zip(terms, rows_found, strict=True):
        f = squares / degrees / mean_square if degrees else math.nan
        pvalue = float(special.fdtrc(degrees, left, f)) if math.isfinite(f) else math.nan
        without_noise = (squares - degrees * left_over) / (total + left_over) if degrees else math.nan
        rows.append(
            VarianceRow(
                factors=term,
                sum_of_squares=squares,
                degrees_of_freedom=degrees,
                share=squares / total if degrees else math.nan,
                # In this order a NaN stays one.
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
        f"{count} {what} are too many to share an unbalanced variance over (at most {COLUMNS_LIMIT})",
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
