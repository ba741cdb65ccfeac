"""Two metrics over the same cells."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from benchlib.effects.cells import CellTable, build_cells
from benchlib.effects.relation import relate_cells
from benchlib.errors import DataError

SIZES = 2.0 ** np.arange(8)


def tables(noise: float, seed: int, power: float = 0.7, replicates: int = 5) -> tuple[CellTable, CellTable]:
    places = np.tile(np.arange(8), replicates)
    scatter = np.random.default_rng(seed).lognormal(0, noise, places.size)
    response = build_cells({"step": places}, 3e-6 * SIZES[places] ** power * scatter, unit="sec/op")
    return response, build_cells({"step": np.arange(8)}, SIZES, unit="B/op")


def test_slope_is_that_of_scipy() -> None:
    """Slope, standard error and interval are those of linregress on the mean logarithms."""
    response, other = tables(0.1, 1)
    found = relate_cells(response, other)
    logs = [float(np.log(cell.values).mean()) for cell in response.cells]
    line = stats.linregress(np.log(SIZES), logs)
    reach = stats.t.ppf(0.975, 6) * line.stderr
    assert (found.slope.value, found.slope.low, found.slope.high, found.slope.standard_error) == pytest.approx(
        (line.slope, line.slope - reach, line.slope + reach, line.stderr), rel=1e-9
    )
    assert (found.n_cells, found.slope.n) == (8, 40)


def test_rank_correlation_is_that_of_scipy() -> None:
    """Spearman's coefficient, ties included."""
    random = np.random.default_rng(2)
    first, second = random.integers(1, 8, 30), random.integers(1, 8, 30)
    one = build_cells({"step": np.arange(30)}, first, unit="s")
    other = build_cells({"step": np.arange(30)}, second, unit="B")
    found = relate_cells(one, other).rank_correlation
    assert found.value == pytest.approx(stats.spearmanr(first, second).statistic, rel=1e-12)
    # Bonett and Wright, eq. 3, by hand.
    reach = stats.norm.ppf(0.975) * math.sqrt((1 + found.value**2 / 2) / 27)
    assert (found.low, found.high) == pytest.approx(
        (math.tanh(math.atanh(found.value) - reach), math.tanh(math.atanh(found.value) + reach)), rel=1e-9
    )


@pytest.mark.parametrize("sign", [1, -1])
def test_ranks_that_agree_wholly(sign: int) -> None:
    """Eight cells in one order: the far end is bounded, and not at 1 itself."""
    one = build_cells({"step": np.arange(8)}, SIZES**sign, unit="s")
    other = build_cells({"step": np.arange(8)}, SIZES, unit="B")
    found = relate_cells(one, other).rank_correlation
    ends = sorted((sign * found.low, sign * found.high))
    assert (sign * found.value, ends[1]) == (1.0, 1.0)
    assert 0.8 < ends[0] < 0.95


def test_units_do_not_matter() -> None:
    response, other = tables(0.1, 3)
    scaled = build_cells({"step": np.arange(8)}, SIZES / 1024, unit="KiB/op")
    one, two = relate_cells(response, other), relate_cells(response, scaled)
    assert (two.slope.value, two.slope.low) == pytest.approx((one.slope.value, one.slope.low), rel=1e-9)
    assert two.rank_correlation == one.rank_correlation


def test_a_metric_missing_in_half_the_cells() -> None:
    """The rest is used, and the caveat counts what was left out."""
    response, _ = tables(0.1, 4)
    half = build_cells({"step": [0, 2, 4, 6]}, SIZES[::2], unit="B/op")
    found = relate_cells(response, half)
    assert found.n_cells == 4
    assert [(one.code, one.message) for one in found.caveats] == [
        ("missing-cells", "4 cells have one of the two metrics only and are left out")
    ]


def test_zeros_are_left_out_and_counted() -> None:
    response, _ = tables(0.1, 5)
    found = relate_cells(response, build_cells({"step": np.arange(8)}, [0.0, 0.0, *SIZES[2:]], unit="B/op"))
    assert (found.n_cells, [one.message for one in found.caveats]) == (6, ["2 of 8 cells hold a 0 or less"])


def test_a_metric_that_stands_still() -> None:
    """Constant allocations: no slope, no correlation, and the reason."""
    response, _ = tables(0.1, 6)
    found = relate_cells(response, build_cells({"step": np.arange(8)}, [7.0] * 8, unit="allocs/op"))
    assert math.isnan(found.slope.value)
    assert math.isnan(found.rank_correlation.value)
    assert not found.slope.has_interval
    assert [one.message for one in found.caveats] == ["the other metric is the same in all 8 cells"]


def test_malformed() -> None:
    response, _ = tables(0.1, 7)
    with pytest.raises(DataError) as error:
        relate_cells(response, build_cells({"bits": [1, 2, 3, 4]}, [1.0] * 4, unit="B"))
    assert str(error.value) == "cells of step and of bits cannot be matched; give both tables the same factors"
    few = build_cells({"step": [0, 1, 2]}, SIZES[:3], unit="B/op")
    with pytest.raises(DataError) as error:
        relate_cells(response, few)
    assert str(error.value) == (
        "3 cells have both metrics with positive values; at least 4 are needed: measure both in more cells"
    )


def test_slope_intervals_cover() -> None:
    """400 rounds at 5 % noise: 95 % within 3.5 standard errors."""
    found = [relate_cells(*tables(0.05, seed)).slope for seed in range(400)]
    hits = sum(one.low <= 0.7 <= one.high for one in found) / 400
    assert abs(hits - 0.95) <= 3.5 * (0.95 * 0.05 / 400) ** 0.5
