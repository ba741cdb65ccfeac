"""How long requests take: measured percentiles, throughput and latency under load, how far throughput grows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd

from benchlib.answers.asking import Refusal
from benchlib.answers.evidence import Evidence, Measured, gather, gather_all
from benchlib.answers.grouping import cell_rows, cells, label, place_axes
from benchlib.answers.sweeps import _as_rates, _corrects_latency, _kept_rows, _throughput_metric
from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import SelectionError
from benchlib.formats.table import timeouts
from benchlib.results import SCHEMA, condition
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.samples import (
    Sample,
    estimate_median,
    in_flight,
    percentile_share,
    summarise,
    tail_mean_bound,
)
from benchlib.study import Study
from benchlib.units import percent, show

# How long does a request take, and what do the percentiles leave out?

#: Mean latency x throughput may differ from the connections by this share before it is said.
_LITTLE_TOLERANCE = 0.05


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
        Of each of them.
    """

    key: Mapping[str, Any]
    statistics: Mapping[str, Sample]
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
    >>> from benchlib.study import open_study
    >>> answer = latency_answer(open_study("data/onix-adapter-published"))
    >>> [round(row.tail_bound * 1e6) for row in answer.rows if row.tail_bound]
    [684]
    """
    try:
        frame = study.results.select(study.latency.where).frame
    except SelectionError as error:
        return Refusal(question="latency", reason=str(error), advice="widen the selection")
    # What has no unit is no time, unless nothing here has any.
    frame = frame[frame["unit"] == "sec"] if (frame["unit"] != "").any() else frame
    metrics = [metric for metric in frame["metric"].unique() if str(metric).startswith("latency_")]
    if not metrics:
        return Refusal(
            question="latency",
            reason="no result here holds a latency percentile",
            advice="record percentiles: time per operation is not a distribution",
        )
    latency = frame[frame["metric"].isin(metrics)]
    # What the study narrowed to is part of a cell's name, though it no longer varies.
    narrowed = [axis for axis, positive, _ in condition(study.latency.where) if positive and axis in study.results.axes]
    # So is the only benchmark of several that states its latency.
    named = ["benchmark"] if study.results.frame["benchmark"].nunique() > 1 else []
    places = place_axes(latency, ["benchmark", study.scaling.concurrency]) or ["benchmark"]
    by = list(dict.fromkeys([*named, *places, *narrowed]))
    rows = tuple(_row(key, group, study, confidence_level) for key, group in cells(latency, by))
    little = _little(rows, _corrects_latency(study))
    return LatencyAnswer(rows=rows, caveats=merge(_tails(rows), little, timeouts(study.results)))


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
    timed = str(group["unit"].iloc[0]) == "sec"
    below = _highest_below_mean(statistics, group["iterations"].max(), _rounding(study, group)) if timed else None
    bound = None
    if below:
        # The mean of the runs, not their median: only means add up over requests.
        bound = tail_mean_bound(statistics["mean"].mean, _percentiles_up_to(below, statistics))
    return LatencyRow(
        key=key,
        statistics=statistics,
        tail_bound=bound,
        tail_percentile=below,
        mean_of_other_runs=below is not None and _runs(used["mean"]) != _runs(used[below]),
        in_flight=_in_flight(group, study.results.frame, statistics),
        evidence=gather_all(used.values(), "medians over runs of the statistics as reported"),
        statistic_evidence=_behind(used, statistics),
    )


def _behind(used: Mapping[str, pd.DataFrame], statistics: Mapping[str, Sample]) -> dict[str, Evidence]:
    """Return the rows of each statistic."""
    methods = {name: statistic.median.method.removeprefix("median") for name, statistic in statistics.items()}
    return {name: gather(rows, f"median of {name} as reported{methods[name]}") for name, rows in used.items()}


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


#: Two significant digits are off by up to a twentieth: 1.05 is written 1.0.
_TWO_DIGITS = 0.05


def _rounding(study: Study, group: pd.DataFrame) -> float:
    """Return how far above its written value a percentile may be, as a share of it."""
    rounded = {series.source for series in study.results.series if series.kind == "rounded"}
    return _TWO_DIGITS if rounded.intersection(group["source"].astype(str)) else 0.0


def _highest_below_mean(statistics: Mapping[str, Sample], requests: float, rounding: float) -> str | None:
    """Return the highest percentile that lies below the mean, and has requests beyond it."""
    if "mean" not in statistics:
        return None
    mean = statistics["mean"].mean
    below = [
        name
        for name, sample in statistics.items()
        if name.startswith("p")
        and 0.9 <= percentile_share(name) < 1
        and sample.median.value * (1 + rounding) < mean
        # Of one request every percentile is the same; where nothing tells how many there were, it is said.
        and not requests * (1 - percentile_share(name)) < 1
    ]
    return max(below, key=percentile_share, default=None)


def _percentiles_up_to(highest: str, statistics: Mapping[str, Sample]) -> dict[float, float]:
    """Return the percentiles up to one, by share."""
    shares = {name: percentile_share(name) for name in statistics if name.startswith("p")}
    return {share: statistics[name].median.value for name, share in shares.items() if share <= shares[highest]}


def _in_flight(group: pd.DataFrame, frame: pd.DataFrame, statistics: Mapping[str, Sample]) -> InFlight | None:
    """Apply Little's law where connections, throughput and mean latency stand in one place."""
    if "connections" not in frame or "mean" not in statistics:
        return None
    same = frame[frame["metric"] == "throughput"]
    for axis in [column for column in frame.columns if column not in SCHEMA or column == "benchmark"]:
        same = same[same[axis].isin(group[axis]) | (same[axis].isna() & bool(group[axis].isna().all()))]
    if same["connections"].nunique() != 1:
        return None
    return InFlight(
        expected=in_flight(float(same["value"].median()), statistics["mean"].median.value),
        configured=float(same["connections"].iloc[0]),
    )


