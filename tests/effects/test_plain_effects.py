"""Slopes, ratios and outlying cells, on real and made data; and tables nobody would draw."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import statsmodels.api as sm

from benchlib.effects.additive import fit_additive
from benchlib.effects.breakdown import break_down_cells
from benchlib.effects.cells import CellTable, build_cells, sort_factors
from benchlib.effects.interactions import find_interactions
from benchlib.effects.plain_effects import EffectsFit, analyse_cells
from benchlib.errors import DataError, SelectionError
from benchlib.statistics.estimates import Estimate
from tests.effects.tables import EXTRACT, transfer_cells


def slope(fit: EffectsFit, factor: str, **where: object) -> Estimate:
    (match,) = (own for own in fit.slopes if own.factor == factor and where.items() <= dict(own.slice).items())
    return match.estimate


def messages(fit: EffectsFit, code: str) -> list[str]:
    return [caveat.message for caveat in fit.caveats if caveat.code == code]


def factorial(noise: float, seed: int, *, of_cost: float = 1.0) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Three inputs x four outputs x two bits x six replicates of a known additive cost."""
    random = np.random.default_rng(seed)
    crossed = np.array([(b, i, o) for b in (32, 64) for i in (1, 2, 3) for o in (1, 2, 4, 8)] * 6)
    bits, inputs, outputs = crossed.T
    costs = (1.0 + 0.5 * inputs + 3.0 * outputs) * (bits / 32)
    return (
        {"bits": bits, "inputs": inputs, "outputs": outputs},
        of_cost * costs * random.lognormal(0, noise, costs.size),
    )


def test_exact_costs_come_out_exactly() -> None:
    """Without noise slopes, ratio and fixed cost to 1e-9; no allocation anywhere is slopes of 0 and no ratio."""
    fit = analyse_cells(build_cells(*factorial(0.0, 1), unit="s"))
    assert slope(fit, "inputs", bits=32).value == pytest.approx(0.5, rel=1e-9)
    assert slope(fit, "outputs", bits=64).value == pytest.approx(6.0, rel=1e-9)
    assert fit.slopes[0].fixed.value == pytest.approx(1.0, rel=1e-9)
    (ratio,) = fit.ratios
    assert (ratio.estimate.low, ratio.estimate.value, ratio.estimate.high) == pytest.approx((2.0,) * 3, rel=1e-12)
    free = analyse_cells(build_cells(*factorial(0.0, 1, of_cost=0.0), unit="allocs/op"))
    assert all(own.estimate.value == 0 for own in free.slopes)
    assert (free.ratios, free.special_cells, dict(free.variance.shares)) == ((), (), {})
    assert messages(free, "no-ratio") == ["12 pairs of cells of bits hold a 0 or less"]


def test_what_crosses_zero_has_no_ratio() -> None:
    """Differences from -4 to 8 plus 2: one level is no multiple of another, though some cells have logarithms."""
    size, mode, _ = np.array([(size, mode, run) for size in (1, 2, 3, 4) for mode in (0, 1) for run in range(6)]).T
    noise = np.random.default_rng(1).normal(0, 0.2, size.size)
    table = build_cells({"size": size, "mode": np.array(["a", "b"])[mode]}, 4 * size - 8 + 2 * mode + noise, unit="s")
    fit = analyse_cells(table)
    assert fit.ratios == ()
    assert slope(fit, "size", mode="a").value == pytest.approx(4, rel=0.05)


def test_order_and_copies_of_rows() -> None:
    """Shuffled rows give the same answer; doubled rows the same slopes from twice the n."""
    factors, costs = factorial(0.05, 3)
    order = np.random.default_rng(4).permutation(costs.size)
    fit = analyse_cells(build_cells(factors, costs, unit="s"))
    shuffled = {name: column[order] for name, column in factors.items()}
    assert analyse_cells(build_cells(shuffled, costs[order], unit="s")) == fit
    doubled = {name: np.tile(column, 2) for name, column in factors.items()}
    twice = analyse_cells(build_cells(doubled, np.tile(costs, 2), unit="s"))
    for single, double in zip(fit.slopes, twice.slopes, strict=True):
        assert double.estimate.value == pytest.approx(single.estimate.value, rel=1e-9)
        assert double.estimate.n == 2 * single.estimate.n


@pytest.mark.parametrize("noise", [0.05, 0.15, 0.5])
def test_noisy_single_cells_do_not_draw_slopes_down(noise: float) -> None:
    """Slopes of 20 single cells: 95 % covered within 3 standard errors, and the median slope off by less than 3."""
    levels = np.arange(1, 21)
    random, rounds = np.random.default_rng(1), 250
    slopes = []
    for _ in range(rounds):
        costs = (1 + 5 * levels) * random.lognormal(0, noise, 20)
        slopes.append(slope(analyse_cells(build_cells({"size": levels}, costs, unit="s")), "size"))
    covered = sum(own.low <= 5 <= own.high for own in slopes) / rounds
    bias = float(np.median([own.value for own in slopes])) / 5 - 1
    assert 0.97 + 0.02 >= covered >= 0.95 - max(0.025, 3 * (0.95 * 0.05 / rounds) ** 0.5)
    assert abs(bias) <= max(0.015, 3 * 1.25 * noise * 0.5 / rounds**0.5)


