"""Fits and what speaks for them, held against other ways to the same numbers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, stats

from benchlib.effects.cells import build_cells
from benchlib.effects.cost_models import fit_cost_model
from benchlib.effects.hypotheses import (
    Columns,
    Hypothesis,
    Observed,
    bic_of,
    fit_hypotheses,
    observe,
    slots_of,
    solve,
    stack_columns,
)
from benchlib.effects.search import assess, error_variance
from benchlib.effects.shapes import TERM_SETS, Term, scale_of
from tests.effects.test_cost_models import table_of

LINE = Hypothesis(structure=((0,),), terms=(Term(power=1.0, log=0),), treatments=())
X = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32])


def observed_line(noise: float = 0.03) -> Observed:
    """Ten levels of a line, five replicates each."""
    return observe(table_of({"x": X}, 2 + 0.5 * X, noise=noise).cells, ["x"], [], "sec")


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


def test_many_columns_are_solved_and_those_that_follow_from_others_are_marked() -> None:
    """Forty columns give back what costs were made of; a column that is the sum of two others leaves no fit."""
    random = np.random.default_rng(4)
    linear = random.uniform(size=(2, 120, 40))
    linear[1, :, 30] = linear[1, :, 3] + linear[1, :, 17]
    made_of = random.uniform(1, 2, 40)
    logs = np.log(np.einsum("fcp,p->fc", linear, made_of))
    solved = solve(Columns(linear=linear, scales=np.empty((2, 120, 0))), logs, np.ones((1, 120)), rounds=30)
    assert solved.coefficients[0] == pytest.approx(made_of, rel=1e-7)
    assert np.isinf(solved.sum_of_squares).tolist() == [False, True]


def described(cells: int, freedom: int, within: float) -> Observed:
    """Cells of which only their number and the scatter of their replicates matter."""
    per_cell = np.full(cells, 1 + freedom / cells)
    return replace(
        observed_line(), logs=np.zeros(cells), counts=per_cell, pure_error=within, pure_freedom=freedom, apart=0
    )


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
    bic = float(bic_of(described(cells, within_freedom, within), np.array(between), 0))
    assert bic + cells + within_freedom == pytest.approx(best, abs=1e-3)


def test_a_cell_set_apart_is_paid_for() -> None:
    """It counts as a coefficient, and as a choice among all cells: twice the logarithm of their number."""
    whole = observed_line()
    rest = whole.without(np.arange(X.size) == 3)
    plain = float(bic_of(whole, np.array(0.01), 3))
    assert float(bic_of(rest, np.array(0.01), 2)) == pytest.approx(plain + 2 * math.log(X.size))


@pytest.mark.parametrize(
    ("cells", "between", "freedom", "pooled"),
    [(25, 0.5, 23, False), (25, 0.005, 23, False), (4, 0.002, 22, True), (4, 0.5, 2, False), (2, 0.0, 20, True)],
)
def test_which_variance_intervals_are_made_of(cells: int, between: float, freedom: int, pooled: bool) -> None:
    """Between cells where there are enough, or where they stray; with that of replicates where neither holds."""
    variance = error_variance(described(cells, 20, 0.05), between, 2)
    assert variance.degrees_of_freedom == freedom
    assert variance.single == pytest.approx((between + 0.05) / freedom if pooled else between / freedom)
    assert (variance.within == variance.single) == pooled


def test_lack_of_fit_is_the_f_test() -> None:
    """Against the textbook sums of squares of a constant, on logarithms by scipy."""
    random = np.random.default_rng(7)
    x = np.repeat([1.0, 2, 4, 8, 16], 4)
    values = np.exp(0.05 * random.standard_normal(20)) * 3
    model = fit_cost_model(build_cells({"x": x.tolist()}, values, unit="sec"))
    assert model.chosen.structure == "constant"
    groups = np.log(values).reshape(5, 4)
    assert model.lack_of_fit == pytest.approx(float(stats.f_oneway(*groups).pvalue), rel=1e-9)


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


def test_terms_are_those_of_their_set_and_grow_with_their_factor() -> None:
    """The standard set has nine terms, the wide one those of Extra-P 4.2.5; at any level they are finite and rise."""
    standard = {(one.power, one.log) for one in TERM_SETS["standard"]}
    assert standard == {(0, 1)} | {(power, log) for power in (0.5, 1, 1.5, 2) for log in (0, 1)}
    assert standard < {(one.power, one.log) for one in TERM_SETS["wide"]}
    assert len({(one.power, one.log) for one in TERM_SETS["wide"]}) == 42
    for levels in ([0, 1, 10, 100], [0.1, 0.5, 0.9], [1, 2, 4]):
        scale = scale_of("x", levels)
        for term in TERM_SETS["wide"]:
            column = scale.column(term, levels)
            assert np.isfinite(column).all()
            assert column.min() >= 0
            assert (np.diff(column) > 0).all()
