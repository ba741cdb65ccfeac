"""The sweeps of a study: which rows are a rate or a time of parallel work, and what makes a curve of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.grouping import cell_rows, cells, label, mixed_axes
from benchlib.errors import SelectionError
from benchlib.study import CurvePlan, Exclusion, Study

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


def _cells_kept_out(study: Study, by: Sequence[str]) -> dict[frozenset[tuple[str, Any]], str]:
    """Return why the plan of a study keeps cells out of scaling, by the levels of each such cell."""
    frame = study.results.frame
    named = ((exclusion.why, frame.loc[frame.index.intersection(rows)]) for exclusion, rows in _excluded(study))
    return {frozenset(key.items()): why for why, rows in named for key, _ in cell_rows(rows, by)}


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


def _as_rates(values: NDArray[np.float64], unit: str) -> tuple[NDArray[np.float64], str]:
    """Return values of a throughput metric as work by time, with their unit; invert values that are times."""
    work, _, time = unit.partition("/")
    return (1.0 / values, f"{time}/{work}") if work == "sec" else (values, unit)


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
        sweeps.append(_sweep(study, name, key, plan.metric, (part, lost, _of(without, key)), named=True))
    return sweeps
