"""Bands, averages over laws, readings off a law, where the time goes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from benchlib.errors import DataError
from benchlib.scaling.curve import ScalingCurve, build_curve
from benchlib.scaling.fit import ScalingFit, fit_law
from benchlib.scaling.laws import LAWS, usl
from benchlib.scaling.predict import (
    EXTRAPOLATION_LIMIT,
    average_bands,
    likelihood_weights,
    predict,
    read_at,
    read_latency,
    read_throughput,
    split_time,
)

# Bands of a fitted law: as wide as the data allow, and no further than asked.

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
FIT = fit_law(
    build_curve(LEVELS, usl.throughput(LEVELS, 100.0, 0.03, 5e-4) * [1, 1.01, 0.98, 1.02, 1, 0.99], unit="op/sec"),
    "usl",
)


def test_beyond_twice_the_data_is_refused_unless_meant() -> None:
    """Twice the largest level is the end, itself included; the refusal says what was measured and what to do."""
    assert EXTRAPOLATION_LIMIT == 2.0
    assert predict(FIT, [64]).concurrency.tolist() == [64.0]
    with pytest.raises(DataError) as caught:
        predict(FIT, [8, 65])
    assert str(caught.value) == (
        "concurrency 65 is beyond twice the largest level measured (32); "
        "ask up to 64, measure further, or ask for extrapolation"
    )
    assert predict(FIT, [65], extrapolate=True).high[0] > 0


@pytest.mark.parametrize("wrong", [0.5, 0, -1, np.nan, np.inf])
def test_concurrency_is_a_number_of_workers(wrong: float) -> None:
    """Less than one worker, and what is no number, is refused whether or not extrapolation is meant."""
    with pytest.raises(DataError, match="no finite number of at least 1"):
        predict(FIT, [wrong], extrapolate=True)


def test_extrapolating_changes_no_number_within_the_limit() -> None:
    """Permission to go further does not move the band that needs none."""
    plain, meant = predict(FIT, LEVELS), predict(FIT, LEVELS, extrapolate=True)
    assert np.array_equal(plain.low, meant.low)
    assert np.array_equal(plain.high, meant.high)


# Averaged bands: they cover what they claim where no single law is known to be true.

AVERAGING_LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
ALL = ("linear", "plateau", "amdahl", "usl")


def noisy(seed: int, law: str = "usl", truth: tuple[float, ...] = (100.0, 0.06, 1e-4)) -> ScalingCurve:
    noise = np.exp(0.05 * np.random.default_rng(seed).standard_normal(len(AVERAGING_LEVELS)))
    return build_curve(AVERAGING_LEVELS, LAWS[law].throughput(AVERAGING_LEVELS, *truth) * noise, unit="op/sec")


def every_law(curve: ScalingCurve, weights: str = "relative") -> list[ScalingFit]:
    return [fit_law(curve, law, weights=weights) for law in ALL]


@pytest.mark.parametrize("weights", ["relative", "none"])
@pytest.mark.parametrize("kind", ["confidence", "prediction"])
def test_one_law_alone_keeps_its_own_band(kind: str, weights: str) -> None:
    """With nothing to average the band is the law's."""
    fit = fit_law(noisy(1), "usl", weights=weights)
    own, averaged = (
        band([fit] if many else fit, [1, 20, 128], kind=kind) for band, many in ((predict, 0), (average_bands, 1))
    )
    for name in ("throughput", "low", "high"):
        np.testing.assert_allclose(getattr(averaged, name), getattr(own, name), rtol=1e-12)
    assert averaged.weights == {"usl": 1.0}
    assert averaged.kind == kind


def test_ends_leave_the_stated_tails() -> None:
    """At the lower end the tails of the laws, by their weights, add to 2.5 %: Turek and Fletcher 2012.

    Amdahl's law and the USL inside the data, where no band is cut.
    """
    fits = [fit_law(noisy(2), law) for law in ("amdahl", "usl")]
    band = average_bands(fits, [20.0])
    below = above = 0.0
    for fit, share in zip(fits, band.weights.values(), strict=True):
        own = predict(fit, [20.0])
        error = np.log(own.high[0] / own.low[0]) / 2 / stats.t.ppf(0.975, fit.degrees_of_freedom)
        distance = np.log(np.array([band.low[0], band.high[0]]) / np.sqrt(own.low[0] * own.high[0])) / error
        below += share * float(stats.t.cdf(distance[0], fit.degrees_of_freedom))
        above += share * float(stats.t.sf(distance[1], fit.degrees_of_freedom))
    assert (below, above) == pytest.approx((0.025, 0.025), rel=1e-6)


