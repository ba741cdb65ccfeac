"""Verdicts over many rows: what is one family, what is picked out, and what an interval has to clear."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.statistics.judging import BETTER, WORSE, Judgement, judge, verdicts_of
from benchlib.statistics.pairs import Pairs

STEPS = np.array([0.98, 0.99, 0.995, 1.0, 1.002, 1.005, 1.01, 1.02])


def pairs_of(*rows: tuple[object, object]) -> Pairs:
    """Rows of baseline and candidate."""
    old, new = ([np.asarray(row[side], dtype=np.float64) for row in rows] for side in (0, 1))
    return Pairs(
        baseline=np.concatenate(old),
        baseline_starts=np.cumsum([0, *map(len, old)]),
        candidate=np.concatenate(new),
        candidate_starts=np.cumsum([0, *map(len, new)]),
    )


def test_direction_comes_from_the_metric() -> None:
    """Twice as much is worse where lower is better, better where higher is, and nothing where neither is."""
    pairs = pairs_of(*[(STEPS, 2 * STEPS)] * 3)
    assert verdicts_of(judge(pairs, better=[-1, 1, 0])) == ("worse", "better", "cannot tell")


def test_the_same_needs_evidence() -> None:
    """Within 2 % by its interval is the same; an interval that reaches further says nothing."""
    pairs = pairs_of((STEPS, STEPS), (STEPS**4, STEPS**4))
    assert verdicts_of(judge(pairs, better=-1)) == ("same", "cannot tell")
    assert verdicts_of(judge(pairs, better=-1, min_effect=0.2)) == ("same", "same")


def test_rows_that_cannot_differ_are_no_tests() -> None:
    """A hundred rows of equal counts and three values each take nothing from the one that can differ."""
    alone = judge(pairs_of((STEPS, 1.1 * STEPS)), better=-1)
    idle = [([7.0] * 8, [7.0] * 8)] * 50 + [([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])] * 50
    among = judge(pairs_of((STEPS, 1.1 * STEPS), *idle), better=-1)
    assert among.adjusted_pvalue[0] == alone.adjusted_pvalue[0] == alone.statistics.pvalue[0]
    assert among.tested.sum() == 1
    assert np.isnan(among.adjusted_pvalue[1:]).all()


def test_rows_left_out_are_no_tests() -> None:
    """A control is measured and not judged."""
    found = judge(pairs_of(*[(STEPS, 2 * STEPS)] * 2), better=-1, left_out=[False, True])
    assert verdicts_of(found) == ("worse", "cannot tell")
    assert math.isnan(found.adjusted_pvalue[1])


def test_rows_picked_out_have_wider_intervals() -> None:
    """One of twenty picked: its interval is at 1 - 0.05 / 20 (Benjamini and Yekutieli 2005); the others' at 95 %."""
    same = [(STEPS, STEPS[::-1])] * 19
    found = judge(pairs_of((STEPS, 1.5 * STEPS), *same), better=-1)
    assert found.level[0] == pytest.approx(1 - 0.05 / 20)
    assert set(found.level[1:]) == {0.95}
    alone = judge(pairs_of((STEPS, 1.5 * STEPS)), better=-1)
    assert found.ratio_low[0] < alone.ratio_low[0] < alone.ratio_high[0] < found.ratio_high[0]


def test_one_of_many_is_adjusted_away() -> None:
    """p of 0.03 by itself is a verdict; among forty rows that stand still it is none."""
    old = [100.0, 101, 102, 103, 104, 105]
    new = [103.4, 104.6, 105.5, 106, 107, 108]
    alone = judge(pairs_of((old, new)), better=-1, min_effect=0.0)
    among = judge(pairs_of((old, new), *[(old, old[::-1])] * 40), better=-1, min_effect=0.0)
    assert alone.statistics.pvalue[0] == among.statistics.pvalue[0] < 0.05
    assert (alone.verdict[0], among.verdict[0]) == (WORSE, 0)
    assert among.adjusted_pvalue[0] > 0.05


def test_a_change_has_to_clear_what_matters() -> None:
    """5 % beyond doubt: worse where 2 % matters, nothing where 10 % does."""
    pairs = pairs_of((STEPS, 1.08 * STEPS))
    assert verdicts_of(judge(pairs, better=-1, min_effect=0.02)) == ("worse",)
    assert verdicts_of(judge(pairs, better=-1, min_effect=0.08)) == ("cannot tell",)


def test_from_nothing_there_is_no_ratio_but_a_verdict() -> None:
    """0 allocations against 1: decided on the difference."""
    found = judge(pairs_of(([0.0] * 6, [1.0] * 6)), better=-1)
    assert verdicts_of(found) == ("worse",)
    assert math.isnan(found.ratio[0])
    assert (found.difference[0], found.difference_low[0], found.difference_high[0]) == (1, 1, 1)


