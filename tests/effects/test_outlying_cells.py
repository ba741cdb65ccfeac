"""Cells set apart: real ones are found, an end of a curve is none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from benchlib.effects.outlying_cells import set_apart

Law = Callable[[np.ndarray], np.ndarray]

CURVES: dict[str, Law] = {
    "x log(1 + x)": lambda x: x * np.log2(1 + x),
    "1 + x log(1 + x)": lambda x: 1 + x * np.log2(1 + x),
    "x^1.3": lambda x: x**1.3,
    "x^1.5": lambda x: x**1.5,
    "0.2 + x^1.5": lambda x: 0.2 + x**1.5,
    "x^1.5 log(1 + x)": lambda x: x**1.5 * np.log2(1 + x),
    "x^2": lambda x: x**2,
    "x + 0.3 x^2": lambda x: x + 0.3 * x**2,
    "x^2.5": lambda x: x**2.5,
    "1 + log x": lambda x: 1 + np.log2(x),
    "x^0.8 - 0.6": lambda x: x**0.8 - 0.6,
    "e^0.3x": lambda x: np.exp(0.3 * x),
}
LEVELS = (range(1, 6), range(1, 7), range(1, 9), range(1, 13), range(1, 21), (1, 2, 3, 4, 6, 8, 12, 16))


def share_apart(factors: np.ndarray, costs: np.ndarray, noise: float, rounds: int) -> float:
    """In which share of noisy tables of these costs any cell is set apart."""
    random = np.random.default_rng(5)
    return (
        sum(bool(set_apart(factors, costs * random.lognormal(0, noise, costs.size))[0].any()) for _ in range(rounds))
        / rounds
    )


def grid(*levels: tuple[int, ...]) -> np.ndarray:
    return np.array(np.meshgrid(*levels, indexing="ij"), dtype=float).reshape(len(levels), -1).T


@pytest.mark.parametrize("noise", [0.02, 0.05])
@pytest.mark.parametrize("name", ["x log(1 + x)", "x^1.5", "x^2"])
def test_an_end_of_a_curve_is_not_special(name: str, noise: float) -> None:
    """12 and 20 levels of a smooth cost, 40 tables each: none has a cell set apart."""
    for count in (12, 20):
        levels = np.arange(1.0, count + 1)
        assert share_apart(levels[:, None], CURVES[name](levels), noise, 40) == 0


@pytest.mark.heavy
@pytest.mark.parametrize("noise", [0.02, 0.05])
@pytest.mark.parametrize("name", CURVES)
def test_an_end_of_a_curve_is_not_special_at_length(name: str, noise: float) -> None:
    """Every curve at six sets of levels, 400 tables each: a cell is set apart in less than 2 % of any set."""
    for levels in (np.array(one, dtype=float) for one in LEVELS):
        assert share_apart(levels[:, None], CURVES[name](levels), noise, 400) < 0.02


@pytest.mark.parametrize("rounds", [60, pytest.param(1000, marks=pytest.mark.heavy)])
@pytest.mark.parametrize("noise", [0.02, 0.05])
def test_additive_tables_have_no_special_cell(noise: float, rounds: int) -> None:
    """One factor and two: none at all."""
    levels, both = np.arange(1.0, 9.0), grid((1, 2, 3, 4), (1, 2, 4, 8))
    assert share_apart(levels[:, None], 5 + 3 * levels, noise, rounds) == 0
    assert share_apart(both, 1 + both @ [0.5, 3.0], noise, rounds) == 0


@pytest.mark.parametrize("noise", [0.02, 0.05])
def test_two_factors_that_curve_or_multiply(noise: float) -> None:
    """A curve in one of two factors, their product, or powers of both: no cell is set apart."""
    both = grid((1, 2, 3, 4), (1, 2, 4, 8))
    first, second = both.T
    for costs in (
        first + second * np.log2(1 + second),
        first**2 + second,
        first * second,
        (first * second) ** 1.5,
        first**2 * second,
    ):
        assert share_apart(both, costs, noise, 40) == 0


@pytest.mark.parametrize("factor", [0.05, 0.2, 5.0, 20.0])
@pytest.mark.parametrize("count", [5, 6, 8, 12])
def test_a_special_cell_is_found_wherever_it_is(count: int, factor: float) -> None:
    """One cell of a line off by 5 or 20 times at 1 % noise, at either end or between: found in every table."""
    levels = np.arange(1.0, count + 1)
    random = np.random.default_rng(3)
    for place in (0, count // 2, count - 1):
        for _ in range(5):
            costs = 3 * levels * random.lognormal(0, 0.01, count)
            costs[place] *= factor
            assert np.flatnonzero(set_apart(levels[:, None], costs)[0]).tolist() == [place]


def test_a_special_cell_of_a_curve() -> None:
    """Of x log(1 + x) with one cell 20 times too high, that cell alone is special, and held against the curve.

    An additive model would set the first cell apart as well.
    """
    levels = np.arange(1.0, 21.0)
    curve = CURVES["x log(1 + x)"](levels)
    costs = curve * np.random.default_rng(0).lognormal(0, 0.02, 20)
    costs[11] *= 20
    special, expected = set_apart(levels[:, None], costs)
    assert np.flatnonzero(special).tolist() == [11]
    assert expected[11] == pytest.approx(curve[11], rel=0.02)


def test_nothing_depends_on_units() -> None:
    """Costs and levels in other units, to 1e300: the same cells, the same expectation."""
    levels = np.arange(1.0, 9.0)
    costs = (5 + 3 * levels) * np.random.default_rng(2).lognormal(0, 0.02, 8)
    costs[0] /= 30
    special, expected = set_apart(levels[:, None], costs)
    assert np.flatnonzero(special).tolist() == [0]
    for of_cost in (1e9, 1e300, 1e-300):
        other, its = set_apart(levels[:, None], costs * of_cost)
        assert (other == special).all()
        assert its / of_cost == pytest.approx(expected, rel=1e-9)


def test_a_cell_far_above_is_special_too() -> None:
    """The rule works both ways."""
    outputs = np.arange(1.0, 9.0)[:, None]
    costs = 10.0 * outputs[:, 0] * np.array([1, 1.01, 0.99, 20.0, 1.01, 1.0, 0.99, 1.0])
    special, expected = set_apart(outputs, costs)
    assert special.tolist() == [False, False, False, True, False, False, False, False]
    assert expected[3] == pytest.approx(40.0, rel=0.02)


def test_scatter_alone_makes_no_cell_special() -> None:
    """A cell off by a factor of 4 among cells that scatter as much is not special: 5 deviations are asked."""
    outputs = np.arange(1.0, 9.0)[:, None]
    costs = 10.0 * outputs[:, 0] * np.array([0.5, 2.0, 0.4, 2.5, 0.25, 1.8, 2.2, 0.6])
    assert not set_apart(outputs, costs)[0].any()


def test_more_than_a_quarter_is_not_special() -> None:
    """Three odd cells of ten say that the model is wrong, not the cells; two are set apart."""
    outputs = np.arange(1.0, 11.0)[:, None]
    costs = 10.0 * outputs[:, 0] * np.array([1, 1.001, 0.999, 1, 1.001, 1, 0.999, 1, 1.001, 1])
    costs[1], costs[4] = costs[1] * 300, costs[4] * 30
    assert np.flatnonzero(set_apart(outputs, costs)[0]).tolist() == [1, 4]
    low = costs.copy()
    low[[1, 4]] = 0.2
    assert np.flatnonzero(set_apart(outputs, low)[0]).tolist() == [1, 4]
    costs[8] = costs[8] * 3000
    assert not set_apart(outputs, costs)[0].any()


def test_too_few_cells_to_set_one_apart() -> None:
    """With no cell to spare nothing is called special, however odd."""
    special, _ = set_apart(np.array([[1.0], [2.0], [3.0]]), np.array([0.1, 20.0, 30.0]))
    assert not special.any()
    subscribers = np.array([[0.0], [1.0], [10.0], [100.0]])
    special, _ = set_apart(subscribers, np.array([0.1, 20.0, 110.0, 1010.0]))
    assert not special.any()
