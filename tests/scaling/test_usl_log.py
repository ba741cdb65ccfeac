"""Ceiling and saturation point of the USL with logarithmic coherency, against all losses on a fine grid."""

import numpy as np
import pytest
from scipy import stats

from benchlib.scaling.curve import build_curve
from benchlib.scaling.fits.fitting import fit_law
from benchlib.scaling.laws import usl_log

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])


def implied(contention: float, coherency: float) -> tuple[float, float]:
    """Return the ceiling for a rate of 1 and the saturation point, read off a curve of many points."""
    n = np.geomspace(1, 1e5, 20_000)
    x = usl_log.throughput(n, 1.0, contention, coherency)
    return float(np.max(x)), float(n[np.argmax(x >= 0.95 * np.max(x))])


@pytest.mark.parametrize(("seed", "contention", "coherency"), [(0, 0.03, 0.01), (1, 0.0, 0.03), (4, 0.2, 0.05)])
def test_intervals_are_those_of_a_grid(seed: int, contention: float, coherency: float) -> None:
    """Every pair of losses that some rate keeps within the limit of the profile; none of them leads further."""
    noise = np.exp(0.03 * np.random.default_rng(seed).normal(size=len(LEVELS)))
    x = usl_log.throughput(LEVELS, 100.0, contention, coherency) * noise
    fit = fit_law(build_curve(LEVELS, x, unit="op/sec"), "usl-log")
    c = np.linspace(0, contention + 0.09, 90)[:, np.newaxis, np.newaxis]
    k = np.linspace(0, 2.8 * coherency, 90)[np.newaxis, :, np.newaxis]
    misses = np.log(LEVELS / (1 + c * (LEVELS - 1) + k * (LEVELS - 1) * np.log(LEVELS)) / x)
    rates = -misses.mean(axis=-1)
    sums = np.sum((misses + rates[..., np.newaxis]) ** 2, axis=-1)
    limit = fit.sum_of_squares * (1 + stats.f.ppf(0.95, 1, 4) / 4)
    assert sums[-1].min() > limit, "the grid ends too early"
    assert sums[:, -1].min() > limit, "the grid ends too early"
    ceilings, points = [], []
    for one, other in zip(*np.nonzero(sums <= limit), strict=True):
        ceiling, point = implied(float(c[one, 0, 0]), float(k[0, other, 0]))
        points.append(point)
        # All rates that these losses leave room for.
        room = np.sqrt((limit - sums[one, other]) / len(LEVELS))
        ceilings += [ceiling * np.exp(rates[one, other] + side * room) for side in (-1, 1)]
    assert fit.ceiling is not None
    assert fit.saturation_point is not None
    for found, values in ((fit.ceiling, ceilings), (fit.saturation_point, points)):
        assert found.low <= min(values) * (1 + 1e-3)
        assert found.high >= max(values) * (1 - 1e-3)
        # The grid comes close to both ends.
        width = found.high - found.low
        assert min(values) - found.low <= 0.1 * width
        assert found.high - max(values) <= 0.1 * width
    assert implied(*fit.coefficients[1:]) == pytest.approx(
        (fit.ceiling.value / fit.coefficients[0], fit.saturation_point.value), rel=1e-3
    )
