"""Slopes, ratios, outlying cells and importance, on real and made data."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import statsmodels.api as sm

from benchlib.effects.additive import fit_additive
from benchlib.effects.cells import CellTable, build_cells, sort_factors
from benchlib.effects.interactions import find_interactions
from benchlib.effects.plain_effects import EffectsFit, analyse_cells
from benchlib.errors import DataError, SelectionError

# BenchmarkSender of the Panurus token SDK, commit 6c2a93e1, go test -test.count 6, 2-core AMD EPYC, idle.
EXTRACT = Path(__file__).parent / "data" / "transfer_bn254.txt"
ROW = re.compile(
    r"Benchmark(\w+)/Setup\(bits_(\d+),_curve_(\w+),_#i_(\d+),_#o_(\d+)\)\S*\s+\d+\s+([\d.]+) ns/op"
    r"\s+(\d+) B/op\s+(\d+) allocs/op"
)
UNITS = {"sec/op": (6, 1e-9), "B/op": (7, 1.0), "allocs/op": (8, 1.0)}


def transfer_cells(path: Path, unit: str = "sec/op", benchmark: str = "Sender") -> CellTable:
    found = [one for line in path.read_text(encoding="utf-8").splitlines() if (one := ROW.match(line))]
    rows = [row for row in found if row[1] == benchmark]
    group, factor = UNITS[unit]
    return build_cells(
        {
            "bits": [int(row[2]) for row in rows],
            "curve": [row[3] for row in rows],
            "inputs": [int(row[4]) for row in rows],
            "outputs": [int(row[5]) for row in rows],
        },
        [float(row[group]) * factor for row in rows],
        unit=unit,
    )


def slope(fit: EffectsFit, factor: str, **where: object):  # type: ignore[no-untyped-def]
    (found,) = (one for one in fit.slopes if one.factor == factor and where.items() <= dict(one.slice).items())
    return found.estimate


def test_an_output_costs_11_ms_and_20_ms() -> None:
    """On BN254 an output costs about 11 ms at 32 bits and 20 ms at 64; an input next to nothing."""
    fit = analyse_cells(transfer_cells(EXTRACT))
    assert slope(fit, "outputs", bits=32).value == pytest.approx(0.011, rel=0.03)
    assert slope(fit, "outputs", bits=64).value == pytest.approx(0.020, rel=0.03)
    for bits in (32, 64):
        outputs, inputs = slope(fit, "outputs", bits=bits), slope(fit, "inputs", bits=bits)
        assert inputs.low < 0 < inputs.high
        assert max(abs(inputs.low), inputs.high) < 0.05 * outputs.value
        assert outputs.high / outputs.low < 1.05
        assert outputs.unit == "sec/op"
    assert "one-level" in {one.code for one in fit.caveats}


@pytest.mark.parametrize("unit", UNITS)
def test_one_in_one_out_stands_apart(unit: str) -> None:
    """The cell without a range proof is named in each slice, in time, memory and allocations."""
    fit = analyse_cells(transfer_cells(EXTRACT, unit))
    assert {(one.levels["bits"], one.levels["inputs"], one.levels["outputs"]) for one in fit.special_cells} == {
        (32, 1, 1),
        (64, 1, 1),
    }
    assert all(one.expected > 10 * one.observed for one in fit.special_cells)
    assert all(one.n_cells == 8 for one in fit.slopes)


def test_the_whole_factorial(shared_samples: Path) -> None:
    """Four slices, four special cells, 64 bits at 1.76x, and outputs matter most."""
    fit = analyse_cells(
        transfer_cells(shared_samples / "token-sdk" / "transfer" / "transfer_bulletproof.txt"),
        baselines={"curve": "BN254"},
    )
    assert len(fit.slopes) == 8
    assert {(one.levels["inputs"], one.levels["outputs"]) for one in fit.special_cells} == {(1, 1)}
    assert len(fit.special_cells) == 4
    ratios = {one.factor: one for one in fit.ratios}
    assert ratios["bits"].estimate.value == pytest.approx(1.76, abs=0.02)
    assert ratios["bits"].n_matched == 16
    assert (ratios["curve"].level, ratios["curve"].baseline) == ("BLS12_381_BBS_GURVY", "BN254")
    assert ratios["curve"].estimate.value == pytest.approx(1.51, abs=0.02)
    assert list(fit.variance.main_shares) == ["outputs", "bits", "curve", "inputs"]
    assert fit.variance.main_shares["inputs"] < 0.001


def test_verification_stands_apart_too(shared_samples: Path) -> None:
    """Verification shows the same cell apart, and inputs cost a little."""
    path = shared_samples / "token-sdk" / "transfer" / "transfer_bulletproof.txt"
    fit = analyse_cells(transfer_cells(path, benchmark="VerificationSenderProof"))
    assert len(fit.special_cells) == 4
    assert all(one.estimate.low > 0 for one in fit.slopes)


def test_fan_out_from_level_zero() -> None:
    """One numeric factor, level 0 included: a slope per subscriber and a fixed cost."""
    random = np.random.default_rng(2)
    subscribers = np.repeat([0, 1, 10, 100], 6)
    times = (18e-9 + 10e-9 * subscribers) * random.lognormal(0, 0.02, subscribers.size)
    fit = analyse_cells(build_cells({"subscribers": subscribers}, times, unit="sec/op"))
    (found,) = fit.slopes
    assert (found.factor, dict(found.slice), found.n_cells) == ("subscribers", {}, 4)
    assert found.estimate.low < 10e-9 < found.estimate.high
    assert found.fixed.value == pytest.approx(18e-9, rel=0.05)
    assert fit.special_cells == ()


def factorial(noise: float, seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Three inputs x four outputs x two bits x six replicates of a known additive cost."""
    random = np.random.default_rng(seed)
    grid = np.array([(b, i, o) for b in (32, 64) for i in (1, 2, 3) for o in (1, 2, 4, 8)] * 6)
    bits, inputs, outputs = grid.T
    costs = (1.0 + 0.5 * inputs + 3.0 * outputs) * (bits / 32)
    return (
        {"bits": bits, "inputs": inputs, "outputs": outputs},
        costs * random.lognormal(0, noise, costs.size),
    )


