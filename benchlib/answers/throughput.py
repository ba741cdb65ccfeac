"""Which rows a study lets into scaling, and which of their metrics tells a throughput."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.grouping import cell_rows
from benchlib.errors import SelectionError
from benchlib.study import Exclusion, Study

__all__ = ["as_rates", "cells_kept_out", "is_parallel", "kept_rows", "throughput_metric", "why_kept_out"]


def kept_rows(study: Study) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the rows that the plan of a study lets into scaling, and the reasons for the others by benchmark.

    Examples
    --------
    >>> import benchlib
    >>> frame, excluded = kept_rows(benchlib.open_study("data/onix-adapter-published"))
    >>> len(frame), sorted(excluded)
    (51, ['BAPCaller_Discover_Parallel', 'BAPCaller_RPS'])
    """
    frame = study.results.frame
    excluded: dict[str, str] = {}
    for one, named in _excluded(study):
        dropped = frame.index.intersection(named)
        for name in frame.loc[dropped, "benchmark"].astype(str).unique():
            excluded.setdefault(name, one.why)
        frame = frame.drop(index=dropped)
    return frame, excluded


def why_kept_out(study: Study, rows: pd.DataFrame) -> str:
    """Return why the plan of a study keeps some of these rows out of scaling; empty where it keeps none out.

    Examples
    --------
    >>> import benchlib
    >>> study = benchlib.open_study("data/token-sdk")
    >>> why_kept_out(study, study.results.select("source=matrix/*").frame)
    'measured while the machine was busy, for two seconds at each level'
    """
    reasons = [one.why for one, named in _excluded(study) if not rows.index.intersection(named).empty]
    return "; ".join(dict.fromkeys(reasons))


def cells_kept_out(study: Study, by: Sequence[str]) -> dict[frozenset[tuple[str, Any]], str]:
    """Return why the plan of a study keeps cells out of scaling, by the levels of each such cell.

    Examples
    --------
    >>> import benchlib
    >>> found = cells_kept_out(benchlib.open_study("data/onix-adapter-published"), ["benchmark", "run"])
    >>> found[frozenset({"benchmark": "BAPCaller_RPS", "run": "default"}.items())]
    'built differently: its benchmark is not the one of the sweep'
    """
    frame = study.results.frame
    named = ((one.why, frame.loc[frame.index.intersection(rows)]) for one, rows in _excluded(study))
    return {frozenset(key.items()): why for why, rows in named for key, _ in cell_rows(rows, by)}


def _excluded(study: Study) -> Iterator[tuple[Exclusion, pd.Index[Any]]]:
    """Give each exclusion of the plan with the rows that it names."""
    for one in study.scaling.exclusions:
        try:
            yield one, study.results.select(one.where).frame.index
        except SelectionError:
            continue  # narrowed away already


def throughput_metric(study: Study, rows: pd.DataFrame, asked: str = "") -> str | None:
    """Return the metric by which rows of one benchmark tell a throughput; None where none does.

    A rate does; time only where the study says that its operations ran in parallel: throughput is then one
    over it.

    Parameters
    ----------
    study : Study
    rows : pandas.DataFrame
    asked : str
        A metric to take; empty for throughput, else time.
    """
    metrics = set(rows["metric"])
    if asked:
        # Beside benchmarks that the study says are parallel, the time of another is no throughput.
        serial = asked == "time" and study.parallel and not is_parallel(study, rows)
        return asked if asked in metrics and not serial else None
    if "throughput" in metrics:
        return "throughput"
    return "time" if "time" in metrics and is_parallel(study, rows) else None


def as_rates(values: NDArray[np.float64], unit: str) -> tuple[NDArray[np.float64], str]:
    """Return values of a throughput metric as work by time, with their unit: one over what is told as a time.

    Examples
    --------
    >>> as_rates(np.array([0.5]), "sec/op")
    (array([2.]), 'op/sec')
    """
    work, _, time = unit.partition("/")
    return (1.0 / values, f"{time}/{work}") if work == "sec" else (values, unit)


def is_parallel(study: Study, rows: pd.DataFrame) -> bool:
    """Say whether the study lists the benchmark of these rows as parallel; no rows are of none."""
    names = rows["benchmark"].array
    return len(names) > 0 and any(fnmatchcase(str(names[0]), one) for one in study.parallel)
