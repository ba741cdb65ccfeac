"""Where noise lives: variance within and between the blocks in which values were recorded."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from benchlib.errors import DataError
from benchlib.statistics.noise import NoiseBudget, noise_budget


def recorded(
    rng: np.random.Generator, cells: int, runs: int, values: int, shared: float, own: float, within: float
) -> NoiseBudget:
    """A budget of cells that meet in the same runs."""
    cell, run = (axis.ravel() for axis in np.indices((cells, runs, values))[:2])
    logs = rng.normal(0, shared, runs)[run] + rng.normal(0, own, (cells, runs))[cell, run]
    return noise_budget(np.exp(cell + logs + rng.normal(0, within, cell.size)), cell, {"run": run})


def test_known_dyestuff_components() -> None:
    # Davies' dyestuff: six batches of five; Box and Tiao, Bayesian Inference in Statistical Analysis (1973),
    # table 5.1.2: 1,764 between and 2,451 within, in squared grams. The yields stand in for the logarithms.
    yields = np.array(
        [
            [1545, 1440, 1440, 1520, 1580],
            [1540, 1555, 1490, 1560, 1495],
            [1595, 1550, 1605, 1510, 1560],
            [1445, 1440, 1595, 1465, 1545],
            [1595, 1630, 1515, 1635, 1625],
            [1520, 1455, 1450, 1480, 1445],
        ],
        dtype=float,
    )
    budget = noise_budget(np.exp((yields - 1500) / 100).ravel(), np.zeros(30), {"batch": np.repeat(np.arange(6), 5)})
    assert budget["batch"].sd ** 2 * 100**2 == pytest.approx(1764, rel=1e-3)
    assert budget["value"].sd ** 2 * 100**2 == pytest.approx(2451, rel=1e-3)
    # The F ratio is 11,271.5 over 2,451.25 on 5 and 24 degrees of freedom.
    assert budget["batch"].pvalue == pytest.approx(float(stats.f.sf(11271.5 / 2451.25, 5, 24)), rel=1e-3)
    assert math.isnan(budget["batch"].shared)  # one cell alone shares nothing


def test_intervals_hold_what_they_promise() -> None:
    rng = np.random.default_rng(20261125)
    budgets = [recorded(rng, 6, 8, 3, 0.03, 0.01, 0.008) for _ in range(300)]
    truth = math.hypot(0.03, 0.01)
    assert 0.90 < np.mean([part.low <= truth <= part.high for part in (b["run"] for b in budgets)]) < 0.985
    assert np.sqrt(np.mean([b["run"].shared ** 2 for b in budgets])) == pytest.approx(0.03, rel=0.1)


def test_more_values_of_a_noisy_run_add_nothing_and_more_runs_do() -> None:
    budget = recorded(np.random.default_rng(1), 4, 6, 5, 0.03, 0.0, 0.008)
    assert budget.error({"value": 500}) == pytest.approx(budget.error(), rel=0.03)
    assert budget.error({"run": 24}) == pytest.approx(budget.error() / 2, rel=1e-9)


def test_levels_nest() -> None:
    rng = np.random.default_rng(3)
    day, run, _ = (axis.ravel() for axis in np.indices((40, 5, 4)))
    logs = rng.normal(0, 0.05, 40)[day] + rng.normal(0, 0.02, (40, 5))[day, run] + rng.normal(0, 0.01, day.size)
    budget = noise_budget(np.exp(logs), np.zeros(day.size), {"day": day, "run": run})
    assert [part.name for part in budget.parts] == ["day", "run", "value"]
    assert [part.sd for part in budget.parts] == pytest.approx([0.05, 0.02, 0.01], rel=0.25)
    assert budget["run"].units == 200


def test_equal_values_have_no_noise() -> None:
    budget = noise_budget([5.0] * 6, [0] * 6, {"run": [0, 0, 1, 1, 2, 2]})
    assert [part.sd for part in budget.parts] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, 2.0], "nothing was measured twice, so that its noise is unknown; repeat each cell"),
        ([1.0, 0.0], "noise is told in percent, for which every value has to be above 0"),
    ],
)
def test_what_carries_no_budget(values: list[float], message: str) -> None:
    with pytest.raises(DataError) as refused:
        noise_budget(values, [0, 1], {"run": [0, 0]})
    assert str(refused.value) == message
