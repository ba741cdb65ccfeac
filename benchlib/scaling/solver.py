"""Least squares for scaling laws: what is made small, by which search, with and without bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchlib.errors import DataError, choices, printable, suggestion
from benchlib.lazy_scipy import special
from benchlib.scaling.curve import ScalingCurve
from benchlib.scaling.laws import FloatArray, Law, law_named, offered_laws
from benchlib.statistics.moments import f_tail

# Nonlinear least squares inside a box, many problems at once: Levenberg-Marquardt with projection.
#
# One fit is a batch of one. Starts, levels left out and held values of a profile are batches too: a
# hundred small problems together cost little more than one alone.

#: Parameters, shape (b, p), to residuals, shape (b, n), and Jacobians, shape (b, n, p).
_Evaluate = Callable[[FloatArray], tuple[FloatArray, FloatArray]]

#: Cosine between residuals and every free column of the Jacobian at a minimum: parameters are
#: then within 1e-10 of their standard errors, times how collinear they are.
_ORTHOGONAL = 1e-10
#: The same where no step leads further down: the sum of squares, flat to rounding there, ends the search.
_NEARLY_ORTHOGONAL = 1e-7
#: Sums of squares within this factor are the same.
_ROUNDING = 1 + 1e-13


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Minimum:
    """Where the sum of squares of one problem is smallest."""

    parameters: FloatArray  # shape (p,)
    #: Shape (n,). Model minus measurement.
    residuals: FloatArray
    jacobian: FloatArray  # shape (n, p)
    sum_of_squares: float
    converged: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Minima:
    """Where the sums of squares of b problems are smallest."""

    parameters: FloatArray  # shape (b, p)
    residuals: FloatArray  # shape (b, n)
    jacobian: FloatArray  # shape (b, n, p)
    sums_of_squares: FloatArray  # shape (b,)
    converged: NDArray[np.bool_]  # shape (b,)

    def at(self, index: int) -> Minimum:
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
        return self.at(int(np.lexsort((self.sums_of_squares, ~self.converged))[0]))


def minimise(
    evaluate: _Evaluate,
    start: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    *,
    negligible: float = 0.0,
    orthogonal: float = _ORTHOGONAL,
    max_iterations: int = 300,
) -> Minima:
    """Find, for each problem, the parameters within bounds that make the residuals smallest.

    D. W. Marquardt, "An algorithm for least-squares estimation of nonlinear parameters",
    Journal of SIAM 11(2), 1963, 431-441; a parameter on its bound stays there as long as
    the gradient points outwards.
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
            matrix, scale, uphill, stopped = _normal_equations(residuals, jacobian, here, lower, upper, held)
            steepest = np.abs(uphill).max(axis=1, initial=0.0) / np.sqrt(np.maximum(total, _NOTHING))
            arrived = ((steepest <= orthogonal) | (total <= negligible)) & ~ended
            converged |= arrived
            ended |= arrived
            if ended.all():
                break
            there = (here + _step(matrix, scale, uphill, stopped, damping)).clip(lower, upper)
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


def _normal_equations(
    residuals: FloatArray,
    jacobian: FloatArray,
    here: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    held: NDArray[np.bool_],
) -> tuple[FloatArray, FloatArray, FloatArray, NDArray[np.bool_]]:
    """Return the equations for columns of length 1, their scale and gradient, and which parameters must stay.

    A rate of 1e6 and a coherency of 1e-7 meet here.
    """
    transposed = jacobian.swapaxes(1, 2)
    matrix = transposed @ jacobian
    squares = matrix.diagonal(axis1=1, axis2=2)
    scale = 1 / np.sqrt(np.where(squares > 0, squares, 1.0))
    uphill = (transposed @ residuals[:, :, np.newaxis])[:, :, 0] * scale
    stopped = held | ((here <= lower) & (uphill > 0)) | ((here >= upper) & (uphill < 0))
    scale, uphill = np.where(stopped, 0.0, scale), np.where(stopped, 0.0, uphill)
    return matrix * scale[:, :, np.newaxis] * scale[:, np.newaxis, :], scale, uphill, stopped


