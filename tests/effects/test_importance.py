"""Shares of the variance."""

from __future__ import annotations

import numpy as np
import pytest

from benchlib.effects.cells import build_cells
from benchlib.effects.importance import share_of_variance


def test_balanced_shares_by_hand() -> None:
    """In a balanced table of products the shares are those of the logarithms, and add up to 1."""
    table = build_cells({"a": [1, 2, 1, 2], "b": ["x", "x", "y", "y"]}, [1.0, np.e, np.e**2, np.e**3], unit="s")
    shares = share_of_variance(table.cells, ("a", "b"))
    assert shares == pytest.approx({"b": 0.8, "a": 0.2}, abs=1e-12)
    assert list(shares) == ["b", "a"]


def test_noise_takes_its_share() -> None:
    """Replicates that differ leave less to the factor: 4 of 8 squared units here."""
    logs = np.array([0.0, 2.0, 2.0, 4.0])
    table = build_cells({"a": [1, 1, 2, 2]}, np.exp(logs), unit="s")
    assert share_of_variance(table.cells, ("a",)) == pytest.approx({"a": 0.5}, abs=1e-12)


def test_unbalanced_type_two() -> None:
    """What is lost without a factor, the other staying in: least squares by hand."""
    a, b = np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 0, 1])
    logs = np.array([0.0, 0.2, 1.0, 2.0, 3.5])
    table = build_cells({"a": a, "b": b}, np.exp(logs), unit="s")

    def left(*columns: np.ndarray) -> float:
        design = np.column_stack([np.ones(5), *columns])
        return float(((logs - design @ np.linalg.lstsq(design, logs, rcond=None)[0]) ** 2).sum())

    total = float(((logs - logs.mean()) ** 2).sum())
    expected = {"a": (left(b) - left(a, b)) / total, "b": (left(a) - left(a, b)) / total}
    assert share_of_variance(table.cells, ("a", "b")) == pytest.approx(expected, abs=1e-12)


def test_nothing_to_share() -> None:
    """Constant or zero responses have no shares."""
    for values in ([5.0] * 4, [0.0] * 4):
        table = build_cells({"a": [1, 1, 2, 2]}, values, unit="s")
        assert share_of_variance(table.cells, ("a",)) == {}
