"""What so many values could have shown: the changes stated are found about as often as stated."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from benchlib.statistics.detection import MOST_VALUES, detectable_changes, values_to_decide
from benchlib.statistics.pairs import Pairs, compare_pairs, ratio_intervals

SPREAD = 0.03


def pairs_of(old: NDArray[np.float64], new: NDArray[np.float64]) -> Pairs:
    """Rows of two matrices."""
    starts = [np.arange(len(old) + 1) * one.shape[1] for one in (old, new)]
    return Pairs(baseline=old.ravel(), baseline_starts=starts[0], candidate=new.ravel(), candidate_starts=starts[1])


def exactly(spread: float, n: int) -> NDArray[np.float64]:
    """One row whose logarithms have this standard deviation."""
    steps = np.linspace(-1, 1, n)
    return np.exp(spread * steps / steps.std(ddof=1))[None]


def found_share(n: int, min_effect: float, runs: int, seed: int) -> float:
    """In how many runs a change of the size stated for the true spread is found."""
    draw = np.random.default_rng(seed)
    one = exactly(SPREAD, n)
    change = 1 + float(detectable_changes(pairs_of(one, one), 0.05, min_effect)[0])
    old, new = (np.exp(SPREAD * draw.standard_normal((runs, n))) for _ in range(2))
    pairs = pairs_of(old, change * new)
    _, low, _ = ratio_intervals(pairs, 0.95)
    return float(((compare_pairs(pairs, 0.95).pvalue <= 0.05) & (low > 1 + min_effect)).mean())


@pytest.mark.parametrize("min_effect", [0.0, 0.02])
@pytest.mark.parametrize("n", [6, 10, 20])
def test_a_detectable_change_is_found_in_four_runs_of_five(n: int, min_effect: float) -> None:
    """Within 7 of 100; 1,500 runs know a share to 3 of 100."""
    assert 0.73 <= found_share(n, min_effect, 1500, seed=n) <= 0.87


@pytest.mark.heavy
@pytest.mark.parametrize("n", [4, 5, 8, 15, 40])
def test_a_detectable_change_is_found_in_four_runs_of_five_at_other_sizes(n: int) -> None:
    """At 4 and 5 values the coarse steps of the test cost some: two of three, seven of ten."""
    assert {4: 0.62, 5: 0.67}.get(n, 0.74) <= found_share(n, 0.0, 10_000, seed=n) <= 0.84


def test_too_few_values_can_show_nothing() -> None:
    """3 against 3 never reach 5 %, however quiet they are; 1 against 1 tell no spread either."""
    three, one = exactly(1e-9, 3), np.ones((1, 1))
    assert detectable_changes(pairs_of(three, three), 0.05, 0.02)[0] == math.inf
    assert detectable_changes(pairs_of(one, one), 0.05, 0.02)[0] == math.inf
    assert detectable_changes(pairs_of(three, three), 0.1, 0.0)[0] == pytest.approx(0, abs=1e-6)


def test_more_noise_and_a_wider_margin_hide_more() -> None:
    """Twice the spread, twice the change above the margin (on logarithms)."""
    quiet, loud = exactly(0.01, 10), exactly(0.02, 10)
    seen = [math.log1p(detectable_changes(pairs_of(one, one), 0.05, 0.0)[0]) for one in (quiet, loud)]
    assert seen[1] == pytest.approx(2 * seen[0])
    with_margin = math.log1p(detectable_changes(pairs_of(quiet, quiet), 0.05, 0.05)[0])
    assert with_margin == pytest.approx(seen[0] + math.log(1.05))


def test_rows_answer_for_themselves() -> None:
    """Sizes and spreads may differ from row to row; none repeats, none is positive: NaN."""
    pairs = Pairs(
        baseline=np.array([1.0, 1.1, 0.9, 1.0, 5.0, 0.0, 1.0, 2.0, 1.0, 2.0]),
        baseline_starts=np.array([0, 4, 5, 10]),
        candidate=np.array([1.0, 1.1, 0.9, 1.0, 6.0, 0.0, 1.0, 2.0, 1.0, 2.0]),
        candidate_starts=np.array([0, 4, 5, 10]),
    )
    found = detectable_changes(pairs, 0.05, 0.02)
    assert 0.1 < found[0] < 0.4
    assert found[1] == math.inf
    assert math.isnan(found[2])
    assert np.isnan(values_to_decide(pairs, np.array([1.0, 1.2, 1.0]), 0.05, 0.02)[1:]).all()


def test_more_values_make_the_change_that_was_seen_detectable() -> None:
    """With as many more as stated it is; with one fewer it is not."""
    n, seen = 6, 1.05
    one = exactly(SPREAD, n)
    (more,) = values_to_decide(pairs_of(one, seen * one), np.array([seen]), 0.05, 0.02).tolist()
    larger, smaller = (
        float(detectable_changes(pairs_of(exactly(SPREAD, size), exactly(SPREAD, size)), 0.05, 0.02)[0])
        for size in (n + int(more), n + int(more) - 1)
    )
    assert larger <= seen - 1 < smaller


def test_a_change_too_small_to_matter_needs_an_interval_within_the_margin() -> None:
    """Nothing seen at all: as many as for a change of twice the margin."""
    one = exactly(SPREAD, 6)
    still, twice = (values_to_decide(pairs_of(one, one), np.array([ratio]), 0.05, 0.02)[0] for ratio in (1.0, 1.02**2))
    assert still == twice > 10


def test_beyond_reach_more_of_the_same_is_not_advised() -> None:
    """30 % noise and a change of half a percent: repeats do not decide that."""
    one = exactly(0.3, 6)
    (more,) = values_to_decide(pairs_of(one, 1.005 * one), np.array([1.005]), 0.05, 0.0).tolist()
    assert math.isnan(more)
    assert MOST_VALUES == 200


def test_units_do_not_matter() -> None:
    """Shares and counts are the same in nanoseconds."""
    draw = np.random.default_rng(3)
    old, new = np.exp(0.02 * draw.standard_normal((2, 5, 8)))
    ratios = np.median(new, axis=1) / np.median(old, axis=1)
    large, small = pairs_of(old, new), pairs_of(1e-9 * old, 1e-9 * new)
    assert np.allclose(detectable_changes(large, 0.05, 0.02), detectable_changes(small, 0.05, 0.02))
    more = values_to_decide(large, ratios, 0.05, 0.02)
    assert np.isfinite(more).all()
    assert more.tolist() == values_to_decide(small, ratios, 0.05, 0.02).tolist()


def test_no_rows_ask_nothing() -> None:
    """And are answered with nothing."""
    none, start = np.empty(0), np.zeros(1, dtype=np.intp)
    pairs = Pairs(baseline=none, baseline_starts=start, candidate=none, candidate_starts=start)
    assert detectable_changes(pairs, 0.05, 0.02).size == 0
    assert values_to_decide(pairs, none, 0.05, 0.02).size == 0