def _tails(rows: Sequence[LatencyRow]) -> tuple[Caveat, ...]:
    warnings = []
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
            warnings.append(caveat("mean-of-other-runs", f"{above}; {bound}, {unless}"))
        else:
            warnings.append(caveat("tail-beyond-percentiles", f"{above}, so {bound}"))
    return tuple(warnings)


def _little(rows: Sequence[LatencyRow], corrected: bool) -> tuple[Caveat, ...]:
    off = [
        row
        for row in rows
        if row.in_flight and abs(row.in_flight.expected / row.in_flight.configured - 1) > _LITTLE_TOLERANCE
    ]
    if not off:
        return ()
    counts = sorted(row.in_flight.expected for row in off if row.in_flight)
    configured = sorted({row.in_flight.configured for row in off if row.in_flight})
    span = f"{counts[0]:.0f}" if len(counts) == 1 else f"{counts[0]:.0f} to {counts[-1]:.0f}"
    where = "; ".join(label(row.key) for row in off[:3])
    more = f" and {len(off) - 3} more" if len(off) > 3 else ""
    message = (
        f"mean latency x throughput gives {span} requests in flight where "
        f"{' or '.join(f'{count:g}' for count in configured)} connections were configured ({where}{more})"
    )
    if corrected and all(row.in_flight.expected > row.in_flight.configured for row in off if row.in_flight):
        why = "wrk counts the requests that a slow answer kept a connection from sending"
        return (caveat("latency-corrected", f"{why}, so {message}"),)
    return (caveat("littles-law", message),)


# How far throughput grows from the smallest level of a sweep to its largest: of two levels a factor, and no law.


# What a service gives at each level of load: throughput against concurrency, latency against throughput.
#
# Latency here is what a load generator or runner measured request by request. Go's time per operation of a
# parallel benchmark is wall time over operations, no latency, and is never taken for one.

