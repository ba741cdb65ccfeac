"""Many rows at once are what each row is alone."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray

from benchlib.errors import DataError
from benchlib.statistics.compare import (
    Pairs,
    PairStatistics,
    compare_pairs,
    difference_intervals,
    limits,
    one_pair,
    ratio_intervals,
)
from benchlib.statistics.estimates import point
from benchlib.statistics.samples import summarise

Rows = list[tuple[list[float], list[float]]]


def pairs_of(rows: Rows) -> Pairs:
    sides = list(zip(*rows, strict=True)) if rows else [(), ()]
    (old, old_starts), (new, new_starts) = (
        (
            np.array([value for row in side for value in row], dtype=np.float64),
            np.cumsum([0, *(len(row) for row in side)]),
        )
        for side in sides
    )
    return Pairs(baseline=old, baseline_starts=old_starts, candidate=new, candidate_starts=new_starts)


def columns(found: PairStatistics) -> dict[str, NDArray[Any]]:
    return {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}


def ragged(rows: int, seed: int) -> Rows:
    """Rows of 1 to 12 values: times, counts with many ties, zeros, and some that lie below 0."""
    random = np.random.default_rng(seed)
    found: Rows = []
    for row in range(rows):
        n1, n2 = random.integers(1, 13, 2)
        kind = row % 4
        if kind == 0:
            old, new = random.lognormal(size=n1), random.lognormal(0.3, size=n2)
        elif kind == 1:
            old, new = random.integers(1, 5, n1), random.integers(2, 6, n2)
        elif kind == 2:
            old, new = random.integers(0, 3, n1), random.integers(0, 3, n2)
        else:
            old, new = random.normal(size=n1), random.normal(size=n2)
        found.append(([float(one) for one in old], [float(one) for one in new]))
    return found


def test_a_batch_equals_its_rows_one_by_one() -> None:
    """Bit for bit, whatever sizes and levels stand beside a row."""
    rows = ragged(200, 1)
    pairs = pairs_of(rows)
    levels = np.random.default_rng(2).choice([0.9, 0.95, 0.99], len(rows))
    together = columns(compare_pairs(pairs, 0.95))
    ratios, differences = ratio_intervals(pairs, levels), difference_intervals(pairs, levels)
    for row, (old, new) in enumerate(rows):
        alone = one_pair(np.array(old), np.array(new))
        for name, column in columns(compare_pairs(alone, 0.95)).items():
            assert column.tolist() == [together[name][row]], (row, name)
        for many, one in ((ratios, ratio_intervals), (differences, difference_intervals)):
            for expected, column in zip(one(alone, levels[row]), many, strict=True):
                assert np.array_equal(expected, column[row : row + 1], equal_nan=True), row


def test_a_row_says_what_its_two_samples_say() -> None:
    """Medians and their intervals as of each sample alone, which benchstat's reference values are held against."""
    rows = ragged(80, 3)
    found = compare_pairs(pairs_of(rows), 0.95)
    ratio, low, high = ratio_intervals(pairs_of(rows), 0.95)
    for row, (old, new) in enumerate(rows):
        before, after = (summarise(side, unit="sec/op", ranked=True).median for side in (old, new))
        assert (found.baseline_n[row], found.candidate_n[row]) == (len(old), len(new))
        assert found.baseline_median[row] == before.value == np.median(old)
        assert (found.candidate_low[row], found.candidate_high[row]) == (after.low, after.high)
        assert not ratio[row] < low[row]
        assert not ratio[row] > high[row]


def test_what_two_samples_cannot_show_is_said() -> None:
    """3 against 3 never reach 5 %, and reach 10 % exactly; a median of 0 leaves no ratio."""
    before, after = (summarise(values, unit="allocs/op") for values in ([0.0] * 3, [1.0] * 3))
    nothing, twice = point(math.nan, "x", 6, "ratio"), point(2.0, "x", 6, "ratio")
    found = limits(nothing, 0.1, 0.95, before, after)
    assert [(one.code, one.message) for one in found] == [
        (
            "cannot-detect",
            "3 against 3 values cannot show any difference at 95 %: the smallest p value they can reach is 0.1",
        ),
        ("no-ratio", "the baseline's median is 0, so the change has no ratio"),
    ]
    assert limits(twice, 0.1, 0.9, before, after) == ()


