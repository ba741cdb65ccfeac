"""Values sorted into cells, and ratios of cells with their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from benchlib.effects.cells import Contrast, build_cells, estimate_ratio, name_cell, sort_factors, t_interval, welch
from benchlib.errors import DataError
from benchlib.statistics.estimates import Estimate


def test_every_combination_is_a_cell_or_missing() -> None:
    """Levels in order, numbers before text and as numbers; what was not measured is listed."""
    table = build_cells({"bits": np.array([64, 32, 32]), "curve": ["B", "A", "A"]}, [9.0, 1.0, 3.0], unit="sec/op")
    assert table.factors == {"bits": (32, 64), "curve": ("A", "B")}
    assert [(dict(cell.levels), cell.n, cell.median.value) for cell in table.cells] == [
        ({"bits": 32, "curve": "A"}, 2, 2.0),
        ({"bits": 64, "curve": "B"}, 1, 9.0),
    ]
    assert table.missing == ({"bits": 32, "curve": "B"}, {"bits": 64, "curve": "A"})
    assert table.missing_count == 2
    assert [caveat.message for caveat in table.caveats] == [
        "2 of 4 combinations were not measured: (bits = 32, curve = B), (bits = 64, curve = A)",
        "1 of 2 cells hold too few values (the smallest 1) for an interval of the median at 95 % (needs 2)",
    ]
    assert build_cells({"size": ["all", 2, 1]}, [1.0, 2.0, 3.0], unit="s").factors["size"] == (1, 2, "all")


def test_many_missing_cells_are_counted_not_listed() -> None:
    """A diagonal of a large table names some missing cells and counts all."""
    levels = np.arange(200)
    table = build_cells({"a": levels, "b": levels}, np.ones(200), unit="s")
    assert (len(table.missing), table.missing_count) == (100, 200 * 199)
    assert f"and {200 * 199 - 3} more" in table.caveats[0].message


def test_order_of_rows_is_irrelevant() -> None:
    """Shuffled rows give the same table; six values give an interval and no caveat."""
    random = np.random.default_rng(1)
    factors = {"a": random.integers(0, 3, 60), "b": random.choice(["x", "y"], 60)}
    values, order = random.uniform(size=60), random.permutation(60)
    shuffled = {name: column[order] for name, column in factors.items()}
    assert build_cells(factors, values, unit="s") == build_cells(shuffled, values[order], unit="s")
    table = build_cells({"n": [1] * 6}, [3.0, 1, 2, 6, 5, 4], unit="sec")
    assert (table.cells[0].median.low, table.cells[0].median.high, table.caveats) == (1.0, 6.0, ())


@pytest.mark.parametrize(
    ("factors", "values", "message"),
    [
        ({"bits": [32, None]}, [1.0, 2.0], "factor 'bits' has no level for 1 of 2 values"),
        ({"bits": [32, math.nan]}, [1.0, 2.0], "factor 'bits' has no level for 1 of 2 values"),
        ({"bits": [32]}, [1.0, 2.0], "has 1 levels for 2 values"),
        ({}, [1.0], "no factor was named"),
    ],
)
def test_rows_that_make_no_cells(factors: dict[str, list], values: list[float], message: str) -> None:
    """A row that lacks a factor is not guessed at; each value needs its level."""
    with pytest.raises(DataError, match=message):
        build_cells(factors, values, unit="s")


def test_hostile_names_are_made_safe() -> None:
    """Control codes in a level do not reach the terminal."""
    assert "\x1b" not in name_cell({"curve": "\x1b[31m"})


@pytest.mark.parametrize(
    ("values", "unit", "caveats"),
    [
        ([-1.0, *[1.0] * 11], "B/op", [("negative-values", "1 of 12 values are negative (the smallest -1)")]),
        ([0.0, 0.0, *[1.0] * 10], "sec/op", [("zero-times", "2 of 12 times are 0")]),
        ([0.0] * 12, "allocs/op", []),
    ],
)
def test_values_that_no_cost_can_have(values: list[float], unit: str, caveats: list[tuple[str, str]]) -> None:
    """Negative values, and times of 0, are told; nothing allocated is a fact."""
    table = build_cells({"inputs": [1] * 6 + [2] * 6}, values, unit=unit)
    assert [(caveat.code, caveat.message) for caveat in table.caveats] == caveats


def test_which_factors_are_numbers() -> None:
    """Three numbers or more, or the only factor that varies; two numbers beside another factor are a category."""
    table = build_cells({"bits": [32, 64] * 6, "n": [1, 2, 4] * 4, "one": [1] * 12}, np.ones(12), unit="s")
    assert sort_factors(table) == (("n",), ("bits",))
    assert sort_factors(build_cells({"bits": [32, 64]}, [1.0, 2.0], unit="s")) == (("bits",), ())


def test_values_know_their_runs() -> None:
    """Each value keeps the run it is of, also where values are sorted; without runs all are of one."""
    table = build_cells({"n": [1, 1, 1, 2]}, [3.0, 1, 2, 4], unit="s", runs=["b", "a", "b", "a"])
    assert [(cell.values, cell.runs) for cell in table.cells] == [((1.0, 2.0, 3.0), (0, 1, 1)), ((4.0,), (0,))]
    assert build_cells({"n": [1, 2]}, [1.0, 2.0], unit="s").cells[1].runs == (0,)


# Ratios of cells.


def ratio_of(*samples: list[float], level: float = 0.95) -> Estimate:
    """The ratio of every second sample to the one before it."""
    places = np.repeat(np.arange(len(samples)), [len(sample) for sample in samples])
    cells = build_cells({"place": places}, np.concatenate(samples), unit="sec").cells
    pairs = zip(cells[::2], cells[1::2], strict=True)
    return estimate_ratio([Contrast(over=(top,), under=(bottom,)) for bottom, top in pairs], level)


def test_one_pair_is_welch_on_logarithms() -> None:
    """The interval is SciPy's Welch interval of the difference of mean logarithms, at any level and in any unit."""
    before, after = [1.0, 1.1, 0.95, 1.02], [2.0, 2.4, 1.9]
    for level in (0.9, 0.99):
        expected = stats.ttest_ind(np.log(after), np.log(before), equal_var=False).confidence_interval(level)
        for unit in (1, 1e9):
            ratio = ratio_of([unit * value for value in before], [unit * value for value in after], level=level)
            assert (ratio.low, ratio.high) == pytest.approx(np.exp([expected.low, expected.high]), rel=1e-12)
            assert ratio.value == pytest.approx(stats.gmean(after) / stats.gmean(before), rel=1e-12)
            assert (ratio.n, ratio.unit) == (7, "x")


