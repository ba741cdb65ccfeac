"""A number in words is read back, and must be one that its answer holds."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.report.page.agreeing import Known, figures
from benchlib.report.wording.told import written
from benchlib.report.wording.words import change, count
from benchlib.units import percent, show

UNITS = ["sec", "sec/op", "B/op", "req/sec", "allocs/op", "ratio", "x", ""]


@given(st.floats(1e-12, 1e12), st.sampled_from(UNITS), st.integers(2, 6))
def test_what_is_shown_of_a_value_reads_as_it(value: float, unit: str, digits: int) -> None:
    """In every unit and to any number of digits; a value of twice the size does not read so."""
    shown = figures(show(value, unit, digits=digits))
    if len(shown) == 1 and value >= 1e-8:
        assert Known([{"value": value}]).holds(shown[0])
        assert shown[0].tells(value)
        assert unit in ("ratio", "x") or not Known([{"value": 2 * value}]).holds(shown[0])


@given(st.floats(0.01, 100), st.sampled_from(["time", "throughput", "memory"]))
def test_a_change_reads_as_its_ratio(ratio: float, metric: str) -> None:
    """Told as a factor of at least one, whichever way it goes; an answer may hold its logarithm."""
    (shown,) = figures(change(ratio, metric))
    assert Known([{"ratio": ratio}]).holds(shown)
    assert Known([{"center": math.log(ratio)}]).holds(shown)


@pytest.mark.parametrize("share", [0.003, 0.125, 0.5, 0.985])
def test_a_share_reads_as_what_is_left_or_added(share: float) -> None:
    """15 % lower is a ratio of 0.85."""
    (shown,) = figures(percent(share, 1))
    for held in (share, -share, 1 - share, 1 + share):
        assert Known([{"value": held}]).holds(shown)
    assert not Known([{"value": share + 0.01}]).holds(shown)


@given(st.floats(1e-8, 1e12), st.sampled_from(["sec", "sec/op", "B/op", "req/sec", "allocs/op"]), st.integers(2, 6))
def test_what_is_rounded_to_its_interval_reads_as_its_value(value: float, unit: str, carried: int) -> None:
    """Zeros at the end of a whole number may tell nothing; the value is no tenth off."""
    (shown,) = figures(show(value, unit, carried=carried))
    assert shown.tells(value)
    assert shown.tells(float(written(value)))
    assert not shown.tells(1.2 * value)


def test_a_whole_number_is_rounded_where_it_is_measured() -> None:
    """Of a unit, and between ends whose unit stands in the cell beside; no count, factor, percent or decimal is."""
    rounded = ["40,000 req/s", "−40,000 op/s", "95 %: 40,000 to 44,000 req/s", "36,000 to 40,000"]
    exact = ["40,000 rows", "40,000", "40,000x", "40,000 %", "40,000.0 req/s", "from 40,000 to 44,000 rows"]
    for text in [*rounded, *exact]:
        (told,) = (one for one in figures(text) if "40,000" in one.text)
        by = 0.01 if told.unit == "%" else 1.0
        assert (told.tells(39_933 * by) and not told.tells(39_400 * by)) == (text in rounded), text


def test_an_end_of_an_interval_has_the_unit_of_the_other() -> None:
    """It stands there once."""
    level, low, high = figures("95 %: 1.10 to 1.30 µs/op")
    assert level.unit == "%"
    assert low.low < 1.1e-6 < low.high
    assert not Known([{"low": 1.1}]).holds(low)
    assert high.unit == "µs/op"


def test_a_bound_reads_as_all_below_it() -> None:
    """A p value is told as < 0.001 where it is smaller."""
    (bound,) = figures("p < 0.001")
    assert Known([{"pvalue": 3e-9}]).holds(bound)
    assert not Known([{"pvalue": 0.002}]).holds(bound)


def test_counts_are_read_off_what_is_counted() -> None:
    """Members of a list, and those that are alike in a word; three are not two."""
    answer = {"rows": [{"verdict": "worse"}, {"verdict": "same"}, {"verdict": "same"}]}
    told = f"of {count(3, 'row')} 2 same and 1 worse; 4 cannot tell"
    assert [Known([answer]).holds(one) for one in figures(told)] == [True, True, True, False]


def test_rows_and_formula_are_no_numbers_of_an_answer() -> None:
    """A line number is no measurement."""
    answer = {"value": 7.5, "evidence": {"type": "Evidence", "rows": ["a.txt:9"], "formula": "the 95 % interval"}}
    assert not any(Known([answer]).holds(one) for one in figures("9 at 95 %"))


@pytest.mark.parametrize("text", ["run1.txt:5", "p99", "BN254", "2026-11-20", "v1.2.3", "#i-1", ""])
def test_digits_of_names_are_no_numbers(text: str) -> None:
    """As where they are marked."""
    assert figures(text) == ()


@pytest.mark.parametrize("commit", ["555e140057", "1e999", f"1e{'9' * 5000}"])
def test_a_commit_id_that_looks_like_a_number_is_a_name(commit: str) -> None:
    """No float holds it: what stands beside it is read as ever."""
    assert [figure.text for figure in figures(f"{commit} of 8 ms against 0.001e309")] == ["8 ms", "0.001e309"]
    assert Known([{"commit": commit, "value": 0.008}]).holds(figures("8 ms")[0])
