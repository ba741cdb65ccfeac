"""Trends of samples, alone and together, rows that move one way, and what drift makes of a change."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from benchlib.errors import DataError
from benchlib.statistics.compare import Pairs, one_pair
from benchlib.statistics.drift import (
    TREND_PVALUE,
    DriftBetween,
    RunTrends,
    beyond_spread,
    common_drift,
    drift_between,
    most_drift,
    sign_imbalance,
    within_run_trends,
)

Floats = NDArray[np.float64]


def trends(*samples: list[float] | NDArray[np.float64]) -> RunTrends:
    """The trends of samples given one by one."""
    return within_run_trends(np.concatenate(samples), np.cumsum([0, *map(len, samples)]))


@pytest.mark.parametrize("n", [3, 6, 10, 25])
def test_one_sample_is_kendalls_tau(n: int) -> None:
    """Tau and its exact p value as scipy gives them, for every sample by itself and the change by Theil and Sen."""
    random = np.random.default_rng(n)
    samples = [np.exp(random.normal(0, 0.1, n)) for _ in range(20)]
    found = trends(*samples)
    for place, sample in enumerate(samples):
        expected = stats.kendalltau(np.arange(n), sample, method="exact")
        assert found.tau[place] == pytest.approx(expected.statistic, rel=1e-12)
        assert found.pvalue[place] == pytest.approx(expected.pvalue, rel=1e-12)
        slope = stats.theilslopes(np.log(sample), np.arange(n)).slope
        assert found.change[place] == pytest.approx(math.expm1(slope * (n - 1)), rel=1e-9)


def test_ties_known_answer() -> None:
    """S = 7 over 5 values with one pair equal: variance (5*4*15 - 2*1*9) / 18, continuity 1 (Kendall)."""
    found = trends([1.0, 2.0, 2.0, 3.0, 2.5])
    assert found.tau[0] == pytest.approx(7 / 10)
    expected = 2 * stats.norm.sf((7 - 1) / math.sqrt((5 * 4 * 15 - 2 * 1 * 9) / 18))
    assert found.pvalue[0] == pytest.approx(expected, rel=1e-12)


def test_beyond_thirty_values_the_normal_is_as_good() -> None:
    """At 40 values within 2 % of the exact p value."""
    sample = np.exp(np.random.default_rng(5).normal(0, 0.1, 40) + 0.003 * np.arange(40))
    expected = stats.kendalltau(np.arange(40), sample, method="exact").pvalue
    assert trends(sample).pvalue[0] == pytest.approx(expected, rel=0.02)


def test_all_samples_together_known_answer() -> None:
    """The seasonal Kendall statistic: the sum of S, less 1, over the root of the sum of variances."""
    found = trends([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 4.0, 3.0], [2.0, 1.0, 5.0, 6.0, 7.0], [5.0], [3.0, 3.0, 3.0])
    total, variance = 6 + 4 + 8, 2 * 4 * 3 * 13 / 18 + 5 * 4 * 15 / 18
    assert found.combined_pvalue == pytest.approx(2 * stats.norm.sf((total - 1) / math.sqrt(variance)), rel=1e-12)
    assert (found.tested, found.rising, found.falling) == (3, 3, 0)
    assert np.isnan(found.tau).tolist() == [False, False, False, True, True]


def test_one_tested_sample_speaks_for_all() -> None:
    """With one sample its own exact p value stands; with none there is nothing to see."""
    assert trends([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).combined_pvalue == pytest.approx(2 / 720)
    nothing = within_run_trends([], [0])
    assert (nothing.combined_pvalue, nothing.tested, nothing.tau.size) == (1.0, 0, 0)


def test_unit_direction_and_order_of_samples() -> None:
    """A unit changes nothing, time run backwards changes signs only, and samples may stand in any order."""
    random = np.random.default_rng(6)
    samples = [np.exp(random.normal(0, 0.1, n)) for n in (6, 6, 9, 4)]
    found, scaled = trends(*samples), trends(*(1e9 * one for one in samples))
    assert scaled.change == pytest.approx(found.change, rel=1e-9)
    assert scaled.pvalue.tolist() == found.pvalue.tolist()
    backwards = trends(*(one[::-1] for one in samples))
    assert backwards.tau.tolist() == (-found.tau).tolist()
    assert (backwards.rising, backwards.combined_pvalue) == (found.falling, pytest.approx(found.combined_pvalue))
    shuffled = trends(*samples[::-1])
    assert shuffled.pvalue.tolist() == found.pvalue[::-1].tolist()


def test_values_at_and_below_zero_have_a_trend_but_no_ratio() -> None:
    """Ranks need no logarithm; the relative change does."""
    found = trends([0.0, 1.0, 2.0, 3.0])
    assert found.tau[0] == 1.0
    assert math.isnan(found.change[0])


def test_a_slow_rise_that_no_sample_shows_is_seen_in_all() -> None:
    """Of 40 benchmarks that rise by 5 % over 6 values with 5 % scatter few are significant, together they are."""
    random = np.random.default_rng(7)
    values = np.exp(random.normal(0, 0.05, (40, 6)) + 0.05 * np.linspace(0, 1, 6))
    found = within_run_trends(values.ravel(), np.arange(0, 241, 6))
    assert float((found.pvalue <= 0.05).mean()) < 0.3
    assert found.combined_pvalue < 0.001
    assert float(np.median(found.change)) == pytest.approx(0.05, abs=0.02)


@pytest.mark.parametrize(
    ("values", "starts", "message"),
    [
        *(
            (
                [1.0, 2.0, 3.0],
                starts,
                "the starts of samples do not lead through 3 values; begin with 0, end with their number",
            )
            for starts in ([], [1, 3], [0, 2], [0, 4], [0, 3, 2, 3])
        ),
        (
            [1.0, math.nan, math.inf],
            [0, 3],
            "2 of 3 values are not finite; leave such rows out, they are no measurements",
        ),
    ],
)
def test_samples_that_are_none_are_refused(values: list[float], starts: list[int], message: str) -> None:
    """Starts begin with 0, do not go back, and end with the number of values; NaN has no place in an order."""
    with pytest.raises(DataError) as raised:
        within_run_trends(values, starts)
    assert str(raised.value) == message


def test_signs_known_answer() -> None:
    """The binomial test of ups against downs, over rows that differ; others count as testable only."""
    logs = [0.5] * 13 + [-0.5] * 3 + [0.1, -0.1, 0.0, math.nan, math.inf]
    pvalues = [0.01] * 16 + [0.2, math.nan, 0.01, 0.01, 0.01]
    found = sign_imbalance(logs, pvalues, [True] * 21)
    assert (found.up, found.down, found.testable) == (13, 3, 18)
    assert found.pvalue == pytest.approx(stats.binomtest(13, 16).pvalue, rel=1e-12)
    assert not found.alike


@pytest.mark.parametrize(
    ("logs", "pvalues", "untestable", "alike"),
    [
        # 2 / 2^8 is the first chance below 0.01.
        ([0.1] * 7, [0.01] * 7, 0, False),
        ([0.1] * 8, [0.01] * 8, 0, True),
        # 20 of 41 testable rows are less than half: code can do that. Rows that could not differ do not count.
        ([0.1] * 41, [0.01] * 20 + [0.5] * 21, 0, False),
        ([0.1] * 41, [0.01] * 20 + [0.5] * 21, 1, True),
        # Nothing differs; a p value at the level does, as for verdicts.
        ([0.1, -0.1] * 8, [0.5] * 16, 0, False),
        ([0.1] * 8, [0.05] * 8, 0, True),
        ([0.1] * 8, [0.051] * 8, 0, False),
    ],
)
def test_when_rows_move_one_way(logs: list[float], pvalues: list[float], untestable: int, alike: bool) -> None:
    """By more than chance, and more than half of those that could."""
    testable = [True] * (len(logs) - untestable) + [False] * untestable
    found = sign_imbalance(logs, pvalues, testable, 0.05)
    assert found.alike is alike
    differing = sum(pvalue <= 0.05 for pvalue in pvalues)
    assert (found.up + found.down, found.testable) == (differing, len(logs) - untestable)


def test_swapped_sides_swap_the_signs() -> None:
    """Candidate and baseline exchanged: ups are downs."""
    random = np.random.default_rng(8)
    logs, pvalues, testable = random.normal(0.1, 0.2, 40), random.random(40) * 0.1, random.random(40) < 0.9
    one, other = (sign_imbalance(sign * logs, pvalues, testable) for sign in (1, -1))
    assert (one.up, one.down, one.pvalue) == (other.down, other.up, other.pvalue)


def test_unequal_arrays_are_refused() -> None:
    """One of each for every row."""
    with pytest.raises(DataError) as raised:
        sign_imbalance([0.1], [0.1, 0.2], [True])
    assert str(raised.value) == (
        "1 log ratios, 2 p values and 1 marks of testable rows; give one of each for every row"
    )


def table(old: Floats, new: Floats) -> Pairs:
    """Rows of equal sizes, given as two tables."""
    starts = [np.arange(len(one) + 1) * one.shape[1] for one in (old, new)]
    return Pairs(baseline=old.ravel(), baseline_starts=starts[0], candidate=new.ravel(), candidate_starts=starts[1])


def alone(old: Floats, new: Floats, upwards: int = 0) -> DriftBetween:
    """One row, one side recorded right after the other."""
    return drift_between(one_pair(old, new), range(old.size), range(old.size, old.size + new.size), upwards)


def kendall(values: Floats) -> int:
    """S, counted pair by pair."""
    return sum(int(np.sign(later - earlier)) for earlier, later in itertools.combinations(values.tolist(), 2))


@pytest.mark.parametrize("upwards", [-1, 0, 1])
def test_the_p_value_is_the_least_of_three_tests(upwards: int) -> None:
    """Each side at a quarter, the sum at a half, the sum's counted over all orders of 4 and of 3 values."""
    orders = [
        kendall(np.array(one)) + kendall(np.array(other))
        for one in itertools.permutations(range(4))
        for other in itertools.permutations(range(3))
    ]
    sums = np.array(orders)
    random = np.random.default_rng(1)
    for _ in range(40):
        old, new = random.random(4), random.random(3)
        reached = kendall(old) + kendall(new)
        both = np.mean(np.abs(sums) >= abs(reached)) if upwards == 0 else np.mean(upwards * sums >= upwards * reached)
        sides = [stats.kendalltau(np.arange(one.size), one, method="exact").pvalue for one in (old, new)]
        expected = min(1.0, 2 * both, 4 * min(sides))
        assert alone(old, new, upwards).pvalue[0] == pytest.approx(expected, rel=1e-12)


