"""One value of each version of the code, in order: which benchmarks changed for good, and since when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from benchlib.answers.asking import Refusal
from benchlib.answers.evidence import Evidence, gather_all
from benchlib.answers.grouping import cells, place_axes
from benchlib.statistics.shift import FEWEST_IN_ORDER, find_shift
from benchlib.study import Study

__all__ = ["HistoryAnswer"]

#: After correction for the number of series, chance shows a change in at most this share of histories without any.
_SIGNIFICANT = 0.01
#: A change by less matters to nobody.
_MATTERS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRow:
    """One metric of one benchmark over all versions.

    Attributes
    ----------
    key : mapping
    metric, unit : str
    versions : tuple of str
        In the order of recording.
    values : tuple of float
        The median of each.
    since : str
        The first version behind the clearest change.
    before, after : float
        Medians of the values before it, and from there on.
    adjusted_pvalue : float
        Of Pettitt's test, times the number of series (Bonferroni).
    changed : bool
        Whether the change is beyond chance and at least 5 %.
    evidence : Evidence
    """

    key: Mapping[str, Any]
    metric: str
    unit: str
    versions: tuple[str, ...]
    values: tuple[float, ...]
    since: str
    before: float
    after: float
    adjusted_pvalue: float
    changed: bool
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryAnswer:
    """Every series that is long enough, the largest change first.

    Attributes
    ----------
    versions : int
        That were recorded.
    rows : tuple of HistoryRow
    """

    versions: int
    rows: tuple[HistoryRow, ...]


def history_answer(study: Study) -> HistoryAnswer | Refusal:
    """Look in a history of versions for benchmarks that changed for good.

    References
    ----------
    `benchlib.statistics.shift.find_shift`.

    Examples
    --------
    >>> from benchlib.study import open_study
    >>> history_answer(open_study("data/lplex")).reason
    'these results are no history of versions'
    """
    column = study.versions
    if not column:
        return Refusal(
            question="history",
            reason="these results are no history of versions",
            advice="record every version, as github-action-benchmark does",
        )
    frame = study.results.frame
    by = [
        "benchmark",
        *(axis for axis in place_axes(frame, ["benchmark", column]) if axis not in ("benchmark", column)),
    ]
    series = [
        (key, _in_order(rows, column), rows)
        for key, rows in cells(frame, [*by, "metric", "unit"])
        if rows[column].nunique() >= FEWEST_IN_ORDER
    ]
    if not series:
        return Refusal(
            question="history",
            reason=f"no benchmark was recorded in {FEWEST_IN_ORDER} versions",
            advice="record more versions",
        )
    rows = [_row(key, values, table, len(series)) for key, values, table in series]
    rows.sort(key=lambda row: (not row.changed, -_size(row)))
    return HistoryAnswer(versions=int(frame[column].nunique()), rows=tuple(rows))


def _in_order(rows: pd.DataFrame, column: str) -> pd.Series:
    """Return the median of each version, by the order in which they stand in the files."""
    return rows.groupby(column, observed=True, sort=False)["value"].median()


def _row(key: Mapping[str, Any], values: pd.Series, rows: pd.DataFrame, series: int) -> HistoryRow:
    shift = find_shift(values.to_numpy(dtype=float))
    adjusted = min(1.0, shift.pvalue * series)
    apart = shift.before > 0 and shift.after > 0 and abs(np.log(shift.after / shift.before)) > np.log1p(_MATTERS)
    versions = tuple(str(version) for version in values.index)
    return HistoryRow(
        key={axis: level for axis, level in key.items() if axis not in ("metric", "unit")},
        metric=str(key["metric"]),
        unit=str(key.get("unit", "")),
        versions=versions,
        values=tuple(values.tolist()),
        since=versions[shift.place],
        before=shift.before,
        after=shift.after,
        adjusted_pvalue=adjusted,
        changed=bool(apart and adjusted < _SIGNIFICANT),
        evidence=gather_all(
            [rows], "medians of the versions before the change and from there on; the change by Pettitt's test"
        ),
    )


def _size(row: HistoryRow) -> float:
    return abs(float(np.log(row.after / row.before))) if row.before > 0 and row.after > 0 else 0.0