def test_exact_costs_are_found_exactly() -> None:
    """Without noise the slopes, the ratio and the fixed cost come out to 1e-9."""
    factors, costs = factorial(0.0, 1)
    fit = analyse_cells(build_cells(factors, costs, unit="s"))
    assert slope(fit, "inputs", bits=32).value == pytest.approx(0.5, rel=1e-9)
    assert slope(fit, "outputs", bits=64).value == pytest.approx(6.0, rel=1e-9)
    assert fit.slopes[0].fixed.value == pytest.approx(1.0, rel=1e-9)
    (ratio,) = fit.ratios
    assert ratio.estimate.value == pytest.approx(2.0, rel=1e-12)
    assert ratio.estimate.low == pytest.approx(2.0) == ratio.estimate.high


def test_row_order_and_duplicates() -> None:
    """Shuffled rows give the same answer; doubled rows the same slopes from twice the n."""
    factors, costs = factorial(0.05, 3)
    order = np.random.default_rng(4).permutation(costs.size)
    one = analyse_cells(build_cells(factors, costs, unit="s"))
    shuffled = {name: column[order] for name, column in factors.items()}
    assert analyse_cells(build_cells(shuffled, costs[order], unit="s")) == one
    doubled = {name: np.tile(column, 2) for name, column in factors.items()}
    twice = analyse_cells(build_cells(doubled, np.tile(costs, 2), unit="s"))
    for single, double in zip(one.slopes, twice.slopes, strict=True):
        assert double.estimate.value == pytest.approx(single.estimate.value, rel=1e-9)
        assert double.estimate.n == 2 * single.estimate.n


def slope_coverage(rounds: int) -> float:
    hits = total = 0
    for seed in range(rounds):
        fit = analyse_cells(build_cells(*factorial(0.05, 1000 + seed), unit="s"))
        for factor, truth in (("inputs", 0.5), ("outputs", 3.0)):
            found = slope(fit, factor, bits=32)
            hits += found.low <= truth <= found.high
            total += 1
    return hits / total


def test_slope_intervals_cover() -> None:
    """At 5 % noise the t intervals of slopes cover 95 %, within 3 standard errors."""
    assert abs(slope_coverage(150) - 0.95) <= 3 * (0.95 * 0.05 / 300) ** 0.5