#: The latency drawn against throughput: the first of these that every point of a panel has.
_STATISTICS = ("p99", "p95", "p50", "mean")


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingPoint:
    """One level of one line.

    Attributes
    ----------
    concurrency : float
    throughput : Estimate
    latency : Estimate or None
        The statistic of the panel; None where it has none.
    evidence : Evidence
    """

    concurrency: float
    throughput: Estimate
    latency: Estimate | None
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingLine:
    """The levels of one setting, such as an executor.

    Attributes
    ----------
    name : str
        Empty where there is one setting.
    points : tuple of OperatingPoint
    """

    name: str
    points: tuple[OperatingPoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingPanel:
    """One benchmark that was swept.

    Attributes
    ----------
    name : str
    key : mapping
    metric : str
        A rate, or a time where throughput is one over it.
    statistic : str
        Which latency its points have; empty where it was not measured.
    left_out : str
        Why the study keeps these rows out of its scaling curves; empty where it does not.
    lines : tuple of OperatingLine
    """

    name: str
    key: Mapping[str, Any]
    metric: str
    statistic: str
    left_out: str
    lines: tuple[OperatingLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingAnswer:
    """Every benchmark that was measured at two levels of concurrency or more.

    Attributes
    ----------
    axis : str
        The axis that is concurrency.
    panels : tuple of OperatingPanel
        Those that the study lets into its curves first.
    """

    axis: str
    panels: tuple[OperatingPanel, ...]


def operating_answer(study: Study, *, confidence_level: float = 0.95) -> OperatingAnswer | Refusal:
    """Put throughput beside latency, level by level, for every benchmark of a study with a sweep.

    Rows that the study keeps out of its curves make panels of their own: nothing is fitted to them here.
    """
    axis = study.scaling.concurrency
    frame = study.results.frame
    if axis not in frame:
        return _refusal(axis)
    frame_rows, reasons = _kept_rows(study)
    named = (
        column
        for column in study.scaling.by
        if column in frame and column != "benchmark" and frame[column].nunique() > 1
    )
    setting = next(named, "")
    panels = list(_panels(study, frame_rows, setting, {}, confidence_level))
    if reasons:
        panels += _panels(study, frame.drop(index=frame_rows.index), setting, reasons, confidence_level)
    if not panels:
        return _refusal(axis)
    return OperatingAnswer(axis=axis, panels=tuple(panels))


def _refusal(axis: str) -> Refusal:
    return Refusal(
        question="throughput under load",
        reason=f"no throughput was measured at two levels of {axis or 'concurrency'}",
        advice="measure throughput at several levels of concurrency, with latencies if requests can be timed",
    )


def _panels(
    study: Study, frame: pd.DataFrame, setting: str, reasons: Mapping[str, str], level: float
) -> Iterator[OperatingPanel]:
    axis = study.scaling.concurrency
    # A word or a 0 among the levels has no place on an axis: a note beside the curves names its rows.
    places = np.asarray(pd.to_numeric(frame[axis].to_numpy(), errors="coerce"), dtype=float)
    timed = ~frame["metric"].astype(str).str.startswith("latency_").to_numpy() | (frame["unit"] == "sec").to_numpy()
    frame = frame[(places > 0) & (places < np.inf) & timed]
    apart = [
        "benchmark",
        *(place_axis for place_axis in place_axes(frame, ["benchmark", axis]) if place_axis not in ("benchmark", axis)),
    ]
    for key, rows in cells(frame, [place for place in apart if place != setting]):
        metric = _throughput_metric(study, rows)
        if metric is None:
            continue
        levels = _levels(rows, axis)
        if len(levels[metric]) < 2:
            continue
        parts = list(cells(rows, [setting] if setting and rows[setting].nunique() > 1 else []))
        statistic = _statistic(levels, metric)
        yield OperatingPanel(
            name=label(key),
            key=key,
            metric=metric,
            statistic=statistic,
            left_out=reasons.get(str(key["benchmark"]), ""),
            lines=tuple(
                OperatingLine(
                    name=str(place.get(setting, "")),
                    points=tuple(sorted(_points(part, axis, metric, statistic, level), key=attrgetter("concurrency"))),
                )
                for place, part in parts
            ),
        )


def _levels(rows: pd.DataFrame, axis: str) -> dict[str, set[Any]]:
    """Return the levels at which each metric was measured."""
    levels = rows[axis].to_numpy()
    return {str(key["metric"]): set(pd.unique(levels[places])) for key, places in cell_rows(rows, ["metric"])}


def _statistic(levels: Mapping[str, set[Any]], metric: str) -> str:
    """Return the latency that was measured wherever throughput was."""
    everywhere = (statistic for statistic in _STATISTICS if levels.get(f"latency_{statistic}", set()) >= levels[metric])
    return next(everywhere, "")


def _points(rows: pd.DataFrame, axis: str, metric: str, statistic: str, level: float) -> Iterator[OperatingPoint]:
    measured, metrics = Measured.of(rows), rows["metric"].array
    rate, latency = np.asarray(metrics == metric), np.asarray(metrics == f"latency_{statistic}")
    for place, here in cell_rows(rows, [axis]):
        rates, timed = here[rate[here]], here[latency[here]]
        if not len(rates):
            continue
        yield OperatingPoint(
            concurrency=float(place[axis]),
            throughput=estimate_median(*_as_rates(measured.values[rates], str(measured.units[rates[0]])), level),
            latency=estimate_median(measured.values[timed], str(measured.units[timed[0]]), level)
            if len(timed)
            else None,
            evidence=measured.gather(
                np.concatenate([rates, timed]), "medians of throughput and of the latency as reported"
            ),
        )
