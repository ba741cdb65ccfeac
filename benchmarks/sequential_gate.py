"""How often does `benchlib compare --sequential` stop falsely, and after how many rounds does it see a change?

    python benchmarks/sequential_gate.py            # two minutes
    python benchmarks/sequential_gate.py --runs 1000

Two sides are recorded in turn, and somebody looks after each of up to 50 rounds. First nothing changed: the share of
recordings in which any row is called changed after any round, with no smallest effect, so that each claim is false.
Beside it what a paired t test at 0.05 makes of one row that is looked at as often. Then one row takes longer: how many
rounds until it is called worse by more than 2 % (median, and 9 of 10 recordings), alone and among 100 rows; beside it
how many rounds a paired t test against 2 % takes that is planned, looks once and sees the change in 9 of 10.

Goal: at most 5 % false stops, give or take two standard errors. Exit 3 where there are more.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import benchlib
from benchlib.statistics.sequential import judge_rounds

MOST, ROUNDS, EFFECT = 0.05, 50, 0.02
_Floats = NDArray[np.float64]
_Draw = Callable[[np.random.Generator, tuple[int, int]], _Floats]


def _normal(scale: float) -> _Draw:
    return lambda random, shape: random.normal(0, scale, shape)


def _modes(random: np.random.Generator, shape: tuple[int, int]) -> _Floats:
    return random.normal(0, 0.01, shape) + 0.1 * random.integers(0, 2, shape)


def _heavy(random: np.random.Generator, shape: tuple[int, int]) -> _Floats:
    return 0.03 * random.standard_t(2, shape)


def _together(random: np.random.Generator, shape: tuple[int, int]) -> _Floats:
    return random.normal(0, 0.03, (1, shape[1])) + random.normal(0, 0.01, shape)


#: Logarithms of the values of one side, rows x rounds.
NOISES: dict[str, _Draw] = {
    "normal, 3 %": _normal(0.03),
    "log-normal, 15 %": _normal(0.15),
    "two modes": _modes,
    "t with 2 degrees of freedom": _heavy,
    "all rows of a side together, 3 %": _together,
}


def _recorded(random: np.random.Generator, draw: _Draw, rows: int, rounds: int, shared: float = 0.10) -> _Floats:
    """Return logarithms of head over base: what a round does to both sides falls out."""
    machine = random.normal(0, shared, (1, rounds))
    base, head = (machine + draw(random, (rows, rounds)) for _ in range(2))
    return head - base


def _false_stops(draw: _Draw, rows: int, runs: int) -> tuple[float, float]:
    """Return the shares of recordings that ours, and a t test of the first row, call changed after any round."""
    random = np.random.default_rng(26)
    ours = theirs = 0
    for _ in range(runs):
        logs = _recorded(random, draw, rows, ROUNDS)
        ours += any(judge_rounds(list(logs[:, :n]), min_effect=0.0).changed.any() for n in range(2, ROUNDS + 1))
        theirs += any(stats.ttest_1samp(logs[0, :n], 0).pvalue <= MOST for n in range(2, ROUNDS + 1))
    return ours / runs, theirs / runs


def _rounds_taken(change: float, within: float, rows: int, runs: int, most: int) -> list[float]:
    random = np.random.default_rng(27)
    taken = []
    for _ in range(runs):
        logs = _recorded(random, _normal(within), rows, most)
        logs[0] += math.log1p(change)
        looks = (n for n in range(2, most + 1) if judge_rounds(list(logs[:, :n]), min_effect=EFFECT).changed[0])
        taken.append(float(next(looks, math.inf)))
    return taken


def _planned(change: float, within: float) -> int:
    """Return the rounds of a paired t test against the smallest effect that sees the change in 9 of 10."""
    away = (math.log1p(change) - math.log1p(EFFECT)) / (math.sqrt(2) * within)
    for n in range(2, 5000):
        limit = stats.t.ppf(1 - MOST / 2, n - 1)
        if stats.nct.sf(limit, n - 1, away * math.sqrt(n)) >= 0.9:
            return n
    return 5000


def _shown(rounds: float, most: int) -> str:
    return f"{rounds:.0f}" if math.isfinite(rounds) else f"> {most}"


def main() -> int:
    """Print the tables; say whether the goal is met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=300)
    runs: int = parser.parse_args().runs
    print(f"benchlib {benchlib.__version__}; each round moves both sides by 10 %\n")
    print(f"| nothing changed, a look after each of {ROUNDS} rounds | 1 row | 20 rows | 200 rows | t test, 1 row |")
    print("|---|---:|---:|---:|---:|")
    missed = False
    for name, draw in NOISES.items():
        shares, peeking = [], 0.0
        for rows, times in ((1, runs), (20, runs), (200, runs // 3)):
            ours, theirs = _false_stops(draw, rows, times)
            missed |= ours > MOST + 2 * math.sqrt(MOST * (1 - MOST) / times)
            shares.append(f"{100 * ours:.1f} %")
            peeking = theirs if rows == 1 else peeking
        print(f"| {name} | {' | '.join(shares)} | {100 * peeking:.0f} % |")
    print("\n| slower by | noise beside it | rounds, 1 row | 9 of 10 | rounds, 1 of 100 rows | planned t test, 1 row |")
    print("|---:|---:|---:|---:|---:|---:|")
    for within in (0.01, 0.03):
        for change in (0.03, 0.05, 0.10, 0.30):
            most = 300 if change == 0.03 else 60
            alone, among = (
                _rounds_taken(change, within, rows, max(times, 10), most)
                for rows, times in ((1, runs // 3), (100, runs // 10))
            )
            middle, late = (_shown(float(np.quantile(alone, share, method="higher")), most) for share in (0.5, 0.9))
            cells = (middle, late, _shown(float(np.median(among)), most), str(_planned(change, within)))
            print(f"| {100 * change:.0f} % | {100 * within:.0f} % | {' | '.join(cells)} |")
    print(f"\nfalse stops {'above' if missed else 'within'} the goal of {100 * MOST:.0f} %")
    return 3 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
