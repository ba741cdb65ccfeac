"""Values sorted into cells."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchlib.effects.UNKNOWN import MISSING_SHOWN
from benchlib.effects.cells import build_cells, name_cell
from benchlib.errors import DataError


def test_every_combination_is_a_cell_or_missing() -> None:
    """Levels in order, numbers as numbers; what was not measured is listed."""
    table = build_cells({"bits": np.array([64, 32, 32]), "curve": ["B", "A", "A"]}, [9.0, 1.0, 3.0], unit="sec/op")
    assert table.factors == {"bits": (32, 64), "curve": ("A", "B")}
    assert [(dict(cell.levels), cell.n, cell.median.value) for cell in table.cells] == [
        ({"bits": 32, "curve": "A"}, 2, 2.0),
        ({"bits": 64, "curve": "B"}, 1, 9.0),
    ]
    assert table.missing == ({"bits": 32, "curve": "B"}, {"bits": 64, "curve": "A"})
    assert table.missing_count == 2
    assert "2 of 4 combinations were not measured" in table.caveats[0].message


def test_interval_of_a_cell() -> None:
    """Six values give an interval and no caveat."""
    table = build_cells({"n": [1] * 6}, [3.0, 1, 2, 6, 5, 4], unit="sec")
    assert (table.cells[0].median.low, table.cells[0].median.high) == (1.0, 6.0)
    assert table.caveats == ()


def test_row_order_is_irrelevant() -> None:
    """Shuffled rows give the same table."""
    random = np.random.default_rng(1)
    factors = {"a": random.integers(0, 3, 60), "b": random.choice(["x", "y"], 60)}
    values = random.uniform(size=60)
    order = random.permutation(60)
    shuffled = {name: column[order] for name, column in factors.items()}
    assert build_cells(factors, values, unit="s") == build_cells(shuffled, values[order], unit="s")


def test_many_missing_cells_are_counted_not_listed() -> None:
    """A diagonal of a large table names some missing cells and counts all."""
    levels = np.arange(200)
    table = build_cells({"a": levels, "b": levels}, np.ones(200), unit="s")
    assert (len(table.missing), table.missing_count) == (MISSING_SHOWN, 200 * 199)
    assert f"and {200 * 199 - 3} more" in table.caveats[0].message


def test_numbers_and_text_in_one_factor() -> None:
    """A mixed factor is ordered, numbers first."""
    table = build_cells({"size": ["all", 2, 1]}, [1.0, 2.0, 3.0], unit="s")
    assert table.factors["size"] == (1, 2, "all")


@pytest.mark.parametrize("empty", [None, math.nan])
def test_value_without_a_level(empty: object) -> None:
    """A row that lacks the factor is not guessed at."""
    with pytest.raises(DataError, match="factor 'bits' has no level for 1 of 2 values"):
        build_cells({"bits": [32, empty]}, [1.0, 2.0], unit="s")


def test_columns_of_different_lengths() -> None:
    """Each value needs its level."""
    with pytest.raises(DataError, match="has 1 levels for 2 values"):
        build_cells({"bits": [32]}, [1.0, 2.0], unit="s")


def test_no_factor() -> None:
    """Without factors there are no cells."""
    with pytest.raises(DataError, match="no factor was named"):
        build_cells({}, [1.0], unit="s")


def test_hostile_names_are_made_safe() -> None:
    """Control codes in a level do not reach the terminal."""
    assert "\x1b" not in name_cell({"curve": "\x1b[31m"})


def test_values_that_no_cost_can_have() -> None:
    """Negative values, and times of 0, are told; nothing allocated is a fact."""

    def said(values: list[float], unit: str) -> list[tuple[str, str]]:
        table = build_cells({"inputs": [1] * 6 + [2] * 6}, values, unit=unit)
        return [(one.code, one.message) for one in table.caveats]

    assert said([-1.0, *[1.0] * 11], "B/op") == [("negative-values", "1 of 12 values are negative (the smallest -1)")]
    assert said([0.0, 0.0, *[1.0] * 10], "sec/op") == [("zero-times", "2 of 12 times are 0")]
    assert said([0.0] * 12, "allocs/op") == []
