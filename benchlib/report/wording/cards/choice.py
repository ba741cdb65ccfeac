"""Which figures of merit a page shows: targets that are not met, then those of the questions that lead."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from benchlib.answers.asking import Refusal
from benchlib.answers.comparison import compared_levels
from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.grouping import place_label
from benchlib.answers.pooled import tallies
from benchlib.answers.targets import TargetAnswer
from benchlib.report.wording.cards.card import Card
from benchlib.report.wording.cards.comparison import comparison_cards
from benchlib.report.wording.cards.effects import effects_cards
from benchlib.report.wording.cards.latency import latency_cards
from benchlib.report.wording.cards.samples import sample_cards
from benchlib.report.wording.cards.scaling import scaling_cards
from benchlib.report.wording.comparison.sentences import change_of
from benchlib.report.wording.headline import question_order
from benchlib.report.wording.tables import reason_evidence, target_bounds
from benchlib.report.wording.told import evident, joined, told
from benchlib.report.wording.words import count, evident_figure, evident_interval, metric_name

MOST_CARDS = 6
FEWEST_CARDS = 4
#: Cards that targets may take: the gravest ones.
MOST_TARGETS = 3
#: What `change_of` says of a row that shows nothing.
_NOTHING = ("no difference shown", "no verdict")


def cards(summary: ExecutiveSummary) -> tuple[Card, ...]:
    """Choose four to six figures of merit: targets that are not met, then those of the questions that lead.

    Where these are few, medians of what was measured make them four.
    """
    order = question_order(summary)
    compared = list(_comparison(summary))
    made = {
        "scaling": list(scaling_cards(summary)),
        "effects": []
        if isinstance(summary.effects, Refusal)
        else list(effects_cards(summary.effects, compared_levels(summary.comparisons))),
        # What shows nothing is a figure of merit only where it is the question.
        "comparison": [one for one in compared if one.value not in _NOTHING or order[0] == "comparison"],
        "latency": list(latency_cards(summary)),
    }
    # The leading question has the first three places; each other question one before any has two.
    chosen = [*_targets(summary), *made[order[0]][:3]]
    for place in range(3):
        chosen += [made[one][place] for one in order[1:] if len(made[one]) > place]
    chosen += made[order[0]][3:]
    # What was measured says more than how much was.
    chosen += islice(sample_cards(summary), max(FEWEST_CARDS - len(chosen), 0))
    chosen += _data(summary)
    return tuple(chosen[:MOST_CARDS])


def _targets(summary: ExecutiveSummary) -> Iterator[Card]:
    """Tell the targets that are missed, then those left open, each with what it changed by."""
    measured = [one for one in summary.targets if one.sample is not None and one.status in ("FAIL", "WARN")]
    measured.sort(key=lambda one: ("FAIL", "WARN").index(one.status))
    for one in measured[:MOST_TARGETS]:
        assert one.sample is not None
        found, evidence, bounds = one.sample.median, one.evidence, target_bounds(one)
        yield Card(
            label=f"{one.benchmark}: {metric_name(one.metric)}",
            value=evident_figure(found, evidence, bounds),
            interval=evident_interval(found, evidence, bounds),
            change=_change_of(one, summary),
            target=joined(
                [
                    told(f"Target {one.bound}: {one.status}", evidence),
                    told(f", {one.reason}" if one.reason else "", reason_evidence(one)),
                ]
            ),
            note=one.name,
        )


def _change_of(target: TargetAnswer, summary: ExecutiveSummary) -> str:
    """Say how the benchmark of a target changed against the baseline, where recordings are compared."""
    for answer in summary.comparisons:
        if isinstance(answer, Refusal) or answer.column != "run":
            continue
        for row in answer.rows:
            if row.metric == target.metric and place_label(row.key) == target.benchmark:
                return told(f"against {row.baseline}: {change_of(row, summary.study.parallel)}", row.evidence)
    return ""


def _data(summary: ExecutiveSummary) -> Iterator[Card]:
    quality = summary.quality
    yield Card(
        label="Measured values",
        value=evident(f"{quality.rows:,}", quality.evidence, quality.rows),
        interval=told(f"from {count(quality.sources, 'file')}", quality.evidence),
        change="",
        target="",
        note=told(f"{count(len(quality.failed), 'benchmark')} with failed calls set apart", quality.evidence)
        if quality.failed
        else "no failed call",
    )
    caveats = tallies(summary)["caveats"]
    yield Card(
        label="Caveats",
        value=evident(f"{caveats.total:,}", caveats.evidence, caveats.total),
        interval=told(count(caveats.counts["alert"], "alert"), caveats.evidence),
        change="",
        target="",
        note="each with advice, below",
    )


def _comparison(summary: ExecutiveSummary) -> Iterator[Card]:
    for answer in summary.comparisons:
        if isinstance(answer, Refusal):
            continue
        yield from comparison_cards(answer, summary.study.parallel)
