"""What fits say where the data say little: corners, bounds, exact lines, curves that only fall."""

import math

import numpy as np
import pytest

from benchlib.scaling.curve import build_curve
from benchlib.scaling.fit import ScalingFit, fit_law
from benchlib.scaling.laws import LAWS, plateau, usl

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])


def fitted(throughput: list[float] | np.ndarray, law: str, levels: np.ndarray = LEVELS) -> ScalingFit:
    return fit_law(build_curve(levels, throughput, unit="op/sec"), law)


@pytest.mark.parametrize("servers", [2.0, 8.0])
def test_a_wall_on_a_measured_level_is_covered(servers: float) -> None:
    """The plateau has a corner there, where Wald's interval covers 80 %: the profile keeps its 95 %.

    200 runs have a standard error of 1.5 %.
    """
    generator = np.random.default_rng(17)
    hits = 0
    for _ in range(200):
        noise = np.exp(0.05 * generator.standard_normal(len(LEVELS)))
        found = fitted(plateau.throughput(LEVELS, 100.0, servers) * noise, "plateau").parameters["servers"]
        hits += found.low <= servers <= found.high
    assert hits / 200 >= 0.92


def test_a_parameter_that_nothing_depends_on_has_no_error() -> None:
    """A wall beyond the data: at least so far, no upper end, and no standard error of 0."""
    fit = fitted(100 * LEVELS * np.array([1.0, 1.02, 0.99, 1.01, 1.0, 0.99, 1.02]), "plateau")
    servers = fit.parameters["servers"]
    assert math.isinf(servers.high)
    assert 32 < servers.low < 64
    assert servers.standard_error != 0


@pytest.mark.parametrize("factor", [1.0, 1e3, 1e5])
def test_a_limit_of_coherency_follows_the_unit_of_concurrency(factor: float) -> None:
    """N counted in other units changes coherency by the square: its limit, down to any size, does too."""
    levels = LEVELS * factor
    noise = np.array([1.0, 0.97, 1.02, 0.98, 1.0, 1.08, 1.2])
    fit = fitted(100 * LEVELS / (1 + 0.03 * (LEVELS - 1)) * noise, "usl", levels)
    assert fit.peak is not None
    coherency = fit.parameters["coherency"]
    assert coherency.value == 0
    # At the lower end of the peak P the coherency is (1 - c) / P², near its limit.
    assert 0.5 < coherency.high * fit.peak.low**2 < 1.2


@pytest.mark.parametrize("law", ["amdahl", "usl", "plateau"])
def test_every_end_is_feasible(law: str) -> None:
    """Twelve percent of noise on five levels: no loss above its bound, no worker less than one."""
    levels = LEVELS[:5]
    for seed in range(25):
        noise = np.exp(0.12 * np.random.default_rng(seed).standard_normal(5))
        fit = fitted(usl.throughput(levels, 100.0, 0.2, 0.01) * noise, law, levels)
        for index, (name, one) in enumerate(fit.parameters.items()):
            assert one.low >= (LAWS[law].lower[index] if index else 0), name
            assert one.high <= LAWS[law].upper[index], name
        for one in (fit.peak, fit.knee, fit.saturation_point):
            assert one is None or (one.low >= 1 and one.low <= one.value <= one.high)


def test_a_curve_that_only_falls_has_its_peak_at_one() -> None:
    """Nothing above the throughput of one worker was measured, and nothing above it is claimed."""
    fit = fitted([100.0, 60.0, 35.0, 20.0, 9.0, 5.0], "usl", LEVELS[:6])
    assert fit.parameters["contention"].value == 1
    assert fit.peak is not None
    assert fit.ceiling is not None
    assert (fit.peak.value, fit.peak.low) == (1, 1)
    assert fit.ceiling.value == pytest.approx(fit.parameters["rate_at_one"].value)
    assert fit.ceiling.value == pytest.approx(100, rel=0.02)


def test_an_exact_line_has_no_peak() -> None:
    """Rounding errors of a fit are no coherency: the peak is infinite, not far out with certainty."""
    fit = fitted(37.3 * LEVELS, "usl")
    assert fit.parameters["coherency"].value == 0
    assert fit.peak is not None
    assert math.isinf(fit.peak.value)


def test_the_residual_error_is_that_of_the_law_shown() -> None:
    """raytracer (R's usl vignette): residual standard error 9.34 on 8 degrees of freedom with coherency 0."""
    levels = np.array([1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64.0])
    curve = build_curve(levels, [20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310], unit="op/sec")
    fit = fit_law(curve, "usl", weights="none")
    assert fit.residual_standard_error == pytest.approx(9.34, abs=0.005)
    assert fit.degrees_of_freedom == 8
