"""What points say without a law: shape, serial work, loss against a twin."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from benchlib.errors import DataError
from benchlib.scaling.curve import ScalingCurve, build_curve
from benchlib.scaling.points import TwinLoss, describe_shape, measure_loss, serial_meaning, serial_trend

# The shape of curves, on real sweeps and made ones.


def sweep(folder: Path, endpoint: str) -> tuple[ScalingCurve, dict[float, str]]:
    """Read Requests/sec and the thread count of the wrk files of one endpoint."""
    connections, throughput, generators = [], [], {}
    for path in sorted((folder / "wrk-sweep").glob(f"{endpoint}_c*_r*.txt")):
        text = path.read_text(encoding="utf-8")
        threads, level = re.search(r"(\d+) threads and (\d+) connections", text).groups()
        connections.append(int(level))
        throughput.append(float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]))
        generators[float(level)] = f"{threads} threads"
    return build_curve(connections, throughput, unit="req/sec"), generators


def test_hash_is_a_plateau_of_two_cores(shared_samples: Path) -> None:
    """`hash` stops at 2 connections, as many as cores: a resource ran out."""
    curve, generators = sweep(shared_samples, "hash")
    shape = describe_shape(curve, cores=2, generators=generators)
    assert shape.kind == "plateau"
    assert shape.best_level == shape.plateau_from == 2
    assert shape.falls_from is None
    message = next(one.message for one in shape.caveats if one.code == "plateau")
    assert "as many as the machine has cores (2)" in message


def test_cheap_saturates(shared_samples: Path) -> None:
    """`cheap` grows with ever smaller gains, far below proportional: no wall, no fall."""
    shape = describe_shape(sweep(shared_samples, "cheap")[0], cores=2)
    assert shape.kind == "saturating"
    assert shape.best_level == 16
    assert shape.falls_from is None


def test_json_is_best_at_two_and_falls_at_the_end(shared_samples: Path) -> None:
    """`json` peaks at 2 connections, stays within noise of it, and loses about 14 % at 128."""
    shape = describe_shape(sweep(shared_samples, "json")[0], cores=2)
    assert shape.kind == "retrograde"
    assert shape.best_level == 2
    assert shape.falls_from == 128
    assert shape.falls_by == pytest.approx(0.147, abs=0.001)


@pytest.mark.parametrize("endpoint", ["hash", "cheap", "json"])
def test_the_first_step_is_superlinear_where_the_generator_changed(shared_samples: Path, endpoint: str) -> None:
    """From 1 to 2 connections wrk went from one thread to two, and the step says more than 105 %."""
    curve, generators = sweep(shared_samples, endpoint)
    shape = describe_shape(curve, cores=2, generators=generators)
    assert shape.steps[0].superlinear
    assert shape.steps[0].efficiency > 1.05
    assert not any(step.superlinear for step in shape.steps[1:])
    messages = {one.code: one.message for one in shape.caveats}
    assert "from concurrency 1 to 2" in messages["superlinear"]
    assert "between concurrency 1 and 2" in messages["generator-changed"]
    assert "4, 8, 16, 32, 64, 128" in messages["oversubscribed"]


@pytest.mark.parametrize(
    ("throughput", "kind"),
    [
        ([10, 20, 39.5, 78, 153], "linear"),
        ([10, 18, 30, 44, 56], "saturating"),
        ([10, 19.8, 20, 20.1, 20], "plateau"),
        ([10, 18, 30, 28, 20], "retrograde"),
        ([10, 10.1, 9.9, 10, 10.2], "plateau"),
    ],
)
def test_kinds_of_single_measurements(throughput: list[float], kind: str) -> None:
    """With n = 1 the kind is told from differences of 5 % on, beside the caveat that noise is unknown."""
    shape = describe_shape(build_curve([1, 2, 4, 8, 16], throughput, unit="op/sec"))
    assert shape.kind == kind
    assert not shape.replicated
    assert "one-replicate" in [one.code for one in shape.caveats]


def test_two_levels_have_no_shape() -> None:
    """Two levels make a step, not a curve."""
    assert describe_shape(build_curve([1, 2], [10, 20], unit="op/sec")).kind == "unclear"


def test_a_fall_within_the_noise_is_no_fall() -> None:
    """The median drops by 9 %, but replicates scatter wider: not retrograde; tighter ones make it so."""
    n = np.repeat([1.0, 2.0, 4.0, 8.0], 4)
    level = np.repeat([10.0, 19.0, 33.0, 30.0], 4)
    scatter = np.tile([0.85, 0.95, 1.05, 1.15], 4)
    wide = describe_shape(build_curve(n, level * scatter, unit="op/sec"))
    tight = describe_shape(build_curve(n, level * (1 + (scatter - 1) / 20), unit="op/sec"))
    assert wide.kind != "retrograde"
    assert tight.kind == "retrograde"
    assert tight.falls_from == 8


def test_noise_alone_is_unclear() -> None:
    """Medians differ by more than 5 %, and nothing can be told from the noise."""
    n = np.repeat([1.0, 2.0, 4.0], 3)
    values = [10.0, 14.0, 7.0, 12.0, 8.0, 15.0, 9.0, 13.0, 11.2]
    assert describe_shape(build_curve(n, values, unit="op/sec")).kind == "unclear"


def test_unit_does_not_matter() -> None:
    """Throughput in another unit has the same shape."""
    values = np.array([10, 18, 30, 28, 20.0])
    one = describe_shape(build_curve([1, 2, 4, 8, 16], values, unit="op/sec"))
    two = describe_shape(build_curve([1, 2, 4, 8, 16], values * 1e-6, unit="op/sec"))
    assert (one.kind, one.best_level, one.falls_from) == (two.kind, two.best_level, two.falls_from)
    assert one.falls_by == pytest.approx(two.falls_by)


# The serial fraction of Karp and Flatt: flat for serial work, rising for overhead, silent where it is not known.

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])


def test_plain_serial_work_is_not_shown_to_change() -> None:
    """Amdahl's law with 2 % noise: a false alarm in at most 10 of 100 curves."""
    alarms = 0
    for seed in range(100):
        noise = np.random.default_rng(seed).normal(0, 0.02, len(LEVELS))
        curve = build_curve(LEVELS, LEVELS / (1 + 0.1 * (LEVELS - 1)) * (1 + noise), unit="op/sec")
        alarms += serial_trend(curve).kind != "not shown to change"
    assert alarms <= 10


