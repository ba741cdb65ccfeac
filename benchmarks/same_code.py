"""How often does `benchlib compare --same-code` cry wolf, and does it see a run that really differs?

    python benchmarks/same_code.py            # 100 studies a line, two minutes
    python benchmarks/same_code.py --studies 400

Nine quiet rows (1 %) and four noisy ones, three runs. Every value is drawn anew: the runs are of one code, on a machine
that may move each run. An alarm is a study in which any row is said to stand out. Then one quiet row is slower in one
run: what share of the studies names it, and how many name another? Beside the alarms stands how often two runs more,
of the same code, differ in a row by more than its noise is said to explain.

Goal: at most 5 % of studies alarm where nothing differs, give or take two standard errors, and at most 5 % of such rows
differ; 10 % where runs hold fewer than five values, because quiet and noisy rows share one noise budget there. Exit 3
where more do.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import benchlib
from benchlib.answers.comparison import comparison_study
from benchlib.answers.repeatability import RepeatabilityAnswer, repeatability

QUIET, NOISY, RUNS = 9, 4, 3
MOST = 0.05
#: From so many values a run on a row has a noise budget of its own.
OWN_BUDGET = 5


@dataclass(frozen=True)
class Noise:
    """What makes values differ, as standard deviations of logarithms."""

    name: str
    values: int
    noisy: float = 0.15  # within a run, of the noisy rows
    shared: float = 0.0  # between runs, of all rows together
    own: float = 0.0  # between runs, of each row by itself
    modes: bool = False  # noisy rows take one of two values


NOISES = (
    Noise("independent values", 1), Noise("independent values", 3), Noise("independent values", 5),
    Noise("independent values", 10), Noise("rows of two modes", 3), Noise("rows of two modes", 5),
    Noise("the machine moves each run by 5 %", 5, shared=0.05), Noise("each row moves each run by 2 %", 5, own=0.02),
    Noise("each row moves each run by 5 %", 5, own=0.05),
)  # fmt: skip


def _draw(random: np.random.Generator, noise: Noise, runs: int = RUNS) -> NDArray[np.float64]:
    """Return logarithms, rows x runs x values."""
    rows = QUIET + NOISY
    logs = random.normal(0, 0.01, (rows, runs, noise.values))
    shape = (NOISY, runs, noise.values)
    logs[QUIET:] += noise.noisy * (2 * random.integers(0, 2, shape) - 1 if noise.modes else random.normal(0, 1, shape))
    return logs + noise.shared * random.normal(0, 1, (1, runs, 1)) + noise.own * random.normal(0, 1, (rows, runs, 1))


def _answer(folder: Path, logs: NDArray[np.float64]) -> RepeatabilityAnswer:
    """Return what is said of three runs."""
    for run in range(RUNS):
        lines = [
            f"BenchmarkB{row} 100 {1e6 * math.exp(value):.3f} ns/op\n"
            for value_of_all in logs[:, run].T.tolist()
            for row, value in enumerate(value_of_all)
        ]
        (folder / f"run{run}.txt").write_text("".join(lines), encoding="utf-8")
    answer = repeatability(comparison_study(*(str(folder / f"run{run}.txt") for run in range(RUNS))))
    assert isinstance(answer, RepeatabilityAnswer)
    return answer


def _apart(answer: RepeatabilityAnswer) -> set[str]:
    """Return the rows that are said to stand out."""
    return {str(row.key["benchmark"]) for row in answer.rows if row.unstable}


def _beyond(answer: RepeatabilityAnswer, pair: NDArray[np.float64]) -> float:
    """Return the share of rows in which two runs more differ by more than the noise is said to explain."""
    limits = {str(row.key["benchmark"]): answer.noise_of(row).budget.least_change() for row in answer.rows}
    explained = np.log1p([limits[f"B{row}"] for row in range(len(pair))])
    return float(np.mean(np.abs(pair[:, 1].mean(axis=1) - pair[:, 0].mean(axis=1)) > explained))


def main() -> int:
    """Print the tables; say whether the goal is met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=100)
    studies: int = parser.parse_args().studies
    worst = furthest = 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"benchlib {benchlib.__version__}, {studies} studies a line, {QUIET} quiet rows and {NOISY} noisy ones\n")
        print("| nothing differs | values a run | alarms | two runs more differ beyond their noise |")
        print("|---|---:|---:|---:|")
        for noise in NOISES:
            random, later = np.random.default_rng(20261125), np.random.default_rng(20261127)
            alarms = beyond = 0.0
            for _ in range(studies):
                answer = _answer(folder, _draw(random, noise))
                alarms += bool(_apart(answer)) / studies
                beyond += _beyond(answer, _draw(later, noise, 2)) / studies
            worst, furthest = max(worst, alarms), max(furthest, beyond / (1 if noise.values >= OWN_BUDGET else 2))
            print(f"| {noise.name} | {noise.values} | {100 * alarms:.0f} % | {100 * beyond:.1f} % of rows |")
        print("\n| one row of one run is slower by | values a run | named | another is named |\n|---|---:|---:|---:|")
        for slower in (0.05, 0.10, 0.30):
            for values in (1, 3, 5, 10):
                random = np.random.default_rng(20261126)
                named = other = 0
                for _ in range(studies):
                    logs = _draw(random, Noise("", values, own=0.005))
                    logs[0, 1] += math.log1p(slower)
                    apart = _apart(_answer(folder, logs))
                    named += "B0" in apart
                    other += bool(apart - {"B0"})
                shares = f"{100 * named / studies:.0f} % | {100 * other / studies:.0f} %"
                print(f"| {100 * slower:.0f} % | {values} | {shares} |")
    most = MOST + 2 * math.sqrt(MOST * (1 - MOST) / studies)
    print(f"\nalarms at most {100 * worst:.0f} % (goal: {100 * MOST:.0f} %, of so many studies {100 * most:.1f} %)")
    print(f"rows beyond their noise: {'within' if furthest <= MOST else 'above'} the goal")
    return 0 if worst <= most and furthest <= MOST else 3


if __name__ == "__main__":
    sys.exit(main())
