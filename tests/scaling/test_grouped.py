"""One law over several curves, and whether a parameter changed between them."""

import math

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.scaling.curve import ScalingCurve, build_curve
from benchlib.scaling.fits.fitting import fit_law
from benchlib.scaling.laws import LAWS
from benchlib.scaling.several.grouped import compare_parameter, fit_group
from benchlib.scaling.several.trend import parameter_trend

LEVELS = np.repeat([1.0, 2.0, 4.0, 8.0, 16.0, 32.0], 3)


def curve(law: str, *parameters: float, seed: int, noise: float = 0.05, levels: np.ndarray = LEVELS) -> ScalingCurve:
    """A curve of a law with multiplicative noise."""
    scatter = np.exp(noise * np.random.default_rng(seed).standard_normal(len(levels)))
    return build_curve(levels, LAWS[law].throughput(levels, *parameters) * scatter, unit="op/sec")


def test_nothing_shared_is_every_curve_fitted_alone() -> None:
    """Values and sums of squares are those of the single fits; the variance alone is pooled."""
    curves = {"old": curve("usl", 100, 0.05, 0.001, seed=1), "new": curve("usl", 3e5, 0.09, 0.003, seed=2)}
    group = fit_group(curves, "usl", shared=())
    alone = {name: fit_law(one, "usl") for name, one in curves.items()}
    for name, fit in alone.items():
        for parameter, estimate in fit.parameters.items():
            assert group.parameters[name][parameter].value == pytest.approx(estimate.value, rel=1e-7)
            ratio = group.residual_standard_error / fit.residual_standard_error
            error = group.parameters[name][parameter].standard_error
            assert error == pytest.approx(estimate.standard_error * ratio, rel=1e-6)
    squares = sum(fit.residual_standard_error**2 * fit.degrees_of_freedom for fit in alone.values())
    assert group.sum_of_squares == pytest.approx(squares)
    assert (group.n, group.degrees_of_freedom) == (36, 30)


def test_everything_shared_is_one_fit_of_all_rows() -> None:
    """Two halves of one curve, all parameters shared, give the fit of the whole."""
    first, second = (curve("usl", 100, 0.05, 0.001, seed=seed) for seed in (3, 4))
    rows = [np.concatenate(pair) for pair in zip(first.rows, second.rows, strict=True)]
    whole = fit_law(build_curve(*rows, unit="op/sec"), "usl", weights="none")
    group = fit_group(
        {"a": first, "b": second}, "usl", shared=("coherency", "rate_at_one", "contention"), weights="none"
    )
    for name, estimate in whole.parameters.items():
        found = group.parameters["b"][name]
        assert found.value == pytest.approx(estimate.value, rel=1e-7)
        assert found.standard_error == pytest.approx(estimate.standard_error, rel=1e-6)
        assert (found.low, found.high) == pytest.approx((estimate.low, estimate.high), rel=1e-6)
    assert group.residual_standard_error == pytest.approx(whole.residual_standard_error)
    assert group.shared == ("rate_at_one", "contention", "coherency")


@pytest.mark.parametrize("weights", ["relative", "none"])
def test_a_change_of_unit_changes_rates_only(weights: str) -> None:
    """Thousandfold throughput: thousandfold rates, the same contention to its last digits."""
    curves = {"a": curve("usl", 100, 0.05, 0.001, seed=5), "b": curve("usl", 70, 0.05, 0.002, seed=6)}
    larger = {name: build_curve(one.rows[0], 1000 * one.rows[1], unit="op/sec") for name, one in curves.items()}
    one, other = (fit_group(some, "usl", shared=["contention"], weights=weights) for some in (curves, larger))
    assert other.parameters["b"]["contention"].value == pytest.approx(one.parameters["b"]["contention"].value, rel=1e-8)
    assert other.parameters["b"]["rate_at_one"].high == pytest.approx(1000 * one.parameters["b"]["rate_at_one"].high)


def test_curves_of_two_levels_carry_a_shared_serial_fraction() -> None:
    """Amdahl's law needs 3 levels alone; six executors at 1 and 2 workers share one serial fraction."""
    levels = np.repeat([1.0, 2.0], 3)
    curves = {str(one): curve("amdahl", 60.0 + one, 0.3, seed=one, levels=levels, noise=0.02) for one in range(6)}
    shared = fit_group(curves, "amdahl", shared=["serial_fraction"]).parameters["0"]["serial_fraction"]
    alone = fit_group(curves, "amdahl", shared=()).parameters["0"]["serial_fraction"]
    assert shared.low < 0.3 < shared.high
    assert shared.high - shared.low < 0.5 * (alone.high - alone.low)


