"""How many changes does `benchlib.statistics.changes` tell that are none, and how many does it miss?

    python benchmarks/trend_detection.py HISTORIES                     # ours: about two minutes
    python benchmarks/trend_detection.py HISTORIES --otava PYTHON      # beside Apache Otava, about ten

HISTORIES is a folder of long real series: numpy-asv (a machine of its own) and django-asv (GitHub's shared runners),
each with MACHINE.values.csv (a row a commit, a column a benchmark) and MACHINE.runs.csv (commit, date), tcpd (one
series a file, annotations.json) and otava (tigerbeetle.csv). PYTHON has `apache-otava` installed; it runs with its
defaults and a smallest change of 2 %.

Windows are 200 runs of one benchmark whose quarters lie within 2 % (4 % on shared runners). Constants were chosen on
benchmarks with an even number; those with an odd number are what the table shows (`--tuned` shows the others).
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.statistics.changes import Course, find_changes

Floats = NDArray[np.float64]
#: From series to the places of changes of each.
Detector = Callable[[Sequence[Floats]], list[list[int]]]

RUNS, WINDOWS = 200, 120
#: Name, file without its ending, how far quarters of a quiet window lie apart.
PLACES = (("own machine", "numpy-asv/i7", 0.02), ("shared runner", "django-asv/gha-py312", 0.04))
OTAVA = """
import json, sys, time
from otava.analysis import compute_change_points
series, begun = json.load(sys.stdin), time.perf_counter()
found = [[int(change.index) for change in compute_change_points(values, window_len=50, max_pvalue=0.001,
          min_magnitude=0.02)[0]] for values in series]
