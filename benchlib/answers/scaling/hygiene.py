"""What weakens a curve before any law is fitted, told from the rows behind it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from benchlib.answers.grouping import axes_of, cell_rows, varies_within
from benchlib.answers.sweeps import FEWEST_LEVELS, Sweep
from benchlib.caveats import Caveat, caveat
from benchlib.errors import choices
from benchlib.scaling.curve import levels_text
from benchlib.study import Study
from benchlib.units import percent

__all__ = ["DEMAND_AXES", "NODE_AXES", "known_cores", "row_caveats"]

#: Axes that count what asks for work rather than what does it: a core serves many of them.
DEMAND_AXES = ("connections", "clients", "concurrency", "users", "subscribers")
#: Axes that count whole machines: what several deliver was measured, and is not added up.
NODE_AXES = ("nodes", "replicas")
#: Axes that state how many cores the machine of a result has.
_CORES = ("cores", "num_cpus", "cpu_count", "cpus", "nproc")
#: Throughput times latency may differ from the concurrency by this share before it is said.
LITTLE_TOLERANCE = 0.10


def known_cores(study: Study) -> int | None:
    """Return the cores of the machine: as the study says, else as its results do where they agree."""
    said = study.environment.get("cores")
    if isinstance(said, int):
        return said
    for axis in _CORES:
        if axis in study.results.axes and axis != study.scaling.concurrency:
            levels = study.results.levels(axis)
            if len(levels) == 1 and isinstance(levels[0], int):
                return levels[0]
    return None


def row_caveats(sweep: Sweep, axis: str) -> tuple[Caveat, ...]:
    """Return what the rows of a curve say against it."""
    return (
        *_mixed_structure(sweep.rows, axis),
        *_confounded(sweep.rows, axis),
        *_order(sweep.rows, axis),
        *_repeats(sweep.rows, axis),
        *_little(sweep, axis),
        *_unsaid(sweep),
        *_unplaced(sweep, axis),
    )


def _mixed_structure(rows: pd.DataFrame, axis: str) -> list[Caveat]:
    """A run that stands at one level, beside one that sweeps them, may be built differently."""
    found = []
    benchmarks = [str(one) for one in rows["benchmark"].unique()]
    if len(benchmarks) > 1:
        found.append(caveat("mixed-structure", f"one curve is drawn through {choices(benchmarks, 3)}"))
    levels: dict[str, list[float]] = {}
    measured_at = rows[axis].to_numpy(dtype=float)
    for key, places in cell_rows(rows, ["run"]):
        levels[str(key.get("run", ""))] = np.unique(measured_at[places]).tolist()
    sweeping = [run for run, places in levels.items() if len(places) >= FEWEST_LEVELS]
    alone = {run: places[0] for run, places in levels.items() if len(places) == 1}
    if sweeping and alone:
        told = " and ".join(f"run {run} at {axis} {level:g} alone" for run, level in alone.items())
        found.append(
            caveat(
                "mixed-structure",
                f"{told}, beside the sweep of run {choices(sweeping, 3)}: it may be built differently",
            )
        )
    return found


def _confounded(rows: pd.DataFrame, axis: str) -> list[Caveat]:
    """Axes that change with concurrency cannot be told from it; axes mixed in a level blur it."""
    others = [one for one in axes_of(rows) if one != axis]
    mixed = [one for one in others if varies_within(rows, one, [axis])]
    found = []
    if mixed:
        found.append(caveat("residue", f"levels mix values of {', '.join(mixed)}"))
    for one in others:
        if one in mixed:
            continue
        steps: dict[str, float] = {}
        for place, _ in cell_rows(rows, [axis, one]):
            steps.setdefault(str(place.get(one, "not recorded")), place[axis])
        told = ", ".join(f"{level} from {axis} {start:g} on" for level, start in steps.items())
        found.append(
            caveat(
                "generator-changed",
                f"{one} changes with {axis} ({told}): that step is not the system's alone",
            )
        )
    return found


def _order(rows: pd.DataFrame, axis: str) -> list[Caveat]:
    """Levels of one file that stand out of order."""
    measured_at, position = rows[axis].to_numpy(dtype=float), rows["position"].to_numpy()
    for key, places in cell_rows(rows, ["source"]):
        levels = measured_at[places[np.argsort(position[places])]]
        if (np.diff(levels) < 0).any() and len(levels) == len(np.unique(levels)):
            message = f"levels do not stand in ascending order in {key['source']} ({levels_text(levels)})"
            return [caveat("unsorted-levels", message)]
    return []


def _repeats(rows: pd.DataFrame, axis: str) -> list[Caveat]:
    """Levels that were measured more often than the others."""
    counts = {float(key[axis]): len(places) for key, places in cell_rows(rows, [axis])}
    fewest = min(counts.values())
    more = [level for level, count in counts.items() if count > fewest]
    if not more:
        return []
    told = ", ".join(f"{level:g} ({counts[level]})" for level in more[:4])
    rest = f" and {len(more) - 4} more" if len(more) > 4 else ""
    message = f"{axis} {told}{rest} was measured more often than the others ({fewest}): read as replicates"
    return [caveat("repeated-levels", message)]


def _little(sweep: Sweep, axis: str) -> list[Caveat]:
    """Hold throughput times mean latency against the concurrency, level by level.

    References
    ----------
    J. D. C. Little, "A proof for the queuing formula L = λW", Operations Research 9(3), 1961, 383-387.
    """
    timed = sweep.beside["metric"] == "latency_mean"
    unit = str(sweep.rows["unit"].iloc[0])
    inverse = unit.startswith("sec/")
    if not timed.any() or not (inverse or unit.endswith("/sec")):
        return []  # latencies are in seconds, this rate is not
    waits = _medians(sweep.beside[timed], axis)
    throughput = _medians(sweep.rows, axis)
    off = {}
    for level, rate in throughput.items():
        if level in waits:
            flying = waits[level] / rate if inverse else waits[level] * rate
            if abs(flying / level - 1) > LITTLE_TOLERANCE:
                off[level] = flying
    if not off:
        return []
    widest = max(off, key=lambda level: abs(np.log(off[level] / level)))
    message = (
        f"throughput x mean latency gives {off[widest]:.3g} in flight at {axis} {widest:g}, "
        f"more than {percent(LITTLE_TOLERANCE)} off at {levels_text(list(off))}"
    )
    return [caveat("littles-law", message)]


def _medians(rows: pd.DataFrame, axis: str) -> Mapping[float, float]:
    values = rows["value"]
    cells = cell_rows(rows, [axis])
    return {float(key[axis]): float(values.iloc[places].median()) for key, places in cells if axis in key}


def _unsaid(sweep: Sweep) -> list[Caveat]:
    if sweep.metric != "time" or sweep.parallel:
        return []
    message = "time is read as one over throughput because it was asked for"
    return [caveat("time-as-throughput", f"{message}: no study says that its operations ran in parallel")]


def _unplaced(sweep: Sweep, axis: str) -> list[Caveat]:
    """Rows that would be of the curve if they said at which level they were measured."""
    rows = sweep.unplaced
    if rows.empty:
        return []
    sources = [str(one) for one in rows["source"].unique()]
    told = "1 measurement states" if len(rows) == 1 else f"{len(rows)} measurements state"
    stay = "stays" if len(rows) == 1 else "stay"
    return [caveat("level-unstated", f"{told} no {axis} and {stay} out of the curve ({choices(sources, 2)})")]
