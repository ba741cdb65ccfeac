"""Scaling fits against published results, unweighted as R fits them.

SDM91 and raytracer are the data sets of the R package usl (S. Möding, github.com/smoeding/usl):
``tests/summary.Rout.save``, ``tests/confint.Rout.save`` and its vignette print the estimates and
standard errors. Digits beyond the printed ones, profile intervals and bands were computed with two
independent solvers that agree with the printed digits.

No answers are taken from the PayPal data of "Practical Scalability Analysis" (Schwartz 2015): its printed
coefficients are not those of its data. A free fit of Node gives contention 0.07695 where 0.080319 is
printed, and those of Java were set by hand.
"""

import math

import numpy as np
import pytest

from benchlib.scaling.choose import choose_law
from benchlib.scaling.curve import ScalingCurve, build_curve, up_to
from benchlib.scaling.fit import ScalingFit, criteria_of, fit_law
from benchlib.scaling.intervals import profile_intervals, quantity_named
from benchlib.scaling.laws import gustafson, usl
from benchlib.scaling.points import measure_points
from benchlib.scaling.predict import predict
from benchlib.scaling.solver import minimise, objective_of, solve_twice
from tests.scaling.simulations import RAYTRACER, SDM91


@pytest.fixture
def sdm91() -> ScalingCurve:
    return SDM91


@pytest.fixture
def raytracer() -> ScalingCurve:
    return RAYTRACER


def printed(fit: ScalingFit) -> dict[str, tuple[float, float]]:
    return {name: (one.value, one.standard_error) for name, one in fit.parameters.items()}


def test_sdm91_estimates_and_standard_errors(sdm91: ScalingCurve) -> None:
    """summary.Rout.save, all printed digits; then ten digits of two independent solvers."""
    fit = fit_law(sdm91, "usl", weights="none")
    found = printed(fit)
    assert found["contention"] == pytest.approx((0.0277285, 0.0091217), abs=5.1e-8)
    assert found["coherency"] == pytest.approx((0.0001044, 0.0000199), abs=5.1e-8)
    assert found["rate_at_one"] == pytest.approx((89.9952330, 14.2134894), abs=1e-6)
    assert fit.residual_standard_error == pytest.approx(82.84582003, rel=1e-9)
    assert fit.degrees_of_freedom == 4
    assert found["contention"] == pytest.approx((0.02772847562, 0.009121731808), rel=2e-8)
    assert found["coherency"] == pytest.approx((0.0001043654838, 1.987527091e-05), rel=2e-8)


def test_sdm91_peak_knee_and_ceiling(sdm91: ScalingCurve) -> None:
    """peak.scalability 96.51956, throughput there 1884, optimum 36.06401 (our knee), peak's error 8.98795."""
    fit = fit_law(sdm91, "usl", weights="none")
    assert fit.peak is not None
    assert fit.knee is not None
    assert fit.ceiling is not None
    assert fit.peak.value == pytest.approx(96.51956, abs=5e-6)
    assert fit.peak.standard_error == pytest.approx(8.98795, abs=5e-6)
    assert fit.peak.low < fit.peak.value < fit.peak.high
    assert fit.ceiling.value == pytest.approx(1884, abs=0.5)
    assert fit.knee.value == pytest.approx(36.06401, abs=5e-6)


def test_sdm91_wald_intervals(sdm91: ScalingCurve) -> None:
    """t(0.975, 4), not the one-sided quantile with n - 1 that confint.USL takes."""
    parameters = fit_law(sdm91, "usl", weights="none").parameters
    ends = {name: (one.low, one.high) for name, one in parameters.items()}
    assert ends["contention"] == pytest.approx((0.00240249, 0.05305446), abs=6e-9)
    assert ends["coherency"] == pytest.approx((4.918289e-5, 1.5954808e-4), rel=1e-6)
    assert ends["rate_at_one"] == pytest.approx((50.53226, 129.458206), abs=6e-6)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("contention", 0.00948473, 0.06410349),
        ("coherency", 3.862124e-5, 1.6117571e-4),
        ("rate_at_one", 61.24634, 144.54556),
    ],
)
def test_sdm91_profile_intervals(sdm91: ScalingCurve, name: str, low: float, high: float) -> None:
    """Profile-F intervals at 95 %: the machinery behind every derived quantity."""
    objective = objective_of(sdm91, "none")
    scale = objective.scale if name == "rate_at_one" else 1.0
    found = profile_intervals(solve_twice(objective, usl, 0.95), [name])
    assert np.array(found[name]) * scale == pytest.approx((low, high), rel=2e-6)


