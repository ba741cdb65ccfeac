"""Profile intervals against another optimiser: what is inside is allowed, what is outside is not."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import optimize

from benchlib.scaling.curve import build_curve
from benchlib.scaling.fit import fit_law
from benchlib.scaling.intervals import QUANTITIES, profile_intervals, quantity_named
from benchlib.scaling.laws import LAWS
from benchlib.scaling.solver import Objective, Solution, objective_of, solve_twice

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
TRUTHS = {
    "usl": (100.0, 0.03, 5e-4),
    "amdahl": (100.0, 0.05),
    "plateau": (100.0, 11.0),
}


def solved(law: str, seed: int, weights: str = "relative", noise: float = 0.03) -> Solution:
    generator = np.random.default_rng(seed)
    x = LAWS[law].throughput(LEVELS, *TRUTHS[law]) * np.exp(noise * generator.standard_normal(len(LEVELS)))
    return solve_twice(objective_of(build_curve(LEVELS, x, unit="op/sec"), weights), LAWS[law], 0.95)


def lowest_sum(solution: Solution, quantity: Callable[[np.ndarray], float], held: float) -> float:
    """Return the smallest sum of squares with a quantity held, by SciPy's SLSQP from several starts."""
    law, best = solution.law, solution.feasible.parameters
    evaluate = solution.objective.evaluator(law)
    size = np.where(best != 0, np.abs(best), 1e-4)

    def total(scaled: np.ndarray) -> float:
        residuals = evaluate((scaled * size)[np.newaxis])[0][0]
        return float(residuals @ residuals) / solution.variance if np.all(np.isfinite(residuals)) else 1e9

    found = []
    for factor in (1.0, 0.8, 1.25):
        outcome = optimize.minimize(
            total,
            best / size * factor,
            method="SLSQP",
            bounds=[
                (max(low, 1e-12) / one, high / one) for low, high, one in zip(law.lower, law.upper, size, strict=True)
            ],
            constraints={"type": "eq", "fun": lambda scaled: quantity(scaled * size) / held - 1},
            options={"ftol": 1e-13, "maxiter": 1000},
        )
        if outcome.success:
            found.append(outcome.fun)
    return min(found) * solution.variance


@pytest.mark.parametrize("weights", ["relative", "none"])
@pytest.mark.parametrize(("law", "name"), [(law, name) for law, names in QUANTITIES.items() for name in names])
def test_each_end_costs_what_is_allowed(law: str, name: str, weights: str) -> None:
    """With a derived quantity held at an end of its interval, the best refit raises the sum by s² F, no less."""
    solution = solved(law, 12, weights)
    best = solution.feasible
    ends = profile_intervals(solution, [name])[name]
    value = float(quantity_named(solution.law, name)(best.parameters[np.newaxis])[0])
    assert ends[0] < value < ends[1]
    finite = [end for end in ends if 0 < end < math.inf]
    assert finite
    for end in finite:
        held = lowest_sum(solution, lambda p: float(quantity_named(solution.law, name)(p[np.newaxis])[0]), end)
        rise = held - best.sum_of_squares
        assert rise == pytest.approx(solution.rise, rel=2e-3), (name, end)


@pytest.mark.parametrize("seed", range(30, 36))
def test_a_peak_has_no_upper_end_where_amdahl_is_not_ruled_out(seed: int) -> None:
    """Without coherency there is no peak: as long as such a law is allowed, the end is infinite, and only then."""
    generator = np.random.default_rng(seed)
    x = LAWS["usl"].throughput(LEVELS, 100.0, 0.03, 1e-4) * np.exp(0.05 * generator.standard_normal(7))
    curve = build_curve(LEVELS, x, unit="op/sec")
    fit = fit_law(curve, "usl")
    solution = solve_twice(objective_of(curve, "relative"), LAWS["usl"], 0.95)
    without = solve_twice(objective_of(curve, "relative"), LAWS["amdahl"], 0.95).feasible.sum_of_squares
    allowed = without <= solution.feasible.sum_of_squares + solution.rise
    assert fit.peak is not None
    assert math.isinf(fit.peak.high) == allowed


