"""Which law is chosen and why, what a back-test says, what is left over.

What is chosen of SPEC SDM91 and raytracer, with the criteria of each law: `tests/reference`.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.scaling.choose import Choice, choose_law
from benchlib.scaling.curve import ScalingCurve, build_curve
from benchlib.scaling.fit import fit_law, nested_test
from benchlib.scaling.laws import amdahl, plateau
from benchlib.scaling.predict import predict
from tests.scaling.simulations import LEVELS, RAYTRACER, SDM91, noisy_curve

TRIPLES = np.repeat(LEVELS, 3)
VOTERS = ("linear", "amdahl", "usl")
ALL = ("linear", "plateau", "amdahl", "usl")


def choose(curve: ScalingCurve, laws: tuple[str, ...] = VOTERS, **options: object) -> Choice:
    return choose_law([fit_law(curve, law, **options) for law in laws])


def codes(choice: Choice) -> list[str]:
    return [caveat.code for caveat in choice.caveats]


def wall(seed: int = 6, *, noise: float = 0.02, beyond: float = 1.0) -> ScalingCurve:
    """A plateau from N = 8 on, which falls by a share beyond it."""
    scatter = 1 + noise * np.random.default_rng(seed).standard_normal(len(TRIPLES))
    falling = np.where(TRIPLES > 8, beyond, 1.0)
    return build_curve(TRIPLES, plateau.throughput(TRIPLES, 50.0, 8.0) * falling * scatter, unit="op/sec")


@pytest.mark.parametrize(
    ("law", "truth", "laws", "chosen"),
    [
        ("usl", (50.0, 0.05, 0.002), VOTERS, "usl"),
        ("amdahl", (50.0, 0.05), VOTERS, "amdahl"),
        ("linear", (50.0,), VOTERS, "linear"),
        ("plateau", (50.0, 8.0), ALL, "plateau"),
        ("gustafson", (50.0, 0.3), ("linear", "amdahl", "gustafson", "usl"), "gustafson"),
    ],
)
def test_the_true_law_is_chosen_when_it_shows(
    law: str, truth: tuple[float, ...], laws: tuple[str, ...], chosen: str
) -> None:
    """Three measurements a level, 2 % noise; the order of fits is irrelevant; Gustafson's is no step to the USL."""
    fits = [fit_law(noisy_curve(law, truth, 1, levels=TRIPLES, noise=0.02), name, weak=True) for name in laws]
    choice = choose_law(fits)
    assert choice.law == chosen
    assert choose_law(fits[::-1]) == choice
    assert ("gustafson", "usl") not in [(test.simpler, test.richer) for test in choice.tests]


def test_exact_data_choose_the_simplest_law_on_them() -> None:
    """On a line every law fits to rounding; rounding does not choose, the fewest parameters do."""
    line = choose(build_curve(TRIPLES, 250.0 * TRIPLES, unit="op/sec"), ALL)
    assert (line.law, line.caveats) == ("linear", ())
    assert choose(build_curve(TRIPLES, amdahl.throughput(TRIPLES, 250.0, 0.1), unit="op/sec"), ALL).law == "amdahl"


@pytest.mark.parametrize("law", ["linear", "plateau"])
def test_one_law_is_chosen_and_said_so(law: str) -> None:
    """A single fit is the choice, with or without a vote."""
    only = choose(wall(), (law,))
    assert (only.law, only.why, only.tests) == (law, f"{law}: the only law fitted", ())


def test_a_criterion_that_some_law_has_no_value_of_says_which_other_it_prefers() -> None:
    """5 single measurements: AICc cannot be computed for the USL; of line and Amdahl it prefers the line."""
    curve = build_curve(LEVELS[:5], [10.0, 19.5, 37.6, 64.1, 88.5], unit="op/sec")
    choice = choose(curve)
    assert choice.law == "usl"
    assert "AICc" not in choice.preferred
    assert "AICc, where it can be computed, prefers linear" in choice.why
    assert codes(choice) == ["laws-disagree"]
    # A law that votes was heard: Amdahl's is chosen though the AIC of the USL is 2.7 lower, and that is no rival.
    heard = noisy_curve("usl", (100.0, 0.05, 2e-4), 1)
    aic = {law: fit_law(heard, law).criteria.aic for law in VOTERS}
    choice = choose(heard)
    assert (choice.law, choice.rivals) == ("amdahl", ())
    assert aic["usl"] < aic["amdahl"]
    assert "AICc" not in choose(curve, ("amdahl", "usl")).why


