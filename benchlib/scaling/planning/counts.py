"""Counts of nodes by draw, and which of them is enough with a stated probability."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.scaling.laws import FloatArray

__all__ = ["SHARES", "Counts", "chance", "draws_in", "enough", "held_in", "is_enough"]

#: The shares of draws that node counts are told for.
SHARES = (0.5, 0.8, 0.95)
#: A share that is met but for rounding is met.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counts:
    """How many nodes are enough, by draw: from ``least`` to ``most``.

    Attributes
    ----------
    least : ndarray, shape (draws,) or (draws, stretches)
        Infinite where no number is enough. Stretches of a draw do not overlap.
    most : ndarray of the same shape
        Infinite where more do no harm.
    """

    least: FloatArray
    most: FloatArray


def held_in(values: FloatArray, share: float) -> float:
    """Return the smallest value that a share of the draws does not exceed.

    Examples
    --------
    >>> held_in(np.array([3.0, 4.0, 4.0, 5.0]), 0.75), held_in(np.array([3.0, np.inf]), 0.95)
    (4.0, inf)
    """
    at = draws_in(share, len(values)) - 1
    return float(np.partition(values, at)[at])


def draws_in(share: float, draws: int) -> int:
    """Return how many draws a share of them takes.

    Examples
    --------
    >>> draws_in(0.95, 4000), draws_in(0.95, 3)
    (3800, 3)
    """
    return math.ceil(share * draws * (1 - _ROUNDING))


def enough(needed: Counts, share: float) -> float:
    """Return the smallest count that is enough in a share of the draws; infinite where none is.

    Examples
    --------
    >>> more = np.full(4, np.inf)
    >>> enough(Counts(least=np.array([3.0, 4.0, 4.0, 5.0]), most=more), 0.75)
    4.0
    >>> enough(Counts(least=np.array([3.0, 4.0, 4.0, 5.0]), most=np.array([3.0, 9.0, 9.0, 9.0])), 0.75)
    5.0
    """
    wanted = draws_in(share, len(needed.least))
    least, most = (np.sort(one[np.isfinite(one)]) for one in (needed.least, needed.most))
    if len(least) < wanted:
        return math.inf
    if not len(most):
        return float(least[wanted - 1])
    # Of equal counts the last: as many draws need no more than that.
    last = np.flatnonzero(np.append(np.diff(least) > 0, True))
    found = least[last][last + 1 - np.searchsorted(most, least[last]) >= wanted]
    return float(found[0]) if len(found) else math.inf


def is_enough(needed: Counts, nodes: float) -> NDArray[np.bool_]:
    """Return in which draws a count is enough.

    Examples
    --------
    >>> is_enough(Counts(least=np.array([3.0, 4.0, 5.0]), most=np.array([3.0, np.inf, np.inf])), 4).tolist()
    [False, True, False]
    """
    found = (needed.least <= nodes) & (nodes <= needed.most) & math.isfinite(nodes)
    return np.asarray(found if found.ndim == 1 else found.any(axis=1))


def chance(needed: Counts, nodes: float) -> float:
    """Return the share of draws in which a count is enough.

    Examples
    --------
    >>> chance(Counts(least=np.array([3.0, 4.0, 4.0, 5.0]), most=np.full(4, np.inf)), 4)
    0.75
    """
    return float(np.mean(is_enough(needed, nodes)))
