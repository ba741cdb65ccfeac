"""What ``benchlib compare`` tells a reader, once for terminal, comment and page: verdict, tables, remarks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchlib.answers.asking import Refusal
from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow, Geomean
from benchlib.answers.grouping import label
from benchlib.answers.targets import TargetAnswer
from benchlib.answers.verdicts import RECORDINGS
from benchlib.cli.blocks import Block, Grid, fits
from benchlib.errors import choices
from benchlib.report.wording.comparison.cells import (
    change_cell,
    medians,
    metric_head,
    pvalue_cell,
    ratio_words,
    spread,
)
from benchlib.report.wording.comparison.verdict import detection_lines, sizes, verdict_lines
from benchlib.report.wording.comparison.words import control_words
from benchlib.report.wording.tables import target_bounds
from benchlib.report.wording.words import change, count, metric_name, with_interval
from benchlib.statistics.compare import SAME_WITHIN
from benchlib.statistics.ranks import smallest_pvalue
from benchlib.statistics.samples import values_needed
from benchlib.units import confidence, percent, scaled

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
#: So many cells that only one side has are named; the rest is counted.
_MISSING = 12
#: Words on how one row bears on another are looked for in comparisons of at most so many rows.
_MOST_INTERACTING = 200
_ORDERS = {
    "interleaved": "the sides were recorded in turn",
    "sequential": "one side was recorded after the other",
    "unknown": "nothing tells in which order the sides were recorded",
}
#: A matrix has at most this many columns, and so many rows.
_MOST_COLUMNS, _MOST_ROWS = 6, 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of words: its head, a cell a row, the cell of the last line, and whether it reads from the left."""

    head: str
    cells: tuple[str, ...]
    last: str
    words: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RowTable:
    """The rows of one pair, metric and unit."""

    title: str
    columns: tuple[Column, ...]
    #: What the cells tell of, in their order.
    rows: tuple[ComparisonRow, ...]
    #: What names a row: the axes that vary.
    axes: tuple[str, ...]
    #: Whether there is a last line, the geometric means.
    summed: bool
    #: With the marks that the cells of the last column carry.
    notes: tuple[str, ...]


def naming_axes(rows: Iterable[ComparisonRow]) -> tuple[str, ...]:
    """Return the axes that tell rows apart: those that vary, or all where none does."""
    keys = [row.key for row in rows]
    axes = tuple(dict.fromkeys(axis for key in keys for axis in key))
    return tuple(axis for axis in axes if len({key.get(axis) for key in keys}) > 1) or axes


def row_tables(
    answer: ComparisonAnswer, rows: Iterable[ComparisonRow], axes: tuple[str, ...], *, means: bool = True
) -> tuple[RowTable, ...]:
    """Return a table for each pair, metric and unit."""
    groups: dict[tuple[str, str, str, str], list[ComparisonRow]] = {}
    for row in rows:
        groups.setdefault((row.baseline, row.candidate, row.metric, row.unit), []).append(row)
    means_of = (
        {(geomean.baseline, geomean.candidate, geomean.metric, geomean.unit): geomean for geomean in answer.geomeans}
        if means
        else {}
    )
    return tuple(_table(answer, tuple(group), axes, means_of.get(key)) for key, group in groups.items())


def _table(
    answer: ComparisonAnswer, rows: tuple[ComparisonRow, ...], axes: tuple[str, ...], mean: Geomean | None
) -> RowTable:
    first = rows[0]
    alike = len({(row.baseline_n, row.candidate_n) for row in rows}) == 1
    shown = [medians(row.baseline_median, row.candidate_median, row.unit) for row in rows]
    spreads = [
        [spread(row.baseline_median, row.baseline_low, row.baseline_high) for row in rows],
        [spread(row.candidate_median, row.candidate_low, row.candidate_high) for row in rows],
    ]
    bounded = any(text != "∞" for side in spreads for text in side)
    sides = [_with_spread([row[side] for row in shown], spreads[side] if bounded else None) for side in (0, 1)]
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
        notes=footnotes.lines(),
    )


def _head(axes: Sequence[str]) -> str:
    return "benchmark" if "benchmark" in axes else ", ".join(axes) or "metric"


