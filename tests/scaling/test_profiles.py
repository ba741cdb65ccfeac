"""Profile intervals against another optimiser: what is inside is allowed, what is outside is not."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import optimize

from benchlib.scaling.curve import build_curve
from benchlib.scaling.fits.fitting import fit_law
from benchlib.scaling.fits.intervals import derived_estimates
from benchlib.scaling.fits.objective import Objective, objective_of
from benchlib.scaling.fits.profiles import Asked, profile_intervals
from benchlib.scaling.fits.quantities import QUANTITIES, quantity_named, quantity_value
from benchlib.scaling.fits.solution import Solution, solve_twice
from benchlib.scaling.laws import LAWS, usl

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
TRUTHS = {
    "usl": (100.0, 0.03, 5e-4),
    "usl-log": (100.0, 0.03, 0.01),
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
    asked = [Asked(name=name, rise=solution.rise)]
    ends = profile_intervals(solution.objective, solution.law, asked, best.parameters, best.sum_of_squares)[name]
    value = quantity_value(solution.law, name, best.parameters)
    assert ends[0] < value < ends[1]
    finite = [end for end in ends if 0 < end < math.inf]
    assert finite
    for end in finite:
        rise = lowest_sum(solution, lambda p: quantity_value(solution.law, name, p), end) - best.sum_of_squares
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
    """The refits of all quantities are one batch, and no quantity feels the others."""
    solution = solved("usl", 5)
    best = solution.feasible
    names = tuple(QUANTITIES["usl"])

    def intervals(*wanted: str) -> dict[str, tuple[float, float]]:
        asked = [Asked(name=name, rise=solution.rise) for name in wanted]
        return profile_intervals(solution.objective, solution.law, asked, best.parameters, best.sum_of_squares)

    together = intervals(*names)
    for name in names:
        assert together[name] == pytest.approx(intervals(name)[name], rel=1e-6)


def test_a_guess_does_not_move_an_end() -> None:
    """Where the search starts is no part of the answer."""
    solution = solved("usl", 6)
    best = solution.feasible
    found = []
    for step in (0.0, 1e-6, 0.05, 0.5, 50.0):
        asked = [Asked(name="peak", rise=solution.rise, step=step)]
        found.append(
            profile_intervals(solution.objective, solution.law, asked, best.parameters, best.sum_of_squares)["peak"]
        )
    for one in found[1:]:
        assert one == pytest.approx(found[0], rel=1e-5)


def test_no_noise_no_width() -> None:
    """A rise that is rounding gives the value itself, without a search."""
    n = LEVELS
    objective: Objective = objective_of(
        build_curve(n, LAWS["usl"].throughput(n, 7.0, 0.1, 1e-3), unit="op/sec"), "relative"
    )
    solution = solve_twice(objective, LAWS["usl"], 0.95)
    best = solution.feasible
    asked = [Asked(name="peak", rise=solution.rise)]
    found = profile_intervals(objective, LAWS["usl"], asked, best.parameters, best.sum_of_squares)
    assert found["peak"] == pytest.approx((30.0, 30.0), rel=1e-9)


@pytest.mark.parametrize(
    ("seed", "contention", "coherency"), [(1, 0.03, 0.0), (3, 0.03, 5e-4), (5, 0.0, 0.0), (6, 0.03, 0.0)]
)
def test_no_other_dip_is_lower_at_an_end(seed: int, contention: float, coherency: float) -> None:
    """With a ceiling or saturation point held, the sum of squares may have several dips over the share of coherency.

    On a grid of shares, with the rate fitted at each by a search of its own, none rules the end out less than
    the end claims: of these four curves one start alone gets each wrong.
    """
    noise = np.exp(0.05 * np.random.default_rng(seed).standard_normal(7))
    curve = build_curve(LEVELS, usl.throughput(LEVELS, 100.0, contention, coherency) * noise, unit="op/sec")
    solution = solve_twice(objective_of(curve, "relative"), usl, 0.95)
    formula, best = solution.objective.evaluator(usl), solution.feasible.sum_of_squares
    for name in ("ceiling", "saturation_point"):
        found = derived_estimates(solution, "op/sec", only=name)[name]
        scale = solution.objective.scale if name == "ceiling" else 1.0
        for end in (found.low / scale, found.high / scale):
            if not math.isfinite(end):
                continue

            def misfit(log_rate: float, share: float, held: float = end, which: str = name) -> float:
                free = np.array([[math.exp(log_rate), share]])
                residuals = formula(quantity_named(usl, which).embed(free, np.array([held]))[0])[0]
                return float(np.nan_to_num((residuals**2).sum(), nan=1e9))

            middle = math.log(solution.feasible.parameters[0])
            top = min(middle + 1, math.log(0.999 * end)) if name == "ceiling" else middle + 1
            least = min(
                optimize.minimize_scalar(misfit, bounds=(middle - 1, top), method="bounded", args=(share,)).fun
                for share in np.linspace(0, 1, 21)
            )
            assert least - best > 0.98 * solution.rise, (name, end)
