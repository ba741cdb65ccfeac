"""What the data say of a number: profiles, differences between curves, coverage."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import optimize

from benchlib.errors import DataError
from benchlib.scaling.curve import ScalingCurve, build_curve
from benchlib.scaling.fit import fit_law
from benchlib.scaling.intervals import QUANTITIES, compare_parameter, profile_intervals, quantity_named
from benchlib.scaling.laws import LAWS
from benchlib.scaling.solver import Objective, Solution, objective_of, solve_twice
from tests.scaling.simulations import Count, Scenario, count_fits, count_own_weights

# Profile intervals against another optimiser: what is inside is allowed, what is outside is not.

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
TRUTHS = {
    "usl": (100.0, 0.03, 5e-4),
    "amdahl": (100.0, 0.05),
    "plateau": (100.0, 11.0),
}


def solved(law: str, seed: int, weights: str = "relative", noise: float = 0.03) -> Solution:
    generator = np.random.default_rng(seed)
    x = LAWS[law].throughput(LEVELS, *TRUTHS[law]) * np.exp(noise * generator.standard_normal(len(LEVELS)))
    return solve_twice(objective_of(build_curve(LEVELS, x, unit="op/sec"), weights), LAWS[law], 0.95)


def lowest_sum(solution: Solution, quantity: Callable[[np.ndarray], float], held: float) -> float:
    """Return the smallest sum of squares with a quantity held, by SciPy's SLSQP from several starts."""
    law, best = solution.law, solution.feasible.parameters
    evaluate = solution.objective.evaluator(law)
    size = np.where(best != 0, np.abs(best), 1e-4)

    def total(scaled: np.ndarray) -> float:
        residuals = evaluate((scaled * size)[np.newaxis])[0][0]
        return float(residuals @ residuals) / solution.variance if np.all(np.isfinite(residuals)) else 1e9

    found = []
    for factor in (1.0, 0.8, 1.25):
        outcome = optimize.minimize(
            total,
            best / size * factor,
            method="SLSQP",
            bounds=[
                (max(low, 1e-12) / one, high / one) for low, high, one in zip(law.lower, law.upper, size, strict=True)
            ],
            constraints={"type": "eq", "fun": lambda scaled: quantity(scaled * size) / held - 1},
            options={"ftol": 1e-13, "maxiter": 1000},
        )
        if outcome.success:
            found.append(outcome.fun)
    return min(found) * solution.variance


@pytest.mark.parametrize("weights", ["relative", "none"])
@pytest.mark.parametrize(("law", "name"), [(law, name) for law, names in QUANTITIES.items() for name in names])
def test_each_end_costs_what_is_allowed(law: str, name: str, weights: str) -> None:
    """With a derived quantity held at an end of its interval, the best refit raises the sum by s² F, no less."""
    solution = solved(law, 12, weights)
    best = solution.feasible
    ends = profile_intervals(solution, [name])[name]
    value = float(quantity_named(solution.law, name)(best.parameters[np.newaxis])[0])
    assert ends[0] < value < ends[1]
    finite = [end for end in ends if 0 < end < math.inf]
    assert finite
    for end in finite:
        held = lowest_sum(solution, lambda p: float(quantity_named(solution.law, name)(p[np.newaxis])[0]), end)
        rise = held - best.sum_of_squares
        assert rise == pytest.approx(solution.rise, rel=2e-3), (name, end)


@pytest.mark.parametrize("seed", range(30, 36))
def test_a_peak_has_no_upper_end_where_amdahl_is_not_ruled_out(seed: int) -> None:
    """Without coherency there is no peak: as long as such a law is allowed, the end is infinite, and only then."""
    generator = np.random.default_rng(seed)
    x = LAWS["usl"].throughput(LEVELS, 100.0, 0.03, 1e-4) * np.exp(0.05 * generator.standard_normal(7))
    curve = build_curve(LEVELS, x, unit="op/sec")
    fit = fit_law(curve, "usl")
    solution = solve_twice(objective_of(curve, "relative"), LAWS["usl"], 0.95)
    without = solve_twice(objective_of(curve, "relative"), LAWS["amdahl"], 0.95).feasible.sum_of_squares
    allowed = without <= solution.feasible.sum_of_squares + solution.rise
    assert fit.peak is not None
    assert math.isinf(fit.peak.high) == allowed


