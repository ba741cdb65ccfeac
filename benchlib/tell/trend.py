"""Runs of commit after commit: what changed, since which run, how sure that is, and what stayed."""

from __future__ import annotations

import math
from collections.abc import Iterator

from benchlib.answers.asking import Refusal
from benchlib.answers.evidence import pool
from benchlib.answers.trend import Finding, Trend, TrendAnswer
from benchlib.document.blocks import (
    Block,
    Cell,
    Column,
    Confidence,
    Document,
    Fact,
    Figure,
    Fold,
    List,
    Number,
    Section,
    Table,
    Text,
)
from benchlib.document.words import count, listed, place_words
from benchlib.figures.trend import series_figure, trend_figure
from benchlib.study import Study
from benchlib.tell.changes import change, measured, noun
from benchlib.tell.lead import Lead, document_of, refused
from benchlib.tell.sentences import say

__all__ = ["document"]

#: Rows of a table, and names in a row, that are read.
_MOST_ROWS, _MOST_NAMES = 30, 2
#: Letters of a name that a headline has room for.
_ROOM = 40
#: Series of a finding that are drawn, and findings whose series are.
_DRAWN, _SHOWN = 3, 3


def document(answer: TrendAnswer | Refusal, study: Study) -> Document:
    """Return the document of a history of runs."""
    if isinstance(answer, Refusal):
        return document_of(study, refused(answer.reason, answer.advice), (), answers=answer)
    sections = (
        Section(title="Series of the largest changes", anchor="series", blocks=tuple(_drawn(answer))),
        Section(title="Drifts", anchor="drifts", blocks=_drifts(answer)),
        Section(title="Taken back", anchor="withdrawn", blocks=_withdrawn(answer)),
        Section(title="What would have been seen", anchor="visible", blocks=(_visible(answer),)),
        Section(title="Not judged", anchor="unjudged", blocks=_unjudged(answer)),
    )
    return document_of(
        study,
        lead(answer),
        answer.caveats,
        folded=[section for section in sections if section.blocks],
        answers=answer,
    )


def lead(answer: TrendAnswer) -> Lead:
    """Return what a page that leads with a history says first."""
    by_code = [finding for finding in answer.findings if finding.cause == "code"]
    largest = max(by_code or answer.findings, key=_size, default=None)
    return Lead(
        answer=_answer(answer, largest),
        decision=_decision(answer, largest),
        confidence=_confidence(largest),
        figure=_figure(answer, largest),
        facts=tuple(_facts(answer, largest)),
        table=_table(answer) if answer.findings else None,
        values={},
    )


def finding(answer: TrendAnswer) -> Fold:
    """Return the history as one line that opens."""
    told = lead(answer)
    blocks: list[Block] = [block for block in (told.figure, told.table) if block is not None]
    return Fold(line=told.answer, blocks=tuple(blocks), anchor="trend")


# The first screen -----------------------------------------------------------------------------------------------------


def _answer(answer: TrendAnswer, largest: Finding | None) -> Text:
    behind = pool([trend.evidence for trend in answer.trends[:_MOST_ROWS]], "series of the history")
    steady = Number(value=float(answer.steady), evidence=behind)
    n = Number(value=float(len(answer.trends)), evidence=behind)
    some = count(len(answer.findings), "change") if answer.findings else "No change"
    alike = sum(finding.cause == "machine" for finding in answer.findings)
    machine = f", {'one' if alike == 1 else alike} of them as much machine as code" if alike else ""
    most: Text = ()
    if largest is not None:
        before = ": " if len(answer.findings) == 1 else ", the largest "
        most = (before, f"{_short(largest)}, ", *_change(largest), f" since {answer.runs[largest.at]}")
    return say("trend", some=some, runs=count(len(answer.runs), "run"), machine=machine, most=most, steady=steady, n=n)


