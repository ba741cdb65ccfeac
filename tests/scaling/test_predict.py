"""Bands, averages over laws, readings off a law, where the time goes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from benchlib.errors import DataError
from benchlib.scaling.curve import ScalingCurve, build_curve
from benchlib.scaling.fit import ScalingFit, fit_law
from benchlib.scaling.laws import LAWS, usl
from benchlib.scaling.predict import (
    average_bands,
    likelihood_weights,
    predict,
    read_at,
    read_latency,
    read_throughput,
)
from tests.scaling.simulations import LEVELS, SDM91, noisy_curve

TRUTHS = {
    "linear": (100.0,),
    "plateau": (100.0, 11.0),
    "amdahl": (100.0, 0.05),
    "gustafson": (100.0, 0.2),
    "usl": (100.0, 0.03, 5e-4),
}
ALL = ("linear", "plateau", "amdahl", "usl")


def fitted(law: str, seed: int = 1, noise: float = 0.03, factor: float = 1.0) -> ScalingFit:
    """A law fitted to data of its own."""
    curve = noisy_curve(law, TRUTHS[law], seed, noise=noise)
    return fit_law(build_curve(LEVELS, curve.throughput * factor, unit="op/sec"), law, weak=law == "gustafson")


def fits_of(curve: ScalingCurve, laws: tuple[str, ...] = ("amdahl", "usl"), weights: str = "relative") -> list:
    return [fit_law(curve, law, weights=weights) for law in laws]


# Bands of a fitted law: as wide as the data allow, and no further than asked.


def test_beyond_twice_the_data_is_refused_unless_meant() -> None:
    """Twice the largest level is the end, itself included; permission to go further moves no band within it."""
    fit = fitted("usl")
    refused = (
        "concurrency 129 is beyond twice the largest level measured (64); "
        "ask up to 128, measure further, or ask for extrapolation"
    )
    for ask in (predict, lambda fit, n: read_at([fit], n), lambda fit, n: average_bands([fit], n)):
        assert ask(fit, [128])
        with pytest.raises(DataError) as caught:
            ask(fit, [8, 129])
        assert str(caught.value) == refused
        for wrong in (0, -1, np.nan, np.inf):
            with pytest.raises(DataError, match="no finite number above 0"):
                ask(fit, [wrong])
    plain, meant = predict(fit, LEVELS), predict(fit, [*LEVELS, 129], extrapolate=True)
    np.testing.assert_array_equal(meant.low[:-1], plain.low)
    np.testing.assert_array_equal(meant.high[:-1], plain.high)
    with pytest.raises(DataError, match="unknown band"):
        predict(fit, [64], kind="tolerance")


def test_bands_are_those_of_the_delta_method_and_widen_away_from_the_data() -> None:
    """Seber and Wild 1989, section 5.1, by hand on logarithms: t √(g' C g), and with the noise of one more value."""
    fit = fitted("usl")
    n = np.array([6.0, 64.0, 128.0])
    slopes = usl.gradient(n, *fit.unbounded) / usl.throughput(n, *fit.unbounded)[:, np.newaxis]
    variance = np.einsum("ij,jk,ik->i", slopes, np.array(fit.covariance), slopes)
    for kind, more in (("confidence", 0.0), ("prediction", fit.residual_standard_error**2)):
        band = predict(fit, n, kind=kind)
        half = stats.t.ppf(0.975, 4) * np.sqrt(variance + more)
        np.testing.assert_allclose(np.log(band.high / band.throughput), half, rtol=1e-6)
        np.testing.assert_allclose(np.log(band.throughput / band.low), half, rtol=1e-6)
        assert half[0] < half[1] < half[2]


def test_one_more_value_lies_in_its_band_where_levels_scatter_unlike() -> None:
    """Scatter of 1 % at the first level to 10 % at the last: of 2,000 new values of each, some 95 % lie in the band."""
    noise = np.random.default_rng(7)
    shares = np.geomspace(0.01, 0.1, len(LEVELS))
    n, scatter = np.repeat(LEVELS, 40), np.repeat(shares, 40)
    rates = LAWS["amdahl"].throughput(n, 1e6, 0.05) * (1 + scatter * noise.standard_normal(n.size))
    band = predict(
        fit_law(build_curve(n, rates, unit="op/sec"), "amdahl", weights="replicates"), LEVELS, kind="prediction"
    )
    values = LAWS["amdahl"].throughput(LEVELS, 1e6, 0.05) * (1 + shares * noise.standard_normal((2000, len(LEVELS))))
    held = ((values >= band.low) & (values <= band.high)).mean(axis=0)
    assert 0.91 < held.mean() < 0.97
    assert 0.85 < held.min() <= held.max() < 0.99  # the scatter of a level is known to 11 % from 40 values


def test_beyond_the_data_no_band_grows_more_than_in_proportion() -> None:
    """Amdahl's law on points that bend up: the upper end at twice the largest level is twice that at it."""
    curve = build_curve(LEVELS, 100 * LEVELS**1.02 * [1.1, 1, 0.9, 1, 1.05, 1, 1], unit="op/sec")
    high = predict(fit_law(curve, "amdahl"), [64, 128]).high
    assert high[1] == pytest.approx(2 * high[0], rel=1e-12)
    high = predict(fit_law(curve, "amdahl", weights="none"), [64, 128]).high
    assert high[1] <= 2 * high[0] * (1 + 1e-12)


# Averaged bands: they cover what they claim where no single law is known to be true.


@pytest.mark.parametrize("weights", ["relative", "none"])
@pytest.mark.parametrize("kind", ["confidence", "prediction"])
def test_one_law_alone_keeps_its_own_band(kind: str, weights: str) -> None:
    """With nothing to average the band is the law's."""
    fit = fit_law(noisy_curve("usl", (100.0, 0.06, 1e-4), 1), "usl", weights=weights)
    own, averaged = predict(fit, [1, 20, 128], kind=kind), average_bands([fit], [1, 20, 128], kind=kind)
    for name in ("throughput", "low", "high"):
        np.testing.assert_allclose(getattr(averaged, name), getattr(own, name), rtol=1e-12)
    assert (averaged.weights, averaged.kind) == ({"usl": 1.0}, kind)


def test_ends_leave_the_stated_tails() -> None:
    """At the lower end the tails of the laws, by their weights, add to 2.5 %: Turek and Fletcher 2012.

    Amdahl's law and the USL inside the data, where no band is cut. The order of laws is irrelevant.
    """
    fits = fits_of(noisy_curve("usl", (100.0, 0.06, 1e-4), 2))
    band, turned = average_bands(fits, [20.0]), average_bands(fits[::-1], [20.0])
    below = above = 0.0
    for fit, share in zip(fits, band.weights.values(), strict=True):
        own = predict(fit, [20.0])
        error = np.log(own.high[0] / own.low[0]) / 2 / stats.t.ppf(0.975, fit.degrees_of_freedom)
        distance = np.log(np.array([band.low[0], band.high[0]]) / np.sqrt(own.low[0] * own.high[0])) / error
        below += share * float(stats.t.cdf(distance[0], fit.degrees_of_freedom))
        above += share * float(stats.t.sf(distance[1], fit.degrees_of_freedom))
    assert (below, above) == pytest.approx((0.025, 0.025), rel=1e-6)
    assert (turned.low[0], turned.high[0]) == pytest.approx((band.low[0], band.high[0]), rel=1e-12)


def test_sdm91_beyond_the_data_holds_both_stories() -> None:
    """Plateau or fall cannot be told apart at 216: at 432 the band reaches from one to the other.

    Weights are likelihoods: residual sums 131265.389 and 27453.71958 (R 4, nls) weigh as their powers of -7/2.
    """
    fits = fits_of(SDM91, ALL)
    band = average_bands(fits, [432])
    at = {fit.law: predict(fit, [432]).throughput[0] for fit in fits}
    assert band.low[0] < at["usl"] < band.throughput[0] < at["plateau"] < band.high[0]
    weights = likelihood_weights(fits_of(SDM91, weights="none"))
    assert weights["amdahl"] / weights["usl"] == pytest.approx((131265.389 / 27453.71958) ** -3.5, rel=1e-6)
    assert sum(weights.values()) == pytest.approx(1, rel=1e-12)


def test_averages_of_what_is_exact_and_of_what_cannot_be_averaged() -> None:
    """Laws that hold the points to rounding share the weight without width; laws of other data are refused."""
    exact = build_curve(LEVELS, usl.throughput(LEVELS, 100.0, 0.06, 1e-4), unit="op/sec")
    band = average_bands(fits_of(exact, ALL), LEVELS)
    np.testing.assert_allclose(band.throughput, exact.throughput, rtol=1e-6)
    np.testing.assert_allclose(band.low, band.high, rtol=1e-5)
    fits = fits_of(noisy_curve("usl", (100.0, 0.06, 1e-4), 4))
    wider = average_bands(fits, [129, 640], extrapolate=True)
    assert np.log(wider.high[1] / wider.low[1]) > np.log(wider.high[0] / wider.low[0])
    with pytest.raises(DataError, match="fit them alike"):
        average_bands([fits[0], fit_law(exact, "usl", weights="none")], [64])
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
    """Whichever law is true, 5 % noise on 7 levels: nominal 95 % covers 93 to 98 %; 150 runs allow 3 % less.

    Weights by AICc cover 51 to 61 % for the first two of these.
    """
    true = float(LAWS[law].throughput(128.0, *truth))
    hits = 0
    for seed in range(150):
        band = average_bands(fits_of(noisy_curve(law, truth, 50_000 + seed), ALL), [128])
        hits += bool(band.low[0] <= true <= band.high[0])
    assert hits >= 0.90 * 150


# What is read off the laws: round trips, units, the reasons why nothing is read, and what the intervals cover.


@pytest.mark.parametrize("n", [1.5, 9.0, 40.0])
@pytest.mark.parametrize("law", TRUTHS)
def test_readings_lead_back_to_their_concurrency(law: str, n: float) -> None:
    """A throughput at N is reached at N, its latency allows N; the wall of a plateau, or a peak before N, ends both."""
    fit = fitted(law)
    (at,) = read_at([fit], n)
    reached = read_throughput([fit], at.throughput.value * (1 - 1e-13 if law == "plateau" else 1))
    wanted = min(n, fit.parameters["servers"].value) if law == "plateau" else n
    assert min(abs(place.value - wanted) for place in reached.concurrency) <= 1e-9 * wanted
    assert all(place.low <= place.value <= place.high for place in reached.concurrency)
    if law in ("linear", "plateau"):
        return  # a latency tells no N there
    within = read_latency([fit], at.latency.value)
    if fit.peak is not None and n > fit.peak.value:
        assert within.limited_by == "largest throughput"
        assert within.concurrency.value == pytest.approx(fit.peak.value, rel=1e-5)
        assert within.throughput.value == pytest.approx(fit.ceiling.value, rel=1e-9)
    else:
        assert within.limited_by == "latency"
        assert (within.concurrency.value, within.throughput.value) == pytest.approx((n, at.throughput.value), rel=1e-9)
        assert within.concurrency.value == pytest.approx(within.throughput.value * within.latency, rel=1e-12)


@pytest.mark.parametrize("law", TRUTHS)
def test_a_reading_is_the_curve_its_band_its_slope_and_littles_law(law: str) -> None:
    """Of one law alone: against `predict`, a difference quotient and N / X."""
    fit = fitted(law)
    band = predict(fit, [6.0, 100.0])
    for place, reading in enumerate(read_at([fit], [6.0, 100.0])):
        n, x, latency = reading.concurrency, reading.throughput, reading.latency
        assert (x.value, x.low, x.high) == pytest.approx(
            (band.throughput[place], band.low[place], band.high[place]), rel=1e-12
        )
        assert (latency.value, latency.low, latency.high) == pytest.approx((n / x.value, n / x.high, n / x.low))
        assert latency.unit == "sec"
        near = LAWS[law].throughput([n - 1e-4, n + 1e-4], *fit.coefficients)
        assert reading.slope.value == pytest.approx((near[1] - near[0]) / 2e-4, rel=1e-5, abs=1e-6)
        assert reading.slope.low <= reading.slope.value <= reading.slope.high


def test_what_is_read_is_the_averaged_curve_with_its_band() -> None:
    """One number and one band, whoever asks: at an N, for a throughput, beyond the data."""
    fits = fits_of(noisy_curve("usl", (100.0, 0.06, 1e-4), 2), ALL)
    band = average_bands(fits, [20.0, 128.0])
    for place, reading in enumerate(read_at(fits, [20.0, 128.0])):
        x = reading.throughput
        assert (x.value, x.low, x.high) == (band.throughput[place], band.low[place], band.high[place])
        assert x.method == "averaged over linear, plateau, Amdahl, USL; band of the mean curve"
    (there,) = read_throughput(fits, float(band.throughput[0])).concurrency
    assert there.value == pytest.approx(20.0, rel=1e-9)
    ends = average_bands(fits, [there.low, there.high])
    assert (ends.high[0], ends.low[1]) == pytest.approx((band.throughput[0],) * 2, rel=1e-6)


def test_both_branches_of_a_curve_that_falls_are_told() -> None:
    """USL without noise: N and P²/N do the same, the second only within twice the largest level; no noise, no width."""
    fit = fitted("usl", noise=0.0)
    reached = read_throughput([fit], float(usl.throughput(20.0, *TRUTHS["usl"])))
    assert [place.value for place in reached.concurrency] == pytest.approx([20.0, 0.97 / 5e-4 / 20.0], rel=1e-9)
    assert [place.high for place in reached.concurrency] == pytest.approx([20.0, 0.97 / 5e-4 / 20.0], rel=1e-6)
    assert reached.reason == ""
    lower = read_throughput([fit], float(usl.throughput(10.0, *TRUTHS["usl"])))
    assert [place.value for place in lower.concurrency] == pytest.approx([10.0])


@pytest.mark.parametrize(
    ("throughput", "reason"),
    [
        (1900, "up to N = 128, twice the largest level measured, throughput is at most 1,741 op/sec"),
        (50, "at N = 1 it is 100 op/sec already, and not less up to 128"),
    ],
)
def test_why_a_throughput_is_not_reached(throughput: float, reason: str) -> None:
    """More than all that the data speak of, or less than what one worker does."""
    reached = read_throughput([fitted("amdahl", noise=0.0)], throughput)
    assert (reached.concurrency, reached.reason) == ((), reason)


def test_what_ends_a_throughput_within_a_latency() -> None:
    """One worker that is too slow, the range of the data, the wall of a plateau."""
    amdahl, wall = fitted("amdahl", noise=0.0), fitted("plateau")
    short = read_latency([amdahl], 0.005)
    assert (short.throughput, short.concurrency, short.limited_by) == (None, None, "nothing")
    assert short.reason == "at N = 1 a request takes 0.01 sec already"
    endless = read_latency([amdahl], 10.0)
    assert (endless.limited_by, endless.concurrency.value) == ("data", 128)
    walled = read_latency([wall], 1.0)
    assert walled.limited_by == "largest throughput"
    assert walled.concurrency.value == pytest.approx(wall.knee.value, rel=1e-9)


@pytest.mark.parametrize("law", ALL)
def test_change_of_unit_changes_no_reading(law: str) -> None:
    """A thousand times the throughput, a thousandth of the latency: the same N, ends too."""
    fit, scaled = fitted(law), fitted(law, factor=1000.0)
    for asked in (300.0, 700.0):
        places = [read_throughput([fit], asked).concurrency, read_throughput([scaled], 1000 * asked).concurrency]
        for here, there in zip(*places, strict=True):
            assert (here.value, here.low, here.high) == pytest.approx((there.value, there.low, there.high), rel=1e-6)
    here, there = read_latency([fit], 0.02), read_latency([scaled], 2e-5)
    assert here.limited_by == there.limited_by
    if here.concurrency and there.concurrency:
        assert here.concurrency.value == pytest.approx(there.concurrency.value, rel=1e-9)


@pytest.mark.parametrize("wrong", [0.0, -5.0, math.nan, math.inf])
def test_what_no_law_can_do_is_refused(wrong: float) -> None:
    """Zero, negative, not a number, infinite."""
    for read, word in ((read_throughput, "throughput"), (read_latency, "latency")):
        with pytest.raises(DataError) as caught:
            read([fitted("amdahl")], wrong)
        assert str(caught.value) == f"{word} {wrong:g} is no finite number above 0; ask for one that is"


@pytest.mark.parametrize("runs", [40, pytest.param(300, marks=pytest.mark.heavy)])
def test_intervals_cover_what_they_claim(runs: int) -> None:
    """5 % noise: slope at N = 8 and 100, N for a throughput, N within a latency; 95 % of them hold the truth."""
    truth = TRUTHS["usl"]
    asked = float(usl.throughput(10.0, *truth))
    slopes = usl.slope([8.0, 100.0], *truth)
    held = np.zeros(4)
    for seed in range(runs):
        fits = [fit_law(noisy_curve("usl", truth, 3000 + seed), "usl", derived=False)]
        reached, within = read_throughput(fits, asked).concurrency[0], read_latency(fits, 10.0 / asked).concurrency
        near, far = (reading.slope for reading in read_at(fits, [8.0, 100.0]))
        held += [
            near.low <= slopes[0] <= near.high,
            far.low <= slopes[1] <= far.high,
            reached.low <= 10 <= reached.high,
            within.low <= 10 <= within.high,
        ]
    error = math.sqrt(0.95 * 0.05 / runs)
    assert np.all(np.abs(held / runs - 0.95) <= max(0.02, 3 * error))
