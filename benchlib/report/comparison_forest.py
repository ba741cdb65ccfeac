"""The forest plot of a comparison with its caption: what it draws, and what it leaves to the table."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.plots.comparison import drawn_nulls, drawn_rows, forest_figure
from benchlib.report.wording.comparison.verdict import verdict_lines
from benchlib.report.wording.words import count, metric_name
from benchlib.units import percent

__all__ = ["drawn_words", "forest_of"]


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
    told = "Left of 1 the candidate's value is smaller, right of 1 larger."
    if answer.min_effect:
        told += f" Grey ground: changes of less than {percent(answer.min_effect)}, too small to matter."
    if any(not row.comparison.ratio.has_interval for row in drawn):
        told += " No bar: too few measurements for an interval."
    if any(row.against_controls is not None for row in drawn):
        told += " Rose bars: what the machine alone could make of the row, by its controls."
    if drawn_nulls(answer):
        told += " Wide diamonds: where more untouched benchmarks would lie, by each control."
    return f"{told} {drawn_words(answer, drawn)}".strip()


def drawn_words(answer: ComparisonAnswer, drawn: Sequence[ComparisonRow]) -> str:
    """Say which rows a figure draws, where it leaves some to the table."""
    if len(drawn) == len(answer.rows):
        return ""
    if len({row.metric for row in drawn}) == len({row.metric for row in answer.rows}):
        return f"{len(drawn)} of {count(len(answer.rows), 'row')} have a ratio."
    return f"Drawn are the {len(drawn)} rows of {metric_name(drawn[0].metric)} furthest from 1; the table holds all."
