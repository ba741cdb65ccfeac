"""Fits, criteria and the batch, held against other ways to the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from benchlib.effects.cells import build_cells
from benchlib.effects.models.batch import fit_cost_models
from benchlib.effects.models.criteria import choose, information_criterion, variance_between
from benchlib.effects.models.designs import Columns
from benchlib.effects.models.fitting import solve, solve_small
from benchlib.effects.models.model import fit_cost_model
from benchlib.effects.models.terms import TERM_SETS, scale_of
from benchlib.errors import DataError
from tests.effects.models.simulations import FIRST, SECOND, Scenario, search, simulate


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


@pytest.mark.parametrize("structure", ["constant", "additive", "product"])
def test_the_batch_finds_what_the_single_search_finds(structure: str) -> None:
    """One linear step about the best of them loses no hypothesis that matters."""
    tables = simulate(Scenario(structure=structure, noise=0.05), 12, seed=3)
    batch = search(tables)
    for place, values in enumerate(tables.values):
        columns = {"x": np.repeat(FIRST, 5).tolist(), "y": np.repeat(SECOND, 5).tolist()}
        single = fit_cost_model(build_cells(columns, values.ravel(), unit="sec"))
        chosen = batch.chosen[place]
        width = len(single.chosen.terms)
        ours = [one.estimate.value for one in single.chosen.terms]
        assert batch.coefficients[place, chosen, :width].tolist() == pytest.approx(ours, rel=1e-5)
        assert batch.bic[place, chosen] == pytest.approx(single.chosen.bic, abs=1e-5)
        errors = [one.estimate.standard_error for one in single.chosen.terms]
        assert batch.standard_errors[place, chosen, :width].tolist() == pytest.approx(errors, rel=1e-4)
        near = int((batch.bic[place] <= batch.bic[place, 0] + 6).sum())
        assert near == min(len(single.rivals), batch.bic.shape[1])
        averaged = single.predict([{"x": 50, "y": 20}])[0].estimate
        assert averaged is not None
        cost, low, high = (float(one[place, 0]) for one in batch.predict({"x": [50.0], "y": [20.0]}))
        assert (cost, low, high) == pytest.approx((averaged.value, averaged.low, averaged.high), rel=1e-4)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.ones((2, 3)), "values have the shape (2, 3); wanted (tables, 3 cells, replicates)"),
        (np.zeros((1, 3, 2)), "values hold 0.0, 0.0, 0.0 and 3 more; a cost model needs finite costs above 0"),
        (np.ones((0, 3, 2)), "3 cells in 0 tables; a search needs 3 cells and 1 table at least"),
    ],
)
def test_batches_that_mean_nothing(values: np.ndarray, message: str) -> None:
    with pytest.raises(DataError) as raised:
        fit_cost_models({"x": [1, 2, 3]}, values)
    assert str(raised.value) == message


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


@pytest.mark.parametrize("runs", [300, pytest.param(3000, marks=pytest.mark.heavy)])
@pytest.mark.parametrize("stray", [0.0, 0.03])
def test_cells_that_stray_are_covered(stray: float, runs: int) -> None:
    """Cells may differ from any curve by more than replicates tell: intervals of the mean cost hold it all the same."""
    random = np.random.default_rng(8)
    mean = 1 + 0.3 * FIRST + 0.5 * SECOND
    cells = stray * random.standard_normal((runs, mean.size, 1))
    values = mean[None, :, None] * np.exp(cells + 0.01 * random.standard_normal((runs, mean.size, 5)))
    found = fit_cost_models({"x": FIRST, "y": SECOND}, values)
    _, low, high = found.predict({"x": [10, 64], "y": [10, 64]})
    truth = 1 + 0.8 * np.array([10, 64])
    slack = 0.0 if runs >= 3000 else 0.03
    for share in ((low <= truth) & (truth <= high)).mean(axis=0):
        assert 0.93 - slack <= share <= 0.97 + slack