def test_a_higher_level_holds_the_lower() -> None:
    """The interval at 99 % holds the one at 95 %, which holds the one at 80 %, for every quantity."""
    generator = np.random.default_rng(3)
    x = LAWS["usl"].throughput(LEVELS, 100.0, 0.03, 5e-4) * np.exp(0.03 * generator.standard_normal(7))
    narrow, usual, wide = (
        fit_law(build_curve(LEVELS, x, unit="op/sec"), "usl", confidence_level=level) for level in (0.8, 0.95, 0.99)
    )
    for name in ("peak", "knee", "ceiling", "saturation_point"):
        inner, middle, outer = (getattr(fit, name) for fit in (narrow, usual, wide))
        assert outer.low < middle.low < inner.low < inner.value < inner.high < middle.high <= outer.high


def test_quantities_asked_together_are_as_alone() -> None:
    """One search finds the ends of all quantities, and no quantity feels the others."""
    solution = solved("usl", 5)
    together = profile_intervals(solution, list(QUANTITIES["usl"]))
    for name, ends in together.items():
        assert ends == pytest.approx(profile_intervals(solution, [name])[name], rel=1e-6)


def test_no_noise_no_width() -> None:
    """A rise that is rounding gives the value itself, without a search."""
    n = LEVELS
    objective: Objective = objective_of(
        build_curve(n, LAWS["usl"].throughput(n, 7.0, 0.1, 1e-3), unit="op/sec"), "relative"
    )
    solution = solve_twice(objective, LAWS["usl"], 0.95)
    found = profile_intervals(solution, ["peak"])
    assert found["peak"] == pytest.approx((30.0, 30.0), rel=1e-9)


@pytest.mark.parametrize("noise", [0.05, 0.15])
@pytest.mark.parametrize(("law", "spread"), [("usl", 2.0), ("amdahl", 2.0), ("plateau", 1.0)])
def test_nothing_that_is_allowed_lies_outside(law: str, spread: float, noise: float) -> None:
    """Of 40,000 parameters around a fit none with a sum below the limit implies a value outside its interval.

    And the ends lie close: some that are allowed come within a twentieth of the interval to each finite one.
    Six curves each, of five or seven levels: with a loss on its bound, with several dips, with no end upwards.
    """
    for seed in range(6):
        levels = LEVELS if seed % 2 else LEVELS[:5]
        generator = np.random.default_rng(seed)
        x = LAWS[law].throughput(levels, *TRUTHS[law]) * np.exp(noise * generator.standard_normal(len(levels)))
        solution = solve_twice(objective_of(build_curve(levels, x, unit="op/sec"), "relative"), LAWS[law], 0.95)
        best, formula = solution.feasible, solution.objective.evaluator(solution.law)
        limit = best.sum_of_squares + solution.rise
        steps = generator.standard_normal((40_000, len(best.parameters)))
        tried = best.parameters * np.exp(spread * steps * generator.choice([0.05, 0.2, 1.0], (40_000, 1)))
        if law != "plateau":
            # Losses that are 0, and some that come from nothing.
            tried[::3, 1:] += np.abs(steps[::3, 1:]) * [0.1, 0.02][: len(best.parameters) - 1]
            tried[::5, -1] = 0.0
            tried[::7, 1] = 0.0
        tried[:, 1:] = np.clip(tried[:, 1:], solution.law.lower[1:], solution.law.upper[1:])
        # The rate that suits each best, moved a little: else nearly none would be allowed.
        tried[:, 0] *= np.exp(-formula(tried)[0].mean(axis=1) + 0.3 * solution.rise**0.5 * steps[:, 0])
        allowed = tried[(formula(tried)[0] ** 2).sum(axis=1) <= limit]
        assert len(allowed) > 100
        intervals = profile_intervals(solution, list(QUANTITIES[law]))
        for name, (low, high) in intervals.items():
            values = quantity_named(solution.law, name)(allowed)
            slack = 1e-5
            assert values.min() >= low * (1 - slack), (name, seed)
            assert values.max() <= high * (1 + slack), (name, seed)


