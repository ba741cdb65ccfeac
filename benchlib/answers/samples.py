"""What was measured, cell by cell: medians, intervals, spread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchlib.answers.asking import Refusal
from benchlib.answers.evidence import Evidence, Measured
from benchlib.answers.grouping import cell_rows, place_axes
from benchlib.caveats import Caveat, caveat
from benchlib.metrics import canonical, factor_of, metric
from benchlib.statistics.samples import Sample, summarise
from benchlib.study import Study
from benchlib.units import confidence

__all__ = ["SampleTable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRow:
    """One benchmark in one configuration, one metric."""

    key: Mapping[str, Any]
    metric: str
    unit: str
    sample: Sample
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleTable:
    """Every cell of the results.

    Attributes
    ----------
    by : tuple of str
        The axes that tell cells apart.
    rows : tuple of SampleRow
    caveats : tuple of Caveat
    """

    by: tuple[str, ...]
    rows: tuple[SampleRow, ...]
    caveats: tuple[Caveat, ...]


def summarise_samples(study: Study, *, confidence_level: float = 0.95) -> SampleTable | Refusal:
    """Summarise each cell of a study by its median with its interval.

    A sample pools over runs, unless the study compares runs.

    Parameters
    ----------
    study : Study
    confidence_level : float

    Returns
    -------
    SampleTable or Refusal

    References
    ----------
    The interval of the median: see `benchlib.statistics.samples.estimate_median`.

    Examples
    --------
    >>> from benchlib.study import open_study
    >>> table = summarise_samples(open_study("data/reference"))
    >>> len(table.rows) > 0
    True
    """
    frame = study.results.frame
    if frame.empty:
        return Refusal(
            question="samples",
            reason="no sound measurement is left",
            advice="see the failed results and problems",
        )
    apart = ["run"] if any(plan.column == "run" for plan in study.comparisons) else []
    first = ["benchmark", "pkg", *apart, study.scaling.concurrency]
    by = list(dict.fromkeys(["benchmark", *place_axes(frame, first)]))
    measured = Measured.of(frame)
    cells = cell_rows(frame, [*by, "metric", "unit"])
    stated = _stated_intervals(study, confidence_level)
    rows = tuple(_row(key, measured, places, confidence_level, stated) for key, places in cells)
    return SampleTable(by=tuple(by), rows=rows, caveats=_few(rows, confidence_level))


#: Low and high in base units, and the level, of the only value of a metric on a line of a file.
_Stated = Mapping[tuple[str, int, str], tuple[float, float, float]]


def _stated_intervals(study: Study, confidence_level: float) -> _Stated:
    """Return the intervals that files state of single values, at least as sure as is asked.

    Where a line holds several values of a metric, nobody knows whose interval it is.
    """
    stated: dict[tuple[str, int, str], tuple[float, float, float]] = {}
    for entry in study.results.series:
        if entry.kind == "interval" and len(entry.data) == 4 and entry.data[3] >= confidence_level:
            # Without a metric it is of the one that the unit stands for.
            stated[entry.source, entry.line, canonical(str(entry.data[0]))] = entry.data[1:]
    if not stated:
        return {}
    frame = study.results.frame
    frame = frame[frame["source"].isin({source for source, _, _ in stated})]
    columns = frame[["source", "line", "metric", "original_unit"]].astype(object).itertuples(index=False)
    rows = [(str(source), int(line), str(name), str(unit)) for source, line, name, unit in columns]
    times = Counter(row[:3] for row in rows)
    intervals = {}
    for source, line, name, unit in rows:
        of_unit = (source, line, "") if metric(unit)[0].name == name else (source, line, name)
        ends = stated.get((source, line, name), stated.get(of_unit))
        if ends and times[source, line, name] == 1:
            factor = factor_of(name, unit)
            intervals[source, line, name] = (ends[0] * factor, ends[1] * factor, ends[2])
    return intervals


def _row(
    key: Mapping[str, Any], measured: Measured, rows: NDArray[np.intp], confidence_level: float, stated: _Stated
) -> SampleRow:
    sample = summarise(measured.values[rows], unit=key["unit"], confidence_level=confidence_level)
    if len(rows) == 1:
        place = (str(measured.sources[rows[0]]), int(measured.lines[rows[0]]), str(key["metric"]))
        sample = _with_interval(sample, stated.get(place))
    return SampleRow(
        key={axis: level for axis, level in key.items() if axis not in ("metric", "unit")},
        metric=key["metric"],
        unit=key["unit"],
        sample=sample,
        evidence=measured.gather(rows, sample.median.method),
    )


def _with_interval(sample: Sample, stated: tuple[float, float, float] | None) -> Sample:
    """Return a single value with the interval that its file states of it."""
    if stated is None or not stated[0] <= sample.median.value <= stated[1]:
        return sample
    low, high, level = stated
    method = f"mean with its interval at {confidence(level)}, as the file states it"
    median = replace(sample.median, low=low, high=high, confidence_level=level, method=method)
    return replace(sample, median=median, caveats=())


def _few(rows: tuple[SampleRow, ...], confidence_level: float) -> tuple[Caveat, ...]:
    bare = [row for row in rows if not row.sample.median.has_interval]
    if not bare:
        return ()
    sizes = sorted({row.sample.n for row in bare})
    span = f"n = {sizes[0]}" if len(sizes) == 1 else f"n = {sizes[0]} to {sizes[-1]}"
    of = "every cell has" if len(bare) == len(rows) else f"{len(bare):,} of {len(rows):,} cells have"
    return (caveat("few-samples", f"{of} {span}: no interval at {confidence(confidence_level)} for a median"),)