def test_sdm91_bands_widen(sdm91: ScalingCurve) -> None:
    """Standard errors of the mean curve and half-widths of prediction at 36, 100, 216 and 432."""
    fit = fit_law(sdm91, "usl", weights="none")
    band = predict(fit, [36, 100, 216, 432])
    critical = 2.7764451051977987
    np.testing.assert_allclose(band.throughput, [1541.309598, 1883.400564, 1646.204726, 1200.566696], rtol=1e-8)
    np.testing.assert_allclose(
        (band.throughput - band.low) / critical, [52.282834, 50.691759, 72.827973, 129.294857], rtol=1e-6
    )
    wide = predict(fit, [36, 100, 216, 432], kind="prediction")
    np.testing.assert_allclose(wide.high - wide.throughput, [271.991375, 269.65964, 306.257671, 426.350154], rtol=1e-6)


def test_sdm91_amdahl_and_criteria(sdm91: ScalingCurve) -> None:
    """Amdahl's own fit; AICc prefers it, AIC and leave-one-out prefer the USL, and the choice says so.

    F(1, 4) = 15.1253, p = 0.01770 for the USL against Amdahl.
    """
    amdahl, usl_fit = (fit_law(sdm91, law, weights="none") for law in ("amdahl", "usl"))
    found = printed(amdahl)
    assert found["serial_fraction"] == pytest.approx((0.07364816, 0.02565228), abs=6e-9)
    assert found["rate_at_one"] == pytest.approx((146.2105504, 43.4279332), abs=1e-5)
    assert (amdahl.criteria.aicc, usl_fit.criteria.aicc) == pytest.approx((82.87, 85.92), abs=0.005)
    assert (amdahl.criteria.aic, usl_fit.criteria.aic) == pytest.approx((72.87346, 63.92043), abs=1e-5)
    assert (amdahl.criteria.loo_rmse, usl_fit.criteria.loo_rmse) == pytest.approx((211, 153), abs=0.5)
    choice = choose_law([amdahl, usl_fit])
    assert choice.law == "usl"
    assert choice.preferred == {"AICc": "amdahl", "AIC": "usl", "F test": "usl", "leave-one-out": "usl"}
    assert [one.code for one in choice.caveats] == ["laws-disagree"]
    assert "AICc prefers Amdahl" in choice.why
    (test,) = choice.tests
    assert test.degrees_of_freedom == (1, 4)
    assert test.statistic == pytest.approx(15.125334, abs=5e-6)
    assert test.pvalue == pytest.approx(0.0177037, abs=5e-8)


def test_sdm91_residuals_and_correlations(sdm91: ScalingCurve) -> None:
    """summary.Rout.save prints measured minus fitted; their sum of squares and the correlations were computed."""
    fit = fit_law(sdm91, "usl", weights="none")
    residuals = sdm91.throughput - usl.throughput(sdm91.concurrency, *fit.coefficients)
    np.testing.assert_allclose(residuals, [-25.10, -81.66, 111.09, 3.05, -49.99, -46.60, 56.00], atol=0.0051)
    total = float(residuals @ residuals)
    assert total == pytest.approx(27453.71958, abs=5e-6)
    spread = sdm91.throughput - sdm91.throughput.mean()
    assert 1 - total / float(spread @ spread) == pytest.approx(0.98956148, abs=5e-9)
    covariance = np.array(fit.covariance)
    errors = np.sqrt(np.diag(covariance))
    correlations = covariance / np.outer(errors, errors)
    assert correlations[1, 2] == pytest.approx(-0.4672, abs=5e-5)
    assert correlations[0, 1] == pytest.approx(0.9636, abs=5e-5)


def test_sdm91_limit_and_what_if(sdm91: ScalingCurve) -> None:
    """R prints a limit of 3245.589, which ignores coherency; half the coherency moves the peak to 139.4."""
    fit = fit_law(sdm91, "usl", weights="none")
    rate, contention, _ = fit.coefficients
    assert rate / contention == pytest.approx(3245.589, abs=5e-4)
    assert quantity_named(usl, "peak")(np.array([[rate, contention, 5e-5]]))[0] == pytest.approx(139.4, abs=0.05)


def test_raytracer_on_the_bound(raytracer: ScalingCurve) -> None:
    """Coherency 0; contention and rate are Amdahl's; the limit of throughput is 378."""
    fit = fit_law(raytracer, "usl", weights="none")
    assert fit.on_bound == ("coherency",)
    assert fit.parameters["contention"].value == pytest.approx(0.057771, abs=5e-7)
    assert fit.parameters["rate_at_one"].value == pytest.approx(21.848843, abs=5e-7)
    assert fit.ceiling is not None
    assert fit.ceiling.value == pytest.approx(378, abs=0.5)
    assert fit.peak is not None
    assert math.isinf(fit.peak.value)
    assert math.isinf(fit.peak.high)
    assert 64 < fit.peak.low < math.inf
    codes = [one.code for one in fit.caveats]
    assert "on-bound" in codes
    assert "peak-not-observable" in codes
    # One-sided, and never below what an interval that ignores the bound would give.
    coherency = fit.parameters["coherency"]
    assert (coherency.value, coherency.low) == (0.0, 0.0)
    assert 4.0735067e-05 < coherency.high < 2e-4