json.dump({"found": found, "seconds": time.perf_counter() - begun}, sys.stdout)
"""


def ours(series: Sequence[Floats]) -> list[list[int]]:
    """Places of the changes that we tell."""
    return [[change.at for change in course.changes] for course in find_changes(series)]


def otava(python: str) -> Detector:
    """Return what asks Otava in an environment of its own."""

    def ask(series: Sequence[Floats]) -> list[list[int]]:
        text = json.dumps([values.tolist() for values in series])
        done = subprocess.run([python, "-c", OTAVA], input=text, capture_output=True, text=True, check=True)
        answer = json.loads(done.stdout)
        ask.seconds = answer["seconds"]  # type: ignore[attr-defined]
        return list(answer["found"])

    return ask


def quiet_windows(folder: Path, name: str, apart: float, odd: bool) -> list[Floats]:
    """Windows whose quarters agree, of every other benchmark that times something."""
    table = pd.read_csv(folder / f"{name}.values.csv", index_col=0)
    windows = []
    for place, column in enumerate(name for name in table.columns if "time_" in name):
        values = table[column].to_numpy(float)
        values = values[np.isfinite(values) & (values > 0)]
        for start in range(0, values.size - RUNS + 1, RUNS) if place % 2 == odd else ():
            window = values[start : start + RUNS]
            middles = [np.median(quarter) for quarter in np.split(window, 4)]
            if max(middles) / min(middles) - 1 < apart and np.median(np.abs(np.diff(window))) > 0:
                windows.append(window)
    order = np.random.default_rng(1).permutation(len(windows))[:WINDOWS]
    return [windows[place] for place in order]


def stepped(windows: Sequence[Floats], at: NDArray[np.intp], signs: NDArray[np.intp], size: float) -> list[Floats]:
    """Multiply each window by a step up or down from a place on."""
    return [
        values * np.where(np.arange(RUNS) >= place, (1 + size) ** float(sign), 1.0)
        for values, place, sign in zip(windows, at, signs, strict=True)
    ]


def share_near(found: Sequence[Sequence[int]], at: NDArray[np.intp], margin: int) -> float:
    """Share of steps that are told so near."""
    return float(
        np.mean([any(abs(cut - place) <= margin for cut in cuts) for cuts, place in zip(found, at, strict=True)])
    )


def told_in_thousand(found: Sequence[Sequence[int]]) -> float:
    """Changes told in 1,000 points."""
    return 1000 * sum(map(len, found)) / (len(found) * RUNS)


def window_lines(windows: Sequence[Floats], detect: Detector) -> dict[str, str]:
    """One column of the table."""
    random = np.random.default_rng(5)
    shuffled = [random.permutation(values) for values in windows]
    at = random.integers(40, RUNS - 40, len(windows))
    signs = random.choice([-1, 1], len(windows))
    slope = np.linspace(0, 1, RUNS)
    drifting = [values * 1.1 ** (sign * slope) for values, sign in zip(shuffled, signs, strict=True)]
    wild = [values * np.where(random.random(RUNS) < 0.02, random.uniform(1.3, 3, RUNS), 1.0) for values in windows]
    lines = {
        "false changes in 1,000 shuffled points": f"{told_in_thousand(detect(shuffled)):.2f}",
        "told in 1,000 quiet points as they were": f"{told_in_thousand(detect(windows)):.1f}",
        "told in 1,000 points of a drift of 10 %": f"{told_in_thousand(detect(drifting)):.1f}",
        "with 2 % outliers of 1.3 to 3x": f"{told_in_thousand(detect(wild)):.1f}",
    }
    for size, margin, what in ((0.05, 5, "5 % steps found within 5 runs"), (0.02, 5, "2 % steps"),
                               (0.10, 0, "10 % steps placed to the run")):  # fmt: skip
        lines[what] = f"{share_near(detect(stepped(windows, at, signs, size)), at, margin):.0%}"
    lines |= delay_lines(shuffled, signs, detect)
    if detect is ours:
        lines |= own_lines(windows, shuffled, drifting, at, signs)
    return lines


def delay_lines(shuffled: Sequence[Floats], signs: NDArray[np.intp], detect: Detector) -> dict[str, str]:
    """How soon a step is told, and how often an alarm is raised that no run after it takes for one."""
    few, place, waits = shuffled[:30], 100, range(1, 16)
    steps = stepped(few, np.full(len(few), place), signs[: len(few)], 0.05)
    found = detect([values[: place + wait] for values in steps for wait in waits])
    delays = [
        next((wait for wait, cuts in zip(waits, found[start : start + len(waits)], strict=True)
              if any(abs(cut - place) <= 3 for cut in cuts)), 99)
        for start in range(0, len(found), len(waits))
    ]  # fmt: skip
    ends = range(20, RUNS + 1, 2)
    raised = detect([values[:end] for values in few for end in ends])
    alarms = 0
    for start in range(0, len(raised), len(ends)):
        places = sorted({cut for cuts in raised[start : start + len(ends)] for cut in cuts})
        alarms += sum(later - earlier > 5 for earlier, later in zip([-99, *places], places, strict=False))
    return {
        "median runs until a 5 % step is told": f"{np.median(delays):.0f}",
        "alarms ever raised in 1,000 shuffled runs": f"{1000 * alarms / (len(few) * RUNS):.1f}",
    }


def own_lines(
    windows: Sequence[Floats], shuffled: Sequence[Floats], drifting: Sequence[Floats], at: NDArray[np.intp],
    signs: NDArray[np.intp],
) -> dict[str, str]:  # fmt: skip
    """What only we state: drifts, places, intervals, and what would have been seen."""
    named = np.mean([bool(course.drifts) for course in find_changes(drifting)])
    lines = {"drifts of 10 % named": f"{named:.0%}"}
    for size in (0.05, 0.10):
        held, ratios, widths = [], [], []
        for course, place, sign in zip(find_changes(stepped(windows, at, signs, size)), at, signs, strict=True):
            for change in course.changes:
                if abs(change.at - place) <= 10:
                    held.append(change.first <= place <= change.last)
                    ratios.append(change.ratio.low <= (1 + size) ** float(sign) <= change.ratio.high)
                    widths.append(change.last - change.first + 1)
        lines[f"sets of runs that hold a {size:.0%} step; runs in it"] = f"{np.mean(held):.0%}; {np.median(widths):.0f}"
        lines["intervals of its size that hold it"] = f"{np.mean(ratios):.0%}"
    for runs in (3, 10):
        seen = []
        for values, course, sign in zip(shuffled, find_changes(shuffled), signs, strict=True):
            step = course.visible(runs)
            end = 150 + runs
            changed = values[:end] * np.where(np.arange(end) >= 150, (1 + step) ** float(sign), 1.0)
            seen.append(any(abs(cut - 150) <= 2 for cut in ours([changed])[0]))
        lines[f"steps said to be visible within {runs} runs that are told"] = f"{np.mean(seen):.0%}"
    return lines


def two_machines(folder: Path, detect: Detector) -> str:
    """How many changes of 5 % on one machine another machine shows as well, within five of its runs."""
    tables = {}
    for machine in ("i7", "atom"):
        values = pd.read_csv(folder / f"numpy-asv/{machine}.values.csv", index_col=0)
        dates = pd.read_csv(folder / f"numpy-asv/{machine}.runs.csv").set_index("commit")["date"]
        tables[machine] = values, pd.to_datetime(dates.reindex(values.index)).to_numpy()
    columns = [name for name in tables["i7"][0] if "time_" in name and name in tables["atom"][0]][:300]
    changes: dict[str, list[list[tuple[float, np.datetime64, float]]]] = {}
    spacing = {}
    for machine, (values, dates) in tables.items():
        kept = [values[name].to_numpy(float) for name in columns]
        sound = [np.isfinite(value) & (value > 0) for value in kept]
        series = [value[ok] for value, ok in zip(kept, sound, strict=True)]
        when = [dates[ok] for ok in sound]
        changes[machine] = [
            [_sized(value, cut, cuts, days) for cut in cuts]
            for value, cuts, days in zip(series, detect(series), when, strict=True)
        ]
        spacing[machine] = when
    told = shared = 0
    for own, other, days in zip(changes["i7"], changes["atom"], spacing["atom"], strict=True):
        for size, when, _ in own:
            if abs(size) < np.log(1.05) or when > days[-6]:
                continue
            told += 1
            place = int(np.searchsorted(days, when))
            span = days[max(place - 5, 0)], days[min(place + 5, len(days) - 1)]
            shared += any(span[0] <= there <= span[1] and size * theirs > 0 for theirs, there, _ in other)
    return f"{shared / told:.0%} ({shared} of {told})"


def _sized(
    values: Floats, cut: int, cuts: Sequence[int], days: NDArray[np.datetime64]
) -> tuple[float, np.datetime64, float]:
    edges = [0, *cuts, values.size]
    place = edges.index(cut, 1)
    before, after = values[edges[place - 1] : cut], values[cut : edges[place + 1]]
    return float(np.log(np.median(after) / np.median(before))), days[cut], 0.0


def labelled(folder: Path, detect: Detector) -> str:
    """F1 with a margin of 5 against all who labelled a series: van den Burg and Williams, arXiv 2003.06222."""
    notes = json.loads((folder / "tcpd/annotations.json").read_text())
    scores = []
    for name, people in notes.items():
        path = folder / f"tcpd/{name}.csv"
        if not path.exists():
            continue
        values = pd.read_csv(path).iloc[:, -1].to_numpy(float)
        if not (np.isfinite(values) & (values > 0)).all():
            continue
        told = {0, *detect([values])[0]}
        marks = [{0, *places} for places in people.values()]
        everyone = set().union(*marks)
        precision = _matched(everyone, told) / len(told)
        recall = float(np.mean([_matched(own, told) / len(own) for own in marks]))
        scores.append(2 * precision * recall / (precision + recall))
    return f"{np.mean(scores):.2f} ({len(scores)} series)"


def _matched(true: set[int], told: set[int], margin: int = 5) -> int:
    left, count = set(told), 0
    for place in sorted(true):
        near = [cut for cut in left if abs(cut - place) <= margin]
        if near:
            left.remove(min(near, key=lambda cut: abs(cut - place)))
            count += 1
    return count


def tigerbeetle(folder: Path) -> str:
    """What a known series is said to have done: a dip that ends at 15, a step at 71, a climb."""
    values = pd.read_csv(folder / "otava/tigerbeetle.csv")["throughput"].to_numpy(float)
    course: Course = find_changes([values], least=0.05)[0]
    changes = ", ".join(f"{change.at}: {change.ratio.value - 1:+.1%}" for change in course.changes)
    drifts = ", ".join(f"{drift.first} to {drift.last}: {drift.end / drift.start - 1:+.1%}" for drift in course.drifts)
    return f"changes {changes}; drifts {drifts or 'none'}"


def speed(detect: Detector, series: int = 1000) -> str:
    """1,000 series of 500 runs, one in ten with a step."""
    random = np.random.default_rng(3)
    rows = [np.exp(0.01 * random.standard_normal(500) + 0.1 * (place % 10 == 0) * (np.arange(500) > 250))
            for place in range(series)]  # fmt: skip
    begun = time.process_time()
    detect(rows)
    return f"{getattr(detect, 'seconds', time.process_time() - begun):.1f} s"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("histories", type=Path)
    parser.add_argument("--otava", default="", metavar="PYTHON")
    parser.add_argument("--tuned", action="store_true", help="the windows that constants were chosen on")
    given = parser.parse_args()
    detectors: dict[str, Detector] = {"ours": ours, **({"Otava": otava(given.otava)} if given.otava else {})}
    columns: dict[str, dict[str, str]] = {}
    for place, name, apart in PLACES:
        windows = quiet_windows(given.histories, name, apart, not given.tuned)
        for detector, detect in detectors.items():
            columns[f"{detector}, {place} ({len(windows)})"] = window_lines(windows, detect)
    print("| | " + " | ".join(columns) + " |\n|---|" + "---|" * len(columns))
    for what in dict.fromkeys(line for column in columns.values() for line in column):
        print(f"| {what} | " + " | ".join(column.get(what, "") for column in columns.values()) + " |")
    print()
    for detector, detect in detectors.items():
        print(
            f"{detector}: NumPy, changes of 5 % that the other machine shows: {two_machines(given.histories, detect)}"
        )
        print(f"{detector}: tcpd F1 {labelled(given.histories, detect)}; 1,000 series x 500 runs {speed(detect)}")
    print(f"TigerBeetle at 5 %: {tigerbeetle(given.histories)}")
    speed(ours, 10_000)
    print(f"10,000 series x 500 runs: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")


if __name__ == "__main__":
    main()