def test_an_end_beside_a_bound_is_found() -> None:
    """A search that stops at the bound says 0.66614; the lowest ceiling allowed lies beside it, at 0.665931."""
    curve = build_curve([1, 2, 4, 8], [91.3034, 148.505, 216.567, 244.698], unit="op/sec")
    solution = solve_twice(objective_of(curve, "relative"), LAWS["usl"], 0.99)
    low, high = profile_intervals(solution, ["ceiling"])["ceiling"]
    assert low == pytest.approx(0.665930949681, rel=1e-5)
    assert high == math.inf


# Whether a parameter of a law changed between curves, and by how much.

COMPARED_LEVELS = np.repeat([1.0, 2.0, 4.0, 8.0, 16.0, 32.0], 3)


def curve(
    law: str, *parameters: float, seed: int, noise: float = 0.05, levels: np.ndarray = COMPARED_LEVELS
) -> ScalingCurve:
    """A curve of a law with multiplicative noise."""
    scatter = np.exp(noise * np.random.default_rng(seed).standard_normal(len(levels)))
    return build_curve(levels, LAWS[law].throughput(levels, *parameters) * scatter, unit="op/sec")


def test_values_are_those_of_each_curve_alone() -> None:
    """Each with its own noise: a quiet curve does not pay for a noisy one."""
    quiet, noisy = (curve("usl", 100, 0.05, 0.001, seed=1, noise=noise) for noise in (0.01, 0.1))
    curves = {"quiet": quiet, "noisy": noisy}
    compared = compare_parameter(curves, "usl", "contention")
    assert compared.values == {name: fit_law(one, "usl").parameters["contention"] for name, one in curves.items()}
    errors = [compared.values[name].standard_error for name in curves]
    assert compared.differences["noisy"].standard_error == pytest.approx(math.hypot(*errors), rel=1e-9)


def test_rates_of_lines_differ_as_welch_says() -> None:
    """Of unweighted lines through 0 the rate is a weighted mean; Welch 1947 by hand."""
    curves = {name: curve("linear", rate, seed=seed) for seed, (name, rate) in enumerate({"a": 100, "b": 103}.items())}
    difference = compare_parameter(curves, "linear", "rate_at_one", weights="none").differences["b"]
    rates, squares = [], []
    for one in curves.values():
        n, x = one.rows
        rates.append(float(n @ x / (n @ n)))
        squares.append(float(np.sum((x - rates[-1] * n) ** 2) / (len(n) - 1) / (n @ n)))
    assert difference.value == pytest.approx(rates[1] - rates[0], rel=1e-9)
    assert difference.standard_error == pytest.approx(math.sqrt(sum(squares)), rel=1e-9)
    freedom = sum(squares) ** 2 / sum(one**2 / 17 for one in squares)
    assert difference.method == f"difference of fits without bounds, Welch t({freedom:.3g})"


def test_curves_of_two_levels_are_compared_by_the_serial_fraction() -> None:
    """Amdahl's law needs 3 levels to be judged; to compare what it says, replicates at 1 and 2 workers are enough."""
    levels = np.repeat([1.0, 2.0], 3)
    curves = {
        str(serial): curve("amdahl", 60.0, serial, seed=1, levels=levels, noise=0.01) for serial in (0.1, 0.12, 0.5)
    }
    compared = compare_parameter(curves, "amdahl", "serial_fraction")
    assert compared.verdict == "changed"
    assert compared.differences["0.12"].low < 0.02 < compared.differences["0.12"].high
    assert compared.differences["0.5"].low > 0.2


def test_a_change_is_seen_with_its_size() -> None:
    """Contention that doubles is told apart, with an interval around the truth."""
    curves = {"old": curve("usl", 100, 0.05, 0.001, seed=8), "new": curve("usl", 200, 0.10, 0.001, seed=9)}
    compared = compare_parameter(curves, "usl", "contention")
    assert compared.verdict == "changed"
    assert compared.differences["new"].low < 0.05 < compared.differences["new"].high
    assert list(compared.differences) == ["new"]
    assert list(compared.values) == ["old", "new"]


