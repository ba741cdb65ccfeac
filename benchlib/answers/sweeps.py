"""The sweeps of a study: which rows make a curve, what they say against it, and why others make none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.asking import Refusal
from benchlib.answers.evidence import Evidence, gather
from benchlib.answers.grouping import _varies_within, axes_of, cell_rows, cells, label, mixed_axes
from benchlib.caveats import Caveat, caveat
from benchlib.concurrency import DEMAND, counted
from benchlib.errors import SelectionError, choices, printable
from benchlib.scaling.curve import levels_text
from benchlib.scaling.laws import LAWS, offered_laws
from benchlib.study import CurvePlan, Exclusion, Study
from benchlib.units import percent

# Which rows a study lets into scaling, and which of their metrics tells a throughput.


def _kept_rows(study: Study) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the rows that the plan of a study lets into scaling, and the reasons for the others by benchmark."""
    frame = study.results.frame
    excluded: dict[str, str] = {}
    for exclusion, named in _excluded(study):
        dropped = frame.index.intersection(named)
        for name in frame.loc[dropped, "benchmark"].astype(str).unique():
            excluded.setdefault(name, exclusion.why)
        frame = frame.drop(index=dropped)
    return frame, excluded


def _why_kept_out(study: Study, rows: pd.DataFrame) -> str:
    """Return why the plan of a study keeps some of these rows out of scaling; empty where it keeps none out."""
    reasons = [exclusion.why for exclusion, named in _excluded(study) if not rows.index.intersection(named).empty]
    return "; ".join(dict.fromkeys(reasons))


def _excluded(study: Study) -> Iterator[tuple[Exclusion, pd.Index[Any]]]:
    """Give each exclusion of the plan with the rows that it names."""
    for exclusion in study.scaling.exclusions:
        try:
            yield exclusion, study.results.select(exclusion.where).frame.index
        except SelectionError:
            continue  # narrowed away already


def _throughput_metric(study: Study, rows: pd.DataFrame, asked: str = "") -> str | None:
    """Return the metric by which rows of one benchmark tell a throughput; None where none does.

    A rate does; time only where the study says that its operations ran in parallel: throughput is then one
    over it.
    """
    metrics = set(rows["metric"])
    if asked:
        # Beside benchmarks that the study says are parallel, the time of another is no throughput.
        serial = asked == "time" and study.parallel and not _is_parallel(study, rows)
        return asked if asked in metrics and not serial else None
    if "throughput" in metrics:
        return "throughput"
    return "time" if "time" in metrics and _is_parallel(study, rows) else None


#: The unit of throughput where each value is the time of a whole job -> the unit of that time, which may be unknown.
JOBS = {"run/sec": "sec", "run": ""}
#: Metrics that are times, even where nobody wrote their unit.
_TIMES = ("time", "duration")


def _as_rates(values: NDArray[np.float64], unit: str, metric: str = "") -> tuple[NDArray[np.float64], str]:
    """Return values of a throughput metric as work by time, with their unit; invert values that are times."""
    work, _, time = unit.partition("/")
    if work == "sec" or (metric in _TIMES and not unit):
        return 1.0 / values, f"{time}/{work}" if time else "run/sec" if work else "run"
    return values, unit


def _corrects_latency(study: Study) -> bool:
    """Whether a study names wrk as its load generator, which adds to the latencies that it measured.

    At its end wrk takes the mean time between two requests of a connection, and for each slower request counts those
    that the connection had to leave out, each with what was left of the wait: its mean latency grows, and mean times
    throughput exceeds the connections. W. Glozer, wrk, ``stats_correct`` as called by ``main`` of src/wrk.c. wrk2
    counts from a schedule instead.
    """
    return re.match(r"\s*wrk\b", str(study.environment.get("generator", "")).lower()) is not None


def _is_parallel(study: Study, rows: pd.DataFrame) -> bool:
    """Say whether the study lists the benchmark of these rows as parallel; no rows are of none."""
    names = rows["benchmark"].array
    return len(names) > 0 and any(fnmatchcase(str(names[0]), pattern) for pattern in study.parallel)