def test_three_pairs_judge_each_other() -> None:
    """From three pairs on, their spread is the error, whatever the replicates within say."""
    ratios = np.array([2.0, 2.2, 1.9])
    ratio = ratio_of(*([1.0, 1.0] if place % 2 == 0 else [ratios[place // 2]] * 2 for place in range(6)))
    reach = stats.t.ppf(0.975, 2) * np.log(ratios).std(ddof=1) / np.sqrt(3)
    assert (ratio.low, ratio.high) == pytest.approx(np.exp(np.log(ratios).mean() + np.array([-reach, reach])), rel=1e-9)


def test_few_values_of_few_pairs() -> None:
    """Two pairs use replicates where there are any; one pair of single values has no interval; copies are exact."""
    repeated = ratio_of([1.0, 1.01], [2.0, 2.02], [1.0, 1.01], [2.1, 2.12])
    single = ratio_of([1.0], [2.0], [1.0], [2.1])
    assert repeated.high / repeated.low < 1.05 < single.high / single.low
    assert single.method.startswith("geometric mean of 2 matched ratios")
    lonely = ratio_of([1.0], [2.0])
    assert (lonely.value, lonely.has_interval, lonely.method) == (2.0, False, "ratio of single values")
    exact = ratio_of([4.0, 4.0], [8.0, 8.0])
    assert (exact.value, exact.low, exact.high) == pytest.approx((2.0, 2.0, 2.0), rel=1e-15)


def test_tiny_variances_do_not_underflow() -> None:
    """Satterthwaite's degrees of freedom of 1e-200 are those of 1."""
    assert welch([1e-200, 1e-200], [3, 3]) == pytest.approx((np.sqrt(2e-200), 6.0))
    assert welch([0.0, 0.0], [3, 4]) == (0.0, 7)
    assert t_interval(1.0, float("nan"), 5, 0.95) == (-np.inf, np.inf)
