"""How long does a request take, and what do the percentiles leave out?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from benchlib.answers.evidence import Evidence, gather, gather_all, pool
from benchlib.answers.grouping import cells, label, place_axes
from benchlib.answers.refusal import Refusal
from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import SelectionError
from benchlib.formats.notices import timeouts
from benchlib.results import SCHEMA, condition
from benchlib.statistics.samples import Sample, in_flight, percentile_share, summarise, tail_mean_bound
from benchlib.study import Study
from benchlib.units import percent, show

__all__ = ["InFlight", "LatencyAnswer", "LatencyRow", "latency_answer"]

#: Mean latency x throughput may differ from the connections by this share before it is said.
LITTLE_TOLERANCE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class InFlight:
    """Requests in flight by Little's law, against the connections that were configured."""

    expected: float
    configured: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyRow:
    """The latencies of one cell.

    Attributes
    ----------
    key : mapping
    statistics : mapping of str to Sample
        By name without the ``latency_`` prefix: ``p50``, ``p99``, ``mean``, ``max``.
    tail_ratio : float or None
        p99 over p50.
    tail_bound : float or None
        The least that the mean beyond the highest percentile below the mean can be, in seconds.
    tail_percentile : str or None
        The percentile that `tail_bound` lies beyond.
    mean_of_other_runs : bool
        Whether the mean was measured in other runs than that percentile: then `tail_bound` holds only if both
        describe the same requests.
    in_flight : InFlight or None
    evidence : Evidence
        Of all of its statistics.
    statistic_evidence : mapping of str to Evidence
        Of each of them, and of ``tail_ratio``.
    """

    key: Mapping[str, Any]
    statistics: Mapping[str, Sample]
    tail_ratio: float | None
    tail_bound: float | None
    tail_percentile: str | None
    mean_of_other_runs: bool
    in_flight: InFlight | None
    evidence: Evidence
    statistic_evidence: Mapping[str, Evidence]


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyAnswer:
    """Latency by cell, with the caveats that percentiles hide."""

    rows: tuple[LatencyRow, ...]
    caveats: tuple[Caveat, ...]


def latency_answer(study: Study, *, confidence_level: float = 0.95) -> LatencyAnswer | Refusal:
    """Tabulate latency and check it against the mean and against Little's law.

    Go's time per operation is latency only for a benchmark that runs one operation at a time:
    it stands in for the mean where a benchmark reports percentiles but no mean of its own.

    References
    ----------
    Little (1961), A proof for the queuing formula L = lambda W, Oper. Res. 9, 383-387.

    Examples
    --------
    >>> import benchlib
    >>> answer = latency_answer(benchlib.open_study("data/onix-adapter-published"))
    >>> [round(row.tail_bound * 1e6) for row in answer.rows if row.tail_bound]
    [544]
    """
    try:
        frame = study.results.select(study.latency.where).frame
    except SelectionError as error:
        return Refusal(question="latency", reason=str(error), advice="widen the selection")
    metrics = [one for one in frame["metric"].unique() if str(one).startswith("latency_")]
    if not metrics:
        return Refusal(
            question="latency",
            reason="no result here holds a latency percentile",
            advice="record percentiles: time per operation is not a distribution",
        )
    latency = frame[frame["metric"].isin(metrics)]
    # What the study narrowed to is part of a cell's name, though it no longer varies.
    narrowed = [axis for axis, positive, _ in condition(study.latency.where) if positive and axis in study.results.axes]
    # So is the one benchmark of several that tells its latency.
    named = ["benchmark"] if study.results.frame["benchmark"].nunique() > 1 else []
    places = place_axes(latency, ["benchmark", study.scaling.concurrency]) or ["benchmark"]
    by = list(dict.fromkeys([*named, *places, *narrowed]))
    rows = tuple(_row(key, group, study, confidence_level) for key, group in cells(latency, by))
    return LatencyAnswer(rows=rows, caveats=merge(_tails(rows), _little(rows), timeouts(study.results)))


def _row(
    key: dict[str, Any],
    group: pd.DataFrame,
    study: Study,
    confidence_level: float,
) -> LatencyRow:
    used = {str(place["metric"]).removeprefix("latency_"): rows for place, rows in cells(group, ["metric"])}
    if "mean" not in used and study.latency.mean:
        stand_in = _stand_in(study, str(group["benchmark"].iloc[0]))
        if len(stand_in):
            used["mean"] = stand_in
    statistics = {
        name: summarise(rows["value"].to_numpy(), unit=_unit(rows), confidence_level=confidence_level)
        for name, rows in used.items()
    }
    below = _highest_below_mean(statistics)
    bound = None
    if below:
        # The mean of the runs, not their median: only means add up over requests.
        bound = tail_mean_bound(statistics["mean"].mean, statistics[below].median.value, percentile_share(below))
    p50, p99 = statistics.get("p50"), statistics.get("p99")
    return LatencyRow(
        key=key,
        statistics=statistics,
        tail_ratio=p99.median.value / p50.median.value if p50 and p99 and p50.median.value > 0 else None,
        tail_bound=bound,
        tail_percentile=below,
        mean_of_other_runs=below is not None and _runs(used["mean"]) != _runs(used[below]),
        in_flight=_in_flight(group, study.results.frame, statistics),
        evidence=gather_all(used.values(), "medians over runs of the statistics as reported"),
        statistic_evidence=_behind(used, statistics),
    )


