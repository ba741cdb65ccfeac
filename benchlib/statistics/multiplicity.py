"""Many tests at once: how p values and levels change when the interesting rows are picked out."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.errors import DataError
from benchlib.statistics.checks import checked_level

__all__ = ["benjamini_hochberg", "false_coverage_level"]


def benjamini_hochberg(pvalues: ArrayLike) -> NDArray[np.float64]:
    """Return p values adjusted so that a bound on them bounds the share of false discoveries.

    A NaN (a row that could not be tested) stays NaN and does not count as a test.

    Raises
    ------
    DataError
        For a p value outside 0 to 1.

    References
    ----------
    Y. Benjamini, Y. Hochberg, Journal of the Royal Statistical Society B 57 (1995) 289-300.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.02, 0.9]).tolist()
    [0.03, 0.03, 0.9]
    """
    found = np.asarray(pvalues, dtype=np.float64).ravel()
    tested = ~np.isnan(found)
    if ((found[tested] < 0) | (found[tested] > 1)).any():
        wrong = found[tested & ~((found >= 0) & (found <= 1))][0]
        raise DataError(f"p value {float(wrong)!r} is not between 0 and 1")
    adjusted = np.full(found.shape, np.nan)
    if tested.any():
        adjusted[tested] = _stepped_up(found[tested])
    return adjusted


def _stepped_up(pvalues: NDArray[np.float64]) -> NDArray[np.float64]:
    # As scipy.stats.false_discovery_control does, whose import alone takes longer than a comparison of two files.
    order = np.argsort(pvalues)
    scaled = pvalues[order] * pvalues.size / np.arange(1, pvalues.size + 1)
    adjusted = np.empty_like(pvalues)
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return np.minimum(adjusted, 1.0)


def false_coverage_level(confidence_level: float, selected: int, total: int) -> float:
    """Return the level at which to draw intervals of selected rows only.

    Intervals at this level hold, over the rows selected by Benjamini-Hochberg, the false coverage
    that ``confidence_level`` promises for a single row.

    Parameters
    ----------
    selected, total : int
        How many rows were picked out of how many. With none picked, the level for one.

    Raises
    ------
    DataError
        For counts that cannot be.

    References
    ----------
    Y. Benjamini, D. Yekutieli, Journal of the American Statistical Association 100 (2005) 71-81.

    Examples
    --------
    >>> round(false_coverage_level(0.95, 2, 10), 12)
    0.99
    """
    level = checked_level(confidence_level)
    if total < 1 or not 0 <= selected <= total:
        raise DataError(f"{selected} rows selected of {total} cannot be; give 0 to {max(total, 1)}")
    return 1 - (1 - level) * max(selected, 1) / total
