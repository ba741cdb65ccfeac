"""Fitting laws: values, bounds, criteria, weights, and the search beneath."""

from __future__ import annotations

import math
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from benchlib.errors import DataError
from benchlib.scaling.curve import build_curve
from benchlib.scaling.fit import BestFit, ScalingFit, fit_best, fit_law
from benchlib.scaling.laws import LAWS, plateau, usl
from benchlib.scaling.predict import predict
from benchlib.scaling.solver import minimise

# Fits: what they refuse, keep under change of unit, and claim.

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])


def noisy(seed: int, *, contention: float = 0.03, coherency: float = 5e-4, noise: float = 0.05) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return usl.throughput(LEVELS, 100.0, contention, coherency) * np.exp(noise * generator.standard_normal(7))


def test_too_few_levels_names_the_law_that_would_fit() -> None:
    """The refusal counts, lists and offers."""
    three = build_curve([1, 2, 4], [10, 18, 30], unit="op/sec")
    with pytest.raises(DataError) as caught:
        fit_law(three, "usl")
    assert str(caught.value) == (
        "USL needs 4 distinct concurrencies, got 3 (1, 2, 4); measure another, or fit law='amdahl' (needs 3)"
    )
    with pytest.raises(DataError, match=r"or fit law='linear' \(needs 2\)"):
        fit_law(build_curve([1, 1, 2], [10, 11, 18], unit="op/sec"), "amdahl")


def test_replicates_do_not_stand_in_for_levels() -> None:
    """Six measurements at three levels are still three levels."""
    with pytest.raises(DataError, match="got 3"):
        fit_law(build_curve([1, 1, 2, 2, 4, 4], [10, 10, 18, 18, 30, 31], unit="op/sec"), "usl")


def test_gustafson_needs_weak_scaling() -> None:
    """Strong-scaling data are refused with what to do."""
    curve = build_curve(LEVELS, noisy(1), unit="op/sec")
    with pytest.raises(DataError, match="needs weak scaling"):
        fit_law(curve, "gustafson")
    assert fit_law(curve, "gustafson", weak=True).law == "gustafson"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"law": "usk"}, "unknown law 'usk'; did you mean 'usl'"),
        ({"law": "usl", "weights": "relativ"}, "unknown weights 'relativ'; did you mean 'relative'"),
        ({"law": "usl", "confidence_level": 95}, "confidence level 95 is not between 0 and 1"),
    ],
)
def test_unknown_options_are_refused(options: dict, message: str) -> None:
    """Misspelt options never fall back to a default."""
    with pytest.raises(DataError, match=message):
        fit_law(build_curve(LEVELS, noisy(1), unit="op/sec"), **options)


@pytest.mark.parametrize("weights", ["relative", "none"])
@pytest.mark.parametrize("law", ["linear", "amdahl", "usl"])
def test_exact_data_give_back_the_law(law: str, weights: str) -> None:
    """Data on the curve return its parameters with no width, and nothing crashes on zero residuals."""
    truth = {"linear": (250.0,), "amdahl": (250.0, 0.07), "usl": (250.0, 0.07, 0.003)}[law]

    curve = build_curve(LEVELS, LAWS[law].throughput(LEVELS, *truth), unit="op/sec")
    fit = fit_law(curve, law, weights=weights)
    assert fit.coefficients == pytest.approx(truth, rel=1e-9)
    if fit.peak is not None:
        assert fit.peak.low == pytest.approx(fit.peak.value, rel=1e-6)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), factor=st.floats(1e-6, 1e9), weights=st.sampled_from(["relative", "none"]))
def test_change_of_unit_scales_the_rate_only(seed: int, factor: float, weights: str) -> None:
    """Throughput in another unit changes rate and ceiling by the factor and nothing else."""
    values = noisy(seed)
    one = fit_law(build_curve(LEVELS, values, unit="op/sec"), "usl", weights=weights)
    two = fit_law(build_curve(LEVELS, values * factor, unit="op/sec"), "usl", weights=weights)
    assert two.coefficients == pytest.approx((one.coefficients[0] * factor, *one.coefficients[1:]), rel=1e-6)
    assert one.peak is not None
    assert two.peak is not None
    assert one.ceiling is not None
    assert two.ceiling is not None
    assert two.peak.low == pytest.approx(one.peak.low, rel=1e-5)
    assert two.ceiling.high == pytest.approx(one.ceiling.high * factor, rel=1e-5)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), order=st.permutations(range(7)))
