"""Ratios within blocks and strata: the paired t test, its interval, and what it is free of."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from benchlib.errors import DataError
from benchlib.statistics.blocked import BlockedRatio, blocked_ratio, paired_logs

#: BAPCaller_AllActions of three runs of beckn-onix, ns/op: discover, then confirm.
ACTIONS = ([605_000.0, 235_000.0, 316_000.0], [777_000.0, 332_000.0, 434_000.0])


def paired(before: np.ndarray, after: np.ndarray) -> BlockedRatio:
    """Rows are blocks, columns their values."""
    blocks = np.repeat(np.arange(before.shape[0]), before.shape[1])
    over = np.repeat([False, True], before.size)
    return blocked_ratio(np.concatenate([before.ravel(), after.ravel()]), over, blocks=np.tile(blocks, 2))


def test_runs_that_hold_both_sides_are_paired() -> None:
    """SciPy's paired t test on logarithms; runs that differ 2.6-fold do not hide a ratio that all three show."""
    before, after = (np.array(side)[:, None] for side in ACTIONS)
    ratio = paired(before, after)
    test = stats.ttest_rel(np.log(after.ravel()), np.log(before.ravel()))
    interval = test.confidence_interval(0.95)
    assert ratio.pvalue == pytest.approx(test.pvalue, rel=1e-9)
    assert (ratio.estimate.low, ratio.estimate.high) == pytest.approx(np.exp([interval.low, interval.high]), rel=1e-9)
    assert (ratio.by, ratio.blocks, ratio.blocks_alike) == ("block", 3, 3)
    assert stats.ttest_ind(np.log(after.ravel()), np.log(before.ravel())).pvalue > 0.4


def test_configurations_are_strata() -> None:
    """A factor over a table: the spread of its ratio between configurations is the error; all of them agree."""
    random = np.random.default_rng(4)
    strata = np.tile(np.repeat(np.arange(9), 6), 2)
    over = np.repeat([False, True], 54)
    values = 10.0 ** random.uniform(0, 3, 9)[strata] * np.where(over, 1.04, 1.0) * random.lognormal(0, 0.005, 108)
    ratio = blocked_ratio(values, over, strata=strata)
    logs = np.log(values).reshape(2, 9, 6).mean(axis=2)
    expected = stats.ttest_1samp(logs[1] - logs[0], 0).confidence_interval(0.95)
    assert (ratio.estimate.low, ratio.estimate.high) == pytest.approx(np.exp([expected.low, expected.high]), rel=1e-9)
    assert (ratio.by, ratio.strata, ratio.strata_alike) == ("stratum", 9, 9)


def test_blocks_count_before_strata() -> None:
    """With three runs the runs' ratios are the error, however many configurations each holds; a gap biases nothing."""
    effect = np.array([0.5, 1.0, 2.0, 4.0])
    run, stratum = (codes.ravel() for codes in np.indices((3, 4)))
    run, stratum, over = np.tile(run, 2), np.tile(stratum, 2), np.repeat([False, True], 12)
    values = np.where(over, effect[stratum] * np.array([1.00, 1.01, 0.99])[run], 1.0)
    ratio = blocked_ratio(values, over, blocks=run, strata=stratum)
    assert (ratio.by, ratio.blocks, ratio.strata) == ("block", 3, 4)
    assert ratio.estimate.value == pytest.approx(2**0.5, rel=1e-3)
    present = ~((run == 0) & (stratum == 3))
    gap = blocked_ratio(values[present], over[present], blocks=run[present], strata=stratum[present])
    assert gap.estimate.value == pytest.approx(ratio.estimate.value, rel=0.01)
    assert gap.estimate.high / gap.estimate.low < 1.1


def test_few_blocks_and_no_spread() -> None:
    """One block is Welch's test, two are two ratios; copies are exact; sides that never meet are refused."""
    before, after = np.array([[1.0, 1.1, 0.95, 1.02]]), np.array([[2.0, 2.4, 1.9, 2.2]])
    ratio = paired(before, after)
    test = stats.ttest_ind(np.log(after[0]), np.log(before[0]), equal_var=False)
    assert (ratio.by, ratio.pvalue) == ("value", pytest.approx(test.pvalue, rel=1e-9))
    two = paired(before.reshape(2, 2), after.reshape(2, 2))
    logs = np.log(after / before).reshape(2, 2).mean(axis=1)
    assert (two.by, two.pvalue) == ("block", pytest.approx(stats.ttest_1samp(logs, 0).pvalue, rel=1e-9))
    single = paired(np.array([[612.0]]), np.array([[781.0]]))
    assert (single.estimate.has_interval, np.isnan(single.pvalue)) == (False, True)
    counts = paired(np.full((3, 1), 612.0), np.full((3, 1), 918.0))
    assert (counts.estimate.low, counts.estimate.value, counts.estimate.high) == pytest.approx((1.5,) * 3)
    assert (counts.pvalue, paired(np.ones((3, 1)), np.ones((3, 1))).pvalue) == (0.0, 1.0)
    with pytest.raises(DataError, match="no block holds both sides"):
        blocked_ratio([1.0, 2.0], [False, True], blocks=["monday", "tuesday"])
    with pytest.raises(DataError, match="only values above 0"):
        blocked_ratio([0.0, 2.0], [False, True])


def test_noise_that_a_round_shares_costs_nothing() -> None:
    """Rounds differ by 10 %, values within one by 1 %: nothing is found where nothing is, and 3 % always."""
    random = np.random.default_rng(7)
    shared = random.normal(0, 0.1, (400, 10))
    sides = random.normal(0, 0.01, (2, 400, 10)) + shared
    apart = sides[1] - sides[0]
    alarms = (paired_logs(apart).pvalue < 0.05).mean()
    assert 0.02 < alarms < 0.08
    assert (paired_logs(apart + np.log(1.03)).pvalue < 0.05).mean() > 0.99
    low, high = paired_logs(apart).low, paired_logs(apart).high
    assert ((low <= 0) & (high >= 0)).mean() == pytest.approx(1 - alarms)