RAYTRACER = np.array([1.0, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64])


@pytest.mark.parametrize("serial", [0.02, 0.1, 0.4])
@pytest.mark.parametrize("levels", [LEVELS, RAYTRACER, LEVELS[:4]], ids=["doubling", "raytracer", "few"])
@pytest.mark.parametrize("runs", [400, pytest.param(4000, marks=pytest.mark.heavy)])
def test_the_interval_holds_the_error_of_the_first_level(levels: np.ndarray, serial: float, runs: int) -> None:
    """Amdahl's law, slope 0, 5 % noise: without the error that all fractions share it covered 82 to 94 %."""
    generator = np.random.default_rng(1)
    exact = levels / (1 + serial * (levels - 1))
    held = 0
    for _ in range(runs):
        curve = build_curve(levels, exact * np.exp(0.05 * generator.standard_normal(len(levels))), unit="op/sec")
        slope = serial_trend(curve).slope
        held += slope.low <= 0 <= slope.high
    assert 0.93 <= held / runs <= 0.98


def test_overhead_that_grows_is_rising() -> None:
    """The USL with coherency raises the fraction at every doubling, through 1 % noise."""
    noise = np.random.default_rng(7).normal(0, 0.01, len(LEVELS))
    clean = LEVELS / (1 + 0.05 * (LEVELS - 1) + 0.005 * LEVELS * (LEVELS - 1))
    found = serial_trend(build_curve(LEVELS, clean * (1 + noise), unit="op/sec"))
    assert found.kind == "rising"
    assert 0 < found.slope.low < found.slope.value < found.slope.high
    assert found.first < found.last


def test_the_ends_are_the_fractions_of_karp_and_flatt() -> None:
    """Raytracer (R usl vignette) at 4 and 64: .008547 and .049667, as scaling.md gives them."""
    curve = build_curve(
        [1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64],
        [20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310],
        unit="op/sec",
    )
    found = serial_trend(curve)
    assert found.first == pytest.approx(0.008547, abs=5e-7)
    assert found.last == pytest.approx(0.049667, abs=5e-7)


def test_the_slope_is_that_of_weighted_least_squares() -> None:
    """Against numpy's polyfit with the same weights."""
    noise = np.random.default_rng(5).normal(0, 0.03, len(LEVELS))
    curve = build_curve(LEVELS, LEVELS / (1 + 0.1 * (LEVELS - 1)) * (1 + noise), unit="op/sec")
    speedup = curve.throughput / curve.throughput[0]
    levels = LEVELS[1:]
    fractions = (1 / speedup[1:] - 1 / levels) / (1 - 1 / levels)
    slope, _ = np.polyfit(np.log2(levels), fractions, 1, w=speedup[1:] * (1 - 1 / levels))
    assert serial_trend(curve).slope.value == pytest.approx(slope, rel=1e-9)


@pytest.mark.parametrize("levels", [[1, 2, 4], [2, 4, 8, 16, 32]])
def test_too_few_fractions_or_no_level_one_are_unknown(levels: list[float]) -> None:
    """Two fractions make a line, not a trend; without N = 1 there is none at all."""
    found = serial_trend(build_curve(levels, [float(n) for n in levels], unit="op/sec"))
    assert found.kind == "unknown"
    assert math.isnan(found.slope.value)
    assert math.isinf(found.slope.high)


def test_a_fraction_below_zero_counts_no_serial_work() -> None:
    """Superlinear throughput: the fraction rises towards 0, and that is no overhead."""
    found = serial_trend(build_curve(LEVELS, LEVELS**1.1, unit="op/sec"))
    assert found.kind == "rising"
    assert serial_meaning(found) == "below 0 it counts no serial work: throughput grows faster than concurrency"


def test_a_fraction_above_one_cannot_be_serial_work() -> None:
    """Retrograde below the throughput of one worker: more than all of the work would be serial."""
    found = serial_trend(build_curve(LEVELS, LEVELS / (1 + 0.05 * LEVELS * (LEVELS - 1)), unit="op/sec"))
    assert found.last > 1
    assert "above 1 it cannot be serial work" in serial_meaning(found)


def test_a_plateau_makes_the_fraction_rise_without_overhead() -> None:
    """Proportional growth into a wall raises the fraction; the wall is told, not overhead."""
    found = serial_trend(build_curve(LEVELS, np.minimum(LEVELS, 8.0), unit="op/sec"))
    assert found.kind == "rising"
    assert "overhead" in serial_meaning(found)
    assert "overhead" not in serial_meaning(found, plateau=True)


# What N workers lose against N times one serial call.


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
