"""The studentised bootstrap of many curves: the fits of ``fit_law``, refitted as a loop would."""

import numpy as np
import pytest
from scipy import optimize

from benchlib.errors import DataError
from benchlib.scaling.curve import build_curve
from benchlib.scaling.fits.bootstrap import bootstrap_usl
from benchlib.scaling.fits.fitting import fit_law
from benchlib.scaling.laws import usl

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])


def curves(count: int, *, noise: float = 0.05, seed: int = 0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return usl.throughput(LEVELS, 100.0, 0.03, 5e-4) * np.exp(noise * generator.standard_normal((count, 7)))


def test_parameters_are_those_of_single_fits() -> None:
    """The batch ends where ``fit_law`` without bounds does, curve by curve, also with a coefficient below 0."""
    x = curves(40, noise=0.15)
    found = bootstrap_usl(LEVELS, x, draws=100)
    single = [fit_law(build_curve(LEVELS, one, unit="op/sec"), "usl").unbounded for one in x]
    assert np.min(np.array(single)[:, 1:]) < 0
    np.testing.assert_allclose(found.parameters, single, rtol=1e-6, atol=1e-9)


def test_intervals_are_those_of_a_loop_over_another_solver() -> None:
    """Residuals raised by their leverage, redrawn, refitted one by one by SciPy, studentised: the same ends.

    Efron and Tibshirani 1993, sections 9.5 and 12.5. Both are draws, so ends agree within a tenth of the width.
    """
    x = curves(1, seed=4)[0]
    draws = 1000

    def model(p: np.ndarray) -> np.ndarray:
        return p[0] + np.log(LEVELS) - np.log(1 + p[1] * (LEVELS - 1) + 1e-3 * p[2] * LEVELS * (LEVELS - 1))

    def fit(y: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        found = optimize.least_squares(lambda p: model(p) - y, start, method="lm")
        inverse = np.linalg.inv(found.jac.T @ found.jac)
        return found.x, np.sqrt(np.diag(inverse) * (found.fun @ found.fun) / 4), found.jac, inverse

    best, errors, jacobian, inverse = fit(np.log(x), np.array([np.log(100.0), 0.03, 0.5]))
    leverage = np.einsum("np,pq,nq->n", jacobian, inverse, jacobian)
    raised = (np.log(x) - model(best)) / np.sqrt(1 - leverage)
    raised -= raised.mean()
    generator = np.random.default_rng(7)
    pivots = []
    for _ in range(draws):
        again, its_errors, *_ = fit(model(best) + generator.choice(raised, 7), best)
        pivots.append((again - best) / its_errors)
    below, above = np.quantile(pivots, [0.025, 0.975], axis=0)
    low, high = best - above * errors, best - below * errors
    low[0], high[0] = np.exp(low[0]), np.exp(high[0])
    low[2], high[2] = low[2] / 1e3, high[2] / 1e3
    found = bootstrap_usl(LEVELS, [x], draws=6000, seed=1)
    assert np.all(np.abs(found.low[0] - low) <= (high - low) / 10)
    assert np.all(np.abs(found.high[0] - high) <= (high - low) / 10)


def test_a_seed_is_an_answer() -> None:
    """The same seed gives the same digits however the threads run; another seed gives others."""
    x = curves(30)
    one, two, other = (bootstrap_usl(LEVELS, x, draws=500, seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(one.low, two.low)
    assert np.array_equal(one.high, two.high)
    assert not np.array_equal(one.low, other.low)
    assert np.array_equal(one.parameters, other.parameters)


def test_a_change_of_unit_changes_the_rate_only() -> None:
    """Throughput a thousand times larger: so are the rate and its ends, and nothing else moves."""
    x = curves(5)
    one, two = bootstrap_usl(LEVELS, x, draws=300), bootstrap_usl(LEVELS, 1000 * x, draws=300)
    for name in ("parameters", "low", "high"):
        np.testing.assert_allclose(getattr(two, name), getattr(one, name) * [1000, 1, 1], rtol=1e-6, atol=1e-9)


def test_less_noise_is_a_narrower_interval() -> None:
    """A tenth of the noise gives about a tenth of the width."""
    wide, narrow = (bootstrap_usl(LEVELS, curves(20, noise=noise), draws=400) for noise in (0.05, 0.005))
    ratio = np.median(narrow.high - narrow.low, axis=0) / np.median(wide.high - wide.low, axis=0)
    np.testing.assert_allclose(ratio, 0.1, rtol=0.3)


def test_a_curve_without_an_answer_is_nan_and_hurts_no_other() -> None:
    """Points that no curve of this kind meets give NaN or an interval that holds their value; others stay."""
    x = curves(6)
    x[2] = [1.0, 1e6, 1.0, 1e6, 1.0, 1e6, 1.0]
    found = bootstrap_usl(LEVELS, x, draws=200)
    rest = [0, 1, 3, 4, 5]
    assert np.all(found.low[rest] < found.parameters[rest])
    assert np.all(found.parameters[rest] < found.high[rest])
    assert np.all(np.isnan(found.low[2]) | (found.low[2] <= found.high[2]))


@pytest.mark.parametrize(
    ("n", "x", "options", "message"),
    [
        ([1, 2, 4, 8, 16], [1.0, 2.0, 4.0, 8.0, 16.0], {}, r"throughput \(5,\); give \(n,\) and \(curves, n\)"),
        ([1, 2, 4, 8, 16], [[1.0, 2.0, 4.0]], {}, r"throughput \(1, 3\)"),
        ([1, 1, 2, 2, 4], [[1.0, 1.0, 2.0, 2.0, 4.0]], {}, "5 measurements at 3 concurrencies"),
        ([1, 2, 4, 8], [[1.0, 2.0, 4.0, 8.0]], {}, "4 measurements at 4 concurrencies; the USL needs 5"),
        ([1, 2, 4, 8, 16], [[1.0, 2.0, 0.0, 8.0, 16.0]], {}, "throughputs positive"),
        ([0, 2, 4, 8, 16], [[1.0, 2.0, 4.0, 8.0, 16.0]], {}, "concurrencies must be at least 1"),
        ([1, 2, 4, 8, 16], [[1.0, 2.0, np.nan, 8.0, 16.0]], {}, "all finite"),
        ([1, 2, 4, 8, 16], [[1.0, 2.0, 4.0, 8.0, 16.0]], {"draws": 50}, "50 draws at level 0.95; at least 100"),
        ([1, 2, 4, 8, 16], [[1.0, 2.0, 4.0, 8.0, 16.0]], {"confidence_level": 95}, "at level 95"),
    ],
)
def test_what_makes_no_curves_is_refused(n: list, x: list, options: dict, message: str) -> None:
    """One line that says what was found and what is needed."""
    with pytest.raises(DataError, match=message) as caught:
        bootstrap_usl(n, x, **options)
    assert "\n" not in str(caught.value)
