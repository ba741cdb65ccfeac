"""How far runs of the same code lie apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import median

from benchlib.answers.evidence import pool
from benchlib.answers.repeatability import RepeatabilityAnswer
from benchlib.document.blocks import Cell, Column, Confidence, Document, Fact, List, Number, Section, Table, Text
from benchlib.document.numbers import number
from benchlib.document.words import count, metric_words, place_words
from benchlib.figures.spreads import spread_figure
from benchlib.study import Study
from benchlib.tell.lead import Lead, document_of
from benchlib.tell.sentences import say

__all__ = ["document"]

#: Where chance alone puts more rows than this into an order, it is said.
_RARE = 0.05
#: A spread below this is what quiet machines have.
_QUIET = 1.05
#: Fewer runs show no order.
_FEWEST = 3


def document(answer: RepeatabilityAnswer, study: Study) -> Document:
    """Return the document of repeated runs."""
    rows = sorted(answer.rows, key=lambda row: row.spread.ratio)
    worst, middle = rows[-1], median(row.spread.ratio for row in rows)
    behind = pool((row.evidence for row in rows), "median over the rows of the largest run over the smallest")
    ratios = [
        Number(value=value, unit="x", digits=3, bare=True, evidence=evidence)
        for value, evidence in ((middle, behind), (worst.spread.ratio, worst.evidence))
    ]
    few = _by_chance(answer) > _RARE
    lead = Lead(
        answer=say(
            "repeat",
            runs=count(len(answer.runs), "run"),
            rows=f"{count(len(rows), 'benchmark')} typically {'differs' if len(rows) == 1 else 'differ'}",
            middle=ratios[0],
        ),
        decision=_decision(ratios[0]),
        confidence=Confidence(
            level="low" if len(answer.runs) < _FEWEST else "medium" if few else "high", reason=_reason(answer)
        ),
        figure=spread_figure(rows),
        facts=(
            Fact(value=(ratios[0], " times"), line=("largest over smallest run, median",)),
            Fact(value=(ratios[1], " times"), line=(f"at most, {_place(worst.key)}: {metric_words(worst.metric)}",)),
        ),
        table=_table(answer),
        values={},
    )
    drift = tuple(_drift(answer))
    noise = Section(title="Where the noise is", anchor="noise", blocks=_noise(answer))
    together = Section(title="All benchmarks of a run together", anchor="drift", blocks=(List(items=drift),))
    return document_of(study, lead, answer.caveats, folded=(noise, together) if drift else (noise,), answers=answer)


def _place(key: Mapping[str, object]) -> str:
    return place_words(key) or "the only benchmark"


def _decision(middle: Number) -> Text:
    """Say which changes mean something on this machine."""
    if middle.value < _QUIET:
        return say("use", verb="Trust", what=("changes beyond ", middle, "-fold"))
    advice: Text = ("changes below ", middle, "-fold mean nothing")
    return say("not_yet", verb="compare on this machine", advice=advice)


def _by_chance(answer: RepeatabilityAnswer) -> float:
    """Return the share of rows that chance alone puts into an order: of three runs one row in three."""
    runs = [len(row.runs) for row in answer.rows if row.spread.trend]
    return 2 / math.factorial(min(runs)) if runs else 0.0


def _reason(answer: RepeatabilityAnswer) -> Text:
    """Say how often runs that only scatter rise or fall, where that is often."""
    if (share := _by_chance(answer)) > _RARE:
        fewest = min(len(row.runs) for row in answer.rows if row.spread.trend)
        doubt = f"1 row in {1 / share:.0f} rises or falls throughout by chance alone"
        return say("confidence.bias", n=str(fewest), doubt=doubt)
    return say("confidence.high" if len(answer.runs) >= _FEWEST else "confidence.few", n=str(len(answer.runs)))


def _table(answer: RepeatabilityAnswer) -> Table:
    columns = (
        Column(head="benchmark"),
        Column(head="metric"),
        *(Column(head=run, kind="number") for run in answer.runs),
        Column(head="largest over smallest", unit="x", kind="number"),
        Column(head="drift"),
    )
    rows: list[tuple[Cell, ...]] = []
    for row in sorted(answer.rows, key=lambda row: -row.spread.ratio):
        medians = dict(zip(row.runs, row.spread.centres, strict=True))
        cells: list[Cell] = [
            Number(value=medians[run], unit=row.unit, evidence=row.evidence) if run in medians else None
            for run in answer.runs
        ]
        ratio = Number(value=row.spread.ratio, unit="x", evidence=row.evidence)
        apart = "stands out" if row.unstable else row.spread.trend
        rows.append((_place(row.key), metric_words(row.metric), *cells, ratio, apart))
    return Table(caption="Median of each run, the widest spread first", columns=columns, rows=tuple(rows))


def _noise(answer: RepeatabilityAnswer) -> tuple[Table, ...]:
    """Tell what runs add to the noise, and what more runs and values would buy."""
    single = len(answer.noise.parts) == 1
    names = {"run": "runs, the noise of their one value included" if single else "runs", "value": "values within a run"}
    parts = tuple(
        (names[part.name], Number(value=part.sd, unit="ratio", low=part.low, high=part.high))
        for part in answer.noise.parts
    )
    differ = Column(head="differ by (standard deviation)", unit="ratio", kind="interval")
    present = {part.name: round(part.repeats) for part in answer.noise.parts}
    more = {"as now": present} | {
        f"twice the {name}s": present | {name: 2 * repeats} for name, repeats in present.items()
    }
    errors = tuple((words, Number(value=answer.noise.error(repeats), unit="ratio")) for words, repeats in more.items())
    return (
        Table(caption="What the benchmarks' noise is made of", columns=(Column(head=""), differ), rows=parts),
        Table(
            caption="What repeating buys",
            columns=(Column(head=""), Column(head="standard error of a benchmark", unit="ratio", kind="number")),
            rows=errors,
        ),
    )


def _drift(answer: RepeatabilityAnswer) -> list[Text]:
    return [
        (
            f"{drift.run} over the first run in {metric_words(drift.metric)}: ",
            number(drift.ratio),
            f", {drift.rising} up and {drift.falling} down",
        )
        for drift in answer.drifts
    ]