def same(one: Judgement, other: Judgement) -> bool:
    """Whether two judgements say the same of every row."""
    return bool((one.verdict == other.verdict).all()) and bool(
        np.allclose(one.ratio_low, other.ratio_low) and np.allclose(one.adjusted_pvalue, other.adjusted_pvalue)
    )


def test_units_do_not_matter() -> None:
    """Nanoseconds or seconds: the same verdicts, ratios and p values."""
    draw = np.random.default_rng(5)
    rows = [(draw.lognormal(0, 0.05, 8), draw.lognormal(0.01 * place, 0.05, 8)) for place in range(12)]
    scaled = [(1e-9 * old, 1e-9 * new) for old, new in rows]
    assert same(judge(pairs_of(*rows), better=-1), judge(pairs_of(*scaled), better=-1))


def test_swapped_sides_swap_better_and_worse() -> None:
    """Whatever one way is better is worse the other way."""
    draw = np.random.default_rng(6)
    rows = [(draw.lognormal(0, 0.02, 10), draw.lognormal(sign * 0.15, 0.02, 10)) for sign in (-1, 1, 1, -1)]
    forth = judge(pairs_of(*rows), better=-1).verdict
    back = judge(pairs_of(*[(new, old) for old, new in rows]), better=-1).verdict
    assert forth.tolist() == [BETTER, WORSE, WORSE, BETTER]
    assert back.tolist() == [WORSE, BETTER, BETTER, WORSE]


def test_the_order_of_rows_does_not_matter() -> None:
    """Each row keeps its verdict wherever it stands."""
    draw = np.random.default_rng(7)
    rows = [(draw.lognormal(0, 0.03, 9), draw.lognormal(0.02 * place, 0.03, 9)) for place in range(10)]
    forth = judge(pairs_of(*rows), better=-1).verdict
    assert judge(pairs_of(*rows[::-1]), better=-1).verdict.tolist() == forth.tolist()[::-1]


def test_no_rows_are_no_verdicts() -> None:
    """Nothing asked, nothing said."""
    none = np.empty(0)
    start = np.zeros(1, dtype=np.intp)
    found = judge(Pairs(baseline=none, baseline_starts=start, candidate=none, candidate_starts=start), better=-1)
    assert verdicts_of(found) == ()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"min_effect": 2.0}, "the smallest effect 2.0 is not from 0 to below 1; write 2 % as 0.02"),
        ({"significance_level": 0.0}, "significance level 0.0 is not between 0 and 1; write 5 % as 0.05"),
        ({"confidence_level": 95}, "confidence level 95 is not between 0 and 1; write 95 % as 0.95"),
    ],
)
def test_levels_outside_their_range_are_refused(asked: dict[str, float], message: str) -> None:
    """In one line that says how to write it."""
    with pytest.raises(DataError) as caught:
        judge(pairs_of((STEPS, STEPS)), better=-1, **asked)
    assert str(caught.value) == message


@pytest.mark.parametrize("noise", ["smooth", "ties"])
def test_equal_sides_seldom_have_a_verdict(noise: str) -> None:
    """400 A/A comparisons of 100 rows: at most 5 % hold any better or worse, give or take (benchmarks: 2,000)."""
    draw = np.random.default_rng(11)
    alarms = 0
    for _ in range(400):
        values = np.exp(0.03 * draw.standard_normal((2, 100, 10)))
        if noise == "ties":
            values = np.round(40 * values)
        starts = np.arange(101) * 10
        pairs = Pairs(
            baseline=values[0].ravel(), baseline_starts=starts, candidate=values[1].ravel(), candidate_starts=starts
        )
        alarms += bool(np.isin(judge(pairs, better=-1, min_effect=0.0).verdict, (BETTER, WORSE)).any())
    # 20 expected; 34 is three standard errors above.
    assert alarms <= 34


def test_many_changes_too_small_to_matter_are_no_verdicts() -> None:
    """A hundred quiet rows, all 1.9 % slower where 2 % matters: at most 5 % of comparisons call one worse."""
    draw = np.random.default_rng(12)
    starts = np.arange(101) * 10
    alarms = 0
    for _ in range(200):
        old, new = np.exp(0.01 * draw.standard_normal((2, 100, 10)))
        pairs = Pairs(
            baseline=old.ravel(), baseline_starts=starts, candidate=1.019 * new.ravel(), candidate_starts=starts
        )
        alarms += bool((judge(pairs, better=-1).verdict == WORSE).any())
    # 10 expected at the bound; 20 is three standard errors above. Before, 78 of 100 held one.
    assert alarms <= 20
