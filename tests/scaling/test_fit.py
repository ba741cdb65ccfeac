"""Fitting laws: values, bounds, criteria, weights, and the search beneath."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from benchlib.errors import DataError
from benchlib.scaling.curve import build_curve
from benchlib.scaling.fit import ScalingFit, fit_law
from benchlib.scaling.laws import LAWS, amdahl, plateau, usl
from benchlib.scaling.predict import predict
from benchlib.scaling.solver import minimise
from tests.scaling.simulations import LEVELS, RAYTRACER, noisy_curve

TRUTH = (100.0, 0.03, 5e-4)
WEIGHTS = st.sampled_from(["relative", "none"])
SEEDS = st.integers(0, 10_000)


def fit_values(values: np.ndarray | list[float], law: str, levels: np.ndarray = LEVELS, **options: str) -> ScalingFit:
    return fit_law(build_curve(levels, values, unit="op/sec"), law, **options)


@pytest.mark.parametrize(
    ("levels", "options", "message"),
    [
        ([1, 2, 4], {"law": "usl"},
         r"^USL needs 4 distinct concurrencies, got 3 \(1, 2, 4\); measure another, or fit law='amdahl' \(needs 3\)$"),
        ([1, 1, 2, 2, 4, 4], {"law": "usl"}, "got 3"),
        ([1, 1, 2], {"law": "amdahl"}, r"or fit law='linear' \(needs 2\)"),
        ([1, 2, 4, 8], {"law": "gustafson"}, "needs weak scaling"),
        ([1, 2, 4, 8], {"law": "usk"}, "unknown law 'usk'; did you mean 'usl'"),
        ([1, 2, 4, 8], {"law": "usl", "weights": "relativ"}, "unknown weights 'relativ'; did you mean 'relative'"),
        ([1, 2, 4, 8], {"law": "usl", "confidence_level": 95}, "confidence level 95 is not between 0 and 1"),
    ],
)  # fmt: skip
def test_refusals(levels: list[int], options: dict, message: str) -> None:
    """Too few levels name the law that would fit; misspelt options never fall back."""
    curve = build_curve(levels, [10.0 * n**0.9 for n in levels], unit="op/sec")
    with pytest.raises(DataError, match=message):
        fit_law(curve, **options)


@pytest.mark.parametrize("weights", ["relative", "none"])
@pytest.mark.parametrize(
    ("law", "truth"),
    [("linear", (250.0,)), ("amdahl", (250.0, 0.07)), ("usl", (250.0, 0.07, 0.003)), ("gustafson", (250.0, 0.2))],
)
def test_exact_data_give_back_the_law(law: str, truth: tuple[float, ...], weights: str) -> None:
    """Data on the curve return its parameters with no width, are said to be no measurements, and crash nothing."""
    curve = build_curve(LEVELS, LAWS[law].throughput(LEVELS, *truth), unit="op/sec")
    fit = fit_law(curve, law, weights=weights, weak=True)
    assert fit.coefficients == pytest.approx(truth, rel=1e-9)
    assert "exact-data" in [caveat.code for caveat in fit.caveats]
    if fit.peak is not None:
        assert fit.peak.low == pytest.approx(fit.peak.value, rel=1e-6)


@settings(max_examples=10)
@given(seed=SEEDS, factor=st.floats(1e-6, 1e9), weights=WEIGHTS, order=st.permutations(range(7)))
def test_unit_and_order_of_rows(seed: int, factor: float, weights: str, order: list[int]) -> None:
    """Another unit changes rate and ceiling by the factor and nothing else; another order changes no digit."""
    curve = noisy_curve("usl", TRUTH, seed)
    fit = fit_law(curve, "usl", weights=weights)
    turned = fit_law(build_curve(LEVELS[order], curve.throughput[order], unit="op/sec"), "usl", weights=weights)
    assert (turned.coefficients, turned.covariance) == (fit.coefficients, fit.covariance)
    scaled = fit_law(build_curve(LEVELS, curve.throughput * factor, unit="op/sec"), "usl", weights=weights)
    assert scaled.coefficients == pytest.approx((fit.coefficients[0] * factor, *fit.coefficients[1:]), rel=1e-6)
    assert scaled.peak.low == pytest.approx(fit.peak.low, rel=1e-5)
    assert scaled.ceiling.high == pytest.approx(fit.ceiling.high * factor, rel=1e-5)


@settings(max_examples=10)
@given(seed=SEEDS, weights=WEIGHTS)
def test_doubling_all_replicates_leaves_the_estimates(seed: int, weights: str) -> None:
    """Every measurement twice: the same curve with the same error, since copies tell nothing, no lack of fit either."""
    values = noisy_curve("usl", TRUTH, seed).throughput
    once = fit_values(values, "usl", weights=weights)
    twice = fit_values(np.tile(values, 2), "usl", np.tile(LEVELS, 2), weights=weights)
    assert twice.coefficients == pytest.approx(once.coefficients, rel=1e-5, abs=1e-12)
    errors = [fit.parameters["rate_at_one"].standard_error for fit in (once, twice)]
    assert errors[1] == pytest.approx(errors[0], rel=1e-5)
    assert math.isnan(twice.lack_of_fit)


@settings(max_examples=12)
@given(values=st.lists(st.floats(1e-3, 1e6), min_size=7, max_size=7), weights=WEIGHTS)
def test_any_curve_gives_feasible_values_inside_their_intervals(values: list[float], weights: str) -> None:
    """However wild the points, values are feasible, ordered with their limits, and bands hold the curve."""
    for law in ("linear", "amdahl", "usl"):
        try:
            fit = fit_values(values, law, weights=weights)
        except DataError as refusal:
            assert "did not converge" in str(refusal)  # noqa: PT017 - a refusal is the other good answer
            continue
        for estimate in [*fit.parameters.values(), fit.peak, fit.knee, fit.ceiling, fit.saturation_point]:
            if estimate is not None:
                assert 0 <= estimate.low <= estimate.value * (1 + 1e-9)
                assert estimate.value <= estimate.high * (1 + 1e-9)
        band = predict(fit, [1, 3, 64, 128, 1000], extrapolate=True)
        assert np.all((band.low >= 0) & (band.low <= band.throughput) & (band.throughput <= band.high))


@pytest.mark.parametrize("law", ["amdahl", "usl", "plateau"])
def test_every_end_is_feasible(law: str) -> None:
    """Twelve percent of noise on five levels: no loss above its bound, no worker less than one."""
    for seed in range(10):
        fit = fit_law(noisy_curve("usl", (100.0, 0.2, 0.01), seed, levels=LEVELS[:5], noise=0.12), law)
        for index, (name, estimate) in enumerate(fit.parameters.items()):
            assert estimate.low >= (LAWS[law].lower[index] if index else 0), name
            assert estimate.high <= LAWS[law].upper[index], name
        for estimate in (fit.peak, fit.knee, fit.saturation_point):
            assert estimate is None or 1 <= estimate.low <= estimate.value <= estimate.high


def test_relative_weights_do_not_let_the_largest_level_rule() -> None:
    """A 20 % error at N = 1 moves the rate as much as its share, where unweighted it hardly counts."""
    values = usl.throughput(LEVELS, *TRUTH)
    values[0] *= 0.8
    relative, unweighted = (
        fit_values(values, "usl", weights=weights).parameters["rate_at_one"].value for weights in ("relative", "none")
    )
    assert relative < unweighted < 101


def test_weights_from_replicates() -> None:
    """The mean of σ²/s² is f/(f - 2), so 20 measurements a level give errors √(19/17) times those of known weights.

    19 a level are no weights: one relative variance is pooled instead, and a caveat says so.
    """
    n = np.repeat(LEVELS, 20)
    spread = np.repeat([0.02, 0.08, 0.02, 0.08, 0.02, 0.08, 0.02], 20)
    values = usl.throughput(n, *TRUTH) * (1 + spread * np.random.default_rng(8).standard_normal(len(n)))
    fit = fit_values(values, "usl", n, weights="replicates")
    deviations = np.repeat([np.std(values[n == level], ddof=1) for level in LEVELS], 20)
    jacobian = usl.gradient(n, *fit.unbounded) / deviations[:, np.newaxis]
    residuals = (usl.throughput(n, *fit.unbounded) - values) / deviations
    plain = np.linalg.inv(jacobian.T @ jacobian) * (residuals @ residuals) / (len(n) - 3)
    assert fit.weights == "replicates"
    np.testing.assert_allclose(np.sqrt(np.diag(fit.covariance)), np.sqrt(np.diag(plain) * 19 / 17), rtol=1e-6)
    fewer = fit_values(values[1:], "usl", n[1:], weights="replicates")
    assert fewer.weights == "relative"
    assert [one.message for one in fewer.caveats if one.code == "few-replicates"] == [
        "weights from replicates need 20 a level, and the fewest here are 19: one relative variance is pooled over the "
        "levels instead"
    ]


def test_superlinear_curve_is_said_not_clamped_away() -> None:
    """Contention on its bound and the superlinear step both become caveats."""
    fit = fit_values([10, 24, 50, 105, 215], "usl", LEVELS[:5])
    assert fit.parameters["contention"].value == 0
    assert fit.unbounded[1] < 0
    assert {"superlinear", "on-bound"} <= {caveat.code for caveat in fit.caveats}
    assert fit.knee is None


def test_lack_of_fit() -> None:
    """A hard ceiling with tight replicates is not the USL; of a true law P is no alarm; without replicates unknown.

    Against the pure-error F test by hand: Draper and Smith 1998, section 2.1.
    """
    generator = np.random.default_rng(5)
    n = np.repeat(LEVELS, 5)
    wall = np.minimum(n, 4) * 100 * (1 + 0.01 * generator.standard_normal(len(n)))
    fit = fit_values(wall, "usl", n)
    assert fit.lack_of_fit < 1e-6
    assert "poor-fit" in [caveat.code for caveat in fit.caveats]
    fit = fit_law(noisy_curve("usl", TRUTH, 7, levels=n, noise=0.02), "usl")
    logs = np.log(noisy_curve("usl", TRUTH, 7, levels=n, noise=0.02).replicates)
    pure = float(((logs - logs.mean(axis=1, keepdims=True)) ** 2).sum())
    statistic = ((fit.sum_of_squares - pure) / 4) / (pure / 28)
    assert fit.degrees_of_freedom == 32
    assert fit.lack_of_fit == pytest.approx(stats.f.sf(statistic, 4, 28), rel=1e-6)
    assert fit.lack_of_fit > 0.05
    assert math.isnan(fit_law(noisy_curve("usl", TRUTH, 3), "usl").lack_of_fit)


@pytest.mark.parametrize("law", ["usl", "amdahl", "plateau"])
def test_saturation_point_reaches_95_percent(law: str) -> None:
    """The law's throughput at the saturation point is 95 % of the ceiling, before the peak."""
    fit = fit_law(noisy_curve("usl", TRUTH, 11), law)
    there = predict(fit, fit.saturation_point.value, extrapolate=True).throughput[0]
    assert there == pytest.approx(0.95 * fit.ceiling.value, rel=1e-9)
    assert fit.peak is None or fit.saturation_point.value < fit.peak.value