def test_fits_that_no_criterion_can_compare_are_refused() -> None:
    """Other data or weights, a law whose vote would count twice, none at all."""
    with pytest.raises(DataError, match="fit them alike"):
        choose_law([fit_law(SDM91, "amdahl"), fit_law(SDM91, "linear", weights="none")])
    with pytest.raises(DataError, match="fitted twice"):
        choose(SDM91, ("amdahl", "amdahl"))
    with pytest.raises(DataError, match="no fitted laws"):
        choose_law([])


def test_raytracer_is_amdahl_with_a_limit_for_coherency() -> None:
    """Coherency lies on its bound: Amdahl, with what coherency may still be; a wall beyond the data is no rival."""
    choice = choose(RAYTRACER, ALL, weights="none")
    assert (choice.law, choice.rivals) == ("amdahl", ())
    assert choice.why == (
        "Amdahl: coherency is not distinguishable from 0 (at most 0.000101); "
        "AICc, AIC, F test and leave-one-out prefer Amdahl (among linear and Amdahl, 11 measurements)"
    )
    nested = {(test.simpler, test.richer): test for test in choice.tests}
    assert (nested["amdahl", "usl"].statistic, nested["amdahl", "usl"].pvalue) == (0, 1)
    assert nested["linear", "usl"].degrees_of_freedom == (2, 8)


def test_nested_test_from_sums_of_squares() -> None:
    """F of the extra sum of squares (R 4 `anova` of SDM91: 15.1253); no gain, or one of rounding, is no evidence."""
    left = 131265.389
    test = nested_test(
        "amdahl", "usl", sums_of_squares=(left, 27453.71958), variance=27453.71958 / 4, degrees_of_freedom=(1, 4)
    )
    assert (test.statistic, test.pvalue) == pytest.approx((15.1253, 0.01770), abs=5e-5)
    two = nested_test("linear", "usl", sums_of_squares=(30.0, 10.0), variance=10 / 7, degrees_of_freedom=(2, 7))
    assert two.statistic == pytest.approx(7.0)
    for gain, statistic in ((-0.01, 0.0), (2e-15, 0.0), (1e-6, 4e-6)):
        sums = (left, left * (1 - gain))
        test = nested_test("amdahl", "usl", sums_of_squares=sums, variance=sums[1] / 4, degrees_of_freedom=(1, 4))
        assert test.statistic == pytest.approx(statistic, rel=1e-5)
        assert (test.pvalue == 1) == (statistic == 0)


def test_nested_test_is_on_the_safe_side_where_the_simpler_law_is_true() -> None:
    """Amdahl true, 5 % noise: the F test finds coherency in 2.5 % of curves, not 5: half end on the bound."""
    rejected = 0
    for seed in range(60):
        (test,) = choose(noisy_curve("amdahl", (100.0, 0.05), seed), ("amdahl", "usl")).tests
        rejected += test.pvalue < 0.05
    # 1.5 expected of 60: more than 5 come 4 times in 1,000.
    assert rejected <= 5


def test_a_plateau_is_chosen_where_every_criterion_prefers_it() -> None:
    """No law of contention is chosen for a wall. What the chain prefers instead is no disagreement."""
    choice = choose(wall(), ALL)
    assert choice.law == "plateau"
    assert choice.why.startswith(
        "plateau: throughput stops growing at N = 7.96 (7.75 to 8.22), as it does when a resource runs out, not as "
        "contention would slow it; AICc, AIC and leave-one-out prefer it to Amdahl (AIC "
    )
    assert "; without it Amdahl: F test and leave-one-out prefer Amdahl, AICc and AIC prefer USL" in choice.why
    assert "(among linear, Amdahl and USL, 21 measurements)" in choice.why
    assert set(choice.preferred.values()) <= {"amdahl", "usl"}
    assert "laws-disagree" not in codes(choice)
    assert choose(wall(), ("amdahl", "usl")).law in ("amdahl", "usl"), "it was not fitted"


