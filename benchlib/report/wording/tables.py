"""Answers as tables of words: one function an answer, no arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.answers.effects import EffectsAnswer
from benchlib.answers.effects.behind import ratio_evidence, slope_evidence
from benchlib.answers.evidence import Evidence
from benchlib.answers.grouping import Key, label
from benchlib.answers.latency import LatencyAnswer, LatencyRow
from benchlib.answers.quality import DataQuality
from benchlib.answers.samples import SampleRow, SampleTable
from benchlib.answers.spreads import SpreadRow
from benchlib.answers.targets import TargetAnswer
from benchlib.effects.cells import Cell
from benchlib.report.wording.comparison.cells import factor_ends, medians, pvalue_cell, reason_words
from benchlib.report.wording.comparison.interactions import sample_sizes
from benchlib.report.wording.markup import Column, Table
from benchlib.report.wording.told import Told, evident, joined, told
from benchlib.report.wording.words import carried_change, count, evident_figure, evident_interval, metric_name
from benchlib.statistics.tail import percentile_share
from benchlib.units import confidence, show

__all__ = [
    "cells_table",
    "change_cell_words",
    "change_words",
    "comparison_table",
    "effects_table",
    "files_table",
    "known",
    "latency_table",
    "read_words",
    "reason_evidence",
    "sample_table",
    "spread_table",
    "table",
    "targets_table",
    "verdict_cell",
]

NONE = "–"


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> Table:
    """Build a table whose first ``words`` columns hold text and the rest numbers."""
    columns = tuple(Column(head=head, align="text" if place < words else "number") for place, head in enumerate(heads))
    return Table(caption=caption, columns=columns, rows=tuple(tuple(row) for row in rows))


def number(value: float, digits: int = 2) -> str:
    """Write a bare number, or a dash."""
    return NONE if math.isnan(value) else f"{value:.{digits}f}".replace("-", "−")


#: A page holds this many cells; answers.json and ``benchlib convert`` hold them all.
MOST_CELLS = 2000


def sample_table(samples: SampleTable) -> Table:
    """Cells of the results, the first `MOST_CELLS` of them."""
    left = len(samples.rows) - MOST_CELLS
    more = f"; {left:,} more in answers.json" if left > 0 else ""
    axes = [axis for axis in samples.by if any(axis in row.key for row in samples.rows)]
    return table(
        f"Every cell: median with its order-statistic interval{more}",
        (*axes, "metric", "n", "median", "interval", "least", "most"),
        (
            (
                *(_level(row.key, axis) for axis in axes),
                row.metric,
                evident(str(row.sample.n), row.evidence, row.sample.n),
                evident_figure(row.sample.median, row.evidence),
                evident_interval(row.sample.median, row.evidence),
                _end(row.sample.minimum, row),
                _end(row.sample.maximum, row),
            )
            for row in samples.rows[:MOST_CELLS]
        ),
        words=len(axes) + 1,
    )


def _end(value: float, row: SampleRow) -> Told:
    return evident(show(value, row.unit, like=row.sample.median.value), row.evidence, value)


def _level(key: Key, axis: str) -> str:
    return str(key.get(axis, NONE))


#: Columns that a comparison's rows are named by; more are told in one.
MOST_AXES = 2


def comparison_table(answer: ComparisonAnswer) -> Table:
    """Rows of one comparison, the first `MOST_CELLS` of them."""
    rows = answer.rows[:MOST_CELLS]
    axes = [
        axis
        for axis in dict.fromkeys(axis for row in rows for axis in row.key)
        if len({str(row.key.get(axis)) for row in rows}) > 1
    ]
    # More columns of names than these push the numbers off the page.
    names = axes if len(axes) <= MOST_AXES else ["configuration"]
    pairs = {(row.baseline, row.candidate) for row in rows}
    sides = next(iter(pairs)) if len(pairs) == 1 else ("baseline", "candidate")
    named = [] if len(pairs) == 1 else ["candidate against baseline"]
    left = len(answer.rows) - len(rows)
    metrics = ["metric"] if len({row.metric for row in rows}) > 1 else []
    # What changed and whether that may be said stand where a narrow screen shows them.
    heads = [*names, *named, *metrics, "change", "verdict", *sides, *_LAST]
    lines = [
        (
            *([_level(row.key, axis) for axis in axes] if names is axes else [_place(row.key, axes)]),
            *([f"{row.candidate} against {row.baseline}"] if named else []),
            *([row.metric.replace("latency_", "")] if metrics else []),
            evident(change_cell_words(row), row.evidence, row.comparison.ratio.value),
            verdict_cell(row),
            evident_figure(row.comparison.baseline.median, row.evidence),
            evident_figure(row.comparison.candidate.median, row.evidence),
            _ratio(row),
            known(pvalue_cell(row.adjusted_pvalue), row.evidence, row.adjusted_pvalue),
            evident(f"{row.comparison.baseline.n} + {row.comparison.candidate.n}", row.evidence),
            _on_lines(reason_words(row.reason), after=",") or NONE,
        )
        for row in rows
    ]
    only = "" if metrics or not rows else f", {metric_name(rows[0].metric)}"
    sizes = {(row.comparison.baseline.n, row.comparison.candidate.n) for row in rows}
    alike = f", {sample_sizes(rows)}" if len(sizes) == 1 else ""
    # What no row has takes no room, and what all have alike stands in the caption.
    unused = {"n"} if alike else set()
    unused |= {head for place, head in enumerate(heads) if head in _LAST and all(one[place] == NONE for one in lines)}
    words = {*heads[: -len(_LAST) - 2], *_WRAPPED}
    kept = [place for place, head in enumerate(heads) if head not in unused]
    return Table(
        caption=f"{answer.name}{only}{alike}{f'; {left:,} more rows in answers.json' if left else ''}",
        columns=tuple(Column(head=heads[place], align="text" if heads[place] in words else "number") for place in kept),
        rows=tuple(tuple(line[place] for place in kept) for line in lines),
    )


_LAST = ("interval of the change", "p adjusted", "n", "why")
#: Columns of words behind the numbers: they would push one another off the page on one line.
_WRAPPED = ("interval of the change", "why")


def known(text: str, evidence: Evidence, value: float | None = None) -> str:
    """Return a figure with what is behind it; where there is none, the dash that says so."""
    return text if text == NONE else evident(text, evidence, value)


def _place(key: Key, axes: Sequence[str]) -> str:
    return label({axis: level for axis, level in key.items() if axis in axes and axis != "pkg"})


def change_words(row: ComparisonRow) -> str:
    """Write a change as a factor, as all of its column are written; one that has none, as its medians."""
    compared = row.comparison
    if compared.difference.value == 0:
        return "equal"
    if math.isnan(compared.ratio.value) or compared.ratio.value <= 0:
        return " to ".join(medians(compared.baseline.median.value, compared.candidate.median.value, row.unit))
    return carried_change(compared.ratio, row.metric)


def change_cell_words(row: ComparisonRow) -> str:
    """Write a change that stays on one line, but for what stands in brackets."""
    return change_words(row).replace(" ", "\u00a0").replace("\u00a0(", " (")


def _ratio(row: ComparisonRow) -> str:
    ratio = row.comparison.ratio
    told = factor_ends(ratio.value, ratio.low, ratio.high, row.metric) if ratio.has_interval else ""
    return (
        evident(_on_lines(f"{confidence(ratio.confidence_level)}: {told}", before="to"), row.evidence, ratio.low)
        if told
        else NONE
    )


def _on_lines(text: str, *, before: str = "", after: str = "") -> str:
    """Keep words together but in one place, so that a narrow column breaks where a reader would."""
    return text.replace(" ", "\u00a0").replace(f"{after}\u00a0{before}", f"{after} {before}")


def verdict_cell(row: ComparisonRow) -> str:
    """Write a verdict that stays on one line; a control has none."""
    return "control" if row.control else row.verdict.replace(" ", "\u00a0")


def effects_table(answer: EffectsAnswer) -> Table:
    """Slopes and ratios of every model."""
    rows = []
    for model in answer.models:
        name = label(model.key)
        for slope in model.fit.slopes:
            where, behind = label(slope.slice) or NONE, slope_evidence(model, slope)
            rows.append(
                (name, model.metric, f"one more of {slope.factor}", where,
                 evident_figure(slope.estimate, behind), evident_interval(slope.estimate, behind),
                 evident(str(slope.n_cells), behind, slope.n_cells))
            )  # fmt: skip
        for ratio in model.fit.ratios:
            behind = ratio_evidence(model, ratio)
            rows.append(
                (name, model.metric, f"{ratio.factor} {ratio.level} against {ratio.baseline}", NONE,
                 evident_figure(ratio.estimate, behind),
                 evident_interval(ratio.estimate, behind),
                 evident(str(ratio.n_matched), behind, ratio.n_matched))
            )  # fmt: skip
    return table(
        "Effects of the factors",
        ("group", "metric", "effect", "at", "estimate", "interval", "cells"),
        rows,
        words=4,
    )


def cells_table(answer: EffectsAnswer) -> list[tuple[str, Table]]:
    """Every combination of levels, measured or missing, a table a group with its metrics side by side."""
    made = []
    for key in dict.fromkeys(label(model.key) for model in answer.models):
        models = [model for model in answer.models if label(model.key) == key]
        factors = list(dict.fromkeys(factor for cell in models[0].cells for factor in cell.levels))
        by_place = [
            {
                tuple(cell.levels.get(factor) for factor in factors): (cell, behind)
                for cell, behind in zip(model.cells, model.cell_evidence, strict=True)
            }
            for model in models
        ]
        places = list(by_place[0]) + [tuple(one.get(factor) for factor in factors) for one in models[0].table.missing]
        heads = [head for model in models for head in (model.metric, f"{model.metric} interval")]
        rows = [
            (
                *(str(level) for level in place),
                _cell_size(*by_place[0][place]) if place in by_place[0] else "missing",
                *(
                    text
                    for cells in by_place
                    for text in (_cell_figures(*cells[place]) if place in cells else (NONE, NONE))
                ),
            )
            for place in places
        ]
        made.append((key, table(f"{key}: every cell", (*factors, "n", *heads), rows, words=len(factors))))
    return made


def _cell_size(cell: Cell, behind: Evidence) -> Told:
    return evident(str(cell.n), behind, cell.n)


def _cell_figures(cell: Cell, behind: Evidence) -> tuple[Told, Told]:
    return evident_figure(cell.median, behind), evident_interval(cell.median, behind)


def latency_table(answer: LatencyAnswer) -> Table:
    """Percentiles of every cell."""
    names = list(dict.fromkeys(name for row in answer.rows for name in row.statistics))
    order: list[str] = [one for one in ("mean", "stdev", "min") if one in names]
    order += sorted((one for one in names if one[0] == "p" and one[1:2].isdigit()), key=percentile_share)
    order += [one for one in names if one not in order]
    return table(
        "Latency by cell (medians over runs of the statistics as reported)",
        ("configuration", "n", *order, "p99 / p50"),
        (
            (
                label(row.key),
                evident(_sizes(row), row.evidence),
                *(_statistic(row, name) for name in order),
                NONE
                if row.tail_ratio is None
                else evident(f"{row.tail_ratio:.1f}x", row.statistic_evidence["tail_ratio"], row.tail_ratio),
            )
            for row in answer.rows
        ),
    )


def _sizes(row: LatencyRow) -> str:
    sizes = sorted({sample.n for sample in row.statistics.values()})
    return str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"


def _statistic(row: LatencyRow, name: str) -> str:
    if name not in row.statistics:
        return NONE
    median = row.statistics[name].median
    return evident(show(median.value, median.unit), row.statistic_evidence[name], median.value)


def targets_table(targets: Sequence[TargetAnswer]) -> Table:
    """Targets, met or missed."""
    return table(
        "Targets",
        ("target", "bound", "worst benchmark", "verdict", "measured", "interval"),
        (
            (
                one.name,
                one.bound,
                one.benchmark or NONE,
                joined([one.status, ": ", told(one.reason, reason_evidence(one))]) if one.reason else one.status,
                evident_figure(one.sample.median, one.evidence) if one.sample else NONE,
                evident_interval(one.sample.median, one.evidence) if one.sample else NONE,
            )
            for one in targets
        ),
        words=4,
    )


def reason_evidence(target: TargetAnswer) -> Evidence:
    """Return what stands behind the reason of a verdict: a miss is counted over all cells, a doubt is of the worst."""
    return target.cells_evidence if target.status == "FAIL" else target.evidence


def spread_table(spreads: Sequence[SpreadRow]) -> Table:
    """How far cells moved between runs of the same code, widest first."""
    rows = sorted(spreads, key=lambda row: -row.spread.ratio)
    return table(
        "Spread between runs of the same code",
        ("configuration", "metric", "medians by run", "largest / smallest", "from run to run", "judgement"),
        (
            (
                label(row.key),
                metric_name(row.metric),
                evident(
                    ", ".join(show(one, row.unit, like=row.spread.centres[0]) for one in row.spread.centres),
                    row.evidence,
                ),
                evident(f"{row.spread.ratio:.2f}x", row.evidence, row.spread.ratio),
                row.spread.trend or NONE,
                "unstable" if row.unstable else "as its peers",
            )
            for row in rows
        ),
        words=3,
    )


def read_words(quality: DataQuality) -> Told:
    """Say how much was read."""
    read = f"{count(quality.rows, 'value')} from {count(len(quality.files), 'file')}."
    return told(read, quality.evidence)


def files_table(quality: DataQuality) -> Table:
    """Files read, with their hashes and what became of their lines."""
    return table(
        "Files",
        ("file", "format", "SHA-256", "rows", "data", "context", "problem", "noise"),
        (
            (
                one.source,
                one.format + (f" (also {', '.join(one.contains)})" if one.contains else ""),
                one.sha256[:16],
                f"{one.rows:,}",
                *(f"{count:,}" for count in (one.lines.data, one.lines.context, one.lines.problem, one.lines.noise)),
            )
            for one in quality.files
        ),
        words=3,
    )
