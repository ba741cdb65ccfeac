"""Fits and criteria, held against other ways to the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from benchlib.effects.cells import build_cells
from benchlib.effects.cost_models import fit_cost_model
from benchlib.effects.UNKNOWN import choose, information_criterion, variance_between
from benchlib.effects.hypotheses import Columns
from benchlib.effects.UNKNOWN import solve_small
from benchlib.effects.hypotheses import solve
from benchlib.effects.shapes import TERM_SETS, scale_of


def test_fits_equal_scipy() -> None:
    """Gauss-Newton steps end where scipy's least squares on logarithms does."""
    random = np.random.default_rng(1)
    x, y = np.tile([1.0, 2, 4, 8], 4), np.repeat([1.0, 3, 9, 27], 4)
    linear = np.column_stack([np.ones(16), x, y * x])
    counts = random.integers(1, 9, 16).astype(float)
    logs = np.log(linear @ [3.0, 0.5, 0.02] * np.where(y > 3, 1.7, 1.0)) + 0.1 * random.standard_normal(16)
    scales = (y > 3).astype(float)[:, None]
    solved = solve(Columns(linear=linear[None], scales=scales[None]), logs[None], counts[None], rounds=30)

    def residuals(parameters: np.ndarray) -> np.ndarray:
        return np.sqrt(counts) * (logs - np.log(linear @ parameters[:3]) - scales @ parameters[3:])

    best = optimize.least_squares(residuals, [3.0, 0.5, 0.02, 0.5], xtol=1e-15, ftol=1e-15, gtol=1e-15)
    assert np.append(solved.coefficients[0], solved.scales[0]) == pytest.approx(best.x, rel=1e-6)
    assert solved.sum_of_squares[0] == pytest.approx(2 * best.cost, rel=1e-9)


def test_columns_that_follow_from_each_other_are_found() -> None:
    matrix = np.array([[4.0, 2.0, 6.0], [2.0, 3.0, 5.0], [6.0, 5.0, 11.0]])
    solution, singular = solve_small(matrix, np.array([1.0, 2.0, 3.0]))
    assert bool(singular)
    assert np.isfinite(solution).all()


@pytest.mark.parametrize("between", [0.001, 0.02, 0.5])
def test_the_criterion_is_the_likelihood_at_its_maximum(between: float) -> None:
    """Twice the log-likelihood of cells that stray and replicates that scatter, maximised by brute force."""
    cells, within_freedom, within, replicates = 12, 48, 0.08, 5

    def deviance(parameters: np.ndarray) -> float:
        noise, stray = np.exp(parameters)
        cell = noise + replicates * stray
        return float(within_freedom * np.log(noise) + within / noise + cells * np.log(cell) + between / cell)

    starts = [np.log([within / 48, one]) for one in (1e-9, 1e-4, 1e-2)]
    bounds = [(-20.0, 5.0), (-40.0, 5.0)]
    best = min(optimize.minimize(deviance, one, bounds=bounds, options={"ftol": 1e-14}).fun for one in starts)
    ours = float(information_criterion(np.array(between), within, cells, within_freedom, 0)) + cells + within_freedom
    assert ours == pytest.approx(best, abs=1e-3)


def test_fewest_coefficients_among_the_close() -> None:
    assert choose(np.array([0.0, 1.9, 2.1]), np.array([3, 2, 1])) == 1
    assert choose(np.array([0.0, 1.9, 1.5]), np.array([3, 2, 2])) == 2


def test_terms_are_those_of_their_set() -> None:
    """The standard set has nine terms; the wide one those of Extra-P 4.2.5, a power of at most 3."""
    standard = {(one.power, one.log) for one in TERM_SETS["standard"]}
    assert standard == {(0, 1)} | {(power, log) for power in (0.5, 1, 1.5, 2) for log in (0, 1)}
    assert standard < {(one.power, one.log) for one in TERM_SETS["wide"]}
    assert len({(one.power, one.log) for one in TERM_SETS["wide"]}) == 42


def test_terms_grow_with_their_factor() -> None:
    """At levels of 0, fractions, 1 and more each term stays finite, at least 0, and never falls."""
    for levels in ([0, 1, 10, 100], [0.1, 0.5, 0.9], [1, 2, 4]):
        scale = scale_of("x", levels)
        for term in TERM_SETS["wide"]:
            column = scale.column(term, levels)
            assert np.isfinite(column).all()
            assert column.min() >= 0
            assert (np.diff(column) > 0).all()


def test_lack_of_fit_is_the_f_test() -> None:
    """Against the textbook sums of squares of a straight line in one factor, on logarithms by scipy."""
    random = np.random.default_rng(7)
    x = np.repeat([1.0, 2, 4, 8, 16], 4)
    values = np.exp(0.05 * random.standard_normal(20)) * 3
    model = fit_cost_model(build_cells({"x": x.tolist()}, values, unit="sec"))
    assert model.chosen.structure == "constant"
    groups = np.log(values).reshape(5, 4)
    assert model.lack_of_fit == pytest.approx(float(stats.f_oneway(*groups).pvalue), rel=1e-9)


@pytest.mark.parametrize(
    ("cells", "between", "freedom", "pooled"),
    [(25, 0.5, 23, False), (25, 0.005, 23, False), (4, 0.002, 22, True), (4, 0.5, 2, False), (2, 0.0, 20, True)],
)
def test_which_variance_intervals_are_made_of(cells: int, between: float, freedom: int, pooled: bool) -> None:
    """Between cells where there are enough, or where they stray; with that of replicates where neither holds."""
    single, found, together = variance_between(np.array(between), 0.05, cells, 20, 2)
    assert (int(found), bool(together)) == (freedom, pooled)
    assert float(single) == pytest.approx((between + 0.05) / freedom if pooled else between / freedom)
