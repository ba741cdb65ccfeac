"""Comparisons as tables of a page: what controls did, both readings of a row, geometric means, sides."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow, Geomean, comparison_evidence
from benchlib.answers.grouping import label
from benchlib.answers.repeatability import RepeatabilityAnswer, RunDrift, repeats_evidence
from benchlib.report.wording.comparison.cells import factor_ends, reason_words
from benchlib.report.wording.markup import Table
from benchlib.report.wording.tables import NONE, change_cell_words, change_words, known, table, verdict_cell
from benchlib.report.wording.told import evident
from benchlib.report.wording.words import carried_change, change, metric_name
from benchlib.units import confidence, show


def controls_table(answer: ComparisonAnswer) -> Table | None:
    """What each control did by itself, and how many rows it speaks for; None without controls."""
    if not answer.controls:
        return None
    several = len({(one.baseline, one.candidate) for one in answer.controls}) > 1
    behind = comparison_evidence(answer)
    rows = []
    for one in answer.controls:
        null = one.null
        centre, low, high = (math.exp(end) for end in (null.center, null.low, null.high))
        rows.append(
            (
                one.condition,
                one.speaks_for or NONE,
                *([f"{one.candidate} against {one.baseline}"] if several else []),
                metric_name(one.metric),
                evident(f"{one.moved} of {one.rows}", one.evidence, one.moved),
                evident(change(centre, one.metric), one.evidence),
                NONE if math.isnan(null.spread) else evident(f"{math.exp(null.spread):.2f}x", one.evidence),
                evident(f"{low:.2f}x to {high:.2f}x", one.evidence)
                if math.isfinite(null.low) and math.isfinite(null.high)
                else NONE,
                evident(str(one.judged), behind, one.judged),
            )
        )
    pairs = ["candidate against baseline"] if several else []
    level = confidence(answer.controls[0].null.confidence_level)
    return table(
        "What the machine alone did to benchmarks that the change cannot affect",
        (
            "control", "named for", *pairs, "metric", "differ", "in the middle", "spread", f"untouched, {level}",
            "rows judged",
        ),
        rows,
        words=3 + len(pairs),
    )  # fmt: skip


def readings_table(answer: ComparisonAnswer) -> Table | None:
    """Every row that controls speak for, by itself and over what they did; None where they speak for none."""
    judged = [row for row in answer.rows if row.against_controls is not None]
    if not judged:
        return None
    metrics = len({row.metric for row in judged}) > 1
    return table(
        "Both readings: by the row itself, and over what its controls did",
        (
            "benchmark", *(["metric"] if metrics else []), "change", "verdict", "by itself", "interval",
            "against controls", "interval that they leave", "why",
        ),
        (_reading(row, metrics) for row in judged),
        words=4 + metrics,
    )  # fmt: skip


def _reading(row: ComparisonRow, metrics: bool) -> tuple[str, ...]:
    against = row.against_controls
    assert against is not None
    ratio = row.comparison.ratio
    return (
        label(row.key) or row.candidate,
        *([metric_name(row.metric)] if metrics else []),
        evident(change_cell_words(row), row.evidence, ratio.value),
        verdict_cell(row),
        row.own_verdict.replace(" ", "\u00a0"),
        known(factor_ends(ratio.value, ratio.low, ratio.high, row.metric) or NONE, row.evidence, ratio.low),
        evident(carried_change(against, row.metric), row.evidence, against.value),
        known(factor_ends(against.value, against.low, against.high, row.metric) or NONE, row.evidence, against.low),
        reason_words(row.reason) or NONE,
    )


def geomeans_table(answers: Sequence[ComparisonAnswer]) -> Table | None:
    """The geometric mean of each metric of each pair; None where no metric has two rows."""
    rows = [
        (
            answer.name,
            f"{one.candidate} against {one.baseline}",
            metric_name(one.metric),
            *(
                NONE if math.isnan(mean) else evident(show(mean, one.unit), behind, mean)
                for mean in (one.baseline_mean, one.candidate_mean)
            ),
            evident(_mean_change(one), behind, one.ratio),
            evident(str(one.rows), behind, one.rows),
        )
        for answer in answers
        for behind in [comparison_evidence(answer)]
        for one in answer.geomeans
    ]
    if not rows:
        return None
    heads = ("comparison", "sides", "metric", "baseline", "candidate", "change", "rows")
    return table("Geometric means over all rows of a metric, controls among them", heads, rows, words=3)


def _mean_change(one: Geomean) -> str:
    # As benchstat: nothing against nothing is no change, and leaves the others their mean; nothing against something
    # is no ratio.
    return "no ratio: a median is 0" if math.isnan(one.ratio) else change(one.ratio, one.metric)


def drifts_table(answer: RepeatabilityAnswer) -> Table | None:
    """All benchmarks of each run together, against the first run; None where none is in both."""
    if not answer.drifts:
        return None
    behind = repeats_evidence(answer)
    return table(
        f"All benchmarks of a run against {answer.runs[0]}: geometric means",
        ("run", "metric", "over the first", "interval", "benchmarks", "rising", "falling"),
        (
            (
                one.run,
                metric_name(one.metric),
                evident(carried_change(one.ratio, one.metric), behind, one.ratio.value),
                evident(_drift_interval(one), behind, one.ratio.low),
                evident(str(one.ratio.n), behind, one.ratio.n),
                evident(str(one.rising), behind, one.rising),
                evident(str(one.falling), behind, one.falling),
            )
            for one in answer.drifts
        ),
        words=2,
    )


def _drift_interval(drift: RunDrift) -> str:
    ratio = drift.ratio
    ends = factor_ends(ratio.value, ratio.low, ratio.high, drift.metric)
    return f"{confidence(ratio.confidence_level)}: {ends}" if ends else NONE


#: Columns of a matrix: more do not fit a page.
MOST_LEVELS = 6


def matrix_table(answer: ComparisonAnswer) -> Table | None:
    """Every change with the levels of the one axis that varies side by side; None where another form is better."""
    axes = {axis for row in answer.rows for axis in row.key}
    varying = [axis for axis in axes if len({str(row.key.get(axis)) for row in answer.rows}) > 1]
    if len(varying) != 1 or varying[0] in ("benchmark", "case"):
        return None
    axis = varying[0]
    levels = list(dict.fromkeys(str(row.key.get(axis, NONE)) for row in answer.rows))
    if len(levels) > MOST_LEVELS:
        return None
    lines: dict[tuple[str, str], dict[str, str]] = {}
    for row in answer.rows:
        line = lines.setdefault((f"{row.candidate} against {row.baseline}", metric_name(row.metric)), {})
        line[str(row.key.get(axis, NONE))] = _matrix_cell(row)
    pairs = list(dict.fromkeys(pair for pair, _ in lines))
    several = len(pairs) > 1
    # Said once: on a narrow screen a cell holds a factor, not a sentence.
    undecided = any(row.verdict == "cannot tell" for row in answer.rows)
    bare = "; where no verdict stands, what was measured has none" if undecided else ""
    return table(
        f"{answer.name if several else pairs[0]}: each change, by {axis}{bare}",
        (*(["sides"] if several else []), "metric", *(f"{axis} {level}" for level in levels)),
        (
            (*([pair] if several else []), metric, *(line.get(level, NONE) for level in levels))
            for (pair, metric), line in lines.items()
        ),
        words=1 + several,
    )


def _matrix_cell(row: ComparisonRow) -> str:
    ratio = row.comparison.ratio
    bounds = factor_ends(ratio.value, ratio.low, ratio.high, row.metric) if ratio.has_interval else ""
    shown = f"{change_words(row)} ({bounds or f'n = {row.comparison.baseline.n}'})"
    verdict = "" if row.verdict == "cannot tell" else f": {row.verdict}"
    return evident(f"{shown}{verdict}", row.evidence, row.comparison.ratio.value)


def sides_table(answer: ComparisonAnswer) -> Table:
    """Where each side comes from, and the machine that its results state."""
    facts = list(dict.fromkeys(fact for side in answer.sides for fact in side.machine))
    return table(
        f"Sides: levels of {answer.column}",
        ("side", "files", *facts, "values"),
        (
            (
                one.name,
                _files(one.files),
                *(one.machine.get(fact, NONE) for fact in facts),
                evident(f"{one.values:,}", comparison_evidence(answer), one.values),
            )
            for one in answer.sides
        ),
        words=2 + len(facts),
    )


def _files(files: Sequence[str]) -> str:
    return ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
