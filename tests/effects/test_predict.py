"""Predictions: averaged, bounded, and refused in words; the next cells to measure."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from benchlib.effects.cells import Level, build_cells
from benchlib.effects.cost_models import CostModel, fit_cost_model
from benchlib.errors import DataError, SelectionError
from tests.effects.test_cost_models import grid, numbers, table_of
from tests.effects.test_plain_effects import EXTRACT, transfer_cells


@pytest.fixture(scope="module")
def model() -> CostModel:
    cells = grid(bits=[32, 64], curve=["A", "B"], outputs=[1, 2, 4, 8])
    scale = np.where(cells["bits"] == 64, 2.0, 1.0) * np.where(cells["curve"] == "B", 1.6, 1.0)
    return fit_cost_model(table_of(cells, (0.5 + numbers(cells, "outputs")) * scale, noise=0.02))


def test_inside_beyond_and_far_beyond(model: CostModel) -> None:
    """Inside without a caveat, up to twice the range with one, further only when it is meant."""
    inside, beyond, far = model.predict([{"bits": 64, "curve": "B", "outputs": n} for n in (3, 16, 17)])
    assert inside.estimate is not None
    assert inside.estimate.low < 3.5 * 3.2 < inside.estimate.high
    assert inside.estimate.unit == "sec/op"
    assert inside.caveats == ()
    assert [one.message for one in beyond.caveats] == [
        "outputs = 16 (measured from 1 to 8) lies outside the measured range"
    ]
    assert beyond.estimate is not None
    assert far.estimate is far.new_value is None
    assert far.refusal == (
        "outputs = 17 (measured from 1 to 8) lies beyond twice the measured range; measure there, or ask to extrapolate"
    )
    (meant,) = model.predict([{"bits": 64, "curve": "B", "outputs": 17}], extrapolate=True)
    assert meant.estimate is not None
    assert [one.code for one in meant.caveats] == ["far-beyond-range"]


@pytest.mark.parametrize(
    ("levels", "lowest", "below"),
    [([1, 2, 3, 4, 5, 6], 0, None), ([4, 5, 6], 2, 1.9), ([100, 105, 110], 50, 49), ([10, 12, 16], 4, 3.9)],
)
def test_how_far_down_is_answered(levels: list[int], lowest: float, below: float | None) -> None:
    """To half the smallest level, and as far below it as the measured range reaches above it, down to 0."""
    model = fit_cost_model(table_of({"x": levels}, 10 + 5 * np.array(levels), noise=0.001))
    (one,) = model.predict([{"x": lowest}])
    assert one.estimate is not None
    assert [found.code for found in one.caveats] == ["beyond-range"]
    if lowest == 0:
        assert one.estimate.low < 10 < one.estimate.high
    if below is not None:
        (refused,) = model.predict([{"x": below}])
        assert "lies beyond twice the measured range" in refused.refusal


@pytest.mark.parametrize(
    ("power", "cost"), [("log2", lambda x: 20 + 5 * np.log2(x)), ("inverse", lambda x: 20 + 50 / x)]
)
def test_a_term_without_a_value_at_zero(power: str, cost: object) -> None:
    """A logarithm and an inverse power have no value at 0, and the refusal says so."""
    levels = np.array([1, 2, 4, 8, 16])
    model = fit_cost_model(table_of({"x": levels}, cost(levels), noise=0.001))  # type: ignore[operator]
    (one,) = model.predict([{"x": 0}])
    assert one.estimate is None
    assert one.refusal == "the term of x has no value at 0; measure a cell there"


def test_a_logarithm_times_a_power_is_nothing_at_zero() -> None:
    levels = np.array([1, 2, 4, 8, 16])
    model = fit_cost_model(table_of({"x": levels}, 20 + 5 * levels * np.log2(levels), noise=0.001))
    assert model.chosen.terms[1].logs == (1,)
    (one,) = model.predict([{"x": 0}])
    assert one.estimate is not None
    assert one.estimate.value == pytest.approx(20, rel=0.01)


def test_levels_that_were_measured_only_together() -> None:
    """The curve went with the bits: a combination that never was is predicted by bits, and that is said."""
    x = np.tile([1, 2, 4, 8], 2)
    model = fit_cost_model(
        table_of({"x": x, "bits": np.repeat([32, 64], 4), "curve": np.repeat(["A", "B"], 4)}, 1.0 + x, noise=0.02)
    )
    known, unknown, silent = model.predict(
        [{"x": 4, "bits": 32, "curve": "A"}, {"x": 4, "bits": 32, "curve": "B"}, {"x": 4, "bits": 32}]
    )
    assert known.caveats == silent.caveats == ()
    assert known.estimate == unknown.estimate
    assert [(one.code, one.message) for one in unknown.caveats] == [
        (
            "confounded",
            "curve was measured only together with bits, and never (bits = 32, curve = B): the prediction goes by bits "
            "alone",
        )
    ]


def test_what_follows_from_what_follows() -> None:
    """Three factors that change together: the one that stays stands for both others."""
    x = np.tile([1, 2, 4, 8], 2)
    pair = {name: np.repeat(levels, 4) for name, levels in (("a", ["p", "q"]), ("b", ["r", "s"]), ("c", ["t", "u"]))}
    model = fit_cost_model(table_of({"x": x, **pair}, 1.0 + x, noise=0.02))
    assert model.categorical == ("a",)
    (one,) = model.predict([{"x": 4, "a": "p", "b": "s", "c": "u"}])
    assert [found.message.partition(",")[0] for found in one.caveats] == [
        "c was measured only together with a",
        "b was measured only together with a",
    ]


def test_a_new_value_is_less_certain_than_the_mean(model: CostModel) -> None:
    (one,) = model.predict([{"bits": 32, "curve": "A", "outputs": 3}])
    assert one.estimate is not None
    assert one.new_value is not None
    assert one.new_value.low < one.estimate.low < one.estimate.value < one.estimate.high < one.new_value.high


@pytest.mark.parametrize(
    ("at", "kind", "message"),
    [
        (
            {"output": 1},
            SelectionError,
            "no factor 'output'; did you mean 'outputs'?; the model knows outputs, bits, curve",
        ),
        ({"outputs": 1, "bits": 32}, SelectionError, "a prediction needs a level of curve; it was given outputs, bits"),
        (
            {"outputs": "two", "bits": 32, "curve": "A"},
            DataError,
            "'two' is no level of outputs; give a finite number of 0 or more",
        ),
        (
            {"outputs": float("nan"), "bits": 32, "curve": "A"},
            DataError,
            "'nan' is no level of outputs; give a finite number of 0 or more",
        ),
        (
            {"outputs": 2, "bits": 32, "curve": "C"},
            DataError,
            "curve = 'C' was not measured and is no number to the model; it knows A, B: choose one of these",
        ),
        (
            {"outputs": 2, "bits": 48, "curve": "A"},
            DataError,
            "bits = '48' was not measured and is no number to the model; it knows 32, 64: choose one of these, or name "
            "bits among the numeric factors",
        ),
    ],
)
def test_cells_that_mean_nothing(model: CostModel, at: dict[str, Level], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as raised:
        model.predict([at])
    assert str(raised.value) == message


def test_levels_never_measured_together() -> None:
    """Where levels have costs of their own, a combination that was not measured has none."""
    cells = grid(bits=[32, 64], curve=["A", "B"], x=[1, 2, 4, 8])
    kept = ~((cells["bits"] == 64) & (cells["curve"] == "B"))
    cells = {factor: column[kept] for factor, column in cells.items()}
    own = np.where(cells["bits"] == 64, 3.0, 1.0) + np.where(cells["curve"] == "B", 5.0, 0.0)
    mean = own + numbers(cells, "x") * np.where(cells["bits"] == 64, 7.0, 1.0) * np.where(
        cells["curve"] == "B", 0.2, 1.0
    )
    model = fit_cost_model(table_of(cells, mean, noise=0.002))
    assert dict(model.chosen.treatments) == {"bits": "own", "curve": "own"}
    (one,) = model.predict([{"bits": 64, "curve": "B", "x": 2}])
    assert one.refusal == (
        "(bits = 64, curve = B) was never measured, and the model gives it a cost of its own; measure a cell there"
    )


def test_a_special_cell_says_what_was_measured() -> None:
    model = fit_cost_model(transfer_cells(EXTRACT))
    (one,) = model.predict([{"bits": 32, "curve": "BN254", "inputs": 1, "outputs": 1}])
    assert [found.code for found in one.caveats] == ["special-cell"]
    assert "was measured and set apart: 0.000418 sec/op" in one.caveats[0].message


def test_next_cells_tell_rivals_apart() -> None:
    """Two shapes that agree where measured part beyond: the cell named rules one out with the repetitions said."""
    x = np.array([1, 2, 3, 4])
    model = fit_cost_model(table_of({"x": x}, 1 + x, noise=0.02, seed=4))
    assert len(model.rivals) > 1
    found = model.next_cells(2)
    assert 1 <= len(found) <= 2
    assert [one.cost for one in found] == sorted(one.cost for one in found)
    for one in found:
        assert one.repetitions >= 1
        assert one.cost == pytest.approx(one.repetitions * one.chosen.value)
        assert one.chosen.value != pytest.approx(one.rival.value, rel=0.01)
    assert found[0].at == {"x": 8}
    assert not found[0].measured


def test_noise_asks_for_more_repetitions() -> None:
    x = np.array([1, 2, 3, 4, 6, 8])
    needed = []
    for noise in (0.01, 0.04):
        model = fit_cost_model(table_of({"x": x}, 1 + x**0.5, noise=noise, repeats=20))
        needed += [one.repetitions for one in model.next_cells(1)]
    assert len(needed) < 2 or needed[0] <= needed[1]


def test_repetitions_of_the_next_cell() -> None:
    """The mean of so many measurements lies further from one model than its own error and the prediction's allow."""
    model = fit_cost_model(
        table_of(
            {"x": np.array([1, 2, 3, 4, 6, 8])}, 1 + np.array([1, 2, 3, 4, 6, 8]) ** 0.5, noise=0.1, repeats=30, seed=3
        )
    )
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
