"""Trends within a recording, and rows that all move one way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from benchlib.errors import DataError
from benchlib.statistics.drift import RunTrends, sign_imbalance, within_run_trends


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


@pytest.mark.parametrize("rounds", [1500, pytest.param(20_000, marks=pytest.mark.heavy)])
@pytest.mark.parametrize(("rows", "n"), [(5, 6), (26, 6), (40, 10)])
def test_samples_without_a_trend_together(rows: int, n: int, rounds: int) -> None:
    """Of sides that only scatter, at most as many as the level says have a combined p value below it."""
    random = np.random.default_rng(rows + n)
    starts = np.arange(0, rows * n + 1, n)
    found = [within_run_trends(np.exp(random.normal(0, 0.1, rows * n)), starts).combined_pvalue for _ in range(rounds)]
    for level in (0.01, 0.05):
        assert float(np.mean(np.array(found) <= level)) <= level + 3 * math.sqrt(level * (1 - level) / rounds)


def test_a_slow_rise_that_no_sample_shows_is_seen_in_all() -> None:
    """Of 40 benchmarks that rise by 5 % over 6 values with 5 % scatter few are significant, together they are."""
    random = np.random.default_rng(7)
    values = np.exp(random.normal(0, 0.05, (40, 6)) + 0.05 * np.linspace(0, 1, 6))
    found = within_run_trends(values.ravel(), np.arange(0, 241, 6))
    assert float((found.pvalue <= 0.05).mean()) < 0.3
    assert found.combined_pvalue < 0.001
    assert float(np.median(found.change)) == pytest.approx(0.05, abs=0.02)


@pytest.mark.parametrize("starts", [[], [1, 3], [0, 2], [0, 4], [0, 3, 2, 3]])
def test_starts_that_lead_nowhere_are_refused(starts: list[int]) -> None:
    """Starts begin with 0, do not go back, and end with the number of values."""
    with pytest.raises(DataError) as raised:
        within_run_trends([1.0, 2.0, 3.0], starts)
    assert str(raised.value) == (
        "the starts of samples do not lead through 3 values; begin with 0, end with their number"
    )


def test_values_that_are_no_measurements_are_refused() -> None:
    """NaN and infinity have no place in an order."""
    with pytest.raises(DataError) as raised:
        within_run_trends([1.0, math.nan, math.inf], [0, 3])
    assert str(raised.value) == "2 of 3 values are not finite; leave such rows out, they are no measurements"


def test_signs_known_answer() -> None:
    """The binomial test of ups against downs, over rows that differ; others count as testable only."""
    logs = [0.5] * 13 + [-0.5] * 3 + [0.1, -0.1, 0.0, math.nan, math.inf]
    pvalues = [0.01] * 16 + [0.2, math.nan, 0.01, 0.01, 0.01]
    found = sign_imbalance(logs, pvalues, [True] * 21)
    assert (found.up, found.down, found.testable) == (13, 3, 18)
    assert found.pvalue == pytest.approx(stats.binomtest(13, 16).pvalue, rel=1e-12)
    assert not found.alike


@pytest.mark.parametrize(("up", "alike"), [(7, False), (8, True)])
def test_eight_of_eight_are_alike(up: int, alike: bool) -> None:
    """2 / 2^8 is the first chance below 0.01."""
    assert sign_imbalance([0.1] * up, [0.01] * up, [True] * up).alike is alike


def test_a_p_value_at_the_level_differs() -> None:
    """As for verdicts: at most the level."""
    assert sign_imbalance([0.1], [0.05], [True], 0.05).up == 1
    assert sign_imbalance([0.1], [0.051], [True], 0.05).up == 0


def test_a_minority_that_moves_one_way_is_a_change() -> None:
    """20 of 41 testable rows are less than half: code can do that. Rows that could not differ do not count."""
    logs, pvalues = [0.1] * 41, [0.01] * 20 + [0.5] * 21
    assert not sign_imbalance(logs, pvalues, [True] * 41).alike
    assert sign_imbalance(logs, pvalues, [True] * 40 + [False]).alike


def test_no_row_that_differs() -> None:
    """Nothing differs, nothing is said."""
    found = sign_imbalance([0.1, -0.1], [0.5, 0.5], [True, True])
    assert (found.up, found.down, found.pvalue, found.alike) == (0, 0, 1.0, False)


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