def _step(
    matrix: FloatArray, scale: FloatArray, uphill: FloatArray, stopped: NDArray[np.bool_], damping: FloatArray
) -> FloatArray:
    # Normal equations square the condition, which damping bounds and the next step mends.
    diagonal = np.einsum("bpp->bp", matrix)
    diagonal += np.maximum(damping, 1e-13)[:, np.newaxis] + stopped
    return np.asarray(np.linalg.solve(matrix, -uphill[:, :, np.newaxis])[:, :, 0] * scale)


# What a fit makes small: the distance of levels from a law, weighed as the noise is.
#
# ``relative`` weighs by relative error: residuals are ln(model / measurement), so a level at
# 1,000 op/s with 5 % noise counts as much as one at 100 op/s with 5 %. The logarithm is chosen
# over the two usual ways: dividing by the measured level gives low measurements more weight and
# bends the curve down, dividing by the fitted level changes the objective between laws, so that
# no criterion could compare them. The relative variance is pooled over the levels, because a
# variance from 3 replicates a level is no weight to rely on.
#
# ``replicates`` divides each residual by the standard deviation of its level: right where the noise
# differs between levels and every level has about 20 replicates.
#
# ``none`` leaves residuals in the unit of throughput, as R's ``nls`` and ``usl`` do: right only
# where the noise is as large in op/s at every level.
#
# Measurements of one level count by their mean: what they scatter around it no law explains.

Weights = Literal["relative", "replicates", "none"]
WEIGHTS: tuple[Weights, ...] = ("relative", "replicates", "none")

#: A variance from fewer replicates is no weight: taken for known, with 20 a level nominal 95 % intervals cover 93 to
#: 94 %, with 5 82 to 87 %, with 3 68 to 77 %.
ENOUGH_REPLICATES = 20

#: How far beside a level a corner lies that is not on it, and what sums of squares differ by there.
_BESIDE, _SAME = 1e-12, 1e-9

_Formula = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Objective:
    """The levels that a law is held against."""

    #: concurrency, throughput: shape (levels,). Throughput is the mean of a level (of logarithms where residuals are),
    #: in units of the geometric mean of all.
    concurrency: FloatArray
    throughput: FloatArray
    scale: float  # that geometric mean, so that a change of unit changes no digit of a fit
    weights: Weights
    #: Shape (levels,). What a residual is divided by: the standard error of the level, in standard deviations of one
    #: measurement.
    scatter: FloatArray
    #: By how much weights from replicates overstate what the measurements tell, since they are estimates themselves:
    #: the mean of s**-2 is f / (f - 2) times that of the true variance at f degrees of freedom; else 1.
    overstated: float
    n: int  # single measurements
    within: float  # sum of squares of the measurements around the mean of their level
    repeats: float  # measurements a level: by how much a variance that levels share counts in their mean
    #: Of what measurements of one level differ by; one less where a drift over the recording was taken out.
    within_freedom: int
    drift: float  # variance of the logarithm of throughput that this drift is over the recording; else 0

    @property
    def negligible(self) -> float:
        """A sum of squares that is rounding, not misfit."""
        return self.n * 1e-26

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

    def evaluator(self, law: Law) -> _Formula:
        """Return the function from parameters, shape (b, p), to residuals and Jacobians.

        What is not finite there is meant: who asks far from the data silences the warnings.
        """

        def evaluate(parameters: FloatArray) -> tuple[FloatArray, FloatArray]:
            gradients = law.gradient(self.concurrency, *parameters.T[:, :, np.newaxis])
            # Every law is proportional to its rate.
            model = parameters[:, :1] * gradients[..., 0]
            # A throughput below zero lies beyond a pole of the law: not a curve at all.
            return self.compare(np.where(model > 0, model, np.nan), gradients)

        return evaluate