@pytest.mark.heavy
def test_slope_intervals_cover_at_length() -> None:
    """The same over 2,000 rounds: 93 to 97 %."""
    assert 0.93 <= slope_coverage(2000) <= 0.97


def noisy_slopes(noise: float, rounds: int) -> tuple[float, float]:
    """How often slopes of 20 single cells cover the truth, and how far off their median is."""
    levels = np.arange(1, 21)
    random = np.random.default_rng(1)
    found = []
    for _ in range(rounds):
        costs = (1 + 5 * levels) * random.lognormal(0, noise, 20)
        found.append(slope(analyse_cells(build_cells({"size": levels}, costs, unit="s")), "size"))
    covered = sum(one.low <= 5 <= one.high for one in found) / rounds
    return covered, float(np.median([one.value for one in found])) / 5 - 1


@pytest.mark.parametrize("noise", [0.15, 0.5])
def test_noisy_single_cells_do_not_draw_slopes_down(noise: float) -> None:
    """250 tables: 95 % covered within 3 standard errors, and the median slope off by less than 3 of its own."""
    covered, bias = noisy_slopes(noise, 250)
    assert covered >= 0.95 - 3 * (0.95 * 0.05 / 250) ** 0.5
    assert abs(bias) <= 3 * 1.25 * noise * 0.5 / 250**0.5


@pytest.mark.heavy
@pytest.mark.parametrize("noise", [0.05, 0.15, 0.3, 0.5])
def test_noisy_single_cells_do_not_draw_slopes_down_at_length(noise: float) -> None:
    """2,000 tables: 92.5 to 97 % covered, the median slope within 1.5 % of the truth."""
    covered, bias = noisy_slopes(noise, 2000)
    assert 0.925 <= covered <= 0.97
    assert abs(bias) <= 0.015


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_costs_near_the_ends_of_numbers(size: float) -> None:
    """Slopes, ratios and interactions of 1e300 or 1e-300 times the cost are so much larger, without a warning."""
    factors, costs = factorial(0.05, 2)
    one, other = build_cells(factors, costs, unit="s"), build_cells(factors, costs * size, unit="s")
    for small, large in zip(analyse_cells(one).slopes, analyse_cells(other).slopes, strict=True):
        ends = (large.estimate.value / size, large.estimate.low / size, large.estimate.high / size)
        assert ends == pytest.approx((small.estimate.value, small.estimate.low, small.estimate.high), rel=1e-9)
        assert large.relative_error == pytest.approx(small.relative_error, rel=1e-9)
    first, second = find_interactions(one), find_interactions(other)
    for small_ratio, large_ratio in zip(first.slope_ratios, second.slope_ratios, strict=True):
        assert large_ratio.ratio.high == pytest.approx(small_ratio.ratio.high, rel=1e-9)
        assert large_ratio.difference.low / size == pytest.approx(small_ratio.difference.low, rel=1e-9)
    for small_change, large_change in zip(first.slope_changes, second.slope_changes, strict=True):
        assert large_change.estimate.low / size == pytest.approx(small_change.estimate.low, rel=1e-9)
        assert large_change.ratios[0].high == pytest.approx(small_change.ratios[0].high, rel=1e-9)


def test_a_word_among_numbers_is_named() -> None:
    """1, 2, 4, 8 and lots: a category, and the caveat says because of what; so in text; not with two numbers."""
    costs = [1.0, 2.0, 4.0, 8.0, 30.0]
    for levels in ([1, 2, 4, 8, "lots"], ["1", "2", "4", "8", "lots"]):
        table = build_cells({"outputs": levels}, costs, unit="s")
        for caveats in (analyse_cells(table).caveats, find_interactions(table).caveats):
            assert [(one.severity, one.message) for one in caveats if one.code == "mixed-levels"] == [
                ("warning", "the level 'lots' makes outputs a category, though its other 4 levels are numbers")
            ]
        assert sort_factors(table) == ((), ("outputs",))
    several = analyse_cells(build_cells({"outputs": [1, 2, 4, "few", "lots"]}, costs, unit="s"))
    assert [one.message for one in several.caveats if one.code == "mixed-levels"] == [
        "the levels 'few', 'lots' make outputs a category, though its other 3 levels are numbers"
    ]
    for levels in ([1, 2, "a", "b", "c"], list("abcde"), [1, 2, 3, 4, 5], [1, 2, "none"]):
        plain = analyse_cells(build_cells({"outputs": levels}, costs[: len(levels)], unit="s"))
        assert "mixed-levels" not in {one.code for one in plain.caveats}


