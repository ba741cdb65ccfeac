"""How long a capacity plan takes: ``python benchmarks/capacity_speed.py``.

One sweep of cores, three measurements at each of six levels, planned for ten kinds of node with 4,000 draws: from an
open study to the answer, fits and all. The exit code is 3 if the median of the rounds is a second or more.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

import benchlib
from benchlib.scaling.laws import usl

LEVELS = (1, 2, 4, 8, 16, 32)
KINDS = tuple(f"cores={cores},cost={0.05 * cores**0.95:.3f}/h" for cores in (1, 2, 4, 6, 8, 12, 16, 24, 32, 48))


def main(arguments: Sequence[str] | None = None) -> int:
    """Plan, print the median, and return 0 if it is below a second, else 3."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="how often it is planned (default 7)")
    rounds = parser.parse_args(arguments).rounds
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "sweep.csv").write_text(sweep(), encoding="utf-8")
        study = benchlib.open_study(folder)
        walls, processors = [], []
        for _ in range(rounds + 1):
            start, used = time.perf_counter(), time.process_time()
            benchlib.plan_capacity(
                study,
                target="50000/s",
                slo="latency_mean=2ms",
                headroom="30%",
                survive=1,
                node=KINDS,
                growth="4%/month",
            )
            walls.append(time.perf_counter() - start)
            processors.append(time.process_time() - used)
    # The first round imports what it needs.
    wall, processor = statistics.median(walls[1:]), statistics.median(processors[1:])
    print(f"load of the machine while this ran: {os.getloadavg()[1]:.1f} on {os.cpu_count()} cores\n")
    print("| what | measured | goal |\n|---|---:|---:|")
    print(f"| 4,000 draws, {len(KINDS)} kinds of node, processor time | {processor:.2f} s | below 1 s |")
    print(f"| the same by the clock | {wall:.2f} s | |")
    return 0 if processor < 1 else 3


def sweep() -> str:
    """Return a sweep as a tidy table."""
    generator = np.random.default_rng(1)
    rows = ["run,benchmark,workers,metric,value,unit"]
    for run in range(3):
        for level in LEVELS:
            rate = float(usl.throughput(level, 1000.0, 0.03, 2e-4)) * float(np.exp(0.02 * generator.standard_normal()))
            rows.append(f"{run},Serve,{level},throughput,{rate:.2f},req/s")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
