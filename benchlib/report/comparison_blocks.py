"""What a page of a comparison shows of one answer: figures with their captions, sentences, tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow, comparison_evidence
from benchlib.answers.pooled import caveat_evidence
from benchlib.answers.repeatability import RepeatabilityAnswer
from benchlib.plots.comparison import drawn_rows
from benchlib.plots.comparison_pairs import pairs_figure
from benchlib.plots.comparison_percentiles import percentile_rows, percentiles_figure
from benchlib.plots.comparison_positions import positions_figure, positions_rows, repeats_adjacent
from benchlib.report.comparison_forest import arrow_words, drawn_words, forest_of
from benchlib.report.sections import SHOWN_ROWS
from benchlib.report.wording.caveats import caveat_list
from benchlib.report.wording.comparison.tables import controls_table, drifts_table, matrix_table, readings_table
from benchlib.report.wording.comparison.words import (
    changed_lines,
    control_words,
    counted_by_metric,
    order_words,
    percentile_words,
    repeats_words,
    undecided_lines,
)
from benchlib.report.wording.markup import bullets, paragraph, render_table
from benchlib.report.wording.measured_tables import spread_table
from benchlib.report.wording.told import told
from benchlib.report.wording.words import count, metric_name

#: Caveats that say whether the machine stood still.
DRIFT = frozenset(
    {
        "sequential-runs", "order-unknown", "all-moved-alike", "moved-while-recorded", "trend-in-run",
        "outliers", "environment-differs",
    }
)  # fmt: skip


def compared_of(answer: ComparisonAnswer) -> list[object]:
    """Return how many rows went which way, the rows that changed, why others cannot be told, and the forest plot."""
    behind = comparison_evidence(answer)
    blocks: list[object] = [bullets(told(line, behind) for line in counted_by_metric(answer))]
    matrix = matrix_table(answer)
    changed = changed_lines(answer)
    if matrix is not None:
        blocks.append(render_table(matrix, SHOWN_ROWS))
    elif changed:
        blocks += [paragraph("The rows that changed, the furthest first:"), bullets(changed)]
    undecided = undecided_lines(answer)
    if undecided:
        blocks += [
            paragraph("What cannot be told, and what would tell it:"),
            bullets(told(line, behind) for line in undecided),
        ]
    return [*blocks, *forest_of(answer)]


def controls_of(answer: ComparisonAnswer) -> list[object]:
    """Return what the controls did, and both readings of the rows that they speak for."""
    found = controls_table(answer)
    if found is None:
        return []
    lines = bullets(told(control_words(one), one.evidence) for one in answer.controls)
    blocks: list[object] = [lines, found]
    readings = readings_table(answer)
    if readings is not None:
        blocks.append(render_table(readings, SHOWN_ROWS))
    return blocks


def drift_of(answer: ComparisonAnswer) -> list[object]:
    """Return the order of recording, signs of drift, and every value against its place in the recording."""
    signs = [one for one in answer.caveats if one.code in DRIFT]
    shown = positions_rows(answer)
    adjacent = repeats_adjacent(answer)
    if answer.order == "unknown" and not signs and not shown and not adjacent:
        return []
    # Where the order is a caveat, the caveat says what it means.
    said = any(one.code in ("sequential-runs", "order-unknown") for one in signs)
    blocks: list[object] = [] if said else [paragraph(order_words(answer))]
    blocks += [caveat_list(signs, caveat_evidence(answer))] if signs else []
    if adjacent:
        blocks.append(
            paragraph(
                "The repeats of a row were taken one right after the other, so that a machine that drifts from row to "
                "row cannot be seen in them, and no figure of it is drawn: record in rounds, every row once a round."
            )
        )
    if shown:
        chart = positions_figure(
            answer,
            alt=f"{metric_name(shown[0].metric)} against the place in the recording. {order_words(answer)}",
            caption=_positions_caption(answer, shown),
        )
        blocks += [chart] if chart is not None else []
    return blocks


def _positions_caption(answer: ComparisonAnswer, shown: Sequence[ComparisonRow]) -> str:
    first = shown[0]
    caption = (
        f"Each value of {metric_name(first.metric)} over the median of {first.baseline} in its row. "
        "Every row was repeated all along the recording: a level line is a machine that stood still, and lines that "
        "wander together are the machine, not the code."
    )
    if any(row.control for row in shown):
        caption += " Hollow marks: controls."
    alike = sum(
        (row.metric, row.baseline, row.candidate) == (first.metric, first.baseline, first.candidate)
        for row in answer.rows
    )
    return f"{caption} {len(shown)} of {count(alike, 'row')} drawn." if len(shown) < alike else caption


def percentiles_of(answer: ComparisonAnswer) -> list[object]:
    """Return the change percentile by percentile, where percentiles were measured as metrics."""
    groups = percentile_rows(answer)
    lines = [percentile_words(rows) for rows in groups]
    chart = percentiles_figure(
        answer,
        alt=f"Ratio of candidate to baseline, percentile by percentile. {'. '.join(lines[:4])}",
        caption="Above 1 the candidate is slower at that percentile; a line that rises to the right is a longer tail."
        + ("" if any(row.comparison.ratio.has_interval for rows in groups for row in rows) else _UNBOUNDED),
    )
    return [] if chart is None else [chart, _told(lines, answer)]


def _told(lines: Iterable[str], answer: ComparisonAnswer) -> Markup:
    """Return sentences on a comparison, their numbers traced to its rows."""
    behind = comparison_evidence(answer)
    return bullets(told(line, behind) for line in lines)


_UNBOUNDED = " No bars: too few measurements for an interval."


def pairs_of(answer: ComparisonAnswer) -> list[object]:
    """Return every value of both sides, row by row."""
    drawn = drawn_rows(answer)
    ranges = [
        f"{row.baseline} {_range(row.baseline_values, row)}, {row.candidate} {_range(row.candidate_values, row)}"
        for row in drawn[:3]
    ]
    chart = pairs_figure(
        answer,
        alt=f"Every value over the baseline's median of its row. The furthest: {'; '.join(ranges)}.",
        caption="Large marks are medians, small ones single values; both over the median of the baseline."
        f"{arrow_words(drawn)} {drawn_words(answer, drawn)}".rstrip(),
    )
    return [] if chart is None else [chart]


def _range(values: Sequence[float], row: ComparisonRow) -> str:
    centre = row.comparison.baseline.median.value
    if centre <= 0:
        return f"n = {len(values)}"
    return f"{min(values) / centre:.2f}x to {max(values) / centre:.2f}x (n = {len(values)})"


def repeats_of(answer: RepeatabilityAnswer) -> list[object]:
    """Return how far runs of the same code lie apart, the worst row named."""
    drifts = drifts_table(answer)
    return [
        paragraph(repeats_words(answer)),
        *([drifts] if drifts is not None else []),
        render_table(spread_table(answer.rows), SHOWN_ROWS),
        caveat_list(answer.caveats, caveat_evidence(answer)),
    ]
