"""The plateau's fit: its sum of squares has a dip for each place of the wall, and the lowest is found."""

import numpy as np
import pytest

from benchlib.scaling.curve import build_curve
from benchlib.scaling.laws import plateau
from benchlib.scaling.solver import Objective, Weights, objective_of, solve


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
