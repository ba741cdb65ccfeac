"""A history of commits: what changed, since when, and that commits are no repeats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import benchlib
from benchlib.answers.asking import Refusal
from benchlib.answers.executive import executive_summary
from benchlib.answers.trend import TrendAnswer, trend
from benchlib.document.numbers import words_of
from benchlib.render.terminal import terminal
from benchlib.study import open_study
from benchlib.tell.executive import executive
from benchlib.tell.trend import document


def record(folder: Path, **series: list[float]) -> benchlib.Study:
    """Write what github-action-benchmark keeps: one value of each benchmark a commit."""
    commits = [
        {
            "commit": {"id": f"c{at:09d}"},
            "tool": "go",
            "benches": [{"name": name, "unit": "ns/op", "value": values[at]} for name, values in series.items()],
        }
        for at in range(len(next(iter(series.values()))))
    ]
    text = f"window.BENCHMARK_DATA = {json.dumps({'entries': {'Bench': commits}})}"
    (folder / "data.js").write_text(text, encoding="utf-8")
    return open_study(folder)


def noise(seed: int, n: int = 30) -> np.ndarray:
    return 1 + 0.02 * np.random.default_rng(seed).standard_normal(n)


def answered(study: benchlib.Study, **asked: Any) -> TrendAnswer:
    answer = trend(study, **asked)
    assert isinstance(answer, TrendAnswer)
    return answer


def test_a_change_is_told_with_its_commit(tmp_path: Path) -> None:
    """From the 20th commit on a benchmark takes 40 % more; the other only scatters."""
    slower = 100 * noise(1) * np.where(np.arange(30) < 20, 1, 1.4)
    study = record(tmp_path, Encode=slower.tolist(), Decode=(50 * noise(2)).tolist())
    answer = answered(study)
    (finding,) = answer.findings
    ((series, change),) = finding.members
    assert (series.key["benchmark"], answer.runs[finding.at], finding.cause) == ("Encode", "c000000020", "code")
    assert (finding.worse, finding.state, change.runs_before, change.runs_after) == (True, "confirmed", 20, 10)
    said = words_of(executive(executive_summary(study)).answer)
    assert said == "1 change over 30 runs: Encode, 39% more time since c000000020; 1 of 2 series steady."


def test_what_moves_all_series_is_as_much_the_machine(tmp_path: Path) -> None:
    """At commit 20 all of ten benchmarks take 20 % more; at commit 35 one more takes twice as long."""
    series = {f"B{number}": 100 * noise(number, 50) * np.where(np.arange(50) < 20, 1, 1.2) for number in range(10)}
    series["B0"] = series["B0"] * np.where(np.arange(50) < 35, 1, 2)
    study = record(tmp_path, **{name: values.tolist() for name, values in series.items()})
    latest, first = answered(study).findings
    assert (latest.cause, latest.at, len(latest.members)) == ("code", 35, 1)
    assert (first.cause, first.at, len(first.members)) == ("machine", 20, 10)
    told = words_of(document(answered(study), study).answer)
    assert told.startswith("2 changes over 50 runs, one of them as much machine as code, the largest B0, ")
    assert [finding.at for finding in answered(study, since="c000000030").findings] == [35]


def test_a_change_that_later_runs_take_back_is_listed_as_taken_back(tmp_path: Path) -> None:
    """Three runs of 20 % more, then two as before: told for a while, and withdrawn."""
    values = 100 * noise(3, 45)
    values[40:43] *= 1.2
    study = record(tmp_path, Encode=values.tolist())
    answer = answered(study)
    assert answer.findings == ()
    ((taken,),) = [series.withdrawn for series in answer.trends]
    assert taken.at == 40
    assert "since c000000040, which the runs after it do not bear out" in terminal(document(answer, study), full=True)


def test_commits_are_no_repeats(tmp_path: Path) -> None:
    """A benchmark that got 3 times faster makes no machine noisy, and noise has no answer."""
    study = record(tmp_path, Encode=(100 * noise(1) * np.where(np.arange(30) < 20, 3, 1)).tolist())
    summary = executive_summary(study)
    assert not {caveat.code for caveat in summary.caveats} & {"noisy-machine", "unstable-runs"}
    assert summary.quality.spreads == ()
    assert "no repeats" in getattr(summary.noise, "reason", "")


def test_a_short_history_is_listed(tmp_path: Path) -> None:
    """Of a few commits nothing for good can be told."""
    said = words_of(executive(executive_summary(record(tmp_path, Encode=[100.0, 101, 180]))).answer)
    assert said == "Encode: time per operation 101 ns."


def machines(folder: Path, *, controls: bool = True) -> benchlib.Study:
    """60 runs: from the 30th on another machine takes 30 % more, and at the 45th Encode gets 20 % slower."""
    lines = ["commit,machine,benchmark,time_ns"]
    shift = noise(9, 60)  # what a run does to all
    for at in range(60):
        machine, slower = ("old", 1.0) if at < 30 else ("new", 1.3)
        known = {"Encode": 100 * (1.2 if at >= 45 else 1.0), "Baseline1": 40.0, "Baseline2": 70.0}
        for number, (name, time) in enumerate(known.items()):
            if controls or name == "Encode":
                own = 1 + 0.005 * np.random.default_rng(60 * number + at).standard_normal()
                lines.append(f"c{at:02},{machine},{name},{time * slower * shift[at] * own:.4f}")
    (folder / "history.csv").write_text("\n".join(lines) + "\n")
    return open_study(folder)


def test_nothing_is_compared_across_another_machine(tmp_path: Path) -> None:
    """Each machine has series of its own: the change of the code is told, that of the machine is not."""
    answer = answered(machines(tmp_path, controls=False))
    (finding,) = answer.findings
    ((series, change),) = finding.members
    assert (answer.runs[finding.at], series.key["machine"]) == ("c45", "new")
    assert change.ratio.low < 1.2 < change.ratio.high
    assert not answer.stopped
    assert [said.message for said in answer.caveats] == [
        "machine takes 2 levels, each with series of its own; new since c30"
    ]


def test_controls_bridge_two_machines_and_quieten_runs(tmp_path: Path) -> None:
    """What no change of code can reach tells what the machine did; without it the change is told of a longer series."""
    study = machines(tmp_path)
    answer = answered(study, control="benchmark=Baseline*")
    machine, code = sorted(answer.findings, key=lambda finding: finding.at)
    assert (answer.runs[machine.at], machine.cause) == ("c30", "machine")
    assert {trend.key["benchmark"] for trend, _ in machine.members} == {"Baseline1", "Baseline2"}
    ((series, change),) = code.members
    assert (answer.runs[code.at], code.cause, len(series.values)) == ("c45", "code", 60)
    assert change.ratio.value == pytest.approx(1.2, rel=0.01)
    apart = next(trend for trend in answered(study).trends if trend.key["benchmark"] == "Encode")
    assert series.course.noise < 0.6 * apart.course.noise
    assert any("2 controls moved by" in said.message for said in answer.caveats)


def test_by_says_which_columns_have_series_of_their_own(tmp_path: Path) -> None:
    """Told that machines are alike, the step between them is one; a column that is not there is named."""
    study = machines(tmp_path, controls=False)
    told = answered(study, by="benchmark")
    assert [told.runs[finding.at] for finding in told.findings] == ["c45", "c30"]
    with pytest.raises(
        benchlib.BenchlibError,
        match=r"^by: no column 'machin'; did you mean 'machine'\?; there are benchmark, machine$",
    ):
        trend(study, by="machin")
    with pytest.raises(
        benchlib.BenchlibError,
        match=r"^control 'benchmark=Encode machine=old commit=c0\*' names no series of 10 runs; name one$",
    ):
        trend(study, control="benchmark=Encode machine=old commit=c0*")


def test_runs_without_a_commit_are_taken_in_their_order(tmp_path: Path) -> None:
    """A table of one value a run, as change detectors have them: the step is told, and that runs are no commits."""
    values = np.r_[100 * noise(1), 120 * noise(2)]
    table = "index,throughput\n" + "".join(f"{at},{value:.2f}\n" for at, value in enumerate(values))
    (tmp_path / "series.csv").write_text(table)
    answer = answered(open_study(tmp_path))
    assert [answer.runs[finding.at] for finding in answer.findings] == ["30"]
    assert [said.message for said in answer.caveats] == ["no column names a version: 60 runs are taken in their order"]


def test_a_host_that_changes_with_every_run_begins_no_series(tmp_path: Path) -> None:
    """As CI lends them; two machines of a few runs each are told apart, and what would make one series is said."""
    values = np.r_[100 * noise(1), 120 * noise(2)]
    rows = "".join(f"c{at:02},host{at},Encode,{value:.2f}\n" for at, value in enumerate(values))
    (tmp_path / "lent.csv").write_text("commit,machine,benchmark,time_ns\n" + rows)
    answer = answered(open_study(tmp_path))
    assert [answer.runs[finding.at] for finding in answer.findings] == ["c30"]
    assert [said.message for said in answer.caveats] == ["machine takes 60 levels: runs are compared whatever it is"]
    few = "".join(f"c{at:02},{'ab'[at % 2]},Encode,{value:.2f}\n" for at, value in enumerate(values[:16]))
    (tmp_path / "lent.csv").write_text("commit,machine,benchmark,time_ns\n" + few)
    refusal = trend(open_study(tmp_path))
    assert isinstance(refusal, Refusal)
    assert refusal.advice == "record more versions at one machine, or say that all are alike: --by benchmark"
    assert len(answered(open_study(tmp_path), by="benchmark").trends) == 1


def test_controls_speak_for_their_metric_and_their_machine_alone(tmp_path: Path) -> None:
    """One of two machines that measure each commit gets slower: memory, and the other machine, are as they were."""
    shift = noise(3, 40)
    lines = ["commit,machine,benchmark,time_ns,allocated_bytes"]
    for at in range(40):
        for machine in "ab":
            slower = 1.3 if machine == "a" and at >= 20 else 1.0
            time = 50 * slower * shift[at]
            lines += [f"c{at:02},{machine},{name},{time:.3f},1000" for name in ("Baseline", "Encode")]
    (tmp_path / "two.csv").write_text("\n".join(lines) + "\n")
    answer = answered(open_study(tmp_path), control="benchmark=Baseline")
    ((series, _),) = [member for finding in answer.findings for member in finding.members]
    assert (series.key["benchmark"], series.key["machine"], series.metric) == ("Baseline", "a", "time")
    memory = [trend.values for trend in answer.trends if trend.unit.startswith("B")]
    assert np.array(memory) == pytest.approx(1000.0)
