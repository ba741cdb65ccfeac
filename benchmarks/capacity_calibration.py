"""Whether capacity plans are as sure as they say: ``python benchmarks/capacity_calibration.py``.

Simulates sweeps by known laws, plans with each, under noise that levels share, without and with a limit of latency,
counts, and prints the tables of ``docs/capacity.md``. The exit code is 3 if a stated probability misses the share that
comes true by more than 3 points (7, where more is true) over all cases, or if the counts of nodes chosen are enough
less often than stated.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from tests.capacity.limit_simulations import WAYS, LimitedCase, simulate_limited
from tests.capacity.plan_simulations import FITTED, NOISY, SHARES, Case, simulate, simulate_noisy

_HEADS = (
    "\n| {} | {} | stated 80 %: true | stated 95 %: true | 80 % count enough | 95 % count enough |\n"
    "|---|---:|---:|---:|---:|---:|"
)
#: Points by which a stated probability may promise too much, and too little: five levels cannot rule out that they
#: share noise, and are told as if they might.
TOLERANCE, CAUTION = 0.03, 0.07


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate, print both tables, and return 0 if the goals are kept, else 3."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=2000, help="sweeps to simulate (default 2000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limited", type=int, default=1000, help="sweeps with a limit for each kind of draws (1000)")
    parser.add_argument("--noisy", type=int, default=400, help="sweeps for each kind of noise and truth (400)")
    chosen = parser.parse_args(arguments)
    print("| full node | " + " | ".join(f"stated {100 * share:g} %: true" for share in SHARES) + " | 95 % by points |")
    print("|---|---:|---:|---:|")
    for name, scenario in NOISY.items():
        told = list(simulate_noisy(scenario, range(chosen.noisy), chosen.seed))
        by_points = f"{100 * share(told, 'counted', 1):.1f} %" if scenario.repeats != 1 else ""
        cells = [f"{100 * share(told, 'right', at):.1f} %" for at in range(len(SHARES))]
        print(f"| {name} | {' | '.join(cells)} | {by_points} |", flush=True)
    limited = {way: list(simulate_limited(range(chosen.limited), way, chosen.seed)) for way in WAYS}
    cases = list(simulate(range(chosen.cases), chosen.seed))
    groups = {
        "all": cases,
        "node within the levels": [one for one in cases if not one.beyond],
        "node up to twice the largest": [one for one in cases if one.beyond],
        **{f"truth {law}": [one for one in cases if one.truth == law] for law in FITTED},
    }
    print(_HEADS.format("cases", "number"))
    for name, some in groups.items():
        cells = [f"{100 * share(some, 'right', at):.1f} %" for at in range(len(SHARES))]
        cells += [
            f"{100 * share(some, 'counted', at):.1f} % (stated {100 * share(some, 'stated', at):.1f} %)"
            for at in range(len(SHARES))
        ]
        print(f"| {name} | {len(some):,} | {' | '.join(cells)} |")
    print(_HEADS.format("draws, with a limit", "plans for 95 %"))
    for way, some_limited in limited.items():
        print(_limited_row(way, some_limited))
    kept = all(
        -TOLERANCE <= share(cases, "right", at) - wanted <= CAUTION and share(cases, "counted", at) >= wanted
        for at, wanted in enumerate(SHARES)
    )
    every = [one for found in limited.values() for one in found]
    kept = kept and all(-TOLERANCE <= known_share(every, "right", at) - one <= CAUTION for at, one in enumerate(SHARES))
    return 0 if kept else 3


def share(cases: Sequence[Case], what: str, at: int) -> float:
    """Return the mean of one column over cases."""
    return float(np.mean([getattr(one, what)[at] for one in cases]))


def known_share(cases: Sequence[LimitedCase], what: str, at: int) -> float:
    """Return the mean of one column over the cases that have a plan."""
    return float(np.mean([getattr(one, what)[at] for one in cases if getattr(one, what)[at] is not None]))


def _limited_row(way: str, cases: Sequence[LimitedCase]) -> str:
    cells = [f"{100 * known_share(cases, 'right', at):.1f} %" for at in range(len(SHARES))]
    cells += [
        f"{100 * known_share(cases, 'counted', at):.1f} % (stated {100 * known_share(cases, 'stated', at):.1f} %)"
        for at in range(len(SHARES))
    ]
    return f"| {way} | {sum(one.counted[-1] is not None for one in cases):,} | {' | '.join(cells)} |"


if __name__ == "__main__":
    raise SystemExit(main())