def test_weights_are_likelihoods() -> None:
    """SPEC SDM91: residual sums 131265.389 and 27453.71958 (R 4, nls) weigh as their powers of -7/2."""
    throughput = [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2]
    curve = build_curve([1, 18, 36, 72, 108, 144, 216], throughput, unit="op/sec")
    weights = likelihood_weights([fit_law(curve, law, weights="none") for law in ("amdahl", "usl")])
    assert weights["amdahl"] / weights["usl"] == pytest.approx((131265.389 / 27453.71958) ** -3.5, rel=1e-6)
    assert sum(weights.values()) == pytest.approx(1, rel=1e-12)


def test_sdm91_beyond_the_data_holds_both_stories() -> None:
    """Plateau or fall cannot be told apart at 216: at 432 the band reaches from one to the other."""
    throughput = [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2]
    curve = build_curve([1, 18, 36, 72, 108, 144, 216], throughput, unit="op/sec")
    fits = every_law(curve)
    band = average_bands(fits, [432])
    by_name = {fit.law: predict(fit, [432]).throughput[0] for fit in fits}
    assert band.low[0] < by_name["usl"] < band.throughput[0] < by_name["plateau"] < band.high[0]


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 1000), factor=st.floats(1e-3, 1e6), weights=st.sampled_from(["relative", "none"]))
def test_change_of_unit_scales_the_band(seed: int, factor: float, weights: str) -> None:
    """Throughput in another unit changes the band by the factor, and no weight."""
    curve = noisy(seed)
    other = build_curve(AVERAGING_LEVELS, curve.throughput * factor, unit="op/sec")
    one, two = (
        average_bands([fit_law(given, law, weights=weights) for law in ("amdahl", "usl")], [64, 128])
        for given in (curve, other)
    )
    np.testing.assert_allclose(two.low, one.low * factor, rtol=1e-4, atol=1e-6 * factor)
    np.testing.assert_allclose(two.high, one.high * factor, rtol=1e-4)


def test_order_of_laws_is_irrelevant() -> None:
    """The same laws in another order give the same band."""
    fits = every_law(noisy(3))
    one, two = average_bands(fits, [32, 128]), average_bands(fits[::-1], [32, 128])
    np.testing.assert_allclose(one.low, two.low, rtol=1e-12)
    np.testing.assert_allclose(one.high, two.high, rtol=1e-12)


def test_exact_data_give_a_band_without_width_inside_them() -> None:
    """Laws that hold the points to rounding share the weight, and nothing divides by their zero errors."""
    curve = build_curve(AVERAGING_LEVELS, usl.throughput(AVERAGING_LEVELS, 100.0, 0.06, 1e-4), unit="op/sec")
    band = average_bands(every_law(curve), AVERAGING_LEVELS)
    np.testing.assert_allclose(band.throughput, curve.throughput, rtol=1e-6)
    np.testing.assert_allclose(band.low, band.high, rtol=1e-5)


def test_what_no_law_may_say_is_refused() -> None:
    """Extrapolation has to be meant here too, and laws of other data cannot be averaged."""
    fits = [fit_law(noisy(4), law) for law in ("amdahl", "usl")]
    with pytest.raises(DataError, match="beyond twice the largest level"):
        average_bands(fits, [129])
    band = average_bands(fits, [129, 640], extrapolate=True)
    assert np.log(band.high[1] / band.low[1]) > np.log(band.high[0] / band.low[0])
    with pytest.raises(DataError, match="fit them alike"):
        average_bands([fits[0], fit_law(noisy(4), "usl", weights="none")], [64])
    with pytest.raises(DataError, match="no fitted laws"):
        average_bands([], [64])


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("law", "truth"),
    [
        ("usl", (100.0, 0.06, 1e-4)),
        ("usl", (100.0, 0.03, 5e-4)),
        ("amdahl", (100.0, 0.05)),
        ("plateau", (100.0, 20.0)),
    ],
)
def test_averaged_bands_cover_at_twice_the_largest_level(law: str, truth: tuple[float, ...]) -> None:
    """Whichever law is true, 5 % noise on 7 levels: nominal 95 % covers 93 to 98 %; 300 runs allow 3 % less.

    Weights by AICc cover 51 to 61 % for the first two of these.
    """
    true = float(LAWS[law].throughput(128.0, *truth))
    hits = 0
    for seed in range(300):
        band = average_bands(every_law(noisy(50_000 + seed, law, truth)), [128])
        hits += bool(band.low[0] <= true <= band.high[0])
    assert 0.90 <= hits / 300 <= 1.0


