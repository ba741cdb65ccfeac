"""Where another core pays."""

import math

import numpy as np
import pytest

from benchlib.errors import DataError
from benchlib.scaling.advise import best_return
from benchlib.scaling.curve import build_curve
from benchlib.scaling.fit import fit_law

LEVELS = [1, 2, 4, 8, 16]
TIME = 1e6 / np.array([157.0, 118.0, 73.0, 62.0, 54.0])
REQUESTS = [6499.0, 7606.0, 14356.0, 17233.0, 17455.0]


@pytest.mark.parametrize("throughput", [TIME, REQUESTS])
def test_published_onix_sweep(throughput: list[float]) -> None:
    """By core best at 1, by added core best from 2 to 4, on both curves; 4 is recommended of 10 cores."""
    curve = build_curve(LEVELS, throughput, unit="op/sec")
    answer = best_return(curve, fit_law(curve, "amdahl"), cores=10)
    assert answer.per_core_best == 1
    assert answer.added_core_best == (2, 4)
    assert answer.recommended == 4
    assert answer.recommended_range is None
    # A concave law always gains most at its first step: the points overrule it there.
    assert answer.law_per_core_best == 1
    assert answer.law_added_core_best == (1, 2)
    assert answer.law_recommended == 3
    assert not any(level.per_core.has_interval for level in answer.levels)


def test_levels_beyond_the_cores_never_count() -> None:
    """A gain that needs 16 workers on 4 cores is shown and not recommended."""
    curve = build_curve(LEVELS, [10.0, 16.0, 24.0, 60.0, 200.0], unit="op/sec")
    assert best_return(curve).recommended == 16
    answer = best_return(curve, cores=4)
    assert answer.recommended == 4
    assert [level.within_cores for level in answer.levels] == [True, True, True, False, False]
    assert answer.added_core_best == (1, 2)


def test_gains_have_intervals_where_levels_have_replicates() -> None:
    """Welch's interval of the gain, and the levels that cannot be told from the recommended one."""
    generator = np.random.default_rng(3)
    n = np.repeat([1.0, 2.0, 4.0, 8.0], 5)
    values = np.repeat([10.0, 18.0, 25.5, 30.0], 5) * (1 + 0.02 * generator.standard_normal(20))
    answer = best_return(build_curve(n, values, unit="op/sec"), cores=8)
    first = answer.gains[0].per_added_core
    assert first.low < 8.0 < first.high
    assert math.isfinite(first.standard_error)
    assert answer.recommended_range is not None
    low, high = answer.recommended_range
    assert low == 2
    assert high == 4


def test_no_gain_at_all() -> None:
    """Where throughput only falls, no added core gains and one worker is recommended."""
    answer = best_return(build_curve([1, 2, 4], [10.0, 9.0, 7.0], unit="op/sec"), cores=4)
    assert answer.added_core_best is None
    assert answer.recommended == 1


def test_unknown_cores_are_said() -> None:
    """Without the number of cores every level counts, with a caveat."""
    answer = best_return(build_curve([1, 2], [10.0, 19.0], unit="op/sec"))
    assert [one.code for one in answer.caveats] == ["cores-unknown"]


def test_no_level_within_the_cores_is_refused() -> None:
    """Levels 4 and 8 on 2 cores carry no recommendation."""
    with pytest.raises(DataError, match="lies within the 2 cores"):
        best_return(build_curve([4, 8], [10.0, 19.0], unit="op/sec"), cores=2)
