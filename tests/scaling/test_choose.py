"""Which law is chosen and why, what a back-test says, what is left over."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.scaling.choose import back_test, choose_law, residuals
from benchlib.scaling.curve import ScalingCurve, build_curve, up_to
from benchlib.scaling.fit import fit_law, nested_test
from benchlib.scaling.laws import amdahl, plateau, usl
from benchlib.scaling.predict import predict

# The choice between laws.

LEVELS = np.repeat([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0], 3)

ALL = ("linear", "plateau", "amdahl", "usl")
#: R package usl 3.0.3, tests/summary.Rout.save, and its vignette.
SDM91 = build_curve(
    [1, 18, 36, 72, 108, 144, 216], [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2], unit="op/sec"
)
RAYTRACER = build_curve(
    [1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64], [20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310], unit="op/sec"
)


def fits(throughput: np.ndarray, seed: int) -> list:
    noise = 1 + 0.02 * np.random.default_rng(seed).standard_normal(len(LEVELS))
    curve = build_curve(LEVELS, throughput * noise, unit="op/sec")
    return [fit_law(curve, law) for law in ("linear", "amdahl", "usl")]


def test_the_true_law_is_chosen_when_it_shows() -> None:
    """A curve that bends down is the USL's; one that only flattens is not."""
    assert choose_law(fits(usl.throughput(LEVELS, 50.0, 0.05, 0.002), 1)).law == "usl"
    flat = choose_law(fits(amdahl.throughput(LEVELS, 50.0, 0.05), 2))
    assert flat.law == "amdahl"


def test_proportional_data_are_linear() -> None:
    """Without loss the line wins, whichever coefficients reach their bounds."""
    assert choose_law(fits(50.0 * LEVELS, 3)).law == "linear"


def test_order_of_fits_is_irrelevant() -> None:
    """The same laws in any order give the same choice."""
    given = fits(usl.throughput(LEVELS, 50.0, 0.05, 0.002), 4)
    assert choose_law(given) == choose_law(given[::-1])


def test_one_law_is_chosen_and_said_so() -> None:
    """A single fit is the choice, for lack of others."""
    only = choose_law(fits(50.0 * LEVELS, 5)[:1])
    assert (only.law, only.why) == ("linear", "linear: the only law fitted")


def test_criteria_that_cannot_be_computed_do_not_vote() -> None:
    """At 5 single measurements AICc of the USL does not exist, so it prefers nothing."""
    curve = build_curve([1, 2, 4, 8, 16], [10, 18, 30, 40, 41], unit="op/sec")
    choice = choose_law([fit_law(curve, law) for law in ("amdahl", "usl")])
    assert "AICc" not in choice.preferred
    assert "AICc" not in choice.why


def test_a_criterion_that_some_law_has_no_value_of_says_which_other_it_prefers() -> None:
    """5 single measurements: AICc cannot be computed for the USL; of line and Amdahl it prefers the line."""
    curve = build_curve([1, 2, 4, 8, 16], [10.0, 19.5, 37.6, 64.1, 88.5], unit="op/sec")
    choice = choose_law([fit_law(curve, law) for law in ("linear", "amdahl", "usl")])
    assert choice.law == "usl"
    assert "AICc" not in choice.preferred
    assert "AICc, where it can be computed, prefers linear" in choice.why
    assert "laws-disagree" in [one.code for one in choice.caveats]


def test_fits_of_other_data_or_weights_are_refused() -> None:
    """Criteria of different data or weights cannot be compared."""
    curve = build_curve([1, 2, 4, 8], [10, 18, 30, 44], unit="op/sec")
    with pytest.raises(DataError, match="fit them alike"):
        choose_law([fit_law(curve, "amdahl"), fit_law(curve, "linear", weights="none")])
    with pytest.raises(DataError, match="no fitted laws"):
        choose_law([])