def test_order_and_unit_are_irrelevant() -> None:
    """The p value is the same; differences change sign with the first curve, and losses have no unit."""
    curves = {"a": curve("usl", 100, 0.05, 0.001, seed=10), "b": curve("usl", 200, 0.06, 0.001, seed=11)}
    turned = {
        name: build_curve(curves[name].rows[0][::-1], 1000 * curves[name].rows[1][::-1], unit="op/sec") for name in "ba"
    }
    one, other = (compare_parameter(some, "usl", "contention") for some in (curves, turned))
    assert other.pvalue == pytest.approx(one.pvalue, rel=1e-6)
    assert other.differences["a"].value == pytest.approx(-one.differences["b"].value, rel=1e-6)


def test_curves_without_noise() -> None:
    """What is exactly the same did not change; what differs without any noise did."""
    exact = [
        build_curve(COMPARED_LEVELS, LAWS["amdahl"].throughput(COMPARED_LEVELS, 50, serial), unit="op/sec")
        for serial in (0.1, 0.2)
    ]
    same = compare_parameter({"a": exact[0], "b": exact[0]}, "amdahl", "serial_fraction")
    assert (same.pvalue, same.verdict) == (1.0, "not shown to change")
    changed = compare_parameter({"a": exact[0], "b": exact[1]}, "amdahl", "serial_fraction")
    assert changed.verdict == "changed"
    assert changed.pvalue < 1e-12


def test_refusals() -> None:
    """One line each: what was found, what is needed."""
    one = curve("amdahl", 100, 0.1, seed=1)
    short = build_curve([1, 1, 2, 2], [10, 11, 19, 18], unit="op/sec")
    with pytest.raises(DataError, match="at least 2 curves, got 1; fit one curve with fit_law"):
        compare_parameter({"a": one}, "amdahl", "serial_fraction")
    with pytest.raises(DataError, match="mix units op/sec, req/sec"):
        compare_parameter({"a": one, "b": build_curve(*one.rows, unit="req/sec")}, "amdahl", "serial_fraction")
    with pytest.raises(DataError, match=r"Amdahl has no parameter 'contention'.*rate_at_one, serial_fraction"):
        compare_parameter({"a": one, "b": one}, "amdahl", "contention")
    with pytest.raises(DataError, match=r"curve 'b' has 4 measurements at 2 distinct concurrencies \(1, 2\), USL"):
        compare_parameter({"a": one, "b": short}, "usl", "contention")


def under_the_null(runs: int, law: str, parameters: tuple[float, ...], name: str, curves: int, seed: int) -> np.ndarray:
    """How often the test rejects and the intervals of the differences cover, where nothing changed but the rate."""
    random = np.random.default_rng(seed)
    covered: list[bool] = []
    rejected = 0
    for _ in range(runs):
        simulated = {}
        for place in range(curves):
            model = LAWS[law].throughput(COMPARED_LEVELS, (1 + place) * parameters[0], *parameters[1:])
            noisy = model * np.exp(0.05 * random.standard_normal(len(COMPARED_LEVELS)))
            simulated[str(place)] = build_curve(COMPARED_LEVELS, noisy, unit="op/sec")
        compared = compare_parameter(simulated, law, name)
        rejected += compared.verdict == "changed"
        covered += [one.low <= 0 <= one.high for one in compared.differences.values()]
    return np.array([rejected / runs, np.mean(covered)])


CASES = [
    ("amdahl", (100.0, 0.1), "serial_fraction", 2),
    ("amdahl", (100.0, 0.0), "serial_fraction", 3),
    ("usl", (100.0, 0.05, 0.001), "contention", 3),
    ("usl", (100.0, 0.05, 0.0), "coherency", 2),
]


