"""Tables nobody would draw: every question answers or refuses in one line, without a warning of arithmetic."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from benchlib.effects.breakdown import break_down_cells
from benchlib.effects.cells import CellTable, build_cells
from benchlib.effects.interactions import find_interactions
from benchlib.effects.plain_effects import analyse_cells
from benchlib.errors import DataError

#: Levels and costs as they are drawn: tiny, huge, in words, near the ends of numbers, whole, negative, constant.
LEVELS: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
    lambda code: code,
    lambda code: code * 1e9,
    lambda code: code / 1e12,
    lambda code: 2.0**code,
    lambda code: np.array(list("abcd"))[code],
)
COSTS: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
    lambda costs: costs,
    lambda costs: costs * 1e100,
    lambda costs: costs * 1e-100,
    lambda costs: costs * 1e280,
    lambda costs: costs * 1e-280,
    np.round,
    lambda costs: costs - 1,
    lambda costs: np.full(costs.size, 3.0),
)


def tables(seed: int) -> tuple[CellTable, CellTable]:
    """Two tables of one to three factors with one to four levels, of one to forty values."""
    random = np.random.default_rng(seed)
    size = int(random.integers(1, 40))
    factors = {
        name: LEVELS[random.integers(len(LEVELS))](random.integers(0, random.integers(1, 5), size))
        for name in "abc"[: random.integers(1, 4)]
    }
    cost = COSTS[random.integers(len(COSTS))]
    one, other = (
        build_cells(factors, cost(random.lognormal(0, random.choice([0.01, 1, 5]), size)), unit="sec/op")
        for _ in range(2)
    )
    return one, other


def refusals(seed: int) -> list[str]:
    """Ask everything of two tables, and return what was refused."""
    one, other = tables(seed)
    questions: tuple[Callable[[], object], ...] = (
        lambda: analyse_cells(one),
        lambda: find_interactions(one),
        lambda: break_down_cells(one, {"part": other}),
    )
    told = []
    for question in questions:
        try:
            question()
        except DataError as error:
            told.append(str(error))
    return told


@pytest.mark.parametrize("batch", range(6))
def test_no_table_breaks_a_question(batch: int) -> None:
    """300 tables; pytest turns any warning into an error."""
    for seed in range(50 * batch, 50 * batch + 50):
        assert all("\n" not in one and len(one) < 400 for one in refusals(seed))


@pytest.mark.heavy
def test_no_table_breaks_a_question_at_length() -> None:
    """The same for 3,000 tables."""
    for seed in range(1000, 4000):
        assert all("\n" not in one and len(one) < 400 for one in refusals(seed))
