"""What a comparison found, in the words of an executive summary."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from itertools import groupby
from typing import get_args

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.answers.comparison.pairing import COUNTS
from benchlib.answers.grouping import label
from benchlib.metrics import better
from benchlib.report.wording.words import change, count, figure, listed, metric_name
from benchlib.statistics.comparison import Verdict
from benchlib.units import show

__all__ = ["change_of", "comparison_findings", "comparison_verdict", "interactions", "is_large", "sample_sizes"]

#: Advantages that change by less than this between two places are not told as changing.
SHIFT = 0.05
#: A comparison of more rows than this is told by counts.
MOST_LINES = 24


def _row(row: ComparisonRow, parallel: Sequence[str]) -> str:
    where = label({axis: level for axis, level in row.key.items() if axis != "pkg"})
    prefix = f"{where}: " if where else ""
    return f"{prefix}{_told(row, parallel)}"


def _told(row: ComparisonRow, parallel: Sequence[str]) -> str:
    found = row.comparison
    before, after = found.baseline.median, found.candidate.median
    values = f"{figure(after)} against {figure(before)}, {sample_sizes(row)}"
    what = metric_name(row.metric)
    if found.difference.value == 0:
        return f"{row.candidate} and {row.baseline} are equal in {what} ({values})"
    if row.metric in COUNTS and row.noticeable:
        less = "less" if found.difference.value < 0 else "more"
        amount = _counted(abs(found.difference.value), row.unit)
        return f"{row.candidate} takes {amount} {less} than {row.baseline} ({values})"
    if math.isnan(found.ratio.value):
        return f"{row.candidate} against {row.baseline} in {what}: {values}"
    if not row.noticeable:
        return f"{what}: no difference between {row.candidate} and {row.baseline} that the data can show ({values})"
    runs = _by_run(row, parallel)
    if _inverse_throughput(row, parallel):
        times = f"{1 / found.ratio.value:.{1 if runs else 2}f}x"
        return f"{row.candidate} does {times} the throughput of {row.baseline} ({values}){runs}"
    return f"{row.candidate} is {change(found.ratio.value, row.metric)} than {row.baseline} in {what} ({values}){runs}"


def sample_sizes(row: ComparisonRow) -> str:
    """Say how many values stand behind each side."""
    before, after = row.comparison.baseline.n, row.comparison.candidate.n
    return f"n = {before} each" if before == after else f"n = {after} and {before}"


def _counted(amount: float, unit: str) -> str:
    # A difference of counts is exact: it is not scaled to a larger unit.
    return f"{amount:,.0f} {unit.replace('allocs', 'alloc') if amount == 1 else unit}"


def change_of(row: ComparisonRow, parallel: Sequence[str]) -> str:
    """Say the change of one row in two words, or that none shows."""
    if not row.noticeable:
        return "no difference shown"
    if _inverse_throughput(row, parallel):
        return f"{1 / row.comparison.ratio.value:.{1 if row.ratio_by_run else 2}f}x the throughput"
    return change(row.comparison.ratio.value, row.metric)


def _inverse_throughput(row: ComparisonRow, parallel: Sequence[str]) -> bool:
    return row.metric == "time" and any(
        fnmatchcase(name, one) for one in parallel for name in (row.candidate, row.baseline)
    )


def _by_run(row: ComparisonRow, parallel: Sequence[str]) -> str:
    if not row.ratio_by_run or row.comparison.ratio.has_interval:
        return ""
    inverse = _inverse_throughput(row, parallel)
    ratios = [1 / one if inverse else one for one in row.ratio_by_run.values()]
    return f"; by run {listed([f'{one:.2f}x' for one in ratios])}"


def comparison_findings(answer: ComparisonAnswer, parallel: Sequence[str] = (), limit: int = 12) -> list[str]:
    """Say what a comparison found: row by row when small, by count when large."""
    if is_large(answer):
        return _counts(answer)
    lines = [*interactions(answer), *_grouped(answer, parallel)]
    return lines[:limit]


def is_large(answer: ComparisonAnswer) -> bool:
    """Whether a comparison is told by counts of verdicts rather than row by row."""
    return bool(answer.controls) or len(answer.rows) > MOST_LINES


def _counts(answer: ComparisonAnswer) -> list[str]:
    """One line a metric: how many rows went which way, and the one that moved furthest."""
    lines = []
    for metric, rows in _by_metric(row for row in answer.rows if not row.control):
        counted = {one: sum(row.verdict == one for row in rows) for one in get_args(Verdict)}
        told = listed([f"{number} {one}" for one, number in counted.items() if number])
        decided = [row for row in rows if row.verdict in ("better", "worse")]
        furthest = max(decided, key=_distance, default=None)
        most = f"; furthest: {_row(furthest, ())}" if furthest else ""
        lines.append(f"{answer.name}, {metric_name(metric)}: of {count(len(rows), 'row')} {told}{most}")
    return lines


def _distance(row: ComparisonRow) -> float:
    ratio = row.comparison.ratio.value
    return abs(math.log(ratio)) if ratio > 0 else math.inf


def _grouped(answer: ComparisonAnswer, parallel: Sequence[str]) -> list[str]:
    """One sentence for each pair and metric, its cells side by side."""
    lines = []
    for _, group in groupby(answer.rows, key=lambda row: (row.baseline, row.candidate)):
        for metric, same in _by_metric(group):
            lines.append(_row(same[0], parallel) if len(same) == 1 else _side_by_side(same, metric))
    return lines


def _by_metric(rows: Iterable[ComparisonRow]) -> list[tuple[str, list[ComparisonRow]]]:
    found: dict[str, list[ComparisonRow]] = {}
    for row in rows:
        found.setdefault(row.metric, []).append(row)
    return list(found.items())


def _side_by_side(rows: Sequence[ComparisonRow], metric: str) -> str:
    parts = [f"{_in_short(row)} at {_place(row, rows)}" for row in rows if row.noticeable]
    still = [_place(row, rows) for row in rows if not row.noticeable]
    if still and parts:
        parts.append(f"no difference that the data can show at {listed(still)}")
    elif still:
        parts = ["no difference that the data can show"]
    first = rows[0]
    sizes = listed(list(dict.fromkeys(sample_sizes(row) for row in rows)))
    return f"{first.candidate} against {first.baseline} in {metric_name(metric)}: {listed(parts)} ({sizes})"


def _in_short(row: ComparisonRow) -> str:
    difference = row.comparison.difference.value
    sign = "+" if difference > 0 else ""
    by = show(difference, row.unit, digits=2, like=row.comparison.baseline.median.value)
    return f"{change(row.comparison.ratio.value, row.metric)} ({sign}{by})"


def _place(row: ComparisonRow, rows: Sequence[ComparisonRow]) -> str:
    varying = {axis: level for axis, level in row.key.items() if len({str(one.key.get(axis)) for one in rows}) > 1}
    return label(varying) or label(row.key)


def interactions(answer: ComparisonAnswer) -> list[str]:
    """Say where another axis takes an advantage away or adds to it."""
    lines = []
    for (baseline, candidate), group in groupby(answer.rows, key=lambda row: (row.baseline, row.candidate)):
        moved: dict[str, list[tuple[ComparisonRow, ComparisonRow]]] = {}
        for metric, same in _by_metric(group):
            if len(same) == 2 and metric not in COUNTS and _shifts(*same):
                moved.setdefault(_place(same[1], same), []).append((same[0], same[1]))
        for place, pairs in moved.items():
            told = [
                f"from {change(first.comparison.ratio.value, first.metric)} to "
                f"{change(second.comparison.ratio.value, second.metric)} in {metric_name(first.metric)}"
                for first, second in pairs
            ]
            lost = min(1 - (_advantage(second) - 1) / (_advantage(first) - 1) for first, second in pairs)
            most = "; most of its advantage is gone" if lost > 0.5 else ""
            lines.append(f"At {place} {candidate} against {baseline} goes {listed(told)}{most}")
    return lines


def _shifts(first: ComparisonRow, second: ComparisonRow) -> bool:
    """Whether an advantage at the first place is another one at the second, by intervals where there are any."""
    here, there = _advantage(first), _advantage(second)
    one, other = first.comparison.ratio, second.comparison.ratio
    if one.has_interval and other.has_interval and one.low <= other.high and other.low <= one.high:
        return False
    return here > 1 + SHIFT and abs(math.log(here / there)) > math.log1p(SHIFT)


def _advantage(row: ComparisonRow) -> float:
    """How many times better the candidate is, whichever way its metric improves."""
    ratio = row.comparison.ratio.value
    if math.isnan(ratio) or ratio <= 0:
        return math.nan
    return ratio if better(row.metric) == "higher" else 1 / ratio


def comparison_verdict(answer: ComparisonAnswer, parallel: Sequence[str] = ()) -> str:
    """Answer a comparison in one sentence."""
    guarded = next((one for one in answer.caveats if one.code == "controls-moved"), None)
    if guarded:
        return f"These recordings cannot tell: {guarded.message.removeprefix(f'{answer.name}: ')}."
    first = [row for row in answer.rows if row.metric == answer.rows[0].metric]
    told = [row for row in first if row.baseline == first[0].baseline and row.candidate == first[-1].candidate]
    if len(told) == 1:
        return f"{_row(told[0], parallel)}."
    if len(told) > 4:
        told = sorted(told, key=lambda row: row.comparison.ratio.value)
        told = [told[0], told[-1]]
    return f"{_side_by_side(told, told[0].metric)}."