def test_order_of_rows_is_irrelevant(seed: int, order: list[int]) -> None:
    """Rows in any order give the same fit, to the last digit."""
    values = noisy(seed)
    one = fit_law(build_curve(LEVELS, values, unit="op/sec"), "usl")
    two = fit_law(build_curve(LEVELS[order], values[order], unit="op/sec"), "usl")
    assert one.coefficients == two.coefficients
    assert one.covariance == two.covariance


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), weights=st.sampled_from(["relative", "none"]))
def test_doubling_all_replicates_leaves_the_estimates(seed: int, weights: str) -> None:
    """Every measurement twice: the same curve, with a smaller error."""
    values = noisy(seed)
    one = fit_law(build_curve(LEVELS, values, unit="op/sec"), "usl", weights=weights)
    two = fit_law(build_curve(np.tile(LEVELS, 2), np.tile(values, 2), unit="op/sec"), "usl", weights=weights)
    assert two.coefficients == pytest.approx(one.coefficients, rel=1e-5, abs=1e-12)
    assert two.parameters["rate_at_one"].standard_error < one.parameters["rate_at_one"].standard_error
    assert math.isnan(two.lack_of_fit)


@settings(max_examples=12, deadline=None)
@given(
    values=st.lists(st.floats(1e-3, 1e6), min_size=7, max_size=7),
    weights=st.sampled_from(["relative", "none"]),
)
def test_any_curve_gives_feasible_values_inside_their_intervals(values: list[float], weights: str) -> None:
    """However wild the points, values are feasible, ordered with their limits, and bands hold the curve."""
    for law in ("linear", "amdahl", "usl"):
        try:
            fit = fit_law(build_curve(LEVELS, values, unit="op/sec"), law, weights=weights)
        except DataError as refusal:
            assert "did not converge" in str(refusal)  # noqa: PT017 - a refusal is the other good answer
            continue
        for estimate in [*fit.parameters.values(), fit.peak, fit.knee, fit.ceiling, fit.saturation_point]:
            if estimate is not None:
                assert estimate.low <= estimate.value * (1 + 1e-9)
                assert estimate.value <= estimate.high * (1 + 1e-9)
                assert estimate.low >= 0
        band = predict(fit, [1, 3, 64, 128, 1000], extrapolate=True)
        assert np.all(band.low >= 0)
        assert np.all(band.low <= band.throughput)
        assert np.all(band.throughput <= band.high)


def test_relative_weights_do_not_let_the_largest_level_rule() -> None:
    """A 20 % error at N = 1 moves the rate as much as its share, where unweighted it hardly counts."""
    values = usl.throughput(LEVELS, 100.0, 0.03, 5e-4)
    values[0] *= 0.8
    curve = build_curve(LEVELS, values, unit="op/sec")
    relative = fit_law(curve, "usl").parameters["rate_at_one"].value
    unweighted = fit_law(curve, "usl", weights="none").parameters["rate_at_one"].value
    assert relative < unweighted < 101


def test_superlinear_curve_is_said_not_clamped_away() -> None:
    """Contention on its bound and the superlinear step both become caveats."""
    curve = build_curve([1, 2, 4, 8, 16], [10, 24, 50, 105, 215], unit="op/sec")
    fit = fit_law(curve, "usl")
    assert fit.parameters["contention"].value == 0
    assert fit.unbounded[1] < 0
    codes = [one.code for one in fit.caveats]
    assert "superlinear" in codes
    assert "on-bound" in codes
    assert fit.knee is None


