"""Whether capacity plans are as sure as they say: ``python benchmarks/capacity_calibration.py``.

Simulates sweeps by known laws, plans with each, counts, and prints the tables of ``docs/capacity.md``. The exit code is
3 if a stated probability misses the share that comes true by more than 3 points over all cases, or if the counts of
nodes chosen are enough less often than stated.
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

from tests.scaling.plan_simulations import FITTED, SHARES, Case, simulate

#: Points by which a stated probability may miss.
TOLERANCE = 0.03


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate, print both tables, and return 0 if the goals are kept, else 3."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=2000, help="sweeps to simulate (default 2000)")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    cases = list(simulate(range(chosen.cases), chosen.seed))
    groups = {
        "all": cases,
        "node within the levels": [one for one in cases if not one.beyond],
        "node up to twice the largest": [one for one in cases if one.beyond],
        **{f"truth {law}": [one for one in cases if one.truth == law] for law in FITTED},
    }
    print("| cases | number | stated 80 %: true | stated 95 %: true | 80 % count enough | 95 % count enough |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, some in groups.items():
        cells = [f"{100 * share(some, 'right', at):.1f} %" for at in range(len(SHARES))]
        cells += [
            f"{100 * share(some, 'counted', at):.1f} % (stated {100 * share(some, 'stated', at):.1f} %)"
            for at in range(len(SHARES))
        ]
        print(f"| {name} | {len(some):,} | {' | '.join(cells)} |")
    kept = all(
        abs(share(cases, "right", at) - wanted) <= TOLERANCE and share(cases, "counted", at) >= wanted
        for at, wanted in enumerate(SHARES)
    )
    return 0 if kept else 3


def share(cases: Sequence[Case], what: str, at: int) -> float:
    """Return the mean of one column over cases."""
    return float(np.mean([getattr(one, what)[at] for one in cases]))


if __name__ == "__main__":
    raise SystemExit(main())