def test_sums_beyond_thirty_values_are_nearly_normal() -> None:
    """31 values against 12, which rise: within 15 % of what counting orders says; far out it only errs towards none."""
    shares = np.ones(1)
    for later in (*range(2, 32), *range(2, 13)):
        shares = np.convolve(shares, np.full(later, 1 / later))
    random = np.random.default_rng(2)
    for _ in range(20):
        old, new = (random.normal(0, 1, n) + 0.04 * np.arange(n) for n in (31, 12))
        both = float(shares[(kendall(old) + kendall(new) + 31 * 15 + 6 * 11) // 2 :].sum())
        sides = [stats.kendalltau(np.arange(one.size), one, method="exact").pvalue for one in (old, new)]
        expected = min(1.0, 2 * both, 4 * min(sides))
        found = alone(np.exp(old), np.exp(new), 1).pvalue[0]
        assert found >= 0.85 * expected
        assert found <= 1.15 * expected or found < TREND_PVALUE


def test_a_side_that_does_not_vary_leaves_the_word_to_the_other() -> None:
    """A constant side, and one of two values, have no trend; where neither has one nothing is found."""
    rising = np.arange(1.0, 8)
    seven = 2 / math.factorial(7)
    assert alone(np.full(5, 3.0), rising).pvalue[0] == pytest.approx(2 * seven)
    assert alone(rising, np.array([8.0, 9.0])).pvalue[0] == pytest.approx(2 * seven)
    nothing = alone(np.full(5, 3.0), np.array([8.0, 9.0]))
    assert (nothing.pvalue[0], nothing.reach[0], bool(nothing.drifted[0])) == (1.0, 0.0, False)


def test_the_reach_of_a_steady_drift_is_twice_its_difference() -> None:
    """1 % a position, 10 against 6 values and 20 positions between them: the middles are 28 positions apart."""
    first, second = np.arange(10.0), np.arange(30.0, 36.0)
    found = drift_between(one_pair(np.exp(0.01 * first), np.exp(0.01 * second)), first, second)
    assert found.reach[0] == pytest.approx(2 * 0.01 * 28)


def test_a_side_that_rises_and_one_that_falls_are_both_drift() -> None:
    """Their sum is nothing, each by itself is a trend; the reach takes both without their signs."""
    rising = np.exp(0.1 * np.arange(10.0))
    found = alone(rising, rising[::-1])
    assert found.drifted.all()
    assert found.reach[0] == pytest.approx(2 * 0.1 * 10)


def test_sides_recorded_in_turn_have_hardly_a_reach() -> None:
    """A trend is found, but both middles are half a round apart."""
    values = np.exp(0.05 * np.arange(20.0))
    found = drift_between(one_pair(values[::2], values[1::2]), np.arange(0.0, 20, 2), np.arange(1.0, 20, 2))
    assert found.drifted.all()
    assert found.reach[0] == pytest.approx(2 * 0.05)


def test_units_and_rows_beside_it_do_not_matter() -> None:
    """Nanoseconds or seconds, alone or among other rows: the same answer."""
    random = np.random.default_rng(3)
    old, new = (np.exp(random.normal(0, 0.02, (6, 8)) + 0.01 * np.arange(8)) for _ in range(2))
    places = np.arange(48.0).reshape(6, 8)
    found = drift_between(table(old, new), places.ravel(), places.ravel() + 48)
    scaled = drift_between(table(1e-9 * old, 1e-9 * new), places.ravel(), places.ravel() + 48)
    assert scaled.reach == pytest.approx(found.reach, rel=1e-6)
    assert scaled.pvalue.tolist() == found.pvalue.tolist()
    for row in range(6):
        one = drift_between(one_pair(old[row], new[row]), places[row], places[row] + 48)
        assert (one.pvalue[0], one.reach[0]) == (found.pvalue[row], pytest.approx(found.reach[row], rel=1e-9))


def test_long_samples_are_looked_at_evenly() -> None:
    """20,000 values that rise are found to, with the reach that they have, in a table of 200 by 200."""
    random = np.random.default_rng(4)
    places = np.arange(20_000.0)
    values = np.exp(1e-5 * places + random.normal(0, 0.02, places.size))
    found = alone(values, values)
    assert found.drifted.all()
    assert found.reach[0] == pytest.approx(2 * 1e-5 * 20_000, rel=0.15)


def test_values_at_zero_have_a_trend_and_no_reach() -> None:
    """No logarithm, no slope: nothing is taken from them."""
    found = alone(np.arange(8.0), np.arange(8.0))
    assert found.drifted.all()
    assert found.reach[0] == 0.0


def test_rows_together_show_what_none_shows_alone() -> None:
    """40 rows of 6 values that rise by 3 % over both sides, with 2 % of scatter."""
    random = np.random.default_rng(5)
    old, new = (np.exp(random.normal(0, 0.02, (40, 6)) + 0.0025 * (np.arange(6) + away)) for away in (0, 6))
    places = np.arange(240.0).reshape(6, 40).T
    pairs = table(old, new)
    asked = (places.ravel(), places.ravel() + 240)
    assert drift_between(pairs, *asked, 1).drifted.mean() < 0.2
    together = common_drift(pairs, *asked, np.full(40, True), 1)
    assert together.drifted.all()
    assert together.reach[0] == pytest.approx(2 * 0.0025 * 6, rel=0.4)


def test_rows_of_the_most_common_sizes_speak_for_all() -> None:
    """Two rising rows of 6 beside one of 5 that falls; rows that are not asked have no say, nor those at 0."""
    rising, falling = np.arange(1.0, 7), np.arange(5.0, 0, -1)
    pairs = Pairs(
        baseline=np.concatenate([rising, falling, rising, 0 * rising]), baseline_starts=np.array([0, 6, 11, 17, 23]),
        candidate=np.concatenate([rising, falling, rising, 0 * rising]), candidate_starts=np.array([0, 6, 11, 17, 23]),
    )  # fmt: skip
    places = np.arange(23.0)

    def asked(*rows: bool) -> DriftBetween:
        return common_drift(pairs, places, places + 23, np.array(rows), 1)

    six = alone(rising, rising, 1)
    assert asked(True, True, True, False).pvalue.tolist() == six.pvalue.tolist()
    assert asked(True, True, True, True).pvalue.tolist() == six.pvalue.tolist()
    assert asked(False, True, False, False).pvalue[0] > TREND_PVALUE
    assert asked(False, False, False, True).pvalue.tolist() == [1.0]


def test_rounds_that_scatter_together_are_no_trend() -> None:
    """A machine that is slower in some rounds than in others, in no order: 30 rows are not 30 witnesses of it."""
    random = np.random.default_rng(6)
    places, runs, found = np.arange(180.0).reshape(6, 30).T.ravel(), 400, 0
    for _ in range(runs):
        rounds = random.normal(0, 0.03, (2, 1, 6))
        old, new = np.exp(random.normal(0, 0.01, (2, 30, 6)) + rounds)
        found += int(common_drift(table(old, new), places, places + 180, np.full(30, True)).drifted[0])
    assert found / runs <= TREND_PVALUE + 3 * math.sqrt(TREND_PVALUE / runs)


def test_what_moved_others_moves_a_row_no_further_than_its_own_values_show() -> None:
    """672 to 682 against 365 to 375: 1.5 and 2.7 % within a side, one after the other, make 5 % between them at most.

    Values that rise steadily from the first to the last of either side show all that a steady drift did.
    """
    places = np.arange(12.0)
    still = one_pair(np.array([672.0, 678, 675, 682, 674, 680]), np.array([365.0, 375, 368, 372, 366, 370]))
    assert float(most_drift(still, places[:6], places[6:])[0]) == pytest.approx(
        (math.log(682 / 672) + math.log(375 / 365)) * 6 / 5
    )
    rising = np.exp(0.01 * places)
    assert most_drift(one_pair(rising[:6], rising[6:]), places[:6], places[6:])[0] == pytest.approx(2 * 0.01 * 6)
    assert most_drift(one_pair(rising[:1], rising[6:]), places[:1], places[6:])[0] == math.inf


def test_runs_of_the_same_code_are_seldom_beyond_their_spread() -> None:
    """Student's t of a difference of two runs; of families of 20 equal rows one in 20 has a row beyond, if at all."""
    bound = stats.t.ppf(0.975, 29) * math.sqrt(2) * 0.03
    assert beyond_spread([0.999 * bound, 1.001 * bound], [0.03, math.nan], [30, 0], 0.05).tolist() == [False, False]
    assert beyond_spread([1.001 * bound], [0.03], [30], 0.05).tolist() == [True]
    random = np.random.default_rng(1)
    families, found = 400, 0
    for _ in range(families):
        noise = random.normal(0, 0.03, (20, 30)).std(axis=1, ddof=1)
        logs = random.normal(0, 0.03 * math.sqrt(2), 20)
        found += beyond_spread(logs, noise, np.full(20, 30), 0.05).any()
    assert stats.binomtest(int(found), families, 0.05, alternative="greater").pvalue > 0.01
