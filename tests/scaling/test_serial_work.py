"""The serial fraction of Karp and Flatt: flat for serial work, rising for overhead, silent where it is not known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchlib.scaling.curve import build_curve
from benchlib.scaling.points import serial_meaning, serial_trend

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])


def test_plain_serial_work_is_not_shown_to_change() -> None:
    """Amdahl's law with 2 % noise: a false alarm in at most 10 of 100 curves."""
    alarms = 0
    for seed in range(100):
        noise = np.random.default_rng(seed).normal(0, 0.02, len(LEVELS))
        curve = build_curve(LEVELS, LEVELS / (1 + 0.1 * (LEVELS - 1)) * (1 + noise), unit="op/sec")
        alarms += serial_trend(curve).kind != "not shown to change"
    assert alarms <= 10


RAYTRACER = np.array([1.0, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64])


@pytest.mark.parametrize("serial", [0.02, 0.1, 0.4])
@pytest.mark.parametrize("levels", [LEVELS, RAYTRACER, LEVELS[:4]], ids=["doubling", "raytracer", "few"])
@pytest.mark.parametrize("runs", [400, pytest.param(4000, marks=pytest.mark.heavy)])
def test_the_interval_holds_the_error_of_the_first_level(levels: np.ndarray, serial: float, runs: int) -> None:
    """Amdahl's law, slope 0, 5 % noise: without the error that all fractions share it covered 82 to 94 %."""
    generator = np.random.default_rng(1)
    exact = levels / (1 + serial * (levels - 1))
    held = 0
    for _ in range(runs):
        curve = build_curve(levels, exact * np.exp(0.05 * generator.standard_normal(len(levels))), unit="op/sec")
        slope = serial_trend(curve).slope
        held += slope.low <= 0 <= slope.high
    assert 0.93 <= held / runs <= 0.98


def test_overhead_that_grows_is_rising() -> None:
    """The USL with coherency raises the fraction at every doubling, through 1 % noise."""
    noise = np.random.default_rng(7).normal(0, 0.01, len(LEVELS))
    clean = LEVELS / (1 + 0.05 * (LEVELS - 1) + 0.005 * LEVELS * (LEVELS - 1))
    found = serial_trend(build_curve(LEVELS, clean * (1 + noise), unit="op/sec"))
    assert found.kind == "rising"
    assert 0 < found.slope.low < found.slope.value < found.slope.high
    assert found.first < found.last


def test_the_ends_are_the_fractions_of_karp_and_flatt() -> None:
    """Raytracer (R usl vignette) at 4 and 64: .008547 and .049667, as scaling.md gives them."""
    curve = build_curve(
        [1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64],
        [20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310],
        unit="op/sec",
    )
    found = serial_trend(curve)
    assert found.first == pytest.approx(0.008547, abs=5e-7)
    assert found.last == pytest.approx(0.049667, abs=5e-7)


def test_the_slope_is_that_of_weighted_least_squares() -> None:
    """Against numpy's polyfit with the same weights."""
    noise = np.random.default_rng(5).normal(0, 0.03, len(LEVELS))
    curve = build_curve(LEVELS, LEVELS / (1 + 0.1 * (LEVELS - 1)) * (1 + noise), unit="op/sec")
    speedup = curve.throughput / curve.throughput[0]
    levels = LEVELS[1:]
    fractions = (1 / speedup[1:] - 1 / levels) / (1 - 1 / levels)
    slope, _ = np.polyfit(np.log2(levels), fractions, 1, w=speedup[1:] * (1 - 1 / levels))
    assert serial_trend(curve).slope.value == pytest.approx(slope, rel=1e-9)


@pytest.mark.parametrize("levels", [[1, 2, 4], [2, 4, 8, 16, 32]])
def test_too_few_fractions_or_no_level_one_are_unknown(levels: list[float]) -> None:
    """Two fractions make a line, not a trend; without N = 1 there is none at all."""
    found = serial_trend(build_curve(levels, [float(n) for n in levels], unit="op/sec"))
    assert found.kind == "unknown"
    assert math.isnan(found.slope.value)
    assert math.isinf(found.slope.high)


def test_a_fraction_below_zero_counts_no_serial_work() -> None:
    """Superlinear throughput: the fraction rises towards 0, and that is no overhead."""
    found = serial_trend(build_curve(LEVELS, LEVELS**1.1, unit="op/sec"))
    assert found.kind == "rising"
    assert serial_meaning(found) == "below 0 it counts no serial work: throughput grows faster than concurrency"


def test_a_fraction_above_one_cannot_be_serial_work() -> None:
    """Retrograde below the throughput of one worker: more than all of the work would be serial."""
    found = serial_trend(build_curve(LEVELS, LEVELS / (1 + 0.05 * LEVELS * (LEVELS - 1)), unit="op/sec"))
    assert found.last > 1
    assert "above 1 it cannot be serial work" in serial_meaning(found)


def test_a_plateau_makes_the_fraction_rise_without_overhead() -> None:
    """Proportional growth into a wall raises the fraction; the wall is told, not overhead."""
    found = serial_trend(build_curve(LEVELS, np.minimum(LEVELS, 8.0), unit="op/sec"))
    assert found.kind == "rising"
    assert "overhead" in serial_meaning(found)
    assert "overhead" not in serial_meaning(found, plateau=True)
