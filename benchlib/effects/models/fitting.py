"""Hypotheses fitted to logarithms, many at once.

The model of a cell is the logarithm of a sum of columns times coefficients, plus the logarithms of
the scales of its levels. The sum of squares of residuals, each weighed by the measurements in its cell,
is made small by Gauss-Newton steps, cut so that no cell's model loses more than 70 % of its size in one.

Signs. A term is a cost that comes with more of a factor, so its coefficient is above 0: where the data would have
it below, the hypothesis without that term fits best among what is allowed, and stands on the list itself. The
fixed cost may be negative, because c in c + a x is where a curve through the measured range meets the axis, not
something that was measured; but the cost has to stay positive at the smallest levels of all factors together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.effects.models.designs import Columns

__all__ = ["Solved", "solve", "solve_small"]

Floats = NDArray[np.float64]

#: No step takes more than this share of what is modelled in a cell.
_CUT = 0.7
#: Below this share of what was measured a logarithm is steep, and the first step from there would lead anywhere.
_LEAST = 0.05
#: A pivot below this share of its diagonal says that a column follows from the others.
_SINGULAR = 1e-10
#: BLAS shares out products of more columns among threads, which on a busy machine wait long for each other.
_WIDE = 16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solved:
    """Fits of several hypotheses of one size.

    Attributes
    ----------
    coefficients : ndarray, shape (fits, coefficients)
        In units of exp(centre).
    scales : ndarray, shape (fits, scales)
        Logarithms.
    sum_of_squares : ndarray, shape (fits,)
        Of the means of cells, each weighed by its measurements; infinite where columns follow from each other
        or no step leads on.
    """

    coefficients: Floats
    scales: Floats
    sum_of_squares: Floats


def solve(columns: Columns, logs: Floats, counts: Floats, *, rounds: int = 12) -> Solved:
    """Fit hypotheses of one size.

    Parameters
    ----------
    columns : Columns
        Of shape (fits, cells, ...).
    logs, counts : ndarray, shape (fits or 1, cells)
        A count of 0 leaves the cell out.
    rounds : int
        Most Gauss-Newton steps.
    """
    linear, scales = columns.linear, columns.scales
    fits, cells, width = linear.shape
    # Columns of like size: levels may be 1e9 apart.
    size = np.abs(linear).max(axis=1, keepdims=True)
    size[size == 0] = 1.0
    linear = linear / size
    logs = np.broadcast_to(logs, (fits, cells))
    counts = np.broadcast_to(counts, (fits, cells))
    costs = np.exp(logs)
    coefficients, singular = _start(linear, costs, counts)
    added = np.zeros((fits, scales.shape[2]))
    squares = np.full(fits, np.inf)
    moving = np.arange(fits)
    for _ in range(rounds):
        here, there, n = linear[moving], scales[moving], counts[moving]
        modelled = np.einsum("bcp,bp->bc", here, coefficients[moving])
        residuals = logs[moving] - np.log(modelled) - np.einsum("bcq,bq->bc", there, added[moving])
        before, now = squares[moving], np.einsum("bc,bc,bc->b", n, residuals, residuals)
        squares[moving] = now
        still = np.abs(before - now) > 1e-12 * now + 1e-26 * cells
        if not still.any():
            break
        if not still.all():
            moving, here, there, n = moving[still], here[still], there[still], n[still]
            modelled, residuals = modelled[still], residuals[still]
        slopes = np.concatenate([here / modelled[:, :, None], there], axis=2)
        weighed = slopes * n[:, :, None]
        step, unknown = solve_small(_products(weighed, slopes), np.einsum("bcp,bc->bp", weighed, residuals))
        singular[moving] |= unknown
        change = np.einsum("bcp,bp->bc", here, step[:, :width])
        steepest = (-change / modelled).max(axis=1)
        share = np.minimum(1.0, _CUT / np.maximum(steepest, 1e-9))[:, None]
        coefficients[moving] += share * step[:, :width]
        added[moving] += share * step[:, width:]
    squares = np.where(singular, np.inf, squares)
    return Solved(coefficients=coefficients / size[:, 0, :], scales=added, sum_of_squares=squares)


def solve_small(matrices: Floats, targets: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Solve many small symmetric systems, one Cholesky step over all of them at a time.

    Parameters
    ----------
    matrices : ndarray, shape (..., p, p)
    targets : ndarray, shape (..., p)

    Returns
    -------
    solutions : ndarray, shape (..., p)
    singular : ndarray of bool, shape (...)
        Where a column follows from those before it; the solution gives it 0 then.

    Examples
    --------
    >>> solutions, singular = solve_small(np.array([[[4.0, 2.0], [2.0, 3.0]]]), np.array([[8.0, 8.0]]))
    >>> solutions.round(12).tolist(), singular.tolist()
    ([[1.0, 2.0]], [False])
    """
    width = targets.shape[-1]
    # Systems last: each step is then one sweep over memory, whatever the width.
    left = np.ascontiguousarray(np.moveaxis(matrices, (-2, -1), (0, 1)))
    right = np.array(np.moveaxis(targets, -1, 0))
    singular = np.zeros(targets.shape[:-1], dtype=bool)
    diagonal = left[np.arange(width), np.arange(width)].copy()
    for i in range(width):
        gone = ~(left[i, i] > _SINGULAR * diagonal[i])
        singular |= gone
        root = np.sqrt(np.where(gone, np.inf, left[i, i]))
        left[i, i] = root
        left[i + 1 :, i] /= root
        right[i] /= root
        left[i + 1 :, i + 1 :] -= left[i + 1 :, None, i] * left[None, i + 1 :, i]
        right[i + 1 :] -= left[i + 1 :, i] * right[i]
    for i in reversed(range(width)):
        right[i] /= left[i, i]
        right[:i] -= left[i, :i] * right[i]
    return np.moveaxis(right, 0, -1), singular


def _products(first: Floats, second: Floats) -> Floats:
    """Return the products of columns, shape (fits, columns, columns)."""
    wide = first.shape[2] > _WIDE
    found: Floats = np.einsum("bcp,bcq->bpq", first, second) if wide else np.matmul(first.swapaxes(1, 2), second)
    return found


def _start(linear: Floats, costs: Floats, counts: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Start from least squares relative to the measured cost, or from even shares where that leaves no cost."""
    relative = linear / costs[:, :, None]
    weighed = relative * counts[:, :, None]
    found, singular = solve_small(_products(weighed, relative), weighed.sum(axis=1))
    modelled = np.einsum("bcp,bp->bc", linear, found)
    lost = (modelled <= _LEAST * costs).any(axis=1)
    if lost.any():
        even = np.clip(found[lost], 1e-3 * costs[lost].min(axis=1, keepdims=True), None)
        shared = np.einsum("bcp,bp->bc", linear[lost], even)
        weights = counts[lost]
        offset = (weights * np.log(costs[lost] / shared)).sum(axis=1) / weights.sum(axis=1)
        found = found.copy()
        found[lost] = even * np.exp(offset)[:, None]
    return found, singular
