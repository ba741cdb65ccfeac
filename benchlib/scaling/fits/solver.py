"""Nonlinear least squares inside a box, many problems at once: Levenberg-Marquardt with projection.

One fit is a batch of one. Starts, levels left out and held values of a profile are batches too: a
hundred small problems together cost little more than one alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.scaling.laws import FloatArray

__all__ = ["Minima", "Minimum", "minimise"]

#: Parameters, shape (b, p), to residuals, shape (b, n), and Jacobians, shape (b, n, p).
Evaluate = Callable[[FloatArray], tuple[FloatArray, FloatArray]]

#: Cosine between residuals and every free column of the Jacobian at a minimum: parameters are
#: then within 1e-10 of their standard errors, times how collinear they are.
ORTHOGONAL = 1e-10
#: The same where no step leads further down: the sum of squares, flat to rounding there, ends the search.
_NEARLY_ORTHOGONAL = 1e-7
#: Sums of squares within this factor are the same.
_ROUNDING = 1 + 1e-13


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Minimum:
    """Where the sum of squares of one problem is smallest.

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Minima:
    """Where the sums of squares of b problems are smallest.

    Attributes
    ----------
    parameters : ndarray, shape (b, p)
    residuals : ndarray, shape (b, n)
    jacobian : ndarray, shape (b, n, p)
    sums_of_squares : ndarray, shape (b,)
    converged : ndarray of bool, shape (b,)
    """

    parameters: FloatArray
    residuals: FloatArray
    jacobian: FloatArray
    sums_of_squares: FloatArray
    converged: NDArray[np.bool_]

    def one(self, index: int) -> Minimum:
        """Return the minimum of one problem."""
        return Minimum(
            parameters=self.parameters[index],
            residuals=self.residuals[index],
            jacobian=self.jacobian[index],
            sum_of_squares=float(self.sums_of_squares[index]),
            converged=bool(self.converged[index]),
        )

    def best(self) -> Minimum:
        """Return the lowest converged minimum, of a batch of starts for one problem."""
        return self.one(int(np.lexsort((self.sums_of_squares, ~self.converged))[0]))


def minimise(
    evaluate: Evaluate,
    start: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    *,
    negligible: float = 0.0,
    orthogonal: float = ORTHOGONAL,
    max_iterations: int = 300,
) -> Minima:
    """Find, for each problem, the parameters within bounds that make the residuals smallest.

    Parameters
    ----------
    evaluate : callable
        Parameters in, ``(residuals, jacobian)`` out. Residuals that are not finite mark
        parameters that are not allowed.
    start : ndarray, shape (b, p)
    lower, upper : ndarray, shape (p,) or (b, p)
        A parameter whose bounds meet is held.
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
    >>> found = minimise(lambda p: (p * x - y, np.ones((1, 1, 1)) * x[:, None]), np.array([[1.0]]),
    ...                  np.array([0.0]), np.array([np.inf]))
    >>> round(float(found.parameters[0, 0]), 9)
    2.0
    """
    # Far from the data laws have poles, and models no logarithm.
    with np.errstate(all="ignore"):
        here = np.clip(start, lower, upper)
        residuals, jacobian = evaluate(here)
        total = _sums_of_squares(residuals)
        damping = np.full(len(here), 1e-5)
        converged = np.zeros(len(here), dtype=bool)
        ended = np.isinf(total)
        held = np.broadcast_to(lower == upper, here.shape)
        for _ in range(max_iterations):
            normal, uphill, stopped = _normal_equations(residuals, jacobian, here, lower, upper, held)
            steepest = np.abs(uphill).max(axis=1, initial=0.0) / np.sqrt(np.maximum(total, _NOTHING))
            arrived = ((steepest <= orthogonal) | (total <= negligible)) & ~ended
            converged |= arrived
            ended |= arrived
            if ended.all():
                break
            there = (here + _step(normal, uphill, stopped, damping)).clip(lower, upper)
            residuals_there, jacobian_there = evaluate(there)
            total_there = _sums_of_squares(residuals_there)
            down = (total_there < total) & ~ended
            flat = ~down & ~ended & (steepest <= _NEARLY_ORTHOGONAL)
            # Sums that rounding makes equal: the last step is the better guess.
            down |= flat & (total_there <= total * _ROUNDING)
            converged |= flat
            ended |= flat
            if down.all():
                here, residuals, jacobian, total = there, residuals_there, jacobian_there, total_there
            else:
                here = np.where(down[:, np.newaxis], there, here)
                residuals = np.where(down[:, np.newaxis], residuals_there, residuals)
                jacobian = np.where(down[:, np.newaxis, np.newaxis], jacobian_there, jacobian)
                total = np.where(down, total_there, total)
            damping = np.where(down, np.maximum(damping / 10, 1e-14), damping * 10)
            ended |= damping > 1e14
        return Minima(
            parameters=here, residuals=residuals, jacobian=jacobian, sums_of_squares=total, converged=converged
        )


#: A sum of squares below this is 0.
_NOTHING = float(np.finfo(float).tiny)


def _sums_of_squares(residuals: FloatArray) -> FloatArray:
    totals = np.einsum("bn,bn->b", residuals, residuals)
    return np.where(np.isfinite(totals), totals, np.inf)


class _Normal:
    """The normal equations of a batch, for columns of length 1: a rate of 1e6 and a coherency of 1e-7 meet here."""

    __slots__ = ("matrix", "scale")

    def __init__(self, matrix: FloatArray, scale: FloatArray) -> None:
        self.matrix, self.scale = matrix, scale


def _normal_equations(
    residuals: FloatArray,
    jacobian: FloatArray,
    here: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    held: NDArray[np.bool_],
) -> tuple[_Normal, FloatArray, NDArray[np.bool_] | None]:
    """Return the equations, the gradient by columns of length 1, and which parameters must stay (None: none)."""
    transposed = jacobian.swapaxes(1, 2)
    matrix = transposed @ jacobian
    squares = matrix.diagonal(axis1=1, axis2=2)
    scale = 1 / np.sqrt(np.where(squares > 0, squares, 1.0))
    uphill = (transposed @ residuals[:, :, np.newaxis])[:, :, 0] * scale
    low, high = here <= lower, here >= upper
    if not (held | low | high).any():
        return _Normal(matrix, scale), uphill, None
    stopped = held | (low & (uphill > 0)) | (high & (uphill < 0))
    return _Normal(matrix, np.where(stopped, 0.0, scale)), np.where(stopped, 0.0, uphill), stopped


def _step(normal: _Normal, uphill: FloatArray, stopped: NDArray[np.bool_] | None, damping: FloatArray) -> FloatArray:
    # Normal equations square the condition, which damping bounds and the next step mends.
    matrix = normal.matrix * normal.scale[:, :, np.newaxis] * normal.scale[:, np.newaxis, :]
    diagonal = np.einsum("bpp->bp", matrix)
    diagonal += np.maximum(damping, 1e-13)[:, np.newaxis]
    if stopped is not None:
        diagonal += stopped
    return np.asarray(np.linalg.solve(matrix, -uphill[:, :, np.newaxis])[:, :, 0] * normal.scale)
