"""How often two recordings of the same code are said to differ, through files on disk as a user has them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import benchlib
from benchlib.answers.comparison import ComparisonAnswer

BENCHMARKS = 25
REPEATS = 10


def recording(random: np.random.Generator) -> str:
    """Go text of benchmarks whose times and MB/s scatter by 3 %, and whose counts take two or three values."""
    times = 1000 * np.exp(0.03 * random.standard_normal((REPEATS, BENCHMARKS)))
    rates = 500 * np.exp(0.03 * random.standard_normal((REPEATS, BENCHMARKS)))
    bytes_used = 4096 + 16 * random.binomial(2, 0.4, (REPEATS, BENCHMARKS))
    allocations = 3 + (random.random((REPEATS, BENCHMARKS)) < 0.3)
    return "".join(
        f"BenchmarkCase{place:02d}\t1000\t{times[turn, place]:.1f} ns/op\t{rates[turn, place]:.2f} MB/s"
        f"\t{bytes_used[turn, place]} B/op\t{allocations[turn, place]} allocs/op\n"
        for turn in range(REPEATS)
        for place in range(BENCHMARKS)
    )


@pytest.mark.parametrize("min_effect", [0.0, 0.02])
@pytest.mark.parametrize("comparisons", [25, pytest.param(150, marks=pytest.mark.heavy)])
def test_recordings_of_the_same_code_seldom_differ(tmp_path: Path, comparisons: int, min_effect: float) -> None:
    """Of comparisons of 100 rows - times, throughput and counts of few values - at most 5 % hold a better or worse.

    What is seen may exceed 5 % by two standard errors of so many comparisons: 13.7 % of 25, 8.6 % of 150.
    """
    random = np.random.default_rng(41)
    alarms = 0
    for _ in range(comparisons):
        for side in ("old", "new"):
            (tmp_path / f"{side}.txt").write_text(recording(random), encoding="utf-8")
        answer = benchlib.compare(
            str(tmp_path / "old.txt"), str(tmp_path / "new.txt"), interleaved=True, min_effect=min_effect
        )
        assert isinstance(answer, ComparisonAnswer)
        rows = answer.rows
        assert sum(not math.isnan(row.adjusted_pvalue) for row in rows) > 3.5 * BENCHMARKS
        alarms += any(row.verdict in ("better", "worse") for row in rows)
    assert alarms / comparisons <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / comparisons)


def test_recordings_of_other_code_do(tmp_path: Path) -> None:
    """The same recordings with one benchmark a third slower, one allocation more and a quarter less MB/s."""
    random = np.random.default_rng(42)
    texts = [recording(random) for _ in range(2)]
    slower = [
        f"BenchmarkCase00\t1000\t{1333 * factor:.1f} ns/op\t{375 * factor:.2f} MB/s\t4096 B/op\t5 allocs/op"
        for factor in np.exp(0.03 * random.standard_normal(REPEATS))
    ]
    kept = [line for line in texts[1].splitlines() if not line.startswith("BenchmarkCase00")]
    (tmp_path / "old.txt").write_text(texts[0], encoding="utf-8")
    (tmp_path / "new.txt").write_text("\n".join([*slower, *kept]) + "\n", encoding="utf-8")
    answer = benchlib.compare(str(tmp_path / "old.txt"), str(tmp_path / "new.txt"), interleaved=True)
    assert isinstance(answer, ComparisonAnswer)
    changed = {
        (row.key["benchmark"], row.metric): row.verdict for row in answer.rows if row.verdict in ("better", "worse")
    }
    assert changed == dict.fromkeys([("Case00", one) for one in ("time", "transfer", "allocations")], "worse")
