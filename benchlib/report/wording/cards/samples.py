"""Figures of merit of what was measured: medians of cells, a benchmark at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.grouping import label
from benchlib.answers.refusal import Refusal
from benchlib.answers.samples import rank_medians
from benchlib.report.wording.cards.card import Card
from benchlib.report.wording.told import joined, told
from benchlib.report.wording.words import evident_figure, evident_interval, metric_name

__all__ = ["sample_cards"]


def sample_cards(summary: ExecutiveSummary) -> Iterator[Card]:
    """Tell the largest median of each benchmark; then their next ones."""
    if isinstance(summary.samples, Refusal):
        return
    told_of = Counter[str]()
    places = []
    ranked, left_out = rank_medians(summary.study, summary.samples)
    for row in ranked:
        name = str(row.key.get("benchmark", ""))
        told_of[name] += 1
        places.append((told_of[name], row))
    for _, row in sorted(places, key=lambda place: place[0]):
        place = label({axis: level for axis, level in row.key.items() if axis != "pkg"})
        median = row.sample.median
        # Without an interval its place says how few there are.
        of = told(f"median, n = {median.n}", row.evidence) if median.has_interval else "median"
        yield Card(
            label=f"{place}: {metric_name(row.metric)}",
            value=evident_figure(median, row.evidence),
            interval=evident_interval(median, row.evidence),
            change="",
            target="",
            note=joined([of, f"; {left_out}" if left_out else ""]),
        )
