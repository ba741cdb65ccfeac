"""What a fit makes small: the distance of measurements from a law, weighed as the noise is.

``relative`` weighs by relative error: residuals are ln(model / measurement), so a level at
1,000 op/s with 5 % noise counts as much as one at 100 op/s with 5 %. The logarithm is chosen
over the two usual ways: dividing by the measured level gives low measurements more weight and
bends the curve down, dividing by the fitted level changes the objective between laws, so that
no criterion could compare them. All single measurements enter; the relative variance is pooled
over the levels, because a variance from 3 replicates a level is no weight to rely on.

``none`` leaves residuals in the unit of throughput, as R's ``nls`` and ``usl`` do: right only
where the noise is as large in op/s at every level.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchlib.errors import DataError, choices, printable, suggestion
from benchlib.scaling.curve import ScalingCurve
from benchlib.scaling.laws import FloatArray, Law
from benchlib.scaling.solver import Minimum, minimise

__all__ = ["WEIGHTS", "Formula", "Objective", "Weights", "checked_weights", "objective_of", "solve"]

Weights = Literal["relative", "none"]
WEIGHTS: tuple[Weights, ...] = ("relative", "none")

Formula = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Objective:
    """The measurements a law is held against.

    Attributes
    ----------
    concurrency, throughput : ndarray, shape (n,)
        One entry a measurement; throughput in units of its geometric mean.
    scale : float
        That geometric mean, so that a change of unit changes no digit of a fit.
    weights : {"relative", "none"}
    """

    concurrency: FloatArray
    throughput: FloatArray
    scale: float
    weights: Weights

    @property
    def negligible(self) -> float:
        """A sum of squares that is rounding, not misfit."""
        return len(self.throughput) * 1e-26

    def compare(self, model: FloatArray, gradient: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Turn a modelled throughput and its derivatives into residuals and theirs."""
        if self.weights == "none":
            return model - self.throughput, gradient
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            return np.log(model / self.throughput), gradient / model[:, np.newaxis]

    def evaluator(self, law: Law) -> Formula:
        """Return the function from a law's parameters to residuals and Jacobian."""

        def evaluate(parameters: FloatArray) -> tuple[FloatArray, FloatArray]:
            with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
                model = law.throughput(self.concurrency, *parameters)
                gradient = law.gradient(self.concurrency, *parameters)
            # A throughput below zero lies beyond a pole of the law: not a curve at all.
            model = np.where(model > 0, model, np.nan)
            return self.compare(model, gradient)

        return evaluate


def checked_weights(weights: str) -> Weights:
    """Return the weights asked for, if they are known.

    Raises
    ------
    DataError
        For a word that is not in `WEIGHTS`.
    """
    for known in WEIGHTS:
        if weights == known:
            return known
    raise DataError(
        f"unknown weights '{printable(weights)}'{suggestion(weights, WEIGHTS)}; weights: {choices(WEIGHTS)}"
    )


def objective_of(curve: ScalingCurve, weights: Weights) -> Objective:
    """Return the objective of all single measurements of a curve."""
    concurrency, throughput = curve.rows
    scale = float(np.exp(np.mean(np.log(throughput))))
    return Objective(concurrency=concurrency, throughput=throughput / scale, scale=scale, weights=weights)


def solve(objective: Objective, law: Law, *, bounded: bool, near: FloatArray | None = None) -> Minimum:
    """Fit a law from every start known for it and keep the best.

    Parameters
    ----------
    objective : Objective
    law : Law
    bounded : bool
        Whether parameters must lie in the feasible region of the law.
    near : ndarray, optional
        A start to prefer: the others are tried where it leads nowhere.
    """
    lower = np.array(law.lower if bounded else [-np.inf] * len(law.parameters))
    upper = np.array(law.upper if bounded else [np.inf] * len(law.parameters))
    lower[0] = law.lower[0]
    evaluate = objective.evaluator(law)

    def search(start: FloatArray) -> Minimum:
        return minimise(evaluate, start, lower, upper, negligible=objective.negligible)

    if near is not None:
        found = search(near)
        if found.converged:
            return found
    everywhere = [search(start) for start in _starts(objective, law)]
    return min(everywhere, key=lambda one: (not one.converged, one.sum_of_squares))


def _starts(objective: Objective, law: Law) -> list[FloatArray]:
    n, x = objective.concurrency, objective.throughput
    modest = np.array([float(np.max(x / n)), 0.05, 0.001])[: len(law.parameters)]
    if law.name == "gustafson":
        return [modest]
    # N/X is linear in 1/r, c/r and k/r: with relative weights this start is nearly the answer.
    columns = np.column_stack([np.ones_like(n), n - 1, n * (n - 1)])[:, : len(law.parameters)]
    relative = x / n
    found, *_ = np.linalg.lstsq(columns * relative[:, np.newaxis], np.ones_like(n), rcond=None)
    if found[0] <= 0:
        return [modest]
    return [np.concatenate([[1 / found[0]], found[1:] / found[0]]), modest]