@pytest.mark.parametrize(("law", "parameters", "name", "curves"), [CASES[0], CASES[3]])
def test_size_and_coverage(law: str, parameters: tuple[float, ...], name: str, curves: int) -> None:
    """Five in a hundred rejections where nothing changed, on the bound too; 200 runs, within 3 standard errors."""
    rejected, covered = under_the_null(200, law, parameters, name, curves, seed=20)
    assert rejected == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / 200))
    assert covered == pytest.approx(0.95, abs=3 * math.sqrt(0.05 * 0.95 / 200))


@pytest.mark.heavy
@pytest.mark.parametrize(("law", "parameters", "name", "curves"), CASES)
def test_size_and_coverage_in_many_runs(law: str, parameters: tuple[float, ...], name: str, curves: int) -> None:
    """The same in 3,000 runs; two differences that share a curve reject a little less often than claimed."""
    rejected, covered = under_the_null(3000, law, parameters, name, curves, seed=21)
    assert 0.03 < rejected < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 3000)
    assert 0.93 < covered < 0.97


# Intervals cover what they claim: a seeded sample here, thousands in ``benchmarks/scaling_coverage.py``.
#
# Nominal 95 % has to cover 93 to 97 %. With 200 runs the standard error of a coverage is 1.5 points, so the
# quick version allows 90.5 to 99.5; what it catches is a wrong quantile, weight or bound, which costs 8 to 60.

QUICK, MANY = 200, 3000
RUNS = [QUICK, pytest.param(MANY, marks=pytest.mark.heavy)]
ALL = ("rate_at_one", "contention", "coherency", "peak", "curve")


def assert_covers(counts: dict[str, Count], names: tuple[str, ...], runs: int, most: float = 0.97) -> None:
    slack = 0.0 if runs >= MANY else 0.025
    for name in names:
        assert counts[name].runs == runs
        assert 0.93 - slack <= counts[name].coverage <= min(1.0, most + slack), (name, counts[name])


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize(("noise", "weights"), [("multiplicative", "relative"), ("additive", "none")])
@pytest.mark.parametrize("peak", [44.0, 220.0])
def test_weights_that_match(noise: str, weights: str, peak: float, runs: int) -> None:
    """Parameters, peak and the mean curve at twice the largest N, for a peak inside and far beyond the data."""
    counts = count_fits(Scenario(noise=noise, weights=weights, peak=peak), range(runs), seed=1)
    assert_covers(counts, ALL, runs)


@pytest.mark.parametrize("runs", RUNS)
def test_data_on_the_bound(runs: int) -> None:
    """A true coherency of 0 is missed from above only: its limit, and that of the peak, cover at least 93 %."""
    counts = count_fits(Scenario(noise="multiplicative", weights="relative", peak=math.inf), range(runs), seed=2)
    assert_covers(counts, ("rate_at_one", "contention", "curve"), runs)
    assert_covers(counts, ("coherency", "peak"), runs, most=1.0)
    # About half of such fits end on the bound, or nothing of the sort was tested.
    assert 0.3 * runs < counts["bound"].runs < 0.7 * runs


@pytest.mark.heavy
def test_replicates_of_twenty() -> None:
    """Noise that differs between levels, weighed by the variance of 20 replicates each."""
    scenario = Scenario(noise="uneven", weights="replicates", peak=44.0, replicates=20)
    assert_covers(count_fits(scenario, range(MANY), seed=3), ALL, MANY)


def test_few_replicates_are_no_weights() -> None:
    """1/s² from 3 a level covers far less than it claims, and what benchlib does instead covers."""
    uneven = Scenario(noise="uneven", weights="replicates", peak=44.0, replicates=3)
    assert max(one.coverage for one in count_own_weights(uneven, range(QUICK), seed=4).values()) < 0.85
    even = Scenario(noise="multiplicative", weights="replicates", peak=44.0, replicates=3)
    assert_covers(count_fits(even, range(QUICK), seed=4), ALL, QUICK)


def test_the_wrong_weights_are_not_as_good() -> None:
    """Unweighted fits of noise in proportion to throughput cover less: the reason for the default."""
    counts = count_fits(Scenario(noise="multiplicative", weights="none", peak=44.0), range(QUICK), seed=5)
    assert counts["coherency"].coverage < 0.85
    assert counts["curve"].coverage < 0.85
