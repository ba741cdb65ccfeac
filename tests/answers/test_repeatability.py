"""Runs of the same code: how far they lie apart, one by one and together."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from benchlib.answers.asking import Refusal
from benchlib.answers.noise import NoiseAnswer, noise
from benchlib.answers.quality import assess_quality
from benchlib.answers.repeatability import RepeatabilityAnswer, repeatability
from benchlib.errors import DataError, SelectionError
from benchlib.study import Study, open_study
from tests.synthetic import around, go_text, make_study

RUNS = '[configuration]\npaths = ["{run}.txt"]\n'
PUBLISHED = "data/onix-adapter-published"


def answered(of: Study, **options: str) -> RepeatabilityAnswer:
    """The answer of a study that has one."""
    answer = repeatability(of, **options)
    assert isinstance(answer, RepeatabilityAnswer)
    return answer


def said(answer: RepeatabilityAnswer, code: str) -> list[str]:
    """The messages of a code."""
    return [one.message for one in answer.caveats if one.code == code]


def three(tmp_path: Path, factors: dict[str, tuple[float, float, float]]) -> Study:
    """Three runs of benchmarks with these medians, in nanoseconds."""
    files = {
        f"r{one + 1}": go_text({name: around(centres[one]) for name, centres in factors.items()}) for one in range(3)
    }
    return make_study(tmp_path, RUNS, "", **files)


def test_it_agrees_with_the_data_quality_of_the_study() -> None:
    """The same spreads, judged alike: one rule, told in two places."""
    study = open_study(PUBLISHED)
    quality = {tuple(row.key.items()): row.spread.ratio for row in assess_quality(study).spreads}
    assert {tuple(row.key.items()): row.spread.ratio for row in answered(study).rows} == quality


def test_drift_is_the_geometric_mean_over_the_first_run(tmp_path: Path) -> None:
    """Ratios 1.1, 1.2, 0.9 in the second run: mean and t interval of their logarithms, by hand."""
    study = three(tmp_path, {"A": (100, 110, 130), "B": (100, 120, 130), "C": (100, 90, 130)})
    answer = answered(study)
    second, third = answer.drifts
    logs = np.log([1.1, 1.2, 0.9])
    reach = stats.t.ppf(0.975, 2) * logs.std(ddof=1) / math.sqrt(3)
    assert (second.run, second.metric, second.ratio.n, second.rising, second.falling) == ("r2", "time", 3, 2, 1)
    assert second.ratio.value == pytest.approx(math.exp(logs.mean()), rel=1e-9)
    assert (second.ratio.low, second.ratio.high) == pytest.approx(
        (math.exp(logs.mean() - reach), math.exp(logs.mean() + reach)), rel=1e-9
    )
    assert (third.run, third.ratio.value, third.ratio.low) == ("r3", pytest.approx(1.3), pytest.approx(1.3))
    assert [row.spread.trend for row in answer.rows] == ["", "rising", "rising"]


def test_counts_are_left_to_those_who_ask(tmp_path: Path) -> None:
    """Time and throughput by default; allocations are the code's. One benchmark alone gives no interval."""
    study = three(tmp_path, {"A": (100, 150, 100)})
    answer = answered(study)
    assert {row.metric for row in answer.rows} == {"time"}
    second = answer.drifts[0].ratio
    assert (second.value, second.has_interval, second.n) == (pytest.approx(1.5), False, 1)
    asked = answered(study, metric="allocations")
    assert [(row.metric, row.spread.ratio) for row in asked.rows] == [("allocations", 1.0)]


def test_many_that_part_are_counted_after_the_first_three(tmp_path: Path) -> None:
    """The page stays readable; the table has them all."""
    steady = {f"S{one}": (100.0, 100.0, 101.0) for one in range(20)}
    answer = answered(three(tmp_path, {**{f"A{one}": (100.0, 200.0 + one, 100.0) for one in range(5)}, **steady}))
    messages = said(answer, "unstable-runs")
    assert messages[0].startswith("A4: time is 104 % larger in r2 than in r1")
    assert messages[3] == "2 more differ beyond their noise"
    assert sum(row.unstable for row in answer.rows) == 5


