"""Columns that read like lists and lie in memory like arrays."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchlib.formats.packed import Counts, Integers, Numbers, Words
from benchlib.formats.rows import Rows

WHOLE = st.integers(0, 2**40)
FLOATS = st.floats(allow_nan=False)
OPTIONAL = st.none() | FLOATS
TEXTS = st.sampled_from(["a", "b", "µ", ""])


@given(st.lists(st.lists(WHOLE, max_size=5)), st.lists(st.booleans(), min_size=1))
def test_whole_numbers_come_back_however_they_were_appended(groups: list[list[int]], ways: list[bool]) -> None:
    """One by one or as arrays, small or large: the same numbers in the same order."""
    column, plain = Integers(), []
    for number, group in enumerate(groups):
        plain += group
        if ways[number % len(ways)]:
            column.extend_array(np.asarray(group, dtype=np.int64))
        else:
            column.extend(group)
    assert column == plain
    assert list(column) == column[:] == column.array.tolist() == plain
    assert len(column) == len(plain)


@given(st.lists(OPTIONAL))
def test_what_is_missing_is_none_in_a_list_and_nan_in_an_array(numbers: list[float | None]) -> None:
    """A column without any number stores none."""
    column = Counts()
    column.extend(numbers)
    assert column == numbers
    assert [None if math.isnan(one) else one for one in column.array] == numbers
    assert column.empty == all(one is None for one in numbers)
    assert column.complete == (None not in numbers)


@given(st.lists(TEXTS), st.lists(TEXTS, min_size=1), st.integers(0, 3))
def test_texts_are_kept_as_codes_of_levels(first: list[str], second: list[str], each: int) -> None:
    """Levels stand in the order they first occur, and none stands there that no row has."""
    levels = sorted(set(second) | {"unused"})
    column = Words[str]()
    column.extend(first)
    column.extend_array(levels, np.array([levels.index(one) for one in second]), each)
    plain = first + [one for one in second for _ in range(each)]
    assert column == plain
    assert set(column.levels) - {"unused"} >= set(plain)
    assert [column[at] for at in range(len(plain))] == plain


def test_numbers_appended_after_a_look_are_seen_too() -> None:
    """An array taken early keeps its length; the column goes on."""
    column = Numbers()
    column.append(1.0)
    early = column.array
    column.extend_array(np.arange(100.0))
    assert (early.tolist(), len(column), column[-1]) == ([1.0], 101, 99.0)


def test_rows_that_say_little_take_little() -> None:
    """A million rows of one name, unit and metric: 8 bytes for the value, and one for each code."""
    rows, count = Rows(), 1_000_000
    for column in (rows.name, rows.unit):
        column.repeat("x", count)
    rows.errors.repeat(None, count)
    rows.value.extend_array(np.ones(count))
    assert (rows.name.array.nbytes, rows.unit.array.nbytes) == (count, count)
    assert rows.errors.array.strides == (0,)


@given(entries=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 5)), max_size=30))
def test_extending_each_is_appending_in_turn(entries: list[tuple[int, int]]) -> None:
    """Numbers, counts and texts given with how often each comes read as if appended one by one."""
    each = [count for _, count in entries]
    spread = [one for one, count in entries for _ in range(count)]
    for column, kind in ((Integers(), int), (Numbers(), float), (Counts(), float), (Words[str](), str)):
        column.extend_each([kind(one) for one, _ in entries], each)
        assert list(column) == [kind(one) for one in spread]


def test_columns_without_entries_share_nothing_that_changes() -> None:
    """Filling one column leaves another that started as empty, and the first array taken, as they were."""
    one, two = Integers(), Integers()
    one.append(7)
    first = one.array.copy()
    one.extend_array(np.array([300]))
    assert list(two) == []
    assert first.tolist() == [7]
    assert one.array.tolist() == [7, 300]
