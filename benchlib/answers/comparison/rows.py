"""The rows of a comparison, each made when it is asked for: 20,000 are normal, and few are looked at."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.comparison.answer import ComparisonRow, Reason
from benchlib.answers.comparison.noticing import noticeable
from benchlib.answers.comparison.pairing import COUNTS, PairedCells
from benchlib.answers.comparison.plain import PlainRow
from benchlib.answers.evidence import Evidence, Measured
from benchlib.answers.grouping import plain
from benchlib.caveats import merge
from benchlib.metrics import Better
from benchlib.statistics.compare import SampleComparison, limits
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.samples import summarise
from benchlib.statistics.verdicts import VERDICTS, Judgement

__all__ = ["Rows", "Ruling", "amortised"]

#: What a direction of `benchlib.statistics.verdicts.judge` stands for.
_BETTER: dict[int, Better] = {1: "higher", -1: "lower", 0: None}
#: Totals this near to each other are taken for one fixed cost.
SAME_TOTAL = 0.2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ruling:
    """What controls and guards leave of the verdicts, one entry a row.

    Attributes
    ----------
    verdict : NDArray of int8
        Places in `benchlib.statistics.verdicts.VERDICTS`.
    reason : NDArray of str
    control, amortised : NDArray of bool
    relative, relative_low, relative_high : NDArray
        The ratio over what the controls did; NaN where none speaks.
    relative_level : float
        Of these intervals, for all rows together.
    detectable, steady_detectable, more : NDArray
        The second is NaN where no drift is found. More is NaN where it would not help, and where the row is decided.
    """

    verdict: NDArray[np.int8]
    reason: NDArray[np.object_]
    control: NDArray[np.bool_]
    amortised: NDArray[np.bool_]
    relative: NDArray[np.float64]
    relative_low: NDArray[np.float64]
    relative_high: NDArray[np.float64]
    relative_level: float
    detectable: NDArray[np.float64]
    steady_detectable: NDArray[np.float64]
    more: NDArray[np.float64]


class Rows(Sequence[ComparisonRow]):
    """A sequence of rows; equal to a tuple of them in all but the time they take."""

    __slots__ = ("_better", "_cells", "_judged", "_level", "_made", "_noticeable", "_pool", "_positions", "_ruling")

    def __init__(
        self,
        cells: PairedCells,
        judged: Judgement,
        ruling: Ruling,
        positions: NDArray[np.intp],
        *,
        better: NDArray[np.int8],
        confidence_level: float,
        noise: Mapping[str, float],
        pool_runs: bool,
    ) -> None:
        self._better = better
        self._cells = cells
        self._judged = judged
        self._ruling = ruling
        self._positions = positions
        self._level = confidence_level
        self._noticeable = noticeable(cells, judged, noise, pool_runs=pool_runs)
        self._pool = pool_runs
        self._made: dict[int, ComparisonRow] = {}

    def __len__(self) -> int:
        return self._cells.rows

    @overload
    def __getitem__(self, place: int) -> ComparisonRow: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[ComparisonRow, ...]: ...
    def __getitem__(self, place: int | slice) -> ComparisonRow | tuple[ComparisonRow, ...]:
        if isinstance(place, slice):
            return tuple(self[one] for one in range(*place.indices(len(self))))
        row = place + len(self) if place < 0 else place
        if not 0 <= row < len(self):
            raise IndexError(f"no row {place}; there are {len(self)}")
        if row not in self._made:
            self._made[row] = self._row(row)
        return self._made[row]

    def __iter__(self) -> Iterator[ComparisonRow]:
        return (self[row] for row in range(len(self)))

    def plain(self) -> Iterator[PlainRow]:
        """Give every row in bare numbers, made from whole columns."""
        found, judged, ruling = self._cells, self._judged, self._ruling
        stated = judged.statistics
        sides = [found.sides[one] for one in found.side.tolist()]
        columns = (
            found.keys(),
            (_BETTER[one] for one in self._better.tolist()),
            map(str, found.metrics),
            map(str, found.units),
            (one for one, _ in sides),
            (other for _, other in sides),
            *(one.tolist() for one in (
                stated.baseline_n, stated.baseline_median, stated.baseline_low, stated.baseline_high,
                stated.candidate_n, stated.candidate_median, stated.candidate_low, stated.candidate_high,
                judged.ratio, judged.ratio_low, judged.ratio_high, judged.level,
                judged.difference, judged.difference_low, judged.difference_high,
                stated.pvalue, judged.adjusted_pvalue, judged.beyond_pvalue, stated.smallest_pvalue,
            )),
            [VERDICTS[one] for one in ruling.verdict.tolist()],
            [VERDICTS[one] for one in judged.verdict.tolist()],
            ruling.reason.tolist(),
            ruling.relative.tolist(),
            ruling.relative_low.tolist(),
            ruling.relative_high.tolist(),
            ruling.detectable.tolist(),
            ruling.steady_detectable.tolist(),
            np.where(ruling.verdict == 0, ruling.more, np.nan).tolist(),
            self._noticeable.tolist(),
            stated.constant.tolist(),
            ruling.control.tolist(),
        )  # fmt: skip
        return map(PlainRow._make, zip(*columns, strict=True))

    def _row(self, row: int) -> ComparisonRow:
        found, judged, ruling = self._cells, self._judged, self._ruling
        pairs = found.pairs
        one = slice(pairs.baseline_starts[row], pairs.baseline_starts[row + 1])
        other = slice(pairs.candidate_starts[row], pairs.candidate_starts[row + 1])
        before, after = found.baseline_rows[one], found.candidate_rows[other]
        metric, unit = str(found.metrics[row]), str(found.units[row])
        baseline, candidate = found.sides[int(found.side[row])]
        compared = self._comparison(row, pairs.baseline[one], pairs.candidate[other], unit)
        reason: Reason = ruling.reason[row]
        decided = VERDICTS[ruling.verdict[row]] != "cannot tell"
        more = float(ruling.more[row])
        by_run = _by_run(found.frame, before, after) if self._pool else {}
        sides = found.frame.iloc[before], found.frame.iloc[after]
        measured = Measured.of(*sides)
        return ComparisonRow(
            key=found.key(row),
            metric=metric,
            unit=unit,
            better=_BETTER[int(self._better[row])],
            baseline=baseline,
            candidate=candidate,
            comparison=compared,
            adjusted_pvalue=float(judged.adjusted_pvalue[row]),
            beyond_pvalue=float(judged.beyond_pvalue[row]),
            verdict=VERDICTS[ruling.verdict[row]],
            own_verdict=VERDICTS[judged.verdict[row]],
            reason=reason,
            against_controls=self._relative(row, compared),
            detectable=float(ruling.detectable[row]),
            steady_detectable=float(ruling.steady_detectable[row]),
            more=None if decided or math.isnan(more) else int(more),
            noticeable=bool(self._noticeable[row]),
            amortised=bool(ruling.amortised[row]),
            control=bool(ruling.control[row]),
            ratio_by_run=by_run,
            run_evidence=_run_evidence(measured, sides, by_run, metric),
            baseline_values=tuple(pairs.baseline[one].tolist()),
            candidate_values=tuple(pairs.candidate[other].tolist()),
            baseline_positions=tuple(self._positions[before].tolist()),
            candidate_positions=tuple(self._positions[after].tolist()),
            evidence=measured.gather(slice(None), "median of the candidate over median of the baseline"),
        )

    def _comparison(self, row: int, old: NDArray[np.float64], new: NDArray[np.float64], unit: str) -> SampleComparison:
        judged = self._judged
        before = summarise(old, unit=unit, confidence_level=self._level)
        after = summarise(new, unit=unit, confidence_level=self._level)

        def estimate(value: float, low: float, high: float, unit: str, method: str) -> Estimate:
            return Estimate(
                value=float(value),
                low=float(low),
                high=float(high),
                unit=unit,
                confidence_level=float(judged.level[row]),
                n=old.size + new.size,
                method=method,
                standard_error=math.nan,
            )

        ratio = estimate(
            judged.ratio[row],
            judged.ratio_low[row],
            judged.ratio_high[row],
            "x",
            "ratio of medians, Hodges-Lehmann interval on logarithms",
        )
        smallest = float(judged.statistics.smallest_pvalue[row])
        warned = limits(ratio, smallest, self._level, before, after)
        return SampleComparison(
            baseline=before,
            candidate=after,
            ratio=ratio,
            difference=estimate(
                judged.difference[row],
                judged.difference_low[row],
                judged.difference_high[row],
                unit,
                "difference of medians, Hodges-Lehmann interval",
            ),
            pvalue=float(judged.statistics.pvalue[row]),
            smallest_pvalue=smallest,
            verdict=VERDICTS[judged.verdict[row]],
            caveats=merge(before.caveats, after.caveats, warned),
        )

    def _relative(self, row: int, compared: SampleComparison) -> Estimate | None:
        value = float(self._ruling.relative[row])
        if math.isnan(value):
            return None
        return Estimate(
            value=value,
            low=float(self._ruling.relative_low[row]),
            high=float(self._ruling.relative_high[row]),
            unit="x",
            confidence_level=self._ruling.relative_level,
            n=compared.ratio.n,
            method="ratio over the mean ratio of the controls, prediction interval on logarithms (Bonferroni)",
            standard_error=math.nan,
        )


def amortised(cells: PairedCells, row: int) -> bool:
    """Whether both sides spend the same in total while the number of operations differs."""
    if cells.metrics[row] not in COUNTS:
        return False
    starts = (cells.pairs.baseline_starts, cells.pairs.candidate_starts)
    places = (cells.baseline_rows, cells.candidate_rows)
    operations, totals = [], []
    for start, where in zip(starts, places, strict=True):
        side = cells.frame.iloc[where[start[row] : start[row + 1]]]
        operations.append(float(side["iterations"].median()))
        totals.append(float((side["value"] * side["iterations"]).median()))
    if not all(one > 0 for one in (*operations, *totals)):
        return False
    return max(totals) / min(totals) < 1 + SAME_TOTAL < max(operations) / min(operations)


def _by_run(frame: pd.DataFrame, before: NDArray[np.intp], after: NDArray[np.intp]) -> dict[str, float]:
    first, second = _medians_by_run(frame, before), _medians_by_run(frame, after)
    shared = [run for run in first if run in second and first[run] > 0]
    return {run: second[run] / first[run] for run in shared} if len(shared) > 1 else {}


def _run_evidence(
    measured: Measured, sides: Iterable[pd.DataFrame], by_run: Mapping[str, float], metric: str
) -> dict[str, Evidence]:
    """Return what stands behind the ratio of each run: a sentence may turn that of times round."""
    formula = "median of the candidate over median of the baseline"
    turned = "; of throughput, where it is told from times, one over that" if metric == "time" else ""
    runs = np.array([str(plain(one)) for rows in sides for one in rows["run"].tolist()] if by_run else [])
    return {run: measured.gather(np.flatnonzero(runs == run), f"within {run}: {formula}{turned}") for run in by_run}


def _medians_by_run(frame: pd.DataFrame, rows: NDArray[np.intp]) -> dict[str, float]:
    """Return the median of each run: numbers ascending, words as first seen."""
    found: dict[Any, list[float]] = {}
    for run, value in zip(frame["run"].iloc[rows].tolist(), frame["value"].iloc[rows].tolist(), strict=True):
        if not pd.isna(run):
            found.setdefault(plain(run), []).append(value)
    ordered = sorted(found, key=lambda run: run if isinstance(run, int | float) else math.inf)
    return {str(run): median(found[run]) for run in ordered}