@pytest.mark.parametrize("repeats", [1, 3])
def test_a_machine_of_two_cores_has_a_wall_not_a_serial_fraction(repeats: int) -> None:
    """Twice the throughput from two threads to sixteen, 5 % noise: Amdahl's law would call two thirds of it serial."""
    levels = np.repeat(LEVELS[:5], repeats)
    chosen = [choose(noisy_curve("plateau", (100.0, 2.0), seed, levels=levels), ALL).law for seed in range(10)]
    assert chosen.count("plateau") >= 9


@pytest.mark.parametrize(("law", "truth"), [("amdahl", (100.0, 0.05)), ("usl", (100.0, 0.03, 0.97 / 144))])
def test_a_law_that_bends_is_no_plateau(law: str, truth: tuple[float, ...]) -> None:
    """5 % noise, once a level: in none of 10 curves."""
    assert not any(choose(noisy_curve(law, truth, seed), ALL).law == "plateau" for seed in range(10))


def test_a_plateau_that_misses_its_levels_is_said_to() -> None:
    """Throughput that falls beyond the wall by more than its replicates scatter."""
    choice = choose(wall(noise=0.002, beyond=0.7), ("linear", "plateau", "amdahl"))
    assert choice.law == "plateau"
    assert choice.why.startswith("plateau: throughput stops growing at N = ")
    assert "as it does when a resource runs out" not in choice.why
    assert "yet the plateau misses its levels by more than their replicates scatter (p = " in choice.why


def test_a_plateau_that_is_only_a_little_closer_is_a_rival() -> None:
    """SPEC SDM91: its AIC is 1.7 lower, which leaves the USL its support; what each expects at twice N is told."""
    fits = {law: fit_law(SDM91, law, weights="none") for law in ALL}
    choice = choose_law(list(fits.values()))
    (rival,) = choice.rivals
    assert (choice.law, rival.law) == ("usl", "plateau")
    assert rival.difference == pytest.approx(fits["plateau"].criteria.aic - fits["usl"].criteria.aic)
    there = {law: float(predict(fits[law], 432).throughput[0]) for law in ("plateau", "usl")}
    assert rival.message == (
        f"plateau describes the points better (AIC 1.7 lower): at N = 432 it expects {there['plateau']:.4g} op/sec, "
        f"not {there['usl']:.4g}"
    )
    assert "rival-law" in codes(choice)


def test_superlinear_data_are_named_with_the_loss_below_zero() -> None:
    """Contention below 0 by more than noise is a caveat with its number, whichever law is chosen."""
    noise = np.exp(0.01 * np.random.default_rng(8).standard_normal(len(TRIPLES)))
    choice = choose(build_curve(TRIPLES, 50.0 * TRIPLES**1.1 * noise, unit="op/sec"))
    (message,) = [caveat.message for caveat in choice.caveats if caveat.code == "superlinear"]
    assert "throughput grows faster than concurrency" in message
    assert "of Amdahl is -" in message or "of USL is -" in message
    assert choice.superlinear
    assert "serial fraction would have to be negative (-" in choice.why
    assert "serial fraction is not distinguishable" not in choice.why


@pytest.mark.heavy
def test_noise_is_not_called_superlinear() -> None:
    """Proportional data with 5 % noise: the caveat comes in about one curve of twenty."""
    assert sum(choose(noisy_curve("linear", (50.0,), seed)).superlinear for seed in range(80)) <= 10


@pytest.mark.parametrize("seed", [21, 42, 46])
def test_leave_one_out_of_a_plateau_finds_the_lowest_dip(seed: int) -> None:
    """Against walls tried one by one: without a level the lowest dip is another, or a kink, and rates are exact."""
    levels = np.array([1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 24.0, 32.0])
    measured = 50 * np.minimum(levels, 9) * np.exp(0.1 * np.random.default_rng(seed).standard_normal(8))
    walls = np.unique(np.concatenate([np.geomspace(1, 32, 20001), levels]))[:, np.newaxis]
    misses = []
    for left_out in range(8):
        rest = np.arange(8) != left_out
        ratios = np.log(np.minimum(levels, walls) / measured)
        offsets = ratios - ratios[:, rest].mean(axis=1, keepdims=True)
        misses.append(offsets[np.argmin((offsets[:, rest] ** 2).sum(axis=1)), left_out])
    fit = fit_law(build_curve(levels, measured, unit="op/sec"), "plateau", derived=False)
    assert fit.criteria.loo_rmse == pytest.approx(math.sqrt(np.mean(np.square(misses))), rel=2e-3)
