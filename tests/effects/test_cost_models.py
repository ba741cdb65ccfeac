"""Cost models of tables: what is found, what is said, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from benchlib.effects.cells import CellTable, build_cells
from benchlib.effects.cost_models import CostModel, FittedModel, fit_cost_model
from benchlib.errors import DataError, SelectionError
from tests.effects.test_plain_effects import EXTRACT, UNITS, transfer_cells

SAMPLE = "token-sdk/transfer_results_m1max.txt"


def table_of(
    levels: Mapping[str, object], means: object, *, noise: float, repeats: int = 5, seed: int = 1
) -> CellTable:
    """A table with relative noise about the mean of each cell."""
    random = np.random.default_rng(seed)
    mean = np.repeat(np.asarray(means, dtype=float), repeats)
    columns = {
        factor: np.repeat(np.asarray(column, dtype=object), repeats).tolist() for factor, column in levels.items()
    }
    return build_cells(columns, mean * np.exp(noise * random.standard_normal(mean.size)), unit="sec/op")


def grid(**levels: list[object]) -> dict[str, np.ndarray]:
    crossed = np.meshgrid(*(np.array(one, dtype=object) for one in levels.values()), indexing="ij")
    return {factor: column.ravel() for factor, column in zip(levels, crossed, strict=True)}


def numbers(cells: Mapping[str, np.ndarray], factor: str) -> np.ndarray:
    return cells[factor].astype(float)


def coefficients(model: FittedModel) -> dict[tuple[str, ...], float]:
    return {one.factors: one.estimate.value for one in model.terms}


def codes(model: CostModel) -> set[str]:
    return {one.code for one in model.caveats}


@pytest.mark.parametrize("unit", UNITS)
def test_a_transfer_is_linear_in_outputs_and_one_in_one_out_is_special(unit: str) -> None:
    """Time, memory and allocations grow with outputs to the power 1; the cell without a range proof is set apart."""
    model = fit_cost_model(transfer_cells(EXTRACT, unit))
    assert {(one.levels["inputs"], one.levels["outputs"]) for one in model.special_cells} == {(1, 1)}
    assert len(model.special_cells) == 2
    assert all(one.expected > 10 * one.observed for one in model.special_cells)
    exponent = model.exponents["outputs"]
    assert exponent.low < 1.001
    assert exponent.high > 0.999
    assert model.n_cells == 16
    assert "(inputs = 1, outputs = 1) at every bits: set apart" in next(
        one.message for one in model.caveats if one.code == "special-cell"
    )


def test_time_of_a_transfer_in_words() -> None:
    model = fit_cost_model(transfer_cells(EXTRACT))
    assert model.chosen.formula == "(505 µs + 11.1 ms * outputs) * 1.79 at bits = 64"
    assert model.chosen.structure == "one factor"
    assert dict(model.chosen.treatments) == {"bits": "scale"}
    (scale,) = model.chosen.scales
    assert (scale.factor, scale.level, scale.baseline) == ("bits", 64, 32)
    assert scale.estimate.low < 1.786 < scale.estimate.high
    assert model.chosen.loo_error < 0.015
    assert model.lack_of_fit > 0.05


def test_the_published_transfer(shared_samples: Path) -> None:
    """On BN254 an output costs 28.1 ms at 32 bits; 64 bits scale it; six cells without a range proof stand apart."""
    path = shared_samples / SAMPLE
    if not path.is_file():
        pytest.skip(f"no {SAMPLE}")
    model = fit_cost_model(transfer_cells(path))
    scales = {(one.factor, one.level): one.estimate for one in model.chosen.scales}
    output = coefficients(model.chosen)["outputs",] * scales["curve", "BN254"].value
    assert output == pytest.approx(0.0281, rel=0.01)
    assert 1 / scales["curve", "BN254"].value == pytest.approx(1.60, rel=0.01)
    assert scales["bits", 64].value == pytest.approx(1.95, rel=0.01)
    assert len(model.special_cells) == 6
    special = next(one for one in model.special_cells if one.levels["bits"] == 32 and one.levels["curve"] == "BN254")
    assert special.observed == pytest.approx(0.00055, rel=0.01)
    assert special.expected == pytest.approx(0.0285, rel=0.01)
    assert "lack-of-fit" in codes(model)


def test_level_zero_is_a_level() -> None:
    """Fan-out to 0, 1, 10 and 100 subscribers: a slope with its interval, and the exponent."""
    model = fit_cost_model(table_of({"subscribers": [0, 1, 10, 100]}, [5e-7, 7e-7, 2.5e-6, 2.05e-5], noise=0.02))
    assert model.chosen.structure == "one factor"
    slope = model.chosen.terms[1]
    assert (slope.factors, slope.powers, slope.logs) == (("subscribers",), (1.0,), (0,))
    assert slope.estimate.low < 2e-7 < slope.estimate.high
    assert model.exponents["subscribers"].low < 1 < model.exponents["subscribers"].high


def test_logarithms_count_from_one_where_a_level_is_zero() -> None:
    levels = np.array([0, 1, 3, 7, 15, 31])
    model = fit_cost_model(table_of({"n": levels}, 1 + 2 * np.log2(1 + levels), noise=0.01))
    assert model.chosen.formula.endswith("* log2(1 + n)")


@pytest.mark.parametrize(
    ("structure", "cost"),
    [
        ("constant", lambda x, y: 2 + 0 * x),
        ("one factor", lambda x, y: 2 + 3 * y**2),
        ("additive", lambda x, y: 2 + 3 * x + 0.5 * y**1.5),
        ("product", lambda x, y: 2 + 3 * x * np.log2(y)),
        ("additive plus product", lambda x, y: 2 + 3 * x + 0.5 * x * y),
    ],
)
def test_structures_without_noise(structure: str, cost: object) -> None:
    """Exact costs give back what they were made of, and no interval wider than rounding."""
    cells = grid(x=[2, 4, 8, 16, 32], y=[2, 4, 8, 16, 32])
    mean = cost(numbers(cells, "x"), numbers(cells, "y"))  # type: ignore[operator]
    model = fit_cost_model(table_of(cells, mean, noise=0.0, repeats=3))
    assert model.chosen.structure == structure
    assert coefficients(model.chosen)[()] == pytest.approx(2)
    assert model.chosen.relative_error < 1e-9
    if structure == "product":
        assert coefficients(model.chosen)["x", "y"] == pytest.approx(3)
    if structure == "additive":
        assert model.exponents["y"].value == pytest.approx(1.5, abs=1e-3)


def test_three_numeric_factors() -> None:
    """Bits times outputs, and a little for each input: the structure is found among 64, the terms among 9 each."""
    cells = grid(bits=[16, 32, 64, 128], inputs=[1, 2, 4, 8], outputs=[1, 2, 4, 8])
    mean = 0.5 + 0.01 * numbers(cells, "bits") * numbers(cells, "outputs") + 0.3 * numbers(cells, "inputs")
    model = fit_cost_model(table_of(cells, mean, noise=0.02))
    found = coefficients(model.chosen)
    assert set(found) == {(), ("inputs",), ("bits", "outputs")}
    assert found["bits", "outputs"] == pytest.approx(0.01, rel=0.03)
    assert found["inputs",] == pytest.approx(0.3, rel=0.05)


@pytest.mark.parametrize(
    ("treatment", "cost"),
    [
        ("none", lambda x, b: 1 + x),
        ("shift", lambda x, b: 1 + 9 * b + x),
        ("scale", lambda x, b: (1 + x) * (1 + b)),
        ("own", lambda x, b: 1 + 4 * b + (1 + 2 * b) * x),
    ],
)
def test_what_a_level_changes(treatment: str, cost: object) -> None:
    cells = grid(x=[1, 2, 4, 8, 16], curve=["A", "B"])
    mean = cost(numbers(cells, "x"), (cells["curve"] == "B").astype(float))  # type: ignore[operator]
    model = fit_cost_model(table_of(cells, mean, noise=0.01))
    assert dict(model.chosen.treatments) == {"curve": treatment}


def test_categories_alone() -> None:
    """Two factors without numbers: scales on a constant."""
    cells = grid(curve=["A", "B", "C"], executor=["pool", "serial"])
    times = np.array([{"A": 1.0, "B": 2.0, "C": 3.0}[one] for one in cells["curve"]])
    model = fit_cost_model(table_of(cells, times * np.where(cells["executor"] == "serial", 2.0, 1.0), noise=0.02))
    assert model.chosen.structure == "constant"
    assert model.chosen.relative_error < 0.02
    assert all("C" not in one.formula or "executor" in one.formula for one in model.rivals)


def test_a_cost_that_falls() -> None:
    """Work shared among workers: c + a / x, with an exponent about -1."""
    workers = np.array([1, 2, 4, 8, 16])
    model = fit_cost_model(table_of({"workers": workers}, 1 + 8 / workers, noise=0.02))
    assert model.chosen.terms[1].powers == (-1.0,)
    assert model.exponents["workers"].low < -1 < model.exponents["workers"].high


def test_a_negative_fixed_cost_is_said() -> None:
    """It stays while the cost is above 0 where it was measured, and nothing is predicted where it is not."""
    levels = np.array([2, 4, 8, 16])
    model = fit_cost_model(table_of({"n": levels}, levels - 1.5, noise=0.005))
    assert "negative-fixed-cost" in codes(model)
    (prediction,) = model.predict([{"n": 1}])
    assert prediction.estimate is None
    assert prediction.refusal == (
        "the model has no cost above 0 there: its fixed cost is negative; measure a cell there"
    )


@given(
    unit=st.sampled_from([1e-9, 1e-3, 7.0, 1e12]),
    order=st.permutations(list(range(30))),
)
def test_unit_and_order_change_nothing(unit: float, order: list[int]) -> None:
    """In another unit everything follows the unit; the order of rows is forgotten."""
    random = np.random.default_rng(5)
    x = np.repeat([1, 2, 4, 8, 16], 6)
    values = (1 + 0.5 * x) * np.exp(0.03 * random.standard_normal(30))
    plain = fit_cost_model(build_cells({"x": x.tolist()}, values, unit="sec/op"))
    other = fit_cost_model(build_cells({"x": x[order].tolist()}, (values * unit)[order], unit="sec/op"))
    assert [one.structure for one in plain.rivals] == [one.structure for one in other.rivals]
    for one, two in zip(plain.chosen.terms, other.chosen.terms, strict=True):
        assert two.estimate.value == pytest.approx(one.estimate.value * unit, rel=1e-7)
        assert two.estimate.high == pytest.approx(one.estimate.high * unit, rel=1e-6)
    assert other.chosen.delta_bic == pytest.approx(plain.chosen.delta_bic, abs=1e-6)
    assert other.exponents["x"].low == pytest.approx(plain.exponents["x"].low, rel=1e-5)


def test_replicates_written_twice_keep_the_coefficients() -> None:
    """Doubling every value moves no coefficient of a fit: only certainty grows."""
    random = np.random.default_rng(6)
    x = np.repeat([1, 2, 4, 8, 16], 6)
    values = (1 + 0.5 * x) * np.exp(0.03 * random.standard_normal(30))
    once = fit_cost_model(build_cells({"x": x.tolist()}, values, unit="sec/op"))
    twice = fit_cost_model(build_cells({"x": np.tile(x, 2).tolist()}, np.tile(values, 2), unit="sec/op"))
    for one, two in zip(once.chosen.terms, twice.chosen.terms, strict=True):
        assert two.estimate.value == pytest.approx(one.estimate.value, rel=1e-9)
    assert twice.n == 2 * once.n


def test_lack_of_fit_is_told() -> None:
    """A bend that no term has, measured finely: p is small, and intervals come from how cells stray."""
    x = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32])
    cost = (1 + x) * (1 + 0.03 * (-1.0) ** np.arange(10))
    model = fit_cost_model(table_of({"x": x}, cost, noise=0.002))
    assert model.lack_of_fit < 1e-6
    assert "lack-of-fit" in codes(model)
    assert model.chosen.degrees_of_freedom == 8
    (prediction,) = model.predict([{"x": 10}])
    assert prediction.estimate is not None
    assert prediction.new_value is not None
    assert prediction.new_value.high / prediction.new_value.low > np.exp(4 * 0.03)


def messages(model: CostModel, code: str) -> list[str]:
    return [one.message for one in model.caveats if one.code == code]


def test_replicates_do_not_tell_the_shape() -> None:
    """However often three levels are repeated, one degree of freedom between cells judges nine shapes."""
    model = fit_cost_model(table_of({"x": [1, 2, 3]}, [15, 20, 25], noise=0.03, repeats=6))
    assert model.chosen.degrees_of_freedom > 10
    assert messages(model, "few-cells") == [
        "3 cells leave 1 degree of freedom between them to judge a search over many shapes by: intervals may be too "
        "narrow"
    ]


def test_three_levels_of_a_factor_do_not_tell_the_shape() -> None:
    """Nine cells of two factors leave freedom, but each factor has three levels; four levels are let pass."""
    cells = grid(x=[1, 2, 3], y=[1, 2, 3])
    mean = 2 + 5 * numbers(cells, "x") * numbers(cells, "y")
    model = fit_cost_model(table_of(cells, mean, noise=0.01))
    assert messages(model, "few-cells") == [
        f"{factor} has 3 levels, which leave 1 to judge its shape by: intervals hold if the shape is true"
        for factor in ("x", "y")
    ]
    cells = grid(x=[1, 2, 3, 4], y=[1, 2, 3, 4])
    mean = 2 + 5 * numbers(cells, "x") * numbers(cells, "y")
    assert not messages(fit_cost_model(table_of(cells, mean, noise=0.01)), "few-cells")


def test_categories_alone_have_no_shape() -> None:
    """Each level has its own mean, and replicates tell its interval: nothing is judged by freedom between cells."""
    model = fit_cost_model(table_of({"curve": ["A", "B", "C"]}, [1, 2, 5], noise=0.02, repeats=6))
    assert not codes(model) & {"few-cells", "form-uncertain"}


def test_other_forms_with_weight_are_told() -> None:
    """The share told is that of all rivals with other terms."""
    model = fit_cost_model(table_of({"x": [1, 2, 3]}, [15, 20, 25], noise=0.03, repeats=6))
    best = {(one.factors, one.powers, one.logs) for one in model.chosen.terms}
    others = sum(
        one.weight for one in model.rivals if {(term.factors, term.powers, term.logs) for term in one.terms} != best
    )
    assert others > 0.1
    assert messages(model, "form-uncertain") == [
        f"coefficients hold if this form is true; other forms hold {100 * others:.0f} % of the weight: read "
        "predictions, which are averaged"
    ]


def test_another_treatment_is_no_other_form() -> None:
    """On the transfer data the one rival gives each level of bits coefficients of its own, of the same terms."""
    model = fit_cost_model(transfer_cells(EXTRACT))
    assert len(model.rivals) == 2
    assert model.rivals[1].weight > 0.1
    assert "form-uncertain" not in codes(model)


@pytest.mark.parametrize("baseline", ["A", "B", "C"])
def test_scales_are_told_against_the_baseline(baseline: str) -> None:
    """Which level is 1 changes what is written, and nothing that is predicted."""
    cells = grid(x=[1, 2, 4, 8, 16], curve=["A", "B", "C"])
    times = {"A": 1.0, "B": 2.0, "C": 4.0}
    table = table_of(cells, (1 + numbers(cells, "x")) * [times[one] for one in cells["curve"]], noise=0.01)
    plain, model = fit_cost_model(table), fit_cost_model(table, baselines={"curve": baseline})
    assert {one.baseline for one in plain.chosen.scales} == {"A"}
    assert {(one.baseline, one.level) for one in model.chosen.scales} == {
        (baseline, one) for one in times if one != baseline
    }
    for one in model.chosen.scales:
        assert one.estimate.value == pytest.approx(times[str(one.level)] / times[baseline], rel=0.02)
    at = [{"x": 5, "curve": one} for one in times]
    for one, two in zip(plain.predict(at), model.predict(at), strict=True):
        assert one.estimate is not None
        assert two.estimate is not None
        assert two.estimate.value == pytest.approx(one.estimate.value, rel=1e-6)
        assert two.estimate.high == pytest.approx(one.estimate.high, rel=1e-6)


def test_a_baseline_that_is_no_level() -> None:
    table = table_of({"curve": ["A", "B", "C"]}, [1, 2, 5], noise=0.02)
    with pytest.raises(SelectionError, match="factor 'curve' has no level 'D' to be the baseline; it has A, B, C"):
        fit_cost_model(table, baselines={"curve": "D"})


def test_confounded_factors_are_named() -> None:
    """Bits and curve change together: one stands for both, and it is said."""
    x = np.tile([1, 2, 4, 8], 2)
    model = fit_cost_model(
        table_of({"x": x, "bits": np.repeat([32, 64], 4), "curve": np.repeat(["A", "B"], 4)}, 1.0 + x, noise=0.02)
    )
    assert model.categorical == ("bits",)
    assert "curve never changes while bits stays: what the model says of bits is the effect of both" in {
        one.message for one in model.caveats
    }


def test_a_factor_that_is_the_sum_of_others_is_named() -> None:
    cells = grid(a=[1, 2, 3, 4], b=[1, 2, 3, 4])
    cells["c"] = cells["a"] + cells["b"]
    model = fit_cost_model(table_of(cells, 1 + numbers(cells, "a"), noise=0.02))
    assert "a, b, c follow each other in the cells: their effects cannot be parted" in {
        one.message for one in model.caveats
    }


def test_single_measurements_and_two_levels_are_said() -> None:
    model = fit_cost_model(build_cells({"x": [1, 2, 4, 8]}, [2.0, 3.1, 4.9, 9.2], unit="sec/op"))
    assert {"one-replicate", "few-cells"} <= codes(model)
    assert np.isnan(model.lack_of_fit)
    two = fit_cost_model(build_cells({"x": [1, 1, 2, 2]}, [2.0, 2.1, 3.0, 3.1], unit="sec/op"))
    assert "two-levels" in codes(two)
    assert two.exponents == {}


def test_exact_counts_are_fitted() -> None:
    """Allocations have no noise: the likelihood has a floor, and the line is exact."""
    x = np.repeat([1, 2, 4, 8, 16], 3)
    model = fit_cost_model(build_cells({"x": x.tolist()}, 10.0 + 2 * x, unit="allocs/op"))
    assert model.chosen.formula == "10 allocs + 2 allocs * x"
    assert (model.lack_of_fit, model.exponents["x"].value) == (1.0, pytest.approx(1.0, abs=1e-6))
    flat = fit_cost_model(build_cells({"x": x.tolist()}, np.full(15, 12.0), unit="allocs/op"))
    assert flat.chosen.formula == "12 allocs"


@pytest.mark.parametrize(
    ("levels", "values", "numeric", "message"),
    [
        (
            [1, 1],
            [1.0, 2.0],
            None,
            "none of x has two levels; a cost model needs a factor that varies: measure another level",
        ),
        (
            [1, 2],
            [1.0, 2.0],
            None,
            "2 cells with 1 measurement each carry no cost model; repeat them, or measure a third level",
        ),
        (
            [1, 2, 3, 4],
            [1.0, 2.0, 0.0, 4.0],
            None,
            "the cell (x = 3) holds 0 sec/op (1 of 4 values are 0 or less); a cost model compares ratios: leave those "
            "rows out, or read the plain slopes",
        ),
        (
            [-1, 2, 3],
            [1.0, 2.0, 3.0],
            None,
            "factor 'x' has the level -1; powers and logarithms need levels of 0 or more: name it among the "
            "categorical factors, or count from 0",
        ),
        (
            ["a", 2, 3],
            [1.0, 2.0, 3.0],
            ["x"],
            "factor 'x' is to be numeric but has the level 'a'; treat it as categorical, or leave those rows out",
        ),
    ],
)
def test_what_carries_no_model(
    levels: list[object], values: list[float], numeric: list[str] | None, message: str
) -> None:
    with pytest.raises(DataError) as raised:
        fit_cost_model(build_cells({"x": levels}, values, unit="sec/op"), numeric)
    assert str(raised.value) == message


def test_unknown_names() -> None:
    table = build_cells({"outputs": [1, 2, 3, 4]}, [1.0, 2.0, 3.0, 4.1], unit="sec/op")
    with pytest.raises(SelectionError, match="no factor 'output'; did you mean 'outputs'"):
        fit_cost_model(table, ["output"])
    with pytest.raises(DataError, match="unknown term set 'wid'; did you mean 'wide'"):
        fit_cost_model(table, term_set="wid")


X = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32])


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


def test_a_factor_named_x_is_told_from_times() -> None:
    x = np.array([1, 2, 4, 8, 16, 32])
    model = fit_cost_model(table_of({"x": x}, 1 + x * np.log2(x), noise=0.0))
    assert model.chosen.formula == "1 s + 1 s * x * log2(x)"


def test_scales_are_factors_too() -> None:
    cells = grid(x=[1, 2, 4, 8, 16], curve=["A", "B"])
    mean = (1 + numbers(cells, "x")) * np.where(cells["curve"] == "B", 2.0, 1.0)
    model = fit_cost_model(table_of(cells, mean, noise=0.0))
    assert model.chosen.formula == "(1 s + 1 s * x) * 2 at curve = B"


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
