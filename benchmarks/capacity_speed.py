"""How long a capacity plan takes: ``python benchmarks/capacity_speed.py``.

One sweep of cores, three measurements at each of six levels, planned for ten kinds of node with 4,000 draws: from an
open study to the answer, fits and all; then its sliders in Chromium, from a movement until the page is laid out. The
exit code is 3 if the median of the rounds is a second or more, or that of a slider's movements 50 ms.
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
from benchlib.report.page.formats.browser import Browser
from benchlib.scaling.laws import usl
from tests.browser.planned_page import planned_page

LEVELS = (1, 2, 4, 8, 16, 32)
#: Of a plan of an open study, and of one movement of a slider, in seconds.
PLANNED, MOVED = 1.0, 0.05
KINDS = tuple(f"cores={cores},cost={0.05 * cores**0.95:.3f}/h" for cores in (1, 2, 4, 6, 8, 12, 16, 24, 32, 48))

_MOVE = """
[...document.querySelectorAll(".what-if-field")].map((field) => {
  const range = field.querySelector("[type=range]");
  const moved = [...Array(41).keys()].map((at) => {
    const begun = performance.now();
    range.value = (at + 20) % range.max;
    range.dispatchEvent(new Event("input", { bubbles: true }));
    document.body.offsetHeight;
    return performance.now() - begun;
  });
  document.querySelector(".what-if-back").click(); // two kinds of one size would have no answer
  return [field.querySelector("label").innerText, moved];
})
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Plan, move the sliders, print the medians, and return 0 if they are below their goals, else 3."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="how often it is planned (default 7)")
    rounds = parser.parse_args(arguments).rounds
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "sweep.csv").write_text(sweep(), encoding="utf-8")
        study = benchlib.open_study(folder)
        walls, processors = [], []
        for _ in range(rounds + 1):
            start, used = time.perf_counter(), time.process_time()
            plan = benchlib.plan_capacity(
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
        moved = sliders(planned_page(plan, Path(folder)))
    # The first round imports what it needs.
    wall, processor = statistics.median(walls[1:]), statistics.median(processors[1:])
    print(f"load of the machine while this ran: {os.getloadavg()[1]:.1f} on {os.cpu_count()} cores\n")
    print("| what | measured | goal |\n|---|---:|---:|")
    print(f"| 4,000 draws, {len(KINDS)} kinds of node, processor time | {processor:.2f} s | below {PLANNED:g} s |")
    print(f"| the same by the clock | {wall:.2f} s | |")
    for label, seconds in moved.items():
        told = f"{1e3 * statistics.median(seconds):.0f} ms (slowest {1e3 * max(seconds):.0f} ms)"
        print(f"| slider: {label}, {len(seconds)} movements | {told} | below {1e3 * MOVED:g} ms |")
    return 0 if processor < PLANNED and all(statistics.median(one) < MOVED for one in moved.values()) else 3


def sliders(page: str) -> dict[str, list[float]]:
    """Move each slider of a page through its range, and return how long each movement took, in seconds."""
    with Browser() as browser:
        tab = browser.tab(width=1200, height=900)
        tab.open(Path(page.removeprefix("file://")))
        tab.wait_for("globalThis.left ? '' : document.querySelector('.what-if')?.dataset.live", "starting the sliders")
        return {label: [1e-3 * one for one in moved] for label, moved in tab.evaluate(_MOVE)}


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
