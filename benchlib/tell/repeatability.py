"""How far runs of the same code lie apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import median

from benchlib.answers.evidence import pool
from benchlib.answers.noise import NoiseRow
from benchlib.answers.repeatability import RepeatabilityAnswer
from benchlib.document.blocks import Cell, Column, Confidence, Document, Fact, List, Number, Section, Table, Text
from benchlib.document.numbers import number
from benchlib.document.words import count, metric_words, place_words
from benchlib.figures.spreads import spread_figure
from benchlib.study import Study
from benchlib.tell.lead import NOISY, Lead, confidence_in, document_of
from benchlib.tell.noise import fold
from benchlib.tell.sentences import say

__all__ = ["document"]

#: Where chance alone puts more rows than this into an order, it is said.
_RARE = 0.05
#: What lowers the confidence however many runs there are.
_BIASES = (NOISY, "unstable-runs")
#: On a quiet machine noise explains no larger change.
_QUIET = 0.10


def document(answer: RepeatabilityAnswer, study: Study) -> Document:
    """Return the document of repeated runs."""
    rows = sorted(answer.rows, key=lambda row: row.spread.ratio)
    worst, middle = rows[-1], median(row.spread.ratio for row in rows)
    behind = pool((row.evidence for row in rows), "median over the rows of the largest run over the smallest")
    ratios = [
        Number(value=value, unit="x", digits=3, bare=True, evidence=evidence)
        for value, evidence in ((middle, behind), (worst.spread.ratio, worst.evidence))
    ]
    usual = _usual_noise(answer)
    limit = _limit(usual)
    shared = f"; {count(usual.benchmarks, 'benchmark')} share it" if usual.benchmarks > 1 else ""
    lead = Lead(
        answer=say(
            "repeat",
            runs=count(len(answer.runs), "run"),
            rows=f"{count(len(rows), 'benchmark')} typically {'differs' if len(rows) == 1 else 'differ'}",
            middle=ratios[0],
        ),
        decision=_decision(limit),
        confidence=_confidence(answer),
        figure=spread_figure(rows),
        facts=(
            Fact(value=(limit,), line=(f"the change that noise explains, typically{shared}",)),
            Fact(value=(ratios[1], " times"), line=(f"at most, {_place(worst.key)}: {metric_words(worst.metric)}",)),
        ),
        table=_table(answer),
        values={},
    )
    drift = tuple(_drift(answer))
    noise = Section(title="Where the noise is", anchor="noise", blocks=fold(answer.noise).blocks)
    together = Section(title="All benchmarks of a run together", anchor="drift", blocks=(List(items=drift),))
    return document_of(study, lead, answer.caveats, folded=(noise, together) if drift else (noise,), answers=answer)


def _place(key: Mapping[str, object]) -> str:
    return place_words(key) or "the only benchmark"


def _decision(limit: Number) -> Text:
    """Say which changes mean something on this machine."""
    if limit.unit == "ratio" and limit.value < _QUIET:
        return say("use", verb="Trust", what=("changes beyond ", limit))
    advice: Text = ("noise explains changes up to ", limit)
    return say("not_yet", verb="compare on this machine", advice=advice)


def _limit(of: NoiseRow) -> Number:
    """Return the change that a noise budget explains; from twice on it is a factor."""
    change = of.budget.least_change()
    if change < 1:
        return Number(value=change, unit="ratio", digits=2, evidence=of.evidence)
    return Number(value=1 + change, unit="x", digits=2, evidence=of.evidence)


def _usual_noise(answer: RepeatabilityAnswer) -> NoiseRow:
    """Return the noise budget in the middle of all rows."""
    every = sorted((answer.noise_of(row) for row in answer.rows), key=lambda of: of.budget.least_change())
    return every[len(every) // 2]


def _by_chance(answer: RepeatabilityAnswer) -> float:
    """Return the share of rows that chance alone puts into an order: of three runs one row in three."""
    runs = [len(row.runs) for row in answer.rows if row.spread.trend]
    return 2 / math.factorial(min(runs)) if runs else 0.0


def _confidence(answer: RepeatabilityAnswer) -> Confidence:
    """Say how often runs that only scatter rise or fall, where that is often; else what so many runs are worth."""
    if (share := _by_chance(answer)) > _RARE:
        fewest = min(len(row.runs) for row in answer.rows if row.spread.trend)
        doubt = f"1 row in {1 / share:.0f} rises or falls throughout by chance alone"
        return Confidence(level="medium", reason=say("confidence.bias", n=count(fewest, "run"), doubt=doubt))
    return confidence_in(len(answer.runs), count(len(answer.runs), "run"), answer.caveats, _BIASES)


def _table(answer: RepeatabilityAnswer) -> Table:
    columns = (
        Column(head="benchmark"),
        Column(head="metric"),
        *(Column(head=run, kind="number") for run in answer.runs),
        Column(head="largest over smallest", unit="x", kind="number"),
        Column(head="noise explains", kind="number"),
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
        rows.append((_place(row.key), metric_words(row.metric), *cells, ratio, _limit(answer.noise_of(row)), apart))
    return Table(caption="Median of each run, the widest spread first", columns=columns, rows=tuple(rows))


def _drift(answer: RepeatabilityAnswer) -> list[Text]:
    return [
        (
            f"{drift.run} over the first run in {metric_words(drift.metric)}: ",
            number(drift.ratio),
            f", {drift.rising} up and {drift.falling} down",
        )
        for drift in answer.drifts
    ]