def _checked_weights(weights: str) -> Weights:
    """Return the weights asked for, if they are known."""
    for known in WEIGHTS:
        if weights == known:
            return known
    raise DataError(
        f"unknown weights '{printable(weights)}'{suggestion(weights, WEIGHTS)}; weights: {choices(WEIGHTS)}"
    )


def _weights_for(curve: ScalingCurve, weights: Weights) -> Weights:
    """Return the weights that a curve can carry: pooled where its replicates are too few for their own."""
    if weights != "replicates":
        return weights
    known = min(curve.counts) >= ENOUGH_REPLICATES and all(np.ptp(replicate) > 0 for replicate in curve.replicates)
    return "replicates" if known else "relative"


def objective_of(curve: ScalingCurve, weights: Weights) -> Objective:
    """Return the objective of a curve: the mean of each level, as sure as its measurements make it.

    Levels that were measured unequally often, and share noise of their own, differ less in how sure they are than
    their counts do: the law that comes nearest to the levels says by how much.
    """
    objective = _by_counts(curve, weights)
    if len(set(curve.counts)) == 1 or not objective.within_freedom or weights == "replicates":
        return objective
    noises = [_noise_around(objective, law) for law in map(law_named, offered_laws(len(curve.concurrency)))]
    between = min((noise.between for noise in noises), default=0.0)
    if not between:
        return objective
    if objective.within:
        errors = np.sqrt(between / (objective.within / objective.within_freedom) + 1 / np.array(curve.counts))
    else:
        errors = np.ones(len(curve.counts))  # where repeats agree to the last digit, levels alone differ
    # As sure in all as the counts say: the unit of the variance stays that of one measurement.
    return replace(objective, scatter=errors * math.sqrt(float(np.sum(errors**-2)) / objective.n))


def _by_counts(curve: ScalingCurve, weights: Weights) -> Objective:
    counts = np.array(curve.counts)
    values, drift = np.concatenate(curve.replicates), curve.drift
    scale = math.exp(float(np.log(values).sum()) / len(values))
    values = np.log(values / scale) if weights == "relative" else values / scale
    starts = np.cumsum(counts) - counts
    means = np.add.reduceat(values, starts) / counts
    spread = np.add.reduceat((values - np.repeat(means, counts)) ** 2, starts)
    scatter, overstated = np.ones(len(counts)), 1.0
    if weights == "replicates":
        freedom = counts - 1
        overstated = float(np.mean(freedom / (freedom - 2))) if freedom.min() > 2 else np.inf
        scatter = np.sqrt(spread / freedom)
    n = len(values)
    # Searle, Casella and McCulloch, Variance Components, 1992, section 3.6: n0 of unequal groups.
    repeats = (n - float(counts @ counts) / n) / (len(counts) - 1)
    return Objective(
        concurrency=curve.concurrency,
        throughput=np.exp(means) if weights == "relative" else means,
        scale=scale,
        weights=weights,
        scatter=scatter / np.sqrt(counts),
        overstated=overstated,
        n=n,
        within=float((spread / scatter**2).sum()),
        repeats=repeats,
        within_freedom=n - len(counts) - (drift is not None),
        drift=0.0 if drift is None else drift.spread**2,
    )


# How far levels lie from a law, and what follows for everything that is told of it.
#
# Values of one level share what that level met: its process, its minute, its placement. More values of it do not
# average that away; a fit that takes each for a witness of its own says 95 % and holds 40 (2 % a level, 10 values).
# So the level is the unit wherever levels lie further from the law than their values make likely. That is asked of
# the F test of lack of fit at 50 %: at 25 % intervals hold 91 % with 5 levels, at 50 % 94 to 98 % whatever the level
# shares, for 5 to 10 levels and 2 to 10 values each, for 10 % more width where it shares nothing.

