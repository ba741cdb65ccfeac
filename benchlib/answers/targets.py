"""Are the targets met? Decided on the interval where there is one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import pandas as pd

from benchlib.answers.evidence import Evidence, gather
from benchlib.answers.grouping import cells, label, place_axes
from benchlib.errors import SelectionError
from benchlib.statistics.samples import Sample, summarise
from benchlib.study import Study, TargetPlan

__all__ = ["TargetAnswer", "check_targets", "doubt_times"]

#: WARN: the interval of the median holds the bound, or there is no interval to decide on.
Status = Literal["PASS", "WARN", "FAIL", "NOT TESTED"]
_NO_ROW = Evidence(rows=(), formula="no row")


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetAnswer:
    """One target, the cell of its benchmarks that does worst, and whether it is met.

    ``evidence`` is of that cell.
    """

    name: str
    metric: str
    bound: str
    status: Status
    benchmark: str
    sample: Sample | None
    reason: str
    evidence: Evidence


def check_targets(study: Study, *, confidence_level: float = 0.95) -> tuple[TargetAnswer, ...]:
    """Check each target of a study against the cell that does worst.

    Examples
    --------
    >>> from benchlib.study import open_study
    >>> {target.status for target in check_targets(open_study("data/lplex"))} <= {
    ...     "PASS", "WARN", "FAIL", "NOT TESTED"}
    True
    """
    return tuple(_check(study, plan, confidence_level) for plan in study.targets)


def doubt_times(targets: Iterable[TargetAnswer], *, moved: bool) -> tuple[TargetAnswer, ...]:
    """Leave targets on time open that were missed in a recording whose controls moved.

    Such times say more of the machine than of the code. Whether they did: `benchlib.answers.comparison.controls_moved`.
    """
    return tuple(
        replace(target, status="WARN", reason="missed, but in a recording whose controls moved")
        if moved and target.status == "FAIL" and target.metric == "time"
        else target
        for target in targets
    )


def _check(study: Study, plan: TargetPlan, confidence_level: float) -> TargetAnswer:
    nothing = TargetAnswer(
        name=plan.name, metric=plan.metric, bound=plan.bound, status="NOT TESTED", benchmark="",
        sample=None, reason="", evidence=_NO_ROW,
    )  # fmt: skip
    try:
        frame = study.results.select(f"{plan.where} metric={plan.metric}").frame
    except SelectionError as error:
        return replace(nothing, reason=str(error))
    unit = study.whole.metrics[plan.metric].unit
    frame = _candidates(study, frame)
    frame = frame[frame["unit"] == unit]
    if frame.empty:
        return replace(nothing, reason=f"no value is in {unit}")
    checked = []
    for key, rows in cells(frame, place_axes(frame)):
        sample = summarise(rows["value"].to_numpy(), unit=unit, confidence_level=confidence_level)
        name = label({"benchmark": rows["benchmark"].iloc[0], **key})
        behind = gather(rows, f"against the bound: {sample.median.method}")
        checked.append((_status(sample, plan), name, sample, behind))
    status, benchmark, sample, evidence = max(checked, key=lambda check: _badness(check[0], check[2], plan))
    missed = sum(row[0] == status for row in checked)
    return replace(
        nothing, status=status, benchmark=benchmark, sample=sample,
        reason=_reason(status, sample, missed, len(checked)), evidence=evidence,
    )  # fmt: skip


def _candidates(study: Study, frame: pd.DataFrame) -> pd.DataFrame:
    """Where runs are compared it is the candidate that is to meet a target, not a pool of before and after."""
    for comparison in study.comparisons:
        if comparison.column == "run":
            runs = frame["run"].astype(str)
            judged = runs.isin(comparison.candidates) if comparison.candidates else ~runs.isin(comparison.baselines)
            return frame[judged] if judged.any() else frame
    return frame


def _status(sample: Sample, plan: TargetPlan) -> Status:
    least = plan.low if plan.low is not None else -math.inf
    most = plan.high if plan.high is not None else math.inf
    median = sample.median
    if median.has_interval and least <= median.low and median.high <= most:
        return "PASS"
    outside = median.high < least or median.low > most
    if not least <= median.value <= most and (outside or not median.has_interval):
        return "FAIL"
    return "WARN"


def _badness(status: Status, sample: Sample, plan: TargetPlan) -> tuple[int, float]:
    """Order cells by verdict, then by how near (or far beyond) the bound they lie."""
    median = sample.median.value
    beyond = max(
        median - plan.high if plan.high is not None else -math.inf,
        plan.low - median if plan.low is not None else -math.inf,
    )
    return ("NOT TESTED", "PASS", "WARN", "FAIL").index(status), beyond


def _reason(status: Status, sample: Sample, alike: int, total: int) -> str:
    if status == "FAIL":
        return f"{alike} of {total} cells" if total > 1 else ""
    if status != "WARN":
        return ""
    if not sample.median.has_interval:
        return f"the median meets it, but n = {sample.n} gives no interval"
    return "the interval of the median holds the bound"