def test_a_shared_coefficient_on_its_bound_has_a_limit() -> None:
    """Curves that bend upwards say nothing of coherency but how large it can be."""
    levels = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    upwards = {
        name: build_curve(levels, rate * levels / (1 + 0.08 * (levels - 1) - 0.0002 * levels * (levels - 1)) *
                          (1 + 0.01 * np.array([1, -1, 1, -1, 1, -1])), unit="op/sec")
        for name, rate in (("a", 20.0), ("b", 35.0))
    }  # fmt: skip
    group = fit_group(upwards, "usl", shared=["coherency"])
    coherency = group.parameters["a"]["coherency"]
    assert (coherency.value, coherency.low) == (0.0, 0.0)
    assert 0 < coherency.high < 1e-3
    assert coherency.method.endswith("on its bound; profile F(1, 7) limit")  # 12 rows, 5 coefficients


def test_limits_on_the_bound_are_profiles() -> None:
    """One curve, and the same curve twice, as scipy's least_squares inside brentq finds them: F(1, 8) and F(1, 16)."""
    raytracer = build_curve(
        [1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64], [20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310], unit="op/sec"
    )
    # Without weights its coherency lies on the bound (R usl's vignette: beta 0).
    single = fit_law(raytracer, "usl", weights="none").parameters["coherency"]
    joint = fit_group({"a": raytracer, "b": raytracer}, "usl", shared=(), weights="none").parameters["a"]["coherency"]
    assert (single.value, joint.value) == (0, 0)
    assert single.high == pytest.approx(1.0089758e-4, rel=1e-5)
    assert joint.high == pytest.approx(8.8424158e-5, rel=1e-5)


def test_too_few_replicates_are_pooled() -> None:
    """Weights by replicates need about 20 a level in every curve."""
    curves = {name: curve("amdahl", 100, 0.1, seed=seed) for seed, name in enumerate("ab")}
    assert fit_group(curves, "amdahl", shared=(), weights="replicates").weights == "relative"


def test_noise_that_differs_is_told() -> None:
    """One variance for a quiet curve and a noisy one is right for neither."""
    quiet, noisy = (curve("amdahl", 100, 0.1, seed=7, noise=noise) for noise in (0.005, 0.1))
    found = compare_parameter({"quiet": quiet, "noisy": noisy}, "amdahl", "serial_fraction").caveats
    assert [one.code for one in found] == ["noise-differs"]
    assert found[0].message.startswith("the noise of curve noisy is 20 times that of quiet")
    alike = {name: curve("amdahl", 100, 0.1, seed=seed) for seed, name in enumerate("ab")}
    assert compare_parameter(alike, "amdahl", "serial_fraction").caveats == ()


def test_the_f_test_of_two_curves_is_the_t_test_of_their_difference() -> None:
    """With a law that is linear in its parameter F(1, n - p) is the square of t, and the p values agree."""
    curves = {name: curve("linear", rate, seed=seed) for seed, (name, rate) in enumerate({"a": 100, "b": 103}.items())}
    found = compare_parameter(curves, "linear", "rate_at_one", weights="none")
    difference = found.differences["b"]
    assert found.statistic == pytest.approx((difference.value / difference.standard_error) ** 2, rel=1e-9)
    assert (found.pvalue <= 0.05) == (not difference.low <= 0 <= difference.high)


def test_a_change_is_seen_with_its_size() -> None:
    """Contention that doubles is told apart, with an interval around the truth."""
    curves = {"old": curve("usl", 100, 0.05, 0.001, seed=8), "new": curve("usl", 200, 0.10, 0.001, seed=9)}
    found = compare_parameter(curves, "usl", "contention")
    assert found.verdict == "changed"
    assert found.differences["new"].low < 0.05 < found.differences["new"].high
    assert list(found.differences) == ["new"]
    assert list(found.values) == ["old", "new"]


def test_order_of_rows_and_of_curves_is_irrelevant() -> None:
    """F and p are the same; differences change sign with the first curve."""
    curves = {"a": curve("usl", 100, 0.05, 0.001, seed=10), "b": curve("usl", 200, 0.06, 0.001, seed=11)}
    turned = {name: build_curve(*(rows[::-1] for rows in curves[name].rows), unit="op/sec") for name in "ba"}
    one, other = (compare_parameter(some, "usl", "contention") for some in (curves, turned))
    assert other.pvalue == pytest.approx(one.pvalue, rel=1e-6)
    assert other.differences["a"].value == pytest.approx(-one.differences["b"].value, rel=1e-6)


