"""Many factors and many levels: searched within bounds, or refused in a line."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from benchlib.effects.cells import CellTable, build_cells
from benchlib.effects.cost_models import fit_cost_model
from benchlib.effects.hypotheses import observe
from benchlib.effects.hypotheses import Hypothesis
from benchlib.effects.UNKNOWN import solve_small
from benchlib.effects.UNKNOWN import MOST_SHAPES
from benchlib.effects.shapes import grow_shapes
from benchlib.effects.hypotheses import fit_hypotheses
from benchlib.effects.UNKNOWN import possible_terms
from benchlib.effects.shapes import Shape, shapes_of
from benchlib.effects.UNKNOWN import structures_of
from benchlib.effects.shapes import MOST_FACTORS, prices_of, used_factors, word_of
from benchlib.effects.search import search
from benchlib.effects.shapes import TERM_SETS
from benchlib.errors import DataError
from tests.effects.models.test_model import coefficients, grid, numbers, table_of

STANDARD = TERM_SETS["standard"]


def random_rows(factors: int, rows: int, seed: int = 3) -> dict[str, np.ndarray]:
    """Levels 1 to 5 of each factor, drawn for each row: hardly two rows share a slice."""
    drawn = np.random.default_rng(seed).integers(1, 6, (rows, factors))
    return {f"f{place}": drawn[:, place].astype(object) for place in range(factors)}


def test_prices_count_every_hypothesis() -> None:
    """The number of a kind is that of a full list, for as many factors as can be listed."""
    for terms in ([9], [9, 1], [9, 11, 3], [2, 9, 1, 4]):
        listed: dict[str, int] = {}
        for structure in structures_of(range(len(terms))):
            kind = word_of(structure)
            listed[kind] = listed.get(kind, 0) + math.prod(terms[factor] for factor in used_factors(structure))
        assert dict(prices_of(terms)) == pytest.approx({kind: 2 * math.log(number) for kind, number in listed.items()})


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
    prices = prices_of([len(one) for one in possible_terms(observed, STANDARD)])
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
    assert len(asked) == len(set(asked)) <= MOST_SHAPES
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


def test_wide_systems_are_solved() -> None:
    """Against numpy, and with a column that follows from two others."""
    random = np.random.default_rng(4)
    columns = random.normal(size=(2, 120, 40))
    columns[1, :, 30] = columns[1, :, 3] + columns[1, :, 17]
    matrices, targets = columns.swapaxes(1, 2) @ columns, random.normal(size=(2, 40))
    solutions, singular = solve_small(matrices, targets)
    assert singular.tolist() == [False, True]
    assert solutions[0] == pytest.approx(np.linalg.solve(matrices[0], targets[0]), rel=1e-8)


def test_next_cells_of_many_categories() -> None:
    """Fifteen switches have 32,768 combinations: those without effect stand still, the advice is about the rest."""
    random = np.random.default_rng(9)
    switches = random.integers(0, 2, (300, 15)) == 1
    x = random.choice([1, 2, 3], 300)
    columns: dict[str, object] = {
        f"s{place}": np.where(switches[:, place], "on", "off").tolist() for place in range(15)
    }
    values = (1 + x) * np.exp(0.03 * random.standard_normal(300))
    model = fit_cost_model(build_cells({**columns, "x": x.tolist()}, values, unit="sec"))  # type: ignore[dict-item]
    assert {factor for term in model.chosen.terms for factor in term.factors} == {"x"}
    found = model.next_cells()
    assert found
    assert all(one.chosen.value != pytest.approx(one.rival.value, rel=0.01) for one in found)
