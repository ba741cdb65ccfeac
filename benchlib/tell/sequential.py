"""What rounds recorded in turn decide so far, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchlib.answers.evidence import pool
from benchlib.answers.sequential import FEWEST_TO_FORETELL, SequentialAnswer, SequentialRow
from benchlib.document.blocks import Column, Confidence, Document, Fact, Number, Table, Text
from benchlib.document.words import count, metric_words, place_words
from benchlib.study import Study
from benchlib.tell.changes import change
from benchlib.tell.lead import Lead, document_of, level_name
from benchlib.tell.sentences import say

__all__ = ["document"]

_CHANGES = ("worse", "better", "changed")


def document(answer: SequentialAnswer, study: Study) -> Document:
    """Return the document of rounds so far."""
    decided = [row for row in answer.rows if row.verdict != "go on"]
    lead = Lead(
        answer=_answer(answer, study),
        decision=_decision(answer, study),
        confidence=_confidence(answer),
        figure=None,
        facts=(
            Fact(value=(count(answer.rounds, "round"),), line=("looked at",)),
            Fact(value=(f"{len(decided):,} of {len(answer.rows):,}",), line=("comparisons decided",)),
        ),
        table=_table(answer, study),
        note=("Intervals hold at every look, each by itself; verdicts allow for looks and the number of comparisons.",),
        values={},
    )
    if answer.verdict == "go on":
        return document_of(study, lead, answer.caveats, answers=answer, status="Cannot tell")
    return document_of(study, lead, answer.caveats, answers=answer)


def _of(row: SequentialRow) -> str:
    return f"{place_words(row.key) or 'the only benchmark'}, {metric_words(row.metric)}"


def _comparisons(rows: Sequence[SequentialRow]) -> Text:
    behind = pool((row.evidence for row in rows), "comparisons counted")
    return (Number(value=float(len(rows)), evidence=behind), " comparison" if len(rows) == 1 else " comparisons")


def _answer(answer: SequentialAnswer, study: Study) -> Text:
    first = answer.rows[0]
    new, old = (level_name(study, answer.column, side) for side in (first.candidate, first.baseline))
    changed = [row for row in answer.rows if row.verdict in _CHANGES]
    if changed:
        size: Text = change(first.ratio.value, first.metric, first.evidence)
        rank = "at worst" if first.verdict == "worse" else "at most"
        return say(
            "comparison.changed", new=new, verb="changes", changed=str(len(changed)),
            n=_comparisons(answer.rows), rank=rank, where=_of(first), change=size, counts="",
        )  # fmt: skip
    if answer.verdict == "same":
        any_of: Text = ("any of ", *_comparisons(answer.rows)) if len(answer.rows) > 1 else ("the one comparison",)
        return say("comparison.same", new=new, old=old, n=any_of, counts="")
    decided = len(answer.rows) - sum(row.verdict == "go on" for row in answer.rows)
    reason: Text = (f"{count(answer.rounds, 'round')} decide {decided:,} of ", *_comparisons(answer.rows))
    return say("comparison.cannot", new=new, old=old, of="", reason=reason, counts="")


def _decision(answer: SequentialAnswer, study: Study) -> Text:
    if answer.verdict == "worse":
        first = answer.rows[0]
        return say("comparison.look", where=_of(first), new=level_name(study, answer.column, first.candidate))
    if answer.verdict != "go on":
        return say("use", verb="Stop", what="recording")
    if answer.undecidable:
        return say("not_yet", verb="decide", advice="quieten the machine, or raise --min-effect: no rounds will do")
    if answer.more is None:
        return say("use", verb="Go on", what=f"until {FEWEST_TO_FORETELL} rounds say how many decide")
    return say("use", verb="Go on", what=f"for about {count(answer.more, 'more round')}")


def _confidence(answer: SequentialAnswer) -> Confidence:
    if answer.verdict == "go on":
        return Confidence(level="none", reason=say("confidence.few", n=count(answer.rounds, "round")))
    return Confidence(level="high", reason=say("confidence.high", n=count(answer.rounds, "round")))


def _table(answer: SequentialAnswer, study: Study) -> Table:
    first = answer.rows[0]
    columns = (
        Column(head="benchmark"),
        Column(head=level_name(study, answer.column, first.baseline), kind="number"),
        Column(head=level_name(study, answer.column, first.candidate), kind="number"),
        Column(head="change", unit="ratio", kind="interval"),
        Column(head="verdict"),
    )
    rows = tuple(
        (
            _of(row),
            Number(value=row.baseline_median, unit=row.unit, evidence=row.evidence),
            Number(value=row.candidate_median, unit=row.unit, evidence=row.evidence),
            _size(row),
            _phrase(row, answer.min_effect),
        )
        for row in answer.rows
    )
    return Table(caption="What the rounds decide so far", columns=columns, rows=rows)


def _size(row: SequentialRow) -> Number | None:
    if not math.isfinite(row.ratio.value):
        return None
    ends = (row.ratio.low - 1, row.ratio.high - 1) if math.isfinite(row.ratio.high) else (None, None)
    return Number(value=row.ratio.value - 1, unit="ratio", low=ends[0], high=ends[1], evidence=row.evidence)


def _phrase(row: SequentialRow, limit: float) -> str:
    if row.verdict in _CHANGES:
        return f"{row.verdict}, stop"
    if row.verdict == "same":
        return f"no change beyond {100 * limit:g}%, stop"
    if row.more is None:
        return "undecided: no rounds will do" if row.rounds >= FEWEST_TO_FORETELL else "go on"
    return f"go on: about {count(row.more, 'more round')}"