def test_noise_makes_no_special_cells() -> None:
    """In 200 noisy tables (20 %) of an additive cost no cell is set apart."""
    tables = (build_cells(*factorial(0.2, seed), unit="s") for seed in range(200))
    assert sum(len(analyse_cells(table).special_cells) for table in tables) == 0


def test_a_wrong_model_is_not_blamed_on_cells() -> None:
    """A cost that is a power of the factor is a poor fit, not a table of special cells."""
    sizes = np.array([1, 2, 4, 8, 16, 32, 64, 128])
    fit = analyse_cells(build_cells({"size": sizes}, 3.0 ** np.log2(sizes) * 2.0 ** np.log2(sizes), unit="s"))
    assert "poor-fit" in {one.code for one in fit.caveats}


def test_factors_that_vary_together_are_named() -> None:
    """Confounded factors get no slope, and the caveat names them."""
    inputs = np.array([1, 2, 3, 4, 1, 2, 3, 4])
    size = np.array([1, 1, 1, 1, 2, 2, 2, 2]) * 1.0
    size[0] = 3.0
    table = build_cells({"inputs": inputs, "twice": 2 * inputs, "size": size}, 5.0 + inputs, unit="s")
    fit = analyse_cells(table)
    assert [one.factor for one in fit.slopes] == ["size"]
    (message,) = (one.message for one in fit.caveats if one.code == "confounded")
    assert "inputs, twice vary together" in message


def test_levels_never_measured_alike_have_no_ratio() -> None:
    """Two categories that change together cannot be parted."""
    fit = analyse_cells(build_cells({"curve": ["A", "B"], "executor": ["x", "y"]}, [1.0, 2.0], unit="s"))
    assert fit.ratios == ()
    assert sum(one.code == "confounded" for one in fit.caveats) == 2


def test_zero_costs() -> None:
    """No allocation anywhere: slopes of 0, no ratio, no importance, no warning of arithmetic."""
    factors, costs = factorial(0.0, 1)
    fit = analyse_cells(build_cells(factors, 0.0 * costs, unit="allocs/op"))
    assert all(one.estimate.value == 0 for one in fit.slopes)
    assert (fit.ratios, fit.special_cells, dict(fit.variance.main_shares)) == ((), (), {})
    assert "no-ratio" in {one.code for one in fit.caveats}


def test_as_many_cells_as_unknowns() -> None:
    """Two cells give a slope but no interval."""
    (found,) = analyse_cells(build_cells({"n": [1, 2]}, [1.0, 3.0], unit="s")).slopes
    assert found.estimate.value == pytest.approx(2.0)
    assert not found.estimate.has_interval


def test_factors_can_be_named() -> None:
    """A two-level number is a category unless it is asked to be numeric."""
    table = transfer_cells(EXTRACT)
    by_ratio = analyse_cells(table)
    assert [one.factor for one in by_ratio.ratios] == ["bits"]
    by_slope = analyse_cells(table, numeric_factors=["bits", "inputs", "outputs"])
    assert by_slope.ratios == ()
    assert {one.factor for one in by_slope.slopes} == {"bits", "inputs", "outputs"}


def test_wrong_names_are_refused() -> None:
    """A misspelt factor or baseline, text as a number, one factor as both: each says what to do."""
    table = transfer_cells(EXTRACT)
    with pytest.raises(SelectionError, match="no factor 'output'; did you mean 'outputs'"):
        analyse_cells(table, numeric_factors=["output"])
    with pytest.raises(SelectionError, match="has no level '16' to be the baseline"):
        analyse_cells(table, baselines={"bits": 16})
    with pytest.raises(DataError, match="to be numeric but has the level 'BN254'"):
        analyse_cells(table, numeric_factors=["curve"])
    with pytest.raises(DataError, match="named as numeric and as categorical"):
        analyse_cells(table, ["bits"], ["bits"])


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
    for place, ends in enumerate(known.conf_int(0.1)):
        estimate = fit.estimate(place, level=0.9, unit="s", n=20, method="t")
        assert (estimate.low, estimate.high) == pytest.approx(tuple(ends), rel=1e-8)
