"""What was measured, cell by cell: medians, intervals, spread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchlib.answers.asking import Refusal
from benchlib.answers.evidence import Evidence, Measured
from benchlib.answers.grouping import cell_rows, place_axes
from benchlib.caveats import Caveat, caveat
from benchlib.statistics.samples import Sample, summarise
from benchlib.study import Study
from benchlib.units import confidence

__all__ = ["SampleTable", "summarise_samples"]


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
    >>> import benchlib
    >>> table = summarise_samples(benchlib.open_study("data/reference"))
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
    rows = tuple(_row(key, measured, places, confidence_level) for key, places in cells)
    return SampleTable(by=tuple(by), rows=rows, caveats=_few(rows, confidence_level))


def _row(key: Mapping[str, Any], measured: Measured, rows: NDArray[np.intp], confidence_level: float) -> SampleRow:
    sample = summarise(measured.values[rows], unit=key["unit"], confidence_level=confidence_level)
    return SampleRow(
        key={axis: level for axis, level in key.items() if axis not in ("metric", "unit")},
        metric=key["metric"],
        unit=key["unit"],
        sample=sample,
        evidence=measured.gather(rows, sample.median.method),
    )


def _few(rows: tuple[SampleRow, ...], confidence_level: float) -> tuple[Caveat, ...]:
    bare = [row for row in rows if not row.sample.median.has_interval]
    if not bare:
        return ()
    sizes = sorted({row.sample.n for row in bare})
    span = f"n = {sizes[0]}" if len(sizes) == 1 else f"n = {sizes[0]} to {sizes[-1]}"
    of = "every cell has" if len(bare) == len(rows) else f"{len(bare):,} of {len(rows):,} cells have"
    return (caveat("few-samples", f"{of} {span}: no interval at {confidence(confidence_level)} for a median"),)
