"""Rows that came in blocks: what few blocks, few ticks of a clock and two modes must not pass for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from benchlib.statistics.blocked import BlockedRows, blocked_rows, sided_rows
from benchlib.statistics.verdicts import benjamini_hochberg

ROWS = 200


def alarms(rows: BlockedRows) -> int:
    """Count the discoveries of a family at 5 %, behind each row's own test, as `judge` makes them."""
    floored = rows.floored(0)
    adjusted = benjamini_hochberg(floored.family_pvalues(floored.there, 0))
    return int(((adjusted <= 0.05) & (floored.pvalues()[floored.there] <= 0.05)).sum())


def two_modes(random: np.random.Generator, blocks: int, values: int) -> np.ndarray:
    """Logarithms of rows that take 10 % longer in 3 of 10 values."""
    shape = (ROWS, blocks, values)
    return np.asarray((random.normal(0, 0.005, shape) + 0.1 * (random.random(shape) < 0.3)).mean(axis=2))


@pytest.mark.parametrize(("rows_of", "blocks", "values"), [(blocked_rows, 5, 1), (sided_rows, 3, 5)])
def test_two_modes_are_no_change(rows_of: object, blocks: int, values: int) -> None:
    """Blocks alike by luck pass for no noise in t tests alone, which find something in many families of 200."""
    random = np.random.default_rng(8)
    families = [
        rows_of(list(zip(*(two_modes(random, blocks, values) for _ in range(2)), strict=True)))  # type: ignore[operator]
        for _ in range(60)
    ]
    alone = sum(bool((benjamini_hochberg(rows.pvalues()) <= 0.05).any()) for rows in families)
    assert alone >= 6
    assert sum(map(bool, map(alarms, families))) <= 6


@pytest.mark.parametrize(("rows_of", "blocks"), [(blocked_rows, 6), (blocked_rows, 10), (sided_rows, 10)])
def test_one_row_of_many_is_found(rows_of: object, blocks: int) -> None:
    """Three percent of noise, 30 % more time in one row of 200."""
    random = np.random.default_rng(9)
    for _ in range(10):
        old, new = random.normal(0, 0.03, (2, ROWS, blocks))
        new[0] += np.log(1.3)
        rows = rows_of(list(zip(old, new, strict=True)))  # type: ignore[operator]
        floored = rows.floored(0)
        assert benjamini_hochberg(floored.family_pvalues(floored.there, 0))[0] <= 0.05


def test_a_row_alone_is_asked_by_students_t() -> None:
    """SciPy's paired and pooled t tests on logarithms."""
    random = np.random.default_rng(10)
    old, new = random.normal(0, 0.03, (2, 5))
    paired, sided = blocked_rows([(old, new)]), sided_rows([(old, new)])
    assert paired.pvalues()[0] == pytest.approx(stats.ttest_rel(new, old).pvalue, rel=1e-9)
    assert sided.pvalues()[0] == pytest.approx(stats.ttest_ind(new, old).pvalue, rel=1e-9)
    assert [rows.floored(0).error[0] for rows in (paired, sided)] == pytest.approx([paired.error[0], sided.error[0]])


def test_few_blocks_take_the_noise_of_their_kind_and_many_their_own() -> None:
    """A quiet row beside a noisy one of its kind; rows of another kind have no part in it."""
    quiet, noisy = [0.300, 0.301, 0.299], [0.2, 0.5, 0.3]
    rows = blocked_rows([([0.0] * 3, quiet), ([0.0] * 3, noisy), ([0.0] * 3, quiet)])
    error = rows.floored([0, 0, 1]).error
    assert error[0] == pytest.approx(np.sqrt((rows.error[:2] ** 2).mean()))
    assert error[1:] == pytest.approx(rows.error[1:])
    many = blocked_rows([([0.0] * 6, quiet * 2), ([0.0] * 6, noisy * 2)])
    assert many.floored(0).error == pytest.approx(many.error)


def test_a_detectable_change_is_seen_in_four_of_five() -> None:
    """Ten rounds that differ by 1 %: the change told of one recording is seen in 80 % of others."""
    random = np.random.default_rng(9)
    seen, told = [], []
    for _ in range(400):
        first = random.normal(0, 0.01, 10)
        told.append(float(blocked_rows([(np.zeros(10), first)]).detectable(0.05, 0.0)[0]))
        moved = blocked_rows([(np.zeros(10), random.normal(np.log1p(0.01), 0.01, 10))])
        seen.append(float(moved.pvalues()[0]) <= 0.05)
    assert np.median(told) == pytest.approx(0.01, abs=0.0015)
    assert np.mean(seen) == pytest.approx(0.8, abs=0.08)


def test_more_rounds_follow_the_square_of_what_is_to_be_told() -> None:
    """Half as far from the limit takes four times the rounds; at the limit none would do."""
    differences = np.array([0.02, -0.02] * 5)
    far, near, at = (
        float(blocked_rows([(np.zeros(10), differences + np.log1p(0.02) + away)]).more(0.05, 0.02)[0])
        for away in (0.01, 0.005, 0.0)
    )
    assert (near + 10) / (far + 10) == pytest.approx(4, rel=0.05)
    assert np.isnan(at) or at > 1e6