# What is read off a law: round trips, units, the reasons why nothing is read, and what the intervals cover.

READINGS_LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
TRUTHS = {
    "linear": (100.0,),
    "plateau": (100.0, 11.0),
    "amdahl": (100.0, 0.05),
    "gustafson": (100.0, 0.2),
    "usl": (100.0, 0.03, 5e-4),
}
PEAK = math.sqrt(0.97 / 5e-4)


def fitted(law: str, seed: int = 1, noise: float = 0.03, unit: str = "op/sec", factor: float = 1.0) -> ScalingFit:
    """A law fitted to data of its own."""
    x = LAWS[law].throughput(READINGS_LEVELS, *TRUTHS[law])
    x = x * np.exp(noise * np.random.default_rng(seed).standard_normal(len(READINGS_LEVELS))) * factor
    return fit_law(build_curve(READINGS_LEVELS, x, unit=unit), law, weak=law == "gustafson")


@pytest.mark.parametrize("n", [1.5, 3.0, 9.0, 40.0])
@pytest.mark.parametrize("law", TRUTHS)
def test_a_throughput_leads_back_to_its_concurrency(law: str, n: float) -> None:
    """Throughput at N is reached at N; on the flat end of a plateau every N would do and the wall is told."""
    fit = fitted(law)
    (at,) = read_at(fit, n)
    found = read_throughput(fit, at.throughput.value * (1 - 1e-15 if law == "plateau" else 1))
    wanted = min(n, fit.parameters["servers"].value) if law == "plateau" else n
    assert min(abs(one.value - wanted) for one in found.concurrency) <= 1e-9 * wanted
    for one in found.concurrency:
        assert one.low <= one.value <= one.high


@pytest.mark.parametrize("n", [1.5, 3.0, 9.0, 40.0])
@pytest.mark.parametrize("law", ["amdahl", "gustafson", "usl"])
def test_a_latency_leads_back_to_its_concurrency(law: str, n: float) -> None:
    """Up to the peak the latency at N allows N; beyond it more in flight do less, and the peak is the answer."""
    fit = fitted(law)
    (at,) = read_at(fit, n)
    found = read_latency(fit, at.latency.value)
    assert found.concurrency is not None
    assert found.throughput is not None
    if fit.peak is not None and n > fit.peak.value:
        assert (found.limited_by, found.concurrency) == ("largest throughput", fit.peak)
        assert found.throughput.value == pytest.approx(float(LAWS[law].throughput(fit.peak.value, *fit.coefficients)))
    else:
        assert found.limited_by == "latency"
        assert found.concurrency.value == pytest.approx(n, rel=1e-9)
        assert found.throughput.value == pytest.approx(at.throughput.value, rel=1e-9)
        assert found.concurrency.value == pytest.approx(found.throughput.value * found.latency, rel=1e-12)


@pytest.mark.parametrize("law", TRUTHS)
def test_a_reading_is_the_curve_its_band_its_slope_and_littles_law(law: str) -> None:
    """Against `predict`, a difference quotient and N / X."""
    fit = fitted(law)
    band = predict(fit, [6.0, 100.0])
    for place, one in enumerate(read_at(fit, [6.0, 100.0])):
        n, x = one.concurrency, one.throughput
        assert (x.value, x.low, x.high) == (band.throughput[place], band.low[place], band.high[place])
        assert (one.latency.value, one.latency.low, one.latency.high) == pytest.approx(
            (n / x.value, n / x.high, n / x.low)
        )
        near = LAWS[law].throughput([n - 1e-4, n + 1e-4], *fit.coefficients)
        assert one.slope.value == pytest.approx((near[1] - near[0]) / 2e-4, rel=1e-5, abs=1e-6)
        assert one.latency.unit == "sec"


