"""Verdicts over many rows: what is one family, what is picked out, and what an interval has to clear."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from benchlib.errors import DataError
from benchlib.statistics.compare import Pairs, Verdict
from benchlib.statistics.verdicts import (
    BETTER,
    VERDICTS,
    WORSE,
    Judgement,
    benjamini_hochberg,
    judge,
)

STEPS = np.array([0.98, 0.99, 0.995, 1.0, 1.002, 1.005, 1.01, 1.02])
NOISES: dict[str, Callable[[np.random.Generator], NDArray[np.float64]]] = {
    "smooth": lambda draw: np.exp(0.03 * draw.standard_normal((2, 100, 10))),
    "ties": lambda draw: np.round(40 * np.exp(0.03 * draw.standard_normal((2, 100, 10)))),
    "skewed": lambda draw: np.exp(0.02 * draw.standard_exponential((2, 100, 10))),
    "two modes": lambda draw: np.exp(
        0.01 * draw.standard_normal((2, 100, 10)) + 0.05 * (draw.random((2, 100, 10)) < 0.3)
    ),
}


def verdicts_of(judgement: Judgement) -> tuple[Verdict, ...]:
    """Return the verdicts in words."""
    return tuple(VERDICTS[code] for code in judgement.verdict.tolist())


def pairs_of(*rows: tuple[object, object]) -> Pairs:
    """Rows of baseline and candidate."""
    old, new = ([np.asarray(row[side], dtype=np.float64) for row in rows] for side in (0, 1))
    return Pairs(
        baseline=np.concatenate(old),
        baseline_starts=np.cumsum([0, *map(len, old)]),
        candidate=np.concatenate(new),
        candidate_starts=np.cumsum([0, *map(len, new)]),
    )


@pytest.mark.parametrize(
    ("old", "new", "better", "min_effect", "verdict"),
    [
        # The direction comes from the metric.
        (STEPS, 2 * STEPS, -1, 0.02, "worse"),
        (STEPS, 2 * STEPS, 1, 0.02, "better"),
        (STEPS, 2 * STEPS, 0, 0.02, "cannot tell"),
        # Within what matters by its interval is the same; an interval that reaches further says nothing.
        (STEPS, STEPS, -1, 0.02, "same"),
        (STEPS**4, STEPS**4, -1, 0.02, "cannot tell"),
        (STEPS**4, STEPS**4, -1, 0.2, "same"),
        # With every change counted, an interval within 1 % is still the same.
        (STEPS**0.2, STEPS**0.2, -1, 0.0, "same"),
        (STEPS, STEPS, -1, 0.0, "cannot tell"),
        # 8 % beyond doubt: worse where 2 % matters, nothing where 8 % does.
        (STEPS, 1.08 * STEPS, -1, 0.02, "worse"),
        (STEPS, 1.08 * STEPS, -1, 0.08, "cannot tell"),
        # Of what has no logarithm the difference decides, beside the size of the baseline; from nothing, any does.
        (-STEPS, -2 * STEPS, -1, 0.02, "better"),
        (-STEPS, -0.99 * STEPS, -1, 0.02, "cannot tell"),
        (0 * STEPS, 0 * STEPS + 1, -1, 0.02, "worse"),
    ],
)
def test_verdicts(old: object, new: object, better: int, min_effect: float, verdict: str) -> None:
    """Of one row, and the same of each of three."""
    pairs = pairs_of(*[(old, new)] * 3)
    assert verdicts_of(judge(pairs, better=better, min_effect=min_effect)) == (verdict,) * 3
    assert verdicts_of(judge(pairs, better=[-better, better, 0], min_effect=min_effect))[1] == verdict


def test_rows_that_cannot_differ_are_no_tests() -> None:
    """A hundred rows of equal counts and three values each take nothing from the one that can differ."""
    alone = judge(pairs_of((STEPS, 1.1 * STEPS)), better=-1)
    idle = [([7.0] * 8, [7.0] * 8)] * 50 + [([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])] * 50
    among = judge(pairs_of((STEPS, 1.1 * STEPS), *idle), better=-1)
    assert among.adjusted_pvalue[0] == alone.adjusted_pvalue[0] <= 0.05
    assert among.tested.sum() == 1
    assert np.isnan(among.adjusted_pvalue[1:]).all()


def test_rows_left_out_are_no_tests() -> None:
    """A control is measured and not judged."""
    found = judge(pairs_of(*[(STEPS, 2 * STEPS)] * 2), better=-1, left_out=[False, True])
    assert verdicts_of(found) == ("worse", "cannot tell")
    assert math.isnan(found.adjusted_pvalue[1])


@pytest.mark.parametrize("n", [5, 6])
@pytest.mark.parametrize("rows", [10, 30, 200, 1000])
def test_ten_times_the_time_is_seen_among_any_number_of_rows(rows: int, n: int) -> None:
    """The smallest p value of 5 against 5 is 0.008: Benjamini and Hochberg over 30 rows by itself never rejected."""
    old, new = np.exp(0.02 * np.random.default_rng(rows + n).standard_normal((2, rows, n)))
    new[0] *= 10
    found = judge(pairs_of(*zip(old, new, strict=True)), better=-1)
    assert found.verdict[0] == WORSE
    assert (found.verdict[1:] == BETTER).sum() + (found.verdict[1:] == WORSE).sum() <= 1


@pytest.mark.parametrize("rows", [1, 10])
def test_one_far_value_hides_no_change(rows: int) -> None:
    """99 to 101 with one of 1,000 against 129 to 131, 20 values a side: the ranks part wholly but for one."""
    old, new = np.random.default_rng(rows).uniform(99, 101, (2, rows, 20))
    new[0] += 30
    old[0, 3] = 1000
    found = judge(pairs_of(*zip(old, new, strict=True)), better=-1)
    assert found.verdict[0] == WORSE
    assert not np.isin(found.verdict[1:], (BETTER, WORSE)).any()


def test_rows_that_agree_on_their_noise_find_more() -> None:
    """5 % more on 10 of 200 rows, 10 values, noise 3 %: 65 of 100 differ, and 2 % more at least in half of them."""
    draw, differing, worse, false = np.random.default_rng(5), 0.0, 0.0, 0
    for _ in range(20):
        old, new = np.exp(0.03 * draw.standard_normal((2, 200, 10)))
        new[:10] *= 1.05
        found = judge(pairs_of(*zip(old, new, strict=True)), better=-1)
        differing += found.differs[:10].mean() / 20
        worse += (found.verdict[:10] == WORSE).mean() / 20
        false += int(found.differs[10:].sum())
    assert differing > 0.55
    assert worse > 0.4
    assert false <= 0.1 * 200 * differing


@pytest.mark.parametrize(
    ("old", "new", "counted", "verdict"),
    [
        ([612] * 3, [781] * 3, True, "worse"),
        ([781] * 3, [612] * 4, True, "better"),
        ([612] * 3, [612] * 3, True, "same"),
        ([612] * 3, [613] * 3, True, "same"),
        ([0] * 3, [1] * 3, True, "worse"),
        # Two could be chance, and a time that is equal so often is a coarse clock.
        ([612] * 2, [781] * 2, True, "cannot tell"),
        ([612] * 3, [781] * 3, False, "cannot tell"),
        ([612, 612, 613], [781] * 3, True, "cannot tell"),
    ],
)
def test_what_counts_alike_in_every_run_is_compared_as_it_is(
    old: list[int], new: list[int], counted: bool, verdict: str
) -> None:
    """No test and no interval: the ratio is what it is, and takes nothing from the rows that are tested."""
    pairs = pairs_of((old, new), (STEPS, 1.1 * STEPS))
    found = judge(pairs, better=-1, counted=[counted, False])
    assert verdicts_of(found) == (verdict, "worse")
    assert found.adjusted_pvalue[1] == judge(pairs_of((STEPS, 1.1 * STEPS)), better=-1).adjusted_pvalue[0]
    if verdict != "cannot tell" and old[0]:
        assert found.ratio_low[0] == found.ratio[0] == found.ratio_high[0] == new[0] / old[0]


def test_one_of_many_is_adjusted_away() -> None:
    """p of 0.03 by itself is a verdict; among forty rows that stand still it is none."""
    old = [100.0, 101, 102, 103, 104, 105]
    new = [102.9, 104.0, 105.1, 105.9, 107.0, 108.1]
    alone = judge(pairs_of((old, new)), better=-1, min_effect=0.0)
    among = judge(pairs_of((old, new), *[(old, old[::-1])] * 40), better=-1, min_effect=0.0)
    assert alone.statistics.pvalue[0] == among.statistics.pvalue[0] < 0.05
    assert (alone.verdict[0], among.verdict[0]) == (WORSE, 0)
    assert among.adjusted_pvalue[0] > 0.05


@pytest.mark.parametrize("confidence_level", [0.9, 0.95, 0.999])
def test_verdict_and_interval_never_disagree(confidence_level: float) -> None:
    """At any level: better and worse stand beside a ratio that matters and an interval clear of 1, same within it."""
    draw = np.random.default_rng(13)
    seen = set()
    for min_effect in (0.0, 0.02, 0.1):
        rows = [
            (draw.lognormal(0, 0.02, 10), draw.lognormal(draw.choice([0, 0.06, -0.2]), 0.02, 10)) for _ in range(90)
        ]
        rows += [(0.0005 * old + 1, 0.0005 * new + 1) for old, new in rows[:10]]
        found = judge(pairs_of(*rows), better=1, confidence_level=confidence_level, min_effect=min_effect)
        above = (found.ratio_low > 1) & (found.ratio > 1 + min_effect)
        below = (found.ratio_high < 1) & (found.ratio < 1 - min_effect)
        margin = max(min_effect, 0.01)
        inside = (found.ratio_low >= 1 - margin) & (found.ratio_high <= 1 + margin)
        verdicts = np.array(verdicts_of(found))
        assert above[verdicts == "better"].all()
        assert below[verdicts == "worse"].all()
        assert inside[verdicts == "same"].all()
        seen |= set(verdicts.tolist())
    assert seen == {"better", "worse", "same", "cannot tell"}


def test_from_nothing_there_is_no_ratio() -> None:
    """0 allocations against 1: told on the difference."""
    found = judge(pairs_of(([0.0] * 6, [1.0] * 6)), better=-1)
    assert math.isnan(found.ratio[0])
    assert (found.difference[0], found.difference_low[0], found.difference_high[0]) == (1, 1, 1)


def test_unequal_sides_with_ties_rest_on_both_tails() -> None:
    """8 against 4 with ties: benchstat prints p = 0.004, the chance is 0.06; no change is found in it."""
    old, new = [11.0, 11, 11, 11, 12, 12, 12, 12], [10.0, 10, 11, 11]
    found = judge(pairs_of((old, new)), better=-1, min_effect=0.0)
    assert found.statistics.pvalue[0] < 0.01
    assert found.statistics.two_sided_pvalue[0] > 0.05
    assert not found.differs.any()
    assert verdicts_of(found) == ("cannot tell",)


def test_a_row_that_differs_by_what_is_at_the_limit_is_no_verdict() -> None:
    """2.0 % more, known to 0.2 %: that it differs is sure, that it does by 2 % is not."""
    draw = np.random.default_rng(2)
    found = judge(pairs_of((draw.lognormal(0, 0.002, 20), draw.lognormal(math.log(1.02), 0.002, 20))), better=-1)
    assert found.differs.all()
    assert verdicts_of(found) == ("cannot tell",)
    assert 1.015 < found.ratio_low[0] < 1.02 < found.ratio_high[0] < 1.025


def test_a_level_that_rounding_takes_below_is_reached() -> None:
    """1 - 0.9 is a hair less than 0.1, the p value of 3 against 3 that do not overlap."""
    assert 1 - 0.9 < 0.1
    found = judge(pairs_of(([1.0, 2, 3], [7.0, 8, 9])), better=-1, significance_level=1 - 0.9, confidence_level=0.9)
    assert found.tested.all()
    assert verdicts_of(found) == ("worse",)


def test_units_order_and_sides() -> None:
    """Nanoseconds or seconds: the same; each row keeps its verdict wherever it stands; swapped sides swap them."""
    draw = np.random.default_rng(7)
    rows = [(draw.lognormal(0, 0.03, 9), draw.lognormal(0.03 * place - 0.12, 0.03, 9)) for place in range(10)]
    forth = judge(pairs_of(*rows), better=-1)
    scaled = judge(pairs_of(*[(1e-9 * old, 1e-9 * new) for old, new in rows]), better=-1)
    assert scaled.verdict.tolist() == forth.verdict.tolist()
    np.testing.assert_allclose(scaled.ratio_low, forth.ratio_low)
    np.testing.assert_allclose(scaled.adjusted_pvalue, forth.adjusted_pvalue)
    assert judge(pairs_of(*rows[::-1]), better=-1).verdict.tolist() == forth.verdict.tolist()[::-1]
    turned = {BETTER: WORSE, WORSE: BETTER}
    back = judge(pairs_of(*[(new, old) for old, new in rows]), better=-1).verdict.tolist()
    assert {BETTER, WORSE} <= set(back)
    assert [code for code in back if code in turned] == [
        turned[code] for code in forth.verdict.tolist() if code in turned
    ]


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


@pytest.mark.parametrize(("noise", "min_effect"), [*((noise, 0.0) for noise in NOISES), ("smooth", 0.02)])
@pytest.mark.parametrize("comparisons", [100, pytest.param(300, marks=pytest.mark.heavy)])
def test_equal_sides_seldom_have_a_verdict(noise: str, min_effect: float, comparisons: int) -> None:
    """A/A comparisons of 100 rows: at most 5 % hold any better or worse.

    What is seen may exceed 5 % by two standard errors of so many comparisons: 9.4 % of 100, 7.5 % of 300. A method
    that is wrong in 20 % passes 1 time in 400 with 100, and one that is wrong in 10 % 1 time in 15 with 300.
    """
    draw = np.random.default_rng(11)
    starts = np.arange(101) * 10
    alarms = 0
    for _ in range(comparisons):
        old, new = NOISES[noise](draw)
        pairs = Pairs(baseline=old.ravel(), baseline_starts=starts, candidate=new.ravel(), candidate_starts=starts)
        alarms += bool(np.isin(judge(pairs, better=-1, min_effect=min_effect).verdict, (BETTER, WORSE)).any())
    assert alarms / comparisons <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / comparisons)


def test_benjamini_and_hochberg() -> None:
    """The 15 p values of Benjamini and Hochberg 1995, section 3.2: 4 are below 0.05 (R's p.adjust).

    A row without a p value stays without one and does not make the others harder; no p value is above 1.
    """
    pvalues = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459,
               0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]  # fmt: skip
    adjusted = benjamini_hochberg(pvalues)
    assert int((adjusted <= 0.05).sum()) == 4
    assert adjusted[:4] == pytest.approx([0.0015, 0.003, 0.0095, 0.035625], rel=1e-12)
    assert benjamini_hochberg([0.9, 1.0, 0.95]).tolist() == [1.0, 1.0, 1.0]
    partly = benjamini_hochberg([0.04, math.nan, 0.02])
    assert math.isnan(partly[1])
    assert partly[[0, 2]].tolist() == benjamini_hochberg([0.04, 0.02]).tolist()
    for wrong in (-0.1, 1.1):
        with pytest.raises(DataError, match=str(wrong)):
            benjamini_hochberg([0.5, wrong])
