"""What a fitted hypothesis knows of itself: its modelled costs, their errors, and what each cell says of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.effects.hypotheses import Observed, Space
from benchlib.effects.models.criteria import ErrorVariance, error_variance
from benchlib.effects.models.designs import write_columns
from benchlib.effects.models.hypotheses import Fitted

__all__ = ["Assessed", "assess", "modelled"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Assessed:
    """A fitted hypothesis with its errors.

    Attributes
    ----------
    fitted : Fitted
    variance : ErrorVariance
    unscaled : ndarray, shape (coefficients, coefficients)
        Covariance of coefficients, then of logarithms of scales, for an error variance of 1.
    residuals : ndarray, shape (cells,)
        Logarithms of measured over modelled.
    leverage : ndarray, shape (cells,)
    """

    fitted: Fitted
    variance: ErrorVariance
    unscaled: Floats
    residuals: Floats
    leverage: Floats

    @property
    def left_out_residuals(self) -> Floats:
        """Logarithms of measured over predicted by a fit without the cell, NaN where that cannot be fitted.

        References
        ----------
        R. D. Cook, S. Weisberg, Residuals and Influence in Regression, 1982, section 2.2, on the linearised model.
        """
        free = 1 - self.leverage
        return np.where(free > 1e-9, self.residuals / np.where(free > 1e-9, free, 1.0), np.nan)

    def predict(self, space: Space) -> tuple[Floats, Floats]:
        """Return the logarithm of the modelled cost at cells, less the centre, and its unscaled variance.

        NaN where the model has no coefficient for a combination of levels, or no cost above 0.
        """
        logs, slopes = modelled(self.fitted, space)
        return logs, ((slopes @ self.unscaled) * slopes).sum(axis=1)


def assess(fitted: Fitted, observed: Observed) -> Assessed:
    """Work out the errors of a fit at its minimum."""
    logs, slopes = modelled(fitted, observed.space)
    # Columns of like size, then an inverse of rank as it is: a singular fit was never ranked.
    size = np.sqrt((observed.counts[:, None] * slopes**2).sum(axis=0))
    size[size == 0] = 1.0
    left, values, right = np.linalg.svd(slopes / size * np.sqrt(observed.counts)[:, None], full_matrices=False)
    return Assessed(
        fitted=fitted,
        variance=error_variance(observed, fitted.sum_of_squares, fitted.size),
        unscaled=(right.T / values**2) @ right / np.outer(size, size),
        residuals=observed.logs - logs,
        leverage=(left**2).sum(axis=1),
    )


def modelled(fitted: Fitted, space: Space) -> tuple[Floats, Floats]:
    """Return logarithms of modelled costs, shape (cells,), and their slopes, shape (cells, coefficients)."""
    columns = write_columns(fitted.hypothesis, fitted.slots, space)
    cost = columns.linear @ fitted.coefficients
    # Without a fixed cost of its own a combination of levels was never seen by this model.
    groups = np.array([part is None for part in fitted.slots.parts])
    seen = (columns.linear[:, groups] != 0).any(axis=1)
    cost = np.where(seen & (cost > 0), cost, np.nan)
    logs = np.log(cost) + columns.scales @ fitted.scales
    return logs, np.column_stack([columns.linear / cost[:, None], columns.scales])
