"""What runs of one code and untouched benchmarks do: intervals and, simulated, how often they are blamed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from benchlib.errors import DataError
from benchlib.statistics.stability import (
    RunSpread,
    control_interval,
    control_null,
    log_median_variances,
    run_spread,
    runs_apart,
)

# beckn-onix adapter report, run 2026-03-31, microseconds per operation of three runs of the same code.
PUBLISHED = {
    "Discover": (164.2, 165.4, 165.3),
    "Discover_Parallel": (39.73, 41.48, 52.84),
    "AllActions/select": (194.5, 194.5, 186.7),
    "AllActions/init": (217.1, 216.6, 218.0),
    "CacheWarm": (162.7, 162.8, 169.4),
    "CacheCold": (164.2, 205.1, 171.9),
}
LOGS = np.log([2.0, 2.5, 3.2, 2.2])


def spread_of(values: tuple[float, ...]) -> RunSpread:
    return run_spread([np.array([one]) for one in values])


def test_spread_and_trend() -> None:
    """Centre, extremes and direction of each run."""
    rising = spread_of(PUBLISHED["Discover_Parallel"])
    assert rising.centres == (39.73, 41.48, 52.84)
    assert rising.ratio == pytest.approx(52.84 / 39.73)
    assert (rising.lowest, rising.highest, rising.trend) == (0, 2, "rising")
    assert spread_of(PUBLISHED["CacheCold"]).trend == ""
    assert spread_of((3.0, 2.0, 1.0)).trend == "falling"
    assert spread_of((1.0, 2.0)).trend == ""


def test_runs_are_taken_by_their_median() -> None:
    """One outlier in a run does not move its centre."""
    spread = run_spread([[1.0, 1.0, 99.0], [1.0, 1.0]])
    assert (spread.ratio, spread.counts) == (1.0, (3, 2))


def drawn(seed: int, rows: int, runs: int, values: int, *, machine: float = 0.0) -> NDArray[np.float64]:
    """Values of benchmarks that scatter by 1 %; runs of all of them differ by what the machine does."""
    random = np.random.default_rng(seed)
    moved = machine * random.normal(0, 1, (1, runs, 1))
    return np.asarray(100 * np.exp(moved + random.normal(0, 0.01, (rows, runs, values))))


def test_one_benchmark_is_tested_by_the_classical_f_test() -> None:
    """Alone, and with a small p value: as SciPy's one-way analysis of variance of the logarithms."""
    (row,) = drawn(1, 1, 3, 5)
    row[1] *= 1.05
    assert runs_apart([row])[0] == pytest.approx(stats.f_oneway(*np.log(row)).pvalue, rel=1e-9)
    unequal = [row[0], row[1][:3], row[2]]
    assert runs_apart([unequal])[0] == pytest.approx(stats.f_oneway(*map(np.log, unequal)).pvalue, rel=1e-9)


def test_a_run_that_differs_is_seen_beside_others_that_do_too() -> None:
    """Four of twenty benchmarks in one run each, by 10 %."""
    rows = drawn(2, 20, 3, 5)
    rows[:4, 1] *= 1.1
    pvalues = runs_apart(list(rows))
    assert (pvalues[:4] < 0.001).all()
    assert (pvalues[4:] > 0.05).all()


def test_what_the_machine_does_to_all_is_no_benchmarks_own() -> None:
    """All rise by a third in the second run: none stands out; in one benchmark alone there is nobody to ask."""
    rows = drawn(3, 6, 2, 5)
    rows[:, 1] *= 1.33
    assert (runs_apart(list(rows)) > 0.05).all()
    assert runs_apart(list(rows[:1]))[0] < 1e-6


@pytest.mark.parametrize(("runs", "values", "tested"), [(2, 3, False), (3, 2, False), (4, 1, False), (2, 4, True)])
def test_few_values_in_a_run_are_no_test(runs: int, values: int, tested: bool) -> None:
    """Two modes give runs of three one value each in 1 study of 32."""
    assert np.isfinite(runs_apart([drawn(4, 1, runs, values)[0]])[0]) == tested


def test_counts_that_stand_still_are_alike_and_those_that_change_are_not() -> None:
    """No variance within runs: any difference is one."""
    assert runs_apart([[[612.0] * 4, [612.0] * 4], [[612.0] * 4, [781.0] * 4]]).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(("values", "modes"), [(3, True), (5, True), (5, False)])
