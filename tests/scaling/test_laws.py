"""Formulas of the laws: inverses, slopes, parts of time, known values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.scaling.curve import build_curve
from benchlib.scaling.laws import LAWS, amdahl, gustafson, law_named, linear, offered_laws, plateau, usl
from benchlib.scaling.solver import Objective, Weights, objective_of, solve

# The laws: formulas, derivatives and inverses.

# Generic on purpose: a case with contention = coherency once hid a sign error in a known library.
GENERIC = {
    "linear": (37.3,),
    "plateau": (37.3, 9.4),
    "amdahl": (37.3, 0.0831),
    "gustafson": (37.3, 0.0831),
    "usl": (37.3, 0.0831, 0.00173),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("n", [1.0, 1.7, 3.0, 12.9, 22.4])
def test_inverse_round_trips(name: str, n: float) -> None:
    """N -> X -> N returns to N; the USL's other root gives the same throughput."""
    law, parameters = LAWS[name], GENERIC[name]
    if name == "plateau":
        n = min(n, 9.0)  # beyond the wall every concurrency has one throughput
    throughput = float(law.throughput(n, *parameters))
    roots = law.concurrency_at(throughput, *parameters)
    assert min(abs(root - n) for root in roots) < 1e-9 * n
    for root in roots:
        assert float(law.throughput(root, *parameters)) == pytest.approx(throughput, rel=1e-9)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("n", [1.7, 3.0, 12.9, 22.4, 80.0])
def test_latency_inverse_round_trips(name: str, n: float) -> None:
    """N -> T = N/X -> N returns to N, where no latency tells N, none is made up."""
    law, parameters = LAWS[name], GENERIC[name]
    latency = float(law.latency(n, *parameters))
    found = law.concurrency_at_latency(latency, *parameters)
    if name == "linear" or (name == "plateau" and n < 9.4):
        assert found == ()
        return
    assert min(abs(one - n) for one in found) < 1e-9 * n


def test_throughput_at_latency_where_a_known_library_errs() -> None:
    """sca_tools prints 312.413 for its USL at its test latency; N/T of the exact inverse stands by Little's law."""
    rate, contention, coherency = 995.648799442, 0.02671591, 7.690945e-4
    (n,) = usl.concurrency_at_latency(0.1, rate, contention, coherency)
    throughput = n / 0.1
    assert float(usl.throughput(n, rate, contention, coherency)) == pytest.approx(throughput, rel=1e-12)