def test_a_higher_level_holds_the_lower() -> None:
    """The interval at 99 % holds the one at 95 %, which holds the one at 80 %, for every quantity."""
    generator = np.random.default_rng(3)
    x = LAWS["usl"].throughput(LEVELS, 100.0, 0.03, 5e-4) * np.exp(0.03 * generator.standard_normal(7))
    narrow, usual, wide = (
        fit_law(build_curve(LEVELS, x, unit="op/sec"), "usl", confidence_level=level) for level in (0.8, 0.95, 0.99)
    )
    for name in ("peak", "knee", "ceiling", "saturation_point"):
        inner, middle, outer = (getattr(fit, name) for fit in (narrow, usual, wide))
        assert outer.low < middle.low < inner.low < inner.value < inner.high < middle.high <= outer.high


def test_quantities_asked_together_are_as_alone() -> None:
    """One search finds the ends of all quantities, and no quantity feels the others."""
    solution = solved("usl", 5)
    together = profile_intervals(solution, list(QUANTITIES["usl"]))
    for name, ends in together.items():
        assert ends == pytest.approx(profile_intervals(solution, [name])[name], rel=1e-6)


def test_no_noise_no_width() -> None:
    """A rise that is rounding gives the value itself, without a search."""
    n = LEVELS
    objective: Objective = objective_of(
        build_curve(n, LAWS["usl"].throughput(n, 7.0, 0.1, 1e-3), unit="op/sec"), "relative"
    )
    solution = solve_twice(objective, LAWS["usl"], 0.95)
    found = profile_intervals(solution, ["peak"])
    assert found["peak"] == pytest.approx((30.0, 30.0), rel=1e-9)


@pytest.mark.parametrize("noise", [0.05, 0.15])
@pytest.mark.parametrize(("law", "spread"), [("usl", 2.0), ("amdahl", 2.0), ("plateau", 1.0)])
def test_nothing_that_is_allowed_lies_outside(law: str, spread: float, noise: float) -> None:
    """Of 40,000 parameters around a fit none with a sum below the limit implies a value outside its interval.

    And the ends lie close: some that are allowed come within a twentieth of the interval to each finite one.
    Six curves each, of five or seven levels: with a loss on its bound, with several dips, with no end upwards.
    """
    for seed in range(6):
        levels = LEVELS if seed % 2 else LEVELS[:5]
        generator = np.random.default_rng(seed)
        x = LAWS[law].throughput(levels, *TRUTHS[law]) * np.exp(noise * generator.standard_normal(len(levels)))
        solution = solve_twice(objective_of(build_curve(levels, x, unit="op/sec"), "relative"), LAWS[law], 0.95)
        best, formula = solution.feasible, solution.objective.evaluator(solution.law)
        limit = best.sum_of_squares + solution.rise
        steps = generator.standard_normal((40_000, len(best.parameters)))
        tried = best.parameters * np.exp(spread * steps * generator.choice([0.05, 0.2, 1.0], (40_000, 1)))
        if law != "plateau":
            # Losses that are 0, and some that come from nothing.
            tried[::3, 1:] += np.abs(steps[::3, 1:]) * [0.1, 0.02][: len(best.parameters) - 1]
            tried[::5, -1] = 0.0
            tried[::7, 1] = 0.0
        tried[:, 1:] = np.clip(tried[:, 1:], solution.law.lower[1:], solution.law.upper[1:])
        # The rate that suits each best, moved a little: else nearly none would be allowed.
        tried[:, 0] *= np.exp(-formula(tried)[0].mean(axis=1) + 0.3 * solution.rise**0.5 * steps[:, 0])
        allowed = tried[(formula(tried)[0] ** 2).sum(axis=1) <= limit]
        assert len(allowed) > 100
        intervals = profile_intervals(solution, list(QUANTITIES[law]))
        for name, (low, high) in intervals.items():
            values = quantity_named(solution.law, name)(allowed)
            slack = 1e-5
            assert values.min() >= low * (1 - slack), (name, seed)
            assert values.max() <= high * (1 + slack), (name, seed)


def test_an_end_beside_a_bound_is_found() -> None:
    """A search that stops at the bound says 0.66614; the lowest ceiling allowed lies beside it, at 0.665931."""
    curve = build_curve([1, 2, 4, 8], [91.3034, 148.505, 216.567, 244.698], unit="op/sec")
    solution = solve_twice(objective_of(curve, "relative"), LAWS["usl"], 0.99)
    low, high = profile_intervals(solution, ["ceiling"])["ceiling"]
    assert low == pytest.approx(0.665930949681, rel=1e-5)
    assert high == math.inf
