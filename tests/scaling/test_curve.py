"""Curves: what is refused, what each point says, what weakens a curve."""

import math

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.scaling.curve import build_curve, up_to
from benchlib.scaling.points import check_curve, measure_points, measure_steps

ONIX_TIME = 1e6 / np.array([157.0, 118.0, 73.0, 62.0, 54.0])
ONIX_REQUESTS = np.array([6499.0, 7606.0, 14356.0, 17233.0, 17455.0])
ONIX_LEVELS = [1, 2, 4, 8, 16]


@pytest.mark.parametrize(
    ("throughput", "speedups", "steps"),
    [
        (ONIX_TIME, [1.33, 2.15, 2.53, 2.91], [66.5, 80.8, 58.9, 57.4]),
        (ONIX_REQUESTS, [1.17, 2.21, 2.65, 2.69], [58.5, 94.4, 60.0, 50.6]),
    ],
)
def test_points_of_a_published_sweep(throughput: np.ndarray, speedups: list, steps: list) -> None:
    """Speedups and step efficiencies of the beckn-onix sweep, to the digits published."""
    points = measure_points(build_curve(ONIX_LEVELS, throughput, unit="op/sec"))
    assert [round(point.speedup, 2) for point in points[1:]] == speedups
    assert [round(100 * point.step_efficiency, 1) for point in points[1:]] == steps
    assert points[-1].efficiency == pytest.approx(0.18 if throughput is ONIX_TIME else 0.17, abs=0.005)
    assert math.isnan(points[0].step_efficiency)


def test_one_measurement_has_no_interval() -> None:
    """With n = 1 the throughput of a level is bounded on neither side."""
    for point in measure_points(build_curve(ONIX_LEVELS, ONIX_TIME, unit="op/sec")):
        assert point.n == 1
        assert not point.throughput.has_interval


def test_karp_flatt_of_raytracer() -> None:
    """Serial fractions at 4, 16 and 64 as in the usl 1.8.0 vignette."""
    curve = build_curve([1, 4, 16, 64], [20.0, 78.0, 190.0, 310.0], unit="op/sec")
    found = [point.serial_fraction for point in measure_points(curve)]
    assert found[1:] == pytest.approx([0.008547, 0.045614, 0.049667], abs=5e-7)
    assert [point.efficiency for point in measure_points(curve)][1:] == [0.975, 0.59375, 0.2421875]


def test_without_level_one_everything_is_relative() -> None:
    """Speedup starts at the smallest level, Karp-Flatt is unknown, and a caveat says so."""
    curve = build_curve([2, 4], [20.0, 30.0], unit="op/sec")
    points = measure_points(curve)
    assert points[1].speedup == 1.5
    assert points[1].efficiency == 0.75
    assert all(math.isnan(point.serial_fraction) for point in points)
    assert "no-level-one" in [one.code for one in check_curve(curve)]


def test_rows_may_come_in_any_order() -> None:
    """Levels are sorted, replicates grouped, medians taken."""
    curve = build_curve([4, 1, 4, 4], [30.0, 10.0, 33.0, 31.0], unit="op/sec")
    assert curve.concurrency.tolist() == [1, 4]
    assert curve.throughput.tolist() == [10, 31]
    assert curve.counts == (1, 3)


@pytest.mark.parametrize(
    ("concurrency", "throughput", "message"),
    [
        ([1, 2], [1.0], "2 concurrencies and 1 throughputs"),
        ([], [], "needs measurements, got none"),
        ([4, 4], [1.0, 2.0], "all 2 measurements are at concurrency 4"),
        ([1, 2], [1.0, 0.0], "throughput 0 at concurrency 2 is not positive"),
        ([1, 2], [1.0, -3.0], "throughput -3 at concurrency 2 is not positive"),
        ([1, 2], [1.0, math.nan], "throughput holds nan"),
        ([1, math.inf], [1.0, 2.0], "concurrency holds inf"),
        ([0, 2], [1.0, 2.0], "concurrency 0 is below 1"),
        (["a", "b"], [1.0, 2.0], "concurrency holds something that is not a number"),
    ],
)
def test_bad_rows_are_refused_in_one_line(concurrency: list, throughput: list, message: str) -> None:
    """Every refusal names what was found."""
    with pytest.raises(DataError, match=message) as caught:
        build_curve(concurrency, throughput, unit="op/sec")
    assert "\n" not in str(caught.value)


