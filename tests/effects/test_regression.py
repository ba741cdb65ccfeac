"""Coefficients and errors are those of statsmodels, where it can fit the same model."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

from benchlib.effects.additive import fit_additive
from benchlib.effects.cells import CellTable, build_cells
from benchlib.effects.cost_models import fit_cost_model


def measured(seed: int, replicates: int = 3) -> CellTable:
    """Costs of 4 x 3 x 2 cells with 3 % noise."""
    generator = np.random.default_rng(seed)
    rows = [
        (inputs, outputs, curve, (2 + 0.3 * inputs + 5 * outputs) * (1.4 if curve == "b" else 1))
        for inputs in (1, 2, 4, 8)
        for outputs in (1, 2, 3)
        for curve in ("a", "b")
        for _ in range(replicates)
    ]
    costs = np.array([row[3] for row in rows]) * np.exp(0.03 * generator.standard_normal(len(rows)))
    factors = {name: [row[place] for row in rows] for place, name in enumerate(("inputs", "outputs", "curve"))}
    return build_cells(factors, costs, unit="sec/op")


@pytest.mark.parametrize("seed", range(5))
def test_slopes_are_weighted_least_squares(seed: int) -> None:
    """`fit_additive` against WLS with its own last weights: coefficients, errors, covariance to 1e-8."""
    generator = np.random.default_rng(seed)
    factors = generator.integers(0, 9, (20, 2)).astype(float)
    costs = (3 + factors @ [0.4, 7.0]) * np.exp(0.05 * generator.standard_normal(20))
    fit = fit_additive(factors, costs)
    known = sm.WLS(costs, sm.add_constant(factors), weights=fit.weights).fit()
    assert fit.coefficients == pytest.approx(known.params, rel=1e-8)
    assert fit.standard_errors == pytest.approx(known.bse, rel=1e-8)
    assert fit.covariance * fit.size**2 == pytest.approx(known.cov_params(), rel=1e-8)
    reach = fit.coefficients + np.outer([-1, 1], fit.reach(0.9))
    assert pytest.approx(known.conf_int(0.1), rel=1e-8) == reach.T


def test_a_model_of_categories_is_least_squares_on_logarithms() -> None:
    """Where only categories scale a cost, its logarithm is linear: the factors of OLS on the cells' means."""
    generator = np.random.default_rng(8)
    rows = [(bits, curve) for bits in ("32", "64", "128") for curve in ("a", "b", "c", "d") for _ in range(4)]
    costs = np.array([{"32": 1.0, "64": 2.0, "128": 4.1}[bits] * (1 + ord(curve) % 7) for bits, curve in rows])
    costs *= np.exp(0.02 * generator.standard_normal(len(rows)))
    table = build_cells({"bits": [row[0] for row in rows], "curve": [row[1] for row in rows]}, costs, unit="sec/op")
    model = fit_cost_model(table)
    # Without numbers a fixed cost for each level and a scale for each level are one and the same.
    assert set(model.chosen.treatments.values()) <= {"shift", "scale"}
    y = np.array([np.mean(np.log(cell.values)) for cell in table.cells])
    names = [(factor, level) for factor, levels in table.factors.items() for level in levels[1:]]
    columns = [[float(cell.levels[factor] == level) for cell in table.cells] for factor, level in names]
    known = sm.OLS(y, sm.add_constant(np.array(columns).T)).fit()
    fixed = {tuple(one.slice.items()): one.estimate.value for one in model.chosen.terms}
    scales = {(one.factor, one.level): one.estimate.value for one in model.chosen.scales}
    for cell, fitted in zip(table.cells, known.fittedvalues, strict=True):
        (own,) = [value for place, value in fixed.items() if set(place) <= set(cell.levels.items())]
        scaled = np.prod([scales.get(place, 1.0) for place in cell.levels.items()])
        assert np.log(own * scaled) == pytest.approx(fitted, abs=1e-8)
