"""A test that is looked at after every round: known values, its promises under peeking, and what it forecasts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from benchlib.errors import DataError
from benchlib.statistics.interleaving import rounds_in_turn
from benchlib.statistics.sequential import e_value, judge_rounds


@pytest.mark.parametrize(("n", "t"), [(2, 1.0), (5, 0.0), (5, 3.0), (12, -4.0)])
def test_the_e_value_is_the_ratio_of_likelihoods_of_t(n: int, t: float) -> None:
    """Noncentral t, its effect a standard normal number of deviations, over central t: by numerical integration."""
    mixed = integrate.quad(
        lambda effect: stats.norm.pdf(effect) * stats.nct.pdf(t, n - 1, math.sqrt(n) * effect), -8, 8, limit=200
    )[0]
    assert e_value(n, t**2) == pytest.approx(mixed / stats.t.pdf(t, n - 1), rel=1e-6)


def test_the_interval_is_where_the_evidence_is_below_its_level() -> None:
    """At either end of a 95 % interval the evidence against the ratio is 20."""
    logs = np.random.default_rng(1).normal(0.1, 0.03, 9)
    judged = judge_rounds([logs])
    for end in (judged.low[0], judged.high[0]):
        t = (logs.mean() - end) / (logs.std(ddof=1) / 3)
        assert e_value(9, t**2) == pytest.approx(20, rel=1e-9)


def test_no_change_of_a_tenth_is_told_before_five_rounds_and_every_one_at_five() -> None:
    """Three rounds that agree to the last digit are worth a bet of 4 to 1; five of 36 to 1."""
    rows = [[0.1] * n for n in range(1, 6)]
    each = [judge_rounds([row]) for row in rows]
    assert [bool(judged.changed[0]) for judged in each] == [False, False, False, False, True]
    assert [judged.more[0] for judged in each] == [4, 3, 2, 1, 0]


def test_counts_that_do_not_change_are_unchanged_and_zeros_that_appear_are_changed() -> None:
    """0 to 1 allocations has no ratio, and is a change; now and then is not decided."""
    judged = judge_rounds([[0.0] * 8, [math.inf] * 8, [0.0, math.inf] * 4, []])
    assert judged.unchanged.tolist() == [True, False, False, False]
    assert judged.changed.tolist() == [False, True, False, False]


def test_a_change_at_the_limit_is_neither() -> None:
    """Known to be 2 % in every round, the smallest that matters: no rounds decide it."""
    judged = judge_rounds([[math.log(1.02)] * 20])
    assert not (judged.changed | judged.unchanged).any()
    assert judged.more[0] == math.inf


def test_more_rows_ask_more_of_one_of_them() -> None:
    """e-BH: one of a hundred needs an e-value of 2,000; where all changed, 20 does."""
    logs = [0.1, 0.11, 0.09, 0.1, 0.11]
    quiet = [0.01, -0.01, 0.02, -0.02, 0.0]
    assert judge_rounds([logs]).changed.tolist() == [True]
    assert not judge_rounds([logs] + 99 * [quiet]).changed.any()
    assert judge_rounds(100 * [logs]).changed.all()


#: After how many rounds somebody looks.
LOOKS = (2, 3, 4, 5, 6, 8, 10, 14, 20, 30)


@pytest.mark.parametrize("rows", [1, 20])
@pytest.mark.parametrize("modes", [False, True])
def test_nobody_who_looks_after_each_round_is_fooled(rows: int, modes: bool) -> None:
    """No change at all, ten looks: a row is called changed in at most 5 % of 100 recordings (3 standard errors).

    A test for one look alone is wrong in 20 % of so many looks: 1 time in 80 it would pass here.
    """
    random = np.random.default_rng(3)
    wrong = 0
    for _ in range(100):
        sides = random.normal(0, 0.01, (2, rows, 30)) + 0.1 * modes * random.integers(0, 2, (2, rows, 30))
        logs = sides[1] - sides[0]
        wrong += any(judge_rounds(list(logs[:, :n]), min_effect=0).changed.any() for n in LOOKS)
    assert wrong / 100 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 100)


def test_the_forecast_is_about_what_it_takes() -> None:
    """5 % slower at 1 %: after 4 rounds it says how many more, and the median of what it takes is within two rounds."""
    random = np.random.default_rng(4)
    said, taken = [], []
    for _ in range(100):
        logs = random.normal(math.log(1.05), 0.014, 60)
        said.append(4 + judge_rounds([logs[:4]]).more[0])
        taken.append(next(n for n in range(2, 61) if judge_rounds([logs[:n]]).changed[0]))
    assert np.median(said) == pytest.approx(np.median(taken), abs=2)


@pytest.mark.parametrize(("level", "effect"), [(0.0, 0.02), (0.05, 1.0)])
def test_levels_and_effects_that_are_none_are_refused(level: float, effect: float) -> None:
    """As everywhere."""
    with pytest.raises(DataError):
        judge_rounds([[0.1]], significance_level=level, min_effect=effect)


def test_rounds_are_found_from_the_order_alone() -> None:
    """A B, B A, A B; a value that has no neighbour of the other side is in no round."""
    first, second = rounds_in_turn([0, 3, 4], [1, 2, 5])
    assert (first.tolist(), second.tolist()) == ([0, 1, 2], [0, 1, 2])
    # The second round lost its B; in the fourth the A has come and the B has not.
    first, second = rounds_in_turn([0, 3, 4, 6], [1, 5])
    assert (first.tolist(), second.tolist()) == ([0, 2], [0, 1])
    assert rounds_in_turn([], [1])[0].size == 0