def test_lack_of_fit_sees_a_plateau() -> None:
    """A hard ceiling with tight replicates is not the USL, and the pure-error test says so."""
    generator = np.random.default_rng(5)
    n = np.repeat(LEVELS, 5)
    wall = np.minimum(n, 4) * 100 * (1 + 0.01 * generator.standard_normal(len(n)))
    fit = fit_law(build_curve(n, wall, unit="op/sec"), "usl")
    assert fit.lack_of_fit < 1e-6
    assert "poor-fit" in [one.code for one in fit.caveats]


def test_lack_of_fit_leaves_a_true_law_alone() -> None:
    """Where the law is true the P value is no alarm; without replicates it is unknown."""
    generator = np.random.default_rng(7)
    n = np.repeat(LEVELS, 5)
    values = usl.throughput(n, 100.0, 0.03, 5e-4) * (1 + 0.02 * generator.standard_normal(len(n)))
    fit = fit_law(build_curve(n, values, unit="op/sec"), "usl")
    assert fit.degrees_of_freedom == 32
    assert fit.lack_of_fit > 0.05
    assert math.isnan(fit_law(build_curve(LEVELS, noisy(3), unit="op/sec"), "usl").lack_of_fit)


def test_saturation_point_reaches_95_percent() -> None:
    """The law's throughput at the saturation point is 95 % of that at the peak, below the peak."""
    fit = fit_law(build_curve(LEVELS, noisy(11), unit="op/sec"), "usl")
    assert fit.saturation_point is not None
    assert fit.ceiling is not None
    assert fit.peak is not None
    there = predict(fit, fit.saturation_point.value, extrapolate=True).throughput[0]
    assert there == pytest.approx(0.95 * fit.ceiling.value, rel=1e-9)
    assert fit.saturation_point.value < fit.peak.value


def test_derived_profiles_end_where_the_refit_objects() -> None:
    """At each finite end of a profile interval, refitting with the value held costs exactly s² F."""
    from scipy import optimize

    values = noisy(12)
    fit = fit_law(build_curve(LEVELS, values, unit="op/sec"), "usl")
    assert fit.peak is not None
    allowed = fit.residual_standard_error**2 * (4 + stats.f.ppf(0.95, 1, 4))
    for end in (fit.peak.low, fit.peak.high):

        def misfit(p: np.ndarray, end: float = end) -> np.ndarray:
            return np.log(usl.throughput(LEVELS, p[0], p[1], (1 - p[1]) / end**2) / values)

        held = optimize.least_squares(
            misfit,
            [100.0, 0.03],
            bounds=([1.0, 0.0], [1e4, 0.999]),
            x_scale=[100, 0.1],
            xtol=1e-14,
            ftol=1e-14,
            gtol=1e-14,
        )
        assert 2 * held.cost == pytest.approx(allowed, rel=1e-4)


def test_bands_widen_away_from_the_data() -> None:
    """Relative width at four times the largest level exceeds that at the largest."""
    fit = fit_law(build_curve(LEVELS, noisy(13), unit="op/sec"), "usl")
    band = predict(fit, [64, 128, 256], extrapolate=True)
    widths = (band.high - band.low) / band.throughput
    assert widths[0] < widths[1] < widths[2]
    wider = predict(fit, [64, 128, 256], kind="prediction", extrapolate=True)
    assert np.all(wider.high > band.high)
    with pytest.raises(DataError, match="unknown band"):
        predict(fit, [64], kind="tolerance")


@pytest.mark.parametrize("runs", [200, pytest.param(2000, marks=pytest.mark.heavy)])
def test_wald_intervals_cover_what_they_claim(runs: int) -> None:
    """Relative weights, 5 % multiplicative noise, 7 levels: nominal 95 % covers 93 to 97 %.

    With 200 runs the standard error of a coverage is 1.5 %, so the quick version allows 91 to 99.
    """
    truth = {"rate_at_one": 100.0, "contention": 0.03, "coherency": 5e-4}
    hits = dict.fromkeys(truth, 0)
    for seed in range(runs):
        fit = fit_law(build_curve(LEVELS, noisy(20_000 + seed), unit="op/sec"), "usl")
        for name, value in truth.items():
            hits[name] += fit.parameters[name].low <= value <= fit.parameters[name].high
    low, high = (0.93, 0.97) if runs >= 2000 else (0.91, 0.99)
    for name, count in hits.items():
        assert low <= count / runs <= high, (name, count / runs)