def test_sdm91_criteria_disagree_and_it_is_said() -> None:
    """AICc 82.87 against 85.92 prefers Amdahl; AIC 63.92, the F test and leave-one-out prefer the USL.

    R 4 `anova` of both nls fits gives F(1, 4) = 15.1253, p = .01770.
    """
    choice = choose_law([fit_law(SDM91, law, weights="none") for law in ("amdahl", "usl")])
    assert choice.law == "usl"
    assert choice.preferred == {"AICc": "amdahl", "AIC": "usl", "F test": "usl", "leave-one-out": "usl"}
    (test,) = choice.tests
    assert (test.simpler, test.richer, test.degrees_of_freedom) == ("amdahl", "usl", (1, 4))
    assert test.statistic == pytest.approx(15.1253, abs=5e-5)
    assert test.pvalue == pytest.approx(0.01770, abs=5e-6)
    assert [one.code for one in choice.caveats] == ["laws-disagree"]


def test_raytracer_is_amdahl_with_a_limit_for_coherency() -> None:
    """Coherency lies on its bound: Amdahl, with what coherency may still be; the F test finds nothing."""
    choice = choose_law([fit_law(RAYTRACER, law, weights="none") for law in ("linear", "amdahl", "usl")])
    assert choice.law == "amdahl"
    assert choice.why == (
        "Amdahl: coherency is not distinguishable from 0 (at most 0.000101); "
        "AICc, AIC, F test and leave-one-out prefer Amdahl (among linear and Amdahl, 11 measurements)"
    )
    nested = {(one.simpler, one.richer): one for one in choice.tests}
    assert nested["amdahl", "usl"].statistic == pytest.approx(0, abs=1e-9)
    assert nested["amdahl", "usl"].pvalue == pytest.approx(1)
    assert nested["linear", "usl"].degrees_of_freedom == (2, 8)


def test_nested_test_from_sums_of_squares() -> None:
    """F of the extra sum of squares; two added parameters count as two; no gain is no evidence."""
    one = nested_test("amdahl", "usl", sums_of_squares=(131265.389, 27453.71958), degrees_of_freedom=(5, 4))
    assert (one.statistic, one.pvalue) == pytest.approx((15.1253, 0.01770), abs=5e-5)
    two = nested_test("linear", "usl", sums_of_squares=(30.0, 10.0), degrees_of_freedom=(9, 7))
    assert two.statistic == pytest.approx(7.0)
    assert nested_test("linear", "usl", sums_of_squares=(9.9, 10.0), degrees_of_freedom=(9, 7)).pvalue == 1


@pytest.mark.heavy
def test_a_law_on_its_bound_explains_exactly_nothing() -> None:
    """Two searches that end in one minimum part by rounding; the statistic is 0, not 1e-15."""
    left = 131265.389
    test = nested_test("amdahl", "usl", sums_of_squares=(left, left * (1 - 2e-15)), degrees_of_freedom=(5, 4))
    assert (test.statistic, test.pvalue) == (0.0, 1.0)
    more = nested_test("amdahl", "usl", sums_of_squares=(left, left * (1 - 1e-6)), degrees_of_freedom=(5, 4))
    assert more.statistic == pytest.approx(4e-6, rel=1e-5)


def test_nested_test_is_on_the_safe_side_where_the_simpler_law_is_true() -> None:
    """Amdahl true, 5 % noise: the F test finds coherency in 2.5 % of curves, not 5: half end on the bound."""
    generator = np.random.default_rng(11)
    found = 0
    levels = LEVELS[::3]
    for _ in range(300):
        values = amdahl.throughput(levels, 100.0, 0.05) * np.exp(0.05 * generator.standard_normal(7))
        curve = build_curve(levels, values, unit="op/sec")
        (test,) = choose_law([fit_law(curve, "amdahl"), fit_law(curve, "usl")]).tests
        found += test.pvalue < 0.05
    # 7.5 expected of 300, standard error 2.7.
    assert 1 <= found <= 15


def wall(seed: int) -> ScalingCurve:
    noise = 1 + 0.02 * np.random.default_rng(seed).standard_normal(len(LEVELS))
    return build_curve(LEVELS, plateau.throughput(LEVELS, 50.0, 8.0) * noise, unit="op/sec")


