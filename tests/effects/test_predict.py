"""Predictions: averaged, bounded, and refused in words; the next cells to measure."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from benchlib.effects.cells import Level, build_cells
from benchlib.effects.cost_models import CostModel, fit_cost_model
from benchlib.errors import DataError, SelectionError
from tests.effects.simulations import DAYS, count_days
from tests.effects.tables import grid, numbers, table_of


@pytest.fixture(scope="module")
def model() -> CostModel:
    cells = grid(bits=[32, 64], curve=["A", "B"], outputs=[1, 2, 4, 8])
    scale = np.where(cells["bits"] == 64, 2.0, 1.0) * np.where(cells["curve"] == "B", 1.6, 1.0)
    return fit_cost_model(table_of(cells, (0.5 + numbers(cells, "outputs")) * scale, noise=0.02))


def test_inside_beyond_and_far_beyond(model: CostModel) -> None:
    """Inside without a caveat, up to twice the range with one, further only when it is meant.

    The median of another day is less certain than the typical cost.
    """
    inside, beyond, far = model.predict([{"bits": 64, "curve": "B", "outputs": n} for n in (3, 16, 17)])
    estimate, new = inside.estimate, inside.another_day
    assert estimate.low < 3.5 * 3.2 < estimate.high
    assert new.low < estimate.low < estimate.value < estimate.high < new.high
    assert (estimate.unit, inside.caveats) == ("sec/op", ())
    assert [caveat.message for caveat in beyond.caveats] == [
        "outputs = 16 (measured from 1 to 8) lies outside the measured range"
    ]
    assert beyond.estimate is not None
    assert far.estimate is far.another_day is None
    assert far.refusal == (
        "outputs = 17 (measured from 1 to 8) lies beyond twice the measured range; measure there, or ask to extrapolate"
    )
    (meant,) = model.predict([{"bits": 64, "curve": "B", "outputs": 17}], extrapolate=True)
    assert meant.estimate is not None
    assert [caveat.code for caveat in meant.caveats] == ["far-beyond-range"]


@pytest.mark.parametrize(("noise", "seed"), [(0.1, 7), (0.1, 9), (0.1, 15)])
def test_an_average_leaves_the_stated_tails(noise: float, seed: int) -> None:
    """Of two rivals, each with its own t: the tails beyond an end, by their weights, add to 2.5 %.

    Turek and Fletcher 2012. What each rival expects alone is told with the next cell. Weights: exp(-BIC / 2).
    """
    model = fit_cost_model(table_of({"x": np.array([1, 2, 4, 8, 16])}, [2.0, 3, 5, 9, 17], noise=noise, seed=seed))
    weights = [rival.weight for rival in model.rivals]
    (cell,) = model.next_cells(1)
    (prediction,) = model.predict([cell.at])
    assert len(model.rivals) == 2
    below = above = 0.0
    for alone, rival in zip((cell.chosen, cell.rival), model.rivals, strict=True):
        freedom = rival.degrees_of_freedom
        error = math.log(alone.high / alone.low) / 2 / stats.t.ppf(0.975, freedom)
        below += rival.weight * stats.t.cdf(math.log(prediction.estimate.low / alone.value) / error, freedom)
        above += rival.weight * stats.t.sf(math.log(prediction.estimate.high / alone.value) / error, freedom)
    assert (below, above) == pytest.approx((0.025, 0.025), rel=1e-3)
    assert sum(weights) == pytest.approx(1)
    assert weights[1] / weights[0] == pytest.approx(math.exp((model.rivals[0].bic - model.rivals[1].bic) / 2))


@pytest.mark.parametrize(
    ("levels", "lowest", "below"),
    [([1, 2, 3, 4, 5, 6], 0, None), ([4, 5, 6], 2, 1.9), ([100, 105, 110], 50, 49), ([10, 12, 16], 4, 3.9)],
)
def test_how_far_down_is_answered(levels: list[int], lowest: float, below: float | None) -> None:
    """To half the smallest level, and as far below it as the measured range reaches above it, down to 0."""
    model = fit_cost_model(table_of({"x": levels}, 10 + 5 * np.array(levels), noise=0.001))
    (prediction,) = model.predict([{"x": lowest}])
    assert prediction.estimate is not None
    assert [caveat.code for caveat in prediction.caveats] == ["beyond-range"]
    assert lowest or prediction.estimate.low < 10 < prediction.estimate.high
    if below is not None:
        assert "lies beyond twice the measured range" in model.predict([{"x": below}])[0].refusal


@pytest.mark.parametrize(
    ("cost", "value"),
    [
        (lambda x: 20 + 5 * np.log2(x), None),
        (lambda x: 20 + 50 / x, None),
        (lambda x: 20 + 5 * x * np.log2(x), 20),
    ],
)
def test_terms_at_zero(cost: Callable[[np.ndarray], np.ndarray], value: float | None) -> None:
    """A logarithm and an inverse power have no value there, a logarithm times a power is nothing."""
    levels = np.array([1, 2, 4, 8, 16])
    (prediction,) = fit_cost_model(table_of({"x": levels}, cost(levels), noise=0.001)).predict([{"x": 0}])
    if value is None:
        assert prediction.estimate is None
        assert prediction.refusal == "the term of x has no value at 0; measure a cell there"
    else:
        assert prediction.estimate.value == pytest.approx(value, rel=0.01)


def test_levels_that_were_measured_only_together() -> None:
    """The curve went with the bits: a combination that never was is predicted by bits, and that is said.

    Of three factors that change together the one that stays stands for both others.
    """
    x = np.tile([1, 2, 4, 8], 2)
    pair = {name: np.repeat(levels, 4) for name, levels in (("bits", [32, 64]), ("curve", ["A", "B"]))}
    known, unknown, silent = fit_cost_model(table_of({"x": x, **pair}, 1.0 + x, noise=0.02)).predict(
        [{"x": 4, "bits": 32, "curve": "A"}, {"x": 4, "bits": 32, "curve": "B"}, {"x": 4, "bits": 32}]
    )
    assert known.caveats == silent.caveats == ()
    assert known.estimate == unknown.estimate
    assert [(caveat.code, caveat.message) for caveat in unknown.caveats] == [
        (
            "confounded",
            "curve was measured only together with bits, and never (bits = 32, curve = B): the prediction goes by bits "
            "alone",
        )
    ]
    three = fit_cost_model(table_of({"x": x, **pair, "c": np.repeat(["t", "u"], 4)}, 1.0 + x, noise=0.02))
    (prediction,) = three.predict([{"x": 4, "bits": 32, "curve": "B", "c": "u"}])
    assert [caveat.message.partition(",")[0] for caveat in prediction.caveats] == [
        "c was measured only together with bits",
        "curve was measured only together with bits",
    ]


def test_levels_never_measured_together() -> None:
    """Where levels have costs of their own, a combination that was not measured has none."""
    cells = grid(bits=[32, 64], curve=["A", "B"], x=[1, 2, 4, 8])
    measured = ~((cells["bits"] == 64) & (cells["curve"] == "B"))
    cells = {factor: column[measured] for factor, column in cells.items()}
    wide, other = cells["bits"] == 64, cells["curve"] == "B"
    slope = np.where(wide, 7.0, 1.0) * np.where(other, 0.2, 1.0)
    mean = 1 + 2.0 * wide + 5.0 * other + numbers(cells, "x") * slope
    model = fit_cost_model(table_of(cells, mean, noise=0.002))
    assert dict(model.chosen.treatments) == {"bits": "own", "curve": "own"}
    (prediction,) = model.predict([{"bits": 64, "curve": "B", "x": 2}])
    assert prediction.refusal == (
        "(bits = 64, curve = B) was never measured, and the model gives it a cost of its own; measure a cell there"
    )


@pytest.mark.parametrize(
    ("at", "refusal", "doubt"),
    [
        ((32, 1, 1), "(bits = 32, inputs = 1, outputs = 1: 1.00 s/op) was set apart: no model of the other cells holds "
         "there", ""),
        ((48, 1, 1), "(bits = 32, inputs = 1, outputs = 1: 1.00 s/op), (bits = 64, inputs = 1, outputs = 1: 1.00 s/op) "
         "were set apart: no model of the other cells holds there", ""),
        ((100, 1, 1), "(bits = 64, inputs = 1, outputs = 1: 1.00 s/op) was set apart: no model of the other cells "
         "holds there", "bits = 100 (measured from 16 to 64) lies outside the measured range"),
        ((32, 1, 1.5), "", "next to it (bits = 32, inputs = 1, outputs = 1: 1.00 s/op) was set apart: the prediction "
         "is that of the other cells"),
        ((48, 1, 2), "", ""),
        ((48, 1, 4), "", "outputs = 4 (measured from 1 to 3) lies outside the measured range"),
    ],
)  # fmt: skip
def test_beside_special_cells(at: tuple[float, ...], refusal: str, doubt: str) -> None:
    """At, between and beyond special cells no other cell says anything; next to one and to others, they do."""
    cells = grid(bits=[16, 32, 64], inputs=[1, 2, 3], outputs=[1, 2, 3])
    bits, inputs, outputs = (numbers(cells, factor) for factor in cells)
    mean = np.where((inputs == 1) & (outputs == 1), 1.0, 2 + 0.5 * bits * outputs)
    (prediction,) = fit_cost_model(table_of(cells, mean, noise=1e-6)).predict([dict(zip(cells, at, strict=True))])
    assert (prediction.estimate is None, prediction.refusal) == (bool(refusal), refusal)
    assert [caveat.message for caveat in prediction.caveats] == [doubt] * bool(doubt)
    if prediction.estimate is not None:
        assert prediction.estimate.value == pytest.approx(2 + 0.5 * at[0] * at[2], rel=1e-3)


def test_two_levels_are_a_line_only_where_named_as_numbers() -> None:
    """32 and 64 bits are two names: between them nothing is said. As numbers a line is drawn, and that is said."""
    cells = grid(bits=[32, 64], outputs=[1, 2, 4, 8])
    mean = 3 + numbers(cells, "bits") * numbers(cells, "outputs")
    line = fit_cost_model(table_of(cells, mean, noise=1e-6), numeric=["bits", "outputs"])
    there, between = line.predict([{"bits": bits, "outputs": 2} for bits in (32, 48)])
    assert there.caveats == ()
    assert between.estimate.value == pytest.approx(99, rel=1e-3)
    assert [(caveat.code, caveat.message) for caveat in between.caveats] == [
        ("two-levels", "bits has two levels (32, 64): a straight line was taken")
    ]


@pytest.mark.parametrize(
    ("at", "kind", "message"),
    [
        ({"output": 1}, SelectionError,
         "no factor 'output'; did you mean 'outputs'?; the model knows outputs, bits, curve"),
        ({"outputs": 1, "bits": 32}, SelectionError, "a prediction needs a level of curve; it was given outputs, bits"),
        *(({"outputs": wrong, "bits": 32, "curve": "A"}, DataError,
           f"'{wrong}' is no level of outputs; give a finite number of 0 or more") for wrong in ("two", math.nan, -1)),
        ({"outputs": 2, "bits": 32, "curve": "C"}, DataError,
         "curve = 'C' was not measured and is no number to the model; it knows A, B: choose one of these"),
        ({"outputs": 2, "bits": 48, "curve": "A"}, DataError,
         "bits = '48' was not measured and is no number to the model; it knows 32, 64: choose one of these, or name "
         "bits among the numeric factors"),
    ],
)  # fmt: skip
def test_cells_that_mean_nothing(model: CostModel, at: dict[str, Level], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as raised:
        model.predict([at])
    assert str(raised.value) == message


# The next cells to measure.


def test_next_cells_tell_rivals_apart() -> None:
    """Two shapes that agree where measured part beyond: the cell named rules one out with the repetitions said."""
    model = fit_cost_model(table_of({"x": np.array([1, 2, 3, 4])}, [2.0, 3, 4, 5], noise=0.02, seed=4))
    assert len(model.rivals) > 1
    cells = model.next_cells(2)
    assert 1 <= len(cells) <= 2
    assert [cell.cost for cell in cells] == sorted(cell.cost for cell in cells)
    for cell in cells:
        assert cell.repetitions >= 1
        assert cell.cost == pytest.approx(cell.repetitions * cell.chosen.value)
        assert cell.chosen.value != pytest.approx(cell.rival.value, rel=0.01)
    assert (cells[0].at, cells[0].measured) == ({"x": 8}, False)


def test_repetitions_of_the_next_cell() -> None:
    """The mean of so many measurements lies further from one model than its own error and the prediction's allow.

    Where cells do not stray, and replicates are many, the variance of one measurement is that within cells.
    """
    levels = np.array([1, 2, 3, 4, 6, 8])
    table = table_of({"x": levels}, 1 + levels**0.5, noise=0.1, repeats=30, seed=3)
    model = fit_cost_model(table)
    cells = model.next_cells(20)
    noise = np.mean([np.var(np.log(cell.values), ddof=1) for cell in table.cells])
    z = float(stats.norm.ppf(0.975))
    assert max(cell.repetitions for cell in cells) > 1
    for cell in cells:
        apart = math.log(cell.chosen.value / cell.rival.value)
        error = max(part.standard_error / part.value for part in (cell.chosen, cell.rival))
        exact = noise / ((apart / z) ** 2 - error**2)
        assert cell.repetitions == pytest.approx(max(1, exact), rel=0.3, abs=1)


def test_next_cells_of_many_categories() -> None:
    """Fifteen switches have 32,768 combinations: those without effect stand still, the advice is about the rest."""
    random = np.random.default_rng(9)
    switches = random.integers(0, 2, (300, 15)) == 1
    x = random.choice([1, 2, 3], 300)
    columns = {f"s{place}": np.where(switches[:, place], "on", "off").tolist() for place in range(15)}
    values = (1 + x) * np.exp(0.03 * random.standard_normal(300))
    model = fit_cost_model(build_cells({**columns, "x": x.tolist()}, values, unit="sec"))
    assert {factor for term in model.chosen.terms for factor in term.factors} == {"x"}
    cells = model.next_cells()
    assert cells
    assert all(cell.chosen.value != pytest.approx(cell.rival.value, rel=0.01) for cell in cells)


# Another day ---------------------------------------------------------------------------------------------------------


def test_the_median_of_another_day_is_held_where_runs_were_repeated() -> None:
    """Runs that move all cells by 2 %: three runs tell it, one cannot, and says so in no interval of its own."""
    alike, several, one = DAYS[1], DAYS[4], DAYS[-1]
    assert min(count_days(alike, 25, seed=1)) > 0.88
    assert min(count_days(several, 25, seed=1)) > 0.85
    assert max(count_days(one, 25, seed=1)) < 0.7


def test_what_a_run_does_to_all_cells_is_no_error_of_their_ratio() -> None:
    """Two curves in three runs that differ twofold: the scale has the paired interval, the typical cost the runs' own.

    Three runs leave two degrees of freedom: the interval of the typical cost is t(2) times their spread.
    """
    run = np.tile(np.repeat(np.arange(3), 2), 2)
    curve = np.repeat(["a", "b"], 6)
    shift = np.array([0.0, 0.35, 0.7])
    noise = np.random.default_rng(1).normal(0, 0.01, 12)
    values = np.exp(shift[run] + noise) * np.where(curve == "b", 1.5, 1.0)
    model = fit_cost_model(build_cells({"curve": curve}, values, unit="sec", runs=run))
    assert (model.runs, model.n) == (3, 12)
    costs = [term.estimate for term in model.chosen.terms]
    assert [round(cost.value / costs[0].value, 1) for cost in costs] == [1.0, 1.5]
    assert costs[1].high / costs[1].low < 1.1
    (prediction,) = model.predict([{"curve": "a"}])
    for estimate, share in ((prediction.estimate, 1 / 3), (prediction.another_day, 4 / 3)):
        reach = stats.t.ppf(0.975, 2) * 0.35 * math.sqrt(share)
        assert math.log(estimate.high / estimate.value) == pytest.approx(reach, rel=0.05)