def test_weights_from_replicates_are_widened_by_what_they_overstate() -> None:
    """The mean of σ²/s² is f/(f - 2), so 20 measurements a level give errors √(19/17) times those of known weights."""
    generator = np.random.default_rng(8)
    n = np.repeat(LEVELS, 20)
    values = usl.throughput(n, 100.0, 0.03, 5e-4) * (1 + np.repeat([0.02, 0.08, 0.02, 0.08, 0.02, 0.08, 0.02], 20)
                                                     * generator.standard_normal(len(n)))  # fmt: skip
    fit = fit_law(build_curve(n, values, unit="op/sec"), "usl", weights="replicates", derived=False)
    spread = np.repeat([np.std(values[n == one], ddof=1) for one in LEVELS], 20)
    jacobian = usl.gradient(n, *fit.unbounded) / spread[:, np.newaxis]
    residuals = (usl.throughput(n, *fit.unbounded) - values) / spread
    plain = np.linalg.inv(jacobian.T @ jacobian) * (residuals @ residuals) / (len(n) - 3)
    assert fit.weights == "replicates"
    np.testing.assert_allclose(np.sqrt(np.diag(fit.covariance)), np.sqrt(np.diag(plain) * 19 / 17), rtol=1e-6)


NORMALISED = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])


# The best fit alone: the numbers of the whole fit, without what takes most of its time.

BEST_LEVELS = [1, 2, 4, 8, 16, 32]
MEASURED = [10.0, 19.5, 33.0, 55.0, 68.0, 76.0]


@pytest.mark.parametrize("law", [one for one in LAWS if one != "gustafson"])
@pytest.mark.parametrize("weights", ["relative", "none"])
def test_the_best_fit_is_that_of_the_whole(law: str, weights: str) -> None:
    """Field by field, and the band that follows from it."""
    curve = build_curve(BEST_LEVELS, MEASURED, unit="op/sec")
    whole = fit_law(curve, law, weights=weights)
    best = fit_best(curve, law, weights=weights)
    assert {one.name: getattr(best, one.name) for one in fields(BestFit)} == {
        one.name: getattr(whole, one.name) for one in fields(BestFit)
    }
    assert best.on_bound == whole.on_bound
    for ends in zip(
        *((band.low, band.throughput, band.high) for band in (predict(best, [3, 40]), predict(whole, [3, 40]))),
        strict=True,
    ):
        np.testing.assert_array_equal(*ends)


def test_what_cannot_be_fitted_is_refused_alike() -> None:
    """The same line, whoever asks."""
    curve = build_curve([1, 2], [10.0, 19.0], unit="op/sec")
    messages = []
    for fit in (fit_law, fit_best):
        with pytest.raises(DataError) as raised:
            fit(curve, "usl")
        messages.append(str(raised.value))
    assert messages[0] == messages[1]
    assert messages[0].startswith("USL needs 4 distinct concurrencies, got 2 (1, 2)")


# What fits say where the data say little: corners, bounds, exact lines, curves that only fall.

FEASIBLE_LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])


def fitted(throughput: list[float] | np.ndarray, law: str, levels: np.ndarray = FEASIBLE_LEVELS) -> ScalingFit:
    return fit_law(build_curve(levels, throughput, unit="op/sec"), law)


@pytest.mark.parametrize("servers", [2.0, 8.0])
def test_a_wall_on_a_measured_level_is_covered(servers: float) -> None:
    """The plateau has a corner there, where Wald's interval covers 80 %: the profile keeps its 95 %.

    200 runs have a standard error of 1.5 %.
    """
    generator = np.random.default_rng(17)
    hits = 0
    for _ in range(200):
        noise = np.exp(0.05 * generator.standard_normal(len(FEASIBLE_LEVELS)))
        found = fitted(plateau.throughput(FEASIBLE_LEVELS, 100.0, servers) * noise, "plateau").parameters["servers"]
        hits += found.low <= servers <= found.high
    assert hits / 200 >= 0.92


