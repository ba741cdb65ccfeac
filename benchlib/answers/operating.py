"""What a service gives at each level of load: throughput against concurrency, latency against throughput.

Latency here is what a load generator or runner measured request by request. Go's time per operation of a
parallel benchmark is wall time over operations, no latency, and is never taken for one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.evidence import Evidence, Measured
from benchlib.answers.grouping import cell_rows, cells, label, place_axes
from benchlib.answers.growth import BenchmarkGrowth, Growth, measure_growth, of_benchmark
from benchlib.answers.refusal import Refusal
from benchlib.answers.throughput import as_rates, kept_rows, throughput_metric
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.samples import median_of_few
from benchlib.study import Study

__all__ = ["OperatingAnswer", "OperatingLine", "OperatingPanel", "OperatingPoint", "operating_answer"]

#: Which latency stands against throughput: the first of these that every point of a panel has.
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
    growth : Growth or None
        From the smallest level to the largest; None of one level.
    """

    name: str
    points: tuple[OperatingPoint, ...]
    growth: Growth | None


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
    setting : str
        The axis that tells the lines of a panel apart; empty where none does.
    panels : tuple of OperatingPanel
        Those that the study lets into its curves first.
    main : BenchmarkGrowth or None
        How far the first benchmark of these grows, where it was measured at two levels only.
    """

    axis: str
    setting: str
    panels: tuple[OperatingPanel, ...]
    main: BenchmarkGrowth | None


def operating_answer(study: Study, *, confidence_level: float = 0.95) -> OperatingAnswer | Refusal:
    """Put throughput beside latency, level by level, for every benchmark of a study with a sweep.

    Rows that the study keeps out of its curves make panels of their own: nothing is fitted to them here.

    Parameters
    ----------
    study : Study
    confidence_level : float

    Examples
    --------
    >>> import benchlib
    >>> found = operating_answer(benchlib.open_study("data/token-sdk"))
    >>> panel = found.panels[0]
    >>> panel.name, panel.statistic, [line.name for line in panel.lines]
    ('TestParallelBenchmarkSender, proof bulletproof', 'p99', ['pool', 'serial', 'unbounded'])
    """
    axis = study.scaling.concurrency
    frame = study.results.frame
    if axis not in frame:
        return _refusal(axis)
    kept, reasons = kept_rows(study)
    named = (one for one in study.scaling.by if one in frame and one != "benchmark" and frame[one].nunique() > 1)
    setting = next(named, "")
    panels = list(_panels(study, kept, setting, {}, confidence_level))
    if reasons:
        panels += _panels(study, frame.drop(index=kept.index), setting, reasons, confidence_level)
    if not panels:
        return _refusal(axis)
    return OperatingAnswer(axis=axis, setting=setting, panels=tuple(panels), main=_main(panels))


def _main(panels: Sequence[OperatingPanel]) -> BenchmarkGrowth | None:
    benchmark = str(panels[0].key["benchmark"])
    own = [one for one in panels if str(one.key["benchmark"]) == benchmark and not one.left_out]
    return of_benchmark(benchmark, [line.growth for one in own for line in one.lines if line.growth is not None])


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
    # A word or a 0 among the levels has no place on an axis: that its rows make no curve is told beside the curves.
    places = np.asarray(pd.to_numeric(frame[axis].to_numpy(), errors="coerce"), dtype=float)
    frame = frame[(places > 0) & (places < np.inf)]
    apart = ["benchmark", *(one for one in place_axes(frame, ["benchmark", axis]) if one not in ("benchmark", axis))]
    for key, rows in cells(frame, [one for one in apart if one != setting]):
        metric = throughput_metric(study, rows)
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
                    points=tuple(sorted(_points(part, axis, metric, statistic, level), key=_concurrency)),
                    growth=measure_growth(
                        part[part["metric"] == metric],
                        axis,
                        name=label({**key, **place}),
                        confidence_level=level,
                    ),
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
    everywhere = (one for one in _STATISTICS if levels.get(f"latency_{one}", set()) >= levels[metric])
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
            throughput=_throughput(measured, rates, level),
            latency=median_of_few(measured.values[timed], str(measured.units[timed[0]]), level) if len(timed) else None,
            evidence=measured.gather(
                np.concatenate([rates, timed]), "medians of throughput and of the latency as reported"
            ),
        )


def _concurrency(point: OperatingPoint) -> float:
    # Where a word stands among them, levels come as they were read.
    return point.concurrency


def _throughput(measured: Measured, rows: NDArray[np.intp], level: float) -> Estimate:
    return median_of_few(*as_rates(measured.values[rows], str(measured.units[rows[0]])), level)