@pytest.mark.parametrize("seed", range(3))
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
    for place, ends in enumerate(known.conf_int(0.1)):
        estimate = fit.estimate(place, level=0.9, unit="s", n=20, method="t")
        assert (estimate.low, estimate.high) == pytest.approx(tuple(ends), rel=1e-8)


def test_levels_are_paired_by_run_where_runs_hold_them_all() -> None:
    """Three runs that differ 2.6-fold, beckn-onix: confirm costs 1.36 times discover (1.20 to 1.53) in each of them."""
    times = [605_000.0, 235_000, 316_000, 777_000, 332_000, 434_000]
    table = build_cells({"case": ["discover"] * 3 + ["confirm"] * 3}, times, unit="sec/op", runs=["1", "2", "3"] * 2)
    (ratio,) = analyse_cells(table, baselines={"case": "discover"}).ratios
    ends = (ratio.estimate.low, ratio.estimate.value, ratio.estimate.high)
    assert ends == pytest.approx((1.20, 1.36, 1.53), abs=0.005)
    apart = build_cells({"case": ["discover"] * 3 + ["confirm"] * 3}, times, unit="sec/op", runs=list("123456"))
    assert analyse_cells(apart, baselines={"case": "discover"}).ratios[0].estimate.low < 1


@pytest.mark.parametrize("size", [1e9, 1e300, 1e-300])
def test_costs_in_any_unit_and_near_the_ends_of_numbers(size: float) -> None:
    """Slopes, ratios and interactions of 1e300 or 1e-300 times the cost are so much larger, without a warning."""
    table, scaled = (build_cells(*factorial(0.05, 2, of_cost=by), unit="s") for by in (1, size))
    for small, large in zip(analyse_cells(table).slopes, analyse_cells(scaled).slopes, strict=True):
        ends = (large.estimate.value / size, large.estimate.low / size, large.estimate.high / size)
        assert ends == pytest.approx((small.estimate.value, small.estimate.low, small.estimate.high), rel=1e-9)
        assert large.relative_error == pytest.approx(small.relative_error, rel=1e-9)
    plain, other = find_interactions(table), find_interactions(scaled)
    for small_ratio, large_ratio in zip(plain.slope_ratios, other.slope_ratios, strict=True):
        assert large_ratio.ratio.high == pytest.approx(small_ratio.ratio.high, rel=1e-9)
    for small_change, large_change in zip(plain.slope_changes, other.slope_changes, strict=True):
        assert large_change.estimate.low / size == pytest.approx(small_change.estimate.low, rel=1e-9)
    for small_cross, large_cross in zip(plain.ratios_of_ratios, other.ratios_of_ratios, strict=True):
        assert large_cross.estimate.low == pytest.approx(small_cross.estimate.low, rel=1e-9)


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ([1, 2, 4, 8, "lots"], "the level 'lots' makes outputs a category, though its other 4 levels are numbers"),
        (["1", "2", "4", "8", "lots"],
         "the level 'lots' makes outputs a category, though its other 4 levels are numbers"),
        ([1, 2, 4, "few", "lots"],
         "the levels 'few', 'lots' make outputs a category, though its other 3 levels are numbers"),
        ([1, 2, "a", "b", "c"], None),
        (list("abcde"), None),
        ([1, 2, 3, 4, 5], None),
        ([1, 2, "none"], None),
    ],
)  # fmt: skip
def test_a_word_among_numbers_is_named(levels: list[object], message: str | None) -> None:
    """It makes a category of three numbers or more, written as such or in text; fewer numbers than words are none."""
    table = build_cells({"outputs": levels}, [1.0, 2.0, 4.0, 8.0, 30.0][: len(levels)], unit="s")
    for caveats in (analyse_cells(table).caveats, find_interactions(table).caveats):
        mixed = [(caveat.severity, caveat.message) for caveat in caveats if caveat.code == "mixed-levels"]
        assert mixed == ([("warning", message)] if message else [])
    assert not message or sort_factors(table) == ((), ("outputs",))