def test_a_parameter_that_nothing_depends_on_has_no_error() -> None:
    """A wall beyond the data: at least so far, no upper end, and no standard error of 0."""
    fit = fitted(100 * FEASIBLE_LEVELS * np.array([1.0, 1.02, 0.99, 1.01, 1.0, 0.99, 1.02]), "plateau")
    servers = fit.parameters["servers"]
    assert math.isinf(servers.high)
    assert 32 < servers.low < 64
    assert servers.standard_error != 0


@pytest.mark.parametrize("factor", [1.0, 1e3, 1e5])
def test_a_limit_of_coherency_follows_the_unit_of_concurrency(factor: float) -> None:
    """N counted in other units changes coherency by the square: its limit, down to any size, does too."""
    levels = FEASIBLE_LEVELS * factor
    noise = np.array([1.0, 0.97, 1.02, 0.98, 1.0, 1.08, 1.2])
    fit = fitted(100 * FEASIBLE_LEVELS / (1 + 0.03 * (FEASIBLE_LEVELS - 1)) * noise, "usl", levels)
    assert fit.peak is not None
    coherency = fit.parameters["coherency"]
    assert coherency.value == 0
    # At the lower end of the peak P the coherency is (1 - c) / P², near its limit.
    assert 0.5 < coherency.high * fit.peak.low**2 < 1.2


@pytest.mark.parametrize("law", ["amdahl", "usl", "plateau"])
def test_every_end_is_feasible(law: str) -> None:
    """Twelve percent of noise on five levels: no loss above its bound, no worker less than one."""
    levels = FEASIBLE_LEVELS[:5]
    for seed in range(25):
        noise = np.exp(0.12 * np.random.default_rng(seed).standard_normal(5))
        fit = fitted(usl.throughput(levels, 100.0, 0.2, 0.01) * noise, law, levels)
        for index, (name, one) in enumerate(fit.parameters.items()):
            assert one.low >= (LAWS[law].lower[index] if index else 0), name
            assert one.high <= LAWS[law].upper[index], name
        for one in (fit.peak, fit.knee, fit.saturation_point):
            assert one is None or (one.low >= 1 and one.low <= one.value <= one.high)


def test_a_curve_that_only_falls_has_its_peak_at_one() -> None:
    """Nothing above the throughput of one worker was measured, and nothing above it is claimed."""
    fit = fitted([100.0, 60.0, 35.0, 20.0, 9.0, 5.0], "usl", FEASIBLE_LEVELS[:6])
    assert fit.parameters["contention"].value == 1
    assert fit.peak is not None
    assert fit.ceiling is not None
    assert (fit.peak.value, fit.peak.low) == (1, 1)
    assert fit.ceiling.value == pytest.approx(fit.parameters["rate_at_one"].value)
    assert fit.ceiling.value == pytest.approx(100, rel=0.02)


def test_an_exact_line_has_no_peak() -> None:
    """Rounding errors of a fit are no coherency: the peak is infinite, not far out with certainty."""
    fit = fitted(37.3 * FEASIBLE_LEVELS, "usl")
    assert fit.parameters["coherency"].value == 0
    assert fit.peak is not None
    assert math.isinf(fit.peak.value)


def test_the_residual_error_is_that_of_the_law_shown() -> None:
    """raytracer (R's usl vignette): residual standard error 9.34 on 8 degrees of freedom with coherency 0."""
    levels = np.array([1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64.0])
    curve = build_curve(levels, [20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310], unit="op/sec")
    fit = fit_law(curve, "usl", weights="none")
    assert fit.residual_standard_error == pytest.approx(9.34, abs=0.005)
    assert fit.degrees_of_freedom == 8


# The solver against certified answers.