def test_runs_of_one_value_are_shown_and_not_blamed() -> None:
    """A third more in one run of the published report: that may be its own noise, which one value does not show."""
    answer = answered(open_study(PUBLISHED), where="run=run1,run2,run3")
    assert not any(row.unstable for row in answer.rows)
    (message,) = said(answer, "few-values-in-runs")
    assert message.startswith("every row has runs of one value, so that no run can be told from noise; the widest: BAP")
    assert "time is 33 % larger in run3 than in run1" in message


def test_the_noise_is_that_of_the_budget_and_says_which_change_it_explains(tmp_path: Path) -> None:
    """Runs 10 % apart and values that stand still: two runs differ by less than t(2) times their error, by hand."""
    study = three(tmp_path, dict.fromkeys("AB", (100.0, 110.0, 121.0)))
    answer = answered(study)
    told = noise(study)
    assert isinstance(told, NoiseAnswer)
    assert [row.budget for row in answer.noise.rows] == [row.budget for row in told.rows]
    reach = stats.t.ppf(0.975, 2) * math.sqrt(2) * math.log(1.1)
    for row in answer.rows:
        assert answer.noise_of(row).budget.least_change() == pytest.approx(math.expm1(reach), rel=0.02)


def test_values_without_a_run_are_said_to_be_left_out(tmp_path: Path) -> None:
    """Nobody knows whether they are a run of their own; noise leaves them out too, in the same words."""
    rows = "".join(f"A,{run},{100 + value},ns/op\n" for run in ("r1", "r2", "") for value in range(4))
    (tmp_path / "all.csv").write_text(f"benchmark,run,time,unit\n{rows}")
    study = open_study(tmp_path)
    told = noise(study)
    assert isinstance(told, NoiseAnswer)
    for answer in (answered(study), told):
        (message,) = [one.message for one in answer.caveats if one.code == "without-run"]
        assert message == "4 of 12 values belong to no run and are left out: those of all.csv"
    assert (answered(study).runs, told.rows[0].budget["run"].units) == (("r1", "r2"), 2)


def test_a_busy_machine_is_one_caveat(tmp_path: Path) -> None:
    """Where all wander alike, no benchmark is blamed."""
    answer = answered(three(tmp_path, {f"A{one}": (100.0, 150.0, 120.0) for one in range(6)}))
    assert [one.code for one in answer.caveats] == ["noisy-machine"]


def test_the_unit_and_the_order_of_benchmarks_change_nothing(tmp_path: Path) -> None:
    """Values in another unit have the same ratios."""
    study = three(tmp_path, {"A": (100, 110, 130), "B": (100, 120, 130)})
    frame = study.results.frame
    scaled = replace(study.results, frame=frame.assign(value=frame["value"] * 1e6).iloc[::-1])
    one, other = answered(study), repeatability(scaled)
    assert isinstance(other, RepeatabilityAnswer)
    ratios = [{row.key["benchmark"]: round(row.spread.ratio, 9) for row in answer.rows} for answer in (one, other)]
    assert ratios[0] == ratios[1]


@pytest.mark.parametrize(
    ("path", "where", "reason"),
    [
        ("data/heavy-read-api-published", "", "such results belong to no run"),
        (PUBLISHED, "run=run1", "only one run has such results: run1"),
        (PUBLISHED, "run=run9", "'run=run9' selects no row; run takes run1, run2, run3, percentiles, "
         "cache_comparison, sweep, default"),
        (PUBLISHED, "run=sweep,percentiles,cache_comparison metric=time",
         "no benchmark has values above 0 in two of the runs cache_comparison, sweep"),
    ],
)  # fmt: skip
def test_what_cannot_be_said_is_refused(path: str, where: str, reason: str) -> None:
    """No runs, one run, a condition that selects nothing, runs of different benchmarks."""
    answer = repeatability(open_study(path), where=where)
    assert isinstance(answer, Refusal)
    assert (answer.question, answer.reason) == ("repeatability", reason)


def test_a_question_that_cannot_be_read_is_an_error() -> None:
    """Unknown metrics, conditions and levels are the asker's to mend."""
    study = open_study(PUBLISHED)
    with pytest.raises(SelectionError, match="no metric 'tiem'; did you mean 'time'"):
        repeatability(study, metric="tiem")
    with pytest.raises(SelectionError, match="is not a condition"):
        repeatability(study, where="run")
    with pytest.raises(DataError, match=r"confidence level 95 is not between 0 and 1"):
        repeatability(study, confidence_level=95)