#: Chance alone has to explain what levels differ by at least this often, before their values count one by one.
_LIKELY = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """The noise around a law, as its residuals and the replicates tell it."""

    variance: float  # of one measurement, as much of it as counts in the mean of a level
    degrees_of_freedom: int
    between: float  # variance that the measurements of one level share
    single: float  # variance of one more measurement, at a level of its own
    single_freedom: float  # degrees of freedom of that
    lack_of_fit: float  # P value of the pure-error F test; NaN without replicates or without a level to spare


def noise_of(objective: Objective, around: float, parameters: int) -> Noise:
    """Tell the noise from the sum of squares of levels around a law, and that within levels.

    T. A. Bancroft, Annals of Mathematical Statistics 15, 1944, 190-204: pooling variances by a test. N. R. Draper and
    H. Smith, "Applied Regression Analysis", 3rd edition, Wiley 1998, section 2.1: lack of fit.
    """
    spare, inside = len(objective.concurrency) - parameters, objective.within_freedom
    pooled = (around + objective.within) / (spare + inside) * objective.overstated
    if not (spare > 0 and inside > 0 and objective.within > objective.negligible):
        # Copies of one measurement are no replicates: levels alone tell what they scatter by.
        copies = inside > 0 and spare > 0
        variance = around / spare if copies else pooled
        return Noise(
            variance=variance,
            degrees_of_freedom=spare if copies else spare + inside,
            between=variance / objective.repeats if copies else 0.0,
            single=variance,
            single_freedom=spare if copies else spare + inside,
            lack_of_fit=math.nan,
        )
    # Weights that overstate what they know raise what levels differ by, not what values do, which they were made of.
    levels, values = around / spare, objective.within / inside * objective.overstated
    pvalue = f_tail(levels / values, spare, inside)
    if pvalue >= _LIKELY:
        return Noise(
            variance=pooled,
            degrees_of_freedom=spare + inside,
            between=0.0,
            single=pooled,
            single_freedom=spare + inside,
            lack_of_fit=pvalue,
        )
    between = max(levels - values, 0.0) / objective.repeats
    single = values + between
    # Satterthwaite, Biometrics Bulletin 2, 1946, 110-114: degrees of freedom of a sum of variances.
    parts = (levels / objective.repeats) ** 2 / spare + (values * (1 - 1 / objective.repeats)) ** 2 / inside
    return Noise(
        variance=levels,
        degrees_of_freedom=spare,
        between=between,
        single=single,
        single_freedom=single**2 / parts,
        lack_of_fit=pvalue,
    )


def _noise_around(objective: Objective, law: Law) -> Noise:
    return noise_of(objective, solve(objective, law, bounded=True).sum_of_squares, len(law.parameters))


def solve(objective: Objective, law: Law, *, bounded: bool) -> Minimum:
    """Fit a law from the starts known for it; the next are tried only where those before lead nowhere.

    A law with a corner has a dip of its own for each place of the corner: all of them are looked into.
    """
    lower = np.array(law.lower if bounded else [-np.inf] * len(law.parameters))
    upper = np.array(law.upper if bounded else [np.inf] * len(law.parameters))
    lower[0] = law.lower[0]
    evaluate = objective.evaluator(law)
    if law.kinked:
        return _lowest_dip(objective, law, evaluate, lower, upper)
    best: Minimum | None = None
    for batch in law.starts(objective.concurrency, objective.throughput):
        there = minimise(evaluate, batch, lower, upper, negligible=objective.negligible).best()
        if best is None or there.sum_of_squares < best.sum_of_squares or not best.converged:
            best = there
        if best.converged:
            break
    if best is None:
        raise DataError(f"{law.title} has no start for these measurements; fit a simpler law")
    return best


