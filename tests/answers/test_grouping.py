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


def test_a_level_is_named_alike_in_every_cell() -> None:
    """An axis may hold both True and 1, which are one level: it has the name under which it came first."""
    frame = pd.DataFrame({"axis": pd.Series([True, 1], dtype=object), "other": ["a", "b"]})
    assert [key["axis"] for key, _ in cells(frame, ["axis", "other"])] == [True, True]
    assert [type(key["axis"]) for key, _ in cells(frame, ["axis", "other"])] == [bool, bool]


def test_every_row_is_in_exactly_one_cell() -> None:
    """Cells part the table: nothing lost, nothing twice; a missing level is left out of the key and is a cell."""
    generator = np.random.default_rng(1)
    words = generator.choice(np.array(["x", "y", None], dtype=object), 60)
    rows = pd.DataFrame({"a": generator.choice([1.0, 2.0, np.nan], 60), "b": words})
    for by, count in (([], 1), (["a"], 3), (["a", "b"], 9)):
        parts = [(key, part.index.tolist()) for key, part in cells(rows, by)]
        assert len(parts) == count
        assert sorted(index for _, own in parts for index in own) == list(range(60))
        for key, own in parts:
            part = rows.loc[own, by]
            assert (part[list(key)] == pd.Series(key)).all(axis=None)
            assert part.drop(columns=list(key)).isna().all(axis=None)
        # Whoever wants one column takes its positions.
        assert [(key, places.tolist()) for key, places in cell_rows(rows, by)] == parts
    assert list(cells(rows.iloc[:0], ["a"])) == list(cell_rows(rows.iloc[:0], [])) == []


def test_what_varies_and_tells_apart_is_an_axis() -> None:
    """No column of the schema; a value beside a missing one varies; a URL beside its endpoint adds nothing."""
    assert axes_of(frame(benchmark=["a", "b"], value=[1, 2], bits=[32, 32], curve=["x", None])) == ["curve"]
    rows = frame(benchmark=["a", "a", "b", "b"], url=["/a", "/a", "/b", "/b"], workers=[1, 2, 1, 2])
    assert place_axes(rows) == ["benchmark", "workers"]


def test_a_whole_float_is_the_number_it_stands_for() -> None:
    """pandas keeps 32 beside a missing value as 32.0."""
    assert plain(32.0) == 32
    assert isinstance(plain(32.0), int)
    assert plain(0.5) == 0.5
    assert isinstance(plain(np.int64(3)), int)


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
