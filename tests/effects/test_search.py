"""The search: many factors and levels within bounds, and simulated tables that give back what they were made of.

With 60 tables the standard error of a share of 95 % is 2.8 points, so the quick version allows seven points more on
either side; what it catches is a wrong price, weight or quantile, which costs 5 to 50.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from benchlib.effects.cells import CellTable
from benchlib.effects.cost_models import fit_cost_model
from benchlib.effects.hypotheses import Hypothesis, fit_hypotheses, observe
from benchlib.effects.search import search
from benchlib.effects.shapes import (
    MOST_FACTORS,
    TERM_SETS,
    Shape,
    grow_shapes,
    prices_of,
    shapes_of,
    used_factors,
)
from benchlib.errors import DataError
from tests.effects.simulations import FAR, FIRST, SECOND, Scenario, count, fit_tables, simulate
from tests.effects.test_cost_models import coefficients, grid, numbers, table_of

STANDARD = TERM_SETS["standard"]


def random_rows(factors: int, rows: int, seed: int = 3) -> dict[str, np.ndarray]:
    """Levels 1 to 5 of each factor, drawn for each row: hardly two rows share a slice."""
    drawn = np.random.default_rng(seed).integers(1, 6, (rows, factors))
    return {f"f{place}": drawn[:, place].astype(object) for place in range(factors)}


def test_prices_of_many_factors() -> None:
    """Of twelve factors every choice of up to four is counted: 108 single terms, and products of two to four."""
    prices = prices_of([9] * 12)
    assert prices["one factor"] == pytest.approx(2 * math.log(108))
    products = sum(math.comb(12, used) * 9**used for used in range(2, MOST_FACTORS + 1))
    assert prices["product"] == pytest.approx(2 * math.log(products))


def test_twelve_factors_are_searched() -> None:
    """Three of twelve matter in 600 rows; the others never enter."""
    levels = random_rows(12, 600)
    mean = 1 + 0.5 * numbers(levels, "f0") + 0.3 * numbers(levels, "f1") * numbers(levels, "f2")
    model = fit_cost_model(table_of(levels, mean, noise=0.05, repeats=1))
    found = coefficients(model.chosen)
    assert set(found) == {(), ("f0",), ("f1", "f2")}
    assert found["f0",] == pytest.approx(0.5, rel=0.05)
    assert found["f1", "f2"] == pytest.approx(0.3, rel=0.05)


def test_twelve_factors_of_noise_are_a_constant() -> None:
    model = fit_cost_model(table_of(random_rows(12, 600), np.ones(600), noise=0.05, repeats=1))
    assert model.chosen.structure == "constant"


def test_what_grows_is_what_a_full_list_finds() -> None:
    """Four factors can be listed, with the true terms and two more each: the best of the list is found."""
    cells = grid(a=[1, 2, 4, 8], b=[1, 2, 4, 8], c=[1, 2, 4, 8], d=[1, 2, 4, 8])
    mean = 1 + 0.5 * numbers(cells, "a") * numbers(cells, "b") ** 0.5 + 0.3 * numbers(cells, "d") ** 1.5
    observed = observe(table_of(cells, mean, noise=0.03, repeats=2).cells, list("abcd"), [], "sec")
    prices = prices_of([len(STANDARD)] * 4)
    grown = search(observed, STANDARD)
    few = [tuple(one for one in STANDARD if not one.log and one.power in (0.5, 1.0, 1.5))] * 4
    # A part of the list, so that the test is quick: structures with a part that the truth holds.
    listed = [shape for shape in shapes_of(few) if {(0, 1), (3,)} & set(shape[0])]
    hypotheses = [Hypothesis(structure=structure, terms=terms, treatments=()) for structure, terms in listed]
    best = min(fit_hypotheses(observed, hypotheses, prices), key=lambda one: one.bic)
    assert best.hypothesis.structure == ((3,), (0, 1))
    assert grown[0].hypothesis == best.hypothesis
    assert grown[0].bic == pytest.approx(best.bic)


def test_growing_ends() -> None:
    """However much each step gains, no more than so many shapes are asked for, none of them twice, all well formed."""
    asked: list[Shape] = []

    def fit(shapes: Sequence[Shape]) -> dict[Shape, float]:
        asked.extend(shapes)
        return {one: -float(len(asked) + place) for place, one in enumerate(shapes)}

    grow_shapes(fit, [STANDARD] * 20)
    assert len(asked) == len(set(asked)) <= 4000
    for structure, terms in asked:
        used = used_factors(structure)
        assert len(used) <= MOST_FACTORS
        assert len(set(structure)) == len(structure) <= 3
        assert [place for place, term in enumerate(terms) if term is not None] == list(used)


def words(levels: int) -> CellTable:
    cells = grid(id=[f"u{place}" for place in range(levels)], bits=[1, 2, 3])
    scale = np.array([1 + 0.3 * (int(one[1:]) % 7) for one in cells["id"]])
    return table_of(cells, (1 + numbers(cells, "bits")) * scale, noise=0.02, repeats=1)


def test_thirty_words_have_a_scale_each() -> None:
    """One level more and one coefficient more; the formula writes out the first six."""
    model = fit_cost_model(words(30))
    assert dict(model.chosen.treatments) == {"id": "scale"}
    assert len(model.chosen.scales) == 29
    assert model.chosen.formula.endswith(" and 23 more")
    third = next(one for one in model.chosen.scales if one.level == "u3")
    assert third.estimate.low < 1.9 < third.estimate.high


def test_too_many_words_are_refused() -> None:
    with pytest.raises(DataError) as raised:
        fit_cost_model(words(3000))
    assert str(raised.value) == (
        "a cost model takes up to 100 levels of categories, got 3000: id (3000 levels); name fewer factors, or narrow "
        "to fewer levels"
    )


QUICK, MANY = 60, 1000
TABLES = [QUICK, pytest.param(MANY, marks=pytest.mark.heavy)]


@pytest.mark.parametrize("tables", TABLES)
@pytest.mark.parametrize("structure", ["constant", "additive", "product", "product, each"])
@pytest.mark.parametrize(("noise", "right"), [pytest.param(0.02, 0.98, marks=pytest.mark.heavy), (0.05, 0.90)])
def test_powers_are_recovered(noise: float, right: float, structure: str, tables: int) -> None:
    """Structure and both terms right; the true model listed; predictions at four times the range covered."""
    slack = 0.01 if tables >= MANY else 0.07
    drawn = simulate(Scenario(structure=structure, noise=noise), tables, seed=1)
    found = count(drawn, fit_tables(drawn))
    assert found.recovered >= right - slack
    assert found.listed >= 0.97 - slack
    assert 0.93 - slack <= found.covered <= 0.97 + slack
    assert 0.93 - slack <= found.coefficients <= 0.97 + slack


@pytest.mark.parametrize("runs", [60, pytest.param(1000, marks=pytest.mark.heavy)])
def test_cells_that_stray_are_covered(runs: int) -> None:
    """Cells may differ from any curve by more than replicates tell: intervals of the mean cost hold it all the same."""
    random = np.random.default_rng(8)
    mean = 1 + 0.3 * FIRST + 0.5 * SECOND
    held = []
    for seed in range(runs):
        cells = mean * np.exp(0.03 * random.standard_normal(mean.size))
        model = fit_cost_model(table_of({"x": FIRST, "y": SECOND}, cells, noise=0.01, repeats=5, seed=seed))
        for at in (10, 64):
            estimate = model.predict([{"x": at, "y": at}])[0].estimate
            assert estimate is not None
            held.append(estimate.low <= 1 + 0.8 * at <= estimate.high)
    slack = 0.01 if runs >= 1000 else 0.05
    assert 0.93 - slack <= np.mean(held) <= 0.97 + slack


@pytest.mark.heavy
@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_free_exponents_cover(power: float) -> None:
    """The profile interval of a free exponent holds the true power in 93 to 97 % of tables."""
    x = np.array([1, 2, 4, 8, 16, 32])
    held = asked = 0
    for seed in range(800):
        model = fit_cost_model(table_of({"x": x}, 1 + 0.5 * x**power, noise=0.05, seed=seed))
        if "x" in model.exponents:
            asked += 1
            held += model.exponents["x"].low <= power <= model.exponents["x"].high
    assert asked > 780
    assert 0.93 <= held / asked <= 0.97


def test_tables_are_what_they_say() -> None:
    """Terms raise the fixed cost of 1 two- to 31-fold at the largest levels."""
    drawn = simulate(Scenario(structure="additive", noise=0.0), 50, seed=2)
    corner = drawn.values[:, -1, 0]
    assert corner.min() >= 1 + 2 * 1
    assert corner.max() <= 1 + 2 * 30
    assert FAR == 128
    assert (drawn.far > corner).all()
