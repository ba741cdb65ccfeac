"""Time what a notebook waits for, on an idle machine: reading, a fit, a prediction, a refit, effects, a comparison.

    python benchmarks/workbench_speed.py [--rounds 15]

Each row is the median of its rounds in one process that has done the same once before. Exit code 3 if a goal is missed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import benchlib as bl  # noqa: E402
from benchlib.workbench.scaling import Fit  # noqa: E402
from benchmarks.goals import Row, print_table  # noqa: E402

LEVELS = [1, 2, 4, 8, 16, 32] * 3


def measured(what: str, goal: float, task: Callable[[], object], rounds: int) -> Row:
    """Time a task, in milliseconds."""
    task()
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        task()
        times.append(1000 * (time.perf_counter() - begun))
    shown = f"{median(times):.3g} ms ({min(times):.3g} to {max(times):.3g})"
    return Row(what, shown, f"{goal:g} ms", median(times) <= goal)


def write_files(folder: Path, random: Random) -> None:
    """Write a hundred files of Go's benchmarks, 30 values each."""
    for number in range(100):
        lines = (f"BenchmarkWork/n={n}-8 1000 {n * random.gauss(100, 1):.2f} ns/op" for n in range(1, 31))
        (folder / f"run_{number}.txt").write_text("pkg: example.org/work\n" + "\n".join(lines) + "\nPASS\n")


def rows(folder: Path, rounds: int) -> Iterator[Row]:
    """Time every task."""
    random = Random(1)
    write_files(folder, random)
    rates = [1000 * n / (1 + 0.05 * (n - 1) + 3e-4 * n * (n - 1)) * random.gauss(1, 0.01) for n in LEVELS]
    fit = bl.fit_scaling(LEVELS, rates)
    assert isinstance(fit, Fit)
    tokens, lplex = str(ROOT / "data/token-sdk"), str(ROOT / "data/lplex")
    yield measured("read 100 files", 300, lambda: bl.read(str(folder)).table, rounds)
    yield measured("fit of one curve, typed", 100, lambda: bl.fit_scaling(LEVELS, rates), rounds)
    yield measured("predict", 5, lambda: fit.predict([24, 48]), rounds)
    yield measured("refit without a level", 30, lambda: fit.without(n=16), rounds)
    yield measured("effects of the token SDK", 1500, lambda: bl.fit_effects(tokens), rounds)
    yield measured("compare lplex", 150, lambda: bl.compare(lplex), rounds)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Time what a notebook waits for.")
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        found = list(rows(Path(folder), rounds))
    print_table(found)
    return 0 if all(row.kept for row in found) else 3


if __name__ == "__main__":
    sys.exit(main())
