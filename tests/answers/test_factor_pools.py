"""Pooling by a factor: the known answer of CSP, and that noise alone is rarely taken for a factor."""

from __future__ import annotations

import numpy as np
import pytest

from benchlib.answers.comparison import ComparisonAnswer
from benchlib.answers.factor_pools import pool_by_factor
from tests.comparison_answers import around, make_answer, make_row
from tests.shipped_studies import summary


def of_ratios(ratios: dict[tuple[int, int], float]) -> ComparisonAnswer:
    """One row a configuration of bits and inputs."""
    rows = [
        make_row("Sender", around(1e-3), around(1e-3 * ratio), key={"bits": bits, "inputs": inputs})
        for (bits, inputs), ratio in ratios.items()
    ]
    return make_answer(rows)


def test_csp_is_slower_at_32_bits_and_faster_at_64() -> None:
    """Checked by hand against the raw files; the cells without a range proof move alike, and are controls."""
    answer = next(each for each in summary("token-sdk").comparisons if getattr(each, "name", "") == "proof types")
    assert isinstance(answer, ComparisonAnswer)
    (pooled,) = pool_by_factor(answer)
    assert (pooled.axis, pooled.metric) == ("bits", "time")
    assert [(level.level, len(level.rows)) for level in pooled.levels] == [(32, 8), (64, 8)]
    assert [level.ratio for level in pooled.levels] == pytest.approx([1.0426, 0.9781], abs=2e-4)
    assert all(level.low < level.ratio < level.high for level in pooled.levels)
    assert pooled.levels[0].high < 1.06
    assert pooled.levels[1].high < 1


def test_one_row_against_the_others_leaves_no_factor() -> None:
    """Every row of a level has to go one way."""
    ratios = {(bits, inputs): 1.05 if bits == 32 else 0.95 for bits in (32, 64) for inputs in range(8)}
    assert len(pool_by_factor(of_ratios(ratios))) == 1
    ratios[32, 3] = 0.99
    assert pool_by_factor(of_ratios(ratios)) == ()


def test_too_few_rows_leave_no_factor() -> None:
    """Three of three is a coin's work: one in four, either way."""
    ratios = {(bits, inputs): 1.05 if bits == 32 else 0.95 for bits in (32, 64) for inputs in range(3)}
    assert pool_by_factor(of_ratios(ratios)) == ()


def test_noise_is_rarely_a_factor() -> None:
    """200 comparisons without any difference: at most 5 of 100 may show one; this rule shows nearly none."""
    rng = np.random.default_rng(20261120)
    shown = 0
    for _ in range(200):
        draws = np.exp(rng.normal(0, 0.02, 16))
        ratios = {(bits, inputs): draws[8 * (bits == 64) + inputs] for bits in (32, 64) for inputs in range(8)}
        shown += bool(pool_by_factor(of_ratios(ratios)))
    assert shown <= 2
