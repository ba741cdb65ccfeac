"""The forest plot of a comparison with its caption: what it draws, and what it leaves to the table."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.plots.comparison import drawn_nulls, drawn_rows, forest_figure
from benchlib.plots.comparison_marks import has_ratio, point_apart
from benchlib.report.wording.comparison.verdict import verdict_lines
from benchlib.report.wording.words import count, listed, metric_name
from benchlib.units import percent


def forest_of(answer: ComparisonAnswer) -> list[object]:
    """Return the forest plot, where two rows or more have a ratio."""
    drawn = drawn_rows(answer)
    if len(drawn) < 2:
        return []
    return [
        forest_figure(
            answer,
            alt=f"Ratio of candidate to baseline, row by row. {' '.join(verdict_lines(answer))}",
            caption=_forest_caption(answer, drawn),
        )
    ]


def _forest_caption(answer: ComparisonAnswer, drawn: Sequence[ComparisonRow]) -> str:
    told = f"Left of 1 the candidate's value is smaller, right of 1 larger.{arrow_words(drawn)}"
    if answer.min_effect:
        told += f" Grey ground: changes of less than {percent(answer.min_effect)}, too small to matter."
    if any(not row.comparison.ratio.has_interval for row in drawn):
        told += " No bar: too few measurements for an interval."
    if any(row.against_controls is not None for row in drawn):
        told += " Rose bars: what the machine alone could make of the row, by its controls."
    if nulls := drawn_nulls(answer):
        together = any(one.together > 1 for one in nulls)
        rows = "all rows that a control speaks for" if together else "one more row"
        told += f" Wide diamonds: where {rows} would lie if the change left {'them' if together else 'it'} alone."
    return f"{told} {drawn_words(answer, drawn)}".strip()


def arrow_words(drawn: Sequence[ComparisonRow]) -> str:
    """Say what the arrows behind names are, where there are any."""
    return " The arrow behind a name points to the better side." if point_apart(drawn) else ""


def drawn_words(answer: ComparisonAnswer, drawn: Sequence[ComparisonRow]) -> str:
    """Say which rows a figure draws, where it leaves some to the table."""
    if len(drawn) == len(answer.rows):
        return ""
    able = [row for row in answer.rows if has_ratio(row)]
    if len(drawn) == len(able):
        return f"Drawn are the {count(len(drawn), 'row')} of {len(answer.rows):,} that have a ratio."
    # Where there are too many for one figure, one metric is drawn.
    same = [row for row in able if row.metric == drawn[0].metric]
    of = f" of {metric_name(drawn[0].metric)}" if len(same) < len(able) else ""
    parts = [
        f"all {kept} {name}{of}" if kept == there else f"the {kept} of {there:,} {name}{of} furthest from 1"
        for name, control in (("rows", False), ("controls", True))
        if (there := sum(row.control is control for row in same))
        and (kept := sum(row.control is control for row in drawn))
    ]
    return f"Drawn are {listed(parts)}; the table holds every row."
