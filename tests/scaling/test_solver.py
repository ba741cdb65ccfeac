"""The solver against certified answers."""

import numpy as np
import pytest

from benchlib.scaling.solver import minimise


def test_nist_danwood() -> None:
    """NIST StRD DanWood, y = b1 x^b2: certified parameters, deviations and residual sum to 8 digits."""
    x = np.array([1.309, 1.471, 1.490, 1.565, 1.611, 1.680])
    y = np.array([2.138, 3.421, 3.597, 4.340, 4.882, 5.660])

    def evaluate(b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        power = x ** b[:, 1:]
        return b[:, :1] * power - y, np.stack([power, b[:, :1] * power * np.log(x)], axis=-1)

    everywhere = np.array([np.inf, np.inf])
    for start in ([1.0, 5.0], [0.7, 4.0]):
        found = minimise(evaluate, np.array([start]), -everywhere, everywhere).one(0)
        errors = np.sqrt(np.diag(np.linalg.inv(found.jacobian.T @ found.jacobian)) * found.sum_of_squares / 4)
        assert found.converged
        np.testing.assert_allclose(found.parameters, [0.76886226176, 3.8604055871], rtol=1e-8)
        np.testing.assert_allclose(errors, [0.018281973860, 0.051726610913], rtol=1e-7)
        assert found.sum_of_squares == pytest.approx(4.3173084083e-3, rel=1e-9)


def test_nist_misra1a_from_a_far_start() -> None:
    """NIST StRD Misra1a, y = b1 (1 - exp(-b2 x)), from the harder of its two starts."""
    x = np.array([77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0])
    y = np.array([10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78])

    def evaluate(b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        decay = np.exp(-b[:, 1:] * x)
        return b[:, :1] * (1 - decay) - y, np.stack([1 - decay, b[:, :1] * x * decay], axis=-1)

    found = minimise(evaluate, np.array([[500.0, 1e-4]]), np.zeros(2), np.array([np.inf, np.inf])).one(0)
    assert found.converged
    np.testing.assert_allclose(found.parameters, [238.94212918, 5.5015643181e-4], rtol=1e-7)


def test_a_bound_holds_and_the_rest_is_refitted() -> None:
    """With the slope held above its best value the intercept makes the best of it."""
    x, y = np.array([0.0, 1.0, 2.0]), np.array([3.0, 4.0, 5.0])

    def evaluate(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return p[:, :1] + p[:, 1:] * x - y, np.column_stack([np.ones(3), x])[np.newaxis]

    found = minimise(evaluate, np.array([[0.0, 9.0]]), np.array([-np.inf, 2.0]), np.array([np.inf, np.inf])).one(0)
    assert found.converged
    np.testing.assert_allclose(found.parameters, [2.0, 2.0], atol=1e-8)


def test_a_batch_is_as_its_problems_alone() -> None:
    """Problems solved together end where each ends alone, however far apart they start."""
    x = np.array([1.0, 2.0, 4.0, 8.0])
    y = np.array([10.0, 18.0, 30.0, 41.0])

    def evaluate(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        slowdown = 1 + p[:, 1:] * (x - 1)
        return p[:, :1] * x / slowdown - y, np.stack([x / slowdown, -p[:, :1] * x * (x - 1) / slowdown**2], axis=-1)

    bounds = np.array([1e-9, 0.0]), np.array([np.inf, 1.0])
    starts = np.array([[10.0, 0.1], [1.0, 0.9], [300.0, 0.0]])
    together = minimise(evaluate, starts, *bounds)
    assert together.converged.all()
    for index, start in enumerate(starts):
        alone = minimise(evaluate, start[np.newaxis], *bounds).one(0)
        np.testing.assert_allclose(together.parameters[index], alone.parameters, rtol=1e-9)


def test_a_start_that_is_not_allowed_ends_without_an_answer() -> None:
    """Residuals that are not finite from the start on are no minimum, and the others go on."""
    found = minimise(
        lambda p: (np.where(p > 0, p - 3.0, np.nan), np.ones((len(p), 1, 1))),
        np.array([[-1.0], [1.0]]),
        np.array([-np.inf]),
        np.array([np.inf]),
    )
    assert found.converged.tolist() == [False, True]
    assert found.best().parameters[0] == pytest.approx(3.0)
