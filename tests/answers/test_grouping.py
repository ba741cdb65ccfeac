"""Cells of the tidy table, and what they mix."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchlib.answers.grouping import (
    axes_of,
    cell_rows,
    cells,
    label,
    mixed_axes,
    name_caveats,
    place_axes,
    plain,
    residue,
)
from benchlib.caveats import caveat


def frame(**columns: list[object]) -> pd.DataFrame:
    """A table with these columns."""
    return pd.DataFrame(columns)


def test_numbers_come_in_order_and_words_as_first_seen() -> None:
    """4 stands before 16; old stands before new where it was read first."""
    rows = frame(run=["old", "new", "old", "new"], workers=[16, 4, 4, 16])
    assert [dict(key) for key, _ in cells(rows, ["run", "workers"])] == [
        {"run": "old", "workers": 4},
        {"run": "old", "workers": 16},
        {"run": "new", "workers": 4},
        {"run": "new", "workers": 16},
    ]


def test_a_missing_level_is_left_out_of_the_key() -> None:
    """A row without an axis is a cell of its own."""
    rows = frame(bits=[32.0, np.nan, 32.0], value=[1, 2, 3])
    found = [(key, len(part)) for key, part in cells(rows, ["bits"])]
    assert sorted(found, key=str) == [({"bits": 32}, 2), ({}, 1)]


def test_a_level_is_named_alike_in_every_cell() -> None:
    """An axis may hold both True and 1, which are one level: it has the name under which it came first."""
    frame = pd.DataFrame({"axis": pd.Series([True, 1], dtype=object), "other": ["a", "b"]})
    assert [key["axis"] for key, _ in cells(frame, ["axis", "other"])] == [True, True]
    assert [type(key["axis"]) for key, _ in cells(frame, ["axis", "other"])] == [bool, bool]


def test_no_axis_makes_one_cell_and_no_row_makes_none() -> None:
    """The whole table, or nothing."""
    rows = frame(value=[1, 2])
    assert [(key, len(part)) for key, part in cells(rows, [])] == [({}, 2)]
    assert list(cells(rows.iloc[:0], [])) == []


def test_every_row_is_in_exactly_one_cell() -> None:
    """Cells part the table: nothing lost, nothing twice, missing levels included."""
    generator = np.random.default_rng(1)
    rows = pd.DataFrame(
        {
            "a": generator.choice([1.0, 2.0, np.nan], 60),
            "b": generator.choice(np.array(["x", "y", None], dtype=object), 60),
        }
    )
    indices = [index for _, part in cells(rows, ["a", "b"]) for index in part.index]
    assert sorted(indices) == list(range(60))


def test_positions_name_the_rows_of_the_same_cells() -> None:
    """Whoever wants one column takes its positions and finds what a table of the cell holds, in the same order."""
    rows = frame(run=["old", "new", "old", "new", "old"], workers=[16, 4, 4, 16, 16], value=[1, 2, 3, 4, 5])
    for by in ([], ["run"], ["workers"], ["run", "workers"], ["value"]):
        parts = [(key, part["value"].tolist()) for key, part in cells(rows, by)]
        assert [(key, rows["value"].to_numpy()[places].tolist()) for key, places in cell_rows(rows, by)] == parts
    assert list(cell_rows(rows.iloc[:0], ["run"])) == []


def test_a_whole_float_is_the_number_it_stands_for() -> None:
    """pandas keeps 32 beside a missing value as 32.0."""
    assert plain(32.0) == 32
    assert isinstance(plain(32.0), int)
    assert plain(0.5) == 0.5
    assert isinstance(plain(np.int64(3)), int)


def test_only_what_varies_is_an_axis() -> None:
    """A column of the schema is no axis; a value beside a missing one varies."""
    rows = frame(benchmark=["a", "b"], value=[1, 2], bits=[32, 32], curve=["x", None])
    assert axes_of(rows) == ["curve"]


def test_an_axis_that_others_determine_is_left_out_of_the_place() -> None:
    """The URL beside its endpoint adds nothing to a name."""
    rows = frame(benchmark=["a", "a", "b", "b"], url=["/a", "/a", "/b", "/b"], workers=[1, 2, 1, 2])
    assert place_axes(rows) == ["benchmark", "workers"]


def test_the_residue_names_what_a_cell_mixes() -> None:
    """Two package versions pooled under one benchmark are said."""
    rows = frame(benchmark=["a", "a", "b"], version=["1", "2", "1"], bits=[1, 1, 2])
    assert mixed_axes(rows, ["benchmark"]) == ["version"]
    (said,) = residue(rows, ["benchmark"])
    assert (said.code, said.message) == ("residue", "cells mix values of version")
    assert residue(rows, ["benchmark", "version"]) == ()
    assert residue(rows, ["benchmark"], ignore=["version"]) == ()


def test_one_caveat_of_many_is_told_once_with_their_names() -> None:
    """Not five lines that say the same of five curves."""
    same = caveat("few-levels", "3 levels")
    other = caveat("few-levels", "4 levels")
    told = name_caveats([("a", same), ("b", other), ("c", same), ("a", same)])
    assert [one.message for one in told] == ["a, c: 3 levels", "b: 4 levels"]


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ({}, ""),
        ({"benchmark": "Sender", "bits": 32}, "Sender, bits 32"),
        ({"benchmark": "A", "case": "x/y"}, "A, x/y"),
    ],
)
def test_labels(key: dict[str, object], said: str) -> None:
    """The benchmark and its case by name, other axes with theirs."""
    assert label(key) == said
