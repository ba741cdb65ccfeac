"""Figures of merit of a comparison: verdicts counted a metric, or the changes of the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from benchlib.answers.comparison import ComparisonAnswer
from benchlib.answers.grouping import place_label
from benchlib.answers.pooled import verdict_tallies
from benchlib.report.wording.cards.card import Card
from benchlib.report.wording.comparison.sentences import certainty_of, change_of, is_large, tells_throughput
from benchlib.report.wording.comparison.verdict import sides_words
from benchlib.report.wording.tables import medians_words
from benchlib.report.wording.told import told
from benchlib.report.wording.words import count, listed, metric_name

#: What `change_of` adds to a change without a verdict.
_AS_MEASURED = ", as measured"


def comparison_cards(answer: ComparisonAnswer, parallel: Sequence[str]) -> Iterator[Card]:
    """Choose figures of merit of a comparison: counts a metric where it is large, else the changes of the first."""
    if is_large(answer):
        sides = sides_words([row for row in answer.rows if not row.control]) or answer.name
        for metric, counted in verdict_tallies(answer).items():
            value, *rest = _counts(counted.counts)
            yield Card(
                label=f"{sides}: {metric_name(metric)}",
                value=told(value, counted.evidence),
                interval=told(f"of {count(counted.total, 'row')}", counted.evidence),
                change="",
                target="",
                note=told(listed(rest), counted.evidence),
            )
        return
    first = answer.rows[0]
    for row in answer.rows:
        if (row.metric, row.baseline, row.candidate) != (first.metric, first.baseline, first.candidate):
            continue
        place = place_label(row.key)
        change = change_of(row, parallel)
        told_as = metric_name("throughput" if tells_throughput(row, parallel) else row.metric)
        # In large letters the number alone; that it has no verdict stands with how sure it is.
        unproven = "as measured, " if change.endswith(_AS_MEASURED) else ""
        yield Card(
            label=f"{row.candidate} against {row.baseline}: {told_as}{f', {place}' if place else ''}",
            value=told(change.removesuffix(_AS_MEASURED), row.evidence),
            interval=told(f"{unproven}{certainty_of(row)}", row.evidence),
            change="",
            target="",
            note=told(
                " against ".join(reversed(medians_words(row))),
                row.evidence,
            ),
        )


def _counts(verdicts: Mapping[str, int]) -> list[str]:
    """Tell verdicts: differences that were shown first; what shows none by number."""
    worse, better, unsure, same = (verdicts[one] for one in ("worse", "better", "cannot tell", "same"))
    shown = ", ".join(words for number, words in ((worse, f"{worse} worse"), (better, f"{better} better")) if number)
    rest = sorted(((unsure, f"{unsure} cannot be told"), (same, f"{same} the same")), key=lambda one: -one[0])
    return [*([shown] if shown else []), *(words for number, words in rest if number)]
