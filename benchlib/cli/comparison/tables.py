"""The rows of a comparison as tables of words: one for each pair of sides and metric, with benchstat's footnotes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchlib.answers.comparison.answer import ComparisonAnswer, Geomean
from benchlib.answers.comparison.plain import PlainRow
from benchlib.answers.grouping import label
from benchlib.report.wording.comparison.cells import (
    change_cell,
    medians,
    metric_head,
    pvalue_cell,
    ratio_words,
    spread,
)
from benchlib.report.wording.comparison.verdict import sizes
from benchlib.report.wording.words import metric_name
from benchlib.statistics.ranks import smallest_pvalue
from benchlib.statistics.samples import values_needed
from benchlib.units import percent

__all__ = ["NONE", "Column", "RowTable", "control_table", "naming_axes", "row_change", "row_names", "row_tables"]

NONE = "–"

#: Why a row is undecided, in the words of a footnote.
_REASONS = {
    "smaller than matters": "differs, but its interval holds changes of less than {effect}, which do not matter",
    "not shown to exceed": (
        "differs, but is not shown to exceed {effect}: the p value of that, adjusted for all rows, is above {level}"
    ),
    "one of many": "its p value alone would do, but it is one of many: adjusted for all rows it is above {level}",
    "within what controls did": "not shown to be more than the machine alone did to the controls",
    "controls moved": "the controls moved: that it stood still is not shown",
    "no control speaks for it": "the controls moved, and none speaks for this row: read the change as the machine's",
    "all rows moved alike": "nearly all rows moved the same way, as they do when the machine changes",
    "moved while recorded": "its values rose or fell while they were recorded, by enough to make the difference",
    "fixed cost": "a fixed cost spread over another number of operations",
    "no interval": "too few values for an interval of the change, which a verdict needs",
    "no direction": "changed, but which way is better is not known: neither better nor worse",
}
_DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of words: its head, a cell a row, the cell of the last line, and whether it reads from the left."""

    head: str
    cells: tuple[str, ...]
    last: str
    words: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RowTable:
    """The rows of one pair, metric and unit.

    Attributes
    ----------
    title : str
    columns : tuple of Column
    rows : tuple of PlainRow
        What the cells tell of, in their order.
    axes : tuple of str
        What names a row: the axes that vary.
    summed : bool
        Whether there is a last line, the geometric means.
    notes : tuple of str
        With the marks that the cells of the last column carry.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[PlainRow, ...]
    axes: tuple[str, ...]
    summed: bool
    notes: tuple[str, ...]


def naming_axes(rows: Iterable[PlainRow]) -> tuple[str, ...]:
    """Return the axes that tell rows apart: those that vary, or all where none does.

    Examples
    --------
    >>> naming_axes(())
    ()
    """
    keys = [row.key for row in rows]
    axes = tuple(dict.fromkeys(axis for key in keys for axis in key))
    return tuple(axis for axis in axes if len({key.get(axis) for key in keys}) > 1) or axes


def row_tables(
    answer: ComparisonAnswer, rows: Iterable[PlainRow], axes: tuple[str, ...], *, means: bool = True
) -> tuple[RowTable, ...]:
    """Return a table for each pair, metric and unit.

    Parameters
    ----------
    answer : ComparisonAnswer
    rows : iterable of PlainRow
    axes : tuple of str
        What names a row.
    means : bool
        Whether `rows` are all of the answer's, so that the geometric means are theirs.
    """
    groups: dict[tuple[str, str, str, str], list[PlainRow]] = {}
    for row in rows:
        groups.setdefault((row.baseline, row.candidate, row.metric, row.unit), []).append(row)
    found = {(one.baseline, one.candidate, one.metric, one.unit): one for one in answer.geomeans} if means else {}
    return tuple(_table(answer, tuple(group), axes, found.get(key)) for key, group in groups.items())


def _table(
    answer: ComparisonAnswer, rows: tuple[PlainRow, ...], axes: tuple[str, ...], mean: Geomean | None
) -> RowTable:
    first = rows[0]
    alike = len({(row.baseline_n, row.candidate_n) for row in rows}) == 1
    shown = [medians(row.baseline_median, row.candidate_median, row.unit) for row in rows]
    spreads = [
        [spread(row.baseline_median, row.baseline_low, row.baseline_high) for row in rows],
        [spread(row.candidate_median, row.candidate_low, row.candidate_high) for row in rows],
    ]
    bounded = any(one != "∞" for side in spreads for one in side)
    sides = [_with_spread([one[side] for one in shown], spreads[side] if bounded else None) for side in (0, 1)]
    footnotes = _Footnotes(answer)
    verdicts = tuple(footnotes.marked(row) for row in rows)
    last = _mean_cells(mean, footnotes) if mean else ("", "", "", "")
    intervals = tuple(ratio_words(row.ratio, row.ratio_low, row.ratio_high, row.metric) for row in rows)
    columns = [
        Column(head=_head(axes), cells=row_names(rows, axes), last=last[0], words=True),
        Column(head=first.baseline, cells=sides[0], last=last[1], words=False),
        Column(head=first.candidate, cells=sides[1], last=last[2], words=False),
        Column(head="change", cells=tuple(map(row_change, rows)), last=last[3], words=False),
    ]
    if any(intervals):
        columns.append(Column(head="interval", cells=intervals, last="", words=False))
    if any(row.smallest_pvalue < 1 for row in rows):
        columns.append(Column(head="p", cells=tuple(pvalue_cell(row.pvalue) for row in rows), last="", words=False))
    if not alike:
        counts = tuple(
            str(row.baseline_n) if row.baseline_n == row.candidate_n else f"{row.baseline_n}+{row.candidate_n}"
            for row in rows
        )
        columns.append(Column(head="n", cells=counts, last="", words=False))
    columns.append(Column(head="verdict", cells=verdicts, last=footnotes.of_mean, words=True))
    head = metric_head(first.metric, first.unit, first.better)
    return RowTable(
        title=f"{first.candidate} against {first.baseline}: {head}{f', {sizes(first)}' if alike else ''}",
        columns=tuple(columns),
        rows=rows,
        axes=axes,
        summed=mean is not None,
        notes=footnotes.told(),
    )


def _head(axes: Sequence[str]) -> str:
    return "benchmark" if "benchmark" in axes else ", ".join(axes) or "metric"


def row_names(rows: Iterable[PlainRow], axes: Sequence[str]) -> tuple[str, ...]:
    """Name rows by these axes; where there is one, the head of the column says of what; by the metric without any."""
    if not axes:
        return tuple(metric_name(row.metric) for row in rows)
    if len(axes) == 1:
        [axis] = axes
        return tuple(str(row.key.get(axis, NONE)) for row in rows)
    return tuple(label({axis: row.key[axis] for axis in axes if axis in row.key}) or NONE for row in rows)


def _with_spread(values: list[str], spreads: list[str] | None) -> tuple[str, ...]:
    if spreads is None:
        return tuple(values)
    # Padded, so that the signs of a column stand below each other.
    width = max(map(len, spreads))
    return tuple(f"{value} ± {reach:>{width}}" for value, reach in zip(values, spreads, strict=True))


def row_change(row: PlainRow) -> str:
    """Write the change of a row as a cell."""
    return change_cell(row.baseline_median, row.candidate_median, row.ratio, unit=row.unit, metric=row.metric)


def _mean_cells(mean: Geomean, footnotes: _Footnotes) -> tuple[str, str, str, str]:
    name = f"geomean of {mean.rows:,}"
    before, after, ratio = mean.baseline_mean, mean.candidate_mean, mean.ratio
    if not (math.isnan(before) or math.isnan(after)):
        shown = medians(before, after, mean.unit)
        return name, *shown, change_cell(before, after, ratio, unit=mean.unit, metric=mean.metric)
    # As benchstat: without a mean of medians there may still be one of ratios, where nothing against nothing is 1.
    footnotes.note_mean("summaries must be >0 to compute geomean")
    first, second = (NONE if math.isnan(one) else medians(one, one, mean.unit)[0] for one in (before, after))
    change = NONE if math.isnan(ratio) else change_cell(1.0, ratio, ratio, unit="x", metric=mean.metric)
    return name, first, second, change


class _Footnotes:
    """Footnotes of one table, numbered as they are met."""

    def __init__(self, answer: ComparisonAnswer) -> None:
        self._words = {"effect": percent(answer.min_effect), "level": f"{answer.significance_level:g}"}
        self._significance, self._confidence = answer.significance_level, answer.confidence_level
        self._numbers: dict[str, int] = {}
        self._marked: dict[tuple[bool, bool, bool, str], str] = {}
        self.of_mean = ""

    def marked(self, row: PlainRow) -> str:
        """Return the verdict of a row with the marks of its footnotes."""
        verdict = "control" if row.control else row.verdict
        few = math.isinf(row.baseline_low) or math.isinf(row.candidate_low)
        blind = row.smallest_pvalue > self._significance * (1 + 1e-12)
        key = (few, blind, row.constant, "" if row.verdict in ("better", "worse") else row.reason)
        if key not in self._marked:
            self._marked[key] = "".join(f" {self._mark(one)}" for one in self._notes(*key))
        return f"{verdict}{self._marked[key]}"

    def _notes(self, few: bool, blind: bool, constant: bool, reason: str) -> list[str]:
        found = []
        if few:
            needed = values_needed(self._confidence)
            found.append(f"need >= {needed} samples for confidence interval at level {self._confidence:g}")
        if blind:
            needed = next(n for n in range(1, 10_000) if smallest_pvalue(n, n) <= self._significance * (1 + 1e-12))
            level = f"alpha level {self._significance:g}"
            found.append(f"need >= {needed} samples to detect a difference at {level}")
        if constant:
            found.append("all samples are equal")
        if reason in _REASONS:
            found.append(_REASONS[reason].format(**self._words))
        elif reason not in ("", "too few values", "control"):
            found.append(reason)
        return found

    def note_mean(self, note: str) -> None:
        """Mark the line of geometric means."""
        self.of_mean = self._mark(note)

    def _mark(self, note: str) -> str:
        return str(self._numbers.setdefault(note, len(self._numbers) + 1)).translate(_DIGITS)

    def told(self) -> tuple[str, ...]:
        """Return the footnotes with their marks."""
        return tuple(f"{str(number).translate(_DIGITS)} {note}" for note, number in self._numbers.items())


def control_table(rows: Sequence[PlainRow], axes: tuple[str, ...]) -> RowTable | None:
    """Show both readings of the rows that controls speak for: by themselves, and over what the controls did."""
    spoken = tuple(row for row in rows if not math.isnan(row.against))
    if not spoken:
        return None
    over = tuple(change_cell(1.0, row.against, row.against, unit="x", metric=row.metric) for row in spoken)
    bounds = tuple(
        ratio_words(row.against, row.against_low, row.against_high, row.metric) or "no bound" for row in spoken
    )
    several = len({row.metric for row in spoken}) > 1
    names = row_names(spoken, axes)
    if several and axes:
        names = tuple(f"{name}, {metric_name(row.metric)}" for name, row in zip(names, spoken, strict=True))
    columns = (
        (_head(axes), names, True),
        ("own change", tuple(map(row_change, spoken)), False),
        ("own verdict", tuple(row.own_verdict for row in spoken), True),
        ("over the controls", over, False),
        ("interval", bounds, False),
        ("verdict", tuple(row.verdict for row in spoken), True),
    )
    return RowTable(
        title="Both readings: a row by itself, and over what the controls did",
        columns=tuple(Column(head=head, cells=cells, last="", words=words) for head, cells, words in columns),
        rows=spoken,
        axes=axes,
        summed=False,
        notes=(),
    )
