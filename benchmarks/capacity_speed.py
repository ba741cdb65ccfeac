"""How long a capacity plan takes: ``python benchmarks/capacity_speed.py``.

One sweep of cores, three measurements at each of six levels, planned for ten kinds of node with 4,000 draws: from an
open study to the answer, fits and all; then the sliders of its deck in Chromium, from a movement until the slide is
laid out. The exit code is 3 if the median of the rounds is a second or more, or that of a slider's movements 50 ms.
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

from benchlib.answers.capacity import plan_capacity
from benchlib.render.chromium import find_chromium
from benchlib.run.build import Request
from benchlib.run.slides import build_slides
from benchlib.scaling.laws import usl
from benchlib.study import open_study

LEVELS = (1, 2, 4, 8, 16, 32)
#: Of a plan of an open study, and of one movement of a slider, in seconds.
PLANNED, MOVED = 1.0, 0.05
ASKED = {"target": "50000/s", "slo": "latency_mean=2ms", "headroom": "30%", "survive": 1}
KINDS = tuple(f"cores={cores},cost={0.05 * cores**0.95:.3f}/h" for cores in (1, 2, 4, 6, 8, 12, 16, 24, 32, 48))

_MOVE = """
[...document.querySelectorAll(".what-if .controls > div:has([type=range])")].map((field) => {
  const range = field.querySelector("[type=range]");
  const [least, most] = [Number(range.min), Number(range.max)];
  const moved = [...Array(41).keys()].map((at) => {
    const begun = performance.now();
    range.value = least + ((at + 20) % 41) / 40 * (most - least);
    range.dispatchEvent(new Event("input", { bubbles: true }));
    document.body.offsetHeight;
    return performance.now() - begun;
  });
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
        study = open_study(folder)
        walls, processors = [], []
        for _ in range(rounds + 1):
            start, used = time.perf_counter(), time.process_time()
            plan_capacity(study, node=KINDS, growth="4%/month", **ASKED)
            walls.append(time.perf_counter() - start)
            processors.append(time.process_time() - used)
        asked = {**{name: str(value) for name, value in ASKED.items()}, "nodes": "; ".join(KINDS)}
        request = Request(folder, Path(folder, "slides"), "capacity_deck", asked)
        moved = sliders(build_slides(request, ("html",), max_bytes=None, tell=lambda _: None).page)
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


def sliders(deck: Path) -> dict[str, list[float]]:
    """Move each slider of a deck through its range, and return how long each movement took, in seconds."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(f"{deck.as_uri()}#slide-4")
        page.wait_for_selector("html[data-ready='1']", state="attached")
        moved = page.evaluate(_MOVE)
        browser.close()
    return {label: [1e-3 * one for one in seconds] for label, seconds in moved}


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