# Which rows make a scaling curve: as a study lists them, or every benchmark that was swept.

#: A benchmark that nobody named as a curve counts as a curve from this many levels on.
FEWEST_LEVELS = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sweep:
    """The rows of one curve, and the name it goes by."""

    name: str
    #: What all rows share.
    key: Mapping[str, Any]
    #: A rate, or a time where throughput is one over it.
    metric: str
    rows: pd.DataFrame
    #: The rows of every metric in the same places.
    beside: pd.DataFrame
    #: Rows of the same places that rest on failed operations: of no use as numbers, and yet they were measured.
    failed: pd.DataFrame
    #: Rows of the metric that would be of the curve, and do not say at which level.
    unplaced: pd.DataFrame
    #: Whether the study says that its operations ran in parallel; a rate needs no such word.
    parallel: bool
    #: The axis that holds the work of each row, where that grows with concurrency; empty where all do the same.
    work: str
    weak: bool
    #: Distinct concurrencies.
    levels: int
    #: Whether the study lists it as a curve.
    named: bool


def _find_sweeps(study: Study, metric: str = "") -> tuple[Sweep, ...]:
    """Return the rows of each scaling curve of a study, without what its plan excludes."""
    axis = study.scaling.concurrency
    frame, _ = _kept_rows(study)
    placed = frame[axis].notna()
    none = frame[:0]
    frame, unplaced = frame[placed], none if placed.all() else frame[~placed]
    plans = [curve for curve in study.scaling.curves if metric in ("", curve.metric)]
    if plans:
        return tuple(sweep for plan in plans for sweep in _planned(study, frame, unplaced, plan))
    # Axes that vary at a fixed concurrency tell curves apart.
    by = list(dict.fromkeys(["benchmark", *(study.scaling.by or mixed_axes(frame, ["benchmark", axis]))]))
    failed = list(cells(_failed(study, study.results.failed), by))
    sweeps = []
    for key, rows in cells(frame, by):
        used = _throughput_metric(study, rows, metric)
        if used is None:
            continue
        lost = next((part for place, part in failed if place == key), none)
        parts = (rows, lost, _of(unplaced, key))
        sweeps.append(_sweep(study, f"{label(key)} ({used})", key, used, parts, named=False))
    return tuple(sweeps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """What another run measured at a level that a curve does not have, kept out of it by the study."""

    concurrency: float
    throughput: float  # median
    n: int
    why: str
    evidence: Evidence


def _elsewhere(study: Study, sweep: Sweep) -> tuple[Elsewhere, ...]:
    """Return what runs kept out of a curve measured of the same benchmark at other levels."""
    axis, found = study.scaling.concurrency, []
    benchmarks, levels = set(sweep.rows["benchmark"]), set(map(float, sweep.rows[axis].astype(object)))
    for exclusion, index in _excluded(study):
        rows = study.results.frame.loc[study.results.frame.index.intersection(index)]
        rows = rows[(rows["metric"] == sweep.metric) & rows["benchmark"].isin(benchmarks) & (rows["value"] > 0)]
        rows = rows[pd.to_numeric(rows[axis].astype(object), errors="coerce").notna()]
        for key, at_level in cells(rows, [axis]):
            if float(key[axis]) in levels or at_level["unit"].nunique() > 1:
                continue
            rates, _ = _as_rates(at_level["value"].to_numpy(dtype=float), str(at_level["unit"].iloc[0]))
            found.append(
                Elsewhere(
                    concurrency=float(key[axis]),
                    throughput=float(np.median(rates)),
                    n=len(rates),
                    why=exclusion.why,
                    evidence=gather(at_level, "median of a run that the study keeps out of the curve"),
                )
            )
    return tuple(found)


def _failed(study: Study, failed: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of failed operations that belong to a level, without what the plan excludes."""
    if failed.empty:
        return failed
    for exclusion in study.scaling.exclusions:
        try:
            failed = failed.drop(index=failed.index.intersection(study.results.select(exclusion.where).failed.index))
        except SelectionError:
            continue  # narrowed away already
    return failed[failed[study.scaling.concurrency].notna()]


def _sweep(
    study: Study,
    name: str,
    key: Mapping[str, Any],
    metric: str,
    measured: tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame],
    *,
    named: bool,
    weak: bool = False,
) -> Sweep:
    beside, failed, unplaced = measured
    rows = beside[beside["metric"] == metric]
    return Sweep(
        name=name,
        key=key,
        metric=metric,
        rows=rows,
        beside=beside,
        failed=failed,
        unplaced=unplaced[unplaced["metric"] == metric],
        parallel=named or _is_parallel(study, rows),
        work=study.scaling.work or (study.scaling.concurrency if weak else ""),
        weak=weak or study.scaling.weak,
        levels=int(rows[study.scaling.concurrency].nunique()),
        named=named,
    )


def _of(rows: pd.DataFrame, key: Mapping[str, Any]) -> pd.DataFrame:
    """Return the rows that state nothing else than a curve does of what tells it from others, and no case of it."""
    if rows.empty:
        return rows
    for axis, level in key.items():
        rows = rows[rows[axis].isna() | (rows[axis] == level)]
    return rows if "case" in key or "case" not in rows else rows[rows["case"].isna()]


def _planned(study: Study, frame: pd.DataFrame, unplaced: pd.DataFrame, plan: CurvePlan) -> list[Sweep]:
    axis = study.scaling.concurrency
    try:
        selected = study.results.select(plan.where)
    except SelectionError:
        return []  # narrowed away
    beside = selected.frame.loc[selected.frame.index.intersection(frame.index)]
    without = selected.frame.loc[selected.frame.index.intersection(unplaced.index)]
    by = [axis_name for axis_name in study.scaling.by if axis_name in beside and axis_name != axis]
    parts = [cell for cell in cells(beside, by) if (cell[1]["metric"] == plan.metric).any()]
    failed = list(cells(_failed(study, selected.failed), by))
    sweeps = []
    for key, part in parts:
        lost = next((rows for place, rows in failed if place == key), frame[:0])
        name = f"{plan.name}, {label(key)}" if len(parts) > 1 else plan.name
        sweeps.append(
            _sweep(study, name, key, plan.metric, (part, lost, _of(without, key)), named=True, weak=plan.weak)
        )
    return sweeps


# What the rows of a curve say against it, before any law is fitted.

#: Axes that count whole machines: what several deliver was measured, and is not added up.
_NODE_AXES = ("nodes", "replicas")
#: Axes that state how many cores the machine of a result has.
_CORES = ("cores", "num_cpus", "cpu_count", "cpus", "nproc")
#: Throughput times latency may differ from the concurrency by this share before it is said.
_LITTLE_TOLERANCE = 0.10


def _counts_demand(axis: str) -> bool:
    """Whether an axis counts what asks for work."""
    return counted(axis) in DEMAND or axis == "subscribers"


def _known_cores(study: Study) -> int | None:
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


def _row_caveats(study: Study, sweep: Sweep, axis: str) -> Iterator[Caveat]:
    """Yield what the rows of a curve say against it."""
    rows = sweep.rows
    yield from _mixed_structure(rows, axis)
    yield from _confounded(rows, axis, sweep.work)
    yield from _repeats(rows, axis)
    yield from _little(study, sweep, axis)
    if sweep.metric == "time" and not sweep.parallel:
        message = "time is read as one over throughput because it was asked for"
        yield caveat("time-as-throughput", f"{message}: no study says that its operations ran in parallel")
    if len(sweep.unplaced):
        # They would be of the curve if they said at which level they were measured.
        sources = [str(source) for source in sweep.unplaced["source"].unique()]
        count = len(sweep.unplaced)
        subject, stay = ("1 measurement states", "stays") if count == 1 else (f"{count} measurements state", "stay")
        yield caveat("level-unstated", f"{subject} no {axis} and {stay} out of the curve ({choices(sources, 2)})")


def _mixed_structure(rows: pd.DataFrame, axis: str) -> Iterator[Caveat]:
    """A run at a single level, beside a run that sweeps the levels, may be built differently."""
    benchmarks = [str(name) for name in rows["benchmark"].unique()]
    if len(benchmarks) > 1:
        yield caveat("mixed-structure", f"one curve is drawn through {choices(benchmarks, 3)}")
    measured_at = rows[axis].to_numpy(dtype=float)
    levels = {
        str(key.get("run", "")): np.unique(measured_at[places]).tolist() for key, places in cell_rows(rows, ["run"])
    }
    sweeping = [run for run, places in levels.items() if len(places) >= FEWEST_LEVELS]
    alone = [f"run {run} at {axis} {places[0]:g} alone" for run, places in levels.items() if len(places) == 1]
    if sweeping and alone:
        beside = f"beside the sweep of run {choices(sweeping, 3)}: it may be built differently"
        yield caveat("mixed-structure", f"{' and '.join(alone)}, {beside}")


def _confounded(rows: pd.DataFrame, axis: str, work: str) -> Iterator[Caveat]:
    """Warn of axes that change with concurrency, but for its work, and of axes mixed within a level."""
    others = [name for name in axes_of(rows) if name not in (axis, work)]
    mixed = [other for other in others if _varies_within(rows, other, [axis])]
    if mixed:
        yield caveat("residue", f"levels mix values of {', '.join(mixed)}")
    for confounder in (other for other in others if other not in mixed):
        steps: dict[str, Any] = {}
        for place, _ in cell_rows(rows, [axis, confounder]):
            steps.setdefault(str(place.get(confounder, "not recorded")), place[axis])
        starts = ", ".join(f"{level} from {axis} {start} on" for level, start in steps.items())
        message = f"{confounder} changes with {axis} ({starts}): that step is not the system's alone"
        yield caveat("generator-changed", message)


def _repeats(rows: pd.DataFrame, axis: str) -> Iterator[Caveat]:
    """Levels that were measured more often than the others."""
    counts = {float(key[axis]): len(places) for key, places in cell_rows(rows, [axis])}
    fewest = min(counts.values())
    more = [f"{level:g} ({count})" for level, count in counts.items() if count > fewest]
    if more:
        rest = f" and {len(more) - 4} more" if len(more) > 4 else ""
        message = f"{axis} {', '.join(more[:4])}{rest} was measured more often than the others ({fewest})"
        yield caveat("repeated-levels", f"{message}: read as replicates")


def _little(study: Study, sweep: Sweep, axis: str) -> Iterator[Caveat]:
    """Hold throughput times mean latency against the concurrency, level by level.

    J. D. C. Little, "A proof for the queuing formula L = λW", Operations Research 9(3), 1961, 383-387.
    """
    timed = sweep.beside["metric"] == "latency_mean"
    unit = str(sweep.rows["unit"].iloc[0])
    inverse = unit.startswith("sec/")
    if not timed.any() or not (inverse or unit.endswith("/sec")):
        return  # latencies are in seconds, this rate is not
    waits, rates = _medians(sweep.beside[timed], axis), _medians(sweep.rows, axis)
    flying = {n: waits[n] / rate if inverse else waits[n] * rate for n, rate in rates.items() if n in waits}
    off = {n: count for n, count in flying.items() if abs(count / n - 1) > _LITTLE_TOLERANCE}
    if off:
        widest = max(off, key=lambda level: abs(np.log(off[level] / level)))
        message = (
            f"throughput x mean latency gives {off[widest]:.3g} in flight at {axis} {widest:g}, "
            f"more than {percent(_LITTLE_TOLERANCE)} off at {levels_text(list(off))}"
        )
        if _corrects_latency(study) and all(count > level for level, count in off.items()):
            why = "wrk counts the requests that a slow answer kept a connection from sending"
            yield caveat("latency-corrected", f"{why}, so {message}")
        else:
            yield caveat("littles-law", message)


def _medians(rows: pd.DataFrame, axis: str) -> Mapping[float, float]:
    values = rows["value"]
    cells = cell_rows(rows, [axis])
    return {float(key[axis]): float(values.iloc[places].median()) for key, places in cells if axis in key}


# Why rows make no curve, in one line each, with the law that the other rows would carry.


def _refused_rows(sweep: Sweep, axis: str) -> Caveat | None:
    """Say why the rows of a sweep make no curve; one bad row must not cost the other curves."""
    rows = sweep.rows
    if rows["unit"].nunique() > 1:
        places = rows[axis]
        units = {str(key["unit"]): places.iloc[of].nunique() for key, of in cell_rows(rows, ["unit"]) if "unit" in key}
        units_words = " and ".join(f"{unit!r} at {_levels(count)}" for unit, count in units.items())
        return caveat(
            "mixed-units",
            f"its values are in {units_words}: no curve is drawn through them; "
            f"{_carried(max(units.values()), 'in one unit')}",
        )
    levels = np.asarray(pd.to_numeric(rows[axis].to_numpy(), errors="coerce"), dtype=float)
    wrong = ~((levels > 0) & (levels < np.inf))
    if wrong.any():
        text = printable(str(rows.loc[wrong, axis].iloc[0]))
        what = f"{axis} is '{text}' at {_first(rows[wrong])}, no number above 0"
    else:
        values = rows["value"].to_numpy(dtype=float)
        wrong = ~((values > 0) & (values < np.inf))
        if not wrong.any():
            return None
        level, value = rows.loc[wrong, axis].iloc[0], rows.loc[wrong, "value"].iloc[0]
        what = f"{sweep.metric} is {value:g} at {_first(rows[wrong])} ({axis} {level}), no finite number above 0"
    return caveat("refused-rows", f"{what}; {_carried(rows.loc[~wrong, axis].nunique(), 'in the other rows')}")


def _without_unit(sweep: Sweep, study: Study) -> Caveat | None:
    """Say which column lacks the unit that tells what a sweep counts, and by what time."""
    if str(sweep.rows["unit"].iloc[0]) or sweep.metric == "time":
        return None
    sources = [str(source) for source in sweep.rows["source"].unique()]
    written = (
        str(entry.data[0])
        for entry in study.results.series
        if entry.kind == "no-unit" and entry.name == sweep.metric and entry.source in sources
    )
    return caveat("no-unit", f"{next(written, repr(sweep.metric))} has no unit in {choices(sources, 2)}")


def _too_few_levels(sweep: Sweep, axis: str, fewest: int) -> Refusal | None:
    """Refuse a sweep with a single level, or an unnamed sweep with too few levels."""
    if sweep.levels >= fewest:
        return None
    levels = levels_text(sorted(pd.to_numeric(sweep.rows[axis].astype(object)).unique()))
    if sweep.levels == 1:
        count = len(sweep.rows)
        rows = "its one measurement is" if count == 1 else f"all {count} measurements are"
        reason = f"{rows} at {axis} {levels}, and no law fits one level"
    else:
        reason = f"{_carried(sweep.levels, f'of {axis} ({levels})')}, and a curve that nobody named needs {fewest}"
    return Refusal(
        question="scaling",
        reason=f"{sweep.name}: {reason}",
        advice=f"measure at other levels of {axis}: linear needs 2, amdahl {LAWS['amdahl'].minimum_levels}, "
        f"usl {LAWS['usl'].minimum_levels}",
    )


def _carried(levels: int, where: str) -> str:
    """Name the richest law that this many levels carry."""
    offered = offered_laws(levels)
    if not offered:
        return f"{_levels(levels)} {where} carr{'ies' if levels == 1 else 'y'} no law (linear needs 2)"
    return f"{_levels(levels)} {where} carry law={offered[-1]!r} (needs {LAWS[offered[-1]].minimum_levels})"


def _levels(count: int) -> str:
    return f"{count} level{'' if count == 1 else 's'}"


def _first(rows: pd.DataFrame) -> str:
    return gather(rows, "").rows[0]
