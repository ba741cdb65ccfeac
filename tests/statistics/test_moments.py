"""The classical distributions give what ``scipy.stats`` gives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from benchlib.statistics.moments import f_tail, t_quantile, welch_test


@pytest.mark.parametrize("freedom", [1, 1.7, 4, 39, 1e6])
def test_quantiles_and_tails_are_those_of_scipy(freedom: float) -> None:
    """To the bit: they are the same functions."""
    for share in (0.5, 0.9, 0.975, 0.9995):
        assert t_quantile(share, freedom) == stats.t.ppf(share, freedom)
    for statistic in (0.0, 0.1, 1.0, 7.5, 400.0):
        assert f_tail(statistic, 3, freedom) == stats.f.sf(statistic, 3, freedom)


def test_welch_is_that_of_scipy() -> None:
    """Difference, p value and interval of 100 pairs of samples, small and unequal."""
    draw = np.random.default_rng(20261120)
    for _ in range(100):
        one = draw.normal(size=draw.integers(2, 12))
        two = draw.normal(0.5, 3, size=draw.integers(2, 12))
        ours, theirs = welch_test(one, two), stats.ttest_ind(one, two, equal_var=False)
        assert ours.pvalue == pytest.approx(theirs.pvalue, rel=1e-12)
        assert ours.degrees_of_freedom == pytest.approx(theirs.df, rel=1e-12)
        assert ours.interval(0.95) == pytest.approx(theirs.confidence_interval(0.95), rel=1e-12, abs=1e-12)


def test_one_sample_may_not_vary() -> None:
    """The other's variance is all there is."""
    ours = welch_test(np.array([1.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0]))
    assert ours.degrees_of_freedom == pytest.approx(2)
    assert 0 < ours.pvalue < 1