def test_raytracer_without_bounds(raytracer: ScalingCurve) -> None:
    """The fit behind the intervals: coherency is negative, and its error is not the bounded one's."""
    fit = fit_law(raytracer, "usl", weights="none")
    assert fit.unbounded == pytest.approx((24.76617412, 0.0781478486, -2.011212863e-4), rel=1e-8)
    errors = np.sqrt(np.diag(fit.covariance))
    np.testing.assert_allclose(errors, [2.15705677, 0.0134050157, 1.199947759e-4], rtol=1e-7)


def test_raytracer_points(raytracer: ScalingCurve) -> None:
    """Karp-Flatt and efficiency by the measured X(1); R's own efficiencies are by the fitted one."""
    points = {int(one.concurrency): one for one in measure_points(raytracer)}
    serial = {4: 0.008547, 8: 0.032967, 12: 0.037433, 16: 0.045614, 20: 0.052632, 24: 0.055901, 28: 0.05314}
    for n, value in (serial | {32: 0.047146, 48: 0.051672, 64: 0.049667}).items():
        assert points[n].serial_fraction == pytest.approx(value, abs=5.1e-7)
    assert [points[n].efficiency for n in (4, 16, 64)] == pytest.approx([0.975, 0.59375, 0.2421875], rel=1e-12)
    rate = fit_law(raytracer, "usl", weights="none").coefficients[0]
    published = [0.9154, 0.8925, 0.7437, 0.6484, 0.5435, 0.4577, 0.4005, 0.3760, 0.3719, 0.2670, 0.2217]
    np.testing.assert_allclose(raytracer.throughput / (rate * raytracer.concurrency), published, atol=5.1e-5)


def test_raytracer_criteria_without_bounds(raytracer: ScalingCurve) -> None:
    """AICc 56.293 and leave-one-out 8.35 belong to a negative coherency; of Amdahl they are 55.070 and 10.10."""
    objective = objective_of(raytracer, "none")
    solution = solve_twice(objective, usl, 0.95)
    assert criteria_of(objective, usl, solution.unbounded).aicc == pytest.approx(56.293, abs=5e-4)
    assert solution.unbounded.sum_of_squares * objective.scale**2 == pytest.approx(484.01767, abs=5e-6)
    assert fit_law(raytracer, "amdahl", weights="none").criteria.loo_rmse == pytest.approx(10.10, abs=5e-3)


def test_raytracer_coherency_profile(raytracer: ScalingCurve) -> None:
    """Profile-F of the fit without bounds at 95 %: coherency at most 4.0735067e-5."""
    objective = objective_of(raytracer, "none")
    solution = solve_twice(objective, usl, 0.95)
    # Held where the end should be, a refit costs exactly s² F more.
    held = np.array([0.0, 0.0, 4.0735067e-05])
    lower, upper = np.array([1e-9, -np.inf, held[2]]), np.array([np.inf, np.inf, held[2]])
    start = solution.unbounded.parameters[np.newaxis] * [1.0, 1.0, 0.0] + held
    refit = minimise(objective.evaluator(usl), start, lower, upper).at(0)
    assert refit.sum_of_squares == pytest.approx(solution.unbounded.sum_of_squares + solution.rise, rel=1e-7)


def test_raytracer_amdahl_has_its_own_error(raytracer: ScalingCurve) -> None:
    """Two parameters, so 0.0052580, not the 0.013293 of three; and Amdahl is chosen."""
    amdahl, usl_fit = (fit_law(raytracer, law, weights="none") for law in ("amdahl", "usl"))
    found = printed(amdahl)
    assert found["serial_fraction"] == pytest.approx((0.05777078, 0.00525798), abs=5e-9)
    assert found["rate_at_one"] == pytest.approx((21.848843, 1.257779), abs=5e-7)
    assert amdahl.residual_standard_error == pytest.approx(8.801754, abs=5e-7)
    assert amdahl.criteria.aicc == pytest.approx(55.070, abs=5e-4)
    band = predict(amdahl, [96, 128])
    assert band.throughput == pytest.approx([323.3, 335.5], abs=0.05)
    choice = choose_law([amdahl, usl_fit])
    assert choice.law == "amdahl"
    assert "not distinguishable from 0" in choice.why