@pytest.mark.parametrize("law", ["linear", "plateau", "amdahl", "usl"])
def test_concurrency_may_be_a_mean_below_one(law: str) -> None:
    """Mean sessions at work from 0.19 to 5.3, as a database counts them: every law is defined there, and fits."""
    sessions = np.array([0.19, 0.4, 0.8, 1.3, 2.2, 3.4, 5.3])
    truth = {"linear": (90.0,), "plateau": (90.0, 2.5), "amdahl": (90.0, 0.2), "usl": (90.0, 0.1, 0.02)}[law]
    exact = fit_values(LAWS[law].throughput(sessions, *truth), law, sessions)
    assert exact.coefficients == pytest.approx(truth, rel=1e-6)
    noisy = fit_law(noisy_curve(law, truth, 1, levels=sessions), law)
    for estimate, true in zip(noisy.parameters.values(), truth, strict=True):
        assert estimate.low <= true <= estimate.high
    (below, beyond) = predict(noisy, [0.1, 8.0]).throughput
    assert 0 < below < beyond


# What fits say where the data say little: corners, bounds, exact lines, curves that only fall.


@pytest.mark.parametrize("servers", [2.0, 8.0])
def test_a_wall_on_a_measured_level_is_covered(servers: float) -> None:
    """The plateau has a corner there, where Wald's interval covers 80 %: the profile keeps its 95 %.

    Of 100 runs Wald's interval would hold 90 or more 6 times in 1,000, and the profile fewer 12 times.
    """
    generator = np.random.default_rng(17)
    hits = 0
    for _ in range(100):
        noise = np.exp(0.05 * generator.standard_normal(len(LEVELS)))
        wall = fit_values(plateau.throughput(LEVELS, 100.0, servers) * noise, "plateau").parameters["servers"]
        hits += wall.low <= servers <= wall.high
    assert hits >= 90


