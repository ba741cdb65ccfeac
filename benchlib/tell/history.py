"""A history of versions: which benchmarks changed for good, and since which version."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib.answers.evidence import pool
from benchlib.answers.history import HistoryAnswer, HistoryRow
from benchlib.document.blocks import Column, Confidence, Fact, Fold, Number, Table, Text
from benchlib.document.words import count, place_words
from benchlib.tell.changes import change, measured, noun
from benchlib.tell.lead import Lead
from benchlib.tell.sentences import say

_MOST_ROWS = 30


def lead(answer: HistoryAnswer) -> Lead:
    """Return what a page that leads with a history says first."""
    changed = [row for row in answer.rows if row.changed]
    return Lead(
        answer=_answer(answer),
        decision=_decision(changed),
        confidence=Confidence(
            level="medium", reason=("machines of a history change too, and neighbouring recordings share noise.",)
        ),
        figure=None,
        facts=tuple(
            Fact(value=_change(row), line=(f"{_place(row, answer)}, since {row.since}",)) for row in changed[:3]
        ),
        table=_table(answer),
        note=("A change for good: the medians before and after differ by 5% or more, beyond chance (Pettitt 1979).",),
        values={},
    )


def finding(answer: HistoryAnswer) -> Fold:
    """Return the history as one line that opens."""
    return Fold(line=_answer(answer), blocks=(_table(answer),), anchor="history")


def _answer(answer: HistoryAnswer) -> Text:
    changed = [row for row in answer.rows if row.changed]
    behind = pool([row.evidence for row in answer.rows[:_MOST_ROWS]], "series of the history")
    n = Number(value=float(len(answer.rows)), evidence=behind)
    versions = count(answer.versions, "version")
    if not changed:
        return say("history", some="None", n=n, versions=versions, most="")
    row = changed[0]
    most: Text = (f", most {_place(row, answer)}: ", *_change(row), f" since {row.since}")
    some = Number(value=float(len(changed)), evidence=behind)
    return say("history", some=some, n=n, versions=versions, most=most)


def _change(row: HistoryRow) -> Text:
    return change(row.after / row.before, row.metric, row.evidence)


def _place(row: HistoryRow, answer: HistoryAnswer) -> str:
    apart = {
        axis: level for axis, level in row.key.items() if any(other.key.get(axis) != level for other in answer.rows)
    }
    return place_words(apart or row.key) or noun(row.metric)


def _decision(changed: Sequence[HistoryRow]) -> Text:
    if not changed:
        return say("use", verb="Keep", what="recording every version")
    return say("use", verb="Look at", what=f"version {changed[0].since} first")


def _table(answer: HistoryAnswer) -> Table:
    columns = (
        Column(head="what"),
        Column(head="before", kind="number"),
        Column(head="after", kind="number"),
        Column(head="change"),
        Column(head="since version"),
    )
    rows = tuple(
        (
            f"{_place(row, answer)}, {noun(row.metric)}",
            measured(row.before, row.unit, row.evidence),
            measured(row.after, row.unit, row.evidence),
            "for good" if row.changed else "none beyond chance",
            row.since if row.changed else "",
        )
        for row in answer.rows[:_MOST_ROWS]
    )
    more = f"; {len(answer.rows) - len(rows):,} more in answers.json" if len(answer.rows) > len(rows) else ""
    return Table(caption=f"Changes for good, the largest first{more}", columns=columns, rows=rows)
