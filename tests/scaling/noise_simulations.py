"""Curves under noise as it is: shared by the values of a level, with tails, over time; and laws outside the family.

``test_noise.py`` runs a seeded sample of them, ``benchmarks/scaling_coverage.py`` hundreds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from benchlib.errors import DataError
from benchlib.scaling.choose import choose_law
from benchlib.scaling.curve import ScalingCurve, build_curve
from benchlib.scaling.fit import ScalingFit, fit_law
from benchlib.scaling.laws import LAWS
from benchlib.scaling.order import places_in
from benchlib.scaling.predict import average_bands
from tests.scaling.simulations import Count

SEVEN = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
FITTED = ("linear", "plateau", "amdahl", "usl")
QUESTIONS = ("contention", "coherency", "peak", "X(max)", "X(2 max)")
#: Contention as if each value were a witness of its own, with t(n - p): what is not done.
ONE_BY_ONE = "contention, one by one"
#: Repeats that differ from level to level.
UNEQUAL = (1, 3, 20, 5, 2, 10, 4)
_Formula = Callable[[np.ndarray], np.ndarray]


def power(n: np.ndarray) -> np.ndarray:
    """Grow as N to the power of 0.7: no law here does."""
    return np.asarray(100 * n**0.7)


def knee(n: np.ndarray) -> np.ndarray:
    """Grow in proportion to 16, a third as fast beyond: as a second NUMA node does."""
    return np.asarray(100 * (np.minimum(n, 16) + 0.35 * np.maximum(n - 16, 0)))


def smooth_wall(n: np.ndarray) -> np.ndarray:
    """Approach a ceiling without a corner and without the slow rise of Amdahl's law."""
    return np.asarray(100 * n / (1 + (n / 12) ** 4) ** 0.25)


OUTSIDE: dict[str, _Formula] = {"power": power, "knee": knee, "smooth wall": smooth_wall}


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseScenario:
    """A true curve, the levels and repeats at which it is measured, and what disturbs the measurements."""

    law: str = "usl"  # a law, or a curve of `OUTSIDE`
    truth: tuple[float, ...] = (100.0, 0.03, 5e-4)
    levels: int = 7
    repeats: int | tuple[int, ...] = 3
    value: float = 0.05  # relative standard deviation of each value
    level: float = 0.0  # of what the values of a level share
    tails: str = "normal"  # or "t3": Student's t with 3 degrees of freedom, of the same standard deviation
    drift: float = 0.0  # by which share throughput changes from the first measurement to the last
    order: str = "random"  # in which it is measured; or "sequential": level by level

    @property
    def formula(self) -> _Formula:
        """The true curve."""
        if self.law in OUTSIDE:
            return OUTSIDE[self.law]
        return lambda n: LAWS[self.law].throughput(n, *self.truth)

    @property
    def answers(self) -> dict[str, float]:
        """What intervals should hold; NaN where the truth has no such parameter."""
        largest = SEVEN[self.levels - 1]
        at = self.formula(np.array([largest, 2 * largest]))
        contention, coherency, peak = math.nan, math.nan, math.nan
        if self.law == "usl":
            contention, coherency = self.truth[1:]
            peak = math.sqrt((1 - contention) / coherency) if coherency else math.inf
        elif self.law in ("amdahl", "linear"):
            contention, coherency, peak = (self.truth[1] if len(self.truth) > 1 else 0.0), 0.0, math.inf
        return dict(zip(QUESTIONS, (contention, coherency, peak, float(at[0]), float(at[1])), strict=True))

    def draw(self, run: int, seed: int, *, placed: bool = True) -> ScalingCurve:
        """Return one simulated curve, whose values say when they were measured, or do not."""
        generator = np.random.default_rng([seed, run])
        levels = SEVEN[: self.levels]
        counts = self.repeats if isinstance(self.repeats, tuple) else (self.repeats,) * self.levels
        of = np.repeat(np.arange(self.levels), counts)
        shared = self.level * generator.standard_normal(self.levels)
        size = len(of)
        values = generator.standard_t(3, size) / math.sqrt(3) if self.tails == "t3" else generator.standard_normal(size)
        position = generator.permutation(size) if self.order == "random" else np.arange(size)
        moved = np.log1p(self.drift) * position / max(size - 1, 1)
        logs = np.log(self.formula(levels))[of] + shared[of] + self.value * values + moved
        places = places_in(np.zeros(size), position)
        return build_curve(levels[of], np.exp(logs), unit="op/sec", places=places if placed else None)


@dataclass(slots=True, kw_only=True)
class Tally:
    """What came of the curves of one scenario."""

    counts: dict[str, Count]
    law_right: int = 0
    finite_peaks: int = 0  # chosen laws with a peak that has an upper end
    runs: int = 0

    def joined(self, other: Tally) -> Tally:
        """Return what came of both."""
        counts = {name: count.joined(other.counts[name]) for name, count in self.counts.items()}
        return Tally(
            counts=counts,
            law_right=self.law_right + other.law_right,
            finite_peaks=self.finite_peaks + other.finite_peaks,
            runs=self.runs + other.runs,
        )


def tally(scenario: NoiseScenario, runs: Iterable[int], seed: int = 0) -> Tally:
    """Count how often the intervals of the USL, and what is predicted, hold the truth."""
    truth = scenario.answers
    total = Tally(counts={name: Count() for name in QUESTIONS if not math.isnan(truth[name])})
    if "contention" in total.counts:
        total.counts[ONE_BY_ONE], truth = Count(), {**truth, ONE_BY_ONE: truth["contention"]}
    largest = SEVEN[scenario.levels - 1]
    for run in runs:
        curve = scenario.draw(run, seed)
        fits = _fits(curve)
        if "usl" not in fits:
            continue
        total.runs += 1
        choice = choose_law(list(fits.values()))
        chosen = fits[choice.law]
        total.law_right += choice.law == scenario.law
        total.finite_peaks += chosen.peak is not None and math.isfinite(chosen.peak.high)
        band = average_bands(list(fits.values()), [largest, 2 * largest])
        ends = {
            **{name: (fits["usl"].parameters[name].low, fits["usl"].parameters[name].high) for name in QUESTIONS[:2]},
            "peak": (fits["usl"].peak.low, fits["usl"].peak.high) if fits["usl"].peak else (0.0, math.inf),
            ONE_BY_ONE: _one_by_one(fits["usl"]),
            "X(max)": (float(band.low[0]), float(band.high[0])),
            "X(2 max)": (float(band.low[1]), float(band.high[1])),
        }
        for name, count in total.counts.items():
            count.add(ends[name], truth[name])
    return total


def _one_by_one(fit: ScalingFit) -> tuple[float, float]:
    freedom = fit.n - len(fit.coefficients)
    variance = fit.covariance[1][1] / fit.variance * fit.sum_of_squares / freedom
    half = float(stats.t.ppf((1 + fit.confidence_level) / 2, freedom)) * math.sqrt(variance)
    return fit.unbounded[1] - half, fit.unbounded[1] + half


def _fits(curve: ScalingCurve) -> dict[str, ScalingFit]:
    fits = {}
    for law in FITTED:
        try:
            fits[law] = fit_law(curve, law)
        except DataError:
            continue
    return fits
