"""Which serial benchmark and which parallel one do the same work, configuration by configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from benchlib.answers.grouping import cells, label, plain
from benchlib.answers.throughput import kept_rows, throughput_metric
from benchlib.errors import choices
from benchlib.results import SCHEMA
from benchlib.study import Study

#: How parallel benchmarks are named after the serial one whose work they do.
_NAMES = tuple(
    re.compile(one)
    for one in (r"TestParallelBenchmark(.+)", r"TestParallel(.+)", r"Parallel_?(.+)", r"(.+?)_?Parallel")
)
#: Axes that say how many work at once, and that they do: never what tells one piece of work from another.
_PLACES = ("workers", "gomaxprocs", "threads", "goroutines", "mode")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Twins:
    """A serial benchmark and its parallel twin in one configuration.

    Attributes
    ----------
    serial, parallel : str
        The two benchmarks.
    key : mapping
        The configuration of the twin, without concurrency.
    axis : str
        The axis that is the twin's concurrency.
    metric : str
        Of the twin: ``throughput``, or ``time`` where throughput is one over it.
    serial_rows, parallel_rows : pandas.DataFrame
        Times of the one, at all its processor counts; throughput of the other, at all its concurrencies.
    """

    serial: str
    parallel: str
    key: Mapping[str, Any]
    axis: str
    metric: str
    serial_rows: pd.DataFrame
    parallel_rows: pd.DataFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpaired:
    """A parallel benchmark that has no serial twin to be held against, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Every parallel benchmark of a study: those with a twin, and those without.

    Attributes
    ----------
    twins : tuple of Twins
    unpaired : tuple of Unpaired
    excluded : mapping of str to str
        Reasons by the benchmarks that the study's plan keeps out of scaling, in whole or in part.
    """

    twins: tuple[Twins, ...]
    unpaired: tuple[Unpaired, ...]
    excluded: Mapping[str, str]


def find_twins(study: Study) -> Pairing:
    """Pair every parallel benchmark with the serial one that it is named after.

    ``TestParallelBenchmarkX``, ``TestParallelX``, ``ParallelX`` and ``X_Parallel`` are the parallel twins
    of ``X``. A configuration is paired with the same configuration: an axis that only one of the two
    benchmarks knows at all (an executor) parts the twins and asks nothing of the serial side; a level that
    one side did not record matches what the other has, if that is one level only. What the study keeps
    out of its scaling curves is kept out here.
    """
    frame, excluded = kept_rows(study)
    failed = set(study.results.failed["benchmark"].astype(str)) if len(study.results.failed) else set()
    twins: list[Twins] = []
    unpaired: list[Unpaired] = []
    names = dict.fromkeys([*map(str, study.results.frame["benchmark"].unique()), *sorted(failed)])
    known = set(names)
    timed = frame[frame["metric"] == "time"]
    for name in names:
        serial = _serial_name(name, known)
        if serial is None:
            continue
        rows = frame[frame["benchmark"] == name]
        metric = throughput_metric(study, rows)
        axis = _axis(study, rows[rows["metric"] == metric] if metric else rows)
        times = timed[timed["benchmark"] == serial]
        reason = _no_pair(name, serial, rows, times, metric, axis, failed, excluded)
        if reason:
            unpaired.append(Unpaired(name=name, reason=reason))
            continue
        rows = rows[(rows["metric"] == metric) & rows[axis].notna()]
        for key, part in cells(rows, _configuration(rows)):
            match = _matching(key, times)
            if isinstance(match, str):
                place = {axis: level for axis, level in key.items() if rows[axis].nunique() > 1}
                unpaired.append(Unpaired(name=label({"benchmark": name, **place}), reason=f"{serial} {match}"))
                continue
            twins.append(
                Twins(
                    serial=serial,
                    parallel=name,
                    key=key,
                    axis=axis,
                    metric=str(metric),
                    serial_rows=match,
                    parallel_rows=part,
                )
            )
    return Pairing(twins=tuple(twins), unpaired=tuple(unpaired), excluded=excluded)


def _serial_name(name: str, known: set[str]) -> str | None:
    names = [match.group(1) for one in _NAMES if (match := one.fullmatch(name))]
    return next((one for one in names if one in known), next(iter(names), None))


def _axis(study: Study, rows: pd.DataFrame) -> str:
    asked = (study.scaling.concurrency, *(place for place in _PLACES if place != "mode"))
    return next((one for one in asked if one and one in rows and rows[one].notna().any()), "")


def _no_pair(
    name: str,
    serial: str,
    rows: pd.DataFrame,
    times: pd.DataFrame,
    metric: str | None,
    axis: str,
    failed: set[str],
    excluded: Mapping[str, str],
) -> str:
    if rows.empty:
        return excluded.get(name) or ("every call failed" if name in failed else "no sound result is left")
    if metric is None:
        return "it reports time, and is not listed as parallel in [configuration] of study.toml"
    if not axis:
        return "its concurrency was not recorded"
    if times.empty:
        if serial in excluded:
            return f"{serial} is kept out of scaling: {excluded[serial]}"
        return f"there is no {'sound ' if serial in failed else ''}time of a serial benchmark {serial}"
    return ""


def _configuration(rows: pd.DataFrame) -> list[str]:
    axes = [str(column) for column in rows.columns if column not in SCHEMA and column not in _PLACES]
    return [axis for axis in axes if rows[axis].notna().any()]


def _matching(key: Mapping[str, Any], times: pd.DataFrame) -> pd.DataFrame | str:
    """Return the rows of the serial benchmark in a configuration, or why there are none."""
    for axis in _configuration(times):
        known = times[axis].notna()
        level = key.get(axis)
        here = times[times[axis] == level] if level is not None else times[~known]
        if here.empty and level is not None:
            here = times[~known]
            if here.empty:
                return f"was not measured at {axis} {level}"
        elif here.empty:
            levels = [plain(level) for level in times.loc[known, axis].unique()]
            if len(levels) > 1:
                return f"was measured at {axis} {choices(levels)}, and the twin's was not recorded"
            here = times
        times = here
    return times