def row_names(rows: Iterable[ComparisonRow], axes: Sequence[str]) -> tuple[str, ...]:
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


def row_change(row: ComparisonRow) -> str:
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
    first, second = (NONE if math.isnan(value) else medians(value, value, mean.unit)[0] for value in (before, after))
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

    def marked(self, row: ComparisonRow) -> str:
        """Return the verdict of a row with the marks of its footnotes."""
        verdict = "control" if row.control else row.verdict
        few = math.isinf(row.baseline_low) or math.isinf(row.candidate_low)
        blind = row.smallest_pvalue > self._significance * (1 + 1e-12)
        key = (few, blind, row.constant, "" if row.verdict in ("better", "worse") else row.reason)
        if key not in self._marked:
            self._marked[key] = "".join(f" {self._mark(note)}" for note in self._notes(*key))
        return f"{verdict}{self._marked[key]}"

    def _notes(self, few: bool, blind: bool, constant: bool, reason: str) -> list[str]:
        notes = []
        if few:
            needed = values_needed(self._confidence)
            notes.append(f"need >= {needed} samples for confidence interval at level {self._confidence:g}")
        if blind:
            needed = next(n for n in range(1, 10_000) if smallest_pvalue(n, n) <= self._significance * (1 + 1e-12))
            level = f"alpha level {self._significance:g}"
            notes.append(f"need >= {needed} samples to detect a difference at {level}")
        if constant:
            notes.append("all samples are equal")
        if reason in _REASONS:
            notes.append(_REASONS[reason].format(**self._words))
        elif reason not in ("", "too few values", "control"):
            notes.append(reason)
        return notes

    def note_mean(self, note: str) -> None:
        """Mark the line of geometric means."""
        self.of_mean = self._mark(note)

    def _mark(self, note: str) -> str:
        return str(self._numbers.setdefault(note, len(self._numbers) + 1)).translate(_DIGITS)

    def lines(self) -> tuple[str, ...]:
        """Return the footnotes with their marks."""
        return tuple(f"{str(number).translate(_DIGITS)} {note}" for note, number in self._numbers.items())


def control_table(rows: Sequence[ComparisonRow], axes: tuple[str, ...]) -> RowTable | None:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldComparison:
    """One comparison in words."""

    answer: ComparisonAnswer
    rows: Sequence[ComparisonRow]
    #: What names a row.
    axes: tuple[str, ...]
    #: At most three lines.
    verdict: tuple[str, ...]
    #: Changes side by side, where more than two runs are compared.
    overview: tuple[Block, ...]
    tables: tuple[RowTable, ...]
    #: Both readings of the rows that controls speak for.
    both: RowTable | None
    #: What the machine alone did.
    controls: tuple[Block, ...]
    #: What undecided rows would take, what is missing, where it comes from, caveats.
    remarks: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """All comparisons of a command, those refused, the targets, and what the files hold that is no result."""

    comparisons: tuple[ToldComparison, ...]
    #: Lines that belong to the verdict, each with its label.
    unsound: tuple[tuple[str, str], ...]
    refused: tuple[Block, ...]
    targets: tuple[TargetAnswer, ...]


def tell(
    answers: Sequence[ComparisonAnswer | Refusal],
    targets: Sequence[TargetAnswer],
    unsound: Sequence[tuple[str, str]] = (),
) -> Told:
    """Put everything a command found into words; what the files hold that is no result comes as it is told."""
    refusals = [
        (answer.question or "refused", f"{answer.reason}; {answer.advice}")
        for answer in answers
        if isinstance(answer, Refusal)
    ]
    return Told(
        comparisons=tuple(told_comparison(answer) for answer in answers if isinstance(answer, ComparisonAnswer)),
        unsound=tuple(unsound),
        refused=(Block(title="Not compared", grids=(), lines=tuple(refusals)),) if refusals else (),
        targets=tuple(targets),
    )


