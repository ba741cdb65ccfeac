"""How far the farthest of several draws lies from a mean that few others estimate."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.errors import DataError
from benchlib.lazy_scipy import special
from benchlib.statistics.checks import checked_level

__all__ = ["farthest_pvalue", "farthest_reach"]

Floats = NDArray[np.float64]

#: Points at which the distance of the farthest draw is taken: they leave an error below 1e-6 in a p value.
_POINTS = 400
#: Nodes for the error of the mean.
_NODES = 40
#: Distances beyond these have squares that a double does not hold; their p values are 1 and 0.
_NEAREST, _FARTHEST = 1e-100, 1e100
#: Halvings of the bracket of a reach: enough for the last digit of a double.
_HALVINGS = 60


def farthest_pvalue(distances: ArrayLike, *, known: int, together: int) -> Floats:
    """Return the chance that any of several new draws lies as far from the mean of the known ones.

    All draws are from one normal distribution. A distance is counted in standard errors of a prediction:
    ``|new - mean| / (spread * sqrt(1 + 1 / known))``, mean and standard deviation (``known - 1``) being
    those of the known draws. For one new draw this is Student's t. For more, given the error ``u`` of the
    mean, the farthest of m draws lies within ``x`` with the chance ``(Phi(x - u) - Phi(-x - u))**m``; the mean
    over ``u`` is by Gauss-Hermite quadrature, that over the spread in closed form (incomplete gamma function).

    Parameters
    ----------
    distances : array_like, shape (r,)
        0 or more.
    known : int
        How many draws mean and spread rest on; 2 or more.
    together : int
        How many new draws are looked at together; 1 or more.

    Raises
    ------
    DataError
        For fewer draws than these.

    References
    ----------
    G. J. Hahn, Journal of the American Statistical Association 64 (1969) 878-888; G. J. Hahn, W. Q. Meeker,
    Statistical Intervals, 1991, section 4.8 (simultaneous prediction intervals).

    Examples
    --------
    >>> farthest_pvalue([4.303], known=3, together=1).round(4)
    array([0.05])
    >>> farthest_pvalue([4.303], known=3, together=10).round(2)
    array([0.17])
    """
    _check(known, together)
    found = np.atleast_1d(np.asarray(distances, dtype=np.float64)).ravel()
    freedom = known - 1
    if together == 1:
        return np.asarray(2 * special.stdtr(freedom, -np.abs(found)), dtype=np.float64)
    places, masses = _farthest(known, together)
    reach = places**2 / (1 + 1 / known)
    answers = np.empty(found.size)
    # Blocks of rows keep the table of rows by points small.
    for start in range(0, found.size, 1024):
        block = np.clip(np.abs(found[start : start + 1024]), _NEAREST, _FARTHEST)[:, None]
        answers[start : start + 1024] = special.gammainc(freedom / 2, freedom / 2 * reach / block**2) @ masses
    return np.clip(answers, 0.0, 1.0)


@lru_cache(maxsize=256)
def farthest_reach(level: float, *, known: int, together: int) -> float:
    """Return the distance within which all new draws lie with this chance.

    The way back of `farthest_pvalue`, by bisection.

    Parameters
    ----------
    level : float
        Between 0 and 1.
    known, together : int
        As for `farthest_pvalue`.

    Raises
    ------
    DataError
        For a level that is not between 0 and 1, or for too few draws.

    Examples
    --------
    >>> round(farthest_reach(0.95, known=3, together=1), 3), round(farthest_reach(0.95, known=3, together=10), 1)
    (4.303, 8.4)
    """
    _check(known, together)
    asked = checked_level(level)
    # One draw alone lies nearer; Bonferroni's bound for all of them lies farther.
    near = float(special.stdtrit(known - 1, (1 + asked) / 2))
    if together == 1:
        return near
    far = float(-special.stdtrit(known - 1, (1 - asked) / (2 * together)))
    for _ in range(_HALVINGS):
        middle = math.sqrt(near * far)
        if farthest_pvalue(middle, known=known, together=together)[0] > 1 - asked:
            near = middle
        else:
            far = middle
    return math.sqrt(near * far)


def _check(known: int, together: int) -> None:
    if known < 2 or together < 1:
        raise DataError(f"{known} known and {together} new draws: give 2 known ones or more, and 1 new one or more")


@lru_cache(maxsize=256)
def _farthest(known: int, together: int) -> tuple[Floats, Floats]:
    """Return places of the farthest of new draws, in true standard deviations from the mean, and their masses."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    errors, weights = nodes / math.sqrt(known), weights / weights.sum()

    def within(edges: Floats) -> Floats:
        beyond = special.ndtr(-(edges[:, None] - errors)) + special.ndtr(-(edges[:, None] + errors))
        with np.errstate(divide="ignore"):  # nothing lies within a distance of 0
            return np.asarray(np.exp(together * np.log1p(-np.minimum(beyond, 1.0))) @ weights, dtype=np.float64)

    top = float(-special.ndtri(1e-15 / together)) + float(np.abs(errors).max())
    coarse = np.linspace(0.0, top, 4 * _POINTS + 1)
    # Nearly all of the mass is in a small part of the range: the points are for that part.
    chance = within(coarse)
    held = np.flatnonzero((chance > 1e-14) & (chance < 1 - 1e-14))
    first, last = max(int(held[0]) - 1, 0), min(int(held[-1]) + 1, coarse.size - 1)
    edges = np.linspace(coarse[first], coarse[last], _POINTS + 1)
    masses = np.diff(within(edges))
    return (edges[:-1] + edges[1:]) / 2, masses / masses.sum()
