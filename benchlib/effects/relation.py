"""Two metrics over the same cells.

Does time follow allocations? The slope of the logarithms says by which power, the rank correlation
how closely, whatever the power.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.caveats import Caveat, caveat, merge
from benchlib.effects.cells import Cell, CellTable, Level
from benchlib.effects.contrasts import t_interval
from benchlib.errors import DataError, choices
from benchlib.lazy_scipy import special
from benchlib.statistics.estimates import Estimate, checked_level

__all__ = ["Relation", "relate_cells"]

#: Fewer cells than these carry no correlation.
SMALLEST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """How one metric goes with another over cells.

    Attributes
    ----------
    slope : Estimate
        Of the logarithm of the response on that of the other metric: 1 where they are in
        proportion, 0.5 where the response goes with its square root. Unit ``""``.
    rank_correlation : Estimate
        Spearman's, from -1 to 1, unit ``""``.
    relative_error : float
        How far the power misses the cells, as a share of the response.
    n_cells : int
        Cells with both metrics, all values positive.
    caveats : tuple of Caveat
    """

    slope: Estimate
    rank_correlation: Estimate
    relative_error: float
    n_cells: int
    caveats: tuple[Caveat, ...]


def relate_cells(response: CellTable, other: CellTable, *, confidence_level: float = 0.95) -> Relation:
    """Relate a metric to another over the cells that have both.

    The slope takes the other metric as known without error, as counts nearly are: noise in it would
    flatten the slope.

    Parameters
    ----------
    response, other : CellTable
        Of the same factors.
    confidence_level : float

    Raises
    ------
    DataError
        For tables of different factors, or fewer than 4 cells that have both metrics with positive
        values.

    References
    ----------
    Slope: t interval of least squares on logarithms of geometric means. Rank correlation: D. G.
    Bonett, T. A. Wright, Psychometrika 65 (2000) 23-28; where the ranks agree (or oppose each other)
    wholly, the near end is of the next lower value that they could take.

    Examples
    --------
    >>> from benchlib.effects.cells import build_cells
    >>> bits = [8, 16, 32, 64, 128]
    >>> time = build_cells({"bits": bits}, [1.0, 2.1, 3.9, 8.2, 15.8], unit="sec/op")
    >>> allocations = build_cells({"bits": bits}, [10, 20, 40, 80, 160], unit="allocs/op")
    >>> found = relate_cells(time, allocations)
    >>> round(found.slope.value, 2), found.rank_correlation.value, found.n_cells
    (0.99, 1.0, 5)
    """
    level = checked_level(confidence_level)
    if set(response.factors) != set(other.factors):
        raise DataError(
            f"cells of {choices(response.factors)} and of {choices(other.factors)} cannot be matched; "
            "give both tables the same factors"
        )
    partners = {_place(cell, response.factors): cell for cell in other.cells}
    pairs = [
        (partners[place], cell) for cell in response.cells if (place := _place(cell, response.factors)) in partners
    ]
    usable = [pair for pair in pairs if all(cell.values[0] > 0 for cell in pair)]
    if len(usable) < SMALLEST:
        raise DataError(
            f"{len(usable)} cells have both metrics with positive values; at least {SMALLEST} are needed: "
            "measure both in more cells"
        )
    warned: list[Caveat] = []
    alone = len(response.cells) + len(other.cells) - 2 * len(pairs)
    if alone:
        warned.append(caveat("missing-cells", f"{alone} cells have one of the two metrics only and are left out"))
    if len(usable) < len(pairs):
        warned.append(caveat("no-ratio", f"{len(pairs) - len(usable)} of {len(pairs)} cells hold a 0 or less"))
    logs = np.array([[float(np.log(cell.values).mean()) for cell in pair] for pair in usable])
    n = sum(cell.n for _, cell in usable)
    slope, relative_error = _slope(logs[:, 0], logs[:, 1], n, level)
    if math.isnan(slope.value):
        warned.append(caveat("one-level", f"the other metric is the same in all {len(usable)} cells"))
    return Relation(
        slope=slope,
        rank_correlation=_rank_correlation(logs[:, 0], logs[:, 1], n, level),
        relative_error=relative_error,
        n_cells=len(usable),
        caveats=merge(warned),
    )


def _place(cell: Cell, factors: Iterable[str]) -> tuple[Level, ...]:
    return tuple(cell.levels[name] for name in factors)


def _slope(x: NDArray[np.float64], y: NDArray[np.float64], n: int, level: float) -> tuple[Estimate, float]:
    away, degrees = x - x.mean(), x.size - 2
    spread = float(away @ away)
    value = error = relative_error = math.nan
    # A metric that only rounding moves explains nothing.
    if spread > 1e-20 * max(1.0, float(x @ x)):
        value = float(away @ y) / spread
        residuals = y - y.mean() - value * away
        relative_error = math.sqrt(float(residuals @ residuals) / degrees)
        error = relative_error / math.sqrt(spread)
    low, high = t_interval(value, error, degrees, level)
    return Estimate(
        value=value,
        low=low,
        high=high,
        unit="",
        confidence_level=level,
        n=n,
        method=f"least squares on logarithms of {x.size} cells, t interval",
        standard_error=error,
    ), relative_error


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rank of each value from 1; equal ones share the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return ranks


def _rank_correlation(x: NDArray[np.float64], y: NDArray[np.float64], n: int, level: float) -> Estimate:
    size = x.size
    # Geometric means of equal counts differ by rounding; ranks must not.
    first, second = (_ranks(np.round(one, 12)) - (size + 1) / 2 for one in (x, y))
    spread = math.sqrt(float(first @ first) * float(second @ second))
    value, low, high = math.nan, -math.inf, math.inf
    if spread > 0:
        value = float(first @ second) / spread
        # The largest value below 1 is of two neighbours exchanged.
        inner = min(abs(value), 1 - 12 / (size * (size**2 - 1)))
        reach = float(special.ndtri((1 + level) / 2)) * math.sqrt((1 + inner**2 / 2) / (size - 3))
        centre = math.copysign(math.atanh(inner), value)
        low, high = math.tanh(centre - reach), math.tanh(centre + reach)
        if abs(value) > inner:
            low, high = (low, 1.0) if value > 0 else (-1.0, high)
    return Estimate(
        value=value,
        low=low,
        high=high,
        unit="",
        confidence_level=level,
        n=n,
        method=f"Spearman's rank correlation of {size} cells, Bonett-Wright interval",
        standard_error=math.nan,
    )
