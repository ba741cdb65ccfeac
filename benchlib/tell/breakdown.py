"""Where the time goes: the parts of a whole, and what workers gain or lose together.

Shares of a whole are told only where the study trusts the rows behind them: a busy machine, rows that are kept out of
scaling, or parts whose sizes nothing pins down make one sentence that says so.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence

from benchlib.answers.asking import Refusal
from benchlib.answers.bottleneck import BottleneckAnswer, BottleneckRow
from benchlib.answers.effects import BreakdownAnswer
from benchlib.answers.evidence import pool
from benchlib.answers.pooled import twins_evidence
from benchlib.document.blocks import Block, Column, Figure, Fold, Number, Panel, Paragraph, Table, Text
from benchlib.document.numbers import number
from benchlib.document.words import axis_words, count, level_words, metric_words, plain_name
from benchlib.effects.breakdown import PartShare
from benchlib.figures.effects import level_bars
from benchlib.study import Study
from benchlib.tell.sentences import say

_KNOWN = {"measured": "measured by itself", "profiled": "from a profile", "estimated": "the author's estimate"}
#: A share whose interval is wider than this part of the whole says nothing.
_WIDEST = 0.5
_DIGITS = 2


def finding(
    breakdowns: Sequence[BreakdownAnswer], twins: BottleneckAnswer | Refusal | None, study: Study, doubt: str = ""
) -> Block | None:
    """Return where the time goes as one line that opens; ``doubt`` says why no time of the study can be trusted."""
    refusals = {answer.name: doubt or _why_unusable(answer, study) for answer in breakdowns}
    usable = [answer for answer in breakdowns if not refusals[answer.name]]
    rows = [] if twins is None or isinstance(twins, Refusal) or doubt else list(twins.rows)
    blocks: list[Block] = []
    lines: list[Text] = []
    gain = _second_worker(rows, twins.axis) if rows and isinstance(twins, BottleneckAnswer) else None
    if gain is not None and isinstance(twins, BottleneckAnswer):
        lines.append(gain)
        blocks.append(_workers_table(rows, twins.axis))
    if usable:
        part = _largest(usable[0])
        share = _share(usable[0], part.share.value)
        lines.append(say("breakdown.parts", part=plain_name(part.name), share=share, whole=plain_name(usable[0].whole)))
        blocks += [_figure(usable[0]), _parts_table(usable)]
    refused = [name for name, reason in refusals.items() if reason]
    if refused:
        whole = next(answer.whole for answer in breakdowns if answer.name == refused[0])
        what = f"Where {plain_name(whole)} spends its time"
        sentence = say("not_judged", what=what, reason=refusals[refused[0]])
        if not lines:
            return Paragraph(text=sentence)
        blocks.append(Paragraph(text=sentence, muted=True))
    if not lines:
        return None
    return Fold(line=lines[0] if len(lines) == 1 else (*lines[0], " ", *lines[1]), blocks=tuple(blocks), anchor="parts")


# ---- parts of a whole ----


def _why_unusable(answer: BreakdownAnswer, study: Study) -> str:
    """Say why the shares of a whole are not told; empty where they are."""
    if answer.left_out:
        return answer.left_out
    load = str(study.environment.get("load", ""))
    if "busy" in load.lower():
        return f"the machine was {load}"
    for part in (part for _, broken in answer.cells for part in broken.parts):
        share = part.share
        if math.isfinite(share.high - share.low) and (share.high - share.low > _WIDEST or share.high > 1):
            return f"runs differ so much that {plain_name(part.name)} could be nearly any share"
    return ""


def _parts(answer: BreakdownAnswer) -> dict[str, list[PartShare]]:
    parts: dict[str, list[PartShare]] = {}
    for _, broken in answer.cells:
        for part in broken.parts:
            parts.setdefault(part.name, []).append(part)
    return parts


def _middle(parts: Sequence[PartShare]) -> float:
    return statistics.median(part.share.value for part in parts)


def _largest(answer: BreakdownAnswer) -> PartShare:
    """Return the part with the largest share over the cells, in the middle cell of it."""
    parts = max(_parts(answer).values(), key=_middle)
    return sorted(parts, key=lambda part: part.share.value)[len(parts) // 2]


def _share(answer: BreakdownAnswer, value: float) -> Number:
    return Number(value=value, unit="ratio", digits=_DIGITS, evidence=answer.evidence)


def _figure(answer: BreakdownAnswer) -> Figure:
    rest = statistics.median(broken.rest.value for _, broken in answer.cells)
    shares = {plain_name(name): (_middle(parts), _KNOWN[parts[0].source]) for name, parts in _parts(answer).items()}
    rows = [(name, _share(answer, share), (), known) for name, (share, known) in shares.items()]
    if rest > 0:
        rows.append(("no part explains it", _share(answer, rest), (), "what is left"))
    largest = _largest(answer)
    share = _share(answer, largest.share.value)
    whole = plain_name(answer.whole)
    return Figure(
        finding=say("breakdown.parts", part=plain_name(largest.name), share=share, whole=whole),
        panels=(Panel(chart=level_bars(rows)),),
        alt=f"The parts of {whole}.",
        note=f"share of the {metric_words(answer.metric)} of {whole}",
    )


def _parts_table(answers: Sequence[BreakdownAnswer]) -> Table:
    """Return the parts of each whole, the largest first; over several cells the middle one and the range."""
    rows = []
    for answer in answers:
        where = ", ".join(str(level) for level in answer.key.values())
        of = f"{plain_name(answer.whole)}{f', {where}' if where else ''}"
        for name, parts in sorted(_parts(answer).items(), key=lambda item: -_middle(item[1])):
            values = [part.share.value for part in parts]
            if len(parts) == 1:
                shown = number(parts[0].share, answer.evidence)
            else:
                shown = Number(
                    value=_middle(parts), unit="ratio", low=min(values), high=max(values), evidence=answer.evidence
                )
            rows.append((of, plain_name(name), _KNOWN[parts[0].source], shown, shown))
    several = any(len(answer.cells) > 1 for answer in answers)
    return Table(
        caption="Parts and their shares",
        columns=(
            Column(head="of"),
            Column(head="part"),
            Column(head="known how"),
            Column(head="share", unit="ratio", kind="number"),
            Column(head="range over configurations" if several else "95% interval", unit="ratio", kind="interval"),
        ),
        rows=tuple(rows),
    )


# ---- workers ----


def _steps(rows: Sequence[BottleneckRow]) -> Iterator[tuple[BottleneckRow, BottleneckRow]]:
    """Give one worker and the next level of each configuration."""
    alone = {(row.serial, str(row.key)): row for row in rows if row.concurrency == 1}
    for row in sorted(rows, key=lambda row: row.concurrency):
        first = alone.pop((row.serial, str(row.key)), None) if row.concurrency > 1 else None
        if first is not None:
            yield first, row


def _second_worker(rows: Sequence[BottleneckRow], axis: str) -> Text | None:
    """Say what more workers add where one already does more than a serial call; else what workers lose together."""
    steps = [(first, after) for first, after in _steps(rows) if first.verdict == "more than ideal"]
    if steps:
        evidence = pool(
            [twins_evidence(first, after) for first, after in steps],
            "throughput of the larger level over that of one worker, and of one worker times the serial time, "
            "the medians over configurations",
        )
        gain = statistics.median(after.loss.measured.value / first.loss.measured.value - 1 for first, after in steps)
        cores = statistics.median(1 - first.loss.share_lost.value for first, _ in steps)
        level = steps[0][1].concurrency
        worker = axis_words(axis, several=False)
        return say(
            "breakdown.worker",
            more=f"a second {worker}" if level == 2 else level_words(axis, level),
            verb="adds" if level == 2 else "add",
            gain=Number(value=gain, unit="ratio", digits=_DIGITS, evidence=evidence),
            cores=Number(value=cores, digits=_DIGITS, evidence=evidence),
        )
    lost = [row for row in rows if row.verdict == "lost" and row.concurrency > 1]
    if not lost:
        return None
    worst = max(lost, key=lambda row: row.loss.share_lost.value)
    share = Number(value=worst.loss.share_lost.value, unit="ratio", digits=_DIGITS, evidence=twins_evidence(worst))
    return say("breakdown.lost", level=level_words(axis, worst.concurrency), share=share)


def _workers_table(rows: Sequence[BottleneckRow], axis: str) -> Table:
    """Return each configuration under more than one worker, held against as many serial calls."""
    shown = []
    apart = [name for name in rows[0].key if len({str(row.key.get(name)) for row in rows}) > 1]
    for row in rows:
        if row.concurrency > 1:
            evidence = twins_evidence(row)
            share = number(row.loss.share_lost, evidence)
            place = [plain_name(row.serial), *(str(row.key[name]) for name in apart if name in row.key)]
            shown.append(
                (
                    ", ".join(place),
                    f"{row.concurrency:g}",
                    number(row.loss.ideal, evidence),
                    number(row.loss.measured, evidence),
                    share,
                    share,
                )
            )
    unit = rows[0].loss.measured.unit
    return Table(
        caption=f"Workers against as many serial calls ({count(len(shown), 'configuration')})",
        columns=(
            Column(head="of"),
            Column(head=axis_words(axis), kind="number"),
            Column(head="serial calls alone", unit=unit, kind="number"),
            Column(head="measured", unit=unit, kind="number"),
            Column(head="lost", unit="ratio", kind="number"),
            Column(head="95% interval", unit="ratio", kind="interval"),
        ),
        rows=tuple(shown),
    )
