"""Did all cells change alike between two runs, by one factor? A machine that is slower as a whole does that."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchlib.effects.cells import Cell
from benchlib.effects.contrasts import exponential, t_interval
from benchlib.lazy_scipy import special
from benchlib.statistics.estimates import Estimate

__all__ = ["CommonFactor", "find_common_factor"]

#: Logarithms of ratios that differ by no more than this are equal.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonFactor:
    """One factor for all cells, and whether it is enough.

    Attributes
    ----------
    estimate : Estimate
        Candidate over baseline, unit ``"x"``: geometric mean over the cells, weighted by their replicates.
        Without an interval where no cell was measured twice.
    pvalue : float
        Of one factor for all cells: small where the cells did not change alike. NaN where no cell was
        measured twice, or there is only one.
    """

    estimate: Estimate
    pvalue: float


def find_common_factor(pairs: Sequence[tuple[Cell, Cell]], level: float) -> CommonFactor:
    """Test whether the ratio of candidate to baseline is the same in all cells.

    Cells are taken to share one relative error, that of the replicates within them.

    Parameters
    ----------
    pairs : sequence of (Cell, Cell)
        The same cell in the baseline and the candidate, of positive values; at least one pair.
    level : float
        Confidence level of the interval.

    References
    ----------
    The F test of the interaction of run and cell on logarithms: H. Scheffé, The Analysis of Variance, 1959,
    section 4.3.

    Examples
    --------
    >>> from benchlib.effects.cells import build_cells
    >>> outputs = [1, 1, 2, 2, 4, 4]
    >>> before = build_cells({"outputs": outputs}, [10.0, 10.2, 20.0, 20.2, 40.0, 40.3], unit="sec")
    >>> after = build_cells({"outputs": outputs}, [11.0, 11.2, 22.1, 22.0, 44.3, 44.0], unit="sec")
    >>> found = find_common_factor(list(zip(before.cells, after.cells)), 0.95)
    >>> f"{found.estimate.value:.2f} ({found.estimate.low:.2f} to {found.estimate.high:.2f}), p {found.pvalue:.2f}"
    '1.10 (1.08 to 1.11), p 0.98'
    """
    logs = [(np.log(before.values), np.log(after.values)) for before, after in pairs]
    changes = np.array([float(after.mean() - before.mean()) for before, after in logs])
    weights = np.array([1 / (1 / before.n + 1 / after.n) for before, after in pairs])
    n = sum(cell.n for pair in pairs for cell in pair)
    freedom = n - 2 * len(pairs)
    centre = float(weights @ changes / weights.sum())
    squares = math.fsum(float(one.var()) * one.size for pair in logs for one in pair)
    variance = squares / freedom if freedom else math.nan
    error = math.sqrt(variance / float(weights.sum()))
    low, high = exponential(t_interval(centre, error, freedom, level))
    return CommonFactor(
        estimate=Estimate(
            value=math.exp(centre),
            low=low,
            high=high,
            unit="x",
            confidence_level=level,
            n=n,
            method="geometric mean of the ratios of cells, t interval on logarithms of the replicates",
            standard_error=math.exp(centre) * error,
        ),
        pvalue=_pvalue(changes - centre, weights, variance, freedom),
    )


def _pvalue(
    away: np.ndarray[tuple[int], np.dtype[np.float64]],
    weights: np.ndarray[tuple[int], np.dtype[np.float64]],
    variance: float,
    freedom: int,
) -> float:
    if not freedom or away.size < 2:
        return math.nan
    # Counts repeat to the last digit: there any difference is one.
    if variance <= ROUNDING**2:
        return float(np.abs(away).max() <= ROUNDING)
    between = float(weights @ away**2) / (away.size - 1)
    return float(special.fdtrc(away.size - 1, freedom, between / variance))