def test_curves_without_noise() -> None:
    """What is exactly the same did not change; what differs without any noise did."""
    exact = [build_curve(LEVELS, LAWS["amdahl"].throughput(LEVELS, 50, serial), unit="op/sec") for serial in (0.1, 0.2)]
    same = compare_parameter({"a": exact[0], "b": exact[0]}, "amdahl", "serial_fraction")
    assert (same.pvalue, same.verdict) == (1.0, "not shown to change")
    changed = compare_parameter({"a": exact[0], "b": exact[1]}, "amdahl", "serial_fraction")
    assert (changed.pvalue, changed.verdict) == (0.0, "changed")


def test_the_serial_fraction_as_a_function_of_bits() -> None:
    """Levels turn the curves' parameters into a trend with an interval."""
    curves = {
        f"bits {bits}": curve("amdahl", 1000 / bits, 0.05 + 0.001 * bits, seed=bits, noise=0.02)
        for bits in (16, 32, 64)
    }
    trend = compare_parameter(curves, "amdahl", "serial_fraction", levels=[16, 32, 64]).trend
    assert trend is not None
    assert trend.low < 0.001 < trend.high
    assert trend.low > 0


def test_a_trend_is_the_weighted_line() -> None:
    """numpy's polyfit with the same weights gives the same slope; errors are taken as known (cov="unscaled")."""
    levels, values, errors = [1.0, 2.0, 5.0, 7.0], [0.1, 0.13, 0.3, 0.31], [0.01, 0.02, 0.01, 0.05]
    line, covariance = np.polyfit(levels, values, 1, w=1 / np.array(errors), cov="unscaled")
    found = parameter_trend(levels, values, errors, degrees_of_freedom=9)
    assert found.value == pytest.approx(line[0])
    assert found.standard_error == pytest.approx(math.sqrt(covariance[0, 0]))
    assert (found.high - found.value) / found.standard_error == pytest.approx(2.262157, rel=1e-6)  # t(.975, 9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], [1.0], [1.0]), "2 levels, 1 values and 1 standard errors"),
        (([1, 1], [1.0, 2.0], [1.0, 1.0]), "all 2 curves are at level 1"),
        (([1, 2], [1.0, 2.0], [1.0, 0.0]), "a standard error of 0 carries no weight"),
    ],
)
def test_trends_that_cannot_be_drawn(arguments: tuple[list[float], ...], message: str) -> None:
    """The error names what was found."""
    with pytest.raises(DataError, match=message):
        parameter_trend(*arguments, degrees_of_freedom=4)


def test_refusals_of_grouped_fits() -> None:
    """One line each: what was found, what is needed."""
    one = curve("amdahl", 100, 0.1, seed=1)
    short = build_curve([1, 1, 2, 2], [10, 11, 19, 18], unit="op/sec")
    with pytest.raises(DataError, match="at least 2 curves, got 1; fit one curve with fit_law"):
        fit_group({"a": one}, "amdahl", shared=())
    with pytest.raises(DataError, match="mix units op/sec, req/sec"):
        fit_group({"a": one, "b": build_curve(*one.rows, unit="req/sec")}, "amdahl", shared=())
    with pytest.raises(DataError, match=r"Amdahl has no parameter 'contention'.*rate_at_one, serial_fraction"):
        fit_group({"a": one, "b": one}, "amdahl", shared=["contention"])
    with pytest.raises(DataError, match=r"curve 'b' has 2 distinct concurrencies \(1, 2\).*need 3"):
        compare_parameter({"a": one, "b": short}, "usl", "contention")
    with pytest.raises(DataError, match="4 measurements cannot carry 4 coefficients"):
        fit_group({name: build_curve([1, 2], [10, 18], unit="op/sec") for name in "ab"}, "amdahl", shared=())
    with pytest.raises(DataError, match="3 levels for 2 curves"):
        compare_parameter({"a": one, "b": one}, "amdahl", "serial_fraction", levels=[1, 2, 3])


def under_the_null(runs: int, law: str, parameters: tuple[float, ...], name: str, curves: int, seed: int) -> np.ndarray:
    """How often the test rejects and the intervals of the differences cover, where nothing changed but the rate."""
    random = np.random.default_rng(seed)
    covered: list[bool] = []
    rejected = 0
    for _ in range(runs):
        simulated = {}
        for one in range(curves):
            model = LAWS[law].throughput(LEVELS, (1 + one) * parameters[0], *parameters[1:])
            noisy = model * np.exp(0.05 * random.standard_normal(len(LEVELS)))
            simulated[str(one)] = build_curve(LEVELS, noisy, unit="op/sec")
        found = compare_parameter(simulated, law, name)
        rejected += found.verdict == "changed"
        covered += [one.low <= 0 <= one.high for one in found.differences.values()]
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
    """The same in 3,000 runs."""
    rejected, covered = under_the_null(3000, law, parameters, name, curves, seed=21)
    assert rejected == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / 3000))
    assert 0.93 < covered < 0.97