def test_raytracer_first_six() -> None:
    """confint.Rout.save prints the estimates; errors and the right intervals were computed."""
    fit = fit_law(up_to(RAYTRACER, 20), "usl", weights="none")
    found = printed(fit)
    assert found["contention"] == pytest.approx((0.02444404142, 0.00839065569), rel=1e-7)
    assert found["coherency"] == pytest.approx((0.00162680928, 2.61398495e-4), rel=1e-7)
    assert found["rate_at_one"] == pytest.approx((20.8560453, 0.788506324), rel=1e-7)
    contention, coherency = fit.parameters["contention"], fit.parameters["coherency"]
    # -0.00225877 in full: cut to 0, because a contention below it is none.
    assert (contention.low, contention.high) == pytest.approx((0.0, 0.05114685), abs=1e-8)
    assert (coherency.low, coherency.high) == pytest.approx((7.949226e-4, 2.4586959e-3), rel=1e-6)
    # What confint.USL prints: the one-sided quantile 2.015 with n - 1 degrees of freedom. A t(3) is 3.182.
    one_sided = 2.015048372669157
    for name, printed_ends in (("contention", (0.00754, 0.04135)), ("rate_at_one", (19.26717, 22.44492))):
        value, error = found[name]
        assert (value - one_sided * error, value + one_sided * error) == pytest.approx(printed_ends, abs=6e-6)


def test_published_coefficients_are_found_again() -> None:
    """usl tests/coef.Rout.save (0.02, 0.02, 1.0) and the VividCortex book's linear2 (peak 6.8917)."""
    one = fit_law(
        build_curve([1, 2, 4, 6, 8, 10], [1, 1.8868, 3.0769, 3.5294, 3.5398, 3.3557], unit="op/sec"),
        "usl",
        weights="none",
    )
    assert one.coefficients == pytest.approx((1.0, 0.02, 0.02), abs=1e-5)
    two = fit_law(
        build_curve(range(1, 11), [1800, 3303, 4426, 5180, 5625, 5837, 5888, 5830, 5704, 5538], unit="op/sec"),
        "usl",
        weights="none",
    )
    assert two.coefficients == pytest.approx((1800.065405, 0.05001696804, 0.02000125911), rel=1e-7)
    assert two.peak is not None
    assert two.peak.value == pytest.approx(6.891745894, rel=1e-8)


def test_gustafson_closed_form() -> None:
    """With the rate at one known, 1 - s = Σ(N-1)(S-1)/Σ(N-1)²; the fit agrees on exact data."""
    n = np.array([1.0, 2.0, 8.0, 32.0, 1024.0])
    fit = fit_law(build_curve(n, 5.0 * (n - 0.004 * (n - 1)), unit="op/sec"), "gustafson", weak=True)
    assert fit.coefficients == pytest.approx((5.0, 0.004), rel=1e-9)
    assert gustafson.throughput(1024, 1.0, 0.004) == pytest.approx(1019.908, abs=5e-4)
    assert gustafson.throughput(1024, 1.0, 0.008) == pytest.approx(1015.816, abs=5e-4)
    speedup = n - 0.004 * (n - 1)
    assert np.sum((n - 1) * (speedup - 1)) / np.sum((n - 1) ** 2) == pytest.approx(1 - fit.coefficients[1], rel=1e-9)


@pytest.mark.parametrize(("start", "lowest"), [((0.25, 0.39, 0.415, 0.39), -math.inf), ((25.0, 39.0, 41.5, 39.0), 0.0)])
def test_nist_mgh09(start: tuple[float, ...], lowest: float) -> None:
    """NIST StRD MGH09, of higher difficulty: a rational function from both certified starts, to 6 digits.

    From the far one the sum of squares falls towards a second minimum at infinity, beyond a pole: there
    the search needs to be told that no parameter is negative.

    J. S. Kowalik and M. R. Osborne, "Methods for Unconstrained Optimization Problems", Elsevier 1968.
    """
    x = np.array([4.0, 2.0, 1.0, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625])
    y = np.array([0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246])

    def evaluate(b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        one, two, three, four = (b[:, index : index + 1] for index in range(4))
        above, below = x**2 + x * two, x**2 + x * three + four
        model = one * above / below
        slopes = (above / below, one * x / below, -model * x / below, -model / below)
        return model - y, np.stack(slopes, axis=-1)

    found = minimise(evaluate, np.array([start]), np.full(4, lowest), np.full(4, np.inf)).at(0)
    assert found.converged
    np.testing.assert_allclose(
        found.parameters, [1.9280693458e-01, 1.9128232873e-01, 1.2305650693e-01, 1.3606233068e-01], rtol=1e-6
    )
    errors = np.sqrt(np.diag(np.linalg.inv(found.jacobian.T @ found.jacobian)) * found.sum_of_squares / 7)
    np.testing.assert_allclose(
        errors, [1.1435312227e-02, 1.9633220911e-01, 8.0842031232e-02, 9.0025542308e-02], rtol=1e-6
    )
    assert found.sum_of_squares == pytest.approx(3.0750560385e-04, rel=1e-9)
