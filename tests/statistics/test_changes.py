"""Changes, drifts, outliers and modes of long series, on simulated runs; real ones: benchmarks/trend_detection.py."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from benchlib.errors import DataError
from benchlib.statistics.changes import Course, find_changes

RUNS = 200


def noise(seed: int, scale: float = 0.01, runs: int = RUNS) -> NDArray[np.float64]:
    return np.exp(scale * np.random.default_rng(seed).standard_normal(runs))


def stepped(seed: int, at: int, size: float, runs: int = RUNS) -> NDArray[np.float64]:
    return 100 * noise(seed, runs=runs) * np.where(np.arange(runs) >= at, 1 + size, 1)


def only(values: NDArray[np.float64], **asked: float) -> Course:
    (course,) = find_changes([values], **asked)
    return course


def test_a_step_is_placed_sized_and_dated() -> None:
    """5 % at run 120, noise 1 %: told, within three runs; its size and place lie in what is said to hold them."""
    course = only(stepped(1, 120, 0.05))
    (change,) = course.changes
    assert change.first <= 120 <= change.last <= change.first + 4
    assert change.ratio.low < 1.05 < change.ratio.high
    assert change.ratio.high / change.ratio.low < 1.03
    assert change.before == pytest.approx(100, rel=0.01)
    assert change.after / change.before == pytest.approx(change.ratio.value, rel=1e-9)
    assert (change.runs_before + change.runs_after, change.state) == (RUNS, "confirmed")
    assert course.levels[[0, -1]] == pytest.approx([100, 105], rel=0.01)


@pytest.mark.parametrize(("after", "states"), [(2, []), (3, ["provisional"]), (4, ["provisional"]), (5, ["confirmed"])])
def test_three_runs_tell_a_step_and_five_confirm_it(after: int, states: list[str]) -> None:
    values = stepped(2, RUNS - after, 0.10)
    assert [change.state for change in only(values).changes] == states


def test_sets_and_intervals_hold_what_they_say() -> None:
    """Of 300 steps of 5 %, sets hold 95 % and intervals 95 %, within three standard errors."""
    random = np.random.default_rng(3)
    places = random.integers(40, RUNS - 40, 300)
    courses = find_changes([stepped(seed, int(at), 0.05) for seed, at in enumerate(places)])
    pairs = [
        (change, at)
        for course, at in zip(courses, places, strict=True)
        for change in course.changes
        if abs(change.at - at) <= 10
    ]
    assert len(pairs) > 290
    assert np.mean([change.first <= at <= change.last for change, at in pairs]) > 0.91
    assert np.mean([change.ratio.low <= 1.05 <= change.ratio.high for change, _ in pairs]) > 0.91


def test_what_only_scatters_has_no_change() -> None:
    """Of 300 series of 200 runs at most one in twenty has one, and all of them together few."""
    courses = find_changes([100 * noise(seed) for seed in range(300)])
    assert sum(len(course.changes) for course in courses) <= 3
    assert all(not course.drifts for course in courses)


def test_a_slope_is_a_drift_and_no_stairs() -> None:
    """10 % over all runs, ten times: each is one drift by about as much."""
    courses = find_changes([100 * noise(seed) * 1.1 ** np.linspace(0, 1, RUNS) for seed in range(10)])
    for course in courses:
        assert not course.changes
        (drift,) = course.drifts
        assert drift.end / drift.start == pytest.approx(1.1, abs=0.02)
        assert drift.last - drift.first > 120


def test_wild_runs_are_listed_and_change_nothing() -> None:
    values = 100 * noise(5)
    values[[30, 90, 91, 160]] *= [2.0, 1.5, 1.5, 0.7]
    course = only(values)
    assert (course.changes, course.outliers) == ((), (30, 90, 91, 160))


def test_two_modes_that_alternate_are_no_changes() -> None:
    """Each run lies at 100 or at 130, by chance: one series of two modes."""
    modes = np.where(np.random.default_rng(6).random(RUNS) < 0.4, 1.3, 1.0)
    course = only(100 * noise(6) * modes)
    assert course.changes == ()
    assert course.modes == pytest.approx((100, 130), rel=0.01)


def test_a_dip_is_two_changes_and_says_both_ways() -> None:
    values = stepped(7, 80, 0.08)
    values[120:] /= 1.08
    ratios = [change.ratio.value for change in only(values).changes]
    assert ratios == pytest.approx([1.08, 1 / 1.08], abs=0.015)


def test_more_series_need_clearer_changes() -> None:
    """A step that stands by itself falls among 300 quiet series, where chance makes as much."""
    weak = next(
        values
        for values in (stepped(seed, 190, 0.022) for seed in range(20, 400))
        if (changes := only(values).changes) and changes[0].pvalue > 0.002
    )
    quiet = [100 * noise(seed) for seed in range(300)]
    assert find_changes([weak, *quiet])[0].changes == ()


@pytest.mark.parametrize("runs", [3, 10])
def test_steps_said_to_be_visible_are_told(runs: int) -> None:
    """Of 100 steps as large as is said to be seen, runs after, at least 85 are told."""
    told = 0
    for seed in range(100):
        step = only(100 * noise(seed)).visible(runs)
        changes = only(stepped(seed, 150, step, 150 + runs)).changes
        told += any(abs(change.at - 150) <= 2 for change in changes)
    assert told >= 85


def test_counts_that_never_vary_have_no_noise_and_a_step_of_one_is_seen() -> None:
    values = np.full(40, 100.0)
    assert only(values).changes == ()
    values[30:] = 103
    (change,) = only(values).changes
    assert (change.first, change.at, change.last) == (30, 30, 30)
    assert change.ratio.value == pytest.approx(1.03, rel=1e-9)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0] * 9, "series 1 has 9 runs; 10 or more have a course"),
        ([1.0] * 9 + [0.0], "series 1 holds 0; a change is a factor of values above 0"),
        ([1.0] * 9 + [float("nan")], "series 1 holds nan"),
    ],
)
def test_refuses_what_has_no_course(values: list[float], message: str) -> None:
    with pytest.raises(DataError, match=message):
        find_changes([values])
    with pytest.raises(DataError, match="give shares between 0 and 1"):
        find_changes([], least=2)


def test_what_may_be_no_step_at_all_is_not_told() -> None:
    """A walk that turns about leaves the same level on either side: less than half of what matters is no change."""
    for seed in range(240, 250):
        rng = np.random.default_rng(seed)
        walk = 100 * np.exp(np.cumsum(0.006 * rng.standard_normal(120)) + 0.003 * rng.standard_normal(120))
        (course,) = find_changes([walk])
        assert all(abs(math.log(change.ratio.value)) >= math.log1p(0.02) / 2 for change in course.changes)