def test_both_branches_of_a_curve_that_falls_are_told() -> None:
    """USL without noise: N and P²/N do the same, the second only within twice the largest level."""
    fit = fitted("usl", noise=0.0)
    found = read_throughput(fit, float(usl.throughput(20.0, *TRUTHS["usl"])))
    assert [one.value for one in found.concurrency] == pytest.approx([20.0, PEAK**2 / 20.0], rel=1e-9)
    assert found.reason == ""
    lower = read_throughput(fit, float(usl.throughput(10.0, *TRUTHS["usl"])))
    assert [one.value for one in lower.concurrency] == pytest.approx([10.0])
    assert lower.reason == "again at N = 194, beyond twice the largest level measured (64): a guess"


def test_without_noise_there_is_no_width() -> None:
    """An interval of exact data is its value."""
    (one,) = read_throughput(fitted("amdahl", noise=0.0), 1000.0).concurrency
    assert (one.low, one.high) == pytest.approx((one.value, one.value), rel=1e-6)


def test_why_a_throughput_is_not_reached() -> None:
    """Above the ceiling, beyond the data, or below what one worker does."""
    amdahl = fitted("amdahl", noise=0.0)
    above, far, below = (read_throughput(amdahl, one) for one in (2500, 1900, 50))
    assert above.reason == "throughput by Amdahl is at most 2,000 op/sec"
    assert far.reason == "only at N = 361, beyond twice the largest level measured (64): a guess"
    assert below.reason == "one worker does 100 op/sec already, and Amdahl does not come down to it later"
    assert {one.concurrency for one in (above, far, below)} == {()}


def test_what_ends_a_throughput_within_a_latency() -> None:
    """One worker that is too slow, the range of the data, the wall of a plateau."""
    amdahl = fitted("amdahl", noise=0.0)
    short = read_latency(amdahl, 0.005)
    assert (short.throughput, short.concurrency, short.limited_by) == (None, None, "nothing")
    assert short.reason == "one worker alone takes 0.01 sec by Amdahl"
    endless = read_latency(amdahl, 10.0)
    assert endless.concurrency is not None
    assert (endless.limited_by, endless.concurrency.value) == ("data", 128)
    wall = fitted("plateau")
    walled = read_latency(wall, 1.0)
    assert (walled.limited_by, walled.concurrency) == ("largest throughput", wall.knee)


@pytest.mark.parametrize("law", ["linear", "plateau", "amdahl", "usl"])
def test_change_of_unit_changes_no_concurrency(law: str) -> None:
    """A thousand times the throughput, a thousandth of the latency: the same N, ends too."""
    one, other = fitted(law), fitted(law, factor=1000.0)
    for asked in (300.0, 700.0):
        pairs = zip(
            read_throughput(one, asked).concurrency, read_throughput(other, 1000 * asked).concurrency, strict=True
        )
        for left, right in pairs:
            assert (left.value, left.low, left.high) == pytest.approx((right.value, right.low, right.high), rel=1e-6)
    here, there = read_latency(one, 0.02), read_latency(other, 2e-5)
    assert here.limited_by == there.limited_by
    if here.concurrency and there.concurrency:
        assert here.concurrency.value == pytest.approx(there.concurrency.value, rel=1e-9)


@pytest.mark.parametrize("wrong", [0.0, -5.0, math.nan, math.inf])
def test_what_no_law_can_do_is_refused(wrong: float) -> None:
    """Zero, negative, not a number, infinite."""
    fit = fitted("amdahl")
    for read, word in ((read_throughput, "throughput"), (read_latency, "latency")):
        with pytest.raises(DataError) as caught:
            read(fit, wrong)  # type: ignore[operator]
        assert str(caught.value) == f"{word} {wrong:g} is no finite number above 0; ask for one that is"


def test_nothing_is_read_beyond_twice_the_data() -> None:
    """As `predict` refuses it."""
    with pytest.raises(DataError, match=r"^concurrency 129 is beyond twice the largest level measured \(64\)"):
        read_at(fitted("usl"), 129)