def test_a_plateau_is_chosen_by_its_shape_and_called_one() -> None:
    """Where throughput ran into a wall no law of contention is chosen, and the reason says why."""
    given = [fit_law(wall(6), law) for law in ALL]
    choice = choose_law(given, shape="plateau")
    assert choice.law == "plateau"
    assert "throughput stops growing at N = 7.96 (" in choice.why
    assert choice.why.endswith("), as it does when a resource runs out, not as contention would slow it")
    assert choice.rivals == ()


def test_a_plateau_wins_where_the_vote_has_no_support_left() -> None:
    """Whatever the shape was called: an AIC lower by more than 10 leaves the winner of the vote none."""
    choice = choose_law([fit_law(wall(6), law) for law in ALL])
    assert choice.law == "plateau"
    assert choice.why.startswith("plateau: throughput stops growing at N = 7.96 (")
    assert "lower than that of USL: AICc, AIC and F test prefer USL, leave-one-out prefers Amdahl" in choice.why
    assert "(among linear, Amdahl and USL, 21 measurements)" in choice.why
    assert set(choice.preferred.values()) <= {"amdahl", "usl"}


def test_criteria_do_not_disagree_with_a_plateau_that_has_no_vote() -> None:
    """The plateau is never among the voters: what they prefer instead is no disagreement."""
    given = [fit_law(wall(6), law) for law in ALL]
    for shape in ("", "plateau"):
        assert "laws-disagree" not in [one.code for one in choose_law(given, shape=shape).caveats]


def test_a_plateau_that_misses_its_levels_is_said_to() -> None:
    """Throughput that falls slowly beyond the wall by more than its replicates scatter."""
    falling = plateau.throughput(LEVELS, 50.0, 8.0) * np.where(LEVELS > 8, 0.9, 1.0)
    noise = 1 + 0.002 * np.random.default_rng(6).standard_normal(len(LEVELS))
    given = [fit_law(build_curve(LEVELS, falling * noise, unit="op/sec"), law) for law in ALL]
    choice = choose_law(given, shape="plateau")
    assert choice.law == "plateau"
    assert "yet the plateau misses its levels by more than their replicates scatter (p = " in choice.why


def test_a_plateau_that_is_only_a_little_closer_is_a_rival() -> None:
    """SPEC SDM91: its AIC is 1.7 lower, which leaves the USL its support; both numbers are told."""
    choice = choose_law([fit_law(SDM91, law, weights="none") for law in ALL])
    assert choice.law == "usl"
    assert choice.rivals[0].law == "plateau"
    assert -10 < choice.rivals[0].difference < 0
    assert "plateau describes the points better" in choice.rivals[0].message
    assert "rival-law" in [one.code for one in choice.caveats]


def test_a_plateau_that_was_not_fitted_is_not_chosen() -> None:
    """The shape alone chooses no law."""
    assert choose_law([fit_law(wall(6), law) for law in ("amdahl", "usl")], shape="plateau").law in ("amdahl", "usl")


def test_a_law_on_its_bound_is_no_rival() -> None:
    """A plateau beyond the data is the line, and no rival of Amdahl's law."""
    choice = choose_law([fit_law(RAYTRACER, law, weights="none") for law in ALL])
    assert choice.law == "amdahl"
    assert choice.rivals == ()


def test_superlinear_data_are_named_with_the_loss_below_zero() -> None:
    """Contention below 0 by more than noise is a caveat with its number, whichever law is chosen."""
    noise = np.exp(0.01 * np.random.default_rng(8).standard_normal(len(LEVELS)))
    curve = build_curve(LEVELS, 50.0 * LEVELS**1.1 * noise, unit="op/sec")
    choice = choose_law([fit_law(curve, law) for law in ("linear", "amdahl", "usl")])
    (told,) = [one for one in choice.caveats if one.code == "superlinear"]
    assert "throughput grows faster than concurrency" in told.message
    assert "of Amdahl is -" in told.message or "of USL is -" in told.message
    assert choice.superlinear
    assert "serial fraction would have to be negative (-" in choice.why
    assert "serial fraction is not distinguishable" not in choice.why


