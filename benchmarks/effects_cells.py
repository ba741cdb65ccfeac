"""How long the plain effects of a large table take: ``python benchmarks/effects_cells.py``.

README.md in this folder says what each row means.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from benchlib.effects.anova import share_variance
from benchlib.effects.cells import CellTable, build_cells
from benchlib.effects.cost_models import fit_cost_model
from benchlib.effects.interactions import find_interactions
from benchlib.effects.plain_effects import analyse_cells

SHAPE, REPLICATES = (100, 100, 10), 10
#: Seconds in which a table is to be summarised, its effects found and its cost model fitted.
GOAL = 10.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return 0 if the goal is kept, else 3."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="how often each row is measured (default 3)")
    rounds = parser.parse_args(arguments).rounds
    table = _table(1)
    steps: dict[str, Callable[[], object]] = {
        "build_cells": lambda: _table(1),
        "analyse_cells, importance among them": lambda: analyse_cells(table),
        "fit_cost_model": lambda: fit_cost_model(table),
        "importance alone": lambda: share_variance(table.cells, tuple(table.factors)),
        "find_interactions": lambda: find_interactions(table),
    }
    print(f"{len(table.cells):,} cells x {REPLICATES} replicates, median of {rounds} rounds by the clock\n")
    seconds = {}
    for what, step in steps.items():
        seconds[what] = sorted(_timed(step) for _ in range(rounds))[rounds // 2]
        print(f"{what:<40}{seconds[what]:8.2f} s")
    asked = seconds["build_cells"] + seconds["analyse_cells, importance among them"] + seconds["fit_cost_model"]
    print(f"{'the first three together':<40}{asked:8.2f} s   goal: {GOAL:g} s, {'kept' if asked <= GOAL else 'MISSED'}")
    return 0 if asked <= GOAL else 3


def _table(seed: int) -> CellTable:
    random = np.random.default_rng(seed)
    inputs, outputs, curve = (np.repeat(one.ravel(), REPLICATES) for one in np.indices(SHAPE))
    costs = (1 + 0.1 * inputs + 2.0 * outputs) * (1 + curve)
    factors = {"inputs": inputs, "outputs": outputs, "curve": curve.astype(str)}
    return build_cells(factors, costs * random.lognormal(0, 0.02, costs.size), unit="sec/op")


def _timed(step: Callable[[], object]) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