def _decision(answer: TrendAnswer, largest: Finding | None) -> Text:
    if largest is None:
        return say("use", verb="Keep", what="recording every version")
    if largest.cause == "machine":
        return say(
            "not_yet", verb="blame the code", advice=f"measure the version before {answer.runs[largest.at]} again"
        )
    if largest.state == "provisional":
        return say("not_yet", verb="decide", advice="wait for two more runs, or repeat the last")
    return say("use", verb="Look at", what=f"{_span(answer, largest)} first")


def _confidence(largest: Finding | None) -> Confidence:
    if largest is None:
        return Confidence(level="medium", reason=("what is smaller than the noise of a series is not seen.",))
    if largest.cause == "machine":
        return Confidence(level="low", reason=("half of all series moved at once.",))
    change = largest.members[0][1]
    runs = count(change.runs_after, "run")
    if largest.state == "provisional":
        return Confidence(level="low", reason=(f"only {runs} since.",))
    if min(change.runs_before, change.runs_after) < 20:
        return Confidence(level="medium", reason=(f"{count(change.runs_before, 'run')} before and {runs} since.",))
    return Confidence(level="high", reason=(f"{count(change.runs_before, 'run')} before and {runs} since.",))


def _figure(answer: TrendAnswer, largest: Finding | None) -> Figure | None:
    if largest is None:
        return None
    if len(answer.findings) > 2:
        return trend_figure(answer, (f"{count(len(answer.findings), 'change')} over {count(len(answer.runs), 'run')}",))
    said: Text = (f"{_short(largest)}: ", *_change(largest), f" since {answer.runs[largest.at]}")
    return series_figure(answer, largest, said)


def _facts(answer: TrendAnswer, largest: Finding | None) -> Iterator[Fact]:
    if largest is None:
        return
    first = sorted(answer.findings, key=lambda finding: (finding.cause == "machine", -_size(finding)))
    for finding in first[:3]:
        yield Fact(value=_change(finding), line=(f"{_who(finding)}, since {_when(answer, finding)}",))


# Findings as a table --------------------------------------------------------------------------------------------------


def _table(answer: TrendAnswer) -> Table:
    columns = (
        Column(head="since"),
        Column(head="what"),
        Column(head="change"),
        Column(head="95% interval", kind="interval"),
        Column(head="for"),
        Column(head="cause"),
        Column(head="state"),
        Column(head="may lie at"),
    )
    rows = tuple(_row(answer, finding) for finding in answer.findings[:_MOST_ROWS])
    more = f"; {len(answer.findings) - len(rows):,} more in answers.json" if len(answer.findings) > len(rows) else ""
    return Table(caption=f"Changes, the latest first{more}", columns=columns, rows=rows)


def _row(answer: TrendAnswer, finding: Finding) -> tuple[Cell, ...]:
    trend, change = finding.members[0]
    ratio = change.ratio
    size = Number(
        value=ratio.value - 1, unit="ratio", low=ratio.low - 1, high=ratio.high - 1, digits=2, evidence=trend.evidence
    )
    way = "" if finding.worse is None else "the worse" if finding.worse else "the better"
    cause = "as much machine or toolchain as code" if finding.cause == "machine" else "code, as far as recorded"
    return (
        _when(answer, finding), _who(finding), _change(finding), size, way, cause, finding.state, _span(answer, finding)
    )  # fmt: skip


def _change(finding: Finding) -> Text:
    trend, largest = finding.members[0]
    return change(largest.ratio.value, trend.metric, trend.evidence)


def _who(finding: Finding) -> str:
    """Name the series of a finding, the largest change first."""
    names = list(dict.fromkeys(_name(trend) for trend, _ in finding.members))
    more = len(names) - _MOST_NAMES
    return listed(names) if more <= 0 else f"{names[0]} and {len(names) - 1:,} more"


