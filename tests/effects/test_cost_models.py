"""Cost models of tables: which is chosen, what is said, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from benchlib.effects.cells import build_cells
from benchlib.effects.cost_models import CostModel, FittedModel, fit_cost_model
from benchlib.errors import DataError, SelectionError
from tests.effects.tables import EXTRACT, UNITS, grid, numbers, table_of, transfer_cells

X = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32])
Cost = Callable[[np.ndarray, np.ndarray], np.ndarray]


def coefficients(model: FittedModel) -> dict[tuple[str, ...], float]:
    return {term.factors: term.estimate.value for term in model.terms}


def codes(model: CostModel) -> set[str]:
    return {caveat.code for caveat in model.caveats}


def messages(model: CostModel, code: str) -> list[str]:
    return [caveat.message for caveat in model.caveats if caveat.code == code]


@pytest.mark.parametrize("unit", UNITS)
def test_a_transfer_is_linear_in_outputs_and_one_in_one_out_is_special(unit: str) -> None:
    """Time, memory and allocations grow with outputs to the power 1; the cell without a range proof is set apart.

    The one rival of time gives each level of bits coefficients of its own, of the same terms: no other form.
    """
    model = fit_cost_model(transfer_cells(EXTRACT, unit))
    assert {(cell.levels["inputs"], cell.levels["outputs"]) for cell in model.special_cells} == {(1, 1)}
    assert len(model.special_cells) == 2
    assert all(cell.expected > 10 * cell.observed for cell in model.special_cells)
    assert messages(model, "special-cell") == [
        "no cost model of the other cells explains (inputs = 1, outputs = 1) at every bits: set apart"
    ]
    if unit != "sec/op":
        return
    assert model.chosen.formula == "(505 µs + 11.1 ms * outputs) * 1.79 at bits = 64"
    assert (model.chosen.structure, dict(model.chosen.treatments)) == ("one factor", {"bits": "scale"})
    (scale,) = model.chosen.scales
    assert (scale.factor, scale.level, scale.baseline) == ("bits", 64, 32)
    assert scale.estimate.low < 1.786 < scale.estimate.high
    assert model.chosen.loo_error < 0.015
    assert model.lack_of_fit > 0.05
    assert len(model.rivals) == 2
    assert model.rivals[1].weight > 0.1
    assert "form-uncertain" not in codes(model)


@pytest.mark.parametrize(
    ("structure", "cost", "formula"),
    [
        ("constant", lambda x, y: 2 + 0 * x, "2 s"),
        ("one factor", lambda x, y: 2 + 3 * y**2, "2 s + 3 s * y^2"),
        ("additive", lambda x, y: 2 + 3 * x + 0.5 * y**1.5, "2 s + 3 s * x + 500 ms * y^1.5"),
        ("product", lambda x, y: 2 + 3 * x * np.log2(y), "2 s + 3 s * x * log2(y)"),
        ("additive plus product", lambda x, y: 2 + 3 * x + 0.5 * x * y, "2 s + 3 s * x + 500 ms * x * y"),
    ],
)
def test_structures_without_noise(structure: str, cost: Cost, formula: str) -> None:
    """Exact costs give back what they were made of, and no interval wider than rounding."""
    cells = grid(x=[2, 4, 8, 16, 32], y=[2, 4, 8, 16, 32])
    model = fit_cost_model(table_of(cells, cost(numbers(cells, "x"), numbers(cells, "y")), noise=0.0, repeats=3))
    assert (model.chosen.structure, model.chosen.formula) == (structure, formula)
    assert model.chosen.relative_error < 1e-9


def test_three_numeric_factors() -> None:
    """Bits times outputs, and a little for each input: the structure is found among 64, the terms among 9 each."""
    cells = grid(bits=[16, 32, 64, 128], inputs=[1, 2, 4, 8], outputs=[1, 2, 4, 8])
    mean = 0.5 + 0.01 * numbers(cells, "bits") * numbers(cells, "outputs") + 0.3 * numbers(cells, "inputs")
    terms = coefficients(fit_cost_model(table_of(cells, mean, noise=0.02)).chosen)
    assert set(terms) == {(), ("inputs",), ("bits", "outputs")}
    assert terms["bits", "outputs"] == pytest.approx(0.01, rel=0.03)
    assert terms["inputs",] == pytest.approx(0.3, rel=0.05)


@pytest.mark.parametrize(
    ("treatment", "cost"),
    [
        ("none", lambda x, b: 1 + x),
        ("shift", lambda x, b: 1 + 9 * b + x),
        ("scale", lambda x, b: (1 + x) * (1 + b)),
        ("own", lambda x, b: 1 + 4 * b + (1 + 2 * b) * x),
    ],
)
def test_what_a_level_changes(treatment: str, cost: Cost) -> None:
    cells = grid(x=[1, 2, 4, 8, 16], curve=["A", "B"])
    mean = cost(numbers(cells, "x"), (cells["curve"] == "B").astype(float))
    assert dict(fit_cost_model(table_of(cells, mean, noise=0.01)).chosen.treatments) == {"curve": treatment}


@pytest.mark.parametrize("baseline", ["A", "B", "C"])
def test_scales_are_told_against_the_baseline(baseline: str) -> None:
    """Which level is 1 changes what is written, and nothing that is predicted."""
    cells = grid(x=[1, 2, 4, 8, 16], curve=["A", "B", "C"])
    times = {"A": 1.0, "B": 2.0, "C": 4.0}
    table = table_of(cells, (1 + numbers(cells, "x")) * [times[curve] for curve in cells["curve"]], noise=0.01)
    plain, model = fit_cost_model(table), fit_cost_model(table, baselines={"curve": baseline})
    assert {scale.baseline for scale in plain.chosen.scales} == {"A"}
    assert {(scale.baseline, scale.level) for scale in model.chosen.scales} == {
        (baseline, curve) for curve in times if curve != baseline
    }
    for scale in model.chosen.scales:
        assert scale.estimate.value == pytest.approx(times[str(scale.level)] / times[baseline], rel=0.02)
    at = [{"x": 5, "curve": curve} for curve in times]
    for before, after in zip(plain.predict(at), model.predict(at), strict=True):
        assert after.estimate.value == pytest.approx(before.estimate.value, rel=1e-6)
        assert after.estimate.high == pytest.approx(before.estimate.high, rel=1e-6)
    with pytest.raises(SelectionError, match="factor 'curve' has no level 'D' to be the baseline; it has A, B, C"):
        fit_cost_model(table, baselines={"curve": "D"})


def test_a_model_of_categories_is_least_squares_on_logarithms() -> None:
    """Where only categories scale a cost, its logarithm is linear: the factors of OLS on the cells' means."""
    generator = np.random.default_rng(8)
    rows = [(bits, curve) for bits in ("32", "64", "128") for curve in ("a", "b", "c", "d") for _ in range(4)]
    costs = np.array([{"32": 1.0, "64": 2.0, "128": 4.1}[bits] * (1 + ord(curve) % 7) for bits, curve in rows])
    costs *= np.exp(0.02 * generator.standard_normal(len(rows)))
    table = build_cells({"bits": [row[0] for row in rows], "curve": [row[1] for row in rows]}, costs, unit="sec/op")
    model = fit_cost_model(table)
    assert model.chosen.structure == "constant"
    assert not codes(model) & {"few-cells", "form-uncertain"}, "categories have no shape to tell"
    # Without numbers a fixed cost for each level and a scale for each level are one and the same.
    assert set(model.chosen.treatments.values()) <= {"shift", "scale"}
    y = np.array([np.mean(np.log(cell.values)) for cell in table.cells])
    names = [(factor, level) for factor, levels in table.factors.items() for level in levels[1:]]
    columns = [[float(cell.levels[factor] == level) for cell in table.cells] for factor, level in names]
    known = sm.OLS(y, sm.add_constant(np.array(columns).T)).fit()
    fixed = {tuple(term.slice.items()): term.estimate.value for term in model.chosen.terms}
    scales = {(scale.factor, scale.level): scale.estimate.value for scale in model.chosen.scales}
    for cell, expected in zip(table.cells, known.fittedvalues, strict=True):
        (own,) = [value for place, value in fixed.items() if set(place) <= set(cell.levels.items())]
        scaled = np.prod([scales.get(place, 1.0) for place in cell.levels.items()])
        assert np.log(own * scaled) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(
    ("levels", "cost", "formula"),
    [
        ([0, 1, 3, 7, 15, 31], lambda n: 1 + 2 * np.log2(1 + n), "1 s + 2 s * log2(1 + n)"),
        ([1, 2, 4, 8, 16, 32], lambda n: 1 + n * np.log2(n), "1 s + 1 s * n * log2(n)"),
        ([1, 2, 4, 8, 16], lambda n: 1 + 8 / n, "1 s + 8 s * n^-1"),
        ([0, 1, 10, 100], lambda n: 0.5 + 0.2 * n, "500 ms + 200 ms * n"),
    ],
)
def test_one_factor_in_words(levels: list[int], cost: Callable[[np.ndarray], np.ndarray], formula: str) -> None:
    """Level zero is a level, from which logarithms count; a cost may fall."""
    n = np.array(levels)
    assert fit_cost_model(table_of({"n": n}, cost(n), noise=0.0, repeats=3)).chosen.formula == formula