def told_comparison(answer: ComparisonAnswer) -> ToldComparison:
    """Put one comparison into words."""
    rows = answer.rows
    axes = naming_axes(rows)
    return ToldComparison(
        answer=answer,
        rows=rows,
        axes=axes,
        verdict=verdict_lines(answer, rows),
        overview=tuple(_overview(answer, rows)),
        tables=row_tables(answer, rows, axes),
        both=control_table(rows, axes),
        controls=_controls(answer),
        remarks=Block(title="What to know of it", grids=(), lines=tuple(_remarks(answer, rows))),
    )


def _overview(answer: ComparisonAnswer, rows: Sequence[ComparisonRow]) -> Iterator[Block]:
    lines = tuple(("note", line) for line in _interactions(answer, rows))
    grids = matrices(answer, rows)
    for place, (title, grid) in enumerate(grids):
        yield Block(title=title, grids=(grid,), lines=lines if place == len(grids) - 1 else ())
    if lines and not grids:
        yield Block(title="Side by side", grids=(), lines=lines)


def _interactions(answer: ComparisonAnswer, rows: Sequence[ComparisonRow]) -> list[str]:
    if len(rows) > _MOST_INTERACTING:
        return []
    # It knows the words of every answer, which takes its time to import.
    from benchlib.report.wording.comparison.interactions import interactions

    return interactions(answer)


def _controls(answer: ComparisonAnswer) -> tuple[Block, ...]:
    if not answer.controls:
        return ()
    lines = tuple(("control", control_words(control)) for control in answer.controls)
    return (Block(title="Controls: what the machine alone did", grids=(), lines=lines),)


def _remarks(answer: ComparisonAnswer, rows: Sequence[ComparisonRow]) -> Iterator[tuple[str, str]]:
    yield from (("undecided", line) for line in detection_lines(rows, answer.confidence_level))
    widened = sorted({row.ratio_level for row in rows if row.ratio_level > answer.confidence_level})
    if widened:
        levels = " to ".join(dict.fromkeys((confidence(widened[0]), confidence(widened[-1]))))
        usual = confidence(answer.confidence_level)
        yield (
            "intervals",
            f"of rows picked out by their p values are at {levels}, so that over all of them the {usual} hold; of the "
            f"others at {usual}",
        )
    if answer.missing:
        yield "missing", choices(answer.missing, _MISSING)
    yield from side_lines(answer)
    yield from ((caveat.severity, f"{_own(answer, caveat.message)}. {caveat.advice}") for caveat in answer.caveats)


def side_lines(answer: ComparisonAnswer) -> Iterator[tuple[str, str]]:
    """Yield where each side comes from, and in which order they were recorded."""
    machines = [", ".join(f"{name} {value}" for name, value in side.machine.items()) for side in answer.sides]
    alike = len(set(machines)) == 1
    for side, machine in zip(answer.sides, machines, strict=True):
        own = "" if alike or not machine else f"; {machine}"
        yield "side", f"{side.name}: {count(side.values, 'value')} from {choices(side.files, 4)}{own}"
    if alike and machines[0]:
        yield "machine", machines[0]
    if answer.order != "unknown" or answer.column in RECORDINGS:
        yield "order", _ORDERS[answer.order]
    yield "rule", _rule(answer)


def _rule(answer: ComparisonAnswer) -> str:
    """Say what a verdict takes, test by test."""
    level, within = f"{answer.significance_level:g}", f"±{100 * max(answer.min_effect, SAME_WITHIN):g} %"
    condition, clear = "that the row differs", "an interval clear of no change"
    if answer.min_effect:
        effect = f"{100 * answer.min_effect:g} %"
        condition = f"{condition}, and that it does by more than {effect}"
        clear = f"an interval clear of ±{effect}"
    return (
        f"better and worse need an adjusted p of at most {level} {condition}, and {clear}; "
        f"same needs one within {within}"
    )


def _own(answer: ComparisonAnswer, message: str) -> str:
    return message.removeprefix(f"{answer.name}: ")


def target_lines(targets: Sequence[TargetAnswer]) -> tuple[Block, ...]:
    """Tell each target in a line that begins with PASS, WARN or FAIL; nothing where there are none."""
    lines = tuple(
        (status, f"{name}: {bound}, {median}, n = {n}, {worst}")
        for status, name, bound, median, worst, n in _targets(targets)
    )
    return (Block(title="Targets", grids=(), lines=lines),) if lines else ()