def test_a_parameter_that_nothing_depends_on_has_no_error() -> None:
    """A wall beyond the data: at least so far, no upper end, and no standard error of 0."""
    servers = fit_values(100 * LEVELS * [1.0, 1.02, 0.99, 1.01, 1.0, 0.99, 1.02], "plateau").parameters["servers"]
    assert math.isinf(servers.high)
    assert 32 < servers.low < 64
    assert servers.standard_error != 0


@pytest.mark.parametrize("factor", [1.0, 1e3, 1e5])
def test_a_limit_of_coherency_follows_the_unit_of_concurrency(factor: float) -> None:
    """N counted in other units changes coherency by the square: its limit, down to any size, does too."""
    noise = np.array([1.0, 0.97, 1.02, 0.98, 1.0, 1.08, 1.2])
    fit = fit_values(amdahl.throughput(LEVELS, 100.0, 0.03) * noise, "usl", LEVELS * factor)
    coherency = fit.parameters["coherency"]
    assert coherency.value == 0
    # At the lower end of the peak P the coherency is (1 - c) / P², near its limit.
    assert 0.5 < coherency.high * fit.peak.low**2 < 1.2


def test_curves_that_only_fall_or_only_grow() -> None:
    """Nothing above the throughput of one worker was measured or claimed; rounding on a line is no coherency."""
    fall = fit_values([100.0, 60.0, 35.0, 20.0, 9.0, 5.0], "usl", LEVELS[:6])
    assert fall.parameters["contention"].value == 1
    assert (fall.peak.value, fall.peak.low) == (1, 1)
    assert fall.ceiling.value == pytest.approx(fall.parameters["rate_at_one"].value)
    assert fall.ceiling.value == pytest.approx(100, rel=0.02)
    line = fit_values(37.3 * LEVELS, "usl")
    assert line.parameters["coherency"].value == 0
    assert math.isinf(line.peak.value)