def test_exact_counts_are_fitted() -> None:
    """Allocations have no noise: the likelihood has a floor, and the line is exact."""
    x = np.repeat([1, 2, 4, 8, 16], 3)
    model = fit_cost_model(build_cells({"x": x.tolist()}, 10.0 + 2 * x, unit="allocs/op"))
    assert model.chosen.formula == "10 allocs + 2 allocs * x"
    assert model.lack_of_fit == 1.0
    flat = fit_cost_model(build_cells({"x": x.tolist()}, np.full(15, 12.0), unit="allocs/op"))
    assert flat.chosen.formula == "12 allocs"
    cells = grid(x=[1, 2, 4, 8, 16], curve=["A", "B"])
    scaled = (1 + numbers(cells, "x")) * np.where(cells["curve"] == "B", 2.0, 1.0)
    model = fit_cost_model(table_of(cells, scaled, noise=0.0))
    assert model.chosen.formula == "(1 s + 1 s * x) * 2 at curve = B"


@settings(max_examples=10)
@given(
    unit=st.sampled_from([1e-9, 1e-3, 7.0, 1e12]),
    order=st.permutations(list(range(30))),
)
def test_unit_and_order_change_nothing(unit: float, order: list[int]) -> None:
    """In another unit everything follows the unit; the order of rows is forgotten; copies move no coefficient."""
    random = np.random.default_rng(5)
    x = np.repeat([1, 2, 4, 8, 16], 6)
    values = (1 + 0.5 * x) * np.exp(0.03 * random.standard_normal(30))
    plain = fit_cost_model(build_cells({"x": x.tolist()}, values, unit="sec/op"))
    other = fit_cost_model(build_cells({"x": x[order].tolist()}, (values * unit)[order], unit="sec/op"))
    twice = fit_cost_model(build_cells({"x": np.tile(x, 2).tolist()}, np.tile(values, 2), unit="sec/op"))
    assert [rival.structure for rival in plain.rivals] == [rival.structure for rival in other.rivals]
    for term, scaled, doubled in zip(plain.chosen.terms, other.chosen.terms, twice.chosen.terms, strict=True):
        assert scaled.estimate.value == pytest.approx(term.estimate.value * unit, rel=1e-7)
        assert scaled.estimate.high == pytest.approx(term.estimate.high * unit, rel=1e-6)
        assert doubled.estimate.value == pytest.approx(term.estimate.value, rel=1e-9)
    assert other.chosen.delta_bic == pytest.approx(plain.chosen.delta_bic, abs=1e-6)
    assert twice.n == 2 * plain.n


