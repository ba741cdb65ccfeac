"""A history of commits: what changed for good, since when, and that commits are no repeats."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import benchlib
from benchlib.answers.executive import executive_summary
from benchlib.answers.history import HistoryAnswer, history_answer
from benchlib.document.numbers import words_of
from benchlib.statistics.shift import find_shift
from benchlib.study import open_study
from benchlib.tell.executive import executive


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


def test_a_change_for_good_is_told_with_its_commit(tmp_path: Path) -> None:
    """From the 20th commit on a benchmark takes 40 % more; the other only scatters."""
    slower = 100 * noise(1) * np.where(np.arange(30) < 20, 1, 1.4)
    study = record(tmp_path, Encode=slower.tolist(), Decode=(50 * noise(2)).tolist())
    answer = history_answer(study)
    assert isinstance(answer, HistoryAnswer)
    assert [(row.key["benchmark"], row.changed) for row in answer.rows] == [("Encode", True), ("Decode", False)]
    assert answer.rows[0].since == "c000000020"
    said = words_of(executive(executive_summary(study)).answer)
    assert said.startswith("1 of 2 benchmarks changed for good over 30 versions, most Encode: 39")
    assert said.endswith("% more time since c000000020.")


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


def test_pettitts_statistic() -> None:
    """By hand: of 1, 2, 3, 10, 11, 12 the ranks before the 4th sum to 6, so K = |12 - 21| = 9."""
    shift = find_shift([1, 2, 3, 10, 11, 12])
    assert (shift.place, shift.before, shift.after) == (3, 2, 11)
    assert shift.pvalue == pytest.approx(2 * np.exp(-6 * 81 / (216 + 36)))


def test_chance_seldom_looks_like_a_change() -> None:
    """Of 400 series without a change at most 1 % are called one, with four standard errors to spare."""
    draws = np.random.default_rng(27).standard_normal((400, 40))
    found = np.mean([find_shift(row).pvalue < 0.01 for row in draws])
    assert found < 0.01 + 4 * np.sqrt(0.01 * 0.99 / 400)


def test_equal_values_are_no_change() -> None:
    """However many."""
    assert find_shift([5.0] * 20).pvalue == 1.0
