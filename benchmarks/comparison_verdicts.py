"""How often does a comparison cry wolf, and what does it miss? Beside benchstat and a t test at 0.001.

    python benchmarks/comparison_verdicts.py             # 400 comparisons a line, about two minutes
    python benchmarks/comparison_verdicts.py --runs 100

Four tables. *Nothing changed*: the share of comparisons in which any row is called better or worse. *Rows that take
longer*: the share of them that is called worse, and the share of all calls that are of other rows. *Values that share
noise*: rounds that hold both sides, and runs of one side, as `benchlib compare` takes them from files. *Few rounds or
runs*: noise of any shape in them, and nothing changed. benchstat calls a row at p <= 0.05 of its own; the t test, on
logarithms, at p <= 0.001.

Goals: at most 5 % of false alarms, give or take two standard errors of so many comparisons, and the power that stands
beside each line. Exit 3 where one is missed.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchlib.statistics.blocked import BlockedRows, blocked_rows, sided_rows
from benchlib.statistics.compare import Pairs
from benchlib.statistics.moments import welch_pvalue
from benchlib.statistics.verdicts import BETTER, WORSE, judge

LEVEL = 0.05
STRICT = 0.001
Floats = NDArray[np.float64]
Noise = Callable[[np.random.Generator, tuple[int, ...]], Floats]

NOISES: dict[str, Noise] = {
    "normal, 3 %": lambda random, shape: np.exp(0.03 * random.standard_normal(shape)),
    "log-normal, 15 %": lambda random, shape: np.exp(0.15 * random.standard_normal(shape)),
    "two modes": lambda random, shape: np.exp(
        0.005 * random.standard_normal(shape) + 0.1 * (random.random(shape) < 0.3)
    ),
    "t with 2 degrees": lambda random, shape: np.exp(0.02 * random.standard_t(2, shape)),
    "coarse clock": lambda random, shape: np.round(50 * np.exp(0.03 * random.standard_normal(shape))) / 50,
}


class Told(NamedTuple):
    """What each judge calls in one comparison: rows as marks."""

    ours: NDArray[np.bool_]
    benchstat: NDArray[np.bool_]
    strict: NDArray[np.bool_]


def told(old: Floats, new: Floats, blocked: BlockedRows | None = None) -> Told:
    """Ask every judge of rows x values."""
    starts = np.arange(len(old) + 1)
    pairs = Pairs(
        baseline=old.ravel(),
        baseline_starts=starts * old.shape[1],
        candidate=new.ravel(),
        candidate_starts=starts * new.shape[1],
    )
    ours = judge(pairs, better=-1, blocked=blocked)
    first, second = (np.log(old), np.log(new)) if min(old.min(), new.min()) > 0 else (old, new)
    strict = [welch_pvalue(*sides) <= STRICT for sides in zip(first, second, strict=True)]
    return Told(np.isin(ours.verdict, (BETTER, WORSE)), ours.statistics.pvalue <= LEVEL, np.array(strict))


def values(noise: Noise, random: np.random.Generator, rows: int, n: int, changed: int, factor: float) -> Told:
    """Draw one comparison of independent values and ask every judge."""
    old, new = noise(random, (rows, n)), noise(random, (rows, n))
    new[:changed] *= factor
    return told(old, new)


def rounds(random: np.random.Generator, rows: int, n: int, changed: int, factor: float) -> Told:
    """Draw sides recorded in turn: 10 % that a round shares, 1 % within."""
    shared = 0.10 * random.standard_normal((rows, n))
    old, new = (np.exp(shared + 0.01 * random.standard_normal((rows, n))) for _ in range(2))
    new[:changed] *= factor
    return told(old, new, blocked_rows(list(zip(np.log(old), np.log(new), strict=True))))


def rounds_with_a_wild_value(random: np.random.Generator, rows: int, n: int, changed: int, factor: float) -> Told:
    """Draw sides recorded in turn, of which one value of each row, on either side, took ten times the time."""
    shared = 0.10 * random.standard_normal((rows, n))
    sides = [np.exp(shared + 0.01 * random.standard_normal((rows, n))) for _ in range(2)]
    sides[1][:changed] *= factor
    for row_of in range(rows):
        sides[random.integers(2)][row_of, random.integers(n)] *= 10
    old, new = sides
    return told(old, new, blocked_rows(list(zip(np.log(old), np.log(new), strict=True))))


def rounds_around_zero(random: np.random.Generator, rows: int, n: int, changed: int, factor: float) -> Told:
    """Draw sides recorded in turn whose values are of either sign: 10 that a round shares, 1 within."""
    shared = 10 * random.standard_normal((rows, n))
    old, new = (shared + random.standard_normal((rows, n)) for _ in range(2))
    new[:changed] += 100 * (factor - 1)
    scale = np.abs(np.concatenate([old, new], axis=1)).mean(axis=1)
    blocked = blocked_rows([(first / size, second / size) for first, second, size in zip(old, new, scale, strict=True)])
    return told(old, new, replace(blocked, scale=scale))


def runs_a_side(random: np.random.Generator, rows: int, n: int, changed: int, factor: float) -> Told:
    """Draw three runs a side of n values: 2 % that all rows of a run share, 1 % within."""
    sides = []
    for _ in range(2):
        shared = 0.02 * random.standard_normal((1, 3, 1))
        sides.append(shared + 0.01 * random.standard_normal((rows, 3, n)))
    sides[1][:changed] += math.log(factor)
    means = [side.mean(axis=2) for side in sides]
    first, second = (np.exp(side.reshape(rows, -1)) for side in sides)
    return told(first, second, sided_rows(list(zip(*means, strict=True))))


def few_blocks(noise: Noise, random: np.random.Generator, rows: int, n: int, *, paired: bool) -> Told:
    """Draw n rounds of both sides, or n runs a side of five values, with noise of any shape and nothing changed."""
    old, new = (noise(random, (rows, n, 1 if paired else 5)) for _ in range(2))
    means = zip(*(np.log(side).mean(axis=2) for side in (old, new)), strict=True)
    blocked = (blocked_rows if paired else sided_rows)(list(means))
    return told(old.reshape(rows, -1), new.reshape(rows, -1), blocked)


def shares(draw: Callable[[], Told], changed: int, runs: int) -> NDArray[np.float64]:
    """Return for each judge the share of comparisons with a false call, the power and the share of false calls."""
    counts = np.zeros((3, 3))
    for _ in range(runs):
        for place, called in enumerate(draw()):
            false = int(called[changed:].sum())
            counts[place] += (
                false > 0,
                called[:changed].mean() if changed else 0.0,
                false / max(int(called.sum()), 1),
            )
    return counts / runs


def percent(share: float) -> str:
    """Write a share."""
    return f"{100 * share:.1f} %"


def row(*cells: str) -> str:
    """Write a line of a table."""
    return f"| {' | '.join(cells)} |"


def main() -> int:
    """Print the tables; say whether the goals are met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=20261125)
    given = parser.parse_args()
    random, most = np.random.default_rng(given.seed), LEVEL + 2 * math.sqrt(LEVEL * (1 - LEVEL) / given.runs)
    missed = 0
    print(f"Nothing changed: comparisons with any verdict ({given.runs} a line, goal {percent(most)})\n")
    print(row("noise", "rows x values a side", "benchlib", "benchstat at 0.05", "t test at 0.001"))
    print(row("---", "---", "---:", "---:", "---:"))
    for name, noise in NOISES.items():
        for rows, n in ((1, 10), (10, 10), (200, 6), (200, 10)):
            alarms = shares(lambda: values(noise, random, rows, n, 0, 1.0), 0, given.runs)[:, 0]  # noqa: B023
            missed += bool(alarms[0] > most)
            print(row(name, f"{rows} x {n}", *map(percent, alarms.tolist())))
    print("\nRows that take longer: found, and false among all calls\n")
    print(
        row(
            "noise",
            "rows x values",
            "change",
            "benchlib",
            "benchstat",
            "t test",
            "false: benchlib",
            "benchstat",
            "goal",
        )
    )
    print(row("---", "---", "---", *["---:"] * 6))
    for name, rows, n, changed, factor, goal in (
        ("normal, 3 %", 200, 6, 1, 1.3, 0.95),
        ("two modes", 200, 6, 1, 1.3, 0.8),
        ("t with 2 degrees", 200, 6, 1, 1.3, 0.8),
        ("normal, 3 %", 30, 5, 1, 10.0, 1.0),
        ("normal, 3 %", 200, 6, 1, 10.0, 1.0),
        ("normal, 3 %", 1000, 6, 1, 10.0, 1.0),
        ("normal, 3 %", 200, 10, 10, 1.05, 0.45),
        ("normal, 3 %", 200, 20, 10, 1.05, 0.95),
        ("normal, 3 %", 200, 6, 10, 1.10, 0.0),
        ("normal, 3 %", 1, 10, 1, 1.05, 0.0),
    ):
        few = max(given.runs // 4, 20)
        found = shares(lambda: values(NOISES[name], random, rows, n, changed, factor), changed, few)  # noqa: B023
        missed += bool(found[0, 1] < goal)
        change = f"{changed} by {factor:g}x" if factor > 2 else f"{changed} by {100 * (factor - 1):.0f} %"
        powers, false = map(percent, found[:, 1].tolist()), map(percent, found[:2, 2].tolist())
        print(row(name, f"{rows} x {n}", change, *powers, *false, percent(goal)))
    print("\nValues that share noise\n")
    print(row("design", "rows x values", "change", "benchlib", "benchstat", "t test", "goal"))
    print(row("---", "---", "---", *["---:"] * 4))
    for design, draw, factor, n, power in (
        ("rounds in turn, 10 % shared", rounds, 1.03, 10, 0.95),
        ("three runs a side, 2 % between", runs_a_side, 1.10, 5, 0.8),
        ("rounds in turn, values around 0", rounds_around_zero, 1.03, 10, 0.95),
        ("rounds in turn, one wild value", rounds_with_a_wild_value, 1.03, 10, 0.8),
    ):
        for rows in (1, 5):
            for changed in (0, 1):
                found = shares(lambda: draw(random, rows, n, changed, factor), changed, given.runs)  # noqa: B023
                said, goal = (found[:, 1], power) if changed else (found[:, 0], most)
                missed += bool(said[0] < goal - 0.02 if changed else said[0] > goal)
                change = f"{changed} by {100 * (factor - 1):.0f} %" if changed else "none: false alarms"
                print(row(design, f"{rows} x {n}", change, *map(percent, said.tolist()), percent(goal)))
    print(f"\nFew rounds or runs, nothing changed: comparisons with any verdict (goal {percent(most)})\n")
    designs = ((10, 3, True), (200, 5, True), (200, 6, True), (200, 10, True), (10, 3, False), (200, 3, False))
    print(row("noise", *(f"{rows} x {n} {'rounds' if paired else 'runs a side'}" for rows, n, paired in designs)))
    print(row("---", *["---:"] * len(designs)))
    for name, noise in NOISES.items():
        alarms = np.array(
            [
                shares(lambda: few_blocks(noise, random, rows, n, paired=paired), 0, given.runs)[0, 0]  # noqa: B023
                for rows, n, paired in designs
            ]
        )
        missed += int((alarms > most).sum())
        print(row(name, *map(percent, alarms.tolist())))
    print(f"\n{missed} goals missed")
    return 3 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
