"""What a fit makes small: the distance of measurements from a law, weighed as the noise is.

``relative`` weighs by relative error: residuals are ln(model / measurement), so a level at
1,000 op/s with 5 % noise counts as much as one at 100 op/s with 5 %. The logarithm is chosen
over the two usual ways: dividing by the measured level gives low measurements more weight and
bends the curve down, dividing by the fitted level changes the objective between laws, so that
no criterion could compare them. All single measurements enter; the relative variance is pooled
over the levels, because a variance from 3 replicates a level is no weight to rely on.

``replicates`` divides each residual by the standard deviation of its level: right where the noise
differs between levels and every level has about 20 replicates.

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
from benchlib.scaling.fits.solver import Minimum, minimise
from benchlib.scaling.laws import FloatArray, Law

__all__ = [
    "ENOUGH_REPLICATES",
    "WEIGHTS",
    "Formula",
    "Objective",
    "Weights",
    "checked_weights",
    "objective_of",
    "solve",
    "weights_for",
]

Weights = Literal["relative", "replicates", "none"]
WEIGHTS: tuple[Weights, ...] = ("relative", "replicates", "none")

#: A variance from fewer replicates is no weight: with 20 a level nominal 95 % intervals cover 93 to
#: 94 %, with 5 they cover 82 to 87 %, with 3 68 to 77 %.
ENOUGH_REPLICATES = 20

#: How far beside a level a corner lies that is not on it, and what sums of squares differ by there.
_BESIDE, _SAME = 1e-12, 1e-9

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
    weights : {"relative", "replicates", "none"}
    scatter : ndarray, shape (n,)
        What a residual is divided by: the standard deviation of its level, or 1; by the root of k less where a
        measurement stands for k that are alike.
    overstated : float
        By how much such weights overstate what the measurements tell, since they are estimates themselves:
        the mean of s**-2 is f / (f - 2) times that of the true variance at f degrees of freedom; else 1.
    """

    concurrency: FloatArray
    throughput: FloatArray
    scale: float
    weights: Weights
    scatter: FloatArray
    overstated: float

    @property
    def negligible(self) -> float:
        """A sum of squares that is rounding, not misfit."""
        return len(self.throughput) * 1e-26

    @property
    def residual_scale(self) -> float:
        """What turns a residual into the unit of throughput, where it has one."""
        return self.scale if self.weights == "none" else 1.0

    def compare(self, model: FloatArray, gradient: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Turn modelled throughputs, shape (..., n), and their derivatives into residuals and theirs."""
        if self.weights == "relative":
            slopes = gradient / (model * self.scatter)[..., np.newaxis]
            return np.log(model / self.throughput) / self.scatter, slopes
        return (model - self.throughput) / self.scatter, gradient / self.scatter[:, np.newaxis]

    def evaluator(self, law: Law) -> Formula:
        """Return the function from parameters, shape (b, p), to residuals and Jacobians.

        What is not finite there is meant: who asks far from the data silences the warnings.
        """
        gradients_at = law.gradients_at(self.concurrency)

        def evaluate(parameters: FloatArray) -> tuple[FloatArray, FloatArray]:
            gradients = gradients_at(parameters)
            # Every law is proportional to its rate.
            model = parameters[:, :1] * gradients[..., 0]
            # A throughput below zero lies beyond a pole of the law: not a curve at all.
            return self.compare(np.where(model > 0, model, np.nan), gradients)

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


def weights_for(curve: ScalingCurve, weights: Weights) -> Weights:
    """Return the weights that a curve can carry: pooled where its replicates are too few for their own.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> weights_for(build_curve([1, 1, 2, 2], [9.0, 10.0, 18.0, 20.0], unit="op/sec"), "replicates")
    'relative'
    """
    if weights != "replicates":
        return weights
    known = min(curve.counts) >= ENOUGH_REPLICATES and all(np.ptp(one) > 0 for one in curve.replicates)
    return "replicates" if known else "relative"


def objective_of(curve: ScalingCurve, weights: Weights) -> Objective:
    """Return the objective of all single measurements of a curve."""
    concurrency, throughput = curve.rows
    scale = float(np.exp(np.mean(np.log(throughput))))
    scatter, overstated = np.ones_like(throughput), 1.0
    if weights == "replicates":
        freedom = np.array(curve.counts) - 1.0
        overstated = float(np.mean(freedom / (freedom - 2))) if freedom.min() > 2 else np.inf
        scatter = np.repeat([np.std(one, ddof=1) for one in curve.replicates], curve.counts) / scale
    return Objective(
        concurrency=concurrency,
        throughput=throughput / scale,
        scale=scale,
        weights=weights,
        scatter=scatter,
        overstated=overstated,
    )


def solve(objective: Objective, law: Law, *, bounded: bool) -> Minimum:
    """Fit a law from the starts known for it; the next are tried only where those before lead nowhere.

    A law with a corner has a dip of its own for each place of the corner: all of them are looked into.

    Parameters
    ----------
    objective : Objective
    law : Law
    bounded : bool
        Whether parameters must lie in the feasible region of the law.
    """
    lower = np.array(law.lower if bounded else [-np.inf] * len(law.parameters))
    upper = np.array(law.upper if bounded else [np.inf] * len(law.parameters))
    lower[0] = law.lower[0]
    evaluate = objective.evaluator(law)
    if law.kinked:
        return _lowest_dip(objective, law, evaluate, lower, upper)
    found: Minimum | None = None
    for batch in law.starts(objective.concurrency, objective.throughput):
        there = minimise(evaluate, batch, lower, upper, negligible=objective.negligible).best()
        if found is None or there.sum_of_squares < found.sum_of_squares or not found.converged:
            found = there
        if found.converged:
            break
    if found is None:
        raise DataError(f"{law.title} has no start for these measurements; fit a simpler law")
    return found


def _lowest_dip(objective: Objective, law: Law, evaluate: Formula, lower: FloatArray, upper: FloatArray) -> Minimum:
    """Fit a law whose curve has a corner: the best of all places on a level, and of all between two.

    On a level the sum of squares has an edge, where a free search ends without having arrived; between two
    levels it is smooth. So the corner is held on each level, and kept between each two.
    """
    column = law.parameters.index(law.kinked[0])
    (starts,) = law.starts(objective.concurrency, objective.throughput)
    corners, levels = starts[:, column], np.unique(objective.concurrency)
    next_level = np.minimum(np.searchsorted(levels, corners), len(levels) - 1)
    held = levels[next_level] == corners
    low, high = np.tile(lower, (len(starts), 1)), np.tile(upper, (len(starts), 1))
    low[:, column] = np.where(held, corners, levels[next_level - 1])
    # Just below the level: on it the derivative is that of the other side.
    high[:, column] = np.where(held, corners, levels[next_level] * (1 - _BESIDE))
    found = minimise(evaluate, starts, low, high, negligible=objective.negligible)
    # What lies beside a level is no better than on it by rounding alone.
    sums = found.sums_of_squares * np.where(held, 1 - _SAME, 1.0)
    return found.one(int(np.lexsort((sums, ~found.converged))[0]))
