"""What N workers lose against N times one serial call."""

import math

import numpy as np
import pytest
from scipy import stats

from benchlib.errors import DataError
from benchlib.scaling.points import TwinLoss, measure_loss


def loss(times: list[float], rates: list[float], n: float = 2, level: float = 0.95) -> TwinLoss:
    """A loss in the units of a Go benchmark and its runner."""
    return measure_loss(times, rates, n, time_unit="sec/op", unit="op/sec", confidence_level=level)


def test_the_interval_is_welchs_on_logarithms() -> None:
    """As scipy.stats.ttest_ind(equal_var=False) gives it for the difference of the logarithms."""
    times, rates = [0.0228, 0.0231, 0.0226, 0.0229], [80.1, 82.4, 78.8]
    found = loss(times, rates).share_lost
    interval = stats.ttest_ind(np.log(rates), np.log(2 / np.array(times)), equal_var=False).confidence_interval(0.95)
    assert found.low == pytest.approx(1 - math.exp(interval.high), rel=1e-9)
    assert found.high == pytest.approx(1 - math.exp(interval.low), rel=1e-9)
    assert found.n == 7


def test_the_numbers_add_up() -> None:
    """Share lost is 1 less measured by ideal, and ideal is N by the serial time, as they are shown."""
    found = loss([0.02, 0.021, 0.019], [70.0, 74.0], n=2)
    assert found.ideal.value == pytest.approx(2 / found.serial_time.value)
    assert found.ideal.low == pytest.approx(2 / found.serial_time.high)
    assert found.share_lost.value == pytest.approx(1 - found.measured.value / found.ideal.value)


def test_doing_more_is_a_negative_loss() -> None:
    """Its ends are ordered, and both below 0 where it is certain."""
    share = loss([0.02, 0.0201, 0.0199], [140.0, 141.0, 139.0]).share_lost
    assert share.value == pytest.approx(-0.4, abs=0.001)
    assert share.low < share.value < share.high < 0


def test_units_do_not_matter() -> None:
    """Milliseconds and calls a millisecond give the same share."""
    one = loss([0.02, 0.021], [70.0, 74.0]).share_lost
    other = measure_loss([20, 21], [0.07, 0.074], 2, time_unit="ms", unit="op/ms").share_lost
    assert (other.value, other.low, other.high) == pytest.approx((one.value, one.low, one.high))


@pytest.mark.parametrize(("times", "rates"), [([0.02], [70.0, 74.0]), ([0.02, 0.021], [70.0]), ([0.02], [70.0])])
def test_one_measurement_on_a_side_gives_no_interval(times: list[float], rates: list[float]) -> None:
    """A value, and both ends open."""
    share = loss(times, rates).share_lost
    assert (share.low, share.high, share.has_interval) == (-math.inf, math.inf, False)
    assert math.isnan(share.standard_error)


def test_measurements_without_scatter_have_an_interval_without_width() -> None:
    """Copies on both sides leave no doubt, and no division by zero."""
    share = loss([0.02, 0.02], [80.0, 80.0]).share_lost
    assert (share.low, share.high) == pytest.approx((0.2, 0.2))


def test_refusals() -> None:
    """One line: what was found."""
    with pytest.raises(DataError, match="the serial times holds no values"):
        loss([], [80.0])
    with pytest.raises(DataError, match="throughputs hold 0; only positive values"):
        loss([0.02], [80.0, 0.0])
    with pytest.raises(DataError, match=r"concurrency 0\.5 is below 1"):
        loss([0.02], [80.0], n=0.5)


def coverage(runs: int, serial: int, parallel: int, noise: tuple[float, float], seed: int) -> float:
    """How often the interval holds a loss of 20 %."""
    random = np.random.default_rng(seed)
    covered = 0
    for _ in range(runs):
        times = 0.02 * np.exp(noise[0] * random.standard_normal(serial))
        rates = 80 * np.exp(noise[1] * random.standard_normal(parallel))
        share = measure_loss(times, rates, 2, time_unit="sec/op", unit="op/sec").share_lost
        covered += share.low <= 0.2 <= share.high
    return covered / runs


@pytest.mark.parametrize(("serial", "parallel", "noise"), [(6, 3, (0.01, 0.03)), (6, 6, (0.05, 0.05))])
def test_coverage(serial: int, parallel: int, noise: tuple[float, float]) -> None:
    """Nominal 95 % covers 93 to 95 %, as many measurements as the shipped twins have among them; 1,000 runs."""
    assert 0.91 < coverage(1000, serial, parallel, noise, seed=3) < 0.98


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("serial", "parallel", "noise", "expected"),
    [
        (6, 3, (0.008, 0.03), 0.937),  # as the shipped twins
        (6, 3, (0.03, 0.03), 0.952),
        (6, 6, (0.05, 0.05), 0.953),
        (20, 3, (0.02, 0.04), 0.929),
        # Welch's degrees of freedom are guessed too high from two measurements: a caveat says so.
        (6, 2, (0.01, 0.03), 0.888),
    ],
)
def test_coverage_in_many_runs(serial: int, parallel: int, noise: tuple[float, float], expected: float) -> None:
    """What the docstring states, found with another seed: 10,000 runs, within 3 standard errors of both."""
    error = math.sqrt(2 * expected * (1 - expected) / 10_000)
    assert coverage(10_000, serial, parallel, noise, seed=4) == pytest.approx(expected, abs=3 * error)