def test_at_most_one_study_in_twenty_alarms(values: int, modes: bool) -> None:
    """9 quiet rows and 4 noisy ones, three runs that the machine moves by 2 % (5 % and 3 standard errors of 100)."""
    alarms = 0
    for seed in range(100):
        rows = np.log(drawn(seed, 13, 3, values, machine=0.02))
        random = np.random.default_rng(1000 + seed)
        shape = (4, 3, values)
        rows[9:] += 0.15 * (random.integers(0, 2, shape) if modes else random.normal(0, 1, shape))
        alarms += bool((runs_apart(list(np.exp(rows))) <= 0.05).any())
    assert alarms / 100 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 100)


def test_one_run_has_no_spread() -> None:
    """One run is refused."""
    with pytest.raises(DataError, match="needs 2 runs, got 1"):
        run_spread([[1.0]])


def test_control_null_known_answer() -> None:
    """Mean ± t * s * sqrt(1 + 1/n), by hand for three controls."""
    logs = np.log([2.0, 2.5, 3.2])
    null = control_null(logs, 0.9)
    reach = stats.t.ppf(0.95, 2) * logs.std(ddof=1) * math.sqrt(4 / 3)
    assert (null.low, null.high) == pytest.approx((logs.mean() - reach, logs.mean() + reach), rel=1e-12)
    assert (null.n, null.confidence_level) == (3, 0.9)


def test_one_control_bounds_nothing() -> None:
    """One control has a centre but no spread."""
    null = control_null([0.5])
    assert (null.center, null.low, null.high) == (0.5, -math.inf, math.inf)
    assert math.isnan(null.spread)


def test_no_control_is_refused() -> None:
    """No control, no null."""
    with pytest.raises(DataError, match="log ratios of the controls holds no values"):
        control_null([])


@pytest.mark.parametrize("extra", [0.0, 0.04])
@pytest.mark.parametrize("rows", [1, 10])
def test_each_row_has_students_t_at_its_part_of_the_level(extra: float, rows: int) -> None:
    """By hand: mean and t * sqrt(s^2 (1 + 1/n) + extra), n - 1 degrees of freedom, 10 % over all rows."""
    low, high = control_interval(control_null(LOGS), 0.9, together=rows, extra_variance=extra)
    reach = stats.t.ppf(1 - 0.05 / rows, 3) * math.sqrt(LOGS.var(ddof=1) * 5 / 4 + extra)
    assert (low[0], high[0]) == pytest.approx((LOGS.mean() - reach, LOGS.mean() + reach), rel=1e-9)


def test_a_higher_level_and_more_rows_need_more_room() -> None:
    """Each row of one interval for all of them; the null's own is for a row that repeats as its controls do."""
    null = control_null(LOGS, 0.9, together=6)
    low, high = control_interval(null, 0.9, together=6, extra_variance=[0.0, 0.04])
    assert (low[0], high[0]) == (null.low, null.high)
    assert low[1] < low[0] < high[0] < high[1]
    assert control_interval(null, 0.99, together=6)[1][0] > high[0] > control_interval(null, 0.9, together=5)[1][0]


@pytest.mark.parametrize(("logs", "ends"), [([0.5], (-math.inf, math.inf)), ([0.25, 0.25, 0.25], (0.25, 0.25))])
def test_controls_without_a_spread(logs: list[float], ends: tuple[float, float]) -> None:
    """One control tells nothing apart; where controls stand still whatever differs is infinitely far away."""
    low, high = control_interval(control_null(logs), 0.95, together=3)
    assert (low[0], high[0]) == ends


@pytest.mark.parametrize(
    ("level", "options", "message"),
    [
        (0.95, {"together": 0}, "0 benchmarks to lie in an interval; give 1 or more"),
        (95, {"together": 2}, "confidence level 95 is not between 0 and 1; write 95 % as 0.95"),
        *((0.95, {"extra_variance": wrong},
           "an extra variance is negative or NaN; give 0 where a row repeats as well as the controls")
          for wrong in (-0.1, math.nan)),
    ],
)  # fmt: skip
def test_intervals_that_cannot_be_are_refused(level: float, options: dict, message: str) -> None:
    """An interval is for one row at least; a level is a share; less than nothing is no variance."""
    with pytest.raises(DataError) as raised:
        control_interval(control_null(LOGS), level, **options)
    assert str(raised.value) == message


def test_variance_of_a_median_known_answer() -> None:
    """pi / 2 s^2 / n of the logarithms; no answer for one value or a zero."""
    sample = np.array([1.0, 1.3, 0.9, 1.1])
    found = log_median_variances([*sample, 5.0, 1.0, 0.0], [0, 4, 5, 7])
    assert found[0] == pytest.approx(math.pi / 2 * np.log(sample).var(ddof=1) / 4, rel=1e-12)
    assert np.isnan(found[1:]).all()
