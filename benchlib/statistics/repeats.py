"""How well a median repeats: the part of a change that is a row's own scatter, not the machine's."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.statistics.checks import checked_rows

__all__ = ["log_median_variances"]


def log_median_variances(values: ArrayLike, starts: ArrayLike) -> NDArray[np.float64]:
    """Return the sampling variance of the logarithm of each sample's median.

    As for normal logarithms: pi / 2 times their variance over their number.

    Parameters
    ----------
    values : array_like, shape (total,)
        Sample after sample.
    starts : array_like of int, shape (r + 1,)
        Where each sample begins, and after the last where it ends.

    Returns
    -------
    numpy.ndarray, shape (r,)
        NaN for fewer than 2 values, or where one is not above 0.

    Raises
    ------
    DataError
        For starts that do not lead through the values, or values that are not finite.

    References
    ----------
    A. W. van der Vaart, Asymptotic Statistics, 1998, chapter 21 (the median in large samples).

    Examples
    --------
    >>> log_median_variances([1.0, 1.1, 1.2, 5.0], [0, 3, 4]).round(4)
    array([0.0044,    nan])
    """
    flat, places = checked_rows(values, starts)
    sizes = np.diff(places)
    row = np.repeat(np.arange(sizes.size), sizes)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(flat)
        means = np.bincount(row, logs, minlength=sizes.size) / sizes
        squares = np.bincount(row, (logs - means[row]) ** 2, minlength=sizes.size)
        found = math.pi / 2 * squares / (sizes - 1) / sizes
    return np.where((sizes > 1) & np.isfinite(found), found, np.nan)