def test_superlinear_needs_more_than_noise() -> None:
    """A step of 110 % counts when replicates confirm it, and not when they scatter wider."""
    sure = build_curve([1, 1, 1, 2, 2, 2], [10, 10.1, 9.9, 22, 22.1, 21.9], unit="op/sec")
    noisy = build_curve([1, 1, 1, 2, 2, 2], [10, 13, 7, 22, 28, 16], unit="op/sec")
    assert [step.superlinear for step in measure_steps(sure)] == [True]
    assert [step.superlinear for step in measure_steps(noisy)] == [False]


def test_superlinear_single_measurement_says_it_may_be_noise() -> None:
    """With n = 1 the step is told, and so is that noise is unknown."""
    caveats = check_curve(build_curve([1, 2, 4], [10, 25, 40], unit="op/sec"))
    messages = [one.message for one in caveats if one.code == "superlinear"]
    assert len(messages) == 1
    assert "may be noise" in messages[0]


def test_oversubscribed_levels_are_named_once() -> None:
    """One caveat names every level beyond the cores."""
    caveats = check_curve(build_curve(ONIX_LEVELS, ONIX_TIME, unit="op/sec"), cores=4)
    found = [one.message for one in caveats if one.code == "oversubscribed"]
    assert len(found) == 1
    assert "8, 16" in found[0]
    assert "4 cores" in found[0]


def test_up_to_keeps_the_levels_within_the_cores() -> None:
    """The part of a curve within the cores; fewer than 2 levels are refused."""
    curve = build_curve(ONIX_LEVELS, ONIX_TIME, unit="op/sec")
    assert up_to(curve, 10).concurrency.tolist() == [1, 2, 4, 8]
    with pytest.raises(DataError, match="1 of the concurrencies"):
        up_to(curve, 1)


def test_few_replicates_have_the_interval_of_their_logarithms() -> None:
    """Below the 6 that order statistics need: exp(mean ± t s/sqrt(n)) of logarithms, t = 3.182446 at n = 4."""
    logs = np.array([0.10, 0.02, -0.05, 0.01])
    (point,) = measure_points(build_curve([4] * 4 + [8], [*(100 * np.exp(logs)), 150.0], unit="op/sec"))[:1]
    half = 3.1824463 * np.std(logs, ddof=1) / 2
    assert point.throughput.value == pytest.approx(100 * (math.exp(0.01) + math.exp(0.02)) / 2)
    assert point.throughput.low == pytest.approx(100 * math.exp(0.02 - half), rel=1e-6)
    assert point.throughput.high == pytest.approx(100 * math.exp(0.02 + half), rel=1e-6)
    assert point.throughput.method == "median, interval by Student's t(3) on logarithms"


def test_one_replicate_has_no_interval_and_six_have_that_of_order_statistics() -> None:
    """The interval by logarithms stands in only where the other is missing and two values tell their scatter."""
    six = [100.0, 101.0, 102.0, 103.0, 104.0, 109.0]
    one, many = measure_points(build_curve([1] + [2] * 6, [60.0, *six], unit="op/sec"))
    assert not one.throughput.has_interval
    assert (many.throughput.low, many.throughput.high) == (100.0, 109.0)
    assert many.throughput.method == "median, order statistics 1 and 6 of 6"


def test_two_replicates_that_agree_or_part_wholly_have_an_interval_around_their_median() -> None:
    """No width where they agree; no upper end where no number could hold it."""
    _, alike = measure_points(build_curve([1, 4, 4], [60.0, 200.0, 200.0], unit="op/sec"))
    assert (alike.throughput.low, alike.throughput.high) == pytest.approx((200.0, 200.0))
    assert alike.throughput.low <= alike.throughput.value <= alike.throughput.high
    _, apart = measure_points(build_curve([1, 4, 4], [60.0, 1e-100, 1e100], unit="op/sec"))
    assert apart.throughput.high == math.inf