def test_lack_of_fit_is_told() -> None:
    """A bend that no term has, measured finely: p is small, and intervals come from how cells stray."""
    model = fit_cost_model(table_of({"x": X}, (1 + X) * (1 + 0.03 * (-1.0) ** np.arange(10)), noise=0.002))
    assert model.lack_of_fit < 1e-6
    assert "lack-of-fit" in codes(model)
    assert model.chosen.degrees_of_freedom == 8
    (prediction,) = model.predict([{"x": 10}])
    assert prediction.another_day.high / prediction.another_day.low > np.exp(4 * 0.03)


def test_few_levels_do_not_tell_the_shape() -> None:
    """However often three levels are repeated, one degree of freedom between cells judges nine shapes.

    The share of other forms that is told is that of all rivals with other terms.
    """
    model = fit_cost_model(table_of({"x": [1, 2, 3]}, [15, 20, 25], noise=0.03, repeats=6))
    assert model.chosen.degrees_of_freedom > 10
    assert messages(model, "few-cells") == [
        "3 cells leave 1 degree of freedom between them to judge a search over many shapes by: intervals may be too "
        "narrow"
    ]
    forms = [{(term.factors, term.powers, term.logs) for term in rival.terms} for rival in model.rivals]
    others = sum(rival.weight for rival, form in zip(model.rivals, forms, strict=True) if form != forms[0])
    assert others > 0.1
    assert messages(model, "form-uncertain") == [
        f"coefficients hold if this form is true; other forms hold {100 * others:.0f} % of the weight: read "
        "predictions, which are averaged"
    ]
    for levels, told in (([1, 2, 3], ["x", "y"]), ([1, 2, 3, 4], [])):
        cells = grid(x=levels, y=levels)
        mean = 2 + 5 * numbers(cells, "x") * numbers(cells, "y")
        assert messages(fit_cost_model(table_of(cells, mean, noise=0.01)), "few-cells") == [
            f"{factor} has 3 levels, which leave 1 to judge its shape by: intervals hold if the shape is true"
            for factor in told
        ]


