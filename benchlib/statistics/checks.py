"""What every statistic asks of its input before it answers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.errors import DataError, choices

__all__ = ["checked_level", "checked_rows", "checked_values"]


def checked_values(values: ArrayLike, what: str = "sample") -> NDArray[np.float64]:
    """Return values as a flat float64 array that is not empty and holds finite numbers only.

    Raises
    ------
    DataError
        For no values, or for one that is NaN or infinite.

    Examples
    --------
    >>> checked_values([1, 2])
    array([1., 2.])
    """
    found = np.asarray(values, dtype=np.float64).ravel()
    if not found.size:
        raise DataError(f"the {what} holds no values; at least 1 is needed")
    if not np.isfinite(found).all():
        wrong = found[~np.isfinite(found)]
        raise DataError(
            f"the {what} holds {choices(wrong.tolist(), 3)} ({wrong.size} of {found.size} values are not "
            "finite); leave such rows out, they are no measurements"
        )
    return found


def checked_rows(values: ArrayLike, starts: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return many samples in one flat array, and where each starts, as arrays that fit each other.

    Raises
    ------
    DataError
        For starts that do not lead through the values, or values that are not finite.

    Examples
    --------
    >>> checked_rows([1, 2, 3], [0, 2, 3])
    (array([1., 2., 3.]), array([0, 2, 3]))
    """
    flat, places = np.asarray(values, dtype=np.float64).ravel(), np.asarray(starts, dtype=np.intp).ravel()
    if not places.size or places[0] != 0 or places[-1] != flat.size or (np.diff(places) < 0).any():
        raise DataError(
            f"the starts of samples do not lead through {flat.size} values; begin with 0, end with their number"
        )
    if not np.isfinite(flat).all():
        wrong = int((~np.isfinite(flat)).sum())
        raise DataError(f"{wrong} of {flat.size} values are not finite; leave such rows out, they are no measurements")
    return flat, places


def checked_level(confidence_level: float) -> float:
    """Return a confidence level that lies between 0 and 1.

    Raises
    ------
    DataError
        For a level that is not strictly between 0 and 1.

    Examples
    --------
    >>> checked_level(0.95)
    0.95
    """
    if not 0 < confidence_level < 1:
        raise DataError(f"confidence level {confidence_level!r} is not between 0 and 1; write 95 % as 0.95")
    return float(confidence_level)
