"""Draws in few bytes: nothing of them is lost, whatever they are."""

from __future__ import annotations

import json

import numpy as np
import pytest

import benchlib
from benchlib.answers.capacity import exported_codes, exported_plan
from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.report.page.draw_packing import pack_draws, unpack_draws
from benchlib.report.page.packing import pack_bytes


@pytest.mark.parametrize("places", [1, 2, 3, 7, 16])
@pytest.mark.parametrize("laws", [[200], [150, 1, 49], [2] * 100])
@pytest.mark.parametrize("most", [0, 3, 500, 32767])
def test_every_code_comes_back(places: int, laws: list[int], most: int) -> None:
    """Few and many places, laws of a single draw, and codes as far apart as 16 bits go."""
    chosen = np.random.default_rng(places + most)
    codes = chosen.integers(-most, most, size=(200, places), endpoint=True).astype(np.int16)
    for first in ((), (places - 1, places // 2)):
        steps, left = pack_draws(codes, laws, first)
        # As a page carries them.
        again = unpack_draws(json.loads(json.dumps(steps)), left, laws)
        assert np.array_equal(again, codes)
        assert len(left) == 2 * codes.size


def test_curves_of_laws_take_a_third_of_their_bytes() -> None:
    """Four concurrencies foretell the others: two bytes a draw and concurrency become two thirds of one."""
    answer = benchlib.plan_capacity("data/onix-adapter-published", target="50000/s")
    assert isinstance(answer, PlanningAnswer)
    for plan in answer.loads:
        (codes,) = exported_codes(plan)
        _, left = pack_draws(codes, exported_plan(answer, plan)["laws"])
        assert 3 / 4 * len(pack_bytes(left)) < codes.nbytes / 3