def test_caveats_of_bounds_and_peaks() -> None:
    """A peak beyond the data is told with what is sure of it; a loss on its bound with its one-sided limit."""
    beyond = fit_law(noisy_curve("usl", (100.0, 0.03, 5e-4), 3, levels=LEVELS[:5], noise=0.005), "usl")
    (message,) = [caveat.message for caveat in beyond.caveats if caveat.code == "peak-not-observable"]
    assert message == (
        f"the peak at N = {beyond.peak.value:.3g} lies beyond the largest level 16; "
        f"it lies at {beyond.peak.low:.3g} or above"
    )
    fit = fit_law(RAYTRACER, "usl", weights="none")
    messages = {caveat.code: caveat.message for caveat in fit.caveats}
    assert messages["on-bound"] == (
        f"USL: coherency lies on its bound 0; at most {fit.parameters['coherency'].high:.3g} (one-sided 97.5 % limit)"
    )
    assert messages["peak-not-observable"] == (
        f"peak not observable up to N = 64; it lies at {fit.peak.low:.3g} or above"
    )
    # R's usl vignette: residual standard error 9.34 on 8 degrees of freedom with coherency 0.
    assert (fit.residual_standard_error, fit.degrees_of_freedom) == (pytest.approx(9.34, abs=0.005), 8)


