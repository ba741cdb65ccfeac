"""Where noise lives: values of a level that share noise of their own, seen by the fit and held by its intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchlib.scaling.curve import ScalingCurve, build_curve
from benchlib.scaling.fit import fit_law
from benchlib.scaling.order import order_caveats
from benchlib.scaling.points import measure_points
from benchlib.statistics.noise import noise_budget
from tests.scaling.noise_simulations import ONE_BY_ONE, QUESTIONS, SEVEN, UNEQUAL, NoiseScenario, tally
from tests.scaling.simulations import LEVELS, noisy_curve

TRUTH = (100.0, 0.03, 5e-4)


def shared_curve(seed: int = 1, repeats: int | tuple[int, ...] = 5) -> ScalingCurve:
    """A curve whose levels differ by 3 %, and the values of one level by 0.5 %."""
    return NoiseScenario(value=0.005, level=0.03, repeats=repeats).draw(seed, 0)


def test_levels_that_share_noise_are_fitted_as_levels() -> None:
    """Ten values of a level tell as much as their geometric mean: its fit has the same errors, on levels - p."""
    curve = shared_curve(repeats=10)
    means = [math.exp(float(np.log(values).mean())) for values in curve.replicates]
    fit, of_means = fit_law(curve, "usl"), fit_law(build_curve(SEVEN, means, unit="op/sec"), "usl")
    assert (fit.degrees_of_freedom, fit.n) == (4, 70)
    for name, estimate in fit.parameters.items():
        alone = of_means.parameters[name]
        assert (estimate.low, estimate.value, estimate.high) == pytest.approx(
            (alone.low, alone.value, alone.high), rel=1e-6
        )
    assert fit.peak is not None
    assert of_means.peak is not None
    assert (fit.peak.low, fit.peak.high) == pytest.approx((of_means.peak.low, of_means.peak.high), rel=1e-6)


def test_what_levels_share_is_told_beside_what_values_differ_by() -> None:
    """A line has one parameter, so levels around it are cells: the budget of noise tells the same two parts."""
    curve = NoiseScenario(law="linear", truth=(100.0,), value=0.01, level=0.03, repeats=4).draw(3, 0)
    fit = fit_law(curve, "linear")
    n, x = curve.rows
    budget = noise_budget(x / n, np.zeros(len(n)), {"level": n})
    assert fit.between_levels == pytest.approx(budget["level"].sd, rel=1e-9)
    assert fit.residual_standard_error == pytest.approx(budget.total, rel=1e-9)


def test_values_count_one_by_one_where_levels_share_nothing() -> None:
    """Noise of each value alone, as the lack-of-fit test finds it: n - p, and the levels share nothing."""
    fit = fit_law(noisy_curve("usl", TRUTH, 7, levels=np.repeat(LEVELS, 5), noise=0.02), "usl")
    assert fit.lack_of_fit > 0.5
    assert (fit.degrees_of_freedom, fit.between_levels) == (32, 0)


def test_a_level_measured_often_does_not_rule_a_fit_that_levels_disturb() -> None:
    """A level of twenty values is off by 10 %: counted by values it takes the curve along, as a level it does not."""
    values = [100.0 * n * np.linspace(0.999, 1.001, count) for n, count in zip(SEVEN, UNEQUAL, strict=True)]
    values[2] = values[2] * 1.1
    curve = build_curve(np.repeat(SEVEN, UNEQUAL), np.concatenate(values), unit="op/sec")
    rate = fit_law(curve, "linear").parameters["rate_at_one"]
    assert rate.value == pytest.approx(100 * 1.1 ** (1 / 7), rel=2e-3)
    assert rate.low < 100 < rate.high


@pytest.mark.parametrize("runs", [30, pytest.param(300, marks=pytest.mark.heavy)])
@pytest.mark.parametrize(("value", "level", "repeats"), [(0.05, 0.0, 3), (0.01, 0.02, 10), (0.02, 0.03, UNEQUAL)])
def test_intervals_hold_what_they_claim(value: float, level: float, repeats: int | tuple[int, ...], runs: int) -> None:
    """Values alone, levels too, levels of unequal counts: 95 % but for chance, where one by one would hold 40 to 60."""
    counts = tally(NoiseScenario(value=value, level=level, repeats=repeats), range(runs)).counts
    slack = 3 * math.sqrt(0.05 * 0.95 / runs)
    for name in QUESTIONS:
        assert counts[name].coverage >= 0.94 - slack, (name, counts[name])
    assert not level or counts[ONE_BY_ONE].coverage < 0.75


def test_a_misfit_too_small_to_matter_is_held_by_intervals_and_not_told() -> None:
    """Levels off by 2 % with values that repeat to a thousandth reject every law: a finding from 5 % on."""
    for level, told in ((0.02, []), (0.12, ["poor-fit"])):
        fit = fit_law(NoiseScenario(value=0.001, level=level, repeats=5).draw(1, 0), "usl")
        assert fit.lack_of_fit < 1e-6
        assert [caveat.code for caveat in fit.caveats if caveat.code == "poor-fit"] == told
        assert fit.misses_points == bool(told)


# The order of measurement.


def test_a_drift_in_random_order_is_taken_out_and_held() -> None:
    """A tenth less from the first measurement to the last: told with its interval; the losses are those of the law."""
    scenario = NoiseScenario(value=0.01, drift=-0.1, repeats=3)
    curve, without = scenario.draw(2, 0), scenario.draw(2, 0, placed=False)
    drift = curve.drift
    assert drift is not None
    assert drift.low < math.log(0.9) < drift.high < 0
    (said,) = order_caveats(curve)
    assert said.code == "drift-removed"
    assert "throughput fell by 9" in said.message or "throughput fell by 1" in said.message
    fits = [fit_law(one, "usl") for one in (curve, without)]
    assert fits[0].residual_standard_error < 0.6 * fits[1].residual_standard_error
    # The rate knows that the machine was at one speed first, at another last: 10 % over the square root of 12.
    assert fits[0].parameters["rate_at_one"].standard_error / fits[0].coefficients[0] > 0.028
    (far,) = order_caveats(NoiseScenario(value=0.01, drift=-0.39, repeats=3).draw(2, 0))
    assert (far.code, far.severity) == ("drifted-far", "warning")  # lowers the confidence of a page


def test_points_and_law_tell_of_one_machine() -> None:
    """What a level delivers holds no more of the drift than the law does: a fifth less would be 5 % in a level."""
    scenario = NoiseScenario(value=0.002, drift=-0.2, repeats=3)
    for run in range(5):
        curve, without = scenario.draw(run, 0), scenario.draw(run, 0, placed=False)
        law = scenario.formula(curve.concurrency)
        told = np.array([point.speedup for point in measure_points(curve)])
        assert np.abs(np.log(told / (law / law[0]))).max() < 0.02
        assert np.abs(np.log(without.throughput / without.throughput[0] / (law / law[0]))).max() > 0.03


@pytest.mark.parametrize("repeats", [1, 3])
def test_level_and_time_that_go_together_are_said_to(repeats: int) -> None:
    """Level by level, up or down: a cool-down would look like contention. In random order nothing is said."""
    ordered = NoiseScenario(value=0.01, repeats=repeats, order="sequential").draw(2, 0)
    assert [caveat.code for caveat in order_caveats(ordered)] == ["level-is-time"]
    assert ordered.drift is None
    assert order_caveats(NoiseScenario(value=0.01, repeats=repeats).draw(2, 0)) == []
    assert order_caveats(build_curve(*ordered.rows, unit="op/sec")) == []


@pytest.mark.parametrize("runs", [30, pytest.param(300, marks=pytest.mark.heavy)])
def test_intervals_hold_under_a_drift_in_random_order(runs: int) -> None:
    """10 % of drift, three values a level: everything holds, throughput even as it was when the session began."""
    counts = tally(NoiseScenario(value=0.01, drift=-0.1), range(runs)).counts
    slack = 3 * math.sqrt(0.05 * 0.95 / runs)
    for name in QUESTIONS:
        assert counts[name].coverage >= 0.93 - slack, (name, counts[name])