@pytest.mark.heavy
def test_noise_is_not_called_superlinear() -> None:
    """Proportional data with 5 % noise: the caveat comes in about one curve of twenty."""
    generator = np.random.default_rng(9)
    levels = LEVELS[::3]
    found = 0
    for _ in range(200):
        curve = build_curve(levels, 50.0 * levels * np.exp(0.05 * generator.standard_normal(7)), unit="op/sec")
        choice = choose_law([fit_law(curve, law) for law in ("linear", "amdahl", "usl")])
        found += "superlinear" in [one.code for one in choice.caveats]
    assert found <= 20


def test_exact_data_choose_the_simplest_law_on_them() -> None:
    """On a line every law fits to rounding; rounding does not choose, the fewest parameters do."""
    curve = build_curve(LEVELS, 250.0 * LEVELS, unit="op/sec")
    choice = choose_law([fit_law(curve, law) for law in ALL])
    assert choice.law == "linear"
    assert [one.code for one in choice.caveats] == []
    bent = build_curve(LEVELS, amdahl.throughput(LEVELS, 250.0, 0.1), unit="op/sec")
    assert choose_law([fit_law(bent, law) for law in ALL]).law == "amdahl"


def test_gustafson_votes_where_it_was_fitted() -> None:
    """Weak scaling with serial work: Gustafson's line is chosen; it is no step between Amdahl and the USL."""
    levels = LEVELS
    noise = np.exp(0.01 * np.random.default_rng(10).standard_normal(len(levels)))
    curve = build_curve(levels, 50.0 * (levels - 0.3 * (levels - 1)) * noise, unit="op/sec")
    choice = choose_law([fit_law(curve, law, weak=True) for law in ("linear", "amdahl", "gustafson", "usl")])
    assert choice.law == "gustafson"
    assert ("gustafson", "usl") not in [(one.simpler, one.richer) for one in choice.tests]


def test_only_laws_without_a_vote_are_still_chosen_from() -> None:
    """One law asked for is the answer, with or without a vote."""
    only = choose_law([fit_law(wall(6), "plateau")])
    assert (only.law, only.why, only.tests) == ("plateau", "plateau: the only law fitted", ())
    assert not any(math.isnan(one.difference) for one in only.rivals)


@pytest.mark.parametrize("seed", [21, 42, 46])
def test_leave_one_out_of_a_plateau_finds_the_lowest_dip(seed: int) -> None:
    """Against walls tried one by one: without a level the lowest dip is another, or a kink, and rates are exact."""
    levels = np.array([1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 24.0, 32.0])
    measured = 50 * np.minimum(levels, 9) * np.exp(0.1 * np.random.default_rng(seed).standard_normal(8))
    walls = np.unique(np.concatenate([np.geomspace(1, 32, 20001), levels]))[:, np.newaxis]
    misses = []
    for left_out in range(8):
        kept = np.arange(8) != left_out
        ratios = np.log(np.minimum(levels, walls) / measured)
        offsets = ratios - ratios[:, kept].mean(axis=1, keepdims=True)
        lowest = np.argmin((offsets[:, kept] ** 2).sum(axis=1))
        misses.append(offsets[lowest, left_out])
    fit = fit_law(build_curve(levels, measured, unit="op/sec"), "plateau", derived=False)
    assert fit.criteria.loo_rmse == pytest.approx(math.sqrt(np.mean(np.square(misses))), rel=2e-3)


def test_a_law_given_twice_is_refused() -> None:
    """Two fits of one law would count its vote twice."""
    with pytest.raises(DataError, match="fitted twice"):
        choose_law([fit_law(SDM91, "amdahl"), fit_law(SDM91, "amdahl")])


# Back-tests: a law is held against levels it has not seen.

BACKTEST_LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])


def test_rounds_grow_from_the_fewest_levels() -> None:
    """USL on 7 levels: rounds of 4, 5 and 6, each predicting the levels within twice its own."""
    curve = build_curve(BACKTEST_LEVELS, usl.throughput(BACKTEST_LEVELS, 100.0, 0.03, 5e-4), unit="op/sec")
    tested = back_test(curve, "usl")
    assert (tested.law, tested.refused) == ("usl", "")
    assert [(one.levels, one.up_to, [miss.concurrency for miss in one.misses]) for one in tested.rounds] == [
        (4, 8.0, [16.0]),
        (5, 16.0, [32.0]),
        (6, 32.0, [64.0]),
    ]


