"""One row of a comparison: which cells are set side by side, and what their difference is worth."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import pandas as pd

from benchlib.answers.evidence import Evidence, gather
from benchlib.answers.grouping import cells, place_axes
from benchlib.metrics import better
from benchlib.results import condition
from benchlib.statistics.comparison import SampleComparison, Verdict, compare_samples
from benchlib.study import ComparisonPlan, Study

__all__ = ["COUNTS", "UNREPEATED", "ComparisonRow", "pair_rows", "run_noise", "shared_axes"]

#: Without repeats anywhere, a difference smaller than this is not told as one.
UNREPEATED = 0.05
#: Totals this near to each other are taken for one fixed cost.
SAME_TOTAL = 0.2
#: Metrics that count what the code does: the machine's load does not move them.
COUNTS = ("memory", "allocations")


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """One metric of one cell, candidate against baseline.

    Attributes
    ----------
    key : mapping
        What both sides share.
    metric, unit : str
    baseline, candidate : str
        The two levels compared.
    comparison : SampleComparison
    adjusted_pvalue : float
        Benjamini-Hochberg over the rows of its metric.
    verdict : str
        ``better``, ``worse``, ``same`` or ``cannot tell``, after the guards of the answer.
    noticeable : bool
        Whether the difference may be told as one: its interval leaves 1 out or, where too few
        repeats give no interval, it exceeds what runs of the same code differ by in this study
        (5 % where nothing was repeated).
    amortised : bool
        Whether both sides spend the same in total, so that the difference comes from the number
        of operations alone.
    control : bool
        Whether the study says that the change cannot affect this row.
    ratio_by_run : mapping of str to float
        Candidate over baseline within each run that holds both; empty when runs are compared.
    evidence : Evidence
    """

    key: Mapping[str, Any]
    metric: str
    unit: str
    baseline: str
    candidate: str
    comparison: SampleComparison
    adjusted_pvalue: float
    verdict: Verdict
    noticeable: bool
    amortised: bool
    control: bool
    ratio_by_run: Mapping[str, float]
    evidence: Evidence


def pair_rows(
    frame: pd.DataFrame,
    plan: ComparisonPlan,
    by: list[str],
    pair: tuple[str, str],
    noise: Mapping[str, float],
    confidence_level: float,
    min_effect: float,
) -> tuple[list[ComparisonRow], list[str]]:
    """Compare one pair of levels in every cell; return the rows, and the cells that only one side has."""
    baseline, candidate = pair
    column = frame[plan.column].astype(str)
    rows, missing = [], []
    for key, group in cells(frame[column.isin([baseline, candidate])], [*by, "metric", "unit"]):
        side = group[plan.column].astype(str)
        before, after = group[side == baseline], group[side == candidate]
        place = {axis: level for axis, level in key.items() if axis not in ("metric", "unit")}
        if before.empty or after.empty:
            present = baseline if after.empty else candidate
            missing.append(f"{place.get('benchmark', key['metric'])} only in {present}")
            continue
        rows.append(
            ComparisonRow(
                key=place,
                metric=key["metric"],
                unit=key["unit"],
                baseline=baseline,
                candidate=candidate,
                comparison=(
                    found := compare_samples(
                        before["value"].to_numpy(),
                        after["value"].to_numpy(),
                        unit=key["unit"],
                        better=better(key["metric"]),
                        confidence_level=confidence_level,
                        min_effect=min_effect,
                    )
                ),
                adjusted_pvalue=found.pvalue,
                verdict=found.verdict,
                noticeable=_noticeable(found, key["metric"], noise.get(key["metric"], UNREPEATED)),
                amortised=_amortised(before, after),
                control=any(_meets(group, one) for one in plan.controls),
                ratio_by_run=_by_run(before, after) if plan.column != "run" else {},
                evidence=gather(pd.concat([before, after]), "median of the candidate over median of the baseline"),
            )
        )
    return rows, missing


def shared_axes(frame: pd.DataFrame, column: str) -> list[str]:
    """What both sides of a row share: always the benchmark, and the axes that tell cells of a side apart."""
    first = [one for one in (column, "benchmark", "case", "pkg") if one in frame]
    fixed = [one for one in ("benchmark", "case") if one in frame and one != column]
    told = place_axes(frame.assign(**{column: frame[column].astype(str)}), first)
    return list(dict.fromkeys([*fixed, *(one for one in told if one != column)]))


def run_noise(study: Study, plan: ComparisonPlan) -> dict[str, float]:
    """By metric, how much runs of the same code differ in this study: the median over its cells."""
    if plan.column == "run":
        return {}
    frame = study.results.frame
    if plan.metrics:
        frame = frame[frame["metric"].isin(plan.metrics)]
    found = {}
    for key, rows in cells(frame, ["metric"]):
        places = place_axes(rows) or ["benchmark"]
        by_run = rows.groupby([*places, "run"], observed=True, dropna=False, sort=False)["value"].median()
        centres = by_run[by_run > 0].reset_index()
        cell = centres.groupby(places, observed=True, dropna=False, sort=False)["value"]
        spread = (cell.max() / cell.min() - 1)[cell.size() > 1]
        if len(spread):
            found[key["metric"]] = max(UNREPEATED, float(spread.median()))
    return found


def _amortised(before: pd.DataFrame, after: pd.DataFrame) -> bool:
    """Whether value x operations is the same on both sides while the number of operations is not."""
    operations = [float(side["iterations"].median()) for side in (before, after)]
    totals = [float((side["value"] * side["iterations"]).median()) for side in (before, after)]
    if before["metric"].iloc[0] not in COUNTS or not all(one > 0 for one in (*operations, *totals)):
        return False
    spread = max(operations) / min(operations)
    return max(totals) / min(totals) < 1 + SAME_TOTAL < spread


def _noticeable(found: SampleComparison, metric: str, noise: float) -> bool:
    ratio = found.ratio
    if metric in COUNTS and not ratio.has_interval:
        # Counts hardly vary: samples that do not overlap differ, however few they are.
        return found.candidate.maximum < found.baseline.minimum or found.candidate.minimum > found.baseline.maximum
    if math.isnan(ratio.value) or ratio.value <= 0:
        return found.difference.value != 0
    if ratio.has_interval:
        return not ratio.low <= 1 <= ratio.high
    return abs(math.log(ratio.value)) > math.log1p(noise)


def _meets(rows: pd.DataFrame, where: str) -> bool:
    first = rows.iloc[0]
    return all(fnmatchcase(str(first[column]), pattern) == positive for column, positive, pattern in condition(where))


def _by_run(before: pd.DataFrame, after: pd.DataFrame) -> dict[str, float]:
    first = {str(key["run"]): rows["value"].median() for key, rows in cells(before, ["run"]) if key}
    second = {str(key["run"]): rows["value"].median() for key, rows in cells(after, ["run"]) if key}
    shared = [run for run in first if run in second and first[run] > 0]
    return {run: float(second[run] / first[run]) for run in shared} if len(shared) > 1 else {}