def test_special_cells_are_no_excuse_for_noise_or_a_wrong_model() -> None:
    """In 100 noisy tables (20 %) of an additive cost no cell is set apart; a power of the factor is a poor fit."""
    tables = (build_cells(*factorial(0.2, seed), unit="s") for seed in range(100))
    assert sum(len(analyse_cells(table).special_cells) for table in tables) == 0
    sizes = np.array([1, 2, 4, 8, 16, 32, 64, 128])
    fit = analyse_cells(build_cells({"size": sizes}, 3.0 ** np.log2(sizes) * 2.0 ** np.log2(sizes), unit="s"))
    (own,) = fit.slopes
    assert own.misses_cells
    twice = analyse_cells(build_cells({"size": np.tile(sizes, 2)}, 6.0 ** np.log2(np.tile(sizes, 2)), unit="s"))
    assert not twice.slopes[0].estimate.has_interval, "replicates show that the line fails"
    assert messages(fit, "poor-fit") == [
        f"a cost per unit of size misses the cells by {100 * own.relative_error:.0f} % of their cost"
    ]


def test_what_the_cells_cannot_part() -> None:
    """Confounded factors get no slope, levels never measured alike no ratio, a slope of two cells no interval."""
    size = np.repeat([1.0, 2.0], 4)
    size[0] = 3.0
    inputs = np.array([1, 2, 3, 4] * 2)
    fit = analyse_cells(build_cells({"inputs": inputs, "twice": 2 * inputs, "size": size}, 5.0 + inputs, unit="s"))
    assert [own.factor for own in fit.slopes] == ["size"]
    assert messages(fit, "confounded") == ["inputs, twice vary together: their effects cannot be parted"]
    fit = analyse_cells(build_cells({"curve": ["A", "B"], "executor": ["x", "y"]}, [1.0, 2.0], unit="s"))
    assert fit.ratios == ()
    assert "no cell of curve = B matches one of curve = A in the other factors" in messages(fit, "confounded")
    (own,) = analyse_cells(build_cells({"n": [1, 2]}, [1.0, 3.0], unit="s")).slopes
    assert (own.estimate.value, own.estimate.has_interval) == (pytest.approx(2.0), False)


def test_factors_can_be_named_and_wrong_names_are_refused() -> None:
    """A two-level number is a category unless it is asked to be numeric; each mistake says what to do."""
    table = transfer_cells(EXTRACT)
    assert [ratio.factor for ratio in analyse_cells(table).ratios] == ["bits"]
    by_slope = analyse_cells(table, numeric_factors=["bits", "inputs", "outputs"])
    assert by_slope.ratios == ()
    assert {own.factor for own in by_slope.slopes} == {"bits", "inputs", "outputs"}
    for options, kind, message in (
        ({"numeric_factors": ["output"]}, SelectionError, "no factor 'output'; did you mean 'outputs'"),
        ({"baselines": {"bits": 16}}, SelectionError, "has no level '16' to be the baseline; it has 32, 64"),
        ({"numeric_factors": ["curve"]}, DataError, "to be numeric but has the level 'BN254'"),
        ({"numeric_factors": ["bits"], "categorical_factors": ["bits"]}, DataError, "as numeric and as categorical"),
    ):
        for ask in (analyse_cells, find_interactions):
            with pytest.raises(kind, match=message):
                ask(table, **options)


# Tables nobody would draw: every question answers or refuses in one line, without a warning of arithmetic.

#: Levels and costs as they are drawn: tiny, huge, in words, near the ends of numbers, whole, negative, constant.
LEVELS: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
    lambda code: code,
    lambda code: code * 1e9,
    lambda code: code / 1e12,
    lambda code: 2.0**code,
    lambda code: np.array(list("abcd"))[code],
)
COSTS: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
    *(lambda costs, by=by: costs * by for by in (1, 1e100, 1e-100, 1e280, 1e-280)),
    np.round,
    lambda costs: costs - 1,
    lambda costs: np.full(costs.size, 3.0),
)


def wild_tables(seed: int) -> list[CellTable]:
    """Two tables of one to three factors with one to four levels, of one to forty values."""
    random = np.random.default_rng(seed)
    size = int(random.integers(1, 40))
    factors = {
        name: LEVELS[random.integers(len(LEVELS))](random.integers(0, random.integers(1, 5), size))
        for name in "abc"[: random.integers(1, 4)]
    }
    cost = COSTS[random.integers(len(COSTS))]
    return [
        build_cells(factors, cost(random.lognormal(0, random.choice([0.01, 1, 5]), size)), unit="sec/op")
        for _ in range(2)
    ]


def test_no_table_breaks_a_question() -> None:
    """pytest turns any warning into an error."""
    for seed in range(400):
        table, other = wild_tables(seed)
        for question in (
            analyse_cells,
            find_interactions,
            lambda table, other=other: break_down_cells(table, {"part": other}),
        ):
            try:
                question(table)
            except DataError as error:
                assert "\n" not in str(error)  # noqa: PT017 - a refusal is the other good answer
                assert len(str(error)) < 400  # noqa: PT017