def _behind(used: Mapping[str, pd.DataFrame], statistics: Mapping[str, Sample]) -> dict[str, Evidence]:
    """Return the rows of each statistic, and those of p99 over p50."""
    methods = {name: one.median.method.removeprefix("median") for name, one in statistics.items()}
    found = {name: gather(rows, f"median of {name} as reported{methods[name]}") for name, rows in used.items()}
    if "p50" in used and "p99" in used:
        found["tail_ratio"] = pool([found["p50"], found["p99"]], "median of p99 over median of p50, both as reported")
    return found


def _runs(rows: pd.DataFrame) -> set[str]:
    """Return the names of the runs that some rows were measured in."""
    return set(rows["run"].dropna().astype(str))


def _unit(rows: pd.DataFrame) -> str:
    """Return the unit of a statistic; a time per operation that stands in for the mean latency is a time."""
    unit = str(rows["unit"].iloc[0])
    return "sec" if unit == "sec/op" else unit


def _stand_in(study: Study, benchmark: str) -> pd.DataFrame:
    try:
        rows = study.results.select(study.latency.mean).frame
    except SelectionError:
        return study.results.frame.iloc[:0]
    return rows[rows["benchmark"].astype(str) == benchmark]


def _highest_below_mean(statistics: Mapping[str, Sample]) -> str | None:
    if "mean" not in statistics:
        return None
    mean = statistics["mean"].mean
    below = [
        name
        for name, sample in statistics.items()
        if name.startswith("p") and 0.9 <= percentile_share(name) < 1 and sample.median.value < mean
    ]
    return max(below, key=percentile_share, default=None)


def _in_flight(group: pd.DataFrame, frame: pd.DataFrame, statistics: Mapping[str, Sample]) -> InFlight | None:
    """Apply Little's law where connections, throughput and mean latency stand in one place."""
    if "connections" not in frame or "mean" not in statistics:
        return None
    same = frame[frame["metric"] == "throughput"]
    for axis in [one for one in frame.columns if one not in SCHEMA or one == "benchmark"]:
        same = same[same[axis].isin(group[axis]) | (same[axis].isna() & bool(group[axis].isna().all()))]
    if same["connections"].nunique() != 1:
        return None
    return InFlight(
        expected=in_flight(float(same["value"].median()), statistics["mean"].median.value),
        configured=float(same["connections"].iloc[0]),
    )


def _tails(rows: Sequence[LatencyRow]) -> tuple[Caveat, ...]:
    found = []
    for row in rows:
        if row.tail_bound is None or row.tail_percentile is None:
            continue
        beyond = 1 - percentile_share(row.tail_percentile)
        mean, stated = row.statistics["mean"].mean, row.statistics[row.tail_percentile].median.value
        higher = [
            f", above the stated {name} of {show(sample.median.value, 'sec', like=stated)}"
            for name, sample in row.statistics.items()
            if name.startswith("p") and stated < sample.median.value < row.tail_bound
        ]
        above = (
            f"{label(row.key)}: the mean ({show(mean, 'sec')}) lies above {row.tail_percentile} "
            f"({show(stated, 'sec', like=mean)})"
        )
        bound = (
            f"the slowest {percent(beyond)} average at least "
            f"{show(row.tail_bound, 'sec', like=mean)}{''.join(higher[-1:])}"
        )
        if row.mean_of_other_runs:
            # A mean bounds the tail of the requests that it is the mean of, and of no others.
            unless = "if both describe the same requests: they are from different runs"
            found.append(caveat("mean-of-other-runs", f"{above}; {bound}, {unless}"))
        else:
            found.append(caveat("tail-beyond-percentiles", f"{above}, so {bound}"))
    return tuple(found)


def _little(rows: Sequence[LatencyRow]) -> tuple[Caveat, ...]:
    off = [
        row
        for row in rows
        if row.in_flight and abs(row.in_flight.expected / row.in_flight.configured - 1) > LITTLE_TOLERANCE
    ]
    if not off:
        return ()
    counts = sorted(row.in_flight.expected for row in off if row.in_flight)
    configured = sorted({row.in_flight.configured for row in off if row.in_flight})
    span = f"{counts[0]:.0f}" if len(counts) == 1 else f"{counts[0]:.0f} to {counts[-1]:.0f}"
    where = "; ".join(label(row.key) for row in off[:3])
    more = f" and {len(off) - 3} more" if len(off) > 3 else ""
    return (
        caveat(
            "littles-law",
            f"mean latency x throughput gives {span} requests in flight where "
            f"{' or '.join(f'{one:g}' for one in configured)} connections were configured ({where}{more})",
        ),
    )
