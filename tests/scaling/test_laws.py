"""Formulas of the laws: derivatives, parts of time, known values; the plateau's fit against a fine grid."""

from __future__ import annotations

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.scaling.curve import build_curve
from benchlib.scaling.laws import LAWS, amdahl, gustafson, law_named, linear, offered_laws, plateau, usl
from benchlib.scaling.solver import Objective, Weights, objective_of, solve

# Generic on purpose: a case with contention = coherency once hid a sign error in a known library.
GENERIC = {
    "linear": (37.3,),
    "plateau": (37.3, 9.4),
    "amdahl": (37.3, 0.0831),
    "gustafson": (37.3, 0.0831),
    "usl": (37.3, 0.0831, 0.00173),
}


@pytest.mark.parametrize("name", LAWS)
def test_derivatives_match_finite_differences(name: str) -> None:
    """By concurrency, away from the plateau's corner, and by each parameter; for many fits at once as for one."""
    law, parameters = LAWS[name], np.array(GENERIC[name])
    n = np.array([1.0, 2.0, 5.5, 17.0, 80.0])
    slope = (law.throughput(n + 1e-5, *parameters) - law.throughput(n - 1e-5, *parameters)) / 2e-5
    np.testing.assert_allclose(law.slope(n, *parameters), slope, rtol=1e-6, atol=1e-6)
    gradient = law.gradient(n, *parameters)
    for index, width in enumerate(1e-6 * parameters):
        down, up = (parameters + sign * width * np.eye(len(parameters))[index] for sign in (-1, 1))
        slope = (law.throughput(n, *up) - law.throughput(n, *down)) / (2 * width)
        np.testing.assert_allclose(gradient[:, index], slope, rtol=1e-6, atol=1e-9)
    many = law.gradient(n, *np.tile(parameters, (2, 1)).T[:, :, np.newaxis])
    np.testing.assert_allclose(many, [gradient] * 2, rtol=1e-12)


def test_known_values() -> None:
    """The USL holds Amdahl's law and that the line; Gustafson's identity S = N - s (N - 1) at N = 1,024."""
    n = np.array([1.0, 3.0, 10.0])
    np.testing.assert_array_equal(usl.throughput(n, 7.0, 0.2, 0.0), amdahl.throughput(n, 7.0, 0.2))
    np.testing.assert_allclose(amdahl.throughput(n, 7.0, 0.0), linear.throughput(n, 7.0), rtol=1e-15)
    assert gustafson.throughput([1024], 1.0, 0.004)[0] == pytest.approx(1019.908, abs=1e-9)
    assert gustafson.throughput([1024], 1.0, 0.008)[0] == pytest.approx(1015.816, abs=1e-9)


def test_what_is_offered() -> None:
    """A law cites its source and needs one level more than parameters; Gustafson's is for weak scaling only."""
    for law in LAWS.values():
        assert law.citation
        assert law.minimum_levels == len(law.lower) + 1 == len(law.upper) + 1 == len(law.parameters) + 1
    assert [offered_laws(n) for n in (2, 3, 8)] == [
        ("linear",), ("linear", "plateau", "amdahl"), ("linear", "plateau", "amdahl", "usl"),
    ]  # fmt: skip
    assert "gustafson" in offered_laws(8, weak=True)
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
    """100 random curves: a search that preferred smooth dips to edges missed 1 to 11 % of the lowest."""
    generator = np.random.default_rng(5)
    for _ in range(100):
        n, x = random_curve(generator, repetitions)
        objective = objective_of(build_curve(n, x, unit="op/sec"), weights)
        lowest = lowest_on_a_grid(objective)
        for bounded in (False, True):
            fit = solve(objective, plateau, bounded=bounded)
            assert fit.converged
            assert fit.sum_of_squares <= lowest * (1 + 1e-6) + objective.negligible


def test_a_wall_on_a_level_is_on_it_exactly() -> None:
    """Not a rounding error below."""
    n = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    objective = objective_of(build_curve(n, 100 * np.minimum(n, 4.0), unit="op/sec"), "relative")
    assert solve(objective, plateau, bounded=True).parameters[1] == 4.0
