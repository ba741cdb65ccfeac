"""The quadratic transform, for comparison with numbers published by it."""

import math

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.scaling.curve import build_curve
from benchlib.scaling.fits.transform import quadratic_transform
from benchlib.scaling.laws import usl

RAYTRACER = {1: 20, 4: 78, 8: 130, 12: 170, 16: 190, 20: 200, 24: 210, 28: 230, 32: 260, 48: 280, 64: 310}


def test_raytracer_has_the_published_coefficients() -> None:
    """The vignette of R's usl 1.8.0 prints .05002394, 4.708e-6 and 449.2; two solvers agree on further digits."""
    found = quadratic_transform(build_curve(list(RAYTRACER), list(RAYTRACER.values()), unit="op/sec"))
    assert found.contention == pytest.approx(0.050023943735, rel=1e-9)
    assert found.coherency == pytest.approx(4.70821781e-6, rel=1e-7)
    assert round(found.peak, 1) == 449.2


def test_data_on_a_law_give_the_law_back() -> None:
    """Without noise the transform is exact, at generic coefficients."""
    levels = np.array([1.0, 3.0, 7.0, 20.0])
    found = quadratic_transform(build_curve(levels, usl.throughput(levels, 37.0, 0.07, 0.0013), unit="op/sec"))
    assert (found.contention, found.coherency) == pytest.approx((0.07, 0.0013), rel=1e-9)
    assert found.peak == pytest.approx(math.sqrt(0.93 / 0.0013))


def test_a_curve_that_does_not_bend_has_no_peak() -> None:
    """A coherency that is not positive puts the peak nowhere."""
    levels = np.array([1.0, 2.0, 4.0, 8.0])
    bent_up = build_curve(levels, 10 * levels / (1 + 0.1 * (levels - 1) - 0.002 * levels * (levels - 1)), unit="op/sec")
    assert math.isinf(quadratic_transform(bent_up).peak)


@pytest.mark.parametrize("levels", [[2, 4, 8, 16], [1, 2]])
def test_it_needs_level_one_and_two_more(levels: list[float]) -> None:
    """The error names what was found and what would do."""
    with pytest.raises(DataError, match=f"got {levels[0]}, {levels[1]}.*fit law='usl'"):
        quadratic_transform(build_curve(levels, [10.0 * n for n in levels], unit="op/sec"))