def _short(finding: Finding) -> str:
    """Name the series of a finding where a headline has room for it, else say how many they are."""
    names = {_name(trend) for trend, _ in finding.members}
    if len(names) == 1 and len(name := names.pop()) <= _ROOM:
        return name
    return count(len(finding.members), "series", "series") + (" at once" if len(finding.members) > 1 else "")


def _name(trend: Trend) -> str:
    return place_words(trend.key) or noun(trend.metric)


def _when(answer: TrendAnswer, finding: Finding) -> str:
    run = answer.runs[finding.at]
    return f"{run} ({answer.times[finding.at]})" if answer.times else run


def _span(answer: TrendAnswer, finding: Finding) -> str:
    """Name the runs that hold a change: one of them began it."""
    if finding.first == finding.last:
        return answer.runs[finding.first]
    return f"{answer.runs[finding.first]} to {answer.runs[finding.last]}"


def _size(finding: Finding) -> float:
    return abs(math.log(finding.members[0][1].ratio.value))


# What is folded -------------------------------------------------------------------------------------------------------


def _drawn(answer: TrendAnswer) -> Iterator[Block]:
    """Yield the series of the largest changes; an only one is drawn at the head of the page."""
    if len(answer.findings) == 1:
        return
    for finding in sorted(answer.findings, key=_size, reverse=True)[:_SHOWN]:
        yield series_figure(
            answer, finding, (f"{_who(finding)}: ", *_change(finding), f" since {_when(answer, finding)}")
        )


def _drifts(answer: TrendAnswer) -> tuple[Block, ...]:
    items = []
    for trend in answer.trends:
        for drift in trend.course.drifts:
            first, last = answer.runs[trend.runs[drift.first]], answer.runs[trend.runs[drift.last]]
            start, end = (measured(value, trend.unit, trend.evidence) for value in (drift.start, drift.end))
            items.append((f"{_name(trend)}: from ", start, f" at {first} to ", end, f" at {last}"))
    return (List(items=tuple(items[:_MOST_ROWS])),) if items else ()


def _withdrawn(answer: TrendAnswer) -> tuple[Block, ...]:
    items = []
    for trend in answer.trends:
        for taken in trend.withdrawn:
            items.append(
                (f"{_name(trend)}: ", *change(taken.ratio.value, trend.metric, trend.evidence),
                 f" since {answer.runs[trend.runs[taken.at]]}, which the runs after it do not bear out")
            )  # fmt: skip
    return (List(items=tuple(items[:_MOST_ROWS])),) if items else ()


def _visible(answer: TrendAnswer) -> Table:
    """Return the smallest step that the noise of each series would have shown, the noisiest first."""
    columns = (
        Column(head="series"),
        Column(head="noise of a run", unit="ratio", kind="number"),
        Column(head="seen within 3 runs", unit="ratio", kind="number"),
        Column(head="within 10 runs", unit="ratio", kind="number"),
    )
    ordered = sorted(answer.trends, key=lambda trend: -trend.course.noise)[:_MOST_ROWS]
    rows: list[tuple[Cell, ...]] = []
    for trend in ordered:
        shares = (trend.course.noise, trend.course.visible(3), trend.course.visible(10))
        cells = (Number(value=share, unit="ratio", digits=2, evidence=trend.evidence) for share in shares)
        rows.append((f"{_name(trend)}, {noun(trend.metric)}" if trend.key else noun(trend.metric), *cells))
    more = f", of {len(answer.trends):,}" if len(answer.trends) > len(rows) else ""
    caption = f"The smallest step that would have been told, the noisiest series first{more}"
    return Table(caption=caption, columns=columns, rows=tuple(rows))


def _unjudged(answer: TrendAnswer) -> tuple[Block, ...]:
    items = [(f"{place_words(key)}: too few runs, or values of 0",) for key in answer.short[:_MOST_ROWS]]
    items += [(f"{place_words(key)}: not among the last five runs",) for key in answer.stopped[:_MOST_ROWS]]
    return (List(items=tuple(items)),) if items else ()
