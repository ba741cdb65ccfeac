"""Amounts and formulas as a reader sees them."""

from __future__ import annotations

import numpy as np
import pytest

from benchlib.effects.cost_models import fit_cost_model
from benchlib.effects.UNKNOWN import amount
from tests.effects.models.test_model import grid, numbers, table_of


@pytest.mark.parametrize(
    ("value", "unit", "written"),
    [
        (0.0281, "sec/op", "28.1 ms"),
        (0.02, "sec/op", "20 ms"),
        (9.91e-19, "sec", "9.91e-10 ns"),
        (9e-19, "sec", "9e-10 ns"),
        (1.2e-20, "sec/op", "1.2e-11 ns"),
        (10.0, "allocs/op", "10 allocs"),
        (5000.0, "req/sec", "5,000 req/s"),
        (2.5e6, "B/sec", "2.38 MiB/s"),
        (3.0, "B/op", "3 B"),
    ],
)
def test_amounts(value: float, unit: str, written: str) -> None:
    """Zeros that say nothing are cut, those of an exponent are not; only for-each-operation goes without saying."""
    assert amount(value, unit) == written


def test_a_factor_named_x_is_told_from_times() -> None:
    x = np.array([1, 2, 4, 8, 16, 32])
    model = fit_cost_model(table_of({"x": x}, 1 + x * np.log2(x), noise=0.0))
    assert model.chosen.formula == "1 s + 1 s * x * log2(x)"


def test_scales_are_factors_too() -> None:
    cells = grid(x=[1, 2, 4, 8, 16], curve=["A", "B"])
    mean = (1 + numbers(cells, "x")) * np.where(cells["curve"] == "B", 2.0, 1.0)
    model = fit_cost_model(table_of(cells, mean, noise=0.0))
    assert model.chosen.formula == "(1 s + 1 s * x) * 2 at curve = B"
