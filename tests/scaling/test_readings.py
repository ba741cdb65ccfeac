"""What is read off a law: round trips, units, the reasons why nothing is read, and what the intervals cover."""

import math

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.scaling.curve import build_curve
from benchlib.scaling.fit import ScalingFit, fit_law
from benchlib.scaling.laws import LAWS, usl
from benchlib.scaling.predict import predict, read_at, read_latency, read_throughput

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
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
    x = LAWS[law].throughput(LEVELS, *TRUTHS[law])
    x = x * np.exp(noise * np.random.default_rng(seed).standard_normal(len(LEVELS))) * factor
    return fit_law(build_curve(LEVELS, x, unit=unit), law, weak=law == "gustafson")


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
    exact = usl.throughput(LEVELS, *truth)
    asked = float(usl.throughput(10.0, *truth))
    slopes = usl.slope([8.0, 100.0], *truth)
    held = np.zeros(4)
    for _ in range(runs):
        curve = build_curve(LEVELS, exact * np.exp(0.05 * generator.standard_normal(len(LEVELS))), unit="op/sec")
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
