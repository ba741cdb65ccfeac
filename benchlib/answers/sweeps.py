"""Which rows make a scaling curve: as a study lists them, or every benchmark that was swept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import pandas as pd

from benchlib.answers.grouping import axes_of, cells, label, varies_within
from benchlib.errors import SelectionError
from benchlib.study import CurvePlan, Study

__all__ = ["FEWEST_LEVELS", "Sweep", "find_sweeps"]

#: A sweep with fewer levels than this says nothing about a law.
FEWEST_LEVELS = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sweep:
    """The rows of one curve, and the name it goes by.

    Attributes
    ----------
    name : str
    key : mapping
        What all rows share.
    metric : str
        ``throughput``, or ``time`` where throughput is one over it.
    rows : pandas.DataFrame
    """

    name: str
    key: Mapping[str, Any]
    metric: str
    rows: pd.DataFrame


def find_sweeps(study: Study) -> tuple[Sweep, ...]:
    """Return the rows of each scaling curve of a study, without what its plan excludes.

    Raises
    ------
    SelectionError
        If an exclusion or a curve names a column that is not there.
    """
    axis = study.scaling.concurrency
    frame = _kept(study)
    frame = frame[frame[axis].notna()]
    if study.scaling.curves:
        return tuple(one for plan in study.scaling.curves for one in _planned(study, frame, plan))
    by = ["benchmark", *(study.scaling.by or _other_axes(frame, axis))]
    found = []
    for key, rows in cells(frame, list(dict.fromkeys(by))):
        metric = _throughput_metric(study, rows)
        if metric is None:
            continue
        rows = rows[rows["metric"] == metric]
        if rows[axis].nunique() >= FEWEST_LEVELS:
            found.append(Sweep(name=f"{label(key)} ({metric})", key=key, metric=metric, rows=rows))
    return tuple(found)


def _kept(study: Study) -> pd.DataFrame:
    frame = study.results.frame
    for one in study.scaling.exclusions:
        try:
            dropped = study.results.select(one.where).frame.index
        except SelectionError:
            continue  # narrowed away already
        frame = frame.drop(index=frame.index.intersection(dropped))
    return frame


def _planned(study: Study, frame: pd.DataFrame, plan: CurvePlan) -> list[Sweep]:
    axis = study.scaling.concurrency
    try:
        rows = study.results.select(f"{plan.where} metric={plan.metric}").frame
    except SelectionError:
        return []  # narrowed away
    rows = rows.loc[rows.index.intersection(frame.index)]
    parts = list(cells(rows, [one for one in study.scaling.by if one in rows and one != axis]))
    return [
        Sweep(
            name=f"{plan.name}, {label(key)}" if len(parts) > 1 else plan.name,
            key=key,
            metric=plan.metric,
            rows=part,
        )
        for key, part in parts
        if part[axis].nunique() >= FEWEST_LEVELS
    ]


def _other_axes(frame: pd.DataFrame, axis: str) -> list[str]:
    """Axes that tell curves apart: those that vary while concurrency stands still."""
    return [one for one in axes_of(frame) if one != axis and varies_within(frame, one, ["benchmark", axis])]


def _throughput_metric(study: Study, rows: pd.DataFrame) -> str | None:
    metrics = set(rows["metric"])
    if "throughput" in metrics:
        return "throughput"
    benchmark = str(rows["benchmark"].iloc[0])
    # A benchmark's time is throughput upside down only where its operations ran in parallel.
    if "time" in metrics and any(fnmatchcase(benchmark, one) for one in study.parallel):
        return "time"
    return None
