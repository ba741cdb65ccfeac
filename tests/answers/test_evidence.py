"""Where numbers came from: the rows behind them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow, compare_study
from benchlib.answers.evidence import MOST_VALUES, Evidence, Measured, count_values, gather, gather_all, pool, source_of
from benchlib.study import Study
from tests.synthetic import go_text, make_study, make_table

#: How many rows each of up to twenty files has of each of up to three tables.
SIZES = st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3), min_size=1, max_size=MOST_VALUES)
COMPARED = '[[compare]]\nname = "both"\ncolumn = "{}"\nbaseline = "{}"\ncandidates = ["{}"]\n'


def table(source: str, lines: list[int], unit: str = "sec") -> pd.DataFrame:
    """Rows of one file, with its text columns as the readers make them."""
    rows = pd.DataFrame({"source": source, "line": lines, "value": [line / 2 for line in lines], "unit": unit})
    return rows.astype({"source": "category", "unit": "category"})


def test_several_tables_are_one_evidence() -> None:
    """Each row is named once, neighbours as a range; values of two units are not listed as if they were of one."""
    rows, places = table("a.txt", [9, 5, 6, 2]), np.array([0, 2, 1])
    assert Measured.of(rows).gather(places, "the median") == gather(rows.iloc[places], "the median")
    assert gather(rows.iloc[places], "the median").rows == ("a.txt:5-6", "a.txt:9")
    one, other = table("b.txt", [3, 4]), table("a.txt", [1])
    found = gather_all([one, other, one.iloc[:0]], "the median")
    assert found == gather(pd.concat([one, other]), "the median")
    assert (found.rows, found.unit) == (("a.txt:1", "b.txt:3-4"), "sec")
    mixed = gather_all([one, table("a.txt", [1], "B")], "both")
    assert (mixed.rows, mixed.values, mixed.unit) == (("a.txt:1", "b.txt:3-4"), (), "")


def shares(evidence: Evidence) -> dict[str, int]:
    """How many of the values are of each file."""
    files = [source_of(place) for place, _ in evidence.values]
    return {one: files.count(one) for one in files}


def only_row(study: Study) -> ComparisonRow:
    """The one row of the one comparison of a study."""
    (answer,) = compare_study(study)
    assert isinstance(answer, ComparisonAnswer)
    (row,) = answer.rows
    return row


def test_a_ratio_of_many_values_shows_both_of_its_sides(tmp_path: Path) -> None:
    """Forty values a side, in two files or one: the first ten of each, not twenty of what comes first."""
    rows = [("Encode", kind, "time", place, "ms") for kind in "ab" for place in range(1, 41)]
    row = only_row(make_table(tmp_path, "benchmark kind metric value unit", rows, COMPARED.format("kind", "a", "b")))
    lines = [int(place.rpartition(":")[2]) for place, _ in row.evidence.values]
    assert lines == [*range(2, 12), *range(42, 52)]
    (tmp_path / "table.csv").unlink()
    before, after = (go_text({"Encode": [factor * (100 + place / 10) for place in range(40)]}) for factor in (1, 0.8))
    names = '[configuration]\npaths = ["{run}.txt"]\n' + COMPARED.format("run", "before", "after")
    row = only_row(make_study(tmp_path, names, "metric=time", before=before, after=after))
    assert shares(row.evidence) == {"after.txt": 10, "before.txt": 10}
    assert [place for place, _ in row.evidence.values] == [
        f"{file}.txt:{line}" for file in ("after", "before") for line in range(1, 11)
    ]
    assert count_values(row.evidence) == 80


@settings(deadline=None, max_examples=15)
@given(sizes=SIZES, shuffled=st.randoms(use_true_random=False))
def test_every_file_and_table_is_among_the_values(sizes: list[list[int]], shuffled: Any) -> None:
    """Where twenty can hold them all; whatever the order of the rows, which are shown by file and line."""
    tables = []
    for part in range(3):
        rows = [table(f"{file:02}.txt", [*range(100 * part, 100 * part + own[part])]) for file, own in enumerate(sizes)]
        tables.append(pd.concat(rows))
    found = gather_all(tables, "the ratio")
    counts = {f"{file:02}.txt": sum(own) for file, own in enumerate(sizes) if sum(own)}
    assert len(found.values) == min(MOST_VALUES, sum(counts.values()))
    assert list(found.values) == sorted(found.values, key=lambda one: (source_of(one[0]), int(one[0][7:])))
    shown = shares(found)
    assert shown.keys() == counts.keys()
    if len(counts) <= MOST_VALUES - len(tables):
        assert {int(place[7:]) // 100 for place, _ in found.values} == {
            part for part in range(3) if any(own[part] for own in sizes)
        }
    # Of two files of one table none has two more than another that has some left.
    alone = shares(gather(pd.concat(tables), "the median"))
    assert all(alone[one] >= max(alone.values()) - 1 for one in counts if alone[one] < counts[one])
    mixed = [one.iloc[shuffled.sample(range(len(one)), len(one))] for one in tables]
    assert gather_all(mixed, "the ratio") == found
    apart = pool([gather(one, "") for one in tables if len(one)], "the ratio")
    assert shares(apart).keys() == counts.keys()
    assert len(apart.values) == len(found.values)
    assert count_values(apart) == count_values(found)


def test_one_file_against_thirty_has_half_of_what_is_shown() -> None:
    """Sides go before files where not every file can be shown."""
    old = table("old.txt", [*range(1, 31)])
    new = pd.concat([table(f"new{file:02}.txt", [1, 2]) for file in range(30)])
    assert shares(gather_all([old, new], "the ratio"))["old.txt"] == MOST_VALUES // 2


@pytest.mark.parametrize("where", ["before in files of its own", "both sides in each file"])
def test_of_more_files_than_are_shown_both_sides_have_as_many(where: str) -> None:
    """Thirty files of a side would fill the twenty values: the first of each of twenty files, ten of each side."""
    prefixes = ("a", "b") if where.startswith("before") else ("a", "a")
    sides = [
        pd.concat([table(f"{prefix}{file:02}.txt", [place, place + 1]) for file in range(30)])
        for place, prefix in zip((1, 11), prefixes, strict=True)
    ]
    found = gather_all(sides, "the ratio")
    assert set(shares(found).values()) == {1}
    assert len(shares(found)) == MOST_VALUES
    assert sum(place.endswith(":1") for place, _ in found.values) == MOST_VALUES // 2
    one_side = gather(sides[0], "the median")
    assert [place for place, _ in one_side.values] == [f"a{file:02}.txt:1" for file in range(MOST_VALUES)]
    assert (count_values(one_side), count_values(found)) == (60, 120)


def test_what_is_pooled_gives_each_its_share() -> None:
    """Of a level of which twenty values are known and of one of three: all three, and the first of the other's."""
    many, few = gather(table("a.txt", list(range(1, 41))), "one"), gather(table("a.txt", [50, 51, 52]), "other")
    found = pool([many, few], "the step")
    assert [place for place, _ in found.values] == [f"a.txt:{line}" for line in (*range(1, 18), 50, 51, 52)]
    assert count_values(found) == 43
    # What both have is shown once, and however often it comes it hides no other.
    assert pool([few, few], "twice").values == few.values
    other = gather(table("a.txt", [60]), "last")
    assert pool([few] * 30 + [other], "often").values == few.values + other.values


def test_equal_values_of_one_line_are_each_counted_when_they_are_pooled() -> None:
    """A line of JSON holds all repeats, four of them alike; what two evidences share is still counted once."""
    before = Evidence(
        rows=("a.json:1",), formula="", values=(("a.json:1", 1.0),) * 4 + (("a.json:1", 1.5),), unit="sec"
    )
    after = Evidence(rows=("b.json:1",), formula="", values=(("b.json:1", 2.0),) * 6, unit="sec")
    found = pool([before, after, before], "the ratio")
    assert found.values == before.values + after.values
    assert count_values(found) == 11
