"""Values sorted into cells, and ratios of cells with their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from benchlib.effects.cells import Cell, Contrast, build_cells, estimate_ratio, name_cell, t_interval, welch
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
    assert (len(table.missing), table.missing_count) == (100, 200 * 199)
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


def cells_of(*samples: list[float]) -> tuple[Cell, ...]:
    places = np.repeat(np.arange(len(samples)), [len(one) for one in samples])
    return build_cells({"place": places}, np.concatenate(samples), unit="sec").cells


def pairs(cells: tuple[Cell, ...]) -> list[Contrast]:
    return [Contrast(over=(top,), under=(bottom,)) for bottom, top in zip(cells[::2], cells[1::2], strict=True)]


def test_one_pair_is_welch_on_logarithms() -> None:
    """One pair of cells: the interval is SciPy's Welch interval of the difference of mean logarithms."""
    before, after = [1.0, 1.1, 0.95, 1.02], [2.0, 2.4, 1.9]
    found = estimate_ratio(pairs(cells_of(before, after)), 0.9)
    expected = stats.ttest_ind(np.log(after), np.log(before), equal_var=False).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx(np.exp([expected.low, expected.high]), rel=1e-12)
    assert found.value == pytest.approx(stats.gmean(after) / stats.gmean(before), rel=1e-12)
    assert (found.n, found.unit) == (7, "x")


def test_three_pairs_judge_each_other() -> None:
    """From three pairs on, their spread is the error, whatever the replicates within say."""
    ratios = np.array([2.0, 2.2, 1.9])
    cells = cells_of(*([1.0, 1.0] if place % 2 == 0 else [ratios[place // 2]] * 2 for place in range(6)))
    found = estimate_ratio(pairs(cells), 0.95)
    reach = stats.t.ppf(0.975, 2) * np.log(ratios).std(ddof=1) / np.sqrt(3)
    assert (found.low, found.high) == pytest.approx(
        np.exp(np.log(ratios).mean() + np.array([-reach, reach])), rel=1e-12
    )


def test_two_pairs_use_replicates_where_there_are_any() -> None:
    """Two pairs repeated give a Welch interval; two pairs of single values have one degree of freedom."""
    repeated = estimate_ratio(pairs(cells_of([1.0, 1.01], [2.0, 2.02], [1.0, 1.01], [2.1, 2.12])), 0.95)
    single = estimate_ratio(pairs(cells_of([1.0], [2.0], [1.0], [2.1])), 0.95)
    assert repeated.high / repeated.low < 1.05 < single.high / single.low
    assert single.method.startswith("geometric mean of 2 matched ratios")


def test_one_pair_of_single_values_has_no_interval() -> None:
    found = estimate_ratio(pairs(cells_of([1.0], [2.0])), 0.95)
    assert (found.value, found.has_interval, found.method) == (2.0, False, "ratio of single values")


def test_values_that_never_vary() -> None:
    """Counts that repeat exactly are known exactly."""
    found = estimate_ratio(pairs(cells_of([4.0, 4.0], [8.0, 8.0])), 0.95)
    assert (found.value, found.low, found.high) == pytest.approx((2.0, 2.0, 2.0), rel=1e-15)


def test_unit_and_level() -> None:
    """A ratio has no unit; a higher level is wider."""
    samples = ([1.0, 1.1, 0.9], [2.0, 2.3, 2.1])
    one = estimate_ratio(pairs(cells_of(*samples)), 0.95)
    other = estimate_ratio(pairs(cells_of(*([1e9 * value for value in sample] for sample in samples))), 0.95)
    assert (other.value, other.low, other.high) == pytest.approx((one.value, one.low, one.high), rel=1e-12)
    wider = estimate_ratio(pairs(cells_of(*samples)), 0.99)
    assert wider.low < one.low < one.high < wider.high


def test_tiny_variances_do_not_underflow() -> None:
    error, degrees = welch([1e-200, 1e-200], [3, 3])
    assert (error, degrees) == pytest.approx((np.sqrt(2e-200), 6.0))
    assert welch([0.0, 0.0], [3, 4]) == (0.0, 7)
    assert t_interval(1.0, float("nan"), 5, 0.95) == (-np.inf, np.inf)