@pytest.mark.parametrize("name", LAWS)
def test_slope_matches_finite_differences(name: str) -> None:
    """What one more worker adds, at points away from the plateau's corner."""
    law, parameters = LAWS[name], GENERIC[name]
    for n in (1.0, 2.0, 5.5, 17.0, 80.0):
        slope = (law.throughput(n + 1e-5, *parameters) - law.throughput(n - 1e-5, *parameters)) / 2e-5
        assert float(law.slope(n, *parameters)) == pytest.approx(float(slope), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("name", LAWS)
def test_parts_of_time_sum_to_one(name: str) -> None:
    """Work and every loss share the time of a request: T(N) times each share adds up to T(N)."""
    n = np.array([1.0, 2.0, 9.4, 36.0, 216.0])
    parts = LAWS[name].parts(n, *GENERIC[name])
    np.testing.assert_allclose(sum(parts.values()), 1.0, rtol=1e-12)
    assert all(np.all(one >= 0) for one in parts.values())
    assert parts["work"][0] == 1.0


def test_usl_inverse_has_both_branches() -> None:
    """Below the peak throughput is reached twice, at it once, above it never."""
    rate, contention, coherency = GENERIC["usl"]
    peak = math.sqrt((1 - contention) / coherency)
    largest = float(usl.throughput(peak, rate, contention, coherency))
    low, high = usl.concurrency_at(0.8 * largest, rate, contention, coherency)
    assert low < peak < high
    # The product of the roots of k X N² - … + X (1 - c) is (1 - c)/k, the peak squared.
    assert low * high == pytest.approx(peak**2, rel=1e-12)
    assert usl.concurrency_at(1.01 * largest, rate, contention, coherency) == ()


def test_amdahl_and_gustafson_inverse_beyond_reach() -> None:
    """No N reaches Amdahl's ceiling r/f, nor more than r when all work is serial."""
    assert amdahl.concurrency_at(101.0, 10.0, 0.1) == ()
    assert gustafson.concurrency_at(11.0, 10.0, 1.0) == ()
    assert linear.concurrency_at(55.0, 10.0) == (5.5,)


@pytest.mark.parametrize("name", LAWS)
def test_gradient_matches_finite_differences(name: str) -> None:
    """Analytic derivatives agree with central differences."""
    law, parameters = LAWS[name], np.array(GENERIC[name])
    n = np.array([1.0, 2.0, 5.5, 17.0, 80.0])
    gradient = law.gradient(n, *parameters)
    for index in range(len(parameters)):
        width = 1e-6 * parameters[index]
        ends = [parameters.copy(), parameters.copy()]
        ends[0][index] -= width
        ends[1][index] += width
        slope = (law.throughput(n, *ends[1]) - law.throughput(n, *ends[0])) / (2 * width)
        np.testing.assert_allclose(gradient[:, index], slope, rtol=1e-6, atol=1e-9)


def test_laws_nest() -> None:
    """The USL without coherency is Amdahl's law, and that without serial work the line."""
    n = np.array([1.0, 3.0, 10.0])
    np.testing.assert_array_equal(usl.throughput(n, 7.0, 0.2, 0.0), amdahl.throughput(n, 7.0, 0.2))
    np.testing.assert_allclose(amdahl.throughput(n, 7.0, 0.0), linear.throughput(n, 7.0), rtol=1e-15)


def test_gustafson_identity() -> None:
    """S = N - s (N - 1): 1,019.908 and 1,015.816 at N = 1,024 for s = 0.004 and 0.008."""
    assert float(gustafson.throughput(1024, 1.0, 0.004)) == pytest.approx(1019.908, abs=1e-9)
    assert float(gustafson.throughput(1024, 1.0, 0.008)) == pytest.approx(1015.816, abs=1e-9)


def test_every_law_cites_and_counts() -> None:
    """A law names its source and asks for one level more than it has parameters."""
    for law in LAWS.values():
        assert law.citation
        assert law.minimum_levels == len(law.parameters) + 1
        assert len(law.lower) == len(law.upper) == len(law.parameters)


def test_gustafson_is_offered_only_for_weak_scaling() -> None:
    """Strong-scaling data are never offered Gustafson's law."""
    assert "gustafson" not in offered_laws(8)
    assert "gustafson" in offered_laws(8, weak=True)


def test_unknown_law_is_named_with_the_choices() -> None:
    """A misspelt law gets a suggestion."""
    with pytest.raises(DataError, match=r"unknown law 'amdal'; did you mean 'amdahl'\?"):
        law_named("amdal")


# The plateau's fit: its sum of squares has a dip for each place of the wall, and the lowest is found.


def random_curve(generator: np.random.Generator, repetitions: int) -> tuple[np.ndarray, np.ndarray]:
    """Levels and throughputs: a wall, a curve that bends, waves, or no order at all; with 1 to 40 % noise."""
    others = generator.choice(np.arange(2, 65), generator.integers(3, 9), replace=False)
    levels = np.concatenate([[1.0], np.sort(others)])
    n = np.repeat(levels, repetitions)
    wall = np.minimum(n, generator.uniform(1, 70))
    exact = [
        wall,
        n / (1 + generator.uniform(0, 0.5) * (n - 1) + generator.uniform(0, 0.02) * n * (n - 1)),
        wall * (1 + 0.3 * np.sin(n)),
        np.repeat(generator.uniform(0.5, 10, len(levels)), repetitions),
    ][generator.integers(4)]
    return n, 100 * exact * np.exp(generator.choice([0.01, 0.1, 0.4]) * generator.standard_normal(len(n)))


def lowest_on_a_grid(objective: Objective) -> float:
    """Return the smallest sum of squares over 4,000 walls and every level, the rate solved for in closed form."""
    n, x = objective.concurrency, objective.throughput
    walls = np.concatenate([np.unique(n), np.geomspace(1, 4 * np.max(n), 4000)])
    workers = np.minimum(n, walls[:, np.newaxis])
    if objective.weights == "relative":
        residuals = np.log(workers / x)
        residuals -= residuals.mean(axis=1, keepdims=True)
    else:
        weighed, measured = workers / objective.scatter, x / objective.scatter
        rates = (weighed @ measured) / np.sum(weighed**2, axis=1)
        residuals = rates[:, np.newaxis] * weighed - measured
    return float(np.min(np.sum(residuals**2, axis=1)))


@pytest.mark.parametrize(("weights", "repetitions"), [("relative", 1), ("none", 1), ("replicates", 20)])
def test_no_wall_on_a_fine_grid_is_lower(weights: Weights, repetitions: int) -> None:
    """200 random curves: a search that preferred smooth dips to edges missed 1 to 11 % of the lowest."""
    generator = np.random.default_rng(5)
    for _ in range(200):
        n, x = random_curve(generator, repetitions)
        objective = objective_of(build_curve(n, x, unit="op/sec"), weights)
        lowest = lowest_on_a_grid(objective)
        for bounded in (False, True):
            found = solve(objective, plateau, bounded=bounded)
            assert found.converged
            assert found.sum_of_squares <= lowest * (1 + 1e-6) + objective.negligible


def test_a_wall_on_a_level_is_on_it_exactly() -> None:
    """Not a rounding error below."""
    n = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    found = solve(
        objective_of(build_curve(n, 100 * np.minimum(n, 4.0), unit="op/sec"), "relative"), plateau, bounded=True
    )
    assert found.parameters[1] == 4.0