# The solver against certified answers; NIST MGH09, of higher difficulty, is in tests/reference.


def test_nist_danwood() -> None:
    """NIST StRD DanWood, y = b1 x^b2: certified parameters, deviations and residual sum to 8 digits."""
    x = np.array([1.309, 1.471, 1.490, 1.565, 1.611, 1.680])
    y = np.array([2.138, 3.421, 3.597, 4.340, 4.882, 5.660])

    def evaluate(b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        power = x ** b[:, 1:]
        return b[:, :1] * power - y, np.stack([power, b[:, :1] * power * np.log(x)], axis=-1)

    everywhere = np.array([np.inf, np.inf])
    for start in ([1.0, 5.0], [0.7, 4.0]):
        fit = minimise(evaluate, np.array([start]), -everywhere, everywhere).at(0)
        errors = np.sqrt(np.diag(np.linalg.inv(fit.jacobian.T @ fit.jacobian)) * fit.sum_of_squares / 4)
        assert fit.converged
        np.testing.assert_allclose(fit.parameters, [0.76886226176, 3.8604055871], rtol=1e-8)
        np.testing.assert_allclose(errors, [0.018281973860, 0.051726610913], rtol=1e-7)
        assert fit.sum_of_squares == pytest.approx(4.3173084083e-3, rel=1e-9)


def test_nist_misra1a_from_a_far_start() -> None:
    """NIST StRD Misra1a, y = b1 (1 - exp(-b2 x)), from the harder of its two starts."""
    x = np.array([77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0])
    y = np.array([10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78])

    def evaluate(b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        decay = np.exp(-b[:, 1:] * x)
        return b[:, :1] * (1 - decay) - y, np.stack([1 - decay, b[:, :1] * x * decay], axis=-1)

    fit = minimise(evaluate, np.array([[500.0, 1e-4]]), np.zeros(2), np.array([np.inf, np.inf])).at(0)
    assert fit.converged
    np.testing.assert_allclose(fit.parameters, [238.94212918, 5.5015643181e-4], rtol=1e-7)


def test_a_bound_holds_and_the_rest_is_refitted() -> None:
    """With the slope held above its best value the intercept makes the best of it."""
    x, y = np.array([0.0, 1.0, 2.0]), np.array([3.0, 4.0, 5.0])

    def evaluate(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return p[:, :1] + p[:, 1:] * x - y, np.column_stack([np.ones(3), x])[np.newaxis]

    fit = minimise(evaluate, np.array([[0.0, 9.0]]), np.array([-np.inf, 2.0]), np.array([np.inf, np.inf])).at(0)
    assert fit.converged
    np.testing.assert_allclose(fit.parameters, [2.0, 2.0], atol=1e-8)


def test_a_batch_is_as_its_problems_alone() -> None:
    """Problems solved together end where each ends alone; one not finite at its start has no answer, others go on."""
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
    endless = np.array([np.inf])
    partly = minimise(
        lambda p: (np.where(p > 0, p - 3.0, np.nan), np.ones((len(p), 1, 1))),
        np.array([[-1.0], [1.0]]), -endless, endless,
    )  # fmt: skip
    assert partly.converged.tolist() == [False, True]
    assert partly.best().parameters[0] == pytest.approx(3.0)
