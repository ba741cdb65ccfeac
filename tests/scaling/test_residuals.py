"""What a law leaves over, against R's printed residuals and the band it must lie in."""

from __future__ import annotations

import numpy as np
import pytest

from benchlib.scaling.choose import residuals
from benchlib.scaling.curve import ScalingCurve, build_curve
from benchlib.scaling.fit import fit_law

LEVELS = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]


def noisy(repeats: int, scatter: float, seed: int) -> ScalingCurve:
    """Replicates of an Amdahl curve with relative noise."""
    levels = np.repeat(LEVELS, repeats)
    noise = np.random.default_rng(seed).normal(0, scatter, len(levels))
    return build_curve(levels, 100 * levels / (1 + 0.05 * (levels - 1)) * (1 + noise), unit="op/sec")


def test_residuals_of_sdm91_are_those_r_prints() -> None:
    """R usl 3.0.3, tests/summary.Rout.save: residuals of SPEC SDM91 to two decimals."""
    curve = build_curve(
        [1, 18, 36, 72, 108, 144, 216], [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2], unit="op/sec"
    )
    found = residuals(curve, fit_law(curve, "usl", weights="none"))
    printed = [-25.10, -81.66, 111.09, 3.05, -49.99, -46.60, 56.00]
    assert not found.relative
    assert found.error == pytest.approx(printed, abs=0.005)


def test_every_measurement_has_its_residual_and_every_level_its_band() -> None:
    """Replicates are not averaged away, and the band is one pair of ends a level."""
    curve = noisy(3, 0.02, 1)
    found = residuals(curve, fit_law(curve, "amdahl"))
    assert len(found.error) == len(found.measured) == 18
    assert len(found.low) == len(found.high) == len(found.levels) == 6
    assert found.relative
    assert found.error == pytest.approx(found.measured / found.predicted - 1)
    assert np.all(found.low < 0)
    assert np.all(found.high > 0)


def test_about_as_many_lie_outside_the_band_as_chance_puts_there() -> None:
    """5 % of 2,400 measurements of a law that is true: between 80 and 160 (six standard errors about 120)."""
    outside = 0
    for seed in range(10):
        curve = noisy(40, 0.05, seed)
        outside += residuals(curve, fit_law(curve, "amdahl")).outside
    assert 80 <= outside <= 160


def test_one_measurement_far_off_is_counted_outside() -> None:
    """The band is compared with each measurement, not with medians."""
    curve = noisy(10, 0.01, 3)
    levels, values = curve.rows
    values = values.copy()
    values[25] *= 1.5
    spoilt = build_curve(levels, values, unit="op/sec")
    found = residuals(spoilt, fit_law(spoilt, "amdahl"))
    assert found.outside >= 1
    assert int(np.argmax(np.abs(found.error))) == 25