def test_many_rows_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is laid out at once changes nothing."""
    pairs = pairs_of(ragged(60, 5))
    whole, ratios = columns(compare_pairs(pairs, 0.95)), ratio_intervals(pairs, 0.95)
    monkeypatch.setattr("benchlib.statistics.compare._DIFFERENCES", 1)
    for name, column in columns(compare_pairs(pairs, 0.95)).items():
        assert np.array_equal(column, whole[name]), name
    for one, other in zip(ratio_intervals(pairs, 0.95), ratios, strict=True):
        assert np.array_equal(one, other, equal_nan=True)


@settings(max_examples=10)
@given(some.integers(0, 10_000))
def test_order_of_rows_and_values_does_not_matter(seed: int) -> None:
    """Rows keep their answers when they change places, and samples when their values do."""
    rows = ragged(12, seed)
    random = np.random.default_rng(seed)
    order = random.permutation(len(rows))
    shuffled = pairs_of([tuple(random.permutation(side).tolist() for side in rows[row]) for row in order])  # type: ignore[misc]
    other = columns(compare_pairs(shuffled, 0.95))
    for name, column in columns(compare_pairs(pairs_of(rows), 0.95)).items():
        assert np.array_equal(other[name], column[order]), name


@settings(max_examples=10)
@given(some.integers(0, 10_000))
def test_swapped_sides_turn_the_answer_round(seed: int) -> None:
    """The p value that favours no side stays, the difference changes its sign, the ratio is one over itself."""
    rows = ragged(12, seed)
    forth, back = pairs_of(rows), pairs_of([(new, old) for old, new in rows])
    there, again = compare_pairs(forth, 0.95), compare_pairs(back, 0.95)
    assert there.two_sided_pvalue == pytest.approx(again.two_sided_pvalue, rel=1e-13)
    assert there.baseline_median.tolist() == again.candidate_median.tolist()
    assert there.constant.tolist() == again.constant.tolist()
    value, low, high = difference_intervals(forth, 0.95)
    assert [(-value).tolist(), (-high).tolist(), (-low).tolist()] == [
        one.tolist() for one in difference_intervals(back, 0.95)
    ]
    ratio, low, high = ratio_intervals(forth, 0.95)
    turned, turned_low, turned_high = ratio_intervals(back, 0.95)
    told = np.isfinite(low) & np.isfinite(turned_low) & (low > 0) & (turned_low > 0)
    assert 1 / turned[told] == pytest.approx(ratio[told])
    assert 1 / turned_high[told] == pytest.approx(low[told])
    assert 1 / turned_low[told] == pytest.approx(high[told])


@settings(max_examples=10)
@given(some.integers(0, 10_000))
def test_a_change_of_unit_leaves_p_and_ratio(seed: int) -> None:
    """Nanoseconds for seconds."""
    rows = ragged(12, seed)
    small = pairs_of([([one * 2.0**30 for one in old], [one * 2.0**30 for one in new]) for old, new in rows])
    before, after = compare_pairs(pairs_of(rows), 0.95), compare_pairs(small, 0.95)
    assert before.pvalue.tolist() == after.pvalue.tolist()
    assert (before.baseline_low * 2.0**30).tolist() == after.baseline_low.tolist()
    for one, other in zip(ratio_intervals(pairs_of(rows), 0.95), ratio_intervals(small, 0.95), strict=True):
        assert one == pytest.approx(other, rel=1e-12, nan_ok=True)


def test_every_value_twice_says_more() -> None:
    """The same medians and ratio; smaller p values and narrower intervals, as if all had been measured again."""
    random = np.random.default_rng(7)
    once = [(random.lognormal(size=8).tolist(), (3 * random.lognormal(size=8)).tolist()) for _ in range(10)]
    single, double = pairs_of(once), pairs_of([(2 * old, 2 * new) for old, new in once])
    one, two = compare_pairs(single, 0.95), compare_pairs(double, 0.95)
    assert one.baseline_median == pytest.approx(two.baseline_median)
    assert (two.pvalue < one.pvalue).all()
    narrow, wide = ratio_intervals(double, 0.95), ratio_intervals(single, 0.95)
    assert narrow[0] == pytest.approx(wide[0])
    assert (narrow[2] - narrow[1] < wide[2] - wide[1]).all()


def test_a_p_value_of_nothing_is_benchstats_alone() -> None:
    """6 against 1 with ties: benchstat prints p = 0 where the chance is 2 in 7; turned round it prints 0.286."""
    found = compare_pairs(pairs_of([([4, 2, 3, 4, 4, 2], [1]), ([1], [4, 2, 3, 4, 4, 2])]), 0.95)
    assert found.pvalue == pytest.approx([0, 2 / 7])
    assert found.two_sided_pvalue == pytest.approx([2 / 7, 2 / 7])


def test_p_values_of_unequal_sides_and_equal_ones() -> None:
    """Where n is equal or nothing is tied, there is but one p value."""
    random = np.random.default_rng(8)
    tied = [(random.integers(0, 5, 9).tolist(), random.integers(0, 6, 9).tolist()) for _ in range(40)]
    apart = [(random.normal(size=4).tolist(), random.normal(size=11).tolist()) for _ in range(40)]
    found = compare_pairs(pairs_of(tied + apart), 0.95)
    assert found.pvalue.tolist() == found.two_sided_pvalue.tolist()


def test_levels_are_each_rows_own() -> None:
    """A higher level widens one row and leaves the other; one that n cannot reach bounds nothing."""
    rows = [([1.0, 2, 3, 4, 5, 6], [2.0, 3, 4, 5, 6, 8])] * 3
    _, low, high = difference_intervals(pairs_of(rows), [0.8, 0.95, 0.9999])
    assert low[1] < low[0] <= high[0] < high[1]
    assert (low[2], high[2]) == (-math.inf, math.inf)


def test_an_interval_holds_the_change_of_the_medians() -> None:
    """The Hodges-Lehmann interval at 20 % lies at -8 to -4, the medians 3.5 apart: it is widened to them."""
    old, new = np.array([19.0, 16, 17, 28]), np.array([9.0, 24, 20, 1])
    assert [one.tolist() for one in difference_intervals(one_pair(old, new), 0.2)] == [[-3.5], [-8.0], [-3.5]]
    ratio, low, high = ratio_intervals(one_pair(np.exp(old), np.exp(new)), 0.2)
    assert low[0] < ratio[0] == high[0]


def test_zeros_and_values_below() -> None:
    """No ratio over a median of 0; below 0 a fall is less than 1; no interval without logarithms; differences stand."""
    rows: Rows = [
        ([0.0] * 6, [1.0] * 6),
        ([1.0] * 6, [0.0] * 6),
        ([0.0, 2, 2, 2, 2, 2], [4.0] * 6),
        ([-1.0] * 6, [-2.0] * 6),
    ]
    ratio, low, high = ratio_intervals(pairs_of(rows), 0.95)
    assert np.array_equal(ratio, [math.nan, 0.0, 2.0, 0.0], equal_nan=True)
    assert low.tolist() == [-math.inf, 0.0, -math.inf, -math.inf]
    assert high.tolist() == [math.inf, 0.0, math.inf, math.inf]
    difference, low, high = difference_intervals(pairs_of(rows), 0.95)
    assert difference.tolist() == [1.0, -1.0, 2.0, -1.0]
    assert low.tolist() == [1.0, -1.0, 2.0, -1.0]
    assert high.tolist() == [1.0, -1.0, 4.0, -1.0]


def test_constant_rows_are_those_without_any_difference() -> None:
    """Equal within sides is not enough: 0 and 1 differ."""
    rows: Rows = [([3.0] * 4, [3.0] * 2), ([0.0] * 4, [1.0] * 4), ([3.0] * 4, [3.0, 3.0, 3.0, 4.0])]
    found = compare_pairs(pairs_of(rows), 0.95)
    assert found.constant.tolist() == [True, False, False]
    assert found.pvalue[0] == found.two_sided_pvalue[0] == 1


def test_no_rows() -> None:
    """Nothing asked, nothing answered."""
    none = pairs_of([])
    assert none.rows == 0
    assert {column.size for column in columns(compare_pairs(none, 0.95)).values()} == {0}
    assert [one.size for one in (*ratio_intervals(none, 0.95), *difference_intervals(none, []))] == [0] * 6


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([([1.0], [1.0]), ([], [1.0])], "row 1 of the baseline holds no values; at least 1 is needed"),
        ([([1.0], [])], "row 0 of the candidate holds no values; at least 1 is needed"),
        (
            [([1.0, math.inf], [1.0])],
            "the baseline holds inf (1 of 2 values are not finite); leave such rows out, they are no measurements",
        ),
        (
            [([1.0], [math.nan])],
            "the candidate holds nan (1 of 1 values are not finite); leave such rows out, they are no measurements",
        ),
    ],
)
def test_rows_that_are_no_samples(rows: Rows, message: str) -> None:
    with pytest.raises(DataError) as caught:
        pairs_of(rows)
    assert str(caught.value) == message


def test_starts_that_fit_no_values() -> None:
    ones = np.ones(3)
    with pytest.raises(DataError) as caught:
        Pairs(baseline=ones, baseline_starts=np.array([0, 2]), candidate=ones, candidate_starts=np.array([0, 3]))
    assert str(caught.value) == (
        "the starts of the baseline run from 0 to 2; they must begin at 0 and end at its 3 values"
    )
    with pytest.raises(DataError) as caught:
        Pairs(baseline=ones, baseline_starts=np.array([0, 3]), candidate=ones, candidate_starts=np.array([0, 1, 3]))
    assert str(caught.value) == "the baseline has 1 rows and the candidate 2; give every row both sides"


def test_levels_that_are_none() -> None:
    pairs = pairs_of(ragged(3, 1))
    with pytest.raises(DataError, match=r"^confidence level 95\.0 is not between 0 and 1; write 95 % as 0\.95$"):
        ratio_intervals(pairs, [0.9, 95.0, 0.9])
    with pytest.raises(DataError, match=r"^2 confidence levels for 3 rows; give one for all, or one a row$"):
        difference_intervals(pairs, [0.9, 0.95])
    with pytest.raises(DataError, match=r"write 95 % as 0\.95$"):
        compare_pairs(pairs, math.nan)