@pytest.mark.parametrize(
    ("levels", "categorical", "told"),
    [
        ({"x": np.tile([1, 2, 4, 8], 2), "bits": np.repeat([32, 64], 4), "curve": np.repeat(["A", "B"], 4)}, ("bits",),
         "curve never changes while bits stays: what the model says of bits is the effect of both"),
        (grid(x=[1, 2, 3, 4], b=[1, 2, 3, 4]), (),
         "x, b, c follow each other in the cells: their effects cannot be parted"),
    ],
)  # fmt: skip
def test_confounded_factors_are_named(
    levels: Mapping[str, np.ndarray], categorical: tuple[str, ...], told: str
) -> None:
    """Two that change together, one of which stands for both; one that is the sum of others and 100."""
    if not categorical:
        levels = {**levels, "c": levels["x"] + levels["b"] + 100}
    model = fit_cost_model(table_of(levels, 1 + numbers(levels, "x"), noise=0.02))
    assert model.categorical == categorical
    assert messages(model, "confounded") == [told]


def test_what_weakens_a_model() -> None:
    """Single measurements, two levels of a number, a fixed cost below 0."""
    model = fit_cost_model(build_cells({"x": [1, 2, 4, 8]}, [2.0, 3.1, 4.9, 9.2], unit="sec/op"))
    assert {"one-replicate", "few-cells"} <= codes(model)
    assert np.isnan(model.lack_of_fit)
    two = fit_cost_model(build_cells({"x": [1, 1, 2, 2]}, [2.0, 2.1, 3.0, 3.1], unit="sec/op"))
    assert "two-levels" in codes(two)
    levels = np.array([2, 4, 8, 16])
    model = fit_cost_model(table_of({"n": levels}, levels - 1.5, noise=0.005))
    assert "negative-fixed-cost" in codes(model)
    (prediction,) = model.predict([{"n": 1}])
    assert (prediction.estimate, prediction.refusal) == (
        None, "the model has no cost above 0 there: its fixed cost is negative; measure a cell there",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("levels", "values", "options", "message"),
    [
        ([1, 1], [1.0, 2.0], {},
         "none of x has two levels; a cost model needs a factor that varies: measure another level"),
        ([1, 2], [1.0, 2.0], {},
         "2 cells with 1 measurement each carry no cost model; repeat them, or measure a third level"),
        ([1, 2, 3, 4], [1.0, 2.0, 0.0, 4.0], {},
         "the cell (x = 3) holds 0 sec/op (1 of 4 values are 0 or less); a cost model compares ratios: leave those "
         "rows out, or read the plain slopes"),
        ([-1, 2, 3], [1.0, 2.0, 3.0], {},
         "factor 'x' has the level -1; powers and logarithms need levels of 0 or more: name it among the "
         "categorical factors, or count from 0"),
        (["a", 2, 3], [1.0, 2.0, 3.0], {"numeric": ["x"]},
         "factor 'x' is to be numeric but has the level 'a'; treat it as categorical, or leave those rows out"),
        ([1, 2, 3], [1.0, 2.0, 3.0], {"numeric": ["output"]}, "no factor 'output'; the cells vary over x"),
        ([1, 2, 3], [1.0, 2.0, 3.0], {"term_set": "wid"},
         "unknown term set 'wid'; did you mean 'wide'?; term sets: standard, wide"),
    ],
)  # fmt: skip
def test_what_carries_no_model(levels: list[object], values: list[float], options: dict, message: str) -> None:
    with pytest.raises((DataError, SelectionError)) as raised:
        fit_cost_model(build_cells({"x": levels}, values, unit="sec/op"), **options)
    assert str(raised.value) == message


def test_noise_alone_makes_no_cell_special() -> None:
    """Costs off by a factor of three in data that scatter as much are no special cells."""
    for seed in range(3):
        assert fit_cost_model(table_of({"x": X}, 2 + 0.5 * X, noise=1.0, repeats=2, seed=seed)).special_cells == ()


def test_a_power_that_is_no_term_is_fitted() -> None:
    """0.5 + x^0.8 y: the power is in the formula, counts as a coefficient, and predictions hold its error."""
    cells = grid(x=[1, 4, 16, 64], y=[1, 2, 3])
    model = fit_cost_model(table_of(cells, 0.5 + numbers(cells, "x") ** 0.8 * numbers(cells, "y"), noise=0.01))
    fixed, term = model.chosen.terms
    power = term.powers[0]
    assert (term.factors, fixed.factors, term.powers[1], term.logs) == (("x", "y"), (), 1.0, (0, 0))
    assert f"x^{power:.4g} * y" in model.chosen.formula
    assert model.chosen.degrees_of_freedom == 12 - 3
    assert power == pytest.approx(0.8, abs=0.015)
    far = model.predict([{"x": 128, "y": 4}])[0].estimate
    assert far.low < 0.5 + 4 * 128**0.8 < far.high