def target_grid(targets: Sequence[TargetAnswer]) -> tuple[Block, ...]:
    """Show targets as a table of PASS, WARN and FAIL; nothing where there are none."""
    heads = ("status", "target", "bound", "median", "benchmark that does worst", "n")
    rows = tuple(_targets(targets))
    return (Block(title="Targets", grids=(Grid(heads=heads, rows=rows, words=5),), lines=()),) if rows else ()


def _targets(targets: Sequence[TargetAnswer]) -> Iterator[tuple[str, str, str, str, str, str]]:
    for target in targets:
        median = with_interval(target.sample.median, target_bounds(target)) if target.sample else "not measured"
        n = target.sample.n if target.sample else 0
        worst = "; ".join(part for part in (target.benchmark, target.reason) if part)
        yield target.status, target.name, target.bound, median, worst, str(n)


def matrices(answer: ComparisonAnswer, rows: Sequence[ComparisonRow]) -> tuple[tuple[str, Grid], ...]:
    """Lay changes out side by side where more is compared than two runs: places or pairs beside each other."""
    pairs = list(dict.fromkeys((row.baseline, row.candidate) for row in rows))
    if answer.column in RECORDINGS and len(pairs) < 2:
        return ()
    axes = naming_axes(rows)
    names = [label({axis: row.key[axis] for axis in axes if axis in row.key}) or NONE for row in rows]
    places = list(dict.fromkeys(names))
    metrics = _metric_names(rows)
    row_at = {
        (row.baseline, row.candidate, row.metric, row.unit, name): row for row, name in zip(rows, names, strict=True)
    }

    def cell(pair: tuple[str, str], metric: tuple[str, str], place: str) -> str:
        row = row_at.get((*pair, *metric, place))
        return NONE if row is None else _in_matrix(row)

    def by_pair() -> Grid:
        heads = ("", "", *(["change"] if places == [NONE] else places))
        body = ((_pair(pair), name, *(cell(pair, metric, place) for place in places))
                for pair in pairs for metric, name in metrics.items())  # fmt: skip
        return Grid(heads=heads, rows=tuple(body), words=2)

    def by_place(metric: tuple[str, str]) -> Grid:
        body = ((place, *(cell(pair, metric, place) for pair in pairs)) for place in places)
        return Grid(heads=("", *map(_pair, pairs)), rows=tuple(body), words=1)

    beside = len(places) <= _MOST_COLUMNS and 2 < len(places) + len(pairs) * len(metrics) <= _MOST_ROWS
    below = 1 < len(pairs) <= _MOST_COLUMNS and len(places) <= _MOST_ROWS
    legend = "changes side by side, each with its verdict; ? stands for cannot tell"
    # Places stand beside each other where a terminal has room for them, and below each other where it has not.
    if beside and (not below or fits(by_pair())):
        return ((f"{answer.name}: {legend}", by_pair()),)
    return tuple((f"{answer.name}, {metrics[metric]}: {legend}", by_place(metric)) for metric in metrics if below)


def _metric_names(rows: Sequence[ComparisonRow]) -> dict[tuple[str, str], str]:
    """Name each metric and unit, with the unit where one metric was measured in several."""
    metrics = list(dict.fromkeys((row.metric, row.unit) for row in rows))
    names = [metric for metric, _ in metrics]
    return {
        (metric, unit): metric_name(metric) + (f" ({scaled(1.0, unit)[1]})" if names.count(metric) > 1 else "")
        for metric, unit in metrics
    }


def _pair(pair: tuple[str, str]) -> str:
    return f"{pair[1]} against {pair[0]}"


def _in_matrix(row: ComparisonRow) -> str:
    verdict = "control" if row.control else row.verdict
    if verdict == "same" or (verdict == "cannot tell" and row.baseline_median == row.candidate_median):
        return verdict
    words = change(row.ratio, row.metric)
    if math.isnan(row.ratio) or row.ratio <= 0 or words.startswith("no different"):
        words = row_change(row)  # no factor says it: from which count to which, or how few percent
    return f"{words} ?" if verdict == "cannot tell" else f"{words}: {verdict}"