def _lowest_dip(objective: Objective, law: Law, evaluate: _Formula, lower: FloatArray, upper: FloatArray) -> Minimum:
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
    low[:, column] = np.where(held, corners, np.fmax(levels[next_level - 1], law.lower[column]))
    # Just below the level: on it the derivative is that of the other side.
    high[:, column] = np.fmax(np.where(held, corners, levels[next_level] * (1 - _BESIDE)), low[:, column])
    minima = minimise(evaluate, starts, low, high, negligible=objective.negligible)
    # What lies beside a level is no better than on it by rounding alone.
    sums = minima.sums_of_squares * np.where(held, 1 - _SAME, 1.0)
    return minima.at(int(np.lexsort((sums, ~minima.converged))[0]))


# A law fitted twice: with bounds for the values, without them for what the data say of their error.

#: A loss that takes less than this share at the largest level is none.
_NO_LOSS = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """Both fits of a law, and the noise they show; all in units of the objective."""

    law: Law
    objective: Objective
    feasible: Minimum
    unbounded: Minimum  # the same object where it is feasible
    noise: Noise
    #: Shape (p, p). Of the unbounded fit.
    covariance: FloatArray
    confidence_level: float

    @property
    def variance(self) -> float:
        """Of one residual."""
        return self.noise.variance

    @property
    def degrees_of_freedom(self) -> int:
        """Of that variance."""
        return self.noise.degrees_of_freedom

    @property
    def critical(self) -> float:
        """The quantile of Student's t that leaves half of what the confidence level leaves at each end."""
        return float(special.stdtrit(self.degrees_of_freedom, (1 + self.confidence_level) / 2))

    @property
    def rise(self) -> float:
        """By how much a value that the data do not rule out raises the sum of squares."""
        return self.variance * self.critical**2


def solve_twice(objective: Objective, law: Law, confidence_level: float) -> Solution:
    """Fit a law with and without its bounds."""
    unbounded = feasible = solve(objective, law, bounded=False)
    if unbounded.sum_of_squares <= objective.negligible:
        unbounded = feasible = _without_rounding(unbounded, law, objective)
    inside = np.all((unbounded.parameters >= law.lower) & (unbounded.parameters <= law.upper))
    if not (inside and unbounded.converged):
        feasible = solve(objective, law, bounded=True)
    if not (feasible.converged and unbounded.converged):
        raise DataError(
            f"the fit of {law.title} did not converge on {objective.n} measurements; "
            "look at the points, or fit a simpler law"
        )
    noise = noise_of(objective, unbounded.sum_of_squares, len(law.parameters))
    return Solution(
        law=law,
        objective=objective,
        feasible=feasible,
        unbounded=unbounded,
        noise=noise,
        covariance=_covariance(unbounded, noise.variance, objective.drift),
        confidence_level=confidence_level,
    )


def _without_rounding(exact: Minimum, law: Law, objective: Objective) -> Minimum:
    """Return an exact fit without the losses that are rounding: they would imply peaks far out in the void."""
    most = float(np.max(objective.concurrency))
    parameters = exact.parameters.copy()
    for index, low in enumerate(law.lower):
        if index and low == 0 and abs(parameters[index]) * most < _NO_LOSS:
            parameters[index] = 0.0
    return replace(exact, parameters=parameters)


def _covariance(fitted: Minimum, variance: float, drift: float) -> FloatArray:
    """Return the covariance of the parameters; what a machine drifted by moves every throughput, so the rate, alike."""
    jacobian = fitted.jacobian
    lengths = np.sqrt(np.einsum("np,np->p", jacobian, jacobian))
    known = lengths > 0
    scaled = jacobian[:, known] / lengths[known]
    covariance = np.zeros((len(lengths), len(lengths)))
    inverse = _inverse(scaled.T @ scaled)
    covariance[np.ix_(known, known)] = variance * inverse / np.outer(lengths[known], lengths[known])
    covariance[0, 0] += drift * fitted.parameters[0] ** 2
    return covariance


def _inverse(normal: FloatArray) -> FloatArray:
    try:
        return np.asarray(np.linalg.inv(normal), dtype=float)
    except np.linalg.LinAlgError:
        # Parameters that the data cannot tell apart.
        return np.asarray(np.linalg.pinv(normal, hermitian=True), dtype=float)
