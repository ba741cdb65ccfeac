"""Requests one by one: how long they take, how many failed, how many were answered each second."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from benchlib.answers.asking import Refusal
from benchlib.answers.evidence import Evidence, gather_all
from benchlib.answers.grouping import cells, place_axes
from benchlib.results import REQUESTS_BY_SECOND, Results
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.samples import estimate_percentile
from benchlib.study import Study

__all__ = ["RequestsAnswer"]

#: Fewer requests than these are no distribution.
_FEWEST = 20
_SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRow:
    """The requests of one place.

    Attributes
    ----------
    key : mapping
    requests, failed : int
        All that were made, and those of them that failed.
    percentiles : mapping of str to Estimate
        ``p50``, ``p95``, ``p99`` of those that did not fail; empty where all did.
    evidence : Evidence
    """

    key: Mapping[str, Any]
    requests: int
    failed: int
    percentiles: Mapping[str, Estimate]
    evidence: Evidence

    @property
    def failed_share(self) -> float:
        """The share that failed."""
        return self.failed / self.requests


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestsAnswer:
    """All requests of a study together, and place by place.

    Attributes
    ----------
    overall : RequestRow
    rows : tuple of RequestRow
        By benchmark and what else tells places apart, the slowest 99th percentile first.
    by_second : tuple of (int, int, int)
        Second since 1970, and how many requests that began in it succeeded and failed; empty where that was not
        recorded, or several files may overlap.
    """

    overall: RequestRow
    rows: tuple[RequestRow, ...]
    by_second: tuple[tuple[int, int, int], ...]


def requests_answer(study: Study, *, confidence_level: float = 0.95) -> RequestsAnswer | Refusal:
    """Take percentiles of requests that were recorded one by one.

    Requests of one run wait for each other, so that the intervals hold for this run and say nothing of the next.

    References
    ----------
    Percentiles and their intervals: `benchlib.statistics.samples.estimate_percentile`.

    Examples
    --------
    >>> from benchlib.study import open_study
    >>> answer = requests_answer(open_study("load/results.jtl"))  # doctest: +SKIP
    >>> answer.overall.requests, answer.overall.failed, answer.overall.percentiles["p99"].value  # doctest: +SKIP
    (1400, 0, 3.02)
    """
    sound, failed = (_single(table) for table in (study.results.frame, study.results.failed))
    if len(sound) + len(failed) < _FEWEST and not (len(failed) and not len(sound)):
        return Refusal(
            question="requests",
            reason="no result here is the latency of one request",
            advice="have the load generator write every request, as JMeter does",
        )
    every = pd.concat([sound, failed]) if len(failed) else sound
    if every["unit"].nunique() > 1:
        return Refusal(
            question="requests",
            reason="some latencies have a unit and some have none",
            advice="write the unit into the header of each, as latency_ms",
        )
    by = ["benchmark", *(axis for axis in place_axes(every, ["benchmark"]) if axis != "benchmark")]
    lost = [(key, part) for key, part in cells(failed, by)] if len(failed) else []
    kept = [(key, part) for key, part in cells(sound, by)] if len(sound) else []
    keys = [key for key, _ in kept] + [key for key, _ in lost if all(key != other for other, _ in kept)]
    rows = [_row(key, _of(kept, key, sound), _of(lost, key, failed), confidence_level) for key in keys]
    rows.sort(key=lambda row: -row.percentiles["p99"].value if row.percentiles else -np.inf)
    return RequestsAnswer(
        overall=_row({}, sound, failed, confidence_level), rows=tuple(rows), by_second=_by_second(study.results)
    )


def _single(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that time one request each."""
    single = (table["metric"] == "latency") & (table["iterations"] == 1) & table["unit"].isin(["sec", ""])
    return table[single.to_numpy()]


def _of(parts: list[tuple[dict[str, Any], pd.DataFrame]], key: Mapping[str, Any], table: pd.DataFrame) -> pd.DataFrame:
    return next((part for place, part in parts if place == key), table[:0])


def _row(key: Mapping[str, Any], sound: pd.DataFrame, failed: pd.DataFrame, confidence_level: float) -> RequestRow:
    ordered = np.sort(sound["value"].to_numpy(dtype=float))
    percentiles = {
        name: estimate_percentile(ordered, share, unit=str(sound["unit"].iloc[0]), confidence_level=confidence_level)
        for name, share in _SHARES.items()
        if len(ordered)
    }
    return RequestRow(
        key=key,
        requests=len(sound) + len(failed),
        failed=len(failed),
        percentiles=percentiles,
        evidence=gather_all([sound, failed], "percentiles of the requests that did not fail; failed over all requests"),
    )


def _by_second(results: Results) -> tuple[tuple[int, int, int], ...]:
    """Return the requests of each second, where one file recorded them."""
    recorded = [series for series in results.series if series.kind == REQUESTS_BY_SECOND and series.data]
    inside = {*results.sources()}
    recorded = [series for series in recorded if series.source in inside]
    return recorded[0].data if len(recorded) == 1 else ()
