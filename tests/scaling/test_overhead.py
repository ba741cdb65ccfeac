"""Where the time of an operation goes: parts that sum to all of it."""

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.scaling.curve import ScalingCurve, build_curve
from benchlib.scaling.fit import fit_law
from benchlib.scaling.laws import LAWS
from benchlib.scaling.predict import split_time


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
