"""Special cells, leave-one-out errors, free exponents and next cells, each against its own definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, stats

from benchlib.effects.cells import build_cells
from benchlib.effects.cost_models import fit_cost_model
from benchlib.effects.hypotheses import Observed, observe
from benchlib.effects.hypotheses import assess
from benchlib.effects.UNKNOWN import information_criterion
from benchlib.effects.hypotheses import bic_of
from benchlib.effects.hypotheses import Columns, Hypothesis, slots_of, stack_columns
from benchlib.effects.hypotheses import solve
from benchlib.effects.hypotheses import fit_hypotheses
from benchlib.effects.shapes import Term
from tests.effects.models.test_model import grid, numbers, table_of

LINE = Hypothesis(structure=((0,),), terms=(Term(power=1.0, log=0),), treatments=())
X = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32])


def observed_line(noise: float = 0.03) -> Observed:
    return observe(table_of({"x": X}, 2 + 0.5 * X, noise=noise).cells, ["x"], [], "sec")


@pytest.mark.parametrize(("off", "special"), [(2.0, False), (4.0, True), (0.5, False), (0.25, True)])
def test_a_special_cell_is_off_by_more_than_a_factor_of_three(off: float, special: bool) -> None:
    """However quiet the data, a cell twice as dear is a reason to look at the model, not to set the cell apart."""
    cells = grid(x=[1, 2, 4, 8], y=[1, 2, 4, 8])
    mean = 1 + numbers(cells, "x") + 0.3 * numbers(cells, "x") * numbers(cells, "y")
    mean[6] *= off
    model = fit_cost_model(table_of(cells, mean, noise=0.01))
    assert [dict(one.levels) for one in model.special_cells] == ([{"x": 2, "y": 4}] if special else [])


def test_noise_alone_makes_no_cell_special() -> None:
    """Costs off by a factor of three in data that scatter as much are no special cells."""
    for seed in range(5):
        table = table_of({"x": X}, 2 + 0.5 * X, noise=1.0, repeats=2, seed=seed)
        assert fit_cost_model(table).special_cells == ()


def test_a_cell_set_apart_is_paid_for() -> None:
    """It counts as a coefficient, and as a choice among all cells: twice the logarithm of their number."""
    whole = observed_line()
    rest = whole.without(np.arange(X.size) == 3)
    plain = information_criterion(np.array(0.01), whole.pure_error, X.size, whole.pure_freedom, 3)
    assert float(bic_of(rest, np.array(0.01), 2)) == pytest.approx(float(plain) + 2 * math.log(X.size))
    assert float(bic_of(whole, np.array(0.01), 3)) == pytest.approx(float(plain))


def test_left_out_residuals_are_those_of_fits_without_the_cell() -> None:
    """The hat matrix of the linearised model against one fit for each cell, that cell weighing nothing."""
    observed = observed_line()
    (fitted,) = fit_hypotheses(observed, [LINE], {"one factor": 0.0})
    columns = stack_columns([(LINE, slots_of(LINE, observed.space))], observed.space)
    counts = np.where(np.eye(X.size, dtype=bool), 0.0, observed.counts)
    every = Columns(linear=np.repeat(columns.linear, X.size, axis=0), scales=np.repeat(columns.scales, X.size, axis=0))
    solved = solve(every, observed.logs[None], counts, rounds=30)
    without = observed.logs - np.log(np.einsum("cp,cp->c", columns.linear[0], solved.coefficients))
    assert assess(fitted, observed).left_out_residuals == pytest.approx(without, rel=0.05, abs=1e-4)


def test_a_free_exponent_and_its_interval() -> None:
    """Against scipy's fit of c + a x^b to the means of cells, whose interval is as good as the profile's here."""
    model = fit_cost_model(table_of({"x": X}, 2 + 0.5 * X, noise=0.02, repeats=6))
    table = table_of({"x": X}, 2 + 0.5 * X, noise=0.02, repeats=6)
    means = np.array([np.mean(np.log(cell.values)) for cell in table.cells])

    def curve(x: np.ndarray, fixed: float, slope: float, power: float) -> np.ndarray:
        return np.log(fixed + slope * x**power)

    best, covariance = optimize.curve_fit(curve, X.astype(float), means, [2.0, 0.5, 1.0])
    reach = float(stats.t.ppf(0.975, X.size - 3)) * math.sqrt(covariance[2, 2])
    found = model.exponents["x"]
    assert found.value == pytest.approx(best[2], abs=2e-3)
    assert found.high - found.low == pytest.approx(2 * reach, rel=0.05)
    assert found.low < 1 < found.high


def test_many_cells_have_the_same_exponents() -> None:
    """Beyond the cells that are searched one by one, steps along the slope end where the profile does."""
    cells = grid(x=list(range(1, 41)), y=list(range(1, 41)))
    mean = 1 + 0.2 * numbers(cells, "x") + 0.05 * numbers(cells, "y") ** 1.5
    model = fit_cost_model(table_of(cells, mean, noise=0.05, repeats=2))
    assert model.chosen.structure == "additive"
    for factor, power in (("x", 1.0), ("y", 1.5)):
        found = model.exponents[factor]
        assert found.low < power < found.high
        assert found.high - found.low < 0.1


def test_repetitions_of_the_next_cell() -> None:
    """The mean of so many measurements lies further from one model than its own error and the prediction's allow."""
    model = fit_cost_model(table_of({"x": X[:6]}, 1 + X[:6] ** 0.5, noise=0.1, repeats=30, seed=3))
    cells = model.next_cells(20)
    assert cells
    chosen, rival = model._basis.rivals[0].variance, model._basis.rivals[cells[0].rival_place].variance
    z = float(stats.norm.ppf(0.975))
    for one in cells:
        apart = abs(math.log(one.chosen.value / one.rival.value))
        error = max(part.standard_error / part.value for part in (one.chosen, one.rival))
        known = error**2 + max(chosen.own, rival.own)
        noise = max(chosen.within, rival.within)
        assert apart >= z * math.sqrt(known + noise / one.repetitions)
        assert one.repetitions == 1 or apart < z * math.sqrt(known + noise / (one.repetitions - 1))
    assert max(one.repetitions for one in cells) > 1


def test_replicates_that_never_differ() -> None:
    """They leave no scatter: the model is exact and nothing divides by zero."""
    x = np.repeat([1, 2, 4, 8, 16], 3)
    model = fit_cost_model(build_cells({"x": x.tolist()}, 100.0 * x, unit="B/op"))
    assert model.lack_of_fit == 1.0
    assert model.exponents["x"].value == pytest.approx(1.0, abs=1e-6)
