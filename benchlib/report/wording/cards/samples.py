"""Figures of merit of what was measured: medians of cells, a benchmark at a time."""

from __future__ import annotations

from collections.abc import Iterator

from benchlib.answers.asking import Refusal
from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.grouping import place_label
from benchlib.answers.samples import rank_medians
from benchlib.report.wording.cards.card import Card, in_turns
from benchlib.report.wording.told import joined, told
from benchlib.report.wording.words import evident_figure, evident_interval, metric_name


def sample_cards(summary: ExecutiveSummary) -> Iterator[Card]:
    """Tell the largest median of each benchmark; then their next ones."""
    if isinstance(summary.samples, Refusal):
        return
    ranked, left_out = rank_medians(summary.study, summary.samples)
    for row in in_turns(ranked):
        median = row.sample.median
        # Without an interval its place says how few there are.
        of = told(f"median, n = {median.n}", row.evidence) if median.has_interval else "median"
        yield Card(
            label=f"{place_label(row.key)}: {metric_name(row.metric)}",
            value=evident_figure(median, row.evidence),
            interval=evident_interval(median, row.evidence),
            change="",
            target="",
            note=joined([of, f"; {left_out}" if left_out else ""]),
        )
