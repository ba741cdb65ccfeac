"""Figures of merit of latencies: the longest tail of each benchmark, and how far it lies from the median."""

from __future__ import annotations

from collections.abc import Iterator

from benchlib.answers.asking import Refusal
from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.grouping import label
from benchlib.report.wording.cards.card import Card, in_turns
from benchlib.report.wording.told import evident, joined, told
from benchlib.report.wording.words import evident_figure, interval


def latency_cards(summary: ExecutiveSummary) -> Iterator[Card]:
    """Tell the longest tail of each benchmark, as the verdict names the longest of all; then their next ones."""
    if isinstance(summary.latency, Refusal):
        return
    for row in in_turns(sorted(summary.latency.rows, key=lambda row: -(row.tail_ratio or 0))):
        if row.tail_ratio is not None:
            p50, p99, behind = row.statistics["p50"].median, row.statistics["p99"].median, row.statistic_evidence
            yield Card(
                label=f"p99 latency, {label(row.key)}",
                value=evident_figure(p99, behind["p99"]),
                interval=told(interval(p99), behind["p99"]),
                change="",
                target="",
                note=joined(
                    [
                        evident(f"{row.tail_ratio:.1f}x", behind["tail_ratio"], row.tail_ratio),
                        " the p50 of ",
                        evident_figure(p50, behind["p50"]),
                    ]
                ),
            )