def test_a_true_law_does_not_miss() -> None:
    """On the law's own curve every error is rounding."""
    curve = build_curve(BACKTEST_LEVELS, amdahl.throughput(BACKTEST_LEVELS, 100.0, 0.07), unit="op/sec")
    errors = [miss.error for one in back_test(curve, "amdahl").rounds for miss in one.misses]
    assert len(errors) == 4
    assert errors == pytest.approx([0.0] * 4, abs=1e-7)


def test_a_miss_is_the_prediction_of_the_first_levels() -> None:
    """SPEC SDM91: numbers are those of a fit up to 108 and its interval for one more measurement."""
    throughput = [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2]
    curve = build_curve([1, 18, 36, 72, 108, 144, 216], throughput, unit="op/sec")
    tested = back_test(curve, "usl", weights="none")
    band = predict(fit_law(up_to(curve, 108), "usl", weights="none"), [144, 216], kind="prediction")
    misses = tested.rounds[1].misses
    assert [miss.predicted for miss in misses] == band.throughput.tolist()
    assert [miss.low for miss in misses] == band.low.tolist()
    assert [miss.measured for miss in misses] == [1775.0, 1702.2]
    assert misses[1].error == pytest.approx(band.throughput[1] / 1702.2 - 1)
    assert misses[1].error < -0.2, "the USL of the first five levels expects a fall that did not come"


def test_a_wall_is_a_surprise() -> None:
    """Amdahl's law from below a plateau misses above it, outside its interval."""
    noise = 1 + 0.01 * np.random.default_rng(3).standard_normal(7)
    curve = build_curve(BACKTEST_LEVELS, plateau.throughput(BACKTEST_LEVELS, 100.0, 16.0) * noise, unit="op/sec")
    first = {one.up_to: one for one in back_test(curve, "amdahl").rounds}[16.0]
    assert first.misses[0].error > 0.5
    assert not first.misses[0].inside


def test_levels_too_far_apart_are_not_predicted() -> None:
    """Nothing beyond twice the levels fitted: that round is named, not left out in silence."""
    levels = [1, 2, 4, 8, 40, 48]
    tested = back_test(build_curve(levels, amdahl.throughput(levels, 10.0, 0.05), unit="op/sec"), "amdahl")
    assert [one.up_to for one in tested.rounds] == [4.0, 40.0]
    assert tested.refused == "from 8 the next level 40 lies beyond twice it"


def test_too_few_levels_leave_nothing_to_predict() -> None:
    """A law that fits all levels but no fewer has no round, and the reason counts them."""
    tested = back_test(build_curve([1, 2, 4], [10, 18, 30], unit="op/sec"), "amdahl")
    assert tested.rounds == ()
    assert tested.refused == "back-testing Amdahl needs 4 distinct concurrencies, got 3 (1, 2, 4)"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"law": "amdal"}, "did you mean 'amdahl'"),
        ({"law": "amdahl", "weights": "relativ"}, "unknown weights"),
        ({"law": "amdahl", "confidence_level": 95}, "not between 0 and 1"),
        ({"law": "gustafson"}, "needs weak scaling"),
        ({"law": "usl"}, "needs 4 distinct"),
    ],
)
def test_questions_that_cannot_be_asked_are_refused(options: dict, message: str) -> None:
    """What no fit could answer is no refusal among the rounds, but an error."""
    with pytest.raises(DataError, match=message):
        back_test(build_curve([1, 2, 4], [10, 18, 30], unit="op/sec"), **options)


# What a law leaves over, against R's printed residuals and the band it must lie in.

RESIDUALS_LEVELS = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]


def noisy(repeats: int, scatter: float, seed: int) -> ScalingCurve:
    """Replicates of an Amdahl curve with relative noise."""
    levels = np.repeat(RESIDUALS_LEVELS, repeats)
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
