"""Nonlinear least squares inside a box, to full precision: Levenberg-Marquardt with projection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchlib.scaling.laws import FloatArray

__all__ = ["Minimum", "minimise"]

Evaluate = Callable[[FloatArray], tuple[FloatArray, FloatArray]]

#: Cosine between residuals and every free column of the Jacobian at a minimum: parameters are
#: then within 1e-10 of their standard errors, times how collinear they are.
ORTHOGONAL = 1e-10
#: The same where no step leads further down: the sum of squares, flat to rounding there, ends the search.
_NEARLY_ORTHOGONAL = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Minimum:
    """Where the sum of squares is smallest.

    Attributes
    ----------
    parameters : ndarray, shape (p,)
    residuals : ndarray, shape (n,)
        Model minus measurement.
    jacobian : ndarray, shape (n, p)
    sum_of_squares : float
    converged : bool
    """

    parameters: FloatArray
    residuals: FloatArray
    jacobian: FloatArray
    sum_of_squares: float
    converged: bool


def minimise(
    evaluate: Evaluate,
    start: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    *,
    negligible: float = 0.0,
    orthogonal: float = ORTHOGONAL,
    max_iterations: int = 300,
) -> Minimum:
    """Find the parameters within bounds that make the residuals smallest.

    Parameters
    ----------
    evaluate : callable
        Parameters in, ``(residuals, jacobian)`` out. Residuals that are not finite mark
        parameters that are not allowed.
    start, lower, upper : ndarray, shape (p,)
    negligible : float
        A sum of squares that is rounding, not misfit.
    orthogonal : float
        Cosine that counts as a minimum. The sum of squares is exact to its square, so a search
        for that alone may stop early.

    References
    ----------
    D. W. Marquardt, "An algorithm for least-squares estimation of nonlinear parameters",
    Journal of SIAM 11(2), 1963, 431-441; a parameter on its bound stays there as long as
    the gradient points outwards.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])
    >>> found = minimise(lambda p: (p[0] * x - y, x[:, None]), np.array([1.0]),
    ...                  np.array([0.0]), np.array([np.inf]))
    >>> round(float(found.parameters[0]), 9)
    2.0
    """
    here = np.clip(start, lower, upper)
    residuals, jacobian = evaluate(here)
    total = _sum_of_squares(residuals)
    damping, converged = 1e-5, False
    for _ in range(max_iterations):
        if not np.isfinite(total):
            break
        downhill = -(jacobian.T @ residuals)
        free = ~(((here <= lower) & (downhill < 0)) | ((here >= upper) & (downhill > 0)))
        angle = _largest_cosine(jacobian[:, free], downhill[free], total)
        if angle <= orthogonal or total <= negligible:
            converged = True
            break
        step = np.zeros_like(here)
        step[free] = _damped_step(jacobian[:, free], residuals, damping)
        there = np.clip(here + step, lower, upper)
        residuals_there, jacobian_there = evaluate(there)
        total_there = _sum_of_squares(residuals_there)
        if total_there < total:
            here, residuals, jacobian, total = there, residuals_there, jacobian_there, total_there
            damping = max(damping / 10, 1e-14)
            continue
        if angle <= _NEARLY_ORTHOGONAL:
            converged = True
            break
        damping *= 10
        if damping > 1e14:
            break
    return Minimum(
        parameters=here,
        residuals=residuals,
        jacobian=jacobian,
        sum_of_squares=total,
        converged=converged,
    )


def _sum_of_squares(residuals: FloatArray) -> float:
    return float(residuals @ residuals) if np.all(np.isfinite(residuals)) else np.inf


def _largest_cosine(jacobian: FloatArray, downhill: FloatArray, total: float) -> float:
    lengths = np.sqrt(np.einsum("ij,ij->j", jacobian, jacobian))
    if total <= np.finfo(float).tiny or not np.any(lengths):
        return 0.0
    known = lengths > 0
    return float(np.max(np.abs(downhill[known]) / lengths[known])) / float(np.sqrt(total))


def _damped_step(jacobian: FloatArray, residuals: FloatArray, damping: float) -> FloatArray:
    # Columns are brought to length 1 first: a rate of 1e6 and a coherency of 1e-7 meet here.
    lengths = np.sqrt(np.einsum("ij,ij->j", jacobian, jacobian))
    lengths[lengths == 0] = 1.0
    scaled = jacobian / lengths
    # Normal equations square the condition, which damping bounds and the next step mends.
    normal = scaled.T @ scaled
    normal.flat[:: len(normal) + 1] += max(damping, 1e-13)
    return np.asarray(np.linalg.solve(normal, -(scaled.T @ residuals)) / lengths)
