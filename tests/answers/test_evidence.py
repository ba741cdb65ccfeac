"""Where numbers came from: the rows behind them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchlib.answers.evidence import Measured, gather, gather_all


def table(source: str, lines: list[int], unit: str = "sec") -> pd.DataFrame:
    """Rows of one file, with its text columns as the readers make them."""
    rows = pd.DataFrame({"source": source, "line": lines, "value": [line / 2 for line in lines], "unit": unit})
    return rows.astype({"source": "category", "unit": "category"})


def test_some_rows_have_the_evidence_of_a_table_of_them() -> None:
    """Columns that are taken out once name the same rows and values as a table of each cell."""
    rows = table("a.txt", [9, 5, 6, 2])
    places = np.array([0, 2, 1])
    assert Measured.of(rows).gather(places, "the median") == gather(rows.iloc[places], "the median")
    assert gather(rows.iloc[places], "the median").rows == ("a.txt:5-6", "a.txt:9")


def test_several_tables_are_one_evidence() -> None:
    """Each row is named once; values of two units are not listed as if they were of one."""
    one, other = table("b.txt", [3, 4]), table("a.txt", [1])
    found = gather_all([one, other, one.iloc[:0]], "the median")
    assert found == gather(pd.concat([one, other]), "the median")
    assert (found.rows, found.unit) == (("a.txt:1", "b.txt:3-4"), "sec")
    mixed = gather_all([one, table("a.txt", [1], "B")], "both")
    assert (mixed.rows, mixed.values, mixed.unit) == (("a.txt:1", "b.txt:3-4"), (), "")