def test_nist_danwood() -> None:
    """NIST StRD DanWood, y = b1 x^b2: certified parameters, deviations and residual sum to 8 digits."""
    x = np.array([1.309, 1.471, 1.490, 1.565, 1.611, 1.680])
    y = np.array([2.138, 3.421, 3.597, 4.340, 4.882, 5.660])

    def evaluate(b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        power = x ** b[:, 1:]
        return b[:, :1] * power - y, np.stack([power, b[:, :1] * power * np.log(x)], axis=-1)

    everywhere = np.array([np.inf, np.inf])
    for start in ([1.0, 5.0], [0.7, 4.0]):
        found = minimise(evaluate, np.array([start]), -everywhere, everywhere).at(0)
        errors = np.sqrt(np.diag(np.linalg.inv(found.jacobian.T @ found.jacobian)) * found.sum_of_squares / 4)
        assert found.converged
        np.testing.assert_allclose(found.parameters, [0.76886226176, 3.8604055871], rtol=1e-8)
        np.testing.assert_allclose(errors, [0.018281973860, 0.051726610913], rtol=1e-7)
        assert found.sum_of_squares == pytest.approx(4.3173084083e-3, rel=1e-9)


def test_nist_misra1a_from_a_far_start() -> None:
    """NIST StRD Misra1a, y = b1 (1 - exp(-b2 x)), from the harder of its two starts."""
    x = np.array([77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0])
    y = np.array([10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78])

    def evaluate(b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        decay = np.exp(-b[:, 1:] * x)
        return b[:, :1] * (1 - decay) - y, np.stack([1 - decay, b[:, :1] * x * decay], axis=-1)

    found = minimise(evaluate, np.array([[500.0, 1e-4]]), np.zeros(2), np.array([np.inf, np.inf])).at(0)
    assert found.converged
    np.testing.assert_allclose(found.parameters, [238.94212918, 5.5015643181e-4], rtol=1e-7)


def test_a_bound_holds_and_the_rest_is_refitted() -> None:
    """With the slope held above its best value the intercept makes the best of it."""
    x, y = np.array([0.0, 1.0, 2.0]), np.array([3.0, 4.0, 5.0])

    def evaluate(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return p[:, :1] + p[:, 1:] * x - y, np.column_stack([np.ones(3), x])[np.newaxis]

    found = minimise(evaluate, np.array([[0.0, 9.0]]), np.array([-np.inf, 2.0]), np.array([np.inf, np.inf])).at(0)
    assert found.converged
    np.testing.assert_allclose(found.parameters, [2.0, 2.0], atol=1e-8)


def test_a_batch_is_as_its_problems_alone() -> None:
    """Problems solved together end where each ends alone, however far apart they start."""
    x = np.array([1.0, 2.0, 4.0, 8.0])
    y = np.array([10.0, 18.0, 30.0, 41.0])

    def evaluate(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        slowdown = 1 + p[:, 1:] * (x - 1)
        return p[:, :1] * x / slowdown - y, np.stack([x / slowdown, -p[:, :1] * x * (x - 1) / slowdown**2], axis=-1)

    bounds = np.array([1e-9, 0.0]), np.array([np.inf, 1.0])
    starts = np.array([[10.0, 0.1], [1.0, 0.9], [300.0, 0.0]])
    together = minimise(evaluate, starts, *bounds)
    assert together.converged.all()
    for index, start in enumerate(starts):
        alone = minimise(evaluate, start[np.newaxis], *bounds).at(0)
        np.testing.assert_allclose(together.parameters[index], alone.parameters, rtol=1e-9)


def test_a_start_that_is_not_allowed_ends_without_an_answer() -> None:
    """Residuals that are not finite from the start on are no minimum, and the others go on."""
    found = minimise(
        lambda p: (np.where(p > 0, p - 3.0, np.nan), np.ones((len(p), 1, 1))),
        np.array([[-1.0], [1.0]]),
        np.array([-np.inf]),
        np.array([np.inf]),
    )
    assert found.converged.tolist() == [False, True]
    assert found.best().parameters[0] == pytest.approx(3.0)
