"""Simulated curves of a known law, and how often intervals hold the truth.

``test_intervals.py`` runs a seeded sample of them, ``benchmarks/scaling_coverage.py`` thousands.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from benchlib.scaling.curve import ScalingCurve, build_curve
from benchlib.scaling.fit import ScalingFit, fit_law
from benchlib.scaling.intervals import derived_estimates
from benchlib.scaling.laws import LAWS, usl
from benchlib.scaling.predict import predict
from benchlib.scaling.solver import objective_of, solve_twice
from benchlib.statistics.estimates import Estimate

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
RATE, CONTENTION = 100.0, 0.03
#: Where the mean curve is asked for: as far as benchlib predicts unasked.
TWICE = 2 * float(LEVELS[-1])
#: Standard deviation of noise that is the same at every level, in op/s: a tenth of what one worker does.
ADDITIVE = 10.0
#: Relative standard deviation of noise in proportion to throughput.
MULTIPLICATIVE = 0.05
#: Relative standard deviations where each level has its own.
UNEVEN = np.array([0.02, 0.08, 0.02, 0.08, 0.02, 0.08, 0.02])

#: R package usl 3.0.3, tests/summary.Rout.save, and its vignette.
SDM91 = build_curve(
    [1, 18, 36, 72, 108, 144, 216], [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2], unit="op/sec"
)
RAYTRACER = build_curve(
    [1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64], [20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310], unit="op/sec"
)
#: The beckn-onix sweep as published: operations by their times, and requests a second.
ONIX_LEVELS = [1, 2, 4, 8, 16]
ONIX_TIMES = 1e6 / np.array([157.0, 118.0, 73.0, 62.0, 54.0])
ONIX_REQUESTS = np.array([6499.0, 7606.0, 14356.0, 17233.0, 17455.0])


def noisy_curve(
    law: str, truth: tuple[float, ...], seed: int, *, levels: np.ndarray = LEVELS, noise: float = 0.05
) -> ScalingCurve:
    """Draw a curve of a law with multiplicative noise."""
    scatter = np.exp(noise * np.random.default_rng(seed).standard_normal(len(levels)))
    return build_curve(levels, LAWS[law].throughput(levels, *truth) * scatter, unit="op/sec")


#: Low and high end of an interval.
Ends = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Curves with a true peak, their noise, and how they are fitted."""

    noise: str  # multiplicative, additive or uneven
    weights: str
    peak: float  # of the true curve; infinite for a coherency of 0
    replicates: int = 1  # measurements a level

    @property
    def truth(self) -> dict[str, float]:
        """What intervals should hold."""
        coherency = (1 - CONTENTION) / self.peak**2
        return {
            "rate_at_one": RATE,
            "contention": CONTENTION,
            "coherency": coherency,
            "peak": self.peak,
            "curve": float(usl.throughput(TWICE, RATE, CONTENTION, coherency)),
        }

    def draw(self, run: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Return concurrency and throughput of one simulated curve."""
        n = np.repeat(LEVELS, self.replicates)
        mean = usl.throughput(n, RATE, CONTENTION, self.truth["coherency"])
        spread = {
            "multiplicative": MULTIPLICATIVE * mean,
            "additive": np.full_like(mean, ADDITIVE),
            "uneven": np.repeat(UNEVEN, self.replicates) * mean,
        }[self.noise]
        return n, mean + spread * np.random.default_rng([seed, run]).standard_normal(len(n))


@dataclass(slots=True, kw_only=True)
class Count:
    """How often one interval missed the truth, and on which side."""

    runs: int = 0
    above: int = 0  # the low end lies above the truth
    below: int = 0

    def add(self, ends: Ends, truth: float) -> None:
        self.runs += 1
        self.above += not ends[0] <= truth
        self.below += not truth <= ends[1]

    def joined(self, other: Count) -> Count:
        """Return both counts together."""
        return Count(runs=self.runs + other.runs, above=self.above + other.above, below=self.below + other.below)

    @property
    def coverage(self) -> float:
        return 1 - (self.above + self.below) / self.runs if self.runs else math.nan


def count_fits(scenario: Scenario, runs: Iterable[int], seed: int = 0) -> dict[str, Count]:
    """Return, for each quantity, how often the intervals of ``fit_law`` and ``predict`` miss.

    Of the profiles only the peak's is made. ``bound`` counts the fits whose coherency lies on its bound, and
    the limit they report.
    """
    counts = {name: Count() for name in (*scenario.truth, "bound", "delta")}
    for run in runs:
        n, x = scenario.draw(run, seed)
        curve = build_curve(n, x, unit="op/sec")
        fit = fit_law(curve, "usl", weights=scenario.weights, derived=False)
        solution = solve_twice(objective_of(curve, fit.weights), usl, fit.confidence_level)
        peak = derived_estimates(solution, curve.unit, only="peak")["peak"]
        for name, ends in _ends(fit, peak).items():
            counts[name].add(ends, scenario.truth["peak" if name == "delta" else name])
        if "coherency" in fit.on_bound:
            counts["bound"].add((0.0, fit.parameters["coherency"].high), scenario.truth["coherency"])
    return counts


def _ends(fit: ScalingFit, peak: Estimate) -> dict[str, Ends]:
    found = {name: (one.low, one.high) for name, one in fit.parameters.items()}
    found["peak"] = peak.low, peak.high
    band = predict(fit, [TWICE])
    found["curve"] = float(band.low[0]), float(band.high[0])
    if math.isfinite(peak.standard_error):
        half = _critical(fit) * peak.standard_error
        found["delta"] = peak.value - half, peak.value + half
    return found


def _critical(fit: ScalingFit) -> float:
    return float(stats.t.ppf((1 + fit.confidence_level) / 2, fit.degrees_of_freedom))