@pytest.mark.parametrize("runs", [120, pytest.param(2000, marks=pytest.mark.heavy)])
def test_intervals_cover_what_they_claim(runs: int) -> None:
    """5 % noise: slope at N = 8 and 100, N for a throughput, N within a latency; 95 % of them hold the truth."""
    generator = np.random.default_rng(3)
    truth = TRUTHS["usl"]
    exact = usl.throughput(READINGS_LEVELS, *truth)
    asked = float(usl.throughput(10.0, *truth))
    slopes = usl.slope([8.0, 100.0], *truth)
    held = np.zeros(4)
    for _ in range(runs):
        curve = build_curve(
            READINGS_LEVELS, exact * np.exp(0.05 * generator.standard_normal(len(READINGS_LEVELS))), unit="op/sec"
        )
        fit = fit_law(curve, "usl", derived=False)
        reached, within = read_throughput(fit, asked).concurrency[0], read_latency(fit, 10.0 / asked).concurrency
        assert within is not None
        near, far = (one.slope for one in read_at(fit, [8.0, 100.0]))
        held += [
            near.low <= slopes[0] <= near.high,
            far.low <= slopes[1] <= far.high,
            reached.low <= 10 <= reached.high,
            within.low <= 10 <= within.high,
        ]
    error = math.sqrt(0.95 * 0.05 / runs)
    assert np.all(np.abs(held / runs - 0.95) <= max(0.02, 3 * error))


# Where the time of an operation goes: parts that sum to all of it.


@pytest.fixture
def sdm91() -> ScalingCurve:
    """SPEC SDM91: R package usl 3.0.3, tests/summary.Rout.save."""
    return build_curve(
        [1, 18, 36, 72, 108, 144, 216], [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2], unit="op/sec"
    )


@pytest.mark.parametrize("law", LAWS)
def test_parts_sum_to_the_latency(sdm91: ScalingCurve, law: str) -> None:
    """For every law: parts in seconds sum to N / X(N), shares to 1, none is negative, all is work at one."""
    fit = fit_law(sdm91, law, weak=True)
    for split in split_time(fit, [1, 7.5, 216, 432]):
        throughput = LAWS[law].throughput(split.concurrency, *fit.coefficients)
        assert split.latency == pytest.approx(split.concurrency / float(throughput), rel=1e-12)
        assert sum(split.parts.values()) == pytest.approx(split.latency, rel=1e-12)
        assert sum(split.shares.values()) == pytest.approx(1, rel=1e-12)
        assert min(split.shares.values()) >= 0
    assert split_time(fit, 1)[0].shares["work"] == pytest.approx(1, rel=1e-12)


def test_sdm91_at_216_is_not_what_r_prints(sdm91: ScalingCurve) -> None:
    """1 / C(216) is 0.0547; R's overhead() halves the coherency, and its parts sum to 0.0434.

    Defect of usl 3.0.3 `overhead`, which takes k (p - 1) / 2; both numbers at p = 216.
    """
    fit = fit_law(sdm91, "usl", weights="none")
    (split,) = split_time(fit, 216)
    one = {name: seconds * fit.coefficients[0] / 216 for name, seconds in split.parts.items()}
    assert sum(one.values()) == pytest.approx(0.0547, abs=5e-5)
    assert one["work"] + one["contention"] + one["coherency"] / 2 == pytest.approx(0.0434, abs=5e-5)
    # k (N - 1) and c (N - 1) / N of the coefficients R prints.
    assert one["coherency"] == pytest.approx(0.0001044 * 215, rel=1e-3)
    assert one["contention"] == pytest.approx(0.0277285 * 215 / 216, rel=1e-5)


def test_unit_of_throughput_scales_the_seconds_only(sdm91: ScalingCurve) -> None:
    """A thousand times the throughput is a thousandth of the latency, in the same shares."""
    fast = build_curve(sdm91.concurrency, sdm91.throughput * 1000, unit="op/sec")
    (one,), (two,) = (split_time(fit_law(curve, "usl"), 144) for curve in (sdm91, fast))
    assert two.latency * 1000 == pytest.approx(one.latency, rel=1e-9)
    assert two.shares == pytest.approx(dict(one.shares), rel=1e-6)


def test_no_split_beyond_twice_the_data_unless_meant(sdm91: ScalingCurve) -> None:
    """The rule of extrapolation holds for the split as for the band."""
    fit = fit_law(sdm91, "usl")
    with pytest.raises(DataError, match="beyond twice the largest level"):
        split_time(fit, 433)
    assert np.isfinite(split_time(fit, 433, extrapolate=True)[0].latency)
