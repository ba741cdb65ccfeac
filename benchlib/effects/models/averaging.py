"""Means and ends averaged over models: not knowing which model is true widens an interval.

Each model gives a centre and a standard error on logarithms; an end of the averaged interval lies where the tails
that the models leave beyond it, each with its own t, average to what the confidence level leaves on that side.

References
----------
D. Turek and D. Fletcher, "Model-averaged Wald confidence intervals", Computational Statistics and Data Analysis
56(9), 2012, 2809-2815. J. A. Hoeting, D. Madigan, A. E. Raftery, C. T. Volinsky, "Bayesian Model Averaging: A
Tutorial", Statistical Science 14(4), 1999: BIC weights.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchlib.lazy_scipy import special

__all__ = ["average"]

Floats = NDArray[np.float64]

#: Halvings that leave an end to 1e-12 of where the models' own ends lie apart.
_HALVINGS = 40


def average(
    centres: Floats, errors: Floats, weights: Floats, degrees_of_freedom: Floats, level: float
) -> tuple[Floats, Floats, Floats]:
    """Average the centres of models, and find the ends of their mixture.

    Parameters
    ----------
    centres, errors : ndarray, shape (..., models)
    weights, degrees_of_freedom : ndarray, broadcast to the same shape
        Weights sum to 1 over the models.
    level : float
        Confidence level.

    Returns
    -------
    centre, low, high : ndarray, shape (...)
        Infinite ends where a model has no degrees of freedom.

    Examples
    --------
    >>> one = average(np.array([2.0, 4.0]), np.array([0.1, 0.1]), np.array([0.5, 0.5]), np.array([30.0, 30.0]), 0.95)
    >>> [round(float(end), 2) for end in one]
    [3.0, 1.83, 4.17]
    """
    centres, errors, weights, freedom = np.broadcast_arrays(centres, errors, weights, degrees_of_freedom)
    centre = (weights * centres).sum(axis=-1)
    tail = (1 - level) / 2
    known = np.asarray((np.isfinite(errors) & (freedom > 0)).all(axis=-1))
    safe_freedom = np.where(freedom > 0, freedom, 1.0)
    reach = special.stdtrit(safe_freedom, 1 - tail) * np.where(np.expand_dims(known, -1), errors, 0.0)
    errors = np.fmax(errors, 1e-300)
    ends = []
    for side in (-1.0, 1.0):
        own = side * centres + reach
        before, after = own.min(axis=-1), own.max(axis=-1)
        for _ in range(_HALVINGS):
            middle = (before + after) / 2
            left = (weights * special.stdtr(safe_freedom, (side * centres - middle[..., None]) / errors)).sum(axis=-1)
            before, after = np.where(left > tail, middle, before), np.where(left > tail, after, middle)
        # An average far from the likeliest model can lie beyond what the tails leave: the interval holds it anyway.
        ends.append(np.where(known, side * np.fmax((before + after) / 2, side * centre), side * np.inf))
    return centre, ends[0], ends[1]
