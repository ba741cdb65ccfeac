"""Columns of the table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.formats import table
from benchlib.formats.table import Runs, axis_column, category, numbered, positions

#: Rows: whether a name begins, whether a line begins, and the metric.
ROWS = st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 2)), min_size=1, max_size=40)


def by_rule(new_pair: list[bool], new_line: list[bool], metric: list[int]) -> list[int]:
    """The rule row by row: a result ends where its block, its line or its part of a line ends and a metric has come
    again; a line has a part more when one of its metrics has come more often than it has parts.
    """
    found: list[int] = []
    counts: dict[int, int] = {}
    number, result = -1, -1
    rows = list(zip(new_pair, new_line, metric, strict=True))
    starts: list[int] = []
    in_line: dict[int, int] = {}
    for at, (pair, line, one) in enumerate(rows):
        if pair or line or at == 0:
            in_line, parts = {}, 0
        in_line[one] = in_line.get(one, 0) + 1
        if in_line[one] > parts:
            parts += 1
            starts.append(at)
    for start, stop in zip(starts, [*starts[1:], len(rows)], strict=True):
        if start == 0 or rows[start][0]:
            counts, number, fresh = {}, 0, True
        else:
            fresh = False
        again = 0
        for _, _, one in rows[start:stop]:
            again = max(again, counts.get(one, 0))
            counts[one] = counts.get(one, 0) + 1
        if fresh or again > number:
            result += 1
        number = max(number, again)
        found += [result] * (stop - start)
    return found


@given(ROWS)
def test_results_are_numbered_by_the_rule(rows: list[tuple[bool, bool, int]]) -> None:
    """The short way for one result a line, and the long one, both count as the rule does."""
    new_pair = [pair for pair, _, _ in rows]
    new_pair[0] = True
    new_line = [line for _, line, _ in rows]
    metric = [one for _, _, one in rows]
    line = np.cumsum([a or b for a, b in zip(new_pair, new_line, strict=True)])
    file = np.zeros(len(rows), dtype=np.int64)
    found = positions(file, np.array(new_pair), np.array(metric), line)
    assert found.tolist() == by_rule(new_pair, new_line, metric)
    assert found.dtype == np.int32


def test_results_of_one_line_have_an_order() -> None:
    """A document without line ends: two results of two metrics, then one of a metric alone."""
    file, line = np.zeros(5, dtype=np.int64), np.ones(5, dtype=np.int64)
    new_pair = np.array([True, False, False, False, False])
    assert positions(file, new_pair, np.array([0, 1, 0, 1, 0]), line).tolist() == [0, 0, 1, 1, 2]


def test_an_odd_file_leaves_the_numbers_of_others_alone(monkeypatch) -> None:
    """Only the rows of the file with results of several lines take the long way."""
    seen: list[int] = []
    long_way = table._results_begin

    def spy(new_block, new_line, metric):
        seen.append(len(metric))
        return long_way(new_block, new_line, metric)

    monkeypatch.setattr(table, "_results_begin", spy)
    file = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    metric = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    line = np.array([1, 1, 2, 2, 1, 2, 3, 4])
    new_pair = np.array([True, False, False, False, True, False, False, False])
    assert positions(file, new_pair, metric, line).tolist() == [0, 0, 1, 1, 0, 0, 1, 1]
    assert seen == [4]


def test_no_rows_have_no_positions() -> None:
    """An empty table."""
    none = np.zeros(0, dtype=np.int64)
    assert len(positions(none, none.astype(bool), none, none)) == 0


@given(st.lists(st.integers(0, 9)))
def test_distinct_keys_are_numbered_in_order(keys: list[int]) -> None:
    """Each row's number leads back to its key, and the order of coming is told."""
    codes, distinct, coming = numbered(np.array(keys, dtype=np.int64))
    assert distinct == sorted(set(keys))
    assert [distinct[one] for one in codes] == keys
    assert [distinct[one] for one in coming] == list(dict.fromkeys(keys))


@pytest.mark.parametrize(
    ("levels", "shown", "dtype"),
    [
        (["1", "2"], [1, 2, 2], "int64"),
        (["8", "8"], [8, 8, 8], "int64"),
        (["1.5", "2"], [1.5, 2, 2], "float64"),
        ([None, "2"], [None, 2, 2], "float64"),
        (["007", "2"], ["007", "2", "2"], "category"),
        ([None, "x"], [None, "x", "x"], "category"),
    ],
)
def test_an_axis_is_a_column_of_numbers_where_all_its_levels_are(levels, shown, dtype) -> None:
    """Missing numbers are NaN, missing words None."""
    column = axis_column(levels, Runs(np.array([0, 1]), np.array([1, 2])))
    assert str(column.dtype) == dtype
    assert [None if one != one else one for one in column.tolist()] == shown


@pytest.mark.parametrize("count", [1, 126, 129, 40_000])
def test_codes_are_as_small_as_their_levels_allow(count: int) -> None:
    """Repeated levels share a code, whatever the number of levels."""
    levels = [str(one // 2) for one in range(2 * count)]
    found = category(levels, np.arange(2 * count))
    assert found.tolist() == levels
    assert len(found.categories) == count
    assert found.codes.dtype.itemsize == (1 if count < 127 else 2 if count < 2**15 - 1 else 4)
